//! p19: a bouncing ball, a row of balls, a rod that hits the floor.

use super::{close, events_until, first, problem, stepped};
use holonom::prelude::*;
use holonom::{EventKind, ImpactLaw, ImpactOrder};

/// A particle, or a ball, dropped from 1 m above the floor.
fn dropped(radius: f64) -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    let material = Material::smooth().restitution(0.8);
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, material);
    let body = if radius > 0.0 {
        m.body("ball", Rigid::ball(1.0, radius).position([0.0, 0.0, 1.0 + radius]))
    } else {
        m.body("ball", Particle::new(1.0, [0.0, 0.0, 1.0]))
    };
    let shape = if radius > 0.0 { Shape::Sphere { radius } } else { Shape::Point };
    m.shape(body.origin(), shape, material);
    (Simulation::build(m).unwrap(), body)
}

#[test]
fn a_ball_bounces_until_it_rests() {
    let p = problem("p19");
    let zeno = p.scalar("t_zeno");
    for radius in [0.0, 0.1] {
        let (mut sim, ball) = dropped(radius);
        let events = events_until(&mut sim, zeno + 1.0);
        let impacts: Vec<f64> = events.iter().filter(|e| e.kind == EventKind::Impact).map(|e| e.time).collect();
        for (k, row) in p.samples.iter().enumerate() {
            close(&format!("{radius} impact {k}"), impacts[k], row[1], 1e-12);
        }
        // bounces become shorter until they are no higher than what counts as touching (1e-9 of the size), and then it rests
        assert!(impacts.len() < 200, "{}", impacts.len());
        close(&format!("{radius} end of the bounces"), *impacts.last().unwrap(), zeno, 1e-4);
        close(&format!("{radius} height at rest"), sim.centre(ball).z, radius, 1e-14);
        close(&format!("{radius} speed at rest"), sim.centre_velocity(ball).length(), 0.0, 1e-15);
        let (closed, last) = (first(&events, EventKind::Closes), impacts.last().unwrap());
        close(&format!("{radius} rest"), closed, *last, 1e-4);
        close("weight", sim.contacts().unwrap()[0].force.z, 9.81, 1e-12);
        // apexes, half way between impacts: the height there, and what the rest of the speed is worth
        let (mut sim, ball) = dropped(radius);
        for (k, row) in p.samples.iter().enumerate() {
            sim.run_until(0.5 * (impacts[k] + impacts[k + 1])).unwrap();
            let (z, v) = (sim.centre(ball).z - radius, sim.centre_velocity(ball).z);
            close(&format!("{radius} apex {k}"), z + v * v / (2.0 * 9.81), row[2], 1e-12);
        }
    }
}

#[test]
fn a_ball_bounces_until_it_rests_stepped() {
    let p = problem("p19");
    for radius in [0.0, 0.1] {
        let (sim, ball) = dropped(radius);
        let sim = stepped(sim, p.scalar("t_zeno") + 1.0, 1e-3);
        close(&format!("{radius} height at rest"), sim.centre(ball).z, radius, 1e-12);
        close(&format!("{radius} speed at rest"), sim.centre_velocity(ball).length(), 0.0, 1e-12);
        // impacts are late or early by up to a step, which changes the speed by up to g dt: apexes by v dt (1 + e)
        let mut sim = dropped(radius).0;
        sim.set_integrator(IntegratorKind::Stepping);
        let apex = 0.5 * (p.samples[0][1] + p.samples[1][1]);
        sim.run_fixed(apex, 1e-3).unwrap();
        let (z, v) = (sim.centre(ball).z - radius, sim.centre_velocity(ball).z);
        close(&format!("{radius} first apex"), z + v * v / (2.0 * 9.81), p.samples[0][2], 1.8 * 4.43 * 1e-3);
    }
}

/// Equal balls in a row, touching, without gravity; the first comes at 1 m/s from `away` metres.
fn cradle(n: usize, e: f64, away: f64, order: ImpactOrder) -> (Simulation, Vec<BodyId>) {
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let r = 0.125;
    let balls: Vec<BodyId> = (0..n)
        .map(|i| {
            let (x, v) = if i == 0 { (-away, 1.0) } else { (2.0 * r * i as f64, 0.0) };
            let ball = m.body(format!("ball {i}"), Rigid::ball(1.0, r).position([x, 0.0, 0.0]).velocity([v, 0.0, 0.0]));
            m.shape(ball.origin(), Shape::Sphere { radius: r }, Material::smooth().restitution(e));
            ball
        })
        .collect();
    let mut sim = Simulation::build(m).unwrap();
    sim.set_impacts(ImpactLaw { order, ..ImpactLaw::default() });
    (sim, balls)
}

#[test]
fn a_cradle_obeys_both_laws() {
    let p = problem("p19");
    let cases = [(2, 1.0), (2, 0.5), (2, 0.0), (3, 1.0), (3, 0.0), (5, 1.0), (5, 0.0)];
    for (n, e) in cases {
        for (order, law) in
            [(ImpactOrder::Simultaneous, "simultaneous_newton"), (ImpactOrder::Sequential, "sequential")]
        {
            let known = p.scalars_at(&format!("/cradle/n{n}_e{e:.1}/{law}"));
            for away in [0.0, 0.125] {
                let (mut sim, balls) = cradle(n, e, away, order);
                sim.run_until(away + 0.01).unwrap();
                let found: Vec<f64> = balls.iter().map(|b| sim.centre_velocity(*b).x).collect();
                for (k, known) in known.iter().enumerate() {
                    close(&format!("{n} balls, e = {e}, {law}, {away} m away, ball {k}"), found[k], *known, 1e-12);
                }
                close("momentum", found.iter().sum(), 1.0, 1e-14);
            }
        }
        // time stepping takes all contacts of a step at once
        let (sim, balls) = cradle(n, e, 0.0, ImpactOrder::Simultaneous);
        let sim = stepped(sim, 0.01, 1e-3);
        let known = p.scalars_at(&format!("/cradle/n{n}_e{e:.1}/simultaneous_newton"));
        for (k, ball) in balls.iter().enumerate() {
            close(&format!("{n} balls, e = {e}, stepped, ball {k}"), sim.centre_velocity(*ball).x, known[k], 1e-12);
        }
    }
}

/// A rod whose lower end hits the floor (y = 0) after the time `before`, without gravity.
fn rod(rigid: bool, before: f64) -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    m.gravity([0.0; 3]);
    let angle = std::f64::consts::FRAC_PI_4;
    let (x, y) = (0.5 * angle.cos() - 0.5 * before, 0.5 * angle.sin() + 2.0 * before);
    let turned = angle - before;
    let smooth = Material::smooth().restitution(0.5);
    m.shape(BodyId::GROUND.origin().along(Vec3::Y), Shape::HalfSpace, smooth);
    let rod = if rigid {
        let thin = 1.0 / 12.0;
        let rod = Rigid::principal(1.0, [1e-3, thin, thin]).position([x, y, 0.0]);
        m.body("rod", rod.orientation(Quat::from_rotation_z(turned)).velocity([0.5, -2.0, 0.0]).spin([0.0, 0.0, 1.0]))
    } else {
        m.body("rod", Planar::rod(1.0, 1.0).pose(x, y, turned).velocity(0.5, -2.0, 1.0))
    };
    m.shape(rod.at([-0.5, 0.0, 0.0]), Shape::Point, smooth);
    (Simulation::build(m).unwrap(), rod)
}

#[test]
fn a_rod_hits_the_floor() {
    let p = problem("p19");
    let post = p.scalars("rod_post");
    for rigid in [false, true] {
        for before in [0.0, 0.1] {
            let (mut sim, rod) = rod(rigid, before);
            let tip = rod.at([-0.5, 0.0, 0.0]);
            if before == 0.0 {
                let (_, v) = sim.point(tip);
                let pre = p.scalars("rod_tip_pre");
                close("tip before, x", v.x, pre[0], 1e-14);
                close("tip before, y", v.y, pre[1], 1e-14);
            }
            let events = events_until(&mut sim, before + 0.01);
            assert_eq!(events.iter().filter(|e| e.kind == EventKind::Impact).count(), 1, "{events:?}");
            close("time", events[0].time, before, 1e-13);
            let (v, w) = (sim.centre_velocity(rod), sim.spin(rod).unwrap());
            for (what, found, known) in [("vx", v.x, post[0]), ("vy", v.y, post[1]), ("omega", w.z, post[2])] {
                close(&format!("rigid {rigid}, {before} s before, {what}"), found, known, 1e-12);
            }
        }
        let (sim, rod) = rod(rigid, 0.0);
        let sim = stepped(sim, 0.01, 1e-3);
        let (v, w) = (sim.centre_velocity(rod), sim.spin(rod).unwrap());
        for (what, found, known) in [("vx", v.x, post[0]), ("vy", v.y, post[1]), ("omega", w.z, post[2])] {
            close(&format!("rigid {rigid}, stepped, {what}"), found, known, 1e-10);
        }
    }
}
