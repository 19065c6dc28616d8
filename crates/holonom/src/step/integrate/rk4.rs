//! The classical Runge-Kutta method of order 4.

use super::{Attempt, Integrator, Motion};
use crate::error::StepError;

/// Runge-Kutta of order 4, fixed step.
#[derive(Clone, Debug, Default)]
pub struct RungeKutta4 {
    y: Vec<f64>,
    stage: Vec<f64>,
    k: Vec<f64>,
    sum: Vec<f64>,
}

impl Integrator for RungeKutta4 {
    fn name(&self) -> &'static str {
        "rk4"
    }
    fn order(&self) -> u32 {
        4
    }
    fn any_coordinates(&self) -> bool {
        true
    }
    fn attempt(&mut self, m: &mut Motion<'_>, h: f64) -> Result<Attempt, StepError> {
        let RungeKutta4 { y, stage, k, sum } = self;
        m.with_system(y, |system, t, y| {
            let n = system.len();
            for scratch in [&mut *stage, k, sum] {
                scratch.resize(n, 0.0);
            }
            sum.fill(0.0);
            stage.copy_from_slice(y);
            for (node, weight) in [(0.0, 1.0), (0.5, 2.0), (0.5, 2.0), (1.0, 1.0)] {
                if node > 0.0 {
                    for i in 0..n {
                        stage[i] = y[i] + h * node * k[i];
                    }
                }
                system.rate(t + node * h, stage, k)?;
                for i in 0..n {
                    sum[i] += weight * k[i];
                }
            }
            for i in 0..n {
                y[i] += h / 6.0 * sum[i];
            }
            system.normalise(y);
            Ok(Attempt { error: None, evaluations: 4 })
        })
    }
}
