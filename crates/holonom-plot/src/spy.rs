//! Pictures of sparse matrices, in the manner of the papers: a square where there is an entry, fine lines between
//! blocks, numbers below.
//!
//! Decisions. A small matrix shows every entry as a square of its own. One with more rows or columns than the picture
//! has room for is cut into a grid of at most [`MOST`] by as many cells; a cell is painted where anything in it is, as
//! fill where most of what is in it is fill. Cells beside each other are written as one, so a file stays below 1 MB
//! whatever the matrix.

use crate::chart::PlotError;
use crate::drawing::{Anchor, Cells, Drawing, DrawingItem, Ink};
use crate::text::{shortened, width};
use crate::ticks::plain;
use crate::{raster, svg};

/// What an entry of a matrix is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum EntryKind {
    /// There from the start.
    Entry,
    /// Made by elimination.
    Fill,
}

/// Rows or columns that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MatrixBlock {
    /// What they belong to.
    pub name: String,
    /// From the first up to but not including the last.
    pub range: std::ops::Range<usize>,
}

/// Where a matrix has entries.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpyPlot {
    /// First line; none if empty.
    pub title: String,
    /// Second line; none if empty.
    pub subtitle: String,
    /// Rows.
    pub rows: usize,
    /// Columns.
    pub columns: usize,
    /// Row and column, from 0, and what is there.
    pub entries: Vec<(u32, u32, EntryKind)>,
    /// Blocks of rows, from the top; may be empty.
    pub row_blocks: Vec<MatrixBlock>,
    /// Blocks of columns, from the left; may be empty.
    pub column_blocks: Vec<MatrixBlock>,
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

impl SpyPlot {
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
        let fill = self.entries.iter().filter(|e| e.2 == EntryKind::Fill).count();
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
        let inside = |e: &&(u32, u32, EntryKind)| (e.0 as usize) < self.rows && (e.1 as usize) < self.columns;
        match self.entries.iter().find(|e| !inside(e)) {
            Some(&(row, column, _)) => Err(PlotError::Outside { row, column, rows: self.rows, columns: self.columns }),
            None => Ok(()),
        }
    }

    /// What there is in the cells of a grid of so many rows and columns: nothing, entries, or mostly fill. Row by row.
    pub(crate) fn cells(&self, rows: usize, columns: usize) -> Vec<Option<EntryKind>> {
        let mut counts = vec![(0u32, 0u32); rows * columns];
        for &(r, c, kind) in &self.entries {
            let cell = |at: u32, n: usize, all: usize| (at as u64 * n as u64 / all.max(1) as u64) as usize;
            let (row, column) = (cell(r, rows, self.rows), cell(c, columns, self.columns));
            let count = &mut counts[row * columns + column];
            match kind {
                EntryKind::Entry => count.0 += 1,
                EntryKind::Fill => count.1 += 1,
            }
        }
        let kind = |(entries, fill): (u32, u32)| match (entries, fill) {
            (0, 0) => None,
            (e, f) if f > e => Some(EntryKind::Fill),
            _ => Some(EntryKind::Entry),
        };
        counts.into_iter().map(kind).collect()
    }

    /// Where everything goes: the grid of cells, as fine as the matrix or as the picture, and the margins around it.
    fn layout(&self) -> SpyLayout {
        let longest = self.rows.max(self.columns).max(1);
        let n = longest.min(MOST);
        let share = |size: usize| (size as u128 * n as u128).div_ceil(longest as u128) as usize;
        let along = |size: usize| if longest <= MOST { size } else { share(size).max(1) };
        let (rows, columns) = (along(self.rows), along(self.columns));
        let cell = (SIDE / n as f64).min(LARGEST);
        let (width, height) = (columns as f64 * cell, rows as f64 * cell);
        let row_scale = height / self.rows.max(1) as f64;
        let column_scale = width / self.columns.max(1) as f64;
        let row_names = named(&self.row_blocks, row_scale);
        let column_names = named(&self.column_blocks, column_scale);
        let mut top = EDGE;
        top += if self.title.is_empty() { 0.0 } else { TITLE + 5.0 };
        top += if self.subtitle.is_empty() { 0.0 } else { SMALL + 5.0 };
        top += if top > EDGE { 6.0 } else { 0.0 } + name_margin(&self.column_blocks, column_names);
        SpyLayout {
            rows,
            columns,
            cell,
            painted: if cell >= 3.0 && longest <= MOST { 0.86 } else { 1.0 },
            left: EDGE + name_margin(&self.row_blocks, row_names),
            top,
            width,
            height,
            row_scale,
            column_scale,
            row_names,
            column_names,
            has_fill: self.entries.iter().any(|e| e.2 == EntryKind::Fill),
        }
    }

    fn drawing(&self) -> Result<Drawing, PlotError> {
        self.check()?;
        let layout = self.layout();
        let mut d = self.titled_page(&layout);
        self.draw_entries(&mut d, &layout);
        self.draw_block_lines(&mut d, &layout);
        self.draw_block_names(&mut d, &layout);
        self.draw_caption(&mut d, &layout);
        Ok(d)
    }

    /// A page of the size that everything needs, with the titles.
    fn titled_page(&self, l: &SpyLayout) -> Drawing {
        let caption = self.caption();
        let key_width = if l.has_fill { KEY.iter().map(|(k, _)| width(k, SMALL) + 34.0).sum::<f64>() } else { 0.0 };
        let texts = [
            width(&caption, SMALL),
            key_width,
            width(&self.title, TITLE * 1.08).min(SIDE),
            width(&self.subtitle, SMALL).min(SIDE),
        ];
        let texts = texts.into_iter().fold(0.0, f64::max);
        let total = (f64::max(l.left + l.width, EDGE + texts) + EDGE).ceil();
        let height = (l.top + l.height + 24.0 + if l.has_fill { 18.0 } else { 0.0 } + EDGE - 4.0).ceil();
        let title = if self.title.is_empty() { "sparsity pattern".to_string() } else { self.title.clone() };
        let mut d = Drawing { width: total, height, title, description: caption, items: Vec::new() };
        let mut y = EDGE;
        if !self.title.is_empty() {
            y += TITLE - 2.0;
            d.heading((EDGE, y), TITLE, &shortened(&self.title, TITLE * 1.08, total - 2.0 * EDGE));
            y += 7.0;
        }
        let subtitle = shortened(&self.subtitle, SMALL, total - 2.0 * EDGE);
        d.text((EDGE, y + SMALL - 2.0), SMALL, Anchor::Start, Ink::Quiet, subtitle);
        d
    }

    fn draw_entries(&self, d: &mut Drawing, l: &SpyLayout) {
        let grid = self.cells(l.rows, l.columns);
        for (kind, ink, title) in [(EntryKind::Entry, Ink::Entry, "entries"), (EntryKind::Fill, Ink::Fill, "fill-in")] {
            let runs = runs(&grid, l.columns, kind, l.painted < 1.0);
            if !runs.is_empty() {
                let (cell, part, title) = (l.cell, l.painted, Some(title.to_string()));
                d.items.push(DrawingItem::Cells(Cells { x: l.left, y: l.top, cell, part, runs, ink, title }));
            }
        }
    }

    /// Lines between blocks, in the gaps between entries, and the frame.
    fn draw_block_lines(&self, d: &mut Drawing, l: &SpyLayout) {
        let (left, right, top, bottom) = (l.left, l.left + l.width, l.top, l.top + l.height);
        let mut lines = Vec::new();
        for at in boundaries(&self.row_blocks, self.rows, l.row_scale) {
            lines.push(vec![(left, top + at), (right, top + at)]);
        }
        for at in boundaries(&self.column_blocks, self.columns, l.column_scale) {
            lines.push(vec![(left + at, top), (left + at, bottom)]);
        }
        d.lines(lines, Ink::Block, 0.8);
        let corners = vec![(left, top), (right, top), (right, bottom), (left, bottom), (left, top)];
        d.lines(vec![corners], Ink::Axis, 1.0);
    }

    fn draw_block_names(&self, d: &mut Drawing, l: &SpyLayout) {
        if l.row_names {
            for b in &self.row_blocks {
                let at = (l.left - 5.0, l.top + b.middle(l.row_scale) + 0.35 * NAME);
                d.text(at, NAME, Anchor::End, Ink::Quiet, shortened(&b.name, NAME, NAMES));
            }
        }
        if l.column_names {
            for b in &self.column_blocks {
                let at = (l.left + b.middle(l.column_scale) + 0.35 * NAME, l.top - 5.0);
                d.upwards(at, NAME, Anchor::Start, Ink::Quiet, shortened(&b.name, NAME, NAMES));
            }
        }
    }

    /// The numbers below the matrix and, where there is fill, what the two colours mean.
    fn draw_caption(&self, d: &mut Drawing, l: &SpyLayout) {
        let below = l.top + l.height + 18.0;
        d.text((l.left, below), SMALL, Anchor::Start, Ink::Text, self.caption());
        if l.has_fill {
            let mut x = l.left;
            for (text, ink) in KEY {
                d.items.push(DrawingItem::Rectangle { x, y: below + 9.5, width: 9.0, height: 9.0, ink });
                d.text((x + 14.0, below + 18.0), SMALL, Anchor::Start, Ink::Quiet, text);
                x += width(text, SMALL) + 34.0;
            }
        }
    }
}

/// Where the parts of a spy plot lie, in points of 1/96 inch.
struct SpyLayout {
    /// Cells down and across.
    rows: usize,
    columns: usize,
    /// Side of a cell, and the part of it that is painted.
    cell: f64,
    painted: f64,
    /// Upper left corner of the matrix, and its size.
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    /// Size of a row and of a column of the matrix.
    row_scale: f64,
    column_scale: f64,
    /// Is there room for the names of blocks?
    row_names: bool,
    column_names: bool,
    has_fill: bool,
}

/// What the colours of a factor mean.
const KEY: [(&str, Ink); 2] = [("entry of the matrix", Ink::Entry), ("fill-in", Ink::Fill)];

impl MatrixBlock {
    /// Its middle, at so much per row or column.
    fn middle(&self, scale: f64) -> f64 {
        0.5 * (self.range.start + self.range.end) as f64 * scale
    }
}

/// What the names of blocks take beside the matrix, where they are shown.
fn name_margin(blocks: &[MatrixBlock], shown: bool) -> f64 {
    let longest = blocks.iter().map(|b| width(&b.name, NAME)).fold(0.0, f64::max).min(NAMES);
    if shown { longest + 8.0 } else { 0.0 }
}

/// Is there room for all names of blocks?
fn named(blocks: &[MatrixBlock], scale: f64) -> bool {
    !blocks.is_empty() && blocks.windows(2).all(|w| w[1].middle(scale) - w[0].middle(scale) >= NAME + 0.5)
}

/// Lines between blocks: none where they would hide what they part.
fn boundaries(blocks: &[MatrixBlock], size: usize, scale: f64) -> Vec<f64> {
    let inner = |b: &&MatrixBlock| b.range.start > 0 && b.range.start < size;
    let at: Vec<f64> = blocks.iter().filter(inner).map(|b| b.range.start as f64 * scale).collect();
    let close = size as f64 * scale / (at.len() + 1) as f64;
    if close >= 5.0 { at } else { Vec::new() }
}

/// Cells of one kind in runs: row, first column, number. Single ones where they are to stay apart.
fn runs(grid: &[Option<EntryKind>], columns: usize, kind: EntryKind, single: bool) -> Vec<(u32, u32, u32)> {
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
