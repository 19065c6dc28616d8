//! The smaller commands: check, scenes, info, recover, explain, plot.

mod common;
use common::{Folder, diagnosed, holonom, json, refused, scene, stderr, stdout};

fn text(args: &[&str]) -> String {
    let out = holonom(args);
    assert_eq!(out.status.code(), Some(0), "{args:?}: {}", stderr(&out));
    stdout(&out)
}

#[test]
fn the_doctor_counts_a_door_on_three_hinges() {
    let v = json(&["check", &scene("door"), "--json"]);
    for (key, n) in [
        ("bodies", 1),
        ("joints", 3),
        ("rows", 15),
        ("rank", 5),
        ("mobility", 1),
        ("mobility_generic", 1),
        ("loops", 2),
    ] {
        assert_eq!(v[key].as_u64(), Some(n), "{key}");
    }
    assert_eq!(v["redundant"][0], serde_json::json!(["bottom", "middle", "top"]));
    let unsure: Vec<&str> = v["not_unique"].as_array().expect("a list").iter().filter_map(|n| n.as_str()).collect();
    assert!(unsure.contains(&"top.force.z") && !unsure.contains(&"top.torque.z"), "{unsure:?}");
    assert!(v["assembled_gap"].as_f64().expect("a number") < 1e-12);
    let report = text(&["check", &scene("door")]);
    for part in ["1 way", "10 of their 15 rows are surplus", "`bottom`, `middle` and `top`", "~", "Solver sparse"] {
        assert!(report.contains(part), "`{part}` is missing in\n{report}");
    }
    let plain = text(&["check", "pendulum"]);
    assert!(plain.contains("every load is unique") && plain.contains("no loops"), "{plain}");
}

#[test]
fn the_gallery_is_listed_and_can_be_copied() {
    let list = text(&["scenes"]);
    assert!(list.contains("pendulum"), "{list}");
    let v = json(&["scenes", "--json"]);
    let first = v.as_array().expect("a list").iter().find(|s| s["name"] == "pendulum").expect("there");
    assert!(first["bodies"].is_number() && first["title"].is_string());
    let folder = Folder::new("gallery");
    let file = folder.file("mine.toml");
    std::fs::write(&file, text(&["scenes", "--show", "pendulum"])).expect("written");
    let (a, b) = (json(&["run", &file, "--json"]), json(&["run", "pendulum", "--json"]));
    assert_eq!(a["hash"], b["hash"]);
    refused(&["scenes", "--show", "pendulim"], 2, &["did you mean `pendulum`?"]);
}

#[test]
fn errors_are_explained() {
    assert!(text(&["explain", "E0214"]).starts_with("E0214: a direction has zero length\n\n"));
    assert_eq!(text(&["explain", "214"]), text(&["explain", "e0214"]));
    assert!(text(&["explain"]).lines().count() > 40);
    assert!(text(&["explain", "zero", "length"]).contains("E0214"));
    refused(&["explain", "E0999"], 2, &["no error code `E0999`", "lists them all"]);
    assert_eq!(json(&["explain", "E0214", "--json"])[0]["code"], "E0214");
}

#[test]
fn recordings_are_described() {
    let folder = Folder::new("info");
    for name in ["r.csv", "r.parquet", "r.hrec"] {
        let file = folder.file(name);
        text(&["run", "pendulum", "--time", "1", "--out", &file]);
        let v = json(&["info", &file, "--json", "--ranges"]);
        assert_eq!((v["rows"].as_u64(), v["complete"].as_bool()), (Some(101), Some(true)), "{name}");
        assert_eq!(v["time"], serde_json::json!([0.0, 1.0]));
        assert_eq!(v["columns"][0]["name"], "time");
        assert_eq!(v["columns"][0]["max"].as_f64(), Some(1.0));
        if name != "r.csv" {
            assert_eq!(v["metadata"]["settings"]["integrator"], "dop853");
            assert_eq!(v["columns"][1]["unit"], "m");
        }
        let report = text(&["info", &file]);
        assert!(report.contains("rod.pos.x") && report.contains("101"), "{report}");
    }
    // loads that are not unique say so
    let file = folder.file("door.parquet");
    text(&["run", &scene("door"), "--time", "0.1", "--out", &file]);
    let v = json(&["info", &file, "--json"]);
    let note = |name: &str| {
        let all = v["columns"].as_array().expect("a list");
        all.iter().find(|c| c["name"] == name).expect("there")["note"].as_str().expect("text").to_string()
    };
    assert!(note("top.force.z").starts_with("not unique") && note("leaf.pos.x").is_empty());
    refused(&["info", "nothing.csv"], 5, &["nothing.csv"]);
    refused(&["info", &scene("door")], 2, &["that is a scene"]);
    let odd = folder.file("odd.parquet");
    std::fs::write(&odd, b"what is this").expect("written");
    refused(&["info", &odd], 2, &["odd.parquet"]);
    refused(&["recover", &folder.file("r.csv")], 2, &["needs no recovery"]);
}

#[test]
fn curves_are_drawn_in_the_terminal_and_in_files() {
    let folder = Folder::new("plot");
    let file = folder.file("r.parquet");
    text(&["run", "pendulum", "--time", "2", "--out", &file]);
    let sketch = text(&["plot", &file, "--y", "pin.force.*,energy.kinetic"]);
    assert!(sketch.contains("pin.force.x") && sketch.contains("energy.kinetic"), "{sketch}");
    assert!(sketch.lines().count() > 15 && !sketch.contains('\x1b'), "no colours in a pipe");
    let ascii = text(&["plot", &file, "--y", "pin.rate", "--ascii"]);
    assert!(ascii.is_ascii(), "{ascii}");
    let (svg, png) = (folder.file("a.svg"), folder.file("a.png"));
    text(&["plot", &file, "--x", "rod.pos.x", "--y", "rod.pos.z", "-o", &svg]);
    let picture = std::fs::read_to_string(&svg).expect("written");
    assert!(picture.starts_with("<?xml") && picture.contains("rod.pos.x (m)"), "{}", &picture[..200]);
    text(&["plot", &file, "--y", "energy.*", "--log", "-o", &png]);
    assert_eq!(&std::fs::read(&png).expect("written")[1..4], b"PNG");
    let length = text(&["plot", &file, "--y", "*.force.norm", "--ascii"]);
    assert!(length.contains("pin.force.norm") && length.contains('N'), "{length}");
    refused(&["plot", &file, "--y", "rod.quat.norm"], 2, &["no column `rod.quat.norm`"]);
    refused(&["plot", &file, "--y", "pin.fore.x"], 2, &["did you mean `pin.force.x`?"]);
    refused(&["plot", &file, "--y", "pin.force"], 2, &["did you mean `pin.force.*`?"]);
    refused(&["plot", &file, "--y", "pin.rate", "--x", "tim"], 2, &["did you mean `time`?"]);
    refused(&["plot", &file], 2, &["--y", "rod.pos.*"]);
    refused(&["plot", &file, "--y", "pin.rate", "-o", "a.gif"], 2, &[".svg or .png"]);
    refused(&["plot", &file, "--y", "pin.rate", "-o", &folder.file("no/a.svg")], 5, &["no/a.svg"]);
    refused(&["plot", "pendulum", "--y", "pin.rate"], 2, &["--matrix"]);
    refused(&["plot", &scene("door"), "--y", "pin.rate"], 2, &["that is a scene"]);
}

#[test]
fn matrices_are_drawn() {
    let folder = Folder::new("matrix");
    for (matrix, n) in [("J", "15 × 6"), ("H", "n = 21"), ("A", "n = 15"), ("L", "n = 21")] {
        let file = folder.file(&format!("{matrix}.svg"));
        text(&["plot", &scene("door"), "--matrix", matrix, "-o", &file]);
        let picture = std::fs::read_to_string(&file).expect("written");
        assert!(picture.contains(n), "{matrix}: no `{n}`");
    }
    assert!(text(&["plot", "pendulum", "--matrix", "h"]).lines().count() > 5);
    refused(&["plot", "pendulum", "--matrix", "K"], 2, &["no matrix `K`", "J:"]);
    diagnosed(&["plot", "nothing.toml", "--matrix", "J"], 2, "E0104", &[]);
}

#[test]
fn scenes_can_be_timed() {
    let v = json(&["bench", &scene("door"), "pendulum", "--json"]);
    let cases = v["cases"].as_array().expect("a list");
    assert_eq!((cases[0]["n"].as_u64(), cases[0]["rows"].as_u64()), (Some(1), Some(15)));
    for case in cases {
        assert!(case["us_min"].as_f64().expect("a number") > 0.0);
        assert!(case["error"].as_f64().expect("a number") < 1e-9);
    }
    assert_eq!(cases[1]["us_auxiliary"].as_f64(), Some(0.0));
    assert!(v["exponents"].as_object().expect("an object").is_empty());
    diagnosed(&["bench", "nothing.toml"], 2, "E0104", &[]);
}

const ROBOT: &str = r#"<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial><origin xyz="0 0 0.5"/><mass value="2"/><inertia ixx="0.2" iyy="0.2" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>
    <visual><geometry><box size="0.1 0.1 1"/></geometry></visual>
  </link>
  <joint name="shoulder" type="revolute">
    <parent link="base"/><child link="upper"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="10" velocity="2"/>
  </joint>
  <gazebo reference="upper"><material>Gazebo/Blue</material></gazebo>
</robot>
"#;

#[test]
fn robots_become_scenes_and_say_what_does_not_count() {
    let folder = Folder::new("convert");
    let (urdf, toml) = (folder.file("arm.urdf"), folder.file("arm.toml"));
    std::fs::write(&urdf, ROBOT).expect("written");
    let out = holonom(&["convert", &urdf, &toml]);
    let said = stderr(&out);
    assert_eq!(out.status.code(), Some(0), "{said}");
    assert!(said.contains("W0404") && said.contains("gazebo") && said.contains("arm.urdf:12:"), "{said}");
    let v = json(&["convert", &urdf, &toml, "--force", "--json"]);
    assert_eq!(v["same_start"], true);
    assert!(!v["ignored"].as_array().expect("a list").is_empty());
    // both run, to the same bits
    let run = |file: &str| json(&["run", file, "--time", "0.5", "--json"])["hash"].clone();
    assert_eq!(run(&urdf), run(&toml));
    refused(&["convert", &urdf, &toml], 2, &["is there already", "--force"]);
    refused(&["convert", &urdf, &folder.file("arm.urdf2")], 2, &["end in .toml"]);
    diagnosed(&["convert", &folder.file("no.urdf"), &folder.file("no.toml")], 2, "E0104", &[]);
    let strict = holonom(&["run", &urdf, "--strict"]);
    assert_eq!(strict.status.code(), Some(2), "{}", stderr(&strict));
    // a scene is tidied, and keeps what it says
    let tidy = folder.file("door.toml");
    text(&["convert", &scene("door"), &tidy]);
    assert_eq!(run(&tidy), run(&scene("door")));
    let long = folder.file("long.toml");
    text(&["convert", "pendulum", &long, "--set", "body.rod.density=1000"]);
    assert!(std::fs::read_to_string(&long).expect("written").contains("density = 1000"));
    assert!(text(&["convert", "pendulum", "-"]).contains("[body.rod]"));
}
