//! Once a solver has seen a problem, it allocates nothing for another of that size.

mod common;
mod pivoting;

use common::{Random, heap, tower};
use holonom_lcp::{ComplementarityLaw as Law, MatrixFreeConeSolver, MatrixOperator};
use pivoting::{Method, Solver};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};
use std::alloc::System;

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

#[test]
fn nothing_is_allocated_once_warm() {
    let mut solver = Solver::default();
    let mut pile = MatrixFreeConeSolver::new();
    let problems = [heap(&mut Random(1), 4, 3.0, 0.5), tower(4, 1.0, 0.3, 1.0, 0.2), heap(&mut Random(2), 4, 1.0, 0.9)];
    let mut plain = problems.clone();
    for owned in &mut plain {
        owned.laws = vec![Law::Push; owned.len()];
    }
    let mut x = vec![0.0; 64];
    let mut counted = 0;
    for round in 0..2 {
        let region = Region::new(GLOBAL);
        for owned in problems.iter().chain(&plain) {
            let n = owned.len();
            for method in Method::ALL {
                x[..n].fill(0.0);
                let _ = solver.solve(method, &owned.problem(), &mut x[..n]);
            }
            x[..n].fill(0.0);
            // the diagonal need not be exact: it only sets the units
            let _ = pile.solve(
                &mut MatrixOperator { a: &owned.a, n },
                &owned.a[..n].iter().map(|_| 1.0).collect::<Box<[f64]>>(),
                &owned.b,
                &owned.laws,
                &mut x[..n],
            );
        }
        counted = region.change().allocations;
        assert!(round == 1 || counted > 0);
    }
    // the six diagonals made above
    assert_eq!(counted, 6);
}
