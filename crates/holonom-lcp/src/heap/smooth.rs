//! A smooth path to the solution: Newton's method on laws with rounded corners, as the rounding goes to zero.
//!
//! ```text
//!     F(x) = x - P_tau(x - a) = 0,      a = A x + b
//!
//!     half line     S(p) = (p + sqrt(p^2 + 4 tau^2)) / 2            so that x a = tau^2: the central path of interior-point methods
//!     interval      least + S(p - least) - S(p - most)
//!     disc          p_t R / m,   m = (q + R + sqrt((q - R)^2 + 4 tau^2)) / 2,   q = |p_t|,   R = mu S(p_n)
//! ```
//!
//! With `D = dP/dp` (the disc: `C = alpha (1 - beta e e^T)` in `p_t` and `gamma e` in `p_n`) a step is `(1 - D) dx = -D da - F`. What touches has `1 - D` near zero; it is kept from
//! vanishing by `delta`, the weight of a proximal term about `x` itself, which does not change where the path leads. Law by law this gives `dx = -K da - h`, and with
//! `dw = G^T dx` one sparse equation:
//!
//! ```text
//!     (1 + G^T K G) dw = -G^T h,        da = G dw
//! ```
//!
//! Nobody has to be told who touches and who slides: corners are turned smoothly. That is what the other methods lack where much slides.

use super::Heap;
use super::rows::norm;
use crate::dense::zeros;
use crate::law::Law;
use crate::project::length;

/// How `P_tau` changes with `p`, law by law; singles have `alpha` only.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Slope {
    alpha: f64,
    beta: f64,
    gamma: f64,
    e: [f64; 3],
}

/// The proximal weight.
const DELTA: f64 = 1e-8;
/// Rounding at the end: below this there are no corners left to be seen.
const TAU_LEAST: f64 = 1e-12;
/// Shortest part of a step.
const SHORTEST: f64 = 3e-2;
/// Steps to the first point of the path, and from one to the next.
const FIRST_STEPS: usize = 20;
const PATH_STEPS: usize = 8;
/// Where the rounding can only be reduced by less than this, the path turns back.
const TURNING: f64 = 0.94;
/// Then it is left, for what may be there with this part of the rounding; so many times.
const JUMP: f64 = 0.1;
const JUMPS: usize = 3;

impl Heap {
    /// Follows the path from `y`, beginning at the rounding `tau`, and tries Coulomb's law itself on the way. Whether it was solved.
    pub(super) fn smooth(&mut self, mut tau: f64, target: f64, least: &mut f64) -> bool {
        let mut tried = f64::INFINITY;
        // the last point on the path, and how far the next is tried
        let (mut known, mut shrink): (Option<f64>, f64) = (None, 0.2);
        let mut jumps = 0;
        while !self.is_spent() {
            let before = self.counted.factorisations;
            let jumping = known.is_none() || shrink == JUMP;
            let found = self.onto_path(tau, if jumping { FIRST_STEPS } else { PATH_STEPS }, jumping);
            if found {
                let residual = self.refresh();
                self.keep(residual, least);
                if *least <= target {
                    return true;
                }
                self.spare.clear();
                self.spare.extend_from_slice(&self.y);
                if residual < 0.03 * tried && residual < 1e-3 {
                    tried = residual;
                    if self.quick(super::EPS_QUICK, target, least) {
                        return true;
                    }
                    self.y.copy_from_slice(&self.spare);
                    self.refresh();
                }
                if tau <= TAU_LEAST {
                    break;
                }
                if known.is_some() {
                    shrink = match self.counted.factorisations - before {
                        _ if jumping => 0.5,
                        0..=2 => shrink * shrink,
                        3..=4 => shrink,
                        _ => shrink.sqrt(),
                    };
                }
                known = Some(tau);
            } else {
                let Some(tau) = known else { break };
                if jumping {
                    break;
                }
                shrink = shrink.sqrt();
                if shrink > TURNING {
                    jumps += 1;
                    if jumps > JUMPS || !(tau > TAU_LEAST) {
                        break;
                    }
                    shrink = JUMP;
                }
                self.y.copy_from_slice(&self.spare);
                self.refresh();
            }
            shrink = shrink.max(0.01);
            tau = (shrink * known.unwrap_or(tau)).max(TAU_LEAST);
        }
        self.back_to_best();
        false
    }

    /// Newton's method from `y` to the point of the path at `tau`.
    fn onto_path(&mut self, tau: f64, steps: usize, jumping: bool) -> bool {
        let mut error = self.rounded(tau, 0.0);
        for _ in 0..=steps {
            if self.largest_error() <= 0.3 * tau {
                return true;
            }
            if !error.is_finite() || self.is_spent() || !self.direction() {
                return false;
            }
            let start = error;
            let mut t = 1.0;
            loop {
                error = self.rounded(tau, t);
                if error <= (1.0 - 1e-3 * t) * start {
                    break;
                }
                t *= 0.5;
                if t < if jumping { 0.1 * SHORTEST } else { SHORTEST } {
                    return false;
                }
            }
            for i in 0..self.y.len() {
                self.y[i] += t * self.step_x[i];
            }
            self.refresh();
            error = self.rounded(tau, 0.0);
        }
        false
    }

    /// Largest entry of `F`.
    fn largest_error(&self) -> f64 {
        self.next.iter().fold(0.0, |m: f64, f| m.max(f.abs()))
    }

    /// `F` at `y + t step_x` into `next`, with the slopes; its length.
    fn rounded(&mut self, tau: f64, t: f64) -> f64 {
        let n = self.y.len();
        self.p.clear();
        if t == 0.0 {
            self.p.extend(self.y.iter().zip(&self.a).map(|(y, a)| y - a));
            self.next.clear();
            self.next.extend_from_slice(&self.y);
        } else {
            self.p.extend((0..n).map(|i| self.y[i] + t * self.step_x[i] - self.a[i] - t * self.step_a[i]));
            self.next.clear();
            self.next.extend((0..n).map(|i| self.y[i] + t * self.step_x[i]));
        }
        self.slopes.clear();
        let (p, f) = (&self.p, &mut self.next);
        // P of normal rows, for radii
        zeros(&mut self.pushed, n);
        zeros(&mut self.pushed_slope, n);
        let mut first = 0;
        for law in &self.scaled.laws {
            let rows = law.rows();
            let mut single = |x: f64, slope: f64, normal: (f64, f64)| {
                f[first] -= x;
                (self.pushed[first], self.pushed_slope[first]) = normal;
                self.slopes.push(Slope { alpha: slope, ..Slope::default() });
            };
            match *law {
                Law::Free => single(p[first], 1.0, corner(p[first], tau)),
                Law::Push => {
                    let (x, slope) = corner(p[first], tau);
                    single(x, slope, (x, slope));
                }
                Law::Within { least, most } => {
                    let (mut x, mut slope) = (p[first], 1.0);
                    if least.is_finite() {
                        let (s, d) = corner(p[first] - least, tau);
                        (x, slope) = (least + s, d);
                    }
                    if most.is_finite() {
                        let (s, d) = corner(p[first] - most, tau);
                        (x, slope) = (x - s, (slope - d).max(0.0));
                    }
                    single(x, slope, (0.0, 0.0));
                }
                Law::Cone { .. } | Law::Ball { .. } => {
                    let (radius, grip) = match *law {
                        Law::Cone { normal, mu, .. } => (mu * self.pushed[normal], mu * self.pushed_slope[normal]),
                        Law::Ball { radius, .. } => (radius, 0.0),
                        _ => (0.0, 0.0),
                    };
                    let pt = &p[first..first + rows];
                    let q = length(pt);
                    if radius.is_infinite() {
                        (0..rows).for_each(|k| f[first + k] -= pt[k]);
                        self.slopes.push(Slope { alpha: 1.0, ..Slope::default() });
                    } else {
                        let h = ((q - radius) * (q - radius) + 4.0 * tau * tau).sqrt();
                        let m = 0.5 * (q + radius + h);
                        let out = 0.5 * (1.0 + (q - radius) / h);
                        let alpha = radius / m;
                        let mut e = [0.0; 3];
                        for k in 0..rows {
                            e[k] = if q > 0.0 { pt[k] / q } else { 0.0 };
                            f[first + k] -= alpha * pt[k];
                        }
                        let gamma = grip * q / m * (1.0 - alpha * (1.0 - out));
                        self.slopes.push(Slope { alpha, beta: q * out / m, gamma, e });
                    }
                }
            }
            first += rows;
        }
        norm(&self.next)
    }

    /// The step from `F` in `next` and the slopes: `step_x` and `step_a`.
    fn direction(&mut self) -> bool {
        let n = self.y.len();
        self.matrix.clear_to_one(true);
        // h first, in step_x; K in place
        zeros(&mut self.step_x, n);
        let keep = 1.0 - DELTA;
        let mut first = 0;
        for at in 0..self.scaled.laws.len() {
            let law = self.scaled.laws[at];
            let s = self.slopes[at];
            let rows = law.rows();
            let b0 = 1.0 - keep * s.alpha;
            if rows == 1 && !law.is_curved() {
                self.step_x[first] = self.next[first] / b0;
                self.add(first, first, s.alpha / b0, true);
                // what the discs on this normal need: dp_n = -grip da_n - ease
                self.pushed[first] = 1.0 + keep * s.alpha / b0;
                self.pushed_slope[first] = keep * self.next[first] / b0;
            } else {
                let b1 = b0 + keep * s.alpha * s.beta;
                let along: f64 = (0..rows).map(|k| s.e[k] * self.next[first + k]).sum();
                let (mut pull, mut normal) = (0.0, None);
                if let Law::Cone { normal: i, .. } = law {
                    normal = Some((i, s.gamma * self.pushed[i] / b1));
                    pull = s.gamma * self.pushed_slope[i] / b1;
                }
                let (turn, stretch) = (s.alpha / b0, s.alpha * (1.0 - s.beta) / b1);
                for k in 0..rows {
                    let f = self.next[first + k];
                    self.step_x[first + k] = (f - along * s.e[k]) / b0 + s.e[k] * (along / b1 + pull);
                    let mut weights = [(0, 0.0); 4];
                    for l in 0..rows {
                        let ee = s.e[k] * s.e[l];
                        weights[l] = (first + l, turn * (f64::from(u8::from(k == l)) - ee) + stretch * ee);
                    }
                    let mut used = rows;
                    if let Some((i, grip)) = normal {
                        weights[used] = (i, grip * s.e[k]);
                        used += 1;
                    }
                    self.add_sum(first + k, &weights[..used], true);
                }
            }
            first += rows;
        }
        self.counted.iterations += 1;
        self.counted.factorisations += 1;
        if !self.matrix.factor_any() {
            return false;
        }
        zeros(&mut self.step, self.v.len());
        for i in 0..n {
            self.rows.push(i, -self.step_x[i], &mut self.step);
        }
        self.matrix.solve_any(&mut self.step, &mut self.scratch);
        // dx = -K da - h
        self.step_a.clear();
        self.step_a.extend((0..n).map(|i| self.rows.product(i, &self.step)));
        let mut first = 0;
        for (law, s) in self.scaled.laws.iter().zip(&self.slopes) {
            let rows = law.rows();
            let b0 = 1.0 - keep * s.alpha;
            if rows == 1 && !law.is_curved() {
                self.step_x[first] = -self.step_x[first] - s.alpha / b0 * self.step_a[first];
            } else {
                let b1 = b0 + keep * s.alpha * s.beta;
                let along: f64 = (0..rows).map(|k| s.e[k] * self.step_a[first + k]).sum();
                let mut pull = s.alpha * (1.0 - s.beta) / b1 * along;
                if let Law::Cone { normal, .. } = *law {
                    pull += s.gamma * self.pushed[normal] / b1 * self.step_a[normal];
                }
                for k in 0..rows {
                    let across = self.step_a[first + k] - along * s.e[k];
                    self.step_x[first + k] = -self.step_x[first + k] - s.alpha / b0 * across - pull * s.e[k];
                }
            }
            first += rows;
        }
        // what the pushes really do
        zeros(&mut self.step, self.v.len());
        for i in 0..n {
            self.rows.push(i, self.step_x[i], &mut self.step);
        }
        for i in 0..n {
            self.step_a[i] = self.rows.product(i, &self.step);
        }
        self.step_x.iter().all(|x| x.is_finite())
    }
}

/// `S(p)` and its slope.
fn corner(p: f64, tau: f64) -> (f64, f64) {
    let h = (p * p + 4.0 * tau * tau).sqrt();
    // without cancellation where p is far below zero
    let s = if p >= 0.0 { 0.5 * (p + h) } else { 2.0 * tau * tau / (h - p) };
    (s, s / h)
}
