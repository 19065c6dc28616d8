//! Witkin 1997: a bead on the unit circle and its drift; tinkertoys; a double pendulum three ways.

use crate::Failed;
use crate::page::{Curve, Page, Picture, short};
use crate::program::Program;
use holonom::math::vec3;
use holonom::{Drift, Feedback, IntegratorKind, Simulation};
use holonom_plot::Scale;
use holonom_scene::{Loader, gallery};
use std::process::Command;

/// Steps in which drift can be seen.
const STEP: f64 = 0.01;
const TIME: f64 = 10.0;
/// Centres of the circles of the beads.
const CENTRES: [(&str, f64); 3] = [("held", -2.4), ("cancelled", 0.0), ("penalty", 2.4)];

fn bead(drift: Drift, parameters: &[(&str, f64)]) -> Result<Simulation, Failed> {
    let entry = gallery::find("bead").ok_or("no scene `bead`")?;
    let loader = parameters.iter().fold(Loader::new(), |l, (name, value)| l.parameter(*name, *value));
    let loaded = loader.load_text("bead.toml", entry.text).map_err(|f| f.render())?;
    let mut sim = Simulation::new(loaded.build().map_err(|f| f.render())?);
    sim.set_drift(drift);
    sim.set_integrator(IntegratorKind::RungeKutta4);
    Ok(sim)
}

/// Radius less one, of each bead.
fn errors(sim: &Simulation) -> Result<[f64; 3], Failed> {
    let mut found = [0.0; 3];
    for (e, (name, x)) in found.iter_mut().zip(CENTRES) {
        let body = sim.model().body(name).ok_or_else(|| format!("no bead `{name}`"))?;
        *e = (sim.centre(body) - vec3(x, 0.0, 0.0)).length() - 1.0;
    }
    Ok(found)
}

/// Largest |radius - 1| of each bead, and its course; `None` where it flew apart.
fn course(drift: Drift, parameters: &[(&str, f64)]) -> Result<Option<Vec<[f64; 3]>>, Failed> {
    let mut sim = bead(drift, parameters)?;
    let mut rows = vec![errors(&sim)?];
    while sim.time() < TIME - 0.5 * STEP {
        if sim.step(STEP).is_err() {
            return Ok(None);
        }
        let e = errors(&sim)?;
        if !(e[0].abs() < 0.5) {
            return Ok(None);
        }
        rows.push(e);
    }
    Ok(Some(rows))
}

fn largest(rows: &[[f64; 3]], bead: usize) -> f64 {
    rows.iter().fold(0.0, |m, r| m.max(r[bead].abs()))
}

/// Gains of the grid.
const KS: &[f64] = &[0.1, 1.0, 10.0, 100.0, 1e3, 1e4, 1e5];
/// Damping ratios: kd = 2 zeta sqrt(ks).
const ZETA: &[f64] = &[0.1, 0.5, 1.0, 2.0, 5.0];

pub fn write(page: &mut Page, program: &Program) -> Result<(), Failed> {
    page.heading(2, "Witkin 1997: constrained particles");
    page.scenes(&["bead", "tinkertoys", "double-pendulum"]);
    drift(page)?;
    gains(page)?;
    penalty(page)?;
    page.heading(3, "Tinkertoys");
    let run = program.run("tinkertoys", &[])?;
    page.text(&format!(
        "[tinkertoys](../scenes/tinkertoys.toml): particles, distances, springs and points on wires, {} bodies and {} rows. Over {} s the largest gap is {:.0e} m, {} of the energy is unaccounted for. \
         On the page, parts are added and taken away while it runs.",
        run["bodies"], run["rows"], run["time"], run["max_gap"].as_f64().unwrap_or(f64::NAN), short(run["energy_drift"].as_f64().unwrap_or(f64::NAN)),
    ));
    three_ways(page)
}

fn drift(page: &mut Page) -> Result<(), Failed> {
    page.heading(3, "A bead on the unit circle: drift and feedback");
    let lost = || "the bead of `bead` was lost".to_string();
    let none = course(Drift::None, &[])?.ok_or_else(lost)?;
    let feedback = course(Drift::Feedback(Feedback { ks: 100.0, kd: 20.0 }), &[])?.ok_or_else(lost)?;
    let projected = course(Drift::Project, &[])?.ok_or_else(lost)?;
    let apart = none.iter().fold(0.0f64, |m, r| m.max((r[0] - r[1]).abs()));
    page.text(&format!(
        "[bead](../scenes/bead.toml), {TIME} s in steps of {STEP} s with the fourth-order Runge-Kutta rule. With nothing against drift the bead leaves the circle by {} m. With feedback in the equation of the \
         constraint force (ks = 100, kd = 20) it stays within {} m, with projection after every step within {:.0e} m. The same feedback added as a force *before* the constraint force is cancelled by it: \
         that bead drifts as if there were none, to within {:.0e} m of the first.",
        short(largest(&none, 0)),
        short(largest(&feedback, 0)),
        largest(&projected, 0),
        apart,
    ));
    let t: Vec<f64> = (0..none.len()).map(|k| k as f64 * STEP).collect();
    let curve = |name: &str, rows: &[[f64; 3]], bead: usize| {
        let y: Vec<f64> = rows.iter().map(|r| r[bead].abs().max(1e-17)).collect();
        Curve::new(name, "m", &t, &y)
    };
    let curves = [
        curve("nothing", &none, 0),
        curve("feedback before the constraint force: cancelled", &none, 1),
        curve("feedback in the constraint force", &feedback, 0),
        curve("projection", &projected, 0),
        curve("penalty spring of 10 kN/m instead", &projected, 2),
    ];
    let picture = Picture {
        file: "bead-drift",
        title: "How far the bead is from its circle",
        subtitle: "|radius - 1|, steps of 10 ms, fourth-order rule",
        along: ("time", "s"),
        scales: (Scale::Linear, Scale::Log),
    };
    page.picture(&picture, &curves)
}

fn gains(page: &mut Page) -> Result<(), Failed> {
    page.heading(3, "\"The values assigned to ks and kd are not critical\"");
    let mut rows = Vec::new();
    let mut curves = Vec::new();
    let (mut best, mut tried) = (f64::INFINITY, 0);
    let mut found = Vec::new();
    for &zeta in ZETA {
        let mut row = vec![format!("{zeta}")];
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for &ks in KS {
            let kd = 2.0 * zeta * ks.sqrt();
            let drift = course(Drift::Feedback(Feedback { ks, kd }), &[])?.map(|rows| largest(&rows, 0));
            if let Some(d) = drift {
                x.push(ks);
                y.push(d);
                best = best.min(d);
                found.push(d);
            }
            tried += 1;
            row.push(drift.map_or("unstable".into(), |d| format!("{d:.1e}")));
        }
        curves.push(Curve { name: format!("damping ratio {zeta}"), unit: "m", x, y });
        rows.push(row);
    }
    let none = course(Drift::None, &[])?.map_or(f64::NAN, |rows| largest(&rows, 0));
    let good = found.iter().filter(|d| **d <= 0.1 * none).count();
    let ks: Vec<String> = KS.iter().map(|k| format!("ks = {k}")).collect();
    let heading: Vec<&str> = ["damping ratio kd / (2 √ks)"].into_iter().chain(ks.iter().map(String::as_str)).collect();
    page.text(
        "Largest distance from the circle in m over the same run, for six decades of ks and five damping ratios:",
    );
    page.table(&heading, &rows);
    page.text(&format!(
        "Without feedback it is {}. {good} of {tried} pairs of gains keep the drift below a tenth of that, the best at {}. So: not critical, within the limits one expects. Below about ks = 1 the feedback is slower than \
         the motion and helps less; where kd is near 2.8 over the step (280 here) the rule itself becomes unstable. Projection has no gains.",
        short(none),
        format_args!("{best:.0e} m"),
    ));
    let picture = Picture {
        file: "bead-gains",
        title: "Drift over the gains of the feedback",
        subtitle: "largest distance of the bead from its circle in 10 s, steps of 10 ms; missing points: unstable",
        along: ("ks", "1/s²"),
        scales: (Scale::Log, Scale::Log),
    };
    page.picture(&picture, &curves)
}

fn penalty(page: &mut Page) -> Result<(), Failed> {
    page.heading(3, "Why not a spring");
    let mut rows = Vec::new();
    for k in [1e2, 1e4, 1e6, 1e8] {
        let mut sim = bead(Drift::Project, &[("penalty", k)])?;
        sim.set_integrator(IntegratorKind::default());
        let (mut worst, mut steps) = (0.0f64, 0);
        while sim.time() < TIME {
            sim.step_towards(TIME).map_err(|e| e.to_string())?;
            worst = worst.max(errors(&sim)?[2].abs());
            steps += 1;
        }
        rows.push(vec![format!("{} N/m", short(k)), short(worst), steps.to_string()]);
    }
    let mut sim = bead(Drift::Project, &[("penalty", 1.0)])?;
    sim.set_integrator(IntegratorKind::default());
    let (mut worst, mut steps): (f64, usize) = (0.0, 0);
    while sim.time() < TIME {
        sim.step_towards(TIME).map_err(|e| e.to_string())?;
        worst = worst.max(errors(&sim)?[0].abs());
        steps += 1;
    }
    rows.push(vec!["constraint".into(), format!("{worst:.0e}"), steps.to_string()]);
    page.text("A stiff spring instead of the constraint: how far it gives way, and how many steps the adaptive integrator needs for the 10 s. Each two digits cost ten times the steps; the constraint has neither price.");
    page.table(&["spring", "largest distance from the circle, m", "steps"], &rows);
    Ok(())
}

fn three_ways(page: &mut Page) -> Result<(), Failed> {
    page.heading(3, "A double pendulum three ways");
    let out = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["run", "--quiet", "--release", "--package", "holonom", "--example", "hybrid"])
        .current_dir(page.root())
        .output()
        .map_err(|e| e.to_string())?;
    if !out.status.success() {
        return Err(String::from_utf8_lossy(&out.stderr).into_owned());
    }
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    page.text("His section 5: constraints, Lagrange's equations in angles, and a hybrid of both (`cargo run --release --package holonom --example hybrid`); [double-pendulum](../scenes/double-pendulum.toml) runs the first two from a scene file.");
    page.text(&format!("```text\n{}\n```", text.trim_end()));
    Ok(())
}
