//! Spherical pendulum. As a particle on a massless rod, and as a dumb-bell on a ball joint: a rigid body with a symmetry axis that does not
//! turn about that axis moves as a point mass does.

use super::book::{Book, Stop};
use super::scenes::{Staged, stage};
use super::track::{Passing, Track, period};
use holonom::math::unwrap_angle;
use holonom::prelude::*;
use holonom_cases::Problem;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    follow(p, book, "particle on a rod", stage("p07-spherical-pendulum", &[])?, "bob")?;
    follow(p, book, "dumb-bell on a ball joint", stage("p07-dumb-bell", &[])?, "dumb-bell.to")
}

fn azimuth(sim: &Simulation, watched: Marker, before: f64) -> f64 {
    let (r, _) = sim.point(watched);
    unwrap_angle(r.y.atan2(r.x), before)
}

fn follow(p: &Problem, book: &mut Book, name: &'static str, scene: Staged, watched: &str) -> Result<(), Stop> {
    let watched = scene.point(watched)?;
    let mut track = Track::run(scene.sim, p.times())?;
    book.variant(name);
    let mut before = p.initial("phi");
    let rows = track.read(|sim| {
        let (r, v) = sim.point(watched);
        let out = r.x.hypot(r.y);
        before = azimuth(sim, watched, before);
        vec![out.atan2(-r.z), before, v.z / out, (r.x * v.y - r.y * v.x) / (out * out)]
    });
    book.columns(&rows);

    let tops = track.events(Passing::Down, |sim| sim.point(watched).1.z)?;
    let bottoms = track.events(Passing::Up, |sim| sim.point(watched).1.z)?;
    book.scalar("period_of_height", period(&tops), p.scalar("period_of_height"));
    // the azimuth of an event is unwrapped from the sample before it
    let advance = tops.last().map(|top| {
        let sample = track.states.iter().rposition(|s| s.t <= top.t).unwrap_or(0);
        track.sim.set_state(top.clone());
        azimuth(&track.sim, watched, rows[sample][1]) / tops.len() as f64
    });
    book.scalar("azimuth_advance_per_period", advance, p.scalar("azimuth_advance_per_period"));
    let mut heights = |events: &[State], name: &str| {
        let heights: Vec<f64> = events
            .iter()
            .map(|state| {
                track.sim.set_state(state.clone());
                track.sim.point(watched).0.z
            })
            .collect();
        book.constant(name, if heights.is_empty() { &[f64::NAN] } else { &heights }, p.scalar(name));
    };
    heights(&bottoms, "z_min");
    heights(&tops, "z_max");
    let energies = track.energies();
    book.constant("energy", &energies, energies[0]);
    book.constant("joint gap", &track.gaps(), 0.0);
    Ok(())
}
