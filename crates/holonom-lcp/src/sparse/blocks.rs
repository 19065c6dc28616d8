//! Sparse matrices of 6 x 6 blocks with a symmetric pattern: order once, factor often.
//!
//! Symmetric positive definite ones by `L L^T` ([`BlockMatrix6::factor`]), others by `L U` with pivots inside the
//! diagonal blocks only ([`BlockMatrix6::factor_any`]).
//!
//! Nodes are eliminated by least degree (the lowest number among equals), which keeps the fill of flat and of
//! chain-like graphs small. The order, the places of all blocks and the list of all updates are kept until the graph
//! changes; a factorisation then walks them without a search.

use crate::dense::block6::{
    Block6, ONE, ZERO, backward, cholesky6, divide, forward, invert, subtract, subtract_product, times,
};

/// The structure of `L`, and its numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct BlockMatrix6 {
    n: usize,
    edges: Vec<(u32, u32)>,
    /// Place of each node in the order of elimination.
    place: Vec<u32>,
    /// Blocks below the diagonal, column after column: rows (places), and where columns begin.
    rows: Vec<u32>,
    start: Vec<u32>,
    /// Targets of the updates of each column, pair after pair: a diagonal block (`n_below + place`) or one below.
    targets: Vec<u32>,
    diagonal: Vec<Block6>,
    below: Vec<Block6>,
    /// Blocks above the diagonal, each as it stands in the matrix, in the places of those below that mirror them; for
    /// matrices that are not symmetric.
    above: Vec<Block6>,
}

impl BlockMatrix6 {
    /// Lay out a matrix of `n` nodes with these edges (sorted, without doubles, smaller number first).
    pub fn lay_out(&mut self, n: usize, edges: &[(u32, u32)]) {
        if self.n == n && self.edges == edges {
            return;
        }
        self.n = n;
        self.edges.clear();
        self.edges.extend_from_slice(edges);
        let mut columns = self.eliminate();
        self.start.clear();
        self.start.push(0);
        self.rows.clear();
        for column in &mut columns {
            column.iter_mut().for_each(|node| *node = self.place[*node as usize]);
            column.sort_unstable();
            self.rows.extend_from_slice(column);
            self.start.push(self.rows.len() as u32);
        }
        self.targets.clear();
        for column in &columns {
            for (k, &i) in column.iter().enumerate() {
                for &j in &column[..=k] {
                    let target = self.index(i as usize, j as usize);
                    self.targets.push(target as u32);
                }
            }
        }
        self.diagonal.resize(n, ZERO);
        self.below.resize(self.rows.len(), ZERO);
        self.above.resize(self.rows.len(), ZERO);
    }

    /// The order of elimination into `place`, by least degree; for each place the nodes below it in its column of the
    /// factor.
    fn eliminate(&mut self) -> Vec<Vec<u32>> {
        let mut near = vec![Vec::new(); self.n];
        for &(a, b) in &self.edges {
            near[a as usize].push(b);
            near[b as usize].push(a);
        }
        near.iter_mut().for_each(|list| list.sort_unstable());
        self.place.clear();
        self.place.resize(self.n, u32::MAX);
        let mut queue: std::collections::BTreeSet<(usize, u32)> =
            near.iter().enumerate().map(|(i, list)| (list.len(), i as u32)).collect();
        let mut columns: Vec<Vec<u32>> = Vec::with_capacity(self.n);
        let mut merged = Vec::new();
        while let Some((_, node)) = queue.pop_first() {
            self.place[node as usize] = columns.len() as u32;
            let mine = std::mem::take(&mut near[node as usize]);
            for &other in &mine {
                let list = &mut near[other as usize];
                queue.remove(&(list.len(), other));
                // the neighbours of an eliminated node become neighbours of each other
                merged.clear();
                merge(list, &mine, node, other, &mut merged);
                std::mem::swap(list, &mut merged);
                queue.insert((list.len(), other));
            }
            columns.push(mine);
        }
        columns
    }

    /// Index of the block of two places: one below the diagonal, or beyond those one on it.
    fn index(&self, i: usize, j: usize) -> usize {
        let (i, j) = (i.max(j), i.min(j));
        if i == j {
            return self.rows.len() + i;
        }
        let column = &self.rows[self.start[j] as usize..self.start[j + 1] as usize];
        self.start[j] as usize + column.partition_point(|&row| (row as usize) < i)
    }

    /// Where the block of two nodes is, and whether it must be transposed when written as (a, b).
    pub fn find(&self, a: u32, b: u32) -> (usize, bool) {
        let (i, j) = (self.place[a as usize] as usize, self.place[b as usize] as usize);
        (self.index(i, j), i < j)
    }

    /// The identity; `whole`: blocks above the diagonal too.
    pub fn clear_to_one(&mut self, whole: bool) {
        self.diagonal.fill(ONE);
        self.below.fill(ZERO);
        if whole {
            self.above.fill(ZERO);
        }
    }

    /// The block above the diagonal that mirrors one below.
    #[inline(always)]
    pub fn mirror(&mut self, index: usize) -> &mut Block6 {
        &mut self.above[index]
    }

    /// A block by its index.
    #[inline(always)]
    pub fn block(&mut self, index: usize) -> &mut Block6 {
        let n = self.below.len();
        if index < n { &mut self.below[index] } else { &mut self.diagonal[index - n] }
    }

    /// `L L^T`. False where a pivot is not positive.
    pub fn factor(&mut self) -> bool {
        let n_below = self.below.len();
        let mut at = 0;
        for j in 0..self.n {
            if !cholesky6(&mut self.diagonal[j]) {
                return false;
            }
            let (first, end) = (self.start[j] as usize, self.start[j + 1] as usize);
            for k in first..end {
                divide(&self.diagonal[j], &mut self.below[k]);
            }
            // columns to the right of this one only: their blocks lie behind it
            let (done, rest) = self.below.split_at_mut(end);
            for k in first..end {
                for m in first..=k {
                    let target = self.targets[at] as usize;
                    at += 1;
                    if target < n_below {
                        subtract(&done[k], &done[m], &mut rest[target - end]);
                    } else {
                        subtract(&done[k], &done[m], &mut self.diagonal[target - n_below]);
                    }
                }
            }
        }
        true
    }

    /// `L U` of a matrix that is not symmetric: `above` must be there too. Diagonal blocks are kept inverted. False
    /// where one is singular.
    pub fn factor_any(&mut self) -> bool {
        let n_below = self.below.len();
        let mut at = 0;
        for j in 0..self.n {
            let Some(inverse) = invert(&self.diagonal[j]) else { return false };
            self.diagonal[j] = inverse;
            let (first, end) = (self.start[j] as usize, self.start[j + 1] as usize);
            for k in first..end {
                self.below[k] = times(&self.below[k], &inverse);
            }
            let (done, rest) = self.below.split_at_mut(end);
            let (upper, other) = self.above.split_at_mut(end);
            for k in first..end {
                for m in first..=k {
                    let target = self.targets[at] as usize;
                    at += 1;
                    if target < n_below {
                        subtract_product(&done[k], &upper[m], &mut rest[target - end]);
                        subtract_product(&done[m], &upper[k], &mut other[target - end]);
                    } else {
                        subtract_product(&done[k], &upper[m], &mut self.diagonal[target - n_below]);
                    }
                }
            }
        }
        true
    }

    /// Solve in place with the factors of [`BlockMatrix6::factor_any`].
    pub fn solve_any(&self, x: &mut [f64], scratch: &mut Vec<f64>) {
        self.permuted(x, scratch, |y| {
            for j in 0..self.n {
                let (head, tail) = y.split_at_mut(6 * j + 6);
                let from = &head[6 * j..];
                for k in self.start[j] as usize..self.start[j + 1] as usize {
                    let out = &mut tail[6 * (self.rows[k] as usize - j - 1)..][..6];
                    for r in 0..6 {
                        out[r] -= (0..6).map(|c| self.below[k][6 * r + c] * from[c]).sum::<f64>();
                    }
                }
            }
            for j in (0..self.n).rev() {
                let (head, tail) = y.split_at_mut(6 * j + 6);
                let own = &mut head[6 * j..];
                for k in self.start[j] as usize..self.start[j + 1] as usize {
                    let from = &tail[6 * (self.rows[k] as usize - j - 1)..][..6];
                    for r in 0..6 {
                        own[r] -= (0..6).map(|c| self.above[k][6 * r + c] * from[c]).sum::<f64>();
                    }
                }
                let mut z = [0.0; 6];
                for r in 0..6 {
                    z[r] = (0..6).map(|c| self.diagonal[j][6 * r + c] * own[c]).sum();
                }
                own.copy_from_slice(&z);
            }
        });
    }

    /// Work on `x` in the order of elimination.
    fn permuted(&self, x: &mut [f64], scratch: &mut Vec<f64>, work: impl FnOnce(&mut [f64])) {
        scratch.clear();
        scratch.resize(6 * self.n, 0.0);
        for node in 0..self.n {
            let p = self.place[node] as usize;
            scratch[6 * p..6 * p + 6].copy_from_slice(&x[6 * node..6 * node + 6]);
        }
        work(scratch);
        for node in 0..self.n {
            let p = self.place[node] as usize;
            x[6 * node..6 * node + 6].copy_from_slice(&scratch[6 * p..6 * p + 6]);
        }
    }

    /// Solve in place; `x` has six numbers per node.
    pub fn solve(&self, x: &mut [f64], scratch: &mut Vec<f64>) {
        self.permuted(x, scratch, |y| {
            for j in 0..self.n {
                let (head, tail) = y.split_at_mut(6 * j + 6);
                let own = &mut head[6 * j..];
                forward(&self.diagonal[j], own);
                for k in self.start[j] as usize..self.start[j + 1] as usize {
                    let out = &mut tail[6 * (self.rows[k] as usize - j - 1)..][..6];
                    for r in 0..6 {
                        out[r] -= (0..6).map(|c| self.below[k][6 * r + c] * own[c]).sum::<f64>();
                    }
                }
            }
            for j in (0..self.n).rev() {
                let (head, tail) = y.split_at_mut(6 * j + 6);
                let own = &mut head[6 * j..];
                for k in self.start[j] as usize..self.start[j + 1] as usize {
                    let from = &tail[6 * (self.rows[k] as usize - j - 1)..][..6];
                    for c in 0..6 {
                        own[c] -= (0..6).map(|r| self.below[k][6 * r + c] * from[r]).sum::<f64>();
                    }
                }
                backward(&self.diagonal[j], own);
            }
        });
    }
}

/// Two sorted lists without `a` and `b`.
fn merge(x: &[u32], y: &[u32], a: u32, b: u32, out: &mut Vec<u32>) {
    let (mut i, mut j) = (0, 0);
    while i < x.len() || j < y.len() {
        let next = match (x.get(i), y.get(j)) {
            (Some(&p), Some(&q)) if p == q => {
                (i, j) = (i + 1, j + 1);
                p
            }
            (Some(&p), Some(&q)) if p > q => {
                j += 1;
                q
            }
            (Some(&p), _) => {
                i += 1;
                p
            }
            (None, Some(&q)) => {
                j += 1;
                q
            }
            (None, None) => break,
        };
        if next != a && next != b {
            out.push(next);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers without pattern.
    fn noise(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    #[test]
    fn a_grid_is_factored_and_solved() {
        let (w, h) = (5usize, 7usize);
        let n = w * h;
        let mut edges = Vec::new();
        for i in 0..n {
            if i % w + 1 < w {
                edges.push((i as u32, i as u32 + 1));
            }
            if i + w < n {
                edges.push((i as u32, (i + w) as u32));
            }
        }
        edges.sort_unstable();
        let mut m = BlockMatrix6::default();
        m.lay_out(n, &edges);
        m.clear_to_one(true);
        let mut dense = vec![0.0; 36 * n * n];
        let mut seed = 1;
        for i in 0..n {
            let at = m.find(i as u32, i as u32).0;
            for r in 0..6 {
                for c in 0..=r {
                    let x = if r == c { 30.0 } else { noise(&mut seed) };
                    m.block(at)[6 * r + c] = x;
                    m.block(at)[6 * c + r] = x;
                    dense[(6 * i + r) * 6 * n + 6 * i + c] = x;
                    dense[(6 * i + c) * 6 * n + 6 * i + r] = x;
                }
            }
        }
        for &(a, b) in &edges {
            let (at, turned) = m.find(a, b);
            for r in 0..6 {
                for c in 0..6 {
                    let x = noise(&mut seed);
                    m.block(at)[if turned { 6 * c + r } else { 6 * r + c }] = x;
                    m.mirror(at)[if turned { 6 * r + c } else { 6 * c + r }] = x;
                    dense[(6 * a as usize + r) * 6 * n + 6 * b as usize + c] = x;
                    dense[(6 * b as usize + c) * 6 * n + 6 * a as usize + r] = x;
                }
            }
        }
        let mut any = m.clone();
        // a skew part on one edge
        let (at, turned) = any.find(edges[0].0, edges[0].1);
        any.block(at)[1] += 0.5;
        let mut skew = dense.clone();
        let (row, column) = if turned { (edges[0].1, edges[0].0) } else { edges[0] };
        skew[(6 * row as usize) * 6 * n + 6 * column as usize + 1] += 0.5;
        assert!(m.factor() && any.factor_any());
        let b: Vec<f64> = (0..6 * n).map(|_| noise(&mut seed)).collect();
        let mut x = b.clone();
        m.solve(&mut x, &mut Vec::new());
        for i in 0..6 * n {
            let sum: f64 = (0..6 * n).map(|j| dense[i * 6 * n + j] * x[j]).sum();
            assert!((sum - b[i]).abs() < 1e-13, "row {i}: {sum} instead of {}", b[i]);
        }
        let mut x = b.clone();
        any.solve_any(&mut x, &mut Vec::new());
        for i in 0..6 * n {
            let sum: f64 = (0..6 * n).map(|j| skew[i * 6 * n + j] * x[j]).sum();
            assert!((sum - b[i]).abs() < 1e-13, "row {i}: {sum} instead of {}", b[i]);
        }
    }
}
