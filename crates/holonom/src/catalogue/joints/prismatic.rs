//! Prismatic joint (slider): b slides along the z axis of a without turning.
//!
//! ```text
//! translation rows  C = (x_a . d,  y_a . d),   d = p_b - p_a
//! rotation rows     C = (z_a . y_b,  x_a . z_b,  y_a . x_b)        as in the weld
//! ```
//!
//! Lock rows, see [`super::lock`]. Coordinate: z_a . d.

use super::lock::{LockJoint, rigid_axes};
use super::{Closes, CoordinateKind, Glyph, JointDeclaration, JointRole, Mask, PAIR, STARTS};
use crate::catalogue::attach::{Attachment, Marker};
use crate::catalogue::declaration::{Kind, Make};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "prismatic",
        summary: "slides along the common z axis. Coordinate: the way",
        fields: &[PAIR, STARTS],
        make: Make::Joint(|p| Ok(Box::new(Prismatic::new(p.a(), p.b())))),
    },
    label: "Slider",
    also: &["slider", "slide", "translational", "linear", "sliding"],
    role: JointRole::Pair,
    rows: 5,
    coordinates: &[("offset", CoordinateKind::Length)],
    glyph: Glyph::Slider,
    closes: Closes::AcrossAxis,
    button: Some(2),
    axis_in_plane: true,
    sample: Some(|a, b, _| Box::new(Prismatic::new(a, b))),
    ..JointDeclaration::PLAIN
};

/// A slider along the common z axis of two markers.
#[derive(Clone, Debug)]
pub struct Prismatic {
    parts: [Attachment; 8],
}

impl Prismatic {
    /// Joins two markers; their z axes become the direction of sliding.
    pub fn new(a: Marker, b: Marker) -> Self {
        Prismatic { parts: rigid_axes(a, b) }
    }
}

impl LockJoint for Prismatic {
    const DECLARATION: &'static JointDeclaration = &DECLARATION;
    const MASK: Mask = Mask(0b111_011);
    fn parts(&self) -> &[Attachment] {
        &self.parts
    }
}
