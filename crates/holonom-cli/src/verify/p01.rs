//! Simple pendulum. As a particle on a massless rod, and as rods that swing like it: a uniform rod of length 3/2 L pinned at its end has
//! its centre of oscillation at L, which moves as the particle does.

use super::book::{Book, Stop};
use super::track::{Passing, Track, period, swing};
use holonom::prelude::*;
use holonom_cases::Problem;
use std::f64::consts::FRAC_PI_2;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    particle(p, book)?;
    let (mass, length) = (p.parameter("m"), 1.5 * p.parameter("L"));
    // the rods start along -x, their pinned ends at the origin
    let across = mass * length * length / 12.0;
    let thin = Rigid::principal(mass, [1e-3 * across, across, across]);
    rod(p, book, "planar rod", Planar::rod(mass, length).pose(-0.5 * length, 0.0, 0.0))?;
    rod(p, book, "rigid rod", thin.position([-0.5 * length, 0.0, 0.0]))
}

fn gravity(p: &Problem) -> Vec3 {
    vec3(0.0, -p.parameter("g"), 0.0)
}

fn particle(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let (mass, length) = (p.parameter("m"), p.parameter("L"));
    let mut m = ModelBuilder::new();
    m.gravity(gravity(p));
    let start = [p.initial("x"), p.initial("y"), 0.0];
    let bob = m.body("bob", Particle::new(mass, start).velocity([p.initial("vx"), p.initial("vy"), 0.0]));
    let rod = m.joint("rod", Distance::new(BodyId::GROUND.origin(), bob.origin(), length));
    let mut track = Track::run(Simulation::build(m)?, p.times())?;

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
        let pull = track.sim.reaction(rod)?.force.length() / (mass * p.parameter("g"));
        tension = Some(tension.map_or(pull, |most| most.max(pull)));
    }
    book.scalar("max_tension_over_mg", tension, p.scalar("max_tension_over_mg"));
    Ok(())
}

/// A rod of 3/2 L along x, its origin in the middle, pinned at its +x end; watched at its centre of oscillation.
fn rod(
    p: &Problem,
    book: &mut Book,
    name: &'static str,
    body: impl holonom::bodies::Body + 'static,
) -> Result<(), Stop> {
    let length = p.parameter("L");
    let mut m = ModelBuilder::new();
    m.gravity(gravity(p));
    let rod = m.body("rod", body);
    let pin = m.joint("pin", Revolute::new(BodyId::GROUND.origin(), rod.at([0.75 * length, 0.0, 0.0])));
    let watched = rod.at([-0.25 * length, 0.0, 0.0]);
    let mut track = Track::run(Simulation::build(m)?, p.times())?;

    book.variant(name);
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
