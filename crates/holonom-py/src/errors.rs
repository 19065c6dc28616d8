//! Failures as exceptions: the classes are Python's (`holonom/_errors.py`), the text, code and place are those that the
//! command shows.

use holonom::StepError;
use holonom_run::Failure;
use holonom_scene::diagnostic::{Class, DiagnosticData, nearest};
use holonom_scene::{LoadError, Report};
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Of `_errors.py`.
const MODULE: &str = "holonom._errors";

/// An exception of the class that fits.
pub(crate) fn raised(failure: Failure) -> PyErr {
    let data = failure.data();
    // a sentence about an argument is not about a scene
    let about_scene = data.iter().any(|d| !d.code.is_empty());
    let class = match failure.class() {
        Class::Input if about_scene => "SceneError",
        Class::Input => "UsageError",
        Class::Numerical => "StepError",
        Class::Limit => "LimitError",
        Class::Io => "FileError",
    };
    make(class, failure.text().trim_end(), &data)
}

/// There is no quantity of that name.
pub(crate) fn unknown_quantity(failure: &Failure) -> PyErr {
    make("UnknownNameError", failure.text().trim_end(), &failure.data())
}

/// A scene that could not be read or built.
pub(crate) fn load_error(e: LoadError) -> PyErr {
    raised(Failure::from(e))
}

/// A question that the engine could not answer at this state.
pub(crate) fn answer_error(e: &StepError) -> PyErr {
    match e {
        StepError::Invalid(reason) => usage(reason.clone()),
        e => raised(Failure::numerical(e.to_string())),
    }
}

/// A wrong argument.
pub(crate) fn usage(message: impl Into<String>) -> PyErr {
    raised(Failure::input(message))
}

/// There is nothing of that name.
pub(crate) fn unknown<'a>(what: &str, name: &str, names: impl Iterator<Item = &'a str> + Clone) -> PyErr {
    let listed: Vec<&str> = names.clone().take(12).collect();
    let help = match listed.len() {
        0 => format!("there are no {what}s"),
        12 => format!("{what}s are {}, ...", listed.join(", ")),
        _ => format!("{what}s are {}", listed.join(", ")),
    };
    let failure = Failure::input(format!("there is no {what} `{name}`"));
    let failure = failure.did_you_mean(nearest(name, names)).help(help);
    make("UnknownNameError", failure.text().trim_end(), &failure.data())
}

fn make(class: &str, text: &str, data: &[DiagnosticData]) -> PyErr {
    Python::attach(|py| {
        let built = || -> PyResult<PyErr> {
            let class = py.import(MODULE)?.getattr(class)?;
            let all = data.iter().map(|d| as_dict(py, d)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyErr::from_value(class.call1((text, all))?))
        };
        built().unwrap_or_else(|e| e)
    })
}

fn as_dict<'py>(py: Python<'py>, d: &DiagnosticData) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    dict.set_item("code", &d.code)?;
    dict.set_item("message", &d.message)?;
    dict.set_item("file", &d.file)?;
    dict.set_item("line", d.line)?;
    dict.set_item("column", d.column)?;
    dict.set_item("label", &d.label)?;
    dict.set_item("path", &d.path)?;
    dict.set_item("notes", &d.notes)?;
    Ok(dict)
}

/// Warnings of a report, each as the command prints it.
pub(crate) fn warnings(report: &Report, sources: &holonom_scene::source::Sources) -> Vec<String> {
    report.warnings().map(|w| w.render(sources).trim_end().to_string()).collect()
}
