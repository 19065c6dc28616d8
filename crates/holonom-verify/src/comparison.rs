//! The compare of verdicts: what was found, what was known, how far apart.

use crate::Reference;
use holonom::{ModelError, StepError};
use serde::Serialize;

/// One quantity of a problem, compared with its reference: one line of the verification manual.
#[derive(Debug, Serialize)]
pub struct Verdict {
    /// Name of the problem.
    pub problem: String,
    /// How the problem was modelled, and what was compared.
    pub quantity: String,
    /// Largest deviation over `scale`; `f64::MAX` where there was nothing to measure.
    pub error: f64,
    /// Largest error that passes.
    pub allowed: f64,
    /// Is the error within what is allowed?
    pub pass: bool,
    /// What `error` and `allowed` are relative to.
    #[serde(skip)]
    pub scale: f64,
}

/// Why a problem could not be run to its end.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The model cannot be built.
    #[error(transparent)]
    Model(#[from] ModelError),
    /// The simulation stopped.
    #[error(transparent)]
    Step(#[from] StepError),
    /// The scene of the problem cannot be used; says why.
    #[error("{0}")]
    Scene(String),
}

/// Collects the verdicts of one problem.
pub(crate) struct Comparison<'a> {
    problem: &'a Reference,
    allowed: f64,
    /// How the problem is modelled just now; stands before each quantity.
    variant: &'static str,
    pub verdicts: Vec<Verdict>,
}

impl<'a> Comparison<'a> {
    pub fn new(problem: &'a Reference) -> Self {
        let allowed = (10.0 * 10f64.powi(-problem.trusted_digits)).max(1e-9);
        Comparison { problem, allowed, variant: "", verdicts: Vec::new() }
    }

    /// The verdicts that follow are about this way of modelling the problem.
    pub fn variant(&mut self, name: &'static str) {
        self.variant = name;
    }

    /// All columns of the samples but the time, one row of `found` per sample.
    pub fn columns(&mut self, found: &[Vec<f64>]) {
        let problem = self.problem;
        for (k, name) in problem.columns.iter().enumerate().skip(1) {
            let expected = problem.samples.iter().map(|row| row[k]);
            // a missing row or number can only fail
            let found = (0..problem.samples.len())
                .map(|i| found.get(i).and_then(|r| r.get(k - 1)).copied().unwrap_or(f64::NAN));
            self.compare(name, found, expected);
        }
    }

    /// A scalar answer, found by measurement; `None` when there was nothing to measure.
    pub fn scalar(&mut self, name: &str, found: Option<f64>, expected: f64) {
        self.compare(name, [found.unwrap_or(f64::NAN)], [expected]);
    }

    /// A quantity that has one value at all times.
    pub fn constant(&mut self, name: &str, found: &[f64], expected: f64) {
        self.compare(name, found.iter().copied(), std::iter::repeat_n(expected, found.len()));
    }

    /// A quantity at several times, one expected value for each.
    pub fn series(&mut self, name: &str, found: &[f64], expected: &[f64]) {
        let missing = std::iter::repeat_n(f64::NAN, expected.len().saturating_sub(found.len()));
        self.compare(name, found.iter().copied().chain(missing), expected.iter().copied());
    }

    /// Something that should be zero, as it was found, with a limit of its own.
    pub fn at_most(&mut self, name: &str, found: &[f64], allowed: f64) {
        let found = if found.is_empty() { &[f64::NAN] } else { found };
        self.held_to(allowed, |compare| compare.constant(name, found, 0.0));
    }

    /// Verdicts with a limit that does not come from the trusted digits.
    pub fn held_to(&mut self, allowed: f64, verdicts: impl FnOnce(&mut Self)) {
        let usual = std::mem::replace(&mut self.allowed, allowed);
        verdicts(self);
        self.allowed = usual;
    }

    fn compare(&mut self, name: &str, found: impl IntoIterator<Item = f64>, expected: impl IntoIterator<Item = f64>) {
        let (mut scale, mut worst) = (1f64, 0f64);
        for (found, expected) in found.into_iter().zip(expected) {
            let deviation = (found - expected).abs();
            scale = scale.max(expected.abs());
            worst = if deviation <= worst { worst } else { deviation };
            if !worst.is_finite() {
                break;
            }
        }
        // JSON knows no infinity
        let error = if worst.is_finite() { worst / scale } else { f64::MAX };
        self.verdicts.push(Verdict {
            problem: self.problem.id.clone(),
            quantity: format!("{}: {name}", self.variant),
            error,
            allowed: self.allowed,
            pass: error <= self.allowed,
            scale,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_are_relative_to_large_references_only_and_nothing_measured_fails() {
        let problem = crate::problem("p09-dzhanibekov").expect("listed");
        let mut compare = Comparison::new(&problem);
        assert_eq!(compare.allowed, 10.0 * 10f64.powi(-9));
        compare.constant("large", &[100.0, 102.0], 100.0);
        compare.constant("small", &[0.5], 0.25);
        compare.scalar("nothing", None, 1.0);
        compare.scalar("exact", Some(1.0), 1.0);
        compare.series("too short", &[1.0], &[1.0, 2.0]);
        compare.at_most("small enough", &[1e-4, -2e-4], 1e-3);
        compare.at_most("nothing to look at", &[], 1e-3);
        compare.columns(&[]);
        let errors: Vec<f64> = compare.verdicts.iter().map(|v| v.error).collect();
        assert_eq!(errors[..7], [0.02, 0.25, f64::MAX, 0.0, f64::MAX, 2e-4, f64::MAX]);
        let passes: Vec<bool> = compare.verdicts.iter().map(|v| v.pass).collect();
        assert_eq!(passes[..7], [false, false, false, true, false, true, false]);
        assert_eq!(passes[7..], vec![false; problem.columns.len() - 1]);
    }
}
