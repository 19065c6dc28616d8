//! Numbers in and out.

use crate::errors::usage;
use holonom::{Mat3, Vec3};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray1, PyArray2};
use pyo3::prelude::*;

/// Three numbers as an array.
pub(crate) fn vector(py: Python<'_>, v: Vec3) -> Bound<'_, PyArray1<f64>> {
    v.to_array().to_vec().into_pyarray(py)
}

/// Rows of equal width as an array of two dimensions.
pub(crate) fn table<const N: usize>(py: Python<'_>, rows: Vec<[f64; N]>) -> PyResult<Bound<'_, PyArray2<f64>>> {
    matrix(py, rows.len(), N, rows.into_iter().flatten().collect())
}

/// Numbers row by row as an array of two dimensions.
pub(crate) fn matrix(py: Python<'_>, rows: usize, columns: usize, all: Vec<f64>) -> PyResult<Bound<'_, PyArray2<f64>>> {
    let array = Array2::from_shape_vec((rows, columns), all).map_err(|e| usage(e.to_string()))?;
    Ok(array.into_pyarray(py))
}

/// A rotation matrix as a quaternion w, x, y, z with w not negative.
pub(crate) fn finite(what: &str, values: &[f64]) -> PyResult<()> {
    match values.iter().position(|x| !x.is_finite()) {
        Some(at) => Err(usage(format!("{what}: number {at} is {}, must be finite", values[at]))),
        None => Ok(()),
    }
}

/// Columns of a matrix, row by row.
pub(crate) fn rotation(py: Python<'_>, m: Mat3) -> PyResult<Bound<'_, PyArray2<f64>>> {
    table(py, m.transpose().to_cols_array_2d().to_vec())
}
