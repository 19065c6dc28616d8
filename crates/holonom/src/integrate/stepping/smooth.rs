//! Steps in which nothing can touch and nothing slides: the classical Runge-Kutta method of order 4, in as many parts as it takes to account for the energy.

use super::Stepping;
use crate::error::StepError;
use crate::integrate::{Attempt, Integrator, Motion};
use crate::joints::Level;
use crate::sided::{Side, gather};
use crate::{energy, evaluate};

/// Energy that a smooth step may be off by, of the energy in motion; and parts it may be taken in.
const SMOOTH: f64 = 1e-11;
const MOST_PARTS: usize = 32;

impl Stepping {
    /// The whole step as a smooth one, if it is.
    pub(super) fn smooth_step(&mut self, m: &mut Motion<'_>, h: f64) -> Result<Option<Attempt>, StepError> {
        let far = |m: &Motion, block: &crate::sided::Block| {
            let (row, fall) = (block.row as usize, m.model.gravity.length() * h * h);
            let (gap, rate) = (m.work.sided.gap[row], m.work.sided.rate[row]);
            matches!(block.side, Side::Push { .. })
                && block.level == Level::Position
                && gap + 2.0 * h * rate.min(0.0) > fall
                || matches!(block.side, Side::Cone { .. })
        };
        if !m.work.sided.blocks.iter().all(|b| far(m, b)) {
            return Ok(None);
        }
        self.keep(m);
        let Some(attempt) = self.in_parts(m, h) else {
            self.take_back(m, h);
            return Ok(None);
        };
        evaluate::place_bodies(m.model, m.q, m.v, m.work);
        gather::gather(m.model, m.q, m.v, m.t + h, m.work);
        let sided = &m.work.sided;
        if sided.blocks.iter().all(|b| !matches!(b.side, Side::Push { .. }) || sided.gap[b.row as usize] >= 0.0) {
            m.held.clear();
            m.work.overlap = 0.0;
            return Ok(Some(attempt));
        }
        self.take_back(m, h);
        Ok(None)
    }

    fn keep(&mut self, m: &Motion<'_>) {
        self.kept_q.clone_from(m.q);
        self.kept_v.clone_from(m.v);
        self.kept_ledger.clear();
        self.kept_ledger.extend_from_slice(m.ledger);
    }

    fn restore(&self, m: &mut Motion<'_>) {
        m.q.copy_from_slice(&self.kept_q);
        m.v.copy_from_slice(&self.kept_v);
        m.ledger.copy_from_slice(&self.kept_ledger);
    }

    /// Back to the start of the step, rows included.
    fn take_back(&self, m: &mut Motion<'_>, h: f64) {
        self.restore(m);
        m.work.acting.clear(); // forces of the stages are none of this step
        evaluate::place_bodies(m.model, m.q, m.v, m.work);
        gather::gather(m.model, m.q, m.v, m.t + h, m.work);
    }

    /// A smooth step in as many equal parts as it takes to account for the energy; `None` where that would be too many.
    fn in_parts(&mut self, m: &mut Motion<'_>, h: f64) -> Option<Attempt> {
        let (start, mut parts, mut evaluations) = (m.t, 1, 0);
        let before = energy::mechanical(m.model, m.q, m.v);
        // rounding of the energy itself, and what a fall from rest gains
        let fallen = h * m.model.gravity.length();
        let mass: f64 = m.model.bodies.iter().map(|b| b.mass()).sum();
        let fall = 0.5 * mass * fallen * fallen + 1e-3 * before.abs();
        while parts <= MOST_PARTS {
            let part = h / parts as f64;
            for i in 0..parts {
                m.t = start + part * i as f64;
                let attempt = self.smooth.attempt(m, part);
                m.t = start;
                evaluations += attempt.ok()?.evaluations;
            }
            let after = energy::mechanical(m.model, m.q, m.v);
            let worked: f64 = m.ledger.iter().zip(&self.kept_ledger).map(|(now, then)| now - then).sum();
            let size = energy::kinetic(m.model, m.q, m.v) + worked.abs() + fall;
            let off = (after - before - worked).abs() / (SMOOTH * size);
            if off <= 1.0 {
                return Some(Attempt { error: None, evaluations });
            }
            // the error of order 4 tells how many parts it takes
            let more = libm::ceil(1.1 * parts as f64 * libm::sqrt(libm::sqrt(off)));
            if !(more <= MOST_PARTS as f64) {
                return None;
            }
            parts = (more as usize).max(parts + 1);
            self.restore(m);
        }
        None
    }
}
