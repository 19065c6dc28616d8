//! What robots need besides: joints of several freedoms without bodies between them, and the inertia of geared motors.

use super::PAIR;
use crate::build::Site;
use crate::codes;
use crate::fields::*;
use crate::kinds::{Make, Mistake, fitting, mistake};
use crate::scene::InteractionRecord;
use holonom::joints::{Constraint, Freedom, RotorGear, Serial};
use holonom::prelude::*;
use std::collections::HashMap;

const FREE_AXIS: Field = required("axis", Type::Direction, "its axis in the world, at the poses given");
const FREE_AT: Field = optional("at", POSITION, "`at` of the joint", "where it is in the world, at the poses given");

/// What a serial joint is made of.
static FREEDOMS: Family = Family {
    name: "freedom",
    common: &[],
    kinds: &[&[
        Kind { name: "hinge", summary: "turns about an axis", fields: &[&[FREE_AXIS, FREE_AT]], make: Make::Plain },
        Kind { name: "slide", summary: "slides along an axis", fields: &[&[FREE_AXIS]], make: Make::Plain },
        Kind { name: "ball", summary: "turns about a point", fields: &[&[FREE_AT]], make: Make::Plain },
    ]],
    default: None,
};

/// The kinds.
pub(super) static KINDS: &[Kind] = &[
    Kind {
        name: "serial",
        summary: "hinges and slides one after the other, without bodies between them. Coordinates: theirs, in order",
        fields: &[
            PAIR,
            &[required(
                "freedoms",
                Type::Kinds(&FREEDOMS),
                "the first is next to a; up to three hinges (or a ball) and three slides",
            )],
        ],
        make: Make::Joint(serial),
    },
    Kind {
        name: "rotor-gear",
        summary: "a body of kind `rotor` turns with a coordinate, or with the spin of one body against another",
        fields: &[&[
            required("b", Type::Point, "the rotor"),
            optional("joint", Type::Coordinate, "not said", "the joint, or one of its coordinates"),
            optional("of", Type::Point, "not said", "instead of a joint: the body whose spin is meant"),
            optional("against", Type::Point, "ground", "the body it spins against"),
            optional("axis_of", Type::Direction, "[0, 0, 1]", "about which axis of the body `of`, in its own frame"),
            optional("ratio", NUMBER, "1", "how many times as fast the rotor turns, not 0"),
        ]],
        make: Make::Joint(rotor_gear),
    },
];

fn serial(r: &Record, s: &Site) -> Result<Box<dyn Constraint>, Mistake> {
    let here = s.drawn(&s.b);
    // both sides in the axes of the world, at the poses given: there freedoms are said
    let turned = |m: &Marker| {
        let pose = s.pose(m.body);
        Marker { axes: Mat3::from_quat(pose.rotation).transpose(), ..*m }
    };
    let mut freedoms = Vec::new();
    for (value, _) in r.list("freedoms") {
        let Val::Record(f) = value else { continue };
        let axis = f.vector("axis").unwrap_or(Vec3::Z);
        let point = f.vector("at").map_or(Vec3::ZERO, |p| p - here);
        freedoms.push(match f.kind.map(|k| k.name) {
            Some("slide") => Freedom::Slide { axis },
            Some("ball") => Freedom::Ball { point },
            _ => Freedom::Hinge { axis, point },
        });
    }
    if freedoms.is_empty() {
        return Err(mistake(r, "freedoms", codes::WRONG_LENGTH, "`freedoms` has too few elements"));
    }
    let made = Serial::new(turned(&s.a), turned(&s.b), freedoms);
    made.validate().map_err(|e| mistake(r, "freedoms", codes::OUT_OF_RANGE, format!("a serial joint {e}")))?;
    Ok(Box::new(made))
}

fn rotor_gear(r: &Record, s: &Site) -> Result<Box<dyn Constraint>, Mistake> {
    let rotor = s.point("b")?.body;
    let ratio = fitting(r, "ratio", |x| x != 0.0, "other than 0")?.unwrap_or(1.0);
    match (r.has("joint"), r.has("of")) {
        (true, false) => Ok(Box::new(RotorGear::new(rotor, s.coordinate("joint")?, ratio))),
        (false, true) => {
            let against = if r.has("against") { s.point("against")?.body } else { BodyId::GROUND };
            let of = s.point("of")?.body.origin().along(r.vector("axis_of").unwrap_or(Vec3::Z));
            Ok(Box::new(RotorGear::spin(rotor, against, of, ratio)))
        }
        (true, true) => Err(mistake(r, "of", codes::EXCLUSIVE, "`joint` and `of` exclude each other")),
        (false, false) => {
            let m = mistake(r, "joint", codes::MISSING_FIELD, "a rotor gear names neither `joint` nor `of`");
            Err(Box::new(m.help("joint = \"NAME\" for the coordinate of a joint, of = \"BODY\" for a spin")))
        }
    }
}

/// The gears of rotors whose joint says how fast it starts, each with its rotor and the rate that fits.
pub fn geared_rates(links: &[InteractionRecord]) -> Vec<(&InteractionRecord, &BodyRef, f64)> {
    let started = links.iter().filter_map(|l| Some((&*l.name, l.record.numbers("start_rate")?)));
    let started: HashMap<&str, &[f64]> = started.collect();
    let rate = |gear: &'_ InteractionRecord| {
        let c = gear.record.coordinate("joint")?;
        Some(started.get(&*c.joint)?.get(c.index)? * gear.record.number("ratio").unwrap_or(1.0))
    };
    let gears = links.iter().filter(|l| l.kind().name == "rotor-gear");
    gears.filter_map(|gear| Some((gear, &gear.b.as_ref()?.body, rate(gear)?))).collect()
}
