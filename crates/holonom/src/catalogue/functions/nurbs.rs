//! Rational B-spline of one variable, over its knots.
//!
//! ```text
//! f(x) = sum_i N_i(x) w_i y_i / sum_i N_i(x) w_i
//! ```
//!
//! Basis and quotient: `curves/basis.rs`. Beyond the first and the last knot it goes on straight with the slope it has
//! there.

use super::Function;
use crate::catalogue::curves::{Knots, check_weights, evaluate_rational};
use crate::catalogue::declaration::Invalid;
use crate::error::refuse;

/// A rational B-spline function of degree 1 to 7; x is the parameter of its knots.
#[derive(Clone, Debug)]
pub struct NurbsFunction {
    knots: Knots,
    values: Vec<f64>,
    weights: Vec<f64>,
    fault: Option<Invalid>,
}

impl NurbsFunction {
    /// From control values, as many weights, and `values + degree + 1` knots.
    pub fn new(degree: usize, values: &[f64], weights: &[f64], knots: &[f64]) -> Self {
        let knots = Knots { degree, knots: knots.to_vec() };
        let fault = check(&knots, values, weights).err();
        NurbsFunction { knots, values: values.to_vec(), weights: weights.to_vec(), fault }
    }
}

fn check(knots: &Knots, values: &[f64], weights: &[f64]) -> Result<(), Invalid> {
    knots.check(values.len(), "")?;
    check_weights(weights, values.len())?;
    match values.iter().find(|y| !y.is_finite()) {
        Some(y) => refuse!("values", "control value is {y}, must be finite"),
        None => Ok(()),
    }
}

impl Function for NurbsFunction {
    fn at(&self, x: f64) -> [f64; 3] {
        if self.fault.is_some() {
            return [f64::NAN; 3];
        }
        let (from, to) = self.knots.domain();
        let inside = x.clamp(from, to);
        let [f, d, dd, _] =
            evaluate_rational(&self.knots, self.knots.span(inside), inside, &self.values, &self.weights);
        if x == inside { [f, d, dd] } else { [f + d * (x - inside), d, 0.0] }
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.fault.clone().map_or(Ok(()), Err)
    }
}
