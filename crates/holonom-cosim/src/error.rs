//! What can go wrong with a unit, in one sentence.

use holonom_run::Failure;
use std::fmt;

/// Why a call to a unit was refused, or what went wrong in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnitError {
    /// One sentence, or the report of a scene with its lines.
    pub message: String,
    /// The unit cannot go on: only a reset, another state, or its end are left.
    pub fatal: bool,
}

impl UnitError {
    /// A call that was refused; the unit is as it was.
    pub fn refused(message: impl Into<String>) -> UnitError {
        UnitError { message: message.into(), fatal: false }
    }

    /// The unit cannot go on.
    pub fn stopped(message: impl Into<String>) -> UnitError {
        UnitError { message: message.into(), fatal: true }
    }
}

impl From<Failure> for UnitError {
    fn from(failure: Failure) -> UnitError {
        UnitError::stopped(failure.text().trim_end())
    }
}

impl fmt::Display for UnitError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for UnitError {}
