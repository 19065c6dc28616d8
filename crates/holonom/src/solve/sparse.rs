//! Block L D L^T on an elimination tree: the tree of bodies and joints where there is one, a fill-reducing order where joints close loops.
//!
//! Three things are added to the bare factorisation.
//!
//! *Refinement* where the plan says that weights differ enormously: r = rhs - H x from the blocks as given, H dx = r, x += dx. It costs one
//! residual and one solve, and leaves the equations satisfied to rounding although the factors have lost digits.
//!
//! *Redundant rows.* A loop may hold a direction twice; the multipliers are then not unique, the accelerations are. An island (bodies
//! connected by joints) with such rows is factored as
//!
//! ```text
//! H_eps = H - diag(0, eps_j),     eps_j = 1e-8 (J M^-1 J^T)_jj
//! x_0 = H_eps^-1 rhs,             x_k+1 = x_k + H_eps^-1 (rhs - H x_k)
//! ```
//!
//! which is the proximal iteration: in the rows it reads (A + E) lambda_k+1 = b + E lambda_k. Where b can be reached at all, the error
//! shrinks by eps_j / (eps_j + eigenvalue of A) in every sweep and lambda goes to the solution nearest to zero; where it cannot,
//! x_k goes to the least-squares answer, and lambda grows with every sweep, which is why their number is fixed.
//!
//! *Who needs it.* Islands that are redundant where they are assembled are known beforehand. The others are factored as they are; when
//! one turns out to have a vanishing pivot (it passes a singular pose), the factorisation is done again with this island softened. The
//! choice depends on the pose alone, never on what was computed before, and one island's choice is nothing to the others.

use super::{Counts, Failure, Responder};
use crate::model::Model;
use holonom_tree::{Blocks, Factor, Node, PivotRule, Singular};

pub(crate) struct Sparse {
    factor: Factor,
    /// Right-hand side and residual; empty where no refinement can be wanted.
    rhs: Vec<f64>,
    rest: Vec<f64>,
    /// Islands softened in the factorisation at hand.
    soft: Vec<bool>,
    /// Entries of a vector that are refined, and whether there are any.
    refined: Vec<bool>,
    refine: bool,
    weights: Vec<f64>,
    huge_pivots: bool,
    /// The weights are given from outside, and there are no sweeps.
    damped: bool,
    /// Weight of softened rows: less than 1 near singular poses.
    weight: f64,
    counts: Counts,
}

/// Refinements, and proximal sweeps: the first brings most, the second what is left at weight ratios of 10^12 and near singular poses.
const REFINEMENTS: usize = 2;
/// How far redundant rows give way, relative to their own size.
pub(crate) const EPS: f64 = 1e-8;
/// Relative to that, near singular poses: still a hundred times what rounding leaves of a pivot.
const HARDER: f64 = 1e-5;
/// Tasora's rule: a pivot below this part of its row's own size freezes its multiplier.
const VANISHED: f64 = 1e-9;

impl Sparse {
    pub fn new(model: &Model, huge_pivots: bool) -> Self {
        let looped = model.plan.has_loops();
        let large = model.plan.large_parts().next().is_some();
        let n = if looped || large { model.plan.len() } else { 0 };
        let mut factor = model.plan.new_factor();
        if looped {
            factor.set_weights(&vec![0.0; n]);
        }
        Sparse {
            factor,
            rhs: vec![0.0; n],
            rest: vec![0.0; n],
            soft: Vec::with_capacity(model.n_islands),
            refined: vec![false; n],
            refine: large,
            weights: vec![0.0; if looped { n } else { 0 }],
            huge_pivots,
            damped: false,
            weight: 1.0,
            counts: Counts::default(),
        }
    }

    /// Let rows give way by these weights, without sweeps; or go back to what redundant rows need.
    pub fn damp(&mut self, weights: Option<&[f64]>) {
        self.damped = weights.is_some();
        if let Some(weights) = weights {
            let n = self.weights.len();
            self.weights.copy_from_slice(&weights[..n]);
        }
    }

    /// Let softened rows give way far less: for corrections near singular poses, where what moves little must still be moved.
    pub fn harden(&mut self, hard: bool) {
        self.weight = if hard { HARDER } else { 1.0 };
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Rows that depended on others in the last factorisation.
    pub fn weak_rows(&self) -> &[u32] {
        self.factor.weak_rows()
    }

    pub fn own_sizes(&self) -> &[f64] {
        self.factor.own_sizes()
    }

    pub fn factor(&mut self, model: &Model, blocks: &Blocks) -> Result<(), Failure> {
        self.settle(model, |sparse| model.plan.factor(blocks, &mut sparse.factor))
    }

    pub fn factor_and_solve(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) -> Result<(), Failure> {
        self.keep(x);
        self.settle(model, |sparse| {
            if !sparse.rhs.is_empty() {
                x.copy_from_slice(&sparse.rhs);
            }
            sparse.counts.forward += 1;
            sparse.counts.backward += 1;
            model.plan.factor_and_solve(blocks, &mut sparse.factor, x)
        })?;
        self.refine(model, blocks, x);
        Ok(())
    }

    pub fn solve(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) {
        self.keep(x);
        self.plain_solve(model, x);
        self.refine(model, blocks, x);
    }

    fn plain_solve(&mut self, model: &Model, x: &mut [f64]) {
        self.counts.forward += 1;
        self.counts.backward += 1;
        model.plan.solve(&mut self.factor, x);
    }

    /// Factor, with as many islands softened as need it.
    fn settle(&mut self, model: &Model, mut attempt: impl FnMut(&mut Self) -> Result<(), Singular>) -> Result<(), Failure> {
        self.counts.factors += 1;
        if !model.plan.has_loops() {
            mark_large(model, &mut self.refined);
            return attempt(self).map_err(|e| Failure::Singular(e.node));
        }
        if self.damped {
            self.refine = false;
            self.factor.set_rule(PivotRule::Soft { eps: EPS });
            self.factor.set_weights(&self.weights);
            return attempt(self).map_err(|e| Failure::Singular(e.node));
        }
        self.soft.clear();
        self.soft.extend_from_slice(&model.soft_islands);
        if self.huge_pivots {
            self.soft.fill(false);
            self.factor.set_rule(PivotRule::Huge { threshold: VANISHED });
            self.mark_refined(model);
            return attempt(self).map_err(|e| Failure::Singular(e.node));
        }
        loop {
            self.mark_refined(model);
            self.factor.set_rule(PivotRule::Soft { eps: EPS });
            self.factor.set_weights(&self.weights);
            let found = match attempt(self) {
                Ok(()) => {
                    let Sparse { factor, soft, .. } = self;
                    soften(factor.weak_rows().iter().map(|&x| model.island_of_row(x as usize - model.n_v())), soft)
                }
                Err(e) => {
                    let in_core = model.plan.in_core(e.node);
                    let island = model.island_of_node(e.node);
                    if !in_core || !soften([island].into_iter(), &mut self.soft) {
                        return Err(Failure::Singular(e.node));
                    }
                    true
                }
            };
            if !found {
                return Ok(());
            }
            self.counts.factors += 1;
        }
    }

    /// Weights of the rows, and the entries to refine, from the islands softened.
    fn mark_refined(&mut self, model: &Model) {
        self.refined.fill(false);
        self.refine = mark_large(model, &mut self.refined);
        self.weights.fill(0.0);
        if !self.soft.contains(&true) {
            return;
        }
        self.refine = true;
        let n = model.n_v();
        for i in (0..model.n_bodies()).filter(|&i| self.soft[model.island[i] as usize]) {
            self.refined[model.v_start[i] as usize..model.v_start[i + 1] as usize].fill(true);
        }
        for joint in model.joints.iter().filter(|j| self.soft[j.island as usize]) {
            let rows = joint.row_range();
            if n + rows.end <= self.weights.len() {
                self.refined[n + rows.start..n + rows.end].fill(true);
                self.weights[n + rows.start..n + rows.end].fill(self.weight);
            }
        }
    }

    fn keep(&mut self, x: &[f64]) {
        let n = self.rhs.len();
        self.rhs.copy_from_slice(&x[..n]);
    }

    fn refine(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) {
        if !self.refine {
            return;
        }
        for _ in 0..REFINEMENTS {
            self.counts.forward += 1;
            self.counts.backward += 1;
            model.plan.residual(blocks, &mut self.factor, x, &self.rhs, &mut self.rest);
            model.plan.solve(&mut self.factor, &mut self.rest);
            // the other islands keep the bits they would have alone
            for i in (0..self.rest.len()).filter(|&i| self.refined[i]) {
                x[i] += self.rest[i];
            }
        }
    }
}

/// Mark these islands; was one of them new?
fn soften(islands: impl Iterator<Item = usize>, soft: &mut [bool]) -> bool {
    islands.fold(false, |any, i| !std::mem::replace(&mut soft[i], true) || any)
}

fn mark_large(model: &Model, refined: &mut [bool]) -> bool {
    let mut any = false;
    for part in model.plan.large_parts() {
        refined[part].fill(true);
        any = true;
    }
    any
}

/// The factorisation at hand as a responder. Products from half a solve are offered while nothing is refined.
pub(super) struct AsResponder<'a> {
    pub sparse: &'a mut Sparse,
    pub model: &'a Model,
    pub blocks: &'a Blocks,
}

impl Responder for AsResponder<'_> {
    fn respond(&mut self, x: &mut [f64]) -> Result<(), Failure> {
        self.sparse.solve(self.model, self.blocks, &mut x[..self.model.plan.len()]);
        Ok(())
    }
    fn half_len(&self) -> Option<usize> {
        (!self.sparse.refine).then(|| self.model.plan.half_len())
    }
    fn solve_flops(&self) -> f64 {
        self.model.plan.cost().solve_flops
    }
    fn half(&mut self, x: &mut [f64], half: &mut [f64]) {
        self.sparse.counts.forward += 1;
        self.model.plan.solve_half(&mut self.sparse.factor, x, half);
    }
    fn half_product(&self, a: &[f64], b: &[f64]) -> f64 {
        self.model.plan.half_product(&self.sparse.factor, a, b)
    }
}

/// The node at fault, for solvers that know only that.
impl From<Node> for Failure {
    fn from(node: Node) -> Self {
        Failure::Singular(node)
    }
}
