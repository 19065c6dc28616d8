//! Contact in the command: fields, columns, the same bits whatever is recorded and wherever it is resumed, what the doctor says, piles that are timed.

mod common;
use common::{Folder, holonom, json, refused, scene, stderr, stdout};
use serde_json::Value;

/// The ways to run: events with adaptive and with fixed steps, with and without dense output, and time stepping.
const WAYS: [&[&str]; 4] = [
    &[],
    &["--dt", "0.005"],
    &["--integrator", "rk4", "--dt", "0.003"],
    &["--integrator", "stepping", "--dt", "0.002"],
];

fn run(scene: &str, time: f64, way: &[&str], more: &[&str]) -> Value {
    let time = time.to_string();
    let mut args = vec!["run", scene, "--time", &time, "--json"];
    args.extend(way);
    args.extend(more);
    json(&args)
}

fn column(path: &str, name: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(path).expect("there");
    let mut lines = text.lines();
    let names: Vec<&str> = lines.next().expect("a header").split(',').collect();
    let at = names.iter().position(|n| *n == name).unwrap_or_else(|| panic!("no {name} in {names:?}"));
    lines.map(|l| l.split(',').nth(at).expect("a field").parse().expect("a number")).collect()
}

#[test]
fn summaries_say_what_touches() {
    let touching = scene("touching");
    for way in WAYS {
        let v = run(&touching, 2.0, way, &[]);
        assert!(v["max_penetration"].as_f64().expect("a number") < 1e-6, "{way:?}: {}", v["max_penetration"]);
        let contacts = v["contacts"].as_u64().expect("a number");
        assert!(contacts >= 4, "{way:?}: the box rests on its corners: {contacts}");
        let listed = v["final"]["contacts"].as_array().expect("a list");
        assert_eq!(listed.len() as u64, contacts);
        let of_box = listed.iter().filter(|c| c["a"] == "box" || c["b"] == "box");
        let weight: f64 = of_box.map(|c| c["force"][2].as_f64().expect("a number").abs()).sum();
        assert!((weight - 2.0 * 9.81).abs() < 1e-6, "{way:?}: {weight} N");
        assert!(v["largest_contact_force"].as_f64().expect("a number") > 4.0);
        let stepping = way.contains(&"stepping");
        assert_eq!(v["events"].as_u64().expect("a number") > 10, !stepping, "{way:?}: {}", v["events"]);
        assert_eq!(v["integrator_by_default"].as_bool(), Some(!way.contains(&"--integrator")));
        // the rod lies on its stop: half of its weight is on the pin, and the stop carries 1/2 m g L cos(0.5)
        let stop = &v["final"]["joints"]["pin.limit"];
        assert_eq!(stop["state"], "holds", "{way:?}: {stop}");
        // friction of 0.2 N m takes its share
        let torque = stop["multipliers"][1].as_f64().expect("a number");
        assert!((torque - 0.5 * 9.81 * 0.5f64.cos()).abs() < 0.2 + 1e-6, "{way:?}: {torque} N m");
    }
    let out = holonom(&["run", &touching]);
    let text = stdout(&out);
    assert!(text.contains("contact ") && text.contains("touches now, largest force"), "{text}{}", stderr(&out));
    assert!(text.contains("dop853 with events, adaptive steps"), "{text}");
    let wall = stdout(&holonom(&["run", "tower-1000", "--time", "0.01"]));
    assert!(wall.contains("stepping"), "{wall}");
}

#[test]
fn recording_changes_nothing_also_with_contact() {
    let folder = Folder::new("contact-bits");
    let touching = scene("touching");
    for way in WAYS {
        let plain = run(&touching, 1.5, way, &[])["hash"].clone();
        assert_eq!(plain, run(&touching, 1.5, way, &[])["hash"], "{way:?}: twice");
        for (name, rate) in [("a.csv", "10"), ("b.parquet", "333.3"), ("c.hrec", "1000")] {
            let (file, lines) = (folder.file(name), folder.file("contacts.jsonl"));
            let more = ["--force", "--out", &file, "--rate", rate, "--columns", "*", "--contacts", &lines];
            assert_eq!(plain, run(&touching, 1.5, way, &more)["hash"], "{way:?}: {name} at {rate}");
        }
    }
}

#[test]
fn runs_with_contact_resume_bit_for_bit() {
    let folder = Folder::new("contact-resume");
    let snap = folder.file("at.snap");
    let touching = scene("touching");
    for way in WAYS {
        let whole = run(&touching, 1.5, way, &[])["hash"].clone();
        // in the air, amid bounces, while the box slips and when it lies still
        for part in [0.0, 0.1, 0.331_3, 0.5, 0.777_7, 0.999_9, 1.0] {
            run(&touching, 1.5 * part, way, &["--snapshot", &snap]);
            assert_eq!(whole, run(&touching, 1.5, way, &["--from", &snap])["hash"], "{way:?} from {}", 1.5 * part);
        }
    }
}

#[test]
fn contacts_are_columns() {
    let folder = Folder::new("contact-columns");
    let (file, lines) = (folder.file("r.csv"), folder.file("r.jsonl"));
    let touching = scene("touching");
    run(&touching, 2.0, &[], &["--force", "--out", &file, "--rate", "200", "--columns", "*", "--contacts", &lines]);
    let time = column(&file, "time");
    let (x, z) = (column(&file, "contact.box.ground.force.x"), column(&file, "contact.box.ground.force.z"));
    let (state, points) = (column(&file, "contact.box.ground.state"), column(&file, "contact.box.ground.points"));
    // slips until v = mu g t, then sticks
    let stops = 1.5 / (0.3 * 9.81);
    for (k, t) in time.iter().enumerate() {
        assert!((z[k] - 2.0 * 9.81).abs() < 1e-6, "{t} s: {} N", z[k]);
        let expected = if *t < stops { (-0.3 * 2.0 * 9.81, 2.0) } else { (0.0, 1.0) };
        assert!((x[k] - expected.0).abs() < 1e-6 && state[k] == expected.1, "{t} s: {} N, state {}", x[k], state[k]);
        assert!(points[k] >= 3.0, "{t} s: {} points", points[k]);
    }
    // the ball is in the air, and the gap is its height
    let (gap, height) = (column(&file, "contact.ball.ground.gap"), column(&file, "ball.pos.z"));
    assert!(gap.iter().zip(&height).all(|(g, z)| (g - (z - 0.1)).abs() < 1e-12), "gaps");
    assert_eq!(column(&file, "contact.ball.ground.points")[1], 0.0);
    // the rope is slack, jerks taut, and carries the weight
    let (tension, slack) = (column(&file, "tether.tension"), column(&file, "tether.gap"));
    assert!(tension[0] == 0.0 && (slack[0] - 0.2).abs() < 1e-12, "{} N, {} m", tension[0], slack[0]);
    let last = time.len() - 1;
    assert!((tension[last] - 3.0 * 9.81).abs() < 1e-6 && slack[last].abs() < 1e-9, "{} N", tension[last]);
    assert_eq!((column(&file, "tether.state")[0], column(&file, "tether.state")[last]), (0.0, 1.0));
    assert_eq!(column(&file, "pin.limit.state")[last], 1.0);
    // the ledger knows what friction and impacts took
    let (lost, error) = (column(&file, "ledger.contacts"), column(&file, "ledger.error"));
    assert!(
        lost[last] < -0.5 * 2.0 * 1.5 * 1.5 && error[last].abs() < 1e-6,
        "{} J, error {} J",
        lost[last],
        error[last]
    );
    assert!(column(&file, "contact.overlap").iter().all(|x| *x < 1e-9));
    assert!(column(&file, "certificate.complementarity").iter().all(|x| *x < 1e-6));
    // one by one they are lines of JSON, and add up to the columns
    let text = std::fs::read_to_string(&lines).expect("there");
    assert_eq!(text.lines().count(), time.len());
    for (k, line) in text.lines().enumerate() {
        let v: Value = serde_json::from_str(line).expect("JSON");
        assert_eq!(v["time"].as_f64(), Some(time[k]));
        let of_box = v["contacts"].as_array().expect("a list").iter().filter(|c| c["a"] == "box" || c["b"] == "box");
        let sum: f64 = of_box.map(|c| c["force"][2].as_f64().expect("a number").abs()).sum();
        assert!((sum - z[k]).abs() < 1e-9, "{sum} {}", z[k]);
    }
    refused(&["run", &touching, "--contacts", &lines], 2, &["--out"]);
    refused(&["run", &touching, "--force", "--out", &file, "--contacts", &folder.file("no/such/f")], 5, &["no/such"]);
}

#[test]
fn contacts_are_drawn() {
    let folder = Folder::new("contact-plot");
    let (file, picture) = (folder.file("r.csv"), folder.file("r.svg"));
    let touching = scene("touching");
    // among the usual columns are those of all pairs, where they are few
    run(&touching, 1.0, &[], &["--force", "--out", &file]);
    assert!(column(&file, "contact.ball.box.force.x").iter().all(|x| *x == 0.0));
    let out = holonom(&["plot", &file, "--y", "contact.*.force.*,*.tension,*.effort", "-o", &picture]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    assert!(std::fs::read_to_string(&picture).expect("drawn").contains("contact.box.ground.force.x"));
}

#[test]
fn the_doctor_says_what_may_touch_and_what_overlaps() {
    let touching = scene("touching");
    let v = json(&["check", &touching, "--json"]);
    assert_eq!((v["shapes"].as_u64(), v["contact_pairs"].as_u64()), (Some(3), Some(3)), "{v}");
    assert_eq!(v["one_sided"].as_u64(), Some(3), "a limit, a friction, a rope");
    assert_eq!((v["integrator"].as_str(), v["impacts"].as_str()), (Some("dop853"), Some("newton, simultaneous")));
    assert_eq!(v["overlaps"].as_array().map(Vec::len), Some(0));
    let text = stdout(&holonom(&["check", &touching]));
    assert!(text.contains("3 pairs of bodies, none excluded") && text.contains("with events"), "{text}");
    let sunk =
        ["check", &touching, "--set", "body.box.at=[0, 2, 0.07]", "--set", "joint.pin.limits=[0.1, 0.5]", "--json"];
    let v = json(&sunk);
    let deepest = &v["overlaps"][0];
    assert_eq!((deepest["a"].as_str(), deepest["b"].as_str()), (Some("box"), Some("ground")));
    assert!((deepest["depth"].as_f64().expect("a number") - 0.03).abs() < 1e-12, "{deepest}");
    assert_eq!(v["exceeded"][0]["joint"], "pin.limit");
    assert!((v["exceeded"][0]["by"].as_f64().expect("a number") - 0.1).abs() < 1e-12, "{v}");
    let text = stdout(&holonom(&sunk[..sunk.len() - 1]));
    assert!(text.contains("`box` and `ground` overlap by 3.000e-2 m at the start"), "{text}");
    assert!(text.contains("`pin.limit` is exceeded by 1.000e-1 m or rad"), "{text}");
}

#[test]
fn piles_are_timed_by_steps() {
    let report = json(&["bench", "f9", "tower-4", "a16", "--json"]);
    assert_eq!(report["cases"].as_array().map(Vec::len), Some(1));
    let steps = report["steps"].as_array().expect("a list");
    for (case, (name, n)) in steps.iter().zip([("f9", 9), ("tower-4", 4)]) {
        assert_eq!((case["case"].as_str(), case["n"].as_u64()), (Some(name), Some(n)));
        let number = |key: &str| case[key].as_f64().unwrap_or_else(|| panic!("{name}: {key} is no number"));
        assert!(number("us_min") > 0.0 && number("us_min") <= number("us_median"), "{name}");
        assert!(number("contacts") >= 4.0 * n as f64, "{name}: {}", number("contacts"));
        assert!(number("sink") < 1e-6 && number("creep") < 1e-6 && number("overlap") < 1e-6, "{name}: {case}");
    }
    let heap = json(&["bench", "heap-mixed-8", "--json"])["steps"][0].clone();
    assert_eq!((heap["n"].as_u64(), heap["steps"].as_u64()), (Some(8), Some(480)));
    assert!(heap["us_last"].as_f64() > Some(0.0) && heap["overlap"].as_f64() < Some(1e-6), "{heap}");
    assert!(heap["contacts"].as_u64() >= Some(8) && heap["sink"].as_f64() > Some(0.02), "{heap}");
    refused(&["bench", "heap-cones-8"], 2, &["`heap-cones-8`", "heap-spheres-N"]);
    let text = stdout(&holonom(&["bench", "f4"]));
    assert!(text.contains("One step of 1 ms") && text.contains("creep"), "{text}");
    refused(&["bench", "f10"], 2, &["`f10`", "N a square"]);
    refused(&["bench", "f998001"], 4, &["10000 bodies"]);
}

#[cfg(unix)]
#[test]
fn killed_recordings_of_contact_recover() {
    let folder = Folder::new("contact-kill");
    let file = folder.file("r.csv");
    let touching = scene("touching");
    let args = ["run", &touching, "--time", "100000", "--dt", "1e-3", "--rate", "1000", "--out", &file];
    let mut child = common::command(&args)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("started");
    std::thread::sleep(std::time::Duration::from_millis(2500));
    child.kill().expect("killed");
    child.wait().expect("ended");
    let v = json(&["recover", &file, "--json"]);
    assert!(v["rows"].as_u64().expect("a number") > 10, "{v}");
    assert!(column(&file, "contact.box.ground.force.z").iter().all(|f| (f - 2.0 * 9.81).abs() < 1e-6));
}

/// Where energy went, column by column: forces, joints, friction, impacts, drives in blows, projection, time stepping.
#[test]
fn the_ledger_closes_through_blows_with_drives() {
    let folder = Folder::new("contact-ledger");
    let file = folder.file("r.csv");
    for name in ["driven-bouncing", "driven-bouncing-wave"] {
        let path = scene(name);
        for (way, allowed) in [(&[][..], 1e-9), (&["--integrator", "stepping"][..], 1e-12)] {
            let v =
                run(&path, 3.0, way, &["--force", "--out", &file, "--columns", "energy.*", "--columns", "ledger.*"]);
            let number = |at: &Value| at.as_f64().expect("a number");
            assert!(number(&v["energy_unaccounted"]) <= allowed, "{name} {way:?}: {}", v["energy_unaccounted"]);
            let parts = [
                "forces",
                "joints",
                "bodies",
                "friction",
                "impacts",
                "blows",
                "projection",
                "stepping",
                "imposed",
                "error",
            ];
            let sum: f64 = parts.iter().map(|part| number(&v["ledger"][part])).sum();
            assert!((sum - number(&v["ledger"]["change"])).abs() < 1e-10, "{name}: {}", v["ledger"]);
            assert!(number(&v["ledger"]["impacts"]) < -10.0 && number(&v["ledger"]["friction"]) < -10.0);
            let works = ["ledger.joint.h", "ledger.joint.m", "ledger.friction", "ledger.impacts", "ledger.blows"];
            let method = ["ledger.projection", "ledger.stepping"];
            let columns: Vec<Vec<f64>> = works.iter().chain(&method).map(|c| column(&file, c)).collect();
            let total = column(&file, "energy.total");
            let size = total.iter().fold(0.0f64, |m, e| m.max(*e));
            for (k, energy) in total.iter().enumerate() {
                let works: f64 = columns.iter().map(|c| c[k]).sum();
                // rows between steps come from dense output, which has an error of its own
                let open = (energy - total[0] - works).abs() / size;
                assert!(open <= 1e-8, "{name} {way:?}, row {k}: {open:e}");
            }
        }
    }
}

/// By f = m v a box stays on the floor and a hinge at its stop; both laws end at the same place.
#[test]
fn things_hold_under_the_law_f_m_v() {
    for dt in ["0.001", "0.02"] {
        let law = ["--law", "first-order", "--dt", dt];
        let v = run(&scene("first-order-floor"), 1.0, &law, &[]);
        let z = v["final"]["bodies"]["a"]["com"][2].as_f64().expect("a number");
        assert!((z - 0.5).abs() < 1e-9 && v["max_penetration"].as_f64().expect("a number") < 1e-9, "{z}: {v}");
        let v = run(&scene("first-order-stop"), 1.0, &law, &[]);
        let angle = v["final"]["joints"]["h"]["coordinate"].as_f64().expect("a number");
        assert!((angle - 0.3).abs() < 1e-9 && v["max_penetration"].as_f64().expect("a number") < 1e-9, "{angle}: {v}");
    }
    let folder = Folder::new("first-order");
    let file = folder.file("r.csv");
    let driven = scene("first-order-driven");
    let out = holonom(&["run", &driven, "--law", "first-order", "--time", "1", "--out", &file]);
    let said = stderr(&out);
    assert!(!out.status.success() && said.contains("`h.limit`") && said.contains("`m`"), "{said}");
}

/// Events of a run by name, as (time, line).
fn events(file: &str, name: &str) -> Vec<(f64, serde_json::Value)> {
    let text = std::fs::read_to_string(file).expect("events");
    let lines = text.lines().map(|l| serde_json::from_str::<serde_json::Value>(l).expect("a line of JSON"));
    let named = lines.filter(|l| l["event"] == name);
    named.map(|l| (l["time"].as_f64().expect("a time"), l)).collect()
}

/// Belt, threshold, softness and sensor in a scene file, and the events of it.
#[test]
fn events_are_written_and_change_nothing() {
    let folder = Folder::new("contact-events");
    let (services, file) = (scene("services"), folder.file("e.jsonl"));
    for way in WAYS {
        let stepping = way.contains(&"stepping");
        let plain = run(&services, 3.0, way, &[])["hash"].clone();
        let with = run(&services, 3.0, way, &["--force", "--events", &file]);
        assert_eq!(plain, with["hash"], "{way:?}");
        let near = if stepping { 2e-2 } else { 1e-6 };
        // the parcel touches from the start; the ball and the soft floor begin when they meet
        let begun = events(&file, "begin");
        assert!(begun.iter().any(|(t, l)| *t == 0.0 && l["a"] == "parcel" && l["b"] == "ground"), "{way:?}: {begun:?}");
        // sqrt(2 g h), then half as fast each time until 0.55 m/s, below the threshold
        let first = (2.0 * 9.81f64).sqrt();
        let impacts: Vec<_> = events(&file, "impact").into_iter().filter(|(_, l)| l["a"] == "bouncer").collect();
        assert_eq!(impacts.len(), 4, "{way:?}: {impacts:?}");
        for (k, (_, line)) in impacts.iter().enumerate() {
            let speed = first * 0.5f64.powi(k as i32);
            let back = if speed > 0.8 { 1.5 } else { 1.0 };
            // time stepping: every bounce so far is off by up to g h
            let near = if stepping { near * (k + 1) as f64 } else { near };
            assert!((line["speed"].as_f64().unwrap() - speed).abs() < near, "{way:?}: {line}");
            assert!((line["impulse"][2].as_f64().unwrap() - back * speed).abs() < 3.0 * near, "{way:?}: {line}");
        }
        // the front of the parcel at 0.9 m: mu g t until 1.5 m/s, then evenly
        let slip = 1.5 / (0.4 * 9.81);
        let enters = slip + (0.8 - 0.5 * 1.5 * slip) / 1.5;
        let found = events(&file, "enter");
        assert!(found.len() == 1 && (found[0].0 - enters).abs() < near, "{way:?}: {found:?} for {enters}");
        assert!(found[0].1["a"] == "ground" && found[0].1["b"] == "parcel");
        let left = events(&file, "leave");
        assert!(left.len() == 1 && (left[0].0 - enters - 0.4 / 1.5).abs() < near, "{way:?}: {left:?}");
    }
    refused(&["run", &services, "--force", "--events", &folder.file("no/such/f")], 5, &["no/such"]);
}
