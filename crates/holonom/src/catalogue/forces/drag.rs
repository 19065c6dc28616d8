//! Resistance of a fluid against a point that moves through it, and against a spin.
//!
//! ```text
//! u = velocity of the point - velocity of the fluid          force on the point  - (c + b |u|) u,      b = rho Cd A / 2
//! w = angular velocity                                       torque              - (c + b |w|) w
//! power in still fluid  - (c + b |u|) |u|^2 <= 0
//! ```
//!
//! c: linear (creeping flow), N s/m; b: quadratic, N s^2/m^2. The force is smooth at u = 0 (once differentiable). In
//! wind it may well give energy. Stiff directions: the three world axes, with the exact damping
//! `(c + b |u|) 1 + b u u^T / |u|`.

use super::{Force, ForceDeclaration, ForceGlyph, Push, Stiffness, UserForce};
use crate::catalogue::attach::{Attachment, BodyId, Marker, View};
use crate::catalogue::declaration::{
    Allowed, FieldType, Invalid, Kind, Make, finite_vector, not_negative, optional, required,
};
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
    fn validate(&self) -> Result<(), Invalid> {
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
    fn validate(&self) -> Result<(), Invalid> {
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

pub(super) static DRAG: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "drag",
        summary: "resistance of a fluid against a point: linear, quadratic, or both",
        fields: &[&[
            required("on", FieldType::Point, "the body, or a point on it"),
            optional("linear", FieldType::Number(Allowed::NotNegative, "N s/m"), "0", "force per speed"),
            optional("density", FieldType::Number(Allowed::NotNegative, "kg/m^3"), "no quadratic part", "of the fluid"),
            optional("coefficient", FieldType::Number(Allowed::NotNegative, ""), "1", "drag coefficient"),
            optional("area", FieldType::Number(Allowed::NotNegative, "m^2"), "no quadratic part", "frontal area"),
            optional("wind", FieldType::Vector("m/s"), "[0, 0, 0]", "velocity of the fluid, world axes"),
        ]],
        make: Make::Force(|p| {
            if p.has("density") != p.has("area") || (p.has("coefficient") && !p.has("density")) {
                let invalid = Invalid::missing("coefficient", "quadratic drag needs `density` and `area`");
                return Err(invalid.help("write  density = 1.2, area = 0.5  (kg/m^3, m^2)"));
            }
            let mut drag = Drag::linear(p.given_point("on")?, p.of("linear"));
            if let (Some(density), Some(area)) = (p.number("density"), p.number("area")) {
                drag = drag.plus_quadratic(density, p.number("coefficient").unwrap_or(1.0), area);
            } else if !p.has("linear") {
                return Err(Invalid::neither("linear", "density"));
            }
            Ok(Box::new(drag.wind(p.vector("wind").unwrap_or_default())))
        }),
    },
    label: "Drag",
    law: "drag",
    glyph: ForceGlyph::Dashes,
};

pub(super) static ANGULAR_DRAG: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "angular-drag",
        summary: "resistance of a fluid against the spin of a body",
        fields: &[&[
            required("on", FieldType::Point, "the body"),
            optional("linear", FieldType::Number(Allowed::NotNegative, "N m s/rad"), "0", "torque per angular speed"),
            optional(
                "quadratic",
                FieldType::Number(Allowed::NotNegative, "N m s^2/rad^2"),
                "0",
                "torque per its square",
            ),
        ]],
        make: Make::Force(|p| {
            if !p.has("linear") && !p.has("quadratic") {
                return Err(Invalid::neither("linear", "quadratic"));
            }
            Ok(Box::new(AngularDrag::new(p.given_point("on")?.body, p.of("linear"), p.of("quadratic"))))
        }),
    },
    label: "Angular drag",
    law: "angular drag",
    glyph: ForceGlyph::Dashes,
};

pub(super) static SPIN_DAMPER: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "spin-damper",
        summary: "resistance against the spin of b against a, about whatever axis: a ball joint in grease",
        fields: &[&[
            optional("a", FieldType::Point, "ground", "first body"),
            required("b", FieldType::Point, "second body"),
            required(
                "damping",
                FieldType::Number(Allowed::NotNegative, "N m s/rad"),
                "torque per relative angular speed",
            ),
        ]],
        make: Make::Force(|p| {
            let c = p.of("damping");
            Ok(Box::new(UserForce::new([p.a().spin(), p.b().spin()], move |a, _, push| {
                let torque = (a.rate(0) - a.rate(1)) * c;
                push.on(1, torque);
                push.on(0, -torque);
            })))
        }),
    },
    label: "Spin damper",
    law: "user force",
    glyph: ForceGlyph::Dashes,
};
