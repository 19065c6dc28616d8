//! # Studies
//!
//! A scene run many times with other values, and what came of it, as a table. `docs/studies.md` is the guide.
//!
//! ```
//! use holonom_study::Study;
//!
//! let text = r#"
//! scene = "pendulum"
//! [run]
//! time = 0.2
//! [factor.gravity]
//! values = [[0, 0, -9.81], [0, 0, -1.62]]
//! [outcome]
//! load = "initial(pin.force.norm)"
//! "#;
//! # let folder = std::env::temp_dir().join(format!("holonom-study-doc-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder).unwrap();
//! let path = folder.join("moon.toml");
//! std::fs::write(&path, text).unwrap();
//! let study = Study::read(&path, &[]).map_err(|e| e.text())?;
//! assert_eq!(study.runs(), 2);
//!
//! let mut table = study.empty_table();
//! for run in 0..study.runs() {
//!     table.push(&study.row(run, &|| false).expect("nobody stops it"));
//! }
//! let load = table.column("load").and_then(|c| c.as_numbers()).unwrap();
//! assert!((load[0] / load[1] - 9.81 / 1.62).abs() < 1e-9);
//! # std::fs::remove_dir_all(&folder).unwrap();
//! # Ok::<(), String>(())
//! ```
//!
//! - [`Study`] reads a study file, knows its runs ([`Study::values`]) and makes one of them ([`Study::row`]).
//! - [`Sweep`] makes all of them with threads, keeps every row at once, and goes on where it was ended.
//! - [`sensitivities`] says how much each factor does to an outcome.
//! - [`Distribution`] and [`SampleMethod`] are the ways in which values are drawn.
//!
//! Nothing here prints.

mod declaration;
mod one_run;
mod outcome;
mod sampling;
mod sensitivity;
mod sobol;
mod study;
mod sweep;
mod watch;

pub use outcome::{Outcome, Outcomes};
pub use sampling::{Distribution, SampleMethod};
pub use sensitivity::{Sensitivity, sensitivities};
pub use study::{FactorCourse, FactorValue, Sampling, Study, StudyFactor};
pub use sweep::{Sweep, SweepFiles};
