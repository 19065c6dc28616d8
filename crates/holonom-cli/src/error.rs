//! What ends the program early: a message that stands alone, and an exit code. Mistakes in files come as diagnostics
//! with their places; everything else as a sentence with notes. With `--json` either is one object on standard output.

use crate::Exit;
use holonom::{ModelError, StepError};
use holonom_record::{RecordError, RecordErrorClass};
use holonom_scene::diagnostic::{Class, DiagnosticData};
use holonom_scene::source::Sources;
use holonom_scene::{Diagnostic, LoadError, Report, Severity};
use serde::Serialize;
use std::fmt::Write as _;
use std::io::{IsTerminal, Write as _};

/// A failed command.
#[derive(Debug)]
pub(crate) struct CliError {
    pub exit: Exit,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Sentence { message: String, notes: Vec<(&'static str, String)> },
    Report { report: Report, sources: Sources },
}

/// All of it as data.
#[derive(Serialize)]
struct Errors {
    errors: Vec<DiagnosticData>,
    exit: u8,
}

impl CliError {
    fn new(exit: Exit, message: impl Into<String>) -> Self {
        CliError { exit, content: Content::Sentence { message: message.into(), notes: Vec::new() } }
    }

    /// Bad input or usage.
    pub fn usage(message: impl Into<String>) -> Self {
        CliError::new(Exit::Usage, message)
    }

    /// A limit was exceeded.
    pub fn limit(message: impl Into<String>) -> Self {
        CliError::new(Exit::Limit, message)
    }

    /// The numbers went wrong.
    pub fn numerical(message: impl Into<String>) -> Self {
        CliError::new(Exit::Numerical, message)
    }

    /// Reading or writing failed.
    pub fn io(message: impl Into<String>) -> Self {
        CliError::new(Exit::Io, message)
    }

    /// A simulation of `what` stopped.
    pub fn step(what: &str, e: &StepError) -> Self {
        CliError::numerical(format!("{what}: {e}"))
    }

    /// A model that comes with the program cannot be built.
    pub fn model(what: &str, e: &ModelError) -> Self {
        CliError::usage(format!("{what}: {e}"))
    }

    /// A recording or snapshot that cannot be written or read.
    pub fn record(e: &RecordError) -> Self {
        let exit = match e.class() {
            RecordErrorClass::Io => Exit::Io,
            RecordErrorClass::Input => Exit::Usage,
            RecordErrorClass::Limit => Exit::Limit,
        };
        CliError::new(exit, e.to_string())
    }

    /// Everything that is wrong with a scene.
    pub fn report(report: Report, sources: Sources) -> Self {
        let exit = match report.class() {
            Class::Input => Exit::Usage,
            Class::Numerical => Exit::Numerical,
            Class::Limit => Exit::Limit,
            Class::Io => Exit::Io,
        };
        CliError { exit, content: Content::Report { report, sources } }
    }

    /// One thing that is wrong.
    pub fn diagnostic(d: Diagnostic, sources: &Sources) -> Self {
        let exit = match d.code.class() {
            Class::Input => Exit::Usage,
            Class::Numerical => Exit::Numerical,
            Class::Limit => Exit::Limit,
            Class::Io => Exit::Io,
        };
        let mut report = Report::new();
        report.push(d);
        CliError { exit, content: Content::Report { report, sources: sources.clone() } }
    }

    /// Add one concrete help.
    pub fn help(self, text: impl Into<String>) -> Self {
        self.note("help", text)
    }

    /// Add the name that was probably meant, if there is one.
    pub fn did_you_mean(self, meant: Option<impl std::fmt::Display>) -> Self {
        match meant {
            Some(meant) => self.help(format!("did you mean `{meant}`?")),
            None => self,
        }
    }

    /// Add a line with another label.
    pub fn note(mut self, label: &'static str, text: impl Into<String>) -> Self {
        if let Content::Sentence { notes, .. } = &mut self.content {
            notes.push((label, text.into()));
        }
        self
    }

    fn text(&self) -> String {
        match &self.content {
            Content::Report { report, sources } => report.render(sources),
            Content::Sentence { message, notes } => {
                let mut text = format!("error: {message}\n");
                for (label, note) in notes {
                    let _ = writeln!(text, "  = {label}: {note}");
                }
                text
            }
        }
    }

    fn data(&self) -> Errors {
        let errors = match &self.content {
            Content::Report { report, sources } => report.to_data(sources),
            Content::Sentence { message, notes } => vec![DiagnosticData {
                code: String::new(),
                severity: Severity::Error,
                message: message.clone(),
                file: None,
                line: None,
                column: None,
                label: String::new(),
                path: String::new(),
                notes: notes.iter().map(|(label, text)| format!("{label}: {text}")).collect(),
            }],
        };
        Errors { errors, exit: self.exit as u8 }
    }

    /// Tell the user: as data on standard output if that was asked for, else, or where that fails, on standard error.
    /// Nothing can be done when even that fails.
    pub fn print(&self, json: bool) {
        if json && let Ok(text) = serde_json::to_string(&self.data()) {
            let mut out = std::io::stdout().lock();
            if out.write_all((text + "\n").as_bytes()).and_then(|()| out.flush()).is_ok() {
                return;
            }
        }
        to_stderr(&self.text());
    }
}

impl From<LoadError> for CliError {
    fn from(failed: LoadError) -> Self {
        CliError::report(failed.report, failed.sources)
    }
}

impl From<RecordError> for CliError {
    fn from(e: RecordError) -> Self {
        CliError::record(&e)
    }
}

/// Something the user should know although the command goes on.
pub(crate) fn warn(message: &str) {
    to_stderr(&format!("warning: {message}\n"));
}

/// Messages on standard error, with colours where they can be seen.
pub(crate) fn to_stderr(text: &str) {
    let mut err = std::io::stderr().lock();
    let coloured = err.is_terminal() && std::env::var_os("NO_COLOR").is_none_or(|v| v.is_empty());
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
        assert!(error.text().starts_with("error: case `a16`: at t = 0.5"), "{}", error.text());
    }

    #[test]
    fn a_message_reads_like_those_of_the_compiler() {
        let text = CliError::limit("too large").note("limit", "7 rows").help("ask for less").text();
        assert_eq!(text, "error: too large\n  = limit: 7 rows\n  = help: ask for less\n");
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
