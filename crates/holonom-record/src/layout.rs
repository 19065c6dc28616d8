//! The bytes of a stream (`.hrec`), version 1. Everything is little endian; texts are UTF-8 with a u32 length in bytes
//! before them.
//!
//! ```text
//! header
//!    0   8   magic  89 48 52 45 43 0d 0a 1a  ("\x89HREC\r\n\x1a": line ends converted by a transfer show at once)
//!    8   4   u32    version, 1
//!   12   4   u32    n, length of the body, at most 256 MiB
//!   16   n   body   text metadata; u32 number of columns; for each column: text name, text unit, text note
//! 16+n   4   u32    CRC-32C of bytes 0 .. 16+n
//! ```
//! These first 16 bytes and the check stay as they are in all versions. Then chunks, one after the other to the end of
//! the file:
//!
//! ```text
//!    0   4   kind   "ROWS", "BLOB" or "DONE"
//!    4   4   u32    number of the chunk, 0, 1, 2 ... (modulo 2^32)
//!    8   8   u64    n, length of the payload
//!   16   4   u32    CRC-32C of bytes 0 .. 16
//!   20   n   payload
//! 20+n   4   u32    CRC-32C of the payload
//!
//! ROWS   u64 number of the first row; u32 rows r > 0; u32 columns c; c times r f64, column after column
//! BLOB   f64 time in s; text kind, at most 255 bytes; the rest are the bytes of the blob
//! DONE   u64 rows; u64 blobs; u32 digest; text reason, at most 65535 bytes. Nothing follows
//! ```
//! The digest is the CRC-32C of the u32 payload checks of all chunks before, in their order: a check over everything
//! that costs nothing.
//!
//! Decisions. A chunk's length has a check of its own, so a flipped bit in it is always caught, and not by chance.
//! Numbers count chunks and rows, so a chunk lost, doubled or moved is noticed. Numbers are not compressed: bits
//! survive, and a column can be read without the others; files that shall be small are converted. A reader stops at the
//! first chunk that is not whole and sound; rows before it are a prefix of what was recorded.

use crate::bytes::{Cursor, Malformed, put_text};
use crate::checksum::crc32c;
use crate::schema::{MAX_COLUMNS, RecordingColumn, Schema};

pub(crate) const MAGIC: [u8; 8] = *b"\x89HREC\r\n\x1a";
pub(crate) const VERSION: u32 = 1;
/// Bytes before the body of the header.
pub(crate) const HEADER_HEAD: usize = 16;
/// Most bytes in the body of the header.
pub(crate) const MAX_HEADER: u64 = 1 << 28;
/// Bytes of a chunk before its payload.
pub(crate) const CHUNK_HEAD: usize = 20;
/// Bytes of a chunk after its payload.
pub(crate) const CHUNK_TAIL: usize = 4;
/// Bytes of a ROWS payload before its numbers.
pub(crate) const ROWS_HEAD: usize = 16;
/// Most bytes of a blob's kind.
pub(crate) const MAX_KIND: usize = 255;
/// Most bytes of the reason in the last chunk.
pub(crate) const MAX_REASON: usize = 65535;

/// What a chunk holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ChunkKind {
    Rows,
    Blob,
    Done,
}

impl ChunkKind {
    fn tag(self) -> [u8; 4] {
        match self {
            ChunkKind::Rows => *b"ROWS",
            ChunkKind::Blob => *b"BLOB",
            ChunkKind::Done => *b"DONE",
        }
    }
}

/// The whole header.
pub(crate) fn header(schema: &Schema) -> Result<Vec<u8>, String> {
    let mut body = Vec::new();
    put_text(&mut body, schema.metadata());
    body.extend((schema.columns().len() as u32).to_le_bytes());
    for column in schema.columns() {
        put_text(&mut body, &column.name);
        put_text(&mut body, &column.unit);
        put_text(&mut body, &column.note);
    }
    if body.len() as u64 > MAX_HEADER {
        return Err(format!("names, units, notes and metadata make {} bytes, at most {MAX_HEADER}", body.len()));
    }
    let mut out = Vec::with_capacity(HEADER_HEAD + body.len() + 4);
    out.extend(MAGIC);
    out.extend(VERSION.to_le_bytes());
    out.extend((body.len() as u32).to_le_bytes());
    out.extend(body);
    out.extend(crc32c(&out).to_le_bytes());
    Ok(out)
}

/// The body of a header whose check is right. Not trusted all the same: a check is no signature.
pub(crate) fn header_body(body: &[u8]) -> Result<Schema, Malformed> {
    let mut cursor = Cursor::new(body);
    let metadata = cursor.text()?;
    let n = cursor.u32()? as usize;
    if n > MAX_COLUMNS {
        return Malformed::because(format!("{n} columns announced, at most {MAX_COLUMNS} are possible"));
    }
    // A column takes at least its three lengths.
    if n > cursor.left() / 12 {
        return Malformed::because(format!("{n} columns announced, {} bytes are left for them", cursor.left()));
    }
    let mut columns = Vec::with_capacity(n);
    for _ in 0..n {
        columns.push(RecordingColumn { name: cursor.text()?, unit: cursor.text()?, note: cursor.text()? });
    }
    if cursor.left() > 0 {
        return Malformed::because(format!("{} bytes after the last column", cursor.left()));
    }
    Schema::new(columns, metadata).map_err(|e| Malformed(e.to_string()))
}

/// Makes a chunk in `out`, whose payload is written by `fill`; returns the check of the payload.
pub(crate) fn chunk(out: &mut Vec<u8>, kind: ChunkKind, number: u32, fill: impl FnOnce(&mut Vec<u8>)) -> u32 {
    out.clear();
    out.extend(kind.tag());
    out.extend(number.to_le_bytes());
    out.extend([0; 12]);
    fill(out);
    let n = (out.len() - CHUNK_HEAD) as u64;
    out[8..16].copy_from_slice(&n.to_le_bytes());
    let head = crc32c(&out[..16]);
    out[16..20].copy_from_slice(&head.to_le_bytes());
    let check = crc32c(&out[CHUNK_HEAD..]);
    out.extend(check.to_le_bytes());
    check
}

/// The payload of rows given row after row.
pub(crate) fn put_rows(out: &mut Vec<u8>, first: u64, columns: usize, values: &[f64]) {
    let rows = values.len() / columns;
    out.reserve(ROWS_HEAD + 8 * values.len() + CHUNK_TAIL);
    out.extend(first.to_le_bytes());
    out.extend((rows as u32).to_le_bytes());
    out.extend((columns as u32).to_le_bytes());
    for column in 0..columns {
        for value in values[column..].iter().step_by(columns) {
            out.extend(value.to_le_bytes());
        }
    }
}

/// The payload of the last chunk. A reason that is too long is cut.
pub(crate) fn put_done(out: &mut Vec<u8>, rows: u64, blobs: u64, digest: u32, reason: &str) {
    out.extend(rows.to_le_bytes());
    out.extend(blobs.to_le_bytes());
    out.extend(digest.to_le_bytes());
    put_text(out, &reason[..reason.floor_char_boundary(MAX_REASON)]);
}

/// The first 20 bytes of a chunk: kind and length of its payload, if they are sound and it is chunk `number`.
pub(crate) fn chunk_head(head: &[u8; CHUNK_HEAD], number: u32) -> Result<(ChunkKind, u64), Malformed> {
    let mut cursor = Cursor::new(head);
    let tag = cursor.take(4)?;
    let (found, n, check) = (cursor.u32()?, cursor.u64()?, cursor.u32()?);
    if crc32c(&head[..16]) != check {
        return Malformed::because("no chunk begins here, or its first bytes are damaged");
    }
    let Some(kind) = [ChunkKind::Rows, ChunkKind::Blob, ChunkKind::Done].into_iter().find(|k| k.tag() == tag) else {
        return Malformed::because("a chunk of an unknown kind");
    };
    if found != number {
        return Malformed::because(format!("chunk number {found} where number {number} is due"));
    }
    Ok((kind, n))
}

/// The head of a ROWS payload of `length` bytes: how many rows. They must follow `rows` rows of `columns` columns.
pub(crate) fn rows_head(prefix: &[u8], length: u64, rows: u64, columns: usize) -> Result<u32, Malformed> {
    let mut cursor = Cursor::new(prefix);
    let (first, r, c) = (cursor.u64()?, cursor.u32()?, cursor.u32()?);
    if first != rows {
        return Malformed::because(format!("rows from number {first} where number {rows} is due"));
    }
    if c as usize != columns {
        return Malformed::because(format!("rows of {c} columns in a recording of {columns}"));
    }
    let wanted = u64::from(r).checked_mul(8 * u64::from(c)).and_then(|n| n.checked_add(ROWS_HEAD as u64));
    if r == 0 || wanted != Some(length) {
        return Malformed::because(format!("{r} rows of {c} columns in {length} bytes"));
    }
    Ok(r)
}
