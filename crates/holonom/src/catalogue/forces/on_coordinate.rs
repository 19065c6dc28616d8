//! Forces along the coordinate q of a joint: springs, dampers, motors, your own laws.
//!
//! ```text
//! push       Q = drive(q, qdot, t) + motor(qdot, t) - spring(q) - damper(qdot)        N along a length, N m along an angle
//! on k       Q dq/d(attachment k)                                                      power  Q qdot
//! energy     integral of spring from its rest to q
//! ```
//!
//! Positive Q drives q forward. Springs and dampers are laws of what they resist, as in `law.rs`: the spring's law is what pulls q back. Angles are
//! followed over any number of turns: a coil spring wound up ten times pulls back ten turns. Because the pushes go along the gradient of q, a
//! spring is exactly conservative, and the bodies of a joint feel equal and opposite loads.
//!
//! Instead of one coordinate it may be a weighted sum of several, q = sum_i r_i q_i: a tendon that runs over the pulleys of many joints. Each of them feels
//! r_i Q.
//!
//! Stiff direction: q, with the slopes of the laws.

use super::law::Pull;
use super::motor::TorqueCurve;
use super::{Force, Push, Stiffness, finite, not_negative};
use crate::catalogue::attach::{Attachment, View};
use crate::catalogue::coordinate::{Coordinate, Readings};
use crate::catalogue::functions::Function;

/// A force law on the coordinate of a joint.
#[derive(Clone)]
pub struct CoordinateForce {
    readings: Readings,
    /// What each coordinate counts.
    weights: Vec<f64>,
    /// What resists.
    pull: Pull,
    motor: Option<TorqueCurve>,
    /// Stiffness, rest, damping of the linear laws.
    linear: [f64; 3],
}

impl CoordinateForce {
    fn with(coordinate: Coordinate, pull: Pull) -> Self {
        let readings = Readings::new([], [coordinate]);
        CoordinateForce { readings, weights: vec![1.0], pull, motor: None, linear: [0.0; 3] }
    }

    /// The same law on a weighted sum of coordinates (all in one unit) instead of the one it was made for.
    ///
    /// ```
    /// use holonom::prelude::*;
    ///
    /// // a tendon over two joints: it pulls when their angles together are not 1
    /// let mut m = ModelBuilder::new();
    /// let z = |body: BodyId| body.origin().along([0.0, 0.0, 1.0]);
    /// let (a, b) = (m.body("a", Rigid::ball(1.0, 0.1)), m.body("b", Rigid::ball(1.0, 0.1)));
    /// let (j, k) = (m.joint("j", Revolute::new(z(BodyId::GROUND), z(a))), m.joint("k", Revolute::new(z(BodyId::GROUND), z(b))));
    /// let (p, q) = (m.coordinate(j, 0), m.coordinate(k, 0));
    /// m.force("tendon", CoordinateForce::spring(p.clone(), 3.0, 1.0).on_sum([(1.0, p), (2.0, q)]));
    /// let mut sim = Simulation::build(m)?;
    /// let x = sim.accelerations()?.to_vec();
    /// assert!((x[11] - 2.0 * x[5]).abs() < 1e-9 && x[5] > 0.0); // the second pulley is twice as large
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn on_sum(self, terms: impl IntoIterator<Item = (f64, Coordinate)>) -> Self {
        let (weights, coordinates): (Vec<f64>, Vec<Coordinate>) = terms.into_iter().unzip();
        CoordinateForce { readings: Readings::new([], coordinates), weights, ..self }
    }

    /// The sum and its rate.
    fn reading(&self, a: &View) -> (f64, f64) {
        let parts = self.weights.iter().enumerate().map(|(i, r)| (r, self.readings.get(a, i)));
        parts.fold((0.0, 0.0), |sum, (r, (q, rate))| (sum.0 + r * q, sum.1 + r * rate))
    }

    /// Any law: `force(q, qdot, t)` (N or N m) drives q forward where it is positive. It stores no energy.
    pub fn new(coordinate: Coordinate, force: impl Fn(f64, f64, f64) -> f64 + Send + Sync + 'static) -> Self {
        Self::with(coordinate, Pull::general(move |q, rate, t| -force(q, rate, t)))
    }

    /// A linear spring: stiffness in N/m or N m/rad, rest in m or rad.
    pub fn spring(coordinate: Coordinate, stiffness: f64, rest: f64) -> Self {
        CoordinateForce { linear: [stiffness, rest, 0.0], ..Self::with(coordinate, Pull::default()) }
    }

    /// A spring by its law: what pulls q back (N or N m) as a function of q. The energy is zero at `rest` (m or rad).
    pub fn spring_law(coordinate: Coordinate, back: impl Function + 'static, rest: f64) -> Self {
        Self::with(coordinate, Pull::spring(back, rest))
    }

    /// A damper by its law: what resists (N or N m) as a function of qdot.
    pub fn damper_law(coordinate: Coordinate, against: impl Function + 'static) -> Self {
        Self::with(coordinate, Pull::damper(against))
    }

    /// A motor: its torque curve at the speed qdot drives q forward.
    pub fn motor(coordinate: Coordinate, curve: TorqueCurve) -> Self {
        CoordinateForce { motor: Some(curve), ..Self::with(coordinate, Pull::default()) }
    }

    /// A linear damper in addition, N s/m or N m s/rad.
    pub fn damping(mut self, damping: f64) -> Self {
        self.linear[2] = damping;
        self
    }

    /// The push at a value, rate and time.
    fn push(&self, q: f64, rate: f64, t: f64) -> f64 {
        let [k, rest, c] = self.linear;
        let motor = self.motor.as_ref().map_or(0.0, |m| m.torque(rate, t).0);
        motor - self.pull.at(q, rate, t) - k * (q - rest) - c * rate
    }
}

impl Force for CoordinateForce {
    fn kind(&self) -> &'static str {
        "coordinate force"
    }
    fn attachments(&self) -> &[Attachment] {
        self.readings.attachments()
    }
    fn validate(&self) -> Result<(), String> {
        self.readings.validate()?;
        if self.weights.is_empty() {
            return Err("acts on no coordinate, must have at least one".into());
        }
        if let Some(r) = self.weights.iter().find(|r| !r.is_finite()) {
            return Err(format!("a weight is {r}, must be finite"));
        }
        self.pull.validate()?;
        let [k, rest, c] = self.linear;
        not_negative("stiffness", k, "N/m or N m/rad")?;
        finite("rest", rest)?;
        not_negative("damping", c, "N s/m or N m s/rad")?;
        self.motor.as_ref().map_or(Ok(()), TorqueCurve::validate)
    }
    fn reads(&self) -> &[Coordinate] {
        self.readings.coordinates()
    }
    fn apply(&self, a: &View, t: f64, push: &mut Push) {
        let (q, rate) = self.reading(a);
        let force = self.push(q, rate, t);
        for (i, r) in self.weights.iter().enumerate() {
            self.readings.push(a, i, r * force, push);
        }
    }
    fn energy(&self, a: &View, _: f64) -> f64 {
        let (q, _) = self.reading(a);
        let [k, rest, _] = self.linear;
        self.pull.energy(q) + 0.5 * k * (q - rest) * (q - rest)
    }
    fn n_stiff(&self) -> usize {
        1
    }
    fn stiffness(&self, a: &View, t: f64, out: &mut Stiffness) {
        let (q, rate) = self.reading(a);
        let (k, c) = self.pull.slopes(q, rate, t);
        let motor = self.motor.as_ref().map_or(0.0, |m| (-m.torque(rate, t).1).max(0.0));
        for (i, r) in self.weights.iter().enumerate() {
            self.readings.gradient(a, i, |k, g| out.gradient(0, k, g * *r));
        }
        out.set(0, 0, k + self.linear[0], c + self.linear[2] + motor);
    }
}
