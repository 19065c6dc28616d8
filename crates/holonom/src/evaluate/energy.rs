//! Energies, momentum, and the ledger.
//!
//! The ledger: with E = kinetic energy + potential energy of the bodies (gravity, and what elastic bodies store
//! inside),
//!
//! ```text
//! E(now) - E(start) = work of every force + work of every joint + work of friction inside bodies (never positive)
//!                     + work of friction in contacts + work of impacts + work of joints and drives in blows
//!                     + change by projection + change by time stepping + imposed change + integrator's error
//! ```
//!
//! Every work is integrated with the stages of the integrator; the projection's change is measured; the integrator's
//! error is what is left. Joints that hold still in time do no work: their entries measure how well the velocities obey
//! them. Where velocities jump, works are impulses times mean velocities, row by row (`contact/inequality/impact.rs`);
//! what time stepping does beside them is in `step/integrate/stepping/books.rs`. Both are exact: nothing of a blow and
//! nothing of a step on velocities is left to the integrator's error.

use crate::catalogue::bodies::{Inertia, Momentum, frame_of, half_square};
use crate::evaluate::evaluation::{Evaluation, bodies_at};
use crate::evaluate::place_bodies;
use crate::model::state::State;
use crate::model::{ForceId, JointId, Model};
use holonom_tree::packed;

/// Energies of a state, J.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Energy {
    /// 1/2 v^T M v.
    pub kinetic: f64,
    /// Of the bodies in the field of gravity; zero at height zero.
    pub gravity: f64,
    /// Stored in springs and other force laws, and inside bodies that are elastic.
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
    let Energy { kinetic, gravity, elastic } = of_bodies(model, q, v);
    kinetic + gravity + elastic
}

/// Energies of the bodies alone.
fn of_bodies(model: &Model, q: &[f64], v: &[f64]) -> Energy {
    let mut sum = Energy::default();
    each_body(model, q, v, |_, e| {
        sum.kinetic += e.kinetic;
        sum.gravity += e.gravity;
        sum.elastic += e.elastic;
    });
    sum
}

/// Energies body by body.
pub(crate) fn each_body(model: &Model, q: &[f64], v: &[f64], mut visit: impl FnMut(usize, Energy)) {
    // enough for all bodies of ours; a user's larger body takes memory from the heap, kept for the next
    let (mut small, mut large) = ([0.0; packed::len(12) + 12], Vec::new());
    for (i, body) in model.bodies.iter().enumerate() {
        let (qi, vi) = (model.q_of(i, q), model.v_of(i, v));
        if let Some([kinetic, gravity, elastic]) = body.energies(qi, vi, model.gravity) {
            visit(i, Energy { kinetic, gravity, elastic });
            continue;
        }
        let n = vi.len();
        let n_mass = if body.central() { 7 } else { packed::len(n) };
        let memory = if n <= 12 {
            &mut small[..]
        } else {
            large.resize(n_mass + n, 0.0);
            &mut large[..]
        };
        memory[..n_mass + n].fill(0.0);
        let (mass, force) = memory.split_at_mut(n_mass);
        let frame = frame_of(body.as_ref(), qi, vi);
        body.evaluate(qi, vi, &frame, model.gravity, Inertia { mass, force: &mut force[..n] });
        let kinetic = half_square(body.central(), mass, vi);
        visit(i, Energy { kinetic, gravity: body.potential(qi, model.gravity), elastic: body.stored(qi) });
    }
}

/// Energies at a state.
pub(crate) fn energies(model: &Model, state: &State, eval: &mut Evaluation) -> Energy {
    place_bodies(model, &state.q, &state.v, eval);
    let bodies = &bodies_at(model, &eval.frames, &state.q, &state.v);
    let elastic = model
        .forces
        .iter()
        .map(|f| f.law.energy(&eval.angles.view(bodies, f.law.attachments(), &f.slots, state.t), state.t))
        .sum::<f64>();
    let inside = of_bodies(model, &state.q, &state.v);
    Energy { elastic: elastic + inside.elastic, ..inside }
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

/// What the ledger leaves open of the change of energy between two states, over the kinetic energy; 0 within rounding.
pub(crate) fn left_open(model: &Model, before: &State, after: &State) -> f64 {
    let open = |s: &State| {
        let e = of_bodies(model, &s.q, &s.v);
        (e, e.total() - s.work.iter().sum::<f64>() - s.blows.sum())
    };
    let ((e0, then), (e1, now)) = (open(before), open(after));
    let rounding = 1e-14 * (e0.total().abs() + e1.total().abs() + e1.gravity.abs());
    let (left, kinetic) = ((now - then).abs(), e0.kinetic.max(e1.kinetic));
    if left <= rounding { 0.0 } else { left / kinetic }
}

/// The energy ledger of a run: where the energy of the bodies went, J. Positive entries gave energy to the bodies.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ledger {
    /// Change of the bodies' kinetic, gravitational and stored energy since the ledger was opened.
    pub change: f64,
    /// Work of each force, in the order of the model.
    pub forces: Vec<f64>,
    /// Work of each joint, in the order of the model.
    pub joints: Vec<f64>,
    /// Work of friction inside bodies: what they lost to it, never positive.
    pub bodies: f64,
    /// Work of friction in contacts, of rolling and turning resistance too.
    pub friction: f64,
    /// Work of the normal impulses of contacts: what impacts took. Of stops and ropes it is with their joints.
    pub impacts: f64,
    /// Work of contacts: the sum of `friction` and `impacts`, not a column of its own.
    pub contacts: f64,
    /// Work of joints and drives while something collides, where events are followed: a drive that goes on moving as it
    /// is told through a blow gives or takes it. Where time is stepped, blows are not told apart: it is with the
    /// joints.
    pub blows: f64,
    /// Change made by projection.
    pub projection: f64,
    /// What time stepping on velocities changed beside the work of impulses: its steps are of finite length.
    pub stepping: f64,
    /// Change imposed by hand: impulses, and steps by the law f = m v.
    pub imposed: f64,
    /// What is left: the integrator's own error.
    pub integrator: f64,
}

impl Ledger {
    pub(crate) fn read(model: &Model, state: &State, out: &mut Ledger) {
        let (forces, rest) = state.work.split_at(model.n_forces());
        let (joints, rest) = rest.split_at(model.n_joints());
        let (inside, rest) = rest.split_at(rest.len() - 2);
        let (bodies, friction) = inside.split_at(!model.dissipative.is_empty() as usize);
        out.change = mechanical(model, &state.q, &state.v) - state.opening_energy;
        let accounted = state.work.iter().sum::<f64>() + state.blows.sum();
        out.forces.clear();
        out.forces.extend_from_slice(forces);
        out.joints.clear();
        out.joints.extend_from_slice(joints);
        out.bodies = bodies.iter().sum();
        out.friction = friction.iter().sum();
        (out.impacts, out.blows, out.stepping) = (state.blows.impacts, state.blows.joints, state.blows.stepping);
        out.contacts = out.friction + out.impacts;
        (out.projection, out.imposed) = (rest[0], rest[1]);
        out.integrator = out.change - accounted;
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
