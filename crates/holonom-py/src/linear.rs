//! Small motions and equilibria.

use crate::answers::result;
use crate::arrays::matrix;
use crate::errors::{answer_error, unknown};
use crate::simulation::Simulation;
use holonom::linear::{Complex, Linearisation, Observer, Stability};
use holonom::{EquilibriumOptions, Model, Vec3};
use numpy::{Complex64, IntoPyArray};
use pyo3::prelude::*;
use pyo3::types::PyComplex;

fn complex(c: &Complex) -> Complex64 {
    Complex64::new(c.re, c.im)
}

fn linearisation<'py>(py: Python<'py>, model: &Model, l: &Linearisation) -> PyResult<Bound<'py, PyAny>> {
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
    /// body); `turning`: axes of all bodies turn with this rate, rad/s.
    #[pyo3(signature = (observer = "world", turning = None))]
    fn linearise<'py>(
        &mut self,
        py: Python<'py>,
        observer: &str,
        turning: Option<[f64; 3]>,
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
        linearisation(py, self.run.sim.model(), &found.map_err(|e| answer_error(&e))?)
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
