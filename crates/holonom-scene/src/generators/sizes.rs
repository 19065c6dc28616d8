//! How much a generator will make, found before it makes anything.

use super::template::uses;
use super::{Counters, KINDS};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::node::{DocNode, DocTable, Value};
use crate::read::SceneReader;
use crate::source::Span;

/// Fields that say how much; they are read here.
pub const FIELDS: &[&str] = &["count", "depth", "branching", "rows", "columns"];

/// How much a generator will make. Numbers beyond what fits are as good as the largest.
#[derive(Clone, Copy, Debug)]
pub struct Size {
    /// Bodies; for `repeat` the larger of bodies, joints and rounds.
    pub bodies: u64,
    /// The count itself.
    pub count: u64,
    /// Where it was said.
    pub span: Span,
}

/// A whole number of at least `least`.
fn whole(m: &mut SceneReader, node: &DocNode, field: &str, least: u64) -> Option<u64> {
    let x = m.reader.number(node, field)?;
    if x != libm::trunc(x) {
        m.reader.error(codes::WRONG_TYPE, node.span, format!("`{field}` must be a whole number"), format!("{x}"));
        return None;
    }
    if x < least as f64 {
        let label = format!("{x}, must be at least {least}");
        m.reader.error(codes::OUT_OF_RANGE, node.span, format!("`{field}` is out of range"), label);
        return None;
    }
    // saturates
    Some(x as u64)
}

/// Is there room for all generators of a document together? Counted before the first of them makes anything.
pub fn room_for_all(m: &mut SceneReader, document: &DocTable) -> bool {
    // what is wrong with them is said when they are read
    let said = std::mem::take(m.reader.report);
    let mut total = m.scene.bodies.len() as u64;
    let mut over = None;
    for kind in KINDS {
        for e in document.get(kind).and_then(DocNode::as_table).map(DocTable::entries).unwrap_or_default() {
            let size = e.node.as_table().and_then(|t| size(m, kind, t, e.key_span));
            total = total.saturating_add(size.map_or(1, |s| s.bodies));
            if let (Some(size), true) = (size, total > m.around.limits.bodies) {
                over = over.or(Some((size.span, format!("{kind}/{}", e.key))));
            }
        }
    }
    *m.reader.report = said;
    match (m.around.limits.bodies("bodies", total), over) {
        (Err(d), Some((span, path))) => {
            m.reader.complain(d.at(span).path(path));
            false
        }
        _ => true,
    }
}

/// The size of a generator. None if it cannot be read; a field that is missing is left to the reading of the others.
pub fn size(m: &mut SceneReader, kind: &str, table: &DocTable, span: Span) -> Option<Size> {
    let least = match kind {
        "ring" => 3,
        "repeat" => 0, // switched off
        _ => 1,
    };
    let get = |m: &mut SceneReader, name: &str| table.get(name).map(|n| Some((whole(m, n, name, least)?, n.span)));
    if kind == "grid" {
        let (rows, columns) = grid(m, table)?;
        let (count, span) = (rows.saturating_mul(columns), table.get("rows")?.span);
        return Some(Size { bodies: count, count, span });
    }
    if kind == "tree" {
        let branching = branching(m, table)?;
        return match (get(m, "count"), get(m, "depth")) {
            (Some(count), None) => count.map(|(count, span)| Size { bodies: count, count, span }),
            (None, Some(depth)) => {
                let (depth, span) = depth?;
                let count = full_tree(depth, branching);
                Some(Size { bodies: count, count, span })
            }
            (Some(_), Some(_)) => {
                let at = table.entry("depth").map_or(Span::default(), |e| e.key_span);
                let d = Diagnostic::error(codes::EXCLUSIVE, "`count` and `depth` exclude each other").at(at);
                m.reader.complain(d.label("`count` is said too").help("keep one of them"));
                None
            }
            (None, None) => {
                let d = Diagnostic::error(codes::MISSING_FIELD, "the tree has neither `count` nor `depth`");
                m.reader
                    .complain(d.at(span).help("say how many pieces:  count = 127,  or how many levels:  depth = 7"));
                None
            }
        };
    }
    let (count, span) = get(m, "count")??;
    let bodies = match kind {
        "star" => count.saturating_add(1),
        "ladder" => count.saturating_mul(3),
        "repeat" => rounds(m, table, count)?,
        _ => count,
    };
    Some(Size { bodies, count, span })
}

/// Rows and columns of a grid.
pub fn grid(m: &mut SceneReader, table: &DocTable) -> Option<(u64, u64)> {
    let mut get = |name: &str| table.get(name).map(|n| whole(m, n, name, 1));
    let (rows, columns) = (get("rows"), get("columns"));
    Some((rows??, columns??))
}

/// How many pieces hang on each of a tree.
pub fn branching(m: &mut SceneReader, table: &DocTable) -> Option<u64> {
    table.get("branching").map_or(Some(2), |n| whole(m, n, "branching", 1))
}

/// 1 + b + b^2 + ... of so many terms.
fn full_tree(depth: u64, branching: u64) -> u64 {
    if branching == 1 {
        return depth;
    }
    let (mut sum, mut level) = (0u64, 1u64);
    for _ in 0..depth {
        sum = sum.saturating_add(level);
        level = level.saturating_mul(branching);
        if sum == u64::MAX {
            break;
        }
    }
    sum
}

/// The name of the counter of a repeat.
pub fn counter(table: &DocTable) -> &str {
    table.get("index").and_then(DocNode::as_text).unwrap_or("i")
}

/// What all rounds of a repeat make. Every round counts for at least one, so that counting ends.
fn rounds(m: &mut SceneReader, table: &DocTable, count: u64) -> Option<u64> {
    let limit = m.around.limits.bodies;
    if count > limit {
        return Some(count);
    }
    let index = counter(table).to_string();
    let inner: Vec<(&str, &DocTable, Span)> = KINDS
        .iter()
        .filter_map(|kind| Some((*kind, table.get(kind)?.as_table()?)))
        .flat_map(|(kind, t)| t.entries().iter().filter_map(move |e| Some((kind, e.node.as_table()?, e.key_span))))
        .collect();
    let varies = inner.iter().any(|(_, t, _)| uses(&DocNode::new(Span::default(), sizes_only(t)), &[&index]));
    let counters = Counters::enter(m, &[(&index, 1.0), ("n", count as f64)]);
    let mut total = 0u64;
    for i in 1..=if varies { count } else { 1 } {
        counters.set(m, &[i as f64]);
        let entries = |name: &str| table.get(name).and_then(DocNode::as_table).map_or(0, |t| t.entries().len() as u64);
        let mut round = entries("body").max(entries("joint")).max(entries("drive")).max(entries("force")).max(1);
        for (kind, t, span) in &inner {
            // what cannot be read is reported when it is made
            round = round.saturating_add(size(m, kind, t, *span).map_or(1, |s| s.bodies));
        }
        total = total.saturating_add(round);
        if total > limit {
            break;
        }
    }
    counters.leave(m);
    Some(if varies { total } else { total.saturating_mul(count) })
}

/// Only what says how much, at every level.
fn sizes_only(table: &DocTable) -> DocTable {
    let mut out = DocTable::new();
    for e in table.entries() {
        if FIELDS.contains(&e.key.as_str()) {
            out.push(e.key.clone(), e.key_span, e.node.clone());
        } else if let (true, Some(inner)) = (KINDS.contains(&e.key.as_str()), e.node.as_table()) {
            for e in inner.entries() {
                if let Some(t) = e.node.as_table() {
                    out.push(e.key.clone(), e.key_span, DocNode::new(e.node.span, Value::Table(sizes_only(t))));
                }
            }
        }
    }
    out
}
