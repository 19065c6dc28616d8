//! Choices by name: the linear solver, the integrator, how a start pose is assembled.

/// Which solver computes the multipliers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum SolverKind {
    /// Block L D L^T on the tree of bodies and joints: linear time. The default where no joint closes a loop, and only
    /// there.
    Tree,
    /// Block L D L^T on an elimination tree of any mechanism, loops and redundant joints included. On trees it is
    /// [`SolverKind::Tree`]. The default where a joint closes a loop.
    Sparse,
    /// Baraff's `sparsefactor` and `sparsesolve` as he printed them, with dense blocks and explicit inverses: linear
    /// time, for comparison and measurement. Refuses loops, and joints that the bodies below them leave without full
    /// rank. [`Simulation::set_solver`](crate::Simulation::set_solver) says so; a [`Workspace`](crate::Workspace) for
    /// such a model uses [`SolverKind::Sparse`].
    Baraff,
    /// [`SolverKind::Sparse`] with Tasora's rule for redundant rows: a vanishing pivot is replaced by a huge one, which
    /// freezes that multiplier at zero. One of many solutions for the multipliers, and not a symmetric one; the
    /// accelerations are the same. Reactions and recordings show these loads, not the smallest ones.
    HugePivot,
    /// Baraff's method: a tree of joints solved in linear time, the joints that close loops as auxiliary rows on top of
    /// it. Cubic in the number of those rows.
    Auxiliary,
    /// Cholesky of the dense `J M^-1 J^T` with pivoting, so that redundant rows show: cubic time, for checking.
    Dense,
    /// L U with pivoting of the dense `H` itself: cubic time, for checking. Refuses redundant rows.
    DenseKkt,
    /// Band Cholesky of `J M^-1 J^T` after reverse Cuthill-McKee ordering of the constraints. Refuses redundant rows.
    Banded,
    /// Matrix-free iteration on `J M^-1 J^T` that minimises the residual: conjugate gradients in its least-squares
    /// form, so that redundant rows do no harm.
    Cg {
        /// Stop at this relative residual.
        tolerance: f64,
        /// Give up after this many iterations.
        max_iterations: usize,
    },
}

impl SolverKind {
    /// The names accepted by [`SolverKind::from_name`], as they stand in messages.
    pub const NAMES: &'static [&'static str] =
        &["tree", "sparse", "baraff", "huge-pivot", "auxiliary", "dense", "dense-kkt", "banded", "cg"];

    /// From the name used in files and on the command line; iterative solvers get sensible limits.
    pub fn from_name(name: &str) -> Option<SolverKind> {
        Some(match name {
            "tree" => SolverKind::Tree,
            "sparse" => SolverKind::Sparse,
            "baraff" => SolverKind::Baraff,
            "huge-pivot" => SolverKind::HugePivot,
            "auxiliary" => SolverKind::Auxiliary,
            "dense" => SolverKind::Dense,
            "dense-kkt" => SolverKind::DenseKkt,
            "banded" => SolverKind::Banded,
            "cg" => SolverKind::Cg { tolerance: 1e-13, max_iterations: 100_000 },
            _ => return None,
        })
    }

    /// Is the way in which redundant rows share their load a part of the method, not to be replaced by the smallest
    /// loads when somebody asks?
    pub fn keeps_its_loads(self) -> bool {
        self == SolverKind::HugePivot
    }

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            SolverKind::Tree => "tree",
            SolverKind::Sparse => "sparse",
            SolverKind::Baraff => "baraff",
            SolverKind::HugePivot => "huge-pivot",
            SolverKind::Auxiliary => "auxiliary",
            SolverKind::Dense => "dense",
            SolverKind::DenseKkt => "dense-kkt",
            SolverKind::Banded => "banded",
            SolverKind::Cg { .. } => "cg",
        }
    }
}

/// Integrators by name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum IntegratorKind {
    /// Velocity first, then position with the new velocity. Order 1.
    SemiImplicitEuler,
    /// The classical method of order 4.
    RungeKutta4,
    /// Dormand-Prince of order 8 with error control and dense output. The default.
    Dop853 {
        /// Relative tolerance.
        relative: f64,
        /// Absolute tolerance, relative to the size of the mechanism (`Model::length_scale`, `Model::rate_scale`).
        absolute: f64,
    },
    /// Implicit, of order 4, for stiff forces: long steps whatever the stiffness, with error control.
    Sdirk4 {
        /// Relative tolerance.
        relative: f64,
        /// Absolute tolerance, relative to the size of the mechanism.
        absolute: f64,
    },
    /// RATTLE: symmetric, of order 2, keeps the energy of long runs from drifting.
    Rattle,
    /// Velocity-level time stepping: contacts, limits, friction and caps in one solve per step. The default where much
    /// may touch.
    Stepping,
}

impl IntegratorKind {
    /// The names accepted by [`IntegratorKind::from_name`].
    pub const NAMES: &'static [&'static str] = &["euler", "rk4", "dop853", "sdirk4", "rattle", "stepping"];

    /// From the name used in files and on the command line.
    pub fn from_name(name: &str) -> Option<IntegratorKind> {
        Some(match name {
            "euler" => IntegratorKind::SemiImplicitEuler,
            "rk4" => IntegratorKind::RungeKutta4,
            "dop853" => IntegratorKind::default(),
            "sdirk4" => IntegratorKind::Sdirk4 { relative: 1e-8, absolute: 1e-8 },
            "rattle" => IntegratorKind::Rattle,
            "stepping" => IntegratorKind::Stepping,
            _ => return None,
        })
    }

    /// The name used in files and on the command line.
    pub fn name(self) -> &'static str {
        match self {
            IntegratorKind::SemiImplicitEuler => "euler",
            IntegratorKind::RungeKutta4 => "rk4",
            IntegratorKind::Dop853 { .. } => "dop853",
            IntegratorKind::Sdirk4 { .. } => "sdirk4",
            IntegratorKind::Rattle => "rattle",
            IntegratorKind::Stepping => "stepping",
        }
    }
}

/// How the parts of a mechanism are brought together when a model is built.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Assembly {
    /// Damped Newton steps: a few iterations. The default.
    #[default]
    Newton,
    /// Gaps shrink by a tenth at a time until they are small, as if springs and dampers pulled the parts together
    /// (after Barzel and Barr 1988). Slower, and closer to the pose given where that is rough.
    Gradual,
    /// Not at all: joints may start open. With [`Drift::Feedback`](crate::Drift::Feedback) the parts then fly together
    /// under forces, in time. Joints keep to general rows, which know the way from afar.
    Open,
}
