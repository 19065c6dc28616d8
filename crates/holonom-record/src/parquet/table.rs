//! Tables of numbers and texts as Parquet; see [`DataTable`]. The reader reads what the writer writes.

use super::read::footer_of;
use super::thrift::{BINARY, I32, I64, LIST, STRUCT, ThriftDecoder, ThriftEncoder};
use super::write::{key_value, page_header};
use super::*;
use crate::RecordError;
use crate::bytes::{Cursor, Malformed};
use crate::checksum::crc32;
use crate::files::open_file;
use crate::schema::MAX_COLUMNS;
use crate::table::{Cells, DataTable, TableColumn};
use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

/// Name of the root of the schema: tables are no recordings.
const ROOT: &str = "table";
/// Rows in a row group.
const ROWS: usize = 1 << 16;

/// A row group that was written.
struct WrittenGroup {
    rows: usize,
    offsets: Vec<u64>,
}

/// Write all of it.
pub(crate) fn write(out: &mut impl Write, table: &DataTable) -> io::Result<()> {
    out.write_all(&MAGIC)?;
    let mut at = MAGIC.len() as u64;
    let mut groups = Vec::new();
    for first in (0..table.rows()).step_by(ROWS) {
        let rows = first..(first + ROWS).min(table.rows());
        let mut offsets = vec![at];
        for column in &table.columns {
            let page = page(&column.cells, rows.clone())?;
            let header = page_header(rows.len(), &page);
            out.write_all(&header)?;
            out.write_all(&page)?;
            at += (header.len() + page.len()) as u64;
            offsets.push(at);
        }
        groups.push(WrittenGroup { rows: rows.len(), offsets });
    }
    let footer = footer(table, &groups);
    let length = u32::try_from(footer.len()).map_err(|_| io::Error::other("a footer of more than 4 GiB"))?;
    out.write_all(&footer)?;
    out.write_all(&length.to_le_bytes())?;
    out.write_all(&MAGIC)
}

/// The values of a page.
fn page(cells: &Cells, rows: Range<usize>) -> io::Result<Vec<u8>> {
    let mut page = Vec::new();
    match cells {
        Cells::Numbers(all) => page.extend(all[rows].iter().flat_map(|x| x.to_le_bytes())),
        Cells::Texts(all) => {
            for text in &all[rows] {
                page.extend((text.len() as u32).to_le_bytes());
                page.extend(text.as_bytes());
            }
        }
    }
    // lengths of pages are 32-bit numbers with a sign
    if page.len() > i32::MAX as usize { Err(io::Error::other("a column of more than 2 GiB")) } else { Ok(page) }
}

fn type_of(column: &TableColumn) -> i64 {
    if column.is_text() { TYPE_BYTE_ARRAY } else { TYPE_DOUBLE }
}

/// Structure `FileMetaData`.
fn footer(table: &DataTable, groups: &[WrittenGroup]) -> Vec<u8> {
    let mut encoder = ThriftEncoder::default();
    encoder.structure(|file| {
        file.int32(1, 1);
        file.list(2, STRUCT, table.columns.len() + 1);
        file.structure(|root| {
            root.text(4, ROOT);
            root.int32(5, table.columns.len() as i64);
        });
        for column in &table.columns {
            file.structure(|leaf| {
                leaf.int32(1, type_of(column));
                leaf.int32(3, REPETITION_REQUIRED);
                leaf.text(4, &column.name);
                if column.is_text() {
                    leaf.int32(6, CONVERTED_UTF8);
                }
            });
        }
        file.int64(3, table.rows() as i64);
        file.list(4, STRUCT, groups.len());
        for group in groups {
            file.structure(|out| row_group(out, table, group));
        }
        let units = table.columns.iter().filter(|c| !c.unit.is_empty());
        let pairs = [(KEY_METADATA.to_string(), table.metadata.as_str())].into_iter();
        let pairs: Vec<_> = pairs.chain(units.map(|c| (format!("{KEY_UNIT}{}", c.name), c.unit.as_str()))).collect();
        file.list(5, STRUCT, pairs.len());
        pairs.iter().for_each(|(key, value)| key_value(file, key, value));
        file.text(6, &format!("{CREATED_BY} version {}", env!("CARGO_PKG_VERSION")));
    });
    encoder.bytes
}

/// Structure `RowGroup`.
fn row_group(out: &mut ThriftEncoder, table: &DataTable, group: &WrittenGroup) {
    out.list(1, STRUCT, table.columns.len());
    for (column, place) in table.columns.iter().zip(group.offsets.windows(2)) {
        let (start, end) = (place[0] as i64, place[1] as i64);
        out.structure(|chunk| {
            chunk.int64(2, start);
            chunk.nested(3, |meta| {
                meta.int32(1, type_of(column));
                meta.list(2, I32, 2);
                meta.element_int(ENCODING_PLAIN);
                meta.element_int(ENCODING_RLE);
                meta.list(3, BINARY, 1);
                meta.element_text(&column.name);
                meta.int32(4, CODEC_NONE);
                meta.int64(5, group.rows as i64);
                meta.int64(6, end - start);
                meta.int64(7, end - start);
                meta.int64(9, start);
            });
        });
    }
    let (first, last) = (group.offsets[0], group.offsets[table.columns.len()]);
    out.int64(2, (last - first) as i64);
    out.int64(3, group.rows as i64);
}

/// What a footer says of a table.
#[derive(Default)]
struct TableFooter {
    columns: Vec<TableColumn>,
    /// Rows and pages of each group.
    groups: Vec<(usize, Vec<Range<usize>>)>,
    pairs: BTreeMap<String, String>,
    root: String,
    maker: String,
}

/// Read a table that [`write`] wrote.
pub(crate) fn read(path: &Path, budget: u64) -> Result<DataTable, RecordError> {
    let (file, length) = open_file(path)?;
    if length > budget {
        let what = "the table".to_string();
        return Err(RecordError::TooLarge { path: path.to_path_buf(), what, needed: length, allowed: budget });
    }
    let (found, file) = footer_of(path, file, length, budget)?;
    let start = length - 8 - found.len() as u64;
    let damaged = |Malformed(reason)| RecordError::damaged(path, start, reason);
    let footer = read_footer(&found, start as usize).map_err(damaged)?;
    if !footer.maker.starts_with(CREATED_BY) || footer.root != ROOT {
        let reason = "it is no table of `holonom sweep`; use pandas, polars or duckdb for others";
        return Err(RecordError::foreign(path, "a table", reason));
    }
    let mut bytes = vec![0; start as usize];
    file.read(0, &mut bytes)?;
    let mut table =
        DataTable { columns: footer.columns, metadata: footer.pairs.get(KEY_METADATA).cloned().unwrap_or_default() };
    for column in &mut table.columns {
        column.unit = footer.pairs.get(&format!("{KEY_UNIT}{}", column.name)).cloned().unwrap_or_default();
    }
    for (rows, pages) in &footer.groups {
        for (column, page) in table.columns.iter_mut().zip(pages) {
            read_page(&bytes[page.clone()], *rows, column).map_err(damaged)?;
        }
    }
    Ok(table)
}

fn read_footer(bytes: &[u8], end: usize) -> Result<TableFooter, Malformed> {
    let mut footer = TableFooter::default();
    ThriftDecoder::new(bytes).structure(|d, field| {
        match field {
            (2, LIST) => {
                for i in 0..d.list(STRUCT)? {
                    let (name, text) = element(d)?;
                    match (i, text) {
                        (0, _) => footer.root = name,
                        (_, true) => footer.columns.push(TableColumn::texts(name)),
                        (_, false) => footer.columns.push(TableColumn::numbers(name, "")),
                    }
                }
            }
            (4, LIST) => {
                for _ in 0..d.list(STRUCT)? {
                    footer.groups.push(group(d, footer.columns.len(), end)?);
                }
            }
            (5, LIST) => {
                for _ in 0..d.list(STRUCT)? {
                    let (mut key, mut value) = (String::new(), String::new());
                    d.structure(|d, field| {
                        match field {
                            (1, BINARY) => key = d.text()?,
                            (2, BINARY) => value = d.text()?,
                            _ => return Ok(false),
                        }
                        Ok(true)
                    })?;
                    footer.pairs.insert(key, value);
                }
            }
            (6, BINARY) => footer.maker = d.text()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if footer.columns.len() > MAX_COLUMNS {
        return Malformed::because(format!("{} columns, at most {MAX_COLUMNS}", footer.columns.len()));
    }
    Ok(footer)
}

/// Structure `SchemaElement`: the name, and whether it is a column of texts.
fn element(d: &mut ThriftDecoder<'_>) -> Result<(String, bool), Malformed> {
    let (mut name, mut kind) = (String::new(), TYPE_DOUBLE);
    d.structure(|d, field| {
        match field {
            (1, I32) => kind = d.int()?,
            (4, BINARY) => name = d.text()?,
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    match kind {
        TYPE_DOUBLE | TYPE_BYTE_ARRAY => Ok((name, kind == TYPE_BYTE_ARRAY)),
        _ => Malformed::because(format!("column `{name}` holds neither numbers nor texts")),
    }
}

/// Structure `RowGroup`: its rows, and where its pages are.
fn group(d: &mut ThriftDecoder<'_>, columns: usize, end: usize) -> Result<(usize, Vec<Range<usize>>), Malformed> {
    let (mut rows, mut pages) = (0, Vec::new());
    d.structure(|d, field| {
        match field {
            (1, LIST) => {
                for _ in 0..d.list(STRUCT)? {
                    let (mut start, mut size) = (0, 0);
                    d.structure(|d, field| match field {
                        (3, STRUCT) => {
                            d.structure(|d, field| {
                                match field {
                                    (7, I64) => size = d.int()?,
                                    (9, I64) => start = d.int()?,
                                    _ => return Ok(false),
                                }
                                Ok(true)
                            })?;
                            Ok(true)
                        }
                        _ => Ok(false),
                    })?;
                    let place = usize::try_from(start).ok().zip(usize::try_from(size).ok());
                    match place.and_then(|(start, size)| Some(start..start.checked_add(size)?)) {
                        Some(page) if page.end <= end => pages.push(page),
                        _ => return Malformed::because("a page that ends after the pages do"),
                    }
                }
            }
            (3, I64) => rows = usize::try_from(d.int()?).unwrap_or(usize::MAX),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    if pages.len() != columns || rows > end {
        return Malformed::because(format!("a row group of {} columns and {rows} rows", pages.len()));
    }
    Ok((rows, pages))
}

/// The values of a page into its column.
fn read_page(bytes: &[u8], rows: usize, column: &mut TableColumn) -> Result<(), Malformed> {
    let (mut size, mut check) = (0, None);
    let mut decoder = ThriftDecoder::new(bytes);
    decoder.structure(|d, field| {
        match field {
            (3, I32) => size = d.int()?,
            (4, I32) => check = Some(d.int()?),
            _ => return Ok(false),
        }
        Ok(true)
    })?;
    let values = decoder.cursor.take(usize::try_from(size).unwrap_or(usize::MAX))?;
    if check != Some(i64::from(crc32(values).cast_signed())) {
        return Malformed::because(format!("a page of column `{}` does not agree with its check", column.name));
    }
    let mut cursor = Cursor::new(values);
    for _ in 0..rows {
        match &mut column.cells {
            Cells::Numbers(all) => all.push(cursor.f64()?),
            Cells::Texts(all) => all.push(cursor.text()?),
        }
    }
    Ok(())
}
