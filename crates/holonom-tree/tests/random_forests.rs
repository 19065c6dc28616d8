//! Random forests against a dense solver.

mod common;

use common::dense::{Matrix, difference};
use common::forest::{Forest, Problem, Step};
use common::rng::Rng;
use holonom_tree::Node;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

fn size() -> impl Strategy<Value = usize> {
    prop_oneof![4 => Just(6usize), 4 => Just(3), 2 => 1..=12usize]
}

fn step() -> impl Strategy<Value = Step> {
    let to = 0..1000usize;
    prop_oneof![
        1 => size().prop_map(|size| Step::Primal { size }),
        4 => (0..=4usize, to.clone(), prop::collection::vec(size(), 0..=3))
            .prop_map(|(rows, to, fresh)| Step::Dense { rows, to, fresh }),
        4 => (0..64u8, any::<bool>(), to.clone(), any::<bool>())
            .prop_map(|(mask, aligned, to, fresh_is_far)| Step::Masked { mask, aligned, to, fresh_is_far }),
        // three rows without a turn have a kernel of their own
        2 => (any::<bool>(), to.clone(), any::<bool>())
            .prop_map(|(aligned, to, fresh_is_far)| Step::Masked { mask: 0b111, aligned, to, fresh_is_far }),
        1 => (0..64u8, any::<bool>(), to, any::<bool>())
            .prop_map(|(mask, aligned, to, is_far)| Step::Hung { mask, aligned, to, is_far }),
    ]
}

/// How a forest grows. The forest itself is made inside the tests: a failure then prints this, not a page of numbers.
fn steps(most: usize) -> impl Strategy<Value = (Vec<Step>, u64)> {
    (prop::collection::vec(step(), 1..=most), any::<u64>())
}

fn rhs(n: usize) -> Vec<f64> {
    Rng(n as u64).list(n)
}

fn solve(problem: &Problem, rhs: &[f64]) -> Vec<f64> {
    common::solve(&problem.structure, &problem.blocks, rhs)
}

/// The same cases on every run. Eight times the usual number, which the variable PROPTEST_CASES can raise: they are small.
fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: 8 * default.cases, rng_seed: RngSeed::Fixed(7), failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn agrees_with_dense_elimination((steps, seed) in steps(16)) {
        let forest = Forest::grow(&steps, seed);
        let problem = forest.in_order();
        let matrix = Matrix::assemble(&problem.structure, &problem.blocks);
        let rhs = rhs(matrix.n);
        let x = solve(&problem, &rhs);
        let residual = matrix.residual(&x, &rhs);
        prop_assert!(residual <= 1e-10, "residual {residual:e}");
        let error = difference(&x, &matrix.solve(&rhs));
        prop_assert!(error <= 1e-9, "difference {error:e}");
    }

    #[test]
    fn components_come_out_the_same_on_their_own((steps, seed) in steps(16)) {
        let problem = Forest::grow(&steps, seed).in_order();
        let structure = &problem.structure;
        let n = structure.n_nodes();
        // every node takes the least number of those it is linked with, until nothing changes
        let mut component: Vec<usize> = (0..n).collect();
        for _ in 0..n {
            for (dual, primal) in structure.links() {
                let least = component[dual.index()].min(component[primal.index()]);
                (component[dual.index()], component[primal.index()]) = (least, least);
            }
        }
        let plan = structure.plan(&problem.blocks).expect("a forest");
        let wanted = |node: Node| component[node.index()].is_multiple_of(2);
        let rhs = rhs(plan.len());
        let (mut whole, mut part) = (rhs.clone(), rhs.clone());
        plan.factor_and_solve(&problem.blocks, &mut plan.new_factor(), &mut whole).expect("full rank");
        let any_loop = (0..n as u32).any(|i| wanted(Node(i)) && plan.in_core(Node(i)));
        let Some(own) = plan.part(wanted) else {
            prop_assert!(any_loop);
            return Ok(());
        };
        // what is left of other solutions in the factor is of no concern
        let mut factor = plan.new_factor();
        plan.factor(&problem.blocks, &mut factor).expect("full rank");
        plan.factor_and_solve_part(&own, &problem.blocks, &mut factor, &mut part).expect("full rank");
        let mut at = 0;
        for node in (0..n as u32).map(Node) {
            let range = at..at + structure.size(node);
            at = range.end;
            let right = if wanted(node) { &whole } else { &rhs };
            prop_assert_eq!(&part[range.clone()], &right[range]);
        }
    }

    #[test]
    fn any_root_gives_the_same_answer((steps, seed) in steps(10)) {
        let mut problem = Forest::grow(&steps, seed).in_order();
        let rhs = rhs(problem.len());
        let reference = solve(&problem, &rhs);
        let free_choice = problem.structure.clone();
        for &root in &problem.nodes {
            problem.structure = free_choice.clone();
            problem.structure.prefer_root(root);
            let plan = problem.structure.plan(&problem.blocks).expect("a forest");
            // several duals with a single link close cycles through the outside, and those have no root
            if !plan.has_loops() {
                prop_assert_eq!(plan.parent(root), None);
            }
            let error = difference(&solve(&problem, &rhs), &reference);
            prop_assert!(error <= 1e-9, "root {root:?}: difference {error:e}");
        }
    }

    #[test]
    fn numbering_does_not_matter((steps, seed) in steps(16), shuffle in any::<u64>()) {
        let forest = Forest::grow(&steps, seed);
        let problem = forest.in_order();
        let rhs = rhs(problem.len());
        let reference = problem.by_item(&solve(&problem, &rhs));
        let mut order: Vec<usize> = (0..forest.items.len()).collect();
        Rng(shuffle).shuffle(&mut order);
        let renumbered = forest.declare(&order);
        let x = solve(&renumbered, &renumbered.by_node(&problem.by_item(&rhs)));
        let error = difference(&renumbered.by_item(&x), &reference);
        prop_assert!(error <= 1e-9, "order {order:?}: difference {error:e}");
    }

    /// A plan is made once; the numbers change after that.
    #[test]
    fn a_plan_serves_other_values((steps, seed) in steps(12), values in any::<u64>()) {
        let problem = Forest::grow(&steps, seed).in_order();
        let plan = problem.structure.plan(&problem.blocks).expect("a forest");
        let mut factor = plan.new_factor();
        let mut rng = Rng(values);
        for _ in 0..3 {
            let mut blocks = problem.blocks.clone();
            common::fill_diagonals(&problem.structure, &mut blocks, &mut rng);
            plan.factor(&blocks, &mut factor).expect("full rank");
            let matrix = Matrix::assemble(&problem.structure, &blocks);
            let rhs = rng.list(matrix.n);
            let mut x = rhs.clone();
            plan.solve(&mut factor, &mut x);
            let error = difference(&x, &matrix.solve(&rhs));
            prop_assert!(error <= 1e-9, "difference {error:e}");
        }
    }

    /// Nothing of one matrix may be left in the factor of the next, also when the factorisation in between has failed.
    #[test]
    fn a_factor_can_be_used_again((steps, seed) in steps(12)) {
        let forest = Forest::grow(&steps, seed);
        let problem = forest.in_order();
        let rhs = rhs(problem.len());
        let plan = problem.structure.plan(&problem.blocks).expect("a forest");
        let mut factor = plan.new_factor();
        plan.factor(&problem.blocks, &mut factor).expect("full rank");
        let mut first = rhs.clone();
        plan.solve(&mut factor, &mut first);

        let mut broken = problem.blocks.clone();
        for &node in &problem.nodes {
            broken.diagonal_mut(node).fill(f64::NAN);
        }
        prop_assert!(plan.factor(&broken, &mut factor).is_err(), "a matrix of NaN has no factor");

        plan.factor(&problem.blocks, &mut factor).expect("full rank");
        for _ in 0..2 {
            let mut again = rhs.clone();
            plan.solve(&mut factor, &mut again);
            prop_assert_eq!(&again, &first);
        }
    }
}
