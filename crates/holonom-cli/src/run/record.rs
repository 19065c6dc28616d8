//! Recording a run without disturbing it: every row is read through a second simulation of the same model, so that the
//! motion is the same with and without a recording, whatever its rate.
//!
//! Where the integrator can tell states inside a step (dop853), rows lie at exact multiples of 1 / rate. Otherwise a
//! row is the step nearest to each multiple (fixed steps), or the first step after it (adaptive steps), with the time
//! of that step. The last state is always a row.
//!
//! A recording never ends a run. What cannot be told of a state (forces in an indeterminate contact that no iteration
//! finds) is NaN in its row, the rest of the row is as it is; the first such row is warned of, and all are counted.

use super::contacts::ContactStream;
use super::run_loop::RunLoop;
use super::settings::RunSettings;
use crate::error::CliError;
use holonom::{Simulation, State, StepError, StepReport};
use holonom_record::{Finished, RecordingColumn, RecordingOutput, Schema};
use holonom_scene::Quantities;
use std::path::Path;
use std::sync::Arc;

/// A recording in the making.
pub(crate) struct Recorder {
    output: RecordingOutput,
    quantities: Quantities,
    /// Contacts, one by one, where they are asked for.
    stream: Option<ContactStream>,
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

/// A finished recording.
pub(crate) struct RecordingEnd {
    pub file: Finished,
    /// Rows in which some number could not be computed.
    pub incomplete: u64,
}

impl Recorder {
    /// Open the file and write the first row, the state that the run begins with.
    pub fn begin(
        path: &Path,
        quantities: Quantities,
        stream: Option<ContactStream>,
        run: &RunLoop,
        first: &State,
        rate: f64,
        metadata: &serde_json::Value,
    ) -> Result<Recorder, CliError> {
        let columns = quantities.all().iter();
        let columns = columns.map(|q| RecordingColumn::new(&q.name, q.unit).with_note(&q.note)).collect();
        let schema = Schema::new(columns, metadata.to_string())?;
        let output = RecordingOutput::create(path, &schema)?;
        if let Some(left) = output.left_over() {
            crate::error::warn(&format!(
                "an earlier run of this name was not finished; what it recorded is now in `{}` (`holonom recover` reads it)",
                left.display()
            ));
        }
        let every = 1.0 / rate;
        let mut recorder = Recorder {
            output,
            row: vec![0.0; quantities.len()],
            quantities,
            stream,
            probe: run.settings.simulation(run.sim.model())?,
            settings: run.settings.clone(),
            sample: State::default(),
            every,
            next: 0,
            last: f64::NEG_INFINITY,
            incomplete: 0,
        };
        recorder.push(run.sim.model(), first)?;
        // rows of a resumed run lie where those of the whole run lie
        recorder.skip_to(run.base, first.t);
        Ok(recorder)
    }

    /// Time of the next row.
    fn time(&self, base: f64) -> f64 {
        base + self.next as f64 * self.every
    }

    /// Rows that belong to the step just taken.
    pub fn after_step(&mut self, run: &mut RunLoop, report: &StepReport) -> Result<(), CliError> {
        let (base, now, every) = (run.base, run.sim.time(), self.every);
        match run.settings.dt {
            Some(dt) => {
                // nearer to this step than to the next one
                let middle = 0.5 * (now + (now + dt).min(run.end));
                if self.time(base) <= middle {
                    self.push_present(run)?;
                    self.skip_to(base, middle);
                }
            }
            None if run.sim.samples_steps() => {
                let first = self.next;
                let times = (first..).map(|k| base + k as f64 * every).take_while(|t| *t < now);
                let model = run.sim.model().clone();
                let mut sample = std::mem::take(&mut self.sample);
                let mut failed = None;
                let RunLoop { sim, before, .. } = run;
                let sampled = sim.sample_step(before, report.step, times, &mut sample, |state| {
                    if failed.is_none() {
                        self.next += 1;
                        // what the first step of a resumed run covers again is not recorded again
                        failed = if state.t > self.last { self.push(&model, state).err() } else { None };
                    }
                });
                self.sample = sample;
                failed.map_or(Ok(()), Err)?;
                if let Err(e) = sampled {
                    // states inside this step are not known
                    while self.time(base) < now {
                        self.push_unknown(self.time(base), &e)?;
                        self.next += 1;
                    }
                }
                if self.time(base) <= now {
                    self.push_present(run)?;
                    self.skip_to(base, now);
                }
            }
            None => {
                if self.time(base) <= now {
                    self.push_present(run)?;
                    self.skip_to(base, now);
                }
            }
        }
        self.output.tick()?;
        Ok(())
    }

    fn skip_to(&mut self, base: f64, time: f64) {
        self.next = self.next.max(((time - base) / self.every).floor().max(0.0) as u64);
        while self.time(base) <= time {
            self.next += 1;
        }
    }

    fn push_present(&mut self, run: &RunLoop) -> Result<(), CliError> {
        if run.sim.time() > self.last {
            self.push(run.sim.model(), run.sim.state())?;
        }
        Ok(())
    }

    fn push(&mut self, model: &Arc<holonom::Model>, state: &State) -> Result<(), CliError> {
        if !Arc::ptr_eq(model, self.probe.model()) {
            // a joint broke
            self.probe = self.settings.simulation(model)?;
        }
        self.probe.state_mut().clone_from(state);
        let read = self.quantities.read(&mut self.probe, &mut self.row);
        let mut failure = read.err();
        self.output.push(&self.row)?;
        if let Some(stream) = &mut self.stream {
            failure = stream.push(&mut self.probe)?.or(failure);
        }
        self.last = state.t;
        if let Some(e) = failure {
            self.count_incomplete(&e);
        }
        Ok(())
    }

    /// A row of which the time alone is known.
    fn push_unknown(&mut self, time: f64, e: &StepError) -> Result<(), CliError> {
        if time > self.last {
            self.row.fill(f64::NAN);
            self.row[0] = time;
            self.output.push(&self.row)?;
            if let Some(stream) = &mut self.stream {
                stream.push_unknown(time)?;
            }
            self.last = time;
            self.count_incomplete(e);
        }
        Ok(())
    }

    fn count_incomplete(&mut self, e: &StepError) {
        if self.incomplete == 0 {
            crate::error::warn(&format!("{e}; what of the recording depends on it is NaN"));
        }
        self.incomplete += 1;
    }

    /// The last row, and the end of the file.
    pub fn finish(mut self, run: &RunLoop, reason: &str) -> Result<RecordingEnd, CliError> {
        self.push_present(run)?;
        if let Some(stream) = &mut self.stream {
            stream.finish()?;
        }
        Ok(RecordingEnd { file: self.output.finish(reason)?, incomplete: self.incomplete })
    }
}
