//! An actuator on one joint coordinate that is told by others: a controller with sensors.
//!
//! ```text
//! push       Q = sum_i (g_i q_i + d_i qdot_i) + offset, kept between `least` and `most`        N along a length, N m along an angle
//! on k       Q dq_0/d(attachment k):      only the coordinate q_0 that is actuated feels it, and the bodies of its joint, equally and oppositely
//! power      Q qdot_0
//! ```
//!
//! Sensors feel nothing: unlike a spring on a sum of coordinates it stores no energy, and it can feed energy in. What
//! it senses may be q_0 itself (a negative gain is then a spring, a negative gain of the rate a damper) and any other
//! coordinate, also of a joint that leaves all six freedoms (`Serial` with three slides and three hinges), which tells
//! where a body is and how it is turned.
//!
//! Stiff direction: q_0, with the springs and dampers that its own negative gains are; the others do not have a
//! symmetric matrix.

use super::{Force, ForceDeclaration, ForceGlyph, Push, Stiffness};
use crate::catalogue::attach::{Attachment, View};
use crate::catalogue::coordinate::{Coordinate, Readings};
use crate::catalogue::declaration::{
    Allowed, FieldType, Invalid, Kind, Make, NUMBER, ON_JOINT, finite, optional, required,
};
use crate::error::refuse;

/// A force along one joint coordinate, linear in several of them and in their rates.
#[derive(Clone)]
pub struct CoordinateFeedback {
    /// What is actuated, then what is sensed.
    readings: Readings,
    /// Of what is sensed, and of its rate.
    gains: Vec<(f64, f64)>,
    offset: f64,
    range: (f64, f64),
    /// Gains that act on the actuated coordinate itself.
    own: (f64, f64),
}

impl CoordinateFeedback {
    /// The force (N or N m) that drives `actuated` forward is the sum of `gain * coordinate + rate_gain * rate` over
    /// the sensors `(gain, rate_gain, coordinate)`.
    ///
    /// ```
    /// use holonom::prelude::*;
    ///
    /// // the second wheel is turned after the first, which feels nothing of it
    /// let mut m = ModelBuilder::new();
    /// let z = |body: BodyId| body.origin().along([0.0, 0.0, 1.0]);
    /// let a = m.body("a", Rigid::ball(1.0, 0.1).spin([0.0, 0.0, 3.0]));
    /// let b = m.body("b", Rigid::ball(1.0, 0.1));
    /// let (j, k) = (m.joint("j", Revolute::new(z(BodyId::GROUND), z(a))), m.joint("k", Revolute::new(z(BodyId::GROUND), z(b))));
    /// let (first, second) = (m.coordinate(j, 0), m.coordinate(k, 0));
    /// let sensors = [(2.0, 0.1, first), (-2.0, -0.1, second.clone())];
    /// m.force("copy", CoordinateFeedback::new(second, sensors));
    /// let mut sim = Simulation::build(m)?;
    /// let x = sim.accelerations()?.to_vec();
    /// assert!(x[5].abs() < 1e-12 && (x[11] - 0.1 * 3.0 / 0.004).abs() < 1e-9); // 0.004 kg m^2
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new(actuated: Coordinate, sensors: impl IntoIterator<Item = (f64, f64, Coordinate)>) -> Self {
        let (mut coordinates, mut gains, mut own) = (vec![actuated], vec![], (0.0, 0.0));
        for (gain, rate_gain, sensed) in sensors {
            if sensed.same_as(&coordinates[0]) {
                own = (own.0 + gain, own.1 + rate_gain);
            }
            coordinates.push(sensed);
            gains.push((gain, rate_gain));
        }
        let readings = Readings::new([], coordinates);
        CoordinateFeedback { readings, gains, offset: 0.0, range: (f64::NEG_INFINITY, f64::INFINITY), own }
    }

    /// A constant force (N or N m) in addition.
    pub fn offset(self, offset: f64) -> Self {
        CoordinateFeedback { offset, ..self }
    }

    /// The smallest and the largest force (N or N m) it can give.
    pub fn range(self, least: f64, most: f64) -> Self {
        CoordinateFeedback { range: (least, most), ..self }
    }

    /// The force before it is kept within its range.
    fn wanted(&self, a: &View) -> f64 {
        let part = |(i, (gain, rate_gain)): (usize, &(f64, f64))| {
            let (q, rate) = self.readings.get(a, i + 1);
            gain * q + rate_gain * rate
        };
        self.gains.iter().enumerate().map(part).fold(self.offset, |sum, f| sum + f)
    }
}

impl Force for CoordinateFeedback {
    fn kind(&self) -> &'static str {
        "coordinate feedback"
    }
    fn attachments(&self) -> &[Attachment] {
        self.readings.attachments()
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.readings.validate()?;
        for (gain, rate_gain) in &self.gains {
            finite("gain", *gain)?;
            finite("gain of a rate", *rate_gain)?;
        }
        finite("offset", self.offset)?;
        let (least, most) = self.range;
        if least <= most { Ok(()) } else { refuse!("most", "range is {least} to {most}, must not be empty") }
    }
    fn reads(&self) -> &[Coordinate] {
        self.readings.coordinates()
    }
    fn apply(&self, a: &View, _: f64, push: &mut Push) {
        let (least, most) = self.range;
        self.readings.push(a, 0, self.wanted(a).clamp(least, most), push);
    }
    fn n_stiff(&self) -> usize {
        1
    }
    fn stiffness(&self, a: &View, _: f64, out: &mut Stiffness) {
        let (least, most) = self.range;
        let within = (least..=most).contains(&self.wanted(a));
        self.readings.gradient(a, 0, |k, g| out.gradient(0, k, g));
        let part = |gain: f64| if within { (-gain).max(0.0) } else { 0.0 };
        out.set(0, 0, part(self.own.0), part(self.own.1));
    }
}

pub(super) static COORDINATE_FEEDBACK: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "coordinate-feedback",
        summary: "an actuator on the coordinate of a joint, told by sensors of any coordinates, which feel nothing of it",
        fields: &[&[
            ON_JOINT,
            required(
                "sensors",
                FieldType::Records(&[
                    required("joint", FieldType::Coordinate, "the joint, or one of its coordinates"),
                    optional(
                        "gain",
                        NUMBER,
                        "0",
                        "force per way or angle; a negative one on the own coordinate is a spring",
                    ),
                    optional(
                        "rate_gain",
                        NUMBER,
                        "0",
                        "force per rate; a negative one on the own coordinate is a damper",
                    ),
                ]),
                "what the force depends on: the sum of gain times coordinate and rate_gain times rate",
            ),
            optional("offset", FieldType::Number(Allowed::Any, "N or N m"), "0", "a constant force in addition"),
            optional("least", FieldType::Number(Allowed::Any, "N or N m"), "none", "smallest force, all together"),
            optional("most", FieldType::Number(Allowed::Any, "N or N m"), "none", "largest force"),
        ]],
        make: Make::Force(|p| {
            let mut sensors = Vec::new();
            for sensor in p.tables("sensors") {
                sensors.push((sensor.of("gain"), sensor.of("rate_gain"), sensor.given_coordinate("joint")?));
            }
            let least = p.number("least").unwrap_or(f64::NEG_INFINITY);
            let most = p.number("most").unwrap_or(f64::INFINITY);
            if !(least <= most) {
                return Err(Invalid::range("most", format!("{most}, must not be less than `least`, {least}")));
            }
            let force = CoordinateFeedback::new(p.given_coordinate("joint")?, sensors);
            Ok(Box::new(force.offset(p.of("offset")).range(least, most)))
        }),
    },
    label: "Feedback on a coordinate",
    law: "coordinate feedback",
    glyph: ForceGlyph::Dashes,
};
