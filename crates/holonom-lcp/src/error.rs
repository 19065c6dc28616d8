//! Why a complementarity problem has no answer.

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LcpError {
    /// A number in the problem, or in the starting guess, is infinite or not a number.
    NotFinite,
    /// Sizes do not fit or a law makes no sense.
    Malformed {
        /// The row where it was noticed.
        row: usize,
        /// What must hold.
        what: &'static str,
    },
    /// The best `x` found is left in place; it violates the laws by `residual` (`worst` of its
    /// [`crate::ConeCertificate`]).
    NotConverged {
        /// Scaled violation.
        residual: f64,
    },
}

impl std::fmt::Display for LcpError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            LcpError::NotFinite => write!(f, "a number in the complementarity problem is infinite or not a number"),
            LcpError::Malformed { row, what } => {
                write!(f, "the complementarity problem makes no sense at row {row}: {what}")
            }
            LcpError::NotConverged { residual } => {
                write!(
                    f,
                    "no solution of the complementarity problem was found; the best one misses its laws by {residual:.1e}"
                )
            }
        }
    }
}

impl std::error::Error for LcpError {}
