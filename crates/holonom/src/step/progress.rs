//! A watchdog by progress, not by clock: time must advance in proportion to the work that is done for it.
//!
//! Work is counted in evaluations of the equations, rejected attempts included, and looked at in windows of
//! [`WINDOW`] of them. A window is stuck if in it
//!
//! ```text
//! dt  <=  1e-12 |t|                       time stands still, or
//! dt / work  <  1e-6 of the best window   the steps have collapsed: a drive runs to infinity, a pose cannot be passed
//! dt / work  <  1e-3 of the best step     the same, where joints contradict each other by more than is promised
//! ```
//!
//! The last is the mark of loops that are closed but for a part near that of rounding (a Bennett linkage that is 1e-8
//! off): whether some of their rows repeat others is decided now this way and now that, accelerations jump with it, and
//! steps short enough not to see the jumps are too short to get anywhere.
//!
//! A stiff model that always needs short steps is never stuck: it is compared with itself. Nothing here changes a step;
//! a run that goes on ends in the same bits with and without it.

use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::model::Model;
use crate::model::state::State;
use crate::step::promises;

/// Evaluations that are looked at together: a second or less for a machine of a dozen bodies.
const WINDOW: usize = 30_000;
/// Least part of t by which it advances in a window.
const LEAST: f64 = 1e-12;
/// Least part of the best advance per evaluation.
const COLLAPSED: f64 = 1e-6;
/// Least part of the best advance per evaluation of any step, where joints contradict each other.
const CONTRADICTED: f64 = 1e-3;

/// Time gained by work done.
#[derive(Default)]
pub(crate) struct Progress {
    /// Evaluations in this window.
    work: usize,
    /// Time gained in it, s.
    gained: f64,
    /// The best window and the best step so far, s per evaluation.
    best: f64,
    best_step: f64,
    /// Joints contradicted each other in this window by more than is promised.
    contradicted: bool,
    /// The step at which time was found to stand still; the next one is refused.
    stuck: Option<Standstill>,
}

/// How time was found to stand still.
#[derive(Clone, Copy)]
pub(crate) struct Standstill {
    /// The last step, s.
    step: f64,
    /// At joints that contradict each other.
    contradicted: bool,
}

impl Progress {
    /// A step of `taken` seconds to the time `t` cost so many evaluations, and in it joints contradicted each other by
    /// that much.
    pub fn note(&mut self, t: f64, taken: f64, evaluations: usize, contradiction: f64) {
        self.work += evaluations.max(1);
        self.gained += taken;
        self.best_step = self.best_step.max(taken / evaluations.max(1) as f64);
        self.contradicted |= contradiction > promises::CONTRADICTION;
        if self.work < WINDOW {
            return;
        }
        let pace = self.gained / self.work as f64;
        let contradicted = self.contradicted && pace < CONTRADICTED * self.best_step;
        let stuck = contradicted || self.gained <= LEAST * t.abs() || pace < COLLAPSED * self.best;
        self.stuck = stuck.then_some(Standstill { step: taken, contradicted });
        self.best = self.best.max(pace);
        (self.work, self.gained, self.contradicted) = (0, 0.0, false);
    }

    /// How time stood still, if it does; asked once, it is forgotten.
    pub fn stuck(&mut self) -> Option<Standstill> {
        self.stuck.take()
    }
}

/// What time stands still at: the drive that runs fastest, if one outruns everything that the mechanism does by itself,
/// else the fastest body.
#[cold]
pub(crate) fn explain(model: &Model, state: &State, found: Standstill, work: &mut Workspace) -> StepError {
    let Standstill { step, contradicted } = found;
    if let Some(joint) = Some(contradicted).filter(|c| *c).and_then(|_| weakest_joint(model, state, work)) {
        return StepError::Unresolved { joint, step, time: state.t };
    }
    let rest = vec![0.0; state.v.len()];
    evaluate::place_bodies(model, &state.q, &rest, &mut work.eval);
    evaluate::evaluate_gaps(model, &state.q, &rest, state.t, &mut work.eval);
    // at rest the rate of a gap is C_t: what the drive wants
    let fastest_row =
        |rows: std::ops::Range<usize>| work.eval.gap_rate[rows].iter().fold(0.0, |m: f64, r| m.max(r.abs()));
    let drives = model.joints.iter().enumerate().filter(|(_, joint)| joint.constraint.rheonomic());
    let speeds = drives.map(|(k, _)| (k, fastest_row(model.rows_of(crate::model::JointId(k as u32)))));
    let fastest = speeds.max_by(|a, b| a.1.total_cmp(&b.1));
    let (name, speed) = match fastest {
        Some((k, rate)) if rate > RUNAWAY * model.rate_scale() => (model.joint_names.get(k), rate),
        _ => {
            let speed = |i: usize| model.v_of(i, &state.v).iter().fold(0.0, |m: f64, v| m.max(v.abs()));
            let fastest = (0..model.n_bodies()).max_by(|&a, &b| speed(a).total_cmp(&speed(b)));
            fastest.map_or(("nothing", 0.0), |i| (model.body_names.get(i), speed(i)))
        }
    };
    StepError::Stuck { name: name.to_string(), speed, step, time: state.t }
}

/// The last joint with a row that repeats others, or nearly does.
fn weakest_joint(model: &Model, state: &State, work: &mut Workspace) -> Option<String> {
    let (q, v) = (&state.q, &state.v);
    dynamics::accelerations(model, q, v, state.t, None, work).ok()?;
    let solver = &work.kkt.solver;
    let weak = solver.weak_rows().iter().chain(solver.near_singular()).max()?;
    let row = (*weak as usize).checked_sub(model.n_v())?;
    let of = |k: &usize| model.rows_of(crate::model::JointId(*k as u32)).contains(&row);
    (0..model.n_joints()).find(of).map(|k| model.joint_names.get(k).to_string())
}

/// A drive this many times faster than the mechanism's own motion is the cause.
const RUNAWAY: f64 = 100.0;
