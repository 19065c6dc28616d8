//! NURBS surface: tensor product of two B-spline bases, rational.
//!
//! ```text
//! r(u, v) = A / W,      A = sum_ij N_i(u) M_j(v) w_ij P_ij,      W = sum_ij N_i(u) M_j(v) w_ij
//! r^(k,l) = (A^(k,l) - sum_{(i,j) != 0} binom(k, i) binom(l, j) W^(i,j) r^(k-i,l-j)) / W
//! ```

use super::basis::{BINOMIAL, Knots, check_weights};
use super::{Patch, PatchJet};
use crate::catalogue::declaration::Invalid;
use crate::error::refuse;
use crate::math::Vec3;

/// A rational B-spline surface of degrees 1 to 7; the parameters are those of its knots.
#[derive(Clone, Debug)]
pub struct NurbsSurface {
    knots: [Knots; 2],
    /// Row by row: v runs fastest.
    points: Vec<Vec3>,
    weights: Vec<f64>,
    breaks: [Vec<f64>; 2],
    closed: [bool; 2],
    fault: Option<Invalid>,
}

impl NurbsSurface {
    /// From degrees and knots along u and v, and the control points (m) and weights row by row, v running fastest.
    pub fn new(degrees: [usize; 2], knots: [&[f64]; 2], points: &[Vec3], weights: &[f64]) -> Self {
        let along = |k: usize| Knots { degree: degrees[k], knots: knots[k].to_vec() };
        Self::from([along(0), along(1)], points, weights)
    }

    /// From `counts[0]` rows of `counts[1]` control points: weights 1, knots uniform on [0, 1], ending at the outermost
    /// points.
    pub fn clamped(degrees: [usize; 2], counts: [usize; 2], points: &[Vec3]) -> Self {
        let along = |k: usize| Knots::clamped(degrees[k], counts[k]);
        Self::from([along(0), along(1)], points, &vec![1.0; points.len()])
    }

    /// The same, closed along u, along v: opposite edges must meet with the same tangents.
    pub fn closed(self, u: bool, v: bool) -> Self {
        NurbsSurface { closed: [u, v], ..self }
    }

    fn from(knots: [Knots; 2], points: &[Vec3], weights: &[f64]) -> Self {
        let fault = check(&knots, points, weights).err();
        let breaks = if fault.is_none() { [knots[0].breaks(), knots[1].breaks()] } else { [vec![], vec![]] };
        let (points, weights) = (points.to_vec(), weights.to_vec());
        NurbsSurface { knots, points, weights, breaks, closed: [false; 2], fault }
    }
}

fn check(knots: &[Knots; 2], points: &[Vec3], weights: &[f64]) -> Result<(), Invalid> {
    let counts = [knots[0].n(), knots[1].n()];
    for (k, name) in ["u ", "v "].into_iter().enumerate() {
        knots[k].check(counts[k], name)?;
    }
    if points.len() != counts[0] * counts[1] {
        let [n, m] = counts;
        return refuse!("points", "{} control points for knots of {n} x {m}, must be {}", points.len(), n * m);
    }
    check_weights(weights, points.len())?;
    match points.iter().find(|p| !p.is_finite()) {
        Some(p) => refuse!("points", "control point {p} m, must be finite"),
        None => Ok(()),
    }
}

impl Patch for NurbsSurface {
    fn domain(&self) -> [(f64, f64); 2] {
        [self.knots[0].domain(), self.knots[1].domain()]
    }
    fn closed(&self) -> [bool; 2] {
        self.closed
    }
    fn breaks(&self, direction: usize) -> &[f64] {
        &self.breaks[direction]
    }
    fn at(&self, u: f64, v: f64) -> PatchJet {
        if self.fault.is_some() {
            return PatchJet { r: Vec3::NAN, ..PatchJet::default() };
        }
        let [a, b] = &self.knots;
        let (s, t) = (a.span(u), b.span(v));
        let (n, m) = (a.basis(s, u), b.basis(t, v));
        let columns = b.n();
        // sums[k][l]: derivatives k by u and l by v of A, and of W
        let mut sums = [[Vec3::ZERO; 4]; 4];
        let mut w = [[0.0; 4]; 4];
        for i in 0..=a.degree {
            // sums over j first
            let (mut row, mut row_w) = ([Vec3::ZERO; 4], [0.0; 4]);
            for j in 0..=b.degree {
                let at = (s - a.degree + i) * columns + t - b.degree + j;
                for l in 0..4 {
                    let part = m[l][j] * self.weights[at];
                    row[l] += self.points[at] * part;
                    row_w[l] += part;
                }
            }
            for k in 0..4 {
                for l in 0..4 - k {
                    sums[k][l] += row[l] * n[k][i];
                    w[k][l] += row_w[l] * n[k][i];
                }
            }
        }
        for k in 0..4 {
            for l in 0..4 - k {
                let mut r = sums[k][l];
                for i in 0..=k {
                    for j in 0..=l {
                        if i + j > 0 {
                            r -= sums[k - i][l - j] * (BINOMIAL[k][i] * BINOMIAL[l][j] * w[i][j]);
                        }
                    }
                }
                sums[k][l] = r / w[0][0];
            }
        }
        let r = sums;
        PatchJet {
            r: r[0][0],
            u: r[1][0],
            v: r[0][1],
            uu: r[2][0],
            uv: r[1][1],
            vv: r[0][2],
            uuu: r[3][0],
            uuv: r[2][1],
            uvv: r[1][2],
            vvv: r[0][3],
        }
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.fault.clone().map_or(Ok(()), Err)
    }
}
