//! Links held taut that swing faster than the step ([`crate::contact::inequality::tension`]): their impulses, and the
//! closing of their joints.

use super::Stepping;
use crate::error::StepError;
use crate::evaluate;
use crate::step::integrate::Motion;

/// Corrections of the positions of taut mechanisms.
const CLOSURES: usize = 12;

impl Stepping {
    /// Joints now have their impulses. Where those hold links taut that swing faster than the step, again with what
    /// holds them.
    pub(super) fn hold_taut(&mut self, m: &mut Motion<'_>, h: f64) -> Result<(), StepError> {
        if m.model.n_rows() == 0 {
            return Ok(());
        }
        let n = m.v.len();
        self.load_with_impulses(m, h);
        m.work.kkt.solve(m.model, m.t, &m.work.eval)?;
        self.impulses.clear();
        self.impulses.extend_from_slice(&m.work.kkt.x[n..]);
        if self.tension.stiffen(m.model, h, &self.impulses, m.work) {
            m.work.kkt.factor(m.model, m.t, &m.work.eval)?;
            self.load(m, h);
            m.work.kkt.solve(m.model, m.t, &m.work.eval)?;
            self.free.clear();
            self.free.extend_from_slice(&m.work.kkt.x[..n]);
            self.find_impulses(m, h)?;
        }
        Ok(())
    }

    /// Close the joints of taut mechanisms.
    pub(super) fn close_taut(&mut self, m: &mut Motion<'_>, t: f64) -> Result<(), StepError> {
        let (model, n) = (m.model, m.v.len());
        for _ in 0..CLOSURES {
            evaluate::place_bodies(model, m.q, m.v, &mut m.work.eval);
            evaluate::evaluate_gaps(model, m.q, m.v, t, &mut m.work.eval);
            let work = &mut *m.work;
            // islands that are closed are left alone, whatever others need
            self.open.clear();
            self.open.resize(model.n_islands.max(1), false);
            for joint in &model.joints {
                self.open[joint.island as usize] |=
                    joint.row_range().any(|row| !(work.eval.gap[row].abs() <= work.eval.gap_noise[row].abs()));
            }
            if !self.open.contains(&true) {
                break;
            }
            evaluate::evaluate_bodies(model, m.q, m.v, &mut work.eval);
            self.tension.add(work);
            evaluate::evaluate_constraints(model, m.q, m.v, t, &mut work.eval);
            work.kkt.factor(model, t, &work.eval)?;
            work.kkt.x.fill(0.0);
            for joint in model.joints.iter().filter(|j| self.open[j.island as usize]) {
                joint.row_range().for_each(|row| work.kkt.x[n + row] = work.eval.gap[row]);
            }
            work.kkt.solve(model, t, &work.eval)?;
            for (i, body) in model.bodies.iter().enumerate().filter(|(i, _)| self.open[model.island[*i] as usize]) {
                body.advance(model.q_of_mut(i, m.q), model.v_of(i, &work.kkt.x), 1.0);
            }
        }
        Ok(())
    }
}
