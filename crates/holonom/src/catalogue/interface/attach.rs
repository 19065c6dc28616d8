//! The narrow waist: what bodies tell, and what everything else is written against.
//!
//! A body kind answers one question: *you carry this point, this direction, your spin; where is it, how fast does it
//! move, and which generalised force does a push on it make?* Constraints and forces are written against those answers,
//! so body kinds and joint kinds never meet.

use super::Body;
use crate::math::{Mat3, Vec3, perpendicular, unwrap_angle, vec3};
use std::sync::Arc;

/// A body of a model. [`BodyId::GROUND`] is the world, which never moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BodyId(pub(crate) u32);

impl BodyId {
    /// The fixed world.
    pub const GROUND: BodyId = BodyId(u32::MAX);

    /// Is this the fixed world?
    pub fn is_ground(self) -> bool {
        self == BodyId::GROUND
    }

    /// The body created as number `index` (from 0). A number beyond the last body is refused when the model is built.
    pub fn from_index(index: usize) -> BodyId {
        BodyId(index as u32)
    }

    /// Position in the order of creation; `None` for the ground.
    pub fn index(self) -> Option<usize> {
        (!self.is_ground()).then_some(self.0 as usize)
    }

    /// A point of this body, in its own axes and from its own origin (m).
    pub fn at(self, point: impl Into<Vec3>) -> Marker {
        Marker { body: self, point: point.into(), axes: Mat3::IDENTITY }
    }

    /// The origin of this body.
    pub fn origin(self) -> Marker {
        self.at(Vec3::ZERO)
    }
}

/// A point of a body together with a set of axes there: what joints connect. The z axis is the axis of joints that have
/// one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Marker {
    /// The body that carries it.
    pub body: BodyId,
    /// From the body's origin, in the body's axes, m.
    pub point: Vec3,
    /// Columns x, y, z in the body's axes, orthonormal.
    pub axes: Mat3,
}

impl Marker {
    /// The same point with its z axis along `axis` (body axes, any length); x and y are chosen, the same way for the
    /// same axis.
    pub fn along(self, axis: impl Into<Vec3>) -> Marker {
        let z = axis.into().normalize();
        let (x, y) = perpendicular(z);
        Marker { axes: Mat3::from_cols(x, y, z), ..self }
    }

    /// The same point with z along `z` and x as near to `x` as possible.
    pub fn axes(self, x: impl Into<Vec3>, z: impl Into<Vec3>) -> Marker {
        let z = z.into().normalize();
        let y = z.cross(x.into()).normalize();
        Marker { axes: Mat3::from_cols(y.cross(z), y, z), ..self }
    }

    /// Its x axis, as a direction carried by the body.
    pub fn x(&self) -> Attachment {
        self.direction(self.axes.x_axis)
    }
    /// Its y axis.
    pub fn y(&self) -> Attachment {
        self.direction(self.axes.y_axis)
    }
    /// Its z axis.
    pub fn z(&self) -> Attachment {
        self.direction(self.axes.z_axis)
    }
    /// The spin of its body.
    pub fn spin(&self) -> Attachment {
        Attachment::spin(self.body)
    }
    /// Its point, as carried by the body.
    pub fn p(&self) -> Attachment {
        Attachment { body: self.body, what: AttachmentKind::Point(self.point) }
    }
    fn direction(&self, d: Vec3) -> Attachment {
        Attachment { body: self.body, what: AttachmentKind::Direction(d) }
    }
}

/// Something a body may carry, in the body's own axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AttachmentKind {
    /// A point, from the body's origin (m).
    Point(Vec3),
    /// A direction. Bodies that deform may stretch it.
    Direction(Vec3),
    /// The angular velocity: its `at` is zero, its `rate` the angular velocity; a push on it is a torque.
    Spin,
}

impl AttachmentKind {
    /// "a point", "a direction", "a spin": for messages.
    pub fn describe(&self) -> &'static str {
        match self {
            AttachmentKind::Point(_) => "a point",
            AttachmentKind::Direction(_) => "a direction",
            AttachmentKind::Spin => "a spin",
        }
    }
}

/// What is attached to which body; fixed when the model is built.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attachment {
    /// The body that carries it.
    pub body: BodyId,
    /// What it carries.
    pub what: AttachmentKind,
}

impl Attachment {
    /// The point carried, in body coordinates; zero where it is not a point.
    pub(crate) fn carried_point(&self) -> Vec3 {
        match self.what {
            AttachmentKind::Point(p) => p,
            _ => Vec3::ZERO,
        }
    }
    /// The point or direction carried, in body coordinates.
    pub(crate) fn carried_vector(&self) -> Vec3 {
        match self.what {
            AttachmentKind::Point(p) | AttachmentKind::Direction(p) => p,
            AttachmentKind::Spin => Vec3::ZERO,
        }
    }
    /// The spin of a body.
    pub fn spin(body: BodyId) -> Self {
        Attachment { body, what: AttachmentKind::Spin }
    }
    /// A point of a body.
    pub fn point(body: BodyId, point: impl Into<Vec3>) -> Self {
        Attachment { body, what: AttachmentKind::Point(point.into()) }
    }
    /// A direction of a body.
    pub fn direction(body: BodyId, direction: impl Into<Vec3>) -> Self {
        Attachment { body, what: AttachmentKind::Direction(direction.into()) }
    }
}

/// Where an attachment is now, in world axes: `rate = J v` and d(rate)/dt = `J vdot + jdot_v`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Attached {
    /// Position or direction (m, or as given).
    pub at: Vec3,
    /// Its time derivative.
    pub rate: Vec3,
    /// The part of its second derivative that does not depend on accelerations.
    pub jdot_v: Vec3,
}

/// Pose and motion of a rigid body: its velocity coordinates are exactly `(v, w)`, or, where it is `flat`, what a plane
/// leaves of them.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// Reference point of the velocity coordinates, world (m).
    pub x: Vec3,
    /// Body axes to world axes.
    pub r_wb: Mat3,
    /// Velocity of the reference point, world axes (m/s).
    pub v: Vec3,
    /// Angular velocity, world axes (rad/s).
    pub w: Vec3,
    /// The reference point in body coordinates (m).
    pub origin: Vec3,
    /// False where the body is not rigid; unless it is `flat`, the other fields are then the body's own affair.
    pub rigid: bool,
    /// A rigid body that moves in a [plane](Body::plane): pose and motion are those of any rigid body, its velocity
    /// coordinates are its own.
    pub flat: bool,
}

impl Frame {
    /// The fixed world.
    pub const GROUND: Frame = Frame {
        x: Vec3::ZERO,
        r_wb: Mat3::IDENTITY,
        v: Vec3::ZERO,
        w: Vec3::ZERO,
        origin: Vec3::ZERO,
        rigid: true,
        flat: false,
    };

    /// Not a rigid body.
    pub const NONE: Frame = Frame { rigid: false, ..Frame::GROUND };

    /// Does it say where everything is that the body carries?
    #[inline(always)]
    pub(crate) fn carries(&self) -> bool {
        self.rigid | self.flat
    }

    /// A carried thing on a rigid body.
    #[inline(always)]
    pub fn carry(&self, what: &AttachmentKind) -> Attached {
        match *what {
            AttachmentKind::Point(p) => {
                let r = self.r_wb * (p - self.origin);
                let wr = self.w.cross(r);
                Attached { at: self.x + r, rate: self.v + wr, jdot_v: self.w.cross(wr) }
            }
            AttachmentKind::Direction(d) => {
                let r = self.r_wb * d;
                let wr = self.w.cross(r);
                Attached { at: r, rate: wr, jdot_v: self.w.cross(wr) }
            }
            AttachmentKind::Spin => Attached { at: Vec3::ZERO, rate: self.w, jdot_v: Vec3::ZERO },
        }
    }

    /// `out += J^T g`: the generalised force of a push `g` on a carried thing.
    #[inline(always)]
    pub fn pull(&self, what: &AttachmentKind, g: Vec3, out: &mut [f64]) {
        Frame::pull_by(self.lever(what), what, g, out);
    }

    /// By which lever a push on a carried thing turns the body, world axes; none for a spin.
    #[inline(always)]
    pub(crate) fn lever(&self, what: &AttachmentKind) -> Vec3 {
        match *what {
            AttachmentKind::Point(p) => self.r_wb * (p - self.origin),
            AttachmentKind::Direction(d) => self.r_wb * d,
            AttachmentKind::Spin => Vec3::ZERO,
        }
    }

    /// [`Frame::pull`] with the lever at hand.
    #[inline(always)]
    pub(crate) fn pull_by(lever: Vec3, what: &AttachmentKind, g: Vec3, out: &mut [f64]) {
        let (force, torque) = match what {
            AttachmentKind::Point(_) => (g, lever.cross(g)),
            AttachmentKind::Direction(_) => (Vec3::ZERO, lever.cross(g)),
            AttachmentKind::Spin => (Vec3::ZERO, g),
        };
        for i in 0..3 {
            out[i] += force[i];
            out[3 + i] += torque[i];
        }
    }
}

/// All bodies at one state: answers what attachments ask.
#[derive(Clone, Copy)]
pub struct Bodies<'a> {
    pub(crate) bodies: &'a [Arc<dyn Body>],
    /// One per body, then the ground.
    pub(crate) frames: &'a [Frame],
    pub(crate) q: &'a [f64],
    pub(crate) v: &'a [f64],
    pub(crate) q_start: &'a [u32],
    pub(crate) v_start: &'a [u32],
}

impl<'a> Bodies<'a> {
    /// Index of the body's frame; the ground's is the last.
    #[inline(always)]
    pub(crate) fn slot(&self, body: BodyId) -> usize {
        (body.0 as usize).min(self.bodies.len())
    }

    #[inline(always)]
    pub(crate) fn frame(&self, body: BodyId) -> &'a Frame {
        &self.frames[self.slot(body)]
    }

    fn q_of(&self, i: usize) -> &'a [f64] {
        &self.q[self.q_start[i] as usize..self.q_start[i + 1] as usize]
    }

    fn v_of(&self, i: usize) -> &'a [f64] {
        &self.v[self.v_start[i] as usize..self.v_start[i + 1] as usize]
    }

    /// How far the coordinates of a body are from zero, and how fast they move: what it carries is rounded to these.
    #[inline(always)]
    pub(crate) fn reach(&self, body: BodyId) -> (f64, f64) {
        let i = self.slot(body);
        let frame = &self.frames[i];
        if frame.rigid {
            return (frame.x.length(), frame.v.length());
        }
        self.reach_of(i)
    }

    fn reach_of(&self, i: usize) -> (f64, f64) {
        let n = self.bodies[i].n_lengths();
        if n == 0 {
            let (momentum, mass) = (self.bodies[i].momentum(self.q_of(i), self.v_of(i)), self.bodies[i].mass());
            let speed = if mass > 0.0 { momentum.linear.length() / mass } else { 0.0 };
            return (self.bodies[i].centre(self.q_of(i)).length(), speed);
        }
        let length = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
        (length(&self.q_of(i)[..n]), length(&self.v_of(i)[..n]))
    }

    /// Evaluate one attachment.
    #[inline(always)]
    pub fn carry(&self, a: &Attachment) -> Attached {
        let i = self.slot(a.body);
        let frame = &self.frames[i];
        if frame.carries() {
            frame.carry(&a.what)
        } else {
            self.bodies[i].carry_placed(frame, self.q_of(i), self.v_of(i), &a.what)
        }
    }

    /// `out += J^T g`, with `out` the velocity coordinates of the attachment's body. Nothing for the ground.
    #[inline(always)]
    pub fn pull(&self, a: &Attachment, g: Vec3, out: &mut [f64]) {
        let i = self.slot(a.body);
        let frame = &self.frames[i];
        if i == self.bodies.len() {
        } else if frame.rigid {
            frame.pull(&a.what, g, out);
        } else {
            self.bodies[i].pull_placed(frame, self.q_of(i), &a.what, g, out);
        }
    }
}

/// The attachments of one constraint or force, at the current state.
#[derive(Clone, Copy)]
pub struct View<'a> {
    pub(crate) bodies: &'a Bodies<'a>,
    pub(crate) attachments: &'a [Attachment],
    pub(crate) turns: Turns<'a>,
}

/// The turns that angles are on: their values and rates at a moment not long ago.
#[derive(Clone, Copy, Default)]
pub(crate) struct Turns<'a> {
    /// Value (turns counted) and rate of every angle of the model then; empty when nobody remembers.
    pub angles: &'a [(f64, f64)],
    /// Which of them are meant.
    pub slots: &'a [u32],
    /// Time since then, s.
    pub since: f64,
}

impl<'a> View<'a> {
    pub(crate) fn new(bodies: &'a Bodies<'a>, attachments: &'a [Attachment]) -> Self {
        View { bodies, attachments, turns: Turns::default() }
    }

    /// The same, with a memory of turns.
    pub(crate) fn with_turns(self, angles: &'a [(f64, f64)], slots: &'a [u32], since: f64) -> Self {
        View { turns: Turns { angles, slots, since }, ..self }
    }

    /// Some of the attachments, in a row.
    pub(crate) fn part(&self, first: usize, n: usize) -> View<'a> {
        View::new(self.bodies, &self.attachments[first..first + n])
    }

    /// The first `n` attachments, memory of turns included.
    pub(crate) fn head(&self, n: usize) -> View<'a> {
        View { attachments: &self.attachments[..n], ..*self }
    }

    /// The angle on the turn it is on: of all that differ from `angle` by whole turns, the one nearest to where its
    /// rate has led since its turn was last known. `slot` counts the angles that the constraint or force follows: first
    /// its own, then those of the coordinates it reads.
    pub fn follow(&self, slot: usize, angle: f64, rate: f64) -> f64 {
        let known = self.turns.slots.get(slot).and_then(|&k| self.turns.angles.get(k as usize));
        match known {
            Some((value, before)) => unwrap_angle(angle, value + 0.5 * self.turns.since * (before + rate)),
            None => angle,
        }
    }

    /// Position, rate and `jdot_v` of attachment `k`.
    #[inline(always)]
    pub fn get(&self, k: usize) -> Attached {
        self.bodies.carry(&self.attachments[k])
    }

    /// Where attachment `k` is, world axes.
    #[inline(always)]
    pub fn at(&self, k: usize) -> Vec3 {
        let a = &self.attachments[k];
        let frame = self.bodies.frame(a.body);
        match (frame.carries(), a.what) {
            (true, AttachmentKind::Point(p)) => frame.x + frame.r_wb * (p - frame.origin),
            (true, AttachmentKind::Direction(d)) => frame.r_wb * d,
            _ => self.get(k).at,
        }
    }

    /// Lever arm of point `k` from the reference point of its body, world axes, where the body is rigid.
    #[inline(always)]
    pub fn arm(&self, k: usize) -> Vec3 {
        let a = &self.attachments[k];
        let frame = self.bodies.frame(a.body);
        match a.what {
            AttachmentKind::Point(p) => frame.r_wb * (p - frame.origin),
            _ => Vec3::ZERO,
        }
    }

    /// Where point `k` is and how fast it moves, world axes.
    #[inline(always)]
    pub(crate) fn motion(&self, k: usize) -> (Vec3, Vec3) {
        let a = &self.attachments[k];
        let frame = self.bodies.frame(a.body);
        match (frame.carries(), a.what) {
            (true, AttachmentKind::Point(p)) => {
                let r = frame.r_wb * (p - frame.origin);
                (frame.x + r, frame.v + frame.w.cross(r))
            }
            _ => {
                let there = self.get(k);
                (there.at, there.rate)
            }
        }
    }

    /// How far the coordinates of the body of attachment `k` are from zero, and how fast they move.
    #[inline(always)]
    pub(crate) fn reach(&self, k: usize) -> (f64, f64) {
        self.bodies.reach(self.attachments[k].body)
    }

    /// How fast attachment `k` moves, world axes.
    #[inline(always)]
    pub fn rate(&self, k: usize) -> Vec3 {
        self.get(k).rate
    }

    /// Pose and twist of the body of attachment `k`, when it is rigid (the ground is).
    #[inline(always)]
    pub fn frame(&self, k: usize) -> &'a Frame {
        self.bodies.frame(self.attachments[k].body)
    }
}

/// Is this a usable direction?
pub(crate) fn is_direction(d: Vec3) -> bool {
    d.is_finite() && d.length() > 1e-12
}

/// Three numbers as a vector, for slices of coordinates.
#[inline(always)]
pub(crate) fn read3(x: &[f64]) -> Vec3 {
    vec3(x[0], x[1], x[2])
}

/// Write a vector into a slice of coordinates.
#[inline(always)]
pub(crate) fn write3(x: &mut [f64], v: Vec3) {
    x[0] = v.x;
    x[1] = v.y;
    x[2] = v.z;
}
