//! Applied forces: pushes on attachments. Gravity is a property of the model and acts through each body.

mod point;
mod spring;
mod torsion;
mod user;

pub use point::{PointForce, Torque};
pub use spring::Spring;
pub use torsion::TorsionSpring;
pub use user::UserForce;

use crate::attach::{Attachment, Bodies, View};
use crate::math::Vec3;

/// A force law. It may depend on positions, velocities and time.
pub trait Force: Send + Sync {
    /// Name of the kind, for messages.
    fn kind(&self) -> &'static str;
    /// What it acts on, the same at every call.
    fn attachments(&self) -> &[Attachment];
    /// Are the parameters usable?
    fn validate(&self) -> Result<(), String> {
        Ok(())
    }
    /// Push. Called once per evaluation of the equations of motion.
    fn apply(&self, a: &View, t: f64, push: &mut Push);
    /// Energy stored (J), for laws that store any.
    fn energy(&self, _a: &View, _t: f64) -> f64 {
        0.0
    }
}

/// Takes the pushes of one force and adds them to the equations of motion.
pub struct Push<'w> {
    pub(crate) bodies: &'w Bodies<'w>,
    pub(crate) attachments: &'w [Attachment],
    pub(crate) force: &'w mut [f64],
    pub(crate) power: f64,
}

impl Push<'_> {
    /// A force (N) on a point, or a torque (N m) on a spin; world axes.
    pub fn on(&mut self, k: usize, f: Vec3) {
        let a = &self.attachments[k];
        if let Some(i) = a.body.index() {
            let range = self.bodies.v_start[i] as usize..self.bodies.v_start[i + 1] as usize;
            self.bodies.pull(a, f, &mut self.force[range]);
            self.power += f.dot(self.bodies.carry(a).rate);
        }
    }
}
