//! Tables whose rows are no moments of a run: numbers and texts under named columns, as CSV and as Parquet.
//!
//! CSV: one header row; numbers in the fewest digits that read back to the same bits, `NaN` where there is none; texts
//! in quotes, whatever they are, so that `"12"` stays a text. Units stand beside it in `NAME.units.csv`, as for
//! recordings. Parquet: numbers are DOUBLE, texts BYTE_ARRAY (UTF8), all required, PLAIN, one page for each column of a
//! row group; units and metadata in the key-value metadata. Both are written whole or not at all.

use crate::bytes::{Cursor, Malformed, put_text};
use crate::files::TemporaryFile;
use crate::journal;
use crate::parquet;
use crate::schema::MAX_COLUMNS;
use crate::{RecordError, RecordingColumn, csv};
use std::io::{BufWriter, Write};
use std::path::Path;

/// What stands in one place of a table.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell {
    /// A number; NaN where there is none.
    Number(f64),
    /// A text.
    Text(String),
}

/// What stands in a column.
#[derive(Clone, Debug, PartialEq)]
pub enum Cells {
    /// Numbers.
    Numbers(Vec<f64>),
    /// Texts.
    Texts(Vec<String>),
}

/// A column and its values.
#[derive(Clone, Debug, PartialEq)]
pub struct TableColumn {
    /// Its name.
    pub name: String,
    /// Unit of its numbers; empty where it is not known.
    pub unit: String,
    /// Its values.
    pub cells: Cells,
}

/// Columns of one length, and the caller's metadata.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DataTable {
    /// The columns.
    pub columns: Vec<TableColumn>,
    /// A text that this crate carries and never looks into.
    pub metadata: String,
}

impl Cells {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Cells::Numbers(all) => all.len(),
            Cells::Texts(all) => all.len(),
        }
    }

    /// Is there nothing in it?
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// One more; of the other kind it becomes what this column has for nothing.
    fn push(&mut self, cell: &Cell) {
        match (self, cell) {
            (Cells::Numbers(all), Cell::Number(x)) => all.push(*x),
            (Cells::Numbers(all), Cell::Text(_)) => all.push(f64::NAN),
            (Cells::Texts(all), Cell::Text(text)) => all.push(text.clone()),
            (Cells::Texts(all), Cell::Number(x)) => all.push(format!("{x:?}")),
        }
    }
}

impl TableColumn {
    /// A column of numbers, empty.
    pub fn numbers(name: impl Into<String>, unit: impl Into<String>) -> TableColumn {
        TableColumn { name: name.into(), unit: unit.into(), cells: Cells::Numbers(Vec::new()) }
    }

    /// A column of texts, empty.
    pub fn texts(name: impl Into<String>) -> TableColumn {
        TableColumn { name: name.into(), unit: String::new(), cells: Cells::Texts(Vec::new()) }
    }

    /// Does it hold texts?
    pub fn is_text(&self) -> bool {
        matches!(self.cells, Cells::Texts(_))
    }

    /// The numbers, if it holds numbers.
    pub fn as_numbers(&self) -> Option<&[f64]> {
        match &self.cells {
            Cells::Numbers(all) => Some(all),
            Cells::Texts(_) => None,
        }
    }

    /// The texts, if it holds texts.
    pub fn as_texts(&self) -> Option<&[String]> {
        match &self.cells {
            Cells::Texts(all) => Some(all),
            Cells::Numbers(_) => None,
        }
    }
}

impl DataTable {
    /// How many rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |c| c.cells.len())
    }

    /// A column by its name.
    pub fn column(&self, name: &str) -> Option<&TableColumn> {
        self.columns.iter().find(|c| c.name == name)
    }

    /// One more row, of as many cells as there are columns.
    pub fn push(&mut self, row: &[Cell]) {
        debug_assert_eq!(row.len(), self.columns.len());
        for (column, cell) in self.columns.iter_mut().zip(row) {
            column.cells.push(cell);
        }
    }

    /// The rows by the numbers of the first column, upwards; of several with the same number the first stays.
    pub fn sort(&mut self) {
        let Some(keys) = self.columns.first().and_then(|c| c.as_numbers()) else { return };
        let mut order: Vec<usize> = (0..keys.len()).collect();
        order.sort_by(|&a, &b| keys[a].total_cmp(&keys[b]));
        order.dedup_by(|a, b| keys[*a] == keys[*b]);
        for column in &mut self.columns {
            match &mut column.cells {
                Cells::Numbers(all) => *all = order.iter().map(|&i| all[i]).collect(),
                Cells::Texts(all) => *all = order.iter().map(|&i| std::mem::take(&mut all[i])).collect(),
            }
        }
    }

    /// The rows that are true in `keep`.
    pub fn retain(&mut self, keep: &[bool]) {
        for column in &mut self.columns {
            let mut flags = keep.iter();
            let mut next = || flags.next().copied().unwrap_or(false);
            match &mut column.cells {
                Cells::Numbers(all) => all.retain(|_| next()),
                Cells::Texts(all) => all.retain(|_| next()),
            }
        }
    }

    /// Write it as CSV, with its units beside it.
    pub fn write_csv(&self, path: &Path) -> Result<(), RecordError> {
        let mut draft = TemporaryFile::new(path)?;
        let failed = || RecordError::io(path, "write");
        let mut out = BufWriter::with_capacity(1 << 18, &mut draft.file);
        let mut line = self.columns.iter().map(|c| quoted_name(&c.name)).collect::<Vec<_>>().join(",");
        for row in 0..=self.rows() {
            line.push('\n');
            out.write_all(line.as_bytes()).map_err(failed())?;
            line.clear();
            if row == self.rows() {
                break;
            }
            for (k, column) in self.columns.iter().enumerate() {
                line.push_str(if k > 0 { "," } else { "" });
                match &column.cells {
                    Cells::Numbers(all) => line.push_str(&format!("{:?}", all[row])),
                    Cells::Texts(all) => line.push_str(&quoted(&all[row])),
                }
            }
        }
        out.flush().map_err(failed())?;
        drop(out);
        draft.publish()?;
        let described = |c: &TableColumn| RecordingColumn::new(c.name.clone(), c.unit.clone());
        csv::put_units(path, &self.columns.iter().map(described).collect::<Vec<_>>())
    }

    /// Write it as Parquet.
    pub fn write_parquet(&self, path: &Path) -> Result<(), RecordError> {
        let mut draft = TemporaryFile::new(path)?;
        let mut out = BufWriter::with_capacity(1 << 18, &mut draft.file);
        parquet::table::write(&mut out, self).and_then(|()| out.flush()).map_err(RecordError::io(path, "write"))?;
        drop(out);
        draft.publish()
    }

    /// Read a table of this crate: `.csv`, `.parquet`, or the rows of a journal so far (`.sweep`). No more than
    /// `budget` bytes are loaded.
    pub fn read(path: &Path, budget: u64) -> Result<DataTable, RecordError> {
        let extension = path.extension().map(|e| e.to_ascii_lowercase());
        match extension.as_ref().and_then(|e| e.to_str()) {
            Some("csv") => read_csv(path, budget),
            Some("parquet") => parquet::table::read(path, budget),
            Some("sweep") => journal::read(path, budget).map(|found| found.table),
            _ => Err(RecordError::path(path, "is no table: they end in .csv, .parquet or .sweep")),
        }
    }
}

/// The bytes of a row, as journals keep them and processes hand them on.
pub(crate) fn row_bytes(row: &[Cell]) -> Vec<u8> {
    let mut out = Vec::with_capacity(16 * row.len());
    for cell in row {
        match cell {
            Cell::Number(x) => out.extend(x.to_bits().to_le_bytes()),
            Cell::Text(text) => put_text(&mut out, text),
        }
    }
    out
}

/// The row of these bytes.
pub(crate) fn row_of(bytes: &[u8], columns: &[TableColumn]) -> Result<Vec<Cell>, Malformed> {
    let mut cursor = Cursor::new(bytes);
    let mut row = Vec::with_capacity(columns.len());
    for column in columns {
        row.push(if column.is_text() { Cell::Text(cursor.text()?) } else { Cell::Number(cursor.f64()?) });
    }
    if cursor.left() > 0 {
        return Malformed::because(format!("{} bytes too many in a row", cursor.left()));
    }
    Ok(row)
}

impl Cell {
    /// The bytes of a row, for another process.
    pub fn to_bytes(row: &[Cell]) -> Vec<u8> {
        row_bytes(row)
    }

    /// The row of these bytes; none if they are no row of these columns.
    pub fn from_bytes(bytes: &[u8], columns: &[TableColumn]) -> Option<Vec<Cell>> {
        row_of(bytes, columns).ok()
    }
}

fn quoted_name(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) || name.trim() != name { quoted(name) } else { name.to_string() }
}

fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// A field, and whether it stood in quotes.
type Field = (String, bool);

/// All fields of a text, row by row; quoted ones may hold line breaks.
fn rows_of(text: &str) -> Result<Vec<Vec<Field>>, String> {
    let (mut rows, mut row, mut field) = (Vec::new(), Vec::new(), (String::new(), false));
    let mut chars = text.chars().peekable();
    let mut open = false;
    while let Some(c) = chars.next() {
        match c {
            '"' if open && chars.peek() == Some(&'"') => {
                chars.next();
                field.0.push('"');
            }
            '"' if open => open = false,
            '"' if field.0.is_empty() && !field.1 => (open, field.1) = (true, true),
            ',' if !open => row.push(std::mem::take(&mut field)),
            '\r' if !open && chars.peek() == Some(&'\n') => {}
            '\n' if !open => {
                row.push(std::mem::take(&mut field));
                rows.push(std::mem::take(&mut row));
            }
            c => field.0.push(c),
        }
    }
    if open {
        return Err("a quote does not end".into());
    }
    // a line without its end was cut
    Ok(rows)
}

fn read_csv(path: &Path, budget: u64) -> Result<DataTable, RecordError> {
    let (file, length) = crate::files::open_file(path)?;
    if length > budget / 4 {
        let what = "the table".to_string();
        return Err(RecordError::TooLarge {
            path: path.to_path_buf(),
            what,
            needed: length.saturating_mul(4),
            allowed: budget,
        });
    }
    let text = std::io::read_to_string(file).map_err(RecordError::io(path, "read"))?;
    let foreign = |reason: String| RecordError::foreign(path, "a table", reason);
    let mut rows = rows_of(&text).map_err(foreign)?.into_iter();
    let Some(names) = rows.next() else { return Err(foreign("it has no line".into())) };
    let rows: Vec<Vec<Field>> = rows.collect();
    if let Some((k, row)) = rows.iter().enumerate().find(|(_, row)| row.len() != names.len()) {
        return Err(foreign(format!("line {} has {} fields, the first has {}", k + 2, row.len(), names.len())));
    }
    let mut described: Vec<RecordingColumn> =
        names.iter().map(|(name, _)| RecordingColumn::new(name.clone(), "")).collect();
    csv::add_units(path, &mut described, budget);
    let columns = described.into_iter().enumerate().map(|(k, c)| {
        let number = |f: &Field| match (f.1, f.0.trim()) {
            (true, _) => None,
            (false, "") => Some(f64::NAN),
            (false, text) => text.parse::<f64>().ok(),
        };
        let cells = match rows.iter().map(|row| number(&row[k])).collect::<Option<Vec<f64>>>() {
            Some(all) => Cells::Numbers(all),
            None => Cells::Texts(rows.iter().map(|row| row[k].0.clone()).collect()),
        };
        TableColumn { name: c.name, unit: c.unit, cells }
    });
    if names.len() > MAX_COLUMNS {
        return Err(foreign(format!("{} columns, at most {MAX_COLUMNS}", names.len())));
    }
    Ok(DataTable { columns: columns.collect(), metadata: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> DataTable {
        let mut table = DataTable {
            columns: vec![
                TableColumn::numbers("run", ""),
                TableColumn::numbers("length, of it", "m"),
                TableColumn::texts("error"),
            ],
            metadata: "{\"a\": 1}".into(),
        };
        for (run, x, text) in [(2.0, 0.1, "say \"no\",\nplease"), (0.0, -0.0, ""), (1.0, f64::NAN, "12")] {
            table.push(&[Cell::Number(run), Cell::Number(x), Cell::Text(text.into())]);
        }
        table
    }

    #[test]
    fn what_is_written_is_read() {
        let folder = std::env::temp_dir().join(format!("holonom-table-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        let mut table = table();
        table.sort();
        assert_eq!(table.columns[0].as_numbers(), Some(&[0.0, 1.0, 2.0][..]));
        for name in ["t.csv", "t.parquet"] {
            let path = folder.join(name);
            if name == "t.csv" { table.write_csv(&path) } else { table.write_parquet(&path) }.expect("written");
            let back = DataTable::read(&path, 1 << 20).expect("read");
            for (a, b) in table.columns.iter().zip(&back.columns) {
                assert_eq!((&a.name, &a.unit, a.as_texts()), (&b.name, &b.unit, b.as_texts()), "{name}");
                let bits = |c: &TableColumn| c.as_numbers().map(|n| n.iter().map(|x| x.to_bits()).collect::<Vec<_>>());
                assert_eq!(bits(a), bits(b), "{name}");
            }
            assert_eq!(back.rows(), 3);
            // cut anywhere, it is refused or shorter, and nothing panics
            let whole = std::fs::read(&path).expect("there");
            for n in 0..whole.len() {
                std::fs::write(&path, &whole[..n]).expect("written");
                if let Ok(cut) = DataTable::read(&path, 1 << 20) {
                    assert!(name == "t.csv" && cut.rows() < 3, "{name} cut at {n}");
                }
            }
        }
        std::fs::remove_dir_all(&folder).expect("removed");
    }

    #[test]
    fn of_equal_numbers_the_first_row_stays() {
        let mut table = table();
        table.push(&[Cell::Number(1.0), Cell::Number(9.0), Cell::Text("again".into())]);
        table.sort();
        assert_eq!(table.column("error").and_then(|c| c.as_texts()).expect("texts")[1], "12");
        assert_eq!(table.rows(), 3);
    }
}
