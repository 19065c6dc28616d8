//! The three formats of recordings, and making one from another.

use crate::csv::CsvWriter;
use crate::disk::DiskFile;
use crate::parquet::write::ParquetWriter;
use crate::recording::RecordingReader;
use crate::{Ending, RecordError};
use std::path::Path;

/// The format of a recording, which follows from the end of its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordingFormat {
    /// `.hrec`: our own append-only stream; the only one that can be read after a crash.
    Stream,
    /// `.csv`: text.
    Csv,
    /// `.parquet`: columns of numbers with their units.
    Parquet,
}

impl RecordingFormat {
    /// The format of a file of that name; capitals do not matter.
    pub fn of(path: &Path) -> Result<RecordingFormat, RecordError> {
        let extension = path.extension().map(|e| e.to_ascii_lowercase());
        match extension.as_ref().and_then(|e| e.to_str()) {
            Some("hrec") => Ok(RecordingFormat::Stream),
            Some("csv") => Ok(RecordingFormat::Csv),
            Some("parquet") => Ok(RecordingFormat::Parquet),
            _ => Err(RecordError::Extension { path: path.to_path_buf() }),
        }
    }
}

/// Writes all rows as CSV or Parquet into a file; `target` is its name in messages.
pub(crate) fn write_rows(
    from: &RecordingReader,
    format: RecordingFormat,
    file: &DiskFile,
    target: &Path,
) -> Result<(), RecordError> {
    let failed = || RecordError::io(target, "write");
    if format == RecordingFormat::Parquet {
        let ending = match from.ending() {
            Ending::Closed { reason } => reason.clone(),
            _ => recovered_reason(from),
        };
        let mut writer = ParquetWriter::new(file, from.schema()).map_err(failed())?;
        from.blocks(|block| writer.block(block).map_err(failed()))?;
        writer.finish(&ending).map_err(failed())
    } else {
        let mut writer = CsvWriter::new(file, from.schema());
        from.blocks(|block| writer.block(block).map_err(failed()))?;
        writer.finish().map_err(failed())
    }
}

/// Why a recording that its writer did not close ends where it ends.
pub(crate) fn recovered_reason(from: &RecordingReader) -> String {
    format!("recovered: the run did not close its recording; {} bytes at its end were lost", from.lost_bytes())
}
