//! Constraints and forces from a formula alone.
//!
//! ```text
//! Written        C(points, directions, t) = 0         a position condition: the residual is all there is to write
//! WrittenRate    a(points, rates, t) = 0              a velocity condition (nonholonomic); linear in the rates for all usual ones
//! Potential      V(points, directions, t)             a conservative force: pushes each attachment with - dV/d(attachment)
//! ```
//!
//! The numbers of [`crate::math::number`] give the rest. For a velocity condition the gradient is taken by the rates, J
//! = da/d(rate), and the row's curvature is da/dt with the rates held: c = J . jdot_v + (a_q qdot + a_t). What is left
//! of `a` beside `J . rate` is reported as `rate_t`.

use crate::catalogue::attach::{Attached, Attachment, View};
use crate::catalogue::forces::{Force, Push};
use crate::catalogue::joints::{Constraint, Level, Rows};
use crate::math::number::{MovingInput, Num, Point, moving, seed, time};

impl Rows<'_> {
    /// Rows `first..first + M` from their residuals, written against the first N attachments.
    #[inline(always)]
    pub fn write<const N: usize, const M: usize>(
        &mut self,
        first: usize,
        a: &View,
        t: f64,
        residual: impl FnOnce([Point<N>; N], Num<N>) -> [Num<N>; M],
    ) {
        let now: [Attached; N] = std::array::from_fn(|k| a.get(k));
        let inputs = std::array::from_fn(|k| seed(k, now[k].at, now[k].rate));
        for (i, c) in residual(inputs, time(t)).into_iter().enumerate() {
            let row = self.row(first + i);
            (row.gap, row.curvature) = (c.value, c.second);
            let mut rate_t = c.rate;
            for (k, g) in c.gradient.into_iter().enumerate() {
                self.gradient(first + i, k, g);
                rate_t -= g.dot(now[k].rate);
            }
            self.row(first + i).rate_t = rate_t;
        }
    }

    /// Rows `first..first + M` of level [`Level::Velocity`] from what must vanish, written against the first N
    /// attachments.
    #[inline(always)]
    pub fn write_rates<const N: usize, const M: usize>(
        &mut self,
        first: usize,
        a: &View,
        t: f64,
        residual: impl FnOnce([MovingInput<N>; N], Num<N>) -> [Num<N>; M],
    ) {
        let now: [Attached; N] = std::array::from_fn(|k| a.get(k));
        let inputs = std::array::from_fn(|k| MovingInput {
            at: moving(now[k].at, now[k].rate),
            rate: seed(k, now[k].rate, crate::math::Vec3::ZERO),
        });
        for (i, c) in residual(inputs, time(t)).into_iter().enumerate() {
            let mut rate_t = c.value;
            for (k, g) in c.gradient.into_iter().enumerate() {
                self.gradient(first + i, k, g);
                rate_t -= g.dot(now[k].rate);
            }
            let row = self.row(first + i);
            (row.rate_t, row.curvature) = (rate_t, c.rate);
        }
    }
}

/// A condition on positions from its residual alone.
///
/// ```
/// use holonom::prelude::*;
///
/// let mut m = ModelBuilder::new();
/// let bob = m.body("bob", Particle::new(1.0, [2.0, 0.0, 0.0]));
/// // a bead on the ellipse x²/4 + z² = 1, y = 0
/// let wire = Written::new([bob.origin().p()], |[p], _t| [p.x * p.x / 4.0 + p.z * p.z - 1.0, p.y]);
/// let wire = m.joint("wire", wire);
/// let mut sim = Simulation::build(m)?;
/// sim.run_until(1.0)?;
/// assert!(sim.violation().0 < 1e-12);
/// println!("the wire pushes with {:.3} N", sim.reaction(wire)?.force.length());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The residual is called at every evaluation and must be a smooth function of its arguments near the motion.
pub struct Written<const N: usize, const M: usize, F> {
    attachments: [Attachment; N],
    residual: F,
    kind: &'static str,
}

impl<const N: usize, const M: usize, F> Written<N, M, F>
where
    F: Fn([Point<N>; N], Num<N>) -> [Num<N>; M] + Send + Sync,
{
    /// `residual(attached, t)` gives M numbers that must vanish. Units are the writer's: metres suit points, pure
    /// numbers directions.
    pub fn new(attachments: [Attachment; N], residual: F) -> Self {
        Written { attachments, residual, kind: "written constraint" }
    }

    /// The name of the kind, for messages and reports.
    pub fn named(self, kind: &'static str) -> Self {
        Written { kind, ..self }
    }
}

impl<const N: usize, const M: usize, F> Constraint for Written<N, M, F>
where
    F: Fn([Point<N>; N], Num<N>) -> [Num<N>; M] + Send + Sync,
{
    fn kind(&self) -> &'static str {
        self.kind
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        M
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        out.write(0, a, t, &self.residual);
    }
    fn rheonomic(&self) -> bool {
        true // for all that is known here
    }
}

/// A condition on velocities from what must vanish.
///
/// ```
/// use holonom::prelude::*;
///
/// let mut m = ModelBuilder::new();
/// let sleigh = m.body("sleigh", Planar::new(1.0, 0.5).velocity(1.0, 0.6, 2.0));
/// let (edge, across) = (sleigh.at([-0.3, 0.0, 0.0]).p(), sleigh.origin().y());
/// m.joint("blade", WrittenRate::new([edge, across], |[p, n], _t| [p.rate.dot(n.at)])); // does not slip sideways
/// let mut sim = Simulation::build(m)?;
/// let energy = sim.energy().kinetic;
/// sim.run_until(2.0)?;
/// assert!((sim.energy().kinetic - energy).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct WrittenRate<const N: usize, const M: usize, F> {
    attachments: [Attachment; N],
    residual: F,
    kind: &'static str,
}

impl<const N: usize, const M: usize, F> WrittenRate<N, M, F>
where
    F: Fn([MovingInput<N>; N], Num<N>) -> [Num<N>; M] + Send + Sync,
{
    /// `residual(moving, t)` gives M numbers, in m/s or rad/s, that must vanish.
    pub fn new(attachments: [Attachment; N], residual: F) -> Self {
        WrittenRate { attachments, residual, kind: "written velocity constraint" }
    }

    /// The name of the kind, for messages and reports.
    pub fn named(self, kind: &'static str) -> Self {
        WrittenRate { kind, ..self }
    }
}

impl<const N: usize, const M: usize, F> Constraint for WrittenRate<N, M, F>
where
    F: Fn([MovingInput<N>; N], Num<N>) -> [Num<N>; M] + Send + Sync,
{
    fn kind(&self) -> &'static str {
        self.kind
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn n_rows(&self) -> usize {
        M
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        out.write_rates(0, a, t, &self.residual);
    }
    fn level(&self, _: usize) -> Level {
        Level::Velocity
    }
    fn rheonomic(&self) -> bool {
        true
    }
}

/// A conservative force from its energy.
///
/// ```
/// use holonom::prelude::*;
///
/// let mut m = ModelBuilder::new();
/// let (a, b) = (m.body("a", Particle::new(1.0, [1.0, 0.0, 0.0])), m.body("b", Particle::new(1.0, [-1.0, 0.0, 0.0])));
/// m.gravity([0.0, 0.0, 0.0]);
/// m.force("attraction", Potential::new([a.origin().p(), b.origin().p()], |[p, q], _t| -4.0 / (p - q).length()));
/// let mut sim = Simulation::build(m)?;
/// let energy = sim.energy().total();
/// sim.run_until(0.5)?;
/// assert!((sim.energy().total() - energy).abs() < 1e-9);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Potential<const N: usize, F> {
    attachments: [Attachment; N],
    energy: F,
}

impl<const N: usize, F> Potential<N, F>
where
    F: Fn([Point<N>; N], Num<N>) -> Num<N> + Send + Sync,
{
    /// `energy(attached, t)` in J. One that depends on time feeds or drains the mechanism; the ledger says how much.
    pub fn new(attachments: [Attachment; N], energy: F) -> Self {
        Potential { attachments, energy }
    }

    fn evaluate(&self, a: &View, t: f64) -> Num<N> {
        // rates play no part in forces
        let inputs = std::array::from_fn(|k| seed(k, a.at(k), crate::math::Vec3::ZERO));
        (self.energy)(inputs, time(t))
    }
}

impl<const N: usize, F> Force for Potential<N, F>
where
    F: Fn([Point<N>; N], Num<N>) -> Num<N> + Send + Sync,
{
    fn kind(&self) -> &'static str {
        "potential"
    }
    fn attachments(&self) -> &[Attachment] {
        &self.attachments
    }
    fn apply(&self, a: &View, t: f64, push: &mut Push) {
        for (k, g) in self.evaluate(a, t).gradient.into_iter().enumerate() {
            push.on(k, -g);
        }
    }
    fn energy(&self, a: &View, t: f64) -> f64 {
        self.evaluate(a, t).value
    }
}
