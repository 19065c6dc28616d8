//! The equations of motion contracted with weights, part by part, and the gradients of that.
//!
//! ```text
//! S(q, v) = b . F + lambda . J b - b . M a + nu . (c + J a)       a, lambda, b, nu held fixed
//! ```
//!
//! is a sum over bodies, joints and forces, each of which knows few bodies. Its gradient by the displacements (in
//! velocity coordinates) and velocities of all bodies is what a step backwards in time needs. Rigid bodies and plain
//! locks have it in closed form; all other parts are differenced one by one, with the coordinates of the few bodies
//! that they know. So the cost of all derivatives together is that of a few looks at every part, whatever their number.
//!
//! Central differences of one part have an error of the square of their step, 1e-10 of the part, and are exact for
//! parts that are quadratic, as the terms c are in velocities.

use super::closed_form::{self, PlainLock, Slopes, Twist};
use crate::analysis::answers::PushAlong;
use crate::catalogue::attach::{Bodies, Frame, View};
use crate::catalogue::bodies::Inertia;
use crate::catalogue::forces::Push;
use crate::catalogue::joints::Lock;
use crate::error::StepError;
use crate::evaluate::RowScratch;
use crate::evaluate::evaluation::{Angles, Evaluation, bodies_at};
use crate::math::{Vec3, vec3};
use crate::model::{Form, Joint, Model, touched_bodies};
use holonom_tree::{Mask, Node, packed};
use std::sync::Arc;

/// Step of the differences by positions, as a part of the mechanism's length or of a radian, and by velocities.
const STEP: f64 = 1e-5;

/// What is contracted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Terms {
    /// S, all of it.
    Motion,
    /// Without F and c: lambda . J b - b . M a + nu . J a.
    Pairs,
    /// Of `Pairs`, with `nu . C_t` added: nu . (J a + C_t), the rates of gaps where a are velocities.
    Rates,
    /// nu . C, for derivatives by parameters.
    Gaps,
}

/// The weights.
#[derive(Clone, Copy)]
pub(super) struct Weights<'a> {
    pub terms: Terms,
    pub a: &'a [f64],
    pub lambda: &'a [f64],
    pub b: &'a [f64],
    pub nu: &'a [f64],
}

/// A part of the sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    Body(u32),
    Joint(u32),
    Force(u32),
    Control(u32),
}

/// The state at which parts are looked at, and scratch.
pub(super) struct Contracted {
    pub model: Arc<Model>,
    /// Forces of one's own, and how large they are.
    pub controls: Arc<[PushAlong]>,
    /// Bodies that each knows.
    on: Vec<Vec<u32>>,
    pub sizes: Vec<f64>,
    pub frames: Vec<Frame>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub t: f64,
    pub angles: Angles,
    /// In closed form: bodies, and joints.
    central: Vec<u32>,
    plain: Vec<u32>,
    /// By differences, each with the bodies it knows.
    differenced: Vec<(Part, Vec<u32>)>,
    scratch: Scratch,
}

struct Scratch {
    rows: Vec<crate::catalogue::joints::Row>,
    gradients: Vec<Vec3>,
    forces: Vec<Vec3>,
    mass: Vec<f64>,
    /// Zero between uses.
    force: Vec<f64>,
    /// For one body.
    small: Vec<f64>,
    unit: Vec<f64>,
    kept: Vec<f64>,
}

fn axis(lock: &Lock, k: usize) -> Vec3 {
    [lock.axes.x_axis, lock.axes.y_axis, lock.axes.z_axis][k % 3]
}

/// The twist of a rigid body, or of one that moves in a plane, for these velocity coordinates.
fn twist(model: &Model, body: Option<usize>, x: &[f64]) -> Twist {
    let Some(i) = body else { return Twist::default() };
    let x = model.v_of(i, x);
    match model.bodies[i].plane() {
        Some(p) => Twist { v: p.x_axis * x[0] + p.y_axis * x[1], w: p.z_axis * x[2] },
        None => Twist::read(x),
    }
}

impl Contracted {
    pub fn new(model: &Arc<Model>, controls: &Arc<[PushAlong]>) -> Self {
        let (rows, cells) = model.largest_constraint();
        let largest = model.bodies.iter().map(|b| b.n_q().max(b.n_dof())).max().unwrap_or(0);
        let mut frames = vec![Frame::NONE; model.n_bodies() + 1];
        frames[model.n_bodies()] = Frame::GROUND;
        let mut new = Contracted {
            model: model.clone(),
            controls: controls.clone(),
            on: controls.iter().map(|c| c.bodies(model)).collect(),
            sizes: vec![0.0; controls.len()],
            frames,
            q: model.initial_state().q.clone(),
            v: model.initial_state().v.clone(),
            t: 0.0,
            angles: Angles::default(),
            central: Vec::new(),
            plain: Vec::new(),
            differenced: Vec::new(),
            scratch: Scratch {
                rows: vec![Default::default(); rows],
                gradients: vec![Vec3::ZERO; cells],
                forces: vec![Vec3::ZERO; cells],
                mass: vec![0.0; packed::len(largest).max(7)],
                force: vec![0.0; model.n_v()],
                small: vec![0.0; largest],
                unit: vec![0.0; largest],
                kept: vec![0.0; largest],
            },
        };
        new.sort();
        new
    }

    /// Which parts have gradients in closed form.
    fn sort(&mut self) {
        let model = self.model.clone();
        for i in 0..model.n_bodies() {
            if model.bodies[i].central() && self.is_ordinary(i) {
                self.central.push(i as u32);
            } else {
                self.differenced.push((Part::Body(i as u32), vec![i as u32]));
            }
        }
        for (j, joint) in model.joints.iter().enumerate().filter(|(_, j)| j.n_rows > 0) {
            if matches!(joint.form, Form::Lock { .. }) && joint.constraint.lock_is_plain() {
                self.plain.push(j as u32);
            } else {
                self.differenced.push((Part::Joint(j as u32), self.bodies_of(Part::Joint(j as u32))));
            }
        }
        for k in 0..model.forces.len() {
            let part = Part::Force(k as u32);
            self.differenced.push((part, self.bodies_of(part)));
        }
        for k in 0..self.controls.len() {
            let part = Part::Control(k as u32);
            self.differenced.push((part, self.bodies_of(part)));
        }
    }

    /// Does nothing push a central body but its weight and its own turning?
    fn is_ordinary(&mut self, i: usize) -> bool {
        let model = self.model.clone();
        let (body, q) = (&model.bodies[i], model.q_of(i, &self.q));
        let v = [0.3, -0.2, 0.5, 0.7, -0.4, 0.6].map(|x| x * model.rate_scale());
        let (mut frame, mut mass, mut force) = (Frame::NONE, [0.0; 7], [0.0; 6]);
        body.place(q, &v, &mut frame);
        body.evaluate(q, &v, &frame, model.gravity, Inertia { mass: &mut mass, force: &mut force });
        let turning = closed_form::gyroscopic(&mass[1..], frame.w);
        let expected = [mass[0] * model.gravity, turning];
        let off = |k: usize| (vec3(force[3 * k], force[3 * k + 1], force[3 * k + 2]) - expected[k]).length();
        (0..2).all(|k| off(k) <= 1e-12 * expected[k].length())
    }

    /// Bodies that a part knows.
    pub fn bodies_of(&self, part: Part) -> Vec<u32> {
        match part {
            Part::Body(i) => vec![i],
            Part::Joint(j) => touched_bodies(self.model.joints[j as usize].constraint.attachments()),
            Part::Force(k) => touched_bodies(self.model.forces[k as usize].law.attachments()),
            Part::Control(k) => self.controls[k as usize].bodies(&self.model),
        }
    }

    /// Parts with gradients in closed form.
    pub fn in_closed_form(&self) -> Vec<Part> {
        let bodies = self.central.iter().map(|i| Part::Body(*i));
        bodies.chain(self.plain.iter().map(|j| Part::Joint(*j))).collect()
    }

    /// All parts.
    pub fn parts(&self) -> Vec<Part> {
        let model = &self.model;
        let joints = model.joints.iter().enumerate().filter(|(_, j)| j.n_rows > 0).map(|(j, _)| Part::Joint(j as u32));
        let bodies = (0..model.n_bodies()).map(|i| Part::Body(i as u32));
        let forces = (0..model.forces.len()).map(|k| Part::Force(k as u32));
        bodies.chain(joints).chain(forces).chain((0..self.controls.len()).map(|k| Part::Control(k as u32))).collect()
    }

    /// Go to a state.
    pub fn place(&mut self, q: &[f64], v: &[f64], t: f64, angles: &Angles) {
        self.q.copy_from_slice(q);
        self.v.copy_from_slice(v);
        self.t = t;
        if self.model.reads_turns {
            self.angles.clone_from(angles);
        }
        for (i, body) in self.model.bodies.iter().enumerate() {
            body.place(self.model.q_of(i, q), self.model.v_of(i, v), &mut self.frames[i]);
        }
    }

    /// The same for some bodies only.
    pub fn place_some(&mut self, (q, v, t): (&[f64], &[f64], f64), bodies: &[u32], angles: &Angles) {
        self.t = t;
        if self.model.reads_turns {
            self.angles.clone_from(angles);
        }
        for &i in bodies {
            let i = i as usize;
            let body = &self.model.bodies[i];
            let (qi, vi) = (self.model.q_of(i, q), self.model.v_of(i, v));
            body.place(qi, vi, &mut self.frames[i]);
            self.model.q_of_mut(i, &mut self.q).copy_from_slice(qi);
            let range = self.model.v_start[i] as usize..self.model.v_start[i + 1] as usize;
            self.v[range.clone()].copy_from_slice(&v[range]);
        }
    }

    /// What a part contributes.
    pub fn value(&mut self, part: Part, w: &Weights) -> f64 {
        let Contracted { model, controls, on, sizes, frames, q, v, t, angles, scratch, .. } = self;
        let bodies = &bodies_at(model, frames, q, v);
        match part {
            Part::Body(_) if matches!(w.terms, Terms::Rates | Terms::Gaps) => 0.0,
            Part::Body(i) => body_value(model, i as usize, bodies, w, scratch),
            Part::Joint(j) => {
                let joint = &model.joints[j as usize];
                let view = angles.view(bodies, joint.constraint.attachments(), model.slots_of(joint), *t);
                joint_value(model, joint, &view, *t, w, scratch)
            }
            Part::Force(_) | Part::Control(_) if w.terms != Terms::Motion => 0.0,
            Part::Force(k) => {
                let law = &model.forces[k as usize];
                let attachments = law.law.attachments();
                let mut push = Push { bodies, attachments, force: &mut scratch.force, power: 0.0, noted: &mut [] };
                law.law.apply(&angles.view(bodies, attachments, &law.slots, *t), *t, &mut push);
                let mut sum = 0.0;
                for a in attachments {
                    for k in model.v_range(a.body) {
                        sum += scratch.force[k] * w.b[k];
                        scratch.force[k] = 0.0;
                    }
                }
                sum
            }
            Part::Control(k) => {
                let k = k as usize;
                controls[k].write_at(model, bodies, &mut scratch.force);
                sizes[k] * take(model, &on[k], &mut scratch.force, w.b)
            }
        }
    }

    /// Speed of `b` along a control: how S answers to its size.
    pub fn along_control(&mut self, k: usize, b: &[f64]) -> f64 {
        let Contracted { model, controls, on, frames, q, v, scratch, .. } = self;
        controls[k].write_at(model, &bodies_at(model, frames, q, v), &mut scratch.force);
        take(model, &on[k], &mut scratch.force, b)
    }

    /// Add the gradient of the sum over all parts, by displacements and velocities in velocity coordinates. `eval`
    /// holds M at this state.
    pub fn gradient(&mut self, w: &Weights, eval: &Evaluation, by_q: &mut [f64], by_v: &mut [f64]) {
        let moving = w.terms == Terms::Motion;
        if matches!(w.terms, Terms::Motion | Terms::Pairs) {
            for k in 0..self.central.len() {
                let i = self.central[k] as usize;
                let at = self.model.v_start[i] as usize;
                let weights = (Twist::read(&w.b[at..]), Twist::read(&w.a[at..]));
                let mut out = Slopes::default();
                let inertia = &eval.blocks.diagonal(Node(i as u32))[1..];
                closed_form::body(inertia, weights, self.frames[i].w, moving, &mut out);
                add(&out, at, by_q, by_v);
            }
        }
        for k in 0..self.plain.len() {
            self.lock_gradient(self.plain[k] as usize, w, by_q, by_v);
        }
        let parts = std::mem::take(&mut self.differenced);
        for (part, bodies) in &parts {
            let skipped = match part {
                Part::Joint(_) => false,
                Part::Body(_) => w.terms == Terms::Rates,
                _ => !moving,
            };
            if !skipped {
                // where a control pushes does not depend on velocities
                let by_v = (moving && !matches!(part, Part::Control(_))).then_some(&mut *by_v);
                self.difference(*part, bodies, w, by_q, by_v);
            }
        }
        self.differenced = parts;
    }

    fn lock_gradient(&mut self, j: usize, w: &Weights, by_q: &mut [f64], by_v: &mut [f64]) {
        let joint = &self.model.joints[j];
        let Form::Lock { mask, aligned, .. } = joint.form else { return };
        let attachments = joint.constraint.attachments();
        let bodies = &bodies_at(&self.model, &self.frames, &self.q, &self.v);
        let lock = joint.constraint.lock(&View::new(bodies, attachments));
        let plain = PlainLock {
            arm_a: lock.arm_a,
            arm_b: lock.arm_b,
            axes: lock.axes,
            aligned,
            across: mask.0 & Mask::FIRST_THREE.0 != Mask::FIRST_THREE.0,
            mask,
        };
        let ends = [0, 1].map(|k| attachments[k].body.index());
        let twists = |x: &[f64]| {
            let of = |end: Option<usize>| end.map_or(Twist::default(), |i| Twist::read(self.model.v_of(i, x)));
            (of(ends[0]), of(ends[1]))
        };
        let (mut a, mut b) = (Slopes::default(), Slopes::default());
        let range = joint.row_range();
        if w.terms != Terms::Rates {
            plain.rows(plain.pushes(&w.lambda[range.clone()]), twists(w.b), &mut a, &mut b);
        }
        let nu = plain.pushes(&w.nu[range]);
        plain.rows(nu, twists(w.a), &mut a, &mut b);
        if w.terms == Terms::Motion {
            let frames = [0, 1].map(|k| bodies.frame(attachments[k].body));
            plain.accelerations(nu, (frames[0], frames[1]), &mut a, &mut b);
        }
        for (end, slopes) in ends.into_iter().zip([&a, &b]) {
            if let Some(i) = end {
                add(slopes, self.model.v_start[i] as usize, by_q, by_v);
            }
        }
    }

    /// Add the gradient of one part, by differences.
    pub fn difference(
        &mut self,
        part: Part,
        bodies: &[u32],
        w: &Weights,
        by_q: &mut [f64],
        mut by_v: Option<&mut [f64]>,
    ) {
        let (length, rate) = (self.model.length_scale(), self.model.rate_scale());
        for &i in bodies {
            let i = i as usize;
            let (first, n) = (self.model.v_start[i] as usize, self.model.bodies[i].n_dof());
            let lengths = self.model.bodies[i].n_lengths();
            for k in 0..n {
                let unit = if k < lengths { length } else { 1.0 };
                let h = STEP * unit;
                let ahead = self.displaced(i, k, h, |me| me.value(part, w));
                let behind = self.displaced(i, k, -h, |me| me.value(part, w));
                by_q[first + k] += (ahead - behind) / (2.0 * h);
                if let Some(by_v) = &mut by_v {
                    let h = STEP * (unit * rate).max(self.v[first + k].abs());
                    let ahead = self.pushed(i, first + k, h, |me| me.value(part, w));
                    let behind = self.pushed(i, first + k, -h, |me| me.value(part, w));
                    by_v[first + k] += (ahead - behind) / (2.0 * h);
                }
            }
        }
    }

    /// With body `i` displaced along its velocity coordinate `k`.
    fn displaced(&mut self, i: usize, k: usize, h: f64, look: impl FnOnce(&mut Self) -> f64) -> f64 {
        let model = self.model.clone();
        let body = &model.bodies[i];
        let (n_q, n_v, frame) = (body.n_q(), body.n_dof(), self.frames[i]);
        let Contracted { q, v, frames, scratch: Scratch { small, unit, kept, .. }, .. } = self;
        let q = model.q_of_mut(i, q);
        kept[..n_q].copy_from_slice(q);
        unit[..n_v].fill(0.0);
        unit[k] = 1.0;
        body.q_rate(&kept[..n_q], &unit[..n_v], &mut small[..n_q]);
        q.iter_mut().zip(&small[..n_q]).for_each(|(q, rate)| *q += h * rate);
        body.place(q, model.v_of(i, v), &mut frames[i]);
        let found = look(self);
        model.q_of_mut(i, &mut self.q).copy_from_slice(&self.scratch.kept[..n_q]);
        self.frames[i] = frame;
        found
    }

    /// With entry `k` of the velocities changed, which is of body `i`.
    fn pushed(&mut self, i: usize, k: usize, h: f64, look: impl FnOnce(&mut Self) -> f64) -> f64 {
        let model = self.model.clone();
        let (before, frame) = (self.v[k], self.frames[i]);
        self.v[k] += h;
        model.bodies[i].place(model.q_of(i, &self.q), model.v_of(i, &self.v), &mut self.frames[i]);
        let found = look(self);
        (self.v[k], self.frames[i]) = (before, frame);
        found
    }
}

/// `force . b`, where `force` is of these bodies and zero elsewhere; it is zero afterwards.
fn take(model: &Model, bodies: &[u32], force: &mut [f64], b: &[f64]) -> f64 {
    let mut sum = 0.0;
    for &i in bodies {
        for k in model.v_start[i as usize] as usize..model.v_start[i as usize + 1] as usize {
            sum += force[k] * b[k];
            force[k] = 0.0;
        }
    }
    sum
}

#[inline(always)]
fn add(s: &Slopes, at: usize, by_q: &mut [f64], by_v: &mut [f64]) {
    let (q, v) = (&mut by_q[at..at + 6], &mut by_v[at..at + 6]);
    for i in 0..3 {
        q[i] += s.x[i];
        q[3 + i] += s.theta[i];
        v[i] += s.v[i];
        v[3 + i] += s.w[i];
    }
}

fn body_value(model: &Model, i: usize, bodies: &Bodies, w: &Weights, scratch: &mut Scratch) -> f64 {
    let body = &model.bodies[i];
    let (n, at) = (body.n_dof(), model.v_start[i] as usize);
    scratch.mass.fill(0.0);
    let numbers = if body.central() { 7 } else { packed::len(n) };
    let out = Inertia { mass: &mut scratch.mass[..numbers], force: &mut scratch.small[..n] };
    let (q, v) = (model.q_of(i, bodies.q), model.v_of(i, bodies.v));
    body.evaluate(q, v, &bodies.frames[i], model.gravity, out);
    let (b, a) = (&w.b[at..at + n], &w.a[at..at + n]);
    let mut sum = 0.0;
    for r in 0..n {
        let entry = |c: usize| match body.central() {
            true if r < 3 || c < 3 => f64::from(r == c) * scratch.mass[0],
            true => packed::get(&scratch.mass[1..], 3, r - 3, c - 3),
            false => packed::get(&scratch.mass, n, r, c),
        };
        sum -= b[r] * (0..n).map(|c| entry(c) * a[c]).sum::<f64>();
        if w.terms == Terms::Motion {
            sum += b[r] * scratch.small[r];
        }
    }
    sum
}

fn joint_value(model: &Model, joint: &Joint, view: &View, t: f64, w: &Weights, scratch: &mut Scratch) -> f64 {
    let (lambda, nu) = (&w.lambda[joint.row_range()], &w.nu[joint.row_range()]);
    let as_lock = match &joint.form {
        Form::Lock { .. } => true,
        Form::Rows(form) => !form.lock.is_empty(),
        Form::Own(_) => false,
    };
    if as_lock && w.terms != Terms::Gaps {
        return lock_value(model, joint, view, w);
    }
    let Scratch { rows, gradients, forces, force, .. } = scratch;
    let n = RowScratch { rows, gradients, forces }.evaluate(joint.constraint.as_ref(), view, t);
    let mut sum = 0.0;
    for (r, i) in joint.kept_rows().enumerate() {
        sum += nu[r]
            * match w.terms {
                Terms::Motion => rows[i].curvature,
                Terms::Rates => rows[i].rate_t,
                Terms::Pairs => 0.0,
                Terms::Gaps => rows[i].gap,
            };
    }
    if w.terms == Terms::Gaps {
        return sum;
    }
    for (k, attachment) in view.attachments.iter().enumerate() {
        let (mut along_b, mut along_a) = (Vec3::ZERO, Vec3::ZERO);
        for (r, i) in joint.kept_rows().enumerate() {
            along_b += gradients[i * n + k] * lambda[r];
            along_a += gradients[i * n + k] * nu[r];
        }
        if w.terms == Terms::Motion {
            sum += along_a.dot(view.get(k).jdot_v);
        }
        let range = model.v_range(attachment.body);
        if range.is_empty() {
            continue;
        }
        let out = &mut force[range.clone()];
        for (push, weights) in [(along_b, w.b), (along_a, w.a)] {
            if w.terms == Terms::Rates && std::ptr::eq(weights, w.b) {
                continue;
            }
            view.bodies.pull(attachment, push, out);
            for (x, weight) in out.iter_mut().zip(&weights[range.clone()]) {
                sum += *x * weight;
                *x = 0.0;
            }
        }
    }
    sum
}

fn lock_value(model: &Model, joint: &Joint, view: &View, w: &Weights) -> f64 {
    let (lambda, nu) = (&w.lambda[joint.row_range()], &w.nu[joint.row_range()]);
    let lock = joint.constraint.lock(view);
    let ends = [0, 1].map(|k| view.attachments[k].body.index());
    let apart = |x: &[f64]| {
        let (a, b) = (twist(model, ends[0], x), twist(model, ends[1], x));
        (b.v + b.w.cross(lock.arm_b) - a.v - a.w.cross(lock.arm_a), b.w - a.w)
    };
    let (of_b, of_a) = (apart(w.b), apart(w.a));
    let mut sum = 0.0;
    let mut row = |r: usize, k: usize| {
        let e = match &joint.form {
            Form::Lock { aligned: true, .. } => [Vec3::X, Vec3::Y, Vec3::Z][k % 3],
            _ => axis(&lock, k),
        };
        let pick = |(linear, angular): (Vec3, Vec3)| e.dot(if k < 3 { linear } else { angular });
        let c = if w.terms == Terms::Motion { pick((lock.c_linear, lock.c_angular)) } else { 0.0 };
        let pushed = if w.terms == Terms::Rates { 0.0 } else { lambda[r] * pick(of_b) };
        sum += pushed + nu[r] * (pick(of_a) + c);
    };
    match &joint.form {
        Form::Lock { mask, .. } => {
            (0..6).filter(|&k| mask.keeps(k)).enumerate().for_each(|(r, k)| row(r, k));
        }
        Form::Rows(form) => form.lock.iter().enumerate().for_each(|(r, &k)| row(r, k as usize)),
        Form::Own(_) => {}
    }
    sum
}

/// Can gradients of motions of this model be found? Not through inequalities, nor through rows with force directions of
/// their own.
pub(super) fn refuse(model: &Model) -> Result<(), StepError> {
    if model.has_inequalities() {
        let why = "the gradient of a run is not defined where shapes touch, joints have limits or dry friction, or ropes hang: leave them out";
        return Err(StepError::Invalid(why.into()));
    }
    refuse_own(model)
}

/// Rows with force directions of their own make H unsymmetric.
pub(super) fn refuse_own(model: &Model) -> Result<(), StepError> {
    match model.joints.iter().position(|j| matches!(j.form, Form::Own(_))) {
        Some(j) => {
            let name = model.joint_names.get(j);
            Err(StepError::Invalid(format!("joint `{name}` has force directions of its own: no derivatives this way")))
        }
        None => Ok(()),
    }
}
