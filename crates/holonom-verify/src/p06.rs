//! Double pendulum of point masses. As particles on massless rods, and as two dumb-bells with point masses at their
//! ends: the mass at the fixed pin does not move, and the two masses at the middle pin move as one. So (m1, m1/2) and
//! (m1/2, m2) make the same pendulum.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::sampled_run::{SampledRun, pendulum_angle};
use crate::scenes::{load, load_with};
use holonom::prelude::*;
use std::f64::consts::FRAC_PI_2;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    particles(p, compare)?;
    links(p, compare, "planar dumb-bells", "planar", Coordinates::Maximal)?;
    links(p, compare, "rigid dumb-bells", "rigid", Coordinates::Maximal)?;
    links(p, compare, "rigid, joint coordinates", "rigid", Coordinates::Joint)
}

fn particles(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let scene = load("p06-double-pendulum", &[])?;
    let (first, second) = (scene.body("first")?, scene.body("second")?);
    let mut sampled = SampledRun::run(scene.sim, p.times())?;

    compare.variant("particles on rods");
    let (mut before1, mut before2) = (FRAC_PI_2, FRAC_PI_2);
    let rows = sampled.read(|sim| {
        let ((r1, v1), (r2, v2)) = (sim.point(first.origin()), sim.point(second.origin()));
        let (angle1, rate1) = pendulum_angle(r1, v1, before1);
        let (angle2, rate2) = pendulum_angle(r2 - r1, v2 - v1, before2);
        (before1, before2) = (angle1, angle2);
        vec![angle1, angle2, rate1, rate2]
    });
    compare.columns(&rows);
    scalars(p, compare, &mut sampled);
    Ok(())
}

fn links(
    p: &Reference,
    compare: &mut Comparison,
    name: &'static str,
    kind: &str,
    coordinates: Coordinates,
) -> Result<(), VerifyError> {
    let kinds = [format!("body.upper.kind={kind}"), format!("body.lower.kind={kind}")];
    let scene = load_with("p06-dumb-bells", &[], &kinds.each_ref().map(String::as_str))?;
    let (shoulder, elbow) = (scene.joint("shoulder")?, scene.joint("elbow")?);
    let mut sim = scene.sim;
    sim.set_coordinates(coordinates)?;
    let mut sampled = SampledRun::run(sim, p.times())?;

    compare.variant(name);
    let rows = sampled.read(|sim| {
        let angle = |joint| sim.coordinate(joint, 0).unwrap_or((f64::NAN, f64::NAN));
        let ((a, a_rate), (b, b_rate)) = (angle(shoulder), angle(elbow));
        vec![FRAC_PI_2 + a, FRAC_PI_2 + a + b, a_rate, a_rate + b_rate]
    });
    compare.columns(&rows);
    scalars(p, compare, &mut sampled);
    Ok(())
}

fn scalars(p: &Reference, compare: &mut Comparison, sampled: &mut SampledRun) {
    compare.constant("total_energy", &sampled.energies(), p.scalar("total_energy"));
    compare.constant("joint gap", &sampled.gaps(), 0.0);
}
