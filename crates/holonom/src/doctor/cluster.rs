//! Rank of the rows of one cluster of loops, and the multipliers that push nothing.
//!
//! Rows are taken in the metric of the masses and scaled to length 1: `b_r = J_r M^-1/2 / s_r`, so that metres, radians, heavy and light bodies
//! weigh alike. One after the other, each is compared with those kept before it (Gram-Schmidt, twice): when less than [`DEPENDENT`] of it is left,
//! it depends on them, `b_r = sum alpha_j b_j`, and
//!
//! ```text
//! nu_j = alpha_j / s_j,   nu_r = -1 / s_r       is a null vector:  J^T nu = 0
//! ```
//!
//! a combination of multipliers that pushes nothing. Adding it to a solution gives another. Of all solutions the one with the smallest
//! `sum_j w_j lambda_j^2` is reported, w_j being the compliance of row j: with equal springs in all joints that is the one with the least energy.
//! The null vectors are made orthonormal in this metric, `N^T W N = 1`, and `lambda - N N^T W lambda` is the split.
//!
//! Above [`LARGEST_DENSE`] rows the same is asked of the sparse factors. With E the softening of the rows, proportional to W,
//!
//! ```text
//! (A + E) z = E z_0           leaves of any z_0 its part in the null space, to within eps
//! ```
//!
//! so that a few random z_0 show which rows have a part in it (inverse iteration), weak pivots count its dimension, and the softened solution
//! itself is the split.

use crate::evaluate;
use crate::math::SplitMix;
use crate::model::{Form, Model};
use crate::workspace::Workspace;
use holonom_tree::{Node, packed};

/// A row of which less than this is left depends on others.
pub(super) const DEPENDENT: f64 = 1e-9;
/// Above this many rows a cluster is not written out densely.
pub(super) const LARGEST_DENSE: usize = 1000;
/// Random vectors for larger ones.
const PROBES: usize = 4;

/// What is known of the rows of a cluster at one pose.
pub(super) struct Cluster {
    pub joints: Vec<usize>,
    /// Rows of these joints, among all rows.
    pub rows: Vec<usize>,
    /// Rows (places in `rows`) that depend on those before them.
    pub dropped: Vec<usize>,
    /// Null vectors over `rows`: first as found (each belongs to one dropped row), then orthonormal in the metric of the compliances. Of a large
    /// cluster a few random ones.
    pub circuits: Vec<Vec<f64>>,
    pub null: Vec<Vec<f64>>,
    /// Compliance of each row.
    pub compliance: Vec<f64>,
    pub dense: bool,
}

impl Cluster {
    pub fn rank(&self) -> usize {
        self.rows.len() - self.dropped.len()
    }

    /// Analyse a cluster at the pose whose blocks are in `work`.
    pub fn analyse(model: &Model, joints: Vec<usize>, compliance: impl Fn(usize) -> f64, work: &mut Workspace) -> Cluster {
        let rows: Vec<usize> = joints.iter().flat_map(|&k| model.joints[k].row_range()).collect();
        let compliance = rows.iter().map(|&r| compliance(r)).collect();
        let dense = rows.len() <= LARGEST_DENSE;
        let mut cluster =
            Cluster { joints, rows, dropped: Vec::new(), circuits: Vec::new(), null: Vec::new(), compliance, dense };
        if dense {
            cluster.by_elimination(model, work);
        } else {
            cluster.by_probing(model, work);
        }
        cluster.null = cluster.circuits.clone();
        orthonormalise(&mut cluster.null, &cluster.compliance);
        cluster
    }

    fn by_elimination(&mut self, model: &Model, work: &Workspace) {
        let (b, lengths) = scaled_rows(model, &self.joints, self.rows.len(), work);
        let (mut kept, mut basis): (Vec<usize>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
        let mut triangle: Vec<Vec<f64>> = Vec::new();
        for (i, row) in b.iter().enumerate() {
            let mut rest = row.clone();
            let mut along = vec![0.0; basis.len()];
            for _ in 0..2 {
                for (q, along) in basis.iter().zip(&mut along) {
                    let part = dot(q, &rest);
                    *along += part;
                    rest.iter_mut().zip(q).for_each(|(r, q)| *r -= part * q);
                }
            }
            let left = dot(&rest, &rest).sqrt();
            if left > DEPENDENT {
                rest.iter_mut().for_each(|r| *r /= left);
                basis.push(rest);
                along.push(left);
                triangle.push(along);
                kept.push(i);
                continue;
            }
            // alpha from  sum_j alpha_j triangle_j = along,  last first
            let mut null = vec![0.0; self.rows.len()];
            null[i] = -1.0 / lengths[i];
            for j in (0..kept.len()).rev() {
                let alpha = along[j] / triangle[j][j];
                triangle[j].iter().zip(&mut along).for_each(|(t, a)| *a -= alpha * t);
                null[kept[j]] = alpha / lengths[kept[j]];
            }
            self.dropped.push(i);
            self.circuits.push(null);
        }
    }

    fn by_probing(&mut self, model: &Model, work: &mut Workspace) {
        let n = model.n_v();
        let mut place = vec![usize::MAX; model.n_rows()];
        self.rows.iter().enumerate().for_each(|(i, &r)| place[r] = i);
        let own = match softened(model, work, &self.rows, &self.compliance) {
            Some(own) => own,
            None => return,
        };
        self.dropped = work.solver.weak_rows().iter().map(|&x| place[x as usize - n]).filter(|&i| i != usize::MAX).collect();
        self.dropped.sort_unstable();
        let mut g = SplitMix(0xd0c);
        for _ in 0..if self.dropped.is_empty() { 0 } else { PROBES } {
            let mut z: Vec<f64> = self.compliance.iter().map(|w| g.symmetric(1.0) / w.sqrt()).collect();
            for _ in 0..2 {
                work.x.fill(0.0);
                for (i, &r) in self.rows.iter().enumerate() {
                    work.x[n + r] = -own[i] * z[i];
                }
                if evaluate::solve(model, 0.0, work).is_err() {
                    return;
                }
                self.rows.iter().zip(&mut z).for_each(|(&r, z)| *z = work.x[n + r]);
            }
            self.circuits.push(z);
        }
        work.solver.damp(None);
    }

    /// The split with the least compliance-weighted norm: change `lambda` (of all rows) in place.
    pub fn split(&self, lambda: &mut [f64]) {
        for null in self.null.iter().filter(|_| self.dense) {
            let along: f64 =
                self.rows.iter().zip(null).zip(&self.compliance).map(|((&r, n), w)| lambda[r] * n * w).sum();
            self.rows.iter().zip(null).for_each(|(&r, n)| lambda[r] -= along * n);
        }
    }

    /// How far row i can be changed without pushing anything, in units of the null vectors.
    pub fn freedom(&self, i: usize) -> f64 {
        self.null.iter().map(|n| n[i] * n[i] * self.compliance[i]).sum::<f64>().sqrt()
    }
}

/// Factor with rows softened in proportion to these compliances, without sweeps; returns the softening of each row. The solver stays damped.
pub(super) fn softened(model: &Model, work: &mut Workspace, rows: &[usize], compliance: &[f64]) -> Option<Vec<f64>> {
    let n = model.n_v();
    let mut weights = vec![1.0; n + model.n_rows()];
    work.solver.damp(Some(&weights));
    evaluate::factor(model, 0.0, work).ok()?;
    let own: Vec<f64> = work.solver.own_sizes()?.to_vec();
    let size = |r: usize| own.get(n + r).copied().unwrap_or(0.0);
    // one factor for all rows keeps the proportions; the weakest row decides, so that none gives way too far
    let scale = rows.iter().zip(compliance).map(|(&r, w)| size(r) / w).filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
    for (&r, w) in rows.iter().zip(compliance) {
        weights[n + r] = if size(r) > 0.0 { scale * w / size(r) } else { 1.0 };
    }
    work.solver.damp(Some(&weights));
    evaluate::factor(model, 0.0, work).ok()?;
    Some(rows.iter().map(|&r| crate::solve::EPS * weights[n + r] * size(r)).collect())
}

/// The rows in the metric of the masses, each of length 1, and what their lengths were.
fn scaled_rows(model: &Model, joints: &[usize], n_rows: usize, work: &Workspace) -> (Vec<Vec<f64>>, Vec<f64>) {
    let s = model.structure();
    let n_bodies = model.n_bodies();
    let mut first_row = vec![usize::MAX; model.n_joints()];
    let mut next = 0;
    for &k in joints {
        first_row[k] = next;
        next += model.joints[k].n_rows as usize;
    }
    let links: Vec<(usize, usize, Node)> = s
        .links()
        .enumerate()
        .map(|(l, (dual, primal))| (l, dual.index() - n_bodies, primal))
        .filter(|(_, k, _)| first_row[*k] != usize::MAX)
        .collect();
    // columns of the bodies that take part
    let mut column = vec![usize::MAX; n_bodies];
    let mut width = 0;
    for &(_, _, primal) in &links {
        if column[primal.index()] == usize::MAX {
            column[primal.index()] = width;
            width += s.size(primal);
        }
    }
    let mut rows = vec![vec![0.0; width]; n_rows];
    let (mut block, mut mass) = (Vec::new(), Vec::new());
    for (l, k, primal) in links {
        let n = s.size(primal);
        work.blocks.dense_link(s, l, &mut block);
        work.blocks.packed_diagonal(primal, n, &mut mass);
        if packed::factor(&mut mass, n, |_| true).is_err() {
            continue; // a model with such a body is not built
        }
        let sign = if matches!(model.joints[k].form, Form::Lock { turned: true, .. }) { -1.0 } else { 1.0 };
        for (r, row) in block.chunks_exact_mut(n).enumerate() {
            packed::solve_lower(&mass, n, row, 1);
            let out = &mut rows[first_row[k] + r][column[primal.index()]..][..n];
            for i in 0..n {
                out[i] += sign * row[i] * mass[packed::at(n, i, i)].sqrt();
            }
        }
    }
    let lengths: Vec<f64> = rows.iter().map(|row| dot(row, row).sqrt()).map(|s| if s > 0.0 { s } else { 1.0 }).collect();
    for (row, s) in rows.iter_mut().zip(&lengths) {
        row.iter_mut().for_each(|x| *x /= s);
    }
    (rows, lengths)
}

/// Orthonormal in the metric of the weights; vectors that add nothing are dropped.
fn orthonormalise(vectors: &mut Vec<Vec<f64>>, weights: &[f64]) {
    let product = |a: &[f64], b: &[f64]| a.iter().zip(b).zip(weights).map(|((a, b), w)| a * b * w).sum::<f64>();
    let mut done: Vec<Vec<f64>> = Vec::new();
    for mut v in std::mem::take(vectors) {
        let size = product(&v, &v).sqrt();
        for _ in 0..2 {
            for d in &done {
                let part = product(d, &v);
                v.iter_mut().zip(d).for_each(|(v, d)| *v -= part * d);
            }
        }
        let left = product(&v, &v).sqrt();
        if left > 1e-9 * size {
            v.iter_mut().for_each(|v| *v /= left);
            done.push(v);
        }
    }
    *vectors = done;
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
