//! Recordings in files: the formats of the command.

use crate::errors::raised;
use holonom_record::{RecordError, RecordingColumn, RecordingOutput, RecordingReader, Schema};
use holonom_run::Failure;
use numpy::{AllowTypeChange, IntoPyArray, PyArray1, PyArrayLike1};
use pyo3::prelude::*;
use std::path::PathBuf;

fn record_error(e: &RecordError) -> PyErr {
    raised(Failure::from(e))
}

/// Write columns (name, unit, note, values) to a .csv, .parquet or .hrec file.
#[pyfunction]
pub(crate) fn write_recording(
    py: Python<'_>,
    path: PathBuf,
    columns: Vec<(String, String, String, PyArrayLike1<'_, f64, AllowTypeChange>)>,
    metadata: String,
) -> PyResult<u64> {
    let owned = |x: &PyArrayLike1<'_, f64, AllowTypeChange>| x.as_array().to_vec();
    let columns: Vec<_> = columns.iter().map(|(name, unit, note, x)| (name, unit, note, owned(x))).collect();
    py.detach(|| {
        let said = columns.iter().map(|(name, unit, note, _)| RecordingColumn::new(*name, *unit).with_note(*note));
        let schema = Schema::new(said.collect(), metadata)?;
        let mut output = RecordingOutput::create(&path, &schema)?;
        let rows = columns.iter().map(|c| c.3.len()).min().unwrap_or(0);
        let mut row = vec![0.0; columns.len()];
        for i in 0..rows {
            columns.iter().zip(&mut row).for_each(|(c, x)| *x = c.3[i]);
            output.push(&row)?;
        }
        Ok(output.finish("written")?.rows)
    })
    .map_err(|e: RecordError| record_error(&e))
}

/// A column of a recording: name, unit, note, values.
type Column<'py> = (String, String, String, Bound<'py, PyArray1<f64>>);

/// Columns of a file, and its metadata.
#[pyfunction]
pub(crate) fn read_recording(py: Python<'_>, path: PathBuf) -> PyResult<(Vec<Column<'_>>, String)> {
    let read = py.detach(|| {
        let reader = RecordingReader::open(&path)?;
        let table = reader.table()?;
        Ok((reader.columns().to_vec(), table, reader.metadata().to_string()))
    });
    let (columns, table, metadata) = read.map_err(|e: RecordError| record_error(&e))?;
    let columns = columns.into_iter().zip(table).map(|(c, x)| (c.name, c.unit, c.note, x.into_pyarray(py)));
    Ok((columns.collect(), metadata))
}
