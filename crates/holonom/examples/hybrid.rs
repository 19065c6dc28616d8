//! Watch for: a double pendulum as one body of two parameters, as two particles on rods, and half and half: the same motion, three prices.

use holonom::bodies::{Parameter, Place};
use holonom::prelude::*;
use std::f64::consts::FRAC_PI_2;
use std::time::Instant;

/// A point at the distance r, in the direction of an angle from the downward vertical.
fn hang<const U: usize>(angle: Parameter<U>, r: f64) -> Place<U> {
    Place::new(angle.sin() * r, angle * 0.0, angle.cos() * -r)
}

/// Nothing to constrain: the angles allow only what is legal. Labels are distances along the two rods.
fn parameters() -> (ModelBuilder, Marker) {
    let mut m = ModelBuilder::new();
    let both = Parametric::new([FRAC_PI_2; 2], |[a, b], x| hang(a, x.x) + hang(b, x.y));
    let body = m.body("both", both.mass([1.0, 0.0, 0.0], 1.0).mass([1.0, 1.0, 0.0], 1.0));
    (m, body.at([1.0, 1.0, 0.0]))
}

/// Nothing to derive: two particles, and two rods that hold them.
fn constraints() -> (ModelBuilder, Marker) {
    let mut m = ModelBuilder::new();
    let a = m.body("first", Particle::new(1.0, [1.0, 0.0, 0.0])).origin();
    let b = m.body("second", Particle::new(1.0, [2.0, 0.0, 0.0])).origin();
    m.joint("upper rod", Distance::new(BodyId::GROUND.origin(), a, 1.0));
    m.joint("lower rod", Distance::new(a, b, 1.0));
    (m, b)
}

/// The upper pendulum by its angle, and a particle on a rod that is fastened to a point of it.
fn hybrid() -> (ModelBuilder, Marker) {
    let mut m = ModelBuilder::new();
    let upper = Parametric::new([FRAC_PI_2], |[a], x| hang(a, x.x)).mass([1.0, 0.0, 0.0], 1.0);
    let upper = m.body("upper", upper);
    let b = m.body("second", Particle::new(1.0, [2.0, 0.0, 0.0])).origin();
    m.joint("lower rod", Distance::new(upper.at([1.0, 0.0, 0.0]), b, 1.0));
    (m, b)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("Two seconds of a double pendulum, released from horizontal.\n");
    println!(
        "{:<14}{:>12}{:>12}{:>14}{:>26}{:>12}",
        "", "velocities", "multipliers", "evaluations", "lower bob x, z (m)", "best ms"
    );
    type Make = fn() -> (ModelBuilder, Marker);
    for (name, make) in [("parameters", parameters as Make), ("constraints", constraints), ("hybrid", hybrid)] {
        let (builder, bob) = make();
        let mut sim = Simulation::build(builder)?;
        sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 });
        let start = sim.state().clone();
        let (mut best, mut evaluations) = (f64::INFINITY, 0);
        for _ in 0..20 {
            sim.set_state(start.clone());
            let clock = Instant::now();
            evaluations = sim.run_until(2.0)?.evaluations;
            best = best.min(1e3 * clock.elapsed().as_secs_f64());
        }
        let (n_v, n_rows, at) = (sim.model().n_v(), sim.model().n_rows(), sim.point(bob).0);
        println!("{name:<14}{n_v:>12}{n_rows:>12}{evaluations:>14}{:>13.8}{:>13.8}{best:>12.3}", at.x, at.z);
    }
    Ok(())
}
