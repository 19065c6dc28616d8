//! Who touches whom and how, as long as nothing changes: closed or open, sticking or slipping and which way.
//!
//! Between events a mode is fixed and the motion is smooth. [`judge`] reads the mode off a state: closed is what
//! neither has a gap nor separates, sticking is what does not slip; what is closed and sticking may turn out to
//! separate or to slip when the forces are solved for.

use super::{Block, InequalityRows, RowBound};
use crate::catalogue::joints::Level;
use crate::math::Vec3;
use crate::model::Model;
use crate::model::warm_start::Key;

/// How a closed block moves along.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Slip {
    /// Not at all.
    Stick,
    /// This way, where it last was clear: world axes for touches; for joints the sign is in x.
    Slide(Vec3),
}

/// A block that is closed, or (friction in joints, resistance of touches) moves in one of these ways. `part` tells
/// blocks with the same key apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Closed {
    pub key: Key,
    pub part: u32,
    pub slip: Slip,
}

/// ContactMode of all inequality rows, sorted by key and part. Unilateral rows that are not in it are open.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ContactMode {
    pub closed: Vec<Closed>,
}

impl ContactMode {
    pub fn find(&self, key: Key, part: u32) -> Option<&Closed> {
        let at = self.closed.binary_search_by(|c| (c.key, c.part).cmp(&(key, part))).ok()?;
        Some(&self.closed[at])
    }

    pub fn set(&mut self, key: Key, part: u32, slip: Slip) {
        match self.closed.binary_search_by(|c| (c.key, c.part).cmp(&(key, part))) {
            Ok(at) => self.closed[at].slip = slip,
            Err(at) => self.closed.insert(at, Closed { key, part, slip }),
        }
    }

    /// Forget a touch or a stop altogether.
    pub fn open(&mut self, key: Key) {
        self.closed.retain(|c| c.key != key);
    }

    pub fn is_closed(&self, key: Key) -> bool {
        self.find(key, 0).is_some()
    }
}

/// Which of the blocks with the same key a block is: 0 normal (or the only one), 1 slip, 2 turning about the normal, 3
/// rolling.
pub(crate) fn part_of(block: &Block) -> u32 {
    match block.bound {
        RowBound::Cone { spin: false, .. } => 1,
        RowBound::Cone { spin: true, .. } if block.n == 1 => 2,
        RowBound::Cone { .. } => 3,
        _ => 0,
    }
}

/// Does the block's mode have a slip?
pub(crate) fn may_slip(block: &Block) -> bool {
    block.level == Level::Velocity
}

/// Sizes below which a state counts as touching, resting and sticking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerances {
    /// m or rad.
    pub gap: f64,
    /// m/s or rad/s.
    pub rate: f64,
}

impl Tolerances {
    pub fn of(model: &Model) -> Self {
        let size = model.contact_scale();
        let g = model.gravity.length();
        let rate = if g > 0.0 { (g * size).sqrt() } else { size };
        Tolerances { gap: 1e-9 * size, rate: 1e-7 * rate }
    }
}

/// Velocity of a block with axes in the world: of touches a vector in the plane of contact, of joints (rate, 0, 0).
pub(crate) fn slip_of(ineq: &InequalityRows, block: &Block) -> Vec3 {
    in_world(ineq, block, |row| ineq.rate[row])
}

/// Numbers per row as a vector in the world.
pub(crate) fn in_world(ineq: &InequalityRows, block: &Block, number: impl Fn(usize) -> f64) -> Vec3 {
    let first = block.row as usize;
    match (block.origin, block.n) {
        (super::Origin::Touch(k), 2) => {
            let t = ineq.touches[k as usize].tangents;
            t[0] * number(first) + t[1] * number(first + 1)
        }
        _ => {
            let mut out = Vec3::ZERO;
            (0..block.n as usize).for_each(|i| out[i] = number(first + i));
            out
        }
    }
}

/// The rows of a block along a vector in the world: the inverse of [`in_world`].
pub(crate) fn to_rows(ineq: &InequalityRows, block: &Block, x: Vec3) -> [f64; 3] {
    match (block.origin, block.n) {
        (super::Origin::Touch(k), 2) => {
            let t = ineq.touches[k as usize].tangents;
            [t[0].dot(x), t[1].dot(x), 0.0]
        }
        _ => x.to_array(),
    }
}

/// The mode of a state whose inequality rows are gathered.
pub(crate) fn judge(ineq: &InequalityRows, tolerances: Tolerances, mode: &mut ContactMode) {
    mode.closed.clear();
    for block in &ineq.blocks {
        let closed = match block.bound {
            RowBound::Push { .. } => {
                ineq.gap[block.row as usize] <= tolerances.gap && ineq.rate[block.row as usize] <= tolerances.rate
            }
            RowBound::Soft { .. } => ineq.gap[block.row as usize] <= tolerances.gap,
            RowBound::Cone { .. } => mode.is_closed(block.key),
            _ => true,
        };
        if closed {
            let u = slip_of(ineq, block);
            let slip =
                if may_slip(block) && u.length() > tolerances.rate { Slip::Slide(u.normalize()) } else { Slip::Stick };
            mode.set(block.key, part_of(block), slip);
        }
    }
}
