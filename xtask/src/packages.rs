//! What a published package needs besides its code: licences and a README in every folder that becomes one, the notices of everything that is
//! compiled or bundled in (`THIRD-PARTY.md`), one version number wherever one stands, and that `cargo package` takes all of them.

use crate::documents::read;
use crate::steps::output_of;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const LICENCES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];
const NOTICES: &str = "THIRD-PARTY.md";
/// Files whose names begin so hold licences.
const LICENCE_NAMES: [&str; 5] = ["LICENSE", "LICENCE", "COPYING", "COPYRIGHT", "NOTICE"];
/// What the page is bundled from: name, licence, and the folder of `node_modules` it lies in.
const BUNDLED: [(&str, &str); 2] = [("three", "MIT"), ("uplot", "MIT")];

/// A package of this workspace that may be published.
struct OwnPackage {
    name: String,
    version: String,
    description: String,
    folder: PathBuf,
}

/// Write all of it anew.
pub fn write(root: &Path) -> Result<(), String> {
    let metadata = metadata(root)?;
    for (path, text) in wanted(root, &metadata)? {
        fs::write(&path, text).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

/// What is not as it should be.
pub fn check(root: &Path) -> Result<(), String> {
    let metadata = metadata(root)?;
    let stale = |(path, text): &(PathBuf, String)| read(path).is_ok_and(|there| there == *text);
    let stale: Vec<String> = wanted(root, &metadata)?
        .iter()
        .filter(|file| !stale(file))
        .map(|(path, _)| path.strip_prefix(root).unwrap_or(path).display().to_string())
        .collect();
    if !stale.is_empty() {
        return Err(format!("not as `cargo xtask packages` writes them: {}", stale.join(", ")));
    }
    one_version(root, &metadata)
}

/// `cargo package` of every crate, without compiling them again: metadata, versions of dependencies, files.
pub fn package(root: &Path) -> Result<(), String> {
    let all = ["package", "--workspace", "--no-verify", "--allow-dirty", "--quiet", "--offline"];
    let private = own(&metadata(root)?, false).into_iter().flat_map(|p| ["--exclude".to_string(), p.name]);
    let arguments: Vec<String> = all.into_iter().map(String::from).chain(private).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    output_of(root, &arguments).map(|_| ())
}

fn metadata(root: &Path) -> Result<Value, String> {
    let text = output_of(root, &["metadata", "--format-version", "1", "--locked"])?;
    serde_json::from_slice(&text).map_err(|e| format!("cargo metadata: {e}"))
}

/// The packages of the workspace that are published, or those that are not.
fn own(metadata: &Value, published: bool) -> Vec<OwnPackage> {
    let members: BTreeSet<&str> =
        metadata["workspace_members"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let ours = packages.filter(|p| p["id"].as_str().is_some_and(|id| members.contains(id)));
    // `publish = false` is an empty list of registries
    let ours = ours.filter(|p| p["publish"].as_array().is_none_or(|to| !to.is_empty()) == published);
    let text = |p: &Value, key: &str| p[key].as_str().unwrap_or("").to_string();
    ours.map(|p| OwnPackage {
        name: text(p, "name"),
        version: text(p, "version"),
        description: text(p, "description"),
        folder: Path::new(&text(p, "manifest_path")).parent().map(Path::to_path_buf).unwrap_or_default(),
    })
    .collect()
}

/// Every generated file and its text.
fn wanted(root: &Path, metadata: &Value) -> Result<Vec<(PathBuf, String)>, String> {
    let mut all = Vec::new();
    for package in own(metadata, true) {
        for licence in LICENCES {
            all.push((package.folder.join(licence), read(&root.join(licence))?));
        }
        all.push((package.folder.join("README.md"), readme(&package)));
    }
    all.push((root.join(NOTICES), notices(root, metadata)?));
    Ok(all)
}

fn readme(package: &OwnPackage) -> String {
    let OwnPackage { name, description, .. } = package;
    let part = if name == "holonom" {
        "The engine of holonom; `cargo doc --open` shows its map and a first program."
    } else {
        "A part of holonom, a multibody dynamics engine with exact joint forces."
    };
    format!(
        "# {name}\n\n{description}.\n\n{part}\n\nLicensed under either of [Apache License 2.0](LICENSE-APACHE) or [MIT](LICENSE-MIT), at your choice.\n"
    )
}

/// One number in the workspace, as the newest heading of the changelog and in what tells others how to cite it.
fn one_version(root: &Path, metadata: &Value) -> Result<(), String> {
    let versions: BTreeSet<String> = own(metadata, true).into_iter().map(|p| p.version).collect();
    let [version] = versions.iter().collect::<Vec<_>>()[..] else {
        return Err(format!("the packages have several versions: {versions:?}"));
    };
    let changelog = read(&root.join("CHANGELOG.md"))?;
    let newest = changelog.lines().find(|l| l.starts_with("## [")).unwrap_or("");
    if !newest.starts_with(&format!("## [{version}]")) {
        return Err(format!("CHANGELOG.md begins with `{newest}`, the packages have version {version}"));
    }
    let citation = read(&root.join("CITATION.cff"))?;
    match citation.lines().any(|l| l == format!("version: {version}")) {
        true => Ok(()),
        false => Err(format!("CITATION.cff has no line `version: {version}`")),
    }
}

/// What is handed out compiled: the command, the wheel of Python and the engine of the site.
const PROGRAMS: [&str; 3] = ["holonom-cli", "holonom-py", "holonom-wasm"];

/// What is compiled into the programs: their dependencies that are not only for tests or for building.
fn compiled(metadata: &Value) -> BTreeSet<String> {
    let nodes = metadata["resolve"]["nodes"].as_array().into_iter().flatten();
    let nodes: BTreeMap<&str, &Value> = nodes.filter_map(|n| Some((n["id"].as_str()?, n))).collect();
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut open: Vec<&str> = packages
        .filter(|p| p["name"].as_str().is_some_and(|n| PROGRAMS.contains(&n)))
        .filter_map(|p| p["id"].as_str())
        .collect();
    let mut reached = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !reached.insert(id.to_string()) {
            continue;
        }
        for dependency in nodes.get(id).and_then(|n| n["deps"].as_array()).into_iter().flatten() {
            let normal = |k: &Value| k["kind"].is_null();
            if dependency["dep_kinds"].as_array().is_some_and(|kinds| kinds.iter().any(normal)) {
                open.extend(dependency["pkg"].as_str());
            }
        }
    }
    reached
}

fn notices(root: &Path, metadata: &Value) -> Result<String, String> {
    let reached = compiled(metadata);
    let (mut table, mut others) = (String::new(), String::new());
    let mut lines: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut packages: Vec<&Value> = metadata["packages"].as_array().into_iter().flatten().collect();
    packages.sort_by_key(|p| (p["name"].as_str(), p["version"].as_str()));
    for p in packages.into_iter().filter(|p| !p["source"].is_null()) {
        if !p["id"].as_str().is_some_and(|id| reached.contains(id)) {
            continue;
        }
        let text = |key: &str| p[key].as_str().unwrap_or("");
        let (name, version) = (text("name"), text("version"));
        let home = if text("repository").is_empty() { text("homepage") } else { text("repository") };
        let _ = writeln!(table, "| {name} | {version} | {} | {home} |", text("license"));
        let folder = Path::new(text("manifest_path")).parent().map(Path::to_path_buf).unwrap_or_default();
        lines.insert(format!("{name} {version}"), copyright(&folder)?);
        if !text("license").contains("MIT") && !text("license").contains("Apache-2.0") {
            others += &format!("\n## {name} {version}\n\n```text\n{}\n```\n", licence_text(&folder)?.trim_end());
        }
    }
    let mut out = String::from(
        "# What holonom is made with\n\nWritten by `cargo xtask packages`. The program `holonom`, its Python package and the engine of its site are compiled from the crates below, and the page is bundled from the packages of \
         npm after them. Many may be used under a choice of licences; holonom uses them under MIT where that is one of the choices, else under the one named. \
         The words of copyright follow, and the texts of the licences.\n\n| crate | version | licence | home |\n|---|---|---|---|\n",
    );
    out += &table;
    out += "\n| package of npm | licence |\n|---|---|\n";
    for (name, licence) in BUNDLED {
        let _ = writeln!(out, "| {name} {} | {licence} |", npm_version(root, name)?);
    }
    out += "\nPictures are lettered with DejaVu Sans (the crate `dejavu`): a font derived from Bitstream Vera, Copyright (c) 2003 by Bitstream, Inc., and Arev, \
            Copyright (c) 2006 by Tavmjong Bah, free to use and to embed under the licence of Bitstream Vera.\n\n## Copyright\n\n";
    out += "- three: Copyright © 2010-2026 three.js authors\n- uplot: Copyright (c) 2022 Leon Sorokin\n";
    for (name, said) in lines.into_iter().filter(|(_, said)| !said.is_empty()) {
        let _ = writeln!(out, "- {name}: {}", said.into_iter().collect::<Vec<_>>().join("; "));
    }
    out += "\n## MIT\n\n";
    out += &permission(&read(&root.join("LICENSE-MIT"))?);
    out += "\nThe text of the Apache License 2.0 is in [LICENSE-APACHE](LICENSE-APACHE).\n";
    out += &others;
    Ok(out)
}

/// The licence of MIT without the words of copyright.
fn permission(text: &str) -> String {
    let from = text.find("Permission is hereby granted").unwrap_or(0);
    text[from..].to_string()
}

/// The first licence file of a package, whole.
fn licence_text(folder: &Path) -> Result<String, String> {
    let mut paths: Vec<PathBuf> =
        fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?.flatten().map(|e| e.path()).collect();
    paths.sort();
    let licence = |p: &&PathBuf| {
        let name = p.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        LICENCE_NAMES.iter().any(|n| name.starts_with(n))
    };
    let path = paths.iter().find(licence).ok_or_else(|| format!("{}: no licence file", folder.display()))?;
    Ok(read(path)?.replace("\r\n", "\n"))
}

/// Lines of copyright in the licence files of a package.
fn copyright(folder: &Path) -> Result<BTreeSet<String>, String> {
    let mut said = BTreeSet::new();
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().to_uppercase();
        if !LICENCE_NAMES.iter().any(|n| name.starts_with(n)) || !entry.path().is_file() {
            continue;
        }
        let bytes = fs::read(entry.path()).map_err(|e| format!("{}: {e}", entry.path().display()))?;
        for line in String::from_utf8_lossy(&bytes).lines().map(str::trim) {
            let plain = line.trim_start_matches(['/', '*', '#', ' ', '-']);
            // the licence of Apache explains how to write such a line
            let example = plain.contains("[yyyy]") || plain.contains("{yyyy}");
            let begins =
                plain.starts_with("Copyright (c)") || plain.starts_with("Copyright ©") || starts_with_year(plain);
            if begins && !example && plain.len() < 200 {
                said.insert(plain.replace('|', "/").replace('<', "‹").replace('>', "›"));
            }
        }
    }
    Ok(said)
}

/// `Copyright 2019 ...`
fn starts_with_year(line: &str) -> bool {
    line.strip_prefix("Copyright ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn npm_version(root: &Path, name: &str) -> Result<String, String> {
    let lock: Value = serde_json::from_str(&read(&root.join("crates/holonom-view/web/package-lock.json"))?)
        .map_err(|e| format!("package-lock.json: {e}"))?;
    let version = lock["packages"][format!("node_modules/{name}")]["version"].as_str();
    version.map(str::to_string).ok_or_else(|| format!("package-lock.json has no `{name}`"))
}
