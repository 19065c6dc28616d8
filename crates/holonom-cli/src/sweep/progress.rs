//! One line on standard error that says how far a sweep is; nothing where that is not a terminal.

use crate::run::progress_bar::duration;
use std::io::{IsTerminal, Write};
use std::time::{Duration, Instant};

/// So often.
const EVERY: Duration = Duration::from_millis(100);
/// Characters of the bar.
const WIDTH: usize = 24;

pub(super) struct SweepProgress {
    visible: bool,
    shown: bool,
    /// Rows that were there at the start.
    before: u64,
    runs: u64,
    started: Instant,
    last: Instant,
}

impl SweepProgress {
    pub fn new(before: u64, runs: u64, quiet: bool) -> Self {
        let now = Instant::now();
        let visible = !quiet && std::io::stderr().is_terminal();
        SweepProgress { visible, shown: false, before, runs, started: now, last: now }
    }

    /// After a run.
    pub fn show(&mut self, finished: u64, failed: u64) {
        if !self.visible || self.last.elapsed() < EVERY {
            return;
        }
        self.last = Instant::now();
        self.shown = true;
        let line = line(self.before, finished, self.runs, failed, self.started.elapsed().as_secs_f64());
        let _ = write!(std::io::stderr(), "\r\x1b[2K{line}");
    }
}

impl Drop for SweepProgress {
    fn drop(&mut self) {
        if self.shown {
            let _ = write!(std::io::stderr(), "\r\x1b[2K");
        }
    }
}

fn line(before: u64, finished: u64, runs: u64, failed: u64, wall: f64) -> String {
    let part = finished as f64 / runs.max(1) as f64;
    let full = ((part * WIDTH as f64) as usize).min(WIDTH);
    let bar = "█".repeat(full) + &"░".repeat(WIDTH - full);
    // what was there before says nothing of the pace
    let pace = finished.saturating_sub(before) as f64 / wall;
    let left = runs.saturating_sub(finished) as f64 / pace;
    let failed = if failed > 0 { format!(", {failed} failed") } else { String::new() };
    let pace = if pace >= 10.0 { format!("{pace:.0}") } else { format!("{pace:.2}") };
    format!("{bar} {:3.0} %  {finished} of {runs} runs{failed}  {pace} runs/s  {} left", 100.0 * part, duration(left))
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn a_line_says_how_long_it_will_take() {
        // 200 runs in 10 s, 600 to go
        let text = line(200, 400, 1000, 3, 10.0);
        assert_eq!(text, "█████████░░░░░░░░░░░░░░░  40 %  400 of 1000 runs, 3 failed  20 runs/s  30.0 s left");
        assert!(line(0, 0, 0, 0, 0.0).contains("? left"), "nothing is divided by zero into a panic");
    }
}
