//! Everything a scene can be made of: one table per family, one line per kind. A new kind is its fields and a function that makes it.

mod bodies;
mod curves;
mod drives;
mod forces;
mod functions;
mod joints;
mod shapes;
mod surfaces;
mod tyres;

pub use bodies::{BODIES, BODY_FIELDS, plane_axes, plane_of};
pub use curves::{CURVES, curve};
pub use drives::{CONDITIONS, DRIVES};
pub use forces::{FORCES, torque_curve};
pub use functions::{FUNCTIONS, function};
pub use joints::{JOINTS, geared_rates};
pub use shapes::{SHAPES, shape};
pub use surfaces::{SURFACES, Sheeted, surface};
pub use tyres::TERRAINS;

use crate::build::{Draft, Site};
use crate::diagnostic::Diagnostic;
use crate::fields::Record;
use crate::scene::{Geometry, Mass, Pose};
use holonom::bodies::Body;
use holonom::curves::Curve;
use holonom::forces::Force;
use holonom::functions::Function;
use holonom::joints::Constraint;
use holonom_tyre::Terrain;
use std::sync::Arc;

/// What could not be made, and why.
pub type Mistake = Box<Diagnostic>;

/// What was made, or why it could not be.
pub type Made<T> = Result<T, Mistake>;

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
    /// A shape.
    Shape(fn(&Record, &mut ShapeSite) -> Made<Solid>),
    /// A joint.
    Joint(fn(&Record, &Site) -> Made<Box<dyn Constraint>>),
    /// A force.
    Force(fn(&Record, &Site) -> Made<Box<dyn Force>>),
    /// A drive.
    Drive(fn(&Record, &Site) -> Made<Driven>),
    /// A function of one variable.
    Function(fn(&Record) -> Made<Arc<dyn Function>>),
    /// A curve in space.
    Curve(fn(&Record) -> Made<Arc<dyn Curve>>),
    /// A surface.
    Surface(fn(&Record) -> Made<Sheeted>),
    /// A terrain.
    Terrain(fn(&Record) -> Made<Box<dyn Terrain>>),
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

/// What a shape kind makes.
pub struct Solid {
    /// What it looks like.
    pub geometry: Geometry,
    /// Where it stands of itself, before `at` and `rotation` move it.
    pub natural: Pose,
    /// Its mass at 1 kg/m^3, moved as `natural` says; or why it has none, which matters only where a mass is asked of it.
    pub mass: Result<Mass, String>,
}

/// A mistake in a field of a record.
pub fn mistake(record: &Record, field: &str, code: crate::codes::Code, message: impl Into<String>) -> Mistake {
    Box::new(Diagnostic::error(code, message).at(record.span_of(field)))
}

/// What the engine says against something, at the field it speaks of: the one whose name, in words, stands in the message. Where several do, the
/// longest; where none does, the table itself.
pub fn refused(record: &Record, code: crate::codes::Code, message: &str) -> Mistake {
    let said = |name: &str| message.contains(name) || message.contains(&name.replace('_', " "));
    let named = record.values().iter().filter(|(name, ..)| name.len() > 1 && said(name));
    let span = named.max_by_key(|(name, ..)| name.len()).map_or(record.span, |(.., span)| *span);
    Box::new(Diagnostic::error(code, message).at(span))
}

/// A number that must not be zero, nor anything else that does not fit.
pub fn fitting(record: &Record, field: &str, fits: impl Fn(f64) -> bool, must: &str) -> Result<Option<f64>, Mistake> {
    match record.number(field) {
        Some(x) if !fits(x) => {
            let m = mistake(record, field, crate::codes::OUT_OF_RANGE, format!("`{field}` is out of range"));
            Err(Box::new(m.label(format!("{x}, must be {must}"))))
        }
        x => Ok(x),
    }
}
