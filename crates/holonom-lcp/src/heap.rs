//! Many bodies, few per row: Coulomb's law to the last digits where the matrix of responses would be too large to write down.
//!
//! The matrix is `A = G M^-1 G^T` with `M` block diagonal (six numbers of motion per node) and rows of `G` that touch few nodes each. With De Saxce's shift `s` (`mu |a_t|` in
//! the normal row of a contact, as the last step left it) Coulomb's law is that of a convex problem over the cones `K`. As in [`crate::cone`] a proximal step from
//! `x_k`, with motion `v_k = M^-1 G^T x_k` and `a_k = G v_k + b + s`, asks for
//!
//! ```text
//!     x = P(x_k - r (a_k + G w)),     M w = G^T (x - x_k)         P onto K,  r = 1 / (eps A_ii), the same for all rows of a contact
//! ```
//!
//! and `w` minimises the convex
//!
//! ```text
//!     phi(w) = w M w / 2 + sum of  max over x in K of  -(x - x_k) (a_k + G w) - |x - x_k|^2 / 2r
//!     phi'   = M w - G^T (x - x_k)                 phi'' = M + G^T W r G,     W = dP/dp: symmetric, and sparse as the graph of touching nodes is
//! ```
//!
//! by Newton's method with a line search, from anywhere. For a contact, with `e = p_t/|p_t|`,
//!
//! ```text
//!     |p_t| <= mu p_n            x = p                                                    W = 1
//!     mu |p_t| <= -p_n           x = 0                                                    W = 0
//!     otherwise                  x_n = (p_n + mu |p_t|)/(1 + mu^2),  x_t = mu x_n e        W = c c^T/(1 + mu^2) + mu x_n/|p_t| (1 - e e^T),  c = (1, mu e)
//! ```
//!
//! What sticks has no shift: a pile at rest is found without a fixed point to be iterated. Outer steps take the error of the proximal term away (what is left of it
//! after one is `eps / (lambda + eps)`) and bring the shift along where something slips; near the solution the shift follows `w` itself, `phi''` becomes
//! `M + G^T W r (1 + S) G` with `S` the slope of the shift, which is not symmetric, and Newton's method finds the last digits. Further cones on the same normal (rolling, turning) are discs whose radius the last
//! step left. From a good guess (the last time step) nothing or one factorisation is needed.

use crate::blocks6::{Block, Blocks6, backward, cholesky, forward};
use crate::certificate::judge;
use crate::dense::{dot, zeros};
use crate::law::{Failure, Law, Report, check_laws};
use crate::project::length;
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

/// Rows that are projected together.
#[derive(Clone, Copy, Debug)]
enum Item {
    /// One row under a law of its own.
    Single { row: usize, law: Law },
    /// A normal row and the friction on it.
    Contact { normal: usize, first: usize, rows: usize, mu: f64 },
    /// A disc of its own, or one of a further cone on a normal.
    Disc { first: usize, rows: usize, radius: f64, of: Option<(usize, f64)> },
}

/// What the projection did with an item.
#[derive(Clone, Copy, Debug)]
enum Mode {
    /// Nothing follows `p`.
    Held,
    /// Everything does.
    Moving,
    /// On the rim: the direction there, and what turns.
    Rim { e: [f64; 3], turn: f64 },
}

/// The method "heap", with its memory.
#[derive(Clone, Debug)]
pub struct Heap {
    /// What the residual must come down to, scaled as in [`crate::Certificate`]; 1e-10 unless set.
    pub tolerance: f64,
    /// Most factorisations; 80 unless set.
    pub factorisations: usize,
    matrix: Blocks6,
    edges: Vec<(u32, u32)>,
    order: Vec<u32>,
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
    items: Vec<Item>,
    /// Law of the friction that goes with each normal row, where one does.
    friction: Vec<u32>,
    shift: Vec<f64>,
    modes: Vec<Mode>,
    counted: Report,
}

impl Default for Heap {
    fn default() -> Self {
        Heap {
            tolerance: 1e-10,
            factorisations: 80,
            matrix: Blocks6::default(),
            edges: Vec::new(),
            order: Vec::new(),
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
            items: Vec::new(),
            friction: Vec::new(),
            shift: Vec::new(),
            modes: Vec::new(),
            counted: Report::default(),
        }
    }
}

/// Proximal weights: from nothing, from a guess, from a good one, the least.
const EPS_COLD: f64 = 1e-2;
const EPS_LUKEWARM: f64 = 1e-3;
const EPS_WARM: f64 = 1e-5;
const EPS_LEAST: f64 = 1e-7;
/// Newton steps in one proximal step: of the convex problem, and of the true equations.
const NEWTON_STEPS: usize = 25;
const TRUE_STEPS: usize = 12;
/// Outer steps without progress before it is given up.
const IDLE: usize = 12;

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
        let mut eps = match least {
            ..1e-6 => EPS_WARM,
            ..1e-3 => EPS_LUKEWARM,
            _ => EPS_COLD,
        };
        let mut idle = 0;
        let mut laid_out = false;
        // the true equations first where the guess is good; where they are not solved, a convex step brings nearer
        let mut truly = least < 1e-3;
        zeros(&mut self.shift, n);
        while least > self.tolerance && idle < IDLE && self.counted.factorisations < self.factorisations {
            if !laid_out {
                self.find_items(n, laws);
                self.lay_out(masses.len(), rows);
                laid_out = true;
            }
            idle += 1;
            let before = self.counted.factorisations;
            let solved =
                if truly { self.true_step(masses, rows, eps, x) } else { self.convex_step(masses, rows, eps, x) };
            if !solved {
                if truly {
                    truly = false;
                } else {
                    eps = (10.0 * eps).min(1.0);
                }
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
            truly = true;
            // as small as is solved easily
            eps = match self.counted.factorisations - before {
                0..=6 => (0.1 * eps).max(EPS_LEAST),
                7..=12 => (0.3 * eps).max(EPS_LEAST),
                _ => eps,
            };
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

    /// The graph: nodes that rows of one item connect.
    fn lay_out(&mut self, n_nodes: usize, rows: &Rows) {
        self.edges.clear();
        for item in &self.items {
            let (list, n) = rows_of(item);
            for &row in &list[..n] {
                for &other in &list[..n] {
                    for k in rows.parts(row) {
                        for m in rows.parts(other) {
                            if rows.nodes[k] < rows.nodes[m] {
                                self.edges.push((rows.nodes[k], rows.nodes[m]));
                            }
                        }
                    }
                }
            }
        }
        self.edges.sort_unstable();
        self.edges.dedup();
        self.matrix.lay_out(n_nodes, &self.edges);
    }

    /// Which rows are projected together.
    fn find_items(&mut self, n: usize, laws: &[Law]) {
        const NONE: u32 = u32::MAX;
        self.friction.clear();
        self.friction.resize(n, NONE);
        for (at, law) in laws.iter().enumerate() {
            if let Law::Cone { normal, .. } = *law
                && self.friction[normal] == NONE
            {
                self.friction[normal] = at as u32;
            }
        }
        // first rows of laws, in the place of a search
        self.order.clear();
        self.order.extend(walk(laws).map(|(first, _)| first as u32));
        self.items.clear();
        for (at, (first, law)) in walk(laws).enumerate() {
            self.items.push(match *law {
                Law::Push if self.friction[first] != NONE => {
                    let with = self.friction[first] as usize;
                    let (mu, rows) = if let Law::Cone { mu, rows, .. } = laws[with] { (mu, rows) } else { (0.0, 0) };
                    Item::Contact { normal: first, first: self.order[with] as usize, rows, mu }
                }
                Law::Cone { normal, .. } if self.friction[normal] == at as u32 && self.pushes(laws, normal) => continue,
                Law::Cone { normal, mu, rows } => Item::Disc { first, rows, radius: 0.0, of: Some((normal, mu)) },
                Law::Ball { radius, rows } => Item::Disc { first, rows, radius, of: None },
                law => Item::Single { row: first, law },
            });
        }
    }

    /// Is this normal row one that pushes?
    fn pushes(&self, laws: &[Law], normal: usize) -> bool {
        let at = self.order.partition_point(|&first| (first as usize) < normal);
        laws.get(at) == Some(&Law::Push)
    }

    /// Weights, radii and shifts of a proximal step from `x`.
    fn begin(&mut self, eps: f64, x: &[f64]) {
        self.r.clear();
        self.r.resize(x.len(), 0.0);
        for item in &mut self.items {
            if let Item::Disc { radius, of: Some((normal, mu)), .. } = item {
                *radius = *mu * x[*normal].max(0.0);
            }
            let (list, n) = rows_of(item);
            let d = list[..n].iter().map(|&row| self.d[row]).fold(0.0, f64::max);
            list[..n].iter().for_each(|&row| self.r[row] = 1.0 / (eps * d * d));
            if let Item::Contact { normal, first, rows, mu } = *item {
                self.shift[normal] = mu * length(&self.a[first..first + rows]);
            }
        }
        zeros(&mut self.w, self.v.len());
        zeros(&mut self.next, x.len());
    }

    /// One proximal step from `x` with the shift at hand; the outcome is in `next`.
    fn convex_step(&mut self, masses: &[Block], rows: &Rows, eps: f64, x: &[f64]) -> bool {
        self.begin(eps, x);
        let mut phi = self.evaluate(masses, rows, x, false);
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
            self.assemble(masses, rows, false);
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
                self.go(t);
                let new = self.evaluate(masses, rows, x, false);
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

    /// One proximal step from `x` with the shift that belongs to its outcome. The equations are then those of no minimum and their matrix is not symmetric; near a
    /// solution Newton's method does not mind.
    fn true_step(&mut self, masses: &[Block], rows: &Rows, eps: f64, x: &[f64]) -> bool {
        self.begin(eps, x);
        self.evaluate(masses, rows, x, true);
        let size = self.gradient_size(rows, x);
        let mut error = self.gradient_error();
        for _ in 0..TRUE_STEPS {
            if !error.is_finite() {
                return false;
            }
            if error <= 1e-13 * size {
                return true;
            }
            if self.counted.factorisations >= self.factorisations {
                return false;
            }
            self.assemble(masses, rows, true);
            self.counted.factorisations += 1;
            self.counted.iterations += 1;
            if !self.matrix.factor_any() {
                return false;
            }
            self.step.clear();
            self.step.extend(self.gradient.iter().map(|g| -g));
            self.matrix.solve_any(&mut self.step, &mut self.scratch);
            self.trial.clear();
            self.trial.extend_from_slice(&self.w);
            let (start, mut t) = (error, 1.0);
            loop {
                self.go(t);
                self.evaluate(masses, rows, x, true);
                error = self.gradient_error();
                if error <= (1.0 - 1e-4 * t) * start {
                    break;
                }
                t *= 0.5;
                if t < 1e-3 {
                    return start <= 1e-9 * size;
                }
            }
        }
        error <= 1e-9 * size
    }

    /// `w` at the part `t` of a step.
    fn go(&mut self, t: f64) {
        for k in 0..self.w.len() {
            self.w[k] = self.trial[k] + t * self.step[k];
        }
    }

    /// `phi` at `w`; its gradient, `next` and the modes. With `follow` the shift is that of `w` itself.
    fn evaluate(&mut self, masses: &[Block], rows: &Rows, x: &[f64], follow: bool) -> f64 {
        self.p.clear();
        self.z.clear();
        for row in 0..x.len() {
            self.z.push(self.a[row] + rows.product(row, &self.w));
        }
        if follow {
            for item in &self.items {
                if let Item::Contact { normal, first, rows, mu } = *item {
                    self.shift[normal] = mu * length(&self.z[first..first + rows]);
                }
            }
        }
        for row in 0..x.len() {
            self.z[row] += self.shift[row];
            self.p.push(x[row] - self.r[row] * self.z[row]);
        }
        self.modes.clear();
        for item in &self.items {
            self.modes.push(project(item, &self.p, &mut self.next));
        }
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

    /// `phi''`, or the derivative of the true equations.
    fn assemble(&mut self, masses: &[Block], rows: &Rows, follow: bool) {
        self.matrix.clear();
        for (node, mass) in masses.iter().enumerate() {
            let at = self.matrix.on_diagonal(node as u32);
            self.matrix.block(at).copy_from_slice(mass);
        }
        for (item, mode) in self.items.iter().zip(&self.modes) {
            let (list, n) = rows_of(item);
            let r = self.r[list[0]];
            // the shift of the normal row changes by mu d for a change of z_t
            let mut slope = [0.0; 4];
            if let Item::Contact { first, rows, mu, .. } = *item
                && follow
            {
                let z = &self.z[first..first + rows];
                let speed = length(z);
                (0..rows).filter(|_| speed > 0.0).for_each(|k| slope[k + 1] = mu * z[k] / speed);
            }
            let skew = slope.iter().any(|s| *s != 0.0);
            if let Mode::Moving = *mode
                && !skew
            {
                list[..n].iter().for_each(|&row| add_product(&mut self.matrix, rows, row, row, r, follow));
                continue;
            }
            let w = derivative(item, mode, n);
            for i in 0..n {
                for j in 0..n {
                    let s = w[i][j] + w[i][0] * slope[j];
                    if s != 0.0 {
                        add_product(&mut self.matrix, rows, list[i], list[j], r * s, follow);
                    }
                }
            }
        }
    }
}

/// `W` of an item; the first of its rows is the normal one, if there is one.
fn derivative(item: &Item, mode: &Mode, n: usize) -> [[f64; 4]; 4] {
    let mut w = [[0.0; 4]; 4];
    match *mode {
        Mode::Held => {}
        Mode::Moving => (0..n).for_each(|i| w[i][i] = 1.0),
        Mode::Rim { e, turn } => {
            let contact = if let Item::Contact { mu, .. } = *item { Some(mu) } else { None };
            let skip = contact.is_some() as usize;
            for i in 0..n {
                for j in 0..n {
                    if let Some(mu) = contact {
                        let c = |k: usize| if k == 0 { 1.0 } else { mu * e[k - 1] };
                        w[i][j] += c(i) * c(j) / (1.0 + mu * mu);
                    }
                    if i >= skip && j >= skip {
                        w[i][j] += turn * ((i == j) as u8 as f64 - e[i - skip] * e[j - skip]);
                    }
                }
            }
        }
    }
    w
}

/// Rows of an item, and their number.
fn rows_of(item: &Item) -> ([usize; 4], usize) {
    let run = |first: usize, rows: usize| {
        let mut list = [0; 4];
        (0..rows).for_each(|k| list[k] = first + k);
        (list, rows)
    };
    match *item {
        Item::Single { row, .. } => run(row, 1),
        Item::Contact { normal, first, rows, .. } => {
            let (mut list, _) = run(first, rows);
            list.rotate_right(1);
            list[0] = normal;
            (list, rows + 1)
        }
        Item::Disc { first, rows, .. } => run(first, rows),
    }
}

/// `x = P(p)` for one item.
fn project(item: &Item, p: &[f64], x: &mut [f64]) -> Mode {
    match *item {
        Item::Single { row, law } => {
            let (least, most) = match law {
                Law::Push => (0.0, f64::INFINITY),
                Law::Within { least, most } => (least, most),
                _ => (f64::NEG_INFINITY, f64::INFINITY),
            };
            x[row] = p[row].clamp(least, most);
            if p[row] > least && p[row] < most { Mode::Moving } else { Mode::Held }
        }
        Item::Contact { normal, first, rows, mu } => {
            let (pt, reach) = (&p[first..first + rows], length(&p[first..first + rows]));
            if reach <= mu * p[normal] && p[normal] > 0.0 {
                x[normal] = p[normal];
                x[first..first + rows].copy_from_slice(pt);
                return Mode::Moving;
            }
            if mu * reach <= -p[normal] {
                x[normal] = 0.0;
                x[first..first + rows].fill(0.0);
                return Mode::Held;
            }
            x[normal] = (p[normal] + mu * reach) / (1.0 + mu * mu);
            let mut e = [0.0; 3];
            let turn = if reach > 0.0 { mu * x[normal] / reach } else { 0.0 };
            for k in 0..rows {
                e[k] = if reach > 0.0 { pt[k] / reach } else { 0.0 };
                x[first + k] = mu * x[normal] * e[k];
            }
            Mode::Rim { e, turn }
        }
        Item::Disc { first, rows, radius, .. } => {
            let (pt, reach) = (&p[first..first + rows], length(&p[first..first + rows]));
            if reach < radius {
                x[first..first + rows].copy_from_slice(pt);
                return Mode::Moving;
            }
            if !(reach > 0.0) {
                x[first..first + rows].fill(0.0);
                return Mode::Held;
            }
            let mut e = [0.0; 3];
            for k in 0..rows {
                e[k] = pt[k] / reach;
                x[first + k] = radius * e[k];
            }
            Mode::Rim { e, turn: radius / reach }
        }
    }
}

/// `m += s G_i^T G_j`: all of it, or the lower triangle in the order of elimination.
fn add_product(m: &mut Blocks6, rows: &Rows, i: usize, j: usize, s: f64, whole: bool) {
    for k in rows.parts(i) {
        for l in rows.parts(j) {
            let (at, turned) = m.find(rows.nodes[k], rows.nodes[l]);
            if turned && !whole {
                continue;
            }
            let (x, y) = (&rows.values[k], &rows.values[l]);
            let block = if turned { m.mirror(at) } else { m.block(at) };
            for r in 0..6 {
                let t = s * x[r];
                for c in 0..6 {
                    block[6 * r + c] += t * y[c];
                }
            }
        }
    }
}
