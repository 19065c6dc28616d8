//! Inputs and outputs of a linearised system.
//!
//! ```text
//! [zdot; wdot] = A [z; w] + B u            y - y0 = C [z; w] + D u
//! B = [0; N^T M P g^T]     u: sizes of pushes along g, P = the joints' answer to a push (HeldFactor::respond)
//! C = dy/d[z; w]           y: whatever is read at a state; differences at closed neighbours, extrapolated
//! ```
//!
//! D belongs to outputs that know forces (reactions, accelerations): who reads them can push while reading, and what
//! comes of it is linear in the push.

use super::basis::Directions;
use super::neighbour::{Neighbourhood, derivative, extent};
use super::{Linearisation, closed};
use crate::analysis::answers::{HeldFactor, PushAlong};
use crate::analysis::dense::dot;
use crate::error::StepError;
use crate::model::state::State;
use crate::step::mechanism::Mechanism;

/// What is read at a state: numbers, always as many.
pub(crate) type Reading<'a> = dyn FnMut(&State) -> Result<Vec<f64>, StepError> + 'a;

impl Linearisation {
    /// A column of B: what a unit push along a direction makes of `[zdot; wdot]`. The factor must be that of the state
    /// which was linearised.
    pub fn input(&self, held: &mut HeldFactor, along: &PushAlong) -> Result<Vec<f64>, StepError> {
        let answer = held.push(along, 1.0)?.acceleration;
        let pushed = held.mass_times(&answer);
        let mut column = vec![0.0; self.n_positions()];
        column.extend(self.directions.1.iter().map(|n| dot(n, &pushed)));
        Ok(column)
    }
}

/// C, row by row, `outputs x (n_positions + n_velocities)`.
pub(crate) fn outputs(
    mechanism: &mut Mechanism,
    system: &Linearisation,
    read: &mut Reading<'_>,
) -> Result<Vec<f64>, StepError> {
    let base = closed(mechanism)?;
    let held = HeldFactor::at(&mechanism.model, &base)?;
    let of = |n: &[Vec<f64>]| Directions { n: n.to_vec(), mn: n.iter().map(|x| held.mass_times(x)).collect() };
    let (positions, velocities) = (of(&system.directions.0), of(&system.directions.1));
    let model = mechanism.model.clone();
    let (_, _, work) = mechanism.parts();
    let mut around = Neighbourhood { model: &model, work, base: &base, evaluations: 0 };
    let rate = model.rate_scale().max(extent(&model, &base.v));
    let mut columns = Vec::new();
    for (j, direction) in positions.n.iter().enumerate() {
        let (column, _) = derivative(1.0 / extent(&model, direction), |h| {
            let (q, v) = around.displaced(&positions, &velocities, j, h)?;
            read(&State { q, v, ..base.clone() })
        })?;
        columns.push(column);
    }
    for direction in &velocities.n {
        let (column, _) = derivative(rate / extent(&model, direction), |h| {
            let v = base.v.iter().zip(direction).map(|(v, d)| v + h * d).collect();
            read(&State { v, ..base.clone() })
        })?;
        columns.push(column);
    }
    let rows = columns.first().map_or(0, Vec::len);
    Ok((0..rows).flat_map(|i| columns.iter().map(move |c| c[i])).collect())
}
