//! Oldham coupling: parallel shafts with a lateral offset turn together.
//!
//! ```text
//! translation row   C = z_a . d,   d = p_b - p_a                   the axial distance is held
//! rotation rows     C = (z_a . y_b,  x_a . z_b,  y_a . x_b)        as in the weld
//! ```
//!
//! The row z_a . d turns with a, so its rate is that of b's point seen from a: the lock row at p_b. All four vanish also half a turn off;
//! `branch` tells these poses apart. Regular at any offset, zero included.
//!
//! The real coupling has a disc between the two hubs, with a tongue along x_a on one face and one along y_b on the other. It cannot turn against
//! either hub, so all three turn at the same rate whatever the offset is. Its centre lies on the line through p_a along x_a and on the line
//! through p_b along y_b = y_a, that is at
//!
//! ```text
//! p_a + (x_a . d) x_a
//! ```
//!
//! With the shafts on fixed bearings, d fixed and x_a at the angle phi from d, this is d/2 + |d|/2 (cos 2 phi, sin 2 phi) in the frame of d: the centre
//! runs on the circle with diameter d, twice around for every turn of the shafts. Here the disc is massless: its centrifugal force, 2 m |d| w^2 for a
//! disc of mass m, is not felt by the bearings.
//! Coordinates: the lateral offsets x_a . d and y_a . d.

use super::{
    Chart, Constraint, CoordinateKind, Lock, LockShape, Mask, Rows, agreement, check_markers, markers, numbered,
};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::math::{Mat3, Vec3, vec3};

const MASK: Mask = Mask(0b111_100);

/// Two shafts along the z axes of two markers turn together; the offset across the axis is free.
#[derive(Clone, Debug)]
pub struct Oldham {
    attachments: [Attachment; 8],
}

impl Oldham {
    /// Joins two markers; their z axes are the axes of the shafts, their points lie in one plane across.
    pub fn new(a: Marker, b: Marker) -> Self {
        Oldham { attachments: [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.y(), b.z()] }
    }
}

impl Constraint for Oldham {
    fn kind(&self) -> &'static str {
        "oldham"
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
        out.along(0, n(4), n(0), n(1));
        out.same_axes(1, [n(2), n(3), n(4)], [n(5), n(6), n(7)]);
    }
    fn lock_shape(&self) -> Option<LockShape> {
        Some(LockShape { mask: MASK, aligned: false })
    }
    fn lock(&self, a: &View) -> Lock {
        Lock::in_first(a, Mat3::from_cols(a.at(2), a.at(3), a.at(4)))
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        &[CoordinateKind::Length; 2]
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

impl Chart for Oldham {
    fn markers(&self) -> (Marker, Marker) {
        let d = |k: usize| self.attachments[k].carried_vector();
        markers(&self.attachments, Mat3::from_cols(d(2), d(3), d(4)), Mat3::from_cols(d(5), d(6), d(7)))
    }
    fn n_u(&self) -> usize {
        2
    }
    fn mask(&self) -> Mask {
        MASK
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        (vec3(u[0], u[1], 0.0), Mat3::IDENTITY)
    }
    fn read(&self, p: Vec3, _: Mat3, u: &mut [f64]) {
        u.copy_from_slice(&[p.x, p.y]);
    }
    fn u_rate(&self, _: &[f64], w: &[f64], out: &mut [f64]) {
        out.copy_from_slice(w);
    }
}
