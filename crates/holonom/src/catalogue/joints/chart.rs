//! Joints as motions, for integration in joint coordinates.

use super::Mask;
use crate::catalogue::attach::Marker;
use crate::math::{Mat3, Quat, Vec3, quat_from_axes, vec3};

/// A joint as a motion with coordinates `u` and rates `w`: the twist of marker b relative to marker a, taken at the point of b
/// and in the axes of marker a, is `sum_k w_k phi_k(u)` with orthonormal `phi_k`. Also required: `d(phi_k)/dt w_k` summed over k is
/// perpendicular to every `phi_k`, so that `wdot_k = phi_k . (relative acceleration)`.
pub trait Chart {
    /// The markers joined.
    fn markers(&self) -> (Marker, Marker);
    /// Number of coordinates `u` (a free rotation has four).
    fn n_u(&self) -> usize;
    /// Which relative directions are held, in the axes of marker a.
    fn mask(&self) -> Mask;
    /// Number of rates `w`.
    fn n_w(&self) -> usize {
        6 - self.mask().count()
    }
    /// `phi_k`: translation and rotation, in the axes of marker a. By default the directions that the mask leaves free.
    fn free(&self, _u: &[f64], k: usize) -> (Vec3, Vec3) {
        free_of(self.mask(), k)
    }
    /// Position (in the axes of marker a) and rotation of marker b relative to marker a.
    fn pose(&self, u: &[f64]) -> (Vec3, Mat3);
    /// Coordinates of a relative pose that satisfies the joint.
    fn read(&self, p: Vec3, r: Mat3, u: &mut [f64]);
    /// du/dt from the rates.
    fn u_rate(&self, u: &[f64], w: &[f64], out: &mut [f64]);
    /// Back on the manifold (unit quaternion).
    fn normalise(&self, _u: &mut [f64]) {}
}

/// The k-th free direction of a mask, in the axes it refers to.
pub(super) fn free_of(mask: Mask, k: usize) -> (Vec3, Vec3) {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    match (0..6).filter(|&i| !mask.keeps(i)).nth(k) {
        Some(i) if i < 3 => (axes[i], Vec3::ZERO),
        Some(i) => (Vec3::ZERO, axes[i - 3]),
        None => (Vec3::ZERO, Vec3::ZERO),
    }
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
