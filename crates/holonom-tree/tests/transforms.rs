//! Masked duals are dense duals with a short description: the same matrix, the same answer.

mod common;

use common::dense::{Matrix, difference};
use common::forest::masked_rows;
use common::rng::Rng;
use common::{IDENTITY, fill_diagonals, solve};
use holonom_tree::{Blocks, LinkId, Mask, MaskedTransform, Node, PivotForm, Structure};

#[derive(Clone, Copy, Debug)]
struct Case {
    mask: Mask,
    aligned: bool,
    /// In the chain 0 - 1 - 2: is the later node the far one?
    forward: bool,
    /// A third dual, on node 0 alone.
    hung: bool,
}

fn cases() -> impl Iterator<Item = Case> {
    (1..64u8).flat_map(|mask| {
        (0..8).map(move |k| Case { mask: Mask(mask), aligned: k & 1 > 0, forward: k & 2 > 0, hung: k & 4 > 0 })
    })
}

impl Case {
    /// Near and far node of every dual.
    fn ends(&self) -> Vec<(Option<Node>, Node)> {
        let pair = |a: u32, b: u32| if self.forward { (Some(Node(a)), Node(b)) } else { (Some(Node(b)), Node(a)) };
        let mut ends = vec![pair(0, 1), pair(1, 2)];
        if self.hung {
            ends.push((None, Node(0)));
        }
        ends
    }

    fn transforms(&self, rng: &mut Rng) -> Vec<MaskedTransform> {
        let mut transform = || MaskedTransform {
            axes: if self.aligned { IDENTITY } else { rng.axes() },
            near: rng.vector(),
            far: rng.vector(),
        };
        self.ends().iter().map(|_| transform()).collect()
    }

    fn masked(&self, transforms: &[MaskedTransform]) -> (Structure, Blocks) {
        let mut s = Structure::new();
        for _ in 0..3 {
            s.primal(6);
        }
        for (near, far) in self.ends() {
            s.masked(self.mask, self.aligned, near, Some(far));
        }
        let mut blocks = Blocks::new(&s);
        fill_diagonals(&s, &mut blocks, &mut Rng(8));
        blocks.transforms.copy_from_slice(transforms);
        (s, blocks)
    }

    /// The same numbers in dense links, from the definition and not from the crate.
    fn dense(&self, transforms: &[MaskedTransform]) -> (Structure, Blocks) {
        let mut s = Structure::new();
        for _ in 0..3 {
            s.primal(6);
        }
        let mut links: Vec<(LinkId, Vec<f64>)> = Vec::new();
        for ((near, far), transform) in self.ends().into_iter().zip(transforms) {
            let dual = s.dual(self.mask.count());
            if let Some(near) = near {
                let rows = masked_rows(self.mask, &transform.axes, transform.near).concat();
                links.push((s.link(dual, near), rows.iter().map(|v| -v).collect()));
            }
            links.push((s.link(dual, far), masked_rows(self.mask, &transform.axes, transform.far).concat()));
        }
        let mut blocks = Blocks::new(&s);
        fill_diagonals(&s, &mut blocks, &mut Rng(8));
        for (link, values) in links {
            blocks.link_mut(link).copy_from_slice(&values);
        }
        (s, blocks)
    }
}

#[test]
fn the_matrix_is_the_same() {
    let mut rng = Rng(6);
    for case in cases() {
        let transforms = case.transforms(&mut rng);
        let (s, blocks) = case.masked(&transforms);
        let (s_dense, blocks_dense) = case.dense(&transforms);
        let error =
            difference(&Matrix::assemble(&s, &blocks).values, &Matrix::assemble(&s_dense, &blocks_dense).values);
        assert!(error <= 1e-15, "{case:?}: difference {error:e}");
    }
}

/// For every mask, and every root: the child of a dual is then its near node in some cases, its far one in others.
#[test]
fn the_answer_is_the_same() {
    let mut rng = Rng(7);
    for case in cases() {
        let transforms = case.transforms(&mut rng);
        let (s, blocks) = case.masked(&transforms);
        let (s_dense, blocks_dense) = case.dense(&transforms);
        let matrix = Matrix::assemble(&s, &blocks);
        let rhs = rng.list(matrix.n);
        for root in 0..s.n_nodes() {
            let with_root = |s: &Structure| {
                let mut s = s.clone();
                s.prefer_root(Node(root as u32));
                s
            };
            let x = solve(&with_root(&s), &blocks, &rhs);
            let y = solve(&with_root(&s_dense), &blocks_dense, &rhs);
            for (form, residual) in [("masked", matrix.residual(&x, &rhs)), ("dense", matrix.residual(&y, &rhs))] {
                assert!(residual <= 1e-10, "{case:?}, root {root}: {form} residual {residual:e}");
            }
            let error = difference(&x, &y);
            assert!(error <= 1e-10, "{case:?}, root {root}: difference {error:e}");
        }
    }
}

/// Three rows and more go through the free directions, fewer through the rows.
#[test]
fn the_number_of_rows_decides_the_form() {
    let mut rng = Rng(9);
    for case in cases() {
        let (mut s, blocks) = case.masked(&case.transforms(&mut rng));
        s.prefer_root(Node(if case.hung { 5 } else { 0 }));
        let plan = s.plan(&blocks).expect("a tree");
        let form = if case.mask.count() >= 3 { PivotForm::Free } else { PivotForm::Rows };
        for dual in 3..s.n_nodes() {
            assert_eq!(plan.form(Node(dual as u32)), form, "{case:?}, dual {dual}");
        }
    }
}
