//! Parallel axes: the z axis of b stays parallel to the z axis of a, and points the same way. Points move freely.
//!
//! ```text
//! C = (- y_a . z_b,  x_a . z_b)        the rotation rows of the revolute joint
//! ```
//!
//! Lock rows, see [`super::lock`]. No force passes through the joint, and the torque is the same wherever the points
//! are. Coordinate: the angle from x_a to x_b about z. The chart has the offsets too.

use super::lock::{LockJoint, shaft_axes};
use super::{CoordinateKind, Glyph, JointDeclaration, JointRole, Mask, PARALLEL};
use crate::catalogue::attach::{Attachment, Marker};
use crate::catalogue::declaration::{Kind, Make};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "parallel-axes",
        summary: "keeps the z axes of a and b parallel. Coordinate: the angle about them",
        fields: &[PARALLEL],
        make: Make::Joint(|p| Ok(Box::new(ParallelAxes::new(p.a(), p.b())))),
    },
    label: "Parallel axes",
    role: JointRole::Pair,
    rows: 2,
    coordinates: &[("angle", CoordinateKind::Angle)],
    glyph: Glyph::ParallelBars,
    sample: Some(|a, b, _| Box::new(ParallelAxes::new(a, b))),
    ..JointDeclaration::PLAIN
};

/// Keeps the z axes of two markers parallel.
#[derive(Clone, Debug)]
pub struct ParallelAxes {
    parts: [Attachment; 7],
}

impl ParallelAxes {
    /// Joins the directions of two markers; their points only say where the reaction is reported.
    pub fn new(a: Marker, b: Marker) -> Self {
        ParallelAxes { parts: shaft_axes(a, b) }
    }
}

impl LockJoint for ParallelAxes {
    const DECLARATION: &'static JointDeclaration = &DECLARATION;
    const MASK: Mask = Mask(0b011_000);
    fn parts(&self) -> &[Attachment] {
        &self.parts
    }
    fn coordinate_kinds(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Angle]
    }
}
