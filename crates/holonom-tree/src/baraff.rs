//! Baraff's linear-time factorisation as his paper prints it (*Linear-time dynamics using Lagrange multipliers*,
//! SIGGRAPH 1996, section 7.3 and appendix A): the plain method beside which [`Plan`](crate::Plan) is checked and
//! measured.
//!
//! The nodes of a forest are numbered so that every node comes after its children. Row i of H then has one block right
//! of the diagonal, H_i,par(i). The procedures keep the paper's names and the order of its loops. Three things differ
//! from the print: `sparsesolve` reads H_ij^T where H_ji^T is meant; appendix A stores J and starts from b, where H has
//! -J and section 7.3 z = (0, -b) (z is any vector here); and a forest has several roots, so that "i ≠ n" becomes "i
//! has a parent".

use crate::blocks::Blocks;
use crate::core::Core;
use crate::factor::Singular;
use crate::plan::PlanError;
use crate::planner::Planner;
use crate::structure::{Kind, Node, Structure};

/// A dual pivot below this part of its diagonal entry means dependent rows, in the sample that the order is tried on:
/// six digits would be lost.
const DEPENDENT: f64 = 1e-6;

/// H of a forest, reordered, and its factors in the same place. Blocks are dense, and all their inverses are explicit.
#[derive(Clone, Debug)]
pub struct Baraff {
    structure: Structure,
    /// Node of each index i; children come before their parents.
    nodes: Vec<Node>,
    /// Where x_i stands in a vector.
    parts: Vec<std::ops::Range<usize>>,
    par: Vec<Option<usize>>,
    child: Vec<Vec<usize>>,
    /// Link between i and par(i).
    link: Vec<usize>,
    /// H_ii, which becomes D_i, and its inverse.
    diagonal: Vec<Matrix>,
    inverse: Vec<Matrix>,
    /// H_i,par(i), which becomes the block of L^T.
    upper: Vec<Matrix>,
    scratch: Vec<f64>,
}

impl Baraff {
    /// Order the nodes of a forest. `sample` holds typical values, on which the order is tried.
    ///
    /// # Errors
    /// When the graph has cycles (two duals with a single link each close one), or when some dual's rows are dependent
    /// in what hangs below it: the method has nothing to offer for either.
    pub fn new(structure: &Structure, sample: &Blocks) -> Result<Baraff, PlanError> {
        let planner = Planner::new(structure);
        let core = Core::find(&planner);
        if let Some(i) = core.inside.iter().position(|&inside| inside) {
            return Err(PlanError::Cycle(Node(i as u32)));
        }
        let forest = planner.root_trees(&core, sample)?;
        let order = &forest.order;
        for &i in order.iter().filter(|&&i| matches!(structure.kinds[i as usize], Kind::Dual)) {
            // a row of which rounding errors are all that is left below has a pivot that is its whole diagonal entry
            let up = forest.parent_link[i as usize];
            let below: Vec<u32> = planner.links_of(i as usize).iter().copied().filter(|&l| l != up).collect();
            if !planner.full_rank(&below, Node(i), sample) {
                return Err(PlanError::Dependent(Node(i)));
            }
        }
        let n = order.len();
        let mut index = vec![0; n];
        order.iter().enumerate().for_each(|(i, &node)| index[node as usize] = i);
        let parent = |&node: &u32| forest.parent(&planner, node).map(|parent| index[parent as usize]);
        let par: Vec<Option<usize>> = order.iter().map(parent).collect();
        let mut child = vec![Vec::new(); n];
        (0..n).for_each(|i| par[i].into_iter().for_each(|j| child[j].push(i)));
        let mut start = vec![0; n + 1];
        (0..n).for_each(|k| start[k + 1] = start[k] + structure.sizes[k] as usize);
        let size = |i: usize| structure.sizes[order[i] as usize] as usize;
        let square: Vec<Matrix> = (0..n).map(|i| Matrix::zero(size(i), size(i))).collect();
        let mut baraff = Baraff {
            structure: structure.clone(),
            nodes: order.iter().map(|&node| Node(node)).collect(),
            parts: order.iter().map(|&node| start[node as usize]..start[node as usize + 1]).collect(),
            link: order.iter().map(|&node| forest.parent_link[node as usize] as usize).collect(),
            upper: (0..n).map(|i| Matrix::zero(size(i), par[i].map_or(0, size))).collect(),
            inverse: square.clone(),
            diagonal: square,
            scratch: Vec::new(),
            par,
            child,
        };
        baraff.load(sample);
        baraff.sparsefactor(DEPENDENT).map_err(|e| PlanError::Dependent(e.node))?;
        Ok(baraff)
    }

    /// Factor the matrix with these values. O(nodes).
    pub fn factor(&mut self, blocks: &Blocks) -> Result<(), Singular> {
        self.load(blocks);
        self.sparsefactor(0.0)
    }

    /// Solve `H x = z` in place; nodes in their order of declaration. O(nodes).
    ///
    /// # Panics
    /// When `x` is too short.
    pub fn solve(&mut self, x: &mut [f64]) {
        self.sparsesolve(x);
    }

    /// Store H: `D` or 0 on the diagonal, `-J` or `-J^T` right of it.
    fn load(&mut self, blocks: &Blocks) {
        for i in 0..self.nodes.len() {
            let (node, h_ii) = (self.nodes[i], &mut self.diagonal[i]);
            let n = h_ii.rows;
            (0..n * n).for_each(|k| h_ii.entries[k] = blocks.entry(node, k / n, k % n));
            if self.par[i].is_some() {
                let (h, block) = (&mut self.upper[i], &mut self.scratch);
                blocks.dense_link(&self.structure, self.link[i], block);
                let (n, m, dual) = (h.rows, h.columns, self.structure.is_dual(node));
                (0..n * m).for_each(|k| h.entries[k] = -block[if dual { k } else { (k % m) * n + k / m }]);
            }
        }
    }

    /// procedure sparsefactor. A pivot not above this part of its own diagonal entry stops it; 0 leaves the test of its
    /// sign.
    fn sparsefactor(&mut self, threshold: f64) -> Result<(), Singular> {
        let Baraff { diagonal, inverse, upper, scratch, .. } = self;
        for i in 0..self.nodes.len() {
            let (below, from_i) = diagonal.split_at_mut(i);
            let h_ii = &mut from_i[0];
            for &k in &self.child[i] {
                h_ii.subtract(&upper[k], &below[k]); // H_ii = H_ii - H_ki^T H_kk H_ki
            }
            let sign = if self.structure.is_dual(self.nodes[i]) { -1.0 } else { 1.0 };
            let inverted = h_ii.invert(sign, threshold, &mut inverse[i]);
            inverted.map_err(|pivot| Singular { node: self.nodes[i], pivot })?;
            if self.par[i].is_some() {
                upper[i].multiply_from_left(&inverse[i], scratch); // H_i,par(i) = H_ii^-1 H_i,par(i)
            }
        }
        Ok(())
    }

    /// procedure sparsesolve: `x` holds z at first.
    fn sparsesolve(&mut self, x: &mut [f64]) {
        for i in 0..self.nodes.len() {
            for &j in &self.child[i] {
                let [x_i, x_j] = self.two(x, i, j);
                self.upper[j].subtract_transposed(x_j, x_i); // x_i = x_i - H_ji^T x_j
            }
        }
        for i in (0..self.nodes.len()).rev() {
            self.inverse[i].multiply(&mut x[self.parts[i].clone()], &mut self.scratch); // x_i = H_ii^-1 x_i
            if let Some(par) = self.par[i] {
                let [x_i, x_par] = self.two(x, i, par);
                self.upper[i].subtract_product(x_par, x_i); // x_i = x_i - H_i,par(i) x_par(i)
            }
        }
    }

    fn two<'x>(&self, x: &'x mut [f64], i: usize, j: usize) -> [&'x mut [f64]; 2] {
        match x.get_disjoint_mut([self.parts[i].clone(), self.parts[j].clone()]) {
            Ok(parts) => parts,
            Err(_) => panic!("solve: the vector is too short"),
        }
    }
}

/// A dense block, row by row.
#[derive(Clone, Debug)]
struct Matrix {
    rows: usize,
    columns: usize,
    entries: Vec<f64>,
}

impl Matrix {
    fn zero(rows: usize, columns: usize) -> Matrix {
        Matrix { rows, columns, entries: vec![0.0; rows * columns] }
    }

    fn at(&self, i: usize, j: usize) -> f64 {
        self.entries[i * self.columns + j]
    }

    /// `self -= U^T D U`.
    fn subtract(&mut self, u: &Matrix, d: &Matrix) {
        for a in 0..d.rows {
            for j in 0..u.columns {
                let du: f64 = (0..d.rows).map(|b| d.at(a, b) * u.at(b, j)).sum();
                (0..u.columns).for_each(|i| self.entries[i * u.columns + j] -= u.at(a, i) * du);
            }
        }
    }

    /// `self = M self`, column by column.
    fn multiply_from_left(&mut self, m: &Matrix, column: &mut Vec<f64>) {
        for j in 0..self.columns {
            column.clear();
            column.extend((0..self.rows).map(|i| self.at(i, j)));
            (0..self.rows).for_each(|i| self.entries[i * self.columns + j] = m.row_times(i, column));
        }
    }

    /// `x = self x`.
    fn multiply(&self, x: &mut [f64], old: &mut Vec<f64>) {
        old.clear();
        old.extend_from_slice(x);
        (0..self.rows).for_each(|i| x[i] = self.row_times(i, old));
    }

    fn row_times(&self, i: usize, x: &[f64]) -> f64 {
        (0..self.columns).map(|j| self.at(i, j) * x[j]).sum()
    }

    /// `y -= self x`.
    fn subtract_product(&self, x: &[f64], y: &mut [f64]) {
        (0..self.rows).for_each(|i| y[i] -= self.row_times(i, x));
    }

    /// `y -= self^T x`.
    fn subtract_transposed(&self, x: &[f64], y: &mut [f64]) {
        (0..self.columns).for_each(|j| y[j] -= (0..self.rows).map(|i| self.at(i, j) * x[i]).sum::<f64>());
    }

    /// The inverse of a definite matrix with this sign, by Gauss and Jordan. Fails with the first pivot that has the
    /// other sign, or is not above this part of its diagonal entry.
    fn invert(&self, sign: f64, threshold: f64, out: &mut Matrix) -> Result<(), f64> {
        let n = self.rows;
        out.entries.copy_from_slice(&self.entries);
        for k in 0..n {
            let pivot = out.at(k, k);
            if !(sign * pivot > threshold * self.at(k, k).abs()) {
                return Err(pivot);
            }
            out.entries[k * n + k] = 1.0;
            out.entries[k * n..(k + 1) * n].iter_mut().for_each(|x| *x /= pivot);
            for i in (0..n).filter(|&i| i != k) {
                let l = std::mem::replace(&mut out.entries[i * n + k], 0.0);
                (0..n).for_each(|j| out.entries[i * n + j] -= l * out.entries[k * n + j]);
            }
        }
        Ok(())
    }
}
