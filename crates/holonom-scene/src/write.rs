//! Documents as text.
//!
//! [`document`] writes any document in one canonical form, for what was imported:
//!
//! - sections in the order of [`crate::read::SECTIONS`], then whatever else there is; things in the order they had;
//! - `[section.NAME]` tables; in them `kind` first, then the fields of the kind, then those of its family, as declared;
//! - tables inside are written inline where they fit in a line, otherwise as tables of their own below;
//! - numbers are the shortest that read back to the same bits, whole ones without a point;
//! - names are quoted only where they must be; long lists are wrapped.
//!
//! Reading the text gives the same values, and writing those the same bytes.
//!
//! [`formatted`] tidies a file somebody wrote by hand. Comments, order, alignment and numbers stay: only spaces that
//! are missing around `=`, after commas and inside braces are added, trailing ones removed, and runs of empty lines
//! shortened to one. Doing it twice changes nothing.
//!
//! The depth of a document is limited by its parser (80 levels), so that it may be walked by recursion.

use crate::diagnostic::Report;
use crate::fields::{Family, Field, Type};
use crate::limits::Limits;
use crate::node::{DocNode, DocTable, Value, parse_toml};
use crate::read::SECTIONS;
use crate::sections::{Content, content};
use std::fmt::Write;

/// Longest line, where it can be helped.
const WIDTH: usize = 100;

/// What is known of a table: which order its fields have, and what they hold.
#[derive(Clone, Copy)]
enum Known {
    Nothing,
    Type(&'static Type),
    Fields(&'static [&'static [Field]]),
    Family(&'static Family),
    /// Names of one's own, each of this type.
    Names(&'static Type),
}

impl From<&'static Type> for Known {
    fn from(ty: &'static Type) -> Self {
        match ty {
            Type::Kind(f) | Type::Kinds(f) => Known::Family(f),
            Type::Map(inner) => Known::Names(inner),
            _ => Known::Type(ty),
        }
    }
}

impl Known {
    /// What is known of the value of that name in a table.
    fn inside(self, table: &DocTable, key: &str) -> Known {
        let field = match self {
            Known::Names(inner) => return Known::from(inner),
            _ => self.fields(table).into_iter().find(|f| f.name == key),
        };
        field.map_or(Known::Nothing, |f| Known::from(&f.ty))
    }

    /// The fields in the order they are written.
    fn fields(self, table: &DocTable) -> Vec<&'static Field> {
        match self {
            Known::Family(family) => {
                let named = table.get("kind").and_then(DocNode::as_text).or(family.default);
                let own = named.and_then(|n| family.find(n)).map_or(&[][..], |k| k.fields);
                own.iter().flat_map(|group| group.iter()).chain(family.common).collect()
            }
            Known::Fields(groups) => groups.iter().flat_map(|group| group.iter()).collect(),
            Known::Type(Type::Record(fields) | Type::Records(fields)) => fields.iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The entries of a table, in the order they are written.
    fn order(self, table: &DocTable) -> Vec<(&str, &DocNode)> {
        let fields = self.fields(table);
        let place = |key: &str| match key {
            "kind" => 0,
            _ => fields.iter().position(|f| f.name == key).map_or(usize::MAX, |i| i + 1),
        };
        let mut entries: Vec<_> = table.entries().iter().map(|e| (e.key.as_str(), &e.node)).collect();
        entries.sort_by_key(|(key, _)| place(key));
        entries
    }
}

/// A document as TOML, in canonical form.
pub fn document(document: &DocTable) -> String {
    let place = |key: &str| SECTIONS.iter().position(|(name, _)| *name == key).unwrap_or(usize::MAX);
    let mut entries: Vec<_> = document.entries().iter().collect();
    entries.sort_by_key(|e| place(&e.key));
    let mut out = String::new();
    // what stands in no table comes before the first of them
    for e in entries.iter().filter(|e| e.node.as_table().is_none()) {
        line(&mut out, &e.key, &e.node, Known::Nothing);
    }
    for e in entries {
        let Some(table) = e.node.as_table() else { continue };
        let path = key(&e.key);
        match content(&e.key) {
            Some(Content::Table(fields)) => section(&mut out, &path, table, Known::Fields(fields)),
            Some(Content::Kinds(family)) => things(&mut out, &path, table, Known::Family(family)),
            Some(Content::Tables(fields)) => things(&mut out, &path, table, Known::Fields(fields)),
            _ => section(&mut out, &path, table, Known::Nothing),
        }
    }
    out
}

/// Every thing of a section as a table of its own.
fn things(out: &mut String, path: &str, table: &DocTable, known: Known) {
    let stray: Vec<_> = table.entries().iter().filter(|e| e.node.as_table().is_none()).collect();
    if !stray.is_empty() || table.is_empty() {
        header(out, path);
        for e in stray {
            line(out, &e.key, &e.node, Known::Nothing);
        }
    }
    for e in table.entries() {
        if let Some(inner) = e.node.as_table() {
            section(out, &format!("{path}.{}", key(&e.key)), inner, known);
        }
    }
}

/// A table with a header; tables in it that are too long for a line follow with headers of their own.
fn section(out: &mut String, path: &str, table: &DocTable, known: Known) {
    let mut below = Vec::new();
    let mut here = String::new();
    for (name, node) in known.order(table) {
        let inner = known.inside(table, name);
        match node.as_table() {
            Some(t) if !t.is_empty() && long(name, node, inner) => below.push((name, t, inner)),
            _ => line(&mut here, name, node, inner),
        }
    }
    // a table of tables needs no header of its own
    if below.is_empty() || !here.is_empty() {
        header(out, path);
        out.push_str(&here);
    }
    for (name, t, inner) in below {
        section(out, &format!("{path}.{}", key(name)), t, inner);
    }
}

fn header(out: &mut String, path: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "[{path}]");
}

fn long(name: &str, node: &DocNode, known: Known) -> bool {
    key(name).len() + 3 + inline(node, known).chars().count() > WIDTH
}

/// `name = value`, wrapped where it is a long list.
fn line(out: &mut String, name: &str, node: &DocNode, known: Known) {
    let _ = write!(out, "{} = ", key(name));
    match &node.value {
        Value::List(list) if !list.is_empty() && long(name, node, known) => {
            out.push_str("[\n");
            let plain = list.iter().all(|n| matches!(n.value, Value::Integer(_) | Value::Number(_) | Value::Flag(_)));
            let mut used = 0;
            for x in list {
                let text = inline(x, known);
                // numbers fill lines, everything else has its own
                if used > 0 && (!plain || used + text.len() + 2 > WIDTH) {
                    out.push('\n');
                    used = 0;
                }
                let gap = if used == 0 { "    " } else { " " };
                let _ = write!(out, "{gap}{text},");
                used += gap.len() + text.len() + 1;
            }
            out.push_str("\n]");
        }
        Value::Text(text) if text.contains('\n') => {
            // the first newline is not a part of the text
            let _ = write!(out, "\"\"\"\n{}\"\"\"", escaped(text, true));
        }
        _ => out.push_str(&inline(node, known)),
    }
    out.push('\n');
}

/// A value in one line.
fn inline(node: &DocNode, known: Known) -> String {
    match &node.value {
        Value::Integer(i) => i.to_string(),
        Value::Number(x) => number(*x),
        Value::Text(text) => format!("\"{}\"", escaped(text, false)),
        Value::Flag(x) => x.to_string(),
        Value::List(list) => {
            let items: Vec<String> = list.iter().map(|x| inline(x, known)).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Table(table) if table.is_empty() => "{}".into(),
        Value::Table(table) => {
            let item =
                |(name, x): (&str, &DocNode)| format!("{} = {}", key(name), inline(x, known.inside(table, name)));
            let items: Vec<String> = known.order(table).into_iter().map(item).collect();
            format!("{{ {} }}", items.join(", "))
        }
    }
}

/// The shortest text that reads back to the same bits.
pub fn number(x: f64) -> String {
    let size = x.abs();
    if x.is_nan() {
        "nan".into()
    } else if x.is_infinite() {
        if x > 0.0 { "inf".into() } else { "-inf".into() }
    } else if x == 0.0 && x.is_sign_negative() {
        "-0.0".into()
    } else if size != 0.0 && !(1e-4..1e15).contains(&size) {
        format!("{x:e}")
    } else {
        format!("{x}")
    }
}

/// A name, quoted where it must be.
fn key(name: &str) -> String {
    let bare = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b == b'-';
    if !name.is_empty() && name.bytes().all(bare) { name.into() } else { format!("\"{}\"", escaped(name, false)) }
}

fn escaped(text: &str, lines: bool) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' if lines => out.push('\n'),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out
}

/// A file somebody wrote, tidied. What is no TOML is refused.
pub fn formatted(text: &str) -> Result<String, Report> {
    let mut report = Report::new();
    parse_toml(text, 0, &Limits::default(), &mut report);
    if report.has_errors() {
        return Err(report);
    }
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).replace("\r\n", "\n");
    Ok(tidied(&text))
}

/// What the character at hand belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Inside {
    Plain,
    Comment,
    /// A string between quotes of this sort, three of them or one.
    Text(char, bool),
}

/// A text on its way through the formatter.
struct Tidy<'a> {
    chars: std::iter::Peekable<std::str::Chars<'a>>,
    out: String,
    inside: Inside,
    empty_lines: usize,
}

fn tidied(text: &str) -> String {
    let out = String::with_capacity(text.len() + text.len() / 16);
    let mut tidy = Tidy { chars: text.chars().peekable(), out, inside: Inside::Plain, empty_lines: 0 };
    while let Some(c) = tidy.chars.next() {
        match tidy.inside {
            Inside::Text(quote, three) => tidy.string(c, quote, three),
            Inside::Comment if c != '\n' => tidy.out.push(c),
            _ => tidy.plain(c),
        }
    }
    let mut out = tidy.out;
    out.truncate(out.trim_end().len());
    if !out.is_empty() {
        out.push('\n');
    }
    out
}

impl Tidy<'_> {
    /// A character of a string.
    fn string(&mut self, c: char, quote: char, three: bool) {
        self.out.push(c);
        if c == '\\' && quote == '"' {
            self.out.extend(self.chars.next());
        } else if c == quote {
            let mut run = 1;
            while three && self.chars.peek() == Some(&quote) {
                self.out.extend(self.chars.next());
                run += 1;
            }
            // up to two quotes may stand before the closing three
            if !three || run >= 3 {
                self.inside = Inside::Plain;
            }
        }
    }

    /// A character outside strings and comments, or the end of a line.
    fn plain(&mut self, c: char) {
        match c {
            '\n' => {
                self.end_line();
                return;
            }
            '#' if !self.out.is_empty() && !self.out.ends_with([' ', '\t', '\n']) => self.out.push(' '),
            '=' if !self.out.ends_with([' ', '\t', '\n']) => self.out.push(' '),
            '}' if !self.out.ends_with([' ', '\t', '\n', '{']) => self.out.push(' '),
            _ => {}
        }
        self.out.push(c);
        match c {
            '#' => self.inside = Inside::Comment,
            '"' | '\'' => {
                let mut ahead = self.chars.clone();
                let three = ahead.next() == Some(c) && ahead.next() == Some(c);
                if three {
                    self.out.extend([c, c]);
                    self.chars = ahead;
                }
                self.inside = Inside::Text(c, three);
            }
            '=' | ',' | '{' if self.chars.peek().is_some_and(|n| !n.is_whitespace() && (c, *n) != ('{', '}')) => {
                self.out.push(' ');
            }
            _ => {}
        }
    }

    fn end_line(&mut self) {
        self.inside = Inside::Plain;
        self.out.truncate(self.out.trim_end_matches([' ', '\t']).len());
        let empty = self.out.ends_with('\n') || self.out.is_empty();
        self.empty_lines = if empty { self.empty_lines + 1 } else { 0 };
        if self.empty_lines < 2 && !self.out.is_empty() {
            self.out.push('\n');
        }
    }
}
