//! The example of Baraff 1996, figure 2: six primal nodes, 1 to 6, and five duals, 7 to 11, in one tree.

mod common;

use common::{assert_agrees, fill_diagonals, rng::Rng};
use holonom_tree::{Blocks, LinkId, Mask, MaskedTransform, Node, PivotForm, Structure};

/// (dual, its primal nodes), with the figure's numbers.
const DUALS: [(u32, [u32; 2]); 5] = [(7, [1, 2]), (8, [2, 3]), (9, [2, 4]), (10, [1, 5]), (11, [5, 6])];
/// (node, its parent) when the tree hangs from dual 11.
const PARENTS: [(u32, u32); 10] = [(1, 10), (2, 7), (3, 8), (4, 9), (5, 11), (6, 11), (7, 1), (8, 2), (9, 2), (10, 5)];
/// Rows of duals 7 to 11.
const ROWS: [usize; 5] = [3, 1, 5, 2, 3];

/// The node with this number in the figure, which counts from one.
fn node(number: u32) -> Node {
    Node(number - 1)
}

fn size(number: u32) -> usize {
    if number <= 6 { 6 } else { ROWS[number as usize - 7] }
}

/// Dense rows; returns the links of duals 7 to 11 as well.
fn dense() -> (Structure, Blocks, Vec<[LinkId; 2]>) {
    let mut s = Structure::new();
    for _ in 1..=6 {
        s.primal(6);
    }
    for rows in ROWS {
        s.dual(rows);
    }
    let links: Vec<[LinkId; 2]> =
        DUALS.iter().map(|&(dual, ends)| ends.map(|primal| s.link(node(dual), node(primal)))).collect();
    s.prefer_root(node(11));
    let mut rng = Rng(2);
    let mut blocks = Blocks::new(&s);
    fill_diagonals(&s, &mut blocks, &mut rng);
    for &link in links.iter().flatten() {
        // orthonormal rows, so that no random block is weak by accident
        let mut rows: Vec<Vec<f64>> = Vec::new();
        while 6 * rows.len() < blocks.link(link).len() {
            rows.push(rng.direction(6, &rows).expect("at most six rows"));
        }
        blocks.link_mut(link).copy_from_slice(&rows.concat());
    }
    (s, blocks, links)
}

/// The same tree with masked rows.
fn masked(mask: Mask, aligned: bool) -> (Structure, Blocks) {
    let mut s = Structure::new();
    for _ in 1..=6 {
        s.primal(6);
    }
    for (_, ends) in DUALS {
        s.masked(mask, aligned, Some(node(ends[0])), Some(node(ends[1])));
    }
    s.prefer_root(node(11));
    let mut rng = Rng(3);
    let mut blocks = Blocks::new(&s);
    fill_diagonals(&s, &mut blocks, &mut rng);
    for transform in &mut blocks.transforms {
        *transform = MaskedTransform { axes: rng.axes(), near: rng.vector(), far: rng.vector() };
    }
    (s, blocks)
}

#[test]
fn parents_are_those_of_the_figure() {
    for (s, blocks) in [(dense().0, dense().1), masked(Mask::FIRST_THREE, true), masked(Mask(0b011_111), false)] {
        let plan = s.plan(&blocks).expect("a tree");
        assert_eq!(plan.parent(node(11)), None);
        for (child, parent) in PARENTS {
            assert_eq!(plan.parent(node(child)), Some(node(parent)), "node {child}");
        }
    }
}

/// Break a node so that its pivot becomes NaN: a primal node in its diagonal, a dual in its link to a child.
fn poison(number: u32, blocks: &mut Blocks, links: &[[LinkId; 2]]) {
    if number <= 6 {
        blocks.diagonal_mut(node(number))[0] = f64::NAN;
        return;
    }
    let (_, ends) = DUALS[number as usize - 7];
    let to_child = ends.iter().position(|&end| PARENTS.contains(&(end, number))).expect("every dual has a child");
    blocks.link_mut(links[number as usize - 7][to_child])[0] = f64::NAN;
}

/// The order is not public; but of two broken nodes the one that is eliminated first is the one that is named.
#[test]
fn every_node_comes_before_its_parent() {
    let (s, blocks, links) = dense();
    let plan = s.plan(&blocks).expect("a tree");
    let mut factor = plan.new_factor();
    for (child, parent) in PARENTS {
        let mut broken = blocks.clone();
        poison(parent, &mut broken, &links);
        let named = plan.factor(&broken, &mut factor).expect_err("the parent is broken").node;
        assert_eq!(named, node(parent), "only node {parent} is broken");
        poison(child, &mut broken, &links);
        let named = plan.factor(&broken, &mut factor).expect_err("both are broken").node;
        assert_eq!(named, node(child), "nodes {child} and {parent} are broken");
    }
}

#[test]
fn answers_are_those_of_the_dense_solver() {
    let (s, blocks, _) = dense();
    assert_agrees(&s, &blocks, "dense rows");
    for (mask, aligned) in [(Mask::FIRST_THREE, true), (Mask(0b011_111), false), (Mask::ALL, false), (Mask(0b1), true)]
    {
        let (s, blocks) = masked(mask, aligned);
        assert_agrees(&s, &blocks, &format!("{mask:?}, aligned {aligned}"));
    }
}

/// No fill: one pivot per node, as large as the node, which touches nothing but its parent.
#[test]
fn there_is_no_fill() {
    let (s, blocks, _) = dense();
    let cost = s.plan(&blocks).expect("a tree").cost();
    assert_eq!(cost.pivots, 11);
    assert_eq!(cost.largest, 6);
    let (mut factor, mut solve) = (0.0, 0.0);
    for number in 1..=11 {
        let p = size(number) as f64;
        let parent = PARENTS.iter().find(|(child, _)| *child == number).map(|&(_, parent)| parent);
        let q = parent.map_or(0, size) as f64;
        // L D L^T of the block, L^-1 of the link to the parent, one triangle of the parent
        factor += p * p * p / 3.0 + p * p * q + p * q * (q + 1.0);
        // there and back through the block and the link
        solve += 2.0 * (p * p + 2.0 * p * q);
    }
    assert!((cost.factor_flops - factor).abs() < 1e-9 * factor, "{} against {factor}", cost.factor_flops);
    assert!((cost.solve_flops - solve).abs() < 1e-9 * solve, "{} against {solve}", cost.solve_flops);
}

/// Masked duals go together with the node below; the root has two nodes below and cannot.
#[test]
fn masked_duals_pair_with_their_child() {
    let (s, blocks) = masked(Mask::FIRST_THREE, true);
    let plan = s.plan(&blocks).expect("a tree");
    for dual in 7..=10 {
        assert_eq!(plan.form(node(dual)), PivotForm::Free, "dual {dual}");
    }
    assert_eq!(plan.form(node(11)), PivotForm::Rows);
    assert_eq!(plan.cost().pivots, 7);
}
