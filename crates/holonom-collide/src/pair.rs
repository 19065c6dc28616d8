//! One pair of colliders under test: their indices, relative pose, and where candidates go.

use crate::candidate::{Candidate, FeatureKind, FeaturePair, RelativePose, key};
use crate::{Mat3, Vec3};

/// Which side of the pair a feature belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairSide {
    First,
    Second,
}

impl PairSide {
    pub fn other(self) -> PairSide {
        match self {
            PairSide::First => PairSide::Second,
            PairSide::Second => PairSide::First,
        }
    }
}

pub(crate) struct ColliderPair<'a> {
    /// Collider indices.
    pub indices: [u32; 2],
    /// Rounding radii, m.
    pub radii: [f64; 2],
    /// The second in the axes of the first.
    pub relative: RelativePose,
    /// Axes of the first carrier in the world.
    pub world: Mat3,
    /// Greatest gap of interest, m.
    pub limit: f64,
    pub out: &'a mut Vec<Candidate>,
}

impl ColliderPair<'_> {
    /// Sum of the radii, m.
    pub fn radius(&self) -> f64 {
        self.radii[0] + self.radii[1]
    }

    /// Greatest distance of cores of interest, m.
    pub fn core_limit(&self) -> f64 {
        self.limit + self.radius()
    }

    /// Adds a candidate whose first feature is on `side`. Ids are features of `side` and of the other.
    pub fn push(&mut self, side: PairSide, kind: FeatureKind, id: u32, other: u32, features: FeaturePair) {
        let swapped = side == PairSide::Second;
        let (i, j) = if swapped { (1, 0) } else { (0, 1) };
        // The order in the key is that of the collider indices, whichever side was looked at first.
        let key = key(kind, self.indices[i] > self.indices[j], id, other);
        self.out.push(Candidate {
            a: self.indices[i],
            b: self.indices[j],
            key,
            features,
            radius: self.radius(),
            radius_a: self.radii[i],
        });
    }

    /// Removes candidates that were added twice from `start` on.
    pub fn only_once(&mut self, start: usize) {
        let out = &mut *self.out;
        out[start..].sort_by_key(|c| (c.key, c.a));
        let mut kept = start;
        for i in start..out.len() {
            if i == start || (out[i].key, out[i].a) != (out[kept - 1].key, out[kept - 1].a) {
                out[kept] = out[i];
                kept += 1;
            }
        }
        out.truncate(kept);
    }

    /// Axes of the first carrier to those of `side`.
    pub fn to_side(&self, side: PairSide, x: Vec3) -> Vec3 {
        match side {
            PairSide::First => x,
            PairSide::Second => self.relative.point_back(x),
        }
    }
}
