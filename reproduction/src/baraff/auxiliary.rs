//! O(n k) + O(k^3): the time of the auxiliary method over the number k of rows that close loops, at the same number of bodies.
//!
//! A zigzag of 55 planar bodies and 54 pins (108 rows), across which further pins are put, each between a body and the fourth after it: two auxiliary rows
//! each. The time is fitted by a + b k + c k^3, least squares.

use crate::Failed;
use crate::page::{Curve, Page, Picture, short, time};
use holonom::math::{Vec3, vec3};
use holonom::prelude::*;
use holonom::{Model, SolverKind, Workspace, phases};
use holonom_plot::Scale;
use std::hint::black_box;
use std::time::{Duration, Instant};

const BODIES: usize = 55;
/// Pins that close loops: 0 to 48 rows.
const PINS: &[usize] = &[0, 1, 2, 3, 4, 6, 8, 12, 16, 20, 24];
/// His system.
const HIS: f64 = 12.0;

fn model(pins: usize) -> Result<Model, Failed> {
    let mut m = ModelBuilder::new();
    let centre = |i: usize| vec3(0.3 * i as f64, if i.is_multiple_of(2) { 0.0 } else { 0.25 }, 0.0);
    let bodies: Vec<BodyId> = (0..BODIES)
        .map(|i| {
            let p = centre(i);
            let spin = 0.3 * ((i % 7) as f64 - 3.0);
            m.body(
                format!("rod {i}"),
                Planar::rod(1.0, 0.4).plane(Vec3::ZERO, Vec3::X, Vec3::Y).pose(p.x, p.y, 0.0).velocity(0.0, 0.0, spin),
            )
        })
        .collect();
    let pin = |m: &mut ModelBuilder, name: String, i: usize, j: usize| {
        let at = 0.5 * (centre(i) + centre(j));
        let side = |k: usize| bodies[k].at(at - centre(k)).along(Vec3::Z);
        m.joint(&name, Revolute::new(side(i), side(j)));
    };
    for i in 1..BODIES {
        pin(&mut m, format!("pin {i}"), i - 1, i);
    }
    for k in 0..pins {
        pin(&mut m, format!("closing {k}"), 2 * k + 1, 2 * k + 5);
    }
    m.build().map_err(|e| e.to_string())
}

/// Microseconds of one evaluation.
fn measure(model: &Model) -> Result<f64, Failed> {
    let mut work = Workspace::new(model, SolverKind::Auxiliary);
    let state = model.initial_state().clone();
    let mut least = f64::INFINITY;
    let begin = Instant::now();
    while begin.elapsed() < Duration::from_millis(400) {
        let start = Instant::now();
        for _ in 0..10 {
            phases::accelerations(model, black_box(&state), &mut work).map_err(|e| e.to_string())?;
            black_box(work.accelerations());
        }
        least = least.min(1e5 * start.elapsed().as_secs_f64());
    }
    Ok(least)
}

/// a, b, c of a + b k + c k^3, by least squares.
fn fit(points: &[(f64, f64)]) -> [f64; 3] {
    let largest = points.iter().fold(1.0f64, |m, p| m.max(p.0));
    let base = |k: f64| [1.0, k / largest, (k / largest).powi(3)];
    let (mut n, mut r) = ([[0.0; 3]; 3], [0.0; 3]);
    for &(k, t) in points {
        let f = base(k);
        for i in 0..3 {
            r[i] += f[i] * t;
            for j in 0..3 {
                n[i][j] += f[i] * f[j];
            }
        }
    }
    for i in 0..3 {
        for j in i + 1..3 {
            let l = n[j][i] / n[i][i];
            for k in i..3 {
                n[j][k] -= l * n[i][k];
            }
            r[j] -= l * r[i];
        }
    }
    for i in (0..3).rev() {
        for j in i + 1..3 {
            r[i] -= n[i][j] * r[j];
        }
        r[i] /= n[i][i];
    }
    [r[0], r[1] / largest, r[2] / largest.powi(3)]
}

pub fn write(page: &mut Page) -> Result<(), Failed> {
    page.heading(3, "O(nk) + O(k³): auxiliary rows");
    let mut points = Vec::new();
    for &pins in PINS {
        eprintln!("auxiliary rows: {}", 2 * pins);
        points.push(((2 * pins) as f64, measure(&model(pins)?)?));
    }
    let [a, b, c] = fit(&points);
    page.text(&format!(
        "A zigzag of {BODIES} planar bodies with k further rows that close loops, solved by his auxiliary method (`--solver auxiliary`). The time is {} + {} k + {} k³ (least squares). At k = 12 \
         the cubic part is {}, beside {} for the O(nk) part: {}, as he found.",
        time(a),
        time(b),
        time(c),
        time(c * HIS.powi(3)),
        time(b * HIS),
        if c * HIS.powi(3) < 0.1 * b * HIS { "too small to notice" } else { "a noticeable part" },
    ));
    let rows: Vec<Vec<String>> =
        points.iter().map(|p| vec![format!("{}", p.0), time(p.1), time(a + b * p.0 + c * p.0.powi(3))]).collect();
    page.table(&["k", "measured", "fitted"], &rows);
    let (x, y): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
    let cubic: Vec<f64> = x.iter().map(|k| c.max(0.0) * k.powi(3)).collect();
    let curves = [Curve::new("one evaluation", "µs", &x, &y), Curve::new("its cubic part, fitted", "µs", &x, &cubic)];
    let subtitle = format!("55 planar bodies, 108 primary rows; cubic part at 12 rows: {} µs", short(c * HIS.powi(3)));
    let picture = Picture {
        file: "auxiliary-rows",
        title: "Rows that close loops, on top of a tree",
        subtitle: &subtitle,
        along: ("auxiliary rows k", ""),
        scales: (Scale::Linear, Scale::Linear),
    };
    page.picture(&picture, &curves)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_is_found_again() {
        let points: Vec<(f64, f64)> =
            (0..9).map(|k| 6.0 * k as f64).map(|k| (k, 20.0 + 3.0 * k + 0.002 * k * k * k)).collect();
        let [a, b, c] = fit(&points);
        assert!((a - 20.0).abs() < 1e-9 && (b - 3.0).abs() < 1e-9 && (c - 0.002).abs() < 1e-12, "{a} {b} {c}");
    }

    #[test]
    fn every_further_pin_is_two_rows() {
        for pins in [0, 6] {
            let sim = Simulation::new(model(pins).expect("built"));
            let doctor = sim.diagnose().expect("regular");
            assert_eq!((doctor.rows, doctor.rank), (108 + 2 * pins, 108 + 2 * pins));
        }
    }
}
