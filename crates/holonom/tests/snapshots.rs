//! Snapshots: bit-equal continuation, damage, strangers; and the same bits from the same start.

mod common;

use common::for_all;
use common::grow::{Wish, grow, steps};
use holonom::SnapshotError;
use holonom::prelude::*;
use proptest::prelude::*;

/// Everything that has memory: turns, a ledger, an adaptive step.
fn machine() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let axis = [0.0, 1.0, 0.0];
    let rod = m.body("rod", Rigid::cuboid(1.0, [1.0, 0.2, 0.1]).position([0.5, 0.0, 0.0]));
    let tail = m.body("tail", Rigid::cuboid(0.5, [0.6, 0.1, 0.2]).position([1.3, 0.0, 0.0]).spin([1.0, 0.5, 2.0]));
    let bead = m.body("bead", Particle::new(0.2, [2.1, 0.0, 0.0]));
    m.joint("hinge", Revolute::new(BodyId::GROUND.origin().along(axis), rod.at([-0.5, 0.0, 0.0]).along(axis)));
    m.joint("cross", Universal::new(rod.at([0.5, 0.0, 0.0]), tail.at([-0.3, 0.0, 0.0])));
    m.joint("string", Distance::new(tail.at([0.3, 0.0, 0.0]), bead.origin(), 0.5));
    m.force("spring", Spring::new(BodyId::GROUND.at([0.0, 1.0, -2.0]), bead.origin(), 5.0, 1.0).damping(0.1));
    m
}

const KINDS: [IntegratorKind; 5] = [
    IntegratorKind::SemiImplicitEuler,
    IntegratorKind::RungeKutta4,
    IntegratorKind::Rattle,
    IntegratorKind::Dop853 { relative: 1e-8, absolute: 1e-8 },
    IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 },
];

fn simulation(kind: IntegratorKind) -> Simulation {
    let mut sim = Simulation::build(machine()).expect("valid");
    sim.set_integrator(kind);
    sim
}

/// Advance a little: fixed steps, or adaptive ones to an output time.
fn advance(sim: &mut Simulation, adaptive: bool) {
    if adaptive {
        let goal = sim.time() + 0.07;
        sim.run_until(goal).expect("regular");
    } else {
        sim.step(2e-3).expect("regular");
    }
}

#[test]
fn a_restored_run_continues_bit_for_bit() {
    for kind in KINDS {
        for adaptive in [false, true] {
            let mut sim = simulation(kind);
            let mut snapshots = vec![sim.snapshot()];
            for _ in 0..20 {
                advance(&mut sim, adaptive);
                snapshots.push(sim.snapshot());
            }
            let end = sim.state().hash();
            for (k, snapshot) in snapshots.iter().enumerate() {
                // in a simulation that has been elsewhere meanwhile
                let mut other = simulation(kind);
                (0..3).for_each(|_| advance(&mut other, adaptive));
                other.restore(snapshot).expect("a good snapshot");
                assert_eq!(&other.snapshot(), snapshot, "{kind:?}: restored and saved again");
                (k..20).for_each(|_| advance(&mut other, adaptive));
                assert_eq!(other.state().hash(), end, "{kind:?}, adaptive: {adaptive}, from step {k}");
                assert_eq!(other.state(), sim.state(), "{kind:?}, adaptive: {adaptive}, from step {k}");
            }
        }
    }
}

/// Questions in between do not change the run.
#[test]
fn looking_does_not_change_the_run() {
    for kind in KINDS {
        for adaptive in [false, true] {
            let (mut sim, mut watched) = (simulation(kind), simulation(kind));
            for _ in 0..10 {
                advance(&mut sim, adaptive);
                advance(&mut watched, adaptive);
                let joint = watched.model().joints().next().expect("one");
                watched.energy();
                watched.violation();
                watched.coordinate(joint, 0);
                watched.reaction(joint).expect("regular");
                watched.residual().expect("regular");
                watched.velocities_from_forces(&[(BodyId::from_index(0).origin(), Vec3::X)]).expect("regular");
            }
            assert_eq!(sim.state().hash(), watched.state().hash(), "{kind:?}, adaptive: {adaptive}");
        }
    }
    // samples between the steps neither
    let (mut sim, mut sampled) = (simulation(KINDS[3]), simulation(KINDS[3]));
    sim.run_until(1.0).expect("regular");
    let mut n = 0;
    sampled.run_sampled(1.0, 0.013, |_, _| n += 1).expect("regular");
    // start, 76 in between, and the end, which is no multiple of the interval
    assert_eq!(n, 2 + (1.0f64 / 0.013) as usize, "samples");
    assert_eq!(sim.state().hash(), sampled.state().hash(), "sampled run");
}

/// Reads need no right to change what they read: several threads ask at once, and hear what one alone hears, before and
/// after a step, another solver and a joint that went.
#[test]
fn shared_reads_agree() {
    type Answers = (Vec<f64>, Vec<f64>, Energy, (f64, f64), Option<(f64, f64)>);
    fn answers(sim: &Simulation) -> Answers {
        let joint = sim.model().joints().next().expect("one");
        let (accelerations, multipliers) = (sim.accelerations().expect("regular"), sim.multipliers().expect("regular"));
        (accelerations, multipliers, sim.energy(), sim.violation(), sim.coordinate(joint, 0))
    }
    let alone = |sim: &Simulation, solver: SolverKind| {
        let mut fresh = Simulation::new(sim.model().clone());
        fresh.set_solver(solver).expect("a tree");
        fresh.set_state(sim.state().clone());
        answers(&fresh)
    };
    let mut sim = simulation(KINDS[0]);
    let mut last = None;
    for turn in 0..4 {
        let solver = sim.solver();
        let expected = alone(&sim, solver);
        std::thread::scope(|scope| {
            let readers: Vec<_> = (0..4).map(|_| scope.spawn(|| answers(&sim))).collect();
            for reader in readers {
                assert_eq!(reader.join().expect("no panic"), expected, "turn {turn}");
            }
        });
        assert_ne!(last.replace(expected.clone()), Some(expected), "turn {turn}: nothing has changed");
        match turn {
            0 => _ = sim.step(1e-2).expect("regular"),
            1 => sim.set_solver(SolverKind::DenseKkt).expect("any model"),
            _ => _ = sim.remove_joint(sim.model().joints().last().expect("one")).expect("a joint"),
        }
    }
}

#[test]
fn every_damaged_byte_is_noticed() {
    let mut sim = simulation(IntegratorKind::RungeKutta4);
    sim.step(1e-3).expect("regular");
    let good = sim.snapshot();
    let hash = sim.state().hash();
    for i in 0..good.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut bad = good.clone();
            bad[i] ^= flip;
            let e = sim.restore(&bad).expect_err("a damaged snapshot was accepted");
            let expected = if i < 8 { SnapshotError::Format } else { SnapshotError::Damaged };
            assert_eq!(e, expected, "byte {i} of {}", good.len());
        }
    }
    for n in 0..good.len() {
        assert!(sim.restore(&good[..n]).is_err(), "the first {n} bytes of {} were accepted", good.len());
    }
    for extra in [1, 7, 8, 16] {
        assert!(sim.restore(&[&good[..], &vec![0; extra]].concat()).is_err(), "{extra} bytes too many were accepted");
    }
    assert_eq!(sim.state().hash(), hash, "a refused snapshot changed the state");
    sim.restore(&good).expect("the good one");
    println!("snapshot of 3 bodies: {} bytes", good.len());
}

#[test]
fn a_snapshot_of_another_model_is_refused() {
    let mut small = ModelBuilder::new();
    let bead = small.body("bead", Particle::new(1.0, [1.0, 0.0, 0.0]));
    small.joint("rod", Distance::new(BodyId::GROUND.origin(), bead.origin(), 1.0));
    let mut small = Simulation::build(small).expect("valid");
    let mut machine = simulation(IntegratorKind::RungeKutta4);
    let (a, b) = (small.snapshot(), machine.snapshot());
    let e = machine.restore(&a).expect_err("of another model").to_string();
    assert!(e.contains("3 position coordinates") && e.contains("17"), "{e}");
    let e = small.restore(&b).expect_err("of another model").to_string();
    assert!(e.contains("17 position coordinates") && e.contains('3'), "{e}");
}

/// Random mechanisms: two runs from one description have the same bits, and a snapshot half-way changes nothing.
#[test]
fn the_same_start_gives_the_same_bits() {
    let wish = Wish { most: 5, planar: false, affine: false, ..Wish::ANY };
    for_all("same bits", 0.25, (steps(wish), 0..KINDS.len()), |((steps, seed), kind), _| {
        let run = |halfway: bool| {
            let mut sim = grow(&steps, seed, wish).spec.simulation();
            sim.set_integrator(KINDS[kind]);
            for k in 0..20 {
                if sim.step(1e-3).is_err() {
                    break;
                }
                if halfway && k == 10 {
                    let bytes = sim.snapshot();
                    sim = grow(&steps, seed, wish).spec.simulation();
                    sim.set_integrator(KINDS[kind]);
                    sim.restore(&bytes).expect("a good snapshot");
                }
            }
            sim.state().hash()
        };
        prop_assert_eq!(run(false), run(false));
        prop_assert_eq!(run(false), run(true));
        Ok(())
    });
}

/// One scene after 500 steps, on every machine and in every build. A change of any operation on the way changes this number: change it here
/// when that was meant.
#[test]
fn the_bits_of_one_scene() {
    let mut sim = simulation(IntegratorKind::RungeKutta4);
    for _ in 0..500 {
        sim.step(1e-3).expect("regular");
    }
    let hash = sim.state().hash();
    println!("hash after 500 steps: {hash:016x}");
    assert_eq!(format!("{hash:016x}"), "d3797872fa849fcf");
}
