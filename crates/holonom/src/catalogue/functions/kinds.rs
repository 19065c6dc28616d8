//! The kinds of functions: samples, splines, and sums of any of them.

use super::{
    Function, Harmonic, NurbsFunction, Polynomial, ScaledFunction, SmoothStep, SmoothTable, SplineFunction, Sum, Table,
};
use crate::catalogue::curves::kinds::{degree, descends, knots, weights};
use crate::catalogue::declaration::{
    ANGLE, Family, Fault, Field, FieldType, Invalid, Kind, Make, NUMBER, Parameters, optional, required,
};
use std::sync::Arc;

/// Kinds of functions.
pub static FUNCTIONS: Family = Family { name: "function", common: &[], members: || KINDS, default: None };

/// A function of the same variable as the one it is a part of.
const PART: FieldType = FieldType::Function("", "");

const SAMPLES: &[Field] = &[
    required("x", FieldType::Numbers(""), "values of the variable, ascending"),
    required("y", FieldType::Numbers(""), "values of the function there, as many"),
];

static KINDS: &[&Kind] = &[
    &Kind {
        name: "harmonic",
        summary: "mean + amplitude sin(frequency x + phase)",
        fields: &[&[
            optional("mean", NUMBER, "0", "mean value"),
            required("amplitude", NUMBER, "largest deviation from the mean"),
            required("frequency", NUMBER, "angular frequency, rad per unit of the variable"),
            optional("phase", ANGLE, "0", "phase where the variable is 0"),
        ]],
        make: Make::Function(|p| {
            let of = |name: &str| p.of(name);
            let (mean, amplitude) = (of("mean"), of("amplitude"));
            Ok(Arc::new(Harmonic { mean, amplitude, frequency: of("frequency"), phase: of("phase") }))
        }),
    },
    &Kind {
        name: "smooth-step",
        summary: "from one value to another with continuous acceleration",
        fields: &[&[
            optional("from", NUMBER, "0", "value before"),
            required("to", NUMBER, "value after"),
            optional("start", NUMBER, "0", "where it begins"),
            required("end", NUMBER, "where it ends, later than it begins"),
        ]],
        make: Make::Function(|p| {
            let of = |name: &str| p.of(name);
            let (start, end) = (of("start"), of("end"));
            if end <= start {
                return Err(Invalid::range("end", format!("{end}, must be greater than the start, {start}")));
            }
            Ok(Arc::new(SmoothStep { from: of("from"), to: of("to"), start, end }))
        }),
    },
    &Kind {
        name: "polynomial",
        summary: "a sum of powers",
        fields: &[&[
            required("coefficients", FieldType::Numbers(""), "of the powers 0, 1, 2, ..."),
            optional("about", NUMBER, "0", "where the powers are zero"),
        ]],
        make: Make::Function(|p| {
            let coefficients = p.numbers("coefficients").unwrap_or_default();
            if coefficients.is_empty() {
                return Err(Invalid::too_few("coefficients", 0, 1));
            }
            Ok(Arc::new(Polynomial::new(coefficients).about(p.number("about").unwrap_or(0.0))))
        }),
    },
    &Kind {
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
        make: Make::Function(|p| {
            let (x, y) = samples(p)?;
            Ok(Arc::new(match (p.number("first_slope"), p.number("last_slope")) {
                (Some(first), Some(last)) => SplineFunction::clamped(x, y, first, last),
                (None, None) => SplineFunction::natural(x, y),
                (Some(_), None) => {
                    return Err(Invalid::without("first_slope", "last_slope"));
                }
                (None, Some(_)) => {
                    return Err(Invalid::without("last_slope", "first_slope"));
                }
            }))
        }),
    },
    &Kind {
        name: "nurbs",
        summary: "a rational B-spline; the variable is the parameter of its knots",
        fields: &[&[
            optional("degree", FieldType::Integer(1, 7), "3", "degree of its pieces"),
            required("values", FieldType::Numbers(""), "control values"),
            optional("weights", FieldType::Numbers(""), "all 1", "weights, as many, greater than 0"),
            required("knots", FieldType::Numbers(""), "knots, ascending: as many as values, and degree + 1 more"),
        ]],
        make: Make::Function(|p| {
            let values = p.numbers("values").unwrap_or_default();
            let (degree, weights) = (degree(p), weights(p, values.len())?);
            let knots = knots(p, "knots", degree, values.len())?.unwrap_or_default();
            Ok(Arc::new(NurbsFunction::new(degree, values, &weights, knots)))
        }),
    },
    &Kind {
        name: "table",
        summary: "straight between samples; its rate jumps there: for laws of forces, not for motions",
        fields: &[SAMPLES],
        make: Make::Function(|p| {
            let (x, y) = samples(p)?;
            Ok(Arc::new(Table::new(x, y)))
        }),
    },
    &Kind {
        name: "smooth-table",
        summary: "through samples with a continuous rate and without overshoot: for springs and motors",
        fields: &[SAMPLES],
        make: Make::Function(|p| {
            let (x, y) = samples(p)?;
            Ok(Arc::new(SmoothTable::new(x, y)))
        }),
    },
    &Kind {
        name: "sum",
        summary: "several functions added",
        fields: &[&[required(
            "terms",
            FieldType::Records(&[
                required("value", PART, "a function of the same variable"),
                optional("factor", NUMBER, "1", "what it is multiplied by"),
            ]),
            "what is added",
        )]],
        make: Make::Function(|p| {
            let mut sum = Sum::new();
            for term in p.tables("terms") {
                let f = term.given_function("value")?;
                sum = match term.number("factor") {
                    Some(factor) => sum.and(ScaledFunction::new(factor, f)),
                    None => sum.and(f),
                };
            }
            Ok(Arc::new(sum))
        }),
    },
    &Kind {
        name: "scaled",
        summary: "factor value(rate (x - start)): another function, larger, later, faster",
        fields: &[&[
            required("value", PART, "the other function, of the same variable"),
            optional("factor", NUMBER, "1", "how many times larger"),
            optional("start", NUMBER, "0", "how much later"),
            optional("rate", NUMBER, "1", "how many times faster"),
        ]],
        make: Make::Function(|p| {
            let f = p.given_function("value")?;
            let of = |name: &str, otherwise: f64| p.number(name).unwrap_or(otherwise);
            Ok(Arc::new(ScaledFunction::new(of("factor", 1.0), f).shifted(of("start", 0.0), of("rate", 1.0))))
        }),
    },
];

/// The function that these parameters describe.
pub fn make(p: &dyn Parameters) -> Result<Arc<dyn Function>, Invalid> {
    let Some(Make::Function(make)) = p.kind().map(|k| k.make) else {
        return Err(Invalid::new("", "not a function").fault(Fault::Function));
    };
    let made = make(p)?;
    made.validate().map_err(|e| e.prefixed("the function is not usable: ").fault(Fault::Function))?;
    Ok(made)
}

/// Abscissae and ordinates, with what is wrong at the right list.
fn samples(p: &dyn Parameters) -> Result<(&[f64], &[f64]), Invalid> {
    let (x, y) = (p.numbers("x").unwrap_or_default(), p.numbers("y").unwrap_or_default());
    if x.len() < 2 {
        return Err(Invalid::too_few("x", x.len(), 2));
    }
    if x.len() != y.len() {
        return Err(Invalid::count("y", y.len(), x.len()));
    }
    match (1..x.len()).find(|&i| x[i] <= x[i - 1]) {
        Some(i) => Err(descends("x", x[i - 1], x[i])),
        None => Ok((x, y)),
    }
}
