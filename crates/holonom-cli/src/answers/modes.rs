//! `holonom modes`: frequencies, damping and shapes of small motions.

use super::{NamedCoordinate, all_coordinates};
use crate::Exit;
use crate::error::CliError;
use crate::output::StandardOutput;
use crate::scene::SceneArgs;
use crate::text::plural;
use holonom::answers::{HeldFactor, PushAlong};
use holonom::linear::{Complex, Linearisation, Mode, Observer};
use holonom::{EquilibriumOptions, Model, Simulation};
use serde_json::{Map, Value, json};
use std::fmt::Write as _;

/// Small motions about a state: frequencies, damping, shapes, stability.
///
/// About the start of the scene as it is, or about the equilibrium below it (--rest). Contacts must not act.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  holonom modes pendulum --rest\n  holonom modes whipple-bicycle --set v=3.5\n  \
    holonom modes crane.toml --rest --shapes 3\n  holonom modes crane.toml --json")]
pub(crate) struct ModesArgs {
    #[command(flatten)]
    scene: SceneArgs,
    /// Bring the mechanism to rest in a static equilibrium first
    #[arg(long)]
    rest: bool,
    /// Axes in which motions about a moving state are written: those of the world, or axes that turn with each body
    #[arg(long, value_name = "AXES", default_value = "world")]
    axes: AxesChoice,
    /// How many shapes to print: by how much each joint moves
    #[arg(long, value_name = "N", default_value_t = 0)]
    shapes: usize,
    /// One JSON object on standard output
    #[arg(long)]
    json: bool,
}

/// Who looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum AxesChoice {
    /// World axes
    World,
    /// Axes that turn with each body
    Bodies,
}

/// Dense algebra beyond this takes minutes.
const MOST_FREEDOM: usize = 1000;

pub(crate) fn run(args: &ModesArgs, out: &mut StandardOutput) -> Result<Exit, CliError> {
    let opened = args.scene.open()?;
    let model = &opened.model;
    let what = format!("scene `{}`", opened.name);
    let refused = |e: &holonom::StepError| CliError::step(&what, e);
    let free = model.n_v().saturating_sub(model.n_rows());
    if free > MOST_FREEDOM {
        let message = format!("{what} has {free} free directions or more, at most {MOST_FREEDOM} can be looked at");
        return Err(CliError::limit(message));
    }
    let mut sim = Simulation::new(model.clone());
    if args.rest {
        sim.equilibrium(&EquilibriumOptions::default()).map_err(|e| refused(&e))?;
    }
    let observer = if args.axes == AxesChoice::World { Observer::World } else { Observer::Bodies };
    let found = sim.linearise_from(&observer).map_err(|e| refused(&e))?;
    let held = sim.held_factor().map_err(|e| refused(&e))?;
    let joints: Vec<(NamedCoordinate, Vec<f64>)> = all_coordinates(model)
        .into_iter()
        .map(|c| {
            let row = row(&held, &c).map_err(|e| refused(&e))?;
            Ok((c, row))
        })
        .collect::<Result<_, CliError>>()?;
    if args.json {
        out.json(&data(&opened.name, args.rest, model, &found, &joints))?;
    } else {
        out.write(&text(args, model, &found, &joints))?;
    }
    Ok(Exit::Ok)
}

fn row(held: &HeldFactor, c: &NamedCoordinate) -> Result<Vec<f64>, holonom::StepError> {
    held.row(&PushAlong::coordinate(c.joint, c.index))
}

/// What a mode does to a coordinate.
fn along(row: &[f64], shape: &[Complex]) -> Complex {
    row.iter().zip(shape).fold(Complex::ZERO, |sum, (r, x)| Complex::new(sum.re + r * x.re, sum.im + r * x.im))
}

fn pair(x: Complex) -> Value {
    json!([x.re, x.im])
}

/// The object of `modes --json`; names are a contract.
fn data(
    scene: &str,
    rest: bool,
    model: &Model,
    found: &Linearisation,
    joints: &[(NamedCoordinate, Vec<f64>)],
) -> Value {
    let shape = |mode: &Mode| {
        let bodies: Map<String, Value> = model
            .bodies()
            .map(|b| {
                let x: Vec<Value> = mode.position[model.v_range(b)].iter().map(|x| pair(*x)).collect();
                (model.body_name(b).to_string(), Value::Array(x))
            })
            .collect();
        let joints: Map<String, Value> =
            joints.iter().map(|(c, row)| (c.name.clone(), pair(along(row, &mode.position)))).collect();
        (bodies, joints)
    };
    let modes: Vec<Value> = found
        .modes()
        .iter()
        .map(|m| {
            let (bodies, joints) = shape(m);
            json!({
                "frequency": m.frequency(),
                "damping": m.damping(),
                "eigenvalue": pair(m.eigenvalue),
                "free": m.free,
                "body": model.body_name(m.body),
                "share": m.share,
                "joints": joints,
                "bodies": bodies,
            })
        })
        .collect();
    let size = found.n_positions() + found.n_velocities();
    json!({
        "scene": scene,
        "rest": rest,
        "positions": found.n_positions(),
        "velocities": found.n_velocities(),
        "stable": found.is_stable(),
        "undamped": found.is_undamped(),
        "acceleration": found.acceleration(),
        "error": found.error(),
        "eigenvalues": found.eigenvalues().iter().map(|x| pair(*x)).collect::<Vec<_>>(),
        "matrix": found.matrix().chunks(size.max(1)).collect::<Vec<_>>(),
        "modes": modes,
    })
}

fn text(args: &ModesArgs, model: &Model, found: &Linearisation, joints: &[(NamedCoordinate, Vec<f64>)]) -> String {
    let mut text = found.to_string();
    let ways = plural(found.n_positions(), "free direction", "free directions");
    let speeds = match found.n_velocities() {
        n if n == found.n_positions() => String::new(),
        n => format!(", {n} of the speeds"),
    };
    let stable = if found.is_stable() { "no motion grows" } else { "UNSTABLE: a motion grows" };
    let _ = writeln!(
        text,
        "\n{ways}{speeds}; {stable}; eigenvalues are good to about {:.0e} of the largest",
        found.error()
    );
    // an equilibrium is one to rounding
    if found.acceleration() > 1e-6 * model.rate_scale().max(1.0) {
        let rest = if args.rest { "" } else { " (--rest goes to an equilibrium first)" };
        let _ = writeln!(text, "The state is not steady: eigenvalues belong to this moment only{rest}.");
    }
    for (i, mode) in found.modes().iter().enumerate().take(args.shapes) {
        let _ = writeln!(text, "\nmode {}", i + 1);
        let moved: Vec<Complex> = joints.iter().map(|(_, row)| along(row, &mode.position)).collect();
        let largest = moved.iter().map(|x| x.abs()).fold(0.0, f64::max);
        if largest == 0.0 {
            let _ = writeln!(text, "  no joint moves; `{}` does", model.body_name(mode.body));
        }
        for ((c, _), x) in joints.iter().zip(&moved).filter(|(_, x)| x.abs() > 1e-9 * largest) {
            // relative to the joint that moves most
            let phase = x.im.atan2(x.re).to_degrees();
            let _ = writeln!(text, "  {:<24} {:>9.6}  {phase:>7.1}°", c.name, x.abs() / largest);
        }
    }
    text
}
