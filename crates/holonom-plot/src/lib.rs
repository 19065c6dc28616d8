//! # holonom-plot
//!
//! Charts of quantities over time, heat maps and tornados of studies, and pictures of sparse matrices, as SVG, as PNG
//! and in the characters of a terminal. It takes numbers and gives text or bytes: no files, no printing, no types of
//! the engine.
//!
//! ```
//! use holonom_plot::{Axis, LineChart, EntryKind, Series, SpyPlot};
//!
//! let t: Vec<f64> = (0..=500).map(|i| 0.01 * i as f64).collect();
//! let angle: Vec<f64> = t.iter().map(|t| (3.0 * t).cos()).collect();
//! let height: Vec<f64> = angle.iter().map(|a| -a.cos()).collect();
//! let chart = LineChart {
//!     title: "Pendulum".into(),
//!     subtitle: "pendulum.toml, rk4".into(),
//!     x: Axis::new("time", "s"),
//!     series: vec![Series::new("pin.angle", "rad", &t, &angle), Series::new("bob.z", "m", &t, &height)],
//!     ..LineChart::default()
//! };
//! let svg = chart.to_svg()?; // two panels: radians and metres share no axis
//! assert!(svg.contains("pin.angle (rad)") && svg.contains("time (s)"));
//! assert_eq!(&chart.to_png(2.0)?[1..4], b"PNG");
//!
//! let tridiagonal = (0..9u32).flat_map(|i| (i.saturating_sub(1)..=(i + 1).min(8)).map(move |j| (i, j, EntryKind::Entry)));
//! let spy = SpyPlot { title: "A".into(), rows: 9, columns: 9, entries: tridiagonal.collect(), ..SpyPlot::default() };
//! assert_eq!(spy.caption(), "n = 9, nnz = 25 (30.9 %)");
//! assert!(spy.to_svg()?.starts_with("<?xml"));
//! # Ok::<(), holonom_plot::PlotError>(())
//! ```
//!
//! The same data give the same bytes. Texts in pixels are drawn with DejaVu Sans (free to embed and to redistribute:
//! the licences of Bitstream Vera and Arev), which is a part of the program; an SVG leaves the font to whoever shows
//! it.

mod chart;
mod drawing;
mod heat;
mod layout;
mod raster;
mod sketch;
mod spy;
mod svg;
mod text;
mod thin;
mod ticks;
mod tornado;

pub use chart::{Axis, LineChart, Mark, PlotError, Series};
pub use heat::HeatMap;
pub use sketch::SketchOptions;
pub use spy::{EntryKind, MatrixBlock, SpyPlot};
pub use ticks::Scale;
pub use tornado::{Tornado, TornadoBar};
