//! Peaucellier-Lipkin linkage: seven bars, ten pins, and a point that moves exactly on a straight line. In space with hinges (50 rows of
//! rank 41), and as plane bodies.
//!
//! In space also with steps of 1 ms for 10 s: joints stay closed and the point on its line to 1e-10 at every step.

use super::book::{Book, Stop};
use super::plane::{Bar, Made, ground, pin};
use super::track::{Track, fixed_steps};
use holonom::prelude::*;
use holonom_cases::Problem;

/// Largest gap of a joint, and distance of the point from its line, at any step.
const CLOSED: f64 = 1e-10;
/// Time of the run in fixed steps, s.
const LONG: f64 = 10.0;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    book.variant("hinges in space");
    samples(p, book, Made::Space)?;
    steps(p, book, Made::Space)?;
    book.variant("plane bodies");
    samples(p, book, Made::Plane)
}

struct Linkage {
    p: Marker,
    q: Marker,
}

fn mechanism(p: &Problem, made: Made) -> (ModelBuilder, Linkage) {
    let (long, short, crank, alpha) = (p.parameter("l"), p.parameter("r"), p.parameter("c"), p.initial("alpha"));
    let mut m = ModelBuilder::new();
    m.gravity([p.parameter("g"), 0.0, 0.0]);
    // along the line from O through P and Q, and across it: A and B are the other corners of the rhombus
    let (s, c) = alpha.sin_cos();
    let at = |along: f64, across: f64| [along * c - across * s, along * s + across * c];
    let near = 2.0 * crank * c;
    let middle = 0.5 * (near + (long * long - short * short) / near);
    let half = (long * long - middle * middle).sqrt();
    let (o, centre) = ([0.0, 0.0], [crank, 0.0]);
    let (a, b, p, q) = (at(middle, half), at(middle, -half), at(near, 0.0), at(2.0 * middle - near, 0.0));

    // 1 kg per metre, all of them
    let mut bar = |name: &str, from: [f64; 2], to: [f64; 2]| {
        let length = (to[0] - from[0]).hypot(to[1] - from[1]);
        Bar::new(made, &mut m, name, length, from, to)
    };
    let (oa, ob) = (bar("OA", o, a), bar("OB", o, b));
    let (ap, bp) = (bar("AP", a, p), bar("BP", b, p));
    let (aq, bq) = (bar("AQ", a, q), bar("BQ", b, q));
    let cp = bar("CP", centre, p);
    for (name, first, second) in [
        ("O of OA", ground(o), oa.from()),
        ("O of OB", ground(o), ob.from()),
        ("C", ground(centre), cp.from()),
        ("A of AP", oa.to(), ap.from()),
        ("A of AQ", oa.to(), aq.from()),
        ("B of BP", ob.to(), bp.from()),
        ("B of BQ", ob.to(), bq.from()),
        ("P of AP", cp.to(), ap.to()),
        ("P of BP", cp.to(), bp.to()),
        ("Q", aq.to(), bq.to()),
    ] {
        pin(&mut m, name, first, second);
    }
    (m, Linkage { p: cp.to(), q: aq.to() })
}

fn samples(p: &Problem, book: &mut Book, made: Made) -> Result<(), Stop> {
    let (m, linkage) = mechanism(p, made);
    let mut track = Track::run(Simulation::build(m)?, p.times())?;
    let rows = track.read(|sim| {
        let ((r, v), (q, _)) = (sim.point(linkage.p), sim.point(linkage.q));
        vec![r.y.atan2(r.x), (r.x * v.y - r.y * v.x) / r.length_squared(), q.x, q.y]
    });
    book.columns(&rows);
    book.constant("total_energy", &track.energies(), p.scalar("total_energy"));
    book.at_most("joint gap", &track.gaps(), CLOSED);
    Ok(())
}

fn steps(p: &Problem, book: &mut Book, made: Made) -> Result<(), Stop> {
    let (m, linkage) = mechanism(p, made);
    let mut sim = Simulation::build(m)?;
    let (mut gaps, mut off, mut energies) = (Vec::new(), Vec::new(), Vec::new());
    fixed_steps(&mut sim, LONG, 1e-3, |sim| {
        gaps.push(sim.violation().0);
        off.push(sim.point(linkage.q).0.x - p.scalar("x_line"));
        energies.push(sim.energy().total());
    })?;
    book.at_most("steps of 1 ms: joint gap", &gaps, CLOSED);
    book.at_most("steps of 1 ms: Q off its line", &off, CLOSED);
    book.constant("steps of 1 ms: total_energy", &energies, p.scalar("total_energy"));
    Ok(())
}
