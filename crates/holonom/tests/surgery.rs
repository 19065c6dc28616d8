//! Joints are added, removed, broken, mended, locked and let go while a mechanism moves: by the law of impulses, with nothing lost, and
//! with a way back.

mod common;

use common::dense::Dense;
use common::editing::{chain, closed, copy, fitting, id, whirling};
use common::linkage::{self, Rough, Y, hinge, rod};
use common::{Worst, difference, gap};
use holonom::joints::pairs;
use holonom::math::{SplitMix, exp_quat};
use holonom::prelude::*;
use holonom::{Edited, JointCondition, JointId, Momentum};

const GROUND: BodyId = BodyId::GROUND;

fn flat_momentum(m: Momentum) -> [f64; 6] {
    let (l, a) = (m.linear, m.angular);
    [l.x, l.y, l.z, a.x, a.y, a.z]
}

/// The jump of an edit against the law of impulses, written out densely: v + dv is the part of v that moves along the constraints.
fn check_jump(what: &str, before: &State, sim: &mut Simulation, edited: Edited, worst: &Worst) {
    let mut old = sim.state().clone();
    old.v.copy_from_slice(&before.v);
    let expected = Dense::at(sim.model(), &old).legal_part(&before.v);
    let (gap, rate) = sim.violation();
    let jump = common::gap(&sim.state().v, &before.v);
    assert_eq!(edited.jump, jump, "{what}");
    worst.demand("jump against the law of impulses", difference(&sim.state().v, &expected), 1e-11);
    worst.demand("gap", gap, 1e-12);
    worst.demand("rate of the gap", rate, 1e-12);
}

#[test]
fn bodies_in_flight_are_joined() {
    let worst = Worst::default();
    for kind in 0..pairs().len() {
        for seed in 0..10 {
            let mut g = SplitMix(100 * kind as u64 + seed);
            let mut m = ModelBuilder::new();
            m.gravity([0.0; 3]);
            let mut body = |name: &str| {
                let shape = Rigid::cuboid(0.5 + g.unit(), [0.6, 0.4, 0.2]).position(g.vec3(1.0));
                m.body(name, shape.orientation(exp_quat(g.vec3(2.0))).velocity(g.vec3(2.0)).spin(g.vec3(3.0)))
            };
            let (a, b) = (body("a"), body("b"));
            let mut sim = Simulation::build(m).expect("free");
            sim.run_until(0.2).expect("free");
            let (before, energy, momentum) = (sim.state().clone(), sim.energy().kinetic, flat_momentum(sim.momentum()));
            let joint = fitting(&sim, kind, a, b, &mut g);
            let (id, edited) = sim.add_boxed_joint("catch", joint).expect("fits");
            assert_eq!((id.index(), sim.model().joint("catch")), (0, Some(id)));
            let what = pairs()[kind].name();
            worst.demand("momentum", difference(&flat_momentum(sim.momentum()), &momentum), 1e-12);
            worst.demand("moved", edited.moved, 1e-12);
            check_jump(what, &before, &mut sim, edited, &worst);
            let lost = energy - sim.energy().kinetic;
            assert!(lost > 0.0 && edited.jump > 0.0, "{what}: {lost} J lost, jump {}", edited.jump);
            worst.demand("energy of the report", (edited.energy + lost).abs() / energy, 1e-12);
            // and what was caught stays together
            sim.run_until(0.7).expect("regular");
            worst.demand("gap half a second later", sim.violation().0, 1e-12);
            worst.demand("momentum half a second later", difference(&flat_momentum(sim.momentum()), &momentum), 1e-9);
        }
    }
    worst.print("joined in flight");
}

#[test]
fn a_swinging_chain_is_caught() {
    let worst = Worst::default();
    for n in 1..6 {
        let (mut sim, tip) = chain(n, true, 1.0);
        sim.run_until(0.4).expect("regular");
        let (before, energy) = (sim.state().clone(), sim.energy().kinetic);
        let (_, edited) = sim.add_joint("catch", Spherical::new(GROUND.at(sim.point(tip).0), tip)).expect("fits");
        if n > 1 {
            check_jump("chain", &before, &mut sim, edited, &worst); // one link between two balls has a row too many
        }
        assert!(sim.energy().kinetic < energy && edited.energy < 0.0, "{edited:?}");
        let end = sim.point(tip).0;
        sim.run_until(1.4).expect("regular");
        worst.demand("tip moved in a second", (sim.point(tip).0 - end).length(), 1e-12);
    }
    // a hinge caught by a second one stands still: ten rows, five directions
    let (mut sim, tip) = chain(1, false, 1.0);
    sim.run_until(0.3).expect("regular");
    let kinetic = sim.energy().kinetic;
    let place = sim.point(tip).0;
    let (_, edited) = sim.add_joint("catch", Revolute::new(GROUND.at(place).along(Y), tip.along(Y))).expect("fits");
    worst.demand("all energy of motion goes", (edited.energy + kinetic).abs() / kinetic, 1e-12);
    sim.run_until(1.3).expect("regular");
    worst.demand("caught by two hinges, moved", (sim.point(tip).0 - place).length(), 1e-12);
    worst.print("caught");
}

/// What an edit must not touch: coordinates with their turns, and works, of these joints (numbers before and after).
fn check_carried(before: &mut Simulation, after: &mut Simulation, pairs: &[(JointId, JointId)]) {
    for &(old, new) in pairs {
        assert_eq!(before.model().joint_name(old), after.model().joint_name(new));
        let (a, b) = (before.coordinate(old, 0), after.coordinate(new, 0));
        if let (Some(a), Some(b)) = (a, b) {
            assert!((a.0 - b.0).abs() < 1e-12 && (a.1 - b.1).abs() < 1e-11, "{a:?} before, {b:?} after");
        }
        assert_eq!(before.ledger().joint(old), after.ledger().joint(new));
    }
}

#[test]
fn removal_leaves_the_rest_as_it_was() {
    let worst = Worst::default();
    for k in 0..4 {
        let mut sim = whirling(None, 14.0);
        sim.run_until(1.0).expect("regular");
        let turned = sim.model().joints().map(|j| sim.coordinate(j, 0).expect("an angle").0).collect::<Vec<_>>();
        assert!(turned[0].abs() > 7.0, "{turned:?}");
        let mut before = copy(&sim);
        let ids: Vec<JointId> = before.model().joints().collect();
        let id = |k: usize| ids[k];
        let edited = sim.remove_joint(id(k)).expect("there");
        worst.demand("moved", edited.moved, 1e-12);
        worst.demand("jump", edited.jump, 1e-11);
        let pairs: Vec<_> = (0..4).filter(|&i| i != k).map(|i| (id(i), id(if i > k { i - 1 } else { i }))).collect();
        check_carried(&mut before, &mut sim, &pairs);
        assert_eq!(sim.model().n_joints(), 3);
        let (old, new) = (before.ledger(), sim.ledger());
        assert_eq!(old.forces, new.forces);
        let moved = old.imposed + old.joint(id(k)) + edited.energy;
        worst.demand("work of what is gone", (new.imposed - moved).abs(), 1e-12);
        let mut without = whirling(Some(k), 14.0);
        without.state_mut().q.copy_from_slice(&sim.state().q);
        without.state_mut().v.copy_from_slice(&sim.state().v);
        let expected = without.accelerations().expect("regular");
        worst.demand("accelerations", difference(&sim.accelerations().expect("regular"), &expected), 1e-12);
    }
    // out of a loop
    let mut sim = closed(linkage::six_bar);
    sim.run_until(0.2).expect("regular");
    for name in ["coupler-arm", "lever pin"] {
        sim.remove_joint(id(&sim, name)).expect("there");
    }
    let mut m = ModelBuilder::new();
    linkage::four_bar(&mut m, &mut Rough::not());
    let (e, f, p) = (vec3(0.55, 0.0, 0.65), vec3(1.6, 0.0, 1.2), vec3(2.0, 0.0, 0.0));
    let (arm, lever) = (rod(&mut m, "arm", e, f, &mut Rough::not()), rod(&mut m, "lever", f, p, &mut Rough::not()));
    hinge(&mut m, "arm-lever", arm.1, lever.0);
    let mut without = Simulation::build(m).expect("closes");
    without.state_mut().q.copy_from_slice(&sim.state().q);
    without.state_mut().v.copy_from_slice(&sim.state().v);
    let expected = without.accelerations().expect("regular");
    worst.demand("accelerations, loop", difference(&sim.accelerations().expect("regular"), &expected), 1e-10);
    worst.print("removed");
}

#[test]
fn what_is_broken_holds_nothing_until_it_is_mended() {
    let worst = Worst::default();
    let mut sim = whirling(None, 14.0);
    sim.run_until(0.5).expect("regular");
    let (joint, mut before, start) = (id(&sim, "joint 2"), copy(&sim), sim.time());
    let ids: Vec<_> = sim.model().joints().map(|j| (j, j)).collect();
    sim.break_joint(joint).expect("there");
    assert_eq!(sim.model().condition(joint), JointCondition::Broken);
    assert!(sim.model().rows_of(joint).is_empty() && sim.model().n_joints() == 4);
    check_carried(&mut before, &mut sim, &ids);
    let mut without = whirling(Some(2), 14.0);
    without.state_mut().q.copy_from_slice(&sim.state().q);
    without.state_mut().v.copy_from_slice(&sim.state().v);
    let expected = without.accelerations().expect("regular");
    worst.demand("accelerations", difference(&sim.accelerations().expect("regular"), &expected), 1e-12);
    // mended at once: as if nothing had been
    sim.mend_joint(joint).expect("fits");
    assert_eq!(sim.model().condition(joint), JointCondition::Active);
    worst.demand("mended at once, moved", gap(&sim.state().q, &before.state().q), 1e-12);
    worst.demand("mended at once, jump", gap(&sim.state().v, &before.state().v), 1e-11);
    // mended later: the gap that has opened is closed
    sim.break_joint(joint).expect("there");
    sim.run_until(start + 0.02).expect("regular");
    let energy = sim.energy().kinetic;
    let edited = sim.mend_joint(joint).expect("near enough");
    println!("mended after 20 ms: {edited:?}");
    assert!(edited.moved > 1e-4 && edited.jump > 1e-3 && sim.energy().kinetic < energy, "{edited:?}");
    worst.demand("mended later, gap", sim.violation().0, 1e-12);
    worst.demand("mended later, rate", sim.violation().1, 1e-11);
    sim.run_until(start + 0.5).expect("regular");
    worst.demand("half a second later, gap", sim.violation().0, 1e-11);
    worst.print("broken");
}

/// The coordinates that are integrated are a matter of taste: an edit must do the same in both.
#[test]
fn edits_in_joint_coordinates() {
    for edit in ["break", "lock", "remove", "add"] {
        let ends = [Coordinates::Maximal, Coordinates::Joint].map(|coordinates| {
            let (mut sim, tip) = chain(3, false, 2.0);
            sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 });
            sim.set_coordinates(coordinates).expect("a tree");
            sim.run_until(0.3).expect("regular");
            let (joint, at) = (id(&sim, "joint 1"), sim.point(tip).0);
            let edited = match edit {
                "break" => sim.break_joint(joint),
                "lock" => sim.lock_joint(joint),
                "remove" => sim.remove_joint(joint),
                _ => sim.add_joint("catch", Spherical::new(GROUND.at(at), tip)).map(|e| e.1),
            };
            edited.unwrap_or_else(|e| panic!("{edit}: {e}"));
            sim.run_until(0.6).expect("regular");
            sim.point(tip).0
        });
        let off = (ends[0] - ends[1]).length();
        println!("{edit}: tip off by {off:.1e} m");
        assert!(off < 1e-8, "{edit}: the tip is at {} in maximal and at {} in joint coordinates", ends[0], ends[1]);
    }
}

/// Angle of body b against body a about y.
fn angle(sim: &Simulation, a: BodyId, b: BodyId) -> f64 {
    let r = sim.axes(a).expect("has axes").transpose() * sim.axes(b).expect("has axes");
    r.z_axis.x.atan2(r.z_axis.z)
}

#[test]
fn a_locked_hinge_keeps_its_angle_and_its_turns() {
    let worst = Worst::default();
    let mut sim = whirling(None, 14.0);
    sim.run_until(1.0).expect("regular");
    let (joint, bodies) = (id(&sim, "joint 0"), [GROUND, BodyId::from_index(0)]);
    let (inner, pair) = (id(&sim, "joint 2"), [BodyId::from_index(1), BodyId::from_index(2)]);
    let (turned, other) =
        (sim.coordinate(joint, 0).expect("an angle").0, sim.coordinate(inner, 0).expect("an angle").0);
    assert!(turned.abs() > 7.0, "must have made a turn: {turned}");
    for j in [joint, inner] {
        sim.lock_joint(j).expect("a hinge");
        assert_eq!(sim.model().condition(j), JointCondition::Locked);
    }
    assert_eq!((id(&sim, "joint 0"), id(&sim, "joint 2"), sim.model().n_joints()), (joint, inner, 4));
    let held = [angle(&sim, bodies[0], bodies[1]), angle(&sim, pair[0], pair[1])];
    let end = sim.time() + 1.0;
    while sim.time() < end {
        sim.step(0.01).expect("regular");
        worst.demand("locked to the ground, angle", (angle(&sim, bodies[0], bodies[1]) - held[0]).abs(), 1e-12);
        worst.demand("locked to a body, angle", (angle(&sim, pair[0], pair[1]) - held[1]).abs(), 1e-12);
    }
    for (j, before) in [(joint, turned), (inner, other)] {
        sim.unlock_joint(j).expect("locked");
        assert_eq!(sim.model().condition(j), JointCondition::Active);
        let (now, rate) = sim.coordinate(j, 0).expect("an angle");
        worst.demand("let go, angle with its turns", (now - before).abs(), 1e-11);
        worst.demand("let go, rate", rate.abs(), 1e-10);
    }
    sim.run_until(end + 0.2).expect("regular");
    assert!((sim.coordinate(joint, 0).expect("an angle").0 - turned).abs() > 1e-3, "does not move again");
    worst.print("locked");
}

#[test]
fn a_lock_in_a_loop_makes_rows_redundant() {
    let worst = Worst::default();
    for name in ["crank pin", "coupler-rocker", "rocker pin"] {
        let mut sim = closed(linkage::four_bar);
        sim.run_until(0.3).expect("regular");
        let joint = id(&sim, name);
        let kinetic = sim.energy().kinetic;
        let edited = sim.lock_joint(joint).expect("a hinge");
        worst.demand("all energy of motion goes", (edited.energy + kinetic).abs() / kinetic, 1e-12);
        let diagnosis = sim.diagnose().expect("regular");
        assert_eq!((diagnosis.rows, diagnosis.mobility, diagnosis.surplus()), (21, 0, 3), "{name}");
        let q = sim.state().q.clone();
        sim.run_until(1.3).expect("regular");
        worst.demand("moved in a second", gap(&sim.state().q, &q), 1e-12);
        sim.unlock_joint(joint).expect("locked");
        sim.run_until(1.8).expect("regular");
        assert!(gap(&sim.state().q, &q) > 0.01, "{name}: does not move again");
        worst.demand("gap", sim.violation().0, 1e-12);
    }
    worst.print("locked in a loop");
}
