//! `[repeat.NAME]`: tables as they would stand in the scene itself, several times.

use super::template::{counting, uses};
use super::{fields, generate, sizes};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::fields::Record;
use crate::kinds::BODY_FIELDS;
use crate::names::Namespace;
use crate::node::{DocEntry, DocNode, DocTable};
use crate::read::{SceneReader, placement};
use crate::scene::{BodyRecord, InteractionRecord};
use crate::source::Span;
use std::sync::Arc;

/// `[repeat.NAME]`. What is made once at most, parts that are switched on and off, needs no counter in its name. Inside
/// it, generators have names with counters in them, too.
pub fn repeat(m: &mut SceneReader, name: &str, node: &DocNode, span: Span) -> Option<()> {
    let table = m.reader.table(node, name)?;
    let sections: Vec<&str> = fields::REPEAT[0].iter().map(|f| f.name).filter(|n| *n != "index").collect();
    let size = sizes::size(m, "repeat", table, span);
    let record = m.reader.fields_but(table, span, name, fields::REPEAT, None, &sections);
    let (size, record) = (size?, record?);
    let index = record.text("index").unwrap_or("i").to_string();
    let letters =
        index.bytes().enumerate().all(|(k, b)| b == b'_' || b.is_ascii_alphabetic() || (k > 0 && b.is_ascii_digit()));
    if !letters || index.is_empty() {
        let message = format!("`{}` cannot name a counter", crate::confine::shown(&index));
        m.reader.error(codes::BAD_NAME, record.span_of("index"), message, "letters, digits and _ only");
        return None;
    }
    if !m.room_for(size.bodies, size.span, &format!("bodies and joints of `{name}`")) {
        return None;
    }
    let mut parts = Vec::new();
    for section in &sections[1..] {
        let Some(node) = table.get(section) else { continue };
        for entry in m.reader.table(node, section)?.entries() {
            // a repeat of one copy, or of none, is a switch
            if size.count > 1 && !entry.key.contains("${") {
                let name = crate::confine::shown(&entry.key);
                let message = format!("the name `{name}` has no counter");
                let d = Diagnostic::error(codes::BAD_NAME, message).at(entry.key_span);
                let d = d.label("all copies would have the same name");
                m.reader.complain(d.help(format!("write it as  \"{name}/${{{index}}}\"")));
                return None;
            }
            parts.push(Part::new(section, entry, &index));
        }
    }
    if parts.is_empty() {
        let d = Diagnostic::error(codes::MISSING_FIELD, format!("there is nothing in `{name}` to repeat")).at(span);
        m.reader.complain(d.help(format!("add tables such as  [repeat.{name}.body.\"box/${{{index}}}\"]")));
        return None;
    }
    counting(m, &[(&index, 1.0), ("n", size.count as f64)], |m, counters| {
        for i in 1..=size.count {
            counters.set(m, &[i as f64]);
            for part in &mut parts {
                // errors are reported of the first copy that has any
                part.make(m, i == 1)?;
            }
        }
        Some(())
    })
}

/// Fields of a body that its record need not know: they become its pose and its motion.
const PLACING: &[&str] = &["at", "rotation", "from", "to", "velocity", "spin"];

/// One table to be repeated.
struct Part<'n> {
    section: &'n str,
    entry: &'n DocEntry,
    /// The fields that use the counter, if the first copy's record will do for all others: places of a body, sides of a
    /// joint.
    own: Option<DocTable>,
    kept: Option<Arc<Record>>,
    like: Option<BodyRecord>,
    like_length: Option<f64>,
}

impl<'n> Part<'n> {
    fn new(section: &'n str, entry: &'n DocEntry, index: &str) -> Self {
        let may: &[&str] = match section {
            "body" => PLACING,
            "joint" => &["a", "b"],
            _ => &[],
        };
        let entries = entry.node.as_table().map(DocTable::entries).unwrap_or_default();
        let shared =
            !may.is_empty() && entries.iter().all(|e| may.contains(&e.key.as_str()) || !uses(&e.node, &[index]));
        let mut own = DocTable::new();
        for e in entries.iter().filter(|e| may.contains(&e.key.as_str())) {
            own.push(e.key.clone(), e.key_span, e.node.clone());
        }
        Part { section, entry, own: shared.then_some(own), kept: None, like: None, like_length: None }
    }

    fn make(&mut self, m: &mut SceneReader, all_errors: bool) -> Option<()> {
        let key = DocNode::new(self.entry.key_span, self.entry.key.as_str());
        let errors = m.reader.report.n_errors();
        let name = m.reader.text(&key, self.section)?;
        if m.reader.good_name(&name, self.entry.key_span) {
            let before = m.reader.enter(self.section);
            m.reader.enter(&name);
            self.named(m, &name);
            m.reader.leave(before);
        }
        (all_errors || m.reader.report.n_errors() == errors).then_some(())
    }

    fn named(&mut self, m: &mut SceneReader, name: &str) {
        let (node, span) = (&self.entry.node, self.entry.key_span);
        match (self.section, &self.own, &self.kept) {
            ("body", Some(_), Some(_)) => {
                // None: it was said what is wrong
                let _ = self.body_like_the_first(m, name);
            }
            ("body", ..) => {
                let n = m.scene.bodies.len();
                m.body(name, node, span);
                self.kept = m.scene.bodies.get(n).map(|b| b.record.clone());
            }
            ("joint", Some(own), Some(record)) => {
                if m.register(Namespace::Joint, name, span) {
                    let mut side = |field: &str| match own.get(field) {
                        Some(node) => m.reader.point(node, field).map(Some),
                        None => Some(None),
                    };
                    if let (Some(a), Some(b)) = (side("a"), side("b")) {
                        m.scene.joints.push(InteractionRecord {
                            name: name.into(),
                            span,
                            a,
                            b,
                            record: record.clone(),
                        });
                    }
                }
            }
            ("joint", ..) => {
                let n = m.scene.joints.len();
                m.joint(name, node, span);
                self.kept = m.scene.joints.get(n).map(|l| l.record.clone());
            }
            ("drive", ..) => m.drive(name, node, span),
            ("force", ..) => m.force(name, node, span),
            (section, ..) => generate(m, section, name, node, span),
        }
    }

    /// A body whose record is that of the first copy, at a place of its own.
    fn body_like_the_first(&mut self, m: &mut SceneReader, name: &str) -> Option<()> {
        let span = self.entry.key_span;
        if !m.register(Namespace::Body, name, span) || !m.room_for(1, span, "bodies") {
            return None;
        }
        let own = m.reader.fields(self.own.as_ref()?, self.entry.node.span, name, &[BODY_FIELDS], None)?;
        let made = placement(&own).and_then(|(pose, length)| {
            let mut body = match &self.like {
                Some(like) if self.like_length == length => BodyRecord { name: name.into(), pose, ..like.clone() },
                _ => m.body_at(name, self.kept.clone().expect("the first copy was made"), span, pose, length)?,
            };
            body.placed = length.is_some() || own.has("at") || own.has("rotation");
            body.velocity = own.vector("velocity").unwrap_or_default();
            body.spin = own.vector("spin").unwrap_or_default();
            if self.like.is_none() || self.like_length != length {
                (self.like, self.like_length) = (Some(body.clone()), length);
            }
            Ok(body)
        });
        match made {
            Ok(body) => m.scene.bodies.push(body),
            Err(d) => m.reader.complain(*d),
        }
        Some(())
    }
}
