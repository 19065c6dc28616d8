//! Thirty mistakes of the first hour. None may pass in silence: each is refused at its place, or said by `run` and by `check`.

mod common;

use common::{Folder, command, holonom, stderr, stdout};

/// A rod on a hinge: `{rod}` are its other fields, `{pin}` those of the hinge.
const ROD: &str = r#"
[body.rod]
shape = { kind = "box", size = [1, 0.05, 0.05] }
density = 7800
at = [0.5, 0, 0]
[joint.pin]
kind = "revolute"
b = "rod"
at = [0, 0, 0]
axis = [0, 1, 0]
"#;

/// A four-bar of links of 0.2, 0.5 and 0.4 m between bearings 0.6 m apart.
const FOUR_BAR: &str = r#"
[body.crank]
from = [0, 0, 0]
to = [0, 0, 0.2]
shape = { kind = "rod", radius = 0.01 }
density = 7800
[body.rocker]
from = [0.6, 0, 0]
to = [0.6, 0, 0.4]
shape = { kind = "rod", radius = 0.01 }
density = 7800
[joint.a]
kind = "revolute"
b = "crank.from"
axis = [0, 1, 0]
[joint.b]
kind = "revolute"
b = "rocker.from"
axis = [0, 1, 0]
[joint.coupler]
kind = "distance"
a = "crank.to"
b = "rocker.to"
length = 0.5
"#;

/// What is wrong with it, the scene, and everything that must be said of it.
struct Mistake {
    what: &'static str,
    scene: String,
    /// Is it refused (exit code 2), or stopped (3), or only remarked on (0)?
    exit: i32,
    says: &'static [&'static str],
}

fn mistake(what: &'static str, scene: impl Into<String>, exit: i32, says: &'static [&'static str]) -> Mistake {
    Mistake { what, scene: scene.into(), exit, says }
}

/// The rod with another text in place of one.
fn rod(from: &str, to: &str) -> String {
    assert!(ROD.contains(from), "{from}");
    ROD.replacen(from, to, 1)
}

/// The rod with more behind it.
fn rod_and(more: &str) -> String {
    format!("{ROD}{more}")
}

fn table() -> Vec<Mistake> {
    let drive =
        |kind: &str, value: &str| rod_and(&format!("[drive.d]\nkind = \"{kind}\"\njoint = \"pin\"\nvalue = {value}\n"));
    vec![
        // words of other programs
        mistake("a hinge", rod("revolute", "hinge"), 2, &["did you mean `revolute`?"]),
        mistake("a slider", rod("revolute", "slider"), 2, &["did you mean `prismatic`?"]),
        mistake("a ball joint", rod("revolute", "ball"), 2, &["did you mean `spherical`?"]),
        mistake("a fixed joint", rod("revolute", "fixed"), 2, &["did you mean `weld`?"]),
        mistake("a cube", rod("\"box\"", "\"cube\""), 2, &["did you mean `box`?"]),
        mistake(
            "a ball shape",
            rod("\"box\", size = [1, 0.05, 0.05]", "\"ball\", radius = 1"),
            2,
            &["did you mean `sphere`?"],
        ),
        mistake("a motor", drive("motor", "1"), 2, &["did you mean `speed`?"]),
        // units
        mistake(
            "an angle in degrees",
            rod("axis = [0, 1, 0]", "axis = [0, 1, 0]\nstart = 45"),
            0,
            &["`start` of joint `pin` is 45 rad", "45 * deg"],
        ),
        mistake(
            "limits in degrees",
            rod("axis = [0, 1, 0]", "axis = [0, 1, 0]\nlimits = [-90, 90]"),
            0,
            &["`limits` of joint `pin`", "14.3 turns"],
        ),
        mistake(
            "a turned body in degrees",
            rod("at = [0.5, 0, 0]\n", "at = [0.5, 0, 0]\nrotation = { axis = [0, 1, 0], angle = 30 }\n"),
            0,
            &["`body.rod.rotation.angle` is 30 rad"],
        ),
        mistake("a density in g/cm^3", rod("7800", "7.8"), 0, &["`rod` has 7.8", "steel has 7850 and not 7.85"]),
        mistake(
            "lengths in millimetres",
            rod("[1, 0.05, 0.05]", "[1000, 50, 50]")
                .replace("[0.5, 0, 0]", "[500, 0, 0]")
                .replace("density = 7800", "mass = 20"),
            0,
            &["less than foam"],
        ),
        mistake(
            "a mechanism of kilometres",
            rod("[1, 0.05, 0.05]", "[9000, 50, 50]"),
            0,
            &["is 9.0", "millimetres may have slipped in"],
        ),
        mistake(
            "gravity in mm/s^2",
            format!("gravity = [0, 0, -9810]\n{ROD}"),
            0,
            &["gravity is 9810 m/s^2", "metres"],
        ),
        // drives
        mistake(
            "a drive in degrees",
            drive("position", "90"),
            2,
            &["the drive `d` starts at 90 rad, the joint `pin` at 0 rad"],
        ),
        mistake(
            "a drive to infinity",
            drive("position", "\"1/(1-t)-1\""),
            3,
            &["the `value` of the drive `d` runs to infinity at t = 0.99"],
        ),
        mistake(
            "a speed to infinity",
            drive("speed", "\"tan(2*t)\""),
            3,
            &["the `value` of the drive `d` runs to infinity at t = 0.785"],
        ),
        mistake(
            "a drive on a body",
            rod_and("[drive.d]\nkind = \"speed\"\njoint = \"rod\"\nvalue = 1\n"),
            2,
            &["there is no joint `rod`", "joints: pin"],
        ),
        // what nothing holds
        mistake("a body without a joint", ROD.split("[joint").next().unwrap_or(""), 0, &["`rod` falls freely"]),
        mistake(
            "a joint between two bodies that fly",
            rod("b = \"rod\"", "a = \"rod\"\nb = \"other\"")
                + "[body.other]\nkind = \"particle\"\nmass = 1\nat = [0, 0, 0]\n",
            2,
            &["other"],
        ),
        mistake(
            "two loose bodies",
            rod_and(
                "[body.loose]\nkind = \"particle\"\nmass = 1\n[body.looser]\nkind = \"particle\"\nmass = 1\nat = [1, 1, 1]\n",
            ),
            0,
            &["`loose`, `looser` fall freely"],
        ),
        mistake("an empty scene", "title = \"nothing\"\n", 0, &["the scene has no bodies"]),
        // places and masses
        mistake("no mass", rod("density = 7800\n", ""), 2, &["mass"]),
        mistake("a mass of zero", rod("density = 7800", "mass = 0"), 2, &["must be greater than 0"]),
        mistake("an axis of zero", rod("[0, 1, 0]", "[0, 0, 0]"), 2, &["length 0, must be greater than 1e-12"]),
        mistake("a misspelt field", rod("density", "densty"), 2, &["did you mean `density`?"]),
        mistake("a misspelt body", rod("b = \"rod\"", "b = \"rd\""), 2, &["did you mean `rod`?"]),
        mistake("an expression outside quotes", rod("7800", "${7800}"), 2, &["quotes"]),
        mistake("a link too long to fit", FOUR_BAR.replace("length = 0.5", "length = 5"), 2, &["cannot be closed"]),
        mistake(
            "a link drawn elsewhere",
            FOUR_BAR
                .replace("from = [0.6, 0, 0]\nto = [0.6, 0, 0.4]", "from = [4, 0, 0]\nto = [4, 0, 0.4]")
                .replace("b = \"rocker.from\"", "a = { body = \"ground\", at = [0.6, 0, 0] }\nb = \"rocker.from\""),
            0,
            &["was assembled", "from where `rocker` was drawn"],
        ),
    ]
}

#[test]
fn thirty_mistakes_of_beginners_are_said() {
    let folder = Folder::new("beginners");
    let table = table();
    assert_eq!(table.len(), 30);
    let mut silent = Vec::new();
    for (k, m) in table.iter().enumerate() {
        let path = folder.file(&format!("{k}.toml"));
        std::fs::write(&path, &m.scene).expect("written");
        // a run that stops leaves its last state where it was started
        let run = command(&["run", &path, "--time", "1"]).current_dir(&folder.0).output().expect("run");
        let said = stderr(&run);
        if run.status.code() != Some(m.exit) {
            silent.push(format!("{}: exit {:?}, expected {}\n{said}", m.what, run.status.code(), m.exit));
        }
        // `check` says the same of what can be built
        let check = (m.exit == 0).then(|| stdout(&holonom(&["check", &path])).replace('\n', " "));
        for part in m.says {
            for text in [Some(&said), check.as_ref()].into_iter().flatten() {
                if !text.contains(part) {
                    silent.push(format!("{}: `{part}` is missing in\n{text}", m.what));
                }
            }
        }
    }
    assert!(silent.is_empty(), "{}", silent.join("\n\n"));
}

/// What is said of mistakes is not said of scenes that are good: nothing in the gallery is remarked on as falling, far away or in the wrong units.
#[test]
fn good_scenes_are_not_remarked_on() {
    let phrases =
        ["falls freely", "fall freely", "was assembled", "per cubic metre", "turns; angles", "no bodies", "m long"];
    let mut said = Vec::new();
    for scene in holonom_scene::gallery::GALLERY.iter().chain(holonom_scene::gallery::VERIFICATION) {
        let loaded = holonom_scene::Loader::new().load_text(&format!("{}.toml", scene.name), scene.text);
        let loaded = loaded.unwrap_or_else(|e| panic!("{}: {}", scene.name, e.render()));
        let model = loaded.build().unwrap_or_else(|e| panic!("{}: {}", scene.name, e.render()));
        let remarks = holonom_scene::sanity::remarks(&loaded, &model);
        let odd = remarks.iter().filter(|r| phrases.iter().any(|p| r.contains(p)));
        said.extend(odd.map(|r| format!("{}: {r}", scene.name)));
    }
    assert!(said.is_empty(), "{}", said.join("\n"));
}
