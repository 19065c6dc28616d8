//! A large island as a problem of many bodies with few rows each ([`SparseConeSolver`]).
//!
//! There bodies know nothing of each other but through rows; joints are rows like all others, without bounds. What a
//! row would do without pushes is 0 for them, since the motion without pushes obeys the joints already; and given first
//! guesses for the pushes, the joints' answer to these is the first guess for theirs.

use super::InequalityRows;
use super::solve::{Joints, residual_of};
use crate::error::StepError;
use crate::model::{Form, Model};
use holonom_lcp::{ComplementarityLaw as Law, SparseConeSolver, SparseRows};
use holonom_tree::{Node, packed};

/// Scratch for large islands.
#[derive(Default)]
pub(crate) struct SparseIsland {
    pub solver: SparseConeSolver,
    /// Node of each body in the island, and the bodies in order.
    node: Vec<u32>,
    bodies: Vec<u32>,
    masses: Vec<[f64; 36]>,
    rows: SparseRows,
    b: Vec<f64>,
    x: Vec<f64>,
    laws: Vec<Law>,
    block: Vec<f64>,
    joint_row: Vec<[f64; 6]>,
}

impl SparseIsland {
    /// The residual, for the island whose bodies are numbered; `None` when there is no answer.
    pub fn solve(
        &mut self,
        ineq: &InequalityRows,
        rows: &[u32],
        (b, give, laws): (&[f64], &[f64], &[Law]),
        x: &mut [f64],
        joints: &mut Joints,
    ) -> Result<Option<f64>, StepError> {
        self.masses.clear();
        for &body in &self.bodies {
            let n = joints.model.bodies[body as usize].n_dof();
            joints.eval.blocks.packed_diagonal(Node(body), n, &mut self.block);
            let mut mass = [0.0; 36];
            for i in 0..6 {
                for j in 0..6 {
                    let inside = i < n && j < n;
                    mass[6 * i + j] =
                        if inside { packed::get(&self.block, n, i.max(j), i.min(j)) } else { (i == j) as u8 as f64 };
                }
            }
            self.masses.push(mass);
        }
        self.rows.clear();
        for (&row, &give) in rows.iter().zip(give) {
            // what gives way is a body of its own: a push x moves it by give x
            if give > 0.0 {
                let node = self.masses.len() as u32;
                self.masses.push(std::array::from_fn(|i| if i % 7 == 0 { 1.0 / give } else { 0.0 }));
                self.rows.part(node, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
            }
            for part in ineq.parts_of(row as usize) {
                let mut g = [0.0; 6];
                g[..part.n as usize].copy_from_slice(&ineq.values[part.at as usize..][..part.n as usize]);
                self.rows.part(self.node[part.body as usize], g);
            }
            self.rows.end();
        }
        self.b.clear();
        self.b.extend_from_slice(b);
        self.x.clear();
        self.x.extend_from_slice(x);
        self.laws.clear();
        self.laws.extend_from_slice(laws);
        self.add_joints(ineq, rows, joints)?;
        let report = self.solver.solve(&self.masses, &self.rows, &self.b, &self.laws, &mut self.x);
        x.copy_from_slice(&self.x[..x.len()]);
        Ok(residual_of(report))
    }

    /// Bodies of the island: those that rows touch, and all that joints connect with them. False where one does not
    /// fit.
    pub fn number_bodies(&mut self, model: &Model, ineq: &InequalityRows, rows: &[u32]) -> bool {
        self.node.clear();
        self.node.resize(model.n_bodies(), u32::MAX);
        let mut islands = vec![false; model.n_islands];
        for part in rows.iter().flat_map(|&row| ineq.parts_of(row as usize)) {
            islands[model.island[part.body as usize] as usize] = true;
        }
        self.bodies.clear();
        for body in 0..model.n_bodies() {
            if islands[model.island[body] as usize] {
                self.node[body] = self.bodies.len() as u32;
                self.bodies.push(body as u32);
            }
        }
        let fits = |&body: &u32| model.bodies[body as usize].n_dof() <= 6;
        let own = |joint: &crate::model::Joint| {
            joint.n_rows > 0 && matches!(joint.form, Form::Own(_)) && islands[joint.island as usize]
        };
        self.bodies.iter().all(fits) && !model.joints.iter().any(own)
    }

    fn add_joints(&mut self, ineq: &InequalityRows, rows: &[u32], joints: &mut Joints) -> Result<(), StepError> {
        let model = joints.model;
        let inside = |joint: &crate::model::Joint| {
            let first = joint.constraint.attachments().iter().find_map(|a| a.body.index());
            joint.n_rows > 0 && first.is_some_and(|i| self.node[i] != u32::MAX)
        };
        if !model.joints.iter().any(inside) {
            return Ok(());
        }
        let n_v = model.n_v();
        joints.kkt.x.fill(0.0);
        for (&row, &x) in rows.iter().zip(&self.x).filter(|(_, x)| **x != 0.0) {
            ineq.push(row as usize, x, &mut joints.kkt.x[..n_v]);
        }
        joints.solve()?;
        let structure = model.structure();
        let mut links = structure.links().enumerate().peekable();
        let joint_of = |dual: Node| dual.index() - model.n_bodies();
        while let Some((_, (dual, _))) = links.peek().copied() {
            let k = joint_of(dual);
            let joint = &model.joints[k];
            let wanted = inside(joint);
            let first = self.joint_row.len();
            let mut nodes = [0u32; 8];
            let mut n_nodes = 0;
            while let Some((index, (dual, primal))) = links.peek().copied() {
                if joint_of(dual) != k {
                    break;
                }
                links.next();
                if !wanted || n_nodes == nodes.len() {
                    continue;
                }
                joints.eval.blocks.dense_link(structure, index, &mut self.block);
                let width = structure.size(primal);
                for row in self.block.chunks_exact(width) {
                    let mut g = [0.0; 6];
                    g.iter_mut().zip(row).for_each(|(g, x)| *g = *x);
                    self.joint_row.push(g);
                }
                nodes[n_nodes] = self.node[primal.index()];
                n_nodes += 1;
            }
            let n_rows = joint.n_rows as usize;
            for r in 0..if wanted { n_rows } else { 0 } {
                for (i, &node) in nodes[..n_nodes].iter().enumerate() {
                    self.rows.part(node, self.joint_row[first + i * n_rows + r]);
                }
                self.rows.end();
                self.laws.push(Law::Free);
                self.b.push(0.0);
                self.x.push(joints.kkt.x[n_v + joint.row as usize + r]);
            }
            self.joint_row.truncate(first);
        }
        Ok(())
    }
}
