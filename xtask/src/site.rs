//! The page without a server: the engine compiled to WebAssembly, and the page around it, as files for any host.

use crate::{book, page, steps};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const TARGET: &str = "wasm32-unknown-unknown";

/// Write the site into the folder `site` of cargo's target folder; where that is.
pub fn build(root: &Path) -> Result<PathBuf, String> {
    page::require_node()?;
    require_target()?;
    page::require_xz()?;
    let target = steps::target_folder(root)?;
    steps::cargo(root, &["build", "--quiet", "--profile", "site", "-p", "holonom-wasm", "--target", TARGET])?;
    let engine = target.join(TARGET).join("site").join("holonom_wasm.wasm");
    let web = root.join(page::WEB);
    page::packages(&web)?;
    let site = files(&target);
    write_book(root, &site)?;
    let mut node = Command::new("node");
    node.arg("build.mjs").arg("--site").arg(&site).arg(engine).current_dir(&web);
    page::run(&mut node, "the bundle of the site")?;
    Ok(site)
}

/// The book alone, into the site that is there.
pub fn book(root: &Path) -> Result<PathBuf, String> {
    page::require_node()?;
    let (web, site) = (root.join(page::WEB), files(&steps::target_folder(root)?));
    page::packages(&web)?;
    write_book(root, &site)?;
    let mut node = Command::new("node");
    page::run(node.arg("build.mjs").arg("--book").arg(&site).current_dir(&web), "the scripts of the book")?;
    Ok(site)
}

/// Where the site is written: beside what cargo makes of the profile of that name.
fn files(target: &Path) -> PathBuf {
    target.join("site")
}

fn write_book(root: &Path, site: &Path) -> Result<(), String> {
    let folder = site.join("book");
    match std::fs::remove_dir_all(&folder) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => return Err(format!("{}: {e}", folder.display())),
        _ => {}
    }
    let written = book::write(root, &book::load(root)?, &folder)?;
    println!("book of {} pages", written.iter().filter(|name| name.ends_with(".html")).count());
    Ok(())
}

/// The standard library for WebAssembly, which rustup fetches.
fn require_target() -> Result<(), String> {
    let there = || {
        let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
        let out = Command::new(rustc).args(["--print", "target-libdir", "--target", TARGET]).output();
        out.is_ok_and(|o| o.status.success() && Path::new(String::from_utf8_lossy(&o.stdout).trim()).exists())
    };
    if there() {
        return Ok(());
    }
    println!("installing the standard library for {TARGET}");
    let _ = Command::new("rustup").args(["target", "add", TARGET]).stdout(Stdio::null()).status();
    if there() {
        return Ok(());
    }
    Err(format!("the standard library for WebAssembly is missing; install it with\n\nrustup target add {TARGET}\n"))
}
