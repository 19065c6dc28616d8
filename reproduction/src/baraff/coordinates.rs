//! Section 2.2: "larger timesteps can be taken" with generalised coordinates. Is that so?
//!
//! The same chain, stepped by the same rule with the same steps, in all coordinates of its bodies (gaps projected away after every step) and in
//! joint coordinates (where there are none). The error is that of the end of the chain after one second, against steps of dop853 at 1e-13.

use crate::Failed;
use crate::page::{Curve, Page, Picture, short};
use holonom::math::Vec3;
use holonom::{Coordinates, IntegratorKind, Simulation};
use holonom_plot::Scale;
use holonom_scene::Loader;

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
    page.picture(&picture, &curves)
}
