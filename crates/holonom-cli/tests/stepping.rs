//! Scenes that showed faults of time stepping: overlaps that nobody reported, jumps out of bowls, boxes through plates.

mod common;
use common::json;
use serde_json::Value;

fn found(name: &str) -> String {
    format!("{}/tests/found/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

fn number(v: &Value, name: &str) -> f64 {
    v[name].as_f64().unwrap_or_else(|| panic!("{name} in {v}"))
}

fn run(scene: &str, more: &[&str]) -> Value {
    let scene = found(scene);
    json(&[&["run", &scene, "--json"], more].concat())
}

/// 2 cm of overlap were reported as 1e-10 m, and stayed.
#[test]
fn heaps_do_not_overlap() {
    for scene in ["heap-capsule-30-s1-mu0.3", "heap-mixed-60-s2-mu0.3"] {
        let v = run(scene, &["--time", "1.2"]);
        let overlap = number(&v, "max_penetration");
        assert!(overlap <= 1e-8, "{scene}: {overlap:.2e} m");
        assert!(number(&v, "energy_end") < number(&v, "energy_start"));
        assert!(number(&v, "contacts") > 10.0);
    }
}

/// A box was found 22 cm deep in a bowl and moved by 9.5 m; a capsule gained 215 J.
#[test]
fn what_falls_into_a_bowl_stays_there() {
    for scene in ["mesh-box-in-bowl", "bowl-capsule-14"] {
        let v = run(scene, &[]);
        let (start, end) = (number(&v, "energy_start"), number(&v, "energy_end"));
        let overlap = number(&v, "max_penetration");
        assert!(overlap <= 1e-8, "{scene}: {overlap:.2e} m");
        assert!(end < start && end > 0.0, "{scene}: {start} J, then {end} J");
        let projected = number(&v["ledger"], "projection");
        assert!(projected.abs() < 1e-3 * start, "{scene}: corrections do {projected} J");
    }
}

/// A cylinder and a box that turn about each other overlapped for long, by a quarter of a millimetre.
#[test]
fn a_cylinder_and_a_box_do_not_overlap() {
    let v = run("cylinder-box", &[]);
    let overlap = number(&v, "max_penetration");
    assert!(overlap <= 1e-8, "{overlap:.2e} m");
    assert!(number(&v, "energy_end") < number(&v, "energy_start"));
}

/// A tumbling box went through a plate of 2 mm.
#[test]
fn a_bullet_does_not_pass_through_a_plate() {
    for (speed, dt) in [("300", "0.002"), ("300", "0.0005"), ("30", "0.004")] {
        let set = format!("v={speed}");
        let v =
            run("bullet-box-vs-free-plate", &["--integrator", "stepping", "--dt", dt, "--set", &set, "--time", "0.1"]);
        let list = |body: &str, what: &str| -> Vec<f64> {
            let all = v["final"]["bodies"][body][what].as_array().expect("a list");
            all.iter().map(|x| x.as_f64().expect("a number")).collect()
        };
        // before the plate as it stands then: it turns, because it is not hit in the middle
        let q = list("plate", "quaternion");
        let normal = [
            1.0 - 2.0 * (q[2] * q[2] + q[3] * q[3]),
            2.0 * (q[1] * q[2] + q[0] * q[3]),
            2.0 * (q[1] * q[3] - q[0] * q[2]),
        ];
        let (bullet, plate) = (list("bullet", "com"), list("plate", "com"));
        let before: f64 = (0..3).map(|k| normal[k] * (plate[k] - bullet[k])).sum();
        assert!(before > 0.0, "{speed} m/s, {dt} s: {before} m before the plate");
        assert!(number(&v, "max_penetration") <= 1e-8);
    }
}
