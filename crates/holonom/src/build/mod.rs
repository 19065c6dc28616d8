//! From a description to a model, in stages. Each is made from the one before, by value, and is not changed afterwards.
//!
//! ```text
//! ModelBuilder  what was described                                             builder
//! Checked       names, parameters, attachments and readings are legal          check
//! Settled       what constraints left open is taken from the start pose        settle
//! Indexed       islands, rows, forms of joints; the structure of the matrix    index, rank
//! Planned       the plan of elimination, from values at a generic pose         plan
//! Model         the start pose assembled, loops regularised, ledger opened     start, assemble, conflict
//! ```

pub(crate) mod assemble;
pub(crate) mod builder;
mod check;
mod conflict;
pub(crate) mod index;
mod plan;
mod rank;
mod settle;
pub(crate) mod shapes;
mod start;
#[cfg(test)]
mod tests;

use crate::build::builder::ModelBuilder;
use crate::build::check::Checked;
use crate::build::index::Indexed;
use crate::build::plan::Planned;
use crate::build::settle::Settled;
use crate::error::ModelError;
use crate::model::Model;

/// Check everything, plan the solver, assemble the start pose.
pub(crate) fn build(description: ModelBuilder) -> Result<Model, ModelError> {
    start::start(planned(description)?)
}

fn planned(description: ModelBuilder) -> Result<Planned, ModelError> {
    let checked = Checked::new(description)?;
    let settled = Settled::new(checked)?;
    Planned::new(Indexed::new(settled))
}
