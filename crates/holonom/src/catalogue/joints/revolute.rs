//! Revolute joint (hinge, pin): b turns about the z axis of a.
//!
//! ```text
//! translation rows  C_i = e_i . (p_b - p_a),   e = axes (x, y, z) of a
//! rotation rows     C = (- y_a . z_b,  x_a . z_b)
//! ```
//!
//! Lock rows, see [`super::lock`]. Coordinate: the angle from x_a to x_b about z; rate w_b - w_a along z.

use super::lock::{LockJoint, shaft_axes};
use super::{Closes, CoordinateKind, Glyph, JointDeclaration, JointRole, Mask, PAIR, STARTS};
use crate::catalogue::attach::{Attachment, Marker};
use crate::catalogue::declaration::{Kind, Make};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "revolute",
        summary: "turns about the common z axis. Coordinate: the angle",
        fields: &[PAIR, STARTS],
        make: Make::Joint(|p| Ok(Box::new(Revolute::new(p.a(), p.b())))),
    },
    label: "Hinge",
    also: &["hinge", "pin", "pivot", "rotational", "rotary", "continuous", "bearing"],
    role: JointRole::Pair,
    rows: 5,
    coordinates: &[("angle", CoordinateKind::Angle)],
    glyph: Glyph::Hinge,
    closes: Closes::Point,
    button: Some(0),
    rod_end: true,
    sample: Some(|a, b, _| Box::new(Revolute::new(a, b))),
    ..JointDeclaration::PLAIN
};

/// A hinge about the common z axis of two markers.
#[derive(Clone, Debug)]
pub struct Revolute {
    parts: [Attachment; 7],
}

impl Revolute {
    /// Joins two markers; their z axes become the axis of the hinge.
    pub fn new(a: Marker, b: Marker) -> Self {
        Revolute { parts: shaft_axes(a, b) }
    }
}

impl LockJoint for Revolute {
    const DECLARATION: &'static JointDeclaration = &DECLARATION;
    const MASK: Mask = Mask(0b011_111);
    fn parts(&self) -> &[Attachment] {
        &self.parts
    }
}
