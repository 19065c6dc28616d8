//! Graphs with cycles against a dense solver: random ones, and nets with many cycles at once.

mod common;

use common::dense::{Matrix, difference};
use common::forest::{Forest, Item, Problem, Step};
use common::rng::Rng;
use common::{IDENTITY, offsets};
use holonom_tree::{Blocks, Mask, MaskedTransform, Node, PivotForm, PivotRule, Structure};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

/// A dual added to a forest, between nodes that are there already. Indices are taken modulo the number of candidates.
#[derive(Clone, Debug)]
enum Extra {
    Dense { rows: usize, ends: Vec<usize> },
    Masked { mask: u8, aligned: bool, near: usize, far: usize },
}

fn size() -> impl Strategy<Value = usize> {
    prop_oneof![6 => Just(6usize), 3 => Just(3), 1 => 1..=12usize]
}

fn step() -> impl Strategy<Value = Step> {
    let to = 0..1000usize;
    prop_oneof![
        1 => size().prop_map(|size| Step::Primal { size }),
        3 => (0..=3usize, to.clone(), prop::collection::vec(size(), 1..=2))
            .prop_map(|(rows, to, fresh)| Step::Dense { rows, to, fresh }),
        5 => (prop_oneof![Just(0b111u8), Just(0b11111), 0..64u8], any::<bool>(), to.clone(), any::<bool>())
            .prop_map(|(mask, aligned, to, fresh_is_far)| Step::Masked { mask, aligned, to, fresh_is_far }),
        1 => (0..64u8, any::<bool>(), to, any::<bool>())
            .prop_map(|(mask, aligned, to, is_far)| Step::Hung { mask, aligned, to, is_far }),
    ]
}

fn extra() -> impl Strategy<Value = Extra> {
    prop_oneof![
        1 => (1..=3usize, prop::collection::vec(0..1000usize, 1..=4)).prop_map(|(rows, ends)| Extra::Dense { rows, ends }),
        1 => (prop_oneof![Just(0b111u8), Just(0b1u8), 0..64u8], any::<bool>(), 0..1000usize, 0..1000usize)
            .prop_map(|(mask, aligned, near, far)| Extra::Masked { mask, aligned, near, far }),
    ]
}

fn close(forest: &mut Forest, extra: &[Extra], rng: &mut Rng) {
    let size = |item: &Item| if let Item::Primal { size, .. } = item { Some(*size) } else { None };
    let primals: Vec<(usize, usize)> =
        forest.items.iter().enumerate().filter_map(|(i, item)| size(item).map(|n| (i, n))).collect();
    let sixes: Vec<usize> = primals.iter().filter(|p| p.1 == 6).map(|p| p.0).collect();
    for e in extra {
        match e {
            Extra::Dense { rows, ends } if !primals.is_empty() => {
                let mut ends: Vec<usize> = ends.iter().map(|e| e % primals.len()).collect();
                ends.sort_unstable();
                ends.dedup();
                let links = ends.iter().map(|&e| (primals[e].0, rng.list(rows * primals[e].1))).collect();
                forest.items.push(Item::Dense { rows: *rows, links });
            }
            Extra::Masked { mask, aligned, near, far } if sixes.len() > 1 => {
                let (near, far) = (near % sixes.len(), far % sixes.len());
                let near = (near != far).then_some(sixes[near]);
                let axes = if *aligned { [[f64::NAN; 3]; 3] } else { rng.axes() };
                let transform = MaskedTransform { axes, near: rng.vector(), far: rng.vector() };
                forest.items.push(Item::Masked {
                    mask: Mask(*mask),
                    aligned: *aligned,
                    near,
                    far: Some(sixes[far]),
                    transform,
                });
            }
            _ => {}
        }
    }
}

/// How well conditioned is `J D^-1 J^T`? Smallest over largest pivot of its factors, rows scaled.
fn condition(problem: &Problem) -> f64 {
    let s = &problem.structure;
    let m = Matrix::assemble(s, &problem.blocks);
    let at = offsets(s);
    let rows = |dual: bool| {
        (0..s.n_nodes())
            .filter(move |&i| s.is_dual(Node(i as u32)) == dual)
            .flat_map(|i| at[i]..at[i + 1])
            .collect::<Vec<_>>()
    };
    let (primal, dual) = (rows(false), rows(true));
    let mut d = Matrix { n: primal.len(), values: vec![0.0; primal.len() * primal.len()] };
    for (a, &i) in primal.iter().enumerate() {
        for (b, &j) in primal.iter().enumerate() {
            d.values[a * d.n + b] = m.values[i * m.n + j];
        }
    }
    let n = dual.len();
    let mut a = vec![0.0; n * n];
    for (r, &i) in dual.iter().enumerate() {
        let row: Vec<f64> = primal.iter().map(|&j| m.values[i * m.n + j]).collect();
        let y = d.solve(&row);
        for (c, &k) in dual.iter().enumerate() {
            a[r * n + c] = primal.iter().zip(&y).map(|(&j, y)| m.values[k * m.n + j] * y).sum();
        }
    }
    let scale: Vec<f64> = (0..n).map(|i| a[i * n + i]).collect();
    let mut worst = 1.0f64;
    for k in 0..n {
        let pivot = a[k * n + k];
        worst = worst.min(pivot / scale[k]);
        if !(pivot > 1e-8 * scale[k]) {
            return 0.0;
        }
        for i in k + 1..n {
            let l = a[i * n + k] / pivot;
            for j in k..n {
                a[i * n + j] -= l * a[k * n + j];
            }
        }
    }
    worst
}

fn config() -> ProptestConfig {
    let default = ProptestConfig::default();
    ProptestConfig { cases: 8 * default.cases, rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..default }
}

proptest! {
    #![proptest_config(config())]

    /// Factors of twice the precision, of all components or of some, solve what the usual ones do; the others are left
    /// alone.
    #[test]
    fn extended_factors_agree_with_dense_elimination(
        steps in prop::collection::vec(step(), 2..=14), extra in prop::collection::vec(extra(), 0..=4), seed in any::<u64>()
    ) {
        let mut forest = Forest::grow(&steps, seed);
        close(&mut forest, &extra, &mut Rng(!seed));
        let problem = forest.in_order();
        prop_assume!(condition(&problem) > 1e-6);
        let matrix = Matrix::assemble(&problem.structure, &problem.blocks);
        let rhs = Rng(5).list(matrix.n);
        let reference = matrix.solve(&rhs);
        let Ok(plan) = problem.structure.plan(&problem.blocks) else { return Ok(()) };
        let mut extended = plan.new_extended(|_| true);
        plan.factor_extended(&problem.blocks, &mut plan.new_factor(), &mut extended).expect("full rank");
        let mut x = vec![f64::NAN; matrix.n];
        plan.solve_extended(&problem.blocks, &mut extended, &rhs, &mut x);
        let residual = matrix.residual(&x, &rhs);
        prop_assert!(residual <= 1e-14, "residual {residual:e}");
        let error = difference(&x, &reference);
        prop_assert!(error <= 1e-8, "difference {error:e}");
    }

    #[test]
    fn random_graphs_agree_with_dense_elimination(
        steps in prop::collection::vec(step(), 2..=14), extra in prop::collection::vec(extra(), 1..=4), seed in any::<u64>()
    ) {
        let mut forest = Forest::grow(&steps, seed);
        close(&mut forest, &extra, &mut Rng(!seed));
        let problem = forest.in_order();
        prop_assume!(condition(&problem) > 1e-6);
        let matrix = Matrix::assemble(&problem.structure, &problem.blocks);
        let rhs = Rng(5).list(matrix.n);
        let reference = matrix.solve(&rhs);
        let x = common::solve(&problem.structure, &problem.blocks, &rhs);
        let error = difference(&x, &reference);
        prop_assert!(error <= 1e-9, "difference {error:e}");

        // another numbering, the same answer
        let mut order: Vec<usize> = (0..forest.items.len()).collect();
        Rng(seed ^ 0xabc).shuffle(&mut order);
        let other = forest.declare(&order);
        let y = common::solve(&other.structure, &other.blocks, &other.by_node(&problem.by_item(&rhs)));
        let error = difference(&other.by_item(&y), &problem.by_item(&reference));
        prop_assert!(error <= 1e-9, "renumbered: difference {error:e}");
    }

    #[test]
    fn half_a_solve_gives_products(
        steps in prop::collection::vec(step(), 2..=14), extra in prop::collection::vec(extra(), 0..=2), seed in any::<u64>()
    ) {
        let mut forest = Forest::grow(&steps, seed);
        close(&mut forest, &extra, &mut Rng(!seed));
        let problem = forest.in_order();
        prop_assume!(condition(&problem) > 1e-6);
        let s = &problem.structure;
        let at = offsets(s);
        let plan = s.plan(&problem.blocks).unwrap();
        let mut factor = plan.new_factor();
        plan.factor(&problem.blocks, &mut factor).unwrap();
        let mut rng = Rng(3);
        let [a, b] = [0, 1].map(|_| {
            let mut v = rng.list(plan.len());
            for i in (0..s.n_nodes()).filter(|&i| s.is_dual(Node(i as u32))) {
                v[at[i]..at[i + 1]].fill(0.0);
            }
            v
        });
        let halves = [&a, &b].map(|v| {
            let mut half = vec![0.0; plan.forward_len()];
            plan.solve_forward(&mut factor, &mut v.clone(), &mut half);
            half
        });
        let product = plan.forward_product(&factor, &halves[0], &halves[1]);
        let mut x = b.clone();
        plan.solve(&mut factor, &mut x);
        let expected: f64 = a.iter().zip(&x).map(|(a, x)| a * x).sum();
        // the blocks are of size 1; a node that is held responds with rounding errors only
        let scale = common::rng::norm(&a) * common::rng::norm(&b);
        prop_assert!((product - expected).abs() <= 1e-10 * scale, "{product} instead of {expected}");
    }

    #[test]
    fn half_solves_along_paths_are_those_of_whole_sweeps(
        steps in prop::collection::vec(step(), 2..=14), extra in prop::collection::vec(extra(), 0..=3), seed in any::<u64>()
    ) {
        let mut forest = Forest::grow(&steps, seed);
        close(&mut forest, &extra, &mut Rng(!seed));
        let problem = forest.in_order();
        prop_assume!(condition(&problem) > 1e-6);
        let s = &problem.structure;
        let at = offsets(s);
        let plan = s.plan(&problem.blocks).unwrap();
        let mut factor = plan.new_factor();
        plan.factor(&problem.blocks, &mut factor).unwrap();
        let paths = plan.paths();
        let mut rng = Rng(seed ^ 0x5a5a);
        let primal: Vec<usize> = (0..s.n_nodes()).filter(|&i| !s.is_dual(Node(i as u32))).collect();
        // right-hand sides on one to three nodes, one of them perhaps twice
        let mut sides: Vec<(Vec<Node>, Vec<f64>)> = Vec::new();
        for k in 0..5 {
            let mut v = vec![0.0; plan.len()];
            let nodes: Vec<usize> =
                (0..1 + k % 3).map(|_| primal[(rng.list(1)[0].abs() * 1e6) as usize % primal.len()]).collect();
            for &i in &nodes {
                v[at[i]..at[i + 1]].copy_from_slice(&rng.list(at[i + 1] - at[i]));
            }
            sides.push((nodes.iter().map(|&i| Node(i as u32)).collect(), v));
        }
        let mut halves = holonom_tree::SparseHalves::default();
        let mut x = vec![0.0; plan.len()];
        for (nodes, v) in &sides {
            x.copy_from_slice(v);
            plan.solve_along(&paths, &mut factor, nodes.iter().copied(), &mut x, &mut halves);
            prop_assert!(x.iter().all(|x| *x == 0.0), "something is left");
        }
        for i in 0..sides.len() {
            let mut row = vec![0.0; i + 1];
            halves.write_products(i, &mut row);
            let mut x = sides[i].1.clone();
            plan.solve(&mut factor, &mut x);
            for (j, (_, v)) in sides[..=i].iter().enumerate() {
                let expected: f64 = v.iter().zip(&x).map(|(v, x)| v * x).sum();
                let scale = common::rng::norm(&sides[i].1) * common::rng::norm(v);
                prop_assert!((row[j] - expected).abs() <= 1e-10 * scale, "{} instead of {expected}", row[j]);
            }
        }
    }

    #[test]
    fn damped_rows_are_brought_back_by_refinement(
        steps in prop::collection::vec(step(), 2..=10), extra in prop::collection::vec(extra(), 1..=3), seed in any::<u64>()
    ) {
        let mut forest = Forest::grow(&steps, seed);
        close(&mut forest, &extra, &mut Rng(!seed));
        let problem = forest.in_order();
        prop_assume!(condition(&problem) > 1e-3);
        let matrix = Matrix::assemble(&problem.structure, &problem.blocks);
        let rhs = Rng(6).list(matrix.n);
        let plan = problem.structure.plan(&problem.blocks).unwrap();
        let mut factor = plan.new_factor();
        factor.set_rule(PivotRule::Damped { eps: 1e-8 });
        plan.factor(&problem.blocks, &mut factor).unwrap();
        let mut x = rhs.clone();
        plan.solve(&mut factor, &mut x);
        for _ in 0..3 {
            let mut rest = vec![0.0; x.len()];
            plan.residual(&problem.blocks, &mut factor, &x, &rhs, &mut rest);
            plan.solve(&mut factor, &mut rest);
            x.iter_mut().zip(&rest).for_each(|(x, r)| *x += r);
        }
        let error = difference(&x, &matrix.solve(&rhs));
        prop_assert!(error <= 1e-10, "difference {error:e}");
    }
}

/// Central nodes joined by aligned rows of three.
fn net(n: usize, joined: &[(Option<usize>, usize)], seed: u64) -> (Structure, Blocks) {
    let mut s = Structure::new();
    let nodes: Vec<Node> = (0..n).map(|_| s.primal(6)).collect();
    nodes.iter().for_each(|&node| s.central(node));
    for &(a, b) in joined {
        s.masked(Mask::FIRST_THREE, true, a.map(|a| nodes[a]), Some(nodes[b]));
    }
    let mut rng = Rng(seed);
    let mut blocks = Blocks::new(&s);
    for &node in &nodes {
        let d = blocks.diagonal_mut(node);
        d[0] = 1.5 + rng.unit();
        rng.definite(3, &mut d[1..]);
    }
    for transform in &mut blocks.transforms {
        *transform = MaskedTransform { axes: IDENTITY, near: rng.vector(), far: rng.vector() };
    }
    (s, blocks)
}

/// Residual of one solve of a random right-hand side.
fn residual(s: &Structure, blocks: &Blocks) -> f64 {
    let plan = s.plan(blocks).unwrap();
    let mut factor = plan.new_factor();
    plan.factor(blocks, &mut factor).unwrap();
    let rhs = Rng(9).list(plan.len());
    let (mut x, mut rest) = (rhs.clone(), rhs.clone());
    plan.solve(&mut factor, &mut x);
    plan.residual(blocks, &mut factor, &x, &rhs, &mut rest);
    let largest = |v: &[f64]| v.iter().fold(0.0, |m: f64, x| if x.abs() <= m { m } else { x.abs() });
    largest(&rest) / largest(&x)
}

fn grid(n: usize) -> (Structure, Blocks) {
    let at = |i: usize, j: usize| i * n + j;
    let mut joined = vec![(None, 0), (None, at(0, n - 1))];
    for i in 0..n {
        for j in 0..n {
            if i + 1 < n {
                joined.push((Some(at(i, j)), at(i + 1, j)));
            }
            if j + 1 < n {
                joined.push((Some(at(i, j)), at(i, j + 1)));
            }
        }
    }
    net(n * n, &joined, 4)
}

#[test]
fn rings_ladders_and_grids_keep_their_digits() {
    let ring: Vec<_> = (0..640).map(|i| (Some(i), (i + 1) % 640)).collect();
    let (s, blocks) = net(640, &ring, 1);
    let r = residual(&s, &blocks);
    assert!(r < 1e-12, "ring: residual {r:e}");
    let plan = s.plan(&blocks).unwrap();
    assert!(plan.cost().largest <= 15, "ring: front {}", plan.cost().largest);
    for (n, front) in [(8, 70), (16, 130), (24, 220)] {
        let (s, blocks) = grid(n);
        let r = residual(&s, &blocks);
        let cost = s.plan(&blocks).unwrap().cost();
        assert!(r < 1e-11, "grid {n}: residual {r:e}");
        assert!(cost.largest <= front, "grid {n}: front {}", cost.largest);
    }
}

#[test]
fn a_hub_comes_after_its_duals() {
    // petals: two nodes each, joined to each other and both to the hub
    let flops = |n: usize| {
        let petal = |i: usize| [(Some(0), 2 * i + 1), (Some(2 * i + 1), 2 * i + 2), (Some(2 * i + 2), 0)];
        let (s, mut blocks) = net(2 * n + 1, &(0..n).flat_map(petal).collect::<Vec<_>>(), 3);
        // all petals alike, so that none of them happens to be weak
        for (k, three) in blocks.transforms.chunks_exact_mut(3).enumerate() {
            let angle = k as f64;
            let (x, y) = (angle.cos(), angle.sin());
            (three[0].near, three[0].far) = ([x, y, 0.0], [-0.5, 0.3, 0.1]);
            (three[1].near, three[1].far) = ([0.5, 0.2, -0.4], [0.1, -0.6, 0.3]);
            (three[2].near, three[2].far) = ([-0.2, 0.5, 0.4], [y, x, 0.5]);
        }
        let r = residual(&s, &blocks);
        assert!(r < 1e-11, "{n} petals: residual {r:e}");
        s.plan(&blocks).unwrap().cost().factor_flops
    };
    let (few, many) = (flops(100), flops(1000));
    let exponent = (many / few).log10();
    assert!(exponent < 1.02, "flops grow with the power {exponent}");
}

#[test]
fn duals_that_are_weak_without_the_hub_wait_for_it() {
    // a wheel: with the hub held still, spokes and rim take every freedom the rim has, and pivots fall to 1e-6
    let n = 100;
    let mut joined: Vec<_> = (1..=n).map(|i| (Some(0), i)).collect();
    joined.extend((1..=n).map(|i| (Some(i), i % n + 1)));
    let (s, blocks) = net(n + 1, &joined, 3);
    let plan = s.plan(&blocks).unwrap();
    let mut factor = plan.new_factor();
    plan.factor(&blocks, &mut factor).unwrap();
    let (_, weakest) = plan.smallest_dual_pivot(&blocks, &factor).unwrap();
    assert!(weakest > 1e-4, "weakest pivot {weakest:e}");
    assert!(residual(&s, &blocks) < 1e-12);
}

#[test]
fn the_forest_around_cycles_is_peeled() {
    // a triangle with a tail of four
    let (s, blocks) =
        net(7, &[(Some(0), 1), (Some(1), 2), (Some(2), 0), (Some(2), 3), (Some(3), 4), (Some(4), 5), (Some(5), 6)], 8);
    let plan = s.plan(&blocks).unwrap();
    let forms: Vec<PivotForm> = (7..14).map(|i| plan.form(Node(i))).collect();
    assert_eq!(forms[..3], [PivotForm::Core; 3]);
    assert_eq!(forms[3..], [PivotForm::Free; 4]);
    assert!(residual(&s, &blocks) < 1e-13);
}
