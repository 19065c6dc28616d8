//! Where the matrices of a mechanism have entries: J, H, A and L, for pictures and for those who want to know what the
//! solver works on.
//!
//! Decisions. Entries come in blocks, one per body and joint: a block that is there is shown full, because the solver
//! stores and multiplies it as a whole, and because the pattern then belongs to the model and not to a pose.
//! [`Model::pattern_at`] leaves out of J and H what is zero at a state. H and L stand in the order in which the plan
//! eliminates; L is what the plan itself keeps. The kernels for pairs, feet and panels never write L out, but each of
//! them is an elimination in that order ([`holonom_tree::Plan::columns`]). Blocks on the diagonal of L are no fill:
//! every elimination has them. Trees have none, except where a joint is deferred ([`crate::PivotForm::Deferred`]): it
//! is eliminated after its parent, and meets the parent's other neighbours there. Rows with a force direction of their
//! own are rows of J and A; they are solved for on top of H, and are not in H and L.

use crate::analysis::phases;
use crate::contact::inequality::workspace::Workspace;
use crate::model::state::State;
use crate::model::{Form, Model};
use crate::solve::SolverKind;
use holonom_tree::Node;
use std::ops::Range;

/// A matrix of the equations; see `docs/notation.md`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Matrix {
    /// Constraint rows by velocity coordinates.
    J,
    /// `[M -J^T; -J 0]`, in the order of elimination.
    H,
    /// `J M^-1 J^T`, constraint rows by constraint rows.
    A,
    /// The factor of H, in the order of elimination.
    L,
}

impl Matrix {
    /// All of them.
    pub const ALL: [Matrix; 4] = [Matrix::J, Matrix::H, Matrix::A, Matrix::L];

    /// By the name used on the command line.
    pub fn from_name(name: &str) -> Option<Matrix> {
        Self::ALL.into_iter().find(|m| m.name() == name)
    }

    /// The name used on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Matrix::J => "J",
            Matrix::H => "H",
            Matrix::A => "A",
            Matrix::L => "L",
        }
    }
}

/// An entry that is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Entry {
    /// Row, from 0.
    pub row: u32,
    /// Column, from 0.
    pub column: u32,
    /// Made by elimination: in L, but in a block that H does not have.
    pub fill: bool,
}

/// Rows or columns that belong to one body or joint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// Name of the body or joint.
    pub name: String,
    /// Is it a body?
    pub is_body: bool,
    /// Its rows or columns.
    pub range: Range<usize>,
}

/// Where a matrix has entries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Rows.
    pub n_rows: usize,
    /// Columns.
    pub n_columns: usize,
    /// Entries, each once, row by row.
    pub entries: Vec<Entry>,
    /// Bodies and joints down the rows. Those without rows are left out.
    pub rows: Vec<Part>,
    /// Bodies and joints along the columns.
    pub columns: Vec<Part>,
}

/// A pattern with more entries than anybody can look at: A of a body with thousands of joints, for one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the pattern of {} has {entries} entries; at most {} are listed. Help: H and J stay small where A does not", .matrix.name(), Pattern::MOST)]
pub struct PatternTooLarge {
    /// The matrix asked for.
    pub matrix: Matrix,
    /// Entries it has.
    pub entries: u64,
}

impl Pattern {
    /// Most entries listed.
    pub const MOST: u64 = 20_000_000;

    /// Entries made by elimination.
    pub fn n_fill(&self) -> usize {
        self.entries.iter().filter(|e| e.fill).count()
    }

    /// Write out blocks, given by their rows and columns; `lower` keeps the lower triangle of those on the diagonal.
    fn new(
        matrix: Matrix,
        (rows, columns): (Vec<Part>, Vec<Part>),
        blocks: &[Block],
        lower: bool,
    ) -> Result<Self, PatternTooLarge> {
        let entries: u64 = blocks.iter().map(|b| b.rows.len() as u64 * b.columns.len() as u64).sum();
        if entries > Self::MOST {
            return Err(PatternTooLarge { matrix, entries });
        }
        let mut all = Vec::with_capacity(entries as usize);
        for b in blocks {
            for (row, column) in b.rows.clone().flat_map(|r| b.columns.clone().map(move |c| (r, c))) {
                if !lower || column <= row {
                    all.push(Entry { row, column, fill: b.fill });
                }
            }
        }
        all.sort_unstable();
        let end = |parts: &[Part]| parts.last().map_or(0, |p| p.range.end);
        Ok(Pattern { n_rows: end(&rows), n_columns: end(&columns), entries: all, rows, columns })
    }
}

/// A full block.
struct Block {
    rows: Range<u32>,
    columns: Range<u32>,
    fill: bool,
}

/// Nodes one after the other: where each stands, and the parts with names.
struct Layout {
    at: Vec<u32>,
    parts: Vec<Part>,
}

impl Model {
    /// Where a matrix has entries, in any pose.
    ///
    /// ```
    /// use holonom::pattern::Matrix;
    /// use holonom::prelude::*;
    ///
    /// let mut m = ModelBuilder::new();
    /// let rod = m.body("rod", Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
    /// m.joint("ball", Spherical::new(BodyId::GROUND.origin(), rod.at([-0.5, 0.0, 0.0])));
    /// let model = m.build()?;
    /// let h = model.pattern(Matrix::H)?;
    /// assert_eq!((h.n_rows, h.entries.len()), (9, 36 + 2 * 18));
    /// assert_eq!(model.pattern(Matrix::L)?.n_fill(), 0); // no loops, no fill
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn pattern(&self, matrix: Matrix) -> Result<Pattern, PatternTooLarge> {
        match matrix {
            Matrix::J => {
                let columns = self.v_parts();
                Pattern::new(matrix, (self.row_parts(), columns), &self.jacobian_blocks(), false)
            }
            Matrix::H => {
                let s = self.structure();
                let order = self.elimination_layout();
                let mut blocks = Vec::new();
                for i in (0..self.n_bodies()).map(|i| Node(i as u32)) {
                    blocks.push(order.block(self, i, i, false));
                }
                for (dual, primal) in s.links() {
                    blocks.push(order.block(self, dual, primal, false));
                    blocks.push(order.block(self, primal, dual, false));
                }
                Pattern::new(matrix, (order.parts.clone(), order.parts), &blocks, false)
            }
            Matrix::A => Pattern::new(matrix, (self.row_parts(), self.row_parts()), &self.delassus_blocks()?, false),
            Matrix::L => {
                let order = self.elimination_layout();
                let mut linked: Vec<(u32, u32)> = self.structure().links().map(|(d, p)| (d.0, p.0)).collect();
                linked.sort_unstable();
                let is_link = |a: Node, b: Node| linked.binary_search(&(a.0, b.0)).is_ok();
                let mut blocks = Vec::new();
                for column in self.plan.columns() {
                    blocks.push(order.block(self, column.node, column.node, false));
                    for &b in &column.below {
                        let there = is_link(b, column.node) || is_link(column.node, b);
                        blocks.push(order.block(self, b, column.node, !there));
                    }
                }
                Pattern::new(matrix, (order.parts.clone(), order.parts), &blocks, true)
            }
        }
    }

    /// As [`Model::pattern`], without the entries of J and H that are zero at this state. A and L are given as they are
    /// in any pose: products and elimination fill their blocks.
    ///
    /// The state must be one of this model; others make this function panic.
    pub fn pattern_at(&self, matrix: Matrix, state: &State) -> Result<Pattern, PatternTooLarge> {
        let mut pattern = self.pattern(matrix)?;
        if !matches!(matrix, Matrix::J | Matrix::H) {
            return Ok(pattern);
        }
        let mut work = Workspace::new(self, SolverKind::Tree);
        phases::equations(self, state, &mut work);
        // coordinates of J and of H, of each entry of the bodies' and joints' blocks
        let order = self.elimination_layout();
        let (s, n_bodies) = (self.structure(), self.n_bodies());
        let mut there: Vec<(u32, u32)> = Vec::new();
        let mut block = Vec::new();
        for (k, (dual, primal)) in s.links().enumerate() {
            work.eval.blocks.dense_link(s, k, &mut block);
            let width = s.size(primal).max(1);
            let (row, column) = match matrix {
                Matrix::J => (self.joints[dual.index() - n_bodies].row, self.v_start[primal.index()]),
                _ => (order.at[dual.index()], order.at[primal.index()]),
            };
            for (e, _) in block.iter().enumerate().filter(|(_, x)| **x != 0.0) {
                let (r, c) = (row + (e / width) as u32, column + (e % width) as u32);
                there.push((r, c));
                if matrix == Matrix::H {
                    there.push((c, r));
                }
            }
        }
        if matrix == Matrix::H {
            for i in (0..n_bodies).map(|i| Node(i as u32)) {
                let n = s.size(i);
                for (r, c) in (0..n).flat_map(|r| (0..n).map(move |c| (r, c))) {
                    if work.eval.blocks.entry(i, r, c) != 0.0 {
                        there.push((order.at[i.index()] + r as u32, order.at[i.index()] + c as u32));
                    }
                }
            }
        } else {
            for joint in &self.joints {
                let Form::Own(own) = &joint.form else { continue };
                for (r, b) in (0..joint.n_rows as usize).flat_map(|r| own.bodies.iter().map(move |b| (r, b))) {
                    let at = own.at as usize + r * own.width() + b.column as usize;
                    let numbers = work.eval.own.j[at..at + b.n as usize].iter().enumerate();
                    there.extend(
                        numbers.filter(|(_, x)| **x != 0.0).map(|(c, _)| (joint.row + r as u32, b.v + c as u32)),
                    );
                }
            }
        }
        there.sort_unstable();
        pattern.entries.retain(|e| there.binary_search(&(e.row, e.column)).is_ok());
        Ok(pattern)
    }

    /// Joints down the constraint rows.
    fn row_parts(&self) -> Vec<Part> {
        let mut parts: Vec<Part> = self
            .joints()
            .filter(|&id| !self.rows_of(id).is_empty())
            .map(|id| Part { name: self.joint_name(id).to_string(), is_body: false, range: self.rows_of(id) })
            .collect();
        // rows with force directions of their own stand last
        parts.sort_by_key(|p| p.range.start);
        parts
    }

    /// Bodies along the velocity coordinates.
    fn v_parts(&self) -> Vec<Part> {
        let ids = self.bodies().filter(|&id| !self.v_range(id).is_empty());
        ids.map(|id| Part { name: self.body_name(id).to_string(), is_body: true, range: self.v_range(id) }).collect()
    }

    /// Bodies and joints in the order of elimination.
    fn elimination_layout(&self) -> Layout {
        let s = self.structure();
        let mut layout = Layout { at: vec![0; s.n_nodes()], parts: Vec::with_capacity(s.n_nodes()) };
        let mut end = 0;
        for node in self.plan.columns().into_iter().map(|c| c.node) {
            layout.at[node.index()] = end as u32;
            let range = end..end + s.size(node);
            end = range.end;
            if !range.is_empty() {
                let is_body = node.index() < self.n_bodies();
                layout.parts.push(Part { name: self.node_name(node), is_body, range });
            }
        }
        layout
    }

    /// (joint, body) of every block of J.
    fn incidences(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        let n = self.n_bodies() as u32;
        let own = self.joints.iter().enumerate().flat_map(|(k, joint)| {
            let bodies = if let Form::Own(own) = &joint.form { own.bodies.as_slice() } else { &[] };
            bodies.iter().map(move |b| (k as u32, b.body))
        });
        self.structure().links().map(move |(dual, primal)| (dual.0 - n, primal.0)).chain(own)
    }

    fn jacobian_blocks(&self) -> Vec<Block> {
        let block = |(joint, body): (u32, u32)| {
            let joint = &self.joints[joint as usize];
            let columns = self.v_start[body as usize]..self.v_start[body as usize + 1];
            Block { rows: joint.row..joint.row + joint.n_rows as u32, columns, fill: false }
        };
        self.incidences().map(block).collect()
    }

    /// Blocks of A: pairs of joints that share a body.
    fn delassus_blocks(&self) -> Result<Vec<Block>, PatternTooLarge> {
        let mut by_body: Vec<(u32, u32)> = self.incidences().map(|(joint, body)| (body, joint)).collect();
        by_body.sort_unstable();
        by_body.dedup();
        let shared = || by_body.chunk_by(|a, b| a.0 == b.0);
        let rows =
            |group: &[(u32, u32)]| group.iter().map(|&(_, j)| self.joints[j as usize].n_rows as u64).sum::<u64>();
        // pairs that share two bodies are counted twice here: a bound good enough to refuse by
        let entries = shared().map(|group| rows(group) * rows(group)).fold(0, u64::saturating_add);
        if entries > 2 * Pattern::MOST {
            return Err(PatternTooLarge { matrix: Matrix::A, entries });
        }
        let mut pairs: Vec<(u32, u32)> = Vec::new();
        for group in shared() {
            pairs.extend(group.iter().flat_map(|&(_, a)| group.iter().map(move |&(_, b)| (a, b))));
        }
        pairs.sort_unstable();
        pairs.dedup();
        let range = |j: u32| {
            let joint = &self.joints[j as usize];
            joint.row..joint.row + joint.n_rows as u32
        };
        Ok(pairs.into_iter().map(|(a, b)| Block { rows: range(a), columns: range(b), fill: false }).collect())
    }
}

impl Layout {
    fn block(&self, model: &Model, row: Node, column: Node, fill: bool) -> Block {
        let range = |node: Node| {
            let at = self.at[node.index()];
            at..at + model.structure().size(node) as u32
        };
        Block { rows: range(row), columns: range(column), fill }
    }
}
