//! What ends the program early: a message that stands alone, and an exit code. Mistakes in files come as diagnostics
//! with their places; everything else as a sentence with notes. With `--json` either is one object on standard output.

use crate::Exit;
use holonom::{ModelError, StepError};
use holonom_record::RecordError;
use holonom_run::Failure;
use holonom_scene::diagnostic::{Class, DiagnosticData};
use holonom_scene::source::Sources;
use holonom_scene::{Diagnostic, LoadError, Report};
use serde::Serialize;
use std::io::{IsTerminal, Write as _};
use std::sync::OnceLock;

/// A failed command.
#[derive(Debug)]
pub(crate) struct CliError {
    pub exit: Exit,
    failure: Failure,
}

/// All of it as data.
#[derive(Serialize)]
struct Errors {
    errors: Vec<DiagnosticData>,
    exit: u8,
}

impl CliError {
    /// Bad input or usage.
    pub fn usage(message: impl Into<String>) -> Self {
        Failure::input(message).into()
    }

    /// A limit was exceeded.
    pub fn limit(message: impl Into<String>) -> Self {
        Failure::limit(message).into()
    }

    /// The numbers went wrong.
    pub fn numerical(message: impl Into<String>) -> Self {
        Failure::numerical(message).into()
    }

    /// Reading or writing failed.
    pub fn io(message: impl Into<String>) -> Self {
        Failure::io(message).into()
    }

    /// A simulation of `what` stopped.
    pub fn step(what: &str, e: &StepError) -> Self {
        Failure::step(what, e).into()
    }

    /// A model that comes with the program cannot be built.
    pub fn model(what: &str, e: &ModelError) -> Self {
        Failure::model(what, e).into()
    }

    /// A recording or snapshot that cannot be written or read.
    pub fn record(e: &RecordError) -> Self {
        Failure::from(e).into()
    }

    /// Everything that is wrong with a scene.
    pub fn report(report: Report, sources: Sources) -> Self {
        Failure::report(report, sources).into()
    }

    /// One thing that is wrong.
    pub fn diagnostic(d: Diagnostic, sources: &Sources) -> Self {
        Failure::diagnostic(d, sources).into()
    }

    /// Add one concrete help.
    pub fn help(self, text: impl Into<String>) -> Self {
        CliError { failure: self.failure.help(text), ..self }
    }

    /// Add the name that was probably meant, if there is one.
    pub fn did_you_mean(self, meant: Option<impl std::fmt::Display>) -> Self {
        CliError { failure: self.failure.did_you_mean(meant), ..self }
    }

    /// Add a line with another label.
    pub fn note(self, label: &'static str, text: impl Into<String>) -> Self {
        CliError { failure: self.failure.note(label, text), ..self }
    }

    /// Tell the user: as data on standard output if that was asked for, else, or where that fails, on standard error.
    /// Nothing can be done when even that fails.
    pub fn print(&self, json: bool) {
        if json && let Ok(text) = serde_json::to_string(&Errors { errors: self.failure.data(), exit: self.exit as u8 })
        {
            let mut out = std::io::stdout().lock();
            if out.write_all((text + "\n").as_bytes()).and_then(|()| out.flush()).is_ok() {
                return;
            }
        }
        to_stderr(&self.failure.text());
    }
}

impl From<Failure> for CliError {
    fn from(failure: Failure) -> Self {
        let exit = match failure.class() {
            Class::Input => Exit::Usage,
            Class::Numerical => Exit::Numerical,
            Class::Limit => Exit::Limit,
            Class::Io => Exit::Io,
        };
        CliError { exit, failure }
    }
}

impl From<LoadError> for CliError {
    fn from(failed: LoadError) -> Self {
        Failure::from(failed).into()
    }
}

impl From<RecordError> for CliError {
    fn from(e: RecordError) -> Self {
        CliError::record(&e)
    }
}

/// When output is coloured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub(crate) enum ColourChoice {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

static COLOUR: OnceLock<ColourChoice> = OnceLock::new();

/// Settle it for the whole program; what comes first counts.
pub(crate) fn choose_colour(choice: ColourChoice) {
    let _ = COLOUR.set(choice);
}

/// Is output to be coloured, which goes to a terminal or does not?
pub(crate) fn coloured(terminal: bool) -> bool {
    match COLOUR.get().copied().unwrap_or_default() {
        ColourChoice::Always => true,
        ColourChoice::Never => false,
        ColourChoice::Auto => terminal && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty()),
    }
}

/// Something the user should know although the command goes on.
pub(crate) fn warn(message: &str) {
    to_stderr(&format!("warning: {message}\n"));
}

/// Messages on standard error, with colours where they can be seen.
pub(crate) fn to_stderr(text: &str) {
    let mut err = std::io::stderr().lock();
    let coloured = coloured(err.is_terminal());
    let text = if coloured { text.split_inclusive('\n').map(coloured_line).collect() } else { text.to_string() };
    let _ = err.write_all(text.as_bytes());
}

fn coloured_line(line: &str) -> String {
    for (word, colour) in [("error", "1;31"), ("warning", "1;33")] {
        if let Some(rest) = line.strip_prefix(word).filter(|rest| rest.starts_with([':', '['])) {
            let at = rest.find(": ").unwrap_or(0);
            let (code, message) = rest.split_at(at);
            return format!("\x1b[{colour}m{word}{code}\x1b[0;1m{}\x1b[0m\n", message.trim_end());
        }
    }
    let body = line.trim_start();
    match body.split_once(' ') {
        Some((mark @ ("-->" | "|" | "="), rest)) => {
            let rest = match rest.find(|c| c != ' ' && c != '^') {
                Some(end) if rest[..end].contains('^') => {
                    format!("\x1b[1;31m{}\x1b[0m{}", &rest[..end], &rest[end..])
                }
                _ => rest.to_string(),
            };
            format!("{}\x1b[1;34m{mark}\x1b[0m {rest}", &line[..line.len() - body.len()])
        }
        _ => line.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_simulation_is_code_3() {
        let e = StepError::NotFinite { body: "rod".into(), time: 0.5 };
        let error = CliError::step("case `a16`", &e);
        assert_eq!(error.exit as u8, 3);
        assert!(error.failure.text().starts_with("error: case `a16`: at t = 0.5"), "{}", error.failure.text());
    }

    #[test]
    fn colours_change_nothing_but_colours() {
        let strip = |s: &str| {
            let mut out = String::new();
            let mut parts = s.split("\x1b[");
            out += parts.next().unwrap_or("");
            parts.for_each(|p| out += p.split_once('m').map_or("", |(_, rest)| rest));
            out
        };
        for line in
            ["error[E0214]: zero\n", "error: what\n", " --> a.toml:1:2\n", "  |     ^^^^ length 0\n", "2 | axis\n"]
        {
            assert_eq!(strip(&coloured_line(line)), line);
        }
    }

    #[test]
    fn near_misses_are_found_and_far_ones_are_not() {
        use holonom_scene::diagnostic::nearest;
        let names = ["p01", "p06", "a16", "banded"];
        assert_eq!(nearest("P01", names), Some("p01"));
        assert_eq!(nearest("p1", names), Some("p01"));
        assert_eq!(nearest("badned", names), Some("banded"), "a swap counts once");
        assert_eq!(nearest("windmill", names), None);
    }
}
