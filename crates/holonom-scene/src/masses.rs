//! The mass of a body from the fields of its table: numbers, shapes, or both.
//!
//! | given | mass, centre, inertia |
//! |---|---|
//! | `mass`, `com`, `inertia` | as given; shapes are only drawn |
//! | shapes with `density` or `mass` (their own, or the density of the body) | the sum over the shapes |
//! | `mass` and shapes | the shapes give its distribution, the number its amount |
//! | `com` or `inertia` besides | replace those of the shapes; the inertia is about the centre of mass |
//!
//! Without shapes that say otherwise, and without a `com`, the centre of mass is the body's origin; of a body with two
//! ends (`from`, `to`), which is a bar to everybody who writes one, it is the middle between them.

use crate::codes;
use crate::contact::{self, MaterialOverrides};
use crate::diagnostic::{Diagnostic, field_error};
use crate::fields::{Record, Val};
use crate::kinds::{self, ShapeSite};
use crate::mesh::Mesh;
use crate::read::Environment;
use crate::scene::{Geometry, Mass, Pose, ShapeRecord};
use holonom::math::{Mat3, Vec3, symmetric_eigen, vec3};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Meshes that were read already, and how many triangles they have together.
#[derive(Default)]
pub struct Meshes {
    known: HashMap<PathBuf, Arc<Mesh>>,
    triangles: u64,
}

/// What the shapes of a body give.
pub struct Filled {
    /// The shapes themselves.
    pub shapes: Vec<ShapeRecord>,
    /// The mass of the body; none where nothing was said that one could take for it.
    pub mass: Option<Mass>,
    /// Volume of the shapes that have mass, m^3.
    pub volume: Option<f64>,
}

/// A shape on a body, and its mass at 1 kg/m^3 there, or why it has none.
pub fn shape(
    record: &Record,
    length: Option<f64>,
    around: &Environment,
    meshes: &mut Meshes,
) -> Result<(ShapeRecord, Result<Mass, String>), Box<Diagnostic>> {
    let mut load = |r: &Record| crate::mesh::load(r, around, &mut meshes.known, &mut meshes.triangles);
    let made = kinds::shape(record, &mut ShapeSite { length, mesh: &mut load })?;
    let placed = Pose {
        position: record.vector("at").unwrap_or_default(),
        rotation: record.rotation("rotation").unwrap_or_default(),
    };
    let shape = ShapeRecord {
        geometry: made.geometry,
        pose: placed.then(&made.natural),
        colour: colour(record)?,
        visible: !record.flag("hidden"),
        name: record.text("name").map(Into::into),
        span: record.span,
        collides: record.has("collides").then(|| record.flag("collides")),
        surface: MaterialOverrides::of(record)?,
        triangles: match record.kind {
            Some(kind) if kind.name == "hull" => Some(false),
            _ => record.text("collide_as").map(|way| way == "triangles"),
        },
        groups: (contact::groups(record, "groups", 1)?, contact::groups(record, "meets", u32::MAX)?),
        sensor: record.flag("sensor"),
        surface_velocity: record.vector("surface_velocity").unwrap_or_default(),
    };
    Ok((shape, made.mass.map(|m| m.placed(&placed))))
}

/// Three numbers from 0 to 1.
pub fn colour(record: &Record) -> Result<Option<[f64; 3]>, Box<Diagnostic>> {
    match record.numbers("colour") {
        None => Ok(None),
        Some([r, g, b]) if [r, g, b].iter().all(|x| (0.0..=1.0).contains(*x)) => Ok(Some([*r, *g, *b])),
        Some(other) => {
            let m = field_error(record, "colour", codes::OUT_OF_RANGE, "`colour` is out of range");
            Err(Box::new(m.label(format!("{other:?}, must be three numbers from 0 to 1"))))
        }
    }
}

/// Shapes and mass of a body; `length` is that from its `from` to its `to`.
pub fn fill(
    record: &Record,
    length: Option<f64>,
    around: &Environment,
    meshes: &mut Meshes,
) -> Result<Filled, Box<Diagnostic>> {
    let mut shapes = Vec::new();
    let (mut total, mut volume): (Option<Mass>, Option<f64>) = (None, None);
    let one = record.record("shape").into_iter();
    let many = record.list("shapes").iter().filter_map(|(v, _)| match v {
        Val::Record(r) => Some(&**r),
        _ => None,
    });
    let overall = record.number("density");
    let all_said = record.has("mass") && record.has("com") && record.has("inertia");
    let (mut heavy, mut light): (Option<&Record>, Option<&Record>) = (None, None);
    let body_colour = colour(record)?;
    for shape_record in one.chain(many) {
        let (mut shape, content) = shape(shape_record, length, around, meshes)?;
        shape.colour = shape.colour.or(body_colour);
        shapes.push(shape);
        // a point has no volume, and where a particle has its mass
        let nothing = matches!(shapes.last(), Some(ShapeRecord { geometry: Geometry::Point, .. }));
        if shape_record.flag("massless") || shape_record.flag("sensor") || nothing {
            continue;
        }
        let said = shape_record.has("mass") || shape_record.has("density");
        let unit = match content {
            Ok(unit) => unit,
            Err(_) if all_said && !said => continue,
            Err(why) => {
                let m = field_error(shape_record, "file", codes::OPEN_MESH, format!("a shape has no volume: {why}"));
                return Err(Box::new(m.help(
                    "close the mesh, or give the body `mass`, `com` and `inertia`, or mark the shape `massless = true`",
                )));
            }
        };
        volume = Some(volume.unwrap_or(0.0) + unit.mass);
        let factor = match (shape_record.number("mass"), shape_record.number("density").or(overall)) {
            (Some(mass), _) => Some(mass / unit.mass),
            (None, density) => density,
        };
        let slot = if factor.is_some() { &mut heavy } else { &mut light };
        slot.get_or_insert(shape_record);
        let mass = match factor {
            Some(factor) => unit.scaled(factor),
            // where the mass of the body is said, the shapes only say how it is spread
            None if record.has("mass") => unit,
            None => continue,
        };
        total = Some(total.map_or(mass, |sum| sum.plus(&mass)));
    }
    if let (Some(_), Some(light), false) = (heavy, light, all_said) {
        let m = field_error(
            light,
            "kind",
            codes::NO_MASS,
            "the mass of a shape is not known, that of another of the body is",
        );
        return Err(Box::new(m.help("give it a `density` or a `mass`, or mark it `massless = true`")));
    }
    Ok(Filled { shapes, mass: total_mass(record, length, total)?, volume })
}

/// RecordParameters mass, centre and inertia, over those of the shapes.
fn total_mass(record: &Record, length: Option<f64>, of_shapes: Option<Mass>) -> Result<Option<Mass>, Box<Diagnostic>> {
    let is_point = record.kind.is_some_and(|k| k.name == "particle");
    let middle = length.filter(|_| !is_point).map_or(Vec3::ZERO, |length| vec3(0.5 * length, 0.0, 0.0));
    let mut total = match (record.number("mass"), of_shapes) {
        (Some(mass), Some(shapes)) => shapes.scaled(mass / shapes.mass),
        (Some(mass), None) => Mass { mass, centre: middle, inertia: Mat3::ZERO },
        (None, Some(shapes)) => shapes,
        (None, None) => return Ok(None),
    };
    if !(total.mass > 0.0 && total.mass.is_finite() && total.inertia.is_finite()) {
        let m = field_error(record, "mass", codes::OUT_OF_RANGE, "the mass of the body is out of range");
        let m = m.label(format!("{} kg from its shapes, must be finite and greater than 0", total.mass));
        return Err(Box::new(m.help("lengths are in m, densities in kg/m^3")));
    }
    if let Some(com) = record.vector("com") {
        total.centre = com;
    }
    match (record.numbers("inertia"), record.rotation("inertia_axes")) {
        (Some(numbers), None) => total.inertia = inertia(record, numbers)?,
        (Some(numbers), Some(axes)) => {
            let turn = Mat3::from_quat(axes);
            let turned = turn * inertia(record, numbers)? * turn.transpose();
            // symmetric to the last bit
            total.inertia = (turned + turned.transpose()) * 0.5;
        }
        (None, Some(_)) => {
            let message = "`inertia_axes` without `inertia`";
            return Err(field_error(record, "inertia_axes", codes::MISSING_FIELD, message));
        }
        (None, None) => {}
    }
    Ok(Some(total))
}

/// An inertia that some body could have.
fn inertia(record: &Record, numbers: &[f64]) -> Result<Mat3, Box<Diagnostic>> {
    let planar = record.kind.is_some_and(|k| kinds::plane_of(k).is_some());
    let (diagonal, off) = match numbers {
        // what a thin plate has that lies in the plane
        [x] if planar => (vec3(0.5 * x, 0.5 * x, *x), Vec3::ZERO),
        [x, y, z] => (vec3(*x, *y, *z), Vec3::ZERO),
        [x, y, z, xy, xz, yz] => (vec3(*x, *y, *z), vec3(*xy, *xz, *yz)),
        _ => {
            let wanted = if planar { "1, 3 or 6" } else { "3 or 6" };
            let message = format!("`inertia` must have {wanted} elements");
            let m = field_error(record, "inertia", codes::WRONG_LENGTH, message);
            let n = numbers.len();
            let m = m.label(format!("{n} element{}", if n == 1 { "" } else { "s" }));
            return Err(Box::new(m.help("write  inertia = [Ixx, Iyy, Izz]  or  [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]")));
        }
    };
    let tensor =
        Mat3::from_cols(vec3(diagonal.x, off.x, off.y), vec3(off.x, diagonal.y, off.z), vec3(off.y, off.z, diagonal.z));
    let (_, [a, b, c]) = symmetric_eigen(&tensor);
    let largest = a.max(b).max(c);
    let wrong = |why: &str, help: &str| {
        let m = field_error(record, "inertia", codes::IMPOSSIBLE_INERTIA, why);
        Err(Box::new(m.label(format!("principal moments {a:.6e}, {b:.6e}, {c:.6e} kg m^2")).help(help)))
    };
    // a zero moment comes out of the eigenvalues as rounding
    if !(a.min(b).min(c) > 1e-12 * largest) {
        return wrong(
            "the principal moments of inertia must be greater than 0",
            "a thin rod has a small moment about its own axis too; a point without any is  kind = \"particle\"",
        );
    }
    if largest > (a + b + c - largest) * (1.0 + 1e-9) {
        return wrong(
            "no body has such an inertia: one principal moment exceeds the sum of the two others",
            "check units (kg m^2) and that the moments are about the centre of mass",
        );
    }
    Ok(tensor)
}
