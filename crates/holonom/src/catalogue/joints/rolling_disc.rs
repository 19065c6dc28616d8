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
//!
//! Chart: x and y of P in the axes of a; heading, lean and turn, R = Rz(heading) Rx(lean - pi/2) Rz(turn). With all of
//! them zero the disc stands at the origin, its axis along y_a, and turning forwards rolls it along x_a. In the axes of
//! a, with h = (cos heading, sin heading, 0) and m = z × h,
//!
//! ```text
//! u = cos(lean) m + sin(lean) z,     e = sin(lean) m - cos(lean) z,     p_b = P - r e
//! w = heading' z + lean' h + turn' u,     v_b = w × (- r e),     P' = r turn' h
//! heading' = (z - tan(lean) m) . w,     lean' = h . w,     turn' = m . w / cos(lean)
//! wdot = heading'' z + lean'' h + turn'' u + (heading' lean' m - heading' turn' cos(lean) h + lean' turn' (cos(lean) z - sin(lean) m))
//! ```

use super::lock::about_z;
use super::{
    AXES_A, AXES_B, Chart, Constraint, CoordinateKind, Glyph, JointDeclaration, Level, POINTS, Rows, STARTS,
    check_markers,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{Invalid, Kind, LENGTH, Make, positive, required};
use crate::math::number::{Gradient, Number, Vector};
use crate::math::{Mat3, Vec3, vec3};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "rolling-disc",
        summary: "a thin disc about z of b rolls on the x-y plane of a, on the side of z. Coordinate: the lean. Start: x and y of the point of \
                  contact in the axes of a, heading (0: rolls along x), lean, turn about the axis; rates of heading, lean and turn",
        fields: &[
            POINTS,
            AXES_A,
            AXES_B,
            &[required("radius", LENGTH, "radius of the disc, whose centre is b")],
            STARTS,
        ],
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
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

/// Directions of the disc in the axes of a: h, along which it rolls, m across it, u its axis, e to the point of
/// contact.
struct Upright {
    h: Vec3,
    m: Vec3,
    u: Vec3,
    e: Vec3,
    sin: f64,
    cos: f64,
}

fn upright(heading: f64, lean: f64) -> Upright {
    let ((s, c), (sin, cos)) = (libm::sincos(heading), libm::sincos(lean));
    let (h, m) = (vec3(c, s, 0.0), vec3(-s, c, 0.0));
    Upright { h, m, u: m * cos + Vec3::Z * sin, e: m * sin - Vec3::Z * cos, sin, cos }
}

impl Chart for RollingDisc {
    fn markers(&self) -> (Marker, Marker) {
        self.markers
    }
    fn n_u(&self) -> usize {
        5
    }
    fn n_w(&self) -> usize {
        3
    }
    fn free(&self, q: &[f64], k: usize) -> (Vec3, Vec3) {
        let Upright { h, u, e, .. } = upright(q[2], q[3]);
        let spin = [Vec3::Z, h, u].get(k).copied().unwrap_or(Vec3::ZERO);
        (e.cross(spin) * self.radius, spin)
    }
    fn rate_row(&self, q: &[f64], k: usize) -> (Vec3, Vec3) {
        let Upright { h, m, sin, cos, .. } = upright(q[2], q[3]);
        let row = [Vec3::Z - m * (sin / cos), h, m / cos].get(k).copied();
        (Vec3::ZERO, row.unwrap_or(Vec3::ZERO))
    }
    fn drift(&self, q: &[f64], w: &[f64], k: usize) -> f64 {
        let Upright { h, m, sin, cos, .. } = upright(q[2], q[3]);
        let turning = m * (w[0] * w[1]) - h * (w[0] * w[2] * cos) + (Vec3::Z * cos - m * sin) * (w[1] * w[2]);
        -self.rate_row(q, k).1.dot(turning)
    }
    fn pose(&self, q: &[f64]) -> (Vec3, Mat3) {
        let Upright { h, u, e, .. } = upright(q[2], q[3]);
        (vec3(q[0], q[1], 0.0) - e * self.radius, Mat3::from_cols(h, e, u) * about_z(q[4]))
    }
    fn read(&self, p: Vec3, r: Mat3, q: &mut [f64]) {
        let axis = r.z_axis;
        q[2] = libm::atan2(-axis.x, axis.y);
        q[3] = libm::atan2(axis.z, libm::hypot(axis.x, axis.y));
        let Upright { h, e, .. } = upright(q[2], q[3]);
        q[4] = libm::atan2(e.dot(r.x_axis), h.dot(r.x_axis));
        (q[0], q[1]) = (p.x + self.radius * e.x, p.y + self.radius * e.y);
    }
    fn u_rate(&self, q: &[f64], w: &[f64], out: &mut [f64]) {
        let along = upright(q[2], q[3]).h * (self.radius * w[2]);
        out.copy_from_slice(&[along.x, along.y, w[0], w[1], w[2]]);
    }
}
