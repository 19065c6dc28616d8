//! Joints as motions, for integration in joint coordinates.

use super::{Marker, Mask};
use crate::math::{Mat3, Vec3};

/// A joint as a motion with coordinates `u` and rates `w`: the twist of marker b relative to marker a, taken at the
/// point of b and in the axes of marker a, is `sum_k w_k phi_k(u)`. The rates are read back by rows `psi_k`:
///
/// ```text
/// w_k = psi_k . (relative twist)              wdot_k = psi_k . (relative acceleration) + drift_k(u, w)
/// ```
///
/// where the acceleration is the derivative of the twist as seen from a. With orthonormal `phi_k`, `psi_k = phi_k`
/// will do, and `drift_k` is zero where `d(phi_k)/dt w_k` summed over k is perpendicular to every `psi_k`. There may be
/// fewer rates than derivatives of coordinates (rolling), and more rates than directions that are free: then `phi_k`
/// drops what is not.
pub trait Chart {
    /// The markers joined.
    fn markers(&self) -> (Marker, Marker);
    /// Number of coordinates `u` (a free rotation has four).
    fn n_u(&self) -> usize;
    /// Which relative directions are held, in the axes of marker a; none for charts that say `n_w` and `free` in
    /// another way.
    fn mask(&self) -> Mask {
        Mask(0)
    }
    /// Number of rates `w`.
    fn n_w(&self) -> usize {
        6 - self.mask().count()
    }
    /// Number of directions that are free: the rates that are independent.
    fn freedom(&self) -> usize {
        self.n_w()
    }
    /// `phi_k`: translation and rotation, in the axes of marker a. By default the directions that the mask leaves free.
    fn free(&self, _u: &[f64], k: usize) -> (Vec3, Vec3) {
        free_of(self.mask(), k)
    }
    /// Are the free directions those of the mask, and so fixed in the axes of marker a?
    fn is_steady(&self) -> bool {
        false
    }
    /// `psi_k`, in the same axes.
    fn rate_row(&self, u: &[f64], k: usize) -> (Vec3, Vec3) {
        self.free(u, k)
    }
    /// `drift_k`: the part of the k-th acceleration that depends on rates alone.
    fn drift(&self, _u: &[f64], _w: &[f64], _k: usize) -> f64 {
        0.0
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
pub(crate) fn free_of(mask: Mask, k: usize) -> (Vec3, Vec3) {
    let axes = [Vec3::X, Vec3::Y, Vec3::Z];
    match (0..6).filter(|&i| !mask.keeps(i)).nth(k) {
        Some(i) if i < 3 => (axes[i], Vec3::ZERO),
        Some(i) => (Vec3::ZERO, axes[i - 3]),
        None => (Vec3::ZERO, Vec3::ZERO),
    }
}
