//! Motor: a joint coordinate q moves as prescribed, in position or in speed.
//!
//! ```text
//! position    C = q - f(t)                  C_t = - f',   c gets - f''
//! speed       a = qdot - f(t)               (velocity row: what the position becomes is left to the motion)   c gets - f'
//! ```
//!
//! The row is that of the coordinate ([`crate::coordinate`]), so its multiplier is the force (N) or torque (N m) of the motor along q, positive
//! where it drives q forward, and its power is the multiplier times qdot. Turns are counted: q = 20 pi is ten turns on. A motor that gives a
//! force is a force law.

use super::{Constraint, Level, Rows};
use crate::attach::{Attachment, View};
use crate::coordinate::{Coordinate, Readings};
use crate::functions::Function;
use std::sync::Arc;

/// A motor that makes a joint coordinate move as prescribed.
#[derive(Clone)]
pub struct Motor {
    readings: Readings,
    goal: Arc<dyn Function>,
    level: Level,
}

impl Motor {
    /// The coordinate is `goal(t)`, in m or rad.
    pub fn position(coordinate: Coordinate, goal: impl Function + 'static) -> Self {
        Motor { readings: Readings::new([], [coordinate]), goal: Arc::new(goal), level: Level::Position }
    }

    /// The rate of the coordinate is `goal(t)`, in m/s or rad/s.
    pub fn speed(coordinate: Coordinate, goal: impl Function + 'static) -> Self {
        Motor { readings: Readings::new([], [coordinate]), goal: Arc::new(goal), level: Level::Velocity }
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
    fn validate(&self) -> Result<(), String> {
        self.readings.validate()?;
        self.goal.validate()
    }
    fn level(&self, _: usize) -> Level {
        self.level
    }
    fn rheonomic(&self) -> bool {
        true
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        self.readings.add(a, 0, 1.0, 0, out);
        let [f, f1, f2] = self.goal.at(t);
        let row = out.row(0);
        if self.level == Level::Position {
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
