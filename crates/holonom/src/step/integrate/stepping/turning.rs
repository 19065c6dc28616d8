//! Bodies that turn far in one step while they are near others.
//!
//! Rows are linear in the motion of a step: a point at the distance r from the centre of its body that turns by the
//! angle a leaves the straight line by r (1 - cos a), and the features that are nearest change. So a step in which a
//! body turns by more than `TURN` while it may touch something is taken in parts. What is round about the axis of its
//! spin does not turn in this sense: a ball, a wheel that rolls.

use super::Stepping;
use crate::catalogue::attach::{Attachment, AttachmentKind, Bodies, BodyId};
use crate::contact::inequality::RowBound;
use crate::evaluate::evaluation::bodies_at;
use crate::math::Vec3;
use crate::model::Model;
use crate::step::integrate::Motion;
use holonom_collide::CollisionShape as Shape;

/// rad
const TURN: f64 = 0.25;

impl Stepping {
    /// How many times shorter the step must be, if it is too long for bodies that turn near others.
    pub(super) fn too_far(&self, m: &Motion<'_>, h: f64) -> Option<usize> {
        let (model, ineq) = (m.model, &m.work.contact.rows);
        if ineq.touches.is_empty() {
            return None;
        }
        let bodies = &bodies_at(model, &m.work.eval.frames, m.q, m.v);
        let spin = |body: BodyId| spin(model, bodies, body);
        let fall = model.gravity.length() * h * h;
        let mut most = TURN;
        for touch in &ineq.touches {
            let block = &ineq.blocks[touch.block as usize];
            debug_assert!(matches!(block.bound, RowBound::Push { .. } | RowBound::Soft { .. }));
            let ends = [touch.bodies.0, touch.bodies.1];
            let spins = ends.map(spin);
            if spins.iter().all(|w| h * w.length() <= most) {
                continue;
            }
            let turns = [0, 1].map(|k| turn(model, bodies, ends[k], spins[k], h));
            // how far the points that turn farthest may go at all
            let sweep: f64 = turns.iter().map(|(angle, arm)| 2.0 * arm * (0.5 * angle).min(1.0)).sum();
            let row = block.row as usize;
            let straight = h * (-ineq.rate[row]).max(0.0) + fall;
            if ineq.gap[row] <= straight + sweep {
                most = turns.iter().fold(most, |m, (angle, _)| m.max(*angle));
            }
        }
        (most > TURN).then(|| libm::ceil(most / TURN).min(1e6) as usize)
    }
}

/// rad/s, world axes.
pub(super) fn spin(model: &Model, bodies: &Bodies, body: BodyId) -> Vec3 {
    match body.index() {
        Some(i) if model.bodies[i].can_carry(&AttachmentKind::Spin).is_ok() => {
            bodies.carry(&Attachment::spin(body)).rate
        }
        _ => Vec3::ZERO,
    }
}

/// By what angle the shapes of a body turn in the time `h`, rad, but for what is round about its spin `w`, and how far
/// from its origin they reach, m.
fn turn(model: &Model, bodies: &Bodies, body: BodyId, w: Vec3, h: f64) -> (f64, f64) {
    if w == Vec3::ZERO {
        return (0.0, 0.0);
    }
    let world = |d: Vec3| bodies.carry(&Attachment { body, what: AttachmentKind::Direction(d) }).at;
    let (mut angle, mut reach) = (0.0f64, 0.0f64);
    for shape in model.shapes.all.iter().filter(|s| s.body == body) {
        let aside = shape.place.position.length();
        let (axis, arm) = match *shape.shape {
            Shape::Point | Shape::Sphere { .. } => (None, 0.0),
            Shape::Capsule { half_length, .. } => (Some(shape.place.rotation.z_axis), half_length),
            Shape::Cylinder { half_length, radius } => (Some(shape.place.rotation.z_axis), half_length + radius),
            _ => (None, shape.shape.bounding_radius()),
        };
        let tilting = axis.map_or(w.length(), |axis| w.cross(world(axis)).length());
        let reached = aside + arm;
        if reached > 0.0 && arm.is_finite() {
            let going = if aside > 0.0 { w.cross(world(shape.place.position)).length() } else { 0.0 };
            angle = angle.max(h * (going + tilting * arm) / reached);
            reach = reach.max(reached);
        } else if !arm.is_finite() {
            // a plane that turns: as far as anything is from it
            angle = angle.max(h * w.length());
        }
    }
    (angle, reach)
}
