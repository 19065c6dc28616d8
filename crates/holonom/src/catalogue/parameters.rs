//! Checks of parameters with one wording for all kinds of bodies, joints, forces and functions: what their `validate` is made of. A message names the
//! parameter, its value and what it must be.

use crate::math::Vec3;

/// Must be finite.
pub fn finite(name: &str, value: f64) -> Result<(), String> {
    if value.is_finite() { Ok(()) } else { Err(format!("{name} is {value}, must be finite")) }
}

/// A vector whose components must be finite.
pub fn finite_vector(name: &str, value: Vec3) -> Result<(), String> {
    if value.is_finite() { Ok(()) } else { Err(format!("{name} is {value}, must be finite")) }
}

/// Must be finite and greater than 0.
pub fn positive(name: &str, value: f64, unit: &str) -> Result<(), String> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(format!("{name} is {value} {unit}, must be finite and greater than 0"))
    }
}

/// Must be finite and not negative.
pub fn not_negative(name: &str, value: f64, unit: &str) -> Result<(), String> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(format!("{name} is {value} {unit}, must be finite and not negative"))
    }
}
