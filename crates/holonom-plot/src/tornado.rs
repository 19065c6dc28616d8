//! What each factor does to an outcome: a bar from what it is with the factor low to what it is with the factor high,
//! the widest on top.

use crate::chart::{Axis, PlotError};
use crate::drawing::{Anchor, Drawing, DrawingItem, Ink};
use crate::heat::short;
use crate::text::{shortened, width};
use crate::ticks::Ruler;
use crate::{Scale, SketchOptions, raster, svg};

/// A tornado: bars around the mean outcome.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tornado {
    /// First line, large; none if empty.
    pub title: String,
    /// Second line; none if empty.
    pub subtitle: String,
    /// The outcome.
    pub x: Axis,
    /// The mean of all runs.
    pub middle: f64,
    /// In the order in which they are drawn, from above.
    pub bars: Vec<TornadoBar>,
}

/// A factor of a tornado.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TornadoBar {
    /// Its name, with unit.
    pub name: String,
    /// What it is at the first end, and the outcome there.
    pub low: (String, f64),
    /// What it is at the other end, and the outcome there.
    pub high: (String, f64),
    /// What stands behind the bar.
    pub note: String,
}

const EDGE: f64 = 18.0;
const TITLE: f64 = 15.0;
const SMALL: f64 = 11.0;
const NAME: f64 = 11.5;
const ACROSS: f64 = 460.0;
/// Height of a bar with what is between bars.
const STEP: f64 = 34.0;

impl Tornado {
    /// As SVG.
    pub fn to_svg(&self) -> Result<String, PlotError> {
        Ok(svg::write(&self.drawing()))
    }

    /// As PNG, with `scale` pixels per point.
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, PlotError> {
        raster::png(&self.drawing(), scale)
    }

    /// In characters, for a terminal.
    pub fn sketch(&self, options: &SketchOptions) -> Result<String, PlotError> {
        let mut out = format!("{}: {}, mean {}\n", self.title, self.x.text(), short(self.middle));
        let (low, high) = self.range();
        let left = self.bars.iter().map(|b| b.name.chars().count()).max().unwrap_or(0);
        let room = options.width.saturating_sub(left + 34).clamp(10, 60);
        let at = |x: f64| if high > low { ((x - low) / (high - low) * room as f64).round() as usize } else { 0 };
        for b in &self.bars {
            let (a, z) = (at(b.low.1.min(b.high.1)), at(b.low.1.max(b.high.1)));
            let sign = if options.ascii { "#" } else { "█" };
            let bar = " ".repeat(a) + &sign.repeat((z - a).max(1));
            out += &format!(
                "{:>left$} |{bar:<width$}  {} .. {}  {}\n",
                b.name,
                short(b.low.1),
                short(b.high.1),
                b.note,
                width = room + 1
            );
        }
        Ok(out)
    }

    /// From the least to the largest of what is shown.
    fn range(&self) -> (f64, f64) {
        let all = self.bars.iter().flat_map(|b| [b.low.1, b.high.1]).chain([self.middle]).filter(|x| x.is_finite());
        all.fold((f64::INFINITY, f64::NEG_INFINITY), |r, x| (r.0.min(x), r.1.max(x)))
    }

    fn drawing(&self) -> Drawing {
        let (low, high) = self.range();
        let x = (low <= high).then(|| Ruler::new(Scale::Linear, low, high, 6, 0.16));
        let names = self.bars.iter().map(|b| width(&b.name, NAME)).fold(40.0, f64::max).min(220.0);
        let notes = self.bars.iter().map(|b| width(&b.note, SMALL)).fold(0.0, f64::max);
        let left = EDGE + names + 12.0;
        let mut top = EDGE + if self.title.is_empty() { 0.0 } else { TITLE + 7.0 };
        top += if self.subtitle.is_empty() { 0.0 } else { SMALL + 9.0 };
        let bottom = top + STEP * self.bars.len().max(1) as f64;
        let w = (left + ACROSS + notes + 16.0 + EDGE).max(left + width(&self.subtitle, SMALL).min(700.0) + EDGE);
        let title = if self.title.is_empty() { "tornado".to_string() } else { self.title.clone() };
        let description = format!("{} by factors", self.x.text());
        let mut d = Drawing { width: w.ceil(), height: (bottom + 50.0).ceil(), title, description, items: Vec::new() };
        d.heading((EDGE, EDGE + TITLE - 2.0), TITLE, &shortened(&self.title, TITLE * 1.08, w - 2.0 * EDGE));
        let under = if self.title.is_empty() { EDGE } else { EDGE + TITLE + 5.0 };
        d.text(
            (EDGE, under + SMALL - 2.0),
            SMALL,
            Anchor::Start,
            Ink::Quiet,
            shortened(&self.subtitle, SMALL, w - 2.0 * EDGE),
        );
        let Some(x) = x else {
            d.text(
                (left + 0.5 * ACROSS, top + 20.0),
                NAME,
                Anchor::Middle,
                Ink::Quiet,
                "no values that could be shown",
            );
            return d;
        };
        let place = |v: f64| left + ACROSS * x.place(v).unwrap_or(0.0);
        d.lines(
            x.major.iter().map(|(f, _)| vec![(left + f * ACROSS, top), (left + f * ACROSS, bottom)]).collect(),
            Ink::Grid,
            1.0,
        );
        for (k, b) in self.bars.iter().enumerate() {
            let y = top + STEP * k as f64;
            let (a, z) = (place(b.low.1), place(b.high.1));
            d.text(
                (left - 10.0, y + 0.5 * STEP + 0.36 * NAME),
                NAME,
                Anchor::End,
                Ink::Text,
                shortened(&b.name, NAME, 220.0),
            );
            // two colours meet in the middle: which end is which
            let middle = place(self.middle);
            for (end, ink) in [(a, Ink::Series(0)), (z, Ink::Series(1))] {
                let (from, to) = (end.min(middle), end.max(middle));
                d.items.push(DrawingItem::Rectangle {
                    x: from,
                    y: y + 7.0,
                    width: to - from,
                    height: STEP - 14.0,
                    ink,
                });
            }
            for (at, other, label) in [(a, z, &b.low.0), (z, a, &b.high.0)] {
                let (shift, anchor) =
                    if at < other || at == other && at == a { (-5.0, Anchor::End) } else { (5.0, Anchor::Start) };
                d.text((at + shift, y + 0.5 * STEP + 0.36 * SMALL), SMALL, anchor, Ink::Quiet, label.clone());
            }
            d.text(
                (left + ACROSS + 10.0, y + 0.5 * STEP + 0.36 * SMALL),
                SMALL,
                Anchor::Start,
                Ink::Quiet,
                b.note.clone(),
            );
        }
        d.lines(vec![vec![(place(self.middle), top), (place(self.middle), bottom)]], Ink::Mark, 1.0);
        d.lines(vec![vec![(left, bottom), (left + ACROSS, bottom)]], Ink::Axis, 1.0);
        for (f, label) in &x.major {
            let at = left + f * ACROSS;
            d.lines(vec![vec![(at, bottom), (at, bottom + 5.0)]], Ink::Axis, 1.0);
            d.text((at, bottom + 18.0), SMALL, Anchor::Middle, Ink::Quiet, label.clone());
        }
        let text = self.x.text();
        let text = if x.note.is_empty() { text } else { format!("{text}   {}", x.note) };
        d.text((left + 0.5 * ACROSS, bottom + 36.0), NAME, Anchor::Middle, Ink::Text, text);
        d
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_reach_from_one_end_to_the_other() {
        let bar = |name: &str, low, high| TornadoBar {
            name: name.into(),
            low: ("1".into(), low),
            high: ("2".into(), high),
            note: "50 %".into(),
        };
        let t = Tornado {
            x: Axis::new("load", "N"),
            middle: 5.0,
            bars: vec![bar("length", 0.0, 10.0), bar("mass", 6.0, 4.0)],
            ..Tornado::default()
        };
        let widths: Vec<f64> = t
            .drawing()
            .items
            .iter()
            .filter_map(|i| match i {
                DrawingItem::Rectangle { width, .. } => Some(*width),
                _ => None,
            })
            .collect();
        assert_eq!(widths.len(), 4);
        assert!((widths[0] / widths[2] - 5.0).abs() < 1e-9 && (widths[0] - widths[1]).abs() < 1e-9, "{widths:?}");
        let sketch = t.sketch(&SketchOptions { width: 80, height: 20, colour: false, ascii: true }).expect("drawn");
        assert!(sketch.contains("length |###########"), "{sketch}");
        // nothing to show is no reason to fail
        let nothing = Tornado { bars: vec![bar("x", f64::NAN, f64::NAN)], middle: f64::NAN, ..t };
        assert!(nothing.to_svg().expect("drawn").contains("no values"));
    }
}
