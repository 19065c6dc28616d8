//! Impacts: a ball that bounces until it rests, a row of balls by both laws, a rod that hits the floor.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::events::{sharp, watch};
use holonom::EventKind;

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    bounces(p, compare)?;
    cradle(p, compare)?;
    rod(p, compare)
}

fn bounces(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    compare.variant("bouncing ball");
    let loaded = sharp("p19-bouncing-ball", &[], &[])?;
    let (ball, r) = (loaded.body("ball")?, loaded.parameter("r")?);
    let mut sim = loaded.sim;
    let start = sim.state().clone();
    let events = watch(&mut sim, p.scalar("t_zeno") + 1.0)?;
    let impacts: Vec<f64> = events.iter().filter(|e| e.kind == EventKind::Impact).map(|e| e.time).collect();
    compare.at_most("height at rest after the last bounce", &[sim.centre(ball).z - r], 1e-12);
    compare.at_most("speed at rest", &[sim.centre_velocity(ball).length()], 1e-12);
    // bounces lower than what counts as touching are not told apart: they end a little early or late
    compare.held_to(1e-5, |compare| {
        compare.scalar("t_zeno: the last bounce", impacts.last().copied(), p.scalar("t_zeno"))
    });
    sim.set_state(start);
    let mut rows = Vec::new();
    for pair in impacts.windows(2).take(p.samples.len()) {
        sim.run_until(0.5 * (pair[0] + pair[1]))?;
        let speed = sim.centre_velocity(ball).z;
        rows.push(vec![pair[0], sim.centre(ball).z - r + speed * speed / (2.0 * p.parameter("g"))]);
    }
    compare.columns(&rows);
    Ok(())
}

fn cradle(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    let cases = [(2, 1.0), (2, 0.5), (2, 0.0), (3, 1.0), (3, 0.0), (5, 1.0), (5, 0.0)];
    for (variant, order, law) in [
        ("row of balls at once", "simultaneous", "simultaneous_newton"),
        ("row of balls in turn", "sequential", "sequential"),
    ] {
        compare.variant(variant);
        for (n, e) in cases {
            let setting = format!("contact.order={order}");
            let loaded = sharp("p19-cradle", &[("n", n as f64), ("e", e)], &[&setting])?;
            let balls = (1..=n).map(|k| loaded.body(&format!("ball {k}"))).collect::<Result<Vec<_>, _>>()?;
            let mut sim = loaded.sim;
            sim.run_until(0.15)?;
            let found: Vec<f64> = balls.iter().map(|b| sim.centre_velocity(*b).x).collect();
            let known = p.scalars_at(&format!("/cradle/n{n}_e{e:.1}/{law}"));
            compare.series(&format!("{n} balls, e = {e}: velocities"), &found, &known);
            compare.scalar(&format!("{n} balls, e = {e}: momentum"), Some(found.iter().sum()), 1.0);
        }
    }
    Ok(())
}

fn rod(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    for (name, kind) in [("planar rod", "planar"), ("rigid rod", "rigid")] {
        compare.variant(name);
        let setting = format!("body.rod.kind={kind}");
        let loaded = sharp("p19-rod", &[("before", 0.0)], &[&setting])?;
        let tip = loaded.sim.point(loaded.point("rod.tip")?).1;
        compare.series("rod_tip_pre", &tip.to_array()[..2], &p.scalars("rod_tip_pre"));
        let loaded = sharp("p19-rod", &[], &[&setting])?;
        let rod = loaded.body("rod")?;
        let before = loaded.parameter("before")?;
        let mut sim = loaded.sim;
        let events = watch(&mut sim, before + 0.01)?;
        let impact = events.iter().find(|e| e.kind == EventKind::Impact).map(|e| e.time);
        compare.scalar("time of the impact", impact, before);
        let v = sim.centre_velocity(rod);
        let found = [v.x, v.y, sim.spin(rod).map_or(f64::NAN, |w| w.z)];
        compare.series("rod_post", &found, &p.scalars("rod_post"));
    }
    Ok(())
}
