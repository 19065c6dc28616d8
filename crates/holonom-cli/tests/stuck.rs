//! Runs that used to go on for ever, or said nothing: each comes to its end, or stops with a name.

mod common;
use common::{Folder, command, json, stderr, stdout};
use std::time::{Duration, Instant};

fn found(name: &str) -> String {
    format!("{}/tests/found/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Exit code and standard error of a run that must not take long.
fn run_in(folder: &Folder, args: &[&str]) -> (Option<i32>, String, String) {
    let begun = Instant::now();
    let out = command(args).current_dir(&folder.0).output().expect("the command can be started");
    assert!(begun.elapsed() < Duration::from_secs(60), "{args:?} took {:?}", begun.elapsed());
    (out.status.code(), stdout(&out), stderr(&out))
}

/// Beyond its limit from the start, and held there by a drive: no event follows another, and what is wrong is said.
#[test]
fn a_joint_that_is_held_beyond_its_limit_runs_and_is_named() {
    let folder = Folder::new("held");
    for integrator in ["dop853", "rk4", "stepping"] {
        for (value, events) in [("0", 0), ("0.1*t^2", 3)] {
            let set = format!("drive.p.value=\"{value}\"");
            let args = [
                "run",
                &found("held-beyond-limit.toml"),
                "--set",
                &set,
                "--time",
                "0.5",
                "--integrator",
                integrator,
                "--json",
            ];
            let (code, out, err) = run_in(&folder, &args);
            assert_eq!(code, Some(0), "{integrator}, {value}: {err}");
            assert!(err.contains("`j.limit` is exceeded by 5.000e-1"), "{integrator}, {value}: {err}");
            let v: serde_json::Value = serde_json::from_str(out.lines().last().expect("a line")).expect("JSON");
            assert!(v["events"].as_u64() <= Some(events), "{integrator}, {value}: {} events", v["events"]);
        }
        // farther than it is already it may not go
        let args = [
            "run",
            &found("held-beyond-limit.toml"),
            "--set",
            "drive.p.value=\"-0.1*t^2\"",
            "--time",
            "0.5",
            "--integrator",
            integrator,
        ];
        let (code, _, err) = run_in(&folder, &args);
        assert_eq!(code, Some(3), "{integrator}: {err}");
        for part in ["error[E0603]", "`j.limit` blocks the motion", "`p` drives on"] {
            assert!(err.contains(part), "{integrator}: `{part}` is missing in\n{err}");
        }
    }
}

/// What begins inside of something else is named before anything moves, and pushed out of it.
#[test]
fn what_begins_inside_the_ground_is_said() {
    for integrator in ["dop853", "stepping"] {
        let folder = Folder::new("inside");
        let args = ["run", &found("inside-ground.toml"), "--time", "1", "--integrator", integrator, "--json"];
        let (code, out, err) = run_in(&folder, &args);
        assert_eq!(code, Some(0), "{integrator}: {err}");
        assert!(err.contains("`ground` overlap by 2.000e-1 m at the start"), "{integrator}: {err}");
        let v: serde_json::Value = serde_json::from_str(out.lines().last().expect("a line")).expect("JSON");
        let z = v["final"]["bodies"]["a"]["com"][2].as_f64().expect("a number");
        assert!(z > 0.199, "{integrator}: the ball is at {z}");
    }
}

/// Joints that hold nearly what others hold. A Bennett linkage that is 1e-4 off, two hinges whose axes are 1e-5 apart:
/// as drawn they are rigid, stand under their weight, and the joint is named.
#[test]
fn what_is_drawn_a_little_off_is_taken_as_it_is_drawn() {
    let folder = Folder::new("drawn-off");
    for (scene, joint, moved) in [("bennett-1e-4.toml", "`j3`", 1e-9), ("two-hinges-axes-1e-5-apart.toml", "`k`", 1e-9)]
    {
        let (code, out, err) = run_in(&folder, &["run", &found(scene), "--time", "2", "--json"]);
        assert_eq!(code, Some(0), "{scene}: {err}");
        assert!(err.contains(joint) && err.contains("taken as drawn"), "{scene}: {err}");
        let v: serde_json::Value = serde_json::from_str(out.lines().last().expect("a line")).expect("JSON");
        let change = v["energy_end"].as_f64().expect("a number") - v["energy_start"].as_f64().expect("a number");
        assert!(change.abs() < moved && v["max_gap"].as_f64() < Some(1e-10), "{scene}: {change} J, {}", v["max_gap"]);
        assert!(v["steps"].as_u64() < Some(100), "{scene}: {} steps", v["steps"]);
    }
}

/// A Bennett linkage that is 1e-8 off counts as one: it moves, in few steps, its joints open by what they differ, and
/// the run says which and by how much.
#[test]
fn a_loop_that_is_closed_but_for_rounding_moves_and_is_named() {
    let folder = Folder::new("bennett");
    let (code, out, err) = run_in(&folder, &["run", &found("bennett-1e-8.toml"), "--time", "3", "--json"]);
    assert_eq!(code, Some(0), "{err}");
    for part in ["`j3` holds nearly what other joints hold", "count as holding the same", "not as exact as promised"] {
        assert!(err.contains(part), "`{part}` is missing in\n{err}");
    }
    let v: serde_json::Value = serde_json::from_str(out.lines().last().expect("a line")).expect("JSON");
    assert!(
        v["steps"].as_u64() < Some(1000) && v["max_gap"].as_f64() < Some(1e-7),
        "{} steps, {}",
        v["steps"],
        v["max_gap"]
    );
    assert!(v["energy_unaccounted"].as_f64() < Some(1e-8), "{}", v["energy_unaccounted"]);
    for integrator in ["euler", "rk4", "stepping"] {
        let args =
            ["run", &found("bennett-1e-8.toml"), "--time", "1", "--dt", "1e-3", "--integrator", integrator, "--json"];
        let (code, out, err) = run_in(&folder, &args);
        assert_eq!(code, Some(0), "{integrator}: {err}");
        assert!(err.contains("not as exact as promised"), "{integrator}: {err}");
        let v: serde_json::Value = serde_json::from_str(out.lines().last().expect("a line")).expect("JSON");
        assert!(v["max_gap"].as_f64() < Some(1e-7), "{integrator}: gap {}", v["max_gap"]);
    }
}

/// A robot with a mistake: bodies that begin inside each other, and a loop that pulls them through.
#[test]
fn a_robot_whose_links_begin_inside_each_other_comes_to_an_end() {
    let v = json(&["run", &found("linkage-in-itself.xml"), "--time", "0.3", "--json"]);
    assert!(v["max_gap"].as_f64() < Some(1e-8), "{}", v["max_gap"]);
}
