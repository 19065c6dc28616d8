//! Newton's method for one proximal step of Coulomb's law itself: equation (2) of [`super`].
//!
//! ```text
//!     R' step = -R,     w += t step,     t = 1, 1/2, 1/4 ... until |R| falls
//! ```
//!
//! The first `w` is a prediction: `P` is replaced by its tangent at the point `q` of the last answer, so that a change
//! of `eps` alone does not throw every law out of its mode.

use super::{ConeOperator, ProximalNewton};
use crate::dense::{dot, largest, norm, zeros};
use crate::law::ComplementarityLaw as Law;
use crate::project::{ProjectionMode as Mode, project};

/// A Newton step this much shorter than a full one leads nowhere; so do this many that are a tenth.
const SHORTEST: f64 = 1e-2;
const SHORT_STEPS: usize = 3;

impl<O: ConeOperator> ProximalNewton<O> {
    /// One proximal step from `y`; the outcome is in `next`. Whether it was solved.
    pub(super) fn newton(&mut self, eps: f64, enough: f64, steps: usize) -> bool {
        zeros(&mut self.w, self.operator.motions());
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
            if !self.factor() {
                return false;
            }
            self.newton_step();
            let Some(t) = self.damp(eps, &mut error) else { return false };
            if t < 0.1 {
                short += 1;
                if short > SHORT_STEPS {
                    return false;
                }
            }
        }
        false
    }

    /// Factors the Newton matrix, and counts it.
    pub(super) fn factor(&mut self) -> bool {
        self.report.iterations += 1;
        self.report.factorisations += 1;
        self.operator.factor()
    }

    /// The step of `R' step = -R` from `w`, which is kept in `trial`.
    pub(super) fn newton_step(&mut self) {
        self.step.clear();
        self.step.extend(self.r.iter().map(|v| -v));
        self.operator.solve(&mut self.step);
        self.trial.clear();
        self.trial.extend_from_slice(&self.w);
    }

    /// `w` at the part `t` of the step.
    pub(super) fn go(&mut self, t: f64) {
        for (w, (from, step)) in self.w.iter_mut().zip(self.trial.iter().zip(&self.step)) {
            *w = from + t * step;
        }
    }

    /// Halves the step until `|R|` falls; the part that was gone. `None` where the step would be too short.
    fn damp(&mut self, eps: f64, error: &mut f64) -> Option<f64> {
        let start = *error;
        let mut t = 1.0;
        loop {
            self.go(t);
            *error = self.residual(eps);
            if *error <= (1.0 - 1e-4 * t) * start {
                return Some(t);
            }
            t *= 0.5;
            if t < SHORTEST {
                return None;
            }
        }
    }

    /// A first `w` for this `eps`: what it would be if every law stayed in the mode it has at `q`.
    fn predict(&mut self, eps: f64) {
        project(&self.scaled.laws, &self.q, &mut self.next, &mut self.modes);
        self.assemble(eps);
        // `P` about `q`: x = P(q) + W (p - q), with p at w = 0
        self.p.clear();
        for i in 0..self.y.len() {
            self.p.push(self.y[i] - self.a[i] / eps - self.q[i]);
        }
        for ((first, law), mode) in Law::with_first_rows(&self.scaled.laws).zip(&self.modes) {
            let rows = law.rows();
            match *mode {
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
        }
        zeros(&mut self.step, self.operator.motions());
        for i in 0..self.y.len() {
            self.operator.push(i, self.next[i] - self.y[i], &mut self.step);
        }
        if self.factor() {
            self.operator.solve(&mut self.step);
            self.w.copy_from_slice(&self.step);
        }
    }

    /// `R(w)` into `r`, with `next` and the modes; returns its length.
    fn residual(&mut self, eps: f64) -> f64 {
        self.p.clear();
        for i in 0..self.y.len() {
            self.p.push(self.y[i] - (self.a[i] + self.operator.product(i, &self.w)) / eps);
        }
        project(&self.scaled.laws, &self.p, &mut self.next, &mut self.modes);
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
                self.operator.push(i, -change, &mut self.r);
            }
        }
    }

    /// `R' = 1 + G^T W G / eps` at the present modes.
    fn assemble(&mut self, eps: f64) {
        self.operator.start_matrix(false);
        for ((first, law), mode) in Law::with_first_rows(&self.scaled.laws).zip(&self.modes) {
            let rows = law.rows();
            match *mode {
                Mode::Held => {}
                Mode::Moving => (first..first + rows).for_each(|i| self.operator.add_own(i, 1.0 / eps)),
                Mode::Sliding { e, turn } => {
                    let normal = match *law {
                        Law::Cone { normal, mu, .. } if self.next[normal] > 0.0 => Some((normal, mu)),
                        _ => None,
                    };
                    for k in 0..rows {
                        // the row of W, applied to G before it is spread
                        let mut weights = [(0, 0.0); 4];
                        for l in 0..rows {
                            weights[l] = (first + l, turn * (f64::from(u8::from(k == l)) - e[k] * e[l]));
                        }
                        let mut used = rows;
                        if let Some((normal, mu)) = normal {
                            weights[used] = (normal, mu * e[k]);
                            used += 1;
                        }
                        self.operator.add_row(first + k, &weights[..used], eps);
                    }
                }
            }
        }
    }
}
