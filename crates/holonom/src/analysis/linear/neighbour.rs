//! Neighbouring states that obey the constraints, and derivatives by them.
//!
//! ```text
//! neighbour of (q0, v0) along dq:    q = q0 advanced by dq, gaps closed;  v = v0 made legal there
//! ```
//!
//! Both corrections are M-orthogonal to the legal directions and the first is of second order in dq, so the components
//! of the neighbour along N are those of dq, and 0 for v, up to terms of second order. That is all a derivative at dq =
//! 0 asks for. Extrapolation asks for more, that the neighbour be a smooth function of h, and closing leaves in the
//! legal directions what depends on how often it was repeated. So components are measured and put right until they are
//! exact:
//!
//! ```text
//! N_h^T M (displacement from q0 to q) = z,     N^T M (v - v0) = 0
//! ```
//!
//! Derivatives are central differences D(h) = (f(h) - f(-h)) / 2h at h, h/2, h/4, ..., extrapolated to h = 0 in powers
//! of h^2 (Richardson). From the table of extrapolations the entry that agrees best with its two ancestors is taken
//! (Ridders 1982); how well they agree is the estimate of its error. Long steps for which a neighbour cannot be found
//! are passed over.

use super::basis::Directions;
use crate::analysis::dense::{self, size};
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::math::Vec3;
use crate::model::Model;
use crate::model::state::State;
use crate::step::drift;

/// First step of the differences, as a part of the mechanism's own length, of a radian, or of its own rates.
const FIRST: f64 = 0.1;
/// Number of steps, each half the one before.
const LEVELS: usize = 16;
/// Relative error below which no further steps are taken once they bring nothing.
const FINE: f64 = 1e-10;

/// A place to look around from.
pub(super) struct Neighbourhood<'a> {
    pub model: &'a Model,
    pub work: &'a mut Workspace,
    pub base: &'a State,
    /// Evaluations of the equations of motion so far.
    pub evaluations: usize,
}

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

/// The same axes carried along: each body's velocity coordinates, seen from axes that turn with `turns` (rad/s).
pub(super) fn carried(model: &Model, turns: &[Vec3], x: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; x.len()];
    for (i, body) in model.bodies.iter().enumerate().filter(|(i, _)| turns[*i] != Vec3::ZERO) {
        let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
        body.turned(turns[i], model.v_of(i, x), &mut out[range]);
    }
    out
}

impl Neighbourhood<'_> {
    /// The neighbour at `scale` times direction `j` from the base, and the base's velocities made legal there.
    pub fn displaced(
        &mut self,
        positions: &Directions,
        velocities: &Directions,
        j: usize,
        scale: f64,
    ) -> Result<(Vec<f64>, Vec<f64>), StepError> {
        let (model, base, t) = (self.model, self.base, self.base.t);
        let (mut q, mut v) = (base.q.clone(), base.v.clone());
        advance(model, &mut q, &positions.n[j], scale);
        self.close(&mut q, &mut v)?;
        let still = base.v.iter().chain(&v).all(|v| *v == 0.0);
        let mut last = f64::INFINITY;
        for _ in 0..6 {
            let mut off = positions.components(&difference(model, &base.q, &q));
            off[j] -= scale;
            let far = size(&off);
            if far <= 1e-15 * scale.abs() || far > 0.3 * last {
                break;
            }
            last = far;
            advance(model, &mut q, &positions.combine(&off, model.n_v()), -1.0);
            v.copy_from_slice(&base.v);
            drift::project(model, &mut q, &mut v, t, 0.0, self.work)?;
        }
        if !still {
            last = f64::INFINITY;
            for _ in 0..6 {
                let changes: Vec<f64> = v.iter().zip(&base.v).map(|(v, b)| v - b).collect();
                let off = velocities.components(&changes);
                let far = size(&off);
                if far <= 1e-16 * size(&v) || far > 0.3 * last {
                    break;
                }
                last = far;
                dense::add(&mut v, -1.0, &velocities.combine(&off, model.n_v()));
                drift::close_rates(model, &q, &mut v, t, self.work)?;
            }
        }
        Ok((q, v))
    }

    /// Close joints and make velocities legal, with the factor of this very pose.
    pub fn close(&mut self, q: &mut [f64], v: &mut [f64]) -> Result<(), StepError> {
        let t = self.base.t;
        evaluate::evaluate_bodies(self.model, q, v, &mut self.work.eval);
        evaluate::evaluate_constraints(self.model, q, v, t, &mut self.work.eval);
        self.work.kkt.factor(self.model, t, &self.work.eval)?;
        drift::project(self.model, q, v, t, 0.0, self.work)
    }

    /// Accelerations at a state.
    pub fn accelerations(&mut self, q: &[f64], v: &[f64]) -> Result<Vec<f64>, StepError> {
        self.evaluations += 1;
        dynamics::accelerations(self.model, q, v, self.base.t, None, self.work)?;
        Ok(self.work.accelerations().to_vec())
    }

    /// Accelerations from rest at a pose, time standing still: `H [a; lambda] = [F; 0]`.
    pub fn from_rest(&mut self, q: &[f64]) -> Result<Vec<f64>, StepError> {
        self.evaluations += 1;
        from_rest(self.model, q, self.base.t, self.work)?;
        Ok(self.work.accelerations().to_vec())
    }
}

/// Accelerations from rest into `work.kkt.x`, and the equations of that pose with them.
pub(super) fn from_rest(model: &Model, q: &[f64], t: f64, work: &mut Workspace) -> Result<(), StepError> {
    let rest = vec![0.0; model.n_v()];
    evaluate::evaluate_bodies(model, q, &rest, &mut work.eval);
    evaluate::apply_forces(model, q, &rest, t, &mut work.eval);
    evaluate::evaluate_constraints(model, q, &rest, t, &mut work.eval);
    work.eval.c.fill(0.0);
    work.kkt.factor(model, t, &work.eval)?;
    work.kkt.solve_motion(model, t, &work.eval)
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
