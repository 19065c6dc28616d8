//! All scratch memory of a simulation, sized once from the model. It can be thrown away at any time.

use crate::catalogue::attach::{Attachment, Bodies, Frame, View};
use crate::catalogue::joints::Row;
use crate::contact::Contacts;
use crate::contact::inequality::SidedRows;
use crate::contact::inequality::forces::Forces;
use crate::contact::inequality::solve::Solvers;
use crate::math::{Mat3, Vec3};
use crate::model::Model;
use crate::solve::{Solver, SolverKind};
use crate::step::drift::Island;
use crate::step::integrate::StiffMatrix;
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

/// Scratch for one simulation thread.
pub struct Workspace {
    /// One per body, then the ground.
    pub(crate) frames: Vec<Frame>,
    /// Values of M and J.
    pub(crate) blocks: Blocks,
    pub(crate) own: OwnRows,
    /// Applied and inertial forces, per velocity coordinate.
    pub(crate) force: Vec<f64>,
    /// c of the acceleration condition J vdot + c = 0, per row; feedback included.
    pub(crate) c: Vec<f64>,
    /// Right-hand side, then solution [vdot; lambda] (or the like for the other laws).
    pub(crate) x: Vec<f64>,
    /// Violation and its rate, per row.
    pub(crate) gap: Vec<f64>,
    pub(crate) gap_rate: Vec<f64>,
    /// Their rounding errors.
    pub(crate) gap_noise: Vec<f64>,
    pub(crate) rate_noise: Vec<f64>,
    /// Fastest relative motion in each island, 1/s.
    pub(crate) island_rate: Vec<f64>,
    /// Iterations that close gaps; sized when first needed.
    pub(crate) islands: Vec<Island>,
    /// Where an iteration began; sized when first needed.
    pub(crate) kept: Vec<f64>,
    /// Power of each force and joint, and of friction inside bodies, W.
    pub(crate) power: Vec<f64>,
    /// The turns that angles are on.
    pub(crate) angles: Angles,
    /// The matrix of implicit steps, laid out when first needed.
    pub(crate) stiff: Option<Box<StiffMatrix>>,
    pub(crate) solver: Solver,
    /// Rows with sides, their solvers, and candidates for touches.
    pub(crate) sided: SidedRows,
    pub(crate) sided_solvers: Solvers,
    pub(crate) impact: crate::contact::inequality::impact::Scratch,
    pub(crate) contacts: Contacts,
    /// Forces of sided rows at the moment of the equations.
    pub(crate) acting: Forces,
    /// Largest overlap when last measured, m or rad.
    pub(crate) overlap: f64,
    /// Scratch for single blocks.
    pub(crate) mass: Vec<f64>,
    pub(crate) piece: Vec<f64>,
    pub(crate) rows: Vec<Row>,
    pub(crate) gradients: Vec<Vec3>,
    pub(crate) forces: Vec<Vec3>,
    /// Scratch for the gaps of one joint: sums per row, size and speed per attachment.
    pub(crate) sums: Vec<[f64; 3]>,
    pub(crate) sizes: Vec<(f64, f64)>,
}

impl Workspace {
    /// Scratch for `model`, with the named solver.
    pub fn new(model: &Model, solver: SolverKind) -> Self {
        let (n_v, n_rows) = (model.n_v(), model.n_rows());
        let (rows, cells) = model.largest_constraint();
        let mut frames = vec![Frame::NONE; model.n_bodies() + 1];
        frames[model.n_bodies()] = Frame::GROUND;
        let blocks = new_blocks(model.structure());
        Workspace {
            frames,
            blocks,
            own: OwnRows { j: vec![0.0; model.n_own_numbers()], k: vec![0.0; model.n_own_numbers()] },
            force: vec![0.0; n_v],
            c: vec![0.0; n_rows],
            x: vec![0.0; n_v + n_rows],
            gap: Vec::new(),
            gap_rate: Vec::new(),
            gap_noise: Vec::new(),
            rate_noise: Vec::new(),
            island_rate: Vec::new(),
            islands: Vec::new(),
            kept: Vec::new(),
            power: vec![0.0; model.n_works()],
            angles: Angles::default(),
            stiff: None,
            solver: Solver::new(solver, model),
            sided: SidedRows::default(),
            sided_solvers: Solvers::default(),
            impact: Default::default(),
            contacts: Contacts::new(model),
            acting: Forces::default(),
            overlap: 0.0,
            mass: Vec::new(),
            piece: Vec::new(),
            rows: vec![Row::default(); rows],
            gradients: vec![Vec3::ZERO; cells],
            forces: vec![Vec3::ZERO; cells],
            sums: vec![[0.0; 3]; rows],
            sizes: Vec::new(),
        }
    }

    /// Accelerations found last, per velocity coordinate.
    pub fn accelerations(&self) -> &[f64] {
        &self.x[..self.force.len()]
    }

    /// Multipliers found last, per row.
    pub fn multipliers(&self) -> &[f64] {
        &self.x[self.force.len()..]
    }
}

/// Blocks at zero, with the world's axes in every lock: locks in world axes never write theirs.
pub(crate) fn new_blocks(structure: &Structure) -> Blocks {
    let mut blocks = Blocks::new(structure);
    blocks.transforms.iter_mut().for_each(|s| s.axes = Mat3::IDENTITY.to_cols_array_2d());
    blocks
}

/// The bodies at `(q, v)`, whose frames must be up to date.
pub(crate) fn bodies_at<'a>(model: &'a Model, frames: &'a [Frame], q: &'a [f64], v: &'a [f64]) -> Bodies<'a> {
    Bodies { bodies: &model.bodies, frames, q, v, q_start: &model.q_start, v_start: &model.v_start }
}
