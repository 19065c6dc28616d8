//! Energies, momentum, and the ledger.
//!
//! The ledger: with E = kinetic energy + potential energy of the bodies (gravity),
//!
//! ```text
//! E(now) - E(start) = work of every force + work of every joint + change by projection + imposed change + integrator's error
//! ```
//!
//! Every work is integrated with the stages of the integrator; the projection's change is measured; the integrator's error is what
//! is left. Joints that hold still in time do no work: their entries measure how well the velocities obey them.

use crate::bodies::{Inertia, Momentum, frame_of, half_square};
use crate::evaluate::place_bodies;
use crate::model::{ForceId, JointId, Model};
use crate::state::State;
use crate::workspace::{Workspace, bodies_at};
use holonom_tree::packed;

/// Energies of a state, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// 1/2 v^T M v.
    pub kinetic: f64,
    /// Of the bodies in the field of gravity; zero at height zero.
    pub gravity: f64,
    /// Stored in springs and other force laws.
    pub elastic: f64,
}

impl Energy {
    /// The sum.
    pub fn total(&self) -> f64 {
        self.kinetic + self.gravity + self.elastic
    }
}

/// Kinetic plus potential energy of the bodies.
pub(crate) fn mechanical(model: &Model, q: &[f64], v: &[f64]) -> f64 {
    let (kinetic, potential) = kinetic_and_potential(model, q, v);
    kinetic + potential
}

fn kinetic_and_potential(model: &Model, q: &[f64], v: &[f64]) -> (f64, f64) {
    let (mut kinetic, mut potential) = (0.0, 0.0);
    // enough for all bodies of ours; a user's larger body takes memory from the heap, kept for the next
    let (mut small, mut large) = ([0.0; packed::len(12) + 12], Vec::new());
    for (i, body) in model.bodies.iter().enumerate() {
        let (qi, vi) = (model.q_of(i, q), model.v_of(i, v));
        potential += body.potential(qi, model.gravity);
        let n = vi.len();
        let n_mass = if body.central() { 7 } else { packed::len(n) };
        let memory = if n <= 12 {
            &mut small[..]
        } else {
            large.resize(n_mass + n, 0.0);
            &mut large[..]
        };
        memory.fill(0.0);
        let (mass, force) = memory.split_at_mut(n_mass);
        let frame = frame_of(body.as_ref(), qi, vi);
        body.evaluate(qi, vi, &frame, model.gravity, Inertia { mass, force: &mut force[..n] });
        kinetic += half_square(body.central(), mass, vi);
    }
    (kinetic, potential)
}

/// Energies at a state.
pub(crate) fn energies(model: &Model, state: &State, work: &mut Workspace) -> Energy {
    place_bodies(model, &state.q, &state.v, work);
    let bodies = &bodies_at(model, &work.frames, &state.q, &state.v);
    let elastic = model
        .forces
        .iter()
        .map(|f| f.law.energy(&work.angles.view(bodies, f.law.attachments(), &f.slots, state.t), state.t))
        .sum::<f64>();
    let (kinetic, gravity) = kinetic_and_potential(model, &state.q, &state.v);
    Energy { kinetic, gravity, elastic }
}

/// Total momentum.
pub(crate) fn momentum(model: &Model, state: &State) -> Momentum {
    let mut sum = Momentum::default();
    for (i, body) in model.bodies.iter().enumerate() {
        let m = body.momentum(model.q_of(i, &state.q), model.v_of(i, &state.v));
        sum.linear += m.linear;
        sum.angular += m.angular;
    }
    sum
}

/// The energy ledger of a run: where the energy of the bodies went, J. Positive entries gave energy to the bodies.
#[derive(Clone, Debug, PartialEq)]
pub struct Ledger {
    /// Change of kinetic plus gravitational energy since the ledger was opened.
    pub change: f64,
    /// Work of each force, in the order of the model.
    pub forces: Vec<f64>,
    /// Work of each joint, in the order of the model.
    pub joints: Vec<f64>,
    /// Change made by projection.
    pub projection: f64,
    /// Change imposed by hand: impulses, and steps by the law f = m v.
    pub imposed: f64,
    /// What is left: the integrator's own error.
    pub integrator: f64,
}

impl Ledger {
    pub(crate) fn read(model: &Model, state: &State) -> Ledger {
        let (forces, rest) = state.work.split_at(model.n_forces());
        let (joints, rest) = rest.split_at(model.n_joints());
        let change = mechanical(model, &state.q, &state.v) - state.opening_energy;
        let accounted: f64 = state.work.iter().sum();
        Ledger {
            change,
            forces: forces.to_vec(),
            joints: joints.to_vec(),
            projection: rest[0],
            imposed: rest[1],
            integrator: change - accounted,
        }
    }

    /// Work of one force.
    pub fn force(&self, id: ForceId) -> f64 {
        self.forces[id.index()]
    }

    /// Work of one joint.
    pub fn joint(&self, id: JointId) -> f64 {
        self.joints[id.index()]
    }
}
