//! The dumb roads: Cholesky of the dense `J M^-1 J^T`, and L U of the dense `H`. They check the clever ones.
//!
//! With redundant rows the first finds their number and drops as many; the second refuses them.

use super::explicit::Explicit;
use holonom_tree::{Blocks, Node, Structure};

/// A pivot below this part of its row's own size belongs to a row that depends on others. Rounding leaves about 1e-15.
pub(super) const DEPENDENT: f64 = 1e-13;

/// `J M^-1 J^T` as one dense matrix, its rows scaled to a diagonal of 1 and eliminated largest pivot first. When only
/// rounding is left, the remaining rows depend on the others: their multipliers are zero.
pub(crate) struct DenseDelassus {
    e: Explicit,
    n: usize,
    a: Vec<f64>,
    /// Row k of the elimination is row `order[k]` of A.
    order: Vec<usize>,
    scale: Vec<f64>,
    rank: usize,
    b: Vec<f64>,
    lambda: Vec<f64>,
}

impl DenseDelassus {
    pub fn new(s: &Structure) -> Self {
        let e = Explicit::new(s);
        let n = e.len() - e.n_primal;
        let b = vec![0.0; e.len()];
        let order = (0..n).collect();
        DenseDelassus { e, n, a: vec![0.0; n * n], order, scale: vec![1.0; n], rank: n, b, lambda: vec![0.0; n] }
    }

    pub fn deficiency(&self) -> usize {
        self.n - self.rank
    }

    pub fn factor(&mut self, s: &Structure, blocks: &Blocks) -> Result<(), Node> {
        self.e.load(s, blocks)?;
        self.a.fill(0.0);
        let (e, a, n) = (&self.e, &mut self.a, self.n);
        let place = places(e);
        e.for_each_delassus_block(|first, second, block| {
            let (rows, columns) = (e.size[first], e.size[second]);
            for r in 0..rows {
                for c in 0..columns {
                    let (i, j) = (place[first] + r, place[second] + c);
                    if i <= j {
                        a[i * n + j] += block[r * columns + c];
                    }
                }
            }
        });
        for i in 0..n {
            let d = a[i * n + i];
            if !d.is_finite() {
                return Err(dual_at(e, &place, i));
            }
            self.scale[i] = if d > 0.0 { 1.0 / d.sqrt() } else { 0.0 };
            self.order[i] = i;
        }
        for i in 0..n {
            for j in i..n {
                a[i * n + j] *= self.scale[i] * self.scale[j];
                a[j * n + i] = a[i * n + j];
            }
        }
        self.rank = 0;
        for k in 0..n {
            let p = (k..n).max_by(|&i, &j| a[i * n + i].total_cmp(&a[j * n + j]).then(j.cmp(&i))).unwrap_or(k);
            if !(a[p * n + p] > DEPENDENT) {
                break;
            }
            self.rank += 1;
            if p != k {
                self.order.swap(k, p);
                (0..n).for_each(|j| a.swap(k * n + j, p * n + j));
                (0..n).for_each(|i| a.swap(i * n + k, i * n + p));
            }
            let (done, below) = a.split_at_mut((k + 1) * n);
            let row_k = &done[k * n..];
            for row in below.chunks_exact_mut(n) {
                let l = row[k] / row_k[k];
                row[k] = l;
                (k + 1..n).for_each(|j| row[j] -= l * row_k[j]);
            }
        }
        Ok(())
    }

    pub fn solve(&mut self, x: &mut [f64]) {
        self.e.reduce(x, &mut self.b);
        gather(&self.e, &self.b, &mut self.lambda);
        let (n, a) = (self.n, &self.a);
        let mut y: Vec<f64> = self.order.iter().map(|&i| self.lambda[i] * self.scale[i]).collect();
        for i in 1..self.rank {
            let sum: f64 = (0..i).map(|j| a[i * n + j] * y[j]).sum();
            y[i] -= sum;
        }
        y[self.rank..].fill(0.0);
        for i in (0..self.rank).rev() {
            let sum: f64 = (i + 1..self.rank).map(|j| a[i * n + j] * y[j]).sum();
            y[i] = (y[i] - sum) / a[i * n + i];
        }
        for (&i, y) in self.order.iter().zip(&y) {
            self.lambda[i] = y * self.scale[i];
        }
        scatter(&self.e, &self.lambda, &mut self.b);
        self.e.recover(&self.b, x);
    }
}

/// Start of each dual among the dual entries only.
pub(super) fn places(e: &Explicit) -> Vec<usize> {
    let mut place = vec![0; e.size.len()];
    let mut next = 0;
    for &d in &e.duals {
        place[d] = next;
        next += e.size[d];
    }
    place
}

pub(super) fn dual_at(e: &Explicit, place: &[usize], k: usize) -> Node {
    let found = e.duals.iter().rev().find(|&&d| place[d] <= k && e.size[d] > 0);
    Node(found.copied().unwrap_or(0) as u32)
}

fn gather(e: &Explicit, b: &[f64], out: &mut [f64]) {
    let mut next = 0;
    for &d in &e.duals {
        out[next..next + e.size[d]].copy_from_slice(&b[e.start[d]..e.start[d + 1]]);
        next += e.size[d];
    }
}

fn scatter(e: &Explicit, lambda: &[f64], b: &mut [f64]) {
    let mut next = 0;
    for &d in &e.duals {
        b[e.start[d]..e.start[d + 1]].copy_from_slice(&lambda[next..next + e.size[d]]);
        next += e.size[d];
    }
}

/// `H` as one dense matrix, factored with partial pivoting.
pub(crate) struct DenseKkt {
    n: usize,
    h: Vec<f64>,
    pivots: Vec<usize>,
    starts: Vec<usize>,
}

impl DenseKkt {
    pub fn new(s: &Structure) -> Self {
        let mut starts = vec![0];
        for i in 0..s.n_nodes() {
            starts.push(starts[i] + s.size(Node(i as u32)));
        }
        let n = starts[s.n_nodes()];
        DenseKkt { n, h: vec![0.0; n * n], pivots: vec![0; n], starts }
    }

    pub fn factor(&mut self, s: &Structure, blocks: &Blocks) -> Result<(), Node> {
        let n = self.n;
        dense_kkt(s, blocks, &mut self.h);
        let h = &mut self.h;
        let sizes: Vec<f64> =
            h.chunks_exact(n.max(1)).map(|row| row.iter().fold(0.0, |m: f64, x| m.max(x.abs()))).collect();
        for k in 0..n {
            let p = (k..n).max_by(|&i, &j| h[i * n + k].abs().total_cmp(&h[j * n + k].abs())).unwrap_or(k);
            self.pivots[k] = p;
            let pivot = h[p * n + k];
            if !(pivot.abs() > DEPENDENT * sizes[k]) || !pivot.is_finite() {
                let node = self.starts.partition_point(|&start| start <= k).saturating_sub(1);
                return Err(Node(node as u32));
            }
            if p != k {
                for j in 0..n {
                    h.swap(k * n + j, p * n + j);
                }
            }
            let inverse = 1.0 / pivot;
            let (top, below) = h.split_at_mut((k + 1) * n);
            let row_k = &top[k * n..];
            for row in below.chunks_exact_mut(n) {
                let l = row[k] * inverse;
                row[k] = l;
                if l != 0.0 {
                    for j in k + 1..n {
                        row[j] -= l * row_k[j];
                    }
                }
            }
        }
        Ok(())
    }

    pub fn solve(&mut self, x: &mut [f64]) {
        let (n, h) = (self.n, &self.h);
        for k in 0..n {
            x.swap(k, self.pivots[k]);
        }
        for i in 0..n {
            let sum: f64 = (0..i).map(|j| h[i * n + j] * x[j]).sum();
            x[i] -= sum;
        }
        for i in (0..n).rev() {
            let sum: f64 = (i + 1..n).map(|j| h[i * n + j] * x[j]).sum();
            x[i] = (x[i] - sum) / h[i * n + i];
        }
    }
}

/// Write `H` out, row by row.
pub(crate) fn dense_kkt(s: &Structure, blocks: &Blocks, h: &mut [f64]) {
    let mut starts = vec![0];
    for i in 0..s.n_nodes() {
        starts.push(starts[i] + s.size(Node(i as u32)));
    }
    let n = starts[s.n_nodes()];
    h.fill(0.0);
    for i in 0..s.n_nodes() {
        let node = Node(i as u32);
        if !s.is_dual(node) {
            let (at, size) = (starts[i], s.size(node));
            for r in 0..size {
                for c in 0..size {
                    h[(at + r) * n + at + c] = blocks.entry(node, r, c);
                }
            }
        }
    }
    let mut block = Vec::new();
    for (k, (dual, primal)) in s.links().enumerate() {
        blocks.dense_link(s, k, &mut block);
        let width = s.size(primal);
        for (e, &value) in block.iter().enumerate() {
            let (i, j) = (starts[dual.index()] + e / width, starts[primal.index()] + e % width);
            h[i * n + j] = -value;
            h[j * n + i] = -value;
        }
    }
}
