//! Complementarity problems with friction cones.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod certificate;
mod cone;
mod dense;
mod law;
mod project;
mod scale;

pub use certificate::{Certificate, certificate};
pub use cone::Cone;
pub use law::{Failure, Law, Problem, Report};
