//! Block L D L^T on the tree, with iterative refinement where the plan says that weights differ enormously.
//!
//! One refinement: r = rhs - H x from the blocks as given, H dx = r, x += dx. It costs one residual and one solve, and leaves the equations
//! satisfied to rounding although the factors have lost digits.

use crate::model::Model;
use holonom_tree::{Blocks, Factor, Node};

pub(crate) struct Tree {
    pub factor: Factor,
    /// Right-hand side and residual; empty where no refinement is wanted.
    rhs: Vec<f64>,
    rest: Vec<f64>,
}

/// Refinements: the first brings most, the second what is left at ratios of 10^12.
const REFINEMENTS: usize = 2;

impl Tree {
    pub fn new(model: &Model) -> Self {
        let n = if model.plan.large_parts().next().is_some() { model.plan.len() } else { 0 };
        Tree { factor: model.plan.new_factor(), rhs: vec![0.0; n], rest: vec![0.0; n] }
    }

    pub fn factor_and_solve(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) -> Result<(), Node> {
        self.keep(x);
        model.plan.factor_and_solve(blocks, &mut self.factor, x).map_err(|e| e.node)?;
        self.refine(model, blocks, x);
        Ok(())
    }

    pub fn solve(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) {
        self.keep(x);
        model.plan.solve(&mut self.factor, x);
        self.refine(model, blocks, x);
    }

    fn keep(&mut self, x: &[f64]) {
        let n = self.rhs.len();
        self.rhs.copy_from_slice(&x[..n]);
    }

    fn refine(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) {
        if self.rhs.is_empty() {
            return;
        }
        for _ in 0..REFINEMENTS {
            model.plan.residual(blocks, &mut self.factor, x, &self.rhs, &mut self.rest);
            model.plan.solve(&mut self.factor, &mut self.rest);
            // trees without such weights keep the bits they would have alone
            for i in model.plan.large_parts().flatten() {
                x[i] += self.rest[i];
            }
        }
    }
}
