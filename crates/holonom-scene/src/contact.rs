//! `[contact]`: whether shapes collide, what surfaces are like, and which pairs are different; and from the shapes of a
//! scene to those of a model.
//!
//! A scene without this section has no contacts but between shapes that say `collides = true`; with it, even empty,
//! every shape collides that does not say otherwise. What a shape does not say of its surface, the section says; what
//! that does not say either is friction 0.5 and no rebound. A pair says what it wants to have different from what the
//! two surfaces make together.
//!
//! Shapes of one body, and of two bodies that a joint holds together, pass through each other, the latter unless the
//! joint says `collide = true`.

use crate::build::Joints;
use crate::codes;
use crate::diagnostic::{Diagnostic, Report, field_error};
use crate::fields::*;
use crate::limits::Limits;
use crate::node::DocNode;
use crate::reader::Reader;
use crate::scene::{Geometry, Pose, Scene, ShapeRecord};
use crate::source::Span;
use holonom::math::{Mat3, Vec3};
use holonom::{BodyId, ImpactLaw, ImpactOrder, Marker, Material, Restitution, ShapeId};

/// What a surface is like: fields of shapes, of pairs, and of `[contact]` for all that say nothing.
pub const SURFACE: &[Field] = &[
    optional(
        "friction",
        Type::Number(Allowed::NotNegative, ""),
        "that of `[contact]`, or 0.5",
        "coefficient of friction while sliding; that of two surfaces is the geometric mean",
    ),
    optional(
        "static_friction",
        Type::Number(Allowed::NotNegative, ""),
        "as `friction`",
        "coefficient of friction while sticking, at least `friction`",
    ),
    optional(
        "restitution",
        Type::Number(Allowed::Fraction, ""),
        "that of `[contact]`, or 0",
        "part of the normal speed that comes back from an impact; of two surfaces the geometric mean",
    ),
    optional(
        "rolling",
        Type::Number(Allowed::NotNegative, "m"),
        "that of `[contact]`, or 0",
        "lever of the resistance against rolling: its torque is at most this times the normal force; of two surfaces the larger",
    ),
    optional(
        "torsional",
        Type::Number(Allowed::NotNegative, "m"),
        "that of `[contact]`, or 0",
        "lever of the resistance against turning about the normal; of two surfaces the larger",
    ),
    optional(
        "restitution_speed",
        Type::Number(Allowed::NotNegative, "m/s"),
        "that of `[contact]`, or 0",
        "nothing comes back from impacts slower than this; of two surfaces the larger",
    ),
    optional(
        "stiffness",
        Type::Number(Allowed::Positive, "N/m"),
        "that of `[contact]`, or rigid",
        "a soft surface: every touch that is pressed in by d pushes back with stiffness d + damping d'; two soft surfaces are springs in series",
    ),
    optional(
        "damping",
        Type::Number(Allowed::NotNegative, "N s/m"),
        "that of `[contact]`, or 0",
        "damping of a soft surface: of every touch",
    ),
];

static PAIR: &[Field] = &[
    required("a", Type::Point, "a body, the ground, or a shape of one by its name: `BODY.SHAPE`"),
    required("b", Type::Point, "another one"),
    SURFACE[0],
    SURFACE[1],
    SURFACE[2],
    SURFACE[3],
    SURFACE[4],
    SURFACE[5],
    SURFACE[6],
    SURFACE[7],
];

/// Fields of `[contact]`, besides those of a surface.
pub const CONTACT: &[Field] = &[
    optional(
        "impacts",
        Type::Choice(&["newton", "poisson"]),
        "newton",
        "what `restitution` means: a part of the speed of approach, or of the impulse of compression",
    ),
    optional(
        "order",
        Type::Choice(&["simultaneous", "sequential"]),
        "simultaneous",
        "of impacts where several contacts are closed: all at once, or one after the other, the fastest first",
    ),
    optional("ignore", Type::Pairs, "none", "pairs of bodies that pass through each other"),
    optional("pair", Type::Records(PAIR), "none", "pairs that differ from what their surfaces make together"),
];

/// More pairs of shapes than this are refused.
const MOST_PAIRS: u64 = 1_000_000;

/// Properties of a surface that are given; the others are inherited.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct MaterialOverrides {
    /// Coefficient of friction while sliding.
    pub friction: Option<f64>,
    /// Coefficient of friction while sticking.
    pub static_friction: Option<f64>,
    /// Part of the normal speed that comes back.
    pub restitution: Option<f64>,
    /// Lever of the resistance against rolling, m.
    pub rolling: Option<f64>,
    /// Lever of the resistance against turning about the normal, m.
    pub torsional: Option<f64>,
    /// Speed below which nothing comes back, m/s.
    pub restitution_speed: Option<f64>,
    /// Stiffness of every touch, N/m.
    pub stiffness: Option<f64>,
    /// Damping of every touch, N s/m.
    pub damping: Option<f64>,
}

impl MaterialOverrides {
    /// Those of a table.
    pub fn of(record: &Record) -> Result<MaterialOverrides, Box<Diagnostic>> {
        let number = |name: &str| record.number(name);
        let surface = MaterialOverrides {
            friction: number("friction"),
            static_friction: number("static_friction"),
            restitution: number("restitution"),
            rolling: number("rolling"),
            torsional: number("torsional"),
            restitution_speed: number("restitution_speed"),
            stiffness: number("stiffness"),
            damping: number("damping"),
        };
        match (surface.friction, surface.static_friction) {
            (Some(f), Some(s)) if s < f => {
                let m =
                    field_error(record, "static_friction", codes::OUT_OF_RANGE, "`static_friction` is out of range");
                Err(Box::new(m.label(format!("{s}, must be at least `friction`, {f}"))))
            }
            _ => Ok(surface),
        }
    }

    /// The material with these properties, and those of `base` for all that are not given.
    pub fn over(&self, base: &Material) -> Material {
        let friction = self.friction.unwrap_or(base.friction);
        let sticking = if self.friction.is_some() { friction } else { base.static_friction };
        Material {
            friction,
            static_friction: self.static_friction.unwrap_or(sticking),
            restitution: self.restitution.unwrap_or(base.restitution),
            rolling: self.rolling.unwrap_or(base.rolling),
            torsional: self.torsional.unwrap_or(base.torsional),
            restitution_speed: self.restitution_speed.unwrap_or(base.restitution_speed),
            stiffness: self.stiffness.unwrap_or(base.stiffness),
            damping: self.damping.unwrap_or(base.damping),
        }
    }
}

/// The section `[contact]`.
#[derive(Clone, Debug, Default)]
pub struct ContactSettings {
    /// Is the section there?
    pub said: bool,
    /// Surfaces that say nothing themselves.
    pub surface: MaterialOverrides,
    /// What impacts do.
    pub impacts: ImpactLaw,
    /// Pairs of bodies that pass through each other, and where that is written.
    pub ignore: Vec<([PointRef; 2], Span)>,
    /// Pairs of bodies or shapes that are different.
    pub pairs: Vec<Pair>,
}

/// Two bodies or shapes, and what they do to each other.
#[derive(Clone, Debug)]
pub struct Pair {
    /// Who; a name behind that of the body is that of a shape.
    pub of: [PointRef; 2],
    /// What is different.
    pub surface: MaterialOverrides,
    /// Where the two stand, and the table.
    pub spans: [Span; 3],
}

impl Scene {
    /// Does a shape of this scene touch others?
    pub fn collides(&self, shape: &ShapeRecord) -> bool {
        !self.run.ideal && shape.collides.unwrap_or(self.contact.said || shape.sensor)
    }
}

/// Read the section.
pub fn read(node: &DocNode, reader: &mut Reader) -> Option<ContactSettings> {
    let before = reader.enter("contact");
    let contact = read_inside(node, reader);
    reader.leave(before);
    contact
}

fn read_inside(node: &DocNode, reader: &mut Reader) -> Option<ContactSettings> {
    let table = reader.table(node, "contact")?;
    let record = reader.fields(table, node.span, "contact", &[CONTACT, SURFACE], None)?;
    let surface_of =
        |record: &Record, reader: &mut Reader| MaterialOverrides::of(record).map_err(|d| reader.complain(*d)).ok();
    let mut contact =
        ContactSettings { said: true, surface: surface_of(&record, reader)?, ..ContactSettings::default() };
    if record.text("impacts") == Some("poisson") {
        contact.impacts.restitution = Restitution::Poisson;
    }
    if record.text("order") == Some("sequential") {
        contact.impacts.order = ImpactOrder::Sequential;
    }
    for (pair, span) in record.list("ignore") {
        if let Val::List(list) = pair
            && let [(Val::Point(a), _), (Val::Point(b), _)] = &**list
        {
            contact.ignore.push(([(**a).clone(), (**b).clone()], *span));
        }
    }
    for (pair, _) in record.list("pair") {
        let Val::Record(r) = pair else { continue };
        let (Some(a), Some(b)) = (r.point("a"), r.point("b")) else { continue };
        let spans = [r.span_of("a"), r.span_of("b"), r.span];
        contact.pairs.push(Pair { of: [a.clone(), b.clone()], surface: surface_of(r, reader)?, spans });
    }
    Some(contact)
}

/// Groups by their numbers, one bit each.
pub fn groups(record: &Record, field: &str, otherwise: u32) -> Result<u32, Box<Diagnostic>> {
    let Some(numbers) = record.numbers(field) else { return Ok(otherwise) };
    let mut bits = 0;
    for &x in numbers {
        if !((1.0..=32.0).contains(&x) && x == libm::trunc(x)) {
            let m = field_error(record, field, codes::OUT_OF_RANGE, format!("`{field}` is out of range"));
            return Err(Box::new(m.label(format!("{x}, must be whole numbers from 1 to 32"))));
        }
        bits |= 1 << (x as u32 - 1);
    }
    Ok(bits)
}

/// What others touch of a shape.
fn touched(shape: &ShapeRecord, on_ground: bool) -> holonom::Shape {
    use holonom::Shape as Solid;
    match &shape.geometry {
        Geometry::Box(size) => Solid::Box { half: *size * 0.5 },
        Geometry::Sphere(radius) => Solid::Sphere { radius: *radius },
        Geometry::Ellipsoid(half) if half.x == half.y && half.y == half.z => Solid::Sphere { radius: half.x },
        Geometry::Cylinder(radius, length) => Solid::Cylinder { radius: *radius, half_length: 0.5 * length },
        Geometry::Capsule(radius, length) => Solid::Capsule { radius: *radius, half_length: 0.5 * length },
        Geometry::Plane => Solid::HalfSpace,
        Geometry::Point => Solid::Point,
        Geometry::Heights(h) => {
            Solid::HeightField { heights: h.heights.clone(), rows: h.rows, columns: h.columns, size: h.size }
        }
        Geometry::Mesh(mesh) if shape.triangles.unwrap_or(on_ground) => {
            // triangles without area have no outside
            let area = |t: &[usize; 3]| {
                let [a, b, c] = t.map(|i| mesh.vertices[i]);
                let longest = (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
                0.5 * (b - a).cross(c - a).length() > 1e-10 * longest
            };
            let corners = mesh.triangles.iter().filter(|t| area(t)).map(|t| t.map(|i| i as u32));
            Solid::Mesh { vertices: mesh.vertices.clone(), triangles: corners.collect() }
        }
        Geometry::Mesh(mesh) => hull(&mesh.vertices),
        Geometry::Ellipsoid(half) => Solid::Ellipsoid { half: *half },
        Geometry::Cone(radius, height) => Solid::Cone { radius: *radius, height: *height },
        Geometry::Tube(inner, outer, length) => Solid::Tube { inner: *inner, outer: *outer, half_length: 0.5 * length },
        Geometry::Torus(ring, tube) => Solid::Torus { ring: *ring, tube: *tube },
    }
}

/// Directions that stand for all, where a hull has too many corners.
const DIRECTIONS: u32 = 512;

/// The convex hull of points. One with more corners than the engine takes is that of the points farthest out in many
/// directions, spread evenly: for a ball that is 0.3 % of the radius less at most.
fn hull(points: &[Vec3]) -> holonom::Shape {
    let whole = holonom::Shape::Hull { points: points.to_vec() };
    if points.len() <= DIRECTIONS as usize || whole.validate().is_ok() {
        return whole;
    }
    let mut kept = std::collections::BTreeSet::new();
    for k in 0..DIRECTIONS {
        // golden angle around, equal steps along
        let z = 1.0 - (2.0 * f64::from(k) + 1.0) / f64::from(DIRECTIONS);
        let (s, c) = libm::sincos(f64::from(k) * std::f64::consts::PI * (3.0 - 5.0f64.sqrt()));
        let r = (1.0 - z * z).sqrt();
        let direction = Vec3::new(r * c, r * s, z);
        let farthest = |best: (usize, f64), (i, p): (usize, &Vec3)| {
            let d = p.dot(direction);
            if d > best.1 { (i, d) } else { best }
        };
        kept.insert(points.iter().enumerate().fold((0, f64::NEG_INFINITY), farthest).0);
    }
    holonom::Shape::Hull { points: kept.into_iter().map(|i| points[i]).collect() }
}

/// A shape of the model and its surface.
type Solid = (ShapeId, Material);

/// The shapes of a model, by body (the ground last) and place in its list; none for those that do not collide.
struct Placed<'a> {
    shapes: Vec<(&'a [ShapeRecord], Vec<Option<Solid>>)>,
}

/// Give the model its shapes, and say which of them meet.
pub(crate) fn add(scene: &Scene, joints: &mut Joints, report: &mut Report) {
    let touches = |shapes: &[ShapeRecord]| shapes.iter().any(|s| scene.collides(s));
    if scene.run.ideal || !(touches(&scene.ground_shapes) || scene.bodies.iter().any(|b| touches(&b.shapes))) {
        // names are checked all the same
        check_names(scene, joints, report);
        return;
    }
    joints.builder.impacts(scene.contact.impacts);
    let base = scene.contact.surface.over(&Material::default());
    let mut placed = Placed { shapes: Vec::with_capacity(scene.bodies.len() + 1) };
    // what is wrong with one piece of a generator is wrong with all of them
    let mut wrong: Option<Span> = None;
    let bodies = scene.bodies.iter().enumerate().map(|(i, b)| (BodyId::from_index(i), &*b.name, &*b.shapes));
    for (body, name, shapes) in bodies.chain([(BodyId::GROUND, "ground", &*scene.ground_shapes)]) {
        let mut ids = Vec::with_capacity(shapes.len());
        for shape in shapes {
            if !scene.collides(shape) || wrong == Some(shape.span) {
                ids.push(None);
                continue;
            }
            match solid(shape, body, &base) {
                Ok((solid, material)) => {
                    let Pose { position, rotation } = shape.pose;
                    let at = Marker { body, point: position, axes: Mat3::from_quat(rotation) };
                    let id = joints.builder.shape(at, solid, material);
                    if shape.groups != (1, u32::MAX) {
                        joints.builder.shape_groups(id, shape.groups.0, shape.groups.1);
                    }
                    if shape.sensor {
                        joints.builder.sensor(id);
                    }
                    if shape.surface_velocity != Vec3::ZERO {
                        joints.builder.surface_velocity(id, shape.surface_velocity);
                    }
                    ids.push(Some((id, material)));
                }
                Err(d) => {
                    let path = if body == BodyId::GROUND { name.to_string() } else { format!("body/{name}") };
                    report.push(d.at(shape.span).path(path));
                    wrong = Some(shape.span);
                    ids.push(None);
                }
            }
        }
        placed.shapes.push((shapes, ids));
    }
    pairs(scene, joints, &placed, report);
}

fn check_names(scene: &Scene, joints: &Joints, report: &mut Report) {
    let ignored = scene.contact.ignore.iter().map(|(of, span)| (of, [*span; 2]));
    let pairs = scene.contact.pairs.iter().map(|p| (&p.of, [p.spans[0], p.spans[1]]));
    for (of, spans) in ignored.chain(pairs) {
        for (p, span) in of.iter().zip(spans) {
            if let Err(d) = joints.body(scene, &p.body, span) {
                report.push(d.path("contact"));
            }
        }
    }
}

/// A shape as the engine has it, and its surface; checked here, so that an error is shown where it was written.
fn solid(shape: &ShapeRecord, body: BodyId, base: &Material) -> Result<(holonom::Shape, Material), Box<Diagnostic>> {
    const HELP: &str = "say  collides = false  if nothing should touch it";
    let on_ground = body == BodyId::GROUND;
    let solid = touched(shape, on_ground);
    let refused = |why: String| {
        Box::new(Diagnostic::error(codes::NO_CONTACT, format!("a shape cannot collide: {why}")).help(HELP))
    };
    if !on_ground && matches!(solid, holonom::Shape::HalfSpace | holonom::Shape::HeightField { .. }) {
        return Err(refused("planes and heights are for the ground".into()));
    }
    solid.validate().map_err(refused)?;
    let material = shape.surface.over(base);
    material.validate().map_err(|why| {
        let d = Diagnostic::error(codes::OUT_OF_RANGE, format!("the surface of a shape is not usable: {why}"));
        Box::new(d.help("`[contact]` says what the shape does not"))
    })?;
    Ok((solid, material))
}

fn pairs(scene: &Scene, joints: &mut Joints, placed: &Placed, report: &mut Report) {
    for ([a, b], span) in &scene.contact.ignore {
        match (joints.body(scene, &a.body, *span), joints.body(scene, &b.body, *span)) {
            (Ok(a), Ok(b)) => {
                joints.builder.ignore_pair(a, b);
            }
            (a, b) => a.err().into_iter().chain(b.err()).for_each(|d| report.push(d.path("contact"))),
        }
    }
    let mut total = 0;
    for pair in &scene.contact.pairs {
        let side = |k: usize| placed.named(scene, joints, &pair.of[k], pair.spans[k]);
        let (a, b) = match (side(0), side(1)) {
            (Ok(a), Ok(b)) => (a, b),
            (a, b) => {
                a.err().into_iter().chain(b.err()).for_each(|d| report.push(d.path("contact")));
                continue;
            }
        };
        total += a.len() as u64 * b.len() as u64;
        if let Err(mut d) = Limits::check(codes::TOO_LARGE_VALUE, "pairs of shapes", total, MOST_PAIRS, "values") {
            // no flag changes it
            d.notes.clear();
            report.push(d.at(pair.spans[2]).path("contact"));
            return;
        }
        for (ia, ma) in &a {
            for (ib, mb) in &b {
                let material = pair.surface.over(&ma.with(mb));
                if let Err(why) = material.validate() {
                    let d = Diagnostic::error(codes::OUT_OF_RANGE, format!("a pair is not usable: {why}"));
                    report.push(d.at(pair.spans[2]).path("contact"));
                    return;
                }
                joints.builder.pair(*ia, *ib, material);
            }
        }
    }
}

impl Placed<'_> {
    /// The shapes that a side of a pair means: all of a body, or the one of a name.
    fn named(
        &self,
        scene: &Scene,
        joints: &Joints,
        p: &PointRef,
        span: Span,
    ) -> Result<Vec<(ShapeId, Material)>, Box<Diagnostic>> {
        let body = joints.body(scene, &p.body, span)?;
        let (shapes, ids) = &self.shapes[body.index().unwrap_or(scene.bodies.len())];
        let owner = body.index().map_or("ground", |i| &scene.bodies[i].name);
        let error = |message: String| Diagnostic::error(codes::UNKNOWN_SHAPE, message).at(span);
        let Where::Named(name) = &p.at else {
            let all: Vec<_> = ids.iter().flatten().copied().collect();
            if all.is_empty() {
                let d = error(format!("`{owner}` has no shape that collides")).label("it touches nothing");
                return Err(Box::new(d.help("give it a `shape`, and take away  collides = false")));
            }
            return Ok(all);
        };
        let named = shapes.iter().zip(ids).filter(|(s, _)| s.name.as_deref() == Some(name));
        let found: Vec<_> = named.filter_map(|(_, id)| *id).collect();
        if !found.is_empty() {
            return Ok(found);
        }
        let d = error(format!("`{owner}` has no shape `{}` that collides", crate::confine::shown(name)));
        let names = shapes.iter().filter_map(|s| s.name.as_deref());
        Err(Box::new(d.suggest(name, names, &format!("give a shape that name:  name = \"{name}\""))))
    }
}

/// Corners of heights, for those who show them: row by row, m.
pub fn corners(h: &crate::scene::Heights) -> Vec<Vec3> {
    let along = |k: u32, n: u32, size: f64| (f64::from(k) / f64::from(n - 1) - 0.5) * size;
    let places = (0..h.rows).flat_map(|r| (0..h.columns).map(move |c| (r, c)));
    let at =
        |((r, c), z): ((u32, u32), &f64)| Vec3::new(along(c, h.columns, h.size[0]), along(r, h.rows, h.size[1]), *z);
    places.zip(&h.heights).map(at).collect()
}
