//! The nearest corners and edges of two cores that lie apart.

use crate::Vec3;
use crate::pair::PairSide;
use crate::polyhedron::PolyhedronView;
use crate::sat::{ContactSlab, PARALLEL};

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum NearestFeatures {
    Vertices(u32, u32),
    /// A corner of `side` and an edge of the other.
    VertexEdge {
        side: PairSide,
        vertex: u32,
        edge: u32,
    },
    Edges(u32, u32),
    /// Edges that cross at too small an angle to span a plane; the part of the way along the first.
    Middle {
        edges: [u32; 2],
        t: f64,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct NearestResult {
    pub features: NearestFeatures,
    pub distance: f64,
    /// From the second to the first, unit, in the axes of the first; arbitrary at distance 0.
    pub normal: Vec3,
}

/// The least distance between corners and edges. Faces are not considered: where a face is nearest, its axis has found
/// it. What is outside the slab of an axis is farther than anything of interest.
pub(crate) fn nearest(
    a: PolyhedronView,
    b: PolyhedronView,
    slab: impl Fn(f64) -> Option<ContactSlab>,
) -> NearestResult {
    let mut best = Best { square: f64::INFINITY, features: NearestFeatures::Vertices(0, 0), between: Vec3::Z };
    for (i, p) in a.v.iter().enumerate() {
        for (j, q) in b.v.iter().enumerate() {
            best.offer(*p - *q, NearestFeatures::Vertices(i as u32, j as u32));
        }
    }
    // Nothing farther than the nearest corners counts either.
    let slab = slab(best.square.sqrt());
    let counts = |side: PairSide, ends: [Vec3; 2]| match (&slab, side) {
        (None, _) => true,
        (Some(slab), PairSide::First) => slab.first(ends),
        (Some(slab), PairSide::Second) => slab.second(ends),
    };
    for (side, of, other) in [(PairSide::First, a, b), (PairSide::Second, b, a)] {
        for edge in 0..other.poly.edges.len() as u32 {
            let [q, w] = other.ends(edge);
            if !counts(side.other(), [q, w]) {
                continue;
            }
            let d = w - q;
            let scale = 1.0 / d.length_squared();
            for (i, p) in of.v.iter().enumerate() {
                let t = (*p - q).dot(d) * scale;
                if t > 0.0 && t < 1.0 {
                    let between = *p - (q + d * t);
                    let between = if side == PairSide::First { between } else { -between };
                    best.offer(between, NearestFeatures::VertexEdge { side, vertex: i as u32, edge });
                }
            }
        }
    }
    for ea in 0..a.poly.edges.len() as u32 {
        let [p, p1] = a.ends(ea);
        if !counts(PairSide::First, [p, p1]) {
            continue;
        }
        let d = p1 - p;
        let dd = d.length_squared();
        for eb in 0..b.poly.edges.len() as u32 {
            let [q, q1] = b.ends(eb);
            if !counts(PairSide::Second, [q, q1]) {
                continue;
            }
            let e = q1 - q;
            let ee = e.length_squared();
            let (w, de) = (p - q, d.dot(e));
            let cross = d.cross(e).length_squared();
            // Below this the lines are parallel but for rounding; their ends have been looked at.
            if !(cross > 1e-20 * dd * ee) {
                continue;
            }
            let (dw, ew) = (d.dot(w), e.dot(w));
            let s = (de * ew - ee * dw) / cross;
            let t = (dd * ew - de * dw) / cross;
            if s > 0.0 && s < 1.0 && t > 0.0 && t < 1.0 {
                let between = w + d * s - e * t;
                let features = if cross > PARALLEL * PARALLEL * dd * ee {
                    NearestFeatures::Edges(ea, eb)
                } else {
                    NearestFeatures::Middle { edges: [ea, eb], t: s }
                };
                best.offer(between, features);
            }
        }
    }
    let distance = best.square.sqrt();
    NearestResult { features: best.features, distance, normal: best.between / distance }
}

struct Best {
    square: f64,
    features: NearestFeatures,
    between: Vec3,
}

impl Best {
    /// Only what is nearer by more than rounding: the first of equals stays.
    fn offer(&mut self, between: Vec3, features: NearestFeatures) {
        let square = between.length_squared();
        if square < self.square * (1.0 - 1e-13) {
            *self = Best { square, features, between };
        }
    }
}
