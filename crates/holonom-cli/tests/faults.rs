//! A disk that is full at the n-th moment, for every n: whatever is written, an older file is there as it was or the
//! new one is there whole, and rows that were recorded can be had. The program says so and ends with exit code 5.

mod common;
use common::{Folder, command, holonom, stderr, stdout};
use std::path::Path;

/// What an older file holds that must not be harmed.
const OLD: &[u8] = b"this was here before\n";
/// No command here does so much with the disk.
const ENOUGH: usize = 200;

/// Files of a folder and what they hold.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let files = std::fs::read_dir(folder).expect("it is there").map(|entry| entry.expect("it can be read").path());
    let mut all: Vec<_> = files
        .map(|path| {
            (
                path.file_name().expect("a name").to_string_lossy().into_owned(),
                std::fs::read(&path).expect("it can be read"),
            )
        })
        .collect();
    all.sort();
    all
}

fn held(all: &[(String, Vec<u8>)], name: &str) -> Option<Vec<u8>> {
    all.iter().find(|(n, _)| n == name).map(|(_, bytes)| bytes.clone())
}

/// Let a command fail at every moment. `before` puts files there, `targets` are what it makes (what is left out of
/// comparisons by `same`, such as times of the clock, may differ), `after` looks at the folder after a failure.
fn at_every_moment(
    name: &str,
    args: &[&str],
    before: impl Fn(&Folder),
    targets: &[&str],
    same: impl Fn(&str, &[u8], &[u8]) -> bool,
    after: impl Fn(&Folder, &[(String, Vec<u8>)]),
) {
    let folder = Folder::new(&format!("fault-{name}"));
    before(&folder);
    let old = contents(&folder.0);
    let out = command(args).current_dir(&folder.0).output().expect("it can be started");
    assert_eq!(out.status.code(), Some(0), "{name}: {}", stderr(&out));
    let new = contents(&folder.0);
    for lasting in ["", "+"] {
        let mut n = 0;
        loop {
            n += 1;
            assert!(n < ENOUGH, "{name}: where is the end?");
            let folder = Folder::new(&format!("fault-{name}"));
            before(&folder);
            let fault = format!("{n}{lasting}");
            let out = command(args).current_dir(&folder.0).env("HOLONOM_FAULT", &fault).output();
            let out = out.expect("it can be started");
            let (code, said) = (out.status.code(), format!("{}{}", stdout(&out), stderr(&out)));
            let now = contents(&folder.0);
            assert!(code == Some(0) || code == Some(5), "{name}, moment {fault}: exit {code:?}: {said}");
            assert!(!said.contains("panicked"), "{name}, moment {fault}: {said}");
            for target in targets {
                let (was, is, wanted) = (held(&old, target), held(&now, target), held(&new, target));
                let whole = matches!((&is, &wanted), (Some(a), Some(b)) if same(target, a, b));
                let kept = is == was;
                let fine = if code == Some(0) { whole } else { whole || kept };
                assert!(
                    fine,
                    "{name}, moment {fault}, exit {code:?}: `{target}` is neither the old file nor the new one: {:?}",
                    is.map(|bytes| String::from_utf8_lossy(&bytes[..bytes.len().min(200)]).into_owned())
                );
            }
            if code == Some(0) {
                break; // it does no more than that
            }
            assert!(said.contains("error"), "{name}, moment {fault}: nothing is said");
            // lines until the failure are kept beside the older file
            let drafts: Vec<&String> =
                now.iter().map(|(name, _)| name).filter(|n| n.ends_with(".part") && !n.contains(".jsonl")).collect();
            assert!(drafts.is_empty(), "{name}, moment {fault}: {drafts:?} are left");
            after(&folder, &now);
        }
        assert!(n > 2, "{name}: nothing was tried");
    }
}

/// Rows of the streams that a failed run left can be had, whatever happened.
fn streams_can_be_recovered(folder: &Folder, now: &[(String, Vec<u8>)]) {
    for (name, bytes) in now.iter().filter(|(name, bytes)| name.ends_with(".hrec") && bytes != OLD) {
        let target = folder.file("rescued.csv");
        let out = holonom(&["recover", &folder.file(name), &target, "--force"]);
        let header = bytes.len() > 1000;
        assert!(out.status.code() == Some(0) || !header, "{name} of {} bytes: {}", bytes.len(), stderr(&out));
    }
}

fn bytes(_: &str, a: &[u8], b: &[u8]) -> bool {
    a == b
}

#[test]
fn recordings() {
    for (name, out) in [("csv", "run.csv"), ("parquet", "run.parquet"), ("stream", "run.hrec")] {
        let args = ["run", "pendulum", "--time", "0.2", "--out", out, "--force", "--json"];
        let whole = |_: &str, a: &[u8], _: &[u8]| a != OLD && !a.is_empty();
        at_every_moment(&format!("{name}-new"), &args, |_| (), &[], bytes, streams_can_be_recovered);
        let old = |folder: &Folder| std::fs::write(folder.file(out), OLD).expect("written");
        // headers hold the time of the clock
        let same =
            |target: &str, a: &[u8], b: &[u8]| if target.ends_with(".csv") { a == b } else { whole(target, a, b) };
        at_every_moment(&format!("{name}-old"), &args, old, &[out], same, streams_can_be_recovered);
    }
}

#[test]
fn snapshots_and_lists_of_events() {
    let args = ["run", "pendulum", "--time", "0.1", "--snapshot", "s.snap", "--json"];
    let old = |folder: &Folder| std::fs::write(folder.file("s.snap"), OLD).expect("written");
    at_every_moment("snapshot", &args, old, &["s.snap"], bytes, |_, _| ());
    let scene = common::scene("driven-bouncing");
    let files = ["--out", "r.csv", "--events", "e.jsonl", "--contacts", "c.jsonl"];
    let args = [&["run", &scene, "--time", "0.1"], &files[..], &["--force", "--json"]].concat();
    let old = |folder: &Folder| {
        ["e.jsonl", "c.jsonl"].iter().for_each(|name| std::fs::write(folder.file(name), OLD).expect("written"))
    };
    at_every_moment("lines", &args, old, &["e.jsonl", "c.jsonl"], bytes, |_, _| ());
}

#[test]
fn conversions_and_plots() {
    let urdf = format!("{}/../holonom-scene/tests/urdf/arm.urdf", env!("CARGO_MANIFEST_DIR"));
    let old = |folder: &Folder| std::fs::write(folder.file("arm.toml"), OLD).expect("written");
    at_every_moment("convert", &["convert", &urdf, "arm.toml", "--force"], old, &["arm.toml"], bytes, |_, _| ());
    let recorded = Folder::new("fault-recorded");
    let run = recorded.file("run.csv");
    let out = holonom(&["run", "pendulum", "--time", "0.2", "--out", &run, "--json"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    for picture in ["p.svg", "p.png"] {
        let old = |folder: &Folder| std::fs::write(folder.file(picture), OLD).expect("written");
        let args = ["plot", &run, "--y", "energy.kinetic", "-o", picture];
        at_every_moment(&format!("plot-{picture}"), &args, old, &[picture], bytes, |_, _| ());
    }
}

#[test]
fn recoveries() {
    let recorded = Folder::new("fault-crashed");
    let run = recorded.file("run.hrec");
    let out = holonom(&["run", "pendulum", "--time", "0.5", "--out", &run, "--json"]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let whole = std::fs::read(&run).expect("there");
    let crashed = &whole[..whole.len() - 40];
    for (name, target) in [("csv", "run.csv"), ("parquet", "run.parquet")] {
        let stream = format!("{target}.hrec");
        let before = |folder: &Folder| {
            std::fs::write(folder.file(&stream), crashed).expect("written");
            std::fs::write(folder.file(target), OLD).expect("written");
        };
        let kept = |folder: &Folder, now: &[(String, Vec<u8>)]| {
            // what there is to recover from is there until what it becomes is
            assert!(held(now, &stream).as_deref() == Some(crashed), "{stream} is gone");
            let out = holonom(&["recover", &folder.file(&stream), "--force"]);
            assert_eq!(out.status.code(), Some(0), "{}{}", stdout(&out), stderr(&out));
        };
        let args = ["recover", &stream, "--force"];
        at_every_moment(&format!("recover-{name}"), &args, before, &[target], bytes, kept);
    }
}

/// Units of co-simulation and motions. The library is one as far as the command looks at it: an ELF file for this
/// processor, with the mark of its version.
#[test]
fn files_for_other_programs() {
    let mut library = b"\x7fELF\x02\x01".to_vec();
    library.resize(64, 0);
    library[18] = 62;
    library.extend(format!("holonom co-simulation unit, version {}\0", env!("CARGO_PKG_VERSION")).bytes());
    let mut cases = vec![("unit.fmu", vec!["fmu", "four-bar", "--library", "lib.so", "-o"])];
    for name in ["motion.glb", "motion.gltf", "motion.usda", "motion.mcap"] {
        cases.push((name, vec!["export", "pendulum", "--time", "0.1", "-o"]));
    }
    for (name, args) in cases {
        let old = |folder: &Folder| {
            std::fs::write(folder.file("lib.so"), &library).expect("written");
            std::fs::write(folder.file(name), OLD).expect("written");
        };
        let args = [&args[..], &[name, "--force"]].concat();
        at_every_moment(name, &args, old, &[name], bytes, |_, _| ());
    }
}

#[test]
fn studies() {
    let text = "scene = \"pendulum\"\n[run]\ntime = 0.1\n[factor.density]\npath = \"body.rod.density\"\nvalues = [1, 2, 3]\n\
                [outcome]\nload = \"max(pin.force.norm)\"\n";
    let study = |folder: &Folder| std::fs::write(folder.file("s.toml"), text).expect("written");
    let whole = Folder::new("fault-study-whole");
    study(&whole);
    let out = holonom(&["sweep", &whole.file("s.toml"), "-o", &whole.file("s")]);
    assert_eq!(out.status.code(), Some(0), "{}", stderr(&out));
    let wanted = contents(&whole.0);
    // whatever failed, the same command goes on to the same tables
    let goes_on = |folder: &Folder, _: &[(String, Vec<u8>)]| {
        let out = command(&["sweep", "s.toml"]).current_dir(&folder.0).output().expect("it can be started");
        assert_eq!(out.status.code(), Some(0), "{}{}", stdout(&out), stderr(&out));
        let now = contents(&folder.0);
        for table in ["s.csv", "s.parquet", "s.units.csv"] {
            assert!(held(&now, table) == held(&wanted, table), "{table} is another one");
        }
    };
    at_every_moment("study-new", &["sweep", "s.toml", "--jobs", "1"], study, &["s.csv", "s.parquet"], bytes, goes_on);
    let old = |folder: &Folder| {
        study(folder);
        ["s.csv", "s.parquet"].iter().for_each(|name| std::fs::write(folder.file(name), OLD).expect("written"));
    };
    let args = ["sweep", "s.toml", "--jobs", "1", "--force"];
    at_every_moment("study-old", &args, old, &["s.csv", "s.parquet"], bytes, |_, _| ());
}
