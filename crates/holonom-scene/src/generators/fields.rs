//! What generators may say.

use crate::fields::*;
use crate::kinds::{BODIES, DRIVES, FORCES, JOINTS};

/// A section that generates.
pub struct Section {
    /// Its name.
    pub name: &'static str,
    /// What it makes, in a line.
    pub summary: &'static str,
    /// Its fields. Those of a type with kinds are read again for every piece, with counters in their expressions.
    pub fields: &'static [&'static [Field]],
}

/// All of them.
pub static SECTIONS: &[Section] = &[
    Section { name: "chain", summary: "a row of bodies, each joined to the one before", fields: CHAIN },
    Section { name: "tree", summary: "bodies that branch at their ends", fields: TREE },
    Section { name: "star", summary: "arms around a hub", fields: STAR },
    Section { name: "ring", summary: "a closed row of bodies on a regular polygon", fields: RING },
    Section { name: "ladder", summary: "two rows of bodies joined by rungs", fields: LADDER },
    Section { name: "grid", summary: "bodies in rows and columns, each joined to its neighbours", fields: GRID },
    Section { name: "repeat", summary: "any tables several times, with `${i}` in names and values", fields: REPEAT },
];

const COUNT: Field = required("count", Type::Integer(1, i64::MAX), "how many");
const LINK: Field =
    required("link", Type::Kind(&BODIES), "what each piece is: a body table without its place; may use ${i} and ${n}");
const JOINT: Field = required(
    "joint",
    Type::Kind(&JOINTS),
    "how pieces are joined: a joint table; `a` and `b`, if said, are points of the piece before and of the piece",
);
const LENGTH_OF_ONE: Field = required("length", LENGTH, "length of one piece");
const FROM: Field = optional("from", POSITION, "the point of `first`, or [0, 0, 0]", "where the first piece begins");
const DIRECTION: Field = optional("direction", Type::Direction, "[1, 0, 0]", "which way it goes");
const FIRST: Field = optional("first", Type::Point, "nothing", "what the beginning of the first piece is joined to");
const FIRST_JOINT: Field =
    optional("first_joint", Type::Kind(&JOINTS), "as `joint`", "how the first piece is joined to `first`");
const AXIS: Field = optional("axis", Type::Direction, "[0, 0, 1]", "perpendicular to its plane");

static MOTION: &[Field] = &[
    optional("velocity", Type::Vector("m/s"), "[0, 0, 0]", "velocity of the whole at the start"),
    optional(
        "spin",
        Type::Vector("rad/s"),
        "[0, 0, 0]",
        "angular velocity of the whole at the start, about its beginning or centre",
    ),
];

/// `[chain.NAME]`.
pub static CHAIN: &[&[Field]] = &[
    &[
        COUNT,
        LINK,
        optional("joint", Type::Kind(&JOINTS), "pieces are free", JOINT.doc),
        FROM,
        optional(
            "to",
            POSITION,
            "the point of `last`",
            "where the last piece ends, instead of `direction` and `length`",
        ),
        DIRECTION,
        optional("length", LENGTH, "from `from` and `to`", LENGTH_OF_ONE.doc),
        optional("step", POSITION, "not said", "way from piece to piece, for pieces that have no ends"),
        FIRST,
        optional("last", Type::Point, "nothing", "what the end of the last piece is joined to"),
        FIRST_JOINT,
        optional("last_joint", Type::Kind(&JOINTS), "as `joint`", "how the last piece is joined to `last`"),
    ],
    MOTION,
];

/// `[ring.NAME]`.
pub static RING: &[&[Field]] = &[
    &[
        COUNT,
        LINK,
        JOINT,
        optional("radius", LENGTH, "from `length`", "distance of the joints from the centre"),
        optional("length", LENGTH, "from `radius`", LENGTH_OF_ONE.doc),
        optional("centre", POSITION, "[0, 0, 0]", "its centre"),
        optional("from", POSITION, "from `centre`", "where the first piece begins, instead of the centre"),
        AXIS,
        optional(
            "heading",
            ANGLE,
            "first joint on the x axis",
            "angle from the x axis to the first piece, about `axis`",
        ),
        FIRST,
        FIRST_JOINT,
    ],
    MOTION,
];

/// `[tree.NAME]`.
pub static TREE: &[&[Field]] = &[
    &[
        optional("count", Type::Integer(1, i64::MAX), "from `depth`", "how many, filled level by level"),
        optional("depth", Type::Integer(1, i64::MAX), "from `count`", "how many levels, all of them full"),
        optional("branching", Type::Integer(1, i64::MAX), "2", "how many pieces hang on the end of each"),
        LINK,
        JOINT,
        FROM,
        DIRECTION,
        required("length", LENGTH, "length of a piece; may use ${level}, 1 for the first"),
        optional("spread", Type::Number(Allowed::Any, "m"), "0", "distance of neighbouring pieces where they begin"),
        optional("fan", ANGLE, "0", "angle between neighbouring pieces"),
        optional("twist", ANGLE, "0", "turn of the plane of branching from level to level, about the piece"),
        FIRST,
        FIRST_JOINT,
    ],
    MOTION,
];

/// `[star.NAME]`.
pub static STAR: &[&[Field]] = &[
    &[
        COUNT,
        required("hub", Type::Kind(&BODIES), "the body in the middle: a body table, or the name of a body, or ground"),
        LINK,
        JOINT,
        LENGTH_OF_ONE,
        required("radius", LENGTH, "distance of the joints from the centre"),
        optional("centre", POSITION, "[0, 0, 0]", "centre of the circle of joints"),
        AXIS,
        optional("direction", Type::Direction, "outwards", "which way all arms point"),
    ],
    MOTION,
];

/// `[ladder.NAME]`.
pub static LADDER: &[&[Field]] = &[
    &[
        COUNT,
        LINK,
        optional("rung", Type::Kind(&BODIES), "as `link`", "what each rung is: a body table without its place"),
        JOINT,
        FROM,
        DIRECTION,
        LENGTH_OF_ONE,
        required("across", POSITION, "from the left rail to the right one"),
        FIRST,
        FIRST_JOINT,
    ],
    MOTION,
];

/// `[grid.NAME]`.
pub static GRID: &[&[Field]] = &[
    &[
        required("rows", Type::Integer(1, i64::MAX), "how many rows"),
        required("columns", Type::Integer(1, i64::MAX), "how many columns"),
        LINK,
        JOINT,
        optional("from", POSITION, "[0, 0, 0]", "where the piece of the first row and column is"),
        optional("right", POSITION, "[1, 0, 0]", "way from column to column"),
        optional("down", POSITION, "[0, 1, 0]", "way from row to row"),
    ],
    MOTION,
];

/// `[repeat.NAME]`.
pub static REPEAT: &[&[Field]] = &[&[
    required(
        "count",
        Type::Integer(0, i64::MAX),
        "how many; 0 and 1 switch it off and on, and names then need no counter",
    ),
    optional("index", Type::Text, "i", "name of the counter, where repeats stand inside repeats"),
    optional("body", Type::Map(&Type::Kind(&BODIES)), "none", "bodies; names and values may use ${i}"),
    optional("joint", Type::Map(&Type::Kind(&JOINTS)), "none", "joints"),
    optional("drive", Type::Map(&Type::Kind(&DRIVES)), "none", "drives"),
    optional("force", Type::Map(&Type::Kind(&FORCES)), "none", "forces"),
    optional("chain", NESTED, "none", "chains"),
    optional("tree", NESTED, "none", "trees"),
    optional("star", NESTED, "none", "stars"),
    optional("ring", NESTED, "none", "rings"),
    optional("ladder", NESTED, "none", "ladders"),
    optional("grid", NESTED, "none", "grids"),
    optional("repeat", NESTED, "none", "repeats inside this one"),
]];

// the fields of generators inside a repeat are those of the sections themselves
const NESTED: Type = Type::Map(&Type::Record(&[]));
