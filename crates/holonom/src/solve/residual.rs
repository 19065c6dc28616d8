//! Does the solution solve the equations? Measured against the size of their own terms.

use super::kkt::Kkt;
use crate::catalogue::attach::BodyId;
use crate::evaluate::evaluation::Evaluation;
use crate::model::{Form, Model};
use holonom_tree::{Node, packed};
use std::ops::Range;

/// Largest residuals, each relative to the sum of the absolute terms of its own equation (with vdot as the sum of M^-1 F and of M^-1 J^T lambda of every joint).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Residual {
    /// Of `M vdot = J^T lambda + F`, body by body.
    pub motion: f64,
    /// Of `J vdot + c = 0`, joint by joint.
    pub constraint: f64,
}

impl Residual {
    /// The larger of the two.
    pub fn largest(&self) -> f64 {
        self.motion.max(self.constraint)
    }
}

/// Residual of the solution in `kkt.x`. Allocates; meant for certificates and tests.
pub(crate) fn residual(model: &Model, eval: &Evaluation, kkt: &Kkt) -> Residual {
    let (vdot, lambda) = kkt.x.split_at(model.n_v());
    let (mut motion, mut motion_size) = inertia_and_forces(model, eval, vdot);
    let mut rows: Vec<f64> = eval.c.clone();
    let mut rows_size: Vec<f64> = eval.c.iter().map(|c| c.abs()).collect();
    each_entry(model, eval, |row, column, j, k| {
        let push = k * lambda[row];
        motion[column] -= push;
        motion_size[column] += push.abs();
        rows[row] += j * vdot[column];
    });
    let parts = acceleration_sizes(model, eval, kkt, lambda);
    each_entry(model, eval, |row, column, j, _| rows_size[row] += (j * parts[column]).abs());
    let bodies = (0..model.n_bodies()).map(|i| model.v_range(BodyId(i as u32)));
    let joints = model.joints.iter().map(|j| j.row_range());
    Residual { motion: worst(bodies, &motion, &motion_size), constraint: worst(joints, &rows, &rows_size) }
}

/// `M vdot - F` and the sum of its absolute terms.
fn inertia_and_forces(model: &Model, eval: &Evaluation, vdot: &[f64]) -> (Vec<f64>, Vec<f64>) {
    let (mut motion, mut size) = (vec![0.0; vdot.len()], vec![0.0; vdot.len()]);
    for i in 0..model.n_bodies() {
        let range = model.v_range(BodyId(i as u32));
        for (r, row) in range.clone().enumerate() {
            for (c, column) in range.clone().enumerate() {
                let term = eval.blocks.entry(Node(i as u32), r, c) * vdot[column];
                motion[row] += term;
                size[row] += term.abs();
            }
            motion[row] -= eval.force[row];
            size[row] += eval.force[row].abs();
        }
    }
    (motion, size)
}

/// All entries of J and of the force directions K^T, which are J again for workless rows: `visit(row, column, j, k)`.
fn each_entry(model: &Model, eval: &Evaluation, mut visit: impl FnMut(usize, usize, f64, f64)) {
    let (s, mut block) = (model.structure(), Vec::new());
    for (k, (dual, primal)) in s.links().enumerate() {
        eval.blocks.dense_link(s, k, &mut block);
        let joint = &model.joints[dual.index() - model.n_bodies()];
        let (at, width) = (model.v_start[primal.index()] as usize, s.size(primal));
        for (e, &j) in block.iter().enumerate() {
            visit(joint.row as usize + e / width, at + e % width, j, j);
        }
    }
    for joint in &model.joints {
        let Form::Own(own) = &joint.form else { continue };
        for (r, row) in joint.row_range().enumerate() {
            let at = own.at as usize + r * own.width();
            for b in &own.bodies {
                for i in 0..b.n as usize {
                    let e = at + b.column as usize + i;
                    visit(row, b.v as usize + i, eval.own.j[e], eval.own.k[e]);
                }
            }
        }
    }
}

/// vdot is the sum of M^-1 F and of M^-1 J^T lambda of every joint, which may cancel (a body that is held): their sizes, summed, not that of the sum.
///
/// In a contradiction joints push against each other as hard as they can, and that would hide it: there the size of the sum counts.
fn acceleration_sizes(model: &Model, eval: &Evaluation, kkt: &Kkt, lambda: &[f64]) -> Vec<f64> {
    let (mut parts, mut sums) = (vec![0.0; model.n_v()], vec![0.0; model.n_v()]);
    let masses: Vec<Option<Vec<f64>>> = (0..model.n_bodies())
        .map(|i| {
            let mut m = Vec::new();
            let size = model.v_range(BodyId(i as u32)).len();
            eval.blocks.packed_diagonal(Node(i as u32), size, &mut m);
            packed::factor(&mut m, size, |_| true).is_ok().then_some(m)
        })
        .collect();
    let contradiction = kkt.solver.contradiction();
    let mut add = |i: usize, mut push: Vec<f64>, forces: bool| {
        if let Some(m) = &masses[i] {
            packed::solve(m, push.len(), &mut push);
            let range = model.v_start[i] as usize..model.v_start[i] as usize + push.len();
            for ((part, sum), x) in parts[range.clone()].iter_mut().zip(&mut sums[range]).zip(push) {
                if forces || !contradiction {
                    *part += x.abs();
                } else {
                    *sum += x;
                }
            }
        }
    };
    for i in 0..model.n_bodies() {
        add(i, model.v_of(i, &eval.force).to_vec(), true);
    }
    let (s, mut block) = (model.structure(), Vec::new());
    for (k, (dual, primal)) in s.links().enumerate() {
        eval.blocks.dense_link(s, k, &mut block);
        let joint = &model.joints[dual.index() - model.n_bodies()];
        let width = s.size(primal);
        let mut push = vec![0.0; width];
        for (row, l) in block.chunks_exact(width).zip(&lambda[joint.row_range()]) {
            push.iter_mut().zip(row).for_each(|(p, j)| *p += j * l);
        }
        add(primal.index(), push, false);
    }
    for joint in &model.joints {
        let Form::Own(own) = &joint.form else { continue };
        for b in &own.bodies {
            let mut push = vec![0.0; b.n as usize];
            for (r, row) in joint.row_range().enumerate() {
                let k = &eval.own.k[own.at as usize + r * own.width() + b.column as usize..][..b.n as usize];
                push.iter_mut().zip(k).for_each(|(p, k)| *p += k * lambda[row]);
            }
            add(b.body as usize, push, false);
        }
    }
    parts.iter_mut().zip(&sums).for_each(|(part, sum)| *part += sum.abs());
    parts
}

/// The largest residual over the largest term, body by body or joint by joint: components of one vector share its scale.
fn worst(parts: impl Iterator<Item = Range<usize>>, residual: &[f64], size: &[f64]) -> f64 {
    parts.fold(0.0, |worst: f64, range| {
        let top = residual[range.clone()].iter().fold(0.0, |m: f64, x| if x.abs() <= m { m } else { x.abs() });
        let scale: f64 = size[range].iter().fold(0.0, |m: f64, x| m.max(*x));
        if top == 0.0 { worst } else { worst.max(top / scale) }
    })
}
