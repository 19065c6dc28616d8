//! Torsion spring and damper about the z axis of marker a.
//!
//! ```text
//! angle = that of x_b about z_a, from x_a, less the rest angle, taken in (-pi, pi]
//! torque on b:  - (k angle + c rate) z_a,  opposite on a             energy  k angle^2 / 2
//! ```
//!
//! It is for axes that agree, as a hinge keeps them; a torsion law is exact for any axes. The spring does not count
//! turns: past half a turn from rest it pulls the other way round. A spring on the coordinate of a joint does count.

use super::{AXES, Force, ForceDeclaration, ForceGlyph, Push, Stiffness};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::declaration::{ANGLE, Allowed, FieldType, Invalid, Kind, Make, not_negative, optional, required};
use crate::error::refuse;
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
        let (x, y, d) = (a.get(2), a.get(3), a.get(5));
        let (c, s) = (x.at.dot(d.at), y.at.dot(d.at));
        let c_rate = x.rate.dot(d.at) + x.at.dot(d.rate);
        let s_rate = y.rate.dot(d.at) + y.at.dot(d.rate);
        let (angle, rate) = (libm::atan2(s, c), (c * s_rate - s * c_rate) / (c * c + s * s));
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
    fn validate(&self) -> Result<(), Invalid> {
        if !self.rest.is_finite() {
            return refuse!("rest", "rest angle is {} rad, must be finite", self.rest);
        }
        for (name, value, unit) in [("stiffness", self.stiffness, "N m/rad"), ("damping", self.damping, "N m s/rad")] {
            not_negative(name, value, unit)?;
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

pub(super) static TORSION_SPRING: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "torsion-spring",
        summary: "a linear torsion spring and damper about a common axis that a joint keeps; it does not count turns",
        fields: &[
            AXES,
            &[
                required("stiffness", FieldType::Number(Allowed::NotNegative, "N m/rad"), "torque per angle"),
                optional("rest", ANGLE, "0", "angle at which it does not pull, from the poses given"),
                optional(
                    "damping",
                    FieldType::Number(Allowed::NotNegative, "N m s/rad"),
                    "0",
                    "torque per angular speed",
                ),
            ],
        ],
        make: Make::Force(|p| {
            let spring = TorsionSpring::new(p.a(), p.b(), p.of("stiffness"), p.of("rest"));
            Ok(Box::new(spring.damping(p.of("damping"))))
        }),
    },
    label: "Torsion spring",
    law: "torsion spring",
    glyph: ForceGlyph::Spring,
};
