//! The law f = m v with sides: contacts, limits, ropes, friction and caps hold as they do under f = m a.
//!
//! Without inertia a push f moves the mechanism at the velocity v for which
//!
//! ```text
//! M v = f + J^T lambda + G^T x,       J v + C_t = 0
//! unilateral    G v + C_t >= - C / h,  x >= 0, complementary      (what is open may close within the step h, not more)
//! friction      |x_t| <= mu x_n, opposite to the slip G_t v where there is any; no slip otherwise
//! bounded       G v + C_t = 0 as long as x stays within its bounds
//! ```
//!
//! M is symmetric and positive definite, so without friction v is the one velocity of all legal ones that is nearest to
//! M^-1 f in the metric of the masses. The problem is that of a step on velocities
//! ([`crate::step::integrate::Stepping`]) with x in the place of impulses and nothing before: the same rows, the same
//! solver ([`crate::contact::inequality::solve`]).
//!
//! The midpoint rule: rows and pushes once where the step begins, and again half-way with the velocity found. The
//! second time C is still that of the start, and G that of the middle, so that the gap at the end,
//!
//! ```text
//! C(q1) = C(q0) + h (G v + C_t)(middle) + O(h³)
//! ```
//!
//! is right to the order of the rule: a stop is reached in the step in which it lies, wherever in it. What curvature
//! leaves as overlap is pushed apart ([`project::push_apart`]), joints included. A step after which something overlaps
//! all the same is taken in shorter parts.
//!
//! Rows that joints and drives hold cannot be pushed. Where one is driven over its limit, nothing obeys both: the step
//! is refused, and the stop or the pair of bodies named, with the drives that may be at fault.

use crate::catalogue::joints::Level;
use crate::contact::inequality::solve::{self, Task};
use crate::contact::inequality::tension::Tension;
use crate::contact::inequality::workspace::Workspace;
use crate::contact::inequality::{Block, RowBound, blocked, gather, memory, project, soft};
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::model::state::State;
use crate::model::warm_start::WarmStart;
use crate::model::{JointId, Model};
use crate::step;
use crate::step::drift;
use crate::step::follow::{self, Pull};

/// Parts in which a step is taken that would leave overlaps or open joints otherwise.
const MOST_PARTS: usize = 64;
/// The largest overlap that is left, of the model's length scale.
const APART: f64 = 1e-9;
/// Friction that follows a load is solved for again until the load has settled.
const LOAD_ITERATIONS: usize = 30;
/// Rounds of detection, each with the velocities that the one before has found.
const ROUNDS: usize = 8;
/// How far a step may go over a limit before that counts as blocked, of the model's length scale.
const BLOCKED: f64 = 1e-6;

/// A step under way.
struct FirstOrder<'a> {
    model: &'a Model,
    pull: &'a Pull<'a>,
    work: &'a mut Workspace,
    task: Task,
    zero: Vec<f64>,
    /// Velocities without inequality rows, and with them.
    free: Vec<f64>,
    v: Vec<f64>,
    /// Gaps at the start of the step.
    gaps: Vec<f64>,
    /// Forces in joints whose friction follows them, N.
    loads: Vec<f64>,
    lambda: Vec<f64>,
}

/// Take `next` on by `dt`, angles noted at its start. Where that fails it is to be thrown away.
pub(super) fn advance(
    model: &Model,
    next: &mut State,
    pull: &Pull,
    dt: f64,
    work: &mut Workspace,
) -> Result<(), StepError> {
    let start = next.clone();
    let zero = vec![0.0; start.v.len()];
    let (free, v, gaps, loads, lambda) = Default::default();
    let mut motion = FirstOrder { model, pull, work, task: Task::default(), zero, free, v, gaps, loads, lambda };
    let mut parts = 1;
    loop {
        let part = dt / parts as f64;
        let mut taken = Ok(true);
        for i in 0..parts {
            next.t = start.t + part * i as f64;
            taken = motion.step(next, part);
            if !matches!(taken, Ok(true)) {
                break;
            }
        }
        match taken {
            Ok(true) => {
                next.t = start.t + dt;
                return Ok(());
            }
            Err(e) if parts >= MOST_PARTS => return Err(e),
            Ok(false) if parts >= MOST_PARTS => return Err(motion.not_apart(next.t)),
            _ => next.clone_from(&start),
        }
        parts *= 2;
    }
}

impl FirstOrder<'_> {
    /// One part of a step. Did everything come apart?
    fn step(&mut self, next: &mut State, h: f64) -> Result<bool, StepError> {
        let (model, t, start) = (self.model, next.t, next.q.clone());
        self.at_start(next, h)?;
        follow::advance_all(model, &mut next.q, &self.v, 0.5 * h);
        self.find_free(&next.q, t + 0.5 * h)?;
        gather::gather(model, &next.q, &self.zero, t + 0.5 * h, self.work);
        self.solve(&next.q, t + 0.5 * h, h, &next.warm_start)?;
        self.refuse_blocked(t, h)?;
        memory::remember(&self.work.contact.rows, &self.task.x, 1.0, &mut next.warm_start);
        next.q.copy_from_slice(&start);
        follow::advance_all(model, &mut next.q, &self.v, h);
        next.v.copy_from_slice(&self.v);
        next.t = t + h;
        step::refuse_not_finite(model, next)?;
        drift::project(model, &mut next.q, &mut next.v, next.t, h, self.work)?;
        self.push_apart(next)?;
        // bodies have turned: what touches now may be other features than those foreseen
        evaluate::place_bodies(model, &next.q, &next.v, &mut self.work.eval);
        gather::detect(model, &next.q, &self.zero, 0.0, self.work);
        self.push_apart(next)?;
        let apart = self.work.contact.overlap <= APART * model.contact_scale();
        follow::prepare(model, &next.q, &next.v, next.t, self.work)?;
        drift::project(model, &mut next.q, &mut next.v, next.t, h, self.work)?;
        Ok(apart)
    }

    fn push_apart(&mut self, next: &mut State) -> Result<(), StepError> {
        let State { q, v, t, .. } = next;
        project::push_apart(self.model, q, v, *t, &Tension::default(), &mut self.task, self.work, None).map(|_| ())
    }

    /// Velocities where the step begins, with all touches that they may lead to; gaps are kept.
    fn at_start(&mut self, next: &State, h: f64) -> Result<(), StepError> {
        let (model, q, t) = (self.model, &next.q, next.t);
        self.find_free(q, t)?;
        evaluate::place_bodies(model, q, &self.free, &mut self.work.eval);
        gather::detect(model, q, &self.free, h, self.work);
        for _ in 0..ROUNDS {
            self.find_free(q, t)?;
            gather::gather(model, q, &self.zero, t, self.work);
            self.gaps.clone_from(&self.work.contact.rows.gap);
            self.solve(q, t, h, &next.warm_start)?;
            // pushes may have made bodies faster than they were alone
            let known = self.work.contact.detection.candidates.len();
            evaluate::place_bodies(model, q, &self.v, &mut self.work.eval);
            gather::detect_faster(model, q, &self.v, h, self.work);
            if self.work.contact.detection.candidates.len() == known {
                break;
            }
        }
        Ok(())
    }

    /// M, F, J at a pose, factored, and velocities without inequality rows.
    fn find_free(&mut self, q: &[f64], t: f64) -> Result<(), StepError> {
        follow::follow(self.model, q, &self.zero, t, self.pull, self.work)?;
        self.free.clear();
        self.free.extend_from_slice(&self.work.kkt.x[..self.zero.len()]);
        Ok(())
    }

    /// Velocities with the inequality rows at hand, into `v`.
    fn solve(&mut self, q: &[f64], t: f64, h: f64, warm_start: &[WarmStart]) -> Result<(), StepError> {
        let (model, n) = (self.model, self.zero.len());
        self.loads.clear();
        self.loads.resize(model.n_joints(), 0.0);
        let follows = |b: &Block| matches!(b.bound, RowBound::Dry { lever, .. } if lever > 0.0);
        let follows = self.pull.forces && self.work.contact.rows.blocks.iter().any(follows);
        for _ in 0..if follows { LOAD_ITERATIONS } else { 1 } {
            self.pose(h, warm_start);
            solve::solve(model, t, &mut self.task, self.work)?;
            follow::load(model, q, &self.zero, self.pull, self.work);
            for (row, &x) in self.task.x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                self.work.contact.rows.push(row, x, &mut self.work.kkt.x[..n]);
            }
            self.work.kkt.solve(model, t, &self.work.eval)?;
            if !follows || self.update_loads(q, t) {
                break;
            }
        }
        self.v.clear();
        self.v.extend_from_slice(&self.work.kkt.x[..n]);
        Ok(())
    }

    /// The complementarity problem. Where force laws play no part, dry friction of joints does not either.
    fn pose(&mut self, h: f64, warm_start: &[WarmStart]) {
        let ineq = &self.work.contact.rows;
        self.task.empty(ineq.len());
        let Task { laws, b, x, give, .. } = &mut self.task;
        soft::prepare(ineq, give);
        memory::recall(warm_start, ineq, 1.0, x);
        for block in &ineq.blocks {
            let first = block.row as usize;
            let load = |joint: u32| self.loads[joint as usize];
            let known = block.rows().all(|row| self.gaps[row] < f64::INFINITY);
            let left_out = !known || !self.pull.forces && matches!(block.bound, RowBound::Dry { .. });
            // what begins to slip in the step has stuck before it
            let law = block.bound.law(block.n as usize, 1.0, load, |row| row as usize, false);
            laws.push((!left_out).then_some(law));
            for row in block.rows() {
                let room = if block.level == Level::Position { self.gaps[row].max(0.0) / h } else { 0.0 };
                let room = match block.bound {
                    RowBound::Soft { stiffness, damping } => {
                        give[row] = soft::give(stiffness, damping, h);
                        soft::offset(stiffness, damping, h, self.gaps[row])
                    }
                    _ => room,
                };
                b.push(if left_out { 0.0 } else { ineq.rate[row] + ineq.product(row, &self.free) + room });
            }
            if left_out {
                x[first..first + block.n as usize].fill(0.0);
            }
        }
    }

    /// Forces in joints whose friction follows them. Have they settled?
    fn update_loads(&mut self, q: &[f64], t: f64) -> bool {
        let n = self.zero.len();
        self.lambda.clear();
        self.lambda.extend_from_slice(&self.work.kkt.x[n..]);
        let mut settled = true;
        for joint in self.model.inequalities.iter().filter_map(|record| record.loaded) {
            let lambda = Some(&self.lambda[..]);
            let id = JointId(joint);
            let load = dynamics::reaction(self.model, id, q, &self.zero, t, lambda, self.work).force.length();
            let known = &mut self.loads[joint as usize];
            settled &= (load - *known).abs() <= 1e-12 * load;
            *known = load;
        }
        settled
    }

    /// Does anything go over its limit although it was pushed as far as joints allow?
    fn refuse_blocked(&self, t: f64, h: f64) -> Result<(), StepError> {
        let ineq = &self.work.contact.rows;
        let allowed = BLOCKED * self.model.contact_scale() / h;
        for (block, law) in ineq.blocks.iter().zip(&self.task.laws) {
            let row = block.row as usize;
            let goes_over = |row: usize| {
                let rate = ineq.rate[row] + ineq.product(row, &self.v);
                h * (rate + self.gaps[row].max(0.0) / h) < -h * allowed
            };
            if matches!(block.bound, RowBound::Push { .. }) && law.is_some() && goes_over(row) {
                return Err(blocked::error(self.model, ineq, block, t));
            }
        }
        Ok(())
    }

    fn not_apart(&self, t: f64) -> StepError {
        let ineq = &self.work.contact.rows;
        let pushes = ineq.blocks.iter().filter(|b| matches!(b.bound, RowBound::Push { .. }));
        let depth = |b: &&Block| ineq.gap[b.row as usize];
        match pushes.min_by(|a, b| depth(a).total_cmp(&depth(b))) {
            Some(block) => blocked::error(self.model, ineq, block, t),
            None => StepError::StepTooSmall { time: t, step: 0.0 },
        }
    }
}
