//! What the documents say, held against what is there.

use crate::steps;
use std::fs;
use std::path::{Path, PathBuf};

const MAP: &str = "docs/architecture.md";
const INDEX: &str = "docs/examples.md";
const PICTURE: &str = "docs/images/chain.svg";
/// Packages whose examples are listed and run.
pub const EXAMPLES: [&str; 3] = ["holonom", "holonom-tyre", "holonom-bevy"];

pub fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// Names in a folder, sorted.
pub fn names(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    Ok(names)
}

/// All files below a folder with this extension, sorted.
pub fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, String> {
    let (mut found, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(folder) = folders.pop() {
        for name in names(&folder)? {
            let path = folder.join(name);
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == extension) {
                found.push(path);
            }
        }
    }
    found.sort();
    Ok(found)
}

// ---- the code map ------------------------------------------------------------------------------------------------

/// First cells, in code quotes, of the table below a heading.
fn table_under<'a>(text: &'a str, heading: &str) -> Vec<&'a str> {
    let lines = text.lines().skip_while(|line| *line != heading).skip(1);
    let section = lines.take_while(|line| !line.starts_with('#'));
    section.filter_map(|line| line.strip_prefix("| `")?.split('`').next()).collect()
}

fn compare(what: &str, listed: &[&str], there: &[String]) -> Result<(), String> {
    let missing = there.iter().filter(|name| !listed.contains(&name.as_str()));
    let gone = listed.iter().filter(|name| !there.iter().any(|n| n == *name));
    let complaints: Vec<String> = missing
        .map(|name| format!("{MAP} does not list {what} `{name}`"))
        .chain(gone.map(|name| format!("{MAP} lists {what} `{name}`, which does not exist")))
        .collect();
    if complaints.is_empty() { Ok(()) } else { Err(complaints.join("\n")) }
}

/// The map lists exactly the crates that exist, and exactly the modules of the engine.
pub fn check_map(root: &Path) -> Result<(), String> {
    let map = read(&root.join(MAP))?;
    let folder = root.join("crates");
    let crates =
        names(&folder)?.into_iter().filter(|name| folder.join(name).join("Cargo.toml").exists()).collect::<Vec<_>>();
    compare("the crate", &table_under(&map, "## Crates"), &crates)?;
    let folder = root.join("crates/holonom/src");
    let module = |name: String| if folder.join(&name).is_dir() { name + "/" } else { name };
    let modules: Vec<String> = names(&folder)?.into_iter().map(module).collect();
    compare("the module", &table_under(&map, "## Inside `holonom`"), &modules)
}

// ---- what must not be found ----------------------------------------------------------------------------------------

/// What is outside of a computation: files, clocks, terminals, threads.
#[rustfmt::skip]
const OUTSIDE: &[&str] = &[
    "std::fs", "std::io", "std::env", "std::net", "std::process", "std::time", "std::thread",
    "println!", "print!", "eprintln!", "eprint!", "dbg!",
];

/// A folder, words that may not stand in its code, and why.
const ABSENT: &[(&str, &[&str], &str)] = &[
    (
        "crates/holonom-tree/src",
        &[
            "body",
            "bodies",
            "joint",
            "joints",
            "force",
            "forces",
            "mass",
            "masses",
            "velocity",
            "gravity",
            "torque",
            "constraint",
            "constraints",
        ],
        "holonom-tree knows matrices, no physics",
    ),
    ("crates/holonom/src", OUTSIDE, "the engine reads no files and no clock, prints nothing and starts no threads"),
    ("crates/holonom-tyre/src", OUTSIDE, "nor does a force law"),
    ("crates/holonom/src", &["HashMap", "HashSet"], "the order of a hash map differs from run to run"),
    ("crates/holonom/src", &["&mut Model"], "a model is complete when it exists, and never written again"),
    ("crates/holonom-tree/src", &["HashMap", "HashSet"], "the order of a hash map differs from run to run"),
    (
        // the compiler knows numbers of ours from those of the machine, and checks the functions: clippy.toml
        "crates/holonom/src",
        &[".mul_add("],
        "a fused multiply-add rounds once where others round twice: results would differ from machine to machine",
    ),
    (
        "crates/holonom/src/catalogue/joints",
        &["Rigid", "Particle", "Planar", "Affine"],
        "joints are written against attachments, never body kinds",
    ),
    (
        "crates/holonom/src/solve",
        &[
            "Weld",
            "Revolute",
            "Prismatic",
            "Cylindrical",
            "Universal",
            "Spherical",
            "PlanarJoint",
            "PointOnLine",
            "PointOnPlane",
            "PointOnCurve",
            "PointOnSurface",
            "SurfaceTangency",
            "Distance",
            "ParallelAxes",
            "PerpendicularAxes",
            "OrientationLock",
            "Oldham",
            "ConstantVelocity",
            "PinSlot",
        ],
        "solvers know blocks, never a kind of joint",
    ),
];

/// Does `word` stand in `line`, not as a part of a longer word?
fn stands_in(line: &str, word: &str) -> bool {
    let part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let (starts, ends) = (part(word.chars().next()), part(word.chars().last()));
    line.match_indices(word).any(|(at, _)| {
        !(starts && part(line[..at].chars().last()) || ends && part(line[at + word.len()..].chars().next()))
    })
}

/// Words found where they may not stand. Comments count only in `holonom-tree`: there even the explanations do without physics.
fn found_words(folder: &str, file: &str, text: &str, words: &[&str], why: &str) -> Vec<String> {
    let comments = folder.contains("holonom-tree");
    let code = |line: &str| comments || !line.trim_start().starts_with("//");
    let lines = text.lines().enumerate().filter(|(_, line)| code(line));
    lines
        .flat_map(|(n, line)| words.iter().filter(move |word| stands_in(line, word)).map(move |word| (n + 1, word)))
        .map(|(n, word)| format!("{file}:{n}: `{word}` ({why})"))
        .collect()
}

/// What architecture.md says is not there is not there.
pub fn check_invariants(root: &Path) -> Result<(), String> {
    let mut found = Vec::new();
    for (folder, words, why) in ABSENT {
        for path in files(&root.join(folder), "rs")? {
            let file = path.strip_prefix(root).unwrap_or(&path).display().to_string();
            found.extend(found_words(folder, &file, &read(&path)?, words, why));
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
}

// ---- links ---------------------------------------------------------------------------------------------------------

/// Targets of links and pictures that lie in this repository.
fn local_links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let local = targets.filter(|t| !t.contains("://") && !t.starts_with('#') && !t.contains(char::is_whitespace));
    local.filter_map(|t| t.split('#').next()).collect()
}

/// Every link to a file leads somewhere.
pub fn check_links(root: &Path) -> Result<(), String> {
    let top = ["README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "THIRD-PARTY.md"];
    let mut pages: Vec<PathBuf> = top.iter().map(|name| root.join(name)).collect();
    pages.extend(files(&root.join("docs"), "md")?);
    let mut dead = Vec::new();
    for page in pages {
        let folder = page.parent().unwrap_or(root);
        for target in local_links(&read(&page)?) {
            if !folder.join(target).exists() {
                dead.push(format!("{}: no file `{target}`", page.strip_prefix(root).unwrap_or(&page).display()));
            }
        }
    }
    if dead.is_empty() { Ok(()) } else { Err(dead.join("\n")) }
}

// ---- examples ------------------------------------------------------------------------------------------------------

/// An example program and what to watch for in it.
pub struct Example {
    pub package: &'static str,
    pub name: String,
    watch_for: String,
}

/// All examples of the engine and its extensions, sorted by name.
pub fn examples(root: &Path) -> Result<Vec<Example>, String> {
    let mut examples = Vec::new();
    for package in EXAMPLES {
        for path in files(&root.join(format!("crates/{package}/examples")), "rs")? {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            let text = read(&path)?;
            let first = text.lines().next().and_then(|line| line.strip_prefix("//! Watch for: "));
            let missing = || format!("{} must begin with `//! Watch for: `", path.display());
            let watch_for = first.ok_or_else(missing)?.to_string();
            examples.push(Example { package, name, watch_for });
        }
    }
    examples.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(examples)
}

fn index(examples: &[Example]) -> String {
    let mut text = String::from(
        "# Examples\n\n\
         Written by `cargo xtask examples` from the first line of every file in `crates/holonom/examples`, `crates/holonom-tyre/examples` and `crates/holonom-bevy/examples`. Run one with\n\n\
         ```\ncargo run --release --package holonom --example pendulum\n```\n\n\
         | example | watch for |\n|---|---|\n",
    );
    for e in examples {
        text += &format!("| [{1}](../crates/{0}/examples/{1}.rs) | {2} |\n", e.package, e.name, e.watch_for);
    }
    text
}

/// The index and the picture are what the examples give now.
pub fn check_examples(root: &Path) -> Result<(), String> {
    let stale = |file: &str| format!("{file} is stale; run `cargo xtask examples`");
    if read(&root.join(INDEX))? != index(&examples(root)?) {
        return Err(stale(INDEX));
    }
    if read(&root.join(PICTURE))?.into_bytes() != steps::example_output(root, "holonom", "strobe")? {
        return Err(stale(PICTURE));
    }
    Ok(())
}

/// Write the index and the picture.
pub fn write_examples(root: &Path) -> Result<(), String> {
    let write = |file: &str, text: &[u8]| fs::write(root.join(file), text).map_err(|e| format!("{file}: {e}"));
    write(INDEX, index(&examples(root)?).as_bytes())?;
    write(PICTURE, &steps::example_output(root, "holonom", "strobe")?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_belongs_to_its_heading() {
        let text =
            "# A\n| `no` | x |\n## B\n| name |\n|---|\n| `one` | x |\n| `two/` | `y` |\n### C\n| `three` | x |\n";
        assert_eq!(table_under(text, "## B"), ["one", "two/"]);
        assert!(table_under(text, "## Z").is_empty());
    }

    #[test]
    fn a_map_with_a_crate_too_many_or_too_few_is_refused() {
        let there = ["a".to_string(), "b".to_string()];
        assert!(compare("x", &["b", "a"], &there).is_ok());
        assert!(compare("x", &["a"], &there).is_err_and(|e| e.contains("does not list x `b`")));
        assert!(compare("x", &["a", "b", "c"], &there).is_err_and(|e| e.contains("`c`, which does not exist")));
    }

    #[test]
    fn words_are_whole_words() {
        assert!(stands_in("let mass = 1.0;", "mass") && !stands_in("let amass = massive;", "mass"));
        assert!(stands_in("(x).mul_add(y, z)", ".mul_add(") && !stands_in("fn mul_add(x)", ".mul_add("));
        let text = "// a body\nlet x = body;\n";
        assert_eq!(found_words("crates/holonom/src", "f", text, &["body"], "why").len(), 1);
        assert_eq!(
            found_words("crates/holonom-tree/src", "f", text, &["body"], "why"),
            ["f:1: `body` (why)", "f:2: `body` (why)"]
        );
    }

    #[test]
    fn links_to_files_are_found() {
        let text = "[a](docs/a.md) ![b](b.svg) [c](https://example.org/c) [d](#d) [e](e.md#part)";
        assert_eq!(local_links(text), ["docs/a.md", "b.svg", "e.md"]);
    }
}
