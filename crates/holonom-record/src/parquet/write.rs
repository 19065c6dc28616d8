//! Writing a Parquet file from front to back; see the module above for what is written.

use super::*;
use crate::Schema;
use crate::checksum::crc32;
use crate::recording::RowBlock;
use std::io::{self, Write};
use thrift::{BINARY, I32, STRUCT, ThriftEncoder};

/// A file being written. `out` should be buffered by nobody else: pages go out as they are.
pub(crate) struct ParquetWriter<'a, W> {
    out: W,
    schema: &'a Schema,
    /// Bytes written.
    at: u64,
    /// Rows of the group being filled, column after column, `group_rows` apart.
    values: Vec<f64>,
    group_rows: usize,
    filled: usize,
    groups: Vec<RowGroup>,
}

/// A row group that was written.
struct RowGroup {
    rows: usize,
    /// Offset of each column's page, and one more where the last ends.
    offsets: Vec<u64>,
}

impl<'a, W: Write> ParquetWriter<'a, W> {
    pub fn new(mut out: W, schema: &'a Schema) -> io::Result<ParquetWriter<'a, W>> {
        out.write_all(&MAGIC)?;
        let group_rows = (GROUP_VALUES / schema.columns().len()).max(GROUP_ROWS);
        Ok(ParquetWriter { out, schema, at: 4, values: Vec::new(), group_rows, filled: 0, groups: Vec::new() })
    }

    /// More rows.
    pub fn block(&mut self, block: &RowBlock<'_>) -> io::Result<()> {
        let columns = self.schema.columns().len();
        let mut done = 0;
        while done < block.rows {
            self.values.resize(self.group_rows * columns, 0.0);
            let n = (block.rows - done).min(self.group_rows - self.filled);
            for column in 0..columns {
                let to = column * self.group_rows + self.filled;
                self.values[to..to + n].copy_from_slice(&block.column(column)[done..done + n]);
            }
            done += n;
            self.filled += n;
            if self.filled == self.group_rows {
                self.group()?;
            }
        }
        Ok(())
    }

    /// Writes the group that was filled.
    fn group(&mut self) -> io::Result<()> {
        if self.filled == 0 {
            return Ok(());
        }
        let mut offsets = vec![self.at];
        let mut page = Vec::with_capacity(8 * self.filled);
        for column in self.values.chunks_exact(self.group_rows) {
            page.clear();
            page.extend(column[..self.filled].iter().flat_map(|value| value.to_le_bytes()));
            let header = page_header(self.filled, &page);
            self.out.write_all(&header)?;
            self.out.write_all(&page)?;
            self.at += (header.len() + page.len()) as u64;
            offsets.push(self.at);
        }
        self.groups.push(RowGroup { rows: self.filled, offsets });
        self.filled = 0;
        Ok(())
    }

    /// The rest, the footer, and the buffer's end.
    pub fn finish(mut self, ending: &str) -> io::Result<()> {
        self.group()?;
        let footer = self.footer(ending);
        let length = u32::try_from(footer.len()).map_err(|_| io::Error::other("a footer of more than 4 GiB"))?;
        self.out.write_all(&footer)?;
        self.out.write_all(&length.to_le_bytes())?;
        self.out.write_all(&MAGIC)?;
        self.out.flush()
    }

    /// Structure `FileMetaData`.
    fn footer(&self, ending: &str) -> Vec<u8> {
        let mut encoder = ThriftEncoder::default();
        encoder.structure(|file| {
            file.int32(1, 1);
            file.list(2, STRUCT, self.schema.columns().len() + 1);
            // The root, then its children: `SchemaElement`.
            file.structure(|root| {
                root.text(4, "recording");
                root.int32(5, self.schema.columns().len() as i64);
            });
            for column in self.schema.columns() {
                file.structure(|leaf| {
                    leaf.int32(1, TYPE_DOUBLE);
                    leaf.int32(3, REPETITION_REQUIRED);
                    leaf.text(4, &column.name);
                });
            }
            file.int64(3, self.groups.iter().map(|group| group.rows as i64).sum());
            file.list(4, STRUCT, self.groups.len());
            for group in &self.groups {
                file.structure(|out| self.row_group(out, group));
            }
            let pairs = self.key_values(ending);
            file.list(5, STRUCT, pairs.len());
            pairs.iter().for_each(|(key, value)| key_value(file, key, value));
            file.text(6, &format!("{CREATED_BY} version {}", env!("CARGO_PKG_VERSION")));
        });
        encoder.bytes
    }

    fn key_values<'s>(&'s self, ending: &'s str) -> Vec<(String, &'s str)> {
        let mut pairs = vec![(KEY_METADATA.to_owned(), self.schema.metadata()), (KEY_ENDING.to_owned(), ending)];
        for column in self.schema.columns() {
            for (prefix, value) in [(KEY_UNIT, &column.unit), (KEY_NOTE, &column.note)] {
                if !value.is_empty() {
                    pairs.push((format!("{prefix}{}", column.name), value));
                }
            }
        }
        pairs
    }

    /// Structure `RowGroup`.
    fn row_group(&self, out: &mut ThriftEncoder, group: &RowGroup) {
        out.list(1, STRUCT, self.schema.columns().len());
        for (i, column) in self.schema.columns().iter().enumerate() {
            let (start, end) = (group.offsets[i] as i64, group.offsets[i + 1] as i64);
            // `ColumnChunk`, then `ColumnMetaData`.
            out.structure(|chunk| {
                chunk.int64(2, start);
                chunk.nested(3, |meta| {
                    meta.int32(1, TYPE_DOUBLE);
                    meta.list(2, I32, 2);
                    meta.element_int(ENCODING_PLAIN);
                    meta.element_int(ENCODING_RLE);
                    meta.list(3, BINARY, 1);
                    meta.element_text(&column.name);
                    meta.int32(4, CODEC_NONE);
                    meta.int64(5, group.rows as i64);
                    meta.int64(6, end - start);
                    meta.int64(7, end - start);
                    if !column.unit.is_empty() {
                        meta.list(8, STRUCT, 1);
                        key_value(meta, "unit", &column.unit);
                    }
                    meta.int64(9, start);
                });
            });
        }
        let first = group.offsets.first().copied().unwrap_or(0);
        let last = group.offsets.last().copied().unwrap_or(0);
        out.int64(2, (last - first) as i64);
        out.int64(3, group.rows as i64);
        out.int64(5, first as i64);
        out.int64(6, (last - first) as i64);
    }
}

/// Structure `PageHeader`, with `DataPageHeader`.
pub(super) fn page_header(rows: usize, page: &[u8]) -> Vec<u8> {
    let mut encoder = ThriftEncoder::default();
    encoder.structure(|header| {
        header.int32(1, PAGE_DATA);
        header.int32(2, page.len() as i64);
        header.int32(3, page.len() as i64);
        header.int32(4, i64::from(crc32(page).cast_signed()));
        header.nested(5, |data| {
            data.int32(1, rows as i64);
            data.int32(2, ENCODING_PLAIN);
            data.int32(3, ENCODING_RLE);
            data.int32(4, ENCODING_RLE);
        });
    });
    encoder.bytes
}

/// Structure `KeyValue`.
pub(super) fn key_value(out: &mut ThriftEncoder, key: &str, value: &str) {
    out.structure(|pair| {
        pair.text(1, key);
        pair.text(2, value);
    });
}
