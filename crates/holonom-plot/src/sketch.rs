//! Charts and matrices in the characters of a terminal.
//!
//! A character of braille is a grid of 2 by 4 dots: eight points where ASCII has one. Without braille, curves are drawn with the signs
//! `* + x o # @`, one for each series. Colours are those of the terminal's own palette, and only when asked for.

use crate::chart::{Chart, PlotError, labelled};
use crate::spy::{Kind, Spy};
use crate::ticks::Ruler;

/// How to draw in a terminal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Look {
    /// Characters across.
    pub width: usize,
    /// Lines down, for the curves of all panels or the matrix; titles and legends come on top.
    pub height: usize,
    /// Colours by ANSI escapes.
    pub colour: bool,
    /// ASCII alone.
    pub ascii: bool,
}

impl Default for Look {
    fn default() -> Look {
        Look { width: 80, height: 20, colour: false, ascii: false }
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

impl Chart<'_> {
    /// The chart in characters. Every panel has at least four lines.
    ///
    /// ```
    /// use holonom_plot::{Axis, Chart, Look, Series};
    /// let t: Vec<f64> = (0..200).map(|i| 0.05 * i as f64).collect();
    /// let y: Vec<f64> = t.iter().map(|t| t.sin()).collect();
    /// let chart = Chart { x: Axis::new("time", "s"), series: vec![Series::new("angle", "rad", &t, &y)], ..Chart::default() };
    /// let sketch = chart.sketch(&Look { width: 60, height: 8, ..Look::default() })?;
    /// assert!(sketch.lines().all(|line| line.chars().count() <= 60));
    /// # Ok::<(), holonom_plot::PlotError>(())
    /// ```
    pub fn sketch(&self, look: &Look) -> Result<String, PlotError> {
        self.check()?;
        let width = look.width.clamp(20, WIDEST);
        let panels = self.panels();
        let height = (look.height.min(WIDEST) / panels.len()).max(4);
        let (low, high) = self.x_range();
        let x = Ruler::new(self.x.scale, low, high, 5, 0.0);
        let rulers: Vec<Option<Ruler>> =
            panels.iter().map(|p| p.range.map(|(a, b)| Ruler::new(self.y_scale, a, b, 5, 0.0))).collect();
        let text = |s: &str| plain(s, look.ascii);
        let labels: Vec<Option<(String, String)>> =
            rulers.iter().map(|r| r.as_ref().map(|r| r.ends()).map(|(a, b)| (text(&a), text(&b)))).collect();
        let widest = labels.iter().flatten().flat_map(|(a, b)| [a, b]).map(|l| l.chars().count()).max().unwrap_or(0);
        let left = widest.min(width / 2);
        let (bar, corner, dash) = if look.ascii { ('|', '+', '-') } else { ('┤', '└', '─') };

        let mut out = String::new();
        for head in [&self.title, &self.subtitle].into_iter().filter(|h| !h.is_empty()) {
            line(&mut out, &cut(&text(head), width));
        }
        for ((panel, ruler), label) in panels.iter().zip(&rulers).zip(&labels) {
            let mut canvas = Canvas::new(width - left - 2, height, look.ascii, &SIGNS);
            let (w, h) = canvas.dots();
            for (who, &k) in panel.series.iter().enumerate() {
                let (s, who) = (&self.series[k], who as u8);
                let (Some(y), from) = (ruler, s.x.iter().zip(s.y)) else { continue };
                let mut last: Option<(f64, f64)> = None;
                for (&a, &b) in from {
                    let place = |f: f64, n: usize| f * (n - 1) as f64;
                    let here = x.place(a).zip(y.place(b)).map(|(a, b)| (place(a, w), place(1.0 - b, h)));
                    if let Some(here) = here {
                        canvas.line(last.unwrap_or(here), here, who);
                    }
                    last = here;
                }
            }
            // legend: the sign or colour, then the name
            let mut legend = String::new();
            let mut room = width;
            for (who, &k) in panel.series.iter().enumerate() {
                let name = text(&labelled(&self.series[k].name, panel.unit));
                let mark = match (look.ascii, look.colour) {
                    (true, _) => SIGNS[who % SIGNS.len()].to_string(),
                    (false, true) => "━━".to_string(),
                    (false, false) if panel.series.len() == 1 => "─".to_string(),
                    (false, false) => format!("[{}]", who + 1),
                };
                let entry = format!("{mark} {name}");
                let n = entry.chars().count() + 2;
                if n > room && !legend.is_empty() {
                    line(&mut out, &legend);
                    legend.clear();
                    room = width;
                }
                let entry = cut(&entry, width);
                let (mark, rest) = entry.split_at(mark.len().min(entry.len()));
                legend.push_str(&format!("{}{rest}  ", painted(mark, who as u8, look.colour)));
                room = room.saturating_sub(n);
            }
            let nothing = if ruler.is_none() { "no values that could be shown" } else { "" };
            line(&mut out, &(legend + nothing));
            for row in 0..height {
                let label = label.as_ref().map_or("", |(a, b)| match row {
                    0 => b.as_str(),
                    r if r + 1 == height => a.as_str(),
                    _ => "",
                });
                let sign = if label.is_empty() && !look.ascii { '│' } else { bar };
                let numbered = if look.ascii || look.colour || panel.series.len() < 2 {
                    String::new()
                } else {
                    ends(self, panel.series.as_slice(), ruler.as_ref(), row, height)
                };
                let body = canvas.row(row, look.colour);
                let body = if numbered.is_empty() { body } else { over(&body, &numbered) };
                line(&mut out, &format!("{label:>left$} {sign}{body}", label = cut(label, left)));
            }
        }
        let rule: String = std::iter::repeat_n(dash, width - left - 2).collect();
        line(&mut out, &format!("{:left$} {corner}{rule}", ""));
        let (a, b) = x.ends();
        let (a, b, name) = (text(&a), text(&b), text(&self.x.text()));
        let count = |s: &str| s.chars().count();
        let free = (width - left - 2).saturating_sub(count(&a) + count(&name) + count(&b));
        let (before, after) = (" ".repeat(free / 2), " ".repeat(free - free / 2));
        line(&mut out, &cut(&format!("{:left$}  {a}{before}{name}{after}{b}", ""), width));
        Ok(out)
    }
}

/// Numbers of the curves that end in this row, for the last columns of it: without colours nothing else tells braille curves apart.
fn ends(chart: &Chart, series: &[usize], ruler: Option<&Ruler>, row: usize, height: usize) -> String {
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

impl Spy {
    /// The matrix in characters: one for each entry where there is room, otherwise dots.
    pub fn sketch(&self, look: &Look) -> Result<String, PlotError> {
        self.check()?;
        let (width, height) = (look.width.clamp(8, WIDEST), look.height.clamp(4, WIDEST));
        let mut out = String::new();
        for head in [&self.title, &self.subtitle].into_iter().filter(|h| !h.is_empty()) {
            line(&mut out, &cut(&plain(head, look.ascii), width));
        }
        let fill_colour = 1; // of the second series
        if self.rows <= height.max(24) && self.columns <= width / 2 {
            let cells = self.cells(self.rows, self.columns);
            let signs = if look.ascii { ['#', 'o', '.'] } else { ['■', '□', '·'] };
            for row in cells.chunks(self.columns.max(1)).take(self.rows) {
                let sign = |c: &Option<Kind>| match c {
                    Some(Kind::Entry) => painted(&signs[0].to_string(), 0, look.colour),
                    Some(Kind::Fill) => painted(&signs[1].to_string(), fill_colour, look.colour),
                    None => signs[2].to_string(),
                };
                line(&mut out, &row.iter().map(sign).collect::<Vec<_>>().join(" "));
            }
        } else {
            // dots are about square: two across and four down in a character twice as high as wide
            let mut canvas = Canvas::new(width - 2, height, look.ascii, &['#', 'o']);
            let (w, h) = canvas.dots();
            let stretch = if look.ascii { 2.0 } else { 1.0 };
            let unit =
                (w as f64 / (stretch * self.columns.max(1) as f64)).min(h as f64 / self.rows.max(1) as f64).min(1.0);
            let columns = ((self.columns as f64 * unit * stretch) as usize).clamp(1, w);
            let rows = ((self.rows as f64 * unit) as usize).clamp(1, h);
            let cells = self.cells(rows, columns);
            for wanted in [Kind::Entry, Kind::Fill] {
                for (k, _) in cells.iter().enumerate().filter(|(_, c)| **c == Some(wanted)) {
                    canvas.set(k % columns, k / columns, if wanted == Kind::Fill { fill_colour } else { 0 });
                }
            }
            let (per_x, per_y) = if look.ascii { (1, 1) } else { (2, 4) };
            let (across, down) = (columns.div_ceil(per_x), rows.div_ceil(per_y));
            canvas.cells = (0..down).flat_map(|r| canvas.cells[r * canvas.width..][..across].to_vec()).collect();
            (canvas.width, canvas.height) = (across, down);
            let [a, b, c, d, side, rule] =
                if look.ascii { ['+', '+', '+', '+', '|', '-'] } else { ['┌', '┐', '└', '┘', '│', '─'] };
            let edge: String = std::iter::repeat_n(rule, across).collect();
            line(&mut out, &format!("{a}{edge}{b}"));
            for row in 0..down {
                line(&mut out, &format!("{side}{}{side}", canvas.row(row, look.colour)));
            }
            line(&mut out, &format!("{c}{edge}{d}"));
        }
        line(&mut out, &plain(&self.caption(), look.ascii));
        Ok(out)
    }
}
