//! Pushing overlapping bodies apart: the projection of positions onto unilateral rows, joints included.
//!
//! ```text
//! M dx = J^T tau + G^T sigma,      J dx = -C,      C_s + G dx >= 0,  sigma >= 0, complementary
//! ```
//!
//! repeated until no gap is more negative than rounding explains; q advanced by dx each time. The correction is the
//! smallest in the metric of masses: a heavy body moves less than a light one. Velocities are left alone.
//!
//! Which features overlap is looked for anew at every pose. Features that a step foresaw from where it began are no
//! guide: a corner may have left the face it was above, whose plane goes on without it, and others may have come.
//! Together with what overlaps, all is held that is nearer than twice the worst overlap; and what overlapped before in
//! the same correction and does not now, so that a body between two others is not pushed to and fro.

use super::mode::{self, Slip, Tolerances};
use super::solve::{self, Task};
use super::{RowBound, gather};
use crate::contact::inequality::tension::Tension;
use crate::contact::inequality::workspace::{ContactScratch, Workspace};
use crate::contact::touch::ContactGeometry;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::energy;
use crate::evaluate::evaluation::bodies_at;
use crate::model::Model;
use holonom_lcp::ComplementarityLaw as Law;

/// Overlaps below this part of the model's length scale are left alone.
pub(crate) const QUIET: f64 = 1e-10;
const ITERATIONS: usize = 24;
/// Rows that depend on each other and contradict each other by rounding cannot all be held: with a larger residual than
/// this nothing is corrected, rather than rounding divided by rounding.
const DEPENDENT: f64 = 1e-6;

/// Push apart what overlaps at `q`. With `most`, it is looked for anew at every pose, and no point of a body goes
/// farther than `most`, m, in all; without, the candidates are those last detected. Returns the change of energy, J.
pub(crate) fn push_apart(
    model: &Model,
    q: &mut [f64],
    v: &[f64],
    t: f64,
    tension: &Tension,
    task: &mut Task,
    work: &mut Workspace,
    most: Option<f64>,
) -> Result<f64, StepError> {
    let quiet = QUIET * model.contact_scale();
    let (mut before, mut near, mut left) = (None, most.map(|_| 0.0), most.unwrap_or(f64::INFINITY));
    work.contact.held.clear();
    for iteration in 0..=ITERATIONS {
        evaluate::place_bodies(model, q, v, &mut work.eval);
        let worst = look(model, (q, v, t), &mut near, quiet, work);
        work.contact.overlap = worst;
        // joints that a correction left open would be closed later, and overlaps come back; before one they are not
        // looked at
        let corrected = before.is_some();
        if corrected || worst > quiet {
            evaluate::evaluate_gaps(model, q, v, t, &mut work.eval);
        }
        let open = corrected && work.eval.gap.iter().any(|gap| gap.abs() > quiet);
        if worst <= quiet && !open || iteration == ITERATIONS || !(left > 0.0) {
            break;
        }
        before.get_or_insert_with(|| energy::mechanical(model, q, v));
        evaluate::evaluate_bodies(model, q, v, &mut work.eval);
        tension.add(model, work);
        evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
        work.kkt.factor(model, t, &work.eval)?;
        let n = v.len();
        load_gaps(work, n);
        work.kkt.solve(model, t, &work.eval)?;
        pose(work, worst, task);
        solve::solve(model, t, task, work)?;
        load_gaps(work, n);
        for (row, &x) in task.x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            work.contact.rows.push(row, x, &mut work.kkt.x[..n]);
        }
        work.kkt.solve(model, t, &work.eval)?;
        hold_on(task, work);
        let part = shorten(model, q, n, &mut left, work);
        for (i, body) in model.bodies.iter().enumerate() {
            body.advance(model.q_of_mut(i, q), model.v_of(i, &work.kkt.x), part);
        }
    }
    Ok(before.map_or(0.0, |e| energy::mechanical(model, q, v) - e))
}

/// Note what has pushed, to be held while the correction goes on.
fn hold_on(task: &Task, work: &mut Workspace) {
    let ContactScratch { rows, detection, held, .. } = &mut work.contact;
    for touch in &rows.touches {
        let candidate = &detection.candidates[touch.candidate as usize];
        let pushed = task.x[rows.blocks[touch.block as usize].row as usize] != 0.0;
        let at = held.binary_search_by_key(&candidate.order(), |c| c.order());
        if let (true, Err(at)) = (pushed, at) {
            held.insert(at, *candidate);
        }
    }
}

/// Candidates that were pushed apart before and do not overlap now, beside those that were just detected. Those that
/// overlap by their own measure and were not detected are not where they were: their features no longer meet.
fn join_held(model: &Model, q: &[f64], v: &[f64], work: &mut Workspace) {
    let Workspace { eval, contact, .. } = work;
    let ContactScratch { detection, held, .. } = contact;
    let bodies = &bodies_at(model, &eval.frames, q, v);
    for c in held.iter() {
        let ends = [c.a, c.b].map(|s| model.shapes.all[s as usize].body);
        if let Err(at) = detection.candidates.binary_search_by_key(&c.order(), |c| c.order())
            && ContactGeometry::of(c, ends[0], ends[1], bodies).gap >= 0.0
        {
            detection.candidates.insert(at, *c);
        }
    }
}

/// Everything at most `near` apart, m, and the deepest overlap of it; `near` grows to twice that. Without `near`, of
/// the candidates at hand. Frames must be up to date.
fn look(
    model: &Model,
    (q, v, t): (&[f64], &[f64], f64),
    near: &mut Option<f64>,
    quiet: f64,
    work: &mut Workspace,
) -> f64 {
    loop {
        if let Some(near) = *near {
            gather::detect_within(model, q, v, near, work);
            join_held(model, q, v, work);
        }
        gather::gather_pushes(model, q, v, t, work);
        let worst = deepest(work);
        if worst > quiet {
            gather::gather_near(model, q, v, t, 0.0, work);
        }
        match near {
            Some(near) if worst > quiet && worst.is_finite() && 2.0 * worst > *near => *near = 2.5 * worst,
            _ => return worst,
        }
    }
}

/// The part of the displacement in `kkt.x` that moves no point of a shape farther than `left`, m, which is used up.
fn shorten(model: &Model, q: &[f64], n: usize, left: &mut f64, work: &mut Workspace) -> f64 {
    if *left == f64::INFINITY {
        return 1.0;
    }
    let Workspace { eval, kkt, contact, .. } = work;
    evaluate::place_bodies(model, q, &kkt.x[..n], eval);
    let far = contact.detection.farthest(model, &bodies_at(model, &eval.frames, q, &kkt.x[..n]));
    let part = if far > *left { *left / far } else { 1.0 };
    *left -= part * far;
    part
}

fn load_gaps(work: &mut Workspace, n: usize) {
    work.kkt.x[..n].fill(0.0);
    work.kkt.x[n..].copy_from_slice(&work.eval.gap);
}

/// Largest overlap, m (or rad beyond a limit).
pub(crate) fn deepest(work: &Workspace) -> f64 {
    let ineq = &work.contact.rows;
    let pushes = ineq.blocks.iter().filter(|b| matches!(b.bound, RowBound::Push { .. }));
    pushes.map(|b| -ineq.gap[b.row as usize]).fold(0.0, f64::max)
}

/// After everything near was detected and gathered at the start of a step: note what the step before has left.
pub(crate) fn note_overlap_before(work: &mut Workspace) {
    work.contact.overlap_before = work.contact.overlap_before.max(deepest(work));
}

/// Rows that overlap, and those that would before the worst is mended.
fn pose(work: &Workspace, worst: f64, task: &mut Task) {
    let ineq = &work.contact.rows;
    task.laws.clear();
    task.drags.clear();
    task.give.clear();
    task.b.clear();
    task.x.clear();
    task.x.resize(ineq.len(), 0.0);
    task.b.resize(ineq.len(), 0.0);
    for block in &ineq.blocks {
        let row = block.row as usize;
        let near = matches!(block.bound, RowBound::Push { .. }) && ineq.gap[row] <= 2.0 * worst;
        task.laws.push(near.then_some(Law::Push));
        if near {
            task.b[row] = ineq.gap[row] + ineq.product(row, &work.kkt.x);
        }
    }
}

/// Keep what is closed closed: gaps of closed rows to zero, then their velocities and those of what sticks. Joints stay
/// closed.
pub(crate) fn hold(
    model: &Model,
    q: &mut [f64],
    v: &mut [f64],
    t: f64,
    task: &mut Task,
    work: &mut Workspace,
) -> Result<(), StepError> {
    if work.contact.mode.closed.is_empty() {
        return Ok(());
    }
    let n = v.len();
    let tolerances = Tolerances::of(model);
    for iteration in 0..4 {
        evaluate::place_bodies(model, q, v, &mut work.eval);
        gather::gather_closed(model, q, v, t, work);
        let off =
            hold_rows(work, task, |block, _| matches!(block.bound, RowBound::Push { .. }), |ineq, row| ineq.gap[row]);
        if iteration > 0 && off <= 1e-15 * model.contact_scale() || off == 0.0 {
            break;
        }
        evaluate::evaluate_bodies(model, q, v, &mut work.eval);
        evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
        work.kkt.factor(model, t, &work.eval)?;
        evaluate::evaluate_gaps(model, q, v, t, &mut work.eval);
        load_gaps(work, n);
        work.kkt.solve(model, t, &work.eval)?;
        for row in 0..work.contact.rows.len() {
            task.b[row] = work.contact.rows.gap[row] + work.contact.rows.product(row, &work.kkt.x);
        }
        solve::solve(model, t, task, work)?;
        if !(task.residual <= DEPENDENT) {
            break;
        }
        load_gaps(work, n);
        push_all(work, task, n);
        work.kkt.solve(model, t, &work.eval)?;
        for (i, body) in model.bodies.iter().enumerate() {
            body.advance(model.q_of_mut(i, q), model.v_of(i, &work.kkt.x), 1.0);
        }
    }
    evaluate::evaluate_bodies(model, q, v, &mut work.eval);
    evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
    work.kkt.factor(model, t, &work.eval)?;
    for _ in 0..2 {
        evaluate::place_bodies(model, q, v, &mut work.eval);
        gather::gather_closed(model, q, v, t, work);
        evaluate::evaluate_gaps(model, q, v, t, &mut work.eval);
        let sticks = |block: &super::Block, slip: Slip| match block.bound {
            RowBound::Push { .. } => true,
            _ => mode::may_slip(block) && slip == Slip::Stick,
        };
        let off = hold_rows(work, task, sticks, |ineq, row| ineq.rate[row]);
        if off <= 1e-8 * tolerances.rate {
            break;
        }
        let load = |work: &mut Workspace| {
            work.kkt.x[..n].fill(0.0);
            work.kkt.x[n..].copy_from_slice(&work.eval.gap_rate);
        };
        load(work);
        work.kkt.solve(model, t, &work.eval)?;
        for row in 0..work.contact.rows.len() {
            task.b[row] = work.contact.rows.rate[row] + work.contact.rows.product(row, &work.kkt.x);
        }
        solve::solve(model, t, task, work)?;
        if !(task.residual <= DEPENDENT) {
            break;
        }
        load(work);
        push_all(work, task, n);
        work.kkt.solve(model, t, &work.eval)?;
        v.iter_mut().zip(&work.kkt.x).for_each(|(v, dv)| *v += dv);
    }
    evaluate::place_bodies(model, q, v, &mut work.eval);
    evaluate::evaluate_gaps(model, q, v, t, &mut work.eval);
    Ok(())
}

fn push_all(work: &mut Workspace, task: &Task, n: usize) {
    for (row, &x) in task.x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
        work.contact.rows.push(row, x, &mut work.kkt.x[..n]);
    }
}

/// Rows of closed blocks that are `held`, as equalities. Returns the largest of what they are off by.
fn hold_rows(
    work: &Workspace,
    task: &mut Task,
    held: impl Fn(&super::Block, Slip) -> bool,
    off: impl Fn(&super::InequalityRows, usize) -> f64,
) -> f64 {
    let ineq = &work.contact.rows;
    task.laws.clear();
    task.drags.clear();
    task.give.clear();
    task.x.clear();
    task.x.resize(ineq.len(), 0.0);
    task.b.clear();
    task.b.resize(ineq.len(), 0.0);
    let mut most = 0.0f64;
    for block in &ineq.blocks {
        let known = work.contact.mode.find(block.key, mode::part_of(block));
        let wanted = known.is_some_and(|c| held(block, c.slip));
        if wanted {
            block.rows().for_each(|row| most = most.max(off(ineq, row).abs()));
        }
        let law = if block.n == 1 { Law::Free } else { Law::Ball { radius: f64::INFINITY, rows: block.n as usize } };
        task.laws.push(wanted.then_some(law));
    }
    most
}
