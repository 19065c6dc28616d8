//! Knife edge (skate, blade, wheel of a cart seen from afar): a point of b may move along its blade, not across it.
//!
//! With m = y_b, the direction across the blade, and the surface a:
//!
//! ```text
//! a = m . (v_b - v_a - w_a × (p_b - p_a)) = 0        (velocity row: nonholonomic)
//! ```
//!
//! The multiplier is the side force on b at the edge. Nothing holds b on the surface: a planar body needs no such
//! thing, for a rigid one add a joint that does. There is no singular pose.

use super::{AXES_B, Constraint, Glyph, JointDeclaration, Level, POINTS, Rows, check_markers};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::declaration::{Invalid, Kind, Make};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "knife-edge",
        summary: "a point of b moves along its blade, x of b, and not across it, y of b. Nothing holds it on a",
        fields: &[POINTS, AXES_B],
        make: Make::Joint(|p| Ok(Box::new(KnifeEdge::new(p.a(), p.b())))),
    },
    label: "Knife edge",
    glyph: Glyph::Blade,
    sample: Some(|a, b, _| Box::new(KnifeEdge::new(a, b))),
    ..JointDeclaration::PLAIN
};

/// A blade that does not slip sideways.
#[derive(Clone, Debug)]
pub struct KnifeEdge {
    attachments: [Attachment; 4],
    markers: (Marker, Marker),
}

impl KnifeEdge {
    /// On the surface of the body of `a`, at the point of `b`: x of `b` along the blade, y across it.
    pub fn new(a: Marker, b: Marker) -> Self {
        KnifeEdge { attachments: [a.p(), b.p(), b.y(), a.spin()], markers: (a, b) }
    }
}

impl Constraint for KnifeEdge {
    fn kind(&self) -> &'static str {
        "knife-edge"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_markers(&self.markers.0, &self.markers.1)
    }
    fn level(&self, _: usize) -> Level {
        Level::Velocity
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        out.write_rates::<4, 1>(0, a, t, |[p, q, across, spin], _| {
            [across.at.dot(q.rate - p.rate - spin.rate.cross(q.at - p.at))]
        });
    }
}
