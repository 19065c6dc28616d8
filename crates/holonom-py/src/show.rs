//! The page, from a program: `holonom/_show.py` serves it.

use crate::model::Model;
use crate::simulation::Simulation;
use pyo3::prelude::*;
use pyo3::types::PyDict;

fn show<'py>(py: Python<'py>, model: &Py<Model>, browser: Option<bool>) -> PyResult<Bound<'py, PyAny>> {
    let keywords = PyDict::new(py);
    keywords.set_item("open_browser", browser)?;
    py.import("holonom._show")?.getattr("show")?.call((model,), Some(&keywords))
}

#[pymethods]
impl Simulation {
    /// Look at it: serve the page with its scene, as that starts, and open it in the browser; in a notebook show a link
    /// to it. Needs the command `holonom`, on the PATH or named by the variable HOLONOM. The page is served until
    /// `close()` of what is returned, or the end of the program.
    #[pyo3(signature = (open_browser = None))]
    fn show<'py>(&self, py: Python<'py>, open_browser: Option<bool>) -> PyResult<Bound<'py, PyAny>> {
        show(py, &self.model, open_browser)
    }
}

#[pymethods]
impl Model {
    /// Look at it: the page, as `Simulation.show` has it.
    #[pyo3(signature = (open_browser = None))]
    fn show<'py>(slf: Py<Self>, py: Python<'py>, open_browser: Option<bool>) -> PyResult<Bound<'py, PyAny>> {
        show(py, &slf, open_browser)
    }
}
