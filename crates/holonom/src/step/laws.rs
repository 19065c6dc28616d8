//! The three laws from one machine. All say: respond to a push while keeping the constraints.
//!
//! ```text
//! f = m a     H [vdot; lambda] = [F; c]            `Simulation::accelerations`
//! f = m v     H [v; lambda]    = [f; C_t]          kinematic dragging: velocity in proportion to force, no inertia
//! dv = M^-1 j   H [dv; mu]     = [j; 0]            collisions: a jump of the velocity
//! ```

use crate::catalogue::attach::Marker;
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::angles;
use crate::evaluate::energy;
use crate::evaluate::evaluation::bodies_at;
use crate::math::Vec3;
use crate::model::Model;
use crate::model::state::State;
use crate::step;
use crate::step::drift;
use crate::step::mechanism::Mechanism;

/// Pushes on points as a generalised force, into the primal part of `work.kkt.x`. Frames must be up to date.
fn load_pushes(model: &Model, q: &[f64], v: &[f64], pushes: &[(Marker, Vec3)], work: &mut Workspace) {
    work.kkt.x.fill(0.0);
    let bodies = bodies_at(model, &work.eval.frames, q, v);
    for (marker, push) in pushes {
        let range = model.v_range(marker.body);
        if !range.is_empty() {
            bodies.pull(&marker.p(), *push, &mut work.kkt.x[range]);
        }
    }
}

/// A push that is not a number would go unnoticed until it is everywhere.
fn refuse_not_finite(model: &Model, pushes: &[(Marker, Vec3)]) -> Result<(), StepError> {
    match pushes.iter().find(|(_, push)| !push.is_finite()) {
        Some((marker, push)) => {
            let body = model.body_name(marker.body);
            Err(StepError::Invalid(format!("push on body `{body}` is {push}, must be finite")))
        }
        None => Ok(()),
    }
}

/// M, J, and their factor at `(q, v)`.
fn prepare(model: &Model, q: &[f64], v: &[f64], t: f64, work: &mut Workspace) -> Result<(), StepError> {
    evaluate::evaluate_bodies(model, q, v, &mut work.eval);
    evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
    work.kkt.factor(model, t, &work.eval)
}

/// The law f = m v: the velocities with which the mechanism follows these pushes (N on points, read as kg m/s). The state is not changed.
pub(crate) fn velocities_from_forces(
    mechanism: &mut Mechanism,
    pushes: &[(Marker, Vec3)],
) -> Result<Vec<f64>, StepError> {
    let (model, state, work) = mechanism.parts();
    let zero = vec![0.0; state.v.len()];
    follow(model, &state.q, &zero, state.t, pushes, false, work)?;
    Ok(work.kkt.x[..zero.len()].to_vec())
}

/// Move through legal poses by the law f = m v for `dt` seconds (midpoint rule, then projection). Inertia, gravity and force laws play no
/// part; the state's velocities become those of the motion.
pub(crate) fn kinematic_step(mechanism: &mut Mechanism, pushes: &[(Marker, Vec3)], dt: f64) -> Result<(), StepError> {
    follow_for(mechanism, pushes, false, dt)
}

/// The same law with the model's own forces as the pushes: gravity, and force laws as they are at rest. The mechanism sinks, without
/// inertia, towards where its potential energy is least, at a speed of force over mass times one second; drives move as they are told.
pub(crate) fn kinematic_step_under_forces(mechanism: &mut Mechanism, dt: f64) -> Result<(), StepError> {
    follow_for(mechanism, &[], true, dt)
}

fn follow_for(mechanism: &mut Mechanism, pushes: &[(Marker, Vec3)], forces: bool, dt: f64) -> Result<(), StepError> {
    if !(dt.is_finite() && dt > 0.0) {
        return Err(StepError::Invalid(format!("step size is {dt} s, must be finite and greater than 0")));
    }
    let (model, state, work) = mechanism.parts();
    let n = state.v.len();
    let zero = vec![0.0; n];
    let mut next = state.clone();
    follow(model, &state.q, &zero, state.t, pushes, forces, work)?;
    let first = work.kkt.x[..n].to_vec();
    angles::note_angles(model, &state.q, &first, &state.turns, state.t, &mut work.eval);
    advance_all(model, &mut next.q, &first, 0.5 * dt);
    follow(model, &next.q, &zero, state.t + 0.5 * dt, pushes, forces, work)?;
    next.q.copy_from_slice(&state.q);
    advance_all(model, &mut next.q, &work.kkt.x[..n], dt);
    next.v.copy_from_slice(&work.kkt.x[..n]);
    next.t += dt;
    step::refuse_not_finite(model, &next)?;
    drift::project(model, &mut next.q, &mut next.v, next.t, dt, work)?;
    angles::count_turns(model, &work.eval, &mut next);
    impose(model, state, &mut next);
    *state = next;
    Ok(())
}

/// Overdamped motion: what moves keeps the part `factor` (0 to 1) of its velocity, as after a drag in proportion to mass, `F = - c M v` for a time t with
/// `factor = exp(- c t)`. Drives keep moving as they are told: of all velocities that the joints allow it takes the nearest in the metric of the masses. The energy
/// lost counts as imposed.
pub(crate) fn damp(mechanism: &mut Mechanism, factor: f64) -> Result<(), StepError> {
    if !(0.0..=1.0).contains(&factor) {
        return Err(StepError::Invalid(format!("part of the velocity to keep is {factor}, must be from 0 to 1")));
    }
    mechanism.evaluate()?;
    let (model, state, work) = mechanism.parts();
    let mut next = state.clone();
    next.v.iter_mut().for_each(|v| *v *= factor);
    drift::project(model, &mut next.q, &mut next.v, next.t, 0.0, work)?;
    impose(model, state, &mut next);
    *state = next;
    Ok(())
}

/// The law dv = M^-1 j: the jump of all velocities that impulses (N s on points) cause, joints kept. The state is not changed.
pub(crate) fn velocity_jump(mechanism: &mut Mechanism, impulses: &[(Marker, Vec3)]) -> Result<Vec<f64>, StepError> {
    let (model, state, work) = mechanism.parts();
    refuse_not_finite(model, impulses)?;
    prepare(model, &state.q, &state.v, state.t, work)?;
    load_pushes(model, &state.q, &state.v, impulses, work);
    work.kkt.solve(model, state.t, &work.eval)?;
    Ok(work.kkt.x[..state.v.len()].to_vec())
}

/// Strike the mechanism: apply impulses (N s) to points.
pub(crate) fn apply_impulses(mechanism: &mut Mechanism, impulses: &[(Marker, Vec3)]) -> Result<(), StepError> {
    let jump = velocity_jump(mechanism, impulses)?;
    let (model, state, _) = mechanism.parts();
    let mut next = state.clone();
    for (v, dv) in next.v.iter_mut().zip(&jump) {
        *v += dv;
    }
    impose(model, state, &mut next);
    *state = next;
    Ok(())
}

/// Enter the change of energy from one state to the next as imposed by hand.
fn impose(model: &Model, before: &State, next: &mut State) {
    let change = energy::mechanical(model, &next.q, &next.v) - energy::mechanical(model, &before.q, &before.v);
    next.work[model.n_works() + 1] += change;
}

/// Velocities by f = m v, into `work.kkt.x`.
fn follow(
    model: &Model,
    q: &[f64],
    zero: &[f64],
    t: f64,
    pushes: &[(Marker, Vec3)],
    forces: bool,
    work: &mut Workspace,
) -> Result<(), StepError> {
    refuse_not_finite(model, pushes)?;
    prepare(model, q, zero, t, work)?;
    if forces {
        evaluate::apply_forces(model, q, zero, t, &mut work.eval);
    }
    // at zero velocity the rate of a gap is its partial derivative by time
    evaluate::evaluate_gaps(model, q, zero, t, &mut work.eval);
    evaluate::rates_without_inertia(model, q, zero, t, &mut work.eval);
    load_pushes(model, q, zero, pushes, work);
    let n = zero.len();
    if forces {
        work.kkt.x.iter_mut().zip(&work.eval.force).for_each(|(x, f)| *x += f);
    }
    work.kkt.x[n..].copy_from_slice(&work.eval.gap_rate);
    work.kkt.solve(model, t, &work.eval)
}

fn advance_all(model: &Model, q: &mut [f64], v: &[f64], dt: f64) {
    for (i, body) in model.bodies.iter().enumerate() {
        body.advance(model.q_of_mut(i, q), model.v_of(i, v), dt);
    }
}
