//! Scenes in which events were missed, met in the air or came without end.

mod common;
use common::json;
use serde_json::Value;

fn run(name: &str, more: &[&str]) -> Value {
    let path = format!("{}/tests/found/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    let mut args = vec!["run", &path, "--json"];
    args.extend(more);
    json(&args)
}

fn events(v: &Value) -> u64 {
    v["events"].as_u64().expect("a number")
}

/// Boxes that pass each other at centimetres, sticks too far apart to meet: features that are followed beyond where
/// they are nearest would meet.
#[test]
fn what_does_not_touch_does_not_collide() {
    assert_eq!(events(&run("event-ghost-box-box", &[])), 0);
    assert_eq!(events(&run("two-blades", &["--set", "w=200", "--set", "d=0.55"])), 0);
    assert!(events(&run("event-missed-hull-hull", &[])) > 0);
}

/// Bounces that pile up, and slips that start and stop each other.
#[test]
fn time_always_advances() {
    let v = run("hinged-boxes", &["--time", "1"]);
    assert!(events(&v) < 1000, "{}", v["events"]);
    let v = run("two-boxes-default", &["--set", "tilt=0.8", "--time", "1"]);
    assert!(events(&v) < 10_000, "{}", v["events"]);
}
