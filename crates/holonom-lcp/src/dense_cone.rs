//! The cone solver for a matrix that is written down: the method of [`crate::proximal`] on a dense factor of `A`.
//!
//! `A = G G^T` by pivoted Cholesky; `G` has as many columns as `A` has rank. A problem whose `A` is not symmetric and
//! positive semidefinite takes the unknown `u = x - x_k` in place of the motion, with `A` for `G` and the identity for
//! `G^T`:
//!
//! ```text
//!     R(u) = u - (P(x_k - (a_k + A u) / eps) - x_k),       R' = 1 + W A / eps
//! ```
//!
//! Strategy, in order: principal pivoting where all laws are intervals ([`crate::pivoting`]); proximal steps from the
//! guess itself; the same after some sweeps of Gauss and Seidel, then after
//! bursts of accelerated projected gradients; last, continuation in `eps` and convex steps in turn, for these two fail
//! on different problems. Where rest is preferred, what slips is compared with rest in the end.

use crate::certificate::Certifier;
use crate::dense::{add_square, axpy, cholesky, cholesky_solve, dot, lu, lu_solve, pivoted_cholesky, zeros};
use crate::error::LcpError;
use crate::interrupt::Interrupt;
use crate::law::{ConeProblem, ConeReport};
use crate::matrix_free::{LinearOperator, MatrixOperator};
use crate::pivoting::IntervalPivoting;
use crate::proximal::{ConeOperator, EPS_EASY, EPS_QUICK, ProximalNewton};

/// Sweeps before anything is known.
const SWEEPS: usize = 10;
/// Products with `A` between proximal steps.
const BURSTS: [usize; 3] = [50, 100, 200];
/// Turns of the last two ways together.
const TURNS: usize = 4;
/// Factorisations of principal pivoting.
const PIVOTING: usize = 40;

/// The solver for dense problems, with its memory. Nothing is allocated once it has seen a problem of the size.
#[derive(Clone, Debug)]
pub struct DenseConeSolver {
    /// What [`crate::ConeCertificate::worst`] must come down to; 1e-12 unless set.
    pub tolerance: f64,
    /// Most Newton steps altogether; 800 unless set.
    pub steps: usize,
    /// Of several solutions that in which nothing slips, if there is one; unset unless set.
    pub rest: bool,
    /// Who may have a solution given up; the best `x` found until then is left in place.
    pub interrupt: Interrupt,
    pivoting: IntervalPivoting,
    method: ProximalNewton<DenseOperator>,
    certifier: Certifier,
}

impl Default for DenseConeSolver {
    fn default() -> Self {
        Self {
            tolerance: 1e-12,
            steps: 800,
            rest: false,
            interrupt: Interrupt::never(),
            pivoting: IntervalPivoting::default(),
            method: ProximalNewton::default(),
            certifier: Certifier::default(),
        }
    }
}

impl DenseConeSolver {
    /// A solver with default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves the problem from the starting guess in `x` (zeros where there is none; it need not obey any law).
    ///
    /// On [`LcpError::NotConverged`] the best `x` found is left in place; on every other error `x` is what it was.
    pub fn solve(&mut self, problem: &ConeProblem, x: &mut [f64]) -> Result<ConeReport, LcpError> {
        problem.check_with_guess(x)?;
        if problem.is_empty() {
            return Ok(ConeReport::default());
        }
        let method = &mut self.method;
        method.interrupt.clone_from(&self.interrupt);
        method.scaled.set(problem, &mut method.operator.a)?;
        method.operator.n = problem.len();
        method.start(x, self.tolerance);
        let known = method.is_solved();
        let found = known || self.pivot() || self.search();
        // a guess that slips and still holds was compared with rest when it was found
        let found = self.rest && !known && self.find_rest() || found;
        self.method.scaled.restore(&self.method.best, x)?;
        let residual = self.certifier.certificate(problem, x).worst;
        if found || residual <= self.tolerance {
            Ok(ConeReport { residual, ..self.method.report })
        } else {
            Err(LcpError::NotConverged { residual })
        }
    }

    /// Principal pivoting, where it applies. Whether it led to a solution.
    fn pivot(&mut self) -> bool {
        let method = &mut self.method;
        if method.scaled.laws.iter().any(|law| law.is_curved()) || !method.operator.is_symmetric_matrix() {
            return false;
        }
        let (a, pivoting) = (&method.operator.a, &mut self.pivoting);
        let mut candidate = std::mem::take(&mut method.candidate);
        candidate.clone_from(&method.best);
        let rounds = pivoting.solve(a, &method.scaled.b, &method.scaled.laws, &mut candidate, PIVOTING);
        if let Some(rounds) = rounds {
            method.report.factorisations += rounds;
            method.consider(&candidate);
        }
        method.candidate = candidate;
        method.is_solved()
    }

    /// Rest in place of a solution that slips, where there is rest.
    fn find_rest(&mut self) -> bool {
        let method = &mut self.method;
        if !method.slips() {
            return false;
        }
        method.group_cones();
        method.operator.is_split && method.rest_steps()
    }

    /// All ways to a solution, as the header has them. Whether one led there.
    fn search(&mut self) -> bool {
        let method = &mut self.method;
        method.operator.split();
        method.limit = self.steps;
        if method.proximal_steps(EPS_QUICK) {
            return true;
        }
        method.sweeps(SWEEPS);
        if method.is_solved() || method.proximal_steps(EPS_QUICK) {
            return true;
        }
        let split = method.operator.is_split;
        for products in BURSTS.into_iter().filter(|_| split) {
            method.gradient_steps(products);
            if method.is_solved() || method.proximal_steps(method.least.clamp(EPS_QUICK, EPS_EASY)) {
                return true;
            }
        }
        method.group_cones();
        (1..=TURNS).any(|turn| {
            method.limit = self.steps * turn / TURNS;
            if turn % 2 == 0 && split { method.convex_steps() } else { method.continuation(SWEEPS) }
        })
    }
}

/// A dense `A` without units, with its factor and a dense Newton matrix.
#[derive(Clone, Debug, Default)]
struct DenseOperator {
    n: usize,
    a: Vec<f64>,
    /// `G`, or `A` itself where that is not symmetric positive semidefinite.
    g: Vec<f64>,
    rank: usize,
    /// Whether `A = G G^T`.
    is_split: bool,
    /// The Newton matrix, and whether it is symmetric.
    h: Vec<f64>,
    is_symmetric: bool,
    order: Vec<usize>,
    row: Vec<f64>,
    scratch: Vec<f64>,
}

impl DenseOperator {
    fn is_symmetric_matrix(&self) -> bool {
        let (a, n) = (&self.a, self.n);
        (0..n).all(|i| (0..i).all(|j| (a[i * n + j] - a[j * n + i]).abs() <= 1e-9))
    }

    /// `A = G G^T`, or `G = A` where there is no such factor.
    fn split(&mut self) {
        self.is_split = self.is_symmetric_matrix();
        let (a, n) = (&self.a, self.n);
        if self.is_split {
            match pivoted_cholesky(a, n, 1e-12, &mut self.g, &mut self.scratch) {
                Some(rank) => {
                    self.rank = rank;
                    self.is_split = self.split_is_right();
                }
                None => self.is_split = false,
            }
        }
        if !self.is_split {
            self.g.clear();
            self.g.extend_from_slice(&self.a);
            self.rank = n;
        }
        zeros(&mut self.row, self.rank);
    }

    /// One fixed vector through both sides of `A = G G^T`: a diagonal of zeros hides an indefinite block from the
    /// pivots.
    fn split_is_right(&mut self) -> bool {
        let (n, r) = (self.n, self.rank);
        zeros(&mut self.row, r);
        self.scratch.clear();
        // no special vector: angles of the golden section
        self.scratch.extend((0..n).map(|i| 0.5 + (i as f64 * 0.618_033_988_749_894_9).fract()));
        for i in 0..n {
            axpy(self.scratch[i], &self.g[i * r..i * r + r], &mut self.row);
        }
        (0..n).all(|i| {
            let whole = dot(&self.a[i * n..i * n + n], &self.scratch);
            (whole - dot(self.g_row(i), &self.row)).abs() <= 1e-8 * n as f64
        })
    }

    fn g_row(&self, i: usize) -> &[f64] {
        &self.g[i * self.rank..(i + 1) * self.rank]
    }

    /// `row = sum of weight G_j`.
    fn sum_rows(&mut self, weights: &[(usize, f64)]) {
        let r = self.rank;
        self.row.fill(0.0);
        for &(j, weight) in weights {
            axpy(weight, &self.g[j * r..j * r + r], &mut self.row);
        }
    }

    /// Adds `s (column i of G^T) row`.
    fn add_product(&mut self, i: usize, s: f64) {
        let r = self.rank;
        if !self.is_split {
            axpy(s, &self.row, &mut self.h[i * r..i * r + r]);
            return;
        }
        for k in 0..r {
            let g = self.g[i * r + k];
            if g != 0.0 {
                axpy(s * g, &self.row, &mut self.h[k * r..k * r + r]);
            }
        }
    }
}

impl LinearOperator for DenseOperator {
    fn len(&self) -> usize {
        self.n
    }

    fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        MatrixOperator { a: &self.a, n: self.n }.apply(x, out);
    }
}

impl ConeOperator for DenseOperator {
    fn motions(&self) -> usize {
        self.rank
    }

    fn product(&self, i: usize, w: &[f64]) -> f64 {
        dot(self.g_row(i), w)
    }

    fn push(&self, i: usize, s: f64, out: &mut [f64]) {
        if self.is_split {
            axpy(s, self.g_row(i), out);
        } else {
            out[i] += s;
        }
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.a[i * self.n + j]
    }

    fn response(&self, i: usize, x: &[f64]) -> f64 {
        dot(&self.a[i * self.n..(i + 1) * self.n], x)
    }

    fn changed(&mut self, _: usize, _: f64) {}

    fn start_matrix(&mut self, symmetric: bool) {
        self.is_symmetric = symmetric;
        let r = self.rank;
        zeros(&mut self.h, r * r);
        (0..r).for_each(|k| self.h[k * r + k] = 1.0);
    }

    fn add_own(&mut self, i: usize, s: f64) {
        let r = self.rank;
        if self.is_symmetric {
            add_square(s, &self.g[i * r..i * r + r], &mut self.h);
        } else {
            self.row.copy_from_slice(&self.g[i * r..i * r + r]);
            self.add_product(i, s);
        }
    }

    fn add_row(&mut self, i: usize, weights: &[(usize, f64)], eps: f64) {
        self.sum_rows(weights);
        self.add_product(i, 1.0 / eps);
    }

    fn add_square(&mut self, s: f64, weights: &[(usize, f64)]) {
        self.sum_rows(weights);
        add_square(s, &self.row, &mut self.h);
    }

    fn factor(&mut self) -> bool {
        if self.is_symmetric { cholesky(&mut self.h, self.rank) } else { lu(&mut self.h, self.rank, &mut self.order) }
    }

    fn solve(&mut self, z: &mut [f64]) {
        if self.is_symmetric {
            cholesky_solve(&self.h, self.rank, z);
        } else {
            lu_solve(&self.h, self.rank, &self.order, z);
        }
    }
}
