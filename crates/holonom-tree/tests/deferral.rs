//! Duals that cannot be pivots where they hang, because what is below them does not give their rows full rank.

mod common;

use common::rng::Rng;
use common::{assert_agrees, fill_diagonals};
use holonom_tree::{Blocks, LinkId, Mask, MaskedTransform, Node, PivotForm, Structure, independent_rows};

/// `mix` times the rows `keep` of a frame of three: a block of three rows whose rank is the number of rows kept.
fn block(mix: &[[f64; 3]; 3], frame: &[[f64; 3]; 3], keep: &[usize]) -> Vec<f64> {
    let entry = |i: usize, j: usize| keep.iter().map(|&k| mix[i][k] * frame[k][j]).sum();
    (0..9).map(|k| entry(k / 3, k % 3)).collect()
}

/// Nodes of size 3 in a chain. Neighbours share a dual of three rows: row 0 reaches only one of them, row 2 only the other.
/// The rows are mixed, so that neither block shows a row of zeros.
fn chain_without_a_strong_end(n: usize) -> (Structure, Blocks, Vec<Node>) {
    let mut s = Structure::new();
    let nodes: Vec<Node> = (0..n).map(|_| s.primal(3)).collect();
    let duals: Vec<Node> = (1..n).map(|_| s.dual(3)).collect();
    let links: Vec<[LinkId; 2]> =
        duals.iter().enumerate().map(|(i, &d)| [s.link(d, nodes[i]), s.link(d, nodes[i + 1])]).collect();
    let mut rng = Rng(n as u64);
    let mut blocks = Blocks::new(&s);
    fill_diagonals(&s, &mut blocks, &mut rng);
    let frame = rng.axes();
    for [first, second] in links {
        let mix = rng.axes();
        blocks.link_mut(first).copy_from_slice(&block(&mix, &frame, &[0, 1]));
        blocks.link_mut(second).copy_from_slice(&block(&mix, &frame, &[1, 2]));
    }
    (s, blocks, duals)
}

#[test]
fn duals_weak_at_both_ends_are_deferred() {
    for n in [2, 3, 10, 50] {
        let (s, blocks, duals) = chain_without_a_strong_end(n);
        let plan = s.plan(&blocks).expect("a tree");
        for &dual in &duals {
            assert_eq!(plan.form(dual), PivotForm::Deferred, "chain of {n}, {dual:?}");
        }
        // a node and the duals on its two sides
        assert!(plan.cost().largest <= 9, "chain of {n}: largest pivot {}", plan.cost().largest);
        assert_agrees(&s, &blocks, &format!("chain of {n}"));
    }
}

#[test]
fn duals_weak_at_both_ends_under_any_root() {
    let (s, blocks, _) = chain_without_a_strong_end(6);
    for root in 0..s.n_nodes() {
        let mut s = s.clone();
        s.prefer_root(Node(root as u32));
        assert_agrees(&s, &blocks, &format!("root {root}"));
    }
}

/// Two nodes of size 3 and a dual that gets rank 2 from the first and rank 3 from the second.
fn one_weak_end() -> (Structure, Blocks, [Node; 3]) {
    let mut s = Structure::new();
    // the strong end comes first: between equals it would be the root
    let (strong, weak, dual) = (s.primal(3), s.primal(3), s.dual(3));
    let links = [s.link(dual, weak), s.link(dual, strong)];
    let mut rng = Rng(4);
    let mut blocks = Blocks::new(&s);
    fill_diagonals(&s, &mut blocks, &mut rng);
    let (mix, frame) = (rng.axes(), rng.axes());
    blocks.link_mut(links[0]).copy_from_slice(&block(&mix, &frame, &[0, 1]));
    blocks.link_mut(links[1]).copy_from_slice(&block(&mix, &frame, &[0, 1, 2]));
    (s, blocks, [weak, strong, dual])
}

#[test]
fn a_weak_end_becomes_the_root() {
    let (s, blocks, [weak, strong, dual]) = one_weak_end();
    let plan = s.plan(&blocks).expect("a tree");
    assert_eq!(plan.parent(weak), None);
    assert_eq!(plan.parent(strong), Some(dual));
    assert_eq!(plan.form(dual), PivotForm::Rows);
    assert_agrees(&s, &blocks, "rooted at the weak end");
}

#[test]
fn a_wish_for_the_strong_end_defers() {
    let (mut s, blocks, [_, strong, dual]) = one_weak_end();
    s.prefer_root(strong);
    let plan = s.plan(&blocks).expect("a tree");
    assert_eq!(plan.form(dual), PivotForm::Deferred);
    assert_agrees(&s, &blocks, "rooted at the strong end");
}

/// A pivot squares what is independent in a row, so rows that are barely independent must not be one.
#[test]
fn barely_independent_rows_cost_no_digits() {
    for exponent in 0..=16 {
        let rest = 10f64.powi(-exponent);
        for seed in 0..50 {
            let mut s = Structure::new();
            let (a, b, dual) = (s.primal(3), s.primal(3), s.dual(3));
            let links = [s.link(dual, a), s.link(dual, b)];
            s.prefer_root(b);
            let mut rng = Rng(seed);
            let mut blocks = Blocks::new(&s);
            fill_diagonals(&s, &mut blocks, &mut rng);
            let frame = rng.axes();
            let mut rows = frame;
            rows[2] = std::array::from_fn(|i| 0.7 * frame[0][i] - 0.4 * frame[1][i] + rest * frame[2][i]);
            blocks.link_mut(links[0]).copy_from_slice(rows.as_flattened());
            blocks.link_mut(links[1]).copy_from_slice(rng.axes().as_flattened());
            let (error, _) = common::errors(&s, &blocks, 1);
            assert!(error <= 1e-9, "independent part {rest:e}, seed {seed}: difference {error:e}");
        }
    }
}

/// Nodes of size 6 in a chain of masked duals, a dual with a single link at both ends.
fn chain_held_at_both_ends(n: usize) -> (Structure, Blocks, Vec<Node>, [Node; 2]) {
    let mut s = Structure::new();
    let nodes: Vec<Node> = (0..n).map(|_| s.primal(6)).collect();
    let transforms: Vec<Node> =
        (1..n).map(|i| s.masked(Mask::FIRST_THREE, true, Some(nodes[i - 1]), Some(nodes[i]))).collect();
    let ends = [s.dual(2), s.dual(2)];
    let links = [s.link(ends[0], nodes[0]), s.link(ends[1], nodes[n - 1])];
    let mut rng = Rng(n as u64);
    let mut blocks = Blocks::new(&s);
    fill_diagonals(&s, &mut blocks, &mut rng);
    for transform in &mut blocks.transforms {
        *transform = MaskedTransform { near: rng.vector(), far: rng.vector(), ..MaskedTransform::default() };
    }
    for link in links {
        blocks.link_mut(link).copy_from_slice(&rng.vector::<12>());
    }
    (s, blocks, transforms, ends)
}

/// Two duals with a single link close a cycle through the outside: bodies first, nothing deferred.
#[test]
fn a_chain_held_at_both_ends_is_a_core() {
    for n in [1, 2, 3, 20] {
        let (s, blocks, transforms, ends) = chain_held_at_both_ends(n);
        let plan = s.plan(&blocks).expect("any graph has a plan");
        for &dual in transforms.iter().chain(&ends) {
            assert_eq!(plan.form(dual), PivotForm::Core, "chain of {n}, {dual:?}");
        }
        assert!(plan.cost().largest <= 12, "chain of {n}: largest front {}", plan.cost().largest);
        assert_agrees(&s, &blocks, &format!("chain of {n}"));
    }
}

#[test]
fn many_single_links_on_one_node() {
    let mut s = Structure::new();
    let node = s.primal(6);
    let duals: Vec<Node> = [1, 2, 0, 3].iter().map(|&rows| s.dual(rows)).collect();
    let links: Vec<LinkId> = duals.iter().map(|&dual| s.link(dual, node)).collect();
    let mut rng = Rng(11);
    let mut blocks = Blocks::new(&s);
    fill_diagonals(&s, &mut blocks, &mut rng);
    for link in links {
        for row in blocks.link_mut(link).chunks_mut(6) {
            row.copy_from_slice(&rng.vector::<6>());
        }
    }
    let plan = s.plan(&blocks).expect("any graph has a plan");
    let in_core: Vec<bool> = duals.iter().map(|&dual| plan.in_core(dual)).collect();
    assert_eq!(in_core, [true, true, false, true], "a dual without rows ties nothing together");
    assert_agrees(&s, &blocks, "six rows on six unknowns");
}

/// Rows are dropped on its word: what is small but not rounding must count as independent.
#[test]
fn independence_of_rows_is_judged_against_rounding() {
    let rows = |rest: f64| vec![vec![1.0, 2.0, 3.0], vec![0.0; 3], vec![2.0, 4.0, 6.0 + rest]];
    assert_eq!(independent_rows(&rows(0.0)), [true, false, false]);
    assert_eq!(independent_rows(&rows(1e-6)), [true, false, true]);
}
