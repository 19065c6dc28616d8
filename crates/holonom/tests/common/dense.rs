//! The equations of motion as plain matrices.

use holonom::check::{Equations, equations};
use holonom::{Model, State};

/// M, J, F, c at a state, row by row.
pub struct Dense {
    pub n: usize,
    pub m: usize,
    pub e: Equations,
}

impl Dense {
    pub fn at(model: &Model, state: &State) -> Dense {
        Dense { n: model.n_v(), m: model.n_rows(), e: equations(model, state) }
    }

    /// M x.
    pub fn mass_times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.n).map(|i| super::dot(&self.e.mass[i * self.n..(i + 1) * self.n], x)).collect()
    }

    /// x . M y.
    pub fn inner(&self, x: &[f64], y: &[f64]) -> f64 {
        super::dot(x, &self.mass_times(y))
    }

    /// Row i of J.
    pub fn row(&self, i: usize) -> &[f64] {
        &self.e.jacobian[i * self.n..(i + 1) * self.n]
    }

    /// J x.
    pub fn jacobian_times(&self, x: &[f64]) -> Vec<f64> {
        (0..self.m).map(|i| super::dot(self.row(i), x)).collect()
    }

    /// J^T y.
    pub fn transposed_times(&self, y: &[f64]) -> Vec<f64> {
        let mut out = vec![0.0; self.n];
        for i in 0..self.m {
            out.iter_mut().zip(self.row(i)).for_each(|(o, j)| *o += j * y[i]);
        }
        out
    }

    /// M^-1 x.
    pub fn mass_solve(&self, x: &[f64]) -> Vec<f64> {
        let mut l = self.e.mass.clone();
        assert!(cholesky(&mut l, self.n), "the mass matrix is not positive definite");
        cholesky_solve(&l, self.n, x)
    }

    /// The velocities nearest to `v`, in the metric of M, that obey the joints and bring `rows` to rest, with the impulses of those rows; `None` where they depend on
    /// each other.
    pub fn stop(&self, v: &[f64], rows: &[&[f64]]) -> Option<(Vec<f64>, Vec<f64>)> {
        let all: Vec<&[f64]> = (0..self.m).map(|i| self.row(i)).chain(rows.iter().copied()).collect();
        let k = all.len();
        let answers: Vec<Vec<f64>> = all.iter().map(|row| self.mass_solve(row)).collect();
        let mut a: Vec<f64> = (0..k * k).map(|i| super::dot(all[i / k], &answers[i % k])).collect();
        let largest = (0..k).map(|i| a[i * k + i]).fold(0.0, f64::max);
        if !cholesky(&mut a, k) || (0..k).any(|i| a[i * k + i] * a[i * k + i] < 1e-10 * largest) {
            return None;
        }
        let rates: Vec<f64> = all.iter().map(|row| -super::dot(row, v)).collect();
        let p = cholesky_solve(&a, k, &rates);
        let mut out = v.to_vec();
        for (p, answer) in p.iter().zip(&answers) {
            out.iter_mut().zip(answer).for_each(|(v, a)| *v += p * a);
        }
        Some((out, p[self.m..].to_vec()))
    }

    /// 1 / condition number (1-norm) of `J M^-1 J^T`; 0 when it is singular. Rows are not scaled: one that has vanished must show.
    pub fn rcond(&self) -> f64 {
        let (n, m) = (self.n, self.m);
        if m == 0 {
            return 1.0;
        }
        let mut l = self.e.mass.clone();
        if !cholesky(&mut l, n) {
            return 0.0;
        }
        let w: Vec<Vec<f64>> = (0..m).map(|i| cholesky_solve(&l, n, self.row(i))).collect();
        let mut a: Vec<f64> = (0..m * m).map(|k| super::dot(self.row(k / m), &w[k % m])).collect();
        let column_sum = |a: &[f64]| (0..m).map(|j| (0..m).map(|i| a[i * m + j].abs()).sum()).fold(0.0, f64::max);
        let norm: f64 = column_sum(&a);
        if !cholesky(&mut a, m) {
            return 0.0;
        }
        let mut inverse = vec![0.0; m * m];
        for j in 0..m {
            let unit: Vec<f64> = (0..m).map(|i| f64::from(i == j)).collect();
            for (i, x) in cholesky_solve(&a, m, &unit).into_iter().enumerate() {
                inverse[i * m + j] = x;
            }
        }
        1.0 / (norm * column_sum(&inverse))
    }

    /// The part of `x` that moves along the constraints: x - M^-1 J^T (J M^-1 J^T)^-1 J x.
    pub fn legal_part(&self, x: &[f64]) -> Vec<f64> {
        let (n, m) = (self.n, self.m);
        let mut l = self.e.mass.clone();
        assert!(cholesky(&mut l, n), "the mass matrix is not positive definite");
        let w: Vec<Vec<f64>> = (0..m).map(|i| cholesky_solve(&l, n, self.row(i))).collect();
        let a: Vec<f64> = (0..m * m).map(|k| super::dot(self.row(k / m), &w[k % m])).collect();
        let mut a_l = a.clone();
        assert!(cholesky(&mut a_l, m), "J M^-1 J^T is not positive definite");
        let mut out = x.to_vec();
        // twice: the second time removes what rounding left of the first
        for _ in 0..2 {
            let y = cholesky_solve(&a_l, m, &self.jacobian_times(&out));
            for i in 0..m {
                out.iter_mut().zip(&w[i]).for_each(|(o, w)| *o -= w * y[i]);
            }
        }
        out
    }
}

/// L of A = L L^T over the lower triangle, in place. False when A is not positive definite.
pub fn cholesky(a: &mut [f64], n: usize) -> bool {
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

pub fn cholesky_solve(l: &[f64], n: usize, b: &[f64]) -> Vec<f64> {
    let mut x = b.to_vec();
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| l[i * n + k] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i * n + i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| l[k * n + i] * x[k]).sum();
        x[i] = (x[i] - sum) / l[i * n + i];
    }
    x
}
