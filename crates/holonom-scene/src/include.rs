//! `include = ["parts/leg.toml", ...]`: the contents of other scene files are added, as if they stood before those of
//! the file that includes them.
//!
//! What was decided:
//! - Files are named relative to the file that names them, and found through [`crate::confine`] alone.
//! - Parts of the gallery ([`crate::gallery::PARTS`]) come with the program: where there is no such file, they are
//!   taken from there.
//! - A file that several others include is added once.
//! - `[params]` of the file that includes replace those of the files included. `title`, `description`, `gravity`,
//!   `[run]` and `[record]` hold if the file that includes says nothing of the kind.
//! - Everything else has a name of its own: the same name twice is an error, shown at both places, and so is the same
//!   parameter in two files that do not include each other.
//! - Files are followed with a list of open files instead of recursion; their number counts against the limit of files,
//!   and they nest at most [`DEEPEST`] levels.

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::gallery;
use crate::limits::Limits;
use crate::load::ImportContext;
use crate::node::{DocEntry, DocNode, DocTable, Value, parse_toml};
use crate::source::Span;
use std::collections::{HashMap, HashSet};
use std::path::PathBuf;

/// Most levels of files in files.
pub const DEEPEST: u64 = 100;

/// Sections of which the file that includes has the last word as a whole.
const WHOLE: &[&str] = &["title", "description", "gravity", "run", "record"];

/// A file whose includes are being followed.
struct Open {
    path: Option<PathBuf>,
    own: DocTable,
    /// What it includes, last first.
    waiting: Vec<(String, Span)>,
    file: u32,
    /// What was included so far.
    added: DocTable,
}

/// Follow the includes of a document.
pub fn include(document: DocTable, file: u32, context: &mut ImportContext) -> DocTable {
    let path = context.sources.file(file).and_then(|f| f.path.clone());
    let mut seen: HashSet<PathBuf> = path.iter().cloned().collect();
    let mut open = vec![opened(document, file, path, context)];
    loop {
        let depth = open.len() as u64;
        let top = open.last_mut().expect("the first file is closed last");
        let Some((name, span)) = top.waiting.pop() else {
            let done = open.pop().expect("looked at");
            let whole = merge(done.added, done.own, context, true);
            match open.last_mut() {
                Some(above) => {
                    let before = std::mem::take(&mut above.added);
                    above.added = merge(before, whole, context, false);
                    continue;
                }
                None => return whole,
            }
        };
        let from = top.file;
        if let Err(d) = Limits::check(codes::TOO_MANY_FILES, "levels of includes", depth, DEEPEST, "files") {
            let mut d = d.at(span);
            // no flag changes it
            d.notes.clear();
            context.report.push(d);
            continue;
        }
        // looked up before it is read, so that a circle is not read twice
        let path = match context.confinement.resolve(&name, &context.folder(from)) {
            Ok(path) => path,
            Err(_) if let Some(text) = gallery::part(&name) => {
                if seen.insert(PathBuf::from(&name)) {
                    let file = context.sources.add(name.clone(), None, text.to_string());
                    let limits = context.limits;
                    let document = parse_toml(text, file, &limits, context.report);
                    open.push(opened(document, file, None, context));
                }
                continue;
            }
            Err(d) => {
                context.report.push(d.at(span).path("include"));
                continue;
            }
        };
        if open.iter().any(|o| o.path.as_ref() == Some(&path)) {
            let message = format!("`{}` includes itself", crate::confine::shown(&name));
            let d = Diagnostic::error(codes::INCLUDE_CIRCLE, message).at(span).path("include");
            context.report.push(d.label("this file is being read already"));
            continue;
        }
        if !seen.insert(path.clone()) {
            continue;
        }
        match context.read_text(&name, from) {
            Ok(file) => {
                let text = context.sources.file(file).map(|f| f.text.clone()).unwrap_or_default();
                let limits = context.limits;
                let document = parse_toml(&text, file, &limits, context.report);
                open.push(opened(document, file, Some(path), context));
            }
            Err(d) => context.report.push(d.at(span).path("include")),
        }
    }
}

/// Take the list of includes out of a document.
fn opened(mut own: DocTable, file: u32, path: Option<PathBuf>, context: &mut ImportContext) -> Open {
    let mut waiting = Vec::new();
    if let Some(at) = own.entries().iter().position(|e| e.key == "include") {
        let entry = own.entries_mut().remove(at);
        let list = match &entry.node.value {
            Value::List(list) => list.as_slice(),
            _ => std::slice::from_ref(&entry.node),
        };
        for node in list.iter().rev() {
            match node.as_text() {
                Some(name) => waiting.push((name.to_string(), node.span)),
                None => {
                    let d = Diagnostic::error(codes::WRONG_TYPE, "`include` must be a list of files").at(node.span);
                    let d = d.label(format!("this is {}", node.describe())).path("include");
                    context.report.push(d.help("write  include = [\"parts/leg.toml\"]"));
                }
            }
        }
    }
    Open { path, own, waiting, file, added: DocTable::new() }
}

/// Two documents as one. If `over`, the second includes the first, and has the last word where that is allowed.
fn merge(first: DocTable, mut second: DocTable, context: &mut ImportContext, over: bool) -> DocTable {
    let mut out = first;
    if out.is_empty() {
        return second;
    }
    for entry in std::mem::take(second.entries_mut()) {
        let Some(there) = out.entries_mut().iter_mut().find(|e| e.key == entry.key) else {
            out.entries_mut().push(entry);
            continue;
        };
        match entry.key.as_str() {
            key if WHOLE.contains(&key) => {
                if over {
                    *there = entry;
                } else {
                    twice(&entry.key, there.key_span, entry.key_span, context);
                }
            }
            "params" => join(there, entry, context, over),
            "ground" => ground(there, entry, context),
            _ => join(there, entry, context, false),
        }
    }
    out
}

/// The entries of a section after those of the same section in another file.
fn join(there: &mut DocEntry, more: DocEntry, context: &mut ImportContext, over: bool) {
    let Value::Table(here) = &mut there.node.value else { return };
    if more.node.as_table().is_none() {
        // the reader says that it should be one
        *there = more;
        return;
    }
    let Value::Table(mut more) = more.node.value else { return };
    let names: HashMap<String, usize> = here.entries().iter().enumerate().map(|(i, e)| (e.key.clone(), i)).collect();
    for entry in std::mem::take(more.entries_mut()) {
        match names.get(&entry.key) {
            None => here.entries_mut().push(entry),
            Some(&i) if over => here.entries_mut()[i] = entry,
            Some(&i) => twice(&entry.key, here.entries()[i].key_span, entry.key_span, context),
        }
    }
}

/// Points and frames side by side, shapes one after the other.
fn ground(there: &mut DocEntry, more: DocEntry, context: &mut ImportContext) {
    let Value::Table(here) = &mut there.node.value else { return };
    let Value::Table(mut more) = more.node.value else { return };
    for entry in std::mem::take(more.entries_mut()) {
        let Some(same) = here.entries_mut().iter_mut().find(|e| e.key == entry.key) else {
            here.entries_mut().push(entry);
            continue;
        };
        match (&mut same.node.value, entry.node.value) {
            (Value::List(here), Value::List(more)) => here.extend(more),
            (Value::Table(_), value @ Value::Table(_)) => {
                let node = DocNode { value, span: entry.node.span };
                join(same, DocEntry { key: entry.key, key_span: entry.key_span, node }, context, false);
            }
            _ => twice(&entry.key, same.key_span, entry.key_span, context),
        }
    }
}

fn twice(name: &str, first: Span, second: Span, context: &mut ImportContext) {
    let name = crate::confine::shown(name);
    let place = |span: Span| {
        let file = context.sources.file(span.file).map_or("", |f| f.name.as_str());
        context.sources.place(span).map_or_else(|| file.to_string(), |p| format!("{file}:{}:{}", p.line, p.column))
    };
    let (a, b) = (place(first), place(second));
    for (span, other) in [(first, b), (second, a)] {
        let d = Diagnostic::error(codes::DUPLICATE, format!("there are two of the name `{name}`")).at(span);
        context.report.push(d.label(format!("the other one stands at {other}")));
    }
}
