//! Shapes on bodies, what they are made of, who may touch whom, and the law of impacts.

use crate::catalogue::attach::BodyId;
use crate::math::Vec3;
use holonom_collide::{CollisionShape as Shape, Groups, RigidTransform};
use std::collections::BTreeMap;
use std::sync::Arc;

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
    /// Nothing comes back from impacts that are slower than this, m/s.
    pub restitution_speed: f64,
    /// Stiffness of a touch, N/m; infinite, as by default, for a rigid surface.
    pub stiffness: f64,
    /// Damping of a touch, N s/m; of soft surfaces only.
    pub damping: f64,
}

impl Default for Material {
    /// Friction 0.5, no rebound.
    fn default() -> Self {
        Material::new(0.5)
    }
}

impl Material {
    /// With this coefficient of friction, static and sliding, and no rebound.
    pub const fn new(friction: f64) -> Self {
        Material {
            friction,
            static_friction: friction,
            restitution: 0.0,
            rolling: 0.0,
            torsional: 0.0,
            restitution_speed: 0.0,
            stiffness: f64::INFINITY,
            damping: 0.0,
        }
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

    /// Nothing comes back from impacts slower than this, m/s.
    pub fn restitution_speed(self, restitution_speed: f64) -> Self {
        Material { restitution_speed, ..self }
    }

    /// A soft surface: where it is pressed in by d (m), every touch pushes back with k d + c d' (N), never pulls. There
    /// is no impact then, and no restitution; overlap is what the law says.
    pub fn soft(self, stiffness: f64, damping: f64) -> Self {
        Material { stiffness, damping, ..self }
    }

    /// Does it give way?
    pub fn is_soft(&self) -> bool {
        self.stiffness.is_finite()
    }

    /// What two materials do together: the geometric mean of friction and restitution, the larger of the levers and of
    /// the speeds below which nothing rebounds; soft surfaces are springs (and dampers) in series.
    pub fn with(&self, other: &Material) -> Material {
        let mean = |a: f64, b: f64| if a == b { a } else { (a * b).sqrt() };
        Material {
            friction: mean(self.friction, other.friction),
            static_friction: mean(self.static_friction, other.static_friction),
            restitution: mean(self.restitution, other.restitution),
            rolling: self.rolling.max(other.rolling),
            torsional: self.torsional.max(other.torsional),
            restitution_speed: self.restitution_speed.max(other.restitution_speed),
            stiffness: series(self.stiffness, other.stiffness),
            damping: match (self.is_soft(), other.is_soft()) {
                (true, true) => series(self.damping, other.damping),
                (true, false) => self.damping,
                (false, _) => other.damping,
            },
        }
    }

    /// Is it usable? `Err` says what is not and what is allowed.
    pub fn validate(&self) -> Result<(), String> {
        let at_least_0 = [
            ("friction", self.friction),
            ("rolling", self.rolling),
            ("torsional", self.torsional),
            ("restitution_speed", self.restitution_speed),
            ("damping", self.damping),
        ];
        for (what, x) in at_least_0 {
            if !(x >= 0.0 && x.is_finite()) {
                return Err(format!("{what} is {x}, must be finite and at least 0"));
            }
        }
        if !(self.stiffness > 0.0) {
            return Err(format!(
                "stiffness is {}, must be greater than 0 (infinite for a rigid surface)",
                self.stiffness
            ));
        }
        if !(self.static_friction >= self.friction && self.static_friction.is_finite()) {
            return Err(format!(
                "static friction is {}, must be finite and at least the friction, {}",
                self.static_friction, self.friction
            ));
        }
        crate::catalogue::declaration::between_0_and_1("restitution", self.restitution).map_err(|e| e.to_string())
    }
}

/// Two springs, or two dampers, in series.
fn series(a: f64, b: f64) -> f64 {
    match (a.is_infinite(), b.is_infinite()) {
        (true, _) => b,
        (_, true) => a,
        _ if a + b > 0.0 => a * (b / (a + b)),
        _ => 0.0,
    }
}

/// What comes back from an impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Restitution {
    /// A part of the speed of approach.
    #[default]
    Newton,
    /// A part of the impulse of compression.
    Poisson,
}

/// Which contacts take part in an impact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ImpactOrder {
    /// All that are closed, at once.
    #[default]
    Simultaneous,
    /// One after the other, the fastest first.
    Sequential,
}

/// The law of impacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ImpactLaw {
    /// What comes back.
    pub restitution: Restitution,
    /// Who takes part.
    pub order: ImpactOrder,
}

/// A shape of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShapeId(pub(crate) u32);

impl ShapeId {
    /// Position in the order of creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A shape on a body.
#[derive(Clone)]
pub(crate) struct Carrying {
    pub body: BodyId,
    pub shape: Arc<Shape>,
    pub place: RigidTransform,
    pub material: Material,
    pub groups: Groups,
    /// Radius about its own origin that holds it, m; infinite for a half-space.
    pub radius: f64,
    /// Velocity of its surface over the body, body axes, m/s: a conveyor belt. Zero for most.
    pub surface_velocity: Vec3,
    /// It notices others and does not push them.
    pub sensor: bool,
}

/// All shapes of a model, and who may touch whom.
#[derive(Clone, Default)]
pub(crate) struct Shapes {
    pub all: Vec<Carrying>,
    /// Materials of pairs, the smaller shape first.
    pub pairs: BTreeMap<(u32, u32), Material>,
    /// Pairs of bodies (ground: number of bodies) whose shapes do not touch each other, the smaller first.
    pub ignored: std::collections::BTreeSet<(u32, u32)>,
    /// Joints whose bodies touch each other nevertheless.
    pub colliding_joints: std::collections::BTreeSet<u32>,
    /// The law of impacts that simulations start with.
    pub impacts: ImpactLaw,
}

impl Shapes {
    /// What a pair of shapes is made of.
    pub fn material(&self, a: u32, b: u32) -> Material {
        let pair = (a.min(b), a.max(b));
        match self.pairs.get(&pair) {
            Some(material) => *material,
            None => self.all[a as usize].material.with(&self.all[b as usize].material),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }
}
