//! What a study file may hold, as data: from it come the reading, the checks and the hints for misspelt names.

use holonom::declaration::{Allowed, Family, Field, FieldType as Type, Kind, Make, optional, required};

const ANY: Type = Type::Number(Allowed::Any, "");
const POSITIVE: Type = Type::Number(Allowed::Positive, "");

/// Most runs of a study.
pub const MOST_RUNS: u64 = 10_000_000;

/// The document itself. `run`, `factor` and `outcome` are read by themselves.
pub const STUDY: &[Field] = &[
    optional("title", Type::Text, "none", "a name for people"),
    optional("description", Type::Text, "none", "what is asked, for people"),
    required("scene", Type::Text, "a file in the folder of the study or below, or a name of the gallery"),
    optional("set", Type::Texts, "none", "changes of the scene that all runs have, `path=value` as for --set"),
    optional("design", Type::Choice(&["grid", "list"]), "grid", "lists and ranges: all combinations, or side by side"),
    optional("sample", Type::Record(SAMPLE), "none", "how factors with distributions are sampled"),
    optional("run", Type::Map(&ANY), "none", "how the scene is run, as its own [run]"),
    required("factor", Type::Map(&ANY), "what is varied: [factor.NAME]"),
    required("outcome", Type::Map(&ANY), "what is measured: NAME = \"expression\""),
];

/// Fields of `[sample]`.
pub const SAMPLE: &[Field] = &[
    required("count", Type::Integer(1, MOST_RUNS as i64), "how many samples"),
    optional(
        "method",
        Type::Choice(&["monte-carlo", "latin-hypercube", "sobol"]),
        "latin-hypercube",
        "how they are spread",
    ),
    optional("seed", Type::Integer(0, i64::MAX), "0", "other numbers, other samples"),
];

/// A field of `[run]` besides those of scenes.
pub const RATE: &[Field] =
    &[optional("rate", POSITIVE, "that of the scene, or 100", "rows per second that outcomes see")];

/// Fields of an outcome that is a table.
pub const OUTCOME: &[Field] = &[
    required("value", Type::Text, "the expression"),
    optional("unit", Type::Text, "that of the quantity, where it is plain", "for tables and plots"),
];

const COMMON: &[Field] = &[
    optional(
        "path",
        Type::Texts,
        "the name of the factor",
        "what is set: a path of --set, or several that get the same value",
    ),
    optional("unit", Type::Text, "none", "for tables and plots"),
];

const fn kind(name: &'static str, summary: &'static str, fields: &'static [&'static [Field]]) -> Kind {
    Kind { name, summary, fields, make: Make::Elsewhere }
}

static LIST: Kind = kind(
    "list",
    "these values, of any type",
    &[&[required("values", Type::Texts, "the values, as they would stand in the scene")]],
);
static RANGE: Kind = kind(
    "range",
    "equal steps between two numbers",
    &[&[
        required("from", ANY, "the first"),
        required("to", ANY, "the last"),
        required("count", Type::Integer(1, MOST_RUNS as i64), "how many"),
        optional(
            "spacing",
            Type::Choice(&["linear", "log"]),
            "linear",
            "equal steps of the value, or of its logarithm",
        ),
    ]],
);
static UNIFORM: Kind = kind(
    "uniform",
    "equally likely between two numbers",
    &[&[required("low", ANY, "the least"), required("high", ANY, "the largest")]],
);
static LOG_UNIFORM: Kind = kind(
    "log-uniform",
    "the logarithm equally likely between those of two numbers",
    &[&[required("low", POSITIVE, "the least"), required("high", POSITIVE, "the largest")]],
);
static NORMAL: Kind = kind(
    "normal",
    "a bell around its mean",
    &[&[
        required("mean", ANY, "the middle"),
        required("deviation", POSITIVE, "the standard deviation"),
        optional("low", ANY, "none", "what is below is left out"),
        optional("high", ANY, "none", "what is above is left out"),
    ]],
);
static LOG_NORMAL: Kind = kind(
    "log-normal",
    "the logarithm in a bell",
    &[&[
        required("median", POSITIVE, "half is below"),
        required("deviation", POSITIVE, "the standard deviation of the logarithm: 0.1 is about 10 %"),
    ]],
);
static TRIANGULAR: Kind = kind(
    "triangular",
    "a triangle over three numbers",
    &[&[
        required("low", ANY, "the least"),
        required("mode", ANY, "the likeliest"),
        required("high", ANY, "the largest"),
    ]],
);

/// Kinds of factors.
pub static FACTORS: Family = Family {
    name: "factor",
    common: COMMON,
    members: || {
        static ALL: [&Kind; 7] = [&LIST, &RANGE, &UNIFORM, &LOG_UNIFORM, &NORMAL, &LOG_NORMAL, &TRIANGULAR];
        &ALL
    },
    default: Some("list"),
};
