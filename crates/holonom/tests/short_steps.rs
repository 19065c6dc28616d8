//! Steps for those in a hurry: first-order steps in joint coordinates, and projections that stop early.

mod common;

use common::for_mechanisms;
use common::grow::Wish;
use holonom::prelude::*;
use holonom_cases::case;

/// Where a mechanism is after `t` in steps of `h`, and the largest gap on the way.
fn stepped(spec: &common::spec::Spec, coordinates: Coordinates, h: f64, t: f64) -> Option<(Vec<f64>, f64)> {
    let mut sim = spec.simulation();
    sim.set_integrator(IntegratorKind::SemiImplicitEuler);
    sim.set_coordinates(coordinates).ok()?;
    let mut gap = 0.0f64;
    for _ in 0..(t / h).round() as usize {
        gap = gap.max(sim.step(h).ok()?.gap);
    }
    Some((sim.state().q.clone(), gap))
}

#[test]
fn first_order_steps_in_joint_coordinates_lead_along_the_motion() {
    const T: f64 = 0.032;
    for_mechanisms("euler in joint coordinates", 0.25, Wish { most: 5, ..Wish::CHARTS }, |spec, worst| {
        let spec = spec.smooth();
        let mut exact = spec.simulation();
        exact.set_integrator(IntegratorKind::Dop853 { relative: 1e-12, absolute: 1e-12 });
        let ways = [2e-3, 5e-4].map(|h| stepped(&spec, Coordinates::Joint, h, T));
        let (Ok(_), [Some((coarse, gap)), Some((fine, _))]) = (exact.run_until(T), ways) else {
            worst.note("not followed", 1.0);
            return Ok(());
        };
        let error = |q: &[f64]| common::gap(q, &exact.state().q);
        worst.at_most("gap", gap, 1e-10)?;
        // a quarter of the step, a quarter of the error, as far as either is already of first order
        worst.at_most("error left by a quarter of the step", error(&fine) / (error(&coarse) + 1e-9), 0.4)
    });
}

/// A tree of 128 bodies on ball joints in a wild state, 0.2 s in steps of 1 ms: largest gap in each half of the way, and
/// solves.
fn wild(drift: Drift, coordinates: Coordinates) -> ([f64; 2], Simulation) {
    let case = case("c128").expect("a case");
    let mut sim = Simulation::build(case.builder()).expect("a tree");
    sim.set_integrator(IntegratorKind::SemiImplicitEuler);
    sim.set_drift(drift);
    sim.set_coordinates(coordinates).expect("ball joints have charts");
    let mut gaps = [0.0f64; 2];
    for step in 0..200 {
        let report = sim.step(1e-3).expect("a step");
        gaps[step / 100] = gaps[step / 100].max(report.gap);
    }
    (gaps, sim)
}

#[test]
fn projections_stop_where_they_are_told_to() {
    let ([first, second], _) = wild(Drift::Project, Coordinates::Maximal);
    println!("to rounding: {first:.1e}, {second:.1e}");
    assert!(first.max(second) <= 1e-13);
    for tolerance in [1e-8, 1e-10, 1e-12] {
        let ([first, second], sim) = wild(Drift::Tolerance(tolerance), Coordinates::Maximal);
        println!("to {tolerance:.0e}: {first:.1e}, {second:.1e}");
        assert!(first.max(second) <= tolerance);
        let (gap, rate) = sim.violation();
        assert!(gap <= tolerance && rate <= tolerance);
    }
}

/// After 0.2 s of single corrections: what a step leaves open that begins with all joints closed, and one that begins
/// with what the corrections before it have left.
fn left_open(h: f64) -> [f64; 2] {
    let case = case("c128").expect("a case");
    let mut sim = Simulation::build(case.builder()).expect("a tree");
    sim.set_integrator(IntegratorKind::SemiImplicitEuler);
    sim.set_drift(Drift::Once);
    let mut left = [0.0f64; 2];
    for step in 0..(0.2 / h).round() as usize {
        if step % 10 == 9 {
            let state = sim.state().clone();
            sim.set_drift(Drift::Project);
            sim.project().expect("joints can be closed");
            sim.set_drift(Drift::Once);
            left[0] = left[0].max(sim.step(h).expect("a step").gap);
            sim.set_state(state);
        }
        left[1] = left[1].max(sim.step(h).expect("a step").gap);
    }
    left
}

#[test]
fn what_one_correction_leaves_is_of_third_order_and_does_not_add_up() {
    let [coarse, fine] = [1e-3, 5e-4].map(left_open);
    for [closed, open] in [coarse, fine] {
        println!("one correction of closed joints leaves {closed:.1e}, of open ones {open:.1e}");
        assert!(closed > 1e-12, "it is one correction");
        assert!(open < 2.0 * closed, "what corrections leave adds up: {closed:.1e} from closed joints, {open:.1e}");
    }
    let order = (coarse[1] / fine[1]).log2();
    assert!((2.5..4.5).contains(&order), "of order {order:.2} in the step");
}

#[test]
fn joint_coordinates_need_no_projection() {
    let ([first, second], _) = wild(Drift::Project, Coordinates::Joint);
    println!("largest gaps {first:.1e}, {second:.1e}");
    assert!(first.max(second) <= 1e-12);
}

#[test]
fn projections_to_a_tolerance_work_with_every_integrator() {
    for kind in [IntegratorKind::RungeKutta4, IntegratorKind::default(), IntegratorKind::Stepping] {
        for drift in [Drift::Tolerance(1e-9), Drift::Once] {
            let mut sim = Simulation::build(case("a16").expect("a case").builder()).expect("a chain");
            sim.set_integrator(kind);
            sim.set_drift(drift);
            let mut gap = 0.0f64;
            for _ in 0..200 {
                gap = gap.max(sim.step(2e-3).expect("a step").gap);
            }
            println!("{} {drift:?}: {gap:.1e}", kind.name());
            assert!(gap <= if drift == Drift::Once { 1e-6 } else { 1e-9 });
        }
    }
}
