//! Planar joint: b slides in the x-y plane of a and turns about the plane's normal.
//!
//! ```text
//! translation row   C = z_a . (p_b - p_a)
//! rotation rows     C = (- y_a . z_b,  x_a . z_b)        as in the revolute joint
//! ```
//!
//! Lock rows, see [`super::lock`]. Coordinates: offsets along x_a and y_a, and the angle from x_a to x_b about z.

use super::lock::{LockJoint, shaft_axes};
use super::{Closes, CoordinateKind, Glyph, JointDeclaration, JointRole, Mask, PAIR, STARTS};
use crate::catalogue::attach::{Attachment, Marker};
use crate::catalogue::declaration::{Kind, Make};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "planar",
        summary: "slides in the x-y plane of a and turns about its normal. Coordinates: the ways along x and y, the angle",
        fields: &[PAIR, STARTS],
        make: Make::Joint(|p| Ok(Box::new(PlanarJoint::new(p.a(), p.b())))),
    },
    label: "Plane joint",
    role: JointRole::Pair,
    rows: 3,
    coordinates: &[
        ("x offset", CoordinateKind::Length),
        ("y offset", CoordinateKind::Length),
        ("angle", CoordinateKind::Angle),
    ],
    glyph: Glyph::Plate,
    closes: Closes::AlongAxis,
    sample: Some(|a, b, _| Box::new(PlanarJoint::new(a, b))),
    ..JointDeclaration::PLAIN
};

/// Slides in the x-y plane of marker a and turns about its normal.
#[derive(Clone, Debug)]
pub struct PlanarJoint {
    parts: [Attachment; 7],
}

impl PlanarJoint {
    /// Joins two markers; their z axes are the normal of the plane.
    pub fn new(a: Marker, b: Marker) -> Self {
        PlanarJoint { parts: shaft_axes(a, b) }
    }
}

impl LockJoint for PlanarJoint {
    const DECLARATION: &'static JointDeclaration = &DECLARATION;
    const MASK: Mask = Mask(0b011_100);
    fn parts(&self) -> &[Attachment] {
        &self.parts
    }
}
