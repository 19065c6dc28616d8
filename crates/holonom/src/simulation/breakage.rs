//! Joints that break under load.
//!
//! A joint with a break load lets go when the force or the torque of its reaction exceeds it. Loads are looked at after
//! every step; when one is too large, the step is taken again and halved until the moment at which the load was reached
//! is known to a millionth of the step, and the joint is broken there ([`Simulation::break_joint`]): positions and
//! velocities stay, the reaction is gone.

use crate::analysis::reactions;
use crate::error::StepError;
use crate::evaluate::reaction::Axes;
use crate::model::state::State;
use crate::model::{JointId, JointStatus};
use crate::simulation::edit;
use crate::step::mechanism::Mechanism;

/// How closely the moment is found, as a part of the step.
const CLOSE: f64 = 1e-6;

/// After a step of `h` from `before`: did any joint carry more than it can? Then back to that moment, and break it.
/// Returns the step that is left, and how many joints broke.
pub(crate) fn break_overloaded(mechanism: &mut Mechanism, before: &State, h: f64) -> Result<(f64, usize), StepError> {
    if overloaded(mechanism)?.is_empty() {
        return Ok((h, 0));
    }
    let (mut safe, mut over) = (0.0, h);
    while over - safe > CLOSE * h {
        let middle = 0.5 * (safe + over);
        mechanism.set_state(before.clone());
        mechanism.plain_step(middle)?;
        if overloaded(mechanism)?.is_empty() {
            safe = middle;
        } else {
            over = middle;
        }
    }
    mechanism.set_state(before.clone());
    mechanism.plain_step(over)?;
    let broken = overloaded(mechanism)?;
    for &joint in &broken {
        edit::break_joint(mechanism, joint)
            .map_err(|e| StepError::Invalid(format!("a joint broke under load, and then {e}")))?;
    }
    Ok((over, broken.len()))
}

/// Joints that carry more than they can at the current state.
fn overloaded(mechanism: &mut Mechanism) -> Result<Vec<JointId>, StepError> {
    let model = mechanism.model.clone();
    let mut found = Vec::new();
    for (&k, &(force, torque)) in &model.break_loads {
        if !matches!(model.joints[k as usize].status, JointStatus::Broken) {
            let reaction = reactions::reaction_in(mechanism, JointId(k), Axes::World)?;
            if reaction.force.length() > force || reaction.torque.length() > torque {
                found.push(JointId(k));
            }
        }
    }
    Ok(found)
}
