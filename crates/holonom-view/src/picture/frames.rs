//! Where joints and forces sit on bodies.
//!
//! A joint of the scene has a marker on each of its bodies, with z along its axis. A drive, a limit or friction acts on
//! the coordinate of a joint, and is shown there. What is neither (ropes over pulleys, conditions in a formula) has
//! only the points it is attached to.

use super::local_centre;
use holonom::joints;
use holonom::math::Vec3;
use holonom::{Attachment, AttachmentKind, BodyId, Marker, Model};
use holonom_scene::Scene;
use holonom_scene::build::Frames;
use std::collections::HashMap;

/// The two sides of a joint.
#[derive(Clone, Copy, Debug)]
pub struct JointSides {
    /// On its first body.
    pub a: Marker,
    /// On its second body.
    pub b: Marker,
    /// What the scene calls it, where the scene has it.
    pub kind: Option<&'static str>,
    /// Does it move something by itself?
    pub drive: bool,
}

/// A coordinate of a coordinate of ... is looked up so many times at most.
const DEEPEST: usize = 8;

/// The sides of the first `joints` joints of a model of the scene.
pub fn of(scene: &Scene, model: &Model, joints: usize) -> Vec<JointSides> {
    let frames = Frames::new(scene);
    let links = scene.joints.iter().map(|l| (l, false)).chain(scene.drives.iter().map(|l| (l, true)));
    let links: HashMap<&str, _> = links.map(|(l, drive)| (&*l.name, (l, drive))).collect();
    let of_link = |name: &str| links.get(name).and_then(|(l, _)| frames.of(l));
    let all = model.joints().take(joints).map(|id| {
        let link = links.get(model.joint_name(id));
        let drive = link.is_some_and(|l| l.1) || joints::is_drive(model.constraint(id).kind());
        // whose coordinate does it use?
        let mut of = id;
        for _ in 0..DEEPEST {
            let named = of_link(model.joint_name(of)).is_some();
            match model.constraint(of).reads().first().and_then(|c| model.joint(c.joint_name())) {
                Some(read) if !named => of = read,
                _ => break,
            }
        }
        let constraint = model.constraint(of);
        let (a, b) = of_link(model.joint_name(of))
            .or_else(|| constraint.chart().map(|c| c.markers()))
            .unwrap_or_else(|| ends(constraint.attachments()));
        JointSides { a, b, kind: link.map(|l| l.0.kind().name), drive }
    });
    all.collect()
}

/// From the first point to the last one on another body; the origins of bodies where there are no points.
fn ends(attachments: &[Attachment]) -> (Marker, Marker) {
    let point = |a: &Attachment| match a.what {
        AttachmentKind::Point(p) => Some(a.body.at(p)),
        _ => None,
    };
    let otherwise = |a: Option<&Attachment>| a.map_or(BodyId::GROUND, |a| a.body).origin();
    let first = attachments.iter().find_map(point).unwrap_or_else(|| otherwise(attachments.first()));
    let last = attachments.iter().rev().find_map(point).unwrap_or_else(|| otherwise(attachments.last()));
    // a condition on one body alone holds it against the ground
    let alone = attachments.iter().all(|a| a.body == first.body);
    if alone && !first.body.is_ground() { (BodyId::GROUND.origin(), last) } else { (first, last) }
}

/// A place that a force acts on, and the attachments by which it does.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionPoint {
    /// The body.
    pub body: BodyId,
    /// Body frame, m.
    pub point: Vec3,
    /// Numbers of attachments.
    pub through: Vec<usize>,
}

/// The places a force acts on: every point it is attached to, and the centre of mass of bodies that it only turns.
/// Torques on a body that has points act at the first.
pub fn places(model: &Model, attachments: &[Attachment]) -> Vec<ActionPoint> {
    let mut all: Vec<ActionPoint> = Vec::new();
    for (k, a) in attachments.iter().enumerate() {
        if let AttachmentKind::Point(point) = a.what {
            match all.iter_mut().find(|p| p.body == a.body && p.point == point) {
                Some(same) => same.through.push(k),
                None => all.push(ActionPoint { body: a.body, point, through: vec![k] }),
            }
        }
    }
    for (k, a) in attachments.iter().enumerate().filter(|(_, a)| !matches!(a.what, AttachmentKind::Point(_))) {
        match all.iter_mut().find(|p| p.body == a.body) {
            Some(first) => first.through.push(k),
            None => {
                let point = local_centre(model, a.body).unwrap_or(Vec3::ZERO);
                all.push(ActionPoint { body: a.body, point, through: vec![k] });
            }
        }
    }
    all
}
