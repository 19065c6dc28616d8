//! Integrators, behind one trait. Each states its order; a test measures it.

mod dop853;
mod dop853_table;
mod euler;
mod joint_space;
mod maximal;
mod passage;
mod rattle;
mod rk4;
mod sdirk;
mod stepping;

pub use dop853::Dop853;
pub use euler::SemiImplicitEuler;
pub(crate) use joint_space::JointSpace;
pub(crate) use maximal::Maximal;
use passage::Passage;
pub use rattle::Rattle;
pub use rk4::RungeKutta4;
pub use sdirk::Sdirk4;
pub use stepping::Stepping;

pub use crate::model::choices::IntegratorKind;

use crate::contact::inequality::sleep::Sleeping;
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate::Feedback;
use crate::model::Model;
use crate::model::state::BlowWorks;
use crate::model::warm_start::WarmStart;
use crate::step::drift::Drift;

/// Which coordinates are integrated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coordinates {
    /// All coordinates of every body; joints are kept by projection or feedback. The default.
    Maximal,
    /// Joint coordinates: each stage is mapped to the bodies, solved there, and its accelerations are mapped back
    /// (Baraff 1996, section 2.2). Joints of a spanning forest cannot drift. What it leaves out remains equations:
    /// joints that close loops, have no chart, or tie bodies that deform.
    Joint,
}

/// A first-order system y' = f(t, y).
pub(crate) trait System {
    /// Length of y.
    fn len(&self) -> usize;
    /// The first so many entries count for error control; the rest are integrals carried along.
    fn n_controlled(&self) -> usize;
    /// Typical size of each controlled entry, by which the absolute tolerance is multiplied.
    fn sizes(&self, out: &mut Vec<f64>);
    /// f.
    fn rate(&mut self, t: f64, y: &[f64], dy: &mut [f64]) -> Result<(), StepError>;
    /// Put a combination of stages back on its manifold.
    fn normalise(&self, y: &mut [f64]);
    /// Was a rate found near a singular pose, and will the end of the step be projected onto the constraints?
    fn passes_singular(&self) -> bool {
        false
    }
    /// That projection.
    fn project(&mut self, _t: f64, _y: &mut [f64]) -> Result<(), StepError> {
        Ok(())
    }
}

/// What an integrator works on: a model, its scratch, and the state `(t, q, v, work)` to advance in place. When a step
/// fails, the caller discards all of it.
pub struct Motion<'a> {
    pub(crate) model: &'a Model,
    pub(crate) work: &'a mut Workspace,
    pub(crate) t: f64,
    pub(crate) q: &'a mut Vec<f64>,
    pub(crate) v: &'a mut Vec<f64>,
    /// Work of forces and joints so far, J.
    pub(crate) ledger: &'a mut [f64],
    /// Energy changed by projection, J.
    pub(crate) projected: &'a mut f64,
    /// Work of impulses, and what steps do to the energy beside it, J.
    pub(crate) blows: &'a mut BlowWorks,
    /// What touches, sticks or is at its limit.
    pub(crate) warm_start: &'a mut Vec<WarmStart>,
    pub(crate) sleeping: Option<Sleeping>,
    pub(crate) drift: Drift,
    pub(crate) coordinates: Coordinates,
    pub(crate) joint_space: Option<&'a mut JointSpace>,
}

impl Motion<'_> {
    /// The model.
    pub fn model(&self) -> &Model {
        self.model
    }

    /// Time at the start of the step, s.
    pub fn time(&self) -> f64 {
        self.t
    }

    /// Positions and velocities of all bodies, to be advanced in place.
    pub fn state(&mut self) -> (&mut [f64], &mut [f64]) {
        (self.q, self.v)
    }

    /// The equations of motion at `(q, v, t)`: dq/dt and dv/dt. Quaternions may be off unit length by a little.
    pub fn rates(
        &mut self,
        t: f64,
        q: &[f64],
        v: &[f64],
        q_rate: &mut [f64],
        v_rate: &mut [f64],
    ) -> Result<(), StepError> {
        let feedback = self.feedback();
        dynamics::accelerations(self.model, q, v, t, feedback, self.work)?;
        maximal::q_rates(self.model, q, v, q_rate);
        v_rate.copy_from_slice(self.work.accelerations());
        Ok(())
    }

    /// Put positions that left their manifold by a little back on it (quaternions to unit length).
    pub fn normalise(&self, q: &mut [f64]) {
        for (i, body) in self.model.bodies.iter().enumerate() {
            body.normalise(self.model.q_of_mut(i, q));
        }
    }

    pub(crate) fn feedback(&self) -> Option<Feedback> {
        match self.drift {
            Drift::Feedback(f) => Some(f),
            _ => None,
        }
    }

    /// Load y, hand a system to `run`, store y back.
    fn with_system<R>(
        &mut self,
        y: &mut Vec<f64>,
        run: impl FnOnce(&mut dyn System, f64, &mut Vec<f64>) -> Result<R, StepError>,
    ) -> Result<R, StepError> {
        let feedback = self.feedback();
        let t = self.t;
        match (&mut self.joint_space, self.coordinates) {
            (Some(space), Coordinates::Joint) => {
                let projected = self.drift.projects();
                let mut system = space.system(self.model, self.work, feedback, projected);
                system.load(self.q, self.v, self.ledger, y);
                let result = run(&mut system, t, y)?;
                system.store(y, self.q, self.v, self.ledger);
                Ok(result)
            }
            _ => {
                let projected = self.drift.projects();
                let mut system = Maximal { model: self.model, work: self.work, feedback, projected, near: false };
                system.load(self.q, self.v, self.ledger, y);
                let result = run(&mut system, t, y)?;
                system.store(y, self.q, self.v, self.ledger);
                Ok(result)
            }
        }
    }
}

/// What one attempt of an integrator gave.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Attempt {
    /// Estimated error relative to the tolerance; accepted when at most 1. `None` where there is no estimate.
    pub error: Option<f64>,
    /// Evaluations of the equations of motion.
    pub evaluations: usize,
}

/// A method for advancing a state by one step.
pub trait Integrator: Send + Sync {
    /// The name used in files and on the command line.
    fn name(&self) -> &'static str;
    /// Order of accuracy.
    fn order(&self) -> u32;
    /// Can it choose its own step?
    fn adaptive(&self) -> bool {
        false
    }
    /// Can it follow joint coordinates as well as maximal ones?
    fn any_coordinates(&self) -> bool {
        false
    }
    /// Does it take care of inequality rows (limits, contacts, friction) itself?
    fn handles_inequalities(&self) -> bool {
        false
    }
    /// Are its steps made of [`Motion::rates`], which know the forces of contacts, limits and friction? Only then can
    /// it run from event to event.
    fn between_events(&self) -> bool {
        true
    }
    /// Advance `motion` by `h`.
    fn attempt(&mut self, motion: &mut Motion<'_>, h: f64) -> Result<Attempt, StepError>;
    /// Are its parameters usable? `Err` says which is not and what is allowed.
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
    /// Can it tell states inside the last step? Then `prepare_dense` and `interpolate` must be there.
    fn dense_output(&self) -> bool {
        false
    }
    /// After an accepted attempt and with `motion` at its end: prepare [`Integrator::interpolate`].
    fn prepare_dense(&mut self, _motion: &mut Motion<'_>, _h: f64) -> Result<(), StepError> {
        Ok(())
    }
    /// `(q, v)` and the work of forces and joints at the fraction `theta` of the last step, off the constraints by the
    /// interpolation error.
    fn interpolate(&self, _theta: f64, _model: &Model, _q: &mut [f64], _v: &mut [f64], _ledger: &mut [f64]) {}
}

impl Default for IntegratorKind {
    fn default() -> Self {
        IntegratorKind::Dop853 { relative: 1e-10, absolute: 1e-10 }
    }
}

impl IntegratorKind {
    /// Make one.
    pub fn create(self) -> Box<dyn Integrator> {
        match self {
            IntegratorKind::SemiImplicitEuler => Box::new(SemiImplicitEuler::default()),
            IntegratorKind::RungeKutta4 => Box::new(RungeKutta4::default()),
            IntegratorKind::Dop853 { relative, absolute } => Box::new(Dop853::new(relative, absolute)),
            IntegratorKind::Sdirk4 { relative, absolute } => Box::new(Sdirk4::new(relative, absolute)),
            IntegratorKind::Rattle => Box::new(Rattle::default()),
            IntegratorKind::Stepping => Box::new(Stepping::default()),
        }
    }
}
