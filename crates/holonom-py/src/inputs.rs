//! Inputs: numbers that a program sets while a simulation runs.
//!
//! An input of a drive takes the place of the function of time that the scene gives it; one of a joint coordinate is a
//! force or torque along it. Between two settings an input is a function of time that is twice continuously
//! differentiable:
//!
//! ```text
//! set(value, rate, over):   x(s) = x0 + v0 s + a0 s²/2 + c3 s³ + c4 s⁴ + c5 s⁵,   s = t - t0 in [0, over]
//!                           from where it is now to value and rate, second derivative 0;  then  value + rate (s - over)
//! over = 0                  at once
//! ```
//!
//! A model belongs to all its simulations, and an input to one: the simulation then has a model of its own, built anew
//! from the scene with a function that can be set in the place of the drive's.

use crate::errors::{unknown, usage};
use crate::forces::{Added, What};
use crate::model;
use crate::simulation::Simulation;
use holonom::functions::Function;
use holonom_scene::Scene;
use holonom_scene::fields::Val;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What an input is at present.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Plan {
    t0: f64,
    over: f64,
    c: [f64; 6],
    /// Afterwards.
    value: f64,
    rate: f64,
}

impl Plan {
    fn at(&self, t: f64) -> [f64; 3] {
        let s = t - self.t0;
        if s >= self.over {
            return [self.value + self.rate * (s - self.over), self.rate, 0.0];
        }
        let (c, s) = (&self.c, s.max(0.0));
        let x = c[0] + s * (c[1] + s * (c[2] + s * (c[3] + s * (c[4] + s * c[5]))));
        let v = c[1] + s * (2.0 * c[2] + s * (3.0 * c[3] + s * (4.0 * c[4] + s * 5.0 * c[5])));
        [x, v, 2.0 * c[2] + s * (6.0 * c[3] + s * (12.0 * c[4] + s * 20.0 * c[5]))]
    }

    /// From a value with its derivatives at `t0` to another value and rate.
    fn towards([x0, v0, a0]: [f64; 3], t0: f64, value: f64, rate: f64, over: f64) -> Plan {
        let mut c = [x0, v0, 0.5 * a0, 0.0, 0.0, 0.0];
        if over > 0.0 {
            // what is left to the higher terms at the end, in units of the whole way
            let p = value - (x0 + over * (v0 + 0.5 * over * a0));
            let q = (rate - (v0 + over * a0)) * over;
            let r = -a0 * over * over;
            let h = over * over * over;
            c[3] = (10.0 * p - 4.0 * q + 0.5 * r) / h;
            c[4] = (-15.0 * p + 7.0 * q - r) / (h * over);
            c[5] = (6.0 * p - 3.0 * q + 0.5 * r) / (h * over * over);
        }
        Plan { t0, over, c, value, rate }
    }
}

/// A number that can be set, and what it is while nobody has set it.
#[derive(Clone)]
pub(crate) struct Cell {
    plan: Arc<Mutex<Option<Plan>>>,
    otherwise: Arc<dyn Function>,
}

impl Cell {
    fn new(otherwise: Arc<dyn Function>) -> Cell {
        Cell { plan: Arc::default(), otherwise }
    }

    /// The same, set by others.
    pub fn detached(&self) -> Cell {
        let plan = *self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        Cell { plan: Arc::new(Mutex::new(plan)), otherwise: self.otherwise.clone() }
    }
}

impl Function for Cell {
    fn at(&self, t: f64) -> [f64; 3] {
        let plan = *self.plan.lock().unwrap_or_else(PoisonError::into_inner);
        plan.map_or_else(|| self.otherwise.at(t), |p| p.at(t))
    }
    fn validate(&self) -> Result<(), holonom::declaration::Invalid> {
        self.otherwise.validate()
    }
}

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
        let mut scene = scene.clone();
        for (name, field, cell) in &self.drives {
            let Some(drive) = scene.drives.iter_mut().find(|d| d.name == *name) else { continue };
            let span = drive.record.span_of(field);
            Arc::make_mut(&mut drive.record).replace(field, Val::Function(Arc::new(cell.clone())), span);
        }
        scene
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

    fn put(&self, plan: Option<Plan>) {
        *self.cell.plan.lock().unwrap_or_else(PoisonError::into_inner) = plan;
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
        self.put(Some(Plan::towards(self.cell.at(now), now, value, rate, over)));
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
        let functions = drive.record.values().iter().filter(|(_, v, _)| matches!(v, Val::Function(_)));
        let functions: Vec<&'static str> = functions.map(|(field, ..)| *field).collect();
        let field = match functions[..] {
            [one] => one,
            _ if functions.contains(&"value") => "value",
            _ => {
                let kind = drive.kind().name;
                return Err(usage(format!(
                    "the drive `{name}` ({kind}) is not told one number that could be an input"
                )));
            }
        };
        let Some(otherwise) = drive.record.function(field) else {
            return Err(usage(format!("the drive `{name}` has no function of time")));
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
