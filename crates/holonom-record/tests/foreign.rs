//! CSV and Parquet files that are not ours, were cut, or were flipped.

mod common;

use common::{Folder, bits, bits_of, rows, schema};
use holonom_record::{Ending, Existing, RecordError, RecordingOutput, RecordingReader, Snapshot, recover};
use proptest::prelude::*;
use std::fs;
use std::path::Path;
use std::sync::OnceLock;

fn written(path: &Path, rows: &[Vec<f64>]) -> Vec<u8> {
    let mut output = RecordingOutput::create(path, &schema(rows[0].len())).expect("created");
    rows.iter().for_each(|row| output.push(row).expect("pushed"));
    output.finish("done").expect("finished");
    fs::read(path).expect("read")
}

#[test]
fn csv_cut_at_every_byte() {
    let folder = Folder::new();
    let path = folder.file("a.csv");
    // No NaN: its payload is not kept.
    let mut rows = rows(12, 3);
    rows.iter_mut().flatten().filter(|v| v.is_nan()).for_each(|v| *v = 0.125);
    let bytes = written(&path, &rows);
    let expected = bits(&rows);
    for n in 0..bytes.len() {
        fs::write(&path, &bytes[..n]).expect("written");
        match RecordingReader::open(&path) {
            Ok(found) => {
                let got = bits_of(&found);
                assert_eq!(got, expected[..got.len()], "cut at {n}");
                // A text cut after a line break cannot be told from a whole one.
                assert_eq!(found.complete(), bytes[n - 1] == b'\n', "cut at {n}");
                assert_eq!(found.lost_bytes() == 0, bytes[n - 1] == b'\n');
            }
            Err(RecordError::Foreign { .. }) => assert!(!bytes[..n].contains(&b'\n'), "cut at {n}"),
            Err(e) => panic!("cut at {n}: {e}"),
        }
    }
}

#[test]
fn csv_of_others() {
    let folder = Folder::new();
    let path = folder.file("a.csv");
    for (text, message) in [
        ("", "it is empty"),
        ("x,y\n1,2\n", "must be `time`"),
        ("time,x,x\n", "two are called `x`"),
        ("time,\"x\n", "quote in its first line does not end"),
        ("time,\"x\"y\n", "follows a closing quote"),
        ("time,x\n1.0\n", "line 2: 1 values, the header has 2"),
        ("time,x\n1.0,2.0\n1.0,2.0,3.0\n", "line 3: 3 values"),
        ("time,x\n1.0,two\n", "line 2: `two` where a number is due"),
        ("time\n1.0\n\n", "line 3: nothing in it"),
    ] {
        fs::write(&path, text).expect("written");
        let e = RecordingReader::open(&path).expect_err(text).to_string();
        assert!(e.contains(message), "{text:?}: {e}");
    }
    fs::write(&path, b"time,\xff\n").expect("written");
    assert!(RecordingReader::open(&path).is_err());

    // What others make of ours when they write it again.
    fs::write(&path, "time,\"a, \"\"b\"\"\"\r\n0,1e3\r\n1,\r\n").expect("written");
    let found = RecordingReader::open(&path).expect("opened");
    assert_eq!(found.columns()[1].name, "a, \"b\"");
    assert_eq!(found.column_at(0).expect("read"), [0.0, 1.0]);
    let column = found.column_at(1).expect("read");
    assert!(column[0] == 1000.0 && column[1].is_nan());
}

#[test]
fn parquet_cut_at_every_byte_is_refused() {
    let folder = Folder::new();
    let path = folder.file("a.parquet");
    let bytes = written(&path, &rows(10, 3));
    for n in 0..bytes.len() {
        fs::write(&path, &bytes[..n]).expect("written");
        assert!(RecordingReader::open(&path).is_err(), "cut at {n}");
    }
}

/// Pages have checks. The footer of a Parquet file has none, but it says enough twice for no flipped bit to make a number or a name wrong: at
/// worst a unit or the metadata.
#[test]
fn parquet_flipped_bits_never_make_a_wrong_number() {
    let folder = Folder::new();
    let path = folder.file("a.parquet");
    let rows = rows(10, 3);
    let mut bytes = written(&path, &rows);
    let expected = bits(&rows);
    let mut unnoticed = 0;
    for bit in 0..8 * bytes.len() {
        bytes[bit / 8] ^= 1 << (bit % 8);
        fs::write(&path, &bytes).expect("written");
        bytes[bit / 8] ^= 1 << (bit % 8);
        let Ok(found) = RecordingReader::open(&path) else { continue };
        let Ok(table) = found.table() else { continue };
        unnoticed += 1;
        let names: Vec<&str> = found.columns().iter().map(|column| column.name.as_str()).collect();
        assert_eq!(names, ["time", "c1", "c2"], "bit {bit}");
        let got: Vec<Vec<u64>> =
            (0..found.rows() as usize).map(|i| table.iter().map(|column| column[i].to_bits()).collect()).collect();
        assert_eq!(got, expected, "bit {bit}");
    }
    assert!(unnoticed < 8 * bytes.len() / 2);
}

#[test]
fn parquet_of_others() {
    let folder = Folder::new();
    let path = folder.file("a.parquet");
    let bytes = written(&path, &rows(10, 3));
    // The same length, another maker.
    let at = bytes.windows(14).position(|w| w == b"holonom-record").expect("it says who made it");
    let mut other = bytes.clone();
    other[at..at + 14].copy_from_slice(b"parquet-mr ver");
    fs::write(&path, &other).expect("written");
    let e = RecordingReader::open(&path).expect_err("foreign");
    assert!(matches!(e, RecordError::Foreign { .. }) && e.to_string().contains("`parquet-mr ver"), "{e}");

    for (what, hostile) in [
        ("nothing", vec![]),
        ("a footer longer than the file", b"PAR1PAR1\xff\xff\xff\xffPAR1".to_vec()),
        ("no footer", b"PAR1\0\0\0\0PAR1".to_vec()),
        ("zeros", b"PAR1\0\0\0\0\x04\0\0\0PAR1".to_vec()),
        ("a list of 2^60 columns", b"PAR1\x29\xfc\x80\x80\x80\x80\x80\x80\x80\x80\x10\x0b\0\0\0PAR1".to_vec()),
        ("a text", b"time,x\n0.0,1.0\n".to_vec()),
    ] {
        fs::write(&path, hostile).expect("written");
        assert!(RecordingReader::open(&path).is_err(), "{what}");
    }
}

/// Bytes changed, left out and doubled anywhere, many at a time. Checks catch what they can; whatever they do not, nothing panics.
fn mangled(bytes: &[u8], changes: &[(f64, u8, u8)]) -> Vec<u8> {
    let mut out = bytes.to_vec();
    for (place, value, what) in changes {
        let at = (place * out.len() as f64) as usize;
        let end = (at + usize::from(*value)).min(out.len());
        match what % 4 {
            0 => out[at] = *value,
            1 => drop(out.drain(at..end)),
            2 => out = [&out[..end], &out[at..]].concat(),
            _ => out[at..end].fill(*value),
        }
        if out.is_empty() {
            out.push(0);
        }
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn mangled_files(format in 0usize..4, changes in prop::collection::vec((0.0..1.0, any::<u8>(), any::<u8>()), 1..6)) {
        static FILES: OnceLock<Vec<(&'static str, Vec<u8>)>> = OnceLock::new();
        let files = FILES.get_or_init(|| {
            let folder = Folder::new();
            let names = ["a.hrec", "a.csv", "a.parquet"];
            let mut files: Vec<_> = names.into_iter().map(|n| (n, written(&folder.file(n), &rows(30, 3)))).collect();
            let snapshot = Snapshot {
                scene: "crane".into(),
                fingerprint: 7,
                time: 1.0,
                names: Some(vec!["boom".into()]),
                settings: "{}".into(),
                state: vec![1; 200],
            };
            files.push(("a.snap", snapshot.to_bytes().expect("bytes")));
            files
        });
        let (name, bytes) = &files[format];
        let folder = Folder::new();
        let path = folder.file(name);
        let bytes = mangled(bytes, &changes);
        fs::write(&path, &bytes).expect("written");
        if *name == "a.snap" {
            let _ = Snapshot::read(&path);
        } else if let Ok(found) = RecordingReader::open(&path) {
            if let Ok(table) = found.table() {
                prop_assert!(table.iter().all(|column| column.len() as u64 == found.rows()));
                if *name != "a.csv" {
                    // Checked bytes: rows are a prefix of what was written.
                    let got = bits_of(&found);
                    prop_assert_eq!(&got[..], &bits(&rows(30, 3))[..got.len()]);
                }
            }
            let _ = (found.time_range(), found.blobs().len());
            let _ = recover(&path, Some(&folder.file("target.parquet")), Existing::Keep);
        }
    }
}

#[test]
fn only_files_are_opened() {
    let folder = Folder::new();
    let e = RecordingReader::open(&folder.file("missing.hrec")).expect_err("missing");
    assert!(matches!(e, RecordError::Io { .. }), "{e}");
    fs::create_dir(folder.file("d.hrec")).expect("made");
    let e = RecordingReader::open(&folder.file("d.hrec")).expect_err("a folder");
    assert!(e.to_string().contains("is a folder"), "{e}");
    let e = RecordingReader::open(Path::new("run.txt")).expect_err("no format");
    assert!(e.to_string().contains("must end in .csv, .parquet or .hrec"), "{e}");
}

#[test]
fn parquet_keeps_the_ending() {
    let folder = Folder::new();
    let path = folder.file("a.parquet");
    written(&path, &rows(3, 2));
    assert_eq!(RecordingReader::open(&path).expect("opened").ending(), &Ending::Closed { reason: "done".into() });
}
