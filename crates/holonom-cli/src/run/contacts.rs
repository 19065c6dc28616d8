//! Contacts of a run, one by one: what they are called in JSON, and the stream of `--contacts`.
//!
//! The stream has one line of JSON for each row of the recording,
//! `{"time": s, "contacts": [{a, b, point, normal, gap, force, torque, slip, friction}]}`: names of the bodies, world
//! axes, m, N, N m and m/s; the force and torque are those on `a`, the normal points from `b` to `a`, `friction` is
//! `none`, `stick` or `slip`. `contacts` is `null` where forces could not be computed.

use super::lines::LineFile;
use crate::error::CliError;
use holonom::{Contact, Friction, Model, Simulation, StepError};
use serde::Serialize;
use std::path::Path;

/// A contact as it is written.
#[derive(Serialize)]
pub(crate) struct ContactRecord<'a> {
    a: &'a str,
    b: &'a str,
    point: [f64; 3],
    normal: [f64; 3],
    gap: f64,
    force: [f64; 3],
    torque: [f64; 3],
    slip: [f64; 3],
    friction: &'static str,
}

impl<'a> ContactRecord<'a> {
    pub fn of(model: &'a Model, c: &Contact) -> ContactRecord<'a> {
        ContactRecord {
            a: model.body_name(c.bodies.0),
            b: model.body_name(c.bodies.1),
            point: c.point.to_array(),
            normal: c.normal.to_array(),
            gap: c.gap,
            force: c.force.to_array(),
            torque: c.torque.to_array(),
            slip: c.slip.to_array(),
            friction: match c.friction {
                Friction::None => "none",
                Friction::Stick => "stick",
                Friction::Slip => "slip",
            },
        }
    }
}

/// The state of a joint under inequalities, in a word.
pub(crate) fn inequality_status(state: Friction) -> &'static str {
    match state {
        Friction::None => "free",
        Friction::Stick => "holds",
        Friction::Slip => "slips",
    }
}

/// Contacts of a state, counted.
pub(crate) struct ContactTotals {
    pub points: usize,
    /// N.
    pub largest: f64,
}

impl ContactTotals {
    /// `None` for a model in which nothing can touch, stop, slip or yield.
    pub fn of(sim: &mut Simulation) -> Result<Option<ContactTotals>, StepError> {
        if !sim.model().has_inequalities() {
            return Ok(None);
        }
        let all = sim.contacts()?;
        let largest = all.iter().map(|c| c.force.length()).fold(0.0, f64::max);
        Ok(Some(ContactTotals { points: all.len(), largest }))
    }
}

/// The stream of `--contacts`.
pub(crate) struct ContactStream {
    file: LineFile,
    all: Vec<Contact>,
}

impl ContactStream {
    pub fn create(path: &Path) -> Result<ContactStream, CliError> {
        Ok(ContactStream { file: LineFile::create(path)?, all: Vec::new() })
    }

    /// The line of the present state. Where forces cannot be computed the contacts are `null`, and the reason is given
    /// back.
    pub fn push(&mut self, sim: &mut Simulation) -> Result<Option<StepError>, CliError> {
        if let Err(e) = sim.read_contacts(&mut self.all) {
            self.push_unknown(sim.time())?;
            return Ok(Some(e));
        }
        let model = sim.model();
        let touches: Vec<ContactRecord> = self.all.iter().map(|c| ContactRecord::of(model, c)).collect();
        self.file.write(&serde_json::json!({ "time": sim.time(), "contacts": touches }))?;
        Ok(None)
    }

    /// A line of which the time alone is known.
    pub fn push_unknown(&mut self, time: f64) -> Result<(), CliError> {
        self.file.write(&serde_json::json!({ "time": time, "contacts": null }))
    }

    /// All lines are in the file.
    pub fn finish(&mut self) -> Result<(), CliError> {
        self.file.finish()
    }
}
