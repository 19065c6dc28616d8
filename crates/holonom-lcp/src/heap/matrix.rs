//! Writing `1 + G^T W G / eps` into blocks: places are looked up once per layout, not once per product.

use super::Heap;
use crate::law::Law;
use crate::scale::walk;

/// Parts of a row that are summed at once; rows with more are added one by one.
const PARTS: usize = 4;

impl Heap {
    /// The graph: nodes that rows of one law, or of a law and its normal, connect.
    pub(super) fn lay_out(&mut self) {
        self.edges.clear();
        let rows = &self.rows;
        let edges = &mut self.edges;
        let mut connect = |i: usize, j: usize| {
            for k in rows.parts(i) {
                for m in rows.parts(j) {
                    let (a, b) = (rows.nodes[k].min(rows.nodes[m]), rows.nodes[k].max(rows.nodes[m]));
                    if a != b && edges.last() != Some(&(a, b)) {
                        edges.push((a, b));
                    }
                }
            }
        };
        for (first, law) in walk(&self.scaled.laws) {
            for i in first..first + law.rows() {
                (first..=i).for_each(|j| connect(i, j));
                if let Law::Cone { normal, .. } = *law {
                    connect(i, normal);
                }
            }
        }
        // all cones of one normal meet in the convex steps
        for group in self.discs.chunk_by(|f, g| f.normal == g.normal).filter(|group| group.len() > 1) {
            for f in group {
                for g in group {
                    (f.first..f.first + f.rows).for_each(|i| (g.first..g.first + g.rows).for_each(|j| connect(i, j)));
                }
            }
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        self.matrix.lay_out(self.n_nodes, &self.edges);
        self.pairs.clear();
        self.pairs_start.clear();
        for row in 0..self.rows.len() {
            // rows of one contact follow each other and lie on the same nodes
            if row > 0 && self.rows.alike(row, row - 1) {
                self.pairs_start.push(self.pairs_start[row - 1]);
                continue;
            }
            self.pairs_start.push(self.pairs.len() as u32);
            for k in self.rows.parts(row) {
                for l in self.rows.parts(row) {
                    let (at, turned) = self.matrix.find(self.rows.nodes[k], self.rows.nodes[l]);
                    self.pairs.push((at as u32, turned));
                }
            }
        }
    }

    /// Adds `s G_i^T G_j`: all of it, or the lower triangle in the order of elimination.
    pub(super) fn add(&mut self, i: usize, j: usize, s: f64, whole: bool) {
        let (rows, matrix) = (&self.rows, &mut self.matrix);
        if i == j || rows.alike(i, j) {
            let mut pair = self.pairs_start[i] as usize;
            for k in rows.parts(i) {
                for l in rows.parts(j) {
                    let (at, turned) = self.pairs[pair];
                    pair += 1;
                    if !turned {
                        spread(matrix.block(at as usize), s, &rows.values[k], &rows.values[l]);
                    } else if whole {
                        spread(matrix.mirror(at as usize), s, &rows.values[k], &rows.values[l]);
                    }
                }
            }
            return;
        }
        for k in rows.parts(i) {
            for l in rows.parts(j) {
                let (at, turned) = matrix.find(rows.nodes[k], rows.nodes[l]);
                if !turned {
                    spread(matrix.block(at), s, &rows.values[k], &rows.values[l]);
                } else if whole {
                    spread(matrix.mirror(at), s, &rows.values[k], &rows.values[l]);
                }
            }
        }
    }

    /// Adds `G_i^T (sum of weight G_j)`.
    pub(super) fn add_sum(&mut self, i: usize, weights: &[(usize, f64)], whole: bool) {
        let parts = self.rows.parts(i);
        if parts.len() > PARTS || !weights.iter().all(|&(j, _)| self.rows.alike(i, j)) {
            weights.iter().filter(|(_, s)| *s != 0.0).for_each(|&(j, s)| self.add(i, j, s, whole));
            return;
        }
        let sum = self.sum(weights);
        let (rows, matrix) = (&self.rows, &mut self.matrix);
        let mut pair = self.pairs_start[i] as usize;
        for k in parts.clone() {
            for right in &sum[..parts.len()] {
                let (at, turned) = self.pairs[pair];
                pair += 1;
                if !turned {
                    spread(matrix.block(at as usize), 1.0, &rows.values[k], right);
                } else if whole {
                    spread(matrix.mirror(at as usize), 1.0, &rows.values[k], right);
                }
            }
        }
    }

    /// Adds `s u^T u` with `u = sum of weight G_j`, to the lower triangle.
    pub(super) fn add_square(&mut self, s: f64, weights: &[(usize, f64)]) {
        let i = weights[0].0;
        let n = self.rows.parts(i).len();
        if n > PARTS || !weights.iter().all(|&(j, _)| self.rows.alike(i, j)) {
            for &(i, p) in weights {
                for &(j, q) in weights {
                    self.add(i, j, s * p * q, false);
                }
            }
            return;
        }
        let sum = self.sum(weights);
        let mut pair = self.pairs_start[i] as usize;
        for left in &sum[..n] {
            for right in &sum[..n] {
                let (at, turned) = self.pairs[pair];
                pair += 1;
                if !turned {
                    spread(self.matrix.block(at as usize), s, left, right);
                }
            }
        }
    }

    /// `sum of weight G_j` of rows on the same nodes.
    fn sum(&self, weights: &[(usize, f64)]) -> [[f64; 6]; PARTS] {
        let mut sum = [[0.0; 6]; PARTS];
        for &(j, weight) in weights {
            for (sum, k) in sum.iter_mut().zip(self.rows.parts(j)) {
                for c in 0..6 {
                    sum[c] += weight * self.rows.values[k][c];
                }
            }
        }
        sum
    }
}

/// `block += s x^T y`.
#[inline(always)]
fn spread(block: &mut [f64; 36], s: f64, x: &[f64; 6], y: &[f64; 6]) {
    for r in 0..6 {
        let t = s * x[r];
        for c in 0..6 {
            block[6 * r + c] += t * y[c];
        }
    }
}
