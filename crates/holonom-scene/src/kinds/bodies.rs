//! Kinds of bodies.

use super::{Make, Mistake, SHAPES, mistake};
use crate::build::Draft;
use crate::codes;
use crate::fields::*;
use crate::scene::Mass;
use holonom::prelude::*;

/// Fields of every body.
pub static BODY_FIELDS: &[Field] = &[
    optional("at", POSITION, "[0, 0, 0]", "position of the body's origin in the world"),
    optional("rotation", Type::Rotation, "none", "orientation in the world"),
    optional("from", POSITION, "not said", "first end: the body's origin lies there, its x axis points to `to`"),
    optional("to", POSITION, "not said", "second end of a body that has a `from`"),
    optional("velocity", Type::Vector("m/s"), "[0, 0, 0]", "velocity of the origin at the start, world axes"),
    optional("spin", Type::Vector("rad/s"), "[0, 0, 0]", "angular velocity at the start, world axes"),
    optional("mass", Type::Number(Allowed::Positive, "kg"), "from the shapes", "mass"),
    optional(
        "density",
        Type::Number(Allowed::Positive, "kg/m^3"),
        "not said",
        "density of the shapes that have none of their own",
    ),
    optional("com", POSITION, "from the shapes", "centre of mass in the body's frame"),
    optional(
        "inertia",
        Type::Numbers("kg m^2"),
        "from the shapes",
        "about the centre of mass, body axes: [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]; one number for a planar body",
    ),
    optional("shape", Type::Kind(&SHAPES), "none", "its shape, if it has only one"),
    optional("shapes", Type::Kinds(&SHAPES), "none", "its shapes"),
    optional("points", Type::Map(&POSITION), "none", "named points in the body's frame"),
    optional("frames", Type::Map(&FRAME), "none", "named points with axes, in the body's frame"),
    optional("colour", Type::Numbers(""), "by its place in the list", "red, green, blue from 0 to 1"),
];

static FRAME: Type = Type::Record(&[
    optional("at", POSITION, "[0, 0, 0]", "where it is"),
    optional("rotation", Type::Rotation, "none", "its axes"),
    optional("axis", Type::Direction, "[0, 0, 1]", "its z axis, instead of a rotation"),
]);

/// Kinds of bodies.
pub static BODIES: Family = Family { name: "body", common: BODY_FIELDS, kinds: &[KINDS], default: Some("rigid") };

static KINDS: &[Kind] = &[
    Kind { name: "rigid", summary: "a rigid body", fields: &[], make: Make::Body(rigid) },
    Kind { name: "particle", summary: "a point with mass", fields: &[], make: Make::Body(particle) },
];

fn mass(record: &Record, draft: &Draft) -> Result<Mass, Mistake> {
    let unknown = || {
        let m = mistake(record, "mass", codes::NO_MASS, format!("the mass of body `{}` is not known", draft.name));
        Box::new(m.help("give `mass` and `inertia`, or a `shape` with `density` or `mass`"))
    };
    draft.mass.ok_or_else(unknown)
}

fn rigid(record: &Record, draft: &Draft) -> Result<Box<dyn holonom::bodies::Body>, Mistake> {
    let m = mass(record, draft)?;
    let body = Rigid::new(m.mass, m.inertia).centre(m.centre).position(draft.pose.position);
    Ok(Box::new(body.orientation(draft.pose.rotation).velocity(draft.velocity).spin(draft.spin)))
}

fn particle(record: &Record, draft: &Draft) -> Result<Box<dyn holonom::bodies::Body>, Mistake> {
    let m = mass(record, draft)?;
    Ok(Box::new(Particle::new(m.mass, draft.pose.position).velocity(draft.velocity)))
}
