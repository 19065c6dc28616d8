//! The cone solver for many bodies with few bodies per row, where the matrix of responses would be too large to write
//! down.
//!
//! The matrix is `A = G M^-1 G^T` with `M` block diagonal (six coordinates of motion per node) and rows of `G` that
//! touch few nodes each. Units and masses are taken out first ([`rows`]): what is left is `A = G G^T` with a sparse
//! `G`, on which the method of [`crate::proximal`] works as it stands. The Newton matrix `1 + G^T W G / eps` is as
//! sparse as the graph of touching nodes ([`operator`], [`blocks`]). Sweeps of Gauss and Seidel run in the space of
//! motions too: `a = G v + b` of one law, its projection, `v += G^T dx`. One costs a small part of a factorisation.
//!
//! Strategy, in order: proximal steps from the guess, if that is close; the same after as many sweeps as it takes to
//! come close, up to some hundred; the smoothed path, from there and after bursts of accelerated projected gradients;
//! last, convex steps and continuation in `eps`. Nothing expensive is tried any more once the residual is nearly good
//! enough. Where rest is preferred, what slips is compared with rest in the end.

mod blocks;
mod operator;
mod rows;

pub use rows::SparseRows;

use crate::dense::block6::Block6;
use crate::error::LcpError;
use crate::interrupt::Interrupt;
use crate::law::{ComplementarityLaw as Law, ConeReport, check_laws};
use crate::proximal::{EPS_EASY, EPS_QUICK, ProximalNewton};
use operator::SparseOperator;

/// A residual below this is close enough for proximal steps at once.
const CLOSE: f64 = 1e-3;
/// What nothing expensive is tried for any more, in tolerances.
const NEARLY: f64 = 10.0;
/// Rounding at the start of the smoothed path.
const TAU: f64 = 0.1;
/// Sweeps of the continuation.
const SWEEPS: usize = 20;
/// Sweeps before anything else, round after round, and the residual with which Newton's method is first tried.
const ROUNDS: [usize; 4] = [20, 40, 80, 160];
const NEAR: f64 = 1e-4;
/// Products with `A` between smoothed paths.
const BURSTS: [usize; 3] = [100, 200, 400];

/// The solver for sparse problems, with its memory. Nothing is allocated once it has seen a problem of the size.
#[derive(Clone, Debug)]
pub struct SparseConeSolver {
    /// What the residual must come down to, scaled as in [`crate::ConeCertificate`]; 1e-9 unless set. A tenth of it is
    /// aimed at.
    pub tolerance: f64,
    /// Most factorisations; 150 unless set.
    pub factorisations: usize,
    /// Of several solutions that in which nothing slips, if there is one; unset unless set.
    pub rest: bool,
    /// Who may have a solution given up; the best `x` found until then is left in place.
    pub interrupt: Interrupt,
    method: ProximalNewton<SparseOperator>,
}

impl Default for SparseConeSolver {
    fn default() -> Self {
        Self {
            tolerance: 1e-9,
            factorisations: 150,
            rest: false,
            interrupt: Interrupt::never(),
            method: ProximalNewton::default(),
        }
    }
}

impl SparseConeSolver {
    /// A solver with default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves from the guess in `x` (zeros where there is none; it need not obey any law). `masses`: a symmetric
    /// positive definite block per node; where a node has fewer than six coordinates, the rest is the identity.
    ///
    /// On [`LcpError::NotConverged`] the best `x` found is left in place; on every other error `x` is what it was.
    pub fn solve(
        &mut self,
        masses: &[Block6],
        rows: &SparseRows,
        b: &[f64],
        laws: &[Law],
        x: &mut [f64],
    ) -> Result<ConeReport, LcpError> {
        check_laws(b, laws)?;
        let n = b.len();
        if rows.len() != n || x.len() != n {
            return Err(LcpError::Malformed { row: 0, what: "rows, b and x must have the same length" });
        }
        if !x.iter().all(|v| v.is_finite()) {
            return Err(LcpError::NotFinite);
        }
        if n == 0 {
            return Ok(ConeReport::default());
        }
        let method = &mut self.method;
        method.interrupt.clone_from(&self.interrupt);
        method.operator.set(rows, masses, laws, &mut method.scaled.d)?;
        method.scaled.set_vectors(b, laws)?;
        let unchanged = method.start(x, self.tolerance);
        let known = method.is_solved();
        if !known {
            self.search();
            // a guess that slips and still holds was compared with rest when it was found
            if self.rest && self.method.slips() {
                self.method.rest_steps();
            }
        } else if unchanged {
            // nothing to do: not even rounding
            return Ok(ConeReport { residual: self.method.least, ..self.method.report });
        }
        let method = &self.method;
        method.scaled.restore(&method.best, x)?;
        let residual = method.least;
        if residual <= self.tolerance {
            Ok(ConeReport { residual, ..method.report })
        } else {
            Err(LcpError::NotConverged { residual })
        }
    }

    /// All ways to a solution, as the header has them.
    fn search(&mut self) {
        let method = &mut self.method;
        method.group_cones();
        method.operator.lay_out(&method.scaled.laws, &method.cones);
        method.limit = self.factorisations;
        let nearly = NEARLY * self.tolerance;
        if method.least < CLOSE && method.proximal_steps(EPS_QUICK) {
            return;
        }
        // a sweep costs a small part of a factorisation, and what they have not decided Newton's method seldom does
        let mut enough = NEAR;
        for sweeps in ROUNDS {
            method.sweeps(sweeps);
            if method.is_solved() {
                return;
            }
            if method.least <= enough {
                enough = 0.5 * method.least;
                if method.proximal_steps(method.least.clamp(EPS_QUICK, EPS_EASY)) {
                    return;
                }
            }
        }
        if method.least <= 0.1 * TAU && method.smoothed_path(10.0 * method.least) || method.least <= self.tolerance {
            return;
        }
        if method.smoothed_path(TAU) {
            return;
        }
        for products in BURSTS {
            if method.least <= nearly {
                return;
            }
            method.gradient_steps(products);
            if method.is_solved() || method.smoothed_path((10.0 * method.least).min(TAU)) {
                return;
            }
        }
        // the two ways fail on different problems
        if method.least <= nearly || method.convex_steps() {
            return;
        }
        if method.least > nearly {
            method.continuation(SWEEPS);
        }
    }
}
