//! Many bodies, few per row: Coulomb's law to the last digits where the matrix of responses would be too large to write down.
//!
//! The matrix is `A = G M^-1 G^T` with `M` block diagonal (six numbers of motion per node) and rows of `G` that touch few nodes each. As in [`crate::cone`] a proximal step
//! from `x_k`, with motion `v_k = M^-1 G^T x_k` and `a_k = G v_k + b`, asks for
//!
//! ```text
//!     x = P(x_k - r (a_k + G w)),     M w = G^T (x - x_k)         r_i = 1 / (eps A_ii)
//! ```
//!
//! Discs of friction have the radius `mu x_n` that the last step left. `P` is then the projection onto a convex set, and `w` minimises
//!
//! ```text
//!     phi(w) = w M w / 2 + sum of  max over x in K of  -(x - x_k) (a_k + G w) - |x - x_k|^2 / 2r
//!     phi'   = M w - G^T (x - x_k)                 phi'' = M + G^T W r G,     W = dP/dp: sparse as the graph of touching nodes is
//! ```
//!
//! which Newton's method does with a line search, from anywhere. Outer steps bring the radii along and take the error of the proximal term away: what is left of an
//! error after one is `eps / (lambda + eps)` of it, and `mu` times something smaller than one of that of the radii. From a good guess (the last time step) nothing or
//! one factorisation is needed.

use crate::blocks6::{Block, Blocks6, backward, cholesky, forward};
use crate::certificate::judge;
use crate::dense::{dot, largest, zeros};
use crate::law::{Failure, Law, Report, check_laws};
use crate::project::{Mode, project_with_modes};
use crate::scale::{units, walk};

/// Rows of `G`: each a list of parts, a part six numbers on one node.
#[derive(Clone, Debug, Default)]
pub struct Rows {
    /// Parts of row `i`: `start[i]..start[i + 1]`; begins with a 0.
    pub start: Vec<u32>,
    /// Node of each part.
    pub nodes: Vec<u32>,
    /// Numbers of each part.
    pub values: Vec<[f64; 6]>,
}

impl Rows {
    /// No rows.
    pub fn clear(&mut self) {
        self.start.clear();
        self.start.push(0);
        self.nodes.clear();
        self.values.clear();
    }

    /// Number of rows.
    pub fn len(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Whether there are no rows.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A part of the row under construction.
    pub fn part(&mut self, node: u32, values: [f64; 6]) {
        self.nodes.push(node);
        self.values.push(values);
    }

    /// End the row under construction.
    pub fn end(&mut self) {
        self.start.push(self.nodes.len() as u32);
    }

    fn parts(&self, row: usize) -> std::ops::Range<usize> {
        self.start[row] as usize..self.start[row + 1] as usize
    }

    fn product(&self, row: usize, v: &[f64]) -> f64 {
        let part = |k: usize| {
            let (g, at) = (&self.values[k], 6 * self.nodes[k] as usize);
            (0..6).map(|i| g[i] * v[at + i]).sum::<f64>()
        };
        self.parts(row).map(part).sum()
    }

    fn push(&self, row: usize, s: f64, out: &mut [f64]) {
        for k in self.parts(row) {
            let at = 6 * self.nodes[k] as usize;
            for i in 0..6 {
                out[at + i] += s * self.values[k][i];
            }
        }
    }
}

/// The method "heap", with its memory.
#[derive(Clone, Debug)]
pub struct Heap {
    /// What the residual must come down to, scaled as in [`crate::Certificate`]; 1e-10 unless set.
    pub tolerance: f64,
    /// Most factorisations; 200 unless set.
    pub factorisations: usize,
    matrix: Blocks6,
    edges: Vec<(u32, u32)>,
    inverse: Vec<Block>,
    d: Vec<f64>,
    own: Vec<f64>,
    r: Vec<f64>,
    a: Vec<f64>,
    v: Vec<f64>,
    w: Vec<f64>,
    trial: Vec<f64>,
    step: Vec<f64>,
    gradient: Vec<f64>,
    scratch: Vec<f64>,
    p: Vec<f64>,
    /// a + G w.
    z: Vec<f64>,
    next: Vec<f64>,
    best: Vec<f64>,
    inner: Vec<Law>,
    modes: Vec<Mode>,
    counted: Report,
}

impl Default for Heap {
    fn default() -> Self {
        Heap {
            tolerance: 1e-10,
            factorisations: 200,
            matrix: Blocks6::default(),
            edges: Vec::new(),
            inverse: Vec::new(),
            d: Vec::new(),
            own: Vec::new(),
            r: Vec::new(),
            a: Vec::new(),
            v: Vec::new(),
            w: Vec::new(),
            trial: Vec::new(),
            step: Vec::new(),
            gradient: Vec::new(),
            scratch: Vec::new(),
            p: Vec::new(),
            z: Vec::new(),
            next: Vec::new(),
            best: Vec::new(),
            inner: Vec::new(),
            modes: Vec::new(),
            counted: Report::default(),
        }
    }
}

/// Proximal weights: from nothing, from a guess, the least.
const EPS_COLD: f64 = 1e-2;
const EPS_WARM: f64 = 1e-5;
const EPS_LEAST: f64 = 1e-7;
/// Newton steps in one proximal step.
const NEWTON_STEPS: usize = 25;
/// Outer steps without progress before it is given up.
const IDLE: usize = 25;

impl Heap {
    /// Solve from the guess in `x` (zeros where there is none). `masses`: a symmetric positive definite block per node; where a node has fewer than six numbers,
    /// the rest is the identity.
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
        if !rows.values.iter().flatten().chain(x.iter()).all(|v| v.is_finite()) {
            return Err(Failure::NotFinite);
        }
        self.prepare(masses, rows, laws)?;
        let mut least = self.refresh(rows, b, laws, x);
        self.best.clear();
        self.best.extend_from_slice(x);
        let mut eps = if largest(x) > 0.0 { EPS_WARM } else { EPS_COLD };
        let mut idle = 0;
        let mut laid_out = false;
        while least > self.tolerance && idle < IDLE && self.counted.factorisations < self.factorisations {
            if !laid_out {
                self.lay_out(masses.len(), rows, laws);
                laid_out = true;
            }
            idle += 1;
            if !self.proximal(masses, rows, laws, eps, x) {
                eps = (10.0 * eps).min(1.0);
                x.copy_from_slice(&self.best);
                self.refresh(rows, b, laws, x);
                continue;
            }
            x.copy_from_slice(&self.next);
            let residual = self.refresh(rows, b, laws, x);
            if residual < 0.7 * least {
                idle = 0;
            }
            if residual < least {
                least = residual;
                self.best.copy_from_slice(x);
            }
            eps = (0.1 * eps).max(EPS_LEAST);
        }
        x.copy_from_slice(&self.best);
        self.counted.residual = least;
        if least <= self.tolerance { Ok(self.counted) } else { Err(Failure::NotConverged { residual: least }) }
    }

    /// Inverse masses and the diagonal of `A`.
    fn prepare(&mut self, masses: &[Block], rows: &Rows, laws: &[Law]) -> Result<(), Failure> {
        self.inverse.clear();
        for mass in masses {
            let mut l = *mass;
            if !cholesky(&mut l) {
                return Err(Failure::Malformed { row: 0, what: "masses must be positive definite" });
            }
            self.inverse.push(l);
        }
        self.own.clear();
        for row in 0..rows.len() {
            let mut sum = 0.0;
            for k in rows.parts(row) {
                let mut g = rows.values[k];
                forward(&self.inverse[rows.nodes[k] as usize], &mut g);
                sum += dot(&g, &g);
            }
            self.own.push(sum);
        }
        units(|i| self.own[i], rows.len(), laws, &mut self.d);
        Ok(())
    }

    /// Motion and `a` of `x`, from scratch; the residual.
    fn refresh(&mut self, rows: &Rows, b: &[f64], laws: &[Law], x: &[f64]) -> f64 {
        zeros(&mut self.v, 6 * self.inverse.len());
        for (row, &x) in x.iter().enumerate().filter(|(_, x)| **x != 0.0) {
            rows.push(row, x, &mut self.v);
        }
        for (l, v) in self.inverse.iter().zip(self.v.chunks_exact_mut(6)) {
            forward(l, v);
            backward(l, v);
        }
        self.a.clear();
        let mut size = 0.0f64;
        for row in 0..b.len() {
            self.a.push(rows.product(row, &self.v) + b[row]);
            size = size.max((x[row] * self.d[row]).abs()).max(b[row].abs() / self.d[row]);
        }
        judge(laws, &self.d, x, &self.a, size).worst
    }

    /// The graph: nodes that rows of one law connect.
    fn lay_out(&mut self, n_nodes: usize, rows: &Rows, laws: &[Law]) {
        self.edges.clear();
        for (first, law) in walk(laws) {
            let parts = rows.start[first] as usize..rows.start[first + law.rows()] as usize;
            for k in parts.clone() {
                for m in parts.start..k {
                    let (a, b) = (rows.nodes[k].min(rows.nodes[m]), rows.nodes[k].max(rows.nodes[m]));
                    if a != b {
                        self.edges.push((a, b));
                    }
                }
            }
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        self.matrix.lay_out(n_nodes, &self.edges);
    }

    /// One proximal step from `x`; the outcome is in `next`.
    fn proximal(&mut self, masses: &[Block], rows: &Rows, laws: &[Law], eps: f64, x: &[f64]) -> bool {
        self.inner.clear();
        self.inner.extend(laws.iter().map(|law| match *law {
            Law::Cone { normal, mu, rows } => Law::Ball { radius: mu * x[normal].max(0.0), rows },
            law => law,
        }));
        self.r.clear();
        self.r.extend(self.d.iter().map(|d| 1.0 / (eps * d * d)));
        zeros(&mut self.w, self.v.len());
        zeros(&mut self.next, x.len());
        let mut phi = self.evaluate(masses, rows, x);
        let size = self.gradient_size(rows, x);
        for _ in 0..NEWTON_STEPS {
            let error = self.gradient_error();
            if !phi.is_finite() {
                return false;
            }
            if error <= 1e-13 * size {
                return true;
            }
            if self.counted.factorisations >= self.factorisations {
                return false;
            }
            self.assemble(masses, rows);
            self.counted.factorisations += 1;
            self.counted.iterations += 1;
            if !self.matrix.factor() {
                return false;
            }
            self.step.clear();
            self.step.extend(self.gradient.iter().map(|g| -g));
            self.matrix.solve(&mut self.step, &mut self.scratch);
            let slope = dot(&self.step, &self.gradient);
            self.trial.clear();
            self.trial.extend_from_slice(&self.w);
            let mut t = 1.0;
            loop {
                for k in 0..self.w.len() {
                    self.w[k] = self.trial[k] + t * self.step[k];
                }
                let new = self.evaluate(masses, rows, x);
                // near the end phi is known to rounding only: a gradient that shrinks will do
                if new <= phi + 1e-4 * t * slope || self.gradient_error() <= 0.5 * error {
                    phi = new;
                    break;
                }
                t *= 0.5;
                if t < 1e-6 {
                    return error <= 1e-9 * size;
                }
            }
        }
        self.gradient_error() <= 1e-9 * size
    }

    /// `phi` at `w`; its gradient, `next` and the modes.
    fn evaluate(&mut self, masses: &[Block], rows: &Rows, x: &[f64]) -> f64 {
        self.p.clear();
        self.z.clear();
        for row in 0..x.len() {
            let z = self.a[row] + rows.product(row, &self.w);
            self.z.push(z);
            self.p.push(x[row] - self.r[row] * z);
        }
        project_with_modes(&self.inner, &self.p, &mut self.next, &mut self.modes);
        let mut phi = 0.0;
        self.gradient.clear();
        self.gradient.resize(self.w.len(), 0.0);
        for (node, mass) in masses.iter().enumerate() {
            let (w, out) = (&self.w[6 * node..6 * node + 6], &mut self.gradient[6 * node..6 * node + 6]);
            for i in 0..6 {
                out[i] = dot(&mass[6 * i..6 * i + 6], w);
                phi += 0.5 * w[i] * out[i];
            }
        }
        for row in 0..x.len() {
            let change = self.next[row] - x[row];
            phi -= change * self.z[row] + 0.5 * change * change / self.r[row];
            if change != 0.0 {
                rows.push(row, -change, &mut self.gradient);
            }
        }
        phi
    }

    /// Length of the gradient in the metric of the masses.
    fn gradient_error(&mut self) -> f64 {
        let mut sum = 0.0;
        for (l, g) in self.inverse.iter().zip(self.gradient.chunks_exact(6)) {
            let mut y = [0.0; 6];
            y.copy_from_slice(g);
            forward(l, &mut y);
            sum += dot(&y, &y);
        }
        sum.sqrt()
    }

    /// What gradients are compared with: the pushes at hand, and those that would stop everything.
    fn gradient_size(&mut self, rows: &Rows, x: &[f64]) -> f64 {
        let pushes = |row: usize| (x[row] * self.d[row]).abs().max((self.a[row] / self.d[row]).abs());
        let most = (0..rows.len()).map(pushes).fold(0.0, f64::max);
        most * (self.inverse.len() as f64).sqrt()
    }

    /// `phi''`.
    fn assemble(&mut self, masses: &[Block], rows: &Rows) {
        self.matrix.clear();
        for (node, mass) in masses.iter().enumerate() {
            let at = self.matrix.on_diagonal(node as u32);
            self.matrix.block(at).copy_from_slice(mass);
        }
        let mut first = 0;
        for at in 0..self.inner.len() {
            let n = self.inner[at].rows();
            match self.modes[at] {
                Mode::Held => {}
                Mode::Moving => {
                    for row in first..first + n {
                        let r = self.r[row];
                        add_product(&mut self.matrix, rows, row, row, r);
                    }
                }
                Mode::Sliding { e, turn } => {
                    let r = self.r[first] * turn;
                    for i in 0..n {
                        for j in 0..n {
                            let w = (if i == j { 1.0 } else { 0.0 }) - e[i] * e[j];
                            add_product(&mut self.matrix, rows, first + i, first + j, r * w);
                        }
                    }
                }
            }
            first += n;
        }
    }
}

/// `m += s G_i^T G_j`, lower triangle in the order of elimination. Called for (i, j) and (j, i) alike.
fn add_product(m: &mut Blocks6, rows: &Rows, i: usize, j: usize, s: f64) {
    for k in rows.parts(i) {
        for l in rows.parts(j) {
            let (a, b) = (rows.nodes[k], rows.nodes[l]);
            let (at, turned) = m.find(a, b);
            if turned {
                // the other way round it stands in the lower triangle
                continue;
            }
            let (x, y) = (&rows.values[k], &rows.values[l]);
            let block = m.block(at);
            for r in 0..6 {
                let t = s * x[r];
                for c in 0..6 {
                    block[6 * r + c] += t * y[c];
                }
            }
        }
    }
}
