//! Spherical joint (ball and socket): point p_b of body b on point p_a of body a.
//!
//! ```text
//! C = p_b - p_a   (3 rows, world axes, m)        J v = pdot_b - pdot_a        jdot_v as the points'
//! ```
//!
//! As a lock: the three translations at the point, world axes. Never singular. The joint has no coordinate of its own; the
//! chart for joint coordinates is a unit quaternion.

use super::{Chart, Constraint, Lock, LockShape, Mask, Rows, check_markers, markers, numbered};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::math::{Mat3, Quat, Vec3, quat_from_axes, rotation};

const MASK: Mask = Mask(0b000_111);

/// A ball joint.
#[derive(Clone, Debug)]
pub struct Spherical {
    attachments: [Attachment; 2],
}

impl Spherical {
    /// Joins the points of two markers; their axes do not matter.
    pub fn new(a: Marker, b: Marker) -> Self {
        Spherical { attachments: [a.p(), b.p()] }
    }
}

impl Constraint for Spherical {
    fn kind(&self) -> &'static str {
        "spherical"
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
        out.coincide(0, numbered(a, 0), numbered(a, 1));
    }
    fn lock_shape(&self) -> Option<LockShape> {
        Some(LockShape { mask: MASK, aligned: true })
    }
    fn lock(&self, a: &View) -> Lock {
        Lock::at_point_only(a)
    }
    fn is_coincidence(&self) -> bool {
        true
    }
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

impl Chart for Spherical {
    fn markers(&self) -> (Marker, Marker) {
        // the axes do not matter: those of the bodies will do
        markers(&self.attachments, Mat3::IDENTITY, Mat3::IDENTITY)
    }
    fn n_u(&self) -> usize {
        4
    }
    fn mask(&self) -> Mask {
        MASK
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        (Vec3::ZERO, rotation(u[0], u[1], u[2], u[3]))
    }
    fn read(&self, _: Vec3, r: Mat3, u: &mut [f64]) {
        read_quat(r, u);
    }
    fn u_rate(&self, u: &[f64], w: &[f64], out: &mut [f64]) {
        quat_rate(u, w, out);
    }
    fn normalise(&self, u: &mut [f64]) {
        normalise_quat(u);
    }
}

/// A rotation as (w, x, y, z).
pub(super) fn read_quat(r: Mat3, u: &mut [f64]) {
    let e = quat_from_axes(r);
    u.copy_from_slice(&[e.w, e.x, e.y, e.z]);
}

/// 1/2 (0, w) u: the angular velocity in the axes of marker a.
pub(super) fn quat_rate(u: &[f64], w: &[f64], out: &mut [f64]) {
    let rate = Quat::from_xyzw(0.5 * w[0], 0.5 * w[1], 0.5 * w[2], 0.0) * Quat::from_xyzw(u[1], u[2], u[3], u[0]);
    out.copy_from_slice(&[rate.w, rate.x, rate.y, rate.z]);
}

/// To unit length.
pub(super) fn normalise_quat(u: &mut [f64]) {
    let s = 1.0 / (u[0] * u[0] + u[1] * u[1] + u[2] * u[2] + u[3] * u[3]).sqrt();
    u.iter_mut().for_each(|x| *x *= s);
}
