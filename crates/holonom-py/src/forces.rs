//! Forces of one's own: Python functions that the engine calls at every evaluation.
//!
//! What such a function raises is kept, the force is zero from there, and the exception comes out of the step that met
//! it, whose state is thrown away.

use crate::errors::usage;
use crate::inputs::Cell;
use crate::model::{self, body};
use crate::simulation::Simulation;
use holonom::forces::{CoordinateForce, UserForce};
use holonom::math::Vec3;
use holonom::{Attachment, JointId, Simulation as Engine};
use holonom_run::inputs;
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// What a Python function has raised, until somebody takes it.
#[derive(Clone, Default)]
pub(crate) struct Raised(Arc<Mutex<Option<PyErr>>>);

impl Raised {
    pub fn take(&self) -> Option<PyErr> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    fn keep(&self, e: PyErr) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(e);
    }

    pub fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

/// A force that was added to a simulation.
#[derive(Clone)]
pub(crate) struct Added {
    pub name: String,
    pub what: What,
}

/// What kind of force it is.
#[derive(Clone)]
pub(crate) enum What {
    /// An input.
    Effort { at: (JointId, usize), cell: Cell, limit: f64 },
    /// A function of coordinate, rate and time.
    Coordinate { at: (JointId, usize), function: Arc<Py<PyAny>>, raised: Raised },
    /// A function of time, places and velocities of points.
    Points { points: Vec<Attachment>, function: Arc<Py<PyAny>>, raised: Raised },
}

impl Added {
    /// The Python function that it calls, if it is one.
    pub fn function(&self) -> Option<&Py<PyAny>> {
        match &self.what {
            What::Effort { .. } => None,
            What::Coordinate { function, .. } | What::Points { function, .. } => Some(function),
        }
    }

    /// The same for another simulation: inputs of its own, and its own place for exceptions.
    pub fn detached(&self, raised: &Raised) -> Added {
        let raised = raised.clone();
        let what = match self.what.clone() {
            What::Effort { at, cell, limit } => What::Effort { at, cell: cell.detached(), limit },
            What::Coordinate { at, function, .. } => What::Coordinate { at, function, raised },
            What::Points { points, function, .. } => What::Points { points, function, raised },
        };
        Added { name: self.name.clone(), what }
    }

    /// Add it to a simulation of a model with the same bodies and joints.
    pub fn add(&self, sim: &mut Engine) -> PyResult<()> {
        let model = sim.model().clone();
        let edited = match self.what.clone() {
            What::Effort { at, cell, limit } => inputs::add_effort(sim, &self.name, at, &cell, limit),
            What::Coordinate { at: (joint, i), function, raised } => {
                let law = move |q: f64, rate: f64, t: f64| on_coordinate(&function, &raised, [q, rate, t]);
                sim.add_force(&self.name, CoordinateForce::new(model.coordinate(joint, i), law))
                    .map(|(_, edited)| edited)
            }
            What::Points { points, function, raised } => {
                let n = points.len();
                let law = move |a: &holonom::attach::View, t: f64, push: &mut holonom::forces::Push| {
                    let seen: Vec<_> = (0..n).map(|k| a.get(k)).collect();
                    let places = seen.iter().map(|a| a.at.to_array()).collect();
                    let rates = seen.iter().map(|a| a.rate.to_array()).collect();
                    for (k, f) in on_points(&function, &raised, t, places, rates).into_iter().enumerate() {
                        push.on(k, f);
                    }
                };
                sim.add_force(&self.name, UserForce::new(points, law)).map(|(_, edited)| edited)
            }
        };
        edited.map(|_| ()).map_err(|e| usage(e.to_string()))
    }
}

/// A finite number from a function, or zero.
fn on_coordinate(function: &Py<PyAny>, raised: &Raised, [q, rate, t]: [f64; 3]) -> f64 {
    if !raised.is_empty() {
        return 0.0;
    }
    Python::attach(|py| {
        let answer = function.call1(py, (q, rate, t)).and_then(|f| f.extract::<f64>(py));
        let finite = answer.and_then(|f| match f.is_finite() {
            true => Ok(f),
            false => Err(usage(format!("a force function returned {f} at t = {t} s, must be finite"))),
        });
        finite.unwrap_or_else(|e| {
            raised.keep(e);
            0.0
        })
    })
}

/// A force for each point from a function, or none.
fn on_points(function: &Py<PyAny>, raised: &Raised, t: f64, places: Vec<[f64; 3]>, rates: Vec<[f64; 3]>) -> Vec<Vec3> {
    if !raised.is_empty() {
        return Vec::new();
    }
    let n = places.len();
    Python::attach(|py| {
        let ask = || -> PyResult<Vec<Vec3>> {
            let (places, rates) = (crate::arrays::table(py, places)?, crate::arrays::table(py, rates)?);
            let answer = function.bind(py).call1((t, places, rates))?;
            // one force for one point may come without the outer list
            let forces: Vec<[f64; 3]> = match answer.extract::<[f64; 3]>() {
                Ok(one) => vec![one],
                Err(_) => answer.extract()?,
            };
            if forces.len() != n {
                return Err(usage(format!("a force function returned {} forces for {n} points", forces.len())));
            }
            crate::arrays::finite("what a force function returned", forces.as_flattened())?;
            Ok(forces.into_iter().map(Vec3::from_array).collect())
        };
        ask().unwrap_or_else(|e| {
            raised.keep(e);
            Vec::new()
        })
    })
}

#[pymethods]
impl Simulation {
    /// A force of your own on points of bodies: `at` lists (body, point in the body's axes, m), and
    /// `function(time, positions, velocities)` returns a force (N, world axes) for each; both arrays are (points, 3).
    /// It is called at every evaluation and holds the interpreter while it runs.
    #[pyo3(signature = (name, function, at))]
    fn add_force(
        &mut self,
        py: Python<'_>,
        name: String,
        function: Py<PyAny>,
        at: Vec<(String, [f64; 3])>,
    ) -> PyResult<()> {
        callable(py, &function)?;
        if at.is_empty() {
            return Err(usage(format!("the force `{name}` acts on no point")));
        }
        let mut points = Vec::new();
        for (of, point) in &at {
            crate::arrays::finite("at", point)?;
            points.push(body(self.run.sim.model(), of)?.at(*point).p());
        }
        let raised = self.raised.clone();
        self.add(Added { name, what: What::Points { points, function: Arc::new(function), raised } })?;
        self.after()
    }

    /// A force (N) or torque (N m) of your own along a joint coordinate: `function(value, rate, time)`.
    fn add_coordinate_force(
        &mut self,
        py: Python<'_>,
        name: String,
        coordinate: &str,
        function: Py<PyAny>,
    ) -> PyResult<()> {
        callable(py, &function)?;
        let at = model::coordinate(self.run.sim.model(), coordinate)?;
        let raised = self.raised.clone();
        self.add(Added { name, what: What::Coordinate { at, function: Arc::new(function), raised } })?;
        self.after()
    }
}

fn callable(py: Python<'_>, function: &Py<PyAny>) -> PyResult<()> {
    match function.bind(py).is_callable() {
        true => Ok(()),
        false => Err(pyo3::exceptions::PyTypeError::new_err("the function of a force must be callable")),
    }
}
