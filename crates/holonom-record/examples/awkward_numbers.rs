//! One table in every format named on the command line: a swing, and numbers that formats like to lose.
//!
//! `cargo run -p holonom-record --example awkward_numbers -- a.csv a.parquet`, then `python benches/read_recording.py a.csv a.parquet`.

use holonom_record::{RecordError, RecordingColumn, RecordingOutput, Schema};
use std::path::Path;

const AWKWARD: [f64; 9] =
    [0.0, -0.0, 5e-324, f64::MIN_POSITIVE, f64::MAX, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 0.1 + 0.2];

fn main() -> Result<(), RecordError> {
    let schema = Schema::new(
        vec![
            RecordingColumn::time(),
            RecordingColumn::new("bob.pos.x", "m"),
            RecordingColumn::new("whole", "1"),
            RecordingColumn::new("awkward, with a comma", "1").with_note("NaN, infinities, -0.0"),
            RecordingColumn::new("late", "N"),
            RecordingColumn::new("mixed", "1"),
        ],
        r#"{"scene": "awkward numbers"}"#,
    )?;
    for path in std::env::args().skip(1) {
        let mut output = RecordingOutput::create(Path::new(&path), &schema)?;
        let (mut x, mut v, mut seed) = (1.0f64, 0.0f64, 1u64);
        for step in 0..50_000u32 {
            v -= 1e-3 * x;
            x += 1e-3 * v;
            // Knuth's generator; its bits as a number of any size.
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let any = f64::from_bits(seed);
            let mixed = if any.is_nan() { 0.5 } else { any };
            let late = if step < 40_000 { 0.0 } else { x };
            let awkward = AWKWARD[step as usize % AWKWARD.len()];
            output.push(&[1e-3 * f64::from(step), x, f64::from(step), awkward, late, mixed])?;
        }
        output.finish("done")?;
    }
    Ok(())
}
