//! The three laws from one machine. All say: respond to a push while keeping the constraints.
//!
//! ```text
//! f = m a     H [vdot; lambda] = [F; c]            `Simulation::accelerations`
//! f = m v     H [v; lambda]    = [f; C_t]          kinematic dragging: velocity in proportion to force, no inertia
//! dv = M^-1 j   H [dv; mu]     = [j; 0]            collisions: a jump of the velocity
//! ```
//!
//! Under all three, contacts, limits, ropes, friction and caps hold, by one solver of complementarity problems
//! ([`crate::contact::inequality::solve`]): forces at the level of accelerations, pushes at that of velocities
//! ([`crate::step::first_order`]), impulses at that of their jumps ([`crate::contact::inequality::impact`]).

use crate::catalogue::attach::Marker;
use crate::contact::inequality::workspace::Workspace;
use crate::contact::inequality::{gather, impact};
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::angles;
use crate::evaluate::energy;
use crate::math::Vec3;
use crate::model::Model;
use crate::model::state::State;
use crate::step;
use crate::step::follow::{Pull, advance_all, follow, load_pushes, prepare, refuse_not_finite};
use crate::step::mechanism::Mechanism;
use crate::step::{drift, first_order};

/// The law f = m v: the velocities with which the mechanism follows these pushes (N on points, read as kg m/s), joints
/// kept and nothing else: a linear answer. The state is not changed.
pub(crate) fn velocities_from_forces(
    mechanism: &mut Mechanism,
    pushes: &[(Marker, Vec3)],
) -> Result<Vec<f64>, StepError> {
    let (model, state, work) = mechanism.parts();
    let zero = vec![0.0; state.v.len()];
    follow(model, &state.q, &zero, state.t, &Pull { pushes, forces: false }, work)?;
    Ok(work.kkt.x[..zero.len()].to_vec())
}

/// Move through legal poses by the law f = m v for `dt` seconds (midpoint rule, then projection). Inertia, gravity and
/// force laws play no part, nor does dry friction of joints; contacts with their friction, limits, ropes and caps do.
/// The state's velocities become those of the motion.
pub(crate) fn kinematic_step(mechanism: &mut Mechanism, pushes: &[(Marker, Vec3)], dt: f64) -> Result<(), StepError> {
    follow_for(mechanism, &Pull { pushes, forces: false }, true, dt)
}

/// The same for joints and drives alone, as if nothing had sides.
pub(crate) fn kinematic_step_of_joints(mechanism: &mut Mechanism, dt: f64) -> Result<(), StepError> {
    follow_for(mechanism, &Pull { pushes: &[], forces: false }, false, dt)
}

/// The same law with the model's own forces as the pushes: gravity, and force laws as they are at rest. The mechanism
/// sinks, without inertia, towards where its potential energy is least, at a speed of force over mass times one second;
/// drives move as they are told.
pub(crate) fn kinematic_step_under_forces(mechanism: &mut Mechanism, dt: f64) -> Result<(), StepError> {
    follow_for(mechanism, &Pull { pushes: &[], forces: true }, true, dt)
}

fn follow_for(mechanism: &mut Mechanism, pull: &Pull, sided: bool, dt: f64) -> Result<(), StepError> {
    if !(dt.is_finite() && dt > 0.0) {
        return Err(StepError::Invalid(format!("step size is {dt} s, must be finite and greater than 0")));
    }
    let (model, state, work) = mechanism.parts();
    let mut next = state.clone();
    if sided && model.has_inequalities() {
        angles::note_angles(model, &state.q, &state.v, &state.turns, state.t, &mut work.eval);
        first_order::advance(model, &mut next, pull, dt, work)?;
    } else {
        midpoint(model, state, &mut next, pull, dt, work)?;
    }
    angles::count_turns(model, &mut work.eval, &mut next);
    impose(model, state, &mut next);
    *state = next;
    Ok(())
}

/// The midpoint rule where nothing has sides.
fn midpoint(
    model: &Model,
    state: &State,
    next: &mut State,
    pull: &Pull,
    dt: f64,
    work: &mut Workspace,
) -> Result<(), StepError> {
    let n = state.v.len();
    let zero = vec![0.0; n];
    follow(model, &state.q, &zero, state.t, pull, work)?;
    let first = work.kkt.x[..n].to_vec();
    angles::note_angles(model, &state.q, &first, &state.turns, state.t, &mut work.eval);
    advance_all(model, &mut next.q, &first, 0.5 * dt);
    follow(model, &next.q, &zero, state.t + 0.5 * dt, pull, work)?;
    next.q.copy_from_slice(&state.q);
    advance_all(model, &mut next.q, &work.kkt.x[..n], dt);
    next.v.copy_from_slice(&work.kkt.x[..n]);
    next.t += dt;
    step::refuse_not_finite(model, next)?;
    drift::project(model, &mut next.q, &mut next.v, next.t, dt, work)
}

/// Overdamped motion: what moves keeps the part `factor` (0 to 1) of its velocity, as after a drag in proportion to
/// mass, `F = - c M v` for a time t with `factor = exp(- c t)`. Drives keep moving as they are told: of all velocities
/// that the joints allow it takes the nearest in the metric of the masses. The energy lost counts as imposed.
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

/// The law dv = M^-1 j: the jump of all velocities that impulses (N s on points) cause, joints kept, and contacts,
/// stops and ropes that are closed too: what they would be driven into pushes back, with friction, and does not
/// rebound. The state is not changed.
pub(crate) fn velocity_jump(mechanism: &mut Mechanism, impulses: &[(Marker, Vec3)]) -> Result<Vec<f64>, StepError> {
    let next = struck(mechanism, impulses)?;
    Ok(next.v.iter().zip(&mechanism.state.v).map(|(after, before)| after - before).collect())
}

/// Strike the mechanism: apply impulses (N s) to points.
pub(crate) fn apply_impulses(mechanism: &mut Mechanism, impulses: &[(Marker, Vec3)]) -> Result<(), StepError> {
    let mut next = struck(mechanism, impulses)?;
    let (model, state, _) = mechanism.parts();
    impose(model, state, &mut next);
    *state = next;
    Ok(())
}

/// The state after impulses; works of contacts in its books, those of the hand not yet.
///
/// With u- = 0 in contacts at rest Newton's law of impact says u+ >= 0 whatever the restitution: the blow of the hand
/// and the answer of the contact are one. So the hand's jump comes first, and what then approaches is stopped.
fn struck(mechanism: &mut Mechanism, impulses: &[(Marker, Vec3)]) -> Result<State, StepError> {
    let (law, sided) = (mechanism.impacts, mechanism.model.has_inequalities());
    if sided {
        mechanism.gather_present();
    }
    let (model, state, work) = mechanism.parts();
    refuse_not_finite(model, impulses)?;
    prepare(model, &state.q, &state.v, state.t, work)?;
    load_pushes(model, &state.q, &state.v, impulses, work);
    work.kkt.solve(model, state.t, &work.eval)?;
    let mut next = state.clone();
    for (v, dv) in next.v.iter_mut().zip(&work.kkt.x) {
        *v += dv;
    }
    if sided {
        let State { q, v, work: works, blows, .. } = &mut next;
        evaluate::place_bodies(model, q, v, &mut work.eval);
        gather::gather(model, q, v, state.t, work);
        impact::collide(model, q, v, state.t, law, false, impact::Books { works, blows }, work)?;
    }
    Ok(next)
}

/// Enter the change of energy from one state to the next as imposed by hand.
fn impose(model: &Model, before: &State, next: &mut State) {
    let mut change = energy::mechanical(model, &next.q, &next.v) - energy::mechanical(model, &before.q, &before.v);
    // but for what stands in the books already
    change -= next.work.iter().zip(&before.work).map(|(now, then)| now - then).sum::<f64>();
    change -= next.blows.sum() - before.blows.sum();
    next.work[model.n_works() + 1] += change;
}
