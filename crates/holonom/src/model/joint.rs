//! Joints as they enter the equations: which of their rows are kept, where these stand, and how they are written.

use crate::catalogue::attach::Attachment;
use crate::catalogue::joints::{Constraint, CoordinateKind, Level, Mask};
use holonom_tree::LinkId;
use std::sync::Arc;

/// What is being done with a joint.
#[derive(Clone)]
pub(crate) enum JointStatus {
    Active,
    /// WarmStart as it stands by a weld in its place; this is the joint itself. (Boxed: few joints are locked, and all have a status.)
    Locked(Box<Arc<dyn Constraint>>),
    /// Holds nothing.
    Broken,
}

impl JointStatus {
    /// The joint whose coordinates are meant, where `constraint` holds: that one, or the joint that a weld holds.
    pub fn measured<'a>(&'a self, constraint: &'a Arc<dyn Constraint>) -> &'a dyn Constraint {
        match self {
            JointStatus::Locked(joint) => joint.as_ref().as_ref(),
            _ => constraint.as_ref(),
        }
    }
}

/// Angles among the coordinates of a constraint.
pub(crate) fn n_turns(constraint: &dyn Constraint) -> usize {
    constraint.coordinates().iter().filter(|&&c| c == CoordinateKind::Angle).count()
}

/// How the rows of a joint enter the equations.
pub(crate) enum Form {
    /// As a lock: a masked rigid transform between two rigid bodies. `aligned`: with the world's axes.
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
    /// Directions of the lock that the rows are along, where the joint can be evaluated as a lock although a body moves in a plane; else empty.
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
        self.status.measured(&self.constraint)
    }

    /// Angles among its coordinates.
    pub fn n_turns(&self) -> usize {
        n_turns(self.measured())
    }

    pub fn row_range(&self) -> std::ops::Range<usize> {
        self.row as usize..self.row as usize + self.n_rows as usize
    }
}

/// A joint whose rows are inequalities: its place in the model.
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
