//! A constant force on a point, and a constant torque on a body, both in world axes.

use super::{Force, ForceDeclaration, ForceGlyph, Push, UserForce};
use crate::catalogue::attach::{Attachment, BodyId, Marker, View};
use crate::catalogue::declaration::{Component, Field, FieldType, Invalid, Kind, Make, Parameters, optional, required};
use crate::catalogue::functions::Function;
use crate::error::refuse;
use crate::math::{Vec3, vec3};
use std::sync::Arc;

/// A constant force on a point of a body.
#[derive(Clone, Debug)]
pub struct PointForce {
    attachments: [Attachment; 1],
    force: Vec3,
}

impl PointForce {
    /// `force` in N, world axes.
    pub fn new(on: Marker, force: impl Into<Vec3>) -> Self {
        PointForce { attachments: [on.p()], force: force.into() }
    }
}

/// A constant torque on a body that can turn.
#[derive(Clone, Debug)]
pub struct Torque {
    attachments: [Attachment; 1],
    torque: Vec3,
}

impl Torque {
    /// `torque` in N m, world axes.
    pub fn new(on: BodyId, torque: impl Into<Vec3>) -> Self {
        Torque { attachments: [Attachment::spin(on)], torque: torque.into() }
    }
}

fn check(what: &str, v: Vec3) -> Result<(), Invalid> {
    if v.is_finite() { Ok(()) } else { refuse!(what.replace(' ', "_"), "{what} is {v}, must be finite") }
}

impl Force for PointForce {
    fn kind(&self) -> &'static str {
        "point force"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn validate(&self) -> Result<(), Invalid> {
        check("force", self.force)
    }
    fn apply(&self, _: &View, _: f64, push: &mut Push) {
        push.on(0, self.force);
    }
}

impl Force for Torque {
    fn kind(&self) -> &'static str {
        "torque"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn validate(&self) -> Result<(), Invalid> {
        check("torque", self.torque)
    }
    fn apply(&self, _: &View, _: f64, push: &mut Push) {
        push.on(0, self.torque);
    }
}

pub(super) static POINT_FORCE: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "point-force",
        summary: "a force on a point of a body, constant or a function of time",
        fields: &[&[
            required("on", FieldType::Point, "the body, or a point on it"),
            required(
                "force",
                FieldType::VectorFunction("t", "N"),
                "the force; each component a number or a function of t",
            ),
            FRAME_OF_LOAD,
        ]],
        make: Make::Force(|p| {
            let on = p.given_point("on")?;
            Ok(match steady(p, "force") {
                Some(force) if !in_body(p) => Box::new(PointForce::new(on, force)),
                _ => load(p, "force", on, on.p()),
            })
        }),
    },
    label: "Force",
    law: "point force",
    glyph: ForceGlyph::Dashes,
};

pub(super) static TORQUE: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "torque",
        summary: "a torque on a body, constant or a function of time",
        fields: &[&[
            required("on", FieldType::Point, "the body, or a frame on it"),
            required(
                "torque",
                FieldType::VectorFunction("t", "N m"),
                "the torque; each component a number or a function of t",
            ),
            FRAME_OF_LOAD,
        ]],
        make: Make::Force(|p| {
            let on = p.given_point("on")?;
            Ok(match steady(p, "torque") {
                Some(torque) if !in_body(p) => Box::new(Torque::new(on.body, torque)),
                _ => load(p, "torque", on, on.spin()),
            })
        }),
    },
    label: "Torque",
    law: "torque",
    glyph: ForceGlyph::Dashes,
};

const FRAME_OF_LOAD: Field = optional(
    "axes",
    FieldType::Choice(&["world", "body"]),
    "world",
    "whose axes: those of the world, or those of the body (of its frame, if `on` names one), which turn with it",
);

fn in_body(p: &dyn Parameters) -> bool {
    p.text("axes") == Some("body")
}

/// The vector, if all three are plain numbers.
fn steady(p: &dyn Parameters, field: &str) -> Option<Vec3> {
    match p.components(field) {
        [Component::Number(x), Component::Number(y), Component::Number(z)] => Some(vec3(x, y, z)),
        _ => None,
    }
}

/// A push by functions of time, in the axes of the world or of the marker.
fn load(p: &dyn Parameters, field: &str, on: Marker, pushed: Attachment) -> Box<dyn Force> {
    let parts = p.components(field).map(|part| match part {
        Component::Number(x) => Arc::new(x) as Arc<dyn Function>,
        Component::Function(f) => f,
    });
    let value = move |t: f64| vec3(parts[0].at(t)[0], parts[1].at(t)[0], parts[2].at(t)[0]);
    if in_body(p) {
        Box::new(UserForce::new([pushed, on.x(), on.y(), on.z()], move |a, t, push| {
            let f = value(t);
            push.on(0, a.at(1) * f.x + a.at(2) * f.y + a.at(3) * f.z);
        }))
    } else {
        Box::new(UserForce::new([pushed], move |_, t, push| push.on(0, value(t))))
    }
}
