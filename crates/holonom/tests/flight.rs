//! Steps on velocities beside companies that nothing comes near: those keep the order of Runge-Kutta, whatever others
//! do, and meet what is thrown at them.

use holonom::math::Mat3;
use holonom::prelude::*;

/// A heavy top on a ball joint, 30 degrees off the vertical, alone or beside boxes that slide and tumble on the ground.
fn top(boxes: usize) -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    let tilt = 30f64.to_radians();
    let axis = vec3(tilt.sin(), 0.0, tilt.cos());
    let turn = Quat::from_rotation_y(tilt);
    let body = Rigid::new(1.0, Mat3::from_diagonal(vec3(2e-3, 2e-3, 1e-3)));
    let top = m.body("top", body.position(axis * 0.1 + Vec3::Z).orientation(turn).spin(axis * 150.0));
    m.joint("pivot", Spherical::new(BodyId::GROUND.at([0.0, 0.0, 1.0]), top.at([0.0, 0.0, -0.1])));
    m.shape(top.origin(), Shape::Sphere { radius: 0.02 }, Material::new(0.5));
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(0.5));
    for i in 0..boxes {
        let at = vec3(3.0 + i as f64, 0.0, 0.1 + 0.02 * i as f64);
        let stone = m.body(
            format!("stone{i}"),
            Rigid::cuboid(1.0, vec3(0.2, 0.2, 0.2)).position(at).velocity([0.0, 2.0, 0.0]).spin([1.0, 2.0, 3.0]),
        );
        m.shape(stone.origin(), Shape::Box { half: vec3(0.1, 0.1, 0.1) }, Material::new(0.5));
    }
    let mut sim = Simulation::build(m).unwrap();
    sim.set_integrator(IntegratorKind::Stepping);
    (sim, top)
}

/// Where a top is after some time is what the method of order 8 says, also beside boxes that touch all the time.
#[test]
fn a_top_spins_as_well_beside_boxes_that_touch() {
    let (mut reference, top_alone) = top(0);
    reference.set_integrator(IntegratorKind::default());
    reference.run_until(1.0).unwrap();
    let expected = reference.centre(top_alone);
    for boxes in [0, 1, 12] {
        let (mut sim, top) = top(boxes);
        let mut touching = 0;
        for _ in 0..1000 {
            touching += usize::from(sim.step(1e-3).unwrap().contacts > 0);
        }
        let off = (sim.centre(top) - expected).length();
        println!("{boxes} boxes: {off:.1e} m off, touching in {touching} of 1000 steps");
        assert!(boxes == 0 || touching > 900);
        assert!(off < 1e-8, "{boxes} boxes: {off:e} m off");
    }
}

/// Energy is accounted for, column by column, where some fly and some touch.
#[test]
fn the_ledger_closes_where_some_fly() {
    let (mut sim, _) = top(12);
    let energy = |sim: &mut Simulation| sim.energy().total();
    let start = energy(&mut sim);
    sim.run_fixed(1.0, 1e-3).unwrap();
    let (l, change) = (sim.ledger(), energy(&mut sim) - start);
    println!("{l:?}, change {change}");
    assert!(l.integrator.abs() < 1e-10 * start.abs(), "{l:?}");
}

/// A ball at rest in the air is hit by one that is shot up from the ground in the same step.
#[test]
fn what_flies_is_met_by_what_is_thrown_at_it() {
    let mut m = ModelBuilder::new();
    m.gravity([0.0, 0.0, 0.0]);
    let steel = Material::new(0.0).restitution(1.0);
    let ball = |m: &mut ModelBuilder, name: &str, x: f64, v: f64| {
        let body = m.body(name, Rigid::ball(1.0, 0.1).position([x, 0.0, 0.0]).velocity([v, 0.0, 0.0]));
        m.shape(body.origin(), Shape::Sphere { radius: 0.1 }, steel);
        body
    };
    // the first hits the second in the first step, which is then fast enough to reach the third in it
    let first = ball(&mut m, "first", -0.21, 40.0);
    let second = ball(&mut m, "second", 0.0, 0.0);
    let third = ball(&mut m, "third", 0.215, 0.0);
    let _beyond = ball(&mut m, "beyond", 40.0, 0.0);
    let mut sim = Simulation::build(m).unwrap();
    sim.set_integrator(IntegratorKind::Stepping);
    for _ in 0..20 {
        let report = sim.step(1e-3).unwrap();
        assert!(report.overlap < 1e-8, "{}", report.overlap);
    }
    let momentum: f64 = [first, second, third].iter().map(|b| sim.centre_velocity(*b).x).sum();
    assert!((momentum - 40.0).abs() < 1e-9 && sim.centre_velocity(third).x > 10.0, "{momentum}");
}
