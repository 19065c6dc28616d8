//! Studies: what a worker needs to make one run of one, and what keeps the rows. Who makes which run is decided in
//! Python (`_study.py`).

use crate::errors::{raised, usage};
use holonom_record::{Cell, Cells, DataTable, RecordError, TableColumn};
use holonom_run::Failure;
use holonom_study::{Study, Sweep, SweepFiles};
use numpy::IntoPyArray;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::cell::{Cell as Slot, RefCell};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How often a run looks for signals.
const LOOK: Duration = Duration::from_millis(50);

fn record_error(e: RecordError) -> PyErr {
    raised(Failure::from(e))
}

/// A study that was read: what is run, and one row of it at a time.
#[pyclass(frozen, module = "holonom._holonom")]
pub(crate) struct StudyPlan {
    study: Arc<Study>,
}

/// Read a study file.
#[pyfunction]
pub(crate) fn read_study(py: Python<'_>, path: PathBuf, allow_path: Vec<PathBuf>) -> PyResult<StudyPlan> {
    let study = py.detach(|| Study::read(&path, &allow_path)).map_err(raised)?;
    Ok(StudyPlan { study: Arc::new(study) })
}

#[pymethods]
impl StudyPlan {
    /// A study as another process has read it.
    #[staticmethod]
    fn from_portable(py: Python<'_>, text: String) -> PyResult<StudyPlan> {
        let study = py.detach(|| Study::from_portable(&text)).map_err(raised)?;
        Ok(StudyPlan { study: Arc::new(study) })
    }

    /// What `from_portable` of another process needs; the scene comes with it.
    fn portable(&self) -> String {
        self.study.portable()
    }

    /// Its title.
    #[getter]
    fn title(&self) -> &str {
        &self.study.title
    }

    /// How many runs there are.
    #[getter]
    fn runs(&self) -> u64 {
        self.study.runs()
    }

    /// What decides the rows of its table.
    #[getter]
    fn identity(&self) -> String {
        self.study.identity()
    }

    /// Names of the factors.
    #[getter]
    fn factors(&self) -> Vec<String> {
        self.study.factors.iter().map(|f| f.name.clone()).collect()
    }

    /// Names of the outcomes.
    #[getter]
    fn outcomes(&self) -> Vec<String> {
        self.study.outcomes.all().iter().map(|o| o.name.clone()).collect()
    }

    /// What is set in a run, as `--set` has it.
    fn settings(&self, run: u64) -> PyResult<Vec<String>> {
        self.known(run)?;
        Ok(self.study.settings(run))
    }

    /// Make one run: its row, as bytes.
    fn row<'py>(&self, py: Python<'py>, run: u64) -> PyResult<Bound<'py, PyBytes>> {
        self.known(run)?;
        let made = py.detach(|| {
            let (signal, looked) = (RefCell::new(None), Slot::new(Instant::now()));
            let stop = || {
                if looked.get().elapsed() < LOOK {
                    return false;
                }
                looked.set(Instant::now());
                let raised = Python::attach(|py| py.check_signals().err());
                let stop = raised.is_some();
                signal.replace(raised);
                stop
            };
            let row = self.study.row(run, &stop);
            match (row, signal.into_inner()) {
                (Some(row), _) => Ok(Cell::to_bytes(&row)),
                (None, Some(raised)) => Err(raised),
                (None, None) => Err(usage("the run was stopped")),
            }
        });
        Ok(PyBytes::new(py, &made?))
    }
}

impl StudyPlan {
    fn known(&self, run: u64) -> PyResult<()> {
        let runs = self.study.runs();
        if run < runs { Ok(()) } else { Err(usage(format!("run {run} of a study of {runs} runs, counted from 0"))) }
    }
}

/// The rows of a study in files: a journal of those that are there, tables when all are.
#[pyclass(module = "holonom._holonom")]
pub(crate) struct StudyRows {
    sweep: Sweep,
    columns: Vec<TableColumn>,
}

#[pymethods]
impl StudyRows {
    /// Begin, or go on with what is there under that name.
    #[new]
    fn new(py: Python<'_>, plan: &StudyPlan, base: PathBuf, force: bool) -> PyResult<Self> {
        let study = plan.study.clone();
        let sweep = py.detach(|| Sweep::begin(study, SweepFiles::named(&base), force)).map_err(raised)?;
        let columns = sweep.study.empty_table().columns;
        Ok(StudyRows { sweep, columns })
    }

    /// Numbers of the runs that are still to be made.
    fn missing(&self) -> Vec<u64> {
        self.sweep.missing()
    }

    /// How many rows there are.
    #[getter]
    fn finished(&self) -> u64 {
        self.sweep.finished
    }

    /// How many of them are of runs that failed.
    #[getter]
    fn failed(&self) -> u64 {
        self.sweep.failed
    }

    /// Keep a row that some process made.
    fn take(&mut self, py: Python<'_>, row: Vec<u8>) -> PyResult<()> {
        let row = Cell::from_bytes(&row, &self.columns).ok_or_else(|| usage("this is no row of this study"))?;
        py.detach(|| self.sweep.take(&row)).map_err(record_error)
    }

    /// Make all missing runs with threads of this process; `progress` is called with how many are there, about ten
    /// times a second.
    fn run(&mut self, py: Python<'_>, jobs: usize, progress: Option<Py<PyAny>>) -> PyResult<()> {
        let stop = AtomicBool::new(false);
        let (mut raised_by_user, mut looked) = (None, Instant::now());
        let sweep = &mut self.sweep;
        let made = py.detach(|| {
            sweep.run(jobs, &stop, |sweep| {
                if looked.elapsed() < LOOK || stop.load(Ordering::Relaxed) {
                    return;
                }
                looked = Instant::now();
                let told = Python::attach(|py| {
                    py.check_signals()?;
                    if let Some(progress) = &progress {
                        progress.call1(py, (sweep.finished, sweep.failed))?;
                    }
                    Ok(())
                });
                if let Err(e) = told {
                    raised_by_user = Some(e);
                    stop.store(true, Ordering::Relaxed);
                }
            })
        });
        if let Some(e) = raised_by_user {
            return Err(e);
        }
        made.map_err(raised)
    }

    /// Write the tables: their names.
    fn write(&mut self, py: Python<'_>) -> PyResult<(PathBuf, PathBuf)> {
        py.detach(|| self.sweep.write()).map_err(raised)?;
        let files = self.sweep.files();
        Ok((files.csv.clone(), files.parquet.clone()))
    }

    /// The columns so far: name to values, name to unit, and the metadata.
    fn table<'py>(&mut self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>, String)> {
        let table = py.detach(|| self.sweep.table()).map_err(raised)?;
        as_python(py, table)
    }
}

/// The table of some rows: name to values, name to unit, and the metadata.
#[pyfunction]
pub(crate) fn study_table<'py>(
    py: Python<'py>,
    plan: &StudyPlan,
    rows: Vec<Vec<u8>>,
) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>, String)> {
    let mut table = plan.study.empty_table();
    for row in rows {
        let row = Cell::from_bytes(&row, &table.columns).ok_or_else(|| usage("this is no row of this study"))?;
        table.push(&row);
    }
    table.sort();
    as_python(py, table)
}

fn as_python<'py>(py: Python<'py>, table: DataTable) -> PyResult<(Bound<'py, PyDict>, Bound<'py, PyDict>, String)> {
    let (values, units) = (PyDict::new(py), PyDict::new(py));
    for column in table.columns {
        units.set_item(&column.name, &column.unit)?;
        match column.cells {
            Cells::Numbers(all) => values.set_item(&column.name, all.into_pyarray(py))?,
            Cells::Texts(all) => values.set_item(&column.name, all)?,
        }
    }
    Ok((values, units, table.metadata))
}
