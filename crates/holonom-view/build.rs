//! Builds the page: `web/` is copied into cargo's own folder, `npm ci` fetches what it is made with, esbuild bundles it
//! into one HTML file.
//!
//! Nothing is written outside `OUT_DIR`, and packages are fetched again only when `package-lock.json` changes. Without
//! Node.js, or without a network when packages are needed, a warning says what to do and the program carries a plain
//! page that says the same. For packagers:
//!
//! ```text
//! HOLONOM_PAGE=/path/page.html    a page that was built elsewhere (`node build.mjs page.html` in web/); nothing is fetched
//! HOLONOM_PAGE_REQUIRED=1         fail instead of falling back
//! ```
//!
//! Two files are made: `page.html`, and `page_facts.rs` with `COMPLETE` (false for the plain page) and the hashes of
//! its scripts and styles, by which the server's Content-Security-Policy lets them run.

use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, io};

/// What of `web/` does not go into the page.
const LEFT_OUT: [&str; 4] = ["node_modules", "tests", "test-results", "page.html"];
/// Windows starts scripts by their full name only.
const NPM: &str = if cfg!(windows) { "npm.cmd" } else { "npm" };

/// Why there is no page, and what to do about it.
struct Lacking {
    why: String,
    help: &'static str,
    /// May the next attempt end differently although no file has changed?
    passing: bool,
}

fn main() {
    for name in ["HOLONOM_PAGE", "HOLONOM_PAGE_REQUIRED"] {
        println!("cargo::rerun-if-env-changed={name}");
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=fallback.html");
    if env::var_os("CARGO_FEATURE_SERVER").is_none() {
        return; // nobody serves a page
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let (page, complete) = match page(&out) {
        Ok(page) => (page, true),
        Err(lacking) => (fallback(&lacking, &out), false),
    };
    let page = page.replace("\r\n", "\n"); // as the browser reads it, and so hashes it
    let facts = match hashes(&page) {
        Ok((scripts, styles)) => format!(
            "/// Is this the page itself, not the plain one that says what to install?\npub const COMPLETE: bool = {complete};\n\
             pub(crate) const SCRIPTS: &[&str] = &{scripts:?};\npub(crate) const STYLES: &[&str] = &{styles:?};\n"
        ),
        Err(why) => fail(&format!("the page cannot be used: {why}")),
    };
    fs::write(out.join("page.html"), page).expect("OUT_DIR can be written to");
    fs::write(out.join("page_facts.rs"), facts).expect("OUT_DIR can be written to");
}

/// No build without this.
fn fail(why: &str) -> ! {
    println!("cargo::error={why}");
    std::process::exit(1);
}

/// The page: ready-made, or built here.
fn page(out: &Path) -> Result<String, Lacking> {
    if let Some(path) = env::var_os("HOLONOM_PAGE").filter(|p| !p.is_empty()) {
        let path = PathBuf::from(path);
        println!("cargo::rerun-if-changed={}", path.display());
        // named explicitly: a mistake, not a lack
        return Ok(fs::read_to_string(&path).unwrap_or_else(|e| fail(&format!("HOLONOM_PAGE={}: {e}", path.display()))));
    }
    let web = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").expect("cargo sets it")).join("web");
    let work = out.join("web");
    copy(&web, &work, true).map_err(|e| Lacking {
        why: format!("the sources of the page cannot be copied: {e}"),
        help: "see whether the disk is full",
        passing: true,
    })?;
    fetch(&work)?;
    let target = out.join("bundle.html");
    run(Command::new("node").arg("build.mjs").arg(&target).current_dir(&work), "node build.mjs").map_err(|why| {
        Lacking {
            why,
            help: "mend the sources in crates/holonom-view/web, or check that Node.js is 20 or newer",
            passing: false,
        }
    })?;
    fs::read_to_string(&target).map_err(|e| Lacking {
        why: format!("node build.mjs made no page: {e}"),
        help: "mend crates/holonom-view/web/build.mjs",
        passing: false,
    })
}

/// Copy a folder. Folders other than that of the packages are made anew, so that nothing removed lives on.
fn copy(from: &Path, to: &Path, top: bool) -> io::Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let shown = name.to_string_lossy();
        if shown.starts_with('.') || (top && LEFT_OUT.contains(&shown.as_ref())) {
            continue;
        }
        let (source, target) = (entry.path(), to.join(&name));
        if top {
            println!("cargo::rerun-if-changed={}", source.display());
        }
        if entry.file_type()?.is_dir() {
            if top && target.exists() {
                fs::remove_dir_all(&target)?;
            }
            copy(&source, &target, false)?;
        } else {
            fs::copy(&source, &target)?;
        }
    }
    Ok(())
}

/// The packages that the page is made with, unless those of this lock file are there already.
fn fetch(work: &Path) -> Result<(), Lacking> {
    let missing = [("node", "Node.js"), (NPM, "npm")]
        .into_iter()
        .find(|(program, _)| !Command::new(program).arg("--version").output().is_ok_and(|o| o.status.success()));
    if let Some((_, name)) = missing {
        // what is installed later appears in one of these folders
        println!("cargo::rerun-if-env-changed=PATH");
        for folder in env::split_paths(&env::var_os("PATH").unwrap_or_default()).filter(|f| f.is_dir()) {
            println!("cargo::rerun-if-changed={}", folder.display());
        }
        return Err(Lacking {
            why: format!("{name} is not installed (it is needed only to build the page)"),
            help: "install Node.js 20 or newer with npm (Debian, Ubuntu: apt install nodejs npm; Fedora: dnf install nodejs; macOS: brew install node; \
                   or nodejs.org), then build again",
            passing: false,
        });
    }
    let lock = fs::read(work.join("package-lock.json")).unwrap_or_default();
    let marker = work.join("installed-lock.json");
    if !lock.is_empty() && fs::read(&marker).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    let _ = fs::remove_file(&marker);
    let mut npm = Command::new(NPM);
    npm.args(["ci", "--ignore-scripts", "--prefer-offline", "--omit=dev", "--no-audit", "--no-fund"])
        .args(["--fetch-retries=0", "--fetch-timeout=30000"])
        .current_dir(work);
    run(&mut npm, "npm ci").and_then(|()| fs::write(&marker, lock).map_err(|e| e.to_string())).map_err(|why| Lacking {
        why,
        help: "connect to the network, or fill npm's cache with `npm ci` in crates/holonom-view/web, then build again",
        passing: true,
    })
}

/// Run to the end; what it said when it fails.
fn run(command: &mut Command, name: &str) -> Result<(), String> {
    let out = command.output().map_err(|e| format!("{name} cannot be started: {e}"))?;
    if out.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&out.stderr).into_owned() + &String::from_utf8_lossy(&out.stdout);
    let line = |l: &'_ str| l.trim_start_matches("npm error").trim().to_string();
    let telling = |l: &String| !(l.is_empty() || l.starts_with("npm warn") || l.starts_with("at "));
    let told: Vec<String> = said.lines().map(line).filter(telling).take(5).collect();
    Err(format!("{name} failed ({}): {}", out.status, told.join(" | ")))
}

/// The plain page, after saying why it is needed; or no build at all, where the page is a must.
fn fallback(lacking: &Lacking, out: &Path) -> String {
    let Lacking { why, help, passing } = lacking;
    if env::var_os("HOLONOM_PAGE_REQUIRED").is_some_and(|v| !v.is_empty() && v != "0") {
        fail(&format!("the page could not be built and HOLONOM_PAGE_REQUIRED is set: {why}; to mend it, {help}"));
    }
    println!("cargo::warning=the page could not be built: {why}");
    println!("cargo::warning=to have it, {help}. All else works; `holonom view` shows a page that says this");
    if *passing {
        // a file that is never there: try again at every build
        println!("cargo::rerun-if-changed={}", out.join("try-again").display());
    }
    let escape = |s: &str| s.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;");
    let shell = fs::read_to_string("fallback.html").expect("the plain page is there");
    shell.replace("<!-- why -->", &escape(why)).replace("<!-- help -->", &escape(help))
}

/// Hashes of scripts and styles, as a Content-Security-Policy writes them: `sha256-` and base 64.
fn hashes(page: &str) -> Result<(Vec<String>, Vec<String>), String> {
    let (mut scripts, mut styles) = (Vec::new(), Vec::new());
    let mut rest = page;
    loop {
        let next = |tag: &str| rest.find(tag).unwrap_or(usize::MAX);
        let (script, style) = (next("<script"), next("<style"));
        let (at, end, list) = match script.min(style) {
            usize::MAX => return Ok((scripts, styles)),
            at if at == script => (at, "</script", &mut scripts),
            at => (at, "</style", &mut styles),
        };
        let body = at + rest[at..].find('>').ok_or("a tag has no end")? + 1;
        if rest[at..body].contains("src=") {
            return Err("a script comes from elsewhere; all must be in the one file".into());
        }
        let length = rest[body..].find(end).ok_or("a script or style has no end")?;
        let text = &rest[body..body + length];
        if text.contains("<!--") {
            // the browser would read what follows by other rules, up to another end
            return Err("a script or style contains `<!--`; write it apart".into());
        }
        list.push(format!("sha256-{}", base64(&Sha256::digest(text.as_bytes()))));
        rest = &rest[body + length..];
    }
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let word = (0..3).fold(0_u32, |w, i| (w << 8) | u32::from(chunk.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let sign = SIGNS[(word >> (18 - 6 * i)) as usize & 63] as char;
            text.push(if i <= chunk.len() { sign } else { '=' });
        }
    }
    text
}
