//! Pieces of generators as bodies and joints of their own. A piece that is to be changed cannot stay a piece.
//!
//! A `[repeat]` is unrolled as text: its counters are put into its expressions, so that what uses parameters of the
//! scene goes on using them. The other generators are written from what was read of them.

use super::EditError;
use super::document::{NO_SPAN, take_thing, thing};
use super::record;
use holonom_scene::expression::Expression;
use holonom_scene::fields::Type;
use holonom_scene::generators;
use holonom_scene::kinds::{BODIES, DRIVES, FORCES, JOINTS};
use holonom_scene::node::{DocNode, DocTable, Value};
use holonom_scene::scene::Scene;
use holonom_scene::sections::{Content, content};

/// Make sure that a thing which the scene has stands in the document by itself. False if the scene has no such thing.
pub fn explicit(document: &mut DocTable, scene: &Scene, section: &str, name: &str) -> Result<bool, EditError> {
    let there = match section {
        "body" => scene.bodies.iter().any(|b| &*b.name == name),
        "joint" => scene.joints.iter().any(|l| &*l.name == name),
        "drive" => scene.drives.iter().any(|l| &*l.name == name),
        "force" => scene.forces.iter().any(|l| &*l.name == name),
        _ => false,
    };
    if !there {
        return Ok(thing(document, section, name).is_some());
    }
    // a repeat may make generators, which are written out in their turn
    for _ in 0..100 {
        if thing(document, section, name).is_some() {
            return Ok(true);
        }
        let Some((kind, generator)) = maker(document, scene, section, name) else { break };
        if kind == "repeat" {
            for (section, key, node) in unrolled(document, scene, &generator)? {
                document.table_mut(&section, NO_SPAN).push(key, NO_SPAN, node);
            }
            take_thing(document, "repeat", &generator);
        } else {
            write_out(document, scene, kind, &generator)?;
        }
    }
    match thing(document, section, name) {
        Some(_) => Ok(true),
        None => Err(EditError::new(format!("{section} `{name}` is made by a generator that cannot be written out"))),
    }
}

/// The generator that makes a thing.
fn maker(document: &DocTable, scene: &Scene, section: &str, name: &str) -> Option<(&'static str, String)> {
    let under = |prefix: &str| name.strip_prefix(prefix).is_some_and(|rest| rest.starts_with('/'));
    for kind in generators::KINDS.iter().copied().filter(|k| *k != "repeat") {
        let table = document.get(kind).and_then(DocNode::as_table);
        if let Some(e) = table.and_then(|t| t.entries().iter().find(|e| under(&e.key))) {
            return Some((kind, e.key.clone()));
        }
    }
    let table = document.get("repeat").and_then(DocNode::as_table)?;
    let makes = |generator: &str| {
        let made = unrolled(document, scene, generator).unwrap_or_default();
        made.iter().any(|(s, key, _)| {
            (s == section && key == name) || (s == "repeat" || generators::KINDS.contains(&s.as_str()) && under(key))
        })
    };
    table.entries().iter().find(|e| makes(&e.key)).map(|e| ("repeat", e.key.clone()))
}

/// Write the pieces of a generator out.
fn write_out(document: &mut DocTable, scene: &Scene, kind: &str, name: &str) -> Result<(), EditError> {
    let own = |n: &str| n.strip_prefix(name).is_some_and(|rest| rest.starts_with('/'));
    let mut bodies = Vec::new();
    for body in scene.bodies.iter().filter(|b| own(&b.name)) {
        bodies.push((&*body.name, record::body(body)?));
    }
    let mut joints = Vec::new();
    for link in scene.joints.iter().filter(|l| own(&l.name)) {
        joints.push((&*link.name, record::link(link, scene)?));
    }
    take_thing(document, kind, name);
    for (section, made) in [("body", bodies), ("joint", joints)] {
        if !made.is_empty() {
            let table = document.table_mut(section, NO_SPAN);
            made.into_iter().for_each(|(name, t)| table.put(name, NO_SPAN, t));
        }
    }
    Ok(())
}

/// What a `[repeat]` makes: sections, names and tables, in order.
fn unrolled(document: &DocTable, scene: &Scene, name: &str) -> Result<Vec<(String, String, DocNode)>, EditError> {
    let table =
        thing(document, "repeat", name).ok_or_else(|| EditError::new(format!("there is no repeat `{name}`")))?;
    let odd = || EditError::new(format!("the count of the repeat `{name}` cannot be read"));
    let param = |n: &str| scene.params.iter().find(|p| p.0 == n).map(|p| p.1);
    let count = match &table.get("count").ok_or_else(odd)?.value {
        Value::Integer(i) => *i as f64,
        Value::Number(x) => *x,
        Value::Text(t) => {
            let inner = t.trim().strip_prefix("${").and_then(|t| t.strip_suffix('}')).ok_or_else(odd)?;
            Expression::read(inner, "", &param).map_err(|_| odd())?.value()
        }
        _ => return Err(odd()),
    };
    let index = table.get("index").and_then(DocNode::as_text).unwrap_or("i");
    let mut out = Vec::new();
    // the scene was read, so the count is within the limits
    for i in 1..=count as u64 {
        let copy = RepeatCopy { counters: vec![(index, i as f64), ("n", count)], param: &param };
        for section in table.entries().iter().filter(|e| e.key != "count" && e.key != "index") {
            let Some(things) = section.node.as_table() else { continue };
            for e in things.entries() {
                static TYPES: [(&str, Type); 4] = [
                    ("body", Type::Kind(&BODIES)),
                    ("joint", Type::Kind(&JOINTS)),
                    ("drive", Type::Kind(&DRIVES)),
                    ("force", Type::Kind(&FORCES)),
                ];
                let name = copy.text(&e.key);
                let node = match TYPES.iter().find(|t| t.0 == section.key) {
                    Some((_, ty)) => copy.node(&e.node, Some(ty)),
                    None => started(copy.generator(&e.node), &section.key, &name, scene),
                };
                out.push((section.key.clone(), name, node));
            }
        }
    }
    Ok(out)
}

/// A row or tree that begins at a point of another body says where that is: outside of its repeat it may be made before
/// that body is.
fn started(mut node: DocNode, kind: &str, name: &str, scene: &Scene) -> DocNode {
    if let ("chain" | "tree", Value::Table(table)) = (kind, &mut node.value)
        && table.get("first").is_some()
        && table.get("from").is_none()
        && let Some(body) = scene.bodies.iter().find(|b| b.name.strip_prefix(name) == Some("/1"))
    {
        let at = body.pose.position.to_array().map(|x| DocNode::new(NO_SPAN, Value::Number(x)));
        table.push("from", NO_SPAN, DocNode::new(NO_SPAN, Value::List(at.to_vec())));
    }
    node
}

/// One copy of a repeat: the values of its counters, and the parameters of the scene.
struct RepeatCopy<'a> {
    counters: Vec<(&'a str, f64)>,
    param: &'a dyn Fn(&str) -> Option<f64>,
}

impl RepeatCopy<'_> {
    /// A value with the counters put in.
    fn node(&self, node: &DocNode, ty: Option<&'static Type>) -> DocNode {
        let value = match &node.value {
            Value::Text(text) => self.value(text, ty),
            Value::List(list) => Value::List(list.iter().map(|n| self.node(n, ty)).collect()),
            Value::Table(table) => {
                let mut out = DocTable::new();
                for e in table.entries() {
                    let key = if e.key.contains("${") { self.text(&e.key) } else { e.key.clone() };
                    out.push(key, NO_SPAN, self.node(&e.node, inside(ty, table, &e.key)));
                }
                Value::Table(out)
            }
            other => other.clone(),
        };
        DocNode::new(NO_SPAN, value)
    }

    /// A generator inside a repeat has counters of its own in its templates.
    fn generator(&self, node: &DocNode) -> DocNode {
        const OWN: [&str; 6] = ["i", "n", "level", "k", "row", "column"];
        const TEMPLATES: [&str; 6] = ["link", "joint", "first_joint", "last_joint", "rung", "hub"];
        let Some(table) = node.as_table() else { return self.node(node, None) };
        let index = table.get("index").and_then(DocNode::as_text);
        let own = |n: &str| match index {
            Some(index) => n == index || n == "n",
            None => OWN.contains(&n),
        };
        let left =
            RepeatCopy { counters: self.counters.iter().filter(|c| !own(c.0)).copied().collect(), param: self.param };
        let is_repeat = index.is_some() || table.get("link").is_none();
        let mut out = DocTable::new();
        for e in table.entries() {
            // other tables of a generator say where it begins and ends
            let section = TEMPLATES.contains(&e.key.as_str()) || (is_repeat && e.node.as_table().is_some());
            // a repeat inside a repeat: what its sections hold is known
            let ty = match content("repeat") {
                Some(Content::Tables(groups)) if is_repeat => {
                    groups.iter().flat_map(|g| g.iter()).find(|f| f.name == e.key).map(|f| &f.ty)
                }
                _ => None,
            };
            let node = if section { left.node(&e.node, ty) } else { self.node(&e.node, None) };
            out.push(e.key.clone(), NO_SPAN, node);
        }
        DocNode::new(NO_SPAN, out)
    }

    fn value(&self, text: &str, ty: Option<&Type>) -> Value {
        if matches!(ty, Some(Type::Function(..) | Type::VectorFunction(..))) && !text.contains("${") {
            return Value::Text(self.expression(text));
        }
        let whole = text.trim().strip_prefix("${").and_then(|t| t.strip_suffix('}')).filter(|t| !t.contains("${"));
        let textual = matches!(
            ty,
            Some(
                Type::Text
                    | Type::Texts
                    | Type::Choice(_)
                    | Type::Point
                    | Type::Points
                    | Type::Coordinate
                    | Type::Coordinates
                    | Type::File
            )
        );
        match whole {
            Some(inner) if !textual => {
                let inner = self.expression(inner);
                match Expression::read(&inner, "", &|_| None) {
                    Ok(e) if e.value().is_finite() => Value::Number(e.value()),
                    _ => Value::Text(format!("${{{inner}}}")),
                }
            }
            _ => Value::Text(self.text(text)),
        }
    }

    /// Text with every `${}` in it replaced by its value, as the reader does.
    fn text(&self, text: &str) -> String {
        let known = |n: &str| self.counters.iter().find(|c| c.0 == n).map(|c| c.1).or_else(|| (self.param)(n));
        let mut out = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            out.push_str(before);
            let Some((inner, behind)) = after.split_once('}') else { break };
            match Expression::read(inner, "", &known) {
                Ok(e) => out.push_str(&e.value().to_string()),
                // a counter of a generator inside
                Err(_) => out.push_str(&format!("${{{}}}", self.expression(inner))),
            }
            rest = behind;
        }
        out + rest
    }

    /// An expression with the counters put in.
    fn expression(&self, text: &str) -> String {
        let mut out = String::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
            // a number takes its exponent along, so that the e of 1e3 is no name
            let length = if c.is_ascii_digit() || c == '.' {
                rest.find(|c: char| !(word(c) || c == '.')).unwrap_or(rest.len())
            } else if word(c) {
                rest.find(|c| !word(c)).unwrap_or(rest.len())
            } else {
                c.len_utf8()
            };
            let (token, behind) = rest.split_at(length);
            match self.counters.iter().find(|c| c.0 == token) {
                Some((_, x)) if !behind.trim_start().starts_with('(') => out.push_str(&x.to_string()),
                _ => out.push_str(token),
            }
            rest = behind;
        }
        out
    }
}

/// The type of a field of a table. A list has the type of its elements.
fn inside(ty: Option<&'static Type>, table: &DocTable, key: &str) -> Option<&'static Type> {
    match ty? {
        Type::Kind(family) | Type::Kinds(family) => {
            let named = table.get("kind").and_then(DocNode::as_text).or(family.default);
            let own = named.and_then(|n| family.find(n)).map_or(&[][..], |k| k.fields);
            own.iter().flat_map(|g| g.iter()).chain(family.common).find(|f| f.name == key).map(|f| &f.ty)
        }
        Type::Record(fields) | Type::Records(fields) => fields.iter().find(|f| f.name == key).map(|f| &f.ty),
        Type::Map(inner) => Some(inner),
        Type::Point if key == "body" => Some(&Type::Text),
        _ => None,
    }
}
