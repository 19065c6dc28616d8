//! Inequality rows: unilateral, bounded and friction-cone constraints.
//!
//! ```text
//! unilateral    C >= 0,  lambda >= 0,  one of them 0                          limits, ropes, the normal direction of a contact
//! bounded       J v (or J vdot + c) = 0 as long as lambda stays within bounds   capped motors, dry friction, the capped hand
//! cone          |lambda_t| <= mu lambda_n, opposite to the slip where there is any   friction of a contact
//! ```
//!
//! They are not part of the matrix H of joints, which stays what it is while they come and go. Like Baraff's auxiliary
//! rows they are anticipated: each unit push is answered by all joints before it is known how strong it will be,
//!
//! ```text
//! a = A x + b,     A_ij = G_i (response of the mechanism to G_j^T),     b: what the rows would do without pushes
//! ```
//!
//! and the complementarity problem for x is solved on top ([`solve`]). The same rows serve at three levels: x are
//! displacements' multipliers when positions are corrected, impulses when velocities are (a step, an impact), forces
//! when accelerations are.
//!
//! This file keeps the rows of one moment; [`gather`] fills them in.

pub(crate) mod blocked;
pub(crate) mod blows;
#[cfg(test)]
mod differences;
pub(crate) mod forces;
pub(crate) mod gather;
pub(crate) mod impact;
pub(crate) mod memory;
pub(crate) mod mode;
pub(crate) mod project;
pub(crate) mod sleep;
pub(crate) mod soft;
pub(crate) mod solve;
mod sparse;
pub(crate) mod tension;
pub(crate) mod workspace;

use crate::catalogue::attach::BodyId;
use crate::catalogue::joints::Level;
use crate::model::warm_start::Key;
use holonom_lcp::ComplementarityLaw as Law;

/// Where a block comes from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Origin {
    /// Number among the inequality joints.
    Joint(u32),
    /// Number among the touches.
    Touch(u32),
}

/// What the multipliers of a block may be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum RowBound {
    /// Not negative. `threshold`: the speed of approach (m/s) below which nothing comes back.
    Push {
        restitution: f64,
        threshold: f64,
    },
    /// A soft touch: max(0, - stiffness C - damping dC/dt), whatever moves ([`soft`]).
    Soft {
        stiffness: f64,
        damping: f64,
    },
    Within {
        least: f64,
        most: f64,
    },
    Ball {
        radius: f64,
    },
    /// Within ± (constant + lever |force in that joint|).
    Dry {
        constant: f64,
        lever: f64,
        loaded: Option<u32>,
    },
    /// Within a cone over the multiplier of row `normal`. `spin`: the rows are on the relative spin, not on the slip.
    Cone {
        normal: u32,
        sliding: f64,
        sticking: f64,
        spin: bool,
    },
}

/// A run of rows under one law.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Block {
    pub origin: Origin,
    pub bound: RowBound,
    pub level: Level,
    pub row: u32,
    pub n: u32,
    pub key: Key,
}

impl Block {
    pub fn rows(&self) -> std::ops::Range<usize> {
        self.row as usize..(self.row + self.n) as usize
    }
}

/// A piece of a row: its numbers on one body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Part {
    pub body: u32,
    /// First velocity coordinate, number of them, first number among the values.
    pub v: u32,
    pub n: u32,
    pub at: u32,
}

/// All inequality rows of one moment.
#[derive(Default)]
pub(crate) struct InequalityRows {
    pub blocks: Vec<Block>,
    /// Parts of row i: `part_start[i]..part_start[i + 1]`.
    pub part_start: Vec<u32>,
    pub parts: Vec<Part>,
    pub values: Vec<f64>,
    /// C (m or rad; 0 for rows that are not on positions), dC/dt, and c of J vdot + c.
    pub gap: Vec<f64>,
    pub rate: Vec<f64>,
    pub c: Vec<f64>,
    /// Touches, in the order of their blocks.
    pub touches: Vec<gather::ActiveContact>,
}

impl InequalityRows {
    pub fn len(&self) -> usize {
        self.gap.len()
    }

    pub fn clear(&mut self) {
        self.blocks.clear();
        self.part_start.clear();
        self.part_start.push(0);
        self.parts.clear();
        self.values.clear();
        self.gap.clear();
        self.rate.clear();
        self.c.clear();
        self.touches.clear();
    }

    pub fn parts_of(&self, row: usize) -> &[Part] {
        &self.parts[self.part_start[row] as usize..self.part_start[row + 1] as usize]
    }

    /// `G_row x` for velocity coordinates x.
    #[inline]
    pub fn product(&self, row: usize, x: &[f64]) -> f64 {
        let mut sum = 0.0;
        for part in self.parts_of(row) {
            let (g, x) =
                (&self.values[part.at as usize..][..part.n as usize], &x[part.v as usize..][..part.n as usize]);
            sum += g.iter().zip(x).map(|(g, x)| g * x).sum::<f64>();
        }
        sum
    }

    /// `x += s G_row^T`.
    #[inline]
    pub fn push(&self, row: usize, s: f64, x: &mut [f64]) {
        for part in self.parts_of(row) {
            let (g, x) =
                (&self.values[part.at as usize..][..part.n as usize], &mut x[part.v as usize..][..part.n as usize]);
            x.iter_mut().zip(g).for_each(|(x, g)| *x += s * g);
        }
    }

    /// Begin a part of the row under construction; its numbers start at zero.
    fn begin_part(&mut self, body: u32, v: u32, n: u32) -> &mut [f64] {
        let at = self.values.len();
        self.parts.push(Part { body, v, n, at: at as u32 });
        self.values.resize(at + n as usize, 0.0);
        &mut self.values[at..]
    }

    /// End the row under construction.
    fn end_row(&mut self, gap: f64, rate: f64, c: f64) {
        self.part_start.push(self.parts.len() as u32);
        self.gap.push(gap);
        self.rate.push(rate);
        self.c.push(c);
    }
}

impl RowBound {
    /// The part of the speed of approach (below 0, m/s or rad/s) that comes back.
    pub fn rebound(&self, approach: f64) -> f64 {
        match *self {
            RowBound::Push { restitution, threshold } if -approach >= threshold => restitution,
            _ => 0.0,
        }
    }

    /// The law of the complementarity problem; multipliers are scaled by `time` (the step for impulses, 1 for forces).
    /// `row`: number of a row in the problem.
    pub fn law(
        &self,
        n: usize,
        time: f64,
        load: impl Fn(u32) -> f64,
        row: impl Fn(u32) -> usize,
        slipping: bool,
    ) -> Law {
        match *self {
            RowBound::Push { .. } | RowBound::Soft { .. } => Law::Push,
            RowBound::Within { least, most } => Law::Within { least: least * time, most: most * time },
            RowBound::Ball { radius } => Law::Ball { radius: radius * time, rows: n },
            RowBound::Dry { constant, lever, loaded } => {
                let most = time * (constant + lever * loaded.map_or(0.0, load));
                Law::Within { least: -most, most }
            }
            RowBound::Cone { normal, sliding, sticking, .. } => {
                Law::Cone { normal: row(normal), mu: if slipping { sliding } else { sticking }, rows: n }
            }
        }
    }
}

/// Ground as a body number among parts: never stored.
pub(crate) fn body_index(body: BodyId) -> Option<u32> {
    body.index().map(|i| i as u32)
}
