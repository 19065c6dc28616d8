//! What happened and when: impacts, touches that close and open, slips that begin and end, for those who ask.
//!
//! Nothing is kept unless [`Simulation::keep_events`] says how many; then the newest so many are, until they are [taken](Simulation::take_events). Times are those at which the event was
//! located. Time stepping (`IntegratorKind::Stepping`) locates no events, so there are none to report.
//!
//! Events of one step wait until the step is accepted. A state that is put back ([`Simulation::set_state`]) takes nothing back that was reported.

use crate::contact::inequality::mode::{self, ContactMode, Slip};
use crate::contact::inequality::{InequalityRows, RowBound};
use crate::model::JointId;
use crate::model::shapes::ShapeId;
use crate::model::warm_start::Key;
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
}

/// Events reported, those of the step under way, and the mode they start from.
#[derive(Default)]
pub(crate) struct EventLog {
    newest: usize,
    kept: VecDeque<Event>,
    waiting: Vec<Event>,
    known: ContactMode,
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
        self.kept.drain(..).collect()
    }

    /// A step begins, or begins anew after one that was refused. Impacts at its start have happened all the same.
    pub fn begin(&mut self, mode: &ContactMode) {
        if self.newest > 0 {
            self.waiting.retain(|e| e.kind == EventKind::Impact);
            self.known.clone_from(mode);
        }
    }

    /// These rows are about to collide.
    pub fn impacts(&mut self, time: f64, ineq: &InequalityRows, approaches: impl Fn(usize) -> bool) {
        if self.newest > 0 {
            let pushes = ineq.blocks.iter().filter(|b| matches!(b.bound, RowBound::Push { .. }));
            for block in pushes.filter(|b| approaches(b.row as usize)) {
                self.waiting.push(Event { time, kind: EventKind::Impact, place: place(block.key) });
            }
        }
    }

    /// The mode is now this.
    pub fn changes(&mut self, time: f64, ineq: &InequalityRows, mode: &ContactMode) {
        if self.newest == 0 {
            return;
        }
        let EventLog { waiting, known, .. } = self;
        let mut note = |kind, key| waiting.push(Event { time, kind, place: place(key) });
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
    ineq.blocks.iter().any(|b| b.key == key && mode::part_of(b) == 0 && matches!(b.bound, RowBound::Push { .. }))
}

fn place(key: Key) -> EventPlace {
    if key.0 == u32::MAX {
        EventPlace::Joint { joint: JointId(key.1), row: key.2 as usize }
    } else {
        EventPlace::Contact { shapes: (ShapeId(key.0), ShapeId(key.1)), key: key.2 }
    }
}
