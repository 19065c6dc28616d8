//! Torsion spring and damper about the z axis of marker a.
//!
//! ```text
//! angle = that of x_b about z_a, from x_a, less the rest angle, taken in (-pi, pi]
//! torque on b:  - (k angle + c rate) e,  opposite on a               energy  k angle^2 / 2
//! ```
//!
//! With h the part of x_b across z_a, ĥ its direction and t = z_a × ĥ, the angle grows by
//!
//! ```text
//! t . ((dw_b - dw_a) × x_b) / |h| = (dw_b - dw_a) . e,      e = (x_b × t) / |h| = z_a - (z_a . x_b / |h|) ĥ
//! ```
//!
//! e is z_a where the axes agree. With e instead of z_a the pushes are the gradient of the energy also where nothing holds the axes together.
//! Where x_b is along z_a there is no angle and no push.
//!
//! The spring does not count turns: past half a turn from rest it pulls the other way round. A spring on the coordinate of a joint does count.

use super::{Force, Push, Stiffness};
use crate::attach::{Attachment, Marker, View};
use crate::math::{Vec3, unwrap_angle};

/// A linear torsion spring and damper about the common z axis of two markers.
#[derive(Clone, Debug)]
pub struct TorsionSpring {
    attachments: [Attachment; 6],
    stiffness: f64,
    rest: f64,
    damping: f64,
}

impl TorsionSpring {
    /// Stiffness in N m/rad, rest angle in rad.
    pub fn new(a: Marker, b: Marker, stiffness: f64, rest: f64) -> Self {
        let spins = [Attachment::spin(a.body), Attachment::spin(b.body)];
        TorsionSpring { attachments: [spins[0], spins[1], a.x(), a.y(), a.z(), b.x()], stiffness, rest, damping: 0.0 }
    }

    /// A damper in parallel, N m s/rad.
    pub fn damping(self, damping: f64) -> Self {
        TorsionSpring { damping, ..self }
    }

    /// Angle from rest, rate, axis.
    fn angle(&self, a: &View) -> Option<(f64, f64, Vec3)> {
        let (angle, rate, e) = angle_and_axis(a)?;
        Some((unwrap_angle(angle - self.rest, 0.0), rate, e))
    }
}

/// Angle of x_b (attachment 5) about z_a (axes of a: 2-4), its rate, and the axis e; `None` where there is no angle.
pub(crate) fn angle_and_axis(a: &View) -> Option<(f64, f64, Vec3)> {
    let (x, y, z, d) = (a.get(2), a.get(3), a.at(4), a.get(5));
    let (c, s) = (x.at.dot(d.at), y.at.dot(d.at));
    let c_rate = x.rate.dot(d.at) + x.at.dot(d.rate);
    let s_rate = y.rate.dot(d.at) + y.at.dot(d.rate);
    let (angle, rate) = (libm::atan2(s, c), (c * s_rate - s * c_rate) / (c * c + s * s));
    let along = z.dot(d.at);
    let h = d.at - z * along;
    let across = h.length_squared();
    (across > 1e-18).then(|| (angle, rate, z - h * (along / across)))
}

impl Force for TorsionSpring {
    fn kind(&self) -> &'static str {
        "torsion spring"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn validate(&self) -> Result<(), String> {
        if !self.rest.is_finite() {
            return Err(format!("rest angle is {} rad, must be finite", self.rest));
        }
        for (name, value, unit) in [("stiffness", self.stiffness, "N m/rad"), ("damping", self.damping, "N m s/rad")] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(format!("{name} is {value} {unit}, must be finite and not negative"));
            }
        }
        Ok(())
    }
    fn apply(&self, a: &View, _: f64, push: &mut Push) {
        if let Some((angle, rate, e)) = self.angle(a) {
            let torque = e * (self.stiffness * angle + self.damping * rate);
            push.on(0, torque);
            push.on(1, -torque);
        }
    }
    fn energy(&self, a: &View, _: f64) -> f64 {
        self.angle(a).map_or(0.0, |(angle, _, _)| 0.5 * self.stiffness * angle * angle)
    }
    fn n_stiff(&self) -> usize {
        1
    }
    fn stiffness(&self, a: &View, _: f64, out: &mut Stiffness) {
        if let Some((_, _, e)) = self.angle(a) {
            out.gradient(0, 0, -e);
            out.gradient(0, 1, e);
            out.set(0, 0, self.stiffness, self.damping);
        }
    }
}
