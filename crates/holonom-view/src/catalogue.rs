//! What the page can build and how it draws it: one message, sent to every client before the first picture.
//!
//! Everything that is said of a kind comes from its declaration: kinds of joints, drives and forces are declared beside
//! the engine's types, bodies and shapes in the scene crate. A new kind appears by itself. The bodies that can be drawn
//! by hand are listed at the end of this file.

use crate::edit::{FieldDeclaration, declared};
use crate::message::Triple;
use holonom::declaration::{DriveButton, DriveDeclaration};
use holonom::forces::{ForceDeclaration, ForceGlyph};
use holonom::joints::{self, Closes, CoordinateKind, Glyph, JointDeclaration};
use holonom_scene::fields::{Allowed, Family, Field, Kind, Need, Type};
use holonom_scene::kinds::{self, BODIES, SHAPES};
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

/// A kind of joint.
#[cfg_attr(test, derive(ts_rs::TS))]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JointEntry {
    /// What the scene declares of it.
    #[serde(flatten)]
    pub entry: KindEntry,
    /// Button, list, or neither.
    pub group: PaletteGroup,
    /// How it is drawn: a sign in its frame, or a line between its two points.
    #[cfg_attr(test, ts(type = "DrawnGlyph"))]
    pub glyph: &'static str,
    /// What its coordinates measure, in their order; those of a joint with freedoms of its own choice are in the
    /// picture.
    pub coordinates: Vec<CoordinateMeasure>,
    /// Does it join two points?
    pub sides: bool,
    /// Where its axis points to begin with; null if it has none.
    pub axis: Option<AxisPlacement>,
    /// Are the bodies brought together first, as far as it closes the gap between its points?
    pub closes: bool,
    /// Must more be said than its two sides?
    pub asks: bool,
    /// What several of them are called, for joints that ends of rods can have.
    pub ends: Option<String>,
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
    /// How it is drawn between its points.
    #[cfg_attr(test, ts(type = "DrawnForce"))]
    pub glyph: &'static str,
    /// Does it act between two points?
    pub sides: bool,
    /// Has it an axis?
    pub axis: bool,
}

/// Sides and axes of joints are chosen in the view, not typed.
const CHOSEN_IN_VIEW: [&str; 9] = ["a", "b", "at", "axis", "x_axis", "axis_a", "axis_b", "x_axis_a", "x_axis_b"];

/// Everything that can be built, and how it is drawn.
pub fn catalogue() -> &'static BuildCatalogue {
    static ALL: LazyLock<BuildCatalogue> = LazyLock::new(|| BuildCatalogue {
        pieces: pieces(),
        shapes: entries(&SHAPES),
        bodies: entries(&BODIES),
        joints: joints(),
        drives: holonom::drives::DRIVES.iter().map(|d| drive(d)).collect(),
        forces: kinds::force_declarations().map(force).collect(),
    });
    &ALL
}

/// How a kind of joint of the engine is drawn.
pub fn glyph_of(kind: &str) -> &'static str {
    joints::declaration(kind).map_or(Glyph::Diamond, |d| d.glyph).name()
}

/// How a law of force of the engine is drawn: as the first kind of force that makes it.
pub fn force_glyph(law: &str) -> &'static str {
    kinds::force_declarations().find(|d| d.law == law).map_or(ForceGlyph::Dashes, |d| d.glyph).name()
}

/// A kind in words: `point-on-line` is `Point on line`.
fn in_words(kind: &str) -> String {
    let mut text = kind.replace('-', " ");
    if let Some(first) = text.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    text
}

fn entry(kind: &'static Kind, label: impl Into<String>, leave_out: &[&str]) -> KindEntry {
    let fields = kind.all_fields().filter(|f| !leave_out.contains(&f.name)).map(declared).collect();
    KindEntry { kind: kind.name, label: label.into(), summary: kind.summary, fields }
}

fn entries(family: &'static Family) -> Vec<KindEntry> {
    family.kinds().map(|kind| entry(kind, in_words(kind.name), &[])).collect()
}

fn has_sides(kind: &Kind) -> bool {
    kind.has("a") && kind.has("b")
}

fn has_axis(kind: &Kind) -> bool {
    kind.has("axis") || kind.has("axis_a")
}

/// Those with buttons in the order of their buttons, then all others.
fn joints() -> Vec<JointEntry> {
    let mut all: Vec<&JointDeclaration> = joints::JOINTS.to_vec();
    all.sort_by_key(|d| d.button.unwrap_or(u8::MAX));
    all.into_iter().map(joint).collect()
}

fn joint(d: &'static JointDeclaration) -> JointEntry {
    let sides = has_sides(&d.kind);
    // what must be said besides the sides
    let asks = d.kind.all_fields().any(|f| f.need == Need::Required && f.name != "b");
    let group = match d.button {
        _ if asks || !sides => PaletteGroup::Hidden,
        Some(_) => PaletteGroup::Button,
        None => PaletteGroup::List,
    };
    let axis = if d.axis_in_plane { AxisPlacement::AlongX } else { AxisPlacement::Normal };
    JointEntry {
        entry: entry(&d.kind, d.label, &CHOSEN_IN_VIEW),
        group,
        glyph: d.glyph.name(),
        coordinates: d.coordinates.iter().map(|(_, kind)| (*kind).into()).collect(),
        sides,
        axis: has_axis(&d.kind).then_some(axis),
        closes: d.closes != Closes::Nothing,
        asks,
        ends: d.rod_end.then(|| d.label.to_lowercase() + "s"),
    }
}

fn drive(d: &'static DriveDeclaration) -> DriveEntry {
    let preset = |button: &DriveButton| {
        let value = button.value.parse::<f64>().map_or_else(|_| button.value.into(), serde_json::Value::from);
        DrivePreset { label: button.label, help: button.help, value }
    };
    DriveEntry {
        entry: entry(&d.kind, in_words(d.kind.name), &["joint"]),
        length: d.on_length.as_ref().map(preset),
        angle: d.on_angle.as_ref().map(preset),
    }
}

fn force(d: &'static ForceDeclaration) -> ForceEntry {
    let (glyph, sides, axis) = (d.glyph.name(), has_sides(&d.kind), has_axis(&d.kind));
    ForceEntry { entry: entry(&d.kind, d.label, &CHOSEN_IN_VIEW), glyph, sides, axis }
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

/// Sizes to begin with, from the names of the required fields; none for shapes without mass or with more than lengths
/// to say.
fn start_sizes(kind: &'static Kind) -> Option<BTreeMap<&'static str, PieceSize>> {
    kind.all_fields().next()?;
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
    kind.all_fields().filter(|f| f.need == Need::Required).map(|f| Some((f.name, size(f)?))).collect()
}

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
