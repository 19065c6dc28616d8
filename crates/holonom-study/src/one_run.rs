//! One run of a study: a row of its table. Needs nothing of any other run, so that runs can be made in any order, on
//! any thread, in any process, with the same bits: those of `holonom run` with the same settings.

use crate::study::{FactorValue, Study};
use crate::watch::Watch;
use holonom::{Model, Promise, Simulation, StepError, WorstOfRun};
use holonom_record::{Cell, DataTable, TableColumn};
use holonom_run::{Failure, RowSampler, RunChoices, RunLoop, RunSchedule, RunSettings, stop};
use holonom_scene::{LoadError, Loaded, Quantities};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

/// Most events of one step.
const NEWEST: usize = 1 << 16;

/// What a run came to, besides its outcomes.
#[derive(Default)]
struct Ending {
    outcomes: Vec<f64>,
    time: f64,
    steps: u64,
    code: String,
    message: String,
    warning: String,
    hash: String,
}

impl Study {
    /// The table without its rows: run, factors, outcomes, how the run ended, and what makes it repeatable.
    pub fn empty_table(&self) -> DataTable {
        let mut columns = vec![TableColumn::numbers("run", "1")];
        for f in &self.factors {
            columns.push(match f.is_number() {
                true => TableColumn::numbers(&f.name, &f.unit),
                false => TableColumn::texts(&f.name),
            });
        }
        columns.extend(self.outcomes.all().iter().map(|o| TableColumn::numbers(&o.name, &o.unit)));
        columns.push(TableColumn::numbers("end", "s"));
        columns.push(TableColumn::numbers("steps", "1"));
        columns.extend(["status", "code", "message", "warning", "hash", "scene", "version"].map(TableColumn::texts));
        columns.push(TableColumn::numbers("seed", "1"));
        let names = |all: &mut dyn Iterator<Item = &str>| all.map(str::to_string).collect::<Vec<_>>();
        let metadata = serde_json::json!({
            "program": format!("holonom {}", env!("CARGO_PKG_VERSION")),
            "study": self.title,
            "scene": self.scene,
            "scene_hash": self.scene_hash(),
            "identity": self.identity(),
            "runs": self.runs(),
            "factors": names(&mut self.factors.iter().map(|f| f.name.as_str())),
            "outcomes": names(&mut self.outcomes.all().iter().map(|o| o.name.as_str())),
        });
        DataTable { columns, metadata: metadata.to_string() }
    }

    /// Make run number `run`: the row of the table. None when `stop` says so in the middle of it.
    pub fn row(&self, run: u64, stop: &dyn Fn() -> bool) -> Option<Vec<Cell>> {
        let values = self.values(run);
        let made = catch_unwind(AssertUnwindSafe(|| self.ending(&values, stop)));
        let ending = made.unwrap_or_else(|_| {
            let message = "the program met a mistake of its own in this run; please report it".to_string();
            Some(Ending { message, time: f64::NAN, ..Ending::default() })
        })?;
        let mut row = vec![Cell::Number(run as f64)];
        for (factor, value) in self.factors.iter().zip(values) {
            row.push(match value.number.filter(|_| factor.is_number()) {
                Some(x) => Cell::Number(x),
                None => Cell::Text(shown_value(&value)),
            });
        }
        let failed = !ending.code.is_empty() || !ending.message.is_empty();
        let mut outcomes = ending.outcomes;
        outcomes.resize(self.outcomes.all().len(), f64::NAN);
        row.extend(outcomes.into_iter().map(Cell::Number));
        row.push(Cell::Number(ending.time));
        row.push(Cell::Number(ending.steps as f64));
        let status = if failed { "failed" } else { "ok" };
        let texts = [status, &ending.code, &ending.message, &ending.warning, &ending.hash];
        row.extend(texts.map(|t| Cell::Text(t.to_string())));
        row.push(Cell::Text(self.scene_hash().to_string()));
        row.push(Cell::Text(env!("CARGO_PKG_VERSION").to_string()));
        row.push(Cell::Number(self.sampling.map_or(f64::NAN, |s| s.seed as f64)));
        Some(row)
    }

    /// None when it was stopped.
    fn ending(&self, values: &[FactorValue], stop: &dyn Fn() -> bool) -> Option<Ending> {
        let settings = self.settings_of(values);
        let built = self.prepared.finish(&settings).and_then(|loaded| {
            let model = Arc::new(loaded.build()?);
            Ok((loaded, model))
        });
        let (loaded, model) = match built {
            Ok(built) => built,
            Err(e) => return Some(refused(&e)),
        };
        match self.simulate(&loaded, &model, stop) {
            Ok(ending) => ending,
            Err(e) => {
                let (code, message) = first(&e);
                Some(Ending { code, message, time: f64::NAN, ..Ending::default() })
            }
        }
    }

    fn simulate(
        &self,
        loaded: &Loaded,
        model: &Arc<Model>,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Ending>, Failure> {
        let (scene, choices) = (&loaded.scene, RunChoices::default());
        let settings = RunSettings::gather(&choices, scene, model, None)?;
        let schedule = RunSchedule::gather(&choices, scene)?;
        let mut run = RunLoop::begin(settings.simulation(model)?, settings, schedule.end, None)?;
        let names: Vec<&str> = self.outcomes.quantities.iter().map(String::as_str).collect();
        let unknown =
            |u: holonom_scene::quantities::UnknownQuantity| Failure::diagnostic(u.diagnostic(None), &loaded.sources);
        let quantities = Quantities::of_scene(model, scene, &names).map_err(unknown)?;
        let params: Vec<f64> = scene.params.iter().map(|p| p.1).collect();
        let mut watch = Watch::new(&self.outcomes, &params);
        let mut worst = WorstOfRun::default();
        note_start(&mut worst, &mut run.sim);
        let by_kind = self.outcomes.need_kinds();
        if by_kind {
            run.sim.keep_events(NEWEST);
        }
        let first_state = run.sim.state().clone();
        // where only the ends are asked for a row at the start is enough
        let rate = if self.outcomes.need_rows() { schedule.rate } else { 1e-9 };
        let mut sampler = RowSampler::begin(quantities, &run, &first_state, rate, &mut watch)?;
        while !run.arrived() {
            if stop() {
                return Ok(None);
            }
            match run.advance() {
                Ok(report) => {
                    worst.add(&report, run.sim.time());
                    let events = if by_kind && report.events > 0 { run.sim.take_events() } else { Vec::new() };
                    watch.count(report.events, &events);
                    if self.outcomes.need_rows() {
                        sampler.after_step(&mut run, &report, &mut watch)?;
                    }
                }
                Err(e) => return Ok(Some(stopped(&e, &run, loaded))),
            }
        }
        sampler.push_present(&run, &mut watch)?;
        worst.note(Promise::Overlap, run.sim.overlap(), run.sim.time());
        let broken: Vec<String> = worst.broken(run.sim.model(), run.sim.drift()).map(|b| b.to_string()).collect();
        let warning = [broken.join("; "), watch.incomplete.clone().unwrap_or_default()];
        Ok(Some(Ending {
            outcomes: self.outcomes.values(&params, &watch.measured()),
            time: run.sim.time(),
            steps: run.steps,
            warning: warning.into_iter().filter(|w| !w.is_empty()).collect::<Vec<_>>().join("; "),
            hash: format!("{:016x}", run.sim.state().hash()),
            ..Ending::default()
        }))
    }
}

fn note_start(worst: &mut WorstOfRun, sim: &mut Simulation) {
    let (gap, gap_rate) = sim.violation();
    worst.note(Promise::Gap, gap, sim.time());
    worst.note(Promise::GapRate, gap_rate, sim.time());
    worst.note(Promise::Overlap, sim.overlap(), sim.time());
}

/// A text without its quotes.
fn shown_value(value: &FactorValue) -> String {
    let text = value.text.trim();
    let inner = ['"', '\''].iter().find_map(|q| text.strip_prefix(*q)?.strip_suffix(*q));
    inner.unwrap_or(text).to_string()
}

/// A scene that these values do not make.
fn refused(e: &LoadError) -> Ending {
    let first = e.report.all().iter().find(|d| d.severity == holonom_scene::Severity::Error);
    let (code, message) = first.map_or_else(
        || (String::new(), e.render()),
        |d| {
            (
                d.code.to_string(),
                [d.message.as_str(), &d.label].into_iter().filter(|t| !t.is_empty()).collect::<Vec<_>>().join(": "),
            )
        },
    );
    Ending { code, message, time: f64::NAN, ..Ending::default() }
}

/// The first thing that a failure says.
fn first(e: &Failure) -> (String, String) {
    e.data().into_iter().next().map_or((String::new(), e.text()), |d| (d.code, d.message))
}

/// A run that cannot go on.
fn stopped(e: &StepError, run: &RunLoop, loaded: &Loaded) -> Ending {
    let moment = stop::moment(e, run);
    let d = stop::explain(e, moment.clone(), run, &loaded.scene);
    Ending {
        code: d.code.to_string(),
        message: format!("{}, at {moment}", d.message),
        time: run.sim.time(),
        steps: run.steps,
        hash: format!("{:016x}", run.sim.state().hash()),
        ..Ending::default()
    }
}
