//! Spherical joint (ball and socket): point p_b of body b on point p_a of body a.
//!
//! ```text
//! C = p_b - p_a   (3 rows, world axes, m)        J v = pdot_b - pdot_a        jdot_v as the points'
//! ```
//!
//! As a lock: the three translations at the point, world axes ([`super::lock`]). Never singular. The joint has no
//! coordinate of its own; the chart for joint coordinates is a unit quaternion.

use super::lock::LockJoint;
use super::{Closes, Glyph, JointDeclaration, JointRole, Mask, PAIR};
use crate::catalogue::attach::{Attachment, Marker};
use crate::catalogue::declaration::{Field, FieldType, Kind, Make, optional};

static ORIENTATION: &[Field] = &[
    optional(
        "start",
        FieldType::Numbers(""),
        "as the poses say",
        "orientation of b in the axes of body a at the start, a quaternion (w, x, y, z)",
    ),
    optional(
        "start_rate",
        FieldType::Numbers("rad/s"),
        "as the velocities say",
        "angular velocity of b against a at the start, in the axes of body a",
    ),
];

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "spherical",
        summary: "turns about a common point",
        fields: &[PAIR, ORIENTATION],
        make: Make::Joint(|p| Ok(Box::new(Spherical::new(p.a(), p.b())))),
    },
    label: "Ball joint",
    also: &["ball", "ball-and-socket", "socket", "point-to-point", "p2p"],
    role: JointRole::Pair,
    rows: 3,
    glyph: Glyph::Ball,
    closes: Closes::Point,
    button: Some(1),
    rod_end: true,
    sample: Some(|a, b, _| Box::new(Spherical::new(a, b))),
    ..JointDeclaration::PLAIN
};

/// A ball joint.
#[derive(Clone, Debug)]
pub struct Spherical {
    parts: [Attachment; 2],
}

impl Spherical {
    /// Joins the points of two markers; their axes do not matter.
    pub fn new(a: Marker, b: Marker) -> Self {
        Spherical { parts: [a.p(), b.p()] }
    }
}

impl LockJoint for Spherical {
    const DECLARATION: &'static JointDeclaration = &DECLARATION;
    const MASK: Mask = Mask(0b000_111);
    fn parts(&self) -> &[Attachment] {
        &self.parts
    }
}
