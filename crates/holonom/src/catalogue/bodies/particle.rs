//! A point mass: q = x, v = xdot, M = m 1. It carries its own point and nothing else.

use super::{Body, Inertia, Momentum};
use crate::catalogue::attach::{Attached, AttachmentKind, Frame, read3, write3};
use crate::catalogue::declaration::{Invalid, finite_vector, positive};
use crate::math::Vec3;

/// A point mass with three coordinates.
#[derive(Clone, Debug)]
pub struct Particle {
    mass: f64,
    position: Vec3,
    velocity: Vec3,
}

impl Particle {
    /// Mass in kg, start position in m.
    pub fn new(mass: f64, position: impl Into<Vec3>) -> Self {
        Particle { mass, position: position.into(), velocity: Vec3::ZERO }
    }

    /// Start velocity, m/s.
    pub fn velocity(self, velocity: impl Into<Vec3>) -> Self {
        Particle { velocity: velocity.into(), ..self }
    }
}

impl Body for Particle {
    fn kind(&self) -> &'static str {
        "particle"
    }
    fn keeps_shape(&self) -> bool {
        true
    }
    fn is_point(&self) -> bool {
        true
    }
    fn n_dof(&self) -> usize {
        3
    }
    fn mass(&self) -> f64 {
        self.mass
    }
    fn initial(&self, q: &mut [f64], v: &mut [f64]) {
        write3(q, self.position);
        write3(v, self.velocity);
    }
    fn validate(&self) -> Result<(), Invalid> {
        positive("mass", self.mass, "kg")?;
        finite_vector("position", self.position)?;
        finite_vector("velocity", self.velocity)
    }
    fn can_carry(&self, what: &AttachmentKind) -> Result<(), &'static str> {
        match what {
            AttachmentKind::Point(p) if *p == Vec3::ZERO => Ok(()),
            AttachmentKind::Point(_) => Err("a particle carries only the point at its own origin"),
            _ => Err("a particle has no orientation"),
        }
    }
    fn carry(&self, q: &[f64], v: &[f64], _: &AttachmentKind) -> Attached {
        Attached { at: read3(q), rate: read3(v), jdot_v: Vec3::ZERO }
    }
    fn pull(&self, _: &[f64], _: &AttachmentKind, g: Vec3, out: &mut [f64]) {
        for i in 0..3 {
            out[i] += g[i];
        }
    }
    fn evaluate(&self, _: &[f64], _: &[f64], _: &Frame, gravity: Vec3, out: Inertia<'_>) {
        out.mass.copy_from_slice(&[self.mass, 0.0, 0.0, self.mass, 0.0, self.mass]);
        write3(out.force, self.mass * gravity);
    }
    fn centre(&self, q: &[f64]) -> Vec3 {
        read3(q)
    }
    fn momentum(&self, q: &[f64], v: &[f64]) -> Momentum {
        let p = self.mass * read3(v);
        Momentum { linear: p, angular: read3(q).cross(p) }
    }
}
