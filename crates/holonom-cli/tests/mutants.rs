//! Files with mistakes nobody would make on purpose, and then run: scenes, robots, meshes, recordings, snapshots and logs
//! of the tests and the gallery, with some words, numbers, lines and bytes changed at random. The command ends within ten
//! seconds and a gigabyte, does not panic, and does not call good what is not.
//!
//! `HOLONOM_MUTANTS` says how many (the soak asks for thousands), `HOLONOM_SEED` from which seed. A failure keeps its file
//! and says how to see it again.

#![cfg(unix)]

mod common;
use common::{Folder, holonom, stderr};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const FEW: u64 = 60;
const LONG_ENOUGH: Duration = Duration::from_secs(40);
/// What a command may take: seconds of computing, bytes of memory.
const SECONDS: u64 = 10;
const MEMORY: u64 = 1 << 30;
/// Longest file that is changed, bytes.
const SMALL: u64 = 40_000;

/// Numbers without a library (splitmix64).
struct Dice(u64);

impl Dice {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
    fn below(&mut self, n: usize) -> usize {
        if n == 0 { 0 } else { (self.next() % n as u64) as usize }
    }
}

const NUMBERS: &[&str] = &[
    "0", "-1", "1e-12", "1e12", "1e6", "-0.5", "nan", "inf", "2", "1e308", "1e-320", "0.1", "3.14159", "100", "1/0",
    "\"${t}\"",
];

/// Where words that can be changed begin and end.
fn words(text: &str, wanted: impl Fn(char) -> bool) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut start = None;
    for (at, c) in text.char_indices().chain([(text.len(), '\n')]) {
        match (wanted(c), start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found.push((from, at));
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// A text with one thing changed, with words of another.
fn changed(text: &str, other: &str, dice: &mut Dice) -> String {
    let mut out = text.to_string();
    match dice.below(9) {
        0..4 => {
            let numbers = words(text, |c| c.is_ascii_digit() || matches!(c, '.' | '-' | 'e'));
            if let Some(&(from, to)) = numbers.get(dice.below(numbers.len())) {
                out.replace_range(from..to, NUMBERS[dice.below(NUMBERS.len())]);
            }
        }
        4 | 5 => {
            let word = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
            let (own, theirs) = (words(text, word), words(other, word));
            if let (Some(&(from, to)), Some(&(a, b))) =
                (own.get(dice.below(own.len())), theirs.get(dice.below(theirs.len())))
            {
                out.replace_range(from..to, &other[a..b]);
            }
        }
        6 => {
            let mut lines: Vec<&str> = text.lines().collect();
            lines.remove(dice.below(lines.len()));
            out = lines.join("\n");
        }
        7 => {
            let mut lines: Vec<&str> = text.lines().collect();
            let (a, b) = (dice.below(lines.len()), dice.below(lines.len()));
            if dice.below(2) == 0 {
                lines.swap(a, b)
            } else {
                lines.insert(a, lines[b])
            }
            out = lines.join("\n");
        }
        _ => {
            let theirs: Vec<&str> = other.lines().collect();
            let mut lines: Vec<&str> = text.lines().collect();
            lines.insert(dice.below(lines.len()), theirs[dice.below(theirs.len())]);
            out = lines.join("\n");
        }
    }
    out
}

fn bytes_changed(bytes: &[u8], dice: &mut Dice) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for _ in 0..=dice.below(3) {
        let at = dice.below(out.len());
        match dice.below(4) {
            0 if at > 0 => out.truncate(at),
            1 => out[at] ^= 1 << dice.below(8),
            2 => {
                let end = (at + 8).min(out.len());
                out[at..end].fill([0, 255, 127][dice.below(3)]);
            }
            _ => out.insert(at, dice.below(256) as u8),
        }
    }
    out
}

/// What a command did.
struct Outcome {
    code: Option<i32>,
    out: String,
    err: String,
    time: Duration,
}

/// Run under limits of time (of computing, so that a busy machine changes nothing) and memory.
fn limited(args: &[&str], folder: &Path) -> Outcome {
    let script = format!("ulimit -t {SECONDS}; ulimit -v {}; exec \"$0\" \"$@\"", (MEMORY + (MEMORY >> 1)) >> 10);
    let begun = Instant::now();
    let out = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_holonom")])
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("a shell is there");
    Outcome {
        code: out.status.code(),
        out: String::from_utf8_lossy(&out.stdout).into_owned(),
        err: String::from_utf8_lossy(&out.stderr).into_owned(),
        time: begun.elapsed(),
    }
}

/// Did it end as it should? If not, why.
fn judged(o: &Outcome) -> Result<(), String> {
    let what = match o.code {
        None => "stopped by a limit: it took too long".to_string(),
        Some(0 | 2..=5) if o.err.contains("panicked") => "a panic".into(),
        Some(0 | 2..=5) => return good(o),
        Some(1) if o.out.contains("\"same\"") => return Ok(()), // a replay that came to other bits says so
        Some(code) => format!("exit code {code}"),
    };
    Err(format!("{what} after {:?}\n{}\n{}", o.time, o.out, o.err))
}

/// A run that calls itself good keeps its joints closed, and has numbers.
fn good(o: &Outcome) -> Result<(), String> {
    let Some(v) = o.out.lines().last().and_then(|line| serde_json::from_str::<Value>(line).ok()) else { return Ok(()) };
    if o.code != Some(0) || v["max_gap"].is_null() {
        return Ok(());
    }
    let gap = v["max_gap"].as_f64().unwrap_or(f64::NAN);
    let said = o.err.contains("not as exact as promised");
    let fed_back = v["drift"] == "feedback" || v["drift"] == "none" || v["max_gap"].as_f64() <= Some(1e-6);
    if !(gap <= 1e-6 || said || fed_back) {
        return Err(format!("accepted with a gap of {gap:e} and nothing said\n{}", o.err));
    }
    let lost = |b: &Value| b["com"].as_array().is_none_or(|c| c.iter().any(Value::is_null));
    let bodies = v["final"]["bodies"].as_object().map_or(0, |all| all.values().filter(|b| lost(b)).count());
    if (bodies > 0 || v["energy_end"].is_null()) && !said {
        return Err(format!("no numbers: {v}"));
    }
    Ok(())
}

/// Small files with one of these endings.
fn seeds(folders: &[&str], endings: &[&str]) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in folders {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder of the project") {
            let path = entry.expect("it can be read").path();
            let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
            let small = path.metadata().is_ok_and(|m| m.is_file() && m.len() < SMALL);
            if endings.contains(&ending.as_str()) && small {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A folder with what scenes include, and a recording, a snapshot and a log to spoil.
fn workshop() -> Folder {
    let folder = Folder::new("mutants");
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::create_dir_all(folder.0.join("parts")).expect("made");
    for part in std::fs::read_dir(root.join("scenes/parts")).expect("parts of scenes") {
        let part = part.expect("it can be read").path();
        std::fs::copy(&part, folder.0.join("parts").join(part.file_name().expect("a name"))).expect("copied");
    }
    for mesh in seeds(&["crates/holonom-cli/tests/found"], &["obj", "stl"]) {
        std::fs::copy(&mesh, folder.0.join(mesh.file_name().expect("a name"))).expect("copied");
    }
    let (run, snap) = (folder.file("good.hrec"), folder.file("good.snap"));
    let out = holonom(&["run", "four-bar", "--time", "0.3", "--out", &run, "--snapshot", &snap, "--json"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    folder
}

/// Spoil one file and run it; what went wrong.
fn one(seed: u64, folder: &Folder, texts: &[(PathBuf, String)]) -> Result<(), String> {
    let mut dice = Dice(seed);
    let which = dice.below(20);
    let told = |file: &Path, e: String| {
        let kept = std::env::temp_dir()
            .join(format!("holonom-mutant-{seed}.{}", file.extension().unwrap_or_default().to_string_lossy()));
        let _ = std::fs::copy(file, &kept);
        format!("HOLONOM_SEED={seed} HOLONOM_MUTANTS=1, kept as {}: {e}", kept.display())
    };
    if which < 16 {
        let (path, text) = &texts[dice.below(texts.len())];
        let other = &texts[dice.below(texts.len())].1;
        let mut text = text.clone();
        for _ in 0..=dice.below(3) {
            if text.lines().count() > 1 {
                text = changed(&text, other, &mut dice);
            }
        }
        let ending = path.extension().unwrap_or_default().to_string_lossy().into_owned();
        let file = folder.0.join(format!("mutant.{ending}"));
        std::fs::write(&file, &text).expect("written");
        let name = file.display().to_string();
        let integrator = ["", "stepping", "rk4", "euler", "dop853", "sdirk4", "rattle"][dice.below(7)];
        let mut args = vec!["run", &name, "--time", "0.1", "--limit", "bodies=2000", "--json"];
        if !integrator.is_empty() {
            args.extend(["--integrator", integrator]);
        }
        judged(&limited(&args, &folder.0))
            .map_err(|e| told(&file, format!("from {}, {integrator}: {e}", path.display())))?;
        if dice.below(4) == 0 {
            judged(&limited(&["check", &name, "--json"], &folder.0)).map_err(|e| told(&file, format!("check: {e}")))?;
        }
        return Ok(());
    }
    let name = if which < 18 { "good.hrec" } else { "good.snap" };
    let bytes = bytes_changed(&std::fs::read(folder.file(name)).expect("there"), &mut dice);
    let file = folder.0.join(name.replace("good", "mutant"));
    std::fs::write(&file, bytes).expect("written");
    let name = file.display().to_string();
    let commands: Vec<Vec<&str>> = if which < 18 {
        vec![
            vec!["info", &name],
            vec!["recover", &name, "-o", "rescued.csv", "--force"],
            vec!["plot", &name, "--y", "energy.kinetic", "-o", "p.svg"],
        ]
    } else {
        vec![vec!["run", "four-bar", "--from", &name, "--time", "0.4", "--json"]]
    };
    for args in commands {
        judged(&limited(&args, &folder.0)).map_err(|e| told(&file, format!("{}: {e}", args[0])))?;
    }
    Ok(())
}

#[test]
fn spoilt_files_end_well() {
    let set = |name: &str| std::env::var(name).ok().and_then(|v| v.parse::<u64>().ok());
    let (count, seed) = (set("HOLONOM_MUTANTS"), set("HOLONOM_SEED").unwrap_or(1));
    let folder = workshop();
    let places = [
        "scenes",
        "crates/holonom-cli/tests/found",
        "crates/holonom-cli/tests/scenes",
        "crates/holonom-scene/tests/urdf",
        "crates/holonom-scene/tests/mjcf",
    ];
    let texts: Vec<(PathBuf, String)> = seeds(&places, &["toml", "urdf", "xml"])
        .into_iter()
        .filter_map(|path| Some((path.clone(), std::fs::read_to_string(path).ok()?)))
        .collect();
    assert!(texts.len() > 60, "{} files to spoil", texts.len());
    let (begun, mut tried, mut wrong) = (Instant::now(), 0, Vec::new());
    while tried < count.unwrap_or(FEW) && (count.is_some() || begun.elapsed() < LONG_ENOUGH) {
        if let Err(e) = one(seed + tried, &folder, &texts) {
            println!("{e}\n");
            wrong.push(e);
        }
        tried += 1;
    }
    println!("{tried} spoilt files in {:?}, {} ended badly", begun.elapsed(), wrong.len());
    assert!(wrong.is_empty(), "{} of {tried} ended badly:\n{}", wrong.len(), wrong.join("\n"));
}
