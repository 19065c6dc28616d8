//! Pictures of matrices: every entry in its place, large ones small enough to send.

use holonom_plot::{EntryKind, MatrixBlock, PlotError, SketchOptions, SpyPlot};
use roxmltree::{Document, Node};

/// An arrow: a diagonal, a full last row, and fill beside the diagonal.
fn arrow(n: u32) -> SpyPlot {
    let mut entries: Vec<(u32, u32, EntryKind)> = (0..n).map(|i| (i, i, EntryKind::Entry)).collect();
    entries.extend((0..n - 1).map(|j| (n - 1, j, EntryKind::Entry)));
    entries.extend((1..n - 1).map(|i| (i, i - 1, EntryKind::Fill)));
    let block = |k: u32| MatrixBlock {
        name: format!("block {k}"),
        range: k as usize * n as usize / 3..(k as usize + 1) * n as usize / 3,
    };
    let blocks: Vec<MatrixBlock> = (0..3).map(block).collect();
    let n = n as usize;
    SpyPlot {
        title: "L".into(),
        rows: n,
        columns: n,
        entries,
        row_blocks: blocks.clone(),
        column_blocks: blocks,
        ..SpyPlot::default()
    }
}

fn path<'d>(doc: &'d Document, class: &str) -> Vec<Node<'d, 'd>> {
    doc.descendants().filter(|n| n.attribute("class") == Some(class)).collect()
}

/// Cells of a path of `M x y h w m dx 0 h w ...`, in units of cells: column, row, length.
fn cells(path: &Node) -> Vec<(i64, i64, i64)> {
    let mut out = Vec::new();
    let mut at = (0.0, 0.0);
    let text = path.attribute("d").unwrap().replace('M', ";M").replace('m', ";m");
    for part in text.split(';').filter(|p| !p.is_empty()) {
        let (to, length) = part[1..].split_once('h').unwrap();
        let (x, y) = to.split_once(' ').unwrap();
        let (x, y, w): (f64, f64, f64) = (x.parse().unwrap(), y.parse().unwrap(), length.parse().unwrap());
        at = if part.starts_with('M') { (x, y) } else { (at.0 + x, at.1 + y) };
        out.push((at.0.floor() as i64, at.1.floor() as i64, w.ceil() as i64));
        at.0 += w;
    }
    out
}

#[test]
fn every_entry_has_its_square() {
    let spy = arrow(12);
    let svg = spy.to_svg().unwrap();
    let doc = Document::parse(&svg).unwrap();
    for (class, kind) in [("entry-line", EntryKind::Entry), ("fill-line", EntryKind::Fill)] {
        let found = path(&doc, class);
        assert_eq!(found.len(), 1);
        let mut drawn = cells(&found[0]);
        drawn.sort_unstable();
        let mut given: Vec<(i64, i64, i64)> =
            spy.entries.iter().filter(|e| e.2 == kind).map(|e| (e.1 as i64, e.0 as i64, 1)).collect();
        given.sort_unstable();
        assert_eq!(drawn, given);
    }
    let texts: Vec<&str> = doc.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect();
    assert_eq!(texts.iter().filter(|t| **t == "block 1").count(), 2, "rows and columns are named");
    assert!(texts.contains(&"n = 12, nnz = 33 (22.9 %), fill-in 10") && texts.contains(&"fill-in"));
    // two lines between three blocks, both ways
    let lines = path(&doc, "block-line");
    assert_eq!(lines[0].attribute("d").unwrap().matches('M').count(), 4);
}

#[test]
fn large_matrices_make_small_files() {
    let n = 50_000;
    let spy = arrow(n);
    let svg = spy.to_svg().unwrap();
    assert!(svg.len() < 100_000, "{}", svg.len());
    let doc = Document::parse(&svg).unwrap();
    let drawn = cells(&path(&doc, "entry-line")[0]);
    let top = drawn.iter().map(|c| c.1).max().unwrap();
    assert!(
        drawn.contains(&(0, top, top)) || drawn.contains(&(0, top, top + 1)),
        "the last row is full: {:?}",
        drawn.last()
    );
    // a checkerboard at the resolution of the picture is the longest there is
    let board =
        (0..400u32).flat_map(|r| (0..400u32).filter(move |c| (r + c) % 2 == 0).map(move |c| (r, c, EntryKind::Entry)));
    let board = SpyPlot { rows: 400, columns: 400, entries: board.collect(), ..SpyPlot::default() };
    let size = board.to_svg().unwrap().len();
    assert!(size < 1_000_000, "{size}");
    assert!(board.to_png(1.0).unwrap().len() < 1_000_000);
}

#[test]
fn shapes_of_all_kinds() {
    for (rows, columns) in
        [(0, 0), (0, 7), (7, 0), (1, 1), (1, 5000), (5000, 1), (3, 100_000), (401, 399), (usize::MAX, usize::MAX)]
    {
        let entries = (0..rows.min(columns).min(9000) as u32).map(|i| (i, i, EntryKind::Entry)).collect();
        let spy = SpyPlot { rows, columns, entries, ..SpyPlot::default() };
        Document::parse(&spy.to_svg().unwrap()).unwrap();
        assert!(!spy.to_png(1.0).unwrap().is_empty());
        for ascii in [false, true] {
            let sketch = spy.sketch(&SketchOptions { ascii, ..SketchOptions::default() }).unwrap();
            assert!(sketch.lines().all(|l| l.chars().count() <= 80), "{sketch}");
            assert!(sketch.is_ascii() || !ascii, "{sketch}");
            assert!(sketch.lines().count() < 40);
        }
    }
}

#[test]
fn small_matrices_are_written_entry_by_entry() {
    let sketch = arrow(6).sketch(&SketchOptions { ascii: true, ..SketchOptions::default() }).unwrap();
    let wanted = "L\n# . . . . .\no # . . . .\n. o # . . .\n. . o # . .\n. . . o # .\n# # # # # #\nn = 6, nnz = 15 (41.7 %), fill-in 4\n";
    assert_eq!(sketch, wanted);
    assert!(arrow(6).sketch(&SketchOptions::default()).unwrap().contains("□ ■"));
}

#[test]
fn an_entry_outside_is_refused() {
    let spy = SpyPlot { rows: 3, columns: 2, entries: vec![(1, 2, EntryKind::Entry)], ..SpyPlot::default() };
    let e = spy.to_svg().unwrap_err();
    assert_eq!(e, PlotError::Outside { row: 1, column: 2, rows: 3, columns: 2 });
    assert!(spy.to_png(1.0).is_err() && spy.sketch(&SketchOptions::default()).is_err());
    // blocks that make no sense do no harm
    let block = MatrixBlock { name: "b".into(), range: 7..90 };
    let spy = SpyPlot { rows: 3, columns: 2, row_blocks: vec![block.clone(), block], ..SpyPlot::default() };
    assert!(spy.to_svg().is_ok());
}
