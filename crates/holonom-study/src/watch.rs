//! Measures of a run on its way, row by row. Between two rows x and the margin m of a condition are straight lines:
//!
//! ```text
//! integral of x    (x0 + x1)/2 h            integral of x^2    (x0^2 + x0 x1 + x1^2)/3 h
//! crossing         t0 + h m0/(m0 - m1)      where m0 and m1 have different signs
//! ```
//!
//! With a condition, means and integrals are taken over the intervals at whose both ends it holds; durations end at
//! crossings. The margin of `==` is at most zero: it holds from the first to the last of the rows at which it is zero.

use crate::outcome::{Measure, Outcomes, Taking};
use holonom::{Event, EventKind, Simulation, StepError};
use holonom_run::{Failure, RowSink};

/// What a measure has seen.
#[derive(Clone, Debug)]
struct Seen {
    /// The last row: time, number, does its condition hold, margin.
    last: Option<(f64, f64, bool, f64)>,
    /// What was found so far: extreme, integral, first or last number, time, count.
    found: f64,
    /// When the extreme was.
    at: f64,
    /// Time that integrals cover, s.
    span: f64,
    /// Since when the condition holds, s.
    since: f64,
}

/// All measures of a run.
pub(crate) struct Watch<'a> {
    outcomes: &'a Outcomes,
    /// Parameters, then the quantities of the row.
    slots: Vec<f64>,
    seen: Vec<Seen>,
    /// Of events by kind; the last counts all.
    events: [u64; 8],
    /// Rows with a number that could not be computed, and the first reason.
    pub incomplete: Option<String>,
}

impl<'a> Watch<'a> {
    /// Of a run whose scene has these parameters.
    pub fn new(outcomes: &'a Outcomes, params: &[f64]) -> Self {
        let slots = params.iter().copied().chain(std::iter::repeat_n(f64::NAN, outcomes.quantities.len())).collect();
        let nothing = Seen { last: None, found: f64::NAN, at: f64::NAN, span: 0.0, since: f64::NAN };
        let mut seen = vec![nothing; outcomes.measures.len()];
        for (seen, measure) in seen.iter_mut().zip(&outcomes.measures) {
            if let Measure::Rows { taking: Taking::Count | Taking::Duration | Taking::Longest, .. } = measure {
                seen.found = 0.0;
            }
        }
        Watch { outcomes, slots, seen, events: [0; 8], incomplete: None }
    }

    /// Look at a row of quantities.
    pub fn look(&mut self, row: &[f64]) {
        let time = row[0];
        self.slots[self.outcomes.params..].copy_from_slice(row);
        for (seen, measure) in self.seen.iter_mut().zip(&self.outcomes.measures) {
            let Measure::Rows { taking, value, condition } = measure else { continue };
            let x = value.as_ref().map_or(0.0, |e| e.with(&self.slots));
            let (holds, margin) = condition.as_ref().map_or((true, f64::NAN), |c| c.at(&self.slots));
            // what cannot be told of this row is passed over
            if !(x.is_nan() || condition.is_some() && margin.is_nan()) {
                seen.row(*taking, time, x, holds, margin);
            }
        }
    }

    /// Events of the steps since the last call.
    pub fn count(&mut self, all: usize, events: &[Event]) {
        self.events[7] += all as u64;
        for e in events {
            self.events[place(e.kind)] += 1;
        }
    }

    /// What every measure came to.
    pub fn measured(&self) -> Vec<f64> {
        let each = self.seen.iter().zip(&self.outcomes.measures).map(|(seen, measure)| match measure {
            Measure::Events(kind) => self.events[kind.map_or(7, place)] as f64,
            Measure::Rows { taking, .. } => seen.result(*taking),
        });
        each.collect()
    }
}

fn place(kind: EventKind) -> usize {
    match kind {
        EventKind::Impact => 0,
        EventKind::Closes => 1,
        EventKind::Opens => 2,
        EventKind::Slips => 3,
        EventKind::Sticks => 4,
        EventKind::Enters => 5,
        EventKind::Leaves => 6,
    }
}

impl Seen {
    fn row(&mut self, taking: Taking, time: f64, x: f64, holds: bool, margin: f64) {
        let before = self.last.replace((time, x, holds, margin));
        // where the margin went through zero since the row before
        let crossing = match before {
            Some((t, _, held, m)) if held != holds && m != margin && m.is_finite() && margin.is_finite() => {
                (t + (time - t) * m / (m - margin)).clamp(t, time)
            }
            _ => time,
        };
        let held = before.is_some_and(|b| b.2);
        match taking {
            Taking::Max | Taking::TimeOfMax if holds && !(x <= self.found) => (self.found, self.at) = (x, time),
            Taking::Min | Taking::TimeOfMin if holds && !(x >= self.found) => (self.found, self.at) = (x, time),
            Taking::Initial if holds && self.found.is_nan() => self.found = x,
            Taking::Final if holds => self.found = x,
            Taking::Mean | Taking::Integral | Taking::Rms if holds => {
                if self.found.is_nan() {
                    // of a single row
                    (self.found, self.at) = (0.0, x);
                }
                if let Some((t, x0, true, _)) = before {
                    let h = time - t;
                    self.span += h;
                    self.found += match taking {
                        Taking::Rms => h * (x0 * x0 + x0 * x + x * x) / 3.0,
                        _ => h * 0.5 * (x0 + x),
                    };
                }
            }
            Taking::TimeOf if holds && self.found.is_nan() => {
                self.found = if before.is_some() { crossing } else { time };
            }
            Taking::Count if holds && !held => self.found += 1.0,
            Taking::Duration | Taking::Longest => self.stretch(taking, before, time, holds, crossing),
            _ => {}
        }
    }

    /// The time for which a condition holds.
    fn stretch(
        &mut self,
        taking: Taking,
        before: Option<(f64, f64, bool, f64)>,
        time: f64,
        holds: bool,
        crossing: f64,
    ) {
        let Some((t, _, held, _)) = before else {
            self.since = time;
            return;
        };
        let end = if holds { time } else { crossing };
        match (held, holds) {
            (false, true) => self.since = crossing,
            (false, false) => return,
            _ => {}
        }
        let from = match taking {
            Taking::Longest => self.since,
            _ => self.since.max(t),
        };
        match taking {
            Taking::Longest => self.found = self.found.max(end - from),
            _ => self.found += end - from,
        }
    }

    fn result(&self, taking: Taking) -> f64 {
        match taking {
            Taking::TimeOfMax | Taking::TimeOfMin => self.at,
            Taking::Mean if self.span == 0.0 => self.at,
            Taking::Mean => self.found / self.span,
            Taking::Rms if self.span == 0.0 => self.at.abs(),
            Taking::Rms => libm::sqrt(self.found / self.span),
            _ => self.found,
        }
    }
}

impl RowSink for Watch<'_> {
    type Error = Failure;

    fn row(&mut self, row: &[f64], _probe: &mut Simulation) -> Result<Option<StepError>, Failure> {
        self.look(row);
        Ok(None)
    }

    fn unknown(&mut self, row: &[f64]) -> Result<(), Failure> {
        self.look(row);
        Ok(())
    }

    fn first_incomplete(&mut self, why: &StepError) {
        self.incomplete = Some(why.to_string());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(taking: Taking, rows: &[(f64, f64, bool, f64)]) -> f64 {
        let found = if matches!(taking, Taking::Count | Taking::Duration | Taking::Longest) { 0.0 } else { f64::NAN };
        let mut seen = Seen { last: None, found, at: f64::NAN, span: 0.0, since: f64::NAN };
        rows.iter().for_each(|r| seen.row(taking, r.0, r.1, r.2, r.3));
        seen.result(taking)
    }

    /// x = t on 0 .. 4; the condition is x > 1.5 and its margin x - 1.5.
    #[test]
    fn of_a_straight_line_everything_is_known() {
        let rows: Vec<_> = (0..=4).map(|k| (f64::from(k), f64::from(k), k >= 2, f64::from(k) - 1.5)).collect();
        let always: Vec<_> = rows.iter().map(|r| (r.0, r.1, true, f64::NAN)).collect();
        assert_eq!(of(Taking::Max, &always), 4.0);
        assert_eq!(of(Taking::TimeOfMin, &always), 0.0);
        assert_eq!(of(Taking::Mean, &always), 2.0);
        assert_eq!(of(Taking::Integral, &always), 8.0);
        assert!((of(Taking::Rms, &always) - (16.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(of(Taking::TimeOf, &rows), 1.5);
        assert_eq!(of(Taking::Duration, &rows), 2.5);
        assert_eq!(of(Taking::Longest, &rows), 2.5);
        assert_eq!(of(Taking::Count, &rows), 1.0);
        assert_eq!(of(Taking::Initial, &rows), 2.0);
        assert_eq!(of(Taking::Mean, &rows), 3.0);
        assert_eq!(of(Taking::Min, &rows), 2.0);
        assert!(of(Taking::TimeOf, &rows[..2]).is_nan() && of(Taking::Max, &rows[..2]).is_nan());
        assert_eq!(of(Taking::Mean, &always[3..4]), 3.0);
    }

    /// A wave of triangles: the margin is 1, -1, 1, -1 ..: half of the time, in stretches of one second.
    #[test]
    fn stretches_end_at_crossings() {
        let rows: Vec<_> =
            (0..=8).map(|k| (f64::from(k), 0.0, k % 2 == 0, if k % 2 == 0 { 1.0 } else { -1.0 })).collect();
        assert_eq!(of(Taking::Duration, &rows), 4.0);
        assert_eq!(of(Taking::Longest, &rows), 1.0);
        assert_eq!(of(Taking::Count, &rows), 5.0);
        assert_eq!(of(Taking::Duration, &rows[1..]), 3.5);
        assert_eq!(of(Taking::TimeOf, &rows[1..]), 1.5);
    }
}
