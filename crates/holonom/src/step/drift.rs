//! Pulling gaps back to zero.
//!
//! Projection (Tasora 2001, eq. 30-31; Blajer 1997), with the factor of H already at hand:
//!
//! ```text
//! positions    H [dx; tau] = [0; C]       so J dx = -C,  M dx = J^T tau;   repeated, q advanced by dx each time
//! velocities   H [dv; mu]  = [0; Cdot]
//! ```
//!
//! Both corrections are M-orthogonal to the legal directions: they move the mechanism only across its constraints.
//! Nonholonomic rows stay in with right-hand side 0. The factor may belong to a nearby pose: the iteration then
//! converges linearly instead of quadratically. When it is slow, H is factored again at the current pose. The rounding
//! noise of gaps is measured once: it is that of the size of things, which corrections do not change.

use crate::contact::inequality::tension::Tension;
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
pub(crate) use crate::evaluate::convergence::QUIET;
use crate::evaluate::convergence::{self, Correction, Island, watch, watch_all};
use crate::evaluate::{self, Noise};
use crate::model::Model;
use crate::solve::kkt::Kkt;
use crate::step::contradiction;

/// What to do about drift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drift {
    /// Project positions and velocities after every step, until what is left is rounding. The default.
    Project,
    /// The same until no joint is open by more than this, m or rad, nor opens faster, m/s or rad/s: a correction or two
    /// less, where steps are short.
    Tolerance(f64),
    /// One correction of positions and one of velocities after every step, with the factor at hand (Tasora 2001, eq.
    /// 36-37). What is left open is of third order in the step, and does not add up.
    Once,
    /// Witkin's feedback in the constraint equation; gaps decay instead of vanishing.
    Feedback(evaluate::Feedback),
    /// Nothing: gaps grow with the error of the integrator.
    None,
}

impl Drift {
    /// Are positions and velocities projected?
    pub fn projects(self) -> bool {
        matches!(self, Drift::Project | Drift::Tolerance(_) | Drift::Once)
    }

    /// How far joints may stay open after a projection, m or rad.
    pub(crate) fn tolerance(self) -> f64 {
        match self {
            Drift::Tolerance(tolerance) => tolerance,
            Drift::Once => f64::INFINITY,
            _ => 0.0,
        }
    }
}

/// A stalled iteration is accepted below this: about 1e-13 of the size of the mechanism.
pub(crate) const STALLED: f64 = 1e3;
/// A projection after a step must get below this, about 1e-10. Loops may stay open by 1e-8: in a singular pose gaps are
/// of second order in what moves, and what would close them is out of reach.
const CORRECTED: f64 = 1e6;
const LOOPED: f64 = 1e8;
/// Gaps before a correction are looked into above this, about 1e-4 of the size of the mechanism.
const FAR: f64 = 1e12;
/// And loops that are stuck in a singular pose by 1e-6, as they give way there.
const STUCK: f64 = 1e10;

/// `rhs` of `H x = [0; rhs]`, of the islands still active only, into `kkt.x`.
pub(crate) fn load_active(model: &Model, islands: &[Island], kkt: &mut Kkt, rhs: &[f64]) {
    let n = model.n_v();
    if islands.iter().all(|i| i.active) {
        kkt.x[..n].fill(0.0);
        kkt.x[n..].copy_from_slice(rhs);
        return;
    }
    kkt.x.fill(0.0);
    for joint in model.joints.iter().filter(|j| islands[j.island as usize].active) {
        for row in joint.row_range() {
            kkt.x[n + row] = rhs[row];
        }
    }
}

/// How positions follow a correction: `q` moves by the velocities `d` for a time of 1, in islands that are active.
pub(crate) type Advance<'a> = dyn FnMut(&Model, &mut [f64], &[f64], &[Island]) + 'a;

/// Every body by its own coordinates.
fn advance_bodies(model: &Model, q: &mut [f64], d: &[f64], islands: &[Island]) {
    for (i, body) in model.bodies.iter().enumerate().filter(|(i, _)| islands[model.island[*i] as usize].active) {
        body.advance(model.q_of_mut(i, q), model.v_of(i, d), 1.0);
    }
}

/// Positions, with the factor of this pose or a near one, in the middle of a step at the end of which gaps are measured
/// once more: the last correction is made where those before it let expect that it closes what is left, and not looked
/// at. Returns the island with the largest gap left.
pub(crate) fn close_gaps(
    model: &Model,
    q: &mut [f64],
    v: &[f64],
    t: f64,
    work: &mut Workspace,
) -> Result<Island, StepError> {
    close_gaps_along(model, q, v, t, work, &mut advance_bodies)
}

/// The same, positions following corrections in another way.
pub(crate) fn close_gaps_along(
    model: &Model,
    q: &mut [f64],
    v: &[f64],
    t: f64,
    work: &mut Workspace,
    advance: &mut Advance,
) -> Result<Island, StepError> {
    close(model, q, v, t, work, Closing::Foreseen, advance).map(|(worst, _)| worst)
}

/// How an iteration that closes gaps ends.
#[derive(Clone, Copy, PartialEq)]
enum Closing {
    /// With gaps and their rates measured where positions are.
    Measured,
    /// With a correction that is foreseen to be the last.
    Foreseen,
}

/// A new factor costs as much as so many corrections with the factor at hand, and leaves one to be made.
const FACTOR_COSTS: f64 = 2.0;
/// Corrections with a factor of another pose.
const STALE_CORRECTIONS: usize = 6;

/// How many more corrections with the factor at hand does an island need, when each leaves the same part of its gaps?
fn corrections_left(island: &Island) -> f64 {
    let part = island.now / island.last;
    if part < 0.1 { libm::log(island.now / island.goal) / -libm::log(part) } else { f64::INFINITY }
}

/// Returns the island with the largest gap left; and are gaps and rates those of `(q, v)`?
fn close(
    model: &Model,
    q: &mut [f64],
    v: &[f64],
    t: f64,
    work: &mut Workspace,
    closing: Closing,
    advance: &mut Advance,
) -> Result<(Island, bool), StepError> {
    watch_all(model, &mut work.correction.islands);
    work.correction.kept.clear();
    work.correction.kept.extend_from_slice(q);
    let (tolerance, quiet) = (work.correction.tolerance, work.correction.quiet);
    let once = tolerance == f64::INFINITY && !work.correction.made;
    work.correction.made |= closing == Closing::Foreseen;
    let mut measured = true;
    for iteration in 0..=30 {
        let Workspace { eval, kkt, correction: Correction { islands, kept, first, .. }, .. } = &mut *work;
        evaluate::place_bodies(model, q, v, eval);
        match (iteration, closing) {
            (0, Closing::Measured) => evaluate::evaluate_gaps(model, q, v, t, eval),
            (0, Closing::Foreseen) => evaluate::evaluate_positions(Noise::OfGaps, model, q, v, t, eval),
            (_, Closing::Foreseen) => evaluate::evaluate_positions(Noise::None, model, q, v, t, eval),
            _ => evaluate::evaluate_gaps_with(Noise::None, model, q, v, t, eval),
        }
        if (tolerance > 0.0 || quiet > QUIET) && iteration < 2 {
            // where one correction will do, it is made in any case
            let least = if iteration == 0 && once { 0.0 } else { tolerance };
            convergence::set_goals(model, least, quiet, &eval.gap_noise, islands);
        }
        let left = watch(model, &eval.gap, &eval.gap_noise, islands, |i| {
            let stalled = i.now > 0.25 * i.last;
            i.now <= i.goal || (stalled && i.now <= STALLED) || !i.now.is_finite()
        });
        if iteration == 0 {
            for i in islands.iter() {
                if i.now > first.0 {
                    *first = (i.now, eval.gap[i.row as usize].abs(), i.row);
                }
            }
        }
        let taken_back = take_back(model, q, kept, islands);
        measured = !taken_back;
        if !left || !islands.iter().any(|i| i.active) || iteration == 30 {
            break;
        }
        // two corrections with the factor at hand are enough for what a step leaves open, and more where they are fast
        let active = || islands.iter().filter(|i| i.active);
        let fast = iteration < STALE_CORRECTIONS && active().all(|i| corrections_left(i) <= FACTOR_COSTS + 1.0);
        let foreseen = |i: &Island| iteration > 0 && i.now * (i.now / i.last) <= i.goal;
        let last = closing == Closing::Foreseen && (once || active().all(foreseen));
        if iteration >= 2 && !fast {
            // of islands that are done the equations stay as they are, and with them their factor
            let active = |i: u32| islands[i as usize].active;
            eval.counts.parts += 1;
            evaluate::evaluate_bodies_of(model, q, v, active, eval);
            evaluate::evaluate_constraints_of(model, q, v, t, active, eval);
            kkt.factor(model, t, eval)?;
        }
        load_active(model, islands, kkt, &eval.gap);
        kkt.solve(model, t, eval)?;
        kept.copy_from_slice(q);
        advance(model, q, &kkt.x, islands);
        if iteration >= FULL_CORRECTIONS {
            shorten(model, q, v, t, work, advance);
        } else if last {
            measured = false;
            let foreseen = |i: &Island| Island { now: i.now * (i.now / i.last).min(1.0), last: i.now, ..*i };
            islands.iter_mut().filter(|i| i.active).for_each(|i| *i = foreseen(i));
            break;
        }
    }
    let worse = |a: Island, b: &Island| if !(b.now <= a.now) { *b } else { a };
    let worst = work.correction.islands.iter().fold(Island::START, worse);
    Ok((worst, measured))
}

/// Corrections that are made as they come out. Later ones are shortened where they lead away: far from closed, where
/// light links hang on each other, they may go to and fro for ever.
const FULL_CORRECTIONS: usize = 4;
/// How often a correction is halved.
const HALVES: usize = 6;

/// Half the last correction of trees in which it has made gaps larger, and half again as long as it does. (Loops have
/// other ways: see [`take_back`].)
#[cold]
fn shorten(model: &Model, q: &mut [f64], v: &[f64], t: f64, work: &mut Workspace, advance: &mut Advance) {
    let Workspace { eval, kkt, correction: Correction { islands, kept, shorter, .. }, .. } = work;
    shorter.clone_from(islands);
    for (i, island) in shorter.iter_mut().enumerate() {
        island.active &= !model.looped_islands[i];
    }
    for _ in 0..HALVES {
        evaluate::place_bodies(model, q, v, eval);
        evaluate::evaluate_gaps_with(Noise::None, model, q, v, t, eval);
        convergence::measure(model, &eval.gap, &eval.gap_noise, shorter);
        // gaps before the correction are those that were measured last
        shorter.iter_mut().zip(&*islands).for_each(|(now, before)| now.active &= !(now.now <= before.now));
        if !shorter.iter().any(|i| i.active) {
            return;
        }
        for i in (0..model.n_bodies()).filter(|i| shorter[model.island[*i] as usize].active) {
            model.q_of_mut(i, q).copy_from_slice(model.q_of(i, kept));
            let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
            kkt.x[range].iter_mut().for_each(|d| *d *= 0.5);
        }
        advance(model, q, &kkt.x, shorter);
    }
}

/// Corrections of the positions of taut mechanisms.
const CLOSURES: usize = 12;

/// Close the joints of mechanisms with links held taut, by what then moves most easily.
pub(crate) fn close_taut(
    model: &Model,
    q: &mut [f64],
    v: &[f64],
    t: f64,
    tension: &Tension,
    work: &mut Workspace,
) -> Result<(), StepError> {
    for _ in 0..CLOSURES {
        evaluate::place_bodies(model, q, v, &mut work.eval);
        evaluate::evaluate_gaps(model, q, v, t, &mut work.eval);
        // islands that are closed are left alone, whatever others need
        let Workspace { eval, correction: Correction { islands, .. }, .. } = &mut *work;
        watch_all(model, islands);
        if !watch(model, &eval.gap, &eval.gap_noise, islands, |i| i.now <= QUIET) {
            break;
        }
        evaluate::evaluate_bodies(model, q, v, &mut work.eval);
        tension.add(model, work);
        evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
        work.kkt.factor(model, t, &work.eval)?;
        let Workspace { eval, kkt, correction: Correction { islands, .. }, .. } = &mut *work;
        load_active(model, islands, kkt, &eval.gap);
        kkt.solve(model, t, eval)?;
        advance_bodies(model, q, &kkt.x, islands);
    }
    Ok(())
}

/// In loops a correction that made things worse is taken back, and the island left: near a singular pose small gaps ask
/// for large motions. Was any?
fn take_back(model: &Model, q: &mut [f64], kept: &[f64], islands: &mut [Island]) -> bool {
    let worse = |i: usize, island: &Island| model.looped_islands[i] && island.active && island.now > island.last;
    let any = islands.iter().enumerate().any(|(i, island)| worse(i, island));
    if any {
        for i in 0..model.n_bodies() {
            let k = model.island[i] as usize;
            if worse(k, &islands[k]) {
                model.q_of_mut(i, q).copy_from_slice(model.q_of(i, kept));
            }
        }
        for (i, island) in islands.iter_mut().enumerate() {
            if worse(i, island) {
                *island = Island { active: false, now: island.last, ..*island };
            }
        }
    }
    any
}

/// Velocities, with the factor at hand.
pub(crate) fn close_rates(
    model: &Model,
    q: &[f64],
    v: &mut [f64],
    t: f64,
    work: &mut Workspace,
) -> Result<(), StepError> {
    close_rates_of(model, q, v, t, |_| true, false, work)
}

/// The same for some islands only. `measured`: rates and their noise are those of `(q, v)`.
pub(crate) fn close_rates_of(
    model: &Model,
    q: &[f64],
    v: &mut [f64],
    t: f64,
    wanted: impl Fn(usize) -> bool,
    measured: bool,
    work: &mut Workspace,
) -> Result<(), StepError> {
    let Workspace { eval, kkt, correction: Correction { islands, tolerance, quiet, made, .. }, .. } = work;
    let (tolerance, quiet) = (*tolerance, *quiet);
    watch_all(model, islands);
    islands.iter_mut().enumerate().for_each(|(i, island)| island.active = wanted(i));
    for iteration in 0..8 {
        if iteration > 0 || !measured {
            evaluate::place_bodies(model, q, v, eval);
            // with their noise, which follows the speeds: those of taut links may fall by much
            evaluate::evaluate_gaps(model, q, v, t, eval);
        }
        if (tolerance > 0.0 || quiet > QUIET) && iteration < 2 {
            let least = if iteration == 0 && tolerance == f64::INFINITY && !*made { 0.0 } else { tolerance };
            convergence::set_goals(model, least, quiet, &eval.rate_noise, islands);
        }
        if !watch(model, &eval.gap_rate, &eval.rate_noise, islands, |i| i.now <= i.goal || i.now > 0.7 * i.last) {
            break;
        }
        load_active(model, islands, kkt, &eval.gap_rate);
        kkt.solve(model, t, eval)?;
        for i in (0..model.n_bodies()).filter(|&i| islands[model.island[i] as usize].active) {
            for k in model.v_start[i] as usize..model.v_start[i + 1] as usize {
                v[k] += kkt.x[k];
            }
        }
    }
    Ok(())
}

/// Is what [`close_gaps`] left open small enough?
pub(crate) fn is_closed(model: &Model, worst: &Island) -> bool {
    let stuck = |i: &Island| model.regularisation.stuck_islands.get(model.island_of_row(i.row as usize)) == Some(&true);
    // joints that count as holding the same, and do not quite, open by what they differ
    let opens = |i: &Island| {
        let near = &mut model.regularisation.near_rows.iter().filter(|near| !near.stands());
        near.any(|near| model.island_of_row(near.row as usize) == model.island_of_row(i.row as usize))
    };
    let allowed = if !model.has_loops() {
        CORRECTED
    } else if stuck(worst) || opens(worst) {
        STUCK
    } else {
        LOOPED
    };
    worst.now <= allowed
}

/// Project `(q, v)` onto the constraints; the factor in `work` belongs to this pose or a near one.
pub(crate) fn project(
    model: &Model,
    q: &mut [f64],
    v: &mut [f64],
    t: f64,
    step: f64,
    work: &mut Workspace,
) -> Result<(), StepError> {
    project_along(model, q, v, t, step, work, &mut advance_bodies)
}

/// The same, positions following corrections in another way.
pub(crate) fn project_along(
    model: &Model,
    q: &mut [f64],
    v: &mut [f64],
    t: f64,
    step: f64,
    work: &mut Workspace,
    advance: &mut Advance,
) -> Result<(), StepError> {
    if model.n_rows() == 0 {
        evaluate::place_bodies(model, q, v, &mut work.eval);
        return Ok(());
    }
    let (worst, measured) = close(model, q, v, t, work, Closing::Measured, advance)?;
    if !is_closed(model, &worst) && work.correction.tolerance == 0.0 || !worst.now.is_finite() {
        let (row, gap) = (worst.row as usize, work.eval.gap[worst.row as usize].abs());
        let joint = model.joint_names.get(model.joint_of_row(row)).to_string();
        let open = StepError::DriftNotCorrected { joint, gap, time: t, step };
        return Err(contradiction::explain(model, q, v, t, work, open));
    }
    close_rates_of(model, q, v, t, |_| true, measured, work)?;
    if work.correction.first.0 > FAR {
        refuse_jump(model, q, v, t, step, work)?;
    }
    contradiction::refuse(model, q, v, t, work)
}

/// A step leaves gaps of the size of its error; a drive that jumps leaves its jump, and no speed could have followed:
/// neither the rates of the row over the step nor its accelerations explain it.
#[cold]
fn refuse_jump(model: &Model, q: &[f64], v: &[f64], t: f64, step: f64, work: &mut Workspace) -> Result<(), StepError> {
    let (_, gap, row) = std::mem::take(&mut work.correction.first);
    let (row, k) = (row as usize, model.joint_of_row(row as usize));
    if !(step > 0.0 && model.joints[k].constraint.rheonomic()) {
        return Ok(());
    }
    evaluate::place_bodies(model, q, v, &mut work.eval);
    evaluate::evaluate_gaps(model, q, v, t, &mut work.eval);
    let speed = work.eval.rate_noise[row] / f64::EPSILON;
    if gap <= step * (speed + step * work.eval.c[row].abs()) {
        return Ok(());
    }
    Err(StepError::DriftNotCorrected { joint: model.joint_names.get(k).to_string(), gap, time: t, step })
}
