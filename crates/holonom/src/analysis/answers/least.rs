//! The smallest efforts that make a given answer.
//!
//! ```text
//! minimise |X e - r|, and of all that do, |S^-1 e|           S: diagonal, the scales of the efforts
//! X S = Q R   by Gram-Schmidt, the longest remainder first, twice for orthogonality      r_k below the tolerance: rank k
//! R y = Q^T r,  e = S y;    where R is wide,  R^T = V T  and  y = V T^-T Q^T r
//! ```
//!
//! Columns are compared at length 1, so that a finger counts as much as a shoulder when ranks are judged.

use crate::analysis::dense::{add, dot};

/// What is left of a column of length 1 when it counts as dependent on the others.
const DEPENDENT: f64 = 1e-9;

/// A factor of the columns, for any number of right-hand sides.
pub(super) struct LeastEffort {
    n: usize,
    /// Columns of Q.
    q: Vec<Vec<f64>>,
    /// Rows of T^-T V^T ... as columns of V, and T (upper triangle, row by row).
    v: Vec<Vec<f64>>,
    t: Vec<Vec<f64>>,
    /// S.
    scales: Vec<f64>,
}

/// Take from `x` what lies along the orthonormal `basis`, twice; the factors of both times together.
fn reduce(x: &mut [f64], basis: &[Vec<f64>]) -> Vec<f64> {
    let mut factors = vec![0.0; basis.len()];
    for _ in 0..2 {
        for (factor, b) in factors.iter_mut().zip(basis) {
            let s = dot(b, x);
            add(x, -s, b);
            *factor += s;
        }
    }
    factors
}

fn length(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

impl LeastEffort {
    /// Of these columns of X.
    pub fn new(columns: &[Vec<f64>], scales: Option<&[f64]>) -> Self {
        let n = columns.len();
        let scales = scales.map_or(vec![1.0; n], <[f64]>::to_vec);
        let lengths: Vec<f64> = columns.iter().map(|c| length(c)).collect();
        let mut left: Vec<(usize, Vec<f64>)> = (0..n)
            .filter(|&i| lengths[i] > 0.0)
            .map(|i| (i, columns[i].iter().map(|x| x / lengths[i]).collect()))
            .collect();
        let mut q: Vec<Vec<f64>> = Vec::new();
        while !left.is_empty() {
            let size = |k: usize| dot(&left[k].1, &left[k].1);
            let best = (0..left.len()).fold(0, |best, k| if size(k) > size(best) { k } else { best });
            let (_, mut x) = left.swap_remove(best);
            if !(length(&x) > DEPENDENT) {
                break;
            }
            reduce(&mut x, &q);
            let size = length(&x);
            x.iter_mut().for_each(|x| *x /= size);
            for (_, other) in &mut left {
                let s = dot(&x, other);
                add(other, -s, &x);
            }
            q.push(x);
        }
        // rows of R S, each a column of its transpose
        let rows: Vec<Vec<f64>> = q.iter().map(|q| (0..n).map(|i| dot(q, &columns[i]) * scales[i]).collect()).collect();
        let (mut v, mut t): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        for mut row in rows {
            let mut factors = reduce(&mut row, &v);
            let size = length(&row);
            factors.push(size);
            row.iter_mut().for_each(|x| *x /= size);
            v.push(row);
            t.push(factors);
        }
        LeastEffort { n, q, v, t, scales }
    }

    /// How many of the efforts are independent.
    pub fn rank(&self) -> usize {
        self.q.len()
    }

    /// The efforts for a right-hand side.
    pub fn solve(&self, r: &[f64]) -> Vec<f64> {
        // row k of R S is sum_j t_kj v_j: with y = sum_j z_j v_j the equations are T z = Q^T r, from the top down
        let mut z: Vec<f64> = Vec::with_capacity(self.q.len());
        for (q, t) in self.q.iter().zip(&self.t) {
            let known: f64 = t.iter().zip(&z).map(|(t, z)| t * z).sum();
            z.push((dot(q, r) - known) / t[z.len()]);
        }
        let mut out = vec![0.0; self.n];
        for (z, v) in z.iter().zip(&self.v) {
            add(&mut out, *z, v);
        }
        out.iter_mut().zip(&self.scales).for_each(|(e, s)| *e *= s);
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    #[test]
    fn smallest_of_all_that_fit() {
        let mut g = SplitMix(5);
        for case in 0..50 {
            let (m, n, rank) = (8, 6, 1 + case % 6);
            let basis: Vec<Vec<f64>> = (0..rank).map(|_| (0..m).map(|_| g.symmetric(1.0)).collect()).collect();
            let mut columns = vec![vec![0.0; m]; n];
            for column in &mut columns {
                let s = libm::pow(10.0, g.symmetric(3.0));
                basis.iter().for_each(|b| add(column, s * g.symmetric(1.0), b));
            }
            let scales: Vec<f64> = (0..n).map(|_| 0.5 + g.unit()).collect();
            let factor = LeastEffort::new(&columns, Some(&scales));
            assert_eq!(factor.rank(), rank.min(n));
            let wanted: Vec<f64> = (0..n).map(|_| g.symmetric(1.0)).collect();
            let image = |e: &[f64]| {
                let mut r = vec![0.0; m];
                e.iter().zip(&columns).for_each(|(e, c)| add(&mut r, *e, c));
                r
            };
            let r = image(&wanted);
            let found = factor.solve(&r);
            let off: Vec<f64> = image(&found).iter().zip(&r).map(|(a, b)| a - b).collect();
            assert!(length(&off) <= 1e-12 * length(&r), "case {case}: off by {:e} of {:e}", length(&off), length(&r));
            let effort = |e: &[f64]| e.iter().zip(&scales).map(|(e, s)| (e / s) * (e / s)).sum::<f64>();
            // efforts are known to rounding times the spread of the columns
            let lengths = || columns.iter().map(|c| length(c));
            let spread = lengths().fold(0.0, f64::max) / lengths().fold(f64::INFINITY, f64::min);
            assert!(effort(&found) <= effort(&wanted) * (1.0 + 1e-12 * spread), "case {case}, spread {spread:e}");
        }
    }
}
