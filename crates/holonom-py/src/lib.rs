//! holonom for Python: the compiled half of the package `holonom`. The other half is Python, in `python/holonom`:
//! loading with keywords, building, tables, exceptions, results as data classes.
//!
//! One file per group of methods; a file may add its own `#[pymethods] impl` block to [`Simulation`] or [`Model`].
//!
//! - A [`Model`] is a scene that was read and the engine's model of it. It never changes, and any number of simulations
//!   on any number of threads share it.
//! - A [`Simulation`] goes through the same run loop as the command (`holonom-run`): the same steps, bits and messages.
//! - Questions are asked of a second simulation at a copy of the state, so that no question changes the motion.
//! - The interpreter is released while time is stepped; whatever may take long looks for signals every
//!   [`running::SLICE`].
//!
//! Errors become exceptions in [`errors`]; nothing here panics for what a user can pass.

mod along;
mod answers;
mod arrays;
mod errors;
mod forces;
mod held;
mod inputs;
mod linear;
mod loading;
mod model;
mod motion;
mod recordings;
mod rollout;
mod running;
mod selection;
mod show;
mod simulation;
mod state;
mod studies;

use pyo3::prelude::*;

/// The compiled half of `holonom`.
#[pymodule]
mod _holonom {
    #[pymodule_export]
    use crate::{
        along::PushAlong,
        held::{HeldFactor, JointEquations},
        inputs::Input,
        loading::{gallery, load, loads, sections},
        model::Model,
        recordings::{read_recording, write_recording},
        rollout::Rollout,
        selection::Selection,
        simulation::{Simulation, StepReport},
        state::State,
        studies::{StudyPlan, StudyRows, read_study, study_table},
    };
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
