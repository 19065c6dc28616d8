//! Rims of cylinders that are a little in something: the direction that parts them best.
//!
//! Along a unit direction n from b to a two convex shapes are n . (S_a(-n) - S_b(n)) apart, S their support points; the
//! direction in which that is greatest tells how deep they overlap, and the plane across it through S_b parts them.
//! Where a rim crosses an edge, n is perpendicular to the edge: one angle is to be found.

use super::Cylinder;
use crate::Vec3;
use crate::candidate::unit_or;

/// Overlaps up to this part of the sizes are parted so; deeper ones along the axes of the shapes, which part them for
/// sure.
pub(super) const SHALLOW: f64 = 1e-3;
/// Less is a touch, and rounding decides which way.
pub(super) const TOUCHING: f64 = 1e-11;
const HALVINGS: usize = 54;

impl Cylinder {
    /// The point that is farthest along a direction, and the end it is at.
    pub(super) fn support(&self, d: Vec3) -> (Vec3, usize) {
        let along = self.axis().dot(d);
        let end = usize::from(along > 0.0);
        (self.end(end) + unit_or(d - self.axis() * along, self.axes.x_axis) * self.radius, end)
    }
}

/// The direction between two unit directions, both perpendicular to an edge through `q`, in which a cylinder is
/// farthest from the edge. As n turns, the distance n . (S - q) changes at the rate n' . (S - q): halving by its sign.
pub(super) fn about_edge(own: &Cylinder, q: Vec3, from: Vec3, to: Vec3) -> Vec3 {
    let at = |t: f64| unit_or(from * (1.0 - t) + to * t, from);
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        let n = at(middle);
        let onward = to - from;
        let turning = onward - n * n.dot(onward);
        if turning.dot(own.support(-n).0 - q) > 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    at(0.5 * (low + high))
}
