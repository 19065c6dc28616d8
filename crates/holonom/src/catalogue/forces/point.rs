//! A constant force on a point, and a constant torque on a body, both in world axes.

use super::{Force, Push};
use crate::catalogue::attach::{Attachment, BodyId, Marker, View};
use crate::math::Vec3;

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

fn check(what: &str, v: Vec3) -> Result<(), String> {
    if v.is_finite() { Ok(()) } else { Err(format!("{what} is {v}, must be finite")) }
}

impl Force for PointForce {
    fn kind(&self) -> &'static str {
        "point force"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn validate(&self) -> Result<(), String> {
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
    fn validate(&self) -> Result<(), String> {
        check("torque", self.torque)
    }
    fn apply(&self, _: &View, _: f64, push: &mut Push) {
        push.on(0, self.torque);
    }
}
