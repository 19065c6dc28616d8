//! What the tests share: random numbers, random forests, and a dense reference that knows nothing of trees.

// every test file is a crate of its own and uses a part of this module
#![allow(dead_code)]

pub mod dense;
pub mod forest;
pub mod rng;

use holonom_tree::{Blocks, Mask, MaskedTransform, Node, Structure};
use rng::Rng;

/// The identity as the axes of a transform.
pub const IDENTITY: [[f64; 3]; 3] = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Plan, factor and solve; `rhs` is laid out like the structure.
pub fn solve(structure: &Structure, blocks: &Blocks, rhs: &[f64]) -> Vec<f64> {
    let plan = structure.plan(blocks).expect("the structure is a forest");
    let mut factor = plan.new_factor();
    plan.factor(blocks, &mut factor).expect("the matrix has full rank");
    let mut x = rhs.to_vec();
    plan.solve(&mut factor, &mut x);
    x
}

/// Solve a random right-hand side; difference from the dense solution, and residual.
pub fn errors(structure: &Structure, blocks: &Blocks, seed: u64) -> (f64, f64) {
    let matrix = dense::Matrix::assemble(structure, blocks);
    let rhs = Rng(seed).list(matrix.n);
    let x = solve(structure, blocks, &rhs);
    (dense::difference(&x, &matrix.solve(&rhs)), matrix.residual(&x, &rhs))
}

/// The answer must be that of the dense solver to nine digits.
pub fn assert_agrees(structure: &Structure, blocks: &Blocks, what: &str) {
    let (error, residual) = errors(structure, blocks, 1);
    assert!(error <= 1e-9, "{what}: difference {error:e}");
    assert!(residual <= 1e-10, "{what}: residual {residual:e}");
}

/// First entry of every node in a vector, and the total length.
pub fn offsets(structure: &Structure) -> Vec<usize> {
    let mut offsets = vec![0];
    for i in 0..structure.n_nodes() {
        offsets.push(offsets[i] + structure.size(Node(i as u32)));
    }
    offsets
}

/// A random positive definite block for every primal node.
pub fn fill_diagonals(structure: &Structure, blocks: &mut Blocks, rng: &mut Rng) {
    for node in (0..structure.n_nodes()).map(|i| Node(i as u32)).filter(|&node| !structure.is_dual(node)) {
        rng.definite(structure.size(node), blocks.diagonal_mut(node));
    }
}

/// Primal nodes of size 6, node i > 0 joined to node `parent(i)` by three aligned rows: chains, stars, trees.
pub fn masked_tree(n: usize, parent: impl Fn(usize) -> usize, seed: u64) -> (Structure, Blocks) {
    let mut structure = Structure::new();
    let nodes: Vec<Node> = (0..n).map(|_| structure.primal(6)).collect();
    for i in 1..n {
        structure.masked(Mask::FIRST_THREE, true, Some(nodes[parent(i)]), Some(nodes[i]));
    }
    let mut rng = Rng(seed);
    let mut blocks = Blocks::new(&structure);
    fill_diagonals(&structure, &mut blocks, &mut rng);
    for transform in &mut blocks.transforms {
        *transform = MaskedTransform { axes: IDENTITY, near: rng.vector(), far: rng.vector() };
    }
    (structure, blocks)
}
