//! Many bodies with few rows each: the sparse solver finds what the dense one finds.

mod common;

use common::{Owned, Random};
use holonom_lcp::{ComplementarityLaw as Law, DenseConeSolver, SparseConeSolver, SparseRows, certificate};

/// Bodies of unit mass in a chain, three contacts with friction between neighbours: sparse rows, and the same written down.
fn chain(random: &mut Random, bodies: usize, mu: f64) -> (SparseRows, Owned) {
    let n = 9 * bodies;
    let mut rows = SparseRows::default();
    rows.clear();
    let mut g = vec![0.0; n * 6 * bodies];
    let mut owned = Owned { a: vec![0.0; n * n], b: Vec::new(), laws: Vec::new() };
    for row in 0..n {
        let body = row / 9;
        for (node, sign) in [(Some(body), 1.0), (body.checked_sub(1), -1.0)] {
            let Some(node) = node else { continue };
            let mut values = [0.0; 6];
            values.iter_mut().for_each(|v| *v = 0.3 * random.signed());
            values[row % 3] += sign;
            g[row * 6 * bodies + 6 * node..][..6].copy_from_slice(&values);
            rows.part(node as u32, values);
        }
        rows.end();
        owned.b.push(random.signed() - if row % 3 == 0 { 1.0 } else { 0.0 });
        match row % 3 {
            0 => owned.laws.push(Law::Push),
            1 => owned.laws.push(Law::Cone { normal: row - 1, mu, rows: 2 }),
            _ => {}
        }
    }
    for i in 0..n {
        for j in 0..n {
            let (x, y) = (&g[i * 6 * bodies..][..6 * bodies], &g[j * 6 * bodies..][..6 * bodies]);
            owned.a[i * n + j] = x.iter().zip(y).map(|(x, y)| x * y).sum();
        }
    }
    (rows, owned)
}

#[test]
fn the_sparse_and_the_dense_solver_agree() {
    let mut unit = [0.0; 36];
    (0..6).for_each(|i| unit[7 * i] = 1.0);
    for seed in 0..20 {
        let bodies = 1 + seed as usize % 10;
        let (rows, owned) = chain(&mut Random(seed), bodies, [0.1, 0.4, 0.8][seed as usize % 3]);
        let (mut x, mut y) = (vec![0.0; owned.len()], vec![0.0; owned.len()]);
        SparseConeSolver::new().solve(&vec![unit; bodies], &rows, &owned.b, &owned.laws, &mut x).unwrap();
        DenseConeSolver::new().solve(&owned.problem(), &mut y).unwrap();
        assert!(certificate(&owned.problem(), &x).worst < 1e-9, "seed {seed}");
        for (p, q) in owned.apply(&x).iter().zip(owned.apply(&y)) {
            assert!((p - q).abs() < 1e-7, "seed {seed}: {p} {q}");
        }
    }
}

#[test]
fn rows_without_bounds_hold_and_rows_with_bounds_give_way() {
    // two unit masses tied together along x; the first is pulled by 5 and held by at most 3
    let mut m = [0.0; 36];
    (0..6).for_each(|i| m[7 * i] = 1.0);
    let mut rows = SparseRows::default();
    rows.clear();
    let x = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    rows.part(0, x);
    rows.part(1, x.map(|x: f64| -x));
    rows.end();
    rows.part(0, x);
    rows.end();
    let laws = [Law::Free, Law::Within { least: -3.0, most: 3.0 }];
    let mut push = [0.0; 2];
    SparseConeSolver::default().solve(&[m, m], &rows, &[5.0, 5.0], &laws, &mut push).unwrap();
    // v1 = 5 + t + h, v2 = -t, v1 = v2 ... with h = -3 at its bound: t = -1, both move on with 1
    assert!((push[0] + 1.0).abs() < 1e-9 && (push[1] + 3.0).abs() < 1e-9, "{push:?}");
}

#[test]
fn nonsense_is_refused() {
    let mut rows = SparseRows::default();
    rows.clear();
    rows.part(0, [1.0; 6]);
    rows.end();
    let mut x = [0.0];
    let bad = SparseConeSolver::default().solve(&[[0.0; 36]], &rows, &[1.0], &[Law::Push], &mut x);
    assert!(bad.is_err());
    let mut m = [0.0; 36];
    (0..6).for_each(|i| m[7 * i] = 1.0);
    assert!(SparseConeSolver::default().solve(&[m], &rows, &[f64::NAN], &[Law::Push], &mut x).is_err());
    assert!(SparseConeSolver::default().solve(&[m], &rows, &[1.0, 2.0], &[Law::Push, Law::Push], &mut x).is_err());
}
