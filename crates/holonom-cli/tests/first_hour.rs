//! What people try in their first hour with the command: robots, scenes through pipes, tables with units, several runs in one plot, snapshots under
//! other numbers, completions and manual pages.

mod common;

use common::{Folder, command, diagnosed, holonom, json, refused, stderr, stdout};
use std::io::Write as _;
use std::process::Stdio;

const ROD: &str = r#"
[params]
L = 1
[body.rod]
shape = { kind = "box", size = ["${L}", 0.05, 0.05] }
density = 7800
at = ["${L/2}", 0, 0]
[joint.pin]
kind = "revolute"
b = "rod"
at = [0, 0, 0]
axis = [0, 1, 0]
"#;

#[test]
fn a_snapshot_belongs_to_its_numbers() {
    let folder = Folder::new("numbers");
    let (scene, snap) = (folder.file("rod.toml"), folder.file("at1.snap"));
    std::fs::write(&scene, ROD).expect("written");
    json(&["run", &scene, "--time", "1", "--snapshot", &snap, "--json"]);
    diagnosed(
        &["run", &scene, "--from", &snap, "--time", "2", "--set", "L=1.6"],
        2,
        "E0310",
        &["`L` was 1, is 1.6", "--reassemble"],
    );
    diagnosed(
        &["run", &scene, "--from", &snap, "--time", "2", "--set", "body.rod.density=100"],
        2,
        "E0310",
        &["masses, lengths"],
    );
    // what is only seen, and how it is run, are no other numbers
    let same = json(&[
        "run",
        &scene,
        "--from",
        &snap,
        "--time",
        "2",
        "--set",
        "run.tolerance=1e-9",
        "--set",
        "body.rod.shape.colour=[1,0,0]",
        "--json",
    ]);
    assert_eq!(same["time"], 2.0);
    let out = holonom(&["run", &scene, "--from", &snap, "--time", "2", "--set", "L=1.6", "--reassemble", "--json"]);
    let said = stderr(&out);
    assert!(said.contains("stood open by") && said.contains("`rod` moved most"), "{said}");
    let v: serde_json::Value = serde_json::from_str(&stdout(&out)).expect("one object");
    assert!(
        v["max_gap"].as_f64().expect("a number") < 1e-12 && v["energy_unaccounted"].as_f64().expect("a number") < 1e-8,
        "{v}"
    );
    refused(&["run", &scene, "--reassemble"], 2, &["--from"]);
}

#[test]
fn scenes_come_through_pipes_and_rows_go_through_them() {
    let piped = |text: &str, args: &[&str]| {
        let mut child =
            command(args).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("started");
        child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("written");
        child.wait_with_output().expect("ended")
    };
    let out = piped(ROD, &["run", "-", "--time", "0.1", "--out", "-", "--columns", "pin.coordinate,pin.force.norm"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let (rows, summary) = (stdout(&out), stderr(&out));
    assert!(rows.starts_with("time,pin.coordinate,pin.force.norm\n0.0,") && rows.lines().count() == 12, "{rows}");
    assert!(
        summary.contains("recording    - (11 rows") && summary.contains("peaks") && !rows.contains("scene"),
        "{summary}"
    );
    let robot = r#"<robot name="r"><link name="a"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>"#;
    let out = piped(robot, &["run", "-", "--time", "0.1"]);
    assert!(stdout(&out).contains("1 body") && stderr(&out).contains("--fixed-base fixes it"), "{}", stderr(&out));
    let out = piped("[bdy.x]\n", &["check", "-"]);
    assert!(out.status.code() == Some(2) && stderr(&out).contains("standard-input.toml:1:2"), "{}", stderr(&out));
    let both = holonom(&["run", "pendulum", "--out", "-", "--json"]);
    assert!(
        both.status.code() == Some(2) && stdout(&both).contains("both write to standard output"),
        "{}",
        stdout(&both)
    );
}

#[test]
fn tables_keep_their_units_and_runs_share_a_plot() {
    let folder = Folder::new("units");
    let (scene, one, two) = (folder.file("rod.toml"), folder.file("one.csv"), folder.file("two.csv"));
    std::fs::write(&scene, ROD).expect("written");
    let first = json(&["run", &scene, "--time", "1", "--out", &one, "--json"]);
    json(&["run", &scene, "--time", "1", "--set", "L=2", "--out", &two, "--json"]);
    let units = std::fs::read_to_string(folder.file("one.units.csv")).expect("beside it");
    assert!(
        units.starts_with("column,unit,note\n\"time\",\"s\",\"\"\n")
            && units.contains("\"pin.coordinate\",\"rad\",\"\""),
        "{units}"
    );
    let columns = json(&["info", &one, "--json"])["columns"].clone();
    let unit = columns.as_array().and_then(|c| c.iter().find(|c| c["name"] == "pin.rate")).map(|c| c["unit"].clone());
    assert_eq!(unit, Some("rad/s".into()));
    let plot = stdout(&holonom(&["plot", &one, &two, "--y", "pin.rate", "--ascii"]));
    assert!(plot.contains("one: pin.rate (rad/s)") && plot.contains("two: pin.rate (rad/s)"), "{plot}");
    // units of another table are not believed
    std::fs::write(folder.file("one.units.csv"), units.replace("pin.coordinate", "other")).expect("written");
    let columns = json(&["info", &one, "--json"])["columns"].to_string();
    assert!(columns.contains("m or rad") || !columns.contains("\"pin.rate\",\"unit\":\"rad/s\""), "{columns}");
    // nor is a file of that name that is something else written over
    std::fs::write(folder.file("one.units.csv"), "mine\n").expect("written");
    json(&["run", &scene, "--time", "1", "--out", &one, "--force", "--json"]);
    assert_eq!(std::fs::read_to_string(folder.file("one.units.csv")).expect("there"), "mine\n");
    // a level rod let go: the pin carries a quarter of its weight at first, 2.5 times its weight at the bottom
    let weight = 7800.0 * 0.05 * 0.05 * 9.81;
    let peak = first["peaks"]
        .as_array()
        .and_then(|p| p.iter().find(|p| p["quantity"] == "pin.force"))
        .expect("a peak")
        .clone();
    let largest = peak["largest"].as_f64().expect("a number");
    assert!(
        (largest / weight - 2.5).abs() < 2e-3
            && peak["unit"] == "N"
            && (peak["time"].as_f64().expect("a time") - 0.48).abs() < 0.011,
        "{peak}"
    );
}

#[test]
fn shells_and_man_are_told_of_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let text = stdout(&holonom(&["completions", shell]));
        assert!(text.contains("recover") && text.contains("fixed-base"), "{shell}");
    }
    assert!(stdout(&holonom(&["man"])).contains(".TH holonom 1"));
    let folder = Folder::new("man");
    assert_eq!(holonom(&["man", "--out", &folder.file("man1")]).status.code(), Some(0));
    let page = std::fs::read_to_string(folder.file("man1/holonom-run.1")).expect("a page for every command");
    assert!(page.contains("holonom\\-run") && page.contains("reassemble"), "{page}");
}

#[test]
fn colours_are_chosen() {
    let coloured = |args: &[&str]| stderr(&holonom(args)).contains("\x1b[");
    assert!(!coloured(&["run", "no-such-scene"]) && !coloured(&["--color", "never", "run", "no-such-scene"]));
    assert!(coloured(&["run", "no-such-scene", "--color", "always"]));
}

#[test]
fn a_fixed_base_is_one_option_for_every_command() {
    let folder = Folder::new("base");
    let (urdf, toml, run) = (folder.file("arm.urdf"), folder.file("arm.toml"), folder.file("arm.parquet"));
    let inertial = r#"<inertial><origin xyz="0.5 0 0"/><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>"#;
    let text = format!(
        r#"<robot name="r"><link name="root">{inertial}</link><link name="arm">{inertial}</link>
        <joint name="hinge" type="continuous"><parent link="root"/><child link="arm"/><axis xyz="0 1 0"/></joint></robot>"#
    );
    std::fs::write(&urdf, text).expect("written");
    assert_eq!(json(&["check", &urdf, "--json"])["mobility"], 7);
    assert_eq!(json(&["check", &urdf, "--fixed-base", "--json"])["mobility"], 1);
    let hold = ["--set", "hold.kp=400", "--set", "hold.kd=40"];
    let args = [&["run", &urdf, "--fixed-base", "--time", "5", "--json", "--out", &run][..], &hold[..]].concat();
    let ran = json(&args);
    // it rests where kp times the angle is the moment of its weight
    let q = ran["final"]["joints"]["hinge"]["coordinate"].as_f64().expect("an angle");
    assert!((400.0 * q - 9.81 * 0.5 * q.cos()).abs() < 1e-6, "{q}");
    assert_eq!(holonom(&["convert", &urdf, &toml, "--fixed-base"]).status.code(), Some(0));
    assert_eq!(json(&["check", &toml, "--json"])["mobility"], 1);
    diagnosed(&["check", &toml, "--fixed-base"], 2, "E0224", &["only a URDF has a base"]);
}
