//! Half-spaces against everything with corners: each corner within reach is a candidate.

use crate::Vec3;
use crate::candidate::{FeatureKind, FeaturePair};
use crate::pair::{ColliderPair, PairSide};

/// The plane of a half-space, in the axes of its carrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContactPlane {
    pub o: Vec3,
    pub n: Vec3,
}

/// Adds the corners of the first collider above the plane of the second.
pub(crate) fn corners(pair: &mut ColliderPair, corners: &[Vec3], plane: &ContactPlane) {
    let n = pair.relative.turn * plane.n;
    let o = pair.relative.point(plane.o);
    let limit = pair.core_limit();
    for (v, p) in corners.iter().enumerate() {
        if n.dot(*p - o) <= limit {
            let features = FeaturePair::PointPlane { p: *p, o: plane.o, n: plane.n };
            pair.push(PairSide::First, FeatureKind::VertexFace, v as u32, 0, features);
        }
    }
}
