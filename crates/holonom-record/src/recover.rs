//! What a recording holds, and a whole one from what a crash left.

use crate::files::{self, PathKind, TemporaryFile};
use crate::format::{recovered_reason, write_rows};
use crate::output::side_stream;
use crate::recording::DEFAULT_BUDGET;
use crate::scan::{self, BlobInfo, Ending};
use crate::{RecordError, RecordingColumn, RecordingFormat, RecordingReader, csv};
use std::fs;
use std::path::{Path, PathBuf};

/// What a recording holds.
#[derive(Clone, Debug, PartialEq)]
pub struct Description {
    /// The file that was read: the one named, or the stream that stands in for it.
    pub path: PathBuf,
    /// Its format.
    pub format: RecordingFormat,
    /// Its size.
    pub bytes: u64,
    /// Its columns.
    pub columns: Vec<RecordingColumn>,
    /// The caller's metadata.
    pub metadata: String,
    /// Rows that can be read.
    pub rows: u64,
    /// Time of the first and the last row, s.
    pub time: Option<(f64, f64)>,
    /// How it ends.
    pub ending: Ending,
    /// Closed, and all of it there.
    pub complete: bool,
    /// Bytes at its end that cannot be used.
    pub lost_bytes: u64,
    /// Snapshots and other blobs, with their times.
    pub blobs: Vec<BlobInfo>,
    /// A stream beside the file, left by a run that did not end as it should, or of one that is going on.
    pub left_stream: Option<PathBuf>,
}

/// Says what a recording holds. `run.csv` may also be the name of a file that was never made, if its stream
/// `run.csv.hrec` is there.
pub fn describe(path: &Path) -> Result<Description, RecordError> {
    let side = side_of(path);
    let path = match &side {
        Some(stream) if !path.exists() => stream,
        _ => path,
    };
    let recording = RecordingReader::open(path)?;
    Ok(Description {
        path: path.to_path_buf(),
        format: RecordingFormat::of(path)?,
        bytes: fs::metadata(path).map_err(RecordError::io(path, "read"))?.len(),
        columns: recording.columns().to_vec(),
        metadata: recording.metadata().to_owned(),
        rows: recording.rows(),
        time: recording.time_range()?,
        ending: recording.ending().clone(),
        complete: recording.complete(),
        lost_bytes: recording.lost_bytes(),
        blobs: recording.blobs().to_vec(),
        left_stream: side.as_ref().filter(|stream| *stream != path).cloned(),
    })
}

/// The stream beside a CSV or Parquet file, if there is one.
fn side_of(path: &Path) -> Option<PathBuf> {
    let wanted = matches!(RecordingFormat::of(path), Ok(RecordingFormat::Csv | RecordingFormat::Parquet));
    Some(side_stream(path)).filter(|stream| wanted && stream.is_file())
}

/// What to do with a file that stands where a recovered one shall go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// Keep it: recovering fails, unless it holds the same bytes already.
    Keep,
    /// Replace it.
    Replace,
}

/// A recording that was recovered.
#[derive(Clone, Debug, PartialEq)]
pub struct Recovered {
    /// The file that was made.
    pub target: PathBuf,
    /// What it was made from.
    pub source: PathBuf,
    /// Is the source still there? The stream beside a target is removed once the target is safe, unless it holds blobs.
    pub source_kept: bool,
    /// Rows recovered.
    pub rows: u64,
    /// Time of the first and the last of them, s.
    pub time: Option<(f64, f64)>,
    /// How the source ended.
    pub ending: Ending,
    /// Bytes at the end of the source that could not be used.
    pub lost_bytes: u64,
    /// Snapshots and other blobs in the source. Of the formats to recover into, only `.hrec` keeps them.
    pub blobs: Vec<BlobInfo>,
}

/// Makes a whole recording from what a crash left.
///
/// `path` is the file that was asked for (`run.csv`, whose stream `run.csv.hrec` is beside it), or the stream itself,
/// or with a target any recording. Without a `target`, `run.csv.hrec` becomes `run.csv`, and `run.hrec` becomes
/// `run.recovered.hrec`. The target appears whole or not at all; the source is never changed, and a run that is going
/// on is left alone.
pub fn recover(path: &Path, target: Option<&Path>, existing: Existing) -> Result<Recovered, RecordError> {
    let source = source_of(path, target)?;
    let target = target.map_or_else(|| default_target(&source), Path::to_path_buf);
    let format = RecordingFormat::of(&target)?;
    let same = |a: &Path, b: &Path| matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b);
    if same(&source, &target) {
        return Err(RecordError::path(&target, "is what is to be recovered; name another target"));
    }
    let taken = match files::place(&target)? {
        PathKind::Device => return Err(RecordError::path(&target, "is a device or pipe; name a file")),
        place => place == PathKind::File,
    };

    // Held until the end: nobody may be writing it, and nobody may begin to.
    let (locked, _) = files::open_file(&source)?;
    files::lock(&locked, &source)?;
    let mut draft = TemporaryFile::new(&target)?;
    let recording = if format == RecordingFormat::Stream && RecordingFormat::of(&source)? == RecordingFormat::Stream {
        let (file, found) = scan::open(&source)?;
        let copy = file.try_clone().map_err(RecordError::io(&source, "read"))?;
        let (closed, reason) = match &found.ending {
            Ending::Closed { reason } => (true, reason.clone()),
            _ => (false, String::new()),
        };
        let sound = found.sound_part();
        let recording = RecordingReader::from_scan(&source, file, found, DEFAULT_BUDGET);
        let reason = if closed { reason } else { recovered_reason(&recording) };
        sound.copy_closed(&source, &copy, &target, &reason, &mut draft.file)?;
        recording
    } else if format == RecordingFormat::Stream {
        return Err(RecordError::path(
            &target,
            "cannot be made: streams are recovered from streams only; choose .csv or .parquet",
        ));
    } else {
        let recording = RecordingReader::open(&source)?;
        write_rows(&recording, format, &draft.file, &target)?;
        recording
    };
    let time = recording.time_range()?;
    if taken && existing == Existing::Keep && !draft.equals_target()? {
        return Err(RecordError::Exists { path: target });
    }
    if format == RecordingFormat::Csv {
        csv::put_units(&target, recording.columns())?;
    }
    draft.publish()?;

    let done_with = side_stream(&target) == source && recording.blobs().is_empty();
    if done_with {
        fs::remove_file(&source).map_err(RecordError::io(&source, "remove"))?;
    }
    Ok(Recovered {
        target,
        source_kept: !done_with,
        rows: recording.rows(),
        time,
        ending: recording.ending().clone(),
        lost_bytes: recording.lost_bytes(),
        blobs: recording.blobs().to_vec(),
        source,
    })
}

/// The file to recover from.
fn source_of(path: &Path, target: Option<&Path>) -> Result<PathBuf, RecordError> {
    if let Some(stream) = side_of(path) {
        return Ok(stream);
    }
    if RecordingFormat::of(path)? == RecordingFormat::Stream || (target.is_some() && path.exists()) {
        return Ok(path.to_path_buf());
    }
    let stream = side_stream(path);
    let state = if path.exists() { "needs no recovery" } else { "cannot be recovered" };
    Err(RecordError::path(path, format!("{state}: no run has left a stream `{}`", stream.display())))
}

/// `run.csv` for `run.csv.hrec`, `run.recovered.hrec` for `run.hrec`.
fn default_target(stream: &Path) -> PathBuf {
    let without = stream.with_extension("");
    match RecordingFormat::of(&without) {
        Ok(RecordingFormat::Csv | RecordingFormat::Parquet) => without,
        _ => files::with_suffix(&without, ".recovered.hrec"),
    }
}
