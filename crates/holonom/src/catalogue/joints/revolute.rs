//! Revolute joint (hinge, pin): b turns about the z axis of a.
//!
//! ```text
//! translation rows  C_i = e_i . (p_b - p_a),   e = axes (x, y, z) of a
//! rotation rows     C = (- y_a . z_b,  x_a . z_b)
//! ```
//!
//! A small turn d of b gives z_b = z_a + d × z_a, so the rotation rows are d . x_a and d . y_a to first order: the lock rows where
//! C = 0. They vanish also with z_b opposite to z_a; `branch` tells the two apart.
//! Coordinate: the angle from x_a to x_b about z, positive by the right hand; rate w_b - w_a along z.

use super::{
    Chart, Constraint, CoordinateKind, Lock, LockShape, Mask, Rows, about_z, angle_of, check_markers, markers, numbered,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::math::{Mat3, Vec3};

const MASK: Mask = Mask(0b011_111);

/// A hinge about the common z axis of two markers.
#[derive(Clone, Debug)]
pub struct Revolute {
    attachments: [Attachment; 7],
}

impl Revolute {
    /// Joins two markers; their z axes become the axis of the hinge.
    pub fn new(a: Marker, b: Marker) -> Self {
        Revolute { attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.z()] }
    }
}

impl Constraint for Revolute {
    fn kind(&self) -> &'static str {
        "revolute"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        5
    }
    fn validate(&self) -> Result<(), String> {
        let (a, b) = self.markers();
        check_markers(&a, &b)
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let n = |k| numbered(a, k);
        let (p, q) = (n(0), n(1));
        for i in 0..3 {
            out.along(i, n(2 + i), p, q);
        }
        out.parallel(3, [n(2), n(3)], n(6));
    }
    fn lock_shape(&self) -> Option<LockShape> {
        Some(LockShape { mask: MASK, aligned: false })
    }
    fn lock(&self, a: &View) -> Lock {
        let (x, y) = (a.at(2), a.at(3));
        Lock::at_common_point(a, Mat3::from_cols(x, y, x.cross(y)))
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Angle]
    }
    fn measure(&self, a: &View, _: usize, out: &mut Measure) {
        out.angle(a, 2, 3, 5);
    }
    fn branch(&self, a: &View) -> f64 {
        a.at(4).dot(a.at(6))
    }
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

impl Chart for Revolute {
    fn markers(&self) -> (Marker, Marker) {
        let d = |k: usize| self.attachments[k].carried_vector();
        markers(&self.attachments, Mat3::from_cols(d(2), d(3), d(4)), Mat3::from_cols(d(5), d(6).cross(d(5)), d(6)))
    }
    fn n_u(&self) -> usize {
        1
    }
    fn mask(&self) -> Mask {
        MASK
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        (Vec3::ZERO, about_z(u[0]))
    }
    fn read(&self, _: Vec3, r: Mat3, u: &mut [f64]) {
        u[0] = angle_of(r);
    }
    fn u_rate(&self, _: &[f64], w: &[f64], out: &mut [f64]) {
        out[0] = w[0];
    }
}
