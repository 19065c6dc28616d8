//! The facade: what most programs use. Everything here delegates to the layers below.

pub(crate) mod breakage;
mod double;
pub(crate) mod edit;
mod query;
pub(crate) mod run;

use crate::analysis::answers::{HeldFactor, JointEquations};
use crate::analysis::certificate::Certificate;
use crate::analysis::contacts::{Contact, Near};
use crate::analysis::doctor::Diagnosis;
use crate::analysis::inequalities::{self, InequalityTable};
use crate::analysis::kinematics::JointMotion;
use crate::analysis::linear::equilibrium;
use crate::analysis::linear::{Equilibrium, EquilibriumOptions, Linearisation, Observer};
use crate::analysis::observe::{Observation, ObservationDepth};
use crate::analysis::{certificate, contacts, doctor, kinematics, linear, observe, reactions};
use crate::build::builder::ModelBuilder;
use crate::catalogue::attach::{BodyId, Marker};
use crate::catalogue::bodies::Momentum;
use crate::catalogue::forces::Force;
use crate::catalogue::joints::Constraint;
use crate::contact::inequality::sleep::Sleeping;
use crate::error::{ModelError, SnapshotError, StepError};
use crate::evaluate::energy::{self, Energy, Ledger};
use crate::evaluate::evaluation::EvaluationCounts;
use crate::evaluate::reaction::{Axes, Reaction};
use crate::math::{Mat3, Vec3};
use crate::model::ForceId;
use crate::model::shapes::ImpactLaw;
use crate::model::state::{BlowWorks, State};
use crate::model::{JointId, Model};
use crate::simulation::double::Double;
use crate::simulation::edit::{Checkpoint, Edited};
use crate::simulation::run::Summary;
use crate::solve::residual::Residual;
use crate::solve::{Counts, SolverKind};
use crate::step::StepReport;
use crate::step::drift::Drift;
use crate::step::event_log::Event;
use crate::step::integrate::{Coordinates, Integrator, IntegratorKind};
use crate::step::laws;
use crate::step::mechanism::Mechanism;
use holonom_lcp::Interrupt;
use std::sync::Arc;

/// A running simulation.
///
/// Reads take `&self`; what they need beyond the state is worked out in memory of their own, so that they neither
/// change the run nor need the right to.
pub struct Simulation {
    pub(crate) mechanism: Mechanism,
    double: Double,
}

impl Simulation {
    /// Start at the model's assembled start state, with the default solver (tree, or sparse where there are loops),
    /// integrator (DOP853, or time stepping where much may touch) and drift correction (projection).
    pub fn new(model: impl Into<Arc<Model>>) -> Self {
        Simulation { mechanism: Mechanism::new(model), double: Double::default() }
    }

    /// Build a model and start it.
    pub fn build(builder: ModelBuilder) -> Result<Self, ModelError> {
        Ok(Simulation::new(builder.build()?))
    }

    // ---- choices ---------------------------------------------------------------------------------------------

    /// Choose the linear solver. `tree` and `baraff` need a mechanism without loops.
    pub fn set_solver(&mut self, kind: SolverKind) -> Result<(), StepError> {
        self.mechanism.set_solver(kind)
    }

    /// Choose the integrator by name.
    pub fn set_integrator(&mut self, kind: IntegratorKind) {
        self.mechanism.set_own_integrator(kind.create());
    }

    /// Use an integrator of your own.
    pub fn set_own_integrator(&mut self, integrator: Box<dyn Integrator>) {
        self.mechanism.set_own_integrator(integrator)
    }

    /// Choose what is done about drift.
    pub fn set_drift(&mut self, drift: Drift) {
        self.mechanism.method.drift = drift;
        self.mechanism.current = false;
    }

    /// What is done about drift.
    pub fn drift(&self) -> Drift {
        self.mechanism.method.drift
    }

    /// Choose the coordinates that are integrated. Joint coordinates need `rk4`, `dop853` or `euler`;
    /// which joints they leave to equations: [`Simulation::cut_joints`].
    pub fn set_coordinates(&mut self, coordinates: Coordinates) -> Result<(), StepError> {
        self.mechanism.set_coordinates(coordinates)
    }

    /// Longest step of an adaptive run, s. Unless changed it is 0.3 over [`Model::rate_scale`]: 0.1 s for a mechanism
    /// of a metre.
    pub fn set_max_step(&mut self, max_step: f64) {
        self.mechanism.max_step = max_step;
    }

    /// The law of impacts.
    pub fn set_impacts(&mut self, law: ImpactLaw) {
        self.mechanism.impacts = law;
    }

    /// Let islands that rest fall asleep, where time is stepped; `None`, the default, lets nothing sleep.
    pub fn set_sleeping(&mut self, sleeping: Option<Sleeping>) {
        self.mechanism.method.sleeping = sleeping;
    }

    /// Somebody who may have a step given up: asked at every evaluation of the equations, every solve and every round
    /// of the search for contact forces. Such a step is [`StepError::Interrupted`] and leaves the state as it was;
    /// steps that are not given up have the same bits with and without.
    ///
    /// ```
    /// use holonom::prelude::*;
    /// use holonom::Interrupt;
    ///
    /// let mut m = ModelBuilder::new();
    /// let ball = m.body("ball", Particle::new(1.0, [0.5, 0.0, 0.0]));
    /// m.joint("rod", Distance::new(BodyId::GROUND.origin(), ball.origin(), 0.5));
    /// let mut sim = Simulation::build(m)?;
    /// sim.set_interrupt(Interrupt::when(|| true));
    /// let before = sim.state().clone();
    /// assert!(matches!(sim.run_until(1.0), Err(StepError::Interrupted { .. })));
    /// assert_eq!(sim.state(), &before);
    /// sim.set_interrupt(Interrupt::never());
    /// sim.run_until(1.0)?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn set_interrupt(&mut self, interrupt: Interrupt) {
        self.mechanism.set_interrupt(interrupt);
    }

    // ---- state -----------------------------------------------------------------------------------------------

    /// The model.
    pub fn model(&self) -> &Arc<Model> {
        &self.mechanism.model
    }

    /// Time, s.
    pub fn time(&self) -> f64 {
        self.mechanism.state.t
    }

    /// The state.
    pub fn state(&self) -> &State {
        &self.mechanism.state
    }

    /// Replace the state, for instance by an earlier clone: an exact rollback.
    ///
    /// # Panics
    /// When the state belongs to a model of other size.
    pub fn set_state(&mut self, state: State) {
        self.mechanism.set_state(state)
    }

    /// The state as bytes.
    pub fn snapshot(&self) -> Vec<u8> {
        self.mechanism.state.to_bytes()
    }

    /// Back to a snapshot, bit for bit.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), SnapshotError> {
        self.mechanism.restore(bytes)
    }

    /// Change positions or velocities by hand. Call [`Simulation::project`] afterwards unless the change is legal.
    pub fn state_mut(&mut self) -> &mut State {
        self.double.forget();
        self.mechanism.state_mut()
    }

    /// Bring a changed state back onto the constraints.
    pub fn project(&mut self) -> Result<(), StepError> {
        self.mechanism.project()
    }

    /// Open the energy ledger anew at the current state.
    pub fn reset_ledger(&mut self) {
        self.mechanism.state.work.fill(0.0);
        self.mechanism.state.blows = BlowWorks::default();
        self.mechanism.state.opening_energy =
            energy::mechanical(&self.mechanism.model, &self.mechanism.state.q, &self.mechanism.state.v);
    }

    // ---- answers ---------------------------------------------------------------------------------------------

    /// Put a question to the double of the mechanism.
    fn read<T>(&self, question: impl FnOnce(&mut Mechanism) -> T) -> T {
        self.double.answer(&self.mechanism, question)
    }

    /// Evaluate the equations of motion at the current state, in the memory in which steps are taken.
    pub fn evaluate(&mut self) -> Result<(), StepError> {
        self.mechanism.evaluate()
    }

    /// Accelerations of all velocity coordinates.
    pub fn accelerations(&self) -> Result<Vec<f64>, StepError> {
        self.read(|m| {
            m.evaluate()?;
            Ok(m.work.accelerations().to_vec())
        })
    }

    /// Multipliers of all constraint rows.
    pub fn multipliers(&self) -> Result<Vec<f64>, StepError> {
        self.read(|m| Ok(m.multipliers()?.to_vec()))
    }

    /// Multipliers of one joint, row by row: the torque of a motor, the normal force of a wheel, the tension of a rod.
    pub fn multipliers_of(&self, joint: JointId) -> Result<Vec<f64>, StepError> {
        self.read(|m| {
            m.evaluate()?;
            Ok(match m.model.inequalities.binary_search_by_key(&joint.0, |r| r.joint) {
                Ok(k) => m.work.contact.acting.of_joint(&m.model.inequalities[k]).unwrap_or(&[]),
                Err(_) => &m.work.multipliers()[m.model.rows_of(joint)],
            }
            .to_vec())
        })
    }

    /// How well a solve at the present state satisfies the equations of motion and the constraints.
    pub fn residual(&self) -> Result<Residual, StepError> {
        self.read(|m| {
            m.evaluate()?;
            Ok(m.work.kkt.residual(&m.model, &m.work.eval))
        })
    }

    /// Action of body a on body b through a joint, at the joint's point on b, in world axes. Where joints are
    /// redundant, this is the split with the smallest loads; [`Simulation::diagnose`] says which components are unique.
    pub fn reaction(&self, joint: JointId) -> Result<Reaction, StepError> {
        self.reaction_in(joint, Axes::World)
    }

    /// The reaction in the axes of the world or of either body. The point stays in world coordinates.
    pub fn reaction_in(&self, joint: JointId, axes: Axes) -> Result<Reaction, StepError> {
        self.read(|m| reactions::reaction_in(m, joint, axes))
    }

    /// Value (turns counted) and rate of coordinate `i` of a joint; `None` when it has no such coordinate.
    pub fn coordinate(&self, joint: JointId, i: usize) -> Option<(f64, f64)> {
        self.read(|m| m.coordinate(joint, i))
    }

    /// Where a point of a body is and how fast it moves, world axes.
    pub fn point(&self, marker: Marker) -> (Vec3, Vec3) {
        let a = self.mechanism.look(&marker.p());
        (a.at, a.rate)
    }

    /// Axes of a body in the world (columns), for bodies that have an orientation.
    pub fn axes(&self, body: BodyId) -> Option<Mat3> {
        self.mechanism.axes(body)
    }

    /// Angular velocity of a body, world axes (rad/s), for bodies that have one.
    pub fn spin(&self, body: BodyId) -> Option<Vec3> {
        self.mechanism.spin(body)
    }

    /// Centre of mass of a body, world (m); the origin for the ground.
    pub fn centre(&self, body: BodyId) -> Vec3 {
        self.mechanism.centre(body)
    }

    /// Velocity of the centre of mass of a body (m/s).
    pub fn centre_velocity(&self, body: BodyId) -> Vec3 {
        body.index().map_or(Vec3::ZERO, |i| {
            let b = &self.mechanism.model.bodies[i];
            let momentum = b
                .momentum(
                    self.mechanism.model.q_of(i, &self.mechanism.state.q),
                    self.mechanism.model.v_of(i, &self.mechanism.state.v),
                )
                .linear;
            // a rotor has no mass and no position
            if b.mass() > 0.0 { momentum / b.mass() } else { Vec3::ZERO }
        })
    }

    /// Energies, J.
    pub fn energy(&self) -> Energy {
        self.read(|m| {
            m.current = false;
            m.note_turns();
            energy::energies(&m.model, &m.state, &mut m.work.eval)
        })
    }

    /// Total momentum of all bodies.
    pub fn momentum(&self) -> Momentum {
        energy::momentum(&self.mechanism.model, &self.mechanism.state)
    }

    /// The energy ledger since the start, or since it was opened anew.
    pub fn ledger(&self) -> Ledger {
        let mut out = Ledger::default();
        self.read_ledger(&mut out);
        out
    }

    /// The same into a ledger at hand, whose memory is used again.
    pub fn read_ledger(&self, out: &mut Ledger) {
        Ledger::read(&self.mechanism.model, &self.mechanism.state, out);
    }

    /// Largest violation of any constraint row and of its rate (m, rad; m/s, rad/s).
    pub fn violation(&self) -> (f64, f64) {
        self.read(|m| m.violation())
    }

    /// Iterations of the last solve, for iterative solvers.
    pub fn solver_iterations(&self) -> Option<usize> {
        self.mechanism.work.kkt.solver.iterations()
    }

    /// What the solver has done since it was chosen, where it works with factors.
    pub fn solver_counts(&self) -> Option<Counts> {
        self.mechanism.work.kkt.solver.counts()
    }

    /// How often the terms of the equations were evaluated since the solver was chosen.
    pub fn evaluation_counts(&self) -> EvaluationCounts {
        self.mechanism.work.eval.counts
    }

    /// How many rows the solver treats as auxiliary, on top of a tree of joints.
    pub fn auxiliary_rows(&self) -> usize {
        self.mechanism.work.kkt.solver.n_auxiliary()
    }

    /// The solver in use.
    pub fn solver(&self) -> SolverKind {
        self.mechanism.solver
    }

    /// Joints that are equations still while joint coordinates are integrated, closed by projection or feedback: those
    /// that close loops, have no chart, or tie bodies whose freedom a chart does not know. None in maximal coordinates.
    pub fn cut_joints(&self) -> Vec<JointId> {
        let method = &self.mechanism.method;
        let space = method.joint_space.as_ref().filter(|_| method.coordinates == Coordinates::Joint);
        space.map_or(Vec::new(), |s| s.cuts().iter().map(|&k| JointId(k)).collect())
    }

    /// The coordinates that are integrated.
    pub fn coordinates(&self) -> Coordinates {
        self.mechanism.method.coordinates
    }

    // ---- running it through time ------------------------------------------------------------

    /// One step of exactly `dt` seconds. On failure the state is as before.
    pub fn step(&mut self, dt: f64) -> Result<StepReport, StepError> {
        run::step(&mut self.mechanism, dt)
    }

    /// The step that an adaptive run tries next unless its end is nearer, s. A run that is to be resumed bit for bit is
    /// kept at a state from which no end has yet cut a step short.
    pub fn step_ahead(&self) -> f64 {
        run::step_ahead(&self.mechanism)
    }

    /// One step of the length that the integrator's error control chooses, up to `t_end` at most and then ending there
    /// exactly. For those who want to look at a run between its steps; integrators without error control are refused.
    pub fn step_towards(&mut self, t_end: f64) -> Result<StepReport, StepError> {
        run::step_towards(&mut self.mechanism, t_end)
    }

    /// Can states inside the last step be told? See [`Simulation::sample_step`].
    pub fn samples_steps(&self) -> bool {
        self.mechanism.samples_steps()
    }

    /// States inside the step of `step` seconds just taken from `before`, at ascending times, from the dense output of
    /// the integrator and projected onto the constraints; nothing of the simulation itself changes. `sample` is
    /// scratch.
    pub fn sample_step(
        &mut self,
        before: &State,
        step: f64,
        times: impl Iterator<Item = f64>,
        sample: &mut State,
        report: impl FnMut(&State),
    ) -> Result<(), StepError> {
        run::sample_step(&mut self.mechanism, before, step, times, sample, report)
    }

    /// The integrator in use, by its name, and whether it chooses its own steps.
    pub fn integrator(&self) -> (&'static str, bool) {
        run::integrator(&self.mechanism)
    }

    /// Run to time `t_end` exactly. Adaptive integrators choose their steps; the others take steps of 1 ms.
    pub fn run_until(&mut self, t_end: f64) -> Result<Summary, StepError> {
        run::run_until(&mut self.mechanism, t_end)
    }

    /// Run to time `t_end` exactly with steps of `dt`; the last one may be shorter.
    pub fn run_fixed(&mut self, t_end: f64, dt: f64) -> Result<Summary, StepError> {
        run::run_fixed(&mut self.mechanism, t_end, dt)
    }

    /// Run to `t_end` and report the state every `every` seconds, at the start and at the end, without letting the
    /// reports shorten the steps: states between steps come from the dense output and are projected onto the
    /// constraints.
    pub fn run_sampled(
        &mut self,
        t_end: f64,
        every: f64,
        report: impl FnMut(&Model, &State),
    ) -> Result<Summary, StepError> {
        run::run_sampled(&mut self.mechanism, t_end, every, report)
    }

    // ---- contacts and events ------------------------------------------------------------

    /// All contacts at present: touching shapes with the forces between them, in a stable order.
    pub fn contacts(&self) -> Result<Vec<Contact>, StepError> {
        self.read(contacts::contacts)
    }

    /// The same into memory at hand.
    pub fn read_contacts(&self, out: &mut Vec<Contact>) -> Result<(), StepError> {
        self.read(|m| contacts::read_contacts(m, out))
    }

    /// Shapes that are at most `distance` apart, m: one entry for each pair of features that may touch, in a stable
    /// order.
    pub fn read_near(&self, distance: f64, out: &mut Vec<Near>) {
        self.read(|m| contacts::read_near(m, distance, out))
    }

    /// The least gap between the shapes of each of these pairs of bodies, m: negative where they overlap, NaN where it
    /// is more than `most` (m), and between bodies that never touch. Of surfaces, only what may be nearest is looked
    /// at.
    pub fn read_gaps(&self, pairs: &[(BodyId, BodyId)], most: f64, out: &mut Vec<f64>) {
        self.read(|m| contacts::read_gaps(m, pairs, most, out))
    }

    /// Largest overlap of shapes, and largest excess over a limit or a rope, at the current state, m or rad.
    pub fn overlap(&self) -> f64 {
        self.read(contacts::overlap)
    }

    /// Keep the newest so many events until they are taken; 0, as at the start, keeps none.
    ///
    /// ```
    /// use holonom::prelude::*;
    /// use holonom::EventKind;
    /// let mut m = ModelBuilder::new();
    /// let ball = m.body("ball", Rigid::ball(1.0, 0.1).position([0.0, 0.0, 1.1]));
    /// let rubber = Material::smooth().restitution(0.8);
    /// m.shape(BodyId::GROUND.origin(), Shape::HalfSpace, rubber);
    /// m.shape(ball.origin(), Shape::Sphere { radius: 0.1 }, rubber);
    /// let mut sim = Simulation::build(m)?;
    /// sim.keep_events(100);
    /// sim.run_until(1.0)?;
    /// let events = sim.take_events();
    /// assert_eq!(events[0].kind, EventKind::Impact);
    /// assert!((events[0].time - (2.0f64 / 9.81).sqrt()).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn keep_events(&mut self, newest: usize) {
        self.mechanism.events.log.keep(newest)
    }

    /// The events kept so far, oldest first; they are not kept any longer.
    pub fn take_events(&mut self) -> Vec<Event> {
        self.mechanism.events.log.take()
    }

    /// The inequality rows that act at the present state, and their forces.
    pub fn inequality_rows(&self) -> Result<InequalityTable, StepError> {
        self.read(inequalities::acting_rows)
    }

    /// All inequality rows of the present state, open ones included, without solving for anything: forces and
    /// accelerations are zero.
    pub fn all_inequality_rows(&self) -> InequalityTable {
        self.read(inequalities::all_rows)
    }

    // ---- analyses ------------------------------------------------------------

    /// Ask the doctor about the mechanism in its present state. Takes time cubic in the rows of the largest cluster of
    /// loops up to 1000 of them, linear beyond.
    pub fn diagnose(&self) -> Result<Diagnosis, StepError> {
        self.read(doctor::diagnose)
    }

    /// The equations at the present state, evaluated and factored once, to be asked any number of questions: what
    /// pushes do, which efforts a motion takes, Jacobians, mobilities, derivatives. The simulation may go on; what is
    /// held belongs to this moment.
    pub fn held_factor(&self) -> Result<HeldFactor, StepError> {
        HeldFactor::at(&self.mechanism.model, &self.mechanism.state)
    }

    /// The equations of motion in joint coordinates at the present state: mass matrix, bias, Jacobians.
    pub fn joint_equations(&self) -> Result<JointEquations, StepError> {
        JointEquations::of(&mut self.held_factor()?)
    }

    /// How these joint coordinates move while the mechanism follows what is prescribed in it, from now to `t_end` in
    /// `steps` equal steps. Nothing but kinematics counts: no inertia, no forces. Spare freedom takes the least motion
    /// in the metric of the masses. The state stays what it is.
    pub fn inverse_kinematics(
        &self,
        coordinates: &[(JointId, usize)],
        t_end: f64,
        steps: usize,
    ) -> Result<JointMotion, StepError> {
        self.read(|m| kinematics::inverse_kinematics(m, coordinates, t_end, steps))
    }

    /// The small motions about the present state: eigenvalues, modes, and the matrix they come from, in world axes. The
    /// state is not changed.
    ///
    /// It takes some ten evaluations for each free direction, and algebra that is dense in their number: meant for some
    /// hundreds of them.
    ///
    /// ```
    /// use holonom::prelude::*;
    ///
    /// let mut m = ModelBuilder::new();
    /// let bob = m.body("bob", Particle::new(1.0, [0.0, 0.0, -1.0]));
    /// m.joint("rod", Distance::new(BodyId::GROUND.origin(), bob.origin(), 1.0));
    /// let modes = Simulation::build(m)?.linearise()?;
    /// let expected = 9.81f64.sqrt() / std::f64::consts::TAU;
    /// assert!(modes.frequencies().iter().all(|f| (f - expected).abs() < 1e-12)); // two of them: it swings both ways
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn linearise(&self) -> Result<Linearisation, StepError> {
        self.read(linear::linearise)
    }

    /// The same in other axes: what is constant in time, and so has eigenvalues that mean something, depends on who
    /// looks.
    pub fn linearise_from(&self, observer: &Observer) -> Result<Linearisation, StepError> {
        self.read(|m| linear::linearise_from(m, observer))
    }

    /// C of small motions, `y - y0 = C [z; w]`, row by row: how what `read` finds at a state changes with every free
    /// direction. It must always find as many numbers. Columns of B: [`Linearisation::input`].
    ///
    /// ```
    /// use holonom::answers::PushAlong;
    /// use holonom::prelude::*;
    ///
    /// let mut m = ModelBuilder::new();
    /// let y = [0.0, 1.0, 0.0];
    /// let rod = m.body("rod", Rigid::cuboid(3.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
    /// let pin = m.joint("pin", Revolute::new(BodyId::GROUND.origin().along(y), rod.at([-0.5, 0.0, 0.0]).along(y)));
    /// let mut sim = Simulation::build(m)?;
    /// sim.equilibrium(&Default::default())?;
    /// let small = sim.linearise()?;
    /// let b = small.input(&mut sim.held_factor()?, &PushAlong::coordinate(pin, 0))?;
    /// let mut other = Simulation::new(sim.model().clone());
    /// let c = sim.output_matrix(&small, |state| {
    ///     other.set_state(state.clone());
    ///     Ok(vec![other.coordinate(pin, 0).unwrap().0])
    /// })?;
    /// let inertia = 3.0 * ((1.0 + 0.01) / 12.0 + 0.25); // about the pin
    /// assert!((b[1] * c[0] * inertia - 1.0).abs() < 1e-10); // C B: acceleration of the angle for 1 N m
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn output_matrix(
        &self,
        system: &Linearisation,
        mut read: impl FnMut(&State) -> Result<Vec<f64>, StepError>,
    ) -> Result<Vec<f64>, StepError> {
        self.read(|m| linear::ports::outputs(m, system, &mut read))
    }

    /// Bring the mechanism to rest in a static equilibrium, from the present pose downwards; time stands still. On
    /// failure the state is as before.
    ///
    /// Velocities become zero. Joints that depend on time are held where they are now. Nonholonomic rows hold as if
    /// locked: what they carry is in balance too.
    ///
    /// ```
    /// use holonom::prelude::*;
    ///
    /// let mut m = ModelBuilder::new();
    /// let bob = m.body("bob", Particle::new(1.0, [0.8, 0.0, 0.6])); // beside the top
    /// m.joint("rod", Distance::new(BodyId::GROUND.origin(), bob.origin(), 1.0));
    /// let mut sim = Simulation::build(m)?;
    /// let found = sim.equilibrium(&Default::default())?;
    /// assert!(found.is_stable() && (sim.point(bob.origin()).0.z + 1.0).abs() < 1e-12);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn equilibrium(&mut self, options: &EquilibriumOptions) -> Result<Equilibrium, StepError> {
        equilibrium::equilibrium(&mut self.mechanism, options)
    }

    /// The certificate of the present state.
    pub fn certificate(&self) -> Result<Certificate, StepError> {
        self.read(certificate::certificate)
    }

    /// Solve the equations at the present state and look at everything.
    pub fn observe(&mut self) -> Result<Observation<'_>, StepError> {
        observe::observe(&mut self.mechanism)
    }

    /// The same in a time linear in the size of the mechanism, whatever its loops: where joints are redundant their
    /// loads are as the solver found them, not split into the smallest ones. Everything that is unique is the same.
    pub fn observe_unsplit(&mut self) -> Result<Observation<'_>, StepError> {
        observe::observe_unsplit(&mut self.mechanism)
    }

    /// Look at everything that can be told, whatever happens: where the equations cannot be solved (forces in an
    /// indeterminate contact that no iteration finds), places and velocities are as they are, and the rest is NaN or
    /// missing; [`Observation::failure`] says why. The depth says how much is looked at, and so what it costs.
    pub fn observe_partly(&mut self, depth: ObservationDepth) -> Observation<'_> {
        observe::observe_partly(&mut self.mechanism, depth)
    }

    // ---- the other laws: f = m v, dv = M^-1 j ------------------------------------------------------------

    /// The law f = m v: the velocities with which the mechanism follows these pushes (N on points, read as kg m/s),
    /// joints kept and nothing else: a linear answer. The state is not changed.
    pub fn velocities_from_forces(&self, pushes: &[(Marker, Vec3)]) -> Result<Vec<f64>, StepError> {
        self.read(|m| laws::velocities_from_forces(m, pushes))
    }

    /// Move through legal poses by the law f = m v for `dt` seconds (midpoint rule, then projection). Inertia, gravity
    /// and force laws play no part, nor does dry friction of joints; contacts with their friction, limits, ropes and
    /// caps do. The state's velocities become those of the motion.
    pub fn kinematic_step(&mut self, pushes: &[(Marker, Vec3)], dt: f64) -> Result<(), StepError> {
        laws::kinematic_step(&mut self.mechanism, pushes, dt)
    }

    /// The same law with the model's own forces as the pushes: gravity, and force laws as they are at rest. The
    /// mechanism sinks, without inertia, towards where its potential energy is least, at a speed of force over mass
    /// times one second, until contacts, stops, ropes or friction hold it; drives move as they are told, and where they
    /// go on against a stop or a body, the step is refused ([`StepError::Blocked`]).
    pub fn kinematic_step_under_forces(&mut self, dt: f64) -> Result<(), StepError> {
        laws::kinematic_step_under_forces(&mut self.mechanism, dt)
    }

    /// Overdamped motion: what moves keeps the part `factor` (0 to 1) of its velocity, as after a drag in proportion to
    /// mass, `F = - c M v` for a time t with `factor = exp(- c t)`. Drives keep moving as they are told: of all
    /// velocities that the joints allow it takes the nearest in the metric of the masses. The energy lost counts as
    /// imposed.
    pub fn damp(&mut self, factor: f64) -> Result<(), StepError> {
        laws::damp(&mut self.mechanism, factor)
    }

    /// The law dv = M^-1 j: the jump of all velocities that impulses (N s on points) cause, joints kept, and contacts,
    /// stops and ropes that are closed too: what they would be driven into pushes back, with friction, and does not
    /// rebound. The state is not changed.
    pub fn velocity_jump(&self, impulses: &[(Marker, Vec3)]) -> Result<Vec<f64>, StepError> {
        self.read(|m| laws::velocity_jump(m, impulses))
    }

    /// Strike the mechanism: apply impulses (N s) to points.
    pub fn apply_impulses(&mut self, impulses: &[(Marker, Vec3)]) -> Result<(), StepError> {
        laws::apply_impulses(&mut self.mechanism, impulses)
    }

    // ---- changes while it runs ------------------------------------------------------------

    /// Add a joint. It takes hold at once; the ids of other joints stay what they were.
    pub fn add_joint(
        &mut self,
        name: impl Into<String>,
        constraint: impl Constraint + 'static,
    ) -> Result<(JointId, Edited), ModelError> {
        edit::add_joint(&mut self.mechanism, name, constraint)
    }

    /// Add a joint that is boxed already.
    pub fn add_boxed_joint(
        &mut self,
        name: impl Into<String>,
        constraint: Box<dyn Constraint>,
    ) -> Result<(JointId, Edited), ModelError> {
        edit::add_boxed_joint(&mut self.mechanism, name, constraint)
    }

    /// Add a force law. The ids of the others stay what they were.
    pub fn add_force(
        &mut self,
        name: impl Into<String>,
        force: impl Force + 'static,
    ) -> Result<(ForceId, Edited), ModelError> {
        edit::add_force(&mut self.mechanism, name, force)
    }

    /// Take a force law away. The ids of those after it become smaller by one.
    pub fn remove_force(&mut self, force: ForceId) -> Result<Edited, ModelError> {
        edit::remove_force(&mut self.mechanism, force)
    }

    /// Take a joint away. The ids of the joints after it become smaller by one.
    pub fn remove_joint(&mut self, joint: JointId) -> Result<Edited, ModelError> {
        edit::remove_joint(&mut self.mechanism, joint)
    }

    /// Put another constraint in the place of a joint; its name and number stay. It takes hold at once. A joint that
    /// was locked or broken is active again.
    pub fn replace_joint(
        &mut self,
        joint: JointId,
        constraint: impl Constraint + 'static,
    ) -> Result<Edited, ModelError> {
        edit::replace_joint(&mut self.mechanism, joint, constraint)
    }

    /// Break a joint: it stays in the list and holds nothing until it is [mended](Simulation::mend_joint).
    pub fn break_joint(&mut self, joint: JointId) -> Result<Edited, ModelError> {
        edit::break_joint(&mut self.mechanism, joint)
    }

    /// Let a broken joint take hold again.
    pub fn mend_joint(&mut self, joint: JointId) -> Result<Edited, ModelError> {
        edit::mend_joint(&mut self.mechanism, joint)
    }

    /// Hold a joint as it stands: a weld takes its place until it is [unlocked](Simulation::unlock_joint).
    pub fn lock_joint(&mut self, joint: JointId) -> Result<Edited, ModelError> {
        edit::lock_joint(&mut self.mechanism, joint)
    }

    /// Let a locked joint move again.
    pub fn unlock_joint(&mut self, joint: JointId) -> Result<Edited, ModelError> {
        edit::unlock_joint(&mut self.mechanism, joint)
    }

    /// Keep this moment.
    pub fn checkpoint(&self) -> Checkpoint {
        edit::checkpoint(&self.mechanism)
    }

    /// Back to a moment kept, edits undone.
    pub fn return_to(&mut self, checkpoint: &Checkpoint) {
        edit::return_to(&mut self.mechanism, checkpoint)
    }
}
