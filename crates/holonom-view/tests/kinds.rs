//! Kinds of joints are named in the table of the engine and nowhere else: neither the page nor the editor, neither the reader of scenes nor the command line has a
//! list of its own. (URDF and MJCF have words of their own; their importers say which kind each of them is.)

use holonom::joints::{JOINTS, JointRole};
use holonom_scene::kinds;
use holonom_view::catalogue::{PaletteGroup, catalogue};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            if !IMPORTERS.iter().any(|i| path.ends_with(i)) {
                sources(&path, found);
            }
        } else if path.extension().is_some_and(|e| e == "ts" || e == "rs") {
            found.push(path);
        }
    }
}

fn without_comments(line: &str) -> String {
    let mut code = line.split("//").next().unwrap_or_default().to_string();
    while let (Some(from), Some(to)) = (code.find("/**"), code.find("*/")) {
        code.replace_range(from..to.max(from) + 2, "");
    }
    code
}

/// All sources that must not know kinds of joints, without comments and tests, line by line.
fn code() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files = Vec::new();
    for folder in ["src", "web/src", "../holonom-scene/src", "../holonom-cli/src", "../holonom-record/src"] {
        sources(&root.join(folder), &mut files);
    }
    assert!(files.len() > 150, "{}", files.len());
    let mut all = Vec::new();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a text");
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        let lines = text.lines().enumerate();
        all.extend(lines.map(|(n, line)| (format!("{}:{}", file.display(), n + 1), without_comments(line))));
    }
    all
}

#[test]
fn no_kind_of_joint_is_named_outside_of_the_table() {
    let kinds: Vec<&str> = JOINTS.iter().map(|d| d.name()).filter(|k| !NOT_KINDS.contains(k)).collect();
    assert!(kinds.len() > 30, "{kinds:?}");
    let mut named = Vec::new();
    for (place, line) in code() {
        // `{ kind: "weld" }` is a change of a scene
        let line = line.replace("kind: \"weld\"", "").replace("\"kind\": \"weld\"", "");
        let quoted = |kind: &str| ['"', '\''].iter().any(|q| line.contains(&format!("{q}{kind}{q}")));
        let key = |kind: &str| ['"', '{', '['].iter().any(|v| line.trim().starts_with(&format!("{kind}: {v}")));
        let found = kinds.iter().filter(|k| quoted(k) || key(k));
        named.extend(found.map(|k| format!("{place}: {k}")));
    }
    assert!(named.is_empty(), "kinds of joints belong into the table of the engine:\n{}", named.join("\n"));
}

/// Not even those whose names are common words, nor a drive: what matters of them is in their declarations.
#[test]
fn nothing_is_decided_by_the_name_of_a_kind() {
    let drives = kinds::DRIVES.kinds().map(|k| k.name);
    let all: BTreeSet<&str> = JOINTS.iter().map(|d| d.name()).chain(drives).collect();
    let mut named = Vec::new();
    for (place, line) in code() {
        for part in ["kind() == ", "kind().name == ", "kind() != ", "kind().name != ", "contains(&", ".kind === "] {
            let compared =
                line.split(part).skip(1).any(|rest| all.iter().any(|k| rest.starts_with(&format!("\"{k}\""))));
            if compared {
                named.push(format!("{place}: {line}"));
            }
        }
        // several of them in one line are a list
        let listed = all.iter().filter(|k| line.contains(&format!("\"{k}\""))).count();
        if listed > 1 && !line.contains("DrawnGlyph") {
            named.push(format!("{place}: {line}"));
        }
    }
    assert!(named.is_empty(), "{}", named.join("\n"));
}

#[test]
fn the_page_is_told_of_every_kind() {
    let all = catalogue();
    let told: BTreeSet<&str> = all.joints.iter().map(|j| j.entry.kind).collect();
    assert_eq!(told, JOINTS.iter().map(|d| d.name()).collect());
    assert_eq!(all.joints.len(), JOINTS.len());
    for (entry, d) in all.joints.iter().map(|j| (j, holonom::joints::declaration(j.entry.kind).expect("in the table")))
    {
        assert_eq!(
            (&*entry.entry.label, entry.glyph, entry.coordinates.len()),
            (d.label, d.glyph.name(), d.coordinates.len())
        );
        assert!(d.role == JointRole::Pair || entry.group != PaletteGroup::Button, "{}", d.name());
    }
    let buttons: Vec<&str> =
        all.joints.iter().filter(|j| j.group == PaletteGroup::Button).map(|j| &*j.entry.label).collect();
    assert_eq!(buttons, ["Hinge", "Ball joint", "Slider", "Weld", "Universal", "Link"]);
    let ends: Vec<&str> = all.joints.iter().filter_map(|j| j.ends.as_deref()).collect();
    assert_eq!(ends, ["hinges", "ball joints", "welds"]);
    assert!(all.drives.iter().map(|d| d.entry.kind).eq(kinds::DRIVES.kinds().map(|k| k.name)));
    assert!(all.forces.iter().map(|f| f.entry.kind).eq(kinds::FORCES.kinds().map(|k| k.name)));
}

/// Folders that map the words of other formats to kinds.
const IMPORTERS: [&str; 2] = ["holonom-scene/src/urdf", "holonom-scene/src/mjcf"];

/// Words that mean other things, too: buttons, fields, scenes, a kind of bodies, the glyphs `screw` and `rope`, and the
/// function `distance` of formulas.
const NOT_KINDS: [&str; 8] = ["distance", "motor", "servo", "limit", "screw", "rope", "planar", "rolling"];
