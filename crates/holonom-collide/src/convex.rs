//! Two convex cores: their contact manifold.
//!
//! The best axis decides (sat.rs). A face: what lies above it, cut to its outline, gives one candidate per corner. A
//! pair of edges: one candidate, and what lies above a face that looks nearly the same way. Where the cores are apart
//! and this does not account for their distance, corners and edges are nearest: nearest.rs finds them. Parallel edges
//! that touch have many normals: they get the one in the middle.

use crate::Vec3;
use crate::candidate::{FeatureKind, FeaturePair, unit_or};
use crate::clip::{Clip, ClipOrigin, support, within};
use crate::nearest::{NearestFeatures, nearest};
use crate::pair::{ColliderPair, PairSide};
use crate::polyhedron::{NONE, Polyhedron, PolyhedronView};
use crate::sat::{ContactSlab, EdgeAxis, FaceAxis, PARALLEL, SeparatingAxes, axes, tie};

/// Edges with a sine of angle below this are looked at from end to end besides.
const NEARLY_PARALLEL: f64 = 0.1;
/// Edges nearer than this part of the size of both cores touch; and wedges that have more than this angle in common,
/// rad, may push each other in more than one direction.
const TOUCHING: f64 = 1e-7;
const COMMON: f64 = 0.1;
/// Sharp edges whose sine of angle is below this are kept apart by a plane.
const LEVEL: f64 = 1e-3;
/// Part of the length of an edge within which a point is at its end.
const END: f64 = 1e-9;
/// Faces whose normals have at least this cosine can lie on each other.
const NEARLY_FLAT: f64 = 0.95;

/// Scratch memory, reused between calls.
#[derive(Default)]
pub(crate) struct ConvexScratch {
    vertices: Vec<Vec3>,
    normals: Vec<Vec3>,
    clip: Clip,
}

/// Adds the candidates of two convex cores.
pub(crate) fn meet(pair: &mut ColliderPair, first: &Polyhedron, second: &Polyhedron, scratch: &mut ConvexScratch) {
    let relative = pair.relative;
    scratch.vertices.clear();
    scratch.vertices.extend(second.vertices.iter().map(|v| relative.point(*v)));
    scratch.normals.clear();
    scratch.normals.extend(second.normals.iter().map(|n| relative.turn * *n));
    let a = PolyhedronView::own(first);
    let b = PolyhedronView { poly: second, v: &scratch.vertices, n: &scratch.normals };
    let tie = tie(first, second);
    let Some(found) = axes(a, b, &relative, pair.core_limit(), tie) else { return };
    let start = pair.out.len();
    let mut meeting = PairTest { pair, views: [a, b], clip: &mut scratch.clip, tie, least: f64::INFINITY };
    if meeting.along_parallel_edges(&found) {
        pair.only_once(start);
        return;
    }
    meeting.along(&found);
    let apart = found.apart();
    // Corners and edges, unless what was found is as near as anything can be.
    let no_faces = found.face.is_none() && found.edge.is_none();
    if no_faces || (apart > tie && meeting.least > apart + 4.0 * tie) {
        meeting.nearest(&found);
    }
    // A cut segment gives its crossing twice.
    pair.only_once(start);
}

struct PairTest<'m, 'p, 'o> {
    pair: &'m mut ColliderPair<'o>,
    views: [PolyhedronView<'p>; 2],
    clip: &'m mut Clip,
    tie: f64,
    /// Least distance of cores among what was found so far, m.
    least: f64,
}

impl<'p> PairTest<'_, 'p, '_> {
    fn view(&self, side: PairSide) -> PolyhedronView<'p> {
        self.views[side as usize]
    }

    /// Two edges that are parallel and touch, each the ridge of its wedge: cards that lean on each other. Every normal
    /// within both wedges separates them, and which face is best is a matter of rounding; the normal in the middle is
    /// what symmetry asks for. Whether there are such edges.
    ///
    /// In the plane across the edges the outward normals of a wedge are an arc from one face to the other. With the
    /// lower's first face at the angle 0 its arc is \[0, t\], that of the upper, mirrored, some \[a, b\]: where they
    /// have more than a little in common, the middle of it is the normal. Faces that lie on each other have nothing in
    /// common but one direction, and are left to `along`.
    fn along_parallel_edges(&mut self, found: &SeparatingAxes) -> bool {
        let size = self.view(PairSide::First).poly.size + self.view(PairSide::Second).poly.size;
        let near = TOUCHING * size;
        let Some(face) = found.face else { return false };
        if face.apart.abs() > near || found.apart() > face.apart + near {
            return false;
        }
        let (lower, upper) = (self.view(face.side), self.view(face.side.other()));
        let (n, o) = (lower.n[face.face as usize], lower.on(face.face));
        let low = |x: Vec3| n.dot(x - o) <= face.apart + 2.0 * near;
        if upper.v.iter().filter(|x| low(**x)).count() != 2 {
            return false;
        }
        let Some(own) = (0..upper.poly.edges.len() as u32).find(|e| upper.ends(*e).into_iter().all(low)) else {
            return false;
        };
        let [p, p1] = upper.ends(own);
        let d = (p1 - p).normalize();
        let parallel = |e: &&u32| {
            let [q, q1] = lower.ends(**e);
            let e = (q1 - q).normalize();
            d.cross(e).length() <= PARALLEL && (p - q).cross(e).length() <= 2.0 * near
        };
        let Some(&edge) = lower.poly.sides(face.face).iter().find(parallel) else { return false };
        let (ours, theirs) = (lower.poly.edges[edge as usize].faces, upper.poly.edges[own as usize].faces);
        if ours.contains(&NONE) || theirs.contains(&NONE) {
            return false;
        }
        let other = if ours[0] == face.face { ours[1] } else { ours[0] };
        let y = unit_or(lower.n[other as usize] - n * n.dot(lower.n[other as usize]), Vec3::ZERO);
        let angle = |m: Vec3| libm::atan2(y.dot(m), n.dot(m));
        let (t, [a, b]) = (angle(lower.n[other as usize]), theirs.map(|f| angle(-upper.n[f as usize])));
        let (from, to) = (a.min(b).max(0.0), a.max(b).min(t));
        if !(to - from > COMMON) || (a - b).abs() > std::f64::consts::PI {
            return false;
        }
        let middle = 0.5 * (from + to);
        let normal = n * libm::cos(middle) + y * libm::sin(middle);
        self.ends_of_edges(face.side.other(), own, edge, normal)
    }

    /// Ends of an edge of `side` beside an edge of the other, and the other way round, as corners above planes with
    /// this normal (towards `side`, in the axes of the first). Are there any?
    fn ends_of_edges(&mut self, side: PairSide, own: u32, edge: u32, normal: Vec3) -> bool {
        let mut any = false;
        for (side, own, edge, normal, slack) in
            [(side, own, edge, normal, END), (side.other(), edge, own, -normal, -END)]
        {
            let (of, other) = (self.view(side), self.view(side.other()));
            let [q, w] = other.ends(edge);
            let along = w - q;
            let turn = |n: Vec3| match side.other() {
                PairSide::First => n,
                PairSide::Second => self.pair.relative.turn.transpose() * n,
            };
            let n = turn(normal);
            let [o, o1] = other.poly.edges[edge as usize].ends.map(|v| other.poly.vertices[v as usize]);
            for vertex in of.poly.edges[own as usize].ends {
                let part = (of.v[vertex as usize] - q).dot(along) / along.length_squared();
                if part >= -slack && part <= 1.0 + slack {
                    let o = o + (o1 - o) * part;
                    let features = FeaturePair::PointPlane { p: of.poly.vertices[vertex as usize], o, n };
                    self.pair.push(side, FeatureKind::VertexEdge, vertex, edge, features);
                    any = true;
                }
            }
        }
        any
    }

    /// Candidates along the best axis.
    fn along(&mut self, found: &SeparatingAxes) {
        let Some(face) = found.face else {
            return;
        };
        // Overlapping, a face is preferred even where edges overlap a little less: it holds, edges slip. Deeper down,
        // the truth is.
        let most = 1e-4 * (self.view(PairSide::First).poly.size + self.view(PairSide::Second).poly.size);
        let bias = self.tie + (-0.05 * face.apart).clamp(0.0, most);
        match found.edge {
            Some(edge) if edge.apart > face.apart + bias => {
                self.crossing(&edge);
                let view = self.view(face.side);
                let n = view.n[face.face as usize];
                // Deep inside each other, what is cut says little.
                let shallow =
                    edge.apart > -0.01 * (self.view(PairSide::First).poly.size + self.view(PairSide::Second).poly.size);
                if shallow && n.dot(edge.normal).abs() > NEARLY_FLAT {
                    self.above(&face, Some(edge.edges), false);
                }
            }
            _ => self.above(&face, None, face.apart <= self.tie),
        }
    }

    /// Two edges that cross: noted if they cross between their ends, or overlap.
    fn crossing(&mut self, axis: &EdgeAxis) {
        let [ea, eb] = axis.edges;
        if axis.apart > self.tie && !self.between_ends(ea, eb) {
            return;
        }
        self.lines(ea, eb, axis.apart, axis.normal);
    }

    fn between_ends(&self, ea: u32, eb: u32) -> bool {
        let ([p, p1], [q, q1]) = (self.views[0].ends(ea), self.views[1].ends(eb));
        let (d, e, w) = (p1 - p, q1 - q, p - q);
        let (dd, ee, de) = (d.length_squared(), e.length_squared(), d.dot(e));
        let (dw, ew) = (d.dot(w), e.dot(w));
        let cross = d.cross(e).length_squared();
        let within = |x: f64| (-1e-9..=1.0 + 1e-9).contains(&x);
        within((de * ew - ee * dw) / cross) && within((dd * ew - de * dw) / cross)
    }

    fn lines(&mut self, ea: u32, eb: u32, distance: f64, normal: Vec3) {
        self.least = self.least.min(distance);
        if distance > self.pair.core_limit() {
            return;
        }
        let (a, b) = (self.views[0].poly, self.views[1].poly);
        let features = FeaturePair::LineLine {
            p: a.vertices[a.edges[ea as usize].ends[0] as usize],
            d: a.direction(ea),
            o: b.vertices[b.edges[eb as usize].ends[0] as usize],
            e: b.direction(eb),
            outward: self.pair.world * normal,
        };
        self.pair.push(PairSide::First, FeatureKind::EdgeEdge, ea, eb, features);
    }

    /// Everything above a face. `but`: edges whose crossing has been noted. `surely`: the lowest corner, should the
    /// outline miss it.
    fn above(&mut self, axis: &FaceAxis, but: Option<[u32; 2]>, surely: bool) {
        let (low, up) = (axis.side, axis.side.other());
        let (lower, upper) = (self.view(low), self.view(up));
        let face = axis.face;
        let (n, o) = (lower.n[face as usize], lower.on(face));
        let slack = 1e-9 * (lower.poly.size + upper.poly.size);
        self.clip.cut(lower, face, upper, slack, self.tie);
        let limit = self.pair.core_limit();
        let plane = |p: Vec3| {
            let poly = lower.poly;
            let o = poly.vertices[poly.ring(face)[0] as usize];
            FeaturePair::PointPlane { p, o, n: poly.normals[face as usize] }
        };
        let lying = self.clip.upper != NONE && n.dot(upper.n[self.clip.upper as usize]) < -NEARLY_FLAT;
        for corner in &self.clip.corners {
            let height = n.dot(corner.x - o);
            match corner.origin {
                ClipOrigin::Vertex(v) => {
                    self.least = self.least.min(height);
                    if height <= limit {
                        self.pair.push(up, FeatureKind::VertexFace, v, face, plane(upper.poly.vertices[v as usize]));
                    }
                }
                ClipOrigin::Crossing { edge, t, side } => {
                    let noted = but.is_some_and(|edges| edges[up as usize] == edge && edges[low as usize] == side);
                    self.least = self.least.min(height);
                    if height <= limit && !noted {
                        let [v, w] = upper.poly.edges[edge as usize].ends.map(|v| upper.poly.vertices[v as usize]);
                        self.pair.push(up, FeatureKind::Crossing, edge, side, plane(v + (w - v) * t));
                    }
                }
                ClipOrigin::ClipVertex(v) if lying && within(upper, self.clip.upper, lower.v[v as usize], slack) => {
                    let (m, on) = (upper.n[self.clip.upper as usize], upper.on(self.clip.upper));
                    let height = m.dot(lower.v[v as usize] - on);
                    self.least = self.least.min(height);
                    if height <= limit {
                        let poly = upper.poly;
                        let o = poly.vertices[poly.ring(self.clip.upper)[0] as usize];
                        let n = poly.normals[self.clip.upper as usize];
                        let p = lower.poly.vertices[v as usize];
                        self.pair.push(
                            low,
                            FeatureKind::VertexFace,
                            v,
                            self.clip.upper,
                            FeaturePair::PointPlane { p, o, n },
                        );
                    }
                }
                ClipOrigin::ClipVertex(v) => {
                    self.least = self.least.min(height);
                    if height <= limit {
                        let p = self.pair.to_side(up, corner.x);
                        self.pair.push(up, FeatureKind::Under, self.clip.upper, v, plane(p));
                    }
                }
            }
        }
        if surely && self.clip.corners.is_empty() {
            let (v, height) = support(upper, n, o, self.tie);
            self.least = self.least.min(height);
            self.pair.push(up, FeatureKind::VertexFace, v, face, plane(upper.poly.vertices[v as usize]));
        }
    }

    /// The nearest corners and edges of cores that are apart.
    fn nearest(&mut self, found: &SeparatingAxes) {
        let [a, b] = self.views;
        let limit = self.pair.core_limit();
        let near = nearest(a, b, |corners| Some(ContactSlab::of(a, b, found, corners.min(limit))));
        if near.distance > self.pair.core_limit() || near.distance > self.least {
            return;
        }
        if self.pair.radius() == 0.0
            && let Some([ea, eb]) = self.parallel_edges(&near.features)
        {
            let ([p, _], [q, q1]) = (a.ends(ea), b.ends(eb));
            let d = (q1 - q).normalize();
            let across = (p - q) - d * d.dot(p - q);
            // sharp edges that are nearer than a step is long pass each other, and their distance turns round: a plane
            // between them does not
            if across.length() > self.tie && self.ends_of_edges(PairSide::First, ea, eb, across.normalize()) {
                return;
            }
        }
        match near.features {
            NearestFeatures::Vertices(v, w) => {
                let features =
                    FeaturePair::PointPoint { p: a.poly.vertices[v as usize], o: b.poly.vertices[w as usize] };
                self.pair.push(PairSide::First, FeatureKind::VertexVertex, v, w, features);
            }
            NearestFeatures::VertexEdge { side, vertex, edge } => {
                self.vertex_edge(side, vertex, edge);
                let (of, other) = (self.view(side), self.view(side.other()));
                for own in 0..of.poly.edges.len() as u32 {
                    let ends = of.poly.edges[own as usize].ends;
                    if ends.contains(&vertex) && nearly_parallel(of, own, other, edge) {
                        self.side_by_side(side, own, edge);
                    }
                }
            }
            NearestFeatures::Edges(ea, eb) => {
                self.lines(ea, eb, near.distance, unit_or(near.normal, Vec3::Z));
                if nearly_parallel(a, ea, b, eb) {
                    self.side_by_side(PairSide::First, ea, eb);
                }
            }
            NearestFeatures::Middle { edges: [ea, eb], t } => {
                let [v, w] = a.poly.edges[ea as usize].ends.map(|v| a.poly.vertices[v as usize]);
                let o = b.poly.vertices[b.poly.edges[eb as usize].ends[0] as usize];
                let features = FeaturePair::PointLine { p: v + (w - v) * t, o, d: b.poly.direction(eb) };
                self.pair.push(PairSide::First, FeatureKind::Middle, ea, eb, features);
                self.side_by_side(PairSide::First, ea, eb);
            }
        }
    }

    /// Edges that are parallel, of the first and the second, among those that meet in the nearest features.
    fn parallel_edges(&self, features: &NearestFeatures) -> Option<[u32; 2]> {
        let [a, b] = self.views;
        let of = |view: PolyhedronView<'p>, vertex: u32| {
            (0..view.poly.edges.len() as u32).filter(move |e| view.poly.edges[*e as usize].ends.contains(&vertex))
        };
        let level = |[ea, eb]: &[u32; 2]| {
            let ([p, p1], [q, q1]) = (a.ends(*ea), b.ends(*eb));
            (p1 - p).normalize().cross((q1 - q).normalize()).length() <= LEVEL
        };
        match *features {
            NearestFeatures::Vertices(v, w) => {
                of(a, v).flat_map(|ea| of(b, w).map(move |eb| [ea, eb])).find(|edges| level(edges))
            }
            NearestFeatures::VertexEdge { side: PairSide::First, vertex, edge } => {
                of(a, vertex).map(|own| [own, edge]).find(|edges| level(edges))
            }
            NearestFeatures::VertexEdge { vertex, edge, .. } => {
                of(b, vertex).map(|own| [edge, own]).find(|edges| level(edges))
            }
            NearestFeatures::Edges(ea, eb) => Some([ea, eb]).filter(|edges| level(edges)),
            NearestFeatures::Middle { edges, .. } => Some(edges).filter(|edges| level(edges)),
        }
    }

    fn vertex_edge(&mut self, side: PairSide, vertex: u32, edge: u32) {
        let (of, other) = (self.view(side).poly, self.view(side.other()).poly);
        let o = other.vertices[other.edges[edge as usize].ends[0] as usize];
        let features = FeaturePair::PointLine { p: of.vertices[vertex as usize], o, d: other.direction(edge) };
        self.pair.push(side, FeatureKind::VertexEdge, vertex, edge, features);
    }

    /// Ends of edges that run side by side, above the other's inside. `own` is an edge of `side`, `edge` of the other.
    fn side_by_side(&mut self, side: PairSide, own: u32, edge: u32) {
        for (side, own, edge) in [(side, own, edge), (side.other(), edge, own)] {
            let [q, w] = self.view(side.other()).ends(edge);
            let d = w - q;
            for vertex in self.view(side).poly.edges[own as usize].ends {
                let p = self.view(side).v[vertex as usize];
                let t = (p - q).dot(d) / d.length_squared();
                let inside = t > 0.0 && t < 1.0;
                if inside && (p - q - d * t).length() <= self.pair.core_limit() {
                    self.vertex_edge(side, vertex, edge);
                }
            }
        }
    }
}

fn nearly_parallel(a: PolyhedronView, ea: u32, b: PolyhedronView, eb: u32) -> bool {
    let ([p, p1], [q, q1]) = (a.ends(ea), b.ends(eb));
    let (d, e) = (p1 - p, q1 - q);
    d.cross(e).length() < NEARLY_PARALLEL * d.length() * e.length()
}
