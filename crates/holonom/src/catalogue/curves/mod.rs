//! Curves and surfaces with derivatives, for joints that follow them.
//!
//! A [`Curve`] is r(s) in metres with three derivatives by its parameter s, in axes of its own; joints place these axes
//! on a body by a marker. Its parameter may be anything (an angle, a chord length, a knot value) as long as r' is never
//! zero. A [`Track`] wraps a curve with a table made once: the nearest point of the whole curve, lengths of arc, and a
//! continuation beyond the ends. A [`Patch`] is r(u, v) in the same sense, a [`Sheet`] its wrapper.
//!
//! ```
//! use holonom::curves::{Helix, Track};
//! use holonom::math::vec3;
//! let spring = Track::new(Helix { radius: 1.0, pitch: 0.5, turns: 3.0 });
//! let s = spring.nearest(vec3(0.0, 1.2, 0.62));
//! assert!((spring.at(s)[0] - vec3(0.0, 1.0, 0.62)).length() < 0.03); // a quarter of the second turn
//! ```

mod basis;
mod cubic;
pub(crate) mod kinds;
mod nurbs;
mod nurbs_surface;
mod sheet;
mod simple;
mod spheres;
mod spline;
mod track;

pub use crate::catalogue::interface::{Curve, Patch, PatchJet};
pub use kinds::{CURVES, given, make};
pub use nurbs::Nurbs;
pub use nurbs_surface::NurbsSurface;
pub use sheet::{Sheet, UserPatch};
pub use simple::{Circle, Helix, Line, UserCurve};
pub use spline::CubicSpline;
pub use track::Track;

pub(crate) use basis::{Knots, check_weights, evaluate as evaluate_rational};
pub(crate) use cubic::{Ends, evaluate as evaluate_cubic, piece, second_derivatives};
