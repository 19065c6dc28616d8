//! Joints that cannot be closed together: which of them contradict each other, and how far apart they must stay.
//!
//! A search that cannot close an island ends where the gaps, as far as they are weighed alike, cannot be reduced:
//! `J^T W C = 0`. There C is a self-stress, and the rows in which it does not vanish are those that contradict each
//! other. The smallest gap comes from a last search in which the joints of a spanning forest are held harder and harder
//! than those that close loops: it gathers in the joints that close them.

use crate::build::search::Aim;
use crate::contact::inequality::workspace::Workspace;
use crate::model::Model;
use crate::model::choices::Assembly;

/// What could not be assembled.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Open {
    /// Joint with the largest gap left, and that gap.
    pub joint: usize,
    pub gap: f64,
    /// Joints that contradict each other, as far as can be told.
    pub conflict: Vec<usize>,
}

/// Why the islands that are `open` at `q` could not be closed from `hint`.
pub(super) fn explain(aim: &Aim, hint: &[f64], q: &[f64], open: &[bool], work: &mut Workspace) -> Open {
    let model = aim.model;
    aim.evaluate_gaps(q, work);
    let candidates: Vec<usize> = (0..model.n_joints()).filter(|&k| open[model.joints[k].island as usize]).collect();
    let stress = |k: usize| noises(model, k, work);
    let largest = candidates.iter().map(|&k| stress(k)).fold(0.0, f64::max);
    let worst = candidates.iter().copied().find(|&k| stress(k) == largest).unwrap_or(0);
    let island = model.joints[worst].island;
    let in_conflict = |&k: &usize| model.joints[k].island == island && stress(k) > 1e-3 * largest;
    let mut conflict: Vec<usize> = candidates.iter().copied().filter(in_conflict).collect();
    let (mut found, mut gathered) = ((worst, gap(model, worst, work)), false);
    let forest = model.spanning_forest();
    if conflict.iter().any(|&k| !forest[k]) {
        for from in [q, hint] {
            let mut pose = from.to_vec();
            let Some((k, gap)) = gather(aim, &mut pose, island, &forest, work) else { continue };
            if !gathered || gap < found.1 {
                (found, gathered) = ((k, gap), true);
                conflict = stressed(aim, &pose, island, &forest, work);
            }
        }
    }
    Open { joint: found.0, gap: found.1, conflict }
}

/// Size of the gaps of a joint, in units of their noise.
fn noises(model: &Model, k: usize, work: &Workspace) -> f64 {
    let noises = |r: usize| if work.eval.gap[r] == 0.0 { 0.0 } else { work.eval.gap[r] / work.eval.gap_noise[r] };
    model.joints[k].row_range().map(noises).map(|x| x * x).sum::<f64>().sqrt()
}

/// Size of the gaps of a joint, m or rad.
fn gap(model: &Model, k: usize, work: &Workspace) -> f64 {
    model.joints[k].row_range().map(|r| work.eval.gap[r] * work.eval.gap[r]).sum::<f64>().sqrt()
}

fn joints_of(model: &Model, island: u32) -> impl Iterator<Item = usize> + Clone {
    (0..model.n_joints()).filter(move |&k| model.joints[k].island == island)
}

/// Gather the gap of an island in the joints that close loops, by and by; the joint where it is largest, and how large,
/// if the others are closed beside it. Gaps in `work` are left at the pose reached.
fn gather(aim: &Aim, pose: &mut [f64], island: u32, forest: &[bool], work: &mut Workspace) -> Option<(usize, f64)> {
    let model = aim.model;
    let only: Vec<bool> = (0..model.n_islands).map(|i| i == island as usize).collect();
    for harder in [10.0, 1e2, 1e3, 1e4] {
        let weight = |r: usize| if forest[model.joint_of_row(r)] { 1.0 / harder } else { harder };
        let softness: Vec<f64> = (0..model.n_rows()).map(weight).collect();
        Aim { how: Assembly::Newton, softness: &softness, ..*aim }.search(pose, &only, work);
    }
    aim.evaluate_gaps(pose, work);
    let gap = |k: usize| gap(model, k, work);
    let held = joints_of(model, island).filter(|&k| forest[k]).map(gap).fold(0.0, f64::max);
    let closing = joints_of(model, island).filter(|&k| !forest[k]);
    let k = closing.reduce(|a, b| if gap(b) > gap(a) { b } else { a })?;
    (held < 1e-3 * gap(k)).then(|| (k, gap(k)))
}

/// Joints of an island with a part in the self-stress at a pose where the gap was gathered; gaps in `work` must be
/// those at this pose.
fn stressed(aim: &Aim, pose: &[f64], island: u32, forest: &[bool], work: &mut Workspace) -> Vec<usize> {
    let model = aim.model;
    let gaps = work.eval.gap.clone();
    let sizes = aim.own_sizes(pose, work);
    // gaps are in proportion to the stress times the softness of their rows
    let softness = |k: usize| if forest[k] { 1e-4 } else { 1e4 };
    let stress = |k: usize| {
        let scaled = model.joints[k].row_range().map(|r| match sizes.get(r) {
            Some(&size) if size > 0.0 => gaps[r] * gaps[r] / size,
            _ => 0.0,
        });
        scaled.sum::<f64>().sqrt() / softness(k)
    };
    let most = joints_of(model, island).map(stress).fold(0.0, f64::max);
    joints_of(model, island).filter(|&k| stress(k) > 1e-3 * most).collect()
}
