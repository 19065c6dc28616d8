//! What a line of the table of joints says: how a kind is written, drawn, placed by hand and tested.

use super::{Constraint, CoordinateKind};
use crate::catalogue::attach::Marker;
use crate::catalogue::declaration::{Allowed, Field, FieldType, Kind, LENGTH, Make, POSITION, optional, required};
use crate::math::SplitMix;

/// What a kind of joint is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointRole {
    /// Holds where its two markers coincide (a rod: where they are its length apart; perpendicular axes: where z leans
    /// by their angle).
    Pair,
    /// Ties together what may be far apart, or velocities: gears, ropes on drums, rolling, curves.
    Relation,
    /// Has inequality rows: ropes, stops, friction.
    Inequality,
    /// Moves things as prescribed.
    Drive,
}

/// Which part of the gap between its points a joint closes when it is made by hand: bodies are brought together that
/// far first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closes {
    /// Nothing: it is made where the bodies are.
    Nothing,
    /// All of it.
    Point,
    /// What is across its axis.
    AcrossAxis,
    /// What is along its axis.
    AlongAxis,
}

macro_rules! glyphs {
    ($($(#[$doc:meta])* $glyph:ident = $name:literal,)*) => {
        /// How a joint is drawn: signs stand in the frame of marker b, z along the axis; links run from marker a to
        /// marker b.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Glyph {
            $($(#[$doc])* $glyph,)*
        }

        impl Glyph {
            /// All of them.
            pub const ALL: &[Glyph] = &[$(Glyph::$glyph,)*];

            /// Its name for programs that draw it.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Glyph::$glyph => $name,)*
                }
            }
        }
    };
}

glyphs! {
    /// A pin in a ring.
    Hinge = "hinge",
    /// A ball in a socket.
    Ball = "ball",
    /// A block on a square bar along z.
    Slider = "slider",
    /// A sleeve on a round bar along z.
    Sleeve = "sleeve",
    /// A nut on a threaded bar along z.
    Screw = "screw",
    /// A cross of two pins.
    Cross = "cross",
    /// A cross of two pins in a ring.
    CrossInRing = "cross-in-ring",
    /// A solid block.
    Block = "block",
    /// A block on a plate across z.
    Plate = "plate",
    /// A ball on a plate across z.
    BallOnPlate = "ball-on-plate",
    /// A pin in a slot along x.
    Slot = "slot",
    /// A ball on a thin bar along z.
    BallOnBar = "ball-on-bar",
    /// A ball in a ring: a point on a curve or a surface.
    BallInRing = "ball-in-ring",
    /// Two parallel bars.
    ParallelBars = "parallel-bars",
    /// Two perpendicular bars.
    CrossedBars = "crossed-bars",
    /// A blade along x.
    Blade = "blade",
    /// An arc with a head, around the sign of another joint: a drive.
    Arrow = "arrow",
    /// An arc between two stops, around the sign of another joint.
    Stops = "stops",
    /// A cone about z.
    Cone = "cone",
    /// Two pads, around the sign of another joint: friction.
    Pads = "pads",
    /// A plain sign.
    Diamond = "diamond",
    /// A rod between balls.
    Rod = "rod",
    /// A thinner rod between balls, which sags where it is slack.
    Rope = "rope",
    /// The same of several parts, always taut.
    Tackle = "tackle",
    /// A rope from a point of b, where a drum is drawn.
    Drum = "drum",
    /// A dashed line between wheels about z of both markers.
    Wheels = "wheels",
    /// A dashed line between balls.
    Dashes = "dashes",
}

/// A joint between two markers, with random values for any parameters it has beyond them: what generic tests are fed
/// with.
pub type Sample = fn(Marker, Marker, &mut SplitMix) -> Box<dyn Constraint>;

/// One line of the table of joints.
pub struct JointDeclaration {
    /// Name, summary, fields, and how it is made from them. `make` is `Elsewhere` for kinds that files say in another
    /// way (drives, limits).
    pub kind: Kind,
    /// What people call it: on buttons and in lists.
    pub label: &'static str,
    /// What other programs call it, for hints.
    pub also: &'static [&'static str],
    /// What it is for.
    pub role: JointRole,
    /// Rows it takes between rigid bodies; of a kind that has more or less by its parameters, those of its sample.
    pub rows: usize,
    /// Its coordinates, each with a name; of a kind that has as many as it is told, none.
    pub coordinates: &'static [(&'static str, CoordinateKind)],
    /// How it is drawn.
    pub glyph: Glyph,
    /// What is closed when it is made by hand.
    pub closes: Closes,
    /// Its place among the buttons of an editor, smallest first; none for kinds that a list of further kinds has.
    pub button: Option<u8>,
    /// Is it offered for the ends of rods?
    pub rod_end: bool,
    /// Does its axis lie in the plane that people draw in, unless they say otherwise? That of the others is across it.
    pub axis_in_plane: bool,
    /// What its multiplier is called where it is recorded, for kinds with inequality rows.
    pub effort: &'static str,
    /// Is its multiplier minus a tension, as that of a rod or a rope that holds like one?
    pub pulls: bool,
    /// A joint for generic tests; none where two markers are not enough.
    pub sample: Option<Sample>,
}

impl JointDeclaration {
    /// What holds for most: the rest of a declaration (`..JointDeclaration::PLAIN`).
    pub const PLAIN: JointDeclaration = JointDeclaration {
        kind: Kind { name: "", summary: "", fields: &[], make: Make::Elsewhere },
        label: "",
        also: &[],
        role: JointRole::Relation,
        rows: 1,
        coordinates: &[],
        glyph: Glyph::Diamond,
        closes: Closes::Nothing,
        button: None,
        rod_end: false,
        axis_in_plane: false,
        effort: "effort",
        pulls: false,
        sample: None,
    };

    /// The name used in files, help and messages.
    pub fn name(&self) -> &'static str {
        self.kind.name
    }

    /// Can files say it as a joint?
    pub fn in_files(&self) -> bool {
        matches!(self.kind.make, Make::Joint(_))
    }
}

// ---- fields that several joints share. What the sides of a joint are follows from the fields its kind has: one with `at` holds both bodies at one
// point, one without takes each body's own; one with `axis` has one direction of its axes in the world, one without
// takes the axes of each body.

const AXIS: Field = optional(
    "axis",
    FieldType::Direction,
    "z of the frame named, or of the world",
    "its z axis in the world, at the poses given",
);
const X_AXIS: Field =
    optional("x_axis", FieldType::Direction, "perpendicular to the axis", "its x axis, roughly, in the world");

/// Fields of joints that hold two bodies together at a point.
pub static PAIR: &[Field] = &[
    optional("a", FieldType::Point, "ground", "first body, or a point or frame on it"),
    required("b", FieldType::Point, "second body, or a point or frame on it"),
    optional("at", POSITION, "the point named, or the origin of b", "where it is in the world, at the poses given"),
    AXIS,
    X_AXIS,
    optional(
        "axis_a",
        FieldType::Direction,
        "from `axis`",
        "its z axis in the frame of a, where the poses given are rough",
    ),
    optional("axis_b", FieldType::Direction, "from `axis`", "its z axis in the frame of b"),
    optional("x_axis_a", FieldType::Direction, "perpendicular to `axis_a`", "its x axis, roughly, in the frame of a"),
    optional("x_axis_b", FieldType::Direction, "perpendicular to `axis_b`", "its x axis, roughly, in the frame of b"),
];

/// Fields of joints whose axes are parallel, and whose points may be at different places.
pub static PARALLEL: &[Field] = &[
    optional(
        "a",
        FieldType::Point,
        "ground",
        "first body, or a point or frame on it; its origin if only the body is named",
    ),
    required("b", FieldType::Point, "second body, or a point or frame on it; its origin if only the body is named"),
    AXIS,
    X_AXIS,
    optional("axis_a", FieldType::Direction, "from `axis`", "the z axis in the frame of a"),
    optional("axis_b", FieldType::Direction, "from `axis`", "the z axis in the frame of b"),
    optional("x_axis_a", FieldType::Direction, "perpendicular to `axis_a`", "the x axis, roughly, in the frame of a"),
    optional("x_axis_b", FieldType::Direction, "perpendicular to `axis_b`", "the x axis, roughly, in the frame of b"),
];

/// Two points, where directions do not matter.
pub static POINTS: &[Field] = &[
    optional("a", FieldType::Point, "ground", "first body, or a point on it; its origin if only the body is named"),
    required("b", FieldType::Point, "second body, or a point on it; its origin if only the body is named"),
];

/// Axes of a.
pub static AXES_A: &[Field] = &[
    optional(
        "axis_a",
        FieldType::Direction,
        "z of the frame named, or of the body",
        "the z axis on a, in the frame of a",
    ),
    optional(
        "x_axis_a",
        FieldType::Direction,
        "x of the frame named, or of the body",
        "the x axis on a, in the frame of a",
    ),
];

/// Axes of b.
pub static AXES_B: &[Field] = &[
    optional(
        "axis_b",
        FieldType::Direction,
        "z of the frame named, or of the body",
        "the z axis on b, in the frame of b",
    ),
    optional(
        "x_axis_b",
        FieldType::Direction,
        "x of the frame named, or of the body",
        "the x axis on b, in the frame of b",
    ),
];

/// Fields of joints that have coordinates to start with.
pub static STARTS: &[Field] = &[
    optional(
        "start",
        FieldType::Numbers("m or rad"),
        "as the poses say",
        "coordinates at the start, angles within one turn; what hangs on the joint moves along, loops are closed around it",
    ),
    optional(
        "start_rate",
        FieldType::Numbers("m/s or rad/s"),
        "as the velocities say",
        "rates of the coordinates at the start",
    ),
];

/// Two wheels.
pub(super) static RADII: &[Field] = &[
    required("radius_a", LENGTH, "pitch radius of the wheel on a"),
    required("radius_b", LENGTH, "pitch radius of the wheel on b"),
    optional(
        "phase",
        FieldType::Number(Allowed::Any, "m"),
        "as the poses say",
        "radius_a alpha + radius_b beta (an internal gear, an open belt: minus), the angles to the other wheel",
    ),
];
