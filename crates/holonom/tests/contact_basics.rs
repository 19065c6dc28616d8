//! Contact, limits and ropes: the simplest cases by hand.

use holonom::prelude::*;

fn ground_and_ball(
    restitution: f64,
    friction: f64,
    velocity: [f64; 3],
    spin: [f64; 3],
    height: f64,
) -> (Simulation, BodyId) {
    let mut m = ModelBuilder::new();
    let r = 0.1;
    let i = 0.4 * r * r;
    let ball = m.body(
        "ball",
        Rigid::new(1.0, Mat3::from_diagonal(vec3(i, i, i)))
            .position([0.0, 0.0, r + height])
            .velocity(velocity)
            .spin(spin),
    );
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(friction).restitution(restitution));
    m.shape(ball.origin(), Shape::Sphere { radius: r }, Material::new(friction).restitution(restitution));
    (Simulation::build(m).unwrap(), ball)
}

#[test]
fn a_ball_dropped_bounces_at_the_right_times() {
    let (mut sim, ball) = ground_and_ball(0.8, 0.0, [0.0; 3], [0.0; 3], 1.0);
    let first = (2.0f64 / 9.81).sqrt();
    sim.run_until(first + 1e-6).unwrap();
    let v = sim.centre_velocity(ball).z;
    assert!((v - 0.8 * (2.0f64 * 9.81).sqrt()).abs() < 2e-5, "{v}");
    sim.run_until(5.0).unwrap();
    assert!((sim.centre(ball).z - 0.1).abs() < 1e-9, "{}", sim.centre(ball));
    assert!(sim.centre_velocity(ball).length() < 1e-9);
}

#[test]
fn what_is_pushed_during_a_step_does_not_pass_through() {
    // at rest when the step begins, and faster than its weight would make it: 1000 N on 1 kg, 0.2 m above the ground
    let mut m = ModelBuilder::new();
    let ball = m.body("ball", Rigid::ball(1.0, 0.1).position([0.0, 0.0, 0.3]));
    m.force("push", PointForce::new(ball.origin(), [0.0, 0.0, -1000.0]));
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(0.0));
    m.shape(ball.origin(), Shape::Sphere { radius: 0.1 }, Material::new(0.0));
    let mut sim = Simulation::build(m).unwrap();
    sim.step(0.1).unwrap();
    assert!((sim.centre(ball).z - 0.1).abs() < 1e-9, "{}", sim.centre(ball));
    assert!(sim.centre_velocity(ball).length() < 1e-9);
}

#[test]
fn a_ball_that_slips_begins_to_roll() {
    let (mut sim, ball) = ground_and_ball(0.0, 0.2, [2.0, 0.0, 0.0], [0.0; 3], 0.0);
    sim.run_until(1.0).unwrap();
    let v = sim.centre_velocity(ball);
    assert!((v - vec3(10.0 / 7.0, 0.0, 0.0)).length() < 1e-9, "{v}");
    let contact = &sim.contacts().unwrap()[0];
    assert!((contact.force.z - 9.81).abs() < 1e-9 && contact.slip.length() < 1e-9, "{contact:?}");
}

#[test]
fn stepping_agrees_with_the_laws() {
    let (mut sim, ball) = ground_and_ball(0.0, 0.2, [2.0, 0.0, 0.0], [0.0; 3], 0.0);
    sim.set_integrator(IntegratorKind::Stepping);
    sim.run_fixed(1.0, 1e-3).unwrap();
    let v = sim.centre_velocity(ball);
    assert!((v - vec3(10.0 / 7.0, 0.0, 0.0)).length() < 1e-9, "{v}");
    assert!((sim.centre(ball).z - 0.1).abs() < 1e-12);
    let contact = &sim.contacts().unwrap()[0];
    assert!((contact.force.z - 9.81).abs() < 1e-9, "{contact:?}");
}

#[test]
fn a_pendulum_stops_at_its_limit() {
    for kind in [IntegratorKind::default(), IntegratorKind::Stepping] {
        let mut m = ModelBuilder::new();
        let i = Mat3::from_diagonal(vec3(0.01, 0.01, 0.01));
        let bob = m.body("bob", Rigid::new(1.0, i).position([1.0, 0.0, 0.0]));
        let pin = m.joint(
            "pin",
            Revolute::new(
                m.marker(BodyId::GROUND, [0.0; 3], [0.0, 1.0, 0.0]),
                m.marker(bob, [0.0; 3], [0.0, 1.0, 0.0]),
            ),
        );
        let stop = m.joint("stop", Limit::new(m.coordinate(pin, 0), -2.0, 1.0));
        let mut sim = Simulation::build(m).unwrap();
        sim.set_integrator(kind);
        sim.run_fixed(2.0, 1e-3).unwrap();
        let (angle, rate) = sim.coordinate(pin, 0).unwrap();
        assert!((angle - 1.0).abs() < 1e-9 && rate.abs() < 1e-9, "{kind:?}: {angle} {rate}");
        let load = sim.multipliers_of(stop).unwrap()[1];
        assert!((load - 9.81 * 1.0f64.cos()).abs() < 1e-6, "{kind:?}: {load}");
    }
}
