//! Looking at a run between its steps changes nothing, and one look gives what single questions give.

use holonom::prelude::*;
use holonom::{JointId, ObservationDepth};

fn pendulum() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let y = [0.0, 1.0, 0.0];
    let arm = m.body("arm", Rigid::cuboid(2.0, [1.0, 0.1, 0.1]).centre([0.1, 0.0, 0.0]).position([0.5, 0.0, 0.0]));
    let bob = m.body("bob", Particle::new(1.0, [1.0, 0.0, -0.5]));
    m.joint("pin", Revolute::new(BodyId::GROUND.origin().along(y), arm.at([-0.5, 0.0, 0.0]).along(y)));
    m.joint("cable", Distance::new(arm.at([0.5, 0.0, 0.0]), bob.origin(), 0.5));
    m.force("spring", Spring::new(BodyId::GROUND.origin(), bob.origin(), 20.0, 0.4).damping(0.3));
    m
}

#[test]
fn single_steps_are_the_steps_of_a_run() {
    let mut whole = Simulation::build(pendulum()).expect("valid");
    whole.run_until(2.0).expect("runs");
    let mut single = Simulation::build(pendulum()).expect("valid");
    let (mut before, mut sample) = (single.state().clone(), single.state().clone());
    let mut times = Vec::new();
    while single.time() < 2.0 {
        before.clone_from(single.state());
        let report = single.step_towards(2.0).expect("steps");
        let end = single.time();
        let inside = (1..).map(|k| 0.013 * k as f64).skip_while(|t| *t <= before.t).take_while(|t| *t < end);
        let bits = single.state().hash();
        single
            .sample_step(&before, report.step, inside, &mut sample, |s| times.push((s.t, s.hash())))
            .expect("samples");
        assert_eq!(bits, single.state().hash());
        // questions in between do no harm either
        single.observe().expect("solvable");
    }
    assert_eq!(single.state().hash(), whole.state().hash());
    let mut sampled = Simulation::build(pendulum()).expect("valid");
    let mut all = Vec::new();
    sampled.run_sampled(2.0, 0.013, |_, s| all.push((s.t, s.hash()))).expect("runs");
    assert_eq!(times, all[1..all.len() - 1], "start and end are not inside");
    assert!(Simulation::build(pendulum()).expect("valid").step_towards(0.0).is_err(), "no time left");
    single.set_integrator(IntegratorKind::RungeKutta4);
    assert!(single.step_towards(3.0).is_err(), "cannot choose its steps");
}

#[test]
fn one_look_gives_what_single_questions_give() {
    let mut sim = Simulation::build(pendulum()).expect("valid");
    sim.run_until(0.7).expect("runs");
    let model = sim.model().clone();
    let (arm, pin) = (model.body("arm").expect("there"), model.joint("pin").expect("there"));
    let (reaction, coordinate) = (sim.reaction(pin).expect("solvable"), sim.coordinate(pin, 0));
    let (centre, velocity, spin) = (sim.centre(arm), sim.centre_velocity(arm), sim.spin(arm));
    let tip = arm.at([0.5, 0.0, 0.0]);
    let (at, rate) = sim.point(tip);
    let axes = sim.axes(arm).expect("rigid");
    let mut seen = sim.observe().expect("solvable");
    assert_eq!(seen.reaction(pin), reaction);
    assert_eq!(seen.coordinate(pin, 0), coordinate);
    assert_eq!(seen.coordinate(pin, 1), None);
    assert_eq!(seen.centre(arm), (centre, velocity));
    let moving = seen.point(tip).expect("carried");
    assert_eq!((moving.at, moving.velocity), (at, rate));
    assert_eq!(seen.spin(arm).map(|m| m.velocity), spin);
    let turned = Mat3::from_quat(seen.orientation(arm).expect("rigid"));
    assert!((0..3).all(|k| (turned.col(k) - axes.col(k)).length() < 1e-14));
    assert!(seen.spin(model.body("bob").expect("there")).is_none(), "a particle does not turn");
    assert!(seen.residual().largest() < 1e-10 && seen.rank_deficiency().unwrap_or(0) == 0);
}

/// At rest and horizontal, a rod follows its weight by f = m v with the rate torque / moment of inertia, times one second.
#[test]
fn without_inertia_bodies_follow_their_weight_until_they_hang() {
    let mut m = ModelBuilder::new();
    let y = [0.0, 1.0, 0.0];
    let rod = m.body("rod", Rigid::cuboid(3.0, [1.0, 1e-3, 1e-3]).position([0.5, 0.0, 0.0]));
    let pin = m.joint("pin", Revolute::new(BodyId::GROUND.origin().along(y), rod.at([-0.5, 0.0, 0.0]).along(y)));
    let mut sim = Simulation::build(m).expect("valid");
    sim.kinematic_step_under_forces(1e-6).expect("follows");
    let (_, rate) = sim.coordinate(pin, 0).expect("a hinge");
    assert!((rate - 1.5 * 9.81).abs() < 1e-3, "{rate}");
    for _ in 0..4000 {
        sim.kinematic_step_under_forces(1e-3).expect("follows");
    }
    let (angle, rate) = sim.coordinate(pin, 0).expect("a hinge");
    assert!((angle - std::f64::consts::FRAC_PI_2).abs() < 1e-12 && rate.abs() < 1e-12, "{angle} {rate}");
    let ledger = sim.ledger();
    assert!((ledger.imposed - ledger.change).abs() < 1e-9, "all of it is imposed");
    // without forces nothing moves
    let before = sim.state().q.clone();
    sim.kinematic_step(&[], 0.1).expect("stays");
    let moved = before.iter().zip(&sim.state().q).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(moved < 1e-14, "but for rounding: {moved:e}");
}

/// Second derivatives of joint coordinates, against differences of the rates along the motion: on a hinge, a slide and
/// a universal joint that all move.
#[test]
fn accelerations_of_coordinates() {
    let mut m = ModelBuilder::new();
    let arm = m.body("arm", Rigid::cuboid(2.0, [1.0, 0.1, 0.2]).position([0.5, 0.0, 0.0]));
    let sled = m.body("sled", Rigid::cuboid(1.0, [0.2, 0.2, 0.2]).position([0.8, 0.0, 0.0]));
    let fork = m.body("fork", Rigid::cuboid(0.5, [0.4, 0.1, 0.1]).position([1.2, 0.0, 0.0]).spin([0.0, 1.0, 2.0]));
    let (x, y, z) = (Vec3::X, Vec3::Y, Vec3::Z);
    m.joint("pin", Revolute::new(BodyId::GROUND.origin().along(y), arm.at([-0.5, 0.0, 0.0]).along(y)));
    m.joint("slide", Prismatic::new(arm.at([0.3, 0.0, 0.0]).along(x), sled.origin().along(x)));
    m.joint("cross", Universal::new(sled.at([0.2, 0.0, 0.0]).along(y), fork.at([-0.2, 0.0, 0.0]).along(z)));
    let mut sim = Simulation::build(m).expect("valid");
    sim.run_until(0.3).expect("regular");
    let joints = ["pin", "slide", "cross"].map(|name| sim.model().joint(name).expect("by name"));
    let read = |sim: &mut Simulation, h: f64| -> Vec<(f64, f64)> {
        let mut at = Simulation::new(sim.model().clone());
        at.set_state(sim.state().clone());
        if h != 0.0 {
            at.run_fixed(at.time() + h, h).expect("regular");
        }
        let seen = at.observe().expect("regular");
        let of = |j: &JointId| -> Vec<(f64, f64)> {
            let count = (0..).map_while(|i| seen.coordinate(*j, i).map(|c| (i, c.1)));
            count.map(|(i, rate)| (rate, seen.coordinate_acceleration(*j, i).expect("there"))).collect()
        };
        joints.iter().flat_map(of).collect()
    };
    let (now, h) = (read(&mut sim, 0.0), 1e-3);
    let (one, two) = (read(&mut sim, h), read(&mut sim, 2.0 * h));
    assert!(now.len() >= 4 && now.iter().filter(|c| c.1.abs() > 1e-3).count() >= 3, "{now:?}");
    for ((a, b), c) in now.iter().zip(&one).zip(&two) {
        // forward difference of the second order: - h^2 / 3 of a third derivative is left
        let difference = (4.0 * b.0 - 3.0 * a.0 - c.0) / (2.0 * h);
        assert!((difference - a.1).abs() < 1e-3 * (1.0 + a.1.abs()), "{difference} against {}", a.1);
    }
    assert!(sim.observe().expect("regular").coordinate_acceleration(joints[0], 1).is_none());
}

/// Looking at places solves nothing: what needs forces is NaN or missing, the rest is as ever.
#[test]
fn places_alone() {
    let mut m = ModelBuilder::new();
    let bob = m.body("bob", Rigid::ball(1.0, 0.1).position([0.0, 1.0, 0.0]).velocity([1.0, 0.0, 0.0]));
    let rod = m.joint("rod", Distance::new(BodyId::GROUND.origin(), bob.origin(), 1.0));
    let mut sim = Simulation::build(m).expect("valid");
    let mut seen = sim.observe_partly(ObservationDepth::Places);
    let there = seen.point(bob.origin()).expect("carried");
    assert_eq!((there.at, there.velocity), (Vec3::new(0.0, 1.0, 0.0), Vec3::new(1.0, 0.0, 0.0)));
    assert!(there.acceleration.is_nan() && seen.reaction(rod).force.is_nan() && seen.multipliers(rod).is_empty());
    assert!(seen.failure().is_none() && seen.residual().largest().is_nan() && seen.rank_deficiency().is_none());
    let mut whole = sim.observe_partly(ObservationDepth::LeastLoads);
    assert!(whole.failure().is_none() && whole.reaction(rod).force.is_finite());
}
