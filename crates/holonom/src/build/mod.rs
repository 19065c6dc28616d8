//! From a description to a model, in stages. Each is made from the one before, by value, and is not changed afterwards.
//!
//! ```text
//! ModelBuilder  what was described                                             builder
//! Checked       names, parameters, attachments and readings are legal          check
//! Settled       what constraints left open is taken from the start pose        settle
//! Indexed       islands, rows, forms of joints; the structure of the matrix    index, islands, rank
//! Planned       the plan of elimination, from values at a generic pose         plan
//! Model         the start pose assembled, loops regularised, ledger opened     start, assemble, search, conflict
//! ```

mod assemble;
pub(crate) mod builder;
mod check;
mod conflict;
mod index;
mod islands;
mod plan;
mod rank;
mod search;
mod settle;
mod shapes;
mod start;
#[cfg(test)]
mod tests;

use crate::build::builder::ModelBuilder;
use crate::build::plan::Planned;
use crate::error::ModelError;
use crate::model::Model;

impl ModelBuilder {
    /// Check everything, plan the solver, assemble the start pose.
    pub fn build(self) -> Result<Model, ModelError> {
        start::start(Planned::of(self)?)
    }
}
