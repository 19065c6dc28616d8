//! Writing a stream: rows are collected and go out as chunks, each with one call to the system.
//!
//! A chunk goes out when [`CHUNK_VALUES`] values have come together, or when [`CHUNK_SECONDS`] of wall time have passed
//! since the last one; the clock is looked at in every [`StreamWriter::push`] and [`StreamWriter::tick`]. What the
//! system has taken survives the end of the process, also by `kill -9`. It survives a power cut once the system has
//! written it back; only [`StreamWriter::finish`] waits for that.
//!
//! Errors come back from the call in which they happen. After one, the writer takes nothing more: the file then ends in
//! the middle of a chunk, and what lies before is readable. A writer that is dropped writes the rows it still has, as
//! well as it can, but does not close the recording: readers will say so.

use crate::checksum::Crc;
use crate::disk::DiskFile;
use crate::files::{self, PathKind};
use crate::layout::{self, ChunkKind, MAX_KIND};
use crate::{RecordError, Schema};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// Most values in a chunk, unless a single row has more.
pub const CHUNK_VALUES: usize = 1 << 16;
/// Most wall time between chunks, s, as long as `push` or `tick` is called.
pub const CHUNK_SECONDS: f64 = 0.5;

/// A stream being written.
#[derive(Debug)]
pub struct StreamWriter {
    path: PathBuf,
    file: DiskFile,
    /// Not a device or pipe: can be locked, measured and synchronised.
    regular: bool,
    columns: usize,
    rows_per_chunk: usize,
    /// Rows not yet written, row after row.
    pending: Vec<f64>,
    /// The chunk being made.
    frame: Vec<u8>,
    last_chunk: Instant,
    rows: u64,
    blobs: u64,
    bytes: u64,
    number: u32,
    digest: Crc,
    /// Takes nothing more: failed, or closed.
    stopped: bool,
}

/// A recording that was closed properly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finished {
    /// The file.
    pub path: PathBuf,
    /// Its rows.
    pub rows: u64,
    /// Its size in bytes; for a device, bytes written.
    pub bytes: u64,
}

impl StreamWriter {
    /// Creates the file and writes its header. A file that is there is replaced, unless another process is writing it.
    ///
    /// Devices and pipes are written to as they are. Folders, symbolic links to files and missing folders are refused.
    pub fn create(path: &Path, schema: &Schema) -> Result<StreamWriter, RecordError> {
        let header = layout::header(schema).map_err(|reason| RecordError::Schema { reason })?;
        let place = files::place(path)?;
        let file = match place {
            PathKind::Device => files::open_device(path)?,
            PathKind::File | PathKind::Nothing => files::create_locked(path)?,
        };
        let columns = schema.columns().len();
        let rows_per_chunk = (CHUNK_VALUES / columns).max(1);
        let mut writer = StreamWriter {
            path: path.to_path_buf(),
            file,
            regular: place != PathKind::Device,
            columns,
            rows_per_chunk,
            pending: Vec::with_capacity(rows_per_chunk.min(1024) * columns),
            frame: Vec::new(),
            last_chunk: Instant::now(),
            rows: 0,
            blobs: 0,
            bytes: 0,
            number: 0,
            digest: Crc::castagnoli(),
            stopped: false,
        };
        writer.frame = header;
        writer.write_frame()?;
        Ok(writer)
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Rows given so far.
    pub fn rows(&self) -> u64 {
        self.rows + (self.pending.len() / self.columns) as u64
    }

    /// One row, a value for each column.
    pub fn push(&mut self, row: &[f64]) -> Result<(), RecordError> {
        if row.len() != self.columns {
            return Err(RecordError::RowLength { path: self.path.clone(), given: row.len(), columns: self.columns });
        }
        self.check_open()?;
        self.pending.extend_from_slice(row);
        if self.pending.len() >= self.rows_per_chunk * self.columns { self.flush() } else { self.tick() }
    }

    /// Writes what has come together if it is time. For those who are busy with other things for longer than half a
    /// second.
    pub fn tick(&mut self) -> Result<(), RecordError> {
        if self.last_chunk.elapsed().as_secs_f64() >= CHUNK_SECONDS { self.flush() } else { Ok(()) }
    }

    /// Writes what has come together now.
    pub fn flush(&mut self) -> Result<(), RecordError> {
        self.check_open()?;
        self.last_chunk = Instant::now();
        if self.pending.is_empty() {
            return Ok(());
        }
        let rows = (self.pending.len() / self.columns) as u64;
        let check = layout::chunk(&mut self.frame, ChunkKind::Rows, self.number, |out| {
            layout::put_rows(out, self.rows, self.columns, &self.pending)
        });
        self.write_chunk(check)?;
        self.pending.clear();
        self.rows += rows;
        Ok(())
    }

    /// Bytes of any kind with a time in s, such as a state to resume from; after the rows given so far.
    pub fn blob(&mut self, kind: &str, time: f64, bytes: &[u8]) -> Result<(), RecordError> {
        if kind.len() > MAX_KIND {
            let reason = format!("a blob's kind has {} bytes, at most {MAX_KIND}", kind.len());
            return Err(RecordError::Schema { reason });
        }
        self.flush()?;
        let check = layout::chunk(&mut self.frame, ChunkKind::Blob, self.number, |out| {
            out.extend(time.to_le_bytes());
            crate::bytes::put_text(out, kind);
            out.extend_from_slice(bytes);
        });
        self.write_chunk(check)?;
        self.blobs += 1;
        Ok(())
    }

    /// Writes the rest and the last chunk, which says that the recording is whole and why it ended; waits until the
    /// disk has it all.
    pub fn finish(mut self, reason: &str) -> Result<Finished, RecordError> {
        self.flush()?;
        let (rows, blobs, digest) = (self.rows, self.blobs, self.digest.value());
        let check = layout::chunk(&mut self.frame, ChunkKind::Done, self.number, |out| {
            layout::put_done(out, rows, blobs, digest, reason)
        });
        self.write_chunk(check)?;
        self.stopped = true;
        if self.regular {
            self.file.sync_all().map_err(RecordError::io(&self.path, "write"))?;
            // Somebody else may have written into it or cut it: better said now than found out later.
            let length = self.file.seek(SeekFrom::End(0)).map_err(RecordError::io(&self.path, "measure"))?;
            if length != self.bytes {
                let reason = format!("{} bytes were written, the file has {length}", self.bytes);
                return Err(RecordError::damaged(&self.path, length.min(self.bytes), reason));
            }
            files::sync_folder(&self.path);
        }
        Ok(Finished { path: self.path.clone(), rows, bytes: self.bytes })
    }

    fn check_open(&self) -> Result<(), RecordError> {
        if self.stopped { Err(RecordError::Stopped { path: self.path.clone() }) } else { Ok(()) }
    }

    fn write_chunk(&mut self, check: u32) -> Result<(), RecordError> {
        self.write_frame()?;
        self.digest.add(&check.to_le_bytes());
        self.number = self.number.wrapping_add(1);
        Ok(())
    }

    fn write_frame(&mut self) -> Result<(), RecordError> {
        if let Err(e) = self.file.write_all(&self.frame) {
            self.stopped = true;
            return Err(RecordError::io(&self.path, "write")(e));
        }
        self.bytes += self.frame.len() as u64;
        Ok(())
    }
}

impl Drop for StreamWriter {
    /// Nobody is left to hear of an error; the file shows it by not being closed.
    fn drop(&mut self) {
        if !self.stopped {
            let _ = self.flush();
        }
    }
}
