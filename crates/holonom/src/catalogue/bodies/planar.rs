//! A rigid body that moves in a fixed plane.
//!
//! The plane has an origin o and axes P = (u, w, n), n normal to it.
//!
//! ```text
//! q = (x, y, a)   centre of mass in the plane (m), angle about n (rad, counts turns)
//! v = qdot,   M = diag(m, m, I)
//! point p (from the centre of mass, third component off the plane):   at = o + P (x, y, 0) + r,   r = P Rz(a) p
//! rate = u xdot + w ydot + adot n × r,     jdot_v = adot^2 n × (n × r)
//! ```
//!
//! Constraints push only within the plane: what acts along n or about u and w is held by the plane itself.

use super::{Body, Inertia, Momentum};
use crate::catalogue::attach::{Attached, AttachmentKind, Frame};
use crate::catalogue::declaration::{Invalid, finite_vector, positive};
use crate::catalogue::mass::MassProperties;
use crate::math::{Mat3, Vec3, vec3};

/// A rigid body with three degrees of freedom in a plane, by default the world's x-y plane.
#[derive(Clone, Debug)]
pub struct Planar {
    mass: f64,
    inertia: f64,
    centre: Vec3,
    plane_origin: Vec3,
    plane: Mat3,
    position: [f64; 2],
    angle: f64,
    velocity: [f64; 2],
    spin: f64,
}

impl Planar {
    /// Mass (kg) and moment of inertia about the centre of mass (kg m^2).
    pub fn new(mass: f64, inertia: f64) -> Self {
        Planar {
            mass,
            inertia,
            centre: Vec3::ZERO,
            plane_origin: Vec3::ZERO,
            plane: Mat3::IDENTITY,
            position: [0.0; 2],
            angle: 0.0,
            velocity: [0.0; 2],
            spin: 0.0,
        }
    }

    /// With the mass properties of a solid seen along its z axis: its moment of inertia about z, and its centre of mass
    /// across z.
    pub fn from_properties(properties: &MassProperties) -> Self {
        let c = properties.centre();
        Self::new(properties.mass(), properties.inertia().z_axis.z).centre(c.x, c.y)
    }

    /// A thin uniform rod along x, origin at its centre.
    pub fn rod(mass: f64, length: f64) -> Self {
        Self::new(mass, mass * length * length / 12.0)
    }

    /// The plane, by its origin and two directions in it (made orthonormal, `u` first).
    pub fn plane(self, origin: impl Into<Vec3>, u: impl Into<Vec3>, w: impl Into<Vec3>) -> Self {
        let u = u.into().normalize();
        let n = u.cross(w.into()).normalize();
        Planar { plane_origin: origin.into(), plane: Mat3::from_cols(u, n.cross(u), n), ..self }
    }

    /// Centre of mass, from the body's origin (m).
    pub fn centre(self, x: f64, y: f64) -> Self {
        Planar { centre: vec3(x, y, 0.0), ..self }
    }

    /// Start position of the body's origin in the plane (m) and angle (rad).
    pub fn pose(self, x: f64, y: f64, angle: f64) -> Self {
        Planar { position: [x, y], angle, ..self }
    }

    /// Start velocity of the body's origin in the plane (m/s) and angular velocity (rad/s).
    pub fn velocity(self, x: f64, y: f64, spin: f64) -> Self {
        Planar { velocity: [x, y], spin, ..self }
    }

    /// The lever arm of what is carried, world axes, and whether it is a point; `turn` has cosine and sine of the
    /// angle.
    #[inline(always)]
    fn arm(&self, (c, s): (f64, f64), what: &AttachmentKind) -> (Vec3, f64) {
        let turn = |p: Vec3| self.plane * vec3(c * p.x - s * p.y, s * p.x + c * p.y, p.z);
        match what {
            AttachmentKind::Point(p) => (turn(*p - self.centre), 1.0),
            AttachmentKind::Direction(d) => (turn(*d), 0.0),
            AttachmentKind::Spin => (Vec3::ZERO, 0.0),
        }
    }

    fn carry_turned(&self, turn: (f64, f64), q: &[f64], v: &[f64], what: &AttachmentKind) -> Attached {
        let n = self.plane.z_axis;
        let (r, point) = self.arm(turn, what);
        if matches!(what, AttachmentKind::Spin) {
            return Attached { at: Vec3::ZERO, rate: n * v[2], jdot_v: Vec3::ZERO };
        }
        let turn = n.cross(r) * v[2];
        Attached {
            at: (self.plane_origin + self.plane * vec3(q[0], q[1], 0.0)) * point + r,
            rate: self.plane * vec3(v[0], v[1], 0.0) * point + turn,
            jdot_v: n.cross(turn) * v[2],
        }
    }

    #[inline(always)]
    fn pull_by(&self, r: Vec3, what: &AttachmentKind, g: Vec3, out: &mut [f64]) {
        let point = if matches!(what, AttachmentKind::Point(_)) { 1.0 } else { 0.0 };
        let torque = if matches!(what, AttachmentKind::Spin) { g } else { r.cross(g) };
        out[0] += point * self.plane.x_axis.dot(g);
        out[1] += point * self.plane.y_axis.dot(g);
        out[2] += self.plane.z_axis.dot(torque);
    }
}

impl Body for Planar {
    fn kind(&self) -> &'static str {
        "planar body"
    }
    fn keeps_shape(&self) -> bool {
        true
    }
    fn n_dof(&self) -> usize {
        3
    }
    fn mass(&self) -> f64 {
        self.mass
    }
    fn n_lengths(&self) -> usize {
        2
    }
    fn initial(&self, q: &mut [f64], v: &mut [f64]) {
        let (s, c) = libm::sincos(self.angle);
        let arm = [c * self.centre.x - s * self.centre.y, s * self.centre.x + c * self.centre.y];
        q.copy_from_slice(&[self.position[0] + arm[0], self.position[1] + arm[1], self.angle]);
        v.copy_from_slice(&[self.velocity[0] - self.spin * arm[1], self.velocity[1] + self.spin * arm[0], self.spin]);
    }
    fn angle(&self, q: &[f64]) -> Option<f64> {
        Some(q[2])
    }
    fn validate(&self) -> Result<(), Invalid> {
        positive("mass", self.mass, "kg")?;
        positive("moment of inertia", self.inertia, "kg m^2")?;
        finite_vector("centre", self.centre)?;
        finite_vector("origin of the plane", self.plane_origin)?;
        if !self.plane.is_finite() {
            return Err("the plane needs two directions that are finite and not parallel".into());
        }
        finite_vector("pose", vec3(self.position[0], self.position[1], self.angle))?;
        finite_vector("velocity", vec3(self.velocity[0], self.velocity[1], self.spin))
    }
    fn can_carry(&self, _: &AttachmentKind) -> Result<(), &'static str> {
        Ok(())
    }
    fn carry(&self, q: &[f64], v: &[f64], what: &AttachmentKind) -> Attached {
        let (s, c) = libm::sincos(q[2]);
        self.carry_turned((c, s), q, v, what)
    }
    fn pull(&self, q: &[f64], what: &AttachmentKind, g: Vec3, out: &mut [f64]) {
        let (s, c) = libm::sincos(q[2]);
        self.pull_by(self.arm((c, s), what).0, what, g, out);
    }
    fn place(&self, q: &[f64], v: &[f64], frame: &mut Frame) {
        let (s, c) = libm::sincos(q[2]);
        let Mat3 { x_axis: u, y_axis: w, z_axis: n } = self.plane;
        frame.x = self.plane_origin + (u * q[0] + w * q[1]);
        frame.r_wb = Mat3::from_cols(u * c + w * s, w * c - u * s, n);
        frame.v = u * v[0] + w * v[1];
        frame.w = n * v[2];
        frame.origin = self.centre;
        frame.flat = true;
    }
    fn plane(&self) -> Option<&Mat3> {
        Some(&self.plane)
    }
    fn carry_placed(&self, frame: &Frame, _: &[f64], _: &[f64], what: &AttachmentKind) -> Attached {
        frame.carry(what)
    }
    fn pull_placed(&self, frame: &Frame, _: &[f64], what: &AttachmentKind, g: Vec3, out: &mut [f64]) {
        self.pull_by(frame.lever(what), what, g, out);
    }
    fn evaluate(&self, _: &[f64], _: &[f64], _: &Frame, gravity: Vec3, out: Inertia<'_>) {
        out.mass.copy_from_slice(&[self.mass, 0.0, 0.0, self.mass, 0.0, self.inertia]);
        let g = self.plane.transpose() * gravity;
        out.force.copy_from_slice(&[self.mass * g.x, self.mass * g.y, 0.0]);
    }
    fn turned(&self, turn: Vec3, x: &[f64], out: &mut [f64]) {
        let rate = self.plane.z_axis.dot(turn);
        out.copy_from_slice(&[-rate * x[1], rate * x[0], 0.0]);
    }
    fn felt(&self, force: Vec3, torque: Vec3) -> (Vec3, Vec3) {
        let n = self.plane.z_axis;
        (force - n * n.dot(force), n * n.dot(torque))
    }
    fn centre(&self, q: &[f64]) -> Vec3 {
        self.plane_origin + self.plane * vec3(q[0], q[1], 0.0)
    }
    fn momentum(&self, q: &[f64], v: &[f64]) -> Momentum {
        let linear = self.plane * vec3(v[0], v[1], 0.0) * self.mass;
        let spin = self.plane.z_axis * (self.inertia * v[2]);
        Momentum { linear, angular: Body::centre(self, q).cross(linear) + spin }
    }
}
