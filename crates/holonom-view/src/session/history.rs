//! What happened, moment by moment, to look at again and to go on from.
//!
//! A moment is model and state (models are shared), so going on from one gives the same bits as before. Memory is
//! bounded: when it is used up every other moment is forgotten, and from then on they are kept half as often.

use super::hands::Hands;
use super::jog;
use crate::message::MotionMode;
use holonom::Checkpoint;
use std::sync::Arc;

/// Bytes that the moments may use.
const MOST_BYTES: usize = 256 << 20;

/// A moment.
pub struct Moment {
    /// Tick.
    pub tick: u64,
    /// Model and state.
    pub checkpoint: Checkpoint,
    /// Hands at work.
    pub hands: Hands,
    /// How the mechanism answered.
    pub mode: MotionMode,
    /// Were real-time steps taken?
    pub hurried: bool,
    /// Was velocity-level stepping in use?
    pub stepping: bool,
    /// A jog on its way.
    pub jog: Option<jog::JogSnapshot>,
    /// Entries of the log until then.
    pub logged: usize,
    /// Approximate size.
    pub bytes: usize,
}

/// Moments in order.
#[derive(Default)]
pub struct History {
    moments: Vec<Arc<Moment>>,
    bytes: usize,
    /// Ticks between moments.
    every: u64,
}

impl History {
    /// With so many ticks between moments.
    pub fn new(every: u64) -> Self {
        History { moments: Vec::new(), bytes: 0, every: every.max(1) }
    }

    /// Is this tick one to keep?
    pub fn wants(&self, tick: u64) -> bool {
        self.moments.last().is_none_or(|m| tick >= m.tick + self.every)
    }

    /// Keep a moment; those at or after its tick are forgotten.
    pub fn keep(&mut self, moment: Arc<Moment>) {
        self.forget_from(moment.tick);
        self.bytes += moment.bytes;
        self.moments.push(moment);
        if self.bytes > MOST_BYTES && self.moments.len() > 2 {
            let last = self.moments.len() - 1;
            let mut k = 0;
            self.moments.retain(|_| {
                k += 1;
                (k - 1) % 2 == 0 || k - 1 == last
            });
            self.every *= 2;
            self.bytes = self.moments.iter().map(|m| m.bytes).sum();
        }
    }

    /// Forget this tick and all after it.
    pub fn forget_from(&mut self, tick: u64) {
        while self.moments.last().is_some_and(|m| m.tick >= tick) {
            self.bytes -= self.moments.pop().map_or(0, |m| m.bytes);
        }
    }

    /// The last moment at or before a tick; the first where there is none.
    pub fn at(&self, tick: u64) -> Option<&Arc<Moment>> {
        let k = self.moments.partition_point(|m| m.tick <= tick);
        self.moments.get(k.saturating_sub(1))
    }

    /// All of them.
    pub fn moments(&self) -> &[Arc<Moment>] {
        &self.moments
    }

    /// First and last tick.
    pub fn span(&self) -> [u64; 2] {
        [self.moments.first().map_or(0, |m| m.tick), self.moments.last().map_or(0, |m| m.tick)]
    }
}
