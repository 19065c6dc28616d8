//! Reactions of joints at the present state, those of redundant joints split as the doctor does.

use super::doctor;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate::evaluation::bodies_at;
use crate::evaluate::reaction::{self, Axes, Reaction};
use crate::math::Mat3;
use crate::model::JointId;
use crate::step::mechanism::Mechanism;

/// The reaction in the axes of the world or of either body. The point stays in world coordinates.
pub(crate) fn reaction_in(mechanism: &mut Mechanism, joint: JointId, axes: Axes) -> Result<Reaction, StepError> {
    let (model, s, work, lambda) = doctor::solved(mechanism)?;
    let r = dynamics::reaction(model, joint, &s.q, &s.v, s.t, Some(lambda), work);
    let at = model.constraint(joint).attachments();
    let bodies = &bodies_at(model, &work.eval.frames, &s.q, &s.v);
    let turn = match axes {
        Axes::World => Mat3::IDENTITY,
        Axes::A => reaction::body_axes(bodies, at[0].body).transpose(),
        Axes::B => reaction::body_axes(bodies, at.get(1).unwrap_or(&at[0]).body).transpose(),
    };
    Ok(Reaction { force: turn * r.force, torque: turn * r.torque, point: r.point })
}
