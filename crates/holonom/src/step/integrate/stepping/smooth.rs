//! Steps in which nothing can touch and nothing slides: the classical Runge-Kutta method of order 4, in as many parts
//! as it takes to account for the energy.

use super::Stepping;
use crate::catalogue::attach::{Attachment, BodyId};
use crate::catalogue::joints::Level;
use crate::contact::inequality::tension::RUNGE_KUTTA;
use crate::contact::inequality::workspace::Workspace;
use crate::contact::inequality::{RowBound, gather};
use crate::error::StepError;
use crate::model::{Model, Sets};
use crate::step::integrate::{Attempt, Integrator, Motion};
use crate::{evaluate, evaluate::energy};

/// Energy that a smooth step may be off by, of the energy in motion; and parts it may be taken in.
const SMOOTH: f64 = 1e-11;
const MOST_PARTS: usize = 32;

impl Stepping {
    /// The whole step as a smooth one, if it is.
    pub(super) fn smooth_step(&mut self, m: &mut Motion<'_>, h: f64) -> Result<Option<Attempt>, StepError> {
        let far = |m: &Motion, block: &crate::contact::inequality::Block| {
            let (row, fall) = (block.row as usize, m.model.gravity.length() * h * h);
            let (gap, rate) = (m.work.contact.rows.gap[row], m.work.contact.rows.rate[row]);
            matches!(block.bound, RowBound::Push { .. })
                && block.level == Level::Position
                && gap + 2.0 * h * rate.min(0.0) > fall
                || matches!(block.bound, RowBound::Cone { .. })
        };
        if !m.work.contact.rows.blocks.iter().all(|b| far(m, b)) {
            return Ok(None);
        }
        self.keep(m);
        let Some(attempt) = self.in_parts(m, h) else {
            self.take_back(m, h);
            return Ok(None);
        };
        evaluate::place_bodies(m.model, m.q, m.v, &mut m.work.eval);
        gather::gather(m.model, m.q, m.v, m.t + h, m.work);
        let ineq = &m.work.contact.rows;
        m.work.contact.overlap = 0.0;
        if ineq.blocks.iter().all(|b| !matches!(b.bound, RowBound::Push { .. }) || ineq.gap[b.row as usize] >= 0.0)
            && !self.runs_into(m, h)
        {
            self.book_smooth(m);
            m.warm_start.clear();
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
        m.work.contact.clear_forces(); // forces of the stages are none of this step
        evaluate::place_bodies(m.model, m.q, m.v, &mut m.work.eval);
        gather::gather(m.model, m.q, m.v, m.t + h, m.work);
    }

    /// A smooth step in as many equal parts as it takes to account for the energy; `None` where that would be too many.
    /// Bodies that neither joints nor forces connect do not feel how many parts others take.
    fn in_parts(&mut self, m: &mut Motion<'_>, h: f64) -> Option<Attempt> {
        let (start, mut evaluations) = (m.t, 0);
        let mut company = std::mem::take(&mut self.company);
        company.begin(m.model, m.q, m.v, h);
        let mut fine = true;
        while let (true, Some(parts)) = (fine, company.next()) {
            self.restore(m);
            let part = h / parts as f64;
            for i in 0..parts {
                m.t = start + part * i as f64;
                let attempt = self.smooth.attempt(m, part);
                m.t = start;
                match attempt {
                    Ok(attempt) => evaluations += attempt.evaluations,
                    Err(_) => fine = false,
                }
                // light links may be thrown about without the energy telling
                let Workspace { eval, kkt, .. } = &mut *m.work;
                let at = (&m.q[..], &m.v[..], start);
                fine = fine && self.tension.followed(m.model, at, (part, RUNGE_KUTTA), &kkt.x[m.v.len()..], eval);
                if !fine {
                    break;
                }
            }
            fine = fine && company.judge(m, &self.kept_ledger, parts);
        }
        if fine {
            m.q.copy_from_slice(&company.q);
            m.v.copy_from_slice(&company.v);
        }
        self.company = company;
        fine.then_some(Attempt { error: None, evaluations })
    }
}

/// Bodies in the company of those that joints or forces connect them with: each company on its own.
#[derive(Default)]
pub(super) struct Company {
    sets: Sets,
    /// Of every body: the island that names its company.
    of: Vec<u32>,
    /// By island.
    known: Vec<Known>,
    /// Where companies that are done arrive.
    q: Vec<f64>,
    v: Vec<f64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Parts it takes next; 0 when it is done, or names none.
    parts: usize,
    /// Energy before, J, and how far it may be off, beside what depends on the speed.
    before: f64,
    rounding: f64,
    after: f64,
    kinetic: f64,
    worked: f64,
}

impl Company {
    fn begin(&mut self, model: &Model, q: &[f64], v: &[f64], h: f64) {
        self.sets.reset(model.n_islands.max(1));
        let island = |body: BodyId| body.index().map(|i| model.island[i]);
        let mut join = |first: &mut Option<u32>, next: Option<u32>| {
            if let (Some(a), Some(b)) = (*first, next) {
                self.sets.join(a, b);
            }
            *first = first.or(next);
        };
        for force in &model.forces {
            let mut first = None;
            force.law.attachments().iter().for_each(|a| join(&mut first, island(a.body)));
        }
        // friction inside bodies has one entry in the ledger
        let mut first = None;
        model.dissipative.iter().for_each(|&i| join(&mut first, Some(model.island[i as usize])));
        self.of.clear();
        for i in 0..model.n_bodies() {
            let name = self.sets.find(model.island[i]);
            self.of.push(name);
        }
        self.known.clear();
        self.known.resize(model.n_islands.max(1), Known::default());
        let fallen = h * model.gravity.length();
        energy::each_body(model, q, v, |i, e| {
            let known = &mut self.known[self.of[i] as usize];
            known.parts = 1;
            known.before += e.kinetic + e.gravity + e.elastic;
            // what a fall from rest gains, and rounding of the energy itself
            known.rounding += 0.5 * model.bodies[i].mass() * fallen * fallen + 1e-3 * e.gravity.abs();
        });
        self.q.clear();
        self.v.clear();
        self.q.extend_from_slice(q);
        self.v.extend_from_slice(v);
    }

    /// The least number of parts that a company takes which is not done.
    fn next(&self) -> Option<usize> {
        self.known.iter().map(|k| k.parts).filter(|p| *p > 0).min()
    }

    /// After a step in so many parts: who is done? False where it would take too many.
    fn judge(&mut self, m: &Motion<'_>, ledger: &[f64], parts: usize) -> bool {
        let Company { of, known, q, v, .. } = self;
        known.iter_mut().for_each(|k| (k.after, k.kinetic, k.worked) = (0.0, 0.0, 0.0));
        energy::each_body(m.model, m.q, m.v, |i, e| {
            let known = &mut known[of[i] as usize];
            known.after += e.kinetic + e.gravity + e.elastic;
            known.kinetic += e.kinetic;
        });
        for (entry, (now, then)) in m.ledger.iter().zip(ledger).enumerate() {
            if let Some(body) = body_of_work(m.model, entry) {
                known[of[body] as usize].worked += now - then;
            }
        }
        for i in (0..m.model.n_bodies()).filter(|i| known[of[*i] as usize].parts == parts) {
            m.model.q_of_mut(i, q).copy_from_slice(m.model.q_of(i, m.q));
            let range = m.model.v_start[i] as usize..m.model.v_start[i + 1] as usize;
            v[range].copy_from_slice(m.model.v_of(i, m.v));
        }
        for known in known.iter_mut().filter(|k| k.parts == parts) {
            let size = known.kinetic + known.worked.abs() + known.rounding;
            let off = (known.after - known.before - known.worked).abs() / (SMOOTH * size);
            if off <= 1.0 {
                known.parts = 0;
                continue;
            }
            // the error of order 4 tells how many parts it takes
            let more = libm::ceil(1.1 * parts as f64 * libm::sqrt(libm::sqrt(off)));
            if !(more <= MOST_PARTS as f64) {
                return false;
            }
            known.parts = (more as usize).max(parts + 1);
        }
        true
    }
}

/// A body whose company an entry of the ledger belongs to.
fn body_of_work(model: &Model, entry: usize) -> Option<usize> {
    let joint = entry.wrapping_sub(model.n_forces());
    let first = |attachments: &[Attachment]| attachments.iter().find_map(|a| a.body.index());
    match model.forces.get(entry) {
        Some(force) => first(force.law.attachments()),
        None if joint < model.n_joints() => first(model.joints[joint].constraint.attachments()),
        None if joint == model.n_joints() => model.dissipative.first().map(|i| *i as usize),
        None => None,
    }
}
