//! What the tests share: random poses, gaps of what was found, distances by parry.

#![allow(dead_code)]

use holonom_collide::{Candidate, Detector, Gap, Mat3, Pose, Shape, Vec3, gap};
use parry3d_f64::math::{Pose as Place, Rotation};
use parry3d_f64::query;
use parry3d_f64::shape::{Ball, Capsule, ConvexPolyhedron, Cuboid, Cylinder, HalfSpace, Shape as Judged};

/// xorshift64*
pub struct Random(pub u64);

impl Random {
    /// From 0 to 1.
    pub fn unit(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Within a cube of half side `size`.
    pub fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::new(self.unit() - 0.5, self.unit() - 0.5, self.unit() - 0.5) * (2.0 * size)
    }

    /// Any rotation.
    pub fn rotation(&mut self) -> Mat3 {
        loop {
            let (a, b) = (self.vector(1.0), self.vector(1.0));
            let x = a.normalize();
            let z = x.cross(b);
            if z.length() > 0.1 {
                let z = z.normalize();
                return Mat3::from_cols(x, z.cross(x), z);
            }
        }
    }

    /// Any rotation, a place within a cube.
    pub fn pose(&mut self, size: f64) -> Pose {
        Pose { position: self.vector(size), rotation: self.rotation() }
    }
}

/// A small rotation.
pub fn tilt(v: Vec3) -> Mat3 {
    let angle = v.length();
    if angle == 0.0 { Mat3::IDENTITY } else { Mat3::from_axis_angle(v / angle, angle) }
}

/// Every candidate with its gap.
pub fn gaps(detector: &Detector, found: &[Candidate], poses: &[Pose]) -> Vec<(Candidate, Gap)> {
    let of = |c: &Candidate| gap(c, &poses[detector.carrier(c.a)], &poses[detector.carrier(c.b)]);
    found.iter().map(|c| (*c, of(c))).collect()
}

/// The least gap among the candidates.
pub fn least_gap(detector: &Detector, found: &[Candidate], poses: &[Pose]) -> f64 {
    gaps(detector, found, poses).iter().fold(f64::INFINITY, |m, (_, g)| m.min(g.gap))
}

/// A shape as parry has it, and how it must be turned: its cylinders and capsules stand along y.
fn judged(shape: &Shape) -> (Box<dyn Judged>, Mat3) {
    let upright = Mat3::from_cols(Vec3::NEG_X, Vec3::Z, Vec3::Y);
    match shape {
        Shape::Point => (Box::new(Ball::new(0.0)), Mat3::IDENTITY),
        Shape::Sphere { radius } => (Box::new(Ball::new(*radius)), Mat3::IDENTITY),
        Shape::Box { half } => (Box::new(Cuboid::new(*half)), Mat3::IDENTITY),
        Shape::Capsule { radius, half_length } => (Box::new(Capsule::new_z(*half_length, *radius)), Mat3::IDENTITY),
        Shape::Cylinder { radius, half_length } => (Box::new(Cylinder::new(*half_length, *radius)), upright),
        Shape::HalfSpace => (Box::new(HalfSpace::new(Vec3::Z)), Mat3::IDENTITY),
        Shape::Hull { points } => (Box::new(ConvexPolyhedron::from_convex_hull(points).unwrap()), Mat3::IDENTITY),
        _ => panic!("no judge for surfaces"),
    }
}

/// Distance of two shapes by parry, 0 where they overlap; none where parry does not know.
pub fn parry_distance(first: &Shape, a: &Pose, second: &Shape, b: &Pose) -> Option<f64> {
    let ((first, ra), (second, rb)) = (judged(first), judged(second));
    let place = |p: &Pose, r: Mat3| {
        let rotation = Rotation::from_mat3(&(p.rotation * r));
        Place { translation: p.position, rotation: rotation.normalize() }
    };
    query::distance(&place(a, ra), &*first, &place(b, rb), &*second).ok()
}
