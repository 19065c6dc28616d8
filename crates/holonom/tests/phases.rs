//! The phases one by one give what one evaluation gives.

use holonom::{SolverKind, Workspace, phases};
use holonom_cases::{SEED, tree_case};

#[test]
fn phases_add_up_to_one_evaluation() {
    for name in ["a16", "b16", "c128", "d127"] {
        let case = tree_case(name).expect("known case");
        let model = case.builder().build().expect("valid case");
        for state in [model.initial_state().clone(), case.state(&model, SEED + 1)] {
            for solver in SolverKind::NAMES.iter().filter_map(|n| SolverKind::from_name(n)) {
                let (mut once, mut parts) = (Workspace::new(&model, solver), Workspace::new(&model, solver));
                phases::accelerations(&model, &state, &mut once).expect("regular");
                phases::equations(&model, &state, &mut parts);
                phases::factor(&model, &state, &mut parts).expect("regular");
                phases::solve(&model, &state, &mut parts).expect("regular");
                let size = once.accelerations().iter().fold(0.0, |m: f64, x| m.max(x.abs()));
                let pairs = once.accelerations().iter().zip(parts.accelerations());
                let apart = pairs.fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / size;
                assert!(apart < 1e-12, "{name}, {}: {apart:e}", solver.name());
            }
        }
    }
}
