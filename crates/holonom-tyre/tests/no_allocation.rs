//! Steps after the first must not touch the allocator. Alone in its file, because the count is that of the whole process.

use holonom::prelude::*;
use holonom_tyre::{Grip, Tyre, TyreLoad};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, Stats, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn rolling_wheel() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let wheel = m.body("wheel", Rigid::ball(5.0, 0.3).position([0.0, 6.0, -4.7]));
    let hub = wheel.origin().along([0.0, 1.0, 0.0]);
    let road = |x: f64, _: f64| [-5.0 + 0.01 * libm::sin(9.0 * x), 0.09 * libm::cos(9.0 * x), 0.0];
    let tyre = Tyre::new(hub, 0.31, TyreLoad::CITY_BIKE, 0.03, road).resolution(0.006);
    m.force("tyre", tyre.grip(Grip::STONE_WET).damping(0.1));
    m
}

/// The quietest of ten rounds: what the code itself allocates it allocates every time, the test harness only now and then.
fn quietest(mut round: impl FnMut()) -> Stats {
    let rounds = (0..10).map(|_| {
        let region = Region::new(COUNTING);
        round();
        region.change()
    });
    rounds.min_by_key(|s| s.allocations + s.reallocations + s.deallocations).expect("ten rounds")
}

/// One test only: others would run at the same time and be counted with it.
#[test]
fn nothing_is_allocated_after_the_first_step() {
    for name in IntegratorKind::NAMES {
        let mut sim = Simulation::build(rolling_wheel()).expect("valid");
        sim.set_integrator(IntegratorKind::from_name(name).expect("known"));
        for _ in 0..2 {
            sim.step(1e-3).expect("regular");
        }
        let fixed = quietest(|| {
            for _ in 0..5 {
                sim.step(1e-3).expect("regular");
            }
        });
        assert_eq!(fixed, Stats::default(), "{name}, fixed steps");
        if *name == "dop853" {
            let adaptive = quietest(|| {
                let goal = sim.time() + 0.02;
                sim.run_until(goal).expect("regular");
            });
            assert_eq!(adaptive, Stats::default(), "{name}, adaptive steps");
        }
        let evaluation = quietest(|| {
            sim.state_mut();
            sim.evaluate().expect("regular");
        });
        assert_eq!(evaluation, Stats::default(), "{name}, an evaluation");
    }
}
