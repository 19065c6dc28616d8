//! What the pivots of rows in loops say where a model is assembled: which rows depend on others, and which are small by
//! nature.
//!
//! Two hinges whose axes are an angle d apart, a Bennett linkage whose lengths are off by a part d: a row says what
//! others say but for d, and its pivot is about d^2 of its own size. Floats tell pivots from rounding down to 1e-9, so
//! d = 3e-5. Below, the rows of such an island are factored once with 32 digits: rounding of the rows themselves
//! (1e-16) and of the assembled pose (1e-9 of a length at most) leave a pivot below 1e-18, d^2 stands above it. What is
//! then done is a matter of use, not of digits:
//!
//! - d above 1e-6: the row stands as it is, and its island is factored with twice the precision while it moves. Loads
//!   are 1/d of usual ones, and gaps, which are known to 1e-16, leave the pose uncertain by 1e-16 / d.
//! - d below: nobody draws to a millionth on purpose. The row counts as dependent, gives way by its whole size instead
//!   of 1e-8 of it (what is left of its pivot would hold the mechanism like treacle), and the joint opens by d.
//!
//! Either way whoever asks is told ([`NearRow`]).

use crate::model::{Model, NearRow};
use holonom_tree::{Blocks, Node, PivotRule};

/// How far rows give way, relative to their own size: those that depend on others; and every row in a contradiction,
/// and in an assembly.
pub(crate) const EPS: f64 = 1e-8;
/// What rounding may leave of the pivot of a row that depends on others, relative to its own size.
pub(super) const ROUNDING: f64 = 1e-11;

/// What the pivots of the rows in loops are like where the model is assembled.
#[derive(Default)]
pub(crate) struct Softness {
    pub weights: Vec<f64>,
    /// Below this part of its own size the pivot of a row says that the pose is near to singular; 0 for rows that
    /// depend on others anyway.
    pub watched: Vec<f64>,
    pub singular: Vec<bool>,
    /// Rows that repeat others but for a small part.
    pub near: Vec<NearRow>,
}

/// Weight of rows that count as dependent though they are not quite: they give way by as much as they are.
const DROPPED: f64 = 1.0 / EPS;
/// Differences below this are what rounding and the tolerance of assembly leave.
const FAINT: f64 = 1e-9;

/// Loops with fewer rows than this are small.
const SMALL: usize = 300;
/// Pivots below this part of their own size are near to singular, unless they are small by nature.
const NEAR: f64 = 1e-4;

/// The pivots of the rows in loops at a pose, each against its row's own size, by place in a vector.
pub(super) struct Pivots {
    pub ratios: Vec<f64>,
    /// Of these rows nothing is left but rounding: they depend on others.
    pub small: Vec<bool>,
}

/// `None` where the matrix cannot be factored.
pub(super) fn pivots(model: &Model, blocks: &Blocks) -> Option<Pivots> {
    let mut factor = model.plan.new_factor();
    factor.set_rule(PivotRule::Regularised { eps: ROUNDING });
    // in small loops no pivot is as small as that by nature, and rounding may be larger
    let mut rows = vec![0; model.n_islands];
    model.joints.iter().for_each(|j| rows[j.island as usize] += j.n_rows as usize);
    let mut weights = vec![1.0; model.plan.len()];
    for joint in model.joints.iter().filter(|j| rows[j.island as usize] < SMALL) {
        let range = joint.row_range();
        if model.n_v() + range.end <= weights.len() {
            weights[model.n_v() + range.start..model.n_v() + range.end].fill(100.0);
        }
    }
    factor.set_weights(&weights);
    model.plan.factor(blocks, &mut factor).ok()?;
    let (mut ratios, mut small) = (vec![1.0; model.plan.len()], vec![false; model.plan.len()]);
    model.plan.pivot_ratios(&factor, &mut ratios);
    factor.small_pivot_rows().iter().for_each(|&x| small[x as usize] = true);
    Some(Pivots { ratios, small })
}

/// Of the rows of which floats leave nothing, those of which 32 digits leave something.
fn near_rows(model: &Model, blocks: &Blocks, small: &[bool]) -> Vec<NearRow> {
    let mut islands = vec![false; model.n_islands];
    let rows = || (model.n_v()..small.len()).filter(|&x| small[x]);
    rows().for_each(|x| islands[model.island_of_row(x - model.n_v())] = true);
    if !islands.contains(&true) {
        return Vec::new();
    }
    let mut extended = model.plan.new_extended(|node| islands[island_of(model, node)]);
    let mut factor = model.plan.new_factor();
    factor.set_rule(PivotRule::Regularised { eps: EPS });
    if model.plan.factor_extended(blocks, &mut factor, &mut extended).is_err() {
        return Vec::new();
    }
    let mut ratios = vec![0.0; model.plan.len()];
    extended.write_pivot_ratios(&mut ratios);
    let near = rows().map(|x| NearRow { row: (x - model.n_v()) as u32, difference: ratios[x].sqrt() });
    near.filter(|near| near.difference > FAINT).collect()
}

/// Weights of the rows in loops, from their pivots at the pose where the model is assembled: 1 where they are far from
/// singular or depend on others, less where they are small by nature. Empty when all are 1. And which islands have rows
/// that depend on others.
pub(crate) fn softness(model: &Model, blocks: &Blocks) -> Softness {
    let mut singular = vec![false; model.n_islands];
    let Some(Pivots { mut ratios, mut small }) = pivots(model, blocks) else {
        return Softness { singular, ..Softness::default() };
    };
    let near = near_rows(model, blocks, &small);
    for row in near.iter().filter(|row| row.stands()) {
        let x = model.n_v() + row.row as usize;
        (ratios[x], small[x]) = (row.difference * row.difference, false);
    }
    let mut watched: Vec<f64> = ratios.iter().map(|r| (1e-2 * r).min(NEAR)).collect();
    for x in (0..small.len()).filter(|&x| small[x]) {
        (ratios[x], watched[x]) = (1.0, 0.0);
        singular[model.island_of_row(x - model.n_v())] = true;
    }
    let mut weights: Vec<f64> = ratios.iter().map(|r| (1e-3 * r / EPS).min(1.0)).collect();
    // what is left of these rows must not hold the mechanism, not even softly
    near.iter().filter(|row| !row.stands()).for_each(|row| weights[model.n_v() + row.row as usize] = DROPPED);
    let weights = if weights.iter().all(|&w| w == 1.0) { Vec::new() } else { weights };
    Softness { weights, watched, singular, near }
}

/// Nodes are bodies, then joints.
pub(super) fn island_of(model: &Model, node: Node) -> usize {
    match node.index().checked_sub(model.n_bodies()) {
        None => model.island[node.index()] as usize,
        Some(joint) => model.joints[joint].island as usize,
    }
}
