//! Model, state and scratch in one hand: what most programs use.

pub(crate) mod breakage;
pub(crate) mod surgery;

use crate::build::builder::ModelBuilder;
use crate::catalogue::attach::{Attachment, BodyId, Carried, Marker};
use crate::catalogue::bodies::Momentum;
use crate::catalogue::coordinate;
use crate::contact::inequality::impact::ImpactLaw;
use crate::contact::inequality::sleep::Sleeping;
use crate::contact::inequality::solve::Task;
use crate::error::{ModelError, SnapshotError, StepError};
use crate::evaluate;
use crate::evaluate::energy::{self, Energy, Ledger};
use crate::evaluate::reaction::{self, Axes, Reaction};
use crate::evaluate::residual::{self, Residual};
use crate::evaluate::workspace::{Workspace, bodies_at};
use crate::math::{Mat3, Vec3};
use crate::model::state::State;
use crate::model::{JointId, Model};
use crate::solve::{self, Counts, SolverKind};
use crate::step::drift::{self, Drift};
use crate::step::events::Events;
use crate::step::integrate::{Coordinates, Integrator, IntegratorKind, JointSpace};
use crate::step::{self, Method};
use std::sync::Arc;

/// A running simulation.
pub struct Simulation {
    pub(crate) model: Arc<Model>,
    pub(crate) state: State,
    pub(crate) work: Workspace,
    pub(crate) method: Method,
    solver: SolverKind,
    pub(crate) max_step: f64,
    pub(crate) impacts: ImpactLaw,
    pub(crate) events: Events,
    /// The equations in `work` belong to the current state.
    pub(crate) current: bool,
    /// The multipliers at the current state, those of redundant rows split, once somebody has asked.
    split: Vec<f64>,
    split_known: bool,
}

impl Simulation {
    /// Start at the model's assembled start state, with the default solver (tree, or sparse where there are loops), integrator (DOP853, or time
    /// stepping where much may touch) and drift correction (projection).
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
        Simulation {
            model,
            state,
            work,
            method,
            solver,
            max_step,
            impacts,
            events: Events::default(),
            current: false,
            split: Vec::new(),
            split_known: false,
        }
    }

    /// Build a model and start it.
    pub fn build(builder: ModelBuilder) -> Result<Self, ModelError> {
        Ok(Simulation::new(builder.build()?))
    }

    // ---- choices ---------------------------------------------------------------------------------------------

    /// Choose the linear solver. `tree` and `baraff` need a mechanism without loops.
    pub fn set_solver(&mut self, kind: SolverKind) -> Result<(), StepError> {
        solve::check(kind, &self.model)?;
        self.solver = kind;
        self.work = Workspace::new(&self.model, kind);
        self.current = false;
        Ok(())
    }

    /// Choose the integrator by name.
    pub fn set_integrator(&mut self, kind: IntegratorKind) {
        self.set_own_integrator(kind.create());
    }

    /// Use an integrator of your own.
    pub fn set_own_integrator(&mut self, integrator: Box<dyn Integrator>) {
        self.method.integrator = integrator;
        self.state.next_step = 0.0;
    }

    /// Choose what is done about drift.
    pub fn set_drift(&mut self, drift: Drift) {
        self.method.drift = drift;
        self.current = false;
    }

    /// Choose the coordinates that are integrated. Joint coordinates need a tree of rigid bodies, joints with charts, and a
    /// Runge-Kutta integrator.
    pub fn set_coordinates(&mut self, coordinates: Coordinates) -> Result<(), StepError> {
        if coordinates == Coordinates::Joint && self.method.joint_space.is_none() {
            self.method.joint_space = Some(JointSpace::new(&self.model)?);
        }
        self.method.coordinates = coordinates;
        Ok(())
    }

    /// Longest step of an adaptive run, s. Unless changed it is 0.3 over [`Model::rate_scale`]: 0.1 s for a mechanism of a metre.
    pub fn set_max_step(&mut self, max_step: f64) {
        self.max_step = max_step;
    }

    /// The law of impacts.
    pub fn set_impacts(&mut self, law: ImpactLaw) {
        self.impacts = law;
    }

    /// Let islands that rest fall asleep, where time is stepped; `None`, the default, lets nothing sleep.
    pub fn set_sleeping(&mut self, sleeping: Option<Sleeping>) {
        self.method.sleeping = sleeping;
    }

    // ---- state -----------------------------------------------------------------------------------------------

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
    /// Time, s.
    pub fn time(&self) -> f64 {
        self.state.t
    }
    /// The state.
    pub fn state(&self) -> &State {
        &self.state
    }
    /// Replace the state, for instance by an earlier clone: an exact rollback.
    ///
    /// # Panics
    /// When the state belongs to a model of other size.
    pub fn set_state(&mut self, state: State) {
        let same = state.q.len() == self.state.q.len()
            && state.v.len() == self.state.v.len()
            && state.work.len() == self.state.work.len()
            && state.turns.len() == self.state.turns.len();
        assert!(same, "set_state: the state belongs to another model");
        self.state = state;
        self.current = false;
    }
    /// The state as bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        self.state.to_bytes()
    }
    /// Back to a snapshot, bit for bit.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        self.state = State::from_bytes(&self.model, bytes)?;
        self.current = false;
        Ok(())
    }
    /// Change positions or velocities by hand. Call [`Simulation::project`] afterwards unless the change is legal.
    pub fn state_mut(&mut self) -> &mut State {
        self.current = false;
        &mut self.state
    }
    /// Bring a changed state back onto the constraints.
    pub fn project(&mut self) -> Result<(), StepError> {
        self.evaluate()?;
        self.current = false;
        drift::project(&self.model, &mut self.state.q, &mut self.state.v, self.state.t, 0.0, &mut self.work)
    }
    /// Open the energy ledger anew at the current state.
    pub fn reset_ledger(&mut self) {
        self.state.work.fill(0.0);
        self.state.opening_energy = energy::mechanical(&self.model, &self.state.q, &self.state.v);
    }

    // ---- answers ---------------------------------------------------------------------------------------------

    /// Evaluate the equations of motion at the current state. Called by every question that needs it.
    pub fn evaluate(&mut self) -> Result<(), StepError> {
        if !self.current {
            self.note_turns();
            let feedback = match self.method.drift {
                Drift::Feedback(f) => Some(f),
                _ => None,
            };
            self.find_regime();
            let s = &self.state;
            evaluate::accelerations(&self.model, &s.q, &s.v, s.t, feedback, &mut self.work)?;
            (self.current, self.split_known) = (true, false);
        }
        Ok(())
    }

    /// Accelerations of all velocity coordinates.
    pub fn accelerations(&mut self) -> Result<&[f64], StepError> {
        self.evaluate()?;
        Ok(self.work.accelerations())
    }

    /// Multipliers of all constraint rows.
    pub fn multipliers(&mut self) -> Result<&[f64], StepError> {
        self.evaluate()?;
        Ok(self.work.multipliers())
    }

    /// Multipliers of one joint, row by row: the torque of a motor, the normal force of a wheel, the tension of a rod.
    pub fn multipliers_of(&mut self, joint: JointId) -> Result<&[f64], StepError> {
        self.evaluate()?;
        match self.model.sided.binary_search_by_key(&joint.0, |r| r.joint) {
            Ok(k) => Ok(self.work.acting.of_joint(&self.model.sided[k]).unwrap_or(&[])),
            Err(_) => Ok(&self.work.multipliers()[self.model.rows_of(joint)]),
        }
    }

    /// How well the last solve satisfies the equations of motion and the constraints.
    pub fn residual(&mut self) -> Result<Residual, StepError> {
        self.evaluate()?;
        Ok(residual::residual(&self.model, &self.work))
    }

    /// Action of body a on body b through a joint, at the joint's point on b, in world axes. Where joints are redundant, this is the split with
    /// the smallest loads; [`Simulation::diagnose`] says which components are unique.
    pub fn reaction(&mut self, joint: JointId) -> Result<Reaction, StepError> {
        self.reaction_in(joint, Axes::World)
    }

    /// The reaction in the axes of the world or of either body. The point stays in world coordinates.
    pub fn reaction_in(&mut self, joint: JointId, axes: Axes) -> Result<Reaction, StepError> {
        let (model, s, work, lambda) = self.solved()?;
        let r = reaction::reaction(model, joint, &s.q, &s.v, s.t, lambda, work);
        let at = model.constraint(joint).attachments();
        let bodies = &bodies_at(model, &work.frames, &s.q, &s.v);
        let turn = match axes {
            Axes::World => Mat3::IDENTITY,
            Axes::A => reaction::body_axes(bodies, at[0].body).transpose(),
            Axes::B => reaction::body_axes(bodies, at.get(1).unwrap_or(&at[0]).body).transpose(),
        };
        Ok(Reaction { force: turn * r.force, torque: turn * r.torque, point: r.point })
    }

    /// Value (turns counted) and rate of coordinate `i` of a joint; `None` when it has no such coordinate.
    pub fn coordinate(&mut self, joint: JointId, i: usize) -> Option<(f64, f64)> {
        if i >= self.model.joints[joint.index()].measured().coordinates().len() {
            return None;
        }
        evaluate::place_bodies(&self.model, &self.state.q, &self.state.v, &mut self.work);
        coordinate::of_joint(&self.model, &self.state, &self.work, joint, i)
    }

    /// Where a point of a body is and how fast it moves, world axes.
    pub fn point(&self, marker: Marker) -> (Vec3, Vec3) {
        let a = self.look(&marker.p());
        (a.at, a.rate)
    }

    pub(crate) fn look(&self, a: &Attachment) -> crate::catalogue::attach::Attached {
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
        let carries = |d| body.index().is_none_or(|i| self.model.bodies[i].can_carry(&Carried::Direction(d)).is_ok());
        carries(Vec3::X).then(|| {
            let see = |d| self.look(&Attachment::direction(body, d)).at;
            Mat3::from_cols(see(Vec3::X), see(Vec3::Y), see(Vec3::Z))
        })
    }

    /// Angular velocity of a body, world axes (rad/s), for bodies that have one.
    pub fn spin(&self, body: BodyId) -> Option<Vec3> {
        let i = body.index()?;
        self.model.bodies[i].can_carry(&Carried::Spin).ok()?;
        Some(self.look(&Attachment::spin(body)).rate)
    }

    /// Centre of mass of a body, world (m); the origin for the ground.
    pub fn centre(&self, body: BodyId) -> Vec3 {
        body.index().map_or(Vec3::ZERO, |i| self.model.bodies[i].centre(self.model.q_of(i, &self.state.q)))
    }

    /// Velocity of the centre of mass of a body (m/s).
    pub fn centre_velocity(&self, body: BodyId) -> Vec3 {
        body.index().map_or(Vec3::ZERO, |i| {
            let b = &self.model.bodies[i];
            let momentum = b.momentum(self.model.q_of(i, &self.state.q), self.model.v_of(i, &self.state.v)).linear;
            // a rotor has no mass, and is nowhere
            if b.mass() > 0.0 { momentum / b.mass() } else { Vec3::ZERO }
        })
    }

    /// Energies, J.
    pub fn energy(&mut self) -> Energy {
        self.current = false;
        self.note_turns();
        energy::energies(&self.model, &self.state, &mut self.work)
    }

    /// Total momentum of all bodies.
    pub fn momentum(&self) -> Momentum {
        energy::momentum(&self.model, &self.state)
    }

    /// The energy ledger since the start, or since it was opened anew.
    pub fn ledger(&self) -> Ledger {
        let mut out = Ledger::default();
        self.read_ledger(&mut out);
        out
    }

    /// The same into a ledger at hand, whose memory is used again.
    pub fn read_ledger(&self, out: &mut Ledger) {
        Ledger::read(&self.model, &self.state, out);
    }

    /// Largest violation of any constraint row and of its rate (m, rad; m/s, rad/s).
    pub fn violation(&mut self) -> (f64, f64) {
        self.current = false;
        self.note_turns();
        let s = &self.state;
        evaluate::place_bodies(&self.model, &s.q, &s.v, &mut self.work);
        evaluate::evaluate_gaps(&self.model, &s.q, &s.v, s.t, &mut self.work);
        step::largest_gaps(&self.work)
    }

    /// Iterations of the last solve, for iterative solvers.
    pub fn solver_iterations(&self) -> Option<usize> {
        self.work.solver.iterations()
    }

    /// What the solver has done since it was chosen, where it works with factors.
    pub fn solver_counts(&self) -> Option<Counts> {
        self.work.solver.counts()
    }

    /// How many rows the solver treats as auxiliary, on top of a tree of joints.
    pub fn auxiliary_rows(&self) -> usize {
        self.work.solver.n_auxiliary()
    }

    /// The solver in use.
    pub fn solver(&self) -> SolverKind {
        self.solver
    }

    /// Another model and state in place of those at hand.
    pub(crate) fn swap_model(&mut self, model: Arc<Model>, state: State, solver: SolverKind) {
        self.work = Workspace::new(&model, solver);
        self.method.joint_space = None;
        self.method.next = State::default();
        (self.model, self.state, self.solver, self.current) = (model, state, solver, false);
    }

    /// Multipliers with those of redundant rows split by `split`, which must leave the solution in the workspace as it is; kept until the state
    /// changes, in memory that is kept for good.
    pub(crate) fn split_by(
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

    /// Everything that many answers are read from: the model, the state, the solved equations, and the split multipliers.
    pub(crate) fn solved(&mut self) -> Result<(&Model, &State, &mut Workspace, &[f64]), StepError> {
        self.split_multipliers()?;
        Ok((&self.model, &self.state, &mut self.work, &self.split))
    }

    /// The coordinates that are integrated.
    pub fn coordinates(&self) -> Coordinates {
        self.method.coordinates
    }

    /// Where somebody reads angles: the turns they are on at the current state.
    fn note_turns(&mut self) {
        if self.model.reads_turns {
            let s = &self.state;
            step::note_angles(&self.model, &s.q, &s.v, &s.turns, s.t, &mut self.work);
        }
    }

    pub(crate) fn parts(&mut self) -> (&Model, &mut State, &mut Workspace) {
        self.current = false;
        self.note_turns();
        (&self.model, &mut self.state, &mut self.work)
    }
}
