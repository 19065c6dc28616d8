//! What the page can build and how it draws it: one message, sent to every client before the first picture.
//!
//! Kinds, summaries and fields come from the declarations that scenes are read by, so a new kind appears by itself. What those declarations do not say (labels,
//! drawings, coordinates, what a press in the palette does) is in the tables at the end of this file, as plain data by kind.

use crate::edit::{FieldDeclaration, declared};
use crate::message::Triple;
use holonom::joints::CoordinateKind;
use holonom_scene::fields::{Allowed, Family, Field, Kind, Need, Type};
use holonom_scene::kinds::{BODIES, DRIVES, FORCES, JOINTS, SHAPES};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Everything that can be built.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct BuildCatalogue {
    /// Bodies that can be drawn by hand.
    pub pieces: Vec<Piece>,
    /// Kinds of shapes.
    pub shapes: Vec<KindEntry>,
    /// Kinds of bodies.
    pub bodies: Vec<KindEntry>,
    /// Kinds of joints; those with buttons first, in their order.
    pub joints: Vec<JointEntry>,
    /// Kinds of drives.
    pub drives: Vec<DriveEntry>,
    /// Kinds of forces.
    pub forces: Vec<ForceEntry>,
}

/// A kind as scenes declare it.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct KindEntry {
    /// Its name in scene files.
    pub kind: &'static str,
    /// Its name for people: `Ball joint`.
    pub label: String,
    /// What it is, in a line.
    pub summary: &'static str,
    /// Its fields, without those that are chosen in the view.
    pub fields: Vec<FieldDeclaration>,
}

/// Where the palette offers something.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum PaletteGroup {
    /// A button.
    Button,
    /// In the list of further kinds.
    List,
    /// Nowhere: it needs more than points in the view, or scenes have no such kind.
    Hidden,
}

/// A length of a shape, or three of them.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum PieceSize {
    /// One length.
    Length(f64),
    /// Lengths along x, y and z.
    Lengths(Triple),
}

/// A body with one shape that can be drawn by hand.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Piece {
    /// Its name, which is that of its icon.
    pub name: &'static str,
    /// For people.
    pub label: String,
    /// What it is, in a line.
    pub help: &'static str,
    /// Button or list.
    pub group: PaletteGroup,
    /// Kind of the body; rigid if null.
    pub body: Option<&'static str>,
    /// Kind of its shape.
    pub shape: &'static str,
    /// Sizes to begin with, m, for a view about 1.5 m high.
    pub sizes: BTreeMap<&'static str, PieceSize>,
    /// Does it lie between two points?
    pub between: bool,
    /// Does its z axis point along the normal of the working plane?
    pub faces_plane: bool,
}

/// What a joint coordinate measures.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoordinateMeasure {
    /// m.
    Length,
    /// rad.
    Angle,
}

impl From<CoordinateKind> for CoordinateMeasure {
    fn from(kind: CoordinateKind) -> Self {
        match kind {
            CoordinateKind::Length => CoordinateMeasure::Length,
            CoordinateKind::Angle => CoordinateMeasure::Angle,
        }
    }
}

/// Where the axis of a new joint points to begin with.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AxisPlacement {
    /// Along the normal of the working plane.
    Normal,
    /// Along x.
    AlongX,
}

/// Which part of the gap between its two points a joint closes.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClosedGap {
    /// All of it: the points meet.
    Point,
    /// What is across its axis.
    AcrossAxis,
    /// What is along its axis.
    AlongAxis,
}

/// How a joint is drawn: a sign in its frame, or a line between its two points.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DrawnGlyph {
    /// A pin in a ring.
    Hinge,
    /// A ball in a socket.
    Ball,
    /// A block on a square bar.
    Slider,
    /// A sleeve on a round bar.
    Sleeve,
    /// A nut on a threaded bar.
    Screw,
    /// Two crossed pins about a ball.
    Cross,
    /// The same in a ring.
    CrossInRing,
    /// A block.
    Block,
    /// A block on a plate.
    Plate,
    /// A ball on a plate.
    BallOnPlate,
    /// A pin in a slot.
    Slot,
    /// A ball on a thin bar.
    BallOnBar,
    /// A ball in a ring.
    BallInRing,
    /// Two bars side by side.
    ParallelBars,
    /// Two bars across each other.
    CrossedBars,
    /// A blade on a plate.
    Blade,
    /// An arrow around the sign of another joint: something turns or moves by itself.
    Arrow,
    /// Two stops around the sign of another joint.
    Stops,
    /// Two brake pads around the sign of another joint.
    Pads,
    /// An open cone.
    Cone,
    /// Whatever has no sign of its own.
    Diamond,
    /// A line: a rod with balls on its ends.
    Rod,
    /// A line: a cord with balls on its ends, sagging where it is slack.
    Rope,
    /// A line: a cord of several parts with balls on its ends, always taut.
    Tackle,
    /// A line: a cord that comes from a wheel on the second body.
    Drum,
    /// A dashed line between two wheels.
    Wheels,
    /// A dashed line between two balls.
    Dashes,
}

/// How a force is drawn between its points.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum DrawnForce {
    /// A coil.
    Spring,
    /// A dashed line.
    Dashes,
}

/// A kind of joint.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointEntry {
    /// What the scene declares of it.
    #[serde(flatten)]
    pub entry: KindEntry,
    /// Button, list, or neither.
    pub group: PaletteGroup,
    /// How it is drawn.
    pub glyph: DrawnGlyph,
    /// What its coordinates measure, in their order; those of a joint with freedoms of its own choice are in the picture.
    pub coordinates: Vec<CoordinateMeasure>,
    /// Does it join two points?
    pub sides: bool,
    /// Where its axis points to begin with; null if it has none.
    pub axis: Option<AxisPlacement>,
    /// What of the gap between its points it closes; null if it is made as they are.
    pub closes: Option<ClosedGap>,
    /// Must more be said than its two sides?
    pub asks: bool,
    /// What several of them are called, for joints that ends of rods can have.
    pub ends: Option<&'static str>,
}

/// A drive at the press of a button.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DrivePreset {
    /// The button.
    pub label: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
    /// Its `value`: a number in SI units, or a function of t.
    pub value: serde_json::Value,
}

/// A kind of drive.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DriveEntry {
    /// What the scene declares of it.
    #[serde(flatten)]
    pub entry: KindEntry,
    /// The button for a coordinate that is a length; null if it has none.
    pub length: Option<DrivePreset>,
    /// The button for a coordinate that is an angle; null if it has none.
    pub angle: Option<DrivePreset>,
}

/// A kind of force.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ForceEntry {
    /// What the scene declares of it.
    #[serde(flatten)]
    pub entry: KindEntry,
    /// How it is drawn.
    pub glyph: DrawnForce,
    /// Does it act between two points?
    pub sides: bool,
    /// Has it an axis?
    pub axis: bool,
}

/// The kind of joint that leaves no freedom.
pub const RIGID_JOINT: &str = "weld";

/// Sides and axes of joints are chosen in the view, not typed.
const CHOSEN_IN_VIEW: [&str; 9] = ["a", "b", "at", "axis", "x_axis", "axis_a", "axis_b", "x_axis_a", "x_axis_b"];

/// Everything that can be built, and how it is drawn.
pub fn catalogue() -> &'static BuildCatalogue {
    static ALL: LazyLock<BuildCatalogue> = LazyLock::new(|| BuildCatalogue {
        pieces: pieces(),
        shapes: entries(&SHAPES),
        bodies: entries(&BODIES),
        joints: joints(),
        drives: DRIVES.kinds().map(drive).collect(),
        forces: FORCES.kinds().map(force).collect(),
    });
    &ALL
}

/// How a kind of joint of the engine is drawn.
pub fn glyph_of(kind: &str) -> DrawnGlyph {
    traits_of(kind).map_or(DrawnGlyph::Diamond, |t| t.glyph)
}

/// Which part of the gap between its points a kind of joint closes; none for those that are made as the points are.
pub fn closed_gap(kind: &str) -> Option<ClosedGap> {
    traits_of(kind)?.closes
}

/// How a law of force of the engine, or a kind of force of a scene, is drawn.
pub fn force_glyph(kind: &str) -> DrawnForce {
    let coil = ["spring", "bushing"].iter().any(|word| kind.contains(word));
    if coil { DrawnForce::Spring } else { DrawnForce::Dashes }
}

/// A kind in words: `point-on-line` is `Point on line`.
fn in_words(kind: &str) -> String {
    let mut text = kind.replace('-', " ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

fn fields(kind: &'static Kind) -> impl Iterator<Item = &'static Field> {
    kind.fields.iter().flat_map(|group| group.iter())
}

fn entry(kind: &'static Kind, leave_out: &[&str]) -> KindEntry {
    let fields = fields(kind).filter(|f| !leave_out.contains(&f.name)).map(declared).collect();
    KindEntry { kind: kind.name, label: in_words(kind.name), summary: kind.summary, fields }
}

fn entries(family: &'static Family) -> Vec<KindEntry> {
    family.kinds().map(|kind| entry(kind, &[])).collect()
}

fn has_inequalities(kind: &Kind) -> bool {
    kind.has("a") && kind.has("b")
}

fn has_axis(kind: &Kind) -> bool {
    kind.has("axis") || kind.has("axis_a")
}

/// Joints of the table in its order, then all others that scenes have.
fn joints() -> Vec<JointEntry> {
    let others = JOINTS.kinds().filter(|k| traits_of(k.name).is_none());
    let others = others.map(|k| (JointTraits { kind: k.name, ..PLAIN }, Some(k)));
    JOINT_TRAITS.iter().map(|t| (*t, JOINTS.find(t.kind))).chain(others).map(|(t, kind)| joint(&t, kind)).collect()
}

fn joint(traits: &JointTraits, kind: Option<&'static Kind>) -> JointEntry {
    let mut entry = match kind {
        Some(kind) => entry(kind, &CHOSEN_IN_VIEW),
        None => KindEntry { kind: traits.kind, label: in_words(traits.kind), summary: "", fields: Vec::new() },
    };
    if !traits.label.is_empty() {
        entry.label = traits.label.into();
    }
    let sides = kind.is_some_and(has_inequalities);
    // what must be said besides the sides
    let asks = kind.is_some_and(|k| fields(k).any(|f| f.need == Need::Required && f.name != "b"));
    let group = match (traits.label.is_empty(), sides && !asks) {
        (_, false) => PaletteGroup::Hidden,
        (true, true) => PaletteGroup::List,
        (false, true) => PaletteGroup::Button,
    };
    JointEntry {
        entry,
        group,
        glyph: traits.glyph,
        coordinates: traits.coordinates.to_vec(),
        sides,
        axis: kind.is_some_and(has_axis).then_some(traits.axis),
        closes: traits.closes,
        asks,
        ends: traits.ends,
    }
}

fn drive(kind: &'static Kind) -> DriveEntry {
    let preset = |measure: CoordinateMeasure| {
        let found = DRIVE_PRESETS.iter().find(|p| p.0 == kind.name && p.1 == measure);
        found.map(|(_, _, label, help, value)| {
            let value = value.parse::<f64>().map_or_else(|_| (*value).into(), serde_json::Value::from);
            DrivePreset { label, help, value }
        })
    };
    DriveEntry {
        entry: entry(kind, &["joint"]),
        length: preset(CoordinateMeasure::Length),
        angle: preset(CoordinateMeasure::Angle),
    }
}

fn force(kind: &'static Kind) -> ForceEntry {
    let (glyph, sides, axis) = (force_glyph(kind.name), has_inequalities(kind), has_axis(kind));
    ForceEntry { entry: entry(kind, &CHOSEN_IN_VIEW), glyph, sides, axis }
}

/// The pieces of the table, then one of every other shape whose sizes can be guessed.
fn pieces() -> Vec<Piece> {
    let mut all = named_pieces();
    for kind in SHAPES.kinds() {
        if let Some(sizes) = start_sizes(kind).filter(|_| all.iter().all(|p| p.shape != kind.name)) {
            let (group, between) = (PaletteGroup::List, kind.has("from") && kind.has("to"));
            all.push(Piece { sizes, group, between, ..piece(kind.name, kind.summary, kind.name, []) });
        }
    }
    all
}

/// A rigid body at one place, with a button.
fn piece<const N: usize>(
    name: &'static str,
    help: &'static str,
    shape: &'static str,
    sizes: [(&'static str, PieceSize); N],
) -> Piece {
    let (label, group, sizes) = (in_words(name), PaletteGroup::Button, sizes.into());
    Piece { name, label, help, group, body: None, shape, sizes, between: false, faces_plane: false }
}

/// Sizes to begin with, from the names of the required fields; none for shapes without mass or with more than lengths to say.
fn start_sizes(kind: &'static Kind) -> Option<BTreeMap<&'static str, PieceSize>> {
    fields(kind).next()?;
    let size = |field: &Field| match (field.name, &field.ty) {
        ("size" | "half_axes", Type::Vector("m")) => Some(PieceSize::Lengths([0.2, 0.12, 0.12])),
        (name, Type::Number(Allowed::Positive, "m")) => Some(PieceSize::Length(match name {
            "inner_radius" => 0.05,
            "tube_radius" => 0.02,
            "length" | "height" => 0.2,
            _ => 0.08,
        })),
        _ => None,
    };
    fields(kind).filter(|f| f.need == Need::Required).map(|f| Some((f.name, size(f)?))).collect()
}

// ---- what the declarations do not say -----------------------------------------------------------------------------

/// What is known of a kind of joint besides its declaration.
#[derive(Clone, Copy)]
struct JointTraits {
    kind: &'static str,
    /// Text of its button; empty if it has none.
    label: &'static str,
    glyph: DrawnGlyph,
    coordinates: &'static [CoordinateMeasure],
    closes: Option<ClosedGap>,
    axis: AxisPlacement,
    ends: Option<&'static str>,
}

const PLAIN: JointTraits = JointTraits {
    kind: "",
    label: "",
    glyph: DrawnGlyph::Diamond,
    coordinates: &[],
    closes: None,
    axis: AxisPlacement::Normal,
    ends: None,
};

const POINT: Option<ClosedGap> = Some(ClosedGap::Point);
const LENGTH: CoordinateMeasure = CoordinateMeasure::Length;
const ANGLE: CoordinateMeasure = CoordinateMeasure::Angle;

/// A joint without a button, made where its points are.
const fn row(kind: &'static str, glyph: DrawnGlyph, coordinates: &'static [CoordinateMeasure]) -> JointTraits {
    JointTraits { kind, glyph, coordinates, ..PLAIN }
}

/// A joint along an axis that closes what is across it.
const fn along(kind: &'static str, glyph: DrawnGlyph, coordinates: &'static [CoordinateMeasure]) -> JointTraits {
    let closes = Some(ClosedGap::AcrossAxis);
    JointTraits { kind, glyph, coordinates, closes, axis: AxisPlacement::AlongX, ..PLAIN }
}

fn traits_of(kind: &str) -> Option<&'static JointTraits> {
    JOINT_TRAITS.iter().find(|t| t.kind == kind)
}

/// Kinds of joints, of scenes and of the engine.
const JOINT_TRAITS: &[JointTraits] = &[
    JointTraits { label: "Hinge", closes: POINT, ends: Some("hinges"), ..row("revolute", DrawnGlyph::Hinge, &[ANGLE]) },
    JointTraits {
        label: "Ball joint",
        closes: POINT,
        ends: Some("ball joints"),
        ..row("spherical", DrawnGlyph::Ball, &[])
    },
    JointTraits { label: "Slider", ..along("prismatic", DrawnGlyph::Slider, &[LENGTH]) },
    JointTraits { label: "Weld", closes: POINT, ends: Some("welds"), ..row(RIGID_JOINT, DrawnGlyph::Block, &[]) },
    JointTraits { label: "Universal", closes: POINT, ..row("universal", DrawnGlyph::Cross, &[ANGLE, ANGLE]) },
    JointTraits { label: "Link", ..row("distance", DrawnGlyph::Rod, &[LENGTH]) },
    JointTraits { closes: POINT, ..row("constant-velocity", DrawnGlyph::CrossInRing, &[ANGLE, ANGLE]) },
    along("cylindrical", DrawnGlyph::Sleeve, &[LENGTH, ANGLE]),
    along("screw", DrawnGlyph::Screw, &[LENGTH, ANGLE]),
    JointTraits { closes: Some(ClosedGap::AlongAxis), ..row("planar", DrawnGlyph::Plate, &[LENGTH, LENGTH, ANGLE]) },
    JointTraits { axis: AxisPlacement::AlongX, ..row("pin-slot", DrawnGlyph::Slot, &[LENGTH, ANGLE]) },
    row("parallel-axes", DrawnGlyph::ParallelBars, &[ANGLE]),
    row("perpendicular-axes", DrawnGlyph::CrossedBars, &[ANGLE, ANGLE]),
    row("orientation-lock", DrawnGlyph::Block, &[LENGTH, LENGTH, LENGTH]),
    row("oldham", DrawnGlyph::Dashes, &[LENGTH, LENGTH]),
    row("point-on-line", DrawnGlyph::BallOnBar, &[LENGTH]),
    row("point-on-plane", DrawnGlyph::BallOnPlate, &[LENGTH, LENGTH]),
    row("point-on-curve", DrawnGlyph::BallInRing, &[LENGTH]),
    row("point-on-surface", DrawnGlyph::BallInRing, &[]),
    row("tangency", DrawnGlyph::BallInRing, &[]),
    row("rolling-disc", DrawnGlyph::BallInRing, &[ANGLE]),
    row("rolling-sphere", DrawnGlyph::BallInRing, &[]),
    row("knife-edge", DrawnGlyph::Blade, &[]),
    row("rope", DrawnGlyph::Rope, &[LENGTH]),
    row("winch", DrawnGlyph::Drum, &[LENGTH, ANGLE]),
    row("reeving", DrawnGlyph::Tackle, &[LENGTH]),
    row("cone-limit", DrawnGlyph::Cone, &[]),
    row("gear", DrawnGlyph::Wheels, &[ANGLE, ANGLE]),
    row("bevel-gear", DrawnGlyph::Wheels, &[ANGLE, ANGLE]),
    row("worm", DrawnGlyph::Wheels, &[ANGLE, ANGLE]),
    row("belt", DrawnGlyph::Wheels, &[ANGLE, ANGLE]),
    row("rack-and-pinion", DrawnGlyph::Wheels, &[LENGTH, ANGLE]),
    row("rotor-gear", DrawnGlyph::Dashes, &[]),
    row("motor", DrawnGlyph::Arrow, &[]),
    row("servo", DrawnGlyph::Arrow, &[]),
    row("limit", DrawnGlyph::Stops, &[]),
    row("dry-friction", DrawnGlyph::Pads, &[]),
];

/// Kind of drive, what it acts on, text of its button, what it does, and its value.
const DRIVE_PRESETS: &[(&str, CoordinateMeasure, &str, &str, &str)] = &[
    ("speed", ANGLE, "Motor", "A motor that turns it once a second, whatever that takes", "6.283185307179586"),
    ("speed", LENGTH, "Motor", "A motor that moves it at 0.1 m/s, whatever that takes", "0.1"),
    ("position", ANGLE, "Position", "A drive that leads it along a function of time", "0.5*sin(2*t)"),
    ("position", LENGTH, "Position", "A drive that leads it along a function of time", "0.1*sin(2*t)"),
    ("torque", ANGLE, "Torque", "A torque of 1 N m", "1"),
    ("torque", LENGTH, "Force", "A force of 1 N", "1"),
];

/// Bodies with a button, in its order.
fn named_pieces() -> Vec<Piece> {
    let (one, three) = (PieceSize::Length, PieceSize::Lengths);
    let rod = piece("rod", "A round bar from one point to another", "rod", [("radius", one(0.015))]);
    let square = [("width", one(0.03)), ("height", one(0.03))];
    let beam = piece("beam", "A square bar from one point to another", "beam", square);
    let thin = [("size", three([0.3, 0.2, 0.015]))];
    let plate = piece("plate", "A thin plate that lies in the working plane", "box", thin);
    let flat = [("radius", one(0.1)), ("length", one(0.05))];
    let disc = piece("cylinder", "A wheel or disc that faces along the normal of the working plane", "cylinder", flat);
    let mass = piece("particle", "A point with mass and no orientation", "sphere", [("radius", one(0.02))]);
    vec![
        Piece { between: true, ..rod },
        Piece { between: true, ..beam },
        piece("box", "A box", "box", [("size", three([0.2, 0.12, 0.12]))]),
        Piece { faces_plane: true, ..plate },
        piece("ball", "A ball", "sphere", [("radius", one(0.08))]),
        Piece { faces_plane: true, ..disc },
        Piece { body: Some("particle"), ..mass },
    ]
}
