//! The inverse of a growing and shrinking part of a matrix.
//!
//! ```text
//!     [ E  c ]^-1     [ K + u v / s   -u / s ]         u = K c,   v = r K,   s = e - r u
//!     [ r  e ]     =  [  -v / s        1 / s ]         taking the last row out again:  K = block - column row / corner
//! ```
//!
//! Each change costs the square of the number of members. The matrix need not be symmetric.

use holonom_lcp::dense::{axpy, dot, zeros};

/// Corners (Schur complements) below this mean that the new row depends on the members; the diagonal is about 1.
const DEPENDENT: f64 = 1e-10;

/// `K = E_CC^-1` for the members `C`, in the order they came.
#[derive(Clone, Debug, Default)]
pub struct Inverse {
    members: Vec<usize>,
    /// Row after row, `members.len()` wide.
    k: Vec<f64>,
    grown: Vec<f64>,
    u: Vec<f64>,
    v: Vec<f64>,
    broken: bool,
}

impl Inverse {
    pub fn members(&self) -> &[usize] {
        &self.members
    }

    /// Whether a division failed: everything after that is worthless until [`Inverse::clear`].
    pub fn is_broken(&self) -> bool {
        self.broken
    }

    pub fn clear(&mut self) {
        self.members.clear();
        self.k.clear();
        self.broken = false;
    }

    /// Takes row and column `i` of `e` (size `n`) in. False where it depends on the members; then nothing changes.
    pub fn add(&mut self, i: usize, e: &[f64], n: usize) -> bool {
        let m = self.members.len();
        zeros(&mut self.u, m);
        zeros(&mut self.v, m);
        for p in 0..m {
            let row = &self.k[p * m..p * m + m];
            self.u[p] = row.iter().zip(&self.members).map(|(k, &j)| k * e[j * n + i]).sum();
            axpy(e[i * n + self.members[p]], row, &mut self.v);
        }
        let along: f64 = self.u.iter().zip(&self.members).map(|(u, &j)| u * e[i * n + j]).sum();
        let corner = e[i * n + i] - along;
        if !(corner.abs() > DEPENDENT * (1.0 + e[i * n + i].abs() + along.abs())) {
            return false;
        }
        self.grown.clear();
        for p in 0..m {
            let s = self.u[p] / corner;
            self.grown.extend(self.k[p * m..p * m + m].iter().zip(&self.v).map(|(k, v)| k + s * v));
            self.grown.push(-s);
        }
        self.grown.extend(self.v.iter().map(|v| -v / corner));
        self.grown.push(1.0 / corner);
        std::mem::swap(&mut self.k, &mut self.grown);
        self.members.push(i);
        true
    }

    /// Takes row and column `i` out; nothing happens where it is no member.
    pub fn remove(&mut self, i: usize) {
        let m = self.members.len();
        let Some(at) = self.members.iter().position(|&j| j == i) else { return };
        let corner = self.k[at * m + at];
        if corner == 0.0 || !corner.is_finite() {
            self.broken = true;
            return;
        }
        self.grown.clear();
        for p in (0..m).filter(|&p| p != at) {
            let s = self.k[p * m + at] / corner;
            for q in (0..m).filter(|&q| q != at) {
                self.grown.push(self.k[p * m + q] - s * self.k[at * m + q]);
            }
        }
        std::mem::swap(&mut self.k, &mut self.grown);
        self.members.remove(at);
    }

    /// `z = K z`.
    pub fn apply(&mut self, z: &mut [f64]) {
        let m = self.members.len();
        self.u.clear();
        self.u.extend((0..m).map(|p| dot(&self.k[p * m..p * m + m], z)));
        z[..m].copy_from_slice(&self.u);
    }
}
