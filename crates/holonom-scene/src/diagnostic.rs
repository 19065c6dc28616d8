//! Errors and warnings about files: one sentence, the place, the value and what is allowed, one concrete help, a code.

use crate::codes::Code;
use crate::fields::Record;
use crate::source::{Sources, Span};
use serde::Serialize;
use std::fmt::Write as _;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The scene cannot be used.
    Error,
    /// It can, but not everything in it counts.
    Warning,
}

/// How a command that met this should end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// The input is wrong.
    Input,
    /// The numbers went wrong.
    Numerical,
    /// A limit was exceeded.
    Limit,
    /// Reading or writing failed.
    Io,
}

/// One error or warning about a file.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// Which of the known kinds.
    pub code: Code,
    /// Error or warning.
    pub severity: Severity,
    /// One sentence that stands alone.
    pub message: String,
    /// Where.
    pub span: Option<Span>,
    /// What is said under the excerpt: the value, and what is allowed.
    pub label: String,
    /// The thing in the model, e.g. `body/rod/mass`.
    pub path: String,
    /// Further lines, each with its label (`note`, `help`).
    pub notes: Vec<(&'static str, String)>,
}

impl Diagnostic {
    /// An error.
    pub fn error(code: Code, message: impl Into<String>) -> Self {
        Diagnostic {
            code,
            severity: Severity::Error,
            message: message.into(),
            span: None,
            label: String::new(),
            path: String::new(),
            notes: Vec::new(),
        }
    }

    /// A warning.
    pub fn warning(code: Code, message: impl Into<String>) -> Self {
        Diagnostic { severity: Severity::Warning, ..Diagnostic::error(code, message) }
    }

    /// Where it is.
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// What to say under the excerpt.
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Which thing of the model it is about.
    pub fn path(mut self, path: impl Into<String>) -> Self {
        self.path = path.into();
        self
    }

    /// One more line.
    pub fn note(mut self, label: &'static str, text: impl Into<String>) -> Self {
        self.notes.push((label, text.into()));
        self
    }

    /// One concrete help.
    pub fn help(self, text: impl Into<String>) -> Self {
        self.note("help", text)
    }

    /// An error: there is nothing of the name `written` among `names`.
    pub fn unknown<'a>(code: Code, what: &str, written: &str, names: impl IntoIterator<Item = &'a str>) -> Self {
        let message = format!("there is no {what} `{}`", crate::confine::shown(written));
        Diagnostic::error(code, message).suggest(written, names, "")
    }

    /// Under the excerpt: the name that was probably meant; where no known name is near, that it is not known, with a
    /// help if there is one.
    pub fn suggest<'a>(self, written: &str, names: impl IntoIterator<Item = &'a str>, help: &str) -> Self {
        match nearest(written, names) {
            Some(near) => self.label(format!("did you mean `{near}`?")),
            None if help.is_empty() => self.label("not known"),
            None => self.label("not known").help(help),
        }
    }

    /// As a compiler would print it.
    pub fn render(&self, sources: &Sources) -> String {
        let word = if self.severity == Severity::Error { "error" } else { "warning" };
        let mut out = format!("{word}[{}]: {}\n", self.code, self.message);
        let mut margin = 1;
        if let Some((span, place)) = self.span.and_then(|s| Some((s, sources.place(s)?))) {
            let name = sources.file(span.file).map_or("", |f| f.name.as_str());
            let number = place.line.to_string();
            margin = number.len();
            let _ = writeln!(out, "{:margin$}--> {name}:{}:{}", "", place.line, place.column);
            if let Some((line, covered)) = sources.excerpt(span) {
                let (line, column, covered) = window(line, place.column, covered);
                let _ = writeln!(out, "{:margin$} |", "");
                let _ = writeln!(out, "{number} | {line}");
                let carets = "^".repeat(covered.max(1));
                let label = if self.label.is_empty() { String::new() } else { format!(" {}", self.label) };
                let _ = writeln!(out, "{:margin$} | {:2$}{carets}{label}", "", "", column - 1);
            }
        } else if !self.label.is_empty() {
            let _ = writeln!(out, "{:margin$} = {}", "", self.label);
        }
        if !self.path.is_empty() {
            let _ = writeln!(out, "{:margin$} = in: {}", "", self.path);
        }
        for (label, text) in &self.notes {
            let _ = writeln!(out, "{:margin$} = {label}: {text}", "");
        }
        out
    }

    /// As data.
    pub fn to_data(&self, sources: &Sources) -> DiagnosticData {
        let place = self.span.and_then(|s| sources.place(s));
        let file = self.span.and_then(|s| sources.file(s.file)).map(|f| f.name.clone());
        DiagnosticData {
            code: self.code.to_string(),
            severity: self.severity,
            message: self.message.clone(),
            file,
            line: place.map(|p| p.line),
            column: place.map(|p| p.column),
            label: self.label.clone(),
            path: self.path.clone(),
            notes: self.notes.iter().map(|(l, t)| format!("{l}: {t}")).collect(),
        }
    }
}

/// The part of a long line around what is meant: text, column in it, characters covered. Tabs become single spaces so
/// that the marks stand under what they mean; other control characters never reach a terminal.
fn window(line: &str, column: usize, covered: usize) -> (String, usize, usize) {
    const WIDTH: usize = 140;
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let n = line.chars().count();
    if n <= WIDTH {
        return (line.chars().map(clean).collect(), column, covered);
    }
    let from = (column - 1).saturating_sub(40).min(n);
    let text: String = line.chars().skip(from).take(WIDTH).map(clean).collect();
    let (head, tail) = (if from > 0 { "..." } else { "" }, if from + WIDTH < n { "..." } else { "" });
    let column = column - from + head.len();
    let left = (head.len() + text.chars().count() + 1).saturating_sub(column);
    (format!("{head}{text}{tail}"), column, covered.min(left))
}

/// A diagnostic as data, for programs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DiagnosticData {
    /// Stable code.
    pub code: String,
    /// Error or warning.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// Name of the file.
    pub file: Option<String>,
    /// Line, from 1.
    pub line: Option<usize>,
    /// Column in characters, from 1.
    pub column: Option<usize>,
    /// The value and what is allowed.
    pub label: String,
    /// The thing in the model.
    pub path: String,
    /// Further lines.
    pub notes: Vec<String>,
}

/// All errors and warnings, in the order they were found.
#[derive(Clone, Debug, Default)]
pub struct Report {
    all: Vec<Diagnostic>,
    errors: usize,
    not_kept: usize,
}

/// So many are shown at most.
pub const SHOWN: usize = 20;
/// So many are kept at most: a file of ten million errors must not fill the memory with them.
const KEPT: usize = 1000;

impl Report {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Add one. The same thing about the same place is said once.
    pub fn push(&mut self, d: Diagnostic) {
        if d.severity == Severity::Error {
            self.errors += 1;
        }
        let again =
            self.all.iter().rev().take(40).any(|e| e.code == d.code && e.span == d.span && e.message == d.message);
        if again {
            self.errors -= usize::from(d.severity == Severity::Error);
        } else if self.all.len() < KEPT {
            self.all.push(d);
        } else {
            self.not_kept += 1;
            // a thousand warnings must not hide why it failed
            if d.severity == Severity::Error
                && let Some(warning) = self.all.iter_mut().rev().take(SHOWN).find(|e| e.severity == Severity::Warning)
            {
                *warning = d;
            }
        }
    }

    /// Are there so many that one more will only be counted? Then it need not say much.
    pub fn is_full(&self) -> bool {
        self.all.len() >= KEPT
    }

    /// Is there an error among them?
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Number of errors.
    pub fn n_errors(&self) -> usize {
        self.errors
    }

    /// All of them.
    pub fn all(&self) -> &[Diagnostic] {
        &self.all
    }

    /// Only the warnings.
    pub fn warnings(&self) -> impl Iterator<Item = &Diagnostic> {
        self.all.iter().filter(|d| d.severity == Severity::Warning)
    }

    /// Every warning becomes an error.
    pub fn make_strict(&mut self) {
        for d in &mut self.all {
            self.errors += usize::from(d.severity == Severity::Warning);
            d.severity = Severity::Error;
        }
    }

    /// How a command should end: the most telling class among the errors.
    pub fn class(&self) -> Class {
        let classes = || self.all.iter().filter(|d| d.severity == Severity::Error).map(|d| d.code.class());
        [Class::Limit, Class::Io, Class::Input].into_iter().find(|c| classes().any(|k| k == *c)).unwrap_or(Class::Input)
    }

    /// As a compiler would print them: at most twenty, errors first.
    pub fn render(&self, sources: &Sources) -> String {
        let mut out = String::new();
        let (errors, warnings): (Vec<_>, Vec<_>) = self.all.iter().partition(|d| d.severity == Severity::Error);
        let total = self.all.len() + self.not_kept;
        for d in errors.iter().chain(&warnings).take(SHOWN) {
            out.push_str(&d.render(sources));
            out.push('\n');
        }
        if total > SHOWN {
            let _ = writeln!(out, "... and {} more", total - SHOWN);
        }
        out
    }

    /// As data: at most twenty, errors first.
    pub fn to_data(&self, sources: &Sources) -> Vec<DiagnosticData> {
        let (errors, warnings): (Vec<_>, Vec<_>) = self.all.iter().partition(|d| d.severity == Severity::Error);
        errors.iter().chain(&warnings).take(SHOWN).map(|d| d.to_data(sources)).collect()
    }
}

/// An error in a field of a record.
pub fn field_error(record: &Record, field: &str, code: Code, message: impl Into<String>) -> Box<Diagnostic> {
    Box::new(Diagnostic::error(code, message).at(record.span_of(field)))
}

/// The nearest of some names to what was written, if it is near enough to have been meant.
pub fn nearest<'a>(written: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (written.chars().count() / 3).clamp(1, 3);
    let lower = written.to_lowercase();
    names
        .into_iter()
        .take(10_000)
        .map(|name| (distance(&lower, &name.to_lowercase(), allowed), name))
        .filter(|(d, _)| *d <= allowed)
        .min_by_key(|(d, _)| *d)
        .map(|(_, name)| name)
}

/// Number of single-character edits (swaps of neighbours count one) from one word to another; gives up above `most`.
fn distance(a: &str, b: &str, most: usize) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > most || a.len() > 100 {
        return usize::MAX;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let same = usize::from(a[i - 1] != b[j - 1]);
            row[j] = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + same);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before[j - 2] + 1);
            }
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::codes;

    #[test]
    fn a_message_reads_like_those_of_the_compiler() {
        let mut sources = Sources::new();
        let file = sources.add("crane.toml", None, "a = 1\naxis = [0.0, 0.0, 0.0]\n".into());
        let d = Diagnostic::error(codes::ZERO_DIRECTION, "joint axis has zero length")
            .at(Span { file, start: 13, end: 28 })
            .label("length 0, must be greater than 1e-12")
            .path("joint/luffing-hinge/axis")
            .help("for a hinge about the vertical write  axis = [0, 0, 1]");
        let expected = "error[E0214]: joint axis has zero length\n --> crane.toml:2:8\n  |\n2 | axis = [0.0, 0.0, 0.0]\n  |        ^^^^^^^^^^^^^^^ \
                        length 0, must be greater than 1e-12\n  = in: joint/luffing-hinge/axis\n  = help: for a hinge about the vertical write  axis = [0, 0, 1]\n";
        assert_eq!(d.render(&sources), expected);
    }

    #[test]
    fn an_error_after_thousands_of_warnings_is_kept() {
        let mut report = Report::new();
        for i in 0..3000 {
            report.push(Diagnostic::warning(codes::IGNORED, format!("warning {i}")));
        }
        for i in 0..100 {
            report.push(Diagnostic::error(codes::TOO_DEEP, format!("error {i}")));
        }
        let kept = report.all().iter().filter(|d| d.severity == Severity::Error).count();
        assert_eq!((report.n_errors(), kept, report.class()), (100, SHOWN, Class::Limit));
    }

    #[test]
    fn near_names_are_found_and_far_ones_are_not() {
        let names = ["revolute", "prismatic", "spherical"];
        assert_eq!(nearest("revolut", names), Some("revolute"));
        assert_eq!(nearest("shperical", names), Some("spherical"));
        assert_eq!(nearest("weld", names), None);
    }

    #[test]
    fn long_lines_are_shown_around_the_place() {
        let line = "x".repeat(500);
        let (text, column, covered) = window(&line, 300, 5);
        assert!(text.len() < 160 && column < 60 && covered == 5, "{text} {column} {covered}");
    }
}
