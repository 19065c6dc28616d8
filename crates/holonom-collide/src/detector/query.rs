//! Questions about colliders where they are: what a ray hits, what a moving collider hits, which points are nearest.
//!
//! ```text
//! ray           x(s) = origin + s d, |d| = 1: the least s >= 0 with x(s) in the solid
//!   ball        |x - c| = r: the smaller root of a quadratic                    capsule   side of the segment, or a ball at an end
//!   polyhedron  s between the last plane entered and the first one left          cylinder  side between the caps, or a cap within the rim
//!   triangles   where the ray crosses one from its front                         round     steps of the distance, never too far
//! closest       the candidate with the least gap g, its normal n and its point on the first; the other point is p - g n
//! cast          the collider moves by s d, without turning. With g(s) the distance, 1-Lipschitz in s:
//!   convex      a plane across n at the distance g keeps both apart until s + g / (-n.d): that is Newton's method, and never too far
//!   triangles   s + g is never too far
//! ```
//!
//! A ray or a collider that starts inside a solid hits it at once, s = 0, with the normal against its direction.
//! Surfaces of triangles are hit from the front only; what starts behind them does not hit them from within.

use super::{Core, Detector};
use crate::candidate::gap;
use crate::polyhedron::Polyhedron;
use crate::{Candidate, RigidTransform, Vec3};

/// What a ray or a moving collider hits first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The collider that is hit.
    pub collider: u32,
    /// How far along the ray, m.
    pub distance: f64,
    /// Where, world axes, m.
    pub point: Vec3,
    /// Unit normal of the surface there, outward from what is hit, world axes.
    pub normal: Vec3,
}

/// Two points, one on each of two carriers, that are nearest to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestPoints {
    /// Colliders on the two sides.
    pub colliders: (u32, u32),
    /// Distance, m; negative where they overlap.
    pub gap: f64,
    /// Points on the two sides, world axes, m.
    pub points: (Vec3, Vec3),
    /// Unit normal from the second to the first, world axes.
    pub normal: Vec3,
}

/// Steps of a cast; what is left then is less than a hair but where the way runs along a surface.
const CAST_STEPS: usize = 400;

impl Detector {
    /// How far along a ray a collider is hit, at most `most` (m), and the outward normal there. `direction` has the
    /// length 1.
    pub fn ray(
        &mut self,
        collider: u32,
        carriers: &[RigidTransform],
        origin: Vec3,
        direction: Vec3,
        most: f64,
    ) -> Option<RayHit> {
        let ready = &self.ready[collider as usize];
        let pose = &carriers[ready.carrier as usize];
        // differences first, in the axes of the carrier
        let back = pose.rotation.transpose();
        let (o, d) = (back * (origin - pose.position), back * direction);
        let (distance, normal) = match &ready.core {
            Core::Polyhedron(poly) => polyhedron(poly, ready.radius, o, d, most)?,
            Core::Round(round) => round.ray(o, d, most)?,
            Core::Cylinder(c) => {
                let axes = c.axes.transpose();
                let (s, n) = cylinder(axes * (o - c.centre), axes * d, c.radius, c.half_length)?;
                (s, c.axes * n)
            }
            Core::Plane(plane) => {
                let (height, rate) = (plane.n.dot(o - plane.o), plane.n.dot(d));
                if height <= 0.0 {
                    (0.0, -d)
                } else if rate < 0.0 {
                    (-height / rate, plane.n)
                } else {
                    return None;
                }
            }
            Core::Surface(surface) => surface.ray(o, d, most, &mut self.stack)?,
        };
        let normal = pose.rotation * normal;
        (distance <= most).then(|| RayHit { collider, distance, point: origin + direction * distance, normal })
    }

    /// The least gap of two colliders, m, where it is at most `most` (finite, m); infinite otherwise.
    pub fn gap_between(&mut self, i: u32, j: u32, carriers: &[RigidTransform], most: f64) -> f64 {
        if self.least_gap(i, j, carriers) > most {
            return f64::INFINITY;
        }
        let mut found = std::mem::take(&mut self.found);
        found.clear();
        self.nearest_of(i, j, carriers, most, &mut found);
        let of = |c: &Candidate| gap(c, &carriers[self.carrier(c.a)], &carriers[self.carrier(c.b)]).gap;
        let least = found.iter().map(of).fold(f64::INFINITY, f64::min);
        self.found = found;
        if least <= most { least } else { f64::INFINITY }
    }

    /// The points of two carriers that are nearest to each other, where they are at most `most` (finite, m) apart. Of
    /// what overlaps, one of the pairs of features that do.
    pub fn closest(
        &mut self,
        carriers: &[RigidTransform],
        pair: (usize, usize),
        most: f64,
        memory: &mut Vec<Candidate>,
    ) -> Option<NearestPoints> {
        self.nearest(carriers, pair, most, memory);
        let mut best: Option<NearestPoints> = None;
        for c in memory.iter() {
            let (a, b) = (self.carrier(c.a), self.carrier(c.b));
            let found = gap(c, &carriers[a], &carriers[b]);
            if !(found.gap <= most) || best.is_some_and(|b| b.gap <= found.gap) {
                continue;
            }
            let other = found.point - found.normal * found.gap;
            best = Some(if a == pair.0 {
                NearestPoints {
                    colliders: (c.a, c.b),
                    gap: found.gap,
                    points: (found.point, other),
                    normal: found.normal,
                }
            } else {
                NearestPoints {
                    colliders: (c.b, c.a),
                    gap: found.gap,
                    points: (other, found.point),
                    normal: -found.normal,
                }
            });
        }
        best
    }

    /// How far a carrier can move along a unit direction until it touches another one, at most `most` (m); the poses
    /// are given back as they were. The normal points from the other carrier to the one that moves.
    pub fn cast(
        &mut self,
        carriers: &mut [RigidTransform],
        pair: (usize, usize),
        direction: Vec3,
        most: f64,
        memory: &mut Vec<Candidate>,
    ) -> Option<RayHit> {
        let start = carriers[pair.0].position;
        let found = self.cast_from(start, carriers, pair, direction, most, memory);
        carriers[pair.0].position = start;
        found
    }

    fn cast_from(
        &mut self,
        start: Vec3,
        carriers: &mut [RigidTransform],
        pair: (usize, usize),
        direction: Vec3,
        most: f64,
        memory: &mut Vec<Candidate>,
    ) -> Option<RayHit> {
        let convex = |d: &Detector, c: usize| {
            d.of_carrier[c].len() == 1
                && !matches!(d.ready[d.of_carrier[c][0] as usize].core, Core::Surface(_) | Core::Round(_))
        };
        // of several colliders on a carrier another one may be next
        let newton = convex(self, pair.0) && convex(self, pair.1);
        let size = start.abs().max_element() + most.abs();
        let touching = 1e-14 * size.max(1e-3);
        let mut s = 0.0;
        for step in 0..CAST_STEPS {
            carriers[pair.0].position = start + direction * s;
            let near = self.closest(carriers, pair, most - s, memory)?;
            let closing = -near.normal.dot(direction);
            let hit = RayHit { collider: near.colliders.1, distance: s, point: near.points.1, normal: near.normal };
            if step == 0 && near.gap <= 0.0 {
                return Some(RayHit { normal: -direction, ..hit });
            }
            if near.gap <= touching {
                return Some(hit);
            }
            if newton && !(closing > 0.0) {
                return None;
            }
            let ahead = if newton { near.gap / closing } else { near.gap };
            if !(s + ahead <= most) {
                return None;
            }
            if s + ahead == s {
                return Some(hit);
            }
            s += ahead;
        }
        carriers[pair.0].position = start + direction * s;
        let near = self.closest(carriers, pair, most, memory)?;
        Some(RayHit { collider: near.colliders.1, distance: s, point: near.points.1, normal: near.normal })
    }
}

fn polyhedron(poly: &Polyhedron, radius: f64, o: Vec3, d: Vec3, most: f64) -> Option<(f64, Vec3)> {
    match *poly.vertices {
        [centre] => ball(o - centre, d, radius),
        [p, q] => capsule(p, q, radius, o, d),
        _ => {
            let (mut enter, mut leave, mut normal) = (f64::NEG_INFINITY, most, -d);
            for (face, n) in poly.normals.iter().enumerate() {
                let height = n.dot(o - poly.vertices[poly.ring(face as u32)[0] as usize]);
                let rate = n.dot(d);
                if rate < 0.0 {
                    if -height / rate > enter {
                        (enter, normal) = (-height / rate, *n);
                    }
                } else if rate > 0.0 {
                    leave = leave.min(-height / rate);
                } else if height > 0.0 {
                    return None;
                }
            }
            if !(enter <= leave && leave >= 0.0) {
                return None;
            }
            Some(if enter > 0.0 { (enter, normal) } else { (0.0, -d) })
        }
    }
}

/// The smaller root of |o + s d|^2 = r^2, without cancellation: s = -b - sqrt(disc), or c / (-b + sqrt(disc)).
fn enters(a: f64, b: f64, c: f64) -> Option<f64> {
    let disc = b * b - a * c;
    if !(disc >= 0.0) || !(a > 0.0) || b >= 0.0 {
        return None;
    }
    // b < 0: both terms of the denominator are positive
    Some(c / (-b + disc.sqrt()))
}

fn ball(o: Vec3, d: Vec3, radius: f64) -> Option<(f64, Vec3)> {
    if o.length() <= radius {
        return Some((0.0, -d));
    }
    // the distance from the middle at the nearest point of the ray is computed from a difference of vectors, not of
    // squares
    let b = o.dot(d);
    let across = (o - d * b).length();
    if b >= 0.0 || across > radius || radius == 0.0 {
        return None;
    }
    let s = -b - ((radius - across) * (radius + across)).sqrt();
    Some((s.max(0.0), (o + d * s) / radius))
}

fn capsule(p: Vec3, q: Vec3, radius: f64, o: Vec3, d: Vec3) -> Option<(f64, Vec3)> {
    let length = (q - p).length();
    let axis = (q - p) / length;
    let across = |v: Vec3| v - axis * v.dot(axis);
    let arm = o - p;
    let inside = {
        let on = axis * arm.dot(axis).clamp(0.0, length);
        (arm - on).length() <= radius
    };
    if inside {
        return Some((0.0, -d));
    }
    let (w, v) = (across(arm), across(d));
    let side =
        enters(v.length_squared(), w.dot(v), (w.length() - radius) * (w.length() + radius)).filter(|s| *s >= 0.0);
    let side = side.and_then(|s| {
        let along = (arm + d * s).dot(axis);
        (along >= 0.0 && along <= length).then(|| (s, (w + v * s) / radius))
    });
    let ends = [ball(o - p, d, radius), ball(o - q, d, radius)];
    ends.into_iter().flatten().chain(side).min_by(|a, b| a.0.total_cmp(&b.0))
}

/// A cylinder about z.
fn cylinder(o: Vec3, d: Vec3, radius: f64, half: f64) -> Option<(f64, Vec3)> {
    let flat = |v: Vec3| Vec3::new(v.x, v.y, 0.0);
    let (w, v) = (flat(o), flat(d));
    if o.z.abs() <= half && w.length() <= radius {
        return Some((0.0, -d));
    }
    if o.z.abs() > half && o.z * d.z < 0.0 {
        let s = (o.z.abs() - half) / d.z.abs();
        if (w + v * s).length() <= radius {
            return Some((s, Vec3::Z * o.z.signum()));
        }
    }
    let s = enters(v.length_squared(), w.dot(v), (w.length() - radius) * (w.length() + radius))?;
    (s >= 0.0 && (o.z + d.z * s).abs() <= half).then(|| (s, (w + v * s) / radius))
}
