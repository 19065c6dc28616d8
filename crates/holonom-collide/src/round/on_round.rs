//! Round shapes and round shapes.
//!
//! A torus is its middle circle with a radius: the places of the circle at which the distance from the other shape is
//! least, whatever that is. Two ellipsoids: the least distance d_B from the second over the first, by projected steps
//!
//! ```text
//! x <- the point of A nearest to x - (d + rho) n,        n, d the normal and distance of B at x, rho its least radius of curvature there
//! ```
//!
//! which is the gradient step of a convex function with the inverse of its greatest curvature, 1 / (d + rho): it does
//! not overshoot, and contracts by 1 - rho / (greatest radius) at least.

use super::on_core::{PARTS, least_places};
use super::{Local, Nearest, Round, RoundShape};
use crate::RigidTransform;
use crate::Vec3;
use crate::candidate::{FeatureKind, FeaturePair};
use crate::cylinder::{Cylinder, rounded};
use crate::pair::{ColliderPair, PairSide};

/// Steps of two ellipsoids towards each other.
const STEPS: usize = 2000;

/// Whether two round shapes are known as a pair.
pub(crate) fn known(a: &Round, b: &Round) -> bool {
    let torus = |r: &Round| matches!(r.shape, RoundShape::Torus { .. });
    let ellipsoid = |r: &Round| matches!(r.shape, RoundShape::Ellipsoid { .. });
    torus(a) || torus(b) || (ellipsoid(a) && ellipsoid(b))
}

/// A cylinder is a tube whose hole is less than nothing.
pub(crate) fn of_cylinder(c: &Cylinder) -> Round {
    let shape = RoundShape::Tube { inner: -c.radius, outer: c.radius, half_length: c.half_length };
    Round { shape, place: RigidTransform { position: c.centre, rotation: c.axes } }
}

/// Two round shapes.
pub(crate) fn on_round(pair: &mut ColliderPair, first: &Round, second: &Round) {
    match (first.shape, second.shape) {
        (RoundShape::Torus { ring, tube }, _) => circle(pair, PairSide::First, (ring, tube), first, second),
        (_, RoundShape::Torus { ring, tube }) => circle(pair, PairSide::Second, (ring, tube), second, first),
        (RoundShape::Ellipsoid { .. }, RoundShape::Ellipsoid { .. }) => ellipsoids(pair, first, second),
        _ => {}
    }
}

/// A torus on `side` and another shape.
fn circle(pair: &mut ColliderPair, side: PairSide, (ring, tube): (f64, f64), own: &Round, other: &Round) {
    let relative = pair.relative;
    // from the carrier of the torus to that of the other
    let (across, turn) = match side {
        PairSide::First => (relative.point_back(Vec3::ZERO), relative.turn.transpose()),
        PairSide::Second => (relative.shift, relative.turn),
    };
    let at = |s: f64| {
        let (sin, cos) = libm::sincos(2.0 * std::f64::consts::PI * s);
        (Vec3::new(cos, sin, 0.0) * ring, Vec3::new(-sin, cos, 0.0))
    };
    let into = other.place.rotation.transpose() * turn * own.place.rotation;
    let seen = |x: Vec3| other.own(turn * own.place.point(x) + across);
    let slope = |s: f64| {
        let (x, onward) = at(s);
        other.nearest(seen(x)).n.dot(into * onward)
    };
    let limit = pair.core_limit();
    let mut found = [0.0; 16];
    let mut count = 0;
    least_places(4 * PARTS, true, slope, |s| {
        if count < found.len() {
            (found[count], count) = (s, count + 1);
        }
    });
    for (k, s) in found[..count].iter().enumerate() {
        let (x, _) = at(*s);
        let near = other.nearest(seen(x));
        if near.distance - tube <= limit {
            note(pair, side, (own.place.point(x), tube), &near, other, (FeatureKind::RimPoint, k as u32));
        }
    }
}

/// A ball of `side` (its middle in the axes of its carrier, and its radius) beside the nearest point of the other
/// shape.
fn note(
    pair: &mut ColliderPair,
    side: PairSide,
    (p, radius): (Vec3, f64),
    near: &Nearest,
    other: &Round,
    (kind, id): (FeatureKind, u32),
) {
    let (features, bend) = match near.local {
        Local::Ball(bend) if bend > 0.0 || near.distance > 0.0 => {
            (FeaturePair::PointPoint { p, o: other.place.point(near.x - near.n * bend) }, bend)
        }
        _ => {
            let (o, n) = (other.place.point(near.x), other.place.rotation * near.n);
            (FeaturePair::PointPlane { p, o, n }, 0.0)
        }
    };
    let radii = if side == PairSide::First { (radius, bend) } else { (bend, radius) };
    rounded(pair, radii.0, radii.1, |pair| pair.push(side, kind, id, 0, features));
}

fn ellipsoids(pair: &mut ColliderPair, first: &Round, second: &Round) {
    let relative = pair.relative;
    let seen = |x: Vec3| second.own(relative.point_back(first.place.point(x)));
    // from the own axes of the second to those of the first
    let turn = first.place.rotation.transpose() * relative.turn * second.place.rotation;
    let (half, _) = first.bound();
    let small = 1e-15 * half.length();
    let middle = first.own(relative.point(second.place.position));
    let mut own = first.nearest(middle);
    let mut near = second.nearest(seen(own.x));
    for _ in 0..STEPS {
        let step = (near.distance + near.bend).max(0.1 * near.bend);
        let next = first.nearest(own.x - turn * near.n * step);
        let moved = (next.x - own.x).length();
        own = next;
        near = second.nearest(seen(own.x));
        if moved <= small {
            break;
        }
    }
    let Local::Ball(radius) = own.local else { return };
    if near.distance <= pair.core_limit() {
        let p = first.place.point(own.x - own.n * radius);
        note(pair, PairSide::First, (p, radius), &near, second, (FeatureKind::VertexVertex, 0));
    }
}
