//! Joints that hold only one way.

use super::{AXES_A, AXES_B, POINTS};
use crate::fields::*;
use crate::kinds::{Make, fitting};
use holonom::prelude::*;

/// The kinds.
pub(super) static KINDS: &[Kind] = &[
    Kind {
        name: "rope",
        summary: "keeps two points within a distance, and is slack below it. Coordinate: the distance",
        fields: &[POINTS, &[optional("length", LENGTH, "as drawn", "length of the rope")]],
        make: Make::Joint(|r, s| {
            let drawn = || (s.drawn(&s.b) - s.drawn(&s.a)).length();
            let rope = Rope::new(s.a, s.b, r.number("length").unwrap_or_else(drawn));
            Ok(Box::new(rope.restitution(r.number("restitution").unwrap_or(0.0))))
        }),
    },
    Kind {
        name: "cone-limit",
        summary: "keeps the z axis of b in a cone about the z axis of a: the swing of a ball joint",
        fields: &[
            POINTS,
            AXES_A,
            AXES_B,
            &[required("angle", ANGLE, "half angle of the cone, greater than 0 and less than pi")],
        ],
        make: Make::Joint(|r, s| {
            let inside = |x: f64| x > 0.0 && x < std::f64::consts::PI;
            let angle = fitting(r, "angle", inside, "greater than 0 and less than pi, rad")?.unwrap_or(f64::NAN);
            let cone = ConeLimit::new(s.a, s.b, angle);
            Ok(Box::new(cone.restitution(r.number("restitution").unwrap_or(0.0))))
        }),
    },
];
