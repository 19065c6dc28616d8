//! What happened and when: impacts, touches that close and open, slips that begin and end, for those who ask.
//!
//! Nothing is kept unless [`Simulation::keep_events`] says how many; then the newest so many are, until they are
//! [taken](Simulation::take_events). Times are those at which the event was located. Time stepping
//! (`IntegratorKind::Stepping`) locates no events: it reports what began, ended and collided within a step, at the end
//! of the step, with the impulses of the whole step; slips and sticks are not reported.
//!
//! Events of one step wait until the step is accepted. A state that is put back ([`Simulation::set_state`]) takes
//! nothing back that was reported.

use crate::contact::inequality::blows::{self, Blow};
use crate::contact::inequality::mode::{self, ContactMode, Slip};
use crate::contact::inequality::{InequalityRows, RowBound};
use crate::math::Vec3;
use crate::model::JointId;
use crate::model::shapes::ShapeId;
use crate::model::warm_start::{Key, WarmStart};
use std::collections::VecDeque;

/// What happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// Two bodies ran into each other, or a stop or a rope was reached at speed.
    Impact,
    /// A touch, a stop or a rope began to carry.
    Closes,
    /// It carries no more.
    Opens,
    /// What stuck began to slip, or what slipped turned about.
    Slips,
    /// What slipped came to rest.
    Sticks,
    /// A shape entered a sensor: the first of the shapes is the sensor.
    Enters,
    /// A shape left a sensor.
    Leaves,
}

/// Where it happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventPlace {
    /// A touch: the shapes, and the key by which the same touch is known from step to step ([`crate::Contact::key`]).
    Contact {
        /// The shapes.
        shapes: (ShapeId, ShapeId),
        /// The key of the touch.
        key: u64,
    },
    /// A limit, a rope, a friction or a cap: the joint, and its row.
    Joint {
        /// The joint.
        joint: JointId,
        /// Which of its rows.
        row: usize,
    },
}

/// Something that happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When, s.
    pub time: f64,
    /// What.
    pub kind: EventKind,
    /// Where.
    pub place: EventPlace,
    /// Where in the world, m; of touches, and of what passes a sensor (the middle of its shape).
    pub point: Option<Vec3>,
    /// Impulse on the body of the first shape, friction included, world, N s; of a stop or a rope (impulse of its row,
    /// 0, 0). Zero for what is not an impact.
    pub impulse: Vec3,
    /// Speed of approach before an impact, m/s or rad/s; 0 for other events.
    pub speed: f64,
}

/// Events reported, those of the step under way, and the mode they start from.
#[derive(Default)]
pub(crate) struct EventLog {
    newest: usize,
    kept: VecDeque<Event>,
    waiting: Vec<Event>,
    known: ContactMode,
    /// Impacts of steps on velocities that may go on in the next one.
    pending: Vec<Event>,
}

impl EventLog {
    /// Keep the newest so many events until they are taken; 0, as at the start, keeps none.
    pub fn keep(&mut self, newest: usize) {
        self.newest = newest;
        self.kept.drain(..self.kept.len().saturating_sub(newest));
        self.waiting.clear();
    }

    /// The events kept so far, oldest first; they are not kept any longer.
    pub fn take(&mut self) -> Vec<Event> {
        let mut all: Vec<Event> = self.kept.drain(..).collect();
        // what collides at a moment does so before it rests
        let later = |e: &Event| e.kind != EventKind::Impact;
        all.sort_by(|a, b| a.time.total_cmp(&b.time).then(later(a).cmp(&later(b))));
        all
    }

    /// Is anything kept at all?
    pub fn is_kept(&self) -> bool {
        self.newest > 0
    }

    /// Something happened in a step that is accepted.
    pub fn add(&mut self, event: Event) {
        if self.newest > 0 {
            self.kept.push_back(event);
            self.kept.drain(..self.kept.len().saturating_sub(self.newest));
        }
    }

    /// A step on velocities ended: what pushed in it (several times where it was taken in parts), and what had pushed
    /// in the one before. Impacts are touches that began at more than the speed `slow` between shapes that had not
    /// touched. A step takes of the speed what would lead beyond the touch, the next one takes the rest: the impact is
    /// reported when nothing approaches any more, with the time of its first step.
    pub fn stepped(&mut self, time: f64, blows: &[Blow], before: &[WarmStart], slow: f64) {
        if self.newest == 0 {
            return;
        }
        let held: Vec<Key> = before
            .iter()
            .filter(|w| w.force[0] > 0.0 && (w.key.is_contact() || is_joint(w.key)))
            .map(|w| w.key)
            .collect();
        let mut now: Vec<Blow> = Vec::new();
        for blow in blows {
            match now.iter_mut().find(|b| b.key == blow.key) {
                Some(known) => known.impulse += blow.impulse,
                None => now.push(*blow),
            }
        }
        let together = |a: Key, b: Key| (a.0, a.1) == (b.0, b.1);
        for mut impact in std::mem::take(&mut self.pending) {
            let goes_on = |b: &&Blow| b.speed > slow && same_bodies(&place(b.key), &impact.place);
            match now.iter().filter(goes_on).map(|b| b.impulse).reduce(|a, b| a + b) {
                Some(more) => {
                    impact.impulse += more;
                    self.pending.push(impact);
                }
                None => self.add(impact),
            }
        }
        for &key in held.iter().filter(|key| now.iter().all(|b| b.key != **key)) {
            self.add(Event { time, kind: EventKind::Opens, place: place(key), ..Event::QUIET });
        }
        for blow in now.iter().filter(|b| !held.contains(&b.key)) {
            let (place, point) = (place(blow.key), blow.point);
            if blow.speed > slow && !held.iter().any(|key| together(*key, blow.key)) {
                let Blow { impulse, speed, .. } = *blow;
                self.pending.push(Event { time, kind: EventKind::Impact, place, point, impulse, speed });
            }
            self.add(Event { time, kind: EventKind::Closes, place, point, ..Event::QUIET });
        }
    }

    /// A step begins, or begins anew after one that was refused. Impacts at its start have happened all the same.
    pub fn begin(&mut self, mode: &ContactMode) {
        if self.newest > 0 {
            self.waiting.retain(|e| e.kind == EventKind::Impact);
            self.known.clone_from(mode);
        }
    }

    /// These rows have collided: `impulses` of all rows, and who approached.
    pub fn impacts(&mut self, time: f64, ineq: &InequalityRows, impulses: &[f64], approaches: impl Fn(usize) -> bool) {
        if self.newest > 0 && impulses.len() == ineq.len() {
            blows::note(ineq, impulses, approaches, |blow| {
                let Blow { key, point, impulse, speed } = blow;
                self.waiting.push(Event { time, kind: EventKind::Impact, place: place(key), point, impulse, speed });
            });
        }
    }

    /// The mode is now this.
    pub fn changes(&mut self, time: f64, ineq: &InequalityRows, mode: &ContactMode) {
        if self.newest == 0 {
            return;
        }
        let EventLog { waiting, known, .. } = self;
        let point = |key: Key| {
            let touch = ineq.touches.iter().find(|t| ineq.blocks[t.block as usize].key == key);
            touch.map(|t| t.now.point)
        };
        let mut note =
            |kind, key| waiting.push(Event { time, kind, place: place(key), point: point(key), ..Event::QUIET });
        for old in known.closed.iter().filter(|c| c.part == 0 && !mode.is_closed(c.key)) {
            note(EventKind::Opens, old.key);
        }
        for new in &mode.closed {
            let kind = match (known.find(new.key, new.part).map(|c| c.slip), new.slip) {
                // friction in joints is always there, and that of a touch comes with it
                (None, _) if new.part > 0 || !pushes(ineq, new.key) => continue,
                (None, _) => EventKind::Closes,
                (Some(Slip::Slide(_)), Slip::Stick) => EventKind::Sticks,
                (Some(Slip::Stick), Slip::Slide(_)) => EventKind::Slips,
                (Some(Slip::Slide(before)), Slip::Slide(now)) if before.dot(now) < 0.0 => EventKind::Slips,
                _ => continue,
            };
            note(kind, new.key);
        }
        known.clone_from(mode);
    }

    /// The step is accepted.
    pub fn commit(&mut self) {
        if self.newest > 0 {
            self.kept.extend(self.waiting.drain(..));
            self.kept.drain(..self.kept.len().saturating_sub(self.newest));
        }
    }
}

fn pushes(ineq: &InequalityRows, key: Key) -> bool {
    ineq.blocks.iter().any(|b| {
        b.key == key && mode::part_of(b) == 0 && matches!(b.bound, RowBound::Push { .. } | RowBound::Soft { .. })
    })
}

/// Are these the same shapes, or the same row of a joint?
fn same_bodies(a: &EventPlace, b: &EventPlace) -> bool {
    match (a, b) {
        (EventPlace::Contact { shapes: a, .. }, EventPlace::Contact { shapes: b, .. }) => a == b,
        _ => a == b,
    }
}

fn is_joint(key: Key) -> bool {
    key.0 == u32::MAX
}

impl Event {
    /// Nothing struck.
    const QUIET: Event = Event {
        time: 0.0,
        kind: EventKind::Opens,
        place: EventPlace::Contact { shapes: (ShapeId(0), ShapeId(0)), key: 0 },
        point: None,
        impulse: Vec3::ZERO,
        speed: 0.0,
    };
}

pub(crate) fn place(key: Key) -> EventPlace {
    if is_joint(key) {
        EventPlace::Joint { joint: JointId(key.1), row: key.2 as usize }
    } else {
        EventPlace::Contact { shapes: (ShapeId(key.0), ShapeId(key.1)), key: key.2 }
    }
}
