//! Contacts of one state, added up: between two bodies, of one body, of all. Recordings have fixed columns, and
//! contacts come and go; their sums do not.

use holonom::math::Vec3;
use holonom::{BodyId, Contact, Friction, Model};

/// Several contact points as one.
#[derive(Clone, Copy, Debug)]
pub(super) struct ContactSum {
    /// N, on the first body.
    pub force: Vec3,
    /// Sum of the normal forces, N.
    pub normal: f64,
    pub points: usize,
    /// Slips if any point does, else sticks if any does.
    pub state: Friction,
}

const NOTHING: ContactSum = ContactSum { force: Vec3::ZERO, normal: 0.0, points: 0, state: Friction::None };

impl ContactSum {
    fn add(&mut self, force: Vec3, c: &Contact) {
        let state = c.friction;
        self.force += force;
        self.normal += c.force.dot(c.normal);
        self.points += 1;
        if code(state) > code(self.state) {
            self.state = state;
        }
    }
}

/// A state of friction as a number: 0 none, 1 stick, 2 slip.
pub(super) fn code(state: Friction) -> f64 {
    match state {
        Friction::None => 0.0,
        Friction::Stick => 1.0,
        Friction::Slip => 2.0,
    }
}

/// All contacts of one state.
#[derive(Clone, Debug, Default)]
pub(super) struct ContactSums {
    /// Sorted by numbers of bodies, the smaller first; the ground is the last.
    pairs: Vec<((usize, usize), ContactSum)>,
    bodies: Vec<Option<ContactSum>>,
    pub points: usize,
    /// Largest force at a point, N.
    pub largest: f64,
}

impl ContactSums {
    pub fn read(&mut self, model: &Model, all: impl Iterator<Item = Contact>) {
        self.pairs.clear();
        self.bodies.clear();
        self.bodies.resize(model.n_bodies(), None);
        (self.points, self.largest) = (0, 0.0);
        for c in all {
            let (a, b) = (slot(model, c.bodies.0), slot(model, c.bodies.1));
            let (pair, force) = if a < b { ((a, b), c.force) } else { ((b, a), -c.force) };
            let at = match self.pairs.binary_search_by_key(&pair, |p| p.0) {
                Ok(at) => at,
                Err(at) => {
                    self.pairs.insert(at, (pair, NOTHING));
                    at
                }
            };
            self.pairs[at].1.add(force, &c);
            for (body, force) in [(c.bodies.0, c.force), (c.bodies.1, -c.force)] {
                if let Some(i) = body.index() {
                    self.bodies[i].get_or_insert(NOTHING).add(force, &c);
                }
            }
            self.points += 1;
            self.largest = self.largest.max(c.force.length());
        }
    }

    /// Of the second body on the first.
    pub fn between(&self, model: &Model, a: BodyId, b: BodyId) -> ContactSum {
        let (a, b) = (slot(model, a), slot(model, b));
        let found = self.pairs.binary_search_by_key(&(a.min(b), a.max(b)), |p| p.0);
        let sum = found.map_or(NOTHING, |at| self.pairs[at].1);
        if a < b { sum } else { ContactSum { force: -sum.force, ..sum } }
    }

    /// Of all others on a body.
    pub fn of(&self, body: BodyId) -> ContactSum {
        body.index().and_then(|i| self.bodies[i]).unwrap_or(NOTHING)
    }
}

fn slot(model: &Model, body: BodyId) -> usize {
    body.index().unwrap_or(model.n_bodies())
}
