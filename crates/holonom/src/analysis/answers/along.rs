//! Directions in which something is pushed, and along which speeds are read: a row of velocity coordinates.
//!
//! ```text
//! g        the row:  speed along it  g . v,       generalised force of a unit push  g^T
//! gdot_v   d(g . v)/dt = g . vdot + gdot_v
//! ```

use crate::catalogue::attach::{Attachment, AttachmentKind, Bodies, BodyId, Marker, View};
use crate::catalogue::coordinate;
use crate::error::StepError;
use crate::evaluate::evaluation::{Evaluation, bodies_at};
use crate::math::Vec3;
use crate::model::{JointId, Model, touched_bodies};

/// Where and which way: a point of a body along a direction, a body about an axis, or a coordinate of a joint. A push
/// of size 1 along it is 1 N, 1 N m, or 1 N (1 N m) along a coordinate that is a length (an angle); the speed along it
/// is what such a push does work with, m/s or rad/s.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PushAlong {
    /// A point of a body along a direction in world axes, which is taken as it is, whatever its length.
    Point(Marker, Vec3),
    /// A body about an axis in world axes, whatever its length.
    Turn(BodyId, Vec3),
    /// A coordinate of a joint: along a slider, about a hinge.
    Coordinate(JointId, usize),
}

impl PushAlong {
    /// A point of a body along a direction (world axes).
    pub fn point(at: Marker, direction: impl Into<Vec3>) -> Self {
        PushAlong::Point(at, direction.into())
    }

    /// A body about an axis (world axes).
    pub fn turn(body: BodyId, axis: impl Into<Vec3>) -> Self {
        PushAlong::Turn(body, axis.into())
    }

    /// Coordinate `index` of a joint.
    pub fn coordinate(joint: JointId, index: usize) -> Self {
        PushAlong::Coordinate(joint, index)
    }

    /// A point along x, y and z of the world: the three rows of its Jacobian.
    pub fn axes(at: Marker) -> [Self; 3] {
        [Vec3::X, Vec3::Y, Vec3::Z].map(|e| PushAlong::Point(at, e))
    }

    /// For messages: `rod at (0, 0, 1)`, `pin`.
    pub fn describe(&self, model: &Model) -> String {
        match self {
            PushAlong::Point(at, _) => format!("{} at {}", model.body_name(at.body), at.point),
            PushAlong::Turn(body, _) => format!("spin of {}", model.body_name(*body)),
            PushAlong::Coordinate(joint, 0) => model.joint_name(*joint).to_string(),
            PushAlong::Coordinate(joint, i) => format!("{}.{i}", model.joint_name(*joint)),
        }
    }

    /// Can it be asked of this model?
    pub(super) fn validate(&self, model: &Model) -> Result<(), StepError> {
        let refuse = |why: String| Err(StepError::Invalid(format!("{}: {why}", self.describe(model))));
        let (body, what, vector) = match *self {
            PushAlong::Coordinate(joint, i) => {
                let n = model.joints[joint.index()].measured().coordinates().len();
                return match i < n {
                    true => Ok(()),
                    false => {
                        let name = model.joint_name(joint);
                        let count = if n == 1 { "1 coordinate".into() } else { format!("{n} coordinates") };
                        Err(StepError::Invalid(format!(
                            "joint `{name}` has {count}, there is no number {i} (they count from 0)"
                        )))
                    }
                };
            }
            PushAlong::Point(at, e) => (at.body, AttachmentKind::Point(at.point), e),
            PushAlong::Turn(body, e) => (body, AttachmentKind::Spin, e),
        };
        if !vector.is_finite() {
            return refuse(format!("the direction is {vector}, must be finite"));
        }
        match body.index().map(|i| model.bodies[i].can_carry(&what)) {
            Some(Err(why)) => {
                refuse(format!("body `{}` cannot carry {}: {why}", model.body_name(body), what.describe()))
            }
            _ => Ok(()),
        }
    }

    /// g into `row`, and gdot_v, at `(q, v)` whose frames are in `eval`.
    pub(super) fn write(
        &self,
        model: &Model,
        (q, v): (&[f64], &[f64]),
        eval: &Evaluation,
        row: &mut [f64],
    ) -> Result<f64, StepError> {
        self.validate(model)?;
        row.fill(0.0);
        Ok(self.write_at(model, &bodies_at(model, &eval.frames, q, v), row))
    }

    /// The same of bodies that are placed, for what has been validated; g is added to `row`.
    pub(super) fn write_at(&self, model: &Model, bodies: &Bodies, row: &mut [f64]) -> f64 {
        let mut pull = |a: &Attachment, g: Vec3| {
            let range = model.v_range(a.body);
            if !range.is_empty() {
                bodies.pull(a, g, &mut row[range]);
            }
        };
        let (a, g) = match *self {
            PushAlong::Point(at, e) => (at.p(), e),
            PushAlong::Turn(body, e) => (Attachment::spin(body), e),
            PushAlong::Coordinate(joint, i) => {
                let constraint = model.joints[joint.index()].measured();
                let view = View::new(bodies, constraint.attachments());
                coordinate::gradient(constraint, &view, i, |k, g| pull(&constraint.attachments()[k], g));
                return coordinate::acceleration(constraint, &view, i, |k| view.get(k).jdot_v);
            }
        };
        pull(&a, g);
        if a.body.is_ground() { 0.0 } else { g.dot(bodies.carry(&a).jdot_v) }
    }

    /// Bodies whose coordinates it depends on.
    pub(super) fn bodies(&self, model: &Model) -> Vec<u32> {
        match *self {
            PushAlong::Point(at, _) => at.body.index().map(|i| i as u32).into_iter().collect(),
            PushAlong::Turn(body, _) => body.index().map(|i| i as u32).into_iter().collect(),
            PushAlong::Coordinate(joint, _) => touched_bodies(model.joints[joint.index()].measured().attachments()),
        }
    }
}
