//! Edits that are refused change nothing, edits that are taken back leave no trace, and whatever is done in between, every joule has a column and
//! no joint a gap.

mod common;

use common::editing::{chain, fitting, id, whirling};
use common::linkage::{self, Rough};
use common::{Worst, gap};
use holonom::JointId;
use holonom::joints::pairs;
use holonom::math::{SplitMix, exp_quat};
use holonom::prelude::*;
use std::sync::Arc;

const GROUND: BodyId = BodyId::GROUND;

#[test]
fn refusals_change_nothing() {
    let mut m = ModelBuilder::new();
    let rough = &mut Rough::not();
    linkage::four_bar(&mut m, rough);
    let bead = m.body("bead", Particle::new(1.0, [1.5, 0.0, 0.0]));
    let string = m.joint("string", Distance::new(GROUND.at([1.5, 0.0, 0.7]), bead.origin(), 0.7));
    let mut sim = Simulation::build(m).expect("closes");
    sim.run_until(0.2).expect("regular");
    let pin = id(&sim, "crank pin");
    let far = high_number();
    let (hash, model) = (sim.state().hash(), sim.model().clone());
    let crank = BodyId::from_index(0);
    let ball = |a: Marker, b: Marker| Spherical::new(a, b);
    let refusals: Vec<(&str, &str, Result<(), ModelError>)> = vec![
        ("remove an unknown joint", "does not exist", sim.remove_joint(far).map(drop)),
        ("break an unknown joint", "does not exist", sim.break_joint(far).map(drop)),
        ("lock an unknown joint", "does not exist", sim.lock_joint(far).map(drop)),
        ("lock a string on a particle", "`string`", sim.lock_joint(string).map(drop)),
        ("mend a sound joint", "`crank pin` is not broken", sim.mend_joint(pin).map(drop)),
        ("let go what is not locked", "`crank pin` is not locked", sim.unlock_joint(pin).map(drop)),
        ("a name twice", "two joints are called `crank pin`", {
            sim.add_joint("crank pin", ball(GROUND.at(sim.point(crank.origin()).0), crank.origin())).map(drop)
        }),
        ("out of reach", "`far` cannot be closed", {
            sim.add_joint("far", ball(GROUND.at([0.0, 0.0, 3.0]), crank.at([0.2, 0.0, 0.0]))).map(drop)
        }),
        ("no number", "`nan`", sim.add_joint("nan", ball(GROUND.at([f64::NAN; 3]), crank.origin())).map(drop)),
        ("no such body", "body number 9", {
            sim.add_joint("none", ball(GROUND.origin(), BodyId::from_index(9).origin())).map(drop)
        }),
    ];
    for (what, says, result) in refusals {
        let text = result.err().unwrap_or_else(|| panic!("{what}: accepted")).to_string();
        println!("{what}: {text}");
        assert!(text.contains(says), "{what}: `{text}` does not say `{says}`");
    }
    assert_eq!(sim.state().hash(), hash);
    assert!(Arc::ptr_eq(sim.model(), &model));
}

/// The number of a joint that small models do not have.
fn high_number() -> JointId {
    let mut m = ModelBuilder::new();
    linkage::platform(&mut m, &mut Rough::not());
    m.joint("last", Spherical::new(GROUND.origin(), BodyId::from_index(0).at([0.0, 0.0, -1.0])))
}

/// Back from edits, a run is what it would have been, to the last bit; whatever the method.
#[test]
fn a_checkpoint_undoes_edits() {
    type Choose = fn(&mut Simulation);
    let ways: [(&str, Choose); 5] = [
        ("adaptive", |_| {}),
        ("rk4", |sim| sim.set_integrator(IntegratorKind::RungeKutta4)),
        ("rattle", |sim| sim.set_integrator(IntegratorKind::Rattle)),
        ("dense", |sim| sim.set_solver(SolverKind::from_name("dense").expect("known")).expect("fits")),
        ("joint coordinates", |sim| sim.set_coordinates(Coordinates::Joint).expect("a tree")),
    ];
    let mut wrong = Vec::new();
    for (name, choose) in ways {
        let mut expected = chain(3, false, 2.0).0;
        choose(&mut expected);
        expected.run_until(0.3).expect("regular");
        expected.run_until(0.5).expect("regular");
        for edit in ["add", "rod", "remove", "break", "lock"] {
            let (mut sim, tip) = chain(3, false, 2.0);
            choose(&mut sim);
            sim.run_until(0.3).expect("regular");
            let (kept, hash) = (sim.checkpoint(), sim.state().hash());
            let joint = id(&sim, "joint 1");
            match edit {
                "add" => sim.add_joint("catch", Spherical::new(GROUND.at(sim.point(tip).0), tip)).map(|e| e.1),
                "rod" => {
                    let (foot, at) = (GROUND.at([0.0, 0.0, 2.0]), sim.point(tip).0);
                    sim.add_joint("rod", Distance::new(foot, tip, (at - foot.point).length())).map(|e| e.1)
                }
                "remove" => sim.remove_joint(joint),
                "break" => sim.break_joint(joint),
                _ => sim.lock_joint(joint),
            }
            .unwrap_or_else(|e| panic!("{name}, {edit}: {e}"));
            if let Err(e) = sim.run_until(0.4) {
                wrong.push(format!("{name}, {edit}: {e}"));
            }
            assert_ne!(sim.state().hash(), hash);
            sim.return_to(&kept);
            assert_eq!(sim.state().hash(), hash, "{name}, {edit}: not back");
            sim.run_until(0.5).expect("regular");
            if sim.state().hash() != expected.state().hash() {
                let off = gap(&sim.state().q, &expected.state().q);
                wrong.push(format!("{name}, {edit}: the motion after is another, off by {off:.1e}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_ledger_balances_across_edits() {
    let mut sim = whirling(None, 2.0);
    sim.set_integrator(IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 });
    let total = |sim: &mut Simulation| sim.energy().kinetic + sim.energy().gravity;
    let start = total(&mut sim);
    let tip = BodyId::from_index(3).at([0.5, 0.0, 0.0]);
    let mut imposed = 0.0;
    let edits = [("lock", 0.1), ("break", 0.2), ("mend", 0.22), ("add", 0.3), ("unlock", 0.4), ("remove", 0.5)];
    for (edit, time) in edits {
        sim.run_until(time).expect("regular");
        let edited = match edit {
            "lock" => sim.lock_joint(id(&sim, "joint 1")),
            "unlock" => sim.unlock_joint(id(&sim, "joint 1")),
            "break" => sim.break_joint(id(&sim, "joint 3")),
            "mend" => sim.mend_joint(id(&sim, "joint 3")),
            "add" => {
                let at = sim.point(tip).0;
                sim.add_joint("catch", Spherical::new(GROUND.at(at), tip)).map(|e| e.1)
            }
            _ => sim.remove_joint(id(&sim, "catch")),
        };
        let edited = edited.unwrap_or_else(|e| panic!("{edit}: {e}"));
        imposed += edited.energy;
        let l = sim.ledger();
        println!("{edit}: {edited:?}, open {:.1e} J", l.integrator);
        assert!(l.integrator.abs() < 1e-9, "{edit}: {:e} J without a column", l.integrator);
        assert!((l.change - (total(&mut sim) - start)).abs() < 1e-10, "{edit}: the ledger was opened anew");
    }
    sim.run_until(1.0).expect("regular");
    let l = sim.ledger();
    assert!(l.integrator.abs() < 1e-9, "{:e} J without a column", l.integrator);
    assert!((l.imposed - imposed).abs() < 1e-9, "{} J imposed, {imposed} J by the edits", l.imposed);
    assert!(imposed < -1.0, "nothing to see: {imposed} J");
}

/// Edits at random, while it moves. What is refused leaves all as it was; what is done leaves no gap.
#[test]
fn two_hundred_edits() {
    let worst = Worst::default();
    for seed in 0..4 {
        let mut g = SplitMix(seed);
        let mut m = ModelBuilder::new();
        for i in 0..7 {
            let shape = Rigid::cuboid(0.5 + g.unit(), [0.8, 0.3, 0.2]).position(g.vec3(1.0)).velocity(g.vec3(1.0));
            m.body(format!("body {i}"), shape.orientation(exp_quat(g.vec3(2.0))).spin(g.vec3(1.0)));
        }
        let bead = m.body("bead", Particle::new(0.7, g.vec3(1.0)));
        m.joint("string", Distance::new(GROUND.at([0.0, 0.0, 2.0]), bead.origin(), 2.0));
        let mut sim = Simulation::build(m).expect("loose bodies");
        let (mut done, mut refused, mut stopped) = (0, 0, 0);
        for k in 0..200 {
            let joints: Vec<JointId> = sim.model().joints().collect();
            let any = joints[g.below(joints.len())];
            let (hash, model) = (sim.state().hash(), sim.model().clone());
            let a = if g.unit() < 0.2 { GROUND } else { BodyId::from_index(g.below(7)) };
            let b = BodyId::from_index(g.below(7));
            let what = ["add", "add", "remove", "break", "mend", "lock", "unlock"][g.below(7)];
            let result = match what {
                "add" if a != b && joints.len() < 14 => {
                    let joint = fitting(&sim, g.below(pairs().len()), a, b, &mut g);
                    sim.add_boxed_joint(format!("joint {k}"), joint).map(|e| e.1)
                }
                "remove" if joints.len() > 3 => sim.remove_joint(any),
                "break" => sim.break_joint(any),
                "mend" => sim.mend_joint(any),
                "unlock" => sim.unlock_joint(any),
                _ => sim.lock_joint(any),
            };
            match result {
                Ok(_) => {
                    done += 1;
                    worst.demand("gap", sim.violation().0, 1e-9);
                    worst.demand("residual", sim.residual().expect("regular").largest(), 1e-9);
                }
                Err(_) => {
                    refused += 1;
                    assert_eq!((sim.state().hash(), Arc::ptr_eq(sim.model(), &model)), (hash, true), "{what}");
                }
            }
            let finite = sim.state().q.iter().chain(&sim.state().v).all(|x| x.is_finite());
            assert!(finite, "seed {seed}, edit {k}, {what}: not finite");
            for _ in 0..5 {
                if let Err(e) = sim.step(1e-3) {
                    println!("seed {seed}, edit {k}, {what}: {e}");
                    stopped += 1;
                    break;
                }
                worst.demand("gap after a step", sim.violation().0, 1e-9);
            }
        }
        println!("seed {seed}: {done} done, {refused} refused, {stopped} stopped, {} joints", sim.model().n_joints());
        assert!(done > 60, "seed {seed}: {done} done");
    }
    worst.print("random edits");
}
