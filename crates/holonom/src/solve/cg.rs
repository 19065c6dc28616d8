//! Witkin's matrix-free solver: products with J, W = M^-1 and J^T only, `A = J W J^T` is never formed.
//!
//! The iteration is the conjugate residual form: each step minimises |b - A lambda| over the directions seen so far.
//! For a regular A it does the work of conjugate gradients; with redundant rows (A singular) it converges to a
//! least-squares answer instead of wandering off. Rows are scaled by the diagonal of A, so that metres and radians do
//! not mix.
//!
//! ```text
//! r = b - A x,  p = r;      a = (r . A r) / |A p|^2,   x += a p,   r -= a A p,   b' = (r . A r)_new / (r . A r)_old,   p = r + b' p
//! ```
//!
//! It stops when |r| <= tolerance |b|, or, for inconsistent rows, when |A r| <= tolerance |A| |r|: then r cannot be
//! reduced further.

use super::NotConverged;
use super::explicit::Explicit;
use holonom_tree::{Blocks, Node, Structure};

pub(crate) struct ConjugateResidual {
    e: Explicit,
    tolerance: f64,
    max_iterations: usize,
    /// 1 / sqrt(A_ii), in the dual entries.
    scale: Vec<f64>,
    iterations: usize,
}

impl ConjugateResidual {
    pub fn new(s: &Structure, tolerance: f64, max_iterations: usize) -> Self {
        let e = Explicit::new(s);
        let n = e.len();
        ConjugateResidual { e, tolerance, max_iterations, scale: vec![0.0; n], iterations: 0 }
    }

    pub fn iterations(&self) -> usize {
        self.iterations
    }

    pub fn factor(&mut self, s: &Structure, blocks: &Blocks) -> Result<(), Node> {
        self.e.load(s, blocks)?;
        self.scale.fill(0.0);
        let mut minv = Vec::new();
        for link in &self.e.links {
            self.e.mass_inverse_transposed(link, &mut minv);
            for r in 0..link.rows {
                let part = r * link.columns..(r + 1) * link.columns;
                let d: f64 = link.values[part.clone()].iter().zip(&minv[part]).map(|(a, b)| a * b).sum();
                self.scale[self.e.start[link.dual] + r] += d;
            }
        }
        for x in self.scale.iter_mut().filter(|x| **x > 0.0) {
            *x = 1.0 / x.sqrt();
        }
        Ok(())
    }

    /// out (dual part) = S A S x; zero in the primal part.
    fn apply(&self, x: &[f64], y: &mut [f64], out: &mut [f64]) {
        let scaled: Vec<f64> = x.iter().zip(&self.scale).map(|(x, s)| x * s).collect();
        y.fill(0.0);
        self.e.add_transposed(&scaled, y);
        self.e.solve_mass(y);
        out.fill(0.0);
        self.e.add_jacobian(1.0, y, out);
        out.iter_mut().zip(&self.scale).for_each(|(o, s)| *o *= s);
    }

    pub fn solve(&mut self, x: &mut [f64]) -> Result<(), NotConverged> {
        let n = self.e.len();
        let mut b = vec![0.0; n];
        self.e.reduce(x, &mut b);
        // the residual lives in scaled dual space; primal entries are zero there because their scale is
        let mut r: Vec<f64> = b.iter().zip(&self.scale).map(|(b, s)| b * s).collect();
        let size = norm(&r);
        let mut lambda = vec![0.0; n];
        self.iterations = 0;
        if size > 0.0 {
            let (mut y, mut ar) = (vec![0.0; n], vec![0.0; n]);
            self.apply(&r, &mut y, &mut ar);
            let (mut p, mut ap) = (r.clone(), ar.clone());
            let mut rar = dot(&r, &ar);
            let mut best = size;
            loop {
                let residual = norm(&r);
                best = best.min(residual);
                let stalled = norm(&ar) <= self.tolerance * residual;
                if residual <= self.tolerance * size || stalled {
                    break;
                }
                let apap = dot(&ap, &ap);
                if self.iterations >= self.max_iterations || !(apap > 0.0) || !rar.is_finite() {
                    return Err(NotConverged { residual: best / size, iterations: self.iterations });
                }
                self.iterations += 1;
                let alpha = rar / apap;
                for i in 0..n {
                    lambda[i] += alpha * p[i];
                    r[i] -= alpha * ap[i];
                }
                self.apply(&r, &mut y, &mut ar);
                let next = dot(&r, &ar);
                let beta = next / rar;
                rar = next;
                for i in 0..n {
                    p[i] = r[i] + beta * p[i];
                    ap[i] = ar[i] + beta * ap[i];
                }
            }
        }
        for i in 0..n {
            b[i] = lambda[i] * self.scale[i];
        }
        self.e.recover(&b, x);
        Ok(())
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn norm(a: &[f64]) -> f64 {
    dot(a, a).sqrt()
}
