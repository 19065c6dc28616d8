//! One line on standard error that says how far the run is; nothing where that is not a terminal.

use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// So often.
const EVERY: Duration = Duration::from_millis(100);
/// Characters of the bar.
const WIDTH: usize = 24;

pub(crate) struct ProgressBar {
    visible: bool,
    shown: bool,
    begin: f64,
    end: f64,
    started: Instant,
    last: Instant,
}

impl ProgressBar {
    pub fn new(begin: f64, end: f64, quiet: bool) -> Self {
        let now = Instant::now();
        let visible = !quiet && std::io::stderr().is_terminal();
        ProgressBar { visible, shown: false, begin, end, started: now, last: now }
    }

    /// After a step.
    pub fn show(&mut self, time: f64, steps: u64) {
        if !self.visible || self.last.elapsed() < EVERY {
            return;
        }
        self.last = Instant::now();
        self.shown = true;
        let line = line(self.begin, self.end, time, steps, self.started.elapsed().as_secs_f64());
        let _ = write!(std::io::stderr(), "\r\x1b[2K{line}");
    }
}

impl Drop for ProgressBar {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}

fn line(begin: f64, end: f64, time: f64, steps: u64, wall: f64) -> String {
    let part = ((time - begin) / (end - begin)).clamp(0.0, 1.0);
    let full = (part * WIDTH as f64) as usize;
    let bar = "█".repeat(full) + &"░".repeat(WIDTH - full);
    let left = if part > 0.0 { wall * (1.0 - part) / part } else { f64::INFINITY };
    let decimals = if end < 1.0 { 4 } else { 2 };
    format!(
        "{bar} {:3.0} %  t = {time:.decimals$} of {end} s  {} x real time  {} steps/s  {} left",
        100.0 * part,
        factor((time - begin) / wall),
        count(steps as f64 / wall),
        duration(left)
    )
}

/// A ratio in few characters.
pub(crate) fn factor(x: f64) -> String {
    if !x.is_finite() {
        "-".into()
    } else if x >= 100.0 {
        format!("{x:.0}")
    } else if x >= 0.1 {
        format!("{x:.1}")
    } else {
        format!("{x:.1e}")
    }
}

fn count(x: f64) -> String {
    match x {
        x if !x.is_finite() => "-".into(),
        x if x >= 1e6 => format!("{:.1} M", x / 1e6),
        x if x >= 1e4 => format!("{:.0} k", x / 1e3),
        x => format!("{x:.0}"),
    }
}

/// Seconds as people say them.
pub(crate) fn duration(s: f64) -> String {
    match s {
        s if !s.is_finite() => "?".into(),
        s if s < 1e-3 => format!("{:.0} µs", 1e6 * s),
        s if s < 1.0 => format!("{:.1} ms", 1e3 * s),
        s if s < 120.0 => format!("{s:.1} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_where_it_is() {
        let text = line(0.0, 10.0, 2.5, 2500, 0.5);
        assert_eq!(text, "██████░░░░░░░░░░░░░░░░░░  25 %  t = 2.50 of 10 s  5.0 x real time  5000 steps/s  1.5 s left");
        assert!(line(0.0, 0.0, 0.0, 0, 0.0).contains("? left"), "nothing is divided by zero into a panic");
    }
}
