//! M and J written out block by block, for the solvers that work on `A = J M^-1 J^T`.
//!
//! With H [y; lambda] = [f; g]:   A lambda = - g - J M^-1 f,    y = M^-1 (f + J^T lambda).

use holonom_tree::{Blocks, Node, Structure, packed};

/// One block of J.
#[derive(Clone, Debug)]
pub(super) struct Link {
    pub dual: usize,
    pub primal: usize,
    pub rows: usize,
    pub columns: usize,
    pub values: Vec<f64>,
}

#[derive(Clone, Debug)]
pub(super) struct Explicit {
    /// Start of each node in a vector.
    pub start: Vec<usize>,
    pub size: Vec<usize>,
    pub n_primal: usize,
    /// Factored mass blocks, packed.
    mass: Vec<Vec<f64>>,
    primal: Vec<usize>,
    pub links: Vec<Link>,
    pub duals: Vec<usize>,
    /// Links of each dual and of each primal node.
    pub links_of: Vec<Vec<usize>>,
}

impl Explicit {
    pub fn new(s: &Structure) -> Self {
        let n = s.n_nodes();
        let size: Vec<usize> = (0..n).map(|i| s.size(Node(i as u32))).collect();
        let mut start = vec![0];
        for i in 0..n {
            start.push(start[i] + size[i]);
        }
        let is_dual = |i: &usize| s.is_dual(Node(*i as u32));
        let duals: Vec<usize> = (0..n).filter(is_dual).collect();
        let primal: Vec<usize> = (0..n).filter(|i| !is_dual(i)).collect();
        let mut links_of = vec![Vec::new(); n];
        let links: Vec<Link> = s
            .links()
            .enumerate()
            .map(|(k, (dual, primal))| {
                let (dual, primal) = (dual.index(), primal.index());
                links_of[dual].push(k);
                links_of[primal].push(k);
                Link { dual, primal, rows: size[dual], columns: size[primal], values: Vec::new() }
            })
            .collect();
        let n_primal = primal.iter().map(|&i| size[i]).sum();
        Explicit { start, size, n_primal, mass: vec![Vec::new(); n], primal, links, duals, links_of }
    }

    /// Take the current values; factors each mass block. On failure returns the node.
    pub fn load(&mut self, s: &Structure, blocks: &Blocks) -> Result<(), Node> {
        for &i in &self.primal {
            let mass = &mut self.mass[i];
            blocks.packed_diagonal(Node(i as u32), self.size[i], mass);
            packed::factor(mass, self.size[i], |_| true).map_err(|_| Node(i as u32))?;
        }
        for (k, link) in self.links.iter_mut().enumerate() {
            blocks.dense_link(s, k, &mut link.values);
        }
        Ok(())
    }

    /// Total length of a vector, and of its dual part.
    pub fn len(&self) -> usize {
        self.start[self.start.len() - 1]
    }

    /// y <- M^-1 y.
    pub fn solve_mass(&self, y: &mut [f64]) {
        for &i in &self.primal {
            let part = &mut y[self.start[i]..self.start[i + 1]];
            packed::solve(&self.mass[i], self.size[i], part);
        }
    }

    /// M_i^-1 J^T of one link, columns x rows, written column of J^T by column.
    pub fn mass_inverse_transposed(&self, link: &Link, out: &mut Vec<f64>) {
        out.clear();
        out.extend_from_slice(&link.values);
        for r in 0..link.rows {
            packed::solve(&self.mass[link.primal], link.columns, &mut out[r * link.columns..(r + 1) * link.columns]);
        }
    }

    /// out (dual part) += s J y.
    pub fn add_jacobian(&self, s: f64, y: &[f64], out: &mut [f64]) {
        for l in &self.links {
            let y = &y[self.start[l.primal]..self.start[l.primal + 1]];
            for r in 0..l.rows {
                let row = &l.values[r * l.columns..(r + 1) * l.columns];
                out[self.start[l.dual] + r] += s * row.iter().zip(y).map(|(a, b)| a * b).sum::<f64>();
            }
        }
    }

    /// out (primal part) += J^T lambda.
    pub fn add_transposed(&self, lambda: &[f64], out: &mut [f64]) {
        for l in &self.links {
            for r in 0..l.rows {
                let x = lambda[self.start[l.dual] + r];
                let row = &l.values[r * l.columns..(r + 1) * l.columns];
                for (o, j) in out[self.start[l.primal]..self.start[l.primal + 1]].iter_mut().zip(row) {
                    *o += j * x;
                }
            }
        }
    }

    /// Right-hand side of `A lambda = - g - J M^-1 f`, in the dual part of `b`; leaves `M^-1 f` in the primal part.
    pub fn reduce(&self, x: &[f64], b: &mut [f64]) {
        b.copy_from_slice(x);
        self.solve_mass(b);
        let (y, g) = (b.to_vec(), &mut *b);
        for &d in &self.duals {
            for i in self.start[d]..self.start[d + 1] {
                g[i] = -x[i];
            }
        }
        self.add_jacobian(-1.0, &y, g);
    }

    /// From lambda (dual part of `b`) the whole solution, into `x`, which still holds `f` in its primal part.
    pub fn recover(&self, b: &[f64], x: &mut [f64]) {
        self.add_transposed(b, x);
        self.solve_mass(x);
        for &d in &self.duals {
            x[self.start[d]..self.start[d + 1]].copy_from_slice(&b[self.start[d]..self.start[d + 1]]);
        }
    }

    /// The blocks of `A = J M^-1 J^T`, as (dual, dual, rows x columns), every pair of duals that share a node, once
    /// (first <= second).
    pub fn for_each_delassus_block(&self, mut visit: impl FnMut(usize, usize, &[f64])) {
        let (mut minv, mut block) = (Vec::new(), Vec::new());
        for &p in &self.primal {
            for &k in &self.links_of[p] {
                let second = &self.links[k];
                self.mass_inverse_transposed(second, &mut minv);
                for &h in &self.links_of[p] {
                    let first = &self.links[h];
                    if first.dual > second.dual {
                        continue;
                    }
                    block.clear();
                    for r in 0..first.rows {
                        let row = &first.values[r * first.columns..(r + 1) * first.columns];
                        for c in 0..second.rows {
                            let column = &minv[c * second.columns..(c + 1) * second.columns];
                            block.push(row.iter().zip(column).map(|(a, b)| a * b).sum::<f64>());
                        }
                    }
                    visit(first.dual, second.dual, &block);
                }
            }
        }
    }
}
