//! Places in the file system: what a path is, files that appear whole or not at all, reading at an offset.

use crate::RecordError;
use crate::disk::{self, DiskFile};
use std::ffi::OsString;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

/// What stands at a path we are to write to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PathKind {
    /// Nothing yet, in a folder that exists.
    Nothing,
    /// A file.
    File,
    /// A device or a pipe: written to as it is, never replaced.
    Device,
}

/// What a path is; refused if nothing can be written there.
pub(crate) fn place(path: &Path) -> Result<PathKind, RecordError> {
    // `/dev/stdout` is a link to wherever the output goes, which may be a file that must be added to, not replaced.
    if path.starts_with("/dev") && path.file_name().is_some() && path.exists() && !path.is_dir() {
        return Ok(if path.starts_with("/dev/shm") { plain(path)? } else { PathKind::Device });
    }
    plain(path)
}

fn plain(path: &Path) -> Result<PathKind, RecordError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => match fs::metadata(path) {
            Ok(to) if to.is_dir() => Err(folder_given(path)),
            Ok(to) if !to.is_file() => Ok(PathKind::Device),
            _ => {
                let to = fs::read_link(path).unwrap_or_default();
                let reason = format!("is a symbolic link to `{}`; name that file itself", to.display());
                Err(RecordError::path(path, reason))
            }
        },
        Ok(found) if found.is_dir() => Err(folder_given(path)),
        Ok(found) if found.is_file() => Ok(PathKind::File),
        Ok(_) => Ok(PathKind::Device),
        Err(e) if e.kind() == io::ErrorKind::NotFound => {
            if path.file_name().is_none() {
                return Err(RecordError::path(path, "is not the name of a file"));
            }
            let folder = folder_of(path);
            match fs::metadata(&folder) {
                Ok(found) if found.is_dir() => Ok(PathKind::Nothing),
                Ok(_) => Err(RecordError::path(path, format!("lies in `{}`, which is not a folder", folder.display()))),
                Err(_) => {
                    let reason = format!("lies in a folder `{}` that does not exist; make it first", folder.display());
                    Err(RecordError::path(path, reason))
                }
            }
        }
        Err(e) => Err(RecordError::io(path, "write")(e)),
    }
}

fn folder_given(path: &Path) -> RecordError {
    RecordError::path(path, "is a folder; name a file in it")
}

/// The folder of a file; `.` where the path has none.
pub(crate) fn folder_of(path: &Path) -> PathBuf {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_path_buf(),
        _ => PathBuf::from("."),
    }
}

/// The path with something added to its name.
pub(crate) fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = OsString::from(path.as_os_str());
    name.push(suffix);
    PathBuf::from(name)
}

/// A device or pipe, to be added to.
pub(crate) fn open_device(path: &Path) -> Result<DiskFile, RecordError> {
    DiskFile::open(OpenOptions::new().append(true), path).map_err(RecordError::io(path, "write"))
}

/// An empty file that no other writer of recordings can have at the same time.
pub(crate) fn create_locked(path: &Path) -> Result<DiskFile, RecordError> {
    // Emptied only once it is ours.
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    let file = DiskFile::open(&options, path).map_err(RecordError::io(path, "create"))?;
    lock(file.as_file(), path)?;
    file.set_len(0).map_err(RecordError::io(path, "write"))?;
    Ok(file)
}

/// Locks a file until it is closed; refused while another process writes it. File systems without locks are taken as
/// they are.
///
/// A process that is just being started holds the locks of the one that starts it until it runs its own program, so a
/// lock that was given back may seem taken for a moment: it is asked for again a few times before the file counts as in
/// use.
pub(crate) fn lock(file: &File, path: &Path) -> Result<(), RecordError> {
    for wait in [1, 4, 15, 60, 120, 0] {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => std::thread::sleep(std::time::Duration::from_millis(wait)),
            Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
        }
    }
    Err(RecordError::InUse { path: path.to_path_buf() })
}

/// Opens a file for reading; devices, pipes and folders are refused without being opened.
pub(crate) fn open_file(path: &Path) -> Result<(File, u64), RecordError> {
    let found = fs::metadata(path).map_err(RecordError::io(path, "read"))?;
    if found.is_dir() {
        return Err(RecordError::path(path, "is a folder; name a file in it"));
    }
    if !found.is_file() {
        return Err(RecordError::path(path, "is a device or pipe; only files can be read"));
    }
    let file = File::open(path).map_err(RecordError::io(path, "read"))?;
    let length = file.metadata().map_err(RecordError::io(path, "read"))?.len();
    Ok((file, length))
}

/// Asks the system to write the folder's entries back. Not every file system can; then it does so by itself.
pub(crate) fn sync_folder(path: &Path) {
    if let Ok(folder) = File::open(folder_of(path)) {
        let _ = folder.sync_all();
    }
}

/// Writes a file whole or not at all: under another name beside it, synced, then renamed. A file that is there keeps
/// its bytes until then, and where the disk is full. Devices and pipes are written to as they are.
pub fn replace_file(path: &Path, bytes: &[u8]) -> Result<(), RecordError> {
    if place(path)? == PathKind::Device {
        return open_device(path)?.write_all(bytes).map_err(RecordError::io(path, "write"));
    }
    let mut draft = TemporaryFile::new(path)?;
    draft.file.write_all(bytes).map_err(RecordError::io(path, "write"))?;
    draft.publish()
}

/// A file under a temporary name in the folder of its target; removed when dropped before [`TemporaryFile::publish`].
#[derive(Debug)]
pub(crate) struct TemporaryFile {
    target: PathBuf,
    path: PathBuf,
    /// Where to write.
    pub file: DiskFile,
    published: bool,
}

impl TemporaryFile {
    /// A new file beside `target`.
    pub fn new(target: &Path) -> Result<TemporaryFile, RecordError> {
        let mut last = None;
        for attempt in 0..100 {
            let path = with_suffix(target, &format!(".{}-{attempt}.part", std::process::id()));
            match DiskFile::open(OpenOptions::new().read(true).write(true).create_new(true), &path) {
                Ok(file) => return Ok(TemporaryFile { target: target.to_path_buf(), path, file, published: false }),
                Err(e) if e.kind() == io::ErrorKind::AlreadyExists => last = Some(e),
                Err(e) => return Err(RecordError::io(target, "create")(e)),
            }
        }
        Err(RecordError::io(target, "create")(last.unwrap_or_else(|| io::ErrorKind::AlreadyExists.into())))
    }

    /// Waits until the disk has the bytes.
    pub fn sync(&self) -> Result<(), RecordError> {
        self.file.sync_all().map_err(RecordError::io(&self.target, "write"))
    }

    /// Puts the finished file in its place, in one step, and makes sure that it stays there.
    pub fn publish(mut self) -> Result<(), RecordError> {
        self.sync()?;
        disk::rename(&self.path, &self.target).map_err(RecordError::io(&self.target, "write"))?;
        self.published = true;
        sync_folder(&self.target);
        Ok(())
    }

    /// Does the target hold the same bytes already?
    pub fn equals_target(&mut self) -> Result<bool, RecordError> {
        let (target, length) = open_file(&self.target)?;
        let ours = self.file.seek(SeekFrom::End(0)).map_err(RecordError::io(&self.path, "read"))?;
        if length != ours {
            return Ok(false);
        }
        self.file.rewind().map_err(RecordError::io(&self.path, "read"))?;
        let (mut a, mut b) = (io::BufReader::new(&self.file).bytes(), io::BufReader::new(target).bytes());
        loop {
            match (a.next(), b.next()) {
                (None, None) => return Ok(true),
                (Some(Ok(x)), Some(Ok(y))) if x == y => {}
                (Some(Err(e)), _) | (_, Some(Err(e))) => return Err(RecordError::io(&self.target, "read")(e)),
                _ => return Ok(false),
            }
        }
    }
}

impl Drop for TemporaryFile {
    fn drop(&mut self) {
        if !self.published {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A file read at offsets, from any thread.
#[derive(Debug)]
pub(crate) struct Positioned {
    path: PathBuf,
    file: Mutex<File>,
}

impl Positioned {
    pub fn new(path: &Path, file: File) -> Positioned {
        Positioned { path: path.to_path_buf(), file: Mutex::new(file) }
    }

    /// Fills `buffer` from `offset` on.
    pub fn read(&self, offset: u64, buffer: &mut [u8]) -> Result<(), RecordError> {
        // A poisoned lock only means that another reader panicked; the position is set anew each time.
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let at = file.seek(SeekFrom::Start(offset)).and_then(|_| file.read_exact(buffer));
        at.map_err(RecordError::io(&self.path, "read"))
    }
}
