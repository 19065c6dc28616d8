//! One step, top to bottom. Imports everything; only `simulation` imports it.

pub(crate) mod contradiction;
pub(crate) mod drift;
pub(crate) mod event_log;
pub(crate) mod first_order;
pub(crate) mod follow;
pub mod integrate;
pub(crate) mod laws;
pub(crate) mod mechanism;
pub(crate) mod progress;
pub mod promises;

use crate::catalogue::bodies::Body;
use crate::contact::inequality::project;
use crate::contact::inequality::sleep::Sleeping;
use crate::contact::inequality::solve::Task;
use crate::contact::inequality::tension::Tension;
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::angles;
use crate::evaluate::convergence::Island;
use crate::evaluate::energy;
use crate::model::Model;
use crate::model::state::State;
use crate::solve::residual::Residual;
use crate::step::drift::Drift;
use crate::step::integrate::{Attempt, Coordinates, Integrator, JointSpace, Motion};
use std::sync::Arc;

/// How steps are taken.
pub(crate) struct Method {
    pub integrator: Box<dyn Integrator>,
    pub drift: Drift,
    pub coordinates: Coordinates,
    pub joint_space: Option<JointSpace>,
    /// The state under construction.
    pub next: State,
    /// Scratch for what is held by contacts.
    pub task: Task,
    /// What rests may sleep.
    pub sleeping: Option<Sleeping>,
}

/// What a step did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepReport {
    /// Step taken, s.
    pub step: f64,
    /// Estimated error relative to the tolerance, where the integrator estimates one.
    pub error: Option<f64>,
    /// Evaluations of the equations of motion, rejected attempts included.
    pub evaluations: usize,
    /// Attempts rejected by the error control.
    pub rejected: usize,
    /// How well the solution solved the equations, measured anew at the first solution of the step.
    pub residual: Residual,
    /// Largest gap of a joint after the step, m or rad.
    pub gap: f64,
    /// Largest rate of a gap after the step, m/s or rad/s.
    pub gap_rate: f64,
    /// Rows that depended on others when last factored.
    pub rank_deficiency: usize,
    /// Joints that broke under load at the end of the step.
    pub broken: usize,
    /// Largest overlap of shapes, or excess over a limit or the length of a rope, m or rad, after the step: where time
    /// is stepped, of everything, looked for anew; where events are followed, of what the step knew to be near.
    pub overlap: f64,
    /// The same of everything, looked for anew at the start of the step: what the step before left behind.
    pub overlap_anew: f64,
    /// Touches, stops, ropes and frictions that act after the step.
    pub contacts: usize,
    /// Events in the step: impacts, openings, sticks and slips that began or ended.
    pub events: usize,
    /// Short steps on velocities in it, because events (bounces, slips that start and stop) no longer brought time.
    pub forced: usize,
}

/// Largest gap and gap rate as last evaluated; 0 without joints.
pub(crate) fn largest_gaps(work: &Workspace) -> (f64, f64) {
    let largest = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| if x.abs() <= m { m } else { x.abs() });
    (largest(&work.eval.gap), largest(&work.eval.gap_rate))
}

/// Advance `state` by `h`, or leave it as it was. With `control`, an attempt whose estimated error exceeds 1 is not
/// committed.
pub(crate) fn step(
    model: &Model,
    state: &mut State,
    work: &mut Workspace,
    method: &mut Method,
    h: f64,
    control: bool,
) -> Result<Attempt, StepError> {
    let attempt = attempt(model, state, work, method, h, control);
    work.correction.to_rounding(); // whoever closes joints between steps
    attempt
}

fn attempt(
    model: &Model,
    state: &mut State,
    work: &mut Workspace,
    method: &mut Method,
    h: f64,
    control: bool,
) -> Result<Attempt, StepError> {
    method.next.clone_from(state);
    angles::note_angles(model, &state.q, &state.v, &state.turns, state.t, &mut work.eval);
    let attempt = integrate(model, work, method, h); // stages: M, F, J, c, factor, solve
    let attempt = attempt.map_err(|e| explain(model, state, work, h, e))?;
    if control && attempt.error.is_some_and(|e| e > 1.0) {
        return Ok(attempt);
    }
    correct_drift(model, work, method, h).map_err(|e| name_taut(model, state, work, h, e))?; // C and Cdot back to zero
    angles::count_turns(model, &mut work.eval, &mut method.next);
    refuse_not_finite(model, &method.next)?;
    std::mem::swap(state, &mut method.next); // commit: the only line that writes the state
    Ok(attempt)
}

/// Run the integrator on `method.next`.
fn integrate(model: &Model, work: &mut Workspace, method: &mut Method, h: f64) -> Result<Attempt, StepError> {
    work.kkt.check.wanted = true;
    work.correction.first = Default::default();
    work.correction.to_rounding();
    work.correction.tolerance = method.drift.tolerance();
    let (ledger, rest) = method.next.work.split_at_mut(model.n_works());
    let mut motion = Motion {
        model,
        work,
        t: method.next.t,
        q: &mut method.next.q,
        v: &mut method.next.v,
        ledger,
        projected: &mut rest[0],
        blows: &mut method.next.blows,
        warm_start: &mut method.next.warm_start,
        sleeping: method.sleeping,
        drift: method.drift,
        coordinates: method.coordinates,
        joint_space: method.joint_space.as_mut(),
    };
    let attempt = method.integrator.attempt(&mut motion, h).map_err(|e| name_not_finite(model, work, e))?;
    method.next.t += h;
    Ok(attempt)
}

fn correct_drift(model: &Model, work: &mut Workspace, method: &mut Method, h: f64) -> Result<(), StepError> {
    let next = &mut method.next;
    if method.drift.projects() {
        refuse_not_finite(model, next)?;
        let (q, v) = &mut work.correction.start;
        q.clone_from(&next.q);
        v.clone_from(&next.v);
        match &mut method.joint_space {
            Some(space) if method.coordinates == Coordinates::Joint && !space.cuts().is_empty() => {
                let mut along =
                    |model: &Model, q: &mut [f64], d: &[f64], islands: &[Island]| space.advance(model, q, d, islands);
                drift::project_along(model, &mut next.q, &mut next.v, next.t, h, work, &mut along)?;
            }
            _ => drift::project(model, &mut next.q, &mut next.v, next.t, h, work)?,
        }
        if model.has_inequalities() && !method.integrator.handles_inequalities() {
            project::hold(model, &mut next.q, &mut next.v, next.t, &mut method.task, work)?;
        }
        let (q, v) = &work.correction.start;
        if *q != next.q || *v != next.v {
            let energy = |q: &[f64], v: &[f64]| energy::mechanical(model, q, v);
            next.work[model.n_works()] += energy(&next.q, &next.v) - energy(q, v);
        }
    } else {
        evaluate::place_bodies(model, &next.q, &next.v, &mut work.eval);
        evaluate::evaluate_gaps(model, &next.q, &next.v, next.t, &mut work.eval);
        contradiction::refuse_uncorrected(model, &next.q, &next.v, next.t, work)?;
    }
    Ok(())
}

/// Why a step failed, where joints and drives contradict each other or links are held taut.
#[cold]
fn explain(model: &Model, state: &State, work: &mut Workspace, h: f64, e: StepError) -> StepError {
    let e = contradiction::explain(model, &state.q, &state.v, state.t + h, work, e);
    name_taut(model, state, work, h, e)
}

/// Joints that cannot be closed after a step: where links held taut swing too fast for it, say so.
#[cold]
fn name_taut(model: &Model, state: &State, work: &mut Workspace, h: f64, e: StepError) -> StepError {
    if !matches!(e, StepError::DriftNotCorrected { .. } | StepError::NotFinite { .. }) {
        return e;
    }
    match fastest_taut(model, state, work) {
        Some((i, rate)) if h * rate > FOLLOWED => {
            StepError::TautLink { body: model.body_names.get(i).to_string(), rate, step: h, time: state.t }
        }
        _ => e,
    }
}

/// Explicit steps longer than this, times the frequency of what swings, throw it about.
const FOLLOWED: f64 = 2.0;

/// The fastest swing of a body under the pull of its joints in this state, rad/s; also at rest in this pose, because
/// velocities that have gone wrong pull at nothing, or press.
fn fastest_taut(model: &Model, state: &State, work: &mut Workspace) -> Option<(usize, f64)> {
    let rest = vec![0.0; state.v.len()];
    let swing = |v: &[f64]| {
        let (q, t) = (&state.q[..], state.t);
        dynamics::accelerations(model, q, v, t, None, work).ok()?;
        let Workspace { eval, kkt, .. } = &mut *work;
        Tension::default().fastest(model, (q, v, t), &kkt.x[model.n_v()..], eval)
    };
    let swings = [&state.v[..], &rest[..]].into_iter().filter_map(swing);
    swings.max_by(|a, b| a.1.total_cmp(&b.1))
}

/// A stage that met NaN has no factor either: then say which body is at fault, not that the pose is singular.
fn name_not_finite(model: &Model, work: &Workspace, e: StepError) -> StepError {
    let time = match e {
        StepError::Singular { time, .. } => time,
        StepError::NotConverged { residual, time, .. } if !residual.is_finite() => time,
        _ => return e,
    };
    let finite = |i: usize| {
        let f = &work.eval.frames[i];
        f.x.is_finite()
            && f.v.is_finite()
            && f.w.is_finite()
            && model.v_of(i, &work.eval.force).iter().all(|f| f.is_finite())
    };
    match (0..model.n_bodies()).find(|&i| !finite(i)) {
        Some(i) => StepError::NotFinite { body: model.body_names.get(i).to_string(), time },
        None => e,
    }
}

/// Is every number finite? Zero times any other is not zero, and neither is a sum with it.
fn finite(x: &[f64]) -> bool {
    let (fours, rest) = x.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for four in fours {
        (0..4).for_each(|i| sums[i] += 0.0 * four[i]);
    }
    sums == [0.0; 4] && rest.iter().all(|x| x.is_finite())
}

/// A body that has shrunk to less than this part of its size is lost: what comes after would have lost as many digits.
const LEAST_SIZE: f64 = 1e-6;

pub(crate) fn refuse_not_finite(model: &Model, next: &State) -> Result<(), StepError> {
    let lost = |(i, body): (usize, &Arc<dyn Body>)| body.size_left(model.q_of(i, &next.q)) < LEAST_SIZE;
    if finite(&next.q) && finite(&next.v) && !model.bodies.iter().enumerate().any(lost) {
        return Ok(());
    }
    for (i, body) in model.bodies.iter().enumerate() {
        if lost((i, body)) || !finite(model.q_of(i, &next.q)) || !finite(model.v_of(i, &next.v)) {
            return Err(StepError::NotFinite { body: model.body_names.get(i).to_string(), time: next.t });
        }
    }
    Ok(())
}
