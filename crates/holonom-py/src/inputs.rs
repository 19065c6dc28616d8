//! Inputs of simulations, as Python sets them: [`holonom_run::inputs`] with handles.

use crate::errors::{unknown, usage};
use crate::forces::{Added, What};
use crate::model;
use crate::simulation::Simulation;
use holonom::functions::Function;
use holonom_run::inputs;
pub(crate) use holonom_run::{InputCell as Cell, InputCourse};
use holonom_scene::Scene;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// What inputs and their simulation share.
#[derive(Default)]
struct Shared {
    /// Bits of the time of the simulation, s.
    time: AtomicU64,
    /// How often an input was set.
    changes: AtomicU64,
}

/// All inputs of a simulation.
#[derive(Clone)]
pub(crate) struct Inputs {
    shared: Arc<Shared>,
    drives: Vec<(Box<str>, &'static str, Cell)>,
}

impl Inputs {
    pub fn new(time: f64) -> Inputs {
        let inputs = Inputs { shared: Arc::default(), drives: Vec::new() };
        inputs.set_time(time);
        inputs
    }

    pub fn set_time(&self, time: f64) {
        self.shared.time.store(time.to_bits(), Ordering::Relaxed);
    }

    pub fn changes(&self) -> u64 {
        self.shared.changes.load(Ordering::Relaxed)
    }

    /// The same for another simulation.
    pub fn detached(&self) -> Inputs {
        let time = f64::from_bits(self.shared.time.load(Ordering::Relaxed));
        let drives = self.drives.iter().map(|(name, field, cell)| (name.clone(), *field, cell.detached()));
        Inputs { drives: drives.collect(), ..Inputs::new(time) }
    }

    pub fn any_drives(&self) -> bool {
        !self.drives.is_empty()
    }

    /// The scene with these inputs in the place of what its drives say.
    pub fn scene(&self, scene: &Scene) -> Scene {
        inputs::scene_with(scene, self.drives.iter().map(|(name, field, cell)| (&**name, *field, cell)))
    }

    fn handle(&self, name: String, unit: &'static str, cell: Cell) -> Input {
        Input { name, unit, cell, shared: self.shared.clone() }
    }
}

/// A number that is set while a simulation runs.
#[pyclass(module = "holonom", frozen)]
pub(crate) struct Input {
    name: String,
    unit: &'static str,
    cell: Cell,
    shared: Arc<Shared>,
}

impl Input {
    fn time(&self) -> f64 {
        f64::from_bits(self.shared.time.load(Ordering::Relaxed))
    }

    fn put(&self, course: Option<InputCourse>) {
        self.cell.put(course);
        self.shared.changes.fetch_add(1, Ordering::Relaxed);
    }
}

#[pymethods]
impl Input {
    /// Name of the drive or coordinate.
    #[getter]
    fn name(&self) -> &str {
        &self.name
    }

    /// N or N m for efforts; that of the drive's value otherwise, and then empty.
    #[getter]
    fn unit(&self) -> &str {
        self.unit
    }

    /// Its value now.
    #[getter]
    fn value(&self) -> f64 {
        self.cell.at(self.time())[0]
    }

    #[setter]
    fn set_value(&self, value: f64) -> PyResult<()> {
        self.set(value, 0.0, 0.0)
    }

    /// Another value from now on, with a constant rate (per s); within `over` seconds smoothly, with two continuous
    /// derivatives, at once without.
    #[pyo3(signature = (value, rate = 0.0, over = 0.0))]
    fn set(&self, value: f64, rate: f64, over: f64) -> PyResult<()> {
        for (what, x) in [("value", value), ("rate", rate), ("over", over)] {
            if !x.is_finite() {
                return Err(usage(format!("{what} of the input `{}` is {x}, must be finite", self.name)));
            }
        }
        if over < 0.0 {
            return Err(usage(format!("over is {over} s, must not be negative")));
        }
        let now = self.time();
        self.put(Some(InputCourse::towards(self.cell.at(now), now, value, rate, over)));
        Ok(())
    }

    /// Back to what the scene says; of an effort, to nothing.
    fn clear(&self) {
        self.put(None);
    }

    fn __float__(&self) -> f64 {
        self.value()
    }

    fn __repr__(&self) -> String {
        format!("<holonom.Input {}: {} {}>", self.name, self.value(), self.unit)
    }
}

#[pymethods]
impl Simulation {
    /// What a drive is told (position, speed, torque, ...) as an input in the place of its function of time.
    fn drive(&mut self, name: &str) -> PyResult<Input> {
        if let Some((_, _, cell)) = self.inputs.drives.iter().find(|d| &*d.0 == name) {
            return Ok(self.inputs.handle(name.into(), "", cell.clone()));
        }
        let scene = &self.loaded.scene;
        let Some(drive) = scene.drives.iter().find(|d| &*d.name == name) else {
            return Err(unknown("drive", name, scene.drives.iter().map(|d| &*d.name)));
        };
        let Some((field, otherwise)) = inputs::told(drive) else {
            let kind = drive.kind().name;
            return Err(usage(format!("the drive `{name}` ({kind}) is not told one number that could be an input")));
        };
        let cell = Cell::new(otherwise);
        self.touch();
        self.inputs.drives.push((name.into(), field, cell.clone()));
        if let Err(e) = self.rebuild() {
            self.inputs.drives.pop();
            return Err(e);
        }
        Ok(self.inputs.handle(name.into(), "", cell))
    }

    /// A force (N) or torque (N m) along a joint coordinate as an input, 0 until it is set, never larger than `limit`.
    #[pyo3(signature = (coordinate, limit = None))]
    fn effort(&mut self, coordinate: &str, limit: Option<f64>) -> PyResult<Input> {
        let limit = limit.unwrap_or(f64::INFINITY);
        if !(limit > 0.0) {
            return Err(usage(format!("limit is {limit}, must be greater than 0")));
        }
        let engine = self.run.sim.model();
        let at = model::coordinate(engine, coordinate)?;
        let unit = match engine.coordinate_kinds(at.0)[at.1] {
            holonom::joints::CoordinateKind::Angle => "N m",
            holonom::joints::CoordinateKind::Length => "N",
        };
        for added in &self.added {
            if let What::Effort { at: there, cell, .. } = &added.what
                && *there == at
            {
                return Ok(self.inputs.handle(coordinate.into(), unit, cell.clone()));
            }
        }
        let cell = Cell::new(Arc::new(0.0));
        let name = format!("effort {coordinate}");
        self.add(Added { name, what: What::Effort { at, cell: cell.clone(), limit } })?;
        Ok(self.inputs.handle(coordinate.into(), unit, cell))
    }
}
