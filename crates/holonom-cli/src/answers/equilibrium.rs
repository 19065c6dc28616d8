//! `holonom equilibrium`: where a mechanism comes to rest.

use super::all_coordinates;
use crate::Exit;
use crate::error::CliError;
use crate::output::StandardOutput;
use crate::run::summary::FinalState;
use crate::scene::SceneArgs;
use crate::text::{Align, TextTable, plural};
use holonom::linear::Stability;
use holonom::{Equilibrium, EquilibriumOptions, Simulation, StepError};
use serde::Serialize;
use std::cell::RefCell;
use std::fmt::Write as _;

/// A static equilibrium: pose, loads, and what happens after a small push.
///
/// From the start of the scene downwards, or to the nearest one of any kind (--nearest). Drives are held where they
/// are. Contacts, limits, ropes and friction do not take part in the search.
#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  holonom equilibrium pendulum\n  holonom equilibrium crane.toml --set load=500 --json\n  \
    holonom equilibrium double-pendulum --nearest"
)]
pub(crate) struct EquilibriumArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Go to the nearest equilibrium, stable or not, instead of down
    #[arg(long)]
    nearest: bool,
    /// Good enough: acceleration from rest, relative to what all forces would make of the bodies alone
    #[arg(long, value_name = "TOL", default_value_t = 1e-12, allow_hyphen_values = true)]
    tolerance: f64,
    /// Give up after this many moves
    #[arg(long, value_name = "N", default_value_t = 1000)]
    iterations: usize,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// The object of `equilibrium --json`; names are a contract.
#[derive(Serialize)]
struct EquilibriumSummary<'a> {
    scene: &'a str,
    stability: &'static str,
    residual: f64,
    iterations: usize,
    newton: usize,
    evaluations: usize,
    stiffness: &'a [f64],
    potential: f64,
    #[serde(rename = "final")]
    last: FinalState<'a>,
}

pub(crate) fn run(args: &EquilibriumArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    if !(args.tolerance.is_finite() && args.tolerance > 0.0) {
        let message = format!("--tolerance is {}, must be finite and greater than 0", args.tolerance);
        return Err(CliError::usage(message));
    }
    let opened = args.scene.open()?;
    let mut sim = Simulation::new(opened.model.clone());
    let options = EquilibriumOptions {
        tolerance: args.tolerance,
        max_iterations: args.iterations,
        nearest: args.nearest,
        ..EquilibriumOptions::default()
    };
    let found = sim.equilibrium(&options).map_err(|e| {
        let error = CliError::step(&format!("scene `{}`", opened.name), &e);
        match e {
            StepError::NotConverged { .. } => error.help(
                "what falls forever has no equilibrium; --iterations and --tolerance ask for less, --nearest looks uphill too",
            ),
            _ => error,
        }
    })?;
    if args.json {
        let energy = sim.energy();
        let sim = RefCell::new(sim);
        out.json(&EquilibriumSummary {
            scene: &opened.name,
            stability: word(found.stability),
            residual: found.residual,
            iterations: found.iterations,
            newton: found.newton,
            evaluations: found.evaluations,
            stiffness: &found.stiffness,
            potential: energy.total() - energy.kinetic,
            last: FinalState::of(&sim),
        })?;
    } else {
        out.write(&text(&found, &mut sim)?)?;
    }
    Ok(Exit::Ok)
}

fn word(stability: Stability) -> &'static str {
    match stability {
        Stability::Stable => "stable",
        Stability::Neutral => "neutral",
        Stability::Unstable => "unstable",
        Stability::Unknown => "unknown",
    }
}

fn text(found: &Equilibrium, sim: &mut Simulation) -> Result<String, CliError> {
    let mut text = String::new();
    let what = match found.stability {
        Stability::Stable => "stable: it comes back after a small push",
        Stability::Neutral => "neutral: some directions are free, none gives way",
        Stability::Unstable => "UNSTABLE: it leaves after a small push",
        Stability::Unknown => "not judged: too many free directions",
    };
    let _ = writeln!(text, "equilibrium  {what}");
    let moves = plural(found.iterations, "move", "moves");
    let _ = writeln!(text, "residual     {:.1e} after {moves}", found.residual);
    // zeros of free directions are rounding
    let slowest = found.stiffness.first().filter(|_| found.stability == Stability::Stable);
    if let Some(slowest) = slowest.map(|k| k.sqrt() / std::f64::consts::TAU) {
        let _ = writeln!(text, "slowest      {slowest:.6} Hz, undamped (`holonom modes --rest` has them all)");
    }
    let model = sim.model().clone();
    let coordinates = all_coordinates(&model);
    let mut table = TextTable::new(&[
        ("joint", Align::Left),
        ("coordinate", Align::Right),
        ("", Align::Left),
        ("force, N", Align::Right),
        ("torque, N m", Align::Right),
    ]);
    for joint in model.joints().take(SHOWN) {
        let reaction =
            sim.reaction(joint).map_err(|e| CliError::step(&format!("joint `{}`", model.joint_name(joint)), &e))?;
        let mine: Vec<_> = coordinates.iter().filter(|c| c.joint == joint).collect();
        let values: Vec<String> =
            mine.iter().filter_map(|c| Some(format!("{:.6}", sim.coordinate(c.joint, c.index)?.0 + 0.0))).collect();
        let unit = mine.first().map_or("", |c| c.units()[0]);
        let (force, torque) = (reaction.force.length(), reaction.torque.length());
        let loads = [force, torque].map(|x| format!("{x:.4}"));
        table.row([model.joint_name(joint).to_string(), values.join(" "), unit.to_string()].into_iter().chain(loads));
    }
    let _ = write!(text, "\n{}", table.text());
    if model.n_joints() > SHOWN {
        let _ = writeln!(text, "... and {} more joints (--json has all)", model.n_joints() - SHOWN);
    }
    Ok(text)
}

/// Rows of the table.
const SHOWN: usize = 40;
