//! Rows of `G` on few nodes each: as they are given, and without units and masses.
//!
//! ```text
//!     M = L L^T (node by node)       G^_i = L^-1 G_i / d_i       A^ = G^ G^T        v^ = G^T x^
//! ```
//!
//! Without masses a motion is a plain sum over the rows: one row costs a dozen multiplications whichever way it is
//! applied.

use crate::dense::block6::{Block6, cholesky6, forward};
use crate::error::LcpError;
use crate::law::ComplementarityLaw as Law;
use crate::scale::units;

/// Rows of `G`: each a list of parts, a part six numbers on one node.
#[derive(Clone, Debug, Default)]
pub struct SparseRows {
    /// Parts of row `i`: `start[i]..start[i + 1]`; begins with a 0.
    pub start: Vec<u32>,
    /// Node of each part.
    pub nodes: Vec<u32>,
    /// Numbers of each part.
    pub values: Vec<[f64; 6]>,
}

impl SparseRows {
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

    /// Numbers of the parts of a row.
    pub(super) fn values_of(&self, row: usize) -> &[[f64; 6]] {
        &self.values[self.parts(row)]
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
    fn check(&self, n_nodes: usize) -> Result<(), LcpError> {
        let ordered = self.start.windows(2).all(|w| w[0] <= w[1]);
        let ends = self.start.first() == Some(&0) && self.start.last().map(|&e| e as usize) == Some(self.nodes.len());
        if !(ordered && ends && self.nodes.len() == self.values.len()) {
            return Err(LcpError::Malformed { row: 0, what: "the parts of rows must lie one after the other" });
        }
        match (0..self.len()).find(|&row| self.nodes[self.parts(row)].iter().any(|&node| node as usize >= n_nodes)) {
            Some(row) => Err(LcpError::Malformed { row, what: "every part must be on a node that has a mass" }),
            None if !self.values.iter().flatten().all(|v| v.is_finite()) => Err(LcpError::NotFinite),
            None => Ok(()),
        }
    }

    /// Takes masses and units out of `rows`; the units are left in `d`.
    pub(super) fn strip(
        &mut self,
        rows: &SparseRows,
        masses: &[Block6],
        laws: &[Law],
        factors: &mut Vec<Block6>,
        d: &mut Vec<f64>,
        own: &mut Vec<f64>,
    ) -> Result<(), LcpError> {
        rows.check(masses.len())?;
        factors.clear();
        for mass in masses {
            let mut l = *mass;
            if !cholesky6(&mut l) {
                return Err(LcpError::Malformed { row: 0, what: "masses must be positive definite" });
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
        if self.values.iter().flatten().all(|v| v.is_finite()) { Ok(()) } else { Err(LcpError::NotFinite) }
    }

    /// `A_ij`.
    pub(super) fn response(&self, i: usize, j: usize) -> f64 {
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
fn six(x: &[f64], y: &[f64]) -> f64 {
    let (x, y) = (&x[..6], &y[..6]);
    (x[0] * y[0] + x[3] * y[3]) + (x[1] * y[1] + x[4] * y[4]) + (x[2] * y[2] + x[5] * y[5])
}
