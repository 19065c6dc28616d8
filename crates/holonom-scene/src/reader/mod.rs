//! From a tree of values to checked records, by the declarations in [`crate::fields`]. Whatever is wrong goes to the
//! report; reading goes on, so that one run finds all mistakes.

mod values;

pub use values::{body_ref, from_rpy, place};

use crate::codes;
use crate::diagnostic::{Diagnostic, Report, nearest};
use crate::expression::Expression;
use crate::fields::*;
use crate::kinds;
use crate::limits::Limits;
use crate::node::{DocNode, DocTable, Value};
use crate::source::Span;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Values of names in expressions.
#[derive(Clone, Debug, Default)]
pub struct Names {
    /// Parameters of the scene.
    pub params: BTreeMap<String, f64>,
    /// Counters of generators, innermost last.
    pub locals: Vec<(Arc<str>, f64)>,
}

impl Names {
    /// The value of a name.
    pub fn get(&self, name: &str) -> Option<f64> {
        let local = self.locals.iter().rev().find(|(n, _)| **n == *name).map(|(_, x)| *x);
        local.or_else(|| self.params.get(name).copied())
    }
}

/// Reads tables.
pub struct Reader<'a> {
    /// What expressions may name.
    pub names: Names,
    /// Budgets.
    pub limits: Limits,
    /// Where mistakes go.
    pub report: &'a mut Report,
    /// Path of what is being read, for messages.
    path: String,
    /// Variable of the function that is being read.
    variable: &'static str,
}

impl<'a> Reader<'a> {
    /// A reader that knows these names.
    pub fn new(names: Names, limits: Limits, report: &'a mut Report) -> Self {
        Reader { names, limits, report, path: String::new(), variable: "t" }
    }

    /// Go into the thing of that name; what [`Reader::leave`] needs to come back.
    pub fn enter(&mut self, name: &str) -> usize {
        let before = self.path.len();
        if before > 0 {
            self.path.push('/');
        }
        self.path.push_str(name);
        before
    }

    /// Come back out.
    pub fn leave(&mut self, before: usize) {
        self.path.truncate(before);
    }

    /// Say what is wrong here.
    pub fn complain(&mut self, d: Diagnostic) {
        let d = if d.path.is_empty() { d.path(self.path.clone()) } else { d };
        self.report.push(d);
    }

    /// An error at a place.
    pub fn error(&mut self, code: codes::Code, span: Span, message: impl Into<String>, label: impl Into<String>) {
        self.complain(Diagnostic::error(code, message).at(span).label(label));
    }

    fn wrong_type(&mut self, node: &DocNode, field: &str, wanted: &str) {
        let d = Diagnostic::error(codes::WRONG_TYPE, format!("`{field}` must be {wanted}")).at(node.span);
        let d = d.label(format!("this is {}", node.describe()));
        let d = match node.as_text() {
            Some(text) if text.parse::<f64>().is_ok() => d.help(format!("write it without quotes:  {}", text.trim())),
            Some(text) if wanted.contains("number") && !text.contains("${") && text.len() < 60 && text.is_ascii() => {
                d.help(format!("an expression stands in ${{}}:  \"${{{}}}\"", text.trim()))
            }
            _ => d,
        };
        self.complain(d);
    }

    /// The table a node should be.
    pub fn table<'n>(&mut self, node: &'n DocNode, what: &str) -> Option<&'n DocTable> {
        let table = node.as_table();
        if table.is_none() {
            self.wrong_type(node, what, "a table");
        }
        table
    }

    /// A table with a kind.
    pub fn kind(&mut self, node: &DocNode, what: &str, family: &'static Family) -> Option<Record> {
        let table = self.table(node, what)?;
        let kind = match table.get("kind") {
            Some(node) => {
                let name = self.text(node, "kind")?;
                match family.find(&name) {
                    Some(kind) => kind,
                    None => {
                        let names: Vec<&str> = family.kinds().map(|k| k.name).collect();
                        let d = Diagnostic::error(
                            codes::UNKNOWN_KIND,
                            format!("there is no {} of kind `{name}`", family.name),
                        );
                        let d = d.at(node.span);
                        let other = kinds::in_other_words(family.name, &name).filter(|k| names.contains(k));
                        let d = match other.or_else(|| nearest(&name, names.iter().copied())) {
                            Some(near) => d.label(format!("did you mean `{near}`?")),
                            None => d.label("not known"),
                        };
                        self.complain(d.help(format!("known: {}", names.join(", "))));
                        return None;
                    }
                }
            }
            None => match family.default.and_then(|d| family.find(d)) {
                Some(kind) => kind,
                None => {
                    // a misspelt `kind` is what is meant
                    let entries = table.entries().iter();
                    let near = entries.filter(|e| nearest(&e.key, ["kind"]).is_some()).min_by_key(|e| e.key.len());
                    if let Some(entry) = near {
                        let message = format!("`{what}` has no field `{}`", crate::confine::shown(&entry.key));
                        self.error(codes::UNKNOWN_FIELD, entry.key_span, message, "did you mean `kind`?");
                        return None;
                    }
                    let names: Vec<&str> = family.kinds().map(|k| k.name).take(8).collect();
                    let d =
                        Diagnostic::error(codes::MISSING_FIELD, format!("the {} `{what}` has no `kind`", family.name));
                    self.complain(d.at(node.span).help(format!("add  kind = \"{}\"", names.join("\" | \""))));
                    return None;
                }
            },
        };
        let lists: Vec<&'static [Field]> = std::iter::once(family.common).chain(kind.fields.iter().copied()).collect();
        self.fields(table, node.span, what, &lists, Some(kind))
    }

    /// Complain of every entry that is none of the fields.
    pub fn known_names(
        &mut self,
        table: &DocTable,
        what: &str,
        lists: &[&'static [Field]],
        kind: Option<&'static Kind>,
    ) {
        let all = || lists.iter().flat_map(|list| list.iter());
        for entry in table.entries() {
            if all().any(|f| f.name == entry.key) || (kind.is_some() && entry.key == "kind") {
                continue;
            }
            if self.report.is_full() {
                self.error(codes::UNKNOWN_FIELD, entry.key_span, "unknown field", "");
                continue;
            }
            let names = || all().map(|f| f.name).chain(kind.map(|_| "kind"));
            let d = Diagnostic::error(
                codes::UNKNOWN_FIELD,
                format!("`{what}` has no field `{}`", crate::confine::shown(&entry.key)),
            );
            let d = d.at(entry.key_span);
            let d = match nearest(&entry.key, names()) {
                Some(near) => d.label(format!("did you mean `{near}`?")),
                None => d.label("not known here"),
            };
            let list = names().collect::<Vec<_>>().join(", ");
            self.complain(d.help(format!("fields: {list}")));
        }
    }

    /// Read the fields of a table, check for unknown and missing ones. None if anything is wrong with it.
    pub fn fields(
        &mut self,
        table: &DocTable,
        span: Span,
        what: &str,
        lists: &[&'static [Field]],
        kind: Option<&'static Kind>,
    ) -> Option<Record> {
        self.fields_but(table, span, what, lists, kind, &[])
    }

    /// The same, but some fields are only looked for: their values are left to the caller, who may read them more than
    /// once.
    pub fn fields_but(
        &mut self,
        table: &DocTable,
        span: Span,
        what: &str,
        lists: &[&'static [Field]],
        kind: Option<&'static Kind>,
        left: &[&str],
    ) -> Option<Record> {
        let errors = self.report.n_errors();
        self.known_names(table, what, lists, kind);
        let mut record = Record::new(kind, span);
        for field in lists.iter().flat_map(|list| list.iter()) {
            match table.entry(field.name) {
                Some(_) if left.contains(&field.name) => {}
                Some(entry) => {
                    let value = match field.ty {
                        // over the points and coordinates of the same table, which are declared before it
                        Type::Formula => self.formula(&entry.node, field.name, &record),
                        _ => self.value(&entry.node, field.name, &field.ty),
                    };
                    if let Some(value) = value {
                        record.set(field.name, value, entry.node.span);
                    }
                }
                None if field.need == Need::Required => {
                    let d = Diagnostic::error(codes::MISSING_FIELD, format!("`{what}` has no `{}`", field.name));
                    let d = d.at(span).label(format!("`{}` is missing", field.name));
                    self.complain(d.help(format!("{}: {}", field.name, field.doc)));
                }
                None => {}
            }
        }
        record.shrink();
        (self.report.n_errors() == errors).then_some(record)
    }

    /// Read one value.
    pub fn value(&mut self, node: &DocNode, field: &str, ty: &Type) -> Option<Val> {
        Some(match ty {
            Type::Number(allowed, unit) => Val::Number(self.checked_number(node, field, *allowed, unit)?),
            Type::Integer(from, to) => Val::Integer(self.integer(node, field, *from, *to)?),
            Type::Flag => Val::Flag(self.flag(node, field)?),
            Type::Text | Type::File => Val::Text(self.text(node, field)?.into()),
            Type::Texts if node.as_list().is_none() => {
                let text = self.text(node, field)?;
                Val::List([(Val::Text(text.into()), node.span)].into())
            }
            Type::Texts => self.list_of(node, field, |r, x| Some(Val::Text(r.text(x, field)?.into())))?,
            Type::Choice(words) => self.choice(node, field, words)?,
            Type::Vector(_) => Val::Vector(self.vector(node, field)?),
            Type::Direction => Val::Vector(self.direction(node, field)?),
            Type::Rotation => Val::Rotation(self.rotation(node, field)?),
            // one number is a list of one
            Type::Numbers(_) if node.as_list().is_none() => Val::Numbers([self.number(node, field)?].into()),
            Type::Numbers(_) => {
                let list = self.list(node, field)?;
                let values: Vec<_> = list.iter().map(|x| self.number(x, field)).collect();
                Val::Numbers(values.into_iter().collect::<Option<Vec<_>>>()?.into())
            }
            Type::Vectors(_) => {
                let list = self.list(node, field)?;
                let values: Vec<_> = list.iter().map(|x| self.vector(x, field)).collect();
                Val::Vectors(values.into_iter().collect::<Option<Vec<_>>>()?.into())
            }
            Type::Intervals(unit) => self.intervals(node, field, unit)?,
            Type::Point => Val::Point(Box::new(self.point(node, field)?)),
            Type::Points => self.list_of(node, field, |r, x| Some(Val::Point(Box::new(r.point(x, field)?))))?,
            Type::Pairs => self.list_of(node, field, |r, pair| {
                let list = r.list(pair, field)?;
                if list.len() != 2 {
                    let label = format!("{} elements, must be two bodies", list.len());
                    r.error(codes::WRONG_LENGTH, pair.span, format!("`{field}` must be a list of pairs"), label);
                    return None;
                }
                r.list_of(pair, field, |r, x| Some(Val::Point(Box::new(r.point(x, field)?))))
            })?,
            Type::Coordinate => Val::Coordinate(Box::new(self.coordinate(node, field)?)),
            Type::Coordinates => {
                self.list_of(node, field, |r, x| Some(Val::Coordinate(Box::new(r.coordinate(x, field)?))))?
            }
            Type::Formula => self.formula(node, field, &Record::new(None, node.span))?,
            Type::Function(variable, _) => Val::Function(self.function(node, field, variable)?),
            Type::VectorFunction(variable, _) => self.vector_function(node, field, variable)?,
            Type::Kind(family) => Val::Record(Box::new(self.kind(node, field, family)?)),
            Type::Kinds(family) => {
                self.list_of(node, field, |r, x| Some(Val::Record(Box::new(r.kind(x, field, family)?))))?
            }
            Type::Record(fields) => {
                let table = self.table(node, field)?;
                Val::Record(Box::new(self.fields(table, node.span, field, &[fields], None)?))
            }
            Type::Records(fields) => self.list_of(node, field, |r, x| {
                let table = r.table(x, field)?;
                Some(Val::Record(Box::new(r.fields(table, x.span, field, &[fields], None)?)))
            })?,
            Type::Map(inner) => self.map(node, field, inner)?,
        })
    }

    /// One of some words.
    fn choice(&mut self, node: &DocNode, field: &str, words: &[&'static str]) -> Option<Val> {
        let text = self.text(node, field)?;
        if words.contains(&text.as_str()) {
            return Some(Val::Text(text.into()));
        }
        let message = format!("`{field}` cannot be `{}`", crate::confine::shown(&text));
        let d = Diagnostic::error(codes::UNKNOWN_CHOICE, message).at(node.span);
        let d = match nearest(&text, words.iter().copied()) {
            Some(near) => d.label(format!("did you mean `{near}`?")),
            None => d,
        };
        self.complain(d.help(format!("one of: {}", words.join(", "))));
        None
    }

    /// Three numbers or functions. Numbers stay numbers, so that a constant vector can be told from a changing one.
    fn vector_function(&mut self, node: &DocNode, field: &str, variable: &'static str) -> Option<Val> {
        let list = self.list(node, field)?;
        if list.len() != 3 {
            let label = format!("{} elements, e.g. [0, 0, \"sin({variable})\"]", list.len());
            self.error(codes::WRONG_LENGTH, node.span, format!("`{field}` must have 3 elements"), label);
            return None;
        }
        self.list_of(node, field, |r, x| match &x.value {
            Value::Integer(_) | Value::Number(_) => r.number(x, field).map(Val::Number),
            _ => {
                let f = r.function(x, field, variable)?;
                let inner = x.as_text().map(|t| t.trim().trim_start_matches("${").trim_end_matches('}'));
                let read = inner.map(|t| Expression::read(t, variable, &|n| r.names.get(n)));
                let constant = matches!(read, Some(Ok(e)) if e.is_constant());
                Some(if constant { Val::Number(f.at(0.0)[0]) } else { Val::Function(f) })
            }
        })
    }

    /// Names of one's own, each with a value.
    fn map(&mut self, node: &DocNode, field: &str, inner: &Type) -> Option<Val> {
        let table = self.table(node, field)?;
        let mut out = Vec::new();
        for entry in table.entries() {
            if !self.good_name(&entry.key, entry.key_span) {
                continue;
            }
            if let Some(value) = self.value(&entry.node, &entry.key, inner) {
                out.push((entry.key.as_str().into(), value, entry.node.span));
            }
        }
        Some(Val::Map(out.into()))
    }

    fn list_of(
        &mut self,
        node: &DocNode,
        field: &str,
        mut read: impl FnMut(&mut Self, &DocNode) -> Option<Val>,
    ) -> Option<Val> {
        let list = self.list(node, field)?;
        let values: Vec<_> = list.iter().map(|x| read(self, x).map(|v| (v, x.span))).collect();
        Some(Val::List(values.into_iter().collect::<Option<Vec<_>>>()?.into()))
    }

    /// May a thing be called so?
    pub fn good_name(&mut self, name: &str, span: Span) -> bool {
        let bad = |c: char| c == '.' || c == '"' || c == '\\' || c == ',' || c == '*' || c.is_control();
        let why = match name {
            "" => "is empty".to_string(),
            "ground" => "is taken".to_string(),
            _ if name.len() > 200 => format!("has {} bytes, at most 200", name.len()),
            _ => match name.chars().find(|c| bad(*c)) {
                Some(c) => format!("contains {c:?}"),
                None if name.trim() != name => "begins or ends with a space".to_string(),
                None => return true,
            },
        };
        let shown = crate::confine::shown(name);
        self.error(codes::BAD_NAME, span, format!("the name `{shown}` is not allowed"), why);
        false
    }
}
