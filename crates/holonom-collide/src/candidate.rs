//! What detection gives: pairs of features that touch or may touch soon, and the gap of such a pair at any pose.
//!
//! Features are given in the axes of the carrier of their side, so a candidate outlives the pose at which it was found.
//! The normal always points from `b` to `a`: pushing `a` along it opens the gap.

use crate::{Mat3, RigidTransform, Vec3};

/// Two features of two colliders that touch, or are within reach of each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Candidate {
    /// Collider of the first feature. Less than `b` unless the features say otherwise (the point of a `PointPlane` is
    /// always on `a`).
    pub a: u32,
    /// Collider of the second feature.
    pub b: u32,
    /// Identity of the feature pair among all candidates of these two colliders; the same for as long as the same
    /// features touch.
    pub key: u64,
    /// The features.
    pub features: FeaturePair,
    /// Sum of the rounding radii of both sides, m.
    pub radius: f64,
    /// The part of `radius` that belongs to `a`, m.
    pub radius_a: f64,
}

impl Candidate {
    /// The order in which candidates come, and the name of one among all: lower collider, higher collider, key, side.
    pub fn order(&self) -> (u32, u32, u64, u32) {
        (self.a.min(self.b), self.a.max(self.b), self.key, self.a)
    }
}

/// A pair of features: the side of `a` first, then the side of `b`, each in the axes of its carrier, m.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FeaturePair {
    /// A point above a plane: gap = n.(p - o) - r.
    PointPlane {
        /// Core point, in `a`.
        p: Vec3,
        /// A point of the plane, in `b`.
        o: Vec3,
        /// Outward unit normal of the plane, in `b`.
        n: Vec3,
    },
    /// Two points: gap = |p - o| - r.
    PointPoint {
        /// Core point, in `a`.
        p: Vec3,
        /// Core point, in `b`.
        o: Vec3,
    },
    /// A point and a line: gap = distance of p from the line - r.
    PointLine {
        /// Core point, in `a`.
        p: Vec3,
        /// A point of the line, in `b`.
        o: Vec3,
        /// Unit direction of the line, in `b`.
        d: Vec3,
    },
    /// Two lines that cross: gap = signed distance - r.
    LineLine {
        /// A point of the first line, in `a`.
        p: Vec3,
        /// Unit direction of the first line, in `a`.
        d: Vec3,
        /// A point of the second line, in `b`.
        o: Vec3,
        /// Unit direction of the second line, in `b`.
        e: Vec3,
        /// From `b` to `a` in world axes at detection: which of the two normals of the lines is meant.
        outward: Vec3,
    },
    /// The lowest point of a circle above a plane: gap = n.(c - o) - rim sqrt(1 - (n.axis)^2) - r.
    RimPlane {
        /// Centre of the circle, in `a`.
        c: Vec3,
        /// Unit axis of the circle, in `a`.
        axis: Vec3,
        /// Radius of the circle, m.
        rim: f64,
        /// A point of the plane, in `b`.
        o: Vec3,
        /// Outward unit normal of the plane, in `b`.
        n: Vec3,
    },
    /// The lowest point of an ellipsoid above a plane: gap = n.(c - o) - sqrt(sum (n.h_i)^2) - r.
    EllipsoidPlane {
        /// Its middle, in `a`.
        c: Vec3,
        /// Its half axes h_i, in `a`: perpendicular to each other.
        half: [Vec3; 3],
        /// A point of the plane, in `b`.
        o: Vec3,
        /// Outward unit normal of the plane, in `b`.
        n: Vec3,
    },
}

/// How far apart the features of a candidate are at a pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Gap {
    /// Distance, negative when the shapes overlap, m.
    pub gap: f64,
    /// Unit normal in world axes, from `b` to `a`.
    pub normal: Vec3,
    /// Witness point in world axes: on the surface of `a`, m.
    pub point: Vec3,
}

/// The gap of a candidate when the carriers of its sides are at these poses.
pub fn gap(candidate: &Candidate, a: &RigidTransform, b: &RigidTransform) -> Gap {
    // From the carrier of a to that of b: differences of positions first, for the sake of places far from the origin.
    let apart = a.position - b.position;
    let (ra, rb) = (a.rotation, b.rotation);
    let (core, normal, arm) = match candidate.features {
        FeaturePair::PointPlane { p, o, n } => {
            let n = rb * n;
            let arm = ra * p;
            (n.dot(apart + (arm - rb * o)), n, arm)
        }
        FeaturePair::PointPoint { p, o } => {
            let arm = ra * p;
            let between = apart + (arm - rb * o);
            (between.length(), unit_or(between, Vec3::Z), arm)
        }
        FeaturePair::PointLine { p, o, d } => {
            let (arm, d) = (ra * p, rb * d);
            let between = apart + (arm - rb * o);
            let across = between - d * between.dot(d);
            (across.length(), unit_or(across, d.any_orthonormal_vector()), arm)
        }
        FeaturePair::LineLine { p, d, o, e, outward } => {
            let (arm, d, e) = (ra * p, ra * d, rb * e);
            let between = apart + (arm - rb * o);
            let cross = d.cross(e);
            let n = unit_or(cross, unit_or(outward, Vec3::Z));
            let n = if n.dot(outward) < 0.0 { -n } else { n };
            // Parameter of the point of the first line that is nearest to the second.
            let c = d.dot(e);
            let s = 1.0 - c * c;
            let along = if s > 0.0 { (c * between.dot(e) - between.dot(d)) / s } else { 0.0 };
            (n.dot(between), n, arm + d * along)
        }
        FeaturePair::RimPlane { c, axis, rim, o, n } => {
            let (n, axis) = (rb * n, ra * axis);
            let along = n.dot(axis);
            let down = axis * along - n; // in the plane of the circle, as steep as it goes
            let steep = down.length();
            let arm = ra * c;
            let lowest = arm + unit_or(down, axis.any_orthonormal_vector()) * rim;
            (n.dot(apart + (arm - rb * o)) - rim * steep, n, lowest)
        }
        FeaturePair::EllipsoidPlane { c, half, o, n } => {
            let n = rb * n;
            let mut scaled = Vec3::ZERO; // A^2 n
            let mut square = 0.0;
            for h in half {
                let h = ra * h;
                let along = h.dot(n);
                scaled += h * along;
                square += along * along;
            }
            let (arm, support) = (ra * c, square.sqrt());
            (n.dot(apart + (arm - rb * o)) - support, n, arm - scaled / support)
        }
    };
    Gap { gap: core - candidate.radius, normal, point: a.position + (arm - normal * candidate.radius_a) }
}

/// `v` normalised, or `other` where there is no direction.
pub(crate) fn unit_or(v: Vec3, other: Vec3) -> Vec3 {
    let length = v.length();
    if length > 0.0 && length.is_finite() { v / length } else { other }
}

/// What of a feature pair goes into its key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FeatureKind {
    /// A corner above a face.
    VertexFace = 0,
    /// An edge above the border of a face.
    Crossing = 1,
    /// A corner of the reference face, under the other's face.
    Under = 2,
    VertexEdge = 3,
    VertexVertex = 4,
    EdgeEdge = 5,
    /// A point inside an edge, above an edge that is nearly parallel.
    Middle = 6,
    /// The lowest point of a rim above a face.
    Rim = 7,
    /// A fixed point of a rim above a face.
    RimPoint = 8,
}

/// Packs kind, order of the sides and both features: bits 60..63 kind, 58 order, 29..57 first feature, 0..28 second.
pub(crate) fn key(kind: FeatureKind, swapped: bool, first: u32, second: u32) -> u64 {
    const MASK: u64 = (1 << 29) - 1;
    ((kind as u64) << 60) | (u64::from(swapped) << 58) | ((u64::from(first) & MASK) << 29) | (u64::from(second) & MASK)
}

/// Pose of the second carrier in the axes of the first: x_a = turn x_b + shift.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RelativePose {
    pub turn: Mat3,
    pub shift: Vec3,
}

impl RelativePose {
    pub fn between(a: &RigidTransform, b: &RigidTransform) -> RelativePose {
        let back = a.rotation.transpose();
        RelativePose { turn: back * b.rotation, shift: back * (b.position - a.position) }
    }

    pub fn point(&self, x: Vec3) -> Vec3 {
        self.turn * x + self.shift
    }

    /// From the axes of the first to those of the second.
    pub fn point_back(&self, x: Vec3) -> Vec3 {
        self.turn.transpose() * (x - self.shift)
    }
}
