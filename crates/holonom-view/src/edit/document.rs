//! Documents: paths into them, names, and JSON as nodes.

use super::EditError;
use holonom_scene::diagnostic::nearest;
use holonom_scene::node::{DocEntry, DocNode, DocTable, Value, numbers};
use holonom_scene::source::Span;
use serde_json::{Map, Value as Json};

/// What is made by hand has no place in a text until it is written.
pub const NO_SPAN: Span = Span { file: 0, start: 0, end: 0 };

/// Sections that hold named things which others may speak of.
pub const THINGS: [&str; 4] = ["body", "joint", "drive", "force"];

/// Sections that hold fields, without names of things.
const FIELDS: [&str; 5] = ["run", "record", "ground", "contact", "params"];

/// Sections that are values themselves.
const VALUES: [&str; 3] = ["title", "description", "gravity"];

/// JSON as a node.
pub fn node(json: &Json) -> Result<DocNode, EditError> {
    let value = match json {
        Json::Null => return Err(EditError::new("null is no value of a scene")),
        Json::Bool(x) => Value::Flag(*x),
        Json::Number(x) => match x.as_i64() {
            Some(i) => Value::Integer(i),
            None => Value::Number(x.as_f64().unwrap_or(f64::NAN)),
        },
        Json::String(x) => Value::Text(x.clone()),
        Json::Array(x) => Value::List(x.iter().map(node).collect::<Result<_, _>>()?),
        Json::Object(x) => Value::Table(table(x)?),
    };
    Ok(DocNode::new(NO_SPAN, value))
}

/// A JSON object as a table; what is null is left out.
pub fn table(json: &Map<String, Json>) -> Result<DocTable, EditError> {
    let mut out = DocTable::new();
    for (key, value) in json.iter().filter(|(_, v)| !v.is_null()) {
        out.push(key.clone(), NO_SPAN, node(value)?);
    }
    Ok(out)
}

/// A node as JSON. What is not finite becomes text.
pub fn json(node: &DocNode) -> Json {
    match &node.value {
        Value::Integer(i) => (*i).into(),
        Value::Number(x) if x.is_finite() => (*x).into(),
        Value::Number(x) => x.to_string().into(),
        Value::Text(x) => x.clone().into(),
        Value::Flag(x) => (*x).into(),
        Value::List(x) => x.iter().map(json).collect(),
        Value::Table(x) => Json::Object(x.entries().iter().map(|e| (e.key.clone(), json(&e.node))).collect()),
    }
}

/// Numbers without the dust of computing: to 14 digits of the largest of them.
pub fn tidy<const N: usize>(v: [f64; N]) -> [f64; N] {
    let largest = v.iter().fold(0.0, |a: f64, x| a.max(x.abs()));
    if !(largest > 0.0 && largest.is_finite()) {
        return v;
    }
    let digits = (13.0 - libm::floor(libm::log10(largest))).clamp(0.0, 300.0) as usize;
    // by way of text: the nearest number that is written so
    v.map(|x| format!("{x:.digits$}").parse::<f64>().unwrap_or(x) + 0.0)
}

/// Three numbers.
pub fn triple(v: impl Into<[f64; 3]>) -> DocNode {
    numbers(NO_SPAN, &tidy(v.into()))
}

/// Put a value in its place, or at the end.
pub fn put(table: &mut DocTable, key: &str, node: impl Into<Value>) {
    let node = DocNode::new(NO_SPAN, node);
    match table.get_mut(key) {
        Some(there) => *there = node,
        None => table.push(key, NO_SPAN, node),
    }
}

/// Take an entry out.
pub fn take(table: &mut DocTable, key: &str) -> Option<DocEntry> {
    let at = table.entries().iter().position(|e| e.key == key)?;
    Some(table.entries_mut().remove(at))
}

/// A named thing.
pub fn thing<'d>(document: &'d DocTable, section: &str, name: &str) -> Option<&'d DocTable> {
    document.get(section)?.as_table()?.get(name)?.as_table()
}

/// A named thing, to be changed.
pub fn thing_mut<'d>(document: &'d mut DocTable, section: &str, name: &str) -> Option<&'d mut DocTable> {
    inner_mut(inner_mut(document, section)?, name)
}

/// The table under a key, to be changed.
pub fn inner_mut<'d>(table: &'d mut DocTable, key: &str) -> Option<&'d mut DocTable> {
    match &mut table.get_mut(key)?.value {
        Value::Table(t) => Some(t),
        _ => None,
    }
}

/// Take a named thing out, and its section with it when nothing is left.
pub fn take_thing(document: &mut DocTable, section: &str, name: &str) -> Option<DocEntry> {
    let table = inner_mut(document, section)?;
    let entry = take(table, name)?;
    if table.is_empty() {
        take(document, section);
    }
    Some(entry)
}

/// A path in its parts.
pub enum Path<'p> {
    /// A section that is a value: `gravity`.
    Whole(&'p str),
    /// A field of a section: `run.time`, `ground.points.A`.
    Field(&'p str, Vec<&'p str>),
    /// A named thing and what is meant in it: `body.crank`, `body.crank.mass`.
    Thing(&'p str, &'p str, Vec<&'p str>),
}

/// Take a path apart.
pub fn path(path: &str) -> Result<Path<'_>, EditError> {
    let mut parts = path.split('.').map(str::trim);
    let section = parts.next().unwrap_or_default();
    let mut rest: Vec<&str> = parts.collect();
    if rest.len() > 40 || rest.iter().any(|p| p.is_empty()) {
        return Err(EditError::new(format!("`{path}` is no path; one such as `body.crank.mass` is")));
    }
    if VALUES.contains(&section) && rest.is_empty() {
        return Ok(Path::Whole(section));
    }
    if FIELDS.contains(&section) && !rest.is_empty() {
        return Ok(Path::Field(section, rest));
    }
    let known = || holonom_scene::read::SECTIONS.iter().map(|s| s.0).filter(|s| *s != "include");
    if !known().any(|s| s == section) {
        let near = nearest(section, known()).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
        return Err(EditError::new(format!("a scene has no section `{section}`{near}")));
    }
    if rest.is_empty() || VALUES.contains(&section) {
        return Err(EditError::new(format!("`{path}` is a whole section; say which of it: `{section}.NAME`")));
    }
    let name = rest.remove(0);
    Ok(Path::Thing(section, name, rest))
}

/// A name that is free: the base and a number.
pub fn free_name(base: &str, taken: impl Fn(&str) -> bool) -> String {
    (1..).map(|i| format!("{base}{i}")).find(|n| !taken(n)).unwrap_or_default()
}
