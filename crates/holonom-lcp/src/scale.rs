//! Units taken out of a problem, so that one tolerance fits all rows.
//!
//! ```text
//!     d_i = sqrt(A_ii)          rows of one cone or ball share the largest of theirs, or a disc would become an ellipse
//!     y_i = d_i x_i / beta      beta: the largest |b_i| / d_i
//!
//!     A~_ij = A_ij / (d_i d_j)      b~_i = b_i / (d_i beta)      mu~ = mu d_t / d_n      bounds and radii times d / beta
//! ```
//!
//! `x` and `a` then have the same unit (the square root of a power, or of an energy), the diagonal is 1, and a row given in
//! millimetres is the same row as the one in metres.

use crate::dense::{largest, zeros};
use crate::law::{Failure, Law, Problem};

/// Laws with the index of their first rows.
pub(crate) fn walk(laws: &[Law]) -> impl Iterator<Item = (usize, &Law)> {
    laws.iter().scan(0, |row, law| {
        let first = *row;
        *row += law.rows();
        Some((first, law))
    })
}

/// First row of the first law that pivoting methods have no exact form for.
pub(crate) fn first_curved(laws: &[Law]) -> Option<usize> {
    walk(laws).find(|(_, law)| law.is_curved()).map(|(row, _)| row)
}

/// The units `d` of all rows, from the diagonal of `A`.
pub(crate) fn units(diagonal: impl Fn(usize) -> f64, n: usize, laws: &[Law], d: &mut Vec<f64>) {
    zeros(d, n);
    let most = (0..n).map(&diagonal).fold(0.0, f64::max);
    // a row that moves nothing has no unit of its own
    let spare = if most > 0.0 { most } else { 1.0 };
    for (first, law) in walk(laws) {
        let rows = first..first + law.rows();
        let value = rows.clone().map(&diagonal).fold(0.0, f64::max);
        // far below the rest is as good as nothing, and its square root would only overflow what is divided by it
        let value = if value > 1e-30 * spare { value } else { spare };
        d[rows].fill(value.sqrt());
    }
}

/// A problem without units, in memory that is kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scaled {
    pub a: Vec<f64>,
    pub b: Vec<f64>,
    pub laws: Vec<Law>,
    pub d: Vec<f64>,
    pub beta: f64,
}

impl Scaled {
    /// Takes a checked problem.
    pub fn set(&mut self, problem: &Problem) -> Result<(), Failure> {
        let n = problem.len();
        units(|i| problem.a[i * n + i], n, problem.laws, &mut self.d);
        self.a.clear();
        self.a.extend_from_slice(problem.a);
        for i in 0..n {
            let di = self.d[i];
            for (v, dj) in self.a[i * n..i * n + n].iter_mut().zip(&self.d) {
                *v /= di * dj;
            }
        }
        if !self.a.iter().all(|v| v.is_finite()) {
            return Err(Failure::NotFinite);
        }
        self.set_vectors(problem.b, problem.laws)
    }

    /// Everything but the matrix; `d` is there already.
    pub fn set_vectors(&mut self, b: &[f64], laws: &[Law]) -> Result<(), Failure> {
        self.b.clear();
        self.b.extend(b.iter().zip(&self.d).map(|(b, d)| b / d));
        let mut beta = largest(&self.b);
        for (first, law) in walk(laws) {
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
        for (first, law) in walk(laws) {
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
        if sound && self.b.iter().all(|v| v.is_finite()) { Ok(()) } else { Err(Failure::NotFinite) }
    }

    /// `x` with units from `y` without; where that overflows `x` stays what it was.
    pub fn restore(&self, y: &[f64], x: &mut [f64]) -> Result<(), Failure> {
        if (0..y.len()).all(|i| (y[i] * self.beta / self.d[i]).is_finite()) {
            for i in 0..y.len() {
                x[i] = y[i] * self.beta / self.d[i];
            }
            Ok(())
        } else {
            Err(Failure::NotConverged { residual: f64::INFINITY })
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
