//! Kinds of joints and relations.
//!
//! What the sides of a joint are follows from the fields its kind has (see `build.rs`): one with `at` holds both bodies at one point, one
//! without takes each body's own; one with `axis` has one direction of its axes in the world, one without takes the axes of each body.

mod couplings;
mod gears;
mod guides;
mod pairs;
mod robots;
mod rolling;
mod ropes;

pub use robots::geared_rates;

use crate::fields::*;

/// Kinds of joints.
pub static JOINTS: Family = Family {
    name: "joint",
    common: &[
        optional(
            "break_force",
            Type::Number(Allowed::Positive, "N"),
            "never",
            "breaks when the reaction force exceeds this",
        ),
        optional(
            "break_torque",
            Type::Number(Allowed::Positive, "N m"),
            "never",
            "breaks when the reaction torque exceeds this",
        ),
        optional(
            "compliance",
            Type::Numbers(""),
            "not said",
            "m/N and rad/(N m): how loads are shared where joints are redundant",
        ),
        optional(
            "limits",
            Type::Intervals("m or rad"),
            "none",
            "stops: `[lower, upper]` of its coordinate, or a pair for each coordinate; `-inf` and `inf` are no stops",
        ),
        optional(
            "restitution",
            Type::Number(Allowed::Fraction, ""),
            "0",
            "part of the speed that comes back from a stop, or from a rope that jerks taut",
        ),
        optional(
            "friction",
            Type::Numbers("N or N m"),
            "0",
            "dry friction that does not depend on the load, for each coordinate: of a seal, of a preload",
        ),
        optional(
            "friction_coefficient",
            Type::Number(Allowed::NotNegative, ""),
            "0",
            "dry friction in proportion to the force that the joint transmits",
        ),
        optional("friction_radius", LENGTH, "not said", "radius of the pin that rubs, for coordinates that are angles"),
        optional(
            "effort",
            Type::Numbers("N or N m"),
            "no cap",
            "largest force or torque of drives on its coordinates, unless they say their own",
        ),
        optional("collide", Type::Flag, "false", "whether the bodies it joins collide with each other"),
    ],
    kinds: KINDS,
    default: None,
};

/// All of them, by theme.
pub(super) static KINDS: &[&[Kind]] =
    &[pairs::KINDS, guides::KINDS, gears::KINDS, rolling::KINDS, couplings::KINDS, robots::KINDS, ropes::KINDS];

const A: Field = optional("a", Type::Point, "ground", "first body, or a point or frame on it");
const B: Field = required("b", Type::Point, "second body, or a point or frame on it");
const AXIS: Field = optional(
    "axis",
    Type::Direction,
    "z of the frame named, or of the world",
    "its z axis in the world, at the poses given",
);
const X_AXIS: Field =
    optional("x_axis", Type::Direction, "perpendicular to the axis", "its x axis, roughly, in the world");

/// Fields of joints that hold two bodies together at a point.
pub static PAIR: &[Field] = &[
    A,
    B,
    optional("at", POSITION, "the point named, or the origin of b", "where it is in the world, at the poses given"),
    AXIS,
    X_AXIS,
    optional("axis_a", Type::Direction, "from `axis`", "its z axis in the frame of a, where the poses given are rough"),
    optional("axis_b", Type::Direction, "from `axis`", "its z axis in the frame of b"),
    optional("x_axis_a", Type::Direction, "perpendicular to `axis_a`", "its x axis, roughly, in the frame of a"),
    optional("x_axis_b", Type::Direction, "perpendicular to `axis_b`", "its x axis, roughly, in the frame of b"),
];

/// Fields of joints whose axes are parallel, and whose points may be at different places.
pub static PARALLEL: &[Field] = &[
    optional("a", Type::Point, "ground", "first body, or a point or frame on it; its origin if only the body is named"),
    required("b", Type::Point, "second body, or a point or frame on it; its origin if only the body is named"),
    AXIS,
    X_AXIS,
    optional("axis_a", Type::Direction, "from `axis`", "the z axis in the frame of a"),
    optional("axis_b", Type::Direction, "from `axis`", "the z axis in the frame of b"),
    optional("x_axis_a", Type::Direction, "perpendicular to `axis_a`", "the x axis, roughly, in the frame of a"),
    optional("x_axis_b", Type::Direction, "perpendicular to `axis_b`", "the x axis, roughly, in the frame of b"),
];

/// Two points, where directions do not matter.
pub static POINTS: &[Field] = &[
    optional("a", Type::Point, "ground", "first body, or a point on it; its origin if only the body is named"),
    required("b", Type::Point, "second body, or a point on it; its origin if only the body is named"),
];

/// The axes on one side.
const AXIS_A: Field =
    optional("axis_a", Type::Direction, "z of the frame named, or of the body", "the z axis on a, in the frame of a");
const AXIS_B: Field =
    optional("axis_b", Type::Direction, "z of the frame named, or of the body", "the z axis on b, in the frame of b");
const X_AXIS_A: Field =
    optional("x_axis_a", Type::Direction, "x of the frame named, or of the body", "the x axis on a, in the frame of a");
const X_AXIS_B: Field =
    optional("x_axis_b", Type::Direction, "x of the frame named, or of the body", "the x axis on b, in the frame of b");

/// Axes of a.
pub static AXES_A: &[Field] = &[AXIS_A, X_AXIS_A];
/// Axes of b.
pub static AXES_B: &[Field] = &[AXIS_B, X_AXIS_B];

/// Fields of joints that have coordinates to start with.
pub static STARTS: &[Field] = &[
    optional(
        "start",
        Type::Numbers("m or rad"),
        "as the poses say",
        "coordinates at the start, angles within one turn; what hangs on the joint moves along, loops are closed around it",
    ),
    optional(
        "start_rate",
        Type::Numbers("m/s or rad/s"),
        "as the velocities say",
        "rates of the coordinates at the start",
    ),
];
