//! Joints that hold two bodies together.

use super::{AXES_A, AXES_B, PAIR, PARALLEL, POINTS, STARTS};
use crate::fields::*;
use crate::kinds::{Make, fitting};
use holonom::prelude::*;

/// The kinds.
pub(super) static KINDS: &[Kind] = &[
    Kind {
        name: "weld",
        summary: "holds b to a completely",
        fields: &[PAIR],
        make: Make::Joint(|_, s| Ok(Box::new(Weld::new(s.a, s.b)))),
    },
    Kind {
        name: "revolute",
        summary: "turns about the common z axis. Coordinate: the angle",
        fields: &[PAIR, STARTS],
        make: Make::Joint(|_, s| Ok(Box::new(Revolute::new(s.a, s.b)))),
    },
    Kind {
        name: "prismatic",
        summary: "slides along the common z axis. Coordinate: the way",
        fields: &[PAIR, STARTS],
        make: Make::Joint(|_, s| Ok(Box::new(Prismatic::new(s.a, s.b)))),
    },
    Kind {
        name: "cylindrical",
        summary: "turns about and slides along the common z axis. Coordinates: the way, the angle",
        fields: &[PAIR, STARTS],
        make: Make::Joint(|_, s| Ok(Box::new(Cylindrical::new(s.a, s.b)))),
    },
    Kind {
        name: "screw",
        summary: "turns about the common z axis and advances along it in proportion. Coordinates: the way, the angle",
        fields: &[
            PAIR,
            &[
                required(
                    "lead",
                    Type::Number(Allowed::Any, "m"),
                    "advance per turn; negative for a left-handed thread",
                ),
                optional("phase", Type::Number(Allowed::Any, "m"), "as the poses say", "the way where the angle is 0"),
            ],
        ],
        make: Make::Joint(|r, s| {
            let made = Screw::new(s.a, s.b, r.number("lead").unwrap_or(0.0));
            Ok(match r.number("phase") {
                Some(phase) => Box::new(made.phase(phase)),
                None => Box::new(made),
            })
        }),
    },
    Kind {
        name: "universal",
        summary: "turns about x of a and about y of b, which stay perpendicular. Coordinates: the two angles",
        fields: &[PAIR, STARTS],
        make: Make::Joint(|_, s| Ok(Box::new(Universal::new(s.a, s.b)))),
    },
    Kind {
        name: "constant-velocity",
        summary: "couples shafts along z, bent at a common point, at equal rates. Coordinates: the bends about x and y of a",
        fields: &[PAIR],
        make: Make::Joint(|_, s| Ok(Box::new(ConstantVelocity::new(s.a, s.b)))),
    },
    Kind {
        name: "spherical",
        summary: "turns about a common point",
        fields: &[
            PAIR,
            &[
                optional(
                    "start",
                    Type::Numbers(""),
                    "as the poses say",
                    "orientation of b in the axes of body a at the start, a quaternion (w, x, y, z)",
                ),
                optional(
                    "start_rate",
                    Type::Numbers("rad/s"),
                    "as the velocities say",
                    "angular velocity of b against a at the start, in the axes of body a",
                ),
            ],
        ],
        make: Make::Joint(|_, s| Ok(Box::new(Spherical::new(s.a, s.b)))),
    },
    Kind {
        name: "planar",
        summary: "slides in the x-y plane of a and turns about its normal. Coordinates: the ways along x and y, the angle",
        fields: &[PAIR, STARTS],
        make: Make::Joint(|_, s| Ok(Box::new(PlanarJoint::new(s.a, s.b)))),
    },
    Kind {
        name: "pin-slot",
        summary: "slides along x of a and turns about the common z axis. Coordinates: the way, the angle",
        fields: &[PAIR, STARTS],
        make: Make::Joint(|_, s| Ok(Box::new(PinSlot::new(s.a, s.b)))),
    },
    Kind {
        name: "distance",
        summary: "keeps two points at a fixed distance: a massless rod. Coordinate: its length",
        fields: &[POINTS, &[optional("length", LENGTH, "as drawn", "length of the rod")]],
        make: Make::Joint(|r, s| {
            let drawn = || (s.drawn(&s.b) - s.drawn(&s.a)).length();
            Ok(Box::new(Distance::new(s.a, s.b, r.number("length").unwrap_or_else(drawn))))
        }),
    },
    Kind {
        name: "parallel-axes",
        summary: "keeps the z axes of a and b parallel. Coordinate: the angle about them",
        fields: &[PARALLEL],
        make: Make::Joint(|_, s| Ok(Box::new(ParallelAxes::new(s.a, s.b)))),
    },
    Kind {
        name: "perpendicular-axes",
        summary: "keeps the z axes of a and b perpendicular, or at another angle. Coordinates: the turn of z of b about z of a, that of b about z of b",
        fields: &[
            POINTS,
            AXES_A,
            AXES_B,
            &[optional("angle", ANGLE, "pi/2", "angle between the axes, greater than 0 and less than pi")],
        ],
        make: Make::Joint(|r, s| {
            let made = PerpendicularAxes::new(s.a, s.b);
            let inside = |x: f64| x > 0.0 && x < std::f64::consts::PI;
            Ok(match fitting(r, "angle", inside, "greater than 0 and less than pi, rad")? {
                Some(angle) => Box::new(made.angle(angle)),
                None => Box::new(made),
            })
        }),
    },
    Kind {
        name: "orientation-lock",
        summary: "keeps b from turning against a. Coordinates: the ways along x, y and z of a",
        fields: &[PARALLEL],
        make: Make::Joint(|_, s| Ok(Box::new(OrientationLock::new(s.a, s.b)))),
    },
    Kind {
        name: "oldham",
        summary: "couples parallel shafts along z that may be beside each other. Coordinates: the offsets along x and y of a",
        fields: &[PARALLEL],
        make: Make::Joint(|_, s| Ok(Box::new(Oldham::new(s.a, s.b)))),
    },
];
