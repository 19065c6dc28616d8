//! Double pendulum of point masses. As particles on massless rods, and as two dumb-bells with point masses at their ends: the mass at the
//! fixed pin does not move, and the two masses at the middle pin move as one. So (m1, m1/2) and (m1/2, m2) make the same pendulum.

use super::book::{Book, Stop};
use super::scenes::{stage, stage_as};
use super::track::{Track, swing};
use holonom::prelude::*;
use holonom_cases::Problem;
use std::f64::consts::FRAC_PI_2;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    particles(p, book)?;
    links(p, book, "planar dumb-bells", "planar", Coordinates::Maximal)?;
    links(p, book, "rigid dumb-bells", "rigid", Coordinates::Maximal)?;
    links(p, book, "rigid, joint coordinates", "rigid", Coordinates::Joint)
}

fn particles(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let scene = stage("p06-double-pendulum", &[])?;
    let (first, second) = (scene.body("first")?, scene.body("second")?);
    let mut track = Track::run(scene.sim, p.times())?;

    book.variant("particles on rods");
    let (mut before1, mut before2) = (FRAC_PI_2, FRAC_PI_2);
    let rows = track.read(|sim| {
        let ((r1, v1), (r2, v2)) = (sim.point(first.origin()), sim.point(second.origin()));
        let (angle1, rate1) = swing(r1, v1, before1);
        let (angle2, rate2) = swing(r2 - r1, v2 - v1, before2);
        (before1, before2) = (angle1, angle2);
        vec![angle1, angle2, rate1, rate2]
    });
    book.columns(&rows);
    scalars(p, book, &mut track);
    Ok(())
}

fn links(p: &Problem, book: &mut Book, name: &'static str, kind: &str, coordinates: Coordinates) -> Result<(), Stop> {
    let kinds = [format!("body.upper.kind={kind}"), format!("body.lower.kind={kind}")];
    let scene = stage_as("p06-dumb-bells", &[], &kinds.each_ref().map(String::as_str))?;
    let (shoulder, elbow) = (scene.joint("shoulder")?, scene.joint("elbow")?);
    let mut sim = scene.sim;
    sim.set_coordinates(coordinates)?;
    let mut track = Track::run(sim, p.times())?;

    book.variant(name);
    let rows = track.read(|sim| {
        let mut angle = |joint| sim.coordinate(joint, 0).unwrap_or((f64::NAN, f64::NAN));
        let ((a, a_rate), (b, b_rate)) = (angle(shoulder), angle(elbow));
        vec![FRAC_PI_2 + a, FRAC_PI_2 + a + b, a_rate, a_rate + b_rate]
    });
    book.columns(&rows);
    scalars(p, book, &mut track);
    Ok(())
}

fn scalars(p: &Problem, book: &mut Book, track: &mut Track) {
    book.constant("total_energy", &track.energies(), p.scalar("total_energy"));
    book.constant("joint gap", &track.gaps(), 0.0);
}
