//! How well an `x` obeys the laws, computed from nothing but the problem and `x`.
//!
//! ```text
//!     d_i = sqrt(A_ii) (rows of one disc share theirs)       x^ = d x,   a^ = a / d:   the same unit for both
//!     S   = the largest of  |x^_i|  and  (|b_i| + sum_j |A_ij x_j|) / d_i              what rounding is relative to
//!
//!     x_sign     Push: -x^ / S, Within: distance of x^ from its interval
//!     a_sign     -a^ / S where x is at its lower end, a^ / S at its upper end; Free: |a^| / S
//!     product    min(|x^ - end|, |a^|) / S: at a solution one of the two vanishes; this one bounds |x a| / S^2 where it is small
//!     excess     (|x^_t| - radius^) / S
//!     slip       |x^_t - [x^_t - a^_t] onto the disc| / S: no slip, or friction at the rim straight against it
//! ```
//!
//! All five are free of units and do not change when rows are scaled or `b` is. `slip` is measured by projection
//! because a direction has no meaning where there is no slip: at the rim, with slip larger than the error, it is the
//! error of direction.

use crate::dense::dot;
use crate::law::{ComplementarityLaw as Law, ConeProblem};
use crate::scale::units;

/// Violations of the laws by kind, scaled as the module says; zero is perfect.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConeCertificate {
    /// The largest of all others; infinite where anything is not finite.
    pub worst: f64,
    /// The row of `worst` (the first row, for a cone or ball).
    pub row: usize,
    /// `x` below or above what its law allows.
    pub x_sign: f64,
    /// `a` on the wrong side, or not zero where it must be.
    pub a_sign: f64,
    /// Neither `x` at its end nor `a` zero.
    pub product: f64,
    /// Friction outside its cone or ball.
    pub excess: f64,
    /// Friction that does not oppose the slip, or not at the rim of its cone.
    pub slip: f64,
    /// `S`, the size that all of these are relative to, in the unit `x sqrt(A)`.
    pub size: f64,
}

impl ConeCertificate {
    fn note(&mut self, row: usize, kind: impl Fn(&mut Self) -> &mut f64, value: f64) {
        let value = if value.is_nan() { f64::INFINITY } else { value };
        let place = kind(self);
        *place = place.max(value);
        if value > self.worst {
            self.worst = value;
            self.row = row;
        }
    }
}

/// The certificate of `x`. Lengths must fit; a problem that makes no sense gets `worst = inf`.
pub fn certificate(problem: &ConeProblem, x: &[f64]) -> ConeCertificate {
    Certifier::default().certificate(problem, x)
}

/// Memory for many certificates: nothing is allocated once it has seen a problem of the size.
#[derive(Clone, Debug, Default)]
pub struct Certifier {
    d: Vec<f64>,
    a: Vec<f64>,
}

impl Certifier {
    /// The certificate of `x`, as [`certificate`] has it.
    pub fn certificate(&mut self, problem: &ConeProblem, x: &[f64]) -> ConeCertificate {
        let n = problem.len();
        if problem.check().is_err() || x.len() != n || !x.iter().all(|v| v.is_finite()) {
            return ConeCertificate { worst: f64::INFINITY, ..ConeCertificate::default() };
        }
        units(|i| problem.a[i * n + i], n, problem.laws, &mut self.d);
        self.a.clear();
        let mut size = 0f64;
        for i in 0..n {
            let row = &problem.a[i * n..i * n + n];
            self.a.push(dot(row, x) + problem.b[i]);
            let whole: f64 = row.iter().zip(x).map(|(a, x)| (a * x).abs()).sum();
            size = size.max((x[i] * self.d[i]).abs()).max((whole + problem.b[i].abs()) / self.d[i]);
        }
        judge(problem.laws, &self.d, x, &self.a, size)
    }
}

/// The certificate, once `a` and the size are known.
pub(crate) fn judge(laws: &[Law], d: &[f64], x: &[f64], a: &[f64], size: f64) -> ConeCertificate {
    let mut c = ConeCertificate { size, ..ConeCertificate::default() };
    let size = if size > 0.0 { size } else { 1.0 };
    for (i, law) in Law::with_first_rows(laws) {
        let (xi, ai) = (x[i] * d[i] / size, a[i] / d[i] / size);
        match *law {
            Law::Free => c.note(i, |c| &mut c.a_sign, ai.abs()),
            Law::Push => {
                c.note(i, |c| &mut c.x_sign, -xi);
                c.note(i, |c| &mut c.a_sign, -ai);
                c.note(i, |c| &mut c.product, xi.abs().min(ai.abs()));
            }
            Law::Within { least, most } => {
                let (low, high) = (xi - least * d[i] / size, most * d[i] / size - xi);
                c.note(i, |c| &mut c.x_sign, (-low).max(-high));
                // an `a` of the wrong sign is held against the nearer end; both signs are allowed where the ends meet
                let product = if ai >= 0.0 { low.abs().min(ai) } else { high.abs().min(-ai) };
                c.note(i, |c| &mut c.product, product);
            }
            Law::Cone { normal, mu, rows } => {
                disc(&mut c, i, rows, mu * x[normal].max(0.0) * d[i] / size, d, x, a, size);
            }
            Law::Ball { radius, rows } => disc(&mut c, i, rows, radius * d[i] / size, d, x, a, size),
        }
    }
    c
}

fn disc(c: &mut ConeCertificate, first: usize, rows: usize, radius: f64, d: &[f64], x: &[f64], a: &[f64], size: f64) {
    let mut p = [0.0; 3];
    let (mut pushed, mut reach) = (0.0, 0.0);
    for k in 0..rows {
        let i = first + k;
        let xi = x[i] * d[i] / size;
        p[k] = xi - a[i] / d[i] / size;
        pushed += xi * xi;
        reach += p[k] * p[k];
    }
    let (pushed, reach): (f64, f64) = (pushed.sqrt(), reach.sqrt());
    let shrink = if reach > radius { radius / reach } else { 1.0 };
    let mut error = 0.0;
    for k in 0..rows {
        let miss = x[first + k] * d[first + k] / size - shrink * p[k];
        error += miss * miss;
    }
    c.note(first, |c| &mut c.excess, pushed - radius);
    c.note(first, |c| &mut c.slip, error.sqrt());
}
