//! Kinds of drives: what makes joints move as they should.

use super::{Driven, Make};
use crate::fields::*;
use holonom::prelude::*;

/// Kinds of drives.
pub static DRIVES: Family = Family { name: "drive", common: &[], kinds: &[KINDS], default: None };

const JOINT: Field = required("joint", Type::Coordinate, "the joint, or one of its coordinates");

static KINDS: &[Kind] = &[
    Kind {
        name: "position",
        summary: "a joint coordinate follows a function of time exactly; the drive gives whatever force or torque that takes",
        fields: &[&[JOINT, required("value", Type::Function("t", "m or rad"), "the coordinate as a function of t")]],
        make: Make::Drive(|r, s| {
            Ok(Driven::Row(Box::new(Motor::position(s.coordinate("joint")?, r.function("value").expect("required")))))
        }),
    },
    Kind {
        name: "speed",
        summary: "the rate of a joint coordinate follows a function of time exactly",
        fields: &[&[JOINT, required("value", Type::Function("t", "m/s or rad/s"), "the rate as a function of t")]],
        make: Make::Drive(|r, s| {
            Ok(Driven::Row(Box::new(Motor::speed(s.coordinate("joint")?, r.function("value").expect("required")))))
        }),
    },
];
