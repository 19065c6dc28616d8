//! What a thing of the scene says, and what may be changed in it: the declarations that scenes are read by, with the
//! values at hand.

use super::EditError;
use super::document::{Path, json, path, thing};
use super::editor::SceneEditor;
use super::record;
use holonom_scene::expression::Expression;
use holonom_scene::fields::{Allowed, Family, Field, Need, Type};
use holonom_scene::node::{DocNode, DocTable, Value as Val};
use holonom_scene::scene::{BodyRecord, InteractionRecord, Scene};
use holonom_scene::sections::{Content, content};
use serde::Serialize;
use serde_json::Value;

/// What a thing of the scene says.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DetailsAnswer {
    /// What was asked for: `body.crank`, `run`.
    pub path: String,
    /// `body`, `joint`, `drive`, `force` or another section.
    pub section: String,
    /// Its name.
    pub name: String,
    /// Its kind, in sections that have kinds.
    pub kind: Option<&'static str>,
    /// What that kind is, in a line.
    pub summary: Option<&'static str>,
    /// Made by a generator, which will be written out when this is changed?
    pub generated: bool,
    /// What follows from what was said.
    pub facts: Vec<DerivedFact>,
    /// All fields that it may have.
    pub fields: Vec<FieldValue>,
}

/// Something that follows from the fields of a body.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DerivedFact {
    /// In words.
    pub name: &'static str,
    /// One number or three.
    pub value: Vec<f64>,
    /// Unit of the numbers.
    pub unit: &'static str,
}

/// What a field holds.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs)] // as the types of `holonom_scene::fields`
pub enum FieldForm {
    Number,
    Integer,
    Flag,
    Text,
    Texts,
    Choice,
    Vector,
    Direction,
    Rotation,
    Numbers,
    Vectors,
    Intervals,
    Point,
    Points,
    Pairs,
    Coordinate,
    Coordinates,
    Function,
    VectorFunction,
    File,
    Kind,
    Kinds,
    Record,
    Records,
    Map,
}

/// What a field is declared to be.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldDeclaration {
    /// Its name.
    pub name: String,
    /// What it holds.
    #[serde(rename = "type")]
    pub ty: FieldForm,
    /// Unit of its numbers: `m`, `m or rad`; empty if they have none.
    pub unit: &'static str,
    /// What it is, in a line.
    pub help: &'static str,
    /// Must it be said?
    pub required: bool,
    /// What holds where nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub otherwise: Option<&'static str>,
    /// In words: `greater than 0`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allowed: Option<&'static str>,
    /// Smallest number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub least: Option<f64>,
    /// Largest number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most: Option<f64>,
    /// Words to choose from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub choices: Option<&'static [&'static str]>,
    /// What a function is one of: `t`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<&'static str>,
}

/// A field and its value.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct FieldValue {
    /// What it is declared to be.
    #[serde(flatten)]
    pub declared: FieldDeclaration,
    /// Where it is: `body.crank.density`.
    pub path: String,
    /// Null where nothing is said: then `otherwise` holds.
    pub value: Value,
    /// As it is written where that is an expression, else null. Setting the field replaces it.
    pub expression: Value,
    /// Kind of the table in it.
    pub kind: Option<String>,
    /// Fields of the table in it.
    pub fields: Vec<FieldValue>,
}

/// What a thing says: `body.crank`, `joint.A`, `drive.motor`, `force.spring`, `run`, `ground`.
pub fn details(editor: &SceneEditor, whole: &str) -> Result<DetailsAnswer, EditError> {
    let scene = editor.scene();
    if let Some(Content::Table(groups)) = content(whole) {
        let empty = DocTable::new();
        let table = editor.document().get(whole).and_then(DocNode::as_table).unwrap_or(&empty);
        let fields = listed(groups.iter().flat_map(|g| g.iter()), table, whole, scene);
        let (path, section, name) = (whole.to_string(), whole.to_string(), whole.to_string());
        let (kind, summary, generated, facts) = (None, None, false, Vec::new());
        return Ok(DetailsAnswer { path, section, name, kind, summary, generated, facts, fields });
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
    let link = |list: &[InteractionRecord]| list.iter().find(|l| &*l.name == name).cloned();
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
            let named = table.get("kind").and_then(DocNode::as_text).or(family.default);
            let kind = named.and_then(|n| family.find(n)).ok_or_else(unknown)?;
            let fields = kind.fields.iter().flat_map(|g| g.iter()).chain(family.common);
            (Some(kind.name), Some(kind.summary), listed(fields, &table, whole, scene))
        }
        Some(Content::Tables(groups)) => {
            (None, None, listed(groups.iter().flat_map(|g| g.iter()), &table, whole, scene))
        }
        _ => return Err(unknown()),
    };
    let (path, section, name) = (whole.to_string(), section.to_string(), name.to_string());
    Ok(DetailsAnswer { path, section, name, kind, summary, generated, facts, fields })
}

/// What follows from what was said of a body.
fn facts(body: &BodyRecord) -> Vec<DerivedFact> {
    let Some(mass) = body.mass else { return Vec::new() };
    let i = mass.inertia;
    vec![
        DerivedFact { name: "mass", value: vec![mass.mass], unit: "kg" },
        DerivedFact { name: "centre of mass", value: mass.centre.to_array().to_vec(), unit: "m" },
        DerivedFact { name: "inertia", value: vec![i.x_axis.x, i.y_axis.y, i.z_axis.z], unit: "kg m^2" },
    ]
}

fn listed<'f>(fields: impl Iterator<Item = &'f Field>, table: &DocTable, path: &str, scene: &Scene) -> Vec<FieldValue> {
    fields.map(|f| described(f, table.get(f.name), &format!("{path}.{}", f.name), scene)).collect()
}

/// One field: what it is declared to be, and its value. Tables inside tables are as deep as the declarations and the
/// document are.
fn described(field: &Field, node: Option<&DocNode>, path: &str, scene: &Scene) -> FieldValue {
    let (kind, fields) = match (&field.ty, node.map(|n| &n.value)) {
        (Type::Kind(family), Some(Val::Table(t))) => (named(family, t), in_kind(family, t, path, scene)),
        (Type::Kinds(family), Some(Val::List(list))) => {
            let item = |(i, n): (usize, &DocNode)| {
                let (t, path) = (n.as_table()?, format!("{path}.{i}"));
                let (kind, fields) = (named(family, t), in_kind(family, t, &path, scene));
                let declared = plain(i.to_string(), FieldForm::Kind, "", "");
                Some(FieldValue { declared, path, value: Value::Null, expression: Value::Null, kind, fields })
            };
            (None, list.iter().enumerate().filter_map(item).collect())
        }
        (Type::Record(fields), Some(Val::Table(t))) => (None, listed(fields.iter(), t, path, scene)),
        _ => (None, Vec::new()),
    };
    let value = node.map_or(Value::Null, |n| evaluated(n, scene));
    let expression = node.filter(|n| computed(n)).map_or(Value::Null, json);
    FieldValue { declared: declared(field), path: path.to_string(), value, expression, kind, fields }
}

fn named(family: &Family, table: &DocTable) -> Option<String> {
    table.get("kind").and_then(DocNode::as_text).or(family.default).map(String::from)
}

fn in_kind(family: &'static Family, table: &DocTable, path: &str, scene: &Scene) -> Vec<FieldValue> {
    listed(super::references::fields_of(table, family).iter(), table, path, scene)
}

/// Does it hold an expression?
fn computed(node: &DocNode) -> bool {
    match &node.value {
        Val::Text(t) => t.contains("${"),
        Val::List(list) => list.iter().any(computed),
        _ => false,
    }
}

/// The value, expressions replaced by theirs.
fn evaluated(node: &DocNode, scene: &Scene) -> Value {
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

fn plain(name: String, ty: FieldForm, unit: &'static str, help: &'static str) -> FieldDeclaration {
    let (otherwise, allowed, least, most, choices, variable) = (None, None, None, None, None, None);
    FieldDeclaration { name, ty, unit, help, required: false, otherwise, allowed, least, most, choices, variable }
}

/// What a field is declared to be.
pub(crate) fn declared(field: &Field) -> FieldDeclaration {
    let (ty, unit) = type_and_unit(&field.ty);
    let mut out = plain(field.name.into(), ty, unit, field.doc);
    out.required = field.need == Need::Required;
    if let Need::Optional(otherwise) = field.need {
        out.otherwise = Some(otherwise);
    }
    match &field.ty {
        Type::Number(allowed, _) => {
            let (words, least, most) = match allowed {
                Allowed::Any => ("any number", None, None),
                Allowed::Positive => ("greater than 0", Some(0.0), None),
                Allowed::NotNegative => ("0 or greater", Some(0.0), None),
                Allowed::Fraction => ("from 0 to 1", Some(0.0), Some(1.0)),
            };
            (out.allowed, out.least, out.most) = (Some(words), least, most);
        }
        Type::Integer(from, to) => (out.least, out.most) = (Some(*from as f64), Some(*to as f64)),
        Type::Choice(words) => out.choices = Some(words),
        Type::Function(variable, _) | Type::VectorFunction(variable, _) => out.variable = Some(variable),
        _ => {}
    }
    out
}

fn type_and_unit(ty: &Type) -> (FieldForm, &'static str) {
    match ty {
        Type::Number(_, unit) => (FieldForm::Number, unit),
        Type::Integer(..) => (FieldForm::Integer, ""),
        Type::Flag => (FieldForm::Flag, ""),
        Type::Text => (FieldForm::Text, ""),
        Type::Texts => (FieldForm::Texts, ""),
        Type::Choice(_) => (FieldForm::Choice, ""),
        Type::Vector(unit) => (FieldForm::Vector, unit),
        Type::Direction => (FieldForm::Direction, ""),
        Type::Rotation => (FieldForm::Rotation, ""),
        Type::Numbers(unit) => (FieldForm::Numbers, unit),
        Type::Vectors(unit) => (FieldForm::Vectors, unit),
        Type::Intervals(unit) => (FieldForm::Intervals, unit),
        Type::Point => (FieldForm::Point, ""),
        Type::Points => (FieldForm::Points, ""),
        Type::Pairs => (FieldForm::Pairs, ""),
        Type::Coordinate => (FieldForm::Coordinate, ""),
        Type::Coordinates => (FieldForm::Coordinates, ""),
        Type::Function(_, unit) => (FieldForm::Function, unit),
        Type::VectorFunction(_, unit) => (FieldForm::VectorFunction, unit),
        Type::Formula => (FieldForm::Text, ""),
        Type::File => (FieldForm::File, ""),
        Type::Kind(_) => (FieldForm::Kind, ""),
        Type::Kinds(_) => (FieldForm::Kinds, ""),
        Type::Record(_) => (FieldForm::Record, ""),
        Type::Records(_) => (FieldForm::Records, ""),
        Type::Map(_) => (FieldForm::Map, ""),
    }
}
