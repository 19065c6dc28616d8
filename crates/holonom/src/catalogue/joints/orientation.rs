//! Orientation lock: b keeps the orientation of a. Points move freely.
//!
//! ```text
//! C = (z_a . y_b,  x_a . z_b,  y_a . x_b)        the rotation rows of the weld
//! ```
//!
//! Lock rows, see [`super::lock`]. No force passes through the joint. Coordinates: the offsets of p_b from p_a along
//! x_a, y_a, z_a.

use super::lock::{LockJoint, rigid_axes};
use super::{CoordinateKind, Glyph, JointDeclaration, JointRole, Mask, PARALLEL};
use crate::catalogue::attach::{Attachment, Marker};
use crate::catalogue::declaration::{Kind, Make};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "orientation-lock",
        summary: "keeps b from turning against a. Coordinates: the ways along x, y and z of a",
        fields: &[PARALLEL],
        make: Make::Joint(|p| Ok(Box::new(OrientationLock::new(p.a(), p.b())))),
    },
    label: "Orientation lock",
    role: JointRole::Pair,
    rows: 3,
    coordinates: &[
        ("x offset", CoordinateKind::Length),
        ("y offset", CoordinateKind::Length),
        ("z offset", CoordinateKind::Length),
    ],
    glyph: Glyph::Block,
    sample: Some(|a, b, _| Box::new(OrientationLock::new(a, b))),
    ..JointDeclaration::PLAIN
};

/// Keeps the axes of two markers parallel, one by one: b does not turn against a.
#[derive(Clone, Debug)]
pub struct OrientationLock {
    parts: [Attachment; 8],
}

impl OrientationLock {
    /// Joins the axes of two markers; their points only say where coordinates and reaction are taken.
    pub fn new(a: Marker, b: Marker) -> Self {
        OrientationLock { parts: rigid_axes(a, b) }
    }
}

impl LockJoint for OrientationLock {
    const DECLARATION: &'static JointDeclaration = &DECLARATION;
    const MASK: Mask = Mask(0b111_000);
    fn parts(&self) -> &[Attachment] {
        &self.parts
    }
}
