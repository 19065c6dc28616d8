//! A rigid body with a size: it moves, turns, and grows or shrinks, in all directions alike or along each body axis
//! apart.
//!
//! ```text
//! x = c + R S X,     S = s 1 (uniform) or diag(s_1, s_2, s_3) (per axis), along the body axes;     X from the centre of mass
//! q = (c, e, s)      c: centre of mass, world (3); e: unit quaternion (w, x, y, z), body axes to world (4); s: scales (1 or 3)
//! v = (cdot, w, sdot)      w: angular velocity, world axes;   W = R^T w in body axes
//! ```
//!
//! Derivatives of a point, with r = R S X and u = R Sdot X:
//!
//! ```text
//! rate = cdot + w × r + u,      jdot_v = w × (w × r) + 2 w × u,      J = (1, -[r], R E_a X),      E_a = dS/ds_a
//! ```
//!
//! Directions turn and do not stretch, so markers stay orthonormal and joints keep their meaning. With the second
//! moments P = integral X X^T dm, u_j = S P e_j, g_j = Sdot P e_j, N = S P Sdot, and everything in body axes, M =
//! integral J^T J dm and force = - integral J^T jdot_v dm are
//!
//! ```text
//! I = (tr Q) 1 - Q,   Q = S P S                   block of w
//! B_j = u_j × e_j                                 between w and sdot_j; zero for principal axes
//! D_j = P_jj                                      block of sdot_j
//! torque  = - W × I W - 2 ((tr N) W - N^T W)
//! force_j = |W|^2 s_j P_jj - W_j (W . u_j) - 2 e_j . (W × g_j)
//! ```
//!
//! For a uniform scale the three columns, entries and forces add up to one (the columns B_j to zero): I = s^2 I_0, D =
//! tr P, torque =
//! - W × I W - 2 s sdot I_0 W, force = s W . I_0 W.
//!
//! A spring towards the scale r and a damper work on the logarithm of each scale, so that half and double the size cost
//! alike:
//!
//! ```text
//! U = k/2 ln(s/r)^2,     force = - (k ln(s/r) + d sdot/s) / s,     power lost = d (sdot/s)^2;     k in J, d in J s
//! ```
//!
//! **Scales stay positive.** `advance` multiplies them (s exp(sdot dt / s)), so no correction of a pose reaches zero. A
//! motion may: a body that shrinks without spring and without spin arrives at s = 0 in finite time. There its equations
//! end. With a spring it may come as near as it likes, turn round and grow again, and by then its orientation has lost
//! as many digits as its size. So a step that ends with a scale below 1e-6 of the start is refused with
//! [`StepError::NotFinite`](crate::StepError::NotFinite), its name in it (implicit integrators say that they did not
//! converge).
//!
//! Free flight for the variational integrator is the implicit midpoint rule at constant angular momentum L: symmetric,
//! of order 2. With p = D sdot + B^T W and f_j = dT/ds_j at constant W and sdot, all at the middle (e_m = exp(h/2 w) e,
//! s_m = s + h/2 sdot, p_m = p + h/2 f):
//!
//! ```text
//! (W, sdot) = M(s_m)^-1 (R_m^T L, p_m),     f_j = |W|^2 s_j P_jj - W_j (W . u_j) + g_j . (W × e_j)
//! ```
//!
//! A body with a damper flies straight on instead, and its inertial forces act in the kicks.

use super::{Body, Inertia, Momentum};
use crate::catalogue::attach::{Attached, AttachmentKind, Frame, read3, write3};
use crate::catalogue::declaration::{Invalid, finite_vector, positive};
use crate::catalogue::mass::MassProperties;
use crate::error::refuse;
use crate::math::{Mat3, Quat, Vec3, exp_quat, log_quat, rotation, vec3};
use holonom_tree::packed;

/// A rigid body that can change its size: seven degrees of freedom, or nine with a scale for each body axis.
#[derive(Clone, Debug)]
pub struct Scaled {
    per_axis: bool,
    mass: f64,
    second: Mat3,
    centre: Vec3,
    position: Vec3,
    orientation: Quat,
    scales: Vec3,
    velocity: Vec3,
    spin: Vec3,
    scale_rates: Vec3,
    /// k (J) and r of the spring, d (J s) of the damper.
    stiffness: f64,
    rest: f64,
    damping: f64,
}

impl Scaled {
    /// One scale for all directions. Mass (kg) and second moments of mass about the centre of mass at scale 1,
    /// `integral X X^T dm`, in body axes (kg m^2).
    pub fn uniform(mass: f64, second_moments: Mat3) -> Self {
        Scaled {
            per_axis: false,
            mass,
            second: second_moments,
            centre: Vec3::ZERO,
            position: Vec3::ZERO,
            orientation: Quat::IDENTITY,
            scales: Vec3::ONE,
            velocity: Vec3::ZERO,
            spin: Vec3::ZERO,
            scale_rates: Vec3::ZERO,
            stiffness: 0.0,
            rest: 1.0,
            damping: 0.0,
        }
    }

    /// A scale for each body axis. Parameters as in [`Scaled::uniform`].
    pub fn per_axis(mass: f64, second_moments: Mat3) -> Self {
        Scaled { per_axis: true, ..Self::uniform(mass, second_moments) }
    }

    /// One scale, with these mass properties at scale 1; points are given from their origin.
    pub fn uniform_from(properties: &MassProperties) -> Self {
        Self::uniform(properties.mass(), properties.second_moments()).centre(properties.centre())
    }

    /// A scale for each axis, with these mass properties at scale 1; points are given from their origin.
    pub fn per_axis_from(properties: &MassProperties) -> Self {
        Self::per_axis(properties.mass(), properties.second_moments()).centre(properties.centre())
    }

    /// Centre of mass, from the body's origin in body axes, at scale 1 (m).
    pub fn centre(self, centre: impl Into<Vec3>) -> Self {
        Scaled { centre: centre.into(), ..self }
    }

    /// Start position of the body's origin, world (m).
    pub fn position(self, position: impl Into<Vec3>) -> Self {
        Scaled { position: position.into(), ..self }
    }

    /// Start orientation: body axes to world axes.
    pub fn orientation(self, orientation: Quat) -> Self {
        Scaled { orientation, ..self }
    }

    /// Start scale, the same along all axes.
    pub fn scale(self, scale: f64) -> Self {
        Scaled { scales: Vec3::splat(scale), ..self }
    }

    /// Start scale along each body axis.
    pub fn scales(self, scales: impl Into<Vec3>) -> Self {
        Scaled { scales: scales.into(), ..self }
    }

    /// Start velocity of the body's origin, world axes (m/s).
    pub fn velocity(self, velocity: impl Into<Vec3>) -> Self {
        Scaled { velocity: velocity.into(), ..self }
    }

    /// Start angular velocity, world axes (rad/s).
    pub fn spin(self, spin: impl Into<Vec3>) -> Self {
        Scaled { spin: spin.into(), ..self }
    }

    /// Start rate of the scale, the same along all axes (1/s).
    pub fn scale_rate(self, rate: f64) -> Self {
        Scaled { scale_rates: Vec3::splat(rate), ..self }
    }

    /// Start rate of the scale along each body axis (1/s).
    pub fn scale_rates(self, rates: impl Into<Vec3>) -> Self {
        Scaled { scale_rates: rates.into(), ..self }
    }

    /// A spring on each scale with energy `stiffness / 2 ln(s / rest)^2`; stiffness in J.
    pub fn spring(self, stiffness: f64, rest: f64) -> Self {
        Scaled { stiffness, rest, ..self }
    }

    /// A damper on each scale that loses `damping (sdot / s)^2`; damping in J s.
    pub fn damping(self, damping: f64) -> Self {
        Scaled { damping, ..self }
    }

    fn n_scales(&self) -> usize {
        if self.per_axis { 3 } else { 1 }
    }

    /// The last coordinates, one for each axis.
    fn along_axes(&self, x: &[f64]) -> Vec3 {
        if self.per_axis { read3(x) } else { Vec3::splat(x[0]) }
    }

    /// What belongs to the axes, as what belongs to the scales: `out += `.
    fn add_to_scales(&self, x: Vec3, out: &mut [f64]) {
        if self.per_axis {
            (0..3).for_each(|j| out[j] += x[j]);
        } else {
            out[0] += x.x + x.y + x.z;
        }
    }

    /// I, and the columns B_j, body axes.
    fn blocks(&self, s: Vec3) -> (Mat3, Mat3) {
        let p = &self.second;
        let size = Mat3::from_diagonal(s);
        let q = size * *p * size;
        let trace = q.x_axis.x + q.y_axis.y + q.z_axis.z;
        let inertia = Mat3::from_diagonal(Vec3::splat(trace)) - q;
        let coupling = if self.per_axis {
            let column = |j: usize| (s * p.col(j)).cross(Vec3::AXES[j]);
            Mat3::from_cols(column(0), column(1), column(2))
        } else {
            Mat3::ZERO
        };
        (inertia, coupling)
    }

    /// Block of scale `a`.
    fn d(&self, a: usize) -> f64 {
        let p = &self.second;
        if self.per_axis { p.col(a)[a] } else { p.x_axis.x + p.y_axis.y + p.z_axis.z }
    }

    /// |W|^2 s_j P_jj - W_j (W . u_j), and g_j . (W × e_j), for each axis.
    fn axis_forces(&self, w: Vec3, s: Vec3, rates: Vec3) -> (Vec3, Vec3) {
        let (mut centrifugal, mut mixed) = (Vec3::ZERO, Vec3::ZERO);
        for j in 0..3 {
            let column = self.second.col(j);
            centrifugal[j] = w.length_squared() * s[j] * column[j] - w[j] * w.dot(s * column);
            mixed[j] = (rates * column).dot(w.cross(Vec3::AXES[j]));
        }
        (centrifugal, mixed)
    }

    /// (W, sdot) from angular momentum (body axes) and the momenta of the scales; NaN where M is singular.
    fn velocities(&self, s: Vec3, l: Vec3, p: &[f64; 3]) -> (Vec3, [f64; 3]) {
        let (inertia, coupling) = self.blocks(s);
        // sdot = D^-1 (p - B^T W), so (I - B D^-1 B^T) W = L - B D^-1 p
        let (mut matrix, mut rhs) = (inertia, l);
        for a in 0..self.n_scales() {
            let (b, d) = (coupling.col(a), 1.0 / self.d(a));
            matrix -= Mat3::from_cols(b * b.x, b * b.y, b * b.z) * d;
            rhs -= b * (p[a] * d);
        }
        let w = matrix.inverse() * rhs;
        let mut rates = [0.0; 3];
        for a in 0..self.n_scales() {
            rates[a] = (p[a] - coupling.col(a).dot(w)) / self.d(a);
        }
        (w, rates)
    }

    /// Angular momentum about the centre of mass (body axes) and momenta of the scales.
    fn momenta(&self, s: Vec3, w: Vec3, rates: &[f64]) -> (Vec3, [f64; 3]) {
        let (inertia, coupling) = self.blocks(s);
        let (mut l, mut p) = (inertia * w, [0.0; 3]);
        for a in 0..self.n_scales() {
            l += coupling.col(a) * rates[a];
            p[a] = self.d(a) * rates[a] + coupling.col(a).dot(w);
        }
        (l, p)
    }

    /// Lever arm R S X of what is carried; zero for a spin.
    fn arm(&self, q: &[f64], what: &AttachmentKind) -> (Mat3, Vec3, Vec3) {
        let r = rotation(q[3], q[4], q[5], q[6]);
        match what {
            AttachmentKind::Point(p) => {
                let x = *p - self.centre;
                (r, r * (self.along_axes(&q[7..]) * x), x)
            }
            AttachmentKind::Direction(d) => (r, r * *d, Vec3::ZERO),
            AttachmentKind::Spin => (r, Vec3::ZERO, Vec3::ZERO),
        }
    }
}

fn quat_of(q: &[f64]) -> Quat {
    Quat::from_xyzw(q[4], q[5], q[6], q[3])
}

fn write_quat(q: &mut [f64], e: Quat) {
    q[3..7].copy_from_slice(&[e.w, e.x, e.y, e.z]);
}

fn axes_of(e: Quat) -> Mat3 {
    rotation(e.w, e.x, e.y, e.z)
}

impl Body for Scaled {
    fn kind(&self) -> &'static str {
        if self.per_axis { "body with a scale for each axis" } else { "body with a scale" }
    }
    fn n_q(&self) -> usize {
        7 + self.n_scales()
    }
    fn n_dof(&self) -> usize {
        6 + self.n_scales()
    }
    fn mass(&self) -> f64 {
        self.mass
    }
    fn initial(&self, q: &mut [f64], v: &mut [f64]) {
        let e = self.orientation.normalize();
        let r = axes_of(e);
        let arm = r * (self.scales * self.centre);
        write3(q, self.position + arm);
        write_quat(q, e);
        write3(v, self.velocity + self.spin.cross(arm) + r * (self.scale_rates * self.centre));
        write3(&mut v[3..], self.spin);
        let n = self.n_scales();
        q[7..].copy_from_slice(&self.scales.to_array()[..n]);
        v[6..].copy_from_slice(&self.scale_rates.to_array()[..n]);
    }
    fn validate(&self) -> Result<(), Invalid> {
        positive("mass", self.mass, "kg")?;
        for (name, value) in [
            ("centre", self.centre),
            ("position", self.position),
            ("velocity", self.velocity),
            ("spin", self.spin),
            ("rate of the scale", self.scale_rates),
        ] {
            finite_vector(name, value)?;
        }
        let e = self.orientation;
        if !e.is_finite() || e.length() < 1e-6 {
            return refuse!("rotation", "orientation is {e}, must be a finite quaternion of length 1");
        }
        let s = self.scales;
        if !(s.is_finite() && s.min_element() > 0.0) {
            return refuse!("scale", "scale is {s}, must be finite and greater than 0");
        }
        let same = |x: Vec3| x.x == x.y && x.y == x.z;
        let fits = self.per_axis || (same(s) && same(self.scale_rates));
        if !fits {
            return refuse!("scale", "scales {s} and rates {} must be the same along all axes", self.scale_rates);
        }
        for (name, value, unit) in [("stiffness", self.stiffness, "J"), ("damping", self.damping, "J s")] {
            if !(value.is_finite() && value >= 0.0) {
                return refuse!(name.replace(' ', "_"), "{name} is {value} {unit}, must be finite and not negative");
            }
        }
        positive("rest scale", self.rest, "(a pure number)")?;
        super::second_moments(&self.second)
    }
    fn can_carry(&self, _: &AttachmentKind) -> Result<(), &'static str> {
        Ok(())
    }
    fn carry(&self, q: &[f64], v: &[f64], what: &AttachmentKind) -> Attached {
        let w = read3(&v[3..]);
        if matches!(what, AttachmentKind::Spin) {
            return Attached { at: Vec3::ZERO, rate: w, jdot_v: Vec3::ZERO };
        }
        let (r_wb, r, x) = self.arm(q, what);
        let u = r_wb * (self.along_axes(&v[6..]) * x);
        let turn = w.cross(r);
        let own = Attached { at: r, rate: turn + u, jdot_v: w.cross(turn + 2.0 * u) };
        match what {
            AttachmentKind::Point(_) => Attached { at: read3(q) + own.at, rate: read3(v) + own.rate, ..own },
            _ => own,
        }
    }
    fn pull(&self, q: &[f64], what: &AttachmentKind, g: Vec3, out: &mut [f64]) {
        let (r_wb, r, x) = self.arm(q, what);
        let torque = if matches!(what, AttachmentKind::Spin) { g } else { r.cross(g) };
        let force = if matches!(what, AttachmentKind::Point(_)) { g } else { Vec3::ZERO };
        for i in 0..3 {
            out[i] += force[i];
            out[3 + i] += torque[i];
        }
        self.add_to_scales((r_wb.transpose() * force) * x, &mut out[6..]);
    }
    fn evaluate(&self, q: &[f64], v: &[f64], _: &Frame, gravity: Vec3, out: Inertia<'_>) {
        let r = rotation(q[3], q[4], q[5], q[6]);
        let (s, rates) = (self.along_axes(&q[7..]), self.along_axes(&v[6..]));
        let w = r.transpose() * read3(&v[3..]);
        let (inertia, coupling) = self.blocks(s);
        let (n, world) = (self.n_dof(), r * inertia * r.transpose());
        for i in 0..3 {
            out.mass[packed::at(n, i, i)] = self.mass;
            for j in i..3 {
                out.mass[packed::at(n, 3 + i, 3 + j)] = world.col(j)[i];
            }
            for a in 0..self.n_scales() {
                out.mass[packed::at(n, 3 + i, 6 + a)] = (r * coupling.col(a))[i];
            }
        }
        for a in 0..self.n_scales() {
            out.mass[packed::at(n, 6 + a, 6 + a)] = self.d(a);
        }

        // N^T W = Sdot P S W;  tr N = sum of s_j sdot_j P_jj
        let p = &self.second;
        let diagonal = vec3(p.x_axis.x, p.y_axis.y, p.z_axis.z);
        let turning = w * (s * rates).dot(diagonal) - rates * (*p * (s * w));
        write3(out.force, self.mass * gravity);
        write3(&mut out.force[3..], r * (-w.cross(inertia * w) - 2.0 * turning));
        out.force[6..].fill(0.0);
        let (centrifugal, mixed) = self.axis_forces(w, s, rates);
        // e_j . (W × g_j) = - g_j . (W × e_j)
        self.add_to_scales(centrifugal + 2.0 * mixed, &mut out.force[6..]);
        for a in 0..self.n_scales() {
            let (s, rate) = (q[7 + a], v[6 + a]);
            out.force[6 + a] -= (self.stiffness * libm::log(s / self.rest) + self.damping * rate / s) / s;
            if !(s > 0.0) {
                out.force[6 + a] = f64::NAN;
            }
        }
    }
    fn q_rate(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        out[..3].copy_from_slice(&v[..3]);
        let (w, e, x) = (read3(&v[3..]) * 0.5, q[3], read3(&q[4..]));
        out[3] = -w.dot(x);
        write3(&mut out[4..], w * e + w.cross(x));
        out[7..].copy_from_slice(&v[6..]);
    }
    fn advance(&self, q: &mut [f64], v: &[f64], dt: f64) {
        for i in 0..3 {
            q[i] += dt * v[i];
        }
        write_quat(q, (exp_quat(read3(&v[3..]) * dt) * quat_of(q)).normalize());
        for a in 0..self.n_scales() {
            q[7 + a] *= libm::exp(dt * v[6 + a] / q[7 + a]);
        }
    }
    fn size_left(&self, q: &[f64]) -> f64 {
        (0..self.n_scales()).map(|a| q[7 + a] / self.scales[a]).fold(f64::INFINITY, f64::min)
    }
    fn difference(&self, from: &[f64], to: &[f64], out: &mut [f64]) {
        for i in 0..3 {
            out[i] = to[i] - from[i];
        }
        write3(&mut out[3..], log_quat(quat_of(to).normalize() * quat_of(from).normalize().conjugate()));
        for a in 0..self.n_scales() {
            out[6 + a] = from[7 + a] * libm::log(to[7 + a] / from[7 + a]);
        }
    }
    fn normalise(&self, q: &mut [f64]) {
        write_quat(q, quat_of(q).normalize());
    }
    fn free_flight(&self, q: &mut [f64], v: &mut [f64], dt: f64) {
        let e = quat_of(q).normalize();
        let n = self.n_scales();
        let mut start = [0.0; 3];
        start[..n].copy_from_slice(&q[7..]);
        let mut w = read3(&v[3..]);
        let mut rates = [0.0; 3];
        rates[..n].copy_from_slice(&v[6..]);
        let at = |rates: &[f64; 3], h: f64| -> Vec3 {
            let s = [0, 1, 2].map(|a| start[a] + h * rates[a]);
            self.along_axes(&s)
        };
        if self.inertial_in_flight() {
            let r = axes_of(e);
            let (l, p) = self.momenta(at(&rates, 0.0), r.transpose() * w, &rates);
            let l = r * l;
            let mut force = [0.0; 3];
            let (mut last, mut settled) = (f64::INFINITY, false);
            for _ in 0..FLIGHT_ITERATIONS {
                let r = axes_of(exp_quat(w * (0.5 * dt)) * e);
                let s = at(&rates, 0.5 * dt);
                let body_w = r.transpose() * w;
                let (centrifugal, mixed) = self.axis_forces(body_w, s, self.along_axes(&rates));
                force = [0.0; 3];
                self.add_to_scales(centrifugal + mixed, &mut force);
                let middle = [0, 1, 2].map(|a| p[a] + 0.5 * dt * force[a]);
                let (next_w, next_rates) = self.velocities(s, r.transpose() * l, &middle);
                let next_w = r * next_w;
                let moved = (next_w - w).length() + (0..n).map(|a| (next_rates[a] - rates[a]).abs()).sum::<f64>();
                (w, rates) = (next_w, next_rates);
                // as near as rounding lets it come
                if moved == 0.0 || (moved >= last && moved <= 1e-13 * (w.length() + Vec3::from(rates).length())) {
                    settled = true;
                    break;
                }
                last = moved;
            }
            let turned = (exp_quat(w * dt) * e).normalize();
            let r = axes_of(turned);
            let end = [0, 1, 2].map(|a| p[a] + dt * force[a]);
            let s = at(&rates, dt);
            let (end_w, end_rates) = self.velocities(s, r.transpose() * l, &end);
            write3(&mut v[3..], r * end_w);
            v[6..].copy_from_slice(&end_rates[..n]);
            if !settled || !(s.min_element() > 0.0) {
                v.fill(f64::NAN);
            }
        }
        for i in 0..3 {
            q[i] += dt * v[i];
        }
        write_quat(q, (exp_quat(w * dt) * e).normalize());
        for a in 0..n {
            q[7 + a] = start[a] + dt * rates[a];
        }
    }
    /// The damper is not in the flight: with one, nothing is.
    fn inertial_in_flight(&self) -> bool {
        self.damping == 0.0
    }
    fn stiffen(&self, q: &[f64], _: &[f64], per_position: f64, per_velocity: f64, mass: &mut [f64]) {
        let n = self.n_dof();
        for a in 0..self.n_scales() {
            let s = q[7 + a];
            let stiffness = (self.stiffness * (1.0 - libm::log(s / self.rest))).max(0.0);
            mass[packed::at(n, 6 + a, 6 + a)] += (per_position * stiffness + per_velocity * self.damping) / (s * s);
        }
    }
    fn orientation(&self, q: &[f64]) -> Option<Quat> {
        Some(quat_of(q).normalize())
    }
    fn centre(&self, q: &[f64]) -> Vec3 {
        read3(q)
    }
    fn momentum(&self, q: &[f64], v: &[f64]) -> Momentum {
        let linear = self.mass * read3(v);
        let r = rotation(q[3], q[4], q[5], q[6]);
        let (l, _) = self.momenta(self.along_axes(&q[7..]), r.transpose() * read3(&v[3..]), &v[6..]);
        Momentum { linear, angular: read3(q).cross(linear) + r * l }
    }
    fn stored(&self, q: &[f64]) -> f64 {
        let square = |s: &f64| {
            let x = libm::log(s / self.rest);
            0.5 * self.stiffness * x * x
        };
        if self.stiffness == 0.0 { 0.0 } else { q[7..].iter().map(square).sum() }
    }
    fn dissipation(&self, q: &[f64], v: &[f64]) -> Option<f64> {
        let power = |(s, rate): (&f64, &f64)| self.damping * (rate / s) * (rate / s);
        (self.damping > 0.0).then(|| q[7..].iter().zip(&v[6..]).map(power).sum())
    }
}

/// Fixed-point steps allowed for the middle of a flight: each gains a factor of about |w| h / 2.
const FLIGHT_ITERATIONS: usize = 100;
