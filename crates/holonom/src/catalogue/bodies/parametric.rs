//! A body made from a function: parameters in, places of its points out.
//!
//! Whoever knows by which few numbers u a thing moves writes down where its points are, x(u, X), with X a label of the
//! material point. That is all: constraints that the function keeps by itself need no equations (Witkin 1997, section
//! 5). With point masses m_i at the labels X_i, J_i = dx_i/du, and gravity g,
//!
//! ```text
//! q = u,  v = udot
//! M = sum m_i J_i^T J_i,      force = sum m_i J_i^T (g - Jdot_i udot) - dV/du
//! point X:      at = x(u, X),   rate = J udot,   jdot_v = Jdot udot
//! ```
//!
//! J and Jdot udot come from numbers that differentiate themselves ([`crate::math::number`]), to rounding. V(u) is an
//! optional energy stored inside. Directions are carried when a second function says where they point; they should keep
//! their length. There is no spin: the function need not describe anything that turns as a whole. M is singular where a
//! parameter moves no mass: such a start is refused.
//!
//! The inertial forces are not part of free flight, in which u moves straight on.

use super::{Body, Inertia, Momentum};
use crate::catalogue::attach::{Attached, AttachmentKind, Frame};
use crate::catalogue::declaration::{Invalid, positive};
use crate::error::refuse;
use crate::math::Vec3;
use crate::math::number::{Number, Vector};
use holonom_tree::packed;

/// A number that depends on U parameters.
pub type Parameter<const U: usize> = Number<[f64; U]>;

/// A point or direction, world axes, that depends on U parameters.
pub type Place<const U: usize> = Vector<[f64; U]>;

type Directions<const U: usize> = Box<dyn Fn([Parameter<U>; U], Vec3) -> Place<U> + Send + Sync>;
type Stored<const U: usize> = Box<dyn Fn([Parameter<U>; U]) -> Parameter<U> + Send + Sync>;

/// A body with U degrees of freedom, given by a function of its parameters.
///
/// ```
/// use holonom::prelude::*;
/// use holonom::bodies::Place;
///
/// // a pendulum by its angle: the point labelled (r, 0, 0) hangs at a distance of r from the origin
/// let pendulum = Parametric::new([1.2], |[angle], label| {
///     Place::new(angle.sin() * label.x, angle * 0.0, angle.cos() * -label.x)
/// })
/// .mass([0.5, 0.0, 0.0], 2.0);
///
/// let mut m = ModelBuilder::new();
/// let upper = m.body("upper", pendulum);
/// // what hangs on it is joined as on any other body
/// let bob = m.body("bob", Particle::new(1.0, [0.5, 0.0, -0.3]));
/// m.joint("thread", Distance::new(upper.at([0.5, 0.0, 0.0]), bob.origin(), 0.4));
/// let mut sim = Simulation::build(m)?;
/// sim.run_until(1.0)?;
/// assert!(sim.violation().0 < 1e-12);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Parametric<const U: usize, F> {
    place: F,
    directions: Option<Directions<U>>,
    stored: Option<Stored<U>>,
    /// Label (whatever the function makes of it) and mass, kg.
    masses: Vec<(Vec3, f64)>,
    start: [f64; U],
    rates: [f64; U],
    lengths: usize,
}

impl<const U: usize, F> Parametric<U, F>
where
    F: Fn([Parameter<U>; U], Vec3) -> Place<U> + Send + Sync,
{
    /// Start values of the parameters, and where the material point with a label is (world, m). The function is called
    /// at every evaluation and must be smooth near the motion. Without [masses](Parametric::mass) there is no body.
    pub fn new(start: [f64; U], place: F) -> Self {
        Parametric { place, directions: None, stored: None, masses: Vec::new(), start, rates: [0.0; U], lengths: 0 }
    }

    /// Add a point mass (kg) at the material point with this label.
    pub fn mass(mut self, label: impl Into<Vec3>, mass: f64) -> Self {
        self.masses.push((label.into(), mass));
        self
    }

    /// Add many.
    pub fn masses(mut self, masses: impl IntoIterator<Item = (Vec3, f64)>) -> Self {
        self.masses.extend(masses);
        self
    }

    /// Start rates of the parameters.
    pub fn rates(self, rates: [f64; U]) -> Self {
        Parametric { rates, ..self }
    }

    /// Where a carried direction (given in whatever axes the function takes it in) points, in world axes. With it the
    /// body takes joints that have axes.
    pub fn directions(self, directions: impl Fn([Parameter<U>; U], Vec3) -> Place<U> + Send + Sync + 'static) -> Self {
        Parametric { directions: Some(Box::new(directions)), ..self }
    }

    /// Energy stored inside as a function of the parameters (J); the body is pushed down its slope.
    pub fn potential(self, energy: impl Fn([Parameter<U>; U]) -> Parameter<U> + Send + Sync + 'static) -> Self {
        Parametric { stored: Some(Box::new(energy)), ..self }
    }

    /// The first `n` parameters are lengths (m), the others pure numbers. Error control measures lengths against the
    /// size of the mechanism.
    pub fn lengths(self, n: usize) -> Self {
        Parametric { lengths: n, ..self }
    }

    /// Parameters that move.
    #[inline(always)]
    fn parameters(q: &[f64], v: &[f64]) -> [Parameter<U>; U] {
        std::array::from_fn(|k| {
            let mut gradient = [0.0; U];
            gradient[k] = 1.0;
            Number { value: q[k], rate: v[k], second: 0.0, gradient }
        })
    }

    /// What is carried; a spin is not, and stays at zero.
    fn see(&self, q: &[f64], v: &[f64], what: &AttachmentKind) -> Place<U> {
        let u = Self::parameters(q, v);
        match (what, &self.directions) {
            (AttachmentKind::Point(label), _) => (self.place)(u, *label),
            (AttachmentKind::Direction(d), Some(directions)) => directions(u, *d),
            _ => Place::constant(Vec3::ZERO),
        }
    }
}

/// J^T g.
#[inline(always)]
fn pulled<const U: usize>(place: &Place<U>, g: Vec3, k: usize) -> f64 {
    place.x.gradient[k] * g.x + place.y.gradient[k] * g.y + place.z.gradient[k] * g.z
}

impl<const U: usize, F> Body for Parametric<U, F>
where
    F: Fn([Parameter<U>; U], Vec3) -> Place<U> + Send + Sync,
{
    fn kind(&self) -> &'static str {
        "parametric body"
    }
    fn n_dof(&self) -> usize {
        U
    }
    fn mass(&self) -> f64 {
        self.masses.iter().map(|m| m.1).sum()
    }
    fn n_lengths(&self) -> usize {
        self.lengths
    }
    fn initial(&self, q: &mut [f64], v: &mut [f64]) {
        q.copy_from_slice(&self.start);
        v.copy_from_slice(&self.rates);
    }
    fn validate(&self) -> Result<(), Invalid> {
        if U == 0 || self.masses.is_empty() {
            return Err("needs at least one parameter and one point mass".into());
        }
        if self.lengths > U {
            return refuse!("", "{} parameters cannot be lengths, there are {U}", self.lengths);
        }
        if let Some(k) = (0..U).find(|&k| !self.start[k].is_finite() || !self.rates[k].is_finite()) {
            let (value, rate) = (self.start[k], self.rates[k]);
            return refuse!("", "parameter {k} starts at {value} with a rate of {rate}, both must be finite");
        }
        let u = Self::parameters(&self.start, &self.rates);
        for (label, mass) in &self.masses {
            positive("a point mass", *mass, "kg")?;
            let p = (self.place)(u, *label);
            let slopes = (0..U).all(|k| pulled(&p, Vec3::ONE, k).is_finite());
            if !(p.value().is_finite() && p.second().is_finite() && slopes) {
                return refuse!("", "the point labelled {label} starts at {}, must be finite and smooth", p.value());
            }
        }
        Ok(())
    }
    fn can_carry(&self, what: &AttachmentKind) -> Result<(), &'static str> {
        match what {
            AttachmentKind::Point(_) => Ok(()),
            AttachmentKind::Direction(_) if self.directions.is_some() => Ok(()),
            AttachmentKind::Direction(_) => {
                Err("a parametric body carries directions only when `directions` says where they point")
            }
            AttachmentKind::Spin => Err("a parametric body has no angular velocity"),
        }
    }
    fn carry(&self, q: &[f64], v: &[f64], what: &AttachmentKind) -> Attached {
        let p = self.see(q, v, what);
        Attached { at: p.value(), rate: p.rate(), jdot_v: p.second() }
    }
    fn pull(&self, q: &[f64], what: &AttachmentKind, g: Vec3, out: &mut [f64]) {
        let p = self.see(q, &[0.0; U], what);
        for (k, out) in out.iter_mut().enumerate() {
            *out += pulled(&p, g, k);
        }
    }
    fn evaluate(&self, q: &[f64], v: &[f64], _: &Frame, gravity: Vec3, out: Inertia<'_>) {
        let u = Self::parameters(q, v);
        out.mass.fill(0.0);
        out.force.fill(0.0);
        for (label, mass) in &self.masses {
            let p = (self.place)(u, *label);
            let push = (gravity - p.second()) * *mass;
            for i in 0..U {
                out.force[i] += pulled(&p, push, i);
                let column = Vec3::new(p.x.gradient[i], p.y.gradient[i], p.z.gradient[i]) * *mass;
                for j in i..U {
                    out.mass[packed::at(U, i, j)] += pulled(&p, column, j);
                }
            }
        }
        if let Some(stored) = &self.stored {
            let slope = stored(u).gradient;
            out.force.iter_mut().zip(slope).for_each(|(f, slope)| *f -= slope);
        }
    }
    fn inertial_in_flight(&self) -> bool {
        false
    }
    fn centre(&self, q: &[f64]) -> Vec3 {
        let u = Self::parameters(q, &[0.0; U]);
        let sum: Vec3 = self.masses.iter().map(|(label, mass)| (self.place)(u, *label).value() * *mass).sum();
        sum / self.mass()
    }
    fn momentum(&self, q: &[f64], v: &[f64]) -> Momentum {
        let u = Self::parameters(q, v);
        let mut sum = Momentum::default();
        for (label, mass) in &self.masses {
            let p = (self.place)(u, *label);
            let linear = p.rate() * *mass;
            sum.linear += linear;
            sum.angular += p.value().cross(linear);
        }
        sum
    }
    fn stored(&self, q: &[f64]) -> f64 {
        self.stored.as_ref().map_or(0.0, |stored| stored(Self::parameters(q, &[0.0; U])).value)
    }
}
