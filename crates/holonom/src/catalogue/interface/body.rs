//! Bodies: what has coordinates, mass, and carries points.

use super::{Attached, AttachmentKind, Frame};
use crate::error::Invalid;
use crate::math::{Mat3, Quat, Vec3};

/// Linear momentum (kg m/s) and angular momentum about the world origin (kg m^2/s).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Momentum {
    /// Sum of m v.
    pub linear: Vec3,
    /// Sum of x × m v, plus spin.
    pub angular: Vec3,
}

/// What [`Body::evaluate`] fills in.
pub struct Inertia<'w> {
    /// Packed upper triangle of the mass block (see `holonom_tree::packed`); for a [central](Body::central) body seven
    /// numbers, its mass and the packed inertia tensor. It arrives as this body left it, at first zero: entries that
    /// are always zero need not be written.
    pub mass: &'w mut [f64],
    /// Gravity, velocity-dependent inertial forces (Coriolis, gyroscopic), and forces inside the body; overwritten.
    pub force: &'w mut [f64],
}

/// A kind of body. What it must say are the first ten methods; everything else has a default. Velocity coordinates `v`
/// need not be the derivative of `q`: a rigid body has a quaternion in `q` and an angular velocity in `v`.
///
/// Equation of motion of a free body: `M(q) vdot = force`, where `force` holds gravity, everything quadratic in `v`,
/// and what the body's own elasticity and inner friction do.
pub trait Body: Send + Sync {
    /// Name of the kind, for messages.
    fn kind(&self) -> &'static str;
    /// Number of velocity coordinates.
    fn n_dof(&self) -> usize;
    /// Mass, kg.
    fn mass(&self) -> f64;
    /// Start values.
    fn initial(&self, q: &mut [f64], v: &mut [f64]);
    /// Can it carry this? `Err` says why not.
    fn can_carry(&self, what: &AttachmentKind) -> Result<(), &'static str>;
    /// Where is it, how fast, and what part of its acceleration is there already? World axes.
    fn carry(&self, q: &[f64], v: &[f64], what: &AttachmentKind) -> Attached;
    /// `out += J^T g` where `rate = J v`: the generalised force of a push `g` on it.
    fn pull(&self, q: &[f64], what: &AttachmentKind, g: Vec3, out: &mut [f64]);
    /// Mass block and inertial forces at `(q, v)`; `frame` is what [`Body::place`] filled in.
    fn evaluate(&self, q: &[f64], v: &[f64], frame: &Frame, gravity: Vec3, out: Inertia<'_>);
    /// Centre of mass, world (m).
    fn centre(&self, q: &[f64]) -> Vec3;
    /// Momentum.
    fn momentum(&self, q: &[f64], v: &[f64]) -> Momentum;

    /// The forces of [`Body::evaluate`] alone, where the mass block is that of this pose already. By default all is
    /// evaluated again.
    fn evaluate_force(&self, q: &[f64], v: &[f64], frame: &Frame, gravity: Vec3, out: Inertia<'_>) {
        self.evaluate(q, v, frame, gravity, out);
    }

    // ---- parameters and coordinates --------------------------------------------------------------------------

    /// Are the parameters usable? `Err` says which is not, its value, and what is allowed.
    fn validate(&self) -> Result<(), Invalid> {
        Ok(())
    }
    /// Number of position coordinates. By default as many as velocity coordinates.
    fn n_q(&self) -> usize {
        self.n_dof()
    }
    /// How many of the first coordinates, of `q` and of `v` alike, are lengths and speeds; the others are pure numbers
    /// and rates. Error control measures lengths against the size of the mechanism.
    fn n_lengths(&self) -> usize {
        self.n_dof().min(3)
    }
    /// dq/dt. Runge-Kutta stages combine these linearly. By default `v` itself.
    fn q_rate(&self, _q: &[f64], v: &[f64], out: &mut [f64]) {
        out.copy_from_slice(v);
    }
    /// Move by `v dt` along the configuration space, exactly on it. By default `v dt` is added to `q`.
    fn advance(&self, q: &mut [f64], v: &[f64], dt: f64) {
        for (q, v) in q.iter_mut().zip(v) {
            *q += dt * v;
        }
    }
    /// The `v` that [`Body::advance`] takes from one pose to another in a time of 1; the nearest one where there are
    /// several. The default suits bodies whose `advance` adds `v dt` to `q`.
    fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        for ((out, from), to) in out.iter_mut().zip(from).zip(to) {
            *out = to - from;
        }
    }
    /// Put a `q` that left its manifold by a little back on it (a quaternion to unit length).
    fn normalise(&self, _q: &mut [f64]) {}
    /// The rate of velocity coordinates that are constant as seen from axes which turn with `turn` (rad/s, world axes):
    /// `turn × x` for every vector among them. The default takes them three by three as vectors in world axes; scalars
    /// do not turn.
    fn turned(&self, turn: Vec3, x: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for (out, x) in out.chunks_exact_mut(3).zip(x.chunks_exact(3)) {
            out.copy_from_slice(&turn.cross(Vec3::from_slice(x)).to_array());
        }
    }

    /// The part of the size it was made with that is left along the direction in which it has shrunk most. A body
    /// shrunk to nothing has no motion that could be computed, and one that comes near it loses the digits of its own.
    fn size_left(&self, _q: &[f64]) -> f64 {
        1.0
    }

    // ---- rigid bodies ----------------------------------------------------------------------------------------

    /// The lock-row door: a body with `v = (velocity of a reference point, angular velocity)`, both in world axes,
    /// fills in its frame here. It is then asked for `carry` and `pull` through the frame only. Others leave it alone.
    fn place(&self, _q: &[f64], _v: &[f64], _frame: &mut Frame) {}
    /// For rigid bodies that move in a plane: its axes, world, the third across it. Velocity coordinates are then the
    /// velocity of the reference point along the first two and the angular velocity about the third, and
    /// [`Body::place`] fills in a frame that is `flat`.
    fn plane(&self) -> Option<&Mat3> {
        None
    }
    /// Is it a point mass: `q` the place of the one point it carries, `v` its velocity, both in world axes?
    fn is_point(&self) -> bool {
        false
    }
    /// For rigid bodies: is the reference point the centre of mass? The mass block is then `[m 1, 0; 0, I]` and is
    /// given by seven numbers.
    fn central(&self) -> bool {
        false
    }
    /// Does it keep its shape, so that rigid shapes may be fixed to it? The directions it carries are then a rotation
    /// of those given, or it carries no directions and does not turn.
    fn keeps_shape(&self) -> bool {
        false
    }
    /// The orientation it keeps as a quaternion, body axes to world axes; `None` for a body that keeps none.
    fn orientation(&self, _q: &[f64]) -> Option<Quat> {
        None
    }
    /// The angle by which a body that moves in a plane is turned about the plane's normal, turns counted (rad); `None`
    /// for others.
    fn angle(&self, _q: &[f64]) -> Option<f64> {
        None
    }
    /// The part of a force and a torque (world axes) that can move this body; the rest is taken by whatever guides it.
    fn felt(&self, force: Vec3, torque: Vec3) -> (Vec3, Vec3) {
        (force, torque)
    }

    // ---- bodies that keep something costly in their frame ----------------------------------------------------

    /// [`Body::carry`] where `frame` is what [`Body::place`] filled in: a body that is not rigid may keep there what is
    /// costly to find again.
    fn carry_placed(&self, _frame: &Frame, q: &[f64], v: &[f64], what: &AttachmentKind) -> Attached {
        self.carry(q, v, what)
    }
    /// [`Body::pull`] in the same way.
    fn pull_placed(&self, _frame: &Frame, q: &[f64], what: &AttachmentKind, g: Vec3, out: &mut [f64]) {
        self.pull(q, what, g, out);
    }

    // ---- energies and forces inside --------------------------------------------------------------------------

    /// Potential energy in the field of gravity (J).
    fn potential(&self, q: &[f64], gravity: Vec3) -> f64 {
        -self.mass() * gravity.dot(self.centre(q))
    }
    /// Energy that the body stores inside (J): what its elastic forces in [`Body::evaluate`] are the slope of.
    fn stored(&self, _q: &[f64]) -> f64 {
        0.0
    }
    /// Kinetic energy, and those of [`Body::potential`] and [`Body::stored`] (J), for a body that finds them with less
    /// than all that [`Body::evaluate`] does; `None` for others.
    fn energies(&self, _q: &[f64], _v: &[f64], _gravity: Vec3) -> Option<[f64; 3]> {
        None
    }
    /// Power that the body loses inside (W), not negative; `None` for a body that never loses any. The ledger keeps
    /// count of it.
    fn dissipation(&self, _q: &[f64], _v: &[f64]) -> Option<f64> {
        None
    }
    /// Add the stiffness inside the body to its mass block: `mass += per_position K + per_velocity D`, where
    /// `K = -d(force)/dq` and `D = -d(force)/dv` of [`Body::evaluate`], as far as they are symmetric and positive
    /// semidefinite. Implicit integrators ask; nothing else depends on it. For [central](Body::central) bodies it is
    /// never called.
    fn stiffen(&self, _q: &[f64], _v: &[f64], _per_position: f64, _per_velocity: f64, _mass: &mut [f64]) {}

    // ---- integrators -----------------------------------------------------------------------------------------

    /// Replace the forces of [`Body::evaluate`] that depend on velocity, in `force`, by their mean over a step of `h`
    /// seconds without other forces, so that the body on its own neither gains energy in the step nor loses any. The
    /// default leaves them as they are, which suits bodies without such forces.
    fn inertial_mean(&self, _frame: &Frame, _h: f64, _force: &mut [f64]) {}
    /// A correction of positions has taken the body from one place to another. Velocities that belong to its
    /// orientation turn with it, so that its kinetic energy stays what it was. The default suits bodies whose mass
    /// block is constant.
    fn turn_with(&self, _from: &[f64], _to: &[f64], _v: &mut [f64]) {}
    /// Motion without forces for a time `dt`, as a symmetric map that keeps momentum; `v` changes where inertia turns
    /// with the body. The variational integrator is built on it. The default suits bodies whose mass block is constant.
    fn free_flight(&self, q: &mut [f64], v: &mut [f64], dt: f64) {
        self.advance(q, v, dt);
    }
    /// Does `free_flight` account for all forces of `evaluate` that depend on velocity? Where it does not, a body flies
    /// straight on along `q`.
    fn inertial_in_flight(&self) -> bool {
        true
    }
}

/// A body's frame at a state; `Frame::NONE` for bodies that are not rigid.
pub(crate) fn frame_of(body: &dyn Body, q: &[f64], v: &[f64]) -> Frame {
    let mut frame = Frame::NONE;
    body.place(q, v, &mut frame);
    frame
}
