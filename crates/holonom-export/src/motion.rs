//! Where every body is, at sampled times.
//!
//! Recordings hold the centre of mass c and the orientation q of a body; drawn is its own origin,
//!
//! ```text
//! o = c - R(q) r,     r: the centre of mass in the body's axes
//! ```
//!
//! Bodies without an orientation (particles) keep their axes along those of the world. A quaternion and its negative
//! are the same orientation: of the two, that is taken which is nearer to the sample before, so that what lies between
//! may be interpolated.

use holonom::math::{Mat3, Quat, Vec3};
use holonom::{Model, Simulation, StepError};
use holonom_record::{RecordingColumn, RecordingReader};
use holonom_run::{Failure, OpenedScene, RowSampler, RowSink, RunChoices, RunLoop, RunSchedule, RunSettings, stop};
use holonom_scene::Quantities;
use holonom_view::picture::local_centre;
use std::collections::HashMap;

/// Numbers of a motion in memory, at most: 800 MB.
const MOST: f64 = 1e8;

/// Where a body is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPlace {
    /// Its origin, m.
    pub at: Vec3,
    /// Its orientation.
    pub turn: Quat,
}

/// Where every body is, at sampled times.
#[derive(Clone, Debug)]
pub struct SampledMotion {
    /// s, ascending.
    pub times: Vec<f64>,
    /// Body by body, in the order of the model, as many as there are times.
    pub bodies: Vec<Vec<BodyPlace>>,
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct MotionColumn {
    /// Name of the quantity.
    pub name: String,
    /// Its unit.
    pub unit: String,
    /// What a reader should know; mostly empty.
    pub note: String,
    /// Its values, row by row.
    pub values: Vec<f64>,
}

/// A recording in memory; the first column is `time`.
#[derive(Clone, Debug)]
pub struct MotionTable {
    /// The columns.
    pub columns: Vec<MotionColumn>,
}

impl RowSink for MotionTable {
    type Error = Failure;

    fn row(&mut self, row: &[f64], _: &mut Simulation) -> Result<Option<StepError>, Failure> {
        self.columns.iter_mut().zip(row).for_each(|(column, x)| column.values.push(*x));
        Ok(None)
    }

    // a row of which only the time is known shows nothing
    fn unknown(&mut self, _: &[f64]) -> Result<(), Failure> {
        Ok(())
    }
}

impl MotionTable {
    /// Of a run that is made for it: places and orientations of bodies, and with `all` what the scene records besides.
    pub fn of_run(opened: &OpenedScene, choices: &RunChoices, all: bool) -> Result<MotionTable, Failure> {
        let (loaded, model) = (&opened.loaded, &opened.model);
        let settings = RunSettings::gather(choices, &loaded.scene, model, None)?;
        let schedule = RunSchedule::gather(choices, &loaded.scene)?;
        let select = |patterns: &[&str]| {
            Quantities::of_scene(model, &loaded.scene, patterns)
                .map_err(|unknown| Failure::diagnostic(unknown.diagnostic(None), &loaded.sources))
        };
        let recorded: Vec<&str> = loaded.scene.record.columns.iter().map(|c| c.0.as_str()).collect();
        let mut names: Vec<String> = Vec::new();
        if all {
            names.extend(select(&recorded)?.names().map(str::to_string));
        }
        // particles have no orientation
        for pattern in ["*.pos.*", "*.quat.*"] {
            names.extend(select(&[pattern]).iter().flat_map(Quantities::names).map(str::to_string));
        }
        let quantities = select(&names.iter().map(String::as_str).collect::<Vec<_>>())?;
        let numbers = schedule.end * schedule.rate * quantities.len() as f64;
        if numbers > MOST {
            return Err(Failure::limit(format!("the motion would have {numbers:.1e} numbers, at most {MOST:.0e}"))
                .help("sample it at a lower --rate, or for a shorter --time"));
        }
        let columns = quantities.all().iter().map(|q| MotionColumn {
            name: q.name.clone(),
            unit: q.unit.to_string(),
            note: q.note.clone(),
            values: Vec::new(),
        });
        let mut table = MotionTable { columns: columns.collect() };
        let sim = settings.simulation(model)?;
        let first = sim.state().clone();
        let mut run = RunLoop::begin(sim, settings, schedule.end, None)?;
        let mut sampler = RowSampler::begin(quantities, &run, &first, schedule.rate, &mut table)?;
        while !run.arrived() {
            let report = run.advance().map_err(|e| {
                let diagnostic = stop::explain(&e, stop::moment(&e, &run), &run, &loaded.scene);
                Failure::diagnostic(diagnostic, &loaded.sources)
            })?;
            sampler.after_step(&mut run, &report, &mut table)?;
        }
        sampler.push_present(&run, &mut table)?;
        Ok(table)
    }

    /// Of a recording.
    pub fn of_recording(recording: &RecordingReader) -> Result<MotionTable, Failure> {
        let read = |(k, column): (usize, &RecordingColumn)| {
            let values = recording.column_at(k)?;
            Ok(MotionColumn { name: column.name.clone(), unit: column.unit.clone(), note: column.note.clone(), values })
        };
        Ok(MotionTable { columns: recording.columns().iter().enumerate().map(read).collect::<Result<_, Failure>>()? })
    }
}

impl SampledMotion {
    /// What a table tells of the bodies of a model.
    pub fn of(table: &MotionTable, model: &Model) -> Result<SampledMotion, Failure> {
        let by_name: HashMap<&str, &[f64]> = table.columns.iter().map(|c| (c.name.as_str(), &c.values[..])).collect();
        SampledMotion::of_columns(model, &|name| by_name.get(name).copied())
    }

    /// From columns by their names.
    fn of_columns<'t>(model: &Model, column: &dyn Fn(&str) -> Option<&'t [f64]>) -> Result<SampledMotion, Failure> {
        let times = column("time").ok_or_else(|| Failure::input("the recording has no column `time`"))?;
        let mut bodies = Vec::with_capacity(model.n_bodies());
        let mut missing = None;
        for body in model.bodies() {
            let name = model.body_name(body);
            let centre = local_centre(model, body);
            let Some(centre) = centre else {
                // it is nowhere, or bends
                bodies.push(vec![BodyPlace { at: Vec3::ZERO, turn: Quat::IDENTITY }; times.len()]);
                continue;
            };
            let parts = ["x", "y", "z"].map(|axis| column(&format!("{name}.pos.{axis}")));
            let turns = ["w", "x", "y", "z"].map(|axis| column(&format!("{name}.quat.{axis}")));
            let [Some(x), Some(y), Some(z)] = parts else {
                missing.get_or_insert(name);
                continue;
            };
            let mut last = Quat::IDENTITY;
            let place = |k: usize| {
                let read = match &turns {
                    [Some(w), Some(x), Some(y), Some(z)] => Quat::from_xyzw(x[k], y[k], z[k], w[k]),
                    _ => Quat::IDENTITY,
                };
                let turn = if read.dot(last) < 0.0 { -read } else { read };
                last = turn;
                BodyPlace { at: Vec3::new(x[k], y[k], z[k]) - Mat3::from_quat(turn) * centre, turn }
            };
            bodies.push((0..times.len()).map(place).collect());
        }
        if let Some(name) = missing {
            let message =
                format!("the recording does not say where the body `{name}` is: it has no column `{name}.pos.x`");
            return Err(
                Failure::input(message).help("record with  --columns '*.pos.*,*.quat.*'  or export the scene itself")
            );
        }
        Ok(SampledMotion { times: times.to_vec(), bodies }.finite())
    }

    /// Without the samples that somewhere are not finite.
    fn finite(mut self) -> SampledMotion {
        let good: Vec<bool> = (0..self.times.len())
            .map(|k| self.bodies.iter().all(|b| b[k].at.is_finite() && b[k].turn.is_finite()))
            .collect();
        if good.iter().all(|g| *g) {
            return self;
        }
        let mut of_times = good.iter();
        self.times.retain(|_| *of_times.next().unwrap_or(&false));
        for body in &mut self.bodies {
            let mut of_body = good.iter();
            body.retain(|_| *of_body.next().unwrap_or(&false));
        }
        self
    }
}
