//! Islands that are solved for on their own, while the factor of the others is kept.
//!
//! What nothing pushes is followed through the stages of a Runge-Kutta method where the rest of the model stands still.
//! Its equations are those of components that have nothing to do with the others, so they have a factor of their own.

use super::Failure;
use crate::model::Model;
use holonom_tree::{Blocks, Factor, PlanPart};

/// The islands at hand, their part of the plan and its factor; both are kept as long as the islands are the same.
#[derive(Default)]
pub(crate) struct PartSolver {
    /// By island; empty where all are solved for together.
    islands: Vec<bool>,
    wanted: Vec<bool>,
    part: PlanPart,
    /// Those wanted last are without loops: there is a part of the plan for them.
    there: bool,
    factor: Option<Factor>,
}

impl PartSolver {
    /// Solve for these islands alone from now on. `false`: they have loops, and must be solved for with the others.
    pub fn begin(&mut self, model: &Model, islands: &[bool]) -> bool {
        self.islands.clear();
        if self.wanted != islands {
            self.wanted.clear();
            self.wanted.extend_from_slice(islands);
            self.there = model.plan.write_part(|node| islands[model.island_of_node(node)], &mut self.part);
        }
        if self.there {
            self.islands.extend_from_slice(islands);
        }
        self.there
    }

    /// All together again.
    pub fn end(&mut self) {
        self.islands.clear();
    }

    /// Are some islands solved for on their own?
    pub fn is_at_work(&self) -> bool {
        !self.islands.is_empty()
    }

    /// Are they these?
    pub fn has(&self, island: u32) -> bool {
        self.islands.is_empty() || self.islands[island as usize]
    }

    /// Is the first of these bodies in one of them?
    pub fn has_first(&self, model: &Model, mut bodies: impl Iterator<Item = usize>) -> bool {
        bodies.next().is_some_and(|i| self.has(model.island[i]))
    }

    /// Factor, and solve in place; entries of other islands are left alone.
    pub fn factor_and_solve(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) -> Result<(), Failure> {
        if !self.there {
            return Ok(());
        }
        let factor = self.factor.get_or_insert_with(|| model.plan.new_factor());
        let solved = model.plan.factor_and_solve_part(&self.part, blocks, factor, x);
        solved.map_err(|e| Failure::Singular(e.node))
    }
}
