//! An interior-point method on the cones, with De Saxce's shift following the slip: what comes close from anywhere in
//! some twenty factorisations.
//!
//! With `x' = (mu x_n, x_t)`, `u' = (u_n / mu, u_t)` every contact is a pair in the Lorentz cone,
//!
//! ```text
//!     w = G^T x,     u = G w + b + s,     s_n = mu |G_t w + b_t|,     x' o u' = tau e,     tau -> 0
//! ```
//!
//! (`o`: the Jordan product; unilateral rows are numbers, rows within bounds have a multiplier for each bound). With
//! the scaling `W` of Nesterov and Todd, `W u' = W^-1 x' = l`, a Newton step is
//!
//! ```text
//!     dx = -H du + q,     du = G dw + r,     (1 + G^T H G) dw = G^T (q - H r),     r = G w + b + s - u
//!     H = W^2 = beta^2 (2 v v^T - J),        q = W (l \ (sigma tau e - l o l - dx_p o du_p))
//! ```
//!
//! and with the derivative of `s` as well, `ds_n = mu e . G_t dw`, it is Newton's step for Coulomb's law itself, no
//! longer symmetric:
//!
//! ```text
//!     (1 + G^T H (G + mu e G_t on normals)) dw = G^T (q - H r),     e = a_t / sqrt(|a_t|^2 + tau^2)
//! ```
//!
//! Without it `s` would follow the slip by a factor of three a step. Where nothing slips `e` is small, and turns with
//! no jump. Every step is one of Mehrotra's, predicted and corrected with one factorisation.
//!
//! A point inside the cones says which rows touch, stick and slide; the last digits are for Coulomb's law itself.

use super::{ConeOperator, ProximalNewton};
use crate::dense::{dot, largest, zeros};
use crate::law::ComplementarityLaw as Law;
use crate::project::{FrictionCone, length};

/// Most steps; a part of the way to the rim; steps shorter than this many times in a row lead nowhere.
const STEPS: usize = 60;
const TO_RIM: f64 = 0.99;
const SHORT: f64 = 0.05;
/// Tries of Coulomb's law at one point.
const FINISHES: usize = 3;
/// What is lacking, of the gap, that turns no step.
const NEARBY: f64 = 100.0;
/// A residual so many times the best means that it leads away.
const LOST: f64 = 10.0;
/// A residual that Coulomb's law is tried with.
const CLOSE: f64 = 1e-4;
const SHORT_STEPS: usize = 4;
/// The inverse weight of equations, and friction that is none.
const FREE: f64 = 1e8;
const SMOOTH: f64 = 1e-9;
/// The cube root of the least part of the gap that a step aims at.
const AIM: f64 = 0.05;
/// A gap between forces and motions this small is the end.
const TAU_LEAST: f64 = 1e-16;

/// What a law is to the method.
#[derive(Clone, Copy, Debug)]
enum Inside {
    /// An equation.
    Free(usize),
    /// A force that is not there.
    Nothing(usize, usize),
    /// A unilateral row without friction.
    Push(usize),
    /// Between bounds.
    Within(usize, f64, f64),
    /// A normal and its friction.
    Cone(FrictionCone),
}

/// Four numbers: the axis of a Lorentz cone first.
type Lorentz = [f64; 4];

/// The scaling of a pair in the cone, and its `l`.
#[derive(Clone, Copy, Debug, Default)]
struct Scaling {
    beta: f64,
    v: Lorentz,
    l: Lorentz,
}

/// Memory of the method.
#[derive(Clone, Debug, Default)]
pub(super) struct InteriorMemory {
    laws: Vec<Inside>,
    scalings: Vec<Scaling>,
    /// By rows, cones in their own units: forces, velocities, the multiplier of an upper bound, what they lack, `q`,
    /// and steps.
    x: Vec<f64>,
    u: Vec<f64>,
    upper: Vec<f64>,
    /// Of tangents: `e`.
    e: Vec<f64>,
    r: Vec<f64>,
    q: Vec<f64>,
    dx: Vec<f64>,
    du: Vec<f64>,
    d_upper: Vec<f64>,
}

impl<O: ConeOperator> ProximalNewton<O> {
    /// From `y`, with proximal steps of Coulomb's law whenever it has come closer. Whether it was solved. Cones must be
    /// grouped. Problems with balls, or with several cones on a normal, are left alone.
    pub fn interior_steps(&mut self) -> bool {
        if !self.read_laws() {
            return false;
        }
        self.enter();
        let (mut tried, mut closest, mut short, mut careful) = (f64::INFINITY, f64::INFINITY, 0, false);
        let mut lacks = self.lack(self.gap());
        for _ in 0..STEPS {
            if self.is_spent() {
                break;
            }
            let tau = self.gap();
            self.scale();
            if !self.factor_interior() {
                break;
            }
            // predicted, then corrected
            self.corrections(0.0, false);
            self.interior_step();
            let left = if careful { 0.8 } else { (1.0 - self.reach()).max(AIM) };
            self.corrections(left * left * left * tau, true);
            self.interior_step();
            let mut t = (TO_RIM * self.reach()).min(1.0);
            // what turns too far along the step is not lacking less at its end
            let mut gone = 0.0;
            let after = loop {
                self.advance(t - gone);
                gone = t;
                let tau = self.gap();
                let after = self.lack(tau);
                if after <= (NEARBY * tau).max((1.0 - 0.5 * t) * lacks) || t < SHORT {
                    break after;
                }
                t *= 0.5;
            };
            careful = after > NEARBY * self.gap();
            lacks = after;
            short = if t < SHORT { short + 1 } else { 0 };
            let residual = self.judge_inside();
            if !residual.is_finite() || short > SHORT_STEPS || residual > LOST * closest {
                break;
            }
            closest = closest.min(residual);
            if self.is_solved() {
                return true;
            }
            if residual < CLOSE && residual < 0.03 * tried {
                tried = residual;
                if self.finish() {
                    return true;
                }
            }
            if !(self.gap() > TAU_LEAST) {
                break;
            }
        }
        self.back_to_best();
        false
    }

    /// What the steps need, so that the first of them allocate no more than other ways do.
    pub fn make_room_inside(&mut self) {
        let (n, laws, m) = (self.y.len(), self.scaled.laws.len(), &mut self.interior);
        for list in
            [&mut m.x, &mut m.u, &mut m.upper, &mut m.e, &mut m.r, &mut m.q, &mut m.dx, &mut m.du, &mut m.d_upper]
        {
            list.reserve(n.saturating_sub(list.len()));
        }
        m.laws.reserve(laws.saturating_sub(m.laws.len()));
        m.scalings.reserve(laws.saturating_sub(m.scalings.len()));
    }

    /// Proximal steps of Coulomb's law from the best point, whose weights may be large: what counts is that corners
    /// near the point are few. Whether it was solved.
    fn finish(&mut self) -> bool {
        let mut eps = 1e-2;
        for _ in 0..FINISHES {
            let before = self.least;
            self.back_to_best();
            if self.proximal_steps(eps) {
                return true;
            }
            eps *= if self.least < 0.3 * before { 0.3 } else { 0.03 };
        }
        false
    }

    /// What every law is. False where one is not known here.
    fn read_laws(&mut self) -> bool {
        let laws = &mut self.interior.laws;
        laws.clear();
        // a cone for each normal at most
        if self.cones.windows(2).any(|c| c[0].normal == c[1].normal) {
            return false;
        }
        let mut known = 0;
        for (first, law) in Law::with_first_rows(&self.scaled.laws) {
            laws.push(match *law {
                Law::Free => Inside::Free(first),
                Law::Push => match self.cones.binary_search_by_key(&first, |c| c.normal).map(|at| self.cones[at]) {
                    Ok(c) if c.mu > SMOOTH => {
                        known += 1;
                        Inside::Cone(c)
                    }
                    _ => Inside::Push(first),
                },
                Law::Within { least, most } if least == f64::NEG_INFINITY && most == f64::INFINITY => {
                    Inside::Free(first)
                }
                Law::Within { least, most } if least == most => Inside::Nothing(first, 1),
                Law::Within { least, most } => Inside::Within(first, least, most),
                Law::Cone { mu, rows, .. } if mu <= SMOOTH => Inside::Nothing(first, rows),
                Law::Cone { .. } => continue,
                Law::Ball { .. } => return false,
            });
        }
        known == self.cones.iter().filter(|c| c.mu > SMOOTH).count()
    }

    /// A point inside, near the guess.
    fn enter(&mut self) {
        let n = self.y.len();
        let room = (10.0 * self.least).clamp(1e-2, 1.0);
        let m = &mut self.interior;
        for list in
            [&mut m.x, &mut m.u, &mut m.upper, &mut m.e, &mut m.r, &mut m.q, &mut m.dx, &mut m.du, &mut m.d_upper]
        {
            zeros(list, n);
        }
        for law in &m.laws {
            match *law {
                Inside::Nothing(..) => {}
                Inside::Free(i) => m.x[i] = self.y[i],
                Inside::Push(i) => (m.x[i], m.u[i]) = (self.y[i].max(0.0) + room, self.a[i].max(0.0) + room),
                Inside::Within(i, least, most) => {
                    let edge = room.min(0.25 * (most - least));
                    m.x[i] = self.y[i].max(least + edge).min(most - edge);
                    m.u[i] = if least.is_finite() { self.a[i].max(0.0) + room } else { 0.0 };
                    m.upper[i] = if most.is_finite() { (-self.a[i]).max(0.0) + room } else { 0.0 };
                }
                Inside::Cone(c) => {
                    let (pushed, slip) = (length(c.of(&self.y)), length(c.of(&self.a)));
                    for i in c.first..c.first + c.rows {
                        (m.x[i], m.u[i]) = (self.y[i], self.a[i]);
                    }
                    m.x[c.normal] = (c.mu * self.y[c.normal]).max(pushed) + room;
                    m.u[c.normal] = self.a[c.normal].max(0.0) / c.mu + slip + room;
                }
            }
        }
    }

    /// The mean of `x u` over all laws that have one.
    fn gap(&self) -> f64 {
        let m = &self.interior;
        let (mut sum, mut count) = (0.0, 0.0);
        for law in &m.laws {
            match *law {
                Inside::Free(_) | Inside::Nothing(..) => {}
                Inside::Push(i) => (sum, count) = (sum + m.x[i] * m.u[i], count + 1.0),
                Inside::Within(i, least, most) => {
                    let (p, q) = (bounded(m.x[i] - least), bounded(most - m.x[i]));
                    (sum, count) = (sum + p * m.u[i] + q * m.upper[i], count + 2.0);
                }
                Inside::Cone(c) => {
                    let along = dot(c.of(&m.x), c.of(&m.u));
                    (sum, count) = (sum + m.x[c.normal] * m.u[c.normal] + along, count + 1.0);
                }
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    }

    /// `r`, with the slip of the point at hand in `s`; the largest of it.
    fn lack(&mut self, tau: f64) -> f64 {
        self.take_forces();
        self.refresh();
        let m = &mut self.interior;
        for law in &m.laws {
            match *law {
                Inside::Nothing(..) => {}
                Inside::Free(i) => m.r[i] = self.a[i],
                Inside::Push(i) | Inside::Within(i, ..) => m.r[i] = self.a[i] - m.u[i] + m.upper[i],
                Inside::Cone(c) => {
                    let slip = (dot(c.of(&self.a), c.of(&self.a)) + tau * tau).sqrt();
                    for i in c.first..c.first + c.rows {
                        m.r[i] = self.a[i] - m.u[i];
                        m.e[i] = if slip > 0.0 { self.a[i] / slip } else { 0.0 };
                    }
                    m.r[c.normal] = self.a[c.normal] / c.mu + slip - m.u[c.normal];
                }
            }
        }
        largest(&m.r)
    }

    /// `y` from the point.
    fn take_forces(&mut self) {
        self.y.copy_from_slice(&self.interior.x);
        for law in &self.interior.laws {
            if let Inside::Cone(c) = law {
                self.y[c.normal] /= c.mu;
            }
        }
    }

    /// Scalings at the point.
    fn scale(&mut self) {
        let m = &mut self.interior;
        m.scalings.clear();
        for law in &m.laws {
            if let Inside::Cone(c) = law {
                m.scalings.push(Scaling::of(&lorentz(c, &m.x), &lorentz(c, &m.u), c.rows));
            }
        }
    }

    /// The matrix.
    fn factor_interior(&mut self) -> bool {
        self.operator.start_matrix(false);
        let m = &self.interior;
        let mut scalings = m.scalings.iter();
        for law in &m.laws {
            match *law {
                Inside::Nothing(..) => {}
                Inside::Free(i) => self.operator.add_own(i, FREE),
                Inside::Push(i) | Inside::Within(i, ..) => self.operator.add_own(i, m.give(law, i)),
                Inside::Cone(c) => {
                    let Some(s) = scalings.next() else { return false };
                    for k in 0..=c.rows {
                        // row k of H, applied to the normal with its shift, and to the tangents
                        let h = |l: usize| {
                            let own = if k != l {
                                0.0
                            } else if k == 0 {
                                -1.0
                            } else {
                                1.0
                            };
                            s.beta * s.beta * (2.0 * s.v[k] * s.v[l] + own)
                        };
                        let unit = if k == 0 { 1.0 / c.mu } else { 1.0 };
                        let first = unit * h(0);
                        let mut weights = [(c.normal, first / c.mu); 4];
                        for l in 0..c.rows {
                            weights[l + 1] = (c.first + l, unit * h(l + 1) + first * m.e[c.first + l]);
                        }
                        let row = if k == 0 { c.normal } else { c.first + k - 1 };
                        self.operator.add_row(row, &weights[..=c.rows], 1.0);
                    }
                }
            }
        }
        self.factor()
    }

    /// `q` for the aim `tau`, and with the products of the steps at hand.
    fn corrections(&mut self, tau: f64, second: bool) {
        let m = &mut self.interior;
        let mut scalings = m.scalings.iter();
        for k in 0..m.laws.len() {
            let law = m.laws[k];
            match law {
                Inside::Free(i) => m.q[i] = 0.0,
                Inside::Nothing(first, rows) => m.q[first..first + rows].fill(0.0),
                Inside::Push(i) => {
                    let more = if second { m.dx[i] * m.du[i] } else { 0.0 };
                    m.q[i] = (tau - more) / m.u[i] - m.x[i];
                }
                Inside::Within(i, least, most) => {
                    let (p, q) = (m.x[i] - least, most - m.x[i]);
                    let more = if second { (m.dx[i] * m.du[i], -m.dx[i] * m.d_upper[i]) } else { (0.0, 0.0) };
                    m.du[i] = if p.is_finite() { (tau - more.0) / p - m.u[i] } else { 0.0 };
                    m.d_upper[i] = if q.is_finite() { (tau - more.1) / q - m.upper[i] } else { 0.0 };
                    m.q[i] = m.give(&law, i) * (m.du[i] - m.d_upper[i]);
                }
                Inside::Cone(c) => {
                    let Some(s) = scalings.next() else { return };
                    let mut d = product(&s.l, &s.l).map(|v| -v);
                    d[0] += tau;
                    if second {
                        let more = product(&s.shrink(&lorentz(&c, &m.dx)), &s.grow(&lorentz(&c, &m.du)));
                        (0..4).for_each(|i| d[i] -= more[i]);
                    }
                    let q = s.grow(&divide(&s.l, &d));
                    put(&c, &q, &mut m.q);
                }
            }
        }
    }

    /// `dx`, `du` from `q` and `r`.
    fn interior_step(&mut self) {
        zeros(&mut self.step, self.operator.motions());
        let m = &mut self.interior;
        let mut scalings = m.scalings.iter();
        for law in &m.laws {
            match *law {
                Inside::Nothing(..) => {}
                Inside::Free(i) => self.operator.push(i, -FREE * m.r[i], &mut self.step),
                Inside::Push(i) | Inside::Within(i, ..) => {
                    self.operator.push(i, m.q[i] - m.give(law, i) * m.r[i], &mut self.step);
                }
                Inside::Cone(c) => {
                    let Some(s) = scalings.next() else { return };
                    let hr = s.grow(&s.grow(&lorentz(&c, &m.r)));
                    self.operator.push(c.normal, (m.q[c.normal] - hr[0]) / c.mu, &mut self.step);
                    for k in 0..c.rows {
                        self.operator.push(c.first + k, m.q[c.first + k] - hr[k + 1], &mut self.step);
                    }
                }
            }
        }
        self.operator.solve(&mut self.step);
        let mut scalings = m.scalings.iter();
        for k in 0..m.laws.len() {
            let law = m.laws[k];
            match law {
                Inside::Nothing(..) => {}
                Inside::Free(i) => m.dx[i] = -FREE * (self.operator.product(i, &self.step) + m.r[i]),
                Inside::Push(i) => {
                    m.du[i] = self.operator.product(i, &self.step) + m.r[i];
                    m.dx[i] = m.q[i] - m.give(&law, i) * m.du[i];
                }
                Inside::Within(i, least, most) => {
                    let change = self.operator.product(i, &self.step) + m.r[i];
                    m.dx[i] = m.q[i] - m.give(&law, i) * change;
                    // the rest of what `corrections` has begun
                    m.du[i] -= m.u[i] / (m.x[i] - least) * m.dx[i];
                    m.d_upper[i] += m.upper[i] / (most - m.x[i]) * m.dx[i];
                }
                Inside::Cone(c) => {
                    let Some(s) = scalings.next() else { return };
                    let mut du = [0.0; 4];
                    du[0] = self.operator.product(c.normal, &self.step) / c.mu + m.r[c.normal];
                    for k in 0..c.rows {
                        let change = self.operator.product(c.first + k, &self.step);
                        du[0] += m.e[c.first + k] * change;
                        du[k + 1] = change + m.r[c.first + k];
                    }
                    let hu = s.grow(&s.grow(&du));
                    put(&c, &du, &mut m.du);
                    m.dx[c.normal] = m.q[c.normal] - hu[0];
                    (0..c.rows).for_each(|k| m.dx[c.first + k] = m.q[c.first + k] - hu[k + 1]);
                }
            }
        }
    }
}

impl<O: ConeOperator> ProximalNewton<O> {
    /// The part of the step that leads to the rim; infinite where none does.
    fn reach(&self) -> f64 {
        let m = &self.interior;
        let mut most = f64::INFINITY;
        let mut line = |x: f64, dx: f64| {
            if dx < 0.0 {
                most = most.min(-x / dx);
            }
        };
        for law in &m.laws {
            match *law {
                Inside::Free(_) | Inside::Nothing(..) => {}
                Inside::Push(i) => {
                    line(m.x[i], m.dx[i]);
                    line(m.u[i], m.du[i]);
                }
                Inside::Within(i, least, most) => {
                    line(m.x[i] - least, m.dx[i]);
                    line(most - m.x[i], -m.dx[i]);
                    line(m.u[i], m.du[i]);
                    line(m.upper[i], m.d_upper[i]);
                }
                Inside::Cone(c) => {
                    // as parts of the way: the rim is where they are gone
                    line(1.0, -1.0 / to_rim(&lorentz(&c, &m.x), &lorentz(&c, &m.dx)));
                    line(1.0, -1.0 / to_rim(&lorentz(&c, &m.u), &lorentz(&c, &m.du)));
                }
            }
        }
        most.min(1.0 / TO_RIM)
    }

    fn advance(&mut self, t: f64) {
        let m = &mut self.interior;
        for (x, dx) in [(&mut m.x, &m.dx), (&mut m.u, &m.du), (&mut m.upper, &m.d_upper)] {
            x.iter_mut().zip(dx).for_each(|(x, dx)| *x += t * dx);
        }
    }

    /// The residual of the point by Coulomb's law.
    fn judge_inside(&mut self) -> f64 {
        self.take_forces();
        self.refresh_and_keep()
    }
}

impl InteriorMemory {
    /// `H` of a row of its own.
    fn give(&self, law: &Inside, i: usize) -> f64 {
        match *law {
            Inside::Within(_, least, most) => {
                1.0 / (self.u[i] / (self.x[i] - least) + self.upper[i] / (most - self.x[i]))
            }
            _ => self.x[i] / self.u[i],
        }
    }
}

impl Scaling {
    fn of(x: &Lorentz, u: &Lorentz, rows: usize) -> Self {
        let (in_x, in_u) = (square(x).sqrt(), square(u).sqrt());
        let along: f64 = (0..4).map(|i| x[i] / in_x * (u[i] / in_u)).sum();
        let half = 0.5 / (0.5 * (1.0 + along)).sqrt();
        let mut v: Lorentz = std::array::from_fn(|i| half * (x[i] / in_x + if i == 0 { u[0] } else { -u[i] } / in_u));
        // on the hyperboloid to rounding
        v[0] = (1.0 + dot(&v[1..=rows], &v[1..=rows])).sqrt();
        let mut s = Scaling { beta: (in_x / in_u).sqrt(), v, l: Lorentz::default() };
        s.l = s.grow(u);
        s
    }

    /// `W z`.
    fn grow(&self, z: &Lorentz) -> Lorentz {
        self.apply(z, 1.0, self.beta)
    }

    /// `W^-1 z`.
    fn shrink(&self, z: &Lorentz) -> Lorentz {
        self.apply(z, -1.0, 1.0 / self.beta)
    }

    fn apply(&self, z: &Lorentz, sign: f64, beta: f64) -> Lorentz {
        let v = &self.v;
        let along = v[1] * z[1] + v[2] * z[2] + v[3] * z[3];
        let side = sign * z[0] + along / (1.0 + v[0]);
        [
            beta * (v[0] * z[0] + sign * along),
            beta * (z[1] + side * v[1]),
            beta * (z[2] + side * v[2]),
            beta * (z[3] + side * v[3]),
        ]
    }
}

fn lorentz(c: &FrictionCone, list: &[f64]) -> Lorentz {
    let mut out = [list[c.normal], 0.0, 0.0, 0.0];
    out[1..=c.rows].copy_from_slice(c.of(list));
    out
}

fn put(c: &FrictionCone, v: &Lorentz, list: &mut [f64]) {
    list[c.normal] = v[0];
    list[c.first..c.first + c.rows].copy_from_slice(&v[1..=c.rows]);
}

/// How far inside: `z_0^2 - |z_1|^2`, kept from vanishing by rounding.
fn square(z: &Lorentz) -> f64 {
    let far = length(&z[1..]);
    ((z[0] - far) * (z[0] + far)).max(1e-30 * z[0] * z[0])
}

/// `x o y`.
fn product(x: &Lorentz, y: &Lorentz) -> Lorentz {
    let mut out = [x.iter().zip(y).map(|(x, y)| x * y).sum(), 0.0, 0.0, 0.0];
    (1..4).for_each(|i| out[i] = x[0] * y[i] + y[0] * x[i]);
    out
}

/// `l \ d`: the `y` with `l o y = d`.
fn divide(l: &Lorentz, d: &Lorentz) -> Lorentz {
    let inside = square(l);
    let along = l[1] * d[1] + l[2] * d[2] + l[3] * d[3];
    let first = (l[0] * d[0] - along) / inside;
    let mut out = [first, 0.0, 0.0, 0.0];
    (1..4).for_each(|i| out[i] = (d[i] - first * l[i]) / l[0]);
    out
}

/// How much of `dz` leads from `z` to the rim; infinite where none does.
fn to_rim(z: &Lorentz, dz: &Lorentz) -> f64 {
    let three = |x: &Lorentz, y: &Lorentz| x[1] * y[1] + x[2] * y[2] + x[3] * y[3];
    let a = dz[0] * dz[0] - three(dz, dz);
    let b = z[0] * dz[0] - three(z, dz);
    let c = square(z);
    // c + 2 b t + a t^2 = 0, the least t > 0
    let inside = b * b - a * c;
    if inside < 0.0 || (a >= 0.0 && b >= 0.0) {
        return f64::INFINITY;
    }
    let root = inside.sqrt();
    let t = if b < 0.0 { c / (root - b) } else { (-b - root) / a };
    if t > 0.0 { t } else { f64::INFINITY }
}

/// A distance from a bound, 0 where there is none.
fn bounded(x: f64) -> f64 {
    if x.is_finite() { x } else { 0.0 }
}
