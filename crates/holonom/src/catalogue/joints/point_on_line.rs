//! Point on line: a point of b stays on the z axis of a; b turns freely.
//!
//! ```text
//! C = (x_a . d,  y_a . d),   d = p_b - p_a          the translation rows of the cylindrical joint
//! ```
//!
//! Lock rows, see [`super::lock`]. b needs to carry only a point, so a particle will do. Coordinate: z_a . d.

use super::lock::{LockJoint, first_axes};
use super::{CoordinateKind, Glyph, JointDeclaration, JointRole, Mask, PARALLEL};
use crate::catalogue::attach::{Attachment, Marker};
use crate::catalogue::declaration::{Kind, Make};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "point-on-line",
        summary: "keeps a point of b on a line through a along z. Coordinate: the way along it",
        fields: &[PARALLEL],
        make: Make::Joint(|p| Ok(Box::new(PointOnLine::new(p.a(), p.b())))),
    },
    label: "Point on line",
    role: JointRole::Pair,
    rows: 2,
    coordinates: &[("offset", CoordinateKind::Length)],
    glyph: Glyph::BallOnBar,
    sample: Some(|a, b, _| Box::new(PointOnLine::new(a, b))),
    ..JointDeclaration::PLAIN
};

/// Keeps a point of b on the z axis of marker a.
#[derive(Clone, Debug)]
pub struct PointOnLine {
    parts: [Attachment; 5],
}

impl PointOnLine {
    /// The line is the z axis of `a`; the axes of `b` do not matter.
    pub fn new(a: Marker, b: Marker) -> Self {
        PointOnLine { parts: first_axes(a, b) }
    }
}

impl LockJoint for PointOnLine {
    const DECLARATION: &'static JointDeclaration = &DECLARATION;
    const MASK: Mask = Mask(0b000_011);
    fn parts(&self) -> &[Attachment] {
        &self.parts
    }
}
