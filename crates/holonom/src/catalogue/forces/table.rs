//! What a line of the table of forces says, and samples of force laws for generic tests.

use super::*;
use crate::catalogue::attach::{Attachment, BodyId, Marker};
use crate::catalogue::coordinate::Coordinate;
use crate::catalogue::declaration::{Field, FieldType, Invalid, Kind, POSITION, Parameters, optional, required};
use crate::catalogue::joints::{Cylindrical, Revolute};
use crate::math::{SplitMix, vec3};

/// How a force between points is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ForceGlyph {
    /// A coil.
    Spring,
    /// A dashed line.
    Dashes,
}

impl ForceGlyph {
    /// All of them.
    pub const ALL: &[ForceGlyph] = &[ForceGlyph::Spring, ForceGlyph::Dashes];

    /// Its name for programs that draw it.
    pub const fn name(self) -> &'static str {
        match self {
            ForceGlyph::Spring => "spring",
            ForceGlyph::Dashes => "dashes",
        }
    }
}

/// One line of the table of forces: a kind that files can say.
pub struct ForceDeclaration {
    /// Name, summary, fields, and how it is made from them.
    pub kind: Kind,
    /// What people call it: on buttons and in lists.
    pub label: &'static str,
    /// The law it makes: [`Force::kind`].
    pub law: &'static str,
    /// How it is drawn.
    pub glyph: ForceGlyph,
}

/// Two points.
pub static ENDS: &[Field] = &[
    optional("a", FieldType::Point, "ground", "first body, or a point on it; the body's origin if no point is named"),
    required("b", FieldType::Point, "second body, or a point on it; the body's origin if no point is named"),
];

/// The points at the two ends, whatever axes they have.
pub(super) fn ends(p: &dyn Parameters) -> Result<(Marker, Marker), Invalid> {
    Ok((p.point("a").unwrap_or(BodyId::GROUND.origin()), p.given_point("b")?))
}

/// Two bodies with an axis or axes in common, as in joints.
pub static AXES: &[Field] = &[
    optional("a", FieldType::Point, "ground", "first body, or a point or frame on it"),
    required("b", FieldType::Point, "second body, or a point or frame on it"),
    optional("at", POSITION, "the point named, or the origin of b", "where it is in the world, at the poses given"),
    optional(
        "axis",
        FieldType::Direction,
        "z of the frame named, or of the world",
        "its z axis in the world, at the poses given",
    ),
    optional("x_axis", FieldType::Direction, "perpendicular to the axis", "its x axis, roughly, in the world"),
];

/// A force law for generic tests.
pub struct LawSample {
    /// The name used in help and messages: [`Force::kind`].
    pub name: &'static str,
    /// One sentence for people.
    pub summary: &'static str,
    /// Acts between two bodies, with action = reaction; otherwise it comes from outside.
    pub mutual: bool,
    /// At rest its pushes are the gradient of [`Force::energy`].
    pub stores: bool,
    /// Power is never positive, but for what was stored.
    pub passive: bool,
    /// A law of this kind between two markers (or on the second), with random parameters.
    pub sample: fn(Marker, Marker, &mut SplitMix) -> Box<dyn Force>,
}

/// A symmetric positive definite matrix.
fn random_matrix(g: &mut SplitMix) -> Matrix6 {
    let b: Matrix6 = std::array::from_fn(|_| std::array::from_fn(|_| g.symmetric(1.0)));
    std::array::from_fn(|i| std::array::from_fn(|j| (0..6).map(|k| b[i][k] * b[j][k]).sum()))
}

fn bushing(a: Marker, b: Marker, g: &mut SplitMix) -> Bushing {
    Bushing::full(a, b, random_matrix(g)).preload(g.vec3(0.5), g.vec3(0.5))
}

macro_rules! force {
    ($name:literal, $mutual:literal, $stores:literal, $passive:literal, $summary:literal, $make:expr) => {
        LawSample { name: $name, summary: $summary, mutual: $mutual, stores: $stores, passive: $passive, sample: $make }
    };
}

/// All force laws between markers, in a stable order; some stand twice, with and without losses. The torsion spring
/// stores and only takes where the axes agree: not everywhere.
#[rustfmt::skip]
pub static SAMPLES: &[LawSample] = &[
    force!("point force", false, false, false, "a constant force on a point", |_, b, g| Box::new(PointForce::new(b, g.vec3(1.0)))),
    force!("torque", false, false, false, "a constant torque on a body", |_, b, g| Box::new(Torque::new(b.body, g.vec3(1.0)))),
    force!("spring", true, true, true, "a linear spring between two points", |a, b, g| Box::new(Spring::new(a, b, 2.0 + g.unit(), g.unit()))),
    force!("spring", true, true, true, "a linear spring and damper between two points", |a, b, g| Box::new(Spring::new(a, b, 2.0 + g.unit(), g.unit()).damping(g.unit()))),
    force!("torsion spring", true, false, false, "a linear torsion spring and damper about the common z axis", |a, b, g| Box::new(TorsionSpring::new(a, b, 1.0 + g.unit(), 0.0).damping(g.unit()))),
    force!("spring law", true, true, true, "tension as a function of length", |a, b, g| {
        let (k, r) = (1.0 + g.unit(), 0.5 + g.unit());
        Box::new(SpringLaw::new(a, b, move |x: f64| { let s = x - r; [k * s + s * s * s, k + 3.0 * s * s, 6.0 * s] }, r))
    }),
    force!("spring law", true, true, true, "tension as functions of length and of rate", |a, b, g| {
        let c = 0.2 + g.unit();
        Box::new(SpringLaw::new(a, b, OneSided::tension(2.0, 0.6), 0.6).damping(move |v: f64| [c * v + v * v * v, c + 3.0 * v * v, 6.0 * v]))
    }),
    force!("spring law", true, false, false, "tension as a function of length, rate and time", |a, b, g| {
        let w = 1.0 + g.unit();
        Box::new(SpringLaw::general(a, b, move |r, v, t| 2.0 * (r - 1.0) + 0.3 * v + libm::sin(w * t)))
    }),
    force!("torsion law", true, true, true, "torque as a function of angle", |a, b, g| {
        let k = 1.0 + g.unit();
        Box::new(TorsionLaw::new(a, b, move |x: f64| { let (s, c) = libm::sincos(x); [k * s, k * c, -k * s] }, 0.0))
    }),
    force!("torsion law", true, true, true, "torque as functions of angle and of rate", |a, b, g| {
        let (k, c) = (1.0 + g.unit(), g.unit());
        Box::new(TorsionLaw::new(a, b, move |x: f64| [k * x, k, 0.0], 0.0).damping(move |w: f64| [c * w, c, 0.0]))
    }),
    force!("bushing", true, true, true, "stiffness in six directions", |a, b, g| Box::new(bushing(a, b, g))),
    force!("bushing", true, true, true, "stiffness and damping in six directions", |a, b, g| { let c = random_matrix(g); Box::new(bushing(a, b, g).full_damping(c)) }),
    force!("drag", false, false, true, "resistance of a still fluid against a point", |_, b, g| Box::new(Drag::linear(b, g.unit()).plus_quadratic(1.2, g.unit(), 1.0))),
    force!("drag", false, false, false, "resistance of a fluid that flows", |_, b, g| Box::new(Drag::quadratic(b, 1.2, 1.0, g.unit()).wind(g.vec3(3.0)))),
    force!("angular drag", false, false, true, "resistance of a still fluid against a spin", |_, b, g| Box::new(AngularDrag::new(b.body, g.unit(), g.unit()))),
    force!("axis motor", true, false, false, "torque about the z axis of a as a function of speed", |a, b, g| Box::new(AxisMotor::new(a, b, TorqueCurve::stall_and_no_load(1.0 + g.unit(), 5.0)))),
    force!("coordinate force", true, true, true, "a spring on a coordinate of a joint", |a, b, g| {
        Box::new(CoordinateForce::spring(Coordinate::of(Revolute::new(a, b), 0), 1.0 + g.unit(), 0.3))
    }),
    force!("coordinate force", true, true, true, "a spring by its law and a damper on a coordinate of a joint", |a, b, g| {
        let (k, c) = (1.0 + g.unit(), 0.1 + g.unit());
        let back = move |q: f64| [k * q + q * q * q, k + 3.0 * q * q, 6.0 * q];
        Box::new(CoordinateForce::spring_law(Coordinate::of(Cylindrical::new(a, b), 0), back, 0.0).damping(c))
    }),
    force!("coordinate force", true, false, false, "a motor on a coordinate of a joint", |a, b, g| {
        let curve = TorqueCurve::stall_and_no_load(1.0 + g.unit(), 4.0);
        Box::new(CoordinateForce::motor(Coordinate::of(Revolute::new(a, b), 0), curve))
    }),
    force!("coordinate feedback", true, false, false, "a torque about one axis told by a way and an angle, and by their rates", |a, b, g| {
        let turn = Coordinate::of(Revolute::new(a, b), 0);
        let way = Coordinate::of(Cylindrical::new(a, b), 0);
        Box::new(CoordinateFeedback::new(turn.clone(), [(-1.0 - g.unit(), -0.3, turn), (g.unit(), g.unit(), way)]).offset(0.2).range(-2.0, 2.0))
    }),
    force!("user force", false, false, false, "any pushes on attachments", |_, b, _| {
        Box::new(UserForce::new([Attachment::point(b.body, b.point)], |a, t, push| push.on(0, vec3(libm::sin(t), 0.0, 0.0) - 0.1 * a.rate(0))))
    }),
];
