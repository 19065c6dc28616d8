//! Kinds of shapes.

use super::{Make, Mistake, ShapeSite, mistake};
use crate::codes;
use crate::fields::*;
use crate::scene::{Geometry, Mass, Pose};
use holonom::MassProperties;
use holonom::math::{Quat, exp_quat, vec3};

/// Kinds of shapes.
pub static SHAPES: Family = Family {
    name: "shape",
    common: &[
        optional("at", POSITION, "[0, 0, 0]", "where its centre is on the body"),
        optional("rotation", Type::Rotation, "none", "how it is turned on the body"),
        optional("density", Type::Number(Allowed::Positive, "kg/m^3"), "that of the body", "its density"),
        optional("mass", Type::Number(Allowed::Positive, "kg"), "from the density", "its mass, instead of a density"),
        optional("massless", Type::Flag, "false", "only to be seen"),
        optional("hidden", Type::Flag, "false", "not to be seen"),
        optional("collides", Type::Flag, "true", "whether other things touch it"),
        optional("friction", Type::Number(Allowed::NotNegative, ""), "not said", "coefficient of friction of contacts"),
        optional("colour", Type::Numbers(""), "that of the body", "red, green, blue from 0 to 1"),
    ],
    kinds: &[KINDS],
    default: None,
};

const RADIUS: Field = required("radius", LENGTH, "its radius");
const ALONG: Field = required("length", LENGTH, "its length along z");

static KINDS: &[Kind] = &[
    Kind {
        name: "box",
        summary: "a box",
        fields: &[&[required("size", Type::Vector("m"), "edge lengths along x, y, z")]],
        make: Make::Shape(cuboid),
    },
    Kind { name: "sphere", summary: "a ball", fields: &[&[RADIUS]], make: Make::Shape(sphere) },
    Kind { name: "cylinder", summary: "a cylinder along z", fields: &[&[RADIUS, ALONG]], make: Make::Shape(cylinder) },
    Kind {
        name: "rod",
        summary: "a cylinder from `from` to `to` of its body",
        fields: &[&[RADIUS]],
        make: Make::Shape(rod),
    },
];

/// Make a shape: what it looks like, where it is of itself, and its mass at 1 kg/m^3.
pub fn shape(record: &Record, site: &mut ShapeSite) -> Result<(Geometry, Option<Mass>), Mistake> {
    match record.kind.map(|k| k.make) {
        Some(Make::Shape(make)) => make(record, site),
        _ => Err(mistake(record, "kind", codes::UNKNOWN_KIND, "not a shape")),
    }
}

/// Where a shape stands before it is placed: rods lie along x, from the body's origin.
pub fn natural_pose(record: &Record, length: Option<f64>) -> Pose {
    match (record.kind.map(|k| k.name), length) {
        (Some("rod"), Some(l)) => {
            Pose { position: vec3(0.5 * l, 0.0, 0.0), rotation: exp_quat(vec3(0.0, std::f64::consts::FRAC_PI_2, 0.0)) }
        }
        _ => Pose { position: holonom::Vec3::ZERO, rotation: Quat::IDENTITY },
    }
}

fn number(record: &Record, name: &str) -> f64 {
    record.number(name).unwrap_or(f64::NAN)
}

fn cuboid(record: &Record, _: &mut ShapeSite) -> Result<(Geometry, Option<Mass>), Mistake> {
    let size = record.vector("size").unwrap_or_default();
    if !(size.min_element() > 0.0) {
        let m = mistake(record, "size", codes::OUT_OF_RANGE, "`size` is out of range");
        return Err(Box::new(m.label(format!("{size} m, all three must be greater than 0"))));
    }
    Ok((Geometry::Box(size), Some(Mass::from(&MassProperties::cuboid(1.0, size)))))
}

fn sphere(record: &Record, _: &mut ShapeSite) -> Result<(Geometry, Option<Mass>), Mistake> {
    let r = number(record, "radius");
    Ok((Geometry::Sphere(r), Some(Mass::from(&MassProperties::sphere(1.0, r)))))
}

fn cylinder(record: &Record, _: &mut ShapeSite) -> Result<(Geometry, Option<Mass>), Mistake> {
    let (r, l) = (number(record, "radius"), number(record, "length"));
    Ok((Geometry::Cylinder(r, l), Some(Mass::from(&MassProperties::cylinder(1.0, r, l)))))
}

fn rod(record: &Record, site: &mut ShapeSite) -> Result<(Geometry, Option<Mass>), Mistake> {
    let Some(l) = site.length else {
        let m = mistake(record, "kind", codes::MISSING_FIELD, "a `rod` needs a body with `from` and `to`");
        return Err(Box::new(m.help("give the body `from` and `to`, or make the shape a cylinder")));
    };
    let r = number(record, "radius");
    Ok((Geometry::Cylinder(r, l), Some(Mass::from(&MassProperties::cylinder(1.0, r, l)))))
}
