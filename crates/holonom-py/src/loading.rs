//! Scenes in: from files, from texts, from the gallery; and what scenes may hold.

use crate::errors::{load_error, raised, unknown, usage};
use crate::model::Model;
use holonom_run::scenes;
use holonom_scene::fields::Field;
use holonom_scene::gallery::GALLERY;
use holonom_scene::read::SECTIONS;
use holonom_scene::sections::{Content, content};
use holonom_scene::{Limits, Loaded, Loader};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::path::PathBuf;

fn loader(
    settings: Vec<String>,
    strict: bool,
    allow_path: Vec<PathBuf>,
    limits: Vec<(String, u64)>,
) -> PyResult<Loader> {
    let mut all = Limits::default();
    for (name, value) in limits {
        if value == 0 {
            return Err(usage(format!("the limit `{name}` is 0, must be greater")));
        }
        if !all.set(&name, value) {
            return Err(unknown("limit", &name, Limits::NAMES.iter().copied()));
        }
    }
    Ok(Loader { limits: all, allowed: allow_path, settings, strict, ..Loader::default() })
}

/// Where a scene was read from, and how: enough to read it again.
#[derive(Clone)]
pub(crate) struct Origin {
    from: From,
    loader: Loader,
}

#[derive(Clone)]
enum From {
    /// A file, or a name of the gallery.
    Source(String),
    /// A text, with the folder whose files it may name.
    Text { text: String, name: String, folder: Option<PathBuf> },
}

impl Origin {
    /// Read it, with further settings.
    pub fn read(&self, settings: impl Iterator<Item = String>) -> PyResult<Loaded> {
        let mut loader = self.loader.clone();
        loader.settings.extend(settings);
        match &self.from {
            From::Source(source) => scenes::open(source, &loader).map_err(raised),
            From::Text { text, name, folder: Some(folder) } => {
                loader.load_text_at(&folder.join(name), text.clone()).map_err(load_error)
            }
            From::Text { text, name, folder: None } => loader.load_text(name, text.clone()).map_err(load_error),
        }
    }

    /// The same with further settings.
    pub fn with(&self, settings: Vec<String>) -> Origin {
        let mut origin = self.clone();
        origin.loader.settings.extend(settings);
        origin
    }
}

fn built(py: Python<'_>, name: String, origin: Origin) -> PyResult<Model> {
    let loaded = py.detach(|| origin.read(std::iter::empty()))?;
    let model = py.detach(|| loaded.build()).map_err(load_error)?;
    Ok(Model::new(name, loaded, model, origin))
}

/// Read a file, or a scene of the gallery.
#[pyfunction]
pub(crate) fn load(
    py: Python<'_>,
    source: String,
    settings: Vec<String>,
    strict: bool,
    allow_path: Vec<PathBuf>,
    limits: Vec<(String, u64)>,
) -> PyResult<Model> {
    let loader = loader(settings, strict, allow_path, limits)?;
    built(py, source.clone(), Origin { from: From::Source(source), loader })
}

/// Read a text; with a folder it may name files of that folder.
#[pyfunction]
#[pyo3(signature = (text, name, folder, settings, strict, allow_path, limits))]
pub(crate) fn loads(
    py: Python<'_>,
    text: String,
    name: String,
    folder: Option<PathBuf>,
    settings: Vec<String>,
    strict: bool,
    allow_path: Vec<PathBuf>,
    limits: Vec<(String, u64)>,
) -> PyResult<Model> {
    let loader = loader(settings, strict, allow_path, limits)?;
    let from = From::Text { text, name: name.clone(), folder };
    built(py, name, Origin { from, loader })
}

/// Names of the gallery with their groups.
#[pyfunction]
pub(crate) fn gallery() -> Vec<(&'static str, &'static str)> {
    GALLERY.iter().map(|s| (s.name, s.group)).collect()
}

/// What a scene may hold, from the engine's own tables: section by section its meaning, how it is filled, and for each
/// kind its meaning and its fields with theirs. Sections without kinds have one, without a name.
#[pyfunction]
pub(crate) fn sections(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for (name, doc) in SECTIONS {
        let Some(holds) = content(name) else { continue };
        let kinds = PyDict::new(py);
        let fill = match holds {
            Content::Value(_) => "value",
            Content::Parameters => "parameters",
            Content::Table(fields) => {
                kinds.set_item("", ("", fields_of(py, fields.iter().flat_map(|g| g.iter()))?))?;
                "table"
            }
            Content::Tables(fields) => {
                kinds.set_item("", ("", fields_of(py, fields.iter().flat_map(|g| g.iter()))?))?;
                "tables"
            }
            Content::Kinds(family) => {
                for kind in family.kinds() {
                    let fields = kind.all_fields().chain(family.common);
                    kinds.set_item(kind.name, (kind.summary, fields_of(py, fields)?))?;
                }
                "kinds"
            }
        };
        all.set_item(name, (doc, fill, kinds))?;
    }
    Ok(all)
}

fn fields_of<'py>(py: Python<'py>, fields: impl Iterator<Item = &'static Field>) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for f in fields {
        dict.set_item(f.name, f.doc)?;
    }
    Ok(dict)
}
