//! Pivoting methods for dense problems: oracles that share nothing with the cone solvers but the units and the certificate.
//!
//! | method | laws |
//! |---|---|
//! | [`Dantzig`] | all, friction in boxes; `A` may be nonsymmetric |
//! | [`Lemke`] | all, friction in polygons; finds a solution or a ray |
//! | [`BlockPivoting`] | no friction |
#![allow(dead_code)]

mod blocks;
mod dantzig;
mod inverse;
mod lemke;
mod standard;

pub use blocks::BlockPivoting;
pub use dantzig::Dantzig;
pub use lemke::Lemke;

use holonom_lcp::{ComplementarityLaw as Law, ConeProblem, ConeReport, DenseConeSolver, LcpError};

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PivotingError {
    /// As [`LcpError::NotFinite`].
    NotFinite,
    /// As [`LcpError::Malformed`].
    Malformed { row: usize, what: &'static str },
    /// The method has no form for the law of this row.
    Unsupported { row: usize },
    /// A ray was found: there is a direction along which forces grow for ever without effect.
    NoSolution,
    /// As [`LcpError::NotConverged`].
    NotConverged { residual: f64 },
}

impl From<LcpError> for PivotingError {
    fn from(error: LcpError) -> Self {
        match error {
            LcpError::NotFinite => PivotingError::NotFinite,
            LcpError::Malformed { row, what } => PivotingError::Malformed { row, what },
            LcpError::NotConverged { residual } => PivotingError::NotConverged { residual },
        }
    }
}

impl std::fmt::Display for PivotingError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{self:?}")
    }
}

/// First row of the first law that pivoting methods have no exact form for.
fn first_curved(laws: &[Law]) -> Option<usize> {
    Law::with_first_rows(laws).find(|(_, law)| law.is_curved()).map(|(row, _)| row)
}

/// A method for dense problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Method {
    /// Row after row, as Baraff has it; friction in boxes. [`Dantzig`].
    Dantzig,
    /// Complementary pivoting with the lexicographic rule; friction in polygons. [`Lemke`].
    Lemke,
    /// Block principal pivoting; no friction. [`BlockPivoting`].
    Blocks,
    /// Proximal Newton steps; Coulomb's law itself. [`DenseConeSolver`].
    #[default]
    Cone,
}

impl Method {
    /// All methods.
    pub const ALL: [Method; 4] = [Method::Dantzig, Method::Lemke, Method::Blocks, Method::Cone];

    /// The name, in lower case.
    pub fn name(self) -> &'static str {
        match self {
            Method::Dantzig => "dantzig",
            Method::Lemke => "lemke",
            Method::Blocks => "blocks",
            Method::Cone => "cone",
        }
    }

    /// The method of a name.
    pub fn from_name(name: &str) -> Option<Method> {
        Method::ALL.into_iter().find(|method| method.name() == name)
    }
}

/// Memory of all methods, each of which takes what it needs when it is first used.
#[derive(Clone, Debug, Default)]
pub struct Solver {
    pub dantzig: Dantzig,
    pub lemke: Lemke,
    pub blocks: BlockPivoting,
    pub cone: DenseConeSolver,
}

impl Solver {
    /// Solves with the method named; see the `solve` of each.
    pub fn solve(&mut self, method: Method, problem: &ConeProblem, x: &mut [f64]) -> Result<ConeReport, PivotingError> {
        match method {
            Method::Dantzig => self.dantzig.solve(problem, x),
            Method::Lemke => self.lemke.solve(problem, x),
            Method::Blocks => self.blocks.solve(problem, x),
            Method::Cone => Ok(self.cone.solve(problem, x)?),
        }
    }
}
