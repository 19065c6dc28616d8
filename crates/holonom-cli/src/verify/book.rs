//! The book of verdicts: what was found, what was known, how far apart.

use crate::failure::Failure;
use holonom::{ModelError, StepError};
use holonom_cases::Problem;
use serde::Serialize;

/// One line of the manual.
#[derive(Debug, Serialize)]
pub(crate) struct Verdict {
    pub problem: String,
    pub quantity: String,
    pub error: f64,
    pub allowed: f64,
    pub pass: bool,
    /// What `error` and `allowed` are relative to.
    #[serde(skip)]
    pub scale: f64,
}

/// Why a problem could not be run to its end.
#[derive(Debug)]
pub(crate) enum Stop {
    Model(ModelError),
    Step(StepError),
    /// The scene of the problem cannot be used; says why.
    Scene(String),
}

impl Stop {
    /// As a message of the program.
    pub fn failure(&self, problem: &str) -> Failure {
        let what = format!("problem `{problem}`");
        match self {
            Stop::Model(e) => Failure::model(&what, e),
            Stop::Step(e) => Failure::step(&what, e),
            Stop::Scene(e) => Failure::usage(format!("{what}: {e}")),
        }
    }
}

impl From<ModelError> for Stop {
    fn from(e: ModelError) -> Self {
        Stop::Model(e)
    }
}

impl From<StepError> for Stop {
    fn from(e: StepError) -> Self {
        Stop::Step(e)
    }
}

/// Collects the verdicts of one problem.
pub(crate) struct Book<'a> {
    problem: &'a Problem,
    allowed: f64,
    /// How the problem is modelled just now; stands before each quantity.
    variant: &'static str,
    pub verdicts: Vec<Verdict>,
}

impl<'a> Book<'a> {
    pub fn new(problem: &'a Problem) -> Self {
        let allowed = (10.0 * 10f64.powi(-problem.trusted_digits)).max(1e-9);
        Book { problem, allowed, variant: "", verdicts: Vec::new() }
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
        self.held_to(allowed, |book| book.constant(name, found, 0.0));
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
        let problem = holonom_cases::problem("p09-dzhanibekov").expect("listed");
        let mut book = Book::new(&problem);
        assert_eq!(book.allowed, 10.0 * 10f64.powi(-9));
        book.constant("large", &[100.0, 102.0], 100.0);
        book.constant("small", &[0.5], 0.25);
        book.scalar("nothing", None, 1.0);
        book.scalar("exact", Some(1.0), 1.0);
        book.series("too short", &[1.0], &[1.0, 2.0]);
        book.at_most("small enough", &[1e-4, -2e-4], 1e-3);
        book.at_most("nothing to look at", &[], 1e-3);
        book.columns(&[]);
        let errors: Vec<f64> = book.verdicts.iter().map(|v| v.error).collect();
        assert_eq!(errors[..7], [0.02, 0.25, f64::MAX, 0.0, f64::MAX, 2e-4, f64::MAX]);
        let passes: Vec<bool> = book.verdicts.iter().map(|v| v.pass).collect();
        assert_eq!(passes[..7], [false, false, false, true, false, true, false]);
        assert_eq!(passes[7..], vec![false; problem.columns.len() - 1]);
    }
}
