//! The page of the viewer: its types are checked, and it is tried end to end in a real browser (`crates/holonom-view/web/tests`). What that needs besides Rust is
//! installed where that can be done without asking anybody, and named exactly where it cannot.

use crate::{site, steps};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The sources of the page.
pub const WEB: &str = "crates/holonom-view/web";

/// Where Debian and others put the browser; the variable `CHROMIUM` names any other place.
const BROWSERS: [&str; 3] = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/// Every scene of the gallery on the site, large ones too, against the program: half an hour and more.
pub fn soak(root: &Path) -> Result<(), String> {
    try_all(root, &["site: the bits"], &[("HOLONOM_SITE_ALL", "1")])
}

/// Check the page, build the program and the site, and try them together; `words` select tests by their names. The site takes minutes to build: it is, where all is tried or a
/// word names it.
pub fn test(root: &Path, words: &[&str]) -> Result<(), String> {
    try_all(root, words, &[])
}

fn try_all(root: &Path, words: &[&str], variables: &[(&str, &str)]) -> Result<(), String> {
    let (web, tests) = (root.join(WEB), root.join(WEB).join("tests"));
    require_node()?;
    let browser = require_browser()?;
    packages(&web)?;
    run(Command::new("npx").args(["--no-install", "tsc", "--noEmit"]).current_dir(&web), "the types of the page")?;
    packages(&tests)?;
    let program = steps::build_command(root)?;
    let mut node = Command::new("node");
    node.arg("run.mjs").args(words).current_dir(&tests).env("HOLONOM", program).env("CHROMIUM", browser);
    node.envs(variables.iter().copied());
    if words.is_empty() || words.iter().any(|word| word.starts_with("site")) {
        node.env("SITE", site::build(root)?);
    }
    run(&mut node, "the tests of the page")
}

/// Write the TypeScript of the messages from the Rust types: a test of holonom-view does it when it is told to.
pub fn write_protocol(root: &Path) -> Result<(), String> {
    let mut cargo = Command::new("cargo");
    cargo.args(["test", "-q", "-p", "holonom-view", "--lib", "protocol"]).current_dir(root);
    run(cargo.env("HOLONOM_WRITE_PROTOCOL", "1"), "the types of the messages")
}

fn there(program: &str) -> bool {
    let quiet = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|s| s.success())
}

/// Run a command, its output going where ours goes.
pub fn run(command: &mut Command, what: &str) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{what}: ended with {status}")),
        Err(e) => Err(format!("{what}: {e}")),
    }
}

/// Node.js with npm, installed where that can be done.
pub fn require_node() -> Result<(), String> {
    if there("node") && there("npm") {
        return Ok(());
    }
    install("nodejs npm");
    if there("node") && there("npm") {
        return Ok(());
    }
    Err("Node.js or npm is missing, which build and test the page; install both with\n\nsudo apt-get install nodejs npm\n"
        .into())
}

/// The program `xz`, which packs the engine of the site, installed where that can be done.
pub fn require_xz() -> Result<(), String> {
    if !there("xz") {
        install("xz-utils");
    }
    if there("xz") {
        Ok(())
    } else {
        Err("xz is missing, which packs the engine of the site; install it with\n\nsudo apt-get install xz-utils\n"
            .into())
    }
}

fn browser() -> Option<PathBuf> {
    let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
    named.into_iter().chain(BROWSERS.iter().map(PathBuf::from)).find(|p| p.exists())
}

fn require_browser() -> Result<PathBuf, String> {
    if let Some(found) = browser() {
        return Ok(found);
    }
    install("chromium");
    browser().ok_or_else(|| {
        "Chromium is missing, in which the page is tried; install it with\n\nsudo apt-get install chromium\n\n\
         or name one that is there: CHROMIUM=/path/to/chrome cargo xtask test\n"
            .into()
    })
}

/// Debian packages, where we are root and may install them; whether that worked is seen by looking again.
pub fn install(names: &str) {
    let root = Command::new("id").arg("-u").output().is_ok_and(|o| o.stdout.trim_ascii() == b"0");
    if !root || !there("apt-get") {
        return;
    }
    println!("installing {names}");
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive").stdout(Stdio::null());
        command.status().is_ok_and(|s| s.success())
    };
    let mut arguments = vec!["install", "-y", "--no-install-recommends"];
    arguments.extend(names.split(' '));
    if apt(&["update"]) {
        apt(&arguments);
    }
}

/// The packages that a folder's lock file lists, unless they are there already.
pub fn packages(folder: &Path) -> Result<(), String> {
    let age = |name: &str| folder.join(name).metadata().and_then(|m| m.modified());
    if let (Ok(installed), Ok(wanted)) = (age("node_modules/.package-lock.json"), age("package-lock.json"))
        && installed >= wanted
    {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"]).current_dir(folder);
    run(&mut npm, &format!("the packages of {}", folder.display()))
}
