//! A cylinder and a convex core.
//!
//! Apart, every pair of features that is nearest in its own neighbourhood is noted, and the nearest point of a rim if
//! none of them accounts for their distance. Overlapping, the best of the axes of faces, caps, sides and edges, and
//! sides and corners decides.

use super::search::{RimPoint, deepest_along, nearest_rim_point, point_distance};
use super::{Cylinder, CylinderScratch, FLAT, parting, point_on, rims_above, rounded};
use crate::Vec3;
use crate::candidate::{FeatureKind, FeaturePair};
use crate::clip::{support, within};
use crate::convex;
use crate::pair::{ColliderPair, PairSide};
use crate::plane::ContactPlane;
use crate::polyhedron::{NONE, Polyhedron, PolyhedronView};
use crate::sat::PARALLEL;

/// Directions this far (sine) outside of what belongs to an edge still count.
const LOOSE: f64 = 1e-9;

/// The best axis of an overlap.
#[derive(Clone, Copy)]
enum Axis {
    Face(u32),
    Cap(usize),
    Edge(u32, Vec3),
    Vertex(u32),
}

/// A cylinder (first) and a convex core (second).
pub(crate) fn on_poly(
    pair: &mut ColliderPair,
    own: &Cylinder,
    poly: &Polyhedron,
    scratch: &mut CylinderScratch,
    convex: &mut convex::ConvexScratch,
) {
    let relative = pair.relative;
    scratch.vertices.clear();
    scratch.vertices.extend(poly.vertices.iter().map(|v| relative.point(*v)));
    scratch.normals.clear();
    scratch.normals.extend(poly.normals.iter().map(|n| relative.turn * *n));
    let view = PolyhedronView { poly, v: &scratch.vertices, n: &scratch.normals };
    let mut meeting = PairTest { own, view, pair, least: f64::INFINITY };
    let Some((apart, axis)) = meeting.best_axis() else { return };
    if apart > meeting.pair.core_limit() {
        return;
    }
    let small = 1e-11 * (poly.size + own.radius + own.half_length);
    if apart <= small {
        meeting.note(axis, true);
        if meeting.least > apart + 4.0 * small && poly.normals.is_empty() {
            segment_point(pair, own, view);
        } else if meeting.least > apart + 4.0 * small && !meeting.across_edge(apart + small) {
            // A rim across an edge or a corner, a little in or just not: its deepest or nearest point. Deep in, the
            // axis, which does part them.
            let rim = nearest_rim_point(own, |x| point_distance(view, x));
            if meeting.shallow(&rim, apart, small) {
                meet_point(pair, rim.x, poly, &mut scratch.point, convex);
            } else {
                meeting.beyond(axis);
            }
        }
        return;
    }
    for face in 0..view.n.len() as u32 {
        meeting.note(Axis::Face(face), false);
    }
    for end in 0..2 {
        meeting.note(Axis::Cap(end), false);
    }
    for edge in 0..poly.edges.len() as u32 {
        meeting.edge(edge);
    }
    for v in 0..view.v.len() as u32 {
        meeting.note(Axis::Vertex(v), false);
    }
    if meeting.least > apart + 4.0 * small && poly.normals.is_empty() {
        segment_point(pair, own, view);
    } else if meeting.least > apart + 4.0 * small {
        let least = meeting.least;
        let rim = nearest_rim_point(own, |x| point_distance(view, x));
        if rim.distance < least - small {
            meet_point(pair, rim.x, poly, &mut scratch.point, convex);
        }
    }
}

/// A segment meets a cylinder with one point, in between its ends.
fn segment_point(pair: &mut ColliderPair, own: &Cylinder, view: PolyhedronView) {
    let x = deepest_along(own, [view.v[0], view.v[view.v.len() - 1]]);
    if own.distance(x).0 <= pair.core_limit() {
        point_on(pair, PairSide::Second, pair.relative.point_back(x), x, own, own);
    }
}

/// A point of a rim meets a convex core as a point.
fn meet_point(
    pair: &mut ColliderPair,
    x: Vec3,
    poly: &Polyhedron,
    point: &mut Polyhedron,
    scratch: &mut convex::ConvexScratch,
) {
    point.vertices.clear();
    point.vertices.push(x);
    convex::meet(pair, point, poly, scratch);
}

struct PairTest<'m, 'p, 'o> {
    own: &'p Cylinder,
    view: PolyhedronView<'p>,
    pair: &'m mut ColliderPair<'o>,
    /// Least distance of what was noted, m.
    least: f64,
}

impl PairTest<'_, '_, '_> {
    /// How far the core goes along a direction.
    fn farthest(&self, n: Vec3) -> f64 {
        self.view.v.iter().fold(f64::NEG_INFINITY, |m, x| m.max(n.dot(*x)))
    }

    fn separation(&self, n: Vec3) -> f64 {
        n.dot(self.own.centre) - self.own.extent(n) - self.farthest(n)
    }

    fn best_axis(&self) -> Option<(f64, Axis)> {
        let mut best: Option<(f64, Axis)> = None;
        let tie = 1e-11 * (self.view.poly.size + self.own.radius + self.own.half_length);
        let mut offer = |apart: f64, axis: Axis| {
            if best.is_none_or(|b| apart > b.0 + tie) {
                best = Some((apart, axis));
            }
        };
        for (face, n) in self.view.n.iter().enumerate() {
            offer(self.separation(*n), Axis::Face(face as u32));
        }
        for end in 0..2 {
            offer(self.separation(self.own.axis() * -self.own.out(end)), Axis::Cap(end));
        }
        for edge in 0..self.view.poly.edges.len() as u32 {
            if let Some(n) = self.edge_normal(edge) {
                offer(self.separation(n), Axis::Edge(edge, n));
            }
        }
        for v in 0..self.view.v.len() as u32 {
            if let Some(n) = self.beside(v) {
                offer(self.separation(n), Axis::Vertex(v));
            }
        }
        best
    }

    /// Across the axis, from a corner to the axis.
    fn beside(&self, v: u32) -> Option<Vec3> {
        let arm = self.own.centre - self.view.v[v as usize];
        let across = arm - self.own.axis() * arm.dot(self.own.axis());
        let length = across.length();
        (length > 1e-12 * self.own.radius).then(|| across / length)
    }

    /// Normal of an edge and the axis, out of the core.
    fn edge_normal(&self, edge: u32) -> Option<Vec3> {
        let [q, q1] = self.view.ends(edge);
        let along = (q1 - q).normalize();
        let cross = self.own.axis().cross(along);
        let sine = cross.length();
        if !(sine > PARALLEL) {
            return None;
        }
        let n = cross / sine;
        let faces = self.view.poly.edges[edge as usize].faces;
        if faces[0] == NONE {
            return Some(if n.dot(self.own.centre - q) < 0.0 { -n } else { n });
        }
        let [m0, m1] = faces.map(|f| self.view.n[f as usize]);
        let n = if n.dot(m0 + m1) < 0.0 { -n } else { n };
        let fits = along.cross(m0).dot(n) >= -LOOSE && m1.cross(along).dot(n) >= -LOOSE;
        fits.then_some(n)
    }

    /// Adds what touches along an axis; of features that overlap only where `overlap`.
    fn note(&mut self, axis: Axis, overlap: bool) {
        match axis {
            Axis::Face(face) => self.face(face, overlap),
            Axis::Cap(end) => self.cap(end, overlap),
            Axis::Edge(edge, n) => self.line(edge, n, overlap),
            Axis::Vertex(v) => self.vertex(v, overlap),
        }
    }

    /// A rim across an edge: the plane along the edge that parts them best, if it does so better than `apart`, m.
    fn across_edge(&mut self, apart: f64) -> bool {
        let poly = self.view.poly;
        let mut best: Option<(f64, Vec3, u32)> = None;
        for edge in 0..poly.edges.len() as u32 {
            let faces = poly.edges[edge as usize].faces;
            if faces[0] == NONE {
                continue;
            }
            let [from, to] = faces.map(|f| self.view.n[f as usize]);
            let n = parting::about_edge(self.own, self.view.ends(edge)[0], from, to);
            let value = self.separation(n);
            if value > best.map_or(apart, |b| b.0) {
                best = Some((value, n, edge));
            }
        }
        let Some((value, n, edge)) = best else { return false };
        let size = poly.size + self.own.radius + self.own.half_length;
        if !(-parting::SHALLOW * size..=-parting::TOUCHING * size).contains(&value) {
            return false;
        }
        let (p, end) = self.own.support(-n);
        let o = poly.vertices[poly.edges[edge as usize].ends[0] as usize];
        let features = FeaturePair::PointPlane { p, o, n: self.pair.relative.turn.transpose() * n };
        self.least = self.least.min(value);
        self.pair.push(PairSide::First, FeatureKind::Middle, end as u32, edge, features);
        true
    }

    /// Whether the point of a rim that is nearest or deepest is where the two touch: the rim and an edge are a little
    /// in each other, or both out and a plane parts them.
    fn shallow(&self, rim: &RimPoint, apart: f64, small: f64) -> bool {
        let depth = |e: u32| self.own.distance(deepest_along(self.own, self.view.ends(e))).0;
        let edge = (0..self.view.poly.edges.len() as u32).map(depth).fold(f64::INFINITY, f64::min);
        let size = self.view.poly.size + self.own.radius + self.own.half_length;
        if rim.distance > -small && edge > -small {
            // Closer than this, the direction is rounding.
            rim.distance < 1e-8 * size || self.separation(rim.normal) > rim.distance - 1e-7 * size
        } else {
            rim.distance < small && edge < small && rim.distance.min(edge) > 0.2 * apart
        }
    }

    /// The deepest feature along an axis, though it lies beside what it is measured from.
    fn beyond(&mut self, axis: Axis) {
        let (view, poly, own) = (self.view, self.view.poly, self.own);
        match axis {
            Axis::Face(face) => {
                let native =
                    ContactPlane { o: poly.vertices[poly.ring(face)[0] as usize], n: poly.normals[face as usize] };
                let (o, n) = (view.on(face), view.n[face as usize]);
                rims_above(self.pair, PairSide::First, own, own, face, (native, o, n), |_| true);
            }
            Axis::Cap(end) => {
                let out = own.axis() * own.out(end);
                let (v, height) = support(view, out, own.end(end), 0.0);
                self.corner_on_cap(v, end, height);
            }
            Axis::Edge(edge, n) => self.side_line(edge, n),
            Axis::Vertex(v) => self.side_corner(v),
        }
    }

    fn face(&mut self, face: u32, overlap: bool) {
        let (view, poly) = (self.view, self.view.poly);
        let (n, o) = (view.n[face as usize], view.on(face));
        if !overlap && n.dot(self.own.centre - o) - self.own.extent(n) < 0.0 {
            return;
        }
        let native = ContactPlane { o: poly.vertices[poly.ring(face)[0] as usize], n: poly.normals[face as usize] };
        let slack = 1e-9 * (poly.size + self.own.radius);
        let inside = |x: Vec3| within(view, face, x, slack);
        let least = rims_above(self.pair, PairSide::First, self.own, self.own, face, (native, o, n), inside);
        self.least = self.least.min(least);
        if overlap {
            let cos = n.dot(self.own.axis());
            if cos.abs() > 1.0 - FLAT * FLAT {
                // Lying flat, corners of the face are above the cap as well.
                self.cap(usize::from(cos < 0.0), false);
            }
            for edge in 0..poly.edges.len() as u32 {
                if poly.sides(face).contains(&edge) {
                    self.overhang(edge, n);
                }
            }
        }
    }

    /// A lying cylinder across the border of a face.
    fn overhang(&mut self, edge: u32, n: Vec3) {
        if let Some(m) = self.edge_normal(edge)
            && m.dot(n) > 0.95
        {
            self.line(edge, m, true);
        }
    }

    /// Corners of the core above a cap.
    fn cap(&mut self, end: usize, overlap: bool) {
        let own = self.own;
        let out = own.axis() * own.out(end);
        let o = own.end(end);
        let limit = self.pair.core_limit();
        for (v, &x) in self.view.v.iter().enumerate() {
            let height = out.dot(x - o);
            let beside = (x - o - out * height).length();
            let fits = overlap || height > -1e-9 * own.half_length;
            if fits && beside <= own.radius * (1.0 + 1e-9) && height <= limit {
                self.corner_on_cap(v as u32, end, height);
            }
        }
    }

    fn corner_on_cap(&mut self, v: u32, end: usize, height: f64) {
        let own = self.own;
        self.least = self.least.min(height);
        let features = FeaturePair::PointPlane {
            p: self.view.poly.vertices[v as usize],
            o: own.end(end),
            n: own.axis() * own.out(end),
        };
        self.pair.push(PairSide::Second, FeatureKind::VertexFace, v, end as u32, features);
    }

    /// An edge beside the side, if it fits.
    fn edge(&mut self, edge: u32) {
        if let Some(n) = self.edge_normal(edge) {
            self.line(edge, n, false);
        }
    }

    fn line(&mut self, edge: u32, n: Vec3, overlap: bool) {
        let own = self.own;
        let [q, q1] = self.view.ends(edge);
        let (d, e) = (own.axis(), q1 - q);
        let w = own.centre - q;
        let (ee, de, dw, ew) = (e.length_squared(), d.dot(e), d.dot(w), e.dot(w));
        let cross = d.cross(e).length_squared();
        let (s, t) = ((de * ew - ee * dw) / cross, (ew - de * dw) / cross);
        let height = n.dot(w) - own.radius;
        let inside = s.abs() <= own.half_length && (0.0..=1.0).contains(&t);
        if !inside || height > self.pair.core_limit() || !(overlap || height > 0.0) {
            return;
        }
        self.least = self.least.min(height);
        self.side_line(edge, n);
    }

    fn side_line(&mut self, edge: u32, n: Vec3) {
        let (own, poly) = (self.own, self.view.poly);
        let features = FeaturePair::LineLine {
            p: own.centre,
            d: own.axis(),
            o: poly.vertices[poly.edges[edge as usize].ends[0] as usize],
            e: poly.direction(edge),
            outward: self.pair.world * n,
        };
        rounded(self.pair, own.radius, 0.0, |pair| {
            pair.push(PairSide::First, FeatureKind::EdgeEdge, 0, edge, features)
        });
    }

    /// A corner beside the side, if it is the nearest there.
    fn vertex(&mut self, v: u32, overlap: bool) {
        let own = self.own;
        let Some(n) = self.beside(v) else { return };
        let x = self.view.v[v as usize];
        let along = (x - own.centre).dot(own.axis());
        let height = n.dot(own.centre - x) - own.radius;
        let small = 1e-3 * self.view.poly.size;
        let fits = overlap || (n.dot(x) >= self.farthest(n) - small && height > 0.0);
        if !fits || along.abs() > own.half_length || height > self.pair.core_limit() {
            return;
        }
        self.least = self.least.min(height);
        self.side_corner(v);
    }

    fn side_corner(&mut self, v: u32) {
        let own = self.own;
        let features = FeaturePair::PointLine { p: self.view.poly.vertices[v as usize], o: own.centre, d: own.axis() };
        rounded(self.pair, own.radius, 0.0, |pair| {
            pair.push(PairSide::Second, FeatureKind::VertexEdge, v, 0, features)
        });
    }
}
