//! What the tests share: random mechanisms, dense algebra that knows nothing of trees, and the measures of agreement.

// every test file is a crate of its own and uses a part of this module
#![allow(dead_code)]

pub mod dense;
pub mod editing;
pub mod grow;
pub mod linkage;
pub mod own;
pub mod sides;
pub mod spec;
pub mod top;

use holonom::math::{Mat3, SplitMix, Vec3, exp_quat};
use holonom::{Model, Simulation, State};
use proptest::prelude::*;
use proptest::test_runner::{RngSeed, TestCaseError, TestRunner};
use std::cell::RefCell;
use std::collections::BTreeMap;

/// The same cases on every run; `share` of twice the usual number, which the variable PROPTEST_CASES can raise.
pub fn config(share: f64) -> ProptestConfig {
    let default = ProptestConfig::default();
    let cases = ((2.0 * default.cases as f64 * share) as u32).max(1);
    ProptestConfig { cases, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..default }
}

/// Largest absolute entry; NaN counts as infinite.
pub fn size(x: &[f64]) -> f64 {
    x.iter()
        .fold(0.0, |m: f64, x| if x.abs() <= m { m } else { x.abs() }.max(if x.is_nan() { f64::INFINITY } else { m }))
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

/// The largest of every figure measured, for the report at the end of a test.
#[derive(Default)]
pub struct Worst(RefCell<BTreeMap<&'static str, f64>>);

impl Worst {
    pub fn note(&self, what: &'static str, value: f64) {
        let mut figures = self.0.borrow_mut();
        let old = figures.entry(what).or_insert(0.0);
        if !(value <= *old) {
            *old = value;
        }
    }

    /// Note the figure, and fail when it is larger than allowed (or NaN).
    pub fn at_most(&self, what: &'static str, value: f64, allowed: f64) -> Result<(), TestCaseError> {
        self.note(what, value);
        if value <= allowed {
            Ok(())
        } else {
            Err(TestCaseError::fail(format!("{what}: {value:e}, allowed {allowed:e}")))
        }
    }

    /// As [`Worst::at_most`], for tests without a runner.
    pub fn demand(&self, what: &'static str, value: f64, allowed: f64) {
        self.at_most(what, value, allowed).unwrap_or_else(|e| panic!("{e}"));
    }

    pub fn get(&self, what: &str) -> f64 {
        self.0.borrow().get(what).copied().unwrap_or(0.0)
    }

    pub fn print(&self, test: &str) {
        for (what, value) in self.0.borrow().iter() {
            println!("{test}: {what} {value:.2e}");
        }
    }
}

/// Run a test on many values, the same on every run, with shrinking; then print its figures.
pub fn for_all<S: Strategy>(
    name: &str,
    share: f64,
    strategy: S,
    test: impl Fn(S::Value, &Worst) -> Result<(), TestCaseError>,
) {
    let worst = Worst::default();
    let result = TestRunner::new(config(share)).run(&strategy, |value| test(value, &worst));
    worst.print(name);
    if let Err(e) = result {
        panic!("{name}: {e}");
    }
}

/// Run a test on random mechanisms. Most of the bodies asked for must have been accepted.
pub fn for_mechanisms(
    name: &str,
    share: f64,
    wish: grow::Wish,
    test: impl Fn(&spec::Spec, &Worst) -> Result<(), TestCaseError>,
) {
    let counts = RefCell::new((0, 0));
    for_all(name, share, grow::steps(wish), |(steps, seed), worst| {
        let grown = grow::grow(&steps, seed, wish);
        let mut counts = counts.borrow_mut();
        counts.0 += grown.asked;
        counts.1 += grown.refused.len();
        test(&grown.spec, worst)
    });
    let (asked, refused) = *counts.borrow();
    println!("{name}: {refused} of {asked} bodies refused");
    assert!(4 * refused <= asked, "{name}: {refused} of {asked} bodies refused");
}
