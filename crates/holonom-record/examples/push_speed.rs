//! What recording costs: rows of ten values pushed as fast as possible, then the time to make CSV and Parquet of them.
//!
//! `cargo run --release -p holonom-record --example push_speed -- FOLDER`

use holonom_record::{RecordingColumn, RecordingOutput, RecordingReader, Schema};
use std::path::PathBuf;
use std::time::Instant;

const COLUMNS: usize = 10;
const ROWS: usize = 1_000_000;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).map_or_else(std::env::temp_dir, PathBuf::from);
    let mut columns = vec![RecordingColumn::time()];
    columns.extend((1..COLUMNS).map(|i| RecordingColumn::new(format!("c{i}"), "m")));
    let schema = Schema::new(columns, "{}")?;
    for name in ["push_speed.hrec", "push_speed.csv", "push_speed.parquet"] {
        let path = folder.join(name);
        let mut output = RecordingOutput::create(&path, &schema)?;
        let start = Instant::now();
        let mut row = [0.1; COLUMNS];
        for i in 0..ROWS {
            row[0] = 1e-3 * i as f64;
            row[1] = (row[0] * 1.7).fract();
            output.push(&row)?;
        }
        let pushed = start.elapsed().as_secs_f64();
        let finished = output.finish("done")?;
        let end = start.elapsed().as_secs_f64() - pushed;
        let start = Instant::now();
        let read = RecordingReader::open(&path)?.column("c1")?.len();
        let reading = start.elapsed().as_secs_f64();
        let values = (ROWS * COLUMNS) as f64;
        println!(
            "{name}: push {:.1} ns a value, finish {end:.2} s, {:.1} MB, one column of {read} rows read in {reading:.2} s",
            1e9 * pushed / values,
            finished.bytes as f64 * 1e-6
        );
        std::fs::remove_file(path)?;
    }
    Ok(())
}
