//! Parameters: `[params]` names numbers, in any order, one from another.

use crate::codes;
use crate::confine::shown;
use crate::diagnostic::{Diagnostic, Report};
use crate::expression::Expression;
use crate::limits::Limits;
use crate::node::{DocEntry, DocTable, Value};
use crate::reader::{Names, Reader};
use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

impl Names {
    /// The parameters in the order they were written.
    pub fn in_order(&self, document: &DocTable) -> Vec<(String, f64)> {
        let written = document.get("params").and_then(|n| n.as_table()).map(DocTable::entries).unwrap_or_default();
        written.iter().filter_map(|e| Some((e.key.clone(), *self.params.get(&e.key)?))).collect()
    }
}

/// Evaluate all parameters, each when all that it uses are known; what is left in the end is a circle.
pub fn evaluate(document: &DocTable, limits: &Limits, report: &mut Report) -> Names {
    let Some(node) = document.get("params") else { return Names::default() };
    let mut reader = Reader::new(Names::default(), *limits, report);
    let Some(table) = reader.table(node, "params") else { return Names::default() };
    let before = reader.enter("params");
    let written: HashSet<&str> = table.entries().iter().map(|e| e.key.as_str()).collect();
    for entry in table.entries() {
        let good = entry
            .key
            .bytes()
            .enumerate()
            .all(|(i, b)| b == b'_' || b.is_ascii_alphabetic() || (i > 0 && b.is_ascii_digit()));
        if !good || entry.key.is_empty() {
            let name = shown(&entry.key);
            let label = "letters, digits and _ only, so that expressions can use it";
            reader.error(codes::BAD_NAME, entry.key_span, format!("`{name}` cannot name a parameter"), label);
        }
    }
    let mut names = BTreeMap::new();
    // who waits for which name; everyone is looked at once, and again whenever the name it waits for is known
    let mut waiting: HashMap<String, Vec<&DocEntry>> = HashMap::new();
    let mut ready: VecDeque<&DocEntry> = table.entries().iter().collect();
    while let Some(entry) = ready.pop_front() {
        let waits_for = match &entry.node.value {
            Value::Text(text) => {
                let inner = text.trim().strip_prefix("${").and_then(|t| t.strip_suffix('}')).unwrap_or(text);
                let read = Expression::read(inner, "", &|name| names.get(name).copied());
                read.err().and_then(|e| e.unknown).filter(|u| written.contains(u.as_str()))
            }
            _ => None,
        };
        if let Some(name) = waits_for {
            waiting.entry(name).or_default().push(entry);
            continue;
        }
        reader.names.params = std::mem::take(&mut names);
        let value = reader.number(&entry.node, &entry.key);
        names = std::mem::take(&mut reader.names.params);
        // one that cannot be read counts as known, so that what uses it is not called wrong too
        names.insert(entry.key.clone(), value.unwrap_or(1.0));
        ready.extend(waiting.remove(&entry.key).unwrap_or_default());
    }
    // in the order they were written
    let open: Vec<&DocEntry> = table.entries().iter().filter(|e| !names.contains_key(&e.key)).collect();
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
