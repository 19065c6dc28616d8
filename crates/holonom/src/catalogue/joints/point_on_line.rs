//! Point on line: a point of b stays on the z axis of a; b turns freely.
//!
//! ```text
//! C = (x_a . d,  y_a . d),   d = p_b - p_a          the translation rows of the cylindrical joint
//! ```
//!
//! b needs to carry only a point, so a particle will do. Coordinate: z_a . d.

use super::{
    Chart, Constraint, CoordinateKind, Lock, LockShape, Mask, Rows, check_markers, markers, numbered,
    spherical::{normalise_quat, quat_rate, read_quat},
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::math::{Mat3, Vec3, rotation, vec3};

const MASK: Mask = Mask(0b000_011);

/// Keeps a point of b on the z axis of marker a.
#[derive(Clone, Debug)]
pub struct PointOnLine {
    attachments: [Attachment; 5],
}

impl PointOnLine {
    /// The line is the z axis of `a`; the axes of `b` do not matter.
    pub fn new(a: Marker, b: Marker) -> Self {
        PointOnLine { attachments: [a.p(), b.p(), a.x(), a.y(), a.z()] }
    }
}

impl Constraint for PointOnLine {
    fn kind(&self) -> &'static str {
        "point-on-line"
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
        let (p, q) = (n(0), n(1));
        for i in 0..2 {
            out.along(i, n(2 + i), p, q);
        }
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
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

impl Chart for PointOnLine {
    fn markers(&self) -> (Marker, Marker) {
        let d = |k: usize| self.attachments[k].carried_vector();
        // the axes of b do not matter: those of the body will do
        markers(&self.attachments, Mat3::from_cols(d(2), d(3), d(4)), Mat3::IDENTITY)
    }
    fn n_u(&self) -> usize {
        5
    }
    fn mask(&self) -> Mask {
        MASK
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        (vec3(0.0, 0.0, u[0]), rotation(u[1], u[2], u[3], u[4]))
    }
    fn read(&self, p: Vec3, r: Mat3, u: &mut [f64]) {
        u[0] = p.z;
        read_quat(r, &mut u[1..]);
    }
    fn u_rate(&self, u: &[f64], w: &[f64], out: &mut [f64]) {
        out[0] = w[0];
        quat_rate(&u[1..], &w[1..], &mut out[1..]);
    }
    fn normalise(&self, u: &mut [f64]) {
        normalise_quat(&mut u[1..]);
    }
}
