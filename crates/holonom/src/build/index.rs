//! Places of everything in the vectors and matrices of the equations: islands, rows, the form in which each joint
//! enters, and the structure (nodes and links) of the matrix.

use crate::build::check::{Checked, part};
use crate::build::islands::{Islands, equations};
use crate::build::rank;
use crate::build::settle::{Given, Settled, TurnCounters};
use crate::catalogue::attach::{Attachment, Frame};
use crate::catalogue::joints::{Constraint, Level, Mask, RowLaw};
use crate::model::layout::longest;
use crate::model::loops::reaches_everywhere;
use crate::model::state::State;
use crate::model::{
    ForceLaw, Form, InequalityJoint, Joint, JointStatus, ModelLayout, OwnBlocks, OwnBody, RowBlocks, touched_bodies,
};
use holonom_tree::{Node, Structure};
use std::sync::Arc;

/// A mechanism with the places of its parts, the structure of its equations, and the start as it was given.
pub(crate) struct Indexed {
    pub layout: ModelLayout,
    /// Nodes of the bodies, then of the joints, and their links.
    pub structure: Structure,
    pub given: Given,
}

impl Indexed {
    pub fn new(settled: Settled) -> Indexed {
        let Settled { checked, turns, given } = settled;
        let State { q, v, .. } = &given.state;
        let islands = Islands::new(&checked, q);
        let frames = checked.frames(q, v);
        let locks = lock_masks(&checked, &frames);
        let kept = rank::kept_rows(&checked, &islands, &locks, q);
        let (structure, forms) = structure(&checked, &islands, &frames, &locks, &kept, q);
        Indexed { layout: layout(checked, turns, islands, &kept, forms), structure, given }
    }
}

/// Write everything down, once it has its place.
fn layout(checked: Checked, turns: TurnCounters, islands: Islands, kept: &[u32], forms: Vec<Form>) -> ModelLayout {
    let rows = RowPlaces::new(&checked, kept);
    let inequalities = inequality_joints(&checked);
    let joint = |(k, ((constraint, status), form)): (usize, ((_, _), _))| Joint {
        constraint,
        status,
        form,
        row: rows.first[k],
        n_rows: kept[k].count_ones() as u8,
        kept: kept[k],
        first_turn: turns.first[k],
        island: islands.of_joint[k],
        first_slot: turns.slot_start[k],
        n_slots: turns.slots_of(k).len() as u16,
    };
    let joints: Vec<Joint> = checked.parts.joints.into_iter().zip(forms).enumerate().map(joint).collect();
    let (n_turns, reads_turns) = (turns.len(), turns.are_read());
    let forces = checked.parts.forces.into_iter().zip(turns.of_forces);
    let mut bodies = checked.parts.bodies;
    let moving = checked.parts.shapes.all.iter().filter(|s| !s.body.is_ground());
    let shape_size = moving.map(|s| s.shape.bounding_radius()).fold(0.0, f64::max);
    let mut carries_shape = vec![false; bodies.len()];
    checked.parts.shapes.all.iter().filter_map(|s| s.body.index()).for_each(|i| carries_shape[i] = true);
    bodies.shrink_to_fit();
    ModelLayout {
        bodies,
        acceleration_rows: rows_on(Level::Acceleration, &joints),
        velocity_rows: rows_on(Level::Velocity, &joints),
        joints,
        forces: forces.map(|(law, slots)| ForceLaw { law, slots }).collect(),
        body_names: checked.body_names,
        joint_names: checked.joint_names,
        force_names: checked.force_names,
        gravity: checked.parts.gravity,
        dissipative: checked.dissipative,
        lock_rows: checked.parts.lock_rows,
        q_start: checked.q_start,
        v_start: checked.v_start,
        n_rows: rows.count,
        row_joint: rows.joint,
        n_turns,
        slots: turns.slots,
        reads_turns,
        island: islands.of_body,
        n_islands: islands.count,
        shape_size: if shape_size > 0.0 { shape_size } else { longest(&islands.length) },
        island_length: islands.length,
        island_lever: islands.lever,
        jointed_islands: islands.jointed,
        compliance: checked.parts.compliance,
        break_loads: checked.parts.break_loads,
        inequalities,
        shapes: checked.parts.shapes,
        carries_shape,
    }
}

/// First row of each joint. Rows with force directions of their own are not in the matrix and come after all others.
struct RowPlaces {
    first: Vec<u32>,
    count: usize,
    /// Joint of each row; empty where the rows stand in the order of the joints.
    joint: Vec<u32>,
}

impl RowPlaces {
    fn new(checked: &Checked, kept: &[u32]) -> RowPlaces {
        let is_own = |k: usize| checked.parts.joints[k].0.own_force_direction();
        let n_rows =
            |own: bool| -> u32 { (0..kept.len()).filter(|&k| is_own(k) == own).map(|k| kept[k].count_ones()).sum() };
        let (n_matrix, n_own) = (n_rows(false), n_rows(true));
        let (mut row, mut own_row) = (0, n_matrix);
        let (mut first, mut joint) = (Vec::with_capacity(kept.len()), vec![0; (n_matrix + n_own) as usize]);
        for (k, kept) in kept.iter().enumerate() {
            let next = if is_own(k) { &mut own_row } else { &mut row };
            first.push(*next);
            joint[*next as usize..][..kept.count_ones() as usize].fill(k as u32);
            *next += kept.count_ones();
        }
        RowPlaces { first, count: joint.len(), joint: if n_own > 0 { joint } else { Vec::new() } }
    }
}

/// Rows that are conditions of this level.
fn rows_on(level: Level, joints: &[Joint]) -> Vec<u32> {
    let rows = |joint: &Joint| -> Vec<u32> {
        let rows = (joint.row..).zip(joint.kept_rows());
        rows.filter(|&(_, i)| joint.constraint.level(i) == level).map(|(row, _)| row).collect()
    };
    joints.iter().flat_map(rows).collect()
}

/// Joints whose rows are inequalities. They are no part of the matrix.
fn inequality_joints(checked: &Checked) -> Vec<InequalityJoint> {
    let mut first = 0;
    let mut out = Vec::new();
    for (k, (constraint, status)) in checked.parts.joints.iter().enumerate() {
        if constraint.law() == RowLaw::Equality || matches!(status, JointStatus::Broken) {
            continue;
        }
        let n_rows = constraint.n_rows() as u8;
        let loaded = constraint.reads().first().and_then(|c| checked.joint_names.find(&c.name));
        let form = own_blocks(constraint.attachments(), &checked.v_start, 0);
        out.push(InequalityJoint { joint: k as u32, n_rows, level: constraint.level(0), first, form, loaded });
        first += n_rows as u32;
    }
    out
}

/// Where rows outside the matrix keep their numbers.
fn own_blocks(attachments: &[Attachment], v_start: &[u32], at: u32) -> OwnBlocks {
    let bodies = touched_bodies(attachments);
    let slot = |a: &Attachment| {
        let at = a.body.index().and_then(|i| bodies.iter().position(|&b| b == i as u32));
        at.unwrap_or(0) as u8
    };
    let slots = attachments.iter().map(slot).collect();
    let mut column = 0;
    let bodies = bodies.iter().map(|&i| {
        let (v, n) = (v_start[i as usize], v_start[i as usize + 1] - v_start[i as usize]);
        column += n;
        OwnBody { body: i, v, n, column: column - n }
    });
    OwnBlocks { at, bodies: bodies.collect(), slots }
}

/// What joints that enter as locks hold: those that may, and whose two bodies are rigid.
fn lock_masks(checked: &Checked, frames: &[Frame]) -> Vec<Option<Mask>> {
    let is_rigid = |a: &Attachment| a.body.index().is_none_or(|i| frames[i].rigid);
    let mask = |(constraint, status): &(Arc<dyn Constraint>, JointStatus)| {
        let held = checked.parts.lock_rows && equations(constraint.as_ref(), status) != 0;
        let shape = constraint.lock_shape().filter(|_| held)?;
        constraint.attachments()[..2].iter().all(is_rigid).then_some(shape.mask)
    };
    checked.parts.joints.iter().map(mask).collect()
}

/// Nodes and links, and the form of each joint.
fn structure(
    checked: &Checked,
    islands: &Islands,
    frames: &[Frame],
    locks: &[Option<Mask>],
    kept: &[u32],
    q: &[f64],
) -> (Structure, Vec<Form>) {
    let mut s = Structure::new();
    for (i, body) in checked.parts.bodies.iter().enumerate() {
        let node = s.primal(body.n_dof());
        s.unit(node, body.n_lengths(), islands.lever[islands.of_body[i] as usize]);
        if !reaches_everywhere(body.as_ref(), part(&checked.q_start, i, q)) {
            s.may_lose_rank(node);
        }
        if body.central() && body.n_dof() == 6 {
            s.central(node);
        }
    }
    let mut own_at = 0;
    let form = |k: usize| {
        let constraint = checked.parts.joints[k].0.as_ref();
        if let Some(mask) = locks[k] {
            return lock(&mut s, constraint, mask);
        }
        let own = own_blocks(constraint.attachments(), &checked.v_start, own_at);
        if constraint.own_force_direction() {
            s.dual(0);
            own_at += own.width() as u32 * kept[k].count_ones();
            return Form::Own(Box::new(own));
        }
        let dual = s.dual(kept[k].count_ones() as usize);
        // inequality rows are elsewhere
        let held = own.bodies.iter().filter(|_| kept[k] != 0);
        let links = held.map(|b| s.link(dual, Node(b.body))).collect();
        let lock = if checked.parts.lock_rows && own.bodies.len() <= 2 {
            lock_rows(constraint, frames, kept[k])
        } else {
            Vec::new()
        };
        Form::Rows(Box::new(RowBlocks { links, slots: own.slots, lock }))
    };
    let forms = (0..checked.parts.joints.len()).map(form).collect();
    (s, forms)
}

/// The node of a joint between rigid bodies.
fn lock(s: &mut Structure, constraint: &dyn Constraint, mask: Mask) -> Form {
    let aligned = constraint.lock_shape().is_some_and(|s| s.aligned);
    let [a, b] = [0, 1].map(|k| constraint.attachments()[k].body.index().map(|i| Node(i as u32)));
    let dual = match (a, b) {
        (None, None) => s.dual(0), // refused before
        (a, b) => s.masked(mask, aligned, a, b),
    };
    Form::Lock { transform: s.transform_index(dual).unwrap_or(0) as u32, mask, aligned }
}

/// Directions of the lock that the kept rows of a joint are along, where its bodies have frames; else empty.
fn lock_rows(constraint: &dyn Constraint, frames: &[Frame], kept: u32) -> Vec<u8> {
    let is_placed = |a: &Attachment| a.body.index().is_none_or(|i| frames[i].carries());
    match constraint.lock_shape() {
        Some(shape) if constraint.attachments().iter().all(is_placed) => {
            let rows = shape.mask.rows().enumerate();
            rows.filter(|(i, _)| kept >> i & 1 == 1).map(|(_, direction)| direction as u8).collect()
        }
        _ => Vec::new(),
    }
}
