//! Deep ball chains, where a recursion that lets a symmetric block drift apart loses everything: the tree solver, which eliminates from the
//! free end, against band Cholesky of `J M^-1 J^T`, which eliminates bodies first and shares no code with it.

use holonom::prelude::*;
use holonom_cases::tree_case;

#[test]
fn two_factorisations_agree() {
    for name in ["a128", "a1024", "a8192", "b1024", "b8192"] {
        let case = tree_case(name).expect("a known case");
        let tree = Simulation::build(case.builder()).expect("a valid chain");
        let mut banded = Simulation::build(case.builder()).expect("a valid chain");
        banded.set_solver(SolverKind::Banded).expect("it applies");
        let a = tree.accelerations().expect("regular");
        let b = banded.accelerations().expect("regular");
        let size = b.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let error = a.iter().zip(b).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs())) / size;
        let residual = tree.residual().expect("regular").largest();
        println!("{name}: disagreement {error:.2e}, residual {residual:.2e}");
        assert!(error < 1e-9, "{name}: {error:e}");
        assert!(residual < 1e-10, "{name}: {residual:e}");
    }
}
