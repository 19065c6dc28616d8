//! What is written is read, bit by bit.

mod common;

use common::{Folder, bits, bits_of, schema};
use holonom_record::{
    Ending, RecordError, RecordingColumn, RecordingOutput, RecordingReader, Schema, Snapshot, StreamWriter,
};
use proptest::prelude::*;

/// Any bits at all, awkward ones more often than by chance.
fn value() -> impl Strategy<Value = f64> {
    prop_oneof![any::<u64>(), prop::sample::select(common::AWKWARD.to_vec())].prop_map(f64::from_bits)
}

fn table() -> impl Strategy<Value = Vec<Vec<f64>>> {
    (1usize..6).prop_flat_map(|columns| prop::collection::vec(prop::collection::vec(value(), columns), 0..60))
}

/// CSV knows one NaN.
fn canonical(rows: &[Vec<f64>]) -> Vec<Vec<f64>> {
    rows.iter().map(|row| row.iter().map(|v| if v.is_nan() { f64::NAN } else { *v }).collect()).collect()
}

proptest! {
    #[test]
    fn all_formats(rows in table(), cut in 0usize..60) {
        let folder = Folder::new();
        let columns = rows.first().map_or(1, Vec::len);
        let schema = schema(columns);
        for name in ["a.hrec", "a.csv", "a.parquet"] {
            let path = folder.file(name);
            let mut output = RecordingOutput::create(&path, &schema).expect("created");
            for (i, row) in rows.iter().enumerate() {
                if i == cut {
                    output.blob("mark", i as f64, b"bytes").expect("blob");
                }
                output.push(row).expect("pushed");
            }
            prop_assert_eq!(output.rows(), rows.len() as u64);
            let finished = output.finish("all done").expect("finished");
            prop_assert_eq!(finished.rows, rows.len() as u64);
            prop_assert_eq!(finished.bytes, std::fs::metadata(&path).expect("there").len());

            let recording = RecordingReader::open(&path).expect("opened");
            prop_assert!(recording.complete());
            prop_assert_eq!(recording.lost_bytes(), 0);
            let expected = if name.ends_with("csv") { canonical(&rows) } else { rows.clone() };
            prop_assert_eq!(bits_of(&recording), bits(&expected), "{}", name);
            for (i, column) in schema.columns().iter().enumerate() {
                let one: Vec<u64> = recording.column(&column.name).expect("there").iter().map(|v| v.to_bits()).collect();
                let all: Vec<u64> = expected.iter().map(|row| row[i].to_bits()).collect();
                prop_assert_eq!(one, all);
            }
            prop_assert_eq!(recording.columns(), schema.columns());
            if !name.ends_with("csv") {
                prop_assert_eq!(recording.schema(), &schema);
                prop_assert_eq!(recording.ending(), &Ending::Closed { reason: "all done".into() });
            }
            let ends = recording.time_range().expect("read").map(|(a, b)| (a.to_bits(), b.to_bits()));
            let last = expected.last().map(|last| (expected[0][0].to_bits(), last[0].to_bits()));
            prop_assert_eq!(ends, last);
        }
        // Nothing else is left lying about.
        prop_assert_eq!(folder.names(), ["a.csv", "a.hrec", "a.parquet", "a.units.csv"]);
    }

    #[test]
    fn snapshots(
        scene in ".{0,20}",
        fingerprint: u64,
        time in value(),
        names in prop::option::of(prop::collection::vec(".{0,9}", 0..5)),
        settings in ".{0,40}",
        state: Vec<u8>,
    ) {
        let folder = Folder::new();
        let path = folder.file("a.snap");
        let snapshot = Snapshot { scene, fingerprint, time, names, settings, state };
        snapshot.write(&path).expect("written");
        snapshot.write(&path).expect("replaced");
        let found = Snapshot::read(&path).expect("read");
        prop_assert_eq!(found.time.to_bits(), snapshot.time.to_bits());
        // Equal but for a NaN, which does not equal itself.
        prop_assert_eq!(Snapshot { time: 0.0, ..found }, Snapshot { time: 0.0, ..snapshot });
        prop_assert_eq!(folder.names(), ["a.snap"]);
    }

    #[test]
    fn any_names(names in prop::collection::btree_set("[^\\p{Cc}]{1,12}", 1..8), unit in "\\PC{0,4}", metadata in ".{0,40}") {
        let folder = Folder::new();
        let mut columns = vec![RecordingColumn::time()];
        columns.extend(names.iter().filter(|n| *n != "time").map(|name| RecordingColumn::new(name.as_str(), unit.as_str())));
        let schema = Schema::new(columns, metadata).expect("valid");
        let row: Vec<f64> = (0..schema.columns().len()).map(|i| i as f64).collect();
        for file in ["a.hrec", "a.csv", "a.parquet"] {
            let path = folder.file(file);
            let mut output = RecordingOutput::create(&path, &schema).expect("created");
            output.push(&row).expect("pushed");
            output.finish("").expect("finished");
            let recording = RecordingReader::open(&path).expect("opened");
            let found: Vec<&str> = recording.columns().iter().map(|c| c.name.as_str()).collect();
            let wanted: Vec<&str> = schema.columns().iter().map(|c| c.name.as_str()).collect();
            prop_assert_eq!(found, wanted);
            if file != "a.csv" {
                prop_assert_eq!(recording.schema(), &schema);
            }
        }
    }
}

/// Enough rows for several chunks and several row groups, in narrow and wide tables.
#[test]
fn large_tables() {
    for (n, columns) in [(1_200_000, 2), (3000, 1000), (200, 7000), (5, 70_000)] {
        let folder = Folder::new();
        let schema = schema(columns);
        let value = |i: usize, j: usize| (i as f64 + 0.1) * (j as f64 - 3.7);
        for name in ["a.hrec", "a.parquet"] {
            let path = folder.file(name);
            let mut output = RecordingOutput::create(&path, &schema).expect("created");
            let mut row = vec![0.0; columns];
            for i in 0..n {
                (0..columns).for_each(|j| row[j] = value(i, j));
                output.push(&row).expect("pushed");
            }
            output.finish("").expect("finished");
            let recording = RecordingReader::open(&path).expect("opened");
            assert_eq!(recording.rows(), n as u64);
            for j in [0, 1, columns / 2, columns - 1] {
                let column = recording.column_at(j).expect("loaded");
                assert!((0..n).all(|i| column[i].to_bits() == value(i, j).to_bits()), "{name}, column {j}");
            }
        }
    }
}

#[test]
fn rows_of_the_wrong_length_are_refused_and_do_no_harm() {
    let folder = Folder::new();
    let path = folder.file("a.hrec");
    let mut writer = StreamWriter::create(&path, &schema(3)).expect("created");
    writer.push(&[0.0, 1.0, 2.0]).expect("pushed");
    let e = writer.push(&[0.0]).expect_err("too short");
    assert!(matches!(e, RecordError::RowLength { given: 1, columns: 3, .. }), "{e}");
    writer.push(&[1.0, 1.0, 2.0]).expect("pushed");
    assert_eq!(writer.finish("").expect("finished").rows, 2);
    assert!(RecordingReader::open(&path).expect("opened").complete());
}

#[test]
fn budgets_are_held_before_memory_is_taken() {
    let folder = Folder::new();
    let rows = common::rows(100, 4);
    for name in ["a.hrec", "a.csv", "a.parquet"] {
        let path = folder.file(name);
        let mut output = RecordingOutput::create(&path, &schema(4)).expect("created");
        rows.iter().for_each(|row| output.push(row).expect("pushed"));
        output.finish("").expect("finished");
        let tight = RecordingReader::open_within(&path, 100 * 8 * 4 - 1);
        if name == "a.csv" {
            assert!(matches!(tight, Err(RecordError::TooLarge { .. })), "{tight:?}");
            continue;
        }
        let tight = tight.expect("the table is not loaded yet");
        assert!(tight.column("c1").is_ok());
        let e = tight.table().expect_err("too large");
        assert!(matches!(e, RecordError::TooLarge { needed: 3200, allowed: 3199, .. }), "{e}");
    }
}

#[test]
fn unknown_columns_are_answered_with_a_near_name() {
    let folder = Folder::new();
    let path = folder.file("a.hrec");
    let schema =
        Schema::new(vec![RecordingColumn::time(), RecordingColumn::new("crank.pos.x", "m")], "").expect("valid");
    StreamWriter::create(&path, &schema).expect("created").finish("").expect("finished");
    let e = RecordingReader::open(&path).expect("opened").column("crank.pos.y").expect_err("unknown");
    assert!(e.to_string().ends_with("has no column `crank.pos.y`; did you mean `crank.pos.x`?"), "{e}");
}

#[test]
fn blobs_come_back() {
    let folder = Folder::new();
    let path = folder.file("a.hrec");
    let mut writer = StreamWriter::create(&path, &schema(2)).expect("created");
    let big: Vec<u8> = (0..1_000_000u32).map(|i| (i % 251) as u8).collect();
    writer.push(&[0.0, 1.0]).expect("pushed");
    writer.blob("snapshot", 0.25, &big).expect("blob");
    writer.blob("note", f64::NEG_INFINITY, b"").expect("blob");
    writer.push(&[1.0, 1.0]).expect("pushed");
    assert!(writer.blob(&"x".repeat(256), 0.0, b"").is_err());
    writer.finish("done").expect("finished");
    let recording = RecordingReader::open(&path).expect("opened");
    let seen: Vec<_> = recording.blobs().iter().map(|b| (b.kind.as_str(), b.time, b.bytes)).collect();
    assert_eq!(seen, [("snapshot", 0.25, 1_000_000), ("note", f64::NEG_INFINITY, 0)]);
    assert_eq!(recording.blob(0).expect("read"), big);
    assert_eq!(recording.blob(1).expect("read"), b"");
    assert!(recording.blob(2).is_err());
    assert_eq!(recording.rows(), 2);
}
