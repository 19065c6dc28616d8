//! A scene as it was read: checked, named, in order, every number evaluated. What is built from it, shown of it and
//! recorded of it all come from here.

use crate::contact::{ContactSettings, MaterialOverrides};
use crate::fields::{Kind, PointRef, Record};
use crate::mesh::Mesh;
use crate::source::Span;
use holonom::math::{Mat3, Quat, Vec3, vec3};
use holonom::{Drift, Feedback};
use std::sync::Arc;

/// A place and an orientation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose {
    /// Origin, m.
    pub position: Vec3,
    /// Orientation.
    pub rotation: Quat,
}

impl Pose {
    /// At the origin.
    pub const IDENTITY: Pose = Pose { position: Vec3::ZERO, rotation: Quat::IDENTITY };

    /// Where a point of this frame is.
    pub fn point(&self, p: Vec3) -> Vec3 {
        self.position + Mat3::from_quat(self.rotation) * p
    }

    /// Where a point is in this frame.
    pub fn local(&self, p: Vec3) -> Vec3 {
        Mat3::from_quat(self.rotation).transpose() * (p - self.position)
    }

    /// This frame, seen from where `self` is a frame.
    pub fn then(&self, inner: &Pose) -> Pose {
        Pose { position: self.point(inner.position), rotation: (self.rotation * inner.rotation).normalize() }
    }

    /// The other way round.
    pub fn inverse(&self) -> Pose {
        let back = self.rotation.conjugate();
        Pose { position: Mat3::from_quat(self.rotation).transpose() * -self.position, rotation: back }
    }
}

/// Mass, centre of mass and inertia about it, in the body's own axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mass {
    /// kg.
    pub mass: f64,
    /// m, in the body's frame.
    pub centre: Vec3,
    /// kg m^2, about the centre, in the body's axes.
    pub inertia: Mat3,
}

impl Mass {
    /// The same at another place.
    pub fn placed(&self, at: &Pose) -> Mass {
        let turn = Mat3::from_quat(at.rotation);
        Mass { mass: self.mass, centre: at.point(self.centre), inertia: turn * self.inertia * turn.transpose() }
    }

    /// The same shape and another mass.
    pub fn scaled(&self, factor: f64) -> Mass {
        Mass { mass: factor * self.mass, centre: self.centre, inertia: self.inertia * factor }
    }

    /// Both together.
    pub fn plus(&self, other: &Mass) -> Mass {
        let mass = self.mass + other.mass;
        let centre = (self.mass * self.centre + other.mass * other.centre) / mass;
        let moved = |m: &Mass| m.inertia + steiner(m.mass, m.centre - centre);
        Mass { mass, centre, inertia: moved(self) + moved(other) }
    }

    /// Second moments, the integral of r r^T about the centre.
    pub fn second_moments(&self) -> Mat3 {
        let trace = self.inertia.x_axis.x + self.inertia.y_axis.y + self.inertia.z_axis.z;
        Mat3::IDENTITY * (0.5 * trace) - self.inertia
    }
}

/// Inertia of a point mass at `d`.
pub fn steiner(mass: f64, d: Vec3) -> Mat3 {
    let outer = Mat3::from_cols(d * d.x, d * d.y, d * d.z);
    (Mat3::IDENTITY * d.length_squared() - outer) * mass
}

impl From<&holonom::MassProperties> for Mass {
    fn from(p: &holonom::MassProperties) -> Self {
        Mass { mass: p.mass(), centre: p.centre(), inertia: p.inertia() }
    }
}

/// The geometry of a shape; round ones stand along z.
#[derive(Clone, Debug, PartialEq)]
pub enum Geometry {
    /// Edge lengths, m.
    Box(Vec3),
    /// Radius, m.
    Sphere(f64),
    /// Half axes, m.
    Ellipsoid(Vec3),
    /// Radius and length along z, m.
    Cylinder(f64, f64),
    /// Radius and length of the straight part along z, m.
    Capsule(f64, f64),
    /// Radius of the base and height, m: base at z = 0, tip above.
    Cone(f64, f64),
    /// Inner and outer radius, and length along z, m.
    Tube(f64, f64, f64),
    /// Radius of the ring about z, and of the tube, m.
    Torus(f64, f64),
    /// Triangles.
    Mesh(Arc<Mesh>),
    /// Heights above a rectangle.
    Heights(Arc<Heights>),
    /// A point, which is not drawn.
    Point,
    /// The plane z = 0.
    Plane,
}

impl Geometry {
    /// Where it lies in its own frame, from its least to its largest corner; `None` for what has no end, or no size.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        use Geometry as G;
        let around = |h: Vec3| Some((-h, h));
        match self {
            G::Box(size) => around(0.5 * *size),
            G::Sphere(r) => around(Vec3::splat(*r)),
            G::Ellipsoid(radii) => around(*radii),
            G::Cylinder(r, l) | G::Tube(_, r, l) => around(vec3(*r, *r, 0.5 * l)),
            G::Capsule(r, l) => around(vec3(*r, *r, 0.5 * l + r)),
            G::Cone(r, h) => Some((vec3(-r, -r, 0.0), vec3(*r, *r, *h))),
            G::Torus(radius, tube) => around(vec3(radius + tube, radius + tube, *tube)),
            G::Mesh(mesh) => {
                let finite = || mesh.vertices.iter().copied().filter(|p| p.is_finite());
                let (low, high) = (finite().reduce(Vec3::min)?, finite().reduce(Vec3::max)?);
                Some((low, high))
            }
            G::Point => around(Vec3::ZERO),
            G::Heights(_) | G::Plane => None,
        }
    }
}

/// Heights above a rectangle in the plane z = 0, centred at the origin; solid below.
#[derive(Clone, Debug, PartialEq)]
pub struct Heights {
    /// Extent along x and y, m.
    pub size: [f64; 2],
    /// Number of rows, along y.
    pub rows: u32,
    /// Number of columns, along x.
    pub columns: u32,
    /// Row by row, m: the first row at the least y, each from the least x.
    pub heights: Vec<f64>,
}

/// A shape on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeRecord {
    /// Its geometry.
    pub geometry: Geometry,
    /// Where it stands on the body.
    pub pose: Pose,
    /// Red, green, blue, from 0 to 1.
    pub colour: Option<[f64; 3]>,
    /// Is it shown?
    pub visible: bool,
    /// Its name, for pairs of contacts.
    pub name: Option<Box<str>>,
    /// Where it was written.
    pub span: Span,
    /// Does it touch others? Not said: if the scene has contacts.
    pub collides: Option<bool>,
    /// What its surface is like.
    pub surface: MaterialOverrides,
    /// Does a mesh touch with its triangles, or with its convex hull? Not said: with triangles on the ground.
    pub triangles: Option<bool>,
    /// Groups it belongs to and groups it meets, one bit each.
    pub groups: (u32, u32),
    /// Does it notice others and push nothing?
    pub sensor: bool,
    /// Velocity of its surface over the body, axes of the shape, m/s.
    pub surface_velocity: Vec3,
}

/// A named point on a body, with axes for joints that need them.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedPoint {
    /// Its name.
    pub name: Box<str>,
    /// Where it is on the body.
    pub pose: Pose,
    /// Were axes given, or only a point?
    pub has_axes: bool,
}

/// A body.
#[derive(Clone, Debug)]
pub struct BodyRecord {
    /// Its name.
    pub name: Box<str>,
    /// Where it was written.
    pub span: Span,
    /// Pose of its frame, before joints have moved it.
    pub pose: Pose,
    /// Was the pose said, or is it the default?
    pub placed: bool,
    /// Was its motion said, or is it the default?
    pub moves: bool,
    /// Velocity of its origin, m/s, world axes.
    pub velocity: Vec3,
    /// Angular velocity, rad/s, world axes.
    pub spin: Vec3,
    /// Mass; none for a body that gets it elsewhere.
    pub mass: Option<Mass>,
    /// Volume of the shapes that have mass, m^3.
    pub volume: Option<f64>,
    /// Shapes, shared among the bodies of a generator.
    pub shapes: Arc<[ShapeRecord]>,
    /// Points and frames, shared among the bodies of a generator.
    pub points: Arc<[NamedPoint]>,
    /// Everything else that was said.
    pub record: Arc<Record>,
}

impl BodyRecord {
    /// A point or frame by its name.
    pub fn point(&self, name: &str) -> Option<&NamedPoint> {
        self.points.iter().find(|p| &*p.name == name)
    }
}

/// A joint, a drive or a force: what it is, and what it holds on to.
#[derive(Clone, Debug)]
pub struct InteractionRecord {
    /// Its name.
    pub name: Box<str>,
    /// Where it was written.
    pub span: Span,
    /// Its first side, if it has sides.
    pub a: Option<PointRef>,
    /// Its second side.
    pub b: Option<PointRef>,
    /// Everything else that was said, shared among the links of a generator.
    pub record: Arc<Record>,
}

impl InteractionRecord {
    /// What it is.
    pub fn kind(&self) -> &'static Kind {
        self.record.kind.expect("links are read with a kind")
    }
}

/// Where a body starts, as far as that is not where it is drawn. Joints hold on to bodies as they are drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct Start {
    /// Name of the body.
    pub body: Box<str>,
    /// Where it was written.
    pub span: Span,
    /// Origin, m.
    pub at: Option<Vec3>,
    /// Orientation.
    pub rotation: Option<Quat>,
    /// Velocity of the origin, m/s, world axes.
    pub velocity: Option<Vec3>,
    /// Angular velocity, rad/s, world axes.
    pub spin: Option<Vec3>,
}

/// How it is to be run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Run {
    /// End time, s.
    pub time: Option<f64>,
    /// Fixed step, s.
    pub dt: Option<f64>,
    /// Integrator by name.
    pub integrator: Option<String>,
    /// Solver by name.
    pub solver: Option<String>,
    /// `dynamic` (f = m a) or `first-order` (f = m v).
    pub law: Option<String>,
    /// Relative tolerance of adaptive integrators.
    pub tolerance: Option<f64>,
    /// Longest step, s.
    pub max_step: Option<f64>,
    /// How drift is kept away: `projection`, `once`, `feedback`, `none`.
    pub drift: Option<String>,
    /// Of projection: how far joints may stay open, m or rad.
    pub gap_tolerance: Option<f64>,
    /// Of `feedback`: acceleration per gap, 1/s^2.
    pub ks: Option<f64>,
    /// Of `feedback`: acceleration per rate of the gap, 1/s.
    pub kd: Option<f64>,
    /// `maximal` or `joint` coordinates.
    pub coordinates: Option<String>,
    /// How rough poses are assembled: `newton`, `gradual` or `none`.
    pub assembly: Option<String>,
    /// Without contacts, limits, dry friction and caps on drives.
    pub ideal: bool,
}

impl Run {
    /// How drift is kept away.
    pub fn drift(&self) -> Drift {
        drift(self.drift.as_deref(), self.gap_tolerance, self.ks, self.kd)
    }
}

/// How drift is kept away, by its name, the tolerance of projection and the constants of feedback.
pub fn drift(name: Option<&str>, gap: Option<f64>, ks: Option<f64>, kd: Option<f64>) -> Drift {
    let usual = Feedback::default();
    match name {
        Some("once") => Drift::Once,
        Some("feedback") => Drift::Feedback(Feedback { ks: ks.unwrap_or(usual.ks), kd: kd.unwrap_or(usual.kd) }),
        Some("none") => Drift::None,
        _ => gap.map_or(Drift::Project, Drift::Tolerance),
    }
}

/// What is to be recorded.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recording {
    /// Samples per second.
    pub rate: Option<f64>,
    /// Names of quantities, with `*` for anything, and where they were written.
    pub columns: Vec<(String, Span)>,
}

/// A camera.
#[derive(Clone, Debug, PartialEq)]
pub struct Camera {
    /// Its name.
    pub name: String,
    /// Eye, m.
    pub from: Vec3,
    /// What it looks at, m.
    pub look_at: Vec3,
    /// Which way is up.
    pub up: Vec3,
    /// Vertical angle of view, rad.
    pub angle: f64,
    /// The body it goes with, over the ground.
    pub follow: Option<String>,
}

/// All of it.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// A name for people.
    pub title: String,
    /// What it shows, for people.
    pub description: String,
    /// m/s^2.
    pub gravity: Vec3,
    /// Values of the parameters, in the order they were written.
    pub params: Vec<(String, f64)>,
    /// Points of the ground.
    pub ground_points: Vec<NamedPoint>,
    /// Shapes of the ground.
    pub ground_shapes: Vec<ShapeRecord>,
    /// Bodies in the order they were written; generators after all others.
    pub bodies: Vec<BodyRecord>,
    /// Joints in the order they were written.
    pub joints: Vec<InteractionRecord>,
    /// Drives.
    pub drives: Vec<InteractionRecord>,
    /// Forces.
    pub forces: Vec<InteractionRecord>,
    /// Where bodies start that do not start where they are drawn.
    pub starts: Vec<Start>,
    /// What contacts are like, and whether there are any.
    pub contact: ContactSettings,
    /// How it is to be run.
    pub run: Run,
    /// What is to be recorded.
    pub record: Recording,
    /// A camera.
    pub cameras: Vec<Camera>,
}

impl Scene {
    /// Mass of all bodies, kg.
    pub fn mass(&self) -> f64 {
        self.bodies.iter().filter_map(|b| b.mass).map(|m| m.mass).sum()
    }
}
