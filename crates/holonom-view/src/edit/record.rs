//! What was read, written as tables again: the pieces of generators have no tables of their own. Expressions have
//! become numbers by then.

use super::EditError;
use super::document::{NO_SPAN, put, triple};
use super::poses::own_ends;
use holonom::math::{Quat, Vec3};
use holonom_scene::fields::{BodyRef, PointRef, Record, Val, Where};
use holonom_scene::node::{DocNode, DocTable, Value, numbers};
use holonom_scene::read::placement;
use holonom_scene::scene::{BodyRecord, InteractionRecord, Scene};

/// Fields that say where a body is.
pub const PLACING: [&str; 7] = ["at", "rotation", "from", "to", "angle", "velocity", "spin"];

/// A rotation as a scene writes it.
pub fn rotation(q: Quat) -> DocNode {
    // of the two signs that mean the same, one
    let q = if q.w < 0.0 { -q } else { q };
    numbers(NO_SPAN, &super::document::tidy([q.w, q.x, q.y, q.z]))
}

/// The table of a body, as it is drawn.
pub fn body(body: &BodyRecord) -> Result<DocTable, EditError> {
    let mut out = DocTable::new();
    if let Some(kind) = body.record.kind.filter(|k| k.name != "rigid") {
        out.put("kind", NO_SPAN, kind.name);
    }
    let placed = body.record.kind.is_none_or(|k| k.name != "rotor");
    let ends = ends(body);
    let spoken = ends.is_some();
    match ends {
        Some((from, to)) => {
            out.push("from", NO_SPAN, from);
            out.push("to", NO_SPAN, to);
        }
        None if placed => {
            out.push("at", NO_SPAN, triple(body.pose.position));
            if body.pose.rotation != Quat::IDENTITY {
                out.push("rotation", NO_SPAN, rotation(body.pose.rotation));
            }
        }
        None => {}
    }
    for (name, v) in [("velocity", body.velocity), ("spin", body.spin)] {
        if v.length() > 0.0 {
            out.push(name, NO_SPAN, triple(v));
        }
    }
    for (name, value, _) in body.record.values().iter().filter(|v| !PLACING.contains(&v.0)) {
        out.push(*name, NO_SPAN, node(value, name)?);
    }
    if let (false, Some(end)) = (spoken, generated_end(body)) {
        own_ends(&mut out, end);
    }
    Ok(out)
}

/// Where the second end of a body is that was drawn from one point to another.
fn generated_end(body: &BodyRecord) -> Option<Vec3> {
    let own = |n: &str| body.record.map("points").iter().any(|p| &*p.0 == n);
    let (_, to) = (body.point("from")?, body.point("to")?);
    (!own("from") && !own("to")).then_some(to.pose.position)
}

/// The ends of a body that has two, if they say all of its pose.
fn ends(body: &BodyRecord) -> Option<(DocNode, DocNode)> {
    let (from, to) = (triple(body.pose.position), triple(body.pose.point(generated_end(body)?)));
    let read = |n: &DocNode| {
        let x: Vec<f64> =
            n.as_list()?.iter().filter_map(|x| if let Value::Number(x) = x.value { Some(x) } else { None }).collect();
        Some(holonom::math::vec3(*x.first()?, *x.get(1)?, *x.get(2)?))
    };
    let mut said = Record::new(body.record.kind, NO_SPAN);
    said.set("from", Val::Vector(read(&from)?), NO_SPAN);
    said.set("to", Val::Vector(read(&to)?), NO_SPAN);
    if let Some(plane) = body.record.get("plane") {
        said.set("plane", plane.clone(), NO_SPAN);
    }
    let (pose, _) = placement(&said).ok()?;
    let same = pose.rotation.dot(body.pose.rotation).abs() > 1.0 - 1e-14;
    same.then_some((from, to))
}

/// The table of a joint, drive or force.
pub fn link(link: &InteractionRecord, scene: &Scene) -> Result<DocTable, EditError> {
    let mut out = DocTable::new();
    out.put("kind", NO_SPAN, link.kind().name);
    for (name, side) in [("a", &link.a), ("b", &link.b)] {
        if let Some(side) = side {
            out.push(name, NO_SPAN, point(side, scene));
        }
    }
    for (name, value, _) in link.record.values().iter().filter(|v| v.0 != "a" && v.0 != "b") {
        let value = match value {
            Val::Point(p) => point(p, scene),
            Val::Map(named) => {
                let mut t = DocTable::new();
                for (name, v, _) in named {
                    t.push(&**name, NO_SPAN, if let Val::Point(p) = v { point(p, scene) } else { node(v, name)? });
                }
                DocNode::new(NO_SPAN, t)
            }
            _ => node(value, name)?,
        };
        put(&mut out, name, value.value);
    }
    Ok(out)
}

/// A point on a body.
pub fn point(p: &PointRef, scene: &Scene) -> DocNode {
    let body = body_name(&p.body, scene);
    let value: Value = match &p.at {
        Where::Unsaid => body.into(),
        Where::Named(name) => format!("{body}.{name}").into(),
        Where::At(at) => {
            let mut t = DocTable::new();
            t.put("body", NO_SPAN, body);
            t.push("at", NO_SPAN, triple(*at));
            t.into()
        }
    };
    DocNode::new(NO_SPAN, value)
}

/// The name of a body.
pub fn body_name<'s>(body: &'s BodyRef, scene: &'s Scene) -> &'s str {
    match body {
        BodyRef::Ground => "ground",
        BodyRef::Named(name) => name,
        BodyRef::Index(i) => scene.bodies.get(*i as usize).map_or("", |b| &b.name),
    }
}

// records are as deep as the document they were read from: 80 levels at most
fn node(value: &Val, field: &str) -> Result<DocNode, EditError> {
    let list = |items: Vec<DocNode>| DocNode::new(NO_SPAN, items);
    Ok(match value {
        Val::Number(x) => DocNode::new(NO_SPAN, *x),
        Val::Integer(x) => DocNode::new(NO_SPAN, *x),
        Val::Flag(x) => DocNode::new(NO_SPAN, *x),
        Val::Text(x) | Val::Formula(_, x) => DocNode::new(NO_SPAN, &**x),
        Val::Vector(x) => numbers(NO_SPAN, &x.to_array()),
        Val::Rotation(q) => numbers(NO_SPAN, &[q.w, q.x, q.y, q.z]),
        Val::Numbers(x) => numbers(NO_SPAN, x),
        Val::Vectors(x) => list(x.iter().map(|v| numbers(NO_SPAN, &v.to_array())).collect()),
        Val::Coordinate(c) if c.index == 0 => DocNode::new(NO_SPAN, &*c.joint),
        Val::Coordinate(c) => DocNode::new(NO_SPAN, format!("{}.{}", c.joint, c.index)),
        Val::List(x) => list(x.iter().map(|(v, _)| node(v, field)).collect::<Result<_, _>>()?),
        Val::Map(x) => {
            let mut t = DocTable::new();
            for (name, v, _) in x {
                t.push(&**name, NO_SPAN, node(v, field)?);
            }
            DocNode::new(NO_SPAN, t)
        }
        Val::Record(r) => {
            let mut t = DocTable::new();
            if let Some(kind) = r.kind {
                t.put("kind", NO_SPAN, kind.name);
            }
            for (name, v, _) in r.values() {
                t.push(*name, NO_SPAN, node(v, name)?);
            }
            DocNode::new(NO_SPAN, t)
        }
        Val::Function(_) | Val::Point(_) => {
            return Err(EditError::new(format!("`{field}` of a piece of a generator cannot be written out")));
        }
    })
}
