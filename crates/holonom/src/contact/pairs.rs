//! Who may touch whom: questions about the shapes of a model, without a state.
//!
//! Shapes of one body never meet, nor do those of two bodies that a joint connects (unless asked to) or that were told
//! to ignore each other. All other pairs do.

use super::detection::pushing;
use crate::catalogue::attach::BodyId;
use crate::model::shapes::{Carrying, ShapeId};
use crate::model::{JointId, Model};
use holonom_collide::CollisionShape as Shape;
use holonom_collide::Detector;

impl Model {
    /// Has this body (or the ground) a shape that may touch others?
    pub fn has_shape(&self, body: BodyId) -> bool {
        match body.index() {
            Some(i) => self.carries_shape.get(i) == Some(&true),
            None => self.shapes.all.iter().any(|s| s.body.is_ground()),
        }
    }

    /// How many shapes there are.
    pub fn n_shapes(&self) -> usize {
        self.shapes.all.len()
    }

    /// All shapes, in the order of creation.
    pub fn shapes(&self) -> impl ExactSizeIterator<Item = ShapeId> + use<> {
        (0..self.shapes.all.len() as u32).map(ShapeId)
    }

    /// A shape, and the body that carries it.
    pub fn shape(&self, id: ShapeId) -> (&Shape, BodyId) {
        let carrying = &self.shapes.all[id.index()];
        (&carrying.shape, carrying.body)
    }

    /// Who may touch whom.
    pub fn may_touch(&self) -> MayTouch {
        let mut of_body = vec![Vec::new(); self.n_bodies() + 1];
        for (i, shape) in self.shapes.all.iter().enumerate() {
            of_body[shape.body.index().unwrap_or(self.n_bodies())].push(i as u32);
        }
        let carriers = (0..of_body.len()).filter(|i| !of_body[*i].is_empty()).collect();
        // shapes were checked when the model was built
        MayTouch { detector: pushing(self), of_body, carriers }
    }

    /// Two shapes that are meant to touch, as no joint, group or [`crate::ModelBuilder::ignore_pair`] says otherwise,
    /// and that collision detection does not know as a pair ([`Detector::can_touch`]): they would pass through each
    /// other. Models with such shapes are refused.
    pub(crate) fn passing_shapes(&self) -> Option<(ShapeId, ShapeId)> {
        let all = &self.shapes.all;
        let round = |s: &Shape| {
            matches!(s, Shape::Ellipsoid { .. } | Shape::Cone { .. } | Shape::Tube { .. } | Shape::Torus { .. })
        };
        let thin = |s: &Shape| matches!(s, Shape::Mesh { .. } | Shape::HeightField { .. } | Shape::HalfSpace);
        let moves = |c: &&Carrying| !c.body.is_ground();
        // what does not move meets nothing else that does not
        if !all.iter().filter(moves).any(|c| thin(&c.shape)) && !all.iter().any(|c| round(&c.shape)) {
            return None;
        }
        let kept = |s: &Shape| thin(s) || round(s) || matches!(s, Shape::Cylinder { .. });
        let few: Vec<u32> = (0..all.len() as u32).filter(|i| kept(&all[*i as usize].shape)).collect();
        let detector = pushing(self)?;
        let pairs = few.iter().enumerate().flat_map(|(k, a)| few[k + 1..].iter().map(move |b| (*a, *b)));
        let mut passing = pairs.filter(|(a, b)| !detector.can_touch(*a, *b) && detector.meet(*a, *b));
        passing.next().map(|(a, b)| (ShapeId(a), ShapeId(b)))
    }

    /// Bodies with shapes that a joint holds to the ground, which has shapes too, so that they pass through those; with
    /// the joint. Not those that are fixed to it.
    pub fn held_to_the_ground(&self) -> impl Iterator<Item = (BodyId, JointId)> + '_ {
        let any = self.shapes.all.iter().any(|s| s.body.is_ground());
        let joints = self.joints.iter().enumerate().filter(move |(k, joint)| any && self.holds(*k, joint));
        joints.flat_map(move |(k, joint)| {
            let ends = joint.constraint.attachments();
            let grounded = ends.iter().any(|a| a.body.is_ground());
            let moving = ends.iter().find_map(|a| a.body.index()).filter(|_| grounded);
            let free = |i: &usize| self.carries_shape[*i] && (joint.n_rows as usize) < self.bodies[*i].n_dof();
            moving.filter(free).map(|i| (BodyId(i as u32), JointId(k as u32)))
        })
    }

    /// Does a joint hold bodies together, so that their shapes pass through each other? Relations between coordinates,
    /// and what drives them, hold nothing together.
    pub(super) fn holds(&self, k: usize, joint: &crate::model::Joint) -> bool {
        joint.n_rows > 0 && joint.constraint.reads().is_empty() && !self.shapes.colliding_joints.contains(&(k as u32))
    }

    /// How many multipliers a joint has: its rows in the equations, or those of a limit, a rope, dry friction or a
    /// capped drive.
    pub fn n_multipliers(&self, joint: JointId) -> usize {
        match self.inequalities.binary_search_by_key(&joint.0, |r| r.joint) {
            Ok(k) => self.inequalities[k].n_rows as usize,
            Err(_) => self.rows_of(joint).len(),
        }
    }

    /// Has a joint sides: is it a limit, a rope, dry friction or a capped drive?
    pub fn is_sided(&self, joint: JointId) -> bool {
        self.inequalities.binary_search_by_key(&joint.0, |r| r.joint).is_ok()
    }
}

/// Who may touch whom in a model.
pub struct MayTouch {
    detector: Option<Detector>,
    /// Shapes of every body, those of the ground last.
    of_body: Vec<Vec<u32>>,
    /// Bodies with shapes, ascending; the number of bodies stands for the ground.
    carriers: Vec<usize>,
}

impl MayTouch {
    fn slot(&self, body: BodyId) -> usize {
        body.index().unwrap_or(self.of_body.len() - 1)
    }

    /// May any shape of one touch any shape of the other?
    pub fn bodies(&self, a: BodyId, b: BodyId) -> bool {
        self.slots(self.slot(a), self.slot(b))
    }

    fn slots(&self, a: usize, b: usize) -> bool {
        let Some(detector) = &self.detector else { return false };
        a != b && self.of_body[a].iter().any(|i| self.of_body[b].iter().any(|j| detector.meet(*i, *j)))
    }

    /// Does a body (or the ground) carry shapes?
    pub fn carries(&self, body: BodyId) -> bool {
        !self.of_body[self.slot(body)].is_empty()
    }

    /// How many bodies carry shapes, the ground among them.
    pub fn n_carriers(&self) -> usize {
        self.carriers.len()
    }

    /// Bodies after `a` in the model, the ground last, that it may touch: every pair comes once, the earlier body
    /// first.
    pub fn partners(&self, a: BodyId) -> impl Iterator<Item = BodyId> + '_ {
        let (own, ground) = (self.slot(a), self.of_body.len() - 1);
        let from = self.carriers.partition_point(|c| *c <= own);
        let after = if self.carries(a) { &self.carriers[from..] } else { &[] };
        let id = move |slot: usize| if slot == ground { BodyId::GROUND } else { BodyId(slot as u32) };
        after.iter().filter(move |b| self.slots(own, **b)).map(move |b| id(*b))
    }

    /// Pairs of bodies that carry shapes: how many may touch, and how many may not because of joints or because they
    /// were told to ignore each other.
    pub fn count(&self) -> (usize, usize) {
        let ground = self.of_body.len() - 1;
        let (mut may, mut all) = (0, 0);
        for &a in self.carriers.iter().filter(|a| **a != ground) {
            may += self.partners(BodyId(a as u32)).count();
            all += self.carriers.len() - self.carriers.partition_point(|c| *c <= a);
        }
        (may, all - may)
    }
}
