//! Shapes on bodies: collecting and checking them.

use super::builder::ModelBuilder;
use crate::catalogue::attach::{BodyId, Marker};
use crate::catalogue::bodies::Body;
use crate::error::ModelError;
use crate::math::Vec3;
use crate::model::shapes::{Carrying, ImpactLaw, Material, ShapeId, Shapes};
use crate::model::{JointId, Model, Names};
use holonom_collide::{CollisionShape as Shape, Groups, RigidTransform};
use std::sync::Arc;

impl ModelBuilder {
    /// Give a body (or the ground) a shape, placed at `marker`: its origin at the marker's point, its axes along the
    /// marker's.
    pub fn shape(&mut self, marker: Marker, shape: Shape, material: Material) -> ShapeId {
        let place = RigidTransform { position: marker.point, rotation: marker.axes };
        let radius = shape.bounding_radius();
        self.shapes.all.push(Carrying {
            body: marker.body,
            shape: Arc::new(shape),
            place,
            material,
            groups: Groups::default(),
            radius,
            surface_velocity: Vec3::ZERO,
            sensor: false,
        });
        ShapeId(self.shapes.all.len() as u32 - 1)
    }

    /// A shape belongs to the groups `member` and touches members of the groups `with`, one bit each; two shapes touch
    /// if each meets the other. Without it: member of group 1 (the lowest bit), with all.
    pub fn shape_groups(&mut self, shape: ShapeId, member: u32, with: u32) -> &mut Self {
        if let Some(carrying) = self.shapes.all.get_mut(shape.index()) {
            carrying.groups = Groups { member, with };
        }
        self
    }

    /// The surface of a shape runs over its body at this velocity (axes of the shape, m/s): a conveyor belt. Of it the
    /// part along the plane of a touch counts; what touches is carried along by friction.
    pub fn surface_velocity(&mut self, shape: ShapeId, velocity: impl Into<Vec3>) -> &mut Self {
        if let Some(carrying) = self.shapes.all.get_mut(shape.index()) {
            carrying.surface_velocity = carrying.place.rotation * velocity.into();
        }
        self
    }

    /// A shape that notices what enters and leaves it and pushes nothing ([`crate::EventKind::Enters`],
    /// [`crate::Simulation::sensed`]).
    pub fn sensor(&mut self, shape: ShapeId) -> &mut Self {
        if let Some(carrying) = self.shapes.all.get_mut(shape.index()) {
            carrying.sensor = true;
        }
        self
    }

    /// What two shapes do to each other, whatever their own materials say.
    pub fn pair(&mut self, a: ShapeId, b: ShapeId, material: Material) -> &mut Self {
        self.shapes.pairs.insert((a.0.min(b.0), a.0.max(b.0)), material);
        self
    }

    /// The law of impacts that simulations of the model start with ([`crate::Simulation::set_impacts`] changes it).
    pub fn impacts(&mut self, law: ImpactLaw) -> &mut Self {
        self.shapes.impacts = law;
        self
    }

    /// Shapes of these two bodies pass through each other.
    pub fn ignore_pair(&mut self, a: BodyId, b: BodyId) -> &mut Self {
        self.shapes.ignored.insert((a.0.min(b.0), a.0.max(b.0)));
        self
    }

    /// Shapes of the bodies that this joint connects collide with each other. Without it they do not.
    pub fn collide_across(&mut self, joint: JointId) -> &mut Self {
        self.shapes.colliding_joints.insert(joint.0);
        self
    }
}

/// Refuse shapes that would pass through each other although they are meant to touch.
pub(super) fn check_pairs(model: &Model) -> Result<(), ModelError> {
    let Some((a, b)) = model.passing_shapes() else { return Ok(()) };
    let of = |id: ShapeId| (id.index(), model.body_name(model.shape(id).1).to_string());
    let ((shape, body), (other, on)) = (of(a), of(b));
    let (kind, other_kind) = (model.shape(a).0.kind(), model.shape(b).0.kind());
    let reason = format!(
        "{kind} and {other_kind} (shape {other} on `{on}`) do not meet each other and would pass through: use shapes that do \
         (a convex hull, or several), or let the two bodies pass (`ignore_pair`)"
    );
    Err(ModelError::Shape { shape, body, reason })
}

/// Check shapes when a model is built.
pub(super) fn check(shapes: &Shapes, bodies: &[Arc<dyn Body>], names: &Names) -> Result<(), ModelError> {
    for (i, carrying) in shapes.all.iter().enumerate() {
        let refuse = |reason: String| {
            let body = match carrying.body.index() {
                Some(k) if k < bodies.len() => names.get(k).to_string(),
                Some(k) => format!("number {k}"),
                None => "ground".into(),
            };
            Err(ModelError::Shape { shape: i, body, reason })
        };
        carrying.shape.validate().or_else(refuse)?;
        carrying.material.validate().or_else(refuse)?;
        if !carrying.place.position.is_finite() || !carrying.place.rotation.is_finite() {
            refuse("its place is not finite".into())?;
        }
        if !carrying.surface_velocity.is_finite() {
            refuse("the velocity of its surface is not finite".into())?;
        }
        let Some(k) = carrying.body.index() else { continue };
        let Some(body) = bodies.get(k) else {
            refuse(format!("there are only {} bodies", bodies.len()))?;
            continue;
        };
        if !body.keeps_shape() {
            refuse(format!("a {} does not keep its shape; rigid and planar bodies and particles do", body.kind()))?;
        }
    }
    for (&(a, b), material) in &shapes.pairs {
        if (b as usize) >= shapes.all.len() {
            let reason = format!("there are only {} shapes", shapes.all.len());
            return Err(ModelError::Shape { shape: b as usize, body: "pair".into(), reason });
        }
        let refuse = |reason| ModelError::Shape { shape: a as usize, body: "pair".into(), reason };
        material.validate().map_err(refuse)?;
    }
    Ok(())
}
