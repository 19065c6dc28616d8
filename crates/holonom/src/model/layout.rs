//! Bodies, joints and forces, each with its place in the vectors and matrices of the equations: all that an evaluation
//! reads, and no plan for solving yet.

use crate::catalogue::bodies::Body;
use crate::catalogue::forces::Force;
use crate::math::Vec3;
use crate::model::joint::{Form, InequalityJoint, Joint};
use crate::model::names::Names;
use crate::model::shapes::Shapes;
use holonom_tree::Node;
use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) struct ForceLaw {
    pub law: Arc<dyn Force>,
    /// Angles whose turns it follows, among the turn counters.
    pub slots: Box<[u32]>,
}

/// The mechanism of a [`Model`](crate::Model), which dereferences to it.
pub struct ModelLayout {
    pub(crate) bodies: Vec<Arc<dyn Body>>,
    pub(crate) joints: Vec<Joint>,
    pub(crate) forces: Vec<ForceLaw>,
    pub(crate) body_names: Names,
    pub(crate) joint_names: Names,
    pub(crate) force_names: Names,
    pub(crate) gravity: Vec3,
    /// Bodies that dissipate energy inside.
    pub(crate) dissipative: Vec<u32>,
    /// Joints between rigid bodies enter as locks where they can; otherwise all of them enter row by row.
    pub(crate) lock_rows: bool,
    /// First coordinate of each body in q and in v; one entry more than there are bodies.
    pub(crate) q_start: Vec<u32>,
    pub(crate) v_start: Vec<u32>,
    pub(crate) n_rows: usize,
    /// Joint of each row; empty where the rows stand in the order of the joints.
    pub(crate) row_joint: Vec<u32>,
    /// Rows in the matrix that are conditions on accelerations.
    pub(crate) acceleration_rows: Vec<u32>,
    /// And those that are conditions on velocities and on nothing else.
    pub(crate) velocity_rows: Vec<u32>,
    pub(crate) n_turns: usize,
    /// Turn counters that joints follow, joint by joint.
    pub(crate) slots: Vec<u32>,
    /// Some joint or force reads which turn an angle is on.
    pub(crate) reads_turns: bool,
    /// Island of each body (bodies connected by joints, the ground left out), and the number of islands.
    pub(crate) island: Vec<u32>,
    pub(crate) n_islands: usize,
    /// Length scale of each island, m: the farthest that points lie from their body's origin, or bodies from the
    /// island's first one at the start; 1 where nothing is apart.
    pub(crate) island_length: Vec<f64>,
    /// Longest lever of the joints of each island, m, or its length scale where there is none: the unit of lengths in
    /// random poses and in plans, so that neither depends on the choice of units.
    pub(crate) island_lever: Vec<f64>,
    /// Islands with joints.
    pub(crate) jointed_islands: Vec<bool>,
    /// Compliance of joints, translation (m/N) and rotation (rad/(N m)), where given.
    pub(crate) compliance: BTreeMap<u32, (f64, f64)>,
    /// Force (N) and torque (N m) at which joints break, where given.
    pub(crate) break_loads: BTreeMap<u32, (f64, f64)>,
    /// Joints whose rows are inequalities, in the order of the joints.
    pub(crate) inequalities: Vec<InequalityJoint>,
    /// Shapes that may touch, and the bodies that carry some.
    pub(crate) shapes: Shapes,
    pub(crate) carries_shape: Vec<bool>,
    /// Size of the largest shape that can move, or the length scale where there is none, m.
    pub(crate) shape_size: f64,
}

impl ModelLayout {
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

    pub(crate) fn n_v(&self) -> usize {
        self.v_start[self.bodies.len()] as usize
    }
    /// Is there any inequality: limits, ropes, friction, bounds, shapes that may touch?
    pub(crate) fn has_inequalities(&self) -> bool {
        !self.inequalities.is_empty() || !self.shapes.is_empty()
    }
    /// Entries of the ledger that are integrated: works of forces, then of joints, then of friction inside bodies if
    /// there is any, then of friction of contacts if there may be any.
    pub(crate) fn n_works(&self) -> usize {
        let (friction, contacts) = (!self.dissipative.is_empty(), self.has_inequalities());
        self.forces.len() + self.joints.len() + friction as usize + contacts as usize
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

    /// The body or joint of a node of the structure.
    pub(crate) fn node_name(&self, node: Node) -> String {
        let (i, n) = (node.index(), self.bodies.len());
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

/// The longest of some length scales, or 1 where there is none.
pub(crate) fn longest(lengths: &[f64]) -> f64 {
    let longest = lengths.iter().copied().fold(0.0, f64::max);
    if longest > 0.0 { longest } else { 1.0 }
}
