//! Large problems whose matrix is never written down: accelerated projected gradients.
//!
//! Only products `A x` are asked for, one per iteration, and the diagonal of `A` for the units. With De Saxce's shift
//!
//! ```text
//!     s_n = sum over the cones of normal n of  mu |a_t|
//! ```
//!
//! Coulomb's law is that of the convex problem `min x A x / 2 + (b + s) x` over the cones `K`: if `x` minimises it with
//! the `s` that its own `a` gives, then `x` and `a` obey the laws. So the gradient method for that problem is run with
//! `s` following `a`:
//!
//! ```text
//!     g   = A y + b + s                          y: x, carried on along its last change (Nesterov)
//!     x'  = onto K of (y - g / L)                again with a larger L while  (x'-y) A (x'-y) > L |x'-y|^2
//!     restart where  g (x' - x) > 0              the momentum leads uphill (O'Donoghue and Candes)
//! ```
//!
//! as in Mazhar, Heyn, Negrut and Tasora (2015). `A y` costs no product: it is carried on like `y`. Several cones on
//! one normal are projected onto together, by Newton's method in the one unknown `x_n`. `s` is renewed in every
//! iteration (measured: half the products of renewing it every ten), and more rarely once that leads nowhere.

use crate::certificate::judge;
use crate::dense::{dot, largest, zeros};
use crate::error::LcpError;
use crate::interrupt::Interrupt;
use crate::law::{ComplementarityLaw as Law, ConeReport, check_laws};
use crate::project::{FrictionCone, add_slip_shift, length, normal_on_cones};
use crate::scale::{ScaledProblem, units};

/// Iterations without a gain of a tenth before the shift is renewed more rarely.
const IDLE_ITERATIONS: usize = 200;
/// The largest curvature `L` tried, per row; the diagonal is 1.
const STIFFEST: f64 = 1e6;
/// Decay of `L` from one iteration to the next, so that it can fall again.
const RELAX: f64 = 0.95;

/// `A`, as something that can be applied.
pub trait LinearOperator {
    /// Number of rows.
    fn len(&self) -> usize;

    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `out = A x`.
    fn apply(&mut self, x: &[f64], out: &mut [f64]);
}

/// The solver that asks for products only, with its memory.
#[derive(Clone, Debug)]
pub struct MatrixFreeConeSolver {
    /// What the residual must come down to: violations of the laws relative to the largest of `x`, `a` and `b` without
    /// units; 1e-8 unless set.
    pub tolerance: f64,
    /// Most products `A x`; 2000 unless set.
    pub products: usize,
    /// Who may have a solution given up; the best `x` found until then is left in place.
    pub interrupt: Interrupt,
    memory: GradientMemory,
}

#[derive(Clone, Debug, Default)]
struct GradientMemory {
    scaled: ScaledProblem,
    ones: Vec<f64>,
    cones: Vec<FrictionCone>,
    x: Vec<f64>,
    ax: Vec<f64>,
    old: Vec<f64>,
    aold: Vec<f64>,
    y: Vec<f64>,
    ay: Vec<f64>,
    p: Vec<f64>,
    next: Vec<f64>,
    anext: Vec<f64>,
    a: Vec<f64>,
    shift: Vec<f64>,
    best: Vec<f64>,
    unit: Vec<f64>,
}

impl Default for MatrixFreeConeSolver {
    fn default() -> Self {
        Self { tolerance: 1e-8, products: 2000, interrupt: Interrupt::never(), memory: GradientMemory::default() }
    }
}

impl MatrixFreeConeSolver {
    /// A solver with default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves `a = A x + b` under the laws, from the starting guess in `x`. `diagonal` is that of `A`, which must be
    /// symmetric and positive semidefinite.
    ///
    /// On [`LcpError::NotConverged`] the best `x` found is left in place; on every other error `x` is what it was.
    pub fn solve(
        &mut self,
        operator: &mut dyn LinearOperator,
        diagonal: &[f64],
        b: &[f64],
        laws: &[Law],
        x: &mut [f64],
    ) -> Result<ConeReport, LcpError> {
        check_laws(b, laws)?;
        let n = b.len();
        if operator.len() != n || diagonal.len() != n || x.len() != n {
            return Err(LcpError::Malformed { row: 0, what: "operator, diagonal, b and x must have the same length" });
        }
        if !diagonal.iter().chain(x.iter()).all(|v| v.is_finite()) {
            return Err(LcpError::NotFinite);
        }
        if n == 0 {
            return Ok(ConeReport::default());
        }
        let memory = &mut self.memory;
        units(|i| diagonal[i], n, laws, &mut memory.scaled.d);
        memory.scaled.set_vectors(b, laws)?;
        memory.start(n, x);
        let report = memory.iterate(operator, self.tolerance, self.products, &self.interrupt)?;
        memory.scaled.restore(&memory.best, x)?;
        if report.residual <= self.tolerance {
            Ok(report)
        } else {
            Err(LcpError::NotConverged { residual: report.residual })
        }
    }
}

impl GradientMemory {
    fn start(&mut self, n: usize, x: &[f64]) {
        self.ones.clear();
        self.ones.resize(n, 1.0);
        FrictionCone::collect(&self.scaled.laws, &mut self.cones);
        for v in [&mut self.x, &mut self.ax, &mut self.old, &mut self.aold, &mut self.y, &mut self.ay] {
            zeros(v, n);
        }
        for v in [&mut self.next, &mut self.anext, &mut self.a, &mut self.shift, &mut self.unit] {
            zeros(v, n);
        }
        self.scaled.strip(x, &mut self.p);
        self.project();
        self.x.copy_from_slice(&self.next);
    }

    fn iterate(
        &mut self,
        operator: &mut dyn LinearOperator,
        tolerance: f64,
        products: usize,
        interrupt: &Interrupt,
    ) -> Result<ConeReport, LcpError> {
        let mut report = ConeReport { residual: f64::INFINITY, iterations: 1, factorisations: 0 };
        self.next.copy_from_slice(&self.x);
        self.product(operator);
        self.ax.copy_from_slice(&self.anext);
        self.rest();
        self.best.clear();
        self.best.extend_from_slice(&self.x);
        report.residual = self.residual();
        self.renew_shift();
        let mut theta = 1.0;
        let mut stiff = 1.0;
        let (mut since, mut every, mut idle) = (0, 1, 0);
        while report.residual > tolerance && report.iterations < products && !interrupt.is_asked() {
            let slope = self.gradient_step(operator, &mut stiff, &mut report.iterations, products)?;
            std::mem::swap(&mut self.old, &mut self.x);
            std::mem::swap(&mut self.aold, &mut self.ax);
            std::mem::swap(&mut self.x, &mut self.next);
            std::mem::swap(&mut self.ax, &mut self.anext);
            let residual = self.residual();
            idle = if residual < 0.9 * report.residual { 0 } else { idle + 1 };
            if residual < report.residual {
                report.residual = residual;
                self.best.copy_from_slice(&self.x);
            }
            if idle > IDLE_ITERATIONS {
                // the shift and the forces follow each other in a circle: let the forces converge in between
                (idle, every) = (0, 2 * every + 3);
            }
            since += 1;
            if slope > 0.0 || since >= every {
                since = 0;
                self.renew_shift();
            }
            if slope > 0.0 {
                theta = 1.0;
                self.rest();
            } else {
                theta = self.carry_on(theta);
            }
            stiff *= RELAX;
        }
        Ok(report)
    }

    /// `next = onto K of (y - g / L)`, with `L = stiff` raised until it bounds the curvature along the step. Returns
    /// `g (next - x)`.
    fn gradient_step(
        &mut self,
        operator: &mut dyn LinearOperator,
        stiff: &mut f64,
        used: &mut usize,
        products: usize,
    ) -> Result<f64, LcpError> {
        let n = self.x.len();
        loop {
            self.p.clear();
            for i in 0..n {
                let g = self.ay[i] + self.scaled.b[i] + self.shift[i];
                self.p.push(self.y[i] - g / *stiff);
            }
            self.project();
            self.product(operator);
            *used += 1;
            let (mut curvature, mut square, mut slope) = (0.0, 0.0, 0.0);
            for i in 0..n {
                let d = self.next[i] - self.y[i];
                curvature += d * (self.anext[i] - self.ay[i]);
                square += d * d;
                // the gradient the step was made with, from p itself
                slope += (self.y[i] - self.p[i]) * *stiff * (self.next[i] - self.x[i]);
            }
            if !(curvature.is_finite() && square.is_finite()) {
                return Err(LcpError::NotFinite);
            }
            if curvature <= *stiff * square * (1.0 + 1e-12) || *used >= products {
                return Ok(slope);
            }
            let stiffest = STIFFEST * n as f64;
            *stiff = (2.0 * *stiff).max(curvature / square).min(stiffest);
            if *stiff >= stiffest {
                return Ok(slope);
            }
        }
    }

    /// Nesterov's momentum: `y` beyond `x` along the last change. Returns the next `theta`.
    fn carry_on(&mut self, theta: f64) -> f64 {
        let t = theta;
        let next = 0.5 * (-t * t + t * (t * t + 4.0).sqrt());
        let carry = t * (1.0 - t) / (t * t + next);
        for i in 0..self.x.len() {
            self.y[i] = self.x[i] + carry * (self.x[i] - self.old[i]);
            self.ay[i] = self.ax[i] + carry * (self.ax[i] - self.aold[i]);
        }
        next
    }

    /// `y = x`: no momentum.
    fn rest(&mut self) {
        self.y.copy_from_slice(&self.x);
        self.ay.copy_from_slice(&self.ax);
    }

    /// `anext = A next`, in units and back.
    fn product(&mut self, operator: &mut dyn LinearOperator) {
        for (u, (x, d)) in self.unit.iter_mut().zip(self.next.iter().zip(&self.scaled.d)) {
            *u = x / d;
        }
        operator.apply(&self.unit, &mut self.anext);
        for (v, d) in self.anext.iter_mut().zip(&self.scaled.d) {
            *v /= d;
        }
    }

    fn residual(&mut self) -> f64 {
        for i in 0..self.x.len() {
            self.a[i] = self.ax[i] + self.scaled.b[i];
        }
        let size = largest(&self.x).max(largest(&self.scaled.b)).max(largest(&self.a));
        judge(&self.scaled.laws, &self.ones, &self.x, &self.a, size).worst
    }

    /// De Saxce's shift from the present `a`.
    fn renew_shift(&mut self) {
        self.shift.fill(0.0);
        add_slip_shift(&self.cones, &self.a, 1.0, &mut self.shift);
    }

    /// `next` = `p` onto the cones, balls and intervals.
    fn project(&mut self) {
        for (i, law) in Law::with_first_rows(&self.scaled.laws) {
            match *law {
                Law::Free => self.next[i] = self.p[i],
                Law::Push => self.next[i] = self.p[i].max(0.0),
                Law::Within { least, most } => self.next[i] = self.p[i].clamp(least, most),
                Law::Cone { .. } => {}
                Law::Ball { radius, rows } => clip(&self.p[i..i + rows], radius, &mut self.next[i..i + rows]),
            }
        }
        for cones in self.cones.chunk_by(|c, d| c.normal == d.normal) {
            let s = normal_on_cones(cones, &self.p);
            self.next[cones[0].normal] = s;
            for c in cones {
                clip(c.of(&self.p), c.mu * s, &mut self.next[c.first..c.first + c.rows]);
            }
        }
    }
}

/// `p` onto the disc. By one factor, unlike [`crate::project`], which needs the direction too: the two differ in the
/// last bit.
fn clip(p: &[f64], radius: f64, x: &mut [f64]) {
    let reach = length(p);
    let shrink = if reach > radius { radius / reach } else { 1.0 };
    for (x, p) in x.iter_mut().zip(p) {
        *x = shrink * p;
    }
}

/// A matrix at hand, row after row, as an operator.
#[derive(Clone, Copy, Debug)]
pub struct MatrixOperator<'m> {
    /// `n * n` numbers.
    pub a: &'m [f64],
    /// Number of rows.
    pub n: usize,
}

impl LinearOperator for MatrixOperator<'_> {
    fn len(&self) -> usize {
        self.n
    }

    fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate().take(self.n) {
            *out = dot(&self.a[i * self.n..(i + 1) * self.n], x);
        }
    }
}
