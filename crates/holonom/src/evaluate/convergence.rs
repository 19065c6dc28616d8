//! Iterations that close gaps, watched island by island.
//!
//! Islands do not feel each other: each one stops when it is done, so that its result does not depend on what else is
//! in the model.

use crate::model::Model;

/// Scratch of such an iteration; sized when first needed.
#[derive(Default)]
pub(crate) struct Correction {
    pub islands: Vec<Island>,
    /// Positions before the last correction.
    pub kept: Vec<f64>,
    /// Those whose last correction is shortened.
    pub shorter: Vec<Island>,
    /// How far joints may stay open, m or rad; 0 where they are closed to rounding, infinite where one correction will
    /// do.
    pub tolerance: f64,
    /// Gaps below so many times their noise are left alone.
    pub quiet: f64,
    /// The integrator has corrected what its step left open.
    pub made: bool,
    /// Positions and velocities before the first one.
    pub start: (Vec<f64>, Vec<f64>),
    /// The largest gap that positions were corrected from since a step began, in units of its noise, its size (m or
    /// rad) and its row.
    pub first: (f64, f64, u32),
}

impl Correction {
    /// Close joints to rounding.
    pub fn to_rounding(&mut self) {
        (self.tolerance, self.quiet, self.made) = (0.0, QUIET, false);
    }
}

/// How the iteration stands in one island, a set of bodies connected by joints. Islands do not feel each other: each
/// one stops when it is done, so that its result does not depend on what else is in the model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Island {
    pub active: bool,
    /// Largest entry in units of its noise, and its row.
    pub now: f64,
    pub row: u32,
    /// Largest entry one iteration ago.
    pub last: f64,
    /// It is closed below this.
    pub goal: f64,
}

/// Gaps and gap rates are measured in units of their own rounding noise: 2^-52 times the size of what they are
/// differences of. That is the same for metres, millimetres and pure numbers. Below this they are left alone.
pub(crate) const QUIET: f64 = 1.0;

impl Island {
    pub const START: Island = Island { active: true, now: 0.0, row: 0, last: f64::INFINITY, goal: QUIET };
}

/// Begin an iteration.
pub(crate) fn watch_all(model: &Model, islands: &mut Vec<Island>) {
    islands.clear();
    islands.resize(model.n_islands, Island::START);
}

/// Entries below `tolerance`, m or rad, are small enough too, wherever that is more than their noise.
pub(crate) fn set_goals(model: &Model, tolerance: f64, quiet: f64, noise: &[f64], islands: &mut [Island]) {
    islands.iter_mut().for_each(|i| i.goal = 0.0);
    for joint in &model.joints {
        let island = &mut islands[joint.island as usize];
        island.goal = joint.row_range().fold(island.goal, |most, row| most.max(noise[row]));
    }
    islands.iter_mut().for_each(|i| i.goal = quiet.max(if i.goal > 0.0 { tolerance / i.goal } else { 0.0 }));
}

/// The largest entry of `rows` in units of its noise, of active islands; nothing else of them changes.
pub(crate) fn measure(model: &Model, rows: &[f64], noise: &[f64], islands: &mut [Island]) {
    islands.iter_mut().filter(|i| i.active).for_each(|i| i.now = 0.0);
    if let [only] = islands {
        if only.active {
            for (row, (x, noise)) in rows.iter().zip(noise).enumerate() {
                if *x != 0.0 && !(x.abs() <= only.now * noise) {
                    (only.now, only.row) = (x.abs() / noise, row as u32);
                }
            }
        }
        return;
    }
    for joint in &model.joints {
        let island = &mut islands[joint.island as usize];
        for row in joint.row_range().filter(|_| island.active) {
            // only what may be the largest is divided
            let (x, noise) = (rows[row].abs(), noise[row]);
            if x != 0.0 && !(x <= island.now * noise) {
                (island.now, island.row) = (x / noise, row as u32);
            }
        }
    }
}

/// Measure `rows` (gaps, or their rates) against their noise, island by island, and let go of those that are `done`. Is
/// any left?
pub(crate) fn watch(
    model: &Model,
    rows: &[f64],
    noise: &[f64],
    islands: &mut [Island],
    done: impl Fn(&Island) -> bool,
) -> bool {
    for island in islands.iter_mut().filter(|i| i.active) {
        *island = Island { last: if island.now > 0.0 { island.now } else { island.last }, ..*island };
    }
    measure(model, rows, noise, islands);
    islands.iter_mut().for_each(|i| i.active = i.active && !done(i));
    islands.iter().any(|i| i.active)
}
