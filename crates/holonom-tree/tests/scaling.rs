//! A million nodes: linear work, and no stack.

mod common;

use common::masked_tree;
use common::rng::Rng;
use holonom_tree::{Blocks, Node, Structure, packed};

type Parent = fn(usize) -> usize;

const SHAPES: [(&str, Parent); 3] = [("chain", |i| i - 1), ("binary tree", |i| (i - 1) / 2), ("star", |_| 0)];

/// `H x - rhs`, largest entry, without the dense matrix.
fn residual(structure: &Structure, blocks: &Blocks, x: &[f64], rhs: &[f64]) -> f64 {
    let offsets = common::offsets(structure);
    let mut rest: Vec<f64> = rhs.iter().map(|v| -v).collect();
    for i in 0..structure.n_nodes() {
        if !structure.is_dual(Node(i as u32)) {
            let range = offsets[i]..offsets[i + 1];
            packed::multiply_add(blocks.diagonal(Node(i as u32)), &x[range.clone()], &mut rest[range]);
        }
    }
    let mut block = Vec::new();
    for (k, (dual, primal)) in structure.links().enumerate() {
        blocks.dense_link(structure, k, &mut block);
        let (row, column) = (offsets[dual.index()], offsets[primal.index()]);
        let width = structure.size(primal);
        for i in 0..structure.size(dual) {
            for j in 0..width {
                rest[row + i] -= block[i * width + j] * x[column + j];
                rest[column + j] -= block[i * width + j] * x[row + i];
            }
        }
    }
    // folded by hand: `f64::max` would drop a NaN
    rest.iter().fold(0.0, |m, r| if r.abs() <= m { m } else { r.abs() })
}

/// Everything from declaration to drop on a stack of 256 KiB: a recursion over the tree would not fit.
fn on_a_small_stack(shape: &'static str, parent: Parent, n: usize) {
    let work = move || {
        let (structure, blocks) = masked_tree(n, parent, 1);
        let plan = structure.plan(&blocks).expect("a tree");
        let mut factor = plan.new_factor();
        plan.factor(&blocks, &mut factor).expect("full rank");
        let rhs = Rng(2).list(plan.len());
        let mut x = rhs.clone();
        plan.solve(&mut factor, &mut x);
        let largest = x.iter().fold(1.0f64, |m, v| m.max(v.abs()));
        let residual = residual(&structure, &blocks, &x, &rhs);
        assert!(residual <= 1e-9 * largest, "{shape} of {n}: residual {residual:e}, largest entry {largest:e}");
    };
    let thread = std::thread::Builder::new().stack_size(256 * 1024).spawn(work).expect("a thread");
    thread.join().expect("the work went well");
}

#[test]
fn a_chain_of_a_million() {
    on_a_small_stack("chain", |i| i - 1, 1_000_000);
}

#[test]
fn a_star_with_a_million_leaves() {
    on_a_small_stack("star", |_| 0, 1_000_001);
}

#[test]
fn work_grows_linearly() {
    for (shape, parent) in SHAPES {
        let cost = |n: usize| {
            let (structure, blocks) = masked_tree(n, parent, 1);
            structure.plan(&blocks).expect("a tree").cost()
        };
        let (small, large) = (1_000, 1_000_000);
        let (a, b) = (cost(small), cost(large));
        let exponent = |a: f64, b: f64| (b / a).ln() / (large as f64 / small as f64).ln();
        let factor = exponent(a.factor_flops, b.factor_flops);
        let solve = exponent(a.solve_flops, b.solve_flops);
        assert!(factor <= 1.01, "{shape}: factor flops grow with exponent {factor}");
        assert!(solve <= 1.01, "{shape}: solve flops grow with exponent {solve}");
        assert_eq!(b.largest, 6, "{shape}: largest pivot");
    }
}
