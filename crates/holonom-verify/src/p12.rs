//! Peaucellier-Lipkin linkage: seven bars, ten pins, and a point that moves exactly on a straight line. In space with
//! hinges (50 rows of rank 41), and as plane bodies.
//!
//! In space also with steps of 1 ms for 10 s: joints stay closed and the point on its line to 1e-10 at every step.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::{SampledRun, fixed_steps};
use crate::scenes::load;

/// Largest gap of a joint, and distance of the point from its line, at any step.
const CLOSED: f64 = 1e-10;
/// Time of the run in fixed steps, s.
const LONG: f64 = 10.0;
/// Made of hinges in space.
const SPACE: &str = "p12-peaucellier-space";

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    compare.variant("hinges in space");
    samples(p, compare, SPACE)?;
    steps(p, compare, SPACE)?;
    compare.variant("plane bodies");
    samples(p, compare, "p12-peaucellier")
}

fn samples(p: &Reference, compare: &mut Comparison, scene: &str) -> Result<(), VerifyError> {
    let loaded = load(scene, &[])?;
    let (at_p, at_q) = (loaded.point("CP.to")?, loaded.point("AQ.to")?);
    let mut sampled = SampledRun::run(loaded.sim, p.times())?;
    let rows = sampled.read(|sim| {
        let ((r, v), (q, _)) = (sim.point(at_p), sim.point(at_q));
        vec![r.y.atan2(r.x), (r.x * v.y - r.y * v.x) / r.length_squared(), q.x, q.y]
    });
    compare.columns(&rows);
    compare.constant("total_energy", &sampled.energies(), p.scalar("total_energy"));
    compare.at_most("joint gap", &sampled.gaps(), CLOSED);
    Ok(())
}

fn steps(p: &Reference, compare: &mut Comparison, scene: &str) -> Result<(), VerifyError> {
    let loaded = load(scene, &[])?;
    let at_q = loaded.point("AQ.to")?;
    let mut sim = loaded.sim;
    let (mut gaps, mut off, mut energies) = (Vec::new(), Vec::new(), Vec::new());
    fixed_steps(&mut sim, LONG, 1e-3, |sim| {
        gaps.push(sim.violation().0);
        off.push(sim.point(at_q).0.x - p.scalar("x_line"));
        energies.push(sim.energy().total());
    })?;
    compare.at_most("steps of 1 ms: joint gap", &gaps, CLOSED);
    compare.at_most("steps of 1 ms: Q off its line", &off, CLOSED);
    compare.constant("steps of 1 ms: total_energy", &energies, p.scalar("total_energy"));
    Ok(())
}
