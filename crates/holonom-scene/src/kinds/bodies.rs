//! Kinds of bodies. (Parametric bodies are made from Rust functions: they are code, not scenes.)

use super::{Mistake, SHAPES, mistake};
use crate::build::Draft;
use crate::codes;
use crate::fields::*;
use crate::scene::{Mass, Pose};
use holonom::bodies::Rotor;
use holonom::declaration::Make;
use holonom::math::unwrap_angle;
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
    optional(
        "com",
        POSITION,
        "from the shapes; without any halfway from `from` to `to`, else the origin",
        "centre of mass in the body's frame",
    ),
    optional(
        "inertia",
        Type::Numbers("kg m^2"),
        "from the shapes",
        "about the centre of mass, body axes: [Ixx, Iyy, Izz] or [Ixx, Iyy, Izz, Ixy, Ixz, Iyz]; one number for a planar body",
    ),
    optional(
        "inertia_axes",
        Type::Rotation,
        "none",
        "axes that `inertia` is given along, turned against those of the body",
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
pub static BODIES: Family = Family { name: "body", common: BODY_FIELDS, members: || KINDS, default: Some("rigid") };

static KINDS: &[&Kind] = &[
    &Kind { name: "rigid", summary: "a rigid body: moves and turns in space", fields: &[], make: Make::Elsewhere },
    &Kind {
        name: "particle",
        summary: "a point with mass; it has no orientation, joints and forces hold on to its own point",
        fields: &[],
        make: Make::Elsewhere,
    },
    &Kind { name: "planar", summary: "a rigid body that moves in a plane", fields: &[PLANAR], make: Make::Elsewhere },
    &Kind {
        name: "scaled",
        summary: "a rigid body with a size that can change: in all directions alike, or along each body axis",
        fields: &[SCALED],
        make: Make::Elsewhere,
    },
    &Kind {
        name: "affine",
        summary: "a body that deforms the same way everywhere: x = c + A X; elastic if it has a `young`",
        fields: &[AFFINE],
        make: Make::Elsewhere,
    },
    &Kind {
        name: "rotor",
        summary: "inertia with one coordinate and no place, geared to the motion of a joint (`rotor-gear`)",
        fields: &[ROTOR],
        make: Make::Elsewhere,
    },
];

static ROTOR: &[Field] = &[
    required("rotor_inertia", Type::Number(Allowed::Positive, "kg m^2 or kg"), "inertia of its coordinate"),
    optional(
        "rate",
        Type::Number(Allowed::Any, "rad/s or m/s"),
        "from the `start_rate` of the joint it is geared to, or 0",
        "at the start; that of the joint, times the ratio",
    ),
];

static PLANAR: &[Field] = &[
    optional(
        "plane",
        Type::Record(&[
            optional("origin", POSITION, "where the body is", "a point of the plane"),
            optional("x", Type::Direction, "[1, 0, 0]", "a direction in the plane: the body's x axis at angle 0"),
            optional("y", Type::Direction, "[0, 1, 0]", "another one; angles count from x towards y"),
        ]),
        "parallel to the world's x-y plane",
        "the plane it moves in; z of the body is across it",
    ),
    optional("angle", ANGLE, "0", "from x of the plane to x of the body, instead of a `rotation`"),
];

static SCALED: &[Field] = &[
    optional("per_axis", Type::Flag, "false", "a scale for each body axis, instead of one for all"),
    optional("scale", Type::Numbers(""), "1", "scale at the start: one number, or three"),
    optional("scale_rate", Type::Numbers("1/s"), "0", "rate of the scale at the start: one number, or three"),
    optional(
        "stiffness",
        Type::Number(Allowed::NotNegative, "J"),
        "0",
        "of a spring on each scale, with the energy stiffness/2 ln(scale/rest)^2",
    ),
    optional("rest", Type::Number(Allowed::Positive, ""), "1", "scale at which that spring rests"),
    optional(
        "damping",
        Type::Number(Allowed::NotNegative, "J s"),
        "0",
        "of a damper on each scale, which takes damping (rate/scale)^2",
    ),
];

static AFFINE: &[Field] = &[
    optional(
        "stretch",
        Type::Numbers(""),
        "[1, 1, 1]",
        "U in A = R U at the start, R from `rotation`: along the body axes [x, y, z], or [xx, yy, zz, xy, xz, yz]",
    ),
    optional(
        "stretch_axes",
        Type::Rotation,
        "none",
        "axes that `stretch` and its rate are given along, turned against those of the body",
    ),
    optional("stretch_rate", Type::Numbers("1/s"), "0", "rate of U at the start, in the same form"),
    optional(
        "deformation",
        Type::Numbers(""),
        "from `rotation` and `stretch`",
        "A itself at the start, in their place: nine numbers, row by row; body axes to world axes, shear and all",
    ),
    optional(
        "deformation_rate",
        Type::Numbers("1/s"),
        "from `spin` and `stretch_rate`",
        "rate of A at the start, in their place: nine numbers, row by row",
    ),
    optional("young", Type::Number(Allowed::Positive, "Pa"), "no resistance", "Young's modulus"),
    optional("poisson", NUMBER, "0", "Poisson's ratio, between -1 and 0.5"),
    optional("viscosity", Type::Number(Allowed::NotNegative, "Pa s"), "0", "stress per rate of strain"),
    optional("volume", Type::Number(Allowed::Positive, "m^3"), "from the shapes", "volume of the undeformed body"),
];

type Made = Result<Box<dyn holonom::bodies::Body>, Mistake>;

/// Make a body from its record.
pub fn body(record: &Record, draft: &Draft) -> Made {
    match record.kind.map_or("", |k| k.name) {
        "particle" => particle(record, draft),
        "planar" => planar(record, draft),
        "scaled" => scaled(record, draft),
        "affine" => affine(record, draft),
        "rotor" => rotor(record, draft),
        _ => rigid(record, draft),
    }
}

/// The fields of the plane, for kinds that move in one.
pub fn plane_of(kind: &'static Kind) -> Option<&'static Field> {
    kind.all_fields().find(|f| f.name == "plane")
}

/// The axes of the plane of a record, z across it; none for kinds that move in space.
pub fn plane_axes(record: &Record) -> Result<Option<Mat3>, Mistake> {
    if record.kind.and_then(plane_of).is_none() {
        return Ok(None);
    }
    let plane = record.record("plane");
    let of = |name: &str, otherwise: Vec3| plane.and_then(|p| p.vector(name)).unwrap_or(otherwise);
    let (x, y) = (of("x", Vec3::X), of("y", Vec3::Y));
    let z = x.cross(y);
    if !(z.length() > 1e-9) {
        let m = mistake(record, "plane", codes::BAD_ROTATION, "`x` and `y` of the plane are parallel");
        return Err(Box::new(m.help("the x-z plane is  plane = { x = [1, 0, 0], y = [0, 0, 1] }")));
    }
    let z = z.normalize();
    Ok(Some(Mat3::from_cols(x, z.cross(x), z)))
}

fn mass(record: &Record, draft: &Draft) -> Result<Mass, Mistake> {
    let name = draft.name;
    draft.mass.ok_or_else(|| {
        let m = mistake(record, "density", codes::NO_MASS, format!("the mass of body `{name}` is not known"));
        let help = match record.has("shape") || record.has("shapes") {
            true => "give the body, or its shape, a `density` or a `mass`",
            false => "give `mass` and `inertia`, or a `shape` with `density` or `mass`",
        };
        Box::new(m.help(help))
    })
}

/// Mass and inertia, for bodies that turn.
fn solid(record: &Record, draft: &Draft) -> Result<Mass, Mistake> {
    let m = mass(record, draft)?;
    if m.inertia != Mat3::ZERO {
        return Ok(m);
    }
    let message = format!("the inertia of body `{}` is not known", draft.name);
    let m = mistake(record, "mass", codes::NO_MASS, message).label("a mass, and nothing that says how it is spread");
    let like = if plane_axes(record)?.is_some() { "0.02" } else { "[0.02, 0.02, 0.01]" };
    Err(Box::new(m.help(format!("add  inertia = {like}  (kg m^2), or a `shape`, or make it  kind = \"particle\""))))
}

/// A field that says nothing about this kind of body.
fn pointless(record: &Record, fields: &[&str], why: &str) -> Result<(), Mistake> {
    match fields.iter().find(|f| record.has(f)) {
        Some(field) => {
            let kind = record.kind.map_or("", |k| k.name);
            let m = mistake(record, field, codes::UNKNOWN_FIELD, format!("a {kind} body has no `{field}`"));
            Err(Box::new(m.label(why)))
        }
        None => Ok(()),
    }
}

fn rigid(record: &Record, draft: &Draft) -> Made {
    let m = solid(record, draft)?;
    let body = Rigid::new(m.mass, m.inertia).centre(m.centre).position(draft.pose.position);
    Ok(Box::new(body.orientation(draft.pose.rotation).velocity(draft.velocity).spin(draft.spin)))
}

fn rotor(record: &Record, draft: &Draft) -> Made {
    let said =
        ["mass", "density", "inertia", "com", "shape", "shapes", "at", "rotation", "from", "to", "velocity", "spin"];
    pointless(record, &said, "it has a `rotor_inertia` and no place")?;
    let rate = record.number("rate").or(draft.geared).unwrap_or(0.0);
    Ok(Box::new(Rotor::new(record.number("rotor_inertia").unwrap_or(0.0)).rate(rate)))
}

fn particle(record: &Record, draft: &Draft) -> Made {
    pointless(record, &["inertia", "spin", "rotation"], "it is a point")?;
    let m = mass(record, draft)?;
    if m.centre.length() > 1e-12 {
        let field = if record.has("com") { "com" } else { "shape" };
        let message = format!("the mass of the particle `{}` does not lie at its origin", draft.name);
        let e = mistake(record, field, codes::OUT_OF_RANGE, message);
        let c = m.centre;
        return Err(Box::new(e.label(format!("centre at [{}, {}, {}] m, must be [0, 0, 0]", c.x, c.y, c.z))));
    }
    Ok(Box::new(Particle::new(m.mass, draft.pose.position).velocity(draft.velocity)))
}

fn planar(record: &Record, draft: &Draft) -> Made {
    let m = solid(record, draft)?;
    let axes = plane_axes(record)?.unwrap_or(Mat3::IDENTITY);
    let n = axes.z_axis;
    let off = |field: &str, what: &str, by: String| {
        let message = format!("{what} of body `{}` does not lie in its plane", draft.name);
        let m = mistake(record, field, codes::OUT_OF_RANGE, message).label(by);
        let help = format!("the plane is across [{}, {}, {}]", n.x, n.y, n.z);
        Err(Box::new(m.help(format!("{help}; another one:  plane = {{ x = [1, 0, 0], y = [0, 0, 1] }}"))))
    };
    let Pose { position, rotation } = draft.pose;
    // without an origin the plane runs through the body, and coordinates in it are those of the world
    let given = record.record("plane").and_then(|p| p.vector("origin"));
    let origin = given.unwrap_or(n * n.dot(position));
    let placed = if record.has("from") { "from" } else { "at" };
    let height = n.dot(position - origin);
    if height.abs() > 1e-9 * (1.0 + position.length()) {
        return off(placed, "the position", format!("{height} m off it"));
    }
    let turn = axes.transpose() * Mat3::from_quat(rotation);
    if !(turn.z_axis.z > 1.0 - 1e-12) {
        let tilt = libm::acos(turn.z_axis.z.clamp(-1.0, 1.0));
        let field = if record.has("rotation") { "rotation" } else { "to" };
        return off(field, "the orientation", format!("z of the body is {tilt} rad off the plane's normal"));
    }
    let (v, w) = (axes.transpose() * draft.velocity, axes.transpose() * draft.spin);
    if v.z.abs() > 1e-9 * (1.0 + v.length()) {
        return off("velocity", "the velocity", format!("{} m/s across it", v.z));
    }
    if libm::hypot(w.x, w.y) > 1e-9 * (1.0 + w.length()) {
        return off("spin", "the spin", "must be along the normal".into());
    }
    let angle = libm::atan2(turn.x_axis.y, turn.x_axis.x);
    let angle = match record.number("angle") {
        // turns are counted from what was said, and its bits are kept
        Some(said) => {
            let near = unwrap_angle(angle, said);
            if (near - said).abs() < 1e-12 { said } else { near }
        }
        None => angle,
    };
    let p = axes.transpose() * (position - origin);
    let body = Planar::new(m.mass, m.inertia.z_axis.z).centre(m.centre.x, m.centre.y);
    let body = body.plane(origin, axes.x_axis, axes.y_axis);
    Ok(Box::new(body.pose(p.x, p.y, angle).velocity(v.x, v.y, w.z)))
}

/// One number for all three axes, or three.
fn each_axis(record: &Record, field: &str, otherwise: f64) -> Result<Vec3, Mistake> {
    match record.numbers(field) {
        None => Ok(Vec3::splat(otherwise)),
        Some([s]) => Ok(Vec3::splat(*s)),
        Some([x, y, z]) if record.flag("per_axis") || (x == y && y == z) => Ok(Vec3::new(*x, *y, *z)),
        Some([..]) => {
            let m = mistake(record, field, codes::WRONG_LENGTH, format!("`{field}` must be one number"));
            Err(Box::new(m.help("for three write  per_axis = true")))
        }
    }
}

fn scaled(record: &Record, draft: &Draft) -> Made {
    let m = solid(record, draft)?;
    let second = m.second_moments();
    let body = if record.flag("per_axis") { Scaled::per_axis(m.mass, second) } else { Scaled::uniform(m.mass, second) };
    let scales = each_axis(record, "scale", 1.0)?;
    if !(scales.min_element() > 0.0) {
        let e = mistake(record, "scale", codes::OUT_OF_RANGE, "`scale` is out of range");
        return Err(Box::new(e.label("must be greater than 0")));
    }
    let of = |name: &str, otherwise: f64| record.number(name).unwrap_or(otherwise);
    let body = body.centre(m.centre).position(draft.pose.position).orientation(draft.pose.rotation);
    let body = body.velocity(draft.velocity).spin(draft.spin).scales(scales);
    let body = body.scale_rates(each_axis(record, "scale_rate", 0.0)?);
    Ok(Box::new(body.spring(of("stiffness", 0.0), of("rest", 1.0)).damping(of("damping", 0.0))))
}

/// A symmetric matrix by its diagonal, or by that and what is beside it.
fn symmetric(record: &Record, field: &str, otherwise: Mat3) -> Result<Mat3, Mistake> {
    match record.numbers(field) {
        None => Ok(otherwise),
        Some([x]) => Ok(Mat3::IDENTITY * *x),
        Some([x, y, z]) => Ok(Mat3::from_diagonal(vec3(*x, *y, *z))),
        Some([x, y, z, xy, xz, yz]) => Ok(Mat3::from_cols(vec3(*x, *xy, *xz), vec3(*xy, *y, *yz), vec3(*xz, *yz, *z))),
        Some(other) => {
            let m = mistake(record, field, codes::WRONG_LENGTH, format!("`{field}` must have 1, 3 or 6 elements"));
            Err(Box::new(m.label(format!("{} elements", other.len()))))
        }
    }
}

fn affine(record: &Record, draft: &Draft) -> Made {
    let m = solid(record, draft)?;
    let (shape, shape_rate) = affine_start(record, draft)?;
    let body = Affine::new(m.mass, m.second_moments()).centre(m.centre).pose(draft.pose.position, shape);
    let body = body.velocity(draft.velocity, shape_rate);
    let Some(young) = record.number("young") else {
        pointless(record, &["poisson", "viscosity", "volume"], "without a `young` nothing resists")?;
        return Ok(Box::new(body));
    };
    let Some(volume) = record.number("volume").or(draft.volume) else {
        let e = mistake(record, "young", codes::MISSING_FIELD, "an elastic body needs a volume");
        return Err(Box::new(e.help("give it a shape, or  volume = 0.001  (m^3)")));
    };
    let poisson = record.number("poisson").unwrap_or(0.0);
    if !(poisson > -1.0 && poisson < 0.5) {
        let e = mistake(record, "poisson", codes::OUT_OF_RANGE, "`poisson` is out of range");
        return Err(Box::new(e.label(format!("{poisson}, must be between -1 and 0.5"))));
    }
    let body = body.elastic(young, poisson, volume);
    Ok(Box::new(body.viscous(record.number("viscosity").unwrap_or(0.0))))
}

/// A and its rate at the start: as given, or A = R U from rotation and stretch, with `A' = w × A + R U'`.
fn affine_start(record: &Record, draft: &Draft) -> Result<(Mat3, Mat3), Mistake> {
    let given = nine(record, "deformation")?;
    let given_rate = nine(record, "deformation_rate")?;
    if given.is_some() {
        pointless(record, &["rotation", "from", "to", "stretch", "stretch_axes"], "`deformation` says it all")?;
    }
    if given_rate.is_some() {
        pointless(record, &["spin", "stretch_rate"], "`deformation_rate` says it all")?;
    }
    let turn = Mat3::from_quat(draft.pose.rotation);
    let axes = Mat3::from_quat(record.rotation("stretch_axes").unwrap_or_default());
    let stretch = axes * symmetric(record, "stretch", Mat3::IDENTITY)? * axes.transpose();
    let determinant = given.unwrap_or(stretch).determinant();
    if !(determinant > 0.0) {
        let field = if given.is_some() { "deformation" } else { "stretch" };
        let e = mistake(record, field, codes::OUT_OF_RANGE, format!("`{field}` is out of range"));
        return Err(Box::new(e.label(format!("determinant {determinant}, must be greater than 0"))));
    }
    let shape = given.unwrap_or(turn * stretch);
    let rate = axes * symmetric(record, "stretch_rate", Mat3::ZERO)? * axes.transpose();
    let spin = |c: Vec3| draft.spin.cross(c);
    let turning = Mat3::from_cols(spin(shape.x_axis), spin(shape.y_axis), spin(shape.z_axis));
    Ok((shape, given_rate.unwrap_or(turning + turn * rate)))
}

/// A matrix, row by row.
fn nine(record: &Record, field: &str) -> Result<Option<Mat3>, Mistake> {
    let Some(numbers) = record.numbers(field) else { return Ok(None) };
    let Ok(rows) = <[f64; 9]>::try_from(numbers) else {
        let m = mistake(record, field, codes::WRONG_LENGTH, format!("`{field}` must have 9 elements"));
        return Err(Box::new(m.label(format!("{} elements", numbers.len()))));
    };
    Ok(Some(Mat3::from_cols_array(&rows).transpose()))
}
