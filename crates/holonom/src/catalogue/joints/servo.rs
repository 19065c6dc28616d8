//! Servo: a condition on anything, enforced by named actuators.
//!
//! A condition, any constraint of m rows, and m joint coordinates with actuators on them. The rows are those of the condition, the forces act along
//! the coordinates:
//!
//! ```text
//! J vdot + c = 0      rows of the condition (a wrist follows a path, two axes stay parallel, ...)
//! M vdot = K mu + F   column i of K is the generalised force of a unit force or torque along coordinate i
//! ```
//!
//! The multiplier mu_i is what actuator i must give, at this moment, for the condition to hold: torque curves of a mechanism that follows a path come
//! out of one run. K is not J^T: such rows do work, and they are always auxiliary rows on top of the factorisation.
//!
//! Singular where the actuators cannot move what the condition is about: J Mhat^-1 K (m x m) loses rank, and the solver says so.
//! There must be as many actuators as rows. Where there are more, the spare freedom must be decided by something else: move the mechanism by the
//! law f = m v, which takes the least motion in the metric of the masses ([`crate::Simulation::inverse_kinematics`]), and drive all actuators by
//! what comes out.

use super::{Constraint, Level, Rows};
use crate::catalogue::attach::{Attachment, View};
use crate::catalogue::coordinate::{Coordinate, Readings};
use std::sync::Arc;

/// A condition enforced by actuators on joint coordinates.
#[derive(Clone)]
pub struct Servo {
    condition: Arc<dyn Constraint>,
    actuators: Readings,
    /// What the condition reads, then the actuators.
    reads: Vec<Coordinate>,
}

impl Servo {
    /// `condition` holds by forces along the `actuators`, in order: row i of the multipliers is actuator i.
    pub fn new(condition: impl Constraint + 'static, actuators: impl Into<Vec<Coordinate>>) -> Self {
        Self::of(Arc::new(condition), actuators.into())
    }

    /// The same for a condition that is known only by what it does.
    pub fn of(condition: Arc<dyn Constraint>, actuators: Vec<Coordinate>) -> Self {
        let reads = [condition.reads(), &actuators].concat();
        let actuators = Readings::new(condition.attachments(), actuators);
        Servo { condition, actuators, reads }
    }
}

impl Constraint for Servo {
    fn kind(&self) -> &'static str {
        "servo"
    }
    fn attachments(&self) -> &[Attachment] {
        self.actuators.attachments()
    }
    fn n_rows(&self) -> usize {
        self.condition.n_rows()
    }
    fn validate(&self) -> Result<(), String> {
        self.condition.validate()?;
        self.actuators.validate()?;
        let (rows, actuators) = (self.condition.n_rows(), self.actuators.coordinates().len());
        if rows != actuators {
            let hint = "with more, find the motion of all actuators by inverse kinematics first";
            return Err(format!("has {actuators} actuators for {rows} rows, must have one for each row; {hint}"));
        }
        if self.condition.own_force_direction() {
            return Err("its condition has force directions of its own, must be one without".into());
        }
        // turns are counted for joints of the model, and the condition is none
        if self.condition.follows_turns() {
            let kind = self.condition.kind();
            return Err(format!(
                "its condition ({kind}) follows turns of its own, must be one that reads coordinates of joints"
            ));
        }
        Ok(())
    }
    fn level(&self, i: usize) -> Level {
        self.condition.level(i)
    }
    fn rheonomic(&self) -> bool {
        self.condition.rheonomic()
    }
    fn own_force_direction(&self) -> bool {
        true
    }
    fn rows(&self, a: &View, t: f64, out: &mut Rows) {
        self.condition.rows(&a.head(self.condition.attachments().len()), t, out);
        for i in 0..self.actuators.coordinates().len() {
            self.actuators.add_force(a, i, i, out);
        }
    }
    fn reads(&self) -> &[Coordinate] {
        &self.reads
    }
    fn settled(&self, a: &View) -> Option<Arc<dyn Constraint>> {
        let settled = self.condition.settled(&a.head(self.condition.attachments().len()))?;
        Some(Arc::new(Self::of(settled, self.actuators.coordinates().to_vec())))
    }
}
