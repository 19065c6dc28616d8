//! What ends a run early, or keeps it from beginning: a message that stands alone, and its class. Mistakes in files
//! come as diagnostics with their places; everything else as a sentence with notes.

use holonom::{ModelError, StepError};
use holonom_record::{RecordError, RecordErrorClass};
use holonom_scene::diagnostic::{Class, DiagnosticData};
use holonom_scene::source::Sources;
use holonom_scene::{Diagnostic, LoadError, Report, Severity};
use std::fmt::Write as _;

/// Something that failed.
#[derive(Debug)]
pub struct Failure {
    class: Class,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Sentence { message: String, notes: Vec<(&'static str, String)> },
    Report { report: Report, sources: Sources },
}

impl Failure {
    fn new(class: Class, message: impl Into<String>) -> Self {
        Failure { class, content: Content::Sentence { message: message.into(), notes: Vec::new() } }
    }

    /// Bad input or usage.
    pub fn input(message: impl Into<String>) -> Self {
        Failure::new(Class::Input, message)
    }

    /// A limit was exceeded.
    pub fn limit(message: impl Into<String>) -> Self {
        Failure::new(Class::Limit, message)
    }

    /// The numbers went wrong.
    pub fn numerical(message: impl Into<String>) -> Self {
        Failure::new(Class::Numerical, message)
    }

    /// Reading or writing failed.
    pub fn io(message: impl Into<String>) -> Self {
        Failure::new(Class::Io, message)
    }

    /// A simulation of `what` stopped.
    pub fn step(what: &str, e: &StepError) -> Self {
        Failure::numerical(format!("{what}: {e}"))
    }

    /// A model that comes with the program cannot be built.
    pub fn model(what: &str, e: &ModelError) -> Self {
        Failure::input(format!("{what}: {e}"))
    }

    /// Everything that is wrong with a scene.
    pub fn report(report: Report, sources: Sources) -> Self {
        Failure { class: report.class(), content: Content::Report { report, sources } }
    }

    /// One thing that is wrong.
    pub fn diagnostic(d: Diagnostic, sources: &Sources) -> Self {
        let class = d.code.class();
        let mut report = Report::new();
        report.push(d);
        Failure { class, content: Content::Report { report, sources: sources.clone() } }
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

    /// What kind of failure it is.
    pub fn class(&self) -> Class {
        self.class
    }

    /// For people, as a compiler would print it.
    pub fn text(&self) -> String {
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

    /// The same as data.
    pub fn data(&self) -> Vec<DiagnosticData> {
        match &self.content {
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
        }
    }
}

impl From<LoadError> for Failure {
    fn from(failed: LoadError) -> Self {
        Failure::report(failed.report, failed.sources)
    }
}

impl From<&RecordError> for Failure {
    fn from(e: &RecordError) -> Self {
        let class = match e.class() {
            RecordErrorClass::Io => Class::Io,
            RecordErrorClass::Input => Class::Input,
            RecordErrorClass::Limit => Class::Limit,
        };
        Failure::new(class, e.to_string())
    }
}

impl From<RecordError> for Failure {
    fn from(e: RecordError) -> Self {
        Failure::from(&e)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stopped_simulation_is_numerical() {
        let e = StepError::NotFinite { body: "rod".into(), time: 0.5 };
        let failure = Failure::step("case `a16`", &e);
        assert_eq!(failure.class(), Class::Numerical);
        assert!(failure.text().starts_with("error: case `a16`: at t = 0.5"), "{}", failure.text());
    }

    #[test]
    fn a_message_reads_like_those_of_the_compiler() {
        let text = Failure::limit("too large").note("limit", "7 rows").help("ask for less").text();
        assert_eq!(text, "error: too large\n  = limit: 7 rows\n  = help: ask for less\n");
    }
}
