//! A million bodies inside a thread with a stack of 256 KiB: nothing recurses, and memory per body is bounded.

use holonom::prelude::*;
use holonom_cases::{straight_ball_chain, tree_case};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;
use std::sync::Mutex;

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Memory is counted for the whole process: one measurement at a time.
static ALONE: Mutex<()> = Mutex::new(());

const MILLION: usize = 1_000_000;

fn in_small_thread(run: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(run).expect("a thread");
    thread.join().expect("the thread survives");
}

/// Bytes held now, counted from the start of the region.
fn held(region: &Region<'_, System>) -> f64 {
    let s = region.change();
    // what reallocation adds or frees is in these two already
    (s.bytes_allocated as isize - s.bytes_deallocated as isize) as f64
}

fn run(what: &'static str, model: impl FnOnce() -> Model + Send + 'static) {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    in_small_thread(move || {
        let region = Region::new(ALLOCATOR);
        let model = model();
        let n = model.n_bodies() as f64;
        let mut sim = Simulation::new(model);
        sim.evaluate().expect("regular");
        let evaluation = held(&region) / n;
        sim.set_integrator(IntegratorKind::default());
        let report = sim.step(1e-3).expect("a regular motion");
        let stepping = held(&region) / n;
        // who reads makes a double of the mechanism, with scratch for evaluations of its own
        let (residual, gap) =
            (report.residual.largest().max(sim.residual().expect("regular").largest()), sim.violation().0);
        let reading = held(&region) / n;
        println!(
            "{what}: {evaluation:.0} B per body to evaluate, {stepping:.0} B to step, {reading:.0} B once somebody has read, \
             residual {residual:.1e}, gap {gap:.1e} m"
        );
        assert!(reading <= stepping + evaluation, "{reading} B per body");
        assert!(residual < 1e-10, "residual {residual:e}");
        assert!(gap < 1e-9, "gap {gap:e}");
        assert!(evaluation <= 2000.0, "{evaluation} B per body");
        assert!(stepping <= 5000.0, "{stepping} B per body");
    });
}

#[test]
fn a_chain_of_a_million_links() {
    run("chain", || straight_ball_chain(MILLION, |_| 1.0).build().expect("a valid chain"));
}

#[test]
fn a_star_with_a_million_leaves() {
    run("star", || tree_case(&format!("d{MILLION}")).expect("a known case").builder().build().expect("a valid star"));
}

/// The factorisation and the solve follow the plan exactly, so its counted operations are theirs.
#[test]
fn counted_work_is_linear() {
    let _alone = ALONE.lock().unwrap_or_else(|e| e.into_inner());
    for family in ["a", "b", "c", "d"] {
        let count = |n: usize| {
            let model = tree_case(&format!("{family}{n}")).expect("a known case").builder().build().expect("valid");
            let cost = model.cost();
            (model.n_bodies() as f64, cost.factor_flops + cost.solve_flops)
        };
        let (small, large) = (count(1000), count(100_000));
        let exponent = (large.1 / small.1).ln() / (large.0 / small.0).ln();
        println!("{family}: exponent {exponent:.4}, {:.0} flops per body", large.1 / large.0);
        assert!(exponent <= 1.01, "{family}: {exponent}");
    }
}
