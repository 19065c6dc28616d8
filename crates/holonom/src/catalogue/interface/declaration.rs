//! What a kind of joint, force, function or curve is called, which parameters it takes and how it is made from them:
//! plain data that readers of files, schemas, references and editors are driven by. Nothing here parses a text or opens
//! a file.
//!
//! A [`Kind`] stands beside the type it makes. Its [`Field`]s say what may be given: name, type, unit, allowed range,
//! meaning. Its `make` reads the values through [`Parameters`], which whoever read them implements, and refuses what
//! does not fit as an [`Invalid`], which names the field.

use super::{Constraint, Curve, Driven, Force, Function, Parameters, Patch, Surface};
use crate::error::Invalid;
use std::fmt;
use std::sync::Arc;

/// Which numbers are allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Allowed {
    /// Any finite number.
    Any,
    /// Greater than zero.
    Positive,
    /// Zero or greater.
    NotNegative,
    /// From 0 to 1.
    Fraction,
}

/// What a field holds.
#[derive(Clone, Copy)]
pub enum FieldType {
    /// A number in a unit (SI).
    Number(Allowed, &'static str),
    /// A whole number, from and to.
    Integer(i64, i64),
    /// True or false.
    Flag,
    /// Any text.
    Text,
    /// A list of texts, or one.
    Texts,
    /// One of some words.
    Choice(&'static [&'static str]),
    /// Three numbers in a unit.
    Vector(&'static str),
    /// Three numbers, not all zero; the length does not matter.
    Direction,
    /// A rotation: a quaternion (w, x, y, z), or a table with `axis` and `angle`, `rpy`, or `x` and `z`.
    Rotation,
    /// A list of numbers in a unit.
    Numbers(&'static str),
    /// A list of points in a unit.
    Vectors(&'static str),
    /// Lower and upper bounds in a unit: `[lower, upper]`, or a list of such pairs, `[]` for none. `-inf` and `inf` are
    /// no bounds.
    Intervals(&'static str),
    /// A body, or a point on one: `"rod"`, `"rod.tip"`, `{ body = "rod", at = [0, 0, 1] }`.
    Point,
    /// A list of points on bodies.
    Points,
    /// A list of pairs of bodies: `[["hand", "cup"]]`.
    Pairs,
    /// A coordinate of a joint: `"hinge"` (its first), `"slider.1"`.
    Coordinate,
    /// A list of coordinates.
    Coordinates,
    /// A function of the variable named: a number, an expression, or a table with a kind.
    Function(&'static str, &'static str),
    /// Three of them: a vector whose components are numbers or functions of the variable named.
    VectorFunction(&'static str, &'static str),
    /// A formula in the `points` and `coordinates` of the table it stands in, parameters and t.
    Formula,
    /// A file in the scene's folder.
    File,
    /// A table with a kind of this family.
    Kind(&'static Family),
    /// A list of tables with kinds of this family.
    Kinds(&'static Family),
    /// A table with these fields.
    Record(&'static [Field]),
    /// A list of tables with these fields.
    Records(&'static [Field]),
    /// Names of one's own, each with a value of this type.
    Map(&'static FieldType),
}

/// Must it be there?
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// Yes.
    Required,
    /// No; the text says what holds without it.
    Optional(&'static str),
}

/// A field of a table.
#[derive(Clone, Copy)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub ty: FieldType,
    /// Must it be there?
    pub need: Need,
    /// What it means, in a line.
    pub doc: &'static str,
}

/// A field that must be there.
pub const fn required(name: &'static str, ty: FieldType, doc: &'static str) -> Field {
    Field { name, ty, need: Need::Required, doc }
}

/// A field that may be left out, and what holds then.
pub const fn optional(name: &'static str, ty: FieldType, otherwise: &'static str, doc: &'static str) -> Field {
    Field { name, ty, need: Need::Optional(otherwise), doc }
}

/// A length that must be greater than zero, m.
pub const LENGTH: FieldType = FieldType::Number(Allowed::Positive, "m");
/// A number without a unit.
pub const NUMBER: FieldType = FieldType::Number(Allowed::Any, "");
/// An angle, rad.
pub const ANGLE: FieldType = FieldType::Number(Allowed::Any, "rad");
/// A point or a way, m.
pub const POSITION: FieldType = FieldType::Vector("m");

/// What a constructor of a kind returns.
pub type Making<T> = fn(&dyn Parameters) -> Result<T, Invalid>;

/// How a kind is made from its parameters. Which of the forms it is follows from the family.
#[derive(Clone, Copy)]
pub enum Make {
    /// A joint or relation.
    Joint(Making<Box<dyn Constraint>>),
    /// A force law.
    Force(Making<Box<dyn Force>>),
    /// A drive.
    Drive(Making<Driven>),
    /// A function of one variable.
    Function(Making<Arc<dyn Function>>),
    /// A curve in space.
    Curve(Making<Arc<dyn Curve>>),
    /// A surface.
    Surface(Making<SurfaceForm>),
    /// Nothing by itself: it is made by whoever reads it, or not made from files at all.
    Elsewhere,
}

/// A surface in one of its two forms.
#[derive(Clone)]
pub enum SurfaceForm {
    /// f(x) = 0.
    Implicit(Arc<dyn Surface>),
    /// r(u, v).
    Patch(Arc<dyn Patch>),
}

/// One kind of joint, force, function, ...
pub struct Kind {
    /// Its name in `kind = "..."`, and in messages.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The fields it has besides those of its family, in groups that several kinds share.
    pub fields: &'static [&'static [Field]],
    /// How it is made.
    pub make: Make,
}

impl Kind {
    /// Has it a field of that name (besides those of its family)?
    pub fn has(&self, name: &str) -> bool {
        self.all_fields().any(|f| f.name == name)
    }

    /// The fields of all groups.
    pub fn all_fields(&self) -> impl Iterator<Item = &'static Field> + use<> {
        self.fields.iter().flat_map(|group| group.iter())
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// What a drive prescribes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveAction {
    /// A joint coordinate.
    Position,
    /// The rate of a joint coordinate.
    Speed,
    /// A path of a point, or a condition of any kind.
    Condition,
    /// A force or torque along a joint coordinate.
    Effort,
}

/// A drive at the press of a button.
pub struct DriveButton {
    /// The button.
    pub label: &'static str,
    /// What it does, in a sentence.
    pub help: &'static str,
    /// Its `value`: a number in SI units, or a function of t, as files say it.
    pub value: &'static str,
}

/// One line of the table of drives.
pub struct DriveDeclaration {
    /// Name, summary, fields, and how it is made from them.
    pub kind: Kind,
    /// What it prescribes.
    pub action: DriveAction,
    /// The button for a coordinate that is a length; none for kinds that ask for more than a value.
    pub on_length: Option<DriveButton>,
    /// The button for a coordinate that is an angle.
    pub on_angle: Option<DriveButton>,
}

/// Kinds that stand for each other in one place.
pub struct Family {
    /// What they are called: `joint`, `force`, ...
    pub name: &'static str,
    /// Fields that all of them have.
    pub common: &'static [Field],
    /// The kinds, the same at every call.
    pub members: fn() -> &'static [&'static Kind],
    /// The kind when none is said.
    pub default: Option<&'static str>,
}

impl Family {
    /// All kinds.
    pub fn kinds(&self) -> impl Iterator<Item = &'static Kind> + use<> {
        (self.members)().iter().copied()
    }

    /// A kind by its name.
    pub fn find(&self, name: &str) -> Option<&'static Kind> {
        self.kinds().find(|k| k.name == name)
    }
}

/// What drives and forces on coordinates act on.
pub const ON_JOINT: Field = required("joint", FieldType::Coordinate, "the joint, or one of its coordinates");
