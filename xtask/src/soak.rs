//! Long runs: `cargo xtask soak` for all of them, `cargo xtask soak PART ...` for some.

use crate::steps::{command, run};
use crate::{documents, page, python};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Instant;

/// A part of the tests that draw their cases at random, with the variable that says how many.
struct Long {
    package: &'static str,
    test: &'static str,
    variable: &'static str,
    cases: &'static str,
}

const fn long(package: &'static str, test: &'static str, variable: &'static str, cases: &'static str) -> Long {
    Long { package, test, variable, cases }
}

const TESTS: &[Long] = &[
    long("holonom", "solve", "PROPTEST_CASES", "2000"),
    long("holonom", "invariance", "PROPTEST_CASES", "2000"),
    long("holonom", "reactions", "PROPTEST_CASES", "2000"),
    long("holonom", "solvers_loops", "PROPTEST_CASES", "2000"),
    long("holonom", "conservation", "PROPTEST_CASES", "2000"),
    long("holonom", "joint_coordinates", "PROPTEST_CASES", "2000"),
    long("holonom", "ledger_blows", "PROPTEST_CASES", "6400"),
    long("holonom", "graded", "HOLONOM_GRADED", "5000"),
    long("holonom", "rest", "HOLONOM_REST", "1"),
    long("holonom", "stepping_pairs", "HOLONOM_FLIGHTS", "200"),
    long("holonom", "stepping_surfaces", "HOLONOM_DROPS", "40"),
    long("holonom", "stepping_heaps", "HOLONOM_HEAPS", "1"),
    long("holonom", "event_flights", "FLIGHTS", "200"),
    long("holonom-view", "messages", "HOLONOM_SEQUENCES", "100000"),
    long("holonom-cli", "mutants", "HOLONOM_MUTANTS", "20000"),
];

/// Fuzz targets, the seeds of each, and for how long each is run, s.
const TARGETS: &[(&str, &[&str])] = &[
    ("scene", &["scenes", "crates/holonom-scene/tests/bad"]),
    ("scene_run", &["scenes", "crates/holonom-cli/tests/found"]),
    ("urdf", &["crates/holonom-scene/tests/urdf"]),
    ("mjcf", &["crates/holonom-scene/tests/mjcf"]),
    ("stl", &[]),
    ("obj", &["crates/holonom-cli/tests/found"]),
    ("recording", &[]),
    ("messages", &[]),
    ("replay", &[]),
    ("dae", &[]),
];
const FUZZED: u32 = 600;

/// Crates whose unit tests are run under Miri: those at the bottom, which have no system calls.
const INTERPRETED: &[(&str, &[&str])] = &[
    ("holonom-tree", &["--lib"]),
    ("holonom-lcp", &["--lib"]),
    // the C interface, called as from C
    ("holonom-fmi", &["--lib", "--test", "interface"]),
];

/// The parts named, or all; true when all passed.
pub fn soak(root: &Path, parts: &[&str]) -> bool {
    let known = TESTS.iter().map(|t| t.test).chain(["fuzz", "miri", "ray", "site"]);
    let known: Vec<&str> = known.collect();
    if let Some(unknown) = parts.iter().find(|part| !known.contains(part)) {
        eprintln!("error: there is no part `{unknown}`; there are {}", known.join(", "));
        return false;
    }
    let wanted = |part: &str| parts.is_empty() || parts.contains(&part);
    let mut good = true;
    for Long { package, test, variable, cases } in TESTS.iter().filter(|t| wanted(t.test)) {
        good &= timed(&format!("{test}, {variable}={cases}"), || {
            let arguments = ["test", "-p", package, "--test", test, "--no-fail-fast", "--", "--nocapture"];
            run(command(root, &arguments).env(variable, cases))
        });
    }
    if wanted("site") {
        good &= timed("every scene on the site", || page::soak(root));
    }
    if wanted("ray") {
        good &= timed("a study by Ray", || python::ray(root));
    }
    if wanted("miri") {
        for (package, targets) in INTERPRETED {
            good &= timed(&format!("{package} under Miri"), || interpret(root, package, targets));
        }
    }
    if wanted("fuzz") {
        for (target, seeds) in TARGETS {
            good &= timed(&format!("fuzz target {target}, {FUZZED} s"), || fuzz(root, target, seeds));
        }
    }
    good
}

fn timed(name: &str, work: impl FnOnce() -> Result<(), String>) -> bool {
    let start = Instant::now();
    println!("== {name}");
    let result = work();
    if let Err(e) = &result {
        println!("{e}");
    }
    let verdict = if result.is_ok() { "passed" } else { "FAILED" };
    println!("== {name}: {verdict}, {:.0} s\n", start.elapsed().as_secs_f64());
    result.is_ok()
}

/// Unit tests under Miri; what takes minutes there is left out by the tests themselves (`cfg!(miri)`).
fn interpret(root: &Path, package: &str, targets: &[&str]) -> Result<(), String> {
    require(&["+nightly", "miri", "--version"], "rustup toolchain install nightly --component miri,rust-src")?;
    // through rustup, not the cargo that started us: it has a toolchain already
    let mut cargo = Command::new("cargo");
    cargo.args(["+nightly", "miri", "test", "-p", package]).args(targets).current_dir(root);
    cargo.env("MIRIFLAGS", "-Zmiri-disable-isolation").env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    run(&mut cargo)
}

fn fuzz(root: &Path, target: &str, seeds: &[&str]) -> Result<(), String> {
    require(&["+nightly", "fuzz", "--version"], "rustup toolchain install nightly; cargo install cargo-fuzz")?;
    let corpus = root.join("fuzz/corpus").join(target);
    std::fs::create_dir_all(&corpus).map_err(|e| format!("{}: {e}", corpus.display()))?;
    let mut cargo = Command::new("cargo");
    cargo.args(["+nightly", "fuzz", "run", target]).arg(&corpus).args(seeds).current_dir(root);
    cargo.args(["--", &format!("-max_total_time={FUZZED}"), "-rss_limit_mb=2048", "-timeout=20"]);
    cargo.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    run(&mut cargo)
}

/// Is this part of cargo there?
fn require(arguments: &[&str], install: &str) -> Result<(), String> {
    let mut cargo = Command::new("cargo");
    cargo.args(arguments).env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO");
    let there = cargo.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|s| s.success());
    if there {
        Ok(())
    } else {
        Err(format!("`cargo {}` does not run; install it with\n\n{install}\n", arguments[..2].join(" ")))
    }
}

/// Every fuzz target is run by the soak.
pub fn check_targets(root: &Path) -> Result<(), String> {
    let sources = documents::files(&root.join("fuzz/fuzz_targets"), "rs")?;
    for source in sources {
        let name = source.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if !TARGETS.iter().any(|(target, _)| *target == name) {
            return Err(format!("fuzz target `{name}` is not in xtask/src/soak.rs"));
        }
    }
    Ok(())
}
