//! Soft touches: a force law where a user wants softness, not a device of the solver.
//!
//! ```text
//! f = max(0, - k C - c dC/dt)        C: gap (below 0 where pressed in), u = dC/dt; k N/m, c N s/m of each touch
//! ```
//!
//! It never pulls. Where events are followed, f is a known force at every state; friction has the limit mu f. The touch
//! begins and ends where C passes 0, which is found as an event.
//!
//! Where time is stepped, C and u are those of the end of the step, C1 = C + h u1, so that no stiffness is too large
//! for a step. With the impulse p = h f:
//!
//! ```text
//! p = h max(0, - k (C + h u1) - c u1)      <=>      u1 + p / (h (h k + c)) + k C / (h k + c) >= 0,  p >= 0,  complementary
//! ```
//!
//! the problem of a rigid touch with `give` = 1 / (h (h k + c)) added to the answer of the row to its own push. For k
//! to infinity it is the rigid touch. Under f = m v pushes are forces: f = p / h, so that `give` is 1 / (h k + c).

use super::mode::{self, ContactMode, Slip};
use super::{Block, InequalityRows, RowBound};
use crate::math::Vec3;

/// How much a soft touch gives way to a force, beside what bodies do, (m/s)/N.
pub(crate) fn give(stiffness: f64, damping: f64, h: f64) -> f64 {
    1.0 / (h * stiffness + damping)
}

/// What the gap adds to the velocity of the row, m/s.
pub(crate) fn offset(stiffness: f64, damping: f64, h: f64, gap: f64) -> f64 {
    stiffness * gap * give(stiffness, damping, h)
}

/// Room for `give`, where any row is soft.
pub(crate) fn prepare(ineq: &InequalityRows, give: &mut Vec<f64>) {
    give.clear();
    if ineq.blocks.iter().any(|b| matches!(b.bound, RowBound::Soft { .. })) {
        give.resize(ineq.len(), 0.0);
    }
}

/// Normal force of a soft touch at the state of its rows, N.
pub(crate) fn normal_force(ineq: &InequalityRows, block: &Block) -> Option<f64> {
    let RowBound::Soft { stiffness, damping } = block.bound else { return None };
    let row = block.row as usize;
    Some((-stiffness * ineq.gap[row] - damping * ineq.rate[row]).max(0.0))
}

/// The soft touch whose normal row carries a friction block.
pub(crate) fn carrier<'a>(ineq: &'a InequalityRows, block: &Block) -> Option<&'a Block> {
    let (RowBound::Cone { normal, .. }, super::Origin::Touch(k)) = (block.bound, block.origin) else { return None };
    let touch = &ineq.touches[k as usize];
    let first = &ineq.blocks[touch.block as usize];
    (first.row == normal && matches!(first.bound, RowBound::Soft { .. })).then_some(first)
}

/// Forces of closed soft touches that are known from the state alone: normal ones, and friction of what slides, by row.
/// `way`: direction of a slip that began with another one.
pub(crate) fn known_forces(
    ineq: &InequalityRows,
    mode: &ContactMode,
    way: impl Fn(&Block, Vec3) -> Vec3,
    mut note: impl FnMut(usize, f64),
) {
    for block in &ineq.blocks {
        let Some(known) = mode.find(block.key, mode::part_of(block)) else { continue };
        if let Some(force) = normal_force(ineq, block) {
            note(block.row as usize, force);
        }
        let (Some(soft), Slip::Slide(before)) = (carrier(ineq, block), known.slip) else { continue };
        let (RowBound::Cone { sliding, .. }, Some(normal)) = (block.bound, normal_force(ineq, soft)) else { continue };
        let way = mode::to_rows(ineq, block, way(block, before));
        block.rows().enumerate().for_each(|(k, row)| note(row, -sliding * normal * way[k]));
    }
}

/// Has a soft touch passed the gap 0 without the mode knowing of it?
pub(crate) fn passes(ineq: &InequalityRows, mode: &ContactMode, tolerance: f64) -> bool {
    let mut soft = ineq.blocks.iter().filter(|b| matches!(b.bound, RowBound::Soft { .. }));
    soft.any(|b| {
        let gap = ineq.gap[b.row as usize];
        if mode.is_closed(b.key) { gap > tolerance } else { gap < -tolerance }
    })
}
