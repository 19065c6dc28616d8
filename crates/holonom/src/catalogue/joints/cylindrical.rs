//! Cylindrical joint: b turns about and slides along the z axis of a.
//!
//! ```text
//! translation rows  C = (x_a . d,  y_a . d),   d = p_b - p_a
//! rotation rows     C = (- y_a . z_b,  x_a . z_b)        as in the revolute joint
//! ```
//!
//! Coordinates: the offset z_a . d and the angle from x_a to x_b about z.

use super::{
    Chart, Constraint, CoordinateKind, Lock, LockShape, Mask, Rows, about_z, angle_of, check_markers, markers, numbered,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::math::{Mat3, Vec3, vec3};

const MASK: Mask = Mask(0b011_011);

/// Turns about and slides along the common z axis of two markers.
#[derive(Clone, Debug)]
pub struct Cylindrical {
    attachments: [Attachment; 7],
}

impl Cylindrical {
    /// Joins two markers; their z axes become the axis.
    pub fn new(a: Marker, b: Marker) -> Self {
        Cylindrical { attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.z()] }
    }
}

impl Constraint for Cylindrical {
    fn kind(&self) -> &'static str {
        "cylindrical"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        4
    }
    fn validate(&self) -> Result<(), String> {
        let (a, b) = self.markers();
        check_markers(&a, &b)
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let n = |k| numbered(a, k);
        let (p, q) = (n(0), n(1));
        for i in 0..2 {
            out.along(i, n(2 + i), p, q);
        }
        out.parallel(2, [n(2), n(3)], n(6));
    }
    fn lock_shape(&self) -> Option<LockShape> {
        Some(LockShape { mask: MASK, aligned: false })
    }
    fn lock(&self, a: &View) -> Lock {
        Lock::in_first(a, Mat3::from_cols(a.at(2), a.at(3), a.at(4)))
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Length, CoordinateKind::Angle]
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        if i == 0 {
            out.offset(a, 4, 0, 1)
        } else {
            out.angle(a, 2, 3, 5)
        };
    }
    fn branch(&self, a: &View) -> f64 {
        a.at(4).dot(a.at(6))
    }
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

impl Chart for Cylindrical {
    fn markers(&self) -> (Marker, Marker) {
        let d = |k: usize| self.attachments[k].carried_vector();
        markers(&self.attachments, Mat3::from_cols(d(2), d(3), d(4)), Mat3::from_cols(d(5), d(6).cross(d(5)), d(6)))
    }
    fn n_u(&self) -> usize {
        2
    }
    fn mask(&self) -> Mask {
        MASK
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        (vec3(0.0, 0.0, u[0]), about_z(u[1]))
    }
    fn read(&self, p: Vec3, r: Mat3, u: &mut [f64]) {
        u[0] = p.z;
        u[1] = angle_of(r);
    }
    fn u_rate(&self, _: &[f64], w: &[f64], out: &mut [f64]) {
        out.copy_from_slice(w);
    }
}
