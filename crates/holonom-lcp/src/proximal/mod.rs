//! Coulomb's law to the last digits: proximal steps, each solved by a semismooth Newton method in the space of motions.
//!
//! In units of [`crate::scale`], with `P` of [`crate::project`], a solution is a fixed point `x = P(x - a / eps)` for
//! any `eps > 0`. From an `x_k` with `a_k = A x_k + b`, one *proximal step* asks for
//!
//! ```text
//!     x = P(x_k - a / eps),      a = a_k + A (x - x_k)                                    (1)
//! ```
//!
//! that is: solve the same problem with `A + eps` in place of `A`, and `b - eps x_k` in place of `b`. It always has a
//! solution, it does not matter whether rows are redundant, and among forces with the same effect it keeps close to
//! `x_k`: four equal feet carry equal loads, and a warm start is not redistributed. What is left of the error after a
//! step is `eps / (lambda + eps)` of it, `lambda` the smallest eigenvalue of `A` that is not zero. With `eps = 1e-7`
//! two or three steps do.
//!
//! With `A = G G^T` the unknown of (1) is the motion `w = G^T (x - x_k)`:
//!
//! ```text
//!     R(w) = w - G^T (P(x_k - (a_k + G w) / eps) - x_k) = 0                               (2)
//!     R'   = 1 + G^T W G / eps                              W = dP/dp, from the modes
//! ```
//!
//! No rank is ever decided: a tiny pivot more or less in `G` changes nothing, since `R'` is never smaller than 1 (W is
//! not symmetric where something slides; there this is what is seen and not what is proved). Everything is computed in
//! increments to `x_k`, whose `a_k` is computed afresh from `A`; so rounding is that of `A x`, not that of `x / eps`.
//!
//! What `G` is, and how `R'` is stored and factored, is left to a [`ConeOperator`]: a dense factor of a dense `A`
//! ([`crate::DenseConeSolver`]), or the sparse Jacobian of many bodies ([`crate::SparseConeSolver`]).
//!
//! Newton's method on (2) converges from close by only. The ways to get there, of which each solver makes its own
//! strategy:
//!
//! - [`ProximalNewton::proximal_steps`]: from the guess itself. The rule in a simulation, where the guess is the last step's answer.
//! - [`ProximalNewton::sweeps`] of Gauss and Seidel, and [`ProximalNewton::gradient_steps`], to come closer cheaply.
//! - [`ProximalNewton::continuation`]: from `eps = 1`, where (2) is easy, downwards as fast as steps are solved, back where one is
//!   not.
//! - [`ProximalNewton::convex_steps`]: with De Saxce's shift ([`convex`]), which are solved from anywhere; (2) is tried as they
//!   come closer.
//! - [`ProximalNewton::rest_steps`]: the same without the shift: rest, wherever rest exists.
//! - [`ProximalNewton::smoothed_path`]: laws with rounded corners ([`smooth`]), (2) on the way.
//!
//! The best `x` seen is what is returned.

mod convex;
mod newton;
mod smooth;

use crate::certificate::judge;
use crate::dense::{largest, zeros};
use crate::interrupt::Interrupt;
use crate::law::{ComplementarityLaw as Law, ConeReport};
use crate::matrix_free::{LinearOperator, MatrixFreeConeSolver};
use crate::project::{FrictionCone, ProjectionMode, project, project_law};
use crate::scale::ScaledProblem;

/// Proximal weights, relative to the diagonal of `A`: of proximal steps from a good guess, and the least and the
/// largest of the continuation.
pub(crate) const EPS_QUICK: f64 = 1e-7;
const EPS_LEAST: f64 = 1e-8;
const EPS_MOST: f64 = 1.0;
/// The largest weight of proximal steps where the residual is still large.
pub(crate) const EPS_EASY: f64 = 0.1;
/// What is aimed at, in tolerances: units and rounding on the way back must not matter.
pub(crate) const TARGET: f64 = 0.1;
/// Convex steps in a row.
const CONVEX_ROUNDS: usize = 30;
/// Most sweeps between two tries.
const SWEEPS_MOST: usize = 200;
/// Newton steps within one proximal step, and proximal steps, from a good guess.
const QUICK_STEPS: usize = 8;
const QUICK_ROUNDS: usize = 8;
/// Newton steps within one proximal step of the continuation; rounds that do not halve the residual.
const NEWTON_STEPS: usize = 30;
const IDLE_ROUNDS: usize = 40;

/// What the method needs to know of `A = G G^T`, without units, and of the Newton matrix `R' = 1 + G^T W G / eps`.
///
/// The Newton matrix is built up by rows: [`start_matrix`](ConeOperator::start_matrix), any of the `add` functions,
/// [`factor`](ConeOperator::factor), then [`solve`](ConeOperator::solve).
pub(crate) trait ConeOperator: LinearOperator {
    /// Length of a motion `w`: columns of `G`.
    fn motions(&self) -> usize;

    /// `G_i w`.
    fn product(&self, i: usize, w: &[f64]) -> f64;

    /// `out += s G_i^T`.
    fn push(&self, i: usize, s: f64, out: &mut [f64]);

    /// `A_ij`.
    fn entry(&self, i: usize, j: usize) -> f64;

    /// `A_i x` for the `x` that was applied last and has been changed since by [`changed`](ConeOperator::changed).
    fn response(&self, i: usize, x: &[f64]) -> f64;

    /// `x_i` has been changed by `change`.
    fn changed(&mut self, i: usize, change: f64);

    /// `R' = 1`. A symmetric one is factored as such, and is its lower triangle only.
    fn start_matrix(&mut self, symmetric: bool);

    /// Adds `s G_i^T G_i`.
    fn add_own(&mut self, i: usize, s: f64);

    /// Adds `G_i^T (sum of weight G_j) / eps` to a matrix that is not symmetric; at most four weights.
    fn add_row(&mut self, i: usize, weights: &[(usize, f64)], eps: f64);

    /// Adds `s u^T u` with `u = sum of weight G_j` to a symmetric matrix.
    fn add_square(&mut self, s: f64, weights: &[(usize, f64)]);

    /// Factors the matrix. False where it is singular, or not definite.
    fn factor(&mut self) -> bool;

    /// Solves with the factors, in place.
    fn solve(&mut self, z: &mut [f64]);
}

/// The method on an operator, with its memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProximalNewton<O> {
    pub operator: O,
    pub scaled: ScaledProblem,
    /// The residual aimed at.
    pub target: f64,
    /// The least residual so far, and its `x`.
    pub least: f64,
    pub best: Vec<f64>,
    /// Most factorisations.
    pub limit: usize,
    pub interrupt: Interrupt,
    pub report: ConeReport,
    pub cones: Vec<FrictionCone>,
    /// Room for a solution found in another way.
    pub candidate: Vec<f64>,
    gradients: MatrixFreeConeSolver,
    ones: Vec<f64>,
    /// Bound of the largest eigenvalue of each law's own block of `A`.
    stiffness: Vec<f64>,
    /// `x_k` and `a_k`.
    y: Vec<f64>,
    a: Vec<f64>,
    w: Vec<f64>,
    trial: Vec<f64>,
    step: Vec<f64>,
    r: Vec<f64>,
    p: Vec<f64>,
    /// The point `p` of the last answer, from where the next is predicted.
    q: Vec<f64>,
    next: Vec<f64>,
    spare: Vec<f64>,
    /// Where a search for rest began.
    guess: Vec<f64>,
    modes: Vec<ProjectionMode>,
    groups: Vec<convex::ConeGroup>,
    weights: Vec<(usize, f64)>,
    pulled: Vec<f64>,
    shift: Vec<f64>,
    slip: Vec<f64>,
    path: smooth::PathMemory,
}

impl<O: ConeOperator> ProximalNewton<O> {
    /// Takes the starting guess `x`, with units. Operator and vectors without units must be set. Whether the guess
    /// obeyed its bounds as it was.
    pub fn start(&mut self, x: &[f64], tolerance: f64) -> bool {
        let n = x.len();
        self.report = ConeReport::default();
        self.target = TARGET * tolerance;
        self.ones.clear();
        self.ones.resize(n, 1.0);
        self.scaled.strip(x, &mut self.next);
        zeros(&mut self.y, n);
        project(&self.scaled.laws, &self.next, &mut self.y, &mut self.modes);
        self.least = self.refresh();
        self.best.clear();
        self.best.extend_from_slice(&self.y);
        // what rest needs, so that its first search allocates no more than others do
        for scratch in [&mut self.guess, &mut self.shift, &mut self.slip, &mut self.pulled, &mut self.spare] {
            scratch.reserve(n.saturating_sub(scratch.len()));
        }
        let laws = self.scaled.laws.len();
        self.cones.reserve(laws.saturating_sub(self.cones.len()));
        self.groups.reserve(laws.saturating_sub(self.groups.len()));
        self.weights.reserve(8usize.saturating_sub(self.weights.len()));
        self.y == self.next
    }

    /// Takes an `x` without units that was found in another way, if it is better than all so far.
    pub fn consider(&mut self, candidate: &[f64]) {
        self.y.copy_from_slice(candidate);
        self.refresh_and_keep();
        if self.best != self.y {
            self.back_to_best();
        }
    }

    pub fn is_solved(&self) -> bool {
        self.least <= self.target
    }

    fn is_spent(&self) -> bool {
        self.report.factorisations >= self.limit || self.interrupt.is_asked()
    }

    /// Accelerated projected gradients ([`crate::MatrixFreeConeSolver`]): cheap, and soon close to which rows touch and
    /// which slide.
    pub fn gradient_steps(&mut self, products: usize) {
        self.gradients.products = products;
        self.gradients.tolerance = 0.0;
        self.gradients.interrupt.clone_from(&self.interrupt);
        // the best it finds is in place whether or not it is good enough
        let _ = self.gradients.solve(&mut self.operator, &self.ones, &self.scaled.b, &self.scaled.laws, &mut self.y);
        self.refresh_and_keep();
    }

    /// Convex steps, with proximal steps of Coulomb's law whenever they have come closer. Whether it was solved.
    pub fn convex_steps(&mut self) -> bool {
        self.slip.fill(0.0);
        self.follow_slip(1.0);
        let mut before = f64::INFINITY;
        let mut eps: f64 = 1e-2;
        let mut tried = f64::INFINITY;
        for _ in 0..CONVEX_ROUNDS {
            if !self.convex(eps, 0.01 * self.least) {
                break;
            }
            std::mem::swap(&mut self.y, &mut self.next);
            let residual = self.refresh_and_keep();
            self.follow_slip(0.5);
            if self.is_solved() {
                return true;
            }
            if residual < 0.3 * tried {
                tried = residual;
                self.save();
                if self.proximal_steps(residual.clamp(EPS_QUICK, EPS_EASY)) {
                    return true;
                }
                // a try that failed leaves the best behind; the steps go on from their own
                self.back_to_saved();
            }
            if residual < 0.3 * before {
                eps = (0.1 * eps).max(1e-6);
            }
            before = residual;
        }
        self.back_to_best();
        false
    }

    /// Proximal steps from the weight `eps` downwards, as long as they are solved at once. Whether it was solved.
    pub fn proximal_steps(&mut self, mut eps: f64) -> bool {
        self.predict_from_here();
        for _ in 0..QUICK_ROUNDS {
            if !self.newton(eps, 0.1 * self.least, QUICK_STEPS) {
                break;
            }
            eps = (0.01 * eps).max(EPS_QUICK);
            self.accept();
            if self.is_solved() {
                return true;
            }
        }
        self.back_to_best();
        false
    }

    /// `eps` shrinks as fast as proximal steps are solved; where one is not, it grows, and sweeps (`sweeps` doubled)
    /// change the guess. Whether it was solved.
    pub fn continuation(&mut self, mut sweeps: usize) -> bool {
        let mut eps = 1.0;
        let mut good = 1.0;
        let mut down: f64 = 0.1;
        let mut idle = 0;
        self.predict_from_here();
        while !self.is_spent() && idle < IDLE_ROUNDS {
            let was = self.report.factorisations;
            idle += 1;
            if self.newton(eps, 0.1 * self.least, NEWTON_STEPS) {
                let before = self.least;
                self.accept();
                if self.is_solved() {
                    return true;
                }
                if self.least < 0.5 * before {
                    idle = 0;
                }
                good = eps;
                if self.report.factorisations - was > 6 {
                    down = down.sqrt().min(0.5);
                }
                eps = (eps * down).max(EPS_LEAST);
            } else {
                sweeps = (2 * sweeps).min(SWEEPS_MOST);
                self.sweeps(sweeps);
                if self.is_solved() {
                    return true;
                }
                self.predict_from_here();
                good = (good * 10.0).min(EPS_MOST);
                eps = good;
                down = 0.3;
            }
        }
        self.back_to_best();
        false
    }

    /// Takes `next` for `y`.
    fn accept(&mut self) {
        std::mem::swap(&mut self.y, &mut self.next);
        std::mem::swap(&mut self.q, &mut self.p);
        self.refresh_and_keep();
    }

    /// The next prediction starts from the modes as `y` and `a` show them with the weight 1.
    fn predict_from_here(&mut self) {
        self.q.clear();
        self.q.extend(self.y.iter().zip(&self.a).map(|(y, a)| y - a));
    }

    fn back_to_best(&mut self) {
        self.y.copy_from_slice(&self.best);
        self.refresh();
    }

    /// Saves `y` for [`back_to_saved`](Self::back_to_saved).
    fn save(&mut self) {
        self.spare.clear();
        self.spare.extend_from_slice(&self.y);
    }

    fn back_to_saved(&mut self) {
        self.y.copy_from_slice(&self.spare);
        self.refresh();
    }

    /// Sweeps of Gauss and Seidel.
    pub fn sweeps(&mut self, count: usize) {
        self.stiffness.clear();
        for (first, law) in Law::with_first_rows(&self.scaled.laws) {
            let rows = first..first + law.rows();
            let reach = |i: usize| rows.clone().map(|j| self.operator.entry(i, j).abs()).sum::<f64>();
            self.stiffness.push(rows.clone().map(reach).fold(0.0, f64::max));
        }
        for _ in 0..count {
            if self.interrupt.is_asked() {
                break;
            }
            self.sweep();
        }
        self.refresh_and_keep();
    }

    /// One sweep of Gauss and Seidel, law after law: the normal first, then friction with the radius it leaves.
    fn sweep(&mut self) {
        let laws = Law::with_first_rows(&self.scaled.laws).zip(&self.stiffness);
        for ((first, law), &stiff) in laws.filter(|(_, stiff)| **stiff > 0.0) {
            let rows = law.rows();
            let (mut p, mut old) = ([0.0; 3], [0.0; 3]);
            for k in 0..rows {
                let i = first + k;
                old[k] = self.y[i];
                p[k] = old[k] - (self.operator.response(i, &self.y) + self.scaled.b[i]) / stiff;
            }
            project_law(law, first, &p, &mut self.y);
            for k in 0..rows {
                let change = self.y[first + k] - old[k];
                if change != 0.0 {
                    self.operator.changed(first + k, change);
                }
            }
        }
    }

    /// [`refresh`](Self::refresh); remembers `y` where it is the best so far.
    fn refresh_and_keep(&mut self) -> f64 {
        let residual = self.refresh();
        if residual < self.least {
            self.least = residual;
            self.best.copy_from_slice(&self.y);
        }
        residual
    }

    /// `a = A y + b` from scratch, and the residual of `y`.
    fn refresh(&mut self) -> f64 {
        self.a.resize(self.y.len(), 0.0);
        self.operator.apply(&self.y, &mut self.a);
        self.a.iter_mut().zip(&self.scaled.b).for_each(|(a, b)| *a += b);
        let size = largest(&self.y).max(largest(&self.scaled.b)).max(largest(&self.a));
        judge(&self.scaled.laws, &self.ones, &self.y, &self.a, size).worst
    }
}
