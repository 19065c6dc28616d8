//! Piles: bodies held by contact and friction alone.
//!
//! ```text
//! fN            a wall of N = k x k bricks, 1.0 x 0.2 x 0.2 m, 1 kg, pitch 1.01 m, every other course shifted by 0.495 m, friction 0.5, on a plane
//! fN-overhang   the same, shifted by 0.505 m
//! tower-N       N plates of 1.0 x 1.0 x 0.2 m, masses from 1 kg at the bottom to 1000 kg on top in a geometric row, friction 0.5
//! ```
//!
//! Half a pitch is 0.505 m; with it the centre of the last brick of every other course lies 1.01 j + 0.505 m along the
//! wall, and the end of the brick that carries it at 1.01 j + 0.5 m: 5 mm beyond its support. Where a course lies on
//! top of it the weight there holds it; the last brick of the top course must fall. With 0.495 m the wall stands.

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
}

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
        }
    }

    /// The model, at rest where it was put.
    pub fn builder(&self) -> ModelBuilder {
        let mut m = ModelBuilder::new();
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
        }
        m
    }
}
