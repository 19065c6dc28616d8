//! What was read, as the document of a scene.

use super::bodies::BodyIndex;
use super::joints::{ComposedJoint, MjcfJoint, MjcfJointKind, compose};
use super::{Context, Coordinate};
use crate::codes;
use crate::confine::shown;
use crate::diagnostic::Diagnostic;
use crate::import::{write_mass, write_pose};
use crate::node::{DocNode, DocTable, TableAt, numbers};
use crate::scene::{Mass, Pose};
use crate::source::Span;
use holonom::math::{Mat3, Vec3};
use std::collections::HashSet;

/// Mass of the bodies put between joints that no single joint stands for, as a part of the mass that hangs on them.
const LIGHT: f64 = 1e-6;

/// Sections of the document, in the making.
#[derive(Default)]
pub struct DocumentSections {
    pub params: DocTable,
    pub body: DocTable,
    pub joint: DocTable,
    pub force: DocTable,
    pub camera: DocTable,
    pub ground_frames: DocTable,
    pub ground_shapes: Vec<DocNode>,
    /// Pairs of bodies that pass through each other.
    pub ignore: Vec<DocNode>,
    /// Pairs of geoms that are different.
    pub pairs: Vec<DocNode>,
}

impl Context<'_, '_> {
    /// The name of the scene's body that a body of the file is a part of.
    pub fn link_name(&self, body: BodyIndex) -> &str {
        let link = self.bodies[body].link;
        if link == 0 { "ground" } else { &self.bodies[link].name }
    }

    /// Bodies, joints, springs, dampers and rotors.
    pub fn write_bodies(&mut self) {
        let masses = self.links();
        let n = self.bodies.len();
        let mut shapes: Vec<Vec<DocNode>> = (0..n).map(|_| Vec::new()).collect();
        let mut frames: Vec<DocTable> = (0..n).map(|_| DocTable::new()).collect();
        for i in 0..n {
            let (link, on_link) = (self.bodies[i].link, self.bodies[i].on_link);
            for geom in std::mem::take(&mut self.bodies[i].geoms) {
                if let Some(mut shape) = geom.shape {
                    self.write_contact(&mut shape, &geom.contact, link == 0);
                    let span = shape.entries()[0].key_span;
                    write_pose(&mut shape, &on_link.then(&geom.pose), span);
                    shapes[link].push(DocNode::new(span, shape));
                }
            }
        }
        self.write_frames(&mut frames);
        let mut frames = frames.into_iter();
        let mut shapes = shapes.into_iter();
        self.out.ground_frames = frames.next().unwrap_or_default();
        self.out.ground_shapes = shapes.next().unwrap_or_default();
        for (i, (frames, shapes)) in (1..n).zip(frames.zip(shapes)) {
            if self.bodies[i].link != i {
                continue;
            }
            let (name, span, world) = (self.bodies[i].name.clone(), self.bodies[i].span, self.bodies[i].world);
            let Some(mass) = masses[i].filter(|m| m.mass > 0.0) else {
                let d = Diagnostic::error(codes::NO_MASS, format!("body `{name}` moves but has no mass")).at(span);
                self.report.push(d.label("no <inertial>, no geom with mass").help("give it an <inertial> or a geom"));
                continue;
            };
            let mut table = DocTable::new();
            write_pose(&mut table, &world, span);
            write_mass(&mut table, &mass, span, span);
            if !shapes.is_empty() {
                table.put("shapes", span, shapes);
            }
            if !frames.is_empty() {
                table.put("frames", span, frames);
            }
            self.out.body.put(name, span, table);
            self.write_joints(i, &mass);
        }
    }

    /// Sites, and bodies that do not move against another one, as frames of the bodies that carry them. Sites come
    /// first: they keep their names.
    fn write_frames(&mut self, frames: &mut [DocTable]) {
        let mut taken: HashSet<(BodyIndex, String)> = HashSet::new();
        for site in std::mem::take(&mut self.sites) {
            let body = &self.bodies[site.body];
            let (link, pose) = (body.link, body.on_link.then(&site.pose));
            if !taken.insert((link, site.name.clone())) {
                let message = format!("there are two sites `{}`", shown(&site.name));
                self.error(codes::DUPLICATE, site.span, message, "on one body");
                continue;
            }
            let mut frame = DocTable::new();
            write_pose(&mut frame, &pose, site.span);
            frames[link].put(site.name.as_str(), site.span, frame);
            self.site_places.insert(site.name, (link, pose));
        }
        for (_, body) in self.bodies.iter().enumerate().skip(1).filter(|(i, body)| body.link != *i) {
            let mut name = body.name.clone();
            while !taken.insert((body.link, name.clone())) {
                name.push('_');
            }
            let mut frame = DocTable::new();
            write_pose(&mut frame, &body.on_link, body.span);
            frames[body.link].put(name, body.span, frame);
        }
    }

    /// The joints of a moving body.
    fn write_joints(&mut self, body: BodyIndex, mass: &Mass) {
        let joints = std::mem::take(&mut self.bodies[body].joints);
        let parent = self.link_name(self.bodies[body].parent).to_string();
        let name = self.bodies[body].name.clone();
        let world = self.bodies[body].world;
        let (mut a, first) = (parent.clone(), parent);
        let mut rest = &joints[..];
        let mut number = 0;
        while !rest.is_empty() {
            // as many as one joint can stand for, mostly all
            let (n, composed) =
                (1..=rest.len()).rev().find_map(|n| Some((n, compose(&rest[..n])?))).expect("one joint is a joint");
            let (these, others) = rest.split_at(n);
            let b = if others.is_empty() {
                // the light bodies between them keep the joint from saying it
                if number > 0 && !self.meets(&first, &name) {
                    self.ignore(&first, &name, these[0].span);
                }
                name.clone()
            } else {
                number += 1;
                let between = super::free(&mut self.body_names, format!("{name} between {number}"));
                let span = others[0].span;
                let light = mass.mass * LIGHT;
                // heavy enough about its middle for any axis: as if spread over a metre
                let between_mass =
                    Mass { mass: light, centre: Vec3::ZERO, inertia: Mat3::from_diagonal(Vec3::splat(light)) };
                let mut table = DocTable::new();
                write_pose(&mut table, &world, span);
                write_mass(&mut table, &between_mass, span, span);
                self.out.body.put(between.as_str(), span, table);
                let message = format!("the joints of body `{name}` are split, with a light body between them");
                let label = format!("`{between}` has {light:.1e} kg: no single joint stands for all of them");
                self.note(span, message, label);
                between
            };
            self.write_joint(&a, &b, these, &composed, &world);
            a = b;
            rest = others;
        }
        self.bodies[body].joints = joints;
    }

    fn write_joint(&mut self, a: &str, b: &str, joints: &[MjcfJoint], composed: &ComposedJoint, world: &Pose) {
        let span = joints[0].span;
        if composed.kind == "free" {
            self.write_free(b, &joints[0]);
            return;
        }
        let names: Vec<&str> = joints.iter().map(|j| j.name.as_str()).collect();
        let name = names.join("+");
        let name = if name.len() > 200 { format!("{} and {} more", names[0], names.len() - 1) } else { name };
        let table = DocTable::at(span).with("kind", composed.kind).with("a", a).with("b", b);
        let mut table: DocTable = write_axes(table, joints, composed, world).into();
        let name = if joints.len() == 1 { name } else { super::free(&mut self.joint_names, name) };
        self.stops(&mut table, joints, composed, span);
        if self.meets(a, b) {
            table.put("collide", span, true);
        }
        self.out.joint.put(name.as_str(), span, table);
        for (j, coordinate) in joints.iter().zip(&composed.coordinates) {
            match coordinate {
                Some(i) => {
                    let coordinate = if *i == 0 { name.clone() } else { format!("{name}.{i}") };
                    self.write_coordinate(j, &coordinate);
                    let (reference, spring_reference) = (j.reference, j.spring_reference);
                    let coordinate = Coordinate { name: coordinate, reference, spring_reference };
                    self.coordinates.insert(j.name.clone(), coordinate);
                }
                None => self.write_ball(a, b, j),
            }
        }
    }

    /// Limits and dry friction, for each coordinate.
    fn stops(&mut self, table: &mut DocTable, joints: &[MjcfJoint], composed: &ComposedJoint, span: Span) {
        let n = composed.coordinates.iter().flatten().count();
        let mut limits = vec![DocNode::new(span, Vec::new()); n];
        let mut friction = vec![0.0; n];
        for (j, k) in joints.iter().zip(&composed.coordinates) {
            let Some(k) = *k else { continue };
            friction[k] = j.friction;
            let Some(bounds) = j.limits else { continue };
            limits[k] = numbers(j.span, &bounds);
            if !(bounds[0] <= 0.0 && bounds[1] >= 0.0) {
                let nearest = if bounds[0] > 0.0 { bounds[0] } else { bounds[1] };
                let message = format!("the joint `{}` starts at its limit", j.name);
                self.note(j.span, message, "the reference configuration lies outside of its range");
                if n == 1 {
                    table.push("start", j.span, numbers(j.span, &[nearest]));
                }
            }
        }
        match joints {
            _ if joints.iter().all(|j| j.limits.is_none()) => {}
            _ if n == 1 => table.push("limits", span, limits.swap_remove(0)),
            _ => table.put("limits", span, limits),
        }
        if friction.iter().any(|f| *f > 0.0) {
            table.push(
                "friction",
                span,
                if n == 1 { DocNode::new(span, friction[0]) } else { numbers(span, &friction) },
            );
        }
    }

    /// Do bodies that a joint holds together collide? Parent and child do not, unless the parent is the world.
    fn meets(&self, a: &str, b: &str) -> bool {
        self.settings.contacts && (a == "ground" || b == "ground" || !self.settings.filter_parent)
    }

    /// Spring, damper and rotor on a coordinate.
    fn write_coordinate(&mut self, j: &MjcfJoint, coordinate: &str) {
        let span = j.span;
        if j.stiffness > 0.0 || j.damping > 0.0 {
            let mut table = DocTable::at(span).with("kind", "coordinate-spring").with("joint", coordinate);
            if j.stiffness > 0.0 {
                table = table.with("stiffness", j.stiffness).with("rest", j.spring_reference - j.reference);
            }
            if j.damping > 0.0 {
                table = table.with("damping", j.damping);
            }
            self.force(format!("{} spring", j.name), span, table);
        }
        if j.armature > 0.0 {
            self.rotor(&j.name, j.armature, span, |gear| gear.with("joint", coordinate));
        }
    }

    fn rotor(&mut self, name: &str, inertia: f64, span: Span, gear: impl FnOnce(TableAt) -> TableAt) {
        let rotor = super::free(&mut self.body_names, format!("{name} rotor"));
        let body = DocTable::at(span).with("kind", "rotor").with("rotor_inertia", inertia);
        self.out.body.put(rotor.as_str(), span, body);
        let table = gear(DocTable::at(span).with("kind", "rotor-gear").with("b", rotor.as_str()));
        let name = super::free(&mut self.joint_names, format!("{name} armature"));
        self.out.joint.put(name, span, table);
    }

    fn write_ball(&mut self, a: &str, b: &str, j: &MjcfJoint) {
        let span = j.span;
        if j.stiffness > 0.0 {
            let table = DocTable::at(span).with("kind", "bushing").with("a", a).with("b", b).vector("at", j.at);
            self.force(format!("{} spring", j.name), span, table.with("torsional_stiffness", j.stiffness));
        }
        if j.damping > 0.0 {
            let table =
                DocTable::at(span).with("kind", "spin-damper").with("a", a).with("b", b).with("damping", j.damping);
            self.force(format!("{} damper", j.name), span, table);
        }
        if j.armature > 0.0 {
            for (k, e) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
                let name = format!("{} {}", j.name, ["x", "y", "z"][k]);
                let meets = self.meets(a, b);
                self.rotor(&name, j.armature, span, |gear| {
                    let gear = if meets { gear.with("collide", true) } else { gear };
                    gear.with("against", a).with("of", b).vector("axis_of", e)
                });
            }
        }
    }

    /// A free joint holds nothing; what it may do is resist.
    fn write_free(&mut self, body: &str, j: &MjcfJoint) {
        let span = j.span;
        if j.damping > 0.0 {
            for kind in ["drag", "angular-drag"] {
                let table = DocTable::at(span).with("kind", kind).with("on", body).with("linear", j.damping);
                self.force(format!("{} {kind}", j.name), span, table);
            }
        }
        if j.armature > 0.0 {
            let message = format!("the armature of the free joint `{}` is not used", j.name);
            self.note(span, message, "inertia without weight");
        }
        if j.stiffness > 0.0 {
            self.note(span, format!("the stiffness of the free joint `{}` is not used", j.name), "no spring is made");
        }
    }
}

/// Where the axes of a joint are: `at`, `axis`, `x_axis`, or the `freedoms` of a serial joint.
fn write_axes(table: TableAt, joints: &[MjcfJoint], composed: &ComposedJoint, world: &Pose) -> TableAt {
    let first = &joints[0];
    match composed.kind {
        "serial" => {
            let freedoms = joints.iter().map(|j| {
                let freedom = DocTable::at(j.span);
                let freedom = match j.kind {
                    MjcfJointKind::Slide => freedom.with("kind", "slide").vector("axis", j.axis),
                    MjcfJointKind::Ball => freedom.with("kind", "ball").vector("at", j.at),
                    _ => freedom.with("kind", "hinge").vector("axis", j.axis).vector("at", j.at),
                };
                DocNode::new(j.span, freedom)
            });
            table.with("freedoms", freedoms.collect::<Vec<_>>()).vector("at", world.position)
        }
        "universal" => {
            let axis = first.axis.cross(joints[1].axis);
            table.vector("at", first.at).vector("axis", axis).vector("x_axis", first.axis)
        }
        "planar" => {
            let x = joints[if composed.coordinates[0] == Some(0) { 0 } else { 1 }].axis;
            table.vector("at", joints[2].at).vector("axis", joints[2].axis).vector("x_axis", x)
        }
        kind => {
            let table = table.vector("at", joints.last().expect("one at least").at);
            if kind == "spherical" { table } else { table.vector("axis", first.axis) }
        }
    }
}
