//! What bodies, constraints, forces, functions, curves and surfaces are: the traits that kinds implement, what these
//! read and write, and how kinds are declared. Nothing here names a kind.

pub mod attach;
mod body;
mod chart;
mod checks;
mod constraint;
pub mod coordinate;
mod curve;
mod declaration;
mod force;
mod formula;
mod function;
mod lock;
mod parameters;
mod rows;
mod surface;

pub use attach::{Attached, Attachment, AttachmentKind, BodyId, Frame, Marker, View};
pub use body::{Body, Inertia, Momentum};
pub use chart::Chart;
pub use checks::{between_0_and_1, finite, finite_vector, not_negative, optional_finite, positive};
pub use constraint::{Constraint, CoordinateKind, GapSizes, Level, RowLaw};
pub use coordinate::{Coordinate, Measure};
pub use curve::{Curve, Patch, PatchJet};
pub use declaration::*;
pub use force::{Force, Push, Stiffness};
pub use formula::{Formula, FormulaFunction, FormulaOp, MAX_INPUTS};
pub use function::Function;
pub use holonom_tree::Mask;
pub use lock::{Lock, LockShape};
pub use parameters::{Component, Driven, Parameters};
pub use rows::{Row, Rows};
pub use surface::Surface;

pub(crate) use attach::Bodies;
pub(crate) use body::frame_of;
pub(crate) use chart::free_of;
pub(crate) use formula::BoundFormula;
pub(crate) use rows::{GapSums, numbered};
