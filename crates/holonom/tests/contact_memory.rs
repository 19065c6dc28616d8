//! Contact that comes and goes at every blow, for a hundred thousand steps: nothing is allocated, two runs are equal to the last bit, and so is a run resumed in the
//! middle of a contact. One test only, because allocations are counted for the whole process.

use holonom::functions::Harmonic;
use holonom::prelude::*;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, Stats, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// A plate that shakes harder than gravity, a box and a linkage that chatter on it, and a stop that a pendulum knocks against.
fn shaker(small: bool) -> Simulation {
    let mut m = ModelBuilder::new();
    let rubber = Material::new(0.4).restitution(0.3);
    let plate = m.body("plate", Rigid::cuboid(5.0, [2.0, 2.0, 0.1]).position([0.0, 0.0, -0.05]));
    m.shape(plate.origin(), Shape::Box { half: vec3(1.0, 1.0, 0.05) }, rubber);
    let z = Vec3::Z;
    let guide =
        m.joint("guide", Prismatic::new(BodyId::GROUND.at([0.0, 0.0, -0.05]).along(z), plate.origin().along(z)));
    m.joint(
        "shaker",
        Motor::position(m.coordinate(guide, 0), Harmonic { mean: 0.0, amplitude: 0.01, frequency: 50.0, phase: 0.0 }),
    );
    let ball = m.body("ball", Rigid::ball(0.2, 0.05).position([-0.5, 0.3, 0.06]).spin([1.0, 2.0, 0.5]));
    m.shape(ball.origin(), Shape::Sphere { radius: 0.05 }, rubber);
    if !small {
        let crate_ = m.body("crate", Rigid::cuboid(1.0, [0.2, 0.3, 0.1]).position([0.3, 0.2, 0.06]));
        m.shape(crate_.origin(), Shape::Box { half: vec3(0.1, 0.15, 0.05) }, rubber);
    }
    let bob = m.body("bob", Rigid::cuboid(0.5, [0.4, 0.05, 0.05]).position([0.2, 3.0, 0.0]));
    let y = Vec3::Y;
    let pin =
        m.joint("pin", Revolute::new(BodyId::GROUND.at([0.0, 3.0, 0.0]).along(y), bob.at([-0.2, 0.0, 0.0]).along(y)));
    m.joint("stop", Limit::new(m.coordinate(pin, 0), -1.0, 0.5).restitution(0.9));
    Simulation::build(m).unwrap()
}

/// The quietest of some rounds: what the code itself allocates it allocates every time, the test harness only now and then.
fn quietest(rounds: usize, mut round: impl FnMut()) -> Stats {
    let all = (0..rounds).map(|_| {
        let region = Region::new(COUNTING);
        round();
        region.change()
    });
    all.min_by_key(|s| s.allocations + s.reallocations + s.deallocations).expect("rounds")
}

/// Steps of contact that comes and goes: a digest of all states, how often contacts changed, and what was allocated.
fn long_run(sim: &mut Simulation, dt: f64, steps: usize) -> (u64, usize, usize, isize) {
    let (mut digest, mut changes, mut last, mut allocated, mut grown) = (0u64, 0, 0, 0, 0);
    for _ in 0..steps / 1000 {
        let round = quietest(1, || {
            for _ in 0..1000 {
                let report = sim.step(dt).unwrap();
                changes += (report.contacts != last) as usize;
                last = report.contacts;
            }
        });
        allocated += round.allocations + round.reallocations;
        grown += round.bytes_allocated as isize - round.bytes_deallocated as isize;
        digest = digest.rotate_left(7) ^ sim.state().hash();
    }
    (digest, changes, allocated, grown)
}

/// Resumed from a snapshot, and rolled back by `set_state`, in the middle of contacts.
fn resumed(kind: IntegratorKind, dt: f64, steps: usize) {
    let mut sim = shaker(false);
    sim.set_integrator(kind);
    let mut touching = 0;
    for round in 0..20 {
        let mut report = sim.step(dt).unwrap();
        while report.contacts == 0 {
            report = sim.step(dt).unwrap();
        }
        touching += report.contacts;
        let (state, bytes) = (sim.state().clone(), sim.snapshot());
        let run = |sim: &mut Simulation| {
            for _ in 0..steps {
                sim.step(dt).unwrap();
            }
            sim.state().hash()
        };
        let expected = run(&mut sim);
        let mut other = shaker(false);
        other.set_integrator(kind);
        other.step(dt).unwrap();
        other.restore(&bytes).unwrap();
        assert_eq!(run(&mut other), expected, "{kind:?}: resumed from a snapshot, round {round}");
        sim.set_state(state);
        assert_eq!(run(&mut sim), expected, "{kind:?}: rolled back, round {round}");
    }
    println!("{kind:?}: 20 resumptions in {touching} contacts, equal to the last bit");
}

#[test]
fn contacts_that_come_and_go_leave_no_trace() {
    let clock = std::time::Instant::now();
    for (small, steps) in [(true, 100_000), (false, 20_000)] {
        let mut sim = shaker(small);
        sim.set_integrator(IntegratorKind::Stepping);
        let start = sim.state().clone();
        let first = long_run(&mut sim, 1e-3, steps);
        // memory grows until the largest problem of the run has been met: now it has
        sim.set_state(start);
        let again = long_run(&mut sim, 1e-3, steps);
        println!(
            "{steps} steps twice: digest {:x}, contacts changed {} times, {} allocations when repeated, {:.1} s",
            first.0,
            first.1,
            again.2,
            clock.elapsed().as_secs_f64()
        );
        assert_eq!(first.0, again.0);
        assert!(first.1 > steps / 20, "contacts changed {} times only", first.1);
        let (_, _, allocated, grown) = again;
        assert!(allocated <= 2 && grown <= 4096, "{allocated} allocations, {grown} bytes more when repeated");
    }
    resumed(IntegratorKind::Stepping, 1e-3, 50);
    resumed(IntegratorKind::default(), 5e-3, 10);
    // events: as much is freed as is allocated
    let mut sim = shaker(true);
    sim.set_integrator(IntegratorKind::default());
    sim.run_fixed(0.5, 5e-3).unwrap();
    let used = quietest(3, || {
        let until = sim.time() + 0.5;
        sim.run_fixed(until, 5e-3).unwrap();
    });
    println!("events, 0.5 s: {used:?}");
    assert!(used.bytes_allocated == used.bytes_deallocated, "{used:?}");
}
