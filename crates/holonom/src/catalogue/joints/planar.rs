//! Planar joint: b slides in the x-y plane of a and turns about the plane's normal.
//!
//! ```text
//! translation row   C = z_a . (p_b - p_a)
//! rotation rows     C = (- y_a . z_b,  x_a . z_b)        as in the revolute joint
//! ```
//!
//! Coordinates: offsets along x_a and y_a, and the angle from x_a to x_b about z.

use super::{
    Chart, Constraint, CoordinateKind, Lock, LockShape, Mask, Rows, about_z, angle_of, check_markers, markers, numbered,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::math::{Mat3, Vec3, vec3};

const MASK: Mask = Mask(0b011_100);

/// Slides in the x-y plane of marker a and turns about its normal.
#[derive(Clone, Debug)]
pub struct PlanarJoint {
    attachments: [Attachment; 7],
}

impl PlanarJoint {
    /// Joins two markers; their z axes are the normal of the plane.
    pub fn new(a: Marker, b: Marker) -> Self {
        PlanarJoint { attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.z()] }
    }
}

impl Constraint for PlanarJoint {
    fn kind(&self) -> &'static str {
        "planar"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        3
    }
    fn validate(&self) -> Result<(), String> {
        let (a, b) = self.markers();
        check_markers(&a, &b)
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let n = |k| numbered(a, k);
        out.along(0, n(4), n(0), n(1));
        out.parallel(1, [n(2), n(3)], n(6));
    }
    fn lock_shape(&self) -> Option<LockShape> {
        Some(LockShape { mask: MASK, aligned: false })
    }
    fn lock(&self, a: &View) -> Lock {
        Lock::in_first(a, Mat3::from_cols(a.at(2), a.at(3), a.at(4)))
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Length, CoordinateKind::Length, CoordinateKind::Angle]
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        if i < 2 {
            out.offset(a, 2 + i, 0, 1)
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

impl Chart for PlanarJoint {
    fn markers(&self) -> (Marker, Marker) {
        let d = |k: usize| self.attachments[k].carried_vector();
        markers(&self.attachments, Mat3::from_cols(d(2), d(3), d(4)), Mat3::from_cols(d(5), d(6).cross(d(5)), d(6)))
    }
    fn n_u(&self) -> usize {
        3
    }
    fn mask(&self) -> Mask {
        MASK
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        (vec3(u[0], u[1], 0.0), about_z(u[2]))
    }
    fn read(&self, p: Vec3, r: Mat3, u: &mut [f64]) {
        u.copy_from_slice(&[p.x, p.y, angle_of(r)]);
    }
    fn u_rate(&self, _: &[f64], w: &[f64], out: &mut [f64]) {
        out.copy_from_slice(w);
    }
}
