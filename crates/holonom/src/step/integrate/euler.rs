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
//! Links held taut that swing faster than the step are held back by the stiffness of their pull
//! ([`crate::contact::inequality::tension`]): the step is solved once more with M + h² K in place of M, as an implicit
//! method would, and their joints are closed with it.

use super::{Attempt, Integrator, Motion};
use crate::contact::inequality::tension::Tension;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::{Noise, energy};
use crate::step::drift::{self, Drift};

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
    for i in 0..n {
        work.kkt.x[i] = h * work.eval.force[i];
    }
    for (i, rate) in work.eval.gap_rate.iter().enumerate() {
        let pull = feedback.map_or(0.0, |f| h * (f.ks * work.eval.gap[i] + f.kd * rate));
        work.kkt.x[n + i] = rate + pull;
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
        if m.drift == Drift::Project && self.tension.stiffen(m.model, (m.q, m.v, m.t), h, &self.impulses, m.work) {
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
    fn attempt(&mut self, m: &mut Motion<'_>, h: f64) -> Result<Attempt, StepError> {
        let (model, n) = (m.model, m.v.len());
        dynamics::factored_equations(model, m.q, m.v, m.t, m.work)?;
        evaluate::evaluate_gaps_with(Noise::None, model, m.q, m.v, m.t + h, &mut m.work.eval);
        self.kick(m, h)?;
        let work = &mut *m.work;
        for (v, dv) in m.v.iter_mut().zip(&work.kkt.x) {
            *v += dv;
        }
        for (i, body) in model.bodies.iter().enumerate() {
            body.advance(model.q_of_mut(i, m.q), model.v_of(i, m.v), h);
        }

        // legal where they arrive
        if m.drift == Drift::Project && model.n_rows() > 0 {
            let before = energy::mechanical(model, m.q, m.v);
            if self.tension.matters() {
                drift::close_taut(model, m.q, m.v, m.t + h, &self.tension, work)?;
            } else {
                drift::close_gaps(model, m.q, m.v, m.t + h, work)?;
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
        evaluate::evaluate_gaps_with(Noise::None, model, m.q, m.v, m.t + h, &mut work.eval);
        work.kkt.x[..n].fill(0.0);
        work.kkt.x[n..].copy_from_slice(&work.eval.gap_rate);
        work.kkt.solve(model, m.t, &work.eval)?;
        for (v, dv) in m.v.iter_mut().zip(&work.kkt.x) {
            *v += dv;
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
