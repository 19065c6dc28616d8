//! Prismatic joint (slider): b slides along the z axis of a without turning.
//!
//! ```text
//! translation rows  C = (x_a . d,  y_a . d),   d = p_b - p_a
//! rotation rows     C = (z_a . y_b,  x_a . z_b,  y_a . x_b)        as in the weld
//! ```
//!
//! Rows x_a . d turn with a, so their rate is that of b's point seen from a: exactly the lock row at p_b.
//! Coordinate: z_a . d.

use super::{
    Chart, Constraint, CoordinateKind, Lock, LockShape, Mask, Rows, agreement, check_markers, markers, numbered,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::math::{Mat3, Vec3, vec3};

const MASK: Mask = Mask(0b111_011);

/// A slider along the common z axis of two markers.
#[derive(Clone, Debug)]
pub struct Prismatic {
    attachments: [Attachment; 8],
}

impl Prismatic {
    /// Joins two markers; their z axes become the direction of sliding.
    pub fn new(a: Marker, b: Marker) -> Self {
        Prismatic { attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.y(), b.z()] }
    }
}

impl Constraint for Prismatic {
    fn kind(&self) -> &'static str {
        "prismatic"
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
        for i in 0..2 {
            out.along(i, n(2 + i), p, q);
        }
        out.same_axes(2, [n(2), n(3), n(4)], [n(5), n(6), n(7)]);
    }
    fn lock_shape(&self) -> Option<LockShape> {
        Some(LockShape { mask: MASK, aligned: false })
    }
    fn lock(&self, a: &View) -> Lock {
        Lock::in_first(a, Mat3::from_cols(a.at(2), a.at(3), a.at(4)))
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Length]
    }
    fn measure(&self, a: &View, _: usize, out: &mut Measure) {
        out.offset(a, 4, 0, 1);
    }
    fn branch(&self, a: &View) -> f64 {
        agreement(a)
    }
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

impl Chart for Prismatic {
    fn markers(&self) -> (Marker, Marker) {
        let d = |k: usize| self.attachments[k].carried_vector();
        markers(&self.attachments, Mat3::from_cols(d(2), d(3), d(4)), Mat3::from_cols(d(5), d(6), d(7)))
    }
    fn n_u(&self) -> usize {
        1
    }
    fn mask(&self) -> Mask {
        MASK
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        (vec3(0.0, 0.0, u[0]), Mat3::IDENTITY)
    }
    fn read(&self, p: Vec3, _: Mat3, u: &mut [f64]) {
        u[0] = p.z;
    }
    fn u_rate(&self, _: &[f64], w: &[f64], out: &mut [f64]) {
        out[0] = w[0];
    }
}
