//! Stops and contacts that are driven on: joints and drives that leave a row no way to give.
//!
//! A unilateral row can be held only where it answers to its own force: r = G A^-1 G^T > 0 with the joints and drives
//! held. A speed drive on a hinge that has come to its stop leaves nothing: the stop's row is a combination of the
//! drive's, its response is zero, and whatever its force it goes on at the rate of the drive. Then no motion obeys
//! both, and the run ends with the names of both. What zero is, is told by the response without joints, which is at
//! least
//!
//! ```text
//! G M^-1 G^T >= (G G^T)^2 / (G M G^T)        (Cauchy and Schwarz)
//! ```

use super::solve::Joints;
use super::{Block, InequalityRows, Origin, RowBound};
use crate::error::StepError;
use crate::evaluate::energy;
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

/// Refuse what drives leave no way: of all unilateral rows that are `held`, one that goes on by more than it may and
/// has no answer to its own force. `beyond` tells by how much a row is beyond what its force should have seen to, and
/// how much of that is rounding. The equations at `q` are factored; what was solved for last stays in `kkt.x`.
pub(crate) fn refuse(
    rows: &InequalityRows,
    q: &[f64],
    joints: &mut Joints<'_>,
    held: impl Fn(usize) -> bool,
    beyond: impl Fn(&Block) -> (f64, f64),
) -> Result<(), StepError> {
    for (i, block) in rows.blocks.iter().enumerate() {
        if !matches!(block.bound, RowBound::Push { .. }) || !held(i) {
            continue;
        }
        let (by, allowed) = beyond(block);
        let model = joints.model;
        if by > allowed && drives_of(model, rows, block).next().is_some() && !answers(rows, block, q, joints)? {
            return Err(error(model, rows, block, joints.t));
        }
    }
    Ok(())
}

/// Does a row answer to its own force?
#[cold]
fn answers(rows: &InequalityRows, block: &Block, q: &[f64], joints: &mut Joints<'_>) -> Result<bool, StepError> {
    let (row, n) = (block.row as usize, joints.model.n_v());
    let kept = joints.kkt.x.clone();
    let mut push = vec![0.0; n];
    rows.push(row, 1.0, &mut push);
    joints.kkt.x.fill(0.0);
    joints.kkt.x[..n].copy_from_slice(&push);
    let solved = joints.solve();
    let response = rows.product(row, &joints.kkt.x);
    joints.kkt.x.copy_from_slice(&kept);
    solved?;
    let square: f64 = push.iter().map(|g| g * g).sum();
    let mut inertia = 0.0;
    energy::each_body(joints.model, q, &push, |_, e| inertia += 2.0 * e.kinetic);
    Ok(response * inertia > NO_ANSWER * square * square)
}

/// Part of its free response below which a row has none.
const NO_ANSWER: f64 = 1e-9;
