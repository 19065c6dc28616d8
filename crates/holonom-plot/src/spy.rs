//! Pictures of sparse matrices, in the manner of the papers: a square where there is an entry, fine lines between blocks, numbers below.
//!
//! Decisions. A small matrix shows every entry as a square of its own. One with more rows or columns than the picture has room for is cut into a
//! grid of at most [`MOST`] by as many cells; a cell is painted where anything in it is, as fill where most of what is in it is fill. Cells
//! beside each other are written as one, so a file stays below 1 MB whatever the matrix.

use crate::chart::PlotError;
use crate::drawing::{Anchor, Cells, Drawing, Ink, Item};
use crate::text::{shortened, width};
use crate::ticks::plain;
use crate::{raster, svg};

/// What an entry of a matrix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// There from the start.
    Entry,
    /// Made by elimination.
    Fill,
}

/// Rows or columns that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// What they belong to.
    pub name: String,
    /// From the first up to but not including the last.
    pub range: std::ops::Range<usize>,
}

/// Where a matrix has entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spy {
    /// First line; none if empty.
    pub title: String,
    /// Second line; none if empty.
    pub subtitle: String,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Row and column, from 0, and what is there.
    pub entries: Vec<(u32, u32, Kind)>,
    /// Blocks of rows, from the top; may be empty.
    pub row_blocks: Vec<Block>,
    /// Blocks of columns, from the left; may be empty.
    pub column_blocks: Vec<Block>,
}

/// Longest side of the matrix in the picture, and largest cell.
const SIDE: f64 = 520.0;
const LARGEST: f64 = 15.0;
/// Most cells along a side.
const MOST: usize = 400;
const EDGE: f64 = 18.0;
const TITLE: f64 = 15.0;
const SMALL: f64 = 11.0;
/// Names of blocks.
const NAME: f64 = 9.5;
const NAMES: f64 = 110.0;

impl Spy {
    /// The picture as SVG.
    pub fn to_svg(&self) -> Result<String, PlotError> {
        Ok(svg::write(&self.drawing()?))
    }

    /// The picture as PNG, with `scale` pixels per point of 1/96 inch: 2 suits screens, 3 print.
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, PlotError> {
        raster::png(&self.drawing()?, scale)
    }

    /// Size, number of non-zeros, fill: the numbers below the picture.
    pub fn caption(&self) -> String {
        let fill = self.entries.iter().filter(|e| e.2 == Kind::Fill).count();
        let all = self.rows as f64 * self.columns as f64;
        let share = if all > 0.0 { 100.0 * self.entries.len() as f64 / all } else { 0.0 };
        let size = if self.rows == self.columns {
            format!("n = {}", grouped(self.rows))
        } else {
            format!("{} × {}", grouped(self.rows), grouped(self.columns))
        };
        let share = if share >= 0.1 || share == 0.0 { format!("{share:.1} %") } else { plain(share, 2) + " %" };
        let fill = if fill > 0 { format!(", fill-in {}", grouped(fill)) } else { String::new() };
        format!("{size}, nnz = {} ({share}){fill}", grouped(self.entries.len()))
    }

    pub(crate) fn check(&self) -> Result<(), PlotError> {
        let inside = |e: &&(u32, u32, Kind)| (e.0 as usize) < self.rows && (e.1 as usize) < self.columns;
        match self.entries.iter().find(|e| !inside(e)) {
            Some(&(row, column, _)) => Err(PlotError::Outside { row, column, rows: self.rows, columns: self.columns }),
            None => Ok(()),
        }
    }

    /// What there is in the cells of a grid of so many rows and columns: nothing, entries, or mostly fill. Row by row.
    pub(crate) fn cells(&self, rows: usize, columns: usize) -> Vec<Option<Kind>> {
        let mut counts = vec![(0u32, 0u32); rows * columns];
        for &(r, c, kind) in &self.entries {
            let cell = |at: u32, n: usize, all: usize| (at as u64 * n as u64 / all.max(1) as u64) as usize;
            let (row, column) = (cell(r, rows, self.rows), cell(c, columns, self.columns));
            let count = &mut counts[row * columns + column];
            match kind {
                Kind::Entry => count.0 += 1,
                Kind::Fill => count.1 += 1,
            }
        }
        let kind = |(entries, fill): (u32, u32)| match (entries, fill) {
            (0, 0) => None,
            (e, f) if f > e => Some(Kind::Fill),
            _ => Some(Kind::Entry),
        };
        counts.into_iter().map(kind).collect()
    }

    fn drawing(&self) -> Result<Drawing, PlotError> {
        self.check()?;
        let longest = self.rows.max(self.columns).max(1);
        // a grid as fine as the matrix, or as the picture
        let n = longest.min(MOST);
        let share = |size: usize| (size as u128 * n as u128).div_ceil(longest as u128) as usize;
        let along = |size: usize| if longest <= MOST { size } else { share(size).max(1) };
        let (rows, columns) = (along(self.rows), along(self.columns));
        let cell = (SIDE / n as f64).min(LARGEST);
        let (w, h) = (columns as f64 * cell, rows as f64 * cell);

        let row_scale = h / self.rows.max(1) as f64;
        let column_scale = w / self.columns.max(1) as f64;
        let row_names = named(&self.row_blocks, row_scale);
        let column_names = named(&self.column_blocks, column_scale);
        let room = |blocks: &[Block], there: bool| {
            let longest = blocks.iter().map(|b| width(&b.name, NAME)).fold(0.0, f64::max).min(NAMES);
            if there { longest + 8.0 } else { 0.0 }
        };
        let left = EDGE + room(&self.row_blocks, row_names);
        let mut top = EDGE;
        top += if self.title.is_empty() { 0.0 } else { TITLE + 5.0 };
        top += if self.subtitle.is_empty() { 0.0 } else { SMALL + 5.0 };
        top += if top > EDGE { 6.0 } else { 0.0 } + room(&self.column_blocks, column_names);

        let caption = self.caption();
        let fills = self.entries.iter().any(|e| e.2 == Kind::Fill);
        let key = ["entry of the matrix", "fill-in"];
        let key_width = if fills { key.iter().map(|k| width(k, SMALL) + 34.0).sum::<f64>() } else { 0.0 };
        let texts = [
            width(&caption, SMALL),
            key_width,
            width(&self.title, TITLE * 1.08).min(SIDE),
            width(&self.subtitle, SMALL).min(SIDE),
        ];
        let texts = texts.into_iter().fold(0.0, f64::max);
        let total = (f64::max(left + w, EDGE + texts) + EDGE).ceil();
        let height = (top + h + 24.0 + if fills { 18.0 } else { 0.0 } + EDGE - 4.0).ceil();
        let title = if self.title.is_empty() { "sparsity pattern".to_string() } else { self.title.clone() };
        let mut d = Drawing { width: total, height, title, description: caption.clone(), items: Vec::new() };
        let mut y = EDGE;
        if !self.title.is_empty() {
            y += TITLE - 2.0;
            d.heading((EDGE, y), TITLE, &shortened(&self.title, TITLE * 1.08, total - 2.0 * EDGE));
            y += 7.0;
        }
        let subtitle = shortened(&self.subtitle, SMALL, total - 2.0 * EDGE);
        d.text((EDGE, y + SMALL - 2.0), SMALL, Anchor::Start, Ink::Quiet, subtitle);

        let grid = self.cells(rows, columns);
        let apart = if cell >= 3.0 && longest <= MOST { 0.86 } else { 1.0 };
        for (kind, ink) in [(Kind::Entry, Ink::Entry), (Kind::Fill, Ink::Fill)] {
            let runs = runs(&grid, columns, kind, apart < 1.0);
            if !runs.is_empty() {
                let title = Some(if kind == Kind::Fill { "fill-in".to_string() } else { "entries".to_string() });
                d.items.push(Item::Cells(Cells { x: left, y: top, cell, part: apart, runs, ink, title }));
            }
        }
        // lines between blocks, in the gaps between entries
        let mut lines = Vec::new();
        for at in boundaries(&self.row_blocks, self.rows, row_scale) {
            lines.push(vec![(left, top + at), (left + w, top + at)]);
        }
        for at in boundaries(&self.column_blocks, self.columns, column_scale) {
            lines.push(vec![(left + at, top), (left + at, top + h)]);
        }
        d.lines(lines, Ink::Block, 0.8);
        let corners = [(left, top), (left + w, top), (left + w, top + h), (left, top + h), (left, top)];
        d.lines(vec![corners.to_vec()], Ink::Axis, 1.0);

        let middle = |b: &Block, scale: f64| 0.5 * (b.range.start + b.range.end) as f64 * scale;
        if row_names {
            for b in &self.row_blocks {
                let at = (left - 5.0, top + middle(b, row_scale) + 0.35 * NAME);
                d.text(at, NAME, Anchor::End, Ink::Quiet, shortened(&b.name, NAME, NAMES));
            }
        }
        if column_names {
            for b in &self.column_blocks {
                let at = (left + middle(b, column_scale) + 0.35 * NAME, top - 5.0);
                d.upwards(at, NAME, Anchor::Start, Ink::Quiet, shortened(&b.name, NAME, NAMES));
            }
        }
        let below = top + h + 18.0;
        d.text((left, below), SMALL, Anchor::Start, Ink::Text, caption);
        if fills {
            let mut x = left;
            for (text, ink) in key.into_iter().zip([Ink::Entry, Ink::Fill]) {
                d.items.push(Item::Rectangle { x, y: below + 9.5, width: 9.0, height: 9.0, ink });
                d.text((x + 14.0, below + 18.0), SMALL, Anchor::Start, Ink::Quiet, text);
                x += width(text, SMALL) + 34.0;
            }
        }
        Ok(d)
    }
}

/// Is there room for all names of blocks?
fn named(blocks: &[Block], scale: f64) -> bool {
    !blocks.is_empty()
        && blocks.windows(2).all(|w| {
            let middle = |b: &Block| 0.5 * (b.range.start + b.range.end) as f64 * scale;
            middle(&w[1]) - middle(&w[0]) >= NAME + 0.5
        })
}

/// Lines between blocks: none where they would hide what they part.
fn boundaries(blocks: &[Block], size: usize, scale: f64) -> Vec<f64> {
    let inner = |b: &&Block| b.range.start > 0 && b.range.start < size;
    let at: Vec<f64> = blocks.iter().filter(inner).map(|b| b.range.start as f64 * scale).collect();
    let close = size as f64 * scale / (at.len() + 1) as f64;
    if close >= 5.0 { at } else { Vec::new() }
}

/// Cells of one kind in runs: row, first column, number. Single ones where they are to stay apart.
fn runs(grid: &[Option<Kind>], columns: usize, kind: Kind, single: bool) -> Vec<(u32, u32, u32)> {
    let mut runs: Vec<(u32, u32, u32)> = Vec::new();
    for (k, _) in grid.iter().enumerate().filter(|(_, c)| **c == Some(kind)) {
        let (row, column) = ((k / columns) as u32, (k % columns) as u32);
        match runs.last_mut() {
            Some((r, c, n)) if !single && *r == row && *c + *n == column => *n += 1,
            _ => runs.push((row, column, 1)),
        }
    }
    runs
}

/// A number with thin spaces between thousands.
fn grouped(n: usize) -> String {
    let digits = n.to_string();
    let mut out = String::new();
    for (k, c) in digits.chars().enumerate() {
        if k > 0 && (digits.len() - k).is_multiple_of(3) {
            out.push('\u{2009}');
        }
        out.push(c);
    }
    out
}
