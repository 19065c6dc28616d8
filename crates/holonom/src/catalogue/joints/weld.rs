//! Weld: marker b is marker a. All six rows of [`super::lock`].

use super::lock::{LockJoint, rigid_axes};
use super::{Closes, Glyph, JointDeclaration, JointRole, Mask, PAIR};
use crate::catalogue::attach::{Attachment, Marker};
use crate::catalogue::declaration::{Kind, Make};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "weld",
        summary: "holds b to a completely",
        fields: &[PAIR],
        make: Make::Joint(|p| Ok(Box::new(Weld::new(p.a(), p.b())))),
    },
    label: "Weld",
    also: &["fixed", "rigid", "lock", "weldment"],
    role: JointRole::Pair,
    rows: 6,
    glyph: Glyph::Block,
    closes: Closes::Point,
    button: Some(3),
    rod_end: true,
    sample: Some(|a, b, _| Box::new(Weld::new(a, b))),
    ..JointDeclaration::PLAIN
};

/// Holds two bodies together.
#[derive(Clone, Debug)]
pub struct Weld {
    parts: [Attachment; 8],
}

impl Weld {
    /// Joins two markers, point to point and axis to axis.
    pub fn new(a: Marker, b: Marker) -> Self {
        Weld { parts: rigid_axes(a, b) }
    }
}

impl LockJoint for Weld {
    const DECLARATION: &'static JointDeclaration = &DECLARATION;
    const MASK: Mask = Mask(0b111_111);
    fn parts(&self) -> &[Attachment] {
        &self.parts
    }
}
