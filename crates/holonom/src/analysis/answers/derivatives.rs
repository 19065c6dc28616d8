//! How accelerations and multipliers change with positions, velocities, forces and parameters.
//!
//! ```text
//! H x = rhs,  x = [a; lambda]        =>        H dx = d(rhs) - dH x = d(rho),     rho(p) = rhs(p) - H(p) x,   x held fixed
//! rho = [F + J^T lambda - M a;  c + J a]
//! ```
//!
//! One solve with the factor at hand for each direction, whatever it is a derivative by; the equations are never
//! factored again, and never solved anywhere else: only their terms M, J, c and F are looked at nearby, with x as it
//! is. How exact they are:
//!
//! | by | d(rho) | exact? |
//! |---|---|---|
//! | forces | the force itself | to rounding |
//! | velocities | central differences | to rounding where c and F are at most quadratic in v, as those of all rows, of bodies and of linear dampers are: a central difference of a quadratic is its derivative |
//! | positions, parameters | central differences of the terms, extrapolated | measured: [`Derivative::error`], some 1e-11 |
//!
//! Displacements leave joints where they are open: derivatives by positions are those of the formula above, along any
//! displacement. Along a *legal* one, with velocities that stay legal ([`HeldFactor::legal`]), they are the derivatives
//! on the constraint manifold:
//!
//! ```text
//! J dq = 0                          dq' = P M dq
//! J dv = - d(J v + C_t)/dq dq'      dv' = what comes nearest to dv in the metric of the masses
//! ```
//!
//! Where rows depend on others lambda is not unique, and neither is its derivative; that of a is. Contacts are left
//! out.

use super::factor::HeldFactor;
use super::factor::Response;
use crate::analysis::dense::size;
use crate::analysis::nearby::{advance, derivative, extent};
use crate::contact::inequality::workspace::Workspace;
use crate::error::{ModelError, StepError};
use crate::evaluate;
use crate::evaluate::angles;
use crate::evaluate::evaluation::Evaluation;
use crate::model::{Form, Model};
use crate::solve::SolverKind;
use holonom_tree::Factor;
use std::sync::Arc;

/// A direction in which a state and the forces on it change: displacements and changes of velocity, per velocity
/// coordinate, and a generalised force. Empty parts are zero.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Displacement {
    /// dq in velocity coordinates: what `q` advances by.
    pub position: Vec<f64>,
    /// dv.
    pub velocity: Vec<f64>,
    /// df.
    pub force: Vec<f64>,
}

/// A directional derivative of the motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivative {
    /// Of the accelerations, per velocity coordinate.
    pub acceleration: Vec<f64>,
    /// Of the multipliers of all rows.
    pub multipliers: Vec<f64>,
    /// Estimated error of the differences behind it, as a part of what was differenced; 0 where there were none.
    pub error: f64,
}

/// Derivatives by all velocity coordinates, one by one.
#[derive(Clone, Debug, PartialEq)]
pub struct Derivatives {
    /// By a displacement along every velocity coordinate.
    pub by_position: Vec<Derivative>,
    /// By every velocity coordinate.
    pub by_velocity: Vec<Derivative>,
}

/// The terms of the equations near a state, and what they make of a solution held fixed.
pub(super) struct Terms {
    pub(super) eval: Evaluation,
    bare: Factor,
    rhs: Vec<f64>,
    out: Vec<f64>,
}

impl Terms {
    pub(super) fn new(model: &Model) -> Self {
        let n = model.n_v() + model.n_rows();
        Terms {
            eval: Evaluation::new(model, model.structure()),
            bare: model.plan.new_factor(),
            rhs: vec![0.0; n],
            out: vec![0.0; n],
        }
    }

    /// `rho` at `(q, v, t)` for the solution `x`.
    pub(super) fn remainder(&mut self, model: &Model, (q, v, t): (&[f64], &[f64], f64), x: &[f64]) -> Vec<f64> {
        let n = model.n_v();
        evaluate::evaluate_bodies(model, q, v, &mut self.eval);
        evaluate::apply_forces(model, q, v, t, &mut self.eval);
        evaluate::evaluate_constraints(model, q, v, t, &mut self.eval);
        self.rhs[..n].copy_from_slice(&self.eval.force);
        self.rhs[n..].copy_from_slice(&self.eval.c);
        self.out.copy_from_slice(&self.rhs);
        model.plan.residual(&self.eval.blocks, &mut self.bare, x, &self.rhs, &mut self.out);
        for joint in &model.joints {
            let Form::Own(form) = &joint.form else { continue };
            for (r, row) in joint.row_range().enumerate() {
                let at = form.at as usize + r * form.width();
                for b in &form.bodies {
                    for i in 0..b.n as usize {
                        let (e, column) = (at + b.column as usize + i, b.v as usize + i);
                        self.out[n + row] += self.eval.own.j[e] * x[column];
                        self.out[column] += self.eval.own.k[e] * x[n + row];
                    }
                }
            }
        }
        self.out.clone()
    }
}

impl HeldFactor {
    /// The derivative of the motion under all forces along a direction of positions, velocities and forces.
    ///
    /// # Panics
    /// When a part that is given has another length than the velocity coordinates.
    pub fn derivative(&mut self, along: &Displacement) -> Result<Derivative, StepError> {
        let x = self.solution()?;
        let mut terms = self.terms();
        self.derivative_of(along, &x, &mut terms)
    }

    /// The derivatives by all velocity coordinates: `2 n_v` times [`HeldFactor::derivative`], the solution found once.
    pub fn derivatives(&mut self) -> Result<Derivatives, StepError> {
        let (x, mut terms, n) = (self.solution()?, self.terms(), self.n_v());
        let unit = |k: usize| (0..n).map(|i| f64::from(i == k)).collect::<Vec<f64>>();
        let mut out = Derivatives { by_position: Vec::with_capacity(n), by_velocity: Vec::with_capacity(n) };
        for k in 0..n {
            let along = Displacement { position: unit(k), ..Displacement::default() };
            out.by_position.push(self.derivative_of(&along, &x, &mut terms)?);
            let along = Displacement { velocity: unit(k), ..Displacement::default() };
            out.by_velocity.push(self.derivative_of(&along, &x, &mut terms)?);
        }
        Ok(out)
    }

    /// The derivative by a number that models are made from (a mass, a length, a stiffness): `make` builds the model
    /// for a value near `value`, with the same bodies, joints and coordinates; `unit` is a change that would matter.
    /// The state stays what it is, in the coordinates of the bodies; where it does not close the joints of the other
    /// models, add the derivative along the displacement that does.
    pub fn derivative_by_parameter(
        &mut self,
        value: f64,
        unit: f64,
        mut make: impl FnMut(f64) -> Result<Model, ModelError>,
    ) -> Result<Derivative, StepError> {
        if !(value.is_finite() && unit.is_finite() && unit > 0.0) {
            let message = format!("parameter {value}, unit {unit}: must be finite, the unit greater than 0");
            return Err(StepError::Invalid(message));
        }
        let x = self.solution()?;
        let (state, model) = (self.state.clone(), self.model.clone());
        let (rho, error) = derivative(unit, |h| {
            let other = make(value + h).map_err(|e| StepError::Invalid(e.to_string()))?;
            let same = other.n_v() == model.n_v() && other.n_q() == model.n_q() && other.n_rows() == model.n_rows();
            if !same {
                let message = "a model with another value of the parameter has other coordinates or rows";
                return Err(StepError::Invalid(message.into()));
            }
            let mut terms = Terms::new(&other);
            if other.reads_turns {
                angles::note_angles(&other, &state.q, &state.v, &state.turns, state.t, &mut terms.eval);
            }
            Ok(terms.remainder(&other, (&state.q, &state.v, state.t), &x))
        })?;
        self.answer(rho, error)
    }

    /// The nearest legal direction, in the metric of the masses: displacements that keep joints closed, and changes of
    /// velocity that keep velocities legal as positions change. Derivatives along it are those on the constraint
    /// manifold.
    ///
    /// # Panics
    /// When a part that is given has another length than the velocity coordinates.
    pub fn legal(&mut self, along: &Displacement) -> Result<Displacement, StepError> {
        let n = self.n_v();
        let given = |x: &Vec<f64>| if x.is_empty() { vec![0.0; n] } else { x.clone() };
        let position = self.respond(&self.mass_times(&given(&along.position)))?.acceleration;
        let opening = self.opening(&position)?;
        let mut x = self.mass_times(&given(&along.velocity));
        x.extend(opening);
        let velocity = self.response(x)?.acceleration;
        Ok(Displacement { position, velocity, force: along.force.clone() })
    }

    /// How the rates `J v + C_t` of the rows change along a displacement.
    fn opening(&mut self, position: &[f64]) -> Result<Vec<f64>, StepError> {
        let n_rows = self.n_rows();
        if size(position) == 0.0 {
            return Ok(vec![0.0; n_rows]);
        }
        let (model, state) = (self.model.clone(), self.state.clone());
        let mut work = Workspace::new(&model, SolverKind::Tree);
        if model.reads_turns {
            angles::note_angles(&model, &state.q, &state.v, &state.turns, state.t, &mut work.eval);
        }
        let (rates, _) = derivative(1.0 / extent(&model, position), |h| {
            let mut q = state.q.clone();
            advance(&model, &mut q, position, h);
            evaluate::place_bodies(&model, &q, &state.v, &mut work.eval);
            evaluate::evaluate_gaps(&model, &q, &state.v, state.t, &mut work.eval);
            Ok(work.eval.gap_rate.clone())
        })?;
        Ok(rates)
    }

    /// What must push besides, for accelerations and multipliers to be a motion: `M a - J^T lambda - F`, per velocity
    /// coordinate. Of a motion in contact that is what contacts, limits, ropes and dry friction do.
    ///
    /// # Panics
    /// When a list has another length than the velocity coordinates or the rows.
    pub fn force_left_over(&self, acceleration: &[f64], multipliers: &[f64]) -> Vec<f64> {
        assert_eq!((acceleration.len(), multipliers.len()), (self.n_v(), self.n_rows()), "force_left_over: lengths");
        let x: Vec<f64> = acceleration.iter().chain(multipliers).copied().collect();
        let s = &self.state;
        let mut rho = self.terms().remainder(&self.model, (&s.q, &s.v, s.t), &x);
        rho.truncate(self.n_v());
        rho.iter().map(|x| -x).collect()
    }

    fn terms(&self) -> Terms {
        let mut terms = Terms::new(&self.model);
        let s = &self.state;
        if self.model.reads_turns {
            angles::note_angles(&self.model, &s.q, &s.v, &s.turns, s.t, &mut terms.eval);
        }
        terms
    }

    /// The motion under all forces as one vector.
    fn solution(&mut self) -> Result<Vec<f64>, StepError> {
        let Response { acceleration: mut x, multipliers } = self.accelerations()?;
        x.extend(multipliers);
        Ok(x)
    }

    fn answer(&mut self, rho: Vec<f64>, error: f64) -> Result<Derivative, StepError> {
        let largest = size(&rho);
        let Response { acceleration, multipliers } = self.response(rho)?;
        Ok(Derivative { acceleration, multipliers, error: if largest > 0.0 { error / largest } else { 0.0 } })
    }

    fn derivative_of(&mut self, along: &Displacement, x: &[f64], terms: &mut Terms) -> Result<Derivative, StepError> {
        let (n, n_rows) = (self.n_v(), self.n_rows());
        for part in [&along.position, &along.velocity, &along.force] {
            assert!(part.is_empty() || part.len() == n, "derivative: length of a part of the displacement");
            if !size(part).is_finite() {
                return Err(StepError::Invalid("a displacement is not a number, must be finite".into()));
            }
        }
        let (model, state): (Arc<Model>, _) = (self.model.clone(), &self.state);
        let mut rho = along.force.clone();
        rho.resize(n + n_rows, 0.0);
        let mut error = 0.0;
        if size(&along.position) > 0.0 {
            let (by_q, e) = derivative(1.0 / extent(&model, &along.position), |h| {
                let mut q = state.q.clone();
                advance(&model, &mut q, &along.position, h);
                Ok(terms.remainder(&model, (&q, &state.v, state.t), x))
            })?;
            (rho, error) = (sum(rho, &by_q), error + e);
        }
        if size(&along.velocity) > 0.0 {
            let rate = model.rate_scale().max(extent(&model, &state.v));
            let (by_v, e) = derivative(rate / extent(&model, &along.velocity), |h| {
                let v: Vec<f64> = state.v.iter().zip(&along.velocity).map(|(v, d)| v + h * d).collect();
                Ok(terms.remainder(&model, (&state.q, &v, state.t), x))
            })?;
            (rho, error) = (sum(rho, &by_v), error + e);
        }
        self.answer(rho, error)
    }
}

fn sum(mut a: Vec<f64>, b: &[f64]) -> Vec<f64> {
    a.iter_mut().zip(b).for_each(|(a, b)| *a += b);
    a
}
