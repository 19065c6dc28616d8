//! Companies in which nothing can touch and nothing slides: the classical Runge-Kutta method of order 4, in as many
//! parts as it takes to account for the energy. A company is what joints and forces connect.
//!
//! Where no company has anything near, the whole step is theirs. Where some have, they are *bound*: the step is taken
//! on velocities, by all; then the others are put where Runge-Kutta took them (`flight.rs`).

use super::Stepping;
use crate::catalogue::attach::{Attachment, BodyId};
use crate::catalogue::joints::Level;
use crate::contact::inequality::tension::RUNGE_KUTTA;
use crate::contact::inequality::workspace::Workspace;
use crate::contact::inequality::{Block, RowBound, gather};
use crate::error::StepError;
use crate::model::{Model, Sets};
use crate::step::integrate::{Attempt, Integrator, Motion};
use crate::{evaluate, evaluate::energy};

/// Energy that a smooth step may be off by, of the energy in motion; and parts it may be taken in.
const SMOOTH: f64 = 1e-11;
const MOST_PARTS: usize = 32;

impl Stepping {
    /// The whole step as a smooth one, if it is. Otherwise companies that are free have been taken along, and wait for
    /// the others.
    pub(super) fn smooth_step(&mut self, m: &mut Motion<'_>, h: f64) -> Result<Option<Attempt>, StepError> {
        self.company.name(m.model);
        self.company.bind_near(m, h);
        if !self.company.any_free() {
            return Ok(None);
        }
        self.keep(m);
        let known = m.work.kkt.is_at(m.q, m.t, &m.work.eval);
        let alone = self.company.any_bound && self.on_their_own(m);
        m.work.contact.flying = true;
        let attempt = self.in_parts(m, h);
        m.work.contact.flying = false;
        if alone {
            self.take_back_alone(m, known);
            return Ok(None);
        }
        if attempt.is_none() || self.company.any_bound {
            self.take_back(m, h);
            return Ok(None);
        }
        m.q.copy_from_slice(&self.company.q);
        m.v.copy_from_slice(&self.company.v);
        evaluate::place_bodies(m.model, m.q, m.v, &mut m.work.eval);
        gather::gather(m.model, m.q, m.v, m.t + h, m.work);
        let ineq = &m.work.contact.rows;
        m.work.contact.overlap = 0.0;
        let pushes = |b: &Block| matches!(b.bound, RowBound::Push { .. } | RowBound::Soft { .. });
        if ineq.blocks.iter().all(|b| !pushes(b) || ineq.gap[b.row as usize] >= 0.0) && !self.runs_into(m, h) {
            self.book_smooth(m);
            m.warm_start.clear();
            return Ok(attempt);
        }
        self.company.bind_all();
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

    /// Are those that fly followed with equations of their own?
    fn on_their_own(&mut self, m: &mut Motion<'_>) -> bool {
        if m.feedback().is_some() || !m.work.kkt.solver.offers_parts(m.model) {
            return false;
        }
        self.company.write_free(m.model, &mut self.flying);
        m.work.contact.flown.begin(m.model, &self.flying)
    }

    /// Back to the start of the step where only those were moved that fly: rows are as they were, and so are the
    /// equations of the others.
    fn take_back_alone(&self, m: &mut Motion<'_>, known: bool) {
        self.restore(m);
        m.work.contact.clear_forces();
        let Workspace { eval, kkt, contact, .. } = &mut *m.work;
        let flown = &mut contact.flown;
        evaluate::evaluate_bodies_of(m.model, m.q, m.v, |island| flown.has(island), eval);
        eval.note_placed(m.q, m.v);
        if known {
            evaluate::evaluate_constraints_of(m.model, m.q, m.v, m.t, |island| flown.has(island), eval);
            kkt.note_pose(m.model, m.q, m.t, eval);
        }
        flown.end();
    }

    /// Back to the start of the step, rows included.
    fn take_back(&self, m: &mut Motion<'_>, h: f64) {
        self.restore(m);
        m.work.contact.clear_forces(); // forces of the stages are none of this step
        evaluate::place_bodies(m.model, m.q, m.v, &mut m.work.eval);
        gather::gather_near(m.model, m.q, m.v, m.t + h, h, m.work);
    }

    /// The step of all that is free in as many equal parts as it takes to account for the energy. What would take too
    /// many is bound; `None` where equations could not be solved, and then all is. Bodies that neither joints nor
    /// forces connect do not feel how many parts others take.
    fn in_parts(&mut self, m: &mut Motion<'_>, h: f64) -> Option<Attempt> {
        let (start, mut evaluations) = (m.t, 0);
        let mut company = std::mem::take(&mut self.company);
        company.begin(m.model, m.q, m.v, h);
        let mut solved = true;
        while let (true, Some(parts)) = (solved, company.next()) {
            self.restore(m);
            let part = h / parts as f64;
            for i in 0..parts {
                m.t = start + part * i as f64;
                let attempt = self.smooth.attempt(m, part);
                m.t = start;
                match attempt {
                    Ok(attempt) => evaluations += attempt.evaluations,
                    Err(_) => solved = false,
                }
                if !solved {
                    break;
                }
                // light links may be thrown about without the energy telling
                let Workspace { eval, kkt, .. } = &mut *m.work;
                let at = (&m.q[..], &m.v[..], start);
                let bind = |body: usize| company.bind(body);
                self.tension.each_too_fast(m.model, at, (part, RUNGE_KUTTA), &kkt.x[m.v.len()..], eval, bind);
                if company.next().is_none() {
                    break;
                }
            }
            if solved {
                company.judge(m, &self.kept_ledger, parts);
            }
        }
        if !solved {
            company.bind_all();
        }
        self.company = company;
        solved.then_some(Attempt { error: None, evaluations })
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
    /// Where companies that are done arrive, and the works of their forces and joints on the way, by entry of the
    /// ledger.
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub works: Vec<f64>,
    any_bound: bool,
}

#[derive(Clone, Copy, Debug, Default)]
struct Known {
    /// Something is near, or it cannot be followed: it is not taken along.
    bound: bool,
    /// Parts it takes next; 0 when it is done, bound, or names none.
    parts: usize,
    /// Energy before, J, and how far it may be off, beside what depends on the speed.
    before: f64,
    rounding: f64,
    after: f64,
    kinetic: f64,
    worked: f64,
}

impl Company {
    /// Companies of a model, all of them free.
    fn name(&mut self, model: &Model) {
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
        self.any_bound = false;
    }

    /// Bind what comes near anything within the time `h`, and what rubs.
    fn bind_near(&mut self, m: &Motion<'_>, h: f64) {
        let (rows, fall) = (&m.work.contact.rows, m.model.gravity.length() * h * h);
        for block in &rows.blocks {
            let (gap, rate) = (rows.gap[block.row as usize], rows.rate[block.row as usize]);
            let far = matches!(block.bound, RowBound::Push { .. } | RowBound::Soft { .. })
                && block.level == Level::Position
                && gap + 2.0 * h * rate.min(0.0) > fall
                || matches!(block.bound, RowBound::Cone { .. });
            if !far {
                rows.parts_of(block.row as usize).iter().for_each(|part| self.bind(part.body as usize));
                self.any_bound = true;
            }
        }
    }

    /// The company of a body is not taken along.
    pub fn bind(&mut self, body: usize) {
        let known = &mut self.known[self.of[body] as usize];
        (known.bound, known.parts, self.any_bound) = (true, 0, true);
    }

    fn bind_all(&mut self) {
        self.known.iter_mut().for_each(|known| (known.bound, known.parts) = (true, 0));
        self.any_bound = true;
    }

    /// Which islands are taken along?
    fn write_free(&self, model: &Model, out: &mut Vec<bool>) {
        out.clear();
        out.resize(model.n_islands, false);
        for (i, name) in self.of.iter().enumerate() {
            out[model.island[i] as usize] = !self.known[*name as usize].bound;
        }
    }

    fn any_free(&self) -> bool {
        self.of.iter().any(|name| !self.known[*name as usize].bound)
    }

    /// Was this body taken along?
    pub fn flies(&self, body: usize) -> bool {
        self.of.get(body).is_some_and(|name| !self.known[*name as usize].bound)
    }

    fn begin(&mut self, model: &Model, q: &[f64], v: &[f64], h: f64) {
        let fallen = h * model.gravity.length();
        energy::each_body(model, q, v, |i, e| {
            let known = &mut self.known[self.of[i] as usize];
            known.parts = usize::from(!known.bound);
            known.before += e.kinetic + e.gravity + e.elastic;
            // what a fall from rest gains, and rounding of the energy itself
            known.rounding += 0.5 * model.bodies[i].mass() * fallen * fallen + 1e-3 * e.gravity.abs();
        });
        self.q.clear();
        self.v.clear();
        self.q.extend_from_slice(q);
        self.v.extend_from_slice(v);
        self.works.clear();
        self.works.resize(model.n_works(), 0.0);
    }

    /// The least number of parts that a company takes which is not done.
    fn next(&self) -> Option<usize> {
        self.known.iter().map(|k| k.parts).filter(|p| *p > 0).min()
    }

    /// After a step in so many parts: who is done, and who would take too many?
    fn judge(&mut self, m: &Motion<'_>, ledger: &[f64], parts: usize) {
        let Company { of, known, q, v, works, any_bound, .. } = self;
        known.iter_mut().for_each(|k| (k.after, k.kinetic, k.worked) = (0.0, 0.0, 0.0));
        energy::each_body(m.model, m.q, m.v, |i, e| {
            let known = &mut known[of[i] as usize];
            known.after += e.kinetic + e.gravity + e.elastic;
            known.kinetic += e.kinetic;
        });
        for (entry, (now, then)) in m.ledger.iter().zip(ledger).enumerate() {
            if let Some(body) = body_of_work(m.model, entry) {
                let known = &mut known[of[body] as usize];
                known.worked += now - then;
                if known.parts == parts {
                    works[entry] = now - then;
                }
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
            if more <= MOST_PARTS as f64 {
                known.parts = (more as usize).max(parts + 1);
            } else {
                (known.bound, known.parts, *any_bound) = (true, 0, true);
            }
        }
    }
}

/// A body whose company an entry of the ledger belongs to.
pub(super) fn body_of_work(model: &Model, entry: usize) -> Option<usize> {
    let joint = entry.wrapping_sub(model.n_forces());
    let first = |attachments: &[Attachment]| attachments.iter().find_map(|a| a.body.index());
    match model.forces.get(entry) {
        Some(force) => first(force.law.attachments()),
        None if joint < model.n_joints() => first(model.joints[joint].constraint.attachments()),
        None if joint == model.n_joints() => model.dissipative.first().map(|i| *i as usize),
        None => None,
    }
}
