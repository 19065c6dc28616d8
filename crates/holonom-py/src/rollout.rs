//! Runs that are gone through backwards: gradients by parameters, by the start and by controls.

use crate::along::Directions;
use crate::answers::result;
use crate::arrays::{finite, matrix};
use crate::errors::{answer_error, usage};
use crate::model::Model;
use crate::state::State;
use holonom::answers::{self, PushAlong, RolloutOptions, RolloutParameter, RolloutTable};
use numpy::{AllowTypeChange, IntoPyArray, PyArray1, PyArray2, PyArrayLikeDyn};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::collections::BTreeMap;

type Matrix<'py> = Bound<'py, PyArray2<f64>>;
type Table<'py> = PyArrayLikeDyn<'py, f64, AllowTypeChange>;

/// Entries that states of a run may be looked at in, and controls may have.
const MOST: usize = 1 << 26;

/// A run with fixed steps of the integrator `rk4`, from which gradients are had: of any objective of what was observed,
/// by parameters of the scene, by the state it began in, and by controls of every step. `Model.rollout` makes one.
#[pyclass(module = "holonom", frozen)]
pub(crate) struct Rollout {
    run: answers::Rollout,
    table: RolloutTable,
    along: Vec<PushAlong>,
    scene: Py<Model>,
    times: Vec<f64>,
    controls: usize,
}

/// Numbers row by row, of this many rows and columns; of one column also a plain list.
fn entries(what: &str, given: Option<&Table<'_>>, (rows, columns): (usize, usize)) -> PyResult<Vec<f64>> {
    let Some(given) = given else { return Ok(vec![0.0; rows * columns]) };
    let array = given.as_array();
    let fits = array.shape() == [rows, columns] || columns == 1 && array.shape() == [rows];
    if !fits {
        return Err(usage(format!("{what} has the shape {:?}, must be ({rows}, {columns})", array.shape())));
    }
    let all: Vec<f64> = array.iter().copied().collect();
    finite(what, &all)?;
    Ok(all)
}

/// Names of parameters, those that are none of the scene's with their present values.
#[derive(FromPyObject)]
pub(crate) enum Parameters {
    One(String),
    Names(Vec<String>),
    Values(BTreeMap<String, f64>),
}

impl Parameters {
    fn resolve(self, scene: &Model) -> PyResult<Vec<(String, f64)>> {
        let known = scene.parameters();
        let of = |name: String| match known.get(&name) {
            Some(value) => Ok((name, *value)),
            None => {
                let message = format!("`{name}` is no parameter of the scene: give its present value too, in a dict");
                Err(usage(message))
            }
        };
        match self {
            Parameters::One(name) => Ok(vec![of(name)?]),
            Parameters::Names(names) => names.into_iter().map(of).collect(),
            Parameters::Values(values) => Ok(values.into_iter().collect()),
        }
    }
}

#[pymethods]
impl Model {
    /// Run for `duration` seconds with equal steps of `dt` seconds of the integrator `rk4`, and observe coordinates
    /// (names) or points (`PushAlong.point`). `controls` are pushes along coordinates or points, `sizes` how large each
    /// is during each step, (steps, controls), N or N m. It begins where the scene begins, or at `start`. Contacts,
    /// limits, ropes and dry friction are refused: gradients are not defined there.
    #[pyo3(signature = (duration, dt, observe, controls = None, sizes = None, start = None))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn rollout(
        slf: PyRef<'_, Self>,
        py: Python<'_>,
        duration: f64,
        dt: f64,
        observe: Directions,
        controls: Option<Directions>,
        sizes: Option<Table<'_>>,
        start: Option<PyRef<'_, State>>,
    ) -> PyResult<Rollout> {
        finite("duration and dt", &[duration, dt])?;
        let steps = (duration / dt).round();
        if !(dt > 0.0 && duration >= 0.0 && steps < MOST as f64) {
            return Err(usage(format!(
                "{duration} s in steps of {dt} s: dt must be greater than 0, at most {MOST} steps"
            )));
        }
        let model = slf.model.clone();
        let along = observe.resolve(&model)?;
        let controls = controls.map_or(Ok(Vec::new()), |c| c.resolve(&model))?;
        let steps = steps as usize;
        if (steps + 1).saturating_mul(along.len().max(controls.len()).max(1)) > MOST {
            return Err(usage(format!("{steps} steps of so many numbers are too many, at most {MOST} in all")));
        }
        let mut options = RolloutOptions::new(dt, steps);
        options.sizes = entries("sizes", sizes.as_ref(), (steps, controls.len()))?;
        let n_controls = controls.len();
        options.controls = controls;
        let start = start.map(|s| s.state.clone());
        if start.as_ref().is_some_and(|s| s.q.len() != model.n_q() || s.v.len() != model.n_v()) {
            return Err(usage("the state belongs to another model"));
        }
        let found = py.detach(|| answers::Rollout::watched(&model, start.as_ref(), options, &along));
        let (run, table) = found.map_err(|e| answer_error(&e))?;
        let begin = start.map_or(model.initial_state().t, |s| s.t);
        let times = (0..=steps).map(|k| begin + k as f64 * dt).collect();
        Ok(Rollout { run, table, along, scene: slf.into(), times, controls: n_controls })
    }
}

#[pymethods]
impl Rollout {
    /// Times of the states, s.
    #[getter]
    fn times<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.times.clone().into_pyarray(py)
    }

    /// What was observed, (steps + 1, observed): coordinates, turns counted, and places of points, m or rad.
    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> PyResult<Matrix<'py>> {
        matrix(py, self.times.len(), self.along.len(), self.table.values.clone())
    }

    /// Rates of what was observed, (steps + 1, observed), m/s or rad/s.
    #[getter]
    fn rates<'py>(&self, py: Python<'py>) -> PyResult<Matrix<'py>> {
        matrix(py, self.times.len(), self.along.len(), self.table.rates.clone())
    }

    /// The state at the end, a copy.
    #[getter]
    fn last(&self) -> State {
        State { model: self.scene.get().model.clone(), state: self.run.last().clone() }
    }

    /// The gradient of an objective L(values, rates), from its derivatives by every entry of `values` and `rates`,
    /// arrays of their shape; what is not given is zero. `parameters` are names of parameters of the scene, or a dict
    /// of any numbers that `set` of `load` can change, with their present values; where the run began as the scene
    /// begins they move that too. One run backwards, whatever the number of parameters.
    #[pyo3(signature = (values = None, rates = None, parameters = None))]
    fn gradient<'py>(
        &self,
        py: Python<'py>,
        values: Option<Table<'_>>,
        rates: Option<Table<'_>>,
        parameters: Option<Parameters>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let shape = (self.times.len(), self.along.len());
        let by = RolloutTable {
            values: entries("values", values.as_ref(), shape)?,
            rates: entries("rates", rates.as_ref(), shape)?,
        };
        let scene = self.scene.clone_ref(py);
        let scene = scene.get();
        let names = parameters.map_or(Ok(Vec::new()), |p| p.resolve(scene))?;
        let found = py.detach(|| {
            let made = names.iter().map(|(name, value)| parameter(scene, name, *value));
            let made = made.collect::<PyResult<Vec<_>>>()?;
            self.run.watched_gradient(&made, &self.along, &by).map_err(|e| answer_error(&e))
        })?;
        let by_name = PyDict::new(py);
        for ((name, _), x) in names.iter().zip(&found.parameters) {
            by_name.set_item(name, x)?;
        }
        result(py, "RolloutGradient", |d| {
            d.set_item("parameters", by_name)?;
            d.set_item("position", found.position.into_pyarray(py))?;
            d.set_item("velocity", found.velocity.into_pyarray(py))?;
            d.set_item("controls", matrix(py, self.run.steps(), self.controls, found.controls)?)
        })
    }

    /// How what was observed changes with parameters: by name the derivatives of `values` and of `rates`, in their
    /// shape. Forwards, some runs for each parameter: for least squares with few parameters. `parameters` as for
    /// `gradient`.
    fn derivatives<'py>(&self, py: Python<'py>, parameters: Parameters) -> PyResult<Bound<'py, PyDict>> {
        let scene = self.scene.clone_ref(py);
        let scene = scene.get();
        let out = PyDict::new(py);
        for (name, value) in parameters.resolve(scene)? {
            let found = py.detach(|| {
                let made = parameter(scene, &name, value)?;
                self.run.watched_tangent(&made, &self.along).map_err(|e| answer_error(&e))
            })?;
            let (rows, n) = (self.times.len(), self.along.len());
            out.set_item(name, (matrix(py, rows, n, found.values)?, matrix(py, rows, n, found.rates)?))?;
        }
        Ok(out)
    }

    fn __repr__(&self) -> String {
        let (n, steps) = (self.along.len(), self.run.steps());
        format!("<holonom.Rollout: {steps} steps, {n} observed>")
    }
}

/// Models for a little less and a little more of a number of the scene.
fn parameter(scene: &Model, name: &str, value: f64) -> PyResult<RolloutParameter> {
    let unit = if value == 0.0 { 1.0 } else { value.abs() };
    let mut failed = None;
    let made = RolloutParameter::new(value, unit, |x| {
        scene.remade(&[(name.to_string(), x)]).map_err(|e| {
            failed.get_or_insert(e);
            let reason = "no model could be made".into();
            holonom::ModelError::Force { force: name.to_string(), kind: "parameter", reason }
        })
    });
    match (made, failed) {
        (_, Some(e)) => Err(e),
        (made, None) => made.map_err(|e| answer_error(&e)),
    }
}
