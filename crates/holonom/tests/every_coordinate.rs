//! Whatever joint has a coordinate: it can be driven in position, in speed and by force, pulled by a spring with a damper, locked and let go, and the joint
//! breaks when it is loaded too much.

mod common;

use common::Worst;
use holonom::forces::CoordinateForce;
use holonom::joints::{CoordinateKind, JOINTS, JointDeclaration, pairs};
use holonom::math::{SplitMix, exp_quat};
use holonom::prelude::*;
use holonom::{JointId, Ledger};

const GROUND: BodyId = BodyId::GROUND;
const TIGHT: IntegratorKind = IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 };

/// A body near the ground on a joint of this kind, assembled from a pose that nearly fits.
fn builder(kind: &JointDeclaration) -> (ModelBuilder, JointId) {
    let mut g = SplitMix(12);
    let mut m = ModelBuilder::new();
    m.gravity([0.3, -0.2, -1.0]);
    let lean = if kind.name() == "perpendicular-axes" { vec3(1.5, 0.2, 0.1) } else { vec3(0.02, -0.03, 0.4) };
    let body = Rigid::cuboid(1.5, [0.5, 0.3, 0.2]).position([0.15, 0.1, 0.2]).orientation(exp_quat(lean));
    let body = m.body("body", body);
    let joint = (kind.sample.expect("a sample"))(GROUND.at([0.1, 0.0, 0.1]), body.at([0.1, 0.05, -0.05]), &mut g);
    let joint = m.boxed_joint("joint", joint);
    (m, joint)
}

/// All coordinates that are free: the length of a rod is what the rod itself holds.
fn coordinates() -> impl Iterator<Item = (&'static JointDeclaration, usize)> {
    pairs().iter().copied().filter(|kind| kind.name() != "distance").flat_map(|kind| {
        let (m, joint) = builder(kind);
        let n = m.build().expect("nearly fits").constraint(joint).coordinates().len();
        (0..n).map(move |i| (kind, i))
    })
}

fn run(m: ModelBuilder) -> Simulation {
    let mut sim = Simulation::build(m).expect("valid");
    sim.set_integrator(TIGHT);
    sim
}

fn closes(ledger: &Ledger) -> f64 {
    let exchanged: f64 = ledger.forces.iter().chain(&ledger.joints).map(|w| w.abs()).sum::<f64>() + ledger.change.abs();
    (ledger.integrator.abs() + ledger.projection.abs()) / exchanged.max(1e-3)
}

#[test]
fn every_coordinate_can_be_driven() {
    let worst = Worst::default();
    let mut count = 0;
    for (kind, i) in coordinates() {
        let what = format!("{} {i}", kind.name());
        // where it is free to be: a motor that holds it first
        let start = {
            let (m, joint) = builder(kind);
            run(m).coordinate(joint, i).expect("it has one").0
        };
        let goal = move |t: f64| {
            let (s, c) = libm::sincos(2.0 * t);
            [start + 0.1 * (1.0 - c), 0.2 * s, 0.4 * c]
        };
        for by_speed in [false, true] {
            let (mut m, joint) = builder(kind);
            let q = m.coordinate(joint, i);
            let motor = if by_speed {
                Motor::speed(q, move |t: f64| [goal(t)[1], goal(t)[2], 0.0])
            } else {
                Motor::position(q, goal)
            };
            let motor = m.joint("motor", motor);
            let mut sim = run(m);
            // a speed says nothing of where it begins, and the pose is assembled without turning the motor
            let begun = if by_speed { sim.coordinate(joint, i).expect("it has one").0 - start } else { 0.0 };
            sim.run_until(0.6).unwrap_or_else(|e| panic!("{what}: {e}"));
            let (value, rate) = sim.coordinate(joint, i).expect("it has one");
            worst.demand(if by_speed { "speed" } else { "position" }, (value - begun - goal(0.6)[0]).abs(), 1e-9);
            worst.demand("rate", (rate - goal(0.6)[1]).abs(), 1e-9);
            worst.demand("ledger, motor", closes(&sim.ledger()), 1e-9);
            // the multiplier times the rate is the motor's power
            let effort = sim.multipliers_of(motor).expect("regular")[0];
            assert!(effort.is_finite() && sim.reaction(motor).expect("regular").force.is_finite(), "{what}");
        }
        count += 1;
    }
    println!("{count} coordinates driven");
    worst.print("drives");
    assert!(count > 20, "only {count} coordinates");
}

#[test]
fn every_coordinate_can_be_pulled_locked_and_broken() {
    let worst = Worst::default();
    for (kind, i) in coordinates() {
        let what = format!("{} {i}", kind.name());
        let (mut m, joint) = builder(kind);
        let (spring, push) = (m.coordinate(joint, i), m.coordinate(joint, i));
        m.force("spring", CoordinateForce::spring(spring, 6.0, 0.3).damping(0.4));
        m.force("push", CoordinateForce::new(push, |_, _, t| 0.2 * t));
        let mut sim = run(m);
        sim.run_until(0.5).unwrap_or_else(|e| panic!("{what}: {e}"));
        worst.demand("ledger, spring and damper", closes(&sim.ledger()), 1e-9);
        let (value, _) = sim.coordinate(joint, i).expect("it has one");
        sim.lock_joint(joint).unwrap_or_else(|e| panic!("{what}: {e}"));
        sim.run_until(0.7).unwrap_or_else(|e| panic!("{what}, locked: {e}"));
        let (held, rate) = sim.coordinate(joint, i).expect("still known");
        worst.demand("moved while locked", (held - value).abs(), 1e-9);
        worst.demand("rate while locked", rate.abs(), 1e-9);
        sim.unlock_joint(joint).unwrap_or_else(|e| panic!("{what}: {e}"));
        sim.run_until(0.9).unwrap_or_else(|e| panic!("{what}, let go: {e}"));
        // a joint that carries more than it can lets go
        let (mut m, joint) = builder(kind);
        m.break_load(joint, 1e-6, 1e-6);
        m.force("load", Torque::new(BodyId::from_index(0), [1.0, 2.0, 3.0]));
        let mut sim = run(m);
        let report = sim.step(0.01).unwrap_or_else(|e| panic!("{what}: {e}"));
        assert_eq!(report.broken, 1, "{what}: {report:?}");
    }
    worst.print("springs, locks");
}

/// The tables say what they hold: kinds of coordinates are lengths or angles, and every name is used once.
#[test]
fn names_are_unique() {
    let mut names: Vec<&str> = JOINTS.iter().filter(|k| k.sample.is_some()).map(|k| k.name()).collect();
    let n = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), n);
    let (m, joint) = builder(pairs()[1]);
    assert_eq!(m.build().expect("valid").constraint(joint).coordinates(), [CoordinateKind::Angle]);
}
