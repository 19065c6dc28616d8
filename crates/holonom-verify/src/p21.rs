//! Contacts that open: a ladder leaves its wall and falls flat; a particle and a rolling ball leave a sphere.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::events::{first, sharp, watch};
use holonom::EventKind;
use holonom::prelude::*;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    ladder(p, compare)?;
    for (name, group, scene) in [
        ("particle on a sphere", "particle", "p21-particle-on-sphere"),
        ("ball on a sphere", "ball", "p21-ball-on-sphere"),
    ] {
        compare.variant(name);
        on_sphere(p, compare, group, scene)?;
    }
    Ok(())
}

fn ladder(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let known = |name: &str| p.scalar_of("ladder", name);
    for (name, kind) in [("planar ladder", "planar"), ("rigid ladder", "rigid")] {
        compare.variant(name);
        let loaded = sharp("p21-ladder", &[], &[&format!("body.ladder.kind={kind}")])?;
        let rod = loaded.body("ladder")?;
        let mut sim = loaded.sim;
        let (start, energy) = (sim.state().clone(), sim.energy().total());
        let lean = |sim: &Simulation| {
            let along = sim.axes(rod).unwrap_or(Mat3::NAN).x_axis;
            ((-along.x).atan2(along.y), sim.spin(rod).map_or(f64::NAN, |w| w.z))
        };
        let events = watch(&mut sim, 1.2)?;
        let (leaves, flat) = (first(&events, EventKind::Opens), first(&events, EventKind::Impact));
        compare.scalar("t_leave", leaves, known("t_leave"));
        compare.scalar("t_flat", flat, known("t_flat"));
        sim.set_state(start);
        sim.run_until(leaves.unwrap_or(0.0))?;
        let (theta, omega) = lean(&sim);
        compare.scalar("theta_leave", Some(theta), known("theta_leave"));
        compare.scalar("omega_leave", Some(omega), known("omega_leave"));
        // a microsecond before it is flat, and what that adds
        let dt = 1e-6;
        sim.run_until(flat.unwrap_or(1.0) - dt)?;
        compare.scalar("v_x", Some(sim.centre_velocity(rod).x), known("v_x"));
        let alpha = sim.accelerations()?.last().copied().unwrap_or(f64::NAN);
        compare.scalar("omega_flat", Some(lean(&sim).1 + dt * alpha), known("omega_flat"));
        compare.scalar("energy", Some(sim.energy().total()), energy);
        sim.run_until(2.0)?;
        compare.at_most("height and spin when it lies", &[sim.centre(rod).y, lean(&sim).1], 1e-12);
    }
    Ok(())
}

fn on_sphere(p: &Reference, compare: &mut Comparison, group: &str, scene: &str) -> Result<(), VerifyError> {
    let known = |name: &str| p.scalar_of(group, name);
    let loaded = sharp(scene, &[], &[])?;
    let body = loaded.body("ball")?;
    let mut sim = loaded.sim;
    let (start, energy) = (sim.state().clone(), sim.energy().total());
    let leaves = first(&watch(&mut sim, 1.3)?, EventKind::Opens);
    compare.scalar("t", leaves, known("t"));
    compare.scalar("energy", Some(sim.energy().total()), energy);
    sim.set_state(start);
    sim.run_until(leaves.unwrap_or(0.0))?;
    let (x, v) = (sim.centre(body), sim.centre_velocity(body));
    let theta = x.x.atan2(x.z);
    compare.scalar("theta", Some(theta), known("theta"));
    compare.scalar("cos", Some(theta.cos()), known("cos"));
    compare.scalar("thetad", Some((x.z * v.x - x.x * v.z) / x.length_squared()), known("thetad"));
    Ok(())
}
