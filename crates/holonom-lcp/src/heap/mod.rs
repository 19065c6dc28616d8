//! Many bodies, few per row: Coulomb's law to the last digits where the matrix of responses would be too large to write down.
//!
//! The matrix is `A = G M^-1 G^T` with `M` block diagonal (six numbers of motion per node) and rows of `G` that touch few nodes each. Units and masses are taken
//! out first ([`rows`]): what is left is `A = G G^T`, and everything [`crate::cone`] does with a dense factor of `A` is done here with the sparse `G` itself. From
//! `x_k` with the motion `v_k = G^T x_k` and `a_k = G v_k + b`, a proximal step asks for
//!
//! ```text
//!     x = P(x_k - (a_k + G w) / eps),     w = G^T (x - x_k)         R(w) = w - G^T (x - x_k) = 0,     R' = 1 + G^T W G / eps,   W = dP/dp
//! ```
//!
//! with `P` of [`crate::project`] (Coulomb's law as it stands: [`newton`]) or, with De Saxce's shift held fast, onto the cones (a convex problem: [`convex`]). `R'` is as
//! sparse as the graph of touching nodes ([`matrix`], [`crate::blocks6`]).
//!
//! Sweeps of Gauss and Seidel run in the space of motions: `a = G v + b` of one law, its projection, `v += G^T dx`. One costs a small part of a factorisation.

mod convex;
mod matrix;
mod newton;
mod rows;
mod smooth;

pub use rows::Rows;

use crate::blocks6::{Block, Blocks6};
use crate::certificate::judge;
use crate::dense::{largest, zeros};
use crate::law::{Failure, Law, Report, check_laws};
use crate::pile::Pile;
use crate::project::{Mode, project, settle};
use crate::scale::Scaled;
use rows::Responses;

/// Proximal weights, relative to the diagonal of `A`: of the quick tries, and the least and the largest of the patient one.
const EPS_QUICK: f64 = 1e-7;
const EPS_LEAST: f64 = 1e-8;
const EPS_MOST: f64 = 1.0;
/// The largest weight of a quick try, where the residual is still large.
const EPS_EASY: f64 = 0.1;
/// What is aimed at, and what no long way is gone for any more, in tolerances.
const WISH: f64 = 0.1;
const NEARLY: f64 = 10.0;
/// Rounding at the start of the smooth path.
const TAU: f64 = 0.1;
/// Convex steps in a row.
const STEADY_ROUNDS: usize = 30;
/// Sweeps before anything is known, and the most between two tries.
const SWEEPS: usize = 20;
const SWEEPS_MOST: usize = 200;
/// Products with `A` between quick tries.
const BURSTS: [usize; 3] = [100, 200, 400];
/// Newton steps within one proximal step, and proximal steps, of the quick tries.
const QUICK_STEPS: usize = 8;
const QUICK_ROUNDS: usize = 8;
/// The same for the patient one; rounds that do not halve the residual.
const NEWTON_STEPS: usize = 30;
const IDLE_ROUNDS: usize = 40;
/// A Newton step this much shorter than a full one leads nowhere; so do this many that are a tenth.
const SHORTEST: f64 = 1e-2;
const SHORT_STEPS: usize = 3;

/// The method "heap", with its memory. Nothing is allocated once it has seen a problem of the size.
#[derive(Clone, Debug)]
pub struct Heap {
    /// What the residual must come down to, scaled as in [`crate::Certificate`]; 1e-9 unless set. A tenth of it is aimed at.
    pub tolerance: f64,
    /// Most factorisations; 150 unless set.
    pub factorisations: usize,
    limit: usize,
    scaled: Scaled,
    pile: Pile,
    ones: Vec<f64>,
    /// `G` without units and masses.
    rows: Rows,
    n_nodes: usize,
    factors: Vec<Block>,
    own: Vec<f64>,
    stiff: Vec<f64>,
    matrix: Blocks6,
    edges: Vec<(u32, u32)>,
    pairs: Vec<(u32, bool)>,
    pairs_start: Vec<u32>,
    y: Vec<f64>,
    a: Vec<f64>,
    v: Vec<f64>,
    best: Vec<f64>,
    w: Vec<f64>,
    trial: Vec<f64>,
    step: Vec<f64>,
    scratch: Vec<f64>,
    r: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
    next: Vec<f64>,
    spare: Vec<f64>,
    modes: Vec<Mode>,
    discs: Vec<convex::Disc>,
    groups: Vec<convex::Group>,
    weights: Vec<(usize, f64)>,
    pulled: Vec<f64>,
    shift: Vec<f64>,
    slip: Vec<f64>,
    slopes: Vec<smooth::Slope>,
    pushed: Vec<f64>,
    pushed_slope: Vec<f64>,
    step_x: Vec<f64>,
    step_a: Vec<f64>,
    counted: Report,
}

impl Default for Heap {
    fn default() -> Self {
        Heap {
            tolerance: 1e-9,
            factorisations: 150,
            limit: 0,
            scaled: Scaled::default(),
            pile: Pile::default(),
            ones: Vec::new(),
            rows: Rows::default(),
            n_nodes: 0,
            factors: Vec::new(),
            own: Vec::new(),
            stiff: Vec::new(),
            matrix: Blocks6::default(),
            edges: Vec::new(),
            pairs: Vec::new(),
            pairs_start: Vec::new(),
            y: Vec::new(),
            a: Vec::new(),
            v: Vec::new(),
            best: Vec::new(),
            w: Vec::new(),
            trial: Vec::new(),
            step: Vec::new(),
            scratch: Vec::new(),
            r: Vec::new(),
            p: Vec::new(),
            q: Vec::new(),
            next: Vec::new(),
            spare: Vec::new(),
            modes: Vec::new(),
            discs: Vec::new(),
            groups: Vec::new(),
            weights: Vec::new(),
            pulled: Vec::new(),
            shift: Vec::new(),
            slip: Vec::new(),
            slopes: Vec::new(),
            pushed: Vec::new(),
            pushed_slope: Vec::new(),
            step_x: Vec::new(),
            step_a: Vec::new(),
            counted: Report::default(),
        }
    }
}

impl Heap {
    /// A solver with default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solve from the guess in `x` (zeros where there is none; it need not obey any law). `masses`: a symmetric positive definite block per node; where a node has
    /// fewer than six numbers, the rest is the identity.
    ///
    /// On [`Failure::NotConverged`] the best `x` found is left in place; on every other failure `x` is what it was.
    pub fn solve(
        &mut self,
        masses: &[Block],
        rows: &Rows,
        b: &[f64],
        laws: &[Law],
        x: &mut [f64],
    ) -> Result<Report, Failure> {
        check_laws(b, laws)?;
        self.counted = Report::default();
        let n = b.len();
        if rows.len() != n || x.len() != n {
            return Err(Failure::Malformed { row: 0, what: "rows, b and x must have the same length" });
        }
        if !x.iter().all(|v| v.is_finite()) {
            return Err(Failure::NotFinite);
        }
        if n == 0 {
            return Ok(self.counted);
        }
        self.rows.strip(rows, masses, laws, &mut self.factors, &mut self.scaled.d, &mut self.own)?;
        self.n_nodes = masses.len();
        self.scaled.set_vectors(b, laws)?;
        self.ones.clear();
        self.ones.resize(n, 1.0);
        self.scaled.strip(x, &mut self.next);
        zeros(&mut self.y, n);
        project(&self.scaled.laws, &self.next, &mut self.y);
        let mut least = self.refresh();
        self.best.clear();
        self.best.extend_from_slice(&self.y);
        if least <= WISH * self.tolerance && self.y == self.next {
            // nothing to do: not even rounding
            self.counted.residual = least;
            return Ok(self.counted);
        }
        if least > WISH * self.tolerance {
            self.proximal(&mut least);
        }
        self.scaled.restore(&self.best, x)?;
        self.counted.residual = least;
        if least <= self.tolerance { Ok(self.counted) } else { Err(Failure::NotConverged { residual: least }) }
    }

    fn is_spent(&self) -> bool {
        self.counted.factorisations >= self.limit
    }

    /// Tries, from quick to patient, as the header has them.
    fn proximal(&mut self, least: &mut f64) {
        let target = WISH * self.tolerance;
        self.group();
        self.lay_out();
        self.rows.stiffness(&self.scaled.laws, &mut self.stiff);
        self.limit = self.factorisations;
        if *least < 1e-3 && self.quick(EPS_QUICK, target, least) {
            return;
        }
        self.sweeps(SWEEPS, least);
        if *least <= target || self.quick(least.clamp(EPS_QUICK, EPS_EASY), target, least) {
            return;
        }
        if *least <= 0.1 * TAU && self.smooth(10.0 * *least, target, least) || *least <= self.tolerance {
            return;
        }
        if self.smooth(TAU, target, least) {
            return;
        }
        for products in BURSTS {
            if *least <= NEARLY * self.tolerance {
                return;
            }
            self.glide(products, least);
            if *least <= target || self.smooth((10.0 * *least).min(TAU), target, least) {
                return;
            }
        }
        // the two ways fail on different problems
        for convex in [true, false] {
            if *least <= NEARLY * self.tolerance {
                return;
            }
            if if convex { self.steady(target, least) } else { self.patient(target, least) } {
                return;
            }
        }
    }

    /// Accelerated projected gradients ([`crate::Pile`]): cheap, and never far off who touches and who slides.
    fn glide(&mut self, products: usize, least: &mut f64) {
        self.pile.products = products;
        self.pile.tolerance = 0.0;
        let mut responses = Responses { rows: &self.rows, v: &mut self.v, n_nodes: self.n_nodes };
        // the best it finds is in place whether or not it is good enough
        let _ = self.pile.solve(&mut responses, &self.ones, &self.scaled.b, &self.scaled.laws, &mut self.y);
        let residual = self.refresh();
        self.keep(residual, least);
    }

    /// *Steady*: convex steps, with a try at Coulomb's law whenever they have come closer.
    fn steady(&mut self, target: f64, least: &mut f64) -> bool {
        self.slip.fill(0.0);
        self.follow(1.0);
        let mut before = f64::INFINITY;
        let mut eps: f64 = 1e-2;
        let mut tried = f64::INFINITY;
        for _ in 0..STEADY_ROUNDS {
            if !self.convex(eps, 0.01 * *least) {
                break;
            }
            std::mem::swap(&mut self.y, &mut self.next);
            let residual = self.refresh();
            self.keep(residual, least);
            self.follow(0.5);
            if *least <= target {
                return true;
            }
            if residual < 0.3 * tried {
                tried = residual;
                self.spare.clear();
                self.spare.extend_from_slice(&self.y);
                if self.quick(residual.clamp(EPS_QUICK, EPS_EASY), target, least) {
                    return true;
                }
                // a try that failed leaves the best behind; the steps go on from their own
                self.y.copy_from_slice(&self.spare);
                self.refresh();
            }
            if residual < 0.3 * before {
                eps = (0.1 * eps).max(1e-6);
            }
            before = residual;
        }
        self.back_to_best();
        false
    }

    /// *Quick*: proximal steps as long as they are solved at once.
    fn quick(&mut self, from: f64, target: f64, least: &mut f64) -> bool {
        self.look();
        let mut eps = from;
        for _ in 0..QUICK_ROUNDS {
            if !self.newton(eps, 0.1 * *least, QUICK_STEPS) {
                break;
            }
            eps = (0.01 * eps).max(EPS_QUICK);
            self.accept(least);
            if *least <= target {
                return true;
            }
        }
        self.back_to_best();
        false
    }

    /// *Patient*: `eps` shrinks as fast as steps are solved; where one is not, it grows and sweeps shake the guess.
    fn patient(&mut self, target: f64, least: &mut f64) -> bool {
        let mut eps = 1.0;
        let mut good = 1.0;
        let mut down: f64 = 0.1;
        let mut sweeps = SWEEPS;
        let mut idle = 0;
        self.look();
        while !self.is_spent() && idle < IDLE_ROUNDS {
            let was = self.counted.factorisations;
            idle += 1;
            if self.newton(eps, 0.1 * *least, NEWTON_STEPS) {
                let before = *least;
                self.accept(least);
                if *least <= target {
                    return true;
                }
                if *least < 0.5 * before {
                    idle = 0;
                }
                good = eps;
                if self.counted.factorisations - was > 6 {
                    down = down.sqrt().min(0.5);
                }
                eps = (eps * down).max(EPS_LEAST);
            } else {
                sweeps = (2 * sweeps).min(SWEEPS_MOST);
                self.sweeps(sweeps, least);
                if *least <= target {
                    return true;
                }
                self.look();
                good = (good * 10.0).min(EPS_MOST);
                eps = good;
                down = 0.3;
            }
        }
        self.back_to_best();
        false
    }

    fn back_to_best(&mut self) {
        self.y.copy_from_slice(&self.best);
        self.refresh();
    }

    /// Takes `next` for `y`.
    fn accept(&mut self, least: &mut f64) {
        std::mem::swap(&mut self.y, &mut self.next);
        std::mem::swap(&mut self.q, &mut self.p);
        let residual = self.refresh();
        self.keep(residual, least);
    }

    /// The modes as `y` and `a` show them, with the weight 1: what the next prediction starts from.
    fn look(&mut self) {
        self.q.clear();
        self.q.extend(self.y.iter().zip(&self.a).map(|(y, a)| y - a));
    }

    /// Sweeps of Gauss and Seidel.
    fn sweeps(&mut self, count: usize, least: &mut f64) {
        for _ in 0..count {
            self.sweep();
        }
        let residual = self.refresh();
        self.keep(residual, least);
    }

    /// Remembers `y` where it is the best so far.
    fn keep(&mut self, residual: f64, least: &mut f64) {
        if residual < *least {
            *least = residual;
            self.best.copy_from_slice(&self.y);
        }
    }

    /// One sweep of Gauss and Seidel, law after law: the normal first, then friction at the rim it leaves. `v` is carried along.
    fn sweep(&mut self) {
        let mut first = 0;
        for (law, &stiff) in self.scaled.laws.iter().zip(&self.stiff) {
            let rows = law.rows();
            if stiff > 0.0 {
                let (mut p, mut old) = ([0.0; 3], [0.0; 3]);
                for k in 0..rows {
                    let i = first + k;
                    old[k] = self.y[i];
                    p[k] = old[k] - (self.rows.product(i, &self.v) + self.scaled.b[i]) / stiff;
                }
                settle(law, first, &p, &mut self.y);
                for k in 0..rows {
                    let change = self.y[first + k] - old[k];
                    if change != 0.0 {
                        self.rows.push(first + k, change, &mut self.v);
                    }
                }
            }
            first += rows;
        }
    }

    /// `v` and `a` of `y` from scratch, and the residual.
    fn refresh(&mut self) -> f64 {
        zeros(&mut self.v, 6 * self.n_nodes);
        for (row, &y) in self.y.iter().enumerate().filter(|(_, y)| **y != 0.0) {
            self.rows.push(row, y, &mut self.v);
        }
        self.a.clear();
        self.a.extend((0..self.y.len()).map(|i| self.rows.product(i, &self.v) + self.scaled.b[i]));
        let size = largest(&self.y).max(largest(&self.scaled.b)).max(largest(&self.a));
        judge(&self.scaled.laws, &self.ones, &self.y, &self.a, size).worst
    }
}
