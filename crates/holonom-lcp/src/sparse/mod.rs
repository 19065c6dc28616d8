//! The cone solver for many bodies with few bodies per row, where the matrix of responses would be too large to write
//! down.
//!
//! The matrix is `A = G M^-1 G^T` with `M` block diagonal (six coordinates of motion per node) and rows of `G` that
//! touch few nodes each. Units and masses are taken out first ([`rows`]): what is left is `A = G G^T` with a sparse
//! `G`, on which the method of [`crate::proximal`] works as it stands. The Newton matrix `1 + G^T W G / eps` is as
//! sparse as the graph of touching nodes ([`operator`], [`blocks`]). Sweeps of Gauss and Seidel run in the space of
//! motions too: `a = G v + b` of one law, its projection, `v += G^T dx`. One costs a small part of a factorisation.
//!
//! Strategy, in order: proximal steps from the guess, if that is close; the same after a few sweeps; steps inside the
//! cones, which come close from anywhere; from there the smoothed path; the same after more sweeps, and after bursts of
//! accelerated projected gradients; last, convex steps and continuation in `eps`. Nothing expensive is tried any more
//! once the residual is nearly good enough: what the first ways do not solve has many solutions that differ by little
//! (a face on many others, each off by rounding), and the last digits cost more than all the rest. Where rest is
//! preferred, what slips is compared with rest in the end.

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
/// What nothing expensive is tried for any more before steps inside the cones: this part of what will do after them.
const NEARLY: f64 = 0.1;
/// Rounding at the start of the smoothed path.
const TAU: f64 = 0.1;
/// Sweeps of the continuation.
const SWEEPS: usize = 20;
/// Sweeps before anything else, those where steps inside the cones have failed, and the residual with which Newton's
/// method is tried after them.
const FEW_SWEEPS: usize = 20;
const ROUNDS: [usize; 2] = [80, 160];
const NEAR: f64 = 1e-4;
/// Products with `A` between smoothed paths.
const BURSTS: [usize; 3] = [100, 200, 400];

/// The solver for sparse problems, with its memory. Nothing is allocated once it has seen a problem of the size.
#[derive(Clone, Debug)]
pub struct SparseConeSolver {
    /// What the residual must come down to, scaled as in [`crate::ConeCertificate`]; 1e-9 unless set. A tenth of it is
    /// aimed at.
    pub tolerance: f64,
    /// The residual for which nothing expensive is tried any more; 1e-8 unless set.
    pub enough: f64,
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
            enough: 1e-8,
            factorisations: 150,
            rest: false,
            interrupt: Interrupt::never(),
            method: ProximalNewton::default(),
        }
    }
}

impl ProximalNewton<SparseOperator> {
    /// Sweeps, and Newton's method where they come near. Whether it was solved.
    fn sweep_and_try(&mut self, count: usize) -> bool {
        self.sweeps(count);
        self.is_solved() || self.least <= NEAR && self.proximal_steps(self.least.clamp(EPS_QUICK, EPS_EASY))
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
        method.make_room_inside();
        method.operator.lay_out(&method.scaled.laws, &method.cones);
        method.limit = self.factorisations;
        let (nearly, enough) = ((NEARLY * self.enough).max(10.0 * self.tolerance), self.enough);
        if method.least < CLOSE && method.proximal_steps(EPS_QUICK) {
            return;
        }
        // a sweep costs a small part of a factorisation
        if method.sweep_and_try(FEW_SWEEPS) || method.least <= nearly {
            return;
        }
        if method.interior_steps() || method.least <= enough {
            return;
        }
        if method.least <= 0.1 * TAU && method.smoothed_path(10.0 * method.least) || method.least <= enough {
            return;
        }
        for sweeps in ROUNDS {
            if method.sweep_and_try(sweeps) {
                return;
            }
        }
        if method.smoothed_path(TAU) {
            return;
        }
        for products in BURSTS {
            if method.least <= enough {
                return;
            }
            method.gradient_steps(products);
            if method.is_solved() || method.smoothed_path((10.0 * method.least).min(TAU)) {
                return;
            }
        }
        // the two ways fail on different problems
        if method.least <= enough || method.convex_steps() {
            return;
        }
        if method.least > enough {
            method.continuation(SWEEPS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::certificate;
    use crate::law::ConeProblem;

    /// A heap without pattern: bodies on a ground and on each other, contacts with friction, an equation, bounds.
    fn heap(seed: u64, bodies: usize, mu: f64) -> (SparseRows, Vec<f64>, Vec<Law>) {
        let mut seed = seed;
        let mut noise = move || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        };
        let mut rows = SparseRows::default();
        rows.clear();
        let (mut b, mut laws) = (Vec::new(), Vec::new());
        let mut row = |nodes: &[(u32, f64)], axis: usize, b: &mut Vec<f64>, noise: &mut dyn FnMut() -> f64| {
            for &(node, sign) in nodes {
                let mut g: [f64; 6] = std::array::from_fn(|_| 0.4 * noise());
                g[axis] += sign;
                rows.part(node, g);
            }
            rows.end();
            b.push(noise() - if axis == 0 { 0.8 } else { 0.0 });
        };
        for i in 0..bodies as u32 {
            let others = [(i > 0).then(|| (i - 1, -1.0)), (i > 3).then(|| (i / 2, -1.0)), None];
            for other in others {
                let nodes: Vec<(u32, f64)> = std::iter::once((i, 1.0)).chain(other).collect();
                let normal = b.len();
                (0..3).for_each(|axis| row(&nodes, axis, &mut b, &mut noise));
                laws.extend([Law::Push, Law::Cone { normal, mu, rows: 2 }]);
            }
        }
        row(&[(0, 1.0)], 2, &mut b, &mut noise);
        row(&[(bodies as u32 - 1, 1.0)], 1, &mut b, &mut noise);
        laws.extend([Law::Free, Law::Within { least: -0.1, most: 0.2 }]);
        (rows, b, laws)
    }

    #[test]
    fn from_inside_the_cones_coulombs_law_is_reached() {
        let mut unit = [0.0; 36];
        (0..6).for_each(|i| unit[7 * i] = 1.0);
        let (mut reached, mut factorisations) = (0, 0);
        for seed in 0..30 {
            let (bodies, mu) = (4 + seed as usize, [0.0, 0.3, 0.8][seed as usize % 3]);
            let (rows, b, laws) = heap(seed, bodies, mu);
            let mut solver = SparseConeSolver::new();
            let method = &mut solver.method;
            method.operator.set(&rows, &vec![unit; bodies], &laws, &mut method.scaled.d).unwrap();
            method.scaled.set_vectors(&b, &laws).unwrap();
            method.start(&vec![0.0; b.len()], 1e-9);
            method.group_cones();
            method.operator.lay_out(&method.scaled.laws, &method.cones);
            method.limit = 150;
            let solved = method.interior_steps();
            let mut x = vec![0.0; b.len()];
            method.scaled.restore(&method.best, &mut x).unwrap();
            // judged by the matrix written down
            let n = b.len();
            let a: Vec<f64> = (0..n * n).map(|k| rows.response(k / n, k % n)).collect();
            let worst = certificate(&ConeProblem { a: &a, b: &b, laws: &laws }, &x).worst;
            assert!(!solved || worst < 1e-9, "seed {seed}: {worst:.1e}");
            reached += usize::from(solved);
            factorisations += method.report.factorisations;
        }
        assert!(reached >= 27, "{reached} of 30");
        assert!(factorisations < 30 * 40, "{factorisations}");
    }
}
