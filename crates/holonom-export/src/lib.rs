//! Motions of scenes for programs that draw and film: glTF 2.0 animations ([`gltf`]) and USD ([`usd`]).
//!
//! A motion ([`Motion`]) is where every body is at sampled times: from a recording that has the columns `BODY.pos.*` and
//! `BODY.quat.*`, or from a run that is made for the purpose. What is drawn comes from [`holonom_view::picture`], as on
//! the page.
//!
//! Nothing here prints, and no file is opened but a recording that is named.

pub mod gltf;
mod motion;
mod solids;
pub mod usd;

pub use motion::{Motion, Place};
