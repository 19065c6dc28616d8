//! What a problem is: a matrix, a vector, and a law for every row.
//!
//! ```text
//!     a = A x + b          x: forces or impulses,   a: the accelerations or velocities that follow from them
//! ```
//!
//! Rows belong to laws in order: the first law owns the first row (or rows), the next law those after it. A problem is
//! checked once, before any method sees it: sizes, finite numbers, bounds in order, normals that exist.

use self::ComplementarityLaw as Law;
use crate::error::LcpError;

/// The law that relates `x` and `a` of one row, or of a few rows that share one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ComplementarityLaw {
    /// One row, an equation: `a = 0`, `x` any.
    Free,
    /// One row, unilateral: `x >= 0`, `a >= 0`, `x a = 0`.
    Push,
    /// One row: `least <= x <= most`; `a >= 0` where `x = least`, `a <= 0` where `x = most`, `a = 0` between. Bounds
    /// may be infinite.
    Within {
        /// Lower bound of `x`; may be `-inf`.
        least: f64,
        /// Upper bound of `x`; may be `inf`.
        most: f64,
    },
    /// One to three rows `t`: `|x_t| <= mu x_normal`, and `x_t = -mu x_normal a_t / |a_t|` wherever `a_t` is not zero.
    ///
    /// This is Coulomb's law as it stands: the condition of the normal row does not depend on the slip. Several cones
    /// may share a normal. A normal with the law [`ComplementarityLaw::Free`] that pulls (`x_normal < 0`) carries no
    /// friction.
    Cone {
        /// Index of an earlier *row* whose law is [`ComplementarityLaw::Push`] or [`ComplementarityLaw::Free`].
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

impl ComplementarityLaw {
    /// How many rows the law owns.
    pub fn rows(&self) -> usize {
        match *self {
            Law::Free | Law::Push | Law::Within { .. } => 1,
            Law::Cone { rows, .. } | Law::Ball { rows, .. } => rows,
        }
    }

    /// Whether the law couples several rows or depends on another one: its set of admissible `x` is a disc or a ball.
    pub fn is_curved(&self) -> bool {
        matches!(self, Law::Cone { .. } | Law::Ball { .. })
    }

    /// Laws with the index of their first rows.
    pub fn with_first_rows(laws: &[Law]) -> impl Iterator<Item = (usize, &Law)> {
        laws.iter().scan(0, |row, law| {
            let first = *row;
            *row += law.rows();
            Some((first, law))
        })
    }

    /// The law's own numbers; `row` is its first row.
    fn check(&self, row: usize) -> Result<(), LcpError> {
        let malformed = |what| Err(LcpError::Malformed { row, what });
        match *self {
            Law::Within { least, most } if least.is_nan() || most.is_nan() => Err(LcpError::NotFinite),
            Law::Within { least, most } if !(least <= most) || least == f64::INFINITY || most == f64::NEG_INFINITY => {
                malformed("`least` must not exceed `most`, and one number must lie between them")
            }
            Law::Cone { mu, .. } if !mu.is_finite() => Err(LcpError::NotFinite),
            Law::Cone { mu, .. } if mu < 0.0 => malformed("`mu` must be at least 0"),
            Law::Cone { rows, .. } if !(1..=3).contains(&rows) => malformed("a cone has 1, 2 or 3 rows"),
            Law::Ball { radius, .. } if radius.is_nan() => Err(LcpError::NotFinite),
            Law::Ball { radius, .. } if radius < 0.0 => malformed("`radius` must be at least 0"),
            Law::Ball { rows, .. } if !(1..=3).contains(&rows) => malformed("a ball has 1, 2 or 3 rows"),
            _ => Ok(()),
        }
    }
}

/// Find `x` so that `a = A x + b` and `x` obey the laws.
#[derive(Clone, Copy, Debug)]
pub struct ConeProblem<'p> {
    /// `A`, row after row: `n * n` numbers. Symmetric and positive semidefinite in the ordinary case.
    pub a: &'p [f64],
    /// `b`: `n` numbers.
    pub b: &'p [f64],
    /// Laws whose rows add up to `n`.
    pub laws: &'p [Law],
}

impl ConeProblem<'_> {
    /// Number of rows.
    pub fn len(&self) -> usize {
        self.b.len()
    }

    /// Whether there is nothing to solve.
    pub fn is_empty(&self) -> bool {
        self.b.is_empty()
    }

    /// Sizes, finite numbers, laws that make sense.
    pub fn check(&self) -> Result<(), LcpError> {
        let n = self.b.len();
        if self.a.len() != n * n {
            return Err(LcpError::Malformed { row: 0, what: "A must have as many rows and columns as b has entries" });
        }
        if !self.a.iter().all(|v| v.is_finite()) {
            return Err(LcpError::NotFinite);
        }
        check_laws(self.b, self.laws)
    }

    /// [`ConeProblem::check`], and the starting guess `x`.
    pub fn check_with_guess(&self, x: &[f64]) -> Result<(), LcpError> {
        self.check()?;
        if x.len() != self.len() {
            return Err(LcpError::Malformed { row: 0, what: "x must have as many entries as b" });
        }
        if !x.iter().all(|v| v.is_finite()) {
            return Err(LcpError::NotFinite);
        }
        Ok(())
    }
}

/// The part of the check that needs no matrix.
pub(crate) fn check_laws(b: &[f64], laws: &[Law]) -> Result<(), LcpError> {
    if !b.iter().all(|v| v.is_finite()) {
        return Err(LcpError::NotFinite);
    }
    let mut row = 0;
    for (at, law) in laws.iter().enumerate() {
        law.check(row)?;
        if let Law::Cone { normal, .. } = *law
            && !normal_is_fit(&laws[..at], row, normal)
        {
            return Err(LcpError::Malformed { row, what: "`normal` must be an earlier row whose law is Push or Free" });
        }
        row += law.rows();
    }
    if row != b.len() {
        return Err(LcpError::Malformed { row, what: "the rows of all laws must add up to the entries of b" });
    }
    Ok(())
}

/// Is row `normal` that of a law which may carry friction? Searched backwards from `row`, the end of the `earlier`
/// laws: normals stand close before their cones.
fn normal_is_fit(earlier: &[Law], mut row: usize, normal: usize) -> bool {
    for law in earlier.iter().rev() {
        row -= law.rows();
        if row <= normal {
            return row == normal && matches!(law, Law::Push | Law::Free);
        }
    }
    false
}

/// What a solver did.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ConeReport {
    /// `worst` of the [`crate::ConeCertificate`] of the answer.
    pub residual: f64,
    /// Newton steps, or products with `A`.
    pub iterations: usize,
    /// Factorisations made (zero where the solver makes none).
    pub factorisations: usize,
}
