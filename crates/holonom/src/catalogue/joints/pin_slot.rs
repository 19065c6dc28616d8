//! Pin in a slot: the pin of b, along its z axis, slides along the x axis of a and turns about the z axis.
//!
//! ```text
//! translation rows  C = (y_a . d,  z_a . d),   d = p_b - p_a
//! rotation rows     C = (- y_a . z_b,  x_a . z_b)        as in the revolute joint
//! ```
//!
//! Lock rows, see [`super::lock`]. The slot has no ends. Coordinates: the offset x_a . d and the angle from x_a to x_b
//! about z.

use super::lock::{LockJoint, shaft_axes};
use super::{CoordinateKind, Glyph, JointDeclaration, JointRole, Mask, PAIR, STARTS};
use crate::catalogue::attach::{Attachment, Marker};
use crate::catalogue::declaration::{Kind, Make};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "pin-slot",
        summary: "slides along x of a and turns about the common z axis. Coordinates: the way, the angle",
        fields: &[PAIR, STARTS],
        make: Make::Joint(|p| Ok(Box::new(PinSlot::new(p.a(), p.b())))),
    },
    label: "Pin in slot",
    role: JointRole::Pair,
    rows: 4,
    coordinates: &[("offset", CoordinateKind::Length), ("angle", CoordinateKind::Angle)],
    glyph: Glyph::Slot,
    axis_in_plane: true,
    sample: Some(|a, b, _| Box::new(PinSlot::new(a, b))),
    ..JointDeclaration::PLAIN
};

/// A pin along the z axis of marker b in a slot along the x axis of marker a.
#[derive(Clone, Debug)]
pub struct PinSlot {
    parts: [Attachment; 7],
}

impl PinSlot {
    /// The slot runs along x of `a` and is open along its z; the pin points along z of `b`.
    pub fn new(a: Marker, b: Marker) -> Self {
        PinSlot { parts: shaft_axes(a, b) }
    }
}

impl LockJoint for PinSlot {
    const DECLARATION: &'static JointDeclaration = &DECLARATION;
    const MASK: Mask = Mask(0b011_110);
    fn parts(&self) -> &[Attachment] {
        &self.parts
    }
}
