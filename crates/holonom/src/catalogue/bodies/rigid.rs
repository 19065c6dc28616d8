//! A rigid body.
//!
//! ```text
//! q = (x, e)   x: centre of mass, world (3);  e: unit quaternion (w, x, y, z), body axes to world (4)
//! v = (xdot, w)   both in world axes
//! M = diag(m 1, R I_b R^T),     force = (m g, - w × I_w w)
//! dq/dt = (xdot, 1/2 (0, w) e)
//! ```
//!
//! The quaternion is stored with its four numbers but moves with three, so M has full rank and no norm constraint is
//! needed. Points are given from the body's own origin; the centre of mass may lie elsewhere.
//!
//! Free flight for the variational integrator: straight line, and the free rotor split into turns about the three body
//! axes (symmetric, so of order 2; each turn is exact and keeps the angular momentum in world axes).

use super::{Body, Inertia, Momentum, frame_of, half_square};
use crate::catalogue::attach::{Attached, AttachmentKind, Frame, read3, write3};
use crate::catalogue::declaration::{Invalid, finite_vector, positive};
use crate::catalogue::mass::MassProperties;
use crate::error::refuse;
use crate::math::{Mat3, Quat, Vec3, exp_quat, log_quat, rotation, symmetric_eigen, vec3};

/// A rigid body with six degrees of freedom.
#[derive(Clone, Debug)]
pub struct Rigid {
    mass: f64,
    /// About the centre of mass, body axes, kg m^2.
    inertia: Mat3,
    diagonal: bool,
    centre: Vec3,
    position: Vec3,
    orientation: Quat,
    velocity: Vec3,
    spin: Vec3,
}

impl Rigid {
    /// Mass (kg) and inertia tensor about the centre of mass in body axes (kg m^2).
    pub fn new(mass: f64, inertia: Mat3) -> Self {
        let off = [inertia.x_axis.y, inertia.x_axis.z, inertia.y_axis.z];
        let off_t = [inertia.y_axis.x, inertia.z_axis.x, inertia.z_axis.y];
        Rigid {
            mass,
            inertia,
            diagonal: off == [0.0; 3] && off_t == [0.0; 3],
            centre: Vec3::ZERO,
            position: Vec3::ZERO,
            orientation: Quat::IDENTITY,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
        }
    }

    /// With principal moments of inertia along the body axes, kg m^2.
    pub fn principal(mass: f64, moments: impl Into<Vec3>) -> Self {
        Self::new(mass, Mat3::from_diagonal(moments.into()))
    }

    /// A uniform box with full side lengths `size`, origin at its centre.
    pub fn cuboid(mass: f64, size: impl Into<Vec3>) -> Self {
        let s = size.into();
        let (x, y, z) = (s.x * s.x, s.y * s.y, s.z * s.z);
        Self::principal(mass, vec3(y + z, x + z, x + y) * (mass / 12.0))
    }

    /// A uniform ball, origin at its centre.
    pub fn ball(mass: f64, radius: f64) -> Self {
        Self::principal(mass, Vec3::splat(0.4 * mass * radius * radius))
    }

    /// With these mass properties; points are given from their origin.
    pub fn from_properties(properties: &MassProperties) -> Self {
        Self::new(properties.mass(), properties.inertia()).centre(properties.centre())
    }

    /// A uniform solid cylinder with half balls on its ends, along z, origin at its centre; `length` is that of the
    /// cylinder alone.
    pub fn capsule(mass: f64, radius: f64, length: f64) -> Self {
        Self::from_properties(&MassProperties::capsule(1.0, radius, length).of_mass(mass))
    }

    /// A uniform solid cylinder along z, origin at its centre.
    pub fn cylinder(mass: f64, radius: f64, length: f64) -> Self {
        let across = mass * (3.0 * radius * radius + length * length) / 12.0;
        Self::principal(mass, vec3(across, across, 0.5 * mass * radius * radius))
    }

    /// Centre of mass, from the body's origin in body axes (m).
    pub fn centre(self, centre: impl Into<Vec3>) -> Self {
        Rigid { centre: centre.into(), ..self }
    }

    /// Start position of the body's origin, world (m).
    pub fn position(self, position: impl Into<Vec3>) -> Self {
        Rigid { position: position.into(), ..self }
    }

    /// Start orientation: body axes to world axes.
    pub fn orientation(self, orientation: Quat) -> Self {
        Rigid { orientation, ..self }
    }

    /// Start velocity of the body's origin, world axes (m/s).
    pub fn velocity(self, velocity: impl Into<Vec3>) -> Self {
        Rigid { velocity: velocity.into(), ..self }
    }

    /// Start angular velocity, world axes (rad/s).
    pub fn spin(self, spin: impl Into<Vec3>) -> Self {
        Rigid { spin: spin.into(), ..self }
    }

    /// Inertia tensor in world axes, one triangle: xx xy xz yy yz zz.
    #[inline(always)]
    fn world_inertia(&self, r: &Mat3) -> [f64; 6] {
        let (a, b, c) = (r.x_axis, r.y_axis, r.z_axis);
        // columns of R I_b
        let (ia, ib, ic) = if self.diagonal {
            (a * self.inertia.x_axis.x, b * self.inertia.y_axis.y, c * self.inertia.z_axis.z)
        } else {
            (*r * self.inertia.x_axis, *r * self.inertia.y_axis, *r * self.inertia.z_axis)
        };
        [
            ia.x * a.x + ib.x * b.x + ic.x * c.x,
            ia.x * a.y + ib.x * b.y + ic.x * c.y,
            ia.x * a.z + ib.x * b.z + ic.x * c.z,
            ia.y * a.y + ib.y * b.y + ic.y * c.y,
            ia.y * a.z + ib.y * b.z + ic.y * c.z,
            ia.z * a.z + ib.z * b.z + ic.z * c.z,
        ]
    }
}

#[inline(always)]
fn sym_mul(m: &[f64; 6], w: Vec3) -> Vec3 {
    vec3(
        m[0] * w.x + m[1] * w.y + m[2] * w.z,
        m[1] * w.x + m[3] * w.y + m[4] * w.z,
        m[2] * w.x + m[4] * w.y + m[5] * w.z,
    )
}

fn quat_of(q: &[f64]) -> Quat {
    Quat::from_xyzw(q[4], q[5], q[6], q[3])
}

fn write_quat(q: &mut [f64], e: Quat) {
    q[3] = e.w;
    q[4] = e.x;
    q[5] = e.y;
    q[6] = e.z;
}

impl Body for Rigid {
    fn kind(&self) -> &'static str {
        "rigid body"
    }
    fn keeps_shape(&self) -> bool {
        true
    }
    fn n_q(&self) -> usize {
        7
    }
    fn n_dof(&self) -> usize {
        6
    }
    fn mass(&self) -> f64 {
        self.mass
    }

    fn initial(&self, q: &mut [f64], v: &mut [f64]) {
        let e = self.orientation.normalize();
        let arm = rotation(e.w, e.x, e.y, e.z) * self.centre;
        write3(q, self.position + arm);
        write_quat(q, e);
        write3(v, self.velocity + self.spin.cross(arm));
        write3(&mut v[3..], self.spin);
    }

    fn validate(&self) -> Result<(), Invalid> {
        positive("mass", self.mass, "kg")?;
        for (name, value) in
            [("centre", self.centre), ("position", self.position), ("velocity", self.velocity), ("spin", self.spin)]
        {
            finite_vector(name, value)?;
        }
        let e = self.orientation;
        if !e.is_finite() || e.length() < 1e-6 {
            return refuse!("rotation", "orientation is {e}, must be a finite quaternion of length 1");
        }
        let i = &self.inertia;
        if !i.is_finite() {
            return Err("inertia has an entry that is not finite".into());
        }
        let size = i.x_axis.x.abs() + i.y_axis.y.abs() + i.z_axis.z.abs();
        let off = [("xy", i.y_axis.x, i.x_axis.y), ("xz", i.z_axis.x, i.x_axis.z), ("yz", i.z_axis.y, i.y_axis.z)];
        for (name, upper, lower) in off {
            if (upper - lower).abs() > 1e-9 * size {
                return refuse!(
                    "inertia",
                    "inertia is not symmetric: {name} is {upper} above and {lower} below the diagonal"
                );
            }
        }
        let [a, b, c] = principal_moments(i);
        if !(a > 0.0 && b > 0.0 && c > 0.0) {
            return refuse!(
                "inertia",
                "principal moments of inertia are {a:.6e}, {b:.6e}, {c:.6e} kg m^2, each must be greater than 0"
            );
        }
        let longest = a.max(b).max(c);
        if 2.0 * longest > (a + b + c) * (1.0 + 1e-9) {
            return refuse!(
                "inertia",
                "principal moments of inertia are {a:.6e}, {b:.6e}, {c:.6e} kg m^2: none may exceed the sum of the other two"
            );
        }
        Ok(())
    }

    fn can_carry(&self, _: &AttachmentKind) -> Result<(), &'static str> {
        Ok(())
    }
    fn carry(&self, q: &[f64], v: &[f64], what: &AttachmentKind) -> Attached {
        frame_of(self, q, v).carry(what)
    }
    fn pull(&self, q: &[f64], what: &AttachmentKind, g: Vec3, out: &mut [f64]) {
        frame_of(self, q, &[0.0; 6]).pull(what, g, out);
    }

    #[inline]
    fn place(&self, q: &[f64], v: &[f64], frame: &mut Frame) {
        let (q, v) = (&q[..7], &v[..6]);
        frame.x = read3(q);
        frame.r_wb = rotation(q[3], q[4], q[5], q[6]);
        frame.v = read3(v);
        frame.w = read3(&v[3..]);
        frame.origin = self.centre;
        frame.rigid = true;
    }

    fn central(&self) -> bool {
        true
    }

    #[inline]
    fn evaluate(&self, _: &[f64], _: &[f64], frame: &Frame, gravity: Vec3, out: Inertia<'_>) {
        let i = self.world_inertia(&frame.r_wb);
        let (mass, force) = (&mut out.mass[..7], &mut out.force[..6]);
        mass[0] = self.mass;
        mass[1..].copy_from_slice(&i);
        write3(force, self.mass * gravity);
        write3(&mut force[3..], -frame.w.cross(sym_mul(&i, frame.w)));
    }

    #[inline]
    fn evaluate_force(&self, _: &[f64], _: &[f64], frame: &Frame, gravity: Vec3, out: Inertia<'_>) {
        if let (&mut [_, xx, xy, xz, yy, yz, zz], force) = (out.mass, &mut out.force[..6]) {
            write3(force, self.mass * gravity);
            write3(&mut force[3..], -frame.w.cross(sym_mul(&[xx, xy, xz, yy, yz, zz], frame.w)));
        }
    }

    fn energies(&self, q: &[f64], v: &[f64], gravity: Vec3) -> Option<[f64; 3]> {
        let (q, v) = (&q[..7], &v[..6]);
        let [xx, xy, xz, yy, yz, zz] = self.world_inertia(&rotation(q[3], q[4], q[5], q[6]));
        let kinetic = half_square(true, &[self.mass, xx, xy, xz, yy, yz, zz], v);
        Some([kinetic, -self.mass * gravity.dot(read3(q)), 0.0])
    }

    /// Implicit midpoint rule for the spin, the pose held: I (w1 - w0) = - h m × I m with m = (w0 + w1)/2. Its power -
    /// m . (m × I m) is zero, so the energy stays what it was. Newton's method on m, shortened where it goes wrong;
    /// without an answer there is no torque, which keeps the energy as well.
    fn inertial_mean(&self, frame: &Frame, h: f64, force: &mut [f64]) {
        let i = self.world_inertia(&frame.r_wb);
        let w = frame.w;
        let columns = Mat3::from_cols(sym_mul(&i, Vec3::X), sym_mul(&i, Vec3::Y), sym_mul(&i, Vec3::Z));
        let torque = |m: Vec3| -m.cross(sym_mul(&i, m));
        let off = |m: Vec3| 2.0 * sym_mul(&i, m - w) - h * torque(m);
        let size = sym_mul(&i, w).length();
        let (mut m, mut left) = (w, off(w));
        for _ in 0..40 {
            if left.length() <= 1e-15 * size {
                break;
            }
            // d(m × I m) = [m]× I - [I m]×
            let slope = columns * 2.0 + (cross_matrix(m) * columns - cross_matrix(sym_mul(&i, m))) * h;
            let step = slope.inverse() * left;
            let mut part = 1.0;
            while part > 1e-3 && !(off(m - step * part).length() < left.length()) {
                part *= 0.5;
            }
            if part <= 1e-3 {
                break;
            }
            m -= step * part;
            left = off(m);
        }
        let mean = if left.length() <= 1e-9 * size { torque(m) } else { Vec3::ZERO };
        let others = read3(&force[3..]) - torque(w);
        write3(&mut force[3..], others + mean);
    }

    fn q_rate(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        out[..3].copy_from_slice(&v[..3]);
        // 1/2 (0, w) e with w in world axes
        let (w, e, x) = (read3(&v[3..]) * 0.5, q[3], read3(&q[4..]));
        out[3] = -w.dot(x);
        write3(&mut out[4..], w * e + w.cross(x));
    }

    fn advance(&self, q: &mut [f64], v: &[f64], dt: f64) {
        for i in 0..3 {
            q[i] += dt * v[i];
        }
        write_quat(q, (exp_quat(read3(&v[3..]) * dt) * quat_of(q)).normalize());
    }

    fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        for i in 0..3 {
            out[i] = to[i] - from[i];
        }
        write3(&mut out[3..], log_quat(quat_of(to).normalize() * quat_of(from).normalize().conjugate()));
    }

    fn normalise(&self, q: &mut [f64]) {
        write_quat(q, quat_of(q).normalize());
    }

    fn turn_with(&self, from: &[f64], to: &[f64], v: &mut [f64]) {
        let turn = quat_of(to).normalize() * quat_of(from).normalize().conjugate();
        let w = turn * read3(&v[3..]);
        write3(&mut v[3..], w);
    }

    fn free_flight(&self, q: &mut [f64], v: &mut [f64], dt: f64) {
        for i in 0..3 {
            q[i] += dt * v[i];
        }
        let e = quat_of(q);
        let r = rotation(e.w, e.x, e.y, e.z);
        // angular momentum, world: constant over the flight
        let momentum = sym_mul(&self.world_inertia(&r), read3(&v[3..]));
        // Principal axes of the body: a turn about one of them at the rate L_k / I_k is an exact motion of that part of
        // the energy
        let (axes, moments) = self.principal_axes();
        let mut e = e;
        for (k, part) in [(0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)] {
            let axis_w = rotation(e.w, e.x, e.y, e.z) * axes.col(k);
            let rate = axis_w.dot(momentum) / moments[k];
            e = exp_quat(axis_w * (rate * part * dt)) * e;
        }
        let e = e.normalize();
        write_quat(q, e);
        let r = rotation(e.w, e.x, e.y, e.z) * axes;
        let local = r.transpose() * momentum;
        write3(&mut v[3..], r * vec3(local.x / moments[0], local.y / moments[1], local.z / moments[2]));
    }

    fn orientation(&self, q: &[f64]) -> Option<Quat> {
        Some(quat_of(q))
    }
    fn centre(&self, q: &[f64]) -> Vec3 {
        read3(q)
    }

    fn momentum(&self, q: &[f64], v: &[f64]) -> Momentum {
        let linear = self.mass * read3(v);
        let r = rotation(q[3], q[4], q[5], q[6]);
        let spin = sym_mul(&self.world_inertia(&r), read3(&v[3..]));
        Momentum { linear, angular: read3(q).cross(linear) + spin }
    }
}

/// [a]×: the matrix of `a ×`.
fn cross_matrix(a: Vec3) -> Mat3 {
    Mat3::from_cols(vec3(0.0, a.z, -a.y), vec3(-a.z, 0.0, a.x), vec3(a.y, -a.x, 0.0))
}

impl Rigid {
    /// Principal axes (columns, body axes) and moments.
    fn principal_axes(&self) -> (Mat3, [f64; 3]) {
        if self.diagonal {
            let i = &self.inertia;
            return (Mat3::IDENTITY, [i.x_axis.x, i.y_axis.y, i.z_axis.z]);
        }
        symmetric_eigen(&self.inertia)
    }
}

fn principal_moments(i: &Mat3) -> [f64; 3] {
    symmetric_eigen(i).1
}
