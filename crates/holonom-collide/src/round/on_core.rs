//! Round shapes and convex cores.
//!
//! Every pair of features that is nearest in its own neighbourhood is noted: the lowest point above a face, where it is
//! above the face; corners whose direction to the surface leads between their edges; edges at the places where the
//! distance along them is least, whose direction leads between their faces.

use super::{Local, Nearest, Round, RoundShape, from_axis};
use crate::Vec3;
use crate::candidate::{FeatureKind, FeaturePair};
use crate::clip::within;
use crate::cylinder::{CylinderScratch, rounded};
use crate::pair::{ColliderPair, PairSide};
use crate::plane::ContactPlane;
use crate::polyhedron::{NONE, Polyhedron, PolyhedronView};

/// Directions this far (sine) outside of what belongs to a feature still count.
const LOOSE: f64 = 1e-9;
/// Parts of an edge or a circle among which places of least distance are looked for: one for what is convex.
pub(super) const PARTS: usize = 24;
const HALVINGS: usize = 56;

/// Places of [0, 1] (or of a circle) where `slope`, the derivative of something, passes from below 0 to above, and the
/// ends where it grows inwards.
pub(super) fn least_places(parts: usize, closed: bool, slope: impl Fn(f64) -> f64, mut note: impl FnMut(f64)) {
    let at = |k: usize| k as f64 / parts as f64;
    let mut before = slope(0.0);
    if !closed && before >= 0.0 {
        note(0.0);
    }
    for k in 0..parts {
        let after = slope(at(k + 1));
        if before < 0.0 && after >= 0.0 {
            let (mut low, mut high) = (at(k), at(k + 1));
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if slope(middle) < 0.0 { low = middle } else { high = middle }
            }
            note(0.5 * (low + high));
        }
        before = after;
    }
    if !closed && before < 0.0 {
        note(1.0);
    }
}

/// A round shape (first) and a convex core (second).
pub(crate) fn on_poly(pair: &mut ColliderPair, round: &Round, poly: &Polyhedron, scratch: &mut CylinderScratch) {
    let relative = pair.relative;
    scratch.vertices.clear();
    scratch.vertices.extend(poly.vertices.iter().map(|v| relative.point(*v)));
    scratch.normals.clear();
    scratch.normals.extend(poly.normals.iter().map(|n| relative.turn * *n));
    let view = PolyhedronView { poly, v: &scratch.vertices, n: &scratch.normals };
    let (half, _) = round.bound();
    let small = 1e-11 * (poly.size + half.length());
    let mut test = CoreTest { round, view, pair, least: f64::INFINITY, deepest: None };
    // the face whose plane parts them best
    let height = |face: u32| {
        let n = view.n[face as usize];
        n.dot(round.lowest(n) - view.on(face))
    };
    let faces = (0..view.n.len() as u32).map(|face| (height(face), face));
    let best = faces.fold((f64::NEG_INFINITY, NONE), |best, next| if next.0 > best.0 { next } else { best });
    for face in 0..view.n.len() as u32 {
        if height(face) <= test.pair.core_limit() {
            test.face(face, face == best.1, small);
        }
    }
    for v in 0..view.v.len() as u32 {
        test.corner(v);
    }
    for edge in 0..poly.edges.len() as u32 {
        test.edge(edge);
    }
    // in, where no feature is nearest in its neighbourhood: out the way that is shortest for what is deepest
    if let Some(place) = test.deepest.filter(|_| test.least > 0.0) {
        test.note(&place);
    }
}

/// A corner, or a place of an edge, of the core, and what of the surface is nearest to it.
#[derive(Clone, Copy)]
pub(super) struct PlaceOnCore {
    pub near: Nearest,
    pub kind: FeatureKind,
    pub id: u32,
    /// In the axes of the core's carrier.
    pub native: Vec3,
    /// Of the edge.
    pub along: Option<Vec3>,
}

/// Places inside a segment (own axes of the round shape) at which the distance is least in their neighbourhood, as
/// parts of it, and how many there are.
pub(super) fn least_on_edge(round: &Round, from: Vec3, to: Vec3) -> ([f64; 8], usize) {
    let way = to - from;
    let convex = matches!(round.shape, RoundShape::Ellipsoid { .. } | RoundShape::Cone { .. });
    let slope = |s: f64| round.nearest(from + way * s).n.dot(way);
    let (mut found, mut count) = ([0.0; 8], 0);
    least_places(if convex { 1 } else { PARTS }, false, slope, |s| {
        if s > 0.0 && s < 1.0 && count < found.len() {
            (found[count], count) = (s, count + 1);
        }
    });
    (found, count)
}

/// A corner of the second side, or a place of one of its edges, beside the nearest point of the surface.
pub(super) fn note(
    pair: &mut ColliderPair,
    round: &Round,
    PlaceOnCore { near, kind, id, native, along }: &PlaceOnCore,
) {
    let place = &round.place;
    match near.local {
        // a ball that has no size touches what has none only where both are: the plane across the way serves
        Local::Ball(radius) if radius > 0.0 || near.distance > 0.0 => {
            let (p, o) = (place.point(near.x - near.n * radius), *native);
            let features = match *along {
                Some(d) => FeaturePair::PointLine { p, o, d },
                None => FeaturePair::PointPoint { p, o },
            };
            rounded(pair, radius, 0.0, |pair| pair.push(PairSide::First, *kind, 0, *id, features));
        }
        _ => {
            let (o, n) = (place.point(near.x), place.rotation * near.n);
            pair.push(PairSide::Second, *kind, *id, 0, FeaturePair::PointPlane { p: *native, o, n });
        }
    }
}

struct CoreTest<'m, 'p, 'o> {
    round: &'p Round,
    view: PolyhedronView<'p>,
    pair: &'m mut ColliderPair<'o>,
    /// Least gap noted, m.
    least: f64,
    /// Of corners and edges that are inside.
    deepest: Option<PlaceOnCore>,
}

impl CoreTest<'_, '_, '_> {
    /// What is above a face; and, below the face that parts them best, what is in the core.
    fn face(&mut self, face: u32, best: bool, small: f64) {
        let (view, n) = (self.view, self.view.n[face as usize]);
        let o = view.poly.vertices[view.poly.ring(face)[0] as usize];
        let native = ContactPlane { o, n: view.poly.normals[face as usize] };
        let height = |f: u32, x: Vec3| view.n[f as usize].dot(x - view.on(f));
        let in_core = |x: Vec3| (0..view.n.len() as u32).all(|f| height(f, x) <= small);
        let above = |x: Vec3| within(view, face, x, small) && (height(face, x) >= -small || (best && in_core(x)));
        let least = self.round.above(self.pair, face, (native, view.on(face), n), &above);
        self.least = self.least.min(least - self.pair.radii[1]);
    }

    fn corner(&mut self, v: u32) {
        let x = self.view.v[v as usize];
        let near = self.round.nearest(self.round.own(x));
        let native = self.view.poly.vertices[v as usize];
        let place = PlaceOnCore { near, kind: FeatureKind::VertexVertex, id: v, native, along: None };
        let towards = -(self.round.place.rotation * near.n);
        let beyond = |other: u32| {
            let along = self.view.v[other as usize] - x;
            along.dot(towards) <= LOOSE * along.length()
        };
        let ends = self.view.poly.edges.iter().map(|e| e.ends);
        let mut others = ends.filter_map(|[a, b]| if a == v { Some(b) } else { (b == v).then_some(a) });
        let nearest = others.all(beyond);
        self.weigh(place, nearest);
    }

    fn edge(&mut self, edge: u32) {
        let [from, to] = self.view.ends(edge).map(|x| self.round.own(x));
        let (found, count) = least_on_edge(self.round, from, to);
        let poly = self.view.poly;
        let [p, q] = poly.edges[edge as usize].ends.map(|v| poly.vertices[v as usize]);
        for (k, &s) in found[..count].iter().enumerate() {
            let near = self.round.nearest(from + (to - from) * s);
            let (kind, id, native) = (FeatureKind::VertexEdge, (edge << 3) | k as u32, p + (q - p) * s);
            let nearest = self.between_faces(edge, -near.n);
            self.weigh(PlaceOnCore { near, kind, id, native, along: Some(poly.direction(edge)) }, nearest);
        }
    }

    /// Whether a direction (own axes of the round shape) from an edge leads between its faces.
    fn between_faces(&self, edge: u32, direction: Vec3) -> bool {
        let faces = self.view.poly.edges[edge as usize].faces;
        if faces[0] == NONE {
            return true;
        }
        let towards = self.round.place.rotation * direction;
        let [p, q] = self.view.ends(edge);
        let along = (q - p).normalize();
        let [n, m] = faces.map(|f| self.view.n[f as usize]);
        along.cross(n).dot(towards) >= -LOOSE && m.cross(along).dot(towards) >= -LOOSE
    }

    /// Note a place that is nearest in its neighbourhood; remember the deepest of all.
    fn weigh(&mut self, place: PlaceOnCore, nearest: bool) {
        let distance = place.near.distance;
        if distance < 0.0 && self.deepest.is_none_or(|d| distance < d.near.distance) {
            self.deepest = Some(place);
        }
        if nearest && distance <= self.pair.core_limit() {
            self.note(&place);
        }
    }

    fn note(&mut self, place: &PlaceOnCore) {
        self.least = self.least.min(place.near.distance - self.pair.radii[1]);
        note(self.pair, self.round, place);
    }
}

impl Round {
    /// Its lowest point along a unit direction, in the carrier's axes.
    fn lowest(&self, n: Vec3) -> Vec3 {
        let own = self.place.rotation.transpose() * n;
        let down = |rim: f64| {
            let (r, out) = from_axis(own);
            if r > 0.0 { -out * rim } else { Vec3::ZERO }
        };
        let below = |z: f64| if own.z > 0.0 { -z } else { z };
        let x = match self.shape {
            RoundShape::Ellipsoid { half } => -(half * half * own) / (half * own).length(),
            RoundShape::Cone { radius, height } => {
                let (base, tip) = (down(radius), Vec3::Z * height);
                if own.dot(tip) < own.dot(base) { tip } else { base }
            }
            RoundShape::Tube { outer, half_length, .. } => down(outer) + Vec3::Z * below(half_length),
            RoundShape::Torus { ring, tube } => down(ring) - own * tube,
        };
        self.place.point(x)
    }
}
