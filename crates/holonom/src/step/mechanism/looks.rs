//! Where inside a step does something change? Looks along a step that has been taken, before it is kept.
//!
//! Two kinds of change need two kinds of looks:
//!
//! - *Something touches that was open.* Bodies may come near and part again between any two looks, so looks are where a
//!   bound says that nothing can have touched since the last ([`crate::contact::detection`], looking ahead), and every
//!   look finds the features that are near then. A touch is reported where the distance is rounding and closes.
//! - *Forces open a contact, a slip begins or ends, a limit is reached, closed features leave each other.* These change
//!   sign and stay: a few looks per step, and between the last good and the first bad one the moment is halved to
//!   rounding. Bodies that turn while something is closed are looked at every [`TURN`].
//!
//! A step with too many looks is cut where it has got to; the next one goes on from there. So is a step in which closed
//! features have given way to others of the same shapes.

use super::Mechanism;
use super::events::{Events, follow_forces, reversed};
use crate::contact::detection::{KnownTouches, Seen};
use crate::contact::inequality::mode::Tolerances;
use crate::contact::inequality::{Block, RowBound, soft};
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::evaluation::bodies_at;
use crate::model::state::State;
use crate::model::warm_start::Key;

/// Looks at the mode in a step, at least.
const LOOKS: usize = 4;
/// A turn between looks while something is closed, rad; and the most looks of a step for its sake.
const TURN: f64 = 0.01;
const MOST_LOOKS: usize = 64;
/// Halvings of a bracket.
const HALVINGS: usize = 48;
/// Samples of the velocities of a step, for bounds on what they do between.
const SAMPLES: usize = 8;
/// Looks ahead before a step is cut.
const PATIENCE: usize = 400;
/// Newton corrections of the moment of a touch.
const CORRECTIONS: usize = 8;

/// What changed in a mode.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Change {
    /// This closes.
    Closes(Key),
    /// Another change.
    Other,
    /// What is closed drifts off the features that are followed.
    Drifts,
    /// Nothing but the features at hand, or the patience of those who look.
    Cut,
}

/// A change, and the part of the step at which it happens.
#[derive(Clone, Copy)]
pub(super) struct Found {
    pub theta: f64,
    pub change: Change,
}

/// A step under inspection: its end, its length, and whether states inside are interpolated.
struct Inspected {
    end: State,
    h: f64,
    dense: bool,
}

impl Mechanism {
    /// The first change in the step just taken, if there is one.
    pub(super) fn find_event(&mut self, events: &mut Events, h: f64) -> Result<Option<Found>, StepError> {
        let dense = self.samples_steps();
        if dense {
            self.prepare_dense(h)?;
        }
        events.sample.clone_from(&self.state);
        let step = Inspected { end: self.state.clone(), h, dense };
        let found = self.search(events, &step);
        self.state.clone_from(&step.end);
        found
    }

    /// What is known of touches in the step.
    fn known<'a>(&self, events: &'a Events) -> KnownTouches<'a> {
        let Tolerances { gap, rate } = Tolerances::of(&self.model);
        KnownTouches { closed: &events.closed, start: &events.start, gap, rate }
    }

    fn search(&mut self, events: &mut Events, step: &Inspected) -> Result<Option<Found>, StepError> {
        events.closed.clear();
        let closed = self.work.contact.mode.closed.iter().filter(|c| c.part == 0 && c.key.is_contact());
        let hard = |key: &Key| !self.model.shapes.material(key.0, key.1).is_soft();
        events.closed.extend(closed.map(|c| c.key).filter(hard));
        let contact = &self.work.contact;
        let turn = if contact.mode.closed.is_empty() { 0.0 } else { contact.detection.fastest_spin() * step.h };
        let looks = ((turn / TURN) as usize).clamp(LOOKS, MOST_LOOKS);
        // shapes that are inside each other have no distance to look at: what was found there is followed
        let marches = !events.deep && contact.detection.expects_touches(self.known(events));
        if marches {
            self.observe_step(events, step)?;
        }
        let mut safe = 0.0;
        for k in 1..=looks {
            let mut look = k as f64 / looks as f64;
            let touch = if marches { self.march(events, step, safe, look)? } else { None };
            if let Some(found) = touch {
                look = found.theta;
            }
            match self.changed_at(events, step, look)? {
                Some(change @ (Change::Closes(_) | Change::Other | Change::Drifts)) => {
                    let found = self.bracket(events, step, (safe, look), change)?;
                    let drifts = found.change == Change::Drifts;
                    return Ok(Some(if drifts { Found { change: Change::Cut, ..found } } else { found }));
                }
                Some(Change::Cut) if touch.is_none() => return Ok(Some(Found { theta: look, change: Change::Cut })),
                _ if touch.is_some() => return Ok(touch),
                _ => safe = look,
            }
        }
        Ok(None)
    }

    /// Bounds on velocities and accelerations of the step.
    fn observe_step(&mut self, events: &mut Events, step: &Inspected) -> Result<(), StepError> {
        let samples = if step.dense { SAMPLES } else { SAMPLES / 4 };
        for k in 0..=samples {
            self.go_to(events, step, k as f64 / samples as f64)?;
            let s = &self.state;
            evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work.eval);
            let bodies = bodies_at(&self.model, &self.work.eval.frames, &s.q, &s.v);
            let since = (k > 0).then_some(step.h / samples as f64);
            self.work.contact.detection.observe(&self.model, &bodies, since);
        }
        Ok(())
    }

    /// From the part `from` of a step to the part `to`, from look to look: the first touch of what was open.
    fn march(&mut self, events: &mut Events, step: &Inspected, from: f64, to: f64) -> Result<Option<Found>, StepError> {
        let mut theta = from;
        for _ in 0..PATIENCE {
            self.go_to(events, step, theta)?;
            let s = &self.state;
            evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work.eval);
            let bodies = bodies_at(&self.model, &self.work.eval.frames, &s.q, &s.v);
            let (left, known) = ((to - theta) * step.h, self.known(events));
            let outlook = self.work.contact.detection.look_ahead(&self.model, &bodies, left, known);
            if let Some(key) = outlook.touch {
                return Ok(Some(Found { theta, change: Change::Closes(key) }));
            }
            if outlook.clear >= left {
                return Ok(None);
            }
            theta = (theta + outlook.clear / step.h).max(theta.next_up());
            if theta >= to {
                return Ok(None);
            }
        }
        Ok(Some(Found { theta, change: Change::Cut }))
    }

    /// Halve the bracket of a change.
    fn bracket(
        &mut self,
        events: &mut Events,
        step: &Inspected,
        (mut safe, mut over): (f64, f64),
        mut change: Change,
    ) -> Result<Found, StepError> {
        for _ in 0..HALVINGS {
            let middle = 0.5 * (safe + over);
            if !(middle > safe && middle < over) || (over - safe) * step.h < 1e-16 * self.state.t.abs() {
                break;
            }
            match self.changed_at(events, step, middle)? {
                Some(found) if found != Change::Cut => (over, change) = (middle, found),
                _ => safe = middle,
            }
        }
        Ok(Found { theta: over, change })
    }

    /// The state at the part `theta` of the step.
    fn go_to(&mut self, events: &mut Events, step: &Inspected, theta: f64) -> Result<(), StepError> {
        self.work.kkt.heed(self.state.t)?;
        if theta == 1.0 {
            self.state.clone_from(&step.end);
        } else if theta == 0.0 {
            self.state.clone_from(&events.before);
        } else if step.dense {
            let sample = &mut events.sample;
            sample.clone_from(&events.before);
            sample.t = events.before.t + theta * step.h;
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
            self.step_again(events, theta * step.h)?;
        }
        Ok(())
    }

    /// Has the mode changed at the part `theta` of the step?
    fn changed_at(&mut self, events: &mut Events, step: &Inspected, theta: f64) -> Result<Option<Change>, StepError> {
        self.go_to(events, step, theta)?;
        let tolerances = Tolerances::of(&self.model);
        self.gather_all();
        let ineq = &self.work.contact.rows;
        let mode = &self.work.contact.mode;
        let followed = |b: &&Block| matches!(b.bound, RowBound::Push { .. }) && (events.deep || !b.key.is_contact());
        for block in ineq.blocks.iter().filter(followed).filter(|b| !mode.is_closed(b.key)) {
            let at = events.start.iter().find(|(key, _)| *key == block.key).map_or(0.0, |s| s.1);
            // what begins beyond its limit and is held there, or comes back, meets nothing; what goes on does
            let threshold = match at {
                _ if at > tolerances.gap => 0.0,
                _ if at < -tolerances.gap => at - tolerances.gap,
                _ => -tolerances.gap,
            };
            if ineq.gap[block.row as usize] < threshold {
                return Ok(Some(Change::Closes(block.key)));
            }
        }
        if soft::passes(ineq, mode, tolerances.gap) {
            return Ok(Some(Change::Other));
        }
        let seen = self.check_features(events);
        if let Some(Seen::Overlaps(key)) = seen {
            return Ok(Some(Change::Closes(key)));
        }
        if seen == Some(Seen::Apart) {
            return Ok(Some(Change::Other));
        }
        let cut = match seen {
            Some(Seen::Drifted) => Some(Change::Drifts),
            Some(Seen::Changed) => Some(Change::Cut),
            _ => None,
        };
        if self.work.contact.mode.closed.is_empty() {
            return Ok(cut);
        }
        let s = &self.state;
        dynamics::accelerations(&self.model, &s.q, &s.v, s.t, None, &mut self.work)?;
        let mut mode = self.work.contact.mode.clone();
        let turned = reversed(&self.work.contact.rows, &mode, &events.slow, tolerances.rate);
        let rows = &self.work.contact.rows;
        let forced = turned || follow_forces(rows, &self.work.contact.acting, &self.work.kkt.x, &mut mode);
        Ok(if forced { Some(Change::Other) } else { cut })
    }

    /// What has become of touches, by the features that are near at the current state.
    fn check_features(&mut self, events: &Events) -> Option<Seen> {
        let known = self.known(events);
        let contact = &mut self.work.contact;
        if events.deep || contact.detection.candidates.is_empty() {
            return None;
        }
        let s = &self.state;
        let bodies = bodies_at(&self.model, &self.work.eval.frames, &s.q, &s.v);
        contact.detection.check_mode(&self.model, &bodies, known)
    }

    /// Newton's method on the step until the gap of `key` vanishes at its end; of a touch, the least gap of its shapes.
    pub(super) fn meet(&mut self, events: &Events, key: Key, mut taken: f64, h: f64) -> Result<f64, StepError> {
        let (scale, touching) = (self.model.contact_scale(), Tolerances::of(&self.model).gap);
        for _ in 0..CORRECTIONS {
            let Some((gap, rate)) = self.gap_of(events, key) else { break };
            // in a step so short that nothing moves farther than what counts as touching, the moment means nothing
            if gap.abs() <= 1e-14 * scale || !(rate * h < -touching) {
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

    /// Gap of a row at the current state, or of the shapes of a touch, and its rate.
    fn gap_of(&mut self, events: &Events, key: Key) -> Option<(f64, f64)> {
        self.gather_all();
        let known = self.known(events);
        let contact = &mut self.work.contact;
        if key.is_contact() && !events.deep {
            let s = &self.state;
            let bodies = bodies_at(&self.model, &self.work.eval.frames, &s.q, &s.v);
            let most = 1e-3 * self.model.contact_scale();
            return contact.detection.least_gap(&self.model, &bodies, key, most, known);
        }
        let block = contact.rows.blocks.iter().find(|b| b.key == key)?;
        Some((contact.rows.gap[block.row as usize], contact.rows.rate[block.row as usize]))
    }
}
