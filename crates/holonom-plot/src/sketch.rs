//! Charts and matrices in the characters of a terminal.
//!
//! A character of braille is a grid of 2 by 4 dots: eight points where ASCII has one. Without braille, curves are drawn
//! with the signs `* + x o # @`, one for each series. Colours are those of the terminal's own palette, and only when
//! asked for.

use crate::chart::{ChartPanel, LineChart, PlotError, labelled};
use crate::spy::{EntryKind, SpyPlot};
use crate::ticks::Ruler;

/// How to draw in a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SketchOptions {
    /// Characters across.
    pub width: usize,
    /// Lines down, for the curves of all panels or the matrix; titles and legends come on top.
    pub height: usize,
    /// Colours by ANSI escapes.
    pub colour: bool,
    /// ASCII alone.
    pub ascii: bool,
}

impl Default for SketchOptions {
    fn default() -> SketchOptions {
        SketchOptions { width: 80, height: 20, colour: false, ascii: false }
    }
}

const SIGNS: [char; 6] = ['*', '+', 'x', 'o', '#', '@'];
/// Blue, yellow, green, magenta, cyan, white; bright from the second round on.
const COLOURS: [u8; 6] = [34, 33, 32, 35, 36, 37];
/// Bits of the dots of a braille character, by row and column.
const DOTS: [[u8; 2]; 4] = [[0x01, 0x08], [0x02, 0x10], [0x04, 0x20], [0x40, 0x80]];
const WIDEST: usize = 1000;

/// Characters with dots in them.
struct Canvas {
    width: usize,
    height: usize,
    ascii: bool,
    /// Signs where there are no dots, by who sets them.
    signs: &'static [char],
    /// Dots, and who set one last.
    cells: Vec<(u8, u8)>,
}

impl Canvas {
    fn new(width: usize, height: usize, ascii: bool, signs: &'static [char]) -> Canvas {
        Canvas { width, height, ascii, signs, cells: vec![(0, 0); width * height] }
    }

    /// Dots across and down.
    fn dots(&self) -> (usize, usize) {
        if self.ascii { (self.width, self.height) } else { (2 * self.width, 4 * self.height) }
    }

    fn set(&mut self, x: usize, y: usize, who: u8) {
        let (w, h) = self.dots();
        if x >= w || y >= h {
            return;
        }
        let (cell, bit) =
            if self.ascii { (y * self.width + x, 1) } else { (y / 4 * self.width + x / 2, DOTS[y % 4][x % 2]) };
        self.cells[cell] = (self.cells[cell].0 | bit, who);
    }

    /// A line from dot to dot.
    fn line(&mut self, a: (f64, f64), b: (f64, f64), who: u8) {
        let n = (b.0 - a.0).abs().max((b.1 - a.1).abs()).ceil().max(1.0) as usize;
        for k in 0..=n {
            let f = k as f64 / n as f64;
            let (x, y) = (a.0 + f * (b.0 - a.0), a.1 + f * (b.1 - a.1));
            self.set(x.round().max(0.0) as usize, y.round().max(0.0) as usize, who);
        }
    }

    fn row(&self, y: usize, colour: bool) -> String {
        let mut out = String::new();
        for &(dots, who) in &self.cells[y * self.width..(y + 1) * self.width] {
            let sign = match (dots, self.ascii) {
                (0, _) => ' ',
                (_, true) => self.signs[who as usize % self.signs.len()],
                (dots, false) => char::from_u32(0x2800 + dots as u32).unwrap_or(' '),
            };
            out.push_str(&painted(&sign.to_string(), who, colour && dots != 0));
        }
        out
    }
}

/// Text in the colour of a series.
fn painted(text: &str, who: u8, colour: bool) -> String {
    if !colour {
        return text.to_string();
    }
    let bright = if who as usize / COLOURS.len() % 2 == 1 { 60 } else { 0 };
    format!("\u{1b}[{}m{text}\u{1b}[0m", COLOURS[who as usize % COLOURS.len()] + bright)
}

/// Signs that ASCII does not have, in words.
fn plain(text: &str, ascii: bool) -> String {
    if !ascii {
        return text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    }
    let mut out = String::new();
    let mut raised = false;
    for c in text.chars() {
        let digit = "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().position(|d| d == c);
        if (digit.is_some() || c == '⁻') && !raised {
            out.push('^');
        }
        raised = digit.is_some() || c == '⁻';
        match (c, digit) {
            (_, Some(d)) => out.push((b'0' + d as u8) as char),
            ('−' | '⁻', _) => out.push('-'),
            ('×' | '·', _) => out.push('*'),
            ('µ' | 'μ', _) => out.push('u'),
            ('°', _) => out.push_str("deg"),
            ('…', _) => out.push_str(".."),
            ('\u{2009}', _) => {}
            (c, _) if c.is_ascii() && !c.is_control() => out.push(c),
            _ => out.push('?'),
        }
    }
    out
}

/// Cut to so many characters.
fn cut(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}

impl LineChart<'_> {
    /// The chart in characters. Every panel has at least four lines.
    ///
    /// ```
    /// use holonom_plot::{Axis, LineChart, SketchOptions, Series};
    /// let t: Vec<f64> = (0..200).map(|i| 0.05 * i as f64).collect();
    /// let y: Vec<f64> = t.iter().map(|t| t.sin()).collect();
    /// let chart = LineChart { x: Axis::new("time", "s"), series: vec![Series::new("angle", "rad", &t, &y)], ..LineChart::default() };
    /// let sketch = chart.sketch(&SketchOptions { width: 60, height: 8, ..SketchOptions::default() })?;
    /// assert!(sketch.lines().all(|line| line.chars().count() <= 60));
    /// # Ok::<(), holonom_plot::PlotError>(())
    /// ```
    pub fn sketch(&self, options: &SketchOptions) -> Result<String, PlotError> {
        self.check()?;
        let width = options.width.clamp(20, WIDEST);
        let panels = self.panels();
        let height = (options.height.min(WIDEST) / panels.len()).max(4);
        let (low, high) = self.x_range();
        let x = Ruler::new(self.x.scale, low, high, 5, 0.0);
        let text = |s: &str| plain(s, options.ascii);
        let scaled: Vec<ScaledPanel> = panels
            .into_iter()
            .map(|panel| {
                let y = panel.range.map(|(a, b)| Ruler::new(self.y_scale, a, b, 5, 0.0));
                let ends = y.as_ref().map(|y| y.ends()).map(|(a, b)| [text(&a), text(&b)]);
                ScaledPanel { panel, y, ends }
            })
            .collect();
        let widest = scaled.iter().filter_map(|p| p.ends.as_ref()).flatten().map(|l| l.chars().count()).max();
        let left = widest.unwrap_or(0).min(width / 2);
        let sketch = ChartSketch { chart: self, options, x, width, left, height };

        let mut out = String::new();
        head(&mut out, [&self.title, &self.subtitle], width, options.ascii);
        for panel in &scaled {
            sketch.legend(&mut out, panel);
            sketch.curves(&mut out, panel);
        }
        sketch.x_axis(&mut out);
        Ok(out)
    }
}

/// A panel with its vertical axis and what stands at the ends of it, lowest first; none without values.
struct ScaledPanel<'c> {
    panel: ChartPanel<'c>,
    y: Option<Ruler>,
    ends: Option<[String; 2]>,
}

/// A chart as it is being drawn in characters.
struct ChartSketch<'a> {
    chart: &'a LineChart<'a>,
    options: &'a SketchOptions,
    x: Ruler,
    /// Characters across, those left of the axis, and lines of a panel.
    width: usize,
    left: usize,
    height: usize,
}

impl ChartSketch<'_> {
    fn text(&self, s: &str) -> String {
        plain(s, self.options.ascii)
    }

    /// The sign or colour of each curve, then its name.
    fn legend(&self, out: &mut String, panel: &ScaledPanel) {
        let (ascii, colour) = (self.options.ascii, self.options.colour);
        let (mut legend, mut room) = (String::new(), self.width);
        let series = &panel.panel.series;
        for (who, &k) in series.iter().enumerate() {
            let name = self.text(&labelled(&self.chart.series[k].name, panel.panel.unit));
            let mark = match (ascii, colour) {
                (true, _) => SIGNS[who % SIGNS.len()].to_string(),
                (false, true) => "━━".to_string(),
                (false, false) if series.len() == 1 => "─".to_string(),
                (false, false) => format!("[{}]", who + 1),
            };
            let entry = format!("{mark} {name}");
            let n = entry.chars().count() + 2;
            if n > room && !legend.is_empty() {
                line(out, &legend);
                legend.clear();
                room = self.width;
            }
            let entry = cut(&entry, self.width);
            let (mark, rest) = entry.split_at(mark.len().min(entry.len()));
            legend.push_str(&format!("{}{rest}  ", painted(mark, who as u8, colour)));
            room = room.saturating_sub(n);
        }
        let nothing = if panel.y.is_none() { "no values that could be shown" } else { "" };
        line(out, &(legend + nothing));
    }

    /// The curves of a panel beside its vertical axis.
    fn curves(&self, out: &mut String, panel: &ScaledPanel) {
        let (ascii, colour, left) = (self.options.ascii, self.options.colour, self.left);
        let canvas = self.canvas(panel);
        let bar = if ascii { '|' } else { '┤' };
        for row in 0..self.height {
            let label = panel.ends.as_ref().map_or("", |[low, high]| match row {
                0 => high.as_str(),
                r if r + 1 == self.height => low.as_str(),
                _ => "",
            });
            let sign = if label.is_empty() && !ascii { '│' } else { bar };
            let numbered = if ascii || colour || panel.panel.series.len() < 2 {
                String::new()
            } else {
                ends(self.chart, &panel.panel.series, panel.y.as_ref(), row, self.height)
            };
            let body = canvas.row(row, colour);
            let body = if numbered.is_empty() { body } else { over(&body, &numbered) };
            line(out, &format!("{label:>left$} {sign}{body}", label = cut(label, left)));
        }
    }

    fn canvas(&self, panel: &ScaledPanel) -> Canvas {
        let mut canvas = Canvas::new(self.width - self.left - 2, self.height, self.options.ascii, &SIGNS);
        let Some(y) = &panel.y else { return canvas };
        let (w, h) = canvas.dots();
        let place = |f: f64, n: usize| f * (n - 1) as f64;
        for (who, &k) in panel.panel.series.iter().enumerate() {
            let s = &self.chart.series[k];
            let mut last: Option<(f64, f64)> = None;
            for (&a, &b) in s.x.iter().zip(s.y) {
                let here = self.x.place(a).zip(y.place(b)).map(|(a, b)| (place(a, w), place(1.0 - b, h)));
                if let Some(here) = here {
                    canvas.line(last.filter(|_| !s.dots).unwrap_or(here), here, who as u8);
                }
                last = here;
            }
        }
        canvas
    }

    fn x_axis(&self, out: &mut String) {
        let left = self.left;
        let (corner, dash) = if self.options.ascii { ('+', '-') } else { ('└', '─') };
        let across = self.width - left - 2;
        let rule: String = std::iter::repeat_n(dash, across).collect();
        line(out, &format!("{:left$} {corner}{rule}", ""));
        let (a, b) = self.x.ends();
        let (a, b, name) = (self.text(&a), self.text(&b), self.text(&self.chart.x.text()));
        let count = |s: &str| s.chars().count();
        let free = across.saturating_sub(count(&a) + count(&name) + count(&b));
        let (before, after) = (" ".repeat(free / 2), " ".repeat(free - free / 2));
        line(out, &cut(&format!("{:left$}  {a}{before}{name}{after}{b}", ""), self.width));
    }
}

/// Title and subtitle, where there are any.
fn head(out: &mut String, lines: [&String; 2], width: usize, ascii: bool) {
    for head in lines.into_iter().filter(|h| !h.is_empty()) {
        line(out, &cut(&plain(head, ascii), width));
    }
}

/// Numbers of the curves that end in this row, for the last columns of it: without colours nothing else tells braille
/// curves apart.
fn ends(chart: &LineChart, series: &[usize], ruler: Option<&Ruler>, row: usize, height: usize) -> String {
    let Some(ruler) = ruler else { return String::new() };
    let end = |k: usize| chart.series[k].y.iter().rev().find_map(|&v| ruler.place(v));
    let here = |f: f64| ((1.0 - f) * (height - 1) as f64).round() as usize == row;
    let numbers =
        series.iter().enumerate().filter(|&(_, &k)| end(k).is_some_and(here)).map(|(i, _)| (i + 1).to_string());
    numbers.collect::<Vec<_>>().join(",")
}

/// The last characters of a row replaced.
fn over(row: &str, end: &str) -> String {
    let n = row.chars().count();
    let kept = n.saturating_sub(end.chars().count());
    row.chars().take(kept).chain(end.chars().take(n)).collect()
}

/// The second colour is that of fill.
const FILL_COLOUR: u8 = 1;

impl SpyPlot {
    /// The matrix in characters: one for each entry where there is room, otherwise dots.
    pub fn sketch(&self, options: &SketchOptions) -> Result<String, PlotError> {
        self.check()?;
        let (width, height) = (options.width.clamp(8, WIDEST), options.height.clamp(4, WIDEST));
        let mut out = String::new();
        head(&mut out, [&self.title, &self.subtitle], width, options.ascii);
        if self.rows <= height.max(24) && self.columns <= width / 2 {
            self.sketch_entries(&mut out, options);
        } else {
            self.sketch_dots(&mut out, options, width, height);
        }
        line(&mut out, &plain(&self.caption(), options.ascii));
        Ok(out)
    }

    fn sketch_entries(&self, out: &mut String, options: &SketchOptions) {
        let cells = self.cells(self.rows, self.columns);
        let signs = if options.ascii { ["#", "o", "."] } else { ["■", "□", "·"] };
        for row in cells.chunks(self.columns.max(1)).take(self.rows) {
            let sign = |c: &Option<EntryKind>| match c {
                Some(EntryKind::Entry) => painted(signs[0], 0, options.colour),
                Some(EntryKind::Fill) => painted(signs[1], FILL_COLOUR, options.colour),
                None => signs[2].to_string(),
            };
            line(out, &row.iter().map(sign).collect::<Vec<_>>().join(" "));
        }
    }

    /// Dots are about square: two across and four down in a character twice as high as wide.
    fn sketch_dots(&self, out: &mut String, options: &SketchOptions, width: usize, height: usize) {
        let mut canvas = Canvas::new(width - 2, height, options.ascii, &['#', 'o']);
        let (w, h) = canvas.dots();
        let stretch = if options.ascii { 2.0 } else { 1.0 };
        let unit = (w as f64 / (stretch * self.columns.max(1) as f64)).min(h as f64 / self.rows.max(1) as f64).min(1.0);
        let columns = ((self.columns as f64 * unit * stretch) as usize).clamp(1, w);
        let rows = ((self.rows as f64 * unit) as usize).clamp(1, h);
        let cells = self.cells(rows, columns);
        for (wanted, colour) in [(EntryKind::Entry, 0), (EntryKind::Fill, FILL_COLOUR)] {
            for (k, _) in cells.iter().enumerate().filter(|(_, c)| **c == Some(wanted)) {
                canvas.set(k % columns, k / columns, colour);
            }
        }
        let (per_x, per_y) = if options.ascii { (1, 1) } else { (2, 4) };
        let (across, down) = (columns.div_ceil(per_x), rows.div_ceil(per_y));
        canvas.cells = (0..down).flat_map(|r| canvas.cells[r * canvas.width..][..across].to_vec()).collect();
        (canvas.width, canvas.height) = (across, down);
        let [a, b, c, d, side, rule] =
            if options.ascii { ['+', '+', '+', '+', '|', '-'] } else { ['┌', '┐', '└', '┘', '│', '─'] };
        let edge: String = std::iter::repeat_n(rule, across).collect();
        line(out, &format!("{a}{edge}{b}"));
        for row in 0..down {
            line(out, &format!("{side}{}{side}", canvas.row(row, options.colour)));
        }
        line(out, &format!("{c}{edge}{d}"));
    }
}
