//! Rolling without slipping, and blades: conditions on velocities.

use super::{AXES_A, AXES_B, POINTS};
use crate::fields::*;
use crate::kinds::Make;
use holonom::prelude::*;

/// The kinds.
pub(super) static KINDS: &[Kind] = &[
    Kind {
        name: "rolling-disc",
        summary: "a thin disc about z of b rolls on the x-y plane of a, on the side of z. Coordinate: the lean",
        fields: &[POINTS, AXES_A, AXES_B, &[required("radius", LENGTH, "radius of the disc, whose centre is b")]],
        make: Make::Joint(|r, s| Ok(Box::new(RollingDisc::new(s.a, s.b, r.number("radius").unwrap_or(0.0))))),
    },
    Kind {
        name: "rolling-sphere",
        summary: "a sphere with its centre at b rolls on the x-y plane of a, on the side of z",
        fields: &[POINTS, AXES_A, &[required("radius", LENGTH, "radius of the sphere")]],
        make: Make::Joint(|r, s| Ok(Box::new(RollingSphere::new(s.a, s.b, r.number("radius").unwrap_or(0.0))))),
    },
    Kind {
        name: "knife-edge",
        summary: "a point of b moves along its blade, x of b, and not across it, y of b. Nothing holds it on a",
        fields: &[POINTS, AXES_B],
        make: Make::Joint(|_, s| Ok(Box::new(KnifeEdge::new(s.a, s.b)))),
    },
];
