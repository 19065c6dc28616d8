//! Reading a stream from its first byte to the last whole chunk. Every byte is checked once; memory does not grow with
//! the length of chunks.
//!
//! The header must be whole and sound, or there is nothing to read. Of the rest, everything up to the first chunk that
//! is cut off, damaged or out of place is taken; [`Ending`] says what came then.

use crate::bytes::{Cursor, Malformed};
use crate::checksum::{Crc, crc32c};
use crate::disk::DiskFile;
use crate::layout::{
    self, CHUNK_HEAD, CHUNK_TAIL, ChunkKind, HEADER_HEAD, MAX_HEADER, MAX_KIND, MAX_REASON, ROWS_HEAD,
};
use crate::{RecordError, Schema};
use std::fs::File;
use std::io::{self, BufReader, Read, Seek, Write};
use std::path::Path;

/// How a recording ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// As it should: closed by its writer, all rows there.
    Closed {
        /// Why the run ended, in the writer's words; empty where the format has no place for it.
        reason: String,
    },
    /// Without being closed, perhaps in the middle of a chunk: the writer was stopped, the disk was full, or it is
    /// still being written.
    Torn,
    /// At something that is not what was written.
    Damaged {
        /// Where, in bytes from the start of the file.
        offset: u64,
        /// What is wrong there.
        reason: String,
    },
}

/// Rows of one chunk: where their numbers lie.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RowsAt {
    /// Offset of the first number.
    pub offset: u64,
    pub rows: u32,
}

/// A blob: bytes put among the rows by the writer.
#[derive(Clone, Debug, PartialEq)]
pub struct BlobInfo {
    /// What it is, such as `snapshot`.
    pub kind: String,
    /// Its time, s.
    pub time: f64,
    /// Its size.
    pub bytes: u64,
    /// Where its bytes lie in the file.
    pub(crate) offset: u64,
}

/// What a stream holds.
#[derive(Debug)]
pub(crate) struct StreamScan {
    pub schema: Schema,
    pub chunks: Vec<RowsAt>,
    pub blobs: Vec<BlobInfo>,
    pub rows: u64,
    pub ending: Ending,
    /// Bytes up to the last whole chunk of rows or blobs: header and chunks, without the last chunk of a closed
    /// recording.
    pub sound: u64,
    /// Bytes of the file beyond what was understood.
    pub lost: u64,
    /// What the writer's last chunk would have to hold after `sound` bytes.
    pub number: u32,
    pub digest: u32,
}

/// A reader that counts and knows how much is left.
struct Source<'a> {
    path: &'a Path,
    reader: BufReader<&'a File>,
    at: u64,
    length: u64,
}

impl Source<'_> {
    fn left(&self) -> u64 {
        self.length - self.at
    }

    /// Fills the buffer. A file that has become shorter since it was measured is an error of the system.
    fn read(&mut self, buffer: &mut [u8]) -> Result<(), RecordError> {
        self.reader.read_exact(buffer).map_err(RecordError::io(self.path, "read"))?;
        self.at += buffer.len() as u64;
        Ok(())
    }

    fn u32(&mut self) -> Result<u32, RecordError> {
        let mut bytes = [0; 4];
        self.read(&mut bytes)?;
        Ok(u32::from_le_bytes(bytes))
    }
}

/// Reads it all. `length` bytes are looked at, not more: the file may be growing.
pub(crate) fn scan(path: &Path, file: &File, length: u64) -> Result<StreamScan, RecordError> {
    let mut source = Source { path, reader: BufReader::with_capacity(1 << 18, file), at: 0, length };
    let schema = read_header(&mut source)?;
    let mut scan = StreamScan {
        schema,
        chunks: Vec::new(),
        blobs: Vec::new(),
        rows: 0,
        ending: Ending::Torn,
        sound: source.at,
        lost: 0,
        number: 0,
        digest: Crc::castagnoli().value(),
    };
    let mut digest = Crc::castagnoli();
    let mut understood = source.at;
    loop {
        let start = source.at;
        let chunk = match read_chunk(&mut source, scan.number) {
            Ok(Some(chunk)) => chunk,
            Ok(None) => break,
            Err(ChunkError::System(e)) => return Err(e),
            Err(ChunkError::Bytes(Malformed(reason))) => {
                scan.ending = Ending::Damaged { offset: start, reason };
                break;
            }
        };
        match take(&mut scan, &chunk, digest.value(), source.left()) {
            Err(Malformed(reason)) => {
                scan.ending = Ending::Damaged { offset: start, reason };
                break;
            }
            Ok(Some(reason)) => {
                scan.ending = Ending::Closed { reason };
                understood = source.at;
                break;
            }
            Ok(None) => {
                digest.add(&chunk.check.to_le_bytes());
                scan.number = scan.number.wrapping_add(1);
                scan.sound = source.at;
                understood = source.at;
            }
        }
    }
    scan.digest = digest.value();
    scan.lost = length - understood;
    Ok(scan)
}

fn read_header(source: &mut Source<'_>) -> Result<Schema, RecordError> {
    let path = source.path;
    let wanted = "a recording";
    let mut head = [0; HEADER_HEAD];
    let n = source.left().min(HEADER_HEAD as u64) as usize;
    source.read(&mut head[..n])?;
    let magic = n.min(layout::MAGIC.len());
    if head[..magic] != layout::MAGIC[..magic] {
        return Err(RecordError::foreign(path, wanted, "it does not begin as one (.hrec)"));
    }
    let torn = |at: u64| RecordError::damaged(path, at, "the header is cut off; no row was ever written");
    if n < HEADER_HEAD {
        return Err(torn(source.at));
    }
    let mut cursor = Cursor::new(&head[layout::MAGIC.len()..]);
    let shape = |e: Malformed| RecordError::damaged(path, 0, e.0);
    let (version, body) = (cursor.u32().map_err(shape)?, u64::from(cursor.u32().map_err(shape)?));
    if body > MAX_HEADER {
        let reason = format!("a header of {body} bytes, at most {MAX_HEADER} are possible");
        return Err(RecordError::damaged(path, 12, reason));
    }
    if body + 4 > source.left() {
        return Err(torn(source.length));
    }
    let mut whole = head.to_vec();
    whole.resize(HEADER_HEAD + body as usize, 0);
    source.read(&mut whole[HEADER_HEAD..])?;
    // Checked before the version is believed: a flipped bit is not a newer program.
    if source.u32()? != crc32c(&whole) {
        return Err(RecordError::damaged(path, 0, "the check of the header is wrong"));
    }
    if version != layout::VERSION {
        return Err(RecordError::Version { path: path.to_path_buf(), found: version, known: layout::VERSION });
    }
    layout::header_body(&whole[HEADER_HEAD..]).map_err(|Malformed(reason)| RecordError::damaged(path, 16, reason))
}

/// A whole chunk whose checks are right.
struct Chunk {
    kind: ChunkKind,
    /// Where its payload begins.
    offset: u64,
    length: u64,
    /// The first bytes of the payload: all that is needed but the numbers and the blob.
    prefix: Vec<u8>,
    check: u32,
}

enum ChunkError {
    System(RecordError),
    Bytes(Malformed),
}

impl From<RecordError> for ChunkError {
    fn from(e: RecordError) -> ChunkError {
        ChunkError::System(e)
    }
}

impl From<Malformed> for ChunkError {
    fn from(e: Malformed) -> ChunkError {
        ChunkError::Bytes(e)
    }
}

/// The next chunk; nothing where the file ends before the chunk does.
fn read_chunk(source: &mut Source<'_>, number: u32) -> Result<Option<Chunk>, ChunkError> {
    if source.left() < (CHUNK_HEAD + CHUNK_TAIL) as u64 {
        return Ok(None);
    }
    let mut head = [0; CHUNK_HEAD];
    source.read(&mut head)?;
    let (kind, length) = layout::chunk_head(&head, number)?;
    if length > source.left() - CHUNK_TAIL as u64 {
        return Ok(None);
    }
    let offset = source.at;
    let mut crc = Crc::castagnoli();
    let wanted = match kind {
        ChunkKind::Rows => ROWS_HEAD,
        ChunkKind::Blob => 12 + MAX_KIND,
        ChunkKind::Done => 24 + MAX_REASON,
    };
    let mut prefix = vec![0; wanted.min(usize::try_from(length).unwrap_or(usize::MAX))];
    source.read(&mut prefix)?;
    crc.add(&prefix);
    let (mut left, mut buffer) = (length - prefix.len() as u64, [0; 1 << 14]);
    while left > 0 {
        let n = left.min(buffer.len() as u64) as usize;
        source.read(&mut buffer[..n])?;
        crc.add(&buffer[..n]);
        left -= n as u64;
    }
    if source.u32()? != crc.value() {
        return Err(Malformed("the check of this chunk is wrong".into()).into());
    }
    Ok(Some(Chunk { kind, offset, length, prefix, check: crc.value() }))
}

/// Adds a chunk to what is known; for the last chunk, the reason it gives.
fn take(scan: &mut StreamScan, chunk: &Chunk, digest: u32, left: u64) -> Result<Option<String>, Malformed> {
    let mut cursor = Cursor::new(&chunk.prefix);
    match chunk.kind {
        ChunkKind::Rows => {
            let rows = layout::rows_head(&chunk.prefix, chunk.length, scan.rows, scan.schema.columns().len())?;
            scan.chunks.push(RowsAt { offset: chunk.offset + ROWS_HEAD as u64, rows });
            scan.rows += u64::from(rows);
            Ok(None)
        }
        ChunkKind::Blob => {
            let (time, kind) = (cursor.f64()?, cursor.text()?);
            let used = cursor.position() as u64;
            scan.blobs.push(BlobInfo { kind, time, bytes: chunk.length - used, offset: chunk.offset + used });
            Ok(None)
        }
        ChunkKind::Done => {
            let (rows, blobs, sum, reason) = (cursor.u64()?, cursor.u64()?, cursor.u32()?, cursor.text()?);
            if (rows, blobs, sum) != (scan.rows, scan.blobs.len() as u64, digest) {
                return Malformed::because(format!(
                    "closed after {rows} rows and {blobs} blobs; {} and {} are there, or not the same",
                    scan.rows,
                    scan.blobs.len()
                ));
            }
            if cursor.position() as u64 != chunk.length || left > 0 {
                return Malformed::because("something follows where the recording was closed");
            }
            Ok(Some(reason))
        }
    }
}

/// Opens and scans.
pub(crate) fn open(path: &Path) -> Result<(File, StreamScan), RecordError> {
    let (file, length) = crate::files::open_file(path)?;
    let found = scan(path, &file, length)?;
    Ok((file, found))
}

/// What is needed to copy the sound part of a stream and close it.
#[derive(Clone, Debug)]
pub(crate) struct IntactPart {
    bytes: u64,
    number: u32,
    rows: u64,
    blobs: u64,
    digest: u32,
}

impl StreamScan {
    /// The part up to the last whole chunk of rows or blobs.
    pub fn sound_part(&self) -> IntactPart {
        let (rows, blobs) = (self.rows, self.blobs.len() as u64);
        IntactPart { bytes: self.sound, number: self.number, rows, blobs, digest: self.digest }
    }
}

impl IntactPart {
    /// Copies it from `file`, called `path`, and closes the copy, called `target`, with a reason.
    pub fn copy_closed(
        &self,
        path: &Path,
        mut file: &File,
        target: &Path,
        reason: &str,
        out: &mut DiskFile,
    ) -> Result<(), RecordError> {
        file.rewind().map_err(RecordError::io(path, "read"))?;
        let copied = io::copy(&mut file.take(self.bytes), out).map_err(RecordError::io(target, "write"))?;
        if copied != self.bytes {
            return Err(RecordError::damaged(path, copied, "the file became shorter while it was copied"));
        }
        let mut done = Vec::new();
        layout::chunk(&mut done, ChunkKind::Done, self.number, |bytes| {
            layout::put_done(bytes, self.rows, self.blobs, self.digest, reason)
        });
        out.write_all(&done).map_err(RecordError::io(target, "write"))
    }
}
