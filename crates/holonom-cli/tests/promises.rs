//! No wrong answer in silence: drives that contradict each other are refused or stop the run, and a run that does not keep what is promised of every
//! step says so, or stops where it is told to be strict.

mod common;
use common::{Folder, command, diagnosed, json, stderr, stdout};
use serde_json::Value;

fn found(name: &str) -> String {
    format!("{}/tests/found/{name}.toml", env!("CARGO_MANIFEST_DIR"))
}

/// Run in a folder of its own: what stops leaves a snapshot. Exit code, standard output and standard error.
fn run_in(folder: &Folder, args: &[&str]) -> (Option<i32>, String, String) {
    let out = command(args).current_dir(&folder.0).output().expect("the command can be started");
    (out.status.code(), stdout(&out), stderr(&out))
}

#[test]
fn speeds_that_contradict_each_other_are_refused() {
    for command in ["run", "check"] {
        let off = "is off by 2.000000 m/s or rad/s where the others are kept";
        diagnosed(&[command, &found("conflict-hinge")], 2, "E0303", &["`d2`", "`d1`", off, "drive.d2"]);
        diagnosed(&[command, &found("conflict-coupler")], 2, "E0303", &["`d2`", "`d1`, `gear`", off, "drive.d2"]);
        diagnosed(&[command, &found("two-cranks")], 2, "E0303", &["`second`", "`motor`", "`B`", "`C`"]);
    }
}

#[test]
fn speeds_that_agree_run_and_are_called_redundant() {
    for (scene, value) in [("conflict-hinge", "drive.d2.value=1"), ("conflict-coupler", "drive.d2.value=0.5")] {
        let v = json(&["run", &found(scene), "--set", value, "--time", "1", "--json"]);
        let rate = v["final"]["joints"]["h1"]["rate"].as_f64().expect("a number");
        assert!((rate - 1.0).abs() < 1e-9, "{scene}: {rate}");
        assert_eq!(v["warnings"], Value::Array(Vec::new()), "{scene}");
        let v = json(&["check", &found(scene), "--set", value, "--json"]);
        assert_eq!(v["contradictions"], Value::Array(Vec::new()), "{scene}");
        assert_eq!(v["redundant"].as_array().map(Vec::len), Some(1), "{scene}: {v}");
    }
}

#[test]
fn drives_that_come_to_disagree_stop_the_run() {
    let folder = Folder::new("disagree");
    for integrator in ["dop853", "euler", "rk4", "rattle", "stepping", "sdirk4"] {
        let args = ["run", &found("drives-fighting-later"), "--time", "1", "--integrator", integrator];
        let (code, _, err) = run_in(&folder, &args);
        assert_eq!(code, Some(3), "{integrator}: {err}");
        for part in ["error[E0605]", "`p`", "`q`", "t = 0.00"] {
            assert!(err.contains(part), "{integrator}: `{part}` is missing in\n{err}");
        }
    }
    let v = json(&["check", &found("drives-fighting-later"), "--json"]);
    assert_eq!(v["contradictions"], serde_json::json!([["p", "q"]]));
    let (_, text, _) = run_in(&folder, &["check", &found("drives-fighting-later")]);
    assert!(text.contains("`p` and `q` contradict each other") && !text.contains("exact all the same"), "{text}");
}

/// A linkage that is stretched out lets its drive begin, and no more.
#[test]
fn a_drive_that_cannot_go_on_stops_the_run() {
    let folder = Folder::new("stretched");
    for integrator in ["dop853", "euler", "rk4", "stepping", "sdirk4"] {
        let (code, _, err) = run_in(&folder, &["run", &found("stretched-driven"), "--integrator", integrator]);
        assert_eq!(code, Some(3), "{integrator}: {err}");
        for part in ["`p`", "t = 0.00"] {
            assert!(err.contains("error[E06") && err.contains(part), "{integrator}: {err}");
        }
    }
}

#[test]
fn a_drive_that_jumps_stops_the_run() {
    let folder = Folder::new("jump");
    for more in [&[][..], &["--dt", "1e-3"], &["--integrator", "euler"], &["--integrator", "stepping"]] {
        let mut args = vec!["run".to_string(), found("position-drive-step"), "--time".into(), "2".into()];
        args.extend(more.iter().map(|x| x.to_string()));
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let (code, _, err) = run_in(&folder, &args);
        assert_eq!(code, Some(3), "{more:?}: {err}");
        assert!(err.contains("E0603") && err.contains("`p`") && err.contains("gap 1.0e0"), "{more:?}: {err}");
    }
}

/// What is not as promised is said in one line, in JSON and for people, and `--strict` stops there.
#[test]
fn broken_promises_are_said_and_strictness_stops() {
    let folder = Folder::new("strict");
    // without correction of drift gaps grow
    let loose =
        ["run", "double-pendulum", "--set", "run.drift=none", "--integrator", "rk4", "--dt", "1e-2", "--time", "1"];
    let (code, out, err) = run_in(&folder, &loose);
    assert_eq!(code, Some(0), "{err}");
    assert!(out.contains("residual") && out.contains("contradiction"), "{out}");
    let said: Vec<&str> = err.lines().filter(|l| l.contains("not as exact as promised")).collect();
    assert!(said.len() == 1 && said[0].starts_with("warning: ") && said[0].contains("gap of a joint"), "{err}");
    let (_, out, _) = run_in(&folder, &[&loose[..], &["--json"]].concat());
    let v: Value = serde_json::from_str(out.lines().last().expect("a line")).expect("valid JSON");
    assert!(v["warnings"][0].as_str().is_some_and(|w| w.contains("gap of a joint")), "{v}");
    let (code, _, err) = run_in(&folder, &[&loose[..], &["--strict"]].concat());
    assert_eq!(code, Some(3), "{err}");
    assert!(err.contains("error[E0606]") && err.contains("of a gap") && err.contains("(promised: 1e-9)"), "{err}");
    assert!(folder.0.join("double-pendulum.failed.snap").is_file(), "the last good state is kept");
    // and what is as promised is not stopped
    let v = json(&["run", "double-pendulum", "--time", "1", "--strict", "--json"]);
    for (key, most) in [("max_residual", 1e-12), ("max_contradiction", 1e-12), ("max_gap", 1e-10)] {
        let x = v[key].as_f64().expect(key);
        assert!(x > 0.0 && x < most, "{key}: {x:e}");
    }
    assert_eq!(v["warnings"], Value::Array(Vec::new()));
}

/// Rows that hold almost the same thing: whatever is made of them, nothing wrong comes out in silence.
#[test]
fn rows_that_almost_depend_on_each_other_are_not_left_out_in_silence() {
    let folder = Folder::new("almost");
    for scene in ["two-hinges-axes-1e-5-apart", "bennett-1e-4"] {
        let (code, out, err) = run_in(&folder, &["run", &found(scene), "--time", "0.1", "--json"]);
        if code == Some(0) {
            let v: Value = serde_json::from_str(out.lines().last().expect("a line")).expect("valid JSON");
            // held by both hinges, and by a loop that does not quite fit, nothing moves
            let exact = v["max_gap"].as_f64() < Some(1e-10) && v["max_contradiction"].as_f64() < Some(1e-6);
            assert!(exact || err.contains("not as exact as promised"), "{scene}: {v} {err}");
        } else {
            assert!(code == Some(3) && err.contains("error[E06"), "{scene}: {err}");
        }
    }
}

/// The end note of a recording says how good the run was.
#[test]
fn recordings_say_the_worst_of_their_run() {
    let folder = Folder::new("note");
    let file = folder.file("swing.hrec");
    json(&["run", "double-pendulum", "--time", "0.5", "--out", &file, "--json"]);
    let (_, out, _) = run_in(&folder, &["info", &file]);
    assert!(out.contains("end of time reached; worst residual "), "{out}");
}

/// A coupler lighter than its neighbours by up to 1e12, as an ideal coupler or a massless rod is: the motion tends to that of a coupler without mass,
/// and costs no more steps than any other.
#[test]
fn a_light_coupler_moves_as_one_without_mass() {
    let angle = |mass: &str| {
        let v = json(&["run", &found("light-coupler"), "--set", &format!("mu={mass}"), "--time", "2", "--json"]);
        let number = |v: &Value| v.as_f64().expect("a number");
        assert!(number(&v["steps"]) < 150.0, "{mass}: {} steps", v["steps"]);
        assert!(number(&v["energy_drift"]) < 1e-8, "{mass}: {}", v["energy_drift"]);
        assert_eq!(v["warnings"], Value::Array(Vec::new()), "{mass}");
        number(&v["final"]["joints"]["A"]["coordinate"])
    };
    let massless = angle("1e-12");
    for (mass, allowed) in [("1e-11", 1e-8), ("1e-9", 1e-7), ("1e-7", 1e-5), ("1e-6", 1e-4)] {
        let off = (angle(mass) - massless).abs();
        assert!(off < allowed, "{mass}: {off:e} rad from a coupler without mass");
    }
    let (_, text, _) = run_in(&Folder::new("light"), &["check", &found("light-coupler")]);
    assert!(text.contains("mobility 1") && text.contains("No joint is redundant"), "{text}");
}

/// A speed drive that comes to a stop, with every integrator: both are named, and the state is that before.
#[test]
fn a_drive_against_a_stop_is_blocked() {
    let folder = Folder::new("blocked");
    for (integrator, value) in [("dop853", "1"), ("rk4", "-1"), ("stepping", "1"), ("stepping", "-3")] {
        let set = format!("drive.p.value={value}");
        let args = ["run", &found("speed-against-stop"), "--time", "1", "--integrator", integrator, "--set", &set];
        let (code, _, err) = run_in(&folder, &args);
        assert_eq!(code, Some(3), "{integrator}: {err}");
        for part in ["error[E0603]", "`j.limit` blocks the motion", "`p` drives on", "give the drive a cap"] {
            assert!(err.contains(part), "{integrator}: `{part}` is missing in\n{err}");
        }
    }
    // with a cap it gives way, and rests at the stop
    let capped = ["--set", "drive.p.effort=2", "--time", "1", "--json"];
    let v = json(&[&["run", &found("speed-against-stop"), "--set", "gravity=[0,0,0]"][..], &capped[..]].concat());
    let angle = v["final"]["joints"]["j"]["coordinate"].as_f64().expect("a number");
    assert!((angle - 0.1).abs() < 1e-9, "{angle}");
}

/// A drive that runs to infinity: time stands still before the pole, and the drive is named.
#[test]
fn a_drive_that_runs_away_is_named() {
    let folder = Folder::new("runaway");
    for (value, pole) in [("tan(t)", std::f64::consts::FRAC_PI_2), ("1/(1-t)", 1.0)] {
        let set = format!("drive.p.value=\"{value}\"");
        let (code, _, err) = run_in(&folder, &["run", &found("runaway"), "--time", "3", "--set", &set]);
        assert_eq!(code, Some(3), "{value}: {err}");
        for part in [
            "error[E0607]",
            "the drive `p` runs to infinity",
            "`p` moves at",
            "drive.p.value=",
            "a course that stays finite",
        ] {
            assert!(err.contains(part), "{value}: `{part}` is missing in\n{err}");
        }
        let at = err.split("t = ").nth(1).and_then(|s| s.split(' ').next()).and_then(|s| s.parse::<f64>().ok());
        let at = at.expect("a time");
        assert!(at < pole && at > 0.9 * pole, "{value}: stopped at {at}");
    }
}
