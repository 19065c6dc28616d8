//! One evaluation in exactly defined random states, against accelerations from an independent dense solve in joint coordinates.

use holonom::prelude::*;
use holonom_cases::tree_case;

#[test]
fn accelerations_match_the_reference() {
    let reference: serde_json::Value =
        serde_json::from_str(include_str!("data/forward-dynamics.json")).expect("valid reference file");
    for name in ["a16", "a128", "b16", "b128", "c128", "d127"] {
        let model = tree_case(name).expect("known case").builder().build().expect("valid case");
        let mut sim = Simulation::new(model);
        let rows = sim.model().n_rows();
        assert_eq!(rows as u64, reference[name]["multipliers"].as_u64().expect("a count"), "{name}");
        let expected: Vec<f64> = reference[name]["body_acc"]
            .as_array()
            .expect("a list")
            .iter()
            .flat_map(|b| b.as_array().expect("six numbers").iter().map(|x| x.as_f64().expect("a number")))
            .collect();
        let found = sim.accelerations().expect("regular").to_vec();
        let largest = expected.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let error = expected.iter().zip(&found).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / largest;
        let residual = sim.residual().expect("regular").largest();
        println!("{name}: error {error:.2e}, residual {residual:.2e}");
        assert!(error < 1e-9, "{name}: error {error:e}");
        assert!(residual < 1e-10, "{name}: residual {residual:e}");
    }
}
