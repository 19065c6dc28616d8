//! Changes of the scene by hand.

use serde::{Deserialize, Serialize};

/// A change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Edit {
    /// Take a body, joint, drive or force away, and what hangs on it.
    Remove {
        /// Path, such as `body.crank`.
        path: String,
    },
}
