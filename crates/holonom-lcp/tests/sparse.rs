//! Many bodies with few rows each: the sparse method finds what the dense one finds.

use holonom_lcp::{ComplementarityLaw as Law, SparseConeSolver, SparseRows};

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
