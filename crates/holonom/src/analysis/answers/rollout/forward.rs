//! Forward: steps of the classical Runge-Kutta method, bit for bit those of the integrator `rk4`, with forces of one's
//! own beside those of the model.

use crate::analysis::answers::PushAlong;
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::angles;
use crate::model::Model;
use crate::model::state::State;
use crate::step;
use crate::step::drift;

/// Node and weight of every stage.
pub(super) const STAGES: [(f64, f64); 4] = [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)];

/// One stage: where it is, and its rates.
#[derive(Default, Clone)]
pub(super) struct Stage {
    pub t: f64,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub q_rate: Vec<f64>,
    /// [a; lambda].
    pub solution: Vec<f64>,
}

/// The forces that act during a step.
#[derive(Clone, Copy)]
pub(super) struct Controlled<'a> {
    pub along: &'a [PushAlong],
    pub sizes: &'a [f64],
}

/// Accelerations and multipliers, the factor left in `work`.
fn solve(
    model: &Model,
    (q, v, t): (&[f64], &[f64], f64),
    controls: Controlled,
    row: &mut [f64],
    work: &mut Workspace,
) -> Result<(), StepError> {
    evaluate::evaluate_bodies(model, q, v, &mut work.eval);
    evaluate::apply_forces(model, q, v, t, &mut work.eval);
    for (along, size) in controls.along.iter().zip(controls.sizes).filter(|(_, size)| **size != 0.0) {
        along.write(model, (q, v), &work.eval, row)?;
        work.eval.force.iter_mut().zip(&*row).for_each(|(f, g)| *f += size * g);
    }
    evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
    work.kkt.factor_and_solve_motion(model, t, &work.eval)?;
    if !work.kkt.solver.near_singular().is_empty() {
        let message = format!("the mechanism passes a singular pose at {t} s, where runs have no derivative");
        return Err(StepError::Invalid(message));
    }
    Ok(())
}

/// The stages of a step from `state`, each in memory of its own if there is any: stage i uses `work[i]`, or the last.
pub(super) fn stages(
    model: &Model,
    state: &State,
    h: f64,
    controls: Controlled,
    work: &mut [Workspace],
    out: &mut [Stage; 4],
) -> Result<(), StepError> {
    let (n_q, n_v) = (model.n_q(), model.n_v());
    let mut row = vec![0.0; n_v];
    let last = work.len() - 1;
    for (i, (node, _)) in STAGES.into_iter().enumerate() {
        let work = &mut work[i.min(last)];
        if i <= last {
            angles::note_angles(model, &state.q, &state.v, &state.turns, state.t, &mut work.eval);
        }
        let (before, rest) = out.split_at_mut(i);
        let stage = &mut rest[0];
        stage.t = state.t + node * h;
        stage.q.clone_from(&state.q);
        stage.v.clone_from(&state.v);
        if node > 0.0 {
            let k = &before[i - 1];
            for j in 0..n_q {
                stage.q[j] = state.q[j] + h * node * k.q_rate[j];
            }
            for j in 0..n_v {
                stage.v[j] = state.v[j] + h * node * k.solution[j];
            }
        }
        solve(model, (&stage.q, &stage.v, stage.t), controls, &mut row, work)?;
        stage.q_rate.resize(n_q, 0.0);
        for (b, body) in model.bodies.iter().enumerate() {
            let v = model.v_of(b, &stage.v);
            body.q_rate(model.q_of(b, &stage.q), v, model.q_of_mut(b, &mut stage.q_rate));
        }
        stage.solution.clone_from(&work.kkt.x);
    }
    Ok(())
}

/// The sum of the stages, quaternions of any length.
pub(super) fn sum(state: &State, h: f64, stages: &[Stage; 4], q: &mut Vec<f64>, v: &mut Vec<f64>) {
    q.clone_from(&state.q);
    v.clone_from(&state.v);
    let total = |of: &dyn Fn(&Stage) -> f64| {
        let mut sum = 0.0;
        for ((_, weight), stage) in STAGES.iter().zip(stages) {
            sum += weight * of(stage);
        }
        sum
    };
    for (j, q) in q.iter_mut().enumerate() {
        *q += h / 6.0 * total(&|s| s.q_rate[j]);
    }
    for (j, v) in v.iter_mut().enumerate() {
        *v += h / 6.0 * total(&|s| s.solution[j]);
    }
}

/// Quaternions to unit length.
pub(super) fn normalise(model: &Model, q: &mut [f64]) {
    for (i, body) in model.bodies.iter().enumerate() {
        body.normalise(model.q_of_mut(i, q));
    }
}

/// One step: stages, their sum, projection onto the constraints.
pub(super) fn step(
    model: &Model,
    state: &mut State,
    h: f64,
    controls: Controlled,
    work: &mut Workspace,
    out: &mut [Stage; 4],
) -> Result<(), StepError> {
    stages(model, state, h, controls, std::slice::from_mut(work), out)?;
    finish(model, state, h, out, work)
}

/// From the stages of a step to its end; `work` holds the factor of the last.
pub(super) fn finish(
    model: &Model,
    state: &mut State,
    h: f64,
    out: &[Stage; 4],
    work: &mut Workspace,
) -> Result<(), StepError> {
    let (mut q, mut v) = (Vec::new(), Vec::new());
    sum(state, h, out, &mut q, &mut v);
    normalise(model, &mut q);
    work.correction.first = Default::default();
    work.correction.to_rounding();
    (state.q, state.v) = (q, v);
    state.t += h;
    step::refuse_not_finite(model, state)?;
    drift::project(model, &mut state.q, &mut state.v, state.t, h, work)?;
    angles::count_turns(model, &mut work.eval, state);
    step::refuse_not_finite(model, state)
}

/// The factor at a state, into `work`.
pub(super) fn factor(model: &Model, state: &State, work: &mut Workspace) -> Result<(), StepError> {
    angles::note_angles(model, &state.q, &state.v, &state.turns, state.t, &mut work.eval);
    let none = Controlled { along: &[], sizes: &[] };
    solve(model, (&state.q, &state.v, state.t), none, &mut [], work)
}
