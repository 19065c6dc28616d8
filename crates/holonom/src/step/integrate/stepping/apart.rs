//! Pushing apart what overlaps where a step ends, without giving energy.
//!
//! A correction moves positions alone. It would change the energy twice over: a body that is turned has other moments of
//! inertia about the axes of the world, and one that is lifted off the ground is higher. So spins turn with their
//! bodies, which keeps the kinetic energy of each as it is; and what is gained in height is paid from the motion of
//! those that were lifted, as far as they have any. (It is what the curvature of their path would have cost them: a box
//! that tumbles over its corner lifts itself.) Bodies that only push each other gain no height together, because their
//! common centre stays where it is.

use super::Stepping;
use crate::contact::inequality::project;
use crate::error::StepError;
use crate::evaluate::energy;
use crate::step::integrate::Motion;

impl Stepping {
    /// Overlaps apart.
    pub(super) fn push_apart(&mut self, m: &mut Motion<'_>, h: f64) -> Result<(), StepError> {
        let (model, t, most) = (m.model, m.t + h, self.anew.room(m, h));
        self.kept_q.clone_from(m.q);
        let gained = project::push_apart(model, m.q, m.v, t, &self.tension, &mut self.task, m.work, Some(most))?;
        *m.projected += gained;
        if *m.q == self.kept_q {
            return Ok(());
        }
        let before = energy::mechanical(model, m.q, m.v);
        for (i, body) in model.bodies.iter().enumerate() {
            let (from, to) = (model.q_of(i, &self.kept_q), model.q_of(i, m.q));
            if from != to {
                let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
                body.turn_with(from, to, &mut m.v[range]);
            }
        }
        self.pay_for_height(m);
        *m.projected += energy::mechanical(model, m.q, m.v) - before;
        Ok(())
    }

    /// What bodies have gained in height since `kept_q`, all together, from the motion of those that have.
    fn pay_for_height(&mut self, m: &mut Motion<'_>) {
        let (model, lifted) = (m.model, &mut self.lifted);
        lifted.clear();
        energy::each_body(model, &self.kept_q, m.v, |_, e| lifted.push((-e.gravity, 0.0)));
        energy::each_body(model, m.q, m.v, |i, e| lifted[i] = (lifted[i].0 + e.gravity, e.kinetic));
        let gained: f64 = lifted.iter().map(|(height, _)| height).sum();
        let raised: f64 = lifted.iter().map(|(height, _)| height.max(0.0)).sum();
        if !(gained > 0.0) {
            return;
        }
        for (i, &(height, kinetic)) in lifted.iter().enumerate().filter(|(_, l)| l.0 > 0.0 && l.1 > 0.0) {
            let left = 1.0 - gained * (height / raised) / kinetic;
            let slower = if left > 0.0 { libm::sqrt(left) } else { 0.0 };
            let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
            m.v[range].iter_mut().for_each(|v| *v *= slower);
        }
    }
}
