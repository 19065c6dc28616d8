//! Pushing apart what overlaps where a step ends, without giving energy.
//!
//! A correction moves positions alone. It would change the energy twice over: a body that is turned has other moments
//! of inertia about the axes of the world, and one that is lifted off the ground is higher. So spins turn with their
//! bodies, which keeps the kinetic energy of each as it is; and what is gained in height is paid from the motion of
//! those that were lifted, as far as they have any. (It is what the curvature of their path would have cost them: a box
//! that tumbles over its corner lifts itself.) Bodies that only push each other gain no height together, because their
//! common centre stays where it is.

use super::Stepping;
use crate::contact::inequality::project;
use crate::error::StepError;
use crate::evaluate::energy;
use crate::model::sets::Sets;
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

    /// What bodies have gained in height since `kept_q`, all that touch each other together, from the motion of those
    /// that have.
    fn pay_for_height(&mut self, m: &mut Motion<'_>) {
        let (model, rows) = (m.model, &m.work.contact.rows);
        let Lifted { bodies, groups, sums } = &mut self.lifted;
        bodies.clear();
        energy::each_body(model, &self.kept_q, m.v, |_, e| bodies.push((-e.gravity, 0.0)));
        energy::each_body(model, m.q, m.v, |i, e| bodies[i] = (bodies[i].0 + e.gravity, e.kinetic));
        groups.reset(model.n_islands.max(1));
        for block in &rows.blocks {
            let parts = rows.parts_of(block.row as usize);
            parts
                .windows(2)
                .for_each(|p| groups.join(model.island[p[0].body as usize], model.island[p[1].body as usize]));
        }
        sums.clear();
        sums.resize(model.n_islands.max(1), (0.0, 0.0));
        for (i, (height, _)) in bodies.iter().enumerate() {
            let (gained, raised) = &mut sums[groups.find(model.island[i]) as usize];
            (*gained, *raised) = (*gained + height, *raised + height.max(0.0));
        }
        for (i, &(height, kinetic)) in bodies.iter().enumerate().filter(|(_, l)| l.0 > 0.0 && l.1 > 0.0) {
            let (gained, raised) = sums[groups.find(model.island[i]) as usize];
            let left = 1.0 - gained.max(0.0) * (height / raised) / kinetic;
            let slower = if left > 0.0 { libm::sqrt(left) } else { 0.0 };
            let range = model.v_start[i] as usize..model.v_start[i + 1] as usize;
            m.v[range].iter_mut().for_each(|v| *v *= slower);
        }
    }
}

/// Who was lifted by a correction.
#[derive(Default)]
pub(super) struct Lifted {
    /// What each body has gained in height, and its kinetic energy, J.
    bodies: Vec<(f64, f64)>,
    /// Islands that touch each other.
    groups: Sets,
    /// Of each group: gained together, and by those that were raised, J.
    sums: Vec<(f64, f64)>,
}
