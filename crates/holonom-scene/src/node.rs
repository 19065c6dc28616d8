//! A document as a tree of values that know where they stand. Scene files become one; so do URDF and MJCF, so that
//! there is one reader, one writer and one kind of diagnostic.
//!
//! Text is kept as written: `${}` is evaluated by whoever reads a field, because generators read the same text again
//! for every piece they make.

use crate::codes;
use crate::diagnostic::{Diagnostic, Report};
use crate::limits::Limits;
use crate::source::Span;
use holonom::math::Vec3;
use toml::de::{DeTable, DeValue};

/// A value and its place.
#[derive(Clone, Debug, PartialEq)]
pub struct DocNode {
    /// What it is.
    pub value: Value,
    /// Where it stands.
    pub span: Span,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A whole number.
    Integer(i64),
    /// A number with a fraction.
    Number(f64),
    /// Text, perhaps with `${}` in it.
    Text(String),
    /// True or false.
    Flag(bool),
    /// A list.
    List(Vec<DocNode>),
    /// Named values.
    Table(DocTable),
}

/// Named values, in the order they were written.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct DocTable {
    entries: Vec<DocEntry>,
}

/// One entry of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct DocEntry {
    /// Its name.
    pub key: String,
    /// Where the name stands.
    pub key_span: Span,
    /// Its value.
    pub node: DocNode,
}

impl DocTable {
    /// Empty.
    pub fn new() -> Self {
        Self::default()
    }

    /// The entries in order.
    pub fn entries(&self) -> &[DocEntry] {
        &self.entries
    }

    /// The entries, to be changed.
    pub fn entries_mut(&mut self) -> &mut Vec<DocEntry> {
        &mut self.entries
    }

    /// A value by its name.
    pub fn get(&self, key: &str) -> Option<&DocNode> {
        self.entry(key).map(|e| &e.node)
    }

    /// An entry by its name.
    pub fn entry(&self, key: &str) -> Option<&DocEntry> {
        self.entries.iter().find(|e| e.key == key)
    }

    /// A value by its name, to be changed.
    pub fn get_mut(&mut self, key: &str) -> Option<&mut DocNode> {
        self.entries.iter_mut().find(|e| e.key == key).map(|e| &mut e.node)
    }

    /// Append an entry. The caller sees to it that the name is new.
    pub fn push(&mut self, key: impl Into<String>, key_span: Span, node: DocNode) {
        self.entries.push(DocEntry { key: key.into(), key_span, node });
    }

    /// Append an entry whose name and value come from the same place.
    pub fn put(&mut self, key: impl Into<String>, span: Span, value: impl Into<Value>) {
        self.push(key, span, DocNode::new(span, value));
    }

    /// The table of that name, made if there is none (or if something else stood there).
    pub fn table_mut(&mut self, key: &str, span: Span) -> &mut DocTable {
        let at = match self.entries.iter().position(|e| e.key == key) {
            Some(at) => at,
            None => {
                self.put(key, span, DocTable::new());
                self.entries.len() - 1
            }
        };
        let node = &mut self.entries[at].node;
        if !matches!(node.value, Value::Table(_)) {
            node.value = Value::Table(DocTable::new());
        }
        match &mut node.value {
            Value::Table(t) => t,
            _ => unreachable!("just made"),
        }
    }

    /// An empty table for entries that all come from one place.
    pub fn at(span: Span) -> TableAt {
        TableAt { table: DocTable::new(), span }
    }

    /// Take an entry out.
    pub fn take(&mut self, key: &str) -> Option<DocEntry> {
        let at = self.entries.iter().position(|e| e.key == key)?;
        Some(self.entries.remove(at))
    }

    /// Is there nothing in it?
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

/// A table in the making whose entries all come from one place.
pub struct TableAt {
    table: DocTable,
    span: Span,
}

impl TableAt {
    /// With one more entry.
    pub fn with(mut self, key: &str, value: impl Into<Value>) -> Self {
        self.table.put(key, self.span, value);
        self
    }

    /// With one more entry of three numbers.
    pub fn vector(self, key: &str, v: Vec3) -> Self {
        let value = numbers(self.span, &v.to_array()).value;
        self.with(key, value)
    }
}

impl From<TableAt> for DocTable {
    fn from(x: TableAt) -> Self {
        x.table
    }
}

impl DocNode {
    /// A value at a place.
    pub fn new(span: Span, value: impl Into<Value>) -> DocNode {
        DocNode { value: value.into(), span }
    }

    /// The table, if it is one.
    pub fn as_table(&self) -> Option<&DocTable> {
        match &self.value {
            Value::Table(t) => Some(t),
            _ => None,
        }
    }

    /// The list, if it is one.
    pub fn as_list(&self) -> Option<&[DocNode]> {
        match &self.value {
            Value::List(l) => Some(l),
            _ => None,
        }
    }

    /// The text, if it is one.
    pub fn as_text(&self) -> Option<&str> {
        match &self.value {
            Value::Text(t) => Some(t),
            _ => None,
        }
    }

    /// In words: "a number", "text", ...
    pub fn describe(&self) -> &'static str {
        match self.value {
            Value::Integer(_) | Value::Number(_) => "a number",
            Value::Text(_) => "text",
            Value::Flag(_) => "true or false",
            Value::List(_) => "a list",
            Value::Table(_) => "a table",
        }
    }
}

macro_rules! value_from {
    ($($from:ty => $to:expr;)*) => {
        $(impl From<$from> for Value {
            fn from(x: $from) -> Self {
                $to(x)
            }
        })*
    };
}

value_from! {
    f64 => Value::Number;
    i64 => Value::Integer;
    bool => Value::Flag;
    &str => |x: &str| Value::Text(x.to_string());
    String => Value::Text;
    DocTable => Value::Table;
    TableAt => |x: TableAt| Value::Table(x.table);
    Vec<DocNode> => Value::List;
}

/// A list of numbers at one place.
pub fn numbers(span: Span, values: &[f64]) -> DocNode {
    DocNode::new(span, values.iter().map(|&x| DocNode::new(span, x)).collect::<Vec<_>>())
}

/// Deepest nesting of lists and tables in TOML: the parser knows no more.
const DEEPEST: u64 = 80;

/// Read TOML. Errors of syntax go to the report; what could be read is returned all the same.
pub fn parse_toml(text: &str, file: u32, limits: &Limits, report: &mut Report) -> DocTable {
    // a long run of brackets is refused before it is tried
    let deep = deepest(text);
    let most = limits.depth.min(DEEPEST);
    if deep.0 > most {
        let message = format!("levels of nesting: {} exceeds the limit of {most}", deep.0);
        let d = Diagnostic::error(codes::TOO_DEEP, message).at(Span::new(file, deep.1..deep.1 + 1));
        report.push(d.label(format!("level {}", deep.0)).help("scenes need few levels: write tables as [body.NAME]"));
        return DocTable::new();
    }
    let (parsed, errors) = DeTable::parse_recoverable(text);
    let mut errors: Vec<_> = errors.iter().map(|e| (e.span().unwrap_or(0..0), e.message())).collect();
    errors.sort_by_key(|e| e.0.start);
    // what was left open explains everything after it, and whatever stands in its line
    let open = if errors.is_empty() { None } else { crate::syntax::culprit(text) };
    let starts: Vec<usize> = text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1).collect();
    let line = |at: usize| starts.partition_point(|s| *s <= at);
    let until = open.as_ref().map_or(usize::MAX, |c| line(c.at.start));
    let mut said = None;
    for (span, message) in errors {
        let here = line(span.start);
        if until != usize::MAX && here >= until {
            break;
        }
        // the first in a line explains the others in it
        if said.replace(here) == Some(here) {
            continue;
        }
        let (message, help) = crate::syntax::in_words(message, text, span.clone());
        let d = Diagnostic::error(codes::SYNTAX, message).at(Span::new(file, span));
        report.push(match help {
            Some(help) => d.help(help),
            None => d,
        });
    }
    if let Some(open) = open {
        let d = Diagnostic::error(codes::SYNTAX, open.message).at(Span::new(file, open.at)).label("opened here");
        report.push(d.help(open.help));
    }
    table(parsed.get_ref(), file)
}

/// The deepest level of brackets outside strings and comments, and where it is.
fn deepest(text: &str) -> (u64, usize) {
    let (mut level, mut most, mut at) = (0i64, 0i64, 0);
    let bytes = text.as_bytes();
    let mut i = 0;
    while i < bytes.len() {
        match bytes[i] {
            b'[' | b'{' => {
                level += 1;
                if level > most {
                    (most, at) = (level, i);
                }
            }
            b']' | b'}' => level -= 1,
            b'#' => {
                while i < bytes.len() && bytes[i] != b'\n' {
                    i += 1;
                }
            }
            b'"' | b'\'' => i = crate::syntax::string_end(bytes, i).unwrap_or_else(|end| end),
            _ => {}
        }
        i += 1;
    }
    (most.max(0) as u64, at)
}

fn table(from: &DeTable, file: u32) -> DocTable {
    let mut out = DocTable::new();
    for (key, value) in from {
        let node = DocNode { value: value_of(value.get_ref(), file), span: Span::new(file, value.span()) };
        out.push(key.get_ref().to_string(), Span::new(file, key.span()), node);
    }
    out
}

// the parser has refused anything deeper than 80 levels
fn value_of(from: &DeValue, file: u32) -> Value {
    match from {
        DeValue::String(s) => Value::Text(s.to_string()),
        DeValue::Integer(i) => match i64::from_str_radix(i.as_str(), i.radix()) {
            Ok(i) => Value::Integer(i),
            Err(_) => Value::Number(i.as_str().parse().unwrap_or(f64::INFINITY)),
        },
        DeValue::Float(x) => Value::Number(x.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(b) => Value::Flag(*b),
        DeValue::Datetime(d) => Value::Text(d.to_string()),
        DeValue::Array(list) => {
            let element = |x: &toml::Spanned<DeValue>| DocNode {
                value: value_of(x.get_ref(), file),
                span: Span::new(file, x.span()),
            };
            Value::List(list.iter().map(element).collect())
        }
        DeValue::Table(t) => Value::Table(table(t, file)),
    }
}
