//! Trees in joint coordinates (Baraff 1996, section 2.2): integrate there, solve among the bodies.
//!
//! ```text
//! y = (u, w) of every joint with a body below it, (q, v) of every free root, then the ledger
//! rate:   (u, w) -> (q, v) root to leaf;  accelerations and multipliers among the bodies;  wdot = phi . (relative acceleration)
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

use super::System;
use crate::catalogue::attach::{Frame, read3};
use crate::catalogue::bodies::frame_of;
use crate::catalogue::joints::Chart;
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::math::{Mat3, Vec3, quat_from_axes};
use crate::model::Model;

/// One body's place in the tree of joint coordinates.
#[derive(Clone, Copy, Debug)]
struct Limb {
    body: u32,
    /// Joint above it; `None` for a free root.
    joint: Option<u32>,
    /// The body is body b of that joint.
    is_b: bool,
    u: u32,
    n_u: u32,
    w: u32,
    n_w: u32,
}

/// The tree, and its scratch.
#[derive(Clone, Debug)]
pub(crate) struct JointSpace {
    limbs: Vec<Limb>,
    n_u: usize,
    n_w: usize,
    q: Vec<f64>,
    v: Vec<f64>,
}

impl JointSpace {
    /// Lay out the tree. `Err` says which body or joint cannot take part.
    pub fn new(model: &Model) -> Result<Self, StepError> {
        let n = model.n_bodies();
        let state = model.initial_state();
        for (i, body) in model.bodies.iter().enumerate() {
            if !frame_of(body.as_ref(), model.q_of(i, &state.q), model.v_of(i, &state.v)).rigid {
                let name = model.body_names.get(i);
                return Err(StepError::Invalid(format!(
                    "joint coordinates need rigid bodies; `{name}` is a {}",
                    body.kind()
                )));
            }
        }
        if model.has_loops() {
            return Err(StepError::Invalid(
                "joint coordinates need a tree of joints; some of these close loops".into(),
            ));
        }
        let mut joints_of = vec![Vec::new(); n];
        let mut above: Vec<Option<(u32, bool)>> = vec![None; n];
        let mut queue = std::collections::VecDeque::new();
        for (k, joint) in model.joints.iter().enumerate().filter(|(_, j)| j.n_rows > 0) {
            if joint.constraint.chart().is_none() {
                return Err(StepError::Invalid(format!(
                    "joint coordinates need a chart for every joint; `{}` ({}) has none",
                    model.joint_names.get(k),
                    joint.constraint.kind()
                )));
            }
            let at = joint.constraint.attachments();
            match (at[0].body.index(), at[1].body.index()) {
                (Some(a), Some(b)) => {
                    joints_of[a].push((k as u32, b as u32, true));
                    joints_of[b].push((k as u32, a as u32, false));
                }
                (None, Some(b)) => {
                    above[b] = Some((k as u32, true));
                    queue.push_back(b as u32);
                }
                (Some(a), None) => {
                    above[a] = Some((k as u32, false));
                    queue.push_back(a as u32);
                }
                (None, None) => {}
            }
        }
        let mut seen = vec![false; n];
        queue.iter().for_each(|&b| seen[b as usize] = true);
        let mut limbs = Vec::with_capacity(n);
        let (mut n_u, mut n_w) = (0, 0);
        let mut next_free = 0;
        while limbs.len() < n {
            let Some(body) = queue.pop_front() else {
                // the next tree without a joint to the ground: its first body is a free root
                while seen[next_free] {
                    next_free += 1;
                }
                seen[next_free] = true;
                queue.push_back(next_free as u32);
                continue;
            };
            let i = body as usize;
            let (sizes, joint, is_b) = match above[i] {
                Some((k, is_b)) => {
                    let chart = model.joints[k as usize].constraint.chart();
                    (chart.map_or((0, 0), |c| (c.n_u(), c.n_w())), Some(k), is_b)
                }
                None => ((model.bodies[i].n_q(), model.bodies[i].n_dof()), None, true),
            };
            let (u, w) = (n_u as u32, n_w as u32);
            n_u += sizes.0;
            n_w += sizes.1;
            limbs.push(Limb { body, joint, is_b, u, n_u: sizes.0 as u32, w, n_w: sizes.1 as u32 });
            for &(k, other, other_is_b) in &joints_of[i] {
                if !seen[other as usize] {
                    seen[other as usize] = true;
                    above[other as usize] = Some((k, other_is_b));
                    queue.push_back(other);
                }
            }
        }
        Ok(JointSpace { limbs, n_u, n_w, q: vec![0.0; model.n_q()], v: vec![0.0; model.n_v()] })
    }

    pub fn system<'a>(&'a mut self, model: &'a Model, work: &'a mut Workspace, n_ledger: usize) -> JointSystem<'a> {
        JointSystem { space: self, model, work, n_ledger }
    }
}

pub(crate) struct JointSystem<'a> {
    space: &'a mut JointSpace,
    model: &'a Model,
    work: &'a mut Workspace,
    n_ledger: usize,
}

/// Pose of a marker in the world: point, axes, and lever arm from the body's reference point.
struct Placed {
    point: Vec3,
    axes: Mat3,
}

fn place(frame: &Frame, marker: &crate::catalogue::attach::Marker) -> Placed {
    Placed { point: frame.x + frame.r_wb * (marker.point - frame.origin), axes: frame.r_wb * marker.axes }
}

/// Relative twist of b against a at b's point, in a's axes.
fn relative_twist(a: &Frame, b: &Frame, at_a: &Placed, at_b: &Placed) -> (Vec3, Vec3) {
    let p = at_b.point;
    let u = b.v + b.w.cross(p - b.x) - a.v - a.w.cross(p - a.x);
    let back = at_a.axes.transpose();
    (back * u, back * (b.w - a.w))
}

impl JointSystem<'_> {
    fn frames(&self, limb: &Limb) -> Option<(&dyn Chart, Frame, Frame)> {
        let joint = &self.model.joints[limb.joint? as usize];
        let at = joint.constraint.attachments();
        let frame = |k: usize| at[k].body.index().map_or(Frame::GROUND, |i| self.work.eval.frames[i]);
        Some((joint.constraint.chart()?, frame(0), frame(1)))
    }

    pub fn load(&mut self, q: &[f64], v: &[f64], ledger: &[f64], y: &mut Vec<f64>) {
        evaluate::place_bodies(self.model, q, v, &mut self.work.eval);
        y.clear();
        y.resize(self.len(), 0.0);
        let n_u = self.space.n_u;
        for limb in &self.space.limbs {
            let (u0, w0) = (limb.u as usize, n_u + limb.w as usize);
            let (left, right) = y.split_at_mut(w0);
            let (u, w) = (&mut left[u0..u0 + limb.n_u as usize], &mut right[..limb.n_w as usize]);
            if let Some((chart, a, b)) = self.frames(limb) {
                let (ma, mb) = chart.markers();
                let (at_a, at_b) = (place(&a, &ma), place(&b, &mb));
                let back = at_a.axes.transpose();
                chart.read(back * (at_b.point - at_a.point), back * at_b.axes, u);
                let (lin, ang) = relative_twist(&a, &b, &at_a, &at_b);
                for k in 0..w.len() {
                    let (pl, pa) = chart.free(u, k);
                    w[k] = pl.dot(lin) + pa.dot(ang);
                }
            } else {
                u.copy_from_slice(self.model.q_of(limb.body as usize, q));
                w.copy_from_slice(self.model.v_of(limb.body as usize, v));
            }
        }
        let n = self.n_controlled();
        y[n..].copy_from_slice(ledger);
    }

    pub fn store(&mut self, y: &[f64], q: &mut [f64], v: &mut [f64], ledger: &mut [f64]) {
        self.to_bodies(y);
        // a quaternion and its negative are one orientation: stay on the side of the one before
        for limb in self.space.limbs.iter().filter(|limb| limb.joint.is_some()) {
            let e = self.model.q_start[limb.body as usize] as usize + 3;
            let new = &mut self.space.q[e..e + 4];
            if new.iter().zip(&q[e..e + 4]).map(|(a, b)| a * b).sum::<f64>() < 0.0 {
                new.iter_mut().for_each(|x| *x = -*x);
            }
        }
        q.copy_from_slice(&self.space.q);
        v.copy_from_slice(&self.space.v);
        ledger.copy_from_slice(&y[self.n_controlled()..]);
    }

    /// Poses and velocities of all bodies, root to leaf, into `space.q` and `space.v`; frames are left up to date.
    fn to_bodies(&mut self, y: &[f64]) {
        let model = self.model;
        let mut q = std::mem::take(&mut self.space.q);
        let mut v = std::mem::take(&mut self.space.v);
        for l in 0..self.space.limbs.len() {
            let limb = self.space.limbs[l];
            let i = limb.body as usize;
            let u = &y[limb.u as usize..(limb.u + limb.n_u) as usize];
            let w = &y[self.space.n_u + limb.w as usize..][..limb.n_w as usize];
            let (qr, vr) = (
                model.q_start[i] as usize..model.q_start[i + 1] as usize,
                model.v_start[i] as usize..model.v_start[i + 1] as usize,
            );
            if let Some((chart, a, b)) = self.frames(&limb) {
                let (ma, mb) = chart.markers();
                let (p, r) = chart.pose(u);
                let (mut lin, mut ang) = (Vec3::ZERO, Vec3::ZERO);
                for (k, w) in w.iter().enumerate() {
                    let (pl, pa) = chart.free(u, k);
                    lin += pl * *w;
                    ang += pa * *w;
                }
                let body = model.bodies[i].as_ref();
                let origin = frame_of(body, &q[qr.clone()], &v[vr.clone()]).origin;
                let (x, axes, velocity, spin) = if limb.is_b {
                    let at_a = place(&a, &ma);
                    let point = at_a.point + at_a.axes * p;
                    // marker axes are orthonormal: their transpose is their inverse
                    let axes = at_a.axes * r * mb.axes.transpose();
                    let x = point + axes * (origin - mb.point);
                    let spin = a.w + at_a.axes * ang;
                    let at_point = a.v + a.w.cross(point - a.x) + at_a.axes * lin;
                    (x, axes, at_point + spin.cross(x - point), spin)
                } else {
                    let at_b = place(&b, &mb);
                    let marker = at_b.axes * r.transpose();
                    let axes = marker * ma.axes.transpose();
                    let point_a = at_b.point - marker * p;
                    let x = point_a + axes * (origin - ma.point);
                    let spin = b.w - marker * ang;
                    let at_point = b.v + b.w.cross(at_b.point - b.x) - marker * lin;
                    (x, axes, at_point + spin.cross(x - at_b.point), spin)
                };
                let e = quat_from_axes(axes);
                q[qr.clone()].copy_from_slice(&[x.x, x.y, x.z, e.w, e.x, e.y, e.z]);
                v[vr.clone()].copy_from_slice(&[velocity.x, velocity.y, velocity.z, spin.x, spin.y, spin.z]);
            } else {
                q[qr.clone()].copy_from_slice(u);
                v[vr.clone()].copy_from_slice(w);
            }
            model.bodies[i].place(&q[qr], &v[vr], &mut self.work.eval.frames[i]);
        }
        self.space.q = q;
        self.space.v = v;
    }
}

impl System for JointSystem<'_> {
    fn len(&self) -> usize {
        self.n_controlled() + self.n_ledger
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
        self.to_bodies(y);
        let (q, v) = (&self.space.q, &self.space.v);
        dynamics::accelerations(self.model, q, v, t, None, self.work)?;
        dynamics::powers(self.model, q, v, self.work);
        let (n_u, controlled) = (self.space.n_u, self.n_controlled());
        for limb in &self.space.limbs {
            let i = limb.body as usize;
            let u = &y[limb.u as usize..(limb.u + limb.n_u) as usize];
            let w = &y[n_u + limb.w as usize..][..limb.n_w as usize];
            let (left, right) = dy.split_at_mut(n_u);
            let u_rate = &mut left[limb.u as usize..(limb.u + limb.n_u) as usize];
            let w_rate = &mut right[limb.w as usize..(limb.w + limb.n_w) as usize];
            if let Some((chart, a, b)) = self.frames(limb) {
                chart.u_rate(u, w, u_rate);
                let (ma, mb) = chart.markers();
                let (at_a, at_b) = (place(&a, &ma), place(&b, &mb));
                let at = self.model.joints[limb.joint.unwrap_or(0) as usize].constraint.attachments();
                let acceleration = |k: usize| {
                    at[k].body.index().map_or((Vec3::ZERO, Vec3::ZERO), |i| {
                        let x = self.model.v_of(i, &self.work.kkt.x);
                        (read3(x), read3(&x[3..]))
                    })
                };
                let ((xa, wa), (xb, wb)) = (acceleration(0), acceleration(1));
                let (ra, rb) = (at_b.point - a.x, at_b.point - b.x);
                let (sa, sb) = (a.w.cross(ra), b.w.cross(rb));
                let slip = b.v + sb - a.v - sa;
                let lin = xb + wb.cross(rb) - xa - wa.cross(ra) + b.w.cross(sb) - a.w.cross(sa + 2.0 * slip);
                let ang = wb - wa + b.w.cross(a.w);
                let back = at_a.axes.transpose();
                let (lin, ang) = (back * lin, back * ang);
                for k in 0..w_rate.len() {
                    let (pl, pa) = chart.free(u, k);
                    w_rate[k] = pl.dot(lin) + pa.dot(ang);
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
        for limb in &self.space.limbs {
            let u = &mut y[limb.u as usize..(limb.u + limb.n_u) as usize];
            match limb.joint.and_then(|k| self.model.joints[k as usize].constraint.chart()) {
                Some(chart) => chart.normalise(u),
                None => self.model.bodies[limb.body as usize].normalise(u),
            }
        }
    }
}
