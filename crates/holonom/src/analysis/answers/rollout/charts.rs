//! Gradients by position coordinates and by displacements, and what dq/dt = Q(q) v makes of them.
//!
//! ```text
//! f_q     gradient by the numbers in q                  g = Q^T f_q      gradient by displacements, in velocity coordinates
//! f_q = Q (Q^T Q)^-1 g                                  for f that does not depend on the length of quaternions
//! d/dq (k . Q(q) v)                                     what stages pass back to their positions
//! ```
//!
//! For unit quaternions Q^T Q = 1/4: the columns of Q are orthogonal for all bodies, which is checked once.

use crate::catalogue::bodies::Body;
use crate::error::StepError;
use crate::math::{SplitMix, Vec3, vec3};
use crate::model::Model;

/// How the position coordinates of a body move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Chart {
    /// dq/dt = v.
    Plain,
    /// (x, quaternion, rest): the quaternion turns with v[3..6], everything else moves with v.
    Quaternion,
}

/// Of every body, or which one moves in another way.
pub(super) fn charts(model: &Model) -> Result<Vec<Chart>, StepError> {
    let mut g = SplitMix(1);
    let of = |(i, body): (usize, &std::sync::Arc<dyn Body>)| {
        let (n_q, n_v) = (body.n_q(), body.n_dof());
        let q: Vec<f64> = (0..n_q).map(|_| g.symmetric(1.0)).collect();
        let v: Vec<f64> = (0..n_v).map(|_| g.symmetric(1.0)).collect();
        let (mut rate, mut expected) = (vec![0.0; n_q], vec![0.0; n_q]);
        body.q_rate(&q, &v, &mut rate);
        for chart in [Chart::Plain, Chart::Quaternion] {
            let fits = match chart {
                Chart::Plain => n_q == n_v,
                Chart::Quaternion => n_q == n_v + 1 && n_v >= 6,
            };
            if fits {
                chart.rate(&q, &v, &mut expected);
                if rate.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-14) {
                    return Ok(chart);
                }
            }
        }
        let (name, kind) = (model.body_names.get(i), body.kind());
        Err(StepError::Invalid(format!("body `{name}` ({kind}) has coordinates that runs cannot be differentiated by")))
    };
    model.bodies.iter().enumerate().map(of).collect()
}

fn read(x: &[f64]) -> Vec3 {
    vec3(x[0], x[1], x[2])
}

fn write(x: &mut [f64], v: Vec3) {
    (x[0], x[1], x[2]) = (v.x, v.y, v.z);
}

impl Chart {
    /// Q(q) v.
    pub fn rate(self, q: &[f64], v: &[f64], out: &mut [f64]) {
        match self {
            Chart::Plain => out.copy_from_slice(v),
            Chart::Quaternion => {
                out[..3].copy_from_slice(&v[..3]);
                let (w, e, x) = (read(&v[3..]) * 0.5, q[3], read(&q[4..]));
                out[3] = -w.dot(x);
                write(&mut out[4..], w * e + w.cross(x));
                out[7..].copy_from_slice(&v[6..]);
            }
        }
    }

    /// g = Q^T f: by displacements, from the gradient by the numbers in q; adds up.
    #[inline(always)]
    pub fn lower(self, q: &[f64], f: &[f64], g: &mut [f64]) {
        match self {
            Chart::Plain => g.iter_mut().zip(f).for_each(|(g, f)| *g += f),
            Chart::Quaternion => {
                // f_s (- w . x) + f_x . (w e + w × x), by w
                let (fs, fx, e, x) = (f[3], read(&f[4..]), q[3], read(&q[4..]));
                let by_w = 0.5 * (fx * e + x.cross(fx) - x * fs);
                for i in 0..3 {
                    g[i] += f[i];
                    g[3 + i] += by_w[i];
                }
                g[6..].iter_mut().zip(&f[7..]).for_each(|(g, f)| *g += f);
            }
        }
    }

    /// f = Q (Q^T Q)^-1 g: the gradient by the numbers in q, from that by displacements; adds up.
    #[inline(always)]
    pub fn lift(self, q: &[f64], g: &[f64], f: &mut [f64]) {
        match self {
            Chart::Plain => f.iter_mut().zip(g).for_each(|(f, g)| *f += g),
            Chart::Quaternion => {
                let (e, x) = (q[3], read(&q[4..]));
                let w = read(&g[3..]) * (2.0 / (e * e + x.dot(x)));
                let by_x = w * e + w.cross(x);
                f[3] -= w.dot(x);
                for i in 0..3 {
                    f[i] += g[i];
                    f[4 + i] += by_x[i];
                }
                f[7..].iter_mut().zip(&g[6..]).for_each(|(f, g)| *f += g);
            }
        }
    }

    /// Add Q(dq) v, where Q depends on q, and linearly.
    pub fn turn(self, dq: &[f64], v: &[f64], out: &mut [f64]) {
        if self == Chart::Quaternion {
            let (w, e, x) = (read(&v[3..]) * 0.5, dq[3], read(&dq[4..]));
            out[3] -= w.dot(x);
            let by_x = w * e + w.cross(x);
            for i in 0..3 {
                out[4 + i] += by_x[i];
            }
        }
    }

    /// z = (Q^T Q)^-1 Q^T f: the displacement behind a change of the numbers in q; adds up.
    pub fn settle(self, q: &[f64], f: &[f64], z: &mut [f64]) {
        match self {
            Chart::Plain => z.iter_mut().zip(f).for_each(|(z, f)| *z += f),
            Chart::Quaternion => {
                let (fs, fx, e, x) = (f[3], read(&f[4..]), q[3], read(&q[4..]));
                let w = (fx * e + x.cross(fx) - x * fs) * (2.0 / (e * e + x.dot(x)));
                for i in 0..3 {
                    z[i] += f[i];
                    z[3 + i] += w[i];
                }
                z[6..].iter_mut().zip(&f[7..]).for_each(|(z, f)| *z += f);
            }
        }
    }

    /// Gradient of k . Q(q) v by q; adds up.
    #[inline(always)]
    pub fn pass(self, v: &[f64], k: &[f64], f: &mut [f64]) {
        if self == Chart::Quaternion {
            // k_s (- w . x) + k_x . (w e + w × x)
            let (w, ks, kx) = (read(&v[3..]) * 0.5, k[3], read(&k[4..]));
            f[3] += kx.dot(w);
            let by_x = kx.cross(w) - w * ks;
            for i in 0..3 {
                f[4 + i] += by_x[i];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lowering is the transpose of the rate, lifting its inverse on what does not depend on lengths.
    #[test]
    fn charts_are_each_others_transpose_and_inverse() {
        let mut g = SplitMix(7);
        let mut list = |n: usize| (0..n).map(|_| g.symmetric(1.0)).collect::<Vec<f64>>();
        let (q, v, k, by) = (list(8), list(7), list(8), list(7));
        let chart = Chart::Quaternion;
        let (mut rate, mut low, mut high) = (vec![0.0; 8], vec![0.0; 7], vec![0.0; 8]);
        chart.rate(&q, &v, &mut rate);
        chart.lower(&q, &k, &mut low);
        let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        assert!((dot(&rate, &k) - dot(&v, &low)).abs() < 1e-15);
        chart.lift(&q, &by, &mut high);
        let mut back = vec![0.0; 7];
        chart.lower(&q, &high, &mut back);
        assert!(back.iter().zip(&by).all(|(a, b)| (a - b).abs() < 1e-15));
        let mut settled = vec![0.0; 7];
        chart.settle(&q, &rate, &mut settled);
        assert!(settled.iter().zip(&v).all(|(a, b)| (a - b).abs() < 1e-15));
        let mut passed = vec![0.0; 8];
        chart.pass(&v, &k, &mut passed);
        for j in 0..8 {
            let along = |h: f64| {
                let mut moved = q.clone();
                moved[j] += h;
                let mut rate = vec![0.0; 8];
                chart.rate(&moved, &v, &mut rate);
                dot(&rate, &k)
            };
            assert!((0.5 * (along(1.0) - along(-1.0)) - passed[j]).abs() < 1e-14);
        }
    }
}
