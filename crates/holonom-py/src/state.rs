//! States: small, copied freely, as bytes for files.

use crate::arrays::finite;
use crate::errors::usage;
use crate::model::Model;
use numpy::{AllowTypeChange, IntoPyArray, PyArray1, PyArrayLike1};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::Arc;

/// An array of numbers, or what can be made one.
type Numbers<'py> = PyArrayLike1<'py, f64, AllowTypeChange>;

/// Positions, velocities, time, and what a bit-equal resume needs besides.
#[pyclass(module = "holonom", frozen)]
pub(crate) struct State {
    pub model: Arc<holonom::Model>,
    pub state: holonom::State,
}

#[pymethods]
impl State {
    /// Time, s.
    #[getter]
    fn time(&self) -> f64 {
        self.state.t
    }

    /// Position coordinates of all bodies, in order: a copy (m, quaternions w, x, y, z, ...).
    #[getter]
    fn q<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.state.q.clone().into_pyarray(py)
    }

    /// Velocity coordinates of all bodies, in order: a copy (m/s, rad/s).
    #[getter]
    fn v<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.state.v.clone().into_pyarray(py)
    }

    /// The same with other position coordinates, velocity coordinates or time (s). Give it to a simulation and call
    /// `project()` unless the change suits the joints.
    #[pyo3(signature = (*, q = None, v = None, time = None))]
    fn replace(&self, q: Option<Numbers<'_>>, v: Option<Numbers<'_>>, time: Option<f64>) -> PyResult<State> {
        let mut state = self.state.clone();
        for (what, given, slot) in [("q", q, &mut state.q), ("v", v, &mut state.v)] {
            let Some(given) = given else { continue };
            let given: Vec<f64> = given.as_array().iter().copied().collect();
            if given.len() != slot.len() {
                return Err(usage(format!("{what} has {} numbers, the model {}", given.len(), slot.len())));
            }
            finite(what, &given)?;
            *slot = given;
        }
        if let Some(time) = time {
            finite("time", &[time])?;
            state.t = time;
        }
        Ok(State { model: self.model.clone(), state })
    }

    /// A copy.
    fn copy(&self) -> State {
        State { model: self.model.clone(), state: self.state.clone() }
    }

    fn __copy__(&self) -> State {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> State {
        self.copy()
    }

    /// As bytes: small, complete, with a checksum, the same on every machine.
    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.state.to_bytes())
    }

    /// Read back what `to_bytes` wrote, for a model of the same scene.
    #[staticmethod]
    fn from_bytes(model: &Model, data: &[u8]) -> PyResult<State> {
        let state = holonom::State::from_bytes(&model.model, data).map_err(|e| usage(e.to_string()))?;
        Ok(State { model: model.model.clone(), state })
    }

    /// 64 bits over everything in the state as 16 digits, as the command prints them.
    fn hash(&self) -> String {
        format!("{:016x}", self.state.hash())
    }

    fn __eq__(&self, other: &State) -> bool {
        self.state == other.state
    }

    fn __hash__(&self) -> u64 {
        self.state.hash()
    }

    fn __repr__(&self) -> String {
        let (q, v) = (self.state.q.len(), self.state.v.len());
        format!("<holonom.State at t = {} s: {q} positions, {v} velocities>", self.state.t)
    }
}
