//! Units taken out of a problem, so that one tolerance fits all rows.
//!
//! ```text
//!     d_i = sqrt(A_ii)          rows of one cone or ball share the largest of theirs, or a disc would become an ellipse
//!     y_i = d_i x_i / beta      beta: the largest |b_i| / d_i
//!
//!     A~_ij = A_ij / (d_i d_j)      b~_i = b_i / (d_i beta)      mu~ = mu d_t / d_n      bounds and radii times d / beta
//! ```
//!
//! `x` and `a` then have the same unit (the square root of a power, or of an energy), the diagonal is 1, and a row
//! given in millimetres is the same row as the one in metres.

use crate::dense::{largest, zeros};
use crate::error::LcpError;
use crate::law::{ComplementarityLaw as Law, ConeProblem};

/// The units `d` of all rows, from the diagonal of `A`.
pub(crate) fn units(diagonal: impl Fn(usize) -> f64, n: usize, laws: &[Law], d: &mut Vec<f64>) {
    zeros(d, n);
    let most = (0..n).map(&diagonal).fold(0.0, f64::max);
    // a row that moves nothing has no unit of its own
    let spare = if most > 0.0 { most } else { 1.0 };
    for (first, law) in Law::with_first_rows(laws) {
        let rows = first..first + law.rows();
        let value = rows.clone().map(&diagonal).fold(0.0, f64::max);
        // far below the rest is as good as nothing, and its square root would only overflow what is divided by it
        let value = if value > 1e-30 * spare { value } else { spare };
        d[rows].fill(value.sqrt());
    }
}

/// A problem without units (the matrix apart), in memory that is kept.
#[derive(Clone, Debug, Default)]
pub struct ScaledProblem {
    /// `b~`.
    pub b: Vec<f64>,
    /// The laws with `mu~`, and with bounds and radii in the new unit.
    pub laws: Vec<Law>,
    pub(crate) d: Vec<f64>,
    beta: f64,
}

impl ScaledProblem {
    /// Takes a checked problem; `A~` is left in `a`.
    pub fn set(&mut self, problem: &ConeProblem, a: &mut Vec<f64>) -> Result<(), LcpError> {
        let n = problem.len();
        units(|i| problem.a[i * n + i], n, problem.laws, &mut self.d);
        a.clear();
        a.extend_from_slice(problem.a);
        for i in 0..n {
            let di = self.d[i];
            for (v, dj) in a[i * n..i * n + n].iter_mut().zip(&self.d) {
                *v /= di * dj;
            }
        }
        if !a.iter().all(|v| v.is_finite()) {
            return Err(LcpError::NotFinite);
        }
        self.set_vectors(problem.b, problem.laws)
    }

    /// Everything but the matrix; `d` is there already.
    pub(crate) fn set_vectors(&mut self, b: &[f64], laws: &[Law]) -> Result<(), LcpError> {
        self.b.clear();
        self.b.extend(b.iter().zip(&self.d).map(|(b, d)| b / d));
        let mut beta = largest(&self.b);
        for (first, law) in Law::with_first_rows(laws) {
            if let Law::Within { least, most } = *law {
                beta = beta.max((0f64.clamp(least, most) * self.d[first]).abs());
            }
        }
        if !(beta > f64::MIN_POSITIVE && beta.is_finite()) {
            beta = 1.0;
        }
        self.beta = beta;
        for b in &mut self.b {
            *b /= beta;
        }
        self.laws.clear();
        for (first, law) in Law::with_first_rows(laws) {
            let s = self.d[first] / beta;
            self.laws.push(match *law {
                Law::Within { least, most } => Law::Within { least: least * s, most: most * s },
                Law::Cone { normal, mu, rows } => Law::Cone { normal, mu: mu * self.d[first] / self.d[normal], rows },
                Law::Ball { radius, rows } => Law::Ball { radius: radius * s, rows },
                same => same,
            });
        }
        // numbers so far apart that their ratios overflow are as good as infinite
        let sound = self.laws.iter().all(|law| match *law {
            Law::Within { least, most } => least <= most && least < f64::INFINITY && most > f64::NEG_INFINITY,
            Law::Cone { mu, .. } => mu.is_finite(),
            Law::Ball { radius, .. } => radius >= 0.0,
            _ => true,
        });
        if sound && self.b.iter().all(|v| v.is_finite()) { Ok(()) } else { Err(LcpError::NotFinite) }
    }

    /// `x` with units from `y` without; where that overflows `x` stays what it was.
    pub fn restore(&self, y: &[f64], x: &mut [f64]) -> Result<(), LcpError> {
        if (0..y.len()).all(|i| (y[i] * self.beta / self.d[i]).is_finite()) {
            for i in 0..y.len() {
                x[i] = y[i] * self.beta / self.d[i];
            }
            Ok(())
        } else {
            Err(LcpError::NotConverged { residual: f64::INFINITY })
        }
    }

    /// `y` without units from `x` with; a guess that overflows is no guess.
    pub fn strip(&self, x: &[f64], y: &mut Vec<f64>) {
        y.clear();
        y.extend(x.iter().zip(&self.d).map(|(x, d)| x * d / self.beta));
        if !y.iter().all(|v| v.is_finite()) {
            y.fill(0.0);
        }
    }
}
