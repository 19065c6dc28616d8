//! What cannot be factored or planned says so, and where.

mod common;

use common::{fill_diagonals, rng::Rng};
use holonom_tree::{Blocks, LinkId, Mask, MaskedTransform, Node, PivotForm, PlanError, Singular, Structure, packed};

/// Plan with good values, factor with bad ones.
fn failure(s: &Structure, good: &Blocks, bad: &Blocks) -> Singular {
    let plan = s.plan(good).expect("a forest");
    plan.factor(bad, &mut plan.new_factor()).expect_err("this matrix has no factor")
}

fn identity(size: usize, out: &mut [f64]) {
    out.fill(0.0);
    for i in 0..size {
        out[packed::at(size, i, i)] = 1.0;
    }
}

/// Size3 nodes of size 3 in a row, joined by duals of one row on their first entries; all diagonals the identity, so that
/// every number of the elimination is exact.
fn row_of_three() -> (Structure, Blocks, [Node; 3], [LinkId; 4]) {
    let mut s = Structure::new();
    let nodes = [s.primal(3), s.primal(3), s.primal(3)];
    let duals = [s.dual(1), s.dual(1)];
    let links = [
        s.link(duals[0], nodes[0]),
        s.link(duals[0], nodes[1]),
        s.link(duals[1], nodes[1]),
        s.link(duals[1], nodes[2]),
    ];
    s.prefer_root(nodes[2]);
    let mut blocks = Blocks::new(&s);
    for node in nodes {
        identity(3, blocks.diagonal_mut(node));
    }
    for link in links {
        blocks.link_mut(link)[0] = 1.0;
    }
    (s, blocks, nodes, links)
}

#[test]
fn a_zero_diagonal_block_is_named() {
    let (s, blocks, nodes, _) = row_of_three();
    for node in nodes {
        let mut bad = blocks.clone();
        bad.diagonal_mut(node).fill(0.0);
        assert_eq!(failure(&s, &blocks, &bad), Singular { node, pivot: 0.0 });
    }
}

#[test]
fn a_negative_pivot_is_reported() {
    let (s, blocks, nodes, _) = row_of_three();
    let mut bad = blocks.clone();
    bad.diagonal_mut(nodes[0])[packed::at(3, 2, 2)] = -0.5;
    let failure = failure(&s, &blocks, &bad);
    assert_eq!(failure, Singular { node: nodes[0], pivot: -0.5 });
    assert_eq!(failure.to_string(), "singular pivot at node 0 (pivot -5e-1)");
}

#[test]
fn a_nan_in_a_diagonal_block_is_named() {
    let (s, blocks, nodes, _) = row_of_three();
    for node in nodes {
        for entry in 0..packed::len(3) {
            let mut bad = blocks.clone();
            bad.diagonal_mut(node)[entry] = f64::NAN;
            assert_eq!(failure(&s, &blocks, &bad).node, node, "entry {entry}");
        }
    }
}

/// The node above a link is where its numbers first matter.
#[test]
fn a_nan_in_a_link_is_named_at_its_upper_end() {
    let (s, blocks, nodes, links) = row_of_three();
    let duals = [Node(3), Node(4)];
    for (link, named) in links.into_iter().zip([duals[0], nodes[1], duals[1], nodes[2]]) {
        let mut bad = blocks.clone();
        bad.link_mut(link)[0] = f64::NAN;
        assert_eq!(failure(&s, &blocks, &bad).node, named, "{link:?}");
    }
}

/// Nodes of size 6 in a chain of masked duals; without lever arms, so that nothing spreads what is wrong inside a block. With
/// `hung` the root is a dual without a near node, which keeps the same rows.
fn masked_chain(mask: Mask, aligned: bool, hung: bool) -> (Structure, Blocks, Vec<Node>) {
    let mut s = Structure::new();
    let nodes: Vec<Node> = (0..4).map(|_| s.primal(6)).collect();
    if hung {
        s.masked(mask, aligned, None, Some(nodes[0]));
    }
    for i in 1..nodes.len() {
        s.masked(mask, aligned, Some(nodes[i - 1]), Some(nodes[i]));
    }
    if !hung {
        s.prefer_root(nodes[0]);
    }
    let mut rng = Rng(5);
    let mut blocks = Blocks::new(&s);
    fill_diagonals(&s, &mut blocks, &mut rng);
    let axes = rng.axes();
    blocks.transforms.fill(MaskedTransform { axes, ..MaskedTransform::default() });
    (s, blocks, nodes)
}

/// A failed pair is named by its dual, any other pivot by its node.
fn expected(s: &Structure, blocks: &Blocks, node: Node) -> Node {
    let plan = s.plan(blocks).expect("a tree");
    plan.parent(node).filter(|&dual| plan.form(dual) == PivotForm::Free).unwrap_or(node)
}

fn chains() -> impl Iterator<Item = (String, Structure, Blocks, Vec<Node>)> {
    let masks = (0..64u8).map(Mask).flat_map(|mask| [(mask, false), (mask, true)]);
    masks.flat_map(|(mask, aligned)| [(mask, aligned, false), (mask, aligned, true)]).map(|(mask, aligned, hung)| {
        let (s, blocks, nodes) = masked_chain(mask, aligned, hung);
        (format!("{mask:?}, aligned {aligned}, hung {hung}"), s, blocks, nodes)
    })
}

#[test]
fn a_nan_in_a_pair_is_named() {
    for (what, s, blocks, nodes) in chains() {
        for &node in &nodes {
            let named = expected(&s, &blocks, node);
            for entry in 0..21 {
                let mut bad = blocks.clone();
                bad.diagonal_mut(node)[entry] = f64::NAN;
                assert_eq!(failure(&s, &blocks, &bad).node, named, "{what}, {node:?}, entry {entry}");
            }
        }
    }
}

/// Where all six rows are kept a pair has no free direction and needs no pivot: such a matrix is not singular.
#[test]
fn a_zero_block_in_a_pair_is_named() {
    for (what, s, blocks, nodes) in chains() {
        let leaf = nodes[3];
        let mut bad = blocks.clone();
        bad.diagonal_mut(leaf).fill(0.0);
        let plan = s.plan(&blocks).expect("a tree");
        let outcome = plan.factor(&bad, &mut plan.new_factor()).map_err(|failure| failure.node);
        let regular = plan.parent(leaf).is_some_and(|dual| s.size(dual) == 6);
        assert_eq!(outcome, if regular { Ok(()) } else { Err(expected(&s, &blocks, leaf)) }, "{what}");
    }
}

#[test]
fn a_nan_in_a_lever_arm_is_noticed() {
    for mask in [Mask::FIRST_THREE, Mask(0b011_111), Mask::ALL] {
        for aligned in [false, true] {
            let (s, blocks, _) = masked_chain(mask, aligned, false);
            for transform in 0..blocks.transforms.len() {
                let dual = Node(4 + transform as u32);
                let mut bad = blocks.clone();
                bad.transforms[transform].far[1] = f64::NAN;
                assert_eq!(failure(&s, &blocks, &bad).node, dual, "{mask:?}, aligned {aligned}: child's arm");
                // the arm of the parent matters first where the parent is eliminated
                let parent = Node(transform as u32);
                let mut bad = blocks.clone();
                bad.transforms[transform].near[1] = f64::NAN;
                let named = expected(&s, &blocks, parent);
                assert_eq!(failure(&s, &blocks, &bad).node, named, "{mask:?}, aligned {aligned}: parent's arm");
            }
        }
    }
}

/// Two equal rows at the root, in exact numbers: no rounding hides the zero.
#[test]
fn equal_rows_at_a_root_are_named() {
    let mut s = Structure::new();
    let nodes = [s.primal(3), s.primal(3)];
    let root = s.dual(2);
    let links = nodes.map(|node| s.link(root, node));
    s.prefer_root(root);
    let mut blocks = Blocks::new(&s);
    for node in nodes {
        identity(3, blocks.diagonal_mut(node));
    }
    for link in links {
        blocks.link_mut(link).copy_from_slice(&[1.0, 0.0, 0.0, 1.0, 0.0, 0.0]);
    }
    assert_eq!(failure(&s, &blocks, &blocks), Singular { node: root, pivot: 0.0 });
}

/// The same row in two duals on one node: the one that is eliminated last is at fault.
#[test]
fn equal_rows_in_two_duals_are_named() {
    let mut s = Structure::new();
    let node = s.primal(3);
    let duals = [s.dual(1), s.dual(1)];
    let links = duals.map(|dual| s.link(dual, node));
    let mut blocks = Blocks::new(&s);
    identity(3, blocks.diagonal_mut(node));
    for link in links {
        blocks.link_mut(link)[1] = 1.0;
    }
    assert_eq!(failure(&s, &blocks, &blocks), Singular { node: duals[1], pivot: 0.0 });
}

#[test]
fn two_links_between_the_same_nodes_are_refused() {
    let mut s = Structure::new();
    let a = s.primal(6);
    let loops = s.masked(Mask::ALL, false, Some(a), Some(a));
    let error = s.plan(&Blocks::new(&s)).unwrap_err();
    assert_eq!(error, PlanError::LinkedTwice(loops), "both ends on one node");
    assert_eq!(error.to_string(), "dual node 1 is linked twice to one node");

    let mut s = Structure::new();
    let a = s.primal(6);
    let twice = s.dual(2);
    s.link(twice, a);
    s.link(twice, a);
    assert_eq!(s.plan(&Blocks::new(&s)).unwrap_err(), PlanError::LinkedTwice(twice), "two links to one node");
}

#[test]
fn an_unlinked_dual_with_rows_is_refused() {
    let mut s = Structure::new();
    let node = s.primal(2);
    let empty = s.dual(0);
    let mut blocks = Blocks::new(&s);
    identity(2, blocks.diagonal_mut(node));
    assert!(s.plan(&blocks).is_ok(), "a dual without rows needs no links");
    s.prefer_root(empty);
    assert!(s.plan(&blocks).is_ok(), "also as a root");

    let loose = s.dual(1);
    let blocks = Blocks::new(&s);
    assert_eq!(s.plan(&blocks).unwrap_err(), PlanError::Unlinked(loose));
    s.prefer_root(loose);
    assert_eq!(s.plan(&blocks).unwrap_err(), PlanError::Unlinked(loose), "a wish does not help");
}
