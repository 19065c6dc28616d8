//! A rotor: inertia on a motion of others, with nothing of its own that could be seen.
//!
//! ```text
//! q = u    v = udot    M = I    force = 0
//! ```
//!
//! The rotor of a geared motor turns n times as fast as the joint it drives and so adds I n^2 to the inertia of the
//! joint's *relative* rate; what it does to the mount (its weight, the gyroscopic moment of its spin) is left to the
//! body that carries it. Robot descriptions call I n^2 the armature. No mass block of a rigid body can hold it, because
//! it stands between two bodies; a body with one coordinate, tied to the joint's rate by
//! [`crate::catalogue::joints::RotorGear`], holds it exactly.
//!
//! It weighs nothing, has no place and no momentum in space. What carries its coordinate through the waist is its
//! origin, said to be at (u, 0, 0).

use super::{Body, Inertia, Momentum};
use crate::catalogue::attach::{Attached, AttachmentKind, Frame};
use crate::catalogue::declaration::{Invalid, positive};
use crate::error::refuse;
use crate::math::{Vec3, vec3};

/// Inertia with one coordinate, geared to something.
#[derive(Clone, Debug)]
pub struct Rotor {
    inertia: f64,
    rate: f64,
}

impl Rotor {
    /// Inertia: kg m^2 where it turns, kg where it follows a length.
    pub fn new(inertia: f64) -> Self {
        Rotor { inertia, rate: 0.0 }
    }

    /// Rate at the start, rad/s or m/s: that of what it is geared to, times the ratio.
    pub fn rate(self, rate: f64) -> Self {
        Rotor { rate, ..self }
    }
}

impl Body for Rotor {
    fn kind(&self) -> &'static str {
        "rotor"
    }
    fn n_dof(&self) -> usize {
        1
    }
    fn mass(&self) -> f64 {
        0.0
    }
    fn n_lengths(&self) -> usize {
        0
    }
    fn initial(&self, q: &mut [f64], v: &mut [f64]) {
        q[0] = 0.0;
        v[0] = self.rate;
    }
    fn validate(&self) -> Result<(), Invalid> {
        positive("inertia", self.inertia, "kg m^2 (or kg)")?;
        if self.rate.is_finite() { Ok(()) } else { refuse!("rate", "rate is {}, must be finite", self.rate) }
    }
    fn can_carry(&self, what: &AttachmentKind) -> Result<(), &'static str> {
        match what {
            AttachmentKind::Point(p) if *p == Vec3::ZERO => Ok(()),
            _ => Err("a rotor carries nothing but its own coordinate"),
        }
    }
    fn carry(&self, q: &[f64], v: &[f64], _: &AttachmentKind) -> Attached {
        Attached { at: vec3(q[0], 0.0, 0.0), rate: vec3(v[0], 0.0, 0.0), jdot_v: Vec3::ZERO }
    }
    fn pull(&self, _: &[f64], _: &AttachmentKind, g: Vec3, out: &mut [f64]) {
        out[0] += g.x;
    }
    fn evaluate(&self, _: &[f64], _: &[f64], _: &Frame, _: Vec3, out: Inertia<'_>) {
        out.mass[0] = self.inertia;
        out.force[0] = 0.0;
    }
    fn turned(&self, _: Vec3, _: &[f64], out: &mut [f64]) {
        out[0] = 0.0;
    }
    fn felt(&self, _: Vec3, _: Vec3) -> (Vec3, Vec3) {
        (Vec3::ZERO, Vec3::ZERO)
    }
    fn centre(&self, _: &[f64]) -> Vec3 {
        Vec3::ZERO
    }
    fn momentum(&self, _: &[f64], _: &[f64]) -> Momentum {
        Momentum::default()
    }
}
