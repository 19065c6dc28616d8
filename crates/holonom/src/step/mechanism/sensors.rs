//! Sensors: shapes that notice what enters and leaves them, and push nothing.
//!
//! Whether a shape is inside is a function of the poses alone: the gap of the two shapes is not above 0. So nothing is
//! remembered, and a run that is resumed says the same. Within a step of h from q0 at the velocity v0 to q1, origins
//! are taken along
//!
//! ```text
//! x(s) = x0 + s h v0 + s^2 (x1 - x0 - h v0),        0 <= s <= 1        exact where nothing but weight acts
//! ```
//!
//! and bodies turn evenly from one orientation to the other. No point of a body is faster than L = h |v0| + 2 |x1 -
//! x0 - h v0| + angle times its extent, per unit of s; so from a gap g nothing can enter before s + g / L, and what is
//! thin or fast is not passed over (but grazes shorter than 1/256 of a step). The moment is halved to rounding.

use super::Mechanism;
use crate::catalogue::attach::{Attachment, AttachmentKind, Bodies, BodyId};
use crate::contact::detection::{Contacts, meeting};
use crate::evaluate;
use crate::evaluate::evaluation::bodies_at;
use crate::math::{Mat3, Vec3, exp_quat, log_quat, quat_from_axes};
use crate::model::Model;
use crate::model::shapes::ShapeId;
use crate::model::state::State;
use crate::model::warm_start::Key;
use crate::step::event_log::{Event, EventKind, place};
use holonom_collide::{Detector, RigidTransform};

/// Shortest part of a step that is looked at, from outside and from inside.
const OUTSIDE: f64 = 1.0 / 256.0;
const INSIDE: f64 = 1.0 / 32.0;
const HALVINGS: usize = 50;

/// Sensors of a model, and where everything was at two moments.
pub(crate) struct Sensors {
    detector: Detector,
    /// A sensor and what it may notice.
    pairs: Vec<(u32, u32)>,
    from: Vec<RigidTransform>,
    to: Vec<RigidTransform>,
    now: Vec<RigidTransform>,
    /// How far origins go in the step at the velocity they start with, and the rest of the way, m.
    straight: Vec<Vec3>,
    bend: Vec<Vec3>,
    /// Turn from one orientation to the other: axis times angle, rad.
    turn: Vec<Vec3>,
}

impl Sensors {
    /// `None` for a model without any.
    pub fn new(model: &Model) -> Option<Sensors> {
        if !model.shapes.all.iter().any(|c| c.sensor) {
            return None;
        }
        let detector = meeting(model)?;
        let all = &model.shapes.all;
        let mut pairs = Vec::new();
        for i in (0..all.len() as u32).filter(|i| all[*i as usize].sensor) {
            // of two sensors each notices the other
            let notices = |j: &u32| detector.meet(i, *j) && detector.can_touch(i, *j);
            pairs.extend((0..all.len() as u32).filter(notices).map(|j| (i, j)));
        }
        let n = model.n_bodies() + 1;
        let (still, zero) = (vec![RigidTransform::default(); n], vec![Vec3::ZERO; n]);
        Some(Sensors {
            detector,
            pairs,
            from: still.clone(),
            to: still.clone(),
            now: still,
            straight: zero.clone(),
            bend: zero.clone(),
            turn: zero,
        })
    }

    /// Poses of bodies, and the velocity of each origin to those who want it.
    fn place(model: &Model, bodies: &Bodies, poses: &mut [RigidTransform], mut moving: impl FnMut(usize, Vec3)) {
        for i in (0..model.n_bodies()).filter(|i| model.carries_shape[*i]) {
            let origin = AttachmentKind::Point(Vec3::ZERO);
            poses[i] = Contacts::motion(model, bodies, i).0;
            moving(i, bodies.carry(&Attachment { body: BodyId(i as u32), what: origin }).rate);
        }
    }

    /// Where everything is at the part `s` of the step.
    fn go_to(&mut self, s: f64) {
        for i in 0..self.now.len() {
            self.now[i] = if s >= 1.0 {
                self.to[i]
            } else {
                let turn = exp_quat(self.turn[i] * s);
                RigidTransform {
                    position: self.from[i].position + (self.straight[i] + self.bend[i] * s) * s,
                    rotation: Mat3::from_quat(turn) * self.from[i].rotation,
                }
            };
        }
    }

    fn gap(&mut self, (i, j): (u32, u32), most: f64) -> f64 {
        self.detector.gap_between(i, j, &self.now, most)
    }

    /// What enters and leaves on the way: parts of the step.
    fn follow(&mut self, model: &Model, pair: (u32, u32), mut note: impl FnMut(f64, EventKind)) {
        let most: f64 = [pair.0, pair.1]
            .iter()
            .map(|&shape| {
                let (carrier, c) = (self.detector.carrier(shape), &model.shapes.all[shape as usize]);
                let extent = c.place.position.length() + c.radius;
                let turning = if self.turn[carrier] == Vec3::ZERO { 0.0 } else { self.turn[carrier].length() * extent };
                self.straight[carrier].length() + 2.0 * self.bend[carrier].length() + turning
            })
            .sum();
        self.go_to(0.0);
        // a half-space that turns is everywhere
        let most = if most.is_finite() { most } else { 1e9 };
        let mut gap = self.gap(pair, most);
        let (mut inside, mut s) = (gap <= 0.0, 0.0);
        if most == 0.0 {
            return;
        }
        while s < 1.0 {
            let next = if inside { s + INSIDE } else { s + (gap / most).max(OUTSIDE) };
            if !inside && s + gap / most > 1.0 {
                return;
            }
            let next = next.min(1.0);
            self.go_to(next);
            gap = self.gap(pair, most);
            if (gap <= 0.0) != inside {
                let (mut low, mut high) = (s, next);
                for _ in 0..HALVINGS {
                    let middle = 0.5 * (low + high);
                    self.go_to(middle);
                    if (self.gap(pair, most) <= 0.0) == inside { low = middle } else { high = middle }
                }
                inside = !inside;
                note(high, if inside { EventKind::Enters } else { EventKind::Leaves });
            }
            s = next;
        }
    }
}

impl Mechanism {
    /// Pairs of a sensor and a shape inside it, at the present state.
    pub(crate) fn sensed(&mut self) -> Vec<(ShapeId, ShapeId)> {
        let Some(mut sensors) = self.sensors.take().or_else(|| Sensors::new(&self.model)) else { return Vec::new() };
        let s = &self.state;
        evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work.eval);
        self.current = false;
        let bodies = &bodies_at(&self.model, &self.work.eval.frames, &s.q, &s.v);
        Sensors::place(&self.model, bodies, &mut sensors.now, |_, _| {});
        let pairs = sensors.pairs.clone();
        let found = pairs.into_iter().filter(|pair| sensors.gap(*pair, 0.0) <= 0.0);
        let found = found.map(|(i, j)| (ShapeId(i), ShapeId(j))).collect();
        self.sensors = Some(sensors);
        found
    }

    /// Log what entered and left sensors in the step from `before` to the present state.
    pub(crate) fn watch_sensors(&mut self, before: &State) {
        let h = self.state.t - before.t;
        if !self.events.log.is_kept() || !self.model.shapes.all.iter().any(|c| c.sensor) || !(h > 0.0) {
            return;
        }
        let Some(mut sensors) = self.sensors.take().or_else(|| Sensors::new(&self.model)) else { return };
        let model = self.model.clone();
        for (state, start) in [(before, true), (&self.state, false)] {
            evaluate::place_bodies(&model, &state.q, &state.v, &mut self.work.eval);
            let bodies = &bodies_at(&model, &self.work.eval.frames, &state.q, &state.v);
            let Sensors { from, to, straight, .. } = &mut sensors;
            match start {
                true => Sensors::place(&model, bodies, from, |i, velocity| straight[i] = velocity * h),
                false => Sensors::place(&model, bodies, to, |_, _| {}),
            }
        }
        for i in 0..sensors.from.len() {
            let (from, to) = (&sensors.from[i], &sensors.to[i]);
            sensors.bend[i] = to.position - from.position - sensors.straight[i];
            let same = to.rotation == from.rotation;
            let turn = quat_from_axes(to.rotation * from.rotation.transpose());
            // the short way round
            sensors.turn[i] = if same { Vec3::ZERO } else { log_quat(if turn.w < 0.0 { -turn } else { turn }) };
        }
        for k in 0..sensors.pairs.len() {
            let pair = sensors.pairs[k];
            let mut found = Vec::new();
            sensors.follow(&model, pair, |s, kind| found.push((s, kind)));
            for (s, kind) in found {
                sensors.go_to(s);
                let other = &model.shapes.all[pair.1 as usize];
                let point = sensors.now[sensors.detector.carrier(pair.1)].point(other.place.position);
                let place = place(Key(pair.0, pair.1, 0));
                let (time, impulse, speed) = (before.t + s * h, Vec3::ZERO, 0.0);
                self.events.log.add(Event { time, kind, place, point: Some(point), impulse, speed });
            }
        }
        self.sensors = Some(sensors);
        self.current = false;
    }
}
