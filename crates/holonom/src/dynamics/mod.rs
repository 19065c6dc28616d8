//! Forward dynamics: from a state to accelerations, multipliers, contact forces and their powers.
//!
//! ```text
//! M vdot - J^T lambda = F          - J vdot = c               (notation.md, eq. 1-2)
//! ```

use crate::contact::inequality::forces;
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::evaluate::reaction::{self, Reaction};
use crate::evaluate::{self, Feedback};
use crate::model::{JointId, Model};

/// Accelerations and multipliers at `(q, v, t)`, into `work.kkt.x`.
pub(crate) fn accelerations(
    model: &Model,
    q: &[f64],
    v: &[f64],
    t: f64,
    feedback: Option<Feedback>,
    work: &mut Workspace,
) -> Result<(), StepError> {
    let Workspace { eval, kkt, contact, .. } = work;
    if contact.flying && contact.flown.is_at_work() && feedback.is_none() {
        return accelerations_of_flown(model, q, v, t, work);
    }
    evaluate::evaluate_bodies(model, q, v, eval); // M, F from inertia and gravity
    evaluate::apply_forces(model, q, v, t, eval); // F from force laws
    evaluate::evaluate_constraints(model, q, v, t, eval); // J, c
    if let Some(feedback) = feedback {
        evaluate::add_feedback(model, q, v, t, feedback, eval);
    }
    if model.has_inequalities() && !contact.flying {
        kkt.factor(model, t, eval)?;
        forces::solve_motion(model, q, v, t, work)?; // contacts, limits, friction, caps
    } else {
        kkt.factor_and_solve_motion(model, t, eval)?;
    }
    work.kkt.check_motion(model, &work.eval); // once in a step
    Ok(())
}

/// The same of the islands that fly, alone: zero for all others, whose equations and factor stay what they are.
fn accelerations_of_flown(model: &Model, q: &[f64], v: &[f64], t: f64, work: &mut Workspace) -> Result<(), StepError> {
    let Workspace { eval, kkt, contact, .. } = work;
    let flown = &mut contact.flown;
    eval.counts.parts += 1;
    evaluate::evaluate_bodies_of(model, q, v, |island| flown.has(island), eval);
    evaluate::apply_forces_of(model, q, v, t, |bodies| flown.has_first(model, bodies), eval);
    evaluate::evaluate_constraints_of(model, q, v, t, |island| flown.has(island), eval);
    kkt.solve_part(model, t, eval, flown)
}

/// F at `(q, v, t)`, M and J there, and their factor: kept where the last ones were of this pose, evaluated otherwise.
pub(crate) fn factored_equations(
    model: &Model,
    q: &[f64],
    v: &[f64],
    t: f64,
    work: &mut Workspace,
) -> Result<(), StepError> {
    let Workspace { eval, kkt, .. } = work;
    let known = kkt.is_at(q, t, eval);
    if known {
        evaluate::evaluate_body_forces(model, q, v, eval);
    } else {
        evaluate::evaluate_bodies(model, q, v, eval);
    }
    evaluate::apply_forces(model, q, v, t, eval);
    if !known {
        evaluate::evaluate_constraints(model, q, v, t, eval);
        kkt.factor(model, t, eval)?;
    }
    kkt.note_pose(model, q, t, eval);
    Ok(())
}

/// Powers of all joints, contacts and friction inside bodies at a state whose equations are solved, into
/// `work.eval.power` after those of the forces.
pub(crate) fn powers(model: &Model, q: &[f64], v: &[f64], work: &mut Workspace) {
    let Workspace { eval, kkt, contact, .. } = &mut *work;
    let wanted = |island: u32| !contact.flying || contact.flown.has(island);
    reaction::joint_powers_of(model, q, v, &kkt.x[v.len()..], wanted, eval);
    forces::add_powers(model, v, work);
}

/// The reaction of one joint, from these multipliers of all rows, or those last solved for; of joints under
/// inequalities from the forces that act.
pub(crate) fn reaction(
    model: &Model,
    id: JointId,
    q: &[f64],
    v: &[f64],
    t: f64,
    lambda: Option<&[f64]>,
    work: &mut Workspace,
) -> Reaction {
    let Workspace { eval, kkt, contact, .. } = work;
    let lambda = match model.inequality_of(id) {
        Some(record) => contact.acting.of_joint(record).unwrap_or(&[]),
        None => &lambda.unwrap_or(&kkt.x[v.len()..])[model.rows_of(id)],
    };
    reaction::of_rows(model, id, q, v, t, lambda, eval)
}
