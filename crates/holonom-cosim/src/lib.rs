//! Scenes as units of co-simulation (FMI 3.0 and 2.0, `docs/fmi.md`): a larger model of somebody else's tool sets
//! inputs, asks for a step, and reads outputs.
//!
//! - [`UnitPlan`]: which variables a unit has, with names, units, start values and numbers; from a scene by
//!   [`export::plan`].
//! - [`description`]: the `modelDescription.xml` of either version of the standard.
//! - [`export::archive`]: the whole unit as a `.fmu`, with the scene, its meshes and the shared libraries.
//! - [`UnitInstance`]: a unit at work: parameters, inputs, steps, outputs, states kept and brought back. The crate
//!   `holonom-fmi` puts the C interface of the standard around it.
//!
//! Between two communication points the simulation goes on exactly as `holonom run` would ([`holonom_run::RunLoop`]):
//! where no input changes, a unit comes to the same bits as one run of the scene, whatever the communication steps.
//!
//! Nothing here prints, and nothing outside the unit's own folder of resources is opened.

mod archive;
pub mod description;
mod error;
pub mod export;
pub mod library;
mod plan;
mod saved;
mod unit;

pub use error::UnitError;
pub use plan::{InputKind, UnitInput, UnitParameter, UnitPlan, UnitVariable};
pub use saved::SavedUnit;
pub use unit::{UnitInstance, UnitMode};
