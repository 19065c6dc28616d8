//! Functions of one variable.

use crate::error::Invalid;
use std::sync::Arc;

/// A function of one variable, mostly of time.
pub trait Function: Send + Sync {
    /// Value, first and second derivative at `x`.
    fn at(&self, x: f64) -> [f64; 3];
    /// A bound that its values do not exceed from `from` to `to`, if one is known without looking: infinity is always
    /// true.
    fn highest(&self, _from: f64, _to: f64) -> f64 {
        f64::INFINITY
    }
    /// Are the parameters usable? `Err` says which is not and what is allowed.
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
}

/// Any Rust function that gives value, first and second derivative.
impl<F: Fn(f64) -> [f64; 3] + Send + Sync> Function for F {
    fn at(&self, x: f64) -> [f64; 3] {
        self(x)
    }
}

/// A number is a constant function.
impl Function for f64 {
    fn at(&self, _: f64) -> [f64; 3] {
        [*self, 0.0, 0.0]
    }
    fn highest(&self, _: f64, _: f64) -> f64 {
        *self
    }
    fn validate(&self) -> Result<(), Invalid> {
        if self.is_finite() { Ok(()) } else { Err(Invalid::new("", format!("constant is {self}, must be finite"))) }
    }
}

/// A function that others share.
impl Function for Arc<dyn Function> {
    fn at(&self, x: f64) -> [f64; 3] {
        self.as_ref().at(x)
    }
    fn highest(&self, from: f64, to: f64) -> f64 {
        self.as_ref().highest(from, to)
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.as_ref().validate()
    }
}
