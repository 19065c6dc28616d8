//! Semi-implicit Euler: the new velocity first, then the position with it. Order 1.
//!
//! ```text
//! M (v1 - v0) = h F(q0, v0) + J(q0)^T (h lambda),      J(q0) v1 + C_t(q0, t + h) = 0
//! q1 = q0 advanced by h v1, and corrected: M dq = J(q0)^T tau, until C(q1, t + h) = 0
//! M (v1' - v1) = J(q1)^T mu,                           J(q1) v1' + C_t(q1, t + h) = 0
//! ```
//!
//! The constraint is imposed on the velocity that moves the bodies, and again where they arrive, along the directions
//! there; not on the acceleration, whose multipliers feed a little energy into every swing, which grows. Joints act by
//! the impulse h lambda + mu. Feedback against drift enters as h (ks C + kd Cdot).
//!
//! Positions are corrected with the factor of q0, which leaves a part of about h times the rate of turning of every
//! gap: three or four corrections close them to rounding, each a solve and a look at the gaps. So M, J and their factor
//! at q1 are those of the final pose, and the next step begins with them: one factorisation a step.
//!
//! In joint coordinates (a spanning forest of the joints) the bodies move along the joints instead, each at the rates
//! that v1 gives it: u1 = u0 + h w1. Joints of the forest are then closed by construction; only those that are cut have
//! anything to correct. A tree needs one factorisation and two solves a step, the second for the last line: with v = S
//! w it says
//!
//! ```text
//! S1^T M (S1 w1' - S0 w1) = 0,       w1' = w1 - h (S^T M S)^-1 S^T M Sdot w + O(h²)
//! ```
//!
//! which is where the Coriolis and centrifugal forces of joint coordinates come from. Rates of joints that were kept
//! instead (velocities that turn with the bodies) would leave them out.
//!
//! Links held taut that swing faster than the step are held back by the stiffness of their pull
//! ([`crate::contact::inequality::tension`]): the step is solved once more with M + h² K in place of M, as an implicit
//! method would, and their joints are closed with it.

use super::{Attempt, Coordinates, Integrator, Motion};
use crate::contact::inequality::tension::Tension;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::convergence::Island;
use crate::evaluate::{Noise, energy};
use crate::model::Model;
use crate::step::drift;

/// Joints along which bodies were carried are closed to rounding of several operations. What is left is corrected only
/// above so many times the rounding of one: a correction moves all bodies, and costs a new factor.
const CARRIED: f64 = 256.0;

/// Semi-implicit Euler.
#[derive(Clone, Debug, Default)]
pub struct SemiImplicitEuler {
    /// h lambda.
    impulses: Vec<f64>,
    tension: Tension,
}

/// h F and what the rows want, into `work.kkt.x`.
fn load(m: &mut Motion<'_>, h: f64) {
    let feedback = m.feedback();
    let (model, work, n) = (m.model, &mut *m.work, m.v.len());
    let (forces, rows) = work.kkt.x.split_at_mut(n);
    forces.iter_mut().zip(&work.eval.force).for_each(|(x, f)| *x = h * f);
    rows.copy_from_slice(&work.eval.gap_rate);
    if let Some(f) = feedback {
        for (x, (gap, rate)) in rows.iter_mut().zip(work.eval.gap.iter().zip(&work.eval.gap_rate)) {
            *x = rate + h * (f.ks * gap + f.kd * rate);
        }
    }
    // rows on accelerations say how velocities change, not what they become
    for &row in &model.acceleration_rows {
        work.kkt.x[n + row as usize] = h * work.eval.c[row as usize];
    }
}

impl SemiImplicitEuler {
    /// The velocity change and the impulses of joints, into `work.kkt.x`.
    fn kick(&mut self, m: &mut Motion<'_>, h: f64) -> Result<(), StepError> {
        self.tension.clear();
        load(m, h);
        m.work.kkt.solve_and_check(m.model, m.t, &m.work.eval)?;
        let impulses = &m.work.kkt.x[m.v.len()..];
        self.impulses.clear();
        self.impulses.extend_from_slice(impulses);
        if m.drift.projects() && self.tension.stiffen(m.model, (m.q, m.v, m.t), h, &self.impulses, m.work) {
            m.work.kkt.factor(m.model, m.t, &m.work.eval)?;
            load(m, h);
            m.work.kkt.solve(m.model, m.t, &m.work.eval)?;
            self.impulses.copy_from_slice(&m.work.kkt.x[m.v.len()..]);
        }
        Ok(())
    }
}

impl Integrator for SemiImplicitEuler {
    fn name(&self) -> &'static str {
        "euler"
    }
    fn order(&self) -> u32 {
        1
    }
    fn between_events(&self) -> bool {
        false
    }
    fn any_coordinates(&self) -> bool {
        true
    }
    fn attempt(&mut self, m: &mut Motion<'_>, h: f64) -> Result<Attempt, StepError> {
        let (model, n) = (m.model, m.v.len());
        dynamics::factored_equations(model, m.q, m.v, m.t, m.work)?;
        evaluate::evaluate_gaps_of_start(model, m.q, m.v, m.t + h, &mut m.work.eval);
        self.kick(m, h)?;
        let work = &mut *m.work;
        for (v, dv) in m.v.iter_mut().zip(&work.kkt.x) {
            *v += dv;
        }
        let joints = m.joint_space.as_deref_mut().filter(|_| m.coordinates == Coordinates::Joint);
        let mut joints = joints.filter(|_| !self.tension.matters());
        match &mut joints {
            Some(joints) => {
                joints.carry(model, m.q, &*m.v, h);
                work.correction.quiet = CARRIED;
            }
            None => model.bodies.iter().enumerate().for_each(|(i, body)| {
                body.advance(model.q_of_mut(i, m.q), model.v_of(i, m.v), h);
            }),
        }

        // closed where they arrive: in joint coordinates they are, but for the joints that are no part of the forest
        let closed = joints.as_ref().is_some_and(|joints| joints.cuts().is_empty()) || model.n_rows() == 0;
        if m.drift.projects() && !closed {
            let before = energy::mechanical(model, m.q, m.v);
            match joints {
                _ if self.tension.matters() => {
                    drift::close_taut(model, m.q, m.v, m.t + h, &self.tension, work)?;
                }
                Some(joints) => {
                    let mut along = |model: &Model, q: &mut [f64], d: &[f64], islands: &[Island]| {
                        joints.advance(model, q, d, islands);
                    };
                    drift::close_gaps_along(model, m.q, m.v, m.t + h, work, &mut along)?;
                }
                None => {
                    drift::close_gaps(model, m.q, m.v, m.t + h, work)?;
                }
            }
            *m.projected += energy::mechanical(model, m.q, m.v) - before;
        }
        evaluate::evaluate_bodies(model, m.q, m.v, &mut work.eval);
        self.tension.add(model, work);
        evaluate::evaluate_constraints(model, m.q, m.v, m.t + h, &mut work.eval);
        work.kkt.factor(model, m.t + h, &work.eval)?;
        if !self.tension.matters() {
            work.kkt.note_pose(model, m.q, m.t + h, &mut work.eval);
        }
        work.kkt.x.fill(0.0);
        if model.n_rows() > 0 {
            evaluate::evaluate_gaps_with(Noise::None, model, m.q, m.v, m.t + h, &mut work.eval);
            work.kkt.x[n..].copy_from_slice(&work.eval.gap_rate);
            work.kkt.solve(model, m.t, &work.eval)?;
            m.v.iter_mut().zip(&work.kkt.x).for_each(|(v, dv)| *v += dv);
        }

        // multipliers from impulses, for the ledger
        for (x, impulse) in work.kkt.x[n..].iter_mut().zip(&self.impulses) {
            *x = (*x + impulse) / h;
        }
        evaluate::place_bodies(model, m.q, m.v, &mut work.eval);
        dynamics::powers(model, m.q, m.v, work);
        for (w, p) in m.ledger.iter_mut().zip(&work.eval.power) {
            *w += h * p;
        }
        Ok(Attempt { error: None, evaluations: 2 })
    }
}
