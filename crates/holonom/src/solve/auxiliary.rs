//! Baraff's auxiliary constraints (1996, section 8), against anything that responds to forces.
//!
//! The primary rows are kept by a *responder*: forces F in, accelerations out that satisfy the primary rows. Auxiliary
//! rows i demand `J^a vdot + c^a = 0` and push with `K mu`; for workless rows `K = (J^a)^T`. Each unit push on a row
//! k_j is answered by the primary constraints before it is known how strong it will be (constraint anticipation):
//!
//! ```text
//! z_j = response to k_j with c = 0                         k solves
//! A^a_ij = J^a_i z_j,      b^a = J^a vdot^0 + c^a          vdot^0: response to F alone, 1 solve
//! A^a mu = -b^a                                            k x k
//! vdot = response to F + K mu                              1 solve
//! ```
//!
//! One factorisation, k + 2 solves. For workless rows `A^a = K^T Mhat^-1 K` is symmetric and needs only forward sweeps,
//! `k + 2` of them and two backward ones: a third fewer of the three triangular passes (L, D, L^T) each solve consists
//! of. The products of the half-solved columns cost k^2 n/2 in their turn, so this is done only while k is small enough
//! to gain by it.
//!
//! `A^a` is solved by elimination with complete pivoting, every row and column scaled by what it would be without
//! primary constraints, `(J^a M^-1 J^aT)_ii` and `(K^T M^-1 K)_jj`. A pivot below 1e-11 of that is a row that depends
//! on the others: its mu is zero.

use super::{Counts, Failure, Responder};
use crate::evaluate::evaluation::OwnRows;
use crate::model::{Form, Model};
use holonom_tree::{Blocks, Factor, LinkId, Node, Plan, Structure, packed};

/// Where an auxiliary row acts: blocks of J and K one after the other, per body touched.
#[derive(Clone, Debug)]
pub(crate) struct AuxiliaryRow {
    /// Its entry in a vector.
    pub x: usize,
    /// First number of its blocks.
    pub at: usize,
    /// Bodies: node, first velocity coordinate, number of them.
    pub bodies: Vec<(Node, usize, usize)>,
}

/// The k x k system of auxiliary rows.
pub(crate) struct Complement {
    rows: Vec<AuxiliaryRow>,
    pub j: Vec<f64>,
    pub k: Vec<f64>,
    workless: bool,
    a: Eliminated,
    mu: Vec<f64>,
    gap: Vec<f64>,
    /// Scratch vectors of the whole length.
    rhs: Vec<f64>,
    halves: Vec<f64>,
}

impl Complement {
    pub fn new(rows: Vec<AuxiliaryRow>, len: usize, workless: bool) -> Self {
        let n = rows.len();
        let numbers = rows.last().map_or(0, |r| r.at + r.bodies.iter().map(|b| b.2).sum::<usize>());
        Complement {
            rows,
            j: vec![0.0; numbers],
            k: vec![0.0; numbers],
            workless,
            a: Eliminated::new(n),
            mu: vec![0.0; n],
            gap: vec![0.0; n],
            rhs: vec![0.0; len],
            halves: Vec::new(),
        }
    }

    /// `row . x` for one row of J.
    fn product(&self, row: &AuxiliaryRow, x: &[f64]) -> f64 {
        let mut at = row.at;
        let mut sum = 0.0;
        for &(_, start, n) in &row.bodies {
            sum += self.j[at..at + n].iter().zip(&x[start..start + n]).map(|(j, x)| j * x).sum::<f64>();
            at += n;
        }
        sum
    }

    /// `x += s K_row`.
    fn push(row: &AuxiliaryRow, k: &[f64], s: f64, x: &mut [f64]) {
        let mut at = row.at;
        for &(_, start, n) in &row.bodies {
            x[start..start + n].iter_mut().zip(&k[at..at + n]).for_each(|(x, k)| *x += s * k);
            at += n;
        }
    }

    /// `row^T M^-1 row` of every row of J or K: what it would be without primary constraints, and the measure of what
    /// is left of it.
    fn sizes(&self, values: &[f64], blocks: &Blocks, out: &mut [f64]) {
        let (mut mass, mut part) = (Vec::new(), Vec::new());
        for (row, out) in self.rows.iter().zip(out) {
            let mut at = row.at;
            *out = 0.0;
            for &(node, _, n) in &row.bodies {
                blocks.packed_diagonal(node, n, &mut mass);
                part.clear();
                part.extend_from_slice(&values[at..at + n]);
                if packed::factor(&mut mass, n, |_| true).is_ok() {
                    packed::solve(&mass, n, &mut part);
                }
                *out += part.iter().zip(&values[at..at + n]).map(|(a, b)| a * b).sum::<f64>();
                at += n;
            }
        }
    }

    /// Step 3 of the method: the matrix of responses, and its elimination. The responder's factors must be up to date.
    pub fn factor(&mut self, responder: &mut dyn Responder, blocks: &Blocks) -> Result<(), Failure> {
        let n = self.rows.len();
        let half_len = responder.half_len().filter(|&len| {
            // k forward sweeps saved against k^2 / 2 products
            self.workless && (n * len) as f64 <= 0.5 * responder.solve_flops()
        });
        if let Some(len) = half_len {
            self.halves.resize(n * len, 0.0);
            for (row, half) in self.rows.iter().zip(self.halves.chunks_exact_mut(len.max(1))) {
                self.rhs.fill(0.0);
                Self::push(row, &self.k, 1.0, &mut self.rhs);
                responder.half(&mut self.rhs, half);
            }
            for i in 0..n {
                for j in i..n {
                    let [a, b] = [i, j].map(|r| &self.halves[r * len..(r + 1) * len]);
                    let product = responder.half_product(a, b);
                    self.a.values[i * n + j] = product;
                    self.a.values[j * n + i] = product;
                }
            }
        } else {
            for j in 0..n {
                self.rhs.fill(0.0);
                Self::push(&self.rows[j], &self.k, 1.0, &mut self.rhs);
                responder.respond(&mut self.rhs)?;
                for i in 0..n {
                    self.a.values[i * n + j] = self.product(&self.rows[i], &self.rhs);
                }
            }
        }
        let mut scale = std::mem::take(&mut self.a.row_scale);
        self.sizes(&self.j, blocks, &mut scale);
        self.a.row_scale = scale;
        let mut scale = std::mem::take(&mut self.a.column_scale);
        self.sizes(&self.k, blocks, &mut scale);
        self.a.column_scale = scale;
        self.a.eliminate();
        Ok(())
    }

    /// Solve in place, auxiliary rows included.
    pub fn solve(&mut self, responder: &mut dyn Responder, x: &mut [f64]) -> Result<(), Failure> {
        for (row, gap) in self.rows.iter().zip(&mut self.gap) {
            *gap = std::mem::take(&mut x[row.x]);
        }
        self.rhs.copy_from_slice(x);
        responder.respond(x)?;
        for i in 0..self.rows.len() {
            // -J^a y = g: the sum must vanish
            self.mu[i] = -(self.product(&self.rows[i], x) + self.gap[i]);
        }
        self.a.solve(&mut self.mu);
        x.copy_from_slice(&self.rhs);
        for (row, &mu) in self.rows.iter().zip(&self.mu) {
            Self::push(row, &self.k, mu, x);
        }
        responder.respond(x)?;
        for (row, &mu) in self.rows.iter().zip(&self.mu) {
            x[row.x] = mu;
        }
        Ok(())
    }

    pub fn n_rows(&self) -> usize {
        self.rows.len()
    }

    /// Rows of `A^a` that depended on others in the last factorisation.
    pub fn deficiency(&self) -> usize {
        self.rows.len() - self.a.rank
    }
}

/// A square matrix, eliminated with complete pivoting.
struct Eliminated {
    n: usize,
    values: Vec<f64>,
    row_of: Vec<usize>,
    column_of: Vec<usize>,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
    scratch: Vec<f64>,
    rank: usize,
}

/// A pivot below this part of what its row and column could be without primary constraints is zero.
const DEPENDENT: f64 = 1e-11;

impl Eliminated {
    fn new(n: usize) -> Self {
        Eliminated {
            n,
            values: vec![0.0; n * n],
            row_of: vec![0; n],
            column_of: vec![0; n],
            row_scale: vec![1.0; n],
            column_scale: vec![1.0; n],
            scratch: vec![0.0; n],
            rank: n,
        }
    }

    /// The scales are sizes of rows and columns on entry.
    fn eliminate(&mut self) {
        let n = self.n;
        let a = &mut self.values;
        for x in self.row_scale.iter_mut().chain(&mut self.column_scale) {
            *x = if *x > 0.0 { 1.0 / x.sqrt() } else { 0.0 };
        }
        for i in 0..n {
            (0..n).for_each(|j| a[i * n + j] *= self.row_scale[i] * self.column_scale[j]);
            (self.row_of[i], self.column_of[i]) = (i, i);
        }
        self.rank = 0;
        for k in 0..n {
            let (mut top, mut at) = (0.0, (k, k));
            for i in k..n {
                for j in k..n {
                    if a[i * n + j].abs() > top {
                        (top, at) = (a[i * n + j].abs(), (i, j));
                    }
                }
            }
            if !(top > DEPENDENT) {
                break;
            }
            self.rank += 1;
            self.row_of.swap(k, at.0);
            self.column_of.swap(k, at.1);
            if at.0 != k {
                (0..n).for_each(|j| a.swap(k * n + j, at.0 * n + j));
            }
            if at.1 != k {
                (0..n).for_each(|i| a.swap(i * n + k, i * n + at.1));
            }
            let (done, below) = a.split_at_mut((k + 1) * n);
            let row_k = &done[k * n..];
            for row in below.chunks_exact_mut(n) {
                let l = row[k] / row_k[k];
                row[k] = l;
                if l != 0.0 {
                    (k + 1..n).for_each(|j| row[j] -= l * row_k[j]);
                }
            }
        }
    }

    fn solve(&mut self, b: &mut [f64]) {
        let (n, a, y) = (self.n, &self.values, &mut self.scratch);
        for k in 0..n {
            y[k] = b[self.row_of[k]] * self.row_scale[self.row_of[k]];
        }
        for i in 1..n {
            let sum: f64 = (0..i.min(self.rank)).map(|j| a[i * n + j] * y[j]).sum();
            y[i] -= sum;
        }
        for i in (0..n).rev() {
            if i >= self.rank {
                y[i] = 0.0;
                continue;
            }
            let sum: f64 = (i + 1..self.rank).map(|j| a[i * n + j] * y[j]).sum();
            y[i] = (y[i] - sum) / a[i * n + i];
        }
        for k in 0..n {
            b[self.column_of[k]] = y[k] * self.column_scale[self.column_of[k]];
        }
    }
}

/// The forest of joints that close no loop, with the others as auxiliary rows.
pub(crate) struct Auxiliary {
    forest: Forest,
    closing: Vec<Closing>,
    complement: Complement,
}

/// A joint that closes a loop.
struct Closing {
    /// First number of its rows.
    at: usize,
    rows: usize,
    /// Its links, by their place in the whole structure, and their widths.
    links: Vec<(usize, usize)>,
}

/// The primary joints alone, as a structure of their own.
struct Forest {
    plan: Plan,
    blocks: Blocks,
    factor: Factor,
    /// Masked transforms and dense links of the whole structure that are primary, in order.
    transforms: Vec<usize>,
    links: Vec<LinkId>,
    /// Entries of a whole vector that are in the forest's.
    entries: Vec<usize>,
    x: Vec<f64>,
    counts: Counts,
}

impl Auxiliary {
    pub fn new(model: &Model) -> Self {
        let primary = model.spanning_forest();
        let s = model.structure();
        // links of each joint: place among all links, body
        let mut links_of = vec![Vec::new(); model.n_joints()];
        for (k, (dual, primal)) in s.links().enumerate() {
            links_of[dual.index() - model.n_bodies()].push((k, primal));
        }
        let mut forest = Structure::new();
        for i in 0..model.n_bodies() {
            let node = forest.primal(s.size(Node(i as u32)));
            if s.is_central(Node(i as u32)) {
                forest.central(node);
            }
        }
        let (mut transforms, mut links, mut rows, mut closing) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut entries: Vec<usize> = (0..model.n_v()).collect();
        let mut at = 0;
        for (k, joint) in model.joints.iter().enumerate() {
            if primary[k] {
                entries.extend(joint.row_range().map(|r| model.n_v() + r));
            }
            match (&joint.form, primary[k]) {
                (Form::Lock { transform, mask, aligned, .. }, true) => {
                    let at = joint.constraint.attachments();
                    let [near, far] = [0, 1].map(|end| at[end].body.index().map(|i| Node(i as u32)));
                    forest.masked(*mask, *aligned, near, far);
                    transforms.push(*transform as usize);
                }
                (Form::Rows(form), true) => {
                    let node = forest.dual(joint.n_rows as usize);
                    for (link, (_, primal)) in form.links.iter().zip(&links_of[k]) {
                        forest.link(node, *primal);
                        links.push(*link);
                    }
                }
                (Form::Own(_), _) => {
                    forest.dual(0);
                }
                (_, false) => {
                    forest.dual(0);
                    let bodies: Vec<(Node, usize, usize)> =
                        links_of[k].iter().map(|(_, p)| (*p, model.v_start[p.index()] as usize, s.size(*p))).collect();
                    let width: usize = bodies.iter().map(|b| b.2).sum();
                    let widths = links_of[k].iter().map(|(l, p)| (*l, s.size(*p))).collect();
                    closing.push(Closing { at, rows: joint.n_rows as usize, links: widths });
                    for r in joint.row_range() {
                        rows.push(AuxiliaryRow { x: model.n_v() + r, at, bodies: bodies.clone() });
                        at += width;
                    }
                }
            }
        }
        let blocks = crate::evaluate::evaluation::new_blocks(&forest);
        // the planner looks at the rank of dense links in a sample
        let mut sample = blocks.clone();
        copy_blocks(&model.sample(), &mut sample, model.n_bodies(), &transforms, &links);
        let plan = match forest.plan(&sample) {
            Ok(plan) => plan,
            Err(e) => unreachable!("a part of a structure that has a plan has one too: {e}"),
        };
        let factor = plan.new_factor();
        let x = vec![0.0; plan.len()];
        let forest = Forest { plan, blocks, factor, transforms, links, entries, x, counts: Counts::default() };
        Auxiliary { forest, closing, complement: Complement::new(rows, model.plan.len(), true) }
    }

    pub fn counts(&self) -> Counts {
        self.forest.counts
    }

    pub fn n_rows(&self) -> usize {
        self.complement.n_rows()
    }

    pub fn deficiency(&self) -> usize {
        self.complement.deficiency()
    }

    pub fn factor(&mut self, model: &Model, blocks: &Blocks) -> Result<(), Failure> {
        let Auxiliary { forest, closing, complement } = self;
        copy_blocks(blocks, &mut forest.blocks, model.n_bodies(), &forest.transforms, &forest.links);
        forest.counts.factors += 1;
        forest.plan.factor(&forest.blocks, &mut forest.factor).map_err(|e| Failure::Singular(e.node))?;
        // J of the auxiliary rows, from the blocks of the whole structure
        let mut block = Vec::new();
        for joint in closing {
            let width: usize = joint.links.iter().map(|l| l.1).sum();
            let mut column = joint.at;
            for &(k, n) in &joint.links {
                blocks.dense_link(model.structure(), k, &mut block);
                for r in 0..joint.rows {
                    complement.j[column + r * width..][..n].copy_from_slice(&block[r * n..(r + 1) * n]);
                }
                column += n;
            }
        }
        complement.k.copy_from_slice(&complement.j);
        complement.factor(forest, blocks)
    }

    pub fn solve(&mut self, x: &mut [f64]) -> Result<(), Failure> {
        self.complement.solve(&mut self.forest, x)
    }
}

fn copy_blocks(from: &Blocks, to: &mut Blocks, n_bodies: usize, transforms: &[usize], links: &[LinkId]) {
    for i in 0..n_bodies as u32 {
        to.diagonal_mut(Node(i)).copy_from_slice(from.diagonal(Node(i)));
    }
    for (to, &k) in to.transforms.iter_mut().zip(transforms) {
        *to = from.transforms[k];
    }
    for (k, &link) in links.iter().enumerate() {
        to.link_mut(LinkId(k as u32)).copy_from_slice(from.link(link));
    }
}

impl Responder for Forest {
    fn respond(&mut self, x: &mut [f64]) -> Result<(), Failure> {
        for (to, &i) in self.x.iter_mut().zip(&self.entries) {
            *to = x[i];
        }
        self.counts.forward += 1;
        self.counts.backward += 1;
        self.plan.solve(&mut self.factor, &mut self.x);
        for (from, &i) in self.x.iter().zip(&self.entries) {
            x[i] = *from;
        }
        Ok(())
    }
    fn half_len(&self) -> Option<usize> {
        Some(self.plan.forward_len())
    }
    fn solve_flops(&self) -> f64 {
        self.plan.cost().solve_flops
    }
    fn half(&mut self, x: &mut [f64], half: &mut [f64]) {
        for (to, &i) in self.x.iter_mut().zip(&self.entries) {
            *to = x[i];
        }
        self.counts.forward += 1;
        self.plan.solve_forward(&mut self.factor, &mut self.x, half);
    }
    fn half_product(&self, a: &[f64], b: &[f64]) -> f64 {
        self.plan.forward_product(&self.factor, a, b)
    }
}

/// The rows with force directions of their own as auxiliary rows.
pub(super) fn own_rows(model: &Model) -> Option<Complement> {
    let mut rows = Vec::new();
    for joint in &model.joints {
        let Form::Own(own) = &joint.form else { continue };
        let width = own.width();
        let bodies: Vec<_> = own.bodies.iter().map(|b| (Node(b.body), b.v as usize, b.n as usize)).collect();
        for (r, row) in joint.row_range().enumerate() {
            rows.push(AuxiliaryRow { x: model.n_v() + row, at: own.at as usize + r * width, bodies: bodies.clone() });
        }
    }
    (!rows.is_empty()).then(|| Complement::new(rows, model.n_v() + model.n_rows(), false))
}

impl Complement {
    pub fn load(&mut self, own: &OwnRows) {
        self.j.copy_from_slice(&own.j);
        self.k.copy_from_slice(&own.k);
    }
}
