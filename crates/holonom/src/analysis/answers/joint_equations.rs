//! The equations of motion in joint coordinates.
//!
//! ```text
//! v = N w           w: rates of the joints of a spanning forest (free bodies: their own velocity coordinates)
//! M_w wdot + b = F_w + e           M_w = N^T M N,   b = N^T (M vdot_0 - F_inertial),   F_w = N^T F_applied
//! vdot = N wdot + vdot_0           vdot_0: the accelerations with wdot = 0, J vdot_0 + c = 0
//! ```
//!
//! N comes from the joints themselves, root to leaf, and vdot_0 from one solve with the factor at hand: nothing is
//! inverted, and a tree's mass matrix is exact to rounding whatever the masses. Where joints close loops (or tie what
//! the forest does not know) their rows are conditions on w, `B w = 0`; elimination with complete pivoting makes some
//! rates dependent on the others, and w are those that are left. Multipliers appear nowhere: N^T J^T = 0.
//!
//! In a tree b is what robotics calls the nonlinear effects (Coriolis, centrifugal and gyroscopic forces, and gravity).

use super::along::PushAlong;
use super::factor::HeldFactor;
use crate::analysis::dense::{add, dot};
use crate::catalogue::attach::BodyId;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::evaluation::Evaluation;
use crate::model::state::State;
use crate::model::{Form, JointId, Model};
use crate::step::integrate::JointSpace;
use std::sync::Arc;

/// What is left of a condition of length 1 when it counts as dependent on the others.
const DEPENDENT: f64 = 1e-10;

/// What a rate in joint coordinates is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointRate {
    /// The joint above the body; `None` where the body moves by its own velocity coordinates.
    pub joint: Option<JointId>,
    /// The body that it moves.
    pub body: BodyId,
    /// Number among the rates of that joint (or the velocity coordinates of that body), from 0.
    pub index: usize,
}

/// The equations of motion in joint coordinates at one state.
pub struct JointEquations {
    model: Arc<Model>,
    state: State,
    rates: Vec<JointRate>,
    w: Vec<f64>,
    directions: Vec<Vec<f64>>,
    mass: Vec<f64>,
    bias: Vec<f64>,
    applied: Vec<f64>,
    vdot_0: Vec<f64>,
    eval: Evaluation,
}

impl JointEquations {
    /// At the state of a factor: one more solve. Rows with force directions of their own (brakes of feedback, worm
    /// gears) do work on legal motions and have no place in joint coordinates: they are refused.
    pub fn of(held: &mut HeldFactor) -> Result<Self, StepError> {
        let model = held.model.clone();
        if let Some(k) = model.joints.iter().position(|j| matches!(j.form, Form::Own(_))) {
            return Err(StepError::Invalid(format!(
                "joint `{}` pushes in directions of its own: its force does not drop out of the equations in joint coordinates",
                model.joint_names.get(k)
            )));
        }
        let State { q, v, t, .. } = &held.state;
        let mut space = JointSpace::new(&model);
        let y = space.stand(&model, q, v);
        let all = space.directions(&model, &y);
        let mut conditions = space.surplus(&model, &y);
        let cuts: Vec<JointId> = space.cuts().iter().map(|&k| JointId(k)).collect();
        for row in held.joint_rows(&cuts) {
            conditions.push(all.iter().map(|n| dot(&row, n)).collect());
        }
        let Independent { kept, dependent } = independent(conditions, all.len());
        let mut directions: Vec<Vec<f64>> = kept.iter().map(|&k| all[k].clone()).collect();
        for (d, factors) in &dependent {
            for (direction, factor) in directions.iter_mut().zip(factors) {
                add(direction, *factor, &all[*d]);
            }
        }
        // accelerations with wdot = 0, from any that the joints allow
        let mut x = vec![0.0; held.n_v()];
        x.extend_from_slice(held.row_acceleration());
        held.work.kkt.x.copy_from_slice(&x);
        held.work.kkt.solve(&model, *t, &held.work.eval)?;
        x.copy_from_slice(&held.work.kkt.x);
        x.truncate(model.n_v());
        space.stand(&model, q, v);
        let of_rates = space.accelerations_of_rates(&model, &y, &x);
        for (direction, &k) in directions.iter().zip(&kept) {
            add(&mut x, -of_rates[k], direction);
        }
        let n = directions.len();
        let images: Vec<Vec<f64>> = directions.iter().map(|d| held.mass_times(d)).collect();
        let mut mass = vec![0.0; n * n];
        for i in 0..n {
            for j in 0..=i {
                let m = dot(&directions[i], &images[j]);
                (mass[i * n + j], mass[j * n + i]) = (m, m);
            }
        }
        let inertial: Vec<f64> = held.force().iter().zip(held.applied_force()).map(|(f, a)| f - a).collect();
        let pulled: Vec<f64> = held.mass_times(&x).iter().zip(&inertial).map(|(m, f)| m - f).collect();
        let bias = directions.iter().map(|d| dot(d, &pulled)).collect();
        let applied = directions.iter().map(|d| dot(d, held.applied_force())).collect();
        let w = space.rates_in(&y);
        let w = kept.iter().map(|&k| w[k]).collect();
        let labels = space.labels();
        let rates = kept.iter().map(|&k| {
            let label = labels[k];
            JointRate { joint: label.joint, body: BodyId(label.body), index: label.index as usize }
        });
        let mut eval = Evaluation::new(&model, model.structure());
        evaluate::place_bodies(&model, q, v, &mut eval);
        let rates = rates.collect();
        Ok(JointEquations {
            state: held.state.clone(),
            model,
            rates,
            w,
            directions,
            mass,
            bias,
            applied,
            vdot_0: x,
            eval,
        })
    }

    /// Number of rates: the freedom of the mechanism.
    pub fn len(&self) -> usize {
        self.rates.len()
    }

    /// Is there no freedom at all?
    pub fn is_empty(&self) -> bool {
        self.rates.is_empty()
    }

    /// What each rate is.
    pub fn rates(&self) -> &[JointRate] {
        &self.rates
    }

    /// A name for rate `i`: that of its joint or body, with its number after a dot.
    pub fn name(&self, i: usize) -> String {
        let rate = self.rates[i];
        let name = rate.joint.map_or_else(|| self.model.body_name(rate.body), |j| self.model.joint_name(j));
        format!("{name}.{}", rate.index)
    }

    /// Rate number `index` of a joint, where it is one of the independent ones.
    pub fn of_joint(&self, joint: JointId, index: usize) -> Option<usize> {
        self.rates.iter().position(|r| r.joint == Some(joint) && r.index == index)
    }

    /// The rates w at the state, m/s or rad/s.
    pub fn values(&self) -> &[f64] {
        &self.w
    }

    /// The mass matrix M_w, row by row, `len() x len()`.
    pub fn mass_matrix(&self) -> &[f64] {
        &self.mass
    }

    /// b: the efforts that `wdot = 0` takes where no force law acts. Gravity and everything quadratic in velocities.
    pub fn bias(&self) -> &[f64] {
        &self.bias
    }

    /// F_w: what force laws (springs, dampers) contribute.
    pub fn applied(&self) -> &[f64] {
        &self.applied
    }

    /// Column `i` of N: velocity coordinates of all bodies for a unit of rate `i`.
    pub fn direction(&self, i: usize) -> &[f64] {
        &self.directions[i]
    }

    /// Accelerations of all velocity coordinates when the rates accelerate like this: `N wdot + vdot_0`.
    ///
    /// # Panics
    /// When `wdot` has another length than the rates.
    pub fn body_accelerations(&self, wdot: &[f64]) -> Vec<f64> {
        assert_eq!(wdot.len(), self.len(), "body_accelerations: length of wdot");
        let mut out = self.vdot_0.clone();
        self.directions.iter().zip(wdot).for_each(|(d, w)| add(&mut out, *w, d));
        out
    }

    /// The efforts along the rates that make them accelerate like this: `M_w wdot + b - F_w`. In a tree these are those
    /// of the joints; in loops those of the independent rates, all others passive.
    ///
    /// # Panics
    /// When `wdot` has another length than the rates.
    pub fn efforts(&self, wdot: &[f64]) -> Vec<f64> {
        let n = self.len();
        assert_eq!(wdot.len(), n, "efforts: length of wdot");
        (0..n).map(|i| dot(&self.mass[i * n..(i + 1) * n], wdot) + self.bias[i] - self.applied[i]).collect()
    }

    /// Jacobian of directions by the rates, row by row, `along.len() x len()`.
    pub fn jacobian(&self, along: &[PushAlong]) -> Result<Vec<f64>, StepError> {
        let mut out = Vec::with_capacity(along.len() * self.len());
        self.each_row(along, |row, _| out.extend(self.directions.iter().map(|d| dot(row, d))))?;
        Ok(out)
    }

    /// Accelerations along directions with `wdot = 0`: `Jdot_w w`, and what prescribed motions add.
    pub fn jacobian_dot_v(&self, along: &[PushAlong]) -> Result<Vec<f64>, StepError> {
        let mut out = Vec::with_capacity(along.len());
        self.each_row(along, |row, drift| out.push(dot(row, &self.vdot_0) + drift))?;
        Ok(out)
    }

    fn each_row(&self, along: &[PushAlong], mut visit: impl FnMut(&[f64], f64)) -> Result<(), StepError> {
        let mut row = vec![0.0; self.model.n_v()];
        for a in along {
            let drift = a.write(&self.model, (&self.state.q, &self.state.v), &self.eval, &mut row)?;
            visit(&row, drift);
        }
        Ok(())
    }
}

/// Rates that are independent under conditions, and what the others are by them.
struct Independent {
    kept: Vec<usize>,
    /// A dependent rate, and its factors by those kept.
    dependent: Vec<(usize, Vec<f64>)>,
}

/// Gauss-Jordan elimination of `rows . w = 0` with complete pivoting, rows at length 1.
fn independent(rows: Vec<Vec<f64>>, n: usize) -> Independent {
    let mut rows = crate::analysis::dense::normalised(rows);
    let mut pivots: Vec<(usize, Vec<f64>)> = Vec::new();
    while !rows.is_empty() {
        let largest = |row: &[f64]| {
            (0..n).fold((0, 0.0), |m: (usize, f64), k| if row[k].abs() > m.1 { (k, row[k].abs()) } else { m })
        };
        let best = (0..rows.len()).fold((0, (0, 0.0)), |m, i| {
            let found = largest(&rows[i]);
            if found.1 > m.1.1 { (i, found) } else { m }
        });
        let (i, (column, size)) = best;
        if !(size > DEPENDENT) {
            break;
        }
        let mut pivot = rows.swap_remove(i);
        let scale = 1.0 / pivot[column];
        pivot.iter_mut().for_each(|x| *x *= scale);
        pivot[column] = 1.0;
        for other in rows.iter_mut().chain(pivots.iter_mut().map(|(_, row)| row)) {
            let s = other[column];
            if s != 0.0 {
                add(other, -s, &pivot);
                other[column] = 0.0;
            }
        }
        pivots.push((column, pivot));
    }
    let kept: Vec<usize> = (0..n).filter(|k| pivots.iter().all(|(column, _)| column != k)).collect();
    let dependent = pivots.into_iter().map(|(column, row)| (column, kept.iter().map(|&k| -row[k]).collect())).collect();
    Independent { kept, dependent }
}
