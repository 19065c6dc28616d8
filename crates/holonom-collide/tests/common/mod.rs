//! What the tests share: random poses, gaps of what was found, and proofs of distance.
//!
//! A gap g > 0 is the distance of two convex shapes if a plane leaves that much room between them (so it is no less) and a point of one
//! has a point of the other g away (so it is no more). Both are checked from the definitions of the shapes alone.

#![allow(dead_code)]

use std::sync::OnceLock;

use holonom_collide::{Candidate, Collider, CollisionShape, Detector, Gap, Mat3, RigidTransform, Vec3, gap};

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
    pub fn pose(&mut self, size: f64) -> RigidTransform {
        RigidTransform { position: self.vector(size), rotation: self.rotation() }
    }
}

/// A small rotation.
pub fn tilt(v: Vec3) -> Mat3 {
    let angle = v.length();
    if angle == 0.0 { Mat3::IDENTITY } else { Mat3::from_axis_angle(v / angle, angle) }
}

/// Every candidate with its gap.
pub fn gaps(detector: &Detector, found: &[Candidate], poses: &[RigidTransform]) -> Vec<(Candidate, Gap)> {
    let of = |c: &Candidate| gap(c, &poses[detector.carrier(c.a)], &poses[detector.carrier(c.b)]);
    found.iter().map(|c| (*c, of(c))).collect()
}

/// The least gap among the candidates.
pub fn least_gap(detector: &Detector, found: &[Candidate], poses: &[RigidTransform]) -> f64 {
    gaps(detector, found, poses).iter().fold(f64::INFINITY, |m, (_, g)| m.min(g.gap))
}

/// How far a shape at the origin goes along a unit direction, m.
pub fn extent(shape: &CollisionShape, d: Vec3) -> f64 {
    match shape {
        CollisionShape::Point => 0.0,
        CollisionShape::Sphere { radius } => *radius,
        CollisionShape::Box { half } => d.abs().dot(*half),
        CollisionShape::Capsule { radius, half_length } => d.z.abs() * half_length + radius,
        CollisionShape::Cylinder { radius, half_length } => d.z.abs() * half_length + d.truncate().length() * radius,
        CollisionShape::HalfSpace if (d - Vec3::Z).length() < 1e-12 => 0.0,
        CollisionShape::HalfSpace => f64::INFINITY,
        CollisionShape::Hull { points } => points.iter().fold(f64::NEG_INFINITY, |m, p| m.max(p.dot(d))),
        _ => panic!("not convex"),
    }
}

/// How much room there is between two shapes along `n`, which points from the second to the first, m.
pub fn room(first: &CollisionShape, a: &RigidTransform, second: &CollisionShape, b: &RigidTransform, n: Vec3) -> f64 {
    let back = |p: &RigidTransform, d: Vec3| (p.rotation.transpose() * d).normalize();
    n.dot(a.position - b.position) - extent(first, back(a, -n)) - extent(second, back(b, n))
}

/// Whether a shape holds a point, given in its axes, to a tolerance in m. For a hull: in 300 directions.
pub fn holds(shape: &CollisionShape, x: Vec3, tolerance: f64) -> bool {
    match shape {
        CollisionShape::Point => x.length() <= tolerance,
        CollisionShape::Sphere { radius } => x.length() <= radius + tolerance,
        CollisionShape::Box { half } => (x.abs() - *half).max_element() <= tolerance,
        CollisionShape::Capsule { radius, half_length } => {
            (x - Vec3::Z * x.z.clamp(-half_length, *half_length)).length() <= radius + tolerance
        }
        CollisionShape::Cylinder { radius, half_length } => {
            x.z.abs() <= half_length + tolerance && x.truncate().length() <= radius + tolerance
        }
        CollisionShape::HalfSpace => x.z <= tolerance,
        CollisionShape::Hull { .. } => {
            static DIRECTIONS: OnceLock<Vec<Vec3>> = OnceLock::new();
            let directions = DIRECTIONS.get_or_init(|| {
                let mut random = Random(99);
                (0..300).map(|_| random.rotation().x_axis).collect()
            });
            directions.iter().all(|d| x.dot(*d) <= extent(shape, *d) + tolerance)
        }
        _ => panic!("not convex"),
    }
}

/// What the least gap among candidates between colliders 0 and 1 proves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proof {
    pub gap: f64,
    /// From collider 1 to collider 0.
    pub normal: Vec3,
    /// Room along the normal, m: no less than this is the distance.
    pub room: f64,
    /// Whether both shapes hold the points said to be nearest, or deepest.
    pub witnessed: bool,
}

/// Takes the least gap apart.
pub fn prove(
    shapes: [&CollisionShape; 2],
    detector: &Detector,
    found: &[Candidate],
    poses: &[RigidTransform; 2],
) -> Proof {
    let gaps = gaps(detector, found, poses);
    let (c, g) = gaps.iter().min_by(|x, y| x.1.gap.total_cmp(&y.1.gap)).expect("something is found");
    let normal = if c.a == 0 { g.normal } else { -g.normal };
    let on = |i: u32, x: Vec3| {
        let pose = &poses[i as usize];
        holds(shapes[i as usize], pose.rotation.transpose() * (x - pose.position), 1e-9)
    };
    let witnessed = on(c.a, g.point) && on(c.b, g.point - g.normal * g.gap);
    Proof { gap: g.gap, normal, room: room(shapes[0], &poses[0], shapes[1], &poses[1], normal), witnessed }
}

/// A floor, a height field and one shape of every kind per carrier, over and over.
pub fn zoo(count: u32, random: &mut Random) -> Vec<Collider> {
    let mut colliders = vec![Collider::new(CollisionShape::HalfSpace, 0)];
    let heights = (0..64).map(|_| random.unit()).collect();
    colliders.push(Collider::new(CollisionShape::HeightField { heights, rows: 8, columns: 8, size: [6.0, 6.0] }, 0));
    for c in 1..count {
        let shape = match c % 6 {
            0 => CollisionShape::Point,
            1 => CollisionShape::Sphere { radius: 0.1 + random.unit() * 0.3 },
            2 => CollisionShape::Box { half: Vec3::splat(0.1) + random.vector(0.1).abs() },
            3 => CollisionShape::Capsule { radius: 0.1, half_length: 0.1 + 0.5 * random.unit() },
            4 => CollisionShape::Cylinder { radius: 0.1 + 0.2 * random.unit(), half_length: 0.2 },
            _ => CollisionShape::Hull { points: (0..9).map(|_| random.vector(0.3)).collect() },
        };
        colliders.push(Collider::new(shape, c).place(random.pose(0.1)));
    }
    colliders
}
