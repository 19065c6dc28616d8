//! The terms of the equations of motion at one state, and the scratch memory to find them; sized once from the model.

use crate::catalogue::attach::{Attachment, Bodies, Frame, View};
use crate::catalogue::joints::Row;
use crate::math::{Mat3, Vec3};
use crate::model::ModelLayout;
use holonom_tree::{Blocks, Structure};

/// Values of the rows with force directions of their own: J and K^T, laid out as their joints say.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnRows {
    pub j: Vec<f64>,
    pub k: Vec<f64>,
}

/// Every joint angle at a moment not long ago: from there the turn it is on is followed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Angles {
    /// Value, turns counted, and rate; empty as long as nobody has looked.
    pub known: Vec<(f64, f64)>,
    /// That moment, s.
    pub time: f64,
}

impl Angles {
    /// Attachments at the time `t`, with the memory of those angles.
    #[inline(always)]
    pub fn view<'a>(
        &'a self,
        bodies: &'a Bodies<'a>,
        attachments: &'a [Attachment],
        slots: &'a [u32],
        t: f64,
    ) -> View<'a> {
        View::new(bodies, attachments).with_turns(&self.known, slots, t - self.time)
    }
}

/// How often the terms of the equations were evaluated. Each counts once for all bodies, or all joints, of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EvaluationCounts {
    /// Mass blocks and forces of the bodies.
    pub bodies: usize,
    /// J and c of all joints.
    pub constraints: usize,
    /// Gaps, and their rates.
    pub gaps: usize,
    /// M, J, forces and c of some islands only.
    pub parts: usize,
}

/// M, F, J, c, gaps and powers at one state.
pub(crate) struct Evaluation {
    /// One per body, then the ground.
    pub frames: Vec<Frame>,
    /// Values of M and J.
    pub blocks: Blocks,
    pub own: OwnRows,
    /// Applied and inertial forces, per velocity coordinate.
    pub force: Vec<f64>,
    /// c of the acceleration condition J vdot + c = 0, per row; feedback included.
    pub c: Vec<f64>,
    /// Violation and its rate, per row; sized when first needed, like all that follows from them.
    pub gap: Vec<f64>,
    pub gap_rate: Vec<f64>,
    /// The placement that gaps and rates of all rows were measured at last; 0 where they are of no one placement.
    pub measured_at: u64,
    /// Their rounding errors.
    pub gap_noise: Vec<f64>,
    pub rate_noise: Vec<f64>,
    /// Fastest relative motion in each island, 1/s.
    pub island_rate: Vec<f64>,
    /// Power of each force and joint, and of friction inside bodies, W.
    pub power: Vec<f64>,
    /// The turns that angles are on.
    pub angles: Angles,
    /// The state whose poses and motions are in the frames: q, then v. Empty where they are of no one state.
    pub placed: Vec<f64>,
    /// How often frames have been written.
    pub placement: u64,
    /// Every joint angle within one turn and its rate where turns were counted last, and the placement they are of.
    pub counted: Vec<(f64, f64)>,
    pub counted_at: u64,
    /// Where M and J were evaluated last, and when; empty where they have changed since.
    pub pose: Vec<f64>,
    /// Scratch for single blocks.
    pub mass: Vec<f64>,
    pub piece: Vec<f64>,
    /// Scratch for the rows of one constraint.
    pub rows: Vec<Row>,
    pub gradients: Vec<Vec3>,
    pub forces: Vec<Vec3>,
    /// Scratch for the gaps of one joint: sums per row, size and speed per attachment.
    pub sums: Vec<[f64; 3]>,
    pub sizes: Vec<(f64, f64)>,
    pub counts: EvaluationCounts,
}

/// Coordinates of positions up to which the pose that bodies were placed at is kept: beyond, memory is worth more.
const KEPT: usize = 1_000_000;

impl Evaluation {
    /// The bodies stand at this pose, with these velocities. Very large models do not keep a copy of it, and are placed
    /// anew whenever they are asked for.
    pub fn note_placed(&mut self, q: &[f64], v: &[f64]) {
        self.placed.clear();
        if q.len() <= KEPT {
            self.placed.reserve_exact(q.len() + v.len());
            self.placed.extend_from_slice(q);
            self.placed.extend_from_slice(v);
        }
    }

    pub fn new(layout: &ModelLayout, structure: &Structure) -> Self {
        let (rows, cells) = layout.largest_constraint();
        let mut frames = vec![Frame::NONE; layout.bodies.len() + 1];
        frames[layout.bodies.len()] = Frame::GROUND;
        Evaluation {
            frames,
            blocks: new_blocks(structure),
            own: OwnRows { j: vec![0.0; layout.n_own_numbers()], k: vec![0.0; layout.n_own_numbers()] },
            force: vec![0.0; layout.n_v()],
            c: vec![0.0; layout.n_rows],
            gap: Vec::new(),
            gap_rate: Vec::new(),
            measured_at: 0,
            gap_noise: Vec::new(),
            rate_noise: Vec::new(),
            island_rate: Vec::new(),
            power: vec![0.0; layout.n_works()],
            angles: Angles::default(),
            placed: Vec::new(),
            placement: 0,
            counted: Vec::new(),
            counted_at: 0,
            pose: Vec::new(),
            mass: Vec::new(),
            piece: Vec::new(),
            rows: vec![Row::default(); rows],
            gradients: vec![Vec3::ZERO; cells],
            forces: vec![Vec3::ZERO; cells],
            sums: vec![[0.0; 3]; rows],
            sizes: Vec::new(),
            counts: EvaluationCounts::default(),
        }
    }
}

/// Blocks at zero, with the world's axes in every lock: locks in world axes never write theirs.
pub(crate) fn new_blocks(structure: &Structure) -> Blocks {
    let mut blocks = Blocks::new(structure);
    blocks.transforms.iter_mut().for_each(|s| s.axes = Mat3::IDENTITY.to_cols_array_2d());
    blocks
}

/// The bodies at `(q, v)`, whose frames must be up to date.
pub(crate) fn bodies_at<'a>(model: &'a ModelLayout, frames: &'a [Frame], q: &'a [f64], v: &'a [f64]) -> Bodies<'a> {
    Bodies { bodies: &model.bodies, frames, q, v, q_start: &model.q_start, v_start: &model.v_start }
}
