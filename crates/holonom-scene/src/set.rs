//! `--set path=value`: values of a scene changed from outside, before anything is made of it, so that counts of
//! generators can be changed too.
//!
//! ```text
//! L=2   params.L=2                a parameter, which must be there
//! body.rod.mass=3                 a field of a thing, which must be there
//! joint.pin.axis=[0,0,1]          the value is what TOML would understand after `=`
//! run.integrator=rk4              and text if it would understand nothing
//! gravity=[0,0,-1.62]             also: title, run.FIELD, record.FIELD, ground.points.NAME
//! ```
//!
//! The settings are a source text of their own, one per line, so that errors in them are shown like any other:
//! `--set:1:8`.

use crate::codes;
use crate::confine::shown;
use crate::diagnostic::{Diagnostic, Report};
use crate::limits::Limits;
use crate::node::{DocNode, DocTable, Value, parse_toml};
use crate::read::SECTIONS;
use crate::source::{Sources, Span};

/// Sections that hold a value.
const VALUES: &[&str] = &["title", "description", "gravity"];
/// Sections whose entries are fields, not things with names.
const FIELDS: &[&str] = &["run", "record", "ground", "contact"];

/// Most levels of a path.
const DEEPEST: u64 = 40;

/// Sections of the side file of a robot whose fields may be set too: `base.fixed=true`, `start.elbow=0.7`,
/// `hold.kp=500`.
const SIDE: &[&str] = &["base", "start", "hold"];

/// Is a setting one of a robot's side file?
pub fn is_of_side_file(setting: &str) -> bool {
    let first = setting.split(['.', '=']).next().unwrap_or("").trim();
    SIDE.contains(&first)
}

/// Change values of a robot's side file: its root, and coordinates of joints at the start.
pub fn apply_to_side_file(
    table: &mut DocTable,
    settings: &[String],
    sources: &mut Sources,
    limits: &Limits,
    report: &mut Report,
) {
    if settings.is_empty() {
        return;
    }
    let file = sources.add("--set", None, settings.join("\n"));
    let mut start = 0;
    for setting in settings {
        match split(setting, file, start, limits) {
            // names of joints may have dots in them
            Ok((path, whole, value)) if path.len() > 1 => {
                let name = path[1..].iter().map(|p| p.0).collect::<Vec<_>>().join(".");
                let span = Span { start: path[1].1.start, ..whole };
                replace(table.table_mut(path[0].0, whole), &name, span, value);
            }
            Ok((_, whole, _)) => {
                let d = unknown("a whole section cannot be set".into(), whole).label("name a field in it");
                report.push(d.help("write  --set base.fixed=true  or  --set start.JOINT=0.7"));
            }
            Err(d) => report.push(*d),
        }
        start += setting.len() + 1;
    }
}

/// Change values of a document.
pub fn apply(
    document: &mut DocTable,
    settings: &[String],
    sources: &mut Sources,
    limits: &Limits,
    report: &mut Report,
) {
    if settings.is_empty() {
        return;
    }
    let file = sources.add("--set", None, settings.join("\n"));
    let mut start = 0;
    for setting in settings {
        if let Err(d) = change(document, setting, file, start, limits) {
            report.push(*d);
        }
        start += setting.len() + 1;
    }
}

/// The names of a path with their places.
type Path<'a> = [(&'a str, Span)];

/// A path, where it stands, and the value it is given.
type Setting<'a> = (Vec<(&'a str, Span)>, Span, DocNode);

/// One setting, which begins at byte `start` of its text: its path, where that stands, and its value.
fn split<'s>(setting: &'s str, file: u32, start: usize, limits: &Limits) -> Result<Setting<'s>, Box<Diagnostic>> {
    let at = |from: usize, to: usize| Span::new(file, start + from..start + to);
    let Some(equals) = setting.find('=') else {
        let d = Diagnostic::error(codes::UNKNOWN_SETTING, "a setting needs a value").at(at(0, setting.len().max(1)));
        return Err(Box::new(d.label("no `=` in it").help("write  --set L=2  or  --set body.rod.mass=3")));
    };
    let value = value(&setting[equals + 1..], file, start + equals + 1, limits);
    let mut path: Vec<(&str, Span)> = Vec::new();
    let mut from = 0;
    for part in setting[..equals].split('.') {
        let trimmed = part.trim();
        let begin = from + (part.len() - part.trim_start().len());
        // quotes around a name do not count
        let name = trimmed.strip_prefix('"').and_then(|t| t.strip_suffix('"')).unwrap_or(trimmed);
        path.push((name, at(begin, begin + trimmed.len().max(1))));
        from += part.len() + 1;
    }
    Ok((path, at(0, equals.max(1)), value))
}

/// Change what one setting names.
fn change(
    document: &mut DocTable,
    setting: &str,
    file: u32,
    start: usize,
    limits: &Limits,
) -> Result<(), Box<Diagnostic>> {
    let (path, whole, value) = split(setting, file, start, limits)?;
    let depth = path.len() as u64;
    if let Err(mut d) = Limits::check(codes::TOO_DEEP, "levels of a setting", depth, DEEPEST, "depth") {
        // no flag changes it
        d.notes.clear();
        return Err(Box::new(d.at(whole)));
    }
    let (table, (name, span)) = match &path[..] {
        [name] => (holder_of(document, *name, whole)?, *name),
        [("params", _), name, rest @ ..] => (params(document, *name, rest.is_empty(), whole)?, *name),
        path => field(document, path, whole)?,
    };
    replace(table, name, span, value);
    Ok(())
}

fn unknown(message: String, span: Span) -> Diagnostic {
    Diagnostic::error(codes::UNKNOWN_SETTING, message).at(span)
}

/// What holds a name alone: `[params]`, or the document itself for a section that is a value.
fn holder_of<'t>(
    document: &'t mut DocTable,
    (name, span): (&str, Span),
    whole: Span,
) -> Result<&'t mut DocTable, Box<Diagnostic>> {
    let params = names_in(document, "params");
    if params.iter().any(|p| p == name) {
        return Ok(document.table_mut("params", whole));
    }
    if VALUES.contains(&name) {
        return Ok(document);
    }
    if SECTIONS.iter().any(|s| s.0 == name) {
        let d = unknown(format!("`{name}` is a whole section"), span);
        return Err(Box::new(d.label("name a field in it").help(format!("write  --set {name}.NAME.FIELD=VALUE"))));
    }
    let known = params.iter().map(String::as_str).chain(VALUES.iter().copied());
    let d = unknown(format!("the scene has no parameter `{}`", shown(name)), span);
    Err(Box::new(d.suggest(name, known, &listed("parameters", &params))))
}

/// `params.NAME`, which must be there.
fn params<'t>(
    document: &'t mut DocTable,
    (name, span): (&str, Span),
    last: bool,
    whole: Span,
) -> Result<&'t mut DocTable, Box<Diagnostic>> {
    let names = names_in(document, "params");
    if !last || !names.iter().any(|p| p == name) {
        let d = unknown(format!("the scene has no parameter `{}`", shown(name)), span);
        return Err(Box::new(d.suggest(name, names.iter().map(String::as_str), &listed("parameters", &names))));
    }
    Ok(document.table_mut("params", whole))
}

/// A field of a table: the table, and the name of the field. The table must be there; tables inside it are made.
fn field<'t, 'p>(
    document: &'t mut DocTable,
    path: &Path<'p>,
    whole: Span,
) -> Result<(&'t mut DocTable, (&'p str, Span)), Box<Diagnostic>> {
    let (section, span) = path[0];
    if section == "base" {
        let d = unknown("a scene has no section `base`".into(), span).label("only a URDF has a base");
        return Err(Box::new(d.help("in a scene a joint of kind \"weld\" fixes a body to the ground")));
    }
    let sections = || SECTIONS.iter().map(|s| s.0).filter(|s| !VALUES.contains(s) && *s != "include");
    if !sections().any(|s| s == section) {
        let d = unknown(format!("a scene has no section `{}`", shown(section)), span);
        let list = sections().collect::<Vec<_>>().join(", ");
        return Err(Box::new(d.suggest(section, sections(), &format!("sections: {list}"))));
    }
    let named = !FIELDS.contains(&section);
    if named {
        let (name, span) = path[1];
        let names = names_in(document, section);
        if !names.iter().any(|n| n == name) {
            let d = unknown(format!("the scene has no {section} `{}`", shown(name)), span);
            return Err(Box::new(d.suggest(name, names.iter().map(String::as_str), &listed(section, &names))));
        }
        if path.len() == 2 {
            let d = unknown(format!("`{section}.{name}` is a whole table"), span).label("name a field of it");
            return Err(Box::new(d.help(format!("write  --set {section}.{name}.FIELD=VALUE"))));
        }
    }
    let mut table = document.table_mut(section, whole);
    for (k, (name, span)) in path[1..path.len() - 1].iter().enumerate() {
        let there = table.get(name).map(|n| n.as_table().is_some());
        if there == Some(false) || (there.is_none() && named && k == 0) {
            let d = unknown(format!("`{}` has no fields of its own", shown(name)), *span).label("not a table");
            return Err(Box::new(d.help("a list is given as a whole:  --set joint.pin.axis=[0,0,1]")));
        }
        table = table.table_mut(name, *span);
    }
    Ok((table, path[path.len() - 1]))
}

/// What stands after `=`: a value of TOML, or else text.
fn value(text: &str, file: u32, start: usize, limits: &Limits) -> DocNode {
    let trimmed = text.trim();
    let begin = start + (text.len() - text.trim_start().len());
    let span = Span::new(file, begin..begin + trimmed.len().max(1));
    const HEAD: &str = "v = ";
    let mut report = Report::new();
    let mut parsed = parse_toml(&format!("{HEAD}{trimmed}"), file, limits, &mut report);
    let node = match parsed.entries_mut().pop() {
        Some(entry) if !report.has_errors() && parsed.is_empty() && entry.key == "v" => Some(entry.node),
        _ => None,
    };
    match node {
        Some(mut node) => {
            shift(&mut node, begin as i64 - HEAD.len() as i64);
            node
        }
        None => DocNode::new(span, trimmed),
    }
}

/// Move all places. The parser allows 80 levels.
fn shift(node: &mut DocNode, by: i64) {
    let moved = |x: u32| (i64::from(x) + by).clamp(0, i64::from(u32::MAX)) as u32;
    node.span = Span { start: moved(node.span.start), end: moved(node.span.end), ..node.span };
    match &mut node.value {
        Value::List(list) => list.iter_mut().for_each(|n| shift(n, by)),
        Value::Table(t) => t.entries_mut().iter_mut().for_each(|e| {
            e.key_span = Span { start: moved(e.key_span.start), end: moved(e.key_span.end), ..e.key_span };
            shift(&mut e.node, by);
        }),
        _ => {}
    }
}

fn replace(table: &mut DocTable, name: &str, span: Span, value: DocNode) {
    match table.entries_mut().iter_mut().find(|e| e.key == name) {
        Some(entry) => (entry.key_span, entry.node) = (span, value),
        None => table.push(name, span, value),
    }
}

fn names_in(document: &DocTable, section: &str) -> Vec<String> {
    let table = document.get(section).and_then(DocNode::as_table);
    table.map(|t| t.entries().iter().map(|e| e.key.clone()).collect()).unwrap_or_default()
}

fn listed(what: &str, names: &[String]) -> String {
    let more = if names.len() > 12 { ", ..." } else { "" };
    let list = names.iter().take(12).map(|n| shown(n)).collect::<Vec<_>>().join(", ");
    if list.is_empty() { format!("the scene has no {what}") } else { format!("{what}: {list}{more}") }
}
