//! From a chart to a drawing: where panels, axes, curves and names go.
//!
//! Decisions. Panels are of one width, with one horizontal axis below the last. A panel with one curve has its name at
//! the vertical axis; with several, names stand right of the panel, as close to the ends of their curves as their
//! neighbours allow, tied to them by thin lines. So nothing covers a curve, and colours need not be looked up. The
//! picture grows by what the names need; very long ones are shortened in the middle. Curves get about 2 columns of
//! points per point of width.

use crate::chart::{ChartPanel, LineChart, Mark, labelled};
use crate::drawing::{Anchor, Drawing, DrawingItem, Ink, Lines, N_COLOURS, dashes};
use crate::text::{shortened, width};
use crate::thin;
use crate::ticks::Ruler;

/// Width of a panel.
const ACROSS: f64 = 620.0;
const EDGE: f64 = 18.0;
/// Sizes of text.
const TITLE: f64 = 15.0;
const SMALL: f64 = 11.0;
const NAME: f64 = 11.5;
/// Height of a line of names.
const LEAD: f64 = 16.0;
/// Longest names.
const NAMES: f64 = 250.0;
/// Between the panel and the names: room for the tie, and a piece of the curve.
const TIE: f64 = 16.0;
/// As long as the longest pattern of dashes.
const SWATCH: f64 = 26.0;
const BETWEEN: f64 = 18.0;
/// Between a mark and its label.
const BESIDE: f64 = 3.0;

/// A panel in its place.
struct Placed<'c> {
    panel: ChartPanel<'c>,
    y: Option<Ruler>,
    top: f64,
    height: f64,
    /// What stands at the axis.
    label: String,
}

pub(crate) fn draw(chart: &LineChart) -> Drawing {
    let (low, high) = chart.x_range();
    let x = Ruler::new(chart.x.scale, low, high, (ACROSS / 85.0) as usize, 0.0);
    let mut top = EDGE;
    top += if chart.title.is_empty() { 0.0 } else { TITLE + 5.0 };
    top += if chart.subtitle.is_empty() { 0.0 } else { SMALL + 5.0 };
    let head = top;
    top += if chart.title.is_empty() && chart.subtitle.is_empty() { 0.0 } else { 6.0 };
    let marks = Marks::place(chart, &x);
    top += marks.rows as f64 * Marks::ROW;
    let mut placed = place(chart, &mut top);
    let numbers = placed.iter().flat_map(|p| p.y.iter()).flat_map(|y| &y.major).map(|(_, l)| width(l, SMALL));
    let numbers = numbers.fold(20.0, f64::max);
    let left = (EDGE + NAME + 10.0 + numbers + 8.0).ceil();
    let names = |p: &Placed| {
        let longest = p.panel.series.iter().map(|&k| width(&chart.series[k].name, NAME)).fold(0.0, f64::max);
        if p.panel.series.len() > 1 { TIE + SWATCH + 6.0 + longest.min(NAMES) } else { 0.0 }
    };
    let beside = placed.iter().map(names).fold(marks.beyond, f64::max);
    let bottom = placed.last().map_or(top, |p| p.top + p.height);
    let (w, h) = ((left + ACROSS + beside + EDGE + 6.0).ceil(), (bottom + 50.0).ceil());
    let title = if chart.title.is_empty() { "chart".to_string() } else { chart.title.clone() };
    let names: Vec<&str> = chart.series.iter().map(|s| s.name.as_str()).collect();
    let description = format!("{} over {}", names.join(", "), chart.x.text());
    let mut d = Drawing { width: w, height: h, title, description, items: Vec::new() };

    let mut y = EDGE;
    if !chart.title.is_empty() {
        y += TITLE - 2.0;
        d.heading((left, y), TITLE, &shortened(&chart.title, TITLE * 1.08, w - left - EDGE));
        y += 7.0;
    }
    if !chart.subtitle.is_empty() {
        let text = shortened(&chart.subtitle, SMALL, w - left - EDGE);
        d.text((left, y + SMALL - 2.0), SMALL, Anchor::Start, Ink::Quiet, text);
    }
    debug_assert!(y <= head);
    for p in &mut placed {
        frame(&mut d, p, &x, left);
    }
    marks.draw(&mut d, &placed, left);
    for p in &placed {
        curves(&mut d, chart, p, &x, left);
    }
    horizontal(&mut d, chart, &x, left, bottom);
    d
}

/// Heights and rulers of all panels.
fn place<'c>(chart: &'c LineChart, top: &mut f64) -> Vec<Placed<'c>> {
    let panels = chart.panels();
    let usual = match panels.len() {
        1 => 330.0,
        2 => 210.0,
        3 => 165.0,
        _ => 140.0,
    };
    let place = |panel: ChartPanel<'c>| {
        // names must fit beside the panel
        let height = f64::max(usual, panel.series.len() as f64 * LEAD);
        let y = panel.range.map(|(a, b)| Ruler::new(chart.y_scale, a, b, (height / 42.0) as usize, 0.05));
        let name = match panel.series[..] {
            [one] => chart.series[one].name.as_str(),
            _ => "",
        };
        // the unit stays whole
        let room = height + BETWEEN - 6.0 - width(&labelled("", panel.unit), NAME) - width(" ()", NAME);
        let label = labelled(&if name.is_empty() { String::new() } else { shortened(name, NAME, room) }, panel.unit);
        *top += if y.as_ref().is_some_and(|y| !y.note.is_empty()) { SMALL + 3.0 } else { 0.0 };
        let placed = Placed { panel, y, top: *top, height, label };
        *top += height + BETWEEN;
        placed
    };
    panels.into_iter().map(place).collect()
}

/// Grid, axis lines and ticks of a panel.
fn frame(d: &mut Drawing, p: &Placed, x: &Ruler, left: f64) {
    let (top, bottom, right) = (p.top, p.top + p.height, left + ACROSS);
    let across = |f: f64| left + f * ACROSS;
    let down = |f: f64| bottom - f * p.height;
    let mut grid: Vec<_> = x.major.iter().map(|(f, _)| vec![(across(*f), top), (across(*f), bottom)]).collect();
    if let Some(y) = &p.y {
        grid.extend(y.major.iter().map(|(f, _)| vec![(left, down(*f)), (right, down(*f))]));
    }
    d.lines(grid, Ink::Grid, 1.0);
    let mut ticks: Vec<_> =
        x.major.iter().map(|(f, _)| vec![(across(*f), bottom), (across(*f), bottom + 5.0)]).collect();
    ticks.extend(x.minor.iter().map(|f| vec![(across(*f), bottom), (across(*f), bottom + 2.5)]));
    if let Some(y) = &p.y {
        ticks.extend(y.major.iter().map(|(f, _)| vec![(left - 5.0, down(*f)), (left, down(*f))]));
        ticks.extend(y.minor.iter().map(|f| vec![(left - 2.5, down(*f)), (left, down(*f))]));
    }
    ticks.push(vec![(left, top), (left, bottom), (right, bottom)]);
    d.lines(ticks, Ink::Axis, 1.0);
    match &p.y {
        Some(y) => {
            for (f, label) in &y.major {
                d.text((left - 8.0, down(*f) + 0.36 * SMALL), SMALL, Anchor::End, Ink::Quiet, label.clone());
            }
            d.text((left - 5.0, top - 6.0), SMALL, Anchor::Start, Ink::Quiet, y.note.clone());
        }
        None => {
            let text = "no values that could be shown";
            d.text((left + 0.5 * ACROSS, top + 0.5 * p.height), NAME, Anchor::Middle, Ink::Quiet, text);
        }
    }
    d.upwards((EDGE + NAME - 2.0, top + 0.5 * p.height), NAME, Anchor::Middle, Ink::Text, p.label.clone());
}

/// Numbers and label below the last panel.
fn horizontal(d: &mut Drawing, chart: &LineChart, x: &Ruler, left: f64, bottom: f64) {
    for (f, label) in &x.major {
        d.text((left + f * ACROSS, bottom + 18.0), SMALL, Anchor::Middle, Ink::Quiet, label.clone());
    }
    let text = chart.x.text();
    let text = if x.note.is_empty() { text } else { format!("{text}   {}", x.note) };
    d.text((left + 0.5 * ACROSS, bottom + 36.0), NAME, Anchor::Middle, Ink::Text, text);
}

/// Curves of a panel, and their names if there are several.
fn curves(d: &mut Drawing, chart: &LineChart, p: &Placed, x: &Ruler, left: f64) {
    let Some(y) = &p.y else { return };
    let (bottom, right) = (p.top + p.height, left + ACROSS);
    let mut ends = Vec::new();
    for (place, &k) in p.panel.series.iter().enumerate() {
        let s = &chart.series[k];
        let points =
            s.x.iter().zip(s.y).map(|(&a, &b)| Some((left + x.place(a)? * ACROSS, bottom - y.place(b)? * p.height)));
        let pieces = match s.dots {
            true => points.flatten().map(|point| vec![point]).collect(),
            false => thin::pieces(points, 0.5),
        };
        let last = pieces.last().and_then(|p| p.last()).copied();
        let style = Lines {
            pieces,
            ink: Ink::Series((place % N_COLOURS) as u8),
            width: if s.dots { 4.0 } else { 1.6 },
            dashes: if s.dots { &[] } else { dashes(place / N_COLOURS) },
            opacity: if s.dots { 0.6 } else { 1.0 },
            round: true,
            title: Some(labelled(&s.name, &s.unit)),
        };
        ends.push((last, style.clone()));
        d.items.push(DrawingItem::Lines(style));
    }
    if ends.len() < 2 {
        return;
    }
    // names by the height of the curves' ends, spread until they do not touch
    let middle = p.top + 0.5 * p.height;
    let mut order: Vec<(f64, usize)> = ends.iter().enumerate().map(|(k, e)| (e.0.map_or(middle, |e| e.1), k)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let wanted: Vec<f64> = order.iter().map(|o| o.0).collect();
    let heights = spread(&wanted, LEAD, p.top + 0.5 * LEAD - 4.0, bottom - 0.5 * LEAD + 4.0);
    for (&(_, k), at) in order.iter().zip(heights) {
        let (end, style) = &ends[k];
        if let Some(end) = end.filter(|e| e.0 > right - 3.0 && style.width < 2.0) {
            let pieces = vec![vec![(right + 2.0, end.1), (right + TIE - 2.0, at)]];
            let tie = Lines { pieces, width: 0.8, dashes: &[], opacity: 0.55, title: None, ..style.clone() };
            d.items.push(DrawingItem::Lines(tie));
        }
        let from = right + TIE;
        let pieces = vec![vec![(from, at), (from + SWATCH, at)]];
        d.items.push(DrawingItem::Lines(Lines { pieces, round: false, title: None, ..style.clone() }));
        let name = &chart.series[p.panel.series[k]].name;
        let short = shortened(name, NAME, NAMES);
        d.text((from + SWATCH + 6.0, at + 0.35 * NAME), NAME, Anchor::Start, Ink::Text, short.clone());
        if let (Some(DrawingItem::Text(t)), true) = (d.items.last_mut(), short != *name) {
            t.title = Some(name.clone());
        }
    }
}

/// Heights as near to the wanted (rising) ones as can be when neighbours keep their distance: groups that touch share
/// their middle.
fn spread(wanted: &[f64], distance: f64, low: f64, high: f64) -> Vec<f64> {
    // groups: first place, number, sum of (wanted - own offset)
    let mut groups: Vec<(usize, f64)> = Vec::new();
    let start = |&(n, sum): &(usize, f64)| {
        let end = high - (n as f64 - 1.0) * distance;
        (sum / n as f64).min(end).max(low)
    };
    for &w in wanted {
        groups.push((1, w));
        while let [.., a, b] = groups[..] {
            if start(&a) + a.0 as f64 * distance <= start(&b) {
                break;
            }
            groups.truncate(groups.len() - 2);
            groups.push((a.0 + b.0, a.1 + b.1 - b.0 as f64 * a.0 as f64 * distance));
        }
    }
    groups.iter().flat_map(|g| (0..g.0).map(move |i| start(g) + i as f64 * distance)).collect()
}

/// Vertical marks. Labels stand right of the tops of their lines, in rows above the first panel: a label that would run
/// into the next mark goes one row higher than that, so no line crosses a label.
struct Marks {
    marks: Vec<MarkAt>,
    rows: usize,
    /// How far labels reach beyond the right edge of the panels.
    beyond: f64,
}

struct MarkAt {
    /// From the left edge of the panels.
    x: f64,
    label: String,
    /// Its row; `None` where all are taken, and the label is left to the pointer.
    row: Option<usize>,
}

impl Marks {
    const ROWS: usize = 4;
    const ROW: f64 = 13.0;

    fn place(chart: &LineChart, x: &Ruler) -> Marks {
        let inside = |f: &f64| (-1e-9..=1.0 + 1e-9).contains(f);
        let place = |m: &Mark| Some((x.place(m.x).filter(inside)? * ACROSS, shortened(&m.label, SMALL, NAMES)));
        let mut marks: Vec<(f64, String)> = chart.marks.iter().filter_map(place).collect();
        marks.sort_by(|a, b| b.0.total_cmp(&a.0));
        // from the right: where the labels placed so far begin in each row
        let mut begins = [f64::INFINITY; Marks::ROWS];
        let mut placed = Vec::new();
        let mut beyond = 0.0;
        for (x, label) in marks {
            let end = x + BESIDE + width(&label, SMALL);
            let row = begins.iter().position(|&b| end + 6.0 <= b).filter(|_| !label.is_empty());
            if let Some(row) = row {
                begins[..=row].fill(x);
                beyond = f64::max(beyond, end - ACROSS);
            }
            placed.push(MarkAt { x, label, row });
        }
        let rows = placed.iter().filter_map(|m| m.row).map(|row| row + 1).max().unwrap_or(0);
        Marks { marks: placed, rows, beyond }
    }

    fn draw(&self, d: &mut Drawing, placed: &[Placed], left: f64) {
        let Some(first) = placed.first() else { return };
        let note = first.y.as_ref().is_some_and(|y| !y.note.is_empty());
        let base = first.top - if note { SMALL + 3.0 } else { 0.0 };
        for mark in &self.marks {
            let x = left + mark.x;
            let top = |p: &Placed, is_first: bool| match mark.row {
                Some(row) if is_first => base - Self::ROW * (row as f64 + 1.0) + 2.0,
                _ => p.top,
            };
            let pieces = placed.iter().enumerate().map(|(k, p)| vec![(x, top(p, k == 0)), (x, p.top + p.height)]);
            d.items.push(DrawingItem::Lines(Lines {
                pieces: pieces.collect(),
                ink: Ink::Mark,
                width: 1.0,
                dashes: &[4.0, 3.0],
                opacity: 1.0,
                round: false,
                title: Some(mark.label.clone()),
            }));
            if let Some(row) = mark.row {
                let y = base - 3.0 - Self::ROW * row as f64;
                d.text((x + BESIDE, y), SMALL, Anchor::Start, Ink::Mark, mark.label.clone());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_keep_their_distance_and_their_order() {
        for wanted in [vec![0.0, 0.0, 0.0], vec![10.0, 11.0, 90.0, 91.0, 92.0], vec![100.0; 6], vec![5.0, 50.0, 95.0]] {
            let at = spread(&wanted, 15.0, 5.0, 95.0);
            assert_eq!(at.len(), wanted.len());
            assert!(at.windows(2).all(|w| w[1] - w[0] >= 15.0 - 1e-9), "{wanted:?} {at:?}");
            assert!(at[0] >= 5.0 - 1e-9 && *at.last().unwrap() <= 95.0 + 1e-9, "{wanted:?} {at:?}");
        }
        assert_eq!(spread(&[5.0, 50.0, 95.0], 15.0, 5.0, 95.0), [5.0, 50.0, 95.0], "room for all");
        assert_eq!(spread(&[50.0, 50.0], 20.0, 0.0, 100.0), [40.0, 60.0], "both give way");
    }
}
