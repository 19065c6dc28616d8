//! Oldham coupling: parallel shafts with a lateral offset turn together.
//!
//! ```text
//! translation row   C = z_a . d,   d = p_b - p_a                   the axial distance is held
//! rotation rows     C = (z_a . y_b,  x_a . z_b,  y_a . x_b)        as in the weld
//! ```
//!
//! Lock rows, see [`super::lock`]. Regular at any offset, zero included.
//!
//! The real coupling has a disc between the two hubs, with a tongue along x_a on one face and one along y_b on the
//! other. It cannot turn against either hub, so all three turn at the same rate whatever the offset is. Its centre lies
//! on the line through p_a along x_a and on the line through p_b along y_b = y_a, that is at
//!
//! ```text
//! p_a + (x_a . d) x_a
//! ```
//!
//! With the shafts on fixed bearings, d fixed and x_a at the angle phi from d, this is d/2 + |d|/2 (cos 2 phi, sin 2
//! phi) in the frame of d: the centre runs on the circle with diameter d, twice around for every turn of the shafts.
//! Here the disc is massless: its centrifugal force, 2 m |d| w^2 for a disc of mass m, is not felt by the bearings.
//! Coordinates: the lateral offsets x_a . d and y_a . d.

use super::lock::{LockJoint, rigid_axes};
use super::{CoordinateKind, Glyph, JointDeclaration, JointRole, Mask, PARALLEL};
use crate::catalogue::attach::{Attachment, Marker};
use crate::catalogue::declaration::{Kind, Make};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "oldham",
        summary: "couples parallel shafts along z that may be beside each other. Coordinates: the offsets along x and y of a",
        fields: &[PARALLEL],
        make: Make::Joint(|p| Ok(Box::new(Oldham::new(p.a(), p.b())))),
    },
    label: "Oldham coupling",
    role: JointRole::Pair,
    rows: 4,
    coordinates: &[("x offset", CoordinateKind::Length), ("y offset", CoordinateKind::Length)],
    glyph: Glyph::Dashes,
    sample: Some(|a, b, _| Box::new(Oldham::new(a, b))),
    ..JointDeclaration::PLAIN
};

/// Two shafts along the z axes of two markers turn together; the offset across the axis is free.
#[derive(Clone, Debug)]
pub struct Oldham {
    parts: [Attachment; 8],
}

impl Oldham {
    /// Joins two markers; their z axes are the axes of the shafts, their points lie in one plane across.
    pub fn new(a: Marker, b: Marker) -> Self {
        Oldham { parts: rigid_axes(a, b) }
    }
}

impl LockJoint for Oldham {
    const DECLARATION: &'static JointDeclaration = &DECLARATION;
    const MASK: Mask = Mask(0b111_100);
    fn parts(&self) -> &[Attachment] {
        &self.parts
    }
}
