//! Does time advance? Events and steps may pile up without bringing any.
//!
//! Bounces that accumulate, slips of several contacts that start and stop each other, a slip that turns about at next
//! to no speed: each is right by itself, and together they never end. So attempts are counted against the time they
//! bring. After half the [`TRIES`] within a [`SPAN`] nothing bounces any more (what accumulates comes to rest, a little
//! early); after all of them impulses decide in a short step on velocities, which knows no events. Where that happens
//! again and again the tries become fewer and the step longer, up to [`MOST`]: at every pace the run comes to its end.
//! What was done is counted and reported.

/// Attempts within a span of time, in fifths: bounces count for one, because those of a ball that comes to rest follow
/// each other faster and faster by right.
const TRIES: u32 = 1000;
const TRY: u32 = 5;
/// Times, in units of 1/(rate scale of the model): the span, the first short step, and how often it may double.
const SPAN: f64 = 5e-3;
const SHORT: f64 = 3e-4;
const MOST: u32 = 5;

/// Attempts against time.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Pace {
    mark: f64,
    tries: u32,
    /// Short steps in spans that follow each other.
    forced: u32,
    /// One in this span.
    lately: bool,
}

impl Pace {
    /// An attempt begins at the time `t`; `rate` is the rate scale of the model, 1/s. `asked`: the step that was asked
    /// for, s, where it was, of which a small part is progress.
    pub fn note(&mut self, t: f64, rate: f64, asked: Option<f64>) {
        let span = asked.map_or(SPAN / rate, |h| (1e-6 * h).min(SPAN / rate));
        if !(t >= self.mark && t - self.mark < span) {
            let forced = if self.lately { self.forced } else { 0 };
            *self = Pace { mark: t, forced, ..Pace::default() };
        }
        self.tries += TRY;
    }

    /// The attempt ended where something met.
    pub fn met(&mut self) {
        self.tries = self.tries.saturating_sub(TRY - 1);
    }

    /// May things bounce?
    pub fn rebounds(&self) -> bool {
        2 * self.tries <= self.limit()
    }

    /// The short step that is due, s.
    pub fn due(&mut self, rate: f64) -> Option<f64> {
        if self.tries <= self.limit() {
            return None;
        }
        let step = SHORT * f64::from(1u32 << self.forced.min(MOST)) / rate;
        (self.tries, self.forced, self.lately) = (0, self.forced + 1, true);
        Some(step)
    }

    fn limit(&self) -> u32 {
        TRIES >> self.forced.min(4)
    }
}
