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
//! With `D = dP/dp` (the disc: `C = alpha (1 - beta e e^T)` in `p_t` and `gamma e` in `p_n`) a step is
//! `(1 - D) dx = -D da - F`. Rows in contact have `1 - D` near zero; it is kept from vanishing by `delta`, the weight
//! of a proximal term about `x` itself, which does not change where the path leads. Law by law this gives
//! `dx = -K da - h`, with `b0 = 1 - (1 - delta) alpha`:
//!
//! ```text
//!     one row     K = alpha / b0,   h = F / b0
//!     disc        K = alpha / b0 (1 - e e^T) + alpha (1 - beta) / b1 e e^T  in da_t,     b1 = b0 + (1 - delta) alpha beta
//!                 gamma / b1 e dp_n  in its normal, where  dp_n = dx_n - da_n = -grip da_n - ease
//! ```
//!
//! and with `dw = G^T dx` one equation:
//!
//! ```text
//!     (1 + G^T K G) dw = -G^T h,        da = G dw
//! ```
//!
//! Which rows touch and which slide need not be known: corners are turned smoothly. That is what the other methods lack
//! where much slides.

use super::{ConeOperator, EPS_QUICK, ProximalNewton};
use crate::dense::{largest, norm, zeros};
use crate::law::ComplementarityLaw as Law;
use crate::project::length;

/// The proximal weight `delta`, and what it leaves.
const DELTA: f64 = 1e-8;
const KEEP: f64 = 1.0 - DELTA;
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

/// How `P_tau` changes with `p`, law by law; laws of one row have `alpha` only.
#[derive(Clone, Copy, Debug, Default)]
struct RoundedSlope {
    alpha: f64,
    beta: f64,
    gamma: f64,
    e: [f64; 3],
}

impl RoundedSlope {
    fn along(alpha: f64) -> Self {
        RoundedSlope { alpha, ..RoundedSlope::default() }
    }

    /// `b0` and `b1`.
    fn denominators(&self) -> (f64, f64) {
        let b0 = 1.0 - KEEP * self.alpha;
        (b0, b0 + KEEP * self.alpha * self.beta)
    }
}

/// Memory of the path.
#[derive(Clone, Debug, Default)]
pub(super) struct PathMemory {
    slopes: Vec<RoundedSlope>,
    /// Of normal rows: `S(p_n)` and its slope; then `grip` and `ease` of a step.
    normal: Vec<f64>,
    normal_slope: Vec<f64>,
    step_x: Vec<f64>,
    step_a: Vec<f64>,
}

impl<O: ConeOperator> ProximalNewton<O> {
    /// Follows the path from `y`, beginning at the rounding `tau`, and tries Coulomb's law itself on the way. Whether
    /// it was solved.
    pub fn smoothed_path(&mut self, mut tau: f64) -> bool {
        let mut tried = f64::INFINITY;
        // the last point on the path, and how far the next is tried
        let (mut known, mut shrink): (Option<f64>, f64) = (None, 0.2);
        let mut jumps = 0;
        while !self.is_spent() {
            let before = self.report.factorisations;
            let jumping = known.is_none() || shrink == JUMP;
            if self.onto_path(tau, if jumping { FIRST_STEPS } else { PATH_STEPS }, jumping) {
                if self.try_from_path(&mut tried) {
                    return true;
                }
                if tau <= TAU_LEAST {
                    break;
                }
                if known.is_some() {
                    shrink = match self.report.factorisations - before {
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
                self.back_to_saved();
            }
            shrink = shrink.max(0.01);
            tau = (shrink * known.unwrap_or(tau)).max(TAU_LEAST);
        }
        self.back_to_best();
        false
    }

    /// Saves a point of the path, and tries Coulomb's law from it where it is much closer than when that was `tried`
    /// last. Whether it was solved.
    fn try_from_path(&mut self, tried: &mut f64) -> bool {
        let residual = self.refresh_and_keep();
        if self.is_solved() {
            return true;
        }
        self.save();
        if residual < 0.03 * *tried && residual < 1e-3 {
            *tried = residual;
            if self.proximal_steps(EPS_QUICK) {
                return true;
            }
            self.back_to_saved();
        }
        false
    }

    /// Newton's method from `y` to the point of the path at `tau`.
    fn onto_path(&mut self, tau: f64, steps: usize, jumping: bool) -> bool {
        let mut error = self.rounded(tau, 0.0);
        for _ in 0..=steps {
            if largest(&self.next) <= 0.3 * tau {
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
                self.y[i] += t * self.path.step_x[i];
            }
            self.refresh();
            error = self.rounded(tau, 0.0);
        }
        false
    }

    /// `F` at `y + t step_x` into `next`, with the slopes; its length.
    fn rounded(&mut self, tau: f64, t: f64) -> f64 {
        let n = self.y.len();
        let (y, a, path) = (&self.y, &self.a, &mut self.path);
        self.p.clear();
        self.next.clear();
        if t == 0.0 {
            self.p.extend(y.iter().zip(a).map(|(y, a)| y - a));
            self.next.extend_from_slice(y);
        } else {
            self.p.extend((0..n).map(|i| y[i] + t * path.step_x[i] - a[i] - t * path.step_a[i]));
            self.next.extend((0..n).map(|i| y[i] + t * path.step_x[i]));
        }
        path.slopes.clear();
        zeros(&mut path.normal, n);
        zeros(&mut path.normal_slope, n);
        for (first, law) in Law::with_first_rows(&self.scaled.laws) {
            let rows = first..first + law.rows();
            let (p, f) = (&self.p[rows.clone()], &mut self.next[rows]);
            let (x, slope, normal) = match *law {
                Law::Free => (p[0], 1.0, corner(p[0], tau)),
                Law::Push => {
                    let (x, slope) = corner(p[0], tau);
                    (x, slope, (x, slope))
                }
                Law::Within { least, most } => {
                    let (x, slope) = rounded_interval(p[0], least, most, tau);
                    (x, slope, (0.0, 0.0))
                }
                Law::Cone { normal, mu, .. } => {
                    let (radius, grip) = (mu * path.normal[normal], mu * path.normal_slope[normal]);
                    path.slopes.push(rounded_disc(p, radius, grip, tau, f));
                    continue;
                }
                Law::Ball { radius, .. } => {
                    path.slopes.push(rounded_disc(p, radius, 0.0, tau, f));
                    continue;
                }
            };
            f[0] -= x;
            (path.normal[first], path.normal_slope[first]) = normal;
            path.slopes.push(RoundedSlope::along(slope));
        }
        norm(&self.next)
    }

    /// The step from `F` in `next` and the slopes: `step_x` and `step_a`. False where there is none.
    fn direction(&mut self) -> bool {
        self.assemble_path();
        if !self.factor() {
            return false;
        }
        let n = self.y.len();
        zeros(&mut self.step, self.operator.motions());
        for i in 0..n {
            self.operator.push(i, -self.path.step_x[i], &mut self.step);
        }
        self.operator.solve(&mut self.step);
        self.path.step_a.clear();
        self.path.step_a.extend((0..n).map(|i| self.operator.product(i, &self.step)));
        self.substitute();
        // what these forces really do
        zeros(&mut self.step, self.operator.motions());
        for i in 0..n {
            self.operator.push(i, self.path.step_x[i], &mut self.step);
        }
        for i in 0..n {
            self.path.step_a[i] = self.operator.product(i, &self.step);
        }
        self.path.step_x.iter().all(|x| x.is_finite())
    }

    /// `1 + G^T K G` into the matrix, `h` into `step_x`.
    fn assemble_path(&mut self) {
        self.operator.start_matrix(false);
        let path = &mut self.path;
        zeros(&mut path.step_x, self.y.len());
        for ((first, law), s) in Law::with_first_rows(&self.scaled.laws).zip(&path.slopes) {
            let rows = law.rows();
            let (b0, b1) = s.denominators();
            if !law.is_curved() {
                path.step_x[first] = self.next[first] / b0;
                self.operator.add_own(first, s.alpha / b0);
                // what the discs on this normal need: dp_n = -grip da_n - ease
                path.normal[first] = 1.0 + KEEP * s.alpha / b0;
                path.normal_slope[first] = KEEP * self.next[first] / b0;
                continue;
            }
            let along: f64 = (0..rows).map(|k| s.e[k] * self.next[first + k]).sum();
            let (mut pull, mut normal) = (0.0, None);
            if let Law::Cone { normal: i, .. } = *law {
                normal = Some((i, s.gamma * path.normal[i] / b1));
                pull = s.gamma * path.normal_slope[i] / b1;
            }
            let (turn, stretch) = (s.alpha / b0, s.alpha * (1.0 - s.beta) / b1);
            for k in 0..rows {
                let f = self.next[first + k];
                path.step_x[first + k] = (f - along * s.e[k]) / b0 + s.e[k] * (along / b1 + pull);
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
                self.operator.add_row(first + k, &weights[..used], 1.0);
            }
        }
    }

    /// `dx = -K da - h`: `step_x` from `step_a` and itself.
    fn substitute(&mut self) {
        let PathMemory { slopes, normal: grip, step_x, step_a, .. } = &mut self.path;
        for ((first, law), s) in Law::with_first_rows(&self.scaled.laws).zip(slopes) {
            let rows = law.rows();
            let (b0, b1) = s.denominators();
            if !law.is_curved() {
                step_x[first] = -step_x[first] - s.alpha / b0 * step_a[first];
                continue;
            }
            let along: f64 = (0..rows).map(|k| s.e[k] * step_a[first + k]).sum();
            let mut pull = s.alpha * (1.0 - s.beta) / b1 * along;
            if let Law::Cone { normal, .. } = *law {
                pull += s.gamma * grip[normal] / b1 * step_a[normal];
            }
            for k in 0..rows {
                let across = step_a[first + k] - along * s.e[k];
                step_x[first + k] = -step_x[first + k] - s.alpha / b0 * across - pull * s.e[k];
            }
        }
    }
}

/// `S(p)` and its slope.
fn corner(p: f64, tau: f64) -> (f64, f64) {
    let h = (p * p + 4.0 * tau * tau).sqrt();
    // without cancellation where p is far below zero
    let s = if p >= 0.0 { 0.5 * (p + h) } else { 2.0 * tau * tau / (h - p) };
    (s, s / h)
}

/// The rounded interval and its slope.
fn rounded_interval(p: f64, least: f64, most: f64, tau: f64) -> (f64, f64) {
    let (mut x, mut slope) = (p, 1.0);
    if least.is_finite() {
        let (s, d) = corner(p - least, tau);
        (x, slope) = (least + s, d);
    }
    if most.is_finite() {
        let (s, d) = corner(p - most, tau);
        (x, slope) = (x - s, (slope - d).max(0.0));
    }
    (x, slope)
}

/// Takes the rounded disc at `p` from `f`; its slopes. `grip` is how the radius grows with `p_n`.
fn rounded_disc(p: &[f64], radius: f64, grip: f64, tau: f64, f: &mut [f64]) -> RoundedSlope {
    if radius.is_infinite() {
        f.iter_mut().zip(p).for_each(|(f, p)| *f -= p);
        return RoundedSlope::along(1.0);
    }
    let q = length(p);
    let h = ((q - radius) * (q - radius) + 4.0 * tau * tau).sqrt();
    let m = 0.5 * (q + radius + h);
    let out = 0.5 * (1.0 + (q - radius) / h);
    let alpha = radius / m;
    let mut e = [0.0; 3];
    for k in 0..p.len() {
        e[k] = if q > 0.0 { p[k] / q } else { 0.0 };
        f[k] -= alpha * p[k];
    }
    let gamma = grip * q / m * (1.0 - alpha * (1.0 - out));
    RoundedSlope { alpha, beta: q * out / m, gamma, e }
}
