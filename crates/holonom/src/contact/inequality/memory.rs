//! What is remembered of sided rows from step to step: which of them act, and how strongly.
//!
//! It is part of the state. Where contacts are redundant (a box on four corners) the forces are not unique, and which of them the solver finds depends on where it
//! starts; it starts from what it found last. A run that is resumed must start there too.

use super::{Key, Origin, SidedRows};

/// How a sided row acted last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Held {
    pub key: Key,
    /// What events decided about it; 0 where time is stepped.
    pub mode: u64,
    /// Forces, N or N m, in world axes for touches: normal; slip (x, y, z); turning about the normal; rolling (x, y, z). Multipliers for joints.
    pub force: [f64; 8],
}

/// Numbers per entry in a snapshot.
pub(crate) const WORDS: usize = 11;

impl Held {
    pub fn to_words(self) -> [u64; WORDS] {
        let mut out = [0; WORDS];
        out[0] = (self.key.0 as u64) << 32 | self.key.1 as u64;
        out[1] = self.key.2;
        out[2] = self.mode;
        for (out, x) in out[3..].iter_mut().zip(self.force) {
            *out = (x + 0.0).to_bits();
        }
        out
    }

    pub fn from_words(words: &[u64; WORDS]) -> Held {
        let key = Key((words[0] >> 32) as u32, words[0] as u32, words[1]);
        let mut force = [0.0; 8];
        force.iter_mut().zip(&words[3..]).for_each(|(x, w)| *x = f64::from_bits(*w));
        Held { key, mode: words[2], force }
    }
}

/// Where the rows of a block are in `Held::force`, and their axes in the world; joints have none.
fn place(sided: &SidedRows, block: usize) -> (usize, Option<[crate::math::Vec3; 2]>) {
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
pub(crate) fn recall(held: &[Held], sided: &SidedRows, time: f64, x: &mut [f64]) {
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
pub(crate) fn remember(sided: &SidedRows, x: &[f64], time: f64, held: &mut Vec<Held>) {
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
