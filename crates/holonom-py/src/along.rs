//! Directions in which something is pushed, by names: they belong to no model until they are used.

use crate::arrays::finite;
use crate::errors::usage;
use crate::model::{body, coordinate};
use holonom::{Model, answers};
use pyo3::prelude::*;

/// Where and which way something is pushed, and along which speeds are read: a coordinate of a joint, a point of a body
/// along a direction, or a body about an axis. Wherever one is wanted, text is the name of a coordinate.
///
/// A push of size 1 is 1 N, or 1 N m where it turns something; the speed along it is what such a push does work with,
/// m/s or rad/s.
#[pyclass(module = "holonom", frozen, eq, from_py_object)]
#[derive(Clone, PartialEq)]
pub(crate) struct PushAlong(Which);

#[derive(Clone, PartialEq)]
enum Which {
    Coordinate(String),
    Point { body: String, at: [f64; 3], direction: [f64; 3] },
    Turn { body: String, axis: [f64; 3] },
}

impl PushAlong {
    fn resolve(&self, model: &Model) -> PyResult<answers::PushAlong> {
        Ok(match &self.0 {
            Which::Coordinate(name) => {
                let (joint, i) = coordinate(model, name)?;
                answers::PushAlong::coordinate(joint, i)
            }
            Which::Point { body: of, at, direction } => answers::PushAlong::point(body(model, of)?.at(*at), *direction),
            Which::Turn { body: of, axis } => answers::PushAlong::turn(body(model, of)?, *axis),
        })
    }
}

#[pymethods]
impl PushAlong {
    /// A coordinate of a joint, by its name: along a slider, about a hinge.
    #[staticmethod]
    fn coordinate(name: String) -> PushAlong {
        PushAlong(Which::Coordinate(name))
    }

    /// A point of a body (m, in the body's axes) along a direction (world axes), taken as it is, whatever its length.
    #[staticmethod]
    fn point(body: String, at: [f64; 3], direction: [f64; 3]) -> PyResult<PushAlong> {
        finite("at", &at)?;
        finite("direction", &direction)?;
        Ok(PushAlong(Which::Point { body, at, direction }))
    }

    /// A body about an axis (world axes), taken as it is, whatever its length.
    #[staticmethod]
    fn turn(body: String, axis: [f64; 3]) -> PyResult<PushAlong> {
        finite("axis", &axis)?;
        Ok(PushAlong(Which::Turn { body, axis }))
    }

    /// A point of a body (m, in the body's axes) along x, y and z of the world: the rows of its Jacobian.
    #[staticmethod]
    fn axes(body: String, at: [f64; 3]) -> PyResult<Vec<PushAlong>> {
        finite("at", &at)?;
        let one = |k: usize| {
            let direction = std::array::from_fn(|i| f64::from(i == k));
            PushAlong(Which::Point { body: body.clone(), at, direction })
        };
        Ok((0..3).map(one).collect())
    }

    /// A body about x, y and z of the world: the rows of the Jacobian of its angular velocity.
    #[staticmethod]
    fn turns(body: String) -> Vec<PushAlong> {
        let one = |k: usize| {
            let axis = std::array::from_fn(|i| f64::from(i == k));
            PushAlong(Which::Turn { body: body.clone(), axis })
        };
        (0..3).map(one).collect()
    }

    fn __repr__(&self) -> String {
        match &self.0 {
            Which::Coordinate(name) => format!("<holonom.PushAlong the coordinate {name}>"),
            Which::Point { body, at, direction } => format!("<holonom.PushAlong {body} at {at:?} along {direction:?}>"),
            Which::Turn { body, axis } => format!("<holonom.PushAlong {body} about {axis:?}>"),
        }
    }
}

/// A direction as it may be given: text is a coordinate.
#[derive(FromPyObject)]
pub(crate) enum Direction {
    Push(PushAlong),
    Name(String),
}

impl Direction {
    pub fn resolve(&self, model: &Model) -> PyResult<answers::PushAlong> {
        match self {
            Direction::Push(along) => along.resolve(model),
            Direction::Name(name) => PushAlong::coordinate(name.clone()).resolve(model),
        }
    }
}

/// One or several directions.
#[derive(FromPyObject)]
pub(crate) enum Directions {
    One(Direction),
    Several(Vec<Direction>),
}

impl Directions {
    pub fn resolve(&self, model: &Model) -> PyResult<Vec<answers::PushAlong>> {
        let all = match self {
            Directions::One(one) => std::slice::from_ref(one),
            Directions::Several(all) => all,
        };
        if all.len() > 1 << 16 {
            return Err(usage(format!("{} directions are too many, at most {}", all.len(), 1 << 16)));
        }
        all.iter().map(|d| d.resolve(model)).collect()
    }
}
