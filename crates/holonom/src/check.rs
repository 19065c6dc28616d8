//! Checks for constraints and bodies, ours and yours, by finite differences. Every one returns the largest deviation found, so that a test
//! can print it.

use crate::error::StepError;
use crate::evaluate;
use crate::joints::Level;
use crate::model::{Form, JointId, Model};
use crate::state::State;
use crate::workspace::Workspace;
use crate::{SolverKind, residual};
use holonom_tree::Node;

/// Deviations of one constraint at one state, per row the larger of relative and absolute.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConstraintCheck {
    /// `J v + C_t` against the central difference of the gap along the motion. Zero for nonholonomic rows, which have no gap.
    pub rate: f64,
    /// `c` against the central difference of the gap's rate along the motion with constant `v`.
    pub acceleration: f64,
    /// The Jacobian handed to the solver, times `v`, against the rate the constraint reports.
    pub jacobian: f64,
}

fn deviation(a: f64, b: f64) -> f64 {
    (a - b).abs() / (1.0 + a.abs().max(b.abs()))
}

fn rates(model: &Model, q: &[f64], v: &[f64], t: f64, work: &mut Workspace) -> (Vec<f64>, Vec<f64>) {
    evaluate::place_bodies(model, q, v, work);
    evaluate::evaluate_gaps(model, q, v, t, work);
    (work.gap.clone(), work.gap_rate.clone())
}

/// Check the rows of one joint at a state. The step of the differences is `h` seconds; 1e-5 suits motions of order one.
pub fn constraint(model: &Model, joint: JointId, state: &State, h: f64) -> ConstraintCheck {
    let mut work = Workspace::new(model, SolverKind::Tree);
    let moved = |s: f64| {
        let mut q = state.q.clone();
        for (i, body) in model.bodies.iter().enumerate() {
            body.advance(model.q_of_mut(i, &mut q), model.v_of(i, &state.v), s);
        }
        q
    };
    let (ahead, behind) = (moved(h), moved(-h));
    let (gap_ahead, rate_ahead) = rates(model, &ahead, &state.v, state.t + h, &mut work);
    let (gap_behind, rate_behind) = rates(model, &behind, &state.v, state.t - h, &mut work);
    evaluate::evaluate_bodies(model, &state.q, &state.v, &mut work);
    evaluate::evaluate_constraints(model, &state.q, &state.v, state.t, &mut work);
    evaluate::evaluate_gaps(model, &state.q, &state.v, state.t, &mut work);
    let rate = work.gap_rate.clone();
    let c = work.c.clone();
    // the partial derivative by time is the rate at rest
    let rest = vec![0.0; state.v.len()];
    let (_, rate_t) = rates(model, &state.q, &rest, state.t, &mut work);
    // J v from the blocks
    let n = state.v.len();
    let jacobian = equations(model, state).jacobian;
    let jv: Vec<f64> = (0..model.n_rows())
        .map(|i| jacobian[i * n..(i + 1) * n].iter().zip(&state.v).map(|(j, v)| j * v).sum())
        .collect();
    let kept: Vec<usize> = model.joints[joint.index()].kept_rows().collect();
    let mut out = ConstraintCheck::default();
    for (i, k) in model.rows_of(joint).zip(kept) {
        let level = model.constraint(joint).level(k);
        if level == Level::Position {
            out.rate = out.rate.max(deviation(rate[i], (gap_ahead[i] - gap_behind[i]) / (2.0 * h)));
        }
        if level == Level::Acceleration {
            continue;
        }
        out.acceleration = out.acceleration.max(deviation(c[i], (rate_ahead[i] - rate_behind[i]) / (2.0 * h)));
        out.jacobian = out.jacobian.max(deviation(jv[i] + rate_t[i], rate[i]));
    }
    out
}

/// The equations at one state, written out densely, row by row: `M vdot = J^T lambda + F` and `J vdot + c = 0`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Equations {
    /// M, `n_v x n_v`.
    pub mass: Vec<f64>,
    /// J, `n_rows x n_v`.
    pub jacobian: Vec<f64>,
    /// F: applied and inertial forces, per velocity coordinate.
    pub force: Vec<f64>,
    /// c, per row.
    pub c: Vec<f64>,
    /// C, per row.
    pub gap: Vec<f64>,
    /// `J v + C_t`, per row.
    pub gap_rate: Vec<f64>,
}

/// Write out the equations at a state, for checks that want to see every number.
pub fn equations(model: &Model, state: &State) -> Equations {
    let mut work = Workspace::new(model, SolverKind::Tree);
    evaluate::evaluate_bodies(model, &state.q, &state.v, &mut work);
    evaluate::apply_forces(model, &state.q, &state.v, state.t, &mut work);
    evaluate::evaluate_constraints(model, &state.q, &state.v, state.t, &mut work);
    evaluate::evaluate_gaps(model, &state.q, &state.v, state.t, &mut work);
    let (n, s) = (model.n_v(), model.structure());
    let mut mass = vec![0.0; n * n];
    for i in 0..model.n_bodies() {
        let (at, end) = (model.v_start[i] as usize, model.v_start[i + 1] as usize);
        for (r, c) in (at..end).flat_map(|r| (at..end).map(move |c| (r, c))) {
            mass[r * n + c] = work.blocks.entry(Node(i as u32), r - at, c - at);
        }
    }
    let mut jacobian = vec![0.0; model.n_rows() * n];
    let mut block = Vec::new();
    for (k, (dual, primal)) in s.links().enumerate() {
        let joint = &model.joints[dual.index() - model.n_bodies()];
        let sign = if matches!(joint.form, Form::Lock { turned: true, .. }) { -1.0 } else { 1.0 };
        work.blocks.dense_link(s, k, &mut block);
        let (at, width) = (model.v_start[primal.index()] as usize, s.size(primal));
        for (e, j) in block.iter().enumerate() {
            jacobian[(joint.row as usize + e / width) * n + at + e % width] = sign * j;
        }
    }
    for joint in &model.joints {
        let Form::Own(own) = &joint.form else { continue };
        for (r, row) in joint.row_range().enumerate() {
            for b in &own.bodies {
                let at = own.at as usize + r * own.width() + b.column as usize;
                jacobian[row * n + b.v as usize..][..b.n as usize].copy_from_slice(&work.own.j[at..at + b.n as usize]);
            }
        }
    }
    Equations { mass, jacobian, force: work.force, c: work.c, gap: work.gap, gap_rate: work.gap_rate }
}

/// Residual of the equations of motion and constraints at a state, with the named solver.
pub fn solution(model: &Model, state: &State, solver: SolverKind) -> Result<(Vec<f64>, residual::Residual), StepError> {
    let mut work = Workspace::new(model, solver);
    evaluate::accelerations(model, &state.q, &state.v, state.t, None, &mut work)?;
    Ok((work.x.clone(), residual::residual(model, &work)))
}

/// Deviations of one body at one state.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct BodyCheck {
    /// Rates of carried points and directions against central differences of their positions.
    pub rate: f64,
    /// Their `jdot_v` against central differences of their rates at constant `v`.
    pub jdot_v: f64,
    /// `pull` against `carry`: power of a push two ways.
    pub power: f64,
    /// `q_rate` against `advance`.
    pub q_rate: f64,
}

/// Check one body of a model at a state: everything in `carried` that it can carry.
pub fn body(
    model: &Model,
    id: crate::BodyId,
    state: &State,
    carried: &[crate::Carried],
    push: crate::Vec3,
    h: f64,
) -> BodyCheck {
    let mut out = BodyCheck::default();
    let Some(i) = id.index() else { return out };
    let body = model.bodies[i].as_ref();
    let (q, v) = (model.q_of(i, &state.q), model.v_of(i, &state.v));
    let moved = |s: f64| {
        let mut q = q.to_vec();
        body.advance(&mut q, v, s);
        q
    };
    let (ahead, behind) = (moved(h), moved(-h));
    let mut rate = vec![0.0; q.len()];
    body.q_rate(q, v, &mut rate);
    for k in 0..q.len() {
        out.q_rate = out.q_rate.max(deviation(rate[k], (ahead[k] - behind[k]) / (2.0 * h)));
    }
    for what in carried.iter().filter(|w| body.can_carry(w).is_ok()) {
        let (now, a, b) = (body.carry(q, v, what), body.carry(&ahead, v, what), body.carry(&behind, v, what));
        let is_spin = matches!(what, crate::Carried::Spin);
        for k in 0..3 {
            if !is_spin {
                out.rate = out.rate.max(deviation(now.rate[k], (a.at[k] - b.at[k]) / (2.0 * h)));
            }
            out.jdot_v = out.jdot_v.max(deviation(now.jdot_v[k], (a.rate[k] - b.rate[k]) / (2.0 * h)));
        }
        let mut force = vec![0.0; v.len()];
        body.pull(q, what, push, &mut force);
        let power: f64 = force.iter().zip(v).map(|(f, v)| f * v).sum();
        out.power = out.power.max(deviation(power, push.dot(now.rate)));
    }
    out
}
