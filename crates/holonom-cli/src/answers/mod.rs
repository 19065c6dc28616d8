//! Questions beside motion through time: small motions, equilibria, inverse kinematics, torques of a given motion.

pub(crate) mod equilibrium;
pub(crate) mod ik;
pub(crate) mod modes;
pub(crate) mod torques;

use crate::error::CliError;
use crate::output::refuse_existing;
use crate::text::{Align, TextTable, plural};
use holonom::joints::{self, CoordinateKind};
use holonom::{JointId, Model};
use holonom_record::{RecordingColumn, RecordingOutput, Schema};
use holonom_scene::diagnostic::nearest;
use serde_json::{Map, Value, json};
use std::path::Path;

/// A coordinate of a joint, by the name that was asked for.
pub(crate) struct NamedCoordinate {
    pub name: String,
    pub joint: JointId,
    pub index: usize,
    pub kind: CoordinateKind,
}

impl NamedCoordinate {
    fn of(model: &Model, joint: JointId, index: usize) -> Option<Self> {
        let kind = *model.constraint(joint).coordinates().get(index)?;
        let name = model.joint_name(joint);
        let name = if index == 0 { name.to_string() } else { format!("{name}.{index}") };
        Some(NamedCoordinate { name, joint, index, kind })
    }

    /// Of the coordinate itself, of its rate, of the effort along it.
    pub fn units(&self) -> [&'static str; 3] {
        match self.kind {
            CoordinateKind::Angle => ["rad", "rad/s", "N m"],
            CoordinateKind::Length => ["m", "m/s", "N"],
        }
    }
}

/// All coordinates of joints that are no drives.
pub(crate) fn all_coordinates(model: &Model) -> Vec<NamedCoordinate> {
    let of = |j: JointId| {
        let drive = joints::is_drive(model.constraint(j).kind()) || model.rows_of(j).is_empty();
        let n = if drive { 0 } else { model.constraint(j).coordinates().len() };
        (0..n).filter_map(move |i| NamedCoordinate::of(model, j, i))
    };
    model.joints().flat_map(of).collect()
}

/// Coordinates by name: `JOINT`, or `JOINT.1` for a further one.
pub(crate) fn coordinates(model: &Model, names: &[String]) -> Result<Vec<NamedCoordinate>, CliError> {
    names.iter().map(|name| coordinate(model, name)).collect()
}

fn coordinate(model: &Model, name: &str) -> Result<NamedCoordinate, CliError> {
    let split = || {
        let (joint, index) = name.rsplit_once('.')?;
        Some((model.joint(joint)?, index.parse().ok()?))
    };
    let found = model.joint(name).map(|j| (j, 0)).or_else(split);
    let Some((joint, index)) = found else {
        let names = model.joints().map(|j| model.joint_name(j));
        let base = name.rsplit_once('.').map_or(name, |(joint, _)| joint);
        return Err(CliError::usage(format!("--joints: there is no joint `{name}`"))
            .did_you_mean(nearest(base, names))
            .help("`JOINT` is its first coordinate, `JOINT.1` the second"));
    };
    NamedCoordinate::of(model, joint, index).ok_or_else(|| {
        let (n, kind) = (model.constraint(joint).coordinates().len(), model.constraint(joint).kind());
        let joint = model.joint_name(joint);
        let n = if n == 1 { "1 coordinate".to_string() } else { format!("{n} coordinates") };
        CliError::usage(format!("--joints: `{joint}` ({kind}) has {n}, there is no number {index}"))
    })
}

/// Series of numbers over time, one for each name, with units.
pub(crate) struct Series {
    pub times: Vec<f64>,
    pub columns: Vec<(String, &'static str, Vec<f64>)>,
}

impl Series {
    /// Write as a recording (`.csv`, `.parquet`, `.hrec`).
    pub fn write(&self, path: &Path, force: bool, metadata: &Value) -> Result<(), CliError> {
        refuse_existing(path, force)?;
        let named = self.columns.iter().map(|(name, unit, _)| RecordingColumn::new(name, *unit));
        let columns = std::iter::once(RecordingColumn::time()).chain(named).collect();
        let mut output = RecordingOutput::create(path, &Schema::new(columns, metadata.to_string())?)?;
        for (k, t) in self.times.iter().enumerate() {
            let row: Vec<f64> = std::iter::once(*t).chain(self.columns.iter().map(|c| c.2[k])).collect();
            output.push(&row)?;
        }
        output.finish("end of time reached")?;
        Ok(())
    }

    /// `{NAME: [..]}`.
    pub fn data(&self) -> Value {
        let map: Map<String, Value> = self.columns.iter().map(|(name, _, x)| (name.clone(), json!(x))).collect();
        Value::Object(map)
    }

    /// Least, greatest and last of each, as a table.
    pub fn table(&self) -> String {
        let right = ["least", "greatest", "at the end"].map(|name| (name, Align::Right));
        let mut table = TextTable::new(&[&[("quantity", Align::Left), ("unit", Align::Left)], &right[..]].concat());
        for (name, unit, x) in &self.columns {
            let least = x.iter().copied().fold(f64::INFINITY, f64::min);
            let most = x.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let last = x.last().copied().unwrap_or(f64::NAN);
            let shown = [least, most, last].map(|x| format!("{x:.6}"));
            table.row([name.clone(), unit.to_string()].into_iter().chain(shown));
        }
        table.text()
    }
}

/// Times from now to `end`, `every` seconds apart, the end included.
pub(crate) fn times(now: f64, end: f64, rate: f64) -> Result<Vec<f64>, CliError> {
    if !(end.is_finite() && end > now) {
        return Err(CliError::usage(format!("--time is {end} s, must be finite and later than {now} s")));
    }
    if !(rate.is_finite() && rate > 0.0) {
        return Err(CliError::usage(format!("--rate is {rate}, must be finite and greater than 0")));
    }
    let n = (end - now) * rate;
    if n > MOST_TIMES {
        let message = format!("{n:.0} times are more than {MOST_TIMES:.0}");
        return Err(CliError::limit(message).help("use a smaller --rate or an earlier --time"));
    }
    let n = (n.round() as usize).max(1);
    Ok((0..=n).map(|k| now + (end - now) * k as f64 / n as f64).collect())
}

/// Most moments of a series.
const MOST_TIMES: f64 = 1e6;

/// `ways` of freedom that nothing decides, in words.
pub(crate) fn freedom(ways: usize) -> String {
    plural(ways, "way", "ways")
}
