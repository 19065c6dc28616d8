//! The whole matrix as a square of numbers, and its solution by elimination with row exchanges.

use holonom_tree::{Blocks, Node, Structure, packed};

use super::offsets;

#[derive(Clone)]
pub struct Matrix {
    pub n: usize,
    /// Row by row.
    pub values: Vec<f64>,
}

impl Matrix {
    /// `[D -J^T; -J 0]`, nodes in their order of declaration.
    pub fn assemble(structure: &Structure, blocks: &Blocks) -> Matrix {
        let offsets = offsets(structure);
        let n = offsets[structure.n_nodes()];
        let mut m = Matrix { n, values: vec![0.0; n * n] };
        for node in (0..structure.n_nodes()).map(|i| Node(i as u32)).filter(|&node| !structure.is_dual(node)) {
            let (at, size) = (offsets[node.index()], structure.size(node));
            for i in 0..size {
                for j in 0..size {
                    m.values[(at + i) * n + at + j] = packed::get(blocks.diagonal(node), size, i, j);
                }
            }
        }
        let mut block = Vec::new();
        for (k, (dual, primal)) in structure.links().enumerate() {
            blocks.dense_link(structure, k, &mut block);
            let (row, column) = (offsets[dual.index()], offsets[primal.index()]);
            let width = structure.size(primal);
            for i in 0..structure.size(dual) {
                for j in 0..width {
                    m.values[(row + i) * n + column + j] = -block[i * width + j];
                    m.values[(column + j) * n + row + i] = -block[i * width + j];
                }
            }
        }
        m
    }

    /// LU with partial pivoting.
    pub fn solve(&self, rhs: &[f64]) -> Vec<f64> {
        let n = self.n;
        let mut m = self.values.clone();
        let mut x = rhs.to_vec();
        for k in 0..n {
            let largest = (k..n).max_by(|&i, &j| m[i * n + k].abs().total_cmp(&m[j * n + k].abs())).expect("k < n");
            assert!(m[largest * n + k] != 0.0, "the reference matrix is singular at column {k}");
            x.swap(k, largest);
            for j in 0..n {
                m.swap(k * n + j, largest * n + j);
            }
            let (done, rest) = m.split_at_mut((k + 1) * n);
            let pivot_row = &done[k * n..];
            for i in k + 1..n {
                let row = &mut rest[(i - k - 1) * n..][..n];
                let l = row[k] / pivot_row[k];
                if l != 0.0 {
                    for j in k..n {
                        row[j] -= l * pivot_row[j];
                    }
                    x[i] -= l * x[k];
                }
            }
        }
        for k in (0..n).rev() {
            let sum: f64 = (k + 1..n).map(|j| m[k * n + j] * x[j]).sum();
            x[k] = (x[k] - sum) / m[k * n + k];
        }
        x
    }

    /// Largest entry of `H x - rhs`, relative to the largest sum of magnitudes that went into one entry.
    pub fn residual(&self, x: &[f64], rhs: &[f64]) -> f64 {
        let (mut worst, mut scale) = (0.0f64, f64::MIN_POSITIVE);
        for i in 0..self.n {
            let row = &self.values[i * self.n..][..self.n];
            let sum: f64 = row.iter().zip(x).map(|(h, x)| h * x).sum();
            let size: f64 = row.iter().zip(x).map(|(h, x)| (h * x).abs()).sum();
            worst = largest(worst, (sum - rhs[i]).abs());
            scale = scale.max(size + rhs[i].abs());
        }
        worst / scale
    }
}

/// Largest difference between two vectors, relative to the largest entry of the second.
pub fn difference(x: &[f64], reference: &[f64]) -> f64 {
    assert_eq!(x.len(), reference.len());
    let scale = reference.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
    x.iter().zip(reference).fold(0.0, |m, (a, b)| largest(m, (a - b).abs())) / scale
}

/// The larger of the two, NaN if one is: a NaN must not look like agreement, which `f64::max` would allow.
fn largest(a: f64, b: f64) -> f64 {
    if a.is_nan() || a > b { a } else { b }
}
