//! From a rough pose to one where every joint is closed.
//!
//! Newton's method in the mass metric, through the same factor as everything else, with damping: with gaps C of an island (bodies
//! connected by joints) and mu_i its damping,
//!
//! ```text
//! dx = - M^-1 J^T (A + mu_i diag A)^-1 C,      A = J M^-1 J^T          (Levenberg and Marquardt, in the metric of the masses)
//! q <- q + s_i dx                                                      s_i: no body turns by more than half a radian at once
//! ```
//!
//! A step is kept when the sum of the squares of the island's gaps gets smaller, in loops each against its row's own size A_jj, elsewhere in
//! units of its rounding noise; otherwise it is damped more, or cut. Moving as little as the masses allow keeps the mechanism on the branch of
//! the pose it was given.
//!
//! What cannot be closed ends where the gaps, as far as they are weighed alike, cannot be reduced: `J^T W C = 0`. There C is a self-stress, and
//! the rows in which it does not vanish are those that contradict each other. Such a point may also be an unlucky start (three bodies
//! in one place), so the search is begun again a few times from poses nearby. The smallest gap comes from a last search in which
//! the joints of a spanning forest are held harder and harder than those that close loops: it gathers in the joints that close them.

use crate::catalogue::attach::View;
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::evaluation::bodies_at;
use crate::math::SplitMix;
use crate::model::Model;
use crate::step::drift;

/// How the parts of a mechanism are brought together when a model is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assembly {
    /// Damped Newton steps: a few iterations. The default.
    #[default]
    Newton,
    /// Gaps shrink by a tenth at a time until they are small, as if springs and dampers pulled the parts together (after Barzel and Barr
    /// 1988). Slower, and closer to the pose given where that is rough.
    Gradual,
    /// Not at all: joints may start open. With [`Drift::Feedback`](crate::Drift::Feedback) the parts then fly together under forces, in time. Joints keep to
    /// general rows, which know the way from afar.
    Open,
}

/// What could not be assembled.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Open {
    /// Joint with the largest gap left, and that gap.
    pub joint: usize,
    pub gap: f64,
    /// Joints that contradict each other, as far as can be told.
    pub conflict: Vec<usize>,
}

/// A gap counts as closed below this, in units of its rounding noise: about 1e-12 of the size of the mechanism.
const CLOSED: f64 = 1e4;
/// Least damping, relative to the diagonal of A.
const LEAST: f64 = crate::solve::EPS;
/// Steps are not cut to less than this part of what they should be.
const SHORTEST: f64 = 1e-4;
/// Largest turn of a body in one step, rad.
const TURN: f64 = 0.5;
/// Fresh starts, each further from the pose given: part of a radian, and of the size of the mechanism.
const SHAKES: [f64; 6] = [0.03, 0.1, 0.2, 0.4, 0.8, 1.2];

#[derive(Clone, Copy)]
struct Search {
    active: bool,
    damping: f64,
    length: f64,
    /// Sum of squares at the pose kept, and largest entry.
    merit: f64,
    largest: f64,
    /// Steps without much to show for.
    idle: u32,
}

/// Close every joint, and make the velocities legal. Frames in `work` are left at the result. `Err` when an island cannot be closed.
pub(crate) fn assemble(
    model: &Model,
    q: &mut [f64],
    v: &mut [f64],
    t: f64,
    how: Assembly,
    work: &mut Workspace,
) -> Result<(), Open> {
    if model.n_rows() > 0 {
        let hint = q.to_vec();
        let all = vec![true; model.n_islands];
        let mut open = search(model, q, v, t, how, &all, &[], work);
        let mut g = SplitMix(0xa55e);
        for shake in SHAKES {
            if !open.contains(&true) {
                break;
            }
            let mut again = q.to_vec();
            shake_up(model, &hint, shake, &open, &mut g, &mut again);
            let still = search(model, &mut again, v, t, how, &open, &[], work);
            for i in
                (0..model.n_bodies()).filter(|&i| open[model.island[i] as usize] && !still[model.island[i] as usize])
            {
                model.q_of_mut(i, q).copy_from_slice(model.q_of(i, &again));
            }
            open.iter_mut().zip(&still).for_each(|(open, still)| *open &= still);
        }
        if open.contains(&true) {
            return Err(explain(model, &hint, q, v, t, &open, work));
        }
        evaluate::evaluate_bodies(model, q, v, &mut work.eval);
        evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
        if work.kkt.factor(model, t, &work.eval).is_ok() {
            // a failure here would show again, with its name, at the first step
            let _ = drift::close_rates(model, q, v, t, work);
        }
    }
    evaluate::place_bodies(model, q, v, &mut work.eval);
    Ok(())
}

/// Put the bodies of the islands named somewhere near `hint`.
fn shake_up(model: &Model, hint: &[f64], shake: f64, islands: &[bool], g: &mut SplitMix, q: &mut [f64]) {
    let mut v = Vec::new();
    for (i, body) in model.bodies.iter().enumerate() {
        let island = model.island[i] as usize;
        let length = model.island_length[island];
        v.clear();
        v.extend((0..body.n_dof()).map(|k| g.symmetric(shake) * if k < body.n_lengths() { length } else { 1.0 }));
        if islands[island] {
            let q = model.q_of_mut(i, q);
            q.copy_from_slice(model.q_of(i, hint));
            body.advance(q, &v, 1.0);
        }
    }
}

/// Search from `q`; returns which of the islands named stay open. `softness` weighs the rows; none means alike.
fn search(
    model: &Model,
    q: &mut [f64],
    v: &[f64],
    t: f64,
    how: Assembly,
    islands: &[bool],
    softness: &[f64],
    work: &mut Workspace,
) -> Vec<bool> {
    let start = |&active| Search { active, damping: LEAST, length: 1.0, merit: 0.0, largest: 0.0, idle: 0 };
    let mut all: Vec<Search> = islands.iter().map(start).collect();
    let mut trial = q.to_vec();
    let mut weights = vec![1.0; model.n_v() + model.n_rows()];
    let mut sizes = own_sizes(model, q, v, t, work);
    evaluate::place_bodies(model, q, v, &mut work.eval);
    evaluate::evaluate_gaps(model, q, v, t, &mut work.eval);
    sizes.resize(model.n_rows(), 0.0);
    // where the size is not known, gaps are weighed by their noise, and that must not change on the way
    for (size, noise) in sizes.iter_mut().zip(&work.eval.gap_noise) {
        *size = if *size > 0.0 { *size } else { noise * noise };
    }
    let sizes = &sizes[..];
    measure(model, q, v, t, sizes, softness, work, |i, merit, largest| {
        (all[i].merit, all[i].largest) = (merit, largest)
    });
    for _ in 0..500 {
        for s in all.iter_mut().filter(|s| s.active) {
            s.active = s.largest > drift::QUIET && s.idle < 30 && s.length > SHORTEST && s.merit.is_finite();
        }
        if !all.iter().any(|s| s.active) {
            break;
        }
        for joint in &model.joints {
            for row in joint.row_range() {
                let own = softness.get(row).copied().unwrap_or(1.0);
                weights[model.n_v() + row] = own * all[joint.island as usize].damping / LEAST;
            }
        }
        work.kkt.solver.damp(Some(&weights));
        let stepped = newton_step(model, q, v, t, &all, work);
        work.kkt.solver.damp(None);
        if stepped.is_err() {
            break;
        }
        trial.copy_from_slice(q);
        for (i, body) in model.bodies.iter().enumerate().filter(|(i, _)| all[model.island[*i] as usize].active) {
            let s = &all[model.island[i] as usize];
            let gradual = how == Assembly::Gradual && s.largest > 1e9;
            body.advance(
                model.q_of_mut(i, &mut trial),
                model.v_of(i, &work.kkt.x),
                s.length * if gradual { 0.1 } else { 1.0 },
            );
        }
        let mut kept = vec![false; model.n_islands];
        measure(model, &trial, v, t, sizes, softness, work, |i, merit, largest| {
            let s = &mut all[i];
            if !s.active {
                return;
            }
            if merit < s.merit {
                kept[i] = true;
                s.idle = if merit > 0.999 * s.merit { s.idle + 1 } else { 0 };
                (s.merit, s.largest) = (merit, largest);
                (s.damping, s.length) = ((0.2 * s.damping).max(LEAST), (2.0 * s.length).min(1.0));
            } else if s.largest <= CLOSED {
                s.active = false; // rounding is all that is left
            } else if model.looped_islands[i] && s.damping < 1e3 {
                // damping reaches the rows of loops only; elsewhere steps are cut
                s.damping *= 10.0;
            } else {
                s.length *= 0.5;
            }
        });
        for i in (0..model.n_bodies()).filter(|&i| kept[model.island[i] as usize]) {
            model.q_of_mut(i, q).copy_from_slice(model.q_of(i, &trial));
        }
    }
    all.iter().zip(islands).map(|(s, &asked)| asked && !(s.largest <= CLOSED)).collect()
}

/// Own sizes of the rows at a pose, in islands with loops: the diagonal of A, which damping is relative to. Rows outside the loops get the mean
/// of their island. Elsewhere 0, and nothing at all without loops.
fn own_sizes(model: &Model, q: &[f64], v: &[f64], t: f64, work: &mut Workspace) -> Vec<f64> {
    if !model.has_loops() {
        return Vec::new();
    }
    let n = model.n_v();
    work.kkt.solver.damp(Some(&vec![1.0; n + model.n_rows()]));
    evaluate::evaluate_bodies(model, q, v, &mut work.eval);
    evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
    let known =
        work.kkt.factor(model, t, &work.eval).ok().and_then(|()| work.kkt.solver.own_sizes().map(|s| s.to_vec()));
    work.kkt.solver.damp(None);
    let known = known.unwrap_or_default();
    let mut sizes: Vec<f64> = (0..model.n_rows()).map(|r| known.get(n + r).copied().unwrap_or(0.0)).collect();
    let mut mean = vec![(0.0, 0.0); model.n_islands];
    for (row, &size) in sizes.iter().enumerate().filter(|(_, s)| **s > 0.0) {
        let (sum, count) = &mut mean[model.island_of_row(row)];
        (*sum, *count) = (*sum + size, *count + 1.0);
    }
    for row in 0..sizes.len() {
        let (sum, count) = mean[model.island_of_row(row)];
        if !(sizes[row] > 0.0) && count > 0.0 {
            sizes[row] = sum / count;
        }
    }
    sizes
}

/// dx of all active islands, into `work.kkt.x`, shortened so that no body turns too far.
fn newton_step(
    model: &Model,
    q: &[f64],
    v: &[f64],
    t: f64,
    all: &[Search],
    work: &mut Workspace,
) -> Result<(), StepError> {
    evaluate::evaluate_bodies(model, q, v, &mut work.eval);
    evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
    evaluate::evaluate_gaps(model, q, v, t, &mut work.eval);
    work.kkt.factor(model, t, &work.eval)?;
    work.kkt.x.fill(0.0);
    let n = model.n_v();
    for joint in model.joints.iter().filter(|j| all[j.island as usize].active) {
        for row in joint.row_range() {
            work.kkt.x[n + row] = work.eval.gap[row];
        }
    }
    work.kkt.solve(model, t, &work.eval)?;
    let mut turn = vec![0.0f64; model.n_islands];
    for (i, body) in model.bodies.iter().enumerate() {
        let dx = model.v_of(i, &work.kkt.x);
        let turned = dx[body.n_lengths().min(dx.len())..].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let island = &mut turn[model.island[i] as usize];
        *island = island.max(turned);
    }
    for i in 0..model.n_bodies() {
        let turn = turn[model.island[i] as usize];
        if turn > TURN {
            let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
            work.kkt.x[range].iter_mut().for_each(|x| *x *= TURN / turn);
        }
    }
    Ok(())
}

/// Gaps island by island: the sum of their squares over `sizes`, and the largest in units of its noise.
fn measure(
    model: &Model,
    q: &[f64],
    v: &[f64],
    t: f64,
    sizes: &[f64],
    softness: &[f64],
    work: &mut Workspace,
    mut report: impl FnMut(usize, f64, f64),
) {
    evaluate::place_bodies(model, q, v, &mut work.eval);
    evaluate::evaluate_gaps(model, q, v, t, &mut work.eval);
    let mut sums = vec![(0.0f64, 0.0f64); model.n_islands];
    for joint in &model.joints {
        let (sum, largest) = &mut sums[joint.island as usize];
        for row in joint.row_range() {
            let x = if work.eval.gap[row] == 0.0 { 0.0 } else { work.eval.gap[row].abs() / work.eval.gap_noise[row] };
            let y = if sizes[row] > 0.0 { work.eval.gap[row] / sizes[row].sqrt() } else { x };
            *sum += y * y / softness.get(row).copied().unwrap_or(1.0);
            if !(x <= *largest) {
                *largest = x;
            }
        }
    }
    sums.iter().enumerate().for_each(|(i, &(merit, largest))| report(i, merit, largest));
}

/// Which joints contradict each other, and how far apart they must stay.
fn explain(model: &Model, hint: &[f64], q: &[f64], v: &[f64], t: f64, open: &[bool], work: &mut Workspace) -> Open {
    // the self-stress at the pose reached
    evaluate::place_bodies(model, q, v, &mut work.eval);
    evaluate::evaluate_gaps(model, q, v, t, &mut work.eval);
    let size = |work: &Workspace, k: usize| -> f64 {
        let joint = &model.joints[k];
        let noises = |r: usize| if work.eval.gap[r] == 0.0 { 0.0 } else { work.eval.gap[r] / work.eval.gap_noise[r] };
        joint.row_range().map(noises).map(|x| x * x).sum::<f64>().sqrt()
    };
    let candidates: Vec<usize> = (0..model.n_joints()).filter(|&k| open[model.joints[k].island as usize]).collect();
    let largest = candidates.iter().map(|&k| size(work, k)).fold(0.0, f64::max);
    let worst = candidates.iter().copied().find(|&k| size(work, k) == largest).unwrap_or(0);
    let island = model.joints[worst].island;
    let mut conflict: Vec<usize> = candidates
        .iter()
        .copied()
        .filter(|&k| model.joints[k].island == island && size(work, k) > 1e-3 * largest)
        .collect();
    let length = |work: &Workspace, k: usize| {
        model.joints[k].row_range().map(|r| work.eval.gap[r] * work.eval.gap[r]).sum::<f64>().sqrt()
    };
    let (mut found, mut gathered) = ((worst, length(work, worst)), false);
    // the same gap gathered in the joints that close loops, by and by
    let forest = model.spanning_forest();
    if conflict.iter().any(|&k| !forest[k]) {
        let only: Vec<bool> = (0..model.n_islands).map(|i| i == island as usize).collect();
        for from in [q, hint] {
            let mut pose = from.to_vec();
            for harder in [10.0, 1e2, 1e3, 1e4] {
                let softness: Vec<f64> = (0..model.n_rows())
                    .map(|r| if forest[model.joint_of_row(r)] { 1.0 / harder } else { harder })
                    .collect();
                search(model, &mut pose, v, t, Assembly::Newton, &only, &softness, work);
            }
            evaluate::place_bodies(model, &pose, v, &mut work.eval);
            evaluate::evaluate_gaps(model, &pose, v, t, &mut work.eval);
            let rest = (0..model.n_joints()).filter(|&k| model.joints[k].island == island && forest[k]);
            let held = rest.map(|k| length(work, k)).fold(0.0, f64::max);
            let all = (0..model.n_joints()).filter(|&k| model.joints[k].island == island);
            let closing = all.clone().filter(|&k| !forest[k]);
            let Some(k) = closing.reduce(|a, b| if length(work, b) > length(work, a) { b } else { a }) else {
                continue;
            };
            if held < 1e-3 * length(work, k) && (!gathered || length(work, k) < found.1) {
                found = (k, length(work, k));
                gathered = true;
                // gaps are in proportion to the stress times what they were allowed to give way
                let softness = |k: usize| if forest[k] { 1e-4 } else { 1e4 };
                let gaps: Vec<f64> = (0..model.n_rows()).map(|r| work.eval.gap[r]).collect();
                let sizes = own_sizes(model, &pose, v, t, work);
                let stress = |k: usize| {
                    let rows = model.joints[k].row_range();
                    let scaled = rows.map(|r| match sizes.get(r) {
                        Some(&size) if size > 0.0 => gaps[r] * gaps[r] / size,
                        _ => 0.0,
                    });
                    scaled.sum::<f64>().sqrt() / softness(k)
                };
                let most = all.clone().map(stress).fold(0.0, f64::max);
                conflict = all.filter(|&k| stress(k) > 1e-3 * most).collect();
            }
        }
    }
    Open { joint: found.0, gap: found.1, conflict }
}

/// A joint assembled on the wrong side of a condition that has two.
pub(crate) fn wrong_branch(model: &Model, q: &[f64], v: &[f64], work: &Workspace) -> Option<usize> {
    let bodies = &bodies_at(model, &work.eval.frames, q, v);
    model.joints.iter().position(|joint| {
        let view = View::new(bodies, joint.constraint.attachments());
        joint.n_rows > 0 && !(joint.constraint.branch(&view) > 0.0)
    })
}
