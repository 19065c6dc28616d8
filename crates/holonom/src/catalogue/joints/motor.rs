//! Motor: a joint coordinate q moves as prescribed, in position or in speed.
//!
//! ```text
//! position    C = q - f(t)                  C_t = - f',   c gets - f''
//! speed       a = qdot - f(t)               (velocity row: what the position becomes is left to the motion)   c gets - f'
//! ```
//!
//! The row is that of the coordinate ([`crate::catalogue::coordinate`]), so its multiplier is the force (N) or torque
//! (N m) of the motor along q, positive where it drives q forward, and its power is the multiplier times qdot. Turns
//! are counted: q = 20 pi is ten turns on. A motor that gives a force is a force law.
//!
//! With an effort cap |multiplier| <= effort the motor gives way where that is not enough. A speed motor then lags in
//! speed. One that holds a position has a way to make up for: it comes back as a critically damped oscillator would, as
//! far as its effort allows,
//!
//! ```text
//! (q - f)'' + 2 w (q - f)' + w² (q - f) = 0,     w = 1 / 0.02 s        (a row on accelerations)
//! ```

use super::{Constraint, Glyph, JointDeclaration, JointRole, Level, Revolute, RowLaw, Rows};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::{Coordinate, Readings};
use crate::catalogue::declaration::{
    Allowed, DriveAction, DriveButton, DriveDeclaration, Driven, Field, FieldType, Invalid, Kind, Make, ON_JOINT,
    Parameters, optional, required,
};
use crate::catalogue::functions::Function;
use crate::error::refuse;
use crate::math::SplitMix;
use std::sync::Arc;

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind {
        name: "motor",
        summary: "a joint coordinate moves as prescribed, in position or speed",
        fields: &[],
        make: Make::Elsewhere,
    },
    label: "Motor",
    role: JointRole::Drive,
    glyph: Glyph::Arrow,
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    ..JointDeclaration::PLAIN
};

/// The most a drive gives.
static EFFORT: &[Field] = &[optional(
    "effort",
    FieldType::Number(Allowed::Positive, "N m or N"),
    "that of the joint, or no cap",
    "the largest torque or force it can give; where that is not enough, it gives way",
)];

pub(crate) static POSITION_DRIVE: DriveDeclaration = DriveDeclaration {
    kind: Kind {
        name: "position",
        summary: "a joint coordinate follows a function of time exactly; the drive gives whatever force or torque that takes",
        fields: &[
            &[ON_JOINT, required("value", FieldType::Function("t", "m or rad"), "the coordinate as a function of t")],
            EFFORT,
        ],
        make: Make::Drive(|p| capped(p, Motor::position(p.given_coordinate("joint")?, p.given_function("value")?))),
    },
    action: DriveAction::Position,
    on_length: Some(DriveButton {
        label: "Position",
        help: "A drive that leads it along a function of time",
        value: "0.1*sin(2*t)",
    }),
    on_angle: Some(DriveButton {
        label: "Position",
        help: "A drive that leads it along a function of time",
        value: "0.5*sin(2*t)",
    }),
};

pub(crate) static SPEED_DRIVE: DriveDeclaration = DriveDeclaration {
    kind: Kind {
        name: "speed",
        summary: "the rate of a joint coordinate follows a function of time exactly",
        fields: &[
            &[ON_JOINT, required("value", FieldType::Function("t", "m/s or rad/s"), "the rate as a function of t")],
            EFFORT,
        ],
        make: Make::Drive(|p| capped(p, Motor::speed(p.given_coordinate("joint")?, p.given_function("value")?))),
    },
    action: DriveAction::Speed,
    on_length: Some(DriveButton {
        label: "Motor",
        help: "A motor that moves it at 0.1 m/s, whatever that takes",
        value: "0.1",
    }),
    on_angle: Some(DriveButton {
        label: "Motor",
        help: "A motor that turns it once a second, whatever that takes",
        value: "6.283185307179586",
    }),
};

/// A motor, with a cap if it or its joint says one.
fn capped(p: &dyn Parameters, motor: Motor) -> Result<Driven, Invalid> {
    Ok(Driven::Row(Box::new(match p.effort("joint", p.number("effort")) {
        Some(effort) => motor.effort(effort),
        None => motor,
    })))
}

/// A motor that makes a joint coordinate move as prescribed.
#[derive(Clone)]
pub struct Motor {
    readings: Readings,
    goal: Arc<dyn Function>,
    level: Level,
    effort: f64,
}

/// How fast a motor that was overpowered comes back to its position, 1/s.
const CATCH_UP: f64 = 50.0;

impl Motor {
    /// The coordinate is `goal(t)`, in m or rad.
    pub fn position(coordinate: Coordinate, goal: impl Function + 'static) -> Self {
        Motor {
            readings: Readings::new([], [coordinate]),
            goal: Arc::new(goal),
            level: Level::Position,
            effort: f64::INFINITY,
        }
    }

    /// The rate of the coordinate is `goal(t)`, in m/s or rad/s.
    pub fn speed(coordinate: Coordinate, goal: impl Function + 'static) -> Self {
        Motor {
            readings: Readings::new([], [coordinate]),
            goal: Arc::new(goal),
            level: Level::Velocity,
            effort: f64::INFINITY,
        }
    }

    /// The largest force (N) or torque (N m) it can give; where that is not enough, it gives way.
    pub fn effort(self, effort: f64) -> Self {
        let level = if self.level == Level::Position && effort.is_finite() { Level::Acceleration } else { self.level };
        Motor { effort, level, ..self }
    }
}

impl Constraint for Motor {
    fn kind(&self) -> &'static str {
        "motor"
    }
    fn attachments(&self) -> &[Attachment] {
        self.readings.attachments()
    }
    fn n_rows(&self) -> usize {
        1
    }
    fn validate(&self) -> Result<(), Invalid> {
        self.readings.validate()?;
        if !(self.effort > 0.0) {
            return refuse!("effort", "effort is {}, must be greater than 0 N or N m", self.effort);
        }
        self.goal.validate()
    }
    fn level(&self, _: usize) -> Level {
        self.level
    }
    fn law(&self) -> RowLaw {
        if self.effort.is_finite() {
            RowLaw::Bounded { least: -self.effort, most: self.effort }
        } else {
            RowLaw::Equality
        }
    }
    fn rheonomic(&self) -> bool {
        true
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        let (q, rate) = self.readings.add(a, 0, 1.0, 0, out);
        let [f, f1, f2] = self.goal.at(t);
        let row = out.row(0);
        if self.level == Level::Acceleration {
            let (off, fast) = (q - f, rate - f1);
            (row.gap, row.rate_t) = (off, -f1 + CATCH_UP * off);
            row.curvature += CATCH_UP * (2.0 * fast + CATCH_UP * off) - f2;
        } else if self.level == Level::Position {
            row.gap -= f;
            (row.rate_t, row.curvature) = (-f1, row.curvature - f2);
        } else {
            (row.rate_t, row.curvature) = (-f, row.curvature - f1);
        }
    }
    fn reference(&self) -> usize {
        self.readings.coordinates()[0].joint.reference()
    }
    fn reads(&self) -> &[Coordinate] {
        self.readings.coordinates()
    }
}

fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> Motor {
    let (amplitude, rate) = (0.2 + g.unit(), 0.5 + g.unit());
    let goal = move |t: f64| {
        let (s, c) = libm::sincos(rate * t);
        [amplitude * s, amplitude * rate * c, -amplitude * rate * rate * s]
    };
    let hinge = Coordinate::of(Revolute::new(a, b), 0);
    if g.unit() < 0.5 { Motor::position(hinge, goal) } else { Motor::speed(hinge, goal) }
}
