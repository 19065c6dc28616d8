//! Contacts that open: a ladder leaves its wall and falls flat; a particle and a rolling ball leave a sphere.

use super::book::{Book, Stop};
use super::happened::{first, sharp, watch};
use holonom::EventKind;
use holonom::prelude::*;
use holonom_cases::Problem;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    ladder(p, book)?;
    for (name, group, scene) in [
        ("particle on a sphere", "particle", "p21-particle-on-sphere"),
        ("ball on a sphere", "ball", "p21-ball-on-sphere"),
    ] {
        book.variant(name);
        on_sphere(p, book, group, scene)?;
    }
    Ok(())
}

fn ladder(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let known = |name: &str| p.scalar_of("ladder", name);
    for (name, kind) in [("planar ladder", "planar"), ("rigid ladder", "rigid")] {
        book.variant(name);
        let staged = sharp("p21-ladder", &[], &[&format!("body.ladder.kind={kind}")])?;
        let rod = staged.body("ladder")?;
        let mut sim = staged.sim;
        let (start, energy) = (sim.state().clone(), sim.energy().total());
        let lean = |sim: &Simulation| {
            let along = sim.axes(rod).unwrap_or(Mat3::NAN).x_axis;
            ((-along.x).atan2(along.y), sim.spin(rod).map_or(f64::NAN, |w| w.z))
        };
        let events = watch(&mut sim, 1.2)?;
        let (leaves, flat) = (first(&events, EventKind::Opens), first(&events, EventKind::Impact));
        book.scalar("t_leave", leaves, known("t_leave"));
        book.scalar("t_flat", flat, known("t_flat"));
        sim.set_state(start);
        sim.run_until(leaves.unwrap_or(0.0))?;
        let (theta, omega) = lean(&sim);
        book.scalar("theta_leave", Some(theta), known("theta_leave"));
        book.scalar("omega_leave", Some(omega), known("omega_leave"));
        // a microsecond before it is flat, and what that adds
        let dt = 1e-6;
        sim.run_until(flat.unwrap_or(1.0) - dt)?;
        book.scalar("v_x", Some(sim.centre_velocity(rod).x), known("v_x"));
        let alpha = sim.accelerations()?.last().copied().unwrap_or(f64::NAN);
        book.scalar("omega_flat", Some(lean(&sim).1 + dt * alpha), known("omega_flat"));
        book.scalar("energy", Some(sim.energy().total()), energy);
        sim.run_until(2.0)?;
        book.at_most("height and spin when it lies", &[sim.centre(rod).y, lean(&sim).1], 1e-12);
    }
    Ok(())
}

fn on_sphere(p: &Problem, book: &mut Book, group: &str, scene: &str) -> Result<(), Stop> {
    let known = |name: &str| p.scalar_of(group, name);
    let staged = sharp(scene, &[], &[])?;
    let body = staged.body("ball")?;
    let mut sim = staged.sim;
    let (start, energy) = (sim.state().clone(), sim.energy().total());
    let leaves = first(&watch(&mut sim, 1.3)?, EventKind::Opens);
    book.scalar("t", leaves, known("t"));
    book.scalar("energy", Some(sim.energy().total()), energy);
    sim.set_state(start);
    sim.run_until(leaves.unwrap_or(0.0))?;
    let (x, v) = (sim.centre(body), sim.centre_velocity(body));
    let theta = x.x.atan2(x.z);
    book.scalar("theta", Some(theta), known("theta"));
    book.scalar("cos", Some(theta.cos()), known("cos"));
    book.scalar("thetad", Some((x.z * v.x - x.x * v.z) / x.length_squared()), known("thetad"));
    Ok(())
}
