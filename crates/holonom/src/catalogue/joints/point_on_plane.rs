//! Point on plane: a point of b stays in the x-y plane of a; b turns freely.
//!
//! ```text
//! C = z_a . d,   d = p_b - p_a          the translation row of the planar joint
//! ```
//!
//! A lock row, see [`super::lock`]. b needs to carry only a point, so a particle will do. Coordinates: x_a . d and y_a
//! . d.

use super::lock::{LockJoint, first_axes};
use super::{CoordinateKind, Glyph, JointDeclaration, JointRole, Mask, PARALLEL};
use crate::catalogue::attach::{Attachment, Marker};
use crate::catalogue::declaration::{Kind, Make};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "point-on-plane",
        summary: "keeps a point of b in the plane through a across z. Coordinates: the ways along x and y",
        fields: &[PARALLEL],
        make: Make::Joint(|p| Ok(Box::new(PointOnPlane::new(p.a(), p.b())))),
    },
    label: "Point on plane",
    role: JointRole::Pair,
    rows: 1,
    coordinates: &[("x offset", CoordinateKind::Length), ("y offset", CoordinateKind::Length)],
    glyph: Glyph::BallOnPlate,
    sample: Some(|a, b, _| Box::new(PointOnPlane::new(a, b))),
    ..JointDeclaration::PLAIN
};

/// Keeps a point of b in the x-y plane of marker a.
#[derive(Clone, Debug)]
pub struct PointOnPlane {
    parts: [Attachment; 5],
}

impl PointOnPlane {
    /// The plane's normal is the z axis of `a`; the axes of `b` do not matter.
    pub fn new(a: Marker, b: Marker) -> Self {
        PointOnPlane { parts: first_axes(a, b) }
    }
}

impl LockJoint for PointOnPlane {
    const DECLARATION: &'static JointDeclaration = &DECLARATION;
    const MASK: Mask = Mask(0b000_100);
    fn parts(&self) -> &[Attachment] {
        &self.parts
    }
}
