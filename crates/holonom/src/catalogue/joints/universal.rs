//! Universal joint (Cardan, Hooke): two points coincide and two axes, x of marker a and y of marker b, stay
//! perpendicular.
//!
//! With e = x_a, f = y_b, n = e × f and d = p_b - p_a:
//!
//! ```text
//! translation rows  C = (e . d,  f . d,  n . d)
//! rotation row      C = - e . f                         rate  n . (w_b - w_a)
//! ```
//!
//! n . d = det(e, f, d) has gradients f × d, d × e, n and curvature 2 (det(e', f', d) + det(e', f, d') + det(e, f',
//! d')). Where C = 0 the axes (e, f, n) are orthonormal and all four rows are lock rows. They belong to neither body;
//! the translation rows need no correction for that (their relative velocity is zero), the rotation row brings its own
//! c:
//!
//! ```text
//! c = - (f . jdot_v_e + e . jdot_v_f + 2 e' . f')
//! ```
//!
//! Singular only if e and f become parallel, which the row itself forbids.
//! Coordinates: the turn of b's fork about x_a, and the turn about y_b.

use super::{
    Chart, Closes, Constraint, CoordinateKind, Glyph, JointDeclaration, JointRole, Lock, LockShape, Mask, PAIR, Rows,
    STARTS, check_markers, markers, numbered,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::{Invalid, Kind, Make};
use crate::math::{Mat3, Vec3, vec3};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "universal",
        summary: "turns about x of a and about y of b, which stay perpendicular. Coordinates: the two angles",
        fields: &[PAIR, STARTS],
        make: Make::Joint(|p| Ok(Box::new(Universal::new(p.a(), p.b())))),
    },
    label: "Universal",
    also: &["cardan", "hooke", "u"],
    role: JointRole::Pair,
    rows: 4,
    coordinates: &[("angle about x of a", CoordinateKind::Angle), ("angle about y of b", CoordinateKind::Angle)],
    glyph: Glyph::Cross,
    closes: Closes::Point,
    button: Some(4),
    sample: Some(|a, b, _| Box::new(Universal::new(a, b))),
    ..JointDeclaration::PLAIN
};

const MASK: Mask = Mask(0b100_111);

/// A Cardan joint about x of marker a and y of marker b.
#[derive(Clone, Debug)]
pub struct Universal {
    attachments: [Attachment; 7],
}

impl Universal {
    /// Joins two markers: the axes of the cross are x of `a` and y of `b`.
    pub fn new(a: Marker, b: Marker) -> Self {
        Universal { attachments: [a.p(), b.p(), a.x(), b.y(), a.y(), a.z(), b.z()] }
    }
}

impl Constraint for Universal {
    fn kind(&self) -> &'static str {
        "universal"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        4
    }
    fn validate(&self) -> Result<(), Invalid> {
        let (a, b) = self.markers();
        check_markers(&a, &b)
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let n = |k| numbered(a, k);
        out.along(0, n(2), n(0), n(1));
        out.along(1, n(3), n(0), n(1));
        let (p, q, e, f) = (a.get(0), a.get(1), a.get(2), a.get(3));
        let (d, d_rate) = (q.at - p.at, q.rate - p.rate);
        let cross = e.at.cross(f.at);
        let row = out.row(2);
        row.gap = cross.dot(d);
        row.curvature =
            2.0 * (e.rate.cross(f.rate).dot(d) + e.rate.cross(f.at).dot(d_rate) + e.at.cross(f.rate).dot(d_rate));
        out.gradient(2, 2, f.at.cross(d));
        out.gradient(2, 3, d.cross(e.at));
        out.gradient(2, 1, cross);
        out.gradient(2, 0, -cross);
        out.perpendicular(3, -1.0, (2, e), (3, f));
    }
    fn lock_shape(&self) -> Option<LockShape> {
        Some(LockShape { mask: MASK, aligned: false })
    }
    fn lock(&self, a: &View) -> Lock {
        let (e, f) = (a.get(2), a.get(3));
        let n = e.at.cross(f.at).normalize();
        let c = -(f.at.dot(e.jdot_v) + e.at.dot(f.jdot_v) + 2.0 * e.rate.dot(f.rate));
        let axes = Mat3::from_cols(e.at, n.cross(e.at), n);
        Lock { c_angular: n * c, ..Lock::at_common_point(a, axes) }
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Angle, CoordinateKind::Angle]
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        if i == 0 {
            out.angle(a, 4, 5, 3); // f turns about x_a, from y_a towards z_a
        } else {
            // z_b turns about y_b, from n = e × f towards e
            out.write::<7>(a, |[_, _, e, f, _, _, z]| e.dot(z).atan2(e.cross(f).dot(z)));
        }
    }
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

/// Relative rotation Rx(u_0) Ry(u_1): the relative angular velocity is w_0 x + w_1 Rx(u_0) y.
impl Chart for Universal {
    fn markers(&self) -> (Marker, Marker) {
        let d = |k: usize| self.attachments[k].carried_vector();
        markers(&self.attachments, Mat3::from_cols(d(2), d(4), d(5)), Mat3::from_cols(d(3).cross(d(6)), d(3), d(6)))
    }
    fn n_u(&self) -> usize {
        2
    }
    fn mask(&self) -> Mask {
        MASK
    }
    fn free(&self, u: &[f64], k: usize) -> (Vec3, Vec3) {
        let (s, c) = libm::sincos(u[0]);
        (Vec3::ZERO, if k == 0 { Vec3::X } else { vec3(0.0, c, s) })
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        let (s0, c0) = libm::sincos(u[0]);
        let (s1, c1) = libm::sincos(u[1]);
        let x = Mat3::from_cols(Vec3::X, vec3(0.0, c0, s0), vec3(0.0, -s0, c0));
        let y = Mat3::from_cols(vec3(c1, 0.0, -s1), Vec3::Y, vec3(s1, 0.0, c1));
        (Vec3::ZERO, x * y)
    }
    fn read(&self, _: Vec3, r: Mat3, u: &mut [f64]) {
        u[0] = libm::atan2(r.y_axis.z, r.y_axis.y);
        u[1] = libm::atan2(r.z_axis.x, r.x_axis.x);
    }
    fn u_rate(&self, _: &[f64], w: &[f64], out: &mut [f64]) {
        out.copy_from_slice(w);
    }
}
