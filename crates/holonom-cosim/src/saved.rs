//! States of units: everything that is needed to go on with the same bits, in memory and as bytes.
//!
//! ```text
//! 8 bytes "holofmu1" | u64 n | n bytes of JSON: all but the states | u64 m | m bytes: the state of the engine |
//! u64 k | k bytes: the state before the step that the last communication point has cut (k = 0: none) | u64 FNV-1a of all before
//! ```
//!
//! Little endian. The states carry checksums of their own.

use crate::unit::UnitMode;
use holonom_run::InputCourse;
use serde::{Deserialize, Serialize};

const MAGIC: &[u8; 8] = b"holofmu1";

/// A state of a unit that was kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SavedUnit {
    /// The unit it belongs to.
    pub(crate) token: String,
    pub(crate) mode: UnitMode,
    pub(crate) chosen: Chosen,
    pub(crate) motion: Option<SavedMotion>,
}

/// What the importing tool has said so far.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Chosen {
    /// Values of parameters; of those that are calculated, the start.
    pub parameters: Vec<f64>,
    /// Values of inputs that were set.
    pub inputs: Vec<Option<f64>>,
    /// Start time, s.
    pub start: f64,
    /// Nothing happens after it, s.
    pub stop: Option<f64>,
    /// Of adaptive steps.
    pub tolerance: Option<f64>,
}

/// A mechanism in motion that was kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct SavedMotion {
    /// What it was built with.
    pub built: Chosen,
    pub courses: Vec<Option<InputCourse>>,
    pub followed: Vec<f64>,
    pub left_alone: bool,
    pub base: f64,
    pub index: u64,
    pub steps: u64,
    /// Of the state that was cut.
    pub uncut_at: (u64, u64),
    /// Joints that are broken.
    pub broken: Vec<String>,
    #[serde(skip)]
    pub state: Vec<u8>,
    #[serde(skip)]
    pub uncut: Vec<u8>,
}

impl SavedUnit {
    /// As bytes, the same on every machine.
    pub fn to_bytes(&self) -> Vec<u8> {
        let header = serde_json::to_vec(self).unwrap_or_default();
        let (state, uncut) = self.motion.as_ref().map_or((&[][..], &[][..]), |m| (&m.state, &m.uncut));
        let mut out = MAGIC.to_vec();
        for part in [&header[..], state, uncut] {
            out.extend_from_slice(&(part.len() as u64).to_le_bytes());
            out.extend_from_slice(part);
        }
        out.extend_from_slice(&checksum(&out).to_le_bytes());
        out
    }

    /// Read back what [`SavedUnit::to_bytes`] wrote; `None` for anything else.
    pub fn from_bytes(bytes: &[u8]) -> Option<SavedUnit> {
        let (all, sum) = bytes.split_last_chunk::<8>()?;
        if checksum(all) != u64::from_le_bytes(*sum) {
            return None;
        }
        let mut rest = all.strip_prefix(MAGIC)?;
        let mut part = || {
            let (n, tail) = rest.split_first_chunk::<8>()?;
            let (part, tail) = tail.split_at_checked(usize::try_from(u64::from_le_bytes(*n)).ok()?)?;
            rest = tail;
            Some(part)
        };
        let (header, state, uncut) = (part()?, part()?, part()?);
        let mut saved: SavedUnit = serde_json::from_slice(header).ok()?;
        if let Some(motion) = &mut saved.motion {
            (motion.state, motion.uncut) = (state.to_vec(), uncut.to_vec());
        }
        rest.is_empty().then_some(saved)
    }
}

/// FNV-1a.
fn checksum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}
