//! Collision detection for a model: candidates for contacts at a state.

mod ahead;

use crate::catalogue::attach::{Bodies, BodyId};
use crate::model::Model;
pub(crate) use ahead::{KnownTouches, Seen};
use holonom_collide::{Candidate, CarrierMotion, Collider, Detector, Filter, RigidTransform};

/// Shapes as collision detection wants them, and which pairs it looks at. The ground's carrier is the last.
pub(crate) fn colliders(model: &Model) -> (Vec<Collider>, Filter) {
    let n = model.n_bodies() as u32;
    let shapes = &model.shapes;
    let carrier = |body: BodyId| body.index().map_or(n, |i| i as u32);
    let colliders = shapes
        .all
        .iter()
        .map(|c| Collider::new(c.shape.clone(), carrier(c.body)).place(c.place).groups(c.groups))
        .collect();
    let mut filter = Filter::new(n as usize + 1).fixed(n);
    for &(a, b) in &shapes.ignored {
        filter = filter.joined(a.min(n), b.min(n));
    }
    for (k, joint) in model.joints.iter().enumerate() {
        if model.holds(k, joint) {
            let mut ends: Vec<u32> = joint.constraint.attachments().iter().map(|a| carrier(a.body)).collect();
            ends.sort_unstable();
            ends.dedup();
            for (i, &a) in ends.iter().enumerate() {
                filter = ends[i + 1..].iter().fold(filter, |filter, &b| filter.joined(a, b));
            }
        }
    }
    (colliders, filter)
}

/// All shapes, sensors among them, to be asked which of them meet and how far apart they are.
pub(crate) fn meeting(model: &Model) -> Option<Detector> {
    let (colliders, filter) = colliders(model);
    Detector::new(colliders, filter).ok()
}

/// The same without sensors: they push nothing.
pub(crate) fn pushing(model: &Model) -> Option<Detector> {
    let mut detector = meeting(model)?;
    let sensors = model.shapes.all.iter().zip(0..).filter(|(c, _)| c.sensor);
    sensors.for_each(|(_, i)| detector.switch(i, false));
    Some(detector)
}

/// Collision detection for a model.
pub(crate) struct Contacts {
    detector: Option<Detector>,
    poses: Vec<RigidTransform>,
    reach: Vec<f64>,
    /// Of origins, m/s, and of bodies, rad/s.
    speed: Vec<f64>,
    spin: Vec<f64>,
    /// Radius about the body's origin that holds all of its shapes, m.
    extent: Vec<f64>,
    pub candidates: Vec<Candidate>,
    /// Motions along a step, the greatest speeds of any points of bodies in it, m/s, and candidates of a look inside.
    motions: Vec<CarrierMotion>,
    fastest: Vec<f64>,
    ahead: Vec<Candidate>,
}

impl Contacts {
    pub fn new(model: &Model) -> Self {
        let n = model.n_bodies();
        let mut extent = vec![0.0f64; n + 1];
        for c in &model.shapes.all {
            let k = c.body.index().unwrap_or(n);
            extent[k] = extent[k].max(c.place.position.length() + c.shape.bounding_radius());
        }
        // shapes were checked when the model was built
        let detector = if model.shapes.is_empty() { None } else { pushing(model) };
        Contacts {
            detector,
            poses: vec![RigidTransform::default(); n + 1],
            reach: vec![0.0; n + 1],
            speed: vec![0.0; n + 1],
            spin: vec![0.0; n + 1],
            extent,
            candidates: Vec::new(),
            motions: vec![CarrierMotion::default(); n + 1],
            fastest: vec![0.0; n + 1],
            ahead: Vec::new(),
        }
    }

    /// Radius about the origin of a body that holds all of its shapes, m.
    pub fn extent(&self, body: usize) -> f64 {
        self.extent[body]
    }

    /// Candidates for all touches within the time `h`, at a state whose frames are up to date.
    pub fn detect(&mut self, model: &Model, bodies: &Bodies, h: f64) {
        let fall = model.gravity.length() * h;
        self.place(model, bodies, |speed| h * (speed + fall));
    }

    /// What was detected for the time `h` may have become too little by its end: joints, springs and impacts make
    /// bodies faster than weight does. Those that are faster at this later state reach farther from where they were,
    /// and candidates are found anew.
    pub fn detect_faster(&mut self, model: &Model, bodies: &Bodies, h: f64) {
        if self.detector.is_none() {
            return;
        }
        let fall = model.gravity.length() * h;
        let mut farther = false;
        for i in (0..model.n_bodies()).filter(|&i| model.carries_shape[i]) {
            let (_, speed, spin) = Self::motion(model, bodies, i);
            let arm = if spin.max(self.spin[i]) > 0.0 { self.arm(i) } else { 0.0 };
            let (before, now) = (self.speed[i] + self.spin[i] * arm, speed + spin * arm);
            // falling was foreseen; of all else as much again as it has gained, because it may have been faster in
            // between
            if h * now > self.reach[i] * (1.0 + 1e-9) {
                (self.reach[i], farther) = (h * (2.0 * now - before + fall), true);
            }
        }
        if let Some(detector) = self.detector.as_mut().filter(|_| farther) {
            self.candidates.clear();
            detector.detect(&self.poses, &self.reach, &mut self.candidates);
        }
    }

    /// The largest of the reaches that candidates were last detected with, m.
    pub fn longest_reach(&self) -> f64 {
        self.reach.iter().fold(0.0, |m: f64, x| m.max(*x))
    }

    /// How far any point of a shape goes in the unit of time at the velocities of these bodies, m.
    pub fn farthest(&self, model: &Model, bodies: &Bodies) -> f64 {
        let far = |i: usize| {
            let (_, speed, spin) = Self::motion(model, bodies, i);
            speed + if spin > 0.0 { spin * self.arm(i) } else { 0.0 }
        };
        (0..model.n_bodies()).filter(|&i| model.carries_shape[i]).map(far).fold(0.0, f64::max)
    }

    /// Candidates for all shapes that are at most `distance` apart, m.
    pub fn detect_within(&mut self, model: &Model, bodies: &Bodies, distance: f64) {
        // the reaches of both bodies of a pair count together, and the ground has none
        self.place(model, bodies, |_| distance);
    }

    /// Carriers at a state, for [`Contacts::nearest`].
    pub fn place_carriers(&mut self, model: &Model, bodies: &Bodies) {
        for i in (0..model.n_bodies()).filter(|&i| self.extent[i] > 0.0 || model.carries_shape[i]) {
            (self.poses[i], self.speed[i], self.spin[i]) = Self::motion(model, bodies, i);
        }
    }

    /// Candidates between two bodies where they were placed last, that with the least gap among them, where it is at
    /// most `most`, m.
    pub fn nearest(&mut self, bodies: (BodyId, BodyId), most: f64) -> &[Candidate] {
        self.candidates.clear();
        if let Some(detector) = &mut self.detector {
            let carrier = |body: BodyId| body.index().unwrap_or(self.poses.len() - 1);
            detector.nearest(&self.poses, (carrier(bodies.0), carrier(bodies.1)), most, &mut self.candidates);
        }
        &self.candidates
    }

    fn place(&mut self, model: &Model, bodies: &Bodies, reach: impl Fn(f64) -> f64) {
        self.candidates.clear();
        if self.detector.is_none() {
            return;
        }
        self.place_carriers(model, bodies);
        for i in (0..model.n_bodies()).filter(|&i| model.carries_shape[i]) {
            let turning = if self.spin[i] > 0.0 { self.spin[i] * self.arm(i) } else { 0.0 };
            self.reach[i] = reach(self.speed[i] + turning);
        }
        if let Some(detector) = &mut self.detector {
            detector.detect(&self.poses, &self.reach, &mut self.candidates);
        }
    }

    /// Pose of a body, the speed of its origin, m/s, and its spin, rad/s.
    pub(crate) fn motion(model: &Model, bodies: &Bodies, i: usize) -> (RigidTransform, f64, f64) {
        let (pose, velocity, spin) = Self::velocities(model, bodies, i);
        (pose, velocity.length(), spin.length())
    }

    /// How far from the origin of a body its shapes matter, m: their extent, or, where that is infinite (a half-space),
    /// as far as anything else is.
    fn arm(&self, i: usize) -> f64 {
        if self.extent[i].is_finite() {
            return self.extent[i];
        }
        let others = self.extent.iter().zip(&self.poses).filter(|(extent, _)| extent.is_finite());
        others.map(|(extent, pose)| (pose.position - self.poses[i].position).length() + extent).fold(0.0, f64::max)
    }
}
