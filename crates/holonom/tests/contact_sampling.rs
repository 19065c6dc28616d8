//! Looking at motion with contact between its steps: samples are right on both sides of impacts, and looking changes nothing.

use holonom::prelude::*;
use holonom::{Friction, InequalityStatus};

/// A ball above a floor, thrown along it.
fn ball(restitution: f64, friction: f64, height: f64) -> (Model, BodyId) {
    let mut m = ModelBuilder::new();
    let (r, i) = (0.1, 0.4 * 0.1 * 0.1);
    let inertia = Mat3::from_diagonal(vec3(i, i, i));
    let ball = m.body("ball", Rigid::new(1.0, inertia).position([0.0, 0.0, r + height]).velocity([2.0, 0.0, 0.0]));
    let stuff = Material::new(friction).restitution(restitution);
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, stuff);
    m.shape(ball.origin(), Shape::Sphere { radius: r }, stuff);
    (m.build().unwrap(), ball)
}

#[test]
fn samples_are_right_on_both_sides_of_impacts() {
    // restitution 1 and no friction: a row of equal parabolas
    let (model, id) = ball(1.0, 0.0, 1.0);
    let mut sim = Simulation::new(model);
    let (fall, g) = ((2.0f64 / 9.81).sqrt(), 9.81);
    let (mut worst, mut worst_speed, mut n) = (0.0f64, 0.0f64, 0);
    sim.run_sampled(5.0, 0.001, |model, state| {
        let since = (state.t + fall) % (2.0 * fall) - fall;
        let at = model.centre(state, id);
        let speed = state.v[2];
        worst = worst.max((at.z - 0.1 - (1.0 - 0.5 * g * since * since)).abs()).max((at.x - 2.0 * state.t).abs());
        // at the moment of an impact both speeds are right
        if fall - since.abs() > 1e-6 {
            worst_speed = worst_speed.max((speed + g * since).abs());
        }
        n += 1;
    })
    .unwrap();
    assert_eq!(n, 5001);
    assert!(worst < 1e-9 && worst_speed < 1e-8, "{worst:e} m, {worst_speed:e} m/s");
}

#[test]
fn forces_of_samples_are_those_of_their_moment() {
    // slips until v = 10/7 m/s, then rolls
    let (model, id) = ball(0.0, 0.2, 0.0);
    let model = std::sync::Arc::new(model);
    let mut sim = Simulation::new(model.clone());
    let mut probe = Simulation::new(model);
    let rolls_at = (2.0 - 10.0 / 7.0) / (0.2 * 9.81);
    let mut seen = [0, 0];
    sim.run_sampled(1.0, 0.01, |_, state| {
        probe.set_state(state.clone());
        let v = probe.centre_velocity(id).x;
        let seen_now = probe.observe().unwrap();
        let all: Vec<_> = seen_now.contacts().collect();
        assert_eq!(all.len(), 1, "at {} s", state.t);
        let c = all[0];
        let slips = state.t < rolls_at;
        let drag = if slips { -0.2 * 9.81 } else { 0.0 };
        assert!((c.force - vec3(drag, 0.0, 9.81)).length() < 1e-9, "{} s: {c:?}", state.t);
        assert_eq!(c.friction, if slips { Friction::Slip } else { Friction::Stick }, "{} s", state.t);
        let expected = if slips { 2.0 - 0.2 * 9.81 * state.t } else { 10.0 / 7.0 };
        assert!((v - expected).abs() < 1e-9, "{} s: {v}", state.t);
        seen[slips as usize] += 1;
    })
    .unwrap();
    assert!(seen[0] > 20 && seen[1] > 20, "{seen:?}");
}

#[test]
fn looking_between_steps_changes_nothing() {
    for (restitution, friction, height) in [(0.7, 0.3, 0.5), (0.0, 0.2, 0.0), (1.0, 0.0, 1.0)] {
        let run = |every: Option<f64>| {
            let mut sim = Simulation::new(ball(restitution, friction, height).0);
            match every {
                None => sim.run_until(2.0).unwrap(),
                Some(every) => sim.run_sampled(2.0, every, |_, _| {}).unwrap(),
            };
            sim.state().hash()
        };
        let plain = run(None);
        for every in [0.1, 0.01, 0.000_7] {
            assert_eq!(plain, run(Some(every)), "restitution {restitution}, every {every} s");
        }
    }
}

#[test]
fn time_stepping_shows_contacts_that_a_curved_path_left_open() {
    // a box that topples over its edge: after a step its edge may be off the floor by second order
    let mut m = ModelBuilder::new();
    let size = vec3(0.2, 0.2, 1.0);
    let body = m.body(
        "box",
        Rigid::cuboid(1.0, size).position([0.0, 0.0, 0.5]).spin([0.0, 0.9, 0.0]).velocity([0.45, 0.0, 0.0]),
    );
    m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, Material::new(1.0));
    m.shape(body.origin(), Shape::Box { half: size / 2.0 }, Material::new(1.0));
    let mut sim = Simulation::build(m).unwrap();
    sim.set_integrator(IntegratorKind::Stepping);
    let (mut shown, mut acted) = (0, 0);
    for _ in 0..400 {
        let before = sim.centre_velocity(body).z;
        sim.step(1e-3).unwrap();
        // what accelerated it beside gravity is what the contacts show
        let pushed = (sim.centre_velocity(body).z - before) / 1e-3 + 9.81;
        let force: f64 = sim.contacts().unwrap().iter().map(|c| c.force.z).sum();
        acted += (pushed > 0.1) as usize;
        shown += (pushed > 0.1 && (force - pushed).abs() < 1e-3 * pushed) as usize;
    }
    assert!(acted > 200 && shown == acted, "{shown} of {acted} steps show their force");
}

#[test]
fn limits_ropes_and_friction_stand_as_they_do() {
    let mut m = ModelBuilder::new();
    let at = |x: f64| BodyId::GROUND.at([x, 0.0, 0.0]);
    // a pendulum on a stop: 1 kg at 1 m, held level
    let inertia = Mat3::from_diagonal(vec3(0.01, 0.01, 0.01));
    let bob = m.body("bob", Rigid::new(1.0, inertia).position([1.0, 0.0, 0.0]));
    let markers = [(BodyId::GROUND, [0.0; 3]), (bob, [0.0; 3])];
    let [a, b] = markers.map(|(body, at)| m.marker(body, at, [0.0, 1.0, 0.0]));
    let pin = m.joint("pin", Revolute::new(a, b));
    let stop = m.joint("stop", Limit::new(m.coordinate(pin, 0), -1.0, 0.0));
    let weight = m.body("weight", Particle::new(2.0, [3.0, 0.0, -1.0]));
    let rope = m.joint("rope", Rope::new(at(3.0), weight.origin(), 1.0));
    let slack = m.joint("slack", Rope::new(at(3.0), weight.origin(), 1.5));
    let mut sim = Simulation::build(m).unwrap();
    let seen = sim.observe().unwrap();
    let known = |joint| seen.inequality_status(joint).unwrap();
    let near = |a: InequalityStatus, load: f64, gap: f64, state: Friction| {
        assert!((a.load - load).abs() < 1e-9 && (a.gap.unwrap() - gap).abs() < 1e-12 && a.state == state, "{a:?}");
    };
    near(known(stop), -9.81, 0.0, Friction::Stick);
    near(known(rope), 2.0 * 9.81, 0.0, Friction::Stick);
    near(known(slack), 0.0, 0.5, Friction::None);
    assert!(seen.inequality_status(pin).is_none());
    assert_eq!(sim.model().n_multipliers(stop), 2);
}
