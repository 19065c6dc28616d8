//! Functions of one variable with two derivatives: motions prescribed in time, laws of springs and motors.

/// A function of one variable, mostly of time.
pub trait Function: Send + Sync {
    /// Value, first and second derivative at `x`.
    fn at(&self, x: f64) -> [f64; 3];
    /// Are the parameters usable? `Err` says which is not and what is allowed.
    fn validate(&self) -> Result<(), String> {
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
    fn validate(&self) -> Result<(), String> {
        if self.is_finite() { Ok(()) } else { Err(format!("constant is {self}, must be finite")) }
    }
}
