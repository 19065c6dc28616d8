//! Poses, colliders, and which pairs of them are tested.

use std::sync::Arc;

use crate::{CollisionShape, Mat3, Vec3};

/// A place and an orientation: x_world = position + rotation x.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidTransform {
    /// Of the origin, m.
    pub position: Vec3,
    /// Its columns are the axes, orthonormal and right-handed.
    pub rotation: Mat3,
}

impl Default for RigidTransform {
    fn default() -> Self {
        RigidTransform { position: Vec3::ZERO, rotation: Mat3::IDENTITY }
    }
}

impl RigidTransform {
    /// At a place, not turned.
    pub fn at(position: Vec3) -> RigidTransform {
        RigidTransform { position, ..RigidTransform::default() }
    }

    /// A point given in the axes of this pose, in those the pose is given in.
    pub fn point(&self, x: Vec3) -> Vec3 {
        self.position + self.rotation * x
    }

    /// Refuses what is not finite or not a rotation.
    pub fn validate(&self) -> Result<(), String> {
        if !self.position.is_finite() {
            return Err(format!("position {} m must be finite", self.position));
        }
        let off = (self.rotation.transpose() * self.rotation - Mat3::IDENTITY).to_cols_array();
        let worst = off.iter().fold(0.0, |m: f64, x| if x.abs() <= m { m } else { x.abs() });
        if !(worst <= 1e-9) || self.rotation.determinant() < 0.0 {
            return Err(format!(
                "rotation {} must have orthonormal, right-handed axes (to 1e-9); normalise it first",
                self.rotation
            ));
        }
        Ok(())
    }
}

/// Collision groups: two colliders are tested against each other if each is a member of a group the other collides
/// with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Groups {
    /// The groups this collider belongs to, one bit each.
    pub member: u32,
    /// The groups it collides with.
    pub with: u32,
}

impl Default for Groups {
    fn default() -> Self {
        Groups { member: 1, with: u32::MAX }
    }
}

impl Groups {
    /// Whether these two are tested against each other.
    pub fn meet(self, other: Groups) -> bool {
        self.member & other.with != 0 && other.member & self.with != 0
    }
}

/// A shape, put somewhere on a carrier.
#[derive(Clone, Debug)]
pub struct Collider {
    /// The shape; may be shared.
    pub shape: Arc<CollisionShape>,
    /// Where it sits, in the axes of its carrier.
    pub place: RigidTransform,
    /// Index of what carries it.
    pub carrier: u32,
    /// Which colliders it is tested against.
    pub groups: Groups,
}

impl Collider {
    /// A shape at the origin of a carrier.
    pub fn new(shape: impl Into<Arc<CollisionShape>>, carrier: u32) -> Collider {
        Collider { shape: shape.into(), place: RigidTransform::default(), carrier, groups: Groups::default() }
    }

    /// The same, put elsewhere on its carrier.
    pub fn place(mut self, place: RigidTransform) -> Collider {
        self.place = place;
        self
    }

    /// The same, with groups.
    pub fn groups(mut self, groups: Groups) -> Collider {
        self.groups = groups;
        self
    }
}

/// Which pairs are tested. Colliders of one carrier never are, nor are those of two fixed carriers.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    pub(crate) fixed: Vec<bool>,
    pub(crate) joined: Vec<(u32, u32)>,
    pub(crate) forbidden: Vec<(u32, u32)>,
    pub(crate) allowed: Vec<(u32, u32)>,
}

impl Filter {
    /// For a number of carriers, none of them fixed.
    pub fn new(carriers: usize) -> Filter {
        Filter { fixed: vec![false; carriers], ..Filter::default() }
    }

    /// This carrier does not move: it is not tested against others that do not.
    pub fn fixed(mut self, carrier: u32) -> Filter {
        if let Some(flag) = self.fixed.get_mut(carrier as usize) {
            *flag = true;
        }
        self
    }

    /// These carriers are joined: their colliders do not meet, unless allowed one by one.
    pub fn joined(mut self, a: u32, b: u32) -> Filter {
        self.joined.push((a.min(b), a.max(b)));
        self
    }

    /// These two colliders never meet.
    pub fn forbid(mut self, a: u32, b: u32) -> Filter {
        self.forbidden.push((a.min(b), a.max(b)));
        self
    }

    /// These two colliders meet, whatever their groups and joints say. What is forbidden stays so.
    pub fn allow(mut self, a: u32, b: u32) -> Filter {
        self.allowed.push((a.min(b), a.max(b)));
        self
    }

    /// Sorted for searching.
    pub(crate) fn sorted(mut self) -> Filter {
        for list in [&mut self.joined, &mut self.forbidden, &mut self.allowed] {
            list.sort_unstable();
            list.dedup();
        }
        self
    }

    /// Whether colliders `a` < `b` are tested against each other. Needs a sorted filter.
    pub(crate) fn meet(&self, a: (u32, u32, Groups), b: (u32, u32, Groups)) -> bool {
        let ((ia, ca, ga), (ib, cb, gb)) = (a, b);
        if ca == cb || (self.fixed[ca as usize] && self.fixed[cb as usize]) {
            return false;
        }
        let has = |list: &[(u32, u32)], x: u32, y: u32| !list.is_empty() && list.binary_search(&(x, y)).is_ok();
        if has(&self.forbidden, ia, ib) {
            return false;
        }
        has(&self.allowed, ia, ib) || (ga.meet(gb) && !has(&self.joined, ca.min(cb), ca.max(cb)))
    }
}
