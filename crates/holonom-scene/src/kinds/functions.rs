//! Functions of one variable, where an expression does not do: samples, splines, and sums of any of them.

use super::{Make, Mistake, mistake, refused};
use crate::codes;
use crate::fields::*;
use holonom::functions::{
    Function, Harmonic, NurbsFunction, Polynomial, Scaled, SmoothStep, SmoothTable, SplineFunction, Sum, Table,
};
use std::sync::Arc;

/// Kinds of functions.
pub static FUNCTIONS: Family = Family { name: "function", common: &[], kinds: &[KINDS], default: None };

/// A function of the same variable as the one it is a part of.
const PART: Type = Type::Function("", "");

const SAMPLES: &[Field] = &[
    required("x", Type::Numbers(""), "values of the variable, ascending"),
    required("y", Type::Numbers(""), "values of the function there, as many"),
];

static KINDS: &[Kind] = &[
    Kind {
        name: "harmonic",
        summary: "mean + amplitude sin(frequency x + phase)",
        fields: &[&[
            optional("mean", NUMBER, "0", "mean value"),
            required("amplitude", NUMBER, "largest deviation from the mean"),
            required("frequency", NUMBER, "angular frequency, rad per unit of the variable"),
            optional("phase", ANGLE, "0", "phase where the variable is 0"),
        ]],
        make: Make::Function(|r| {
            let of = |name: &str| r.number(name).unwrap_or(0.0);
            let (mean, amplitude) = (of("mean"), of("amplitude"));
            Ok(Arc::new(Harmonic { mean, amplitude, frequency: of("frequency"), phase: of("phase") }))
        }),
    },
    Kind {
        name: "smooth-step",
        summary: "from one value to another with continuous acceleration",
        fields: &[&[
            optional("from", NUMBER, "0", "value before"),
            required("to", NUMBER, "value after"),
            optional("start", NUMBER, "0", "where it begins"),
            required("end", NUMBER, "where it ends, later than it begins"),
        ]],
        make: Make::Function(|r| {
            let of = |name: &str| r.number(name).unwrap_or(0.0);
            let (start, end) = (of("start"), of("end"));
            if end <= start {
                let m = mistake(r, "end", codes::OUT_OF_RANGE, "`end` is out of range");
                return Err(Box::new(m.label(format!("{end}, must be greater than the start, {start}"))));
            }
            Ok(Arc::new(SmoothStep { from: of("from"), to: of("to"), start, end }))
        }),
    },
    Kind {
        name: "polynomial",
        summary: "a sum of powers",
        fields: &[&[
            required("coefficients", Type::Numbers(""), "of the powers 0, 1, 2, ..."),
            optional("about", NUMBER, "0", "where the powers are zero"),
        ]],
        make: Make::Function(|r| {
            let coefficients = r.numbers("coefficients").unwrap_or_default();
            if coefficients.is_empty() {
                return Err(too_few(r, "coefficients", 0, 1));
            }
            Ok(Arc::new(Polynomial::new(coefficients).about(r.number("about").unwrap_or(0.0))))
        }),
    },
    Kind {
        name: "spline",
        summary: "smooth through samples: a cubic spline, straight beyond them",
        fields: &[
            SAMPLES,
            &[
                optional(
                    "first_slope",
                    NUMBER,
                    "no curvature at the ends",
                    "slope at the first sample, with `last_slope`",
                ),
                optional(
                    "last_slope",
                    NUMBER,
                    "no curvature at the ends",
                    "slope at the last sample, with `first_slope`",
                ),
            ],
        ],
        make: Make::Function(|r| {
            let (x, y) = samples(r)?;
            Ok(Arc::new(match (r.number("first_slope"), r.number("last_slope")) {
                (Some(first), Some(last)) => SplineFunction::clamped(x, y, first, last),
                (None, None) => SplineFunction::natural(x, y),
                (Some(_), None) => {
                    return Err(mistake(r, "first_slope", codes::MISSING_FIELD, "`first_slope` without `last_slope`"));
                }
                (None, Some(_)) => {
                    return Err(mistake(r, "last_slope", codes::MISSING_FIELD, "`last_slope` without `first_slope`"));
                }
            }))
        }),
    },
    Kind {
        name: "nurbs",
        summary: "a rational B-spline; the variable is the parameter of its knots",
        fields: &[&[
            optional("degree", Type::Integer(1, 7), "3", "degree of its pieces"),
            required("values", Type::Numbers(""), "control values"),
            optional("weights", Type::Numbers(""), "all 1", "weights, as many, greater than 0"),
            required("knots", Type::Numbers(""), "knots, ascending: as many as values, and degree + 1 more"),
        ]],
        make: Make::Function(|r| {
            let values = r.numbers("values").unwrap_or_default();
            let (degree, weights) = (degree(r), weights(r, values.len())?);
            let knots = knots(r, "knots", degree, values.len())?.unwrap_or_default();
            Ok(Arc::new(NurbsFunction::new(degree, values, &weights, knots)))
        }),
    },
    Kind {
        name: "table",
        summary: "straight between samples; its rate jumps there: for laws of forces, not for motions",
        fields: &[SAMPLES],
        make: Make::Function(|r| {
            let (x, y) = samples(r)?;
            Ok(Arc::new(Table::new(x, y)))
        }),
    },
    Kind {
        name: "smooth-table",
        summary: "through samples with a continuous rate and without overshoot: for springs and motors",
        fields: &[SAMPLES],
        make: Make::Function(|r| {
            let (x, y) = samples(r)?;
            Ok(Arc::new(SmoothTable::new(x, y)))
        }),
    },
    Kind {
        name: "sum",
        summary: "several functions added",
        fields: &[&[required(
            "terms",
            Type::Records(&[
                required("value", PART, "a function of the same variable"),
                optional("factor", NUMBER, "1", "what it is multiplied by"),
            ]),
            "what is added",
        )]],
        make: Make::Function(|r| {
            let mut sum = Sum::new();
            for (value, _) in r.list("terms") {
                let Val::Record(term) = value else { continue };
                let Some(f) = term.function("value") else { continue };
                sum = match term.number("factor") {
                    Some(factor) => sum.and(Scaled::new(factor, f)),
                    None => sum.and(f),
                };
            }
            Ok(Arc::new(sum))
        }),
    },
    Kind {
        name: "scaled",
        summary: "factor value(rate (x - start)): another function, larger, later, faster",
        fields: &[&[
            required("value", PART, "the other function, of the same variable"),
            optional("factor", NUMBER, "1", "how many times larger"),
            optional("start", NUMBER, "0", "how much later"),
            optional("rate", NUMBER, "1", "how many times faster"),
        ]],
        make: Make::Function(|r| {
            let Some(f) = r.function("value") else {
                return Err(mistake(r, "value", codes::MISSING_FIELD, "`value` is missing"));
            };
            let of = |name: &str, otherwise: f64| r.number(name).unwrap_or(otherwise);
            Ok(Arc::new(Scaled::new(of("factor", 1.0), f).shifted(of("start", 0.0), of("rate", 1.0))))
        }),
    },
];

/// Make a function from its record.
pub fn function(record: &Record) -> Result<Arc<dyn Function>, Mistake> {
    let Some(Make::Function(make)) = record.kind.map(|k| k.make) else {
        return Err(Box::new(crate::Diagnostic::error(codes::BAD_FUNCTION, "not a function").at(record.span)));
    };
    let made = make(record)?;
    made.validate().map_err(|e| refused(record, codes::BAD_FUNCTION, &format!("the function is not usable: {e}")))?;
    Ok(made)
}

fn too_few(r: &Record, field: &str, n: usize, least: usize) -> Mistake {
    let m = mistake(r, field, codes::WRONG_LENGTH, format!("`{field}` has too few elements"));
    Box::new(m.label(format!("{n}, must be at least {least}")))
}

/// Abscissae and ordinates, with what is wrong at the right list.
fn samples(r: &Record) -> Result<(&[f64], &[f64]), Mistake> {
    let (x, y) = (r.numbers("x").unwrap_or_default(), r.numbers("y").unwrap_or_default());
    if x.len() < 2 {
        return Err(too_few(r, "x", x.len(), 2));
    }
    if x.len() != y.len() {
        return Err(wrong_count(r, "y", y.len(), x.len()));
    }
    if let Some(i) = (1..x.len()).find(|&i| x[i] <= x[i - 1]) {
        let m = mistake(r, "x", codes::BAD_FUNCTION, "`x` must ascend");
        return Err(Box::new(m.label(format!("{} after {}", x[i], x[i - 1]))));
    }
    Ok((x, y))
}

fn wrong_count(r: &Record, field: &str, n: usize, wanted: usize) -> Mistake {
    let m = mistake(r, field, codes::WRONG_LENGTH, format!("`{field}` must have {wanted} elements"));
    Box::new(m.label(format!("{n} elements")))
}

/// `degree` of a B-spline.
pub(super) fn degree(r: &Record) -> usize {
    r.integer("degree").unwrap_or(3) as usize
}

/// `weights` of `n` control points.
pub(super) fn weights(r: &Record, n: usize) -> Result<Vec<f64>, Mistake> {
    match r.numbers("weights") {
        None => Ok(vec![1.0; n]),
        Some(w) if w.len() != n => Err(wrong_count(r, "weights", w.len(), n)),
        Some(w) => match w.iter().find(|w| **w <= 0.0) {
            Some(bad) => {
                let m = mistake(r, "weights", codes::OUT_OF_RANGE, "`weights` is out of range");
                Err(Box::new(m.label(format!("{bad}, must be greater than 0"))))
            }
            None => Ok(w.to_vec()),
        },
    }
}

/// Knots for `n` control points.
pub(super) fn knots<'a>(r: &'a Record, field: &str, degree: usize, n: usize) -> Result<Option<&'a [f64]>, Mistake> {
    let Some(knots) = r.numbers(field) else { return Ok(None) };
    if knots.len() != n + degree + 1 {
        let m = wrong_count(r, field, knots.len(), n + degree + 1);
        return Err(Box::new(m.note("why", format!("{n} control points and degree {degree}"))));
    }
    if let Some(i) = (1..knots.len()).find(|&i| knots[i] < knots[i - 1]) {
        let m = mistake(r, field, codes::BAD_FUNCTION, format!("`{field}` must ascend"));
        return Err(Box::new(m.label(format!("{} after {}", knots[i], knots[i - 1]))));
    }
    Ok(Some(knots))
}
