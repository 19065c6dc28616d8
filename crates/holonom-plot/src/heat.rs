//! A number over two factors: a rectangle for each pair of values, its colour the number, which also stands in it where
//! there is room.

use crate::chart::{Axis, PlotError};
use crate::drawing::{Anchor, Drawing, DrawingItem, Ink};
use crate::text::{shortened, width};
use crate::ticks::Ruler;
use crate::{SketchOptions, raster, svg};

/// A heat map. Values of the axes stand at equal distances, in the order given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeatMap {
    /// First line, large; none if empty.
    pub title: String,
    /// Second line; none if empty.
    pub subtitle: String,
    /// What runs to the right.
    pub x: Axis,
    /// What runs upwards.
    pub y: Axis,
    /// What the colours mean.
    pub z: Axis,
    /// Labels along x.
    pub columns: Vec<String>,
    /// Labels along y, from below.
    pub rows: Vec<String>,
    /// Values, row after row from below; not finite where there are none.
    pub values: Vec<f64>,
}

const EDGE: f64 = 18.0;
const TITLE: f64 = 15.0;
const SMALL: f64 = 11.0;
const NAME: f64 = 11.5;
/// Width of the strip of colours.
const STRIP: f64 = 16.0;

impl HeatMap {
    /// The map as SVG.
    pub fn to_svg(&self) -> Result<String, PlotError> {
        Ok(svg::write(&self.drawing()?))
    }

    /// The map as PNG, with `scale` pixels per point.
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, PlotError> {
        raster::png(&self.drawing()?, scale)
    }

    /// The map as a table of numbers, for a terminal.
    pub fn sketch(&self, _options: &SketchOptions) -> Result<String, PlotError> {
        self.check()?;
        let cell = |k: usize| match self.values[k] {
            x if x.is_finite() => short(x),
            _ => "-".into(),
        };
        let n = self.columns.len();
        let wide = |c: usize| {
            let values = (0..self.rows.len()).map(|r| cell(r * n + c).chars().count());
            values.chain([self.columns[c].chars().count()]).max().unwrap_or(1)
        };
        let left = self.rows.iter().map(|r| r.chars().count()).max().unwrap_or(0).max(1);
        let mut out =
            format!("{}: {} over {} (right) and {} (up)\n", self.title, self.z.text(), self.x.text(), self.y.text());
        for r in (0..self.rows.len()).rev() {
            out += &format!("{:>left$} |", self.rows[r]);
            (0..n).for_each(|c| out += &format!("  {:>1$}", cell(r * n + c), wide(c)));
            out.push('\n');
        }
        out += &format!("{:>left$}  ", "");
        (0..n).for_each(|c| out += &format!("  {:>1$}", self.columns[c], wide(c)));
        Ok(out + "\n")
    }

    fn check(&self) -> Result<(), PlotError> {
        let wanted = self.rows.len() * self.columns.len();
        match self.values.len() == wanted {
            true => Ok(()),
            false => Err(PlotError::Lengths { name: self.z.label.clone(), x: wanted, y: self.values.len() }),
        }
    }

    fn drawing(&self) -> Result<Drawing, PlotError> {
        self.check()?;
        let finite = || self.values.iter().copied().filter(|x| x.is_finite());
        let (low, high) = (finite().fold(f64::INFINITY, f64::min), finite().fold(f64::NEG_INFINITY, f64::max));
        let (n, m) = (self.columns.len().max(1), self.rows.len().max(1));
        let cell = ((560.0 / n as f64).clamp(8.0, 90.0), (400.0 / m as f64).clamp(8.0, 56.0));
        let (across, down) = (cell.0 * n as f64, cell.1 * m as f64);
        let labels = self.rows.iter().map(|r| width(r, SMALL)).fold(20.0, f64::max).min(140.0);
        let left = EDGE + NAME + 10.0 + labels + 8.0;
        let mut top = EDGE;
        top += if self.title.is_empty() { 0.0 } else { TITLE + 7.0 };
        top += if self.subtitle.is_empty() { 0.0 } else { SMALL + 7.0 };
        let ruler = (low <= high).then(|| Ruler::new(crate::Scale::Linear, low, high, 5, 0.0));
        let numbers = ruler.iter().flat_map(|r| &r.major).map(|(_, l)| width(l, SMALL)).fold(10.0, f64::max);
        let w = left + across + 26.0 + STRIP + 8.0 + numbers + 10.0 + NAME + EDGE;
        let h = top + down + 50.0;
        let w = w.max(left + width(&self.title, TITLE * 1.08).min(600.0) + EDGE);
        let title = if self.title.is_empty() { "heat map".to_string() } else { self.title.clone() };
        let description = format!("{} over {} and {}", self.z.text(), self.x.text(), self.y.text());
        let mut d = Drawing { width: w.ceil(), height: h.ceil(), title, description, items: Vec::new() };
        d.heading((left, EDGE + TITLE - 2.0), TITLE, &shortened(&self.title, TITLE * 1.08, w - left - EDGE));
        let under = if self.title.is_empty() { EDGE } else { EDGE + TITLE + 5.0 };
        d.text(
            (left, under + SMALL - 2.0),
            SMALL,
            Anchor::Start,
            Ink::Quiet,
            shortened(&self.subtitle, SMALL, w - left - EDGE),
        );
        let shade = |x: f64| if high > low { (255.0 * (x - low) / (high - low)).round() as u8 } else { 128 };
        let fits = finite().map(|x| width(&short(x), SMALL)).fold(0.0, f64::max) + 6.0 <= cell.0 && cell.1 >= 15.0;
        for (k, &x) in self.values.iter().enumerate().filter(|(_, x)| x.is_finite()) {
            let at = (left + cell.0 * (k % n) as f64, top + down - cell.1 * (k / n + 1) as f64);
            let ink = Ink::Shade(shade(x));
            d.items.push(DrawingItem::Rectangle { x: at.0, y: at.1, width: cell.0, height: cell.1, ink });
            if fits {
                let on = if shade(x) < 140 { Ink::OnDark } else { Ink::OnLight };
                let middle = (at.0 + 0.5 * cell.0, at.1 + 0.5 * cell.1 + 0.36 * SMALL);
                d.text(middle, SMALL, Anchor::Middle, on, short(x));
            }
        }
        self.axes(&mut d, (left, top), cell);
        if let Some(ruler) = ruler {
            strip(&mut d, &ruler, (left + across + 26.0, top), down);
            let at = (left + across + 26.0 + STRIP + 8.0 + numbers + 8.0 + NAME, top + 0.5 * down);
            d.upwards(at, NAME, Anchor::Middle, Ink::Text, self.z.text());
        }
        Ok(d)
    }

    /// Labels of rows and columns, as many as there is room for.
    fn axes(&self, d: &mut Drawing, (left, top): (f64, f64), cell: (f64, f64)) {
        let down = cell.1 * self.rows.len() as f64;
        let across = cell.0 * self.columns.len() as f64;
        let widest = self.columns.iter().map(|c| width(c, SMALL)).fold(1.0, f64::max) + 8.0;
        let step = (widest / cell.0).ceil().max(1.0) as usize;
        for (k, label) in self.columns.iter().enumerate().step_by(step) {
            let at = (left + cell.0 * (k as f64 + 0.5), top + down + 16.0);
            d.text(at, SMALL, Anchor::Middle, Ink::Quiet, shortened(label, SMALL, step as f64 * cell.0));
        }
        let step = (13.0 / cell.1).ceil().max(1.0) as usize;
        for (k, label) in self.rows.iter().enumerate().step_by(step) {
            let at = (left - 8.0, top + down - cell.1 * (k as f64 + 0.5) + 0.36 * SMALL);
            d.text(at, SMALL, Anchor::End, Ink::Quiet, shortened(label, SMALL, 140.0));
        }
        d.text((left + 0.5 * across, top + down + 36.0), NAME, Anchor::Middle, Ink::Text, self.x.text());
        d.upwards((EDGE + NAME - 2.0, top + 0.5 * down), NAME, Anchor::Middle, Ink::Text, self.y.text());
    }
}

/// What the colours mean.
fn strip(d: &mut Drawing, ruler: &Ruler, (x, top): (f64, f64), down: f64) {
    const STEPS: usize = 64;
    let height = down / STEPS as f64;
    for k in 0..STEPS {
        let ink = Ink::Shade((k * 255 / (STEPS - 1)) as u8);
        let y = top + down - height * (k + 1) as f64;
        // a little more than its part, so that no line shows between them
        d.items.push(DrawingItem::Rectangle { x, y, width: STRIP, height: height + 0.4, ink });
    }
    for (f, label) in &ruler.major {
        let y = top + down * (1.0 - f);
        d.lines(vec![vec![(x + STRIP, y), (x + STRIP + 4.0, y)]], Ink::Axis, 1.0);
        d.text((x + STRIP + 7.0, y + 0.36 * SMALL), SMALL, Anchor::Start, Ink::Quiet, label.clone());
    }
    d.text((x, top - 5.0), SMALL, Anchor::Start, Ink::Quiet, ruler.note.clone());
}

/// Three digits.
pub(crate) fn short(x: f64) -> String {
    let size = x.abs();
    if x == 0.0 {
        "0".into()
    } else if !(1e-3..1e5).contains(&size) {
        format!("{x:.1e}")
    } else {
        let decimals = (2 - size.log10().floor() as i32).clamp(0, 5) as usize;
        let text = format!("{x:.decimals$}");
        if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_is_a_rectangle_of_its_colour() {
        let map = HeatMap {
            z: Axis::new("load", "N"),
            columns: vec!["1".into(), "2".into()],
            rows: vec!["a".into(), "b".into()],
            values: vec![1.0, 2.0, f64::NAN, 1.5],
            ..HeatMap::default()
        };
        let svg = map.to_svg().expect("drawn");
        // least, largest, middle; the strip has both ends as well
        for (colour, times) in [("#440154", 2), ("#fde725", 2)] {
            assert_eq!(svg.matches(colour).count(), times, "{colour}");
        }
        assert!(svg.contains(">1.5</text>") && !svg.contains("NaN"));
        let sketch = map.sketch(&SketchOptions { width: 80, height: 20, colour: false, ascii: true }).expect("drawn");
        assert!(sketch.contains("b |  -  1.5\na |  1    2\n"), "{sketch}");
        assert!(HeatMap { values: vec![1.0], ..map }.to_svg().is_err());
        for (x, text) in
            [(0.0, "0"), (12345.6, "12346"), (0.01234, "0.0123"), (-3.0, "-3"), (1e9, "1.0e9"), (100.0, "100")]
        {
            assert_eq!(short(x), text);
        }
    }
}
