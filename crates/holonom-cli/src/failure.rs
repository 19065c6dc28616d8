//! What ends the program early: a message that stands alone, and an exit code.

use crate::Exit;
use holonom::{ModelError, StepError};
use std::fmt::Write as _;
use std::io::Write as _;

/// A failed command.
#[derive(Debug)]
pub(crate) struct Failure {
    pub exit: Exit,
    message: String,
    notes: Vec<(&'static str, String)>,
}

impl Failure {
    fn new(exit: Exit, message: impl Into<String>) -> Self {
        Failure { exit, message: message.into(), notes: Vec::new() }
    }

    /// Bad input or usage.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure::new(Exit::Usage, message)
    }

    /// A limit was exceeded.
    pub fn limit(message: impl Into<String>) -> Self {
        Failure::new(Exit::Limit, message)
    }

    /// The numbers went wrong.
    pub fn numerical(message: impl Into<String>) -> Self {
        Failure::new(Exit::Numerical, message)
    }

    /// Reading or writing failed.
    pub fn io(message: impl Into<String>) -> Self {
        Failure::new(Exit::Io, message)
    }

    /// A simulation of `what` stopped.
    pub fn step(what: &str, e: &StepError) -> Self {
        Failure::numerical(format!("{what}: {e}"))
    }

    /// A model that comes with the program cannot be built.
    pub fn model(what: &str, e: &ModelError) -> Self {
        Failure::usage(format!("{what}: {e}"))
    }

    /// Add one concrete help.
    pub fn help(self, text: impl Into<String>) -> Self {
        self.note("help", text)
    }

    /// Add a line with another label.
    pub fn note(mut self, label: &'static str, text: impl Into<String>) -> Self {
        self.notes.push((label, text.into()));
        self
    }

    fn text(&self) -> String {
        let mut text = format!("error: {}\n", self.message);
        for (label, note) in &self.notes {
            let _ = writeln!(text, "  = {label}: {note}");
        }
        text
    }

    /// Tell the user. Nothing can be done when even that fails.
    pub fn print(&self) {
        let _ = std::io::stderr().write_all(self.text().as_bytes());
    }
}

/// Something the user should know although the command goes on.
pub(crate) fn warn(message: &str) {
    let _ = std::io::stderr().write_all(format!("warning: {message}\n").as_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_simulation_is_code_3() {
        let e = StepError::NotFinite { body: "rod".into(), time: 0.5 };
        let failure = Failure::step("case `a16`", &e);
        assert_eq!(failure.exit as u8, 3);
        assert!(failure.text().starts_with("error: case `a16`: at t = 0.5"), "{}", failure.text());
    }

    #[test]
    fn a_message_reads_like_those_of_the_compiler() {
        let text = Failure::limit("too large").note("limit", "7 rows").help("ask for less").text();
        assert_eq!(text, "error: too large\n  = limit: 7 rows\n  = help: ask for less\n");
    }
}
