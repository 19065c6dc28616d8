//! Gradients of whole runs: of an objective of the states that a run passes, by the state it begins in, by parameters
//! of the model, and by forces that were chosen for every step.
//!
//! ```text
//! s_k+1 = Phi(s_k, u_k; p)          L = sum_k l_k(s_k)
//! g_N = dl_N/ds      g_k = dl_k/ds + (dPhi/ds)^T g_k+1      dL/dp = sum_k (dPhi/dp)^T g_k+1      dL/du_k = (dPhi/du)^T g_k+1
//! ```
//!
//! Phi is a step of the integrator `rk4` with projection, bit for bit. The method is the discrete adjoint: what is
//! differentiated is what was computed, not the differential equation behind it, so the gradient is that of the run at
//! hand, whatever the length of its steps. Going backwards, every step is taken again from the state it began in, and
//! transposed with the factors of its stages (`docs/derivations/rollout.md`). States are kept all, or, where memory is
//! short, some, and what lies between is computed again.

mod backward;
mod charts;
mod closed_form;
mod contracted;
mod forward;
mod parameters;
mod pull_back;
mod tangent;
mod watch;

pub use parameters::RolloutParameter;

use super::PushAlong;
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::model::Model;
use crate::model::state::State;
use backward::Backward;
use contracted::Contracted;
use forward::{Controlled, Stage};
use parameters::{Known, LOOKS};
use std::sync::Arc;
use watch::Watch;

/// What a run is made with.
#[derive(Clone, Debug, PartialEq)]
pub struct RolloutOptions {
    /// Length of a step, s.
    pub step: f64,
    /// Number of steps.
    pub steps: usize,
    /// Forces of one's own, beside those of the model.
    pub controls: Vec<PushAlong>,
    /// How large each is during each step, N or N m, `steps x controls`.
    pub sizes: Vec<f64>,
    /// Bytes that states may take; where they would need more, some are kept and the others found again.
    pub memory: usize,
}

impl RolloutOptions {
    /// So many steps of a length (s), nothing pushed.
    pub fn new(step: f64, steps: usize) -> Self {
        RolloutOptions { step, steps, controls: Vec::new(), sizes: Vec::new(), memory: 1 << 28 }
    }
}

/// What was looked at along a run, state by state: `(steps + 1) x directions`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RolloutTable {
    /// Coordinates of joints, turns counted, or places of points along their direction; m or rad.
    pub values: Vec<f64>,
    /// Their rates, m/s or rad/s.
    pub rates: Vec<f64>,
}

/// A run that can be gone through backwards.
pub struct Rollout {
    model: Arc<Model>,
    options: RolloutOptions,
    controls: Arc<[PushAlong]>,
    /// It began in the state that the model starts in.
    as_built: bool,
    /// Every so many states are kept.
    stride: usize,
    kept: Vec<State>,
    last: State,
}

/// Derivatives of an objective of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct RolloutGradient {
    /// By a displacement of the state it began in, in velocity coordinates.
    pub position: Vec<f64>,
    /// By the velocities it began with.
    pub velocity: Vec<f64>,
    /// By the parameters.
    pub parameters: Vec<f64>,
    /// By the forces during each step, `steps x controls`.
    pub controls: Vec<f64>,
}

impl Rollout {
    /// Run from the state in which the model starts, or from another; `visit` sees every state, the first and the last
    /// included, with its number.
    ///
    /// # Panics
    /// When the state belongs to a model of other size.
    pub fn run(
        model: &Arc<Model>,
        start: Option<&State>,
        options: RolloutOptions,
        mut visit: impl FnMut(usize, &State),
    ) -> Result<Rollout, StepError> {
        contracted::refuse(model)?;
        validate(model, &options)?;
        let mut state = start.unwrap_or(model.initial_state()).clone();
        let same = state.q.len() == model.n_q() && state.v.len() == model.n_v();
        assert!(same, "Rollout: the state belongs to another model");
        let controls: Arc<[PushAlong]> = options.controls.clone().into();
        let each = size_of::<State>() + 8 * (state.q.len() + state.v.len() + state.work.len()) + 4 * state.turns.len();
        let affordable = (options.memory / each).max(2);
        // s states between kept ones are found again, all at once: n / s + s of them in memory
        let stride = if options.steps < affordable { 1 } else { options.steps.div_ceil(affordable / 2).max(1) };
        let mut run = Rollout {
            model: model.clone(),
            controls,
            as_built: start.is_none(),
            stride,
            kept: vec![],
            last: state.clone(),
            options,
        };
        let mut work = Workspace::new(model, model.default_solver());
        let mut stages: [Stage; 4] = Default::default();
        visit(0, &state);
        for k in 0..run.options.steps {
            if k % run.stride == 0 {
                run.kept.push(state.clone());
            }
            forward::step(model, &mut state, run.options.step, run.during(k), &mut work, &mut stages)?;
            visit(k + 1, &state);
        }
        run.last = state;
        Ok(run)
    }

    /// The state it ended in.
    pub fn last(&self) -> &State {
        &self.last
    }

    /// Number of steps.
    pub fn steps(&self) -> usize {
        self.options.steps
    }

    /// States that are kept.
    pub fn kept(&self) -> usize {
        self.kept.len()
    }

    fn during(&self, k: usize) -> Controlled<'_> {
        let n = self.controls.len();
        Controlled { along: &self.controls, sizes: &self.options.sizes[k * n..(k + 1) * n] }
    }

    /// The states from the kept one with this number up to the next, that included.
    fn between(&self, number: usize, work: &mut Workspace) -> Result<Vec<State>, StepError> {
        let first = number * self.stride;
        let last = (first + self.stride).min(self.options.steps);
        let mut states = vec![self.kept[number].clone()];
        let mut stages: [Stage; 4] = Default::default();
        for k in first..last {
            // what ends a stretch is known
            if k + 1 == last {
                states.push(self.kept.get(number + 1).unwrap_or(&self.last).clone());
                break;
            }
            let mut state = states[k - first].clone();
            forward::step(&self.model, &mut state, self.options.step, self.during(k), work, &mut stages)?;
            states.push(state);
        }
        Ok(states)
    }

    /// The gradient of an objective. `slopes` adds, for the state with a number, the derivatives of the objective by a
    /// displacement (in velocity coordinates) and by velocities; it is asked for the last state first. Where the run
    /// began in the state that the model starts in, parameters move that too.
    pub fn gradient(
        &self,
        parameters: &[RolloutParameter],
        mut slopes: impl FnMut(usize, &State, &mut [f64], &mut [f64]),
    ) -> Result<RolloutGradient, StepError> {
        let (model, h, n) = (&self.model, self.options.step, self.controls.len());
        let known = parameters.iter().map(|p| Known::new(p, model, &self.controls, &self.looks()));
        let mut known = known.collect::<Result<Vec<_>, _>>()?;
        let contracted = Contracted::new(model, &self.controls);
        let mut back = Backward::new(model, contracted, charts::charts(model)?, parameters.len());
        let mut work = Workspace::new(model, model.default_solver());
        let mut controls = vec![0.0; self.options.sizes.len()];
        slopes(self.options.steps, &self.last, &mut back.by_q, &mut back.by_v);
        back.begin(model, &self.last)?;
        for number in (0..self.kept.len()).rev() {
            let states = self.between(number, &mut work)?;
            for i in (0..states.len() - 1).rev() {
                let k = number * self.stride + i;
                let by = &mut controls[k * n..(k + 1) * n];
                back.step(model, (&states[i], &states[i + 1], h), self.during(k), &mut known, by)?;
                slopes(k, &states[i], &mut back.by_q, &mut back.by_v);
            }
        }
        let mut total = std::mem::take(&mut back.parameters);
        if self.as_built {
            for (total, parameter) in total.iter_mut().zip(parameters) {
                let (q, v) = parameter.start();
                *total += q.iter().zip(&back.by_q).map(|(a, b)| a * b).sum::<f64>();
                *total += v.iter().zip(&back.by_v).map(|(a, b)| a * b).sum::<f64>();
            }
        }
        Ok(RolloutGradient { position: back.by_q, velocity: back.by_v, parameters: total, controls })
    }

    /// Run, and look along directions: coordinates of joints, and points.
    ///
    /// # Panics
    /// When the state belongs to a model of other size.
    pub fn watched(
        model: &Arc<Model>,
        start: Option<&State>,
        options: RolloutOptions,
        along: &[PushAlong],
    ) -> Result<(Rollout, RolloutTable), StepError> {
        let mut watch = Watch::new(model, &along.into())?;
        let mut table = RolloutTable::default();
        let run = Rollout::run(model, start, options, |_, state| {
            watch.place(state);
            for k in 0..along.len() {
                let (value, rate) = watch.read(k, state);
                table.values.push(value);
                table.rates.push(rate);
            }
        })?;
        Ok((run, table))
    }

    /// The gradient of an objective of what was looked at, whose derivatives by every entry of the table are `by`.
    ///
    /// # Panics
    /// When a list has another length than the table.
    pub fn watched_gradient(
        &self,
        parameters: &[RolloutParameter],
        along: &[PushAlong],
        by: &RolloutTable,
    ) -> Result<RolloutGradient, StepError> {
        let n = along.len();
        let wanted = (self.options.steps + 1) * n;
        assert_eq!((by.values.len(), by.rates.len()), (wanted, wanted), "watched_gradient: lengths of the table");
        let along: Arc<[PushAlong]> = along.into();
        let mut watch = Watch::new(&self.model, &along)?;
        // where a direction itself depends on a parameter: a marker that it moves
        let mut sides = Vec::with_capacity(parameters.len());
        for parameter in parameters {
            let (less, more, apart) = parameter.sides();
            sides.push((Watch::new(less, &along)?, Watch::new(more, &along)?, apart));
        }
        let mut moved = vec![0.0; parameters.len()];
        let mut found = self.gradient(parameters, |k, state, q, v| {
            let weights = |i: usize| (by.values[k * n + i], by.rates[k * n + i]);
            if (0..n).all(|i| weights(i) == (0.0, 0.0)) {
                return;
            }
            watch.place(state);
            for i in 0..n {
                watch.add_slopes(i, weights(i), state, q, v);
            }
            for ((less, more, apart), moved) in sides.iter_mut().zip(&mut moved) {
                less.place(state);
                more.place(state);
                for i in 0..n {
                    let (a, b, w) = (less.read(i, state), more.read(i, state), weights(i));
                    *moved += (w.0 * (b.0 - a.0) + w.1 * (b.1 - a.1)) / *apart;
                }
            }
        })?;
        found.parameters.iter_mut().zip(&moved).for_each(|(total, moved)| *total += moved);
        Ok(found)
    }

    /// Some states of the run, the first and the last among them.
    fn looks(&self) -> Vec<State> {
        let every = self.kept.len().div_ceil(LOOKS).max(1);
        self.kept.iter().step_by(every).chain([&self.last]).cloned().collect()
    }
}

fn validate(model: &Model, options: &RolloutOptions) -> Result<(), StepError> {
    let invalid = |message: String| Err(StepError::Invalid(message));
    let RolloutOptions { step, steps, controls, sizes, .. } = options;
    if !(step.is_finite() && *step > 0.0) {
        return invalid(format!("step {step} s, must be greater than 0"));
    }
    if sizes.len() != steps * controls.len() {
        let wanted = steps * controls.len();
        return invalid(format!("{} sizes of controls, must be {wanted}: one for each step and control", sizes.len()));
    }
    if let Some(x) = sizes.iter().find(|x| !x.is_finite()) {
        return invalid(format!("a control is {x}, must be finite"));
    }
    controls.iter().try_for_each(|c| c.validate(model))
}
