//! The disk, as far as anything is written to it: files that are made, written and waited for, and names that change.
//!
//! All of it passes through here, so that tests can let it fail. With the feature `faults`, which only tests ask for,
//! the environment variable `FAULT` says at which of these operations, counted from 1 over the whole process, the
//! disk is found to be full: `5` for the fifth alone, `5+` for the fifth and all after it. Without the feature there is
//! nothing of that in the program.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

/// Which operation fails.
#[cfg(feature = "faults")]
pub const FAULT: &str = "HOLONOM_FAULT";

/// One operation more. Is this one to fail?
#[cfg(feature = "faults")]
fn operation() -> io::Result<()> {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};
    static WANTED: OnceLock<Option<(u64, bool)>> = OnceLock::new();
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let wanted = WANTED.get_or_init(|| {
        let text = std::env::var(FAULT).ok()?;
        let (number, lasts) = text.strip_suffix('+').map_or((text.as_str(), false), |n| (n, true));
        Some((number.parse().ok()?, lasts))
    });
    let now = COUNT.fetch_add(1, Ordering::Relaxed) + 1;
    match *wanted {
        Some((at, lasts)) if now == at || lasts && now > at => Err(io::ErrorKind::StorageFull.into()),
        _ => Ok(()),
    }
}

#[cfg(not(feature = "faults"))]
#[inline]
fn operation() -> io::Result<()> {
    Ok(())
}

/// A file that is written.
#[derive(Debug)]
pub struct DiskFile(File);

impl DiskFile {
    /// Open or make a file.
    pub fn open(options: &OpenOptions, path: &Path) -> io::Result<DiskFile> {
        operation()?;
        options.open(path).map(DiskFile)
    }

    /// An empty file; one that is there is emptied.
    pub fn create(path: &Path) -> io::Result<DiskFile> {
        DiskFile::open(OpenOptions::new().write(true).create(true).truncate(true), path)
    }

    /// Wait until the disk has all of it.
    pub fn sync_all(&self) -> io::Result<()> {
        operation()?;
        self.0.sync_all()
    }

    /// Another length.
    pub fn set_len(&self, length: u64) -> io::Result<()> {
        operation()?;
        self.0.set_len(length)
    }

    /// What the system knows of it.
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    /// For reading and for locks.
    pub fn as_file(&self) -> &File {
        &self.0
    }
}

impl Write for DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        (&*self).write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Write for &DiskFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // a disk that becomes full takes what still fits
        if let Err(e) = operation() {
            let part = &bytes[..bytes.len() / 2];
            (&self.0).write_all(part)?;
            return Err(e);
        }
        (&self.0).write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        (&self.0).flush()
    }
}

impl Read for &DiskFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        (&self.0).read(buffer)
    }
}

impl Seek for DiskFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

/// Another name for a file, in place of what has that name.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    operation()?;
    std::fs::rename(from, to)
}
