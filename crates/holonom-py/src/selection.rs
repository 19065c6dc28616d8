//! Quantities by name, chosen once and read often.

use crate::errors::answer_error;
use crate::model::{Model, quantities};
use crate::simulation::Simulation;
use holonom_scene::{Loaded, Quantities};
use numpy::{IntoPyArray, PyArray1};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// A choice of quantities.
#[pyclass(module = "holonom", frozen)]
pub(crate) struct Selection {
    names: Vec<String>,
    units: Vec<&'static str>,
    /// Without `time`, unless somebody asked for it.
    skip: usize,
    quantities: Mutex<Quantities>,
    scene: Arc<Loaded>,
}

impl Selection {
    pub fn new(model: &Model, patterns: &[String]) -> PyResult<Selection> {
        let all = quantities(&model.loaded, &model.model, patterns)?;
        let asked = patterns.is_empty() || patterns.iter().any(|p| holonom_scene::quantities::fits(p.trim(), "time"));
        let skip = usize::from(!asked);
        Ok(Selection {
            names: all.names().skip(skip).map(str::to_string).collect(),
            units: all.all().iter().skip(skip).map(|q| q.unit).collect(),
            skip,
            quantities: Mutex::new(all),
            scene: model.loaded.clone(),
        })
    }
}

#[pymethods]
impl Selection {
    /// Names of the quantities.
    #[getter]
    fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// Their units.
    #[getter]
    fn units(&self) -> Vec<&'static str> {
        self.units.clone()
    }

    fn __len__(&self) -> usize {
        self.names.len()
    }

    /// Their values at the present state of a simulation, in order. NaN for what does not exist any more.
    fn read<'py>(&self, py: Python<'py>, simulation: &mut Simulation) -> PyResult<Bound<'py, PyArray1<f64>>> {
        if !Arc::ptr_eq(&self.scene, &simulation.loaded) {
            return Err(crate::errors::usage("this selection belongs to another model"));
        }
        let mut values = Vec::new();
        py.detach(|| {
            let mut all = self.quantities.lock().unwrap_or_else(PoisonError::into_inner);
            values.resize(all.len(), 0.0);
            all.read(simulation.probe(), &mut values)
        })
        .map_err(|e| answer_error(&e))?;
        simulation.after()?;
        values.drain(..self.skip);
        Ok(values.into_pyarray(py))
    }

    fn __repr__(&self) -> String {
        format!("<holonom.Selection of {} quantities>", self.names.len())
    }
}
