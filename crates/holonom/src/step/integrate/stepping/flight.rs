//! A step on velocities beside companies that fly: those that nothing came near were taken along by Runge-Kutta
//! (`smooth.rs`), and are put there when the others have their new velocities.
//!
//! All bodies take part in the step on velocities, so that what is thrown at a company in this very step meets it: a
//! company on which any inequality row pushes in the end does not fly. For one that flies the step on velocities is as
//! if it had not been: its bodies keep still at q0, v0 while the others are advanced, and nothing is booked for them;
//! then
//!
//! ```text
//! q1, v1 and the works W of its forces and joints are those of Runge-Kutta,       stepping += E(q1, v1) - E(q0, v0) - W
//! ```
//!
//! as for a whole step that is smooth (`books.rs`). Closing of joints and overlaps come after this, for all.

use super::Stepping;
use crate::evaluate::energy;
use crate::step::integrate::Motion;

impl Stepping {
    /// Who is pushed after all, or sleeps, does not fly.
    pub(super) fn ground_pushed(&mut self, m: &Motion<'_>) {
        let rows = &m.work.contact.rows;
        for (row, _) in self.task.x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            rows.parts_of(row).iter().for_each(|part| self.company.bind(part.body as usize));
        }
        (0..m.model.n_bodies()).filter(|i| self.sleep.is_asleep(*i as u32)).for_each(|i| self.company.bind(i));
    }

    /// Velocities of what flies back to those of the start.
    pub(super) fn hold_flying(&self, m: &mut Motion<'_>) {
        for i in (0..m.model.n_bodies()).filter(|i| self.company.flies(*i)) {
            let range = m.model.v_start[i] as usize..m.model.v_start[i + 1] as usize;
            m.v[range.clone()].copy_from_slice(&self.kept_v[range]);
        }
    }

    /// What flies arrives.
    pub(super) fn land_flying(&mut self, m: &mut Motion<'_>) {
        let company = &self.company;
        if !(0..m.model.n_bodies()).any(|i| company.flies(i)) {
            return;
        }
        let flown = |q: &[f64], v: &[f64]| {
            let mut sum = 0.0;
            energy::each_body(m.model, q, v, |i, e| {
                sum += if company.flies(i) { e.kinetic + e.gravity + e.elastic } else { 0.0 };
            });
            sum
        };
        let before = flown(m.q, m.v);
        let mut worked = 0.0;
        for (entry, work) in company.works.iter().enumerate() {
            if super::smooth::body_of_work(m.model, entry).is_some_and(|body| company.flies(body)) {
                m.ledger[entry] += work;
                worked += work;
            }
        }
        for i in (0..m.model.n_bodies()).filter(|i| company.flies(*i)) {
            let range = m.model.v_start[i] as usize..m.model.v_start[i + 1] as usize;
            m.model.q_of_mut(i, m.q).copy_from_slice(m.model.q_of(i, &company.q));
            m.v[range.clone()].copy_from_slice(&company.v[range]);
        }
        m.blows.stepping += flown(m.q, m.v) - before - worked;
    }
}
