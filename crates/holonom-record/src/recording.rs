//! Reading a recording, whichever of the three formats it is in.
//!
//! A stream is checked from end to end when it is opened, then columns are read when they are asked for. Of a Parquet
//! file the footer is read when it is opened, and pages are checked when they are read. A CSV file is read whole.
//! Whatever is loaded is held against a budget before memory is taken.

use crate::files::Positioned;
use crate::parquet::read::{self as parquet, RowGroup};
use crate::scan::{self, BlobInfo, Ending, RowsAt};
use crate::writer::CHUNK_VALUES;
use crate::{RecordError, RecordingColumn, RecordingFormat, Schema, csv};
use std::path::{Path, PathBuf};

/// Bytes that one call may load, unless told otherwise: 2 GiB.
pub const DEFAULT_BUDGET: u64 = 1 << 31;

/// A recording, open for reading.
///
/// A file may be read while it is still being written: it then ends at the last whole chunk and is not
/// [`complete`](RecordingReader::complete).
#[derive(Debug)]
pub struct RecordingReader {
    path: PathBuf,
    schema: Schema,
    rows: u64,
    ending: Ending,
    lost: u64,
    blobs: Vec<BlobInfo>,
    source: Source,
    budget: u64,
}

#[derive(Debug)]
enum Source {
    Stream {
        file: Positioned,
        chunks: Vec<RowsAt>,
    },
    Parquet {
        file: Positioned,
        groups: Vec<RowGroup>,
    },
    /// All columns.
    Csv(Vec<Vec<f64>>),
}

/// Some rows, column after column.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowBlock<'a> {
    pub rows: usize,
    pub values: &'a [f64],
}

impl<'a> RowBlock<'a> {
    /// The values of one column.
    pub fn column(&self, index: usize) -> &'a [f64] {
        &self.values[index * self.rows..(index + 1) * self.rows]
    }
}

impl RecordingReader {
    /// Opens a `.hrec`, `.csv` or `.parquet` file written by this crate, with the usual budget.
    pub fn open(path: &Path) -> Result<RecordingReader, RecordError> {
        RecordingReader::open_within(path, DEFAULT_BUDGET)
    }

    /// The same; no call loads more than `budget` bytes.
    pub fn open_within(path: &Path, budget: u64) -> Result<RecordingReader, RecordError> {
        let path_buf = path.to_path_buf();
        match RecordingFormat::of(path)? {
            RecordingFormat::Stream => {
                let (file, found) = scan::open(path)?;
                Ok(RecordingReader::from_scan(path, file, found, budget))
            }
            RecordingFormat::Parquet => {
                let (footer, file) = parquet::open(path, budget)?;
                Ok(RecordingReader {
                    path: path_buf,
                    schema: footer.schema,
                    rows: footer.rows,
                    ending: Ending::Closed { reason: footer.ending },
                    lost: 0,
                    blobs: Vec::new(),
                    source: Source::Parquet { file, groups: footer.groups },
                    budget,
                })
            }
            RecordingFormat::Csv => {
                let table = csv::read(path, budget)?;
                let ending = if table.lost == 0 { Ending::Closed { reason: String::new() } } else { Ending::Torn };
                Ok(RecordingReader {
                    path: path_buf,
                    schema: table.schema,
                    rows: table.columns[0].len() as u64,
                    ending,
                    lost: table.lost,
                    blobs: Vec::new(),
                    source: Source::Csv(table.columns),
                    budget,
                })
            }
        }
    }

    /// From a stream that was scanned.
    pub(crate) fn from_scan(path: &Path, file: std::fs::File, found: scan::StreamScan, budget: u64) -> RecordingReader {
        RecordingReader {
            path: path.to_path_buf(),
            schema: found.schema,
            rows: found.rows,
            ending: found.ending,
            lost: found.lost,
            blobs: found.blobs,
            source: Source::Stream { file: Positioned::new(path, file), chunks: found.chunks },
            budget,
        }
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Columns and metadata. A CSV file has no units (but that of `time`), notes or metadata.
    pub fn schema(&self) -> &Schema {
        &self.schema
    }

    /// The columns.
    pub fn columns(&self) -> &[RecordingColumn] {
        self.schema.columns()
    }

    /// The caller's metadata.
    pub fn metadata(&self) -> &str {
        self.schema.metadata()
    }

    /// How many rows can be read.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Was it closed by its writer, and is all of it here?
    pub fn complete(&self) -> bool {
        matches!(self.ending, Ending::Closed { .. })
    }

    /// How it ends.
    pub fn ending(&self) -> &Ending {
        &self.ending
    }

    /// Bytes at the end of the file that could not be used.
    pub fn lost_bytes(&self) -> u64 {
        self.lost
    }

    /// What was put among the rows. Only streams keep blobs.
    pub fn blobs(&self) -> &[BlobInfo] {
        &self.blobs
    }

    /// The bytes of a blob, by its place in [`RecordingReader::blobs`].
    pub fn blob(&self, index: usize) -> Result<Vec<u8>, RecordError> {
        let (Some(info), Source::Stream { file, .. }) = (self.blobs.get(index), &self.source) else {
            let reason = format!("has {} blobs; number {index} was asked for", self.blobs.len());
            return Err(RecordError::path(&self.path, reason));
        };
        self.allow("a blob", Some(info.bytes))?;
        let mut bytes = vec![0; info.bytes as usize];
        file.read(info.offset, &mut bytes)?;
        Ok(bytes)
    }

    /// All values of the column of that name.
    pub fn column(&self, name: &str) -> Result<Vec<f64>, RecordError> {
        match self.schema.index_of(name) {
            Some(index) => self.column_at(index),
            None => Err(RecordError::UnknownColumn {
                path: self.path.clone(),
                name: name.to_owned(),
                hint: self.schema.near(name),
            }),
        }
    }

    /// All values of a column by its place, 0 being `time`.
    ///
    /// # Panics
    ///
    /// If there is no such column, as indexing does.
    pub fn column_at(&self, index: usize) -> Result<Vec<f64>, RecordError> {
        let name = &self.columns()[index].name;
        self.allow(&format!("column `{name}`"), self.rows.checked_mul(8))?;
        let mut values = Vec::with_capacity(self.rows as usize);
        match &self.source {
            Source::Csv(columns) => values.extend_from_slice(&columns[index]),
            Source::Parquet { file, groups } => {
                for group in groups {
                    parquet::page(&self.path, file, group.pages[index], group.rows, &mut values)?;
                }
            }
            Source::Stream { file, chunks } => {
                let mut bytes = Vec::new();
                for chunk in chunks {
                    let n = 8 * u64::from(chunk.rows);
                    bytes.resize(n as usize, 0);
                    file.read(chunk.offset + n * index as u64, &mut bytes)?;
                    values.extend(bytes.as_chunks::<8>().0.iter().map(|bits| f64::from_le_bytes(*bits)));
                }
            }
        }
        Ok(values)
    }

    /// All columns, if they fit into the budget together.
    pub fn table(&self) -> Result<Vec<Vec<f64>>, RecordError> {
        let n = self.columns().len() as u64;
        self.allow("the whole table", self.rows.checked_mul(8).and_then(|bytes| bytes.checked_mul(n)))?;
        let mut table: Vec<Vec<f64>> = (0..n).map(|_| Vec::with_capacity(self.rows as usize)).collect();
        self.blocks(|block| {
            for (i, column) in table.iter_mut().enumerate() {
                column.extend_from_slice(block.column(i));
            }
            Ok(())
        })?;
        Ok(table)
    }

    /// Time of the first and of the last row, s.
    pub fn time_range(&self) -> Result<Option<(f64, f64)>, RecordError> {
        if self.rows == 0 {
            return Ok(None);
        }
        let ends = |values: &[f64]| Some((*values.first()?, *values.last()?));
        match &self.source {
            Source::Csv(columns) => Ok(ends(&columns[0])),
            Source::Parquet { .. } => Ok(ends(&self.column_at(0)?)),
            Source::Stream { file, chunks } => {
                let at = |offset: u64| {
                    let mut bits = [0; 8];
                    file.read(offset, &mut bits)?;
                    Ok::<f64, RecordError>(f64::from_le_bytes(bits))
                };
                match (chunks.first(), chunks.last()) {
                    (Some(first), Some(last)) => {
                        Ok(Some((at(first.offset)?, at(last.offset + 8 * u64::from(last.rows - 1))?)))
                    }
                    _ => Ok(None),
                }
            }
        }
    }

    /// All rows in their order, block by block.
    pub(crate) fn blocks(
        &self,
        mut take: impl FnMut(&RowBlock<'_>) -> Result<(), RecordError>,
    ) -> Result<(), RecordError> {
        let n = self.columns().len();
        match &self.source {
            Source::Stream { file, chunks } => {
                let (mut bytes, mut values) = (Vec::new(), Vec::new());
                for chunk in chunks {
                    let size = u64::from(chunk.rows) * 8 * n as u64;
                    self.allow("a chunk", Some(size))?;
                    bytes.resize(size as usize, 0);
                    file.read(chunk.offset, &mut bytes)?;
                    values.clear();
                    values.extend(bytes.as_chunks::<8>().0.iter().map(|bits| f64::from_le_bytes(*bits)));
                    take(&RowBlock { rows: chunk.rows as usize, values: &values })?;
                }
            }
            Source::Parquet { file, groups } => {
                for group in groups {
                    self.allow("a row group", group.rows.checked_mul(8 * n as u64))?;
                    let mut values = Vec::new();
                    for page in &group.pages {
                        parquet::page(&self.path, file, *page, group.rows, &mut values)?;
                    }
                    take(&RowBlock { rows: group.rows as usize, values: &values })?;
                }
            }
            Source::Csv(columns) => {
                let step = (CHUNK_VALUES / n).max(1);
                let rows = self.rows as usize;
                for first in (0..rows).step_by(step) {
                    let last = (first + step).min(rows);
                    let values: Vec<f64> = columns.iter().flat_map(|c| &c[first..last]).copied().collect();
                    take(&RowBlock { rows: last - first, values: &values })?;
                }
            }
        }
        Ok(())
    }

    /// Refuses what does not fit into the budget; `None` is a number beyond 64 bits.
    fn allow(&self, what: &str, bytes: Option<u64>) -> Result<(), RecordError> {
        match bytes {
            Some(bytes) if bytes <= self.budget => Ok(()),
            _ => Err(RecordError::TooLarge {
                path: self.path.clone(),
                what: what.to_owned(),
                needed: bytes.unwrap_or(u64::MAX),
                allowed: self.budget,
            }),
        }
    }
}
