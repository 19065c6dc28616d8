//! A JSON Schema (draft 7) of scene files, generated from the declarations, for editors that know TOML: they complete
//! names, show what a field means and underline mistakes. A scene names it in its first line:
//! `#:schema scene.schema.json`.
//!
//! Numbers may be text in `${}`; tables with a kind are an `if`/`then` for each kind, so that an editor speaks of the
//! one that was meant. Each family is written once under `definitions`.

use crate::fields::{Allowed, Family, Field, Need, Type};
use crate::generators;
use crate::kinds::FUNCTIONS;
use crate::read::SECTIONS;
use crate::sections::{Content, content};
use serde::Serialize;
use serde_json::{Map, Value, json};

/// The schema as a document.
pub fn schema() -> Value {
    let mut definitions = Map::new();
    for (name, rule) in [
        ("number", plain_number(Allowed::Any)),
        ("positive-number", plain_number(Allowed::Positive)),
        ("number-not-negative", plain_number(Allowed::NotNegative)),
        ("number-from-0-to-1", plain_number(Allowed::Fraction)),
        ("vector", numbers(3, Some(3))),
        ("rotation", any_rotation()),
        ("point", any_point()),
    ] {
        definitions.insert(name.into(), rule);
    }
    let mut properties = Map::new();
    for (name, doc) in SECTIONS {
        let Some(holds) = content(name) else { continue };
        let mut rule = match holds {
            Content::Value(ty) => of_type(ty, &mut definitions),
            Content::Parameters => json!({ "type": "object", "additionalProperties": number(Allowed::Any) }),
            Content::Table(fields) => of_fields(fields, &mut definitions),
            Content::Tables(fields) => {
                let mut rule = of_fields(fields, &mut definitions);
                if generators::KINDS.contains(name) {
                    templates(&mut rule, fields, &mut definitions);
                }
                definitions.insert(name.to_string(), rule);
                json!({ "type": "object", "additionalProperties": reference(name) })
            }
            Content::Kinds(family) => {
                json!({ "type": "object", "additionalProperties": of_family(family, &mut definitions) })
            }
        };
        describe(&mut rule, doc);
        properties.insert(name.to_string(), rule);
    }
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "A scene of holonom",
        "type": "object",
        "properties": properties,
        "additionalProperties": false,
        "definitions": definitions,
    })
}

/// The schema as the text of its file.
pub fn text() -> String {
    // objects of serde_json are sorted by name: the same bytes whatever the order of declarations
    let mut bytes = Vec::new();
    let narrow = serde_json::ser::PrettyFormatter::with_indent(b" ");
    // writing to memory cannot fail
    let _ = schema().serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, narrow));
    bytes.push(b'\n');
    String::from_utf8(bytes).unwrap_or_default()
}

fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/definitions/{name}") })
}

fn describe(rule: &mut Value, doc: &str) {
    // beside a reference everything else is ignored in draft 7
    if rule.get("$ref").is_some() {
        *rule = json!({ "allOf": [rule.take()] });
    }
    if let Value::Object(map) = rule {
        map.insert("description".into(), doc.into());
    }
}

/// Text that is an expression.
fn expression() -> Value {
    json!({ "type": "string", "pattern": "^\\s*\\$\\{.*\\}\\s*$" })
}

fn number(allowed: Allowed) -> Value {
    reference(match allowed {
        Allowed::Any => "number",
        Allowed::Positive => "positive-number",
        Allowed::NotNegative => "number-not-negative",
        Allowed::Fraction => "number-from-0-to-1",
    })
}

fn plain_number(allowed: Allowed) -> Value {
    let plain = match allowed {
        Allowed::Any => json!({ "type": "number" }),
        Allowed::Positive => json!({ "type": "number", "exclusiveMinimum": 0 }),
        Allowed::NotNegative => json!({ "type": "number", "minimum": 0 }),
        Allowed::Fraction => json!({ "type": "number", "minimum": 0, "maximum": 1 }),
    };
    json!({ "anyOf": [plain, expression()] })
}

fn numbers(least: usize, most: Option<usize>) -> Value {
    let mut rule = json!({ "type": "array", "items": number(Allowed::Any), "minItems": least });
    if let (Some(most), Value::Object(map)) = (most, &mut rule) {
        map.insert("maxItems".into(), most.into());
    }
    rule
}

fn list(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

fn vector() -> Value {
    reference("vector")
}

fn any_point() -> Value {
    json!({ "anyOf": [
        { "type": "string" },
        { "type": "object", "required": ["body"], "additionalProperties": false,
          "properties": { "body": { "type": "string" }, "at": vector() } },
    ] })
}

fn any_rotation() -> Value {
    let table = |names: &[&str], rules: Value| json!({ "type": "object", "required": names, "properties": rules, "additionalProperties": false });
    json!({ "anyOf": [
        numbers(4, Some(4)),
        table(&["axis", "angle"], json!({ "axis": vector(), "angle": number(Allowed::Any) })),
        table(&["rpy"], json!({ "rpy": vector() })),
        table(&["x", "z"], json!({ "x": vector(), "z": vector() })),
        table(&["quaternion"], json!({ "quaternion": numbers(4, Some(4)) })),
    ] })
}

fn of_type(ty: &Type, definitions: &mut Map<String, Value>) -> Value {
    match ty {
        Type::Number(allowed, _) => number(*allowed),
        Type::Integer(from, to) => {
            let mut plain = json!({ "type": "integer", "minimum": from });
            if let (true, Value::Object(map)) = (*to < i64::MAX, &mut plain) {
                map.insert("maximum".into(), (*to).into());
            }
            json!({ "anyOf": [plain, expression()] })
        }
        Type::Flag => json!({ "type": "boolean" }),
        Type::Text | Type::File | Type::Coordinate | Type::Formula => json!({ "type": "string" }),
        Type::Texts => json!({ "anyOf": [{ "type": "string" }, list(json!({ "type": "string" }))] }),
        Type::Choice(words) => json!({ "enum": words }),
        Type::Vector(_) | Type::Direction => vector(),
        Type::Rotation => reference("rotation"),
        Type::Numbers(_) => json!({ "anyOf": [number(Allowed::Any), numbers(0, None)] }),
        Type::Vectors(_) => list(vector()),
        Type::Intervals(_) => json!({ "anyOf": [numbers(2, Some(2)), list(numbers(0, Some(2)))] }),
        Type::Point => reference("point"),
        Type::Points => list(reference("point")),
        Type::Pairs => list(json!({ "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 2 })),
        Type::Coordinates => list(json!({ "type": "string" })),
        Type::Function(..) => function(definitions),
        Type::VectorFunction(..) => {
            json!({ "type": "array", "items": function(definitions), "minItems": 3, "maxItems": 3 })
        }
        Type::Kind(family) => of_family(family, definitions),
        Type::Kinds(family) => list(of_family(family, definitions)),
        Type::Record(fields) => of_fields(&[fields], definitions),
        Type::Records(fields) => list(of_fields(&[fields], definitions)),
        Type::Map(inner) => json!({ "type": "object", "additionalProperties": of_type(inner, definitions) }),
    }
}

fn function(definitions: &mut Map<String, Value>) -> Value {
    json!({ "anyOf": [{ "type": ["number", "string"] }, of_family(&FUNCTIONS, definitions)] })
}

/// What a field means, in a line: unit and default included.
fn doc(field: &Field) -> String {
    let unit = crate::reference::unit(&field.ty);
    let unit = if unit.is_empty() { String::new() } else { format!(" ({unit})") };
    match field.need {
        Need::Required => format!("{}{unit}", field.doc),
        Need::Optional(otherwise) => format!("{}{unit}; otherwise: {otherwise}", field.doc),
    }
}

fn properties(
    fields: &[&'static [Field]],
    definitions: &mut Map<String, Value>,
) -> (Map<String, Value>, Vec<&'static str>) {
    let (mut rules, mut needed) = (Map::new(), Vec::new());
    for field in fields.iter().flat_map(|group| group.iter()) {
        let mut rule = of_type(&field.ty, definitions);
        describe(&mut rule, &doc(field));
        rules.insert(field.name.into(), rule);
        if field.need == Need::Required {
            needed.push(field.name);
        }
    }
    (rules, needed)
}

fn of_fields(fields: &[&'static [Field]], definitions: &mut Map<String, Value>) -> Value {
    let (rules, needed) = properties(fields, definitions);
    // generators inside a repeat say nothing of their fields here: those are the fields of the sections themselves
    let open = rules.is_empty();
    json!({ "type": "object", "properties": rules, "required": needed, "additionalProperties": open })
}

/// Generators themselves say what is joined to what: their tables with kinds need no `b`. A hub may be the name of a
/// body.
fn templates(rule: &mut Value, fields: &[&'static [Field]], definitions: &mut Map<String, Value>) {
    for field in fields.iter().flat_map(|group| group.iter()) {
        let Type::Kind(family) = field.ty else { continue };
        of_family(family, definitions);
        let name = format!("{}.piece", family.name);
        let mut piece = definitions[family.name].clone();
        for case in piece["allOf"].as_array_mut().into_iter().flatten() {
            if let Some(needed) = case["then"]["required"].as_array_mut() {
                needed.retain(|n| n != "b");
            }
        }
        definitions.insert(name.clone(), piece);
        let mut new = match field.name {
            "hub" => json!({ "anyOf": [reference(&name), { "type": "string" }] }),
            _ => reference(&name),
        };
        describe(&mut new, &doc(field));
        rule["properties"][field.name] = new;
    }
}

/// A table with a kind: each kind allows its own fields.
fn of_family(family: &'static Family, definitions: &mut Map<String, Value>) -> Value {
    if definitions.contains_key(family.name) {
        return reference(family.name);
    }
    // families may hold each other
    definitions.insert(family.name.into(), Value::Null);
    let names: Vec<&str> = family.kinds().map(|k| k.name).collect();
    let mut kinds = json!({ "enum": names, "description": format!("which sort of {}", family.name) });
    if let (Some(default), Value::Object(map)) = (family.default, &mut kinds) {
        map.insert("default".into(), default.into());
    }
    // what several kinds have alike is written once
    let mut of_kinds: Vec<_> = family
        .kinds()
        .map(|kind| {
            let groups: Vec<&'static [Field]> = kind.fields.iter().copied().chain([family.common]).collect();
            let (rules, needed) = properties(&groups, definitions);
            (kind, rules, needed)
        })
        .collect();
    let mut alike: Vec<(String, Value, usize)> = Vec::new();
    for (name, rule) in of_kinds.iter().flat_map(|(_, rules, _)| rules) {
        match alike.iter_mut().find(|(n, r, _)| n == name && r == rule) {
            Some((.., count)) => *count += 1,
            None => alike.push((name.clone(), rule.clone(), 1)),
        }
    }
    alike.retain(|(.., count)| *count > 1);
    for (_, rules, _) in &mut of_kinds {
        for (name, rule) in rules.iter_mut() {
            let same = |n: &String, r: &Value| n == name && r == rule;
            let Some(at) = alike.iter().position(|(n, r, _)| same(n, r)) else { continue };
            let before = alike[..at].iter().filter(|(n, ..)| n == name).count();
            let suffix = if before == 0 { String::new() } else { format!(".{}", before + 1) };
            let shared = format!("{}.{name}{suffix}", family.name);
            *rule = reference(&shared);
            definitions.insert(shared, alike[at].1.clone());
        }
    }
    let mut cases = Vec::new();
    for (kind, mut rules, needed) in of_kinds {
        rules.insert("kind".into(), json!({ "const": kind.name }));
        let mut when = json!({ "properties": { "kind": { "const": kind.name } } });
        // a table that says no kind is of the default one
        if let (true, Value::Object(map)) = (family.default != Some(kind.name), &mut when) {
            map.insert("required".into(), json!(["kind"]));
        }
        let then = json!({
            "description": kind.summary, "properties": rules, "required": needed, "additionalProperties": false,
        });
        cases.push(json!({ "if": when, "then": then }));
    }
    let mut rule = json!({ "type": "object", "properties": { "kind": kinds }, "allOf": cases });
    if let (None, Value::Object(map)) = (family.default, &mut rule) {
        map.insert("required".into(), json!(["kind"]));
    }
    definitions.insert(family.name.into(), rule);
    reference(family.name)
}
