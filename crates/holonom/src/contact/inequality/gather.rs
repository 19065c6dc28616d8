//! Filling in the inequality rows of a moment: inequality joint first, in their order, then touches in the order of
//! detection.

use super::mode::ContactMode;
use super::workspace::ContactScratch;
use super::{Block, InequalityRows, Origin, RowBound};
use crate::catalogue::attach::{Attachment, AttachmentKind, Bodies, BodyId};
use crate::catalogue::joints::{Constraint, Level, RowLaw};
use crate::contact::inequality::workspace::Workspace;
use crate::contact::touch::ContactGeometry;
use crate::evaluate::RowScratch;
use crate::evaluate::evaluation::{Evaluation, bodies_at};
use crate::math::{Vec3, perpendicular};
use crate::model::Model;
use crate::model::warm_start::Key;
use holonom_collide::Candidate;

/// A touch with rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ActiveContact {
    /// Number among the candidates.
    pub candidate: u32,
    pub now: ContactGeometry,
    pub tangents: [Vec3; 2],
    pub bodies: (BodyId, BodyId),
    /// Velocity of a over b at the point.
    pub slip: Vec3,
    /// Blocks: first, and number of them.
    pub block: u32,
    pub n_blocks: u32,
}

/// Find candidates for all touches within the time `h`. Frames must be up to date.
pub(crate) fn detect(model: &Model, q: &[f64], v: &[f64], h: f64, work: &mut Workspace) {
    if !model.shapes.is_empty() {
        work.contact.detection.detect(model, &bodies_at(model, &work.eval.frames, q, v), h);
    }
}

/// Find candidates for all shapes that are at most `distance` apart, m. Frames must be up to date.
pub(crate) fn detect_within(model: &Model, q: &[f64], v: &[f64], distance: f64, work: &mut Workspace) {
    if !model.shapes.is_empty() {
        work.contact.detection.detect_within(model, &bodies_at(model, &work.eval.frames, q, v), distance);
    }
}

/// Find them anew where bodies have become faster by this later state, the end of the time `h`. Frames must be up to
/// date.
pub(crate) fn detect_faster(model: &Model, q: &[f64], v: &[f64], h: f64, work: &mut Workspace) {
    if !model.shapes.is_empty() {
        work.contact.detection.detect_faster(model, &bodies_at(model, &work.eval.frames, q, v), h);
    }
}

/// All inequality rows at a state, into `work.contact.rows`. Frames must be up to date; candidates are those last
/// detected.
pub(crate) fn gather(model: &Model, q: &[f64], v: &[f64], t: f64, work: &mut Workspace) {
    gather_where(model, q, v, t, None, |_| true, |_, _| true, work);
}

/// The same without stops that are far from acting within the time `h`.
pub(crate) fn gather_near(model: &Model, q: &[f64], v: &[f64], t: f64, h: f64, work: &mut Workspace) {
    gather_where(model, q, v, t, Some(h), |_| true, |_, _| true, work);
}

/// Of positions alone: without rows that are on velocities, and without stops that are not reached.
pub(crate) fn gather_pushes(model: &Model, q: &[f64], v: &[f64], t: f64, work: &mut Workspace) {
    let pushes = |constraint: &dyn Constraint| constraint.law() == RowLaw::Unilateral;
    gather_where(model, q, v, t, Some(0.0), pushes, |_, _| true, work);
}

/// The same with those contacts only that are closed in the contact mode at hand.
pub(crate) fn gather_closed(model: &Model, q: &[f64], v: &[f64], t: f64, work: &mut Workspace) {
    gather_where(model, q, v, t, None, |_| true, |mode, c| mode.is_closed(Key(c.a, c.b, c.key)), work);
}

fn gather_where(
    model: &Model,
    q: &[f64],
    v: &[f64],
    t: f64,
    near: Option<f64>,
    joints: impl Fn(&dyn Constraint) -> bool,
    wanted: impl Fn(&ContactMode, &Candidate) -> bool,
    work: &mut Workspace,
) {
    let Workspace { eval, contact, .. } = work;
    let ContactScratch { rows, detection, mode, .. } = contact;
    rows.clear();
    joint_rows(model, (q, v, t), near, joints, eval, rows);
    let bodies = &bodies_at(model, &eval.frames, q, v);
    for (i, candidate) in detection.candidates.iter().enumerate() {
        if wanted(mode, candidate) {
            let ends = [candidate.a, candidate.b].map(|s| model.shapes.all[s as usize].body);
            let now = ContactGeometry::of(candidate, ends[0], ends[1], bodies);
            touch_rows(model, bodies, candidate, i as u32, ends, now, rows);
        }
    }
}

fn joint_rows(
    model: &Model,
    (q, v, t): (&[f64], &[f64], f64),
    near: Option<f64>,
    wanted: impl Fn(&dyn Constraint) -> bool,
    eval: &mut Evaluation,
    ineq: &mut InequalityRows,
) {
    let Evaluation { frames, rows, gradients, forces, angles, .. } = eval;
    let bodies = &bodies_at(model, frames, q, v);
    for (k, record) in model.inequalities.iter().enumerate() {
        let joint = &model.joints[record.joint as usize];
        let constraint = joint.constraint.as_ref();
        if !wanted(constraint) {
            continue;
        }
        let view = angles.view(bodies, constraint.attachments(), model.slots_of(joint), t);
        if near.is_some_and(|h| constraint.is_far(&view, h)) {
            continue;
        }
        let mut out = RowScratch { rows, gradients, forces };
        let n = out.evaluate(constraint, &view, t);
        let bound = match constraint.law() {
            RowLaw::Equality => continue,
            RowLaw::Unilateral => RowBound::Push { restitution: constraint.restitution(), threshold: 0.0 },
            RowLaw::Bounded { least, most } => RowBound::Within { least, most },
            RowLaw::Ball { radius } => RowBound::Ball { radius },
            RowLaw::Dry { constant, lever } => RowBound::Dry { constant, lever, loaded: record.loaded },
        };
        let first = ineq.len() as u32;
        for i in 0..record.n_rows as usize {
            let (mut rate, mut c) = (out.rows[i].rate_t, out.rows[i].curvature);
            for part in &record.form.bodies {
                ineq.begin_part(part.body, part.v, part.n);
            }
            let start = ineq.values.len() - record.form.width();
            for (a, attachment) in constraint.attachments().iter().enumerate() {
                let g = out.gradients[i * n + a];
                if g == Vec3::ZERO {
                    continue;
                }
                let now = view.get(a);
                rate += g.dot(now.rate);
                c += g.dot(now.jdot_v);
                if !attachment.body.is_ground() {
                    let body = record.form.bodies[record.form.slots[a] as usize];
                    let range = start + body.column as usize..start + (body.column + body.n) as usize;
                    bodies.pull(attachment, g, &mut ineq.values[range]);
                }
            }
            let gap = if record.level == Level::Position { out.rows[i].gap } else { 0.0 };
            ineq.end_row(gap, rate, c);
        }
        // a ball is one block; all others are one per row
        let together = matches!(bound, RowBound::Ball { .. });
        let n_rows = record.n_rows as u32;
        for i in 0..if together { 1 } else { n_rows } {
            let n = if together { n_rows } else { 1 };
            let key = Key::joint(record.joint, i);
            ineq.blocks.push(Block {
                origin: Origin::Joint(k as u32),
                bound,
                level: record.level,
                row: first + i,
                n,
                key,
            });
        }
    }
}

/// Rows of a touch: normal, then slip, then spin about the normal and rolling where there is resistance against them.
fn touch_rows(
    model: &Model,
    bodies: &Bodies,
    candidate: &Candidate,
    number: u32,
    ends: [BodyId; 2],
    now: ContactGeometry,
    ineq: &mut InequalityRows,
) {
    let material = model.shapes.material(candidate.a, candidate.b);
    let (x, y) = perpendicular(now.n);
    let touch = ineq.touches.len() as u32;
    let first_block = ineq.blocks.len() as u32;
    let normal_row = ineq.len() as u32;
    // the material points at the place of contact, and what is there of their acceleration as the place moves over them
    let points = ends.map(|body| Attachment { body, what: AttachmentKind::Point(local(bodies, body, now.point)) });
    let seen = points.map(|p| bodies.carry(&p));
    let spins = ends.map(|body| spin(model, bodies, body));
    let k: [Vec3; 2] = std::array::from_fn(|i| seen[i].jdot_v + spins[i].cross(now.point_rate - seen[i].rate));
    let (u, k) = (seen[0].rate - seen[1].rate, k[0] - k[1]);
    let key = Key(candidate.a, candidate.b, candidate.key);
    let block = |ineq: &mut InequalityRows, bound, level, n: u32| {
        let row = ineq.len() as u32 - n;
        ineq.blocks.push(Block { origin: Origin::Touch(touch), bound, level, row, n, key });
    };
    linear_row(model, bodies, &points, now.n, ineq);
    ineq.end_row(now.gap, now.n.dot(u), now.n.dot(k) + now.n_rate.dot(u));
    let normal = match material.is_soft() {
        true => RowBound::Soft { stiffness: material.stiffness, damping: material.damping },
        false => RowBound::Push { restitution: material.restitution, threshold: material.restitution_speed },
    };
    block(ineq, normal, Level::Position, 1);
    // what runs over a body, seen along the plane of the touch
    let (run, run_rate) = surface_motion(model, bodies, candidate, ends, &spins, now.n);
    let (u, k) = (u + run, k + run_rate);
    if material.static_friction > 0.0 {
        for e in [x, y] {
            linear_row(model, bodies, &points, e, ineq);
            ineq.end_row(0.0, e.dot(u), e.dot(k));
        }
        let (sliding, sticking) = (material.friction, material.static_friction);
        block(ineq, RowBound::Cone { normal: normal_row, sliding, sticking, spin: false }, Level::Velocity, 2);
    }
    let spin = spins[0] - spins[1];
    for (lever, axes) in [(material.torsional, &[now.n][..]), (material.rolling, &[x, y][..])] {
        if lever > 0.0 {
            for e in axes {
                spin_row(model, bodies, ends, *e, ineq);
                ineq.end_row(0.0, e.dot(spin), 0.0);
            }
            let bound = RowBound::Cone { normal: normal_row, sliding: lever, sticking: lever, spin: true };
            block(ineq, bound, Level::Velocity, axes.len() as u32);
        }
    }
    let slip = u - now.n * now.n.dot(u);
    let n_blocks = ineq.blocks.len() as u32 - first_block;
    let bodies = (ends[0], ends[1]);
    ineq.touches.push(ActiveContact {
        candidate: number,
        now,
        tangents: [x, y],
        bodies,
        slip,
        block: first_block,
        n_blocks,
    });
}

/// Velocity of the surfaces of a touch over their bodies, a over b, without its part along the normal; and the rate of
/// what turns with the bodies. World axes, m/s and m/s^2.
fn surface_motion(
    model: &Model,
    bodies: &Bodies,
    candidate: &Candidate,
    ends: [BodyId; 2],
    spins: &[Vec3; 2],
    n: Vec3,
) -> (Vec3, Vec3) {
    let (mut run, mut rate) = (Vec3::ZERO, Vec3::ZERO);
    for (i, (shape, sign)) in [(candidate.a, 1.0), (candidate.b, -1.0)].into_iter().enumerate() {
        let velocity = model.shapes.all[shape as usize].surface_velocity;
        if velocity == Vec3::ZERO {
            continue;
        }
        let turns = ends[i].index().is_none_or(|k| model.bodies[k].can_carry(&AttachmentKind::Spin).is_ok());
        let see = |d| bodies.carry(&Attachment { body: ends[i], what: AttachmentKind::Direction(d) }).at;
        let along = if turns { see(velocity) } else { velocity };
        run += along * sign;
        rate += spins[i].cross(along) * sign;
    }
    (run - n * n.dot(run), rate)
}

/// A world point in the coordinates of a body. A particle has none but its own.
fn local(bodies: &Bodies, body: BodyId, point: Vec3) -> Vec3 {
    let frame = bodies.frame(body);
    if frame.rigid {
        return frame.r_wb.transpose() * (point - frame.x) + frame.origin;
    }
    if body.index().is_some_and(|i| bodies.bodies[i].can_carry(&AttachmentKind::Spin).is_err()) {
        return Vec3::ZERO;
    }
    let see = |what| bodies.carry(&Attachment { body, what }).at;
    let from = point - see(AttachmentKind::Point(Vec3::ZERO));
    let along = |d| see(AttachmentKind::Direction(d)).dot(from);
    Vec3::new(along(Vec3::X), along(Vec3::Y), along(Vec3::Z))
}

fn spin(model: &Model, bodies: &Bodies, body: BodyId) -> Vec3 {
    match body.index() {
        Some(i) if model.bodies[i].can_carry(&AttachmentKind::Spin).is_ok() => {
            bodies.carry(&Attachment::spin(body)).rate
        }
        _ => Vec3::ZERO,
    }
}

/// `e . (v_a - v_b)` at two points.
fn linear_row(model: &Model, bodies: &Bodies, points: &[Attachment; 2], e: Vec3, ineq: &mut InequalityRows) {
    for (point, sign) in points.iter().zip([1.0, -1.0]) {
        if let Some(i) = super::body_index(point.body) {
            let v = model.v_start[i as usize];
            let out = ineq.begin_part(i, v, model.v_start[i as usize + 1] - v);
            bodies.pull(point, e * sign, out);
        }
    }
}

/// `e . (w_a - w_b)`.
fn spin_row(model: &Model, bodies: &Bodies, ends: [BodyId; 2], e: Vec3, ineq: &mut InequalityRows) {
    for (body, sign) in ends.into_iter().zip([1.0, -1.0]) {
        if let Some(i) = super::body_index(body) {
            let v = model.v_start[i as usize];
            let out = ineq.begin_part(i, v, model.v_start[i as usize + 1] - v);
            if model.bodies[i as usize].can_carry(&AttachmentKind::Spin).is_ok() {
                bodies.pull(&Attachment::spin(body), e * sign, out);
            }
        }
    }
}
