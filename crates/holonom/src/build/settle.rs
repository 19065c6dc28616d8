//! What constraints left open (the phase of a gear, the length of a rope) is taken from the pose they start in.
//!
//! Only the start pose is needed for it, and the turns that the joint angles have made there: an angle alone is known
//! up to whole turns.

use crate::build::check::Checked;
use crate::catalogue::coordinate::Coordinate;
use crate::catalogue::joints::{Constraint, CoordinateKind};
use crate::error::{Invalid, ModelError};
use crate::evaluate::angles::note_each_angle;
use crate::evaluate::evaluation::Angles;
use crate::model::choices::Assembly;
use crate::model::joint::n_turns;
use crate::model::state::State;

/// A checked description in which no constraint leaves anything open.
pub(crate) struct Settled {
    pub checked: Checked,
    pub turns: TurnCounters,
    pub given: Given,
}

/// The start as it was given; joints may be open there.
pub(crate) struct Given {
    /// Time, positions, velocities and turns.
    pub state: State,
    /// Joint angles there; empty when nobody follows their turns.
    pub angles: Angles,
    /// How it is to be assembled.
    pub assembly: Assembly,
}

/// Counters of whole turns, one for each joint angle, and who follows which.
pub(crate) struct TurnCounters {
    /// First counter of each joint, and their number at the end.
    pub first: Vec<u32>,
    /// Counters that joints follow (`u32::MAX` for one that is not there): those of joint k from `slot_start[k]` on.
    pub slots: Vec<u32>,
    pub slot_start: Vec<u32>,
    /// Counters that forces follow.
    pub of_forces: Vec<Box<[u32]>>,
}

impl TurnCounters {
    pub fn new(checked: &Checked) -> TurnCounters {
        let mut first = vec![0];
        for (constraint, status) in &checked.parts.joints {
            first.push(first[first.len() - 1] + n_turns(status.measured(constraint)) as u32);
        }
        let slot = |c: &Coordinate| {
            let before = c.joint.coordinates().iter().take(c.index).filter(|&&k| k == CoordinateKind::Angle).count();
            match checked.joint_names.find(&c.name) {
                Some(k) if c.kind() == CoordinateKind::Angle => {
                    let counter = first[k as usize] + before as u32;
                    if counter < first[k as usize + 1] { counter } else { u32::MAX }
                }
                _ => u32::MAX,
            }
        };
        let (mut slots, mut slot_start) = (Vec::new(), vec![0]);
        for (k, (constraint, _)) in checked.parts.joints.iter().enumerate() {
            // a joint's own counters come first, then those of the coordinates it reads
            if constraint.follows_turns() {
                slots.extend(first[k]..first[k + 1]);
            }
            slots.extend(constraint.reads().iter().map(slot));
            slot_start.push(slots.len() as u32);
        }
        let of_forces = checked.parts.forces.iter().map(|law| law.reads().iter().map(slot).collect()).collect();
        TurnCounters { first, slots, slot_start, of_forces }
    }

    /// Number of counters.
    pub fn len(&self) -> usize {
        self.first[self.first.len() - 1] as usize
    }

    /// Does anybody follow a counter?
    pub fn are_read(&self) -> bool {
        !self.slots.is_empty() || self.of_forces.iter().any(|slots| !slots.is_empty())
    }

    /// The counters that a joint follows.
    pub fn slots_of(&self, joint: usize) -> &[u32] {
        &self.slots[self.slot_start[joint] as usize..self.slot_start[joint + 1] as usize]
    }
}

impl Settled {
    pub fn new(mut checked: Checked) -> Result<Settled, ModelError> {
        let counters = TurnCounters::new(&checked);
        let from = std::mem::take(&mut checked.start);
        let mut turns = vec![0; counters.len()];
        for (k, ends) in counters.first.windows(2).enumerate() {
            let own = &mut turns[ends[0] as usize..ends[1] as usize];
            if let Some(known) = from.turns.get(checked.joint_names.get(k)).filter(|known| known.len() == own.len()) {
                own.copy_from_slice(known);
            }
        }
        let state = State { t: from.t, q: from.q, v: from.v, turns, ..State::default() };
        let frames = checked.frames(&state.q, &state.v);
        let bodies = &checked.at(&frames, &state.q, &state.v);
        let mut angles = Angles::default();
        if counters.are_read() && counters.len() > 0 {
            let measured = checked.parts.joints.iter().map(|(constraint, status)| status.measured(constraint));
            note_each_angle(measured, bodies, &state.turns, state.t, &mut angles);
        }
        let mut settled = Vec::new();
        for (k, (constraint, _)) in checked.parts.joints.iter().enumerate() {
            let view = angles.view(bodies, constraint.attachments(), counters.slots_of(k), state.t);
            let Some(constraint) = constraint.settled(&view) else { continue };
            let refuse = |e: Invalid| unsettled(checked.joint_names.get(k), constraint.as_ref(), e);
            constraint.validate().map_err(refuse)?;
            settled.push((k, constraint));
        }
        settled.into_iter().for_each(|(k, constraint)| checked.parts.joints[k].0 = constraint);
        let given = Given { state, angles, assembly: checked.parts.assembly };
        Ok(Settled { checked, turns: counters, given })
    }
}

fn unsettled(joint: &str, constraint: &dyn Constraint, reason: Invalid) -> ModelError {
    ModelError::Joint {
        joint: joint.into(),
        kind: constraint.kind(),
        reason: format!(
            "cannot take what it was not told from the pose it starts in, where its parts coincide or are in line ({reason})"
        )
        .into(),
    }
}
