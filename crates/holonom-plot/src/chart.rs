//! What a chart is made of, and what it can become.

use crate::drawing::Drawing;
use crate::ticks::{Ruler, Scale};
use crate::{layout, raster, svg};

/// Curves over a common axis: one panel for every unit, one below the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LineChart<'a> {
    /// First line, large; none if empty.
    pub title: String,
    /// Second line: scene, integrator, what else the reader should know; none if empty.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: Axis,
    /// How values are spread on all vertical axes.
    pub y_scale: Scale,
    /// Curves. Those with the same unit share a panel, in the order in which units are first met.
    pub series: Vec<Series<'a>>,
    /// Moments worth a line through all panels.
    pub marks: Vec<Mark>,
}

/// An axis: what it shows, and in which unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Axis {
    /// For example `time`.
    pub label: String,
    /// For example `s`; empty for pure numbers.
    pub unit: String,
    /// How values are spread.
    pub scale: Scale,
}

/// One curve. Points that are not finite are gaps.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series<'a> {
    /// As it stands beside the curve.
    pub name: String,
    /// Unit of `y`, which decides the panel; empty for pure numbers.
    pub unit: String,
    /// Along the horizontal axis.
    pub x: &'a [f64],
    /// As many as `x`.
    pub y: &'a [f64],
    /// Points by themselves, without lines between them.
    pub dots: bool,
}

/// A vertical line with a name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mark {
    /// Where, on the horizontal axis.
    pub x: f64,
    /// What happened.
    pub label: String,
}

/// Why there is no picture.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum PlotError {
    /// A curve whose points are incomplete.
    #[error("series {name:?} has {x} values of x and {y} of y; there must be as many of each")]
    Lengths {
        /// The curve.
        name: String,
        /// Values of x.
        x: usize,
        /// Values of y.
        y: usize,
    },
    /// An entry outside of its matrix.
    #[error(
        "entry ({row}, {column}) lies outside of the matrix of {rows} rows and {columns} columns; both count from 0"
    )]
    Outside {
        /// Row of the entry.
        row: u32,
        /// Column of the entry.
        column: u32,
        /// Rows of the matrix.
        rows: usize,
        /// Columns of the matrix.
        columns: usize,
    },
    /// A factor of scale without meaning.
    #[error("a scale of {scale} is not possible; it is the number of pixels per point, between 0.1 and 20, usually 2")]
    Scale {
        /// The one asked for.
        scale: f64,
    },
    /// More pixels than memory should be spent on.
    #[error(
        "a picture of {width} x {height} pixels is larger than {most} pixels; choose a smaller scale or fewer panels"
    )]
    TooLarge {
        /// Pixels across.
        width: u64,
        /// Pixels down.
        height: u64,
        /// Most pixels painted.
        most: u64,
    },
    /// The pixels could not be written as PNG.
    #[error("the picture could not be written as PNG: {0}")]
    Encoding(String),
}

impl Axis {
    /// A linear axis.
    pub fn new(label: impl Into<String>, unit: impl Into<String>) -> Axis {
        Axis { label: label.into(), unit: unit.into(), scale: Scale::Linear }
    }

    /// `label (unit)`.
    pub(crate) fn text(&self) -> String {
        labelled(&self.label, &self.unit)
    }
}

/// `name (unit)`, or what there is of it.
pub(crate) fn labelled(name: &str, unit: &str) -> String {
    match (name.is_empty(), unit.is_empty()) {
        (_, true) => name.to_string(),
        (true, false) => unit.to_string(),
        (false, false) => format!("{name} ({unit})"),
    }
}

impl<'a> Series<'a> {
    /// A curve.
    pub fn new(name: impl Into<String>, unit: impl Into<String>, x: &'a [f64], y: &'a [f64]) -> Series<'a> {
        Series { name: name.into(), unit: unit.into(), x, y, dots: false }
    }

    /// The same as points by themselves.
    pub fn as_dots(self) -> Series<'a> {
        Series { dots: true, ..self }
    }

    /// Points that can be shown.
    fn shown(&self, x: Scale, y: Scale) -> impl Iterator<Item = (f64, f64)> + '_ {
        let both = self.x.iter().copied().zip(self.y.iter().copied());
        both.filter(move |&(a, b)| Ruler::shows(x, a) && Ruler::shows(y, b))
    }
}

/// Curves that share a vertical axis.
pub(crate) struct ChartPanel<'c> {
    pub unit: &'c str,
    /// Places in the chart's list.
    pub series: Vec<usize>,
    /// Lowest and highest value, if there is any.
    pub range: Option<(f64, f64)>,
}

impl LineChart<'_> {
    /// The chart as SVG: scales without loss, light and dark, the same bytes for the same data.
    pub fn to_svg(&self) -> Result<String, PlotError> {
        Ok(svg::write(&self.drawing()?))
    }

    /// The chart as PNG on light paper, with `scale` pixels per point of 1/96 inch: 2 suits screens, 3 print.
    pub fn to_png(&self, scale: f64) -> Result<Vec<u8>, PlotError> {
        raster::png(&self.drawing()?, scale)
    }

    fn drawing(&self) -> Result<Drawing, PlotError> {
        self.check()?;
        Ok(layout::draw(self))
    }

    pub(crate) fn check(&self) -> Result<(), PlotError> {
        match self.series.iter().find(|s| s.x.len() != s.y.len()) {
            Some(s) => Err(PlotError::Lengths { name: s.name.clone(), x: s.x.len(), y: s.y.len() }),
            None => Ok(()),
        }
    }

    /// Lowest and highest x of what is shown; 0 to 1 for nothing.
    pub(crate) fn x_range(&self) -> (f64, f64) {
        let all = self.series.iter().flat_map(|s| s.shown(self.x.scale, self.y_scale)).map(|p| p.0);
        let fallback = if self.x.scale == Scale::Log { (1.0, 10.0) } else { (0.0, 1.0) };
        range(all).unwrap_or(fallback)
    }

    /// Panels in the order in which their units are first met; one at least.
    pub(crate) fn panels(&self) -> Vec<ChartPanel<'_>> {
        let mut panels: Vec<ChartPanel> = Vec::new();
        for (k, s) in self.series.iter().enumerate() {
            match panels.iter_mut().find(|p| p.unit == s.unit) {
                Some(panel) => panel.series.push(k),
                None => panels.push(ChartPanel { unit: &s.unit, series: vec![k], range: None }),
            }
        }
        if panels.is_empty() {
            panels.push(ChartPanel { unit: "", series: Vec::new(), range: None });
        }
        for panel in &mut panels {
            let values = panel.series.iter().flat_map(|&k| self.series[k].shown(self.x.scale, self.y_scale));
            panel.range = range(values.map(|p| p.1));
        }
        panels
    }
}

fn range(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |r, v| Some(r.map_or((v, v), |(low, high): (f64, f64)| (low.min(v), high.max(v)))))
}
