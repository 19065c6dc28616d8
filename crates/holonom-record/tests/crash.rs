//! Real crashes: a process killed at a random moment, a disk that is full at the worst one.
//!
//! The test starts itself as another process: with [`ROLE`] set, the function of that name does its work; without it, it passes at once.
#![cfg(unix)]

mod common;

use common::{Folder, schema};
use holonom_record::{Ending, Existing, RecordError, RecordingOutput, RecordingReader, describe, recover};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

const ROLE: &str = "HOLONOM_RECORD_ROLE";
const FILE: &str = "HOLONOM_RECORD_FILE";

/// The file to work on, if this process was started to play that part.
fn part(role: &str) -> Option<PathBuf> {
    (std::env::var(ROLE).as_deref() == Ok(role)).then(|| PathBuf::from(std::env::var_os(FILE).expect("a file")))
}

/// This program again, to run one function.
fn actor(role: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    command.args(["--exact", role, "--nocapture"]).env(ROLE, role).env(FILE, path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Wall time, s.
fn wall() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs_f64()
}

/// Writes a row every millisecond until it is killed: time, wall time, a number that must fit to its row.
#[test]
fn steady_writer() {
    let Some(path) = part("steady_writer") else { return };
    let mut output = RecordingOutput::create(&path, &schema(3)).expect("created");
    for i in 0.. {
        output.push(&[1e-3 * f64::from(i), wall(), f64::from(i) * 3.0]).expect("pushed");
        if i % 1500 == 1499 {
            output.blob("snapshot", 1e-3 * f64::from(i), b"state").expect("blob");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn killed_ten_times() {
    // Moments between 0.6 s and 2.1 s, spread over the half second between chunks; the same in every run of the test.
    let lost: Vec<f64> = std::thread::scope(|scope| {
        let rounds: Vec<_> = (0..10u64)
            .map(|round| scope.spawn(move || killed_once(round, Duration::from_millis(600 + round * 7919 % 1500))))
            .collect();
        rounds.into_iter().map(|round| round.join().expect("a round")).collect()
    });
    println!("seconds of rows lost: {lost:.3?}");
    assert!(lost.iter().all(|seconds| *seconds <= 1.0), "{lost:?} s lost");
}

/// Wall time between the last row that was recovered and the kill, s.
fn killed_once(round: u64, after: Duration) -> f64 {
    let folder = Folder::new();
    let path = folder.file(["run.csv", "run.parquet", "run.hrec"][round as usize % 3]);
    let mut child = actor("steady_writer", &path).spawn().expect("started");
    let spawned = wall();
    while describe(&path).is_err() {
        assert!(wall() - spawned < 60.0, "round {round}: the writer does not start");
        std::thread::sleep(Duration::from_millis(5));
    }
    let started = wall();
    std::thread::sleep(after);
    let killed = wall();
    // SIGKILL: no chance to say goodbye.
    child.kill().expect("killed");
    child.wait().expect("gone");

    assert!(!describe(&path).expect("described").complete, "round {round}");
    let recovered = recover(&path, None, Existing::Keep).expect("recovered");
    let recording = RecordingReader::open(&recovered.target).expect("opened");
    assert!(recording.complete());
    let numbers = recording.column("c2").expect("there");
    assert!(numbers.iter().enumerate().all(|(i, n)| *n == 3.0 * i as f64), "round {round}: a wrong number");
    killed - recording.column("c1").expect("there").last().unwrap_or(&started)
}

/// Writes sixty thousand rows and finishes; tells how it went by its exit code.
#[test]
fn writer_to_the_end() {
    let Some(path) = part("writer_to_the_end") else { return };
    let work = || -> Result<(), RecordError> {
        let mut output = RecordingOutput::create(&path, &schema(3))?;
        for i in 0..60_000 {
            output.push(&[1e-3 * f64::from(i), 1.0 / f64::from(i + 1), 0.1])?;
        }
        output.finish("done").map(drop)
    };
    std::process::exit(match work() {
        Ok(()) => 10,
        Err(RecordError::Conversion { stream, source, .. }) => {
            let io = matches!(*source, RecordError::Io { .. });
            if io && stream.exists() { 11 } else { 12 }
        }
        Err(RecordError::Io { .. }) => 13,
        Err(_) => 14,
    });
}

/// The actor with files limited to so many blocks of 512 bytes, an error and not a signal coming of it.
fn limited(blocks: u32, path: &Path) -> Option<i32> {
    let program = std::env::current_exe().expect("this program");
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" --exact writer_to_the_end --nocapture");
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(program).env(ROLE, "writer_to_the_end").env(FILE, path);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().expect("run").code()
}

/// The stream takes 1.4 MB, the text 2.3 MB: with 1.8 MB there is no room for the target alone.
#[test]
fn no_room_for_the_target() {
    let folder = Folder::new();
    let path = folder.file("run.csv");
    assert_eq!(actor("writer_to_the_end", &path).status().expect("run").code(), Some(10));
    let whole = std::fs::read(&path).expect("read");
    assert!((2_000_000..2_600_000).contains(&whole.len()), "{} bytes of text", whole.len());
    std::fs::remove_file(&path).expect("removed");
    std::fs::remove_file(path.with_extension("units.csv")).expect("removed");

    assert_eq!(limited(3500, &path), Some(11));
    assert_eq!(folder.names(), ["run.csv.hrec"], "the stream, and no half of a target");
    let found = describe(&path).expect("described");
    assert_eq!((found.rows, found.complete), (60_000, true));
    assert_eq!(found.ending, Ending::Closed { reason: "done".into() });
    // With more room.
    recover(&path, None, Existing::Keep).expect("recovered");
    assert_eq!(std::fs::read(&path).expect("read"), whole);
    assert_eq!(folder.names(), ["run.csv", "run.units.csv"]);
}

/// With 1 MB there is no room for the stream: the run hears of it, the chunks that fitted are readable.
#[test]
fn no_room_for_the_stream() {
    for name in ["run.csv", "run.hrec"] {
        let folder = Folder::new();
        let path = folder.file(name);
        assert_eq!(limited(2000, &path), Some(13), "{name}");
        let found = describe(&path).expect("described");
        assert!((1..60_000).contains(&found.rows), "{} rows", found.rows);
        assert!(found.lost_bytes > 0);
        assert_eq!((found.complete, found.ending), (false, Ending::Torn));
        let recovered = recover(&path, None, Existing::Keep).expect("recovered");
        assert_eq!(recovered.rows, found.rows);
    }
}
