//! One factor, many answers: the equations of motion at one state, evaluated and factored once, and asked any number of
//! times. What `holonom::answers::HeldFactor` does, with arrays.

use crate::along::{Direction, Directions};
use crate::answers::result;
use crate::arrays::{finite, matrix};
use crate::errors::{answer_error, usage};
use crate::forces::Raised;
use crate::model::Model as Scene;
use crate::simulation::Simulation;
use crate::state::State;
use holonom::answers::{self, Derivative, Displacement, InverseDynamics, Response};
use holonom::{Model, StepError};
use numpy::ndarray::Array2;
use numpy::{AllowTypeChange, IntoPyArray, PyArray1, PyArray2, PyArrayLike1, PyArrayLikeDyn};
use pyo3::prelude::*;
use std::sync::Arc;

type Array1<'py> = Bound<'py, PyArray1<f64>>;
type Matrix<'py> = Bound<'py, PyArray2<f64>>;
pub(crate) type Numbers<'py> = PyArrayLike1<'py, f64, AllowTypeChange>;

/// The equations of motion at one state, evaluated and factored: any number of questions at the cost of a solve each,
///
///     M a - J^T lambda = F        J a + c = 0
///
/// in the velocity coordinates of all bodies (`Model.velocity_range`). Contacts, stops, ropes and dry friction are left
/// out of it. It belongs to the state that it was made at, whatever the simulation does afterwards; `move_to` takes it
/// to another.
#[pyclass(module = "holonom")]
pub(crate) struct HeldFactor {
    held: answers::HeldFactor,
    scene: Py<Scene>,
    raised: Raised,
}

/// Finite numbers of the length that is wanted.
pub(crate) fn numbers(what: &str, given: &Numbers<'_>, n: usize) -> PyResult<Vec<f64>> {
    let given: Vec<f64> = given.as_array().iter().copied().collect();
    if given.len() != n {
        return Err(usage(format!("{what}: {} numbers, must be {n}", given.len())));
    }
    finite(what, &given)?;
    Ok(given)
}

fn optional(what: &str, given: Option<&Numbers<'_>>, n: usize) -> PyResult<Vec<f64>> {
    given.map_or(Ok(Vec::new()), |g| numbers(what, g, n))
}

/// Rows of equal length, or one of them.
struct Sides {
    rows: Vec<Vec<f64>>,
    single: bool,
}

impl Sides {
    fn of(what: &str, given: &PyArrayLikeDyn<'_, f64, AllowTypeChange>, n: usize) -> PyResult<Sides> {
        let array = given.as_array();
        let (single, width) = match array.shape() {
            [width] => (true, *width),
            [_, width] => (false, *width),
            shape => return Err(usage(format!("{what} has {} dimensions, must be 1 or 2", shape.len()))),
        };
        if width != n {
            return Err(usage(format!("{what}: {width} numbers in a row, must be {n}")));
        }
        let all: Vec<f64> = array.iter().copied().collect();
        finite(what, &all)?;
        Ok(Sides { rows: all.chunks(n.max(1)).map(<[f64]>::to_vec).collect(), single })
    }
}

/// A row, or rows.
fn stacked<'py>(py: Python<'py>, rows: Vec<Vec<f64>>, n: usize, single: bool) -> PyResult<Bound<'py, PyAny>> {
    let count = rows.len();
    let flat: Vec<f64> = rows.into_iter().flatten().collect();
    match single {
        true => Ok(flat.into_pyarray(py).into_any()),
        false => Ok(matrix(py, count, n, flat)?.into_any()),
    }
}

fn response<'py>(py: Python<'py>, r: Response) -> PyResult<Bound<'py, PyAny>> {
    result(py, "Response", |d| {
        d.set_item("acceleration", r.acceleration.into_pyarray(py))?;
        d.set_item("multipliers", r.multipliers.into_pyarray(py))
    })
}

fn efforts<'py>(py: Python<'py>, found: InverseDynamics) -> PyResult<Bound<'py, PyAny>> {
    let unique = found.is_unique();
    result(py, "InverseDynamics", |d| {
        d.set_item("efforts", found.efforts.into_pyarray(py))?;
        d.set_item("multipliers", found.multipliers.into_pyarray(py))?;
        d.set_item("acceleration", found.acceleration.into_pyarray(py))?;
        d.set_item("rank", found.rank)?;
        d.set_item("missed", found.missed)?;
        d.set_item("unique", unique)
    })
}

fn derivative<'py>(py: Python<'py>, found: Derivative) -> PyResult<Bound<'py, PyAny>> {
    result(py, "Derivative", |d| {
        d.set_item("acceleration", found.acceleration.into_pyarray(py))?;
        d.set_item("multipliers", found.multipliers.into_pyarray(py))?;
        d.set_item("error", found.error)
    })
}

/// Derivatives as columns: entry (i, j) is that of number i by coordinate j.
fn columns<'py>(py: Python<'py>, n: usize, all: &[Derivative], of: impl Fn(&Derivative) -> &[f64]) -> Matrix<'py> {
    Array2::from_shape_fn((n, all.len()), |(i, j)| of(&all[j])[i]).into_pyarray(py)
}

impl HeldFactor {
    fn model(&self) -> &Arc<Model> {
        self.held.model()
    }

    /// Ask with the interpreter released; the exception of a Python force first.
    fn ask<T: Send>(
        &mut self,
        py: Python<'_>,
        question: impl FnOnce(&mut answers::HeldFactor) -> Result<T, StepError> + Send,
    ) -> PyResult<T> {
        let held = &mut self.held;
        let found = py.detach(|| question(held));
        self.raised.take().map_or(Ok(()), Err)?;
        found.map_err(|e| answer_error(&e))
    }

    fn displacement(
        &self,
        position: Option<&Numbers<'_>>,
        velocity: Option<&Numbers<'_>>,
        force: Option<&Numbers<'_>>,
    ) -> PyResult<Displacement> {
        let n = self.held.n_v();
        Ok(Displacement {
            position: optional("position", position, n)?,
            velocity: optional("velocity", velocity, n)?,
            force: optional("force", force, n)?,
        })
    }
}

#[pymethods]
impl HeldFactor {
    /// Number of velocity coordinates of all bodies.
    #[getter]
    fn n_v(&self) -> usize {
        self.held.n_v()
    }

    /// Number of constraint equations, and of multipliers.
    #[getter]
    fn n_rows(&self) -> usize {
        self.held.n_rows()
    }

    /// The state that it belongs to, a copy.
    #[getter]
    fn state(&self) -> State {
        State { model: self.model().clone(), state: self.held.state().clone() }
    }

    /// Factorisations and solves since it was made, where the solver counts them.
    #[getter]
    fn counts(&self) -> Option<(usize, usize)> {
        self.held.counts().map(|c| (c.factors, c.backward))
    }

    /// F: all forces at the state, gravity and inertial ones included, per velocity coordinate, N and N m.
    #[getter]
    fn force<'py>(&self, py: Python<'py>) -> Array1<'py> {
        self.held.force().to_vec().into_pyarray(py)
    }

    /// Of `force`, what force laws (springs, dampers, motors that push) contribute.
    #[getter]
    fn applied_force<'py>(&self, py: Python<'py>) -> Array1<'py> {
        self.held.applied_force().to_vec().into_pyarray(py)
    }

    /// c of J a + c = 0, per row.
    #[getter]
    fn row_acceleration<'py>(&self, py: Python<'py>) -> Array1<'py> {
        self.held.row_acceleration().to_vec().into_pyarray(py)
    }

    /// Evaluate and factor anew at another state of the same model.
    fn move_to(&mut self, py: Python<'_>, state: &State) -> PyResult<()> {
        let mine = self.model();
        if state.state.q.len() != mine.n_q() || state.state.v.len() != mine.n_v() {
            return Err(usage("the state belongs to another model"));
        }
        let state = state.state.clone();
        self.ask(py, |held| held.move_to(&state))
    }

    /// Let a generalised force (per velocity coordinate, N and N m) act besides those of the model, in everything that
    /// is asked from here on.
    fn add_force(&mut self, force: Numbers<'_>) -> PyResult<()> {
        let force = numbers("force", &force, self.held.n_v())?;
        self.held.add_force(&force);
        Ok(())
    }

    /// M x of the bodies, x per velocity coordinate.
    fn mass_times<'py>(&self, py: Python<'py>, x: Numbers<'_>) -> PyResult<Array1<'py>> {
        Ok(self.held.mass_times(&numbers("x", &x, self.held.n_v())?).into_pyarray(py))
    }

    /// Solve M a - J^T lambda = f, - J a = r for right-hand sides [f, r], (n_v + n_rows,) or (k, n_v + n_rows): [a,
    /// lambda] in the same shape. One solve each, and no factorisation.
    fn solve<'py>(
        &mut self,
        py: Python<'py>,
        sides: PyArrayLikeDyn<'py, f64, AllowTypeChange>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let n = self.held.n_v() + self.held.n_rows();
        let Sides { mut rows, single } = Sides::of("right-hand sides", &sides, n)?;
        let rows = self.ask(py, |held| {
            rows.iter_mut().try_for_each(|row| held.solve(row))?;
            Ok(rows)
        })?;
        stacked(py, rows, n, single)
    }

    /// What generalised forces (N and N m; of impulses N s and N m s) do by themselves: accelerations (jumps of
    /// velocity) and multipliers. `force` is (n_v,), or (k, n_v) for k of them; the answers have its shape.
    fn respond<'py>(
        &mut self,
        py: Python<'py>,
        force: PyArrayLikeDyn<'py, f64, AllowTypeChange>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (n, n_rows) = (self.held.n_v(), self.held.n_rows());
        let Sides { rows, single } = Sides::of("force", &force, n)?;
        let found = self.ask(py, |held| rows.iter().map(|f| held.respond(f)).collect::<Result<Vec<_>, _>>())?;
        let (a, l): (Vec<_>, Vec<_>) = found.into_iter().map(|r| (r.acceleration, r.multipliers)).unzip();
        result(py, "Response", |d| {
            d.set_item("acceleration", stacked(py, a, n, single)?)?;
            d.set_item("multipliers", stacked(py, l, n_rows, single)?)
        })
    }

    /// What a push of this size (N or N m) along a direction does by itself.
    #[pyo3(signature = (along, size = 1.0))]
    fn push<'py>(&mut self, py: Python<'py>, along: Direction, size: f64) -> PyResult<Bound<'py, PyAny>> {
        finite("size", &[size])?;
        let along = along.resolve(self.model())?;
        response(py, self.ask(py, |held| held.push(&along, size))?)
    }

    /// The motion under all forces of the model, without contacts: accelerations (m/s^2, rad/s^2) and multipliers.
    fn accelerations<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        response(py, self.ask(py, answers::HeldFactor::accelerations)?)
    }

    /// Jacobian of directions, (directions, n_v): times velocities it gives the speeds along them.
    fn jacobian<'py>(&mut self, py: Python<'py>, along: Directions) -> PyResult<Matrix<'py>> {
        let along = along.resolve(self.model())?;
        let n = self.held.n_v();
        let found = self.ask(py, |held| held.jacobian(&along))?;
        matrix(py, along.len(), n, found)
    }

    /// What velocities alone make of the accelerations along directions, m/s^2 or rad/s^2: d(J v)/dt = J a + this.
    fn jacobian_dot_v<'py>(&mut self, py: Python<'py>, along: Directions) -> PyResult<Array1<'py>> {
        let along = along.resolve(self.model())?;
        Ok(self.ask(py, |held| held.jacobian_dot_v(&along))?.into_pyarray(py))
    }

    /// Accelerations along each direction for unit pushes along each other, joints held: the inverse inertia in
    /// operational space, (directions, directions). One solve for each direction.
    fn mobility<'py>(&mut self, py: Python<'py>, along: Directions) -> PyResult<Matrix<'py>> {
        let along = along.resolve(self.model())?;
        let found = self.ask(py, |held| held.mobility(&along))?;
        matrix(py, along.len(), along.len(), found)
    }

    /// Force over acceleration along a direction, kg or kg m^2: what one feels who pushes there. Infinite where joints
    /// allow no motion.
    fn effective_mass(&mut self, py: Python<'_>, along: Direction) -> PyResult<f64> {
        let along = along.resolve(self.model())?;
        self.ask(py, |held| held.effective_mass(&along))
    }

    /// J M^-1 J^T of the rows of these joints, all others left out: the Delassus matrix of the bodies alone.
    fn delassus<'py>(&mut self, py: Python<'py>, joints: Vec<String>) -> PyResult<Matrix<'py>> {
        let ids = joints.iter().map(|j| crate::model::joint(self.model(), j)).collect::<PyResult<Vec<_>>>()?;
        let n = self.held.joint_rows(&ids).len();
        let found = self.ask(py, |held| held.delassus(&ids))?;
        matrix(py, n, n, found)
    }

    /// Rows of J of these joints, (rows, n_v).
    fn joint_rows<'py>(&mut self, py: Python<'py>, joints: Vec<String>) -> PyResult<Matrix<'py>> {
        let ids = joints.iter().map(|j| crate::model::joint(self.model(), j)).collect::<PyResult<Vec<_>>>()?;
        let rows = self.held.joint_rows(&ids);
        matrix(py, rows.len(), self.held.n_v(), rows.into_iter().flatten().collect())
    }

    /// The efforts (N or N m) along directions with which all velocity coordinates accelerate as wanted. Unique where
    /// there are as many as the mechanism has freedom; the smallest sum of (effort / scale)^2 where there are more;
    /// nearest in the metric of the masses where fewer, and `missed` says what is left. Loops need no care.
    #[pyo3(signature = (acceleration, along, scales = None))]
    fn inverse_dynamics<'py>(
        &mut self,
        py: Python<'py>,
        acceleration: Numbers<'_>,
        along: Directions,
        scales: Option<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let acceleration = numbers("acceleration", &acceleration, self.held.n_v())?;
        let along = along.resolve(self.model())?;
        efforts(py, self.ask(py, |held| held.inverse_dynamics(&acceleration, &along, scales.as_deref()))?)
    }

    /// The efforts (N or N m) along directions with which the accelerations along them (m/s^2, rad/s^2) are as wanted;
    /// what the mechanism is free to do besides, it does by itself.
    #[pyo3(signature = (along, wanted, scales = None))]
    fn efforts_for<'py>(
        &mut self,
        py: Python<'py>,
        along: Directions,
        wanted: Vec<f64>,
        scales: Option<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let along = along.resolve(self.model())?;
        efforts(py, self.ask(py, |held| held.efforts_for(&along, &wanted, scales.as_deref()))?)
    }

    /// The derivative of accelerations and multipliers along a change of positions (in velocity coordinates),
    /// velocities and generalised forces; what is not given stays. Along a change that `legal` gives it is the
    /// derivative on the constraint manifold.
    #[pyo3(signature = (position = None, velocity = None, force = None))]
    fn derivative<'py>(
        &mut self,
        py: Python<'py>,
        position: Option<Numbers<'_>>,
        velocity: Option<Numbers<'_>>,
        force: Option<Numbers<'_>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let along = self.displacement(position.as_ref(), velocity.as_ref(), force.as_ref())?;
        derivative(py, self.ask(py, |held| held.derivative(&along))?)
    }

    /// Of numbers `weights . a` of the motion, weights per velocity coordinate, (n_v,) or (k, n_v): derivatives by
    /// displacements, by velocities and by generalised forces, each in the shape of the weights. One solve and one look
    /// at all parts of the mechanism for each number: rows of the matrices that `derivatives` finds column by column.
    fn pull_back<'py>(
        &mut self,
        py: Python<'py>,
        weights: PyArrayLikeDyn<'py, f64, AllowTypeChange>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (n, n_rows) = (self.held.n_v(), self.held.n_rows());
        let Sides { rows, single } = Sides::of("weights", &weights, n)?;
        let of = |acceleration| Response { acceleration, multipliers: vec![0.0; n_rows] };
        let of: Vec<Response> = rows.into_iter().map(of).collect();
        let found = self.ask(py, |held| held.pull_back(&of))?;
        let (mut q, mut v, mut f) = (Vec::new(), Vec::new(), Vec::new());
        for d in found {
            q.push(d.position);
            v.push(d.velocity);
            f.push(d.force);
        }
        Ok((stacked(py, q, n, single)?, stacked(py, v, n, single)?, stacked(py, f, n, single)?))
    }

    /// The derivatives by every velocity coordinate, and by a displacement along each.
    fn derivatives<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (n, n_rows) = (self.held.n_v(), self.held.n_rows());
        let found = self.ask(py, answers::HeldFactor::derivatives)?;
        let (q, v) = (&found.by_position, &found.by_velocity);
        let error = q.iter().chain(v).fold(0.0, |m: f64, d| m.max(d.error));
        result(py, "Derivatives", |d| {
            d.set_item("acceleration_by_position", columns(py, n, q, |x| &x.acceleration))?;
            d.set_item("acceleration_by_velocity", columns(py, n, v, |x| &x.acceleration))?;
            d.set_item("multipliers_by_position", columns(py, n_rows, q, |x| &x.multipliers))?;
            d.set_item("multipliers_by_velocity", columns(py, n_rows, v, |x| &x.multipliers))?;
            d.set_item("error", error)
        })
    }

    /// The derivative by a parameter of the scene (`Model.parameters`), or by any number that `set` of `load` can
    /// change, such as `body.rod.mass`, whose present `value` is then to be given; positions and velocities of the
    /// bodies stay. `unit` is a change that would matter, the value itself (or 1) unless given.
    #[pyo3(signature = (name, value = None, unit = None))]
    fn derivative_by_parameter<'py>(
        &mut self,
        py: Python<'py>,
        name: &str,
        value: Option<f64>,
        unit: Option<f64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let scene = self.scene.clone_ref(py);
        let scene = scene.get();
        let value = match value.or_else(|| scene.parameters().get(name).copied()) {
            Some(value) => value,
            None => return Err(usage(format!("`{name}` is no parameter of the scene: give its present value too"))),
        };
        let unit = unit.unwrap_or(if value == 0.0 { 1.0 } else { value.abs() });
        let mut failed = None;
        let found = self.ask(py, |held| {
            let make = |x| {
                scene.remade(&[(name.to_string(), x)]).map_err(|e| {
                    failed.get_or_insert(e);
                    let reason = "no model could be made".into();
                    holonom::ModelError::Force { force: name.to_string(), kind: "parameter", reason }
                })
            };
            held.derivative_by_parameter(value, unit, make)
        });
        match (found, failed) {
            (Ok(found), _) => derivative(py, found),
            (Err(_), Some(e)) => Err(e),
            (Err(e), None) => Err(e),
        }
    }

    /// The nearest legal change, in the metric of the masses: (position, velocity) that keep joints closed and
    /// velocities legal.
    #[pyo3(signature = (position = None, velocity = None))]
    fn legal<'py>(
        &mut self,
        py: Python<'py>,
        position: Option<Numbers<'_>>,
        velocity: Option<Numbers<'_>>,
    ) -> PyResult<(Array1<'py>, Array1<'py>)> {
        let along = self.displacement(position.as_ref(), velocity.as_ref(), None)?;
        let found = self.ask(py, |held| held.legal(&along))?;
        Ok((found.position.into_pyarray(py), found.velocity.into_pyarray(py)))
    }

    /// What must push besides, for these accelerations and multipliers to be a motion: M a - J^T lambda - F.
    fn force_left_over<'py>(
        &mut self,
        py: Python<'py>,
        acceleration: Numbers<'_>,
        multipliers: Numbers<'_>,
    ) -> PyResult<Array1<'py>> {
        let a = numbers("acceleration", &acceleration, self.held.n_v())?;
        let l = numbers("multipliers", &multipliers, self.held.n_rows())?;
        Ok(self.ask(py, |held| Ok(held.force_left_over(&a, &l)))?.into_pyarray(py))
    }

    /// The equations in joint coordinates at this state.
    fn joint_equations(&mut self, py: Python<'_>) -> PyResult<JointEquations> {
        let equations = self.ask(py, answers::JointEquations::of)?;
        Ok(JointEquations { model: self.model().clone(), equations })
    }

    fn __repr__(&self) -> String {
        let (v, r, t) = (self.held.n_v(), self.held.n_rows(), self.held.state().t);
        format!("<holonom.HeldFactor at t = {t} s: {v} velocities, {r} rows>")
    }
}

/// The equations of motion in the rates w of the joints at one state,
///
///     mass_matrix wdot + bias = applied + efforts,        v = directions^T w
///
/// exact to rounding for trees. In loops some rates depend on others; the equations are in those that are left, which
/// `names` lists, and the dependent joints are passive. A body that hangs on no joint has its velocity coordinates for
/// rates: of the reference point, then angular, world axes.
#[pyclass(module = "holonom", frozen)]
pub(crate) struct JointEquations {
    model: Arc<Model>,
    equations: answers::JointEquations,
}

#[pymethods]
impl JointEquations {
    fn __len__(&self) -> usize {
        self.equations.len()
    }

    /// Names of the rates: of a joint or free body, and the number of the rate after a dot.
    #[getter]
    fn names(&self) -> Vec<String> {
        (0..self.equations.len()).map(|i| self.equations.name(i)).collect()
    }

    /// The rates w at the state, m/s or rad/s.
    #[getter]
    fn rates<'py>(&self, py: Python<'py>) -> Array1<'py> {
        self.equations.values().to_vec().into_pyarray(py)
    }

    /// The mass matrix, kg, kg m or kg m^2.
    #[getter]
    fn mass_matrix<'py>(&self, py: Python<'py>) -> PyResult<Matrix<'py>> {
        let n = self.equations.len();
        matrix(py, n, n, self.equations.mass_matrix().to_vec())
    }

    /// The efforts that no acceleration of the rates takes where no force law acts, N or N m: gravity, and all that is
    /// quadratic in velocities.
    #[getter]
    fn bias<'py>(&self, py: Python<'py>) -> Array1<'py> {
        self.equations.bias().to_vec().into_pyarray(py)
    }

    /// What force laws (springs, dampers) contribute, N or N m.
    #[getter]
    fn applied<'py>(&self, py: Python<'py>) -> Array1<'py> {
        self.equations.applied().to_vec().into_pyarray(py)
    }

    /// Velocity coordinates of all bodies for a unit of each rate, (rates, n_v).
    #[getter]
    fn directions<'py>(&self, py: Python<'py>) -> PyResult<Matrix<'py>> {
        let n = self.equations.len();
        let all = (0..n).flat_map(|i| self.equations.direction(i).to_vec()).collect();
        matrix(py, n, self.model.n_v(), all)
    }

    /// The efforts (N or N m) along the rates that make them accelerate like this (m/s^2, rad/s^2): inverse dynamics.
    fn efforts<'py>(&self, py: Python<'py>, wdot: Numbers<'_>) -> PyResult<Array1<'py>> {
        Ok(self.equations.efforts(&numbers("wdot", &wdot, self.equations.len())?).into_pyarray(py))
    }

    /// Accelerations of all velocity coordinates of the bodies when the rates accelerate like this.
    fn body_accelerations<'py>(&self, py: Python<'py>, wdot: Numbers<'_>) -> PyResult<Array1<'py>> {
        Ok(self.equations.body_accelerations(&numbers("wdot", &wdot, self.equations.len())?).into_pyarray(py))
    }

    /// Jacobian of directions by the rates, (directions, rates).
    fn jacobian<'py>(&self, py: Python<'py>, along: Directions) -> PyResult<Matrix<'py>> {
        let along = along.resolve(&self.model)?;
        let found = self.equations.jacobian(&along).map_err(|e| answer_error(&e))?;
        matrix(py, along.len(), self.equations.len(), found)
    }

    /// Accelerations along directions when the rates do not accelerate, m/s^2 or rad/s^2.
    fn jacobian_dot_v<'py>(&self, py: Python<'py>, along: Directions) -> PyResult<Array1<'py>> {
        let along = along.resolve(&self.model)?;
        Ok(self.equations.jacobian_dot_v(&along).map_err(|e| answer_error(&e))?.into_pyarray(py))
    }

    fn __repr__(&self) -> String {
        format!("<holonom.JointEquations: {} rates>", self.equations.len())
    }
}

#[pymethods]
impl Simulation {
    /// The equations at the present state, evaluated and factored once, to be asked any number of times.
    fn held_factor(&mut self, py: Python<'_>) -> PyResult<HeldFactor> {
        let found = py.detach(|| self.probe().held_factor());
        self.after()?;
        let held = found.map_err(|e| answer_error(&e))?;
        Ok(HeldFactor { held, scene: self.model.clone_ref(py), raised: self.raised.clone() })
    }

    /// The equations in joint coordinates at the present state: mass matrix, bias, Jacobians by the rates of joints.
    fn joint_equations(&mut self, py: Python<'_>) -> PyResult<JointEquations> {
        self.held_factor(py)?.joint_equations(py)
    }

    /// How joints must move for what the scene prescribes (paths, motors) to happen, from now to `until` (s) in `steps`
    /// equal steps; kinematics alone counts. `coordinates`: names, all unless given. Freedom that is left takes the
    /// least motion, measured by the masses. The state stays.
    #[pyo3(signature = (until, steps = 100, coordinates = None))]
    fn inverse_kinematics<'py>(
        &mut self,
        py: Python<'py>,
        until: f64,
        steps: usize,
        coordinates: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        if steps > 1 << 22 {
            return Err(usage(format!("{steps} steps are too many, at most {}", 1 << 22)));
        }
        let model = self.run.sim.model();
        let names = coordinates.unwrap_or_else(|| crate::model::coordinate_names(model));
        let ids = names.iter().map(|c| crate::model::coordinate(model, c)).collect::<PyResult<Vec<_>>>()?;
        let found = py.detach(|| self.probe().inverse_kinematics(&ids, until, steps));
        self.after()?;
        let motion = found.map_err(|e| answer_error(&e))?;
        let n = motion.times.len();
        let table = |of: &[Vec<f64>]| Array2::from_shape_fn((n, of.len()), |(i, j)| of[j][i]).into_pyarray(py);
        result(py, "JointMotion", |d| {
            d.set_item("names", names)?;
            d.set_item("positions", table(&motion.values))?;
            d.set_item("velocities", table(&motion.rates))?;
            d.set_item("spare_freedom", motion.spare_freedom)?;
            d.set_item("time", motion.times.into_pyarray(py))
        })
    }
}
