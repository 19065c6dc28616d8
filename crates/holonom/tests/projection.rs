//! Drift and its cures: projection across the constraints only, feedback that bounds, nothing that grows.

mod common;

use common::dense::Dense;
use common::grow::{Wish, random_marker};
use common::spec::{Spec, body_id};
use common::{Worst, for_mechanisms, size};
use holonom::Feedback;
use holonom::math::{SplitMix, log_quat};
use holonom::prelude::*;

/// Move every coordinate by up to `d`; quaternions stay of unit length.
fn disturb(spec: &Spec, sim: &mut Simulation, g: &mut SplitMix, d: f64) {
    let model = sim.model().clone();
    let state = sim.state_mut();
    for i in 0..spec.bodies.len() {
        let q = &mut state.q[model.q_range(body_id(i))];
        q.iter_mut().for_each(|x| *x += g.symmetric(d));
        if spec.bodies[i].kind.turns() {
            let length = q[3..7].iter().map(|x| x * x).sum::<f64>().sqrt();
            q[3..7].iter_mut().for_each(|x| *x /= length);
        }
    }
}

/// The way from one pose to another, in velocity coordinates.
fn way(spec: &Spec, model: &Model, from: &[f64], to: &[f64]) -> Vec<f64> {
    let mut out = Vec::new();
    for i in 0..spec.bodies.len() {
        let (a, b) = (&from[model.q_range(body_id(i))], &to[model.q_range(body_id(i))]);
        if spec.bodies[i].kind.turns() {
            out.extend((0..3).map(|k| b[k] - a[k]));
            let quat = |x: &[f64]| Quat::from_xyzw(x[4], x[5], x[6], x[3]);
            out.extend(log_quat(quat(b) * quat(a).conjugate()).to_array());
            out.extend((7..a.len()).map(|k| a[k] * libm::log(b[k] / a[k])));
        } else {
            out.extend(a.iter().zip(b).map(|(a, b)| b - a));
        }
    }
    out
}

/// Legal directions: what the mechanism does when points are pushed.
fn legal_directions(spec: &Spec, sim: &mut Simulation, g: &mut SplitMix) -> Vec<Vec<f64>> {
    let mut one = || {
        let push = |(i, b): (usize, &common::spec::BodySpec)| (random_marker(Some(b.kind), body_id(i), g), g.vec3(1.0));
        let pushes: Vec<(Marker, Vec3)> = spec.bodies.iter().enumerate().map(push).collect();
        sim.velocities_from_forces(&pushes).expect("regular")
    };
    (0..4).map(|_| one()).filter(|n| size(n) > 1e-9).collect()
}

fn cosine(d: &Dense, x: &[f64], n: &[f64]) -> f64 {
    d.inner(x, n).abs() / (d.inner(x, x) * d.inner(n, n)).sqrt().max(1e-300)
}

/// Velocities are corrected in one linear step: exactly across the constraints, in the measure of M.
#[test]
fn velocities_are_corrected_across_the_constraints() {
    for_mechanisms("velocity projection", 2.0, Wish::ANY, |spec, worst| {
        let mut sim = spec.simulation();
        let mut g = SplitMix(spec.bodies.len() as u64);
        let disturbed: Vec<f64> = sim.state().v.iter().map(|v| v + g.symmetric(1.0)).collect();
        sim.state_mut().v.copy_from_slice(&disturbed);
        sim.project().expect("regular");
        let (gap, rate) = sim.violation();
        worst.at_most("gap left", gap, 1e-12)?;
        worst.at_most("gap rate left", rate, 1e-12)?;
        let dv: Vec<f64> = sim.state().v.iter().zip(&disturbed).map(|(a, b)| a - b).collect();
        let d = Dense::at(sim.model(), sim.state());
        for n in legal_directions(spec, &mut sim, &mut g) {
            if size(&dv) > 1e-9 {
                worst.at_most("cosine of dv to legal motion", cosine(&d, &dv, &n), 1e-9)?;
            }
        }
        Ok(())
    });
}

/// Positions are corrected in a few such steps: across the constraints up to the curvature of the way.
#[test]
fn positions_are_corrected_across_the_constraints() {
    for_mechanisms("position projection", 2.0, Wish::ANY, |spec, worst| {
        const DISTURBANCE: f64 = 1e-6;
        let mut sim = spec.simulation();
        let mut g = SplitMix(spec.bodies.len() as u64);
        disturb(spec, &mut sim, &mut g, DISTURBANCE);
        let before = sim.state().q.clone();
        let gap_before = sim.violation().0;
        if sim.project().is_err() {
            // rows of planar bodies may have been dropped that a disturbed start would need
            worst.note("not projected", 1.0);
            return Ok(());
        }
        let (gap, rate) = sim.violation();
        worst.at_most("gap left", gap, 1e-12)?;
        worst.at_most("gap rate left", rate, 1e-12)?;
        if gap_before < 1e-9 {
            return Ok(()); // nothing to correct
        }
        let d = Dense::at(sim.model(), sim.state());
        let dx = way(spec, sim.model(), &before, &sim.state().q);
        // second order: the disturbance times the curvature of the way
        let allowed = 100.0 * DISTURBANCE;
        for n in legal_directions(spec, &mut sim, &mut g) {
            worst.at_most("cosine of dx to legal motion", cosine(&d, &dx, &n), allowed)?;
        }
        Ok(())
    });
}

/// A pendulum on a hinge, released with a push.
fn pendulum() -> ModelBuilder {
    let mut m = ModelBuilder::new();
    let rod = m.body("rod", Rigid::cuboid(1.0, [1.0, 0.2, 0.1]).position([0.5, 0.0, 0.0]).spin([0.0, 1.0, 0.0]));
    let axis = [0.0, 1.0, 0.0];
    let pivot = BodyId::GROUND.origin().along(axis);
    m.joint("hinge", Revolute::new(pivot, rod.at([-0.5, 0.0, 0.0]).along(axis)));
    m
}

/// Largest gap in each second of ten.
fn gaps(drift: Drift) -> Vec<f64> {
    let mut sim = Simulation::build(pendulum()).expect("valid");
    sim.set_integrator(IntegratorKind::RungeKutta4);
    sim.set_drift(drift);
    let second = |sim: &mut Simulation| {
        (0..100).fold(0.0, |m: f64, _| {
            sim.step(1e-2).expect("regular");
            m.max(sim.violation().0)
        })
    };
    (0..10).map(|_| second(&mut sim)).collect()
}

#[test]
fn drift_grows_is_bounded_or_vanishes() {
    let worst = Worst::default();
    let none = gaps(Drift::None);
    let feedback = gaps(Drift::Feedback(Feedback::default()));
    let project = gaps(Drift::Project);
    println!("none {none:?}\nfeedback {feedback:?}\nprojection {project:?}");
    // nothing: the gap of the last second is many times that of the first
    assert!(none[9] > 10.0 * none[0], "without correction {none:?}");
    // feedback: what the integrator loses in one time constant, no more, however long the run
    let late = feedback[5..].iter().fold(0.0, |a: f64, b| a.max(*b));
    worst.demand("feedback, late gap of early gap", late / feedback[..5].iter().fold(0.0, |a: f64, b| a.max(*b)), 2.0);
    worst.demand("feedback, gap of drift without it", late / none[9], 0.1);
    worst.demand("projection", size(&project), 1e-12);
    worst.print("drift");
}
