//! Links held taut that swing faster than the step ([`crate::contact::inequality::tension`]): their impulses, and the
//! closing of their joints.

use super::Stepping;
use crate::error::StepError;
use crate::step::integrate::Motion;

impl Stepping {
    /// Joints now have their impulses. Where those hold links taut that swing faster than the step, again with what
    /// holds them. Is the change of velocity by all impulses in `work.kkt.x`?
    pub(super) fn hold_taut(&mut self, m: &mut Motion<'_>, h: f64) -> Result<bool, StepError> {
        if m.model.n_rows() == 0 {
            return Ok(false);
        }
        let n = m.v.len();
        self.load_with_impulses(m, h);
        m.work.kkt.solve_and_check(m.model, m.t, &m.work.eval)?;
        self.impulses.clear();
        self.impulses.extend_from_slice(&m.work.kkt.x[n..]);
        if self.tension.stiffen(m.model, (m.q, m.v, m.t), h, &self.impulses, m.work) {
            m.work.kkt.factor(m.model, m.t, &m.work.eval)?;
            self.load(m, h);
            m.work.kkt.solve(m.model, m.t, &m.work.eval)?;
            self.free.clear();
            self.free.extend_from_slice(&m.work.kkt.x[..n]);
            self.find_impulses(m, h)?;
            return Ok(false);
        }
        Ok(true)
    }
}
