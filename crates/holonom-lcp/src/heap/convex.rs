//! Proximal steps on the convex problem with De Saxce's shift held fast: what is solved from anywhere.
//!
//! ```text
//!     R(w) = w - G^T (P_K(x_k - (a_k + s + G w) / eps) - x_k)        the gradient;  P_K: the projection onto the cones themselves
//!     R'   = 1 + G^T W G / eps                                       symmetric, at least 1
//! ```
//!
//! For a normal with cones `i`, of which those in `S` are outside their disc, `u = (1 at n, mu_i e_i for i in S)`:
//!
//! ```text
//!     W = u u^T / (1 + sum over S of mu_i^2)  +  sum over S of radius_i/|p_i| (1 - e_i e_i^T)  +  1 on the discs not in S
//! ```

use super::Heap;
use super::rows::norm;
use crate::dense::{dot, largest, zeros};
use crate::law::Law;
use crate::project::{Mode, length, settle};

/// Newton steps for one proximal step.
const STEPS: usize = 25;

/// A cone on a normal.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disc {
    pub normal: usize,
    pub first: usize,
    pub rows: usize,
    mu: f64,
    law: usize,
}

/// All cones of one normal: a range of discs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    normal: usize,
    from: usize,
    to: usize,
}

impl Heap {
    /// One proximal step with the shift at hand; the outcome is in `next`. Whether it was solved.
    pub(super) fn convex(&mut self, eps: f64, enough: f64) -> bool {
        let n = self.y.len();
        self.shift.clear();
        self.shift.extend((0..n).map(|i| self.a[i] + self.slip[i]));
        zeros(&mut self.w, self.v.len());
        zeros(&mut self.next, n);
        let mut error = self.gradient(eps);
        for _ in 0..STEPS {
            let size = largest(&self.y).max(1.0);
            let floor = 1e-15 * (largest(&self.shift) + largest(&self.w)) / eps;
            if error <= (1e-14 * size).max(floor).max(enough) {
                return true;
            }
            if !error.is_finite() || self.is_spent() {
                return false;
            }
            self.hessian(eps);
            self.counted.iterations += 1;
            self.counted.factorisations += 1;
            if !self.matrix.factor() {
                return false;
            }
            self.step.clear();
            self.step.extend(self.r.iter().map(|v| -v));
            self.matrix.solve(&mut self.step, &mut self.scratch);
            error = self.search(eps);
        }
        false
    }

    /// De Saxce's shift follows `a`: all the way with `share = 1`, half with `share = 0.5`.
    pub(super) fn follow(&mut self, share: f64) {
        for s in &mut self.slip {
            *s *= 1.0 - share;
        }
        for d in &self.discs {
            self.slip[d.normal] += share * d.mu * length(&self.a[d.first..d.first + d.rows]);
        }
    }

    /// The minimum along `step`, roughly: the slope `step . R` grows along it. Returns the new `|R|`.
    fn search(&mut self, eps: f64) -> f64 {
        self.trial.clear();
        self.trial.extend_from_slice(&self.w);
        let steep = dot(&self.step, &self.r).abs();
        let (mut low, mut at_low, mut high, mut at_high) = (0.0, -steep, f64::INFINITY, 0.0);
        let mut t: f64 = 1.0;
        let mut error = 0.0;
        for _ in 0..8 {
            self.go(t);
            error = self.gradient(eps);
            let slope = dot(&self.step, &self.r);
            if slope.abs() <= 0.1 * steep || (slope < 0.0 && t >= 1.0) {
                break;
            }
            if slope > 0.0 {
                (high, at_high) = (t, slope);
            } else {
                (low, at_low) = (t, slope);
            }
            if !high.is_finite() {
                break;
            }
            // the secant, kept away from the ends
            let secant = low + (high - low) * (-at_low / (at_high - at_low));
            t = secant.clamp(low + 0.1 * (high - low), high - 0.1 * (high - low));
        }
        error
    }

    /// `R(w)` into `r`, with `next`, the modes, and `p`.
    fn gradient(&mut self, eps: f64) -> f64 {
        self.p.clear();
        for i in 0..self.y.len() {
            self.p.push(self.y[i] - (self.shift[i] + self.rows.product(i, &self.w)) / eps);
        }
        self.project_onto_cones();
        self.pull_back();
        norm(&self.r)
    }

    /// `next = P_K(p)` with modes; the normal of a cone that is outside its disc is pulled up by it.
    fn project_onto_cones(&mut self) {
        for group in &self.groups {
            let normal = group.normal;
            let mut s = self.p[normal].max(0.0);
            for _ in 0..8 {
                let (mut pull, mut rate) = (s - self.p[normal], 1.0);
                for f in &self.discs[group.from..group.to] {
                    let outside = length(&self.p[f.first..f.first + f.rows]) - f.mu * s;
                    if outside > 0.0 {
                        pull -= f.mu * outside;
                        rate += f.mu * f.mu;
                    }
                }
                let new = (s - pull / rate).max(0.0);
                if new == s {
                    break;
                }
                s = new;
            }
            self.pulled[normal] = s;
        }
        self.modes.clear();
        let mut first = 0;
        for law in &self.scaled.laws {
            let rows = law.rows();
            let mut p = [0.0; 3];
            p[..rows].copy_from_slice(&self.p[first..first + rows]);
            if self.pulled[first] >= 0.0 {
                p[0] = self.pulled[first];
            }
            self.modes.push(settle(law, first, &p, &mut self.next));
            first += rows;
        }
    }

    /// The lower half of `R'` at the present modes.
    fn hessian(&mut self, eps: f64) {
        self.matrix.clear_to_one(false);
        let mut first = 0;
        for at in 0..self.scaled.laws.len() {
            let rows = self.scaled.laws[at].rows();
            // normals with cones come with their groups
            let grouped = self.pulled[first] >= 0.0;
            match self.modes[at] {
                Mode::Moving if !grouped => (first..first + rows).for_each(|i| self.add(i, i, 1.0 / eps, false)),
                Mode::Sliding { e, turn } if turn > 0.0 => {
                    // 1 - e e^T, one direction after the other
                    (first..first + rows).for_each(|i| self.add(i, i, turn / eps, false));
                    let mut weights = [(0, 0.0); 3];
                    (0..rows).for_each(|k| weights[k] = (first + k, e[k]));
                    self.add_square(-turn / eps, &weights[..rows]);
                }
                _ => {}
            }
            first += rows;
        }
        for at in 0..self.groups.len() {
            let group = self.groups[at];
            if !(self.next[group.normal] > 0.0) {
                continue;
            }
            self.weights.clear();
            self.weights.push((group.normal, 1.0));
            let mut whole = 1.0;
            for f in &self.discs[group.from..group.to] {
                if let Mode::Sliding { e, .. } = self.modes[f.law] {
                    whole += f.mu * f.mu;
                    self.weights.extend((0..f.rows).map(|k| (f.first + k, f.mu * e[k])));
                }
            }
            let weights = std::mem::take(&mut self.weights);
            self.add_square(1.0 / (whole * eps), &weights);
            self.weights = weights;
        }
    }

    /// Which cones hang on which normals.
    pub(super) fn group(&mut self) {
        self.discs.clear();
        let mut first = 0;
        for (at, law) in self.scaled.laws.iter().enumerate() {
            if let Law::Cone { normal, mu, rows } = *law {
                self.discs.push(Disc { normal, first, rows, mu, law: at });
            }
            first += law.rows();
        }
        self.discs.sort_unstable_by_key(|d| (d.normal, d.first));
        self.pulled.clear();
        self.pulled.resize(first, -1.0);
        zeros(&mut self.slip, first);
        self.groups.clear();
        // a normal that may pull has no cone to project onto: its friction is clipped, which is near enough here
        let (mut row, mut at) = (0, 0);
        for law in &self.scaled.laws {
            let from = at;
            while at < self.discs.len() && self.discs[at].normal == row {
                at += 1;
            }
            if at > from && *law == Law::Push {
                self.groups.push(Group { normal: row, from, to: at });
            }
            row += law.rows();
        }
    }
}
