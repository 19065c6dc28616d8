//! What a thing of the scene says, and what may be changed in it: the declarations that scenes are read by, with the values at hand.
//!
//! ```json
//! { "path": "body.crank", "section": "body", "name": "crank", "kind": "rigid", "summary": "...", "generated": false,
//!   "facts": [{ "name": "mass", "value": 1.2, "unit": "kg" }],
//!   "fields": [{ "name": "density", "path": "body.crank.density", "type": "number", "unit": "kg/m^3", "allowed": "greater than 0", "least": 0,
//!                "value": 7800, "expression": null, "required": false, "otherwise": "not said", "help": "...", "fields": [] }] }
//! ```
//!
//! `value` is null where nothing is said; `otherwise` tells what holds then. An expression is shown with its value, and is replaced when the field is set.

use super::EditError;
use super::document::{Path, json, path, thing};
use super::record;
use super::editor::SceneEditor;
use holonom_scene::expression::Expression;
use holonom_scene::fields::{Allowed, Family, Field, Need, Type};
use holonom_scene::node::{Node, Table, Value as Val};
use holonom_scene::scene::{Body, Link, Scene};
use holonom_scene::sections::{Content, content};
use serde_json::{Map, Value, json};

/// What a thing says: `body.crank`, `joint.A`, `drive.motor`, `force.spring`, `run`, `ground`.
pub fn details(editor: &SceneEditor, whole: &str) -> Result<Value, EditError> {
    let scene = editor.scene();
    if let Some(Content::Table(groups)) = content(whole) {
        let empty = Table::new();
        let table = editor.document().get(whole).and_then(Node::as_table).unwrap_or(&empty);
        let fields = listed(groups.iter().flat_map(|g| g.iter()), table, whole, scene);
        return Ok(
            json!({ "path": whole, "section": whole, "name": whole, "generated": false, "facts": [], "fields": fields }),
        );
    }
    let Path::Thing(section, name, rest) = path(whole)? else {
        return Err(EditError::new(format!("`{whole}` has no details of its own")));
    };
    if !rest.is_empty() {
        return Err(EditError::new(format!("`{whole}` is a field; ask for `{section}.{name}`")));
    }
    let unknown = || EditError::new(format!("the scene has no {section} `{name}`"));
    let own = thing(editor.document(), section, name).cloned();
    let generated = own.is_none();
    let link = |list: &[Link]| list.iter().find(|l| &*l.name == name).cloned();
    let (table, facts) = match section {
        "body" => {
            let body = scene.bodies.iter().find(|b| &*b.name == name).ok_or_else(unknown)?;
            (own.map_or_else(|| record::body(body), Ok)?, facts(body))
        }
        "joint" | "drive" | "force" => {
            let list = match section {
                "joint" => &scene.joints,
                "drive" => &scene.drives,
                _ => &scene.forces,
            };
            let link = link(list).ok_or_else(unknown)?;
            (own.map_or_else(|| record::link(&link, scene), Ok)?, Vec::new())
        }
        _ => (own.ok_or_else(unknown)?, Vec::new()),
    };
    let (kind, summary, fields) = match content(section) {
        Some(Content::Kinds(family)) => {
            let named = table.get("kind").and_then(Node::as_text).or(family.default);
            let kind = named.and_then(|n| family.find(n)).ok_or_else(unknown)?;
            let fields = kind.fields.iter().flat_map(|g| g.iter()).chain(family.common);
            (Some(kind.name), Some(kind.summary), listed(fields, &table, whole, scene))
        }
        Some(Content::Tables(groups)) => {
            (None, None, listed(groups.iter().flat_map(|g| g.iter()), &table, whole, scene))
        }
        _ => return Err(unknown()),
    };
    Ok(json!({
        "path": whole, "section": section, "name": name, "kind": kind, "summary": summary, "generated": generated,
        "facts": facts, "fields": fields,
    }))
}

/// What follows from what was said of a body.
fn facts(body: &Body) -> Vec<Value> {
    let Some(mass) = body.mass else { return Vec::new() };
    let i = mass.inertia;
    vec![
        json!({ "name": "mass", "value": mass.mass, "unit": "kg" }),
        json!({ "name": "centre of mass", "value": mass.centre.to_array(), "unit": "m" }),
        json!({ "name": "inertia", "value": [i.x_axis.x, i.y_axis.y, i.z_axis.z], "unit": "kg m^2" }),
    ]
}

fn listed<'f>(fields: impl Iterator<Item = &'f Field>, table: &Table, path: &str, scene: &Scene) -> Vec<Value> {
    fields.map(|f| described(f, table.get(f.name), &format!("{path}.{}", f.name), scene)).collect()
}

/// One field: what it is declared to be, and its value. Tables inside tables are as deep as the declarations and the document are.
fn described(field: &Field, node: Option<&Node>, path: &str, scene: &Scene) -> Value {
    let mut out = declared(field);
    let Value::Object(map) = &mut out else { return out };
    map.insert("path".into(), path.into());
    map.insert("value".into(), node.map_or(Value::Null, |n| evaluated(n, scene)));
    let said = node.filter(|n| computed(n)).map(json);
    map.insert("expression".into(), said.unwrap_or(Value::Null));
    let inside: Vec<Value> = match (&field.ty, node.map(|n| &n.value)) {
        (Type::Kind(family), Some(Val::Table(t))) => {
            map.insert("kind".into(), named(family, t));
            in_kind(family, t, path, scene)
        }
        (Type::Kinds(family), Some(Val::List(list))) => {
            let item = |(i, n): (usize, &Node)| {
                let t = n.as_table()?;
                let path = format!("{path}.{i}");
                Some(
                    json!({ "name": i.to_string(), "path": path, "type": "kind", "kind": named(family, t), "fields": in_kind(family, t, &path, scene) }),
                )
            };
            list.iter().enumerate().filter_map(item).collect()
        }
        (Type::Record(fields), Some(Val::Table(t))) => listed(fields.iter(), t, path, scene),
        _ => Vec::new(),
    };
    map.insert("fields".into(), inside.into());
    out
}

fn named(family: &Family, table: &Table) -> Value {
    table.get("kind").and_then(Node::as_text).or(family.default).map_or(Value::Null, Value::from)
}

fn in_kind(family: &'static Family, table: &Table, path: &str, scene: &Scene) -> Vec<Value> {
    listed(super::references::fields_of(table, family).iter(), table, path, scene)
}

/// Does it hold an expression?
fn computed(node: &Node) -> bool {
    match &node.value {
        Val::Text(t) => t.contains("${"),
        Val::List(list) => list.iter().any(computed),
        _ => false,
    }
}

/// The value, expressions replaced by theirs.
fn evaluated(node: &Node, scene: &Scene) -> Value {
    match &node.value {
        Val::Text(t) => {
            let inner = t.trim().strip_prefix("${").and_then(|t| t.strip_suffix('}')).filter(|t| !t.contains("${"));
            let known = |n: &str| scene.params.iter().find(|p| p.0 == n).map(|p| p.1);
            match inner.map(|t| Expression::read(t, "", &known)) {
                Some(Ok(e)) if e.value().is_finite() => e.value().into(),
                _ => t.clone().into(),
            }
        }
        Val::List(list) => list.iter().map(|n| evaluated(n, scene)).collect(),
        Val::Table(t) => {
            Value::Object(t.entries().iter().map(|e| (e.key.clone(), evaluated(&e.node, scene))).collect())
        }
        _ => json(node),
    }
}

/// What a field is declared to be.
pub(super) fn declared(field: &Field) -> Value {
    let mut map = Map::new();
    map.insert("name".into(), field.name.into());
    map.insert("help".into(), field.doc.into());
    map.insert("required".into(), (field.need == Need::Required).into());
    if let Need::Optional(otherwise) = field.need {
        map.insert("otherwise".into(), otherwise.into());
    }
    let mut put = |key: &str, value: Value| {
        map.insert(key.into(), value);
    };
    let (ty, unit): (&str, &str) = match &field.ty {
        Type::Number(allowed, unit) => {
            let (words, least, most) = match allowed {
                Allowed::Any => ("any number", None, None),
                Allowed::Positive => ("greater than 0", Some(0.0), None),
                Allowed::NotNegative => ("0 or greater", Some(0.0), None),
                Allowed::Fraction => ("from 0 to 1", Some(0.0), Some(1.0)),
            };
            put("allowed", words.into());
            put("least", least.map_or(Value::Null, Value::from));
            put("most", most.map_or(Value::Null, Value::from));
            ("number", unit)
        }
        Type::Integer(from, to) => {
            put("least", (*from).into());
            put("most", (*to).into());
            ("integer", "")
        }
        Type::Flag => ("flag", ""),
        Type::Text => ("text", ""),
        Type::Texts => ("texts", ""),
        Type::Choice(words) => {
            put("choices", words.to_vec().into());
            ("choice", "")
        }
        Type::Vector(unit) => ("vector", unit),
        Type::Direction => ("direction", ""),
        Type::Rotation => ("rotation", ""),
        Type::Numbers(unit) => ("numbers", unit),
        Type::Vectors(unit) => ("vectors", unit),
        Type::Intervals(unit) => ("intervals", unit),
        Type::Point => ("point", ""),
        Type::Points => ("points", ""),
        Type::Pairs => ("pairs", ""),
        Type::Coordinate => ("coordinate", ""),
        Type::Coordinates => ("coordinates", ""),
        Type::Function(variable, unit) => {
            put("variable", (*variable).into());
            ("function", unit)
        }
        Type::VectorFunction(variable, unit) => {
            put("variable", (*variable).into());
            ("vector-function", unit)
        }
        Type::File => ("file", ""),
        Type::Kind(_) => ("kind", ""),
        Type::Kinds(_) => ("kinds", ""),
        Type::Record(_) => ("record", ""),
        Type::Records(_) => ("records", ""),
        Type::Map(_) => ("map", ""),
    };
    put("type", ty.into());
    put("unit", unit.into());
    Value::Object(map)
}
