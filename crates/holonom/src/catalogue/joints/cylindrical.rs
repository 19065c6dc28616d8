//! Cylindrical joint: b turns about and slides along the z axis of a.
//!
//! ```text
//! translation rows  C = (x_a . d,  y_a . d),   d = p_b - p_a
//! rotation rows     C = (- y_a . z_b,  x_a . z_b)        as in the revolute joint
//! ```
//!
//! Lock rows, see [`super::lock`]. Coordinates: the offset z_a . d and the angle from x_a to x_b about z.

use super::lock::{LockJoint, shaft_axes};
use super::{Closes, CoordinateKind, Glyph, JointDeclaration, JointRole, Mask, PAIR, STARTS};
use crate::catalogue::attach::{Attachment, Marker};
use crate::catalogue::declaration::{Kind, Make};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "cylindrical",
        summary: "turns about and slides along the common z axis. Coordinates: the way, the angle",
        fields: &[PAIR, STARTS],
        make: Make::Joint(|p| Ok(Box::new(Cylindrical::new(p.a(), p.b())))),
    },
    label: "Cylindrical",
    role: JointRole::Pair,
    rows: 4,
    coordinates: &[("offset", CoordinateKind::Length), ("angle", CoordinateKind::Angle)],
    glyph: Glyph::Sleeve,
    closes: Closes::AcrossAxis,
    axis_in_plane: true,
    sample: Some(|a, b, _| Box::new(Cylindrical::new(a, b))),
    ..JointDeclaration::PLAIN
};

/// Turns about and slides along the common z axis of two markers.
#[derive(Clone, Debug)]
pub struct Cylindrical {
    parts: [Attachment; 7],
}

impl Cylindrical {
    /// Joins two markers; their z axes become the axis.
    pub fn new(a: Marker, b: Marker) -> Self {
        Cylindrical { parts: shaft_axes(a, b) }
    }
}

impl LockJoint for Cylindrical {
    const DECLARATION: &'static JointDeclaration = &DECLARATION;
    const MASK: Mask = Mask(0b011_011);
    fn parts(&self) -> &[Attachment] {
        &self.parts
    }
}
