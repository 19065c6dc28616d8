//! Orientation lock: b keeps the orientation of a. Points move freely.
//!
//! ```text
//! C = (z_a . y_b,  x_a . z_b,  y_a . x_b)        the rotation rows of the weld
//! ```
//!
//! A small turn d of b makes them d . x_a, d . y_a, d . z_a to first order (rad): the lock rows where C = 0. They vanish also half a turn off,
//! and a third of a turn off about (1, 1, 1); `branch` tells these apart. The multipliers are torques (N m); no force passes through the joint.
//! Coordinates: the offsets of p_b from p_a along x_a, y_a, z_a.

use super::{
    Chart, Constraint, CoordinateKind, Lock, LockShape, Mask, Rows, agreement, check_markers, markers, numbered,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::math::{Mat3, Vec3, vec3};

const MASK: Mask = Mask(0b111_000);

/// Keeps the axes of two markers parallel, one by one: b does not turn against a.
#[derive(Clone, Debug)]
pub struct OrientationLock {
    attachments: [Attachment; 8],
}

impl OrientationLock {
    /// Joins the axes of two markers; their points only say where coordinates and reaction are taken.
    pub fn new(a: Marker, b: Marker) -> Self {
        OrientationLock { attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.y(), b.z()] }
    }
}

impl Constraint for OrientationLock {
    fn kind(&self) -> &'static str {
        "orientation-lock"
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
        out.same_axes(0, [n(2), n(3), n(4)], [n(5), n(6), n(7)]);
    }
    fn lock_shape(&self) -> Option<LockShape> {
        Some(LockShape { mask: MASK, aligned: false })
    }
    fn lock(&self, a: &View) -> Lock {
        Lock::in_first(a, Mat3::from_cols(a.at(2), a.at(3), a.at(4)))
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Length; 3]
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        out.offset(a, 2 + i, 0, 1);
    }
    fn branch(&self, a: &View) -> f64 {
        agreement(a)
    }
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

impl Chart for OrientationLock {
    fn markers(&self) -> (Marker, Marker) {
        let d = |k: usize| self.attachments[k].carried_vector();
        markers(&self.attachments, Mat3::from_cols(d(2), d(3), d(4)), Mat3::from_cols(d(5), d(6), d(7)))
    }
    fn n_u(&self) -> usize {
        3
    }
    fn mask(&self) -> Mask {
        MASK
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        (vec3(u[0], u[1], u[2]), Mat3::IDENTITY)
    }
    fn read(&self, p: Vec3, _: Mat3, u: &mut [f64]) {
        u.copy_from_slice(&[p.x, p.y, p.z]);
    }
    fn u_rate(&self, _: &[f64], w: &[f64], out: &mut [f64]) {
        out.copy_from_slice(w);
    }
}
