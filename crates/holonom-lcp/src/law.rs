//! What a problem is: a matrix, a vector, and a law for every row.
//!
//! ```text
//!     a = A x + b          x: what pushes (forces, impulses),   a: what comes of it (accelerations, velocities)
//! ```
//!
//! Rows belong to laws in order: the first law owns the first row (or rows), the next law those after it. A problem is checked
//! once, before any method sees it: sizes, finite numbers, bounds in order, normals that exist.

/// The law of one row, or of a few rows that share one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Law {
    /// One row: `a = 0`, `x` any.
    Free,
    /// One row: `x >= 0`, `a >= 0`, `x a = 0`.
    Push,
    /// One row: `least <= x <= most`; `a >= 0` where `x = least`, `a <= 0` where `x = most`, `a = 0` between. Bounds may be infinite.
    Within {
        /// Lower bound of `x`; may be `-inf`.
        least: f64,
        /// Upper bound of `x`; may be `inf`.
        most: f64,
    },
    /// One to three rows `t`: `|x_t| <= mu x_normal`, and `x_t = -mu x_normal a_t / |a_t|` wherever `a_t` is not zero.
    ///
    /// This is Coulomb's law as it stands: the condition of the normal row does not see the slip. Several cones may share a
    /// normal. A normal with the law [`Law::Free`] that pulls (`x_normal < 0`) carries no friction.
    Cone {
        /// Index of an earlier *row* whose law is [`Law::Push`] or [`Law::Free`].
        normal: usize,
        /// Coefficient, at least zero; its unit is that of `x_t / x_normal`.
        mu: f64,
        /// How many rows, 1 to 3.
        rows: usize,
    },
    /// One to three rows: `|x| <= radius`, and `x = -radius a / |a|` wherever `a` is not zero.
    Ball {
        /// At least zero; may be infinite (then the rows are free).
        radius: f64,
        /// How many rows, 1 to 3.
        rows: usize,
    },
}

impl Law {
    /// How many rows the law owns.
    pub fn rows(&self) -> usize {
        match *self {
            Law::Free | Law::Push | Law::Within { .. } => 1,
            Law::Cone { rows, .. } | Law::Ball { rows, .. } => rows,
        }
    }

    /// Whether the law couples several rows or hangs on another one: what pivoting methods can only approximate.
    pub fn is_curved(&self) -> bool {
        matches!(self, Law::Cone { .. } | Law::Ball { .. })
    }
}

/// Find `x` so that `a = A x + b` and `x` obey the laws.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'p> {
    /// `A`, row after row: `n * n` numbers. Symmetric and positive semidefinite in the ordinary case.
    pub a: &'p [f64],
    /// `b`: `n` numbers.
    pub b: &'p [f64],
    /// Laws whose rows add up to `n`.
    pub laws: &'p [Law],
}

impl Problem<'_> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.b.len()
    }

    /// Whether there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.b.is_empty()
    }

    /// Sizes, finite numbers, laws that make sense.
    pub fn check(&self) -> Result<(), Failure> {
        let n = self.b.len();
        if self.a.len() != n * n {
            return Err(Failure::Malformed { row: 0, what: "A must have as many rows and columns as b has entries" });
        }
        if !self.a.iter().all(|v| v.is_finite()) {
            return Err(Failure::NotFinite);
        }
        check_laws(self.b, self.laws)
    }
}

/// The problem and the starting guess.
pub(crate) fn check_with_guess(problem: &Problem, x: &[f64]) -> Result<(), Failure> {
    problem.check()?;
    if x.len() != problem.len() {
        return Err(Failure::Malformed { row: 0, what: "x must have as many entries as b" });
    }
    if !x.iter().all(|v| v.is_finite()) {
        return Err(Failure::NotFinite);
    }
    Ok(())
}

/// The part of the check that needs no matrix.
pub(crate) fn check_laws(b: &[f64], laws: &[Law]) -> Result<(), Failure> {
    let n = b.len();
    if !b.iter().all(|v| v.is_finite()) {
        return Err(Failure::NotFinite);
    }
    let mut row = 0;
    for (at, law) in laws.iter().enumerate() {
        let bad = |what| Err(Failure::Malformed { row, what });
        match *law {
            Law::Free | Law::Push => {}
            Law::Within { least, most } => {
                if least.is_nan() || most.is_nan() {
                    return Err(Failure::NotFinite);
                }
                if !(least <= most) || least == f64::INFINITY || most == f64::NEG_INFINITY {
                    return bad("`least` must not exceed `most`, and one number must lie between them");
                }
            }
            Law::Cone { normal, mu, rows } => {
                if !mu.is_finite() {
                    return Err(Failure::NotFinite);
                }
                if mu < 0.0 {
                    return bad("`mu` must be at least 0");
                }
                if !(1..=3).contains(&rows) {
                    return bad("a cone has 1, 2 or 3 rows");
                }
                if !normal_is_fit(laws, at, normal) {
                    return bad("`normal` must be an earlier row whose law is Push or Free");
                }
            }
            Law::Ball { radius, rows } => {
                if radius.is_nan() {
                    return Err(Failure::NotFinite);
                }
                if radius < 0.0 {
                    return bad("`radius` must be at least 0");
                }
                if !(1..=3).contains(&rows) {
                    return bad("a ball has 1, 2 or 3 rows");
                }
            }
        }
        row += law.rows();
    }
    if row != n {
        return Err(Failure::Malformed { row, what: "the rows of all laws must add up to the entries of b" });
    }
    Ok(())
}

/// Searches backwards from law `at`: normals stand close before their cones.
fn normal_is_fit(laws: &[Law], at: usize, normal: usize) -> bool {
    let mut row: usize = laws[..at].iter().map(Law::rows).sum();
    for law in laws[..at].iter().rev() {
        row -= law.rows();
        if row <= normal {
            return row == normal && matches!(law, Law::Push | Law::Free);
        }
    }
    false
}

/// What a method did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Report {
    /// `worst` of the [`crate::Certificate`] of the answer.
    pub residual: f64,
    /// Pivots, Newton steps or gradient steps, by method.
    pub iterations: usize,
    /// Dense factorisations made (zero where the method makes none).
    pub factorisations: usize,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Failure {
    /// A number in the problem, or in the starting guess, is infinite or not a number.
    NotFinite,
    /// Sizes do not fit or a law makes no sense.
    Malformed {
        /// The row where it was noticed.
        row: usize,
        /// What must hold.
        what: &'static str,
    },
    /// The method has no form for the law of this row.
    Unsupported {
        /// First such row.
        row: usize,
    },
    /// A ray was found: there is a direction along which pushes grow for ever without effect.
    NoSolution,
    /// The best `x` found is left in place; it misses the laws by `residual` (`worst` of its [`crate::Certificate`]).
    NotConverged {
        /// Scaled violation.
        residual: f64,
    },
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::NotFinite => write!(f, "a number in the complementarity problem is infinite or not a number"),
            Failure::Malformed { row, what } => {
                write!(f, "the complementarity problem makes no sense at row {row}: {what}")
            }
            Failure::Unsupported { row } => {
                write!(f, "the law of row {row} has no form in this method; the method \"cone\" takes every law")
            }
            Failure::NoSolution => {
                write!(f, "the complementarity problem has no solution: its rows contradict each other")
            }
            Failure::NotConverged { residual } => {
                write!(
                    f,
                    "no solution of the complementarity problem was found; the best one misses its laws by {residual:.1e}"
                )
            }
        }
    }
}

impl std::error::Error for Failure {}
