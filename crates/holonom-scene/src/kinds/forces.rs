//! Kinds of forces.

use super::{Make, mistake};
use crate::codes;
use crate::fields::*;
use holonom::prelude::*;

/// Kinds of forces.
pub static FORCES: Family = Family { name: "force", common: &[], kinds: &[KINDS], default: None };

/// Two points.
pub static ENDS: &[Field] = &[
    optional("a", Type::Point, "ground", "first body, or a point on it"),
    required("b", Type::Point, "second body, or a point on it"),
];

static KINDS: &[Kind] = &[Kind {
    name: "spring",
    summary: "a linear spring and damper between two points",
    fields: &[
        ENDS,
        &[
            required("stiffness", Type::Number(Allowed::NotNegative, "N/m"), "force per way"),
            optional("length", Type::Number(Allowed::NotNegative, "m"), "0", "length at which it pulls with no force"),
            optional("damping", Type::Number(Allowed::NotNegative, "N s/m"), "0", "force per speed"),
        ],
    ],
    make: Make::Force(|r, s| {
        let of = |name: &str| r.number(name).unwrap_or(0.0);
        if s.a == s.b {
            return Err(mistake(r, "b", codes::SELF_JOINT, "the two ends of the spring are the same point"));
        }
        Ok(Box::new(Spring::new(s.a, s.b, of("stiffness"), of("length")).damping(of("damping"))))
    }),
}];
