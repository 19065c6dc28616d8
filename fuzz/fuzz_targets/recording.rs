//! Any bytes as a recording or as a snapshot: read up to what can be trusted, never a panic.
#![no_main]

use holonom_record::{RecordingReader, Snapshot};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    let _ = Snapshot::from_bytes(data, std::path::Path::new("fuzz.snap"));
    let Some((kind, bytes)) = data.split_first() else { return };
    let suffix = ["hrec", "csv", "parquet"][*kind as usize % 3];
    let path = std::env::temp_dir().join(format!("holonom-fuzz-{}.{suffix}", std::process::id()));
    if std::fs::write(&path, bytes).is_err() {
        return;
    }
    if let Ok(recording) = RecordingReader::open_within(&path, 1 << 24) {
        let rows = recording.rows();
        for i in 0..recording.columns().len().min(20) {
            if let Ok(column) = recording.column_at(i) {
                assert_eq!(column.len() as u64, rows);
            }
        }
    }
});
