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
//! The first change is found ([`super::looks`]), the step is taken again to end there (for gaps with a few Newton
//! corrections, so that the moment does not suffer from the interpolation), what is near is looked for anew at that
//! pose, and the state is resolved: what approaches collides, and the mode of what is closed follows from the forces.
//!
//! A slip that begins has no direction but that of its acceleration; as long as its speed is rounding it does not end.
//! Where events or steps bring no time any more, a short step on velocities does ([`Pace`]).
//!
//! Infinitely many bounces in a finite time end when the speed of the next one is below rounding ([`Tolerances`]), or
//! when they bring no time: the contact is then closed for good. Where friction leaves no forces at all (Painleve), a
//! short step on velocities lets impulses decide ([`crate::step::integrate::Stepping`]).

use super::Mechanism;
use super::looks::Change;
use super::pace::Pace;
use crate::contact::inequality::forces::Forces;
use crate::contact::inequality::mode::{self, ContactMode, Slip, Tolerances};
use crate::contact::inequality::solve::NO_FORCES;
use crate::contact::inequality::workspace::ContactScratch;
use crate::contact::inequality::{Block, InequalityRows, RowBound, gather, impact, project};
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::angles;
use crate::evaluate::evaluation::bodies_at;
use crate::model::state::State;
use crate::model::warm_start::Key;
use crate::model::warm_start::WarmStart;
use crate::step;
use crate::step::event_log::EventLog;
use crate::step::integrate::{Attempt, Integrator, Stepping};

/// What events need beside the state.
#[derive(Default)]
pub(crate) struct Events {
    /// As it was before the attempt, impacts at its start included in what is undone.
    kept: State,
    /// Start of the smooth part of the step.
    pub(super) before: State,
    pub(super) sample: State,
    /// Gaps at the start of the step, by key; those closed then count as open only beyond a tolerance.
    pub(super) start: Vec<(Key, f64)>,
    /// Something overlaps then by more than rounding.
    pub(super) deep: bool,
    /// Touches that are closed in it.
    pub(super) closed: Vec<Key>,
    /// What slips at the start of the step too slowly to say which way, by key and part.
    pub(super) slow: Vec<(Key, u32)>,
    stepping: Stepping,
    pace: Pace,
    /// The last attempt was a short step on velocities.
    jammed: bool,
    /// Short steps so far because events or steps brought no time, for reports.
    pub forced: usize,
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
        events.jammed = false;
        events.pace.note(self.state.t, self.model.rate_scale(), (!control).then_some(h));
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
        events.deep = events.start.iter().any(|(key, gap)| key.is_contact() && *gap < -100.0 * tolerances.gap);
        let slow = |b: &&Block| mode::may_slip(b) && mode::slip_of(ineq, b).length() <= tolerances.rate;
        events.slow.clear();
        events.slow.extend(ineq.blocks.iter().filter(slow).map(|b| (b.key, mode::part_of(b))));
        if let Some(short) = events.pace.due(self.model.rate_scale()) {
            events.forced += 1;
            return self.jam(events, short.min(h));
        }
        let attempt = match self.smooth_step(h, control) {
            Err(StepError::NotConverged { what: NO_FORCES, .. }) => {
                let short = (1e-3 * h).max(1e-6 / self.model.rate_scale()).min(h);
                return self.jam(events, short);
            }
            attempt => attempt?,
        };
        if control && attempt.error.is_some_and(|e| e > 1.0) {
            return Ok((attempt, h));
        }
        let s = &self.state;
        evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work.eval);
        gather::detect_faster(&self.model, &s.q, &s.v, h, &mut self.work);
        let Some(found) = self.find_event(events, h)? else {
            events.log.commit();
            self.see_anew(events);
            self.remember_mode();
            return Ok((attempt, h));
        };
        events.count += usize::from(found.change != Change::Cut);
        let mut taken = found.theta * h;
        self.step_again(events, taken)?;
        if let Change::Closes(key) = found.change {
            events.pace.met();
            taken = self.meet(events, key, taken, h)?;
        }
        self.see_anew(events);
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
        if self.events.jammed {
            return Err(StepError::NotConverged { what: NO_FORCES, residual: 0.0, iterations: 0, time: before.t });
        }
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

    pub(super) fn step_again(&mut self, events: &Events, h: f64) -> Result<(), StepError> {
        self.state.clone_from(&events.before);
        if h > 0.0 {
            self.smooth_step(h, false)?;
        }
        Ok(())
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
    pub(super) fn gather_all(&mut self) {
        let s = &self.state;
        evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work.eval);
        gather::gather(&self.model, &s.q, &s.v, s.t, &mut self.work);
    }

    /// Features that touch at the current state, in place of those the step began with; what was closed and is not
    /// among them is so no more.
    fn see_anew(&mut self, events: &Events) {
        let s = &self.state;
        evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work.eval);
        if events.deep || self.work.contact.detection.candidates.is_empty() {
            return;
        }
        let near = 2.0 * Tolerances::of(&self.model).gap;
        let ContactScratch { detection, mode, .. } = &mut self.work.contact;
        detection.detect_within(&self.model, &bodies_at(&self.model, &self.work.eval.frames, &s.q, &s.v), near);
        let found = &detection.candidates;
        mode.closed.retain(|c| !c.key.is_contact() || found.iter().any(|f| Key(f.a, f.b, f.key) == c.key));
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
            let rebound = events.pace.rebounds();
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

    /// Forces do not exist, or bring no time: let impulses decide in a short step of `h`.
    fn jam(&mut self, events: &mut Events, h: f64) -> Result<(Attempt, f64), StepError> {
        self.state.clone_from(&events.before);
        events.jammed = true;
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
pub(super) fn follow_forces(ineq: &InequalityRows, acting: &Forces, vdot: &[f64], mode: &mut ContactMode) -> bool {
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
pub(super) fn reversed(ineq: &InequalityRows, mode: &ContactMode, slow: &[(Key, u32)], rate: f64) -> bool {
    ineq.blocks.iter().any(|block| {
        let part = mode::part_of(block);
        let Some(Slip::Slide(before)) = mode.find(block.key, part).map(|c| c.slip) else { return false };
        let threshold = if slow.contains(&(block.key, part)) { -rate } else { 0.0 };
        mode::slip_of(ineq, block).dot(before) < threshold
    })
}
