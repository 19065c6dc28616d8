//! Running through time: single steps, adaptive runs, fixed steps, samples in between.

use crate::contact::inequality::project;
use crate::contact::inequality::solve::NO_FORCES;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::angles;
use crate::evaluate::energy;
use crate::model::Model;
use crate::model::state::State;
use crate::model::warm_start::RESTING;
use crate::simulation::breakage;
use crate::step::drift;
use crate::step::integrate::{Attempt, Coordinates};
use crate::step::mechanism::Mechanism;
use crate::step::promises::WorstOfRun;
use crate::step::{self, StepReport};

/// One step of exactly `dt` seconds. On failure the state is as before.
pub(crate) fn step(mechanism: &mut Mechanism, dt: f64) -> Result<StepReport, StepError> {
    check_time("step size", dt, dt.is_finite() && dt > 0.0)?;
    check_method(mechanism)?;
    let before = state_before_breaking(mechanism);
    (mechanism.events.count, mechanism.events.forced) = (0, 0);
    mechanism.work.begin_report();
    let attempt = mechanism.plain_step(dt)?;
    let report = report(mechanism, dt, &attempt, attempt.evaluations, 0);
    look_for_breaks(mechanism, before, report)
}

fn state_before_breaking(mechanism: &Mechanism) -> Option<State> {
    (!mechanism.model.break_loads.is_empty()).then(|| mechanism.state.clone())
}

/// A step in which a joint broke ends there. When the equations cannot be solved, the state is as before the step.
fn look_for_breaks(
    mechanism: &mut Mechanism,
    before: Option<State>,
    report: StepReport,
) -> Result<StepReport, StepError> {
    let Some(before) = before else { return Ok(report) };
    match breakage::break_overloaded(mechanism, &before, report.step) {
        Ok((step, broken)) => Ok(StepReport { step, broken, ..report }),
        Err(e) => {
            mechanism.set_state(before);
            Err(e)
        }
    }
}

fn report(mechanism: &Mechanism, step: f64, attempt: &Attempt, evaluations: usize, rejected: usize) -> StepReport {
    let (gap, gap_rate) = step::largest_gaps(&mechanism.work);
    let rank_deficiency = mechanism.work.kkt.solver.deficiency().unwrap_or(0);
    StepReport {
        step,
        error: attempt.error,
        evaluations,
        rejected,
        residual: mechanism.work.kkt.check.worst,
        gap,
        gap_rate,
        rank_deficiency,
        broken: 0,
        overlap: mechanism.work.contact.overlap,
        overlap_anew: mechanism.work.contact.overlap_before,
        contacts: mechanism.state.warm_start.iter().filter(|h| h.key.0 != RESTING).count(),
        events: mechanism.events.count,
        forced: mechanism.events.forced,
    }
}

fn check_method(mechanism: &Mechanism) -> Result<(), StepError> {
    mechanism.method.integrator.validate().map_err(StepError::Invalid)?;
    check_time("longest step", mechanism.max_step, mechanism.max_step > 0.0)?;
    if mechanism.follows_events() && !mechanism.method.integrator.between_events() {
        let name = mechanism.method.integrator.name();
        return Err(StepError::Invalid(format!(
            "integrator `{name}` does not know contacts, limits, ropes, dry friction and caps, and this model has some; use \
             stepping, or dop853 or rk4, which run from event to event"
        )));
    }
    if mechanism.method.coordinates == Coordinates::Joint && !mechanism.method.integrator.any_coordinates() {
        let name = mechanism.method.integrator.name();
        return Err(StepError::Invalid(format!(
            "integrator `{name}` does not work in joint coordinates; use rk4, dop853 or euler"
        )));
    }
    Ok(())
}

/// First step of a run: small enough for any smooth motion, and grown at once where it can be.
fn first_step(mechanism: &Mechanism) -> f64 {
    3e-3 / mechanism.model.rate_scale()
}

/// The step that the error control would like to try next, s.
fn wish(mechanism: &Mechanism) -> f64 {
    if mechanism.state.next_step > 0.0 { mechanism.state.next_step } else { first_step(mechanism) }
}

/// The step that an adaptive run tries next unless its end is nearer, s. A run that is to be resumed bit for bit is
/// kept at a state from which no end has yet cut a step short.
pub(crate) fn step_ahead(mechanism: &Mechanism) -> f64 {
    wish(mechanism).min(mechanism.max_step)
}

/// One adaptive step of at most `limit` seconds.
fn adaptive_step(mechanism: &mut Mechanism, limit: f64) -> Result<StepReport, StepError> {
    let (first, wish) = (first_step(mechanism), wish(mechanism));
    let mut h = wish.min(mechanism.max_step).min(limit);
    let cut = h < wish;
    // step size controller of Hairer and Wanner, with a little memory of the last error
    const BETA: f64 = 0.04;
    let exponent = 1.0 / mechanism.method.integrator.order() as f64 - 0.2 * BETA;
    let smallest = 1e-13 * mechanism.state.t.abs().max(first);
    let (mut rejected, mut evaluations) = (0, 0);
    let before = state_before_breaking(mechanism);
    mechanism.current = false;
    mechanism.refuse_standstill()?;
    (mechanism.events.count, mechanism.events.forced) = (0, 0);
    mechanism.work.begin_report();
    loop {
        let attempt = if mechanism.follows_events() {
            mechanism.event_attempt(h, true)
        } else {
            step::step(&mechanism.model, &mut mechanism.state, &mut mechanism.work, &mut mechanism.method, h, true)
                .map(|a| (a, h))
        };
        let shrink = match &attempt {
            Ok((attempt, taken)) => {
                evaluations += attempt.evaluations;
                let error = attempt.error.unwrap_or(0.0).max(1e-10);
                let shrink = libm::pow(error, exponent) / 0.9;
                if error <= 1.0 {
                    let factor = (shrink / libm::pow(mechanism.state.last_error, BETA)).clamp(1.0 / 6.0, 3.0);
                    let factor = if rejected > 0 { factor.max(1.0) } else { factor };
                    mechanism.state.last_error = error.max(1e-4);
                    let next = (h / factor).min(mechanism.max_step);
                    let cut = cut || *taken < h;
                    // a step cut short by an output time says nothing against the longer one
                    mechanism.state.next_step = if cut && rejected == 0 { next.max(wish) } else { next };
                    let report = report(mechanism, *taken, attempt, evaluations, rejected);
                    mechanism.progress.note(mechanism.state.t, *taken, evaluations, report.residual.contradiction);
                    return look_for_breaks(mechanism, before, report);
                }
                shrink.clamp(1.0, 3.0)
            }
            Err(StepError::Interrupted { time }) => return Err(StepError::Interrupted { time: *time }),
            // a step far too long may fail in many ways before its error is known: a shorter one tells
            Err(_) => 4.0,
        };
        rejected += 1;
        h /= shrink;
        // drives that contradict each other do so after any step, the less the shorter it is
        let contradicted = matches!(attempt, Err(StepError::Contradiction { .. }));
        if !(h > if contradicted { 1e-3 * first } else { smallest }) {
            return Err(attempt.err().unwrap_or(StepError::StepTooSmall { time: mechanism.state.t, step: h }));
        }
    }
}

/// One step of the length that the integrator's error control chooses, up to `t_end` at most and then ending there
/// exactly. For those who want to look at a run between its steps; integrators without error control are refused.
pub(crate) fn step_towards(mechanism: &mut Mechanism, t_end: f64) -> Result<StepReport, StepError> {
    if !mechanism.method.integrator.adaptive() {
        let name = mechanism.method.integrator.name();
        return Err(StepError::Invalid(format!("integrator `{name}` cannot choose its step; give one")));
    }
    check_method(mechanism)?;
    let left = t_end - mechanism.state.t;
    check_time("time left", left, left.is_finite() && left > 0.0)?;
    let report = adaptive_step(mechanism, left)?;
    if report.step == left {
        mechanism.state.t = t_end;
    }
    Ok(report)
}

/// Energy that the ledger of a state inside a step may leave open beside that of its start, of the kinetic energy.
const SAMPLED: f64 = 1e-10;

/// States inside the step of `step` seconds just taken from `before`, at ascending times, from the dense output of the
/// integrator and projected onto the constraints; nothing of the simulation itself changes. `sample` is scratch.
pub(crate) fn sample_step(
    mechanism: &mut Mechanism,
    before: &State,
    step: f64,
    times: impl Iterator<Item = f64>,
    sample: &mut State,
    mut report: impl FnMut(&State),
) -> Result<(), StepError> {
    let (mut prepared, mut touched, mut end, mut jammed) = (false, false, None, false);
    // one at the start of the step is before all of it
    let (mut blows, mut allowed) = (before.blows, SAMPLED);
    let mut result = Ok(());
    for t in times {
        if !prepared {
            (prepared, touched) = (true, true);
            if mechanism.follows_events() {
                // an impact at the end of the step is no part of the motion inside it
                end.get_or_insert_with(|| mechanism.state.clone());
                result = mechanism.retrace(before, step);
                blows = mechanism.state.blows;
                // the step itself is no better than its own error
                allowed = SAMPLED.max(4.0 * energy::left_open(&mechanism.model, before, &mechanism.state));
                jammed = matches!(result, Err(StepError::NotConverged { what: NO_FORCES, .. }));
            } else {
                result = mechanism.prepare_dense(step);
            }
        }
        sample.clone_from(before);
        (sample.t, sample.blows) = (t, blows);
        result = match &end {
            Some(end) if jammed => {
                between(&mechanism.model, before, end, sample);
                Ok(())
            }
            Some(_) => result.and_then(|()| {
                sample_between(mechanism, before.t, step, sample)?;
                if energy::left_open(&mechanism.model, before, sample) > allowed {
                    // slips that end are not smooth, and dense output swings about them: go there by a step
                    mechanism.retrace_part(before, step, t - before.t)?;
                    sample.clone_from(&mechanism.state);
                    (sample.t, prepared) = (t, false);
                }
                Ok(())
            }),
            None => result.and_then(|()| sample_between(mechanism, before.t, step, sample)),
        };
        if result.is_err() {
            break;
        }
        report(sample);
    }
    if let Some(end) = end {
        mechanism.state = end;
    }
    mechanism.current &= !touched;
    result
}

/// The integrator in use, by its name, and whether it chooses its own steps.
pub(crate) fn integrator(mechanism: &Mechanism) -> (&'static str, bool) {
    (mechanism.method.integrator.name(), mechanism.method.integrator.adaptive())
}

/// Run to time `t_end` exactly. Adaptive integrators choose their steps; the others take steps of 1 ms.
pub(crate) fn run_until(mechanism: &mut Mechanism, t_end: f64) -> Result<Summary, StepError> {
    if !mechanism.method.integrator.adaptive() {
        return run_fixed(mechanism, t_end, 1e-3);
    }
    check_method(mechanism)?;
    check_time("end time", t_end, t_end.is_finite())?;
    let mut summary = Summary::default();
    while mechanism.state.t < t_end {
        let left = t_end - mechanism.state.t;
        let report = adaptive_step(mechanism, left)?;
        if report.step == left {
            mechanism.state.t = t_end;
        }
        summary.add(&report, mechanism.state.t);
    }
    Ok(summary)
}

/// Run to time `t_end` exactly with steps of `dt`; the last one may be shorter.
pub(crate) fn run_fixed(mechanism: &mut Mechanism, t_end: f64, dt: f64) -> Result<Summary, StepError> {
    check_time("end time", t_end, t_end.is_finite())?;
    check_time("step size", dt, dt.is_finite() && dt > 0.0)?;
    let mut summary = Summary::default();
    let start = mechanism.state.t;
    let n = libm::ceil((t_end - start) / dt - 1e-9).max(0.0);
    for k in 1..=n as u64 {
        let goal = if k as f64 == n { t_end } else { start + k as f64 * dt };
        loop {
            let left = goal - mechanism.state.t;
            let report = step(mechanism, left)?;
            summary.add(&report, mechanism.state.t);
            if report.step == left {
                break;
            }
        }
        mechanism.state.t = goal;
    }
    Ok(summary)
}

/// Run to `t_end` and report the state every `every` seconds, at the start and at the end, without letting the reports
/// shorten the steps: states between steps come from the dense output and are projected onto the constraints.
pub(crate) fn run_sampled(
    mechanism: &mut Mechanism,
    t_end: f64,
    every: f64,
    mut report: impl FnMut(&Model, &State),
) -> Result<Summary, StepError> {
    check_time("end time", t_end, t_end.is_finite())?;
    check_time("sampling interval", every, every > 0.0 && every.is_finite())?;
    let model = mechanism.model.clone();
    let start = mechanism.state.t;
    let n = libm::floor((t_end - start) / every + 1e-9).max(0.0) as u64;
    let time = |k: u64| {
        if k == n && (start + k as f64 * every - t_end).abs() < 1e-9 * every { t_end } else { start + k as f64 * every }
    };
    let mut summary = Summary::default();
    report(&model, &mechanism.state);
    let mut k = 1;
    if !mechanism.samples_steps() {
        while k <= n {
            summary.merge(&run_until(mechanism, time(k))?);
            report(&mechanism.model, &mechanism.state);
            k += 1;
        }
        if mechanism.state.t < t_end {
            summary.merge(&run_until(mechanism, t_end)?);
            report(&mechanism.model, &mechanism.state);
        }
        return Ok(summary);
    }
    let (mut sample, mut before) = (mechanism.state.clone(), mechanism.state.clone());
    while mechanism.state.t < t_end {
        before.clone_from(&mechanism.state);
        let left = t_end - before.t;
        let taken = adaptive_step(mechanism, left)?;
        if taken.step == left {
            mechanism.state.t = t_end;
        }
        summary.add(&taken, mechanism.state.t);
        let end = mechanism.state.t;
        let inside = (k..=n).map(&time).take_while(|t| *t < end);
        sample_step(mechanism, &before, taken.step, inside, &mut sample, |state| {
            report(&model, state);
            k += 1;
        })?;
        if k <= n && time(k) == end {
            report(&model, &mechanism.state);
            k += 1;
        }
    }
    if n == 0 || time(n) < t_end {
        report(&model, &mechanism.state);
    }
    Ok(summary)
}

/// The state at `sample.t` inside the last step, which began at `start` with what `sample` holds otherwise.
fn sample_between(mechanism: &mut Mechanism, start: f64, step: f64, sample: &mut State) -> Result<(), StepError> {
    let model = &mechanism.model;
    let since = sample.t - start;
    let (ledger, projection) = sample.work.split_at_mut(model.n_works());
    mechanism.method.integrator.interpolate(since / step, model, &mut sample.q, &mut sample.v, ledger);
    if mechanism.method.drift.projects() {
        let open = energy::mechanical(model, &sample.q, &sample.v);
        drift::project(model, &mut sample.q, &mut sample.v, sample.t, step, &mut mechanism.work)?;
        if mechanism.follows_events() {
            let (task, work) = (&mut mechanism.method.task, &mut mechanism.work);
            project::hold(model, &mut sample.q, &mut sample.v, sample.t, task, work)?;
        }
        projection[0] += energy::mechanical(model, &sample.q, &sample.v) - open;
    } else {
        evaluate::place_bodies(model, &sample.q, &sample.v, &mut mechanism.work.eval);
    }
    angles::count_turns(model, &mut mechanism.work.eval, sample);
    Ok(())
}

/// The state at `sample.t` in a short step of first order in which impulses decided: on the way from its start to its
/// end.
fn between(model: &Model, before: &State, end: &State, sample: &mut State) {
    let part = (sample.t - before.t) / (end.t - before.t);
    let t = sample.t;
    sample.clone_from(end);
    sample.t = t;
    let pairs = [(&mut sample.q, &before.q), (&mut sample.v, &before.v), (&mut sample.work, &before.work)];
    for (out, from) in pairs {
        out.iter_mut().zip(from).for_each(|(x, from)| *x = from + part * (*x - from));
    }
    sample.blows = before.blows.towards(&sample.blows, part);
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
    /// The worst of all steps.
    pub worst: WorstOfRun,
}

impl Summary {
    fn add(&mut self, report: &StepReport, time: f64) {
        self.worst.add(report, time);
        self.steps += 1;
        self.rejected += report.rejected;
        self.evaluations += report.evaluations;
    }
    fn merge(&mut self, other: &Summary) {
        self.worst.merge(&other.worst);
        self.steps += other.steps;
        self.rejected += other.rejected;
        self.evaluations += other.evaluations;
    }
}
