//! Simple pendulum. As a particle on a massless rod, and as rods that swing like it: a uniform rod of length 3/2 L
//! pinned at its end has its centre of oscillation at L, which moves as the particle does.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::{Crossing, SampledRun, pendulum_angle, period};
use crate::scenes::{ProblemScene, load, load_with};
use holonom::prelude::*;
use std::f64::consts::FRAC_PI_2;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    particle(p, compare)?;
    for (name, kind) in [("planar rod", "planar"), ("rigid rod", "rigid")] {
        compare.variant(name);
        rod(p, compare, load_with("p01-pendulum-rod", &[], &[&format!("body.rod.kind={kind}")])?)?;
    }
    Ok(())
}

fn particle(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let scene = load("p01-pendulum", &[])?;
    let (bob, rod) = (scene.body("bob")?, scene.joint("rod")?);
    let mut sampled = SampledRun::run(scene.sim, p.times())?;

    compare.variant("particle on a rod");
    let mut before = -FRAC_PI_2;
    let rows = sampled.read(|sim| {
        let (r, v) = sim.point(bob.origin());
        let (angle, rate) = pendulum_angle(r, v, before);
        before = angle;
        vec![r.x, r.y, v.x, v.y, angle, rate]
    });
    compare.columns(&rows);
    motion_scalars(p, compare, &mut sampled, bob.origin())?;

    // the rod pulls hardest at the lowest point
    let mut tension: Option<f64> = None;
    for state in sampled.events(Crossing::Up, |sim| sim.point(bob.origin()).1.y)? {
        sampled.sim.set_state(state);
        let pull = sampled.sim.reaction(rod)?.force.length() / (p.parameter("m") * p.parameter("g"));
        tension = Some(tension.map_or(pull, |most| most.max(pull)));
    }
    compare.scalar("max_tension_over_mg", tension, p.scalar("max_tension_over_mg"));
    Ok(())
}

/// A rod of 3/2 L, pinned at its end; watched at its centre of oscillation.
fn rod(p: &Reference, compare: &mut Comparison, scene: ProblemScene) -> Result<(), VerifyError> {
    let (pin, watched) = (scene.joint("pin")?, scene.point("rod.oscillation")?);
    let mut sampled = SampledRun::run(scene.sim, p.times())?;
    let rows = sampled.read(|sim| {
        let (r, v) = sim.point(watched);
        let (turned, rate) = sim.coordinate(pin, 0).unwrap_or((f64::NAN, f64::NAN));
        vec![r.x, r.y, v.x, v.y, turned - FRAC_PI_2, rate]
    });
    compare.columns(&rows);
    motion_scalars(p, compare, &mut sampled, watched)
}

fn motion_scalars(
    p: &Reference,
    compare: &mut Comparison,
    sampled: &mut SampledRun,
    watched: Marker,
) -> Result<(), VerifyError> {
    // at rest at the side it started from: the swing turns round, once per period
    let returns = sampled.events(Crossing::Up, |sim| {
        let (r, v) = sim.point(watched);
        pendulum_angle(r, v, 0.0).1
    })?;
    compare.scalar("period", period(&returns), p.scalar("period"));
    let energies = sampled.energies();
    compare.constant("energy", &energies, energies[0]);
    compare.constant("joint gap", &sampled.gaps(), 0.0);
    Ok(())
}
