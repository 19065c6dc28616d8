//! Lemke's method with the lexicographic rule.
//!
//! The problem is brought to the standard form `w = q + M z` ([`super::standard`]). An artificial `z0 >= 0` is added to all rows,
//!
//! ```text
//!     w = q + M z + 1 z0
//! ```
//!
//! large enough to make `w >= 0`, and driven out again: whenever a variable leaves the basis, its complement enters, so at every
//! moment `w_i z_i = 0` for all `i` but one. The path ends with `z0` out (a solution) or with an entering variable that nothing
//! stops (a *ray*). If `M` is positive semidefinite, or copositive as it is with friction, a ray means that there is no solution
//! as long as the free motion does not have to be pushed by friction alone; for other matrices it means that Lemke found none.
//!
//! Which variable leaves is decided by comparing whole rows `(rhs, rows of the basis inverse) / pivot` and not only right-hand
//! sides. Two such rows are never equal, so no basis comes twice and degenerate problems end.
//!
//! Rounding can make a ray out of a solvable problem with redundant rows. So a ray is believed only when paths from other covering
//! vectors than `1` end in one too.
//!
//! The tableau only finds the basis. The answer is then computed afresh from that basis by LU and one step of refinement.

use super::standard::Standard;
use super::{PivotingError, first_curved};
use holonom_lcp::dense::{axpy, dot, largest, lu, lu_solve, zeros};
use holonom_lcp::{Certifier, ConeProblem, ConeReport, ScaledProblem};

/// Entries of the entering column below this, relative to its largest, do not block.
const PIVOT: f64 = 1e-10;

/// Covering vectors tried.
const COVERS: usize = 4;

/// The method "lemke", with its memory.
#[derive(Clone, Debug)]
pub struct Lemke {
    /// What the answer is held to; 1e-11 unless set. With cones or balls it is held to the polygons, not to the discs.
    pub tolerance: f64,
    /// Facets for friction with two rows: even, at least 4; 8 unless set.
    pub facets: usize,
    scaled: ScaledProblem,
    matrix: Vec<f64>,
    standard: Standard,
    certifier: Certifier,
    t: Vec<f64>,
    basis: Vec<usize>,
    pivot_row: Vec<f64>,
    h: Vec<f64>,
    order: Vec<usize>,
    v: Vec<f64>,
    z: Vec<f64>,
    y: Vec<f64>,
    counted: ConeReport,
}

impl Default for Lemke {
    fn default() -> Self {
        Self {
            tolerance: 1e-11,
            facets: 8,
            scaled: ScaledProblem::default(),
            matrix: Vec::new(),
            standard: Standard::default(),
            certifier: Certifier::default(),
            t: Vec::new(),
            basis: Vec::new(),
            pivot_row: Vec::new(),
            h: Vec::new(),
            order: Vec::new(),
            v: Vec::new(),
            z: Vec::new(),
            y: Vec::new(),
            counted: ConeReport::default(),
        }
    }
}

impl Lemke {
    /// A solver with default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves any problem, cones and balls by polygons. What is in `x` before does not matter.
    ///
    /// `A` need not be symmetric. `x` is changed on success only.
    pub fn solve(&mut self, problem: &ConeProblem, x: &mut [f64]) -> Result<ConeReport, PivotingError> {
        problem.check_with_guess(x)?;
        self.counted = ConeReport::default();
        if problem.is_empty() {
            return Ok(self.counted);
        }
        self.scaled.set(problem, &mut self.matrix)?;
        self.standard.set(&self.scaled, &self.matrix, (self.facets / 2 * 2).max(4));
        let mut found = Err(PivotingError::NoSolution);
        let mut used = 0;
        for cover in 0..COVERS {
            found = self.pivot(cover);
            used = cover;
            if found.is_ok() {
                break;
            }
        }
        found?;
        self.polish(used);
        self.standard.restore(&self.z, &mut self.y);
        self.counted.residual = self.miss();
        if first_curved(problem.laws).is_none() {
            self.v.clear();
            self.v.resize(problem.len(), 0.0);
            self.scaled.restore(&self.y, &mut self.v)?;
            self.counted.residual = self.certifier.certificate(problem, &self.v).worst;
        }
        if !(self.counted.residual <= self.tolerance) {
            return Err(PivotingError::NotConverged { residual: self.counted.residual });
        }
        self.scaled.restore(&self.y, x)?;
        Ok(self.counted)
    }

    /// Lemke's path; leaves the basis. Columns: `0..n` are w, `n..2n` are z, `2n` is z0, `2n + 1` the right-hand side.
    fn pivot(&mut self, cover: usize) -> Result<(), PivotingError> {
        let n = self.standard.len();
        let width = 2 * n + 2;
        zeros(&mut self.t, n * width);
        self.basis.clear();
        for i in 0..n {
            let row = &mut self.t[i * width..(i + 1) * width];
            row[i] = 1.0;
            for j in 0..n {
                row[n + j] = -self.standard.m[i * n + j];
            }
            row[2 * n] = -covering(cover, i);
            row[2 * n + 1] = self.standard.q[i];
            self.basis.push(i);
        }
        // lexicographically least row of (q, 1): of equal ones the last
        let mut leaving = 0;
        for i in 0..n {
            if self.standard.q[i] / covering(cover, i) <= self.standard.q[leaving] / covering(cover, leaving) {
                leaving = i;
            }
        }
        if n == 0 || self.standard.q[leaving] >= 0.0 {
            return Ok(());
        }
        let mut entering = 2 * n;
        for _ in 0..1000 + 50 * n {
            self.counted.iterations += 1;
            let left = self.exchange(leaving, entering, width);
            if left == 2 * n {
                return Ok(());
            }
            entering = if left < n { left + n } else { left - n };
            leaving = match self.blocking(entering, width) {
                Some(row) => row,
                // out of the way but for rounding: equations with redundant rows are consistent to the last digits only
                None if self.artificial(width) <= 1e-12 => return Ok(()),
                None => return Err(PivotingError::NoSolution),
            };
        }
        Err(PivotingError::NotConverged { residual: f64::INFINITY })
    }

    /// The row that stops the entering variable, by the lexicographic rule; `z0` wins where it stops it as early as any.
    fn blocking(&self, entering: usize, width: usize) -> Option<usize> {
        let n = self.basis.len();
        let column = |i: usize| self.t[i * width + entering];
        let most = (0..n).fold(0.0, |m: f64, i| m.max(column(i).abs()));
        let mut best: Option<usize> = None;
        for i in (0..n).filter(|&i| column(i) > PIVOT * most.max(1.0)) {
            best = match best {
                Some(other) if !self.is_before(i, other, entering, width) => Some(other),
                _ => Some(i),
            };
        }
        let best = best?;
        let ratio = |i: usize| self.t[i * width + width - 1] / column(i);
        let artificial = self.basis.iter().position(|&v| v == 2 * n);
        Some(match artificial {
            Some(i) if column(i) > PIVOT * most && ratio(i) <= ratio(best) + 1e-14 * ratio(best).abs() => i,
            _ => best,
        })
    }

    /// `z0`, relative to the largest right-hand side.
    fn artificial(&self, width: usize) -> f64 {
        let n = self.basis.len();
        let rhs = |i: usize| self.t[i * width + width - 1].abs();
        let most = (0..n).fold(1.0, |m: f64, i| m.max(rhs(i)));
        self.basis.iter().position(|&v| v == 2 * n).map_or(0.0, |i| rhs(i) / most)
    }

    /// Whether row `i` over its pivot is lexicographically before row `j` over its own.
    fn is_before(&self, i: usize, j: usize, entering: usize, width: usize) -> bool {
        let n = self.basis.len();
        let (ri, rj) = (&self.t[i * width..(i + 1) * width], &self.t[j * width..(j + 1) * width]);
        let (pi, pj) = (ri[entering], rj[entering]);
        let scale = 1e-13 * (1.0 / pi + 1.0 / pj);
        for k in std::iter::once(width - 1).chain(0..n) {
            let difference = ri[k] / pi - rj[k] / pj;
            if difference.abs() > scale {
                return difference < 0.0;
            }
        }
        false
    }

    /// Gauss-Jordan on one entry; returns the variable that left.
    fn exchange(&mut self, row: usize, entering: usize, width: usize) -> usize {
        let n = self.basis.len();
        let pivot = self.t[row * width + entering];
        self.pivot_row.clear();
        self.pivot_row.extend(self.t[row * width..(row + 1) * width].iter().map(|v| v / pivot));
        for i in 0..n {
            let other = &mut self.t[i * width..(i + 1) * width];
            if i == row {
                other.copy_from_slice(&self.pivot_row);
            } else if other[entering] != 0.0 {
                let s = other[entering];
                axpy(-s, &self.pivot_row, other);
                other[entering] = 0.0;
            }
        }
        std::mem::replace(&mut self.basis[row], entering)
    }

    /// `z` from the basis alone: `B v = q`, with one refinement.
    fn polish(&mut self, cover: usize) {
        let n = self.standard.len();
        zeros(&mut self.h, n * n);
        for (k, &variable) in self.basis.iter().enumerate() {
            for i in 0..n {
                self.h[i * n + k] = match variable {
                    w if w < n => f64::from(u8::from(w == i)),
                    z if z < 2 * n => -self.standard.m[i * n + z - n],
                    _ => -covering(cover, i),
                };
            }
        }
        self.t.clear();
        self.t.extend_from_slice(&self.h);
        self.counted.factorisations += 1;
        zeros(&mut self.z, n);
        if !lu(&mut self.h, n, &mut self.order) {
            return;
        }
        self.v.clear();
        self.v.extend_from_slice(&self.standard.q);
        lu_solve(&self.h, n, &self.order, &mut self.v);
        self.pivot_row.clear();
        for i in 0..n {
            self.pivot_row.push(self.standard.q[i] - dot(&self.t[i * n..i * n + n], &self.v));
        }
        lu_solve(&self.h, n, &self.order, &mut self.pivot_row);
        for (k, &variable) in self.basis.iter().enumerate() {
            if (n..2 * n).contains(&variable) {
                // a basic variable is not negative but for rounding
                self.z[variable - n] = (self.v[k] + self.pivot_row[k]).max(0.0);
            }
        }
    }

    /// How far `z` is from solving the standard form, relative to its largest numbers.
    fn miss(&self) -> f64 {
        let n = self.standard.len();
        let size = largest(&self.z).max(largest(&self.standard.q)).max(1e-300);
        (0..n).fold(0.0, |worst: f64, i| {
            let w = dot(&self.standard.m[i * n..i * n + n], &self.z) + self.standard.q[i];
            worst.max(w.min(self.z[i]).abs() / size)
        })
    }
}

/// Covering vectors: all ones first, then ones that favour no row in a way that repeats.
fn covering(cover: usize, i: usize) -> f64 {
    1.0 + (cover as f64 * (i as f64 + 1.0) * 0.618_033_988_749_894_9).fract()
}
