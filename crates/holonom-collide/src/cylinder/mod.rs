//! Cylinders: rims above planes, caps, sides as lines with a radius.
//!
//! Against a plane the lowest point of a rim counts ([`FeaturePair::RimPlane`]); nearly flat (sine below `FLAT`), eight
//! fixed points of the rim as well, so that what stands is held all around; flatter than `LEVEL` the lowest point has
//! no place, and only the fixed ones are left. A side is its axis with the radius of the cylinder. Where a rim is
//! nearest to an edge, a corner or a round side there is no feature pair of its own kind: the nearest point of the rim
//! is found by search and meets as a point.

mod convex_core;
mod cylinder_pair;
mod parting;
mod search;
mod terrain;

use crate::candidate::{FeatureKind, FeaturePair, unit_or};
use crate::pair::{ColliderPair, PairSide};
use crate::plane::ContactPlane;
use crate::polyhedron::Polyhedron;
use crate::{Mat3, RigidTransform, Vec3};

pub(crate) use convex_core::on_poly;
pub(crate) use cylinder_pair::on_cylinder;
pub(crate) use terrain::on_surface;

pub(crate) const FLAT: f64 = 0.01;
pub(crate) const LEVEL: f64 = 1e-6;
/// Equally deep below cap and side, in parts of the radius: the choice must not flicker.
const TIE: f64 = 1e-9;

/// Fixed points of a rim: cosine and sine of multiples of an eighth of a turn.
pub(crate) const EIGHTHS: [[f64; 2]; 8] = {
    const H: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [[1.0, 0.0], [H, H], [0.0, 1.0], [-H, H], [-1.0, 0.0], [-H, -H], [0.0, -1.0], [H, -H]]
};

/// A cylinder in the axes of its carrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cylinder {
    pub centre: Vec3,
    /// Its z is the axis.
    pub axes: Mat3,
    pub radius: f64,
    pub half_length: f64,
}

impl Cylinder {
    pub fn new(place: &RigidTransform, radius: f64, half_length: f64) -> Cylinder {
        Cylinder { centre: place.position, axes: place.rotation, radius, half_length }
    }

    fn axis(&self) -> Vec3 {
        self.axes.z_axis
    }

    /// Centre of end 0 (below) or 1 (above).
    fn end(&self, end: usize) -> Vec3 {
        self.centre + self.axis() * (self.out(end) * self.half_length)
    }

    fn out(&self, end: usize) -> f64 {
        if end == 0 { -1.0 } else { 1.0 }
    }

    fn rim_point(&self, end: usize, [cos, sin]: [f64; 2]) -> Vec3 {
        self.end(end) + (self.axes.x_axis * cos + self.axes.y_axis * sin) * self.radius
    }

    /// How far it goes from its centre along a unit direction, m.
    fn extent(&self, n: Vec3) -> f64 {
        let along = self.axis().dot(n);
        along.abs() * self.half_length + self.radius * (n - self.axis() * along).length()
    }

    /// The same cylinder in other axes.
    fn seen(&self, turn: Mat3, shift: Vec3) -> Cylinder {
        Cylinder { centre: turn * self.centre + shift, axes: turn * self.axes, ..*self }
    }

    /// Distance of a point from the solid, below 0 inside, and the unit direction in which it grows.
    fn distance(&self, x: Vec3) -> (f64, Vec3) {
        self.distance_by(x, 0.0)
    }

    /// The same; equally deep (to `tie`, m) below cap and side, the cap is meant.
    fn distance_by(&self, x: Vec3, tie: f64) -> (f64, Vec3) {
        let arm = x - self.centre;
        let along = arm.dot(self.axis());
        let across = arm - self.axis() * along;
        let (over, beside) = (along.abs() - self.half_length, across.length() - self.radius);
        let (up, out) = (self.axis() * along.signum(), unit_or(across, self.axes.x_axis));
        if over > 0.0 && beside > 0.0 {
            let distance = (over * over + beside * beside).sqrt();
            (distance, (up * over + out * beside) / distance)
        } else if over > beside - tie {
            (over.max(beside), up)
        } else {
            (beside, out)
        }
    }
}

/// What is above one plane: `inside` tells which points are above the part of it that is there. Gives the least height
/// noted.
fn rims_above(
    pair: &mut ColliderPair,
    side: PairSide,
    own: &Cylinder,
    seen: &Cylinder,
    face: u32,
    (native, o, n): (ContactPlane, Vec3, Vec3),
    inside: impl Fn(Vec3) -> bool,
) -> f64 {
    let limit = pair.core_limit();
    let axis = seen.axis();
    let down = axis * axis.dot(n) - n;
    let sine = down.length();
    let mut least = f64::INFINITY;
    for end in 0..2 {
        if sine > LEVEL {
            let lowest = seen.end(end) + down * (seen.radius / sine);
            let height = n.dot(lowest - o);
            if height <= limit && inside(lowest) {
                let (c, axis, rim) = (own.end(end), own.axis(), own.radius);
                let features = FeaturePair::RimPlane { c, axis, rim, o: native.o, n: native.n };
                pair.push(side, FeatureKind::Rim, end as u32, face, features);
                least = least.min(height);
            }
        }
        if sine < FLAT {
            for (k, eighth) in EIGHTHS.into_iter().enumerate() {
                let x = seen.rim_point(end, eighth);
                let height = n.dot(x - o);
                if height <= limit && inside(x) {
                    let features = FeaturePair::PointPlane { p: own.rim_point(end, eighth), o: native.o, n: native.n };
                    pair.push(side, FeatureKind::RimPoint, (8 * end + k) as u32, face, features);
                    least = least.min(height);
                }
            }
        }
    }
    least
}

/// A cylinder (first) above a half-space (second).
pub(crate) fn on_plane(pair: &mut ColliderPair, cylinder: &Cylinder, plane: &ContactPlane) {
    let (o, n) = (pair.relative.point(plane.o), pair.relative.turn * plane.n);
    rims_above(pair, PairSide::First, cylinder, cylinder, 0, (*plane, o, n), |_| true);
}

/// Scratch memory, reused between calls.
#[derive(Default)]
pub(crate) struct CylinderScratch {
    pub(crate) vertices: Vec<Vec3>,
    pub(crate) normals: Vec<Vec3>,
    point: Polyhedron,
    pub(crate) stack: Vec<u32>,
    pub(crate) triangles: Vec<u32>,
    pub(crate) features: Vec<u32>,
    by_distance: Vec<(f64, u32)>,
}

/// Notes something with the radius of a side (or both) in addition.
pub(crate) fn rounded(pair: &mut ColliderPair, first: f64, second: f64, note: impl FnOnce(&mut ColliderPair)) {
    let radii = pair.radii;
    pair.radii = [radii[0] + first, radii[1] + second];
    note(pair);
    pair.radii = radii;
}

/// A point of `side` beside a cylinder of the other side. `p` is its place in its own axes, `x` in those `seen` is
/// given in.
fn point_on(pair: &mut ColliderPair, side: PairSide, p: Vec3, x: Vec3, native: &Cylinder, seen: &Cylinder) {
    let arm = x - seen.centre;
    let along = arm.dot(seen.axis());
    let across = arm - seen.axis() * along;
    let (over, beside) = (along.abs() - seen.half_length, across.length() - seen.radius);
    let end = usize::from(along > 0.0);
    if over.max(beside) <= 0.0 && beside > over + TIE * seen.radius {
        // Inside, and nearest to the side.
        side_point(pair, side, p, native);
    } else if beside <= 0.0 {
        let features = FeaturePair::PointPlane { p, o: native.end(end), n: native.axis() * native.out(end) };
        pair.push(side, FeatureKind::VertexFace, 0, end as u32, features);
    } else if over <= 0.0 {
        side_point(pair, side, p, native);
    } else {
        // NearestResult on the rim: in native axes by components along the seen ones.
        let u = across / across.length();
        let o = native.rim_point(end, [u.dot(seen.axes.x_axis), u.dot(seen.axes.y_axis)]);
        pair.push(side, FeatureKind::VertexVertex, 0, end as u32, FeaturePair::PointPoint { p, o });
    }
}

fn side_point(pair: &mut ColliderPair, side: PairSide, p: Vec3, native: &Cylinder) {
    let features = FeaturePair::PointLine { p, o: native.centre, d: native.axis() };
    let radii = if side == PairSide::First { (0.0, native.radius) } else { (native.radius, 0.0) };
    rounded(pair, radii.0, radii.1, |pair| pair.push(side, FeatureKind::VertexEdge, 2, 0, features));
}
