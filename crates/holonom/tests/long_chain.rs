//! A chain of 100 links on ball joints, released from horizontal, for ten seconds: the whip at its end is the hard part.

use holonom::prelude::*;
use holonom_cases::straight_ball_chain;

/// Energy scale: 100 kg falling through 50 m.
const SCALE: f64 = 49_050.0;

fn chain() -> Simulation {
    Simulation::new(straight_ball_chain(100, |_| 1.0).build().expect("a valid chain"))
}

fn check(sim: &mut Simulation, start: f64, largest_gap: f64, what: &str) {
    let error = (sim.energy().total() - start).abs() / SCALE;
    println!("{what}: largest gap {largest_gap:.2e} m, energy error {error:.2e} of {SCALE} J");
    assert!(largest_gap <= 1e-12, "{what}: gap {largest_gap:e}");
    assert!(error <= 1e-10, "{what}: energy error {error:e}");
}

#[test]
fn fixed_step_of_a_millisecond() {
    let mut sim = chain();
    let start = sim.energy().total();
    let mut gap: f64 = 0.0;
    for _ in 0..10_000 {
        sim.step(1e-3).expect("a regular motion");
        gap = gap.max(sim.violation().0);
    }
    check(&mut sim, start, gap, "dop853, 1 ms");
}

#[test]
fn adaptive_step() {
    let mut sim = chain();
    let start = sim.energy().total();
    let mut gap: f64 = 0.0;
    let mut steps = 0;
    for k in 1..=100 {
        steps += sim.run_until(0.1 * k as f64).expect("a regular motion").steps;
        gap = gap.max(sim.violation().0);
    }
    println!("{steps} steps");
    check(&mut sim, start, gap, "dop853, adaptive");
}
