//! Collecting bodies, joints and forces.

use crate::catalogue::attach::{Attachment, BodyId, Marker};
use crate::catalogue::bodies::Body;
use crate::catalogue::coordinate::Coordinate;
use crate::catalogue::forces::Force;
use crate::catalogue::joints::Constraint;
use crate::math::{Mat3, Vec3, perpendicular, vec3};
use crate::model::choices::Assembly;
use crate::model::shapes::Shapes;
use crate::model::{ForceId, JointId, JointStatus, Start};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Collects bodies, joints and forces, then builds a [`Model`](crate::Model).
///
/// Angles in rad, SI units, z up; gravity is (0, 0, -9.81) m/s^2 unless changed.
pub struct ModelBuilder {
    pub(crate) bodies: Vec<Arc<dyn Body>>,
    pub(crate) joints: Vec<(Arc<dyn Constraint>, JointStatus)>,
    pub(crate) forces: Vec<Arc<dyn Force>>,
    pub(crate) body_names: Vec<Box<str>>,
    pub(crate) joint_names: Vec<Box<str>>,
    pub(crate) force_names: Vec<Box<str>>,
    pub(crate) gravity: Vec3,
    pub(crate) lock_rows: bool,
    pub(crate) assembly: Assembly,
    pub(crate) compliance: BTreeMap<u32, (f64, f64)>,
    pub(crate) break_loads: BTreeMap<u32, (f64, f64)>,
    pub(crate) shapes: Shapes,
    pub(crate) start: Option<Start>,
}

impl Default for ModelBuilder {
    fn default() -> Self {
        ModelBuilder {
            bodies: Vec::new(),
            joints: Vec::new(),
            forces: Vec::new(),
            body_names: Vec::new(),
            joint_names: Vec::new(),
            force_names: Vec::new(),
            gravity: vec3(0.0, 0.0, -9.81),
            lock_rows: true,
            assembly: Assembly::default(),
            compliance: BTreeMap::new(),
            break_loads: BTreeMap::new(),
            shapes: Shapes::default(),
            start: None,
        }
    }
}

impl ModelBuilder {
    /// An empty model.
    pub fn new() -> Self {
        Self::default()
    }

    /// Change gravity, m/s^2.
    pub fn gravity(&mut self, gravity: impl Into<Vec3>) -> &mut Self {
        self.gravity = gravity.into();
        self
    }

    /// Add a body.
    pub fn body(&mut self, name: impl Into<String>, body: impl Body + 'static) -> BodyId {
        self.shared_body(name, Arc::new(body))
    }

    /// Add a body that is boxed already.
    pub fn boxed_body(&mut self, name: impl Into<String>, body: Box<dyn Body>) -> BodyId {
        self.shared_body(name, body.into())
    }

    fn shared_body(&mut self, name: impl Into<String>, body: Arc<dyn Body>) -> BodyId {
        self.body_names.push(name.into().into_boxed_str());
        self.bodies.push(body);
        BodyId(self.bodies.len() as u32 - 1)
    }

    /// Add a joint, or any other constraint.
    pub fn joint(&mut self, name: impl Into<String>, constraint: impl Constraint + 'static) -> JointId {
        self.shared_joint(name, Arc::new(constraint))
    }

    /// Add a joint that is boxed already.
    pub fn boxed_joint(&mut self, name: impl Into<String>, constraint: Box<dyn Constraint>) -> JointId {
        self.shared_joint(name, constraint.into())
    }

    /// Add a joint that another model may hold too.
    pub(crate) fn shared_joint(&mut self, name: impl Into<String>, constraint: Arc<dyn Constraint>) -> JointId {
        self.joint_names.push(name.into().into_boxed_str());
        self.joints.push((constraint, JointStatus::Active));
        JointId(self.joints.len() as u32 - 1)
    }

    /// Add a force.
    pub fn force(&mut self, name: impl Into<String>, force: impl Force + 'static) -> ForceId {
        self.shared_force(name, Arc::new(force))
    }

    /// Add a force from a box, for lists of mixed kinds.
    pub fn boxed_force(&mut self, name: impl Into<String>, force: Box<dyn Force>) -> ForceId {
        self.shared_force(name, force.into())
    }

    fn shared_force(&mut self, name: impl Into<String>, force: Arc<dyn Force>) -> ForceId {
        self.force_names.push(name.into().into_boxed_str());
        self.forces.push(force);
        ForceId(self.forces.len() as u32 - 1)
    }

    /// Coordinate `i` of a joint, to be driven, coupled or pulled.
    ///
    /// # Panics
    /// When the joint is not of this builder.
    pub fn coordinate(&self, joint: JointId, i: usize) -> Coordinate {
        let k = joint.index();
        Coordinate { joint: self.joints[k].0.clone(), name: self.joint_names[k].clone(), index: i }
    }

    /// A constraint that was added.
    ///
    /// # Panics
    /// When the joint is not of this builder.
    pub fn constraint(&self, joint: JointId) -> &dyn Constraint {
        self.joints[joint.index()].0.as_ref()
    }

    /// Let every joint enter by its general rows, never as a lock. The answers are the same to rounding; for checking.
    pub fn general_rows_only(&mut self) -> &mut Self {
        self.lock_rows = false;
        self
    }

    /// How the parts are brought together where the start poses do not fit.
    pub fn assembly(&mut self, how: Assembly) -> &mut Self {
        self.assembly = how;
        self.lock_rows &= how != Assembly::Open;
        self
    }

    /// How much a joint gives way in reality, in translation (m/N) and rotation (rad/(N m)). It does not change the
    /// motion, only how loads are shared out where joints are redundant: in proportion to stiffness. Joints without a
    /// compliance count as the mean of those that have one.
    pub fn compliance(&mut self, joint: JointId, translation: f64, rotation: f64) -> &mut Self {
        self.compliance.insert(joint.0, (translation, rotation));
        self
    }

    /// Let a joint break when the force (N) or the torque (N m) of its reaction exceeds these; infinity for one that
    /// does not matter. The moment is found to a millionth of a step.
    pub fn break_load(&mut self, joint: JointId, force: f64, torque: f64) -> &mut Self {
        self.break_loads.insert(joint.0, (force, torque));
        self
    }

    /// A marker on a rigid, planar or affine body given in *world* terms at the start pose: the point, and the
    /// direction of its z axis.
    ///
    /// # Panics
    /// When the body is not of this builder, or carries no directions (a particle).
    pub fn marker(&self, body: BodyId, point: impl Into<Vec3>, axis: impl Into<Vec3>) -> Marker {
        let (point, z) = (point.into(), axis.into().normalize());
        let (x, y) = perpendicular(z);
        let axes = Mat3::from_cols(x, y, z);
        let Some(i) = body.index() else { return Marker { body, point, axes } };
        let b = &self.bodies[i];
        let (mut q, mut v) = (vec![0.0; b.n_q()], vec![0.0; b.n_dof()]);
        b.initial(&mut q, &mut v);
        let see = |a: Attachment| b.carry(&q, &v, &a.what).at;
        let origin = see(Attachment::point(body, Vec3::ZERO));
        let turn = Mat3::from_cols(
            see(Attachment::direction(body, Vec3::X)),
            see(Attachment::direction(body, Vec3::Y)),
            see(Attachment::direction(body, Vec3::Z)),
        )
        .inverse();
        Marker { body, point: turn * (point - origin), axes: turn * axes }
    }
}
