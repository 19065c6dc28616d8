//! Where a matrix has entries.
//!
//! Up to [`MOST`] entries are listed one by one; of more, the blocks of bodies and joints that have any.

use holonom::Model;
use holonom::pattern::{self, Matrix, Pattern};
use serde::Serialize;

/// Entries listed one by one.
pub const MOST: usize = 200_000;

/// A pattern.
#[derive(Clone, Debug, Serialize)]
pub struct SpyAnswer {
    /// J, H, A or L.
    pub matrix: &'static str,
    /// What it is, for people.
    pub about: &'static str,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Entries there are.
    pub count: usize,
    /// Of these, made by elimination.
    pub fill: usize,
    /// Row, column and 1 if made by elimination, entry after entry. Empty where `blocks` are given instead.
    pub entries: Vec<u32>,
    /// Number of the part down the rows, of the part along the columns, and 1 if made by elimination, block after block. Empty where `entries` are given.
    pub blocks: Vec<u32>,
    /// Bodies and joints down the rows.
    pub row_parts: Vec<Part>,
    /// Bodies and joints along the columns.
    pub column_parts: Vec<Part>,
}

/// Rows or columns of one body or joint.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Part {
    /// Its name.
    pub name: String,
    /// `body` or `joint`.
    pub kind: &'static str,
    /// First.
    pub start: usize,
    /// One past the last.
    pub end: usize,
}

fn about(matrix: Matrix) -> &'static str {
    match matrix {
        Matrix::J => "J: one row per condition of a joint, one column per velocity of a body",
        Matrix::H => "H: masses of the bodies and the joints between them, in the order in which they are eliminated",
        Matrix::A => "A = J M^-1 J^T: conditions of joints that share a body",
        Matrix::L => "L: the factor of H; what elimination added is marked",
    }
}

fn parts(parts: &[pattern::Part]) -> Vec<Part> {
    let part = |p: &pattern::Part| Part {
        name: p.name.clone(),
        kind: if p.is_body { "body" } else { "joint" },
        start: p.range.start,
        end: p.range.end,
    };
    parts.iter().map(part).collect()
}

/// Where a matrix of a model has entries, in any pose.
pub fn spy(model: &Model, name: &str) -> Result<SpyAnswer, String> {
    let matrix = Matrix::from_name(name).ok_or_else(|| format!("there is no matrix `{name}`; there are J, H, A and L"))?;
    let found = model.pattern(matrix).map_err(|e| e.to_string())?;
    let listed = found.entries.len() <= MOST;
    Ok(SpyAnswer {
        matrix: matrix.name(),
        about: about(matrix),
        rows: found.n_rows,
        columns: found.n_columns,
        count: found.entries.len(),
        fill: found.n_fill(),
        entries: match listed {
            true => found.entries.iter().flat_map(|e| [e.row, e.column, e.fill as u32]).collect(),
            false => Vec::new(),
        },
        blocks: if listed { Vec::new() } else { blocks(&found) },
        row_parts: parts(&found.rows),
        column_parts: parts(&found.columns),
    })
}

/// Blocks with entries. They are stored and filled as a whole, so that one entry of each is enough to know.
fn blocks(found: &Pattern) -> Vec<u32> {
    let number = |parts: &[pattern::Part], n: usize| {
        let mut of = vec![0u32; n];
        for (k, p) in parts.iter().enumerate() {
            of[p.range.clone()].fill(k as u32);
        }
        of
    };
    let (rows, columns) = (number(&found.rows, found.n_rows), number(&found.columns, found.n_columns));
    let block = |e: &pattern::Entry| (rows[e.row as usize], columns[e.column as usize], e.fill as u32);
    let mut all: Vec<(u32, u32, u32)> = found.entries.iter().map(block).collect();
    all.sort_unstable();
    all.dedup_by_key(|b| (b.0, b.1));
    all.into_iter().flat_map(|b| [b.0, b.1, b.2]).collect()
}
