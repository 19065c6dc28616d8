//! Spherical pendulum. As a particle on a massless rod, and as a dumb-bell on a ball joint: a rigid body with a
//! symmetry axis that does not turn about that axis moves as a point mass does.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::{Crossing, SampledRun, period};
use crate::scenes::{ProblemScene, load};
use holonom::math::unwrap_angle;
use holonom::prelude::*;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    follow(p, compare, "particle on a rod", load("p07-spherical-pendulum", &[])?, "bob")?;
    follow(p, compare, "dumb-bell on a ball joint", load("p07-dumb-bell", &[])?, "dumb-bell.to")
}

fn azimuth(sim: &Simulation, watched: Marker, before: f64) -> f64 {
    let (r, _) = sim.point(watched);
    unwrap_angle(r.y.atan2(r.x), before)
}

fn follow(
    p: &Reference,
    compare: &mut Comparison,
    name: &'static str,
    scene: ProblemScene,
    watched: &str,
) -> Result<(), VerifyError> {
    let watched = scene.point(watched)?;
    let mut sampled = SampledRun::run(scene.sim, p.times())?;
    compare.variant(name);
    let mut before = p.initial("phi");
    let rows = sampled.read(|sim| {
        let (r, v) = sim.point(watched);
        let out = r.x.hypot(r.y);
        before = azimuth(sim, watched, before);
        vec![out.atan2(-r.z), before, v.z / out, (r.x * v.y - r.y * v.x) / (out * out)]
    });
    compare.columns(&rows);

    let tops = sampled.events(Crossing::Down, |sim| sim.point(watched).1.z)?;
    let bottoms = sampled.events(Crossing::Up, |sim| sim.point(watched).1.z)?;
    compare.scalar("period_of_height", period(&tops), p.scalar("period_of_height"));
    // the azimuth of an event is unwrapped from the sample before it
    let advance = tops.last().map(|top| {
        let sample = sampled.states.iter().rposition(|s| s.t <= top.t).unwrap_or(0);
        sampled.sim.set_state(top.clone());
        azimuth(&sampled.sim, watched, rows[sample][1]) / tops.len() as f64
    });
    compare.scalar("azimuth_advance_per_period", advance, p.scalar("azimuth_advance_per_period"));
    let mut heights = |events: &[State], name: &str| {
        let heights: Vec<f64> = events
            .iter()
            .map(|state| {
                sampled.sim.set_state(state.clone());
                sampled.sim.point(watched).0.z
            })
            .collect();
        compare.constant(name, if heights.is_empty() { &[f64::NAN] } else { &heights }, p.scalar(name));
    };
    heights(&bottoms, "z_min");
    heights(&tops, "z_max");
    let energies = sampled.energies();
    compare.constant("energy", &energies, energies[0]);
    compare.constant("joint gap", &sampled.gaps(), 0.0);
    Ok(())
}
