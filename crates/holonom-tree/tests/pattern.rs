//! The pattern of L read from a plan, against symbolic elimination that knows nothing of plans.

mod common;

use common::rng::Rng;
use holonom_tree::{Blocks, Mask, MaskedTransform, Node, PivotForm, Structure};
use std::collections::BTreeSet;

/// A random graph: `closing` duals more than a forest has.
fn graph(seed: u64, n: usize, closing: usize) -> (Structure, Blocks) {
    let mut rng = Rng(seed);
    let mut pick = |n: usize| ((rng.list(1)[0].abs() * 1e6) as usize) % n;
    let mut s = Structure::new();
    let mut primals: Vec<(Node, usize)> = Vec::new();
    let tie = |s: &mut Structure, a: (Node, usize), b: (Node, usize), kind: usize| match (a.1, b.1, kind) {
        (6, 6, 1) => _ = s.masked(Mask::FIRST_THREE, true, Some(a.0), Some(b.0)),
        (6, 6, 2) => _ = s.masked(Mask(0b11111), false, Some(a.0), Some(b.0)),
        (_, _, 3) => _ = s.dual(0),
        _ => {
            let dual = s.dual(1 + kind % 2);
            s.link(dual, a.0);
            s.link(dual, b.0);
        }
    };
    for i in 0..n {
        let size = [6, 6, 6, 3, 1][pick(5)];
        let node = s.primal(size);
        if size == 6 && pick(2) == 0 {
            s.central(node);
        }
        primals.push((node, size));
        if i > 0 && pick(8) > 0 {
            let (other, kind) = (primals[pick(i)], pick(5));
            tie(&mut s, other, (node, size), kind);
        }
    }
    for _ in 0..closing {
        let (a, b) = (pick(n), pick(n));
        if a != b {
            tie(&mut s, primals[a], primals[b], pick(3));
        }
    }
    let mut blocks = Blocks::new(&s);
    let mut rng = Rng(seed + 1);
    for i in (0..s.n_nodes()).map(|i| Node(i as u32)) {
        if s.is_central(i) {
            blocks.diagonal_mut(i).copy_from_slice(&[1.0, 2.0, 0.1, 0.2, 3.0, 0.3, 4.0]);
        }
    }
    for i in (0..s.n_nodes()).map(|i| Node(i as u32)).filter(|&i| !s.is_dual(i) && !s.is_central(i)) {
        rng.definite(s.size(i), blocks.diagonal_mut(i));
    }
    for k in 0..s.links().filter(|(d, _)| s.transform_index(*d).is_none()).count() {
        let link = blocks.link_mut(holonom_tree::LinkId(k as u32));
        let values = rng.list(link.len());
        link.copy_from_slice(&values);
    }
    for transform in &mut blocks.transforms {
        *transform = MaskedTransform { axes: rng.axes(), near: rng.vector(), far: rng.vector() };
    }
    (s, blocks)
}

/// Later neighbours of each node, eliminating in this order; links alone are given.
fn eliminate(s: &Structure, order: &[Node]) -> Vec<BTreeSet<usize>> {
    let mut place = vec![0; s.n_nodes()];
    order.iter().enumerate().for_each(|(k, n)| place[n.index()] = k);
    let mut below = vec![BTreeSet::new(); order.len()];
    for (dual, primal) in s.links().filter(|(d, _)| s.size(*d) > 0) {
        let (a, b) = (place[dual.index()], place[primal.index()]);
        below[a.min(b)].insert(a.max(b));
    }
    for k in 0..order.len() {
        let later: Vec<usize> = below[k].iter().copied().collect();
        for (i, &a) in later.iter().enumerate() {
            below[a].extend(&later[i + 1..]);
        }
    }
    below
}

#[test]
fn columns_of_the_plan_are_those_of_symbolic_elimination() {
    let (mut with_fill, mut without_fill) = (0, 0);
    for seed in 0..400 {
        let (s, blocks) = graph(seed, 2 + seed as usize % 23, [0, 0, 1, 4][seed as usize % 4]);
        let Ok(plan) = s.plan(&blocks) else { continue };
        let columns = plan.columns();
        let order: Vec<Node> = columns.iter().map(|c| c.node).collect();
        let mut nodes: Vec<u32> = order.iter().map(|n| n.0).collect();
        nodes.sort_unstable();
        assert!(
            nodes.iter().enumerate().all(|(i, &n)| i as u32 == n) && nodes.len() == s.n_nodes(),
            "graph {seed}: {order:?}"
        );
        let expected = eliminate(&s, &order);
        let mut fill = 0;
        for (k, column) in columns.iter().enumerate() {
            let wanted: Vec<Node> = expected[k].iter().map(|&i| order[i]).collect();
            assert_eq!(column.below, wanted, "graph {seed}, column {k} of {order:?}");
            let linked = |a: Node, b: Node| s.links().any(|l| l == (a, b) || l == (b, a));
            fill += wanted.iter().filter(|&&b| !linked(column.node, b)).count();
        }
        let deferred = order.iter().any(|&n| plan.form(n) == PivotForm::Deferred);
        if !plan.has_loops() && !deferred {
            assert_eq!(fill, 0, "graph {seed}");
        }
        if fill > 0 { with_fill += 1 } else { without_fill += 1 }
    }
    assert!(with_fill > 50 && without_fill > 50, "{with_fill} {without_fill}");
}
