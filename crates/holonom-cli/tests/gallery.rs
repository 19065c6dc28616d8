//! Every scene of the gallery, as people run it: one simulated second with its own integrator. Six of them must end with the same bits on every machine.

mod common;
use common::json;
use serde_json::Value;
use std::sync::Mutex;

/// Hashes of the state after one second: particles, trees, loops, gears with drives, rolling without slipping, contacts.
const PINNED: &[(&str, &str)] = &[
    ("bead", "6a4930f171341c08"),
    ("baraff-tree-381", "0331715c63aad77d"),
    ("ring-40", "82a5dcc940ce9229"),
    ("prosthetic-arm-book", "be484edc2dc955de"),
    ("whipple-bicycle", "1e5b3ff3d34bb3a3"),
    ("wall-100", "61b969a1693bec89"),
];

/// Its joints start open, and are pulled together in time.
const STARTS_OPEN: &str = "assembly";

/// What `run` must say of a scene.
fn expect(name: &str, run: &Value) {
    let number = |field: &str| run[field].as_f64().unwrap_or_else(|| panic!("{name}: {field}"));
    assert!((number("time") - 1.0).abs() < 1e-12, "{name}: ended at {} s", number("time"));
    let touches = run["integrator"] == "stepping" || number("events") > 0.0;
    if name != STARTS_OPEN {
        let allowed = if touches { 1e-8 } else { 1e-10 };
        assert!(number("max_gap") <= allowed, "{name}: gap {:e} m", number("max_gap"));
    }
    // smooth motion at the usual tolerance; impacts and steps of first order have errors of their own
    if run["integrator"] == "dop853" && !touches && name != STARTS_OPEN {
        assert!(number("energy_drift").abs() <= 1e-7, "{name}: energy {:e}", number("energy_drift"));
    }
    if let Some((_, hash)) = PINNED.iter().find(|p| p.0 == name) {
        assert_eq!(run["hash"], *hash, "{name}: other bits than before");
    }
}

#[test]
fn every_scene_runs_for_a_second() {
    let list = json(&["scenes", "--json"]);
    let scenes = list.as_array().expect("a list").iter().filter(|s| s["verification"] == false);
    let names: Vec<String> = scenes.map(|s| s["name"].as_str().expect("a name").to_string()).collect();
    for (name, _) in PINNED {
        assert!(names.iter().any(|n| n == name), "{name} is not in the gallery");
    }
    // the slow ones are spread by taking turns
    let waiting = Mutex::new(names);
    std::thread::scope(|s| {
        let hands: Vec<_> = (0..2)
            .map(|_| {
                s.spawn(|| {
                    while let Some(name) = { waiting.lock().expect("not poisoned").pop() } {
                        expect(&name, &json(&["run", &name, "--time", "1", "--json"]));
                    }
                })
            })
            .collect();
        for hand in hands {
            hand.join().unwrap_or_else(|p| std::panic::resume_unwind(p));
        }
    });
}
