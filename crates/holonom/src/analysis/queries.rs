//! Questions about where shapes are: rays, shapes that move along a line, nearest points.
//!
//! The answers are those of collision detection ([`holonom_collide::Detector::ray`], `cast`, `closest`): distances are
//! exact to rounding. All shapes take part, sensors too, whatever their groups and joints say; a filter leaves out what
//! is not wanted.

use crate::catalogue::attach::BodyId;
use crate::contact::detection::{Contacts, colliders};
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::evaluation::bodies_at;
use crate::math::{Mat3, Vec3};
use crate::model::Model;
use crate::model::shapes::ShapeId;
use crate::step::mechanism::Mechanism;
use holonom_collide::{Candidate, Collider, CollisionShape as Shape, Detector, Filter, Groups, RigidTransform};
use std::sync::Arc;

/// What a ray or a moving shape meets first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// The shape that is hit.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// How far along the way, m.
    pub distance: f64,
    /// Where, world axes, m.
    pub point: Vec3,
    /// Unit normal there, outward from what is hit, world axes; against the direction where the way starts inside.
    pub normal: Vec3,
}

/// Two points that are nearest to each other.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClosestPoints {
    /// The second shape.
    pub shape: ShapeId,
    /// Its body.
    pub body: BodyId,
    /// Distance, m; negative where the shapes overlap.
    pub distance: f64,
    /// On the first shape and on the second, world axes, m.
    pub points: (Vec3, Vec3),
    /// Unit normal from the second to the first, world axes.
    pub normal: Vec3,
}

/// The shapes of a simulation where they were at one moment ([`crate::Simulation::queries`]), to be asked.
pub struct Queries {
    model: Arc<Model>,
    detector: Detector,
    /// Of bodies, the ground and what is asked about.
    poses: Vec<RigidTransform>,
    memory: Vec<Candidate>,
}

impl Queries {
    pub(crate) fn new(mechanism: &mut Mechanism) -> Result<Queries, StepError> {
        let model = mechanism.model.clone();
        let (shapes, _) = colliders(&model);
        let everything = Groups { member: u32::MAX, with: u32::MAX };
        let mut all: Vec<Collider> = shapes.into_iter().map(|c| c.groups(everything)).collect();
        let n = model.n_bodies();
        all.push(Collider::new(Shape::Point, n as u32 + 1).groups(everything));
        let detector = Detector::new(all, Filter::new(n + 2)).map_err(StepError::Invalid)?;
        let mut queries =
            Queries { model, detector, poses: vec![RigidTransform::default(); n + 2], memory: Vec::new() };
        queries.follow(mechanism);
        Ok(queries)
    }

    pub(crate) fn is_of(&self, model: &Model) -> bool {
        std::ptr::eq(&*self.model, model)
    }

    /// Move the shapes to where they are now in a simulation of the same model.
    pub(crate) fn follow(&mut self, mechanism: &mut Mechanism) {
        let s = &mechanism.state;
        evaluate::place_bodies(&self.model, &s.q, &s.v, &mut mechanism.work.eval);
        mechanism.current = false;
        let bodies = &bodies_at(&self.model, &mechanism.work.eval.frames, &s.q, &s.v);
        for i in (0..self.model.n_bodies()).filter(|i| self.model.carries_shape[*i]) {
            self.poses[i] = Contacts::motion(&self.model, bodies, i).0;
        }
    }

    /// What a ray from `origin` along `direction` (of any length) hits first, at most `most` (m) away.
    ///
    /// Solids are hit where the ray enters them, or at once where it starts inside; meshes and height fields from their
    /// front. Points have no size and are never hit.
    pub fn ray(&mut self, origin: Vec3, direction: Vec3, most: f64) -> Option<Hit> {
        self.ray_where(origin, direction, most, |_, _| true)
    }

    /// The same among the shapes that are `wanted`, by shape and body.
    pub fn ray_where(
        &mut self,
        origin: Vec3,
        direction: Vec3,
        most: f64,
        wanted: impl Fn(ShapeId, BodyId) -> bool,
    ) -> Option<Hit> {
        let d = unit(direction)?;
        let mut best: Option<Hit> = None;
        for shape in self.model.shapes() {
            let body = self.model.shape(shape).1;
            if !wanted(shape, body) || !self.on_the_way(shape, origin, d, most) {
                continue;
            }
            let most = best.map_or(most, |b| b.distance);
            let Some(hit) = self.detector.ray(shape.0, &self.poses, origin, d, most) else { continue };
            if best.is_none_or(|b| hit.distance < b.distance) {
                best = Some(Hit { shape, body, distance: hit.distance, point: hit.point, normal: hit.normal });
            }
        }
        best
    }

    /// May a ray meet the ball around a shape?
    fn on_the_way(&self, shape: ShapeId, origin: Vec3, d: Vec3, most: f64) -> bool {
        let carrying = &self.model.shapes.all[shape.index()];
        let pose = &self.poses[carrying.body.index().unwrap_or(self.model.n_bodies())];
        let radius = carrying.radius * (1.0 + 1e-9);
        let arm = pose.point(carrying.place.position) - origin;
        let along = arm.dot(d);
        !radius.is_finite()
            || ((arm - d * along).length() <= radius + 1e-12 * arm.length()
                && along >= -radius
                && along - radius <= most)
    }

    /// How far a shape at a place can move along `direction` (of any length), without turning, until it touches
    /// something, at most `most` (m). `axes`: columns are its axes in the world.
    ///
    /// # Errors
    ///
    /// A shape or place that is not acceptable.
    pub fn cast(
        &mut self,
        shape: &Shape,
        (position, axes): (Vec3, Mat3),
        direction: Vec3,
        most: f64,
        wanted: impl Fn(ShapeId, BodyId) -> bool,
    ) -> Result<Option<Hit>, StepError> {
        let Some(d) = unit(direction) else { return Ok(None) };
        self.ask_about(shape, position, axes)?;
        let mut best: Option<Hit> = None;
        let most = self.farthest(most);
        for (carrier, body) in self.carriers() {
            if !self.offer(carrier, body, &wanted) {
                continue;
            }
            let most = best.map_or(most, |b| b.distance);
            let probe = self.poses.len() - 1;
            let hit = self.detector.cast(&mut self.poses, (probe, carrier), d, most, &mut self.memory);
            if let Some(hit) = hit.filter(|h| best.is_none_or(|b| h.distance < b.distance)) {
                let shape = ShapeId(hit.collider);
                best = Some(Hit { shape, body, distance: hit.distance, point: hit.point, normal: hit.normal });
            }
        }
        Ok(best)
    }

    /// The point of all `wanted` shapes that is nearest to a shape at a place, at most `most` (m) away; a
    /// [`Shape::Point`] asks about a place.
    ///
    /// # Errors
    ///
    /// A shape or place that is not acceptable.
    pub fn closest(
        &mut self,
        shape: &Shape,
        (position, axes): (Vec3, Mat3),
        most: f64,
        wanted: impl Fn(ShapeId, BodyId) -> bool,
    ) -> Result<Option<ClosestPoints>, StepError> {
        self.ask_about(shape, position, axes)?;
        let mut best: Option<ClosestPoints> = None;
        let most = self.farthest(most);
        for (carrier, body) in self.carriers() {
            if self.offer(carrier, body, &wanted) {
                let found = self.nearest((self.poses.len() - 1, carrier), body, most);
                best = found.filter(|f| best.is_none_or(|b| f.distance < b.distance)).or(best);
            }
        }
        Ok(best)
    }

    /// The points of two bodies that are nearest to each other, at most `most` (m) apart, whether or not they may
    /// touch.
    pub fn between(&mut self, a: BodyId, b: BodyId, most: f64) -> Option<ClosestPoints> {
        let n = self.model.n_bodies();
        let carrier = |body: BodyId| body.index().unwrap_or(n);
        let most = self.farthest(most);
        (0..self.model.n_shapes() as u32).for_each(|i| self.detector.switch(i, true));
        if a == b { None } else { self.nearest((carrier(a), carrier(b)), b, most) }
    }

    fn nearest(&mut self, pair: (usize, usize), body: BodyId, most: f64) -> Option<ClosestPoints> {
        let found = self.detector.closest(&self.poses, pair, most, &mut self.memory)?;
        Some(ClosestPoints {
            shape: ShapeId(found.colliders.1),
            body,
            distance: found.gap,
            points: found.points,
            normal: found.normal,
        })
    }

    fn ask_about(&mut self, shape: &Shape, position: Vec3, rotation: Mat3) -> Result<(), StepError> {
        let pose = RigidTransform { position, rotation };
        pose.validate().map_err(StepError::Invalid)?;
        let (probe, n) = (self.model.n_shapes() as u32, self.poses.len() - 1);
        self.detector.replace(probe, shape.clone()).map_err(StepError::Invalid)?;
        self.poses[n] = pose;
        Ok(())
    }

    /// Bodies with shapes, and the ground, as carriers.
    fn carriers(&self) -> Vec<(usize, BodyId)> {
        let n = self.model.n_bodies();
        let bodies = (0..n).map(|i| (i, BodyId(i as u32)));
        bodies.chain([(n, BodyId::GROUND)]).filter(|(_, body)| self.model.has_shape(*body)).collect()
    }

    /// Let only the wanted shapes of a carrier take part. Is there any?
    fn offer(&mut self, carrier: usize, body: BodyId, wanted: &impl Fn(ShapeId, BodyId) -> bool) -> bool {
        let mut any = false;
        for shape in self.model.shapes().filter(|s| self.detector.carrier(s.0) == carrier).collect::<Vec<_>>() {
            let takes_part = wanted(shape, body);
            self.detector.switch(shape.0, takes_part);
            any |= takes_part;
        }
        any
    }

    /// A distance that reaches everything there is, where `most` is larger, m.
    fn farthest(&self, most: f64) -> f64 {
        let places = self.poses.iter().map(|p| p.position.length());
        let radii =
            self.model.shapes.all.iter().map(|c| c.place.position.length() + c.radius).filter(|r| r.is_finite());
        let all = places.chain(radii).fold(1.0, f64::max);
        most.min(8.0 * all)
    }
}

fn unit(direction: Vec3) -> Option<Vec3> {
    let length = direction.length();
    (length > 0.0 && length.is_finite()).then(|| direction / length)
}
