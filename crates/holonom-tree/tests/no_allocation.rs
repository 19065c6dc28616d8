//! Factor and solve must not touch the allocator. Alone in its file, because the count is that of the whole process.

mod common;

use common::forest::{Forest, Step};
use common::rng::Rng;
use holonom_tree::{Blocks, PivotForm, Structure};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, Stats, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static COUNTING: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// The quietest of ten rounds: what the code itself allocates it allocates every time, the test harness only now and then.
fn quietest(structure: &Structure, blocks: &Blocks) -> Stats {
    let plan = structure.plan(blocks).expect("a forest");
    let mut factor = plan.new_factor();
    let rhs = Rng(3).list(plan.len());
    let rounds = (0..10).map(|_| {
        let mut x = rhs.clone();
        let region = Region::new(COUNTING);
        plan.factor(blocks, &mut factor).expect("full rank");
        plan.solve(&mut factor, &mut x);
        region.change()
    });
    rounds.min_by_key(|stats| stats.allocations + stats.reallocations + stats.deallocations).expect("ten rounds")
}

/// Steps that make every kind of pivot.
fn mixed_steps(n: usize) -> Vec<Step> {
    let mut rng = Rng(9);
    let mut step = || {
        let to = rng.below(1000);
        match rng.below(4) {
            0 => Step::Dense { rows: rng.below(5), to, fresh: vec![3; rng.below(3)] },
            1 => Step::Masked { mask: 0b111, aligned: true, to, fresh_is_far: true },
            2 => Step::Masked { mask: rng.below(64) as u8, aligned: false, to, fresh_is_far: false },
            _ => Step::Primal { size: 6 },
        }
    };
    (0..n).map(|_| step()).collect()
}

#[test]
fn factor_and_solve_allocate_nothing() {
    let (structure, blocks) = common::masked_tree(10_000, |i| i - 1, 1);
    assert_eq!(quietest(&structure, &blocks), Stats::default(), "chain");

    let mixed = Forest::grow(&mixed_steps(300), 4).in_order();
    let plan = mixed.structure.plan(&mixed.blocks).expect("a forest");
    for form in [PivotForm::Rows, PivotForm::Free, PivotForm::Deferred] {
        let found = mixed.nodes.iter().any(|&node| plan.form(node) == form);
        assert!(found, "the mixed forest has no pivot of form {form:?}");
    }
    assert_eq!(quietest(&mixed.structure, &mixed.blocks), Stats::default(), "mixed forest");
}
