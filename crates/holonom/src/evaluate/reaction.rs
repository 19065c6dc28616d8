//! What joints do to bodies: reactions and their power, from the multipliers.
//!
//! A multiplier acts on each body through `J^T lambda`. As a lock that is a force and a torque at the point of b; as
//! general rows it is a push `lambda g_k` on every attachment k.

use crate::catalogue::attach::{AttachmentKind, Bodies, BodyId};
use crate::catalogue::joints::is_point;
use crate::evaluate::RowScratch;
use crate::evaluate::evaluation::{Evaluation, bodies_at};
use crate::math::{Mat3, Vec3};
use crate::model::{Form, JointId, Model};

/// Action of body a on body b through a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reaction {
    /// N.
    pub force: Vec3,
    /// About `point`, N m.
    pub torque: Vec3,
    /// Where it acts: the joint's point on body b, world (m).
    pub point: Vec3,
}

/// In whose axes numbers are given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axes {
    /// The world's.
    World,
    /// Those of the joint's first body.
    A,
    /// Those of the joint's second body.
    B,
}

/// Power of every joint's reaction, `lambda . J v`, into `eval.power` after those of the forces, and of friction inside
/// bodies.
pub(crate) fn joint_powers(model: &Model, q: &[f64], v: &[f64], lambda: &[f64], eval: &mut Evaluation) {
    joint_powers_of(model, q, v, lambda, |_| true, eval);
}

/// The same of the joints of some islands; nothing of the others.
pub(crate) fn joint_powers_of(
    model: &Model,
    q: &[f64],
    v: &[f64],
    lambda: &[f64],
    islands: impl Fn(u32) -> bool,
    eval: &mut Evaluation,
) {
    let n_forces = model.n_forces();
    let bodies = model.n_bodies();
    for (k, joint) in model.joints.iter().enumerate() {
        if !islands(joint.island) {
            eval.power[n_forces + k] = 0.0;
            continue;
        }
        let lambda = &lambda[joint.row_range()];
        let power = match &joint.form {
            Form::Lock { transform, mask, aligned } => {
                let at = joint.constraint.attachments();
                let slot = |id: BodyId| (id.0 as usize).min(bodies);
                let (a, b) = (&eval.frames[slot(at[0].body)], &eval.frames[slot(at[1].body)]);
                let s = &eval.blocks.transforms[*transform as usize];
                let slip = b.v + b.w.cross(s.far.into()) - a.v - a.w.cross(s.near.into());
                if *aligned && mask.0 == 0b000_111 {
                    eval.power[n_forces + k] = lambda[0] * slip.x + lambda[1] * slip.y + lambda[2] * slip.z;
                    continue;
                }
                let spin = b.w - a.w;
                mask.rows()
                    .zip(lambda)
                    .map(|(i, l)| l * Vec3::from(s.axes[i % 3]).dot(if i < 3 { slip } else { spin }))
                    .sum()
            }
            Form::Rows(form) => {
                let mut sum = 0.0;
                for (&link, body) in form.links.iter().zip(distinct_bodies(joint.constraint.attachments())) {
                    let v = model.v_of(body, v);
                    for (row, l) in eval.blocks.link(link).chunks_exact(v.len()).zip(lambda) {
                        sum += l * row.iter().zip(v).map(|(a, b)| a * b).sum::<f64>();
                    }
                }
                sum
            }
            Form::Own(form) => {
                let width = form.width();
                let rows = eval.own.k[form.at as usize..].chunks(width.max(1));
                let push = |row: &[f64]| -> f64 {
                    let part = |b: &crate::model::OwnBody| {
                        let k = &row[b.column as usize..][..b.n as usize];
                        k.iter().zip(&v[b.v as usize..]).map(|(k, v)| k * v).sum::<f64>()
                    };
                    form.bodies.iter().map(part).sum()
                };
                rows.zip(lambda).map(|(row, l)| l * push(row)).sum()
            }
        };
        eval.power[n_forces + k] = power;
    }
    if model.dissipative.is_empty() {
        return;
    }
    let power = &mut eval.power[n_forces + model.n_joints()];
    let loss = |&i: &u32| {
        let i = i as usize;
        model.bodies[i].dissipation(model.q_of(i, q), model.v_of(i, v)).unwrap_or(0.0)
    };
    *power = -model.dissipative.iter().map(loss).sum::<f64>();
}

/// Bodies touched, each once, in the order of first mention: the order of the joint's blocks.
fn distinct_bodies(attachments: &[crate::catalogue::attach::Attachment]) -> impl Iterator<Item = usize> + '_ {
    attachments
        .iter()
        .enumerate()
        .filter_map(move |(k, a)| a.body.index().filter(|_| attachments[..k].iter().all(|b| b.body != a.body)))
}

/// The reaction of one joint that the multipliers of its own rows stand for, at the pose whose frames are in `eval`.
pub(crate) fn of_rows(
    model: &Model,
    id: JointId,
    q: &[f64],
    v: &[f64],
    t: f64,
    lambda: &[f64],
    eval: &mut Evaluation,
) -> Reaction {
    let joint = &model.joints[id.index()];
    let constraint = joint.constraint.as_ref();
    let bodies = &bodies_at(model, &eval.frames, q, v);
    let view = eval.angles.view(bodies, constraint.attachments(), model.slots_of(joint), t);
    // a constraint on a single attachment has no second one
    let reference = constraint.reference().min(view.attachments.len() - 1);
    let point = view.at(reference);
    let ineq = model.inequality_of(id);
    let rows = || {
        let (held, all) = (joint.kept_rows(), 0..ineq.map_or(0, |r| r.n_rows as usize));
        held.chain(all)
    };
    let (mut force, mut torque) = (Vec3::ZERO, Vec3::ZERO);
    match &joint.form {
        Form::Lock { mask, .. } => {
            let lock = constraint.lock(&view);
            for (i, l) in mask.rows().zip(lambda) {
                let push = lock.axes.col(i % 3) * *l;
                if i < 3 { force += push } else { torque += push }
            }
        }
        Form::Rows(_) | Form::Own(_) => {
            let mut out = RowScratch { rows: &mut eval.rows, gradients: &mut eval.gradients, forces: &mut eval.forces };
            let n = out.evaluate(constraint, &view, t);
            let directions = if constraint.own_force_direction() { &out.forces } else { &out.gradients };
            let on = view.attachments[reference].body;
            for (k, a) in view.attachments.iter().enumerate().filter(|(_, a)| a.body == on) {
                let push: Vec3 = rows().zip(lambda).map(|(i, l)| directions[i * n + k] * *l).sum();
                if is_point(a) {
                    force += push;
                    torque += (view.at(k) - point).cross(push);
                } else if a.what == AttachmentKind::Spin {
                    torque += push;
                } else {
                    torque += view.at(k).cross(push);
                }
            }
        }
    }
    // What neither body feels is held by what guides them (the plane of a planar body), and what the rows say of it is
    // arbitrary. Bodies that feel different parts together feel everything that matters.
    let ends = [constraint.attachments()[0].body, view.attachments[reference].body];
    let felt = |id: BodyId| id.index().map_or((Vec3::ZERO, Vec3::ZERO), |i| model.bodies[i].felt(force, torque));
    let (a, b) = (felt(ends[0]), felt(ends[1]));
    if ends[0].is_ground() {
        (force, torque) = b;
    } else if ends[1].is_ground() || parallel(&a, &b) {
        (force, torque) = a;
    }
    Reaction { force, torque, point }
}

/// Do two bodies feel the same part?
fn parallel(a: &(Vec3, Vec3), b: &(Vec3, Vec3)) -> bool {
    let size = a.0.length() + a.1.length() + b.0.length() + b.1.length();
    (a.0 - b.0).length() + (a.1 - b.1).length() <= 1e-12 * size
}

/// Axes of a body, world, as far as it has any.
pub(crate) fn body_axes(bodies: &Bodies, body: BodyId) -> Mat3 {
    let see = |d: Vec3| {
        let a = crate::catalogue::attach::Attachment::direction(body, d);
        bodies.carry(&a).at.normalize_or_zero()
    };
    Mat3::from_cols(see(Vec3::X), see(Vec3::Y), see(Vec3::Z))
}
