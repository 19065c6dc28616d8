//! `[repeat.NAME]`: tables as they would stand in the scene itself, several times.

use super::template::counting;
use super::{fields, generate, sizes};
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::node::{Entry, Node};
use crate::read::Making;
use crate::source::Span;

/// `[repeat.NAME]`. Inside it, generators have names with counters in them, too.
pub fn repeat(m: &mut Making, name: &str, node: &Node, span: Span) -> Option<()> {
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
            if !entry.key.contains("${") {
                let name = crate::confine::shown(&entry.key);
                let message = format!("the name `{name}` has no counter");
                let d = Diagnostic::error(codes::BAD_NAME, message).at(entry.key_span);
                let d = d.label("all copies would have the same name");
                m.reader.complain(d.help(format!("write it as  \"{name}/${{{index}}}\"")));
                return None;
            }
            parts.push((*section, entry));
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
            for (section, entry) in &parts {
                // the first copy with a mistake is enough to see it
                part(m, section, entry, i == 1)?;
            }
        }
        Some(())
    })
}

fn part(m: &mut Making, section: &str, entry: &Entry, all_mistakes: bool) -> Option<()> {
    let key = Node::new(entry.key_span, entry.key.as_str());
    let errors = m.reader.report.n_errors();
    let name = m.reader.text(&key, section)?;
    if m.reader.good_name(&name, entry.key_span) {
        let (node, span) = (&entry.node, entry.key_span);
        m.within(&format!("{section}/{name}"), |m| match section {
            "body" => m.body(&name, node, span),
            "joint" => m.joint(&name, node, span),
            "drive" => m.drive(&name, node, span),
            "force" => m.force(&name, node, span),
            _ => generate(m, section, &name, node, span),
        });
    }
    (all_mistakes || m.reader.report.n_errors() == errors).then_some(())
}
