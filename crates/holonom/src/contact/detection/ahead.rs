//! Looking ahead along a step that is known: for how long can nothing touch that does not touch yet?
//!
//! Features found at one pose say little about another: the corner that is nearest now may be far off when something
//! else arrives. So a look is at one pose only. It finds the nearest features there, and with their normal a time for
//! which a plane across it parts the shapes ([`Detector::room_ahead`], exact to the second order); the next look is
//! taken then. Times shrink with the distance to the touch like its square, so a touch is met within a few looks.
//!
//! What is not convex (surfaces of triangles) has no such plane. There the next look is when the greatest speed has
//! used up the distance, or after the part [`COARSE`] of the smaller body, whichever is later: less sure, and deep
//! enough to be seen.

use super::Contacts;
use crate::catalogue::attach::{Attachment, AttachmentKind, Bodies, BodyId};
use crate::math::{Mat3, Vec3};
use crate::model::Model;
use crate::model::warm_start::Key;
use holonom_collide::{Candidate, CarrierMotion, RigidTransform, gap};

/// Bounds on accelerations are what samples of a step show, times this: between samples they may be larger.
const UNSEEN: f64 = 1.5;
/// Way between looks at surfaces, in parts of the smaller body.
const COARSE: f64 = 0.02;
/// Closed shapes may overlap by so many tolerances before the features that touch are looked for anew.
const DRIFT: f64 = 5.0;
/// A closed touch counts as lost when the shapes are farther apart than this, in parts of the length scale. Not less:
/// states inside a step are no better than their interpolation.
const APART: f64 = 1e-6;

/// What a look at one moment of a step shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outlook {
    /// For so long nothing that is open can touch, s.
    pub clear: f64,
    /// This touches now and approaches.
    pub touch: Option<Key>,
}

/// What has become of the touches of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Seen {
    /// Something that is open overlaps.
    Overlaps(Key),
    /// Shapes that are closed are apart.
    Apart,
    /// Closed features do not touch any more, while others of the same shapes do.
    Changed,
    /// Closed shapes overlap: the features that were followed are not those that touch (the point of a rim moves along
    /// it).
    Drifted,
}

/// What is known of the mode in which the step was taken, and what counts as touching.
#[derive(Clone, Copy)]
pub(crate) struct KnownTouches<'a> {
    /// Touches that are closed.
    pub closed: &'a [Key],
    /// Gaps of all that was near at the start of the step, m.
    pub start: &'a [(Key, f64)],
    /// Gaps, m, and rates, m/s, below which a state counts as touching and resting.
    pub gap: f64,
    pub rate: f64,
}

impl KnownTouches<'_> {
    fn is_closed(&self, key: Key) -> bool {
        self.closed.contains(&key)
    }

    /// Does anything of these two shapes carry?
    fn carries(&self, pair: (u32, u32)) -> bool {
        self.closed.iter().any(|k| (k.0.min(k.1), k.0.max(k.1)) == pair)
    }

    /// By how much a touch overlapped when the step began, as a gap, m.
    fn overlapped(&self, key: Key) -> f64 {
        self.start.iter().find(|s| s.0 == key).map_or(0.0, |s| s.1.min(0.0))
    }
}

fn key(c: &Candidate) -> Key {
    Key(c.a, c.b, c.key)
}

fn shapes(c: &Candidate) -> (u32, u32) {
    (c.a.min(c.b), c.a.max(c.b))
}

impl Contacts {
    /// May anything touch that does not, as far as the candidates at hand tell?
    pub fn expects_touches(&self, known: KnownTouches) -> bool {
        self.candidates.iter().any(|c| !known.carries(shapes(c)))
    }

    /// Take in the velocities of a state of the step, `since` seconds after the one before; the first time without.
    pub fn observe(&mut self, model: &Model, bodies: &Bodies, since: Option<f64>) {
        for i in (0..model.n_bodies()).filter(|&i| model.carries_shape[i]) {
            let (pose, velocity, spin) = Self::velocities(model, bodies, i);
            self.poses[i] = pose;
            let arm = if spin != Vec3::ZERO { self.arm(i) } else { 0.0 };
            let (speed, motion) = (velocity.length() + spin.length() * arm, &mut self.motions[i]);
            match since {
                None => (*motion, self.fastest[i]) = (CarrierMotion::default(), speed),
                Some(dt) => {
                    let seen = UNSEEN * (velocity - motion.velocity).length() / dt;
                    motion.acceleration = motion.acceleration.max(seen);
                    let seen = UNSEEN * (spin - motion.spin).length() / dt;
                    motion.angular_acceleration = motion.angular_acceleration.max(seen);
                    self.fastest[i] = self.fastest[i].max(speed);
                }
            }
            (motion.velocity, motion.spin) = (velocity, spin);
        }
    }

    /// A look at a state of the step, with `left` seconds to go. All states of interest were observed before.
    pub fn look_ahead(&mut self, model: &Model, bodies: &Bodies, left: f64, known: KnownTouches) -> Outlook {
        self.detect_ahead(model, bodies, |fastest| left * fastest + known.gap);
        let mut outlook = Outlook { clear: left, touch: None };
        let mut start = 0;
        while start < self.ahead.len() {
            let pair = shapes(&self.ahead[start]);
            let end = start + self.ahead[start..].iter().take_while(|c| shapes(c) == pair).count();
            if !known.carries(pair) {
                self.look_at(start..end, known, &mut outlook);
            }
            start = end;
        }
        outlook
    }

    /// A look at the candidates of one pair of shapes.
    fn look_at(&self, range: std::ops::Range<usize>, known: KnownTouches, outlook: &mut Outlook) {
        let mut nearest: Option<(f64, Vec3, Candidate)> = None;
        for c in &self.ahead[range] {
            let (gap, normal, rate) = self.measure(c);
            let fast = rate < -known.rate;
            let deeper = gap - known.overlapped(key(c)) < -known.gap;
            if gap <= known.gap && fast || deeper && rate < 0.0 {
                outlook.touch.get_or_insert(key(c));
            }
            if nearest.is_none_or(|n| gap < n.0) {
                nearest = Some((gap, normal, *c));
            }
        }
        let Some((gap, normal, c)) = nearest else { return };
        // what is closed within rounding, and parts, may come as much nearer again by rounding
        let target = if gap > known.gap { 0.0 } else { gap.min(0.0) - known.gap };
        let [fast_a, fast_b] = [c.a, c.b].map(|s| self.fastest[self.carrier(s)]);
        let fastest = (fast_a + fast_b).max(f64::MIN_POSITIVE);
        let least = (gap - target).max(0.25 * known.gap) / fastest;
        let clear = match self.parted(&c, normal, target, outlook.clear) {
            Some(clear) => clear,
            None => {
                let size = self.extent[self.carrier(c.a)].min(self.extent[self.carrier(c.b)]);
                COARSE * size / fastest
            }
        };
        outlook.clear = outlook.clear.min(clear.max(least));
    }

    /// For how long, up to `most`, a plane across `normal` leaves more room than `target`. The plane turns with the
    /// features that are near, with either body, or not at all, whatever parts the shapes longest.
    fn parted(&self, c: &Candidate, normal: Vec3, target: f64, most: f64) -> Option<f64> {
        let [a, b] = [c.a, c.b].map(|s| self.motions[self.carrier(s)].spin);
        let mut longest = 0.0;
        for turning in [self.turning(c, normal), b, a, Vec3::ZERO] {
            longest = self.parted_by(c, (normal, turning), target, most)?.max(longest);
            if longest >= most {
                break;
            }
        }
        Some(longest)
    }

    /// How fast the normal of a candidate turns, rad/s.
    fn turning(&self, c: &Candidate, normal: Vec3) -> Vec3 {
        const SOON: f64 = 1e-6;
        let then = |shape: u32| {
            let i = self.carrier(shape);
            let (pose, CarrierMotion { velocity, spin, .. }) = (&self.poses[i], self.motions[i]);
            let turn = |axis: Vec3| axis + spin.cross(axis) * SOON;
            let rotation =
                Mat3::from_cols(turn(pose.rotation.x_axis), turn(pose.rotation.y_axis), turn(pose.rotation.z_axis));
            RigidTransform { position: pose.position + velocity * SOON, rotation }
        };
        normal.cross((gap(c, &then(c.a), &then(c.b)).normal - normal) / SOON)
    }

    /// For how long a plane across a normal that turns leaves more room than `target`. The room is bounded by a concave
    /// function of time, so it does so from now to any time at which the bound does. Found by going back until there is
    /// room, then forth again by chords (a concave function lies above them) and halves.
    fn parted_by(&self, c: &Candidate, plane: (Vec3, Vec3), target: f64, most: f64) -> Option<f64> {
        let detector = self.detector.as_ref()?;
        let room = |t: f64| detector.room_ahead((c.a, c.b), &self.poses, &self.motions, plane, t);
        let now = room(0.0)? - target;
        if !(now > 0.0) {
            return Some(0.0);
        }
        let (mut safe, mut left) = (most, room(most)? - target);
        if left >= 0.0 {
            return Some(most);
        }
        let (mut over, mut short) = (safe, left);
        for _ in 0..60 {
            (safe, left) = (0.25 * over, room(0.25 * over)? - target);
            if left >= 0.0 {
                break;
            }
            (over, short) = (safe, left);
        }
        if left < 0.0 {
            return Some(0.0);
        }
        for _ in 0..3 {
            let chord = safe + (over - safe) * left / (left - short);
            for next in [chord, 0.5 * (chord + over)] {
                let there = room(next)? - target;
                if there >= 0.0 {
                    (safe, left) = (next, there);
                } else {
                    (over, short) = (next, there);
                }
            }
        }
        Some(safe)
    }

    /// What has become of the mode at a state of the step.
    pub fn check_mode(&mut self, model: &Model, bodies: &Bodies, known: KnownTouches) -> Option<Seen> {
        let apart = APART * model.contact_scale();
        self.detect_ahead(model, bodies, |_| apart);
        let mut drifted = false;
        for c in &self.ahead {
            let (gap, _, rate) = self.measure(c);
            let gap = gap - known.overlapped(key(c));
            if known.is_closed(key(c)) {
                drifted |= gap < -DRIFT * known.gap;
            } else if gap < -known.gap && rate < 0.0 {
                return Some(Seen::Overlaps(key(c)));
            }
        }
        if drifted {
            return Some(Seen::Drifted);
        }
        let mut changed = None;
        for closed in known.closed {
            let pair = (closed.0.min(closed.1), closed.0.max(closed.1));
            let mut of_pair = self.ahead.iter().filter(|c| shapes(c) == pair).peekable();
            if of_pair.peek().is_none() {
                return Some(Seen::Apart);
            }
            if !of_pair.any(|c| key(c) == *closed) {
                changed = Some(Seen::Changed);
            }
        }
        changed
    }

    /// The least gap of the two shapes of a key at a state, m, and its rate, m/s, where they are nearer than `most`; of
    /// features that are not closed.
    pub fn least_gap(
        &mut self,
        model: &Model,
        bodies: &Bodies,
        of: Key,
        most: f64,
        known: KnownTouches,
    ) -> Option<(f64, f64)> {
        self.detect_ahead(model, bodies, |_| most);
        let pair = (of.0.min(of.1), of.0.max(of.1));
        let open = self.ahead.iter().filter(|c| shapes(c) == pair && !known.is_closed(key(c)));
        let of_pair = open.map(|c| self.measure(c));
        of_pair.min_by(|x, y| x.0.total_cmp(&y.0)).map(|(gap, _, rate)| (gap, rate))
    }

    /// The fastest turn of a body that carries shapes, rad/s.
    pub fn fastest_spin(&self) -> f64 {
        self.spin.iter().fold(0.0, |m: f64, x| m.max(*x))
    }

    /// Candidates at a state into `ahead`; those at hand stay.
    fn detect_ahead(&mut self, model: &Model, bodies: &Bodies, reach: impl Fn(f64) -> f64) {
        self.ahead.clear();
        for i in (0..model.n_bodies()).filter(|&i| model.carries_shape[i]) {
            let (pose, velocity, spin) = Self::velocities(model, bodies, i);
            self.poses[i] = pose;
            (self.motions[i].velocity, self.motions[i].spin) = (velocity, spin);
            self.reach[i] = reach(self.fastest[i]);
        }
        if let Some(detector) = &mut self.detector {
            detector.detect(&self.poses, &self.reach, &mut self.ahead);
        }
        // soft surfaces give way: they are passed, not hit
        self.ahead.retain(|c| !model.shapes.material(c.a, c.b).is_soft());
    }

    /// Gap, normal and rate of a candidate where the carriers were placed last.
    fn measure(&self, c: &Candidate) -> (f64, Vec3, f64) {
        let [a, b] = [c.a, c.b].map(|s| self.carrier(s));
        let now = gap(c, &self.poses[a], &self.poses[b]);
        let at = |i: usize| {
            let CarrierMotion { velocity, spin, .. } = self.motions[i];
            velocity + spin.cross(now.point - self.poses[i].position)
        };
        (now.gap, now.normal, now.normal.dot(at(a) - at(b)))
    }

    fn carrier(&self, shape: u32) -> usize {
        self.detector.as_ref().map_or(0, |d| d.carrier(shape))
    }

    /// Pose of a body, velocity of its origin, m/s, and its spin, rad/s.
    pub(super) fn velocities(model: &Model, bodies: &Bodies, i: usize) -> (RigidTransform, Vec3, Vec3) {
        let id = BodyId(i as u32);
        let see = |what| bodies.carry(&Attachment { body: id, what });
        let origin = see(AttachmentKind::Point(Vec3::ZERO));
        let turns = model.bodies[i].can_carry(&AttachmentKind::Spin).is_ok();
        let axis = |d| if turns { see(AttachmentKind::Direction(d)).at } else { d };
        let rotation = Mat3::from_cols(axis(Vec3::X), axis(Vec3::Y), axis(Vec3::Z));
        let spin = if turns { see(AttachmentKind::Spin).rate } else { Vec3::ZERO };
        (RigidTransform { position: origin.at, rotation }, origin.rate, spin)
    }
}
