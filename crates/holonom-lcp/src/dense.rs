//! The few dense kernels everything else is made of: dot products, a pivoted Cholesky factor, LU with partial pivoting.
//!
//! Sums are taken in four lanes that are added in a fixed order: quick without asking the compiler to reorder anything, and the
//! same bits on every machine.

/// `x . y` over the shorter of the two.
#[inline]
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
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
pub(crate) fn axpy(s: f64, x: &[f64], y: &mut [f64]) {
    for (q, p) in y.iter_mut().zip(x) {
        *q += s * p;
    }
}

/// Largest magnitude; zero for nothing.
pub(crate) fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, v| f64::max(m, v.abs()))
}

/// `v` becomes `n` zeros without allocating where it was as long before.
pub(crate) fn zeros(v: &mut Vec<f64>, n: usize) {
    v.clear();
    v.resize(n, 0.0);
}

/// `A = G G^T` to within `drop` on the diagonal, `G` of `n` rows and `rank` columns, packed row after row.
///
/// The largest remaining pivot comes first, so what is left out is small whatever the rank. `None` where a remaining diagonal
/// is clearly negative: then `A` is not positive semidefinite.
pub(crate) fn pivoted_cholesky(a: &[f64], n: usize, drop: f64, g: &mut Vec<f64>, left: &mut Vec<f64>) -> Option<usize> {
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
pub(crate) fn lu(m: &mut [f64], n: usize, order: &mut Vec<usize>) -> bool {
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
pub(crate) fn lu_solve(m: &[f64], n: usize, order: &[usize], z: &mut [f64]) {
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
