//! One evaluation in exactly defined random states, against accelerations from an independent dense solve in joint coordinates.

use holonom::prelude::*;
use holonom_cases::{forward_dynamics, tree_case};

#[test]
fn accelerations_match_the_reference() {
    for name in ["a16", "a128", "b16", "b128", "c128", "d127"] {
        let reference = forward_dynamics(name).expect("a case with a reference");
        let model = tree_case(name).expect("a known case").builder().build().expect("a valid case");
        assert_eq!(model.n_rows(), reference.multipliers, "{name}");
        let sim = Simulation::new(model);
        let error = reference.error(&sim.accelerations().expect("regular"));
        let residual = sim.residual().expect("regular").largest();
        println!("{name}: error {error:.2e}, residual {residual:.2e}");
        assert!(error < 1e-9, "{name}: error {error:e}");
        assert!(residual < 1e-10, "{name}: residual {residual:e}");
    }
}
