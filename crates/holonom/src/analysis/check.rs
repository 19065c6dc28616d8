//! Checks for constraints, bodies and force laws, ours and yours, by finite differences. Every one returns the largest
//! deviation found, so that a test can print it.

use crate::catalogue::forces::{Push, Stiffness};
use crate::catalogue::joints::Level;
use crate::contact::inequality::gather;
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate::angles;
use crate::evaluate::evaluation::bodies_at;
use crate::evaluate::{self, Noise};
use crate::math::{SplitMix, Vec3};
use crate::model::InequalityJoint;
use crate::model::state::State;
use crate::model::{ForceId, ForceLaw, Form, JointId, Model};
use crate::solve::SolverKind;
use crate::solve::residual;
use holonom_tree::{Node, packed};

pub use crate::analysis::inequalities::{InequalityBlock, InequalityLaw, InequalityTable};

/// Deviations of one constraint at one state, per row the larger of relative and absolute.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConstraintCheck {
    /// `J v + C_t` against the central difference of the gap along the motion. Zero for nonholonomic rows, which have
    /// no gap.
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
    evaluate::place_bodies(model, q, v, &mut work.eval);
    evaluate::evaluate_gaps(model, q, v, t, &mut work.eval);
    (work.eval.gap.clone(), work.eval.gap_rate.clone())
}

/// Positions after `h` seconds of motion with constant `v`.
fn moved(model: &Model, state: &State, h: f64) -> Vec<f64> {
    let mut q = state.q.clone();
    for (i, body) in model.bodies.iter().enumerate() {
        body.advance(model.q_of_mut(i, &mut q), model.v_of(i, &state.v), h);
    }
    q
}

/// Move one body's position coordinates for `dt` seconds with constant velocity coordinates, exactly along its
/// configuration space; nothing for the ground.
pub fn advance_body(model: &Model, body: crate::catalogue::attach::BodyId, q: &mut [f64], v: &[f64], dt: f64) {
    if let Some(i) = body.index() {
        model.bodies[i].advance(q, v, dt);
    }
}

/// Check the rows of one joint at a state. The step of the differences is `h` seconds; 1e-5 suits motions of order one.
pub fn constraint(model: &Model, joint: JointId, state: &State, h: f64) -> ConstraintCheck {
    if let Some(record) = model.inequalities.iter().find(|s| s.joint as usize == joint.index()) {
        return sided_constraint(model, record, state, h);
    }
    let mut work = Workspace::new(model, SolverKind::Tree);
    let (ahead, behind) = (moved(model, state, h), moved(model, state, -h));
    let (gap_ahead, rate_ahead) = rates(model, &ahead, &state.v, state.t + h, &mut work);
    let (gap_behind, rate_behind) = rates(model, &behind, &state.v, state.t - h, &mut work);
    evaluate::evaluate_bodies(model, &state.q, &state.v, &mut work.eval);
    evaluate::evaluate_constraints(model, &state.q, &state.v, state.t, &mut work.eval);
    evaluate::evaluate_gaps(model, &state.q, &state.v, state.t, &mut work.eval);
    let (gap, rate) = (work.eval.gap.clone(), work.eval.gap_rate.clone());
    let c = work.eval.c.clone();
    // gaps alone are found in another way, to the same bits
    evaluate::evaluate_gaps_with(Noise::None, model, &state.q, &state.v, state.t, &mut work.eval);
    let alone = work.eval.gap == gap && work.eval.gap_rate == rate;
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
    let mut out = ConstraintCheck { rate: if alone { 0.0 } else { f64::INFINITY }, ..ConstraintCheck::default() };
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

/// The same for a inequality joint, whose rows are no part of the matrix.
fn sided_constraint(model: &Model, record: &InequalityJoint, state: &State, h: f64) -> ConstraintCheck {
    let mut work = Workspace::new(model, SolverKind::Tree);
    let mut see = |q: &[f64], v: &[f64], t: f64| {
        evaluate::place_bodies(model, q, v, &mut work.eval);
        gather::gather(model, q, v, t, &mut work);
        let rows = record.first as usize..record.first as usize + record.n_rows as usize;
        let ineq = &work.contact.rows;
        rows.map(|i| [ineq.gap[i], ineq.rate[i], ineq.c[i], ineq.product(i, v)]).collect::<Vec<_>>()
    };
    let (ahead, behind) = (moved(model, state, h), moved(model, state, -h));
    let (ahead, behind) = (see(&ahead, &state.v, state.t + h), see(&behind, &state.v, state.t - h));
    let rest = see(&state.q, &vec![0.0; state.v.len()], state.t);
    let now = see(&state.q, &state.v, state.t);
    let mut out = ConstraintCheck::default();
    for (i, &[gap, rate, c, jv]) in now.iter().enumerate() {
        let change = |k: usize| (ahead[i][k] - behind[i][k]) / (2.0 * h);
        // an infinite gap, where there is no stop, stays so
        if record.level == Level::Position && gap.is_finite() {
            out.rate = out.rate.max(deviation(rate, change(0)));
        }
        if record.level != Level::Acceleration {
            out.acceleration = out.acceleration.max(deviation(c, change(1)));
            out.jacobian = out.jacobian.max(deviation(jv + rest[i][1], rate));
        }
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
    evaluate::evaluate_bodies(model, &state.q, &state.v, &mut work.eval);
    evaluate::apply_forces(model, &state.q, &state.v, state.t, &mut work.eval);
    evaluate::evaluate_constraints(model, &state.q, &state.v, state.t, &mut work.eval);
    evaluate::evaluate_gaps(model, &state.q, &state.v, state.t, &mut work.eval);
    let (n, s) = (model.n_v(), model.structure());
    let mut mass = vec![0.0; n * n];
    for i in 0..model.n_bodies() {
        let (at, end) = (model.v_start[i] as usize, model.v_start[i + 1] as usize);
        for (r, c) in (at..end).flat_map(|r| (at..end).map(move |c| (r, c))) {
            mass[r * n + c] = work.eval.blocks.entry(Node(i as u32), r - at, c - at);
        }
    }
    let mut jacobian = vec![0.0; model.n_rows() * n];
    let mut block = Vec::new();
    for (k, (dual, primal)) in s.links().enumerate() {
        let joint = &model.joints[dual.index() - model.n_bodies()];
        work.eval.blocks.dense_link(s, k, &mut block);
        let (at, width) = (model.v_start[primal.index()] as usize, s.size(primal));
        for (e, &j) in block.iter().enumerate() {
            jacobian[(joint.row as usize + e / width) * n + at + e % width] = j;
        }
    }
    for joint in &model.joints {
        let Form::Own(own) = &joint.form else { continue };
        for (r, row) in joint.row_range().enumerate() {
            for b in &own.bodies {
                let at = own.at as usize + r * own.width() + b.column as usize;
                jacobian[row * n + b.v as usize..][..b.n as usize]
                    .copy_from_slice(&work.eval.own.j[at..at + b.n as usize]);
            }
        }
    }
    Equations {
        mass,
        jacobian,
        force: work.eval.force,
        c: work.eval.c,
        gap: work.eval.gap,
        gap_rate: work.eval.gap_rate,
    }
}

/// Residual of the equations of motion and constraints at a state, with the named solver.
pub fn solution(model: &Model, state: &State, solver: SolverKind) -> Result<(Vec<f64>, residual::Residual), StepError> {
    let mut work = Workspace::new(model, solver);
    dynamics::accelerations(model, &state.q, &state.v, state.t, None, &mut work)?;
    Ok((work.kkt.x.clone(), work.kkt.residual(model, &work.eval)))
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
    id: crate::catalogue::attach::BodyId,
    state: &State,
    carried: &[crate::catalogue::attach::AttachmentKind],
    push: Vec3,
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
        let is_spin = matches!(what, crate::catalogue::attach::AttachmentKind::Spin);
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

/// Deviations of one force law at one state, relative to the largest entry of what is compared (or absolute, where that
/// is below 1).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ForceCheck {
    /// Power reported to the ledger against generalised force times velocity.
    pub power: f64,
    /// Generalised force at rest against minus the gradient of the energy. Means something for laws that store all they
    /// take at rest.
    pub energy: f64,
    /// Stiff directions against differences of the force by positions, at rest. Laws may leave out what is proportional
    /// to their load.
    pub stiffness: f64,
    /// The same by velocities.
    pub damping: f64,
    /// Smallest `x . k x` and `x . c x` found over random x of length 1, relative to the largest entry: never negative
    /// but for rounding.
    pub least: f64,
}

/// Generalised force and power of one law.
fn pushes(model: &Model, law: &ForceLaw, q: &[f64], v: &[f64], t: f64, work: &mut Workspace) -> (Vec<f64>, f64) {
    evaluate::place_bodies(model, q, v, &mut work.eval);
    let bodies = &bodies_at(model, &work.eval.frames, q, v);
    let (attachments, mut force) = (law.law.attachments(), vec![0.0; v.len()]);
    let mut push = Push { bodies, attachments, force: &mut force, power: 0.0, noted: &mut [] };
    law.law.apply(&work.eval.angles.view(bodies, attachments, &law.slots, t), t, &mut push);
    let power = push.power;
    (force, power)
}

/// `G^T k G` and `G^T c G` of the stiff directions of one law, `n_v x n_v`, and the smallest quadratic form found.
fn stiff(model: &Model, law: &ForceLaw, state: &State, work: &mut Workspace) -> (Vec<f64>, Vec<f64>, f64) {
    let (n, n_stiff, attachments) = (state.v.len(), law.law.n_stiff(), law.law.attachments());
    let (mut k, mut c, mut least) = (vec![0.0; n * n], vec![0.0; n * n], 0.0);
    if n_stiff == 0 {
        return (k, c, least);
    }
    evaluate::place_bodies(model, &state.q, &state.v, &mut work.eval);
    let bodies = &bodies_at(model, &work.eval.frames, &state.q, &state.v);
    let mut gradients = vec![Vec3::ZERO; n_stiff * attachments.len()];
    let mut small = [vec![0.0; packed::len(n_stiff)], vec![0.0; packed::len(n_stiff)]];
    let [stiffness, damping] = &mut small;
    let n_attachments = attachments.len();
    let mut out = Stiffness { gradients: &mut gradients, stiffness, damping, n_stiff, n_attachments };
    law.law.stiffness(&work.eval.angles.view(bodies, attachments, &law.slots, state.t), state.t, &mut out);
    let mut g = vec![0.0; n_stiff * n];
    for i in 0..n_stiff {
        for (a, gradient) in attachments.iter().zip(&gradients[i * n_attachments..]) {
            if let Some(b) = a.body.index() {
                let range = model.v_start[b] as usize..model.v_start[b + 1] as usize;
                bodies.pull(a, *gradient, &mut g[i * n..(i + 1) * n][range]);
            }
        }
    }
    let mut random = SplitMix(3);
    for (small, large) in small.iter().zip([&mut k, &mut c]) {
        for (i, j) in (0..n_stiff).flat_map(|i| (0..n_stiff).map(move |j| (i, j))) {
            let value = packed::get(small, n_stiff, i, j);
            for (r, s) in (0..n).flat_map(|r| (0..n).map(move |s| (r, s))) {
                large[r * n + s] += g[i * n + r] * value * g[j * n + s];
            }
        }
        let largest = small.iter().fold(1e-300, |m: f64, x| m.max(x.abs()));
        for _ in 0..100 {
            let x: Vec<f64> = (0..n_stiff).map(|_| random.symmetric(1.0)).collect();
            let mut y = vec![0.0; n_stiff];
            packed::multiply_add(small, &x, &mut y);
            let (xy, xx) = x.iter().zip(&y).fold((0.0, 0.0), |(xy, xx), (x, y)| (xy + x * y, xx + x * x));
            least = f64::min(least, xy / xx / largest);
        }
    }
    (k, c, least)
}

/// Check one force law at a state. The step of the differences is `h` (s, with velocities of 1); 1e-5 suits motions of
/// order one.
pub fn force(model: &Model, force: ForceId, state: &State, h: f64) -> ForceCheck {
    let law = &model.forces[force.index()];
    let mut work = Workspace::new(model, SolverKind::Tree);
    angles::note_angles(model, &state.q, &state.v, &state.turns, state.t, &mut work.eval);
    let (n, t) = (state.v.len(), state.t);
    let rest = vec![0.0; n];
    let moved = |k: usize, s: f64| {
        let (mut q, mut unit) = (state.q.clone(), rest.clone());
        unit[k] = 1.0;
        for (i, body) in model.bodies.iter().enumerate() {
            body.advance(model.q_of_mut(i, &mut q), model.v_of(i, &unit), s);
        }
        q
    };
    let worst = |pairs: &[(f64, f64)]| {
        let size = pairs.iter().fold(1.0, |m: f64, (a, b)| m.max(a.abs()).max(b.abs()));
        pairs.iter().fold(0.0, |m: f64, (a, b)| m.max((a - b).abs() / size))
    };
    let mut out = ForceCheck::default();
    let (now, power) = pushes(model, law, &state.q, &state.v, t, &mut work);
    out.power = deviation(power, now.iter().zip(&state.v).map(|(f, v)| f * v).sum());
    let (still, _) = pushes(model, law, &state.q, &rest, t, &mut work);
    let mut energy = |q: &[f64]| {
        evaluate::place_bodies(model, q, &rest, &mut work.eval);
        let bodies = &bodies_at(model, &work.eval.frames, q, &rest);
        law.law.energy(&work.eval.angles.view(bodies, law.law.attachments(), &law.slots, t), t)
    };
    let slopes: Vec<f64> = (0..n).map(|k| (energy(&moved(k, h)) - energy(&moved(k, -h))) / (2.0 * h)).collect();
    out.energy = worst(&still.iter().zip(&slopes).map(|(f, s)| (*f, -s)).collect::<Vec<_>>());
    // at rest: forces that depend on velocities have no part in the stiffness
    let at_rest = State { v: rest.clone(), ..state.clone() };
    let (k, _, least) = stiff(model, law, &at_rest, &mut work);
    let (_, c, least_moving) = stiff(model, law, state, &mut work);
    out.least = least.min(least_moving);
    let (mut by_position, mut by_velocity) = (Vec::new(), Vec::new());
    for j in 0..n {
        let (ahead, _) = pushes(model, law, &moved(j, h), &rest, t, &mut work);
        let (behind, _) = pushes(model, law, &moved(j, -h), &rest, t, &mut work);
        by_position.extend((0..n).map(|i| ((behind[i] - ahead[i]) / (2.0 * h), k[i * n + j])));
        let faster =
            |s: f64| state.v.iter().enumerate().map(|(i, v)| if i == j { v + s } else { *v }).collect::<Vec<_>>();
        let (ahead, _) = pushes(model, law, &state.q, &faster(h), t, &mut work);
        let (behind, _) = pushes(model, law, &state.q, &faster(-h), t, &mut work);
        by_velocity.extend((0..n).map(|i| ((behind[i] - ahead[i]) / (2.0 * h), c[i * n + j])));
    }
    out.stiffness = worst(&by_position);
    out.damping = worst(&by_velocity);
    out
}
