//! `holonom run`: fields, the same bits whatever is recorded and wherever it is resumed, ends of all kinds.

mod common;
use common::{Folder, command, diagnosed, holonom, json, refused, scene, stderr, stdout};
use serde_json::Value;
use std::process::Stdio;
use std::time::Duration;

fn hash(args: &[&str]) -> String {
    let mut args = args.to_vec();
    args.push("--json");
    json(&args)["hash"].as_str().expect("a hash").to_string()
}

#[test]
fn every_field_of_the_contract_is_there() {
    let double = scene("double");
    let v = json(&["run", &double, "--json"]);
    assert_eq!(v["scene"], double.as_str());
    for key in ["time", "steps", "bodies", "rows", "wall_s", "us_per_step", "energy_start", "energy_end"] {
        assert!(v[key].is_number(), "{key}: {v}");
    }
    assert_eq!(v["time"].as_f64(), Some(5.0), "the scene's own end");
    assert_eq!((v["bodies"].as_u64(), v["rows"].as_u64()), (Some(2), Some(10)));
    for (key, most) in [("max_gap", 1e-12), ("max_gap_rate", 1e-12), ("max_penetration", 0.0), ("energy_drift", 1e-7)] {
        let x = v[key].as_f64().expect(key);
        assert!((0.0..=most).contains(&x), "{key} is {x:e}");
    }
    let hash = v["hash"].as_str().expect("a text");
    assert!(hash.len() == 16 && hash.bytes().all(|b| b.is_ascii_hexdigit()), "{hash}");
    assert_eq!((v["solver"].as_str(), v["integrator"].as_str()), (Some("tree"), Some("dop853")));
    assert_eq!(v["interrupted"], false);
    let lower = &v["final"]["bodies"]["lower"];
    for (key, n) in [("com", 3), ("quaternion", 4), ("v_com", 3), ("omega", 3)] {
        assert_eq!(lower[key].as_array().map(Vec::len), Some(n), "{key}");
    }
    let elbow = &v["final"]["joints"]["elbow"];
    assert!(elbow["coordinate"].is_number() && elbow["rate"].is_number());
    assert!(elbow["force"].as_array().map(Vec::len) == Some(3) && elbow["torque"].as_array().map(Vec::len) == Some(3));
}

#[test]
fn the_final_state_is_that_of_the_mechanism() {
    // a pendulum let go from the horizontal: after 0.1 s its angle is nearly 1/2 alpha t^2, alpha = 3 g / (2 L)
    let v = json(&["run", "pendulum", "--time", "0.1", "--json"]);
    let pin = &v["final"]["joints"]["pin"];
    let angle = pin["coordinate"].as_f64().expect("a number");
    assert!((angle - 0.5 * 1.5 * 9.81 * 0.01).abs() < 1e-4, "{angle}");
    // the ground carries the rod: the vertical force is between a quarter of its weight and all of it
    let weight = 7800.0 * 0.05 * 0.05 * 9.81;
    let force = pin["force"][2].as_f64().expect("a number");
    assert!(force > 0.25 * weight && force < weight, "{force} of {weight}");
    let com = &v["final"]["bodies"]["rod"]["com"];
    assert!((com[0].as_f64().expect("x") - 0.5 * angle.cos()).abs() < 1e-12, "{com}");
}

#[test]
fn recording_changes_nothing_and_runs_repeat() {
    let folder = Folder::new("bits");
    let double = scene("double");
    let ways: [&[&str]; 4] =
        [&[], &["--dt", "0.01"], &["--integrator", "implicit"], &["--integrator", "rk4", "--dt", "0.003"]];
    for way in ways {
        let base: Vec<&str> = ["run", &double, "--time", "2"].iter().copied().chain(way.iter().copied()).collect();
        let plain = hash(&base);
        assert_eq!(plain, hash(&base), "{way:?}: twice");
        for (name, rate) in [("a.csv", "10"), ("b.parquet", "333.3"), ("c.hrec", "1000")] {
            let file = folder.file(name);
            let mut recorded = base.clone();
            recorded.extend(["--force", "--out", &file, "--rate", rate]);
            assert_eq!(plain, hash(&recorded), "{way:?}: {name} at {rate}");
        }
    }
}

#[test]
fn a_resumed_run_has_the_bits_of_the_whole() {
    let folder = Folder::new("resume");
    let snap = folder.file("at.snap");
    let (double, door) = (scene("double"), scene("door"));
    let ways: [(&str, &[&str], f64); 6] = [
        (&double, &[], 3.0),
        (&double, &["--dt", "0.01"], 3.0),
        (&double, &["--dt", "0.0007", "--integrator", "rk4"], 3.0),
        (&double, &["--integrator", "implicit"], 3.0),
        (&door, &["--integrator", "rattle"], 1.0),
        (&double, &["--law", "first-order"], 1.0),
    ];
    for (scene, way, end) in ways {
        let run = |time: f64, more: &[&str]| {
            let time = time.to_string();
            let mut args = vec!["run", scene, "--time", &time];
            args.extend(way);
            args.extend(more);
            hash(&args)
        };
        let whole = run(end, &[]);
        // moments that are steps, that are not, at the very start and at the very end
        for part in [0.0, 0.01, 0.1, 0.331_3, 0.5, 0.777_7, 0.999_9, 1.0] {
            run(part * end, &["--snapshot", &snap]);
            assert_eq!(whole, run(end, &["--from", &snap]), "{way:?} resumed at {}", part * end);
        }
        // the settings come with the snapshot
        let time = end.to_string();
        run(0.4 * end, &["--snapshot", &snap]);
        assert_eq!(whole, hash(&["run", scene, "--time", &time, "--from", &snap]), "{way:?} without its options");
        // and again from what was resumed
        run(0.6 * end, &["--from", &snap, "--snapshot", &snap]);
        assert_eq!(whole, run(end, &["--from", &snap]), "{way:?} resumed twice");
    }
}

#[test]
fn every_scene_that_comes_along_runs_resumes_and_is_checked() {
    let folder = Folder::new("every");
    let (snap, file) = (folder.file("s.snap"), folder.file("r.parquet"));
    for entry in json(&["scenes", "--json"]).as_array().expect("a list") {
        let name = entry["name"].as_str().expect("a name");
        let whole = hash(&["run", name, "--time", "0.2"]);
        hash(&["run", name, "--time", "0.07", "--snapshot", &snap]);
        let resumed = hash(&["run", name, "--time", "0.2", "--from", &snap, "--force", "--out", &file]);
        assert_eq!(whole, resumed, "{name}");
        assert_eq!(json(&["check", name, "--json"])["bodies"], entry["bodies"], "{name}");
    }
}

#[test]
fn a_resumed_recording_goes_on_where_the_other_would_have() {
    let folder = Folder::new("rows");
    let (snap, first, second, whole) =
        (folder.file("s.snap"), folder.file("1.csv"), folder.file("2.csv"), folder.file("w.csv"));
    let double = scene("double");
    holonom(&["run", &double, "--time", "1.005", "--out", &first, "--snapshot", &snap]);
    holonom(&["run", &double, "--time", "2", "--out", &second, "--from", &snap]);
    holonom(&["run", &double, "--time", "2", "--out", &whole]);
    let rows = |path: &str| -> Vec<String> {
        std::fs::read_to_string(path).expect("there").lines().skip(1).map(str::to_string).collect()
    };
    let (first, second, whole) = (rows(&first), rows(&second), rows(&whole));
    // the rows of the end and of the start are extra: they lie at 1.005 s
    assert_eq!(first.last(), second.first());
    let joined: Vec<&String> = first[..first.len() - 1].iter().chain(&second[1..]).collect();
    assert_eq!(joined, whole.iter().collect::<Vec<_>>());
}

#[test]
fn rows_lie_where_they_should_and_say_what_the_final_state_says() {
    let folder = Folder::new("table");
    let file = folder.file("r.csv");
    for (way, exact) in [
        (&["--rate", "20"][..], true),
        (&["--dt", "0.001", "--rate", "20"], true),
        (&["--dt", "0.03", "--rate", "20"], false),
    ] {
        let mut args = vec!["run", "pendulum", "--time", "1", "--force", "--out", &file, "--json"];
        args.extend(way);
        let v = json(&args);
        let text = std::fs::read_to_string(&file).expect("written");
        let head: Vec<&str> = text.lines().next().expect("a heading").split(',').collect();
        let rows: Vec<Vec<f64>> =
            text.lines().skip(1).map(|l| l.split(',').map(|x| x.parse().expect("a number")).collect()).collect();
        assert_eq!(v["out_rows"].as_u64(), Some(rows.len() as u64));
        if exact {
            assert_eq!(rows.len(), 21, "{way:?}");
            for (k, row) in rows.iter().enumerate() {
                assert!((row[0] - 0.05 * k as f64).abs() < 1e-12, "{way:?}: row {k} at {}", row[0]);
            }
        } else {
            assert!(rows.windows(2).all(|w| w[1][0] > w[0][0]) && rows.len() == 21, "{} rows", rows.len());
        }
        let last = rows.last().expect("rows");
        let at =
            |name: &str| last[head.iter().position(|h| *h == name).unwrap_or_else(|| panic!("{name} in {head:?}"))];
        assert_eq!(at("time"), 1.0);
        assert_eq!(Some(at("pin.coordinate")), v["final"]["joints"]["pin"]["coordinate"].as_f64());
        assert_eq!(Some(at("pin.force.z")), v["final"]["joints"]["pin"]["force"][2].as_f64());
        assert_eq!(Some(at("rod.quat.w")), v["final"]["bodies"]["rod"]["quaternion"][0].as_f64());
        assert_eq!(Some(at("energy.total")), v["energy_end"].as_f64());
    }
}

#[test]
fn columns_come_from_the_command_line_else_from_the_scene() {
    let folder = Folder::new("columns");
    let file = folder.file("r.csv");
    let double = scene("double");
    let head = |args: &[&str]| {
        let mut all = vec!["run", &double, "--time", "0.1", "--force", "--out", &file, "-q"];
        all.extend(args);
        let out = holonom(&all);
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
        assert!(out.stdout.is_empty() && out.stderr.is_empty(), "quiet");
        std::fs::read_to_string(&file).expect("written").lines().next().expect("a heading").to_string()
    };
    assert_eq!(
        head(&[]),
        "time,upper.tip.pos.x,upper.tip.pos.y,upper.tip.pos.z,elbow.coordinate,energy.kinetic,energy.potential,energy.elastic,energy.total"
    );
    assert_eq!(head(&["--columns", "*.omega.y,time"]), "time,upper.omega.y,lower.omega.y");
    assert_eq!(
        head(&["--columns", "certificate.*", "--columns", "ledger.joint.*"]),
        "time,certificate.residual,certificate.dependent_rows,certificate.gap,certificate.gap_rate,certificate.contradiction,ledger.joint.shoulder,ledger.joint.elbow"
    );
    diagnosed(&["run", &double, "--columns", "elbow.coordinat"], 2, "E0227", &["did you mean `elbow.coordinate`?"]);
    diagnosed(&["run", &double, "--columns", "elbw.rate"], 2, "E0227", &["did you mean `elbow.rate`?"]);
    diagnosed(&["run", &double, "--columns", "upper.pos"], 2, "E0227", &["did you mean `upper.pos.*`?"]);
    let file = folder.file("typo.toml");
    let text = std::fs::read_to_string(&double).expect("there").replace("\"elbow.coordinate\"", "\"elbow.angle\"");
    std::fs::write(&file, &text).expect("written");
    let line = text.lines().position(|l| l.starts_with("columns")).expect("there") + 1;
    diagnosed(&["run", &file], 2, "E0227", &[&format!("typo.toml:{line}:"), "elbow.coordinate"]);
}

#[test]
fn a_stop_explains_itself_and_leaves_what_there_is() {
    let folder = Folder::new("stop");
    let file = folder.file("bang.csv");
    let stiff = scene("stiff");
    let args = ["run", &stiff, "--dt", "0.001", "--integrator", "rk4", "--out", &file];
    let (snap, line) = (folder.file("bang.failed.snap"), "stiff.toml:2:");
    diagnosed(
        &args,
        3,
        "E0601",
        &[
            line,
            "body `bob`",
            "(step ",
            "dt 1.0e-3 s",
            "stiffness of `stop`",
            "times longer",
            "= help: use  --dt ",
            "implicit",
            &snap,
            "rows until then",
        ],
    );
    // the recording is whole, the state can be gone on from with the step that was suggested
    let info = json(&["info", &file, "--json"]);
    assert_eq!(info["complete"], true);
    let v = json(&["run", &stiff, "--from", &snap, "--dt", "6e-6", "--time", "0.05", "--json"]);
    assert_eq!(v["time"].as_f64(), Some(0.05));
    let mut all = args.to_vec();
    all.extend(["--force", "--json"]);
    let out = holonom(&all);
    let v: Value = serde_json::from_str(stdout(&out).lines().last().expect("a line")).expect("JSON");
    assert_eq!((v["exit"].as_u64(), v["errors"][0]["code"].as_str()), (Some(3), Some("E0601")));
    assert_eq!(
        json(&["run", &stiff, "--integrator", "implicit", "--time", "0.1", "--json"])["time"].as_f64(),
        Some(0.1)
    );
}

#[test]
fn mistakes_end_with_code_2() {
    let folder = Folder::new("mistakes");
    refused(&["run", "pendulm"], 2, &["there is no scene `pendulm`", "did you mean `pendulum`?", "holonom scenes"]);
    refused(&["run", "windmill"], 2, &["there is no scene `windmill`", "holonom scenes"]);
    diagnosed(&["run", "windmill.toml"], 2, "E0104", &["windmill.toml"]);
    diagnosed(&["run", &folder.0.display().to_string()], 2, "E0111", &[]);
    diagnosed(&["run", &scene("broken")], 2, "E0201", &["broken.toml:3:", "did you mean `mass`?"]);
    refused(&["run"], 2, &["SCENE"]);
    refused(&["run", "pendulum", "--time", "-1"], 2, &["--time is -1 s", "not negative"]);
    refused(&["run", "pendulum", "--time", "nan"], 2, &["--time"]);
    refused(&["run", "pendulum", "--time", "ten"], 2, &["'ten'", "--time"]);
    refused(&["run", "pendulum", "--dt", "0"], 2, &["--dt is 0 s", "greater than 0"]);
    refused(&["run", "pendulum", "--dt", "-1e-3"], 2, &["--dt is -0.001 s"]);
    refused(&["run", "pendulum", "--rate", "inf"], 2, &["--rate is inf"]);
    refused(
        &["run", "pendulum", "--integrator", "rk45"],
        2,
        &["no integrator `rk45`", "did you mean `rk4`?", "dop853"],
    );
    refused(&["run", "pendulum", "--solver", "spase"], 2, &["did you mean `sparse`?"]);
    refused(&["run", &scene("door"), "--solver", "tree"], 2, &["loops", "sparse"]);
    refused(&["run", "pendulum", "--law", "dynamical"], 2, &["dynamic"]);
    refused(&["run", "pendulum", "--out", "run.xlsx"], 2, &["run.xlsx", ".csv, .parquet"]);
    refused(&["run", "pendulum", "--limit", "bodis=3"], 2, &["did you mean `bodies`?"]);
    refused(&["run", "pendulum", "--limit", "bodies=many"], 2, &["whole number"]);
    refused(&["run", "pendulum", "--limit", "bodies"], 2, &["NAME=N"]);
    refused(&["run", "pendulum", "--from", "nothing.snap"], 5, &["nothing.snap"]);
    refused(&["run", "pendulum", "--from", &scene("door")], 2, &["is not a snapshot"]);
    refused(&["run", "pendulum", "--rate", "1e12", "--out", &folder.file("r.csv")], 4, &["rows"]);
    let snap = folder.file("p.snap");
    assert_eq!(holonom(&["run", "pendulum", "--time", "2", "--snapshot", &snap]).status.code(), Some(0));
    refused(&["run", "pendulum", "--from", &snap, "--time", "1"], 2, &["is at t = 2 s", "--time of 2 s"]);
    diagnosed(&["run", &scene("door"), "--from", &snap], 2, "E0310", &["rigid body `rod`", "taken from `pendulum`"]);
    let mut bytes = std::fs::read(&snap).expect("there");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&snap, bytes).expect("written");
    refused(&["run", "pendulum", "--from", &snap], 2, &["damaged"]);
}

#[test]
fn mistakes_are_data_where_data_were_asked_for() {
    let out = holonom(&["run", &scene("broken"), "--json"]);
    assert_eq!(out.status.code(), Some(2));
    let v: Value = serde_json::from_str(stdout(&out).trim()).expect("one object");
    assert_eq!(v["exit"].as_u64(), Some(2));
    let codes: Vec<&str> = v["errors"].as_array().expect("a list").iter().filter_map(|e| e["code"].as_str()).collect();
    assert!(codes.contains(&"E0201") && codes.contains(&"E0204"), "{codes:?}");
    assert_eq!(v["errors"][0]["line"].as_u64(), Some(3));
    for args in [&["run", "pendulm", "--json"][..], &["run", "--json"], &["plot", "x.csv", "--json"]] {
        let out = holonom(args);
        let v: Value = serde_json::from_str(stdout(&out).trim()).expect("one object");
        assert_eq!(Some(v["exit"].as_i64().expect("a number") as i32), out.status.code(), "{args:?}");
        assert!(!v["errors"][0]["message"].as_str().expect("a message").is_empty());
    }
}

#[test]
fn first_order_runs_sink_to_the_bottom_and_stay_there() {
    let v = json(&["run", "pendulum", "--law", "first-order", "--time", "3", "--json"]);
    let pin = &v["final"]["joints"]["pin"];
    let angle = pin["coordinate"].as_f64().expect("a number");
    assert!((angle - std::f64::consts::FRAC_PI_2).abs() < 1e-9, "hangs straight down: {angle}");
    assert!(pin["rate"].as_f64().expect("a number").abs() < 1e-9);
    assert!(v["max_gap"].as_f64().expect("a number") < 1e-12);
    assert_eq!(v["law"], "first-order");
}

#[test]
fn the_older_word_for_the_first_order_law_is_accepted() {
    let new = hash(&["run", "pendulum", "--law", "first-order", "--time", "0.1"]);
    assert_eq!(new, hash(&["run", "pendulum", "--law", "kinematic", "--time", "0.1"]));
    for word in ["first-order", "kinematic"] {
        let v = json(&["run", "pendulum", "--set", &format!("run.law={word}"), "--time", "0.1", "--json"]);
        assert_eq!((v["law"].as_str(), v["hash"].as_str()), (Some("first-order"), Some(new.as_str())), "{word}");
    }
    let help = stdout(&holonom(&["run", "--help"]));
    assert!(help.contains("first-order") && !help.contains("kinematic"), "{help}");
}

#[cfg(target_os = "linux")]
#[test]
fn output_that_cannot_be_written_ends_with_code_5() {
    refused(&["run", "pendulum", "--out", "/dev/full"], 5, &["/dev/full"]);
    refused(&["run", "pendulum", "--time", "0.1", "--snapshot", "/dev/full"], 5, &["/dev/full"]);
    let folder = Folder::new("unwritable");
    refused(&["run", "pendulum", "--out", &folder.file("no/such/r.csv")], 2, &["no/such", "does not exist"]);
    refused(&["run", "pendulum", "--out", &folder.0.display().to_string()], 2, &[]);
    refused(&["run", "pendulum", "--snapshot", &folder.file("no/such/r.snap")], 2, &["no folder"]);
    refused(&["run", "pendulum", "--snapshot", &folder.0.display().to_string()], 2, &["is a folder"]);
    let full = std::fs::File::options().write(true).open("/dev/full").expect("Linux has it");
    let out = command(&["run", "pendulum", "--time", "0.1", "--json"]).stdout(full).output().expect("started");
    assert_eq!(out.status.code(), Some(5), "{}", stderr(&out));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_keeps_everything_and_can_be_gone_on_with() {
    for signal in ["INT", "TERM"] {
        let folder = Folder::new(&format!("interrupt-{signal}"));
        let (file, snap) = (folder.file("r.csv"), folder.file("r.snap"));
        let double = scene("double");
        let args = ["run", &double, "--dt", "1e-5", "--time", "1000", "--out", &file, "--snapshot", &snap, "--json"];
        let child = command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
        std::thread::sleep(Duration::from_millis(700));
        let sent = std::process::Command::new("kill").args(["-s", signal, &child.id().to_string()]).status();
        assert!(sent.expect("kill is there").success());
        let out = child.wait_with_output().expect("ended");
        assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
        let v: Value = serde_json::from_str(stdout(&out).lines().last().expect("a line")).expect("JSON");
        assert_eq!(v["interrupted"], true);
        let time = v["time"].as_f64().expect("a time");
        assert!(time > 0.0 && time < 1000.0);
        let info = json(&["info", &file, "--json"]);
        assert_eq!((info["complete"].as_bool(), info["rows"].as_u64()), (Some(true), v["out_rows"].as_u64()));
        // on from there, and all in one go, to a time soon after
        let end = (time + 0.01).to_string();
        let resumed = hash(&["run", &double, "--from", &snap, "--time", &end]);
        assert_eq!(resumed, hash(&["run", &double, "--dt", "1e-5", "--time", &end]), "{signal} at {time}");
    }
}

#[cfg(unix)]
#[test]
fn a_killed_run_can_be_recovered_up_to_the_last_second() {
    let double = scene("double");
    for (k, wait) in [620u64, 1100, 1750].into_iter().enumerate() {
        let folder = Folder::new(&format!("kill-{k}"));
        let (file, whole) = (folder.file("r.csv"), folder.file("whole.csv"));
        let args = ["run", &double, "--dt", "1e-5", "--time", "1000", "--rate", "2000", "--out", &file];
        let mut child = command(&args).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("started");
        // the wait counts from the first byte of the stream: on a busy machine the command may take long to begin
        let stream = format!("{file}.hrec");
        for _ in 0..6000 {
            if std::fs::metadata(&stream).is_ok_and(|m| m.len() > 0) {
                break;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().expect("killed");
        child.wait().expect("ended");
        assert!(!std::path::Path::new(&file).exists());
        let v = json(&["recover", &file, "--json"]);
        let rows = v["rows"].as_u64().expect("a number");
        let time = v["time"][1].as_f64();
        let Some(time) = time else {
            assert!(wait < 1000, "nothing was recorded in {wait} ms");
            continue;
        };
        let end = time.to_string();
        holonom(&["run", &double, "--dt", "1e-5", "--time", &end, "--rate", "2000", "--out", &whole]);
        let (found, all) =
            (std::fs::read_to_string(&file).expect("recovered"), std::fs::read_to_string(&whole).expect("there"));
        assert_eq!(found.lines().count() as u64, rows + 1);
        // the last row of the short run may carry its end time, one rounding away from the grid
        let n = found.lines().count() - 1;
        assert!(found.lines().take(n).eq(all.lines().take(n)), "rows differ");
    }
}

/// The cells of a CSV file, by column.
fn cells(path: &str) -> std::collections::HashMap<String, Vec<f64>> {
    let text = std::fs::read_to_string(path).expect("written");
    let mut lines = text.lines().filter(|l| !l.starts_with('#'));
    let names: Vec<&str> = lines.next().expect("a heading").split(',').collect();
    let rows: Vec<Vec<f64>> = lines.map(|l| l.split(',').map(|x| x.parse().unwrap_or(f64::NAN)).collect()).collect();
    let column = |k: usize| rows.iter().map(|r: &Vec<f64>| r[k]).collect();
    names.iter().enumerate().map(|(k, name)| (name.to_string(), column(k))).collect()
}

/// Painleve's rod: at its start no contact force exists, and a blow decides. The first row has no forces, and all else.
#[test]
fn a_row_without_forces_does_not_end_the_run() {
    let (folder, rod) = (Folder::new("no-forces"), scene("painleve"));
    let (csv, touches) = (folder.file("rod.csv"), folder.file("rod.jsonl"));
    let out = holonom(&["run", &rod, "--json", "--out", &csv, "--contacts", &touches, "--columns", "*"]);
    assert!(out.status.success(), "{}", stderr(&out));
    assert!(stderr(&out).contains("NaN"), "the first such row is warned of: {}", stderr(&out));
    let v: Value = serde_json::from_str(stdout(&out).lines().last().expect("a summary")).expect("JSON");
    let table = cells(&csv);
    let rows = table["time"].len();
    assert_eq!(v["out_rows"].as_u64(), Some(rows as u64));
    assert!(rows >= 6 && table["time"][0] == 0.0);
    let force = &table["contact.rod.ground.force.z"];
    assert!(force[0].is_nan() && table["rod.acc.z"][0].is_nan() && table["contact.count"][0].is_nan());
    let missing = force.iter().filter(|x| x.is_nan()).count();
    assert_eq!(v["out_incomplete_rows"].as_u64(), Some(missing as u64));
    for name in ["rod.pos.x", "rod.vel.x", "rod.quat.w", "energy.total", "contact.rod.ground.gap", "ledger.change"] {
        assert!(table[name].iter().all(|x| x.is_finite()), "{name}");
    }
    assert_eq!((table["rod.vel.x"][0], table["contact.rod.ground.gap"][0]), (1.0, 0.0));
    let first: Value =
        serde_json::from_str(std::fs::read_to_string(&touches).expect("written").lines().next().expect("a line"))
            .expect("JSON");
    assert!(first["contacts"].is_null() && first["time"] == 0.0, "{first}");
    assert_eq!(v["hash"].as_str().expect("a text"), hash(&["run", &rod]), "the motion is that without a recording");
    // the summary for people counts them too
    let out = holonom(&["run", &rod, "--force", "--out", &csv, "--columns", "rod.acc.z"]);
    assert!(stdout(&out).contains("with NaN"), "{}", stdout(&out));
}

/// Contact forces in a pile that no iteration finds to the last digit: rows of places do not need them, rows of forces
/// are NaN, and the run arrives either way.
#[test]
fn piles_are_recorded() {
    let (folder, pile) = (Folder::new("pile"), scene("pyramid-30"));
    let csv = folder.file("pile.csv");
    let v = json(&["run", &pile, "--time", "0.003", "--rate", "1000", "--json", "--out", &csv]);
    assert_eq!((v["out_rows"].as_u64(), v["out_incomplete_rows"].as_u64()), (Some(4), Some(0)));
    assert!(cells(&csv).values().flatten().all(|x| x.is_finite()));
    let columns = ["--columns", "*.contact.force.z,*.pos.z"];
    let v = json(
        &[&["run", &pile, "--time", "0.003", "--rate", "1000", "--json", "--force", "--out", &csv], &columns[..]]
            .concat(),
    );
    let (table, missing) = (cells(&csv), v["out_incomplete_rows"].as_u64().expect("a number"));
    assert_eq!(table["b0.contact.force.z"].iter().filter(|x| x.is_nan()).count() as u64, missing);
    assert!(table["b0.pos.z"].iter().all(|x| x.is_finite()) && v["out_rows"].as_u64() == Some(4));
}

/// A redundant door: reactions share the load; the solver `huge-pivot` keeps its own split, in which a redundant row
/// carries nothing. Sums are the same.
#[test]
fn huge_pivots_record_their_own_loads() {
    let (folder, door) = (Folder::new("loads"), scene("door"));
    let loads = |solver: &str| -> (f64, Vec<f64>) {
        let csv = folder.file(&format!("{solver}.csv"));
        json(&[
            "run",
            &door,
            "--time",
            "0.01",
            "--json",
            "--solver",
            solver,
            "--force",
            "--out",
            &csv,
            "--columns",
            "*",
        ]);
        let table = cells(&csv);
        let mut names: Vec<&String> = table.keys().filter(|n| n.contains(".multiplier")).collect();
        names.sort();
        let total = table.iter().filter(|(n, _)| n.ends_with(".force.z") && !n.contains("contact"));
        (total.map(|(_, x)| x[0]).sum(), names.iter().map(|n| table[*n][0]).collect())
    };
    let ((total, sparse), (sum, huge)) = (loads("sparse"), loads("huge-pivot"));
    assert!((total - sum).abs() < 1e-9 * total.abs(), "{total} {sum}");
    assert!(huge.iter().filter(|x| **x == 0.0).count() > sparse.iter().filter(|x| **x == 0.0).count());
    let apart = sparse.iter().zip(&huge).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(apart > 0.1, "the splits differ: {sparse:?} {huge:?}");
}

#[test]
fn tolerance_is_an_option() {
    let evaluations =
        |tolerance: &str| json(&["run", "pendulum", "--json", "--tolerance", tolerance])["evaluations"].as_u64();
    assert!(evaluations("1e-4") < evaluations("1e-12"));
    assert_eq!(hash(&["run", "pendulum", "--tolerance", "1e-10"]), hash(&["run", "pendulum"]), "the default");
    refused(&["run", "pendulum", "--tolerance", "0"], 2, &["greater than 0"]);
    refused(&["run", "pendulum", "--tolerance", "1e-6", "--dt", "0.01"], 2, &["adaptive"]);
}

/// Planar bodies lie in the x-y plane where nobody says otherwise, across gravity: that is said.
#[test]
fn what_is_left_to_defaults_is_said() {
    let folder = Folder::new("remarks");
    let write = |name: &str, text: &str| {
        let path = folder.file(name);
        std::fs::write(&path, text).expect("written");
        path
    };
    let body = "[body.bar]\nkind = \"planar\"\nmass = 2\ninertia = 0.1\nfrom = [0, 0, 0]\nto = [1, 0, 0]\n";
    let flat = write("flat.toml", body);
    let warnings = json(&["check", &flat, "--json"])["warnings"].to_string();
    assert!(warnings.contains("x-y plane") && warnings.contains("halfway"), "{warnings}");
    let out = holonom(&["run", &flat, "--time", "0.1", "--json"]);
    assert!(stderr(&out).contains("x-y plane") && !stderr(&out).contains("falls"), "{}", stderr(&out));
    let v: Value = serde_json::from_str(stdout(&out).lines().last().expect("a summary")).expect("JSON");
    assert_eq!(v["final"]["bodies"]["bar"]["com"], serde_json::json!([0.5, 0.0, 0.0]), "halfway, and it does not fall");
    let upright =
        write("upright.toml", &format!("{body}plane = {{ x = [1, 0, 0], y = [0, 0, 1] }}\ncom = [0.2, 0, 0]\n"));
    let turned = write("turned.toml", &format!("gravity = [0, -9.81, 0]\n{body}"));
    for (path, halfway) in [(&upright, false), (&turned, true)] {
        let warnings = json(&["check", path, "--json"])["warnings"].to_string();
        assert!(!warnings.contains("x-y plane") && warnings.contains("halfway") == halfway, "{path}: {warnings}");
        // only that nothing holds it
        let said = stderr(&holonom(&["run", path, "--time", "0.1", "--json"]));
        assert!(said.lines().count() == 1 && said.contains("`bar` falls freely"), "{said}");
    }
}

/// A file that is there is not written over unasked; asked, it keeps its bytes until the new one is whole.
#[test]
fn files_are_replaced_only_when_asked() {
    let folder = Folder::new("force");
    let (csv, hrec) = (folder.file("r.csv"), folder.file("r.hrec"));
    for args in [["--out", &csv], ["--out", &hrec]] {
        let run = [&["run", "pendulum", "--time", "0.1"][..], &args[..]].concat();
        json(&[&run[..], &["--json"]].concat());
        let old = std::fs::read(args[1]).expect("written");
        refused(&run, 2, &[args[1], "is there already", "--force replaces it"]);
        assert_eq!(std::fs::read(args[1]).expect("there"), old);
        let longer = ["run", "pendulum", "--time", "0.2", args[0], args[1], "--force", "--json"];
        json(&longer);
        assert_ne!(std::fs::read(args[1]).expect("there"), old);
    }
    // devices are written to as they are
    assert_eq!(holonom(&["run", "pendulum", "--time", "0.1", "--out", "/dev/null"]).status.code(), Some(0));
}

/// No room on the disk: the old scene and the old plot are as they were, and the exit code says so.
#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_old_file() {
    let folder = Folder::new("full");
    let (scene, plot, run) = (folder.file("s.toml"), folder.file("p.svg"), folder.file("r.csv"));
    json(&["run", "pendulum", "--time", "1", "--out", &run, "--json"]);
    std::fs::write(&scene, "# mine\n").expect("written");
    std::fs::write(&plot, "<svg/>").expect("written");
    let cases = [
        (&scene, vec!["convert", "excavator", &scene, "--force"]),
        (&plot, vec!["plot", &run, "--y", "energy.*", "-o", &plot]),
    ];
    for (target, args) in cases {
        let before = std::fs::read(target).expect("there");
        let mut command = std::process::Command::new("sh");
        command.arg("-c").arg("trap '' XFSZ; ulimit -f 1; exec \"$0\" \"$@\"").arg(env!("CARGO_BIN_EXE_holonom"));
        let out = command.args(&args).output().expect("run");
        assert_eq!(out.status.code(), Some(5), "{args:?}: {}", stderr(&out));
        assert_eq!(std::fs::read(target).expect("there"), before, "{args:?}");
        // and with room
        assert_eq!(holonom(&args).status.code(), Some(0), "{args:?}");
        assert_ne!(std::fs::read(target).expect("there"), before, "{args:?}");
    }
    let mut names: Vec<_> = std::fs::read_dir(&folder.0).expect("there").flatten().map(|e| e.file_name()).collect();
    names.sort();
    assert_eq!(names, ["p.svg", "r.csv", "r.units.csv", "s.toml"], "nothing else is left beside them");
}
