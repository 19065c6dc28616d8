//! Functions made of functions.
//!
//! ```text
//! sum      f = f_1 + f_2 + ...
//! scaled   f = factor g(rate (x - start)),      f' = factor rate g',      f'' = factor rate^2 g''
//! ```

use super::{Function, check_finite};
use crate::catalogue::declaration::Invalid;

/// The sum of functions; nothing added is zero.
#[derive(Default)]
pub struct Sum(Vec<Box<dyn Function>>);

impl Sum {
    /// The sum of nothing yet.
    pub fn new() -> Self {
        Sum::default()
    }

    /// With one more term.
    pub fn and(mut self, term: impl Function + 'static) -> Self {
        self.0.push(Box::new(term));
        self
    }
}

impl Function for Sum {
    fn at(&self, x: f64) -> [f64; 3] {
        self.0.iter().fold([0.0; 3], |sum, f| {
            let f = f.at(x);
            [sum[0] + f[0], sum[1] + f[1], sum[2] + f[2]]
        })
    }
    fn highest(&self, from: f64, to: f64) -> f64 {
        self.0.iter().map(|f| f.highest(from, to)).sum()
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.0.iter().enumerate().try_for_each(|(i, f)| {
            f.validate().map_err(|e| e.within(&format!("terms.{i}")).prefixed(&format!("term {i}: ")))
        })
    }
}

/// A function multiplied by a factor, and with its variable shifted and stretched.
pub struct ScaledFunction {
    function: Box<dyn Function>,
    factor: f64,
    start: f64,
    rate: f64,
}

impl ScaledFunction {
    /// `factor * function(x)`.
    pub fn new(factor: f64, function: impl Function + 'static) -> Self {
        ScaledFunction { function: Box::new(function), factor, start: 0.0, rate: 1.0 }
    }

    /// `factor * function(rate * (x - start))`: later by `start`, faster by `rate`.
    pub fn shifted(self, start: f64, rate: f64) -> Self {
        ScaledFunction { start, rate, ..self }
    }
}

impl Function for ScaledFunction {
    fn at(&self, x: f64) -> [f64; 3] {
        let [f, d, dd] = self.function.at(self.rate * (x - self.start));
        let (a, r) = (self.factor, self.rate);
        [a * f, a * r * d, a * r * r * dd]
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_finite(&[("factor", self.factor), ("start", self.start), ("rate", self.rate)])?;
        self.function.validate()
    }
}
