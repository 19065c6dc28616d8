//! The side file of a robot: `NAME.loops.toml` beside `NAME.urdf`, for what URDF cannot express.
//!
//! ```toml
//! [base]                       # the root link
//! fixed = false                # or true: fixed to the ground
//! at = [0, 0, 1]               # where it stands; `rotation` too. Everything else stands where the joints put it
//! self_collision = false       # links pass through each other, and touch everything else
//! [start]                      # coordinates of joints at the start, m or rad
//! elbow = 0.7
//! [hold]                       # a controller on every joint, towards its start: torque = kp (start - q) - kd qdot
//! kp = 500
//! kd = 20
//! [joint.closure]              # any section of a scene file: joints that close loops, drives, forces, bodies, cameras, ...
//! kind = "revolute"
//! a = "coupler"                # a link, whether it has become a body of its own or not
//! b = "rocker"
//! at = [0.3, 0, 0.2]           # in the world, all joints of the URDF at zero
//! axis = [0, 1, 0]
//! [body.hand]                  # a link of the URDF: fields are added to it, or replaced
//! velocity = [0, 0, 1]
//! ```
//!
//! Links that are part of another link's body may be named where points are (`a`, `b`, `on`, `points` of joints, drives
//! and forces, `first` and `last` of chains): `"tool"` becomes `"hand.tool"`, and the numbers in
//! `{ body = "tool", at = [0, 0, 0.1] }` are moved into the frame of the hand.

use super::tree::Base;
use crate::codes;
use crate::confine::shown;
use crate::diagnostic::Diagnostic;
use crate::fields::{Allowed, Field, POSITION, Type, optional, required};
use crate::include;
use crate::load::ImportContext;
use crate::node::{DocEntry, DocNode, DocTable, Value, numbers, parse_toml};
use crate::reader::{Names, Reader};
use crate::scene::Pose;
use crate::set;
use crate::source::Span;
use holonom::math::vec3;
use std::collections::HashMap;
use std::path::Path;

/// The content of a side file.
pub struct SideFile {
    /// What becomes of the root.
    pub base: Base,
    /// Starts of joints by name.
    pub start: Vec<DocEntry>,
    /// Controllers that hold every joint at its start.
    pub hold: Option<Hold>,
    /// Sections of the scene.
    pub rest: DocTable,
}

/// A controller on every joint, towards its start.
#[derive(Clone, Copy, Debug)]
pub struct Hold {
    /// N m/rad or N/m.
    pub kp: f64,
    /// N m s/rad or N s/m.
    pub kd: f64,
    /// Where it was asked for.
    pub span: Span,
}

impl Default for SideFile {
    fn default() -> Self {
        SideFile {
            base: Base { fixed: None, pose: Pose::IDENTITY, self_collision: true },
            start: Vec::new(),
            hold: None,
            rest: DocTable::new(),
        }
    }
}

/// Fields of `[base]`.
static BASE: &[Field] = &[
    optional("fixed", Type::Flag, "only if it is called `world`", "whether the root is fixed to the ground"),
    optional("at", POSITION, "[0, 0, 0]", "where the root link stands"),
    optional("rotation", Type::Rotation, "none", "how it is turned"),
    optional("self_collision", Type::Flag, "true", "whether links touch each other, where there are contacts"),
];

/// Fields of `[hold]`.
static HOLD: &[Field] = &[
    required("kp", Type::Number(Allowed::NotNegative, "N m/rad or N/m"), "torque per deviation from the start"),
    optional("kd", Type::Number(Allowed::NotNegative, "N m s/rad or N s/m"), "0", "torque per rate"),
];

/// Where links are that have no body of their own: name of the body, name of the frame on it, pose on it.
pub type Parts = HashMap<String, (String, String, Pose)>;

/// Read the side file of a text, if there is one, with what `--set` changes in it.
pub fn read(file: u32, context: &mut ImportContext) -> SideFile {
    let mut side = SideFile::default();
    let limits = context.limits;
    let Some((mut table, number)) = text(file, context) else { return side };
    let settings = std::mem::take(&mut context.side_settings);
    set::apply_to_side_file(&mut table, &settings, context.sources, &limits, context.report);
    if let Some(entry) = table.take("base") {
        let mut reader = Reader::new(Names::default(), limits, context.report);
        side.base = read_base(&entry.node, &mut reader).unwrap_or(side.base);
    }
    if let Some(entry) = table.take("hold") {
        let mut reader = Reader::new(Names::default(), limits, context.report);
        let before = reader.enter("hold");
        let fields = reader.table(&entry.node, "hold");
        let record = fields.and_then(|t| reader.fields(t, entry.node.span, "hold", &[HOLD], None));
        reader.leave(before);
        let number = |name: &str| record.as_ref().and_then(|r| r.number(name));
        side.hold = number("kp").map(|kp| Hold { kp, kd: number("kd").unwrap_or(0.0), span: entry.node.span });
    }
    if let Some(node) = table.take("start") {
        match node.node.value {
            Value::Table(mut t) => side.start = std::mem::take(t.entries_mut()),
            _ => {
                let d = Diagnostic::error(codes::WRONG_TYPE, "`start` must be a table of joints and numbers");
                context
                    .report
                    .push(d.at(node.node.span).path("start").help("write  [start]  and below it  elbow = 0.7"));
            }
        }
    }
    side.rest = include::include(table, number, context);
    side
}

/// The side file as it is written and its number; an empty one where there is none. None after errors.
fn text(file: u32, context: &mut ImportContext) -> Option<(DocTable, u32)> {
    let empty = Some((DocTable::new(), file));
    let path = context.sources.file(file).and_then(|f| f.path.as_deref());
    let Some(stem) = path.and_then(Path::file_stem).and_then(|s| s.to_str()) else { return empty };
    let number = match context.read_text(&format!("{stem}.loops.toml"), file) {
        Ok(number) => number,
        Err(d) if d.code == codes::NO_SUCH_FILE => return empty,
        Err(d) => {
            context.report.push(*d);
            return None;
        }
    };
    let text = context.sources.file(number).map(|f| f.text.clone()).unwrap_or_default();
    let (limits, errors) = (context.limits, context.report.n_errors());
    let table = parse_toml(&text, number, &limits, context.report);
    (context.report.n_errors() == errors).then_some((table, number))
}

fn read_base(node: &DocNode, reader: &mut Reader) -> Option<Base> {
    let before = reader.enter("base");
    let table = reader.table(node, "base");
    let record = table.and_then(|table| reader.fields(table, node.span, "base", &[BASE], None));
    reader.leave(before);
    let record = record?;
    let position = record.vector("at").unwrap_or_default();
    let pose = Pose { position, rotation: record.rotation("rotation").unwrap_or_default() };
    let self_collision = !record.has("self_collision") || record.flag("self_collision");
    Some(Base { fixed: record.has("fixed").then(|| record.flag("fixed")), pose, self_collision })
}

/// Put the sections of a side file into the document of a robot.
pub fn merge(document: &mut DocTable, mut rest: DocTable, parts: &Parts) {
    for entry in rest.entries_mut() {
        match entry.key.as_str() {
            "joint" | "drive" | "force" => rename(&mut entry.node, false, &["a", "b", "on", "points"], parts),
            "body" | "ground" => {}
            // ends of chains
            _ => rename(&mut entry.node, false, &["first", "last"], parts),
        }
    }
    for entry in std::mem::take(rest.entries_mut()) {
        let Some(own) = document.get_mut(&entry.key) else {
            document.push(entry.key, entry.key_span, entry.node);
            continue;
        };
        match (&mut own.value, entry.node.value) {
            (Value::Table(own), Value::Table(more)) => merge_section(own, more),
            (_, value) => *own = DocNode { value, span: entry.node.span },
        }
    }
}

/// Entries of a section: new ones are added; fields of known ones are added or replaced.
fn merge_section(own: &mut DocTable, mut more: DocTable) {
    let index: HashMap<String, usize> = own.entries().iter().enumerate().map(|(i, e)| (e.key.clone(), i)).collect();
    for entry in std::mem::take(more.entries_mut()) {
        let known = index.get(&entry.key).map(|i| &mut own.entries_mut()[*i].node);
        match (known, entry.node.value) {
            (None, value) => own.push(entry.key, entry.key_span, DocNode { value, span: entry.node.span }),
            (Some(DocNode { value: Value::Table(fields), .. }), Value::Table(mut changes)) => {
                for change in std::mem::take(changes.entries_mut()) {
                    match (fields.get_mut(&change.key), change.node) {
                        // named points and frames, and lists of shapes, grow
                        (Some(DocNode { value: Value::Table(old), .. }), DocNode { value: Value::Table(new), .. }) => {
                            for e in new.entries() {
                                old.entries_mut().retain(|o| o.key != e.key);
                                old.entries_mut().push(e.clone());
                            }
                        }
                        (Some(DocNode { value: Value::List(old), .. }), DocNode { value: Value::List(new), .. })
                            if change.key == "shapes" =>
                        {
                            old.extend(new);
                        }
                        (Some(old), new) => *old = new,
                        (None, new) => fields.push(change.key, change.key_span, new),
                    }
                }
            }
            (Some(node), value) => *node = DocNode { value, span: entry.node.span },
        }
    }
}

/// Links that are parts of bodies, in the fields that name points. The parser allows 80 levels at most.
fn rename(node: &mut DocNode, names_a_point: bool, fields: &[&str], parts: &Parts) {
    match &mut node.value {
        Value::Text(text) if names_a_point => {
            if let Some((body, frame, _)) = parts.get(text.as_str()) {
                *text = format!("{body}.{frame}");
            }
        }
        Value::List(list) => list.iter_mut().for_each(|n| rename(n, names_a_point, fields, parts)),
        Value::Table(table) if names_a_point => {
            let Some(part) = table.get("body").and_then(DocNode::as_text).and_then(|b| parts.get(b)) else { return };
            let (body, frame, pose) = part.clone();
            let three = |n: &DocNode| match n.as_list()? {
                [x, y, z] => Some([number(x)?, number(y)?, number(z)?]),
                _ => None,
            };
            match table.get("at").map(|n| (three(n), n.span)) {
                Some((Some([x, y, z]), span)) => {
                    let p = pose.point(vec3(x, y, z));
                    set(table, "body", DocNode::new(span, body));
                    set(table, "at", numbers(span, &[p.x, p.y, p.z]));
                }
                // an expression: the frame cannot be taken into account here, the reader says that there is no such
                // body
                Some((None, _)) => {}
                None => node.value = Value::Text(format!("{body}.{frame}")),
            }
        }
        Value::Table(table) => {
            for entry in table.entries_mut() {
                rename(&mut entry.node, fields.contains(&entry.key.as_str()), fields, parts);
            }
        }
        _ => {}
    }
}

fn set(table: &mut DocTable, key: &str, node: DocNode) {
    if let Some(old) = table.get_mut(key) {
        *old = node;
    }
}

fn number(node: &DocNode) -> Option<f64> {
    match node.value {
        Value::Integer(i) => Some(i as f64),
        Value::Number(x) => Some(x),
        _ => None,
    }
}

/// Numbers of the `[start]` section, by joint.
pub fn starts(
    entries: &[DocEntry],
    index: &HashMap<&str, usize>,
    order: &[&str],
    report: &mut crate::Report,
) -> Vec<Option<(f64, Span)>> {
    let mut out = vec![None; order.len()];
    for e in entries {
        let path = format!("start/{}", shown(&e.key));
        let Some(&k) = index.get(e.key.as_str()) else {
            let d = Diagnostic::unknown(codes::UNKNOWN_JOINT, "joint", &e.key, order.iter().copied());
            report.push(d.at(e.key_span).path(path));
            continue;
        };
        match number(&e.node).filter(|x| x.is_finite()) {
            Some(x) => out[k] = Some((x, e.node.span)),
            None => {
                let d = Diagnostic::error(codes::WRONG_TYPE, "the start of a joint must be a finite number");
                let label = format!("this is {}", e.node.describe());
                report.push(d.at(e.node.span).label(label).path(path));
            }
        }
    }
    out
}
