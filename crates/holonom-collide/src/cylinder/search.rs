//! Nearest points found by search: of a rim, and along a segment. Halving the interval by the sign of the slope, so to
//! the last digit.

use super::Cylinder;
use crate::Vec3;
use crate::candidate::unit_or;
use crate::clip::within;
use crate::nearest::nearest;
use crate::polyhedron::{Polyhedron, PolyhedronView};

/// The point of a segment that is nearest to a cylinder, or deepest in it: distance is convex along the segment.
pub(super) fn deepest_along(own: &Cylinder, [from, to]: [Vec3; 2]) -> Vec3 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..56 {
        let middle = 0.5 * (low + high);
        if own.distance(from + (to - from) * middle).1.dot(to - from) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    from + (to - from) * (0.5 * (low + high))
}

/// Distance of a point from a convex core, below 0 inside, and the unit direction in which it grows.
pub(super) fn point_distance(view: PolyhedronView, x: Vec3) -> (f64, Vec3) {
    let mut best = (f64::NEG_INFINITY, 0);
    for (face, n) in view.n.iter().enumerate() {
        let height = n.dot(x - view.on(face as u32));
        if height > best.0 {
            best = (height, face as u32);
        }
    }
    if !view.n.is_empty() && (best.0 <= 0.0 || within(view, best.1, x, 0.0)) {
        return (best.0, view.n[best.1 as usize]);
    }
    let (v, point) = ([x], Polyhedron::default());
    let near = nearest(PolyhedronView { poly: &point, v: &v, n: &[] }, view, |_| None);
    (near.distance, unit_or(near.normal, Vec3::Z))
}

/// A point of a rim, its distance from something, and the unit direction in which that grows.
pub(super) struct RimPoint {
    pub x: Vec3,
    pub distance: f64,
    pub normal: Vec3,
}

/// The point of either rim with the least distance by `far`: the best of some samples, then the place between its
/// neighbours where the distance stops falling.
pub(super) fn nearest_rim_point(own: &Cylinder, far: impl Fn(Vec3) -> (f64, Vec3)) -> RimPoint {
    const SAMPLES: usize = 32;
    let mut best = RimPoint { x: Vec3::ZERO, distance: f64::INFINITY, normal: Vec3::Z };
    for end in 0..2 {
        let at = |angle: f64| own.rim_point(end, [libm::cos(angle), libm::sin(angle)]);
        let falls = |angle: f64| {
            let onward = own.axes.y_axis * libm::cos(angle) - own.axes.x_axis * libm::sin(angle);
            far(at(angle)).1.dot(onward) < 0.0
        };
        let step = 2.0 * std::f64::consts::PI / SAMPLES as f64;
        let mut first = (0, f64::INFINITY);
        for k in 0..SAMPLES {
            let distance = far(at(step * k as f64)).0;
            if distance < first.1 {
                first = (k, distance);
            }
        }
        let (mut low, mut high) = (step * (first.0 as f64 - 1.0), step * (first.0 as f64 + 1.0));
        for _ in 0..56 {
            let middle = 0.5 * (low + high);
            if falls(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        let x = at(0.5 * (low + high));
        let (distance, normal) = far(x);
        if distance < best.distance {
            best = RimPoint { x, distance, normal };
        }
    }
    best
}
