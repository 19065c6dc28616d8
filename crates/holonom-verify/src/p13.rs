//! Thin disc rolling without slipping: a wandering motion, and a steady circle that closes.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::{SampledRun, quaternion};
use crate::scenes::load;
use holonom::prelude::*;
use std::f64::consts::TAU;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    wander(p, compare)?;
    circle(p, compare)?;
    wobble(p, compare)
}

/// Straight upright rolling, linearised: the square of the only eigenvalue that is not zero is linear in the square of
/// the spin, and passes zero where rolling becomes stable.
fn wobble(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let square = |spin: f64| -> Result<f64, VerifyError> {
        let Disc { sim, .. } = disc(Some((0.0, vec3(0.0, spin, 0.0))))?;
        let largest = sim.linearise()?.eigenvalues().iter().copied().max_by(|a, b| a.abs().total_cmp(&b.abs()));
        Ok(largest.map_or(f64::NAN, |e| e.re * e.re - e.im * e.im))
    };
    compare.variant("linearised");
    let example = |name| p.scalar_of("wobble_example", name);
    let frequency = (-square(example("spin"))?).sqrt();
    compare.scalar("wobble, angular frequency", Some(frequency), example("angular_frequency"));
    let (slow, fast) = (square(1.0)?, square(5.0)?);
    let critical = (1.0 + 24.0 * slow / (slow - fast)).sqrt();
    compare.scalar("critical_spin", Some(critical), p.scalar("critical_spin"));
    Ok(())
}

struct Disc {
    sim: Simulation,
    disc: BodyId,
}

/// A disc that leans by this angle and turns with this angular velocity; without them, as the scene says.
fn disc(start: Option<(f64, Vec3)>) -> Result<Disc, VerifyError> {
    let parameters = start.map(|(lean, w)| [("lean", lean), ("omega_x", w.x), ("omega_y", w.y), ("omega_z", w.z)]);
    let loaded = load("p13-rolling-disc", parameters.as_ref().map_or(&[], |p| &p[..]))?;
    Ok(Disc { disc: loaded.body("disc")?, sim: loaded.sim })
}

/// The lowest point of the rim.
fn contact(centre: Vec3, axis: Vec3, r: f64) -> Vec3 {
    centre - (Vec3::Z - axis * axis.z).normalize() * r
}

fn wander(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let Disc { sim, disc } = disc(None)?;
    let mut sampled = SampledRun::run(sim, p.times())?;
    compare.variant("rolling disc");
    let mut samples = p.samples.iter();
    let rows = sampled.read(|sim| {
        let reference = samples.next().map_or(&[][..], |row| &row[1..5]);
        let axes = sim.axes(disc).unwrap_or(Mat3::NAN);
        let mut row = quaternion(axes, reference).to_vec();
        row.extend(sim.spin(disc).unwrap_or(Vec3::NAN).to_array());
        row.extend(sim.centre(disc).to_array());
        let rim = contact(sim.centre(disc), axes.y_axis, p.parameter("r"));
        row.extend([rim.x, rim.y]);
        row
    });
    compare.columns(&rows);
    compare.constant("total_energy", &sampled.energies(), p.scalar("total_energy"));
    compare.constant("joint gap", &sampled.gaps(), 0.0);
    let slips = sampled.read(|sim| sim.violation().1);
    compare.constant("slip", &slips, 0.0);
    Ok(())
}

/// Precession at a constant rate and lean: after one turn the disc is where it was, and on the way it runs on a circle.
fn circle(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let example = |name| p.scalar_of("steady_example", name);
    let (lean, rate, spin) = (example("lean_deg").to_radians(), example("Om"), example("w2"));
    let (s, c) = lean.sin_cos();
    // angular velocity: w2 along the axis, and the part across it that the precession needs, rate cos(lean) along e3
    let omega = vec3(0.0, c, s) * spin + vec3(0.0, -s, c) * (rate * c);
    let Disc { mut sim, disc } = disc(Some((lean, omega)))?;
    sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 });
    compare.variant("steady circle");
    let start = sim.centre(disc);
    let radius = example("centre_circle_radius");
    // the centre of the circle lies towards the side to which the disc leans, across its course
    let speed = sim.centre_velocity(disc);
    let middle = start + Vec3::Z.cross(speed).normalize() * radius;
    let (mut speeds, mut radii) = (Vec::new(), Vec::new());
    for k in 1..=40 {
        sim.run_until(TAU / rate * k as f64 / 40.0)?;
        speeds.push(sim.centre_velocity(disc).length());
        radii.push((sim.centre(disc) - middle).length());
    }
    compare.constant("centre_speed", &speeds, example("centre_speed"));
    compare.constant("centre_circle_radius", &radii, radius);
    compare.constant("distance from the start after one turn", &[(sim.centre(disc) - start).length()], 0.0);
    Ok(())
}
