//! How long has what is being computed been going on?
//!
//! The session computes in slices: a tick, a frame, an answer. Before each it says so; the thread that watches compares
//! with the clock and raises a flag when the slice is to be given up, and why. The engine looks at the flag between
//! bounded pieces of work ([`holonom::Interrupt`]); a slice that is given up leaves the state as it was.

use crate::clock::Instant;
use holonom::Interrupt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// For so long a slice goes on although somebody waits for its end.
pub(super) const GRACE: Duration = Duration::from_millis(150);

/// Why a slice was given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GivenUp {
    /// Somebody wants something that does not go together with it.
    Unwanted,
    /// It took longer than it may.
    TooLong,
}

/// What is being computed.
#[derive(Clone, Copy)]
struct Slice {
    since: Instant,
    most: Duration,
    given_up: Option<GivenUp>,
}

/// The slice at hand, and the flag.
#[derive(Default)]
pub(super) struct Watch {
    slice: Mutex<Option<Slice>>,
    flag: Arc<AtomicBool>,
}

impl Watch {
    /// What the engine asks.
    pub fn interrupt(&self) -> Interrupt {
        let flag = self.flag.clone();
        Interrupt::when(move || flag.load(Ordering::Relaxed))
    }

    /// Is what is being computed to be given up?
    pub fn is_raised(&self) -> bool {
        self.flag.load(Ordering::Relaxed)
    }

    fn slice(&self) -> MutexGuard<'_, Option<Slice>> {
        self.slice.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Compute something that may take so long, and say whether it was given up.
    pub fn over<R>(&self, most: Duration, compute: impl FnOnce() -> R) -> (R, Option<GivenUp>) {
        // also where it panics
        struct End<'w>(&'w Watch);
        impl Drop for End<'_> {
            fn drop(&mut self) {
                let mut slice = self.0.slice();
                *slice = None;
                self.0.flag.store(false, Ordering::Relaxed);
            }
        }
        *self.slice() = Some(Slice { since: Instant::now(), most, given_up: None });
        let end = End(self);
        let result = compute();
        let given_up = self.slice().and_then(|s| s.given_up);
        drop(end);
        (result, given_up)
    }

    /// Is anything being computed?
    pub fn is_busy(&self) -> bool {
        self.slice().is_some()
    }

    /// Give up what goes on for too long. `wanted`: does somebody wait for its end?
    pub fn look(&self, wanted: impl FnOnce() -> bool) {
        let mut slice = self.slice();
        let Some(slice) = slice.as_mut().filter(|s| s.given_up.is_none()) else { return };
        let passed = slice.since.elapsed();
        slice.given_up = if passed > slice.most {
            Some(GivenUp::TooLong)
        } else if passed > GRACE && wanted() {
            Some(GivenUp::Unwanted)
        } else {
            None
        };
        if slice.given_up.is_some() {
            self.flag.store(true, Ordering::Relaxed);
        }
    }
}
