//! Block L D L^T on an elimination tree: the tree of bodies and joints where there is one, a fill-reducing order where
//! joints close loops.
//!
//! Added to the bare factorisation:
//!
//! *Refinement*: r = rhs - H x from the blocks as given, H dx = r, x += dx. It costs one residual and one solve, and
//! leaves the equations satisfied to rounding although the factors have lost digits: where the plan says that weights
//! differ enormously, in loops of very many joints, and where rows depend on each other.
//!
//! *Redundant rows.* A loop may hold a direction twice; the multipliers are then not unique, the accelerations are. The
//! pivot of a row that depends on those before it vanishes but for rounding. Such a row gives way,
//!
//! ```text
//! H_eps = H - diag(0, eps_j),        eps_j = 1e-8 (J M^-1 J^T)_jj  in rows whose pivots are below that, 0 in all others
//! x_0 = H_eps^-1 rhs,                x_k+1 = x_k + H_eps^-1 (rhs - H x_k)
//! ```
//!
//! which is the proximal iteration: in the rows it reads (A + E) lambda_k+1 = b + E lambda_k. Where b can be reached at
//! all, there is a solution whose multipliers vanish in the rows that give way; it solves the first equation too, so
//! x_0 is exact. Near a singular pose, where a pivot is small and not zero, the error shrinks by eps_j / (eps_j +
//! pivot) in every sweep: forces that would have to be enormous are kept within bounds while the mechanism passes.
//!
//! Why not let every row give way by 1e-8, as is usual? In long loops that needs sweeps by the dozen: the smallest
//! eigenvalues of A in a ring of n hinges fall faster than n^-3. At 40 hinges two sweeps leave an error of 1e-5, at 160
//! one of 30 %. For the same reason a row whose pivot is small where the model is assembled, and not zero, gives way
//! only when it falls to a thousandth of that ([`softness`]).
//!
//! *Taut loops.* A chain held at both ends and stretched out straight is singular where it is assembled, and cannot
//! move away from there although its rows would let it begin to. Such islands are found when the model is built; every
//! row of their loops gives way by 1e-7, as if the joints were very stiff springs, which keeps the forces finite that
//! hold it.
//!
//! *Contradictions.* When what is left of such a row does not go away, the rows contradict each other (two drives that
//! want different speeds). Then, and only then, every row of the island's loops gives way,
//!
//! ```text
//! eps_j = 1e-7 (J M^-1 J^T)_jj    in all rows of the island's loops
//! ```
//!
//! and the sweeps lead to the least-squares answer: the smallest sum of `violation_j^2 / eps_j`. lambda then grows with
//! every sweep, which is why their number is fixed.

use super::graded::Graded;
use super::pivots::{EPS, ROUNDING};
use super::{Counts, Failure, Responder};
use crate::model::Model;
use holonom_tree::{Blocks, Factor, Node, Paths, PivotRule, SparseHalves};

pub(crate) struct Sparse {
    factor: Factor,
    /// Right-hand side and residual; empty where no refinement can be wanted.
    rhs: Vec<f64>,
    rest: Vec<f64>,
    /// Entries of a vector that are refined; `always` for the sake of their weights or number, the others while an
    /// island has weak rows.
    refined: Vec<bool>,
    always_refined: Vec<bool>,
    always: bool,
    refine: bool,
    /// The rule for weak pivots at present, and when nothing is damped.
    rule: Rule,
    usual: Rule,
    /// Weights of the rows as the model has them, and whether they must be put into the factor again.
    softness: Vec<f64>,
    reset_weights: bool,
    /// The factors are those of a rule under which contradictions are looked for.
    watchful: bool,
    /// Islands in which every row gives way because some contradict each other, and whether there are any.
    conflicts: Vec<bool>,
    least_squares: bool,
    /// Scratch, per island.
    energies: Vec<f64>,
    /// Rows that give way whatever the pose, by place in a vector.
    yielding: Vec<bool>,
    /// Islands with graded masses are solved for with twice the precision.
    graded: Option<Graded>,
    /// The ways of pushes through the elimination, when first needed.
    paths: Option<Paths>,
    counts: Counts,
    solve_flops: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Rule {
    /// Rows that depend on others give way.
    Soft,
    /// Tasora's: their multipliers are frozen.
    HugePivots,
    /// Every row gives way by weights from outside, and nothing is refined.
    Damped,
}

/// Refinements: the first brings most, the second what is left at weight ratios of 10^12 and near singular poses.
const REFINEMENTS: usize = 2;
/// What is left of a row that gives way is a contradiction above this part of what the row could be.
const CONTRADICTION: f64 = 1e-6;
/// Loops with more rows than this are refined always: residuals of single rows grow with the square of their number, to
/// 1e-10 at 10,000.
const MANY: usize = 1500;

impl Sparse {
    pub fn new(model: &Model, huge_pivots: bool) -> Self {
        let looped = model.plan.has_loops();
        let large = model.plan.large_parts().next().is_some();
        let n = if looped || large { model.plan.len() } else { 0 };
        let usual = if huge_pivots { Rule::HugePivots } else { Rule::Soft };
        let mut sparse = Sparse {
            factor: model.plan.new_factor(),
            rhs: vec![0.0; n],
            rest: vec![0.0; n],
            refined: vec![false; n],
            always_refined: Vec::new(),
            always: false,
            refine: false,
            rule: usual,
            usual,
            softness: model.regularisation.softness.clone(),
            reset_weights: true,
            watchful: false,
            conflicts: vec![false; model.n_islands],
            energies: vec![0.0; model.n_islands],
            least_squares: false,
            yielding: Vec::new(),
            graded: Graded::new(model),
            paths: None,
            counts: Counts::default(),
            solve_flops: model.plan.cost().solve_flops,
        };
        let mut watched = model.regularisation.watched.clone();
        if model.regularisation.stuck_islands.contains(&true) {
            let mut yielding = vec![false; n];
            for joint in model.joints.iter().filter(|j| model.regularisation.stuck_islands[j.island as usize]) {
                let rows = joint.row_range();
                if model.n_v() + rows.end <= n {
                    let part = model.n_v() + rows.start..model.n_v() + rows.end;
                    yielding[part.clone()].fill(true);
                    // they are near to singular always
                    watched.get_mut(part).into_iter().for_each(|w| w.fill(0.0));
                }
            }
            sparse.factor.set_relaxed(&yielding);
            sparse.yielding = yielding;
        }
        sparse.factor.set_watched(&watched);
        sparse.always = sparse.mark_always(model);
        // islands with graded masses are refined with more digits, where they are solved for
        let graded = &model.regularisation.graded_islands;
        if graded.contains(&true) {
            sparse.mark(model, |island| graded[island], false);
        }
        sparse.always_refined = sparse.refined.clone();
        sparse.refine = sparse.always;
        sparse
    }

    /// Are multipliers of rows that depend on others frozen, whatever becomes of the rows?
    pub fn freezes(&self) -> bool {
        self.usual == Rule::HugePivots
    }

    /// Are there islands whose factors are kept elsewhere, with twice the precision?
    pub fn has_grades(&self) -> bool {
        self.graded.is_some()
    }

    /// Do not look for contradictions in the factorisation at hand.
    pub fn ignore_contradictions(&mut self) {
        self.watchful = false;
    }

    /// Let rows give way by these weights, without sweeps; or go back to what redundant rows need.
    pub fn damp(&mut self, weights: Option<&[f64]>) {
        match weights {
            Some(weights) => {
                self.factor.set_weights(&weights[..self.rhs.len()]);
                self.reset_weights = false;
                self.rule = Rule::Damped;
            }
            None => {
                self.rule = self.usual;
                self.reset_weights = true;
            }
        }
    }

    /// Can products be had from half solves: is nothing refined, graded or damped?
    pub fn offers_halves(&self) -> bool {
        !self.refine && self.graded.is_none() && self.rule != Rule::Damped
    }

    /// The work of a solve, by the plan.
    pub fn solve_flops(&self) -> f64 {
        self.solve_flops
    }

    /// Is the rule the usual one, and nothing graded or damped?
    pub fn is_plain(&self) -> bool {
        self.rule == Rule::Soft && self.graded.is_none()
    }

    /// Half a solve of `x`, which is zero but for the `bodies`, and all zero afterwards.
    pub fn half(&mut self, model: &Model, bodies: impl Iterator<Item = u32>, x: &mut [f64], halves: &mut SparseHalves) {
        let paths = self.paths.get_or_insert_with(|| model.plan.paths());
        model.plan.solve_along(paths, &mut self.factor, bodies.map(Node), x, halves);
    }

    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Rows that depended on others in the last factorisation.
    pub fn weak_rows(&self) -> &[u32] {
        self.factor.small_pivot_rows()
    }

    /// Rows in which the pose last factored is near to a singular one, by place in a vector.
    pub fn near_singular(&self) -> &[u32] {
        self.factor.near_singular()
    }

    /// Did rows contradict each other when last solved for?
    pub fn contradiction(&self) -> bool {
        self.least_squares
    }

    pub fn own_sizes(&self) -> &[f64] {
        self.graded.as_ref().map_or(self.factor.own_sizes(), |graded| graded.own_sizes())
    }

    pub fn factor(&mut self, model: &Model, blocks: &Blocks) -> Result<(), Failure> {
        self.begin();
        self.factor_by_rule(model, blocks)?;
        self.mark_weak(model);
        Ok(())
    }

    fn factor_by_rule(&mut self, model: &Model, blocks: &Blocks) -> Result<(), Failure> {
        let factored = match &mut self.graded {
            None => model.plan.factor(blocks, &mut self.factor),
            Some(graded) => graded.factor(model, blocks, &mut self.factor),
        };
        factored.map_err(|e| Failure::Singular(e.node))
    }

    pub fn factor_and_solve(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) -> Result<(), Failure> {
        if self.graded.is_some() {
            self.factor(model, blocks)?;
            return self.solve(model, blocks, x);
        }
        self.begin();
        self.keep(x);
        self.counts.forward += 1;
        self.counts.backward += 1;
        model.plan.factor_and_solve(blocks, &mut self.factor, x).map_err(|e| Failure::Singular(e.node))?;
        self.mark_weak(model);
        self.refine(model, blocks, x)
    }

    pub fn solve(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) -> Result<(), Failure> {
        self.keep(x);
        self.solve_all(model, blocks, x);
        self.refine(model, blocks, x)
    }

    /// Solve for `self.rhs`, which `x` holds as well.
    fn solve_all(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) {
        self.plain_solve(model, x);
        if let Some(graded) = &mut self.graded {
            graded.solve(model, blocks, &self.rhs, x);
        }
    }

    /// Solve with the factors as they are: rows that depend on others give way, and no sweep undoes it.
    pub(super) fn plain_solve(&mut self, model: &Model, x: &mut [f64]) {
        self.counts.forward += 1;
        self.counts.backward += 1;
        model.plan.solve(&mut self.factor, x);
    }

    fn begin(&mut self) {
        self.counts.factors += 1;
        if self.least_squares {
            self.least_squares = false;
            self.conflicts.fill(false);
            self.factor.set_relaxed(&self.yielding);
        }
        self.watchful = self.rule == Rule::Soft;
        if self.reset_weights {
            self.factor.set_weights(&self.softness);
            self.reset_weights = false;
        }
        self.factor.set_rule(match self.rule {
            Rule::Soft => PivotRule::Regularised { eps: EPS },
            Rule::HugePivots => PivotRule::Huge { threshold: ROUNDING },
            Rule::Damped => PivotRule::Damped { eps: EPS },
        });
    }

    /// What is refined whatever the pose.
    fn mark_always(&mut self, model: &Model) -> bool {
        let mut any = false;
        for part in model.plan.large_parts() {
            self.refined[part].fill(true);
            any = true;
        }
        if !model.plan.has_loops() {
            return any;
        }
        let mut rows = vec![0; model.n_islands];
        for (k, joint) in model.joints.iter().enumerate() {
            let in_loop = model.plan.in_core(Node((model.n_bodies() + k) as u32));
            rows[joint.island as usize] += if in_loop { joint.n_rows as usize } else { 0 };
        }
        let stuck = |i: usize| model.regularisation.stuck_islands.get(i) == Some(&true);
        for island in (0..model.n_islands).filter(|&i| rows[i] > MANY || stuck(i)) {
            self.mark(model, |i| i == island, true);
            any = true;
        }
        any
    }

    /// Refine the entries of the wanted islands, or not.
    fn mark(&mut self, model: &Model, wanted: impl Fn(usize) -> bool, refined: bool) {
        let n = model.n_v();
        for i in (0..model.n_bodies()).filter(|&i| wanted(model.island[i] as usize)) {
            self.refined[model.v_start[i] as usize..model.v_start[i + 1] as usize].fill(refined);
        }
        for joint in model.joints.iter().filter(|j| wanted(j.island as usize)) {
            let rows = joint.row_range();
            // rows with force directions of their own are not in the matrix
            if n + rows.end <= self.refined.len() {
                self.refined[n + rows.start..n + rows.end].fill(refined);
            }
        }
    }

    /// Islands with weak rows are refined while they have them, and the others keep the bits they would have alone.
    fn mark_weak(&mut self, model: &Model) {
        if self.rule == Rule::Damped {
            self.refine = false;
            return;
        }
        let soft = self.rule == Rule::Soft && !self.factor.small_pivot_rows().is_empty();
        if !soft && self.refine == self.always {
            return;
        }
        self.refined.copy_from_slice(&self.always_refined);
        self.refine = self.always || soft;
        if soft {
            let n = model.n_v();
            let mut last = usize::MAX;
            for k in 0..self.factor.small_pivot_rows().len() {
                let island = model.island_of_row(self.factor.small_pivot_rows()[k] as usize - n);
                if island != last && model.regularisation.graded_islands.get(island) != Some(&true) {
                    self.mark(model, |i| i == island, true);
                    last = island;
                }
            }
        }
    }

    fn keep(&mut self, x: &[f64]) {
        let n = self.rhs.len();
        self.rhs.copy_from_slice(&x[..n]);
    }

    fn refine(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) -> Result<(), Failure> {
        if !self.refine {
            return Ok(());
        }
        for sweep in 0..REFINEMENTS {
            model.plan.residual(blocks, &mut self.factor, x, &self.rhs, &mut self.rest);
            if sweep > 0 && self.watchful && self.find_conflicts(blocks, model, x) {
                return self.to_least_squares(model, blocks, x);
            }
            let mut rest = std::mem::take(&mut self.rest);
            self.plain_solve(model, &mut rest);
            for i in (0..rest.len()).filter(|&i| self.refined[i]) {
                x[i] += rest[i];
            }
            self.rest = rest;
        }
        Ok(())
    }

    /// Is there something left of a weak row that no sweep takes away? Measured against the most that the row could be
    /// with the accelerations of its island, or those the forces alone would cause:
    /// `|J_j x| <= (J M^-1 J^T)_jj^1/2 (x^T M x)^1/2`.
    fn find_conflicts(&mut self, blocks: &Blocks, model: &Model, x: &[f64]) -> bool {
        let n = model.n_v();
        let (own, mut found) = (self.factor.own_sizes(), false);
        let (mut energies, mut known) = (std::mem::take(&mut self.energies), false);
        for &at in self.factor.small_pivot_rows() {
            let (i, island) = (at as usize, model.island_of_row(at as usize - n));
            if self.conflicts[island] || model.regularisation.stuck_islands.get(island) == Some(&true) {
                continue;
            }
            let left = self.rest[i].abs();
            // most rows are quiet beyond doubt
            if left > CONTRADICTION * self.rhs[i].abs() {
                if !known {
                    self.write_energies(blocks, model, x, &mut energies);
                    known = true;
                }
                self.conflicts[island] = left > CONTRADICTION * (own[i] * energies[island]).sqrt();
                found |= self.conflicts[island];
            }
        }
        self.energies = energies;
        found
    }

    /// `x^T M x` of every island, with that of the accelerations by forces alone; where masses are graded with the
    /// neutral blocks that own sizes are measured by there.
    fn write_energies(&self, blocks: &Blocks, model: &Model, x: &[f64], energies: &mut [f64]) {
        energies.fill(0.0);
        let weights = self.graded.as_ref().map_or(blocks, |graded| graded.weights());
        for i in 0..model.n_bodies() {
            let (node, energy) = (Node(i as u32), &mut energies[model.island[i] as usize]);
            let (x, f) = (model.v_of(i, x), model.v_of(i, &self.rhs));
            for r in 0..x.len() {
                for c in 0..x.len() {
                    *energy += weights.entry(node, r, c) * x[r] * x[c];
                }
                let (mass, weight) = (blocks.entry(node, r, r), weights.entry(node, r, r));
                *energy += f[r] * f[r] / mass * (weight / mass);
            }
        }
    }

    fn to_least_squares(&mut self, model: &Model, blocks: &Blocks, x: &mut [f64]) -> Result<(), Failure> {
        self.counts.factors += 1;
        let n = self.rhs.len();
        let mut yielding = self.yielding.clone();
        yielding.resize(n, false);
        for joint in model.joints.iter().filter(|j| self.conflicts[j.island as usize]) {
            let rows = joint.row_range();
            if model.n_v() + rows.end <= n {
                yielding[model.n_v() + rows.start..model.n_v() + rows.end].fill(true);
            }
        }
        self.factor.set_relaxed(&yielding);
        self.factor_by_rule(model, blocks)?;
        (self.least_squares, self.watchful) = (true, false);
        x[..n].copy_from_slice(&self.rhs);
        self.solve_all(model, blocks, x);
        self.refine(model, blocks, x)
    }
}

/// The factorisation at hand as a responder. Products from half a solve are offered while nothing is refined.
pub(super) struct AsResponder<'a> {
    pub sparse: &'a mut Sparse,
    pub model: &'a Model,
    pub blocks: &'a Blocks,
}

impl Responder for AsResponder<'_> {
    fn respond(&mut self, x: &mut [f64]) -> Result<(), Failure> {
        self.sparse.solve(self.model, self.blocks, &mut x[..self.model.plan.len()])
    }
    fn half_len(&self) -> Option<usize> {
        self.sparse.offers_halves().then(|| self.model.plan.forward_len())
    }
    fn solve_flops(&self) -> f64 {
        self.sparse.solve_flops
    }
    fn half(&mut self, x: &mut [f64], half: &mut [f64]) {
        self.sparse.counts.forward += 1;
        self.model.plan.solve_forward(&mut self.sparse.factor, x, half);
    }
    fn half_product(&self, a: &[f64], b: &[f64]) -> f64 {
        self.model.plan.forward_product(&self.sparse.factor, a, b)
    }
}

/// The node at fault, for solvers that know only that.
impl From<Node> for Failure {
    fn from(node: Node) -> Self {
        Failure::Singular(node)
    }
}
