//! Recordings and snapshots: written while a run goes on, readable after a crash, as CSV and Parquet for everybody
//! else.
//!
//! A recording is a table of named f64 columns with units, the first being `time` in s, and a text of metadata. This
//! crate knows nothing of engines or scenes, prints nothing, and looks at the clock only to write something twice a
//! second.
//!
//! - [`RecordingOutput`] writes: `.hrec` is our own stream, `.csv` and `.parquet` are made from one at the end.
//! - [`RecordingReader`] reads all three; [`describe`] says what is in one.
//! - [`recover`] makes a whole file from what a crash left: at most the last second of rows is lost, and never a wrong
//!   number read.
//! - [`TableJournal`] keeps rows of numbers and texts as they come, [`DataTable`] is all of them.
//! - [`Snapshot`] is one state in a file of its own, or among the rows of a stream.
//!
//! ```
//! use holonom_record::{RecordingColumn, RecordingOutput, RecordingReader, Schema};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let folder = std::env::temp_dir().join(format!("holonom-record-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let path = folder.join("fall.parquet");
//! let columns = vec![RecordingColumn::time(), RecordingColumn::new("ball.pos.z", "m")];
//! let schema = Schema::new(columns, r#"{"scene": "fall"}"#)?;
//!
//! let mut output = RecordingOutput::create(&path, &schema)?;
//! for step in 0..=100 {
//!     let t = 0.01 * f64::from(step);
//!     output.push(&[t, 10.0 - 0.5 * 9.81 * t * t])?;
//! }
//! let finished = output.finish("end of time reached")?;
//! assert_eq!(finished.rows, 101);
//!
//! let recording = RecordingReader::open(&path)?;
//! assert!(recording.complete());
//! assert_eq!(recording.columns()[1].unit, "m");
//! assert_eq!(recording.column("ball.pos.z")?[0], 10.0);
//! # std::fs::remove_dir_all(&folder)?;
//! # Ok(())
//! # }
//! ```
//!
//! The formats, byte by byte, and how to read them with other programs: `docs/recordings.md`.

mod bytes;
mod checksum;
mod csv;
pub mod disk;
mod error;
mod files;
mod format;
mod journal;
mod layout;
mod output;
mod parquet;
mod recording;
mod recover;
mod scan;
mod schema;
mod snapshot;
mod table;
mod writer;

pub use error::{RecordError, RecordErrorClass};
pub use files::replace_file;
pub use format::RecordingFormat;
pub use journal::TableJournal;
pub use output::RecordingOutput;
pub use recording::{DEFAULT_BUDGET, RecordingReader};
pub use recover::{Description, Existing, Recovered, describe, recover};
pub use scan::{BlobInfo, Ending};
pub use schema::{MAX_COLUMNS, MAX_METADATA, MAX_TEXT, RecordingColumn, Schema};
pub use snapshot::Snapshot;
pub use table::{Cell, Cells, DataTable, TableColumn};
pub use writer::{CHUNK_SECONDS, CHUNK_VALUES, Finished, StreamWriter};
