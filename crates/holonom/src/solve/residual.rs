//! Does the solution solve the equations? Measured against the size of their own terms.

use super::kkt::Kkt;
use crate::evaluate::evaluation::Evaluation;
use crate::model::Model;
use holonom_tree::{Node, packed};

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
    let n = model.n_v();
    let (vdot, lambda) = kkt.x.split_at(n);
    let s = model.structure();
    let mut motion = vec![0.0; n];
    let mut motion_size = vec![0.0; n];
    let mut rows: Vec<f64> = eval.c.clone();
    let mut rows_size: Vec<f64> = eval.c.iter().map(|c| c.abs()).collect();
    for i in 0..model.n_bodies() {
        let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
        let size = range.len();
        for r in 0..size {
            for c in 0..size {
                let term = eval.blocks.entry(Node(i as u32), r, c) * vdot[range.start + c];
                motion[range.start + r] += term;
                motion_size[range.start + r] += term.abs();
            }
            let f = eval.force[range.start + r];
            motion[range.start + r] -= f;
            motion_size[range.start + r] += f.abs();
        }
    }
    let mut block = Vec::new();
    for (k, (dual, primal)) in s.links().enumerate() {
        eval.blocks.dense_link(s, k, &mut block);
        let joint = &model.joints[dual.index() - model.n_bodies()];
        let at = model.v_start[primal.index()] as usize;
        let width = s.size(primal);
        for (e, &j) in block.iter().enumerate() {
            let (row, column) = (joint.row as usize + e / width, at + e % width);
            let push = j * lambda[row];
            motion[column] -= push;
            motion_size[column] += push.abs();
            rows[row] += j * vdot[column];
        }
    }
    for joint in &model.joints {
        let crate::model::Form::Own(own) = &joint.form else { continue };
        for (r, row) in joint.row_range().enumerate() {
            let at = own.at as usize + r * own.width();
            for b in &own.bodies {
                for i in 0..b.n as usize {
                    let (e, column) = (at + b.column as usize + i, b.v as usize + i);
                    let push = eval.own.k[e] * lambda[row];
                    motion[column] -= push;
                    motion_size[column] += push.abs();
                    rows[row] += eval.own.j[e] * vdot[column];
                }
            }
        }
    }
    // vdot is the sum of M^-1 F and of M^-1 J^T lambda of every joint, which may cancel (a body that is held): their sizes count, not that of
    // the sum
    let mut parts = vec![0.0; n];
    let mut masses: Vec<Option<Vec<f64>>> = Vec::new();
    for i in 0..model.n_bodies() {
        let mut m = Vec::new();
        let size = model.v_start[i + 1] as usize - model.v_start[i] as usize;
        eval.blocks.packed_diagonal(Node(i as u32), size, &mut m);
        masses.push(packed::factor(&mut m, size, |_| true).is_ok().then_some(m));
    }
    // in a contradiction joints push against each other as hard as they can, and that would hide it: there the sum counts
    let mut sums = vec![0.0; n];
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
        let crate::model::Form::Own(own) = &joint.form else { continue };
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
    for (k, (dual, primal)) in s.links().enumerate() {
        eval.blocks.dense_link(s, k, &mut block);
        let joint = &model.joints[dual.index() - model.n_bodies()];
        let (at, width) = (model.v_start[primal.index()] as usize, s.size(primal));
        for (e, &j) in block.iter().enumerate() {
            rows_size[joint.row as usize + e / width] += (j * parts[at + e % width]).abs();
        }
    }
    for joint in &model.joints {
        let crate::model::Form::Own(own) = &joint.form else { continue };
        for (r, row) in joint.row_range().enumerate() {
            let at = own.at as usize + r * own.width();
            for b in &own.bodies {
                for i in 0..b.n as usize {
                    rows_size[row] += (eval.own.j[at + b.column as usize + i] * parts[b.v as usize + i]).abs();
                }
            }
        }
    }
    // per body and per joint: components of one vector share its scale
    let worst = |parts: &mut dyn Iterator<Item = std::ops::Range<usize>>, r: &[f64], size: &[f64]| {
        parts.fold(0.0, |worst: f64, range| {
            let top = r[range.clone()].iter().fold(0.0, |m: f64, x| if x.abs() <= m { m } else { x.abs() });
            let scale: f64 = size[range].iter().fold(0.0, |m: f64, x| m.max(*x));
            if top == 0.0 { worst } else { worst.max(top / scale) }
        })
    };
    let mut bodies = (0..model.n_bodies()).map(|i| model.v_start[i] as usize..model.v_start[i + 1] as usize);
    let mut joints = model.joints.iter().map(|j| j.row_range());
    Residual { motion: worst(&mut bodies, &motion, &motion_size), constraint: worst(&mut joints, &rows, &rows_size) }
}
