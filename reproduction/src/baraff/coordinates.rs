//! Section 2.2: "larger timesteps can be taken" with generalised coordinates. Is that so?
//!
//! The same chain, stepped by the same rule with the same steps, in all coordinates of its bodies (gaps projected away after every step) and in
//! joint coordinates (where there are none). The error is that of the end of the chain after one second, against steps of dop853 at 1e-13.
//!
//! What he compares with, though, are coordinates whose gaps are fed back into the equations (Baumgarte's stabilisation, section 2.1 of his paper). So
//! [`stabilised`] asks for the longest step with which a mechanism runs for three seconds with its energy kept and its joints closed to so much, by each
//! way of keeping them.

use crate::Failed;
use crate::page::{Curve, Page, Picture, short};
use holonom::math::Vec3;
use holonom::{Coordinates, Drift, Feedback, IntegratorKind, Model, Simulation};
use holonom_plot::Scale;
use holonom_scene::Loader;
use std::sync::Arc;

const SCENE: &str = r#"
[chain.link]
count = 5
from = [0, 0, 0]
to = [1.5, 0, 0]
first = "ground"
link = { shape = { kind = "rod", radius = 0.02 }, density = 1000 }
joint = { kind = "revolute", axis = [0, 1, 0] }
"#;
/// Steps in the second.
const STEPS: &[usize] = &[10, 14, 20, 28, 40, 56, 80, 112, 160, 224, 320, 640];
/// An error that one would put up with, m.
const ALLOWED: f64 = 1e-3;

fn chain(coordinates: Coordinates, integrator: IntegratorKind) -> Result<Simulation, Failed> {
    let loaded = Loader::new().load_text("chain.toml", SCENE).map_err(|f| f.render())?;
    let mut sim = Simulation::new(loaded.build().map_err(|f| f.render())?);
    sim.set_coordinates(coordinates).map_err(|e| e.to_string())?;
    sim.set_integrator(integrator);
    Ok(sim)
}

fn end(sim: &Simulation) -> Result<Vec3, Failed> {
    Ok(sim.centre(sim.model().body("link/5").ok_or("no link/5")?))
}

/// In so many fixed steps of the fourth-order rule.
fn fixed(coordinates: Coordinates, steps: usize) -> Result<Vec3, Failed> {
    let mut sim = chain(coordinates, IntegratorKind::RungeKutta4)?;
    for _ in 0..steps {
        sim.step(1.0 / steps as f64).map_err(|e| e.to_string())?;
    }
    end(&sim)
}

/// In steps of the integrator's own choice; and how many.
fn adaptive(coordinates: Coordinates, tolerance: f64) -> Result<(Vec3, usize), Failed> {
    let mut sim = chain(coordinates, IntegratorKind::Dop853 { relative: tolerance, absolute: tolerance })?;
    let steps = sim.run_until(1.0).map_err(|e| e.to_string())?.steps;
    Ok((end(&sim)?, steps))
}

pub fn write(page: &mut Page) -> Result<(), Failed> {
    page.heading(3, "Larger steps in joint coordinates?");
    let reference = adaptive(Coordinates::Maximal, 1e-13)?.0;
    page.text(
        "He reports, as anecdotal, that generalised coordinates allow larger steps because nothing drifts. A chain of five rods on hinges falls from horizontal for one second, once in all coordinates of its bodies, gaps projected \
         away after every step, and once in joint coordinates. Adaptive steps (`dop853`), and how far its end is from where it should be:",
    );
    let mut rows = Vec::new();
    let mut ratios = Vec::new();
    for tolerance in [1e-4, 1e-6, 1e-8, 1e-10] {
        let ((all, n_all), (joint, n_joint)) =
            (adaptive(Coordinates::Maximal, tolerance)?, adaptive(Coordinates::Joint, tolerance)?);
        let error = |x: Vec3| format!("{:.0e} m", (x - reference).length());
        rows.push(vec![format!("{tolerance:.0e}"), n_all.to_string(), error(all), n_joint.to_string(), error(joint)]);
        ratios.push(n_all as f64 / n_joint as f64);
    }
    page.table(&["tolerance", "all coordinates: steps", "error", "joint coordinates: steps", "error"], &rows);
    let mut curves = Vec::new();
    for (words, coordinates) in [("all coordinates", Coordinates::Maximal), ("joint coordinates", Coordinates::Joint)] {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        for &n in STEPS {
            // a step that is too long may have no solution
            let Ok(found) = fixed(coordinates, n) else { continue };
            x.push(1.0 / n as f64);
            y.push((found - reference).length());
        }
        curves.push(Curve { name: words.into(), unit: "m", x, y });
    }
    let usable = |c: &Curve| c.x.iter().zip(&c.y).find(|(_, e)| **e <= ALLOWED).map_or(f64::NAN, |(h, _)| 1e3 * h);
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    page.text(&format!(
        "Steps in joint coordinates are on average {} times as long. With fixed steps of the fourth-order rule the end is right to 1 mm up to {} ms in all coordinates and {} ms in joint coordinates. {}",
        short(mean),
        short(usable(&curves[0])),
        short(usable(&curves[1])),
        match mean {
            m if m > 1.2 => "Larger steps: confirmed, though not by much.",
            m if m < 0.8 => "So smaller steps, not larger ones.",
            _ => "So: no, not where gaps are projected away after every step.",
        }
    ));
    let picture = Picture {
        file: "joint-coordinates",
        title: "Error of a falling chain over the step",
        subtitle: "five rods on hinges, one second, fixed steps of the fourth-order rule",
        along: ("step", "s"),
        scales: (Scale::Log, Scale::Log),
    };
    page.picture(&picture, &curves)?;
    stabilised(page)
}

/// Chains, a tree and a loop, all without damping.
const MECHANISMS: &[(&str, &str)] = &[
    ("chain of five rods, hinges", SCENE),
    (
        "chain of eight rods, ball joints, spun",
        r#"
[chain.link]
count = 8
from = [0, 0, 0]
to = [1.6, 0, 0]
first = "ground"
spin = [0, 0, 2]
link = { shape = { kind = "rod", radius = 0.02 }, density = 1000 }
joint = { kind = "spherical" }
"#,
    ),
    (
        "tree of fifteen rods, ball joints, spun",
        r#"
[tree.limb]
depth = 4
branching = 2
direction = [1, 0, -1]
length = "${0.5 * 0.8^level}"
fan = 0.7
twist = 1.5707963267948966
first = "ground"
spin = [0, 0, 2]
link = { shape = { kind = "rod", radius = "${0.03 * 0.8^level}" }, density = 600 }
joint = { kind = "spherical" }
"#,
    ),
    (
        "ring of eight rods, ball joints, spun",
        r#"
[ring.link]
count = 8
radius = 0.5
spin = [1.2, 0.8, 4.0]
link = { shape = { kind = "rod", radius = 0.02 }, density = 1000 }
joint = { kind = "spherical" }
"#,
    ),
];

/// Seconds that a run must last.
const LAST: f64 = 3.0;
/// Steps in a second, from the longest step: by the square root of two each.
const LADDER: &[usize] = &[8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024, 1448, 2048, 2896, 4096];
/// Energy lost or gained at most, of the largest kinetic energy.
const ENERGY: f64 = 1e-2;
/// Gaps that one might put up with, m.
const GAPS: [f64; 3] = [1e-2, 1e-4, 1e-6];

/// Ways of keeping joints closed.
#[derive(Clone, Copy)]
enum Kept {
    /// Feedback with this time constant, s, critically damped.
    Fed(f64),
    Projected,
    Joint,
}

impl Kept {
    fn apply(self, sim: &mut Simulation) -> Result<(), Failed> {
        match self {
            Kept::Fed(tau) => {
                let (ks, kd) = ((1.0 / tau) * (1.0 / tau), 2.0 / tau);
                sim.set_drift(Drift::Feedback(Feedback { ks, kd }));
            }
            Kept::Projected => {}
            Kept::Joint => sim.set_coordinates(Coordinates::Joint).map_err(|e| e.to_string())?,
        }
        Ok(())
    }
}

/// Largest gap and largest error of the energy of a run in steps of 1/n s; none where it stops.
fn run(model: &Arc<Model>, kept: Kept, n: usize) -> Option<(f64, f64)> {
    let mut sim = Simulation::new(model.clone());
    sim.set_integrator(IntegratorKind::RungeKutta4);
    kept.apply(&mut sim).ok()?;
    let start = sim.energy().total();
    let (mut gap, mut off, mut kinetic) = (0.0_f64, 0.0_f64, 0.0_f64);
    for _ in 0..(LAST * n as f64).round() as usize {
        sim.step(1.0 / n as f64).ok()?;
        let energy = sim.energy();
        gap = gap.max(sim.violation().0);
        kinetic = kinetic.max(energy.kinetic);
        off = off.max((energy.total() - start).abs());
    }
    (gap.is_finite() && off.is_finite()).then_some((gap, off / kinetic))
}

/// The longest step, s, that keeps the energy and a gap with all shorter ones, for each of [`GAPS`].
fn usable(model: &Arc<Model>, kept: Kept) -> [Option<f64>; 3] {
    let runs: Vec<Option<(f64, f64)>> = LADDER.iter().map(|&n| run(model, kept, n)).collect();
    GAPS.map(|allowed| {
        let good = |r: &Option<(f64, f64)>| r.is_some_and(|(gap, off)| gap <= allowed && off <= ENERGY);
        let bad = runs.iter().rposition(|r| !good(r)).map_or(0, |k| k + 1);
        LADDER.get(bad).map(|&n| 1.0 / n as f64)
    })
}

/// Usable steps against maximal coordinates with feedback and with projection.
fn stabilised(page: &mut Page) -> Result<(), Failed> {
    page.text(&format!(
        "**Against stabilised coordinates.** That is not what he compares with: his maximal coordinates are *stabilised*, gaps being fed back into the equations, and feedback has a rate of its own that steps must \
         follow. So: the longest step of the fourth-order rule, in ms, with which a mechanism runs {LAST} s under gravity without friction, its energy kept to {} % of the largest kinetic energy and every joint closed to so much all \
         the time (and so with all shorter steps of the ladder, each shorter by √2 than the one before). Feedback is critically damped, with three time constants; the loop is cut at one of its joints by the engine.",
        100.0 * ENERGY
    ));
    let ways = [Kept::Fed(0.1), Kept::Fed(0.03), Kept::Fed(0.01), Kept::Projected, Kept::Joint];
    let mut rows = Vec::new();
    // joint coordinates over the best feedback, and over projection, by the gap allowed
    let (mut over_feedback, mut over_projection) = ([Vec::new(), Vec::new(), Vec::new()], Vec::new());
    for &(name, text) in MECHANISMS {
        let loaded = Loader::new().load_text("mechanism.toml", text).map_err(|f| f.render())?;
        let model: Arc<Model> = Arc::new(loaded.build().map_err(|f| f.render())?);
        let steps = ways.map(|kept| usable(&model, kept));
        for (g, allowed) in GAPS.iter().enumerate() {
            let mut row = vec![name.to_string(), format!("{allowed:.0e} m")];
            row.extend(steps.iter().map(|s| s[g].map_or("none".into(), |h| short(1e3 * h))));
            rows.push(row);
            let best = steps[..3].iter().filter_map(|s| s[g]).fold(0.0, f64::max);
            if let (Some(projected), Some(joint)) = (steps[3][g], steps[4][g]) {
                over_feedback[g].push(if best > 0.0 { joint / best } else { f64::INFINITY });
                over_projection.push(joint / projected);
            }
        }
    }
    let heading = [
        "mechanism",
        "gap",
        "feedback, 100 ms",
        "feedback, 30 ms",
        "feedback, 10 ms",
        "projection",
        "joint coordinates",
    ];
    page.table(&heading, &rows);
    let range = |x: &[f64]| {
        let (least, most) = x.iter().fold((f64::INFINITY, 0.0_f64), |(a, b), &x| (a.min(x), b.max(x)));
        match (short(least), most.is_finite()) {
            (least, true) if least == short(most) => format!("{least} times"),
            (least, true) => format!("{least} to {} times", short(most)),
            (least, false) => format!("{least} times and more"),
        }
    };
    // where larger steps are to be had in all of these
    let (right, not): (Vec<usize>, Vec<usize>) =
        (0..GAPS.len()).partition(|&g| over_feedback[g].iter().all(|r| *r > 1.2));
    let gaps = |which: &[usize]| which.iter().map(|&g| format!("{:.0e} m", GAPS[g])).collect::<Vec<_>>().join(" and ");
    let verdict = match (right.as_slice(), not.as_slice()) {
        ([], _) => "So: no, not in all of these.".to_string(),
        (_, []) => "So: yes.".to_string(),
        (right, not) => {
            format!(
                "So he is right where joints are to be closed to {}; not in all of these at {}.",
                gaps(right),
                gaps(not)
            )
        }
    };
    let by_gap: Vec<String> =
        (0..GAPS.len()).map(|g| format!("{} at {:.0e} m", range(&over_feedback[g]), GAPS[g])).collect();
    page.text(&format!(
        "Steps in joint coordinates over those with the best of the three feedbacks: {}. {verdict} The gap that feedback leaves grows with the step, and a faster feedback must itself be followed; in joint coordinates there is no gap \
         to be kept small. But projection has none either: over projection the steps are {} as long.",
        by_gap.join(", "),
        range(&over_projection),
    ));
    Ok(())
}
