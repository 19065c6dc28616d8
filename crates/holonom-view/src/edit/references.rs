//! References between things. In a scene: which bodies and joints a link needs. In a document: every text that names a
//! body or a joint, found by what the fields are declared to hold, so that it can be changed.

use super::record::body_name;
use holonom_scene::fields::{Family, Field, Record, Type, Val};
use holonom_scene::node::{DocNode, DocTable, Value};
use holonom_scene::scene::{InteractionRecord, Scene};
use holonom_scene::sections::{Content, content};

/// What a text names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NamedThing {
    /// A body, perhaps with a point behind a dot.
    Body,
    /// A joint, perhaps with the number of a coordinate behind a dot.
    Joint,
}

/// Bodies and joints that a link needs.
pub fn needs<'s>(link: &'s InteractionRecord, scene: &'s Scene) -> Vec<(NamedThing, &'s str)> {
    let mut out = Vec::new();
    for side in [&link.a, &link.b].into_iter().flatten() {
        out.push((NamedThing::Body, body_name(&side.body, scene)));
    }
    in_record(&link.record, scene, true, &mut out);
    out
}

// the sides of a link are its own: those in the record of a piece of a generator are not
fn in_record<'s>(record: &'s Record, scene: &'s Scene, top: bool, out: &mut Vec<(NamedThing, &'s str)>) {
    for (name, value, _) in record.values() {
        if !(top && (*name == "a" || *name == "b")) {
            in_value(value, scene, out);
        }
    }
}

fn in_value<'s>(value: &'s Val, scene: &'s Scene, out: &mut Vec<(NamedThing, &'s str)>) {
    match value {
        Val::Point(p) => out.push((NamedThing::Body, body_name(&p.body, scene))),
        Val::Coordinate(c) => out.push((NamedThing::Joint, &c.joint)),
        Val::Record(r) => in_record(r, scene, false, out),
        Val::List(list) => list.iter().for_each(|(v, _)| in_value(v, scene, out)),
        Val::Map(map) => map.iter().for_each(|(_, v, _)| in_value(v, scene, out)),
        _ => {}
    }
}

/// Call `f` with every text of a document that names a body or a joint. Names that are computed (`${}`) are left out.
pub fn visit(document: &mut DocTable, f: &mut dyn FnMut(&mut String, NamedThing)) {
    for entry in document.entries_mut() {
        let section = entry.key.clone();
        if let Value::Table(table) = &mut entry.node.value {
            section_of(&section, table, f);
        }
    }
}

fn section_of(section: &str, table: &mut DocTable, f: &mut dyn FnMut(&mut String, NamedThing)) {
    match (section, content(section)) {
        ("repeat", _) => each(table, &mut |part| {
            for entry in part.entries_mut() {
                let section = entry.key.clone();
                if let Value::Table(inner) = &mut entry.node.value {
                    section_of(&section, inner, f);
                }
            }
        }),
        (_, Some(Content::Kinds(family))) => each(table, &mut |thing| in_kind(thing, family, f)),
        (_, Some(Content::Table(groups))) => in_fields(table, &groups.concat(), f),
        // generators: in their templates `a` and `b` are points of the pieces; cameras, which may follow a body
        (_, Some(Content::Tables(_))) => each(table, &mut |thing| {
            for key in ["first", "last", "hub", "follow"] {
                if let Some(node) = thing.get_mut(key) {
                    in_node(node, &Type::Point, f);
                }
            }
        }),
        _ => {}
    }
}

fn each(table: &mut DocTable, f: &mut dyn FnMut(&mut DocTable)) {
    for entry in table.entries_mut() {
        if let Value::Table(inner) = &mut entry.node.value {
            f(inner);
        }
    }
}

fn in_kind(table: &mut DocTable, family: &'static Family, f: &mut dyn FnMut(&mut String, NamedThing)) {
    in_fields(table, &fields_of(table, family), f);
}

/// The fields of a table with a kind.
pub fn fields_of(table: &DocTable, family: &'static Family) -> Vec<Field> {
    let named = table.get("kind").and_then(DocNode::as_text).or(family.default);
    let own = named.and_then(|n| family.find(n)).map_or(&[][..], |k| k.fields);
    own.iter().flat_map(|group| group.iter()).chain(family.common).copied().collect()
}

fn in_fields(table: &mut DocTable, fields: &[Field], f: &mut dyn FnMut(&mut String, NamedThing)) {
    for field in fields {
        if let Some(node) = table.get_mut(field.name) {
            in_node(node, &field.ty, f);
        }
    }
}

fn in_node(node: &mut DocNode, ty: &Type, f: &mut dyn FnMut(&mut String, NamedThing)) {
    match (ty, &mut node.value) {
        (Type::Point | Type::Points | Type::Pairs, Value::Text(text)) if !text.contains("${") => {
            f(text, NamedThing::Body)
        }
        (Type::Point | Type::Points | Type::Pairs, Value::Table(t)) => {
            if let Some(Value::Text(text)) = t.get_mut("body").map(|n| &mut n.value)
                && !text.contains("${")
            {
                f(text, NamedThing::Body);
            }
        }
        (Type::Coordinate | Type::Coordinates, Value::Text(text)) if !text.contains("${") => f(text, NamedThing::Joint),
        (Type::Points | Type::Pairs | Type::Coordinates, Value::List(list)) => {
            list.iter_mut().for_each(|n| in_node(n, ty, f));
        }
        (Type::Kind(family), Value::Table(t)) => in_kind(t, family, f),
        (Type::Record(fields), Value::Table(t)) => in_fields(t, fields, f),
        (Type::Kinds(family), Value::List(list)) => {
            for n in list {
                in_node(n, &Type::Kind(family), f);
            }
        }
        (Type::Records(fields), Value::List(list)) => {
            for n in list {
                in_node(n, &Type::Record(fields), f);
            }
        }
        (Type::Map(inner), Value::Table(t)) => t.entries_mut().iter_mut().for_each(|e| in_node(&mut e.node, inner, f)),
        _ => {}
    }
}
