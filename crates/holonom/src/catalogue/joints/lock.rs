//! Locks: rows that hold some of the six relative directions of two bodies at a point, and the joints that are nothing
//! else.
//!
//! Let e = (x, y, z) be the axes of marker a and d = p_b - p_a. A bit of the mask is a row:
//!
//! ```text
//! bits 0-2, translation along e_i      C = e_i . d
//! bits 3-5, rotation, all three        C = (z_a . y_b,  x_a . z_b,  y_a . x_b)
//! bits 3-4, rotation about x and y     C = (- y_a . z_b,  x_a . z_b)
//! ```
//!
//! A row e . d turns with a, so its rate is that of b's point seen from a: the lock row at p_b. A small turn w of b
//! gives x_b = x_a + w × x_a and so on, so that the rotation rows are w . x_a, w . y_a, w . z_a to first order (rad):
//! lock rows where C = 0. They vanish also half a turn off, or with z_b opposite to z_a; `branch` tells these poses
//! apart. Multipliers of rotation rows are torques (N m).
//!
//! Coordinates are the offsets e_i . d along the free axes and the angle from x_a to x_b about z, positive by the right
//! hand, where only that is free; the chart has the same, and a unit quaternion (w, x, y, z) where all rotations are
//! free.

use super::{
    Chart, Constraint, CoordinateKind, GapSizes, JointDeclaration, Lock, LockShape, Mask, Rows, check_markers, markers,
    numbered,
};
use crate::catalogue::attach::{Attached, Attachment, Marker, View};
use crate::catalogue::coordinate::Measure;
use crate::catalogue::declaration::Invalid;
use crate::math::{Mat3, Quat, Vec3, quat_from_axes, rotation, vec3};

/// Which rotations a mask holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rotations {
    /// All: attachments 5-7 are x, y, z of b.
    Held,
    /// About x and y: attachments 5 and 6 are x and z of b.
    AboutZ,
    /// None.
    Free,
}

const fn rotations(mask: Mask) -> Rotations {
    match mask.0 >> 3 {
        0b111 => Rotations::Held,
        0b011 => Rotations::AboutZ,
        _ => Rotations::Free,
    }
}

/// Axes (0, 1, 2) along which translation is free.
fn free_axes(mask: Mask) -> impl Iterator<Item = usize> {
    (0..3).filter(move |&i| !mask.keeps(i))
}

/// A joint that is a mask. Attachments 0 and 1 are the points of a and b, 2-4 x, y, z of a, then those of b that its
/// rotation rows need: `rigid_axes`, `shaft_axes`, `first_axes`, or the points alone for all translations in the axes
/// of the world.
pub trait LockJoint: Send + Sync {
    /// Its line in the table.
    const DECLARATION: &'static JointDeclaration;
    /// The directions held, in the axes of marker a.
    const MASK: Mask;
    /// What it is attached to.
    fn parts(&self) -> &[Attachment];
    /// Its coordinates: by default offsets along the free axes, then the angle about z if that is what is free.
    fn coordinate_kinds(&self) -> &'static [CoordinateKind] {
        use CoordinateKind::{Angle, Length};
        match (free_axes(Self::MASK).count(), rotations(Self::MASK) == Rotations::AboutZ) {
            (0, true) => &[Angle],
            (1, true) => &[Length, Angle],
            (2, true) => &[Length, Length, Angle],
            (1, false) => &[Length],
            (2, false) => &[Length; 2],
            (3, false) => &[Length; 3],
            _ => &[],
        }
    }
}

/// Attachments of joints that hold all rotations.
pub(super) fn rigid_axes(a: Marker, b: Marker) -> [Attachment; 8] {
    [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.y(), b.z()]
}

/// Attachments of joints that turn about z.
pub(super) fn shaft_axes(a: Marker, b: Marker) -> [Attachment; 7] {
    [a.p(), b.p(), a.x(), a.y(), a.z(), b.x(), b.z()]
}

/// Attachments of joints that hold no rotation: the axes of b do not matter.
pub(super) fn first_axes(a: Marker, b: Marker) -> [Attachment; 5] {
    [a.p(), b.p(), a.x(), a.y(), a.z()]
}

/// All three translations and nothing else: along the axes of the world.
const fn holds_point(mask: Mask) -> bool {
    mask.0 == Mask::FIRST_THREE.0
}

impl<J: LockJoint> Constraint for J {
    fn kind(&self) -> &'static str {
        J::DECLARATION.kind.name
    }
    fn attachments(&self) -> &[Attachment] {
        self.parts()
    }
    fn n_rows(&self) -> usize {
        J::MASK.count()
    }
    fn validate(&self) -> Result<(), Invalid> {
        let (a, b) = self.markers();
        check_markers(&a, &b)
    }
    fn rows(&self, a: &View, _t: f64, out: &mut Rows) {
        let n = |k| numbered(a, k);
        if holds_point(J::MASK) {
            return out.coincide(0, n(0), n(1));
        }
        let mut row = 0;
        if J::MASK.0 & Mask::FIRST_THREE.0 != 0 {
            let (p, q) = (n(0), n(1));
            for i in (0..3).filter(|&i| J::MASK.keeps(i)) {
                out.along(row, n(2 + i), p, q);
                row += 1;
            }
        }
        match rotations(J::MASK) {
            Rotations::Held => out.same_axes(row, [n(2), n(3), n(4)], [n(5), n(6), n(7)]),
            Rotations::AboutZ => out.parallel(row, [n(2), n(3)], n(6)),
            Rotations::Free => {}
        }
    }
    fn gaps(&self, a: &View, out: &mut [(f64, f64)], mut sizes: Option<&mut GapSizes>) -> bool {
        // the same sums as in the parts of `Rows`, in the same order, so that both have the same bits
        let (mut n, mut fastest) = (0, 0.0f64);
        let (p, q) = (a.get(0), a.get(1));
        let d = q.at - p.at;
        for i in 0..3 {
            if !J::MASK.keeps(i) {
                continue;
            }
            let e = if holds_point(J::MASK) { Attached::default() } else { a.get(2 + i) };
            out[n] = match holds_point(J::MASK) {
                true => (d[i], q.rate[i] - p.rate[i]),
                false => (e.at.dot(d), (-e.at).dot(p.rate) + e.at.dot(q.rate) + d.dot(e.rate)),
            };
            if let Some(sizes) = &mut sizes {
                let ([p, q], turn) = (sizes.points, e.rate.length());
                let apart = if holds_point(J::MASK) { 0.0 } else { d.length() };
                sizes.rows[n] = (p.0 + q.0 + apart, p.1 + q.1 + apart * turn);
                fastest = fastest.max(turn);
            }
            n += 1;
        }
        let mut perpendicular = |s: f64, d: Attached, e: Attached| {
            out[n] = (s * d.at.dot(e.at), (s * e.at).dot(d.rate) + (s * d.at).dot(e.rate));
            if let Some(sizes) = &mut sizes {
                let (one, other) = (d.rate.length(), e.rate.length());
                sizes.rows[n] = (2.0, one + other);
                fastest = fastest.max(one).max(other);
            }
            n += 1;
        };
        match rotations(J::MASK) {
            Rotations::Held => {
                perpendicular(1.0, a.get(4), a.get(6));
                perpendicular(1.0, a.get(2), a.get(7));
                perpendicular(1.0, a.get(3), a.get(5));
            }
            Rotations::AboutZ => {
                let z = a.get(6);
                perpendicular(-1.0, a.get(3), z);
                perpendicular(1.0, a.get(2), z);
            }
            Rotations::Free => {}
        }
        if let Some(sizes) = sizes {
            sizes.fastest = fastest;
        }
        true
    }
    fn lock_shape(&self) -> Option<LockShape> {
        Some(LockShape { mask: J::MASK, aligned: holds_point(J::MASK) })
    }
    fn lock(&self, a: &View) -> Lock {
        if holds_point(J::MASK) {
            return Lock::at_point_only(a);
        }
        let (x, y) = (a.at(2), a.at(3));
        if free_axes(J::MASK).next().is_some() {
            return Lock::in_first(a, Mat3::from_cols(x, y, a.at(4)));
        }
        // a hinge needs z of a for nothing else
        let z = if rotations(J::MASK) == Rotations::AboutZ { x.cross(y) } else { a.at(4) };
        Lock::at_common_point(a, Mat3::from_cols(x, y, z))
    }
    fn lock_is_plain(&self) -> bool {
        true
    }
    fn coordinates(&self) -> &'static [CoordinateKind] {
        self.coordinate_kinds()
    }
    fn measure(&self, a: &View, i: usize, out: &mut Measure) {
        match (self.coordinate_kinds()[i], free_axes(J::MASK).nth(i)) {
            (CoordinateKind::Length, Some(axis)) => out.offset(a, 2 + axis, 0, 1),
            _ => out.angle(a, 2, 3, 5),
        }
    }
    fn branch(&self, a: &View) -> f64 {
        match rotations(J::MASK) {
            Rotations::Held => agreement(a),
            Rotations::AboutZ => a.at(4).dot(a.at(6)),
            Rotations::Free => 1.0,
        }
    }
    fn chart(&self) -> Option<&dyn Chart> {
        Some(self)
    }
}

/// Offsets along the free axes of a, then the angle about z, a quaternion, or nothing.
impl<J: LockJoint> Chart for J {
    fn markers(&self) -> (Marker, Marker) {
        let parts = self.parts();
        if holds_point(J::MASK) {
            // the axes do not matter: those of the bodies will do
            return markers(parts, Mat3::IDENTITY, Mat3::IDENTITY);
        }
        let d = |k: usize| parts[k].carried_vector();
        let axes_b = match rotations(J::MASK) {
            Rotations::Held => Mat3::from_cols(d(5), d(6), d(7)),
            Rotations::AboutZ => Mat3::from_cols(d(5), d(6).cross(d(5)), d(6)),
            Rotations::Free => Mat3::IDENTITY,
        };
        markers(parts, Mat3::from_cols(d(2), d(3), d(4)), axes_b)
    }
    fn n_u(&self) -> usize {
        let turns = match rotations(J::MASK) {
            Rotations::Held => 0,
            Rotations::AboutZ => 1,
            Rotations::Free => 4,
        };
        free_axes(J::MASK).count() + turns
    }
    fn mask(&self) -> Mask {
        J::MASK
    }
    fn is_steady(&self) -> bool {
        true
    }
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3) {
        let mut p = Vec3::ZERO;
        let mut n = 0;
        for axis in free_axes(J::MASK) {
            p[axis] = u[n];
            n += 1;
        }
        let turn = match rotations(J::MASK) {
            Rotations::Held => Mat3::IDENTITY,
            Rotations::AboutZ => about_z(u[n]),
            Rotations::Free => rotation(u[n], u[n + 1], u[n + 2], u[n + 3]),
        };
        (p, turn)
    }
    fn read(&self, p: Vec3, r: Mat3, u: &mut [f64]) {
        let mut n = 0;
        for axis in free_axes(J::MASK) {
            u[n] = p[axis];
            n += 1;
        }
        match rotations(J::MASK) {
            Rotations::Held => {}
            Rotations::AboutZ => u[n] = angle_of(r),
            Rotations::Free => read_quat(r, &mut u[n..]),
        }
    }
    fn u_rate(&self, u: &[f64], w: &[f64], out: &mut [f64]) {
        if rotations(J::MASK) != Rotations::Free {
            return out.copy_from_slice(w);
        }
        let n = free_axes(J::MASK).count();
        out[..n].copy_from_slice(&w[..n]);
        quat_rate(&u[n..], &w[n..], &mut out[n..]);
    }
    fn normalise(&self, u: &mut [f64]) {
        if rotations(J::MASK) == Rotations::Free {
            normalise_quat(&mut u[free_axes(J::MASK).count()..]);
        }
    }
}

/// Do the axes of a (attachments 2-4) and of b (5-7) agree? Half a turn off the smallest of their cosines is -1, a
/// third of a turn off, about (1, 1, 1), all are 0, and rows of the form x_a . z_b vanish there too: so it must be well
/// above 0.
pub(super) fn agreement(a: &View) -> f64 {
    let cos = |i: usize| a.at(2 + i).dot(a.at(5 + i));
    cos(0).min(cos(1)).min(cos(2)) - 0.5
}

/// Rotation about z.
pub(super) fn about_z(angle: f64) -> Mat3 {
    let (s, c) = libm::sincos(angle);
    Mat3::from_cols(vec3(c, s, 0.0), vec3(-s, c, 0.0), Vec3::Z)
}

/// Angle about z of a rotation.
pub(super) fn angle_of(r: Mat3) -> f64 {
    libm::atan2(r.x_axis.y, r.x_axis.x)
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
