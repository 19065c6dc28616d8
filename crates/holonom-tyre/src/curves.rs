//! Curves for tyres: friction against slip, vertical load against deflection.
//!
//! ```text
//! friction    up to the peak, where static friction is reached and not exceeded:
//!             mu = mu_s x (2 - x),      x = slip / peak
//!             from there to full sliding at slip 1, then mu_k:
//!             mu = mu_s - (mu_s - mu_k) y^2 (3 - 2 y),      y = (slip - peak) / (1 - peak)
//! load        F = k d (1 + h d)
//! ```
//!
//! Both have continuous slopes. The coefficients of friction below are those that Tasora (2001, table 1) measured for a
//! 28-622 bicycle tyre. The shape of the curve, the slip of its peak, and the numbers of the load curves are
//! assumptions of this project: the paper shows its measured stiffness only in a figure.

use holonom::declaration::{Invalid, not_negative, positive};
use holonom::functions::Function;

/// Static and kinetic coefficients of friction of a tyre on a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grip {
    /// Largest, before it slides.
    pub sticking: f64,
    /// When it slides.
    pub sliding: f64,
}

impl Grip {
    /// Clean asphalt (Tasora 2001, table 1).
    pub const ASPHALT_CLEAN: Grip = Grip { sticking: 0.97, sliding: 0.86 };
    /// Wet asphalt (Tasora 2001, table 1).
    pub const ASPHALT_WET: Grip = Grip { sticking: 0.90, sliding: 0.88 };
    /// Clean stone (Tasora 2001, table 1).
    pub const STONE_CLEAN: Grip = Grip { sticking: 0.68, sliding: 0.65 };
    /// Wet stone (Tasora 2001, table 1).
    pub const STONE_WET: Grip = Grip { sticking: 0.62, sliding: 0.61 };
    /// A clean steel rail (Tasora 2001, table 1).
    pub const RAIL_CLEAN: Grip = Grip { sticking: 0.45, sliding: 0.42 };
    /// A wet but clean steel rail (Tasora 2001, table 1).
    pub const RAIL_WET: Grip = Grip { sticking: 0.38, sliding: 0.38 };
    /// A wet and dirty steel rail: upper bounds (Tasora 2001, table 1, says "less than").
    pub const RAIL_DIRTY: Grip = Grip { sticking: 0.35, sliding: 0.34 };
}

/// Coefficient of friction as a function of slip.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlipCurve {
    grip: Grip,
    peak: f64,
}

impl SlipCurve {
    /// The peak is at a slip of 0.1.
    pub fn new(grip: Grip) -> Self {
        SlipCurve { grip, peak: 0.1 }
    }

    /// The slip (between 0 and 1) of the largest friction.
    pub fn peak(self, slip: f64) -> Self {
        SlipCurve { peak: slip, ..self }
    }
}

impl Function for SlipCurve {
    fn at(&self, slip: f64) -> [f64; 3] {
        let Grip { sticking: s, sliding: k } = self.grip;
        if slip <= self.peak {
            let x = slip / self.peak;
            [s * x * (2.0 - x), 2.0 * s * (1.0 - x) / self.peak, -2.0 * s / (self.peak * self.peak)]
        } else if slip < 1.0 {
            let width = 1.0 - self.peak;
            let y = (slip - self.peak) / width;
            let (drop, slope) = (s - k, 6.0 * y * (1.0 - y) / width);
            [s - drop * y * y * (3.0 - 2.0 * y), -drop * slope, -drop * (6.0 - 12.0 * y) / (width * width)]
        } else {
            [k, 0.0, 0.0]
        }
    }
    fn validate(&self) -> Result<(), Invalid> {
        not_negative("static friction", self.grip.sticking, "(a number)")?;
        not_negative("kinetic friction", self.grip.sliding, "(a number)")?;
        if self.peak > 0.0 && self.peak < 1.0 {
            Ok(())
        } else {
            Err(Invalid::new("peak_slip", format!("slip of the peak is {}, must be between 0 and 1", self.peak)))
        }
    }
}

/// Vertical load (N) as a function of deflection (m): stiffer the deeper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TyreLoad {
    stiffness: f64,
    hardening: f64,
}

impl TyreLoad {
    /// Assumed for a 28-622 tyre, well inflated.
    pub const CITY_BIKE: TyreLoad = TyreLoad { stiffness: 8.0e4, hardening: 40.0 };
    /// Assumed for a wide tyre at low pressure.
    pub const SOFT_BIKE: TyreLoad = TyreLoad { stiffness: 2.5e4, hardening: 25.0 };

    /// `F = stiffness d (1 + hardening d)`: N/m and 1/m.
    pub fn new(stiffness: f64, hardening: f64) -> Self {
        TyreLoad { stiffness, hardening }
    }
}

impl Function for TyreLoad {
    fn at(&self, d: f64) -> [f64; 3] {
        let (k, h) = (self.stiffness, self.hardening);
        if d > 0.0 { [k * d * (1.0 + h * d), k * (1.0 + 2.0 * h * d), 2.0 * k * h] } else { [0.0; 3] }
    }
    fn validate(&self) -> Result<(), Invalid> {
        positive("stiffness", self.stiffness, "N/m")?;
        not_negative("hardening", self.hardening, "1/m")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_the_curves() {
        let slip = SlipCurve::new(Grip::ASPHALT_CLEAN).peak(0.15);
        for f in [&slip as &dyn Function, &TyreLoad::CITY_BIKE] {
            for x in [0.01, 0.07, 0.14, 0.16, 0.5, 0.9, 1.3] {
                let h = 1e-6;
                let (a, m, b) = (f.at(x - h), f.at(x), f.at(x + h));
                assert!(((b[0] - a[0]) / (2.0 * h) - m[1]).abs() < 1e-6 * (1.0 + m[1].abs()), "{x}");
                assert!(((b[1] - a[1]) / (2.0 * h) - m[2]).abs() < 1e-6 * (1.0 + m[2].abs()), "{x}");
            }
        }
        assert_eq!([slip.at(0.0)[0], slip.at(0.15)[0], slip.at(1.0)[0], slip.at(2.0)[0]], [0.0, 0.97, 0.86, 0.86]);
        let largest = (0..2000).map(|k| slip.at(1e-3 * k as f64)[0]).fold(0.0, f64::max);
        assert!(largest <= 0.97);
        assert!(slip.peak(1.0).validate().is_err() && TyreLoad::new(-1.0, 0.0).validate().is_err());
    }
}
