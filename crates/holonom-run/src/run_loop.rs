//! Through time, step by step, so that everything can be looked at, interrupted and resumed.
//!
//! Fixed steps end at `base + k dt`, k counted from the start of the whole run, also when it is resumed. The end of a
//! run may cut its last step short, and a run that goes on would not have taken that step. So the state before the
//! first step that the end has cut is kept: a run resumed from there has the same bits as one that was never
//! interrupted.

use crate::failure::Failure;
use crate::settings::{MotionLaw, RunSettings};
use crate::snapshot::Resume;
use holonom::{Residual, Simulation, State, StepError, StepReport};

/// A simulation on its way.
pub struct RunLoop {
    /// The simulation itself.
    pub sim: Simulation,
    /// How it is run.
    pub settings: RunSettings,
    /// When it ends, s.
    pub end: f64,
    /// Time at which this run began, s: that of the snapshot where it is resumed.
    pub begun_at: f64,
    /// Where fixed steps and rows of recordings are counted from, s.
    pub base: f64,
    /// Fixed steps since `base`.
    pub index: u64,
    /// Steps since `base`, of any kind.
    pub steps: u64,
    /// Before the last step.
    pub before: State,
    /// The state before the first step that the end cut short, with its `index` and `steps`.
    pub uncut: Option<(State, u64, u64)>,
    /// What closing the joints of a resumed mechanism that was changed has moved, in words.
    pub moved: Option<String>,
    /// The last state that was looked at and found good, with its `index` and `steps`.
    good: (State, u64, u64),
}

impl RunLoop {
    /// At the start of the model, or where it is resumed.
    pub fn begin(
        mut sim: Simulation,
        settings: RunSettings,
        end: f64,
        resume: Option<&Resume>,
    ) -> Result<Self, Failure> {
        let (mut base, mut index, mut steps) = (sim.time(), 0, 0);
        let mut moved = None;
        if let Some(r) = resume {
            (sim, moved) = r.restore(sim, end)?;
            (base, index, steps) = (r.base, r.index, r.steps);
            if settings.dt != r.settings.dt || settings.law != r.settings.law {
                // another step: counted from here
                (base, index) = (sim.time(), 0);
            }
        }
        let begun_at = resume.map_or(sim.time(), |r| r.time);
        let before = sim.state().clone();
        let good = (before.clone(), index, steps);
        Ok(RunLoop { sim, settings, end, begun_at, base, index, steps, before, uncut: None, good, moved })
    }

    /// Another end for a run that is where it is. One that arrived and was left alone since goes on as if that end had
    /// not been: with the same bits as a single run. Everything else begins anew from the present state.
    pub fn go_on_to(&mut self, end: f64, left_alone: bool) {
        self.end = end;
        self.begun_at = self.sim.time();
        match self.uncut.take() {
            // at the end already: nothing is to be taken again
            uncut if left_alone && end <= self.begun_at => self.uncut = uncut,
            Some((state, index, steps)) if left_alone => {
                self.sim.set_state(state);
                (self.index, self.steps) = (index, steps);
            }
            _ if left_alone => {}
            _ => (self.base, self.index, self.steps) = (self.sim.time(), 0, 0),
        }
        self.before.clone_from(self.sim.state());
        self.note_good();
    }

    /// Has it reached its end?
    pub fn arrived(&self) -> bool {
        self.sim.time() >= self.end
    }

    /// One step. When it fails the state is as before.
    pub fn advance(&mut self) -> Result<StepReport, StepError> {
        self.before.clone_from(self.sim.state());
        let left = self.end - self.sim.time();
        let report = match self.settings.dt {
            None => {
                if self.sim.step_ahead() > left {
                    self.keep_uncut();
                }
                self.sim.step_towards(self.end)?
            }
            Some(dt) => {
                let next = self.base + (self.index + 1) as f64 * dt;
                // an end that is a multiple of dt but for rounding is not followed by a tiny step
                let last = next >= self.end - 1e-9 * dt;
                if last && next != self.end {
                    self.keep_uncut();
                }
                let goal = if last { self.end } else { next };
                let left = goal - self.sim.time();
                let report = self.fixed(left)?;
                // shorter where a joint broke on the way
                if report.step == left {
                    self.sim.state_mut().t = goal;
                    self.index += 1;
                }
                report
            }
        };
        self.steps += 1;
        Ok(report)
    }

    /// One step of exactly `dt` seconds by the law of motion of the settings.
    pub fn fixed(&mut self, dt: f64) -> Result<StepReport, StepError> {
        if self.settings.law == MotionLaw::Dynamic {
            return self.sim.step(dt);
        }
        self.sim.kinematic_step_under_forces(dt)?;
        let (gap, gap_rate) = self.sim.violation();
        Ok(StepReport {
            step: dt,
            error: None,
            evaluations: 2,
            rejected: 0,
            residual: Residual::default(),
            gap,
            gap_rate,
            rank_deficiency: 0,
            broken: 0,
            overlap: self.sim.overlap(),
            overlap_anew: 0.0,
            contacts: 0,
            events: 0,
            forced: 0,
        })
    }

    /// The present state is good.
    pub fn note_good(&mut self) {
        self.good.0.clone_from(self.sim.state());
        (self.good.1, self.good.2) = (self.index, self.steps);
    }

    /// Back to the last good state. Before a motion leaves the finite range it has long been wrong.
    pub fn return_to_good(&mut self) {
        self.sim.set_state(self.good.0.clone());
        (self.index, self.steps, self.uncut) = (self.good.1, self.good.2, None);
    }

    fn keep_uncut(&mut self) {
        if self.uncut.is_none() {
            self.uncut = Some((self.sim.state().clone(), self.index, self.steps));
        }
    }
}
