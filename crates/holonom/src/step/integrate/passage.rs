//! The way past a singular pose for methods whose own equations have no solution there.
//!
//! RATTLE pushes along J(q)^T with q where the step begins, and asks for C = 0 where it ends; an implicit stage asks
//! for its own accelerations. Near a pose in which rows become dependent the matrices of these equations, J(q1) M^-1
//! J(q)^T and J at the stage, lose their rank at other places than the step does, and no impulse does what is asked
//! for. The motion itself is smooth there. So such a step is taken by an explicit method of order 8, whose stages are
//! projected onto the constraints ([`super::maximal`]), in parts short enough for its estimated error to be small.

use super::{Attempt, Dop853, Integrator, Motion};
use crate::error::StepError;
use crate::model::Model;

/// Explicit steps in place of others.
#[derive(Clone, Debug)]
pub(super) struct Passage {
    explicit: Dop853,
    q: Vec<f64>,
    v: Vec<f64>,
    ledger: Vec<f64>,
}

/// Does the model stand in a singular pose that it cannot leave (a chain stretched between two nails)? Its rows give
/// way by the solver's regularisation, which equations of their own do not know.
pub(super) fn is_taut(model: &Model) -> bool {
    model.regularisation.stuck_islands.contains(&true)
}

/// A joint of such a part.
pub(super) fn taut_joint(model: &Model) -> String {
    let stuck = |island: u32| model.regularisation.stuck_islands.get(island as usize) == Some(&true);
    let joint = model.joints.iter().position(|j| stuck(j.island)).unwrap_or(0);
    model.joint_names.get(joint).to_string()
}

/// Parts into which a step is cut at most.
const MOST_PARTS: usize = 64;

impl Passage {
    pub fn new(relative: f64, absolute: f64) -> Self {
        Passage { explicit: Dop853::new(relative, absolute), q: Vec::new(), v: Vec::new(), ledger: Vec::new() }
    }

    /// One explicit step of `h` from where `m` stands, with its estimated error.
    pub fn attempt(&mut self, m: &mut Motion<'_>, h: f64) -> Result<Attempt, StepError> {
        self.explicit.attempt(m, h)
    }

    /// Remember where a step begins.
    pub fn note(&mut self, m: &Motion<'_>) {
        self.q.clone_from(m.q);
        self.v.clone_from(m.v);
        self.ledger.clear();
        self.ledger.extend_from_slice(m.ledger);
    }

    fn give_back(&self, m: &mut Motion<'_>) {
        m.q.copy_from_slice(&self.q);
        m.v.copy_from_slice(&self.v);
        m.ledger.copy_from_slice(&self.ledger);
    }

    /// The step of `h` from where [`Passage::note`] was called, in as many parts as its error asks for; `stopped` is
    /// what ended the other method, and the answer where this one ends too.
    pub fn cross(&mut self, m: &mut Motion<'_>, h: f64, stopped: StepError) -> Result<Attempt, StepError> {
        let (start, mut evaluations, mut parts) = (m.t, 0, 1);
        while parts <= MOST_PARTS {
            self.give_back(m);
            let part = h / parts as f64;
            let crossed = (0..parts).all(|i| {
                m.t = start + part * i as f64;
                self.explicit.attempt(m, part).is_ok_and(|a| {
                    evaluations += a.evaluations;
                    a.error.is_some_and(|e| e <= 1.0)
                })
            });
            m.t = start;
            if crossed {
                return Ok(Attempt { error: None, evaluations });
            }
            parts *= 2;
        }
        Err(stopped)
    }
}
