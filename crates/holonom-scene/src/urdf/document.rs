//! From a robot to the document that a scene file would be.

use super::robot::{Mimic, Robot, UrdfJoint, UrdfJointType};
use super::side::{self, Hold, Parts, SideFile};
use super::tree::RobotTree;
use super::values::Values;
use crate::codes;
use crate::confine::shown;
use crate::import::{scene_name, write_mass, write_pose, write_terms};
use crate::node::{DocNode, DocTable, TableAt, numbers};
use crate::source::Span;
use holonom::math::Mat3;
use std::collections::{HashMap, HashSet};

/// Group of the shapes of a robot whose links pass through each other; other things are in group 1.
const OWN_GROUP: f64 = 2.0;

/// Names of one section of a scene.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// Of names that were wanted again: the number that was last put behind them.
    again: HashMap<String, usize>,
}

impl Names {
    /// A name like the one written that is allowed and free; changes are reported.
    fn give(&mut self, what: &str, written: &str, span: Span, values: &mut Values) -> String {
        let name = scene_name(written);
        let mut free = name.clone();
        while self.taken.contains(&free) {
            let n = self.again.entry(name.clone()).or_insert(1);
            *n += 1;
            free = format!("{name}_{n}");
        }
        if free != written {
            let message = format!("the {what} `{}` is called `{free}` here", shown(written));
            values.ignored(span, message, "names must be free, without . , * \" \\ and not `ground`");
        }
        self.taken.insert(free.clone());
        free
    }
}

/// A robot on its way to a document: its links and joints with their names in the scene.
struct Writer<'a> {
    robot: &'a Robot,
    tree: &'a RobotTree,
    self_collision: bool,
    links: Vec<String>,
    joints: Vec<String>,
}

/// Make the document.
pub fn write(robot: &Robot, tree: &RobotTree, side: SideFile, root: Span, values: &mut Values) -> Option<DocTable> {
    let mut document = DocTable::new();
    if let Some((name, span)) = &robot.name {
        document.put("title", *span, name.replace("${", "_{"));
    }
    // bodies and frames share their names, so that a link is meant by its name alone
    let mut names = Names::default();
    let links = robot.links.iter().map(|l| names.give("link", &l.name, l.span, values)).collect();
    let mut names = Names::default();
    let joints = robot.joints.iter().map(|j| names.give("joint", &j.name, j.span, values)).collect();
    let self_collision = side.base.self_collision;
    let writer = Writer { robot, tree, self_collision, links, joints };
    let mut parts = Parts::new();
    let mut bodies = DocTable::new();
    for (g, group) in tree.groups.iter().enumerate() {
        let link = &robot.links[group.first];
        let body = writer.body(g, &mut parts);
        match g == 0 && tree.grounded {
            true => document.put("ground", link.span, body),
            false => bodies.put(writer.links[group.first].as_str(), link.span, body),
        }
    }
    document.put("body", root, bodies);
    let index: HashMap<&str, usize> = robot.joints.iter().enumerate().map(|(k, j)| (j.name.as_str(), k)).collect();
    let order: Vec<&str> = robot.joints.iter().map(|j| j.name.as_str()).collect();
    let mut starts = side::starts(&side.start, &index, &order, values.report());
    let leads = leads(robot, &index, values)?;
    start_within_limits(robot, &leads, &mut starts, values);
    start_mimics(robot, &leads, &mut starts);
    let (mut table, mut couplers, mut dampers) = (DocTable::new(), DocTable::new(), DocTable::new());
    let mut forces = Names::default();
    for (k, joint) in robot.joints.iter().enumerate() {
        let Some(fields) = writer.joint(joint, starts[k], values) else { continue };
        let own = &writer.joints[k];
        table.put(own.as_str(), joint.span, fields);
        if let (Some(m), Some(lead)) = (&joint.mimic, leads[k]) {
            let name = names.give("relation", &format!("{own}-mimic"), m.span, values);
            couplers.put(name, m.span, mimic(m, own, &writer.joints[lead]));
        }
        if let Some((damping, span)) = joint.damping {
            let name = forces.give("damper", &format!("{own}-damping"), span, values);
            let damper = DocTable::at(span).with("kind", "coordinate-spring").with("joint", own.as_str());
            dampers.put(name, span, damper.with("damping", damping));
        }
    }
    if let Some(hold) = side.hold {
        let drives = writer.held(&hold, &leads, &starts, &side.rest);
        document.put("drive", root, drives);
    }
    table.entries_mut().append(couplers.entries_mut());
    document.put("joint", root, table);
    if !dampers.is_empty() {
        document.put("force", root, dampers);
    }
    side::merge(&mut document, side.rest, &parts);
    Some(document)
}

impl Writer<'_> {
    /// The table of a body, or of the ground: its place, mass, shapes, and the links fixed to it as frames, which are
    /// added to `parts`.
    fn body(&self, g: usize, parts: &mut Parts) -> DocTable {
        let (robot, tree, group) = (self.robot, self.tree, &self.tree.groups[g]);
        let link = &robot.links[group.first];
        let grounded = g == 0 && tree.grounded;
        let owner = if grounded { "ground" } else { &self.links[group.first] };
        let mut body = DocTable::new();
        if !grounded {
            write_pose(&mut body, &group.pose, group.joint.map_or(link.span, |k| robot.joints[k].pose_span));
            if let Some(mass) = &group.mass {
                write_mass(&mut body, mass, link.mass_span, link.inertia_span);
            }
        }
        let mut shapes = Vec::new();
        let mut frames = DocTable::new();
        for &l in &group.links {
            let (_, pose) = tree.on[l];
            let part = &robot.links[l];
            if l != group.first || grounded {
                let mut frame = DocTable::new();
                write_pose(&mut frame, &pose, part.span);
                let place = (owner.to_string(), self.links[l].clone(), pose);
                parts.insert(part.name.clone(), place.clone());
                parts.insert(self.links[l].clone(), place);
                frames.put(self.links[l].as_str(), part.span, frame);
            }
            for shape in &part.shapes {
                let mut fields = shape.fields.clone();
                let pose = if l == group.first { shape.pose } else { pose.then(&shape.pose) };
                write_pose(&mut fields, &pose, shape.pose_span);
                if !self.self_collision && fields.get("collides").is_none() {
                    // in a group of their own that does not meet itself
                    fields.push("groups", shape.span, numbers(shape.span, &[OWN_GROUP]));
                    let others: Vec<f64> = (1..=32).map(f64::from).filter(|g| *g != OWN_GROUP).collect();
                    fields.push("meets", shape.span, numbers(shape.span, &others));
                }
                shapes.push(DocNode::new(shape.span, fields));
            }
        }
        if !shapes.is_empty() {
            body.put("shapes", link.span, shapes);
        }
        if !frames.is_empty() {
            body.put("frames", link.span, frames);
        }
        body
    }

    /// Controllers that hold every joint at its start, but those that follow others or that the side file drives.
    fn held(&self, hold: &Hold, leads: &[Option<usize>], starts: &[Option<(f64, Span)>], rest: &DocTable) -> DocTable {
        let driven = rest.get("drive").and_then(DocNode::as_table).map_or(&[][..], DocTable::entries);
        let driven: HashSet<&str> = driven.iter().filter_map(|e| e.node.as_table()?.get("joint")?.as_text()).collect();
        let mut drives = DocTable::new();
        for (k, joint) in self.robot.joints.iter().enumerate() {
            let own = self.joints[k].as_str();
            if !joint.ty.has_single_coordinate() || leads[k].is_some() || driven.contains(own) {
                continue;
            }
            let start = starts[k].map_or(0.0, |s| s.0);
            let controller = DocTable::at(hold.span).with("kind", "controller").with("joint", own);
            let controller = controller.with("value", start).with("kp", hold.kp).with("kd", hold.kd);
            drives.put(format!("{own}-hold"), hold.span, controller);
        }
        drives
    }

    /// The table of a joint; none for one that is no joint of a scene, which cannot have a start either.
    fn joint(&self, joint: &UrdfJoint, start: Option<(f64, Span)>, values: &mut Values) -> Option<DocTable> {
        let tree = self.tree;
        let kind = match joint.ty {
            UrdfJointType::Revolute | UrdfJointType::Continuous => Some("revolute"),
            UrdfJointType::Prismatic => Some("prismatic"),
            UrdfJointType::Planar => Some("planar"),
            UrdfJointType::Spherical => Some("spherical"),
            UrdfJointType::Fixed | UrdfJointType::Floating => None,
        };
        let (single, name) = (joint.ty.has_single_coordinate(), shown(&joint.name));
        if let Some((_, span)) = start.filter(|_| !single) {
            let (message, label) = match kind {
                Some(_) => (format!("the joint `{name}` has more than one coordinate"), "a planar or spherical joint"),
                None => (format!("the joint `{name}` has no coordinate to start from"), "a fixed or floating joint"),
            };
            values.error(codes::UNKNOWN_COORDINATE, span, message, label);
        }
        let child = &tree.groups[tree.on[joint.child].0];
        let (parent, _) = tree.on[joint.parent];
        // a frame of the ground and the ground itself are one; so are a part and its body
        let a = if parent == 0 && tree.grounded { "ground" } else { &self.links[tree.groups[parent].first] };
        let b = self.links[joint.child].as_str();
        let mut fields: DocTable = DocTable::at(joint.span).with("kind", kind?).with("a", a).with("b", b).into();
        fields.push("at", joint.pose_span, numbers(joint.pose_span, &child.pose.position.to_array()));
        if joint.ty != UrdfJointType::Spherical {
            let axis = Mat3::from_quat(child.pose.rotation) * joint.axis;
            fields.push("axis", joint.axis_span, numbers(joint.axis_span, &axis.to_array()));
        }
        if let Some((start, span)) = start.filter(|_| single) {
            fields.push("start", span, numbers(span, &[start]));
        }
        if let Some((bounds, span)) = joint.limits {
            fields.push("limits", span, numbers(span, &bounds));
        }
        for (key, given) in [("effort", joint.effort), ("friction", joint.friction)] {
            if let Some((x, span)) = given {
                fields.put(key, span, x);
            }
        }
        Some(fields)
    }
}

/// Of every joint that mimics another: which. None, with errors in the report, if something is wrong with them.
fn leads(robot: &Robot, index: &HashMap<&str, usize>, values: &mut Values) -> Option<Vec<Option<usize>>> {
    let mut leads = vec![None; robot.joints.len()];
    let mut good = true;
    for (k, joint) in robot.joints.iter().enumerate() {
        let Some(m) = &joint.mimic else { continue };
        let before = values.enter(format!("joint/{}", shown(&joint.name)));
        match index.get(m.joint.as_str()) {
            Some(&other) if robot.joints[other].ty.has_single_coordinate() => leads[k] = Some(other),
            Some(_) => {
                good = false;
                let message = format!("the joint `{}` has no single coordinate to mimic", shown(&m.joint));
                values.error(codes::UNKNOWN_COORDINATE, m.span, message, "fixed, planar or floating");
            }
            None => {
                good = false;
                values.unknown("joint", &m.joint, m.span, || robot.joints.iter().map(|j| j.name.as_str()));
            }
        }
        values.leave(before);
    }
    // following the leads from any joint must end within as many steps as there are joints; what was seen to end needs
    // no second look
    let mut ends = vec![false; leads.len()];
    for k in 0..leads.len() {
        let (mut at, mut path) = (k, Vec::new());
        while let (false, Some(next)) = (ends[at], leads[at]) {
            path.push(at);
            if path.len() > leads.len() || next == k {
                let m = robot.joints[k].mimic.as_ref().map_or(robot.joints[k].span, |m| m.span);
                let before = values.enter(format!("joint/{}", shown(&robot.joints[k].name)));
                values.error(codes::UNKNOWN_REFERENCE, m, "joints mimic each other in a circle", "this is one of them");
                values.leave(before);
                return None;
            }
            at = next;
        }
        path.into_iter().for_each(|j| ends[j] = true);
    }
    good.then_some(leads)
}

/// A joint that may not be at zero starts at its nearest limit, unless its start is given or it mimics another.
fn start_within_limits(
    robot: &Robot,
    leads: &[Option<usize>],
    starts: &mut [Option<(f64, Span)>],
    values: &mut Values,
) {
    for (k, joint) in robot.joints.iter().enumerate() {
        let Some(([lower, upper], span)) = joint.limits else { continue };
        if starts[k].is_some() || leads[k].is_some() || (lower <= 0.0 && upper >= 0.0) {
            continue;
        }
        let nearest = if lower > 0.0 { lower } else { upper };
        let message = format!("the joint `{}` starts at its limit", shown(&joint.name));
        values.ignored(span, message, format!("{nearest}: it may not be at zero"));
        starts[k] = Some((nearest, span));
    }
}

/// Starts of joints that mimic others, from those of the others. A start of their own counts, and is closed by the
/// assembly if it does not fit.
fn start_mimics(robot: &Robot, leads: &[Option<usize>], starts: &mut [Option<(f64, Span)>]) {
    let mut done: Vec<bool> = (0..leads.len()).map(|k| leads[k].is_none() || starts[k].is_some()).collect();
    for k in 0..leads.len() {
        let (mut at, mut path) = (k, Vec::new());
        while let (false, Some(next)) = (done[at], leads[at]) {
            path.push(at);
            at = next;
        }
        for j in path.into_iter().rev() {
            done[j] = true;
            let (Some(m), Some(lead)) = (&robot.joints[j].mimic, leads[j]) else { continue };
            let value = m.multiplier * starts[lead].map_or(0.0, |s| s.0) + m.offset;
            starts[j] = (value != 0.0).then_some((value, m.span));
        }
    }
}

/// q - multiplier q_lead = offset.
fn mimic(m: &Mimic, name: &str, lead: &str) -> TableAt {
    let mut terms = vec![(name.to_string(), 1.0)];
    if m.multiplier != 0.0 {
        terms.push((lead.to_string(), -m.multiplier));
    }
    DocTable::at(m.span).with("kind", "coupler").with("terms", write_terms(&terms, m.span)).with("offset", m.offset)
}
