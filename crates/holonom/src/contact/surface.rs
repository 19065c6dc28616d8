//! What surfaces are made of, and what is known of a contact.

use super::ShapeId;
use crate::catalogue::attach::BodyId;
use crate::math::Vec3;

/// How a surface behaves in contact.
///
/// ```
/// use holonom::Material;
/// let rubber = Material::new(0.9).restitution(0.6);
/// let ice = Material::new(0.05);
/// assert!((rubber.with(&ice).friction - (0.9f64 * 0.05).sqrt()).abs() < 1e-15);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coefficient of friction while sliding.
    pub friction: f64,
    /// Coefficient of friction while sticking, at least that while sliding.
    pub static_friction: f64,
    /// The part of the normal speed that comes back from an impact, 0 to 1.
    pub restitution: f64,
    /// Lever of the resistance against rolling, m.
    pub rolling: f64,
    /// Lever of the resistance against turning about the normal, m.
    pub torsional: f64,
}

impl Default for Material {
    /// Friction 0.5, no rebound.
    fn default() -> Self {
        Material::new(0.5)
    }
}

impl Material {
    /// With this coefficient of friction, static and sliding, and no rebound.
    pub fn new(friction: f64) -> Self {
        Material { friction, static_friction: friction, restitution: 0.0, rolling: 0.0, torsional: 0.0 }
    }

    /// Without friction.
    pub fn smooth() -> Self {
        Material::new(0.0)
    }

    /// The part of the normal speed that comes back from an impact, 0 to 1.
    pub fn restitution(self, restitution: f64) -> Self {
        Material { restitution, ..self }
    }

    /// A coefficient of friction while sticking that is larger than the one while sliding.
    pub fn static_friction(self, static_friction: f64) -> Self {
        Material { static_friction, ..self }
    }

    /// Resistance against rolling: its torque is at most this lever (m) times the normal force.
    pub fn rolling(self, rolling: f64) -> Self {
        Material { rolling, ..self }
    }

    /// Resistance against turning about the normal: its torque is at most this lever (m) times the normal force.
    pub fn torsional(self, torsional: f64) -> Self {
        Material { torsional, ..self }
    }

    /// What two materials do together: the geometric mean of friction and restitution, the larger of the levers.
    pub fn with(&self, other: &Material) -> Material {
        let mean = |a: f64, b: f64| if a == b { a } else { (a * b).sqrt() };
        Material {
            friction: mean(self.friction, other.friction),
            static_friction: mean(self.static_friction, other.static_friction),
            restitution: mean(self.restitution, other.restitution),
            rolling: self.rolling.max(other.rolling),
            torsional: self.torsional.max(other.torsional),
        }
    }

    /// Is it usable? `Err` says what is not and what is allowed.
    pub fn validate(&self) -> Result<(), String> {
        let at_least_0 = [("friction", self.friction), ("rolling", self.rolling), ("torsional", self.torsional)];
        for (what, x) in at_least_0 {
            if !(x >= 0.0 && x.is_finite()) {
                return Err(format!("{what} is {x}, must be finite and at least 0"));
            }
        }
        if !(self.static_friction >= self.friction && self.static_friction.is_finite()) {
            return Err(format!(
                "static friction is {}, must be finite and at least the friction, {}",
                self.static_friction, self.friction
            ));
        }
        crate::catalogue::joints::unit_interval("restitution", self.restitution)
    }
}

/// What friction does at a contact.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Friction {
    /// Not pressed together, or without friction.
    None,
    /// No slip.
    Stick,
    /// Slips against the full friction.
    Slip,
}

/// A contact as it is now.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The shapes; the force acts on the first.
    pub shapes: (ShapeId, ShapeId),
    /// Their bodies.
    pub bodies: (BodyId, BodyId),
    /// The same touch has the same key from step to step.
    pub key: u64,
    /// Where, world (m).
    pub point: Vec3,
    /// Unit normal from the second to the first, world.
    pub normal: Vec3,
    /// Gap, m; negative where the shapes overlap.
    pub gap: f64,
    /// Force on the first body, N; over the last step where time is stepped.
    pub force: Vec3,
    /// Torque on the first body from resistance against rolling and turning, N m.
    pub torque: Vec3,
    /// Velocity of the first body's surface over the second's, along the plane of contact (m/s).
    pub slip: Vec3,
    /// What friction does.
    pub friction: Friction,
}
