//! The columns of a recording: names, units, notes, and the caller's metadata.
//!
//! Rules, the same when writing and when reading a file that claims to be ours: at least one and at most
//! [`MAX_COLUMNS`] columns; column 0 is `time` in `s`; names are not empty, differ, and hold no control characters (a
//! line break in a CSV header helps nobody); any name, unit or note has at most [`MAX_TEXT`] bytes. Metadata is text
//! that this crate carries and never looks into; callers give JSON.

use crate::RecordError;
use std::collections::BTreeSet;

/// Most columns a recording may have.
pub const MAX_COLUMNS: usize = 1 << 20;
/// Most bytes of a name, unit or note.
pub const MAX_TEXT: usize = 1 << 16;
/// Most bytes of the caller's metadata.
pub const MAX_METADATA: usize = 1 << 26;

/// One column: what its numbers are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordingColumn {
    /// Name, such as `crank.pos.x`; unique in its recording.
    pub name: String,
    /// Unit, such as `m` or `N m`; empty where it is not known, `1` for pure numbers.
    pub unit: String,
    /// Anything a reader should know, such as "not unique: shared with hinge-2"; mostly empty.
    pub note: String,
}

impl RecordingColumn {
    /// A column without a note.
    pub fn new(name: impl Into<String>, unit: impl Into<String>) -> RecordingColumn {
        RecordingColumn { name: name.into(), unit: unit.into(), note: String::new() }
    }

    /// The first column of every recording: `time`, in `s`.
    pub fn time() -> RecordingColumn {
        RecordingColumn::new("time", "s")
    }

    /// The same with a note.
    pub fn with_note(mut self, note: impl Into<String>) -> RecordingColumn {
        self.note = note.into();
        self
    }
}

/// All columns and the metadata; checked when made.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Schema {
    columns: Vec<RecordingColumn>,
    metadata: String,
}

impl Schema {
    /// Columns in the order of the values of a row, the first being [`RecordingColumn::time`]; `metadata` is the
    /// caller's JSON text, or empty.
    pub fn new(columns: Vec<RecordingColumn>, metadata: impl Into<String>) -> Result<Schema, RecordError> {
        let schema = Schema { columns, metadata: metadata.into() };
        match schema.fault() {
            None => Ok(schema),
            Some(reason) => Err(RecordError::Schema { reason }),
        }
    }

    /// The columns.
    pub fn columns(&self) -> &[RecordingColumn] {
        &self.columns
    }

    /// The caller's metadata.
    pub fn metadata(&self) -> &str {
        &self.metadata
    }

    /// Where a column stands in a row.
    pub fn index_of(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|column| column.name == name)
    }

    /// The first rule that is broken.
    fn fault(&self) -> Option<String> {
        let n = self.columns.len();
        let Some(first) = self.columns.first() else {
            return Some("there are none; at least `time` in s is needed".into());
        };
        if n > MAX_COLUMNS {
            return Some(format!("{n} of them, at most {MAX_COLUMNS} are possible; record fewer quantities"));
        }
        if first.name != "time" {
            return Some(format!("the first is `{}`; it must be `time`", shown(&first.name)));
        }
        if first.unit != "s" {
            return Some(format!("`time` has the unit `{}`; it must be `s`", shown(&first.unit)));
        }
        if self.metadata.len() > MAX_METADATA {
            return Some(format!("{} bytes of metadata, at most {MAX_METADATA} are possible", self.metadata.len()));
        }
        let mut seen = BTreeSet::new();
        for (i, column) in self.columns.iter().enumerate() {
            if column.name.is_empty() {
                return Some(format!("number {i} has no name"));
            }
            if column.name.chars().any(char::is_control) {
                return Some(format!("number {i}, `{}`, has a control character in its name", shown(&column.name)));
            }
            for (what, text) in [("name", &column.name), ("unit", &column.unit), ("note", &column.note)] {
                if text.len() > MAX_TEXT {
                    return Some(format!("number {i} has a {what} of {} bytes, at most {MAX_TEXT}", text.len()));
                }
            }
            if !seen.insert(column.name.as_str()) {
                return Some(format!("two are called `{}`; names must differ", shown(&column.name)));
            }
        }
        None
    }

    /// A name that is near, for those who mistype: "; did you mean `...`?", or nothing.
    pub(crate) fn near(&self, name: &str) -> String {
        // Ten thousand names are compared in no time; beyond that nobody types names by hand.
        let wanted: Vec<char> = name.chars().take(200).collect();
        let candidates = self.columns.iter().take(10_000).filter(|c| c.name.len() <= 200);
        let best = candidates.map(|c| (edits(&wanted, &c.name), &c.name)).min();
        match best {
            Some((distance, near)) if distance <= 2 + wanted.len() / 4 => format!("; did you mean `{near}`?"),
            _ => String::new(),
        }
    }
}

/// A text for a message: short and without control characters.
fn shown(text: &str) -> String {
    let short: String = text.chars().take(60).flat_map(char::escape_debug).collect();
    if text.chars().count() > 60 { format!("{short}...") } else { short }
}

/// Letters to insert, delete or replace to get from one word to the other.
fn edits(a: &[char], b: &str) -> usize {
    let mut row: Vec<usize> = (0..=a.len()).collect();
    for (i, letter) in b.chars().enumerate() {
        let mut diagonal = std::mem::replace(&mut row[0], i + 1);
        for j in 0..a.len() {
            let replaced = diagonal + usize::from(a[j] != letter);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[a.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(columns: Vec<RecordingColumn>) -> String {
        Schema::new(columns, "").expect_err("broken rule").to_string()
    }

    #[test]
    fn every_rule_is_held() {
        assert!(fault(vec![]).contains("there are none"));
        assert!(fault(vec![RecordingColumn::new("t", "s")]).contains("must be `time`"));
        assert!(fault(vec![RecordingColumn::new("time", "ms")]).contains("must be `s`"));
        assert!(fault(vec![RecordingColumn::time(), RecordingColumn::new("", "m")]).contains("number 1 has no name"));
        assert!(fault(vec![RecordingColumn::time(), RecordingColumn::new("a\nb", "m")]).contains("control character"));
        assert!(
            fault(vec![RecordingColumn::time(), RecordingColumn::new("a", "m"), RecordingColumn::new("a", "m")])
                .contains("two are called `a`")
        );
        assert!(
            fault(vec![RecordingColumn::time(), RecordingColumn::new("a", "x".repeat(MAX_TEXT + 1))])
                .contains("unit of 65537 bytes")
        );
        assert!(fault(vec![RecordingColumn::time(); MAX_COLUMNS + 1]).contains("at most 1048576"));
        assert!(Schema::new(vec![RecordingColumn::time(), RecordingColumn::new("größe, \"x\"", "")], "{}").is_ok());
    }

    #[test]
    fn near_names_are_found() {
        let schema =
            Schema::new(vec![RecordingColumn::time(), RecordingColumn::new("crank.pos.x", "m")], "").expect("valid");
        assert_eq!(schema.near("crank.pso.x"), "; did you mean `crank.pos.x`?");
        assert_eq!(schema.near("energy.kinetic"), "");
    }
}
