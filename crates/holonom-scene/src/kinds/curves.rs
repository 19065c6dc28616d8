//! Curves in space, for beads on wires and for paths. They lie in the axes of the marker that carries them.

use super::functions::{degree, knots, weights};
use super::{Make, Mistake, mistake, refused};
use crate::codes;
use crate::fields::*;
use holonom::curves::{Circle, CubicSpline, Curve, Helix, Line, Nurbs, Track};
use holonom::math::Vec3;
use std::sync::Arc;

/// Kinds of curves.
pub static CURVES: Family = Family { name: "curve", common: &[], kinds: &[KINDS], default: None };

static KINDS: &[Kind] = &[
    Kind {
        name: "line",
        summary: "a straight line from one point to another, and on beyond them",
        fields: &[&[
            optional("from", POSITION, "[0, 0, 0]", "where it begins"),
            required("to", POSITION, "where it ends"),
        ]],
        make: Make::Curve(|r| {
            let (from, to) = (r.vector("from").unwrap_or_default(), r.vector("to").unwrap_or_default());
            if from == to {
                return Err(mistake(r, "to", codes::ZERO_DIRECTION, "the line has no length"));
            }
            Ok(Arc::new(Line { from, to }))
        }),
    },
    Kind {
        name: "circle",
        summary: "a circle about the origin in the x-y plane, from x towards y",
        fields: &[&[required("radius", LENGTH, "its radius")]],
        make: Make::Curve(|r| Ok(Arc::new(Circle { radius: r.number("radius").unwrap_or(0.0) }))),
    },
    Kind {
        name: "helix",
        summary: "a helix about the z axis, from (radius, 0, 0)",
        fields: &[&[
            required("radius", LENGTH, "distance from the axis"),
            required("pitch", Type::Number(Allowed::Any, "m"), "advance along z per turn; negative: left-handed"),
            optional("turns", Type::Number(Allowed::Positive, ""), "1", "number of turns"),
        ]],
        make: Make::Curve(|r| {
            let of = |name: &str| r.number(name).unwrap_or(1.0);
            Ok(Arc::new(Helix { radius: of("radius"), pitch: of("pitch"), turns: of("turns") }))
        }),
    },
    Kind {
        name: "spline",
        summary: "a smooth curve through points",
        fields: &[&[
            required("points", Type::Vectors("m"), "points it goes through, each different from the one before"),
            optional("closed", Type::Flag, "false", "goes on from the last point to the first"),
            optional("first", Type::Direction, "no curvature at the ends", "direction at the first point, with `last`"),
            optional("last", Type::Direction, "no curvature at the ends", "direction at the last point, with `first`"),
        ]],
        make: Make::Curve(spline),
    },
    Kind {
        name: "nurbs",
        summary: "a rational B-spline curve",
        fields: &[&[
            optional("degree", Type::Integer(1, 7), "3", "degree of its pieces"),
            required("points", Type::Vectors("m"), "control points"),
            optional("weights", Type::Numbers(""), "all 1", "weights, as many, greater than 0"),
            optional(
                "knots",
                Type::Numbers(""),
                "uniform, from the first point to the last",
                "knots, ascending: as many as points, and degree + 1 more",
            ),
            optional("closed", Type::Flag, "false", "its end meets its start with the same direction"),
        ]],
        make: Make::Curve(nurbs),
    },
];

fn spline(r: &Record) -> Result<Arc<dyn Curve>, Mistake> {
    let points = r.vectors("points").unwrap_or_default();
    let made = match (r.vector("first"), r.vector("last"), r.flag("closed")) {
        (None, None, true) => CubicSpline::closed(points),
        (None, None, false) => CubicSpline::natural(points),
        (Some(first), Some(last), false) => CubicSpline::clamped(points, first, last),
        (Some(_), Some(_), true) => {
            return Err(mistake(
                r,
                "first",
                codes::EXCLUSIVE,
                "`closed` and directions at the ends exclude each other",
            ));
        }
        (Some(_), None, _) => return Err(mistake(r, "first", codes::MISSING_FIELD, "`first` without `last`")),
        (None, Some(_), _) => return Err(mistake(r, "last", codes::MISSING_FIELD, "`last` without `first`")),
    };
    Ok(Arc::new(made))
}

fn nurbs(r: &Record) -> Result<Arc<dyn Curve>, Mistake> {
    let points = r.vectors("points").unwrap_or_default();
    let degree = degree(r);
    enough(r, "points", points, degree)?;
    let made = match knots(r, "knots", degree, points.len())? {
        Some(knots) => Nurbs::new(degree, points, &weights(r, points.len())?, knots),
        None if r.has("weights") => {
            return Err(mistake(r, "weights", codes::MISSING_FIELD, "`weights` without `knots`"));
        }
        None => Nurbs::clamped(degree, points),
    };
    Ok(Arc::new(if r.flag("closed") { made.closed() } else { made }))
}

/// Enough control points for the degree?
pub(super) fn enough(r: &Record, field: &str, points: &[Vec3], degree: usize) -> Result<(), Mistake> {
    if points.len() > degree {
        return Ok(());
    }
    let m = mistake(r, field, codes::WRONG_LENGTH, format!("`{field}` has too few elements"));
    Err(Box::new(m.label(format!("{}, must be at least {} for degree {degree}", points.len(), degree + 1))))
}

/// Make a curve from its record, ready to be followed.
pub fn curve(record: &Record) -> Result<Track, Mistake> {
    let Some(Make::Curve(make)) = record.kind.map(|k| k.make) else {
        return Err(Box::new(crate::Diagnostic::error(codes::BAD_FUNCTION, "not a curve").at(record.span)));
    };
    let made = make(record)?;
    let refuse = |e: String| refused(record, codes::BAD_FUNCTION, &format!("the curve is not usable: {e}"));
    made.validate().map_err(refuse)?;
    let track = Track::shared(made);
    track.validate().map_err(refuse)?;
    Ok(track)
}
