//! Solvers of `H x = rhs`, `H = [M -J^T; -J 0]`, by name. They know a structure and its blocks, never a joint or a
//! body.
//!
//! Rows with force directions of their own are no part of H, which would lose its symmetry: whatever the solver, they
//! are auxiliary rows on top of it.

mod auxiliary;
mod banded;
mod cg;
mod dense;
mod explicit;
mod graded;
pub(crate) mod implicit;
pub(crate) mod kkt;
pub(crate) mod part;
mod pivots;
pub(crate) mod residual;
mod sparse;
mod verify;

use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::evaluation::{Evaluation, OwnRows};
use crate::model::Model;
use auxiliary::{Auxiliary, Complement};
use banded::Banded;
use cg::ConjugateResidual;
use dense::{DenseDelassus, DenseKkt};
use holonom_tree::{Baraff, Blocks, Node, PlanError, SparseHalves};
pub(crate) use implicit::ImplicitMatrix;
use sparse::{AsResponder, Sparse};
use verify::Verifier;

pub(crate) use graded::graded_islands;
pub(crate) use pivots::{EPS, Softness, softness};

pub(crate) use crate::model::choices::SolverKind;

/// Baraff's order of elimination, tried in the pose in which the model starts.
fn baraff(model: &Model) -> Result<Baraff, PlanError> {
    let (start, mut eval) = (model.initial_state(), Evaluation::new(model, model.structure()));
    evaluate::evaluate_bodies(model, &start.q, &start.v, &mut eval);
    evaluate::evaluate_constraints(model, &start.q, &start.v, start.t, &mut eval);
    Baraff::new(model.structure(), &eval.blocks)
}

/// Does this solver apply to the model?
pub(crate) fn check(kind: SolverKind, model: &Model) -> Result<(), StepError> {
    let name = kind.name();
    if matches!(kind, SolverKind::Tree | SolverKind::Baraff) && model.has_loops() {
        return Err(StepError::Invalid(format!(
            "solver `{name}` needs a mechanism without loops, and joints of this one close some; use `sparse`"
        )));
    }
    if kind != SolverKind::Baraff {
        return Ok(());
    }
    baraff(model).map(|_| ()).map_err(|e| {
        let (PlanError::Cycle(node)
        | PlanError::Dependent(node)
        | PlanError::LinkedTwice(node)
        | PlanError::Unlinked(node)) = e;
        StepError::Invalid(format!(
            "solver `{name}` eliminates every joint right after the bodies below it, and those leave {} without full rank; use `tree`",
            model.node_name(node)
        ))
    })
}

/// An iterative solve that stopped short of its tolerance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NotConverged {
    /// Relative residual reached.
    pub residual: f64,
    /// Iterations spent.
    pub iterations: usize,
}

/// Why there is no solution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Failure {
    /// The pivot of this node failed.
    Singular(Node),
    NotConverged(NotConverged),
    /// The accelerations of this node are wrong by this part of the largest.
    Inaccurate {
        node: Node,
        part: f64,
    },
}

/// Solved, or why not.
type Solution = Result<(), Failure>;

/// What a solver that works with factors has done since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Factorisations.
    pub factors: usize,
    /// Sweeps from the leaves to the roots; every solve has one.
    pub forward: usize,
    /// Sweeps back; every complete solve has one.
    pub backward: usize,
}

/// Something that answers forces: `H x = x` for the rows it keeps, in place. Entries of rows it does not know are left
/// alone.
pub(crate) trait Responder {
    fn respond(&mut self, x: &mut [f64]) -> Result<(), Failure>;
    /// Length of half a solve, when products can be had from forward sweeps alone; and the work of a whole one.
    fn half_len(&self) -> Option<usize> {
        None
    }
    fn solve_flops(&self) -> f64 {
        0.0
    }
    /// Half a solve of `x`, which is zero in its dual entries and is used up.
    fn half(&mut self, _x: &mut [f64], _half: &mut [f64]) {}
    /// The product of two halves.
    fn half_product(&self, _a: &[f64], _b: &[f64]) -> f64 {
        0.0
    }
}

/// A solver with its storage.
pub(crate) struct Solver {
    base: Base,
    /// Of solvers that keep one precision for all masses.
    verifier: Option<Verifier>,
    /// Rows with force directions of their own.
    own: Option<Complement>,
}

enum Base {
    Sparse(Box<Sparse>),
    Baraff(Box<Baraff>),
    Auxiliary(Box<Auxiliary>),
    Dense(DenseDelassus),
    DenseKkt(DenseKkt),
    Banded(Banded),
    Cg(ConjugateResidual),
}

impl Solver {
    pub fn new(kind: SolverKind, model: &Model) -> Self {
        let s = model.structure();
        let base = match kind {
            SolverKind::Tree | SolverKind::Sparse => Base::Sparse(Box::new(Sparse::new(model, false))),
            SolverKind::Baraff => match baraff(model) {
                Ok(baraff) => Base::Baraff(Box::new(baraff)),
                Err(_) => Base::Sparse(Box::new(Sparse::new(model, false))),
            },
            SolverKind::HugePivot => Base::Sparse(Box::new(Sparse::new(model, true))),
            SolverKind::Auxiliary => Base::Auxiliary(Box::new(Auxiliary::new(model))),
            SolverKind::Dense => Base::Dense(DenseDelassus::new(s)),
            SolverKind::DenseKkt => Base::DenseKkt(DenseKkt::new(s)),
            SolverKind::Banded => Base::Banded(Banded::new(s)),
            SolverKind::Cg { tolerance, max_iterations } => {
                Base::Cg(ConjugateResidual::new(s, tolerance, max_iterations))
            }
        };
        let verifier = (!base.knows_grades()).then(|| Verifier::new(matches!(base, Base::Sparse(_))));
        Solver { base, verifier, own: auxiliary::own_rows(model) }
    }

    /// Factor.
    pub fn factor(&mut self, model: &Model, blocks: &Blocks, own: &OwnRows) -> Result<(), Failure> {
        self.base.factor(model, blocks)?;
        if let Some(verifier) = &mut self.verifier {
            verifier.factor(model, blocks)?;
        }
        if let Some(complement) = &mut self.own {
            complement.load(own);
            with_responder(&mut self.base, model, blocks, |responder| complement.factor(responder, blocks))?;
        }
        Ok(())
    }

    /// Factor, then solve in place, where one sweep can do both.
    pub fn factor_and_solve(
        &mut self,
        model: &Model,
        blocks: &Blocks,
        own: &OwnRows,
        x: &mut [f64],
    ) -> Result<(), Failure> {
        if let (Base::Sparse(sparse), None) = (&mut self.base, &self.own)
            && !sparse.freezes()
        {
            return sparse.factor_and_solve(model, blocks, x);
        }
        self.factor(model, blocks, own)?;
        self.solve(model, blocks, x)
    }

    /// Solve in place.
    pub fn solve(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) -> Result<(), Failure> {
        match (&mut self.own, &mut self.verifier) {
            (None, Some(verifier)) => verifier.solve(model, blocks, x, |x| self.base.solve(model, blocks, x)),
            (None, None) => self.base.solve(model, blocks, x),
            (Some(complement), _) => {
                with_responder(&mut self.base, model, blocks, |responder| complement.solve(responder, x))
            }
        }
    }

    /// The work of one solve, where responses to pushes can be had from half solves along their ways; `None` where they
    /// cannot.
    pub fn half_solves(&self) -> Option<f64> {
        match (&self.base, &self.own, &self.verifier) {
            (Base::Sparse(s), None, None) if s.offers_halves() => Some(s.solve_flops()),
            _ => None,
        }
    }

    /// Can islands without loops be solved for on their own, by their part of the plan ([`part::PartSolver`]), and
    /// come out as they do together with others?
    pub fn offers_parts(&self, model: &Model) -> bool {
        let large = || model.plan.large_parts().next().is_some();
        matches!((&self.base, &self.own, &self.verifier), (Base::Sparse(s), None, None) if s.is_plain()) && !large()
    }

    /// Half a solve of `x`, which is zero but for the `bodies`, and all zero afterwards. Only where
    /// [`Solver::half_solves`] are on offer.
    pub fn half(&mut self, model: &Model, bodies: impl Iterator<Item = u32>, x: &mut [f64], halves: &mut SparseHalves) {
        if let Base::Sparse(s) = &mut self.base {
            s.half(model, bodies, x, halves);
        }
    }

    /// Solve with the factors alone, in place: rows that depend on others give way, `(H - E) x = rhs`, and no sweep
    /// undoes it. Rows with force directions of their own are left alone. `false`: there are no such factors.
    pub fn solve_with_factors(&mut self, model: &Model, x: &mut [f64]) -> bool {
        let Base::Sparse(s) = &mut self.base else { return false };
        if s.has_grades() {
            return false;
        }
        s.plain_solve(model, &mut x[..model.plan.len()]);
        true
    }

    /// Until further notice, let every row of the loops give way by these weights (relative to what redundant rows do),
    /// and do not undo it by sweeps: the damping of an assembly. Solvers without factors do nothing of the kind.
    pub fn damp(&mut self, weights: Option<&[f64]>) {
        if let Base::Sparse(s) = &mut self.base {
            s.damp(weights);
        }
    }

    /// Iterations of the last solve of an iterative solver.
    pub fn iterations(&self) -> Option<usize> {
        match &self.base {
            Base::Cg(s) => Some(s.iterations()),
            _ => None,
        }
    }

    /// What was done so far.
    pub fn counts(&self) -> Option<Counts> {
        match &self.base {
            Base::Sparse(s) => Some(s.counts()),
            Base::Auxiliary(s) => Some(s.counts()),
            _ => None,
        }
    }

    /// Rows that depended on others in the last factorisation, where the solver can tell.
    pub fn deficiency(&self) -> Option<usize> {
        let own = self.own_deficiency();
        match &self.base {
            Base::Sparse(s) => Some(s.weak_rows().len() + own),
            Base::Auxiliary(s) => Some(s.deficiency() + own),
            Base::Dense(s) => Some(s.deficiency() + own),
            _ => None,
        }
    }

    /// Of the rows with force directions of their own, how many depended on others.
    pub fn own_deficiency(&self) -> usize {
        self.own.as_ref().map_or(0, |c| c.deficiency())
    }

    /// Entries of rows in loops that depended on others in the last factorisation, and own sizes of all rows in loops,
    /// by place in a vector.
    pub fn weak_rows(&self) -> &[u32] {
        if let Base::Sparse(s) = &self.base { s.weak_rows() } else { &[] }
    }
    pub fn own_sizes(&self) -> Option<&[f64]> {
        if let Base::Sparse(s) = &self.base { Some(s.own_sizes()) } else { None }
    }

    /// Rows in which the pose last factored is near to a singular one, by place in a vector, as far as the solver can
    /// tell.
    pub fn near_singular(&self) -> &[u32] {
        if let Base::Sparse(s) = &self.base { s.near_singular() } else { &[] }
    }

    /// Do not look for contradictions in the factorisation at hand.
    pub fn ignore_contradictions(&mut self) {
        if let Base::Sparse(s) = &mut self.base {
            s.ignore_contradictions();
        }
    }

    /// Did rows contradict each other in the last solve, so that its answer is that of least squares?
    pub fn contradiction(&self) -> bool {
        if let Base::Sparse(s) = &self.base { s.contradiction() } else { false }
    }

    /// Number of auxiliary rows.
    pub fn n_auxiliary(&self) -> usize {
        let base = if let Base::Auxiliary(s) = &self.base { s.n_rows() } else { 0 };
        base + self.own.as_ref().map_or(0, |c| c.n_rows())
    }
}

impl Base {
    /// Does the solver see to masses that differ by much itself?
    fn knows_grades(&self) -> bool {
        matches!(self, Base::Sparse(sparse) if !sparse.freezes())
    }

    fn factor(&mut self, model: &Model, blocks: &Blocks) -> Result<(), Failure> {
        match self {
            Base::Sparse(s) => s.factor(model, blocks),
            Base::Baraff(s) => s.factor(blocks).map_err(|e| Failure::Singular(e.node)),
            Base::Auxiliary(s) => s.factor(model, blocks),
            Base::Dense(s) => Ok(s.factor(model.structure(), blocks)?),
            Base::DenseKkt(s) => Ok(s.factor(model.structure(), blocks)?),
            Base::Banded(s) => Ok(s.factor(model.structure(), blocks)?),
            Base::Cg(s) => Ok(s.factor(model.structure(), blocks)?),
        }
    }

    fn solve(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) -> Result<(), Failure> {
        match self {
            Base::Sparse(s) => return s.solve(model, blocks, x),
            Base::Baraff(s) => s.solve(x),
            Base::Auxiliary(s) => return s.solve(x),
            Base::Dense(s) => s.solve(x),
            Base::DenseKkt(s) => s.solve(x),
            Base::Banded(s) => s.solve(x),
            Base::Cg(s) => return s.solve(x).map_err(Failure::NotConverged),
        }
        Ok(())
    }
}

/// The base solver as a responder; the sparse one has more to offer than the others.
fn with_responder<T>(base: &mut Base, model: &Model, blocks: &Blocks, then: impl FnOnce(&mut dyn Responder) -> T) -> T {
    struct Plain<'a>(&'a mut Base, &'a Model, &'a Blocks);
    impl Responder for Plain<'_> {
        fn respond(&mut self, x: &mut [f64]) -> Result<(), Failure> {
            self.0.solve(self.1, self.2, &mut x[..self.1.plan.len()])
        }
    }
    match base {
        Base::Sparse(sparse) => then(&mut AsResponder { sparse, model, blocks }),
        _ => then(&mut Plain(base, model, blocks)),
    }
}
