//! Scenes that stand, and those that are told what time stepping does not do.

mod common;
use common::{holonom, json, stderr, stdout};

fn found(name: &str) -> String {
    format!("{}/tests/found/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// A pyramid of balls and two cards that lean on each other keep their height.
#[test]
fn what_can_stand_stands() {
    for friction in ["0.6", "0.7", "0.8", "0.9", "1.0"] {
        let set = format!("contact.friction={friction}");
        let v = json(&["run", &found("pyramid-14"), "--set", &set, "--time", "0.5", "--json"]);
        let energy = |name: &str| v[name].as_f64().unwrap_or_else(|| panic!("no {name} in {v}"));
        let lost = energy("energy_start") - energy("energy_end");
        assert!(lost.abs() < 1e-9 * energy("energy_start"), "friction {friction}: {lost} J lost");
    }
    let v = json(&["run", &found("card-house-1"), "--time", "2", "--json"]);
    let (start, end) = (v["energy_start"].as_f64().expect("a number"), v["energy_end"].as_f64().expect("a number"));
    assert!(end > 0.999 * start, "the cards fell: {start} J, {end} J");
}

#[test]
fn an_order_that_is_not_heard_is_said() {
    for command in ["check", "run"] {
        let mut args = vec![command, "", "--time", "0.01"];
        let scene = found("cradle-10");
        args[1] = &scene;
        args.truncate(if command == "check" { 2 } else { 4 });
        let out = holonom(&args);
        let text = stdout(&out) + &stderr(&out);
        assert!(text.contains("`order = \"sequential\"` is not heard by `stepping`"), "{text}");
        // with events it is heard
        if command == "run" {
            let out = holonom(&[&args[..], &["--integrator", "dop853"]].concat());
            assert!(!stderr(&out).contains("is not heard"), "{}", stderr(&out));
        }
    }
}

/// A pendulum hinged to the ground passes through the floor: said, unless the scene says that this is meant.
#[test]
fn bodies_that_pass_through_the_floor_are_named() {
    let folder = common::Folder::new("through-the-floor");
    let scene = |collide: &str| {
        format!(
            "[ground]\nshapes = [{{ kind = \"plane\" }}]\n[body.bob]\nat = [0.6, 0, 0.5]\nmass = 1\n\
             shape = {{ kind = \"sphere\", radius = 0.1 }}\n[joint.pin]\nkind = \"revolute\"\nb = \"bob\"\n\
             at = [0, 0, 0.5]\naxis = [0, 1, 0]\n{collide}\n[contact]\nfriction = 0.5\n"
        )
    };
    for (collide, warns) in [("", true), ("collide = false", false), ("collide = true", false)] {
        let path = folder.file("pendulum.toml");
        std::fs::write(&path, scene(collide)).expect("a file can be written");
        for args in [vec!["check", &path], vec!["run", &path, "--time", "0.01"]] {
            let out = holonom(&args);
            let text = stdout(&out) + &stderr(&out);
            assert_eq!(text.contains("`bob` passes through the shapes of the ground"), warns, "{collide}: {text}");
        }
    }
}
