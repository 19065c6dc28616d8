//! The model: bodies, joints and forces, immutable once built.

pub(crate) mod choices;
pub(crate) mod loops;
pub(crate) mod shapes;
pub(crate) mod state;
pub(crate) mod warm_start;

use crate::catalogue::attach::{Attachment, BodyId};
use crate::catalogue::bodies::Body;
use crate::catalogue::coordinate::Coordinate;
use crate::catalogue::forces::Force;
use crate::catalogue::joints::{Constraint, CoordinateKind, Level, Mask};
use crate::error::SnapshotError;
use crate::math::Vec3;
use crate::model::choices::{IntegratorKind, SolverKind};
use crate::model::shapes::Shapes;
use crate::model::state::State;
use holonom_tree::{Cost, LinkId, Node, PivotForm, Plan, Structure};
use std::collections::BTreeMap;
use std::sync::Arc;

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

/// What is being done with a joint.
#[derive(Clone)]
pub(crate) enum JointStatus {
    Active,
    /// Held as it stands by a weld in its place; this is the joint itself. (Boxed: few joints are locked, and all have a status.)
    Locked(Box<Arc<dyn Constraint>>),
    /// Holds nothing.
    Broken,
}

/// Where a model starts, instead of where its bodies say.
#[derive(Clone)]
pub(crate) struct Start {
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    pub t: f64,
    /// Turns that the angles of joints, by name, have made.
    pub turns: BTreeMap<String, Vec<i32>>,
}

/// How the rows of a joint enter the equations.
pub(crate) enum Form {
    /// Through the lock-row door. `aligned`: with the world's axes.
    Lock { transform: u32, mask: Mask, aligned: bool },
    /// Row by row.
    Rows(Box<RowBlocks>),
    /// Row by row, with force directions of their own: not in the matrix, but auxiliary rows on top of it.
    Own(Box<OwnBlocks>),
}

/// Rows with force directions of their own.
#[derive(Default)]
pub(crate) struct OwnBlocks {
    /// First number of its rows among the values.
    pub at: u32,
    pub bodies: Vec<OwnBody>,
    /// Attachment k writes to body `slots[k]`.
    pub slots: Vec<u8>,
}

/// A body touched by such rows: its number, first velocity coordinate, number of them, first column in the joint's rows.
#[derive(Clone, Copy)]
pub(crate) struct OwnBody {
    pub body: u32,
    pub v: u32,
    pub n: u32,
    pub column: u32,
}

impl OwnBlocks {
    /// Numbers per row.
    pub fn width(&self) -> usize {
        self.bodies.last().map_or(0, |b| (b.column + b.n) as usize)
    }
}

/// The Jacobian of a joint in general rows.
#[derive(Default)]
pub(crate) struct RowBlocks {
    /// One block per body touched.
    pub links: Vec<LinkId>,
    /// Attachment k writes to block `slots[k]`.
    pub slots: Vec<u8>,
    /// Directions of the lock that the rows are along, where the lock-row door can be used although a body moves in a plane; else empty.
    pub lock: Vec<u8>,
}

pub(crate) struct Joint {
    pub constraint: Arc<dyn Constraint>,
    pub status: JointStatus,
    pub form: Form,
    /// First row among all rows.
    pub row: u32,
    /// Rows kept.
    pub n_rows: u8,
    /// Bit i: row i is kept. Rows that vanish identically between the bodies at hand are dropped.
    pub kept: u32,
    /// First of its angles among the turn counters.
    pub first_turn: u32,
    /// Its island: bodies connected by joints, the ground left out.
    pub island: u32,
    /// Angles whose turns it follows: so many, from here on in the model's list.
    pub first_slot: u32,
    pub n_slots: u16,
}

impl Joint {
    #[inline(always)]
    pub fn kept_rows(&self) -> impl Iterator<Item = usize> + use<> {
        let mut kept = self.kept;
        (0..self.n_rows).map(move |_| {
            let i = kept.trailing_zeros() as usize;
            kept &= kept.wrapping_sub(1);
            i
        })
    }

    /// The joint whose coordinates are meant: itself, also while a weld holds it.
    pub fn measured(&self) -> &dyn Constraint {
        match &self.status {
            JointStatus::Locked(joint) => joint.as_ref().as_ref(),
            _ => self.constraint.as_ref(),
        }
    }

    /// Angles among its coordinates.
    pub fn n_turns(&self) -> usize {
        self.measured().coordinates().iter().filter(|&&c| c == CoordinateKind::Angle).count()
    }

    pub fn row_range(&self) -> std::ops::Range<usize> {
        self.row as usize..self.row as usize + self.n_rows as usize
    }
}

/// A joint whose rows have sides: its place in the model.
pub(crate) struct InequalityJoint {
    pub joint: u32,
    pub n_rows: u8,
    pub level: Level,
    /// First of its rows among those of all such joints.
    pub first: u32,
    pub form: OwnBlocks,
    /// The joint whose load its friction follows.
    pub loaded: Option<u32>,
}

/// Bodies touched, each once, in the order of first mention.
pub(crate) fn touched_bodies(attachments: &[Attachment]) -> Vec<u32> {
    let mut out = Vec::new();
    for i in attachments.iter().filter_map(|a| a.body.index()) {
        if !out.contains(&(i as u32)) {
            out.push(i as u32);
        }
    }
    out
}

/// Disjoint sets.
#[derive(Default)]
pub(crate) struct Sets(Vec<u32>);

impl Sets {
    pub fn new(n: usize) -> Self {
        let mut sets = Sets::default();
        sets.reset(n);
        sets
    }

    /// Each on its own again; memory is kept.
    pub fn reset(&mut self, n: usize) {
        self.0.clear();
        self.0.extend(0..n as u32);
    }

    /// The lowest number in the set of `i`.
    pub fn find(&mut self, mut i: u32) -> u32 {
        while self.0[i as usize] != i {
            self.0[i as usize] = self.0[self.0[i as usize] as usize];
            i = self.0[i as usize];
        }
        i
    }

    pub fn joined(&mut self, a: u32, b: u32) -> bool {
        self.find(a) == self.find(b)
    }

    pub fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.0[a.max(b) as usize] = a.min(b);
    }
}

pub(crate) struct ForceLaw {
    pub law: Arc<dyn Force>,
    /// Angles whose turns it follows, among the turn counters.
    pub slots: Box<[u32]>,
}

/// Names in the order of creation, end to end in one string, with an index to find them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    text: String,
    ends: Vec<u32>,
    sorted: Vec<u32>,
}

impl Names {
    pub fn new(names: Vec<Box<str>>) -> Self {
        let text: String = names.concat();
        let mut end = 0;
        let ends = names.iter().map(|n| {
            end += n.len() as u32;
            end
        });
        let mut all = Names { text, ends: ends.collect(), sorted: (0..names.len() as u32).collect() };
        all.text.shrink_to_fit();
        let mut sorted = std::mem::take(&mut all.sorted);
        sorted.sort_by(|&a, &b| all.get(a as usize).cmp(all.get(b as usize)).then(a.cmp(&b)));
        Names { sorted, ..all }
    }

    pub fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.text[start as usize..self.ends[i] as usize]
    }

    pub fn find(&self, name: &str) -> Option<u32> {
        let at = self.sorted.binary_search_by(|&i| self.get(i as usize).cmp(name)).ok()?;
        Some(self.sorted[at])
    }

    pub fn duplicate(&self) -> Option<&str> {
        let twice = self.sorted.windows(2).find(|w| self.get(w[0] as usize) == self.get(w[1] as usize))?;
        Some(self.get(twice[0] as usize))
    }
}

/// With more moving shapes than this, events come too often to be followed one by one.
const MANY_SHAPES: usize = 8;

/// A mechanism: bodies, joints, forces, gravity, and the plan for solving it. Cheap to share between threads.
pub struct Model {
    pub(crate) bodies: Vec<Arc<dyn Body>>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) forces: Vec<ForceLaw>,
    pub(crate) body_names: Names,
    pub(crate) joint_names: Names,
    pub(crate) force_names: Names,
    pub(crate) gravity: Vec3,
    /// Bodies that lose energy inside.
    pub(crate) dissipative: Vec<u32>,
    /// Joints may use their lock rows.
    pub(crate) lock_rows: bool,
    pub(crate) q_start: Vec<u32>,
    pub(crate) v_start: Vec<u32>,
    /// Length scale of each island, m: the farthest that points lie from their body's origin, or bodies from the island's first one at the
    /// start; 1 where nothing is apart.
    pub(crate) island_length: Vec<f64>,
    pub(crate) n_rows: usize,
    pub(crate) n_turns: usize,
    /// Turn counters that joints follow, joint by joint.
    pub(crate) slots: Vec<u32>,
    /// Somebody needs to know which turn an angle is on.
    pub(crate) reads_turns: bool,
    /// Island of each body, and their number.
    pub(crate) island: Vec<u32>,
    pub(crate) n_islands: usize,
    /// Joint of each row; empty where the rows stand in the order of the joints.
    pub(crate) row_joint: Vec<u32>,
    /// How readily rows in loops give way where their pivots vanish, by place in a vector; empty when all are alike.
    pub(crate) softness: Vec<f64>,
    /// Parts of their own size below which the pivots of rows in loops say that a pose is near to singular, by place in a vector.
    pub(crate) watched: Vec<f64>,
    /// Islands with joints.
    pub(crate) jointed_islands: Vec<bool>,
    /// Islands with loops.
    pub(crate) looped_islands: Vec<bool>,
    /// Islands that cannot move away from the singular pose they are assembled in.
    pub(crate) stuck_islands: Vec<bool>,
    /// Islands without loops whose rows depend on each other all the same.
    pub(crate) entangled_islands: Vec<bool>,
    /// Compliance of joints, translation (m/N) and rotation (rad/(N m)), where given.
    pub(crate) compliance: BTreeMap<u32, (f64, f64)>,
    /// Force (N) and torque (N m) at which joints break, where given.
    pub(crate) break_loads: BTreeMap<u32, (f64, f64)>,
    /// Joints whose rows have sides, in the order of the joints.
    pub(crate) sided: Vec<InequalityJoint>,
    /// Shapes that may touch, and the bodies that carry some.
    pub(crate) shapes: Shapes,
    pub(crate) carries_shape: Vec<bool>,
    /// Rows in the matrix that are conditions on accelerations.
    pub(crate) acceleration_rows: Vec<u32>,
    /// Size of the largest shape that can move, or the length scale where there is none, m.
    pub(crate) shape_size: f64,
    pub(crate) plan: Plan,
    pub(crate) initial: State,
}

impl Model {
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
    /// Entries of the ledger that are integrated: works of forces, then of joints, then of friction inside
    /// bodies if there is any, then of contacts if there may be any.
    pub(crate) fn n_works(&self) -> usize {
        self.forces.len() + self.joints.len() + !self.dissipative.is_empty() as usize + self.has_sides() as usize
    }
    /// Number of position coordinates.
    pub fn n_q(&self) -> usize {
        self.q_start[self.bodies.len()] as usize
    }
    /// Number of velocity coordinates.
    pub fn n_v(&self) -> usize {
        self.v_start[self.bodies.len()] as usize
    }
    /// Number of constraint rows, that is of multipliers.
    pub fn n_rows(&self) -> usize {
        self.n_rows
    }
    /// Gravity, m/s^2.
    pub fn gravity(&self) -> Vec3 {
        self.gravity
    }
    /// Length scale of the mechanism, m: the farthest that joint points lie from their body's origin, or connected bodies from each other at
    /// the start. 1 for bodies without joints, and where there are none.
    pub fn length_scale(&self) -> f64 {
        let longest = self.island_length.iter().copied().fold(0.0, f64::max);
        if longest > 0.0 { longest } else { 1.0 }
    }
    /// Rate of the mechanism's natural motion, 1/s: that of a pendulum of its length; 1 without gravity. Default step sizes and absolute
    /// tolerances follow it.
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
        self.sided.binary_search_by_key(&id.0, |r| r.joint).ok().map(|k| &self.sided[k])
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
    #[inline(always)]
    pub(crate) fn q_of<'a>(&self, i: usize, q: &'a [f64]) -> &'a [f64] {
        &q[self.q_start[i] as usize..self.q_start[i + 1] as usize]
    }
    #[inline(always)]
    pub(crate) fn v_of<'a>(&self, i: usize, v: &'a [f64]) -> &'a [f64] {
        &v[self.v_start[i] as usize..self.v_start[i + 1] as usize]
    }
    pub(crate) fn q_of_mut<'a>(&self, i: usize, q: &'a mut [f64]) -> &'a mut [f64] {
        &mut q[self.q_start[i] as usize..self.q_start[i + 1] as usize]
    }

    /// The turn counters that a joint follows.
    #[inline(always)]
    pub(crate) fn slots_of(&self, joint: &Joint) -> &[u32] {
        &self.slots[joint.first_slot as usize..joint.first_slot as usize + joint.n_slots as usize]
    }

    /// Numbers in the rows with force directions of their own.
    pub(crate) fn n_own_numbers(&self) -> usize {
        let numbers = |j: &Joint| if let Form::Own(own) = &j.form { own.width() * j.n_rows as usize } else { 0 };
        self.joints.iter().map(numbers).sum()
    }

    /// Joint that a row belongs to.
    pub(crate) fn joint_of_row(&self, row: usize) -> usize {
        match self.row_joint.get(row) {
            Some(&joint) => joint as usize,
            None => self.joints.partition_point(|j| j.row as usize <= row).saturating_sub(1),
        }
    }
    pub(crate) fn island_of_row(&self, row: usize) -> usize {
        self.joints[self.joint_of_row(row)].island as usize
    }
    pub(crate) fn island_of_node(&self, node: Node) -> usize {
        let (i, n) = (node.index(), self.bodies.len());
        if i < n { self.island[i] as usize } else { self.joints[i - n].island as usize }
    }
    /// Does any joint close a loop? Two joints to the ground do, too.
    pub fn has_loops(&self) -> bool {
        self.plan.has_loops()
    }

    /// Size by which overlaps are measured, m.
    pub(crate) fn contact_scale(&self) -> f64 {
        self.shape_size
    }

    /// Has it rows with sides at all: limits, ropes, friction, caps, shapes that may touch?
    pub fn has_sides(&self) -> bool {
        !self.sided.is_empty() || !self.shapes.is_empty()
    }

    /// The integrator a simulation of this model starts with: time stepping where much may touch, otherwise DOP853 with events.
    pub fn default_integrator(&self) -> IntegratorKind {
        let moving = self.shapes.all.iter().filter(|s| !s.body.is_ground()).count();
        if moving > MANY_SHAPES { IntegratorKind::Stepping } else { IntegratorKind::default() }
    }

    /// The solver a simulation of this model starts with.
    pub fn default_solver(&self) -> SolverKind {
        if self.has_loops() { SolverKind::Sparse } else { SolverKind::Tree }
    }

    /// Which joints form a forest, ground included? Joints are taken in order; one that would close a loop is left out, and so are rows
    /// with force directions of their own.
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

    /// The body or joint of a node of the structure.
    pub(crate) fn node_name(&self, node: Node) -> String {
        let i = node.index();
        let n = self.bodies.len();
        if i < n { self.body_names.get(i).to_string() } else { self.joint_names.get(i - n).to_string() }
    }

    /// Rows and gradient cells of the largest constraint.
    pub(crate) fn largest_constraint(&self) -> (usize, usize) {
        self.joints.iter().fold((0, 0), |(rows, cells), j| {
            let m = j.constraint.n_rows();
            (rows.max(m), cells.max(m * j.constraint.attachments().len()))
        })
    }
}

impl State {
    /// Read back what [`State::to_bytes`] wrote, for this model.
    pub fn from_bytes(model: &Model, bytes: &[u8]) -> Result<State, SnapshotError> {
        State::read(&model.initial, bytes)
    }
}
