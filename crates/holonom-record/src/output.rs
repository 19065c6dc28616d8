//! Where a run puts its rows: a stream, or a stream that becomes CSV or Parquet at the end.
//!
//! `run.csv` and `run.parquet` appear whole or not at all. While the run goes on, rows are in `run.csv.hrec`, which
//! survives whatever happens to the process; [`RecordingOutput::finish`] makes the target from it under a temporary
//! name, waits for the disk, renames it, and only then removes the stream. If that fails, for want of space say, the
//! stream stays and [`recover`](crate::recover) can do it later.
//!
//! A `.hrec` that is there already is replaced the same way: rows go to `run.hrec.hrec`, which takes its place at the
//! end.
//!
//! A stream that an earlier run left there is not destroyed: it is renamed to `run.left-1.csv.hrec` (or the next free
//! number), and [`RecordingOutput::left_over`] says so.
//!
//! Devices and pipes (`/dev/stdout`, a FIFO) get their rows directly, as CSV, or as a stream if their name ends in
//! `.hrec`. No file is made beside them.

use crate::disk;
use crate::files::{self, PathKind};
use crate::format::{RecordingFormat, write_rows};
use crate::writer::{CHUNK_SECONDS, CHUNK_VALUES, Finished, StreamWriter};
use crate::{RecordError, RecordingReader, Schema, csv};
use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A recording being written, in the format that its name asks for.
#[derive(Debug)]
pub struct RecordingOutput {
    target: PathBuf,
    way: Way,
    left_over: Option<PathBuf>,
    /// The recording that is to be replaced, so that nobody else writes it meanwhile.
    _replaced: Option<File>,
}

#[derive(Debug)]
enum Way {
    /// The stream is what was asked for.
    Stream(StreamWriter),
    /// The stream is converted at the end, or takes the place of an older one.
    Convert(StreamWriter, RecordingFormat),
    /// Text for a device or a pipe.
    Text(TextWriter),
}

impl RecordingOutput {
    /// Creates the output. Whatever can be known to fail at the end fails here: a missing folder, a target that cannot
    /// be written, an unknown format.
    pub fn create(path: &Path, schema: &Schema) -> Result<RecordingOutput, RecordError> {
        let place = files::place(path)?;
        let target = path.to_path_buf();
        if place == PathKind::Device {
            let way = match RecordingFormat::of(path) {
                Ok(RecordingFormat::Stream) => Way::Stream(StreamWriter::create(path, schema)?),
                Ok(RecordingFormat::Parquet) => {
                    let reason = "is a device or pipe; Parquet needs a file, rows can go there as .csv or .hrec";
                    return Err(RecordError::path(path, reason));
                }
                _ => Way::Text(TextWriter::create(path, schema)?),
            };
            return Ok(RecordingOutput { target, way, left_over: None, _replaced: None });
        }
        let format = RecordingFormat::of(path)?;
        if format == RecordingFormat::Stream && place == PathKind::Nothing {
            let way = Way::Stream(StreamWriter::create(path, schema)?);
            return Ok(RecordingOutput { target, way, left_over: None, _replaced: None });
        }
        let mut replaced = None;
        if place == PathKind::File {
            // Opened and left alone: a file without permission to write should not be replaced at the end of a long
            // run, or fail there.
            let file = OpenOptions::new().append(true).open(path).map_err(RecordError::io(path, "write"))?;
            if format == RecordingFormat::Stream {
                files::lock(&file, path)?;
                replaced = Some(file);
            }
        }
        let stream = side_stream(path);
        let left_over = move_aside(path, &stream)?;
        let way = Way::Convert(StreamWriter::create(&stream, schema)?, format);
        Ok(RecordingOutput { target, way, left_over, _replaced: replaced })
    }

    /// Rows as CSV on standard output, as they come.
    pub fn standard_output(schema: &Schema) -> Result<RecordingOutput, RecordError> {
        let target = PathBuf::from("-");
        let way = Way::Text(TextWriter::to(target.clone(), Box::new(std::io::stdout()), schema)?);
        Ok(RecordingOutput { target, way, left_over: None, _replaced: None })
    }

    /// The file asked for.
    pub fn path(&self) -> &Path {
        &self.target
    }

    /// The stream that holds the rows while the run goes on, if it is another file.
    pub fn stream(&self) -> Option<&Path> {
        match &self.way {
            Way::Convert(writer, _) => Some(writer.path()),
            _ => None,
        }
    }

    /// Where the stream of an earlier run that was never finished has been moved to, if there was one: worth a warning.
    pub fn left_over(&self) -> Option<&Path> {
        self.left_over.as_deref()
    }

    /// Rows given so far.
    pub fn rows(&self) -> u64 {
        match &self.way {
            Way::Stream(writer) | Way::Convert(writer, _) => writer.rows(),
            Way::Text(text) => text.rows,
        }
    }

    /// One row, a value for each column.
    pub fn push(&mut self, row: &[f64]) -> Result<(), RecordError> {
        match &mut self.way {
            Way::Stream(writer) | Way::Convert(writer, _) => writer.push(row),
            Way::Text(text) => text.push(row),
        }
    }

    /// Bytes of any kind with a time in s. They are kept in streams: for a target in CSV or Parquet until it is made,
    /// on a device not at all.
    pub fn blob(&mut self, kind: &str, time: f64, bytes: &[u8]) -> Result<(), RecordError> {
        match &mut self.way {
            Way::Stream(writer) | Way::Convert(writer, _) => writer.blob(kind, time, bytes),
            Way::Text(text) => text.flush(),
        }
    }

    /// Writes what has come together if it is time; see [`StreamWriter::tick`].
    pub fn tick(&mut self) -> Result<(), RecordError> {
        match &mut self.way {
            Way::Stream(writer) | Way::Convert(writer, _) => writer.tick(),
            Way::Text(text) => text.tick(),
        }
    }

    /// Closes the recording with the reason of its end, and makes the file asked for.
    pub fn finish(self, reason: &str) -> Result<Finished, RecordError> {
        match self.way {
            Way::Stream(writer) => writer.finish(reason),
            Way::Text(text) => text.finish(),
            Way::Convert(writer, format) => {
                let stream = writer.finish(reason)?;
                let rows = stream.rows;
                let made = take_place(&stream, &self.target, format).map_err(|source| RecordError::Conversion {
                    target: self.target.clone(),
                    stream: stream.path.clone(),
                    source: Box::new(source),
                })?;
                Ok(Finished { path: self.target, rows, bytes: made })
            }
        }
    }
}

/// `run.csv.hrec` for `run.csv`.
pub(crate) fn side_stream(target: &Path) -> PathBuf {
    files::with_suffix(target, ".hrec")
}

/// Makes `target` from a whole stream, which is then gone; its size in bytes.
fn take_place(stream: &Finished, target: &Path, format: RecordingFormat) -> Result<u64, RecordError> {
    if format == RecordingFormat::Stream {
        disk::rename(&stream.path, target).map_err(RecordError::io(target, "write"))?;
        files::sync_folder(target);
        return Ok(stream.bytes);
    }
    let made = convert(&stream.path, target, format)?;
    fs::remove_file(&stream.path).map_err(RecordError::io(&stream.path, "remove"))?;
    Ok(made)
}

/// Writes the rows of a whole stream in another format; the size in bytes.
fn convert(stream: &Path, target: &Path, format: RecordingFormat) -> Result<u64, RecordError> {
    let recording = RecordingReader::open(stream)?;
    if !recording.complete() {
        let reason = format!("it was closed just now and cannot be read to its end: {:?}", recording.ending());
        return Err(RecordError::damaged(stream, 0, reason));
    }
    let draft = files::TemporaryFile::new(target)?;
    write_rows(&recording, format, &draft.file, target)?;
    let bytes = draft.file.metadata().map_err(RecordError::io(target, "measure"))?.len();
    if format == RecordingFormat::Csv {
        csv::put_units(target, recording.columns())?;
    }
    draft.publish()?;
    Ok(bytes)
}

/// Renames a stream that an earlier run left, unless nothing is in it.
fn move_aside(target: &Path, stream: &Path) -> Result<Option<PathBuf>, RecordError> {
    match files::place(stream)? {
        PathKind::Nothing => return Ok(None),
        PathKind::Device => return Err(RecordError::path(stream, "is a device or pipe; a file is needed there")),
        PathKind::File => {}
    }
    let (file, _) = files::open_file(stream)?;
    files::lock(&file, stream)?;
    if RecordingReader::open(stream).is_ok_and(|found| found.rows() == 0 && found.blobs().is_empty()) {
        return Ok(None);
    }
    let stem = target.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let extension = target.extension().unwrap_or_default().to_string_lossy().into_owned();
    for number in 1..10_000 {
        let suffix = if extension == "hrec" { "" } else { ".hrec" };
        let aside = target.with_file_name(format!("{stem}.left-{number}.{extension}{suffix}"));
        if fs::symlink_metadata(&aside).is_err() {
            disk::rename(stream, &aside).map_err(RecordError::io(stream, "rename"))?;
            return Ok(Some(aside));
        }
    }
    Err(RecordError::path(stream, "was left by an earlier run, as were many before it; recover or remove them"))
}

/// Rows as text, for devices and pipes.
struct TextWriter {
    path: PathBuf,
    file: Box<dyn Write + Send>,
    columns: usize,
    text: Vec<u8>,
    /// Rows in `text`.
    pending: usize,
    rows: u64,
    bytes: u64,
    last: Instant,
    stopped: bool,
    /// Whoever read standard output has seen enough: what follows is dropped.
    unread: bool,
}

impl TextWriter {
    fn create(path: &Path, schema: &Schema) -> Result<TextWriter, RecordError> {
        TextWriter::to(path.to_path_buf(), Box::new(files::open_device(path)?), schema)
    }

    fn to(path: PathBuf, file: Box<dyn Write + Send>, schema: &Schema) -> Result<TextWriter, RecordError> {
        let mut text = Vec::new();
        csv::put_header(&mut text, schema);
        let mut writer = TextWriter {
            path,
            file,
            columns: schema.columns().len(),
            text,
            pending: 0,
            rows: 0,
            bytes: 0,
            last: Instant::now(),
            stopped: false,
            unread: false,
        };
        writer.flush()?;
        Ok(writer)
    }

    fn push(&mut self, row: &[f64]) -> Result<(), RecordError> {
        if row.len() != self.columns {
            let (path, given, columns) = (self.path.clone(), row.len(), self.columns);
            return Err(RecordError::RowLength { path, given, columns });
        }
        csv::put_row(&mut self.text, row.iter().copied());
        self.rows += 1;
        self.pending += 1;
        if self.pending * self.columns >= CHUNK_VALUES { self.flush() } else { self.tick() }
    }

    fn tick(&mut self) -> Result<(), RecordError> {
        if self.last.elapsed().as_secs_f64() >= CHUNK_SECONDS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), RecordError> {
        if self.stopped {
            return Err(RecordError::Stopped { path: self.path.clone() });
        }
        self.last = Instant::now();
        let written =
            if self.unread { Ok(()) } else { self.file.write_all(&self.text).and_then(|()| self.file.flush()) };
        let standard = self.path.as_os_str() == "-";
        self.unread |= standard && written.as_ref().is_err_and(|e| e.kind() == std::io::ErrorKind::BrokenPipe);
        if let Err(e) = written
            && !self.unread
        {
            self.stopped = true;
            return Err(RecordError::io(&self.path, "write")(e));
        }
        self.bytes += self.text.len() as u64;
        self.text.clear();
        self.pending = 0;
        Ok(())
    }

    fn finish(mut self) -> Result<Finished, RecordError> {
        self.flush()?;
        self.stopped = true;
        Ok(Finished { path: self.path.clone(), rows: self.rows, bytes: self.bytes })
    }
}

impl std::fmt::Debug for TextWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        write!(f, "TextWriter({})", self.path.display())
    }
}

impl Drop for TextWriter {
    fn drop(&mut self) {
        if !self.stopped {
            let _ = self.flush();
        }
    }
}
