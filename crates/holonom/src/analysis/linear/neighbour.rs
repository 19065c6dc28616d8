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

use super::basis::Directions;
use crate::analysis::dense::{self, size};
pub(crate) use crate::analysis::nearby::{advance, derivative, difference, extent};
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::math::Vec3;
use crate::model::Model;
use crate::model::state::State;
use crate::step::drift;

/// A place to look around from.
pub(super) struct Neighbourhood<'a> {
    pub model: &'a Model,
    pub work: &'a mut Workspace,
    pub base: &'a State,
    /// Evaluations of the equations of motion so far.
    pub evaluations: usize,
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
