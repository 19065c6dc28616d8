//! Displacements of all bodies, and derivatives by differences along them.
//!
//! Derivatives are central differences D(h) = (f(h) - f(-h)) / 2h at h, h/2, h/4, ..., extrapolated to h = 0 in powers
//! of h^2 (Richardson). From the table of extrapolations the entry that agrees best with its two ancestors is taken
//! (Ridders 1982); how well they agree is the estimate of its error. Long steps for which a neighbour cannot be found
//! are passed over.

use crate::analysis::dense::size;
use crate::error::StepError;
use crate::model::Model;

/// First step of the differences, as a part of the mechanism's own length, of a radian, or of its own rates.
const FIRST: f64 = 0.1;
/// Number of steps, each half the one before.
const LEVELS: usize = 16;
/// Relative error below which no further steps are taken once they bring nothing.
const FINE: f64 = 1e-10;

/// Advance all bodies.
pub(crate) fn advance(model: &Model, q: &mut [f64], v: &[f64], dt: f64) {
    for (i, body) in model.bodies.iter().enumerate() {
        body.advance(model.q_of_mut(i, q), model.v_of(i, v), dt);
    }
}

/// The displacement from one pose to another, in velocity coordinates.
pub(crate) fn difference(model: &Model, from: &[f64], to: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; model.n_v()];
    for (i, body) in model.bodies.iter().enumerate() {
        let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
        body.difference(model.q_of(i, from), model.q_of(i, to), &mut out[range]);
    }
    out
}

/// Largest entry of a displacement, lengths as parts of their island's own length.
pub(crate) fn extent(model: &Model, x: &[f64]) -> f64 {
    let mut most: f64 = 0.0;
    for (i, body) in model.bodies.iter().enumerate() {
        let length = model.island_length[model.island[i] as usize];
        for (k, x) in model.v_of(i, x).iter().enumerate() {
            most = most.max(if k < body.n_lengths() { x.abs() / length } else { x.abs() });
        }
    }
    most
}

/// Derivative of `f(h)` at h = 0, with its estimated error. `unit` is the step that changes the mechanism entirely.
pub(crate) fn derivative(
    unit: f64,
    mut f: impl FnMut(f64) -> Result<Vec<f64>, StepError>,
) -> Result<(Vec<f64>, f64), StepError> {
    let mut last: Vec<Vec<f64>> = Vec::new();
    let mut best: Option<(Vec<f64>, f64)> = None;
    let mut h = FIRST * unit;
    let mut worse = 0;
    for level in 0..LEVELS {
        let sides = f(h).and_then(|ahead| Ok((ahead, f(-h)?)));
        let (ahead, behind) = match sides {
            Ok(sides) => sides,
            Err(e) if level + 1 == LEVELS && best.is_none() => return Err(e),
            Err(_) => {
                last.clear();
                h *= 0.5;
                continue;
            }
        };
        let mut row = vec![ahead.iter().zip(&behind).map(|(a, b)| (a - b) / (2.0 * h)).collect::<Vec<f64>>()];
        let mut power = 1.0;
        let mut improved = false;
        for k in 0..last.len() {
            power *= 4.0;
            let next: Vec<f64> =
                row[k].iter().zip(&last[k]).map(|(fine, coarse)| fine + (fine - coarse) / (power - 1.0)).collect();
            let apart = |other: &[f64]| size(&next.iter().zip(other).map(|(a, b)| a - b).collect::<Vec<_>>());
            let error = apart(&row[k]).max(apart(&last[k]));
            if best.as_ref().is_none_or(|(_, least)| error < *least) {
                best = Some((next.clone(), error));
                improved = true;
            }
            row.push(next);
        }
        last = row;
        worse = if improved || best.is_none() { 0 } else { worse + 1 };
        if best.as_ref().is_some_and(|(x, error)| *error == 0.0 || (worse >= 2 && *error <= FINE * size(x))) {
            break;
        }
        h *= 0.5;
    }
    best.ok_or(StepError::NotConverged {
        what: "the linearisation",
        residual: f64::INFINITY,
        iterations: LEVELS,
        time: 0.0,
    })
}
