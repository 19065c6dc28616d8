//! Rolling disc: a thin disc of body b touches the x-y plane of a with its rim and does not slip.
//!
//! With n = z_a the normal of the plane, u = z_b the axis of the disc, r its radius, and everything in world axes:
//!
//! ```text
//! e = - (n - (n . u) u) / s,   s = |n × u|            from the centre to the lowest point of the rim
//! P = p_b + r e                                       the point of contact, which belongs to neither body
//! C    = n . (p_b - p_a) - r s                        height of the lowest point (position row)
//! slip = v_b + w_b × (r e) - v_a - w_a × (P - p_a)    of the material point of b at P against that of a
//! a_1  = x_a . slip,   a_2 = y_a . slip               (velocity rows: nonholonomic)
//! ```
//!
//! The gradient of C is a force n on b at P: at the centre n, and about it r (n . u)/s u × n = r e × n. The multipliers
//! are the normal force and the two components of friction that rolling needs, all acting at P. The plane may move: a
//! turntable is a body with such a plane.
//!
//! Singular where the disc lies flat (n parallel to u, s = 0): there is no lowest point.
//! Coordinate: the lean, the angle between the axis and the plane, asin(n . u).

use super::{AXES_A, AXES_B, Constraint, CoordinateKind, Glyph, JointDeclaration, Level, POINTS, Rows, check_markers};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{Invalid, Kind, LENGTH, Make, positive, required};
use crate::math::number::{Gradient, Number, Vector};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "rolling-disc",
        summary: "a thin disc about z of b rolls on the x-y plane of a, on the side of z. Coordinate: the lean",
        fields: &[POINTS, AXES_A, AXES_B, &[required("radius", LENGTH, "radius of the disc, whose centre is b")]],
        make: Make::Joint(|p| Ok(Box::new(RollingDisc::new(p.a(), p.b(), p.of("radius"))))),
    },
    label: "Rolling disc",
    rows: 3,
    coordinates: &[("lean", CoordinateKind::Angle)],
    glyph: Glyph::BallInRing,
    sample: Some(|a, b, g| Box::new(RollingDisc::new(a, b, 0.2 + g.unit()))),
    ..JointDeclaration::PLAIN
};

/// A thin disc that rolls on a plane without slipping.
#[derive(Clone, Debug)]
pub struct RollingDisc {
    attachments: [Attachment; 8],
    markers: (Marker, Marker),
    radius: f64,
}

impl RollingDisc {
    /// The plane is the x-y plane of `a`, the disc has its centre at `b` and its axis along z of `b`. The disc is on
    /// the side of z of `a`.
    pub fn new(a: Marker, b: Marker, radius: f64) -> Self {
        let attachments = [a.p(), b.p(), a.x(), a.y(), a.z(), b.z(), a.spin(), b.spin()];
        RollingDisc { attachments, markers: (a, b), radius }
    }
}

/// From the centre to the lowest point of the rim, and the height of the centre above it, both for radius 1.
fn lowest<G: Gradient>(n: Vector<G>, u: Vector<G>) -> (Vector<G>, Number<G>) {
    let across = n - u * n.dot(u);
    let s = across.length();
    (-across / s, s)
}

impl Constraint for RollingDisc {
    fn kind(&self) -> &'static str {
        "rolling-disc"
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
        out.write::<6, 1>(0, a, t, |[p, q, _, _, n, u], _| [n.dot(q - p) - lowest(n, u).1 * r]);
        out.write_rates::<8, 2>(1, a, t, |[p, q, x, y, n, u, spin_a, spin_b], _| {
            let arm = lowest(n.at, u.at).0 * r;
            let slip = q.rate + spin_b.rate.cross(arm) - p.rate - spin_a.rate.cross(q.at + arm - p.at);
            [x.at.dot(slip), y.at.dot(slip)]
        });
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Angle]
    }
    fn measure(&self, a: &View, _: usize, out: &mut Measure) {
        out.write::<6>(a, |[_, _, _, _, n, u]| n.dot(u).asin());
    }
    fn branch(&self, a: &View) -> f64 {
        a.at(4).dot(a.at(1) - a.at(0))
    }
}
