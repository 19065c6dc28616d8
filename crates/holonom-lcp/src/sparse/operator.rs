//! `A = G G^T` by its sparse rows, and the Newton matrix `1 + G^T W G / eps` in blocks: places are looked up once per
//! layout, not once per product.

use super::blocks::BlockMatrix6;
use super::rows::SparseRows;
use crate::dense::block6::{Block6, add_outer};
use crate::dense::zeros;
use crate::error::LcpError;
use crate::law::ComplementarityLaw as Law;
use crate::matrix_free::LinearOperator;
use crate::project::FrictionCone;
use crate::proximal::ConeOperator;

/// Parts of a row that are summed at once; rows with more are added one by one.
const PARTS: usize = 4;

/// Sparse rows without units and masses, with a sparse Newton matrix.
#[derive(Clone, Debug, Default)]
pub(super) struct SparseOperator {
    rows: SparseRows,
    n_nodes: usize,
    mass_factors: Vec<Block6>,
    own: Vec<f64>,
    /// The motion `G^T x` of the `x` applied last.
    v: Vec<f64>,
    matrix: BlockMatrix6,
    is_symmetric: bool,
    edges: Vec<(u32, u32)>,
    /// Blocks that the products of a row with itself go to: the index, and whether it is the mirrored one;
    /// `pairs_start` per row.
    pairs: Vec<(u32, bool)>,
    pairs_start: Vec<u32>,
    scratch: Vec<f64>,
}

impl SparseOperator {
    /// Takes masses and units out of `rows`; the units are left in `d`.
    pub fn set(
        &mut self,
        rows: &SparseRows,
        masses: &[Block6],
        laws: &[Law],
        d: &mut Vec<f64>,
    ) -> Result<(), LcpError> {
        self.n_nodes = masses.len();
        self.rows.strip(rows, masses, laws, &mut self.mass_factors, d, &mut self.own)
    }

    /// The graph: nodes that rows of one law, or of a law and its normal, connect.
    pub fn lay_out(&mut self, laws: &[Law], cones: &[FrictionCone]) {
        self.edges.clear();
        let (rows, edges) = (&self.rows, &mut self.edges);
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
        for (first, law) in Law::with_first_rows(laws) {
            for i in first..first + law.rows() {
                (first..=i).for_each(|j| connect(i, j));
                if let Law::Cone { normal, .. } = *law {
                    connect(i, normal);
                }
            }
        }
        // all cones of one normal meet in the convex steps
        for group in cones.chunk_by(|f, g| f.normal == g.normal).filter(|group| group.len() > 1) {
            for f in group {
                for g in group {
                    (f.first..f.first + f.rows).for_each(|i| (g.first..g.first + g.rows).for_each(|j| connect(i, j)));
                }
            }
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        self.matrix.lay_out(self.n_nodes, &self.edges);
        self.find_pairs();
    }

    /// Where the products of each row with itself go.
    fn find_pairs(&mut self) {
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
                    let (at, mirrored) = self.matrix.find(self.rows.nodes[k], self.rows.nodes[l]);
                    self.pairs.push((at as u32, mirrored));
                }
            }
        }
    }

    /// Adds `s G_i^T G_j`: all of it, or the lower triangle in the order of elimination where the matrix is symmetric.
    fn add(&mut self, i: usize, j: usize, s: f64) {
        let (rows, matrix) = (&self.rows, &mut self.matrix);
        if i == j || rows.alike(i, j) {
            let pairs = &self.pairs[self.pairs_start[i] as usize..];
            spread(matrix, pairs, s, rows.values_of(i), rows.values_of(j), self.is_symmetric);
            return;
        }
        for k in rows.parts(i) {
            for l in rows.parts(j) {
                let (at, mirrored) = matrix.find(rows.nodes[k], rows.nodes[l]);
                if !mirrored {
                    add_outer(matrix.block(at), s, &rows.values[k], &rows.values[l]);
                } else if !self.is_symmetric {
                    add_outer(matrix.mirror(at), s, &rows.values[k], &rows.values[l]);
                }
            }
        }
    }

    /// Whether these rows have the nodes of row `i`, and few of them.
    fn are_summable(&self, i: usize, weights: &[(usize, f64)]) -> bool {
        self.rows.parts(i).len() <= PARTS && weights.iter().all(|&(j, _)| self.rows.alike(i, j))
    }

    /// `sum of weight G_j` of rows on the same nodes.
    fn sum(&self, weights: &[(usize, f64)]) -> [[f64; 6]; PARTS] {
        let mut sum = [[0.0; 6]; PARTS];
        for &(j, weight) in weights {
            for (sum, values) in sum.iter_mut().zip(self.rows.values_of(j)) {
                for c in 0..6 {
                    sum[c] += weight * values[c];
                }
            }
        }
        sum
    }
}

impl LinearOperator for SparseOperator {
    fn len(&self) -> usize {
        self.rows.len()
    }

    fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        zeros(&mut self.v, 6 * self.n_nodes);
        for (row, &x) in x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            self.rows.push(row, x, &mut self.v);
        }
        for (row, out) in out.iter_mut().enumerate() {
            *out = self.rows.product(row, &self.v);
        }
    }
}

impl ConeOperator for SparseOperator {
    fn motions(&self) -> usize {
        6 * self.n_nodes
    }

    #[inline]
    fn product(&self, i: usize, w: &[f64]) -> f64 {
        self.rows.product(i, w)
    }

    #[inline]
    fn push(&self, i: usize, s: f64, out: &mut [f64]) {
        self.rows.push(i, s, out);
    }

    fn entry(&self, i: usize, j: usize) -> f64 {
        self.rows.response(i, j)
    }

    fn response(&self, i: usize, _: &[f64]) -> f64 {
        self.rows.product(i, &self.v)
    }

    fn changed(&mut self, i: usize, change: f64) {
        self.rows.push(i, change, &mut self.v);
    }

    fn start_matrix(&mut self, symmetric: bool) {
        self.is_symmetric = symmetric;
        self.matrix.clear_to_one(!symmetric);
    }

    fn add_own(&mut self, i: usize, s: f64) {
        self.add(i, i, s);
    }

    fn add_row(&mut self, i: usize, weights: &[(usize, f64)], eps: f64) {
        let mut scaled = [(0, 0.0); 4];
        for (to, &(j, weight)) in scaled.iter_mut().zip(weights) {
            *to = (j, weight / eps);
        }
        let weights = &scaled[..weights.len()];
        if !self.are_summable(i, weights) {
            weights.iter().filter(|(_, s)| *s != 0.0).for_each(|&(j, s)| self.add(i, j, s));
            return;
        }
        let sum = self.sum(weights);
        let pairs = &self.pairs[self.pairs_start[i] as usize..];
        let left = self.rows.values_of(i);
        spread(&mut self.matrix, pairs, 1.0, left, &sum[..left.len()], self.is_symmetric);
    }

    fn add_square(&mut self, s: f64, weights: &[(usize, f64)]) {
        let i = weights[0].0;
        if !self.are_summable(i, weights) {
            for &(i, p) in weights {
                for &(j, q) in weights {
                    self.add(i, j, s * p * q);
                }
            }
            return;
        }
        let sum = self.sum(weights);
        let sum = &sum[..self.rows.parts(i).len()];
        spread(&mut self.matrix, &self.pairs[self.pairs_start[i] as usize..], s, sum, sum, self.is_symmetric);
    }

    fn factor(&mut self) -> bool {
        if self.is_symmetric { self.matrix.factor() } else { self.matrix.factor_any() }
    }

    fn solve(&mut self, z: &mut [f64]) {
        if self.is_symmetric {
            self.matrix.solve(z, &mut self.scratch);
        } else {
            self.matrix.solve_any(z, &mut self.scratch);
        }
    }
}

/// Adds `s left^T right` to the blocks of `pairs`; of a symmetric matrix the lower triangle only.
#[inline(always)]
fn spread(
    matrix: &mut BlockMatrix6,
    pairs: &[(u32, bool)],
    s: f64,
    left: &[[f64; 6]],
    right: &[[f64; 6]],
    is_symmetric: bool,
) {
    let mut pairs = pairs.iter();
    for left in left {
        for (right, &(at, mirrored)) in right.iter().zip(&mut pairs) {
            if !mirrored {
                add_outer(matrix.block(at as usize), s, left, right);
            } else if !is_symmetric {
                add_outer(matrix.mirror(at as usize), s, left, right);
            }
        }
    }
}
