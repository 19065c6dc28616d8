//! The saddle-point system of the equations of motion, `H x = [F; c]`: right-hand bound, solver and solution.

use super::part::PartSolver;
use super::residual::{self, Residual, ResidualCheck};
use super::{Failure, ImplicitMatrix, Solver, SolverKind};
use crate::error::StepError;
use crate::evaluate::evaluation::Evaluation;
use crate::model::Model;
use holonom_lcp::Interrupt;

/// A vector in the space of H, and the solver with its factor.
pub(crate) struct Kkt {
    /// Right-hand bound, then solution [vdot; lambda] (or the like for the other laws).
    pub x: Vec<f64>,
    pub solver: Solver,
    /// The factor belongs to `Evaluation::pose`.
    at_pose: bool,
    /// The matrix of implicit steps, laid out when first needed.
    pub implicit: Option<Box<ImplicitMatrix>>,
    /// How well solutions solve the equations.
    pub check: ResidualCheck,
    /// Who may have a step given up; asked before every factor and every solve.
    pub interrupt: Interrupt,
}

impl Kkt {
    pub fn new(model: &Model, solver: SolverKind) -> Self {
        let x = vec![0.0; model.n_v() + model.n_rows()];
        let (check, interrupt) = (ResidualCheck::default(), Interrupt::never());
        Kkt { x, solver: Solver::new(solver, model), at_pose: false, implicit: None, check, interrupt }
    }

    /// M and J, as they are in the blocks, and their factor belong to this pose and time. Says so only where J knows of
    /// nothing else: rows on velocities and accelerations may depend on velocities.
    pub fn note_pose(&mut self, model: &Model, q: &[f64], t: f64, eval: &mut Evaluation) {
        eval.pose.clear();
        self.at_pose = model.velocity_rows.is_empty() && model.acceleration_rows.is_empty() && eval.own.j.is_empty();
        if self.at_pose {
            eval.pose.reserve_exact(q.len() + 1);
            eval.pose.extend_from_slice(q);
            eval.pose.push(t);
        }
    }

    /// Are M, J and their factor those of this pose and time, to the last bit? Then nothing has to be evaluated again
    /// but what depends on velocities.
    pub fn is_at(&self, q: &[f64], t: f64, eval: &Evaluation) -> bool {
        self.at_pose && eval.pose.split_last().is_some_and(|(time, pose)| *time == t && pose == q)
    }

    /// Give up here, if somebody asks for it.
    #[inline]
    pub fn heed(&self, time: f64) -> Result<(), StepError> {
        if self.interrupt.is_asked() { Err(StepError::Interrupted { time }) } else { Ok(()) }
    }

    /// Factor H at the values in the blocks.
    pub fn factor(&mut self, model: &Model, t: f64, eval: &Evaluation) -> Result<(), StepError> {
        self.at_pose = false;
        self.heed(t)?;
        self.solver.factor(model, &eval.blocks, &eval.own).map_err(|e| failure(model, e, t))
    }

    /// Factor H, and `[vdot; lambda]` from F and c, in one sweep where the solver can.
    pub fn factor_and_solve_motion(&mut self, model: &Model, t: f64, eval: &Evaluation) -> Result<(), StepError> {
        self.at_pose = false;
        self.heed(t)?;
        self.load_motion(eval);
        let solved = self.solver.factor_and_solve(model, &eval.blocks, &eval.own, &mut self.x);
        solved.map_err(|e| failure(model, e, t))
    }

    /// `[vdot; lambda]` from F and c with the factor at hand.
    pub fn solve_motion(&mut self, model: &Model, t: f64, eval: &Evaluation) -> Result<(), StepError> {
        self.load_motion(eval);
        self.solve(model, t, eval)
    }

    /// The same of some islands alone, with a factor of their own; zero for the others, whose factor is kept.
    pub fn solve_part(
        &mut self,
        model: &Model,
        t: f64,
        eval: &Evaluation,
        part: &mut PartSolver,
    ) -> Result<(), StepError> {
        self.heed(t)?;
        self.x.fill(0.0);
        let n = eval.force.len();
        for i in (0..model.n_bodies()).filter(|&i| part.has(model.island[i])) {
            let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
            self.x[range.clone()].copy_from_slice(&eval.force[range]);
        }
        for joint in model.joints.iter().filter(|joint| part.has(joint.island)) {
            let rows = joint.row_range();
            self.x[n + rows.start..n + rows.end].copy_from_slice(&eval.c[rows]);
        }
        part.factor_and_solve(model, &eval.blocks, &mut self.x).map_err(|e| failure(model, e, t))
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
        self.heed(t)?;
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
