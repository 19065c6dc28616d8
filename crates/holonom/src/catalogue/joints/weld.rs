//! Weld: marker b is marker a.
//!
//! ```text
//! translation rows  C_i = e_i . (p_b - p_a),   e = axes (x, y, z) of a
//! rotation rows     C = (z_a . y_b,  x_a . z_b,  y_a . x_b)
//! ```
//!
//! A small turn d of b gives y_b = y_a + d × y_a and so on: the three rotation rows are d . x_a, d . y_a, d . z_a to first order,
//! which makes them the lock rows where C = 0. They vanish also half a turn off; `branch` tells the two apart.

use super::{Chart, Constraint, Lock, LockShape, Mask, Rows, agreement, check_markers, markers, numbered};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::math::{Mat3, Vec3};

const MASK: Mask = Mask(0b111_111);

/// Holds two bodies together.
#[derive(Clone, Debug)]
pub struct Weld {
    attachments: [Attachment; 8],
}

impl Weld {
    /// Joins two markers, point to point and axis to axis.
    pub fn new(a: Marker, b: Marker) -> Self {
        Weld { attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.y(), b.z()] }
    }
}

impl Constraint for Weld {
    fn kind(&self) -> &'static str {
        "weld"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        6
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
        out.same_axes(3, [n(2), n(3), n(4)], [n(5), n(6), n(7)]);
    }
    fn lock_shape(&self) -> Option<LockShape> {
        Some(LockShape { mask: MASK, aligned: false })
    }
    fn lock(&self, a: &View) -> Lock {
        Lock::at_common_point(a, Mat3::from_cols(a.at(2), a.at(3), a.at(4)))
    }
    fn branch(&self, a: &View) -> f64 {
        agreement(a)
    }
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

impl Chart for Weld {
    fn markers(&self) -> (Marker, Marker) {
        let d = |k: usize| self.attachments[k].carried_vector();
        markers(&self.attachments, Mat3::from_cols(d(2), d(3), d(4)), Mat3::from_cols(d(5), d(6), d(7)))
    }
    fn n_u(&self) -> usize {
        0
    }
    fn mask(&self) -> Mask {
        MASK
    }
    fn pose(&self, _: &[f64]) -> (Vec3, Mat3) {
        (Vec3::ZERO, Mat3::IDENTITY)
    }
    fn read(&self, _: Vec3, _: Mat3, _: &mut [f64]) {}
    fn u_rate(&self, _: &[f64], _: &[f64], _: &mut [f64]) {}
}
