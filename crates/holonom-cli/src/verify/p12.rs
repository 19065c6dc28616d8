//! Peaucellier-Lipkin linkage: seven bars, ten pins, and a point that moves exactly on a straight line. In space with hinges (50 rows of
//! rank 41), and as plane bodies.
//!
//! In space also with steps of 1 ms for 10 s: joints stay closed and the point on its line to 1e-10 at every step.

use super::book::{Book, Stop};
use super::scenes::stage;
use super::track::{Track, fixed_steps};
use holonom_cases::Problem;

/// Largest gap of a joint, and distance of the point from its line, at any step.
const CLOSED: f64 = 1e-10;
/// Time of the run in fixed steps, s.
const LONG: f64 = 10.0;
/// Made of hinges in space.
const SPACE: &str = "p12-peaucellier-space";

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    book.variant("hinges in space");
    samples(p, book, SPACE)?;
    steps(p, book, SPACE)?;
    book.variant("plane bodies");
    samples(p, book, "p12-peaucellier")
}

fn samples(p: &Problem, book: &mut Book, scene: &str) -> Result<(), Stop> {
    let staged = stage(scene, &[])?;
    let (at_p, at_q) = (staged.point("CP.to")?, staged.point("AQ.to")?);
    let mut track = Track::run(staged.sim, p.times())?;
    let rows = track.read(|sim| {
        let ((r, v), (q, _)) = (sim.point(at_p), sim.point(at_q));
        vec![r.y.atan2(r.x), (r.x * v.y - r.y * v.x) / r.length_squared(), q.x, q.y]
    });
    book.columns(&rows);
    book.constant("total_energy", &track.energies(), p.scalar("total_energy"));
    book.at_most("joint gap", &track.gaps(), CLOSED);
    Ok(())
}

fn steps(p: &Problem, book: &mut Book, scene: &str) -> Result<(), Stop> {
    let staged = stage(scene, &[])?;
    let at_q = staged.point("AQ.to")?;
    let mut sim = staged.sim;
    let (mut gaps, mut off, mut energies) = (Vec::new(), Vec::new(), Vec::new());
    fixed_steps(&mut sim, LONG, 1e-3, |sim| {
        gaps.push(sim.violation().0);
        off.push(sim.point(at_q).0.x - p.scalar("x_line"));
        energies.push(sim.energy().total());
    })?;
    book.at_most("steps of 1 ms: joint gap", &gaps, CLOSED);
    book.at_most("steps of 1 ms: Q off its line", &off, CLOSED);
    book.constant("steps of 1 ms: total_energy", &energies, p.scalar("total_energy"));
    Ok(())
}
