//! Ellipsoids, cones, tubes and tori: shapes with a signed distance in closed form (or by one root), of any curvature.
//!
//! ```text
//! ellipsoid   y = A^2 (A^2 + t)^-1 x, t the root of |A (A^2 + t)^-1 x| = 1        nearest point; A = diag(half)
//! others      round about z: the distance of (r, z), r = sqrt(x^2 + y^2), from a profile in the half-plane:
//!             cone a triangle, tube a rectangle, torus a circle
//! ```
//!
//! Against planes, and above faces, everything is exact: the lowest point of an ellipsoid
//! ([`FeaturePair::EllipsoidPlane`]), the tip and the rim of a cone, the rims of a tube, the middle circle of a torus
//! with the radius of its tube ([`FeaturePair::RimPlane`]). Against corners and edges of convex cores (points and
//! segments with a radius among them: balls and capsules) the nearest point is exact to rounding at the pose of
//! detection, and is followed from there as a ball: the tube of a torus, the ball of the mean radius of curvature of an
//! ellipsoid; or as the plane that touches there, where the surface is hollow or straight. Tori meet all round shapes
//! so, ellipsoids each other. Gaps followed so are off by s^2 times half the difference of curvatures for motions s
//! along the surface; every step detects anew.

mod on_core;
mod on_round;
mod on_surface;
mod profile;

use crate::candidate::{FeatureKind, FeaturePair, unit_or};
use crate::cylinder::{EIGHTHS, FLAT, LEVEL, rounded};
use crate::pair::{ColliderPair, PairSide};
use crate::plane::ContactPlane;
use crate::{Mat3, RigidTransform, Vec3};

pub(crate) use on_core::on_poly;
pub(crate) use on_round::{known, of_cylinder, on_round};
pub(crate) use on_surface::on_surface;

/// The shape, in its own axes: round about z, or along the axes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RoundShape {
    Ellipsoid {
        half: Vec3,
    },
    /// Base around the origin, tip at z = height.
    Cone {
        radius: f64,
        height: f64,
    },
    Tube {
        inner: f64,
        outer: f64,
        half_length: f64,
    },
    Torus {
        ring: f64,
        tube: f64,
    },
}

/// Such a shape in the axes of its carrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Round {
    pub shape: RoundShape,
    pub place: RigidTransform,
}

/// How the surface goes on around a point of it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Local {
    /// As a ball of this radius, m: 0 at a tip or on a rim.
    Ball(f64),
    /// As the plane that touches it there, or as good as any.
    Plane,
}

/// The nearest point of a surface.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// Below 0 inside, m.
    pub distance: f64,
    /// The point of the surface.
    pub x: Vec3,
    /// Unit, outward: the direction in which the distance grows.
    pub n: Vec3,
    pub local: Local,
    /// Least radius of curvature there, m; 0 at corners and where nobody asks.
    pub bend: f64,
}

impl Round {
    /// A place in the carrier's axes in the shape's own.
    pub fn own(&self, x: Vec3) -> Vec3 {
        self.place.rotation.transpose() * (x - self.place.position)
    }

    /// Distance from the solid, in the shape's own axes.
    pub fn nearest(&self, x: Vec3) -> Nearest {
        match self.shape {
            RoundShape::Ellipsoid { half } => profile::ellipsoid(half, x),
            RoundShape::Cone { radius, height } => profile::cone(radius, height, x),
            RoundShape::Tube { inner, outer, half_length } => profile::tube(inner, outer, half_length, x),
            RoundShape::Torus { ring, tube } => profile::torus(ring, tube, x),
        }
    }

    /// Half the sides of the box around it along its axes, and the middle of that, in the carrier's axes, m.
    pub fn bound(&self) -> (Vec3, Vec3) {
        let (middle, half) = match self.shape {
            RoundShape::Ellipsoid { half } => (Vec3::ZERO, half),
            RoundShape::Cone { radius, height } => (Vec3::Z * (0.5 * height), Vec3::new(radius, radius, 0.5 * height)),
            RoundShape::Tube { outer, half_length, .. } => (Vec3::ZERO, Vec3::new(outer, outer, half_length)),
            RoundShape::Torus { ring, tube } => (Vec3::ZERO, Vec3::new(ring + tube, ring + tube, tube)),
        };
        (half, self.place.point(middle))
    }

    /// The circles of it that may touch a plane: height of the middle along z, radius, and radius of rounding, m.
    fn circles(&self) -> [Option<(f64, f64, f64)>; 2] {
        match self.shape {
            RoundShape::Ellipsoid { .. } => [None, None],
            RoundShape::Cone { radius, .. } => [Some((0.0, radius, 0.0)), None],
            RoundShape::Tube { outer, half_length, .. } => {
                [Some((-half_length, outer, 0.0)), Some((half_length, outer, 0.0))]
            }
            RoundShape::Torus { ring, tube } => [Some((0.0, ring, tube)), None],
        }
    }

    /// Where a ray from outside meets it: steps of the distance, which is never too far.
    pub fn ray(&self, o: Vec3, d: Vec3, most: f64) -> Option<(f64, Vec3)> {
        const STEPS: usize = 4000;
        let turn = self.place.rotation;
        let (o, d) = (self.own(o), turn.transpose() * d);
        if self.nearest(o).distance <= 0.0 {
            return Some((0.0, -(turn * d)));
        }
        let (half, _) = self.bound();
        let small = 4.0 * f64::EPSILON * (o.length() + half.length());
        let mut s = 0.0;
        for _ in 0..STEPS {
            let near = self.nearest(o + d * s);
            if near.distance <= small {
                return Some((s, turn * near.n));
            }
            s += near.distance;
            if s > most {
                return None;
            }
        }
        None
    }

    /// What of it is lowest above one plane, `face` of the other side: `o`, `n` the plane in the axes of the round
    /// shape's carrier, `native` in those of its own. `inside` tells which points are above the part that is there.
    /// Gives the least height noted.
    fn above(
        &self,
        pair: &mut ColliderPair,
        face: u32,
        (native, o, n): (ContactPlane, Vec3, Vec3),
        inside: &impl Fn(Vec3) -> bool,
    ) -> f64 {
        let limit = pair.core_limit();
        let (mut least, axes) = (f64::INFINITY, self.place.rotation);
        if let RoundShape::Ellipsoid { half } = self.shape {
            let own = axes.transpose() * n;
            let scaled = half * half * own;
            let lowest = self.place.position - axes * (scaled / (half * own).length());
            let height = n.dot(lowest - o);
            if height <= limit && inside(lowest) {
                let half = [axes.x_axis * half.x, axes.y_axis * half.y, axes.z_axis * half.z];
                let features = FeaturePair::EllipsoidPlane { c: self.place.position, half, o: native.o, n: native.n };
                pair.push(PairSide::First, FeatureKind::Rim, 0, face, features);
                least = height;
            }
        }
        if let RoundShape::Cone { height, .. } = self.shape {
            let tip = self.place.point(Vec3::Z * height);
            let up = n.dot(tip - o);
            if up <= limit && inside(tip) {
                let features = FeaturePair::PointPlane { p: tip, o: native.o, n: native.n };
                pair.push(PairSide::First, FeatureKind::VertexFace, 2, face, features);
                least = least.min(up);
            }
        }
        for (end, (z, rim, radius)) in self.circles().into_iter().enumerate().filter_map(|(k, c)| Some((k, c?))) {
            let c = self.place.point(Vec3::Z * z);
            rounded(pair, radius, 0.0, |pair| {
                least = least.min(circle_above(pair, (c, axes, rim, radius), end, face, (native, o, n), inside));
            });
        }
        least
    }
}

/// A circle about the z axis of `axes`, with a radius of rounding, above one plane. Gives the least height noted, of
/// the rounded circle.
fn circle_above(
    pair: &mut ColliderPair,
    (c, axes, rim, radius): (Vec3, Mat3, f64, f64),
    end: usize,
    face: u32,
    (native, o, n): (ContactPlane, Vec3, Vec3),
    inside: &impl Fn(Vec3) -> bool,
) -> f64 {
    let limit = pair.core_limit();
    let axis = axes.z_axis;
    let down = axis * axis.dot(n) - n; // in the plane of the circle, as steep as it goes
    let sine = down.length();
    let mut least = f64::INFINITY;
    if sine > LEVEL {
        let lowest = c + down * (rim / sine);
        let height = n.dot(lowest - o);
        if height <= limit && inside(lowest) {
            let features = FeaturePair::RimPlane { c, axis, rim, o: native.o, n: native.n };
            pair.push(PairSide::First, FeatureKind::Rim, end as u32, face, features);
            least = height - radius;
        }
    }
    if sine < FLAT {
        for (k, [cos, sin]) in EIGHTHS.into_iter().enumerate() {
            let x = c + (axes.x_axis * cos + axes.y_axis * sin) * rim;
            let height = n.dot(x - o);
            if height <= limit && inside(x) {
                let features = FeaturePair::PointPlane { p: x, o: native.o, n: native.n };
                pair.push(PairSide::First, FeatureKind::RimPoint, (8 * end + k) as u32, face, features);
                least = least.min(height - radius);
            }
        }
    }
    least
}

/// A round shape (first) above a half-space (second).
pub(crate) fn on_plane(pair: &mut ColliderPair, round: &Round, plane: &ContactPlane) {
    let (o, n) = (pair.relative.point(plane.o), pair.relative.turn * plane.n);
    round.above(pair, 0, (*plane, o, n), &|_| true);
}

/// The direction from the z axis to a point, and its distance from the axis.
fn from_axis(x: Vec3) -> (f64, Vec3) {
    let across = Vec3::new(x.x, x.y, 0.0);
    (across.length(), unit_or(across, Vec3::X))
}
