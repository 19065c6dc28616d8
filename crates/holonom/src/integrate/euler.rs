//! Semi-implicit (symplectic) Euler: v1 = v0 + h vdot(q0, v0), q1 = q0 advanced by h v1. Order 1.

use super::{Attempt, Integrator, Motion};
use crate::error::StepError;
use crate::{evaluate, reaction};

/// Semi-implicit Euler.
#[derive(Clone, Copy, Debug, Default)]
pub struct SemiImplicitEuler;

impl Integrator for SemiImplicitEuler {
    fn name(&self) -> &'static str {
        "euler"
    }
    fn order(&self) -> u32 {
        1
    }
    fn attempt(&mut self, m: &mut Motion<'_>, h: f64) -> Result<Attempt, StepError> {
        let feedback = m.feedback();
        evaluate::accelerations(m.model, m.q, m.v, m.t, feedback, m.work)?;
        reaction::joint_powers(m.model, m.q, m.v, m.work);
        for (w, p) in m.ledger.iter_mut().zip(&m.work.power) {
            *w += h * p;
        }
        for (v, a) in m.v.iter_mut().zip(&m.work.x) {
            *v += h * a;
        }
        for (i, body) in m.model.bodies.iter().enumerate() {
            body.advance(m.model.q_of_mut(i, m.q), m.model.v_of(i, m.v), h);
        }
        Ok(Attempt { error: None, evaluations: 1 })
    }
}
