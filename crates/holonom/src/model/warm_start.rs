//! What a state remembers of rows under inequalities: which of them act, and how strongly.

/// Identity of a block of inequality rows from step to step: two shapes and their features, or a joint and its row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key(pub u32, pub u32, pub u64);

impl Key {
    pub fn joint(joint: u32, row: u32) -> Key {
        Key(u32::MAX, joint, row as u64)
    }

    /// Does it stand for a touch, and not for a joint or a time of rest?
    pub fn is_contact(self) -> bool {
        self.0 < RESTING
    }
}

/// First number of keys under which times of rest are remembered.
pub(crate) const RESTING: u32 = u32::MAX - 1;

/// How a inequality row acted last.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct WarmStart {
    pub key: Key,
    /// What events decided about it; 0 where time is stepped.
    pub mode: u64,
    /// Forces, N or N m, in world axes for touches: normal; slip (x, y, z); turning about the normal; rolling (x, y, z). Multipliers for joints.
    pub force: [f64; 8],
}

/// Numbers per entry in a snapshot.
pub(crate) const WORDS: usize = 11;

impl WarmStart {
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

    pub fn from_words(words: &[u64; WORDS]) -> WarmStart {
        let key = Key((words[0] >> 32) as u32, words[0] as u32, words[1]);
        let mut force = [0.0; 8];
        force.iter_mut().zip(&words[3..]).for_each(|(x, w)| *x = f64::from_bits(*w));
        WarmStart { key, mode: words[2], force }
    }
}
