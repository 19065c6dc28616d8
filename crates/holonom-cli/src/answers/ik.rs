//! `holonom ik`: how joints must move for what is prescribed to happen.

use super::{NamedCoordinate, Series, all_coordinates, coordinates, freedom, times};
use crate::Exit;
use crate::error::CliError;
use crate::output::{StandardOutput, refuse_existing};
use crate::scene::SceneArgs;
use holonom::Simulation;
use serde_json::{Map, Value, json};
use std::fmt::Write as _;
use std::path::PathBuf;

/// Inverse kinematics: the motions of joints while the drives of the scene move as they are told.
///
/// Paths of points, motors, prescribed orientations: whatever the scene prescribes is followed, without inertia or
/// forces. Where more than that can move, the least motion is taken, measured by the masses.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  holonom ik excavator --time 4\n  holonom ik arm.toml --joints shoulder,elbow \
    --time 2 --rate 200 --out joints.csv")]
pub(crate) struct IkArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Coordinates wanted: JOINT for its first, JOINT.1 for the second [default: those of all joints]
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    joints: Vec<String>,
    /// End time, s [default: that of the scene, or 10]
    #[arg(long, value_name = "T", allow_hyphen_values = true)]
    time: Option<f64>,
    /// Moments per second
    #[arg(long, value_name = "N", default_value_t = 100.0, allow_hyphen_values = true)]
    rate: f64,
    /// Write coordinates and rates to a .csv, .parquet or .hrec file
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Replace the file of --out
    #[arg(long, short)]
    force: bool,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(args: &IkArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let opened = args.scene.open()?;
    let sim = Simulation::new(opened.model.clone());
    let wanted = match args.joints.as_slice() {
        [] => all_coordinates(&opened.model),
        names => coordinates(&opened.model, names)?,
    };
    if let Some(path) = &args.out {
        refuse_existing(path, args.force)?;
    }
    let end = args.time.or(opened.loaded.scene.run.time).unwrap_or(10.0);
    let steps = times(sim.time(), end, args.rate)?.len() - 1;
    let ids: Vec<_> = wanted.iter().map(|c| (c.joint, c.index)).collect();
    let motion = sim.inverse_kinematics(&ids, end, steps).map_err(|e| {
        CliError::step(&format!("scene `{}`", opened.name), &e)
            .help("the joints cannot follow: look for the moment at which what is prescribed leaves their reach")
    })?;
    let column = |suffix: &str, unit: usize, values: &[Vec<f64>]| -> Vec<(String, &'static str, Vec<f64>)> {
        let named = |(c, x): (&NamedCoordinate, &Vec<f64>)| {
            let (joint, further) = match c.index {
                0 => (c.name.as_str(), String::new()),
                i => (c.name.rsplit_once('.').map_or(c.name.as_str(), |n| n.0), format!(".{i}")),
            };
            (format!("{joint}.{suffix}{further}"), c.units()[unit], x.clone())
        };
        wanted.iter().zip(values).map(named).collect()
    };
    let columns = [column("coordinate", 0, &motion.values), column("rate", 1, &motion.rates)].concat();
    let series = Series { times: motion.times.clone(), columns };
    if let Some(path) = &args.out {
        series.write(path, args.force, &json!({ "scene": opened.name, "made_by": "holonom ik" }))?;
    }
    if args.json {
        let per_joint = |values: &[Vec<f64>]| -> Map<String, Value> {
            wanted.iter().zip(values).map(|(c, x)| (c.name.clone(), json!(x))).collect()
        };
        out.json(&json!({
            "scene": opened.name,
            "spare_freedom": motion.spare_freedom,
            "times": motion.times,
            "coordinates": per_joint(&motion.values),
            "rates": per_joint(&motion.rates),
            "out": args.out.as_ref().map(|p| p.display().to_string()),
        }))?;
        return Ok(Exit::Ok);
    }
    let mut text = series.table();
    let spare = match motion.spare_freedom {
        0 => "What is prescribed decides every joint.".to_string(),
        n => format!(
            "What is prescribed leaves {} open: the least motion was taken, measured by the masses.",
            freedom(n)
        ),
    };
    let _ = writeln!(text, "\n{spare}");
    if let Some(path) = &args.out {
        let _ = writeln!(text, "{} moments in {}", motion.times.len(), path.display());
    }
    out.write(&text)?;
    Ok(Exit::Ok)
}
