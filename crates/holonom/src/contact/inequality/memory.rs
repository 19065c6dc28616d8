//! What is remembered of inequality rows from step to step: which of them act, and how strongly.
//!
//! It is part of the state. Where contacts are redundant (a box on four corners) the forces are not unique, and which of them the solver finds depends on where it
//! starts; it starts from what it found last. A run that is resumed must start there too.

use super::{InequalityRows, Origin};
use crate::model::warm_start::{Key, WarmStart};

/// Where the rows of a block are in `WarmStart::force`, and their axes in the world; joints have none.
fn place(ineq: &InequalityRows, block: usize) -> (usize, Option<[crate::math::Vec3; 2]>) {
    let b = &ineq.blocks[block];
    match b.origin {
        Origin::Joint(_) => (0, None),
        Origin::Touch(k) => {
            let touch = &ineq.touches[k as usize];
            match b.bound {
                super::RowBound::Cone { spin: false, .. } => (1, Some(touch.tangents)),
                super::RowBound::Cone { spin: true, .. } if b.n == 1 => (4, None),
                super::RowBound::Cone { .. } => (5, Some(touch.tangents)),
                _ => (0, None),
            }
        }
    }
}

/// The entry of a key.
pub(crate) fn find(warm_start: &[WarmStart], key: Key) -> Option<&WarmStart> {
    warm_start.binary_search_by(|h| h.key.cmp(&key)).ok().map(|i| &warm_start[i])
}

/// First guesses for the multipliers: remembered forces times `time`.
pub(crate) fn recall(warm_start: &[WarmStart], ineq: &InequalityRows, time: f64, x: &mut [f64]) {
    if warm_start.is_empty() {
        return;
    }
    for (i, block) in ineq.blocks.iter().enumerate() {
        let Some(known) = find(warm_start, block.key) else { continue };
        let (at, axes) = place(ineq, i);
        for (k, row) in block.rows().enumerate() {
            x[row] = time
                * match axes {
                    Some(axes) => axes[k].dot(crate::catalogue::attach::read3(&known.force[at..])),
                    None => known.force[at + k],
                };
        }
    }
}

/// Remember what acted: multipliers over `time`.
pub(crate) fn remember(ineq: &InequalityRows, x: &[f64], time: f64, warm_start: &mut Vec<WarmStart>) {
    warm_start.clear();
    for (i, block) in ineq.blocks.iter().enumerate() {
        if block.rows().all(|row| x[row] == 0.0) {
            continue;
        }
        if warm_start.last().is_none_or(|h| h.key != block.key) {
            warm_start.push(WarmStart { key: block.key, ..WarmStart::default() });
        }
        let (at, axes) = place(ineq, i);
        let Some(entry) = warm_start.last_mut() else { continue };
        for (k, row) in block.rows().enumerate() {
            let force = x[row] / time;
            match axes {
                Some(axes) => {
                    for (j, e) in axes[k].to_array().into_iter().enumerate() {
                        entry.force[at + j] += force * e;
                    }
                }
                None => entry.force[at + k] = force,
            }
        }
    }
    warm_start.sort_unstable_by_key(|h| h.key);
}
