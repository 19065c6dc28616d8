//! What of one core lies above a face of the other: the nearest face (or segment, or point) cut to the outline of the
//! face.
//!
//! Each corner of what is left knows where it comes from, which gives its key: a corner of the upper core, a place
//! where an edge of it leaves the outline, or a corner of the outline with the upper face above it.

use crate::Vec3;
use crate::polyhedron::{NONE, PolyhedronView};

/// Where a corner of the cut polygon comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum ClipOrigin {
    /// A corner of the upper core.
    Vertex(u32),
    /// Where an edge of the upper core (part `t` of its way) crosses a side of the outline, given by its edge.
    Crossing { edge: u32, t: f64, side: u32 },
    /// A corner of the outline.
    ClipVertex(u32),
}

/// A corner of the cut polygon, in the axes of the first carrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ClipVertex {
    pub x: Vec3,
    pub origin: ClipOrigin,
    /// What the line from here to the next corner belongs to.
    line: Line,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Line {
    /// An edge of the upper core.
    Edge(u32),
    /// Side k of the outline.
    PairSide(usize),
    Nothing,
}

#[derive(Default)]
pub(crate) struct Clip {
    pub corners: Vec<ClipVertex>,
    next: Vec<ClipVertex>,
    signed: Vec<f64>,
    /// Face of the upper core that was cut, or `NONE`.
    pub upper: u32,
}

impl Clip {
    /// Cuts what of `upper` looks at `face` of `lower`; corners within `slack` (m) outside of the outline count as
    /// inside.
    pub fn cut(&mut self, lower: PolyhedronView, face: u32, upper: PolyhedronView, slack: f64, tie: f64) {
        let n = lower.n[face as usize];
        let o = lower.on(face);
        self.corners.clear();
        let (lowest, _) = support(upper, n, o, tie);
        self.upper = facing(upper, n, lowest);
        if self.upper != NONE {
            let (ring, sides) = (upper.poly.ring(self.upper), upper.poly.sides(self.upper));
            for (&v, &e) in ring.iter().zip(sides) {
                self.corners.push(ClipVertex {
                    x: upper.v[v as usize],
                    origin: ClipOrigin::Vertex(v),
                    line: Line::Edge(e),
                });
            }
        } else {
            let line = if upper.poly.edges.is_empty() { Line::Nothing } else { Line::Edge(0) };
            for (v, &x) in upper.v.iter().enumerate() {
                self.corners.push(ClipVertex { x, origin: ClipOrigin::Vertex(v as u32), line });
            }
        }
        let (ring, sides) = (lower.poly.ring(face), lower.poly.sides(face));
        for k in 0..ring.len() {
            let from = lower.v[ring[k] as usize];
            let along = lower.v[ring[(k + 1) % ring.len()] as usize] - from;
            let out = along.cross(n) / along.length();
            self.signed.clear();
            self.signed.extend(self.corners.iter().map(|c| out.dot(c.x - from)));
            if self.signed.iter().all(|d| *d <= slack) {
                continue;
            }
            self.next.clear();
            let count = self.corners.len();
            for i in 0..count {
                let j = (i + 1) % count;
                let (here, there) = (self.corners[i], self.corners[j]);
                let (d, e) = (self.signed[i], self.signed[j]);
                let (inside, inside_next) = (d <= slack, e <= slack);
                if inside {
                    // Leaving, the way along the outline begins at the crossing that follows.
                    self.next.push(here);
                }
                if inside == inside_next {
                    continue;
                }
                let t = (d / (d - e)).clamp(0.0, 1.0);
                let x = here.x + (there.x - here.x) * t;
                let line = if inside { Line::PairSide(k) } else { here.line };
                let origin = match here.line {
                    Line::Edge(edge) => ClipOrigin::Crossing { edge, t: along_edge(upper, edge, x), side: sides[k] },
                    Line::PairSide(other) => {
                        // Neighbouring sides share a corner; others meet by rounding only.
                        if other + 1 == k {
                            ClipOrigin::ClipVertex(ring[k])
                        } else if other == (k + 1) % ring.len() {
                            ClipOrigin::ClipVertex(ring[other])
                        } else {
                            continue;
                        }
                    }
                    Line::Nothing => continue,
                };
                self.next.push(ClipVertex { x, origin, line });
            }
            std::mem::swap(&mut self.corners, &mut self.next);
        }
    }
}

/// Which part of the way along an edge a point of it is.
fn along_edge(view: PolyhedronView, edge: u32, x: Vec3) -> f64 {
    let [v, w] = view.ends(edge);
    let d = w - v;
    ((x - v).dot(d) / d.length_squared()).clamp(0.0, 1.0)
}

/// Support: the corner lowest above a plane, and its height; of corners equally low the first.
pub(crate) fn support(view: PolyhedronView, n: Vec3, o: Vec3, tie: f64) -> (u32, f64) {
    let mut best = (0, f64::INFINITY);
    for (v, x) in view.v.iter().enumerate() {
        let height = n.dot(*x - o);
        if height < best.1 - tie {
            best = (v as u32, height);
        }
    }
    best
}

/// Of the faces around a corner, the one that looks most against `n`.
fn facing(view: PolyhedronView, n: Vec3, vertex: u32) -> u32 {
    let mut best = (NONE, f64::INFINITY);
    for &face in view.poly.fan(vertex) {
        let cos = n.dot(view.n[face as usize]);
        if cos < best.1 - 1e-9 {
            best = (face, cos);
        }
    }
    best.0
}

/// Whether a point is above the inside of a face, or within `slack` (m) of it.
pub(crate) fn within(view: PolyhedronView, face: u32, x: Vec3, slack: f64) -> bool {
    let (n, ring) = (view.n[face as usize], view.poly.ring(face));
    (0..ring.len()).all(|k| {
        let from = view.v[ring[k] as usize];
        let along = view.v[ring[(k + 1) % ring.len()] as usize] - from;
        along.cross(n).dot(x - from) <= slack * along.length()
    })
}
