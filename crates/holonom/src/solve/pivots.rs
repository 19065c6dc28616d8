//! What the pivots of rows in loops say where a model is assembled: which rows depend on others, and which are small by
//! nature.

use crate::model::Model;
use holonom_tree::{Blocks, PivotRule};

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
}

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

/// Weights of the rows in loops, from their pivots at the pose where the model is assembled: 1 where they are far from
/// singular or depend on others, less where they are small by nature. Empty when all are 1. And which islands have rows
/// that depend on others.
pub(crate) fn softness(model: &Model, blocks: &Blocks) -> Softness {
    let mut singular = vec![false; model.n_islands];
    let Some(Pivots { mut ratios, small }) = pivots(model, blocks) else {
        return Softness { singular, ..Softness::default() };
    };
    let mut watched: Vec<f64> = ratios.iter().map(|r| (1e-2 * r).min(NEAR)).collect();
    for x in (0..small.len()).filter(|&x| small[x]) {
        (ratios[x], watched[x]) = (1.0, 0.0);
        singular[model.island_of_row(x - model.n_v())] = true;
    }
    let weights: Vec<f64> = ratios.iter().map(|r| (1e-3 * r / EPS).min(1.0)).collect();
    let weights = if weights.iter().all(|&w| w == 1.0) { Vec::new() } else { weights };
    Softness { weights, watched, singular }
}
