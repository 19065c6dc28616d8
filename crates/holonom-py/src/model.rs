//! Models: immutable, shared by simulations.

use crate::errors::{answer_error, load_error, raised, unknown, unknown_quantity, warnings};
use crate::loading::Origin;
use crate::selection::Selection;
use crate::state::State;
use holonom::{BodyId, JointId, Simulation as Engine, joints};
use holonom_run::Failure;
use holonom_scene::{Loaded, Quantities};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use std::sync::{Arc, OnceLock};

/// A scene that was read, and the engine's model of it.
#[pyclass(module = "holonom", frozen)]
pub(crate) struct Model {
    pub name: String,
    pub loaded: Arc<Loaded>,
    pub model: Arc<holonom::Model>,
    /// Where it came from, to be read again with other numbers.
    origin: Origin,
    /// Degrees of freedom, once somebody has asked.
    freedom: OnceLock<usize>,
}

impl Model {
    pub fn new(name: String, loaded: Loaded, model: holonom::Model, origin: Origin) -> Model {
        Model { name, loaded: Arc::new(loaded), model: Arc::new(model), origin, freedom: OnceLock::new() }
    }

    /// The engine's model of the same scene with other numbers: parameters, or paths as `--set` has them.
    pub fn remade(&self, numbers: &[(String, f64)]) -> PyResult<holonom::Model> {
        let loaded = self.origin.read(numbers.iter().map(|(name, x)| format!("{name}={x:?}")))?;
        loaded.build().map_err(load_error)
    }
}

/// A body by its name; `ground` is one.
pub(crate) fn body(model: &holonom::Model, name: &str) -> PyResult<BodyId> {
    if name == "ground" {
        return Ok(BodyId::GROUND);
    }
    let names = || model.bodies().map(|b| model.body_name(b));
    model.body(name).ok_or_else(|| unknown("body", name, names().collect::<Vec<_>>().into_iter()))
}

/// A joint or drive by its name.
pub(crate) fn joint(model: &holonom::Model, name: &str) -> PyResult<JointId> {
    let names = || model.joints().map(|j| model.joint_name(j));
    model.joint(name).ok_or_else(|| unknown("joint", name, names().collect::<Vec<_>>().into_iter()))
}

/// A coordinate by the name of its joint, `hinge`, and its number where that is not the first, `slider.1`.
pub(crate) fn coordinate(model: &holonom::Model, name: &str) -> PyResult<(JointId, usize)> {
    let numbered = name.rsplit_once('.').and_then(|(j, n)| Some((model.joint(j)?, n.parse().ok()?)));
    let (id, index) = match model.joint(name) {
        Some(id) => (id, 0),
        None => numbered.map_or_else(|| joint(model, name).map(|id| (id, 0)), Ok)?,
    };
    if index < model.coordinate_kinds(id).len() {
        return Ok((id, index));
    }
    let all = coordinate_names(model);
    Err(unknown("coordinate", name, all.iter().map(String::as_str)))
}

/// Every coordinate of every joint that is not a drive.
pub(crate) fn coordinates(model: &holonom::Model) -> Vec<(JointId, usize)> {
    holonom_run::inputs::coordinates(model).collect()
}

pub(crate) fn coordinate_names(model: &holonom::Model) -> Vec<String> {
    let name = |(j, i): (JointId, usize)| match i {
        0 => model.joint_name(j).to_string(),
        i => format!("{}.{i}", model.joint_name(j)),
    };
    coordinates(model).into_iter().map(name).collect()
}

#[pymethods]
impl Model {
    /// What it was loaded by.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// The title of the scene.
    #[getter]
    fn title(&self) -> &str {
        &self.loaded.scene.title
    }

    /// Names of the bodies, in the order of all arrays; the ground is not one of them.
    #[getter]
    fn bodies(&self) -> Vec<&str> {
        self.model.bodies().map(|b| self.model.body_name(b)).collect()
    }

    /// Names of the joints and relations, drives not counted.
    #[getter]
    fn joints(&self) -> Vec<&str> {
        let m = &self.model;
        let joints = m.joints().filter(|j| !joints::is_drive(m.constraint(*j).kind()));
        joints.map(|j| m.joint_name(j)).collect()
    }

    /// Names of the drives: `Simulation.drive` makes inputs of them.
    #[getter]
    fn drives(&self) -> Vec<&str> {
        self.loaded.scene.drives.iter().map(|d| &*d.name).collect()
    }

    /// Names of the forces of the scene.
    #[getter]
    fn forces(&self) -> Vec<&str> {
        self.loaded.scene.forces.iter().map(|f| &*f.name).collect()
    }

    /// Names of the joint coordinates, in the order of `joint_positions()`: the first of a joint has its name, further
    /// ones `joint.1`, `joint.2`.
    #[getter]
    fn coordinates(&self) -> Vec<String> {
        coordinate_names(&self.model)
    }

    /// Number of bodies.
    #[getter]
    fn n_bodies(&self) -> usize {
        self.model.n_bodies()
    }

    /// Number of joints, relations and drives that prescribe motion.
    #[getter]
    fn n_joints(&self) -> usize {
        self.model.n_joints()
    }

    /// Number of constraint equations.
    #[getter]
    fn n_rows(&self) -> usize {
        self.model.n_rows()
    }

    /// Number of position coordinates of all bodies.
    #[getter]
    fn n_q(&self) -> usize {
        self.model.n_q()
    }

    /// Number of velocity coordinates of all bodies.
    #[getter]
    fn n_v(&self) -> usize {
        self.model.n_v()
    }

    /// Degrees of freedom at the start: velocity coordinates less independent rows. Asked of the doctor once.
    #[getter]
    fn n_dof(&self, py: Python<'_>) -> PyResult<usize> {
        if let Some(n) = self.freedom.get() {
            return Ok(*n);
        }
        let model = self.model.clone();
        let found = py.detach(|| Engine::new(model).diagnose()).map_err(|e| answer_error(&e))?;
        Ok(*self.freedom.get_or_init(|| found.mobility))
    }

    /// Do joints close loops?
    #[getter]
    fn has_loops(&self) -> bool {
        self.model.has_loops()
    }

    /// m/s^2.
    #[getter]
    fn gravity<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        crate::arrays::vector(py, self.model.gravity())
    }

    /// Masses of the bodies, kg.
    #[getter]
    fn masses<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        self.model.bodies().map(|b| self.model.mass(b)).collect::<Vec<_>>().into_pyarray(py)
    }

    /// Mass of all bodies, kg.
    #[getter]
    fn total_mass(&self) -> f64 {
        self.model.bodies().map(|b| self.model.mass(b)).sum()
    }

    /// Parameters of the scene, for `set` of `load`.
    #[getter]
    pub fn parameters(&self) -> std::collections::BTreeMap<String, f64> {
        let params = self.loaded.document.get("params").and_then(|n| n.as_table());
        let entries = params.map_or(&[][..], |t| t.entries());
        let number = |value: &holonom_scene::node::Value| match value {
            holonom_scene::node::Value::Integer(i) => Some(*i as f64),
            holonom_scene::node::Value::Number(x) => Some(*x),
            _ => None,
        };
        entries.iter().filter_map(|e| Some((e.key.clone(), number(&e.node.value)?))).collect()
    }

    /// Parts of the scene that do not count as they stand, each as the command prints it.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        warnings(&self.loaded.report, &self.loaded.sources)
    }

    /// Mass of a body, kg.
    fn mass(&self, name: &str) -> PyResult<f64> {
        Ok(self.model.mass(body(&self.model, name)?))
    }

    /// Kind of a body: rigid, particle, planar, ...
    fn body_kind(&self, name: &str) -> PyResult<&'static str> {
        Ok(match body(&self.model, name)? {
            BodyId::GROUND => "ground",
            id => self.model.body_kind(id),
        })
    }

    /// Kind of a joint or drive.
    fn joint_kind(&self, name: &str) -> PyResult<&'static str> {
        Ok(self.model.constraint(joint(&self.model, name)?).kind())
    }

    /// Where the velocity coordinates of a body lie among all of them: from and to.
    fn velocity_range(&self, name: &str) -> PyResult<(usize, usize)> {
        match body(&self.model, name)? {
            BodyId::GROUND => Ok((0, 0)),
            id => Ok((self.model.v_range(id).start, self.model.v_range(id).end)),
        }
    }

    /// Quantities by name, to be read often: `*` stands for anything, the usual ones without patterns.
    #[pyo3(signature = (*patterns))]
    fn select(&self, patterns: Vec<String>) -> PyResult<Selection> {
        Selection::new(self, &patterns)
    }

    /// The state that simulations start from.
    #[getter]
    fn initial_state(&self) -> State {
        State { model: self.model.clone(), state: self.model.initial_state().clone() }
    }

    /// The same scene with other numbers of parameters and fields, those of `set` of `load`, on top of what it was
    /// loaded with.
    fn changed(&self, py: Python<'_>, set: std::collections::BTreeMap<String, Py<PyAny>>) -> PyResult<Model> {
        let value = py.import("holonom._toml")?.getattr("value")?;
        let text = |(name, x): (&String, &Py<PyAny>)| Ok(format!("{name}={}", value.call1((x,))?.extract::<String>()?));
        let settings = set.iter().map(text).collect::<PyResult<Vec<String>>>()?;
        let loaded = py.detach(|| self.origin.read(settings.iter().cloned()))?;
        let model = py.detach(|| loaded.build()).map_err(load_error)?;
        Ok(Model::new(self.name.clone(), loaded, model, self.origin.with(settings)))
    }

    /// The scene as it was understood, as the text of a scene file.
    fn to_toml(&self) -> String {
        holonom_scene::write::document(&self.loaded.document)
    }

    fn __repr__(&self) -> String {
        let m = &self.model;
        let (b, j, r) = (m.n_bodies(), m.n_joints(), m.n_rows());
        format!("<holonom.Model {}: bodies {b}, joints {j}, rows {r}>", self.name)
    }
}

/// The quantities of a model that patterns select.
pub(crate) fn quantities(loaded: &Loaded, model: &holonom::Model, patterns: &[String]) -> PyResult<Quantities> {
    let said: Vec<&str> = patterns.iter().map(|p| p.trim()).collect();
    Quantities::of_scene(model, &loaded.scene, &said).map_err(|unknown| {
        let failure = Failure::diagnostic(unknown.diagnostic(None), &loaded.sources);
        if unknown.too_many.is_some() { raised(failure) } else { unknown_quantity(&failure) }
    })
}
