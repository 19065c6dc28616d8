//! Dense matrices for analysis: null spaces, symmetric eigenvalues. Matrices are row by row in one `Vec`.
//!
//! ```text
//! null space of B (m x n)    Householder reflections over the rows of B, the largest remainder first:  H_r ... H_1 b_i = 0 beyond
//!                            entry r for all rows, so that the last n - r columns of Q = H_1 ... H_r are annihilated by B
//! symmetric S = U diag U^T   Householder to tridiagonal form, then QL with implicit shifts (Bowdler, Martin, Reinsch, Wilkinson 1968)
//! ```

/// `x . y`.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(x, y)| x * y).sum()
}

/// `y += s x`.
pub(crate) fn add(y: &mut [f64], s: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += s * x);
}

/// Largest absolute entry; NaN counts as infinite.
pub(crate) fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m: f64, x| if x.is_nan() { f64::INFINITY } else { m.max(x.abs()) })
}

/// L of `A = L L^T`, over the lower triangle of the `n x n` matrix, in place. False when A is not positive definite.
pub(crate) fn cholesky(a: &mut [f64], n: usize) -> bool {
    for j in 0..n {
        for k in 0..j {
            let l = a[j * n + k];
            for i in j..n {
                a[i * n + j] -= a[i * n + k] * l;
            }
        }
        let d = a[j * n + j];
        if !(d > 0.0) {
            return false;
        }
        let s = 1.0 / d.sqrt();
        for i in j..n {
            a[i * n + j] *= s;
        }
    }
    true
}

/// `L y = x` in place.
pub(crate) fn forward(l: &[f64], n: usize, x: &mut [f64]) {
    for i in 0..n {
        x[i] = (x[i] - dot(&l[i * n..i * n + i], &x[..i])) / l[i * n + i];
    }
}

/// `L^T y = x` in place.
pub(crate) fn backward(l: &[f64], n: usize, x: &mut [f64]) {
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| l[k * n + i] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i * n + i];
    }
}

/// Bring rows to length 1.
pub(crate) fn normalised(mut rows: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    for row in &mut rows {
        let length = dot(row, row).sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|x| *x /= length);
        }
    }
    rows
}

/// An orthonormal basis of the vectors of length `n` that all `rows` annihilate. What is left of a row below
/// `tolerance` counts as dependent on the others.
pub(crate) fn null_space(mut rows: Vec<Vec<f64>>, n: usize, tolerance: f64) -> Vec<Vec<f64>> {
    let mut reflections: Vec<Vec<f64>> = Vec::new();
    while reflections.len() < n && !rows.is_empty() {
        let k = reflections.len();
        let left = |row: &Vec<f64>| dot(&row[k..], &row[k..]);
        let best = (0..rows.len()).fold(0, |best, i| if left(&rows[i]) > left(&rows[best]) { i } else { best });
        let length = left(&rows[best]).sqrt();
        if !(length > tolerance) {
            break;
        }
        // u = b + sign(b_k) |b| e_k, scaled so that H = 1 - u u^T
        let mut u = rows.swap_remove(best)[k..].to_vec();
        u[0] += if u[0] < 0.0 { -length } else { length };
        let scale = (2.0 / dot(&u, &u)).sqrt();
        u.iter_mut().for_each(|x| *x *= scale);
        for row in &mut rows {
            let s = dot(&u, &row[k..]);
            add(&mut row[k..], -s, &u);
        }
        reflections.push(u);
    }
    let rank = reflections.len();
    (rank..n)
        .map(|j| {
            let mut x = vec![0.0; n];
            x[j] = 1.0;
            for (k, u) in reflections.iter().enumerate().rev() {
                let s = dot(u, &x[k..]);
                add(&mut x[k..], -s, u);
            }
            x
        })
        .collect()
}

/// Eigenvalues of a symmetric `n x n` matrix in ascending order, and the eigenvectors in the same order.
pub(crate) fn symmetric_eigen(a: &[f64], n: usize) -> (Vec<f64>, Vec<Vec<f64>>) {
    if n == 0 {
        return (Vec::new(), Vec::new());
    }
    let (mut d, mut e, mut z) = tridiagonal(a, n);
    implicit_ql(&mut d, &mut e, &mut z, n);
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&i, &j| d[i].total_cmp(&d[j]));
    let vectors = order.iter().map(|&j| (0..n).map(|i| z[i * n + j]).collect()).collect();
    (order.iter().map(|&j| d[j]).collect(), vectors)
}

/// `A = Q T Q^T`: diagonal of T, its subdiagonal (entry i couples i and i + 1), and Q.
fn tridiagonal(a: &[f64], n: usize) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
    let mut a = a.to_vec();
    let mut q: Vec<f64> = (0..n * n).map(|k| f64::from(k / n == k % n)).collect();
    let mut p = vec![0.0; n];
    for k in 0..n.saturating_sub(2) {
        let mut u: Vec<f64> = (k + 1..n).map(|i| a[i * n + k]).collect();
        let length = dot(&u, &u).sqrt();
        if length == 0.0 || size(&u[1..]) == 0.0 {
            continue;
        }
        u[0] += if u[0] < 0.0 { -length } else { length };
        let scale = (2.0 / dot(&u, &u)).sqrt();
        u.iter_mut().for_each(|x| *x *= scale);
        // A <- H A H with H = 1 - u u^T on the entries beyond k:  p = A u, A -= u p^T + p u^T - (u . p) u u^T
        let first = k + 1;
        for i in k..n {
            p[i] = dot(&a[i * n + first..(i + 1) * n], &u);
        }
        let up = dot(&u, &p[first..]);
        for i in k..n {
            let ui = if i >= first { u[i - first] } else { 0.0 };
            for j in first..n {
                let uj = u[j - first];
                a[i * n + j] -= p[i] * uj + ui * p[j] - up * ui * uj;
            }
        }
        for i in first..n {
            a[i * n + k] = a[k * n + i];
        }
        for row in q.chunks_exact_mut(n) {
            let s = dot(&row[first..], &u);
            add(&mut row[first..], -s, &u);
        }
    }
    let d = (0..n).map(|i| a[i * n + i]).collect();
    let mut e: Vec<f64> = (1..n).map(|i| a[i * n + i - 1]).collect();
    e.push(0.0);
    (d, e, q)
}

/// QL with implicit shifts on a tridiagonal matrix; the rotations are gathered in the columns of `z`.
fn implicit_ql(d: &mut [f64], e: &mut [f64], z: &mut [f64], n: usize) {
    for l in 0..n {
        for _ in 0..60 {
            // the block that begins at l ends where the subdiagonal vanishes
            let m = (l..n - 1).find(|&m| e[m].abs() <= f64::EPSILON * (d[m].abs() + d[m + 1].abs())).unwrap_or(n - 1);
            if m == l {
                break;
            }
            let mut g = (d[l + 1] - d[l]) / (2.0 * e[l]);
            let r = libm::hypot(g, 1.0);
            g = d[m] - d[l] + e[l] / (g + if g < 0.0 { -r } else { r });
            let (mut s, mut c, mut p) = (1.0, 1.0, 0.0);
            let mut early = false;
            for i in (l..m).rev() {
                let (f, b) = (s * e[i], c * e[i]);
                let r = libm::hypot(f, g);
                e[i + 1] = r;
                if r == 0.0 {
                    d[i + 1] -= p;
                    e[m] = 0.0;
                    early = true;
                    break;
                }
                (s, c) = (f / r, g / r);
                let h = d[i + 1] - p;
                let t = (d[i] - h) * s + 2.0 * c * b;
                p = s * t;
                d[i + 1] = h + p;
                g = c * t - b;
                for row in z.chunks_exact_mut(n) {
                    let (x, y) = (row[i], row[i + 1]);
                    row[i + 1] = s * x + c * y;
                    row[i] = c * x - s * y;
                }
            }
            if !early {
                d[l] -= p;
                e[l] = g;
                e[m] = 0.0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::SplitMix;

    #[test]
    fn null_spaces_are_annihilated_and_of_the_right_size() {
        let mut g = SplitMix(5);
        for (m, n, repeated) in [(3, 7, 0), (5, 7, 2), (9, 7, 1), (0, 4, 0)] {
            let mut rows: Vec<Vec<f64>> = (0..m).map(|_| (0..n).map(|_| g.symmetric(1.0)).collect()).collect();
            for i in 0..repeated {
                let twice: Vec<f64> = rows[i].iter().map(|x| 2.0 * x).collect();
                rows[m - 1 - i] = twice;
            }
            let rank = (m - repeated).min(n);
            let basis = null_space(normalised(rows.clone()), n, 1e-10);
            assert_eq!(basis.len(), n - rank);
            for x in &basis {
                assert!(rows.iter().all(|r| dot(r, x).abs() < 1e-14));
                assert!((dot(x, x) - 1.0).abs() < 1e-14);
            }
        }
    }

    #[test]
    fn symmetric_matrices_are_put_together_again() {
        let mut g = SplitMix(8);
        for n in [1, 2, 3, 10, 40] {
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..=i {
                    let x = g.symmetric(1.0);
                    (a[i * n + j], a[j * n + i]) = (x, x);
                }
            }
            // two equal eigenvalues and a zero row
            if n == 10 {
                for k in 0..n {
                    (a[3 * n + k], a[k * n + 3]) = (0.0, 0.0);
                }
            }
            let (d, u) = symmetric_eigen(&a, n);
            for i in 0..n {
                for j in 0..n {
                    let back: f64 = (0..n).map(|k| u[k][i] * d[k] * u[k][j]).sum();
                    assert!((back - a[i * n + j]).abs() < 1e-13 * n as f64, "{n}: {i} {j}");
                }
            }
            assert!(d.windows(2).all(|w| w[0] <= w[1]));
        }
    }
}
