//! Dense kernels and factorisations: products of vectors, Cholesky with and without pivots, LU with partial pivoting,
//! and 6 x 6 blocks.
//!
//! Matrices are slices of `n * n` numbers, row after row; factors are written over them. Sums are taken in eight lanes
//! that are added in a fixed order: quick without asking the compiler to reorder anything, and the same bits on every
//! machine.

pub(crate) mod block6;

/// `x . y` over the shorter of the two.
#[inline]
pub fn dot(x: &[f64], y: &[f64]) -> f64 {
    let n = x.len().min(y.len());
    let (x, y) = (&x[..n], &y[..n]);
    let (mut xs, mut ys) = (x.chunks_exact(8), y.chunks_exact(8));
    let mut lanes = [0.0; 8];
    for (p, q) in (&mut xs).zip(&mut ys) {
        for k in 0..8 {
            lanes[k] += p[k] * q[k];
        }
    }
    let mut rest = 0.0;
    for (p, q) in xs.remainder().iter().zip(ys.remainder()) {
        rest += p * q;
    }
    ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7])) + rest
}

/// `y += s x`.
#[inline]
pub fn axpy(s: f64, x: &[f64], y: &mut [f64]) {
    for (q, p) in y.iter_mut().zip(x) {
        *q += s * p;
    }
}

/// Largest magnitude; zero for nothing.
pub fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, v| f64::max(m, v.abs()))
}

/// `v` becomes `n` zeros without allocating where it was as long before.
pub fn zeros(v: &mut Vec<f64>, n: usize) {
    v.clear();
    v.resize(n, 0.0);
}

/// Euclidean length.
pub fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}

/// Adds `s x x^T` to the lower triangle of `h`, of as many rows as `x`.
pub fn add_square(s: f64, x: &[f64], h: &mut [f64]) {
    let n = x.len();
    for k in 0..n {
        if x[k] != 0.0 {
            axpy(s * x[k], &x[..=k], &mut h[k * n..k * n + k + 1]);
        }
    }
}

/// `H = L L^T` of the lower triangle, in place. False where a pivot is not positive.
pub fn cholesky(h: &mut [f64], n: usize) -> bool {
    for i in 0..n {
        let (upper, lower) = h.split_at_mut(i * n);
        let row = &mut lower[..n];
        for j in 0..i {
            let other = &upper[j * n..j * n + j + 1];
            row[j] = (row[j] - dot(&row[..j], &other[..j])) / other[j];
        }
        let left = row[i] - dot(&row[..i], &row[..i]);
        if !(left > 0.0) {
            return false;
        }
        row[i] = left.sqrt();
    }
    true
}

/// Solves with the factor of [`cholesky`], in place.
pub fn cholesky_solve(h: &[f64], n: usize, z: &mut [f64]) {
    for i in 0..n {
        z[i] = (z[i] - dot(&h[i * n..i * n + i], &z[..i])) / h[i * n + i];
    }
    for i in (0..n).rev() {
        z[i] /= h[i * n + i];
        let s = z[i];
        axpy(-s, &h[i * n..i * n + i], &mut z[..i]);
    }
}

/// `A = G G^T` to within `drop` on the diagonal, `G` of `n` rows and `rank` columns, packed row after row.
///
/// The largest remaining pivot comes first, so what is left out is small whatever the rank. `None` where a remaining
/// diagonal is clearly negative: then `A` is not positive semidefinite.
pub fn pivoted_cholesky(a: &[f64], n: usize, drop: f64, g: &mut Vec<f64>, left: &mut Vec<f64>) -> Option<usize> {
    zeros(g, n * n);
    left.clear();
    left.extend((0..n).map(|i| a[i * n + i]));
    let mut rank = 0;
    while rank < n {
        let mut j = 0;
        let mut most = f64::NEG_INFINITY;
        for i in 0..n {
            if left[i] > most {
                most = left[i];
                j = i;
            }
        }
        if !(most > drop) {
            break;
        }
        let pivot = most.sqrt();
        for i in 0..n {
            if i == j || left[i] == f64::NEG_INFINITY {
                continue;
            }
            let value = (a[i * n + j] - dot(&g[i * n..i * n + rank], &g[j * n..j * n + rank])) / pivot;
            g[i * n + rank] = value;
            left[i] -= value * value;
            if left[i] < -1e-9 {
                return None;
            }
        }
        g[j * n + rank] = pivot;
        left[j] = f64::NEG_INFINITY;
        rank += 1;
    }
    for i in 1..n {
        g.copy_within(i * n..i * n + rank, i * rank);
    }
    g.truncate(n * rank);
    Some(rank)
}

/// LU with partial pivoting, in place; `order[k]` is the row swapped into place `k`. False where a pivot vanishes.
pub fn lu(m: &mut [f64], n: usize, order: &mut Vec<usize>) -> bool {
    order.clear();
    for k in 0..n {
        let mut p = k;
        for i in k + 1..n {
            if m[i * n + k].abs() > m[p * n + k].abs() {
                p = i;
            }
        }
        order.push(p);
        if p != k {
            let (upper, lower) = m.split_at_mut(p * n);
            upper[k * n..k * n + n].swap_with_slice(&mut lower[..n]);
        }
        let pivot = m[k * n + k];
        if !(pivot != 0.0 && pivot.is_finite()) {
            return false;
        }
        let (upper, lower) = m.split_at_mut((k + 1) * n);
        let row = &upper[k * n + k + 1..k * n + n];
        for other in lower.chunks_exact_mut(n) {
            if other[k] != 0.0 {
                let s = other[k] / pivot;
                other[k] = s;
                axpy(-s, row, &mut other[k + 1..]);
            }
        }
    }
    true
}

/// Solves with a factor from [`lu`], in place.
pub fn lu_solve(m: &[f64], n: usize, order: &[usize], z: &mut [f64]) {
    for k in 0..n {
        z.swap(k, order[k]);
    }
    for i in 1..n {
        let s = dot(&m[i * n..i * n + i], &z[..i]);
        z[i] -= s;
    }
    for i in (0..n).rev() {
        let s = dot(&m[i * n + i + 1..i * n + n], &z[i + 1..n]);
        z[i] = (z[i] - s) / m[i * n + i];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without pattern, between -0.5 and 0.5.
    pub(super) fn noise(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    fn vector(n: usize, seed: &mut u64) -> Vec<f64> {
        (0..n).map(|_| noise(seed)).collect()
    }

    /// `sum of x x^T` over `rank` random `x`, whole.
    fn gram(n: usize, rank: usize, seed: &mut u64) -> Vec<f64> {
        let mut a = vec![0.0; n * n];
        for _ in 0..rank {
            add_square(1.0, &vector(n, seed), &mut a);
        }
        for i in 0..n {
            (0..i).for_each(|j| a[j * n + i] = a[i * n + j]);
        }
        a
    }

    fn assert_solves(a: &[f64], n: usize, x: &[f64], b: &[f64]) {
        for i in 0..n {
            let miss = dot(&a[i * n..i * n + n], x) - b[i];
            assert!(miss.abs() < 1e-11 * (1.0 + norm(x)), "n {n}, row {i}: {miss}");
        }
    }

    #[test]
    fn sums_do_not_depend_on_the_longer_vector() {
        let seed = &mut 3;
        for n in 0..40 {
            let (x, y) = (vector(n, seed), vector(n + 5, seed));
            let plain: f64 = x.iter().zip(&y).map(|(x, y)| x * y).sum();
            assert!((dot(&x, &y) - plain).abs() < 1e-15 && dot(&x, &y) == dot(&y, &x));
            assert!((norm(&x) * norm(&x) - dot(&x, &x)).abs() < 1e-14);
        }
    }

    #[test]
    fn definite_matrices_are_factored_and_solved() {
        let seed = &mut 1;
        for n in 1..30 {
            let a = gram(n, 2 * n + 2, seed);
            let b = vector(n, seed);
            let (mut h, mut x) = (a.clone(), b.clone());
            assert!(cholesky(&mut h, n));
            cholesky_solve(&h, n, &mut x);
            assert_solves(&a, n, &x, &b);
            h.copy_from_slice(&a);
            h[n * n - 1] = -1.0;
            assert!(!cholesky(&mut h, n));
        }
    }

    #[test]
    fn semidefinite_matrices_are_split_by_their_rank() {
        let seed = &mut 2;
        let (mut g, mut left) = (Vec::new(), Vec::new());
        for (n, rank) in [(1, 1), (5, 2), (12, 7), (20, 20)] {
            let a = gram(n, rank, seed);
            assert_eq!(pivoted_cholesky(&a, n, 1e-12, &mut g, &mut left), Some(rank));
            for i in 0..n {
                for j in 0..n {
                    let product = dot(&g[i * rank..(i + 1) * rank], &g[j * rank..(j + 1) * rank]);
                    assert!((product - a[i * n + j]).abs() < 1e-11);
                }
            }
        }
        assert_eq!(pivoted_cholesky(&[1.0, 2.0, 2.0, 1.0], 2, 1e-12, &mut g, &mut left), None);
    }

    #[test]
    fn general_matrices_are_factored_and_solved() {
        let seed = &mut 4;
        let mut order = Vec::new();
        for n in 1..30 {
            let mut a = vector(n * n, seed);
            // a vanishing first pivot: rows must be exchanged
            a[0] = if n > 1 { 0.0 } else { 1.0 };
            let b = vector(n, seed);
            let (mut h, mut x) = (a.clone(), b.clone());
            assert!(lu(&mut h, n, &mut order));
            lu_solve(&h, n, &order, &mut x);
            assert_solves(&a, n, &x, &b);
        }
        assert!(!lu(&mut [1.0, 2.0, 2.0, 4.0], 2, &mut order));
    }
}
