//! Which pairs are near enough to be looked at: world-aligned bounds, sorted along the longest axis of the scene and swept.
//!
//! The order of the sweep is kept between calls only because sorting what is nearly sorted is quick; the result does not depend on it.

use crate::{Mat3, Vec3};

/// A box around a shape, in the axes of its carrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bound {
    pub centre: Vec3,
    pub axes: Mat3,
    pub half: Vec3,
}

/// A box along the axes of the world.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Extent {
    pub low: Vec3,
    pub high: Vec3,
}

impl Extent {
    pub fn overlaps(&self, other: &Extent) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

#[derive(Default)]
pub(crate) struct Sweep {
    order: Vec<u32>,
}

impl Sweep {
    /// Calls `near` with every pair of overlapping extents, in no particular order.
    pub fn pairs(&mut self, extents: &[Extent], mut near: impl FnMut(u32, u32)) {
        if self.order.len() != extents.len() {
            self.order.clear();
            self.order.extend(0..extents.len() as u32);
        }
        let axis = widest(extents);
        let low = |i: u32| extents[i as usize].low[axis];
        self.order.sort_by(|&i, &j| low(i).total_cmp(&low(j)).then(i.cmp(&j)));
        for (k, &i) in self.order.iter().enumerate() {
            let end = extents[i as usize].high[axis];
            for &j in &self.order[k + 1..] {
                // Not `>`: what is not a number ends the sweep too.
                if !(low(j) <= end) {
                    break;
                }
                if extents[i as usize].overlaps(&extents[j as usize]) {
                    near(i.min(j), i.max(j));
                }
            }
        }
    }
}

/// The axis along which the scene is spread the most.
fn widest(extents: &[Extent]) -> usize {
    let mean = extents.iter().map(|e| e.low).sum::<Vec3>() / extents.len().max(1) as f64;
    let spread = extents.iter().fold(Vec3::ZERO, |s, e| s + (e.low - mean) * (e.low - mean));
    if spread.x >= spread.y && spread.x >= spread.z {
        0
    } else if spread.y >= spread.z {
        1
    } else {
        2
    }
}
