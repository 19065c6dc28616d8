//! Proximal steps on the convex problem with De Saxce's shift held constant: what is solved from anywhere.
//!
//! With `s_n = sum mu |a_t|` constant, the proximal step of [`super`] becomes the minimum of a smooth convex function
//! of the motion `w`,
//!
//! ```text
//!     R(w) = w - G^T (P_K(x_k - (a_k + s + G w) / eps) - x_k)        the gradient;  P_K: the projection onto the cones themselves
//!     R'   = 1 + G^T W G / eps                                       symmetric, at least 1
//! ```
//!
//! so Newton's method with a line search gets there from anywhere. For a normal with cones `i`, of which those in `S`
//! are outside their disc, `u = (1 at n, mu_i e_i for i in S)`:
//!
//! ```text
//!     W = u u^T / (1 + sum over S of mu_i^2)  +  sum over S of radius_i/|p_i| (1 - e_i e_i^T)  +  1 on the discs not in S
//! ```
//!
//! Between steps `s` follows `a`, half way each time: all the way it often oscillates. This finds which rows touch,
//! stick and slide; the last digits are for Coulomb's law itself.
//!
//! Rest. Coulomb's law may have several solutions: a pyramid of balls that stands by friction may also part and slide.
//! With `s = 0` the steps go to the minimum of a convex function of the motion alone,
//!
//! ```text
//!     min  |v|^2 / 2   over   v = v_free + G^T x,  x within the cones         (|v|: the metric of masses; b = G v_free)
//! ```
//!
//! whose `v` is unique. Where any forces within the cones hold everything still the minimum is `v = 0`, whatever else
//! solves the problem; and then `a = 0`, so that these forces obey Coulomb's law too. So [`ProximalNewton::rest_steps`]
//! finds rest exactly where rest exists, and says that there is none where the minimum moves.

use super::{ConeOperator, EPS_QUICK, ProximalNewton};
use crate::dense::{dot, largest, norm, zeros};
use crate::law::ComplementarityLaw as Law;
use crate::project::{FrictionCone, ProjectionMode as Mode, add_slip_shift, normal_on_cones, project_law};

/// Newton steps for one proximal step.
const STEPS: usize = 25;
/// Points tried along one Newton step.
const SEARCH: usize = 8;
/// Proximal steps towards rest; and what of `b` may be left of the slip where gaps that are open by rounding close.
const REST_ROUNDS: usize = 16;
const REST_SLIP: f64 = 1e-3;
/// Most factorisations on the way; and slip that is none, of `b`.
const REST_FACTORS: usize = 200;
const SLIPS: f64 = 1e-7;
/// A residual that rest is allowed: gaps may be open by rounding; and one that needs no more steps. The least proximal
/// weight on the way to rest.
const REST: f64 = 1e-10;
const REST_LEAST: f64 = 1e-15;
const REST_EPS: f64 = 1e-6;

/// All cones of one normal: a range of cones.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConeGroup {
    normal: usize,
    from: usize,
    to: usize,
}

impl<O: ConeOperator> ProximalNewton<O> {
    /// One proximal step with the shift at hand; the outcome is in `next`. Whether it was solved.
    pub(super) fn convex(&mut self, eps: f64, enough: f64) -> bool {
        let n = self.y.len();
        self.shift.clear();
        self.shift.extend((0..n).map(|i| self.a[i] + self.slip[i]));
        zeros(&mut self.w, self.operator.motions());
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
            if !self.factor() {
                return false;
            }
            self.newton_step();
            error = self.search(eps);
        }
        false
    }

    /// Whether anything slips in the best solution so far, by more than the residual explains.
    pub fn slips(&mut self) -> bool {
        self.back_to_best();
        FrictionCone::collect(&self.scaled.laws, &mut self.cones);
        self.most_slip() > SLIPS * largest(&self.scaled.b)
    }

    fn most_slip(&self) -> f64 {
        let slip = self.cones.iter().flat_map(|c| &self.a[c.first..c.first + c.rows]);
        slip.fold(0.0, |most: f64, a| most.max(a.abs()))
    }

    /// The solution at rest, if there is one; otherwise everything is as it was. Whether it was solved. Cones must be
    /// grouped.
    pub fn rest_steps(&mut self) -> bool {
        let least = std::mem::replace(&mut self.least, f64::INFINITY);
        self.guess.clear();
        self.guess.extend_from_slice(&self.best);
        self.limit = self.report.factorisations + REST_FACTORS;
        let solved = self.approach_rest();
        if !solved {
            self.least = least;
            std::mem::swap(&mut self.best, &mut self.guess);
            self.back_to_best();
        }
        solved
    }

    fn approach_rest(&mut self) -> bool {
        self.slip.fill(0.0);
        let (size, mut eps, mut before) = (largest(&self.scaled.b), 1e-2, f64::INFINITY);
        for _ in 0..REST_ROUNDS {
            // a step that is not solved to the end may still have come closer
            let (known, enough) = (self.least, (1e-2 * self.least).clamp(1e-2 * REST_LEAST, 1e-3 * size));
            let solved = self.convex(eps, enough);
            std::mem::swap(&mut self.y, &mut self.next);
            self.refresh_and_keep();
            // forces that are a little off would go on pushing from step to step
            if self.is_solved() && !(self.least > REST_LEAST && self.least < 0.1 * known) {
                return true;
            }
            let slip = self.most_slip();
            if solved && slip > 0.5 * before || self.is_spent() {
                break;
            }
            eps = if solved { (0.01 * eps).max(REST_EPS) } else { 10.0 * eps };
            before = if solved { slip } else { f64::INFINITY };
        }
        self.back_to_best();
        if self.is_solved() {
            return true;
        }
        // where it moves by little, gaps close that are open by little, and Coulomb's law says how
        let still = |s: &Self| s.most_slip() <= REST_SLIP * size;
        still(self) && (self.proximal_steps(EPS_QUICK) || self.convex_steps() || self.least <= REST) && still(self)
    }

    /// De Saxce's shift follows `a`: all the way with `share = 1`, half with `share = 0.5`.
    pub(super) fn follow_slip(&mut self, share: f64) {
        self.slip.iter_mut().for_each(|s| *s *= 1.0 - share);
        add_slip_shift(&self.cones, &self.a, share, &mut self.slip);
    }

    /// The minimum along the step, roughly: the slope `step . R` grows along it. Returns the new `|R|`.
    fn search(&mut self, eps: f64) -> f64 {
        let steep = dot(&self.step, &self.r).abs();
        let (mut low, mut at_low, mut high, mut at_high) = (0.0, -steep, f64::INFINITY, 0.0);
        let mut t: f64 = 1.0;
        let mut error = 0.0;
        for _ in 0..SEARCH {
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

    /// `R(w)` into `r`, with `next`, the modes, and `p`; returns its length.
    fn gradient(&mut self, eps: f64) -> f64 {
        self.p.clear();
        for i in 0..self.y.len() {
            self.p.push(self.y[i] - (self.shift[i] + self.operator.product(i, &self.w)) / eps);
        }
        self.project_onto_cones();
        self.pull_back();
        norm(&self.r)
    }

    /// `next = P_K(p)` with modes; the normal of a cone that is outside its disc is pulled up by it.
    fn project_onto_cones(&mut self) {
        for group in &self.groups {
            self.pulled[group.normal] = normal_on_cones(&self.cones[group.from..group.to], &self.p);
        }
        self.modes.clear();
        for (first, law) in Law::with_first_rows(&self.scaled.laws) {
            let mut p = [0.0; 3];
            p[..law.rows()].copy_from_slice(&self.p[first..first + law.rows()]);
            if self.pulled[first] >= 0.0 {
                p[0] = self.pulled[first];
            }
            self.modes.push(project_law(law, first, &p, &mut self.next));
        }
    }

    /// `R'` at the present modes.
    fn hessian(&mut self, eps: f64) {
        self.operator.start_matrix(true);
        for ((first, law), mode) in Law::with_first_rows(&self.scaled.laws).zip(&self.modes) {
            let rows = law.rows();
            // normals with cones come with their groups
            let grouped = self.pulled[first] >= 0.0;
            match *mode {
                Mode::Moving if !grouped => (first..first + rows).for_each(|i| self.operator.add_own(i, 1.0 / eps)),
                Mode::Sliding { e, turn } if turn > 0.0 => {
                    // 1 - e e^T, one direction after the other
                    (first..first + rows).for_each(|i| self.operator.add_own(i, turn / eps));
                    let mut weights = [(0, 0.0); 3];
                    (0..rows).for_each(|k| weights[k] = (first + k, e[k]));
                    self.operator.add_square(-turn / eps, &weights[..rows]);
                }
                _ => {}
            }
        }
        for group in self.groups.iter().filter(|group| self.next[group.normal] > 0.0) {
            self.weights.clear();
            self.weights.push((group.normal, 1.0));
            let mut whole = 1.0;
            for c in &self.cones[group.from..group.to] {
                if let Mode::Sliding { e, .. } = self.modes[c.law] {
                    whole += c.mu * c.mu;
                    self.weights.extend((0..c.rows).map(|k| (c.first + k, c.mu * e[k])));
                }
            }
            self.operator.add_square(1.0 / (whole * eps), &self.weights);
        }
    }

    /// Which cones belong to which normals. Convex steps need it, and sparse operators do for their pattern.
    pub fn group_cones(&mut self) {
        FrictionCone::collect(&self.scaled.laws, &mut self.cones);
        let n = self.y.len();
        self.pulled.clear();
        self.pulled.resize(n, -1.0);
        zeros(&mut self.slip, n);
        self.groups.clear();
        // a normal that may pull has no cone to project onto: its friction is clipped, which is near enough here
        let mut at = 0;
        for (row, law) in Law::with_first_rows(&self.scaled.laws) {
            let from = at;
            while at < self.cones.len() && self.cones[at].normal == row {
                at += 1;
            }
            if at > from && *law == Law::Push {
                self.groups.push(ConeGroup { normal: row, from, to: at });
            }
        }
    }
}
