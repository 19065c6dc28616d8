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
//! Nonholonomic rows stay in with right-hand side 0. The factor may belong to a nearby pose: the iteration then converges linearly
//! instead of quadratically. When it is slow, H is factored again at the current pose.

use crate::error::StepError;
use crate::evaluate;
use crate::model::Model;
use crate::workspace::Workspace;

/// What to do about drift.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Drift {
    /// Project positions and velocities after every step. The default.
    Project,
    /// Witkin's feedback in the constraint equation; gaps decay instead of vanishing.
    Feedback(evaluate::Feedback),
    /// Nothing: gaps grow with the error of the integrator.
    None,
}

/// Gaps (m, rad) and gap rates below this are left alone: rounding of coordinates of size 100.
const SMALL: f64 = 1e-14;
/// A stalled projection is accepted below this, times the largest coordinate.
const ROUNDING: f64 = 1e-13;

/// Largest entry and its place.
fn largest(x: &[f64]) -> (usize, f64) {
    x.iter().enumerate().fold((0, 0.0), |(i, m), (k, x)| if !(x.abs() <= m) { (k, x.abs()) } else { (i, m) })
}

fn joint_of_row(model: &Model, row: usize) -> usize {
    model.joints.partition_point(|j| j.row as usize <= row).saturating_sub(1)
}

/// Positions: returns the row with the largest gap left and that gap. `fresh` asks for a new factor before the first correction.
fn close_gaps(
    model: &Model,
    q: &mut [f64],
    v: &[f64],
    t: f64,
    work: &mut Workspace,
    mut fresh: bool,
    max_iterations: usize,
) -> Result<(usize, f64), StepError> {
    let mut last = f64::INFINITY;
    let mut slow = 0;
    for iteration in 0.. {
        evaluate::place_bodies(model, q, v, work);
        evaluate::evaluate_gaps(model, q, v, t, work);
        let (row, gap) = largest(&work.gap);
        let reach = q.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
        let stalled = gap > 0.25 * last;
        if gap <= SMALL.max(4.0 * f64::EPSILON * reach)
            || (stalled && gap <= ROUNDING * reach)
            || iteration == max_iterations
            || !gap.is_finite()
        {
            return Ok((row, gap));
        }
        if fresh || gap > 0.05 * last {
            slow += 1;
            fresh = slow > 1 || fresh;
        }
        if fresh {
            evaluate::evaluate_bodies(model, q, v, work);
            evaluate::evaluate_constraints(model, q, v, t, work);
            evaluate::factor(model, t, work)?;
        }
        let n = work.force.len();
        work.x[..n].fill(0.0);
        work.x[n..].copy_from_slice(&work.gap);
        evaluate::solve(model, t, work)?;
        for (i, body) in model.bodies.iter().enumerate() {
            let dx = model.v_of(i, &work.x[..n]);
            body.advance(model.q_of_mut(i, q), dx, 1.0);
        }
        last = gap;
    }
    Ok((0, 0.0))
}

/// Velocities, with the factor at hand.
fn close_rates(model: &Model, q: &[f64], v: &mut [f64], t: f64, work: &mut Workspace) -> Result<(), StepError> {
    let mut last = f64::INFINITY;
    for _ in 0..8 {
        evaluate::place_bodies(model, q, v, work);
        evaluate::evaluate_gaps(model, q, v, t, work);
        let (_, rate) = largest(&work.gap_rate);
        if rate <= SMALL || rate > 0.25 * last {
            break;
        }
        last = rate;
        let n = work.force.len();
        work.x[..n].fill(0.0);
        work.x[n..].copy_from_slice(&work.gap_rate);
        evaluate::solve(model, t, work)?;
        for (v, dv) in v.iter_mut().zip(&work.x[..n]) {
            *v += dv;
        }
    }
    Ok(())
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
    if model.n_rows() == 0 {
        evaluate::place_bodies(model, q, v, work);
        return Ok(());
    }
    let (row, gap) = close_gaps(model, q, v, t, work, false, 30)?;
    let reach = q.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
    if !(gap <= 1e-10 * reach) {
        let joint = model.joint_names.get(joint_of_row(model, row)).to_string();
        return Err(StepError::DriftNotCorrected { joint, gap, time: t, step });
    }
    close_rates(model, q, v, t, work)
}

/// How an assembly ended.
pub(crate) enum Assembly {
    Closed,
    /// Joint with the largest gap left.
    Open {
        joint: usize,
        gap: f64,
    },
}

/// From a rough pose to one where every joint is closed, and to legal velocities. Frames in `work` are left at the result.
pub(crate) fn assemble(model: &Model, q: &mut [f64], v: &mut [f64], t: f64, work: &mut Workspace) -> Assembly {
    if model.n_rows() > 0 {
        evaluate::place_bodies(model, q, v, work);
        evaluate::evaluate_gaps(model, q, v, t, work);
        let open = largest(&work.gap);
        let result = close_gaps(model, q, v, t, work, true, 100).unwrap_or(open);
        let reach = q.iter().fold(1.0, |m: f64, x| m.max(x.abs()));
        if !(result.1 <= 1e-12 * reach.max(1.0)) {
            return Assembly::Open { joint: joint_of_row(model, result.0), gap: result.1 };
        }
        evaluate::evaluate_bodies(model, q, v, work);
        evaluate::evaluate_constraints(model, q, v, t, work);
        if evaluate::factor(model, t, work).is_ok() {
            // a failure here would show again, with its name, at the first step
            let _ = close_rates(model, q, v, t, work);
        }
    }
    evaluate::place_bodies(model, q, v, work);
    Assembly::Closed
}
