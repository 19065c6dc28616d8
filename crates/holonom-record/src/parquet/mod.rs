//! Parquet files, by hand: exactly as much of the format as a table of f64 needs.
//!
//! ```text
//! "PAR1"
//! for each row group, for each column:  page header (Thrift), values f64 little endian
//! footer (Thrift: schema, offsets, key-value metadata); u32 its length; "PAR1"
//! ```
//! Columns are flat, required, DOUBLE, PLAIN, not compressed: bits survive, NaN payloads and -0.0 included, and there
//! are no levels to write. Each column of a row group is one page with its CRC-32. Row groups hold about
//! [`GROUP_VALUES`] values. There are no statistics, so no reader can skip rows by a NaN that compares with nothing.
//!
//! Key-value metadata of the file, readable by every Parquet library:
//!
//! | key | value |
//! |---|---|
//! | `holonom.metadata` | the caller's metadata |
//! | `holonom.ending` | why the recording ended |
//! | `unit:NAME` | unit of a column, where it has one |
//! | `note:NAME` | note of a column, where it has one |
//!
//! Each column also carries `unit` in its own metadata. The reader reads what the writer writes; other files are
//! refused by their `created_by`, with the advice to use a library that reads all of Parquet.

pub(crate) mod read;
pub(crate) mod table;
pub(crate) mod thrift;
pub(crate) mod write;

/// Values in a row group, about.
pub(crate) const GROUP_VALUES: usize = 1 << 20;
/// At least so many rows in a row group, however many columns there are: the footer has about 100 bytes per column and
/// group.
pub(crate) const GROUP_ROWS: usize = 64;

pub(crate) const MAGIC: [u8; 4] = *b"PAR1";
pub(crate) const CREATED_BY: &str = "holonom-record";

// Enumerations of the format.
pub(crate) const TYPE_DOUBLE: i64 = 5;
pub(crate) const TYPE_BYTE_ARRAY: i64 = 6;
/// A byte array that is a text.
pub(crate) const CONVERTED_UTF8: i64 = 0;
pub(crate) const REPETITION_REQUIRED: i64 = 0;
pub(crate) const ENCODING_PLAIN: i64 = 0;
pub(crate) const ENCODING_RLE: i64 = 3;
pub(crate) const CODEC_NONE: i64 = 0;
pub(crate) const PAGE_DATA: i64 = 0;

pub(crate) const KEY_METADATA: &str = "holonom.metadata";
pub(crate) const KEY_ENDING: &str = "holonom.ending";
pub(crate) const KEY_UNIT: &str = "unit:";
pub(crate) const KEY_NOTE: &str = "note:";
