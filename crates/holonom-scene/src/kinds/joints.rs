//! Kinds of joints and relations.

use super::Make;
use crate::fields::*;
use holonom::prelude::*;

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
    ],
    kinds: &[HELD],
    default: None,
};

/// Fields of joints that hold two bodies together at a point.
pub static PAIR: &[Field] = &[
    optional("a", Type::Point, "ground", "first body, or a point or frame on it"),
    required("b", Type::Point, "second body, or a point or frame on it"),
    optional("at", POSITION, "the point named, or the origin of b", "where it is in the world, at the poses given"),
    optional(
        "axis",
        Type::Direction,
        "z of the frame named, or of the world",
        "its z axis in the world, at the poses given",
    ),
    optional("x_axis", Type::Direction, "perpendicular to the axis", "its x axis, roughly, in the world"),
    optional("axis_a", Type::Direction, "from `axis`", "its z axis in the frame of a, where the poses given are rough"),
    optional("axis_b", Type::Direction, "from `axis`", "its z axis in the frame of b"),
];

/// Fields of joints that have coordinates.
pub static STARTS: &[Field] = &[
    optional(
        "start",
        Type::Numbers("m or rad"),
        "as the poses say",
        "coordinates at the start; what hangs on the joint moves along",
    ),
    optional(
        "start_rate",
        Type::Numbers("m/s or rad/s"),
        "as the velocities say",
        "rates of the coordinates at the start",
    ),
];

static HELD: &[Kind] = &[
    Kind {
        name: "weld",
        summary: "holds b to a completely",
        fields: &[PAIR],
        make: Make::Joint(|_, s| Ok(Box::new(Weld::new(s.a, s.b)))),
    },
    Kind {
        name: "revolute",
        summary: "turns about the common z axis",
        fields: &[PAIR, STARTS],
        make: Make::Joint(|_, s| Ok(Box::new(Revolute::new(s.a, s.b)))),
    },
    Kind {
        name: "prismatic",
        summary: "slides along the common z axis",
        fields: &[PAIR, STARTS],
        make: Make::Joint(|_, s| Ok(Box::new(Prismatic::new(s.a, s.b)))),
    },
    Kind {
        name: "spherical",
        summary: "turns about a common point",
        fields: &[PAIR],
        make: Make::Joint(|_, s| Ok(Box::new(Spherical::new(s.a, s.b)))),
    },
];
