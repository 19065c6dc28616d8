//! The system in maximal coordinates: y = (q, v, work of each force and joint).

use super::System;
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate::Feedback;
use crate::model::Model;
use crate::step::drift;

pub(crate) struct Maximal<'a> {
    pub model: &'a Model,
    pub work: &'a mut Workspace,
    pub feedback: Option<Feedback>,
    /// The end of the step will be projected onto the constraints.
    pub projected: bool,
    /// A rate was found near a singular pose.
    pub near: bool,
}

impl Maximal<'_> {
    pub fn load(&self, q: &[f64], v: &[f64], ledger: &[f64], y: &mut Vec<f64>) {
        y.clear();
        y.extend_from_slice(q);
        y.extend_from_slice(v);
        y.extend_from_slice(ledger);
    }

    pub fn store(&self, y: &[f64], q: &mut [f64], v: &mut [f64], ledger: &mut [f64]) {
        let (yq, rest) = y.split_at(q.len());
        let (yv, yw) = rest.split_at(v.len());
        q.copy_from_slice(yq);
        v.copy_from_slice(yv);
        ledger.copy_from_slice(yw);
    }
}

impl System for Maximal<'_> {
    fn len(&self) -> usize {
        self.n_controlled() + self.work.eval.power.len()
    }

    fn n_controlled(&self) -> usize {
        self.model.n_q() + self.model.n_v()
    }

    fn sizes(&self, out: &mut Vec<f64>) {
        let (length, rate) = (self.model.length_scale(), self.model.rate_scale());
        out.clear();
        for body in &self.model.bodies {
            out.extend((0..body.n_q()).map(|i| if i < body.n_lengths() { length } else { 1.0 }));
        }
        for body in &self.model.bodies {
            out.extend((0..body.n_dof()).map(|i| if i < body.n_lengths() { length * rate } else { rate }));
        }
    }

    fn rate(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), StepError> {
        let (n_q, n_v) = (self.model.n_q(), self.model.n_v());
        let (q, v) = (&y[..n_q], &y[n_q..n_q + n_v]);
        dynamics::accelerations(self.model, q, v, t, self.feedback, self.work)?;
        // what the factor of the others is near to is of no concern to islands that are followed on their own
        let alone = self.work.contact.flying && self.work.contact.flown.is_at_work() && self.feedback.is_none();
        if !alone && !self.work.kkt.solver.near_singular().is_empty() {
            return self.rate_near_singular(t, y, dy);
        }
        self.write_rate(q, v, dy);
        Ok(())
    }

    fn normalise(&self, y: &mut [f64]) {
        for (i, body) in self.model.bodies.iter().enumerate() {
            body.normalise(self.model.q_of_mut(i, y));
        }
    }

    fn passes_singular(&self) -> bool {
        self.near && self.projected
    }

    #[cold]
    fn project(&mut self, t: f64, y: &mut [f64]) -> Result<(), StepError> {
        let (q, v) = y[..self.model.n_q() + self.model.n_v()].split_at_mut(self.model.n_q());
        dynamics::accelerations(self.model, q, v, t, self.feedback, self.work)?;
        drift::project(self.model, q, v, t, 0.0, self.work)
    }
}

impl Maximal<'_> {
    fn write_rate(&mut self, q: &[f64], v: &[f64], dy: &mut [f64]) {
        let (n_q, n_v) = (q.len(), v.len());
        dynamics::powers(self.model, q, v, self.work);
        q_rates(self.model, q, v, &mut dy[..n_q]);
        dy[n_q..n_q + n_v].copy_from_slice(&self.work.kkt.x[..n_v]);
        dy[n_q + n_v..].copy_from_slice(&self.work.eval.power);
    }

    /// The stages of a step lie a little off the constraints. Near a singular pose what they are off by is divided by
    /// the distance from it, and a loop that should pass is thrown off its course. So the velocities of the stage are
    /// made legal first; the equations at hand are those of the same pose, and only what depends on velocities is
    /// evaluated again.
    #[cold]
    fn rate_near_singular(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), StepError> {
        self.near = true;
        let (n_q, n_v) = (self.model.n_q(), self.model.n_v());
        let (q, mut v) = (&y[..n_q], y[n_q..n_q + n_v].to_vec());
        let mut near = vec![false; self.model.n_islands];
        for &x in self.work.kkt.solver.near_singular() {
            near[self.model.island_of_row(x as usize - n_v)] = true;
        }
        drift::close_rates_of(self.model, q, &mut v, t, |i| near[i], false, self.work)?;
        dynamics::accelerations(self.model, q, &v, t, self.feedback, self.work)?;
        self.write_rate(q, &v, dy);
        Ok(())
    }
}

/// dq/dt of all bodies.
pub(crate) fn q_rates(model: &Model, q: &[f64], v: &[f64], out: &mut [f64]) {
    for (i, body) in model.bodies.iter().enumerate() {
        body.q_rate(model.q_of(i, q), model.v_of(i, v), model.q_of_mut(i, out));
    }
}
