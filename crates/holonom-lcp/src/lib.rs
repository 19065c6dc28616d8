//! Complementarity problems with friction cones.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod blocks;
mod certificate;
mod cone;
mod dense;
mod law;
mod lemke;
mod project;
mod scale;
mod standard;

pub use blocks::Blocks;
pub use certificate::{Certificate, certificate};
pub use cone::Cone;
pub use lemke::Lemke;
pub use law::{Failure, Law, Problem, Report};
