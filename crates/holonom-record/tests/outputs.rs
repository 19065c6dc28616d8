//! Outputs in every place a path can be, and recovering from what is left.

mod common;

use common::{Folder, bits, bits_of, rows, schema, write_stream};
use holonom_record::{
    Ending, Existing, RecordError, RecordErrorClass, RecordingOutput, RecordingReader, Snapshot, StreamWriter,
    describe, recover, replace_file,
};
use std::fs;
use std::io::Write;
use std::path::Path;

fn fill(output: &mut RecordingOutput, rows: &[Vec<f64>]) {
    rows.iter().for_each(|row| output.push(row).expect("pushed"));
}

#[test]
fn the_target_appears_only_at_the_end() {
    let folder = Folder::new();
    for name in ["run.csv", "run.parquet", "RUN.CSV"] {
        let path = folder.file(name);
        fs::write(&path, "what was here before").expect("written");
        let mut output = RecordingOutput::create(&path, &schema(3)).expect("created");
        fill(&mut output, &rows(100, 3));
        assert_eq!(fs::read(&path).expect("read"), b"what was here before");
        let stream = output.stream().expect("a stream beside it").to_path_buf();
        assert_eq!(stream, folder.file(&format!("{name}.hrec")));
        assert!(stream.exists());
        output.finish("done").expect("finished");
        assert!(!stream.exists());
        assert_eq!(RecordingReader::open(&path).expect("opened").rows(), 100);
        fs::remove_file(&path).expect("removed");
        if name.to_lowercase().ends_with("csv") {
            fs::remove_file(path.with_extension("units.csv")).expect("the units beside it");
        }
        assert!(folder.names().is_empty(), "{:?}", folder.names());
    }
}

#[test]
fn places_that_are_no_place() {
    let folder = Folder::new();
    fs::create_dir(folder.file("d.csv")).expect("made");
    fs::create_dir(folder.file("e.hrec")).expect("made");
    fs::write(folder.file("file"), "").expect("written");
    let refused = |name: &str, message: &str| {
        let e = RecordingOutput::create(&folder.file(name), &schema(2)).expect_err(name);
        assert!(e.to_string().contains(message), "{name}: {e}");
        assert_eq!(e.class(), RecordErrorClass::Input, "{name}");
    };
    refused("d.csv", "is a folder");
    refused("e.hrec", "is a folder");
    refused("missing/run.csv", "that does not exist; make it first");
    refused("missing/run.hrec", "that does not exist; make it first");
    refused("run.txt", "must end in .csv, .parquet or .hrec");
    refused("run", "must end in .csv, .parquet or .hrec");
    assert!(RecordingOutput::create(&folder.file("file/run.csv"), &schema(2)).is_err());
    assert!(RecordingOutput::create(Path::new(""), &schema(2)).is_err());
    assert!(RecordingOutput::create(Path::new("/"), &schema(2)).is_err());
    let snapshot = Snapshot {
        scene: String::new(),
        fingerprint: 0,
        time: 0.0,
        names: None,
        settings: String::new(),
        state: vec![],
    };
    assert!(snapshot.write(&folder.file("missing/a.snap")).is_err());
    assert!(snapshot.write(&folder.file("d.csv")).is_err());
    assert_eq!(folder.names(), ["d.csv", "e.hrec", "file"]);
}

#[test]
fn two_writers_of_one_file() {
    let folder = Folder::new();
    for name in ["run.hrec", "run.csv"] {
        let path = folder.file(name);
        let mut first = RecordingOutput::create(&path, &schema(2)).expect("created");
        fill(&mut first, &rows(10, 2));
        let e = RecordingOutput::create(&path, &schema(2)).expect_err("in use");
        assert!(matches!(e, RecordError::InUse { .. }), "{e}");
        let e = recover(&path, Some(&folder.file("other.csv")), Existing::Keep).expect_err("in use");
        assert!(matches!(e, RecordError::InUse { .. }), "{e}");
        assert_eq!(first.finish("done").expect("not disturbed").rows, 10);
    }
    assert_eq!(folder.names(), ["run.csv", "run.hrec", "run.units.csv"]);
}

/// A recording that is there keeps its bytes until the new one is whole, and for good where that never comes.
#[test]
fn a_recording_is_replaced_at_the_end() {
    for name in ["run.hrec", "run.csv", "run.parquet"] {
        let folder = Folder::new();
        let path = folder.file(name);
        let mut first = RecordingOutput::create(&path, &schema(2)).expect("created");
        fill(&mut first, &rows(10, 2));
        first.finish("done").expect("finished");
        let old = fs::read(&path).expect("there");
        let mut dropped = RecordingOutput::create(&path, &schema(2)).expect("created");
        fill(&mut dropped, &rows(20, 2));
        assert_eq!(dropped.stream(), Some(folder.file(&format!("{name}.hrec")).as_path()));
        drop(dropped);
        assert_eq!(fs::read(&path).expect("there"), old, "{name}: a run that died took the old recording with it");
        let mut third = RecordingOutput::create(&path, &schema(2)).expect("created");
        assert!(third.left_over().is_some(), "{name}: rows of the run that died");
        fill(&mut third, &rows(30, 2));
        assert_eq!(fs::read(&path).expect("there"), old, "{name}");
        third.finish("done").expect("finished");
        assert_eq!(RecordingReader::open(&path).expect("readable").rows(), 30, "{name}");
        let files = if name.ends_with("csv") { 3 } else { 2 };
        assert_eq!(
            folder.names().len(),
            files,
            "{name}: the recording, its units, and what was left: {:?}",
            folder.names()
        );
    }
}

#[test]
fn a_file_is_replaced_whole() {
    let folder = Folder::new();
    let path = folder.file("scene.toml");
    replace_file(&path, b"old").expect("written");
    replace_file(&path, b"new and longer").expect("replaced");
    assert_eq!(fs::read(&path).expect("there"), b"new and longer");
    assert_eq!(folder.names(), ["scene.toml"], "nothing is left beside it");
    let e = replace_file(&folder.file("missing/scene.toml"), b"x").expect_err("no folder");
    assert!(e.to_string().contains("does not exist"), "{e}");
}

#[test]
fn what_an_earlier_run_left_is_kept() {
    let folder = Folder::new();
    let path = folder.file("run.csv");
    for round in 1..=2 {
        write_stream(&folder.file("run.csv.hrec"), &schema(2), &rows(10 * round, 2), None);
        let output = RecordingOutput::create(&path, &schema(2)).expect("created");
        assert_eq!(output.left_over(), Some(folder.file(&format!("run.left-{round}.csv.hrec")).as_path()));
        output.finish("done").expect("finished");
        let left = describe(&folder.file(&format!("run.left-{round}.csv.hrec"))).expect("readable");
        assert_eq!(left.rows, 10 * round as u64);
    }
    // Nothing in it, nothing kept.
    write_stream(&folder.file("run.csv.hrec"), &schema(2), &[], None);
    let output = RecordingOutput::create(&path, &schema(2)).expect("created");
    assert_eq!(output.left_over(), None);
    output.finish("done").expect("finished");
    let recovered = recover(&folder.file("run.left-2.csv.hrec"), None, Existing::Keep).expect("recovered");
    assert_eq!((recovered.target, recovered.rows), (folder.file("run.left-2.csv"), 20));
}

#[test]
fn a_dropped_output_keeps_its_rows() {
    let folder = Folder::new();
    let path = folder.file("run.parquet");
    let rows = rows(50, 3);
    let mut output = RecordingOutput::create(&path, &schema(3)).expect("created");
    fill(&mut output, &rows);
    drop(output);
    assert!(!path.exists());

    let found = describe(&path).expect("the stream stands in for it");
    assert_eq!(found.path, folder.file("run.parquet.hrec"));
    assert_eq!((found.rows, found.complete, found.ending), (50, false, Ending::Torn));
    assert_eq!(found.time, Some((0.0, rows[49][0])));
    assert_eq!(found.columns, schema(3).columns());

    let recovered = recover(&path, None, Existing::Keep).expect("recovered");
    assert_eq!((&recovered.target, recovered.rows, recovered.source_kept), (&path, 50, false));
    let recording = RecordingReader::open(&path).expect("opened");
    assert_eq!(bits_of(&recording), bits(&rows));
    assert!(matches!(recording.ending(), Ending::Closed { reason } if reason.starts_with("recovered")));
    assert_eq!(folder.names(), ["run.parquet"]);
    let e = recover(&path, None, Existing::Keep).expect_err("nothing to do");
    assert!(e.to_string().contains("needs no recovery"), "{e}");
}

#[test]
fn recovering_never_destroys() {
    let folder = Folder::new();
    let (stream, target) = (folder.file("run.csv.hrec"), folder.file("run.csv"));
    let rows: Vec<Vec<f64>> = (0..9).map(|i| vec![f64::from(i), 0.1]).collect();
    write_stream(&stream, &schema(2), &rows, None);
    let torn = fs::read(&stream).expect("read");
    fs::write(&stream, [&torn[..], b"half a chunk"].concat()).expect("written");

    // Another file is there: kept, and so is the stream.
    fs::write(&target, "precious").expect("written");
    let e = recover(&target, None, Existing::Keep).expect_err("in the way");
    assert!(matches!(e, RecordError::Exists { .. }), "{e}");
    assert_eq!(fs::read(&target).expect("read"), b"precious");
    assert_eq!(folder.names(), ["run.csv", "run.csv.hrec"]);

    // To another place, from the stream by its own name.
    let other = folder.file("other.parquet");
    let recovered = recover(&stream, Some(&other), Existing::Keep).expect("recovered");
    assert_eq!((recovered.rows, recovered.lost_bytes, recovered.source_kept), (9, 12, true));
    assert_eq!(bits_of(&RecordingReader::open(&other).expect("opened")), bits(&rows));
    // Again: the same bytes are no obstacle.
    recover(&stream, Some(&other), Existing::Keep).expect("the same again");

    // Told to, it replaces.
    let recovered = recover(&target, None, Existing::Replace).expect("recovered");
    assert_eq!((&recovered.source, recovered.source_kept), (&stream, false));
    assert_eq!(bits_of(&RecordingReader::open(&target).expect("opened")), bits(&rows));
    assert_eq!(folder.names(), ["other.parquet", "run.csv", "run.units.csv"]);

    assert!(recover(&folder.file("nothing.csv"), None, Existing::Keep).is_err());
    assert!(recover(&folder.file("nothing.hrec"), None, Existing::Keep).is_err());
    // A target that is the source.
    assert!(recover(&target, Some(&target), Existing::Replace).is_err());
    // Any recording, into another format.
    let recovered = recover(&target, Some(&folder.file("more.parquet")), Existing::Keep).expect("converted");
    assert_eq!((recovered.rows, recovered.source_kept), (9, true));
}

#[test]
fn a_stream_is_recovered_as_a_whole_stream() {
    let folder = Folder::new();
    let path = folder.file("run.hrec");
    let rows = rows(25, 3);
    write_stream(&path, &schema(3), &rows, Some("done"));
    let bytes = fs::read(&path).expect("read");
    // Closed: the copy is the same.
    let copy = recover(&path, None, Existing::Keep).expect("copied");
    assert_eq!(copy.target, folder.file("run.recovered.hrec"));
    assert_eq!(fs::read(&copy.target).expect("read"), bytes);

    fs::write(&path, &bytes[..bytes.len() - 50]).expect("cut");
    let cut = recover(&path, None, Existing::Replace).expect("recovered");
    let recording = RecordingReader::open(&cut.target).expect("opened");
    assert!(recording.complete());
    assert_eq!(bits_of(&recording), bits(&rows[..recording.rows() as usize]));
    assert_eq!(recording.blobs().len(), 2);
    assert_eq!(recording.blob(1).expect("read"), [19; 5]);
    assert!(cut.source_kept && path.exists());
}

/// A state among the rows is worth more than a tidy folder.
#[test]
fn a_stream_with_snapshots_outlives_its_recovery() {
    let folder = Folder::new();
    let stream = folder.file("run.csv.hrec");
    write_stream(&stream, &schema(2), &rows(10, 2), None);
    let recovered = recover(&folder.file("run.csv"), None, Existing::Keep).expect("recovered");
    assert!(recovered.source_kept && stream.exists());
    assert_eq!(recovered.blobs[0].kind, "snapshot");
    let found = describe(&folder.file("run.csv")).expect("described");
    assert_eq!(found.left_stream, Some(stream));
}

#[cfg(target_os = "linux")]
mod linux {
    use super::*;
    use std::io::Read;
    use std::os::unix::fs::symlink;

    #[test]
    fn a_full_device() {
        let e = RecordingOutput::create(Path::new("/dev/full"), &schema(2)).expect_err("full");
        let RecordError::Io { path, source, .. } = &e else { panic!("{e}") };
        assert_eq!(path, Path::new("/dev/full"));
        assert_eq!(source.kind(), std::io::ErrorKind::StorageFull);
        assert_eq!(e.class(), RecordErrorClass::Io);
        assert!(e.to_string().starts_with("cannot write `/dev/full`"), "{e}");
        let folder = Folder::new();
        for name in ["full.hrec", "full.csv"] {
            symlink("/dev/full", folder.file(name)).expect("linked");
            let e = RecordingOutput::create(&folder.file(name), &schema(2)).expect_err("full");
            assert!(matches!(&e, RecordError::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull));
        }
        let e = StreamWriter::create(Path::new("/dev/full"), &schema(2)).expect_err("full");
        assert_eq!(e.class(), RecordErrorClass::Io);
        let snapshot = Snapshot {
            scene: String::new(),
            fingerprint: 0,
            time: 0.0,
            names: None,
            settings: String::new(),
            state: vec![],
        };
        assert_eq!(snapshot.write(Path::new("/dev/full")).expect_err("full").class(), RecordErrorClass::Io);
    }

    #[test]
    fn symbolic_links() {
        let folder = Folder::new();
        fs::write(folder.file("real.csv"), "precious").expect("written");
        symlink(folder.file("real.csv"), folder.file("link.csv")).expect("linked");
        symlink(folder.file("gone.csv"), folder.file("dangling.csv")).expect("linked");
        symlink(folder.file("real.csv"), folder.file("other.csv.hrec")).expect("linked");
        for name in ["link.csv", "dangling.csv", "other.csv"] {
            let e = RecordingOutput::create(&folder.file(name), &schema(2)).expect_err(name);
            assert!(e.to_string().contains("is a symbolic link to"), "{e}");
        }
        assert_eq!(fs::read(folder.file("real.csv")).expect("read"), b"precious");
        // Links in the folders above are nobody's business.
        symlink(folder.file("."), folder.file("here")).expect("linked");
        RecordingOutput::create(&folder.file("here/run.csv"), &schema(2))
            .expect("created")
            .finish("")
            .expect("finished");
        assert!(folder.file("run.csv").exists());
    }

    #[test]
    fn pipes_get_their_rows_at_once() {
        let folder = Folder::new();
        let rows = rows(5, 2);
        for (name, stream) in [("pipe", false), ("pipe.csv", false), ("pipe.hrec", true)] {
            let pipe = folder.file(name);
            assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
            let reader = {
                let pipe = pipe.clone();
                std::thread::spawn(move || {
                    let mut bytes = Vec::new();
                    fs::File::open(pipe).expect("opened").read_to_end(&mut bytes).expect("read");
                    bytes
                })
            };
            let mut output = RecordingOutput::create(&pipe, &schema(2)).expect("created");
            assert_eq!(output.stream(), None);
            fill(&mut output, &rows);
            output.blob("snapshot", 0.0, b"x").expect("taken");
            output.finish("done").expect("finished");
            let bytes = reader.join().expect("read");
            let copy = folder.file(if stream { "copy.hrec" } else { "copy.csv" });
            fs::write(&copy, bytes).expect("written");
            let recording = RecordingReader::open(&copy).expect("opened");
            assert!(recording.complete());
            assert_eq!(recording.rows(), 5);
            fs::remove_file(copy).expect("removed");
            fs::remove_file(&pipe).expect("removed");
        }
        let pipe = folder.file("pipe.parquet");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        let e = RecordingOutput::create(&pipe, &schema(2)).expect_err("no pipe for Parquet");
        assert!(e.to_string().contains("Parquet needs a file"), "{e}");
        // Reading never waits for a pipe.
        assert!(RecordingReader::open(&pipe).expect_err("a pipe").to_string().contains("device or pipe"));
        assert_eq!(folder.names(), ["pipe.parquet"]);
    }

    /// A reader that goes away is an error, at once, and for good.
    #[test]
    fn a_pipe_that_closes() {
        let folder = Folder::new();
        let pipe = folder.file("pipe.csv");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().expect("mkfifo").success());
        let opened = {
            let pipe = pipe.clone();
            std::thread::spawn(move || drop(fs::File::open(pipe).expect("opened")))
        };
        // The header may still go through; rows cannot.
        let mut output = match RecordingOutput::create(&pipe, &schema(2)) {
            Ok(output) => output,
            Err(e) => return assert_eq!(e.class(), RecordErrorClass::Io),
        };
        opened.join().expect("closed");
        let e = (0..100_000).find_map(|i| output.push(&[f64::from(i), 0.0]).err()).expect("closed");
        assert!(matches!(&e, RecordError::Io { source, .. } if source.kind() == std::io::ErrorKind::BrokenPipe), "{e}");
        let e = output.finish("done").expect_err("closed");
        assert!(matches!(e, RecordError::Stopped { .. }), "{e}");
    }
}

/// Something written into the file by others is noticed when it is closed.
#[test]
fn a_file_that_others_write_to() {
    let folder = Folder::new();
    let path = folder.file("run.hrec");
    let mut writer = StreamWriter::create(&path, &schema(2)).expect("created");
    writer.push(&[0.0, 1.0]).expect("pushed");
    writer.flush().expect("flushed");
    let mut other = fs::OpenOptions::new().append(true).open(&path).expect("opened");
    other.write_all(&[7; 4000]).expect("written");
    assert!(matches!(writer.finish("done"), Err(RecordError::Damaged { .. })));
}
