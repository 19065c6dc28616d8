//! Studies: every finished run is a row at once, whatever ends the program, and the table is the same as if nothing
//! had.

mod common;
use common::{Folder, command, diagnosed, holonom, json, refused, stderr, stdout};
use std::path::Path;
use std::time::{Duration, Instant};

/// A study in a folder of its own.
fn study(name: &str, text: &str) -> (Folder, String) {
    let folder = Folder::new(&format!("sweep-{name}"));
    let path = folder.file("study.toml");
    std::fs::write(&path, text).expect("written");
    (folder, path)
}

/// So many short runs with what can differ between them: a parameter, samples, and runs that fail.
const MANY: &str = r#"
scene = "double-pendulum"
[run]
time = 0.4
dt = 2e-3
integrator = "rk4"
[sample]
count = 40
seed = 7
[factor.pull]
path = "gravity"
values = [[0, 0, -9.81], [0, 0, -1.62], [0, 0, 3.0]]
[factor.lower-mass]
path = "body.lower.density"
kind = "normal"
mean = 7800
deviation = 300
unit = "kg/m^3"
[outcome]
load = "max(shoulder.force.norm)"
fall = "final(lower.pos.z) - initial(lower.pos.z)"
share = "load / 2"
"#;

fn read(path: &str) -> Vec<u8> {
    std::fs::read(path).unwrap_or_else(|e| panic!("{path}: {e}"))
}

#[test]
fn killed_at_any_moment_it_goes_on_and_ends_with_the_same_table() {
    let (folder, path) = study("killed", MANY);
    let whole = json(&["sweep", &path, "-o", &folder.file("whole"), "--jobs", "1", "--json"]);
    assert_eq!((&whole["runs"], &whole["finished"], &whole["failed"]), (&120.into(), &120.into(), &0.into()));
    let name = folder.file("killed");
    let journal = folder.file("killed.sweep");
    let (mut seed, mut kills, mut rows_before) = (0x2545_f491_4f6c_dd1du64, 0, 0);
    while kills < 5 {
        let mut child =
            command(&["sweep", &path, "-o", &name, "--jobs", "2", "--quiet"]).spawn().expect("it can be started");
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        // at the latest when a few more rows are there
        let (begun, wait) = (Instant::now(), Duration::from_millis(30 + (seed >> 40) % 200));
        let wanted = rows_before + 2 * 8 + seed % 1500;
        let length = || std::fs::metadata(&journal).map_or(0, |m| m.len());
        while length() < wanted && begun.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(wait / 100);
        child.kill().expect("it can be killed");
        let ended = child.wait().expect("it ends");
        kills += 1;
        // it may have been faster
        if ended.success() {
            break;
        }
        rows_before = length();
    }
    assert!(kills >= 3, "only {kills} times: seed {seed}");
    let rest = json(&["sweep", &path, "-o", &name, "--json"]);
    assert_eq!(rest["finished"], 120, "{rest}");
    assert!(rest["resumed"].as_u64().is_some_and(|n| n > 0), "{rest}");
    for suffix in ["csv", "parquet"] {
        let (a, b) = (read(&folder.file(&format!("whole.{suffix}"))), read(&format!("{name}.{suffix}")));
        assert!(a == b, "{suffix} differs, killed {kills} times");
    }
    let text = String::from_utf8(read(&format!("{name}.csv"))).expect("text");
    let runs: Vec<f64> =
        text.lines().skip(1).map(|l| l.split(',').next().expect("a field").parse().expect("a number")).collect();
    assert_eq!(runs, (0..120).map(f64::from).collect::<Vec<_>>(), "every row once");
    // a torn row at the end: it is made again, and said
    let torn = read(&journal);
    std::fs::write(&journal, &torn[..torn.len() - 5]).expect("written");
    let out = holonom(&["sweep", &path, "-o", &name, "--json"]);
    assert!(stderr(&out).contains("it is made again"), "{}", stderr(&out));
    assert!(read(&folder.file("whole.csv")) == read(&format!("{name}.csv")));
}

#[test]
fn a_row_has_the_bits_of_a_run() {
    let (folder, path) = study("bits", &MANY.replace("count = 40", "count = 2"));
    json(&["sweep", &path, "-o", &folder.file("t"), "--json"]);
    let text = String::from_utf8(read(&folder.file("t.csv"))).expect("text");
    let names: Vec<&str> = text.lines().next().expect("a header").split(',').collect();
    let last: Vec<&str> = text.lines().nth(6).expect("six rows").split("\",\"").collect();
    assert!(names.contains(&"lower-mass") && last.len() > 3, "{text}");
    // the settings of that row, given to a run
    let dry = json(&["sweep", &path, "--dry-run", "--json"]);
    let settings: Vec<&str> =
        dry["settings"][5].as_array().expect("a list").iter().filter_map(|s| s.as_str()).collect();
    let csv = folder.file("run.csv");
    let mut args = vec!["run", "double-pendulum", "--time", "0.4", "--dt", "2e-3", "--integrator", "rk4", "--json"];
    args.extend(["--out", &csv, "--columns", "shoulder.force.norm,lower.pos.z"]);
    settings.iter().for_each(|s| args.extend(["--set", s]));
    let run = json(&args);
    assert!(text.lines().nth(6).expect("six rows").contains(run["hash"].as_str().expect("a hash")), "{text}\n{run}");
    // and the outcomes are those of its recording
    let rows = String::from_utf8(read(&csv)).expect("text");
    let column = |k: usize| {
        rows.lines()
            .skip(1)
            .map(|l| l.split(',').nth(k).expect("a field").parse().expect("a number"))
            .collect::<Vec<f64>>()
    };
    let (load, z) = (column(1), column(2));
    let peak = load.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let fall = z[z.len() - 1] - z[0];
    let fields = text.lines().nth(6).expect("six rows");
    for value in [peak, fall, peak / 2.0] {
        assert!(fields.contains(&format!(",{value:?},")), "{value:?} is not in {fields}");
    }
}

#[test]
fn runs_that_fail_are_rows_with_their_errors() {
    let text = r#"
scene = "pendulum"
[run]
time = 0.1
[factor.mass]
path = "body.rod.density"
values = [7800, -1, 100]
[factor.step]
path = "run.dt"
values = [1e-3, 1e-2]
[outcome]
load = "max(pin.force.norm)"
"#;
    let (folder, path) = study("failing", text);
    let s = json(&["sweep", &path, "-o", &folder.file("t"), "--json"]);
    assert_eq!((&s["failed"], &s["errors"]["E0205"]), (&2.into(), &2.into()), "{s}");
    let table = String::from_utf8(read(&folder.file("t.csv"))).expect("text");
    let third = table.lines().nth(3).expect("rows");
    assert!(third.starts_with("2.0,-1.0,0.001,NaN,NaN,0.0,\"failed\",\"E0205\",\""), "{third}");
    let shown = holonom(&["sweep", &path, "-o", &folder.file("t")]);
    assert!(stdout(&shown).contains("6 of 6, 6 of them before, 2 failed"), "{}", stdout(&shown));
}

#[test]
fn another_study_does_not_take_over_the_rows_of_the_first() {
    let (folder, path) = study("changed", &MANY.replace("count = 40", "count = 1"));
    let name = folder.file("t");
    json(&["sweep", &path, "-o", &name, "--json"]);
    let before = read(&folder.file("t.csv"));
    // comments, and what is only for people, are no other study
    std::fs::write(&path, format!("# once more\n{}", MANY.replace("count = 40", "count = 1"))).expect("written");
    assert_eq!(json(&["sweep", &path, "-o", &name, "--json"])["resumed"], 3);
    std::fs::write(&path, MANY.replace("count = 40", "count = 2")).expect("written");
    refused(&["sweep", &path, "-o", &name], 2, &["other factors, samples or outcomes", "--force begins anew"]);
    std::fs::write(&path, MANY.replace("count = 40", "count = 1").replace("time = 0.4", "time = 0.3"))
        .expect("written");
    refused(&["sweep", &path, "-o", &name], 2, &["another scene, or of this one before it was changed"]);
    assert!(read(&folder.file("t.csv")) == before);
    assert_eq!(json(&["sweep", &path, "-o", &name, "--force", "--json"])["resumed"], 0);
    assert!(read(&folder.file("t.csv")) != before);
    // tables of somebody else
    std::fs::write(folder.file("other.csv"), "mine\n").expect("written");
    refused(&["sweep", &path, "-o", &folder.file("other")], 2, &["is there already", "--force"]);
    assert_eq!(read(&folder.file("other.csv")), b"mine\n");
}

#[test]
fn mistakes_are_shown_at_their_lines() {
    let good = MANY.replace("count = 40", "count = 1");
    let wrong = |from: &str, to: &str, code: &str, parts: &[&str]| {
        assert!(good.contains(from), "{from}");
        let (_folder, path) = study("wrong", &good.replacen(from, to, 1));
        diagnosed(&["sweep", &path], 2, code, parts);
    };
    wrong(
        "scene = \"double-pendulum\"",
        "scene = \"duoble-pendulum\"",
        "E0104",
        &["study.toml:2:9", "did you mean `double-pendulum`?"],
    );
    wrong("[sample]", "[sampel]", "E0201", &["study.toml:7:2", "did you mean `sample`?"]);
    wrong("body.lower.density", "body.lwoer.density", "E0224", &["study.toml:14:8", "did you mean `lower`?"]);
    wrong("kind = \"normal\"", "kind = \"norml\"", "E0204", &["study.toml:15:8", "did you mean `normal`?"]);
    wrong("deviation = 300", "deviation = -3", "E0205", &["study.toml:17"]);
    wrong("shoulder.force.norm", "shoulder.force.nrom", "E0227", &["study.toml:20:13", "did you mean"]);
    wrong("\"max(shoulder", "\"mxa(shoulder", "E0221", &["study.toml:20:9", "did you mean `max`?"]);
    wrong("load / 2", "laod / 2", "E0220", &["study.toml:22:10", "did you mean `load`?"]);
    wrong("load / 2", "load / (2", "E0221", &["study.toml:22:17", "not closed"]);
    wrong("load / 2", "shoulder.force.x", "E0221", &["changes with time", "final(shoulder.force.x)"]);
    wrong("time = 0.4", "time = -1", "E0205", &["study.toml:4:8"]);
    wrong("integrator = \"rk4\"", "integrator = \"rk5\"", "E0228", &["did you mean `rk4`?"]);
    wrong("[factor.pull]", "[factor.hash]", "E0209", &["hash"]);
    refused(&["sweep", "no-such-study.toml"], 2, &["there is no study `no-such-study.toml`"]);
}

#[test]
fn the_table_does_not_depend_on_the_number_of_threads_and_scenes_are_found_beside_the_study() {
    let scene = "[params]\nL = 1\n[body.rod]\nshape = { kind = \"box\", size = [\"${L}\", 0.05, 0.05] }\ndensity = 7800\nat = [\"${L/2}\", 0, 0]\n\
                 [joint.pin]\nkind = \"revolute\"\nb = \"rod\"\nat = [0, 0, 0]\naxis = [0, 1, 0]\n";
    let text = "scene = \"rod.toml\"\n[run]\ntime = 0.5\n[factor.L]\nkind = \"range\"\nfrom = 0.5\nto = 2\ncount = 7\nunit = \"m\"\n\
                [outcome]\nquarter = \"time_of(rod.pos.x < 0.5 * L * 0.5)\"\nspeed = \"max(rod.omega.norm, time < 0.3) * L\"\nup = \"count(pin.rate > 0)\"\n";
    let (folder, path) = study("threads", text);
    std::fs::write(folder.file("rod.toml"), scene).expect("written");
    for jobs in ["1", "2", "5"] {
        json(&["sweep", &path, "-o", &folder.file(jobs), "--jobs", jobs, "--json"]);
        assert!(read(&folder.file("1.csv")) == read(&folder.file(&format!("{jobs}.csv"))), "{jobs}");
    }
    // longer rods fall slower, as the root of their lengths
    let table = String::from_utf8(read(&folder.file("1.csv"))).expect("text");
    let value = |row: usize, k: usize| -> f64 {
        table.lines().nth(row).and_then(|l| l.split(',').nth(k)).and_then(|f| f.parse().ok()).expect("a number")
    };
    assert_eq!((value(1, 1), value(7, 1)), (0.5, 2.0));
    let ratio = value(3, 2) / value(1, 2);
    assert!((ratio - 2f64.sqrt()).abs() < 2e-3, "{ratio}");
    assert!(Path::new(&folder.file("1.parquet")).is_file());
    // a scene elsewhere is not read
    let (_other, path) = study("elsewhere", &text.replace("rod.toml", "../rod.toml"));
    diagnosed(&["sweep", &path], 2, "E0110", &["study.toml:1:9"]);
}

#[test]
fn pictures_of_tables() {
    let text = "scene = \"pendulum\"\n[run]\ntime = 0.1\n[factor.density]\npath = \"body.rod.density\"\nkind = \"range\"\nfrom = 1000\nto = 4000\ncount = 4\nunit = \"kg/m^3\"\n\
                [factor.pull]\npath = \"gravity\"\nvalues = [[0, 0, -9.81], [0, 0, -1.62]]\n[outcome]\nload = \"initial(pin.force.norm)\"\nend-rate = \"final(pin.rate)\"\n";
    let (folder, path) = study("pictures", text);
    json(&["sweep", &path, "-o", &folder.file("t"), "--json"]);
    // the load is that of a quarter of the weight: V rho g / 4
    for table in ["t.csv", "t.parquet", "t.sweep"] {
        let table = folder.file(table);
        let svg = folder.file("p.svg");
        let drawn = |more: &[&str]| {
            let out = holonom(&[&["plot", &table], more, &["-o", &svg]].concat());
            assert_eq!(out.status.code(), Some(0), "{more:?}: {}", stderr(&out));
            String::from_utf8(read(&svg)).expect("text")
        };
        let curves = drawn(&["--y", "load"]);
        assert!(curves.contains("density (kg/m^3)") && curves.contains("pull [0, 0, -1.62]"), "{curves}");
        let map = drawn(&["--z", "load", "--x", "density", "--y", "pull"]);
        // 0.0025 m^3, 4000 kg/m^3, and a little for the thickness of the rod
        assert!(map.contains(">24.6</text>") && map.contains("#fde725"), "{map}");
        let tornado = drawn(&["--y", "load", "--tornado"]);
        assert!(tornado.contains(">pull</text>") && tornado.contains(" %</text>"), "{tornado}");
        assert!(!tornado.contains("end-rate"), "an outcome is no factor: {tornado}");
    }
    let csv = folder.file("t.csv");
    let sketch = stdout(&holonom(&["plot", &csv, "--z", "load", "--x", "density", "--y", "pull", "--ascii"]));
    assert!(sketch.contains("24.6") && sketch.contains(" 4000\n"), "{sketch}");
    let one = stdout(&holonom(&["plot", &csv, "--y", "load", "--only", "pull=[0, 0, -9.81]"]));
    assert!(one.contains("load"), "{one}");
    refused(&["plot", &csv, "--y", "laod"], 2, &["no column `laod`", "did you mean `load`?"]);
    refused(&["plot", &csv], 2, &["--y says which outcomes", "load"]);
    refused(&["plot", &csv, "--y", "load", "--only", "density=7"], 2, &["no row of"]);
    refused(&["plot", &csv, "--z", "load"], 2, &["two factors"]);
    refused(&["plot", &csv, "--y", "load", "--only", "density"], 2, &["must be NAME=VALUE"]);
    json(&["run", "pendulum", "--time", "0.1", "--out", &folder.file("r.csv"), "--json"]);
    refused(&["plot", &folder.file("r.csv"), "--y", "pin.rate", "--tornado"], 2, &["tables of studies"]);
}

#[test]
fn the_study_of_the_cyclist_is_understood() {
    let path = format!("{}/../../studies/bike-over-stones.toml", env!("CARGO_MANIFEST_DIR"));
    let dry = json(&["sweep", &path, "--dry-run", "--json"]);
    assert_eq!(dry["runs"], 7 * 2 * 2 * 3);
    assert_eq!(dry["settings"][83].to_string(), r#"["step=0.06","shape=1","soft=1","speed=7"]"#);
}
