//! A folder per test, and tables that are hard on formats.
#![allow(dead_code)]

use holonom_record::{RecordingColumn, RecordingReader, Schema, StreamWriter};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

/// A folder of its own that goes away with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new() -> Folder {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("holonom-record-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // Thousands of small files that are waited for: in memory where the system has a place for that.
        let memory = Path::new("/dev/shm").join(&name);
        if std::fs::create_dir(&memory).is_ok() {
            return Folder(memory);
        }
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path).expect("a folder for the test");
        Folder(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// Names of all files in it, sorted.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).expect("readable");
        let mut names: Vec<String> = entries.flatten().map(|e| e.file_name().to_string_lossy().into_owned()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Columns `time`, `c1`, `c2` ..., with units and notes.
pub fn schema(columns: usize) -> Schema {
    let mut all = vec![RecordingColumn::time()];
    all.extend((1..columns).map(|i| RecordingColumn::new(format!("c{i}"), "m/s^2").with_note("größe, \"quoted\"")));
    Schema::new(all, r#"{"scene": "test", "quote": "\"", "line": "a\nb"}"#).expect("valid")
}

/// Numbers that formats lose.
pub const AWKWARD: [u64; 12] = [
    0x0000_0000_0000_0000, // 0
    0x8000_0000_0000_0000, // -0
    0x0000_0000_0000_0001, // the smallest
    0x000f_ffff_ffff_ffff, // the largest subnormal
    0x7fef_ffff_ffff_ffff, // the largest
    0x7ff0_0000_0000_0000, // inf
    0xfff0_0000_0000_0000, // -inf
    0x7ff8_0000_0000_0000, // NaN
    0xfff8_dead_beef_0001, // NaN with a sign and a payload
    0x7ff0_0000_0000_0001, // a signalling NaN
    0x3fb9_9999_9999_999a, // 0.1
    0x4340_0000_0000_0001, // 2^53 + 2
];

/// Writes rows (not closed if `reason` is none).
pub fn write_stream(path: &Path, schema: &Schema, rows: &[Vec<f64>], reason: Option<&str>) {
    let mut writer = StreamWriter::create(path, schema).expect("created");
    for (i, row) in rows.iter().enumerate() {
        writer.push(row).expect("pushed");
        // Chunks of various lengths, and a blob now and then.
        if i % 7 == 3 {
            writer.flush().expect("flushed");
        }
        if i % 10 == 9 {
            writer.blob("snapshot", row[0], &[i as u8; 5]).expect("blob");
        }
    }
    if let Some(reason) = reason {
        writer.finish(reason).expect("closed");
    }
}

/// Rows of mostly awkward numbers.
pub fn rows(n: usize, columns: usize) -> Vec<Vec<f64>> {
    let value = |i: usize, j: usize| match j {
        0 => 0.01 * i as f64,
        _ => f64::from_bits(AWKWARD[(i * 5 + j) % AWKWARD.len()]),
    };
    (0..n).map(|i| (0..columns).map(|j| value(i, j)).collect()).collect()
}

/// All rows of a recording as bits.
pub fn bits_of(recording: &RecordingReader) -> Vec<Vec<u64>> {
    let table = recording.table().expect("loaded");
    (0..recording.rows() as usize).map(|i| table.iter().map(|column| column[i].to_bits()).collect()).collect()
}

/// Rows as bits.
pub fn bits(rows: &[Vec<f64>]) -> Vec<Vec<u64>> {
    rows.iter().map(|row| row.iter().map(|value| value.to_bits()).collect()).collect()
}
