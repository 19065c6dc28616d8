//! Does the solution solve the equations? Measured against the size of their own terms.

use crate::model::Model;
use crate::workspace::Workspace;
use holonom_tree::{Node, packed};

/// Largest residuals, each relative to the sum of the absolute terms of its own equation (with vdot = M^-1 F + M^-1 J^T lambda as two).
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

/// Residual of the solution in `work.x`. Allocates; meant for certificates and tests.
pub(crate) fn residual(model: &Model, work: &Workspace) -> Residual {
    let n = model.n_v();
    let (vdot, lambda) = work.x.split_at(n);
    let s = model.structure();
    let mut motion = vec![0.0; n];
    let mut pushes = vec![0.0; n];
    let mut motion_size = vec![0.0; n];
    let mut rows: Vec<f64> = work.c.clone();
    let mut rows_size: Vec<f64> = work.c.iter().map(|c| c.abs()).collect();
    for i in 0..model.n_bodies() {
        let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
        let size = range.len();
        for r in 0..size {
            for c in 0..size {
                let term = work.blocks.entry(Node(i as u32), r, c) * vdot[range.start + c];
                motion[range.start + r] += term;
                motion_size[range.start + r] += term.abs();
            }
            let f = work.force[range.start + r];
            motion[range.start + r] -= f;
            motion_size[range.start + r] += f.abs();
        }
    }
    let mut block = Vec::new();
    for (k, (dual, primal)) in s.links().enumerate() {
        work.blocks.dense_link(s, k, &mut block);
        let joint = &model.joints[dual.index() - model.n_bodies()];
        let turned = matches!(joint.form, crate::model::Form::Lock { turned: true, .. });
        let sign = if turned { -1.0 } else { 1.0 };
        let at = model.v_start[primal.index()] as usize;
        let width = s.size(primal);
        for (e, &j) in block.iter().enumerate() {
            let (row, column) = (joint.row as usize + e / width, at + e % width);
            let push = sign * j * lambda[row];
            motion[column] -= push;
            motion_size[column] += push.abs();
            pushes[column] += push;
            rows[row] += sign * j * vdot[column];
        }
    }
    for joint in &model.joints {
        let crate::model::Form::Own(own) = &joint.form else { continue };
        for (r, row) in joint.row_range().enumerate() {
            let at = own.at as usize + r * own.width();
            for b in &own.bodies {
                for i in 0..b.n as usize {
                    let (e, column) = (at + b.column as usize + i, b.v as usize + i);
                    let push = work.own.k[e] * lambda[row];
                    motion[column] -= push;
                    motion_size[column] += push.abs();
                    pushes[column] += push;
                    rows[row] += work.own.j[e] * vdot[column];
                    rows_size[row] += (work.own.j[e] * vdot[column]).abs();
                }
            }
        }
    }
    // vdot is the sum of M^-1 F and M^-1 J^T lambda, which may cancel (a body that is held): their sizes count, not that of the sum
    let mut parts = vec![0.0; n];
    let mut m = Vec::new();
    for i in 0..model.n_bodies() {
        let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
        work.blocks.packed_diagonal(Node(i as u32), range.len(), &mut m);
        if packed::factor(&mut m, range.len(), |_| true).is_ok() {
            for source in [&work.force, &pushes] {
                let mut part = source[range.clone()].to_vec();
                packed::solve(&m, range.len(), &mut part);
                parts[range.clone()].iter_mut().zip(part).for_each(|(sum, x)| *sum += x.abs());
            }
        }
    }
    for (k, (dual, primal)) in s.links().enumerate() {
        work.blocks.dense_link(s, k, &mut block);
        let joint = &model.joints[dual.index() - model.n_bodies()];
        let (at, width) = (model.v_start[primal.index()] as usize, s.size(primal));
        for (e, &j) in block.iter().enumerate() {
            rows_size[joint.row as usize + e / width] += (j * parts[at + e % width]).abs();
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
