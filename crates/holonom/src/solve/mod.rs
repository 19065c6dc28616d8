//! Solvers of `H x = rhs`, `H = [M -J^T; -J 0]`, by name. They know a structure and its blocks, never a joint or a body.

mod banded;
mod cg;
mod dense;
mod explicit;
mod tree;

use crate::model::Model;
use banded::Banded;
use cg::ConjugateResidual;
use dense::{DenseDelassus, DenseKkt};
use holonom_tree::{Blocks, Node};
use tree::Tree;

/// Which solver computes the multipliers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolverKind {
    /// Block L D L^T on the tree of bodies and joints: linear time. The default.
    Tree,
    /// Cholesky of the dense `J M^-1 J^T`: cubic time, for checking.
    Dense,
    /// L U with pivoting of the dense `H` itself: cubic time, for checking.
    DenseKkt,
    /// Band Cholesky of `J M^-1 J^T` after reverse Cuthill-McKee ordering of the constraints.
    Banded,
    /// Matrix-free iteration on `J M^-1 J^T` that minimises the residual: conjugate gradients in its least-squares form, so that
    /// redundant rows do no harm.
    Cg {
        /// Stop at this relative residual.
        tolerance: f64,
        /// Give up after this many iterations.
        max_iterations: usize,
    },
}

impl SolverKind {
    /// The names accepted by [`SolverKind::from_name`], as they stand in messages.
    pub const NAMES: &'static [&'static str] = &["tree", "dense", "dense-kkt", "banded", "cg"];

    /// From the name used in files and on the command line; iterative solvers get sensible limits.
    pub fn from_name(name: &str) -> Option<SolverKind> {
        Some(match name {
            "tree" => SolverKind::Tree,
            "dense" => SolverKind::Dense,
            "dense-kkt" => SolverKind::DenseKkt,
            "banded" => SolverKind::Banded,
            "cg" => SolverKind::Cg { tolerance: 1e-13, max_iterations: 100_000 },
            _ => return None,
        })
    }

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SolverKind::Tree => "tree",
            SolverKind::Dense => "dense",
            SolverKind::DenseKkt => "dense-kkt",
            SolverKind::Banded => "banded",
            SolverKind::Cg { .. } => "cg",
        }
    }
}

/// An iterative solve that stopped short of its tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotConverged {
    /// Relative residual reached.
    pub residual: f64,
    /// Iterations spent.
    pub iterations: usize,
}

/// A solver with its storage.
pub(crate) enum Solver {
    Tree(Tree),
    Dense(DenseDelassus),
    DenseKkt(DenseKkt),
    Banded(Banded),
    Cg(ConjugateResidual),
}

impl Solver {
    pub fn new(kind: SolverKind, model: &Model) -> Self {
        let s = model.structure();
        match kind {
            SolverKind::Tree => Solver::Tree(Tree::new(model)),
            SolverKind::Dense => Solver::Dense(DenseDelassus::new(s)),
            SolverKind::DenseKkt => Solver::DenseKkt(DenseKkt::new(s)),
            SolverKind::Banded => Solver::Banded(Banded::new(s)),
            SolverKind::Cg { tolerance, max_iterations } => {
                Solver::Cg(ConjugateResidual::new(s, tolerance, max_iterations))
            }
        }
    }

    /// Factor; on failure returns the node whose pivot failed.
    pub fn factor(&mut self, model: &Model, blocks: &Blocks) -> Result<(), Node> {
        match self {
            Solver::Tree(tree) => model.plan.factor(blocks, &mut tree.factor).map_err(|e| e.node),
            Solver::Dense(s) => s.factor(model.structure(), blocks),
            Solver::DenseKkt(s) => s.factor(model.structure(), blocks),
            Solver::Banded(s) => s.factor(model.structure(), blocks),
            Solver::Cg(s) => s.factor(model.structure(), blocks),
        }
    }

    /// Factor, then solve in place, where one sweep can do both. `Err` as in `factor`.
    pub fn factor_and_solve(
        &mut self,
        model: &Model,
        blocks: &Blocks,
        x: &mut [f64],
    ) -> Result<Result<(), NotConverged>, Node> {
        if let Solver::Tree(tree) = self {
            return tree.factor_and_solve(model, blocks, x).map(Ok);
        }
        self.factor(model, blocks)?;
        Ok(self.solve(model, blocks, x))
    }

    /// Solve in place.
    pub fn solve(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) -> Result<(), NotConverged> {
        match self {
            Solver::Tree(tree) => tree.solve(model, blocks, x),
            Solver::Dense(s) => s.solve(x),
            Solver::DenseKkt(s) => s.solve(x),
            Solver::Banded(s) => s.solve(x),
            Solver::Cg(s) => return s.solve(x),
        }
        Ok(())
    }

    /// Iterations of the last solve of an iterative solver.
    pub fn iterations(&self) -> Option<usize> {
        match self {
            Solver::Cg(s) => Some(s.iterations()),
            _ => None,
        }
    }
}
