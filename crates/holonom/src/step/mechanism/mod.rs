//! A mechanism in motion: model, state, scratch and method in one hand. Steps, answers and edits work on it.

mod events;
mod looks;
mod pace;
mod sensors;

use crate::catalogue::attach::{Attachment, AttachmentKind, BodyId};
use crate::contact::inequality::mode::{self, Tolerances};
use crate::contact::inequality::solve::Task;
use crate::contact::inequality::workspace::{ContactScratch, Workspace};
use crate::contact::inequality::{gather, memory};
use crate::dynamics;
use crate::error::{SnapshotError, StepError};
use crate::evaluate;
use crate::evaluate::angles;
use crate::math::{Mat3, Vec3};
use crate::model::shapes::ImpactLaw;
use crate::model::state::State;
use crate::model::warm_start::{Key, WarmStart};
use crate::model::{JointId, Model};
use crate::solve::{self, SolverKind};
use crate::step::drift::{self, Drift};
use crate::step::integrate::{Attempt, Motion};
use crate::step::integrate::{Coordinates, Integrator, JointSpace};
use crate::step::progress::{self, Progress};
use crate::step::{self, Method};
use events::Events;
use holonom_lcp::Interrupt;
use sensors::Sensors;
use std::sync::Arc;

/// A model with its state, scratch memory and choices.
pub(crate) struct Mechanism {
    pub(crate) model: Arc<Model>,
    pub(crate) state: State,
    pub(crate) work: Workspace,
    pub(crate) method: Method,
    pub(crate) solver: SolverKind,
    pub(crate) max_step: f64,
    pub(crate) impacts: ImpactLaw,
    pub(crate) events: Events,
    /// Time gained by work done in adaptive steps.
    pub(crate) progress: Progress,
    /// What sensors need; made when somebody wants to know.
    pub(crate) sensors: Option<Sensors>,
    /// The equations in `work` belong to the current state.
    pub(crate) current: bool,
    /// The multipliers at the current state, those of redundant rows split, once somebody has asked.
    pub(crate) split: Vec<f64>,
    split_known: bool,
    /// Who may have a step given up; scratch that is made anew asks them too.
    interrupt: Interrupt,
}

impl Mechanism {
    /// Start at the model's assembled start state, with the default solver (tree, or sparse where there are loops),
    /// integrator (DOP853, or time stepping where much may touch) and drift correction (projection).
    pub fn new(model: impl Into<Arc<Model>>) -> Self {
        let model = model.into();
        let state = model.initial_state().clone();
        let (solver, impacts) = (model.default_solver(), model.shapes.impacts);
        let work = Workspace::new(&model, solver);
        let method = Method {
            integrator: model.default_integrator().create(),
            drift: Drift::Project,
            coordinates: Coordinates::Maximal,
            joint_space: None,
            next: State::default(),
            task: Task::default(),
            sleeping: None,
        };
        let max_step = 0.3 / model.rate_scale();
        Mechanism {
            model,
            state,
            work,
            method,
            solver,
            max_step,
            impacts,
            events: Events::default(),
            progress: Progress::default(),
            sensors: None,
            current: false,
            split: Vec::new(),
            split_known: false,
            interrupt: Interrupt::never(),
        }
    }

    /// Choose the linear solver. `tree` and `baraff` need a mechanism without loops.
    pub fn set_solver(&mut self, kind: SolverKind) -> Result<(), StepError> {
        solve::check(kind, &self.model)?;
        self.solver = kind;
        self.work = Workspace::new(&self.model, kind);
        self.work.set_interrupt(&self.interrupt);
        self.current = false;
        Ok(())
    }

    /// Who may have a step given up.
    pub fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.work.set_interrupt(&interrupt);
        self.interrupt = interrupt;
    }

    /// Who may have a step given up.
    pub fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    /// Use an integrator of your own.
    pub fn set_own_integrator(&mut self, integrator: Box<dyn Integrator>) {
        self.method.integrator = integrator;
        self.state.next_step = 0.0;
    }

    /// Choose the coordinates that are integrated.
    pub fn set_coordinates(&mut self, coordinates: Coordinates) -> Result<(), StepError> {
        if coordinates == Coordinates::Joint && self.method.joint_space.is_none() {
            self.method.joint_space = Some(JointSpace::new(&self.model));
        }
        self.method.coordinates = coordinates;
        Ok(())
    }

    /// Back to a snapshot, bit for bit.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        self.state = State::from_bytes(&self.model, bytes)?;
        self.current = false;
        Ok(())
    }

    /// Bring a changed state back onto the constraints.
    pub fn project(&mut self) -> Result<(), StepError> {
        self.evaluate()?;
        self.current = false;
        drift::project(&self.model, &mut self.state.q, &mut self.state.v, self.state.t, 0.0, &mut self.work)
    }

    /// Evaluate the equations of motion at the current state. Called by every question that needs it.
    pub fn evaluate(&mut self) -> Result<(), StepError> {
        if !self.current {
            self.note_turns();
            let feedback = match self.method.drift {
                Drift::Feedback(f) => Some(f),
                _ => None,
            };
            self.find_contact_mode();
            let s = &self.state;
            dynamics::accelerations(&self.model, &s.q, &s.v, s.t, feedback, &mut self.work)?;
            (self.current, self.split_known) = (true, false);
        }
        Ok(())
    }

    /// Value (turns counted) and rate of coordinate `i` of a joint; `None` when it has no such coordinate.
    pub fn coordinate(&mut self, joint: JointId, i: usize) -> Option<(f64, f64)> {
        if i >= self.model.joints[joint.index()].measured().coordinates().len() {
            return None;
        }
        evaluate::place_bodies(&self.model, &self.state.q, &self.state.v, &mut self.work.eval);
        angles::of_joint(&self.model, &self.state, &self.work.eval, joint, i)
    }

    pub fn look(&self, a: &Attachment) -> crate::catalogue::attach::Attached {
        match a.body.index() {
            None => crate::catalogue::attach::Frame::GROUND.carry(&a.what),
            Some(i) => {
                let (q, v) = (self.model.q_of(i, &self.state.q), self.model.v_of(i, &self.state.v));
                self.model.bodies[i].carry(q, v, &a.what)
            }
        }
    }

    /// Axes of a body in the world (columns), for bodies that have an orientation.
    pub fn axes(&self, body: BodyId) -> Option<Mat3> {
        let carries =
            |d| body.index().is_none_or(|i| self.model.bodies[i].can_carry(&AttachmentKind::Direction(d)).is_ok());
        carries(Vec3::X).then(|| {
            let see = |d| self.look(&Attachment::direction(body, d)).at;
            Mat3::from_cols(see(Vec3::X), see(Vec3::Y), see(Vec3::Z))
        })
    }

    /// Angular velocity of a body, world axes (rad/s), for bodies that have one.
    pub fn spin(&self, body: BodyId) -> Option<Vec3> {
        let i = body.index()?;
        self.model.bodies[i].can_carry(&AttachmentKind::Spin).ok()?;
        Some(self.look(&Attachment::spin(body)).rate)
    }

    /// Centre of mass of a body, world (m); the origin for the ground.
    pub fn centre(&self, body: BodyId) -> Vec3 {
        body.index().map_or(Vec3::ZERO, |i| self.model.bodies[i].centre(self.model.q_of(i, &self.state.q)))
    }

    /// Largest violation of any constraint row and of its rate (m, rad; m/s, rad/s).
    pub fn violation(&mut self) -> (f64, f64) {
        self.current = false;
        self.note_turns();
        let s = &self.state;
        evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work.eval);
        evaluate::evaluate_gaps(&self.model, &s.q, &s.v, s.t, &mut self.work.eval);
        step::largest_gaps(&self.work)
    }

    /// Another model and state in place of those at hand.
    pub fn swap_model(&mut self, model: Arc<Model>, state: State, solver: SolverKind) {
        self.work = Workspace::new(&model, solver);
        self.work.set_interrupt(&self.interrupt);
        self.method.joint_space = None;
        self.method.next = State::default();
        self.sensors = None;
        (self.model, self.state, self.solver, self.current) = (model, state, solver, false);
    }

    /// Multipliers with those of redundant rows split by `split`, which must leave the solution in the workspace as it
    /// is; kept until the state changes, in memory that is kept for good.
    pub fn split_by(
        &mut self,
        split: impl FnOnce(&Model, &State, &mut Workspace, &mut [f64]),
    ) -> Result<(), StepError> {
        self.evaluate()?;
        if !self.split_known {
            self.split.clear();
            self.split.extend_from_slice(self.work.multipliers());
            split(&self.model, &self.state, &mut self.work, &mut self.split);
            self.split_known = true;
        }
        Ok(())
    }

    /// Where somebody reads angles: the turns they are on at the current state.
    pub fn note_turns(&mut self) {
        if self.model.reads_turns {
            let s = &self.state;
            angles::note_angles(&self.model, &s.q, &s.v, &s.turns, s.t, &mut self.work.eval);
        }
    }

    pub fn parts(&mut self) -> (&Model, &mut State, &mut Workspace) {
        self.current = false;
        self.note_turns();
        (&self.model, &mut self.state, &mut self.work)
    }

    /// Before the equations are evaluated at the current state: what touches there, and how.
    pub fn find_contact_mode(&mut self) {
        if !self.model.has_inequalities() {
            return;
        }
        let remembered = self.method.integrator.handles_inequalities() && !self.state.warm_start.is_empty();
        if remembered {
            self.gather_remembered();
        } else {
            self.gather_present();
        }
        let ContactScratch { rows, mode, acting, .. } = &mut self.work.contact;
        mode::judge(rows, Tolerances::of(&self.model), mode);
        acting.warm_start.clear();
        if remembered {
            acting.warm_start.extend_from_slice(&self.state.warm_start);
            for entry in &self.state.warm_start {
                mode.set(entry.key, 0, mode::Slip::Stick);
            }
        }
    }

    /// All inequality rows that may act at the current state.
    pub fn gather_present(&mut self) {
        let s = &self.state;
        evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work.eval);
        gather::detect(&self.model, &s.q, &s.v, 0.0, &mut self.work);
        gather::gather(&self.model, &s.q, &s.v, s.t, &mut self.work);
    }

    /// The same with every touch that acted in the last step. Surfaces that curve and bodies that turn may have left it
    /// open by a little, of the second order in the step.
    pub fn gather_remembered(&mut self) {
        let touches = self.state.warm_start.iter().map(|h| h.key).filter(|key| key.is_contact()).count();
        let known = |work: &Workspace, warm: &[WarmStart]| {
            let key = |c: &holonom_collide::Candidate| Key(c.a, c.b, c.key);
            work.contact.detection.candidates.iter().filter(|c| memory::find(warm, key(c)).is_some()).count()
        };
        for h in [0.0, 1e-3, 1e-2, 1e-1] {
            let s = &self.state;
            evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work.eval);
            gather::detect(&self.model, &s.q, &s.v, h, &mut self.work);
            if known(&self.work, &s.warm_start) == touches {
                break;
            }
        }
        let s = &self.state;
        gather::gather(&self.model, &s.q, &s.v, s.t, &mut self.work);
    }

    /// Replace the state, for instance by an earlier clone: an exact rollback.
    pub fn set_state(&mut self, state: State) {
        let same = state.q.len() == self.state.q.len()
            && state.v.len() == self.state.v.len()
            && state.work.len() == self.state.work.len()
            && state.turns.len() == self.state.turns.len();
        assert!(same, "set_state: the state belongs to another model");
        (self.state, self.progress) = (state, Progress::default());
        self.current = false;
    }

    /// Change positions or velocities by hand. Call [`Mechanism::project`] afterwards unless the change is legal.
    pub fn state_mut(&mut self) -> &mut State {
        self.current = false;
        &mut self.state
    }

    /// Multipliers of all constraint rows.
    pub fn multipliers(&mut self) -> Result<&[f64], StepError> {
        self.evaluate()?;
        Ok(self.work.multipliers())
    }

    /// Make the dense output of the step of `h` just taken ready.
    pub fn prepare_dense(&mut self, h: f64) -> Result<(), StepError> {
        let next = &mut self.method.next;
        next.clone_from(&self.state);
        let (ledger, rest) = next.work.split_at_mut(self.model.n_works());
        let mut motion = Motion {
            model: &self.model,
            work: &mut self.work,
            t: next.t,
            q: &mut next.q,
            v: &mut next.v,
            ledger,
            projected: &mut rest[0],
            blows: &mut next.blows,
            warm_start: &mut next.warm_start,
            sleeping: None,
            drift: self.method.drift,
            coordinates: self.method.coordinates,
            joint_space: None,
        };
        self.method.integrator.prepare_dense(&mut motion, h)
    }

    /// Can states inside the last step be told?
    pub fn samples_steps(&self) -> bool {
        // a joint that may break changes the model on the way, and dense output belongs to one model
        self.method.integrator.dense_output()
            && self.model.break_loads.is_empty()
            && self.method.coordinates == Coordinates::Maximal
    }

    /// Time that does not advance any more, whatever is computed, ends the run.
    pub fn refuse_standstill(&mut self) -> Result<(), StepError> {
        match self.progress.stuck() {
            Some(found) => Err(progress::explain(&self.model, &self.state, found, &mut self.work)),
            None => Ok(()),
        }
    }

    /// A step that follows no events, and what is to be logged of it.
    fn logged_step(&mut self, dt: f64) -> Result<Attempt, StepError> {
        let kept = self.events.log.is_kept();
        let before = kept.then(|| self.state.clone());
        self.work.contact.blows = kept.then(Vec::new);
        let attempt = step::step(&self.model, &mut self.state, &mut self.work, &mut self.method, dt, false);
        let blows = self.work.contact.blows.take();
        if let (Ok(_), Some(before), Some(blows)) = (&attempt, before, blows) {
            let slow = Tolerances::of(&self.model).rate;
            self.events.log.stepped(self.state.t, &blows, &before.warm_start, slow);
            self.watch_sensors(&before);
        }
        attempt
    }

    /// One step, without a look at loads.
    pub fn plain_step(&mut self, dt: f64) -> Result<Attempt, StepError> {
        self.current = false;
        if !self.follows_events() {
            return self.logged_step(dt);
        }
        let before = self.state.clone();
        let (end, mut evaluations) = (before.t + dt, 0);
        self.progress = Progress::default();
        loop {
            let left = end - self.state.t;
            match self.event_attempt(left, false) {
                Ok((attempt, taken)) => {
                    evaluations += attempt.evaluations;
                    if taken == left || !(end - self.state.t > 0.0) {
                        self.state.t = end;
                        return Ok(Attempt { evaluations, ..attempt });
                    }
                    self.progress.note(end, taken, attempt.evaluations, self.work.kkt.check.worst.contradiction);
                    if let Err(e) = self.refuse_standstill() {
                        self.state = before;
                        return Err(e);
                    }
                }
                Err(e) => {
                    self.state = before;
                    return Err(e);
                }
            }
        }
    }
}
