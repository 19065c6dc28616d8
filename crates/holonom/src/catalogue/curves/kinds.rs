//! The kinds of curves. They lie in the axes of the marker that carries them.

use super::{Circle, CubicSpline, Curve, Helix, Line, Nurbs, Track};
use crate::catalogue::declaration::{
    Allowed, Family, Fault, FieldType, Invalid, Kind, LENGTH, Make, POSITION, Parameters, optional, required,
};
use crate::math::Vec3;
use std::sync::Arc;

/// Kinds of curves.
pub static CURVES: Family = Family { name: "curve", common: &[], members: || KINDS, default: None };

static KINDS: &[&Kind] = &[
    &Kind {
        name: "line",
        summary: "a straight line from one point to another, and on beyond them",
        fields: &[&[
            optional("from", POSITION, "[0, 0, 0]", "where it begins"),
            required("to", POSITION, "where it ends"),
        ]],
        make: Make::Curve(|p| {
            let (from, to) = (p.vector("from").unwrap_or_default(), p.vector("to").unwrap_or_default());
            if from == to {
                return Err(Invalid::new("to", "the line has no length").fault(Fault::Direction));
            }
            Ok(Arc::new(Line { from, to }))
        }),
    },
    &Kind {
        name: "circle",
        summary: "a circle about the origin in the x-y plane, from x towards y",
        fields: &[&[required("radius", LENGTH, "its radius")]],
        make: Make::Curve(|p| Ok(Arc::new(Circle { radius: p.number("radius").unwrap_or(0.0) }))),
    },
    &Kind {
        name: "helix",
        summary: "a helix about the z axis, from (radius, 0, 0)",
        fields: &[&[
            required("radius", LENGTH, "distance from the axis"),
            required("pitch", FieldType::Number(Allowed::Any, "m"), "advance along z per turn; negative: left-handed"),
            optional("turns", FieldType::Number(Allowed::Positive, ""), "1", "number of turns"),
        ]],
        make: Make::Curve(|p| {
            let of = |name: &str| p.number(name).unwrap_or(1.0);
            Ok(Arc::new(Helix { radius: of("radius"), pitch: of("pitch"), turns: of("turns") }))
        }),
    },
    &Kind {
        name: "spline",
        summary: "a smooth curve through points",
        fields: &[&[
            required("points", FieldType::Vectors("m"), "points it goes through, each different from the one before"),
            optional("closed", FieldType::Flag, "false", "goes on from the last point to the first"),
            optional(
                "first",
                FieldType::Direction,
                "no curvature at the ends",
                "direction at the first point, with `last`",
            ),
            optional(
                "last",
                FieldType::Direction,
                "no curvature at the ends",
                "direction at the last point, with `first`",
            ),
        ]],
        make: Make::Curve(spline),
    },
    &Kind {
        name: "nurbs",
        summary: "a rational B-spline curve",
        fields: &[&[
            optional("degree", FieldType::Integer(1, 7), "3", "degree of its pieces"),
            required("points", FieldType::Vectors("m"), "control points"),
            optional("weights", FieldType::Numbers(""), "all 1", "weights, as many, greater than 0"),
            optional(
                "knots",
                FieldType::Numbers(""),
                "uniform, from the first point to the last",
                "knots, ascending: as many as points, and degree + 1 more",
            ),
            optional("closed", FieldType::Flag, "false", "its end meets its start with the same direction"),
        ]],
        make: Make::Curve(nurbs),
    },
];

fn spline(p: &dyn Parameters) -> Result<Arc<dyn Curve>, Invalid> {
    let points = p.vectors("points").unwrap_or_default();
    let made = match (p.vector("first"), p.vector("last"), p.flag("closed")) {
        (None, None, true) => CubicSpline::closed(points),
        (None, None, false) => CubicSpline::natural(points),
        (Some(first), Some(last), false) => CubicSpline::clamped(points, first, last),
        (Some(_), Some(_), true) => {
            return Err(
                Invalid::new("first", "`closed` and directions at the ends exclude each other").fault(Fault::Exclusive)
            );
        }
        (Some(_), None, _) => return Err(Invalid::without("first", "last")),
        (None, Some(_), _) => return Err(Invalid::without("last", "first")),
    };
    Ok(Arc::new(made))
}

fn nurbs(p: &dyn Parameters) -> Result<Arc<dyn Curve>, Invalid> {
    let points = p.vectors("points").unwrap_or_default();
    let degree = degree(p);
    enough("points", points, degree)?;
    let made = match knots(p, "knots", degree, points.len())? {
        Some(knots) => Nurbs::new(degree, points, &weights(p, points.len())?, knots),
        None if p.has("weights") => {
            return Err(Invalid::without("weights", "knots"));
        }
        None => Nurbs::clamped(degree, points),
    };
    Ok(Arc::new(if p.flag("closed") { made.closed() } else { made }))
}

pub(crate) fn descends(field: &str, before: f64, after: f64) -> Invalid {
    let invalid = Invalid::new(field, format!("`{field}` must ascend")).fault(Fault::Function);
    invalid.label(format!("{after} after {before}"))
}

/// `degree` of a B-spline.
pub(crate) fn degree(p: &dyn Parameters) -> usize {
    p.integer("degree").unwrap_or(3) as usize
}

/// `weights` of `n` control points.
pub(crate) fn weights(p: &dyn Parameters, n: usize) -> Result<Vec<f64>, Invalid> {
    match p.numbers("weights") {
        None => Ok(vec![1.0; n]),
        Some(w) if w.len() != n => Err(Invalid::count("weights", w.len(), n)),
        Some(w) => match w.iter().find(|w| **w <= 0.0) {
            Some(bad) => Err(Invalid::range("weights", format!("{bad}, must be greater than 0"))),
            None => Ok(w.to_vec()),
        },
    }
}

/// Knots for `n` control points.
pub(crate) fn knots<'a>(
    p: &'a dyn Parameters,
    field: &str,
    degree: usize,
    n: usize,
) -> Result<Option<&'a [f64]>, Invalid> {
    let Some(knots) = p.numbers(field) else { return Ok(None) };
    if knots.len() != n + degree + 1 {
        let label = format!("{} elements, for {n} control points and degree {degree}", knots.len());
        return Err(Invalid::count(field, knots.len(), n + degree + 1).label(label));
    }
    match (1..knots.len()).find(|&i| knots[i] < knots[i - 1]) {
        Some(i) => Err(descends(field, knots[i - 1], knots[i])),
        None => Ok(Some(knots)),
    }
}

/// Enough control points for the degree?
pub(crate) fn enough(field: &str, points: &[Vec3], degree: usize) -> Result<(), Invalid> {
    if points.len() > degree {
        return Ok(());
    }
    let label = format!("{}, must be at least {} for degree {degree}", points.len(), degree + 1);
    Err(Invalid::too_few(field, points.len(), degree + 1).label(label))
}

/// The curve that these parameters describe, ready to be followed.
pub fn make(p: &dyn Parameters) -> Result<Track, Invalid> {
    let Some(Make::Curve(make)) = p.kind().map(|k| k.make) else {
        return Err(Invalid::new("", "not a curve").fault(Fault::Function));
    };
    let made = make(p)?;
    let refuse = |e: Invalid| e.prefixed("the curve is not usable: ").fault(Fault::Function);
    made.validate().map_err(refuse)?;
    let track = Track::shared(made);
    track.validate().map_err(refuse)?;
    Ok(track)
}

/// The curve in a table inside these parameters.
pub fn given(p: &dyn Parameters, field: &str) -> Result<Track, Invalid> {
    make(&*p.given_table(field)?).map_err(|e| e.within(field))
}
