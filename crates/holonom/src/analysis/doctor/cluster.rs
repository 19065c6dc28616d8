//! Rank of the rows of one cluster of loops, and the multipliers that push nothing.
//!
//! Rows are taken in the metric of the masses and scaled to length 1: `b_r = J_r M^-1/2 / s_r`, so that metres,
//! radians, heavy and light bodies weigh alike. One after the other, each is compared with those kept before it
//! (Gram-Schmidt, twice): when less than [`DEPENDENT`] of it is left, it depends on them, `b_r = sum alpha_j b_j`, and
//!
//! ```text
//! nu_j = alpha_j / s_j,   nu_r = -1 / s_r       is a null vector:  J^T nu = 0
//! ```
//!
//! a combination of multipliers that pushes nothing. Adding it to a solution gives another. Of all solutions the one
//! with the smallest `sum_j w_j lambda_j^2` is reported, w_j being the compliance of row j: with equal springs in all
//! joints that is the one with the least energy. The null vectors are made orthonormal in this metric, `N^T W N = 1`,
//! and `lambda - N N^T W lambda` is the split.
//!
//! Above [`LARGEST_DENSE`] rows the same is asked of the sparse factors. With E the softening of the rows, proportional
//! to W,
//!
//! ```text
//! (A + E) z = E z_0           leaves of any z_0 its part in the null space, to within eps
//! ```
//!
//! (inverse iteration). Of a few more random vectors than there are weak pivots, those combinations are null vectors
//! that push nothing: the eigenvectors of `Z^T A Z` with eigenvalues below [`DEPENDENT`] squared. Where there are very
//! many dependencies, weak pivots count them, and a few random vectors show which rows have a part in them.

use crate::contact::inequality::workspace::Workspace;
use crate::math::SplitMix;
use crate::model::Model;
use holonom_tree::{Node, packed};

/// A row of which less than this is left depends on others.
pub(super) const DEPENDENT: f64 = 1e-9;
/// Above this many rows a cluster is not written out densely.
pub(super) const LARGEST_DENSE: usize = 1000;
/// Up to this many dependencies a larger cluster is probed for each of them, with this many vectors to spare.
const FEW: usize = 24;
const SPARE: usize = 8;

/// What is known of the rows of a cluster at one pose.
pub(super) struct Cluster {
    pub joints: Vec<usize>,
    /// Rows of these joints, among all rows.
    pub rows: Vec<usize>,
    /// Rows (places in `rows`) that depend on those before them.
    pub dropped: Vec<usize>,
    /// Null vectors over `rows`: first as found (each belongs to one dropped row), then orthonormal in the metric of
    /// the compliances. Of a large cluster a few random ones.
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
    pub fn analyse(
        model: &Model,
        joints: Vec<usize>,
        compliance: impl Fn(usize) -> f64,
        work: &mut Workspace,
    ) -> Cluster {
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
        let mut place = vec![usize::MAX; model.n_rows()];
        self.rows.iter().enumerate().for_each(|(i, &r)| place[r] = i);
        self.probe(model, work, &place);
        work.kkt.solver.damp(None);
    }

    fn probe(&mut self, model: &Model, work: &mut Workspace, place: &[usize]) {
        let n = model.n_v();
        let Some((softening, own)) = softened(model, work, &self.rows, &self.compliance) else { return };
        let weak = work.kkt.solver.weak_rows().iter().map(|&x| place[x as usize - n]).filter(|&i| i != usize::MAX);
        self.dropped = weak.collect();
        self.dropped.sort_unstable();
        // a few more vectors than there can be null vectors, so that what is no null vector shows; with many
        // dependencies the pivots must do
        let exact = self.dropped.len() <= FEW;
        let n_probes = if exact { self.dropped.len() + SPARE } else { SPARE };
        let mut g = SplitMix(0xd0c);
        let mut z: Vec<Vec<f64>> =
            (0..n_probes).map(|_| own.iter().map(|own| g.symmetric(1.0) / own.sqrt()).collect()).collect();
        let mut pushes: Vec<Vec<f64>> = Vec::new();
        for _ in 0..3 {
            pushes.clear();
            orthonormalise(&mut z, &own);
            for z in &mut z {
                work.kkt.x.fill(0.0);
                self.rows.iter().enumerate().for_each(|(i, &r)| work.kkt.x[n + r] = -softening[i] * z[i]);
                if work.kkt.solve(model, 0.0, &work.eval).is_err() {
                    return;
                }
                self.rows.iter().zip(&mut *z).for_each(|(&r, z)| *z = work.kkt.x[n + r]);
                pushes.push(work.kkt.x[..n].to_vec());
            }
        }
        if exact {
            self.circuits = null_vectors(model, work, &z, &pushes, &own);
            self.dropped = pivot_rows(&self.circuits, &own);
        } else {
            self.circuits = z;
        }
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

/// Of the span of `z`, the vectors that push nothing: `|M^-1/2 J^T z| <= 1e-9 |z|`, each row measured in its own size.
/// `pushes` are the responses `M^-1 J^T z`.
fn null_vectors(model: &Model, work: &Workspace, z: &[Vec<f64>], pushes: &[Vec<f64>], own: &[f64]) -> Vec<Vec<f64>> {
    let k = z.len();
    let weighted = |a: &[f64], b: &[f64]| a.iter().zip(b).zip(own).map(|((a, b), w)| a * b * w).sum::<f64>();
    let energy = |a: &[f64], b: &[f64]| {
        let mut sum = 0.0;
        for i in 0..model.n_bodies() {
            let (a, b) = (model.v_of(i, a), model.v_of(i, b));
            for r in 0..a.len() {
                for c in 0..a.len() {
                    sum += a[r] * work.eval.blocks.entry(Node(i as u32), r, c) * b[c];
                }
            }
        }
        sum
    };
    // orthonormal combinations of z, with the same combinations of the pushes
    let (mut basis, mut image): (Vec<Vec<f64>>, Vec<Vec<f64>>) = (Vec::new(), Vec::new());
    for i in 0..k {
        let (mut v, mut y) = (z[i].clone(), pushes[i].clone());
        let size = weighted(&v, &v).sqrt();
        for _ in 0..2 {
            for (b, b_image) in basis.iter().zip(&image) {
                let part = weighted(b, &v);
                v.iter_mut().zip(b).for_each(|(v, b)| *v -= part * b);
                y.iter_mut().zip(b_image).for_each(|(y, b)| *y -= part * b);
            }
        }
        let left = weighted(&v, &v).sqrt();
        // what inverse iteration has made vanish is no null vector
        if left > 1e-12 * size && size > 1e-3 {
            v.iter_mut().for_each(|v| *v /= left);
            y.iter_mut().for_each(|y| *y /= left);
            basis.push(v);
            image.push(y);
        }
    }
    let m = basis.len();
    let mut gram = vec![0.0; m * m];
    for i in 0..m {
        for j in i..m {
            gram[i * m + j] = energy(&image[i], &image[j]);
            gram[j * m + i] = gram[i * m + j];
        }
    }
    let (values, vectors) = symmetric_eigen(gram, m);
    (0..m)
        .filter(|&e| values[e] <= DEPENDENT * DEPENDENT)
        .map(|e| (0..own.len()).map(|r| (0..m).map(|i| vectors[i * m + e] * basis[i][r]).sum()).collect())
        .collect()
}

/// Jacobi's rotations: eigenvalues, and eigenvectors as columns.
fn symmetric_eigen(mut a: Vec<f64>, n: usize) -> (Vec<f64>, Vec<f64>) {
    let mut v = vec![0.0; n * n];
    (0..n).for_each(|i| v[i * n + i] = 1.0);
    for _ in 0..30 {
        let mut turned = false;
        for p in 0..n {
            for q in p + 1..n {
                let (app, aqq, apq) = (a[p * n + p], a[q * n + q], a[p * n + q]);
                if apq.abs() <= 1e-17 * (app.abs() * aqq.abs()).sqrt() {
                    continue;
                }
                turned = true;
                let theta = 0.5 * (aqq - app) / apq;
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for k in 0..n {
                    let (x, y) = (a[k * n + p], a[k * n + q]);
                    (a[k * n + p], a[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p * n + k], a[q * n + k]);
                    (a[p * n + k], a[q * n + k]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (v[k * n + p], v[k * n + q]);
                    (v[k * n + p], v[k * n + q]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
        if !turned {
            break;
        }
    }
    ((0..n).map(|i| a[i * n + i]).collect(), v)
}

/// One row for each null vector that could be left out: those with the largest entries, the later one of equals.
fn pivot_rows(null: &[Vec<f64>], own: &[f64]) -> Vec<usize> {
    let mut rest = null.to_vec();
    let mut out = Vec::new();
    for k in 0..rest.len() {
        let size = |i: usize| rest[k][i].abs() * own[i].sqrt();
        let largest = (0..own.len()).map(size).fold(0.0, f64::max);
        let Some(row) = (0..own.len()).rev().find(|&i| size(i) >= 0.999 * largest) else { continue };
        out.push(row);
        let (done, later) = rest.split_at_mut(k + 1);
        for v in later {
            let part = v[row] / done[k][row];
            v.iter_mut().zip(&done[k]).for_each(|(v, d)| *v -= part * d);
        }
    }
    out.sort_unstable();
    out
}

/// Softening and own size of each row.
type Softened = (Vec<f64>, Vec<f64>);

/// Factor with rows softened in proportion to these compliances, without sweeps. The solver stays damped.
fn softened(model: &Model, work: &mut Workspace, rows: &[usize], compliance: &[f64]) -> Option<Softened> {
    let n = model.n_v();
    let mut weights = vec![1.0; n + model.n_rows()];
    work.kkt.solver.damp(Some(&weights));
    work.kkt.factor(model, 0.0, &work.eval).ok()?;
    let own: Vec<f64> = work.kkt.solver.own_sizes()?.to_vec();
    let size = |r: usize| own.get(n + r).copied().unwrap_or(0.0);
    // one factor for all rows keeps the proportions; the weakest row decides, so that none gives way too far
    let scale =
        rows.iter().zip(compliance).map(|(&r, w)| size(r) / w).filter(|s| *s > 0.0).fold(f64::INFINITY, f64::min);
    for (&r, w) in rows.iter().zip(compliance) {
        weights[n + r] = if size(r) > 0.0 { scale * w / size(r) } else { 1.0 };
    }
    work.kkt.solver.damp(Some(&weights));
    work.kkt.factor(model, 0.0, &work.eval).ok()?;
    let softening = rows.iter().map(|&r| crate::solve::EPS * weights[n + r] * size(r)).collect();
    Some((softening, rows.iter().map(|&r| if size(r) > 0.0 { size(r) } else { 1.0 }).collect()))
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
        work.eval.blocks.dense_link(s, l, &mut block);
        work.eval.blocks.packed_diagonal(primal, n, &mut mass);
        if packed::factor(&mut mass, n, |_| true).is_err() {
            continue; // a model with such a body is not built
        }
        for (r, row) in block.chunks_exact_mut(n).enumerate() {
            packed::solve_lower(&mass, n, row, 1);
            let out = &mut rows[first_row[k] + r][column[primal.index()]..][..n];
            for i in 0..n {
                out[i] += row[i] * mass[packed::at(n, i, i)].sqrt();
            }
        }
    }
    let lengths: Vec<f64> =
        rows.iter().map(|row| dot(row, row).sqrt()).map(|s| if s > 0.0 { s } else { 1.0 }).collect();
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
