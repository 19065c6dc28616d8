//! Rows of numbers read between the steps of a run without disturbing it: every row is read through a second simulation
//! of the same model, so that the motion is the same with and without a recording, whatever its rate.
//!
//! Where the integrator can tell states inside a step (dop853), rows lie at exact multiples of 1 / rate. Otherwise a
//! row is the step nearest to each multiple (fixed steps), or the first step after it (adaptive steps), with the time
//! of that step. The last state is always a row.
//!
//! Rows never end a run. What cannot be told of a state (forces in an indeterminate contact that no iteration finds) is
//! NaN in its row, the rest of the row is as it is; such rows are counted, and the first reason is kept.

use crate::failure::Failure;
use crate::run_loop::RunLoop;
use crate::settings::RunSettings;
use holonom::{Model, Simulation, State, StepError, StepReport};
use holonom_scene::Quantities;
use std::sync::Arc;

/// Where rows go.
pub trait RowSink {
    /// What ends the run when a row cannot be kept.
    type Error: From<Failure>;

    /// A row; `probe` is at the state it was read from. What else could not be told of it is given back.
    fn row(&mut self, row: &[f64], probe: &mut Simulation) -> Result<Option<StepError>, Self::Error>;

    /// A row of which the time alone is known.
    fn unknown(&mut self, row: &[f64]) -> Result<(), Self::Error>;

    /// The first row with numbers that could not be computed.
    fn first_incomplete(&mut self, _why: &StepError) {}
}

/// Reads rows of a run on its way.
pub struct RowSampler {
    quantities: Quantities,
    probe: Simulation,
    settings: RunSettings,
    row: Vec<f64>,
    sample: State,
    /// Time between rows, s.
    every: f64,
    /// The next row is number `next` from the base of the run.
    next: u64,
    /// Time of the last row.
    last: f64,
    /// Rows with numbers that could not be computed.
    incomplete: u64,
}

impl RowSampler {
    /// With the first row, the state that the run begins with.
    pub fn begin<S: RowSink>(
        quantities: Quantities,
        run: &RunLoop,
        first: &State,
        rate: f64,
        sink: &mut S,
    ) -> Result<RowSampler, S::Error> {
        let mut sampler = RowSampler {
            row: vec![0.0; quantities.len()],
            quantities,
            probe: run.settings.simulation(run.sim.model())?,
            settings: run.settings.clone(),
            sample: State::default(),
            every: 1.0 / rate,
            next: 0,
            last: f64::NEG_INFINITY,
            incomplete: 0,
        };
        sampler.push(run.sim.model(), first, sink)?;
        // rows of a resumed run lie where those of the whole run lie
        sampler.skip_to(run.base, first.t);
        Ok(sampler)
    }

    /// The quantities of a row.
    pub fn quantities(&self) -> &Quantities {
        &self.quantities
    }

    /// Rows with numbers that could not be computed.
    pub fn incomplete(&self) -> u64 {
        self.incomplete
    }

    /// Time of the next row.
    fn time(&self, base: f64) -> f64 {
        base + self.next as f64 * self.every
    }

    /// Rows that belong to the step just taken.
    pub fn after_step<S: RowSink>(
        &mut self,
        run: &mut RunLoop,
        report: &StepReport,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let (base, now) = (run.base, run.sim.time());
        match run.settings.dt {
            Some(dt) => {
                // nearer to this step than to the next one
                let middle = 0.5 * (now + (now + dt).min(run.end));
                if self.time(base) <= middle {
                    self.push_present(run, sink)?;
                    self.skip_to(base, middle);
                }
            }
            None => {
                if run.sim.samples_steps() {
                    self.inside_step(run, report, sink)?;
                }
                if self.time(base) <= now {
                    self.push_present(run, sink)?;
                    self.skip_to(base, now);
                }
            }
        }
        Ok(())
    }

    /// Rows at their exact times inside the step just taken.
    fn inside_step<S: RowSink>(
        &mut self,
        run: &mut RunLoop,
        report: &StepReport,
        sink: &mut S,
    ) -> Result<(), S::Error> {
        let (base, now, every, first) = (run.base, run.sim.time(), self.every, self.next);
        let times = (first..).map(|k| base + k as f64 * every).take_while(|t| *t < now);
        let model = run.sim.model().clone();
        let mut sample = std::mem::take(&mut self.sample);
        let mut failed = None;
        let RunLoop { sim, before, .. } = run;
        let sampled = sim.sample_step(before, report.step, times, &mut sample, |state| {
            if failed.is_none() {
                self.next += 1;
                // what the first step of a resumed run covers again is not recorded again
                failed = if state.t > self.last { self.push(&model, state, sink).err() } else { None };
            }
        });
        self.sample = sample;
        failed.map_or(Ok(()), Err)?;
        if let Err(e) = sampled {
            // states inside this step are not known
            while self.time(base) < now {
                self.push_unknown(self.time(base), &e, sink)?;
                self.next += 1;
            }
        }
        Ok(())
    }

    fn skip_to(&mut self, base: f64, time: f64) {
        self.next = self.next.max(((time - base) / self.every).floor().max(0.0) as u64);
        while self.time(base) <= time {
            self.next += 1;
        }
    }

    /// The present state as a row, unless it is one already.
    pub fn push_present<S: RowSink>(&mut self, run: &RunLoop, sink: &mut S) -> Result<(), S::Error> {
        if run.sim.time() > self.last {
            self.push(run.sim.model(), run.sim.state(), sink)?;
        }
        Ok(())
    }

    fn push<S: RowSink>(&mut self, model: &Arc<Model>, state: &State, sink: &mut S) -> Result<(), S::Error> {
        if !Arc::ptr_eq(model, self.probe.model()) {
            // a joint broke
            self.probe = self.settings.simulation(model)?;
        }
        self.probe.state_mut().clone_from(state);
        let mut failure = self.quantities.read(&mut self.probe, &mut self.row).err();
        failure = sink.row(&self.row, &mut self.probe)?.or(failure);
        self.last = state.t;
        if let Some(e) = failure {
            self.count_incomplete(&e, sink);
        }
        Ok(())
    }

    fn push_unknown<S: RowSink>(&mut self, time: f64, e: &StepError, sink: &mut S) -> Result<(), S::Error> {
        if time > self.last {
            self.row.fill(f64::NAN);
            self.row[0] = time;
            sink.unknown(&self.row)?;
            self.last = time;
            self.count_incomplete(e, sink);
        }
        Ok(())
    }

    fn count_incomplete<S: RowSink>(&mut self, e: &StepError, sink: &mut S) {
        if self.incomplete == 0 {
            sink.first_incomplete(e);
        }
        self.incomplete += 1;
    }
}
