//! What tension does to bodies that turn within a step: geometric stiffness.
//!
//! A force f that a joint exerts on a body at the arm r makes the torque r × f. As the body turns by θ, so does the
//! arm:
//!
//! ```text
//! d(r × f) = (θ × r) × f = r (f . θ) - θ (r . f)        so the torque falls by K θ,   K = sum over joints of (r . f) 1 - (r fᵀ + f rᵀ)/2
//! ```
//!
//! For a link between two joints under the tension T, K is T times its length, across. A light link under a heavy load
//! swings at sqrt(K / I), often much faster than a step can follow; a step with the torque at its start would throw it
//! about. Taken at the end of the step instead, θ = h w1,
//!
//! ```text
//! (I + h² K)(w1 - w0) = h (torque - h K w0)
//! ```
//!
//! the link comes to rest in the direction of its load, however long the step (Tournier et al. 2015; the rest of the
//! step is linear in v1 already). Only what K holds back counts (its positive part: a strut under pressure is left
//! alone), and only where h² K exceeds I: slower motion is followed better without it. The mass block stays symmetric
//! and keeps its form, so the elimination does not notice. A body that moves in a plane turns about one axis only: of K
//! it has the entry there.
//!
//! Implicit steps have the same K in their matrix, from the multipliers of the stage ([`Tension::of_multipliers`]); and
//! the root of its largest ratio to I, 1/s, says how fast taut links swing ([`Tension::fastest`]).

use crate::catalogue::bodies::Body;
use crate::contact::inequality::workspace::Workspace;
use crate::evaluate::evaluation::{Evaluation, bodies_at};
use crate::math::{Mat3, Vec3, symmetric_eigen};
use crate::model::{Form, Joint, Model};
use holonom_tree::{Node, packed};

/// `h² K` of every body; zero where it does not matter.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tension {
    k: Vec<Mat3>,
    any: bool,
    /// Sum of `|r| |f|` over the joints of a body: no entry of K is larger than twice this.
    most: Vec<f64>,
}

/// `h² K` over the inertia above which explicit steps throw links about: (1.7 times 2.8)², 2.8 being where the
/// classical Runge-Kutta method becomes unstable; and (1.7 times 2)², 2 being where the leapfrog does.
pub(crate) const RUNGE_KUTTA: f64 = 23.0;
pub(crate) const LEAPFROG: f64 = 11.6;

/// `(r . p) 1 - (r pᵀ + p rᵀ)/2`
fn held(r: Vec3, p: Vec3) -> Mat3 {
    let outer = Mat3::from_cols(r * p.x, r * p.y, r * p.z);
    Mat3::from_diagonal(Vec3::splat(r.dot(p))) - (outer + outer.transpose()) * 0.5
}

/// The force (or impulse) that these multipliers of a joint exert on its second body, and the arms on both, where the
/// joint holds a point.
fn pull(model: &Model, joint: &Joint, q: &[f64], v: &[f64], t: f64, x: &[f64], eval: &Evaluation) -> [Vec3; 3] {
    match &joint.form {
        Form::Lock { transform, mask, .. } => {
            let s = &eval.blocks.transforms[*transform as usize];
            let rows = mask.rows().zip(x).filter(|(i, _)| *i < 3);
            let p = rows.fold(Vec3::ZERO, |p, (i, x)| p + Vec3::from(s.axes[i]) * *x);
            [p, Vec3::from(s.near), Vec3::from(s.far)]
        }
        Form::Rows(form) if !form.lock.is_empty() => {
            let bodies = &bodies_at(model, &eval.frames, q, v);
            let lock = joint.constraint.lock(&eval.angles.view(
                bodies,
                joint.constraint.attachments(),
                model.slots_of(joint),
                t,
            ));
            let rows = form.lock.iter().zip(x).filter(|(i, _)| **i < 3);
            let p = rows.fold(Vec3::ZERO, |p, (i, x)| p + lock.axes.col(*i as usize) * *x);
            [p, lock.arm_a, lock.arm_b]
        }
        _ => [Vec3::ZERO; 3],
    }
}

/// Of what stiffness against turning is kept: all of it for a body in space whose mass block has its moments apart, the
/// entry across its plane for one in a plane, nothing for others.
fn kept(body: &dyn Body, k: Mat3) -> Mat3 {
    match body.plane() {
        Some(plane) => Mat3::from_diagonal(Vec3::new(0.0, 0.0, plane.z_axis.dot(k * plane.z_axis))),
        None if body.central() => k,
        None => Mat3::ZERO,
    }
}

/// Sum of the moments of inertia in the mass block of a body that [`kept`] keeps something of.
fn moments(body: &dyn Body, mass: &[f64]) -> f64 {
    match body.plane() {
        Some(_) => mass[packed::at(3, 2, 2)],
        None => (0..3).map(|k| mass[1 + packed::at(3, k, k)]).sum(),
    }
}

/// The moment of inertia across a slender body: half the sum of the three, or the one in a plane.
fn across(body: &dyn Body, mass: &[f64]) -> f64 {
    moments(body, mass) * if body.plane().is_some() { 1.0 } else { 0.5 }
}

impl Tension {
    /// `scale K` of every body, from multipliers or impulses, at the pose whose equations are in `eval`.
    fn gather(&mut self, model: &Model, q: &[f64], v: &[f64], t: f64, scale: f64, x: &[f64], eval: &Evaluation) {
        self.k.clear();
        self.k.resize(model.n_bodies(), Mat3::ZERO);
        for joint in model.joints.iter().filter(|j| j.n_rows > 0) {
            let x = &x[joint.row as usize..][..joint.n_rows as usize];
            let [p, near, far] = pull(model, joint, q, v, t, x, eval);
            if p == Vec3::ZERO {
                continue;
            }
            let at = joint.constraint.attachments();
            for (body, arm, p) in [(at[0].body, near, -p), (at[1].body, far, p)] {
                if let Some(i) = body.index() {
                    self.k[i] += held(arm, p) * scale;
                }
            }
        }
        for (k, body) in self.k.iter_mut().zip(&model.bodies) {
            *k = kept(body.as_ref(), *k);
        }
    }

    /// Can any body have an entry of `scale K` above a ninth of `least` times its moments of inertia? Found from
    /// lengths alone: mostly there is none, and the matrices need not be written down.
    fn may_matter(
        &mut self,
        model: &Model,
        (q, v, t): (&[f64], &[f64], f64),
        (scale, least): (f64, f64),
        x: &[f64],
        eval: &Evaluation,
    ) -> bool {
        self.most.clear();
        self.most.resize(model.n_bodies(), 0.0);
        for joint in model.joints.iter().filter(|j| j.n_rows > 0) {
            let x = &x[joint.row as usize..][..joint.n_rows as usize];
            let (square, near, far) = match &joint.form {
                // axes are orthonormal
                Form::Lock { transform, mask, .. } => {
                    let s = &eval.blocks.transforms[*transform as usize];
                    let translations = (mask.0 & 0b111).count_ones() as usize;
                    let square: f64 = x[..translations].iter().map(|x| x * x).sum();
                    (square, Vec3::from(s.near), Vec3::from(s.far))
                }
                _ => {
                    let [p, near, far] = pull(model, joint, q, v, t, x, eval);
                    (p.length_squared(), near, far)
                }
            };
            if square == 0.0 {
                continue; // also of joints that pull at less than two bodies
            }
            let at = joint.constraint.attachments();
            for (body, arm) in [(at[0].body, near), (at[1].body, far)] {
                if let Some(i) = body.index() {
                    self.most[i] += (square * arm.length_squared()).sqrt();
                }
            }
        }
        // a little more, for rounding
        let factor = 9.0 * 2.0 * 1.000_001 * scale;
        self.most.iter().enumerate().any(|(i, most)| {
            let mass = eval.blocks.diagonal(Node(i as u32));
            let body = model.bodies[i].as_ref();
            // bodies of which nothing is kept have no moments
            let turns = body.central() || body.plane().is_some();
            turns && !(factor * most <= least * moments(body, mass))
        })
    }

    /// Keep what holds back, where it exceeds `least` times the inertia. Is anything left?
    fn keep_what_holds(&mut self, model: &Model, least: f64, eval: &mut Evaluation) -> bool {
        self.any = false;
        for (i, k) in self.k.iter_mut().enumerate().filter(|(_, k)| **k != Mat3::ZERO) {
            let mass = eval.blocks.diagonal_mut(Node(i as u32));
            *k = positive_part(k, least * moments(model.bodies[i].as_ref(), mass));
            self.any |= *k != Mat3::ZERO;
        }
        self.any
    }

    /// Add `h² K` to the mass blocks and `- h K w` to the forces, K from the impulses of the joints at `(q, v, t)`. Did
    /// it matter to any body?
    pub fn stiffen(
        &mut self,
        model: &Model,
        (q, v, t): (&[f64], &[f64], f64),
        h: f64,
        impulses: &[f64],
        work: &mut Workspace,
    ) -> bool {
        if !self.may_matter(model, (q, v, t), (h, 1.0), impulses, &work.eval) {
            self.clear();
            return false;
        }
        self.gather(model, q, v, t, h, impulses, &work.eval);
        if self.keep_what_holds(model, 1.0, &mut work.eval) {
            for (i, k) in self.k.iter().enumerate().filter(|(_, k)| **k != Mat3::ZERO) {
                let at = model.v_start[i] as usize;
                if model.bodies[i].plane().is_some() {
                    work.eval.force[at + 2] -= k.z_axis.z * v[at + 2] / h;
                } else {
                    let torque = *k * work.eval.frames[i].w / h;
                    (0..3).for_each(|j| work.eval.force[at + 3 + j] -= torque[j]);
                }
            }
            self.add(model, work);
        }
        self.any
    }

    /// `h² K` from multipliers, wherever it is not small against the inertia: for the matrix of an implicit step. Does
    /// it matter to any body?
    pub fn of_multipliers(
        &mut self,
        model: &Model,
        (q, v, t): (&[f64], &[f64], f64),
        h: f64,
        lambda: &[f64],
        eval: &mut Evaluation,
    ) -> bool {
        self.gather(model, q, v, t, h * h, lambda, eval);
        self.keep_what_holds(model, 1e-2, eval)
    }

    /// `h² K` of every body, in the coordinates of its turning.
    pub fn stiffness(&self) -> &[Mat3] {
        &self.k
    }

    /// Can explicit steps of `h` follow what swings under the tension of these multipliers, up to this limit? The root
    /// of K over the inertia is up to 1.7 times the frequency of a link whose neighbours swing along.
    pub fn followed(
        &mut self,
        model: &Model,
        at: (&[f64], &[f64], f64),
        step: (f64, f64),
        lambda: &[f64],
        eval: &mut Evaluation,
    ) -> bool {
        let mut followed = true;
        self.each_too_fast(model, at, step, lambda, eval, |_| followed = false);
        followed
    }

    /// Bodies that swing too fast for that.
    pub fn each_too_fast(
        &mut self,
        model: &Model,
        (q, v, t): (&[f64], &[f64], f64),
        (h, limit): (f64, f64),
        lambda: &[f64],
        eval: &mut Evaluation,
        mut visit: impl FnMut(usize),
    ) {
        self.gather(model, q, v, t, h * h, lambda, eval);
        for (i, k) in self.k.iter().enumerate() {
            let largest = k.to_cols_array().into_iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            if largest == 0.0 {
                continue;
            }
            let limit = limit * across(model.bodies[i].as_ref(), eval.blocks.diagonal_mut(Node(i as u32)));
            if 3.0 * largest > limit && symmetric_eigen(k).1.into_iter().any(|k| k > limit) {
                visit(i);
            }
        }
        self.clear();
    }

    /// The fastest swing under the tension of these multipliers, rad/s, and the body that swings so: the root of the
    /// largest ratio of K to the inertia.
    pub fn fastest(
        &mut self,
        model: &Model,
        (q, v, t): (&[f64], &[f64], f64),
        lambda: &[f64],
        eval: &mut Evaluation,
    ) -> Option<(usize, f64)> {
        self.gather(model, q, v, t, 1.0, lambda, eval);
        let mut best: Option<(usize, f64)> = None;
        for i in 0..model.n_bodies() {
            let mass = eval.blocks.diagonal_mut(Node(i as u32));
            let (_, stiffness) = symmetric_eigen(&self.k[i]);
            // a motion that has gone wrong presses where it should pull
            let most = stiffness.into_iter().fold(0.0, |most: f64, k| most.max(k.abs()));
            if most > 0.0 {
                let square = most / across(model.bodies[i].as_ref(), mass);
                if best.is_none_or(|b| square > b.1) {
                    best = Some((i, square));
                }
            }
        }
        self.clear();
        best.map(|(i, square)| (i, square.sqrt()))
    }

    /// No stiffness.
    pub fn clear(&mut self) {
        self.k.clear();
        self.any = false;
    }

    /// `a . h² K b` for velocity coordinates a and b.
    pub fn product(&self, model: &Model, a: &[f64], b: &[f64]) -> f64 {
        let held = self.k.iter().enumerate().filter(|(_, k)| **k != Mat3::ZERO);
        held.map(|(i, k)| {
            let v = model.v_start[i] as usize;
            if model.bodies[i].plane().is_some() {
                return a[v + 2] * k.z_axis.z * b[v + 2];
            }
            let spin = |x: &[f64]| Vec3::from_slice(&x[v + 3..v + 6]);
            spin(a).dot(*k * spin(b))
        })
        .sum()
    }

    /// Does it matter to any body?
    pub fn matters(&self) -> bool {
        self.any
    }

    /// Add `h² K` to the mass blocks. Positions that are corrected by what then moves most easily leave taut links
    /// where they point: with the bare masses a light link would rather turn across by a lot than let its load move
    /// along by a little.
    pub fn add(&self, model: &Model, work: &mut Workspace) {
        for (i, k) in self.k.iter().enumerate().filter(|(_, k)| **k != Mat3::ZERO) {
            let mass = work.eval.blocks.diagonal_mut(Node(i as u32));
            if model.bodies[i].plane().is_some() {
                mass[packed::at(3, 2, 2)] += k.z_axis.z;
                continue;
            }
            for row in 0..3 {
                for column in row..3 {
                    mass[1 + packed::at(3, row, column)] += k.col(column)[row];
                }
            }
        }
    }
}

/// What of `k` holds back; zero where that is less than the inertia.
fn positive_part(k: &Mat3, inertia: f64) -> Mat3 {
    // no eigenvalue is larger than three times the largest entry
    let largest = k.to_cols_array().into_iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    if !(9.0 * largest > inertia) {
        return Mat3::ZERO;
    }
    let (axes, values) = symmetric_eigen(k);
    let mut out = Mat3::ZERO;
    for (j, value) in values.into_iter().enumerate().filter(|(_, value)| *value > 0.0) {
        let e = axes.col(j);
        out += Mat3::from_cols(e * e.x, e * e.y, e * e.z) * value;
    }
    if out.x_axis.x + out.y_axis.y + out.z_axis.z > inertia { out } else { Mat3::ZERO }
}
