//! Motions of scenes for programs that draw, film and play logs: glTF 2.0 animations ([`gltf`]), USD ([`usd`]) and MCAP
//! ([`mcap`]).
//!
//! A motion ([`SampledMotion`]) is where every body is at sampled times. It is told by a table ([`MotionTable`]) with
//! the columns `BODY.pos.*` and `BODY.quat.*`: a recording, or a run that is made for the purpose. What is drawn comes
//! from [`holonom_view::picture`], as on the page.
//!
//! Nothing here prints, and no file is opened but a recording that is named.

pub mod gltf;
pub mod mcap;
mod motion;
mod solids;
pub mod usd;

pub use motion::{BodyPlace, MotionColumn, MotionTable, SampledMotion};
