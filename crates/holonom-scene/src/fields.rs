//! Values that were read and checked. What the tables of a scene may hold is declared once, beside the engine's kinds
//! and here ([`holonom::declaration`]): from the declarations come the reading and checking of values, the hints for
//! misspelt names, the JSON Schema, and the reference of scene files.

pub use holonom::declaration::{
    ANGLE, Allowed, Family, Field, FieldType, FieldType as Type, Kind, LENGTH, NUMBER, Need, POSITION, optional,
    required,
};

use crate::source::Span;
use holonom::formulas::Formula;
use holonom::functions::Function;
use holonom::math::{Quat, Vec3};
use std::fmt;
use std::sync::Arc;

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
    /// A formula, and how it is written.
    Formula(Arc<Formula>, Box<str>),
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
            Val::Formula(_, text) => write!(f, "{text:?}"),
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

    /// Where a value inside this table stands, by a path as in [`holonom::declaration::Invalid::field`]; as far down as
    /// there is one.
    pub fn span_at(&self, path: &str) -> Span {
        let (first, rest) = path.split_once('.').unwrap_or((path, ""));
        match (self.get(first), rest) {
            (_, "") | (None, _) => self.span_of(first),
            (Some(Val::Record(inner)), rest) => inner.span_at(rest),
            (Some(Val::List(list)), rest) => {
                let (number, rest) = rest.split_once('.').unwrap_or((rest, ""));
                match number.parse().ok().and_then(|i: usize| list.get(i)) {
                    Some((Val::Record(inner), _)) if !rest.is_empty() => inner.span_at(rest),
                    Some((_, span)) => *span,
                    None => self.span_of(first),
                }
            }
            _ => self.span_of(first),
        }
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

    /// A formula.
    pub fn formula(&self, name: &str) -> Option<Arc<Formula>> {
        match self.get(name)? {
            Val::Formula(f, _) => Some(f.clone()),
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
