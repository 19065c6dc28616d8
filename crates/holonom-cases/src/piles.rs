//! Piles: bodies held by contact and friction alone.
//!
//! ```text
//! fN            a wall of N = k x k bricks, 1.0 x 0.2 x 0.2 m, 1 kg, pitch 1.01 m, every other course shifted by 0.495 m, friction 0.5, on a plane
//! fN-overhang   the same, shifted by 0.505 m
//! tower-N       N plates of 1.0 x 1.0 x 0.2 m, masses from 1 kg at the bottom to 1000 kg on top in a geometric row, friction 0.5
//! heap-KIND-N   N spheres, boxes, or mixed (also capsules and cylinders), some 0.1 m wide, that fall into a bin; friction 0.3
//! ```
//!
//! Half a pitch is 0.505 m; with it the centre of the last brick of every other course lies 1.01 j + 0.505 m along the
//! wall, and the end of the brick that carries it at 1.01 j + 0.5 m: 5 mm beyond its support. Where a course lies on
//! top of it the weight there holds it; the last brick of the top course must fall. With 0.495 m the wall stands.
//!
//! Heaps have no random numbers: the k-th number of body i is the fractional part of (10 i + k + 1) times the golden
//! ratio, so that any program can build the same heap ([`Thrown`]).

use holonom::ModelBuilder;
use holonom::prelude::*;

/// A pile by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PileCase {
    /// `side` courses of `side` bricks, every other one shifted, m.
    Wall {
        /// Bricks in a course, and courses.
        side: usize,
        /// m.
        shift: f64,
    },
    /// Plates on each other, the heaviest on top.
    Tower {
        /// How many.
        plates: usize,
    },
    /// Bodies thrown into a bin.
    Heap {
        /// Which.
        kind: HeapKind,
        /// How many.
        bodies: usize,
    },
}

/// What a heap is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HeapKind {
    /// Of 40 to 60 mm radius.
    Spheres,
    /// With sides of 60 to 120 mm.
    Boxes,
    /// Spheres, boxes, capsules, cylinders in turn.
    Mixed,
}

/// A body of a heap: shape, place, orientation (scalar last), velocity.
#[derive(Clone, Debug)]
pub struct Thrown {
    /// Centred.
    pub shape: Shape,
    /// m.
    pub at: Vec3,
    /// Unit quaternion.
    pub turn: Quat,
    /// m/s.
    pub velocity: Vec3,
}

/// Of heaps, kg/m³.
const DENSITY: f64 = 1000.0;
/// Distance of places in a heap, m, and thickness and height of the walls of its bin.
const PITCH: f64 = 0.17;
const WALL: f64 = 0.1;
const WALL_HEIGHT: f64 = 3.0;
/// Friction in a heap.
const RUB: f64 = 0.3;

/// Shift of a wall that stands, m.
const STANDS: f64 = 0.495;
/// Shift of a wall whose last brick must fall, m.
const OVERHANGS: f64 = 0.505;

/// `fN`, `fN-overhang` or `tower-N`; `None` for other names.
pub fn pile_case(name: &str) -> Option<PileCase> {
    let number = |digits: &str| -> Option<usize> {
        let plain = !digits.is_empty() && digits.len() <= 6 && digits.bytes().all(|b| b.is_ascii_digit());
        digits.parse().ok().filter(|n| plain && *n > 0)
    };
    if let Some((kind, digits)) = name.strip_prefix("heap-").and_then(|rest| rest.split_once('-')) {
        let kind = HeapKind::ALL.into_iter().find(|k| k.name() == kind)?;
        return Some(PileCase::Heap { kind, bodies: number(digits)? });
    }
    if let Some(plates) = name.strip_prefix("tower-") {
        return Some(PileCase::Tower { plates: number(plates)? });
    }
    let rest = name.strip_prefix('f')?;
    let (digits, shift) = match rest.strip_suffix("-overhang") {
        Some(digits) => (digits, OVERHANGS),
        None => (rest, STANDS),
    };
    let bricks = number(digits)?;
    let side = bricks.isqrt();
    (side * side == bricks).then_some(PileCase::Wall { side, shift })
}

impl PileCase {
    /// Number of bodies.
    pub fn n_bodies(&self) -> usize {
        match *self {
            PileCase::Wall { side, .. } => side * side,
            PileCase::Tower { plates } => plates,
            PileCase::Heap { bodies, .. } => bodies,
        }
    }

    /// The model, at rest where it was put; heaps fall.
    pub fn builder(&self) -> ModelBuilder {
        let mut m = ModelBuilder::new();
        if let PileCase::Heap { kind, bodies } = *self {
            throw(&mut m, kind, bodies);
            return m;
        }
        let stone = Material::new(0.5);
        m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, stone);
        let mut put = |name: String, mass: f64, size: Vec3, at: Vec3| {
            let body = m.body(name, Rigid::cuboid(mass, size).position(at));
            m.shape(body.origin(), Shape::Box { half: size / 2.0 }, stone);
        };
        match *self {
            PileCase::Wall { side, shift } => {
                for i in 0..side {
                    for j in 0..side {
                        let x = 1.01 * j as f64 + if i % 2 == 1 { shift } else { 0.0 };
                        let at = vec3(x, 0.0, 0.1 + 0.2 * i as f64);
                        put(format!("brick {i} {j}"), 1.0, vec3(1.0, 0.2, 0.2), at);
                    }
                }
            }
            PileCase::Tower { plates } => {
                for i in 0..plates {
                    let mass = libm::pow(1000.0, i as f64 / (plates.max(2) - 1) as f64);
                    put(format!("plate {i}"), mass, vec3(1.0, 1.0, 0.2), vec3(0.0, 0.0, 0.1 + 0.2 * i as f64));
                }
            }
            PileCase::Heap { .. } => {}
        }
        m
    }
}

impl HeapKind {
    const ALL: [HeapKind; 3] = [HeapKind::Spheres, HeapKind::Boxes, HeapKind::Mixed];

    fn name(self) -> &'static str {
        match self {
            HeapKind::Spheres => "spheres",
            HeapKind::Boxes => "boxes",
            HeapKind::Mixed => "mixed",
        }
    }

    /// Half the inner width of the bin for so many, m.
    pub fn half_width(bodies: usize) -> f64 {
        0.12 * libm::cbrt(bodies as f64).max(2.0)
    }

    /// Body `i` of so many.
    pub fn thrown(self, i: usize, bodies: usize) -> Thrown {
        const GOLDEN: f64 = 0.618_033_988_749_894_9;
        let number = |k: usize| {
            let x = (10 * i + k + 1) as f64 * GOLDEN;
            x - x.floor()
        };
        let part = match self {
            HeapKind::Spheres => 0,
            HeapKind::Boxes => 1,
            HeapKind::Mixed => i % 4,
        };
        let shape = match part {
            0 => Shape::Sphere { radius: 0.04 + 0.02 * number(0) },
            1 => Shape::Box { half: vec3(0.03, 0.03, 0.03) + 0.03 * vec3(number(0), number(1), number(2)) },
            2 => Shape::Capsule { radius: 0.02 + 0.02 * number(0), half_length: 0.02 + 0.03 * number(1) },
            _ => Shape::Cylinder { radius: 0.03 + 0.02 * number(0), half_length: 0.03 + 0.02 * number(1) },
        };
        let wide = HeapKind::half_width(bodies);
        let side = (2.0 * wide / PITCH).floor() as usize;
        let cell = vec3((i % side) as f64, (i / side % side) as f64, (i / side / side) as f64);
        let spread = vec3(number(3), number(4), number(5)) - vec3(0.5, 0.5, 0.5);
        let at = vec3(0.1 - wide, 0.1 - wide, 0.12) + PITCH * cell + 0.02 * spread;
        let turn = Quat::from_xyzw(number(6) - 0.5, number(7) - 0.5, number(8) - 0.5, number(9) + 0.1).normalize();
        let velocity = vec3(number(1) - 0.5, number(2) - 0.5, 0.0);
        Thrown { shape, at, turn, velocity }
    }
}

/// A bin and what falls into it.
fn throw(m: &mut ModelBuilder, kind: HeapKind, bodies: usize) {
    let stone = Material::new(RUB);
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, stone);
    let wide = HeapKind::half_width(bodies);
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let far = wide + 0.5 * WALL;
        let across = |along: f64| if along == 0.0 { wide + WALL } else { 0.5 * WALL };
        let half = vec3(across(x), across(y), 0.5 * WALL_HEIGHT);
        m.shape(BodyId::GROUND.at([x * far, y * far, 0.5 * WALL_HEIGHT]), Shape::Box { half }, stone);
    }
    for i in 0..bodies {
        let Thrown { shape, at, turn, velocity } = kind.thrown(i, bodies);
        let body = solid(&shape).position(at).orientation(turn).velocity(velocity);
        let body = m.body(format!("b{i}"), body);
        m.shape(body.origin(), shape, stone);
    }
}

/// A solid body of a shape of heaps.
fn solid(shape: &Shape) -> Rigid {
    use std::f64::consts::PI;
    match *shape {
        Shape::Box { half } => Rigid::cuboid(DENSITY * 8.0 * half.x * half.y * half.z, half * 2.0),
        Shape::Capsule { radius: r, half_length: l } => {
            Rigid::capsule(DENSITY * PI * r * r * (2.0 * l + 4.0 / 3.0 * r), r, 2.0 * l)
        }
        Shape::Cylinder { radius: r, half_length: l } => Rigid::cylinder(DENSITY * PI * r * r * 2.0 * l, r, 2.0 * l),
        _ => {
            let r = shape.bounding_radius();
            Rigid::ball(DENSITY * 4.0 / 3.0 * PI * r * r * r, r)
        }
    }
}
