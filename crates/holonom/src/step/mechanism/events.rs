//! Event-driven motion: any smooth integrator between events, and the events found exactly.
//!
//! Between events the [mode](crate::contact::inequality::mode) is fixed: who is closed, who sticks, who slips which
//! way. The motion is smooth, and the integrator keeps its order. After every step the mode is checked along the step
//! (dense output, or shorter steps where there is none):
//!
//! ```text
//! a gap closes        C < 0                                             -> impact, or rest
//! a contact opens     no force is left, and G vdot + c > 0              -> open
//! a stick slips       the force is at its limit, and G_t vdot + c_t /= 0 -> slip against it
//! a slip ends         u . (its direction at the start) < 0              -> stick, or slip the other way
//! ```
//!
//! The first change is bracketed and halved to rounding, the step is taken again to end there (for gaps with a few
//! Newton corrections, so that the moment does not suffer from the interpolation), and the state is resolved: what
//! approaches collides, and the mode of what is closed follows from the forces.
//!
//! A slip that begins has no direction but that of its acceleration; as long as its speed is rounding it does not end.
//! Where events bring no time any more, a short step on velocities does.
//!
//! Infinitely many bounces in a finite time end when the speed of the next one is below rounding ([`Tolerances`]): the
//! contact is then closed for good. Where friction leaves no forces at all (Painleve), a short step on velocities lets
//! impulses decide ([`crate::step::integrate::Stepping`]).

use super::Mechanism;
use crate::contact::inequality::forces::Forces;
use crate::contact::inequality::mode::{self, ContactMode, Slip, Tolerances};
use crate::contact::inequality::solve::NO_FORCES;
use crate::contact::inequality::workspace::ContactScratch;
use crate::contact::inequality::{Block, InequalityRows, RowBound, gather, impact, project, soft};
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::angles;
use crate::model::state::State;
use crate::model::warm_start::Key;
use crate::model::warm_start::WarmStart;
use crate::step;
use crate::step::event_log::EventLog;
use crate::step::integrate::{Attempt, Integrator, Stepping};

/// Parts of a step at which the mode is checked.
const LOOKS: [f64; 4] = [0.25, 0.5, 0.75, 1.0];
/// Halvings of a bracket.
const HALVINGS: usize = 48;
/// Events in a row without progress before nothing bounces any more.
const STALLED: u32 = 100;

/// What events need beside the state.
#[derive(Default)]
pub(crate) struct Events {
    /// As it was before the attempt, impacts at its start included in what is undone.
    kept: State,
    /// Start of the smooth part of the step.
    before: State,
    sample: State,
    /// Gaps at the start of the step, by key; those closed then count as open only beyond a tolerance.
    start: Vec<(Key, f64)>,
    /// What slips at the start of the step too slowly to say which way, by key and part.
    slow: Vec<(Key, u32)>,
    stepping: Stepping,
    /// Events in a row that brought no time.
    stalled: u32,
    /// Events so far, for reports.
    pub count: usize,
    pub log: EventLog,
}

impl Mechanism {
    /// Are events to be followed?
    pub(crate) fn follows_events(&self) -> bool {
        self.model.has_inequalities() && !self.method.integrator.handles_inequalities()
    }

    /// One attempt at a step of at most `h`: it ends at the first event. Returns the step taken.
    pub(crate) fn event_attempt(&mut self, h: f64, control: bool) -> Result<(Attempt, f64), StepError> {
        let mut events = std::mem::take(&mut self.events);
        events.kept.clone_from(&self.state);
        let result = self.attempt_with(&mut events, h, control);
        let rejected = result.as_ref().is_ok_and(|(a, _)| control && a.error.is_some_and(|e| e > 1.0));
        if result.is_err() || rejected {
            self.state.clone_from(&events.kept);
            self.events = events;
        } else {
            // the smooth part alone: an impact at the start has happened before it
            let before = std::mem::take(&mut events.before);
            self.events = events;
            self.watch_sensors(&before);
            self.events.before = before;
        }
        self.current = false;
        result
    }

    fn attempt_with(&mut self, events: &mut Events, h: f64, control: bool) -> Result<(Attempt, f64), StepError> {
        self.recall_mode(h);
        project::note_overlap_before(&mut self.work);
        events.log.begin(&self.work.contact.mode);
        self.resolve(events)?;
        events.before.clone_from(&self.state);
        events.start.clear();
        let ineq = &self.work.contact.rows;
        let pushes = ineq.blocks.iter().filter(|b| matches!(b.bound, RowBound::Push { .. }));
        events.start.extend(pushes.map(|b| (b.key, ineq.gap[b.row as usize])));
        let tolerances = Tolerances::of(&self.model);
        let slow = |b: &&Block| mode::may_slip(b) && mode::slip_of(ineq, b).length() <= tolerances.rate;
        events.slow.clear();
        events.slow.extend(ineq.blocks.iter().filter(slow).map(|b| (b.key, mode::part_of(b))));
        if events.stalled >= 2 * STALLED {
            // forces and events go round in circles
            events.stalled = 0;
            return self.jam(events, h);
        }
        let attempt = match self.smooth_step(h, control) {
            Err(StepError::NotConverged { what: NO_FORCES, .. }) => return self.jam(events, h),
            attempt => attempt?,
        };
        if control && attempt.error.is_some_and(|e| e > 1.0) {
            return Ok((attempt, h));
        }
        let s = &self.state;
        evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work.eval);
        gather::detect_faster(&self.model, &s.q, &s.v, h, &mut self.work);
        let Some((theta, closing)) = self.find_event(events, h)? else {
            events.stalled = 0;
            events.log.commit();
            self.remember_mode();
            return Ok((attempt, h));
        };
        events.count += 1;
        let mut taken = theta * h;
        self.step_again(events, taken)?;
        if let Some(key) = closing {
            taken = self.meet(events, key, taken, h)?;
        }
        events.stalled = if taken < 1e-9 * h { events.stalled + 1 } else { 0 };
        self.resolve(events)?;
        events.log.commit();
        self.remember_mode();
        Ok((attempt, taken))
    }

    /// Take a step of `h` from `before` again, as far as it was smooth, and make its dense output ready; the state is
    /// then that before the event at its end. A short step in which impulses decided has no dense output and is an
    /// error.
    pub(crate) fn retrace(&mut self, before: &State, h: f64) -> Result<(), StepError> {
        self.retrace_part(before, h, h)?;
        self.prepare_dense(h)
    }

    /// The same for the first `part` seconds of the step, without dense output.
    pub(crate) fn retrace_part(&mut self, before: &State, h: f64, part: f64) -> Result<(), StepError> {
        let mut events = std::mem::take(&mut self.events);
        self.state.clone_from(before);
        self.recall_mode(h);
        let traced = self.resolve(&mut events).and_then(|()| self.smooth_step(part, false).map(|_| ()));
        self.events = events;
        traced
    }

    fn smooth_step(&mut self, h: f64, control: bool) -> Result<Attempt, StepError> {
        step::step(&self.model, &mut self.state, &mut self.work, &mut self.method, h, control)
    }

    fn step_again(&mut self, events: &Events, h: f64) -> Result<(), StepError> {
        self.state.clone_from(&events.before);
        if h > 0.0 {
            self.smooth_step(h, false)?;
        }
        Ok(())
    }

    /// Newton's method on the step until the gap of `key` vanishes at its end.
    fn meet(&mut self, events: &Events, key: Key, mut taken: f64, h: f64) -> Result<f64, StepError> {
        for _ in 0..4 {
            self.gather_all();
            let ineq = &self.work.contact.rows;
            let Some(block) = ineq.blocks.iter().find(|b| b.key == key) else { break };
            let (gap, rate) = (ineq.gap[block.row as usize], ineq.rate[block.row as usize]);
            if gap.abs() <= 1e-14 * self.model.contact_scale() || !(rate < 0.0) {
                break;
            }
            let next = (taken - gap / rate).clamp(0.0, h);
            if next == taken {
                break;
            }
            taken = next;
            self.step_again(events, taken)?;
        }
        Ok(taken)
    }

    /// The mode at the start of a step: what is remembered, as far as it is still near.
    fn recall_mode(&mut self, h: f64) {
        let s = &self.state;
        evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work.eval);
        gather::detect(&self.model, &s.q, &s.v, h, &mut self.work);
        angles::note_angles(&self.model, &s.q, &s.v, &s.turns, s.t, &mut self.work.eval);
        self.gather_all();
        let ContactScratch { rows, mode, acting, .. } = &mut self.work.contact;
        acting.clear();
        read_mode(&self.state.warm_start, rows, mode);
    }

    /// All inequality rows at the current state.
    fn gather_all(&mut self) {
        let s = &self.state;
        evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work.eval);
        gather::gather(&self.model, &s.q, &s.v, s.t, &mut self.work);
    }

    /// Impacts of what approaches, and then the mode that follows from the forces. Afterwards all inequality rows of
    /// the state are gathered.
    fn resolve(&mut self, events: &mut Events) -> Result<(), StepError> {
        let tolerances = Tolerances::of(&self.model);
        self.gather_all();
        let approaches = |ineq: &InequalityRows| {
            ineq.blocks.iter().any(|b| {
                let row = b.row as usize;
                matches!(b.bound, RowBound::Push { .. })
                    && ineq.gap[row] <= tolerances.gap
                    && ineq.rate[row] < -tolerances.rate
            })
        };
        if approaches(&self.work.contact.rows) {
            let s = &mut self.state;
            evaluate::evaluate_bodies(&self.model, &s.q, &s.v, &mut self.work.eval);
            evaluate::evaluate_constraints(&self.model, &s.q, &s.v, s.t, &mut self.work.eval);
            self.work.kkt.factor(&self.model, s.t, &self.work.eval)?;
            let rebound = events.stalled < STALLED;
            let books = impact::Books { works: &mut s.work, blows: &mut s.blows };
            impact::collide(&self.model, &s.q, &mut s.v, s.t, self.impacts, rebound, books, &mut self.work)?;
            let ContactScratch { rows, impact, .. } = &self.work.contact;
            let near = |row: usize| rows.gap[row] <= tolerances.gap && rows.rate[row] < -tolerances.rate;
            events.log.impacts(s.t, rows, &impact.total, near);
            self.gather_all();
        }
        let ContactScratch { rows, mode, .. } = &mut self.work.contact;
        update_mode(rows, tolerances, mode);
        self.settle_mode()?;
        self.gather_all();
        events.log.changes(self.state.t, &self.work.contact.rows, &self.work.contact.mode);
        Ok(())
    }

    /// What is closed may open and what sticks may slip, as the forces at the current state say.
    fn settle_mode(&mut self) -> Result<(), StepError> {
        for _ in 0..16 {
            let s = &self.state;
            match dynamics::accelerations(&self.model, &s.q, &s.v, s.t, None, &mut self.work) {
                Err(StepError::NotConverged { what: NO_FORCES, .. }) => return Ok(()),
                other => other?,
            }
            let ContactScratch { rows, mode, acting, .. } = &mut self.work.contact;
            if !follow_forces(rows, acting, &self.work.kkt.x, mode) {
                break;
            }
        }
        Ok(())
    }

    fn remember_mode(&mut self) {
        self.gather_all();
        let Mechanism { state, work, .. } = self;
        work.contact.overlap = project::deepest(work);
        write_mode(&work.contact.mode, &mut state.warm_start);
    }

    /// The first part of the step at which the mode has changed, and the row that closed, if one did.
    fn find_event(&mut self, events: &mut Events, h: f64) -> Result<Option<(f64, Option<Key>)>, StepError> {
        let dense = self.samples_steps();
        if dense {
            self.prepare_dense(h)?;
        }
        events.sample.clone_from(&self.state);
        let end = self.state.clone();
        let mut safe = 0.0;
        for look in LOOKS {
            let Some(mut change) = self.changed_at(events, &end, look, h, dense)? else {
                safe = look;
                continue;
            };
            let mut over = look;
            for _ in 0..HALVINGS {
                let middle = 0.5 * (safe + over);
                if !(middle > safe && middle < over) || (over - safe) * h < 1e-16 * self.state.t.abs() {
                    break;
                }
                match self.changed_at(events, &end, middle, h, dense)? {
                    Some(found) => (over, change) = (middle, found),
                    None => safe = middle,
                }
            }
            self.state.clone_from(&end);
            let closing = if let Change::Closes(key) = change { Some(key) } else { None };
            return Ok(Some((over, closing)));
        }
        self.state.clone_from(&end);
        Ok(None)
    }

    /// Has the mode changed at the part `theta` of the step?
    fn changed_at(
        &mut self,
        events: &mut Events,
        end: &State,
        theta: f64,
        h: f64,
        dense: bool,
    ) -> Result<Option<Change>, StepError> {
        if theta == 1.0 {
            self.state.clone_from(end);
        } else if dense {
            let sample = &mut events.sample;
            sample.clone_from(&events.before);
            sample.t = events.before.t + theta * h;
            let n_works = self.model.n_works();
            self.method.integrator.interpolate(
                theta,
                &self.model,
                &mut sample.q,
                &mut sample.v,
                &mut sample.work[..n_works],
            );
            for (i, body) in self.model.bodies.iter().enumerate() {
                body.normalise(self.model.q_of_mut(i, &mut sample.q));
            }
            self.state.clone_from(sample);
        } else {
            self.step_again(events, theta * h)?;
        }
        let tolerances = Tolerances::of(&self.model);
        self.gather_all();
        let ineq = &self.work.contact.rows;
        let mode = &self.work.contact.mode;
        for block in ineq.blocks.iter().filter(|b| matches!(b.bound, RowBound::Push { .. }) && !mode.is_closed(b.key)) {
            let at = events.start.iter().find(|(key, _)| *key == block.key).map_or(0.0, |s| s.1);
            let threshold = if at > tolerances.gap { 0.0 } else { -tolerances.gap };
            if ineq.gap[block.row as usize] < threshold {
                return Ok(Some(Change::Closes(block.key)));
            }
        }
        if soft::passes(ineq, mode, tolerances.gap) {
            return Ok(Some(Change::Other));
        }
        if mode.closed.is_empty() {
            return Ok(None);
        }
        let s = &self.state;
        dynamics::accelerations(&self.model, &s.q, &s.v, s.t, None, &mut self.work)?;
        let mut mode = self.work.contact.mode.clone();
        let turned = reversed(&self.work.contact.rows, &mode, &events.slow, tolerances.rate);
        Ok((turned || follow_forces(&self.work.contact.rows, &self.work.contact.acting, &self.work.kkt.x, &mut mode))
            .then_some(Change::Other))
    }

    /// Forces do not exist: let impulses decide in a short step.
    fn jam(&mut self, events: &mut Events, h: f64) -> Result<(Attempt, f64), StepError> {
        self.state.clone_from(&events.before);
        let h = (1e-3 * h).max(1e-6 / self.model.rate_scale()).min(h);
        let swapped: Box<dyn Integrator> = Box::new(std::mem::take(&mut events.stepping));
        let smooth = std::mem::replace(&mut self.method.integrator, swapped);
        self.state.warm_start.clear();
        let attempt = self.smooth_step(h, false);
        self.method.integrator = smooth;
        let attempt = attempt?;
        events.count += 1;
        self.recall_mode(0.0);
        self.resolve(events)?;
        events.log.commit();
        self.remember_mode();
        Ok((Attempt { error: None, ..attempt }, h))
    }
}

/// What changed in a mode.
enum Change {
    Closes(Key),
    Other,
}

/// What the memory says of a mode, where rows are there to say it of.
fn read_mode(warm_start: &[WarmStart], ineq: &InequalityRows, mode: &mut ContactMode) {
    mode.closed.clear();
    for block in &ineq.blocks {
        let Some(known) = crate::contact::inequality::memory::find(warm_start, block.key) else { continue };
        let part = mode::part_of(block);
        let slip = match known.mode >> (2 * part) & 3 {
            1 => Slip::Stick,
            2 => Slip::Slide(match part {
                0 => crate::math::vec3(known.force[0], 0.0, 0.0),
                1 => crate::catalogue::attach::read3(&known.force[1..]),
                2 => crate::math::vec3(known.force[4], 0.0, 0.0),
                _ => crate::catalogue::attach::read3(&known.force[5..]),
            }),
            _ => continue,
        };
        mode.set(block.key, part, slip);
    }
}

fn write_mode(mode: &ContactMode, warm_start: &mut Vec<WarmStart>) {
    warm_start.clear();
    for closed in &mode.closed {
        if warm_start.last().is_none_or(|h| h.key != closed.key) {
            warm_start.push(WarmStart { key: closed.key, ..WarmStart::default() });
        }
        let Some(entry) = warm_start.last_mut() else { continue };
        let (code, way) = match closed.slip {
            Slip::Stick => (1, crate::math::Vec3::ZERO),
            Slip::Slide(way) => (2, way),
        };
        entry.mode |= code << (2 * closed.part);
        match closed.part {
            0 => entry.force[0] = way.x,
            1 => crate::catalogue::attach::write3(&mut entry.force[1..], way),
            2 => entry.force[4] = way.x,
            _ => crate::catalogue::attach::write3(&mut entry.force[5..], way),
        }
    }
}

/// Close what rests on something, open what is away from it, and let slips that have ended stick.
fn update_mode(ineq: &InequalityRows, tolerances: Tolerances, mode: &mut ContactMode) {
    for block in &ineq.blocks {
        let (row, part) = (block.row as usize, mode::part_of(block));
        match block.bound {
            RowBound::Push { .. } => {
                let (gap, rate) = (ineq.gap[row], ineq.rate[row]);
                if gap > tolerances.gap || rate > tolerances.rate {
                    mode.open(block.key);
                } else if !mode.is_closed(block.key) && rate >= -tolerances.rate {
                    mode.set(block.key, 0, Slip::Stick);
                }
                continue;
            }
            RowBound::Soft { .. } if ineq.gap[row] > tolerances.gap => {
                mode.open(block.key);
                continue;
            }
            RowBound::Cone { .. } if !mode.is_closed(block.key) => continue,
            _ => {}
        }
        let u = mode::slip_of(ineq, block);
        let slip = if mode::may_slip(block) && u.length() > tolerances.rate {
            Slip::Slide(u.normalize())
        } else {
            Slip::Stick
        };
        mode.set(block.key, part, slip);
    }
}

/// Do the forces in the workspace say that a contact opens or a stick slips? Then the mode is changed so.
fn follow_forces(ineq: &InequalityRows, acting: &Forces, vdot: &[f64], mode: &mut ContactMode) -> bool {
    let x = &acting.task.x;
    if !acting.acting || x.len() != ineq.len() {
        return false;
    }
    let b = &acting.task.b;
    let size = b.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let small = 1e-9 * size;
    let faint = 1e-9 * x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    let accelerates = |row: usize| ineq.product(row, vdot) + ineq.c[row];
    let mut changed = false;
    for block in &ineq.blocks {
        let part = mode::part_of(block);
        let Some(known) = mode.find(block.key, part).copied() else { continue };
        match block.bound {
            RowBound::Push { .. } => {
                let row = block.row as usize;
                // pushes are solved for within rounding: what separates pushes no more, whatever rounding has left of
                // its push
                if x[row] <= faint && accelerates(row) > small {
                    mode.open(block.key);
                    changed = true;
                }
            }
            _ if mode::may_slip(block) && known.slip == Slip::Stick => {
                let a = mode::in_world(ineq, block, accelerates);
                if a.length() > small {
                    mode.set(block.key, part, Slip::Slide(a.normalize()));
                    changed = true;
                }
            }
            _ => {}
        }
    }
    changed
}

/// Does anything slip against its direction at the start? What was `slow` then must do so at some speed, `rate`: it has
/// just set out, and what it had left is rounding.
fn reversed(ineq: &InequalityRows, mode: &ContactMode, slow: &[(Key, u32)], rate: f64) -> bool {
    ineq.blocks.iter().any(|block| {
        let part = mode::part_of(block);
        let Some(Slip::Slide(before)) = mode.find(block.key, part).map(|c| c.slip) else { return false };
        let threshold = if slow.contains(&(block.key, part)) { -rate } else { 0.0 };
        mode::slip_of(ineq, block).dot(before) < threshold
    })
}
