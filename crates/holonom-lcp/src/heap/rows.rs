//! Rows on few nodes each: as they are given, and without units and masses.
//!
//! ```text
//!     M = L L^T (node by node)       G^_i = L^-1 G_i / d_i       A^ = G^ G^T        v^ = G^T x^
//! ```
//!
//! Without masses a motion is a plain sum of pushes: one row costs a dozen multiplications whichever way it is applied.

use crate::blocks6::{Block, cholesky, forward};
use crate::dense::{dot, zeros};
use crate::law::{Failure, Law};
use crate::pile::Operator;
use crate::scale::{units, walk};

/// Rows of `G`: each a list of parts, a part six numbers on one node.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Parts of row `i`: `start[i]..start[i + 1]`; begins with a 0.
    pub start: Vec<u32>,
    /// Node of each part.
    pub nodes: Vec<u32>,
    /// Numbers of each part.
    pub values: Vec<[f64; 6]>,
}

impl Rows {
    /// No rows.
    pub fn clear(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.nodes.clear();
        self.values.clear();
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A part of the row under construction.
    pub fn part(&mut self, node: u32, values: [f64; 6]) {
        self.nodes.push(node);
        self.values.push(values);
    }

    /// End the row under construction.
    pub fn end(&mut self) {
        self.start.push(self.nodes.len() as u32);
    }

    /// Parts of a row.
    pub(super) fn parts(&self, row: usize) -> std::ops::Range<usize> {
        self.start[row] as usize..self.start[row + 1] as usize
    }

    /// `G_row v`.
    #[inline]
    pub(super) fn product(&self, row: usize, v: &[f64]) -> f64 {
        let mut sum = 0.0;
        for k in self.parts(row) {
            let at = 6 * self.nodes[k] as usize;
            sum += six(&self.values[k], &v[at..at + 6]);
        }
        sum
    }

    /// `out += s G_row^T`.
    #[inline]
    pub(super) fn push(&self, row: usize, s: f64, out: &mut [f64]) {
        for k in self.parts(row) {
            let at = 6 * self.nodes[k] as usize;
            let (g, out) = (&self.values[k], &mut out[at..at + 6]);
            for i in 0..6 {
                out[i] += s * g[i];
            }
        }
    }

    /// Do two rows have the same nodes in the same order?
    pub(super) fn alike(&self, i: usize, j: usize) -> bool {
        self.nodes[self.parts(i)] == self.nodes[self.parts(j)]
    }

    /// Whether all of it is there and makes sense with so many nodes.
    fn check(&self, n_nodes: usize) -> Result<(), Failure> {
        let ordered = self.start.windows(2).all(|w| w[0] <= w[1]);
        let ends = self.start.first() == Some(&0) && self.start.last().map(|&e| e as usize) == Some(self.nodes.len());
        if !(ordered && ends && self.nodes.len() == self.values.len()) {
            return Err(Failure::Malformed { row: 0, what: "the parts of rows must lie one after the other" });
        }
        match (0..self.len()).find(|&row| self.nodes[self.parts(row)].iter().any(|&node| node as usize >= n_nodes)) {
            Some(row) => Err(Failure::Malformed { row, what: "every part must be on a node that has a mass" }),
            None if !self.values.iter().flatten().all(|v| v.is_finite()) => Err(Failure::NotFinite),
            None => Ok(()),
        }
    }

    /// Takes masses and units out of `rows`; the units are left in `d`.
    pub(super) fn strip(
        &mut self,
        rows: &Rows,
        masses: &[Block],
        laws: &[Law],
        factors: &mut Vec<Block>,
        d: &mut Vec<f64>,
        own: &mut Vec<f64>,
    ) -> Result<(), Failure> {
        rows.check(masses.len())?;
        factors.clear();
        for mass in masses {
            let mut l = *mass;
            if !cholesky(&mut l) {
                return Err(Failure::Malformed { row: 0, what: "masses must be positive definite" });
            }
            factors.push(l);
        }
        self.start.clone_from(&rows.start);
        self.nodes.clone_from(&rows.nodes);
        self.values.clone_from(&rows.values);
        own.clear();
        for row in 0..rows.len() {
            let mut sum = 0.0;
            for k in self.parts(row) {
                forward(&factors[self.nodes[k] as usize], &mut self.values[k]);
                sum += six(&self.values[k], &self.values[k]);
            }
            own.push(sum);
        }
        units(|i| own[i], rows.len(), laws, d);
        for row in 0..rows.len() {
            let unit = 1.0 / d[row];
            for k in self.parts(row) {
                self.values[k].iter_mut().for_each(|g| *g *= unit);
            }
        }
        if self.values.iter().flatten().all(|v| v.is_finite()) { Ok(()) } else { Err(Failure::NotFinite) }
    }

    /// A bound of the largest eigenvalue of each law's own block of `A`.
    pub(super) fn stiffness(&self, laws: &[Law], out: &mut Vec<f64>) {
        out.clear();
        for (first, law) in walk(laws) {
            let rows = first..first + law.rows();
            let reach = |i: usize| rows.clone().map(|j| self.response(i, j).abs()).sum::<f64>();
            out.push(rows.clone().map(reach).fold(0.0, f64::max));
        }
    }

    /// `A_ij`.
    fn response(&self, i: usize, j: usize) -> f64 {
        let mut sum = 0.0;
        for k in self.parts(i) {
            for l in self.parts(j).filter(|&l| self.nodes[l] == self.nodes[k]) {
                sum += six(&self.values[k], &self.values[l]);
            }
        }
        sum
    }
}

/// `x . y` of six numbers.
#[inline(always)]
pub(super) fn six(x: &[f64], y: &[f64]) -> f64 {
    let (x, y) = (&x[..6], &y[..6]);
    (x[0] * y[0] + x[3] * y[3]) + (x[1] * y[1] + x[4] * y[4]) + (x[2] * y[2] + x[5] * y[5])
}

/// `A` of rows without masses, for methods that ask for products only.
pub(super) struct Responses<'r> {
    pub rows: &'r Rows,
    /// Six numbers per node.
    pub v: &'r mut Vec<f64>,
    pub n_nodes: usize,
}

impl Operator for Responses<'_> {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        zeros(self.v, 6 * self.n_nodes);
        for (row, &x) in x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            self.rows.push(row, x, self.v);
        }
        for (row, out) in out.iter_mut().enumerate() {
            *out = self.rows.product(row, self.v);
        }
    }
}

/// Euclidean length.
pub(super) fn norm(x: &[f64]) -> f64 {
    dot(x, x).sqrt()
}
