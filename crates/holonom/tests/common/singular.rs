//! Singular values of constraint rows, and what follows from them: rank, null vectors, accelerations by the pseudo-inverse, smallest loads.

// every test file is a crate of its own and uses a part of this module
#![allow(dead_code)]

use crate::common::dense::Dense;
use crate::common::{dot, size};

/// With M = L L^T and A = J M^-1 J^T the rows are W_r = J_r L^-T / A_rr^1/2, each of length 1: metres and radians, heavy and light weigh alike.
/// Columns of W^T are rotated in pairs until all are orthogonal (Hestenes 1958): W^T V = U sigma. A itself, whose condition number is the
/// square, is never formed.
pub struct Singular {
    lower: Lower,
    /// A_rr^1/2.
    pub scale: Vec<f64>,
    /// The rows W_r.
    rows: Vec<Vec<f64>>,
    /// sigma_i u_i.
    columns: Vec<Vec<f64>>,
    /// Columns of V.
    v: Vec<Vec<f64>>,
    pub sigma: Vec<f64>,
}

/// Singular values above this count. Values between 1e-11 and 1e-7 are not clear, see [`Singular::is_clear`].
const KEPT: f64 = 1e-9;

impl Singular {
    pub fn of(d: &Dense) -> Singular {
        let lower = Lower::factor(&d.e.mass, d.n);
        let mut rows: Vec<Vec<f64>> = (0..d.m).map(|i| lower.solve(d.row(i))).collect();
        let scale: Vec<f64> = rows.iter().map(|w| dot(w, w).sqrt()).map(|s| if s > 0.0 { s } else { 1.0 }).collect();
        for (row, s) in rows.iter_mut().zip(&scale) {
            row.iter_mut().for_each(|x| *x /= s);
        }
        let mut columns = rows.clone();
        let mut v: Vec<Vec<f64>> = (0..d.m).map(|i| (0..d.m).map(|k| f64::from(i == k)).collect()).collect();
        rotate_until_orthogonal(&mut columns, &mut v);
        let sigma = columns.iter().map(|b| dot(b, b).sqrt()).collect();
        Singular { lower, scale, rows, columns, v, sigma }
    }

    pub fn rank(&self) -> usize {
        self.sigma.iter().filter(|s| **s > KEPT).count()
    }

    /// Is there a wide step between the singular values kept and those dropped?
    pub fn is_clear(&self) -> bool {
        self.sigma.iter().all(|s| !(1e-11..=1e-7).contains(s))
    }

    /// Multipliers that push nothing, J^T nu = 0; `nu_r A_rr^1/2` are orthonormal.
    pub fn null(&self) -> Vec<Vec<f64>> {
        let none = self.sigma.iter().zip(&self.v).filter(|(s, _)| **s <= KEPT);
        none.map(|(_, v)| v.iter().zip(&self.scale).map(|(v, s)| v / s).collect()).collect()
    }

    /// How far each multiplier can be changed without pushing anything, between 0 (unique) and 1.
    pub fn freedom(&self) -> Vec<f64> {
        let mut out = vec![0.0; self.scale.len()];
        for nu in self.null() {
            (0..out.len()).for_each(|r| out[r] += (nu[r] * self.scale[r]).powi(2));
        }
        out.iter().map(|x| x.sqrt()).collect()
    }

    /// Of all accelerations with the smallest sum of violation_r^2 / A_rr the nearest to the free ones; and the largest violation_r / A_rr^1/2.
    pub fn accelerations(&self, d: &Dense) -> (Vec<f64>, f64) {
        let mut z = self.lower.solve(&d.e.force);
        let left = |z: &[f64]| -> Vec<f64> {
            self.rows.iter().zip(&d.e.c).zip(&self.scale).map(|((w, c), s)| -c / s - dot(w, z)).collect()
        };
        // twice: the second time removes what rounding left of the first
        for _ in 0..2 {
            let wanted = left(&z);
            for ((b, v), sigma) in self.columns.iter().zip(&self.v).zip(&self.sigma) {
                if *sigma > KEPT {
                    let part = dot(v, &wanted) / (sigma * sigma);
                    z.iter_mut().zip(b).for_each(|(z, b)| *z += b * part);
                }
            }
        }
        let violation = size(&left(&z));
        (self.lower.solve_transposed(&z), violation)
    }

    /// The multipliers with the same push as `lambda` and the smallest sum of weight_r lambda_r^2.
    pub fn smallest(&self, lambda: &[f64], weight: &[f64]) -> Vec<f64> {
        let inner =
            |a: &[f64], b: &[f64]| -> f64 { a.iter().zip(b).zip(weight).map(|((a, b), w)| a * b * w).sum::<f64>() };
        let mut out = lambda.to_vec();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for mut nu in self.null() {
            for _ in 0..2 {
                for b in &basis {
                    let part = inner(b, &nu);
                    nu.iter_mut().zip(b).for_each(|(n, b)| *n -= part * b);
                }
            }
            let length = inner(&nu, &nu).sqrt();
            nu.iter_mut().for_each(|n| *n /= length);
            basis.push(nu);
        }
        for _ in 0..2 {
            for nu in &basis {
                let part = inner(nu, &out);
                out.iter_mut().zip(nu).for_each(|(o, n)| *o -= part * n);
            }
        }
        out
    }
}

/// One-sided Jacobi: sweeps over all pairs of columns, until no pair was rotated.
fn rotate_until_orthogonal(b: &mut [Vec<f64>], v: &mut [Vec<f64>]) {
    for _ in 0..60 {
        let mut rotated = 0;
        for i in 0..b.len() {
            for j in i + 1..b.len() {
                let (p, q, s) = (dot(&b[i], &b[i]), dot(&b[j], &b[j]), dot(&b[i], &b[j]));
                // columns of rounding errors are as good as zero and never settle
                if s.abs() <= 1e-15 * (p * q).sqrt() || p.min(q) <= 1e-30 {
                    continue;
                }
                rotated += 1;
                let zeta = (q - p) / (2.0 * s);
                let t = zeta.signum() / (zeta.abs() + (1.0 + zeta * zeta).sqrt());
                let c = 1.0 / (1.0 + t * t).sqrt();
                for columns in [&mut *b, &mut *v] {
                    let (first, second) = columns.split_at_mut(j);
                    for (x, y) in first[i].iter_mut().zip(&mut second[0]) {
                        (*x, *y) = (c * *x - c * t * *y, c * t * *x + c * *y);
                    }
                }
            }
        }
        if rotated == 0 {
            return;
        }
    }
    panic!("the columns do not become orthogonal");
}

/// L of M = L L^T.
pub struct Lower {
    n: usize,
    l: Vec<f64>,
}

impl Lower {
    pub fn factor(mass: &[f64], n: usize) -> Lower {
        let mut l = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let sum = mass[i * n + j] - dot(&l[i * n..i * n + j], &l[j * n..j * n + j]);
                l[i * n + j] = if i == j { sum.sqrt() } else { sum / l[j * n + j] };
            }
        }
        Lower { n, l }
    }

    /// L^-1 x.
    pub fn solve(&self, x: &[f64]) -> Vec<f64> {
        let mut y = x.to_vec();
        for i in 0..self.n {
            y[i] = (y[i] - dot(&self.l[i * self.n..i * self.n + i], &y[..i])) / self.l[i * self.n + i];
        }
        y
    }

    /// L^-T x.
    pub fn solve_transposed(&self, x: &[f64]) -> Vec<f64> {
        let mut y = x.to_vec();
        for i in (0..self.n).rev() {
            y[i] /= self.l[i * self.n + i];
            for k in 0..i {
                y[k] -= self.l[i * self.n + k] * y[i];
            }
        }
        y
    }
}
