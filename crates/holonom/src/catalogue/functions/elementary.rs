//! Functions with a formula.
//!
//! ```text
//! harmonic     f = mean + amplitude sin(frequency x + phase)
//! smooth step  f = from + (to - from) (10 z^3 - 15 z^4 + 6 z^5),  z = (x - start)/(end - start) held in [0, 1]:  f', f'' = 0 at both ends
//! polynomial   f = c_0 + c_1 (x - about) + c_2 (x - about)^2 + ...
//! ```

use super::{Function, check_finite};
use crate::catalogue::declaration::Invalid;
use crate::error::refuse;

/// A harmonic oscillation, `mean + amplitude sin(frequency x + phase)`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Harmonic {
    /// Mean value.
    pub mean: f64,
    /// Amplitude.
    pub amplitude: f64,
    /// Angular frequency (rad/s where x is time).
    pub frequency: f64,
    /// Phase at x = 0 (rad).
    pub phase: f64,
}

impl Function for Harmonic {
    fn at(&self, x: f64) -> [f64; 3] {
        let (sin, cos) = libm::sincos(self.frequency * x + self.phase);
        let (a, w) = (self.amplitude, self.frequency);
        [self.mean + a * sin, a * w * cos, -a * w * w * sin]
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_finite(&[
            ("mean", self.mean),
            ("amplitude", self.amplitude),
            ("frequency", self.frequency),
            ("phase", self.phase),
        ])
    }
}

/// From one value to another between two abscissae, with rate and second derivative zero at both; constant before and
/// after.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SmoothStep {
    /// Value up to `start`.
    pub from: f64,
    /// Value from `end` on.
    pub to: f64,
    /// Where it begins to change (s where x is time).
    pub start: f64,
    /// Where it has changed.
    pub end: f64,
}

impl Function for SmoothStep {
    fn at(&self, x: f64) -> [f64; 3] {
        if x <= self.start {
            return [self.from, 0.0, 0.0];
        }
        if x >= self.end {
            return [self.to, 0.0, 0.0];
        }
        let width = self.end - self.start;
        let z = (x - self.start) / width;
        let rise = self.to - self.from;
        [
            self.from + rise * (z * z * z * (10.0 + z * (6.0 * z - 15.0))),
            rise * (30.0 * z * z * (1.0 - z) * (1.0 - z)) / width,
            rise * (60.0 * z * (1.0 - z) * (1.0 - 2.0 * z)) / (width * width),
        ]
    }
    fn highest(&self, from: f64, to: f64) -> f64 {
        // it rises or falls all the way
        self.at(from)[0].max(self.at(to)[0])
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_finite(&[("first value", self.from), ("last value", self.to), ("start", self.start), ("end", self.end)])?;
        if self.start < self.end {
            Ok(())
        } else {
            refuse!("end", "step starts at {} and ends at {}, must end later", self.start, self.end)
        }
    }
}

/// A polynomial in `x - about`.
#[derive(Clone, Debug, PartialEq)]
pub struct Polynomial {
    /// Coefficients of the powers 0, 1, 2 ...
    pub coefficients: Vec<f64>,
    /// Where the powers are zero.
    pub about: f64,
}

impl Polynomial {
    /// In powers of x.
    pub fn new(coefficients: &[f64]) -> Self {
        Polynomial { coefficients: coefficients.to_vec(), about: 0.0 }
    }

    /// The same coefficients for powers of `x - about`.
    pub fn about(self, about: f64) -> Self {
        Polynomial { about, ..self }
    }
}

impl Function for Polynomial {
    fn at(&self, x: f64) -> [f64; 3] {
        let z = x - self.about;
        // Horner's scheme, differentiated along
        let [f, d, half] =
            self.coefficients.iter().rev().fold([0.0; 3], |[f, d, half], c| [f * z + c, d * z + f, half * z + d]);
        [f, d, 2.0 * half]
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_finite(&[("origin", self.about)])?;
        if self.coefficients.is_empty() {
            return Err("polynomial has no coefficients, must have at least 1".into());
        }
        match self.coefficients.iter().find(|c| !c.is_finite()) {
            Some(c) => refuse!("coefficients", "coefficient is {c}, must be finite"),
            None => Ok(()),
        }
    }
}
