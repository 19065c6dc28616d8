//! Body kinds: what has coordinates, mass, and carries points.
//!
//! A kind is one file that implements [`Body`]. Nothing outside this folder names one.

mod affine;
mod parametric;
mod particle;
mod planar;
mod rigid;
mod rotor;
mod scaled;

pub use crate::catalogue::interface::{Body, Inertia, Momentum};
pub use affine::Affine;
pub use parametric::{Parameter, Parametric, Place};
pub use particle::Particle;
pub use planar::Planar;
pub use rigid::Rigid;
pub use rotor::Rotor;
pub use scaled::Scaled;

pub(crate) use crate::catalogue::interface::frame_of;

use crate::error::{Invalid, refuse};
use crate::math::Mat3;
use holonom_tree::packed;

/// `x . M x / 2` with the mass block as [`Body::evaluate`] gives it.
#[inline]
pub(crate) fn half_square(central: bool, mass: &[f64], x: &[f64]) -> f64 {
    #[inline(always)]
    fn square(m: &[f64], x: &[f64], n: usize) -> f64 {
        let (m, x) = (&m[..packed::len(n)], &x[..n]);
        let mut sum = 0.0;
        for i in 0..n {
            for j in i..n {
                sum += m[packed::at(n, i, j)] * x[i] * x[j] * if i == j { 0.5 } else { 1.0 };
            }
        }
        sum
    }
    if central {
        0.5 * mass[0] * (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) + square(&mass[1..], &x[3..], 3)
    } else if x.len() == 3 {
        square(mass, x, 3)
    } else {
        square(mass, x, x.len())
    }
}

/// Second moments must be symmetric and positive definite.
pub(crate) fn second_moments(s: &Mat3) -> Result<(), Invalid> {
    let size = s.x_axis.x.abs() + s.y_axis.y.abs() + s.z_axis.z.abs();
    let off = [("xy", s.y_axis.x, s.x_axis.y), ("xz", s.z_axis.x, s.x_axis.z), ("yz", s.z_axis.y, s.y_axis.z)];
    if let Some((name, upper, lower)) = off.into_iter().find(|(_, u, l)| (u - l).abs() > 1e-9 * size) {
        return refuse!(
            "inertia",
            "second moments are not symmetric: {name} is {upper} above and {lower} below the diagonal"
        );
    }
    let entries = [s.x_axis.x, s.y_axis.x, s.z_axis.x, s.y_axis.y, s.z_axis.y, s.z_axis.z];
    let mut factors = entries;
    if !s.is_finite() || packed::factor(&mut factors, 3, |_| true).is_err() {
        return refuse!("inertia", "second moments {entries:?} kg m^2 (xx xy xz yy yz zz) must be positive definite");
    }
    Ok(())
}
