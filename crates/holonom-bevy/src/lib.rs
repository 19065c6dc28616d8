//! Mechanisms of [`holonom`] in the game engine [Bevy](https://bevy.org).
//!
//! An entity with a [`Mechanism`] is a simulation. Every `FixedUpdate` takes it one step of Bevy's fixed time on, never
//! the time of a frame, so a run has the same bits at every frame rate. Its children with a [`ShownBody`] follow the
//! bodies: their `Transform` is set in every frame, between the two newest steps.
//!
//! ```
//! use bevy_app::{App, Startup};
//! use bevy_ecs::prelude::*;
//! use bevy_time::TimePlugin;
//! use bevy_transform::TransformPlugin;
//! use holonom::prelude::*;
//! use holonom_bevy::{HolonomPlugin, Mechanism, ShownBody};
//!
//! fn pendulum(mut commands: Commands) -> Result {
//!     let mut m = ModelBuilder::new();
//!     let rod = m.body("rod", Rigid::cuboid(2.0, [1.0, 0.1, 0.1]).position([0.5, 0.0, 0.0]));
//!     let axis = BodyId::GROUND.origin().along([0.0, 1.0, 0.0]);
//!     m.joint("pin", Revolute::new(axis, rod.at([-0.5, 0.0, 0.0]).along([0.0, 1.0, 0.0])));
//!     let swing = commands.spawn(Mechanism::new(Simulation::build(m)?)).id();
//!     // beside ShownBody goes what draws it: a mesh and a material, in the axes of the body
//!     commands.spawn((ShownBody(rod), ChildOf(swing)));
//!     Ok(())
//! }
//!
//! // with `DefaultPlugins` the plugins of time and transforms are there already
//! App::new().add_plugins((TimePlugin, TransformPlugin, HolonomPlugin)).add_systems(Startup, pendulum).update();
//! ```
//!
//! # Axes
//!
//! holonom's z points up, Bevy's y. So the entity of a mechanism begins with a quarter turn about x ([`Z_UP`]), and its
//! children have the coordinates of holonom as they are. Place a mechanism by a `Transform` of your own, which ends
//! with that turn: `Transform::from_xyz(3.0, 0.0, 0.0).with_rotation(Z_UP)`.
//!
//! # When a motion cannot be followed
//!
//! The mechanism stands still at its last good state, [`Mechanism::stopped`] says why, and a [`MotionStopped`] is
//! written once. [`Mechanism::resume`] lets it go on, after something was changed.

use bevy_app::{App, FixedUpdate, Plugin, PostUpdate};
use bevy_ecs::prelude::*;
use bevy_time::{Fixed, Time};
use bevy_transform::TransformSystems;
use bevy_transform::prelude::*;
use holonom::prelude::{BodyId, Quat, Simulation, StepError, Vec3};
use std::f32::consts::FRAC_1_SQRT_2;

/// The quarter turn about x that takes holonom's axes (z up) to Bevy's (y up).
pub const Z_UP: bevy_math::Quat = bevy_math::Quat::from_xyzw(-FRAC_1_SQRT_2, 0.0, 0.0, FRAC_1_SQRT_2);

/// Steps mechanisms in `FixedUpdate`, and shows them where transforms are about to be propagated.
#[derive(Clone, Copy, Debug, Default)]
pub struct HolonomPlugin;

/// Where the plugin does its work, for systems that come before or after.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HolonomSystems {
    /// In `FixedUpdate`: mechanisms take a step. Push and steer before it, read loads after it.
    Step,
    /// In `PostUpdate`: transforms are set.
    Show,
}

impl Plugin for HolonomPlugin {
    fn build(&self, app: &mut App) {
        app.add_message::<MotionStopped>()
            .add_systems(FixedUpdate, step.in_set(HolonomSystems::Step))
            .add_systems(PostUpdate, show.in_set(HolonomSystems::Show).before(TransformSystems::Propagate));
    }
}

/// A simulation, stepped with Bevy's fixed time.
#[derive(Component)]
#[require(Transform = Transform::from_rotation(Z_UP))]
pub struct Mechanism {
    /// What is simulated. Integrator, drives and state are changed here; call [`Mechanism::jump`] after a change of the
    /// state that is no motion, so that it is not drawn as one.
    pub sim: Simulation,
    /// Equal parts that a fixed step is taken in.
    parts: u32,
    before: Vec<Pose>,
    now: Vec<Pose>,
    stopped: Option<StepError>,
}

/// A child of a [`Mechanism`] that is drawn where this body is: its `Transform` is that of the body's frame.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq)]
#[require(Transform)]
pub struct ShownBody(pub BodyId);

/// Written once when a mechanism stops.
#[derive(Message, Clone, Debug)]
pub struct MotionStopped {
    /// The entity with the [`Mechanism`].
    pub mechanism: Entity,
    /// Why, by the names of its bodies and joints.
    pub error: StepError,
}

/// Frame of a body in the world.
#[derive(Clone, Copy, Debug)]
struct Pose {
    at: Vec3,
    turn: Quat,
}

impl Mechanism {
    /// A mechanism that takes every fixed step as one.
    pub fn new(sim: Simulation) -> Self {
        let now = poses(&sim);
        Mechanism { sim, parts: 1, before: now.clone(), now, stopped: None }
    }

    /// Take every fixed step in so many equal parts, at least one: for motions that are faster than Bevy's 64 steps a
    /// second can follow.
    pub fn in_parts(mut self, parts: u32) -> Self {
        self.parts = parts.max(1);
        self
    }

    /// Why it stands still, if it does.
    pub fn stopped(&self) -> Option<&StepError> {
        self.stopped.as_ref()
    }

    /// Let it go on.
    pub fn resume(&mut self) {
        self.stopped = None;
    }

    /// Draw the state as it is now, without a motion from where it was.
    pub fn jump(&mut self) {
        self.now = poses(&self.sim);
        self.before.clone_from(&self.now);
    }

    fn step(&mut self, length: f64) -> Result<(), StepError> {
        std::mem::swap(&mut self.before, &mut self.now);
        let taken = (0..self.parts).try_for_each(|_| self.sim.step(length / f64::from(self.parts)).map(|_| ()));
        self.now = poses(&self.sim);
        taken
    }

    /// Where a body is drawn, `part` of the way through the newest step.
    fn between(&self, body: BodyId, part: f64) -> Option<Pose> {
        let i = body.index()?;
        let (a, b) = (self.before.get(i)?, self.now.get(i)?);
        Some(Pose { at: a.at.lerp(b.at, part), turn: a.turn.slerp(b.turn, part) })
    }
}

/// Frames of all bodies, in their order.
fn poses(sim: &Simulation) -> Vec<Pose> {
    let turn = |body| sim.axes(body).map_or(Quat::IDENTITY, |axes| Quat::from_mat3(&axes));
    sim.model().bodies().map(|b| Pose { at: sim.point(b.origin()).0, turn: turn(b) }).collect()
}

fn step(
    time: Res<Time<Fixed>>,
    mut mechanisms: Query<(Entity, &mut Mechanism)>,
    mut stops: MessageWriter<MotionStopped>,
) {
    let length = time.timestep().as_secs_f64();
    for (entity, mut mechanism) in &mut mechanisms {
        if mechanism.stopped.is_some() {
            continue;
        }
        if let Err(error) = mechanism.step(length) {
            mechanism.stopped = Some(error.clone());
            mechanism.jump();
            stops.write(MotionStopped { mechanism: entity, error });
        }
    }
}

fn show(
    time: Res<Time<Fixed>>,
    mechanisms: Query<&Mechanism>,
    mut shown: Query<(&ShownBody, &ChildOf, &mut Transform)>,
) {
    let part = time.overstep_fraction_f64();
    for (body, parent, mut transform) in &mut shown {
        let Ok(mechanism) = mechanisms.get(parent.parent()) else { continue };
        if let Some(Pose { at, turn }) = mechanism.between(body.0, part) {
            transform.translation = at.as_vec3();
            transform.rotation = turn.as_quat();
        }
    }
}
