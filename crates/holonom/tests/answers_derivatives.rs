//! Derivatives of forward dynamics from the held factor, against differences of whole solutions at closed neighbours.

#[path = "common/closed.rs"]
mod closed;
mod common;

use closed::{Closed, closed};
use common::grow::Wish;
use common::{Worst, dot, for_mechanisms, gap, size};
use holonom::answers::{Displacement, HeldFactor, Response};
use holonom::check::advance_body;
use holonom::math::SplitMix;
use holonom::prelude::*;
use proptest::test_runner::TestCaseError;
use std::sync::Arc;

/// A random change of everything.
fn random(n: usize, g: &mut SplitMix) -> Displacement {
    let mut list = |scale: f64| (0..n).map(|_| g.symmetric(scale)).collect::<Vec<f64>>();
    Displacement { position: list(1.0), velocity: list(1.0), force: list(5.0) }
}

/// Accelerations and multipliers at the neighbour `h` along `d`, joints closed and velocities legal, everything solved
/// anew.
fn neighbour(model: &Arc<Model>, d: &Displacement, h: f64) -> (Vec<f64>, Vec<f64>) {
    let mut state = model.initial_state().clone();
    for body in model.bodies() {
        let (q, v) = (model.q_range(body), model.v_range(body));
        advance_body(model, body, &mut state.q[q], &d.position[v.clone()], h);
        v.for_each(|k| state.v[k] += h * d.velocity[k]);
    }
    let mut sim = Simulation::new(model.clone());
    sim.set_state(state);
    sim.project().expect("a neighbour");
    let mut held = HeldFactor::at(model, sim.state()).expect("regular");
    let force: Vec<f64> = held.force().iter().zip(&d.force).map(|(f, d)| f + h * d).collect();
    let mut x = force;
    x.extend_from_slice(held.row_acceleration());
    held.solve(&mut x).expect("regular");
    let multipliers = x.split_off(model.n_v());
    (x, multipliers)
}

/// Central differences at h and h/2, extrapolated; and how far they are apart.
fn differences(model: &Arc<Model>, d: &Displacement, h: f64) -> (Vec<f64>, Vec<f64>, f64) {
    let central = |h: f64| {
        let (ahead, behind) = (neighbour(model, d, h), neighbour(model, d, -h));
        let slope = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b) / (2.0 * h)).collect::<Vec<f64>>();
        (slope(&ahead.0, &behind.0), slope(&ahead.1, &behind.1))
    };
    let (coarse, fine) = (central(h), central(0.5 * h));
    let better = |c: &[f64], f: &[f64]| f.iter().zip(c).map(|(f, c)| f + (f - c) / 3.0).collect::<Vec<f64>>();
    let apart = gap(&coarse.0, &fine.0) / size(&fine.0).max(1e-300);
    (better(&coarse.0, &fine.0), better(&coarse.1, &fine.1), apart)
}

/// Returns whether the differences were any good.
fn compare(model: &Arc<Model>, seed: u64, worst: &Worst) -> Result<bool, TestCaseError> {
    let mut held = HeldFactor::at(model, model.initial_state()).expect("regular");
    let factors = held.counts().map(|c| c.factors);
    let d = held.legal(&random(model.n_v(), &mut SplitMix(seed))).expect("regular");
    if size(&d.position) < 1e-9 {
        return Ok(false);
    }
    let found = held.derivative(&d).expect("smooth");
    assert_eq!(held.counts().map(|c| c.factors), factors, "nothing is factored again");
    let (a, lambda, apart) = differences(model, &d, 2e-4);
    if apart > 1e-4 {
        return Ok(false);
    }
    worst.at_most("its own estimate of the error", found.error, 1e-7)?;
    worst.at_most("accelerations", gap(&found.acceleration, &a) / size(&a).max(1.0), 1e-6)?;
    worst.at_most("multipliers", gap(&found.multipliers, &lambda) / size(&lambda).max(1.0), 1e-6)?;
    Ok(true)
}

#[test]
fn trees_and_loops_against_differences_of_solutions() {
    let good = std::cell::Cell::new(0);
    for_mechanisms("derivatives, trees", 0.12, Wish { most: 6, ..Wish::ANY }, |spec, worst| {
        let model = Arc::new(spec.build().expect("accepted"));
        good.set(good.get() + usize::from(compare(&model, 11, worst)?));
        Ok(())
    });
    let worst = Worst::default();
    let (mut loops, mut used) = (0, 0);
    for number in 0..60 {
        let spec = closed(number, Closed { most: 6, rigid: number % 2 == 0, closing: 2, full_rank: true });
        let Ok(model) = spec.build() else { continue };
        let looped = model.has_loops();
        let one = compare(&Arc::new(model), number, &worst).unwrap_or_else(|e| panic!("mechanism {number}: {e}"));
        loops += usize::from(looped && one);
        used += usize::from(one);
    }
    worst.print("derivatives, loops");
    println!("{} trees, {used} closed mechanisms, {loops} with loops", good.get());
    assert!(good.get() > 20 && loops > 20);
}

/// By forces it is the held factor itself, by velocities the differences of a quadratic: both to rounding.
#[test]
fn forces_and_velocities_are_exact() {
    let worst = Worst::default();
    for number in 0..20 {
        let spec = closed(number, Closed { most: 5, rigid: true, closing: 2, full_rank: true }).smooth();
        let Ok(model) = spec.build() else { continue };
        let model = Arc::new(model);
        let mut held = HeldFactor::at(&model, model.initial_state()).expect("regular");
        let mut g = SplitMix(number);
        let (f, v): (Vec<f64>, Vec<f64>) = (0..model.n_v()).map(|_| (g.symmetric(1.0), g.symmetric(1.0))).unzip();
        let by_force = held.derivative(&Displacement { force: f.clone(), ..Displacement::default() }).expect("smooth");
        assert_eq!(by_force.acceleration, held.respond(&f).expect("regular").acceleration);
        assert_eq!(by_force.error, 0.0);
        // c and the inertial forces are quadratic: twice the step, the same difference
        let by_velocity =
            held.derivative(&Displacement { velocity: v.clone(), ..Displacement::default() }).expect("smooth");
        worst.demand("error by velocities", by_velocity.error, 1e-12);
        let at = |h: f64| {
            let mut state = model.initial_state().clone();
            state.v.iter_mut().zip(&v).for_each(|(x, d)| *x += h * d);
            HeldFactor::at(&model, &state).expect("regular").accelerations().expect("regular").acceleration
        };
        let (ahead, behind) = (at(1.0), at(-1.0));
        let slope: Vec<f64> = ahead.iter().zip(&behind).map(|(a, b)| 0.5 * (a - b)).collect();
        worst.demand("by velocities", gap(&by_velocity.acceleration, &slope) / size(&ahead).max(1.0), 1e-11);
    }
    worst.print("forces_and_velocities_are_exact");
}

/// A pendulum on a rod: everything by hand. x'' = lambda x / (m L), on the rod lambda = m (g z / L - v²/L), z upwards.
#[test]
fn a_pendulum_by_hand() {
    let build = |mass: f64, length: f64| {
        let (s, c) = (0.3f64.sin(), 0.3f64.cos());
        let mut m = ModelBuilder::new();
        m.assembly(holonom::Assembly::Open);
        let bob = Particle::new(mass, [1.7 * s, 0.0, -1.7 * c]).velocity([0.8 * c, 0.0, 0.8 * s]);
        let bob = m.body("bob", bob);
        m.joint("rod", Distance::new(BodyId::GROUND.origin(), bob.origin(), length));
        m.build()
    };
    let model = Arc::new(build(2.0, 1.7).expect("valid"));
    let mut held = HeldFactor::at(&model, model.initial_state()).expect("regular");
    // along the swing: dq = L t, dv = -v n (the velocity turns with the rod)
    let (s, c) = (0.3f64.sin(), 0.3f64.cos());
    let swing = Displacement { position: vec![1.7 * c, 0.0, 1.7 * s], ..Displacement::default() };
    let legal = held.legal(&swing).expect("regular");
    assert!(gap(&legal.position, &swing.position) < 1e-14);
    assert!(gap(&legal.velocity, &[-0.8 * s, 0.0, 0.8 * c]) < 1e-9, "{:?}", legal.velocity);
    // angular acceleration -g/L sin: its derivative by the angle; the rod's load -m (g cos + v²/L): likewise
    let d = held.derivative(&legal).expect("smooth");
    assert!((d.multipliers[0] - 2.0 * 9.81 * s).abs() < 1e-9, "{:?}", d.multipliers);
    let (alpha, v) = (-9.81 / 1.7 * s, 0.8);
    // a = L alpha t - v²/L n;  t' = n_down.., by the angle: L alpha' t + L alpha t' - v²/L n'
    let t = [c, s];
    let n = [s, -c];
    let expect = |k: usize| -9.81 * c * t[k] - 1.7 * alpha * n[k] - v * v / 1.7 * t[k];
    assert!((d.acceleration[0] - expect(0)).abs() < 1e-9 && (d.acceleration[2] - expect(1)).abs() < 1e-9, "{d:?}");
    // by the mass: the motion does not change, the load does
    let by_mass = held.derivative_by_parameter(2.0, 1.0, |mass| build(mass, 1.7)).expect("smooth");
    assert!(size(&by_mass.acceleration) < 1e-10);
    let load = -(9.81 * c + v * v / 1.7);
    assert!((by_mass.multipliers[0] - load).abs() < 1e-9, "{:?} against {load}", by_mass.multipliers);
    // another model is refused
    let wrong = held.derivative_by_parameter(1.0, 1.0, |_| {
        let mut m = ModelBuilder::new();
        m.body("bob", Particle::new(1.0, [0.0; 3]));
        m.build()
    });
    assert!(wrong.map_err(|e| e.to_string()).unwrap_err().contains("other coordinates or rows"));
}

/// Backwards: rows of the matrix whose columns are derivatives along directions, on trees and loops.
#[test]
fn pulled_back_and_pushed_forward_agree() {
    let worst = Worst::default();
    let mut used = 0;
    for number in 0..60 {
        let spec = closed(number, Closed { most: 6, rigid: number % 2 == 0, closing: 2, full_rank: true });
        let Ok(model) = spec.build() else { continue };
        let model = Arc::new(model);
        let mut held = HeldFactor::at(&model, model.initial_state()).expect("regular");
        let mut g = SplitMix(number);
        let mut list = |n: usize| (0..n).map(|_| g.symmetric(1.0)).collect::<Vec<f64>>();
        let of = Response { acceleration: list(model.n_v()), multipliers: list(model.n_rows()) };
        let factors = held.counts().map(|c| c.factors);
        let Ok(back) = held.pull_back(std::slice::from_ref(&of)) else { continue };
        assert_eq!(held.counts().map(|c| c.factors), factors, "nothing is factored again");
        let d = random(model.n_v(), &mut SplitMix(number + 100));
        let found = held.derivative(&d).expect("smooth");
        let forwards = dot(&found.acceleration, &of.acceleration) + dot(&found.multipliers, &of.multipliers);
        let backwards =
            dot(&back[0].position, &d.position) + dot(&back[0].velocity, &d.velocity) + dot(&back[0].force, &d.force);
        let scale = size(&found.acceleration).max(size(&found.multipliers)).max(1.0);
        worst.demand("apart", (forwards - backwards).abs() / scale, 1e-7);
        used += 1;
    }
    worst.print("pulled back");
    assert!(used > 30, "{used}");
}
