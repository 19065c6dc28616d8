//! The values a kind is made from.

use super::{BodyId, Constraint, Coordinate, Force, Formula, Function, Kind, Make, Marker};
use crate::error::Invalid;
use crate::math::{Mat3, Vec3};
use std::sync::Arc;

/// What a drive becomes.
pub enum Driven {
    /// Rows in the equations.
    Row(Box<dyn Constraint>),
    /// A force.
    Push(Box<dyn Force>),
}

/// One component of a vector function.
#[derive(Clone)]
pub enum Component {
    /// Always the same.
    Number(f64),
    /// A function.
    Function(Arc<dyn Function>),
}

/// The values that were given for the fields of a kind. Every value has the type and the range that its field declares,
/// and every body, point and joint named exists; `None` and empty lists stand for what was not given.
pub trait Parameters {
    /// The kind, where the table has one.
    fn kind(&self) -> Option<&'static Kind>;
    /// Its first side; the ground's origin for kinds without sides.
    fn a(&self) -> Marker;
    /// Its second side.
    fn b(&self) -> Marker;
    /// Is the field there?
    fn has(&self, field: &str) -> bool;
    /// A number.
    fn number(&self, field: &str) -> Option<f64>;
    /// A whole number.
    fn integer(&self, field: &str) -> Option<i64>;
    /// True or false; false when it is not there.
    fn flag(&self, field: &str) -> bool;
    /// Text, or one of some words.
    fn text(&self, field: &str) -> Option<&str>;
    /// A vector, or a direction (of unit length).
    fn vector(&self, field: &str) -> Option<Vec3>;
    /// A list of numbers.
    fn numbers(&self, field: &str) -> Option<&[f64]>;
    /// A list of points.
    fn vectors(&self, field: &str) -> Option<&[Vec3]>;
    /// A function.
    fn function(&self, field: &str) -> Option<Arc<dyn Function>>;
    /// A vector function; zeros when it is not there.
    fn components(&self, field: &str) -> [Component; 3];
    /// A point on a body; axes as those of the frame named, or of the body.
    fn point(&self, field: &str) -> Option<Marker>;
    /// Points on bodies.
    fn points(&self, field: &str) -> Vec<Marker>;
    /// A coordinate of a joint.
    fn coordinate(&self, field: &str) -> Option<Coordinate>;
    /// Coordinates of joints.
    fn coordinates(&self, field: &str) -> Vec<Coordinate>;
    /// A formula.
    fn formula(&self, _field: &str) -> Option<Arc<Formula>> {
        None
    }
    /// Points on bodies that have names, in the order in which formulas number them.
    fn named_points(&self, _field: &str) -> Vec<Marker> {
        Vec::new()
    }
    /// Coordinates of joints that have names, in the same way.
    fn named_coordinates(&self, _field: &str) -> Vec<Coordinate> {
        Vec::new()
    }
    /// A table inside this one.
    fn table(&self, field: &str) -> Option<Box<dyn Parameters + '_>>;
    /// A list of tables inside this one.
    fn tables(&self, field: &str) -> Vec<Box<dyn Parameters + '_>>;
    /// Where a body was drawn: position of its origin and axes (columns), world axes.
    fn drawn(&self, body: BodyId) -> (Vec3, Mat3);
    /// The most that a drive of the coordinate in `field` gives, N or N m: its own, or that of the joint; `None` where
    /// there is no cap.
    fn effort(&self, field: &str, own: Option<f64>) -> Option<f64>;
}

impl<'p> dyn Parameters + 'p {
    /// A number, or 0.
    pub fn of(&self, field: &str) -> f64 {
        self.number(field).unwrap_or(0.0)
    }

    /// A number that must fit besides; `must` says what is allowed.
    pub fn fitting(&self, field: &str, fits: impl Fn(f64) -> bool, must: &str) -> Result<Option<f64>, Invalid> {
        match self.number(field) {
            Some(x) if !fits(x) => Err(Invalid::range(field, format!("{x}, must be {must}"))),
            x => Ok(x),
        }
    }

    /// A function that must be there.
    pub fn given_function(&self, field: &str) -> Result<Arc<dyn Function>, Invalid> {
        self.function(field).ok_or_else(|| Invalid::not_given(field))
    }

    /// A point that must be there.
    pub fn given_point(&self, field: &str) -> Result<Marker, Invalid> {
        self.point(field).ok_or_else(|| Invalid::not_given(field))
    }

    /// A coordinate that must be there.
    pub fn given_coordinate(&self, field: &str) -> Result<Coordinate, Invalid> {
        self.coordinate(field).ok_or_else(|| Invalid::not_given(field))
    }

    /// A table that must be there.
    pub fn given_table(&self, field: &str) -> Result<Box<dyn Parameters + '_>, Invalid> {
        self.table(field).ok_or_else(|| Invalid::not_given(field))
    }

    /// Distance of the points of the two sides as drawn, m.
    pub fn drawn_distance(&self) -> f64 {
        let at = |m: Marker| {
            let (position, rotation) = self.drawn(m.body);
            position + rotation * m.point
        };
        (at(self.b()) - at(self.a())).length()
    }

    /// Weighted coordinates: a list of tables with `joint` and `factor`.
    pub fn terms(&self, field: &str) -> Result<Vec<(f64, Coordinate)>, Invalid> {
        let mut out = Vec::new();
        for (i, term) in self.tables(field).iter().enumerate() {
            let within = |e: Invalid| e.within(&format!("{field}.{i}"));
            out.push((term.number("factor").unwrap_or(1.0), term.given_coordinate("joint").map_err(within)?));
        }
        if out.is_empty() { Err(Invalid::too_few(field, 0, 1)) } else { Ok(out) }
    }

    /// The joint or condition in a table with a kind.
    pub fn condition(&self, field: &str) -> Result<Box<dyn Constraint>, Invalid> {
        let table = self.given_table(field)?;
        match table.kind().map(|k| k.make) {
            Some(Make::Joint(make)) => make(&*table).map_err(|e| e.within(field)),
            _ => Err(Invalid::new(field, format!("`{field}` has no kind that can be kept"))),
        }
    }
}
