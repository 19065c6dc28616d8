//! Coulomb's law to the last digits: proximal steps, each solved by Newton's method in the space of motions.
//!
//! In units of [`crate::scale`], with `P` of [`crate::project`], a solution is a fixed point `x = P(x - a / eps)` for any
//! `eps > 0`. From an `x_k` with `a_k = A x_k + b`, one *proximal step* asks for
//!
//! ```text
//!     x = P(x_k - a / eps),      a = a_k + A (x - x_k)                                    (1)
//! ```
//!
//! that is: solve the same problem with `A + eps` in place of `A`, and `b - eps x_k` in place of `b`. It always has a solution, it
//! does not matter whether rows are redundant, and among pushes that do the same it keeps close to `x_k`: four equal feet carry
//! equal loads, and a warm start is not shuffled around. What is left of the error after a step is `eps / (lambda + eps)` of it, `lambda`
//! the smallest eigenvalue of `A` that is not zero. With `eps = 1e-7` two or three steps do.
//!
//! With `A = G G^T` (pivoted Cholesky; `G` has as many columns as `A` has rank) the unknown of (1) is the motion `w = G^T (x - x_k)`:
//!
//! ```text
//!     R(w) = w - G^T (P(x_k - (a_k + G w) / eps) - x_k) = 0                               (2)
//!     R'   = 1 + G^T W G / eps                              W = dP/dp, the modes
//! ```
//!
//! No rank is ever decided: a tiny pivot more or less in `G` changes nothing, since `R'` is never smaller than 1 (W is not
//! symmetric where something slides; there this is what is seen and not what is proved). Everything is computed in increments to
//! `x_k`, whose `a_k` is computed afresh from `A`; so rounding is that of `A x`, not that of `x / eps`.
//!
//! A problem whose `A` is not symmetric and positive semidefinite takes the unknown `u = x - x_k` instead:
//! `R(u) = u - (P(x_k - (a_k + A u) / eps) - x_k)`, `R' = 1 + W A / eps`.
//!
//! Globalisation. Newton steps on (2) start from a prediction (every law stays in its mode) and are damped on `|R|`. In order:
//!
//! 1. *quick*: proximal steps from the guess itself. The rule in a simulation, where the guess is the last step's answer.
//! 2. the same after some sweeps of Gauss and Seidel, then after bursts of accelerated projected gradients ([`crate::Pile`]);
//! 3. *patient*: a path from `eps = 1`, where (2) is easy, downwards as fast as steps are solved, back where one is not;
//! 4. *steady*: convex steps with De Saxce's shift ([`convex`]), which are solved from anywhere; (2) is tried as they come closer.
//!
//! The last two take turns. The best `x` seen is what is returned.

mod convex;
mod newton;

use crate::certificate::{Memory, judge};
use crate::dense::{axpy, dot, largest, pivoted_cholesky, zeros};
use crate::law::{Failure, Problem, Report, check_with_guess};
use crate::pile::{Matrix, Pile};
use crate::project::{Mode, project, settle};
use crate::scale::Scaled;

/// Proximal weights, relative to the diagonal of `A`: of the quick tries, and the least and the largest of the patient one.
const EPS_QUICK: f64 = 1e-7;
const EPS_LEAST: f64 = 1e-8;
const EPS_MOST: f64 = 1.0;
/// The largest weight of a quick try, where the residual is still large.
const EPS_EASY: f64 = 0.1;
/// Convex steps in a row.
const STEADY_ROUNDS: usize = 30;
/// Sweeps before anything is known, and the most between two tries.
const SWEEPS: usize = 10;
const SWEEPS_MOST: usize = 200;
/// Products with `A` between quick tries.
const BURSTS: [usize; 3] = [50, 100, 200];
/// Newton steps within one proximal step, and proximal steps, of the quick tries.
const QUICK_STEPS: usize = 8;
const QUICK_ROUNDS: usize = 8;
/// The same for the patient one; rounds that do not halve the residual.
const NEWTON_STEPS: usize = 30;
const IDLE_ROUNDS: usize = 40;
/// A Newton step this much shorter than a full one leads nowhere; so do this many that are a tenth.
const SHORTEST: f64 = 1e-2;
const SHORT_STEPS: usize = 3;

/// The solver for all laws, with its memory. Nothing is allocated once it has seen a problem of the size.
#[derive(Clone, Debug)]
pub struct Cone {
    /// What [`crate::Certificate::worst`] must come down to; 1e-12 unless set.
    pub tolerance: f64,
    /// Most Newton steps altogether; 800 unless set.
    pub steps: usize,
    scaled: Scaled,
    memory: Memory,
    pile: Pile,
    limit: usize,
    ones: Vec<f64>,
    /// `G`, or `A` itself where that is not symmetric positive semidefinite.
    g: Vec<f64>,
    rank: usize,
    symmetric: bool,
    left: Vec<f64>,
    y: Vec<f64>,
    a: Vec<f64>,
    best: Vec<f64>,
    w: Vec<f64>,
    trial: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
    next: Vec<f64>,
    modes: Vec<Mode>,
    r: Vec<f64>,
    step: Vec<f64>,
    h: Vec<f64>,
    row: Vec<f64>,
    spare: Vec<f64>,
    shift: Vec<f64>,
    slip: Vec<f64>,
    pulled: Vec<f64>,
    discs: Vec<convex::Disc>,
    groups: Vec<convex::Group>,
    order: Vec<usize>,
    counted: Report,
}

impl Default for Cone {
    fn default() -> Self {
        Self {
            tolerance: 1e-12,
            steps: 800,
            scaled: Scaled::default(),
            memory: Memory::default(),
            pile: Pile::default(),
            limit: 0,
            ones: Vec::new(),
            g: Vec::new(),
            rank: 0,
            symmetric: true,
            left: Vec::new(),
            y: Vec::new(),
            a: Vec::new(),
            best: Vec::new(),
            w: Vec::new(),
            trial: Vec::new(),
            p: Vec::new(),
            q: Vec::new(),
            next: Vec::new(),
            modes: Vec::new(),
            r: Vec::new(),
            step: Vec::new(),
            h: Vec::new(),
            row: Vec::new(),
            spare: Vec::new(),
            shift: Vec::new(),
            slip: Vec::new(),
            pulled: Vec::new(),
            discs: Vec::new(),
            groups: Vec::new(),
            order: Vec::new(),
            counted: Report::default(),
        }
    }
}

impl Cone {
    /// A solver with default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves the problem from the starting guess in `x` (zeros where there is none; it need not obey any law).
    ///
    /// On [`Failure::NotConverged`] the best `x` found is left in place; on every other failure `x` is what it was.
    pub fn solve(&mut self, problem: &Problem, x: &mut [f64]) -> Result<Report, Failure> {
        check_with_guess(problem, x)?;
        let n = problem.len();
        self.counted = Report::default();
        if n == 0 {
            return Ok(self.counted);
        }
        self.scaled.set(problem)?;
        self.ones.clear();
        self.ones.resize(n, 1.0);
        self.scaled.strip(x, &mut self.next);
        zeros(&mut self.y, n);
        project(&self.scaled.laws, &self.next, &mut self.y);
        let found = self.proximal(n);
        self.scaled.restore(&self.best, x)?;
        let certificate = self.memory.certificate(problem, x);
        self.counted.residual = certificate.worst;
        match found {
            Err(Failure::NotConverged { .. }) if certificate.worst <= self.tolerance => Ok(self.counted),
            Err(Failure::NotConverged { .. }) => Err(Failure::NotConverged { residual: certificate.worst }),
            Err(other) => Err(other),
            Ok(()) => Ok(self.counted),
        }
    }

    /// `A = G G^T`, or `G = A` where there is no such factor.
    fn split(&mut self, n: usize) {
        let a = &self.scaled.a;
        self.symmetric = (0..n).all(|i| (0..i).all(|j| (a[i * n + j] - a[j * n + i]).abs() <= 1e-9));
        if self.symmetric {
            match pivoted_cholesky(a, n, 1e-12, &mut self.g, &mut self.left) {
                Some(rank) => {
                    self.rank = rank;
                    self.symmetric = self.split_is_right(n);
                }
                None => self.symmetric = false,
            }
        }
        if !self.symmetric {
            self.g.clear();
            self.g.extend_from_slice(&self.scaled.a);
            self.rank = n;
        }
    }

    /// One fixed vector through both sides of `A = G G^T`: a diagonal of zeros hides an indefinite block from the pivots.
    fn split_is_right(&mut self, n: usize) -> bool {
        let r = self.rank;
        zeros(&mut self.w, r);
        self.p.clear();
        // no special vector: angles of the golden section
        self.p.extend((0..n).map(|i| 0.5 + (i as f64 * 0.618_033_988_749_894_9).fract()));
        for i in 0..n {
            axpy(self.p[i], &self.g[i * r..i * r + r], &mut self.w);
        }
        (0..n).all(|i| {
            let whole = dot(&self.scaled.a[i * n..i * n + n], &self.p);
            (whole - dot(&self.g[i * r..i * r + r], &self.w)).abs() <= 1e-8 * n as f64
        })
    }

    /// Tries, from quick to patient, as the header has them.
    fn proximal(&mut self, n: usize) -> Result<(), Failure> {
        let mut least = self.refresh(n);
        self.best.clear();
        self.best.extend_from_slice(&self.y);
        // a tenth, so that units and rounding on the way back do not matter
        let target = 0.1 * self.tolerance;
        if least <= target {
            return Ok(());
        }
        self.split(n);
        self.limit = self.steps;
        if self.quick(n, EPS_QUICK, target, &mut least) {
            return Ok(());
        }
        self.sweeps(n, SWEEPS, &mut least);
        if least <= target || self.quick(n, EPS_QUICK, target, &mut least) {
            return Ok(());
        }
        if self.symmetric {
            for products in BURSTS {
                self.glide(n, products, &mut least);
                if least <= target || self.quick(n, least.clamp(EPS_QUICK, EPS_EASY), target, &mut least) {
                    return Ok(());
                }
            }
        }
        // the two ways fail on different problems: each gets a turn, then each a longer one
        for turn in 1..=4 {
            self.limit = self.steps * turn / 4;
            let convex = turn % 2 == 0 && self.symmetric;
            if if convex { self.steady(n, target, &mut least) } else { self.patient(n, target, &mut least) } {
                return Ok(());
            }
        }
        Err(Failure::NotConverged { residual: least })
    }

    /// Accelerated projected gradients ([`crate::Pile`]): cheap, and never far off who touches and who slides.
    fn glide(&mut self, n: usize, products: usize, least: &mut f64) {
        self.pile.products = products;
        self.pile.tolerance = 0.0;
        let mut matrix = Matrix { a: &self.scaled.a, n };
        // the best it finds is in place whether or not it is good enough
        let _ = self.pile.solve(&mut matrix, &self.ones, &self.scaled.b, &self.scaled.laws, &mut self.y);
        let residual = self.refresh(n);
        self.keep(residual, least);
    }

    /// *Steady*: convex steps, with a try at Coulomb's law whenever they have come closer.
    fn steady(&mut self, n: usize, target: f64, least: &mut f64) -> bool {
        self.group(n);
        zeros(&mut self.slip, n);
        self.follow(n, 1.0);
        let mut before = f64::INFINITY;
        let mut eps: f64 = 1e-2;
        let mut tried = f64::INFINITY;
        for _ in 0..STEADY_ROUNDS {
            if !self.convex(n, eps, 0.01 * *least) {
                break;
            }
            std::mem::swap(&mut self.y, &mut self.next);
            let residual = self.refresh(n);
            self.keep(residual, least);
            self.follow(n, 0.5);
            if *least <= target {
                return true;
            }
            if residual < 0.3 * tried {
                tried = residual;
                self.spare.clear();
                self.spare.extend_from_slice(&self.y);
                let done = self.quick(n, residual.clamp(EPS_QUICK, EPS_EASY), target, least);
                if done {
                    return true;
                }
                // a try that failed leaves the best behind; the steps go on from their own
                self.y.copy_from_slice(&self.spare);
                self.refresh(n);
            }
            if residual < 0.3 * before {
                eps = (0.1 * eps).max(1e-6);
            }
            before = residual;
        }
        self.y.copy_from_slice(&self.best);
        self.refresh(n);
        false
    }

    /// *Quick*: proximal steps as long as they are solved at once.
    fn quick(&mut self, n: usize, from: f64, target: f64, least: &mut f64) -> bool {
        self.look(n);
        let mut eps = from;
        for _ in 0..QUICK_ROUNDS {
            if !self.newton(n, eps, 0.1 * *least, QUICK_STEPS) {
                break;
            }
            eps = (0.01 * eps).max(EPS_QUICK);
            self.accept(n, least);
            if *least <= target {
                return true;
            }
        }
        self.y.copy_from_slice(&self.best);
        self.refresh(n);
        false
    }

    /// *Patient*: `eps` shrinks as fast as steps are solved; where one is not, it grows and sweeps shake the guess.
    fn patient(&mut self, n: usize, target: f64, least: &mut f64) -> bool {
        let mut eps = 1.0;
        let mut good = 1.0;
        let mut down: f64 = 0.1;
        let mut sweeps = SWEEPS;
        let mut idle = 0;
        self.look(n);
        while self.counted.iterations < self.limit && idle < IDLE_ROUNDS {
            let was = self.counted.iterations;
            idle += 1;
            if self.newton(n, eps, 0.1 * *least, NEWTON_STEPS) {
                let before = *least;
                self.accept(n, least);
                if *least <= target {
                    return true;
                }
                if *least < 0.5 * before {
                    idle = 0;
                }
                good = eps;
                if self.counted.iterations - was > 6 {
                    down = down.sqrt().min(0.5);
                }
                eps = (eps * down).max(EPS_LEAST);
            } else {
                sweeps = (2 * sweeps).min(SWEEPS_MOST);
                self.sweeps(n, sweeps, least);
                if *least <= target {
                    return true;
                }
                self.look(n);
                good = (good * 10.0).min(EPS_MOST);
                eps = good;
                down = 0.3;
            }
        }
        self.y.copy_from_slice(&self.best);
        self.refresh(n);
        false
    }

    /// Takes `next` for `y`.
    fn accept(&mut self, n: usize, least: &mut f64) {
        std::mem::swap(&mut self.y, &mut self.next);
        std::mem::swap(&mut self.q, &mut self.p);
        let residual = self.refresh(n);
        self.keep(residual, least);
    }

    /// The modes as `y` and `a` show them, with the weight 1: what the next prediction starts from.
    fn look(&mut self, n: usize) {
        self.q.clear();
        self.q.extend((0..n).map(|i| self.y[i] - self.a[i]));
    }

    /// Sweeps of Gauss and Seidel.
    fn sweeps(&mut self, n: usize, count: usize, least: &mut f64) {
        for _ in 0..count {
            self.sweep(n);
        }
        let residual = self.refresh(n);
        self.keep(residual, least);
    }

    /// Remembers `y` where it is the best so far.
    fn keep(&mut self, residual: f64, least: &mut f64) {
        if residual < *least {
            *least = residual;
            self.best.copy_from_slice(&self.y);
        }
    }

    /// One sweep of Gauss and Seidel, law after law: the normal first, then friction at the rim it leaves.
    fn sweep(&mut self, n: usize) {
        let mut first = 0;
        for at in 0..self.scaled.laws.len() {
            let law = self.scaled.laws[at];
            let rows = law.rows();
            let mut p = [0.0; 3];
            let mut stiff = 0f64;
            for k in 0..rows {
                let row = &self.scaled.a[(first + k) * n..(first + k) * n + n];
                p[k] = -(dot(row, &self.y) + self.scaled.b[first + k]);
                // a bound of the block's largest eigenvalue
                stiff = stiff.max(row[first..first + rows].iter().map(|v| v.abs()).sum());
            }
            if stiff > 0.0 {
                for k in 0..rows {
                    p[k] = self.y[first + k] + p[k] / stiff;
                }
                settle(&law, first, &p, &mut self.y);
            }
            first += rows;
        }
    }

    /// `a = A y + b` from scratch, and the residual of `y`.
    fn refresh(&mut self, n: usize) -> f64 {
        self.a.clear();
        for i in 0..n {
            self.a.push(dot(&self.scaled.a[i * n..i * n + n], &self.y) + self.scaled.b[i]);
        }
        let size = largest(&self.y).max(largest(&self.scaled.b)).max(largest(&self.a));
        judge(&self.scaled.laws, &self.ones, &self.y, &self.a, size).worst
    }
}
