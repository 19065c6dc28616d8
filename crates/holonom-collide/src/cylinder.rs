//! Cylinders: rims above planes, caps, sides as lines with a radius.
//!
//! Against a plane the lowest point of a rim counts ([`Touch::RimPlane`]); nearly flat (sine below `FLAT`), eight fixed points of the rim as
//! well, so that what stands is held all around; flatter than `LEVEL` the lowest point has no place, and only the fixed ones are left.
//! A side is its axis with the radius of the cylinder. Where a rim is nearest to an edge, a corner or a round side there is no touch of its
//! own kind: the nearest point of the rim is found by search and meets as a point.

use crate::Vec3;
use crate::candidate::{Kind, Touch, unit_or};
use crate::clip::{support, within};
use crate::convex;
use crate::nearest::nearest;
use crate::pair::{Pair, Side};
use crate::plane::Plane;
use crate::poly::{NONE, Poly, View};
use crate::sat::PARALLEL;
use crate::surface::Surface;
use crate::{Mat3, Pose};

const FLAT: f64 = 0.01;
const LEVEL: f64 = 1e-6;
/// Directions this far (sine) outside of what belongs to a feature still count.
const LOOSE: f64 = 1e-9;

/// Equally deep below cap and side, in parts of the radius: the choice must not flicker.
const TIE: f64 = 1e-9;

/// Fixed points of a rim: cosine and sine of multiples of an eighth of a turn.
const EIGHTHS: [[f64; 2]; 8] = {
    const H: f64 = std::f64::consts::FRAC_1_SQRT_2;
    [[1.0, 0.0], [H, H], [0.0, 1.0], [-H, H], [-1.0, 0.0], [-H, -H], [0.0, -1.0], [H, -H]]
};

/// A cylinder in the axes of its carrier.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cylinder {
    pub centre: Vec3,
    /// Its z is the axis.
    pub axes: Mat3,
    pub radius: f64,
    pub half_length: f64,
}

impl Cylinder {
    pub fn new(place: &Pose, radius: f64, half_length: f64) -> Cylinder {
        Cylinder { centre: place.position, axes: place.rotation, radius, half_length }
    }

    fn axis(&self) -> Vec3 {
        self.axes.z_axis
    }

    /// Centre of end 0 (below) or 1 (above).
    fn end(&self, end: usize) -> Vec3 {
        self.centre + self.axis() * (self.out(end) * self.half_length)
    }

    fn out(&self, end: usize) -> f64 {
        if end == 0 { -1.0 } else { 1.0 }
    }

    fn rim_point(&self, end: usize, [cos, sin]: [f64; 2]) -> Vec3 {
        self.end(end) + (self.axes.x_axis * cos + self.axes.y_axis * sin) * self.radius
    }

    /// How far it goes from its centre along a unit direction, m.
    fn extent(&self, n: Vec3) -> f64 {
        let along = self.axis().dot(n);
        along.abs() * self.half_length + self.radius * (n - self.axis() * along).length()
    }

    /// The same cylinder in other axes.
    fn seen(&self, turn: Mat3, shift: Vec3) -> Cylinder {
        Cylinder { centre: turn * self.centre + shift, axes: turn * self.axes, ..*self }
    }

    /// Distance of a point from the solid, below 0 inside, and the unit direction in which it grows.
    fn distance(&self, x: Vec3) -> (f64, Vec3) {
        self.distance_by(x, 0.0)
    }

    /// The same; equally deep (to `tie`, m) below cap and side, the cap is meant.
    fn distance_by(&self, x: Vec3, tie: f64) -> (f64, Vec3) {
        let arm = x - self.centre;
        let along = arm.dot(self.axis());
        let across = arm - self.axis() * along;
        let (over, beside) = (along.abs() - self.half_length, across.length() - self.radius);
        let (up, out) = (self.axis() * along.signum(), unit_or(across, self.axes.x_axis));
        if over > 0.0 && beside > 0.0 {
            let distance = (over * over + beside * beside).sqrt();
            (distance, (up * over + out * beside) / distance)
        } else if over > beside - tie {
            (over.max(beside), up)
        } else {
            (beside, out)
        }
    }
}

/// What is above one plane: `inside` tells which points are above the part of it that is there. Gives the least height noted.
fn rims_above(
    pair: &mut Pair,
    side: Side,
    own: &Cylinder,
    seen: &Cylinder,
    face: u32,
    (native, o, n): (Plane, Vec3, Vec3),
    inside: impl Fn(Vec3) -> bool,
) -> f64 {
    let limit = pair.core_limit();
    let axis = seen.axis();
    let down = axis * axis.dot(n) - n;
    let sine = down.length();
    let mut least = f64::INFINITY;
    for end in 0..2 {
        if sine > LEVEL {
            let lowest = seen.end(end) + down * (seen.radius / sine);
            let height = n.dot(lowest - o);
            if height <= limit && inside(lowest) {
                let (c, axis, rim) = (own.end(end), own.axis(), own.radius);
                let touch = Touch::RimPlane { c, axis, rim, o: native.o, n: native.n };
                pair.push(side, Kind::Rim, end as u32, face, touch);
                least = least.min(height);
            }
        }
        if sine < FLAT {
            for (k, eighth) in EIGHTHS.into_iter().enumerate() {
                let x = seen.rim_point(end, eighth);
                let height = n.dot(x - o);
                if height <= limit && inside(x) {
                    let touch = Touch::PointPlane { p: own.rim_point(end, eighth), o: native.o, n: native.n };
                    pair.push(side, Kind::RimPoint, (8 * end + k) as u32, face, touch);
                    least = least.min(height);
                }
            }
        }
    }
    least
}

/// A cylinder (first) above a half-space (second).
pub(crate) fn on_plane(pair: &mut Pair, cylinder: &Cylinder, plane: &Plane) {
    let (o, n) = (pair.relative.point(plane.o), pair.relative.turn * plane.n);
    rims_above(pair, Side::First, cylinder, cylinder, 0, (*plane, o, n), |_| true);
}

/// Memory that is used again.
#[derive(Default)]
pub(crate) struct Scratch {
    vertices: Vec<Vec3>,
    normals: Vec<Vec3>,
    point: Poly,
    stack: Vec<u32>,
    triangles: Vec<u32>,
    features: Vec<u32>,
}

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
    pair: &mut Pair,
    own: &Cylinder,
    poly: &Poly,
    scratch: &mut Scratch,
    convex: &mut convex::Scratch,
) {
    let relative = pair.relative;
    scratch.vertices.clear();
    scratch.vertices.extend(poly.vertices.iter().map(|v| relative.point(*v)));
    scratch.normals.clear();
    scratch.normals.extend(poly.normals.iter().map(|n| relative.turn * *n));
    let view = View { poly, v: &scratch.vertices, n: &scratch.normals };
    let mut meeting = Meeting { own, view, pair, least: f64::INFINITY };
    let Some((apart, axis)) = meeting.best_axis() else { return };
    if apart > meeting.pair.core_limit() {
        return;
    }
    let small = 1e-11 * (poly.size + own.radius + own.half_length);
    if apart <= small {
        meeting.note(axis, true);
        if meeting.least > apart + 4.0 * small && poly.normals.is_empty() {
            segment_point(pair, own, view);
        } else if meeting.least > apart + 4.0 * small {
            // A rim across an edge or a corner, a little in or just not: its deepest or nearest point. Deep in, the axis, which does
            // part them.
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

/// The point of a segment that is nearest to a cylinder, or deepest in it: distance is convex along the segment.
fn deepest_along(own: &Cylinder, [from, to]: [Vec3; 2]) -> Vec3 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..56 {
        let middle = 0.5 * (low + high);
        if own.distance(from + (to - from) * middle).1.dot(to - from) < 0.0 {
            low = middle;
        } else {
            high = middle;
        }
    }
    from + (to - from) * (0.5 * (low + high))
}

/// A segment meets a cylinder with one point, in between its ends.
fn segment_point(pair: &mut Pair, own: &Cylinder, view: View) {
    let x = deepest_along(own, [view.v[0], view.v[view.v.len() - 1]]);
    if own.distance(x).0 <= pair.core_limit() {
        point_on(pair, Side::Second, pair.relative.point_back(x), x, own, own);
    }
}

/// A point of a rim meets a convex core as a point.
fn meet_point(pair: &mut Pair, x: Vec3, poly: &Poly, point: &mut Poly, scratch: &mut convex::Scratch) {
    point.vertices.clear();
    point.vertices.push(x);
    convex::meet(pair, point, poly, scratch);
}

struct Meeting<'m, 'p, 'o> {
    own: &'p Cylinder,
    view: View<'p>,
    pair: &'m mut Pair<'o>,
    /// Least distance of what was noted, m.
    least: f64,
}

impl Meeting<'_, '_, '_> {
    /// How far the core goes along a direction.
    fn farthest(&self, n: Vec3) -> f64 {
        self.view.v.iter().fold(f64::NEG_INFINITY, |m, x| m.max(n.dot(*x)))
    }

    fn room(&self, n: Vec3) -> f64 {
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
            offer(self.room(*n), Axis::Face(face as u32));
        }
        for end in 0..2 {
            offer(self.room(self.own.axis() * -self.own.out(end)), Axis::Cap(end));
        }
        for edge in 0..self.view.poly.edges.len() as u32 {
            if let Some(n) = self.edge_normal(edge) {
                offer(self.room(n), Axis::Edge(edge, n));
            }
        }
        for v in 0..self.view.v.len() as u32 {
            if let Some(n) = self.beside(v) {
                offer(self.room(n), Axis::Vertex(v));
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

    /// Notes what touches along an axis; of features that overlap only where `overlap`.
    fn note(&mut self, axis: Axis, overlap: bool) {
        match axis {
            Axis::Face(face) => self.face(face, overlap),
            Axis::Cap(end) => self.cap(end, overlap),
            Axis::Edge(edge, n) => self.line(edge, n, overlap),
            Axis::Vertex(v) => self.vertex(v, overlap),
        }
    }

    /// Whether the point of a rim that is nearest or deepest is where the two touch: the rim and an edge are a little in each other, or
    /// both out and a plane parts them.
    fn shallow(&self, rim: &RimPoint, apart: f64, small: f64) -> bool {
        let depth = |e: u32| self.own.distance(deepest_along(self.own, self.view.ends(e))).0;
        let edge = (0..self.view.poly.edges.len() as u32).map(depth).fold(f64::INFINITY, f64::min);
        let size = self.view.poly.size + self.own.radius + self.own.half_length;
        if rim.distance > -small && edge > -small {
            // Closer than this, the direction is rounding.
            rim.distance < 1e-8 * size || self.room(rim.normal) > rim.distance - 1e-7 * size
        } else {
            rim.distance < small && edge < small && rim.distance.min(edge) > 0.2 * apart
        }
    }

    /// The deepest feature along an axis, though it lies beside what it is measured from.
    fn beyond(&mut self, axis: Axis) {
        let (view, poly, own) = (self.view, self.view.poly, self.own);
        match axis {
            Axis::Face(face) => {
                let native = Plane { o: poly.vertices[poly.ring(face)[0] as usize], n: poly.normals[face as usize] };
                let (o, n) = (view.on(face), view.n[face as usize]);
                rims_above(self.pair, Side::First, own, own, face, (native, o, n), |_| true);
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
        let native = Plane { o: poly.vertices[poly.ring(face)[0] as usize], n: poly.normals[face as usize] };
        let slack = 1e-9 * (poly.size + self.own.radius);
        let inside = |x: Vec3| within(view, face, x, slack);
        let least = rims_above(self.pair, Side::First, self.own, self.own, face, (native, o, n), inside);
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
        if let Some(m) = self.edge_normal(edge) {
            if m.dot(n) > 0.95 {
                self.line(edge, m, true);
            }
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
        let touch =
            Touch::PointPlane { p: self.view.poly.vertices[v as usize], o: own.end(end), n: own.axis() * own.out(end) };
        self.pair.push(Side::Second, Kind::VertexFace, v, end as u32, touch);
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
        let touch = Touch::LineLine {
            p: own.centre,
            d: own.axis(),
            o: poly.vertices[poly.edges[edge as usize].ends[0] as usize],
            e: poly.direction(edge),
            outward: self.pair.world * n,
        };
        rounded(self.pair, own.radius, 0.0, |pair| pair.push(Side::First, Kind::EdgeEdge, 0, edge, touch));
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
        let touch = Touch::PointLine { p: self.view.poly.vertices[v as usize], o: own.centre, d: own.axis() };
        rounded(self.pair, own.radius, 0.0, |pair| pair.push(Side::Second, Kind::VertexEdge, v, 0, touch));
    }
}

/// Notes something with the radius of a side (or both) in addition.
fn rounded(pair: &mut Pair, first: f64, second: f64, note: impl FnOnce(&mut Pair)) {
    let radii = pair.radii;
    pair.radii = [radii[0] + first, radii[1] + second];
    note(pair);
    pair.radii = radii;
}

/// Distance of a point from a convex core, below 0 inside, and the unit direction in which it grows.
fn point_distance(view: View, x: Vec3) -> (f64, Vec3) {
    let mut best = (f64::NEG_INFINITY, 0);
    for (face, n) in view.n.iter().enumerate() {
        let height = n.dot(x - view.on(face as u32));
        if height > best.0 {
            best = (height, face as u32);
        }
    }
    if !view.n.is_empty() && (best.0 <= 0.0 || within(view, best.1, x, 0.0)) {
        return (best.0, view.n[best.1 as usize]);
    }
    let (v, point) = ([x], Poly::default());
    let near = nearest(View { poly: &point, v: &v, n: &[] }, view);
    (near.distance, unit_or(near.normal, Vec3::Z))
}

/// A point of a rim, its distance from something, and the unit direction in which that grows.
struct RimPoint {
    x: Vec3,
    distance: f64,
    normal: Vec3,
}

/// The point of either rim with the least distance by `far`: the best of some samples, then the place between its neighbours where the
/// distance stops falling.
fn nearest_rim_point(own: &Cylinder, far: impl Fn(Vec3) -> (f64, Vec3)) -> RimPoint {
    const SAMPLES: usize = 32;
    let mut best = RimPoint { x: Vec3::ZERO, distance: f64::INFINITY, normal: Vec3::Z };
    for end in 0..2 {
        let at = |angle: f64| own.rim_point(end, [libm::cos(angle), libm::sin(angle)]);
        let falls = |angle: f64| {
            let onward = own.axes.y_axis * libm::cos(angle) - own.axes.x_axis * libm::sin(angle);
            far(at(angle)).1.dot(onward) < 0.0
        };
        let step = 2.0 * std::f64::consts::PI / SAMPLES as f64;
        let mut first = (0, f64::INFINITY);
        for k in 0..SAMPLES {
            let distance = far(at(step * k as f64)).0;
            if distance < first.1 {
                first = (k, distance);
            }
        }
        let (mut low, mut high) = (step * (first.0 as f64 - 1.0), step * (first.0 as f64 + 1.0));
        for _ in 0..56 {
            let middle = 0.5 * (low + high);
            if falls(middle) {
                low = middle;
            } else {
                high = middle;
            }
        }
        let x = at(0.5 * (low + high));
        let (distance, normal) = far(x);
        if distance < best.distance {
            best = RimPoint { x, distance, normal };
        }
    }
    best
}

/// Two cylinders.
pub(crate) fn on_cylinder(pair: &mut Pair, first: &Cylinder, second: &Cylinder) {
    let relative = pair.relative;
    let seen = second.seen(relative.turn, relative.shift);
    let between = first.centre - seen.centre;
    let room = |n: Vec3| n.dot(between) - first.extent(n) - seen.extent(n);
    let across = first.axis().cross(seen.axis());
    let sine = across.length();
    let side = if sine > PARALLEL {
        across / sine
    } else {
        unit_or(between - first.axis() * between.dot(first.axis()), first.axes.x_axis)
    };
    let side = if side.dot(between) < 0.0 { -side } else { side };
    let (near_second, near_first) =
        (usize::from(seen.axis().dot(between) > 0.0), usize::from(first.axis().dot(between) < 0.0));
    let cap_second = seen.axis() * seen.out(near_second);
    let cap_first = first.axis() * -first.out(near_first);
    let tie = 1e-11 * (first.radius + first.half_length + second.radius + second.half_length);
    let rooms = [room(cap_second), room(cap_first), room(side)];
    let apart = rooms[0].max(rooms[1]).max(rooms[2]);
    if apart > pair.core_limit() {
        return;
    }
    let limit = pair.core_limit();
    let mut least = f64::INFINITY;
    let overlap = apart <= tie;
    // Rims of one above the cap of the other, both ways.
    let on_disc = |c: &Cylinder, end: usize, x: Vec3| {
        let arm = x - c.end(end);
        (arm - c.axis() * arm.dot(c.axis())).length() <= c.radius * (1.0 + 1e-9)
    };
    if !overlap || rooms[0] >= apart - tie {
        let o = seen.end(near_second);
        let native = Plane { o: second.end(near_second), n: second.axis() * second.out(near_second) };
        let fits = |height: f64| height >= if overlap { -2.0 * second.half_length } else { -tie };
        let inside = |x: Vec3| fits(cap_second.dot(x - o)) && on_disc(&seen, near_second, x);
        let id = near_second as u32;
        least = least.min(rims_above(pair, Side::First, first, first, id, (native, o, cap_second), inside));
    }
    if !overlap || rooms[1] >= apart - tie {
        let o = first.end(near_first);
        let native = Plane { o, n: -cap_first };
        let fits = |height: f64| height >= if overlap { -2.0 * first.half_length } else { -tie };
        let inside = |x: Vec3| fits(-cap_first.dot(x - o)) && on_disc(first, near_first, x);
        let id = near_first as u32;
        least = least.min(rims_above(pair, Side::Second, second, &seen, id, (native, o, -cap_first), inside));
    }
    if !overlap || rooms[2] >= apart - tie {
        least = least.min(sides(pair, first, second, &seen, side, sine));
    }
    if least <= apart + 4.0 * tie {
        return;
    }
    // A rim beside a side or another rim, apart or a little in: its nearest point, as a point.
    let of_first = nearest_rim_point(first, |x| seen.distance(x));
    let of_second = nearest_rim_point(&seen, |y| first.distance(y));
    let first_nearer = of_first.distance <= of_second.distance + tie;
    let (distance, n) = if first_nearer {
        seen.distance_by(of_first.x, TIE * seen.radius)
    } else {
        let (distance, n) = first.distance_by(of_second.x, TIE * first.radius);
        (distance, -n)
    };
    let size = 1e11 * tie;
    // Both rims a little in each other, or one point out or in with a plane that (nearly) parts them there. Closer than 1e-8, the
    // direction is rounding.
    let other = of_first.distance.max(of_second.distance);
    let thin = first.radius.min(first.half_length).min(second.radius).min(second.half_length);
    let shallow = distance.abs() < 1e-8 * size
        || room(n) > distance.min(2.0 * distance) - 1e-7 * size
        || (other < tie && distance > 0.2 * apart && apart > -0.5 * thin);
    if overlap && !shallow {
        // Deep in: the axis, which does part them.
        if rooms[0] >= apart - tie {
            let native = Plane { o: second.end(near_second), n: second.axis() * second.out(near_second) };
            let plane = (native, seen.end(near_second), cap_second);
            rims_above(pair, Side::First, first, first, near_second as u32, plane, |_| true);
        } else if rooms[1] >= apart - tie {
            let plane = (Plane { o: first.end(near_first), n: -cap_first }, first.end(near_first), -cap_first);
            rims_above(pair, Side::Second, second, &seen, near_first as u32, plane, |_| true);
        } else {
            let (d, e, outward) = (first.axis(), second.axis(), pair.world * side);
            let touch = Touch::LineLine { p: first.centre, d, o: second.centre, e, outward };
            rounded(pair, first.radius, second.radius, |pair| pair.push(Side::First, Kind::EdgeEdge, 0, 0, touch));
        }
    } else if distance < least - tie && distance <= limit {
        if first_nearer {
            point_on(pair, Side::First, of_first.x, of_first.x, second, &seen);
        } else {
            let y = of_second.x;
            point_on(pair, Side::Second, relative.point_back(y), y, first, first);
        }
    }
}

/// Two sides: crossing, or one along the other.
fn sides(pair: &mut Pair, first: &Cylinder, second: &Cylinder, seen: &Cylinder, n: Vec3, sine: f64) -> f64 {
    let (d, e, w) = (first.axis(), seen.axis(), first.centre - seen.centre);
    let limit = pair.core_limit();
    let radii = first.radius + second.radius;
    if sine > PARALLEL {
        let (de, dw, ew) = (d.dot(e), d.dot(w), e.dot(w));
        let (s, t) = ((de * ew - dw) / (sine * sine), (ew - de * dw) / (sine * sine));
        let height = n.dot(w) - radii;
        if s.abs() > first.half_length || t.abs() > second.half_length || height > limit {
            return f64::INFINITY;
        }
        let outward = pair.world * n;
        let touch = Touch::LineLine { p: first.centre, d, o: second.centre, e: second.axis(), outward };
        rounded(pair, first.radius, second.radius, |pair| pair.push(Side::First, Kind::EdgeEdge, 0, 0, touch));
        return height;
    }
    let mut least = f64::INFINITY;
    for (side, of, own, other, line) in
        [(Side::First, first, first, seen, second), (Side::Second, seen, second, first, first)]
    {
        for end in 0..2 {
            let arm = of.end(end) - other.centre;
            let along = arm.dot(other.axis());
            let height = (arm - other.axis() * along).length() - radii;
            if along.abs() <= other.half_length && height <= limit {
                let touch = Touch::PointLine { p: own.end(end), o: line.centre, d: line.axis() };
                let (r, s) = (first.radius, second.radius);
                rounded(pair, r, s, |pair| pair.push(side, Kind::VertexEdge, end as u32, 0, touch));
                least = least.min(height);
            }
        }
    }
    least
}

/// A point of `side` beside a cylinder of the other side. `p` is its place in its own axes, `x` in those `seen` is given in.
fn point_on(pair: &mut Pair, side: Side, p: Vec3, x: Vec3, native: &Cylinder, seen: &Cylinder) {
    let arm = x - seen.centre;
    let along = arm.dot(seen.axis());
    let across = arm - seen.axis() * along;
    let (over, beside) = (along.abs() - seen.half_length, across.length() - seen.radius);
    let end = usize::from(along > 0.0);
    if over.max(beside) <= 0.0 && beside > over + TIE * seen.radius {
        // Inside, and nearest to the side.
        side_point(pair, side, p, native);
    } else if beside <= 0.0 {
        let touch = Touch::PointPlane { p, o: native.end(end), n: native.axis() * native.out(end) };
        pair.push(side, Kind::VertexFace, 0, end as u32, touch);
    } else if over <= 0.0 {
        side_point(pair, side, p, native);
    } else {
        // Nearest on the rim: in native axes by components along the seen ones.
        let u = across / across.length();
        let o = native.rim_point(end, [u.dot(seen.axes.x_axis), u.dot(seen.axes.y_axis)]);
        pair.push(side, Kind::VertexVertex, 0, end as u32, Touch::PointPoint { p, o });
    }
}

fn side_point(pair: &mut Pair, side: Side, p: Vec3, native: &Cylinder) {
    let touch = Touch::PointLine { p, o: native.centre, d: native.axis() };
    let radii = if side == Side::First { (0.0, native.radius) } else { (native.radius, 0.0) };
    rounded(pair, radii.0, radii.1, |pair| pair.push(side, Kind::VertexEdge, 2, 0, touch));
}

/// A cylinder (first) on a surface (second): rims above triangles, edges and corners that stick out beside its side and below its caps.
pub(crate) fn on_surface(pair: &mut Pair, own: &Cylinder, surface: &Surface, scratch: &mut Scratch) {
    let back = pair.relative.turn.transpose();
    let seen = own.seen(back, -(back * pair.relative.shift));
    let limit = pair.core_limit();
    let reach = Vec3::new(seen.extent(Vec3::X), seen.extent(Vec3::Y), seen.extent(Vec3::Z)) + Vec3::splat(limit);
    let around = crate::broad::Extent { low: seen.centre - reach, high: seen.centre + reach };
    surface.near(&around, &mut scratch.stack, &mut scratch.triangles);
    let slack = 1e-9 * surface.extent;
    let start = pair.out.len();
    for &t in &scratch.triangles {
        let corners = surface.triangles[t as usize].map(|v| surface.vertices[v as usize]);
        let n = surface.normals[t as usize];
        // The centre behind a triangle: on the other side of the solid, unless the ground is solid all the way.
        if surface.up.is_none() && n.dot(seen.centre - corners[0]) < 0.0 {
            continue;
        }
        let plane = surface.planes[t as usize];
        let o = surface.vertices[surface.triangles[plane as usize][0] as usize];
        let native = Plane { o, n: surface.normals[plane as usize] };
        let inside = |x: Vec3| crate::terrain::over(&corners, n, x, |_| slack);
        rims_above(pair, Side::First, own, &seen, plane, (native, corners[0], n), inside);
    }
    scratch.features.clear();
    for &t in &scratch.triangles {
        scratch.features.extend(surface.edges[t as usize].iter().filter(|e| surface.ridges[**e as usize].sticks_out));
    }
    scratch.features.sort_unstable();
    scratch.features.dedup();
    for &r in &scratch.features {
        beside_ridge(pair, own, &seen, surface, r);
    }
    scratch.features.clear();
    for &t in &scratch.triangles {
        scratch.features.extend(surface.triangles[t as usize].iter().filter(|v| surface.corner_out[**v as usize]));
    }
    scratch.features.sort_unstable();
    scratch.features.dedup();
    for &w in &scratch.features {
        beside_corner(pair, own, &seen, surface, w);
    }
    pair.only_once(start);
}

fn beside_ridge(pair: &mut Pair, own: &Cylinder, seen: &Cylinder, surface: &Surface, r: u32) {
    let ridge = &surface.ridges[r as usize];
    let [q, q1] = ridge.ends.map(|v| surface.vertices[v as usize]);
    let (d, e, w) = (seen.axis(), ridge.along, seen.centre - q);
    let cross = d.cross(e);
    let sine = cross.length();
    if !(sine > PARALLEL) {
        return;
    }
    let n = if cross.dot(ridge.across[0] + ridge.across[1]) < 0.0 { -cross / sine } else { cross / sine };
    let (de, dw, ew) = (d.dot(e), d.dot(w), e.dot(w));
    let (s, t) = ((de * ew - dw) / (sine * sine), (ew - de * dw) / (sine * sine));
    let height = n.dot(w) - own.radius;
    let fits = s.abs() <= own.half_length && t >= 0.0 && t <= (q1 - q).length() && crate::terrain::in_arc(ridge, n);
    if fits && height <= pair.core_limit() && height > -own.radius {
        let outward = pair.world * (pair.relative.turn * n);
        let touch = Touch::LineLine { p: own.centre, d: own.axis(), o: q, e, outward };
        rounded(pair, own.radius, 0.0, |pair| pair.push(Side::First, Kind::EdgeEdge, 0, r, touch));
    }
}

fn beside_corner(pair: &mut Pair, own: &Cylinder, seen: &Cylinder, surface: &Surface, w: u32) {
    let x = surface.vertices[w as usize];
    let arm = x - seen.centre;
    let along = arm.dot(seen.axis());
    let across = arm - seen.axis() * along;
    let beside = across.length();
    let limit = pair.core_limit();
    let end = usize::from(along > 0.0);
    let out = seen.axis() * seen.out(end);
    let height = along.abs() - own.half_length;
    if beside <= own.radius && height <= limit && height > -own.half_length && surface.in_cone(w, -out, LOOSE) {
        let touch = Touch::PointPlane { p: x, o: own.end(end), n: own.axis() * own.out(end) };
        pair.push(Side::Second, Kind::VertexFace, w, end as u32, touch);
    }
    if height <= 0.0 && beside > 0.0 && beside - own.radius <= limit && surface.in_cone(w, -across / beside, LOOSE) {
        let touch = Touch::PointLine { p: x, o: own.centre, d: own.axis() };
        rounded(pair, own.radius, 0.0, |pair| pair.push(Side::Second, Kind::VertexEdge, w, 0, touch));
    }
}
