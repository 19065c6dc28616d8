//! Large problems whose matrix is never written down: accelerated projected gradients.
//!
//! Only products `A x` are asked for, one per iteration, and the diagonal of `A` for the units. With De Saxce's shift
//!
//! ```text
//!     s_n = sum over the cones of normal n of  mu |a_t|
//! ```
//!
//! Coulomb's law is that of the convex problem `min x A x / 2 + (b + s) x` over the cones `K`: if `x` minimises it with the `s` that its
//! own `a` gives, then `x` and `a` obey the laws. So the gradient method for that problem is run with `s` following `a`:
//!
//! ```text
//!     g   = A y + b + s                          y: x, carried on along its last change (Nesterov)
//!     x'  = onto K of (y - g / L)                again with a larger L while  (x'-y) A (x'-y) > L |x'-y|^2
//!     restart where  g (x' - x) > 0              the momentum leads uphill (O'Donoghue and Candes)
//! ```
//!
//! as in Mazhar, Heyn, Negrut and Tasora (2015). `A y` costs no product: it is carried on like `y`. Several cones on one
//! normal are projected onto together, by Newton's method in the one unknown `x_n`. `s` is renewed in every iteration (measured: half
//! the products of renewing it every ten), and more rarely once that leads nowhere.

use crate::certificate::judge;
use crate::dense::{dot, largest, zeros};
use crate::law::{Failure, Law, Report, check_laws};
use crate::project::length;
use crate::scale::{Scaled, units, walk};

/// `A`, as something that can be applied.
pub trait Operator {
    /// Number of rows.
    fn len(&self) -> usize;

    /// Whether there are no rows.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `out = A x`.
    fn apply(&mut self, x: &[f64], out: &mut [f64]);
}

/// A cone on a normal, for projections.
#[derive(Clone, Copy, Debug)]
struct Friction {
    normal: usize,
    first: usize,
    rows: usize,
    mu: f64,
}

/// The method "pile", with its memory.
#[derive(Clone, Debug)]
pub struct Pile {
    /// What the residual must come down to: violations of the laws relative to the largest of `x`, `a` and `b` without units; 1e-8
    /// unless set.
    pub tolerance: f64,
    /// Most products `A x`; 2000 unless set.
    pub products: usize,
    scaled: Scaled,
    ones: Vec<f64>,
    frictions: Vec<Friction>,
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

impl Default for Pile {
    fn default() -> Self {
        Self {
            tolerance: 1e-8,
            products: 2000,
            scaled: Scaled::default(),
            ones: Vec::new(),
            frictions: Vec::new(),
            x: Vec::new(),
            ax: Vec::new(),
            old: Vec::new(),
            aold: Vec::new(),
            y: Vec::new(),
            ay: Vec::new(),
            p: Vec::new(),
            next: Vec::new(),
            anext: Vec::new(),
            a: Vec::new(),
            shift: Vec::new(),
            best: Vec::new(),
            unit: Vec::new(),
        }
    }
}

impl Pile {
    /// A solver with default settings.
    pub fn new() -> Self {
        Self::default()
    }

    /// Solves `a = A x + b` under the laws, from the starting guess in `x`. `diagonal` is that of `A`, which must be symmetric
    /// and positive semidefinite.
    ///
    /// On [`Failure::NotConverged`] the best `x` found is left in place; on every other failure `x` is what it was.
    pub fn solve(
        &mut self,
        operator: &mut dyn Operator,
        diagonal: &[f64],
        b: &[f64],
        laws: &[Law],
        x: &mut [f64],
    ) -> Result<Report, Failure> {
        check_laws(b, laws)?;
        let n = b.len();
        if operator.len() != n || diagonal.len() != n || x.len() != n {
            return Err(Failure::Malformed { row: 0, what: "operator, diagonal, b and x must have the same length" });
        }
        if !diagonal.iter().chain(x.iter()).all(|v| v.is_finite()) {
            return Err(Failure::NotFinite);
        }
        if n == 0 {
            return Ok(Report::default());
        }
        units(|i| diagonal[i], n, laws, &mut self.scaled.d);
        self.scaled.set_vectors(b, laws)?;
        self.start(n, x);
        let report = self.iterate(operator, n)?;
        self.scaled.restore(&self.best, x)?;
        if report.residual <= self.tolerance {
            Ok(report)
        } else {
            Err(Failure::NotConverged { residual: report.residual })
        }
    }

    fn start(&mut self, n: usize, x: &[f64]) {
        self.ones.clear();
        self.ones.resize(n, 1.0);
        self.frictions.clear();
        for (first, law) in walk(&self.scaled.laws) {
            if let Law::Cone { normal, mu, rows } = *law {
                self.frictions.push(Friction { normal, first, rows, mu });
            }
        }
        self.frictions.sort_unstable_by_key(|f| (f.normal, f.first));
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

    fn iterate(&mut self, operator: &mut dyn Operator, n: usize) -> Result<Report, Failure> {
        let mut report = Report { residual: f64::INFINITY, iterations: 1, factorisations: 0 };
        self.next.copy_from_slice(&self.x);
        self.product(operator);
        self.ax.copy_from_slice(&self.anext);
        self.rest();
        self.best.clear();
        self.best.extend_from_slice(&self.x);
        report.residual = self.residual(n);
        self.renew_shift();
        let mut theta = 1.0;
        let mut stiff = 1.0;
        let (mut since, mut every, mut idle) = (0, 1, 0);
        while report.residual > self.tolerance && report.iterations < self.products {
            let slope = loop {
                self.p.clear();
                for i in 0..n {
                    let g = self.ay[i] + self.scaled.b[i] + self.shift[i];
                    self.p.push(self.y[i] - g / stiff);
                }
                self.project();
                self.product(operator);
                report.iterations += 1;
                let (mut curvature, mut square, mut slope) = (0.0, 0.0, 0.0);
                for i in 0..n {
                    let d = self.next[i] - self.y[i];
                    curvature += d * (self.anext[i] - self.ay[i]);
                    square += d * d;
                    // the gradient the step was made with, from p itself
                    slope += (self.y[i] - self.p[i]) * stiff * (self.next[i] - self.x[i]);
                }
                if !(curvature.is_finite() && square.is_finite()) {
                    return Err(Failure::NotFinite);
                }
                if curvature <= stiff * square * (1.0 + 1e-12) || report.iterations >= self.products {
                    break slope;
                }
                stiff = (2.0 * stiff).max(curvature / square).min(1e6 * n as f64);
                if stiff >= 1e6 * n as f64 {
                    break slope;
                }
            };
            std::mem::swap(&mut self.old, &mut self.x);
            std::mem::swap(&mut self.aold, &mut self.ax);
            std::mem::swap(&mut self.x, &mut self.next);
            std::mem::swap(&mut self.ax, &mut self.anext);
            let residual = self.residual(n);
            if residual < report.residual {
                idle = if residual < 0.9 * report.residual { 0 } else { idle + 1 };
                report.residual = residual;
                self.best.copy_from_slice(&self.x);
            } else {
                idle += 1;
            }
            if idle > 200 {
                // the shift and the pushes chase each other: let the pushes settle in between
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
                let t: f64 = theta;
                let new = 0.5 * (-t * t + t * (t * t + 4.0).sqrt());
                let carry = t * (1.0 - t) / (t * t + new);
                theta = new;
                for i in 0..n {
                    self.y[i] = self.x[i] + carry * (self.x[i] - self.old[i]);
                    self.ay[i] = self.ax[i] + carry * (self.ax[i] - self.aold[i]);
                }
            }
            stiff *= 0.95;
        }
        Ok(report)
    }

    /// `y = x`: no momentum.
    fn rest(&mut self) {
        self.y.copy_from_slice(&self.x);
        self.ay.copy_from_slice(&self.ax);
    }

    /// `anext = A next`, in units and back.
    fn product(&mut self, operator: &mut dyn Operator) {
        for (u, (x, d)) in self.unit.iter_mut().zip(self.next.iter().zip(&self.scaled.d)) {
            *u = x / d;
        }
        operator.apply(&self.unit, &mut self.anext);
        for (v, d) in self.anext.iter_mut().zip(&self.scaled.d) {
            *v /= d;
        }
    }

    fn residual(&mut self, n: usize) -> f64 {
        for i in 0..n {
            self.a[i] = self.ax[i] + self.scaled.b[i];
        }
        let size = largest(&self.x).max(largest(&self.scaled.b)).max(largest(&self.a));
        judge(&self.scaled.laws, &self.ones, &self.x, &self.a, size).worst
    }

    /// De Saxce's shift from the present `a`.
    fn renew_shift(&mut self) {
        self.shift.fill(0.0);
        for f in &self.frictions {
            self.shift[f.normal] += f.mu * length(&self.a[f.first..f.first + f.rows]);
        }
    }

    /// `next` = `p` onto the cones, balls and intervals.
    fn project(&mut self) {
        for (i, law) in walk(&self.scaled.laws) {
            match *law {
                Law::Free => self.next[i] = self.p[i],
                Law::Push => self.next[i] = self.p[i].max(0.0),
                Law::Within { least, most } => self.next[i] = self.p[i].clamp(least, most),
                Law::Cone { .. } => {}
                Law::Ball { radius, rows } => clip(&self.p[i..i + rows], radius, &mut self.next[i..i + rows]),
            }
        }
        for group in self.frictions.chunk_by(|f, g| f.normal == g.normal) {
            let normal = group[0].normal;
            // onto { |x_t| <= mu x_n }: the best x_n is where the pulls of all discs on it balance
            let mut s = self.p[normal].max(0.0);
            for _ in 0..8 {
                let (mut pull, mut rate) = (s - self.p[normal], 1.0);
                for f in group {
                    let outside = length(&self.p[f.first..f.first + f.rows]) - f.mu * s;
                    if outside > 0.0 {
                        pull -= f.mu * outside;
                        rate += f.mu * f.mu;
                    }
                }
                let new = (s - pull / rate).max(0.0);
                if new == s {
                    break;
                }
                s = new;
            }
            self.next[normal] = s;
            for f in group {
                let rows = f.first..f.first + f.rows;
                clip(&self.p[rows.clone()], f.mu * s, &mut self.next[rows]);
            }
        }
    }
}

fn clip(p: &[f64], radius: f64, x: &mut [f64]) {
    let reach = length(p);
    let shrink = if reach > radius { radius / reach } else { 1.0 };
    for (x, p) in x.iter_mut().zip(p) {
        *x = shrink * p;
    }
}

/// A matrix at hand, row after row, as an operator.
#[derive(Clone, Copy, Debug)]
pub struct Matrix<'m> {
    /// `n * n` numbers.
    pub a: &'m [f64],
    /// Number of rows.
    pub n: usize,
}

impl Operator for Matrix<'_> {
    fn len(&self) -> usize {
        self.n
    }

    fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        for (i, out) in out.iter_mut().enumerate().take(self.n) {
            *out = dot(&self.a[i * self.n..(i + 1) * self.n], x);
        }
    }
}
