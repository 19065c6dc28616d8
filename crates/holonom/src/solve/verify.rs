//! Is what a solver found the solution? Asked of the solvers that keep one precision for all masses, where masses
//! differ by so much that they may lose what tells rows apart.
//!
//! Residuals do not answer that. A body of 1e12 kg carries forces of 1e13 N, whose rounding is 1e-3 N; accelerations of
//! 16 digits leave as much of its equation whether or not the multipliers are right, and what is wrong with these is
//! felt by the bodies of 1 kg beside it. So the judge is the sparse solver, which knows of graded masses:
//!
//! ```text
//! |a - a_judge|_i  <=  1e-9 a_0  +  1e-16 (|J|^T |lambda|)_i / M_ii,      a_0 = max(|a|, |M^-1 F|)
//! ```
//!
//! The last term is what rounding of the rows leaves undecided: on a light body that turns freely it may be large.

use super::sparse::Sparse;
use super::{Failure, Solution};
use crate::model::Model;
use holonom_tree::{Blocks, Node};

/// Part of the largest acceleration by which solvers may differ.
const AGREED: f64 = 1e-9;
/// Part of its forces that a body with graded neighbours may feel of rounding.
const ROUNDED: f64 = 1e-16;
/// Solutions are verified where the diagonal entries of M differ by more than this.
const WIDE: f64 = 1e3;

/// The sparse solver, where masses differ by so much that solutions must be verified.
pub(super) struct Verifier {
    judge: Option<Box<Sparse>>,
    wanted: bool,
    /// Only where islands are graded: a solver that freezes multipliers is otherwise what it claims to be, and off
    /// where rows nearly depend on each other, whatever the masses.
    only_graded: bool,
}

impl Verifier {
    pub fn new(only_graded: bool) -> Self {
        Verifier { judge: None, wanted: false, only_graded }
    }

    /// Factor, where it is wanted.
    pub fn factor(&mut self, model: &Model, blocks: &Blocks) -> Result<(), Failure> {
        let graded = model.regularisation.graded_islands.contains(&true);
        self.wanted = if self.only_graded { graded } else { wide_masses(model, blocks) };
        if !self.wanted {
            return Ok(());
        }
        self.judge.get_or_insert_with(|| Box::new(Sparse::new(model, false))).factor(model, blocks)
    }

    /// The solution of `H x = x` by a solver, verified where that is wanted. Allocates there.
    pub fn solve(
        &mut self,
        model: &Model,
        blocks: &Blocks,
        x: &mut [f64],
        solver: impl FnOnce(&mut [f64]) -> Solution,
    ) -> Solution {
        let Some(judge) = self.judge.as_mut().filter(|_| self.wanted) else { return solver(x) };
        let (mut y, rhs) = (x.to_vec(), x.to_vec());
        solver(x)?;
        judge.solve(model, blocks, &mut y)?;
        // where rows contradict each other there is no solution to compare with
        if judge.contradiction() { Ok(()) } else { compare(model, blocks, &rhs, x, &y) }
    }
}

/// Do masses and moments of inertia differ by so much that solutions must be verified?
fn wide_masses(model: &Model, blocks: &Blocks) -> bool {
    let (mut low, mut high) = (f64::INFINITY, 0.0f64);
    for i in 0..model.n_bodies() {
        for k in 0..(model.v_start[i + 1] - model.v_start[i]) as usize {
            let m = blocks.entry(Node(i as u32), k, k);
            (low, high) = (low.min(m), high.max(m));
        }
    }
    high > WIDE * low
}

/// The body whose accelerations differ most from those of the judge, if they differ by more than is allowed.
fn compare(model: &Model, blocks: &Blocks, rhs: &[f64], x: &[f64], judge: &[f64]) -> Solution {
    let (s, n) = (model.structure(), model.n_v());
    let mut forces = vec![0.0; n];
    let mut block = Vec::new();
    for (k, (dual, primal)) in s.links().enumerate() {
        blocks.dense_link(s, k, &mut block);
        let row = n + model.joints[dual.index() - model.n_bodies()].row as usize;
        let (column, width) = (model.v_start[primal.index()] as usize, s.size(primal));
        block.iter().enumerate().for_each(|(e, j)| forces[column + e % width] += (j * judge[row + e / width]).abs());
    }
    let velocities = || {
        (0..model.n_bodies())
            .flat_map(|i| (model.v_start[i]..model.v_start[i + 1]).zip(0..).map(move |(v, k)| (i, v as usize, k)))
    };
    let mass = |i: usize, k: usize| blocks.entry(Node(i as u32), k, k);
    let largest = velocities().fold(0.0, |m: f64, (i, v, k)| m.max(judge[v].abs()).max(rhs[v].abs() / mass(i, k)));
    for (i, v, k) in velocities() {
        let error = (x[v] - judge[v]).abs();
        if error != 0.0 && !(error <= AGREED * largest + ROUNDED * forces[v] / mass(i, k)) {
            return Err(Failure::Inaccurate { node: Node(i as u32), part: error / largest });
        }
    }
    Ok(())
}
