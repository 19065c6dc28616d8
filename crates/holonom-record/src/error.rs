//! What can go wrong with a recording or a snapshot, as values. Every message stands alone: the file, the value, what
//! is allowed, one help.

use std::io;
use std::path::{Path, PathBuf};

/// Which of three classes an error belongs to; a command can choose its exit code by it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordErrorClass {
    /// The system refused: disk full, no permission, device gone.
    Io,
    /// What was given cannot be used: a wrong name, a wrong file, a damaged file.
    Input,
    /// A limit was exceeded before anything was allocated.
    Limit,
}

/// A recording or snapshot that cannot be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The system refused.
    #[error("cannot {action} `{}`: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was tried: "write", "read", "create" ...
        action: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// A path that is no place for such a file.
    #[error("`{}` {reason}", path.display())]
    Path {
        /// The path.
        path: PathBuf,
        /// What it is, and what to give instead.
        reason: String,
    },
    /// A name that does not say the format.
    #[error("`{}`: the format follows from the name, which must end in .csv, .parquet or .hrec", path.display())]
    Extension {
        /// The path.
        path: PathBuf,
    },
    /// Columns that cannot be recorded.
    #[error("columns of a recording: {reason}")]
    Schema {
        /// Which column, and what is allowed.
        reason: String,
    },
    /// A row of the wrong length.
    #[error("a row of {given} values for a recording `{}` of {columns} columns", path.display())]
    RowLength {
        /// The file.
        path: PathBuf,
        /// Values given.
        given: usize,
        /// Values wanted.
        columns: usize,
    },
    /// Writing failed before; nothing more is taken.
    #[error("writing `{}` failed before; nothing was added since. What was written until then is readable", path.display())]
    Stopped {
        /// The file.
        path: PathBuf,
    },
    /// Not a file of ours.
    #[error("`{}` is not {wanted}: {reason}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// "a recording", "a snapshot" ...
        wanted: &'static str,
        /// What was found instead, and what to do.
        reason: String,
    },
    /// A file of ours, from another version.
    #[error("`{}` is of format version {found}; this program reads version {known}", path.display())]
    Version {
        /// The file.
        path: PathBuf,
        /// Its version.
        found: u32,
        /// Ours.
        known: u32,
    },
    /// A file of ours of which something is wrong or missing that cannot be done without.
    #[error("`{}` is damaged at byte {offset}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// Where.
        offset: u64,
        /// What is wrong there.
        reason: String,
    },
    /// More than the budget allows.
    #[error("`{}`: {what} needs {needed} bytes, more than the {allowed} bytes allowed", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// What.
        what: String,
        /// Bytes it needs.
        needed: u64,
        /// Bytes it may have.
        allowed: u64,
    },
    /// No column of that name.
    #[error("`{}` has no column `{name}`{hint}", path.display())]
    UnknownColumn {
        /// The file.
        path: PathBuf,
        /// The name asked for.
        name: String,
        /// A name that is near, as "; did you mean `...`?", or empty.
        hint: String,
    },
    /// Another process is writing it.
    #[error("`{}` is being written by another process; wait for its end, or choose another name", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// Would overwrite something else.
    #[error("`{}` exists and holds something else; move it away, name another target, or ask for it to be replaced", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The run is recorded, the file asked for could not be made from it.
    #[error("`{}` could not be made: {source}. Nothing is lost: all rows are in `{}`; make room, then `holonom recover {}`", target.display(), stream.display(), target.display())]
    Conversion {
        /// The file asked for.
        target: PathBuf,
        /// The stream that holds everything.
        stream: PathBuf,
        /// Why.
        source: Box<RecordError>,
    },
}

impl RecordError {
    /// The class of this error.
    pub fn class(&self) -> RecordErrorClass {
        match self {
            RecordError::Io { .. } | RecordError::Stopped { .. } | RecordError::InUse { .. } => RecordErrorClass::Io,
            RecordError::TooLarge { .. } => RecordErrorClass::Limit,
            RecordError::Conversion { source, .. } => source.class(),
            _ => RecordErrorClass::Input,
        }
    }

    /// Turns what the system said into an error that names the file.
    pub(crate) fn io(path: &Path, action: &'static str) -> impl FnOnce(io::Error) -> RecordError {
        move |source| RecordError::Io { path: path.to_path_buf(), action, source }
    }

    pub(crate) fn path(path: &Path, reason: impl Into<String>) -> RecordError {
        RecordError::Path { path: path.to_path_buf(), reason: reason.into() }
    }

    pub(crate) fn damaged(path: &Path, offset: u64, reason: impl Into<String>) -> RecordError {
        RecordError::Damaged { path: path.to_path_buf(), offset, reason: reason.into() }
    }

    pub(crate) fn foreign(path: &Path, wanted: &'static str, reason: impl Into<String>) -> RecordError {
        RecordError::Foreign { path: path.to_path_buf(), wanted, reason: reason.into() }
    }
}
