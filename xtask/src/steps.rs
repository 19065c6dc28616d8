//! The steps of `cargo xtask test`: each has a name, is timed, and goes on to the next even when it fails.

use crate::{documents, house, manual, packages, page, python, soak};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// One step that was run.
struct Done {
    name: String,
    time: Duration,
    good: bool,
}

/// Run everything; true when all steps passed.
pub fn test(root: &Path) -> bool {
    if let Err(e) = require_components(root) {
        eprintln!("error: {e}");
        return false;
    }
    let mut done = Vec::new();
    let mut step = |name: &str, run: &dyn Fn() -> Result<(), String>| {
        println!("== {name}");
        let start = Instant::now();
        let result = run();
        let time = start.elapsed();
        if let Err(e) = &result {
            println!("{e}");
        }
        println!("== {name}: {}, {:.1} s\n", if result.is_ok() { "passed" } else { "FAILED" }, time.as_secs_f64());
        done.push(Done { name: name.to_string(), time, good: result.is_ok() });
    };

    step("formatting", &|| format(root, &["--check"]));
    step("lints", &|| cargo(root, &["clippy", "--quiet", "--workspace", "--all-targets", "--", "-D", "warnings"]));
    step("tests", &|| cargo(root, &["test", "--workspace", "--no-fail-fast"]));
    step("page", &|| page::test(root, &[]));
    step("python", &|| python::test(root, &[]));
    step("documentation", &|| {
        run(command(root, &["doc", "--quiet", "--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings"))
    });
    step("code map", &|| documents::check_map(root));
    step("invariants", &|| documents::check_invariants(root));
    step("length of functions", &|| house::check_functions(root));
    step("names of types", &|| house::check_type_names(root));
    step("width of comments", &|| house::check_comments(root));
    step("links", &|| documents::check_links(root));
    step("files of packages", &|| packages::check(root));
    step("packages", &|| packages::package(root));
    step("fuzz targets", &|| soak::check_targets(root));
    step("verification manual", &|| manual::check(root));
    step("building the examples", &|| {
        let packages = documents::EXAMPLES.iter().flat_map(|package| ["--package", package]);
        let arguments = ["build", "--quiet", "--profile", "test", "--examples"].into_iter().chain(packages);
        cargo(root, &arguments.collect::<Vec<_>>())
    });
    step("example index and picture", &|| documents::check_examples(root));
    match documents::examples(root) {
        Ok(examples) => {
            for example in examples {
                let run = || example_output(root, example.package, &example.name).map(|_| ());
                step(&format!("example {}", example.name), &run);
            }
        }
        Err(e) => step("examples", &|| Err(e.clone())),
    }
    summary(&done)
}

/// Format all sources, or `--check` them. The formatter finds files by their `mod` lines, and does not see those that a macro writes: the joints.
pub fn format(root: &Path, options: &[&str]) -> Result<(), String> {
    cargo(root, &[&["fmt", "--all", "--"], options].concat())?;
    let joints = documents::files(&root.join("crates/holonom/src/catalogue/joints"), "rs")?;
    let mut rustfmt = Command::new("rustfmt");
    rustfmt.args(["--edition", "2024"]).args(options).args(joints).current_dir(root);
    match rustfmt.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("rustfmt ended with {status}")),
        Err(e) => Err(format!("rustfmt could not be started: {e}")),
    }
}

/// Formatter and linter are parts of Rust that may be missing from an installation.
fn require_components(root: &Path) -> Result<(), String> {
    let there = |what: &str| {
        let mut version = command(root, &[what, "--version"]);
        version.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success())
    };
    if there("fmt") && there("clippy") {
        return Ok(());
    }
    Err("the formatter or the linter of Rust is missing; install them with\n\nrustup component add rustfmt clippy\n"
        .into())
}

/// Cargo with these arguments, not yet started.
pub fn command(root: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root);
    command
}

/// Run cargo, its output going where ours goes.
pub fn cargo(root: &Path, arguments: &[&str]) -> Result<(), String> {
    run(&mut command(root, arguments))
}

/// Run a command to its end.
pub fn run(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("cargo ended with {status}")),
        Err(e) => Err(format!("cargo could not be started: {e}")),
    }
}

/// What cargo says on standard output.
pub fn output_of(root: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    output(&mut command(root, arguments))
}

/// Run cargo and return its standard output; when it fails, all it said.
fn output(command: &mut Command) -> Result<Vec<u8>, String> {
    let out = command.output().map_err(|e| format!("cargo could not be started: {e}"))?;
    if out.status.success() {
        return Ok(out.stdout);
    }
    let (said, complained) = (String::from_utf8_lossy(&out.stdout), String::from_utf8_lossy(&out.stderr));
    Err(format!("{said}{complained}ended with {}", out.status))
}

/// What an example prints. Built as the tests are, so that nothing is compiled twice.
pub fn example_output(root: &Path, package: &str, name: &str) -> Result<Vec<u8>, String> {
    output(&mut command(root, &["run", "--quiet", "--profile", "test", "--package", package, "--example", name]))
}

/// What the `holonom` command prints, built as the tests are.
pub fn command_output(root: &Path, arguments: &[&str]) -> Result<Vec<u8>, String> {
    let build = ["run", "--quiet", "--profile", "test", "--package", "holonom-cli", "--"];
    output(&mut command(root, &[&build, arguments].concat()))
}

/// Build the `holonom` command as the tests are built; where it is.
pub fn build_command(root: &Path) -> Result<PathBuf, String> {
    let said = output(&mut command(
        root,
        &["build", "--quiet", "--profile", "test", "--package", "holonom-cli", "--message-format", "json"],
    ))?;
    let messages = String::from_utf8_lossy(&said).into_owned();
    let artefacts = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let path = artefacts.filter_map(|m| m["executable"].as_str().map(PathBuf::from)).next_back();
    path.ok_or_else(|| "cargo built no command".into())
}

/// Build the library of co-simulation units as the tests are built; where it is.
pub fn build_unit_library(root: &Path) -> Result<PathBuf, String> {
    // with the command, so that what both are made of is compiled once
    let said = output(&mut command(
        root,
        &[
            "build",
            "--quiet",
            "--profile",
            "test",
            "--package",
            "holonom-cli",
            "--package",
            "holonom-fmi",
            "--message-format",
            "json",
        ],
    ))?;
    let messages = String::from_utf8_lossy(&said).into_owned();
    let artefacts = messages.lines().filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok());
    let ours = artefacts.filter(|m| m["target"]["name"] == "holonom_fmi");
    let files = ours.flat_map(|m| m["filenames"].as_array().cloned().unwrap_or_default());
    let library = files
        .filter_map(|f| f.as_str().map(PathBuf::from))
        .find(|f| f.extension().is_some_and(|e| e == std::env::consts::DLL_EXTENSION));
    library.ok_or_else(|| "cargo built no library of units".into())
}

/// Cargo's target folder.
pub fn target_folder(root: &Path) -> Result<PathBuf, String> {
    let said = output(&mut command(root, &["metadata", "--no-deps", "--format-version", "1"]))?;
    let about: serde_json::Value = serde_json::from_slice(&said).map_err(|e| format!("cargo metadata: {e}"))?;
    about["target_directory"].as_str().map(PathBuf::from).ok_or_else(|| "cargo names no target folder".into())
}

fn summary(done: &[Done]) -> bool {
    let width = done.iter().map(|d| d.name.len()).max().unwrap_or(0);
    for d in done {
        let verdict = if d.good { "passed" } else { "FAILED" };
        println!("{:<width$}  {:>7.1} s  {verdict}", d.name, d.time.as_secs_f64());
    }
    let failed = done.iter().filter(|d| !d.good).count();
    let total: f64 = done.iter().map(|d| d.time.as_secs_f64()).sum();
    println!("\n{} steps in {total:.0} s", done.len());
    println!("{} passed, {failed} failed", done.len() - failed);
    failed == 0
}
