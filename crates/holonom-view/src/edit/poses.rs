//! The present poses as the ones that the scene starts from.
//!
//! A body that nothing holds on to is simply drawn elsewhere: its own fields change. Joints and forces hold on to
//! bodies as they are drawn, so any other body keeps its drawing, and `[start.BODY]` says where it starts.

use super::EditError;
use super::document::{NO_SPAN, put, take, take_thing, thing, thing_mut, triple};
use super::record::rotation;
use super::references::{NamedThing, needs};
use holonom::math::{Mat3, Quat, Vec3, quat_from_axes, vec3};
use holonom::{BodyId, Model, Simulation};
use holonom_scene::fields::{Record, Type, Val};
use holonom_scene::kinds::SHAPES;
use holonom_scene::node::{DocNode, DocTable, Value};
use holonom_scene::read::placement;
use holonom_scene::scene::{BodyRecord, Pose, Scene};
use std::collections::BTreeSet;

/// Nearer than this is the same place, m, and the same orientation.
const SAME: f64 = 1e-12;

/// A scene while it is changed.
pub struct SceneDraft<'a> {
    /// The document that is being changed.
    pub document: DocTable,
    /// The scene as it was read before the change.
    pub scene: &'a Scene,
    /// The mechanism as it is.
    pub now: &'a Simulation,
    /// What people should know.
    pub notes: Vec<String>,
    /// How the mechanism goes on.
    pub then: AfterEdit,
    /// Bodies that are drawn where they are now.
    redrawn: BTreeSet<String>,
    /// Has the mechanism left the start of its scene?
    moved: bool,
    /// Are the present poses in the document already?
    here: bool,
}

/// How a mechanism goes on after a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterEdit {
    /// From where it is.
    On,
    /// From the start of the new scene.
    Anew,
}

impl<'a> SceneDraft<'a> {
    /// A copy to work on.
    pub fn new(document: &DocTable, scene: &'a Scene, now: &'a Simulation, moved: bool) -> Self {
        let (document, notes) = (document.clone(), Vec::new());
        SceneDraft { document, scene, now, notes, then: AfterEdit::On, redrawn: BTreeSet::new(), moved, here: false }
    }

    /// A body by its name; the ground is none.
    pub fn body(&self, name: &str) -> Option<&'a BodyRecord> {
        self.scene.bodies.iter().find(|b| &*b.name == name)
    }

    /// Where a body is now.
    pub fn pose(&self, name: &str) -> Option<Pose> {
        if name == "ground" {
            return Some(Pose::IDENTITY);
        }
        let body = self.body(name)?;
        Some(pose_now(self.now, self.now.model().body(name)?, body))
    }

    /// Is a body drawn where it is now?
    pub fn drawn_here(&self, name: &str) -> bool {
        let drawn = |pose: Pose| self.body(name).is_some_and(|b| same(&b.pose, &pose));
        name == "ground" || self.redrawn.contains(name) || self.pose(name).is_some_and(drawn)
    }

    /// Let the scene start from the present poses, moving as now or at rest. Nothing is written where the mechanism has
    /// not moved.
    pub fn start_here(&mut self, moving: bool) -> Result<(), EditError> {
        self.then = AfterEdit::Anew;
        if std::mem::replace(&mut self.here, true) || !self.moved {
            return Ok(());
        }
        let mut soft = Vec::new();
        for body in &self.scene.bodies {
            let Some(id) = self.now.model().body(&body.name) else { continue };
            match body.record.kind.map_or("", |k| k.name) {
                "rotor" => continue,
                "scaled" | "affine" => soft.push(&*body.name),
                _ => {}
            }
            let pose = pose_now(self.now, id, body);
            let (velocity, spin) = match moving {
                true => (self.now.point(id.origin()).1, self.now.spin(id).unwrap_or_default()),
                false => (Vec3::ZERO, Vec3::ZERO),
            };
            let near = |a: Vec3, b: Vec3| (a - b).length() < SAME;
            let as_said = thing(&self.document, "start", &body.name).is_none()
                && !joints_start(self.scene)
                && (!moving || near(velocity, body.velocity) && near(spin, body.spin));
            if as_said && same(&body.pose, &pose) {
                continue;
            }
            self.place(body, &pose, Some((velocity, spin)))?;
        }
        if !soft.is_empty() {
            self.notes.push(format!("the deformation of {} is not kept: it starts as the scene says", soft.join(", ")));
        }
        Ok(())
    }

    /// Let a body start here; how it moves stays as it is where that is not said.
    pub fn place(&mut self, body: &BodyRecord, pose: &Pose, motion: Option<(Vec3, Vec3)>) -> Result<(), EditError> {
        let name = &*body.name;
        let particle = body.record.kind.is_some_and(|k| k.name == "particle");
        let held = links(self.scene).any(|l| needs(l, self.scene).contains(&(NamedThing::Body, name)));
        if !held && let Some(table) = thing_mut(&mut self.document, "body", name) {
            if !same(&body.pose, pose) {
                redraw(table, body, pose);
            }
            if let Some(motion) = motion {
                move_so(table, motion, particle);
            }
            take_thing(&mut self.document, "start", name);
            self.redrawn.insert(name.into());
            return Ok(());
        }
        let mut start = thing(&self.document, "start", name).cloned().unwrap_or_default();
        put(&mut start, "at", triple(pose.position).value);
        if !particle {
            put(&mut start, "rotation", rotation(pose.rotation).value);
        }
        if let Some(motion) = motion {
            move_so(&mut start, motion, particle);
            // what the body itself says would count otherwise
            for (field, v, said) in [("velocity", motion.0, body.velocity), ("spin", motion.1, body.spin)] {
                if v == Vec3::ZERO && (said != Vec3::ZERO || joints_start(self.scene)) && !(particle && field == "spin")
                {
                    put(&mut start, field, triple(v).value);
                }
            }
        }
        put(self.document.table_mut("start", NO_SPAN), name, start);
        Ok(())
    }
}

/// Does a joint say where it starts, or how fast?
fn joints_start(scene: &Scene) -> bool {
    scene.joints.iter().any(|j| j.record.has("start") || j.record.has("start_rate"))
}

fn move_so(table: &mut DocTable, (velocity, spin): (Vec3, Vec3), particle: bool) {
    for (field, v) in [("velocity", velocity), ("spin", spin)] {
        if v.length() > SAME && !(particle && field == "spin") {
            put(table, field, triple(v).value);
        } else {
            take(table, field);
        }
    }
}

/// Joints, drives and forces.
pub fn links(scene: &Scene) -> impl Iterator<Item = &holonom_scene::scene::InteractionRecord> {
    scene.joints.iter().chain(&scene.drives).chain(&scene.forces)
}

/// Has a mechanism left the start of its scene, of which `own` is the model? Hands make models of their own, which
/// start where they took hold.
pub fn has_moved(own: &Model, now: &Simulation) -> bool {
    let (start, at) = (own.initial_state(), now.state());
    let stands = |id: BodyId| {
        let there = now.model().body(own.body_name(id));
        there.is_some_and(|there| start.q[own.q_range(id)] == at.q[now.model().q_range(there)])
    };
    start.t != at.t || !own.bodies().all(stands)
}

/// Where a body is; bodies without axes, or with skew ones, are turned as they are drawn.
pub fn pose_now(now: &Simulation, id: BodyId, body: &BodyRecord) -> Pose {
    let axes = now.axes(id).filter(|a| (*a * a.transpose()).abs_diff_eq(Mat3::IDENTITY, 1e-9));
    let rotation = axes.map_or(body.pose.rotation, quat_from_axes);
    Pose { position: now.point(id.origin()).0, rotation }
}

/// The same pose?
pub fn same(a: &Pose, b: &Pose) -> bool {
    (a.position - b.position).length() < SAME * (1.0 + a.position.length())
        && a.rotation.dot(b.rotation).abs() > 1.0 - 1e-15
}

/// Draw a body elsewhere.
pub fn redraw(table: &mut DocTable, body: &BodyRecord, pose: &Pose) {
    if table.get("from").is_some() && table.get("to").is_some() {
        let end = body.point("to").map_or(Vec3::ZERO, |p| p.pose.position);
        let (from, to) = (pose.position, pose.point(end));
        if turned_by(body, from, to).is_some_and(|q| q.dot(pose.rotation).abs() > 1.0 - 1e-14) {
            put(table, "from", triple(from).value);
            put(table, "to", triple(to).value);
            return;
        }
        // two ends do not say how it is turned about its own axis
        take(table, "from");
        take(table, "to");
        own_ends(table, end);
    }
    take(table, "angle");
    put(table, "at", triple(pose.position).value);
    if pose.rotation.dot(Quat::IDENTITY).abs() > 1.0 - 1e-15 && table.get("rotation").is_none() {
        return;
    }
    put(table, "rotation", rotation(pose.rotation).value);
}

/// A body that had ends has points instead, and its shapes lie between those.
pub fn own_ends(table: &mut DocTable, end: Vec3) {
    let points = table.table_mut("points", NO_SPAN);
    put(points, "from", triple(Vec3::ZERO).value);
    put(points, "to", triple(end).value);
    let shapes = match table.get_mut("shapes").map(|n| &mut n.value) {
        Some(Value::List(list)) => list.iter_mut().collect(),
        _ => Vec::new(),
    };
    for shape in shapes {
        if let Value::Table(shape) = &mut shape.value {
            lay(shape, end);
        }
    }
    if let Some(Value::Table(shape)) = table.get_mut("shape").map(|n| &mut n.value) {
        lay(shape, end);
    }
}

/// A shape that lay between the ends of its body has ends of its own now.
fn lay(shape: &mut DocTable, end: Vec3) {
    let kind = shape.get("kind").and_then(DocNode::as_text).and_then(|k| SHAPES.find(k));
    if kind.is_some_and(|k| k.has("from") && k.has("to")) && shape.get("from").is_none() {
        put(shape, "from", triple(Vec3::ZERO).value);
        put(shape, "to", triple(end).value);
    }
}

/// How a body is turned that reaches from here to there.
fn turned_by(body: &BodyRecord, from: Vec3, to: Vec3) -> Option<Quat> {
    let mut said = Record::new(body.record.kind, NO_SPAN);
    said.set("from", Val::Vector(from), NO_SPAN);
    said.set("to", Val::Vector(to), NO_SPAN);
    if let Some(plane) = body.record.get("plane") {
        said.set("plane", plane.clone(), NO_SPAN);
    }
    placement(&said).ok().map(|p| p.0.rotation)
}

/// The pose that the table of a new body says.
pub fn pose_of(table: &DocTable) -> Option<(Pose, Option<f64>)> {
    let vector = |key: &str| -> Option<Vec3> {
        let list = table.get(key)?.as_list()?;
        let number = |n: &DocNode| match n.value {
            Value::Integer(i) => Some(i as f64),
            Value::Number(x) => Some(x),
            _ => None,
        };
        let x: Vec<f64> = list.iter().filter_map(number).collect();
        (x.len() == 3).then(|| vec3(x[0], x[1], x[2]))
    };
    let mut said = Record::new(None, NO_SPAN);
    for key in ["from", "to", "at"] {
        if let Some(v) = vector(key) {
            said.set(key, Val::Vector(v), NO_SPAN);
        }
    }
    let mut report = holonom_scene::Report::new();
    let mut reader = holonom_scene::reader::Reader::new(Default::default(), Default::default(), &mut report);
    if let Some(node) = table.get("rotation")
        && let Some(value) = reader.value(node, "rotation", &Type::Rotation)
    {
        said.set("rotation", value, NO_SPAN);
    }
    placement(&said).ok()
}
