//! Sleep: what has been at rest for a while is left alone.
//!
//! An option for large piles, off unless asked for. A body rests while no point of it is faster than a limit; an island (bodies connected by joints and touches) in which all have rested for some time
//! sleeps. Its contact forces are those remembered, nothing is solved for, and its bodies do not move. It wakes when a body that is awake touches it, or when its remembered
//! forces no longer hold it. How long each body has rested is part of the state.

use super::InequalityRows;
use crate::catalogue::attach::{AttachmentKind, BodyId};
use crate::contact::inequality::workspace::Workspace;
use crate::math::Vec3;
use crate::model::warm_start::Key;
use crate::model::warm_start::RESTING;
use crate::model::warm_start::WarmStart;
use crate::model::{Model, Sets};

/// When islands fall asleep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sleeping {
    /// Below this speed a point is at rest, m/s.
    pub speed: f64,
    /// So long must everything rest, s.
    pub time: f64,
}

impl Default for Sleeping {
    /// Slower than 5 mm/s for half a second.
    fn default() -> Self {
        Sleeping { speed: 0.005, time: 0.5 }
    }
}

/// Who rests and who sleeps.
#[derive(Default)]
pub(crate) struct Sleep {
    /// How long each body has rested, s.
    rest: Vec<f64>,
    pub asleep: Vec<bool>,
}

impl Sleep {
    /// Who sleeps at the start of a step, with all inequality rows gathered.
    pub fn begin(
        &mut self,
        model: &Model,
        settings: Option<Sleeping>,
        warm_start: &[WarmStart],
        ineq: &InequalityRows,
    ) {
        self.asleep.clear();
        let Some(settings) = settings else { return };
        self.rest.clear();
        self.rest.resize(model.n_bodies(), 0.0);
        for entry in warm_start.iter().filter(|h| h.key.0 == RESTING) {
            self.rest[entry.key.1 as usize] = entry.force[0];
        }
        let mut sets = Sets::new(model.n_islands.max(1));
        let island = |body: u32| model.island[body as usize];
        for row in 0..ineq.len() {
            ineq.parts_of(row).windows(2).for_each(|w| sets.join(island(w[0].body), island(w[1].body)));
        }
        let mut awake = vec![false; model.n_islands];
        for body in 0..model.n_bodies() {
            awake[sets.find(model.island[body]) as usize] |= self.rest[body] < settings.time;
        }
        self.asleep.extend((0..model.n_bodies()).map(|i| !awake[sets.find(model.island[i]) as usize]));
    }

    pub fn is_asleep(&self, body: u32) -> bool {
        self.asleep.get(body as usize) == Some(&true)
    }

    /// After the new velocities are known: what sleeps and was held stands still; the others have rested or not.
    pub fn end(
        &mut self,
        model: &Model,
        settings: Option<Sleeping>,
        q: &[f64],
        v: &mut [f64],
        h: f64,
        warm_start: &mut Vec<WarmStart>,
        work: &Workspace,
    ) {
        let Some(settings) = settings else { return };
        for i in 0..model.n_bodies() {
            let fast = speed(model, i, q, v, work) > settings.speed;
            if self.is_asleep(i as u32) && !fast {
                model.v_range(BodyId(i as u32)).for_each(|k| v[k] = 0.0);
            }
            self.rest[i] = if fast { 0.0 } else { (self.rest[i] + h).min(settings.time) };
            let mut force = [0.0; 8];
            force[0] = self.rest[i];
            if self.rest[i] > 0.0 {
                warm_start.push(WarmStart { key: Key(RESTING, i as u32, 0), mode: 0, force });
            }
        }
        warm_start.sort_by_key(|h| h.key);
    }
}

/// A bound of the speed of any point of a body's shapes.
fn speed(model: &Model, i: usize, q: &[f64], v: &[f64], work: &Workspace) -> f64 {
    let body = &model.bodies[i];
    let rate = |what| body.carry(model.q_of(i, q), model.v_of(i, v), &what).rate.length();
    let spin = if body.can_carry(&AttachmentKind::Spin).is_ok() { rate(AttachmentKind::Spin) } else { 0.0 };
    rate(AttachmentKind::Point(Vec3::ZERO)) + spin * work.contact.detection.extent(i)
}
