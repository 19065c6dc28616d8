//! Gears, belts and ropes.

use super::{AXES_A, AXES_B, PARALLEL, POINTS};
use crate::codes;
use crate::fields::*;
use crate::kinds::{Make, fitting, mistake};
use holonom::prelude::*;
use std::f64::consts::FRAC_PI_2;

const RADII: &[Field] = &[
    required("radius_a", LENGTH, "pitch radius of the wheel on a"),
    required("radius_b", LENGTH, "pitch radius of the wheel on b"),
    optional(
        "phase",
        Type::Number(Allowed::Any, "m"),
        "as the poses say",
        "radius_a alpha + radius_b beta (an internal gear, an open belt: minus), the angles to the other wheel",
    ),
];

const OTHER_SIDE: Type = Type::Flag;

/// The kinds.
pub(super) static KINDS: &[Kind] = &[
    Kind {
        name: "gear",
        summary: "wheels on parallel axes mesh: spur or helical, external or internal. Coordinates: the angles to the other wheel",
        fields: &[
            PARALLEL,
            RADII,
            &[
                optional("internal", Type::Flag, "false", "the larger wheel is a ring with teeth inside"),
                optional("pressure_angle", ANGLE, "0", "of the teeth, usually 20 degrees; at least 0, less than pi/2"),
                optional("helix", ANGLE, "0", "helix angle, positive for right-handed teeth on a; -pi/2 to pi/2"),
                optional(
                    "other_flank",
                    Type::Flag,
                    "false",
                    "a drives backwards: the radial force is that of the other flank",
                ),
            ],
        ],
        make: Make::Joint(|r, s| {
            let (ra, rb) = (of(r, "radius_a"), of(r, "radius_b"));
            let internal = r.flag("internal");
            if internal && ra == rb {
                let m = mistake(r, "radius_b", codes::OUT_OF_RANGE, "wheel and ring have the same radius");
                return Err(Box::new(m.label(format!("{rb} m, must differ from radius_a"))));
            }
            let mut made = if internal { Gear::internal(s.a, s.b, ra, rb) } else { Gear::external(s.a, s.b, ra, rb) };
            let steep = |x: f64| (0.0..FRAC_PI_2).contains(&x);
            if let Some(angle) = fitting(r, "pressure_angle", steep, "at least 0 and less than pi/2, rad")? {
                made = made.pressure_angle(angle);
            }
            if let Some(angle) = fitting(r, "helix", |x| x.abs() < FRAC_PI_2, "between -pi/2 and pi/2, rad")? {
                made = made.helix(angle);
            }
            if r.flag("other_flank") {
                made = made.other_flank();
            }
            if let Some(phase) = r.number("phase") {
                made = made.phase(phase);
            }
            Ok(Box::new(made))
        }),
    },
    Kind {
        name: "bevel-gear",
        summary: "wheels on axes that meet mesh; each z axis points from where they meet to its wheel. Coordinates: the angles to the other wheel",
        fields: &[POINTS, AXES_A, AXES_B, RADII],
        make: Make::Joint(|r, s| {
            let made = BevelGear::new(s.a, s.b, of(r, "radius_a"), of(r, "radius_b"));
            Ok(match r.number("phase") {
                Some(phase) => Box::new(made.phase(phase)),
                None => Box::new(made),
            })
        }),
    },
    Kind {
        name: "worm",
        summary: "a worm along z of a drives a wheel about z of b, each where their axes are nearest. Coordinates: the angles to the other's axis",
        fields: &[
            POINTS,
            AXES_A,
            AXES_B,
            &[
                required(
                    "lead",
                    Type::Number(Allowed::Any, "m"),
                    "advance per turn of the worm, not 0; negative: left-handed",
                ),
                required("wheel_radius", LENGTH, "pitch radius of the wheel"),
                optional("worm_radius", LENGTH, "no thrust on the wheel", "pitch radius of the worm"),
            ],
        ],
        make: Make::Joint(|r, s| {
            let lead = fitting(r, "lead", |x| x != 0.0, "other than 0 m")?.unwrap_or(0.0);
            let made = Worm::new(s.a, s.b, lead, of(r, "wheel_radius"));
            Ok(match r.number("worm_radius") {
                Some(radius) => Box::new(made.worm_radius(radius)),
                None => Box::new(made),
            })
        }),
    },
    Kind {
        name: "rack-and-pinion",
        summary: "a pinion, turning about z of a, rolls along a rack, x of b. Coordinates: the way along the rack, the angle of the pinion to it",
        fields: &[
            POINTS,
            AXES_A,
            AXES_B,
            &[
                required("radius", LENGTH, "pitch radius of the pinion"),
                optional(
                    "other_side",
                    OTHER_SIDE,
                    "false",
                    "the pinion is on the side of -y of the rack, y = z of a x x of b",
                ),
                optional("phase", Type::Number(Allowed::Any, "m"), "as the poses say", "the way where the angle is 0"),
            ],
        ],
        make: Make::Joint(|r, s| {
            let mut made = RackAndPinion::new(s.a, s.b, of(r, "radius"));
            if r.flag("other_side") {
                made = made.other_side();
            }
            if let Some(phase) = r.number("phase") {
                made = made.phase(phase);
            }
            Ok(Box::new(made))
        }),
    },
    Kind {
        name: "belt",
        summary: "a belt runs over two wheels on parallel axes. Coordinates: the angles to the other wheel",
        fields: &[PARALLEL, RADII, &[optional("crossed", Type::Flag, "false", "the wheels turn in opposite senses")]],
        make: Make::Joint(|r, s| {
            let (ra, rb) = (of(r, "radius_a"), of(r, "radius_b"));
            let made = if r.flag("crossed") { Belt::crossed(s.a, s.b, ra, rb) } else { Belt::open(s.a, s.b, ra, rb) };
            Ok(match r.number("phase") {
                Some(phase) => Box::new(made.phase(phase)),
                None => Box::new(made),
            })
        }),
    },
    Kind {
        name: "winch",
        summary: "a rope wound on a drum about z of a holds a point of b. Coordinates: the free length, the angle of b about the drum",
        fields: &[
            POINTS,
            AXES_A,
            &[
                required("radius", LENGTH, "radius of the drum"),
                optional("other_side", OTHER_SIDE, "false", "turning the drum backwards winds the rope in"),
                optional(
                    "length",
                    Type::Number(Allowed::Any, "m"),
                    "as the poses say",
                    "of the rope: the free part, and what is wound on beyond the drum's x axis",
                ),
            ],
        ],
        make: Make::Joint(|r, s| {
            let mut made = Winch::new(s.a, s.b, of(r, "radius"));
            if r.flag("other_side") {
                made = made.other_side();
            }
            if let Some(length) = r.number("length") {
                made = made.length(length);
            }
            Ok(Box::new(made))
        }),
    },
    Kind {
        name: "reeving",
        summary: "a rope of fixed length passes a list of points. Coordinate: the length of the path",
        fields: &[&[
            required("points", Type::Points, "points it passes, from end to end; two at least, on two bodies at least"),
            optional("length", LENGTH, "as the poses say", "length of the rope"),
        ]],
        make: Make::Joint(|r, s| {
            let points = s.points("points")?;
            if points.len() < 2 {
                let m = mistake(r, "points", codes::WRONG_LENGTH, "`points` has too few elements");
                return Err(Box::new(m.label(format!("{}, must be at least 2", points.len()))));
            }
            if points.iter().all(|p| p.body == points[0].body) {
                let m = mistake(r, "points", codes::SELF_JOINT, "the rope stays on one body");
                return Err(Box::new(m.label("must pass points of two bodies at least")));
            }
            let made = Reeving::new(points);
            Ok(match r.number("length") {
                Some(length) => Box::new(made.length(length)),
                None => Box::new(made),
            })
        }),
    },
];

fn of(r: &Record, field: &str) -> f64 {
    r.number(field).unwrap_or(0.0)
}
