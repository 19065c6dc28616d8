//! CSV, written so that pandas, polars and duckdb read it as it is.
//!
//! - One header row with exactly the names of the columns, quoted as in RFC 4180 where a name holds a comma, a quote or
//!   a space at its ends.
//! - Numbers in the fewest digits that read back to the same bits, always with a point or an exponent (`0.0`, `1e21`),
//!   so that nobody takes a column for integers from its first rows. Points, never commas, whatever the locale. Lines
//!   end in `\n`.
//! - Not a number is `NaN` and infinities are `inf` and `-inf`: all three libraries know these words for floats. An
//!   empty field would become a missing value in polars and duckdb, which is another thing than NaN. The payload and
//!   sign of a NaN are not kept.
//! - Units and notes stand in a table of their own beside it, `run.units.csv` with the columns `column`, `unit` and
//!   `note`, and are read with it. Metadata has no place in either; use Parquet or the stream for them.
//!
//! A file that does not end in a line break was cut: its last line is left out, since a number may have lost digits
//! there.

use crate::recording::RowBlock;
use crate::schema::{MAX_COLUMNS, MAX_TEXT};
use crate::{RecordError, RecordingColumn, Schema};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};

/// The longest line that is read: 256 MiB.
const MAX_LINE: u64 = 1 << 28;
/// Text is written in pieces of about this size.
const PIECE: usize = 1 << 20;

/// The header row.
pub(crate) fn put_header(out: &mut Vec<u8>, schema: &Schema) {
    for (i, column) in schema.columns().iter().enumerate() {
        if i > 0 {
            out.push(b',');
        }
        let name = &column.name;
        if name.contains([',', '"']) || name.trim() != name {
            out.extend(format!("\"{}\"", name.replace('"', "\"\"")).into_bytes());
        } else {
            out.extend(name.as_bytes());
        }
    }
    out.push(b'\n');
}

/// One row of numbers.
pub(crate) fn put_row(out: &mut Vec<u8>, row: impl Iterator<Item = f64>) {
    for (i, value) in row.enumerate() {
        if i > 0 {
            out.push(b',');
        }
        // The debug form of f64 is the shortest that reads back to the same bits. Writing into a vector cannot fail.
        let _ = write!(out, "{value:?}");
    }
    out.push(b'\n');
}

/// First line of a table of units.
const UNITS: &str = "column,unit,note";

/// `run.units.csv` for `run.csv`.
pub(crate) fn units_beside(path: &Path) -> PathBuf {
    path.with_extension("units.csv")
}

/// Units and notes of the columns, as a table of text.
fn units(columns: &[RecordingColumn]) -> String {
    // one line for each column, whatever a note says
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\"\"").replace(['\n', '\r'], " "));
    let line = |c: &RecordingColumn| format!("{},{},{}\n", quoted(&c.name), quoted(&c.unit), quoted(&c.note));
    columns.iter().fold(format!("{UNITS}\n"), |text, c| text + &line(c))
}

/// Write the units beside a table, unless something else has their name.
pub(crate) fn put_units(table: &Path, columns: &[RecordingColumn]) -> Result<(), RecordError> {
    let path = units_beside(table);
    let free = match std::fs::File::open(&path) {
        Ok(file) => {
            let mut head = String::new();
            let read = BufReader::new(file.take(UNITS.len() as u64 + 2)).read_line(&mut head);
            read.is_ok() && head.trim_end() == UNITS
        }
        Err(e) => e.kind() == io::ErrorKind::NotFound,
    };
    if free { crate::replace_file(&path, units(columns).as_bytes()) } else { Ok(()) }
}

/// Put the units beside a table into its columns, as far as they are there and are about these columns.
pub(crate) fn add_units(table: &Path, columns: &mut [RecordingColumn], budget: u64) {
    let path = units_beside(table);
    let small = std::fs::metadata(&path).is_ok_and(|m| m.is_file() && m.len() <= budget);
    let text = if small { std::fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
    let mut lines = text.lines();
    if lines.next() != Some(UNITS) {
        return;
    }
    for (line, column) in lines.zip(columns) {
        match header(line.as_bytes()).as_deref() {
            Ok([name, unit, note]) if *name == column.name => {
                (column.unit, column.note) = (unit.clone(), note.clone());
            }
            // the table of another recording
            _ => return,
        }
    }
}

/// Rows as text.
pub(crate) struct CsvWriter<W> {
    out: W,
    text: Vec<u8>,
    columns: usize,
}

impl<W: Write> CsvWriter<W> {
    pub fn new(out: W, schema: &Schema) -> CsvWriter<W> {
        let mut text = Vec::with_capacity(PIECE + PIECE / 8);
        put_header(&mut text, schema);
        CsvWriter { out, text, columns: schema.columns().len() }
    }

    pub fn block(&mut self, block: &RowBlock<'_>) -> io::Result<()> {
        for row in 0..block.rows {
            put_row(&mut self.text, (0..self.columns).map(|column| block.column(column)[row]));
            if self.text.len() >= PIECE {
                self.write()?;
            }
        }
        Ok(())
    }

    pub fn finish(mut self) -> io::Result<()> {
        self.write()?;
        self.out.flush()
    }

    fn write(&mut self) -> io::Result<()> {
        self.out.write_all(&self.text)?;
        self.text.clear();
        Ok(())
    }
}

/// A table that was read.
#[derive(Debug)]
pub(crate) struct CsvTable {
    pub schema: Schema,
    pub columns: Vec<Vec<f64>>,
    /// Bytes of a last line that was cut.
    pub lost: u64,
}

/// Reads a table of numbers whose first column is `time`.
pub(crate) fn read(path: &Path, budget: u64) -> Result<CsvTable, RecordError> {
    let (file, length) = crate::files::open_file(path)?;
    let too_large = |what: &str, needed| RecordError::TooLarge {
        path: path.to_path_buf(),
        what: what.to_owned(),
        needed,
        allowed: budget,
    };
    let mut reader = BufReader::with_capacity(1 << 18, file);
    let (mut line, mut at) = (Vec::new(), 0u64);
    let mut next = |line: &mut Vec<u8>, at: &mut u64| -> Result<Line, RecordError> {
        line.clear();
        let limit = MAX_LINE.min(budget);
        let n = reader.by_ref().take(limit).read_until(b'\n', line).map_err(RecordError::io(path, "read"))? as u64;
        *at += n;
        match line.pop_if(|byte| *byte == b'\n') {
            Some(_) => {
                line.pop_if(|byte| *byte == b'\r');
                Ok(Line::Whole)
            }
            None if n == 0 => Ok(Line::End),
            None if n == limit => Err(too_large("a line", length)),
            None => Ok(Line::Cut(n)),
        }
    };

    let foreign = |reason: String| RecordError::foreign(path, "a recording", reason);
    match next(&mut line, &mut at)? {
        Line::Whole => {}
        Line::End => return Err(foreign("it is empty".into())),
        Line::Cut(_) => return Err(foreign("its first line does not end; no row was ever written".into())),
    }
    let names = header(&line).map_err(foreign)?;
    let columns = names.into_iter().enumerate();
    let columns = columns.map(|(i, name)| RecordingColumn::new(name, if i == 0 { "s" } else { "" }));
    let mut columns: Vec<RecordingColumn> = columns.collect();
    add_units(path, &mut columns, budget);
    let schema = Schema::new(columns, "").map_err(|e| foreign(e.to_string()))?;

    let n = schema.columns().len();
    let mut table = CsvTable { schema, columns: vec![Vec::new(); n], lost: 0 };
    let (mut bytes, mut row, mut number) = (0u64, Vec::with_capacity(n), 1u64);
    loop {
        number += 1;
        let start = at;
        match next(&mut line, &mut at)? {
            Line::End => return Ok(table),
            Line::Cut(lost) => {
                table.lost = lost;
                return Ok(table);
            }
            Line::Whole => {}
        }
        let damaged = |reason: String| RecordError::damaged(path, start, format!("line {number}: {reason}"));
        values(&line, &mut row).map_err(damaged)?;
        if row.len() != n {
            return Err(damaged(format!("{} values, the header has {n} names", row.len())));
        }
        bytes += 8 * n as u64;
        if bytes > budget {
            return Err(too_large("the table", bytes));
        }
        for (column, value) in table.columns.iter_mut().zip(&row) {
            column.push(*value);
        }
    }
}

enum Line {
    /// Ended by a line break.
    Whole,
    /// The file ends before the line does, after so many bytes.
    Cut(u64),
    /// No more lines.
    End,
}

/// The numbers of a line. An empty field is what others write for NaN.
fn values(line: &[u8], row: &mut Vec<f64>) -> Result<(), String> {
    row.clear();
    if line.is_empty() {
        return Err("nothing in it".into());
    }
    let text = std::str::from_utf8(line).map_err(|e| format!("not a text ({e})"))?;
    for field in text.split(',') {
        let field = field.trim();
        let value = if field.is_empty() { Ok(f64::NAN) } else { field.parse() };
        let shown = || field.chars().take(40).collect::<String>();
        row.push(value.map_err(|_| format!("`{}` where a number is due", shown()))?);
    }
    Ok(())
}

/// The names of a header row.
fn header(line: &[u8]) -> Result<Vec<String>, String> {
    let text = std::str::from_utf8(line).map_err(|e| format!("its first line is not a text ({e})"))?;
    let (mut names, mut rest) = (Vec::new(), text);
    loop {
        let (name, after) = match rest.strip_prefix('"') {
            Some(quoted) => unquote(quoted).ok_or("a quote in its first line does not end")?,
            None => match rest.find(',') {
                Some(comma) => (rest[..comma].to_owned(), &rest[comma..]),
                None => (rest.to_owned(), ""),
            },
        };
        if names.len() >= MAX_COLUMNS || name.len() > MAX_TEXT {
            return Err(format!(
                "its first line has more than {MAX_COLUMNS} names, or one of more than {MAX_TEXT} bytes"
            ));
        }
        names.push(name);
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None if after.is_empty() => return Ok(names),
            None => return Err("something follows a closing quote in its first line".into()),
        }
    }
}

/// A quoted name, and what follows its closing quote.
fn unquote(text: &str) -> Option<(String, &str)> {
    let (mut name, mut rest) = (String::new(), text);
    loop {
        let quote = rest.find('"')?;
        name.push_str(&rest[..quote]);
        rest = &rest[quote + 1..];
        match rest.strip_prefix('"') {
            Some(after) => {
                name.push('"');
                rest = after;
            }
            None => return Some((name, rest)),
        }
    }
}
