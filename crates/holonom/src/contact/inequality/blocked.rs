//! Stops and contacts that are driven on: joints and drives that leave a row no way to give.
//!
//! A unilateral row can be held only where it answers to its own force: G A^-1 G^T > 0 with the joints and drives held.
//! A speed drive on a hinge that has come to its stop leaves nothing: the stop's row is a combination of the drive's,
//! its response is zero, and whatever its force it goes on at the rate of the drive. Then no motion obeys both, and the
//! run ends with the names of both.

use super::{Block, InequalityRows, Origin, RowBound};
use crate::error::StepError;
use crate::model::Model;

/// What is blocked, and the drives of its island.
pub(crate) fn error(model: &Model, rows: &InequalityRows, block: &Block, t: f64) -> StepError {
    let what = match block.origin {
        Origin::Joint(k) => format!("`{}`", model.joint_names.get(model.inequalities[k as usize].joint as usize)),
        Origin::Touch(k) => {
            let (a, b) = rows.touches[k as usize].bodies;
            format!("the contact of `{}` and `{}`", model.body_name(a), model.body_name(b))
        }
    };
    let drives = drives_of(model, rows, block).map(|k| model.joint_names.get(k).to_string()).collect();
    StepError::Blocked { what, drives, time: t }
}

/// Joints with a motion of their own, in the islands that a block acts on.
fn drives_of<'a>(model: &'a Model, rows: &'a InequalityRows, block: &Block) -> impl Iterator<Item = usize> + 'a {
    let parts = rows.parts_of(block.row as usize);
    let acted_on = |island: u32| parts.iter().any(|p| model.island[p.body as usize] == island);
    let drives = model
        .joints
        .iter()
        .enumerate()
        .filter(move |(_, joint)| joint.n_rows > 0 && joint.constraint.rheonomic() && acted_on(joint.island));
    drives.map(|(k, _)| k)
}

/// Refuse what drives leave no way: of all unilateral rows that are `held`, one that goes on by more than it may.
/// `beyond` tells by how much a row is beyond what its force should have seen to, and how much of that is rounding.
pub(crate) fn refuse(
    model: &Model,
    rows: &InequalityRows,
    t: f64,
    held: impl Fn(usize) -> bool,
    beyond: impl Fn(usize) -> (f64, f64),
) -> Result<(), StepError> {
    for (i, block) in rows.blocks.iter().enumerate() {
        if !matches!(block.bound, RowBound::Push { .. }) || !held(i) {
            continue;
        }
        let (by, allowed) = beyond(block.row as usize);
        if by > allowed && drives_of(model, rows, block).next().is_some() {
            return Err(error(model, rows, block, t));
        }
    }
    Ok(())
}
