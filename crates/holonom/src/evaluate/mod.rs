//! One evaluation of the terms of the equations of motion: state in; M, F, J, c out.
//!
//! ```text
//! M vdot - J^T lambda = F          - J vdot = c               (notation.md, eq. 1-2)
//! ```

pub(crate) mod angles;
pub(crate) mod convergence;
pub(crate) mod energy;
pub(crate) mod evaluation;
pub(crate) mod reaction;

use crate::catalogue::attach::{Attached, AttachmentKind, Bodies, BodyId, Frame, View, read3};
use crate::catalogue::bodies::Inertia;
use crate::catalogue::forces::Push;
use crate::catalogue::interface::{GapSizes, GapSums};
use crate::catalogue::joints::{Constraint, Level, Lock, LockShape, Rows};
use crate::evaluate::evaluation::{Evaluation, bodies_at};
use crate::math::Vec3;
use crate::model::{Form, Joint, Model, ModelLayout, OwnBlocks, RowBlocks};
use holonom_tree::Node;

/// Witkin's feedback in the constraint equation: `J vdot + c + kd Cdot + ks C = 0`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Feedback {
    /// 1/s^2.
    pub ks: f64,
    /// 1/s.
    pub kd: f64,
}

impl Default for Feedback {
    /// Critically damped with a time constant of 50 ms: brings back what the integrator loses without stiffening the
    /// motion.
    fn default() -> Self {
        Feedback { ks: 400.0, kd: 40.0 }
    }
}

/// Frames only: enough to place attachments. Where the bodies stand there already, only what moves otherwise is
/// written.
pub(crate) fn place_bodies(model: &ModelLayout, q: &[f64], v: &[f64], eval: &mut Evaluation) {
    let Evaluation { frames, placed, placement, .. } = eval;
    let there = placed.len() == q.len() + v.len() && same_bits(&placed[..q.len()], q);
    if there && same_bits(&placed[q.len()..], v) {
        return;
    }
    *placement += 1;
    for (i, (body, frame)) in model.bodies.iter().zip(frames).enumerate() {
        let vi = model.v_of(i, v);
        if there && frame.rigid {
            // velocity coordinates are those of the frame
            (frame.v, frame.w) = (read3(vi), read3(&vi[3..]));
        } else {
            body.place(model.q_of(i, q), vi, frame);
        }
    }
    eval.note_placed(q, v);
}

/// The same numbers to the last bit, signs of zeros included?
fn same_bits(a: &[f64], b: &[f64]) -> bool {
    let differ = |a: &[f64], b: &[f64]| a.iter().zip(b).fold(0, |all, (a, b)| all | (a.to_bits() ^ b.to_bits())) != 0;
    !a.chunks(16).zip(b.chunks(16)).any(|(a, b)| differ(a, b))
}

/// Frames, mass blocks, gravity and inertial forces.
pub(crate) fn evaluate_bodies(model: &ModelLayout, q: &[f64], v: &[f64], eval: &mut Evaluation) {
    evaluate_bodies_of(model, q, v, |_| true, eval);
    eval.counts.bodies += 1;
    eval.note_placed(q, v);
}

/// The same for some islands only: the equations of the others stay what they were.
#[inline(always)]
pub(crate) fn evaluate_bodies_of(
    model: &ModelLayout,
    q: &[f64],
    v: &[f64],
    islands: impl Fn(u32) -> bool,
    eval: &mut Evaluation,
) {
    let Evaluation { frames, blocks, force, placed, placement, pose, .. } = eval;
    pose.clear();
    placed.clear();
    *placement += 1;
    for (i, (body, frame)) in model.bodies.iter().zip(frames).enumerate().filter(|(i, _)| islands(model.island[*i])) {
        let (qi, vi) = (model.q_of(i, q), model.v_of(i, v));
        let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
        let out = Inertia { mass: blocks.diagonal_mut(Node(i as u32)), force: &mut force[range] };
        body.place(qi, vi, frame);
        body.evaluate(qi, vi, frame, model.gravity, out);
    }
}

/// Frames, gravity and inertial forces, where the mass blocks are those of this pose.
pub(crate) fn evaluate_body_forces(model: &ModelLayout, q: &[f64], v: &[f64], eval: &mut Evaluation) {
    place_bodies(model, q, v, eval);
    eval.counts.bodies += 1;
    let Evaluation { frames, blocks, force, .. } = eval;
    for (i, (body, frame)) in model.bodies.iter().zip(frames).enumerate() {
        let (qi, vi) = (model.q_of(i, q), model.v_of(i, v));
        let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
        let out = Inertia { mass: blocks.diagonal_mut(Node(i as u32)), force: &mut force[range] };
        body.evaluate_force(qi, vi, frame, model.gravity, out);
    }
}

/// Force laws, and the power of each.
pub(crate) fn apply_forces(model: &Model, q: &[f64], v: &[f64], t: f64, eval: &mut Evaluation) {
    apply_forces_of(model, q, v, t, |_| true, eval);
}

/// The same of the laws of which somebody wants the bodies; the power of others is 0.
#[inline(always)]
pub(crate) fn apply_forces_of(
    model: &Model,
    q: &[f64],
    v: &[f64],
    t: f64,
    wanted: impl Fn(&mut dyn Iterator<Item = usize>) -> bool,
    eval: &mut Evaluation,
) {
    let Evaluation { frames, force, power, angles, .. } = eval;
    let bodies = &bodies_at(model, frames, q, v);
    for (law, power) in model.forces.iter().zip(power) {
        let attachments = law.law.attachments();
        if !wanted(&mut attachments.iter().filter_map(|a| a.body.index())) {
            *power = 0.0;
            continue;
        }
        let mut push = Push { bodies, attachments, force, power: 0.0, noted: &mut [] };
        law.law.apply(&angles.view(bodies, attachments, &law.slots, t), t, &mut push);
        *power = push.power;
    }
}

/// Works of every force law at `(q, v, t)` at other velocities `mean`, `F_k . mean`, into `eval.power`. Frames must be
/// those of `(q, v)`; `one` is zero before and after. What F holds stays.
pub(crate) fn works_of_forces(
    model: &Model,
    q: &[f64],
    v: &[f64],
    t: f64,
    mean: &[f64],
    one: &mut [f64],
    eval: &mut Evaluation,
) {
    let Evaluation { frames, power, angles, .. } = eval;
    let bodies = &bodies_at(model, frames, q, v);
    for (law, power) in model.forces.iter().zip(power) {
        let attachments = law.law.attachments();
        let mut push = Push { bodies, attachments, force: one, power: 0.0, noted: &mut [] };
        law.law.apply(&angles.view(bodies, attachments, &law.slots, t), t, &mut push);
        *power = 0.0;
        for a in attachments {
            for k in model.v_range(a.body) {
                *power += one[k] * mean[k];
                one[k] = 0.0;
            }
        }
    }
}

/// Sizes of all that pushes, per velocity coordinate: |gravity and inertial forces| plus |every force law|. Frames must
/// be up to date; F is used up as scratch and holds afterwards what bodies alone make of it.
pub(crate) fn force_sizes(model: &Model, q: &[f64], v: &[f64], t: f64, eval: &mut Evaluation) -> Vec<f64> {
    evaluate_bodies(model, q, v, eval);
    let Evaluation { frames, force, angles, .. } = eval;
    let mut sizes: Vec<f64> = force.iter().map(|f| f.abs()).collect();
    let mut one = vec![0.0; force.len()];
    let bodies = &bodies_at(model, frames, q, v);
    for law in &model.forces {
        let attachments = law.law.attachments();
        let mut push = Push { bodies, attachments, force: &mut one, power: 0.0, noted: &mut [] };
        law.law.apply(&angles.view(bodies, attachments, &law.slots, t), t, &mut push);
        for a in attachments {
            for k in model.v_range(a.body) {
                sizes[k] += one[k].abs();
                one[k] = 0.0;
            }
        }
    }
    sizes
}

/// J into the blocks, c into `eval.c`.
pub(crate) fn evaluate_constraints(model: &ModelLayout, q: &[f64], v: &[f64], t: f64, eval: &mut Evaluation) {
    evaluate_constraints_of(model, q, v, t, |_| true, eval);
    eval.counts.constraints += 1;
}

/// The same for some islands only.
#[inline(always)]
pub(crate) fn evaluate_constraints_of(
    model: &ModelLayout,
    q: &[f64],
    v: &[f64],
    t: f64,
    islands: impl Fn(u32) -> bool,
    eval: &mut Evaluation,
) {
    let Evaluation { frames, blocks, own, c, rows, gradients, forces, angles, pose, .. } = eval;
    pose.clear();
    let bodies = &bodies_at(model, frames, q, v);
    for joint in model.joints.iter().filter(|j| j.n_rows > 0 && islands(j.island)) {
        let view = angles.view(bodies, joint.constraint.attachments(), model.slots_of(joint), t);
        let c = &mut c[joint.row as usize..][..joint.n_rows as usize];
        match &joint.form {
            Form::Lock { transform, mask, aligned } => {
                let lock = joint.constraint.lock(&view);
                let transform = &mut blocks.transforms[*transform as usize];
                (transform.near, transform.far) = (lock.arm_a.to_array(), lock.arm_b.to_array());
                if *aligned && mask.0 == 0b000_111 {
                    c.copy_from_slice(&lock.c_linear.to_array());
                    continue;
                }
                transform.axes = lock.axes.to_cols_array_2d();
                let back = lock.axes.transpose();
                let (linear, angular) = (back * lock.c_linear, back * lock.c_angular);
                let all = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z];
                let mut row = 0;
                for k in 0..6 {
                    if mask.keeps(k) {
                        c[row] = all[k];
                        row += 1;
                    }
                }
            }
            Form::Rows(form) if !form.lock.is_empty() => {
                let lock = joint.constraint.lock(&view);
                let ends = [0, 1].map(|k| view.attachments[k].body.index());
                write_lock(model, ends, form, &lock, c, blocks);
            }
            Form::Rows(_) | Form::Own(_) => {
                let mut out = RowScratch { rows, gradients, forces };
                let n = out.evaluate(joint.constraint.as_ref(), &view, t);
                c.fill(0.0);
                for k in 0..n {
                    let jdot_v = view.get(k).jdot_v;
                    for (c, i) in c.iter_mut().zip(joint.kept_rows()) {
                        *c += out.gradients[i * n + k].dot(jdot_v);
                    }
                }
                for (c, i) in c.iter_mut().zip(joint.kept_rows()) {
                    *c += out.rows[i].curvature;
                }
                if let Form::Own(form) = &joint.form {
                    write_own(joint, form, bodies, out.gradients, &mut own.j);
                    write_own(joint, form, bodies, out.forces, &mut own.k);
                } else {
                    write_jacobian(model, joint, bodies, out.gradients, blocks);
                }
            }
        }
    }
}

/// The rows of one constraint, in scratch memory.
pub(crate) struct RowScratch<'w> {
    pub rows: &'w mut [crate::catalogue::joints::Row],
    pub gradients: &'w mut [Vec3],
    pub forces: &'w mut [Vec3],
}

impl RowScratch<'_> {
    /// Evaluate; returns the number of attachments (the row stride of the gradients).
    pub fn evaluate(&mut self, constraint: &dyn Constraint, view: &View, t: f64) -> usize {
        let (m, n) = (constraint.n_rows(), view.attachments.len());
        self.rows[..m].fill(Default::default());
        self.gradients[..m * n].fill(Vec3::ZERO);
        if constraint.own_force_direction() {
            self.forces[..m * n].fill(Vec3::ZERO);
        }
        let mut rows = Rows {
            rows: &mut self.rows[..m],
            gradients: &mut self.gradients[..m * n],
            forces: &mut self.forces[..m * n],
            n_attachments: n,
            gaps: None,
        };
        constraint.rows(view, t, &mut rows);
        n
    }

    /// Only gaps and the sums of their rates and noise. Returns whether gradients were written beside: what they say
    /// comes on top.
    fn evaluate_gaps(
        &mut self,
        constraint: &dyn Constraint,
        view: &View,
        t: f64,
        sums: &mut [[f64; 3]],
        sizes: &[(f64, f64)],
    ) -> bool {
        let (m, n) = (constraint.n_rows(), view.attachments.len());
        self.rows[..m].fill(Default::default());
        sums.fill([0.0; 3]);
        if constraint.own_force_direction() {
            self.forces[..m * n].fill(Vec3::ZERO);
        }
        let mut rows = Rows {
            rows: &mut self.rows[..m],
            gradients: &mut self.gradients[..m * n],
            forces: &mut self.forces[..m * n],
            n_attachments: n,
            gaps: Some(GapSums { sums, sizes, written: false }),
        };
        constraint.rows(view, t, &mut rows);
        rows.gaps.is_some_and(|g| g.written)
    }
}

/// Rows of a lock, where a body moves in a plane: `e . (v_b + w_b × r_b - v_a - w_a × r_a)` and `e . (w_b - w_a)` in
/// the coordinates of each body.
#[inline(always)]
fn write_lock(
    model: &ModelLayout,
    ends: [Option<usize>; 2],
    form: &RowBlocks,
    lock: &Lock,
    c: &mut [f64],
    blocks: &mut holonom_tree::Blocks,
) {
    let axes = [lock.axes.x_axis, lock.axes.y_axis, lock.axes.z_axis];
    // direction of a row, and whether it is one of translation
    let row = |k: u8| if k < 3 { (axes[k as usize], true) } else { (axes[k as usize % 3], false) };
    for (c, &k) in c.iter_mut().zip(&form.lock) {
        let (e, along) = row(k);
        *c = e.dot(if along { lock.c_linear } else { lock.c_angular });
    }
    for (end, arm, sign) in [(0, lock.arm_a, -1.0), (1, lock.arm_b, 1.0)] {
        let Some(body) = ends[end] else { continue };
        let block = blocks.link_mut(form.links[form.slots[end] as usize]);
        if let Some(plane) = model.bodies[body].plane() {
            for (out, &k) in block.as_chunks_mut::<3>().0.iter_mut().zip(&form.lock) {
                let (e, along) = row(k);
                let e = e * sign;
                *out = if along {
                    [plane.x_axis.dot(e), plane.y_axis.dot(e), plane.z_axis.dot(arm.cross(e))]
                } else {
                    [0.0, 0.0, plane.z_axis.dot(e)]
                };
            }
        } else {
            for (out, &k) in block.as_chunks_mut::<6>().0.iter_mut().zip(&form.lock) {
                let (e, along) = row(k);
                let e = e * sign;
                let (f, t) = if along { (e, arm.cross(e)) } else { (Vec3::ZERO, e) };
                *out = [f.x, f.y, f.z, t.x, t.y, t.z];
            }
        }
    }
}

/// Chain rule: row i of the block of a body is `sum_k J_k^T g_ik` over the attachments k on that body.
fn write_jacobian(
    model: &ModelLayout,
    joint: &Joint,
    bodies: &Bodies,
    gradients: &[Vec3],
    blocks: &mut holonom_tree::Blocks,
) {
    let Form::Rows(form) = &joint.form else { return };
    let RowBlocks { links, slots, .. } = form.as_ref();
    let attachments = joint.constraint.attachments();
    let n = attachments.len();
    for link in links.iter() {
        blocks.link_mut(*link).fill(0.0);
    }
    for (k, a) in attachments.iter().enumerate() {
        let Some(body) = a.body.index() else { continue };
        let block = blocks.link_mut(links[slots[k] as usize]);
        let frame = bodies.frame(a.body);
        let width = if frame.rigid { 6 } else { model.bodies[body].n_dof() };
        let lever = if frame.rigid { frame.lever(&a.what) } else { Vec3::ZERO };
        for (row, i) in block.chunks_exact_mut(width).zip(joint.kept_rows()) {
            let g = gradients[i * n + k];
            if g == Vec3::ZERO {
                continue;
            }
            if frame.rigid {
                Frame::pull_by(lever, &a.what, g, row);
            } else {
                bodies.pull(a, g, row);
            }
        }
    }
}

/// The same chain rule for gradients or force directions of rows that are not in the matrix.
fn write_own(joint: &Joint, form: &OwnBlocks, bodies: &Bodies, vectors: &[Vec3], out: &mut [f64]) {
    let attachments = joint.constraint.attachments();
    let (n, width) = (attachments.len(), form.width());
    let out = &mut out[form.at as usize..][..joint.n_rows as usize * width];
    out.fill(0.0);
    for (k, a) in attachments.iter().enumerate().filter(|(_, a)| !a.body.is_ground()) {
        let body = form.bodies[form.slots[k] as usize];
        for (row, i) in joint.kept_rows().enumerate() {
            let start = row * width + body.column as usize;
            bodies.pull(a, vectors[i * n + k], &mut out[start..start + body.n as usize]);
        }
    }
}

/// Violations and their rates, per row, with the rounding noise of each. Frames must be up to date.
///
/// Noise: a gap is a difference of positions. With gradients g_k it carries an error of about 2^-52 sum_k |g_k| (size
/// of what attachment k is made of): for a point the position of its body and its own, and a thousandth of the length
/// scale of the island.
pub(crate) fn evaluate_gaps(model: &Model, q: &[f64], v: &[f64], t: f64, eval: &mut Evaluation) {
    gaps_with::<{ Noise::ALL }, true>(model, q, v, t, eval);
}

/// The same, with no more noise than is asked for: the rest of it keeps what it was.
pub(crate) fn evaluate_gaps_with(noise: Noise, model: &Model, q: &[f64], v: &[f64], t: f64, eval: &mut Evaluation) {
    match noise {
        Noise::None => gaps_with::<{ Noise::NONE }, true>(model, q, v, t, eval),
        Noise::OfGaps => gaps_with::<{ Noise::OF_GAPS }, true>(model, q, v, t, eval),
    }
}

/// Violations and rates where a step begins, at its end in time: those measured where the step before has ended, unless
/// joints move by themselves. Frames must be up to date.
pub(crate) fn evaluate_gaps_of_start(model: &Model, q: &[f64], v: &[f64], t: f64, eval: &mut Evaluation) {
    let known = eval.measured_at != 0 && eval.measured_at == eval.placement && eval.gap.len() == model.n_rows();
    if !known || model.joints.iter().any(|joint| joint.constraint.rheonomic()) {
        evaluate_gaps_with(Noise::None, model, q, v, t, eval);
    }
}

/// Violations alone, where rates are not wanted: those keep what they were, or may.
pub(crate) fn evaluate_positions(noise: Noise, model: &Model, q: &[f64], v: &[f64], t: f64, eval: &mut Evaluation) {
    match noise {
        Noise::None => gaps_with::<{ Noise::NONE }, false>(model, q, v, t, eval),
        Noise::OfGaps => gaps_with::<{ Noise::OF_GAPS }, false>(model, q, v, t, eval),
    }
}

/// How much of the rounding noise is wanted, where not all of it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noise {
    None,
    OfGaps,
}

impl Noise {
    const NONE: u8 = 0;
    const OF_GAPS: u8 = 1;
    const ALL: u8 = 2;
}

fn gaps_with<const NOISE: u8, const RATES: bool>(model: &Model, q: &[f64], v: &[f64], t: f64, eval: &mut Evaluation) {
    eval.counts.gaps += 1;
    eval.measured_at = if RATES { eval.placement } else { 0 };
    let Evaluation { frames, gap, gap_rate, gap_noise, rate_noise, island_rate, angles, .. } = eval;
    // many programs only ever ask for accelerations: memory for gaps is taken when first needed
    for x in [&mut *gap, gap_rate, gap_noise, rate_noise] {
        x.resize(model.n_rows(), 0.0);
    }
    if NOISE >= Noise::ALL {
        island_rate.clear();
        island_rate.resize(model.n_islands, 0.0);
    }
    let mut out = GapRows {
        scratch: RowScratch { rows: &mut eval.rows, gradients: &mut eval.gradients, forces: &mut eval.forces },
        sums: &mut eval.sums,
        sizes: &mut eval.sizes,
        gap,
        gap_rate,
        gap_noise,
        rate_noise,
        island_rate,
    };
    let bodies = &bodies_at(model, frames, q, v);
    for joint in model.joints.iter().filter(|j| j.n_rows > 0) {
        let view = angles.view(bodies, joint.constraint.attachments(), model.slots_of(joint), t);
        let floor = 1e-3 * model.island_length[joint.island as usize];
        let point_alone = match &joint.form {
            Form::Lock { mask, aligned, .. } => LockShape { mask: *mask, aligned: *aligned }.is_coincidence(),
            _ => joint.constraint.lock_shape().is_some_and(LockShape::is_coincidence),
        };
        if point_alone {
            out.coincidence::<NOISE, RATES>(joint, &view, floor);
        } else {
            out.general::<NOISE>(joint, &view, bodies, floor, t);
        }
    }
    if NOISE < Noise::ALL {
        return;
    }
    // what rests among moving neighbours is at rest only to within their noise
    for joint in &model.joints {
        for row in joint.row_range() {
            rate_noise[row] += 1e-3 * gap_noise[row] * island_rate[joint.island as usize];
        }
    }
}

/// Where gaps, their rates and the noise of both are written.
struct GapRows<'w> {
    scratch: RowScratch<'w>,
    sums: &'w mut [[f64; 3]],
    sizes: &'w mut Vec<(f64, f64)>,
    gap: &'w mut [f64],
    gap_rate: &'w mut [f64],
    gap_noise: &'w mut [f64],
    rate_noise: &'w mut [f64],
    island_rate: &'w mut [f64],
}

impl GapRows<'_> {
    /// `C = p_b - p_a`, as the general rows would say it.
    #[inline(always)]
    fn coincidence<const NOISE: u8, const RATES: bool>(&mut self, joint: &Joint, view: &View, floor: f64) {
        let (a, b) = (view.motion(0), view.motion(1));
        let (d, u) = (b.0 - a.0, b.1 - a.1);
        if joint.n_rows == 3 {
            let first = joint.row as usize;
            self.gap[first..first + 3].copy_from_slice(&d.to_array());
            if RATES {
                self.gap_rate[first..first + 3].copy_from_slice(&u.to_array());
            }
        } else {
            for (row, i) in joint.row_range().zip(joint.kept_rows()) {
                (self.gap[row], self.gap_rate[row]) = (d[i], u[i]);
            }
        }
        if NOISE == Noise::OF_GAPS {
            let size = |k: usize, at: Vec3| at.length() + view.reach(k).0 + floor;
            self.gap_noise[joint.row_range()].fill(f64::EPSILON * size(0, a.0) + f64::EPSILON * size(1, b.0));
        }
        if NOISE >= Noise::ALL {
            let size = |k: usize, (at, rate): (Vec3, Vec3)| {
                let (far, fast) = view.reach(k);
                (at.length() + far + floor, rate.length() + fast)
            };
            let sizes = [size(0, a), size(1, b)];
            note_fastest(&mut self.island_rate[joint.island as usize], &sizes);
            self.gap_noise[joint.row_range()].fill(f64::EPSILON * sizes[0].0 + f64::EPSILON * sizes[1].0);
            self.rate_noise[joint.row_range()].fill(f64::EPSILON * sizes[0].1 + f64::EPSILON * sizes[1].1);
        }
    }

    #[inline(always)]
    fn general<const NOISE: u8>(&mut self, joint: &Joint, view: &View, bodies: &Bodies, floor: f64, t: f64) {
        let constraint = joint.constraint.as_ref();
        let n = view.attachments.len();
        let mut both = [(0.0, 0.0); 6];
        if NOISE == Noise::NONE && constraint.gaps(view, &mut both, None) {
            for (row, i) in joint.row_range().zip(joint.kept_rows()) {
                (self.gap[row], self.gap_rate[row]) = both[i];
            }
            return;
        }
        if NOISE >= Noise::OF_GAPS && constraint.lock_shape().is_some() {
            let point = |k: usize| point_size(bodies, view.attachments[k].body, &view.get(k), floor);
            let mut sizes = GapSizes { points: [point(0), point(1)], ..GapSizes::default() };
            if constraint.gaps(view, &mut both, Some(&mut sizes)) {
                for (row, i) in joint.row_range().zip(joint.kept_rows()) {
                    (self.gap[row], self.gap_rate[row]) = both[i];
                    self.gap_noise[row] = f64::EPSILON * sizes.rows[i].0;
                    if NOISE >= Noise::ALL {
                        self.rate_noise[row] = f64::EPSILON * sizes.rows[i].1;
                    }
                }
                if NOISE >= Noise::ALL {
                    let fastest = &mut self.island_rate[joint.island as usize];
                    note_fastest(fastest, &sizes.points);
                    *fastest = fastest.max(sizes.fastest);
                }
                return;
            }
        }
        if NOISE >= Noise::OF_GAPS {
            let size_of = |k: usize| {
                let a = view.get(k);
                match view.attachments[k].what {
                    AttachmentKind::Point(_) => point_size(bodies, view.attachments[k].body, &a, floor),
                    _ => (a.at.length(), a.rate.length()),
                }
            };
            self.sizes.clear();
            self.sizes.extend((0..n).map(size_of));
        }
        if NOISE >= Noise::ALL {
            note_fastest(&mut self.island_rate[joint.island as usize], self.sizes);
        }
        let sums = &mut self.sums[..constraint.n_rows()];
        let sizes = if NOISE >= Noise::OF_GAPS { &self.sizes[..] } else { &[] };
        let written = self.scratch.evaluate_gaps(constraint, view, t, sums, sizes);
        for (row, i) in joint.row_range().zip(joint.kept_rows()) {
            let mut sum = sums[i];
            for k in 0..if written { n } else { 0 } {
                let g = self.scratch.gradients[i * n + k];
                if g != Vec3::ZERO {
                    sum[0] += g.dot(view.rate(k));
                    if let Some((size, speed)) = sizes.get(k) {
                        let length = g.length() * f64::EPSILON;
                        sum[1] += length * size;
                        sum[2] += length * speed;
                    }
                }
            }
            let (level, now) = (constraint.level(i), &self.scratch.rows[i]);
            self.gap[row] = if level == Level::Position { now.gap } else { 0.0 };
            self.gap_rate[row] = if level == Level::Acceleration { 0.0 } else { sum[0] + now.rate_t };
            if NOISE >= Noise::OF_GAPS {
                self.gap_noise[row] = sum[1];
            }
            if NOISE >= Noise::ALL {
                self.rate_noise[row] = sum[2] + now.rate_t.abs() * f64::EPSILON;
            }
        }
    }
}

/// Size (m) and speed (m/s) of what the position of a point is made of: that of its body and its own.
#[inline(always)]
fn point_size(bodies: &Bodies, body: BodyId, point: &Attached, floor: f64) -> (f64, f64) {
    let (far, fast) = bodies.reach(body);
    (point.at.length() + far + floor, point.rate.length() + fast)
}

#[inline(always)]
fn note_fastest(fastest: &mut f64, sizes: &[(f64, f64)]) {
    for &(size, speed) in sizes {
        *fastest = fastest.max(if size > 0.0 { speed / size } else { 0.0 });
    }
}

/// Rows on accelerations have no rate of a gap. Where there is no inertia, their `rate_t` says how fast they want to be
/// followed.
pub(crate) fn rates_without_inertia(model: &Model, q: &[f64], v: &[f64], t: f64, eval: &mut Evaluation) {
    eval.measured_at = 0;
    let Evaluation { frames, gap_rate, rows, gradients, forces, angles, .. } = eval;
    let bodies = &bodies_at(model, frames, q, v);
    let on_accelerations = |joint: &&Joint| joint.kept_rows().any(|i| joint.constraint.level(i) == Level::Acceleration);
    for joint in model.joints.iter().filter(on_accelerations) {
        let view = angles.view(bodies, joint.constraint.attachments(), model.slots_of(joint), t);
        let mut out = RowScratch { rows, gradients, forces };
        out.evaluate(joint.constraint.as_ref(), &view, t);
        for (row, i) in joint.row_range().zip(joint.kept_rows()) {
            if joint.constraint.level(i) == Level::Acceleration {
                gap_rate[row] = out.rows[i].rate_t;
            }
        }
    }
}

pub(crate) fn add_feedback(model: &Model, q: &[f64], v: &[f64], t: f64, feedback: Feedback, eval: &mut Evaluation) {
    evaluate_gaps_with(Noise::None, model, q, v, t, eval);
    // rows on accelerations have neither, and what they want is in c already
    for i in 0..eval.c.len() {
        eval.c[i] += feedback.kd * eval.gap_rate[i] + feedback.ks * eval.gap[i];
    }
}
