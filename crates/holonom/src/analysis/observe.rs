//! Many answers at one state. Bodies are placed and the equations solved once; reading everything of a mechanism is
//! then linear in its size and takes no memory. Recorders and viewers look at a simulation through this.

use crate::analysis::contacts::{self, Contact, InequalityStatus};
use crate::analysis::doctor;
use crate::catalogue::attach::{Attachment, AttachmentKind, BodyId, Frame, Marker, View};
use crate::catalogue::coordinate;
use crate::catalogue::forces::Push;
use crate::contact::inequality::workspace::Workspace;
use crate::dynamics;
use crate::error::StepError;
use crate::evaluate;
use crate::evaluate::angles;
use crate::evaluate::evaluation::bodies_at;
use crate::evaluate::reaction::Reaction;
use crate::math::{Mat3, Quat, Vec3};
use crate::model::loops::Loops;
use crate::model::state::State;
use crate::model::{ForceId, JointId, Model};
use crate::solve::residual::Residual;
use crate::step::mechanism::Mechanism;

/// A simulation at its present state, solved.
pub struct Observation<'s> {
    model: &'s Model,
    state: &'s State,
    work: &'s mut Workspace,
    /// Multipliers, those of redundant rows split; `None`: as they are in the workspace.
    lambda: Option<&'s [f64]>,
    /// Are there accelerations and forces? Bodies are placed in any case.
    solved: bool,
    /// Why there are none.
    failure: Option<StepError>,
}

/// Where something is and how it moves, world axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moving {
    /// m; a pure number for directions.
    pub at: Vec3,
    /// m/s; rad/s for a spin.
    pub velocity: Vec3,
    /// m/s^2; rad/s^2 for a spin.
    pub acceleration: Vec3,
}

/// Solve the equations at the present state and look at everything.
pub(crate) fn observe(mechanism: &mut Mechanism) -> Result<Observation<'_>, StepError> {
    let (model, state, work, lambda) = doctor::solved(mechanism)?;
    Ok(Observation { model, state, work, lambda: Some(lambda), solved: true, failure: None })
}

/// The same in a time linear in the size of the mechanism, whatever its loops: where joints are redundant their loads
/// are as the solver found them, not split into the smallest ones. Everything that is unique is the same.
pub(crate) fn observe_unsplit(mechanism: &mut Mechanism) -> Result<Observation<'_>, StepError> {
    mechanism.evaluate()?;
    let Mechanism { model, state, work, .. } = mechanism;
    Ok(Observation { model, state, work, lambda: None, solved: true, failure: None })
}

/// How much of a state is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ObservationDepth {
    /// Where everything is and how fast it moves; nothing is solved.
    Places,
    /// Accelerations and forces too; where joints are redundant their loads are as the solver found them.
    Forces,
    /// Loads of redundant joints split into the smallest ones.
    LeastLoads,
}

/// The same to some depth, whatever happens: where the equations cannot be solved, bodies are placed, and all that
/// needs accelerations or forces of joints and contacts is NaN or missing.
pub(crate) fn observe_partly(mechanism: &mut Mechanism, depth: ObservationDepth) -> Observation<'_> {
    let solved = match depth {
        ObservationDepth::Places => Ok(()),
        ObservationDepth::Forces => mechanism.evaluate(),
        ObservationDepth::LeastLoads => doctor::split_multipliers(mechanism),
    };
    let known = depth > ObservationDepth::Places && solved.is_ok();
    if !known {
        mechanism.current = false;
        mechanism.note_turns();
        let s = &mechanism.state;
        evaluate::place_bodies(&mechanism.model, &s.q, &s.v, &mut mechanism.work.eval);
    }
    let Mechanism { model, state, work, split, .. } = mechanism;
    let lambda = (known && depth == ObservationDepth::LeastLoads).then_some(&split[..]);
    Observation { model, state, work, lambda, solved: known, failure: solved.err() }
}

impl Model {
    /// Where a body carries something at a state, world axes; `None` where it cannot carry it.
    pub fn carried(&self, state: &State, what: &Attachment) -> Option<Vec3> {
        let Some(i) = what.body.index() else { return Some(Frame::GROUND.carry(&what.what).at) };
        self.bodies[i].can_carry(&what.what).ok()?;
        Some(self.bodies[i].carry(self.q_of(i, &state.q), self.v_of(i, &state.v), &what.what).at)
    }

    /// Centre of mass of a body at a state, world (m); the origin for the ground.
    pub fn centre(&self, state: &State, body: BodyId) -> Vec3 {
        body.index().map_or(Vec3::ZERO, |i| self.bodies[i].centre(self.q_of(i, &state.q)))
    }

    /// Mass of a body, kg; infinite for the ground.
    pub fn mass(&self, body: BodyId) -> f64 {
        body.index().map_or(f64::INFINITY, |i| self.bodies[i].mass())
    }

    /// Orientation of a body at a state, body axes to world axes, for bodies that have one. Where the body keeps a
    /// quaternion it is that one, which does not jump; axes of a body that deforms are taken as x, and y as far as it
    /// is square to x.
    pub fn orientation(&self, state: &State, body: BodyId) -> Option<Quat> {
        let Some(i) = body.index() else { return Some(Quat::IDENTITY) };
        let (record, q) = (&self.bodies[i], self.q_of(i, &state.q));
        if let Some(kept) = record.orientation(q) {
            return Some(kept);
        }
        record.can_carry(&AttachmentKind::Direction(Vec3::X)).ok()?;
        let see = |d: Vec3| record.carry(q, self.v_of(i, &state.v), &AttachmentKind::Direction(d)).at.normalize();
        let (x, y) = (see(Vec3::X), see(Vec3::Y));
        let z = x.cross(y).normalize();
        Some(Quat::from_mat3(&Mat3::from_cols(x, z.cross(x), z)))
    }

    /// The angle of a body that moves in a plane, about the normal of its plane, turns counted (rad); `None` for
    /// others.
    pub fn angle(&self, state: &State, body: BodyId) -> Option<f64> {
        body.index().and_then(|i| self.bodies[i].angle(self.q_of(i, &state.q)))
    }

    /// Does a body keep its shape: do its axes stay of unit length and square to each other, as far as it has any?
    pub fn keeps_shape(&self, body: BodyId) -> bool {
        body.index().is_none_or(|i| self.bodies[i].keeps_shape())
    }

    /// Joints of loops: one list for each group of loops that share joints, in the order of the model. Joints in no
    /// list hang in a tree.
    pub fn loops(&self) -> Vec<Vec<JointId>> {
        let all = Loops::of(self).clusters.into_iter();
        all.map(|cluster| cluster.into_iter().map(|k| JointId(k as u32)).collect()).collect()
    }

    /// What the coordinates of a joint are, also while it is locked.
    pub fn coordinate_kinds(&self, joint: JointId) -> &'static [crate::catalogue::joints::CoordinateKind] {
        self.joints[joint.index()].measured().coordinates()
    }

    /// The law of a force.
    pub fn law(&self, force: ForceId) -> &dyn crate::catalogue::forces::Force {
        self.forces[force.index()].law.as_ref()
    }
}

impl Observation<'_> {
    /// Why the equations could not be solved at this state, where they could not
    /// ([`crate::Simulation::observe_partly`]). Places and velocities are right all the same; accelerations and
    /// reactions are NaN, and there are no multipliers, contacts and powers.
    pub fn failure(&self) -> Option<&StepError> {
        self.failure.as_ref()
    }

    /// Value (turns counted) and rate of coordinate `i` of a joint; `None` when it has no such coordinate.
    pub fn coordinate(&self, joint: JointId, i: usize) -> Option<(f64, f64)> {
        angles::of_joint(self.model, self.state, &self.work.eval, joint, i)
    }

    /// Second derivative of coordinate `i` of a joint, m/s^2 or rad/s^2; `None` when it has no such coordinate.
    pub fn coordinate_acceleration(&self, joint: JointId, i: usize) -> Option<f64> {
        let constraint = self.model.joints[joint.index()].measured();
        if i >= constraint.coordinates().len() {
            return None;
        }
        let (s, attachments) = (self.state, constraint.attachments());
        let bodies = &bodies_at(self.model, &self.work.eval.frames, &s.q, &s.v);
        let second = |k: usize| self.carried(&attachments[k]).map_or(Vec3::NAN, |m| m.acceleration);
        Some(coordinate::acceleration(constraint, &View::new(bodies, attachments), i, second))
    }

    /// Action of body a on body b through a joint, as [`crate::Simulation::reaction`].
    pub fn reaction(&mut self, joint: JointId) -> Reaction {
        if !self.solved {
            return Reaction { force: Vec3::NAN, torque: Vec3::NAN, point: Vec3::NAN };
        }
        let s = self.state;
        dynamics::reaction(self.model, joint, &s.q, &s.v, s.t, self.lambda, self.work)
    }

    /// Multipliers of a joint, row by row; those of redundant rows are the split with the smallest loads.
    pub fn multipliers(&self, joint: JointId) -> &[f64] {
        if !self.solved {
            return &[];
        }
        match self.model.inequalities.binary_search_by_key(&joint.0, |r| r.joint) {
            Ok(k) => self.work.contact.acting.of_joint(&self.model.inequalities[k]).unwrap_or(&[]),
            Err(_) => &self.lambda.unwrap_or(self.work.multipliers())[self.model.rows_of(joint)],
        }
    }

    /// All contacts: touching shapes with the forces between them, in a stable order; as
    /// [`crate::Simulation::contacts`].
    pub fn contacts(&self) -> impl Iterator<Item = Contact> + '_ {
        contacts::acting(self.model, self.work).filter(|_| self.solved)
    }

    /// What a limit, a rope, dry friction or a capped drive does; `None` for other joints.
    pub fn inequality_status(&self, joint: JointId) -> Option<InequalityStatus> {
        if !self.solved {
            return None;
        }
        contacts::inequality_status(self.model, self.work, joint)
    }

    /// How well forces of contacts, limits and friction obey their laws (scaled), as
    /// [`crate::Certificate::complementarity`].
    pub fn complementarity(&self) -> f64 {
        if !self.solved {
            return f64::NAN;
        }
        if self.work.contact.acting.acting { self.work.contact.acting.task.residual } else { 0.0 }
    }

    /// Power that a force gives to the bodies, W.
    pub fn power(&self, force: ForceId) -> f64 {
        if self.solved { self.work.eval.power[force.index()] } else { f64::NAN }
    }

    /// How well the equations are solved.
    pub fn residual(&self) -> Residual {
        if !self.solved {
            return Residual { motion: f64::NAN, constraint: f64::NAN, contradiction: f64::NAN };
        }
        self.work.kkt.residual(self.model, &self.work.eval)
    }

    /// Rows that depended on others in the factorisation, where the solver can tell.
    pub fn rank_deficiency(&self) -> Option<usize> {
        if !self.solved {
            return None;
        }
        self.work.kkt.solver.deficiency()
    }

    /// A point of a body; `None` where the body cannot carry it.
    pub fn point(&self, marker: Marker) -> Option<Moving> {
        self.carried(&marker.p())
    }

    /// Angular velocity and acceleration of a body that has them.
    pub fn spin(&self, body: BodyId) -> Option<Moving> {
        self.carried(&Attachment::spin(body))
    }

    /// Centre of mass of a body and its velocity.
    pub fn centre(&self, body: BodyId) -> (Vec3, Vec3) {
        body.index().map_or((Vec3::ZERO, Vec3::ZERO), |i| {
            let (record, q) = (&self.model.bodies[i], self.model.q_of(i, &self.state.q));
            (record.centre(q), record.momentum(q, self.model.v_of(i, &self.state.v)).linear / record.mass())
        })
    }

    /// Anything a body carries; `None` where it cannot carry it.
    pub fn carried(&self, what: &Attachment) -> Option<Moving> {
        let Some(i) = what.body.index() else {
            let at = Frame::GROUND.carry(&what.what).at;
            return Some(Moving { at, ..Moving::default() });
        };
        let body = &self.model.bodies[i];
        body.can_carry(&what.what).ok()?;
        let q = self.model.q_of(i, &self.state.q);
        let now = body.carry(q, self.model.v_of(i, &self.state.v), &what.what);
        // rates are linear in v: with accelerations in its place they are J vdot
        let change = body.carry(q, self.model.v_of(i, self.work.accelerations()), &what.what);
        let acceleration = if self.solved { change.rate + now.jdot_v } else { Vec3::NAN };
        Some(Moving { at: now.at, velocity: now.rate, acceleration })
    }

    /// Orientation of a body that has one: body axes to world axes; as [`Model::orientation`].
    pub fn orientation(&self, body: BodyId) -> Option<Quat> {
        self.model.orientation(self.state, body)
    }

    /// Angle of a body that moves in a plane; as [`Model::angle`].
    pub fn angle(&self, body: BodyId) -> Option<f64> {
        self.model.angle(self.state, body)
    }

    /// What a force does, one push for each of its [attachments](crate::catalogue::forces::Force::attachments), world
    /// axes: a force (N) on a point, a torque (N m) on a spin; on a direction d the push g is the torque d × g.
    pub fn pushes(&self, force: ForceId, out: &mut Vec<Vec3>) {
        let (law, s) = (&self.model.forces[force.index()], self.state);
        let attachments = law.law.attachments();
        out.clear();
        out.resize(attachments.len(), Vec3::ZERO);
        let bodies = &bodies_at(self.model, &self.work.eval.frames, &s.q, &s.v);
        let mut push = Push { bodies, attachments, force: &mut [], power: 0.0, noted: out };
        law.law.apply(&self.work.eval.angles.view(bodies, attachments, &law.slots, s.t), s.t, &mut push);
    }
}
