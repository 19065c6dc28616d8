//! Lines, circles, helices and curves of the user's own.
//!
//! ```text
//! line     r = from + s (to - from)/|to - from|,           s in [0, |to - from|]     m
//! circle   r = R (cos s, sin s, 0),                        s in [0, 2 pi], closed    rad
//! helix    r = (R cos s, R sin s, pitch s / (2 pi)),       s in [0, 2 pi turns]      rad
//! ```
//!
//! They lie where the axes of the marker put them.

use super::Curve;
use crate::catalogue::declaration::Invalid;
use crate::error::refuse;
use crate::math::{Vec3, vec3};
use std::f64::consts::TAU;

/// A straight line from one point to another; its parameter is the distance from the first (m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Line {
    /// First point (m).
    pub from: Vec3,
    /// Last point (m).
    pub to: Vec3,
}

impl Curve for Line {
    fn domain(&self) -> (f64, f64) {
        (0.0, (self.to - self.from).length())
    }
    fn closed(&self) -> bool {
        false
    }
    fn at(&self, s: f64) -> [Vec3; 4] {
        let d = self.to - self.from;
        let e = d / d.length();
        [self.from + s * e, e, Vec3::ZERO, Vec3::ZERO]
    }
    fn validate(&self) -> Result<(), Invalid> {
        let length = (self.to - self.from).length();
        if length.is_finite() && length > 0.0 {
            Ok(())
        } else {
            refuse!("to", "line is {length} m long, must be finite and longer than 0")
        }
    }
}

/// A circle about the origin in the x-y plane; its parameter is the angle from x towards y (rad).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Circle {
    /// Radius (m).
    pub radius: f64,
}

impl Curve for Circle {
    fn domain(&self) -> (f64, f64) {
        (0.0, TAU)
    }
    fn closed(&self) -> bool {
        true
    }
    fn at(&self, s: f64) -> [Vec3; 4] {
        let (sin, cos) = libm::sincos(s);
        let (e, f) = (vec3(cos, sin, 0.0) * self.radius, vec3(-sin, cos, 0.0) * self.radius);
        [e, f, -e, -f]
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_radius(self.radius)
    }
}

fn check_radius(radius: f64) -> Result<(), Invalid> {
    if radius.is_finite() && radius > 0.0 {
        Ok(())
    } else {
        refuse!("radius", "radius is {radius} m, must be finite and positive")
    }
}

/// A helix about the z axis, from (radius, 0, 0); its parameter is the angle from x towards y (rad).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Helix {
    /// Distance from the axis (m).
    pub radius: f64,
    /// Advance along z per turn (m); negative for a left-handed one.
    pub pitch: f64,
    /// Number of turns.
    pub turns: f64,
}

impl Curve for Helix {
    fn domain(&self) -> (f64, f64) {
        (0.0, TAU * self.turns)
    }
    fn closed(&self) -> bool {
        false
    }
    fn at(&self, s: f64) -> [Vec3; 4] {
        let (sin, cos) = libm::sincos(s);
        let (e, f) = (vec3(cos, sin, 0.0) * self.radius, vec3(-sin, cos, 0.0) * self.radius);
        let rise = vec3(0.0, 0.0, self.pitch / TAU);
        [e + s * rise, f + rise, -e, -f]
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_radius(self.radius)?;
        if !self.pitch.is_finite() {
            return refuse!("pitch", "pitch is {} m, must be finite", self.pitch);
        }
        if !(self.turns.is_finite() && self.turns > 0.0) {
            return refuse!("turns", "number of turns is {}, must be finite and positive", self.turns);
        }
        Ok(())
    }
}

/// A curve given by a function of s that returns [r, r', r'', r'''].
pub struct UserCurve {
    at: Box<dyn Fn(f64) -> [Vec3; 4] + Send + Sync>,
    domain: (f64, f64),
    closed: bool,
}

impl UserCurve {
    /// An open curve over the parameters `from` to `to`.
    pub fn new(from: f64, to: f64, at: impl Fn(f64) -> [Vec3; 4] + Send + Sync + 'static) -> Self {
        UserCurve { at: Box::new(at), domain: (from, to), closed: false }
    }

    /// The same as a closed curve.
    pub fn closed(self) -> Self {
        UserCurve { closed: true, ..self }
    }
}

impl Curve for UserCurve {
    fn domain(&self) -> (f64, f64) {
        self.domain
    }
    fn closed(&self) -> bool {
        self.closed
    }
    fn at(&self, s: f64) -> [Vec3; 4] {
        (self.at)(s)
    }
}
