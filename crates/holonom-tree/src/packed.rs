//! Symmetric matrices stored once: the upper triangle, row by row. What is stored once cannot become asymmetric.

/// Entries of a packed symmetric matrix of size `n`.
pub const fn len(n: usize) -> usize {
    n * (n + 1) / 2
}

/// Position of entry (i, j), `i <= j`, in a packed matrix of size `n`.
#[inline(always)]
pub const fn at(n: usize, i: usize, j: usize) -> usize {
    i * n - i * (i + 1) / 2 + j
}

/// Entry (i, j) of a packed matrix, in either order.
pub fn get(m: &[f64], n: usize, i: usize, j: usize) -> f64 {
    m[at(n, i.min(j), i.max(j))]
}

/// `y += m x` for a packed matrix of the size of `x`.
pub fn multiply_add(m: &[f64], x: &[f64], y: &mut [f64]) {
    let n = x.len();
    let mut k = 0;
    for i in 0..n {
        y[i] += m[k] * x[i];
        k += 1;
        for j in i + 1..n {
            y[i] += m[k] * x[j];
            y[j] += m[k] * x[i];
            k += 1;
        }
    }
}

/// Replace a packed matrix by its factors `L D L^T`, in place and without pivoting: row k of the upper triangle becomes
/// column k of L, its diagonal entry becomes `1 / D_k`. `positive(k)` says which sign pivot k must have. On failure
/// returns the index of the pivot with the wrong sign (or NaN).
pub fn factor(m: &mut [f64], n: usize, positive: impl Fn(usize) -> bool) -> Result<(), usize> {
    // the same loops with their sizes known, which then unroll
    match n {
        1 => factor_any(m, 1, positive),
        2 => factor_any(m, 2, positive),
        3 => factor_any(m, 3, positive),
        4 => factor_any(m, 4, positive),
        5 => factor_any(m, 5, positive),
        6 => factor_any(m, 6, positive),
        _ => factor_any(m, n, positive),
    }
}

#[inline(always)]
pub(crate) fn factor_any(m: &mut [f64], n: usize, positive: impl Fn(usize) -> bool) -> Result<(), usize> {
    let m = &mut m[..len(n)];
    for k in 0..n {
        let row_k = at(n, k, k);
        let d = m[row_k];
        let right_sign = if positive(k) { d > 0.0 } else { d < 0.0 };
        if !right_sign {
            return Err(k);
        }
        let inverse = 1.0 / d;
        let (top, below) = m.split_at_mut(row_k + n - k);
        let row = &mut top[row_k + 1..];
        let mut start = 0;
        for i in 0..row.len() {
            let l = row[i] * inverse;
            let width = row.len() - i;
            for (target, &r) in below[start..start + width].iter_mut().zip(&row[i..]) {
                *target -= l * r;
            }
            start += width;
        }
        for r in row.iter_mut() {
            *r *= inverse;
        }
        m[row_k] = inverse;
    }
    Ok(())
}

/// `x <- L^-1 x`, with the factors of [`factor`]. `stride` right-hand sides lie side by side in `x`.
pub fn solve_lower(m: &[f64], n: usize, x: &mut [f64], stride: usize) {
    match (n, stride) {
        (1, _) => {}
        (2, 1) => solve_lower_any(m, 2, x, 1),
        (2, 3) => solve_lower_any(m, 2, x, 3),
        (3, 1) => solve_lower_any(m, 3, x, 1),
        (3, 2) => solve_lower_any(m, 3, x, 2),
        (6, 1) => solve_lower_any(m, 6, x, 1),
        (6, 2) => solve_lower_any(m, 6, x, 2),
        (6, 3) => solve_lower_any(m, 6, x, 3),
        (6, 4) => solve_lower_any(m, 6, x, 4),
        (6, 5) => solve_lower_any(m, 6, x, 5),
        (2, 6) => solve_lower_any(m, 2, x, 6),
        (3, 6) => solve_lower_any(m, 3, x, 6),
        (4, 6) => solve_lower_any(m, 4, x, 6),
        (5, 6) => solve_lower_any(m, 5, x, 6),
        _ => solve_lower_any(m, n, x, stride),
    }
}

#[inline(always)]
pub(crate) fn solve_lower_any(m: &[f64], n: usize, x: &mut [f64], stride: usize) {
    let (m, x) = (&m[..len(n)], &mut x[..n * stride]);
    for k in 0..n {
        let row_k = at(n, k, k);
        let (done, rest) = x.split_at_mut((k + 1) * stride);
        let x_k = &done[k * stride..];
        for i in k + 1..n {
            let l = m[row_k + i - k];
            for (target, &s) in rest[(i - k - 1) * stride..][..stride].iter_mut().zip(x_k) {
                *target -= l * s;
            }
        }
    }
}

/// `x <- L^-T x`, with the factors of [`factor`].
pub fn solve_upper(m: &[f64], n: usize, x: &mut [f64]) {
    match n {
        2 => solve_upper_any(m, 2, x),
        3 => solve_upper_any(m, 3, x),
        5 => solve_upper_any(m, 5, x),
        6 => solve_upper_any(m, 6, x),
        _ => solve_upper_any(m, n, x),
    }
}

#[inline(always)]
pub(crate) fn solve_upper_any(m: &[f64], n: usize, x: &mut [f64]) {
    let (m, x) = (&m[..len(n)], &mut x[..n]);
    for k in (0..n).rev() {
        let row_k = at(n, k, k);
        let mut sum = x[k];
        for i in k + 1..n {
            sum -= m[row_k + i - k] * x[i];
        }
        x[k] = sum;
    }
}

/// Solve `m x = b` in place with the factors of [`factor`].
pub fn solve(m: &[f64], n: usize, x: &mut [f64]) {
    solve_lower(m, n, x, 1);
    for k in 0..n {
        x[k] *= m[at(n, k, k)];
    }
    solve_upper(m, n, x);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn solves_an_indefinite_matrix() {
        // [4 1 -1; 1 3 -2; -1 -2 0]: two positive pivots, one negative
        let m0 = [4.0, 1.0, -1.0, 3.0, -2.0, 0.0];
        let x0 = [0.5, -2.0, 3.0];
        let mut b = [0.0; 3];
        multiply_add(&m0, &x0, &mut b);
        let mut m = m0;
        factor(&mut m, 3, |k| k < 2).expect("has the right inertia");
        solve(&m, 3, &mut b);
        for i in 0..3 {
            assert!((b[i] - x0[i]).abs() < 1e-14, "{b:?}");
        }
        assert_eq!(factor(&mut m0.clone(), 3, |_| true), Err(2));
    }
}
