//! The Whipple bicycle, linearised. Four rigid bodies, three hinges, two discs that roll on the ground, all nonlinear;
//! the bicycle runs straight at a steady speed, and `Simulation::linearise` does the rest. Frame of the reference: x
//! forward, y right, z down.
//!
//! Of the ten eigenvalues six are zero: four for what can be anywhere (along, across, heading, and how far a wheel has
//! turned for its own part), one for the speed and one more for the heading, which turns into a drift across. The four
//! others are compared.
//!
//! Weave speed: where the real part of the weave mode vanishes, by secants. Capsize speed: where the product of the
//! four eigenvalues vanishes. That is det(g K0 + v² K2) / det M, linear in v² because the first column of K2 is zero,
//! so two speeds suffice.

use crate::Reference;
use crate::comparison::{Comparison, VerifyError};
use crate::scenes::load;
use holonom::linear::{Complex, Linearisation};

pub(crate) fn run(p: &Reference, compare: &mut Comparison) -> Result<(), VerifyError> {
    compare.variant("four bodies, linearised");
    let (mut rows, mut accelerations, mut zeros) = (Vec::new(), Vec::new(), Vec::new());
    for sample in &p.samples {
        let found = linearised(sample[0])?;
        accelerations.push(found.acceleration());
        zeros.push(found.eigenvalues().iter().filter(|e| e.abs() == 0.0).count() as f64);
        rows.push(matched(found.eigenvalues(), &sample[1..]));
    }
    compare.columns(&rows);
    compare.constant("number of zeros", &zeros, 6.0);
    compare.at_most("acceleration while running straight", &accelerations, 1e-9);

    let weave = |v: f64| -> Result<f64, VerifyError> {
        let found = linearised(v)?;
        let oscillating = found.eigenvalues().iter().filter(|e| e.im > 1.0);
        Ok(oscillating.map(|e| e.re).fold(f64::NAN, f64::max))
    };
    let (mut v0, mut v1) = (4.2, 4.4);
    let (mut f0, mut f1) = (weave(v0)?, weave(v1)?);
    for _ in 0..8 {
        let next = v1 - f1 * (v1 - v0) / (f1 - f0);
        if !next.is_finite() {
            break;
        }
        (v0, f0, v1) = (v1, f1, next);
        f1 = weave(v1)?;
    }
    compare.scalar("weave_speed", Some(v1), p.scalar("weave_speed"));

    let product = |v: f64| -> Result<f64, VerifyError> {
        let found = linearised(v)?;
        let largest = found.eigenvalues().iter().rev().take(4);
        Ok(largest.fold(Complex::new(1.0, 0.0), |product, e| product * *e).re)
    };
    let (slow, fast) = (5.0, 7.0);
    let (at_slow, at_fast) = (product(slow)?, product(fast)?);
    let square = slow * slow - at_slow * (fast * fast - slow * slow) / (at_fast - at_slow);
    compare.scalar("capsize_speed", Some(square.sqrt()), p.scalar("capsize_speed"));
    Ok(())
}

/// For each eigenvalue of the reference the nearest one found that is not taken yet.
fn matched(found: &[Complex], expected: &[f64]) -> Vec<f64> {
    let mut left = found.to_vec();
    let mut row = Vec::new();
    for pair in expected.chunks_exact(2) {
        let wanted = Complex::new(pair[0], pair[1]);
        let near = (0..left.len()).min_by(|&i, &j| (left[i] - wanted).abs().total_cmp(&(left[j] - wanted).abs()));
        if let Some(i) = near {
            let value = left.swap_remove(i);
            row.extend([value.re, value.im]);
        }
    }
    row
}

/// The bicycle upright, running along x at `v` m/s.
fn linearised(v: f64) -> Result<Linearisation, VerifyError> {
    Ok(load("p16-whipple-bicycle", &[("v", v)])?.sim.linearise()?)
}
