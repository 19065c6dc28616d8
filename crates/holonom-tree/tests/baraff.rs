//! The plan against Baraff's procedures as he printed them.

mod common;

use common::dense::{Matrix, difference};
use common::forest::{Forest, Step};
use common::rng::Rng;
use holonom_tree::{Baraff, Blocks, Mask, Node, PivotForm, PlanError, Structure};

/// A random step of growth: nodes of several sizes, dense and masked rows, ends tied to the outside.
fn step(rng: &mut Rng) -> Step {
    let to = rng.below(1000);
    let size = |rng: &mut Rng| [6, 6, 3, 3, 1 + rng.below(12)][rng.below(5)];
    match rng.below(10) {
        0 => Step::Primal { size: size(rng) },
        1..=3 => {
            let fresh = (0..rng.below(3)).map(|_| size(rng)).collect();
            Step::Dense { rows: rng.below(4), to, fresh }
        }
        4 => Step::Hung { mask: rng.below(64) as u8, aligned: rng.below(2) == 0, to, is_far: rng.below(2) == 0 },
        _ => {
            Step::Masked { mask: rng.below(64) as u8, aligned: rng.below(2) == 0, to, fresh_is_far: rng.below(2) == 0 }
        }
    }
}

/// Where no dual is deferred, both eliminate through the same blocks and give the same answer. Where there are cycles, or rows that need what
/// is above them, Baraff's order refuses.
#[test]
fn the_plan_agrees_with_the_paper() {
    let mut rng = Rng(1996);
    let (mut compared, mut refused, mut worst) = (0, 0, 0.0f64);
    for seed in 0..2000 {
        let steps: Vec<Step> = (0..1 + rng.below(16)).map(|_| step(&mut rng)).collect();
        let problem = Forest::grow(&steps, seed).in_order();
        let (s, blocks) = (&problem.structure, &problem.blocks);
        let plan = s.plan(blocks).expect("a forest");
        let deferred = (0..s.n_nodes()).any(|i| plan.form(Node(i as u32)) == PivotForm::Deferred);
        let mut baraff = match Baraff::new(s, blocks) {
            Ok(baraff) => baraff,
            Err(PlanError::Cycle(_)) => {
                assert!(plan.has_loops(), "seed {seed}: no cycle to be seen");
                continue;
            }
            Err(e) => {
                assert!(deferred, "seed {seed}: {e}, and nothing is deferred");
                refused += 1;
                continue;
            }
        };
        assert!(!plan.has_loops(), "seed {seed}: a cycle was overlooked");
        if deferred {
            continue;
        }
        // other values than those of the sample
        let mut blocks = blocks.clone();
        common::fill_diagonals(s, &mut blocks, &mut rng);
        let z = rng.list(problem.len());
        let (mut x, mut y) = (z.clone(), z.clone());
        baraff.factor(&blocks).expect("full rank");
        baraff.solve(&mut x);
        let mut factor = plan.new_factor();
        plan.factor(&blocks, &mut factor).expect("full rank");
        plan.solve(&mut factor, &mut y);
        worst = worst.max(difference(&y, &x));
        let residual = Matrix::assemble(s, &blocks).residual(&x, &z);
        assert!(residual <= 1e-10, "seed {seed}: residual {residual:e}");
        assert!(worst <= 1e-9, "seed {seed}: difference {worst:e}");
        compared += 1;
    }
    println!("{compared} forests compared, {refused} refused; largest difference {worst:.1e}");
    assert!(compared > 500 && refused > 20, "{compared} compared, {refused} refused");
}

/// Two single links on one tree close a cycle through the outside; rows that a node cannot tell apart have no pivot there.
#[test]
fn what_the_paper_has_no_order_for_is_refused() {
    let mut s = Structure::new();
    let node = s.primal(6);
    s.masked(Mask::FIRST_THREE, true, None, Some(node));
    s.masked(Mask::FIRST_THREE, true, Some(node), None);
    assert!(matches!(Baraff::new(&s, &Blocks::new(&s)), Err(PlanError::Cycle(_))));

    let mut s = Structure::new();
    let (small, large) = (s.primal(1), s.primal(2));
    let dual = s.dual(2);
    let (to_small, to_large) = (s.link(dual, small), s.link(dual, large));
    let mut blocks = Blocks::new(&s);
    blocks.diagonal_mut(small)[0] = 1.0;
    blocks.diagonal_mut(large).copy_from_slice(&[1.0, 0.0, 1.0]);
    blocks.link_mut(to_small).copy_from_slice(&[1.0, 1.0]);
    blocks.link_mut(to_large).copy_from_slice(&[1.0, 0.0, 0.0, 1.0]);
    assert!(Baraff::new(&s, &blocks).is_ok(), "the small node as the root");
    s.prefer_root(large);
    assert!(matches!(Baraff::new(&s, &blocks), Err(PlanError::Dependent(d)) if d == dual));

    // rounding errors are not rows: nothing is left of the dual in what hangs below it
    let mut s = Structure::new();
    let (below, root) = (s.primal(2), s.primal(1));
    let dual = s.dual(1);
    let (to_below, to_root) = (s.link(dual, below), s.link(dual, root));
    s.prefer_root(root);
    let mut blocks = Blocks::new(&s);
    blocks.diagonal_mut(below).copy_from_slice(&[1.0, 0.0, 1.0]);
    blocks.diagonal_mut(root)[0] = 1.0;
    blocks.link_mut(to_root)[0] = 1.0;
    blocks.link_mut(to_below).copy_from_slice(&[0.0, -3.5e-18]);
    assert!(matches!(Baraff::new(&s, &blocks), Err(PlanError::Dependent(d)) if d == dual));
    blocks.link_mut(to_below).copy_from_slice(&[0.0, 0.5]);
    assert!(Baraff::new(&s, &blocks).is_ok());
}
