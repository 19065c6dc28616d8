//! The saddle-point system of the equations of motion, `H x = [F; c]`: right-hand bound, solver and solution.

use super::residual::{self, Residual, ResidualCheck};
use super::{Failure, ImplicitMatrix, Solver, SolverKind};
use crate::error::StepError;
use crate::evaluate::evaluation::Evaluation;
use crate::model::Model;

/// A vector in the space of H, and the solver with its factor.
pub(crate) struct Kkt {
    /// Right-hand bound, then solution [vdot; lambda] (or the like for the other laws).
    pub x: Vec<f64>,
    pub solver: Solver,
    /// The matrix of implicit steps, laid out when first needed.
    pub implicit: Option<Box<ImplicitMatrix>>,
    /// How well solutions solve the equations.
    pub check: ResidualCheck,
}

impl Kkt {
    pub fn new(model: &Model, solver: SolverKind) -> Self {
        let x = vec![0.0; model.n_v() + model.n_rows()];
        Kkt { x, solver: Solver::new(solver, model), implicit: None, check: ResidualCheck::default() }
    }

    /// Factor H at the values in the blocks.
    pub fn factor(&mut self, model: &Model, t: f64, eval: &Evaluation) -> Result<(), StepError> {
        self.solver.factor(model, &eval.blocks, &eval.own).map_err(|e| failure(model, e, t))
    }

    /// Factor H, and `[vdot; lambda]` from F and c, in one sweep where the solver can.
    pub fn factor_and_solve_motion(&mut self, model: &Model, t: f64, eval: &Evaluation) -> Result<(), StepError> {
        self.load_motion(eval);
        let solved = self.solver.factor_and_solve(model, &eval.blocks, &eval.own, &mut self.x);
        solved.map_err(|e| failure(model, e, t))
    }

    /// `[vdot; lambda]` from F and c with the factor at hand.
    pub fn solve_motion(&mut self, model: &Model, t: f64, eval: &Evaluation) -> Result<(), StepError> {
        self.load_motion(eval);
        self.solve(model, t, eval)
    }

    fn load_motion(&mut self, eval: &Evaluation) {
        let n = eval.force.len();
        self.x[..n].copy_from_slice(&eval.force);
        self.x[n..].copy_from_slice(&eval.c);
    }

    /// Residual of the solution in `x` of the equations of motion.
    pub fn residual(&self, model: &Model, eval: &Evaluation) -> Residual {
        residual::residual(model, eval, &self.x, self.solver.contradiction())
    }

    /// Where the next solution is to be measured: measure the one in `x` against F and c.
    #[inline]
    pub fn check_motion(&mut self, model: &Model, eval: &Evaluation) {
        self.check.note(model, eval, &self.x, self.solver.contradiction());
    }

    /// Solve `H x = x` in place, and where the next solution is to be measured, measure this one.
    pub fn solve_and_check(&mut self, model: &Model, t: f64, eval: &Evaluation) -> Result<(), StepError> {
        if self.check.wanted {
            self.check.rhs.clone_from(&self.x);
        }
        self.solve(model, t, eval)?;
        self.check.note_kept(model, eval, &self.x, self.solver.contradiction());
        Ok(())
    }

    /// Solve `H x = x` in place.
    pub fn solve(&mut self, model: &Model, t: f64, eval: &Evaluation) -> Result<(), StepError> {
        self.solver.solve(model, &eval.blocks, &mut self.x).map_err(|e| failure(model, e, t))
    }
}

fn failure(model: &Model, e: Failure, time: f64) -> StepError {
    match e {
        Failure::Singular(node) => StepError::Singular { name: model.node_name(node), time },
        Failure::Inaccurate { node, part } => StepError::Inaccurate { name: model.node_name(node), part, time },
        Failure::NotConverged(e) => {
            StepError::NotConverged { what: "the linear solver", residual: e.residual, iterations: e.iterations, time }
        }
    }
}
