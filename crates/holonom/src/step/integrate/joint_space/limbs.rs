//! Which bodies move by joint coordinates, and by which: the spanning forest, and what it leaves to equations.
//!
//! A forest of joints is grown from the ground, breadth first, then from the first body of every part that is left. A
//! body below a joint of the forest moves by that joint's coordinates; every other body by its own. Joints that are not
//! in the forest are *cut*: they close a loop, have no chart, or tie bodies whose freedom the chart does not know.
//!
//! A body in a plane has less freedom than its joint leaves it, and so has a point. Their joint is narrowed to the
//! translations and the rotation that both leave free,
//!
//! ```text
//! p = p0 + sum_i u_i tau_i,     R = exp(theta n) R0          n: normal of the plane; tau_i: free, and across n
//! ```
//!
//! in the axes of marker a, p0 and R0 being those of the pose from which a step begins. That is so where the plane
//! above is parallel (or the ground), where the directions number as many as the rows leave, and where a finite motion
//! along all of them at once satisfies the joint; otherwise the joint is cut.

use crate::catalogue::attach::Frame;
use crate::catalogue::bodies::{Body, frame_of};
use crate::catalogue::joints::Chart;
use crate::math::{Mat3, Quat, Vec3};
use crate::model::Model;
use std::collections::VecDeque;

/// What a body's coordinates say about its pose.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Pose {
    /// Reference point and quaternion; velocity of the point and angular velocity.
    Space,
    /// The same in a plane with these axes, the third across it, and this origin.
    Plane { axes: Mat3, origin: Vec3 },
    /// A point.
    Point,
    /// Something else: such a body moves by its own coordinates, and its joints are cut.
    Other,
}

impl Pose {
    fn of(body: &dyn Body, q: &[f64], v: &[f64]) -> Pose {
        let frame = frame_of(body, q, v);
        match body.plane() {
            Some(&axes) if frame.flat && body.n_q() == 3 => {
                Pose::Plane { axes, origin: frame.x - axes.x_axis * q[0] - axes.y_axis * q[1] }
            }
            _ if frame.rigid && body.n_q() == 7 && body.orientation(q).is_some() => Pose::Space,
            _ if body.is_point() => Pose::Point,
            _ => Pose::Other,
        }
    }

    /// The frame at a state; a point has the axes of the world.
    pub fn frame(&self, body: &dyn Body, q: &[f64], v: &[f64]) -> Frame {
        match self {
            Pose::Point => Frame { x: Vec3::from_slice(q), v: Vec3::from_slice(v), ..Frame::GROUND },
            _ => frame_of(body, q, v),
        }
    }

    /// Acceleration of the reference point and angular acceleration, from those of the velocity coordinates.
    pub fn acceleration(&self, x: &[f64]) -> (Vec3, Vec3) {
        match self {
            Pose::Space => (Vec3::from_slice(x), Vec3::from_slice(&x[3..])),
            Pose::Plane { axes, .. } => (axes.x_axis * x[0] + axes.y_axis * x[1], axes.z_axis * x[2]),
            Pose::Point => (Vec3::from_slice(x), Vec3::ZERO),
            Pose::Other => (Vec3::ZERO, Vec3::ZERO),
        }
    }
}

/// A joint narrowed to what a body in a plane, or a point, can follow.
#[derive(Clone, Copy, Debug)]
pub(super) struct Narrow {
    /// Translations, in the axes of marker a; the first `n` count.
    along: [Vec3; 3],
    n: usize,
    /// The axis of the rotation, in the same axes: the normal of the body below.
    pub turn: Option<Vec3>,
    /// The pose from which a step begins.
    p0: Vec3,
    r0: Mat3,
}

impl Narrow {
    pub fn count(&self) -> usize {
        self.n + usize::from(self.turn.is_some())
    }

    pub fn free(&self, k: usize) -> (Vec3, Vec3) {
        if k < self.n { (self.along[k], Vec3::ZERO) } else { (Vec3::ZERO, self.turn.unwrap_or(Vec3::ZERO)) }
    }

    pub fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        let p = (0..self.n).fold(self.p0, |p, k| p + self.along[k] * u[k]);
        let turned = self.turn.map(|n| Mat3::from_quat(half_turned(n, u[self.n])));
        (p, turned.map_or(self.r0, |r| r * self.r0))
    }

    /// Begin at this pose.
    pub fn read(&mut self, p: Vec3, r: Mat3, u: &mut [f64]) {
        (self.p0, self.r0) = (p, r);
        u.fill(0.0);
        for k in 0..self.n {
            u[k] = self.along[k].dot(p);
            self.p0 -= self.along[k] * u[k];
        }
    }
}

fn half_turned(n: Vec3, angle: f64) -> Quat {
    let (s, c) = libm::sincos(0.5 * angle);
    Quat::from_xyzw(n.x * s, n.y * s, n.z * s, c)
}

/// One body's place in the forest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limb {
    pub body: u32,
    /// Joint above it; `None` for a body that moves by its own coordinates.
    pub joint: Option<u32>,
    /// The body is body b of that joint.
    pub is_b: bool,
    /// Where the joint is narrowed.
    pub narrow: Option<Narrow>,
    pub u: u32,
    pub n_u: u32,
    pub w: u32,
    pub n_w: u32,
}

/// The forest, and the joints that it leaves out.
pub(super) struct Forest {
    pub poses: Vec<Pose>,
    pub limbs: Vec<Limb>,
    pub cuts: Vec<u32>,
    pub n_u: usize,
    pub n_w: usize,
}

/// A joint seen from one of its bodies.
#[derive(Clone, Copy)]
struct Branch {
    joint: u32,
    below: u32,
    is_b: bool,
}

impl Forest {
    pub fn new(model: &Model) -> Forest {
        let n = model.n_bodies();
        let state = model.initial_state();
        let pose = |i: usize| Pose::of(model.bodies[i].as_ref(), model.q_of(i, &state.q), model.v_of(i, &state.v));
        let mut out = Forest { poses: (0..n).map(pose).collect(), limbs: Vec::new(), cuts: Vec::new(), n_u: 0, n_w: 0 };
        // of every body, and of the ground (the last), the joints with a chart
        let mut branches: Vec<Vec<Branch>> = vec![Vec::new(); n + 1];
        for (k, joint) in model.joints.iter().enumerate().filter(|(_, j)| j.n_rows > 0) {
            let Some(chart) = joint.constraint.chart() else { continue };
            let (a, b) = chart.markers();
            let slot = |i: Option<usize>| i.unwrap_or(n);
            let joint = k as u32;
            if let Some(b) = b.body.index() {
                branches[slot(a.body.index())].push(Branch { joint, below: b as u32, is_b: true });
            }
            if let Some(a) = a.body.index() {
                branches[slot(b.body.index())].push(Branch { joint, below: a as u32, is_b: false });
            }
        }
        let mut seen = vec![false; n];
        let mut used = vec![false; model.joints.len()];
        for root in std::iter::once(n).chain(0..n) {
            if root < n && std::mem::replace(&mut seen[root], true) {
                continue;
            }
            if root < n {
                out.own(model, root);
            }
            let mut queue = VecDeque::from([root]);
            while let Some(i) = queue.pop_front() {
                for branch in &branches[i] {
                    let below = branch.below as usize;
                    if !seen[below] && out.grow(model, (i < n).then_some(i), branch) {
                        seen[below] = true;
                        used[branch.joint as usize] = true;
                        queue.push_back(below);
                    }
                }
            }
        }
        out.cuts =
            (0..model.joints.len()).filter(|&k| !used[k] && model.joints[k].n_rows > 0).map(|k| k as u32).collect();
        out
    }

    fn push(&mut self, limb: Limb, n_u: usize, n_w: usize) {
        let (u, w) = (self.n_u as u32, self.n_w as u32);
        self.limbs.push(Limb { u, n_u: n_u as u32, w, n_w: n_w as u32, ..limb });
        self.n_u += n_u;
        self.n_w += n_w;
    }

    fn own(&mut self, model: &Model, i: usize) {
        let limb = Limb { body: i as u32, joint: None, is_b: true, narrow: None, u: 0, n_u: 0, w: 0, n_w: 0 };
        self.push(limb, model.bodies[i].n_q(), model.bodies[i].n_dof());
    }

    /// Add the body below a joint, if it can move by that joint's coordinates.
    fn grow(&mut self, model: &Model, above: Option<usize>, branch: &Branch) -> bool {
        let &Branch { joint, below, is_b } = branch;
        let record = &model.joints[joint as usize];
        let Some(chart) = record.constraint.chart() else { return false };
        let pose_above = above.map(|i| self.poses[i]);
        if pose_above == Some(Pose::Other) {
            return false;
        }
        let limb = Limb { body: below, joint: Some(joint), is_b, narrow: None, u: 0, n_u: 0, w: 0, n_w: 0 };
        let narrow = match self.poses[below as usize] {
            Pose::Space if record.n_rows as usize + chart.freedom() == 6 => {
                self.push(limb, chart.n_u(), chart.n_w());
                return true;
            }
            // a point is where the joint holds it, or where its translations have taken it
            Pose::Point if is_b => free_translations(chart, &relative(model, chart, &self.poses).2, None),
            Pose::Point => ([Vec3::ZERO; 3], 0, None),
            Pose::Plane { axes, .. } => match pose_above {
                None => narrowed(model, chart, &self.poses, axes.z_axis),
                Some(Pose::Plane { axes: other, .. }) if parallel(axes.z_axis, other.z_axis) => {
                    narrowed(model, chart, &self.poses, axes.z_axis)
                }
                _ => return false,
            },
            _ => return false,
        };
        let (along, n, turn) = narrow;
        let narrow = Narrow { along, n, turn, p0: Vec3::ZERO, r0: Mat3::IDENTITY };
        if record.n_rows as usize + narrow.count() != 3 {
            return false;
        }
        let point = self.poses[below as usize] == Pose::Point;
        if !point && !satisfies(model, chart, &self.poses, narrow) {
            return false;
        }
        let count = narrow.count();
        self.push(Limb { narrow: Some(narrow), ..limb }, count, count);
        true
    }
}

/// Directions this far off are the same.
const SAME: f64 = 1e-9;

fn parallel(a: Vec3, b: Vec3) -> bool {
    a.cross(b).length() < SAME
}

/// Relative pose of a chart's markers in the start pose, and the coordinates of it.
fn relative(model: &Model, chart: &dyn Chart, poses: &[Pose]) -> (Vec3, Mat3, Vec<f64>, Mat3) {
    let state = model.initial_state();
    let (ma, mb) = chart.markers();
    let placed = |m: &crate::catalogue::attach::Marker| {
        let frame = m.body.index().map_or(Frame::GROUND, |i| {
            poses[i].frame(model.bodies[i].as_ref(), model.q_of(i, &state.q), model.v_of(i, &state.v))
        });
        super::place(&frame, m)
    };
    let (a, b) = (placed(&ma), placed(&mb));
    let back = a.axes.transpose();
    let (p, r) = (back * (b.point - a.point), back * b.axes);
    let mut u = vec![0.0; chart.n_u()];
    chart.read(p, r, &mut u);
    (p, r, u, a.axes)
}

/// Free translations that are none of a rotation too, across `n` where that is given.
fn free_translations(chart: &dyn Chart, u: &[f64], n: Option<Vec3>) -> ([Vec3; 3], usize, Option<Vec3>) {
    let pure: Vec<Vec3> =
        (0..chart.n_w()).map(|k| chart.free(u, k)).filter(|f| f.1 == Vec3::ZERO).map(|f| f.0).collect();
    let basis = orthonormal(&pure);
    // what of n can be followed must not be
    let lost = n.map_or(Vec3::ZERO, |n| basis.iter().map(|e| *e * e.dot(n)).sum());
    let across: Vec<Vec3> = if lost.length() < SAME {
        basis
    } else {
        let m = lost.normalize();
        orthonormal(&basis.iter().map(|e| *e - m * m.dot(*e)).collect::<Vec<_>>())
    };
    let mut along = [Vec3::ZERO; 3];
    along.iter_mut().zip(&across).for_each(|(to, e)| *to = *e);
    (along, across.len(), None)
}

/// A basis of what the vectors span, the largest first.
fn orthonormal(vectors: &[Vec3]) -> Vec<Vec3> {
    let (mut left, mut basis) = (vectors.to_vec(), Vec::new());
    while let Some(e) = left.iter().copied().max_by(|a, b| a.length().total_cmp(&b.length())) {
        if e.length() < 1e-6 || basis.len() == 3 {
            break;
        }
        let e = e.normalize();
        basis.push(e);
        left.iter_mut().for_each(|x| *x -= e * e.dot(*x));
    }
    basis
}

/// What a joint leaves to a body in a plane with normal `n` (world axes) above which everything is parallel to it.
fn narrowed(model: &Model, chart: &dyn Chart, poses: &[Pose], n: Vec3) -> ([Vec3; 3], usize, Option<Vec3>) {
    let (_, _, u, axes_a) = relative(model, chart, poses);
    let n = axes_a.transpose() * n;
    let (along, count, _) = free_translations(chart, &u, Some(n));
    let turns: Vec<Vec3> =
        (0..chart.n_w()).map(|k| chart.free(&u, k)).filter(|f| f.0 == Vec3::ZERO).map(|f| f.1).collect();
    let off = orthonormal(&turns).iter().fold(n, |n, e| n - *e * e.dot(n));
    (along, count, (off.length() < SAME).then_some(n))
}

/// Does the joint hold after a motion along all its directions at once?
fn satisfies(model: &Model, chart: &dyn Chart, poses: &[Pose], mut narrow: Narrow) -> bool {
    let (p, r, mut u, _) = relative(model, chart, poses);
    let mut moved = vec![0.0; narrow.count()];
    narrow.read(p, r, &mut moved);
    let size = 1.0 + p.length();
    for (k, x) in moved.iter_mut().enumerate() {
        *x += size * (0.7 - 0.2 * k as f64);
    }
    let (p, r) = narrow.pose(&moved);
    chart.read(p, r, &mut u);
    let (q, s) = chart.pose(&u);
    let off = r - s;
    (p - q).length() < SAME * size * 10.0
        && off.x_axis.length() + off.y_axis.length() + off.z_axis.length() < 10.0 * SAME
}
