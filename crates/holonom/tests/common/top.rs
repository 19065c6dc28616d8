//! The free asymmetric top, solved by Jacobi's elliptic functions (Landau and Lifshitz, Mechanics, section 37).

use holonom::math::{Mat3, Vec3, vec3};

/// Principal moments I1 < I2 < I3 and the start: w = (a, 0, c) in body axes, with enough energy about the third axis.
#[derive(Clone, Copy, Debug)]
pub struct Top {
    pub moments: Vec3,
    pub a: f64,
    pub c: f64,
}

impl Top {
    fn energy2_and_momentum(&self) -> (f64, f64) {
        let (i, a, c) = (self.moments, self.a, self.c);
        (i.x * a * a + i.z * c * c, (i.x * i.x * a * a + i.z * i.z * c * c).sqrt())
    }

    /// Angular velocity in body axes at time t.
    pub fn spin(&self, t: f64) -> Vec3 {
        let i = self.moments;
        let (e2, l) = self.energy2_and_momentum();
        let (low, high) = (e2 * i.z - l * l, l * l - e2 * i.x);
        assert!(l * l > e2 * i.y, "the start must lie on the side of the third axis");
        let tau = t * ((i.z - i.y) * high / (i.x * i.y * i.z)).sqrt();
        let k2 = (i.y - i.x) * low / ((i.z - i.y) * high);
        let (sn, cn, dn) = jacobi(tau, k2);
        vec3(
            (low / (i.x * (i.z - i.x))).sqrt() * cn,
            (low / (i.y * (i.z - i.y))).sqrt() * sn,
            (high / (i.z * (i.z - i.x))).sqrt() * dn,
        )
    }

    /// Body axes in a world whose z axis is the angular momentum, at time t.
    pub fn axes(&self, t: f64) -> Mat3 {
        let (i, w) = (self.moments, self.spin(t));
        let (_, l) = self.energy2_and_momentum();
        // the body sees the momentum at (sin th sin psi, sin th cos psi, cos th) l
        let (x, y, z) = (i.x * w.x / l, i.y * w.y / l, i.z * w.z / l);
        let (theta, psi) = (libm::atan2((x * x + y * y).sqrt(), z), libm::atan2(x, y));
        Mat3::from_rotation_z(self.precession(t)) * Mat3::from_rotation_x(theta) * Mat3::from_rotation_z(psi)
    }

    /// Integral of l (I1 w1^2 + I2 w2^2) / (I1^2 w1^2 + I2^2 w2^2), by Gauss-Legendre on short intervals.
    fn precession(&self, t: f64) -> f64 {
        let (_, l) = self.energy2_and_momentum();
        let i = self.moments;
        let rate = |t: f64| {
            let w = self.spin(t);
            let (x, y) = (i.x * w.x * w.x, i.y * w.y * w.y);
            l * (x + y) / (i.x * x + i.y * y)
        };
        let n = (t * 50.0).ceil().max(1.0);
        let h = t / n;
        // five points
        let nodes = [
            (0.0, 128.0 / 225.0),
            (0.538_469_310_105_683_1, 0.478_628_670_499_366_47),
            (0.906_179_845_938_664, 0.236_926_885_056_189_08),
        ];
        let mut sum = 0.0;
        for k in 0..n as usize {
            let middle = (k as f64 + 0.5) * h;
            for (x, weight) in nodes {
                let there = rate(middle + 0.5 * h * x);
                sum += weight * if x == 0.0 { there } else { there + rate(middle - 0.5 * h * x) };
            }
        }
        0.5 * h * sum
    }
}

/// sn, cn, dn of u with modulus k^2 = m, by the arithmetic-geometric mean.
fn jacobi(u: f64, m: f64) -> (f64, f64, f64) {
    let mut a = vec![1.0];
    let mut c = vec![m.sqrt()];
    let mut b = (1.0 - m).sqrt();
    while c[c.len() - 1] > 1e-17 && a.len() < 20 {
        let last = a[a.len() - 1];
        a.push(0.5 * (last + b));
        c.push(0.5 * (last - b));
        b = (last * b).sqrt();
    }
    let n = a.len() - 1;
    let mut phi = libm::ldexp(a[n] * u, n as i32);
    for k in (1..=n).rev() {
        phi = 0.5 * (phi + libm::asin(c[k] / a[k] * libm::sin(phi)));
    }
    let (sn, cn) = libm::sincos(phi);
    (sn, cn, (1.0 - m * sn * sn).sqrt())
}
