//! Everything a scene can be made of, one table per family. Joints, drives, forces, functions, curves and surfaces are
//! declared beside the engine's types; what belongs to scenes alone (bodies with their masses and poses, shapes) is
//! declared here.

mod bodies;
mod joints;
mod parameters;
mod shapes;

pub use bodies::{BODIES, BODY_FIELDS, body, plane_axes, plane_of};
pub use holonom::curves::CURVES;
pub use holonom::functions::FUNCTIONS;
pub use holonom::surfaces::SURFACES;
pub use holonom_tyre::TERRAINS;
pub use joints::{JOINTS, geared_rates};
pub use parameters::{BuildContext, RecordParameters};
pub use shapes::{SHAPES, shape};

use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::fields::{Family, Kind, Record};
use crate::scene::{Geometry, Mass, Pose};
use holonom::declaration::{Fault, Invalid};
use holonom::forces::ForceDeclaration;
use holonom::functions::Function;
use std::sync::{Arc, LazyLock};

/// What could not be made, and why.
pub type Mistake = Box<Diagnostic>;

/// Kinds of drives.
pub static DRIVES: Family = Family { name: "drive", common: &[], members: drives, default: None };

fn drives() -> &'static [&'static Kind] {
    static KINDS: LazyLock<Vec<&'static Kind>> =
        LazyLock::new(|| holonom::drives::DRIVES.iter().map(|d| &d.kind).collect());
    &KINDS
}

/// Kinds of forces.
pub static FORCES: Family = Family { name: "force", common: &[], members: forces, default: None };

fn forces() -> &'static [&'static Kind] {
    static KINDS: LazyLock<Vec<&'static Kind>> = LazyLock::new(|| force_declarations().map(|d| &d.kind).collect());
    &KINDS
}

/// The table of forces: those of the engine, then those of crates with laws of their own.
pub fn force_declarations() -> impl Iterator<Item = &'static ForceDeclaration> {
    [holonom::forces::FORCES, holonom_tyre::FORCES].into_iter().flatten().copied()
}

/// What a shape needs to know of where it stands.
pub struct ShapeSite<'a> {
    /// Length of the body from `from` to `to`, m.
    pub length: Option<f64>,
    /// Reads the mesh of a file.
    pub mesh: &'a mut dyn FnMut(&Record) -> Result<Arc<crate::mesh::Mesh>, Mistake>,
}

/// What a shape kind makes.
pub struct Solid {
    /// What it looks like.
    pub geometry: Geometry,
    /// Where it stands of itself, before `at` and `rotation` move it.
    pub natural: Pose,
    /// Its mass at 1 kg/m^3, moved as `natural` says; or why it has none, which matters only where a mass is asked of
    /// it.
    pub mass: Result<Mass, String>,
}

/// A mistake in a field of a record.
pub fn mistake(record: &Record, field: &str, code: codes::Code, message: impl Into<String>) -> Mistake {
    Box::new(Diagnostic::error(code, message).at(record.span_of(field)))
}

/// What the engine says against a parameter, at the field it speaks of.
pub fn refused(record: &Record, invalid: &Invalid) -> Mistake {
    let code = match invalid.fault {
        Fault::Unusable => codes::NOT_BUILT,
        Fault::Range => codes::OUT_OF_RANGE,
        Fault::Length => codes::WRONG_LENGTH,
        Fault::Missing => codes::MISSING_FIELD,
        Fault::Exclusive => codes::EXCLUSIVE,
        Fault::SameBody => codes::SELF_JOINT,
        Fault::Coordinate => codes::UNKNOWN_COORDINATE,
        Fault::Function => codes::BAD_FUNCTION,
        Fault::Direction => codes::ZERO_DIRECTION,
    };
    let d = Diagnostic::error(code, &*invalid.reason).at(record.span_at(&invalid.field));
    let d = if invalid.label.is_empty() { d } else { d.label(&*invalid.label) };
    Box::new(if invalid.help.is_empty() { d } else { d.help(&*invalid.help) })
}

/// Make a function from its record.
pub fn function(record: &Record) -> Result<Arc<dyn Function>, Mistake> {
    holonom::functions::make(&RecordParameters::plain(record)).map_err(|e| refused(record, &e))
}

/// The kind that is meant by a word of other programs, by the name of the family: what names alone cannot tell, since
/// `cube` is nearer to `tube` than to `box`.
pub fn in_other_words(family: &str, word: &str) -> Option<&'static str> {
    let word = word.to_lowercase().replace(['_', ' '], "-");
    let word = word.strip_suffix("-joint").unwrap_or(&word);
    if family == "joint" {
        return holonom::joints::JOINTS.iter().find(|joint| joint.also.contains(&word)).map(|joint| joint.name());
    }
    Some(match (family, word) {
        ("shape", "cube" | "cuboid" | "block" | "brick" | "rectangle") => "box",
        ("shape", "ball" | "round") => "sphere",
        ("shape", "pipe" | "hollow-cylinder") => "tube",
        ("shape", "disk" | "disc" | "wheel") => "cylinder",
        ("shape", "stl" | "obj" | "file") => "mesh",
        ("shape", "ground" | "floor") => "plane",
        ("shape", "terrain" | "heightmap" | "heightfield" | "hfield") => "heights",
        ("shape", "ring" | "doughnut") => "torus",
        ("body", "point" | "point-mass" | "mass") => "particle",
        ("drive", "angle" | "servo-position" | "displacement") => "position",
        (
            "drive",
            "velocity" | "motor" | "rpm" | "rate" | "spin" | "angular-velocity" | "angular-speed" | "rotational-speed",
        ) => "speed",
        ("drive", "force" | "effort" | "actuator") => "torque",
        ("drive", "pd" | "pid" | "control") => "controller",
        ("force", "torsion" | "rotational-spring" | "torsional-spring") => "torsion-spring",
        ("force", "linear-spring" | "damper" | "spring-damper") => "spring",
        _ => return None,
    })
}
