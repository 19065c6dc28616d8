//! The promise that a block has the form `[a 1, 0; 0, C]` changes the kernel, never the answer; nor does solving in the same sweep.

mod common;

use common::rng::Rng;
use holonom_tree::{Blocks, Mask, Node, Structure};

/// A random tree of blocks of size 6 joined by masked duals; with `dense`, some rows are dense so that fronts write to shifted blocks.
fn tree(g: &mut Rng, promise: bool, dense: bool, n: usize) -> (Structure, Blocks) {
    let mut s = Structure::new();
    let nodes: Vec<Node> = (0..n).map(|_| s.primal(6)).collect();
    let masks = [0b000_111, 0b011_111, 0b111_011, 0b111_111, 0b011_011, 0b100_111, 0b011_100, 0b000_011, 0b000_100];
    let mut links = Vec::new();
    for i in 1..n {
        let (near, far) = (nodes[g.below(i)], nodes[i]);
        if dense && g.below(4) == 0 {
            let row = s.dual(2);
            links.push(s.link(row, near));
            links.push(s.link(row, far));
        } else {
            let mask = Mask(masks[g.below(masks.len())]);
            let aligned = g.below(2) == 0;
            if g.below(2) == 0 {
                s.masked(mask, aligned, Some(near), Some(far))
            } else {
                s.masked(mask, aligned, Some(far), Some(near))
            };
        }
    }
    if promise {
        nodes.iter().for_each(|&node| s.central(node));
    }
    let mut b = Blocks::new(&s);
    for &node in &nodes {
        let a = 1.0 + 0.5 * g.unit();
        let c = [
            1.5 + 0.5 * g.unit(),
            0.2 * g.unit(),
            0.2 * g.unit(),
            1.5 + 0.5 * g.unit(),
            0.2 * g.unit(),
            1.5 + 0.5 * g.unit(),
        ];
        let d = b.diagonal_mut(node);
        if promise {
            d[0] = a;
            d[1..].copy_from_slice(&c);
        } else {
            (d[0], d[6], d[11]) = (a, a, a);
            d[15..].copy_from_slice(&c);
        }
    }
    for link in links {
        b.link_mut(link).iter_mut().for_each(|x| *x = g.unit());
    }
    for transform in &mut b.transforms {
        let turn = 3.0 * g.unit();
        let (c, sn) = (turn.cos(), turn.sin());
        transform.axes = [[c, sn, 0.0], [-sn, c, 0.0], [0.0, 0.0, 1.0]];
        transform.near = [g.unit(), g.unit(), g.unit()];
        transform.far = [g.unit(), g.unit(), g.unit()];
    }
    (s, b)
}

#[test]
fn the_promise_changes_nothing() {
    for seed in 0..300 {
        for dense in [false, true] {
            let n = 1 + seed as usize % 12;
            let (s, b) = tree(&mut Rng(seed), false, dense, n);
            let (sc, bc) = tree(&mut Rng(seed), true, dense, n);
            let (plan, plan_c) = (s.plan(&b).expect("a forest"), sc.plan(&bc).expect("a forest"));
            let (mut f, mut fc) = (plan.new_factor(), plan_c.new_factor());
            plan.factor(&b, &mut f).expect("regular");
            plan_c.factor(&bc, &mut fc).expect("regular");
            let mut x = Rng(seed + 1000).list(plan.len());
            let mut xc = x.clone();
            plan.solve(&mut f, &mut x);
            plan_c.solve(&mut fc, &mut xc);
            let size = x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
            let error = x.iter().zip(&xc).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / size;
            assert!(error < 1e-11, "seed {seed}, dense {dense}: {error:e}");
        }
    }
}

#[test]
fn one_sweep_gives_the_same_bits() {
    for seed in 0..100 {
        let (s, b) = tree(&mut Rng(seed), true, true, 1 + seed as usize % 20);
        let plan = s.plan(&b).expect("a forest");
        let mut f = plan.new_factor();
        plan.factor(&b, &mut f).expect("regular");
        let mut x = Rng(seed).list(plan.len());
        let mut y = x.clone();
        plan.solve(&mut f, &mut x);
        let mut f2 = plan.new_factor();
        plan.factor_and_solve(&b, &mut f2, &mut y).expect("regular");
        assert_eq!(x, y, "seed {seed}");
        let mut z = Rng(seed).list(plan.len());
        plan.solve(&mut f2, &mut z);
        assert_eq!(x, z, "seed {seed}: the factor is good for more");
    }
}
