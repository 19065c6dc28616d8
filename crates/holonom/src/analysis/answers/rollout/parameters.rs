//! Numbers that models are made from (masses, lengths, stiffnesses), as runs depend on them.
//!
//! A model for a little more and one for a little less of the number are made once. Where they differ is found once:
//! most numbers are of few parts. Only those parts are then looked at, so that any number of parameters costs what the
//! parts cost that know them.

use super::contracted::{Contracted, Part, Terms, Weights};
use crate::analysis::answers::PushAlong;
use crate::analysis::nearby::difference;
use crate::error::{ModelError, StepError};
use crate::evaluate::evaluation::Angles;
use crate::math::SplitMix;
use crate::model::Model;
use crate::model::state::State;
use std::sync::Arc;

/// Step of the differences, as a part of what would matter.
const STEP: f64 = 1e-5;
/// Moments of a run at which force laws and rows are looked at, to see whether they know a parameter.
pub(super) const LOOKS: usize = 32;

/// A number that models are made from, by which runs are differentiated.
#[derive(Clone)]
pub struct RolloutParameter {
    less: Arc<Model>,
    more: Arc<Model>,
    /// Between the two.
    apart: f64,
}

impl RolloutParameter {
    /// `make` builds the model for a value near `value`, with the same bodies, joints, forces and coordinates; `unit`
    /// is a change that would matter.
    pub fn new(
        value: f64,
        unit: f64,
        mut make: impl FnMut(f64) -> Result<Model, ModelError>,
    ) -> Result<Self, StepError> {
        if !(value.is_finite() && unit.is_finite() && unit > 0.0) {
            let message = format!("parameter {value}, unit {unit}: must be finite, the unit greater than 0");
            return Err(StepError::Invalid(message));
        }
        let (low, high) = (value - STEP * unit, value + STEP * unit);
        let mut build = |x: f64| make(x).map(Arc::new).map_err(|e| StepError::Invalid(e.to_string()));
        Ok(RolloutParameter { less: build(low)?, more: build(high)?, apart: high - low })
    }

    /// The models for less and for more, and how far apart they are.
    pub(super) fn sides(&self) -> (&Arc<Model>, &Arc<Model>, f64) {
        (&self.less, &self.more, self.apart)
    }

    /// Of the state that models start in: displacement and change of velocity for a unit of the parameter.
    pub(super) fn start(&self) -> (Vec<f64>, Vec<f64>) {
        let (less, more) = (self.less.initial_state(), self.more.initial_state());
        let mut q = difference(&self.less, &less.q, &more.q);
        q.iter_mut().for_each(|x| *x /= self.apart);
        let v = less.v.iter().zip(&more.v).map(|(a, b)| (b - a) / self.apart).collect();
        (q, v)
    }
}

/// A parameter, and the parts that know it.
pub(super) struct Known {
    less: Contracted,
    more: Contracted,
    apart: f64,
    parts: Vec<Part>,
    bodies: Vec<u32>,
}

fn same_layout(a: &Model, b: &Model) -> bool {
    let joints = |m: &Model| m.joints.iter().map(|j| (j.row, j.n_rows, j.kept)).collect::<Vec<_>>();
    a.q_start == b.q_start && a.v_start == b.v_start && joints(a) == joints(b) && a.forces.len() == b.forces.len()
}

/// Models for less and for more must have the coordinates, rows and forces of the model between.
pub(super) fn refuse_other(model: &Model, less: &Model, more: &Model) -> Result<(), StepError> {
    if same_layout(model, less) && same_layout(model, more) {
        return Ok(());
    }
    let message = "a model with another value of the parameter has other coordinates, rows or forces";
    Err(StepError::Invalid(message.into()))
}

impl Known {
    pub fn new(
        parameter: &RolloutParameter,
        model: &Model,
        controls: &Arc<[PushAlong]>,
        along: &[State],
    ) -> Result<Self, StepError> {
        let RolloutParameter { less, more, apart } = parameter;
        refuse_other(model, less, more)?;
        let (less, more) = (Contracted::new(less, controls), Contracted::new(more, controls));
        let mut known = Known { less, more, apart: *apart, parts: Vec::new(), bodies: Vec::new() };
        known.look(model, along);
        Ok(known)
    }

    /// Find the parts that differ.
    fn look(&mut self, model: &Model, along: &[State]) {
        let mut g = SplitMix(3);
        let mut list = |n: usize| (0..n).map(|_| g.symmetric(1.0)).collect::<Vec<f64>>();
        let (n, n_rows) = (model.n_v(), model.n_rows());
        let mut left = self.less.parts();
        let in_closed_form = self.less.in_closed_form();
        for (number, state) in along.iter().enumerate() {
            let stirred: Vec<f64> = list(n).iter().zip(&state.v).map(|(d, v)| v + d * model.rate_scale()).collect();
            let (a, b, lambda, nu) = (list(n), list(n), list(n_rows), list(n_rows));
            self.less.sizes.fill(1.0);
            self.more.sizes.fill(1.0);
            for side in [&mut self.less, &mut self.more] {
                // on the turn they are on now
                let angles = Angles::default();
                side.place(&state.q, &stirred, state.t, &angles);
            }
            let (less, more) = (&mut self.less, &mut self.more);
            let mut differs = |part: Part| {
                [Terms::Motion, Terms::Rates, Terms::Gaps].into_iter().any(|terms| {
                    let w = Weights { terms, a: &a, lambda: &lambda, b: &b, nu: &nu };
                    less.value(part, &w) != more.value(part, &w)
                })
            };
            let parts = &mut self.parts;
            // rigid bodies and locks know their numbers at every moment
            let in_closed_form = &in_closed_form;
            left.retain(|part| {
                let fixed = number > 1 && in_closed_form.contains(part);
                let found = !fixed && differs(*part);
                if found {
                    parts.push(*part);
                }
                !found
            });
        }
        for part in &self.parts {
            self.bodies.extend(self.less.bodies_of(*part));
        }
        self.bodies.sort_unstable();
        self.bodies.dedup();
    }

    /// Go to a state.
    pub fn place(&mut self, at: (&[f64], &[f64], f64), sizes: &[f64], angles: &Angles) {
        for side in [&mut self.less, &mut self.more] {
            side.place_some(at, &self.bodies, angles);
            side.sizes.copy_from_slice(sizes);
        }
    }

    /// The derivative of the contracted equations at the place.
    pub fn slope(&mut self, w: &Weights) -> f64 {
        let Known { less, more, apart, parts, .. } = self;
        parts.iter().map(|part| more.value(*part, w) - less.value(*part, w)).sum::<f64>() / *apart
    }
}
