//! Forces along the coordinate q of a joint: springs, dampers, motors, your own laws.
//!
//! ```text
//! push       Q = drive(q, qdot, t) + motor(qdot, t) - spring(q) - damper(qdot)        N along a length, N m along an angle
//! on k       Q dq/d(attachment k)                                                      power  Q qdot
//! energy     integral of spring from its rest to q
//! ```
//!
//! Positive Q drives q forward. Springs and dampers are laws of what they resist, as in `law.rs`: the spring's law is
//! what pulls q back. Angles are followed over any number of turns: a coil spring wound up ten times pulls back ten
//! turns. Because the pushes go along the gradient of q, a spring is exactly conservative, and the bodies of a joint
//! feel equal and opposite loads.
//!
//! Instead of one coordinate it may be a weighted sum of several, q = sum_i r_i q_i: a tendon that runs over the
//! pulleys of many joints. Each of them feels r_i Q.
//!
//! Stiff direction: q, with the slopes of the laws.

use super::law::Pull;
use super::motor::TorqueCurve;
use super::{Force, ForceDeclaration, ForceGlyph, Push, Stiffness};
use crate::catalogue::attach::{Attachment, View};
use crate::catalogue::coordinate::{Coordinate, Readings};
use crate::catalogue::declaration::{
    Allowed, DriveAction, DriveButton, DriveDeclaration, Driven, Fault, Field, FieldType, Invalid, Kind, Make, NUMBER,
    ON_JOINT, Parameters, finite, not_negative, optional, required,
};
use crate::catalogue::functions::Function;
use crate::error::refuse;
use std::sync::Arc;

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
    fn validate(&self) -> Result<(), Invalid> {
        self.readings.validate()?;
        if self.weights.is_empty() {
            return Err("acts on no coordinate, must have at least one".into());
        }
        if let Some(r) = self.weights.iter().find(|r| !r.is_finite()) {
            return refuse!("terms", "a weight is {r}, must be finite");
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

pub(super) static COORDINATE_FORCE: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "coordinate-force",
        summary: "a force along, or a torque about, the coordinate of a joint, as a function of time",
        fields: &[
            SUM,
            &[required(
                "force",
                FieldType::Function("t", "N or N m"),
                "what drives the coordinate forward, as a function of t",
            )],
        ],
        make: Make::Force(|p| {
            let f = p.function("force").unwrap_or_else(|| Arc::new(0.0));
            let terms = weighted(p)?;
            let first = terms[0].1.clone();
            Ok(Box::new(CoordinateForce::new(first, move |_, _, t| f.at(t)[0]).on_sum(terms)))
        }),
    },
    label: "Force on a coordinate",
    law: "coordinate force",
    glyph: ForceGlyph::Dashes,
};

pub(super) static COORDINATE_SPRING: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "coordinate-spring",
        summary: "a linear spring and damper on the coordinate of a joint; angles count turns",
        fields: &[
            SUM,
            &[
                optional("stiffness", FieldType::Number(Allowed::NotNegative, "N/m or N m/rad"), "0", "force per way"),
                optional("rest", FieldType::Number(Allowed::Any, "m or rad"), "0", "value at which it does not pull"),
                optional(
                    "damping",
                    FieldType::Number(Allowed::NotNegative, "N s/m or N m s/rad"),
                    "0",
                    "force per rate",
                ),
            ],
        ],
        make: Make::Force(|p| {
            if !p.has("stiffness") && !p.has("damping") {
                return Err(Invalid::neither("stiffness", "damping"));
            }
            let terms = weighted(p)?;
            let spring = CoordinateForce::spring(terms[0].1.clone(), p.of("stiffness"), p.of("rest"));
            Ok(Box::new(spring.damping(p.of("damping")).on_sum(terms)))
        }),
    },
    label: "Spring on a coordinate",
    law: "coordinate force",
    glyph: ForceGlyph::Spring,
};

pub(super) static COORDINATE_SERVO: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "coordinate-servo",
        summary: "a drive with feedback on the coordinate of a joint whose force has limits",
        fields: &[
            SUM,
            &[
                required(
                    "force",
                    FieldType::Function("t", "N or N m"),
                    "what drives the coordinate forward, as a function of t",
                ),
                optional(
                    "stiffness",
                    FieldType::Number(Allowed::NotNegative, "N/m or N m/rad"),
                    "0",
                    "force back per way",
                ),
                optional("rest", FieldType::Number(Allowed::Any, "m or rad"), "0", "value from which the way counts"),
                optional(
                    "damping",
                    FieldType::Number(Allowed::NotNegative, "N s/m or N m s/rad"),
                    "0",
                    "force back per rate",
                ),
                required("least", FieldType::Number(Allowed::Any, "N or N m"), "smallest force, all together"),
                required("most", FieldType::Number(Allowed::Any, "N or N m"), "largest force"),
            ],
        ],
        make: Make::Force(|p| {
            let f = p.function("force").unwrap_or_else(|| Arc::new(0.0));
            let (k, rest, c) = (p.of("stiffness"), p.of("rest"), p.of("damping"));
            let (least, most) = (p.of("least"), p.of("most"));
            if !(least <= most) {
                return Err(Invalid::range("most", format!("{most}, must not be less than `least`, {least}")));
            }
            let terms = weighted(p)?;
            let law = move |q: f64, v: f64, t: f64| (f.at(t)[0] - k * (q - rest) - c * v).clamp(least, most);
            Ok(Box::new(CoordinateForce::new(terms[0].1.clone(), law).on_sum(terms)))
        }),
    },
    label: "Servo on a coordinate",
    law: "coordinate force",
    glyph: ForceGlyph::Dashes,
};

pub(super) static COORDINATE_LAW: ForceDeclaration = ForceDeclaration {
    kind: Kind {
        name: "coordinate-law",
        summary: "a spring or a damper by a law of your own on the coordinate of a joint",
        fields: &[&[
            ON_JOINT,
            optional(
                "spring",
                FieldType::Function("x", "N or N m"),
                "none",
                "what pulls back, by the coordinate x (m or rad)",
            ),
            optional("rest", FieldType::Number(Allowed::Any, "m or rad"), "0", "value at which its energy is called 0"),
            optional(
                "damper",
                FieldType::Function("v", "N or N m"),
                "none",
                "what resists, by the rate v (m/s or rad/s)",
            ),
            optional(
                "damping",
                FieldType::Number(Allowed::NotNegative, "N s/m or N m s/rad"),
                "0",
                "force per rate, in addition",
            ),
        ]],
        make: Make::Force(|p| {
            let c = p.given_coordinate("joint")?;
            let law = match (p.function("spring"), p.function("damper")) {
                (Some(f), None) => CoordinateForce::spring_law(c, f, p.of("rest")),
                (None, Some(f)) => CoordinateForce::damper_law(c, f),
                (None, None) => return Err(Invalid::neither("spring", "damper")),
                (Some(_), Some(_)) => {
                    let invalid =
                        Invalid::new("damper", "`spring` and `damper` exclude each other").fault(Fault::Exclusive);
                    return Err(invalid.help("make them two forces on the same joint"));
                }
            };
            Ok(Box::new(law.damping(p.of("damping"))))
        }),
    },
    label: "Law on a coordinate",
    law: "coordinate force",
    glyph: ForceGlyph::Spring,
};

/// One coordinate, or a weighted sum of several.
static SUM: &[Field] = &[
    optional("joint", FieldType::Coordinate, "`terms`", "the joint, or one of its coordinates"),
    optional(
        "terms",
        FieldType::Records(&[
            required("joint", FieldType::Coordinate, "the joint, or one of its coordinates"),
            required("factor", NUMBER, "what its coordinate is multiplied by; such that all have one unit"),
        ]),
        "`joint`",
        "instead of one coordinate: a sum of several, as of a tendon over many joints",
    ),
];

/// The coordinates of a force, each with its factor.
fn weighted(p: &dyn Parameters) -> Result<Vec<(f64, Coordinate)>, Invalid> {
    match (p.coordinate("joint"), p.has("terms")) {
        (Some(joint), false) => Ok(vec![(1.0, joint)]),
        (Some(_), true) => Err(Invalid::new("terms", "`joint` and `terms` exclude each other").fault(Fault::Exclusive)),
        (None, false) => Err(Invalid::neither("joint", "terms")),
        (None, true) => p.terms("terms"),
    }
}

pub(crate) static TORQUE_DRIVE: DriveDeclaration = DriveDeclaration {
    kind: Kind {
        name: "torque",
        summary: "a torque (or force) along a joint coordinate, as a function of time",
        fields: &[&[
            ON_JOINT,
            required("value", FieldType::Function("t", "N m or N"), "positive drives the coordinate forward"),
        ]],
        make: Make::Drive(|p| {
            let (of, f) = (p.given_coordinate("joint")?, p.given_function("value")?);
            let most = p.effort("joint", None).unwrap_or(f64::INFINITY);
            Ok(Driven::Push(Box::new(CoordinateForce::new(of, move |_, _, t| f.at(t)[0].clamp(-most, most)))))
        }),
    },
    action: DriveAction::Effort,
    on_length: Some(DriveButton { label: "Force", help: "A force of 1 N", value: "1" }),
    on_angle: Some(DriveButton { label: "Torque", help: "A torque of 1 N m", value: "1" }),
};

pub(crate) static CONTROLLER_DRIVE: DriveDeclaration = DriveDeclaration {
    kind: Kind {
        name: "controller",
        summary: "a spring towards a moving target: torque = kp (value - coordinate) + kd (rate - its rate)",
        fields: &[&[
            ON_JOINT,
            required(
                "value",
                FieldType::Function("t", "m or rad"),
                "where the coordinate should be, as a function of t",
            ),
            required("kp", FieldType::Number(Allowed::NotNegative, "N m/rad or N/m"), "torque per deviation"),
            optional(
                "kd",
                FieldType::Number(Allowed::NotNegative, "N m s/rad or N s/m"),
                "0",
                "torque per deviation of the rate",
            ),
            optional(
                "rate",
                FieldType::Function("t", "rad/s or m/s"),
                "0",
                "the rate it should have, as a function of t",
            ),
            optional("limit", FieldType::Number(Allowed::Positive, "N m or N"), "none", "largest torque it can give"),
        ]],
        make: Make::Drive(|p| {
            let (of, goal) = (p.given_coordinate("joint")?, p.given_function("value")?);
            let (kp, kd, own) = (p.of("kp"), p.of("kd"), p.number("limit"));
            let limit = p.effort("joint", own).or(own).unwrap_or(f64::INFINITY);
            let rate = p.function("rate").unwrap_or_else(|| Arc::new(0.0));
            let law = move |q: f64, w: f64, t: f64| {
                (kp * (goal.at(t)[0] - q) + kd * (rate.at(t)[0] - w)).clamp(-limit, limit)
            };
            Ok(Driven::Push(Box::new(CoordinateForce::new(of, law))))
        }),
    },
    action: DriveAction::Effort,
    on_length: None,
    on_angle: None,
};
