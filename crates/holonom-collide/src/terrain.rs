//! Convex shapes on surfaces of triangles.
//!
//! Every pair of features that is nearest in its own neighbourhood is a candidate: corners above triangles, corners of
//! the surface below faces, edges that cross edges that stick out, and corners beside corners and edges. Seams and
//! valleys of the surface are no features, so nothing catches on them; flat neighbours are one plane with one key.
//!
//! What overlaps is not told from one triangle alone, whose plane goes on where the surface does not. A corner of the
//! shape is below a surface that may be open (a bowl, a wall, a soup) only if the way to it from the middle of the
//! shape leads through a triangle from its front to its back; a corner or an edge of the surface is in the shape only
//! if its place is.

use crate::Vec3;
use crate::broad_phase::Aabb;
use crate::candidate::{FeatureKind, FeaturePair};
use crate::pair::{ColliderPair, PairSide};
use crate::polyhedron::{NONE, Polyhedron, PolyhedronView};
use crate::sat::PARALLEL;
use crate::surface::{SurfaceRidge, TriangleSurface};

/// Directions this far outside (sine) of what belongs to a feature of the convex shape still count: distances stay
/// true, and edges that run nearly along each other are met at both ends.
const LOOSE: f64 = 0.02;
/// The same for features of the surface.
const STRICT: f64 = 1e-9;

/// Scratch memory, reused between calls.
#[derive(Default)]
pub(crate) struct TerrainScratch {
    vertices: Vec<Vec3>,
    normals: Vec<Vec3>,
    stack: Vec<u32>,
    triangles: Vec<u32>,
    ridges: Vec<u32>,
    corners: Vec<u32>,
    /// Heights below faces of one corner: height, triangle.
    faces: Vec<(f64, u32)>,
    near: Vec<u32>,
    by_distance: Vec<(f64, u32)>,
    cut: [Vec<Vec3>; 2],
}

struct Memory<'a> {
    faces: &'a mut Vec<(f64, u32)>,
    stack: &'a mut Vec<u32>,
    near: &'a mut Vec<u32>,
}

/// Adds the candidates of a convex core (first) on a surface (second).
pub(crate) fn meet(
    pair: &mut ColliderPair,
    convex: &Polyhedron,
    surface: &TriangleSurface,
    scratch: &mut TerrainScratch,
) {
    let relative = pair.relative;
    let back = relative.turn.transpose();
    scratch.vertices.clear();
    scratch.vertices.extend(convex.vertices.iter().map(|v| back * (*v - relative.shift)));
    scratch.normals.clear();
    scratch.normals.extend(convex.normals.iter().map(|n| back * *n));
    let middle = scratch.vertices.iter().sum::<Vec3>() / scratch.vertices.len() as f64;
    let surface = surface.side_of(middle, &mut scratch.by_distance);
    let limit = pair.core_limit();
    let mut low = scratch.vertices.iter().fold(Vec3::INFINITY, |m, p| m.min(*p)) - Vec3::splat(limit);
    let mut high = scratch.vertices.iter().fold(Vec3::NEG_INFINITY, |m, p| m.max(*p)) + Vec3::splat(limit);
    if let Some(up) = surface.up {
        // The surface may be anywhere above.
        let all = up * (2.0 * surface.extent + (high - low).length());
        (low, high) = (low.min(low + all), high.max(high + all));
    }
    surface.near(&Aabb { low, high }, &mut scratch.stack, &mut scratch.triangles);
    if scratch.triangles.is_empty() {
        return;
    }
    scratch.ridges.clear();
    scratch.corners.clear();
    for &t in &scratch.triangles {
        let out = |e: &&u32| surface.ridges[**e as usize].sticks_out;
        scratch.ridges.extend(surface.edges[t as usize].iter().filter(out));
        scratch.corners.extend(surface.triangles[t as usize].iter().filter(|v| surface.corner_out[**v as usize]));
    }
    for list in [&mut scratch.ridges, &mut scratch.corners] {
        list.sort_unstable();
        list.dedup();
    }
    let view = PolyhedronView { poly: convex, v: &scratch.vertices, n: &scratch.normals };
    let mut meeting = PairTest { limit, pair, view, surface, middle, overlap: false };
    let memory = Memory { faces: &mut scratch.faces, stack: &mut scratch.stack, near: &mut scratch.near };
    meeting.corners_above(&scratch.triangles, memory);
    meeting.edges(&scratch.ridges);
    meeting.corners_below(&scratch.corners);
    meeting.beside(&scratch.ridges, &scratch.corners);
    if !meeting.overlap {
        meeting.crossed(&scratch.triangles, &mut scratch.cut);
    }
}

struct PairTest<'m, 'p, 'o> {
    pair: &'m mut ColliderPair<'o>,
    view: PolyhedronView<'p>,
    surface: &'p TriangleSurface,
    limit: f64,
    /// Mean of the corners of the shape.
    middle: Vec3,
    /// Whether a pair of features was found whose cores overlap.
    overlap: bool,
}

impl PairTest<'_, '_, '_> {
    /// Corners of the shape above triangles, or below.
    fn corners_above(&mut self, triangles: &[u32], memory: Memory) {
        let Memory { faces, stack, near } = memory;
        let surface = self.surface;
        let slack = 1e-9 * surface.extent;
        for (v, &x) in self.view.v.iter().enumerate() {
            faces.clear();
            for &t in triangles {
                let n = surface.normals[t as usize];
                let corners = surface.triangles[t as usize].map(|v| surface.vertices[v as usize]);
                let height = n.dot(x - corners[0]);
                // Below a valley there is room between the triangles: it belongs to both.
                let wide = |k: usize| {
                    let ridge = &surface.ridges[surface.edges[t as usize][k] as usize];
                    let arm = x - corners[k];
                    let [n0, n1] = [ridge.across[0].cross(ridge.along), ridge.along.cross(ridge.across[1])];
                    let below = !ridge.sticks_out && n0.dot(arm) < 0.0 && n1.dot(arm) < 0.0;
                    if below { slack - 2.0 * height } else { slack }
                };
                if height > self.limit || !over(&corners, n, x, wide) || self.behind(t, &corners) {
                    continue;
                }
                let plane = surface.planes[t as usize];
                if !faces.iter().any(|f| f.1 == plane) {
                    faces.push((height, plane));
                }
            }
            if let (true, Some(up)) = (faces.is_empty(), surface.up) {
                self.far_below(triangles, up, x, faces);
            }
            // Below several faces, only the way out that is shortest is one; in a valley there are two.
            let least = faces.iter().fold(f64::NEG_INFINITY, |m, f| if f.0 < 0.0 { m.max(f.0) } else { m });
            // Behind a triangle on the far side of a hill is not below the ground.
            let below = least > f64::NEG_INFINITY
                && if surface.up.is_some() || self.view.v.len() == 1 {
                    !surface.outside(x, 4.0 * least.abs() + slack, stack, near)
                } else {
                    surface.passed(self.middle, x, triangles)
                };
            for &(height, plane) in faces.iter() {
                if height < 0.0 && (!below || height < least - 1e-6 * surface.extent) {
                    continue;
                }
                let o = surface.vertices[surface.triangles[plane as usize][0] as usize];
                let p = self.view.poly.vertices[v];
                let features = FeaturePair::PointPlane { p, o, n: surface.normals[plane as usize] };
                self.pair.push(PairSide::First, FeatureKind::VertexFace, v as u32, plane, features);
                self.overlap |= height < 0.0;
            }
        }
    }

    /// The triangle straight above a point that is deep in the ground, where no triangle is squarely above it.
    fn far_below(&self, triangles: &[u32], up: Vec3, x: Vec3, faces: &mut Vec<(f64, u32)>) {
        let surface = self.surface;
        for &t in triangles {
            let corners = surface.triangles[t as usize].map(|v| surface.vertices[v as usize]);
            let height = surface.normals[t as usize].dot(x - corners[0]);
            if height < 0.0 && over(&corners, up, x, |_| 1e-9 * surface.extent) {
                faces.push((height, surface.planes[t as usize]));
                return;
            }
        }
    }

    /// Whether the whole shape is behind a triangle, and so on the other side of the solid.
    fn behind(&self, triangle: u32, corners: &[Vec3; 3]) -> bool {
        if self.surface.up.is_some() {
            return false;
        }
        let n = self.surface.normals[triangle as usize];
        let highest = self.view.v.iter().fold(f64::NEG_INFINITY, |m, x| m.max(n.dot(*x - corners[0])));
        // Corners without size may be below by drift.
        let side = (corners[1] - corners[0]).length();
        highest + self.pair.radius() < -1e-3 * side
    }

    /// Edges of the shape across edges of the surface.
    fn edges(&mut self, ridges: &[u32]) {
        for ea in 0..self.view.poly.edges.len() as u32 {
            let [p, p1] = self.view.ends(ea);
            let d = p1 - p;
            for &r in ridges {
                let ridge = &self.surface.ridges[r as usize];
                let [q, q1] = ridge.ends.map(|v| self.surface.vertices[v as usize]);
                let (e, w) = (q1 - q, p - q);
                let cross = d.cross(e);
                let (dd, ee, de, cc) = (d.length_squared(), e.length_squared(), d.dot(e), cross.length_squared());
                if !(cc > PARALLEL * PARALLEL * dd * ee) {
                    continue;
                }
                let (dw, ew) = (d.dot(w), e.dot(w));
                let inside = |x: f64| x > 0.0 && x < 1.0;
                if !inside((de * ew - ee * dw) / cc) || !inside((dd * ew - de * dw) / cc) {
                    continue;
                }
                let mut n = cross / cc.sqrt();
                let arc = self.arc(ridge, q);
                if n.dot(arc[0] + arc[1]) < 0.0 {
                    n = -n;
                }
                let apart = n.dot(w);
                let on_ridge = q + e * ((dd * ew - de * dw) / cc);
                let near = if apart < 0.0 { self.holds(on_ridge, apart) } else { apart <= self.limit };
                if !near || !in_arc(arc, n) || !self.own_arc(ea, -n) {
                    continue;
                }
                let poly = self.view.poly;
                let features = FeaturePair::LineLine {
                    p: poly.vertices[poly.edges[ea as usize].ends[0] as usize],
                    d: poly.direction(ea),
                    o: q,
                    e: ridge.along,
                    outward: self.pair.world * (self.pair.relative.turn * n),
                };
                self.pair.push(PairSide::First, FeatureKind::EdgeEdge, ea, r, features);
                self.overlap |= apart < 0.0;
            }
        }
    }

    /// Whether a place on the surface is inside the shape, though an edge of it says that it is `apart` < 0 deep. A
    /// shape without an inside has its rounding radius.
    fn holds(&self, x: Vec3, apart: f64) -> bool {
        if self.view.n.is_empty() {
            return apart > -self.pair.radius();
        }
        // directions a little outside of what belongs to an edge lead a little aside
        let slack = 1e-9 * self.view.poly.size - 2.0 * LOOSE * apart;
        (0..self.view.n.len() as u32).all(|f| self.view.n[f as usize].dot(x - self.view.on(f)) <= slack)
    }

    /// The height of a corner of the surface above a face of the shape, m, if they may touch.
    fn below(&self, w: u32, face: u32, slack: f64) -> Option<f64> {
        let (x, n) = (self.surface.vertices[w as usize], self.view.n[face as usize]);
        let height = n.dot(x - self.view.on(face));
        let fits = height <= self.limit
            && (height >= 0.0 || self.holds(x, height))
            && self.surface.in_cone(w, -n, LOOSE)
            && crate::clip::within(self.view, face, x, slack);
        fits.then_some(height)
    }

    /// Corners of the surface below faces of the shape.
    fn corners_below(&mut self, corners: &[u32]) {
        let slack = 1e-9 * self.view.poly.size;
        for &w in corners {
            let x = self.surface.vertices[w as usize];
            // inside, the shortest of the ways out counts
            let faces = 0..self.view.n.len() as u32;
            let below = |face: u32| self.below(w, face, slack);
            let least = faces.clone().filter_map(below).fold(f64::NEG_INFINITY, f64::max).min(0.0) - slack;
            for face in faces {
                let Some(height) = self.below(w, face, slack).filter(|height| *height >= least) else { continue };
                self.overlap |= height < 0.0;
                let poly = self.view.poly;
                let o = poly.vertices[poly.ring(face)[0] as usize];
                let features = FeaturePair::PointPlane { p: x, o, n: poly.normals[face as usize] };
                self.pair.push(PairSide::Second, FeatureKind::VertexFace, w, face, features);
            }
        }
    }

    /// Where no pair of features is nearest in its own neighbourhood although triangles go through the shape (it came
    /// too far in one step): the part of each that is inside, and the shortest way out of it that a face or the
    /// triangle knows.
    fn crossed(&mut self, triangles: &[u32], cut: &mut [Vec<Vec3>; 2]) {
        let (view, surface) = (self.view, self.surface);
        let slack = 1e-9 * view.poly.size;
        for &t in triangles.iter().filter(|_| !view.n.is_empty()) {
            let corners = surface.triangles[t as usize].map(|v| surface.vertices[v as usize]);
            let n = surface.normals[t as usize];
            let (mut low, mut high) = ((f64::INFINITY, 0), f64::NEG_INFINITY);
            for (v, x) in view.v.iter().enumerate() {
                let height = n.dot(*x - corners[0]);
                high = high.max(height);
                if height < low.0 {
                    low = (height, v);
                }
            }
            let facing = n.dot(self.middle - corners[0]) > 0.0;
            if !(low.0 < -slack && high > slack && facing && self.cut_triangle(&corners, slack, cut)) {
                continue;
            }
            // out of the triangle's plane, or out of a face that looks at it
            let mut best = (low.0, None);
            for face in (0..view.n.len() as u32).filter(|f| view.n[*f as usize].dot(n) < -STRICT) {
                let height = |x: &Vec3| view.n[face as usize].dot(*x - view.on(face));
                let deepest = cut[0].iter().copied().min_by(|x, y| height(x).total_cmp(&height(y)));
                if let Some(x) = deepest.filter(|x| height(x) > best.0) {
                    best = (height(&x), Some((x, face)));
                }
            }
            let poly = view.poly;
            match best.1 {
                Some((x, face)) => {
                    let o = poly.vertices[poly.ring(face)[0] as usize];
                    let features = FeaturePair::PointPlane { p: x, o, n: poly.normals[face as usize] };
                    self.pair.push(PairSide::Second, FeatureKind::Under, t, face, features);
                }
                None => {
                    let features = FeaturePair::PointPlane { p: poly.vertices[low.1], o: corners[0], n };
                    self.pair.push(PairSide::First, FeatureKind::Under, low.1 as u32, t, features);
                }
            }
        }
    }

    /// The part of a triangle that is inside the shape by more than `slack`, m, into `cut[0]`. Is there any?
    fn cut_triangle(&self, corners: &[Vec3; 3], slack: f64, cut: &mut [Vec<Vec3>; 2]) -> bool {
        let [inside, next] = cut;
        inside.clear();
        inside.extend(corners);
        for face in 0..self.view.n.len() as u32 {
            let (n, o) = (self.view.n[face as usize], self.view.on(face));
            let height = |x: Vec3| n.dot(x - o) + slack;
            next.clear();
            for k in 0..inside.len() {
                let (x, y) = (inside[k], inside[(k + 1) % inside.len()]);
                let (a, b) = (height(x), height(y));
                if a <= 0.0 {
                    next.push(x);
                }
                if (a < 0.0) != (b < 0.0) && a != b {
                    next.push(x + (y - x) * (a / (a - b)).clamp(0.0, 1.0));
                }
            }
            std::mem::swap(inside, next);
            if inside.is_empty() {
                return false;
            }
        }
        true
    }

    /// Corners beside corners and edges: only where there is a distance to tell the direction by.
    fn beside(&mut self, ridges: &[u32], corners: &[u32]) {
        let (surface, view) = (self.surface, self.view);
        let least = 1e-12 * (surface.extent + view.poly.size);
        for (v, &x) in view.v.iter().enumerate() {
            for &r in ridges {
                let ridge = &surface.ridges[r as usize];
                let [q, q1] = ridge.ends.map(|w| surface.vertices[w as usize]);
                let along = ridge.along.dot(x - q);
                let between = x - q - ridge.along * along;
                let distance = between.length();
                if !(along > 0.0 && along < (q1 - q).length() && distance > least && distance <= self.limit) {
                    continue;
                }
                let u = between / distance;
                if in_arc(self.arc(ridge, q), u) && self.own_cone(v as u32, -u) {
                    let features = FeaturePair::PointLine { p: view.poly.vertices[v], o: q, d: ridge.along };
                    self.pair.push(PairSide::First, FeatureKind::VertexEdge, v as u32, r, features);
                }
            }
            for &w in corners {
                let o = surface.vertices[w as usize];
                let distance = (x - o).length();
                if !(distance > least && distance <= self.limit) {
                    continue;
                }
                let u = (x - o) / distance;
                if surface.in_cone(w, u, STRICT) && self.own_cone(v as u32, -u) {
                    let features = FeaturePair::PointPoint { p: view.poly.vertices[v], o };
                    self.pair.push(PairSide::First, FeatureKind::VertexVertex, v as u32, w, features);
                }
            }
        }
        for &w in corners {
            let x = surface.vertices[w as usize];
            for ea in 0..view.poly.edges.len() as u32 {
                let [p, p1] = view.ends(ea);
                let d = p1 - p;
                let t = (x - p).dot(d) / d.length_squared();
                let between = x - (p + d * t);
                let distance = between.length();
                if !(t > 0.0 && t < 1.0 && distance > least && distance <= self.limit) {
                    continue;
                }
                let u = between / distance;
                if surface.in_cone(w, -u, STRICT) && self.own_arc(ea, u) {
                    let poly = view.poly;
                    let o = poly.vertices[poly.edges[ea as usize].ends[0] as usize];
                    let features = FeaturePair::PointLine { p: x, o, d: poly.direction(ea) };
                    self.pair.push(PairSide::Second, FeatureKind::VertexEdge, w, ea, features);
                }
            }
        }
    }

    fn arc(&self, ridge: &SurfaceRidge, end: Vec3) -> [Vec3; 2] {
        if self.surface.up.is_some() { ridge.across } else { ridge.arc(self.middle, end) }
    }

    /// Whether a direction from an edge of the shape leads between its faces.
    fn own_arc(&self, edge: u32, direction: Vec3) -> bool {
        let Some(faces) = self.own_faces(edge) else { return true };
        let [p, p1] = self.view.ends(edge);
        let along = (p1 - p).normalize();
        along.cross(faces[0]).dot(direction) >= -LOOSE && faces[1].cross(along).dot(direction) >= -LOOSE
    }

    fn own_faces(&self, edge: u32) -> Option<[Vec3; 2]> {
        let faces = self.view.poly.edges[edge as usize].faces;
        (faces[0] != NONE).then(|| faces.map(|f| self.view.n[f as usize]))
    }

    /// Whether a direction from a corner of the shape leads behind the ends of all its edges.
    fn own_cone(&self, corner: u32, direction: Vec3) -> bool {
        self.view.poly.edges.iter().all(|edge| {
            let [v, w] = edge.ends;
            let other = if v == corner {
                w
            } else if w == corner {
                v
            } else {
                return true;
            };
            let along = self.view.v[other as usize] - self.view.v[corner as usize];
            along.dot(direction) <= LOOSE * along.length()
        })
    }
}

/// Whether a direction from an edge of the surface leads where the edge is nearest.
pub(crate) fn in_arc(arc: [Vec3; 2], direction: Vec3) -> bool {
    arc.iter().all(|across| across.dot(direction) >= -STRICT)
}

/// Whether a point is, looking against `n`, over the inside of a triangle, or within `slack` (m) of side k.
pub(crate) fn over(corners: &[Vec3; 3], n: Vec3, x: Vec3, slack: impl Fn(usize) -> f64) -> bool {
    (0..3).all(|k| {
        let out = (corners[(k + 1) % 3] - corners[k]).cross(n);
        out.dot(x - corners[k]) <= slack(k) * out.length()
    })
}
