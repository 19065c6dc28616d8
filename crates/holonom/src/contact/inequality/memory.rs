//! What is remembered of sided rows from step to step: which of them act, and how strongly.
//!
//! It is part of the state. Where contacts are redundant (a box on four corners) the forces are not unique, and which of them the solver finds depends on where it
//! starts; it starts from what it found last. A run that is resumed must start there too.

use super::{InequalityRows, Origin};
use crate::model::warm_start::{Held, Key};

/// Where the rows of a block are in `Held::force`, and their axes in the world; joints have none.
fn place(sided: &InequalityRows, block: usize) -> (usize, Option<[crate::math::Vec3; 2]>) {
    let b = &sided.blocks[block];
    match b.origin {
        Origin::Joint(_) => (0, None),
        Origin::Touch(k) => {
            let touch = &sided.touches[k as usize];
            match b.side {
                super::Side::Cone { spin: false, .. } => (1, Some(touch.tangents)),
                super::Side::Cone { spin: true, .. } if b.n == 1 => (4, None),
                super::Side::Cone { .. } => (5, Some(touch.tangents)),
                _ => (0, None),
            }
        }
    }
}

/// The entry of a key.
pub(crate) fn find(held: &[Held], key: Key) -> Option<&Held> {
    held.binary_search_by(|h| h.key.cmp(&key)).ok().map(|i| &held[i])
}

/// First guesses for the multipliers: remembered forces times `time`.
pub(crate) fn recall(held: &[Held], sided: &InequalityRows, time: f64, x: &mut [f64]) {
    if held.is_empty() {
        return;
    }
    for (i, block) in sided.blocks.iter().enumerate() {
        let Some(known) = find(held, block.key) else { continue };
        let (at, axes) = place(sided, i);
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
pub(crate) fn remember(sided: &InequalityRows, x: &[f64], time: f64, held: &mut Vec<Held>) {
    held.clear();
    for (i, block) in sided.blocks.iter().enumerate() {
        if block.rows().all(|row| x[row] == 0.0) {
            continue;
        }
        if held.last().is_none_or(|h| h.key != block.key) {
            held.push(Held { key: block.key, ..Held::default() });
        }
        let (at, axes) = place(sided, i);
        let Some(entry) = held.last_mut() else { continue };
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
    held.sort_unstable_by_key(|h| h.key);
}
