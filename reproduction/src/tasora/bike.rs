//! A man on a bike rides over a misplaced stone: what reaches him, what the tyres cost, and how high the stone may be.

use crate::Failed;
use crate::page::{Curve, Page, Picture, short, time};
use crate::program::{Program, Recording};
use holonom::functions::Function;
use holonom_plot::Scale;
use holonom_scene::Loader;
use std::process::Command;
use std::sync::Arc;

const SCENE: &str = "bike-rider";
const STUDY: &str = "studies/bike_step_height.py";

pub fn write(page: &mut Page, program: &Program) -> Result<(), Failed> {
    page.heading(3, "The man on the bike");
    page.text(
        "[bike-rider](../scenes/bike-rider.toml) rides for 3 s over a stone that stands 30 mm out of the pavement. He has 200 variables in his table, and both 200 and 194 in his text; here are 108 + 92, as in the table. \
         Tyres and seat give way by tables, friction is that of his table 1, the rider is Winter's.",
    );
    curves(page)?;
    ride(page, program)?;
    split(page, program)?;
    redundant(page, program)?;
    study(page, program)
}

/// Force over deflection of what gives way: the tyres and the seat.
pub fn curves(page: &mut Page) -> Result<(), Failed> {
    let law = |soft: f64, force: &str, field: &str| -> Result<Arc<dyn Function>, Failed> {
        let path = page.root().join(format!("scenes/{SCENE}.toml"));
        let loaded = Loader::new().parameter("soft", soft).load(&path).map_err(|f| f.render())?;
        let found = loaded.scene.forces.iter().find(|f| &*f.name == force);
        found.and_then(|f| f.record.function(field)).ok_or_else(|| format!("{SCENE} has no `{field}` of `{force}`"))
    };
    let deflection: Vec<f64> = (0..=100).map(|k| 5e-4 * f64::from(k)).collect();
    let curve = |name: &str, load: &dyn Fn(f64) -> f64| {
        let loads: Vec<f64> = deflection.iter().map(|x| load(*x)).collect();
        Curve::new(name, "N", &deflection, &loads)
    };
    let (hard, soft, seat) =
        (law(0.0, "front-tyre", "load")?, law(1.0, "front-tyre", "load")?, law(0.0, "seat-cushion", "spring")?);
    // the coordinate of the seat is its height above where it carries the rider; it is free where it pushes no more
    let free = (0..=2000).map(|k| 5e-5 * f64::from(k)).find(|x| seat.at(*x)[0] == 0.0).unwrap_or(0.0);
    let picture = Picture {
        file: "bike-curves",
        title: "What gives way: load over deflection of tyres and seat",
        subtitle: "bike-rider; the tyre touches the rim at 24 mm (28-622) and 44 mm (soft mountain)",
        along: ("deflection", "m"),
        scales: (Scale::Linear, Scale::Linear),
    };
    let curves = [
        curve("28-622 tyre", &|x| hard.at(x)[0]),
        curve("soft mountain tyre", &|x| soft.at(x)[0]),
        curve("seat", &|x| -seat.at(free - x)[0]),
    ];
    page.picture(&picture, &curves)
}

fn ride(page: &mut Page, program: &Program) -> Result<(), Failed> {
    let (summary, run) = program.record(SCENE, &[])?;
    let t = run.column("time")?;
    let curve = |name: &str, unit: &'static str, column: &str| -> Result<Curve, Failed> {
        Ok(Curve::new(name, unit, t, run.column(column)?))
    };
    let hands = magnitude(&run, "hand-right")?;
    let head_tube = magnitude(&run, "head-tube")?;
    let curves = [
        curve("hips", "m/s²", "pelvis.acc.z")?,
        curve("head", "m/s²", "head.acc.z")?,
        curve("handlebar", "m/s²", "fork.bar.acc.z")?,
        curve("seat", "N", "seat-cushion.pelvis.force.z")?,
        Curve::new("right hand", "N", t, &hands),
        Curve::new("head tube", "N", t, &head_tube),
        curve("front tyre", "N", "front-tyre.front-wheel.force.z")?,
        curve("rear tyre", "N", "rear-tyre.rear-wheel.force.z")?,
        curve("off the path", "m", "frame.pos.y")?,
    ];
    let steps = summary["steps"].as_f64().unwrap_or(f64::NAN);
    page.text(&format!(
        "{} steps of {} ms in {} s: {} times as fast as the ride. Largest gap {:.0e} m.",
        steps,
        short(1e3 * summary["dt"].as_f64().unwrap_or(f64::NAN)),
        short(summary["wall_s"].as_f64().unwrap_or(f64::NAN)),
        short(summary["real_time_factor"].as_f64().unwrap_or(f64::NAN)),
        summary["max_gap"].as_f64().unwrap_or(f64::NAN),
    ));
    let picture = Picture {
        file: "bike",
        title: "Over a stone of 30 mm: vertical accelerations, forces, and the way off the path",
        subtitle: "bike-rider, 5 m/s, 28-622 tyres, edges worn round",
        along: ("time", "s"),
        scales: (Scale::Linear, Scale::Linear),
    };
    page.picture(&picture, &curves)
}

/// Length of a force.
fn magnitude(run: &Recording, joint: &str) -> Result<Vec<f64>, Failed> {
    let [x, y, z] = ["x", "y", "z"].map(|axis| run.column(&format!("{joint}.force.{axis}")));
    let (x, y, z) = (x?, y?, z?);
    Ok((0..x.len()).map(|k| (x[k] * x[k] + y[k] * y[k] + z[k] * z[k]).sqrt()).collect())
}

/// Rays of the tyres against the rest: twice as many cost as much again.
fn split(page: &mut Page, program: &Program) -> Result<(), Failed> {
    let at = |resolution: &str| {
        let (front, rear) =
            (format!("force.front-tyre.resolution={resolution}"), format!("force.rear-tyre.resolution={resolution}"));
        program.best(SCENE, None, &["--set", &front, "--set", &rear]).map(|e| e.whole)
    };
    let (six, three) = (at("0.006")?, at("0.003")?);
    let rays = three - six;
    page.text(&format!(
        "**Tyres and multibody.** One evaluation takes {} with a ray every 6 mm of tread and {} with one every 3 mm: twice as many rays cost {} more, so those of the scene (6 mm) cost about that, {:.0} % of the whole, and everything \
         else {}. He found the tyres (and the pictures) to be the bottleneck, not the multibody system: here, with rays that end above the road left out, {}.",
        time(six),
        time(three),
        time(rays),
        100.0 * rays / six,
        time(six - rays),
        if rays > six - rays { "they still are" } else { "they are not" },
    ));
    Ok(())
}

fn redundant(page: &mut Page, program: &Program) -> Result<(), Failed> {
    let check = program.check("bike-rider-redundant", &[])?;
    let number = |key: &str| check[key].as_f64().unwrap_or(f64::NAN);
    let head = |scene: &str, time: &str| -> Result<Vec<f64>, Failed> {
        let run = program.run(scene, &["--time", time])?;
        let com = run["final"]["bodies"]["head"]["com"].as_array().ok_or("no head")?;
        Ok(com.iter().filter_map(|x| x.as_f64()).collect())
    };
    let apart = |time: &str| -> Result<f64, Failed> {
        let (plain, more) = (head(SCENE, time)?, head("bike-rider-redundant", time)?);
        Ok(plain.iter().zip(&more).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max))
    };
    let refused = program.check("bike-rider-redundant", &["--set", "contradict=1"]).err().unwrap_or_default();
    let said: serde_json::Value =
        serde_json::from_str(refused.lines().last().unwrap_or_default()).map_err(|e| e.to_string())?;
    let error = &said["errors"][0];
    page.text(&format!(
        "**Redundant and ill-posed.** [bike-rider-redundant](../scenes/bike-rider-redundant.toml) has two bearings on each axle, as a bike has, and one knee joined twice: {} of its {} rows are redundant, and `holonom check` names them. \
         Its rough start pose is assembled a little differently, its head {:.0e} m from that of the other; after a second of riding the two are {:.0e} m apart. (Started alike they move alike: a test.) A joint that contradicts the others (`--set contradict=1`) is refused: \"{}\", {}, {}.",
        number("rows") - number("rank"),
        number("rows"),
        apart("0")?,
        apart("1")?,
        error["message"].as_str().unwrap_or_default(),
        error["label"].as_str().unwrap_or_default(),
        error["notes"][1].as_str().unwrap_or_default(),
    ));
    Ok(())
}

fn study(page: &mut Page, program: &Program) -> Result<(), Failed> {
    page.heading(3, "How high may the stone be?");
    page.text(
        "His question, without an answer in the paper. [studies/bike_step_height.py](../studies/bike_step_height.py) rides over stones of 0 to 60 mm with two shapes and two tyres, and judges each ride by the criterion that it states \
         (compression of the spine after ISO 2631-5, grip of the hands, time without a front wheel, way off the path).",
    );
    eprintln!("{STUDY}");
    let out = Command::new("python3")
        .arg(page.root().join(STUDY))
        .arg("--holonom")
        .arg(program.path())
        .output()
        .map_err(|e| format!("python3 {STUDY}: {e}"))?;
    if !out.status.success() {
        return Err(format!("{STUDY}: {}", String::from_utf8_lossy(&out.stderr)));
    }
    page.text(&String::from_utf8_lossy(&out.stdout));
    Ok(())
}
