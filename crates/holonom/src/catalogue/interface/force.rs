//! Force laws: pushes on attachments.

use super::{Attachment, Bodies, Coordinate, View};
use crate::error::Invalid;
use crate::math::Vec3;
use holonom_tree::packed;

/// A force law. It may depend on positions, velocities and time.
pub trait Force: Send + Sync {
    /// Name of the kind, for messages.
    fn kind(&self) -> &'static str;
    /// What it acts on, the same at every call.
    fn attachments(&self) -> &[Attachment];
    /// Are the parameters usable?
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
    /// Push. Called once per evaluation of the equations of motion.
    fn apply(&self, a: &View, t: f64, push: &mut Push);
    /// Energy stored (J), for laws that store any.
    fn energy(&self, _a: &View, _t: f64) -> f64 {
        0.0
    }
    /// Coordinates of joints that it uses.
    fn reads(&self) -> &[Coordinate] {
        &[]
    }
    /// Number of stiff directions, the same at every call: what an implicit integrator must know to take long steps.
    fn n_stiff(&self) -> usize {
        0
    }
    /// The stiff directions at this state; called only when `n_stiff` is not 0. Everything arrives as zero.
    fn stiffness(&self, _a: &View, _t: f64, _out: &mut Stiffness) {}
}

/// How a force law answers small displacements: along each direction
/// `s_i = sum_k g_ik . (displacement of attachment k)` it pushes back with `- sum_j (k_ij s_j + c_ij sdot_j)`. It need
/// not be exact: the better it is, the fewer iterations an implicit step takes; the solution does not depend on it. `k`
/// and `c` must be symmetric and positive semidefinite.
pub struct Stiffness<'w> {
    /// `n_stiff x attachments`.
    pub(crate) gradients: &'w mut [Vec3],
    /// Packed upper triangles (see `holonom_tree::packed`).
    pub(crate) stiffness: &'w mut [f64],
    pub(crate) damping: &'w mut [f64],
    pub(crate) n_stiff: usize,
    pub(crate) n_attachments: usize,
}

impl Stiffness<'_> {
    /// ds_i/d(attachment k); adds up.
    pub fn gradient(&mut self, i: usize, k: usize, g: Vec3) {
        self.gradients[i * self.n_attachments + k] += g;
    }

    /// Stiffness (N/m, N m/rad) and damping (N s/m, N m s/rad) between directions `i <= j`.
    pub fn set(&mut self, i: usize, j: usize, stiffness: f64, damping: f64) {
        let at = packed::at(self.n_stiff, i, j);
        (self.stiffness[at], self.damping[at]) = (stiffness, damping);
    }
}

/// Takes the pushes of one force and adds them to the equations of motion.
pub struct Push<'w> {
    pub(crate) bodies: &'w Bodies<'w>,
    pub(crate) attachments: &'w [Attachment],
    pub(crate) force: &'w mut [f64],
    pub(crate) power: f64,
    /// What was pushed, attachment by attachment, for those who ask; empty otherwise.
    pub(crate) noted: &'w mut [Vec3],
}

impl Push<'_> {
    /// A force (N) on a point, or a torque (N m) on a spin; world axes.
    pub fn on(&mut self, k: usize, f: Vec3) {
        let a = &self.attachments[k];
        if let Some(noted) = self.noted.get_mut(k) {
            *noted += f;
        }
        if let Some(i) = a.body.index() {
            let range = self.bodies.v_start[i] as usize..self.bodies.v_start[i + 1] as usize;
            // whoever only notes what is pushed has no equations to add it to
            if let Some(force) = self.force.get_mut(range) {
                self.bodies.pull(a, f, force);
            }
            self.power += f.dot(self.bodies.carry(a).rate);
        }
    }
}
