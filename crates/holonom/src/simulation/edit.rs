//! Changing a mechanism while it runs.
//!
//! An edit makes a new model from the old one (bodies, joints and forces are shared, not copied) and carries the state
//! over. A joint that is made takes hold at once: gaps are closed by moving the bodies as little as their masses allow,
//! and the velocities jump by the law of impulses,
//!
//! ```text
//! M dv = J^T mu,     J (v + dv) + C_t = 0
//! ```
//!
//! a perfectly plastic catch. The impulses act between the bodies the joints connect, so that the momentum of what is
//! not held by the ground stays what it was; the energy lost goes into the ledger as imposed. A joint that is taken
//! away takes its forces with it and changes nothing else.
//!
//! A model never changes once built. A [`Checkpoint`] keeps the model and the state of a moment, and undoes whatever
//! came after it.

use crate::build::builder::ModelBuilder;
use crate::catalogue::attach::{Attachment, AttachmentKind, BodyId, Marker};
use crate::catalogue::bodies::Body;
use crate::catalogue::forces::Force;
use crate::catalogue::joints::{Constraint, Weld};
use crate::error::ModelError;
use crate::evaluate::energy;
use crate::math::{Mat3, Vec3};
use crate::model::state::{BlowWorks, State};
use crate::model::{ForceId, JointId, JointStatus, Model, Start};
use crate::solve::{self, SolverKind};
use crate::step::integrate::Coordinates;
use crate::step::mechanism::Mechanism;
use std::sync::Arc;

/// Model and state of a moment.
#[derive(Clone)]
pub struct Checkpoint {
    model: Arc<Model>,
    state: State,
    solver: SolverKind,
    coordinates: Coordinates,
}

impl Checkpoint {
    /// The model then.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }
}

/// What a joint does at present.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointCondition {
    /// It holds as it was made to.
    Active,
    /// It cannot move.
    Locked,
    /// It holds nothing.
    Broken,
}

/// How an edit changed the motion.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Edited {
    /// Farthest that a coordinate was moved to close gaps, m or rad.
    pub moved: f64,
    /// Largest jump of a velocity coordinate, m/s or rad/s.
    pub jump: f64,
    /// Change of kinetic and potential energy, J: negative where impulses took some.
    pub energy: f64,
}

impl Model {
    /// What a joint does at present.
    pub fn condition(&self, joint: JointId) -> JointCondition {
        match self.joints[joint.index()].status {
            JointStatus::Active => JointCondition::Active,
            JointStatus::Locked(_) => JointCondition::Locked,
            JointStatus::Broken => JointCondition::Broken,
        }
    }

    /// A state of another model as a state of this one: what has the same name in both goes on as it was, everything
    /// else starts as it was built to. Bodies bring their positions and velocities (of their origins, should the centre
    /// of mass be elsewhere now), joints their turns; the time is kept, the ledger is opened anew. Gaps that this
    /// leaves are left: see [`crate::Simulation::project`].
    pub fn carry(&self, from: &Model, state: &State) -> State {
        let mut next = self.initial_state().clone();
        next.t = state.t;
        for id in self.bodies() {
            let Some(old) = from.body(self.body_name(id)).filter(|old| from.body_kind(*old) == self.body_kind(id))
            else {
                continue;
            };
            let (q, v) = (&state.q[from.q_range(old)], &state.v[from.v_range(old)]);
            let (to_q, to_v) = (&mut next.q[self.q_range(id)], &mut next.v[self.v_range(id)]);
            if q.len() == to_q.len() && v.len() == to_v.len() {
                to_q.copy_from_slice(q);
                to_v.copy_from_slice(v);
                let (old, new) = (&*from.bodies[old.0 as usize], &*self.bodies[id.0 as usize]);
                keep_origin(old, q, v, new, to_q, to_v);
            }
        }
        for id in self.joints() {
            let Some(old) = from.joint(self.joint_name(id)) else { continue };
            let (here, there) = (&self.joints[id.index()], &from.joints[old.index()]);
            if here.n_turns() == there.n_turns() {
                let turns = &state.turns[there.first_turn as usize..][..there.n_turns()];
                next.turns[here.first_turn as usize..][..here.n_turns()].copy_from_slice(turns);
            }
        }
        (next.next_step, next.last_error) = (0.0, 0.0);
        next.warm_start.clear();
        next.work.fill(0.0);
        next.blows = BlowWorks::default();
        next.opening_energy = energy::mechanical(self, &next.q, &next.v);
        next
    }

    /// A builder that would build this model again.
    pub(crate) fn reopen(&self) -> ModelBuilder {
        let names = |n: usize, get: &dyn Fn(usize) -> String| (0..n).map(|i| get(i).into_boxed_str()).collect();
        ModelBuilder {
            bodies: self.bodies.clone(),
            joints: self.joints.iter().map(|j| (j.constraint.clone(), j.status.clone())).collect(),
            forces: self.forces.iter().map(|f| f.law.clone()).collect(),
            body_names: names(self.n_bodies(), &|i| self.body_names.get(i).into()),
            joint_names: names(self.n_joints(), &|i| self.joint_names.get(i).into()),
            force_names: names(self.n_forces(), &|i| self.force_names.get(i).into()),
            gravity: self.gravity,
            lock_rows: self.lock_rows,
            compliance: self.compliance.clone(),
            break_loads: self.break_loads.clone(),
            shapes: self.shapes.clone(),
            ..ModelBuilder::default()
        }
    }
}

/// Add a joint. It takes hold at once; the ids of other joints stay what they were.
pub(crate) fn add_joint(
    mechanism: &mut Mechanism,
    name: impl Into<String>,
    constraint: impl Constraint + 'static,
) -> Result<(JointId, Edited), ModelError> {
    add_boxed_joint(mechanism, name, Box::new(constraint))
}

/// Add a joint that is boxed already.
pub(crate) fn add_boxed_joint(
    mechanism: &mut Mechanism,
    name: impl Into<String>,
    constraint: Box<dyn Constraint>,
) -> Result<(JointId, Edited), ModelError> {
    let mut builder = mechanism.model.reopen();
    let id = builder.boxed_joint(name, constraint);
    Ok((id, change(mechanism, builder, |k| (k < id.index()).then_some(k), Some)?))
}

/// Add a force law. The ids of the others stay what they were.
pub(crate) fn add_force(
    mechanism: &mut Mechanism,
    name: impl Into<String>,
    force: impl Force + 'static,
) -> Result<(ForceId, Edited), ModelError> {
    let mut builder = mechanism.model.reopen();
    let id = builder.force(name, force);
    Ok((id, change(mechanism, builder, Some, |k| (k < id.index()).then_some(k))?))
}

/// Take a force law away. The ids of those after it become smaller by one.
pub(crate) fn remove_force(mechanism: &mut Mechanism, force: ForceId) -> Result<Edited, ModelError> {
    let (n, k) = (mechanism.model.n_forces(), force.index());
    if k >= n {
        return Err(ModelError::Parameter(format!("force number {k} does not exist, the model has {n}")));
    }
    let mut builder = mechanism.model.reopen();
    builder.forces.remove(k);
    builder.force_names.remove(k);
    change(mechanism, builder, Some, |new| Some(if new < k { new } else { new + 1 }))
}

/// Take a joint away. The ids of the joints after it become smaller by one.
pub(crate) fn remove_joint(mechanism: &mut Mechanism, joint: JointId) -> Result<Edited, ModelError> {
    check_joint(mechanism, joint)?;
    let mut builder = mechanism.model.reopen();
    let k = joint.index();
    builder.joints.remove(k);
    builder.joint_names.remove(k);
    for map in [&mut builder.compliance, &mut builder.break_loads] {
        *map = map
            .iter()
            .filter(|(j, _)| **j != joint.0)
            .map(|(&j, &c)| (if j > joint.0 { j - 1 } else { j }, c))
            .collect();
    }
    let left = std::mem::take(&mut builder.shapes.colliding_joints).into_iter().filter(|&j| j != joint.0);
    builder.shapes.colliding_joints = left.map(|j| if j > joint.0 { j - 1 } else { j }).collect();
    change(mechanism, builder, |new| Some(if new < k { new } else { new + 1 }), Some)
}

/// Put another constraint in the place of a joint; its name and number stay. It takes hold at once. A joint that was
/// locked or broken is active again.
pub(crate) fn replace_joint(
    mechanism: &mut Mechanism,
    joint: JointId,
    constraint: impl Constraint + 'static,
) -> Result<Edited, ModelError> {
    check_joint(mechanism, joint)?;
    let mut builder = mechanism.model.reopen();
    builder.joints[joint.index()] = (Arc::new(constraint), JointStatus::Active);
    change(mechanism, builder, Some, Some)
}

/// Break a joint: it stays in the list and holds nothing until it is [mended](Simulation::mend_joint).
pub(crate) fn break_joint(mechanism: &mut Mechanism, joint: JointId) -> Result<Edited, ModelError> {
    check_joint(mechanism, joint)?;
    let mut builder = mechanism.model.reopen();
    let (constraint, status) = &mut builder.joints[joint.index()];
    if matches!(status, JointStatus::Broken) {
        return refuse(mechanism, joint, "is broken already");
    }
    if let JointStatus::Locked(locked) = status {
        *constraint = locked.as_ref().clone();
    }
    *status = JointStatus::Broken;
    change(mechanism, builder, Some, Some)
}

/// Let a broken joint take hold again.
pub(crate) fn mend_joint(mechanism: &mut Mechanism, joint: JointId) -> Result<Edited, ModelError> {
    check_joint(mechanism, joint)?;
    let mut builder = mechanism.model.reopen();
    let status = &mut builder.joints[joint.index()].1;
    if !matches!(status, JointStatus::Broken) {
        return refuse(mechanism, joint, "is not broken");
    }
    *status = JointStatus::Active;
    change(mechanism, builder, Some, Some)
}

/// Hold a joint as it stands: a weld takes its place until it is [unlocked](Simulation::unlock_joint).
pub(crate) fn lock_joint(mechanism: &mut Mechanism, joint: JointId) -> Result<Edited, ModelError> {
    check_joint(mechanism, joint)?;
    let model = mechanism.model.clone();
    let record = &model.joints[joint.index()];
    if !matches!(record.status, JointStatus::Active) {
        return refuse(mechanism, joint, "is locked or broken already");
    }
    let attachments = record.constraint.attachments();
    let ends = [attachments[0].body, attachments.get(1).map_or(BodyId::GROUND, |a| a.body)];
    if attachments.iter().any(|a| !ends.contains(&a.body)) || ends[0] == ends[1] {
        return refuse(mechanism, joint, "cannot be locked: it does not join exactly two bodies");
    }
    let point = mechanism.look(&attachments[record.constraint.reference()]).at;
    let mut markers = Vec::new();
    for body in ends {
        let Some(marker) = marker_at(&model, &mechanism.state, body, point) else {
            return refuse(mechanism, joint, "cannot be locked: one of its bodies has no orientation");
        };
        markers.push(marker);
    }
    let mut builder = model.reopen();
    let slot = &mut builder.joints[joint.index()];
    *slot = (Arc::new(Weld::new(markers[0], markers[1])), JointStatus::Locked(Box::new(slot.0.clone())));
    change(mechanism, builder, Some, Some)
}

/// Let a locked joint move again.
pub(crate) fn unlock_joint(mechanism: &mut Mechanism, joint: JointId) -> Result<Edited, ModelError> {
    check_joint(mechanism, joint)?;
    let mut builder = mechanism.model.reopen();
    let (constraint, status) = &mut builder.joints[joint.index()];
    let JointStatus::Locked(locked) = status else {
        return refuse(mechanism, joint, "is not locked");
    };
    *constraint = locked.as_ref().clone();
    *status = JointStatus::Active;
    change(mechanism, builder, Some, Some)
}

/// Keep this moment.
pub(crate) fn checkpoint(mechanism: &Mechanism) -> Checkpoint {
    let (model, state) = (mechanism.model.clone(), mechanism.state.clone());
    Checkpoint { model, state, solver: mechanism.solver, coordinates: mechanism.method.coordinates }
}

/// Back to a moment kept, edits undone.
pub(crate) fn return_to(mechanism: &mut Mechanism, checkpoint: &Checkpoint) {
    replace(mechanism, checkpoint.model.clone(), checkpoint.state.clone(), checkpoint.solver);
    // what worked with this model then works now
    let _ = mechanism.set_coordinates(checkpoint.coordinates);
}

fn check_joint(mechanism: &Mechanism, joint: JointId) -> Result<(), ModelError> {
    let n = mechanism.model.n_joints();
    if joint.index() < n {
        return Ok(());
    }
    Err(ModelError::Parameter(format!("joint number {} does not exist, the model has {n}", joint.index())))
}

fn refuse<T>(mechanism: &Mechanism, joint: JointId, why: &str) -> Result<T, ModelError> {
    Err(ModelError::Parameter(format!("joint `{}` {why}", mechanism.model.joint_name(joint))))
}

/// Build, and carry the state over. `old` gives the former number of a joint, `old_force` that of a force law. On
/// failure nothing is changed.
fn change(
    mechanism: &mut Mechanism,
    mut builder: ModelBuilder,
    old: impl Fn(usize) -> Option<usize>,
    old_force: impl Fn(usize) -> Option<usize>,
) -> Result<Edited, ModelError> {
    let (before, state) = (mechanism.model.clone(), mechanism.state.clone());
    builder.start = Some(Start::of(&before, &state));
    let model = Arc::new(builder.build()?);
    let mut next = model.initial_state().clone();
    (next.next_step, next.last_error) = (0.0, state.last_error);
    (next.opening_energy, next.blows) = (state.opening_energy, state.blows);
    let (n_forces, had_forces) = (model.n_forces(), before.n_forces());
    let mut carried = 0.0;
    for (to, from) in (0..n_forces)
        .filter_map(|k| Some((k, old_force(k)?)))
        .chain((0..model.n_joints()).filter_map(|k| Some((n_forces + k, had_forces + old(k)?))))
    {
        next.work[to] = state.work[from];
        carried += state.work[from];
    }
    // what joints and forces that are no more have done counts as imposed
    let all: f64 = state.work[..had_forces + before.n_joints()].iter().sum();
    let change = energy::mechanical(&model, &next.q, &next.v) - energy::mechanical(&before, &state.q, &state.v);
    let inside = |m: &Model| m.n_forces() + m.n_joints();
    if !model.dissipative.is_empty() {
        next.work[inside(&model)] = state.work[inside(&before)];
    }
    let touching = if before.has_inequalities() { state.work[before.n_works() - 1] } else { 0.0 };
    let mut lost = all - carried;
    if model.has_inequalities() {
        next.work[model.n_works() - 1] = touching;
    } else {
        lost += touching;
    }
    next.work[model.n_works()] = state.work[before.n_works()];
    next.work[model.n_works() + 1] = state.work[before.n_works() + 1] + lost + change;
    let largest = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let edited = Edited { moved: largest(&next.q, &state.q), jump: largest(&next.v, &state.v), energy: change };
    let solver = match mechanism.solver {
        SolverKind::Tree | SolverKind::Sparse => model.default_solver(),
        other if solve::check(other, &model).is_err() => model.default_solver(),
        other => other,
    };
    replace(mechanism, model, next, solver);
    Ok(edited)
}

/// Run another model from another state, by the same method.
fn replace(mechanism: &mut Mechanism, model: Arc<Model>, state: State, solver: SolverKind) {
    mechanism.swap_model(model, state, solver);
    // joint coordinates are laid out for one model, and may not exist for another
    if mechanism.method.coordinates == Coordinates::Joint && mechanism.set_coordinates(Coordinates::Joint).is_err() {
        let _ = mechanism.set_coordinates(Coordinates::Maximal);
    }
}

/// Coordinates are those of the centre of mass. Where that has another place on the new body, move it so that the
/// body's origin is where it was, and as fast.
fn keep_origin(old: &dyn Body, q: &[f64], v: &[f64], new: &dyn Body, to_q: &mut [f64], to_v: &mut [f64]) {
    let origin = AttachmentKind::Point(Vec3::ZERO);
    if old.can_carry(&origin).is_err() || new.can_carry(&origin).is_err() {
        return;
    }
    let (was, is) = (old.carry(q, v, &origin), new.carry(to_q, to_v, &origin));
    let (off, slow) = (was.at - is.at, was.rate - is.rate);
    if off == Vec3::ZERO && slow == Vec3::ZERO {
        return;
    }
    // coordinates that move the whole, each along a direction of its own: all points alike
    let mut along = vec![0.0; to_v.len()];
    let mut unit = along.clone();
    for k in 0..to_v.len() {
        unit.fill(0.0);
        unit[k] = 1.0;
        let rate = |p: Vec3| new.carry(to_q, &unit, &AttachmentKind::Point(p)).rate;
        let direction = rate(Vec3::ZERO);
        if [Vec3::X, Vec3::Y, Vec3::Z].into_iter().all(|p| rate(p) == direction) {
            along[k] = direction.dot(off);
            to_v[k] += direction.dot(slow);
        }
    }
    new.advance(to_q, &along, 1.0);
}

/// The world's axes at a point, as a marker on a body at this state; `None` when it carries no directions.
fn marker_at(model: &Model, state: &State, body: BodyId, point: Vec3) -> Option<Marker> {
    let Some(i) = body.index() else { return Some(Marker { body, point, axes: Mat3::IDENTITY }) };
    let b = &model.bodies[i];
    b.can_carry(&AttachmentKind::Direction(Vec3::X)).ok()?;
    let see = |a: Attachment| b.carry(model.q_of(i, &state.q), model.v_of(i, &state.v), &a.what).at;
    let origin = see(Attachment::point(body, Vec3::ZERO));
    let axes = [Vec3::X, Vec3::Y, Vec3::Z].map(|d| see(Attachment::direction(body, d)));
    let back = Mat3::from_cols(axes[0], axes[1], axes[2]).inverse();
    Some(Marker { body, point: back * (point - origin), axes: back })
}
