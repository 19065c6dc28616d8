//! What pushed in a step or in a blow, for those who keep a log of events.

use super::mode;
use super::{InequalityRows, Origin, RowBound};
use crate::math::Vec3;
use crate::model::warm_start::Key;

/// A touch, stop or rope that pushed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Blow {
    pub key: Key,
    /// Where, world (m); touches only.
    pub point: Option<Vec3>,
    /// On the first body of a touch, world, N s; of a stop or rope (impulse of its row, 0, 0).
    pub impulse: Vec3,
    /// Speed of approach before, m/s or rad/s.
    pub speed: f64,
}

/// Where a touch is, and what the multipliers `x` of its rows come to, world.
pub(crate) fn of_touch(ineq: &InequalityRows, touch: u32, x: &[f64]) -> (Vec3, Vec3) {
    let touch = &ineq.touches[touch as usize];
    let mut push = Vec3::ZERO;
    for block in &ineq.blocks[touch.block as usize..(touch.block + touch.n_blocks) as usize] {
        match block.bound {
            RowBound::Cone { spin: false, .. } => push += mode::in_world(ineq, block, |row| x[row]),
            RowBound::Cone { .. } => {}
            _ => push += touch.now.n * x[block.row as usize],
        }
    }
    (touch.now.point, push)
}

/// Everything that pushes with the multipliers `x` (impulses) and is `wanted`, by row.
pub(crate) fn note(ineq: &InequalityRows, x: &[f64], wanted: impl Fn(usize) -> bool, mut out: impl FnMut(Blow)) {
    let pushes = |b: &&super::Block| matches!(b.bound, RowBound::Push { .. } | RowBound::Soft { .. });
    for block in ineq.blocks.iter().filter(pushes).filter(|b| wanted(b.row as usize)) {
        let row = block.row as usize;
        let (point, impulse) = match block.origin {
            Origin::Touch(k) => {
                let (point, push) = of_touch(ineq, k, x);
                (Some(point), push)
            }
            Origin::Joint(_) => (None, Vec3::X * x[row]),
        };
        out(Blow { key: block.key, point, impulse, speed: (-ineq.rate[row]).max(0.0) });
    }
}
