//! The state of a simulation: what must be kept, and nothing that can be recomputed.

use crate::error::SnapshotError;
use crate::model::warm_start::{self, WarmStart};

/// Positions, velocities, time, and the memory that a bit-equal resume needs.
#[derive(Debug, Default, PartialEq)]
pub struct State {
    /// Time, s.
    pub t: f64,
    /// Position coordinates of all bodies, in order.
    pub q: Vec<f64>,
    /// Velocity coordinates of all bodies, in order.
    pub v: Vec<f64>,
    /// Whole turns of each joint angle, in the order of the model.
    pub(crate) turns: Vec<i32>,
    /// Work done so far, J: one entry per force, one per joint, one for friction inside bodies if there is any, one for
    /// friction of contacts if there may be any, then the projection, then what was imposed by hand.
    pub(crate) work: Vec<f64>,
    /// The rest of the ledger.
    pub(crate) blows: BlowWorks,
    /// Kinetic plus potential energy of the bodies when the ledger was opened, J.
    pub(crate) opening_energy: f64,
    /// Next step size of an adaptive integrator, s; 0 when there is none yet.
    pub(crate) next_step: f64,
    /// Error of the last accepted step, for the step size controller.
    pub(crate) last_error: f64,
    /// What touches, sticks or is at its limit, and how strongly.
    pub(crate) warm_start: Vec<WarmStart>,
}

/// Works of velocities that jump, and what steps of finite length do to the energy, J. All zero in smooth motion.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct BlowWorks {
    /// Of the normal impulses of contacts.
    pub impacts: f64,
    /// Of joints and drives while something collides.
    pub joints: f64,
    /// What time stepping on velocities changes beside the work of impulses.
    pub stepping: f64,
}

impl BlowWorks {
    pub fn sum(&self) -> f64 {
        self.impacts + self.joints + self.stepping
    }

    /// The part `part` of the way to others.
    pub fn towards(&self, other: &BlowWorks, part: f64) -> BlowWorks {
        let mut out = *self;
        for (x, to) in out.slots().into_iter().zip(other.numbers()) {
            *x += part * (to - *x);
        }
        out
    }

    fn numbers(&self) -> [f64; 3] {
        [self.impacts, self.joints, self.stepping]
    }

    fn slots(&mut self) -> [&mut f64; 3] {
        [&mut self.impacts, &mut self.joints, &mut self.stepping]
    }
}

/// By hand, so that `clone_from` reuses the memory it finds: every step copies a state.
impl Clone for State {
    fn clone(&self) -> Self {
        let mut out = State::default();
        out.clone_from(self);
        out
    }

    fn clone_from(&mut self, from: &Self) {
        let State { t, q, v, turns, work, blows, opening_energy, next_step, last_error, warm_start } = from;
        self.q.clone_from(q);
        self.v.clone_from(v);
        self.turns.clone_from(turns);
        self.work.clone_from(work);
        self.warm_start.clone_from(warm_start);
        (self.t, self.opening_energy, self.blows) = (*t, *opening_energy, *blows);
        (self.next_step, self.last_error) = (*next_step, *last_error);
    }
}

const MAGIC: &[u8; 8] = b"holonom1";

impl State {
    /// 64-bit hash over the bits of everything in the state; -0.0 counts as 0.0.
    pub fn hash(&self) -> u64 {
        fnv(&self.payload())
    }

    /// The state as bytes: small, complete, with a checksum. The same on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let payload = self.payload();
        let mut out = Vec::with_capacity(payload.len() + 16);
        out.extend_from_slice(MAGIC);
        out.extend_from_slice(&payload);
        out.extend_from_slice(&fnv(&payload).to_le_bytes());
        out
    }

    fn payload(&self) -> Vec<u8> {
        let mut out =
            Vec::with_capacity(8 * (self.q.len() + self.v.len() + self.work.len() + 8) + 4 * self.turns.len());
        // where nothing ever collided there is nothing to write, and those who know nothing of blows can read it
        let blows = self.blows.numbers();
        let blows = if blows == [0.0; 3] { &[][..] } else { &blows[..] };
        for n in [self.q.len(), self.v.len(), self.turns.len(), self.work.len() + blows.len()] {
            out.extend_from_slice(&(n as u64).to_le_bytes());
        }
        let scalars = [self.t, self.opening_energy, self.next_step, self.last_error];
        for x in scalars.iter().chain(&self.q).chain(&self.v).chain(&self.work).chain(blows) {
            // adding zero turns -0.0 into 0.0 and changes nothing else
            out.extend_from_slice(&(x + 0.0).to_bits().to_le_bytes());
        }
        for n in &self.turns {
            out.extend_from_slice(&n.to_le_bytes());
        }
        for word in self.warm_start.iter().flat_map(|h| h.to_words()) {
            out.extend_from_slice(&word.to_le_bytes());
        }
        out
    }

    /// Read back what [`State::to_bytes`] wrote, for a model whose states are like `like`.
    pub(crate) fn read(like: &State, bytes: &[u8]) -> Result<State, SnapshotError> {
        let body = bytes.strip_prefix(MAGIC.as_slice()).ok_or(SnapshotError::Format)?;
        let (payload, sum) = body.split_last_chunk::<8>().ok_or(SnapshotError::Damaged)?;
        if fnv(payload) != u64::from_le_bytes(*sum) {
            return Err(SnapshotError::Damaged);
        }
        let mut words = payload.chunks_exact(8).filter_map(|c| c.first_chunk::<8>()).map(|c| u64::from_le_bytes(*c));
        let mut word = || words.next().ok_or(SnapshotError::Damaged);
        let mut state = like.clone();
        let expected = [
            ("position coordinates", state.q.len()),
            ("velocity coordinates", state.v.len()),
            ("joint angles", state.turns.len()),
            ("ledger entries", state.work.len()),
        ];
        let mut blows = 0;
        for (what, expected) in expected {
            let found = word()? as usize;
            blows = found.wrapping_sub(expected);
            let whole = what == "ledger entries" && blows == state.blows.numbers().len();
            if found != expected && !whole {
                return Err(SnapshotError::Mismatch { what, found, expected });
            }
        }
        for slot in [&mut state.t, &mut state.opening_energy, &mut state.next_step, &mut state.last_error] {
            *slot = f64::from_bits(word()?);
        }
        for slot in state.q.iter_mut().chain(&mut state.v).chain(&mut state.work) {
            *slot = f64::from_bits(word()?);
        }
        state.blows = BlowWorks::default();
        for slot in state.blows.slots().into_iter().take(blows) {
            *slot = f64::from_bits(word()?);
        }
        let n_words = 8 + state.q.len() + state.v.len() + state.work.len() + blows;
        let rest = payload.get(8 * n_words..).ok_or(SnapshotError::Damaged)?;
        let (turns, warm_start) = rest.split_at_checked(4 * state.turns.len()).ok_or(SnapshotError::Damaged)?;
        let words: Vec<u64> =
            warm_start.chunks_exact(8).filter_map(|c| c.first_chunk::<8>()).map(|c| u64::from_le_bytes(*c)).collect();
        if warm_start.len() != 8 * words.len() || !words.len().is_multiple_of(warm_start::WORDS) {
            return Err(SnapshotError::Damaged);
        }
        let entries = words.chunks_exact(warm_start::WORDS).filter_map(|c| c.first_chunk());
        state.warm_start = entries.map(WarmStart::from_words).collect();
        for (slot, bytes) in state.turns.iter_mut().zip(turns.chunks_exact(4)) {
            *slot = bytes.first_chunk::<4>().map_or(0, |c| i32::from_le_bytes(*c));
        }
        Ok(state)
    }
}

/// FNV-1a.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, &b| (h ^ b as u64).wrapping_mul(0x0000_0100_0000_01b3))
}
