//! Checks of parameters in shared words. The field that a refusal names is the quantity with underscores.

use crate::error::Invalid;
use crate::math::Vec3;

/// The field of a quantity: its name with underscores (`stall torque`: `stall_torque`).
fn about(name: &str, reason: String) -> Invalid {
    Invalid::new(name.replace([' ', '-'], "_"), reason)
}

/// Shared wording for parameters that must be finite.
pub fn finite(name: &str, value: f64) -> Result<(), Invalid> {
    if value.is_finite() { Ok(()) } else { Err(about(name, format!("{name} is {value}, must be finite"))) }
}

/// Shared wording for vectors that must be finite.
pub fn finite_vector(name: &str, value: Vec3) -> Result<(), Invalid> {
    if value.is_finite() { Ok(()) } else { Err(about(name, format!("{name} is {value}, must be finite"))) }
}

/// Shared wording for parameters that must not be negative.
pub fn not_negative(name: &str, value: f64, unit: &str) -> Result<(), Invalid> {
    if value.is_finite() && value >= 0.0 {
        Ok(())
    } else {
        Err(about(name, format!("{name} is {value} {unit}, must be finite and not negative")))
    }
}

/// Shared wording for parameters that must be greater than zero.
pub fn positive(name: &str, value: f64, unit: &str) -> Result<(), Invalid> {
    if value.is_finite() && value > 0.0 {
        Ok(())
    } else {
        Err(about(name, format!("{name} is {value} {unit}, must be finite and greater than 0")))
    }
}

/// Shared wording for parts of a whole.
pub fn between_0_and_1(name: &str, value: f64) -> Result<(), Invalid> {
    if (0.0..=1.0).contains(&value) {
        Ok(())
    } else {
        Err(about(name, format!("{name} is {value}, must be between 0 and 1")))
    }
}

/// Shared wording for parameters that may be left open, and must be finite otherwise.
pub fn optional_finite(name: &str, value: Option<f64>, unit: &str) -> Result<(), Invalid> {
    match value {
        Some(x) if !x.is_finite() => Err(about(name, format!("{name} is {x} {unit}, must be finite"))),
        _ => Ok(()),
    }
}
