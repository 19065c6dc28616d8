//! Rolling sphere: a sphere of body b touches the x-y plane of a and does not slip.
//!
//! With n = z_a the normal of the plane and r the radius:
//!
//! ```text
//! P = p_b - r n                                          the point of contact
//! C    = n . (p_b - p_a) - r                             height of the lowest point (position row)
//! slip = v_b - w_b × (r n) - v_a - w_a × (P - p_a)       of the material point of b at P against that of a
//! a_1  = x_a . slip,   a_2 = y_a . slip                  (velocity rows: nonholonomic)
//! ```
//!
//! Spin about the normal is free. The multipliers are the normal force and the two components of friction that rolling
//! needs. The plane may move: a ball on a turntable. There is no singular pose.

use super::{AXES_A, Constraint, Glyph, JointDeclaration, Level, POINTS, Rows, check_markers};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::declaration::{Invalid, Kind, LENGTH, Make, positive, required};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "rolling-sphere",
        summary: "a sphere with its centre at b rolls on the x-y plane of a, on the side of z",
        fields: &[POINTS, AXES_A, &[required("radius", LENGTH, "radius of the sphere")]],
        make: Make::Joint(|p| Ok(Box::new(RollingSphere::new(p.a(), p.b(), p.of("radius"))))),
    },
    label: "Rolling sphere",
    rows: 3,
    glyph: Glyph::BallInRing,
    sample: Some(|a, b, g| Box::new(RollingSphere::new(a, b, 0.2 + g.unit()))),
    ..JointDeclaration::PLAIN
};

/// A sphere that rolls on a plane without slipping.
#[derive(Clone, Debug)]
pub struct RollingSphere {
    attachments: [Attachment; 7],
    markers: (Marker, Marker),
    radius: f64,
}

impl RollingSphere {
    /// The plane is the x-y plane of `a`, the sphere has its centre at the point of `b`. The sphere is on the side of z
    /// of `a`.
    pub fn new(a: Marker, b: Marker, radius: f64) -> Self {
        RollingSphere { attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), a.spin(), b.spin()], markers: (a, b), radius }
    }
}

impl Constraint for RollingSphere {
    fn kind(&self) -> &'static str {
        "rolling-sphere"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        3
    }
    fn validate(&self) -> Result<(), Invalid> {
        check_markers(&self.markers.0, &self.markers.1)?;
        positive("radius", self.radius, "m")
    }
    fn level(&self, i: usize) -> Level {
        if i == 0 { Level::Position } else { Level::Velocity }
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        let r = self.radius;
        out.write::<5, 1>(0, a, t, |[p, q, _, _, n], _| [n.dot(q - p) - r]);
        out.write_rates::<7, 2>(1, a, t, |[p, q, x, y, n, spin_a, spin_b], _| {
            let arm = n.at * -r;
            let slip = q.rate + spin_b.rate.cross(arm) - p.rate - spin_a.rate.cross(q.at + arm - p.at);
            [x.at.dot(slip), y.at.dot(slip)]
        });
    }
}
