//! What of a run is looked at: coordinates of joints and places of points, with their rates, and their derivatives.
//!
//! ```text
//! coordinate    y, turns counted            point    y = e . p
//! rate          ydot = g . v                g the row of the Jacobian
//! by displacement   dy = g . dq,    dydot = d(g . v)/dq dq  (differences of the bodies that it knows)
//! by velocity                       dydot = g . dv
//! ```

use super::contracted::{Contracted, Part, Terms, Weights};
use crate::analysis::answers::PushAlong;
use crate::catalogue::attach::View;
use crate::catalogue::coordinate::value_and_rate;
use crate::catalogue::joints::CoordinateKind;
use crate::error::StepError;
use crate::evaluate::evaluation::{Angles, bodies_at};
use crate::model::Model;
use crate::model::state::State;
use std::sync::Arc;

/// Directions that are looked at along a run.
pub(super) struct Watch {
    contracted: Contracted,
    bodies: Vec<Vec<u32>>,
    row: Vec<f64>,
    none: Vec<f64>,
    no_rows: Vec<f64>,
}

impl Watch {
    pub fn new(model: &Arc<Model>, along: &Arc<[PushAlong]>) -> Result<Self, StepError> {
        for a in along.iter() {
            a.validate(model)?;
            if matches!(a, PushAlong::Turn(..)) {
                let why = "a turn has no value, only a rate: look at a coordinate or a point instead";
                return Err(StepError::Invalid(format!("{}: {why}", a.describe(model))));
            }
        }
        let mut contracted = Contracted::new(model, along);
        contracted.sizes.fill(1.0);
        let bodies = along.iter().map(|a| a.bodies(model)).collect();
        let (n, n_rows) = (model.n_v(), model.n_rows());
        Ok(Watch { contracted, bodies, row: vec![0.0; n], none: vec![0.0; n], no_rows: vec![0.0; n_rows] })
    }

    pub fn place(&mut self, state: &State) {
        self.contracted.place(&state.q, &state.v, state.t, &Angles::default());
    }

    /// Value and rate of a direction; the state is that of the place.
    pub fn read(&mut self, k: usize, state: &State) -> (f64, f64) {
        let Contracted { model, controls, frames, .. } = &self.contracted;
        let bodies = &bodies_at(model, frames, &state.q, &state.v);
        match controls[k] {
            PushAlong::Coordinate(joint, i) => {
                let record = &model.joints[joint.index()];
                let constraint = record.measured();
                let (value, rate) = value_and_rate(constraint, &View::new(bodies, constraint.attachments()), i);
                let kinds = constraint.coordinates();
                if kinds[i] == CoordinateKind::Length {
                    return (value, rate);
                }
                let before = kinds[..i].iter().filter(|&&k| k == CoordinateKind::Angle).count();
                let turns = f64::from(state.turns[record.first_turn as usize + before]);
                (value + turns * std::f64::consts::TAU, rate)
            }
            PushAlong::Point(at, e) => {
                let there = bodies.carry(&at.p());
                (e.dot(there.at), e.dot(there.rate))
            }
            PushAlong::Turn(..) => (0.0, 0.0),
        }
    }

    /// Add the derivatives of `value . y + rate . ydot` of a direction.
    pub fn add_slopes(
        &mut self,
        k: usize,
        (value, rate): (f64, f64),
        state: &State,
        by_q: &mut [f64],
        by_v: &mut [f64],
    ) {
        if value == 0.0 && rate == 0.0 {
            return;
        }
        let Contracted { model, controls, frames, .. } = &self.contracted;
        self.row.fill(0.0);
        controls[k].write_at(model, &bodies_at(model, frames, &state.q, &state.v), &mut self.row);
        for (j, g) in self.row.iter().enumerate() {
            by_q[j] += value * g;
            by_v[j] += rate * g;
        }
        if rate != 0.0 {
            let scaled: Vec<f64> = state.v.iter().map(|v| rate * v).collect();
            let rows = &self.no_rows;
            let w = Weights { terms: Terms::Motion, a: &self.none, lambda: rows, b: &scaled, nu: rows };
            self.contracted.difference(Part::Control(k as u32), &self.bodies[k], &w, by_q, None);
        }
    }
}
