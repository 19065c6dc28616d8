//! Joint coordinates and maximal coordinates describe one motion; angles count their turns.

#[path = "common/closed.rs"]
mod closed;
mod common;

use closed::{Closed, closed};
use common::grow::Wish;
use common::spec::{Kind, Spec};
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
        let has_chart = joint.name() != "distance";
        assert_eq!(n > 0, has_chart, "{} was met {n} times", joint.name());
    }
    println!("joints met: {:?}", seen.borrow());
}

/// State after `t` in both kinds of coordinates, gaps and errors of energy of the second, and the joints it cuts; none
/// when the motion comes to a singular pose, or is so wild that its steps become very short.
#[expect(clippy::type_complexity)]
fn states(spec: &Spec, t: f64) -> Option<([Vec<f64>; 2], (f64, f64), f64, Vec<JointId>)> {
    let run = |coordinates| {
        let mut sim = spec.simulation();
        sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-13, absolute: 1e-13 });
        sim.set_coordinates(coordinates).expect("any model");
        let start = sim.energy();
        while sim.time() < t {
            let left = t - sim.time();
            if sim.step_towards(t).ok()?.step < 1e-5_f64.min(left) {
                return None;
            }
        }
        let (l, end) = (sim.ledger(), sim.energy());
        let scale =
            end.kinetic.max(start.kinetic) + l.forces.iter().map(|f| f.abs()).sum::<f64>() + start.gravity.abs();
        let lost = (l.integrator.abs() + l.projection.abs()) / scale.max(1e-300);
        let state = [&sim.state().q[..], &sim.state().v].concat();
        Some((state, sim.violation(), lost, sim.cut_joints()))
    };
    let (maximal, joint) = (run(Coordinates::Maximal)?, run(Coordinates::Joint)?);
    assert!(maximal.3.is_empty(), "cut in maximal coordinates");
    Some(([maximal.0, joint.0], joint.1, joint.2, joint.3))
}

/// Trees of all kinds of bodies: those in planes and points follow what their joints leave them, and bodies that deform
/// move by their own coordinates.
#[test]
fn mixed_bodies_follow_the_same_motion() {
    let met = RefCell::new(std::collections::BTreeMap::new());
    for_mechanisms("mixed", 0.4, Wish { most: 5, ..Wish::ANY }, |spec, worst| {
        let spec = spec.smooth();
        let Some(([maximal, joint], (gap, gap_rate), lost, cuts)) = states(&spec, 0.4) else {
            worst.note("singular on the way", 1.0);
            return Ok(());
        };
        for (k, j) in spec.joints.iter().enumerate() {
            let kinds = [j.a, j.b].map(|m| m.body.index().map(|i| spec.bodies[i].kind));
            let cut = cuts.iter().any(|c| c.index() == k);
            for kind in kinds.into_iter().flatten() {
                *met.borrow_mut().entry(format!("{kind:?}, {}", if cut { "cut" } else { "followed" })).or_insert(0) +=
                    1;
            }
            // deforming bodies have coordinates that no chart knows
            let deforms = |k: &Option<Kind>| matches!(k, Some(Kind::Affine | Kind::Uniform | Kind::PerAxis));
            if kinds.iter().any(deforms) {
                assert!(cut, "joint {k} of {spec:?}");
            }
        }
        worst.at_most("difference", common::difference(&maximal, &joint), 1e-8)?;
        worst.at_most("gap", gap, 1e-12)?;
        worst.at_most("gap rate", gap_rate, 1e-11)?;
        worst.at_most("energy", lost, 1e-9)
    });
    println!("{:?}", met.borrow());
    for kind in ["Rigid", "Planar", "Particle"] {
        let n = met.borrow().get(&format!("{kind}, followed")).copied().unwrap_or(0);
        assert!(n > 10, "{n} joints of {kind} bodies were followed");
    }
}

/// Loops are cut by the engine: a forest is followed, the rest is closed by projection.
#[test]
fn loops_follow_the_same_motion() {
    let worst = Worst::default();
    let (mut run, mut loops, mut followed) = (0, 0, 0);
    for number in 0..common::config(0.12).cases as u64 {
        let spec = closed(number, Closed { most: 6, rigid: number % 2 == 0, closing: 2, full_rank: true });
        let Some(([maximal, joint], (gap, gap_rate), lost, cuts)) = states(&spec, 0.2) else { continue };
        run += 1;
        loops += usize::from(spec.joints.len() > spec.bodies.len() && !cuts.is_empty());
        followed += spec.joints.len() - cuts.len();
        let print = |e| panic!("mechanism {number}: {e}");
        worst.at_most("difference", common::difference(&maximal, &joint), 1e-8).unwrap_or_else(print);
        worst.at_most("gap", gap, 1e-12).unwrap_or_else(print);
        worst.at_most("gap rate", gap_rate, 1e-11).unwrap_or_else(print);
        worst.at_most("energy", lost, 1e-9).unwrap_or_else(print);
    }
    worst.print("loops");
    println!("{run} run, {loops} with loops, {followed} joints followed");
    assert!(run > 30 && loops > 15 && followed > run, "{run} run, {loops} with loops, {followed} joints followed");
}

/// A four-bar linkage, by hand: one joint is cut, the crank's three neighbours are followed, and a long run in long
/// steps stays closed.
#[test]
fn a_linkage_stays_closed() {
    let axis = [0.0, 1.0, 0.0];
    let mut m = ModelBuilder::new();
    let (a, b, c, d) = ([0.0; 3], [0.0, 0.0, 0.4], [1.2, 0.0, 0.9], [1.0, 0.0, 0.0]);
    let bar = |m: &mut ModelBuilder, name: &str, from: [f64; 3], to: [f64; 3]| {
        let (from, to) = (Vec3::from(from), Vec3::from(to));
        let r = (to - from) * 0.5;
        let body = m.body(name, Rigid::ball(1.0, 0.2).position(from + r));
        (body.at(-r).along(axis), body.at(r).along(axis))
    };
    let (crank, coupler, rocker) =
        (bar(&mut m, "crank", a, b), bar(&mut m, "coupler", b, c), bar(&mut m, "rocker", c, d));
    let (ground_a, ground_d) = (BodyId::GROUND.at(a).along(axis), BodyId::GROUND.at(d).along(axis));
    let ends = [(ground_a, crank.0), (crank.1, coupler.0), (coupler.1, rocker.0), (rocker.1, ground_d)];
    m.joint("A", Revolute::new(ends[0].0, ends[0].1));
    m.joint("B", Revolute::new(ends[1].0, ends[1].1));
    m.joint("C", Spherical::new(ends[2].0, ends[2].1));
    m.joint("D", Revolute::new(ends[3].0, ends[3].1));
    let model = std::sync::Arc::new(m.build().expect("valid"));
    let mut sim = Simulation::new(model);
    sim.set_coordinates(Coordinates::Joint).expect("any model");
    let cuts = sim.cut_joints();
    assert_eq!(cuts.len(), 1, "{cuts:?}");
    sim.set_integrator(IntegratorKind::RungeKutta4);
    for _ in 0..500 {
        sim.step(0.01).expect("regular");
        let (gap, gap_rate) = sim.violation();
        assert!(gap < 1e-14 && gap_rate < 1e-13, "at {} s: {gap:e} m, {gap_rate:e} m/s", sim.time());
    }
    // without any care only the cut joint drifts, and with feedback it comes back
    for (drift, most) in [(Drift::None, 1.0), (Drift::Feedback(holonom::Feedback::default()), 1e-4)] {
        sim.set_drift(drift);
        for _ in 0..200 {
            sim.step(0.01).expect("regular");
        }
        for (joint, (p, q)) in sim.model().joints().zip(ends) {
            let gap = (sim.point(p).0 - sim.point(q).0).length();
            println!("{drift:?}, {joint:?}: {gap:.2e}");
            let allowed = if cuts.contains(&joint) { most } else { 1e-14 };
            assert!(gap < allowed, "{drift:?}, {joint:?}: {gap:e}");
        }
    }
}

/// Stops end a motion in joint coordinates as they do in maximal ones, in a loop too, and a resumed run keeps its bits.
#[test]
fn stops_and_snapshots() {
    let build = || {
        let axis = [0.0, 1.0, 0.0];
        let mut m = ModelBuilder::new();
        let rod = |x: f64, z: f64| Rigid::cuboid(1.0, [0.1, 0.1, 1.0]).position([x, 0.0, z]);
        let (left, right) = (m.body("left", rod(0.0, -0.5)), m.body("right", rod(1.0, -0.5)));
        let bar =
            m.body("bar", Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, -1.0]).velocity([2.0, 0.0, 0.0]));
        let hinge = |a: Marker, b: Marker| Revolute::new(a.along(axis), b.along(axis));
        let first = m.joint("first", hinge(BodyId::GROUND.origin(), left.at([0.0, 0.0, 0.5])));
        m.joint("second", hinge(BodyId::GROUND.at([1.0, 0.0, 0.0]), right.at([0.0, 0.0, 0.5])));
        m.joint("third", hinge(left.at([0.0, 0.0, -0.5]), bar.at([-0.5, 0.0, 0.0])));
        m.joint("fourth", Spherical::new(right.at([0.0, 0.0, -0.5]), bar.at([0.5, 0.0, 0.0])));
        m.joint("stop", Limit::new(m.coordinate(first, 0), -0.2, 0.2));
        m
    };
    let run = |coordinates, resumed: bool| {
        let model = std::sync::Arc::new(build().build().expect("valid"));
        let mut sim = Simulation::new(model.clone());
        sim.set_coordinates(coordinates).expect("any model");
        sim.set_integrator(IntegratorKind::RungeKutta4);
        for k in 0..100 {
            if resumed && k == 37 {
                let bytes = sim.snapshot();
                sim = Simulation::new(model.clone());
                sim.set_coordinates(coordinates).expect("any model");
                sim.set_integrator(IntegratorKind::RungeKutta4);
                sim.restore(&bytes).expect("its own snapshot");
            }
            sim.step(0.005).expect("regular");
            assert!(sim.violation().0 < 1e-13, "{:?}", sim.violation());
            let first = sim.model().joint("first").expect("there");
            let angle = sim.coordinate(first, 0).expect("an angle").0;
            assert!(angle.abs() < 0.2 + 1e-9, "{angle} rad at {} s", sim.time());
        }
        ([&sim.state().q[..], &sim.state().v].concat(), sim.state().hash())
    };
    let (maximal, joint) = (run(Coordinates::Maximal, false), run(Coordinates::Joint, false));
    let off = common::difference(&maximal.0, &joint.0);
    println!("stops: {off:.1e}");
    assert!(off < 1e-6, "{off:e}");
    assert_eq!(joint.1, run(Coordinates::Joint, true).1, "a resumed run has other bits");
}

/// A nut on a screw that hangs on a carriage, many turns of a fine thread; a shaft bent at a constant-velocity joint.
#[test]
fn screws_and_bent_shafts_are_followed() {
    for lead in [0.3, -0.02, 1e-4] {
        let build = || {
            let mut m = ModelBuilder::new();
            let carriage = m.body("carriage", Rigid::cuboid(2.0, [0.3, 0.2, 0.2]).spin([0.3, 0.0, 0.0]));
            let nut = m.body("nut", Rigid::cylinder(0.5, 0.1, 0.1).position([0.1, 0.2, 0.3]).spin([0.0, 0.0, 30.0]));
            let bent =
                m.body("bent", Rigid::cuboid(0.3, [0.1, 0.15, 0.4]).position([0.1, 0.2, 0.55]).spin([0.4, 1.0, 0.0]));
            m.joint(
                "rail",
                Cylindrical::new(
                    BodyId::GROUND.origin().along([1.0, 0.0, 0.0]),
                    carriage.origin().along([1.0, 0.0, 0.0]),
                ),
            );
            m.joint("thread", Screw::new(nut.origin(), carriage.at([0.1, 0.2, 0.3]), lead));
            m.joint("shaft", ConstantVelocity::new(nut.at([0.0, 0.0, 0.05]), bent.at([0.0, 0.0, -0.2])));
            m
        };
        let run = |coordinates| {
            let mut sim = Simulation::build(build()).expect("valid");
            sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 });
            sim.set_coordinates(coordinates).expect("any model");
            sim.set_drift(if coordinates == Coordinates::Joint { Drift::None } else { Drift::Project });
            sim.run_until(1.0).expect("regular");
            assert!(sim.cut_joints().is_empty(), "{:?}", sim.cut_joints());
            (motion(&sim), sim.violation().0)
        };
        let ((maximal, _), (joint, gap)) = (run(Coordinates::Maximal), run(Coordinates::Joint));
        let off = common::difference(&maximal, &joint);
        println!("lead {lead} m: {off:.2e}, gap {gap:.2e}");
        assert!(off < 1e-8 && gap < 1e-12, "lead {lead} m: {off:e}, gap {gap:e}");
    }
}

/// Turns of bodies in a plane are counted as angles add up along the forest, in steps of any length.
#[test]
fn turns_in_a_plane_are_counted() {
    let run = |coordinates| {
        let mut m = ModelBuilder::new();
        let up = ([0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]);
        let arm = |x: f64, v: f64, spin: f64| {
            Planar::rod(1.0, 1.0).plane(up.0, up.1, up.2).pose(x, 0.0, 0.0).velocity(0.0, v, spin)
        };
        let (first, second) = (m.body("first", arm(0.5, 10.0, 20.0)), m.body("second", arm(1.5, 32.5, 25.0)));
        m.joint("A", Revolute::new(BodyId::GROUND.origin().along([0.0, -1.0, 0.0]), first.at([-0.5, 0.0, 0.0])));
        m.joint("B", Spherical::new(second.at([-0.5, 0.0, 0.0]), first.at([0.5, 0.0, 0.0])));
        let mut sim = Simulation::build(m).expect("valid");
        sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 });
        sim.set_coordinates(coordinates).expect("any model");
        sim.run_until(2.0).expect("regular");
        assert!(sim.cut_joints().is_empty(), "{:?}", sim.cut_joints());
        sim.state().q.clone()
    };
    let (maximal, joint) = (run(Coordinates::Maximal), run(Coordinates::Joint));
    assert!(maximal[2].abs() > 3.0 * TAU && maximal[5].abs() > 3.0 * TAU, "{maximal:?}");
    assert!(common::gap(&maximal, &joint) < 1e-7, "{maximal:?} and {joint:?}");
}

/// What cannot be followed is cut, and said: a rod has no chart.
#[test]
fn what_has_no_chart_is_cut_and_named() {
    let mut m = ModelBuilder::new();
    let bob = m.body("bob", Particle::new(1.0, [1.0, 0.0, 0.0]));
    let rod = m.joint("rod", Distance::new(BodyId::GROUND.origin(), bob.origin(), 1.0));
    let tip = m.body("tip", Particle::new(1.0, [1.0, 0.0, 0.0]));
    m.joint("pin", Spherical::new(bob.origin(), tip.origin()));
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_coordinates(Coordinates::Joint).expect("any model");
    assert_eq!(sim.cut_joints(), [rod]);
    sim.run_until(0.5).expect("regular");
    assert!(sim.violation().0 < 1e-14, "{:?}", sim.violation());

    let mut m = ModelBuilder::new();
    let ball = m.body("ball", Rigid::ball(1.0, 0.1));
    m.joint("socket", Spherical::new(BodyId::GROUND.origin(), ball.origin()));
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_coordinates(Coordinates::Joint).expect("any model");
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
