//! The model: bodies, joints and forces, immutable once built.

pub(crate) mod choices;
pub(crate) mod joint;
pub(crate) mod layout;
pub(crate) mod loops;
pub(crate) mod names;
pub(crate) mod sets;
pub(crate) mod shapes;
pub(crate) mod state;
pub(crate) mod warm_start;

use crate::catalogue::attach::{Attachment, BodyId};
use crate::catalogue::coordinate::Coordinate;
use crate::catalogue::joints::Constraint;
use crate::error::SnapshotError;
use crate::math::Vec3;
use crate::model::choices::{IntegratorKind, SolverKind};
use crate::model::layout::longest;
use crate::model::state::State;
use holonom_tree::{Cost, Node, PivotForm, Plan, Structure};
use std::collections::BTreeMap;
use std::ops::Deref;

pub(crate) use joint::{Form, InequalityJoint, Joint, JointStatus, OwnBlocks, OwnBody, RowBlocks, touched_bodies};
pub(crate) use layout::{ForceLaw, ModelLayout};
pub(crate) use names::Names;
pub(crate) use sets::Sets;

/// A joint of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct JointId(pub(crate) u32);

/// A force of a model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ForceId(pub(crate) u32);

impl JointId {
    /// Position in the order of creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl ForceId {
    /// Position in the order of creation.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Where a model starts, instead of where its bodies say.
#[derive(Clone, Default)]
pub(crate) struct Start {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub t: f64,
    /// Turns that the angles of joints, by name, have made.
    pub turns: BTreeMap<String, Vec<i32>>,
}

impl Start {
    /// The start that continues a state of a model.
    pub fn of(model: &Model, state: &State) -> Start {
        let turns = model.joints.iter().enumerate().map(|(k, joint)| {
            let turns = state.turns[joint.first_turn as usize..][..joint.n_turns()].to_vec();
            (model.joint_names.get(k).to_string(), turns)
        });
        Start { q: state.q.clone(), v: state.v.clone(), t: state.t, turns: turns.collect() }
    }
}

/// With more moving shapes than this, events come too often to be followed one by one.
const MANY_SHAPES: usize = 8;

/// A mechanism (bodies, joints, forces, gravity) with the plan for solving it and the state it starts in. Never changed
/// once built, and cheap to share between threads.
pub struct Model {
    pub(crate) layout: ModelLayout,
    pub(crate) plan: Plan,
    /// Islands with loops.
    pub(crate) looped_islands: Vec<bool>,
    /// Islands without loops whose rows depend on each other all the same.
    pub(crate) entangled_islands: Vec<bool>,
    pub(crate) regularisation: Regularisation,
    pub(crate) initial: State,
}

/// How rows in loops are relaxed where their pivots vanish, found at the assembled pose; empty for a model without
/// loops.
#[derive(Default)]
pub(crate) struct Regularisation {
    /// How far each row is relaxed where its pivot vanishes, by place in a vector; empty when all are alike.
    pub softness: Vec<f64>,
    /// Parts of their own size below which the pivots of rows in loops say that a pose is near to singular, by place in
    /// a vector.
    pub watched: Vec<f64>,
    /// Islands that cannot move away from the singular pose they are assembled in; empty when there are none.
    pub stuck_islands: Vec<bool>,
    /// Islands in whose loops masses differ so much that their rows are factored with twice the precision; empty when
    /// there are none.
    pub graded_islands: Vec<bool>,
    /// Rows that repeat others but for a small part, at the assembled pose.
    pub near_rows: Vec<NearRow>,
}

/// A row that says what others say but for a small part, relative to its length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct NearRow {
    /// Row of the model.
    pub row: u32,
    pub difference: f64,
}

/// Rows that differ from others by less than this part count as dependent: nobody draws to a millionth on purpose.
const DRAWN: f64 = 1e-6;

impl NearRow {
    /// Does the row stand as it is, or count as dependent?
    pub fn stands(&self) -> bool {
        self.difference > DRAWN
    }
}

/// A joint that holds what other joints of its loops hold, but for a small part: two hinges whose axes are not quite
/// parallel, a linkage that moves by its lengths alone and is not drawn to them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearlyRepeated {
    /// The joint: one of those that repeat each other.
    pub joint: JointId,
    /// The smallest part by which one of its rows differs from what others hold, relative to the row.
    pub difference: f64,
    /// The row holds as it is drawn, with loads `1 / difference` times those of joints that fit. Else it counts as
    /// repeated, and the joint opens by the difference.
    pub holds: bool,
}

impl Deref for Model {
    type Target = ModelLayout;
    #[inline(always)]
    fn deref(&self) -> &ModelLayout {
        &self.layout
    }
}

impl Model {
    /// Joints that hold nearly what others hold in the assembled pose.
    pub fn nearly_repeated(&self) -> Vec<NearlyRepeated> {
        let mut found: Vec<NearlyRepeated> = Vec::new();
        for near in &self.regularisation.near_rows {
            let rows_hold = |j: &Joint| j.row_range().contains(&(near.row as usize));
            let Some(k) = self.joints.iter().position(rows_hold) else { continue };
            let this = NearlyRepeated { joint: JointId(k as u32), difference: near.difference, holds: near.stands() };
            match found.iter_mut().find(|f| f.joint == this.joint) {
                Some(f) if f.difference <= this.difference => {}
                Some(f) => *f = this,
                None => found.push(this),
            }
        }
        found
    }

    /// Number of bodies, the ground not counted.
    pub fn n_bodies(&self) -> usize {
        self.bodies.len()
    }
    /// Number of joints.
    pub fn n_joints(&self) -> usize {
        self.joints.len()
    }
    /// Number of forces.
    pub fn n_forces(&self) -> usize {
        self.forces.len()
    }
    /// Number of position coordinates.
    pub fn n_q(&self) -> usize {
        self.q_start[self.bodies.len()] as usize
    }
    /// Number of velocity coordinates.
    pub fn n_v(&self) -> usize {
        self.layout.n_v()
    }
    /// Number of constraint rows, that is of multipliers.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }
    /// Gravity, m/s^2.
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }
    /// Length scale of the mechanism, m: the farthest that joint points lie from their body's origin, or connected
    /// bodies from each other at the start. 1 for bodies without joints, and where there are none.
    pub fn length_scale(&self) -> f64 {
        longest(&self.island_length)
    }
    /// Rate of the mechanism's natural motion, 1/s: that of a pendulum of its length; 1 without gravity. Default step
    /// sizes and absolute tolerances follow it.
    pub fn rate_scale(&self) -> f64 {
        let g = self.gravity.length();
        if g > 0.0 { (g / self.length_scale()).sqrt() } else { 1.0 }
    }
    /// The assembled start state.
    pub fn initial_state(&self) -> &State {
        &self.initial
    }

    /// Find a body by name.
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.body_names.find(name).map(BodyId)
    }
    /// Find a joint by name.
    pub fn joint(&self, name: &str) -> Option<JointId> {
        self.joint_names.find(name).map(JointId)
    }
    /// Find a force by name.
    pub fn force(&self, name: &str) -> Option<ForceId> {
        self.force_names.find(name).map(ForceId)
    }
    /// Name of a body.
    pub fn body_name(&self, id: BodyId) -> &str {
        id.index().map_or("ground", |i| self.body_names.get(i))
    }
    /// Name of a joint.
    pub fn joint_name(&self, id: JointId) -> &str {
        self.joint_names.get(id.index())
    }
    /// Name of a force.
    pub fn force_name(&self, id: ForceId) -> &str {
        self.force_names.get(id.index())
    }
    /// What a force acts on, in the order of [`crate::Observation::pushes`].
    pub fn force_attachments(&self, id: ForceId) -> &[Attachment] {
        self.forces[id.index()].law.attachments()
    }
    /// All bodies.
    pub fn bodies(&self) -> impl Iterator<Item = BodyId> + use<> {
        (0..self.bodies.len() as u32).map(BodyId)
    }
    /// All joints.
    pub fn joints(&self) -> impl Iterator<Item = JointId> + use<> {
        (0..self.joints.len() as u32).map(JointId)
    }
    /// All forces.
    pub fn forces(&self) -> impl Iterator<Item = ForceId> + use<> {
        (0..self.forces.len() as u32).map(ForceId)
    }
    /// A body's kind.
    pub fn body_kind(&self, id: BodyId) -> &'static str {
        id.index().map_or("ground", |i| self.bodies[i].kind())
    }
    /// Coordinate `i` of a joint, to be driven, coupled or pulled by what is added to the running mechanism.
    pub fn coordinate(&self, joint: JointId, i: usize) -> Coordinate {
        let record = &self.joints[joint.index()];
        let constraint = match &record.status {
            JointStatus::Locked(joint) => joint.as_ref().clone(),
            _ => record.constraint.clone(),
        };
        Coordinate { joint: constraint, name: self.joint_names.get(joint.index()).into(), index: i }
    }
    /// The constraint of a joint.
    pub fn constraint(&self, id: JointId) -> &dyn Constraint {
        self.joints[id.index()].constraint.as_ref()
    }
    /// The record of a joint under inequalities.
    pub(crate) fn inequality_of(&self, id: JointId) -> Option<&InequalityJoint> {
        self.inequalities.binary_search_by_key(&id.0, |r| r.joint).ok().map(|k| &self.inequalities[k])
    }
    /// The rows of a joint among all rows.
    pub fn rows_of(&self, id: JointId) -> std::ops::Range<usize> {
        self.joints[id.index()].row_range()
    }
    /// The velocity coordinates of a body among all.
    pub fn v_range(&self, id: BodyId) -> std::ops::Range<usize> {
        id.index().map_or(0..0, |i| self.v_start[i] as usize..self.v_start[i + 1] as usize)
    }
    /// The position coordinates of a body among all.
    pub fn q_range(&self, id: BodyId) -> std::ops::Range<usize> {
        id.index().map_or(0..0, |i| self.q_start[i] as usize..self.q_start[i + 1] as usize)
    }

    /// Counted work of one factorisation and one solve.
    pub fn cost(&self) -> Cost {
        self.plan.cost()
    }
    /// How the tree solver eliminates a joint.
    pub fn pivot_form(&self, id: JointId) -> PivotForm {
        self.plan.form(self.joint_node(id))
    }

    pub(crate) fn joint_node(&self, id: JointId) -> Node {
        Node((self.bodies.len() + id.index()) as u32)
    }
    pub(crate) fn structure(&self) -> &Structure {
        self.plan.structure()
    }
    /// Does any joint close a loop? Two joints to the ground do, too.
    pub fn has_loops(&self) -> bool {
        self.plan.has_loops()
    }

    /// Size by which overlaps are measured, m.
    pub(crate) fn contact_scale(&self) -> f64 {
        self.shape_size
    }

    /// The state of another model with the same bodies as a state of this one: places, velocities, time, and the turns
    /// that angles of joints of the same name are on. Its ledger begins anew.
    ///
    /// # Panics
    /// When the models have other coordinates.
    pub fn carried_over(&self, from: &Model, state: &State) -> State {
        let same = self.n_q() == from.n_q() && self.n_v() == from.n_v();
        assert!(same, "carried_over: the models have other coordinates");
        let mut out = self.initial.clone();
        (out.t, out.next_step) = (state.t, 0.0);
        out.q.copy_from_slice(&state.q);
        out.v.copy_from_slice(&state.v);
        for (k, joint) in self.joints.iter().enumerate() {
            let known = from.joint(self.joint_names.get(k)).map(|j| &from.joints[j.index()]);
            if let Some(known) = known.filter(|known| known.n_turns() == joint.n_turns()) {
                let turns = &state.turns[known.first_turn as usize..][..known.n_turns()];
                out.turns[joint.first_turn as usize..][..turns.len()].copy_from_slice(turns);
            }
        }
        out
    }

    /// Has it inequality rows at all: limits, ropes, friction, caps, shapes that may touch?
    pub fn has_inequalities(&self) -> bool {
        self.layout.has_inequalities()
    }

    /// The integrator a simulation of this model starts with: time stepping where much may touch, otherwise DOP853 with
    /// events.
    pub fn default_integrator(&self) -> IntegratorKind {
        let moving = self.shapes.all.iter().filter(|s| !s.body.is_ground()).count();
        if moving > MANY_SHAPES { IntegratorKind::Stepping } else { IntegratorKind::default() }
    }

    /// The solver a simulation of this model starts with.
    pub fn default_solver(&self) -> SolverKind {
        if self.has_loops() { SolverKind::Sparse } else { SolverKind::Tree }
    }

    /// Which joints form a forest, ground included? Joints are taken in order; one that would close a loop is left out,
    /// and so are rows with force directions of their own.
    pub(crate) fn spanning_forest(&self) -> Vec<bool> {
        let mut sets = Sets::new(self.bodies.len() + 1);
        let ground = self.bodies.len() as u32;
        self.joints
            .iter()
            .map(|joint| {
                let attachments = joint.constraint.attachments();
                let mut ends = touched_bodies(attachments);
                // a condition on one body alone holds it against the world
                if ends.len() == 1 || attachments.iter().any(|a| a.body.is_ground()) {
                    ends.push(ground);
                }
                let free = (1..ends.len()).all(|k| ends[..k].iter().all(|&e| !sets.joined(e, ends[k])));
                let primary = free && !matches!(joint.form, Form::Own(_));
                if primary {
                    ends.windows(2).for_each(|w| sets.join(w[0], w[1]));
                }
                primary
            })
            .collect()
    }
}

impl State {
    /// Read back what [`State::to_bytes`] wrote, for this model.
    pub fn from_bytes(model: &Model, bytes: &[u8]) -> Result<State, SnapshotError> {
        State::read(&model.initial, bytes)
    }
}
