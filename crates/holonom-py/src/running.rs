//! Runs: through time by the loop of the command, in slices between which signals are seen and progress is shown.

use crate::errors::raised;
use crate::model::quantities;
use crate::simulation::Simulation;
use holonom::{Model, Promise, Simulation as Engine, StepError};
use holonom_run::{Failure, RowSampler, RowSink, RunChoices, RunLoop, RunSchedule, RunStatistics, stop};
use holonom_scene::Quantities;
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::time::{Duration, Instant};

/// Signals wait at most this long, or one step.
pub(crate) const SLICE: Duration = Duration::from_millis(20);
/// Numbers of a recording in memory: 4 GB.
const MOST_NUMBERS: f64 = 5e8;

/// A recording in memory.
#[derive(Default)]
struct Columns(Vec<Vec<f64>>);

impl Columns {
    fn put(&mut self, row: &[f64]) {
        self.0.iter_mut().zip(row).for_each(|(column, x)| column.push(*x));
    }
}

impl RowSink for Columns {
    type Error = Failure;

    fn row(&mut self, row: &[f64], _: &mut Engine) -> Result<Option<StepError>, Failure> {
        self.put(row);
        Ok(None)
    }

    fn unknown(&mut self, row: &[f64]) -> Result<(), Failure> {
        self.put(row);
        Ok(())
    }
}

/// A run under way.
struct Recorded {
    statistics: RunStatistics,
    columns: Columns,
    sampler: Option<RowSampler>,
    begun_at: f64,
}

/// Why a slice ended before the run.
enum Halt {
    Stopped(StepError),
    Failed(Failure),
    /// A Python function raised.
    Raised,
}

impl Recorded {
    fn begin(run: &mut RunLoop, quantities: Option<Quantities>, rate: f64) -> Result<Recorded, Failure> {
        let n = quantities.as_ref().map_or(0, Quantities::len);
        let mut columns = Columns(vec![Vec::new(); n]);
        let first = run.sim.state().clone();
        let sampler = quantities.map(|q| RowSampler::begin(q, run, &first, rate, &mut columns)).transpose()?;
        Ok(Recorded { statistics: RunStatistics::begin(&mut run.sim), columns, sampler, begun_at: run.sim.time() })
    }

    /// Until the end, or for as long as nobody waits for signals.
    fn slice(&mut self, run: &mut RunLoop, halted: impl Fn(f64) -> bool) -> Result<(), Halt> {
        let begun = Instant::now();
        while !run.arrived() && begun.elapsed() < SLICE {
            let report = run.advance().map_err(Halt::Stopped)?;
            if halted(run.sim.time()) {
                return Err(Halt::Raised);
            }
            self.statistics.after_step(&mut run.sim, &report);
            if self.statistics.finds_good(&run.sim) {
                run.note_good();
            }
            if let Some(sampler) = &mut self.sampler {
                sampler.after_step(run, &report, &mut self.columns).map_err(Halt::Failed)?;
            }
        }
        Ok(())
    }

    /// As a `Recording` of Python, with what is known of the run.
    fn into_python<'py>(mut self, py: Python<'py>, run: &mut RunLoop) -> PyResult<Bound<'py, PyAny>> {
        let mut last = Ok(());
        if let Some(sampler) = &mut self.sampler {
            last = sampler.push_present(run, &mut self.columns);
        }
        last.map_err(raised)?;
        self.statistics.end(&mut run.sim);
        let (columns, units, notes) = (PyDict::new(py), PyDict::new(py), PyDict::new(py));
        let all = self.sampler.as_ref().map_or(&[][..], |s| s.quantities().all());
        for (q, values) in all.iter().zip(self.columns.0) {
            columns.set_item(&q.name, values.into_pyarray(py))?;
            units.set_item(&q.name, q.unit)?;
            if !q.note.is_empty() {
                notes.set_item(&q.name, &q.note)?;
            }
        }
        let s = &self.statistics;
        let statistics = PyDict::new(py);
        statistics.set_item("from", self.begun_at)?;
        statistics.set_item("to", run.sim.time())?;
        statistics.set_item("steps", s.steps)?;
        statistics.set_item("rejected", s.rejected)?;
        statistics.set_item("evaluations", s.evaluations)?;
        statistics.set_item("events", s.events)?;
        statistics.set_item("broken", s.broken)?;
        statistics.set_item("wall_time", s.wall)?;
        statistics.set_item("energy_unaccounted", s.energy_unaccounted(&run.sim))?;
        for promise in Promise::ALL {
            statistics.set_item(format!("largest {}", promise.words()), s.worst.value(promise))?;
        }
        statistics.set_item("incomplete_rows", self.sampler.as_ref().map_or(0, RowSampler::incomplete))?;
        let warning = s.warnings(&run.sim);
        py.import("holonom._recording")?.getattr("Recording")?.call1((columns, units, notes, statistics, warning))
    }
}

/// Which loads are unique depends on the pose; the one at the start speaks for all.
fn mark(quantities: &mut Quantities, model: &Model, probe: &mut Engine) {
    if quantities.has_reactions()
        && model.has_loops()
        && let Ok(diagnosis) = probe.diagnose()
    {
        quantities.mark_not_unique(&diagnosis, probe.solver());
    }
}

impl Simulation {
    /// What is to be recorded: nothing, the usual, or what fits these patterns.
    fn chosen(&mut self, record: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Quantities>> {
        let Some(record) = record.filter(|r| !r.is_none()) else { return Ok(None) };
        let patterns: Vec<String> = match record.extract::<bool>() {
            Ok(false) => return Ok(None),
            Ok(true) => self.loaded.scene.record.columns.iter().map(|c| c.0.clone()).collect(),
            Err(_) => match record.extract::<String>() {
                Ok(one) => vec![one],
                Err(_) => record.extract()?,
            },
        };
        let model = self.run.sim.model().clone();
        let mut all = quantities(&self.loaded, &model, &patterns)?;
        mark(&mut all, &model, self.probe());
        Ok(Some(all))
    }
}

#[pymethods]
impl Simulation {
    /// Run to the time `until` (s; that of the scene, or 10, unless given), and record `rate` rows per second of the
    /// quantities that `record` names (True for the usual ones). A run that is continued by another has the bits of a
    /// single one. `progress`: True for a bar, or a function of the time and the end. Ctrl-C ends it after the step
    /// under way; an exception carries what was recorded until then as `recording`.
    #[pyo3(signature = (until = None, record = None, *, rate = None, progress = None))]
    fn run<'py>(
        &mut self,
        py: Python<'py>,
        until: Option<f64>,
        record: Option<&Bound<'py, PyAny>>,
        rate: Option<f64>,
        progress: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let choices = RunChoices { time: until, rate, ..RunChoices::default() };
        let schedule = RunSchedule::gather(&choices, &self.loaded.scene).map_err(raised)?;
        let (end, now) = (schedule.end, self.run.sim.time());
        if end < now {
            return Err(raised(Failure::input(format!("the end of the run, {end} s, lies before the time {now} s"))));
        }
        let quantities = self.chosen(record)?;
        let numbers = (end - now) * schedule.rate * quantities.as_ref().map_or(0, Quantities::len) as f64;
        if numbers > MOST_NUMBERS {
            let failure =
                Failure::limit(format!("the recording would have {numbers:.1e} numbers, at most {MOST_NUMBERS:.0e}"));
            return Err(raised(failure.help("record fewer quantities, or at a lower rate")));
        }
        self.refresh();
        self.run.go_on_to(end, self.left_alone);
        self.left_alone = false;
        let run = &mut self.run;
        let mut recorded = py.detach(|| Recorded::begin(run, quantities, schedule.rate)).map_err(raised)?;
        let bar = match progress.filter(|p| !p.is_none()) {
            Some(p) => Some(py.import("holonom._progress")?.getattr("follow")?.call1((p, now, end))?),
            None => None,
        };
        let ended = self.go(py, &mut recorded, bar.as_ref());
        if let Some(bar) = bar.filter(|b| b.hasattr("close").unwrap_or(false)) {
            bar.call_method0("close")?;
        }
        match ended {
            Ok(()) => {
                self.left_alone = true;
                recorded.into_python(py, &mut self.run)
            }
            Err(e) => {
                // what was recorded until then
                if let Ok(recording) = recorded.into_python(py, &mut self.run) {
                    let _ = e.value(py).setattr("recording", recording);
                }
                Err(e)
            }
        }
    }
}

impl Simulation {
    fn go<'py>(&mut self, py: Python<'py>, recorded: &mut Recorded, bar: Option<&Bound<'py, PyAny>>) -> PyResult<()> {
        while !self.run.arrived() {
            let (run, inputs, raised_there) = (&mut self.run, &self.inputs, &self.raised);
            let halted = |time: f64| {
                inputs.set_time(time);
                !raised_there.is_empty()
            };
            let result = py.detach(|| recorded.slice(run, halted));
            self.after()?;
            match result {
                Ok(()) | Err(Halt::Raised) => {}
                Err(Halt::Failed(e)) => return Err(raised(e)),
                Err(Halt::Stopped(e)) => {
                    let moment = stop::moment(&e, &self.run);
                    if recorded.statistics.broken == 0 {
                        self.run.return_to_good();
                    }
                    let dt = self.run.settings.dt;
                    return Err(self.stopped(&e, Some(moment), dt));
                }
            }
            py.check_signals()?;
            if let Some(bar) = bar {
                bar.call_method1("update", (self.run.sim.time(),))?;
            }
        }
        Ok(())
    }
}
