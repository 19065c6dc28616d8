//! What the tables of a scene may hold, said once. From these declarations come the reading and checking of values, the hints for misspelt names,
//! the JSON Schema, and the reference in `docs/scenes.md`.

use crate::source::Span;
use holonom::functions::Function;
use holonom::math::{Quat, Vec3};
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
pub enum Type {
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
    /// Lower and upper bounds in a unit: `[lower, upper]`, or a list of such pairs, `[]` for none. `-inf` and `inf` are no bounds.
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
    Map(&'static Type),
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
    pub ty: Type,
    /// Must it be there?
    pub need: Need,
    /// What it means, in a line.
    pub doc: &'static str,
}

/// A field that must be there.
pub const fn required(name: &'static str, ty: Type, doc: &'static str) -> Field {
    Field { name, ty, need: Need::Required, doc }
}

/// A field that may be left out, and what holds then.
pub const fn optional(name: &'static str, ty: Type, otherwise: &'static str, doc: &'static str) -> Field {
    Field { name, ty, need: Need::Optional(otherwise), doc }
}

/// A length that must be greater than zero, m.
pub const LENGTH: Type = Type::Number(Allowed::Positive, "m");
/// A number without a unit.
pub const NUMBER: Type = Type::Number(Allowed::Any, "");
/// An angle, rad.
pub const ANGLE: Type = Type::Number(Allowed::Any, "rad");
/// A point or a way, m.
pub const POSITION: Type = Type::Vector("m");

/// One kind of joint, force, body, shape, ...
pub struct Kind {
    /// Its name in `kind = "..."`.
    pub name: &'static str,
    /// What it is, in a line.
    pub summary: &'static str,
    /// The fields it has besides those of its family, in groups that several kinds share.
    pub fields: &'static [&'static [Field]],
    /// How it is made.
    pub make: crate::kinds::Make,
}

/// Kinds that stand for each other in one place.
pub struct Family {
    /// What they are called: `joint`, `force`, ...
    pub name: &'static str,
    /// Fields that all of them have.
    pub common: &'static [Field],
    /// The kinds.
    pub kinds: &'static [&'static [Kind]],
    /// The kind when none is said.
    pub default: Option<&'static str>,
}

impl Family {
    /// All kinds.
    pub fn kinds(&self) -> impl Iterator<Item = &'static Kind> + use<> {
        self.kinds.iter().flat_map(|list| list.iter())
    }

    /// A kind by its name.
    pub fn find(&self, name: &str) -> Option<&'static Kind> {
        self.kinds().find(|k| k.name == name)
    }
}

impl Kind {
    /// Has it a field of that name (besides those of its family)?
    pub fn has(&self, name: &str) -> bool {
        self.fields.iter().any(|group| group.iter().any(|f| f.name == name))
    }
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// Which body is meant.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyRef {
    /// The ground.
    Ground,
    /// By its name.
    Named(Box<str>),
    /// By its number, from a generator.
    Index(u32),
}

/// Where on the body.
#[derive(Clone, Debug, PartialEq)]
pub enum Where {
    /// Not said.
    Unsaid,
    /// A point or frame listed on the body.
    Named(Box<str>),
    /// These coordinates in the body's own frame, m.
    At(Vec3),
}

/// A body, or a point on one.
#[derive(Clone, Debug, PartialEq)]
pub struct PointRef {
    /// Which body.
    pub body: BodyRef,
    /// Where on it.
    pub at: Where,
}

/// A coordinate of a joint.
#[derive(Clone, Debug, PartialEq)]
pub struct CoordinateRef {
    /// Name of the joint.
    pub joint: Box<str>,
    /// Which of its coordinates.
    pub index: usize,
}

/// A value that was read and checked.
#[derive(Clone)]
pub enum Val {
    /// A number.
    Number(f64),
    /// A whole number.
    Integer(i64),
    /// True or false.
    Flag(bool),
    /// Text, or one of some words, or the name of a file.
    Text(Box<str>),
    /// A vector or a direction (of unit length).
    Vector(Vec3),
    /// A rotation.
    Rotation(Quat),
    /// Numbers.
    Numbers(Box<[f64]>),
    /// Points.
    Vectors(Box<[Vec3]>),
    /// A function.
    Function(Arc<dyn Function>),
    /// A point on a body.
    Point(Box<PointRef>),
    /// A coordinate of a joint.
    Coordinate(Box<CoordinateRef>),
    /// A table.
    Record(Box<Record>),
    /// A list of any of these.
    List(Box<[(Val, Span)]>),
    /// Names of one's own.
    Map(Box<[(Box<str>, Val, Span)]>),
}

impl fmt::Debug for Val {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Val::Number(x) => write!(f, "{x}"),
            Val::Integer(x) => write!(f, "{x}"),
            Val::Flag(x) => write!(f, "{x}"),
            Val::Text(x) => write!(f, "{x:?}"),
            Val::Vector(x) => write!(f, "{x:?}"),
            Val::Rotation(x) => write!(f, "{x:?}"),
            Val::Numbers(x) => write!(f, "{x:?}"),
            Val::Vectors(x) => write!(f, "{x:?}"),
            Val::Function(_) => write!(f, "function"),
            Val::Point(x) => write!(f, "{x:?}"),
            Val::Coordinate(x) => write!(f, "{x:?}"),
            Val::Record(x) => write!(f, "{x:?}"),
            Val::List(x) => write!(f, "{x:?}"),
            Val::Map(x) => write!(f, "{x:?}"),
        }
    }
}

/// A table that was read and checked: every value has the type its field declares.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its kind, where it has one.
    pub kind: Option<&'static Kind>,
    /// Where the table stands.
    pub span: Span,
    values: Vec<(&'static str, Val, Span)>,
}

impl Record {
    /// Empty.
    pub fn new(kind: Option<&'static Kind>, span: Span) -> Self {
        Record { kind, span, values: Vec::new() }
    }

    /// Add a value.
    pub fn set(&mut self, name: &'static str, value: Val, span: Span) {
        self.values.push((name, value, span));
    }

    /// Add a value, or put another one in its place.
    pub fn replace(&mut self, name: &'static str, value: Val, span: Span) {
        match self.values.iter_mut().find(|v| v.0 == name) {
            Some(there) => *there = (name, value, span),
            None => self.set(name, value, span),
        }
    }

    /// Is the field there?
    pub fn has(&self, name: &str) -> bool {
        self.get(name).is_some()
    }

    /// A value and its place.
    pub fn get(&self, name: &str) -> Option<&Val> {
        self.values.iter().find(|v| v.0 == name).map(|v| &v.1)
    }

    /// Where a value stands; the table itself when it is not there.
    pub fn span_of(&self, name: &str) -> Span {
        self.values.iter().find(|v| v.0 == name).map_or(self.span, |v| v.2)
    }

    /// All values in the order of their declarations.
    pub fn values(&self) -> &[(&'static str, Val, Span)] {
        &self.values
    }

    /// Give back what was over.
    pub fn shrink(&mut self) {
        self.values.shrink_to_fit();
    }

    /// A number.
    pub fn number(&self, name: &str) -> Option<f64> {
        match self.get(name)? {
            Val::Number(x) => Some(*x),
            Val::Integer(x) => Some(*x as f64),
            _ => None,
        }
    }

    /// A whole number.
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.get(name)? {
            Val::Integer(x) => Some(*x),
            _ => None,
        }
    }

    /// True or false; false when it is not there.
    pub fn flag(&self, name: &str) -> bool {
        matches!(self.get(name), Some(Val::Flag(true)))
    }

    /// Text.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name)? {
            Val::Text(x) => Some(x),
            _ => None,
        }
    }

    /// A vector or a direction.
    pub fn vector(&self, name: &str) -> Option<Vec3> {
        match self.get(name)? {
            Val::Vector(x) => Some(*x),
            _ => None,
        }
    }

    /// A rotation.
    pub fn rotation(&self, name: &str) -> Option<Quat> {
        match self.get(name)? {
            Val::Rotation(x) => Some(*x),
            _ => None,
        }
    }

    /// A list of numbers.
    pub fn numbers(&self, name: &str) -> Option<&[f64]> {
        match self.get(name)? {
            Val::Numbers(x) => Some(x),
            _ => None,
        }
    }

    /// A list of points.
    pub fn vectors(&self, name: &str) -> Option<&[Vec3]> {
        match self.get(name)? {
            Val::Vectors(x) => Some(x),
            _ => None,
        }
    }

    /// A function.
    pub fn function(&self, name: &str) -> Option<Arc<dyn Function>> {
        match self.get(name)? {
            Val::Function(f) => Some(f.clone()),
            _ => None,
        }
    }

    /// A point on a body.
    pub fn point(&self, name: &str) -> Option<&PointRef> {
        match self.get(name)? {
            Val::Point(p) => Some(p),
            _ => None,
        }
    }

    /// A coordinate.
    pub fn coordinate(&self, name: &str) -> Option<&CoordinateRef> {
        match self.get(name)? {
            Val::Coordinate(c) => Some(c),
            _ => None,
        }
    }

    /// A table.
    pub fn record(&self, name: &str) -> Option<&Record> {
        match self.get(name)? {
            Val::Record(r) => Some(r),
            _ => None,
        }
    }

    /// A list of anything; empty when it is not there.
    pub fn list(&self, name: &str) -> &[(Val, Span)] {
        match self.get(name) {
            Some(Val::List(l)) => l,
            _ => &[],
        }
    }

    /// Names of one's own; empty when there are none.
    pub fn map(&self, name: &str) -> &[(Box<str>, Val, Span)] {
        match self.get(name) {
            Some(Val::Map(m)) => m,
            _ => &[],
        }
    }
}
