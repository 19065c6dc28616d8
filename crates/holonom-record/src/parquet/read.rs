//! Reading a Parquet file that [`write`](super::write) wrote. Everything in the footer is checked against the file
//! before it is used.

use super::*;
use crate::bytes::Malformed;
use crate::checksum::crc32;
use crate::files::Positioned;
use crate::schema::{MAX_COLUMNS, RecordingColumn};
use crate::{RecordError, Schema};
use std::collections::BTreeMap;
use std::fs::File;
use std::path::Path;
use thrift::{BINARY, I32, I64, LIST, STRUCT, ThriftDecoder};

/// A page header of ours is shorter than this.
const PAGE_HEADER: u64 = 64;

/// What the footer says.
#[derive(Debug)]
pub(crate) struct ParquetFile {
    pub schema: Schema,
    pub rows: u64,
    /// Why the recording ended.
    pub ending: String,
    pub groups: Vec<RowGroup>,
}

/// A row group: where the pages of its columns are.
#[derive(Debug)]
pub(crate) struct RowGroup {
    pub rows: u64,
    pub pages: Vec<DataPage>,
}

/// A page: header and values.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataPage {
    pub offset: u64,
    pub bytes: u64,
}

/// Opens a file; `budget` bounds the bytes of its footer.
pub(crate) fn open(path: &Path, budget: u64) -> Result<(ParquetFile, Positioned), RecordError> {
    let (file, length) = crate::files::open_file(path)?;
    let (found, file) = footer_of(path, file, length, budget)?;
    let start = length - 8 - found.len() as u64;
    let footer = footer(&found, start).map_err(|e| match e {
        Refused::Foreign(reason) => RecordError::foreign(path, "a recording", reason),
        Refused::Bytes(Malformed(reason)) => RecordError::damaged(path, start, reason),
    })?;
    Ok((footer, file))
}

pub(super) fn footer_of(
    path: &Path,
    file: File,
    length: u64,
    budget: u64,
) -> Result<(Vec<u8>, Positioned), RecordError> {
    let file = Positioned::new(path, file);
    let (mut front, mut back) = ([0; 4], [0; 8]);
    if length >= 12 {
        file.read(0, &mut front)?;
        file.read(length - 8, &mut back)?;
    }
    if front != MAGIC || back[4..] != MAGIC {
        let reason = "it does not begin and end as a Parquet file does; it may have been cut";
        return Err(RecordError::foreign(path, "a recording", reason));
    }
    let n = u64::from(u32::from_le_bytes([back[0], back[1], back[2], back[3]]));
    if n > length - 12 {
        return Err(RecordError::damaged(path, length - 8, format!("a footer of {n} bytes in a file of {length}")));
    }
    if n > budget {
        let what = "the footer".into();
        return Err(RecordError::TooLarge { path: path.to_path_buf(), what, needed: n, allowed: budget });
    }
    let mut footer = vec![0; n as usize];
    file.read(length - 8 - n, &mut footer)?;
    Ok((footer, file))
}

enum Refused {
    Foreign(String),
    Bytes(Malformed),
}

impl From<Malformed> for Refused {
    fn from(e: Malformed) -> Refused {
        Refused::Bytes(e)
    }
}

/// Structure `FileMetaData`; pages end at `end`.
fn footer(bytes: &[u8], end: u64) -> Result<ParquetFile, Refused> {
    // Who wrote it comes last, and decides whether the rest can be understood.
    let mut maker = String::new();
    ThriftDecoder::new(bytes).structure(|d, field| match field {
        (6, BINARY) => {
            maker = d.text()?;
            Ok(true)
        }
        _ => Ok(false),
    })?;
    if !maker.starts_with(CREATED_BY) {
        let maker: String = maker.chars().take(60).collect();
        return Err(Refused::Foreign(format!(
            "it was written by `{maker}`; only files written by {CREATED_BY} are read here, use pandas, polars or duckdb for others"
        )));
    }

    let (mut names, mut rows, mut groups, mut pairs) = (Vec::new(), 0, Vec::new(), BTreeMap::new());
    ThriftDecoder::new(bytes).structure(|d, field| {
        match field {
            (2, LIST) => names = schema_names(d)?,
            (3, I64) => rows = unsigned(d.int()?)?,
            (4, LIST) => {
                for _ in 0..d.list(STRUCT)? {
                    groups.push(row_group(d, &names, end)?);
                }
            }
            (5, LIST) => {
                for _ in 0..d.list(STRUCT)? {
                    let (key, value) = key_value(d)?;
                    pairs.insert(key, value);
                }
            }
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let total = groups.iter().try_fold(0u64, |sum, group| sum.checked_add(group.rows));
    if total != Some(rows) {
        return Err(Malformed(format!("{rows} rows announced, {total:?} in the row groups")).into());
    }
    // The writer leaves no gaps: a place that was changed cannot pass for that of another column.
    let mut due = MAGIC.len() as u64;
    for page in groups.iter().flat_map(|group| &group.pages) {
        if page.offset != due {
            return Err(Malformed(format!("a page at byte {} where one at byte {due} is due", page.offset)).into());
        }
        due += page.bytes;
    }
    let mut take = |key: &str| pairs.remove(key).unwrap_or_default();
    let (metadata, ending) = (take(KEY_METADATA), take(KEY_ENDING));
    let columns = names.into_iter().map(|name| {
        let (unit, note) = (take(&format!("{KEY_UNIT}{name}")), take(&format!("{KEY_NOTE}{name}")));
        RecordingColumn { name, unit, note }
    });
    let schema = Schema::new(columns.collect(), metadata).map_err(|e| Malformed(e.to_string()))?;
    Ok(ParquetFile { schema, rows, ending, groups })
}

/// A list of `SchemaElement`: the root and its columns.
fn schema_names(d: &mut ThriftDecoder<'_>) -> Result<Vec<String>, Malformed> {
    let n = d.list(STRUCT)?;
    if n > MAX_COLUMNS + 1 {
        return Malformed::because(format!("{n} columns announced, at most {MAX_COLUMNS} are possible"));
    }
    let mut names = Vec::new();
    for i in 0..n {
        let (mut name, mut kind, mut repetition) = (None, None, None);
        d.structure(|d, field| {
            match field {
                (1, I32) => kind = Some(d.int()?),
                (3, I32) => repetition = Some(d.int()?),
                (4, BINARY) => name = Some(d.text()?),
                _ => return Ok(false),
            }
            Ok(true)
        })?;
        let Some(name) = name else {
            return Malformed::because(format!("column {i} has no name"));
        };
        if i > 0 && (kind, repetition) != (Some(TYPE_DOUBLE), Some(REPETITION_REQUIRED)) {
            return Malformed::because(format!("column `{name}` is not a column of required doubles"));
        }
        names.push(name);
    }
    Ok(names.split_off(1.min(n)))
}

/// Structure `RowGroup`.
fn row_group(d: &mut ThriftDecoder<'_>, names: &[String], end: u64) -> Result<RowGroup, Malformed> {
    let (mut pages, mut rows) = (Vec::new(), None);
    d.structure(|d, field| {
        match field {
            (1, LIST) => {
                for i in 0..d.list(STRUCT)? {
                    pages.push(column_chunk(d, names.get(i), end)?);
                }
            }
            (3, I64) => rows = Some(unsigned(d.int()?)?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let Some(rows) = rows.filter(|rows| *rows <= end / 8) else {
        return Malformed::because("a row group with more rows than the file has bytes, or without their number");
    };
    if pages.len() != names.len() {
        return Malformed::because(format!("a row group of {} columns in a file of {}", pages.len(), names.len()));
    }
    if let Some((_, page)) = pages.iter().find(|(values, page)| *values != rows || page.bytes < 8 * rows) {
        return Malformed::because(format!("a page of {} bytes for {rows} rows", page.bytes));
    }
    Ok(RowGroup { rows, pages: pages.into_iter().map(|(_, page)| page).collect() })
}

/// Structure `ColumnChunk`: number of values, and the page.
fn column_chunk(d: &mut ThriftDecoder<'_>, name: Option<&String>, end: u64) -> Result<(u64, DataPage), Malformed> {
    let mut meta = None;
    d.structure(|d, field| match field {
        (3, STRUCT) => {
            meta = Some(column_metadata(d, name)?);
            Ok(true)
        }
        _ => Ok(false),
    })?;
    match meta {
        Some((values, page)) if page.offset.checked_add(page.bytes).is_some_and(|last| last <= end) => {
            Ok((values, page))
        }
        _ => Malformed::because("a column without a page inside the file"),
    }
}

/// Structure `ColumnMetaData`.
fn column_metadata(d: &mut ThriftDecoder<'_>, name: Option<&String>) -> Result<(u64, DataPage), Malformed> {
    let (mut codec, mut values, mut bytes, mut offset) = (None, None, None, None);
    d.structure(|d, field| {
        match field {
            (3, LIST) => {
                if d.list(BINARY)? != 1 || Some(&d.text()?) != name {
                    return Malformed::because("a row group whose columns have other names than those of the file");
                }
            }
            (4, I32) => codec = Some(d.int()?),
            (5, I64) => values = Some(unsigned(d.int()?)?),
            (7, I64) => bytes = Some(unsigned(d.int()?)?),
            (9, I64) => offset = Some(unsigned(d.int()?)?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    match (codec, values, bytes, offset) {
        (Some(CODEC_NONE), Some(values), Some(bytes), Some(offset)) => Ok((values, DataPage { offset, bytes })),
        _ => Malformed::because("a column whose place is not given, or which is compressed"),
    }
}

/// Structure `KeyValue`.
fn key_value(d: &mut ThriftDecoder<'_>) -> Result<(String, String), Malformed> {
    let (mut key, mut value) = (None, String::new());
    d.structure(|d, field| {
        match field {
            (1, BINARY) => key = Some(d.text()?),
            (2, BINARY) => value = d.text()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    match key {
        Some(key) => Ok((key, value)),
        None => Malformed::because("metadata without a key"),
    }
}

fn unsigned(value: i64) -> Result<u64, Malformed> {
    u64::try_from(value).map_err(|_| Malformed(format!("{value} where a count or an offset is due")))
}

/// The values of a page, added to `out`. Its size was held against the file when it was opened; the budget is the
/// caller's business.
pub(crate) fn page(
    path: &Path,
    file: &Positioned,
    page: DataPage,
    rows: u64,
    out: &mut Vec<f64>,
) -> Result<(), RecordError> {
    let damaged = |reason: String| RecordError::damaged(path, page.offset, reason);
    let payload = 8 * rows;
    let header = page.bytes - payload;
    if header > PAGE_HEADER {
        return Err(damaged(format!("a page header of {header} bytes")));
    }
    let mut bytes = vec![0; page.bytes as usize];
    file.read(page.offset, &mut bytes)?;
    let (head, values) = bytes.split_at(header as usize);
    let (expected, used) = page_header(head, rows).map_err(|Malformed(reason)| damaged(reason))?;
    if used != head.len() || expected != i64::from(crc32(values).cast_signed()) {
        return Err(damaged("the check of a page is wrong".into()));
    }
    out.extend(values.as_chunks::<8>().0.iter().map(|bits| f64::from_le_bytes(*bits)));
    Ok(())
}

/// Structure `PageHeader`: the check of the page, and how many bytes the header has.
fn page_header(bytes: &[u8], rows: u64) -> Result<(i64, usize), Malformed> {
    let mut decoder = ThriftDecoder::new(bytes);
    let (mut kind, mut size, mut check, mut values, mut encoding) = (None, None, None, None, None);
    decoder.structure(|d, field| {
        match field {
            (1, I32) => kind = Some(d.int()?),
            (3, I32) => size = Some(unsigned(d.int()?)?),
            (4, I32) => check = Some(d.int()?),
            (5, STRUCT) => d.structure(|d, field| {
                match field {
                    (1, I32) => values = Some(unsigned(d.int()?)?),
                    (2, I32) => encoding = Some(d.int()?),
                    _ => return Ok(false),
                }
                Ok(true)
            })?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let expected = (Some(PAGE_DATA), Some(8 * rows), Some(rows), Some(ENCODING_PLAIN));
    match check {
        Some(check) if (kind, size, values, encoding) == expected => Ok((check, decoder.cursor.position())),
        _ => Malformed::because("a page that is not a plain page of the announced size"),
    }
}
