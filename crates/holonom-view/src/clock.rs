//! Moments of the host's clock, by which the hub lets simulated time keep pace with people's. Nothing that is computed
//! depends on them.
//!
//! On machines with a system they are those of the standard library. In WebAssembly there is no clock: whoever embeds
//! this crate gives one, once, with `set_clock`.

#[cfg(not(target_family = "wasm"))]
pub use std::time::Instant;

#[cfg(target_family = "wasm")]
pub use told::{Instant, set_clock};

#[cfg(any(test, target_family = "wasm"))]
mod told {
    use std::ops::{Add, Sub};
    use std::sync::OnceLock;
    use std::time::Duration;

    static CLOCK: OnceLock<fn() -> Duration> = OnceLock::new();

    /// The clock from now on: time since any fixed moment. Said once; without it, time stands still.
    pub fn set_clock(clock: fn() -> Duration) {
        let _ = CLOCK.set(clock);
    }

    /// A moment, as in the standard library.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        /// This one.
        pub fn now() -> Instant {
            Instant(CLOCK.get().map_or(Duration::ZERO, |clock| clock()))
        }

        /// How long ago it was; zero where it is still to come.
        pub fn elapsed(self) -> Duration {
            Instant::now() - self
        }

        /// How long after another one; zero where it is before.
        pub fn saturating_duration_since(self, earlier: Instant) -> Duration {
            self.0.saturating_sub(earlier.0)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, later: Duration) -> Instant {
            Instant(self.0 + later)
        }
    }

    impl Sub for Instant {
        type Output = Duration;

        fn sub(self, earlier: Instant) -> Duration {
            self.saturating_duration_since(earlier)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::told::{Instant, set_clock};
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    #[test]
    fn moments_are_those_of_the_clock_that_was_given() {
        static MILLISECONDS: AtomicU64 = AtomicU64::new(5);
        set_clock(|| Duration::from_millis(MILLISECONDS.load(Ordering::Relaxed)));
        let first = Instant::now();
        MILLISECONDS.store(12, Ordering::Relaxed);
        assert_eq!(first.elapsed(), Duration::from_millis(7));
        assert_eq!(first - Instant::now(), Duration::ZERO, "never negative");
        assert!(first + Duration::from_millis(8) > Instant::now());
    }
}
