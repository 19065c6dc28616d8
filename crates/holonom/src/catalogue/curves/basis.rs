//! B-spline basis functions with three derivatives, for curves, surfaces and functions alike.
//!
//! ```text
//! N_{i,0}(u) = 1 on [k_i, k_{i+1}), else 0
//! N_{i,d}(u) = (u - k_i)/(k_{i+d} - k_i) N_{i,d-1} + (k_{i+d+1} - u)/(k_{i+d+1} - k_{i+1}) N_{i+1,d-1}
//! ```
//!
//! On the span [k_s, k_{s+1}) only N_{s-p} ... N_s of degree p are not zero. The m-th derivative of a spline with
//! control values P is a spline of degree p - m with control values
//!
//! ```text
//! P^m_i = (p - m + 1) (P^{m-1}_{i+1} - P^{m-1}_i) / (k_{i+p+1} - k_{i+m})
//! ```
//!
//! and its transpose, applied to the basis of degree p - m, gives the m-th derivatives of the basis of degree p: so
//! they are made here. Denominators belong to intervals that contain the span, so none is zero.
//!
//! Rational derivatives: with A = sum N w P and W = sum N w,
//!
//! ```text
//! A = W r    ->    r^(m) = (A^(m) - sum_{i=1..m} binom(m, i) W^(i) r^(m-i)) / W
//! ```

use crate::catalogue::declaration::Invalid;
use crate::error::refuse;
use std::ops::{AddAssign, Mul, Sub};

/// Largest degree.
pub(crate) const MAX_DEGREE: usize = 7;

/// Derivatives 0 to 3 of the basis functions that are not zero on a span.
pub(crate) type Basis = [[f64; MAX_DEGREE + 1]; 4];

/// Binomial coefficients up to 3.
pub(crate) const BINOMIAL: [[f64; 4]; 4] =
    [[1.0, 0.0, 0.0, 0.0], [1.0, 1.0, 0.0, 0.0], [1.0, 2.0, 1.0, 0.0], [1.0, 3.0, 3.0, 1.0]];

/// A knot vector with its degree.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Knots {
    pub degree: usize,
    pub knots: Vec<f64>,
}

impl Knots {
    /// Uniform inside, with full multiplicity at the ends, on [0, 1].
    pub fn clamped(degree: usize, n: usize) -> Knots {
        let inner = n.saturating_sub(degree);
        let knots =
            (0..n + degree + 1).map(|i| ((i.saturating_sub(degree)) as f64 / inner.max(1) as f64).min(1.0)).collect();
        Knots { degree, knots }
    }

    /// Usable with `n` control values? `what` names the direction in messages.
    pub fn check(&self, n: usize, what: &str) -> Result<(), Invalid> {
        let (p, k) = (self.degree, &self.knots);
        if p == 0 || p > MAX_DEGREE {
            return refuse!("degree", "{what}degree is {p}, must be 1 to {MAX_DEGREE}");
        }
        if n < p + 1 {
            return refuse!("points", "{n} control points for {what}degree {p}, must be at least {}", p + 1);
        }
        if k.len() != n + p + 1 {
            let right = n + p + 1;
            return refuse!("knots", "{} {what}knots for {n} control points of degree {p}, must be {right}", k.len());
        }
        if let Some(x) = k.iter().find(|x| !x.is_finite()) {
            return refuse!("knots", "{what}knot is {x}, must be finite");
        }
        if let Some(i) = (1..k.len()).find(|&i| k[i] < k[i - 1]) {
            return refuse!("knots", "{what}knot {i} is {} after {}, must not decrease", k[i], k[i - 1]);
        }
        let (from, to) = self.domain();
        if !(from < to) {
            return refuse!("knots", "{what}knots {p} and {n} are both {from}, must differ");
        }
        for i in p + 1..n {
            let times = k.iter().filter(|&&x| x == k[i]).count();
            if k[i] > from && k[i] < to && times > p {
                return refuse!("knots", "{what}knot {} stands {times} times, must be at most {p}", k[i]);
            }
        }
        Ok(())
    }

    /// Number of control values.
    pub fn n(&self) -> usize {
        self.knots.len().saturating_sub(self.degree + 1)
    }

    pub fn domain(&self) -> (f64, f64) {
        let at = |i: usize| self.knots.get(i).copied().unwrap_or(f64::NAN);
        (at(self.degree), at(self.n()))
    }

    /// The span of `u`, which is not empty; the last one at the end of the domain and beyond, the first one before its
    /// start.
    pub fn span(&self, u: f64) -> usize {
        let (p, n, k) = (self.degree, self.n(), &self.knots);
        if u < k[n] {
            let at = k.partition_point(|&x| x <= u.max(k[p]));
            at - 1
        } else {
            self.span_before(k[n])
        }
    }

    /// The span that ends at the knot `u`.
    pub fn span_before(&self, u: f64) -> usize {
        self.knots.partition_point(|&x| x < u) - 1
    }

    /// Distinct knots strictly inside the domain.
    pub fn breaks(&self) -> Vec<f64> {
        let (from, to) = self.domain();
        let mut out: Vec<f64> = self.knots.iter().copied().filter(|&x| x > from && x < to).collect();
        out.dedup();
        out
    }

    /// Derivatives 0 to 3 of N_{s-p} ... N_s at `u`, by the polynomials of span `s`.
    pub fn basis(&self, s: usize, u: f64) -> Basis {
        let (p, k) = (self.degree, &self.knots);
        // by degree: low[d][j] = N_{s-d+j, d}
        let mut low = [[0.0; MAX_DEGREE + 1]; MAX_DEGREE + 1];
        low[0][0] = 1.0;
        for d in 1..=p {
            for j in 0..d {
                // N_{i, d-1} with i = s - d + 1 + j goes to N_{i-1, d} and N_{i, d}
                let (left, right) = (k[s - d + 1 + j], k[s + 1 + j]);
                let part = low[d - 1][j] / (right - left);
                low[d][j] += (right - u) * part;
                low[d][j + 1] += (u - left) * part;
            }
        }
        let mut out = [[0.0; MAX_DEGREE + 1]; 4];
        for (order, row) in out.iter_mut().enumerate().take(p.min(3) + 1) {
            *row = low[p - order];
            for m in (1..=order).rev() {
                let mut up = [0.0; MAX_DEGREE + 1];
                for j in 0..=p - m {
                    let i = s - p + j;
                    let c = (p - m + 1) as f64 / (k[i + p + 1] - k[i + m]) * row[j];
                    up[j] -= c;
                    up[j + 1] += c;
                }
                *row = up;
            }
        }
        out
    }
}

/// Derivatives of A / W from those of A and W.
pub(crate) fn rational<T>(mut a: [T; 4], w: [f64; 4]) -> [T; 4]
where
    T: Copy + Sub<Output = T> + Mul<f64, Output = T>,
{
    for m in 0..4 {
        for i in 1..=m {
            a[m] = a[m] - a[m - i] * (BINOMIAL[m][i] * w[i]);
        }
        a[m] = a[m] * (1.0 / w[0]);
    }
    a
}

/// sum N w P and sum N w with their derivatives, then the quotient.
pub(crate) fn evaluate<T>(knots: &Knots, s: usize, u: f64, values: &[T], weights: &[f64]) -> [T; 4]
where
    T: Copy + Default + Sub<Output = T> + Mul<f64, Output = T> + AddAssign,
{
    let basis = knots.basis(s, u);
    let (mut a, mut w) = ([T::default(); 4], [0.0; 4]);
    for j in 0..=knots.degree {
        let i = s - knots.degree + j;
        for m in 0..4 {
            let n = basis[m][j] * weights[i];
            a[m] += values[i] * n;
            w[m] += n;
        }
    }
    rational(a, w)
}

/// Are there as many weights as points, all finite and positive?
pub(crate) fn check_weights(weights: &[f64], n: usize) -> Result<(), Invalid> {
    if weights.len() != n {
        return refuse!("weights", "{} weights for {n} control points, must be as many", weights.len());
    }
    match weights.iter().find(|w| !(w.is_finite() && **w > 0.0)) {
        Some(w) => refuse!("weights", "weight is {w}, must be finite and positive"),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    #[test]
    fn the_basis_sums_to_one_and_its_derivatives_to_zero() {
        let mut g = SplitMix(1);
        for degree in 1..=MAX_DEGREE {
            let knots = Knots::clamped(degree, degree + 6);
            knots.check(degree + 6, "").expect("good knots");
            for _ in 0..50 {
                let u = g.unit();
                let basis = knots.basis(knots.span(u), u);
                for m in 0..4 {
                    let sum: f64 = basis[m].iter().sum();
                    let size: f64 = basis[m].iter().map(|x| x.abs()).sum::<f64>().max(1.0);
                    assert!((sum - f64::from(m == 0)).abs() < 1e-14 * size, "degree {degree}, derivative {m}: {sum}");
                }
            }
        }
    }
}
