//! Where a matrix has entries, in blocks of bodies and joints: a block that is there is there as a whole, because the
//! solver stores and multiplies it so.

use holonom::Model;
use holonom::pattern::{self, Matrix, Pattern};
use serde::Serialize;

/// Blocks that are listed.
pub const MOST: usize = 200_000;

/// A pattern.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpyAnswer {
    /// J, H, A or L.
    pub matrix: &'static str,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Bodies and joints down the rows, in order.
    pub row_bands: Vec<MatrixBand>,
    /// Bodies and joints along the columns, in order.
    pub column_bands: Vec<MatrixBand>,
    /// First row, first column, rows, columns, and 1 where elimination made it. Of L those on the diagonal are lower
    /// triangles.
    pub blocks: Vec<[usize; 5]>,
    /// Entries: of L those in the lower triangle.
    pub entries: usize,
    /// Of these, made by elimination.
    pub fill: usize,
}

/// Rows or columns of one body or joint.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MatrixBand {
    /// `body.NAME` or `joint.NAME`.
    pub path: String,
    /// First.
    pub from: usize,
    /// How many.
    pub count: usize,
}

fn bands(parts: &[pattern::Part]) -> Vec<MatrixBand> {
    let band = |p: &pattern::Part| MatrixBand {
        path: format!("{}.{}", if p.is_body { "body" } else { "joint" }, p.name),
        from: p.range.start,
        count: p.range.len(),
    };
    parts.iter().map(band).collect()
}

/// Where a matrix of a model has entries, in any pose.
pub fn spy(model: &Model, name: &str) -> Result<SpyAnswer, String> {
    let matrix =
        Matrix::from_name(name).ok_or_else(|| format!("there is no matrix `{name}`; there are J, H, A and L"))?;
    let found = model.pattern(matrix).map_err(|e| e.to_string())?;
    let blocks = blocks(&found);
    if blocks.len() > MOST {
        return Err(format!(
            "{name} has {} blocks, more than the {MOST} that can be shown; J and H stay small where A does not",
            blocks.len()
        ));
    }
    Ok(SpyAnswer {
        matrix: matrix.name(),
        rows: found.n_rows,
        columns: found.n_columns,
        row_bands: bands(&found.rows),
        column_bands: bands(&found.columns),
        blocks,
        entries: found.entries.len(),
        fill: found.n_fill(),
    })
}

/// Pairs of bands that have entries. One entry of each is enough to know.
fn blocks(found: &Pattern) -> Vec<[usize; 5]> {
    let number = |parts: &[pattern::Part], n: usize| {
        let mut of = vec![0usize; n];
        for (k, p) in parts.iter().enumerate() {
            of[p.range.clone()].fill(k);
        }
        of
    };
    let (rows, columns) = (number(&found.rows, found.n_rows), number(&found.columns, found.n_columns));
    let block = |e: &pattern::Entry| (rows[e.row as usize], columns[e.column as usize], e.fill);
    let mut all: Vec<(usize, usize, bool)> = found.entries.iter().map(block).collect();
    all.dedup();
    all.sort_unstable();
    all.dedup_by_key(|b| (b.0, b.1));
    let place = |(r, c, fill): (usize, usize, bool)| {
        let (row, column) = (&found.rows[r].range, &found.columns[c].range);
        [row.start, column.start, row.len(), column.len(), fill as usize]
    };
    all.into_iter().map(place).collect()
}
