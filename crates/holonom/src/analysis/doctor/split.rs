//! Loads that are not unique, split into the smallest ones with the factors of the step: for every row of a recording.
//!
//! In the factors (`solve/sparse.rs`) the rows that depend on others give way, `E = diag(eps_r)` in these d rows and 0
//! in all others. With `A = J M^-1 J^T`, a solve without sweeps,
//!
//! ```text
//! H_eps [u; z] = [0; -E e_r]        is        (A + E) z = E e_r,     u = M^-1 J^T z
//! ```
//!
//! The other rows are independent, so there is exactly one vector nu that pushes nothing, `J^T nu = 0`, and is 1 in row
//! r and 0 in the other rows that give way. `A nu = 0` and `E nu = E e_r`: it solves the equation, and as A + E is
//! regular nothing else does. One solve for each row that gives way finds a basis N of all multipliers that push
//! nothing, where the elimination of `cluster.rs` is cubic in the rows. Clusters of loops do not know of each other:
//! one solve serves a row of each.
//!
//! The smallest loads in the metric of the compliances W are `lambda - N alpha`, `(N^T W N) alpha = N^T W lambda`.
//!
//! Near a singular pose a row gives way that does not depend on others quite. Then u does not vanish, and the
//! elimination, which sees the difference, must decide: the answer here is "not known".

use super::cluster::DEPENDENT;
use crate::contact::inequality::workspace::Workspace;
use crate::model::Model;
use crate::solve::EPS;
use holonom_tree::{Node, packed};

/// More rows than this that depend on others in one cluster are left to others: their products are quadratic.
const MOST: usize = 400;

/// A vector of multipliers that pushes nothing: rows and values.
type Null = Vec<(usize, f64)>;

/// A cluster of loops.
struct Group {
    island: usize,
    /// Its rows.
    rows: Vec<usize>,
    /// Those that give way.
    weak: Vec<usize>,
    /// For each of them the vector that pushes nothing.
    null: Vec<Null>,
}

/// Change the multipliers `lambda` of all rows to those of the smallest loads, with the factors at hand; they and the
/// solution in the workspace stay. `groups`: joints of each cluster. `false`, and nothing is changed: the factors
/// cannot tell.
pub(super) fn by_factors(
    model: &Model,
    groups: &[Vec<usize>],
    compliance: &[f64],
    work: &mut Workspace,
    lambda: &mut [f64],
) -> bool {
    if work.kkt.solver.own_sizes().is_none() || work.kkt.solver.contradiction() {
        return false;
    }
    let Some(mut groups) = with_weak_rows(model, groups, work.kkt.solver.weak_rows()) else { return false };
    let solution = work.kkt.x.clone();
    let found = find_null_vectors(model, &mut groups, work);
    work.kkt.x.copy_from_slice(&solution);
    let mut split = lambda.to_vec();
    if !found || !groups.iter().all(|g| subtract(&g.null, compliance, &mut split)) {
        return false;
    }
    lambda.copy_from_slice(&split);
    true
}

/// The clusters that have rows that give way; `None` where a row belongs to none, or there are too many in one.
fn with_weak_rows(model: &Model, groups: &[Vec<usize>], weak: &[u32]) -> Option<Vec<Group>> {
    let mut of_joint = vec![usize::MAX; model.n_joints()];
    for (g, joints) in groups.iter().enumerate() {
        joints.iter().for_each(|&k| of_joint[k] = g);
    }
    let mut of_group = vec![Vec::new(); groups.len()];
    for &x in weak {
        let row = x as usize - model.n_v();
        of_group.get_mut(of_joint[model.joint_of_row(row)])?.push(row);
    }
    let gather = |(joints, weak): (&Vec<usize>, Vec<usize>)| {
        let rows = joints.iter().flat_map(|&k| model.joints[k].row_range()).collect();
        Group { island: model.joints[joints[0]].island as usize, rows, weak, null: Vec::new() }
    };
    let all: Vec<Group> = groups.iter().zip(of_group).filter(|(_, weak)| !weak.is_empty()).map(gather).collect();
    all.iter().all(|g| g.weak.len() <= MOST).then_some(all)
}

/// The vectors that push nothing, one for each row that gives way; `false` where one pushes something after all.
fn find_null_vectors(model: &Model, groups: &mut [Group], work: &mut Workspace) -> bool {
    let n = model.n_v();
    let own: Vec<f64> = work.kkt.solver.own_sizes().unwrap_or(&[]).to_vec();
    let (mut sizes, mut pushes) = (vec![0.0f64; model.n_islands], vec![0.0f64; model.n_islands]);
    for k in 0..groups.iter().map(|g| g.weak.len()).max().unwrap_or(0) {
        work.kkt.x.fill(0.0);
        for &r in groups.iter().filter_map(|g| g.weak.get(k)) {
            work.kkt.x[n + r] = -EPS * own[n + r];
        }
        if !work.kkt.solver.solve_with_factors(model, &mut work.kkt.x) {
            return false;
        }
        let x = &work.kkt.x;
        sizes.fill(0.0);
        for group in groups.iter_mut().filter(|g| k < g.weak.len()) {
            let size = |r: usize| own[n + r] * x[n + r] * x[n + r];
            let whole: f64 = group.rows.iter().map(|&r| size(r)).sum();
            sizes[group.island] += whole;
            // what rounding left in rows that have no part in it is left out
            let part = group.rows.iter().filter(|r| size(**r) > 1e-32 * whole);
            group.null.push(part.map(|&r| (r, x[n + r])).collect());
        }
        pushed(model, x, work, &mut pushes);
        if pushes.iter().zip(&sizes).any(|(push, size)| *size > 0.0 && !(*push <= DEPENDENT * DEPENDENT * size)) {
            return false;
        }
    }
    true
}

/// `u^T M u` of every island.
fn pushed(model: &Model, u: &[f64], work: &Workspace, out: &mut [f64]) {
    out.fill(0.0);
    for i in 0..model.n_bodies() {
        let u = model.v_of(i, u);
        for r in 0..u.len() {
            for c in 0..u.len() {
                out[model.island[i] as usize] += u[r] * work.eval.blocks.entry(Node(i as u32), r, c) * u[c];
            }
        }
    }
}

/// `lambda - N alpha` with the least weighted norm, twice: the second time for what rounding left. `false` when the
/// vectors of the basis are not independent.
fn subtract(basis: &[Null], weights: &[f64], lambda: &mut [f64]) -> bool {
    let d = basis.len();
    let mut gram = vec![0.0; packed::len(d)];
    let mut spread = vec![0.0; lambda.len()];
    for (i, a) in basis.iter().enumerate() {
        a.iter().for_each(|&(r, x)| spread[r] = weights[r] * x);
        for (j, b) in basis.iter().enumerate().skip(i) {
            gram[packed::at(d, i, j)] = b.iter().map(|&(r, x)| spread[r] * x).sum();
        }
        a.iter().for_each(|&(r, _)| spread[r] = 0.0);
    }
    if packed::factor(&mut gram, d, |_| true).is_err() {
        return false;
    }
    let mut alpha = vec![0.0; d];
    for _ in 0..2 {
        for (alpha, a) in alpha.iter_mut().zip(basis) {
            *alpha = a.iter().map(|&(r, x)| weights[r] * x * lambda[r]).sum();
        }
        packed::solve(&gram, d, &mut alpha);
        for (alpha, a) in alpha.iter().zip(basis) {
            a.iter().for_each(|&(r, x)| lambda[r] -= alpha * x);
        }
    }
    true
}
