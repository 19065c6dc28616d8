//! Relations between coordinates of other joints, or between spins.

use super::{AXES_A, AXES_B};
use crate::build::Site;
use crate::codes;
use crate::fields::*;
use crate::kinds::{Make, Mistake, fitting, mistake};
use holonom::joints::{Constraint, CoordinateKind};
use holonom::prelude::*;

const OFFSET: Field =
    optional("offset", Type::Number(Allowed::Any, "m or rad"), "as the poses say", "value of the sum");

/// The kinds.
pub(super) static KINDS: &[Kind] = &[
    Kind {
        name: "coupler",
        summary: "a weighted sum of joint coordinates stays constant",
        fields: &[&[
            required(
                "terms",
                Type::Records(&[
                    required("joint", Type::Coordinate, "the joint, or one of its coordinates"),
                    required(
                        "factor",
                        NUMBER,
                        "what its coordinate is multiplied by, not 0; such that all have one unit",
                    ),
                ]),
                "what is added, one at least",
            ),
            OFFSET,
        ]],
        make: Make::Joint(coupler),
    },
    Kind {
        name: "differential",
        summary: "two joint coordinates together are twice a third",
        fields: &[&[
            required("left", Type::Coordinate, "first output: a joint, or one of its coordinates"),
            required("right", Type::Coordinate, "second output"),
            required("carrier", Type::Coordinate, "input: the mean of the outputs"),
            optional("offset", Type::Number(Allowed::Any, "m or rad"), "as the poses say", "left + right - 2 carrier"),
        ]],
        make: Make::Joint(differential),
    },
    Kind {
        name: "velocity-ratio",
        summary: "one spin about z, or the rate of one coordinate, is a multiple of another; phases are free",
        fields: &[
            &[
                optional("a", Type::Point, "ground", "first body, or a frame on it"),
                optional("b", Type::Point, "not said", "second body, which spins `ratio` times as fast as a"),
            ],
            AXES_A,
            AXES_B,
            &[
                optional("first", Type::Coordinate, "not said", "instead of bodies: the first coordinate"),
                optional("second", Type::Coordinate, "not said", "the second coordinate, `ratio` times as fast"),
                required("ratio", NUMBER, "how many times as fast as the first the second is"),
            ],
        ],
        make: Make::Joint(ratio),
    },
];

fn coupler(r: &Record, s: &Site) -> Result<Box<dyn Constraint>, Mistake> {
    let mut terms = Vec::new();
    for (value, _) in r.list("terms") {
        let Val::Record(term) = value else { continue };
        let Some(c) = term.coordinate("joint") else { continue };
        let factor = fitting(term, "factor", |x| x != 0.0, "other than 0")?.unwrap_or(1.0);
        terms.push((factor, s.coordinate_of(c, term.span_of("joint"))?));
    }
    if terms.is_empty() {
        let m = mistake(r, "terms", codes::WRONG_LENGTH, "`terms` has too few elements");
        return Err(Box::new(m.label("0, must be at least 1")));
    }
    let made = Coupler::new(terms);
    Ok(match r.number("offset") {
        Some(offset) => Box::new(made.offset(offset)),
        None => Box::new(made),
    })
}

fn differential(r: &Record, s: &Site) -> Result<Box<dyn Constraint>, Mistake> {
    let coordinates = [s.coordinate("left")?, s.coordinate("right")?, s.coordinate("carrier")?];
    let what = |c: &Coordinate| if c.kind() == CoordinateKind::Length { "a length" } else { "an angle" };
    for (field, c) in ["left", "right", "carrier"].into_iter().zip(&coordinates) {
        if c.kind() != coordinates[0].kind() {
            let message = format!("`{field}` is {}, `left` {}", what(c), what(&coordinates[0]));
            let m = mistake(r, field, codes::UNKNOWN_COORDINATE, message);
            return Err(Box::new(m.help("a differential joins coordinates of one kind")));
        }
    }
    let [left, right, carrier] = coordinates;
    let made = Differential::new(left, right, carrier);
    Ok(match r.number("offset") {
        Some(offset) => Box::new(made.offset(offset)),
        None => Box::new(made),
    })
}

fn ratio(r: &Record, s: &Site) -> Result<Box<dyn Constraint>, Mistake> {
    let ratio = r.number("ratio").unwrap_or(1.0);
    match (r.has("b"), r.has("first"), r.has("second")) {
        (true, false, false) => Ok(Box::new(VelocityRatio::spins(s.a, s.b, ratio))),
        (false, true, true) => {
            Ok(Box::new(VelocityRatio::coordinates(s.coordinate("first")?, s.coordinate("second")?, ratio)))
        }
        (true, ..) => {
            let field = if r.has("first") { "first" } else { "second" };
            Err(mistake(r, field, codes::EXCLUSIVE, format!("bodies and `{field}` exclude each other")))
        }
        (false, false, false) => {
            let m = mistake(r, "b", codes::MISSING_FIELD, "neither bodies nor coordinates are named");
            Err(Box::new(m.help("give `a` and `b` (bodies that spin), or `first` and `second` (coordinates)")))
        }
        (false, true, false) => Err(mistake(r, "first", codes::MISSING_FIELD, "`first` without `second`")),
        (false, false, true) => Err(mistake(r, "second", codes::MISSING_FIELD, "`second` without `first`")),
    }
}
