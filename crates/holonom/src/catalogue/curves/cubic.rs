//! Cubic splines with continuous second derivative through given values, of numbers or of vectors.
//!
//! Unknowns are the second derivatives m_i at the knots x_i, h_i = x_{i+1} - x_i. On a piece, with a = x_{i+1} - x, b =
//! x - x_i:
//!
//! ```text
//! y(x) = (m_i a^3 + m_{i+1} b^3)/(6 h) + (y_i/h - m_i h/6) a + (y_{i+1}/h - m_{i+1} h/6) b
//! ```
//!
//! A continuous slope at x_i asks for
//!
//! ```text
//! h_{i-1} m_{i-1} + 2 (h_{i-1} + h_i) m_i + h_i m_{i+1} = 6 ((y_{i+1} - y_i)/h_i - (y_i - y_{i-1})/h_{i-1})
//! ends:  natural  m = 0       clamped  2 h m_0 + h m_1 = 6 ((y_1 - y_0)/h - slope)       closed  the same equation, indices wrapped
//! ```
//!
//! The matrix is diagonally dominant: elimination needs no pivoting. The closed one has two corner entries, which are a
//! change of rank one: one more solve (Sherman and Morrison).

use std::ops::{Add, Mul, Sub};

/// A number or a vector.
pub(crate) trait Value:
    Copy + Default + Add<Output = Self> + Sub<Output = Self> + Mul<f64, Output = Self>
{
}
impl<T: Copy + Default + Add<Output = T> + Sub<Output = T> + Mul<f64, Output = T>> Value for T {}

/// What holds at the ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Ends<T> {
    /// No curvature.
    Natural,
    /// Given first derivatives.
    Clamped(T, T),
    /// The last value is the first, and the derivatives go round.
    Closed,
}

/// Second derivatives at the knots. `x` increases, `y` is as long; at least two points (four with the repeated one when
/// closed).
pub(crate) fn second_derivatives<T: Value>(x: &[f64], y: &[T], ends: Ends<T>) -> Vec<T> {
    let n = x.len();
    let h = |i: usize| x[i + 1] - x[i];
    let slope = |i: usize| (y[i + 1] - y[i]) * (1.0 / h(i));
    match ends {
        Ends::Closed => {
            // unknowns 0 .. n-2; the last knot is the first
            let m = n - 1;
            let before = |i: usize| (i + m - 1) % m;
            let corner = h(m - 1);
            let (mut low, mut diagonal, mut up, mut rhs) =
                (vec![0.0; m], vec![0.0; m], vec![0.0; m], vec![T::default(); m]);
            for i in 0..m {
                let (p, q) = (h(before(i)), h(i));
                (low[i], diagonal[i], up[i]) = (p, 2.0 * (p + q), q);
                rhs[i] = (slope(i) - slope(before(i))) * 6.0;
            }
            // A = T + g u u'^T with u = (g, 0 .. corner), u' = (1, 0 .. corner/g)
            let g = -diagonal[0];
            diagonal[0] -= g;
            diagonal[m - 1] -= corner * corner / g;
            let mut u = vec![0.0; m];
            (u[0], u[m - 1]) = (g, corner);
            solve(&low, &diagonal, &up, &mut rhs);
            solve(&low, &diagonal, &up, &mut u);
            let ratio = corner / g;
            let part = (rhs[0] + rhs[m - 1] * ratio) * (1.0 / (1.0 + u[0] + ratio * u[m - 1]));
            let mut out: Vec<T> = rhs.iter().zip(&u).map(|(r, u)| *r - part * *u).collect();
            out.push(out[0]);
            out
        }
        _ => {
            let (mut low, mut diagonal, mut up, mut rhs) =
                (vec![0.0; n], vec![1.0; n], vec![0.0; n], vec![T::default(); n]);
            for i in 1..n - 1 {
                (low[i], diagonal[i], up[i]) = (h(i - 1), 2.0 * (h(i - 1) + h(i)), h(i));
                rhs[i] = (slope(i) - slope(i - 1)) * 6.0;
            }
            if let Ends::Clamped(first, last) = ends {
                (diagonal[0], up[0], rhs[0]) = (2.0 * h(0), h(0), (slope(0) - first) * 6.0);
                (diagonal[n - 1], low[n - 1], rhs[n - 1]) = (2.0 * h(n - 2), h(n - 2), (last - slope(n - 2)) * 6.0);
            }
            solve(&low, &diagonal, &up, &mut rhs);
            rhs
        }
    }
}

/// Tridiagonal elimination; the solution replaces the right-hand side.
fn solve<T: Value>(low: &[f64], diagonal: &[f64], up: &[f64], rhs: &mut [T]) {
    let n = diagonal.len();
    let mut factor = vec![0.0; n];
    let mut pivot = diagonal[0];
    rhs[0] = rhs[0] * (1.0 / pivot);
    for i in 1..n {
        factor[i] = up[i - 1] / pivot;
        pivot = diagonal[i] - low[i] * factor[i];
        rhs[i] = (rhs[i] - rhs[i - 1] * low[i]) * (1.0 / pivot);
    }
    for i in (0..n - 1).rev() {
        rhs[i] = rhs[i] - rhs[i + 1] * factor[i + 1];
    }
}

/// Number of the piece that holds `s`: the first before the start, the last beyond the end.
pub(crate) fn piece(x: &[f64], s: f64) -> usize {
    x.partition_point(|&k| k <= s).saturating_sub(1).min(x.len() - 2)
}

/// Value and three derivatives at `s`, by the cubic of its piece.
pub(crate) fn evaluate<T: Value>(x: &[f64], y: &[T], m: &[T], s: f64) -> [T; 4] {
    let i = piece(x, s);
    let h = x[i + 1] - x[i];
    let (a, b) = (x[i + 1] - s, s - x[i]);
    let third = (m[i + 1] - m[i]) * (1.0 / h);
    let second = (m[i] * a + m[i + 1] * b) * (1.0 / h);
    let first = (y[i + 1] - y[i]) * (1.0 / h)
        + (m[i + 1] * (3.0 * b * b - h * h) - m[i] * (3.0 * a * a - h * h)) * (1.0 / (6.0 * h));
    let value = (y[i] * a + y[i + 1] * b) * (1.0 / h)
        + (m[i] * (a * (a * a - h * h)) + m[i + 1] * (b * (b * b - h * h))) * (1.0 / (6.0 * h));
    [value, first, second, third]
}
