//! Tasora 2001: table 2 row by row, what sparse factorisation gains over full elimination, and the curves of the arm and the bicycle.

mod bike;
mod matrices;

use crate::Failed;
use crate::page::{Curve, Page, Picture, short, time, times};
use crate::program::{Evaluation, Program, Steps};
use holonom_plot::Scale;

/// A row of table 2.
struct Row {
    scene: &'static str,
    what: &'static str,
    coordinates: u32,
    constraints: u32,
    /// His step, s.
    paper: f64,
    /// As he has it: without stops and caps where the scene has some.
    settings: &'static [&'static str],
}

/// The bare mechanism: no motors, no stops.
const BARE: &[&str] = &["--set", "motors=0", "--set", "run.ideal=true"];

const TABLE_2: &[Row] = &[
    Row {
        scene: "prosthetic-shoulder",
        what: "arm, shoulder only",
        coordinates: 42,
        constraints: 40,
        paper: 0.006,
        settings: BARE,
    },
    Row {
        scene: "prosthetic-arm",
        what: "arm, complete",
        coordinates: 54,
        constraints: 50,
        paper: 0.008,
        settings: BARE,
    },
    Row {
        scene: "ring-20",
        what: "closed chain of 20",
        coordinates: 120,
        constraints: 60,
        paper: 0.015,
        settings: &[],
    },
    Row {
        scene: "ring-40",
        what: "closed chain of 40",
        coordinates: 240,
        constraints: 120,
        paper: 0.042,
        settings: &[],
    },
    Row { scene: "bike-rider", what: "man with bike", coordinates: 108, constraints: 92, paper: 0.018, settings: &[] },
];

/// Table 2, measured.
pub struct Measured {
    steps: Vec<Steps>,
    accurate: Vec<Steps>,
    direct: Vec<Evaluation>,
    gauss: Vec<Evaluation>,
}

/// The pictures that need no measurement: matrices, and what tyres and seat are like.
pub fn pictures(page: &mut Page, program: &Program) -> Result<(), Failed> {
    matrices::write(page, program)?;
    bike::curves(page)
}

/// Time whole steps, and evaluations by his method and by full elimination.
pub fn measure(program: &Program) -> Result<Measured, Failed> {
    let with =
        |r: &Row, more: &[&'static str]| -> Vec<&'static str> { r.settings.iter().chain(more).copied().collect() };
    let steps = |more: &[&'static str]| {
        TABLE_2.iter().map(|r| program.steps(r.scene, &with(r, more))).collect::<Result<Vec<_>, _>>()
    };
    Ok(Measured {
        steps: steps(&["--integrator", "euler", "--dt", "0.001"])?,
        accurate: steps(&["--integrator", "rk4", "--dt", "0.001"])?,
        direct: TABLE_2.iter().map(|r| program.best(r.scene, None, r.settings)).collect::<Result<_, _>>()?,
        gauss: TABLE_2
            .iter()
            .map(|r| program.best(r.scene, Some("dense-kkt"), r.settings))
            .collect::<Result<_, _>>()?,
    })
}

impl Measured {
    /// Lines of the short table: his step beside one evaluation, and beside a whole step.
    pub fn short(&self) -> Vec<Vec<String>> {
        let line = |(k, r): (usize, &Row)| {
            let (evaluation, step) = (self.direct[k].whole, self.steps[k].us);
            vec![
                format!("Tasora: {}, {} + {} (`{}`)", r.what, r.coordinates, r.constraints, r.scene),
                format!("{} a step", time(1e6 * r.paper)),
                format!("{}; a step {}", time(evaluation), time(step)),
                format!("{}; {}", times(1e6 * r.paper / evaluation), times(1e6 * r.paper / step)),
            ]
        };
        TABLE_2.iter().enumerate().map(line).collect()
    }

    /// The section on this paper.
    pub fn write(&self, page: &mut Page, program: &Program) -> Result<(), Failed> {
        page.heading(2, "Tasora 2001: interactive prototyping");
        page.scenes(&["prosthetic-shoulder", "prosthetic-shoulder-worm", "prosthetic-arm-book"]);
        page.scenes(&["prosthetic-arm-bottle", "ring-40", "bike-rider"]);
        page.heading(3, "His table 2");
        self.table_2(page);
        self.against_gauss(page);
        matrices::write(page, program)?;
        page.heading(3, "The arm: motor torques for given tasks");
        arm(page, program)?;
        bike::write(page, program)
    }

    fn table_2(&self, page: &mut Page) {
        page.text(
            "A whole step: equations, factorisation, multipliers, integration, and projection of positions and velocities. His machine ran at 700 MHz. *euler* and *rk4* are steps of 1 ms; \
             gaps are closed to rounding after each, where he corrects once or twice with the factor at hand. *One evaluation* is the factorisation and the multipliers alone. The arm is taken without motors and stops (`--set motors=0 --set run.ideal=true`), which are no part of his counts. The bike includes its two tyres.",
        );
        let mut rows = Vec::new();
        for (k, r) in TABLE_2.iter().enumerate() {
            let (s, a, e) = (&self.steps[k], &self.accurate[k], &self.direct[k]);
            rows.push(vec![
                format!("[{}](../scenes/{}.toml): {}", r.scene, r.scene, r.what),
                format!("{} + {}", r.coordinates, r.constraints),
                format!("{} bodies, {} rows", e.n, e.rows),
                time(1e6 * r.paper),
                time(e.whole),
                times(1e6 * r.paper / e.whole),
                time(s.us),
                times(1e6 * r.paper / s.us),
                format!("{:.0}", 1e6 / s.us),
                time(a.us),
                format!("{:.0e}", s.gap.max(a.gap)),
            ]);
        }
        page.table(
            &[
                "problem",
                "his coordinates + constraints",
                "here",
                "paper: step",
                "here: one evaluation",
                "ratio",
                "here: a step (euler)",
                "ratio",
                "steps/s",
                "step (rk4)",
                "largest gap, m",
            ],
            &rows,
        );
        let (his, ours) = ((0.042f64 / 0.015).log2(), (self.direct[3].whole / self.direct[2].whole).log2());
        page.text(&format!(
            "**His exponent.** He reads k ≈ 1.0 from this table. His two rings, the only pair of the same kind, say {his:.2}. Here the evaluation of the two rings grows with exponent {ours:.2}, and their step with {:.2}.",
            (self.steps[3].us / self.steps[2].us).log2()
        ));
    }

    fn against_gauss(&self, page: &mut Page) {
        page.heading(3, "Against full elimination");
        page.text("He gains 2 to 3 times over full Gaussian elimination of the whole matrix in simple mechanisms, 20 times and more with many variables. Here: `dense-kkt` (L U with pivoting of all of H) over the default.");
        let rows: Vec<Vec<String>> = TABLE_2
            .iter()
            .zip(self.direct.iter().zip(&self.gauss))
            .map(|(r, (d, g))| {
                vec![
                    r.scene.into(),
                    format!("{}", r.coordinates + r.constraints),
                    time(d.whole),
                    time(g.whole),
                    times(g.whole / d.whole),
                ]
            })
            .collect();
        page.table(&["scene", "variables", "sparse", "full", "gain"], &rows);
        let gain = |k: usize| self.gauss[k].whole / self.direct[k].whole;
        page.text(&format!(
            "The gain grows with size, as he says: from {} for the shoulder to {} for the larger ring. The bike gains less than its size would say, because its tyres cost the same with either.",
            times(gain(0).min(gain(1))),
            times(gain(3))
        ));
    }
}

fn arm(page: &mut Page, program: &Program) -> Result<(), Failed> {
    page.text(
        "The wrist of the complete arm follows a NURBS curve in space; the torques of the two shoulder motors and the elbow are those of a servo that keeps it there, out of the same solve. The fourth freedom, the turn of the hand about the forearm, is held.",
    );
    for (scene, file, title) in [
        ("prosthetic-arm-book", "arm-book", "Take a book: torques of the motors, angles and speeds of the gears"),
        ("prosthetic-arm-bottle", "arm-bottle", "Lift a bottle: torques of the motors, angles and speeds of the gears"),
    ] {
        let (summary, run) = program.record(scene, &[])?;
        let t = run.column("time")?;
        let mut curves = Vec::new();
        let curve = |name: &str, unit: &'static str, column: &str, factor: f64| -> Result<Curve, Failed> {
            let y: Vec<f64> = run.column(column)?.iter().map(|y| factor * y).collect();
            Ok(Curve::new(name, unit, t, &y))
        };
        for (name, column) in [("left motor", "task.effort"), ("right motor", "task.effort.1")] {
            curves.push(curve(name, "mN m", column, 1e3)?);
        }
        curves.push(curve("elbow", "N m", "task.effort.2", 1.0)?);
        for side in ["left", "right"] {
            curves.push(curve(&format!("{side} gear"), "rad", &format!("{side}-bearing.coordinate"), 1.0)?);
        }
        for side in ["left", "right"] {
            curves.push(curve(&format!("{side} gear "), "rad/s", &format!("{side}-bearing.rate"), 1.0)?);
        }
        let peak = |column: &str| -> Result<f64, Failed> {
            Ok(run.column(column)?.iter().fold(0.0f64, |m, y| m.max(y.abs())))
        };
        page.text(&format!(
            "[{scene}](../scenes/{scene}.toml), {} s: peak torques {} and {} mN m of the shoulder motors, {} N m of the elbow; largest gap {:.0e} m, {} of the energy unaccounted for.",
            summary["time"],
            short(1e3 * peak("task.effort")?),
            short(1e3 * peak("task.effort.1")?),
            short(peak("task.effort.2")?),
            summary["max_gap"].as_f64().unwrap_or(f64::NAN),
            short(summary["energy_drift"].as_f64().unwrap_or(f64::NAN)),
        ));
        let picture =
            Picture { file, title, subtitle: scene, along: ("time", "s"), scales: (Scale::Linear, Scale::Linear) };
        page.picture(&picture, &curves)?;
    }
    let (_, run) = program.record("prosthetic-arm-line", &[])?;
    let t = run.column("time")?;
    let mut curves = Vec::new();
    for (quantity, unit) in [("coordinate", "rad"), ("rate", "rad/s")] {
        for side in ["left", "right"] {
            curves.push(Curve::new(
                format!("{side} gear"),
                unit,
                t,
                run.column(&format!("{side}-bearing.{quantity}"))?,
            ));
        }
    }
    page.text("His Figure 6 shows angles and speeds of the two gears for a slow, straight motion of the hand: simple in space, anything but simple for the motors. [prosthetic-arm-line](../scenes/prosthetic-arm-line.toml):");
    let picture = Picture {
        file: "arm-line",
        title: "A straight line of the hand, and what the gears do for it",
        subtitle: "prosthetic-arm-line; after Figure 6 of the paper",
        along: ("time", "s"),
        scales: (Scale::Linear, Scale::Linear),
    };
    page.picture(&picture, &curves)
}
