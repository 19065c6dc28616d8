//! # holonom
//!
//! Multibody dynamics with exact joint forces in linear time. Bodies keep all their coordinates, joints are equations,
//! and the forces that enforce the equations are computed directly, in time linear in the number of bodies.
//!
//! A pendulum in a dozen lines:
//!
//! ```
//! use holonom::prelude::*;
//!
//! let mut m = ModelBuilder::new(); // gravity is (0, 0, -9.81) m/s^2
//! let rod = m.body("rod", Rigid::cuboid(1.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
//! let pin = m.joint(
//!     "pin",
//!     Revolute::new(BodyId::GROUND.origin().along([0.0, 1.0, 0.0]), rod.at([-0.5, 0.0, 0.0]).along([0.0, 1.0, 0.0])),
//! );
//! let mut sim = Simulation::build(m)?;
//! sim.run_until(1.0)?;
//! let (angle, rate) = sim.coordinate(pin, 0).unwrap();
//! println!("angle {angle:.6} rad, rate {rate:.6} rad/s, pin load {:.3} N", sim.reaction(pin)?.force.length());
//! assert!(sim.violation().0 < 1e-12); // the pin holds
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! ## The map
//!
//! - [`ModelBuilder`] collects bodies, joints and forces and builds a [`Model`], which never changes. [`Simulation`]
//!   runs it.
//! - [`bodies`]: particle, planar, rigid, scaled, affine, parametric, and the [`bodies::Body`] trait for your own.
//! - [`MassProperties`]: mass, centre and moments of shapes, of closed meshes, and of what is put together from them.
//! - [`joints`]: the catalogue, and the [`joints::Constraint`] trait for your own. Constraints see points and directions, never body kinds.
//! - [`functions`] of one variable, [`curves`] and [`surfaces`] for joints that follow them.
//! - [`forces`]: springs, dampers, bushings, motors, drag, your own laws. (Tyres are in the crate `holonom-tyre`.)
//! - [`SolverKind`], [`IntegratorKind`], [`Drift`], [`Coordinates`]: the choices, each with a default that suits most.
//! - [`doctor`]: mobility, redundant joints, and which reactions are unique; [`Simulation::diagnose`].
//! - [`Simulation::add_joint`] and its companions change a mechanism while it runs; a [`Checkpoint`] undoes it.
//! - [`linear`]: small motions about a state, [`Simulation::linearise`], and static equilibria, [`Simulation::equilibrium`].
//! - [`answers`]: one factor for any number of pushes, inverse dynamics, Jacobians, mobilities, mass matrices in joint
//!   coordinates, derivatives; [`Simulation::held_factor`], [`Simulation::joint_equations`].
//! - [`check`]: finite-difference checks for your own bodies, joints and forces; [`declaration`]: how kinds are declared, and checks of parameters.
//! - [`pattern`]: where J, H, A and L have entries.
//! - [`phases`]: one evaluation of the equations of motion in its phases, for timing them.
//!
//! Signs, frames and units: see `docs/notation.md`. SI units throughout, z up, angles in radians.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod analysis;
mod build;
mod catalogue;
mod contact;
mod dynamics;
mod error;
mod evaluate;
pub mod math;
mod model;
mod simulation;
mod solve;
mod step;

pub use analysis::{answers, check, doctor, linear, pattern, phases};
pub use catalogue::{attach, bodies, coordinate, curves, declaration, drives, forces, functions, joints, surfaces};
pub use math::number;
pub use step::integrate;
pub use step::promises;

pub use analysis::certificate::Certificate;
pub use analysis::contacts::{Contact, Friction, InequalityStatus, Near};
pub use analysis::doctor::Diagnosis;
pub use analysis::kinematics::JointMotion;
pub use analysis::linear::{Equilibrium, EquilibriumOptions, Linearisation};
pub use analysis::observe::{Moving, Observation, ObservationDepth};
pub use analysis::queries::{ClosestPoints, Hit, Queries};
pub use build::builder::ModelBuilder;
pub use catalogue::attach::{Attached, Attachment, AttachmentKind, BodyId, Marker};
pub use catalogue::bodies::Momentum;
pub use catalogue::coordinate::Coordinate;
pub use catalogue::formula::{Potential, Written, WrittenRate};
pub use catalogue::mass::{MassProperties, MeshError};
pub use contact::inequality::sleep::Sleeping;
pub use contact::inequality::workspace::Workspace;
pub use contact::pairs::MayTouch;
pub use error::{ModelError, SnapshotError, StepError};
pub use evaluate::Feedback;
pub use evaluate::energy::{Energy, Ledger};
pub use evaluate::evaluation::EvaluationCounts;
pub use evaluate::reaction::{Axes, Reaction};
pub use holonom_collide::CollisionShape as Shape;
pub use holonom_lcp::Interrupt;
pub use holonom_tree::{Cost, PivotForm};
pub use math::{Mat3, Quat, Vec3};
pub use model::choices::{Assembly, IntegratorKind, SolverKind};
pub use model::shapes::{ImpactLaw, ImpactOrder, Material, Restitution, ShapeId};
pub use model::state::State;
pub use model::{ForceId, JointId, Model, NearlyRepeated};
pub use simulation::Simulation;
pub use simulation::edit::{Checkpoint, Edited, JointCondition};
pub use simulation::run::Summary;
pub use solve::Counts;
pub use solve::residual::Residual;
pub use step::StepReport;
pub use step::drift::Drift;
pub use step::event_log::{Event, EventKind, EventPlace};
pub use step::integrate::Coordinates;
pub use step::promises::{BrokenPromise, Promise, WorstOfRun};

/// Formulas as data: what scene files say with `kind = "formula"`. The crate `holonom-scene` makes them from texts
/// (`holonom_scene::formula::read_formula`), [`joints::FormulaJoint`] and [`forces::FormulaForce`] run them.
pub mod formulas {
    pub use crate::catalogue::interface::{Formula, FormulaFunction, FormulaOp, MAX_INPUTS};
}

/// Everything a small program needs.
pub mod prelude {
    pub use crate::catalogue::bodies::{Affine, Parametric, Particle, Planar, Rigid, Scaled};
    pub use crate::catalogue::forces::{
        AngularDrag, AxisMotor, Bushing, CoordinateFeedback, CoordinateForce, Drag, OneSided, PointForce, Spring,
        SpringLaw, Torque, TorqueCurve, TorsionLaw, TorsionSpring, UserForce,
    };
    pub use crate::catalogue::joints::{
        Belt, BevelGear, ConeLimit, ConstantVelocity, Coupler, Cylindrical, Differential, Distance, DryFriction, Gear,
        KnifeEdge, Limit, Motor, Mouse, Oldham, OrientationLock, ParallelAxes, PerpendicularAxes, PinSlot, PlanarJoint,
        PointOnCurve, PointOnLine, PointOnPlane, PointOnSurface, PrescribedPoint, Prismatic, RackAndPinion, Reeving,
        Revolute, RollingDisc, RollingSphere, Rope, Screw, Servo, Spherical, SurfaceRolling, SurfaceTangency,
        Universal, VelocityRatio, Weld, Winch, Worm,
    };
    pub use crate::math::{Mat3, Quat, Vec3, vec3};
    pub use crate::{
        Attachment, Axes, BodyId, Contact, Coordinate, Coordinates, Drift, Energy, ForceId, IntegratorKind, JointId,
        Marker, MassProperties, Material, Model, ModelBuilder, ModelError, Momentum, Potential, Reaction, Shape,
        ShapeId, Simulation, SolverKind, State, StepError, StepReport, Summary, Written, WrittenRate,
    };
}

/// The program in the README is compiled and run with the other documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

/// And those in the catalogue.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/catalogue.md")]
struct Catalogue;

/// And those in the page on answers.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/answers.md")]
struct AnswersPage;

/// And those in the guide to loops.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/loops.md")]
struct GuideToLoops;

/// And those in the guide to contact.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/contact.md")]
struct GuideToContact;
