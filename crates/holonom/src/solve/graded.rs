//! Islands with loops whose masses are *graded*: a coupler of a millionth of its neighbours' mass, a massless rod, a
//! ring that carries a ship.
//!
//! The rows of the joints at a light body of mass mu have entries of size 1 / mu in `A = J M^-1 J^T`, of lower rank
//! than the rows are many: a four-bar's coupler has three velocities and four rows. What holds the fourth row is of
//! size 1, from the bodies beyond. Its pivot is mu of the row's own size, and has lost as many digits as mu has. Two
//! questions are asked there that a single factorisation answers elsewhere:
//!
//! - *Which rows depend on others?* That is a matter of the rows, not of the masses behind them. It is decided by the
//!   pivots of the same rows with neutral masses, which scale all columns alike ([`holonom_tree::NeutralBlocks`]).
//! - *Which accelerations and multipliers solve the equations?* A factorisation with the masses as given, all rows that
//!   do not depend on others kept, in twice the precision ([`holonom_tree::ExtendedFactor`]): 32 digits, of which the
//!   grading may take 20.
//!
//! The first is the float factorisation that the sparse solver makes anyway, with the masses of these islands replaced.
//! Islands are judged once, at the assembled pose ([`graded_islands`]); others are not touched by any of this.

use super::pivots::{Pivots, island_of, pivots};
use crate::model::Model;
use holonom_tree::{Blocks, ExtendedFactor, Factor, NeutralBlocks, Node, Singular};

pub(super) struct Graded {
    /// The blocks with neutral masses in graded islands.
    neutral: NeutralBlocks,
    extended: ExtendedFactor,
    /// Own sizes of all rows with the masses as given, by place in a vector.
    own: Vec<f64>,
}

impl Graded {
    /// `None` when no island is graded.
    pub fn new(model: &Model) -> Option<Self> {
        let islands = &model.regularisation.graded_islands;
        islands.contains(&true).then(|| {
            let wanted = |node| islands[island_of(model, node)];
            let (neutral, extended) = (model.plan.new_neutral(wanted), model.plan.new_extended(wanted));
            Graded { neutral, extended, own: Vec::with_capacity(model.plan.len()) }
        })
    }

    /// Both factorisations, by the rule of `factor`.
    pub fn factor(&mut self, model: &Model, blocks: &Blocks, factor: &mut Factor) -> Result<(), Singular> {
        model.plan.factor(model.plan.neutralise(blocks, &mut self.neutral), factor)?;
        model.plan.factor_extended(blocks, factor, &mut self.extended)?;
        // empty in a model without loops
        self.own.clear();
        self.own.extend_from_slice(factor.own_sizes());
        if !self.own.is_empty() {
            self.extended.write_own_sizes(&mut self.own);
        }
        Ok(())
    }

    /// The entries of graded islands.
    pub fn solve(&mut self, model: &Model, blocks: &Blocks, rhs: &[f64], x: &mut [f64]) {
        model.plan.solve_extended(blocks, &mut self.extended, rhs, x);
    }

    pub fn own_sizes(&self) -> &[f64] {
        &self.own
    }

    /// The blocks that the rank of rows is judged by.
    pub fn weights(&self) -> &Blocks {
        self.neutral.blocks()
    }
}

/// Masses are graded when those of an island with loops, each against what the rows have in its column, are apart by
/// more than this.
const SPREAD: f64 = 1e3;
/// And when a pivot of a row that does not depend on others is below this part of its own size.
const SMALL: f64 = 1e-4;
/// Masses apart by more than this are graded with loops or without: forces on what is heavy are rounded, and the rest
/// passes on to what is light.
const MASS_SPREAD: f64 = 1e6;

/// Which islands are graded, and the blocks with neutral masses there; `None` when there are none.
pub(crate) fn graded_islands(model: &Model, blocks: &Blocks) -> Option<(Vec<bool>, NeutralBlocks)> {
    let mut graded = far_apart(model, blocks);
    if model.has_loops() {
        grade_loops(model, blocks, &mut graded);
    }
    graded.contains(&true).then(|| {
        let mut neutral = model.plan.new_neutral(|node| graded[island_of(model, node)]);
        model.plan.neutralise(blocks, &mut neutral);
        (graded, neutral)
    })
}

/// Islands with masses far apart, in models in which something heavy hangs on something light.
fn far_apart(model: &Model, blocks: &Blocks) -> Vec<bool> {
    let mut masses = vec![(f64::INFINITY, 0.0f64); model.n_islands];
    if model.has_loops() || model.plan.large_parts().next().is_some() {
        for i in 0..model.n_bodies() {
            let (low, high) = &mut masses[model.island[i] as usize];
            let mass = blocks.entry(Node(i as u32), 0, 0);
            (*low, *high) = (low.min(mass), high.max(mass));
        }
    }
    masses.iter().map(|(low, high)| *high > MASS_SPREAD * low).collect()
}

fn grade_loops(model: &Model, blocks: &Blocks, graded: &mut [bool]) {
    let looped = |node| model.looped_islands[island_of(model, node)];
    let mut neutral = model.plan.new_neutral(looped);
    let weights = model.plan.neutralise(blocks, &mut neutral);
    let mut spread = vec![(f64::INFINITY, 0.0f64); model.n_islands];
    for i in 0..model.n_bodies() {
        let (low, high) = &mut spread[model.island[i] as usize];
        for k in 0..(model.v_start[i + 1] - model.v_start[i]) as usize {
            let ratio = blocks.entry(Node(i as u32), k, k) / weights.entry(Node(i as u32), k, k);
            (*low, *high) = (low.min(ratio), high.max(ratio));
        }
    }
    let wide = |i: usize| model.looped_islands[i] && spread[i].1 > SPREAD * spread[i].0;
    if !(0..model.n_islands).any(wide) {
        return;
    }
    let Some(by_rows) = pivots(model, weights) else { return };
    let by_masses = pivots(model, blocks);
    let in_doubt = |x: usize, by_masses: &Pivots| {
        by_masses.small[x] != by_rows.small[x] || !by_rows.small[x] && by_masses.ratios[x] < SMALL
    };
    for x in model.n_v()..model.plan.len() {
        let island = model.island_of_row(x - model.n_v());
        graded[island] |= wide(island) && by_masses.as_ref().is_none_or(|p| in_doubt(x, p));
    }
}
