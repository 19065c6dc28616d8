//! Newton's method for one proximal step of Coulomb's law itself, as in [`crate::cone`]: damped on `|R|`, from the prediction that every law stays in its mode.
//!
//! `R' = 1 + G^T W G / eps` is as sparse as the graph of touching nodes; `W` is not symmetric where something slides.

use super::rows::norm;
use super::{Heap, SHORT_STEPS, SHORTEST};
use crate::dense::{dot, largest, zeros};
use crate::law::Law;
use crate::project::{Mode, project_with_modes};

impl Heap {
    /// One proximal step from `y`; the outcome is in `next`. Whether it was solved.
    pub(super) fn newton(&mut self, eps: f64, enough: f64, steps: usize) -> bool {
        zeros(&mut self.w, self.v.len());
        zeros(&mut self.next, self.y.len());
        if self.is_spent() {
            return false;
        }
        self.predict(eps);
        let mut error = self.residual(eps);
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
            if self.is_spent() {
                return false;
            }
            self.assemble(eps);
            if !self.factor_any() {
                return false;
            }
            self.step.clear();
            self.step.extend(self.r.iter().map(|v| -v));
            self.matrix.solve_any(&mut self.step, &mut self.scratch);
            let mut t = 1.0;
            let start = error;
            self.trial.clear();
            self.trial.extend_from_slice(&self.w);
            loop {
                self.go(t);
                error = self.residual(eps);
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

    fn factor_any(&mut self) -> bool {
        self.counted.iterations += 1;
        self.counted.factorisations += 1;
        self.matrix.factor_any()
    }

    /// `w` at the part `t` of a step.
    pub(super) fn go(&mut self, t: f64) {
        for (w, (from, step)) in self.w.iter_mut().zip(self.trial.iter().zip(&self.step)) {
            *w = from + t * step;
        }
    }

    /// A first `w` for this `eps`: `P` is replaced by its tangent at the point `q` of the last answer.
    fn predict(&mut self, eps: f64) {
        let n = self.y.len();
        project_with_modes(&self.scaled.laws, &self.q, &mut self.next, &mut self.modes);
        self.assemble(eps);
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
        zeros(&mut self.step, self.v.len());
        for i in 0..n {
            self.rows.push(i, self.next[i] - self.y[i], &mut self.step);
        }
        if self.factor_any() {
            self.matrix.solve_any(&mut self.step, &mut self.scratch);
            self.w.copy_from_slice(&self.step);
        }
    }

    /// `R(w)` into `r`, with `next` and the modes; returns its length.
    fn residual(&mut self, eps: f64) -> f64 {
        self.p.clear();
        for i in 0..self.y.len() {
            self.p.push(self.y[i] - (self.a[i] + self.rows.product(i, &self.w)) / eps);
        }
        project_with_modes(&self.scaled.laws, &self.p, &mut self.next, &mut self.modes);
        self.pull_back();
        norm(&self.r)
    }

    /// `r = w - G^T (next - y)`.
    pub(super) fn pull_back(&mut self) {
        self.r.clear();
        self.r.extend_from_slice(&self.w);
        for i in 0..self.y.len() {
            let change = self.next[i] - self.y[i];
            if change != 0.0 {
                self.rows.push(i, -change, &mut self.r);
            }
        }
    }

    /// `R'` at the present modes.
    fn assemble(&mut self, eps: f64) {
        self.matrix.clear_to_one(true);
        let mut first = 0;
        for at in 0..self.scaled.laws.len() {
            let law = self.scaled.laws[at];
            let rows = law.rows();
            match self.modes[at] {
                Mode::Held => {}
                Mode::Moving => (first..first + rows).for_each(|i| self.add(i, i, 1.0 / eps, true)),
                Mode::Sliding { e, turn } => {
                    let normal = match law {
                        Law::Cone { normal, mu, .. } if self.next[normal] > 0.0 => Some((normal, mu)),
                        _ => None,
                    };
                    for k in 0..rows {
                        // the row of W, applied to G before it is spread
                        let mut weights = [(0, 0.0); 4];
                        for l in 0..rows {
                            let weight = turn * (f64::from(u8::from(k == l)) - e[k] * e[l]) / eps;
                            weights[l] = (first + l, weight);
                        }
                        let mut used = rows;
                        if let Some((normal, mu)) = normal {
                            weights[used] = (normal, mu * e[k] / eps);
                            used += 1;
                        }
                        self.add_sum(first + k, &weights[..used], true);
                    }
                }
            }
            first += rows;
        }
    }
}
