//! Vectors, rotations and the few functions the engine shares.
//!
//! Transcendental functions come from `libm`, not from the system, so that results have the same bits on every machine.

pub mod number;

pub use glam::{DMat3 as Mat3, DQuat as Quat, DVec3 as Vec3};

/// A vector from three numbers.
#[inline(always)]
pub const fn vec3(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

/// Rotation matrix of a quaternion of any non-zero length (Runge-Kutta stages leave the unit sphere by a little).
#[inline(always)]
pub fn rotation(w: f64, x: f64, y: f64, z: f64) -> Mat3 {
    let s = 2.0 / (w * w + x * x + y * y + z * z);
    let (xs, ys, zs) = (x * s, y * s, z * s);
    let (wx, wy, wz) = (w * xs, w * ys, w * zs);
    let (xx, xy, xz) = (x * xs, x * ys, x * zs);
    let (yy, yz, zz) = (y * ys, y * zs, z * zs);
    Mat3::from_cols(
        vec3(1.0 - (yy + zz), xy + wz, xz - wy),
        vec3(xy - wz, 1.0 - (xx + zz), yz + wx),
        vec3(xz + wy, yz - wx, 1.0 - (xx + yy)),
    )
}

/// Quaternion of the rotation by `|r|` about `r` (the exponential map).
pub fn exp_quat(r: Vec3) -> Quat {
    let angle = r.length();
    let half = 0.5 * angle;
    // sin(a/2)/a and cos(a/2), with their series near zero: what is left out is below rounding
    let (k, w) = if angle < 1e-4 {
        (0.5 - angle * angle / 48.0, 1.0 - 0.5 * half * half)
    } else if angle < 0.5 {
        // the next terms are 1e-17 and 4e-20 of these; a turn within a step hardly ever is larger
        let x = half * half;
        let sine =
            1.0 - x * (1.0 / 6.0 - x * (1.0 / 120.0 - x * (1.0 / 5040.0 - x * (1.0 / 362_880.0 - x / 39_916_800.0))));
        let tail = 1.0 / 720.0 - x * (1.0 / 40_320.0 - x * (1.0 / 3_628_800.0 - x / 479_001_600.0));
        (0.5 * sine, 1.0 - x * (0.5 - x * (1.0 / 24.0 - x * tail)))
    } else {
        (libm::sin(half) / angle, libm::cos(half))
    };
    Quat::from_xyzw(r.x * k, r.y * k, r.z * k, w)
}

/// The rotation vector of a unit quaternion, shorter than pi (inverse of [`exp_quat`]).
pub fn log_quat(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let v = vec3(q.x, q.y, q.z);
    let s = v.length();
    let k = if s < 1e-9 { 2.0 } else { 2.0 * libm::atan2(s, q.w) / s };
    v * k
}

/// The nearest representable rotation to a matrix with orthonormal columns.
pub fn quat_from_axes(m: Mat3) -> Quat {
    Quat::from_mat3(&m).normalize()
}

/// Two unit vectors that make a right-handed frame with `z` (unit): `(x, y)`, the same for the same `z` on every
/// machine.
pub fn perpendicular(z: Vec3) -> (Vec3, Vec3) {
    // cross with the world axis least aligned with z
    let a = z.abs();
    let pick = if a.x <= a.y && a.x <= a.z {
        Vec3::X
    } else if a.y <= a.z {
        Vec3::Y
    } else {
        Vec3::Z
    };
    let y = z.cross(pick).normalize();
    (y.cross(z), y)
}

/// The angle nearest to `guess` that differs from `angle` by whole turns.
pub fn unwrap_angle(angle: f64, guess: f64) -> f64 {
    const TURN: f64 = std::f64::consts::TAU;
    angle + TURN * libm::round((guess - angle) / TURN)
}

/// Eigenvectors (columns) and eigenvalues of a symmetric matrix, by Jacobi rotations.
pub fn symmetric_eigen(m: &Mat3) -> (Mat3, [f64; 3]) {
    let mut a = m.to_cols_array_2d();
    let mut axes = Mat3::IDENTITY.to_cols_array_2d();
    // each sweep squares the off-diagonal part; ten are more than any 3 x 3 needs
    for _ in 0..10 {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            if a[p][q] == 0.0 {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            for k in 0..3 {
                let (x, y) = (a[k][p], a[k][q]);
                (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
            }
            for k in 0..3 {
                let (x, y) = (a[p][k], a[q][k]);
                (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                let (x, y) = (axes[p][k], axes[q][k]);
                (axes[p][k], axes[q][k]) = (c * x - s * y, s * x + c * y);
            }
        }
    }
    (Mat3::from_cols_array_2d(&axes), [a[0][0], a[1][1], a[2][2]])
}

/// A deterministic random generator (splitmix64), for random poses and tests.
#[derive(Clone, Debug)]
pub struct SplitMix(pub u64);

impl SplitMix {
    /// Next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Uniform in [-a, a).
    pub fn symmetric(&mut self, a: f64) -> f64 {
        -a + 2.0 * a * self.unit()
    }

    /// Three of [`SplitMix::symmetric`].
    pub fn vec3(&mut self, a: f64) -> Vec3 {
        let x = self.symmetric(a);
        let y = self.symmetric(a);
        vec3(x, y, self.symmetric(a))
    }

    /// Uniform integer below `n`.
    pub fn below(&mut self, n: usize) -> usize {
        ((self.unit() * n as f64) as usize).min(n - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_generator_matches_its_published_stream() {
        let mut g = SplitMix(1996);
        assert_eq!(g.unit(), 0.7423503732444642);
    }

    #[test]
    fn exp_and_log_are_inverse() {
        let mut g = SplitMix(7);
        for _ in 0..100 {
            let r = g.vec3(1.5);
            assert!((log_quat(exp_quat(r)) - r).length() < 1e-14, "{r}");
        }
        let tiny = vec3(1e-7, -2e-7, 3e-8);
        assert!((log_quat(exp_quat(tiny)) - tiny).length() < 1e-21);
    }

    #[test]
    fn perpendicular_frames_are_right_handed() {
        let mut g = SplitMix(3);
        for _ in 0..100 {
            let z = g.vec3(1.0).normalize();
            let (x, y) = perpendicular(z);
            assert!((x.cross(y) - z).length() < 1e-15 && x.dot(z).abs() < 1e-15);
        }
    }

    #[test]
    fn jacobi_finds_the_principal_axes() {
        let turn = Mat3::from_quat(exp_quat(vec3(0.3, -0.7, 0.4)));
        let i = turn * Mat3::from_diagonal(vec3(1.0, 2.0, 2.5)) * turn.transpose();
        let (axes, moments) = symmetric_eigen(&i);
        let back = axes * Mat3::from_diagonal(moments.into()) * axes.transpose();
        assert!(back.abs_diff_eq(i, 1e-14), "{back}");
    }
}
