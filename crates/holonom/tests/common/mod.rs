//! What the tests share: random mechanisms, dense algebra that knows nothing of trees, and the measures of agreement.

// every test file is a crate of its own and uses a part of this module
#![allow(dead_code)]

pub mod dense;
pub mod grow;
pub mod spec;

use holonom::math::{Mat3, SplitMix, Vec3, exp_quat};
use holonom::{Model, Simulation, State};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// The same cases on every run; `share` of the usual number, which the variable PROPTEST_CASES can raise.
pub fn config(share: f64) -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = ((default.cases as f64 * share) as u32).max(1);
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..default }
}

/// Largest absolute entry; NaN counts as infinite.
pub fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, x| if x.abs() <= m { m } else { x.abs() }.max(if x.is_nan() { f64::INFINITY } else { m }))
}

/// Largest difference of two lists; infinite when their lengths differ.
pub fn gap(a: &[f64], b: &[f64]) -> f64 {
    if a.len() != b.len() {
        return f64::INFINITY;
    }
    size(&a.iter().zip(b).map(|(a, b)| a - b).collect::<Vec<_>>())
}

/// The difference relative to the larger of the two lists.
pub fn difference(a: &[f64], b: &[f64]) -> f64 {
    let d = gap(a, b);
    if d == 0.0 { 0.0 } else { d / size(a).max(size(b)) }
}

pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// The bits of a list, -0.0 as 0.0.
pub fn bits(x: &[f64]) -> Vec<u64> {
    x.iter().map(|x| (x + 0.0).to_bits()).collect()
}

/// A random rotation.
pub fn turn(g: &mut SplitMix) -> Mat3 {
    Mat3::from_quat(exp_quat(g.vec3(3.0)))
}

/// A random unit vector.
pub fn direction(g: &mut SplitMix) -> Vec3 {
    turn(g) * Vec3::X
}

/// A simulation of `model` at `state`.
pub fn at(model: &std::sync::Arc<Model>, state: &State) -> Simulation {
    let mut sim = Simulation::new(model.clone());
    sim.set_state(state.clone());
    sim
}

/// Slopes of log2(error) between successive halvings of the step.
pub fn slopes(errors: &[f64]) -> Vec<f64> {
    errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect()
}
