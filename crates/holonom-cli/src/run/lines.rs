//! A file of lines that are written while a run goes on.
//!
//! Lines reach the file within half a second, so that a run that is killed leaves whole lines but for the last. Where
//! a file of that name is there already, the lines go to a file beside it, which takes its place at the end.

use crate::error::CliError;
use holonom_record::disk::{self, DiskFile};
use std::ffi::OsString;
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// Lines wait at most this long.
const LONGEST: Duration = Duration::from_millis(500);

/// Lines of JSON in a file.
pub(crate) struct LineFile {
    path: PathBuf,
    /// Where lines go while an older file stands at `path`.
    draft: Option<PathBuf>,
    file: BufWriter<DiskFile>,
    flushed: Instant,
}

impl LineFile {
    pub fn create(path: &Path) -> Result<LineFile, CliError> {
        let draft = path.is_file().then(|| {
            let mut name = OsString::from(path);
            name.push(".part");
            PathBuf::from(name)
        });
        let file = DiskFile::create(draft.as_deref().unwrap_or(path)).map_err(|e| cannot(path, &e))?;
        Ok(LineFile { path: path.to_path_buf(), draft, file: BufWriter::new(file), flushed: Instant::now() })
    }

    pub fn write(&mut self, line: &serde_json::Value) -> Result<(), CliError> {
        let written = writeln!(self.file, "{line}");
        self.check(written)?;
        if self.flushed.elapsed() > LONGEST {
            self.flush()?;
        }
        Ok(())
    }

    pub fn flush(&mut self) -> Result<(), CliError> {
        self.flushed = Instant::now();
        let flushed = self.file.flush();
        self.check(flushed)
    }

    /// All lines are on the disk, and under the name that was asked for.
    pub fn finish(&mut self) -> Result<(), CliError> {
        self.flush()?;
        if let Some(draft) = self.draft.take() {
            let moved = self.file.get_ref().sync_all().and_then(|()| disk::rename(&draft, &self.path));
            self.check(moved)?;
        }
        Ok(())
    }

    fn check(&self, result: io::Result<()>) -> Result<(), CliError> {
        result.map_err(|e| cannot(&self.path, &e))
    }
}

fn cannot(path: &Path, e: &io::Error) -> CliError {
    CliError::io(format!("`{}` cannot be written: {e}", path.display()))
}
