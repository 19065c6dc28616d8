//! What is new: bodies, joints, drives, forces, points of the ground.

use super::document::{NO_SPAN, free_name, node, put, table, thing, thing_mut, triple};
use super::poses::{SceneDraft, links, pose_of};
use super::{AttachedJoint, BodyPoint, EditError};
use holonom::math::{Mat3, Vec3, perpendicular};
use holonom_scene::diagnostic::nearest;
use holonom_scene::fields::Family;
use holonom_scene::kinds::{DRIVES, FORCES, JOINTS};
use holonom_scene::node::{DocNode, DocTable};
use holonom_scene::scene::Pose;
use serde_json::{Map, Value as Json};

/// Nearer than this, as a part of the size of the scene, a point is the one that is there already.
const AT: f64 = 1e-6;

impl SceneDraft<'_> {
    /// A length that is neither small nor large here, m.
    pub fn size(&self) -> f64 {
        self.now.model().length_scale().max(1e-3)
    }

    /// The name that was asked for, or a free one.
    pub fn name(&self, section: &str, asked: Option<&str>, base: &str) -> Result<String, EditError> {
        let taken = |n: &str| match section {
            "body" => self.body(n).is_some() || thing(&self.document, "body", n).is_some(),
            "force" => self.scene.forces.iter().any(|l| &*l.name == n) || thing(&self.document, "force", n).is_some(),
            // joints and drives share their names
            _ => {
                self.scene.joints.iter().chain(&self.scene.drives).any(|l| &*l.name == n)
                    || ["joint", "drive"].iter().any(|s| thing(&self.document, s, n).is_some())
            }
        };
        match asked.map(str::trim).filter(|n| !n.is_empty()) {
            Some(name) if taken(name) => {
                Err(EditError::new(format!("there is a {section} `{name}` already; choose another name")))
            }
            Some(name) => Ok(name.into()),
            None => Ok(free_name(base, taken)),
        }
    }

    /// A body, and what it is joined to. Its name.
    pub fn add_body(
        &mut self,
        name: Option<&str>,
        body: &Map<String, Json>,
        ties: &[AttachedJoint],
    ) -> Result<String, EditError> {
        let mut made = table(body)?;
        let text = |t: Option<&DocTable>, key: &str| Some(t?.get(key)?.as_text()?.to_string());
        let shape = text(made.get("shape").and_then(DocNode::as_table), "kind");
        let base = text(Some(&made), "kind").filter(|k| k != "rigid").or(shape).unwrap_or_else(|| "body".into());
        let name = self.name("body", name, &base)?;
        if !ties.is_empty() {
            self.start_here(true)?;
        }
        // ends that are joined to something lie exactly there
        for tie in ties {
            let at = self.world(&tie.to)?;
            let Some((pose, length)) = pose_of(&made) else { continue };
            let near = |p: Vec3| (Vec3::from(tie.point) - p).length() < 1e-3 * length.unwrap_or(self.size());
            let field = match length {
                Some(l) if near(Vec3::X * l) => "to",
                Some(_) if near(Vec3::ZERO) => "from",
                None if near(Vec3::ZERO) => "at",
                _ => continue,
            };
            if (pose.point(Vec3::from(tie.point)) - at).length() < 0.05 * self.size() {
                put(&mut made, field, triple(at).value);
            }
        }
        self.document.table_mut("body", NO_SPAN).put(name.clone(), NO_SPAN, made.clone());
        for tie in ties {
            let (pose, length) = pose_of(&made).unwrap_or((Pose::IDENTITY, None));
            let point = Vec3::from(tie.point);
            let near = |p: Vec3| (point - p).length() < 1e-3 * length.unwrap_or(self.size());
            let b = match length {
                Some(_) if near(Vec3::ZERO) => DocNode::new(NO_SPAN, format!("{name}.from")),
                Some(l) if near(Vec3::X * l) => DocNode::new(NO_SPAN, format!("{name}.to")),
                _ => self.named_point(&name, point),
            };
            let axes =
                self.axes_for(&tie.joint, tie.axis.map(Vec3::from), (&tie.to.body, None), (&name, Some(pose)))?;
            self.put_joint(None, &tie.joint, Some(&tie.to), b, axes, &Map::new())?;
        }
        Ok(name)
    }

    /// A point of the ground. Its name.
    pub fn add_ground_point(&mut self, name: Option<&str>, at: Vec3) -> Result<String, EditError> {
        let points = self.document.table_mut("ground", NO_SPAN).table_mut("points", NO_SPAN);
        let name = match name.map(str::trim).filter(|n| !n.is_empty()) {
            Some(name) if points.get(name).is_some() => {
                return Err(EditError::new(format!("the ground has a point `{name}` already; choose another name")));
            }
            Some(name) => name.to_string(),
            None => free_name("g", |n| points.get(n).is_some()),
        };
        points.push(name.clone(), NO_SPAN, triple(at));
        Ok(name)
    }

    /// A joint between two points, in the present poses. Its name.
    pub fn add_joint(
        &mut self,
        name: Option<&str>,
        kind: &str,
        (a, b): (&BodyPoint, &BodyPoint),
        axis: Option<Vec3>,
        fields: &Map<String, Json>,
    ) -> Result<String, EditError> {
        let axes = self.axes_for(kind, axis, (&a.body, None), (&b.body, None))?;
        let to = self.reference(b)?;
        self.put_joint(name, kind, Some(a), to, axes, fields)
    }

    fn put_joint(
        &mut self,
        name: Option<&str>,
        kind: &str,
        a: Option<&BodyPoint>,
        b: DocNode,
        axes: Vec<(&'static str, Vec3)>,
        fields: &Map<String, Json>,
    ) -> Result<String, EditError> {
        let name = self.name("joint", name, kind)?;
        let mut joint = DocTable::new();
        joint.put("kind", NO_SPAN, kind);
        if let Some(a) = a {
            let from = self.reference(a)?;
            joint.push("a", NO_SPAN, from);
        }
        joint.push("b", NO_SPAN, b);
        axes.into_iter().for_each(|(field, v)| joint.push(field, NO_SPAN, triple(v)));
        for (key, value) in fields.iter().filter(|(_, v)| !v.is_null()) {
            put(&mut joint, key, node(value)?.value);
        }
        self.document.table_mut("joint", NO_SPAN).put(name.clone(), NO_SPAN, joint);
        Ok(name)
    }

    /// The axes of a joint in the fields that its kind has: in the world where both bodies are drawn as they are now,
    /// else on each of them.
    fn axes_for(
        &self,
        kind: &str,
        axis: Option<Vec3>,
        a: (&str, Option<Pose>),
        b: (&str, Option<Pose>),
    ) -> Result<Vec<(&'static str, Vec3)>, EditError> {
        let found = known("joint", &JOINTS, kind)?;
        if a.0 == b.0 {
            return Err(EditError::new(format!(
                "a joint cannot join `{}` to itself; choose a point of another body",
                a.0
            )));
        }
        let axis = match axis {
            Some(v) if !(v.length() > 1e-12 && v.is_finite()) => {
                return Err(EditError::new(format!(
                    "the axis [{}, {}, {}] of a joint has no direction",
                    v.x, v.y, v.z
                )));
            }
            Some(v) => Some(v.normalize()),
            None => None,
        };
        let here = |side: &(&str, Option<Pose>)| side.1.is_some() || self.drawn_here(side.0);
        let both = here(&a) && here(&b);
        let mut out = Vec::new();
        if found.has("axis") && both {
            out.extend(axis.map(|v| ("axis", v)));
        } else if found.has("axis_a") && found.has("axis_b") && (axis.is_some() || found.has("axis")) {
            let z = axis.unwrap_or(Vec3::Z);
            let x = if axis.is_some() { perpendicular(z).0 } else { Vec3::X };
            for (side, z_name, x_name) in [(a, "axis_a", "x_axis_a"), (b, "axis_b", "x_axis_b")] {
                let pose = side.1.or_else(|| self.pose(side.0)).ok_or_else(|| self.unknown_body(side.0))?;
                let back = Mat3::from_quat(pose.rotation).transpose();
                out.push((z_name, back * z));
                if found.has(x_name) {
                    out.push((x_name, back * x));
                }
            }
        }
        Ok(out)
    }

    /// A drive. Its name.
    pub fn add_drive(
        &mut self,
        name: Option<&str>,
        kind: &str,
        on: &str,
        fields: &Map<String, Json>,
    ) -> Result<String, EditError> {
        known("drive", &DRIVES, kind)?;
        let joint = on.split_once('.').map_or(on, |(j, _)| j);
        if !self.scene.joints.iter().any(|l| &*l.name == joint) {
            let near = nearest(joint, self.scene.joints.iter().map(|l| &*l.name));
            let near = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
            return Err(EditError::new(format!("there is no joint `{joint}` to drive{near}")));
        }
        let name = self.name("drive", name, "motor")?;
        let mut drive = DocTable::new();
        drive.put("kind", NO_SPAN, kind);
        drive.put("joint", NO_SPAN, on);
        for (key, value) in fields.iter().filter(|(_, v)| !v.is_null()) {
            put(&mut drive, key, node(value)?.value);
        }
        self.document.table_mut("drive", NO_SPAN).put(name.clone(), NO_SPAN, drive);
        Ok(name)
    }

    /// A force. Its name.
    pub fn add_force(
        &mut self,
        name: Option<&str>,
        kind: &str,
        sides: [Option<&BodyPoint>; 2],
        fields: &Map<String, Json>,
    ) -> Result<String, EditError> {
        known("force", &FORCES, kind)?;
        let name = self.name("force", name, kind)?;
        let mut force = DocTable::new();
        force.put("kind", NO_SPAN, kind);
        for (key, side) in ["a", "b"].into_iter().zip(sides) {
            if let Some(side) = side {
                let at = self.reference(side)?;
                force.push(key, NO_SPAN, at);
            }
        }
        for (key, value) in fields.iter().filter(|(_, v)| !v.is_null()) {
            put(&mut force, key, node(value)?.value);
        }
        self.document.table_mut("force", NO_SPAN).put(name.clone(), NO_SPAN, force);
        Ok(name)
    }

    /// Where a spot is in the world.
    pub fn world(&self, spot: &BodyPoint) -> Result<Vec3, EditError> {
        let p = Vec3::from(spot.point);
        if !p.is_finite() {
            return Err(EditError::new(format!(
                "the point [{}, {}, {}] of `{}` is not finite",
                p.x, p.y, p.z, spot.body
            )));
        }
        let pose = self.pose(&spot.body).ok_or_else(|| self.unknown_body(&spot.body))?;
        Ok(pose.point(p))
    }

    /// What a scene calls a spot: a point that is there, or a new one.
    fn reference(&mut self, spot: &BodyPoint) -> Result<DocNode, EditError> {
        let p = Vec3::from(spot.point);
        let near = AT * self.size();
        let named = |points: &[holonom_scene::scene::NamedPoint]| {
            points.iter().find(|n| (n.pose.position - p).length() < near && !n.has_axes).map(|n| n.name.to_string())
        };
        if spot.body == "ground" {
            let name = match named(&self.scene.ground_points) {
                Some(name) => name,
                None => self.add_ground_point(None, p)?,
            };
            return Ok(DocNode::new(NO_SPAN, format!("ground.{name}")));
        }
        let Some(body) = self.body(&spot.body) else { return Err(self.unknown_body(&spot.body)) };
        if body.record.kind.is_some_and(|k| k.name == "particle") {
            return Ok(inline(&spot.body, Vec3::ZERO));
        }
        Ok(match named(&body.points) {
            Some(name) => DocNode::new(NO_SPAN, format!("{}.{name}", spot.body)),
            None => self.named_point(&spot.body, p),
        })
    }

    /// A new point on a body that stands in the document; on a piece of a generator, its coordinates.
    fn named_point(&mut self, body: &str, p: Vec3) -> DocNode {
        let Some(table) = thing_mut(&mut self.document, "body", body) else { return inline(body, p) };
        let frames = table.get("frames").and_then(DocNode::as_table).cloned().unwrap_or_default();
        let points = table.table_mut("points", NO_SPAN);
        let name = free_name("p", |n| points.get(n).is_some() || frames.get(n).is_some());
        points.push(name.clone(), NO_SPAN, triple(p));
        DocNode::new(NO_SPAN, format!("{body}.{name}"))
    }

    /// That there is no such body.
    pub fn unknown_body(&self, name: &str) -> EditError {
        let near = nearest(name, self.scene.bodies.iter().map(|b| &*b.name));
        let near = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
        EditError::new(format!("there is no body `{name}`{near}"))
    }

    /// That there is no such joint.
    pub fn unknown_link(&self, what: &str, name: &str) -> EditError {
        let near = nearest(name, links(self.scene).map(|l| &*l.name));
        let near = near.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
        EditError::new(format!("there is no {what} `{name}`{near}"))
    }
}

fn inline(body: &str, p: Vec3) -> DocNode {
    let mut t = DocTable::new();
    t.put("body", NO_SPAN, body);
    t.push("at", NO_SPAN, triple(p));
    DocNode::new(NO_SPAN, t)
}

/// A kind of a family, or what is wrong with its name.
pub fn known(
    what: &str,
    family: &'static Family,
    kind: &str,
) -> Result<&'static holonom_scene::fields::Kind, EditError> {
    family.find(kind).ok_or_else(|| {
        let near =
            nearest(kind, family.kinds().map(|k| k.name)).map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
        EditError::new(format!("there is no {what} of kind `{kind}`{near}"))
    })
}
