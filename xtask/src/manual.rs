//! The verification manual: `docs/verification.md`, written from what `holonom verify` finds.

use crate::steps;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

const MANUAL: &str = "docs/verification.md";
const SCENES: &str = "scenes/verification";

const HEAD: &str = "\
# Verification manual

Problems with answers known to many digits, each run by `holonom verify` from the scene files named. This page is written by `cargo xtask manual`
from what that command finds, and `cargo xtask test` fails when it is out of date, or when a problem is missed.

An *error* is the largest deviation at any sample, divided by the largest magnitude of the reference, or by 1 if that is larger (m, rad, s, J, as the
quantity). *Allowed* is ten units of the last trusted digit of the reference, never less than 1e-9, or the quantity's own limit. Numbers are
rounded to one digit.
";

struct Line {
    problem: String,
    quantity: String,
    error: f64,
    allowed: f64,
    pass: bool,
}

fn lines(root: &Path) -> Result<Vec<Line>, String> {
    let json = steps::command_output(root, &["verify", "--json"])?;
    let list: serde_json::Value = serde_json::from_slice(&json).map_err(|e| format!("holonom verify --json: {e}"))?;
    let line = |v: &serde_json::Value| {
        let text = |key: &str| v[key].as_str().map(str::to_string);
        Some(Line {
            problem: text("problem")?,
            quantity: text("quantity")?,
            error: v["error"].as_f64()?,
            allowed: v["allowed"].as_f64()?,
            pass: v["pass"].as_bool()?,
        })
    };
    let list = list.as_array().ok_or("holonom verify --json: not a list")?;
    list.iter().map(|v| line(v).ok_or_else(|| format!("holonom verify --json: {v}"))).collect()
}

/// The scene files of a problem, with their titles.
fn scenes(root: &Path, problem: &str) -> Result<Vec<(String, String)>, String> {
    let short = problem.split('-').next().unwrap_or(problem);
    let folder = fs::read_dir(root.join(SCENES)).map_err(|e| format!("{SCENES}: {e}"))?;
    let mut names: Vec<String> = folder.flatten().map(|f| f.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| name.starts_with(short) && name.ends_with(".toml"));
    names.sort();
    let title = |name: &String| {
        let path = root.join(SCENES).join(name);
        let text = fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        let title =
            text.lines().find_map(|line| line.strip_prefix("title = \"")?.strip_suffix('"').map(str::to_string));
        Ok((name.clone(), title.ok_or(format!("{}: no title", path.display()))?))
    };
    names.iter().map(title).collect()
}

fn text(root: &Path) -> Result<String, String> {
    let lines = lines(root)?;
    let mut out = String::from(HEAD);
    let failed = lines.iter().filter(|l| !l.pass).count();
    let _ = writeln!(out, "\n{} quantities, {} passed, {failed} failed.", lines.len(), lines.len() - failed);
    let mut last = "";
    for l in &lines {
        if l.problem != last {
            last = &l.problem;
            let _ = writeln!(out, "\n## {last}\n");
            let scenes = scenes(root, last)?;
            if scenes.is_empty() {
                return Err(format!("problem `{last}` has no scene file in {SCENES}"));
            }
            for (file, title) in scenes {
                let _ = writeln!(out, "- [{file}](../{SCENES}/{file}): {title}");
            }
            out.push_str("\n| quantity | error | allowed | verdict |\n|---|---|---|---|\n");
        }
        let verdict = if l.pass { "pass" } else { "**FAIL**" };
        let quantity = l.quantity.replace('|', "\\|");
        let _ = writeln!(out, "| {quantity} | {:.0e} | {:.0e} | {verdict} |", l.error, l.allowed);
    }
    if failed > 0 {
        return Err(format!("{failed} quantities failed; see `holonom verify`"));
    }
    Ok(out)
}

/// Write the manual anew.
pub fn write(root: &Path) -> Result<(), String> {
    fs::write(root.join(MANUAL), text(root)?).map_err(|e| format!("{MANUAL}: {e}"))
}

/// Is the manual what `holonom verify` finds now?
pub fn check(root: &Path) -> Result<(), String> {
    let there = fs::read_to_string(root.join(MANUAL)).map_err(|e| format!("{MANUAL}: {e}"))?;
    let now = text(root)?;
    match there.lines().zip(now.lines()).find(|(a, b)| a != b) {
        Some((a, b)) => {
            Err(format!("{MANUAL} is out of date: `cargo xtask manual` writes it anew\n  it says  {a}\n  found    {b}"))
        }
        None if there.len() != now.len() => {
            Err(format!("{MANUAL} is out of date: `cargo xtask manual` writes it anew"))
        }
        None => Ok(()),
    }
}
