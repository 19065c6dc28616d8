//! Impacts: a ball that bounces until it rests, a row of balls by both laws, a rod that hits the floor.

use super::book::{Book, Stop};
use super::happened::{sharp, watch};
use holonom::EventKind;
use holonom_cases::Problem;

pub(super) fn run(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    bounces(p, book)?;
    cradle(p, book)?;
    rod(p, book)
}

fn bounces(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    book.variant("bouncing ball");
    let staged = sharp("p19-bouncing-ball", &[], &[])?;
    let (ball, r) = (staged.body("ball")?, staged.parameter("r")?);
    let mut sim = staged.sim;
    let start = sim.state().clone();
    let events = watch(&mut sim, p.scalar("t_zeno") + 1.0)?;
    let impacts: Vec<f64> = events.iter().filter(|e| e.kind == EventKind::Impact).map(|e| e.time).collect();
    book.at_most("height at rest after the last bounce", &[sim.centre(ball).z - r], 1e-12);
    book.at_most("speed at rest", &[sim.centre_velocity(ball).length()], 1e-12);
    // bounces lower than what counts as touching are not told apart: they end a little early or late
    book.held_to(1e-5, |book| book.scalar("t_zeno: the last bounce", impacts.last().copied(), p.scalar("t_zeno")));
    sim.set_state(start);
    let mut rows = Vec::new();
    for pair in impacts.windows(2).take(p.samples.len()) {
        sim.run_until(0.5 * (pair[0] + pair[1]))?;
        let speed = sim.centre_velocity(ball).z;
        rows.push(vec![pair[0], sim.centre(ball).z - r + speed * speed / (2.0 * p.parameter("g"))]);
    }
    book.columns(&rows);
    Ok(())
}

fn cradle(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    let cases = [(2, 1.0), (2, 0.5), (2, 0.0), (3, 1.0), (3, 0.0), (5, 1.0), (5, 0.0)];
    for (variant, order, law) in [
        ("row of balls at once", "simultaneous", "simultaneous_newton"),
        ("row of balls in turn", "sequential", "sequential"),
    ] {
        book.variant(variant);
        for (n, e) in cases {
            let setting = format!("contact.order={order}");
            let staged = sharp("p19-cradle", &[("n", n as f64), ("e", e)], &[&setting])?;
            let balls = (1..=n).map(|k| staged.body(&format!("ball {k}"))).collect::<Result<Vec<_>, _>>()?;
            let mut sim = staged.sim;
            sim.run_until(0.15)?;
            let found: Vec<f64> = balls.iter().map(|b| sim.centre_velocity(*b).x).collect();
            let known = p.scalars_at(&format!("/cradle/n{n}_e{e:.1}/{law}"));
            book.series(&format!("{n} balls, e = {e}: velocities"), &found, &known);
            book.scalar(&format!("{n} balls, e = {e}: momentum"), Some(found.iter().sum()), 1.0);
        }
    }
    Ok(())
}

fn rod(p: &Problem, book: &mut Book) -> Result<(), Stop> {
    for (name, kind) in [("planar rod", "planar"), ("rigid rod", "rigid")] {
        book.variant(name);
        let setting = format!("body.rod.kind={kind}");
        let staged = sharp("p19-rod", &[("before", 0.0)], &[&setting])?;
        let tip = staged.sim.point(staged.point("rod.tip")?).1;
        book.series("rod_tip_pre", &tip.to_array()[..2], &p.scalars("rod_tip_pre"));
        let staged = sharp("p19-rod", &[], &[&setting])?;
        let rod = staged.body("rod")?;
        let before = staged.parameter("before")?;
        let mut sim = staged.sim;
        let events = watch(&mut sim, before + 0.01)?;
        let impact = events.iter().find(|e| e.kind == EventKind::Impact).map(|e| e.time);
        book.scalar("time of the impact", impact, before);
        let v = sim.centre_velocity(rod);
        let found = [v.x, v.y, sim.spin(rod).map_or(f64::NAN, |w| w.z)];
        book.series("rod_post", &found, &p.scalars("rod_post"));
    }
    Ok(())
}
