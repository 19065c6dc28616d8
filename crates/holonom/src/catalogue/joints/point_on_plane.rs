//! Point on plane: a point of b stays in the x-y plane of a; b turns freely.
//!
//! ```text
//! C = z_a . d,   d = p_b - p_a          the translation row of the planar joint
//! ```
//!
//! b needs to carry only a point, so a particle will do. Coordinates: x_a . d and y_a . d.

use super::{
    Chart, Constraint, CoordinateKind, Lock, LockShape, Mask, Rows, check_markers, markers, numbered,
    spherical::{normalise_quat, quat_rate, read_quat},
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::math::{Mat3, Vec3, rotation, vec3};

const MASK: Mask = Mask(0b000_100);

/// Keeps a point of b in the x-y plane of marker a.
#[derive(Clone, Debug)]
pub struct PointOnPlane {
    attachments: [Attachment; 5],
}

impl PointOnPlane {
    /// The plane's normal is the z axis of `a`; the axes of `b` do not matter.
    pub fn new(a: Marker, b: Marker) -> Self {
        PointOnPlane { attachments: [a.p(), b.p(), a.x(), a.y(), a.z()] }
    }
}

impl Constraint for PointOnPlane {
    fn kind(&self) -> &'static str {
        "point-on-plane"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), String> {
        let (a, b) = self.markers();
        check_markers(&a, &b)
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let n = |k| numbered(a, k);
        out.along(0, n(4), n(0), n(1));
    }
    fn lock_shape(&self) -> Option<LockShape> {
        Some(LockShape { mask: MASK, aligned: false })
    }
    fn lock(&self, a: &View) -> Lock {
        Lock::in_first(a, Mat3::from_cols(a.at(2), a.at(3), a.at(4)))
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Length, CoordinateKind::Length]
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        out.offset(a, 2 + i, 0, 1);
    }
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

impl Chart for PointOnPlane {
    fn markers(&self) -> (Marker, Marker) {
        let d = |k: usize| self.attachments[k].carried_vector();
        // the axes of b do not matter: those of the body will do
        markers(&self.attachments, Mat3::from_cols(d(2), d(3), d(4)), Mat3::IDENTITY)
    }
    fn n_u(&self) -> usize {
        6
    }
    fn mask(&self) -> Mask {
        MASK
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        (vec3(u[0], u[1], 0.0), rotation(u[2], u[3], u[4], u[5]))
    }
    fn read(&self, p: Vec3, r: Mat3, u: &mut [f64]) {
        u[..2].copy_from_slice(&[p.x, p.y]);
        read_quat(r, &mut u[2..]);
    }
    fn u_rate(&self, u: &[f64], w: &[f64], out: &mut [f64]) {
        out[..2].copy_from_slice(&w[..2]);
        quat_rate(&u[2..], &w[2..], &mut out[2..]);
    }
    fn normalise(&self, u: &mut [f64]) {
        normalise_quat(&mut u[2..]);
    }
}
