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
//! Stiff direction: q, with the slopes of the laws.

use super::law::Pull;
use super::motor::TorqueCurve;
use super::{Force, Push, Stiffness, check_finite, not_negative};
use crate::attach::{Attachment, View};
use crate::coordinate::{Coordinate, Readings};
use crate::functions::Function;

/// A force law on the coordinate of a joint.
#[derive(Clone)]
pub struct CoordinateForce {
    readings: Readings,
    /// What resists.
    pull: Pull,
    motor: Option<TorqueCurve>,
    /// Stiffness, rest, damping of the linear laws.
    linear: [f64; 3],
}

impl CoordinateForce {
    fn with(coordinate: Coordinate, pull: Pull) -> Self {
        CoordinateForce { readings: Readings::new([], [coordinate]), pull, motor: None, linear: [0.0; 3] }
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
        self.pull.validate()?;
        let [k, rest, c] = self.linear;
        not_negative("stiffness", k, "N/m or N m/rad")?;
        check_finite("rest", rest)?;
        not_negative("damping", c, "N s/m or N m s/rad")?;
        self.motor.as_ref().map_or(Ok(()), TorqueCurve::validate)
    }
    fn reads(&self) -> &[Coordinate] {
        self.readings.coordinates()
    }
    fn apply(&self, a: &View, t: f64, push: &mut Push) {
        let (q, rate) = self.readings.get(a, 0);
        self.readings.push(a, 0, self.push(q, rate, t), push);
    }
    fn energy(&self, a: &View, _: f64) -> f64 {
        let (q, _) = self.readings.get(a, 0);
        let [k, rest, _] = self.linear;
        self.pull.energy(q) + 0.5 * k * (q - rest) * (q - rest)
    }
    fn n_stiff(&self) -> usize {
        1
    }
    fn stiffness(&self, a: &View, t: f64, out: &mut Stiffness) {
        let (q, rate) = self.readings.get(a, 0);
        let (k, c) = self.pull.slopes(q, rate, t);
        let motor = self.motor.as_ref().map_or(0.0, |m| (-m.torque(rate, t).1).max(0.0));
        self.readings.gradient(a, 0, |k, g| out.gradient(0, k, g));
        out.set(0, 0, k + self.linear[0], c + self.linear[2] + motor);
    }
}
