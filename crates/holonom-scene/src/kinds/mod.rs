//! Everything a scene can be made of: one table per family, one line per kind. A new kind is its fields and a function that makes it.

mod bodies;
mod drives;
mod forces;
mod functions;
mod joints;
mod shapes;

pub use bodies::{BODIES, BODY_FIELDS};
pub use drives::DRIVES;
pub use forces::FORCES;
pub use functions::{FUNCTIONS, function};
pub use joints::JOINTS;
pub use shapes::{SHAPES, natural_pose, shape};

use crate::build::{Draft, Site};
use crate::diagnostic::Diagnostic;
use crate::fields::Record;
use crate::scene::{Geometry, Mass};
use holonom::bodies::Body;
use holonom::forces::Force;
use holonom::functions::Function;
use holonom::joints::Constraint;
use std::sync::Arc;

/// What could not be made, and why.
pub type Mistake = Box<Diagnostic>;

/// What was made, or why it could not be.
pub type Made<T> = Result<T, Mistake>;

/// What a shape looks like, and its mass at a density of 1 kg/m^3.
pub type Solid = (Geometry, Option<Mass>);

/// What a drive becomes.
pub enum Driven {
    /// A row in the equations.
    Row(Box<dyn Constraint>),
    /// A force.
    Push(Box<dyn Force>),
}

/// How a kind is made from its record. Which of the forms it is follows from the family.
#[derive(Clone, Copy)]
pub enum Make {
    /// A body, from its mass and motion.
    Body(fn(&Record, &Draft) -> Made<Box<dyn Body>>),
    /// A shape, and its mass at a density of 1 kg/m^3. The number is the length of the body it belongs to (`from` to `to`), if it has one.
    Shape(fn(&Record, &mut ShapeSite) -> Made<Solid>),
    /// A joint.
    Joint(fn(&Record, &Site) -> Made<Box<dyn Constraint>>),
    /// A force.
    Force(fn(&Record, &Site) -> Made<Box<dyn Force>>),
    /// A drive.
    Drive(fn(&Record, &Site) -> Made<Driven>),
    /// A function of one variable.
    Function(fn(&Record) -> Result<Arc<dyn Function>, String>),
    /// Something that its reader makes itself.
    Plain,
}

/// What a shape needs to know of where it stands.
pub struct ShapeSite<'a> {
    /// Length of the body from `from` to `to`, m.
    pub length: Option<f64>,
    /// Reads the mesh of a file.
    pub mesh: &'a mut dyn FnMut(&Record) -> Made<Arc<crate::mesh::Mesh>>,
}

/// A mistake in a field of a record.
pub fn mistake(record: &Record, field: &str, code: crate::codes::Code, message: impl Into<String>) -> Mistake {
    Box::new(Diagnostic::error(code, message).at(record.span_of(field)))
}
