//! `holonom torques`: the efforts along joints that make a motion, instead of the drives that prescribe it.
//!
//! The scene runs as it is, drives and all. At every moment its accelerations are given to the same mechanism without
//! drives: which efforts along the joints make them? Whatever contacts, limits, ropes and friction do in the motion
//! acts as it does there.

use super::{NamedCoordinate, Series, all_coordinates, coordinates, times};
use crate::Exit;
use crate::error::CliError;
use crate::output::{StandardOutput, refuse_existing};
use crate::scene::{OpenedScene, SceneArgs};
use crate::text::plural;
use holonom::answers::{HeldFactor, PushAlong};
use holonom::{Model, Simulation, StepError};
use holonom_run::{MotionLaw, RunChoices, RunSettings};
use holonom_scene::scene::InteractionRecord;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;
use std::sync::Arc;

/// Inverse dynamics: the torques and forces along joints that make the motion of a scene.
///
/// The motion is that of the scene with its drives; the efforts are those that would make it without them. Where joints
/// are more than the mechanism is free to move in, the smallest efforts are taken, and it is said.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  holonom torques excavator --time 4\n  holonom torques arm.toml --joints \
    shoulder,elbow --rate 200 --out torques.csv\n  holonom torques crane.toml --json")]
pub(crate) struct TorquesArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// What gives efforts: JOINT for its first coordinate, JOINT.1 for the second [default: what the drives of the
    /// scene act on, or all joints]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    joints: Vec<String>,
    /// End time, s [default: that of the scene, or 10]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    time: Option<f64>,
    /// Moments per second
    #[arg(long, value_name = "N", default_value_t = 100.0, allow_hyphen_values = true)]
    rate: f64,
    /// Write the efforts to a .csv, .parquet or .hrec file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file of --out
    #[arg(long, short)]
    force: bool,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// What the efforts miss of the motion, in the norm of the masses, when it is worth a word.
const MISSED: f64 = 1e-8;

/// What was found over all moments.
struct TorqueReport {
    series: Series,
    /// Directions that are independent, at the moment with the fewest.
    rank: usize,
    missed: f64,
}

pub(crate) fn run(args: &TorquesArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let opened = args.scene.open()?;
    let free = undriven(&opened)?;
    let actuators = match args.joints.as_slice() {
        [] => default_actuators(&opened, &free),
        names => coordinates(&free, names)?,
    };
    if actuators.is_empty() {
        return Err(CliError::usage(format!("scene `{}` has no joint with a coordinate to act on", opened.name)));
    }
    if let Some(path) = &args.out {
        refuse_existing(path, args.force)?;
    }
    let report = follow(args, &opened, &free, &actuators)?;
    if let Some(path) = &args.out {
        report.series.write(path, args.force, &json!({ "scene": opened.name, "made_by": "holonom torques" }))?;
    }
    let unique = report.rank == actuators.len();
    if args.json {
        let units: Map<String, Value> = actuators.iter().map(|c| (c.name.clone(), json!(c.units()[2]))).collect();
        out.json(&json!({
            "scene": opened.name,
            "unique": unique,
            "rank": report.rank,
            "missed": report.missed,
            "units": units,
            "times": report.series.times,
            "efforts": report.series.data(),
            "out": args.out.as_ref().map(|p| p.display().to_string()),
        }))?;
    } else {
        out.write(&text(args, &report, &actuators))?;
    }
    Ok(Exit::Ok)
}

/// The mechanism without its drives.
fn undriven(opened: &OpenedScene) -> Result<Arc<Model>, CliError> {
    let mut scene = opened.loaded.scene.clone();
    scene.drives.clear();
    // it starts nowhere of its own: poses come from the motion
    let mut report = holonom_scene::Report::new();
    match holonom_scene::build::build(&scene, &mut report) {
        Some(model) => Ok(Arc::new(model)),
        None => Err(CliError::report(report, opened.loaded.sources.clone())),
    }
}

/// What the drives act on; all joints where none acts on a coordinate.
fn default_actuators(opened: &OpenedScene, free: &Model) -> Vec<NamedCoordinate> {
    let driven = |drive: &InteractionRecord| {
        let c = drive.record.coordinate("joint")?;
        NamedCoordinate::of(free, free.joint(&c.joint)?, c.index)
    };
    let mut out: Vec<NamedCoordinate> = Vec::new();
    for c in opened.loaded.scene.drives.iter().filter_map(driven) {
        if out.iter().all(|known| known.name != c.name) {
            out.push(c);
        }
    }
    if out.is_empty() { all_coordinates(free) } else { out }
}

/// Run the scene and ask at every moment.
fn follow(
    args: &TorquesArgs,
    opened: &OpenedScene,
    free: &Arc<Model>,
    actuators: &[NamedCoordinate],
) -> Result<TorqueReport, CliError> {
    let scene = &opened.loaded.scene;
    let settings = RunSettings::gather(&RunChoices::default(), scene, &opened.model, None)?;
    if settings.law != MotionLaw::Dynamic {
        return Err(
            CliError::usage("a motion by f = m v has no accelerations to make").help("use  --set run.law=dynamic")
        );
    }
    let mut sim = settings.simulation(&opened.model)?;
    let end = args.time.or(scene.run.time).unwrap_or(10.0);
    let times = times(sim.time(), end, args.rate)?;
    let along: Vec<PushAlong> = actuators.iter().map(|c| PushAlong::coordinate(c.joint, c.index)).collect();
    let mut columns: Vec<Vec<f64>> = vec![Vec::with_capacity(times.len()); actuators.len()];
    let (mut rank, mut missed) = (actuators.len(), 0.0f64);
    let stopped = |e: &StepError| CliError::step(&format!("scene `{}`", opened.name), e);
    for &t in &times {
        if t > sim.time() {
            match settings.dt {
                Some(dt) => sim.run_fixed(t, dt),
                None => sim.run_until(t),
            }
            .map_err(|e| stopped(&e))?;
        }
        let found = efforts(&mut sim, free, &along).map_err(|e| stopped(&e))?;
        columns.iter_mut().zip(&found.efforts).for_each(|(column, e)| column.push(*e));
        (rank, missed) = (rank.min(found.rank), missed.max(found.missed));
    }
    let columns = actuators.iter().zip(columns).map(|(c, x)| (c.name.clone(), c.units()[2], x)).collect();
    Ok(TorqueReport { series: Series { times, columns }, rank, missed })
}

/// The efforts at the present moment of the motion.
fn efforts(
    sim: &mut Simulation,
    free: &Arc<Model>,
    along: &[PushAlong],
) -> Result<holonom::answers::InverseDynamics, StepError> {
    let acceleration = sim.accelerations()?;
    let multipliers = sim.multipliers()?;
    // what acts besides forces, joints and drives: contacts, limits, friction
    let others = sim.held_factor()?.force_left_over(&acceleration, &multipliers);
    let mut held = HeldFactor::at(free, &free.carried_over(sim.model(), sim.state()))?;
    held.add_force(&others);
    held.inverse_dynamics(&acceleration, along, None)
}

fn text(args: &TorquesArgs, report: &TorqueReport, actuators: &[NamedCoordinate]) -> String {
    let mut text = report.series.table();
    let surplus = actuators.len() - report.rank;
    if surplus > 0 {
        let _ = writeln!(
            text,
            "\nThe efforts are not unique: {} are more than the mechanism needs. Shown are the smallest, by the sum of their squares.",
            plural(surplus, "of them", "of them")
        );
    } else {
        text.push_str("\nThe efforts are unique.\n");
    }
    if report.missed > MISSED {
        let _ = writeln!(
            text,
            "They do not make the whole motion: {:.1e} of the accelerations are missed, measured by the masses. More joints must act (--joints).",
            report.missed
        );
    }
    if let Some(path) = &args.out {
        let _ = writeln!(text, "{} moments in {}", report.series.times.len(), path.display());
    }
    text
}
