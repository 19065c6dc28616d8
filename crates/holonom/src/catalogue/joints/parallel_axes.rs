//! Parallel axes: the z axis of b stays parallel to the z axis of a, and points the same way. Points move freely.
//!
//! ```text
//! C = (- y_a . z_b,  x_a . z_b)        the rotation rows of the revolute joint
//! ```
//!
//! A small turn d of b gives z_b = z_a + d × z_a, so the rows are d . x_a and d . y_a to first order (rad): the lock rows where C = 0. They vanish
//! also with z_b opposite to z_a; `branch` tells the two apart. The multipliers are torques (N m); no force passes through the joint, and
//! the torque is the same wherever the points are.
//! Coordinate: the angle from x_a to x_b about z.

use super::{
    Chart, Constraint, CoordinateKind, Lock, LockShape, Mask, Rows, about_z, angle_of, check_markers, markers, numbered,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::math::{Mat3, Vec3, vec3};

const MASK: Mask = Mask(0b011_000);

/// Keeps the z axes of two markers parallel.
#[derive(Clone, Debug)]
pub struct ParallelAxes {
    attachments: [Attachment; 7],
}

impl ParallelAxes {
    /// Joins the directions of two markers; their points only say where the reaction is reported.
    pub fn new(a: Marker, b: Marker) -> Self {
        ParallelAxes { attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.z()] }
    }
}

impl Constraint for ParallelAxes {
    fn kind(&self) -> &'static str {
        "parallel-axes"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        2
    }
    fn validate(&self) -> Result<(), String> {
        let (a, b) = self.markers();
        check_markers(&a, &b)
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let n = |k| numbered(a, k);
        out.parallel(0, [n(2), n(3)], n(6));
    }
    fn lock_shape(&self) -> Option<LockShape> {
        Some(LockShape { mask: MASK, aligned: false })
    }
    fn lock(&self, a: &View) -> Lock {
        Lock::in_first(a, Mat3::from_cols(a.at(2), a.at(3), a.at(4)))
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

/// Offsets along x_a, y_a, z_a and the angle about z.
impl Chart for ParallelAxes {
    fn markers(&self) -> (Marker, Marker) {
        let d = |k: usize| self.attachments[k].carried_vector();
        markers(&self.attachments, Mat3::from_cols(d(2), d(3), d(4)), Mat3::from_cols(d(5), d(6).cross(d(5)), d(6)))
    }
    fn n_u(&self) -> usize {
        4
    }
    fn mask(&self) -> Mask {
        MASK
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        (vec3(u[0], u[1], u[2]), about_z(u[3]))
    }
    fn read(&self, p: Vec3, r: Mat3, u: &mut [f64]) {
        u.copy_from_slice(&[p.x, p.y, p.z, angle_of(r)]);
    }
    fn u_rate(&self, _: &[f64], w: &[f64], out: &mut [f64]) {
        out.copy_from_slice(w);
    }
}
