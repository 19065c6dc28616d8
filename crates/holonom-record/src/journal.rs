//! Rows of a table as they come, one at a time, so that none is lost when the process ends at any moment.
//!
//! ```text
//! "HLNMJRN1"
//! frame*:  u32 length of the payload; u32 CRC-32C of the payload; payload
//! ```
//! The first payload says the columns (u32 how many; name, unit, u8 1 for texts, 0 for numbers) and the metadata; every
//! further one is a row, its cells in order: 8 bytes of a number, or a text after its 32-bit length. All little endian.
//!
//! A row is one write to the system: what it has taken survives `kill -9`. It survives a power cut once the system has
//! written it back, which is asked for once a second. A frame that is not whole or does not agree with its check ends
//! the journal: a writer that goes on cuts it off there, and whoever made those rows makes them again.

use crate::bytes::{Cursor, Malformed, put_text};
use crate::checksum::crc32c;
use crate::disk::DiskFile;
use crate::files::{self, PathKind};
use crate::schema::{MAX_COLUMNS, MAX_METADATA, MAX_TEXT};
use crate::table::{Cell, DataTable, TableColumn, row_bytes, row_of};
use crate::{RecordError, RecordErrorClass};
use std::fs::OpenOptions;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const MAGIC: [u8; 8] = *b"HLNMJRN1";
/// How often the disk is waited for.
const EVERY: Duration = Duration::from_secs(1);

/// A journal that is being written.
#[derive(Debug)]
pub struct TableJournal {
    path: PathBuf,
    file: DiskFile,
    frame: Vec<u8>,
    synced: Instant,
    /// Takes nothing more: a write failed.
    stopped: bool,
}

/// What is in a journal.
pub(crate) struct JournalScan {
    /// All rows, in the order in which they came.
    pub table: DataTable,
    /// Where the last whole frame ends.
    end: u64,
    /// Bytes after it.
    pub lost: u64,
}

impl TableJournal {
    /// A new journal with the columns and the metadata of this table; one that is there is replaced, unless another
    /// process is writing it.
    pub fn create(path: &Path, like: &DataTable) -> Result<TableJournal, RecordError> {
        let header = header(like)?;
        if files::place(path)? == PathKind::Device {
            return Err(RecordError::path(path, "is a device or pipe; a journal is a file"));
        }
        let file = files::create_locked(path)?;
        let frame = Vec::new();
        let mut journal =
            TableJournal { path: path.to_path_buf(), file, frame, synced: Instant::now(), stopped: false };
        journal.write(&header, true)?;
        journal.sync()?;
        files::sync_folder(path);
        Ok(journal)
    }

    /// Go on with one that is there: what is in it, and how many bytes at its end had to be cut off. None if there is
    /// no such file, or only the beginning of one.
    pub fn go_on(path: &Path, budget: u64) -> Result<Option<(TableJournal, DataTable, u64)>, RecordError> {
        if !path.exists() {
            return Ok(None);
        }
        let mut options = OpenOptions::new();
        options.read(true).write(true);
        let mut file = DiskFile::open(&options, path).map_err(RecordError::io(path, "open"))?;
        files::lock(file.as_file(), path)?;
        // the end of a process that was just making it
        if file.metadata().is_ok_and(|m| m.is_file() && m.len() < MAGIC.len() as u64) {
            return Ok(None);
        }
        let Some(found) = scan(path, budget)? else { return Ok(None) };
        if found.lost > 0 {
            file.set_len(found.end).map_err(RecordError::io(path, "write"))?;
        }
        file.seek(SeekFrom::Start(found.end)).map_err(RecordError::io(path, "write"))?;
        let (frame, synced) = (Vec::new(), Instant::now());
        let journal = TableJournal { path: path.to_path_buf(), file, frame, synced, stopped: false };
        Ok(Some((journal, found.table, found.lost)))
    }

    /// One more row: with the system when this returns.
    pub fn append(&mut self, row: &[Cell]) -> Result<(), RecordError> {
        if self.stopped {
            return Err(RecordError::Stopped { path: self.path.clone() });
        }
        let bytes = row_bytes(row);
        self.stopped = true;
        self.write(&bytes, false)?;
        if self.synced.elapsed() >= EVERY {
            self.sync()?;
        }
        self.stopped = false;
        Ok(())
    }

    /// Wait until the disk has all of it.
    pub fn sync(&mut self) -> Result<(), RecordError> {
        self.file.sync_all().map_err(RecordError::io(&self.path, "write"))?;
        self.synced = Instant::now();
        Ok(())
    }

    fn write(&mut self, payload: &[u8], first: bool) -> Result<(), RecordError> {
        let length = u32::try_from(payload.len())
            .map_err(|_| RecordError::path(&self.path, "cannot take a row of more than 4 GiB"))?;
        self.frame.clear();
        if first {
            self.frame.extend(MAGIC);
        }
        self.frame.extend(length.to_le_bytes());
        self.frame.extend(crc32c(payload).to_le_bytes());
        self.frame.extend(payload);
        self.file.write_all(&self.frame).map_err(RecordError::io(&self.path, "write"))
    }
}

fn header(like: &DataTable) -> Result<Vec<u8>, RecordError> {
    let too_long = like.columns.iter().find(|c| c.name.len() > MAX_TEXT || c.unit.len() > MAX_TEXT);
    if too_long.is_some() || like.columns.len() > MAX_COLUMNS || like.metadata.len() > MAX_METADATA {
        return Err(RecordError::Schema { reason: "too many of them, or a name that is too long".into() });
    }
    let mut out = (like.columns.len() as u32).to_le_bytes().to_vec();
    for column in &like.columns {
        put_text(&mut out, &column.name);
        put_text(&mut out, &column.unit);
        out.push(u8::from(column.is_text()));
    }
    put_text(&mut out, &like.metadata);
    Ok(out)
}

fn read_header(payload: &[u8]) -> Result<DataTable, Malformed> {
    let mut cursor = Cursor::new(payload);
    let n = cursor.u32()? as usize;
    if n > MAX_COLUMNS {
        return Malformed::because(format!("{n} columns, at most {MAX_COLUMNS}"));
    }
    let mut columns = Vec::new();
    for _ in 0..n {
        let (name, unit) = (cursor.text()?, cursor.text()?);
        columns.push(match cursor.u8()? {
            0 => TableColumn::numbers(name, unit),
            _ => TableColumn::texts(name),
        });
    }
    Ok(DataTable { columns, metadata: cursor.text()? })
}

/// All of a journal, also of one that is being written.
pub(crate) fn read(path: &Path, budget: u64) -> Result<JournalScan, RecordError> {
    scan(path, budget)?.ok_or_else(|| RecordError::foreign(path, "a journal of rows", "nothing whole is in it"))
}

/// None where not even the columns are whole.
fn scan(path: &Path, budget: u64) -> Result<Option<JournalScan>, RecordError> {
    let (mut file, length) = files::open_file(path)?;
    if length > budget {
        let what = "the journal".to_string();
        return Err(RecordError::TooLarge { path: path.to_path_buf(), what, needed: length, allowed: budget });
    }
    let mut bytes = Vec::with_capacity(length as usize);
    file.read_to_end(&mut bytes).map_err(RecordError::io(path, "read"))?;
    if !bytes.starts_with(&MAGIC) {
        return Err(RecordError::foreign(path, "a journal of rows", "it does not begin as one does"));
    }
    let mut cursor = Cursor::new(&bytes[MAGIC.len()..]);
    let Some(first) = frame(&mut cursor) else { return Ok(None) };
    let damaged = |at: usize, Malformed(reason)| RecordError::damaged(path, (MAGIC.len() + at) as u64, reason);
    let mut table = read_header(first).map_err(|e| damaged(8, e))?;
    let mut end = cursor.position();
    while let Some(payload) = frame(&mut cursor) {
        let row = row_of(payload, &table.columns).map_err(|e| damaged(end, e))?;
        table.push(&row);
        end = cursor.position();
    }
    let end = (MAGIC.len() + end) as u64;
    Ok(Some(JournalScan { table, end, lost: bytes.len() as u64 - end }))
}

/// The payload of the next frame, if it is whole and right.
fn frame<'a>(cursor: &mut Cursor<'a>) -> Option<&'a [u8]> {
    let (length, check) = (cursor.u32().ok()?, cursor.u32().ok()?);
    let payload = cursor.take(length as usize).ok()?;
    (crc32c(payload) == check).then_some(payload)
}

impl RecordError {
    /// Is it for want of something that is there and can be read?
    pub fn is_input(&self) -> bool {
        self.class() == RecordErrorClass::Input
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cut_anywhere_whole_rows_stay_and_it_goes_on() {
        let folder = std::env::temp_dir().join(format!("holonom-journal-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("rows.sweep");
        let like = DataTable {
            columns: vec![TableColumn::numbers("run", ""), TableColumn::texts("error")],
            metadata: "{}".into(),
        };
        let row = |k: usize| [Cell::Number(k as f64), Cell::Text("x".repeat(k))];
        let mut journal = TableJournal::create(&path, &like).expect("made");
        let mut lengths = vec![std::fs::metadata(&path).expect("there").len() as usize];
        for k in 0..5 {
            journal.append(&row(k)).expect("taken");
            lengths.push(std::fs::metadata(&path).expect("there").len() as usize);
        }
        // another writer is kept out
        assert!(matches!(TableJournal::go_on(&path, 1 << 20), Err(RecordError::InUse { .. })));
        drop(journal);
        let whole = std::fs::read(&path).expect("there");
        for n in 0..=whole.len() {
            std::fs::write(&path, &whole[..n]).expect("written");
            let rows = lengths.iter().filter(|l| **l <= n).count();
            match TableJournal::go_on(&path, 1 << 20).expect("ours") {
                None => assert_eq!(rows, 0, "cut at {n}"),
                Some((mut journal, table, lost)) => {
                    assert_eq!((table.rows(), lost as usize), (rows - 1, n - lengths[rows - 1]), "cut at {n}");
                    (rows - 1..5).for_each(|k| journal.append(&row(k)).expect("taken"));
                    drop(journal);
                    assert_eq!(std::fs::read(&path).expect("there"), whole, "cut at {n}");
                }
            }
        }
        // one wrong byte in a row: that row and what follows is done again
        for at in lengths[2]..lengths[3] {
            let mut wrong = whole.clone();
            wrong[at] ^= 0x40;
            std::fs::write(&path, &wrong).expect("written");
            assert_eq!(read(&path, 1 << 20).expect("ours").table.rows(), 2, "byte {at}");
        }
        std::fs::write(&path, b"something else entirely").expect("written");
        assert!(matches!(TableJournal::go_on(&path, 1 << 20), Err(RecordError::Foreign { .. })));
        std::fs::remove_dir_all(&folder).expect("removed");
    }
}
