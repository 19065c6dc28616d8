//! From a robot to the document that a scene file would be.

use super::robot::{Freedom, Joint, Robot};
use super::side::{self, Parts, Side};
use super::tree::Tree;
use super::values::Values;
use crate::codes;
use crate::confine::shown;
use crate::diagnostic::{Diagnostic, nearest};
use crate::node::{Node, Table, numbers};
use crate::scene::{Mass, Pose};
use crate::source::Span;
use holonom::math::{Mat3, Quat, Vec3};
use std::collections::{HashMap, HashSet};

/// Names as a scene can have them.
#[derive(Default)]
struct Names {
    taken: HashSet<String>,
    /// Of names that were wanted again: the number that was last put behind them.
    again: HashMap<String, usize>,
}

impl Names {
    /// A name like the one written that is allowed and free; changes are said.
    fn give(&mut self, what: &str, written: &str, span: Span, values: &mut Values) -> String {
        let bad = |c: char| matches!(c, '.' | '"' | '\\' | ',' | '*') || c.is_control();
        let mut name: String = written.trim().chars().map(|c| if bad(c) { '_' } else { c }).collect();
        // expressions have no place in names
        name = name.replace("${", "_{");
        while name.len() > 180 {
            name.pop();
        }
        if name.is_empty() || name == "ground" {
            name.push('_');
        }
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

/// Make the document.
pub fn write(robot: &Robot, tree: &Tree, side: Side, root: Span, values: &mut Values) -> Option<Table> {
    let mut document = Table::new();
    if let Some((name, span)) = &robot.name {
        document.push("title", *span, Node::new(*span, name.replace("${", "_{")));
    }
    let mut names = Names::default();
    // bodies and frames share their names, so that a link is meant by its name alone
    let links: Vec<String> = robot.links.iter().map(|l| names.give("link", &l.name, l.span, values)).collect();
    let mut names = Names::default();
    let joints: Vec<String> = robot.joints.iter().map(|j| names.give("joint", &j.name, j.span, values)).collect();
    let mut parts = Parts::new();
    let mut bodies = Table::new();
    for (g, group) in tree.groups.iter().enumerate() {
        let link = &robot.links[group.first];
        let grounded = g == 0 && tree.grounded;
        let owner = if grounded { "ground" } else { &links[group.first] };
        let mut body = Table::new();
        if !grounded {
            place(&mut body, &group.pose, group.joint.map_or(link.span, |k| robot.joints[k].pose_span));
            if let Some(mass) = &group.mass {
                weigh(&mut body, mass, link.mass_span, link.inertia_span);
            }
        }
        let mut shapes = Vec::new();
        let mut frames = Table::new();
        for &l in &group.links {
            let (_, pose) = tree.on[l];
            if l != group.first || grounded {
                let mut frame = Table::new();
                place(&mut frame, &pose, robot.links[l].span);
                let part = (owner.to_string(), links[l].clone(), pose);
                parts.insert(robot.links[l].name.clone(), part.clone());
                parts.insert(links[l].clone(), part);
                frames.push(links[l].clone(), robot.links[l].span, Node::new(robot.links[l].span, frame));
            }
            for shape in &robot.links[l].shapes {
                let mut fields = shape.fields.clone();
                let pose = if l == group.first { shape.pose } else { pose.then(&shape.pose) };
                place(&mut fields, &pose, shape.pose_span);
                shapes.push(Node::new(shape.span, fields));
            }
        }
        if !shapes.is_empty() {
            body.push("shapes", link.span, Node::new(link.span, shapes));
        }
        if !frames.is_empty() {
            body.push("frames", link.span, Node::new(link.span, frames));
        }
        match grounded {
            true => document.push("ground", link.span, Node::new(link.span, body)),
            false => bodies.push(links[group.first].clone(), link.span, Node::new(link.span, body)),
        }
    }
    document.push("body", root, Node::new(root, bodies));
    let known: HashMap<String, usize> = robot.joints.iter().enumerate().map(|(k, j)| (j.name.clone(), k)).collect();
    let order: Vec<String> = robot.joints.iter().map(|j| j.name.clone()).collect();
    let mut starts = side::starts(&side.start, &known, &order, values.report());
    let leads = leads(robot, &known, values)?;
    within_limits(robot, &leads, &mut starts, values);
    follow(robot, &leads, &mut starts);
    let (mut table, mut couplers, mut dampers) = (Table::new(), Table::new(), Table::new());
    let mut forces = Names::default();
    for (k, joint) in robot.joints.iter().enumerate() {
        let Some(kind) = kind(joint.freedom) else {
            if let Some((_, span)) = starts[k] {
                let message = format!("the joint `{}` has no coordinate to start from", shown(&joint.name));
                values.error(codes::UNKNOWN_COORDINATE, span, message, "a fixed or floating joint");
            }
            continue;
        };
        let child = &tree.groups[tree.on[joint.child].0];
        let mut fields = Table::new();
        let text = |value: &str, span: Span| Node::new(span, value);
        fields.push("kind", joint.span, text(kind, joint.span));
        let (parent, _) = tree.on[joint.parent];
        // a frame of the ground and the ground itself are one; so are a part and its body
        let a = if parent == 0 && tree.grounded { "ground" } else { &links[tree.groups[parent].first] };
        fields.push("a", joint.span, text(a, joint.span));
        fields.push("b", joint.span, text(&links[joint.child], joint.span));
        fields.push("at", joint.pose_span, vector(joint.pose_span, child.pose.position));
        if joint.freedom != Freedom::Ball {
            let turn = Mat3::from_quat(child.pose.rotation);
            fields.push("axis", joint.axis_span, vector(joint.axis_span, turn * joint.axis));
        }
        match starts[k] {
            Some((start, span)) if matches!(joint.freedom, Freedom::Turn | Freedom::Slide) => {
                fields.push("start", span, numbers(span, &[start]));
            }
            Some((_, span)) => {
                let message = format!("the joint `{}` has more than one coordinate", shown(&joint.name));
                values.error(codes::UNKNOWN_COORDINATE, span, message, "a planar or spherical joint");
            }
            None => {}
        }
        if let Some((bounds, span)) = joint.limits {
            fields.push("limits", span, numbers(span, &bounds));
        }
        if let Some((effort, span)) = joint.effort {
            fields.push("effort", span, Node::new(span, effort));
        }
        if let Some((friction, span)) = joint.friction {
            fields.push("friction", span, Node::new(span, friction));
        }
        table.push(joints[k].clone(), joint.span, Node::new(joint.span, fields));
        if let (Some(m), Some(lead)) = (&joint.mimic, leads[k]) {
            let name = names.give("relation", &format!("{}-mimic", joints[k]), m.span, values);
            couplers.push(name, m.span, mimic(joint, &joints[k], &joints[lead], m.span));
        }
        if let Some((damping, span)) = joint.damping {
            let name = forces.give("damper", &format!("{}-damping", joints[k]), span, values);
            dampers.push(name, span, damper(&joints[k], damping, span));
        }
    }
    table.entries_mut().append(couplers.entries_mut());
    document.push("joint", root, Node::new(root, table));
    if !dampers.is_empty() {
        document.push("force", root, Node::new(root, dampers));
    }
    side::merge(&mut document, side.rest, &parts);
    Some(document)
}

fn kind(freedom: Freedom) -> Option<&'static str> {
    match freedom {
        Freedom::Turn => Some("revolute"),
        Freedom::Slide => Some("prismatic"),
        Freedom::Plane => Some("planar"),
        Freedom::Ball => Some("spherical"),
        Freedom::Fixed | Freedom::Free => None,
    }
}

fn vector(span: Span, v: Vec3) -> Node {
    numbers(span, &[v.x, v.y, v.z])
}

fn place(table: &mut Table, pose: &Pose, span: Span) {
    if pose.position != Vec3::ZERO {
        table.push("at", span, vector(span, pose.position));
    }
    let q = pose.rotation;
    if q != Quat::IDENTITY {
        table.push("rotation", span, numbers(span, &[q.w, q.x, q.y, q.z]));
    }
}

fn weigh(body: &mut Table, mass: &Mass, mass_span: Span, inertia_span: Span) {
    body.push("mass", mass_span, Node::new(mass_span, mass.mass));
    body.push("com", inertia_span, vector(inertia_span, mass.centre));
    let i = &mass.inertia;
    let all = [i.x_axis.x, i.y_axis.y, i.z_axis.z, i.x_axis.y, i.x_axis.z, i.y_axis.z];
    let diagonal = all[3..].iter().all(|x| *x == 0.0);
    body.push("inertia", inertia_span, numbers(inertia_span, if diagonal { &all[..3] } else { &all }));
}

/// Of every joint that mimics another: which. None, with complaints, if something is wrong with them.
fn leads(robot: &Robot, known: &HashMap<String, usize>, values: &mut Values) -> Option<Vec<Option<usize>>> {
    let mut leads = vec![None; robot.joints.len()];
    let mut good = true;
    for (k, joint) in robot.joints.iter().enumerate() {
        let Some(m) = &joint.mimic else { continue };
        let before = values.enter(format!("joint/{}", shown(&joint.name)));
        let name = shown(&m.joint);
        match known.get(&m.joint) {
            Some(&other) if matches!(robot.joints[other].freedom, Freedom::Turn | Freedom::Slide) => {
                leads[k] = Some(other);
            }
            Some(_) => {
                good = false;
                let message = format!("the joint `{name}` has no single coordinate to mimic");
                values.error(codes::UNKNOWN_COORDINATE, m.span, message, "fixed, planar or floating");
            }
            None => {
                good = false;
                let d = Diagnostic::error(codes::UNKNOWN_REFERENCE, format!("there is no joint `{name}`"));
                let names = robot.joints.iter().map(|j| j.name.as_str()).take(if values.hints() { 10_000 } else { 0 });
                values.complain(match nearest(&m.joint, names) {
                    Some(near) => d.at(m.span).label(format!("did you mean `{near}`?")),
                    None => d.at(m.span).label("not known"),
                });
            }
        }
        values.leave(before);
    }
    // following the leads from any joint must end within as many steps as there are joints; what was seen to end needs no second look
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

/// A joint that may not be at zero starts at its nearest limit, unless something else was said. One that mimics another starts where that puts it.
fn within_limits(robot: &Robot, leads: &[Option<usize>], starts: &mut [Option<(f64, Span)>], values: &mut Values) {
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

/// Starts of joints that mimic others, from those of the others. A start of their own counts, and is closed by the assembly if it does not fit.
fn follow(robot: &Robot, leads: &[Option<usize>], starts: &mut [Option<(f64, Span)>]) {
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
fn mimic(joint: &Joint, name: &str, lead: &str, span: Span) -> Node {
    let (multiplier, offset) = joint.mimic.as_ref().map_or((1.0, 0.0), |m| (m.multiplier, m.offset));
    let term = |joint: &str, factor: f64| {
        let mut t = Table::new();
        t.push("joint", span, Node::new(span, joint));
        t.push("factor", span, Node::new(span, factor));
        Node::new(span, t)
    };
    let mut terms = vec![term(name, 1.0)];
    if multiplier != 0.0 {
        terms.push(term(lead, -multiplier));
    }
    let mut fields = Table::new();
    fields.push("kind", span, Node::new(span, "coupler"));
    fields.push("terms", span, Node::new(span, terms));
    fields.push("offset", span, Node::new(span, offset));
    Node::new(span, fields)
}

/// Pushes against the rate of a coordinate.
fn damper(joint: &str, damping: f64, span: Span) -> Node {
    let mut fields = Table::new();
    fields.push("kind", span, Node::new(span, "coordinate-spring"));
    fields.push("joint", span, Node::new(span, joint));
    fields.push("damping", span, Node::new(span, damping));
    Node::new(span, fields)
}
