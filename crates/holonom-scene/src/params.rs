//! Parameters: `[params]` names numbers, in any order, one from another.

use crate::codes;
use crate::diagnostic::{Diagnostic, Report};
use crate::expression::Expression;
use crate::limits::Limits;
use crate::node::{Table, Value};
use crate::reader::{Names, Reader};
use std::collections::BTreeMap;

impl Names {
    /// The parameters in the order they were written.
    pub fn in_order(&self, document: &Table) -> Vec<(String, f64)> {
        let written = document.get("params").and_then(|n| n.as_table()).map(Table::entries).unwrap_or_default();
        written.iter().filter_map(|e| Some((e.key.clone(), *self.params.get(&e.key)?))).collect()
    }
}

/// Evaluate all parameters. Each round finds those that depend on known ones only; what is left when a round finds none is a circle or an unknown name.
pub fn evaluate(document: &Table, limits: &Limits, report: &mut Report) -> Names {
    let Some(node) = document.get("params") else { return Names::default() };
    let mut reader = Reader::new(Names::default(), *limits, report);
    let Some(table) = reader.table(node, "params") else { return Names::default() };
    let before = reader.enter("params");
    let mut open: Vec<_> = table.entries().iter().collect();
    for entry in &open {
        let good = entry
            .key
            .bytes()
            .enumerate()
            .all(|(i, b)| b == b'_' || b.is_ascii_alphabetic() || (i > 0 && b.is_ascii_digit()));
        if !good || entry.key.is_empty() {
            let name = crate::confine::shown(&entry.key);
            let label = "letters, digits and _ only, so that expressions can use it";
            reader.error(codes::BAD_NAME, entry.key_span, format!("`{name}` cannot name a parameter"), label);
        }
    }
    let mut names = BTreeMap::new();
    loop {
        let n = open.len();
        let mut left = Vec::new();
        for entry in open {
            // not yet, if it names a parameter that is not known yet
            let waits = match &entry.node.value {
                Value::Text(text) => {
                    let inner = text.trim().strip_prefix("${").and_then(|t| t.strip_suffix('}')).unwrap_or(text);
                    let read = Expression::read(inner, "", &|name| names.get(name).copied());
                    read.is_err_and(|e| e.unknown.is_some_and(|u| table.get(&u).is_some()))
                }
                _ => false,
            };
            if waits {
                left.push(entry);
                continue;
            }
            reader.names.params = std::mem::take(&mut names);
            let value = reader.number(&entry.node, &entry.key);
            names = std::mem::take(&mut reader.names.params);
            // one that cannot be read counts as known, so that what uses it is not called wrong too
            names.insert(entry.key.clone(), value.unwrap_or(1.0));
        }
        open = left;
        if open.is_empty() || open.len() == n {
            break;
        }
    }
    if let Some(first) = open.first() {
        let circle: Vec<&str> = open.iter().map(|e| e.key.as_str()).take(10).collect();
        let d = Diagnostic::error(
            codes::PARAMETER_CIRCLE,
            format!("the parameters {} define each other in a circle", circle.join(", ")),
        );
        reader.complain(d.at(first.node.span).help("give one of them a number"));
        for entry in open {
            names.insert(entry.key.clone(), 1.0);
        }
    }
    reader.leave(before);
    Names { params: names, locals: Vec::new() }
}
