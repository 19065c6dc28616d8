//! Dantzig's method in the form of Baraff (1994): rows are driven to their conditions one after the other.
//!
//! Rows not yet treated do not push. A row `d` whose condition does not hold is *driven*: `x_d` changes, the rows already treated
//! keep their conditions, until `a_d` is zero or `x_d` reaches an end of its interval.
//!
//! ```text
//!     C   clamped: a = 0, x moves                     held: x at an end, a of the right sign       slack: x between, a = 0 all the same
//!
//!     E_CC dx_C = -E_Cd dx_d,      da = E dx          the step goes until the first of
//!         a_d = 0                    d joins C
//!         x_d at its end             d is held
//!         x_i at its end, i in C     i leaves C
//!         a_i = 0, i held            i joins C        (slack rows at once, if they would move)
//! ```
//!
//! Friction is a box: each row of a cone lies between `-mu x_n` and `mu x_n` of the *present* normal. A friction row held at an
//! end therefore moves with its normal, which adds `+-mu` times its column of `A` to the column of the normal: `E` is `A` with
//! such columns. With friction `E` is not symmetric, and Baraff's proof that the method ends does not hold; it nearly always does, and says so
//! where it does not.
//!
//! The inverse of `E_CC` is bordered as rows join and leave, and built anew for each driven row, before rounding can gather. A dependent row is never clamped: driving it changes no
//! `a`, so it is either in order already or shows a ray. The final `x_C` is computed afresh by LU; where rounding leaves a row on the brink on the
//! wrong side, a few exchanges of [`super::blocks`] put it right.

use super::blocks::BlockPivoting;
use super::inverse::Inverse;
use super::{PivotingError, first_curved};
use holonom_lcp::dense::{dot, largest, lu, lu_solve, zeros};
use holonom_lcp::{Certifier, ComplementarityLaw as Law, ConeProblem, ConeReport, ScaledProblem};

/// What counts as no change of `a` along a step, and as no `a` at all; everything is without units.
const FLAT: f64 = 1e-10;
const ZERO: f64 = 1e-13;

/// A residual that rounding can explain: block exchanges finish the work.
const NEARLY: f64 = 1e-6;

#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    Waiting,
    Clamped,
    Lower,
    Upper,
    Slack,
}

/// What ends a step.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Event {
    Nothing,
    Join(usize),
    Hold(usize, Side),
}

/// The method "dantzig", with its memory.
#[derive(Clone, Debug)]
pub struct Dantzig {
    /// What the answer is held to; 1e-11 unless set. With cones or balls it is held to boxes, not to discs.
    pub tolerance: f64,
    scaled: ScaledProblem,
    matrix: Vec<f64>,
    rows: Vec<Row>,
    boxed: Vec<Law>,
    certifier: Certifier,
    sides: Vec<Side>,
    inverse: Inverse,
    finish: BlockPivoting,
    x: Vec<f64>,
    a: Vec<f64>,
    dx: Vec<f64>,
    da: Vec<f64>,
    column: Vec<f64>,
    effective: Vec<f64>,
    h: Vec<f64>,
    order: Vec<usize>,
    open: Vec<usize>,
    counted: ConeReport,
}

/// Interval of a row: `least..most`, or `-mu x_n..mu x_n`.
#[derive(Clone, Copy, Debug)]
struct Row {
    least: f64,
    most: f64,
    grip: Option<(usize, f64)>,
}

impl Default for Dantzig {
    fn default() -> Self {
        Self {
            tolerance: 1e-11,
            scaled: ScaledProblem::default(),
            matrix: Vec::new(),
            rows: Vec::new(),
            boxed: Vec::new(),
            certifier: Certifier::default(),
            sides: Vec::new(),
            inverse: Inverse::default(),
            finish: BlockPivoting::default(),
            x: Vec::new(),
            a: Vec::new(),
            dx: Vec::new(),
            da: Vec::new(),
            column: Vec::new(),
            effective: Vec::new(),
            h: Vec::new(),
            order: Vec::new(),
            open: Vec::new(),
            counted: ConeReport::default(),
        }
    }
}

impl Dantzig {
    /// A solver with default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves any problem, cones and balls by boxes. What is in `x` before does not matter.
    ///
    /// On [`PivotingError::NotConverged`] the best `x` found is left in place; on every other failure `x` is what it was.
    pub fn solve(&mut self, problem: &ConeProblem, x: &mut [f64]) -> Result<ConeReport, PivotingError> {
        problem.check_with_guess(x)?;
        let n = problem.len();
        self.counted = ConeReport::default();
        if n == 0 {
            return Ok(self.counted);
        }
        self.scaled.set(problem, &mut self.matrix)?;
        self.start(n);
        let plain = first_curved(problem.laws).is_none();
        match self.run(n) {
            Ok(()) => {}
            Err(failure) if plain => {
                // a ray that rounding made is no ray: exchanges must find one too
                self.dx.copy_from_slice(x);
                self.finish.tolerance = self.tolerance;
                let report = self.finish.solve(problem, &mut self.dx).map_err(|_| failure)?;
                x.copy_from_slice(&self.dx);
                return Ok(report);
            }
            Err(failure) => return Err(failure),
        }
        self.scaled.restore(&self.x, x)?;
        if self.counted.residual > self.tolerance && self.counted.residual < NEARLY && plain {
            // the sets are right but for rows on the brink, where rounding decides: a few exchanges settle those
            self.dx.copy_from_slice(x);
            self.finish.tolerance = self.tolerance;
            if let Ok(report) = self.finish.solve(problem, &mut self.dx) {
                x.copy_from_slice(&self.dx);
                self.counted.residual = report.residual;
                self.counted.iterations += report.iterations;
                self.counted.factorisations += report.factorisations;
            }
        }
        if self.counted.residual <= self.tolerance {
            Ok(self.counted)
        } else {
            Err(PivotingError::NotConverged { residual: self.counted.residual })
        }
    }

    /// Drives all rows, and again those that rounding put on the wrong side.
    fn run(&mut self, n: usize) -> Result<(), PivotingError> {
        let mut done = true;
        // equations first: they hold whatever the others do
        for pass in [true, false] {
            for d in 0..n {
                let row = self.rows[d];
                if pass == (row.least == f64::NEG_INFINITY && row.most == f64::INFINITY && row.grip.is_none()) && done {
                    done = self.drive(d, n)?;
                }
            }
        }
        self.polish(n, false);
        self.counted.residual = self.judge(n);
        for _ in 0..3 {
            if !done || self.counted.residual <= 0.1 * self.tolerance {
                break;
            }
            self.refresh(n);
            for d in 0..n {
                if self.is_wrong(d) && self.sides[d] != Side::Clamped && done {
                    self.sides[d] = Side::Waiting;
                    done = self.drive(d, n)?;
                }
            }
            self.polish(n, false);
            self.counted.residual = self.judge(n);
        }
        if self.counted.residual > 0.1 * self.tolerance {
            self.dx.copy_from_slice(&self.x);
            self.polish(n, true);
            let residual = self.judge(n);
            if residual < self.counted.residual {
                self.counted.residual = residual;
            } else {
                self.x.copy_from_slice(&self.dx);
            }
        }
        Ok(())
    }

    fn start(&mut self, n: usize) {
        let inf = f64::INFINITY;
        self.rows.clear();
        for (_, law) in Law::with_first_rows(&self.scaled.laws) {
            let row = match *law {
                Law::Free => Row { least: -inf, most: inf, grip: None },
                Law::Push => Row { least: 0.0, most: inf, grip: None },
                Law::Within { least, most } => Row { least, most, grip: None },
                Law::Cone { normal, mu, .. } => Row { least: 0.0, most: 0.0, grip: Some((normal, mu)) },
                Law::Ball { radius, .. } => Row { least: -radius, most: radius, grip: None },
            };
            self.rows.extend((0..law.rows()).map(|_| row));
        }
        self.x.clear();
        self.x.extend(self.rows.iter().map(|r| 0f64.clamp(r.least, r.most)));
        self.sides.clear();
        self.sides.resize(n, Side::Waiting);
        zeros(&mut self.dx, n);
        zeros(&mut self.da, n);
        self.effective.clear();
        self.effective.extend_from_slice(&self.matrix);
        self.inverse.clear();
        self.refresh(n);
    }

    fn refresh(&mut self, n: usize) {
        self.a.clear();
        for i in 0..n {
            let held = if self.sides[i] == Side::Clamped { 0.0 } else { 1.0 };
            self.a.push(held * (dot(&self.matrix[i * n..i * n + n], &self.x) + self.scaled.b[i]));
        }
    }

    fn ends(&self, i: usize) -> (f64, f64) {
        match self.rows[i].grip {
            Some((normal, mu)) => {
                let radius = mu * self.x[normal].max(0.0);
                (-radius, radius)
            }
            None => (self.rows[i].least, self.rows[i].most),
        }
    }

    /// How fast the ends of row `i` move along the step.
    fn end_rate(&self, i: usize) -> f64 {
        self.rows[i].grip.map_or(0.0, |(normal, mu)| mu * self.dx[normal])
    }

    /// Whether row `i` is friction on a normal that does not push: it has nothing to say.
    fn is_idle(&self, i: usize) -> bool {
        self.rows[i].grip.is_some_and(|(normal, _)| self.x[normal] <= 0.0 && self.dx[normal] <= 0.0)
    }

    /// Whether `a` has come out on the wrong side by more than rounding.
    fn is_wrong(&self, i: usize) -> bool {
        let slack = ZERO * (1.0 + largest(&self.x));
        let (least, most) = self.ends(i);
        least < most && ((self.a[i] < -slack && self.x[i] < most) || (self.a[i] > slack && self.x[i] > least))
    }

    /// Brings row `d` to its condition. False where the method gives up.
    fn drive(&mut self, d: usize, n: usize) -> Result<bool, PivotingError> {
        self.rebuild(n);
        for _ in 0..100 + 20 * n {
            let (least, most) = self.ends(d);
            let a = self.a[d];
            let zero = ZERO * (1.0 + largest(&self.x));
            if least == most || (self.x[d] <= least && a >= -zero) {
                self.sides[d] = Side::Lower;
                self.relink(n, d);
                return Ok(true);
            }
            if self.x[d] >= most && a <= zero {
                self.sides[d] = Side::Upper;
                self.relink(n, d);
                return Ok(true);
            }
            if a.abs() <= zero {
                self.sides[d] = Side::Slack;
                return Ok(true);
            }
            self.counted.iterations += 1;
            self.direction(d, if a < 0.0 { 1.0 } else { -1.0 }, n);
            let (step, event) = self.first_event(d, n);
            let nearly = a.abs() <= 1e-12 * (1.0 + largest(&self.x));
            if nearly && (event == Event::Nothing || self.da[d].abs() <= FLAT * (1.0 + largest(&self.dx))) {
                // it depends on the clamped rows, and what is left of a is rounding
                self.sides[d] = if least.is_finite() && self.x[d] <= least { Side::Lower } else { Side::Slack };
                return Ok(true);
            }
            if event == Event::Nothing {
                return Err(PivotingError::NoSolution);
            }
            for i in 0..n {
                self.x[i] += step * self.dx[i];
            }
            if !self.happen(event, d, n) {
                return Ok(false);
            }
            if self.sides[d] != Side::Waiting {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// `dx` and `da` for a unit step of `x_d`.
    fn direction(&mut self, d: usize, sign: f64, n: usize) {
        self.dx.fill(0.0);
        self.dx[d] = sign;
        self.column.clear();
        for &i in self.inverse.members() {
            self.column.push(-sign * self.effective[i * n + d]);
        }
        self.inverse.apply(&mut self.column);
        for (k, &i) in self.inverse.members().iter().enumerate() {
            self.dx[i] = self.column[k];
        }
        // once more with what is left: bordering loses digits where rows are nearly dependent
        self.column.clear();
        for &i in self.inverse.members() {
            let reached: f64 = self.inverse.members().iter().map(|&j| self.effective[i * n + j] * self.dx[j]).sum();
            self.column.push(-sign * self.effective[i * n + d] - reached);
        }
        self.inverse.apply(&mut self.column);
        for (k, &i) in self.inverse.members().iter().enumerate() {
            self.dx[i] += self.column[k];
        }
        for t in 0..n {
            if let Some((normal, mu)) = self.rows[t].grip {
                match self.sides[t] {
                    Side::Lower => self.dx[t] = -mu * self.dx[normal],
                    Side::Upper => self.dx[t] = mu * self.dx[normal],
                    _ => {}
                }
            }
        }
        for i in 0..n {
            self.da[i] = dot(&self.matrix[i * n..i * n + n], &self.dx);
        }
    }

    fn first_event(&self, d: usize, n: usize) -> (f64, Event) {
        let mut best = (f64::INFINITY, Event::Nothing);
        let mut offer = |step: f64, event: Event| {
            // of equal ones the first: the driven row, then the least index
            if step.max(0.0) < best.0 {
                best = (step.max(0.0), event);
            }
        };
        let flat = FLAT * (1.0 + largest(&self.dx));
        if self.a[d] * self.da[d] < 0.0 && self.da[d].abs() > flat {
            offer(-self.a[d] / self.da[d], Event::Join(d));
        }
        for i in 0..n {
            let (least, most) = self.ends(i);
            let (dx, da, rate) = (self.dx[i], self.da[i], self.end_rate(i));
            match self.sides[i] {
                Side::Clamped => {
                    if dx + rate < -flat {
                        offer((self.x[i] - least) / -(dx + rate), Event::Hold(i, Side::Lower));
                    }
                    if dx - rate > flat {
                        offer((most - self.x[i]) / (dx - rate), Event::Hold(i, Side::Upper));
                    }
                }
                Side::Waiting if i == d => {
                    if dx + rate < -flat {
                        offer((self.x[i] - least) / -(dx + rate), Event::Hold(i, Side::Lower));
                    } else if dx - rate > flat {
                        offer((most - self.x[i]) / (dx - rate), Event::Hold(i, Side::Upper));
                    }
                }
                Side::Lower if da < -flat && !self.is_idle(i) && (least < most || rate > 0.0) => {
                    offer(self.a[i] / -da, Event::Join(i));
                }
                Side::Upper if da > flat && !self.is_idle(i) && (least < most || rate > 0.0) => {
                    offer(-self.a[i] / da, Event::Join(i));
                }
                Side::Slack if da.abs() > flat => offer(0.0, Event::Join(i)),
                _ => {}
            }
        }
        best
    }

    /// Carries an event out. False where the clamped rows become dependent.
    fn happen(&mut self, event: Event, d: usize, n: usize) -> bool {
        match event {
            Event::Nothing => {}
            Event::Join(i) => {
                let linked = self.rows[i].grip.is_some() && matches!(self.sides[i], Side::Lower | Side::Upper);
                self.sides[i] = Side::Clamped;
                if linked || !self.inverse.add(i, &self.effective, n) {
                    self.rebuild(n);
                }
            }
            Event::Hold(i, side) => {
                let was = self.sides[i];
                self.sides[i] = side;
                let (least, most) = self.ends(i);
                self.x[i] = if side == Side::Lower { least } else { most };
                if was == Side::Clamped {
                    self.inverse.remove(i);
                }
                self.relink(n, i);
            }
        }
        self.refresh(n);
        // friction of a normal that begins to push takes the end its slip asks for; of one that ends, nothing is left
        let moved = match event {
            Event::Join(i) | Event::Hold(i, _) => i,
            Event::Nothing => d,
        };
        self.settle_grips(moved, n);
        !self.inverse.is_broken()
    }

    /// Friction rows on `normal` that were at a radius of zero choose their end anew.
    fn settle_grips(&mut self, normal: usize, n: usize) {
        let mut changed = false;
        for t in 0..n {
            let Some((to, _)) = self.rows[t].grip else { continue };
            if to != normal || self.sides[t] == Side::Waiting {
                continue;
            }
            if self.x[normal] <= 0.0 {
                let side = if self.a[t] < 0.0 { Side::Upper } else { Side::Lower };
                changed |= self.sides[t] != side;
                self.sides[t] = side;
                self.x[t] = 0.0;
            }
        }
        if changed {
            self.rebuild(n);
            self.refresh(n);
        }
    }

    /// After row `i` has been held: if it is friction, the column of its normal changes.
    fn relink(&mut self, n: usize, i: usize) {
        if self.rows[i].grip.is_some() {
            self.rebuild(n);
        }
    }

    /// `E` and the inverse of `E_CC` from nothing.
    fn rebuild(&mut self, n: usize) {
        self.effective.copy_from_slice(&self.matrix);
        for t in 0..n {
            let Some((normal, mu)) = self.rows[t].grip else { continue };
            let s = match self.sides[t] {
                Side::Lower => -mu,
                Side::Upper => mu,
                _ => continue,
            };
            for i in 0..n {
                self.effective[i * n + normal] += s * self.matrix[i * n + t];
            }
        }
        self.inverse.clear();
        self.counted.factorisations += 1;
        for i in 0..n {
            if self.sides[i] == Side::Clamped && !self.inverse.add(i, &self.effective, n) {
                // dependent after all: it stays where it is, as long as nothing moves it
                self.sides[i] = Side::Slack;
            }
        }
    }

    /// The clamped rows once more, by a fresh factor and refinement; with slack rows too where asked for. The little on the diagonal
    /// then makes room for dependent rows, and refinement takes its effect out again.
    fn polish(&mut self, n: usize, slack: bool) {
        self.rebuild(n);
        self.open.clear();
        self.open.extend((0..n).filter(|&i| match self.sides[i] {
            Side::Clamped => true,
            Side::Slack => slack,
            _ => false,
        }));
        let m = self.open.len();
        zeros(&mut self.h, m * m);
        for (p, &i) in self.open.iter().enumerate() {
            for (q, &j) in self.open.iter().enumerate() {
                self.h[p * m + q] = self.effective[i * n + j];
            }
            self.h[p * m + p] += if slack { 1e-7 } else { 0.0 };
        }
        if !lu(&mut self.h, m, &mut self.order) {
            return;
        }
        for _ in 0..5 {
            self.column.clear();
            for &i in &self.open {
                self.column.push(-(dot(&self.matrix[i * n..i * n + n], &self.x) + self.scaled.b[i]));
            }
            lu_solve(&self.h, m, &self.order, &mut self.column);
            for (k, &i) in self.open.iter().enumerate() {
                self.x[i] += self.column[k];
            }
            for t in 0..n {
                let (least, most) = self.ends(t);
                match self.sides[t] {
                    Side::Lower if self.rows[t].grip.is_some() => self.x[t] = least,
                    Side::Upper if self.rows[t].grip.is_some() => self.x[t] = most,
                    _ => {}
                }
            }
        }
    }

    /// How far the answer is from its laws, friction taken as a box.
    fn judge(&mut self, n: usize) -> f64 {
        self.boxed.clear();
        for i in 0..n {
            let (least, most) = self.ends(i);
            self.boxed.push(Law::Within { least, most });
            self.a[i] = dot(&self.matrix[i * n..i * n + n], &self.x) + self.scaled.b[i];
        }
        let problem = ConeProblem { a: &self.matrix, b: &self.scaled.b, laws: &self.boxed };
        self.certifier.certificate(&problem, &self.x).worst
    }
}
