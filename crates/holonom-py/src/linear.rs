//! Small motions and equilibria.

use crate::along::Directions;
use crate::answers::result;
use crate::arrays::matrix;
use crate::errors::{answer_error, unknown};
use crate::model::quantities;
use crate::simulation::Simulation;
use holonom::answers::PushAlong;
use holonom::forces::{CoordinateForce, Push, UserForce};
use holonom::linear::{Complex, Linearisation, Observer, Stability};
use holonom::{EquilibriumOptions, Model, Simulation as Engine, State, Vec3};
use holonom_scene::Quantities;
use numpy::{Complex64, IntoPyArray};
use pyo3::prelude::*;
use pyo3::types::PyComplex;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

fn complex(c: &Complex) -> Complex64 {
    Complex64::new(c.re, c.im)
}

/// B, C and D, row by row, and what goes in and comes out.
#[derive(Default)]
struct Ports {
    inputs: Vec<String>,
    outputs: Vec<String>,
    b: Vec<f64>,
    c: Vec<f64>,
    d: Vec<f64>,
}

/// Pushes of a size that can be set, on an engine of its own.
struct Pushed {
    engine: Engine,
    size: Arc<AtomicU64>,
}

impl Pushed {
    fn new(sim: &mut Simulation, along: &PushAlong) -> PyResult<Pushed> {
        let mut engine = sim.another()?;
        let size = Arc::new(AtomicU64::new(0));
        let now = size.clone();
        let at = move || f64::from_bits(now.load(Ordering::Relaxed));
        let name = "input of a linearisation";
        let added = match *along {
            PushAlong::Coordinate(joint, i) => {
                let coordinate = engine.model().coordinate(joint, i);
                engine.add_force(name, CoordinateForce::new(coordinate, move |_: f64, _: f64, _: f64| at()))
            }
            PushAlong::Point(marker, e) => engine.add_force(name, pushing(marker.p(), move || e * at())),
            PushAlong::Turn(body, e) => {
                engine.add_force(name, pushing(holonom::Attachment::spin(body), move || e * at()))
            }
        };
        added.map_err(|e| crate::errors::usage(e.to_string()))?;
        Ok(Pushed { engine, size })
    }

    /// What is read under a push of this size.
    fn read(&mut self, state: &State, size: f64, all: &mut Quantities) -> Result<Vec<f64>, holonom::StepError> {
        self.size.store(size.to_bits(), Ordering::Relaxed);
        read(&mut self.engine, state, all)
    }
}

/// A force on one point or spin.
fn pushing(on: holonom::Attachment, force: impl Fn() -> Vec3 + Send + Sync + 'static) -> impl holonom::forces::Force {
    UserForce::new(vec![on], move |_: &holonom::attach::View, _: f64, push: &mut Push| push.on(0, force()))
}

fn read(engine: &mut Engine, state: &State, all: &mut Quantities) -> Result<Vec<f64>, holonom::StepError> {
    engine.state_mut().clone_from(state);
    let mut values = vec![0.0; all.len()];
    all.read(engine, &mut values)?;
    Ok(values)
}

impl Simulation {
    /// What goes in and comes out of a linearised system.
    fn ports(
        &mut self,
        py: Python<'_>,
        system: &Linearisation,
        inputs: Option<Directions>,
        outputs: Option<Vec<String>>,
    ) -> PyResult<Ports> {
        let model = self.run.sim.model().clone();
        let along = inputs.map_or(Ok(Vec::new()), |i| i.resolve(&model))?;
        let n = system.n_positions() + system.n_velocities();
        let mut ports = Ports { inputs: along.iter().map(|a| a.describe(&model)).collect(), ..Ports::default() };
        let columns = py.detach(|| {
            let mut held = self.probe().held_factor()?;
            along.iter().map(|a| system.input(&mut held, a)).collect::<Result<Vec<_>, _>>()
        });
        let columns = columns.map_err(|e| answer_error(&e))?;
        ports.b = (0..n).flat_map(|i| columns.iter().map(move |c| c[i])).collect();
        let Some(wanted) = outputs.filter(|o| !o.is_empty()) else { return Ok(ports) };
        let mut all = quantities(&self.loaded, &model, &wanted)?;
        // `time` comes first unless it was asked for
        let skip = usize::from(!wanted.iter().any(|p| holonom_scene::quantities::fits(p.trim(), "time")));
        ports.outputs = all.names().skip(skip).map(str::to_string).collect();
        let mut engine = self.another()?;
        let state = self.run.sim.state().clone();
        let found = py.detach(|| {
            self.probe().output_matrix(system, |state| Ok(read(&mut engine, state, &mut all)?.split_off(skip)))
        });
        ports.c = found.map_err(|e| answer_error(&e))?;
        let mut columns = Vec::new();
        for a in &along {
            let mut pushed = Pushed::new(self, a)?;
            // linear in the push, of whatever size
            let both = py.detach(|| Ok((pushed.read(&state, 1.0, &mut all)?, pushed.read(&state, -1.0, &mut all)?)));
            let (ahead, behind): (Vec<f64>, Vec<f64>) = both.map_err(|e: holonom::StepError| answer_error(&e))?;
            columns.push(ahead.iter().zip(&behind).skip(skip).map(|(a, b)| 0.5 * (a - b)).collect::<Vec<_>>());
        }
        ports.d = (0..ports.outputs.len()).flat_map(|i| columns.iter().map(move |c| c[i])).collect();
        Ok(ports)
    }
}

fn linearisation<'py>(py: Python<'py>, model: &Model, l: &Linearisation, ports: Ports) -> PyResult<Bound<'py, PyAny>> {
    let (np, nv) = (l.n_positions(), l.n_velocities());
    let n = np + nv;
    let modes = l.modes().iter().map(|m| {
        result(py, "Mode", |d| {
            d.set_item("eigenvalue", PyComplex::from_doubles(py, m.eigenvalue.re, m.eigenvalue.im))?;
            d.set_item("frequency", m.frequency())?;
            d.set_item("damping", m.damping())?;
            d.set_item("free", m.free)?;
            d.set_item("body", model.body_name(m.body))?;
            d.set_item("share", m.share)?;
            d.set_item("position", m.position.iter().map(complex).collect::<Vec<_>>().into_pyarray(py))?;
            d.set_item("velocity", m.velocity.iter().map(complex).collect::<Vec<_>>().into_pyarray(py))
        })
    });
    let modes = modes.collect::<PyResult<Vec<_>>>()?;
    let directions = |of: &dyn Fn(usize) -> Vec<f64>, count: usize| {
        matrix(py, count, model.n_v(), (0..count).flat_map(of).collect())
    };
    result(py, "Linearisation", |d| {
        d.set_item("A", matrix(py, n, n, l.matrix().to_vec())?)?;
        let (n_in, n_out) = (ports.inputs.len(), ports.outputs.len());
        d.set_item("B", matrix(py, n, n_in, ports.b)?)?;
        d.set_item("C", matrix(py, n_out, n, ports.c)?)?;
        d.set_item("D", matrix(py, n_out, n_in, ports.d)?)?;
        d.set_item("inputs", ports.inputs)?;
        d.set_item("outputs", ports.outputs)?;
        d.set_item("n_positions", np)?;
        d.set_item("n_velocities", nv)?;
        d.set_item("position_directions", directions(&|i| l.position_direction(i).to_vec(), np)?)?;
        d.set_item("velocity_directions", directions(&|i| l.velocity_direction(i).to_vec(), nv)?)?;
        d.set_item("eigenvalues", l.eigenvalues().iter().map(complex).collect::<Vec<_>>().into_pyarray(py))?;
        d.set_item("modes", modes)?;
        d.set_item("frequencies", l.frequencies().into_pyarray(py))?;
        d.set_item("stable", l.is_stable())?;
        d.set_item("error", l.error())?;
        d.set_item("acceleration", l.acceleration())
    })
}

#[pymethods]
impl Simulation {
    /// The small motions about the present state. `observer`: world (axes at rest), bodies (axes that turn with each
    /// body); `turning`: axes of all bodies turn with this rate, rad/s. `inputs` are pushes along directions (text is a
    /// coordinate), N or N m; `outputs` are names of quantities: with them there are B, C and D.
    #[pyo3(signature = (observer = "world", turning = None, *, inputs = None, outputs = None))]
    fn linearise<'py>(
        &mut self,
        py: Python<'py>,
        observer: &str,
        turning: Option<[f64; 3]>,
        inputs: Option<Directions>,
        outputs: Option<Vec<String>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let observer = match (observer, turning) {
            ("world", Some(rate)) => Observer::Turning(Vec3::from_array(rate)),
            ("world", None) => Observer::World,
            ("bodies", None) => Observer::Bodies,
            (_, Some(_)) => return Err(crate::errors::usage("`observer` and `turning` exclude each other")),
            (other, None) => return Err(unknown("observer", other, ["world", "bodies"].into_iter())),
        };
        let found = py.detach(|| self.probe().linearise_from(&observer));
        self.after()?;
        let found = found.map_err(|e| answer_error(&e))?;
        let ports = self.ports(py, &found, inputs, outputs)?;
        self.after()?;
        linearisation(py, self.run.sim.model(), &found, ports)
    }

    /// Go to a static equilibrium, from the present pose downwards, or to the nearest of any kind; time stands still.
    /// On failure the state is as before.
    #[pyo3(signature = (*, tolerance = 1e-12, max_iterations = 1000, nearest = false))]
    fn equilibrium<'py>(
        &mut self,
        py: Python<'py>,
        tolerance: f64,
        max_iterations: usize,
        nearest: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        self.touch();
        let options = EquilibriumOptions { tolerance, max_iterations, nearest, ..EquilibriumOptions::default() };
        let sim = &mut self.run.sim;
        let found = py.detach(|| sim.equilibrium(&options));
        self.after()?;
        let e = found.map_err(|e| answer_error(&e))?;
        result(py, "Equilibrium", |d| {
            let stability = match e.stability {
                Stability::Stable => "stable",
                Stability::Neutral => "neutral",
                Stability::Unstable => "unstable",
                Stability::Unknown => "unknown",
            };
            d.set_item("stability", stability)?;
            d.set_item("residual", e.residual)?;
            d.set_item("iterations", e.iterations)?;
            d.set_item("evaluations", e.evaluations)?;
            d.set_item("stiffness", e.stiffness.into_pyarray(py))
        })
    }
}
