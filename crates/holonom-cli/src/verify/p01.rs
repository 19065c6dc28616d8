//! Simple pendulum. As a particle on a massless rod, and as rods that swing like it: a uniform rod of length 3/2 L pinned at its end has
//! its centre of oscillation at L, which moves as the particle does.

use super::book::{Book, Stop};
use super::scenes::{Staged, stage, stage_as};
use super::track::{Passing, Track, period, swing};
use holonom::prelude::*;
use holonom_cases::Problem;
use std::f64::consts::FRAC_PI_2;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    particle(p, book)?;
    for (name, kind) in [("planar rod", "planar"), ("rigid rod", "rigid")] {
        book.variant(name);
        rod(p, book, stage_as("p01-pendulum-rod", &[], &[&format!("body.rod.kind={kind}")])?)?;
    }
    Ok(())
}

fn particle(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let scene = stage("p01-pendulum", &[])?;
    let (bob, rod) = (scene.body("bob")?, scene.joint("rod")?);
    let mut track = Track::run(scene.sim, p.times())?;

    book.variant("particle on a rod");
    let mut before = -FRAC_PI_2;
    let rows = track.read(|sim| {
        let (r, v) = sim.point(bob.origin());
        let (angle, rate) = swing(r, v, before);
        before = angle;
        vec![r.x, r.y, v.x, v.y, angle, rate]
    });
    book.columns(&rows);
    motion_scalars(p, book, &mut track, bob.origin())?;

    // the rod pulls hardest at the lowest point
    let mut tension: Option<f64> = None;
    for state in track.events(Passing::Up, |sim| sim.point(bob.origin()).1.y)? {
        track.sim.set_state(state);
        let pull = track.sim.reaction(rod)?.force.length() / (p.parameter("m") * p.parameter("g"));
        tension = Some(tension.map_or(pull, |most| most.max(pull)));
    }
    book.scalar("max_tension_over_mg", tension, p.scalar("max_tension_over_mg"));
    Ok(())
}

/// A rod of 3/2 L, pinned at its end; watched at its centre of oscillation.
fn rod(p: &Problem, book: &mut Book, scene: Staged) -> Result<(), Stop> {
    let (pin, watched) = (scene.joint("pin")?, scene.point("rod.oscillation")?);
    let mut track = Track::run(scene.sim, p.times())?;
    let rows = track.read(|sim| {
        let (r, v) = sim.point(watched);
        let (turned, rate) = sim.coordinate(pin, 0).unwrap_or((f64::NAN, f64::NAN));
        vec![r.x, r.y, v.x, v.y, turned - FRAC_PI_2, rate]
    });
    book.columns(&rows);
    motion_scalars(p, book, &mut track, watched)
}

fn motion_scalars(p: &Problem, book: &mut Book, track: &mut Track, watched: Marker) -> Result<(), Stop> {
    // at rest at the side it started from: the swing turns round, once per period
    let returns = track.events(Passing::Up, |sim| {
        let (r, v) = sim.point(watched);
        swing(r, v, 0.0).1
    })?;
    book.scalar("period", period(&returns), p.scalar("period"));
    let energies = track.energies();
    book.constant("energy", &energies, energies[0]);
    book.constant("joint gap", &track.gaps(), 0.0);
    Ok(())
}
