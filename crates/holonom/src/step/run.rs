//! Running through time: single steps, adaptive runs, fixed steps, samples in between.

use crate::contact::inequality::project;
use crate::contact::inequality::sleep::RESTING;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::energy;
use crate::model::Model;
use crate::model::state::State;
use crate::simulation::Simulation;
use crate::step::drift::{self, Drift};
use crate::step::events::NO_FORCES;
use crate::step::integrate::{Attempt, Coordinates, Motion};
use crate::step::{self, StepReport};

impl Simulation {
    /// One step of exactly `dt` seconds. On failure the state is as before.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, StepError> {
        check_time("step size", dt, dt.is_finite() && dt > 0.0)?;
        self.check_method()?;
        let before = self.state_before_breaking();
        self.events.count = 0;
        let attempt = self.plain_step(dt)?;
        let report = self.report(dt, &attempt, attempt.evaluations, 0);
        self.look_for_breaks(before, report)
    }

    /// One step, without a look at loads.
    pub(crate) fn plain_step(&mut self, dt: f64) -> Result<Attempt, StepError> {
        self.current = false;
        if !self.follows_events() {
            return step::step(&self.model, &mut self.state, &mut self.work, &mut self.method, dt, false);
        }
        let before = self.state.clone();
        let (end, mut evaluations) = (before.t + dt, 0);
        loop {
            let left = end - self.state.t;
            match self.event_attempt(left, false) {
                Ok((attempt, taken)) => {
                    evaluations += attempt.evaluations;
                    if taken == left || !(end - self.state.t > 0.0) {
                        self.state.t = end;
                        return Ok(Attempt { evaluations, ..attempt });
                    }
                }
                Err(e) => {
                    self.state = before;
                    return Err(e);
                }
            }
        }
    }

    fn state_before_breaking(&self) -> Option<State> {
        (!self.model.break_loads.is_empty()).then(|| self.state.clone())
    }

    /// A step in which a joint broke ends there. When the equations cannot be solved, the state is as before the step.
    fn look_for_breaks(&mut self, before: Option<State>, report: StepReport) -> Result<StepReport, StepError> {
        let Some(before) = before else { return Ok(report) };
        match self.break_overloaded(&before, report.step) {
            Ok((step, broken)) => Ok(StepReport { step, broken, ..report }),
            Err(e) => {
                self.set_state(before);
                Err(e)
            }
        }
    }

    fn report(&self, step: f64, attempt: &Attempt, evaluations: usize, rejected: usize) -> StepReport {
        let (gap, gap_rate) = step::largest_gaps(&self.work);
        let rank_deficiency = self.work.solver.deficiency().unwrap_or(0);
        StepReport {
            step,
            error: attempt.error,
            evaluations,
            rejected,
            gap,
            gap_rate,
            rank_deficiency,
            broken: 0,
            overlap: self.work.overlap,
            contacts: self.state.held.iter().filter(|h| h.key.0 != RESTING).count(),
            events: self.events.count,
        }
    }

    fn check_method(&self) -> Result<(), StepError> {
        self.method.integrator.validate().map_err(StepError::Invalid)?;
        check_time("longest step", self.max_step, self.max_step > 0.0)?;
        if self.follows_events() && !self.method.integrator.between_events() {
            let name = self.method.integrator.name();
            return Err(StepError::Invalid(format!(
                "integrator `{name}` does not know contacts, limits, ropes, dry friction and caps, and this model has some; use \
                 stepping, or dop853 or rk4, which run from event to event"
            )));
        }
        if self.method.coordinates == Coordinates::Joint && !self.method.integrator.any_coordinates() {
            let name = self.method.integrator.name();
            return Err(StepError::Invalid(format!(
                "integrator `{name}` does not work in joint coordinates; use rk4 or dop853"
            )));
        }
        Ok(())
    }

    /// First step of a run: small enough for any smooth motion, and grown at once where it can be.
    fn first_step(&self) -> f64 {
        3e-3 / self.model.rate_scale()
    }

    /// The step that the error control would like to try next, s.
    fn wish(&self) -> f64 {
        if self.state.next_step > 0.0 { self.state.next_step } else { self.first_step() }
    }

    /// The step that an adaptive run tries next unless its end is nearer, s. A run that is to be resumed bit for bit is kept at a state from which
    /// no end has yet cut a step short.
    pub fn step_ahead(&self) -> f64 {
        self.wish().min(self.max_step)
    }

    /// One adaptive step of at most `limit` seconds.
    fn adaptive_step(&mut self, limit: f64) -> Result<StepReport, StepError> {
        let (first, wish) = (self.first_step(), self.wish());
        let mut h = wish.min(self.max_step).min(limit);
        let cut = h < wish;
        // step size controller of Hairer and Wanner, with a little memory of the last error
        const BETA: f64 = 0.04;
        let exponent = 1.0 / self.method.integrator.order() as f64 - 0.2 * BETA;
        let smallest = 1e-13 * self.state.t.abs().max(first);
        let (mut rejected, mut evaluations) = (0, 0);
        let before = self.state_before_breaking();
        self.current = false;
        self.events.count = 0;
        loop {
            let attempt = if self.follows_events() {
                self.event_attempt(h, true)
            } else {
                step::step(&self.model, &mut self.state, &mut self.work, &mut self.method, h, true).map(|a| (a, h))
            };
            let shrink = match &attempt {
                Ok((attempt, taken)) => {
                    evaluations += attempt.evaluations;
                    let error = attempt.error.unwrap_or(0.0).max(1e-10);
                    let shrink = libm::pow(error, exponent) / 0.9;
                    if error <= 1.0 {
                        let factor = (shrink / libm::pow(self.state.last_error, BETA)).clamp(1.0 / 6.0, 3.0);
                        let factor = if rejected > 0 { factor.max(1.0) } else { factor };
                        self.state.last_error = error.max(1e-4);
                        let next = (h / factor).min(self.max_step);
                        let cut = cut || *taken < h;
                        // a step cut short by an output time says nothing against the longer one
                        self.state.next_step = if cut && rejected == 0 { next.max(wish) } else { next };
                        let report = self.report(*taken, attempt, evaluations, rejected);
                        return self.look_for_breaks(before, report);
                    }
                    shrink.clamp(1.0, 3.0)
                }
                // a step far too long may fail in many ways before its error is known: a shorter one tells
                Err(_) => 4.0,
            };
            rejected += 1;
            h /= shrink;
            if !(h > smallest) {
                return Err(attempt.err().unwrap_or(StepError::StepTooSmall { time: self.state.t, step: h }));
            }
        }
    }

    /// One step of the length that the integrator's error control chooses, up to `t_end` at most and then ending there exactly. For those who
    /// want to look at a run between its steps; integrators without error control are refused.
    pub fn step_towards(&mut self, t_end: f64) -> Result<StepReport, StepError> {
        if !self.method.integrator.adaptive() {
            let name = self.method.integrator.name();
            return Err(StepError::Invalid(format!("integrator `{name}` cannot choose its step; give one")));
        }
        self.check_method()?;
        let left = t_end - self.state.t;
        check_time("time left", left, left.is_finite() && left > 0.0)?;
        let report = self.adaptive_step(left)?;
        if report.step == left {
            self.state.t = t_end;
        }
        Ok(report)
    }

    /// Can states inside the last step be told? See [`Simulation::sample_step`].
    pub fn samples_steps(&self) -> bool {
        // a joint that may break changes the model on the way, and dense output belongs to one model
        self.method.integrator.dense_output()
            && self.model.break_loads.is_empty()
            && self.method.coordinates == Coordinates::Maximal
    }

    /// States inside the step of `step` seconds just taken from `before`, at ascending times, from the dense output of the integrator and
    /// projected onto the constraints; nothing of the simulation itself changes. `sample` is scratch.
    pub fn sample_step(
        &mut self,
        before: &State,
        step: f64,
        times: impl Iterator<Item = f64>,
        sample: &mut State,
        mut report: impl FnMut(&State),
    ) -> Result<(), StepError> {
        let (mut prepared, mut end, mut jammed) = (false, None, false);
        let mut result = Ok(());
        for t in times {
            if !prepared {
                prepared = true;
                if self.follows_events() {
                    // an impact at the end of the step is no part of the motion inside it
                    end = Some(self.state.clone());
                    result = self.retrace(before, step);
                    jammed = matches!(result, Err(StepError::NotConverged { what: NO_FORCES, .. }));
                } else {
                    result = self.prepare_dense(step);
                }
            }
            sample.clone_from(before);
            sample.t = t;
            result = match &end {
                Some(end) if jammed => {
                    between(&self.model, before, end, sample);
                    Ok(())
                }
                _ => result.and_then(|()| self.sample_between(before.t, step, sample)),
            };
            if result.is_err() {
                break;
            }
            report(sample);
        }
        if let Some(end) = end {
            self.state = end;
        }
        self.current &= !prepared;
        result
    }

    /// The integrator in use, by its name, and whether it chooses its own steps.
    pub fn integrator(&self) -> (&'static str, bool) {
        (self.method.integrator.name(), self.method.integrator.adaptive())
    }

    /// Run to time `t_end` exactly. Adaptive integrators choose their steps; the others take steps of 1 ms.
    pub fn run_until(&mut self, t_end: f64) -> Result<Summary, StepError> {
        if !self.method.integrator.adaptive() {
            return self.run_fixed(t_end, 1e-3);
        }
        self.check_method()?;
        check_time("end time", t_end, t_end.is_finite())?;
        let mut summary = Summary::default();
        while self.state.t < t_end {
            let left = t_end - self.state.t;
            let report = self.adaptive_step(left)?;
            if report.step == left {
                self.state.t = t_end;
            }
            summary.add(&report);
        }
        Ok(summary)
    }

    /// Run to time `t_end` exactly with steps of `dt`; the last one may be shorter.
    pub fn run_fixed(&mut self, t_end: f64, dt: f64) -> Result<Summary, StepError> {
        check_time("end time", t_end, t_end.is_finite())?;
        check_time("step size", dt, dt.is_finite() && dt > 0.0)?;
        let mut summary = Summary::default();
        let start = self.state.t;
        let n = libm::ceil((t_end - start) / dt - 1e-9).max(0.0);
        for k in 1..=n as u64 {
            let goal = if k as f64 == n { t_end } else { start + k as f64 * dt };
            loop {
                let left = goal - self.state.t;
                let report = self.step(left)?;
                summary.add(&report);
                if report.step == left {
                    break;
                }
            }
            self.state.t = goal;
        }
        Ok(summary)
    }

    /// Run to `t_end` and report the state every `every` seconds, at the start and at the end, without letting the reports shorten the steps: states
    /// between steps come from the dense output and are projected onto the constraints.
    pub fn run_sampled(
        &mut self,
        t_end: f64,
        every: f64,
        mut report: impl FnMut(&Model, &State),
    ) -> Result<Summary, StepError> {
        check_time("end time", t_end, t_end.is_finite())?;
        check_time("sampling interval", every, every > 0.0 && every.is_finite())?;
        let model = self.model.clone();
        let start = self.state.t;
        let n = libm::floor((t_end - start) / every + 1e-9).max(0.0) as u64;
        let time = |k: u64| {
            if k == n && (start + k as f64 * every - t_end).abs() < 1e-9 * every {
                t_end
            } else {
                start + k as f64 * every
            }
        };
        let mut summary = Summary::default();
        report(&model, &self.state);
        let mut k = 1;
        if !self.samples_steps() {
            while k <= n {
                summary.merge(&self.run_until(time(k))?);
                report(&self.model, &self.state);
                k += 1;
            }
            if self.state.t < t_end {
                summary.merge(&self.run_until(t_end)?);
                report(&self.model, &self.state);
            }
            return Ok(summary);
        }
        let (mut sample, mut before) = (self.state.clone(), self.state.clone());
        while self.state.t < t_end {
            before.clone_from(&self.state);
            let left = t_end - before.t;
            let taken = self.adaptive_step(left)?;
            if taken.step == left {
                self.state.t = t_end;
            }
            summary.add(&taken);
            let end = self.state.t;
            let inside = (k..=n).map(&time).take_while(|t| *t < end);
            self.sample_step(&before, taken.step, inside, &mut sample, |state| {
                report(&model, state);
                k += 1;
            })?;
            if k <= n && time(k) == end {
                report(&model, &self.state);
                k += 1;
            }
        }
        if n == 0 || time(n) < t_end {
            report(&model, &self.state);
        }
        Ok(summary)
    }

    /// The state at `sample.t` inside the last step, which began at `start` with what `sample` holds otherwise.
    fn sample_between(&mut self, start: f64, step: f64, sample: &mut State) -> Result<(), StepError> {
        let model = &self.model;
        let since = sample.t - start;
        let (ledger, projection) = sample.work.split_at_mut(model.n_works());
        self.method.integrator.interpolate(since / step, model, &mut sample.q, &mut sample.v, ledger);
        if self.method.drift == Drift::Project {
            let open = energy::mechanical(model, &sample.q, &sample.v);
            drift::project(model, &mut sample.q, &mut sample.v, sample.t, step, &mut self.work)?;
            if self.follows_events() {
                let regime = std::mem::take(&mut self.work.acting.regime);
                let (task, work) = (&mut self.method.task, &mut self.work);
                let held = project::hold(model, &mut sample.q, &mut sample.v, sample.t, &regime, task, work);
                self.work.acting.regime = regime;
                held?;
            }
            projection[0] += energy::mechanical(model, &sample.q, &sample.v) - open;
        } else {
            evaluate::place_bodies(model, &sample.q, &sample.v, &mut self.work);
        }
        step::count_turns(model, &self.work, sample);
        Ok(())
    }

    pub(crate) fn prepare_dense(&mut self, h: f64) -> Result<(), StepError> {
        let next = &mut self.method.next;
        next.clone_from(&self.state);
        let (ledger, rest) = next.work.split_at_mut(self.model.n_works());
        let mut motion = Motion {
            model: &self.model,
            work: &mut self.work,
            t: next.t,
            q: &mut next.q,
            v: &mut next.v,
            ledger,
            projected: &mut rest[0],
            held: &mut next.held,
            sleeping: None,
            drift: self.method.drift,
            coordinates: self.method.coordinates,
            joint_space: None,
        };
        self.method.integrator.prepare_dense(&mut motion, h)
    }
}

/// The state at `sample.t` in a short step of first order in which impulses decided: on the way from its start to its end.
fn between(model: &Model, before: &State, end: &State, sample: &mut State) {
    let part = (sample.t - before.t) / (end.t - before.t);
    let t = sample.t;
    sample.clone_from(end);
    sample.t = t;
    let pairs = [(&mut sample.q, &before.q), (&mut sample.v, &before.v), (&mut sample.work, &before.work)];
    for (out, from) in pairs {
        out.iter_mut().zip(from).for_each(|(x, from)| *x = from + part * (*x - from));
    }
    for (i, body) in model.bodies.iter().enumerate() {
        body.normalise(model.q_of_mut(i, &mut sample.q));
    }
}

fn check_time(what: &str, value: f64, good: bool) -> Result<(), StepError> {
    let positive = if what == "end time" { "" } else { " and greater than 0" };
    if good { Ok(()) } else { Err(StepError::Invalid(format!("{what} is {value} s, must be finite{positive}"))) }
}

/// What a run did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Summary {
    /// Steps taken.
    pub steps: usize,
    /// Attempts rejected.
    pub rejected: usize,
    /// Evaluations of the equations of motion.
    pub evaluations: usize,
}

impl Summary {
    fn add(&mut self, report: &StepReport) {
        self.steps += 1;
        self.rejected += report.rejected;
        self.evaluations += report.evaluations;
    }
    fn merge(&mut self, other: &Summary) {
        self.steps += other.steps;
        self.rejected += other.rejected;
        self.evaluations += other.evaluations;
    }
}
