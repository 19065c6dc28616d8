//! The globaliser of the cone solver: proximal steps on the convex problem with De Saxce's shift held fast.
//!
//! With `s_n = sum mu |a_t|` frozen, the proximal step of [`super`] becomes the minimum of a smooth convex function of the motion `w`,
//!
//! ```text
//!     R(w) = w - G^T (P_K(x_k - (a_k + s + G w) / eps) - x_k)        the gradient;  P_K: the projection onto the cones themselves
//!     R'   = 1 + G^T W G / eps                                       symmetric, at least 1
//! ```
//!
//! so Newton's method with a line search gets there from anywhere. For a normal with cones `i`, of which those in `S` are outside
//! their disc, `u = (1 at n, mu_i e_i for i in S)`:
//!
//! ```text
//!     W = u u^T / (1 + sum over S of mu_i^2)  +  sum over S of radius_i/|p_i| (1 - e_i e_i^T)  +  1 on the discs not in S
//! ```
//!
//! Between steps `s` follows `a`, half way each time: all the way it often swings to and fro. This finds who touches, sticks and slides; the last digits are for Coulomb's law itself.

use super::Cone;
use crate::dense::{axpy, dot, largest, zeros};
use crate::law::Law;
use crate::project::{Mode, length, settle};

/// Newton steps for one proximal step.
const STEPS: usize = 25;

impl Cone {
    /// One proximal step with the shift of the present `a`; the outcome is in `next`. Whether it was solved.
    pub(super) fn convex(&mut self, n: usize, eps: f64, enough: f64) -> bool {
        let r = self.rank;
        self.shift.clear();
        self.shift.extend((0..n).map(|i| self.a[i] + self.slip[i]));
        zeros(&mut self.w, r);
        zeros(&mut self.next, n);
        let mut error = self.gradient(n, eps);
        for _ in 0..STEPS {
            let size = largest(&self.y).max(1.0);
            let floor = 1e-15 * (largest(&self.shift) + largest(&self.w)) / eps;
            if error <= (1e-14 * size).max(floor).max(enough) {
                return true;
            }
            if !error.is_finite() || self.counted.iterations >= self.limit {
                return false;
            }
            self.hessian(n, eps);
            self.counted.iterations += 1;
            self.counted.factorisations += 1;
            if !cholesky(&mut self.h, r) {
                return false;
            }
            self.step.clear();
            self.step.extend(self.r.iter().map(|v| -v));
            cholesky_solve(&self.h, r, &mut self.step);
            error = self.search(n, eps);
        }
        false
    }

    /// De Saxce's shift follows `a`: all the way with `share = 1`, half with `share = 0.5`.
    pub(super) fn follow(&mut self, n: usize, share: f64) {
        self.slip.resize(n, 0.0);
        for s in &mut self.slip {
            *s *= 1.0 - share;
        }
        for d in &self.discs {
            self.slip[d.normal] += share * d.mu * length(&self.a[d.first..d.first + d.rows]);
        }
    }

    /// The minimum along `step`, roughly: the slope `step . R` grows along it. Returns the new `|R|`.
    fn search(&mut self, n: usize, eps: f64) -> f64 {
        let r = self.rank;
        self.trial.clear();
        self.trial.extend_from_slice(&self.w);
        let steep = dot(&self.step, &self.r).abs();
        let (mut low, mut at_low, mut high, mut at_high) = (0.0, -steep, f64::INFINITY, 0.0);
        let mut t: f64 = 1.0;
        let mut error = 0.0;
        for _ in 0..8 {
            for k in 0..r {
                self.w[k] = self.trial[k] + t * self.step[k];
            }
            error = self.gradient(n, eps);
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
    fn gradient(&mut self, n: usize, eps: f64) -> f64 {
        let r = self.rank;
        self.p.clear();
        for i in 0..n {
            let a = self.shift[i] + dot(&self.g[i * r..i * r + r], &self.w);
            self.p.push(self.y[i] - a / eps);
        }
        self.project_onto_cones();
        self.r.clear();
        self.r.extend_from_slice(&self.w);
        for i in 0..n {
            let change = self.next[i] - self.y[i];
            if change != 0.0 {
                axpy(-change, &self.g[i * r..i * r + r], &mut self.r);
            }
        }
        dot(&self.r, &self.r).sqrt()
    }

    /// `next = P_K(p)` with modes; the normal of a cone that is outside its disc is pulled up by it.
    fn project_onto_cones(&mut self) {
        for at in 0..self.groups.len() {
            let group = self.groups[at];
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
    fn hessian(&mut self, n: usize, eps: f64) {
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
            // normals with cones come with their groups
            let grouped = self.pulled[first] >= 0.0;
            match self.modes[at] {
                Mode::Moving if !grouped => {
                    for i in first..first + rows {
                        self.row.copy_from_slice(&self.g[i * r..i * r + r]);
                        add(&self.row, 1.0 / eps, &mut self.h, r);
                    }
                }
                Mode::Sliding { e, turn } if turn > 0.0 => {
                    // 1 - e e^T, one direction after the other
                    for k in 0..rows {
                        let i = first + k;
                        self.row.copy_from_slice(&self.g[i * r..i * r + r]);
                        add(&self.row, turn / eps, &mut self.h, r);
                    }
                    self.row.fill(0.0);
                    for k in 0..rows {
                        let i = first + k;
                        axpy(e[k], &self.g[i * r..i * r + r], &mut self.row);
                    }
                    add(&self.row, -turn / eps, &mut self.h, r);
                }
                _ => {}
            }
            first += rows;
        }
        for at in 0..self.groups.len() {
            let group = self.groups[at];
            let normal = group.normal;
            if !(self.next[normal] > 0.0) {
                continue;
            }
            self.row.copy_from_slice(&self.g[normal * r..normal * r + r]);
            let mut whole = 1.0;
            for f in &self.discs[group.from..group.to] {
                if let Mode::Sliding { e, .. } = self.modes[f.law] {
                    whole += f.mu * f.mu;
                    for k in 0..f.rows {
                        let i = f.first + k;
                        axpy(f.mu * e[k], &self.g[i * r..i * r + r], &mut self.row);
                    }
                }
            }
            add(&self.row, 1.0 / (whole * eps), &mut self.h, r);
        }
        debug_assert_eq!(first, n);
    }

    /// Which cones hang on which normals.
    pub(super) fn group(&mut self, n: usize) {
        self.discs.clear();
        let mut first = 0;
        for (at, law) in self.scaled.laws.iter().enumerate() {
            if let Law::Cone { normal, mu, rows } = *law {
                self.discs.push(Disc { normal, first, rows, mu, law: at });
            }
            first += law.rows();
        }
        self.discs.sort_unstable_by_key(|d| (d.normal, d.first));
        zeros(&mut self.pulled, n);
        self.pulled.fill(-1.0);
        self.groups.clear();
        // a normal that may pull has no cone to project onto: its friction is clipped, which is near enough here
        let mut row = 0;
        let mut at = 0;
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

/// A cone, as the globaliser sees it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Disc {
    normal: usize,
    first: usize,
    rows: usize,
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

/// Adds `weight row row^T` to the lower half of `h`.
fn add(row: &[f64], weight: f64, h: &mut [f64], r: usize) {
    for k in 0..r {
        if row[k] != 0.0 {
            axpy(weight * row[k], &row[..=k], &mut h[k * r..k * r + k + 1]);
        }
    }
}

/// Cholesky of the lower half, in place.
fn cholesky(h: &mut [f64], n: usize) -> bool {
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
fn cholesky_solve(h: &[f64], n: usize, z: &mut [f64]) {
    for i in 0..n {
        z[i] = (z[i] - dot(&h[i * n..i * n + i], &z[..i])) / h[i * n + i];
    }
    for i in (0..n).rev() {
        z[i] /= h[i * n + i];
        let s = z[i];
        axpy(-s, &h[i * n..i * n + i], &mut z[..i]);
    }
}
