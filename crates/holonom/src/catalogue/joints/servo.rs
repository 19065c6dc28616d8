//! Servo: a condition on anything, enforced by named actuators.
//!
//! A condition, any constraint of m rows, and m joint coordinates with actuators on them. The rows are those of the
//! condition, the forces act along the coordinates:
//!
//! ```text
//! J vdot + c = 0      rows of the condition (a wrist follows a path, two axes stay parallel, ...)
//! M vdot = K mu + F   column i of K is the generalised force of a unit force or torque along coordinate i
//! ```
//!
//! The multiplier mu_i is what actuator i must give, at this moment, for the condition to hold: torque curves of a
//! mechanism that follows a path come out of one run. K is not J^T: such rows do work, and they are always auxiliary
//! rows on top of the factorisation.
//!
//! Singular where the actuators cannot move what the condition is about: J Mhat^-1 K (m x m) loses rank, and the solver
//! says so. There must be as many actuators as rows. Where there are more, the spare freedom must be decided by
//! something else: move the mechanism by the law f = m v, which takes the least motion in the metric of the masses
//! ([`crate::Simulation::inverse_kinematics`]), and drive all actuators by what comes out.

use super::prescribed_point::PATH_CONDITION;
use super::{Constraint, Glyph, JOINTS, JointDeclaration, JointRole, Level, PointOnLine, PointOnPlane, Rows};
use crate::catalogue::attach::{Attachment, Marker, View};
use crate::catalogue::coordinate::{Coordinate, Readings};
use crate::catalogue::declaration::{
    DriveAction, DriveDeclaration, Driven, Family, FieldType, Invalid, Kind, Make, required,
};
use crate::error::refuse;
use crate::math::SplitMix;
use std::sync::{Arc, LazyLock};

pub(super) static DECLARATION: JointDeclaration = JointDeclaration {
    kind: Kind { name: "servo", summary: "a condition is kept by named actuators", fields: &[], make: Make::Elsewhere },
    label: "Servo",
    role: JointRole::Drive,
    rows: 3,
    glyph: Glyph::Arrow,
    sample: Some(|a, b, g| Box::new(sample(a, b, g))),
    ..JointDeclaration::PLAIN
};

/// The kinds of conditions: a path, or any joint with equality rows.
static CONDITIONS: Family = Family { name: "condition", common: &[], members: conditions, default: None };

fn conditions() -> &'static [&'static Kind] {
    static KINDS: LazyLock<Vec<&'static Kind>> = LazyLock::new(|| {
        let joints = JOINTS.iter().filter(|d| d.in_files() && d.role != JointRole::Inequality);
        std::iter::once(&PATH_CONDITION).chain(joints.map(|d| &d.kind)).collect()
    });
    &KINDS
}

pub(crate) static SERVO_DRIVE: DriveDeclaration = DriveDeclaration {
    kind: Kind {
        name: "servo",
        summary: "a condition is kept by the forces or torques of actuators on joint coordinates, one for each of its rows",
        fields: &[&[
            required(
                "condition",
                FieldType::Kind(&CONDITIONS),
                "what is to hold: a path, or any joint by its kind and fields",
            ),
            required(
                "actuators",
                FieldType::Coordinates,
                "joints, or coordinates of joints, as many as the condition has rows",
            ),
        ]],
        make: Make::Drive(|p| {
            let condition = p.condition("condition")?;
            let actuators = p.coordinates("actuators");
            let (rows, n) = (condition.n_rows(), actuators.len());
            if rows != n {
                let label = format!("{n} elements; one for each row of the condition");
                return Err(Invalid::count("actuators", n, rows).label(label));
            }
            Ok(Driven::Row(Box::new(Servo::of(Arc::from(condition), actuators))))
        }),
    },
    action: DriveAction::Condition,
    on_length: None,
    on_angle: None,
};

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
    fn validate(&self) -> Result<(), Invalid> {
        self.condition.validate()?;
        self.actuators.validate()?;
        let (rows, actuators) = (self.condition.n_rows(), self.actuators.coordinates().len());
        if rows != actuators {
            let hint = "with more, find the motion of all actuators by inverse kinematics first";
            return refuse!(
                "actuators",
                "has {actuators} actuators for {rows} rows, must have one for each row; {hint}"
            );
        }
        if self.condition.own_force_direction() {
            return Err("its condition has force directions of its own, must be one without".into());
        }
        // turns are counted for joints of the model, and the condition is none
        if self.condition.follows_turns() {
            let kind = self.condition.kind();
            return refuse!(
                "condition",
                "its condition ({kind}) follows turns of its own, must be one that reads coordinates of joints"
            );
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

fn sample(a: Marker, b: Marker, g: &mut SplitMix) -> Servo {
    // pushes along the axes of a, not at the point that is led but beside it
    let beside = Marker { point: b.point + g.vec3(0.1), ..b };
    let across = |i| Coordinate::of(PointOnPlane::new(a, beside), i);
    let led = super::prescribed_point::sample(a, b, g);
    Servo::new(led, [across(0), across(1), Coordinate::of(PointOnLine::new(a, beside), 0)])
}
