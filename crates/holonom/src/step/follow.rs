//! Velocities by the law f = m v, of joints alone: what pushes and forces would do where nothing has sides.
//!
//! ```text
//! H [v; lambda] = [f; C_t]
//! ```

use crate::catalogue::attach::Marker;
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::evaluation::bodies_at;
use crate::math::Vec3;
use crate::model::Model;

/// Pushes on points as a generalised force, into the primal part of `work.kkt.x`. Frames must be up to date.
pub(super) fn load_pushes(model: &Model, q: &[f64], v: &[f64], pushes: &[(Marker, Vec3)], work: &mut Workspace) {
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
pub(super) fn refuse_not_finite(model: &Model, pushes: &[(Marker, Vec3)]) -> Result<(), StepError> {
    match pushes.iter().find(|(_, push)| !push.is_finite()) {
        Some((marker, push)) => {
            let body = model.body_name(marker.body);
            Err(StepError::Invalid(format!("push on body `{body}` is {push}, must be finite")))
        }
        None => Ok(()),
    }
}

/// M, J, and their factor at `(q, v)`.
pub(super) fn prepare(model: &Model, q: &[f64], v: &[f64], t: f64, work: &mut Workspace) -> Result<(), StepError> {
    evaluate::evaluate_bodies(model, q, v, &mut work.eval);
    evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
    work.kkt.factor(model, t, &work.eval)
}

/// What pulls at a mechanism that moves by f = m v: pushes on points, and the model's own forces where wanted.
pub(super) struct Pull<'a> {
    pub pushes: &'a [(Marker, Vec3)],
    pub forces: bool,
}

/// Velocities by f = m v, into `work.kkt.x`; inequality rows do not act.
pub(super) fn follow(
    model: &Model,
    q: &[f64],
    zero: &[f64],
    t: f64,
    pull: &Pull,
    work: &mut Workspace,
) -> Result<(), StepError> {
    refuse_not_finite(model, pull.pushes)?;
    prepare(model, q, zero, t, work)?;
    if pull.forces {
        evaluate::apply_forces(model, q, zero, t, &mut work.eval);
    }
    // at zero velocity the rate of a gap is its partial derivative by time
    evaluate::evaluate_gaps(model, q, zero, t, &mut work.eval);
    evaluate::rates_without_inertia(model, q, zero, t, &mut work.eval);
    load(model, q, zero, pull, work);
    work.kkt.solve(model, t, &work.eval)
}

/// The right-hand side of f = m v, with the equations at hand.
pub(super) fn load(model: &Model, q: &[f64], zero: &[f64], pull: &Pull, work: &mut Workspace) {
    load_pushes(model, q, zero, pull.pushes, work);
    let n = zero.len();
    if pull.forces {
        work.kkt.x.iter_mut().zip(&work.eval.force).for_each(|(x, f)| *x += f);
    }
    work.kkt.x[n..].copy_from_slice(&work.eval.gap_rate);
}

/// All positions on by `dt` at the velocities `v`.
pub(super) fn advance_all(model: &Model, q: &mut [f64], v: &[f64], dt: f64) {
    for (i, body) in model.bodies.iter().enumerate() {
        body.advance(model.q_of_mut(i, q), model.v_of(i, v), dt);
    }
}
