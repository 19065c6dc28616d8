//! Torsion spring and damper about the z axis of marker a.
//!
//! ```text
//! angle = that of x_b about z_a, from x_a, less the rest angle, taken in (-pi, pi]
//! torque on b:  - (k angle + c rate) z_a,  opposite on a             energy  k angle^2 / 2
//! ```
//!
//! The spring does not count turns: past half a turn from rest it pulls the other way round.

use super::{Force, Push, Stiffness};
use crate::attach::{Attachment, Marker, View};
use crate::joints::angle_about;
use crate::math::unwrap_angle;

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

    fn angle(&self, a: &View) -> (f64, f64) {
        let (angle, rate) = angle_about(a, 2, 3, 5);
        (unwrap_angle(angle - self.rest, 0.0), rate)
    }
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
        let (angle, rate) = self.angle(a);
        let torque = a.at(4) * (self.stiffness * angle + self.damping * rate);
        push.on(0, torque);
        push.on(1, -torque);
    }
    fn energy(&self, a: &View, _: f64) -> f64 {
        let (angle, _) = self.angle(a);
        0.5 * self.stiffness * angle * angle
    }
    fn n_stiff(&self) -> usize {
        1
    }
    fn stiffness(&self, a: &View, _: f64, out: &mut Stiffness) {
        let z = a.at(4);
        out.gradient(0, 0, -z);
        out.gradient(0, 1, z);
        out.set(0, 0, self.stiffness, self.damping);
    }
}
