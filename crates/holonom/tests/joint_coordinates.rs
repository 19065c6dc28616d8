//! Joint coordinates and maximal coordinates describe one motion; angles count their turns.

mod common;

use common::grow::Wish;
use common::spec::Spec;
use common::{Worst, for_mechanisms};
use holonom::JointId;
use holonom::joints::pairs;
use holonom::prelude::*;
use std::cell::RefCell;
use std::f64::consts::TAU;

/// Centres, axes and velocities of all bodies.
fn motion(sim: &Simulation) -> Vec<f64> {
    let mut x = sim.state().v.clone();
    for id in sim.model().bodies() {
        x.extend(sim.centre(id).to_array());
        x.extend(sim.axes(id).expect("rigid").to_cols_array());
    }
    x
}

/// The motion after `t` in both kinds of coordinates, or none when it comes to a singular pose.
fn both(spec: &Spec, t: f64) -> Option<(Vec<f64>, Vec<f64>, f64)> {
    let run = |coordinates| {
        let mut sim = spec.simulation();
        sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 });
        sim.set_coordinates(coordinates).expect("joints with charts");
        sim.set_drift(if coordinates == Coordinates::Joint { Drift::None } else { Drift::Project });
        sim.run_until(t).ok()?;
        // quaternions keep their sign along the way
        let coordinates = [motion(&sim), sim.state().q.clone()].concat();
        Some((coordinates, sim.violation().0))
    };
    let (maximal, joint) = (run(Coordinates::Maximal)?, run(Coordinates::Joint)?);
    Some((maximal.0, joint.0, joint.1))
}

#[test]
fn joint_coordinates_follow_the_same_motion() {
    let seen = RefCell::new(vec![0; pairs().len()]);
    for_mechanisms("coordinates", 0.5, Wish { most: 4, ..Wish::CHARTS }, |spec, worst| {
        let Some((maximal, joint, gap)) = both(&spec.smooth(), 1.0) else {
            worst.note("singular on the way", 1.0);
            return Ok(());
        };
        spec.joints.iter().for_each(|j| seen.borrow_mut()[j.kind] += 1);
        worst.at_most("difference after 1 s", common::difference(&maximal, &joint), 1e-8)?;
        // nothing corrects drift here: there is none
        worst.at_most("gap in joint coordinates", gap, 1e-12)
    });
    for (joint, &n) in pairs().iter().zip(seen.borrow().iter()) {
        let has_chart = !["distance", "constant-velocity"].contains(&joint.name());
        assert_eq!(n > 0, has_chart, "{} was met {n} times", joint.name());
    }
    println!("joints met: {:?}", seen.borrow());
}

#[test]
fn what_has_no_chart_is_refused_by_name() {
    let mut m = ModelBuilder::new();
    let bob = m.body("bob", Particle::new(1.0, [1.0, 0.0, 0.0]));
    m.joint("rod", Distance::new(BodyId::GROUND.origin(), bob.origin(), 1.0));
    let mut sim = Simulation::build(m).expect("valid");
    let e = sim.set_coordinates(Coordinates::Joint).expect_err("a particle").to_string();
    assert!(e.contains("`bob`") && e.contains("particle"), "{e}");

    let mut m = ModelBuilder::new();
    let ball = m.body("ball", Rigid::ball(1.0, 0.1).position([1.0, 0.0, 0.0]));
    m.joint("rod", Distance::new(BodyId::GROUND.origin(), ball.origin(), 1.0));
    let mut sim = Simulation::build(m).expect("valid");
    let e = sim.set_coordinates(Coordinates::Joint).expect_err("a rod").to_string();
    assert!(e.contains("`rod`") && e.contains("distance"), "{e}");

    let mut m = ModelBuilder::new();
    let ball = m.body("ball", Rigid::ball(1.0, 0.1));
    m.joint("socket", Spherical::new(BodyId::GROUND.origin(), ball.origin()));
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_coordinates(Coordinates::Joint).expect("a tree of rigid bodies");
    sim.set_integrator(IntegratorKind::Rattle);
    let before = sim.state().hash();
    let e = sim.step(1e-3).expect_err("not a Runge-Kutta method").to_string();
    assert!(e.contains("`rattle`") && e.contains("rk4"), "{e}");
    assert_eq!(sim.state().hash(), before, "a refused step changed the state");
}

/// A rotor on a hinge, driven by a constant torque of `torque` about z; moment of inertia 0.5 kg m^2.
fn rotor(torque: f64) -> (ModelBuilder, JointId) {
    let mut m = ModelBuilder::new();
    let disc = m.body("disc", Rigid::cylinder(1.0, 1.0, 0.1));
    let hinge = m.joint("hinge", Revolute::new(BodyId::GROUND.origin(), disc.origin()));
    m.force("motor", Torque::new(disc, [0.0, 0.0, torque]));
    (m, hinge)
}

const RUNS: [(&str, Coordinates); 6] = [
    ("euler", Coordinates::Maximal),
    ("rk4", Coordinates::Maximal),
    ("rattle", Coordinates::Maximal),
    ("dop853", Coordinates::Maximal),
    ("rk4", Coordinates::Joint),
    ("dop853", Coordinates::Joint),
];

#[test]
fn twenty_turns_are_counted() {
    let worst = Worst::default();
    for sign in [1.0, -1.0] {
        // 20 turns in 4 s
        let acceleration = sign * 40.0 * TAU / 16.0;
        for (name, coordinates) in RUNS {
            for adaptive in [false, true] {
                let (m, hinge) = rotor(0.5 * acceleration);
                let mut sim = Simulation::build(m).expect("valid");
                sim.set_integrator(IntegratorKind::from_name(name).expect("known"));
                sim.set_coordinates(coordinates).expect("a tree of rigid bodies");
                if adaptive { sim.run_until(4.0) } else { sim.run_fixed(4.0, 2e-3) }.expect("regular");
                let (angle, rate) = sim.coordinate(hinge, 0).expect("an angle");
                let error = (angle - sign * 20.0 * TAU).abs();
                // the integrator's own error; a turn missed would be 6
                let allowed = if name == "dop853" { 1e-8 } else { 0.1 };
                assert!(error < allowed, "{name} {coordinates:?}: {} turns", angle / TAU);
                worst.note(name, error);
                worst.note("rate", (rate - acceleration * 4.0).abs());
            }
        }
    }
    worst.print("turns");
}

/// A pendulum thrown over the top again and again: the rate is not uniform, and steps may be long.
#[test]
fn turns_of_a_pendulum_are_counted() {
    let angles = |integrator: IntegratorKind, max_step: f64| {
        let mut m = ModelBuilder::new();
        let axis = [0.0, 1.0, 0.0];
        let rod = Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]);
        let rod = m.body("rod", rod.spin([0.0, -9.0, 0.0]).velocity([0.0, 0.0, 4.5]));
        let hinge =
            m.joint("hinge", Revolute::new(BodyId::GROUND.origin().along(axis), rod.at([-0.5, 0.0, 0.0]).along(axis)));
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(integrator);
        sim.set_max_step(max_step);
        sim.run_until(5.0).expect("regular");
        sim.coordinate(hinge, 0).expect("an angle").0
    };
    let fine = angles(IntegratorKind::default(), 1e-3);
    assert!(fine < -4.0 * TAU, "{} turns", fine / TAU);
    for (name, integrator, step) in [
        ("rk4", IntegratorKind::RungeKutta4, 0.1),
        ("dop853", IntegratorKind::default(), 0.1),
        ("dop853 loose", IntegratorKind::Dop853 { relative: 1e-5, absolute: 1e-5 }, 1.0),
    ] {
        let found = angles(integrator, step);
        assert!((found - fine).abs() < 0.05, "{name}: {} turns, not {}", found / TAU, fine / TAU);
    }
}

/// Dragged by hand, without inertia: turns are counted there as well.
#[test]
fn turns_of_a_dragged_rotor_are_counted() {
    for sign in [1.0, -1.0] {
        let (m, hinge) = rotor(0.0);
        let mut sim = Simulation::build(m).expect("valid");
        let rim = BodyId::from_index(0).at([1.0, 0.0, 0.0]);
        let mut last = 0.0;
        while sim.coordinate(hinge, 0).expect("an angle").0.abs() < 3.0 * TAU {
            // push along the rim
            let along = Vec3::Z.cross(sim.point(rim).0) * sign;
            sim.kinematic_step(&[(rim, along)], 0.05).expect("regular");
            let (angle, rate) = sim.coordinate(hinge, 0).expect("an angle");
            assert!((angle - last - 0.05 * rate).abs() < 0.05, "from {last} to {angle} rad at {rate} rad/s");
            last = angle;
        }
        assert!(last * sign > 0.0, "{last} rad");
    }
}

/// States between steps carry the turns of their own time.
#[test]
fn sampled_states_carry_their_own_turns() {
    let acceleration = 40.0 * TAU / 16.0;
    let (m, hinge) = rotor(0.5 * acceleration);
    let mut sim = Simulation::build(m).expect("valid");
    let (m, _) = rotor(0.5 * acceleration);
    let mut seen = Simulation::build(m).expect("valid");
    let mut worst: f64 = 0.0;
    let run = sim.run_sampled(4.0, 0.01, |_, state| {
        seen.set_state(state.clone());
        let (angle, _) = seen.coordinate(hinge, 0).expect("an angle");
        worst = worst.max((angle - 0.5 * acceleration * state.t * state.t).abs());
    });
    run.expect("regular");
    println!("sampled angle: {worst:.2e}");
    assert!(worst < 1e-6, "a sampled angle is off by {worst} rad");
}
