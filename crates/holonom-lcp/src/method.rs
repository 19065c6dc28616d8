//! The dense methods by name, behind one door.

use crate::{Blocks, Cone, Dantzig, Failure, Lemke, Problem, Report};

/// A method for dense problems.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// Row after row, as Baraff has it; friction in boxes. [`Dantzig`].
    Dantzig,
    /// Complementary pivoting with the lexicographic rule; friction in polygons. [`Lemke`].
    Lemke,
    /// Block principal pivoting; no friction. [`Blocks`].
    Blocks,
    /// Proximal Newton steps; Coulomb's law itself. [`Cone`].
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
    /// Settings and memory of [`Method::Dantzig`].
    pub dantzig: Dantzig,
    /// Settings and memory of [`Method::Lemke`].
    pub lemke: Lemke,
    /// Settings and memory of [`Method::Blocks`].
    pub blocks: Blocks,
    /// Settings and memory of [`Method::Cone`].
    pub cone: Cone,
}

impl Solver {
    /// Solves with the method named; see the `solve` of each.
    pub fn solve(&mut self, method: Method, problem: &Problem, x: &mut [f64]) -> Result<Report, Failure> {
        match method {
            Method::Dantzig => self.dantzig.solve(problem, x),
            Method::Lemke => self.lemke.solve(problem, x),
            Method::Blocks => self.blocks.solve(problem, x),
            Method::Cone => self.cone.solve(problem, x),
        }
    }
}
