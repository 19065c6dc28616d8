//! Pin in a slot: the pin of b, along its z axis, slides along the x axis of a and turns about the z axis.
//!
//! ```text
//! translation rows  C = (y_a . d,  z_a . d),   d = p_b - p_a
//! rotation rows     C = (- y_a . z_b,  x_a . z_b)        as in the revolute joint
//! ```
//!
//! Rows y_a . d and z_a . d turn with a, so their rates are those of b's point seen from a: the lock rows at p_b. The rotation rows vanish also with
//! z_b opposite to z_a; `branch` tells the two apart. The slot has no ends.
//! Coordinates: the offset x_a . d and the angle from x_a to x_b about z.

use super::{
    Chart, Constraint, CoordinateKind, Lock, LockShape, Mask, Rows, about_z, angle_of, check_markers, markers, numbered,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::math::{Mat3, Vec3, vec3};

const MASK: Mask = Mask(0b011_110);

/// A pin along the z axis of marker b in a slot along the x axis of marker a.
#[derive(Clone, Debug)]
pub struct PinSlot {
    attachments: [Attachment; 7],
}

impl PinSlot {
    /// The slot runs along x of `a` and is open along its z; the pin points along z of `b`.
    pub fn new(a: Marker, b: Marker) -> Self {
        PinSlot { attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.z()] }
    }
}

impl Constraint for PinSlot {
    fn kind(&self) -> &'static str {
        "pin-slot"
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
        out.along(0, n(3), n(0), n(1));
        out.along(1, n(4), n(0), n(1));
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
            out.offset(a, 2, 0, 1)
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

impl Chart for PinSlot {
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
        (vec3(u[0], 0.0, 0.0), about_z(u[1]))
    }
    fn read(&self, p: Vec3, r: Mat3, u: &mut [f64]) {
        u.copy_from_slice(&[p.x, angle_of(r)]);
    }
    fn u_rate(&self, _: &[f64], w: &[f64], out: &mut [f64]) {
        out.copy_from_slice(w);
    }
}
