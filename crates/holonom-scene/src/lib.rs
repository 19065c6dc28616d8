//! # Scenes for holonom
//!
//! Scene files (TOML), URDF and MJCF become models of the engine. All go the same way:
//!
//! ```text
//! text -> document (a tree of values that know their places) -> scene (checked, named, evaluated) -> model
//! ```
//!
//! ```
//! let text = r#"
//! [body.rod]
//! shape = { kind = "box", size = [1, 0.05, 0.05] }
//! density = 7800
//! at = [0.5, 0, 0]
//! [joint.pin]
//! kind = "revolute"
//! b = "rod"
//! at = [0, 0, 0]
//! axis = [0, 1, 0]
//! "#;
//! let loaded = holonom_scene::Loader::new().load_text("pendulum.toml", text).map_err(|e| e.render())?;
//! let model = loaded.build().map_err(|e| e.render())?;
//! assert_eq!((model.n_bodies(), model.n_rows()), (1, 5));
//! # Ok::<(), String>(())
//! ```
//!
//! Nothing here prints, and nothing outside the scene's folder is opened.

pub mod build;
pub mod codes;
pub mod confine;
pub mod contact;
pub mod diagnostic;
pub mod expression;
pub mod fields;
pub mod formula;
pub mod gallery;
pub mod gallery_page;
pub mod generators;
mod import;
pub mod include;
pub mod initial_poses;
mod joint_limits;
pub mod kinds;
pub mod limits;
pub mod load;
mod loop_starts;
pub mod masses;
pub mod mesh;
pub mod mjcf;
mod names;
pub mod node;
pub mod params;
pub mod quantities;
pub mod read;
pub mod reader;
pub mod reference;
pub mod remarks;
pub mod sanity;
pub mod scene;
pub mod schema;
pub mod sections;
pub mod set;
pub mod source;
pub mod syntax;
pub mod urdf;
pub mod write;
pub mod xml;

pub use diagnostic::{Diagnostic, Report, Severity};
pub use limits::Limits;
pub use load::{Format, LoadError, Loaded, Loader, PreparedScene};
pub use quantities::Quantities;
pub use scene::Scene;
