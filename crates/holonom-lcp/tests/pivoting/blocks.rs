//! Block principal pivoting, for rows that are free, one-sided or between bounds.
//!
//! Every row is *free to move* (`a = 0`) or *held* at an end of its interval. A guess of who is what gives `x` by one linear
//! solve; then all rows that came out wrong change sides at once (Kostreva; Judice and Pires), because that usually is right after a
//! handful of solves. Where the number of wrong rows does not fall for a few rounds, only the wrong row of the largest index
//! changes sides (Murty), until there are fewer wrong rows than ever. Murty's rule alone never visits a guess twice if all
//! principal minors are positive, so the whole cannot cycle.
//!
//! ```text
//!     free to move  F:   A_FF x_F = -b_F - A_FH x_H          wrong: x outside its interval   -> held at the end it passed
//!     held          H:   x_H = end                           wrong: a < 0 at the lower end, a > 0 at the upper  -> free to move
//! ```
//!
//! Redundant rows make `A_FF` singular. So each round solves the *proximal* problem with `A + eps` for `A` and `b - eps x_k` for
//! `b`, whose minors are positive for every positive semidefinite `A`, symmetric or not, and rounds are repeated from their own
//! outcome: the error falls by `eps / lambda` each time, and the modes hardly ever change after the first. A problem without
//! solution shows as an `x` that runs away along a ray: pushes that cost nothing and gain for ever.

use super::{PivotingError, first_curved};
use holonom_lcp::dense::{dot, largest, lu, lu_solve, zeros};
use holonom_lcp::{Certifier, ComplementarityLaw as Law, ConeProblem, ConeReport, ScaledProblem};

/// Least weight of the proximal term, relative to the diagonal.
const EPS: f64 = 1e-8;
/// Rounds of block exchanges without progress before single ones.
const PATIENCE: usize = 5;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Moving,
    Lower,
    Upper,
}

/// The method "blocks", with its memory.
#[derive(Clone, Debug)]
pub struct BlockPivoting {
    /// What [`holonom_lcp::ConeCertificate::worst`] must come down to; 1e-12 unless set.
    pub tolerance: f64,
    scaled: ScaledProblem,
    matrix: Vec<f64>,
    certifier: Certifier,
    least: Vec<f64>,
    most: Vec<f64>,
    sides: Vec<Side>,
    moving: Vec<usize>,
    y: Vec<f64>,
    centre: Vec<f64>,
    a: Vec<f64>,
    best: Vec<f64>,
    h: Vec<f64>,
    order: Vec<usize>,
    z: Vec<f64>,
    eps: f64,
    counted: ConeReport,
}

impl Default for BlockPivoting {
    fn default() -> Self {
        Self {
            tolerance: 1e-12,
            scaled: ScaledProblem::default(),
            matrix: Vec::new(),
            certifier: Certifier::default(),
            least: Vec::new(),
            most: Vec::new(),
            sides: Vec::new(),
            moving: Vec::new(),
            y: Vec::new(),
            centre: Vec::new(),
            a: Vec::new(),
            best: Vec::new(),
            h: Vec::new(),
            order: Vec::new(),
            z: Vec::new(),
            eps: EPS,
            counted: ConeReport::default(),
        }
    }
}

impl BlockPivoting {
    /// A solver with default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves a problem of [`Law::Free`], [`Law::Push`] and [`Law::Within`]; the signs in `x` are the first guess.
    ///
    /// On [`PivotingError::NotConverged`] the best `x` found is left in place; on every other failure `x` is what it was.
    pub fn solve(&mut self, problem: &ConeProblem, x: &mut [f64]) -> Result<ConeReport, PivotingError> {
        problem.check_with_guess(x)?;
        if let Some(row) = first_curved(problem.laws) {
            return Err(PivotingError::Unsupported { row });
        }
        let n = problem.len();
        self.counted = ConeReport::default();
        if n == 0 {
            return Ok(self.counted);
        }
        self.scaled.set(problem, &mut self.matrix)?;
        self.scaled.strip(x, &mut self.y);
        self.start(n);
        let found = self.rounds(n);
        if found == Err(PivotingError::NoSolution) {
            return Err(PivotingError::NoSolution);
        }
        self.scaled.restore(&self.best, x)?;
        self.counted.residual = self.certifier.certificate(problem, x).worst;
        if self.counted.residual <= self.tolerance {
            Ok(self.counted)
        } else {
            Err(PivotingError::NotConverged { residual: self.counted.residual })
        }
    }

    fn start(&mut self, n: usize) {
        self.least.clear();
        self.most.clear();
        for (i, law) in Law::with_first_rows(&self.scaled.laws) {
            let (least, most) = match *law {
                Law::Push => (0.0, f64::INFINITY),
                Law::Within { least, most } => (least, most),
                _ => (f64::NEG_INFINITY, f64::INFINITY),
            };
            self.y[i] = self.y[i].clamp(least, most);
            self.least.push(least);
            self.most.push(most);
        }
        self.refresh(n);
        self.guess(n);
    }

    /// Sides from `y` and `a`.
    fn guess(&mut self, n: usize) {
        self.sides.clear();
        for i in 0..n {
            // what one step of projected gradient would do
            let p = self.y[i] - self.a[i];
            self.sides.push(if p <= self.least[i] {
                Side::Lower
            } else if p >= self.most[i] {
                Side::Upper
            } else {
                Side::Moving
            });
        }
    }

    fn refresh(&mut self, n: usize) -> f64 {
        self.a.clear();
        for i in 0..n {
            self.a.push(dot(&self.matrix[i * n..i * n + n], &self.y) + self.scaled.b[i]);
        }
        let problem = ConeProblem { a: &self.matrix, b: &self.scaled.b, laws: &self.scaled.laws };
        self.certifier.certificate(&problem, &self.y).worst
    }

    fn rounds(&mut self, n: usize) -> Result<(), PivotingError> {
        self.best.clear();
        self.best.extend_from_slice(&self.y);
        let mut least = self.refresh(n);
        self.eps = EPS;
        for _ in 0..60 {
            if least <= 0.1 * self.tolerance {
                return Ok(());
            }
            self.centre.clear();
            self.centre.extend_from_slice(&self.y);
            let settled = self.pivot(n);
            let residual = self.refresh(n);
            if residual < least {
                least = residual;
                self.best.copy_from_slice(&self.y);
            }
            if settled && self.is_ray(n) {
                return Err(PivotingError::NoSolution);
            }
            if settled {
                self.eps = (0.1 * self.eps).max(EPS);
            } else {
                // rounding misled the exchanges: a larger weight makes them robust, at the price of more rounds
                self.eps = (30.0 * self.eps).min(1.0);
                self.y.copy_from_slice(&self.best);
                self.refresh(n);
                self.guess(n);
            }
        }
        Err(PivotingError::NotConverged { residual: least })
    }

    /// Whether the last round ran away along pushes `z` that do nothing (`A z = 0`), are allowed without end, and gain (`b z < 0`).
    fn is_ray(&mut self, n: usize) -> bool {
        self.z.clear();
        self.z.extend((0..n).map(|i| self.y[i] - self.centre[i]));
        let size = largest(&self.z);
        if !(size > 1e-4 / self.eps) {
            return false;
        }
        let mut gain = 0.0;
        for i in 0..n {
            let z = self.z[i] / size;
            if (z > 1e-6 && self.most[i].is_finite()) || (z < -1e-6 && self.least[i].is_finite()) {
                return false;
            }
            if dot(&self.matrix[i * n..i * n + n], &self.z).abs() > 1e-6 * size {
                return false;
            }
            gain += z * self.scaled.b[i];
        }
        gain < 0.0
    }

    /// One proximal problem solved by exchanges. Whether no row came out wrong.
    fn pivot(&mut self, n: usize) -> bool {
        let mut fewest = usize::MAX;
        let mut patience = PATIENCE;
        // Murty's rule ends, but not soon in the worst case: a limit far above anything seen
        for _ in 0..50 + 20 * n {
            if !self.solve_moving(n) {
                return false;
            }
            let slack = 1e-13 * largest(&self.y).max(1.0);
            let mut wrong = 0;
            let mut last = (0, Side::Moving);
            for i in 0..n {
                let to = self.verdict(i, slack);
                if to != self.sides[i] {
                    wrong += 1;
                    last = (i, to);
                }
            }
            if wrong == 0 {
                return true;
            }
            if wrong < fewest {
                fewest = wrong;
                patience = PATIENCE;
            } else {
                patience = usize::saturating_sub(patience, 1);
            }
            if patience > 0 {
                for i in 0..n {
                    self.sides[i] = self.verdict(i, slack);
                }
            } else {
                self.sides[last.0] = last.1;
            }
        }
        false
    }

    /// The side on which row `i` should be, as the last solve shows it.
    fn verdict(&self, i: usize, slack: f64) -> Side {
        match self.sides[i] {
            Side::Moving if self.y[i] < self.least[i] - slack => Side::Lower,
            Side::Moving if self.y[i] > self.most[i] + slack => Side::Upper,
            Side::Lower if self.a[i] < -slack && self.least[i] < self.most[i] => Side::Moving,
            Side::Upper if self.a[i] > slack && self.least[i] < self.most[i] => Side::Moving,
            same => same,
        }
    }

    /// `y` and the proximal `a` for the present sides.
    fn solve_moving(&mut self, n: usize) -> bool {
        self.moving.clear();
        for i in 0..n {
            match self.sides[i] {
                Side::Moving => self.moving.push(i),
                Side::Lower => self.y[i] = self.least[i],
                Side::Upper => self.y[i] = self.most[i],
            }
        }
        let m = self.moving.len();
        // unknown: the change of the moving rows from the centre, so that rounding is relative to it
        for k in 0..m {
            let i = self.moving[k];
            self.y[i] = self.centre[i];
        }
        zeros(&mut self.h, m * m);
        self.z.clear();
        for p in 0..m {
            let i = self.moving[p];
            let row = &self.matrix[i * n..i * n + n];
            self.z.push(-(dot(row, &self.y) + self.scaled.b[i]));
            for (q, &j) in self.moving.iter().enumerate() {
                self.h[p * m + q] = row[j];
            }
            self.h[p * m + p] += self.eps;
        }
        self.counted.iterations += 1;
        self.counted.factorisations += 1;
        if !lu(&mut self.h, m, &mut self.order) {
            return false;
        }
        lu_solve(&self.h, m, &self.order, &mut self.z);
        for p in 0..m {
            let i = self.moving[p];
            self.y[i] += self.z[p];
        }
        for i in 0..n {
            self.a[i] = dot(&self.matrix[i * n..i * n + n], &self.y)
                + self.scaled.b[i]
                + self.eps * (self.y[i] - self.centre[i]);
        }
        self.y.iter().all(|v| v.is_finite())
    }
}
