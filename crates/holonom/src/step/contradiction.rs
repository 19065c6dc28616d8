//! Rates that contradict each other: two drives that want different speeds of one hinge, of two hinges that a coupler
//! or a closed linkage joins, or a drive that wants to go on where the linkage cannot.
//!
//! Velocities satisfy `J v + C_t = 0`. Where a combination n of the rows pushes nothing, `n^T J = 0`, they exist only
//! if
//!
//! ```text
//! n^T C_t = 0,        and n^T Cdot = n^T (J v + C_t) = n^T C_t, whatever the velocities
//! ```
//!
//! Joints that do not depend on time have C_t = 0 and cannot contradict each other here (v = 0 suits them all), so only
//! islands with drives are looked at, and of those only the ones in which a correction of the velocities has left
//! something. Then n is found as the part of Cdot that no velocity can take away. With E a small part of the own sizes
//! of the rows and A = J M^-1 J^T,
//!
//! ```text
//! (A + E) z_0 = Cdot,    (A + E) z_k+1 = E z_k
//! ```
//!
//! leaves of Cdot its part in the null space of A (inverse iteration): a self-stress. The rows in which it does not
//! vanish are those that contradict each other. If all of them but row k are kept, row k is off by
//! `|n^T Cdot| / |n_k|`.

use crate::catalogue::joints::Level;
use crate::contact::inequality::solve::NO_FORCES;
use crate::contact::inequality::workspace::Workspace;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::evaluation::Angles;
use crate::model::choices::SolverKind;
use crate::model::{Joint, Model};
use crate::solve::EPS;

/// Rates left by a correction are looked into above this, in units of their rounding noise: 2e-9 of what they are
/// differences of.
const LOUD: f64 = 1e7;
/// They contradict each other when `n^T Cdot` is more than this part of the sum of its terms.
const CONTRADICTION: f64 = 1e-9;
/// And when the last drive misses its rate by more than this, m/s or rad/s, ten times what is promised of gap rates: at
/// rest all terms are rounding, and one may be a large part of another.
const MISSED: f64 = 1e-8;
/// n pushes nothing when its push is less than this part of those of its rows.
const NOTHING: f64 = 1e-6;
/// Joints with less than this part of the largest stress have none.
const PART: f64 = 1e-4;
/// Inverse iterations.
const ITERATIONS: usize = 3;

/// Joints whose rates contradict each other.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Contradiction {
    /// The last drive among them, and by how much its rate is missed when all others are kept, m/s or rad/s.
    pub joint: usize,
    pub rate: f64,
    /// All of them, drives first.
    pub joints: Vec<usize>,
}

impl Contradiction {
    /// By name.
    pub fn names(&self, model: &Model) -> (String, Vec<String>) {
        let name = |k: usize| model.joint_names.get(k).to_string();
        (name(self.joint), self.joints.iter().map(|&k| name(k)).collect())
    }

    fn error(&self, model: &Model, time: f64) -> StepError {
        let (joint, conflict) = self.names(model);
        StepError::Contradiction { joint, rate: self.rate, conflict, time }
    }
}

/// After the velocities were corrected: `Err` where drives contradict each other.
pub(crate) fn refuse(model: &Model, q: &[f64], v: &[f64], t: f64, work: &Workspace) -> Result<(), StepError> {
    match after_correction(model, q, v, t, work) {
        Some(found) => Err(found.error(model, t)),
        None => Ok(()),
    }
}

/// What a correction of the velocities has left, if it is a contradiction; its islands must be in `work`.
pub(crate) fn after_correction(model: &Model, q: &[f64], v: &[f64], t: f64, work: &Workspace) -> Option<Contradiction> {
    // islands without drives may be loud where they rest: rounding over no noise at all
    let loud = |j: &Joint| !(work.correction.islands[j.island as usize].now <= LOUD);
    let quarrel = |j: &Joint| j.n_rows > 0 && loud(j) && j.constraint.rheonomic();
    let any = !work.correction.islands.is_empty() && model.joints.iter().any(quarrel);
    if any { find(model, q, v, t, &work.eval.angles) } else { None }
}

/// Where velocities are not corrected, so that their gaps say nothing: `Err` where accelerations contradicted each
/// other and drives contradict each other at the end of the step.
pub(crate) fn refuse_uncorrected(
    model: &Model,
    q: &[f64],
    v: &[f64],
    t: f64,
    work: &Workspace,
) -> Result<(), StepError> {
    const SEEN: f64 = 1e-6;
    if work.kkt.check.worst.contradiction <= SEEN {
        return Ok(());
    }
    find(model, q, v, t, &work.eval.angles).map_or(Ok(()), |found| Err(found.error(model, t)))
}

/// A stage that cannot be solved, or a joint that cannot be closed, may be one in which drives contradict each other:
/// at the time `t` that it leads to, and a pose near by.
#[cold]
pub(crate) fn explain(model: &Model, q: &[f64], v: &[f64], t: f64, work: &Workspace, e: StepError) -> StepError {
    match e {
        // that there are no forces is an answer too, to which impulses reply
        StepError::NotConverged { what: NO_FORCES, .. } => e,
        StepError::NotConverged { .. } | StepError::Singular { .. } | StepError::DriftNotCorrected { .. } => {
            find(model, q, v, t, &work.eval.angles).map_or(e, |found| found.error(model, t))
        }
        e => e,
    }
}

/// The contradiction of rates at a state whose gaps and rates, with their noise, are in `work`; `None` where there is
/// none.
pub(crate) fn of_rates(model: &Model, q: &[f64], v: &[f64], t: f64, work: &Workspace) -> Option<Contradiction> {
    let mut rates = work.eval.gap_rate.iter().zip(&work.eval.rate_noise);
    let loud = rates.any(|(rate, noise)| rate.abs() > LOUD * noise);
    if loud { find(model, q, v, t, &work.eval.angles) } else { None }
}

/// Which joints contradict each other in accelerations, at a state where that was seen to be so:
/// `n^T (J vdot + c) = n^T c`. The rate given is one of m/s² or rad/s².
pub(crate) fn of_accelerations(model: &Model, q: &[f64], v: &[f64], t: f64, angles: &Angles) -> Option<Contradiction> {
    find_at(Level::Acceleration, model, q, v, t, angles)
}

/// The worst contradiction of rates at a state.
#[cold]
fn find(model: &Model, q: &[f64], v: &[f64], t: f64, angles: &Angles) -> Option<Contradiction> {
    find_at(Level::Velocity, model, q, v, t, angles)
}

/// The worst contradiction on a level. Takes memory and a few solves: for states at which there is something
/// to be explained.
fn find_at(level: Level, model: &Model, q: &[f64], v: &[f64], t: f64, angles: &Angles) -> Option<Contradiction> {
    let mut driven = vec![false; model.n_islands];
    for joint in model.joints.iter().filter(|j| j.n_rows > 0 && j.constraint.rheonomic()) {
        driven[joint.island as usize] = true;
    }
    if !driven.contains(&true) || !model.has_loops() {
        return None;
    }
    let mut work = Workspace::new(model, SolverKind::Sparse);
    work.eval.angles.clone_from(angles);
    evaluate::evaluate_bodies(model, q, v, &mut work.eval);
    evaluate::evaluate_constraints(model, q, v, t, &mut work.eval);
    evaluate::evaluate_gaps(model, q, v, t, &mut work.eval);
    if level == Level::Acceleration {
        let size = |c: &f64| c.abs() * f64::EPSILON;
        (work.eval.rate_noise, work.eval.gap_rate) = (work.eval.c.iter().map(size).collect(), work.eval.c.clone());
    }
    let stress = Stress::of(model, &driven, &mut work)?;
    let mut worst: Option<(f64, usize, f64)> = None;
    for island in (0..model.n_islands).filter(|&i| driven[i]) {
        let Some((part, sum)) = stress.contradiction(model, island, &work) else { continue };
        if part > CONTRADICTION && worst.is_none_or(|w| part > w.0) {
            worst = Some((part, island, sum));
        }
    }
    let (_, island, sum) = worst?;
    stress.named(model, island, sum).filter(|found| found.rate > MISSED)
}

/// The self-stress n in which rates end that no velocity can take away.
struct Stress {
    /// n and the own size of each row; 0 outside of loops.
    n: Vec<f64>,
    own: Vec<f64>,
    /// `n J M^-1 J^T n`, per island: what it pushes.
    pushes: Vec<f64>,
}

impl Stress {
    /// Of the rates in `work`.
    fn of(model: &Model, wanted: &[bool], work: &mut Workspace) -> Option<Stress> {
        let (n, rows) = (model.n_v(), model.n_rows());
        work.kkt.solver.damp(Some(&vec![1.0; n + rows]));
        work.kkt.factor(model, 0.0, &work.eval).ok()?;
        let sizes = work.kkt.solver.own_sizes()?;
        let own: Vec<f64> = (0..rows).map(|r| sizes.get(n + r).copied().unwrap_or(0.0)).collect();
        let inside = |r: usize| own[r] > 0.0 && wanted[model.island_of_row(r)];
        let mut rhs: Vec<f64> = (0..rows).map(|r| if inside(r) { work.eval.gap_rate[r] } else { 0.0 }).collect();
        let mut pushes = vec![0.0; model.n_islands];
        for _ in 0..=ITERATIONS {
            work.kkt.x[..n].fill(0.0);
            // H_eps has -J and -E below: signs turn
            work.kkt.x[n..].iter_mut().zip(&rhs).for_each(|(x, r)| *x = -r);
            work.kkt.solve(model, 0.0, &work.eval).ok()?;
            pushes.fill(0.0);
            for r in 0..rows {
                let z = if inside(r) { work.kkt.x[n + r] } else { 0.0 };
                let given = std::mem::replace(&mut rhs[r], EPS * own[r] * z);
                // z A z = z (rhs - E z)
                pushes[model.island_of_row(r)] += z * (given - rhs[r]);
            }
        }
        let z = (0..rows).map(|r| if inside(r) { work.kkt.x[n + r] } else { 0.0 }).collect();
        Some(Stress { n: z, own, pushes })
    }

    /// `n^T Cdot` of an island as a part of the sum of its terms, and itself; `None` where n is no self-stress.
    fn contradiction(&self, model: &Model, island: usize, work: &Workspace) -> Option<(f64, f64)> {
        let (mut sum, mut size, mut square) = (0.0, 0.0, 0.0);
        for r in (0..model.n_rows()).filter(|&r| model.island_of_row(r) == island) {
            sum += self.n[r] * work.eval.gap_rate[r];
            size += self.n[r].abs() * (work.eval.rate_noise[r] / f64::EPSILON);
            square += self.own[r] * self.n[r] * self.n[r];
        }
        let nothing = self.pushes[island].abs() <= NOTHING * square;
        (nothing && size > 0.0 && sum.is_finite()).then(|| (sum.abs() / size, sum.abs()))
    }

    fn named(&self, model: &Model, island: usize, sum: f64) -> Option<Contradiction> {
        let stress = |r: usize| self.n[r].abs() * self.own[r].sqrt();
        let of_joint = |k: usize| model.joints[k].row_range().map(stress).fold(0.0, f64::max);
        let all = || (0..model.n_joints()).filter(|&k| model.joints[k].island as usize == island);
        let most = all().map(of_joint).fold(0.0, f64::max);
        let taking_part: Vec<usize> = all().filter(|&k| of_joint(k) > PART * most).collect();
        let (drives, others): (Vec<usize>, Vec<usize>) =
            taking_part.into_iter().partition(|&k| model.joints[k].constraint.rheonomic());
        let joint = *drives.last()?;
        let row = model.joints[joint].row_range().reduce(|a, b| if stress(b) > stress(a) { b } else { a })?;
        let joints = drives.into_iter().chain(others).collect();
        Some(Contradiction { joint, rate: sum / self.n[row].abs(), joints })
    }
}
