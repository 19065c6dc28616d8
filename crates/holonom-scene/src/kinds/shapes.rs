//! Kinds of shapes. A shape says what it looks like, where it stands of itself, and its mass at a density of 1 kg/m^3.
//!
//! Round shapes stand along z with their centre at the origin (a cone: its base there). Rods and beams lie along the
//! line between two points: the ends of their body unless they have their own. Their mass is computed along that line,
//! so that one along a body axis has no products of inertia.

use super::{Mistake, ShapeSite, Solid, mistake};
use crate::codes;
use crate::contact::SURFACE;
use crate::fields::*;
use crate::mesh::Mesh;
use crate::read::along;
use crate::scene::{Geometry, Heights, Mass, Pose};
use holonom::declaration::Make;
use holonom::math::{Mat3, Vec3, exp_quat, quat_from_axes, vec3};
use holonom::{MassProperties, MeshError};

/// Kinds of shapes.
pub static SHAPES: Family = Family {
    name: "shape",
    common: &[
        optional("at", POSITION, "[0, 0, 0]", "where its centre is on the body (of a cone: that of its base)"),
        optional("rotation", Type::Rotation, "none", "how it is turned on the body"),
        optional("density", Type::Number(Allowed::Positive, "kg/m^3"), "that of the body", "its density"),
        optional("mass", Type::Number(Allowed::Positive, "kg"), "from the density", "its mass, instead of a density"),
        optional("massless", Type::Flag, "false", "only to be seen and touched"),
        optional("hidden", Type::Flag, "false", "not to be seen"),
        optional(
            "collides",
            Type::Flag,
            "true if the scene has a section `[contact]`",
            "whether other things touch it",
        ),
        SURFACE[0],
        SURFACE[1],
        SURFACE[2],
        SURFACE[3],
        SURFACE[4],
        SURFACE[5],
        SURFACE[6],
        SURFACE[7],
        optional(
            "surface_velocity",
            Type::Vector("m/s"),
            "[0, 0, 0]",
            "velocity of its surface over the body, in the shape's axes: a conveyor belt",
        ),
        optional(
            "sensor",
            Type::Flag,
            "false",
            "notices what enters and leaves it (`run --events`), and pushes nothing; it has no mass",
        ),
        optional("groups", Type::Numbers(""), "1", "groups it belongs to for contacts, numbered from 1 to 32"),
        optional("meets", Type::Numbers(""), "all", "groups whose members it touches; both must meet each other"),
        optional("name", Type::Text, "none", "a name for pairs of contacts: `BODY.NAME`"),
        optional("colour", Type::Numbers(""), "that of the body", "red, green, blue from 0 to 1"),
    ],
    members: || KINDS,
    default: None,
};

const RADIUS: Field = required("radius", LENGTH, "its radius");
const ALONG: Field = required("length", LENGTH, "its length along z");

/// Where a shape along a line begins and ends.
static LINE: &[Field] = &[
    optional("from", POSITION, "`from` of the body", "where it begins, in the body's frame"),
    optional("to", POSITION, "`to` of the body", "where it ends, in the body's frame"),
];

static KINDS: &[&Kind] = &[
    &Kind {
        name: "box",
        summary: "a box",
        fields: &[&[required("size", Type::Vector("m"), "edge lengths along x, y, z")]],
        make: Make::Elsewhere,
    },
    &Kind { name: "sphere", summary: "a ball", fields: &[&[RADIUS]], make: Make::Elsewhere },
    &Kind {
        name: "ellipsoid",
        summary: "an ellipsoid",
        fields: &[&[required("half_axes", Type::Vector("m"), "half its lengths along x, y, z")]],
        make: Make::Elsewhere,
    },
    &Kind { name: "cylinder", summary: "a cylinder along z", fields: &[&[RADIUS, ALONG]], make: Make::Elsewhere },
    &Kind {
        name: "capsule",
        summary: "a cylinder along z with half balls on its ends",
        fields: &[&[RADIUS, required("length", LENGTH, "length of the cylinder alone, along z")]],
        make: Make::Elsewhere,
    },
    &Kind {
        name: "cone",
        summary: "a cone along z, its base around the origin",
        fields: &[&[
            required("radius", LENGTH, "radius of its base"),
            required("height", LENGTH, "where its tip is, along z"),
        ]],
        make: Make::Elsewhere,
    },
    &Kind {
        name: "tube",
        summary: "a cylinder along z with a hole along its axis",
        fields: &[&[
            required("inner_radius", LENGTH, "radius of the hole"),
            required("outer_radius", LENGTH, "its radius"),
            ALONG,
        ]],
        make: Make::Elsewhere,
    },
    &Kind {
        name: "torus",
        summary: "a ring around z",
        fields: &[&[
            required("ring_radius", LENGTH, "from the z axis to the middle of the tube"),
            required("tube_radius", LENGTH, "radius of the tube"),
        ]],
        make: Make::Elsewhere,
    },
    &Kind {
        name: "rod",
        summary: "a cylinder from one point of its body to another",
        fields: &[&[RADIUS], LINE],
        make: Make::Elsewhere,
    },
    &Kind {
        name: "beam",
        summary: "a box from one point of its body to another",
        fields: &[
            &[
                required("width", LENGTH, "level, across the line (along the body's y if it runs along x)"),
                required("height", LENGTH, "upwards, across the line (along the body's z if it runs along x)"),
            ],
            LINE,
        ],
        make: Make::Elsewhere,
    },
    &Kind {
        name: "mesh",
        summary: "a closed surface of triangles from an STL, OBJ or COLLADA (.dae) file",
        fields: &[&[
            required("file", Type::File, "name of the file, from the scene's folder"),
            optional(
                "scale",
                Type::Numbers(""),
                "1",
                "factor on its coordinates: one number, or one for each axis; negative ones mirror it",
            ),
            optional("material", Type::Text, "all", "of a .dae file: only the triangles of this material"),
            optional(
                "collide_as",
                Type::Choice(&["hull", "triangles"]),
                "hull on a body, triangles on the ground",
                "what others touch: its convex hull, or its triangles (which meet convex shapes only)",
            ),
        ]],
        make: Make::Elsewhere,
    },
    &Kind {
        name: "hull",
        summary: "the convex hull of some points",
        fields: &[&[required("points", Type::Vectors("m"), "at least four of them, not all in one plane")]],
        make: Make::Elsewhere,
    },
    &Kind {
        name: "plane",
        summary: "the plane z = 0 without end, solid below; it has no mass and is for the ground",
        fields: &[],
        make: Make::Elsewhere,
    },
    &Kind {
        name: "heights",
        summary: "terrain: heights above a rectangle around the origin, solid below; it has no mass and is for the ground",
        fields: &[&[
            required("size", Type::Numbers("m"), "extent along x and y"),
            required("columns", Type::Integer(2, 1 << 24), "number of heights along x"),
            required(
                "heights",
                Type::Numbers("m"),
                "row by row: the first row at the least y, each from the least x to the largest",
            ),
        ]],
        make: Make::Elsewhere,
    },
    &Kind {
        name: "point",
        summary: "a point without size, for particles that touch",
        fields: &[],
        make: Make::Elsewhere,
    },
];

/// Make a shape.
pub fn shape(record: &Record, site: &mut ShapeSite) -> Result<Solid, Mistake> {
    let massless = |geometry, why: &str| Ok(Solid { geometry, natural: Pose::IDENTITY, mass: Err(why.into()) });
    match record.kind.map_or("", |k| k.name) {
        "box" => cuboid(record, site),
        "sphere" => sphere(record, site),
        "ellipsoid" => ellipsoid(record, site),
        "cylinder" => cylinder(record, site),
        "capsule" => capsule(record, site),
        "cone" => cone(record, site),
        "tube" => tube(record, site),
        "torus" => torus(record, site),
        "rod" => rod(record, site),
        "beam" => beam(record, site),
        "mesh" => mesh(record, site),
        "hull" => hull(record, site),
        "heights" => heights(record, site),
        "plane" => massless(Geometry::Plane, "a plane has no end and no mass"),
        "point" => massless(Geometry::Point, "a point has no volume"),
        _ => Err(mistake(record, "kind", codes::UNKNOWN_KIND, "not a shape")),
    }
}

fn number(record: &Record, name: &str) -> f64 {
    record.number(name).unwrap_or(f64::NAN)
}

/// Three lengths, all greater than zero.
fn sizes(record: &Record, field: &str) -> Result<Vec3, Mistake> {
    let v = record.vector(field).unwrap_or_default();
    if v.min_element() > 0.0 {
        return Ok(v);
    }
    let m = mistake(record, field, codes::OUT_OF_RANGE, format!("`{field}` is out of range"));
    Err(Box::new(m.label(format!("[{}, {}, {}] m, all three must be greater than 0", v.x, v.y, v.z))))
}

fn at_centre(geometry: Geometry, mass: MassProperties) -> Result<Solid, Mistake> {
    Ok(Solid { geometry, natural: Pose::IDENTITY, mass: Ok(Mass::from(&mass)) })
}

fn cuboid(record: &Record, _: &mut ShapeSite) -> Result<Solid, Mistake> {
    let size = sizes(record, "size")?;
    at_centre(Geometry::Box(size), MassProperties::cuboid(1.0, size))
}

fn sphere(record: &Record, _: &mut ShapeSite) -> Result<Solid, Mistake> {
    let r = number(record, "radius");
    at_centre(Geometry::Sphere(r), MassProperties::sphere(1.0, r))
}

fn ellipsoid(record: &Record, _: &mut ShapeSite) -> Result<Solid, Mistake> {
    let half = sizes(record, "half_axes")?;
    at_centre(Geometry::Ellipsoid(half), MassProperties::ellipsoid(1.0, half))
}

fn cylinder(record: &Record, _: &mut ShapeSite) -> Result<Solid, Mistake> {
    let (r, l) = (number(record, "radius"), number(record, "length"));
    at_centre(Geometry::Cylinder(r, l), MassProperties::cylinder(1.0, r, l))
}

fn capsule(record: &Record, _: &mut ShapeSite) -> Result<Solid, Mistake> {
    let (r, l) = (number(record, "radius"), number(record, "length"));
    at_centre(Geometry::Capsule(r, l), MassProperties::capsule(1.0, r, l))
}

fn cone(record: &Record, _: &mut ShapeSite) -> Result<Solid, Mistake> {
    let (r, h) = (number(record, "radius"), number(record, "height"));
    at_centre(Geometry::Cone(r, h), MassProperties::cone(1.0, r, h))
}

/// Is the first length smaller than (or, for `or_equal`, not larger than) the second?
fn in_order(record: &Record, small: &str, large: &str, or_equal: bool) -> Result<(f64, f64), Mistake> {
    let (a, b) = (number(record, small), number(record, large));
    if a < b || (or_equal && a == b) {
        return Ok((a, b));
    }
    let m = mistake(record, small, codes::OUT_OF_RANGE, format!("`{small}` is out of range"));
    let word = if or_equal { "must not be larger than" } else { "must be smaller than" };
    Err(Box::new(m.label(format!("{a} m, {word} `{large}`, {b} m"))))
}

fn tube(record: &Record, _: &mut ShapeSite) -> Result<Solid, Mistake> {
    let (inner, outer) = in_order(record, "inner_radius", "outer_radius", false)?;
    let l = number(record, "length");
    at_centre(Geometry::Tube(inner, outer, l), MassProperties::tube(1.0, inner, outer, l))
}

fn torus(record: &Record, _: &mut ShapeSite) -> Result<Solid, Mistake> {
    let (tube, ring) = in_order(record, "tube_radius", "ring_radius", true)?;
    at_centre(Geometry::Torus(ring, tube), MassProperties::torus(1.0, ring, tube))
}

/// The frame in the middle of a line with x along it, and its length.
fn line(record: &Record, site: &ShapeSite) -> Result<(Pose, f64), Mistake> {
    let whole = |l: f64| (Pose { position: vec3(0.5 * l, 0.0, 0.0), ..Pose::IDENTITY }, l);
    let end = || site.length.map(|l| vec3(l, 0.0, 0.0));
    let (from, to) = match (record.vector("from"), record.vector("to"), site.length) {
        (None, None, Some(l)) => return Ok(whole(l)),
        (from, to, length) => (from.or(length.map(|_| Vec3::ZERO)), to.or_else(end)),
    };
    let (Some(from), Some(to)) = (from, to) else {
        let name = record.kind.map_or("shape", |k| k.name);
        let m = mistake(record, "kind", codes::MISSING_FIELD, format!("a `{name}` needs two ends"));
        return Err(Box::new(m.help("give the body `from` and `to`, or the shape itself")));
    };
    let length = (to - from).length();
    if !(length > 1e-12) {
        let field = if record.has("to") { "to" } else { "from" };
        let m = mistake(record, field, codes::ZERO_DIRECTION, "`from` and `to` are the same point");
        return Err(Box::new(m.label("must differ by more than 1e-12 m")));
    }
    let rotation = quat_from_axes(along((to - from) / length));
    Ok((Pose { position: 0.5 * (from + to), rotation }, length))
}

fn rod(record: &Record, site: &mut ShapeSite) -> Result<Solid, Mistake> {
    let (middle, l) = line(record, site)?;
    let r = number(record, "radius");
    let upright = MassProperties::cylinder(1.0, r, l);
    let i = upright.inertia();
    // the same cylinder along x
    let lying = Mat3::from_diagonal(vec3(i.z_axis.z, i.x_axis.x, i.x_axis.x));
    let mass = Mass { mass: upright.mass(), centre: Vec3::ZERO, inertia: lying }.placed(&middle);
    let turn = Pose { position: Vec3::ZERO, rotation: exp_quat(vec3(0.0, std::f64::consts::FRAC_PI_2, 0.0)) };
    Ok(Solid { geometry: Geometry::Cylinder(r, l), natural: middle.then(&turn), mass: Ok(mass) })
}

fn beam(record: &Record, site: &mut ShapeSite) -> Result<Solid, Mistake> {
    let (middle, l) = line(record, site)?;
    let size = vec3(l, number(record, "width"), number(record, "height"));
    let mass = Mass::from(&MassProperties::cuboid(1.0, size)).placed(&middle);
    Ok(Solid { geometry: Geometry::Box(size), natural: middle, mass: Ok(mass) })
}

fn hull(record: &Record, _: &mut ShapeSite) -> Result<Solid, Mistake> {
    let vertices = record.vectors("points").unwrap_or(&[]).to_vec();
    let triangles = holonom::Shape::hull_triangles(&vertices);
    let triangles = triangles.map_err(|why| mistake(record, "points", codes::OUT_OF_RANGE, why))?;
    let mesh = Mesh { vertices, triangles: triangles.into_iter().map(|t| t.map(|i| i as usize)).collect() };
    let properties = MassProperties::from_mesh(&mesh.vertices, &mesh.triangles, 1.0);
    let mass = properties.map(|p| Mass::from(&p)).map_err(|e: MeshError| e.to_string());
    Ok(Solid { geometry: Geometry::Mesh(mesh.into()), natural: Pose::IDENTITY, mass })
}

fn heights(record: &Record, _: &mut ShapeSite) -> Result<Solid, Mistake> {
    let size = match record.numbers("size") {
        Some([x, y]) if *x > 0.0 && *y > 0.0 => [*x, *y],
        other => {
            let m = mistake(record, "size", codes::OUT_OF_RANGE, "`size` is out of range");
            return Err(Box::new(m.label(format!("{:?} m, must be two lengths greater than 0", other.unwrap_or(&[])))));
        }
    };
    let columns = record.integer("columns").unwrap_or(2) as usize;
    let heights = record.numbers("heights").unwrap_or(&[]).to_vec();
    let rows = heights.len() / columns;
    if rows < 2 || rows * columns != heights.len() {
        let m = mistake(record, "heights", codes::WRONG_LENGTH, "`heights` must have at least 2 rows, all full");
        return Err(Box::new(m.label(format!("{} elements, {columns} for each row", heights.len()))));
    }
    let field = Heights { size, rows: rows as u32, columns: columns as u32, heights };
    Ok(Solid {
        geometry: Geometry::Heights(field.into()),
        natural: Pose::IDENTITY,
        mass: Err("terrain has no mass".into()),
    })
}

fn mesh(record: &Record, site: &mut ShapeSite) -> Result<Solid, Mistake> {
    let mesh = (site.mesh)(record)?;
    let properties = MassProperties::from_mesh(&mesh.vertices, &mesh.triangles, 1.0);
    let mass = properties.map(|p| Mass::from(&p)).map_err(|e: MeshError| e.to_string());
    Ok(Solid { geometry: Geometry::Mesh(mesh), natural: Pose::IDENTITY, mass })
}
