//! Resistance of a fluid against a point that moves through it, and against a spin.
//!
//! ```text
//! u = velocity of the point - velocity of the fluid          force on the point  - (c + b |u|) u,      b = rho Cd A / 2
//! w = angular velocity                                       torque              - (c + b |w|) w
//! power in still fluid  - (c + b |u|) |u|^2 <= 0
//! ```
//!
//! c: linear (creeping flow), N s/m; b: quadratic, N s^2/m^2. The force is smooth at u = 0 (once differentiable). In wind it may well give
//! energy. Stiff directions: the three world axes, with the exact damping `(c + b |u|) 1 + b u u^T / |u|`.

use super::{Force, Push, Stiffness, finite_vector, not_negative};
use crate::catalogue::attach::{Attachment, BodyId, Marker, View};
use crate::math::Vec3;

/// Linear and quadratic resistance.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Resistance {
    linear: f64,
    quadratic: f64,
}

impl Resistance {
    fn against(&self, u: Vec3) -> Vec3 {
        -u * (self.linear + self.quadratic * u.length())
    }

    /// Three directions on attachment 0, with the derivative of the resistance.
    fn stiffness(&self, u: Vec3, out: &mut Stiffness) {
        let (speed, along) = (u.length(), u.normalize_or_zero());
        for (i, axis) in [Vec3::X, Vec3::Y, Vec3::Z].into_iter().enumerate() {
            out.gradient(i, 0, axis);
            for j in i..3 {
                let same = if i == j { self.linear + self.quadratic * speed } else { 0.0 };
                out.set(i, j, 0.0, same + self.quadratic * speed * along[i] * along[j]);
            }
        }
    }
}

/// Drag on a point.
#[derive(Clone, Debug)]
pub struct Drag {
    attachments: [Attachment; 1],
    law: Resistance,
    wind: Vec3,
}

impl Drag {
    /// Proportional to speed: `coefficient` in N s/m.
    pub fn linear(on: Marker, coefficient: f64) -> Self {
        Drag { attachments: [on.p()], law: Resistance { linear: coefficient, quadratic: 0.0 }, wind: Vec3::ZERO }
    }

    /// Proportional to speed squared: density of the fluid (kg/m^3), drag coefficient (a number), frontal area (m^2).
    pub fn quadratic(on: Marker, density: f64, coefficient: f64, area: f64) -> Self {
        Self::linear(on, 0.0).plus_quadratic(density, coefficient, area)
    }

    /// The quadratic law in addition, as in [`Drag::quadratic`].
    pub fn plus_quadratic(self, density: f64, coefficient: f64, area: f64) -> Self {
        let quadratic = 0.5 * density * coefficient * area;
        // two negative factors are no drag
        let quadratic = if density < 0.0 || coefficient < 0.0 || area < 0.0 { -quadratic.abs() } else { quadratic };
        Drag { law: Resistance { quadratic, ..self.law }, ..self }
    }

    /// Velocity of the fluid, the same everywhere (m/s, world axes).
    pub fn wind(self, velocity: impl Into<Vec3>) -> Self {
        Drag { wind: velocity.into(), ..self }
    }
}

impl Force for Drag {
    fn kind(&self) -> &'static str {
        "drag"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn validate(&self) -> Result<(), String> {
        not_negative("linear drag", self.law.linear, "N s/m")?;
        not_negative("quadratic drag rho Cd A / 2", self.law.quadratic, "N s^2/m^2")?;
        finite_vector("wind", self.wind)
    }
    fn apply(&self, a: &View, _: f64, push: &mut Push) {
        push.on(0, self.law.against(a.rate(0) - self.wind));
    }
    fn n_stiff(&self) -> usize {
        3
    }
    fn stiffness(&self, a: &View, _: f64, out: &mut Stiffness) {
        self.law.stiffness(a.rate(0) - self.wind, out);
    }
}

/// Drag on the spin of a body.
#[derive(Clone, Debug)]
pub struct AngularDrag {
    attachments: [Attachment; 1],
    law: Resistance,
}

impl AngularDrag {
    /// `linear` in N m s/rad, `quadratic` in N m s^2/rad^2.
    pub fn new(on: BodyId, linear: f64, quadratic: f64) -> Self {
        AngularDrag { attachments: [Attachment::spin(on)], law: Resistance { linear, quadratic } }
    }
}

impl Force for AngularDrag {
    fn kind(&self) -> &'static str {
        "angular drag"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn validate(&self) -> Result<(), String> {
        not_negative("linear drag", self.law.linear, "N m s/rad")?;
        not_negative("quadratic drag", self.law.quadratic, "N m s^2/rad^2")
    }
    fn apply(&self, a: &View, _: f64, push: &mut Push) {
        push.on(0, self.law.against(a.rate(0)));
    }
    fn n_stiff(&self) -> usize {
        3
    }
    fn stiffness(&self, a: &View, _: f64, out: &mut Stiffness) {
        self.law.stiffness(a.rate(0), out);
    }
}
