//! Runs of scenes, for every program that makes them: the command and Python go through the same steps, and so to the
//! same bits, and say the same where something is wrong.
//!
//! - [`scenes::open`] reads a file or a scene of the gallery.
//! - [`RunSettings`] decides how a scene is run: by what is chosen ([`RunChoices`]), else by the snapshot that is
//!   resumed, else by the scene.
//! - [`RunLoop`] takes the steps, [`RowSampler`] reads rows between them without disturbing them, [`RunStatistics`]
//!   watches what was promised.
//! - [`inputs`] are numbers that a program sets while a simulation runs.
//! - [`stop::explain`] says why a run cannot go on; a [`Failure`] is whatever ends one, with the text for people and
//!   the same as data.
//!
//! ```
//! use holonom_run::{RunChoices, RunLoop, RunSchedule, RunSettings, scenes};
//! use std::sync::Arc;
//!
//! let loaded = scenes::open("pendulum", &Default::default()).map_err(|e| e.text())?;
//! let model = Arc::new(loaded.build().map_err(|e| e.render())?);
//! let choices = RunChoices { time: Some(1.0), ..RunChoices::default() };
//! let settings = RunSettings::gather(&choices, &loaded.scene, &model, None).map_err(|e| e.text())?;
//! let schedule = RunSchedule::gather(&choices, &loaded.scene).map_err(|e| e.text())?;
//! let sim = settings.simulation(&model).map_err(|e| e.text())?;
//! let mut run = RunLoop::begin(sim, settings, schedule.end, None).map_err(|e| e.text())?;
//! while !run.arrived() {
//!     run.advance().map_err(|e| e.to_string())?;
//! }
//! assert_eq!(run.sim.time(), 1.0);
//! # Ok::<(), String>(())
//! ```
//!
//! Nothing here prints.

mod failure;
pub mod inputs;
mod run_loop;
mod sampling;
pub mod scenes;
mod settings;
pub mod snapshot;
mod statistics;
pub mod stop;

pub use failure::Failure;
pub use inputs::{InputCell, InputCourse};
pub use run_loop::RunLoop;
pub use sampling::{RowSampler, RowSink};
pub use scenes::OpenedScene;
pub use settings::{MotionLaw, RunChoices, RunSchedule, RunSettings};
pub use snapshot::Resume;
pub use statistics::RunStatistics;
