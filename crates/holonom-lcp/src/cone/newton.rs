//! Newton's method for one proximal step of Coulomb's law itself: equation (2) of [`super`].
//!
//! ```text
//!     R' step = -R,     w += t step,     t = 1, 1/2, 1/4 ... until |R| falls
//! ```
//!
//! The first `w` is a prediction: `P` is replaced by its tangent at the point `q` of the last answer, so that a change of `eps` alone
//! does not throw every law out of its mode.

use super::{Cone, SHORT_STEPS, SHORTEST};
use crate::dense::{axpy, dot, largest, lu, lu_solve, zeros};
use crate::law::Law;
use crate::project::{Mode, project_with_modes};

impl Cone {
    /// Newton's method for one proximal step; the outcome is in `next`. Whether it was solved.
    pub(super) fn newton(&mut self, n: usize, eps: f64, enough: f64, steps: usize) -> bool {
        let r = self.rank;
        zeros(&mut self.w, r);
        zeros(&mut self.next, n);
        if self.counted.iterations >= self.limit {
            return false;
        }
        self.predict(n, eps);
        let mut error = self.residual(n, eps);
        let mut short = 0;
        for _ in 0..steps {
            let size = largest(&self.y).max(1.0);
            let floor = 1e-15 * (largest(&self.a) + largest(&self.w)) / eps;
            if !error.is_finite() {
                return false;
            }
            if error <= (1e-14 * size).max(floor).max(1e-3 * enough) {
                return true;
            }
            if self.counted.iterations >= self.limit {
                return false;
            }
            self.assemble(eps);
            if !self.factor() {
                return false;
            }
            self.step.clear();
            self.step.extend(self.r.iter().map(|v| -v));
            lu_solve(&self.h, r, &self.order, &mut self.step);
            let mut t = 1.0;
            let start = error;
            self.trial.clear();
            self.trial.extend_from_slice(&self.w);
            loop {
                for k in 0..r {
                    self.w[k] = self.trial[k] + t * self.step[k];
                }
                error = self.residual(n, eps);
                if error <= (1.0 - 1e-4 * t) * start {
                    break;
                }
                t *= 0.5;
                if t < SHORTEST {
                    return false;
                }
            }
            if t < 0.1 {
                short += 1;
                if short > SHORT_STEPS {
                    return false;
                }
            }
        }
        false
    }

    /// Factors `h`.
    fn factor(&mut self) -> bool {
        self.counted.iterations += 1;
        self.counted.factorisations += 1;
        lu(&mut self.h, self.rank, &mut self.order)
    }

    /// A first `w` for this `eps`: what it would be if every law stayed in the mode it is in now.
    fn predict(&mut self, n: usize, eps: f64) {
        let r = self.rank;
        // `P` about `q`: x = P(q) + W (p - q), with p at w = 0
        project_with_modes(&self.scaled.laws, &self.q, &mut self.next, &mut self.modes);
        self.p.clear();
        for i in 0..n {
            self.p.push(self.y[i] - self.a[i] / eps - self.q[i]);
        }
        let mut first = 0;
        for (at, law) in self.scaled.laws.iter().enumerate() {
            let rows = law.rows();
            match self.modes[at] {
                Mode::Held => {}
                Mode::Moving => {
                    for i in first..first + rows {
                        self.next[i] += self.p[i];
                    }
                }
                Mode::Sliding { e, turn } => {
                    let along = dot(&e[..rows], &self.p[first..first + rows]);
                    let mut grip = 0.0;
                    if let Law::Cone { normal, mu, .. } = *law
                        && self.next[normal] > 0.0
                    {
                        grip = mu * self.p[normal];
                    }
                    for k in 0..rows {
                        self.next[first + k] += turn * (self.p[first + k] - along * e[k]) + grip * e[k];
                    }
                }
            }
            first += rows;
        }
        zeros(&mut self.step, r);
        for i in 0..n {
            let change = self.next[i] - self.y[i];
            if self.symmetric {
                axpy(change, &self.g[i * r..i * r + r], &mut self.step);
            } else {
                self.step[i] += change;
            }
        }
        project_with_modes(&self.scaled.laws, &self.q, &mut self.next, &mut self.modes);
        self.assemble(eps);
        if self.factor() {
            lu_solve(&self.h, r, &self.order, &mut self.step);
            self.w.copy_from_slice(&self.step);
        }
    }

    /// `R(w)` into `r`, with `next` and the modes; returns its largest entry.
    fn residual(&mut self, n: usize, eps: f64) -> f64 {
        let r = self.rank;
        self.p.clear();
        for i in 0..n {
            let a = self.a[i] + dot(&self.g[i * r..i * r + r], &self.w);
            self.p.push(self.y[i] - a / eps);
        }
        project_with_modes(&self.scaled.laws, &self.p, &mut self.next, &mut self.modes);
        self.r.clear();
        self.r.extend_from_slice(&self.w);
        for i in 0..n {
            let change = self.next[i] - self.y[i];
            if change != 0.0 {
                if self.symmetric {
                    axpy(-change, &self.g[i * r..i * r + r], &mut self.r);
                } else {
                    self.r[i] -= change;
                }
            }
        }
        dot(&self.r, &self.r).sqrt()
    }

    /// `R' = 1 + G^T W G / eps` at the present modes.
    fn assemble(&mut self, eps: f64) {
        let r = self.rank;
        zeros(&mut self.h, r * r);
        for k in 0..r {
            self.h[k * r + k] = 1.0;
        }
        zeros(&mut self.row, r);
        let mut first = 0;
        for at in 0..self.scaled.laws.len() {
            let law = self.scaled.laws[at];
            let rows = law.rows();
            match self.modes[at] {
                Mode::Held => {}
                Mode::Moving => {
                    for i in first..first + rows {
                        self.row.copy_from_slice(&self.g[i * r..i * r + r]);
                        self.add(i, 1.0 / eps);
                    }
                }
                Mode::Sliding { e, turn } => {
                    for k in 0..rows {
                        self.row.fill(0.0);
                        for l in 0..rows {
                            let weight = turn * (f64::from(u8::from(k == l)) - e[k] * e[l]);
                            let i = first + l;
                            axpy(weight, &self.g[i * r..i * r + r], &mut self.row);
                        }
                        if let Law::Cone { normal, mu, .. } = law
                            && self.next[normal] > 0.0
                        {
                            axpy(mu * e[k], &self.g[normal * r..normal * r + r], &mut self.row);
                        }
                        self.add(first + k, 1.0 / eps);
                    }
                }
            }
            first += rows;
        }
    }

    /// Adds `weight * (column of G^T) * row` to `h`.
    fn add(&mut self, i: usize, weight: f64) {
        let r = self.rank;
        if !self.symmetric {
            axpy(weight, &self.row, &mut self.h[i * r..i * r + r]);
            return;
        }
        for k in 0..r {
            let g = self.g[i * r + k];
            if g != 0.0 {
                axpy(weight * g, &self.row, &mut self.h[k * r..k * r + r]);
            }
        }
    }
}
