//! Dry friction in a joint: the coordinate q sticks as long as that takes no more than a limit, and slips against it
//! otherwise.
//!
//! ```text
//! row (velocity)   a = qdot = 0           |multiplier| <= constant + lever |F|,    F: force the joint transmits, N
//! ```
//!
//! The multiplier is the friction force (N) or torque (N m) along q. `constant` is what a seal or a preload makes (N,
//! or N m); `lever` is the friction coefficient of a slide (a pure number), or coefficient times pin radius of a hinge
//! (m). F is the actual reaction of the joint, solved for together with the friction it causes. A sticking joint does
//! not creep.

use super::{Constraint, Glyph, JointDeclaration, JointRole, Level, Revolute, RowLaw, Rows};
use crate::catalogue::attach::{Attachment, View};
use crate::catalogue::coordinate::{Coordinate, Readings};
use crate::catalogue::declaration::{Invalid, Kind, Make};
use crate::error::refuse;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "dry-friction",
        summary: "a joint coordinate sticks, or slips against a friction force",
        fields: &[],
        make: Make::Elsewhere,
    },
    label: "Dry friction",
    role: JointRole::Inequality,
    glyph: Glyph::Pads,
    sample: Some(|a, b, g| Box::new(DryFriction::constant(Coordinate::of(Revolute::new(a, b), 0), g.unit()))),
    ..JointDeclaration::PLAIN
};

/// Dry friction along a joint coordinate.
#[derive(Clone, Debug)]
pub struct DryFriction {
    readings: Readings,
    constant: f64,
    lever: f64,
}

impl DryFriction {
    /// A constant friction force (N) or torque (N m) along a coordinate.
    pub fn constant(coordinate: Coordinate, limit: f64) -> Self {
        DryFriction { readings: Readings::new([], [coordinate]), constant: limit, lever: 0.0 }
    }

    /// Friction in proportion to the force that the joint transmits: `lever` is the coefficient of a slide, or
    /// coefficient times pin radius (m) of a hinge.
    pub fn of_load(coordinate: Coordinate, lever: f64) -> Self {
        DryFriction { readings: Readings::new([], [coordinate]), constant: 0.0, lever }
    }

    /// Both together.
    pub fn with_constant(self, constant: f64) -> Self {
        DryFriction { constant, ..self }
    }
}

impl Constraint for DryFriction {
    fn kind(&self) -> &'static str {
        "dry-friction"
    }
    fn attachments(&self) -> &[Attachment] {
        self.readings.attachments()
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.readings.validate()?;
        for (what, x) in [("constant friction", self.constant), ("friction lever", self.lever)] {
            if !(x >= 0.0 && x.is_finite()) {
                return refuse!(what.replace(' ', "_"), "{what} is {x}, must be finite and at least 0");
            }
        }
        if self.lever > 0.0 && self.readings.coordinates()[0].name.is_empty() {
            return Err("friction that follows the load needs a joint of the model, whose load it can follow".into());
        }
        Ok(())
    }
    fn level(&self, _: usize) -> Level {
        Level::Velocity
    }
    fn law(&self) -> RowLaw {
        RowLaw::Dry { constant: self.constant, lever: self.lever }
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        self.readings.add(a, 0, 1.0, 0, out);
    }
    fn reference(&self) -> usize {
        self.readings.coordinates()[0].joint.reference()
    }
    fn reads(&self) -> &[Coordinate] {
        self.readings.coordinates()
    }
}
