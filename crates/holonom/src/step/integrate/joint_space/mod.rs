//! Joint coordinates (Baraff 1996, section 2.2): integrate there, solve among the bodies.
//!
//! ```text
//! y = (u, w) of every joint of a spanning forest, (q, v) of every other body, then the ledger
//! rate:   (u, w) -> (q, v) root to leaf;  accelerations and multipliers among the bodies;  wdot = psi . (relative acceleration) + drift
//! ```
//!
//! With axes E fixed to the parent marker a, r_a and r_b from the bodies' reference points to the point of b, and u'
//! the relative velocity there, the relative acceleration seen in a's axes is
//!
//! ```text
//! linear    xddot_b + wdot_b × r_b - xddot_a - wdot_a × r_a + w_b × (w_b × r_b) - w_a × (w_a × r_a) - 2 w_a × u'
//! angular   wdot_b - wdot_a + w_b × w_a          (as in the lock rows)
//! ```
//!
//! When the child is body a of its joint, the chart is run backwards: pose and twist of a follow from those of b.
//!
//! Which joints are in the forest is in [`limbs`]. Those that are not, the *cut* ones, remain equations among the
//! bodies like all others: accelerations satisfy them exactly, and what they drift by is taken back after a step by a
//! projection in the space of joint coordinates. The step of projection.md,
//!
//! ```text
//! minimise 1/2 d . M d   subject to   J d = - C          H (d, .) = (0, C)
//! ```
//!
//! with C = 0 in all rows of the forest asks for a d that these rows allow: d is then the image of rates dw of the
//! forest, the ones least in the kinetic energy that close the cut rows to first order. Reading dw from d and moving u
//! by it leaves the forest closed, whatever the length of the step; the rest is Newton's method.

mod carry;
mod limbs;
mod rates;

use super::System;
use crate::catalogue::attach::{Frame, Marker};
use crate::catalogue::joints::Chart;
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate::Feedback;
use crate::evaluate::convergence::Island;
use crate::math::{Mat3, Vec3, quat_from_axes};
use crate::model::Model;
use crate::step::drift;
use carry::Carrier;
use limbs::{Forest, Limb, Pose};

/// The forest, and its scratch.
#[derive(Clone, Debug)]
pub(crate) struct JointSpace {
    limbs: Vec<Limb>,
    poses: Vec<Pose>,
    cuts: Vec<u32>,
    n_u: usize,
    n_w: usize,
    q: Vec<f64>,
    v: Vec<f64>,
    frames: Vec<Frame>,
    /// Of bodies in a plane: the angle when a step began, and by how much it has turned since.
    angles: Vec<(f64, f64)>,
    /// Rates w of the stage.
    w: Vec<f64>,
    /// Scratch of [`JointSpace::advance`].
    y: Vec<f64>,
    /// The forest once more, where all its joints are locks.
    carrier: Option<Carrier>,
}

impl JointSpace {
    /// Lay out the forest.
    pub fn new(model: &Model) -> Self {
        let Forest { poses, limbs, cuts, n_u, n_w } = Forest::new(model);
        let n = model.n_bodies();
        JointSpace {
            carrier: Carrier::new(model, &limbs, &poses),
            limbs,
            poses,
            cuts,
            n_u,
            n_w,
            q: vec![0.0; model.n_q()],
            v: vec![0.0; model.n_v()],
            frames: vec![Frame::GROUND; n],
            angles: vec![(0.0, 0.0); n],
            w: vec![0.0; n_w],
            y: Vec::new(),
        }
    }

    /// Joints that remain equations.
    pub fn cuts(&self) -> &[u32] {
        &self.cuts
    }

    pub fn system<'a>(
        &'a mut self,
        model: &'a Model,
        work: &'a mut Workspace,
        feedback: Option<Feedback>,
        projected: bool,
    ) -> JointSystem<'a> {
        // in the forest there is nothing to feed back
        let feedback = feedback.filter(|_| !self.cuts.is_empty());
        JointSystem { space: self, model, work, feedback, projected, near: false }
    }

    /// Frames of a limb's joint: those of bodies a and b.
    fn joint<'m>(&self, model: &'m Model, limb: &Limb) -> Option<(&'m dyn Chart, Frame, Frame)> {
        let chart = model.joints[limb.joint? as usize].constraint.chart()?;
        let (a, b) = chart.markers();
        let frame = |m: Marker| m.body.index().map_or(Frame::GROUND, |i| self.frames[i]);
        Some((chart, frame(a), frame(b)))
    }

    /// (u, w) of a state, into the first entries of `y`; steps of narrowed joints begin here.
    fn read(&mut self, model: &Model, q: &[f64], v: &[f64], y: &mut [f64]) {
        for i in 0..model.n_bodies() {
            self.frames[i] = self.poses[i].frame(model.bodies[i].as_ref(), model.q_of(i, q), model.v_of(i, v));
            self.angles[i] = (model.bodies[i].angle(model.q_of(i, q)).unwrap_or(0.0), 0.0);
        }
        for l in 0..self.limbs.len() {
            let limb = self.limbs[l];
            let (u0, w0) = (limb.u as usize, self.n_u + limb.w as usize);
            let (left, right) = y.split_at_mut(w0);
            let (u, w) = (&mut left[u0..u0 + limb.n_u as usize], &mut right[..limb.n_w as usize]);
            if let Some((chart, a, b)) = self.joint(model, &limb) {
                let (ma, mb) = chart.markers();
                let (at_a, at_b) = (place(&a, &ma), place(&b, &mb));
                let back = at_a.axes.transpose();
                let (p, r) = (back * (at_b.point - at_a.point), back * at_b.axes);
                match &mut self.limbs[l].narrow {
                    Some(narrow) => narrow.read(p, r, u),
                    None => chart.read(p, r, u),
                }
                self.limbs[l].rates(chart, u, relative_twist(&a, &b, &at_a, &at_b), w);
            } else {
                u.copy_from_slice(model.q_of(limb.body as usize, q));
                w.copy_from_slice(model.v_of(limb.body as usize, v));
            }
        }
    }

    /// Move `q` by `d dt` with dt = 1, along the joints of the forest: `d` is a velocity of the bodies that they allow.
    /// Only islands that are active.
    pub fn advance(&mut self, model: &Model, q: &mut [f64], d: &[f64], islands: &[Island]) {
        self.move_limbs(model, q, &d[..model.n_v()], 1.0);
        for i in (0..model.n_bodies()).filter(|&i| islands[model.island[i] as usize].active) {
            model.q_of_mut(i, q).copy_from_slice(model.q_of(i, &self.q));
        }
    }

    /// Move `q` along the joints of the forest for a time `h` at the rates that its joints have in the velocities `v`.
    pub fn carry(&mut self, model: &Model, q: &mut [f64], v: &[f64], h: f64) {
        if let Some(carrier) = &mut self.carrier {
            return carrier.carry(model, q, v, h);
        }
        self.move_limbs(model, q, v, h);
        q.copy_from_slice(&self.q);
    }

    /// Where all bodies come when every joint keeps its rates for a time `h`, and how they move there, into `self.q`
    /// and `self.v`.
    fn move_limbs(&mut self, model: &Model, q: &[f64], v: &[f64], h: f64) {
        let mut y = std::mem::take(&mut self.y);
        y.clear();
        y.resize(self.n_u + self.n_w, 0.0);
        self.read(model, q, v, &mut y);
        let (us, ws) = y.split_at_mut(self.n_u);
        for limb in &self.limbs {
            let u = &mut us[limb.u as usize..][..limb.n_u as usize];
            let w = &ws[limb.w as usize..][..limb.n_w as usize];
            match limb.joint.and_then(|k| model.joints[k as usize].constraint.chart()) {
                Some(_) if limb.narrow.is_some() => u.iter_mut().zip(w).for_each(|(u, w)| *u += h * w),
                Some(chart) => move_chart(chart, u, w, h),
                None => model.bodies[limb.body as usize].advance(u, w, h),
            }
        }
        self.to_bodies(model, &y);
        self.keep_signs(model, q);
        self.y = y;
    }

    /// A quaternion and its negative are one orientation: stay on the side of the one before.
    fn keep_signs(&mut self, model: &Model, q: &[f64]) {
        for limb in self.limbs.iter().filter(|l| l.joint.is_some() && self.poses[l.body as usize] == Pose::Space) {
            let e = model.q_start[limb.body as usize] as usize + 3;
            let new = &mut self.q[e..e + 4];
            if new.iter().zip(&q[e..e + 4]).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                new.iter_mut().for_each(|x| *x = -*x);
            }
        }
    }

    /// Poses and velocities of all bodies, root to leaf, into `q` and `v`; frames are left up to date.
    fn to_bodies(&mut self, model: &Model, y: &[f64]) {
        for l in 0..self.limbs.len() {
            let limb = self.limbs[l];
            let i = limb.body as usize;
            let u = &y[limb.u as usize..][..limb.n_u as usize];
            let w = &y[self.n_u + limb.w as usize..][..limb.n_w as usize];
            match self.joint(model, &limb) {
                Some((chart, a, b)) => {
                    let placed = limb.below(chart, &a, &b, self.frames[i].origin, u, w);
                    self.put(model, &limb, chart, u, &placed);
                }
                None => {
                    model.q_of_mut(i, &mut self.q).copy_from_slice(u);
                    self.v[model.v_start[i] as usize..][..w.len()].copy_from_slice(w);
                    self.angles[i].1 = model.bodies[i].angle(u).map_or(0.0, |angle| angle - self.angles[i].0);
                }
            }
            let (q, v) = (model.q_of(i, &self.q), model.v_of(i, &self.v));
            self.frames[i] = self.poses[i].frame(model.bodies[i].as_ref(), q, v);
        }
    }

    /// Coordinates of a body from its frame.
    fn put(&mut self, model: &Model, limb: &Limb, chart: &dyn Chart, u: &[f64], to: &Frame) {
        let i = limb.body as usize;
        let (q0, v0) = (model.q_start[i] as usize, model.v_start[i] as usize);
        match self.poses[i] {
            Pose::Space => {
                let e = quat_from_axes(to.r_wb);
                self.q[q0..q0 + 7].copy_from_slice(&[to.x.x, to.x.y, to.x.z, e.w, e.x, e.y, e.z]);
                self.v[v0..v0 + 6].copy_from_slice(&[to.v.x, to.v.y, to.v.z, to.w.x, to.w.y, to.w.z]);
            }
            Pose::Plane { axes, origin } => {
                // angles add up along the forest, and with them the turns
                let (ma, mb) = chart.markers();
                let above = if limb.is_b { ma.body } else { mb.body };
                let turned_above = above.index().map_or(0.0, |k| match self.poses[k] {
                    Pose::Plane { axes: other, .. } => self.angles[k].1 * 1f64.copysign(other.z_axis.dot(axes.z_axis)),
                    _ => 0.0,
                });
                let by = limb.narrow.filter(|n| n.turn.is_some()).map_or(0.0, |n| u[n.count() - 1]);
                let turned = turned_above + if limb.is_b { by } else { -by };
                self.angles[i].1 = turned;
                let d = to.x - origin;
                let angle = self.angles[i].0 + turned;
                self.q[q0..q0 + 3].copy_from_slice(&[axes.x_axis.dot(d), axes.y_axis.dot(d), angle]);
                let v = [axes.x_axis.dot(to.v), axes.y_axis.dot(to.v), axes.z_axis.dot(to.w)];
                self.v[v0..v0 + 3].copy_from_slice(&v);
            }
            Pose::Point | Pose::Other => {
                to.x.write_to_slice(&mut self.q[q0..q0 + 3]);
                to.v.write_to_slice(&mut self.v[v0..v0 + 3]);
            }
        }
    }
}

impl Limb {
    fn free(&self, chart: &dyn Chart, u: &[f64], k: usize) -> (Vec3, Vec3) {
        self.narrow.as_ref().map_or_else(|| chart.free(u, k), |n| n.free(k))
    }

    fn rate_row(&self, chart: &dyn Chart, u: &[f64], k: usize) -> (Vec3, Vec3) {
        self.narrow.as_ref().map_or_else(|| chart.rate_row(u, k), |n| n.free(k))
    }

    /// Rates of a relative twist.
    fn rates(&self, chart: &dyn Chart, u: &[f64], (lin, ang): (Vec3, Vec3), w: &mut [f64]) {
        for (k, w) in w.iter_mut().enumerate() {
            let (pl, pa) = self.rate_row(chart, u, k);
            *w = pl.dot(lin) + pa.dot(ang);
        }
    }

    /// Where the body below the joint is and how it moves; `origin` is its reference point in its own axes.
    fn below(&self, chart: &dyn Chart, a: &Frame, b: &Frame, origin: Vec3, u: &[f64], w: &[f64]) -> Frame {
        let (ma, mb) = chart.markers();
        let (p, r) = self.narrow.as_ref().map_or_else(|| chart.pose(u), |n| n.pose(u));
        let (mut lin, mut ang) = (Vec3::ZERO, Vec3::ZERO);
        for (k, w) in w.iter().enumerate() {
            let (pl, pa) = self.free(chart, u, k);
            lin += pl * *w;
            ang += pa * *w;
        }
        if self.is_b {
            let at_a = place(a, &ma);
            let point = at_a.point + at_a.axes * p;
            // marker axes are orthonormal: their transpose is their inverse
            let axes = at_a.axes * r * mb.axes.transpose();
            let x = point + axes * (origin - mb.point);
            let spin = a.w + at_a.axes * ang;
            let at_point = a.v + a.w.cross(point - a.x) + at_a.axes * lin;
            Frame { x, r_wb: axes, v: at_point + spin.cross(x - point), w: spin, ..Frame::GROUND }
        } else {
            let at_b = place(b, &mb);
            let marker = at_b.axes * r.transpose();
            let axes = marker * ma.axes.transpose();
            let point_a = at_b.point - marker * p;
            let x = point_a + axes * (origin - ma.point);
            let spin = b.w - marker * ang;
            let at_point = b.v + b.w.cross(at_b.point - b.x) - marker * lin;
            Frame { x, r_wb: axes, v: at_point + spin.cross(x - at_b.point), w: spin, ..Frame::GROUND }
        }
    }
}

/// Move coordinates at constant rates. Where the last four are a quaternion e and the last three rates its angular
/// velocity w, a turn by the angle a = |w| h is e + tan(a/2)/(a/2) h edot, brought to unit length.
fn move_chart(chart: &dyn Chart, u: &mut [f64], w: &[f64], h: f64) {
    // coordinates are at most seven
    let mut rate = [0.0; 8];
    let rate = &mut rate[..u.len()];
    chart.u_rate(u, w, rate);
    let turns = if u.len() == w.len() + 1 { 4 } else { 0 };
    let (straight, turning) = u.split_at_mut(rate.len() - turns);
    straight.iter_mut().zip(&*rate).for_each(|(u, rate)| *u += h * rate);
    if let ([.., x, y, z], 4) = (w, turns) {
        let half = 0.5 * h * (x * x + y * y + z * z).sqrt();
        let part = if half.abs() < 1e-4 { 1.0 + half * half / 3.0 } else { libm::tan(half) / half };
        turning.iter_mut().zip(&rate[rate.len() - 4..]).for_each(|(u, rate)| *u += part * h * rate);
        chart.normalise(u);
    }
}

/// Pose of a marker in the world: point and axes.
struct Placed {
    point: Vec3,
    axes: Mat3,
}

fn place(frame: &Frame, marker: &Marker) -> Placed {
    Placed { point: frame.x + frame.r_wb * (marker.point - frame.origin), axes: frame.r_wb * marker.axes }
}

/// Relative twist of b against a at b's point, in a's axes.
fn relative_twist(a: &Frame, b: &Frame, at_a: &Placed, at_b: &Placed) -> (Vec3, Vec3) {
    let p = at_b.point;
    let u = b.v + b.w.cross(p - b.x) - a.v - a.w.cross(p - a.x);
    let back = at_a.axes.transpose();
    (back * u, back * (b.w - a.w))
}

pub(crate) struct JointSystem<'a> {
    space: &'a mut JointSpace,
    model: &'a Model,
    work: &'a mut Workspace,
    feedback: Option<Feedback>,
    /// The end of the step will be projected onto the constraints.
    projected: bool,
    /// A rate was found near a singular pose.
    near: bool,
}

impl JointSystem<'_> {
    pub fn load(&mut self, q: &[f64], v: &[f64], ledger: &[f64], y: &mut Vec<f64>) {
        y.clear();
        y.resize(self.len(), 0.0);
        self.space.read(self.model, q, v, y);
        let n = self.n_controlled();
        y[n..].copy_from_slice(ledger);
    }

    pub fn store(&mut self, y: &[f64], q: &mut [f64], v: &mut [f64], ledger: &mut [f64]) {
        self.space.to_bodies(self.model, y);
        self.space.keep_signs(self.model, q);
        q.copy_from_slice(&self.space.q);
        v.copy_from_slice(&self.space.v);
        ledger.copy_from_slice(&y[self.n_controlled()..]);
    }

    /// As in maximal coordinates: near a singular pose the velocities of a stage are made legal first.
    #[cold]
    fn legal_rates(&mut self, t: f64, y: &[f64]) -> Result<(), StepError> {
        self.near = true;
        let (model, n_v) = (self.model, self.model.n_v());
        let mut near = vec![false; model.n_islands];
        for &x in self.work.kkt.solver.near_singular() {
            near[model.island_of_row(x as usize - n_v)] = true;
        }
        let (q, mut v) = (self.space.q.clone(), self.space.v.clone());
        drift::close_rates_of(model, &q, &mut v, t, |i| near[i], false, self.work)?;
        dynamics::accelerations(model, &q, &v, t, self.feedback, self.work)?;
        for i in 0..model.n_bodies() {
            let (q, v) = (model.q_of(i, &q), model.v_of(i, &v));
            self.space.frames[i] = self.space.poses[i].frame(model.bodies[i].as_ref(), q, v);
        }
        for limb in &self.space.limbs {
            let u = &y[limb.u as usize..][..limb.n_u as usize];
            let joint = self.space.joint(model, limb);
            let w = &mut self.space.w[limb.w as usize..][..limb.n_w as usize];
            match joint {
                Some((chart, a, b)) => {
                    let (ma, mb) = chart.markers();
                    limb.rates(chart, u, relative_twist(&a, &b, &place(&a, &ma), &place(&b, &mb)), w);
                }
                None => w.copy_from_slice(model.v_of(limb.body as usize, &v)),
            }
        }
        self.space.v = v;
        Ok(())
    }
}

impl System for JointSystem<'_> {
    fn len(&self) -> usize {
        self.n_controlled() + self.work.eval.power.len()
    }
    fn n_controlled(&self) -> usize {
        self.space.n_u + self.space.n_w
    }

    /// Lengths and angles are not told apart here: the smaller of the two sizes serves both.
    fn sizes(&self, out: &mut Vec<f64>) {
        let (length, rate) = (self.model.length_scale().min(1.0), self.model.rate_scale());
        out.clear();
        out.resize(self.space.n_u, length);
        out.resize(self.n_controlled(), length * rate);
    }

    fn rate(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), StepError> {
        let (n_u, controlled) = (self.space.n_u, self.n_controlled());
        self.space.to_bodies(self.model, y);
        self.space.w.copy_from_slice(&y[n_u..controlled]);
        dynamics::accelerations(self.model, &self.space.q, &self.space.v, t, self.feedback, self.work)?;
        if !self.space.cuts.is_empty() && !self.work.kkt.solver.near_singular().is_empty() {
            self.legal_rates(t, y)?;
        }
        dynamics::powers(self.model, &self.space.q, &self.space.v, self.work);
        for limb in &self.space.limbs {
            let i = limb.body as usize;
            let u = &y[limb.u as usize..][..limb.n_u as usize];
            let w = &self.space.w[limb.w as usize..][..limb.n_w as usize];
            let (left, right) = dy.split_at_mut(n_u);
            let u_rate = &mut left[limb.u as usize..][..limb.n_u as usize];
            let w_rate = &mut right[limb.w as usize..][..limb.n_w as usize];
            if let Some((chart, a, b)) = self.space.joint(self.model, limb) {
                let vdot = &self.work.kkt.x;
                self.space.accelerations_of_limb(self.model, limb, (chart, &a, &b), (u, w), vdot, w_rate);
                match limb.narrow {
                    Some(_) => u_rate.copy_from_slice(w),
                    None => chart.u_rate(u, w, u_rate),
                }
            } else {
                self.model.bodies[i].q_rate(u, w, u_rate);
                w_rate.copy_from_slice(self.model.v_of(i, &self.work.kkt.x));
            }
        }
        dy[controlled..].copy_from_slice(&self.work.eval.power);
        Ok(())
    }

    fn normalise(&self, y: &mut [f64]) {
        for limb in self.space.limbs.iter().filter(|l| l.narrow.is_none()) {
            let u = &mut y[limb.u as usize..(limb.u + limb.n_u) as usize];
            match limb.joint.and_then(|k| self.model.joints[k as usize].constraint.chart()) {
                Some(chart) => chart.normalise(u),
                None => self.model.bodies[limb.body as usize].normalise(u),
            }
        }
    }

    fn passes_singular(&self) -> bool {
        self.near && self.projected
    }

    #[cold]
    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<(), StepError> {
        let JointSystem { space, model, work, .. } = self;
        space.to_bodies(model, y);
        let (mut q, mut v) = (space.q.clone(), space.v.clone());
        dynamics::accelerations(model, &q, &v, t, self.feedback, work)?;
        let mut along =
            |model: &Model, q: &mut [f64], d: &[f64], islands: &[Island]| space.advance(model, q, d, islands);
        drift::project_along(model, &mut q, &mut v, t, 0.0, work, &mut along)?;
        space.read(model, &q, &v, y);
        Ok(())
    }
}
