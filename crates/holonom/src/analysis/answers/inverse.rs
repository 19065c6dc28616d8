//! Inverse dynamics: the efforts that make a motion.
//!
//! ```text
//! wanted     vdot, legal:  J vdot + c = 0
//! M vdot = F + J^T lambda + G^T e      =>      P G^T e = vdot - a_free,     a_free = the motion without efforts
//! ```
//!
//! Efforts act along the rows of G: coordinates of joints, or whatever else pushes. Where there are as many as the
//! mechanism has freedom, they are unique. Where there are more, the smallest are taken, `min sum (e_i / s_i)^2`; where
//! fewer, those that come nearest in the metric of the masses, and what they miss is said. Loops need no care: nothing
//! is cut. Compared are columns `L^T P G^T` with M = L L^T, so that no condition is squared; one more round with what
//! is left of the wanted accelerations takes rounding away.

use super::along::PushAlong;
use super::factor::HeldFactor;
use super::least::LeastEffort;
use crate::analysis::dense::{add, dot};
use crate::error::StepError;

/// What is left of the free answer to a push, in the norm of the masses, when joints hold it.
const HELD: f64 = 1e-11;

/// The efforts that make a motion.
#[derive(Clone, Debug, PartialEq)]
pub struct InverseDynamics {
    /// One for each direction of pushing, N or N m.
    pub efforts: Vec<f64>,
    /// Multipliers of all rows while they act.
    pub multipliers: Vec<f64>,
    /// Accelerations that come of them, per velocity coordinate.
    pub acceleration: Vec<f64>,
    /// How many of the efforts are independent of each other.
    pub rank: usize,
    /// Is what was wanted missed? The distance of the accelerations that come of the efforts from those wanted, in the
    /// norm of the masses, as a part of the largest of what was wanted, what happens without efforts, and what all
    /// forces would do to the bodies alone. Rounding where there are enough efforts and what was wanted is legal.
    pub missed: f64,
}

impl InverseDynamics {
    /// Are these the only efforts that do it? Where not, they are the smallest.
    pub fn is_unique(&self) -> bool {
        self.rank == self.efforts.len()
    }
}

/// Length.
fn size_of(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

fn check(what: &str, values: &[f64], n: usize, positive: bool) -> Result<(), StepError> {
    if values.len() != n {
        return Err(StepError::Invalid(format!("{what}: {} numbers, must be {n}", values.len())));
    }
    match values.iter().find(|x| !x.is_finite() || positive && **x <= 0.0) {
        Some(x) => {
            let must = if positive { "finite and greater than 0" } else { "finite" };
            Err(StepError::Invalid(format!("{what}: {x}, must be {must}")))
        }
        None => Ok(()),
    }
}

impl HeldFactor {
    /// The efforts along these directions with which all velocity coordinates accelerate as wanted. `scales`: sizes
    /// that efforts are measured by where more than one set of them does it (their limits, for instance), 1 when not
    /// given.
    ///
    /// One solve for each direction and three more.
    pub fn inverse_dynamics(
        &mut self,
        acceleration: &[f64],
        along: &[PushAlong],
        scales: Option<&[f64]>,
    ) -> Result<InverseDynamics, StepError> {
        check("accelerations", acceleration, self.n_v(), false)?;
        let rows = self.rows_of(along, scales)?;
        let weighted = rows.iter().map(|r| self.weighted_answer(r)).collect::<Result<Vec<_>, _>>()?;
        let factor = LeastEffort::new(&weighted, scales);
        let free = self.accelerations()?;
        let mut efforts = vec![0.0; along.len()];
        let mut now = free.clone();
        let mut missed = Vec::new();
        for _ in 0..3 {
            let off: Vec<f64> = acceleration.iter().zip(&now.acceleration).map(|(a, b)| a - b).collect();
            missed = self.mass_root_times(&off)?;
            let more = factor.solve(&missed);
            efforts.iter_mut().zip(&more).for_each(|(e, more)| *e += more);
            now = self.accelerations_under(&rows, &efforts)?;
            let off: Vec<f64> = acceleration.iter().zip(&now.acceleration).map(|(a, b)| a - b).collect();
            let left = self.mass_root_times(&off)?;
            let better = dot(&left, &left) < 0.25 * dot(&missed, &missed);
            missed = left;
            if !better {
                break;
            }
        }
        let mut size = dot(self.force(), &self.mass_inverse(self.force())?).sqrt();
        for a in [acceleration, &free.acceleration] {
            size = size.max(size_of(&self.mass_root_times(a)?));
        }
        let missed = if size > 0.0 { size_of(&missed) / size } else { 0.0 };
        Ok(InverseDynamics {
            efforts,
            multipliers: now.multipliers,
            acceleration: now.acceleration,
            rank: factor.rank(),
            missed,
        })
    }

    /// The efforts along these directions with which the accelerations along them are as wanted, `d(g . v)/dt`; what
    /// the mechanism is free to do besides, it does by itself. Where directions depend on each other the smallest
    /// efforts are taken, and the accelerations must agree.
    pub fn efforts_for(
        &mut self,
        along: &[PushAlong],
        wanted: &[f64],
        scales: Option<&[f64]>,
    ) -> Result<InverseDynamics, StepError> {
        check("accelerations", wanted, along.len(), false)?;
        let rows = self.rows_of(along, scales)?;
        let drift = self.jacobian_dot_v(along)?;
        let n = rows.len();
        let held = rows.iter().map(|r| Ok(size_of(&self.weighted_answer(r)?) == 0.0));
        let held = held.collect::<Result<Vec<bool>, StepError>>()?;
        let matrix = self.mobility_of(&rows)?;
        let entry = |i: usize, j: usize| if held[i] || held[j] { 0.0 } else { matrix[i * n + j] };
        let columns: Vec<Vec<f64>> = (0..n).map(|j| (0..n).map(|i| entry(i, j)).collect()).collect();
        let factor = LeastEffort::new(&columns, scales);
        let mut efforts = vec![0.0; n];
        let mut now = self.accelerations()?;
        let (mut size, mut left) = (0.0f64, 0.0);
        for round in 0..3 {
            let off: Vec<f64> = (0..n).map(|i| wanted[i] - drift[i] - dot(&rows[i], &now.acceleration)).collect();
            left = off.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            size = wanted.iter().fold(size.max(left), |m, x| m.max(x.abs()));
            if round == 2 || left == 0.0 {
                break;
            }
            efforts.iter_mut().zip(factor.solve(&off)).for_each(|(e, more)| *e += more);
            now = self.accelerations_under(&rows, &efforts)?;
        }
        Ok(InverseDynamics {
            efforts,
            multipliers: now.multipliers,
            acceleration: now.acceleration,
            rank: factor.rank(),
            missed: if size > 0.0 { left / size } else { 0.0 },
        })
    }

    /// `L^T P g`; exactly zero where joints hold all that the push could move, and only rounding is left.
    fn weighted_answer(&mut self, row: &[f64]) -> Result<Vec<f64>, StepError> {
        let answer = self.respond(row)?.acceleration;
        let mut weighted = self.mass_root_times(&answer)?;
        let free = dot(row, &self.mass_inverse(row)?).sqrt();
        if !(size_of(&weighted) > HELD * free) {
            weighted.fill(0.0);
        }
        Ok(weighted)
    }

    fn rows_of(&self, along: &[PushAlong], scales: Option<&[f64]>) -> Result<Vec<Vec<f64>>, StepError> {
        if let Some(scales) = scales {
            check("scales of the efforts", scales, along.len(), true)?;
        }
        along.iter().map(|a| self.row(a)).collect()
    }

    /// The motion under all forces and these efforts.
    fn accelerations_under(&mut self, rows: &[Vec<f64>], efforts: &[f64]) -> Result<super::Response, StepError> {
        let mut x: Vec<f64> = self.force().iter().chain(self.row_acceleration()).copied().collect();
        for (row, e) in rows.iter().zip(efforts) {
            add(&mut x[..row.len()], *e, row);
        }
        self.response(x)
    }
}
