//! Cubic spline through samples: value, slope and second derivative are continuous.
//!
//! The equations are those of `curves/cubic.rs`. Beyond the first and the last sample it goes on straight with the
//! slope it has there; that slope is continuous, and so is the second derivative where the ends are natural.

use super::{Function, check_finite, check_samples};
use crate::catalogue::curves::{Ends, evaluate_cubic, second_derivatives};
use crate::catalogue::declaration::Invalid;

/// A smooth function through samples.
#[derive(Clone, Debug)]
pub struct SplineFunction {
    x: Vec<f64>,
    y: Vec<f64>,
    moments: Vec<f64>,
    fault: Option<Invalid>,
}

impl SplineFunction {
    /// Through the points `(x, y)`, the second derivative zero at both ends.
    pub fn natural(x: &[f64], y: &[f64]) -> Self {
        Self::new(x.to_vec(), y, Ends::Natural)
    }

    /// Through the points `(x, y)`, with given slopes at both ends.
    pub fn clamped(x: &[f64], y: &[f64], first: f64, last: f64) -> Self {
        Self::new(x.to_vec(), y, Ends::Clamped(first, last))
    }

    /// Through values at `start`, `start + step`, ...: data sampled at a constant rate. The ends are natural.
    pub fn uniform(start: f64, step: f64, y: &[f64]) -> Self {
        Self::new((0..y.len()).map(|i| start + i as f64 * step).collect(), y, Ends::Natural)
    }

    fn new(x: Vec<f64>, y: &[f64], ends: Ends<f64>) -> Self {
        let slopes = match ends {
            Ends::Clamped(a, b) => check_finite(&[("first slope", a), ("last slope", b)]),
            _ => Ok(()),
        };
        let fault = check_samples(&x, y).and(slopes).err();
        let moments = if fault.is_none() { second_derivatives(&x, y, ends) } else { vec![] };
        SplineFunction { x, y: y.to_vec(), moments, fault }
    }
}

impl Function for SplineFunction {
    fn at(&self, x: f64) -> [f64; 3] {
        if self.fault.is_some() {
            return [f64::NAN; 3];
        }
        let inside = x.clamp(self.x[0], self.x[self.x.len() - 1]);
        let [f, d, dd, _] = evaluate_cubic(&self.x, &self.y, &self.moments, inside);
        if x == inside { [f, d, dd] } else { [f + d * (x - inside), d, 0.0] }
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.fault.clone().map_or(Ok(()), Err)
    }
}
