//! The layers of the engine, read from its sources: imports point down, and no modules import each other in a circle.
//!
//! A *room* is a folder (or a lone file) of `src`; a *module* is a file or folder in it, `mod.rs` standing for the room itself. The order of rooms is
//! [`ROOMS`]; inside a room modules may import each other as long as there is no circle. The picture in `docs/architecture.md` is written from what
//! is found; `HOLONOM_WRITE=1 cargo test -p holonom --test layers` writes it anew.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms from the bottom up, and what each one holds.
const ROOMS: &[(&str, &str)] = &[
    ("error", "what can go wrong, as values that name the body or joint"),
    ("math", "vectors, quaternions, random numbers, numbers that differentiate themselves"),
    ("catalogue", "what mechanisms are made of: bodies, joints, forces, functions, curves, surfaces"),
    ("model", "a mechanism as data: layout of coordinates and rows, islands, plan, state"),
    ("evaluate", "the terms of the equations at a state: M, F, J, c, gaps, energies, reactions"),
    ("solve", "H x = rhs, by several solvers; residuals"),
    ("contact", "collision detection and inequality rows: contacts, limits, friction, caps"),
    ("dynamics", "forward dynamics: accelerations, multipliers, powers, reactions"),
    ("step", "drift correction, integrators, events; a mechanism in motion"),
    ("analysis", "diagnosis, linearisation, equilibria, inverse kinematics, certificates, observations"),
    ("build", "from a description to a model, in stages"),
    ("simulation", "the facade that most programs use; runs and edits"),
];

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// All sources with the path of their module: `["step", "integrate", "rk4"]`.
fn modules() -> Vec<(Vec<String>, String)> {
    let (mut found, mut folders) = (Vec::new(), vec![source()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder of sources").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let inside = path.strip_prefix(source()).expect("below src").with_extension("");
                let mut names: Vec<String> = inside.iter().map(|n| n.to_string_lossy().into_owned()).collect();
                names.retain(|n| n != "mod" && n != "lib");
                found.push((names, fs::read_to_string(&path).expect("a source")));
            }
        }
    }
    found.sort();
    found
}

/// The code of a source: without comments, texts, and modules that only tests compile.
fn code(text: &str) -> String {
    let mut out = String::new();
    let mut skipped = false;
    for line in text.lines() {
        if line.trim() == "#[cfg(test)]" {
            skipped = true;
        }
        // an attribute on `mod tests { .. }` at the margin hides all up to its closing brace; on `mod name;` that line alone
        if skipped {
            skipped = !(line == "}" || line.starts_with("mod ") && line.ends_with(';'));
            continue;
        }
        let mut rest = line.split("//").next().unwrap_or("").to_string();
        while let Some(start) = rest.find('"') {
            let end = rest[start + 1..].find('"').map_or(rest.len(), |e| start + 1 + e + 1);
            rest.replace_range(start..end, " ");
        }
        out.push_str(&rest);
        out.push('\n');
    }
    out
}

/// The paths that begin with `crate::` or `super::`, written out: `use crate::a::{b, c::d}` gives `a::b` and `a::c::d`.
fn paths(code: &str, module: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for word in ["crate", "super", "self"] {
        for (at, _) in code.match_indices(&format!("{word}::")) {
            let before = code[..at].chars().last();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == ':') {
                continue;
            }
            let start = match word {
                "crate" => Vec::new(),
                "super" => module[..module.len().saturating_sub(1)].to_vec(),
                _ => module.to_vec(),
            };
            read_tree(&code[at + word.len() + 2..], start, &mut found);
        }
    }
    found
}

/// One path, or the branches of a tree of paths; returns how many characters it took.
fn read_tree(text: &str, mut path: Vec<String>, found: &mut Vec<Vec<String>>) -> usize {
    let mut at = 0;
    loop {
        at += text[at..].len() - text[at..].trim_start().len();
        if text[at..].starts_with('{') {
            at += 1;
            loop {
                at += read_tree(&text[at..], path.clone(), found);
                at += text[at..].len() - text[at..].trim_start().len();
                match text[at..].chars().next() {
                    Some(',') => at += 1,
                    _ => return at + 1,
                }
                if text[at..].trim_start().starts_with('}') {
                    return at + text[at..].find('}').unwrap_or(0) + 1;
                }
            }
        }
        let word: String = text[at..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        at += word.len();
        match word.as_str() {
            "super" => drop(path.pop()),
            "self" | "" => {}
            _ => path.push(word),
        }
        if text[at..].starts_with("::") {
            at += 2;
        } else {
            found.push(path);
            return at;
        }
    }
}

/// The unit a path belongs to: room and module. `None` for names that the crate's root exports.
fn unit(path: &[String], known: &BTreeSet<Vec<String>>) -> Option<String> {
    let room = path.first()?;
    if !ROOMS.iter().any(|(name, _)| name == room) {
        return None;
    }
    let inner = path.get(1).filter(|_| known.contains(&path[..2].to_vec()));
    Some(inner.map_or(room.clone(), |m| format!("{room}::{m}")))
}

fn layer_of(unit: &str) -> usize {
    let room = unit.split("::").next().unwrap_or(unit);
    ROOMS.iter().position(|(name, _)| *name == room).unwrap_or(usize::MAX)
}

/// Files that only tests compile: `#[cfg(test)] mod name;`.
fn test_modules(modules: &[(Vec<String>, String)]) -> BTreeSet<Vec<String>> {
    let mut found = BTreeSet::new();
    for (names, text) in modules {
        for (_, rest) in text.match_indices("#[cfg(test)]\nmod ").map(|(at, mark)| text.split_at(at + mark.len())) {
            if let Some(name) = rest.lines().next().and_then(|line| line.strip_suffix(';')) {
                found.insert(names.iter().cloned().chain([name.to_string()]).collect());
            }
        }
    }
    found
}

/// Imports between units, with a file that makes each of them; and what points up.
fn imports() -> (BTreeMap<String, BTreeSet<String>>, Vec<String>) {
    let modules = modules();
    let known: BTreeSet<Vec<String>> =
        modules.iter().map(|(names, _)| names.iter().take(2).cloned().collect()).collect();
    let (mut imports, mut faults) = (BTreeMap::<String, BTreeSet<String>>::new(), Vec::new());
    let tests = test_modules(&modules);
    for (names, text) in modules.iter().filter(|(names, _)| !names.is_empty() && !tests.contains(names)) {
        let Some(from) = unit(names, &known) else {
            faults.push(format!("src/{} belongs to no room", names.join("/")));
            continue;
        };
        let code: String =
            code(text).lines().filter(|l| !l.trim_start().starts_with("pub use")).collect::<Vec<_>>().join("\n");
        let used = imports.entry(from.clone()).or_default();
        for path in paths(&code, names) {
            match unit(&path, &known) {
                Some(to) if to == from => {}
                Some(to) if layer_of(&to) > layer_of(&from) => {
                    faults.push(format!("{} imports {}, which is above it", names.join("::"), path.join("::")))
                }
                Some(to) => drop(used.insert(to)),
                None => {
                    faults.push(format!("{} imports `crate::{}` through the root", names.join("::"), path.join("::")))
                }
            }
        }
    }
    (imports, faults)
}

/// Height of each unit above what it imports in its own room; units on a circle have none and are returned apart.
fn heights(imports: &BTreeMap<String, BTreeSet<String>>) -> (BTreeMap<String, usize>, Vec<String>) {
    let mut height = BTreeMap::new();
    let mut left: Vec<&String> = imports.keys().collect();
    loop {
        let n = left.len();
        left.retain(|unit| {
            let inside = imports[*unit].iter().filter(|u| layer_of(u) == layer_of(unit) && imports.contains_key(*u));
            let below: Option<Vec<usize>> = inside.map(|u| height.get(u).copied()).collect();
            if let Some(below) = below {
                height.insert((*unit).clone(), below.into_iter().max().map_or(0, |h: usize| h + 1));
                return false;
            }
            true
        });
        if left.len() == n {
            return (height, left.into_iter().cloned().collect());
        }
    }
}

/// Rooms from the top down; in each its modules, those that stand on others further left.
fn picture(height: &BTreeMap<String, usize>) -> String {
    let mut out = String::from("```text\n");
    for (layer, (room, what)) in ROOMS.iter().enumerate().rev() {
        let mut inside: Vec<(&String, usize)> =
            height.iter().filter(|(u, _)| layer_of(u) == layer && u.contains("::")).map(|(u, h)| (u, *h)).collect();
        inside.sort_by_key(|(u, h)| (usize::MAX - h, u.to_string()));
        let names: Vec<&str> = inside.iter().map(|(u, _)| u.split("::").nth(1).unwrap_or(u)).collect();
        let _ = writeln!(out, "{layer:>2}  {room:<12}{what}");
        let mut line = String::new();
        for name in names {
            if line.len() + name.len() > 92 {
                let _ = writeln!(out, "                {}", line.trim_end());
                line.clear();
            }
            let _ = write!(line, "{name} ");
        }
        if !line.is_empty() {
            let _ = writeln!(out, "                {}", line.trim_end());
        }
    }
    out + "```\n"
}

const BEGIN: &str = "<!-- layers: written by the test `layers` -->\n";
const END: &str = "<!-- end of layers -->";

#[test]
fn imports_point_down_and_nothing_goes_in_circles() {
    let (imports, faults) = imports();
    let (height, circle) = heights(&imports);
    for (unit, h) in &height {
        println!("layer {:>2}.{h}  {unit}", layer_of(unit));
    }
    for unit in &circle {
        let inside: Vec<&String> = imports[unit].iter().filter(|u| circle.contains(u)).collect();
        println!("in a circle: {unit} imports {inside:?}");
    }
    assert!(faults.is_empty(), "{} imports point up:\n{}", faults.len(), faults.join("\n"));
    assert!(circle.is_empty(), "these modules import each other in a circle: {circle:?}");
}

#[test]
fn the_picture_is_what_the_sources_say() {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/architecture.md");
    let text = fs::read_to_string(&page).expect("docs/architecture.md");
    let start = text.find(BEGIN).expect("the picture has its mark") + BEGIN.len();
    let end = start + text[start..].find(END).expect("the picture ends");
    let now = picture(&heights(&imports().0).0);
    if std::env::var_os("HOLONOM_WRITE").is_some() {
        fs::write(&page, format!("{}{now}{}", &text[..start], &text[end..])).expect("written");
        return;
    }
    assert!(text[start..end] == now, "stale; run `HOLONOM_WRITE=1 cargo test -p holonom --test layers`:\n{now}");
}

#[test]
fn paths_are_read_from_trees() {
    let module = ["step".to_string(), "events".to_string()];
    let found = paths("use crate::a::{self, B, c::{D, e}};\nlet x = super::drift::f(crate::g::H);", &module);
    let found: Vec<String> = found.iter().map(|p| p.join("::")).collect();
    assert_eq!(found, ["a", "a::B", "a::c::D", "a::c::e", "g::H", "step::drift::f"]);
}
