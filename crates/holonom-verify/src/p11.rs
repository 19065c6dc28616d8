//! Planar slider-crank with a constant torque on its crank, started at a dead centre. As plane bodies, and in space
//! with hinges and a slider (20 rows of rank 17). Also with the crank led around at a constant rate, where the slider's
//! path is known in closed form.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::SampledRun;
use crate::scenes::load;
use std::f64::consts::TAU;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    for (name, torque, led_around) in [
        ("plane bodies", "p11-slider-crank", "p11-slider-crank-led"),
        ("hinges in space", "p11-slider-crank-space", "p11-slider-crank-led-space"),
    ] {
        compare.variant(name);
        driven_by_torque(p, compare, torque)?;
        led(compare, led_around)?;
    }
    Ok(())
}

/// Where the slider of a mechanism with these lengths is, and how fast it moves, when the crank is at `theta`.
fn slider((l1, l2): (f64, f64), theta: f64, rate: f64) -> (f64, f64) {
    let (s, c) = theta.sin_cos();
    let reach = (l2 * l2 - l1 * l1 * s * s).sqrt();
    (l1 * c + reach, -(l1 * s + l1 * l1 * s * c / reach) * rate)
}

fn driven_by_torque(p: &Reference, compare: &mut Comparison, scene: &str) -> Result<(), VerifyError> {
    let loaded = load(scene, &[])?;
    let (crank, hinge, guide) = (loaded.body("crank")?, loaded.joint("hinge")?, loaded.joint("guide")?);
    let sim = loaded.sim;
    let model = sim.model().clone();
    let start = sim.accelerations()?[model.v_range(crank).end - 1];
    compare.scalar("theta_ddot_0", Some(start), p.scalar("theta_ddot_0"));
    let mut sampled = SampledRun::run(sim, p.times())?;
    let rows = sampled.read(|sim| {
        let at = |joint| sim.coordinate(joint, 0).unwrap_or((f64::NAN, f64::NAN));
        let (theta, x) = (at(hinge), at(guide));
        vec![theta.0, theta.1, x.0, x.1]
    });
    compare.columns(&rows);
    let work: Vec<f64> = rows.iter().map(|row| p.parameter("torque") * row[0]).collect();
    compare.series("kinetic energy, against work", &sampled.energies(), &work);
    compare.constant("joint gap", &sampled.gaps(), 0.0);
    Ok(())
}

/// The kinematic companion: other lengths, theta = 65 degrees + 2 pi t.
fn led(compare: &mut Comparison, scene: &str) -> Result<(), VerifyError> {
    let loaded = load(scene, &[])?;
    let guide = loaded.joint("guide")?;
    let lengths = (loaded.parameter("L1")?, loaded.parameter("L2")?);
    let start = loaded.parameter("theta")?;
    let times: Vec<f64> = (0..=40).map(|k| 0.05 * k as f64).collect();
    let mut sampled = SampledRun::run(loaded.sim, times.iter().copied())?;
    let found = sampled.read(|sim| sim.coordinate(guide, 0).unwrap_or((f64::NAN, f64::NAN)));
    let known: Vec<(f64, f64)> = times.iter().map(|t| slider(lengths, start + TAU * t, TAU)).collect();
    let (x, v): (Vec<f64>, Vec<f64>) = found.into_iter().unzip();
    let (x_known, v_known): (Vec<f64>, Vec<f64>) = known.into_iter().unzip();
    compare.series("led around: x_slider", &x, &x_known);
    compare.series("led around: vx_slider", &v, &v_known);
    compare.constant("led around: joint gap", &sampled.gaps(), 0.0);
    Ok(())
}
